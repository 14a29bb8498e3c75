"""Headers and directories of files, cached for the next array that is opened in the same file.

The one idea: for files on disk, the latest few are cached; for bytes in memory, the cache lies with their path and is
freed with it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

from weft.sources.formats.cell_run import Identity, identity_at
from weft.sources.paths import HeldPath

T = TypeVar("T")
MOST = 8  # files of each format


def kept(form: str) -> Callable[[Callable[[str, Identity], T]], Callable[[str], tuple[Identity, T]]]:
    """Decorate `read(path, identity)`, which reads a header, to take a path and return (identity, header).

    The header of an unchanged file is read once; the errors of `read` are raised and not cached.  `form` names the
    format in the FileFormatError for a file that cannot be opened.
    """

    def keeping(read: Callable[[str, Identity], T]) -> Callable[[str], tuple[Identity, T]]:
        latest = lru_cache(maxsize=MOST)(read)

        @wraps(read)
        def known(path: str) -> tuple[Identity, T]:
            identity = identity_at(path, form)
            if not isinstance(path, HeldPath):
                return identity, latest(path, identity)
            if read not in path.headers:
                path.headers[read] = read(path, identity)
            return identity, path.headers[read]

        return known

    return keeping
