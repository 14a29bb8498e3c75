"""Files by the names of NumPy's functions: text tables, .npy and .npz.

The one idea: NumPy parses and prints text, at once; binary files are those of `weft.open` and `weft.save`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np

from weft.api.arguments import as_tensor
from weft.api.standard.creation_functions import asarray
from weft.errors import FileFormatError, MissingFileError
from weft.interop.numpy.names import numpy_errors
from weft.runtime.memory.limits import warn_of_wholes
from weft.sources.files import open_all, open_file
from weft.sources.paths import Path, Target, path_of
from weft.sources.write.save import save
from weft.tensors.tensor import Tensor, node_of


def loadtxt(file: Any, dtype: Any = float, **options: Any) -> Any:
    """Return the numbers of a text file as a tensor, read by NumPy's loadtxt with its options.

    `file` is a path (also .gz, .bz2, .xz), an open file or a list of lines.  With `unpack=True` a list of columns.
    Raises FileFormatError (a ValueError) for cells that are no numbers, ArgumentError for options that NumPy does not
    take, MissingFileError (a FileNotFoundError) for a missing file.

    >>> import weft
    >>> weft.loadtxt(["1,2", "3,4"], delimiter=",").tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    with _told("loadtxt", file):
        return _imported(np.loadtxt(file, dtype=_dtype(dtype), **options), options)


def genfromtxt(file: Any, dtype: Any = float, **options: Any) -> Any:
    """Return the numbers of a text file with missing values as a tensor, read by NumPy's genfromtxt with its options.

    A missing cell, or one that is no number, is NaN, or `filling_values=`. With `unpack=True` a list of columns. Raises
    DTypeError for columns of different dtypes (`dtype=None`, names): read those with pandas or pyarrow; FileFormatError
    for lines of different lengths, MissingFileError for a missing file, ArgumentError for options that NumPy does not
    take.

    >>> import weft
    >>> weft.genfromtxt(["a,b", "1,", "3,4"], delimiter=",", skip_header=1).tolist()
    [[1.0, nan], [3.0, 4.0]]
    """
    with _told("genfromtxt", file):
        return _imported(np.genfromtxt(file, dtype=_dtype(dtype), **options), options)


def savetxt(file: Any, x: Any, **options: Any) -> None:
    """Write a tensor of one or two axes as text, as NumPy's savetxt does, with its options.

    Raises FileFormatError for more axes, MissingFileError if the folder is missing, ArgumentError for options that
    NumPy does not take, DTypeError for an object without numbers.

    >>> import sys
    >>> import weft
    >>> weft.savetxt(sys.stdout, weft.asarray([[1.0, 2.0], [3.0, 4.5]]), fmt="%.1f", delimiter=",")
    1.0,2.0
    3.0,4.5
    """
    x = as_tensor(x)
    warn_of_wholes("savetxt", [node_of(x)])
    with _told("savetxt", file):
        np.savetxt(file, x.numpy(), **options)


@contextmanager
def _told(name: str, file: Any) -> Iterator[None]:
    """Convert NumPy's errors inside the block to errors of weft that have the same built-in classes.

    A TypeError becomes ArgumentError, a missing file MissingFileError, other ValueErrors FileFormatError; `name` is
    named.
    """
    try:
        with numpy_errors(name, "mend the file, or the options", FileFormatError):
            yield
    except FileNotFoundError as e:
        raise MissingFileError(f"{name}: {file!s:.200}: nothing is there; check the path", str(file)) from e


class TensorArchive(dict[str, Tensor]):
    """The tensors of a .npz file by name; a context and a list of names (`files`), as NumPy's archives are."""

    @property
    def files(self) -> list[str]:
        """The names in the order of the file."""
        return [*self]

    def __enter__(self) -> TensorArchive:
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the tensors as they are: they hold their files themselves."""

    close = __exit__


def load(file: Path | BinaryIO) -> Tensor | TensorArchive:
    """Return the tensor of a .npy file, or the tensors of a .npz file by name. `file` is a path or an object.

    The first bytes say which of the two it is; any other file is opened by its ending, as `weft.open` does. Values are
    read when they are needed. Raises FileFormatError for damaged files and a `file` of another type, MissingFileError
    for missing ones.

    >>> import io
    >>> import weft
    >>> file = io.BytesIO()
    >>> weft.savez(file, a=weft.arange(3), b=weft.ones(2))
    >>> file.seek(0)
    0
    >>> weft.load(file)["a"].tolist()
    [0, 1, 2]
    """
    path = path_of("load", file)
    format = {b"PK\x03\x04": "npz", b"\x93NUM": "npy"}.get(_first_bytes(path))
    if format == "npz":
        return TensorArchive(open_all(path, format=format))
    return open_file(path, format=format)


def _first_bytes(path: str) -> bytes:
    """Return the first four bytes of a file; b"" for a folder, or if the file cannot be opened."""
    try:
        with open(path, "rb") as file:
            return file.read(4)
    except OSError:
        return b""


def savez(file: Target, *arrays: Any, **named: Any) -> None:
    """Write several tensors to a .npz file; those without a name are called arr_0, arr_1, ...

    Raises FileFormatError where a name is given twice, WriteError where the file cannot be written.

    >>> import io
    >>> import weft
    >>> file = io.BytesIO()
    >>> weft.savez(file, weft.arange(3), scale=2.0)
    >>> file.seek(0)
    0
    >>> sorted(weft.load(file))
    ['arr_0', 'scale']
    """
    unnamed = {f"arr_{i}": x for i, x in enumerate(arrays)}
    if unnamed.keys() & named.keys():
        twice = min(unnamed.keys() & named.keys())
        raise FileFormatError(f"savez: the name {twice!r} is that of an array without one, too; give another name")
    save(file, unnamed | named, format="npz")


def _dtype(dtype: Any) -> Any:
    """Return a dtype in the form that NumPy's readers of text accept."""
    return dtype if dtype is None else np.dtype(getattr(dtype, "name", dtype))


def _imported(found: Any, options: dict[str, Any]) -> Any:
    """Return an array as a tensor, or with unpack=True its columns as a list of tensors."""
    return [asarray(column) for column in found] if options.get("unpack") else asarray(found)
