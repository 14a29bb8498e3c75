"""Sinks of HDF5: datasets written through h5py, into a file object on which no write fails.

The one idea: the library ends the process some time after a failed write, so it writes to an object that records the
failure (or Ctrl-C) for weft to raise, and keeps in memory the bytes that were not written to disk.  Cells of a new
dataset without chunks have fixed offsets, so they are written without the library, by several processes if need be.
Chunks that the library would encode on one thread are encoded here, on several, if their filters are known.
"""

from __future__ import annotations

import io
import os
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.backends.thread_sharing import share
from weft.errors import ValueRangeError
from weft.ir.graph.description import Shape
from weft.ir.pieces.box import Box, box_of
from weft.runtime.memory import allocator
from weft.runtime.signal_safe_threads import Background
from weft.settings import get_num_threads
from weft.sources.formats.cell_run import needed
from weft.sources.read.byte_ranges import LocalFile
from weft.sources.read.touched_boxes import by_chunk, chunk_box, inside
from weft.sources.write.atomic_write import NEW
from weft.sources.write.scratch_file import ScratchFile
from weft.sources.write.sink import ExistingArray, Field, FileSink, Sink, stored_cells, whole_chunk, write_at

PIECE = 8 << 20  # bytes copied at a time
COPIES = 5  # copies of a chunk that the library and its filters hold, including freed ones
OWN_COPIES = 3  # copies of a chunk that a thread which encodes it holds
DEFLATE, SHUFFLE = 1, 2  # the library's numbers of filters
NAME = "data"  # of a dataset that was given no name, as of a tensor saved alone


class DeferredErrorFile(io.RawIOBase):
    """A file object on which writes never fail: failures are recorded, unwritten bytes kept in memory."""

    def __init__(self, path: str, flags: int = NEW) -> None:
        self.failed: BaseException | None = None
        self.unwritten: list[tuple[int, bytes]] = []
        self.fd = LocalFile(-1)
        self.fd = LocalFile(os.open(path, flags, 0o666))
        self.at, self.size = 0, os.fstat(self.fd).st_size

    def readable(self) -> bool:
        """True: HDF5 reads its own bytes back."""
        return True

    writable = seekable = readable

    def seek(self, offset: int, whence: int = 0) -> int:
        """Set the position, counted from the start (`whence` 0), the position (1) or the end (2); return it."""
        self.at = (0, self.at, self.size)[whence] + offset
        return self.at

    def write(self, data: Any) -> int:
        """Write all of the bytes and return their number; bytes that the disk refuses are kept in memory."""
        part = memoryview(data).cast("B")
        try:
            if self.failed is None:
                write_at(self.fd, part, self.at)
        except BaseException as e:
            self.fail(e)
        if self.failed is not None:
            self.unwritten.append((self.at, bytes(part)))
        self.at += len(part)
        self.size = max(self.size, self.at)
        return len(part)

    def readinto(self, target: Any) -> int:
        """Fill `target` with the bytes from the position on, zeros after the end; return its length."""
        view = memoryview(target).cast("B")
        try:
            stored = self.fd.some(len(view), self.at)
        except BaseException as e:
            self.fail(e)
            stored = b""
        view[:] = stored.ljust(len(view), b"\0")
        for at, part in self.unwritten:
            first, end = max(at, self.at), min(at + len(part), self.at + len(view))
            if first < end:
                view[first - self.at : end - self.at] = part[first - at : end - at]
        self.at += len(view)
        return len(view)

    def truncate(self, size: int | None = None) -> int:
        """Set the length of the file (default: the position), and return it; not after a failure.

        An error of the disk is kept for `check`.
        """
        size = self.at if size is None else size
        try:
            if self.failed is None:
                os.ftruncate(self.fd, size)
        except BaseException as e:
            self.fail(e)
        self.size = size
        return size

    def fail(self, error: BaseException) -> None:
        """Record an error, unless one is recorded.

        Its traceback is dropped: the frames of h5py in it would keep the library's file open, which keeps this object.
        """
        self.failed = self.failed or error.with_traceback(None)

    def check(self) -> None:
        """Raise the error of the first write that failed, if any did."""
        if self.failed is not None:
            raise self.failed

    def close(self) -> None:
        """Close the file; the object accepts calls further on, since the library makes some after a failure."""
        fd, self.fd = self.fd, LocalFile(-1)
        if fd >= 0:
            os.close(fd)
        if self.failed is not None:
            self.failed = OSError("the file is closed")  # the error raised has a traceback by now


