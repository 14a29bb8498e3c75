"""Sinks of HDF5: datasets written through h5py, into a file that never fails under it.

The one idea: the library ends the process some time after a write that the system refused, so it writes to an object
that keeps the refusal for weft to raise, and in memory what the disk did not take.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.errors import ValueRangeError
from weft.ir.graph.description import Shape
from weft.sources.formats.cell_run import needed
from weft.sources.write.atomic_write import NEW
from weft.sources.write.sink import Field, Sink, write_at

NAME = "data"  # of an array that was given none, as of a tensor saved alone


class Patient(io.RawIOBase):
    """A file for a library that a failed write would end: failures are kept, and unwritten bytes held in memory."""

    def __init__(self, path: str) -> None:
        self.fd, self.at = os.open(path, NEW, 0o666), 0
        self.failed: OSError | None = None
        self.unwritten: list[tuple[int, bytes]] = []

    def readable(self) -> bool:
        """True: HDF5 reads its own bytes back."""
        return True

    writable = seekable = readable

    def seek(self, offset: int, whence: int = 0) -> int:
        """Set the position, counted from the begin (`whence` 0), from here (1) or from the end (2); return it."""
        ends = [at + len(part) for at, part in self.unwritten]
        base = (0, self.at, max([os.fstat(self.fd).st_size, *ends]))[whence]
        self.at = base + offset
        return self.at

    def write(self, data: Any) -> int:
        """Write all of the bytes and return their number; what the disk does not take is kept in memory."""
        part = memoryview(data).cast("B")
        try:
            if self.failed is None:
                write_at(self.fd, part, self.at)
        except OSError as e:
            self.failed = e
        if self.failed is not None:
            self.unwritten.append((self.at, bytes(part)))
        self.at += len(part)
        return len(part)

    def readinto(self, target: Any) -> int:
        """Fill `target` with the bytes from the position on, zeros behind the end; return its length."""
        view = memoryview(target).cast("B")
        got = os.preadv(self.fd, [view], self.at)
        view[got:] = bytes(len(view) - got)
        for at, part in self.unwritten:
            first, end = max(at, self.at), min(at + len(part), self.at + len(view))
            if first < end:
                view[first - self.at : end - self.at] = part[first - at : end - at]
        self.at += len(view)
        return len(view)

    def truncate(self, size: int | None = None) -> int:
        """Set the length of the file (by default, to the position) and return it."""
        size = self.at if size is None else size
        try:
            os.ftruncate(self.fd, size)
        except OSError as e:
            self.failed = self.failed or e
        return size

    def check(self) -> None:
        """Raise the OSError of the first write that failed, if any did."""
        if self.failed is not None:
            raise self.failed

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            os.close(self.fd)
        super().close()


class Dataset:
    """The sink of a dataset, through h5py; the sink that is closed last closes the file."""

    order = "C"

    def __init__(self, dataset: Any, field: Field, left: list[str], file: Patient) -> None:
        self.dataset, self.field, self.left, self.file = dataset, field, left, file
        self.tile: Shape | None = dataset.chunks

    def write(self, start: Shape, values: NDArray[Any]) -> None:
        """Write the cells of `values` to the box from `start`; raises OSError if the disk took not all."""
        if self.field.dtype is dt.bfloat16:  # opaque pairs of bytes, which are little-endian
            values = np.asarray(values, dt.bfloat16.np, order="C").view("V2")
        self.dataset[tuple([slice(a, a + n) for a, n in zip(start, values.shape, strict=True)])] = values
        self.file.check()

    def close(self) -> None:
        """Close the sink, and with the last one the file; raises OSError if the disk took not all."""
        self.left.pop()
        if not self.left:
            self.dataset.file.close()
            with self.file:
                self.file.check()


def open_hdf5(
    path: str, fields: Mapping[str, Field], *, chunks: Any = None, compression: Any = None, shuffle: bool = False
) -> Mapping[str, Sink]:
    """Create an HDF5 file with a dataset for every field; return the sinks by name.

    `chunks` (a shape, or True), `compression` and `shuffle` are h5py's.  Raises ValueRangeError for options and dtypes
    that h5py refuses, FileFormatError if h5py is not installed.
    """
    h5py = needed("h5py", "hdf5", "save", path, "writes this format")
    target = Patient(path)
    file = h5py.File(target, "w")
    left: list[str] = []
    sinks: dict[str, Sink] = {}
    try:
        for name, f in fields.items():
            if f.dtype.extended and f.dtype is not dt.bfloat16:
                raise TypeError(f"{f.dtype.name} is no type of the format; convert {name!r} with astype()")
            kind = np.dtype("V2") if f.dtype is dt.bfloat16 else f.numpy
            how = (
                {"chunks": chunks, "compression": compression, "shuffle": shuffle}
                if f.shape and 0 not in f.shape
                else {}
            )
            left.append(name)
            sinks[name] = Dataset(file.create_dataset(name, f.shape, kind, **how), f, left, target)
    except (ValueError, TypeError, OSError, RuntimeError) as e:
        file.close()
        target.close()
        raise ValueRangeError(f"save: {path}: h5py cannot make dataset {name!r}: {e!s:.150}; change the options") from e
    return sinks
