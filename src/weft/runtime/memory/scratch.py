"""The folder for temporary files of work that does not fit into memory.

The one idea: the folder is checked when it is set and again when it is used, so a missing folder is one clear error.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any

from weft.errors import MissingFolderError, ValueRangeError
from weft.runtime.scoped_setting import Setting

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