class RestorableFile(DeferredErrorFile):
    """An existing file opened for the library, whose original bytes can be restored."""

    def __init__(self, path: str) -> None:
        self.old = ScratchFile(0, "the old bytes of a file")
        super().__init__(path, os.O_RDWR)
        self.first_size, self.kept = self.size, list[tuple[int, int, int]]()  # (first, place in `old`, number) of bytes

    def write(self, data: Any) -> int:
        """Save the bytes that are about to be overwritten, then write; an error of the disk is kept for `check`."""
        self._keep(self.at, memoryview(data).nbytes)
        return super().write(data)

    def truncate(self, size: int | None = None) -> int:
        """Save the bytes after the new end, then set the length of the file."""
        end = self.at if size is None else size
        self._keep(end, max(self.first_size - end, 0))
        return super().truncate(size)

    def _keep(self, at: int, nbytes: int) -> None:
        end = min(at + nbytes, self.first_size)
        try:
            for first in range(at, end, PIECE):
                part = np.frombuffer(self.fd.some(min(PIECE, end - first), first), np.uint8)
                place = self.old.place(len(part))
                self.old.write(place, part)
                self.kept.append((first, place, len(part)))
        except BaseException as e:
            self.fail(e)

    def restore(self) -> None:
        """Restore the original bytes; raises OSError or WriteError if that fails."""
        for first, place, n in reversed(self.kept):
            part = np.empty(n, np.uint8)
            self.old.read(place, part)
            write_at(self.fd, memoryview(part), first)
        os.ftruncate(self.fd, self.first_size)
        os.fsync(self.fd)

    def close(self) -> None:
        """Close the file, and the saved bytes."""
        self.old.close()
        super().close()


class Dataset(Sink):
    """The sink of a dataset, through h5py; the last sink to close closes the file."""

    def __init__(self, dataset: Any, field: Field, left: list[str], file: DeferredErrorFile) -> None:
        self.dataset, self.field, self.left, self.file = dataset, field, left, file
        self.tile = dataset.chunks
        self.encode = _encoder(dataset, field) if self.tile else None
        self.concurrent = self.encode is not None
        copies = OWN_COPIES * get_num_threads() if self.concurrent else COPIES
        self.own_bytes = copies * prod(self.tile or (0,)) * field.dtype.itemsize

    def write(self, start: Shape, values: NDArray[Any]) -> None:
        """Write `values` to the box that begins at `start`; raises OSError if the disk refused bytes."""
        parts = by_chunk([box_of(values.shape, start)], self.tile) if self.concurrent else {}
        if parts and all(part == chunk_box(k, self.tile, self.field.shape) for k, (part,) in parts.items()):
            share(parts.values(), lambda found: self._write_chunk(found[0], start, values), values.nbytes)
        else:
            if self.field.dtype is dt.bfloat16:  # opaque pairs of bytes, which are little-endian
                values = np.asarray(values, dt.bfloat16.np, order="C").view("V2")
            key = tuple([slice(a, a + n) for a, n in zip(start, values.shape, strict=True)])
            _called(self.dataset.__setitem__, key, values)
        self.file.check()

    def _write_chunk(self, box: Box, start: Shape, values: NDArray[Any]) -> None:
        """Encode and write the chunk at `box`, of the cells `values` that begin at `start`."""
        cells = whole_chunk(values[inside(box, start).slices], self.tile)
        big = self.field.big and self.field.dtype is not dt.bfloat16
        data = self.encode(stored_cells(cells, self.field.dtype, big))
        _called(self.dataset.id.write_direct_chunk, box.start, data)

    def close(self) -> None:
        """Close the sink, and with the last sink the file; raises OSError if the disk refused bytes."""
        self.left.pop()
        if not self.left:
            _close_all([self.dataset.file], self.file)


def _encoder(dataset: Any, field: Field) -> Callable[[NDArray[np.uint8]], Any] | None:
    """Return a function that encodes the bytes of a chunk as a dataset's filters do. None if only the library can.

    None for other filters than shuffle and deflate, cells that are converted on the way, and fill values other than 0.
    """
    from h5py import h5t

    plan = dataset.id.get_create_plist()
    filters = [plan.get_filter(k) for k in range(plan.get_nfilters())]
    kind = h5t.py_create(_kind(field), logical=True)
    is_zero = not any(np.asarray(dataset.fillvalue).tobytes())
    if {f[0] for f in filters} - {DEFLATE, SHUFFLE} or not is_zero or not dataset.id.get_type().equal(kind):
        return None
    return partial(_encoded, [(f[0], f[2][0]) for f in filters])


def _encoded(filters: Sequence[tuple[int, int]], data: NDArray[np.uint8]) -> Any:
    """Return the bytes of a chunk after filters, given as (number, size of a cell or level of compression)."""
    found: Any = data
    for number, parameter in filters:
        if number == DEFLATE:
            found = zlib.compress(found, parameter)
        else:  # first bytes of all cells, second bytes, ...
            cells = np.frombuffer(found, np.uint8).reshape(-1, parameter)
            found = allocator.contiguous(cells.T).reshape(-1)
    return found


def _kind(field: Field) -> np.dtype[Any]:
    """Return the NumPy dtype of the cells of a dataset: bfloat16 is stored as opaque pairs of bytes."""
    return np.dtype("V2") if field.dtype is dt.bfloat16 else field.numpy


