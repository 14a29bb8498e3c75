"""Names for incomplete files, which are swept away once no writer is alive in their folder.

The one idea: a writer shares a lock on the folder, which the system releases when the process ends, however it ends.  A
process that gets the lock exclusively knows that unfinished files in the folder were left by dead writers.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from weft.errors import WriteError

NAME = re.compile(r"\.weft-[0-9a-f]{12}\.partial")
PATIENCE = 10.0  # seconds for which another program may hold the lock of a folder
SHARE = 20  # a folder is listed again after SHARE times the time that listing took
_NEXT: dict[str, float] = {}  # when a folder may be listed again


def _unused(folder: str) -> str:
    """Return a path in `folder` that no other writer has, of a name that `NAME` matches."""
    return os.path.join(folder, f".weft-{secrets.token_hex(6)}.partial")


@contextmanager
def unfinished(beside: str) -> Iterator[str]:
    """Yield an unused path in the folder `beside`; a file made there is removed after the block, unless moved.

    Files that dead writers left in the folder are removed, too.  Raises OSError if the system refuses, WriteError if
    another program keeps the folder locked.
    """
    path = _unused(beside)
    folder = os.open(beside, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _share(folder, beside)
        try:
            yield path
        finally:
            remove(path)
    finally:
        with suppress(OSError):
            os.close(folder)


def _share(folder: int, beside: str) -> None:
    """Take a shared lock of the folder `beside`, opened as `folder`.

    The folder is swept first if no other process holds a lock. Raises WriteError if another program keeps the lock.
    """
    end = time.monotonic() + PATIENCE
    try:
        if _is_locked(folder, fcntl.LOCK_EX):
            _sweep(beside)
        while not _is_locked(folder, fcntl.LOCK_SH):  # another process sweeps
            if time.monotonic() > end:
                fact = f"another program has held the lock of the folder for {PATIENCE:.0f} s"
                raise WriteError(f"write: {beside}: {fact}; nothing was changed; end it, or write elsewhere")
            time.sleep(0.01)
    except OSError:  # file systems without locks are never swept
        pass


def _is_locked(folder: int, how: int) -> bool:
    """Lock a folder, given by its descriptor, in the way `how` of `flock` unless others hold its lock.

    True if it was locked.
    """
    try:
        fcntl.flock(folder, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sweep(beside: str) -> None:
    """Remove unfinished files in a folder; a large folder is not listed again for some time."""
    start = time.monotonic()
    if start < _NEXT.get(beside, 0):
        return
    for name in os.listdir(beside):
        if NAME.fullmatch(name):
            remove(os.path.join(beside, name))
    end = time.monotonic()
    if len(_NEXT) > 1000:
        _NEXT.clear()
    _NEXT[beside] = end + SHARE * (end - start)


def _hidden(path: str) -> str:
    """Rename a folder, so that other processes that still write into it find none; return its new path.

    Returns the old path if the system refuses.
    """
    hidden = _unused(os.path.dirname(path))
    try:
        os.rename(path, hidden)
    except OSError:
        return path
    return hidden


def remove(path: str) -> None:
    """Remove a file or folder as far as the system permits; raises errors of signal handlers that ran meanwhile."""
    if os.path.isdir(path) and not os.path.islink(path):
        path = _hidden(path)
        try:
            shutil.rmtree(path, ignore_errors=True)
        except OSError as error:  # rmtree closes a descriptor twice after a handler raised
            if error.__context__ is not None:
                raise error.__context__ from None
    elif os.path.lexists(path):
        with suppress(OSError):
            os.unlink(path)
