"""Headers and directories of files, kept for the next array that is opened in the same file.

The one idea: of files on disk, a few of the latest are kept; what is kept of bytes in memory lies with their path
and goes when it does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

from weft.sources.formats.cell_run import Identity
from weft.sources.paths import HeldPath

T = TypeVar("T")
MOST = 8  # files of a format


def kept(read: Callable[[str, Identity], T]) -> Callable[[str, Identity], T]:
    """Return `read(path, identity)` with memory: the header of the same file is read once."""
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
