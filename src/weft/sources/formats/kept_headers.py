"""Headers and directories of files, cached for the next array that is opened in the same file.

The one idea: for files on disk, the latest few are cached; for bytes in memory, the cache lies with their path and is
freed with it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

from weft.sources.formats.cell_run import Identity
from weft.sources.paths import HeldPath

T = TypeVar("T")
MOST = 8  # files of each format


def kept(read: Callable[[str, Identity], T]) -> Callable[[str, Identity], T]:
    """Return `read(path, identity)` with a cache, so that the header of an unchanged file is read once.

    The errors of `read` are raised and not cached.
    """
    latest = lru_cache(maxsize=MOST)(read)

    @wraps(read)
    def known(path: str, identity: Identity) -> T:
        if not isinstance(path, HeldPath):
            return latest(path, identity)
        if read not in path.headers:
            path.headers[read] = read(path, identity)
        found: T = path.headers[read]
        return found

    return known
