"""HDF5 files: their bytes, and their datasets through h5py, whose errors become FileFormatError.

The one idea: opening a file in the library takes longer than reading a chunk, so it is put off until a dataset is asked
for; chunks whose places are known are read without it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import cached_property
from typing import Any
from warnings import catch_warnings

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from weft.sources.formats.cell_run import (
    Identity,
    NoSuchArray,
    failure,
    identity_of,
    library_errors,
    needed,
    opened,
)
from weft.sources.paths import HeldPath
from weft.sources.read.byte_ranges import RangedFile
from weft.sources.remote.remote_file import RangeReader, RemoteFile

FORM = "hdf5"
BFLOAT16 = np.dtype("V2")  # as in .npy: neither format has a name for it


class Hdf5File(ExitStack):
    """An opened file: its descriptor and identity, and the library's object, opened when it is first asked for."""

    def __init__(self, path: str, fd: RangedFile, identity: Identity) -> None:
        super().__init__()
        self.path, self.fd, self.identity = path, fd, identity

    @cached_property
    def library(self) -> Any:
        """Return the h5py.File; raises FileFormatError if another file has the path by now, or h5py is missing."""
        h5py = needed("h5py", "hdf5", FORM, self.path, "reads this format")
        self.enter_context(catch_warnings(action="ignore"))
        target = self.enter_context(_for_library(self.path, self.fd))
        file = self.enter_context(h5py.File(target, "r", locking="best-effort"))
        if target is self.path and identity_of(os.fstat(file.id.get_vfd_handle())) != self.identity:
            raise failure(FORM, self.path, "has changed since it was opened", "open it again")
        return file

    def dataset(self, name: str) -> Any:
        """Return the h5py dataset `name`, if all of its cells lie in this file.

        Raises NoSuchArray if there is none, FileFormatError for links, external and virtual datasets.
        """
        path, file = self.path, self.library
        item = file.get(name) if isinstance(name, str) and "\0" not in name else None  # the library stops at a NUL
        if not hasattr(item, "shape"):
            raise NoSuchArray(name)
        if item.shape is None:
            raise failure(FORM, path, f"dataset {name!r} has no cells, not even a shape", "open another one")
        if item.file.filename != file.filename:
            raise failure(FORM, path, f"dataset {name!r} is a link to {item.file.filename!r}", "open that file")
        if item.external:
            others = ", ".join(sorted({str(e[0]) for e in item.external}))
            raise failure(FORM, path, f"the cells of dataset {name!r} lie in {others}", "open that as raw bytes")
        if item.is_virtual:
            advice = "open those and concat or overlay them"
            raise failure(FORM, path, f"dataset {name!r} is put together from others", advice)
        return item


@contextmanager
def opened_hdf5(path: str, identity: Identity | None = None) -> Iterator[Hdf5File]:
    """Yield a file, whose bytes can be read; errors of the library within the block become FileFormatError.

    Raises FileFormatError if the file changes while it is opened, or its identity differs from `identity` (if given).
    """
    errors = library_errors(FORM, path, "h5py", "it is truncated, damaged or no HDF5")
    with opened(path, FORM, identity) as (fd, found), errors, Hdf5File(path, fd, found) as file:
        yield file


def _for_library(path: str, fd: RangedFile) -> Any:
    """Return the argument for h5py.File: a path that resolves, or an opened file."""
    if isinstance(fd, RemoteFile):
        return RangeReader(fd)
    return open(path, "rb") if isinstance(path, HeldPath) else nullcontext(path)


def cells_of(values: Any) -> NDArray[Any]:
    """Return values read by h5py as an array; two-byte opaque cells are bfloat16."""
    array = np.asarray(values)
    return array.view(ml_dtypes.bfloat16) if array.dtype == BFLOAT16 else array
