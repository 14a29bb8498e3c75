"""Folders that no other user can have written to, each held by a descriptor.

The one idea: a path is opened from the root one name at a time, each below the descriptor of the last and through no
link.  Whatever is done to the path afterwards, the descriptor stays that of the folder that was checked.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import PurePath

OTHERS = stat.S_IWGRP | stat.S_IWOTH


class Refusal(OSError):
    """The reason for not using a folder."""

    def __str__(self) -> str:
        return str(self.args[0])


def open_private(folder: str) -> int:
    """Return a descriptor of the folder at an absolute path, which is made if missing.

    Raises Refusal if other users may have written to it, or may replace it.
    """
    if not hasattr(os, "getuid"):
        raise Refusal("this system has no owners and modes of folders to check")
    at, *names = PurePath(folder).parts
    fd = _opened(at, None)
    for name in names:
        parent, at = fd, os.path.join(at, name)
        try:
            fd = _opened_below(parent, name, at, folder)
        finally:
            os.close(parent)
    try:
        _check_private(os.fstat(fd))
    except Refusal:
        os.close(fd)
        raise
    return fd


def is_private(found: os.stat_result) -> bool:
    """True if the file is regular, belongs to this user, and may be written by no other user."""
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & OTHERS


def _opened_below(parent: int, name: str, path: str, folder: str) -> int:
    """Return a descriptor of the folder `name` below the open folder `parent`, made if missing.

    Raises Refusal with the reason; `path` is the path so far, on the way to `folder`.
    """
    _check_parent(os.fstat(parent), os.path.dirname(path))
    try:
        try:
            return _opened(name, parent)
        except FileNotFoundError:
            with suppress(FileExistsError):  # by another process; it is checked as any that was there
                os.mkdir(name, 0o700, dir_fd=parent)
            return _opened(name, parent)
    except OSError as error:
        raise Refusal(_reason(error, parent, name, path, folder)) from error


def _opened(name: str, parent: int | None) -> int:
    way = getattr(os, "O_PATH", os.O_RDONLY)  # folders on the way may be searched and not read
    return os.open(name, way | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)


def _reason(error: OSError, parent: int, name: str, path: str, folder: str) -> str:
    """Return a text that says why `name` below `parent` could not be opened as a folder."""
    try:
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    except OSError:
        return f"{path}: {error.strerror}"
    if stat.S_ISLNK(mode):
        return f"{path} is a symbolic link"
    return f"{path} is no folder" if path == folder and not stat.S_ISDIR(mode) else f"{folder}: {error.strerror}"


def _check_parent(found: os.stat_result, path: str) -> None:
    """Raise Refusal if other users may replace the files in a folder.

    The sticky bit, as of /tmp, prevents that.
    """
    if found.st_mode & OTHERS and not found.st_mode & stat.S_ISVTX:
        raise Refusal(f"others may write {path}, its mode is {stat.S_IMODE(found.st_mode):04o}")


def _check_private(found: os.stat_result) -> None:
    if found.st_uid != os.getuid():
        raise Refusal(f"it belongs to user {found.st_uid}, not to {os.getuid()}")
    if stat.S_IMODE(found.st_mode) != 0o700:
        raise Refusal(f"its mode is {stat.S_IMODE(found.st_mode):04o}, not 0700")
