"""The memory limit for work over large files, and the folder for temporary files of what exceeds it.

The one idea: one number of bytes bounds all reading, computing and writing by tiles; a setting gives it, a block may
replace it, and without either it follows from the free memory.  The scratch folder is checked when it is set and again
when it is used, so a missing folder is one clear error.
"""

from __future__ import annotations

import os
import re
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from weft.errors import MemoryLimitWarning, MissingFolderError, ValueRangeError
from weft.ir.graph.node import Node
from weft.passes.fuse import is_stored, over_files
from weft.runtime.control_groups import memory_left
from weft.runtime.scoped_setting import Setting

LEAST, MOST = 16 << 20, 1 << 30  # bounds, in bytes, of the limit if none was set
SLACK = 16 << 20  # bytes by which a user's limit may be exceeded without a warning
UNSET = 240 << 20  # bytes for a sweep if no limit was set; loaded modules take some more
UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}


_LIMIT: Setting[int | None] = Setting("memory_limit", None, lambda nbytes: nbytes is not None)


def bytes_of(size: int | str) -> int:
    """Return the number of bytes in an integer, or a text with a unit; raises ValueRangeError for anything else.

    >>> bytes_of("256MiB"), bytes_of("1.5 GB"), bytes_of(4096)
    (268435456, 1500000000, 4096)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*", str(size)) if not isinstance(size, bool) else None
    unit = UNITS.get(found[2].lower()) if found else None
    if found is None or unit is None or float(found[1]) * unit < 1:
        raise ValueRangeError(f"memory: {size!r} is no amount of memory; give bytes, or text such as '256MiB' or '2GB'")
    return int(float(found[1]) * unit) if "." in found[1] else int(found[1]) * unit


def available_memory() -> int | None:
    """Return the bytes of memory available without swapping, to the system and to this process's container.

    None if the system does not report them.
    """
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            free = next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")), None)
    except OSError:
        free = None
    return min([nbytes for nbytes in (free, memory_left()) if nbytes is not None], default=None)


def granted() -> int | None:
    """Return the memory limit set by a user, in a block or for all threads; None if none was set."""
    return _LIMIT.get() if _LIMIT.active else None


def memory_limit() -> int:
    """Return the current memory limit in bytes: the one set, else a quarter of free memory, at most 1 GiB."""
    known = granted()
    if known is not None:
        return known
    free = available_memory()
    return MOST if free is None else max(LEAST, min(MOST, free // 4))


def is_share(nbytes: int, parts: int) -> bool:
    """True if `nbytes` is at most 1 / parts of the memory limit; free memory is asked for only where that matters."""
    return nbytes * parts <= (granted() or LEAST) or nbytes * parts <= memory_limit()


def limit_of_sweeps() -> int:
    """Return the bytes that tiled work over files may allocate, apart from inputs in memory and results."""
    return granted() or min(UNSET, memory_limit())


def is_beyond(nbytes: int) -> bool:
    """True if `nbytes` exceeds the limit that a user set by more than SLACK."""
    limit = granted()
    return limit is not None and nbytes > limit + SLACK


def warn_of_wholes(name: str, nodes: Sequence[Node]) -> None:
    """Warn (MemoryLimitWarning) if operation `name` holds whole nodes over files beyond a user's limit.

    Without a name, nothing is said.
    """
    if not (name and _LIMIT.active):
        return
    taken = sum([n.desc.nbytes for n in nodes if not is_stored(n)])
    if is_beyond(taken) and not over_files(nodes).isdisjoint(map(id, nodes)):
        warn_beyond(name, taken)


def warn_beyond(name: str, nbytes: int) -> None:
    """Warn (MemoryLimitWarning) if operation `name` needs `nbytes` at once, more than a limit set by a user."""
    if is_beyond(nbytes):
        limit = granted()
        fact = f"{name}: {nbytes} bytes are read and computed with at once, of a memory limit of {limit}"
        advice = "it needs its operands as a whole; compute a slice at a time, or set a limit of that size"
        warnings.warn(f"{fact}; {advice}", MemoryLimitWarning, stacklevel=3)


def set_limit(nbytes: int | None) -> None:
    """Set the memory limit, in bytes, for all threads; None: it follows from free memory."""
    _LIMIT.set(nbytes)


@contextmanager
def limited(size: int | str | None) -> Iterator[int]:
    """Set the memory limit inside the block, which yields it in bytes.

    `size` is bytes, a text such as "256MiB", or None for the limit outside.  Raises ValueRangeError for anything else.
    """
    with _LIMIT.block(granted() if size is None else bytes_of(size)):
        yield memory_limit()


VARIABLE = "WEFT_SCRATCH"
_FOLDER: Setting[str | None] = Setting("scratch_folder", None)


def scratch_folder() -> str:
    """Return the path of the scratch folder: the one set, that of WEFT_SCRATCH, or the system's temporary folder.

    Raises MissingFolderError if the folder does not exist or cannot be written to.
    """
    named = _FOLDER.get() or os.environ.get(VARIABLE)
    return checked_folder(named) if named else tempfile.gettempdir()


def set_folder(path: Any) -> None:
    """Set the scratch folder for all threads; None: that of WEFT_SCRATCH, or of the system.

    Raises MissingFolderError if the folder does not exist or cannot be written to, ValueRangeError if `path` is no
    path.
    """
    if path is not None and not isinstance(path, (str, os.PathLike)):
        raise ValueRangeError(
            f"set_scratch_folder: {path!r:.60} is a {type(path).__name__}; a folder is named by text or pathlib.Path; "
            "give one of them, or None"
        )
    _FOLDER.set(None if path is None else checked_folder(os.fspath(path)))


def checked_folder(path: str) -> str:
    """Return the absolute path of a writable folder; raises MissingFolderError for any other path."""
    found = os.path.abspath(os.path.expanduser(path))
    if not os.path.isdir(found):
        raise MissingFolderError(
            f"scratch: {path}: is no folder; temporary files are written there; make it first", path
        )
    if not os.access(found, os.W_OK | os.X_OK):
        raise MissingFolderError(
            f"scratch: {path}: cannot be written to; temporary files are; name another folder", path
        )
    return found