def _called(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Return the result of a function of the library, called on another thread.

    Ctrl-C, which Python raises on the main thread, could end a call of the file object there, and the process with it.
    """
    if threading.current_thread() is not threading.main_thread():
        return function(*arguments, **options)
    job = Background(partial(function, *arguments, **options))
    try:
        job.start()
        return job.result()
    finally:
        job.settle()


def _close_all(files: list[Any], target: DeferredErrorFile) -> None:
    """Close the files of the library, then the object they write to; raises OSError if the disk refused bytes."""
    with target:
        _close_library(files)
        target.check()


def _close_library(files: list[Any]) -> None:
    """Close the files of the library; raises its errors, and Ctrl-C afterwards."""
    for file in files:
        try:
            _called(file.close)
        finally:
            file.close()  # if Ctrl-C was first


def open_hdf5(
    path: str, fields: Mapping[str, Field], *, chunks: Any = None, compression: Any = None, shuffle: bool = False,
    maxshape: Any = None,
) -> Mapping[str, Sink]:  # fmt: skip
    """Create an HDF5 file with a dataset for every field; return the sinks by name.

    `chunks` (a shape, or True), `compression`, `shuffle` and `maxshape` are h5py's.  Raises ValueRangeError for options
    and dtypes that h5py refuses, FileFormatError if h5py is not installed, OSError if the file cannot be written.
    """
    h5py = needed("h5py", "hdf5", "save", path, "writes this format")
    target = DeferredErrorFile(path)
    files: list[Any] = []
    left: list[str] = []
    sinks: dict[str, Sink] = {}
    try:
        _called(lambda: files.append(h5py.File(target, "w")))
        for name, f in fields.items():
            if f.dtype.extended and f.dtype is not dt.bfloat16:
                raise TypeError(f"{f.dtype.name} is no type of the format; convert {name!r} with astype()")
            how = (
                {"chunks": chunks, "compression": compression, "shuffle": shuffle, "maxshape": maxshape}
                if f.shape and 0 not in f.shape
                else {}
            )
            layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            if how and not any(how.values()):  # cells in one run, whose place is to be known at once
                layout.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
                layout.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
            dataset = _called(files[0].create_dataset, name, f.shape, _kind(f), dcpl=layout, **how)
            if dataset.chunks is None and how:
                big = f.big and f.dtype is not dt.bfloat16  # whose opaque pairs of bytes are little-endian
                sinks[name] = FileSink(path, dataset.id.get_offset(), f.dtype, big, f.shape, is_new=False)
            else:
                left.append(name)
                sinks[name] = Dataset(dataset, f, left, target)
        if not left:
            _close_all(files, target)
    except BaseException as e:
        with suppress(Exception):
            _close_all(files, target)
        refused = files and isinstance(e, (ValueError, TypeError, OSError, RuntimeError, OverflowError))
        if not refused or (isinstance(e, OSError) and e.errno is not None):
            raise
        raise ValueRangeError(f"save: {path}: h5py cannot make dataset {name!r}: {e!s:.150}; change the options") from e
    return sinks


@contextmanager
def updated_hdf5(path: str, arrays: Mapping[str, ExistingArray]) -> Iterator[Mapping[str, Sink]]:
    """Yield sinks of existing datasets by name; after an error the file's old bytes are restored.

    Raises ValueRangeError for datasets that cannot grow, FileFormatError if h5py is not installed, OSError if the disk
    refuses bytes.
    """
    h5py = needed("h5py", "hdf5", "save", path, "writes this format")
    target = RestorableFile(path)
    files: list[Any] = []
    try:
        try:
            try:
                _called(lambda: files.append(h5py.File(target, "r+")))
                yield {n: _called(_existing_dataset, path, files[0], n, array, target) for n, array in arrays.items()}
            finally:
                with suppress(Exception):  # the library may fail after a failed write, which `check` raises
                    _close_library(files)
            target.check()
            os.fsync(target.fd)
        except BaseException as e:
            target.failed = target.failed or e  # so that the library, which may write once more, changes nothing
            target.restore()
        target.check()
    finally:
        target.close()


def _existing_dataset(path: str, file: Any, name: str, array: ExistingArray, target: DeferredErrorFile) -> Dataset:
    """Return the sink of dataset `name` in an opened file, resized first if it is appended to.

    `target` is the file object that the library writes to, `path` the name in messages. Raises ValueRangeError if the
    dataset cannot grow to the new shape.
    """
    dataset, source = file[name], array.source
    if array.axis is not None:
        most = dataset.maxshape[array.axis]
        if dataset.chunks is None or (most is not None and most < array.shape[array.axis]):
            fact = f"dataset {name!r} of shape {dataset.shape} may grow to {dataset.maxshape}, {array.shape} are wanted"
            raise ValueRangeError(f"save: {path}: {fact}; save it anew with maxshape=")
        dataset.resize(array.shape)
    return Dataset(dataset, Field(source.dtype, source.big, array.shape), [], target)
