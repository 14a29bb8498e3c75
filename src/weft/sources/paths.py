"""Names of files as users give them: text, `pathlib`, `~` for the home folder, or objects with bytes.

The one idea: every reader and writer works on a path.  The bytes of an object without a path are copied to a file in
memory that lives as long as the text of its path, and output for such an object goes through a temporary file.
"""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from weft.errors import FileFormatError, WeftError, WriteError
from weft.sources.remote.remote_path import RemotePath, file_name, is_url, translated_errors

Path = str | os.PathLike[str]
Target = Path | BinaryIO
BLOCK = 8 << 20  # bytes copied at a time
PLAIN = (io.FileIO, io.BufferedReader, io.BufferedRandom, io.BufferedWriter)
IN_MEMORY = hasattr(os, "memfd_create") and os.path.isdir("/proc/self/fd")


class HeldPath(str):
    """The path of a file that lives as long as this string; printed, it names the object with the bytes.

    `headers` caches results of reading the file, by the function that read them.
    """

    fd: int
    headers: dict[Any, Any]
    process: int
    shown: str
    ending: str

    def __str__(self) -> str:
        return self.shown

    def __format__(self, spec: str) -> str:
        return format(self.shown, spec)

    # names of the module may be gone at the interpreter's exit, so they are bound as defaults
    def __del__(
        self, close: Any = os.close, unlink: Any = os.unlink, process: Any = os.getpid, in_memory: bool = IN_MEMORY
    ) -> None:
        close(self.fd)
        if not in_memory and self.process == process():
            unlink(self)


def path_of(op: str, thing: object) -> str:
    """Return the path for a user's text, path or readable object; `~` is the home folder.

    Raises FileFormatError (WriteError if `op` is "save") if it can name no file.
    """
    if hasattr(thing, "read"):
        return _own_path(thing) or _held(op, thing)
    error = WriteError if op == "save" else FileFormatError
    if not isinstance(thing, (str, bytes, os.PathLike)):
        raise error(
            f"{op}: {thing!r:.60} is a {type(thing).__name__}; a file is named by text or pathlib.Path, or is an "
            "object with bytes; give one of them"
        )
    if isinstance(thing, (HeldPath, RemotePath)):
        return thing
    path = os.path.expanduser(os.fsdecode(thing))
    if op == "save" and is_url(path):
        fact = f"save: {path}: is a URL; files are written to local folders only"
        raise WriteError(f'{fact}; save to a local path, or to an object of fsspec.open("{path}", "wb") with format=')
    fault = text_fault(path, os.fsencode) if path else "is empty"
    if fault:
        raise error(
            f"{op}: the path {path!r:.80} {fault}; no file has that name; give another one, or bytes of a file in "
            "io.BytesIO(...)"
        )
    return path


def text_fault(text: str, encode: Callable[[str], bytes]) -> str | None:
    """Return the reason why no file can have a path, and no array in a file a name; None if one can."""
    try:
        return "has an embedded null character" if b"\0" in encode(text) else None
    except UnicodeEncodeError:
        return "has half of a character"


def _own_path(file: Any) -> str | None:
    """Return the path of a file object that was opened by name and not read yet; None for other objects."""
    try:
        if not isinstance(getattr(file, "file", file), PLAIN):
            return None  # its name may be that of a compressed file
        name = file.name
        same = isinstance(name, str) and os.path.samestat(os.fstat(file.fileno()), os.stat(name))
        return name if same and file.tell() == 0 else None
    except (AttributeError, OSError, ValueError):
        return None


def held_copy(op: str, path: RemotePath) -> HeldPath:
    """Copy a remote file to a file in memory, and return its path.

    Raises MissingFileError if there is no such file, FileFormatError if it cannot be read; `op` is named in errors.
    """
    with translated_errors(op, path), path.system.open(path.inside, "rb") as file:
        held = _held(op, file)
    held.shown, held.ending = str(path), path.ending
    return held


def _held(op: str, file: Any) -> HeldPath:
    """Copy the bytes of an object, from its position on, to a file in memory; return its path.

    A temporary file is used if the system has no files in memory.  Raises FileFormatError if no file can be made, or
    the object has no bytes or cannot be read.
    """
    try:
        fd, name = (os.memfd_create("weft"), "") if IN_MEMORY else tempfile.mkstemp()
    except OSError as e:
        what, reason = f"<{type(file).__name__}>", (e.strerror or str(e)).lower()
        fact = f"no file can be made for its bytes: {reason}"
        raise FileFormatError(f"{op}: {what}: {fact}; weft reads files; give the path of one") from e
    path = HeldPath(name or f"/proc/self/fd/{fd}")
    path.process, path.headers = os.getpid(), {}
    path.fd, path.shown, path.ending = fd, f"<{type(file).__name__}>", ending_of(file)
    try:
        with open(fd, "wb", closefd=False) as memory:
            shutil.copyfileobj(file, memory, BLOCK)
    except TypeError as e:
        raise FileFormatError(f"{op}: {path}: reads text; files are bytes; open it in mode 'rb'") from e
    except (OSError, ValueError) as e:
        if isinstance(e, WeftError):
            raise
        raise FileFormatError(f"{op}: {path}: cannot be read: {e!s:.100}; open it for reading bytes") from e
    if not os.fstat(fd).st_size:
        raise FileFormatError(f"{op}: {path}: no bytes follow its position; nothing can be read; seek(0) first")
    return path


def ending_of(thing: object) -> str:
    """Return the ending, in lower case, of a path, a URL or the name of a file object; "" without one."""
    if isinstance(thing, (HeldPath, RemotePath)):
        return thing.ending
    name = thing if isinstance(thing, (str, os.PathLike)) else getattr(thing, "name", "")
    if isinstance(name, str) and is_url(name):
        name = file_name(name)
    return os.path.splitext(os.fspath(name).rstrip(os.sep))[1].lower() if isinstance(name, (str, os.PathLike)) else ""


@contextmanager
def target_path(target: Target, ending: str) -> Iterator[str]:
    """Yield the path to write to; for an object with `write`, a temporary file with this ending.

    Its bytes are passed to the object if the block succeeds. Raises WriteError if that fails, or the target can name no
    file.
    """
    if not hasattr(target, "write"):
        yield path_of("save", target)
        return
    what = f"<{type(target).__name__}>"
    try:
        folder = tempfile.TemporaryDirectory()
    except OSError as e:
        reason = (e.strerror or str(e)).lower()
        fact = f"the file cannot be made before its bytes are passed on: {reason}"
        raise WriteError(f"save: {what}: {fact}; make room in {tempfile.gettempdir()}") from e
    with folder as place:
        path = os.path.join(place, f"file{ending}")
        try:
            yield path
        except WeftError as e:
            e.args = (str(e).replace(path, what),)
            raise
        try:
            with open(path, "rb") as file:
                while block := file.read(BLOCK):
                    _write_all(target, block)
        except (OSError, ValueError, TypeError) as e:
            what = f"a {type(target).__name__}"
            raise WriteError(f"save: {what} does not take bytes: {e!s:.100}; open it in mode 'wb'") from e


def _write_all(target: Any, block: bytes) -> None:
    """Write a block to an object that may accept parts of it; raises OSError if it accepts nothing."""
    while block:
        taken = target.write(block)
        if type(taken) is not int:  # an object that returns no count has taken all
            return
        if not taken:
            raise OSError("it takes no more")
        block = block[taken:]
