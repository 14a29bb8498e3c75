"""Names for files that are not complete: swept away when no writer is alive in their folder.

The one idea: a writer shares a lock on the folder, which the system gives back when the process ends, however it ends.
Who can have the lock alone knows that what is unfinished in the folder was left by the dead.
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
SHARE = 20  # a folder is listed again after so many times as long as that took
_NEXT: dict[str, float] = {}  # when a folder may be listed again


@contextmanager
def unfinished(beside: str) -> Iterator[str]:
    """Yield an unused path in the folder `beside`; what is made there goes behind the block, unless it was moved.

    What dead writers left in the folder goes as well.  Raises OSError where the system refuses, WriteError where
    another program keeps the folder locked.
    """
    path = os.path.join(beside, f".weft-{secrets.token_hex(6)}.partial")
    folder = os.open(beside, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
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
    """Take a share of the lock of a folder; sweep it before if nobody else has one."""
    end = time.monotonic() + PATIENCE
    try:
        if _is_locked(folder, fcntl.LOCK_EX):
            _sweep(beside)
        while not _is_locked(folder, fcntl.LOCK_SH):  # somebody sweeps
            if time.monotonic() > end:
                fact = f"another program has held the lock of the folder for {PATIENCE:.0f} s"
                raise WriteError(f"write: {beside}: {fact}; nothing was changed; end it, or write elsewhere")
            time.sleep(0.01)
    except OSError:  # of file systems without locks, where nothing is swept
        pass


def _is_locked(folder: int, how: int) -> bool:
    """Lock a folder unless others have its lock; True if that was done."""
    try:
        fcntl.flock(folder, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sweep(beside: str) -> None:
    """Remove what is unfinished in a folder; large folders are not listed for each of many files."""
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


def remove(path: str) -> None:
    """Remove a file or a folder as far as the system permits; raises what a signal handler raised meanwhile."""
    if os.path.isdir(path) and not os.path.islink(path):
        try:
            shutil.rmtree(path, ignore_errors=True)
        except OSError as error:  # rmtree closes a second time what it had closed when the handler came
            if error.__context__ is not None:
                raise error.__context__ from None
    elif os.path.lexists(path):
        with suppress(OSError):
            os.unlink(path)
