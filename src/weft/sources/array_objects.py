"""Arrays of other libraries as sources: they are sliced when a program reads their cells.

The one idea: an object with `shape`, `dtype`, `chunks` and `__getitem__` reads itself.  For an object of zarr or h5py
over a local store, weft's own source of that store is used.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.dtypes import from_numpy
from weft.errors import DTypeError, FileFormatError, ShapeError, WeftError
from weft.runtime.compute.engine import SourceRead
from weft.runtime.fork_safety import late_import, own_lock
from weft.runtime.memory import allocator
from weft.sources.formats.cell_run import MAX_BYTES, NoSuchArray
from weft.sources.formats.hdf5 import open_hdf5
from weft.sources.read.loading import open_source
from weft.sources.read.touched_boxes import Box, by_chunk, cells, chunk_box, hull
from weft.sources.source import AnySource, storage_dtype, unplaced
from weft.sources.zarr.zarr_array import open_zarr
from weft.tensors.tensor import Tensor

LARGE = 16 << 20  # bytes of a dask array from which it may be computed block by block
RECOMPUTED = 4  # most times that blocks of dask may repeat work: blocks of windows share little, of a mean nearly all
FEW = 64  # most boxes of an unchunked array that are sliced singly; beyond, their hull is read


def of_object(obj: Any) -> Tensor:
    """Return a tensor over a chunked array of another library; cells are read when they are needed.

    Raises DTypeError and ShapeError for cells or sizes that weft does not support, FileFormatError for an array of zarr
    or h5py whose file is damaged.
    """
    return open_source(_own_source(obj) or _source(obj, _chunk_of(obj)))


def of_xarray(obj: Any) -> Any:
    """Return the array inside an xarray object, or a lazy tensor if its values are not in memory yet.

    Raises DTypeError and ShapeError for cells or sizes that weft does not support.
    """
    variable = getattr(obj, "variable", obj)
    if variable.chunks is not None or getattr(variable, "_in_memory", True):
        return variable.data
    found = variable.encoding.get("chunks") or variable.encoding.get("chunksizes")
    return open_source(_source(variable, found if found and len(found) == variable.ndim else None))


def _source(obj: Any, chunks: Sequence[int] | None) -> ArrayObject:
    """Return an object as a source; blocks of a dask array that share much work are computed together.

    `chunks` are the object's, None without chunks. Raises DTypeError and ShapeError for cells or sizes that weft lacks.
    """
    if _is_of_dask(obj):
        found = ArrayObject(obj, chunks)
        return DaskArray(obj, chunks) if found.is_large and _is_cheap_in_blocks(found) else found
    return SlicedArray(obj, chunks)


class ArrayObject:
    """An array of another library as a source (protocol `Gathering`) that reads boxes by slicing it."""

    def __init__(self, obj: Any, chunks: Sequence[int] | None = None) -> None:
        self.obj, self.name, self.order = obj, _name_of(obj), "C"
        try:
            self.dtype, byteorder = from_numpy(np.dtype(obj.dtype))
        except TypeError as e:
            fact = f"asarray: {self.name}: has dtype {obj.dtype!s:.80}"
            raise DTypeError(f"{fact}; weft holds bool, integers, floats and complex numbers; convert it") from e
        self.big, self.shape = byteorder == "big", _shape_of(self.name, obj.shape, self.dtype.itemsize)
        self.chunks = None if chunks is None else tuple([max(1, int(n)) for n in chunks])

    def __repr__(self) -> str:
        return f"<{self.name}: {self.dtype.name}{list(self.shape)}, chunks {self.chunks}>"

    @property
    def is_large(self) -> bool:
        """True if the cells take more than 16 MiB."""
        return prod(self.shape) * self.dtype.itemsize > LARGE

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Slice the object, and copy the boxes' cells to the same positions of `target`.

        Blocks of dask are computed once.  Raises FileFormatError if slicing fails, or returns another shape or dtype
        than promised.
        """
        with self._slicing():
            pieces = self._pieces(boxes)
            found = [self.obj[b.slices[:-1]] for b in pieces]
            for b, made in zip(pieces, _computed(found), strict=True):
                target[b.slices] = self._checked(b, made)

    @contextmanager
    def _slicing(self) -> Iterator[None]:
        """Convert errors of the object's library within the block to FileFormatError."""
        try:
            yield
        except WeftError:
            raise
        except Exception as e:  # whatever the object's library raises
            fact = f"read: {self.name}: slicing raises {type(e).__name__}: {e!s:.200}"
            raise FileFormatError(f"{fact}; no values can be read; keep what it reads open, or mend it") from e

    def fetched(self, boxes: Sequence[Box]) -> SourceRead:
        """Return the bytes and slices of `gather` as a SourceRead; the bytes that the object reads are unknown."""
        pieces = self._pieces(boxes)
        return unplaced(self, cells(pieces), len(pieces))

    def _pieces(self, boxes: Sequence[Box]) -> list[Box]:
        """Return contiguous boxes to slice that contain the boxes; several or strided boxes are cut at chunks."""
        plain = all(s == 1 or n == 1 for b in boxes for s, n in zip(b.step, b.size, strict=True))
        if self.chunks is not None and not (plain and len(boxes) == 1):
            return [hull(parts) for parts in by_chunk(boxes, self.chunks).values()]
        return [hull([b]) for b in boxes] if len(boxes) <= FEW else [hull(boxes)]

    def _checked(self, box: Box, made: Any) -> NDArray[Any]:
        """Return sliced cells as an array; raises FileFormatError for another shape or dtype, or for missing cells."""
        if np.ma.is_masked(made):
            fact = f"read: {self.name}: {np.ma.count_masked(made)} cells are masked"
            raise FileFormatError(f"{fact}; they have no value; give an array whose missing cells are filled")
        found = np.asarray(made)
        if found.shape != box.size or from_numpy(found.dtype)[0] is not self.dtype:
            fact = f"read: {self.name}: a slice of shape {box.size} is {found.dtype}{list(found.shape)}"
            raise FileFormatError(f"{fact}; {self.dtype.name}{list(box.size)} was promised; mend the object")
        return found


class SlicedArray(ArrayObject):
    """An array of another library, of which one thread at a time slices a box or chunk."""

    def __init__(self, obj: Any, chunks: Sequence[int] | None = None) -> None:
        super().__init__(obj, chunks)
        self.lock = own_lock()  # few objects can be sliced by several threads

    def read_box(self, box: Box) -> NDArray[Any]:
        """Return the cells of a box; raises FileFormatError if slicing fails or breaks the promised dtype or shape."""
        found = allocator.empty(storage_dtype(self), box.size)
        with self.lock, self._slicing():
            found[...] = self._checked(box, self.obj[box.slices[:-1]])
        return found

    def block(self, index: tuple[int, ...]) -> NDArray[Any]:
        """Return the cells of a chunk, by its index in the grid; raises FileFormatError as `read_box` does."""
        assert self.chunks is not None
        return self.read_box(chunk_box(index, self.chunks, self.shape))


class DaskArray(ArrayObject):
    """A dask array whose blocks are computed a few at a time; work that blocks share is then repeated."""

    at_least = 16 << 20  # bytes of blocks that are computed at a time, which dask does on its threads

    def block(self, index: tuple[int, ...]) -> NDArray[Any]:
        """Return the cells of a block, by its index in the grid; raises FileFormatError as `gather` does."""
        assert self.chunks is not None
        return self.blocks(chunk_box(index, self.chunks, self.shape))

    def blocks(self, box: Box) -> NDArray[Any]:
        """Return the cells of a box of whole blocks; raises FileFormatError as `gather` does."""
        found = allocator.empty(storage_dtype(self), box.size)
        with self._slicing():
            (made,) = _computed([self.obj[box.slices[:-1]]])
            found[...] = self._checked(box, made)
        return found


def _is_of_dask(obj: Any) -> bool:
    """True if an object is an array of dask. Variables of xarray speak its protocol, too, but are no such arrays."""
    return hasattr(obj, "__dask_graph__") and getattr(obj, "chunks", None) is not None


def _is_cheap_in_blocks(source: ArrayObject) -> bool:
    """True if computing a dask array by blocks needs at most RECOMPUTED times the tasks of the whole.

    Raises FileFormatError if dask's graph cannot be built.
    """
    if source.chunks is None:
        return False
    dask = late_import("dask")
    grid = [-(-n // c) for n, c in zip(source.shape, source.chunks, strict=True)]
    middle = chunk_box([n // 2 for n in grid], source.chunks, source.shape)
    with source._slicing():
        part, whole = (len(dask.optimize(x)[0].__dask_graph__()) for x in (source.obj[middle.slices[:-1]], source.obj))
    return part * prod(grid) <= RECOMPUTED * whole


def _computed(slices: list[Any]) -> Sequence[Any]:
    """Return slices, after computing those of dask together, so that shared blocks are computed once."""
    if not slices or not _is_of_dask(slices[0]):
        return slices
    made: Sequence[Any] = late_import("dask").compute(*slices)
    return made


def _name_of(obj: Any) -> str:
    """Return the name of an object for messages: its library, its type and its own name."""
    kind = type(obj)
    own = getattr(obj, "name", None)
    return f"{kind.__module__.partition('.')[0]}.{kind.__name__}" + (f" {own:.60}" if isinstance(own, str) else "")


def _shape_of(name: str, shape: Sequence[Any], itemsize: int) -> tuple[int, ...]:
    """Return the sizes of an object as integers; raises ShapeError if they are unknown or exceed MAX_BYTES."""
    if not all(n == n and int(n) == n and n >= 0 for n in shape):
        fact = f"asarray: {name}: has shape {tuple(shape)}"
        raise ShapeError(f"{fact}; its sizes are unknown; compute them first, as with compute_chunk_sizes()")
    found = tuple([int(n) for n in shape])
    if prod(max(n, 1) for n in found) * itemsize > MAX_BYTES:
        raise ShapeError(f"asarray: {name}: has shape {found}; no memory holds so many cells; give a part of it")
    return found


def _chunk_of(obj: Any) -> tuple[int, ...] | None:
    """Return the shape of an object's chunks, the largest where sizes differ; None if it has none."""
    chunks = obj.chunks
    if not isinstance(chunks, (tuple, list)) or len(chunks) != len(obj.shape):
        return None
    return tuple([max(n, default=1) if isinstance(n, (tuple, list)) else n for n in chunks])


# ---- stores that weft reads itself


def _own_source(obj: Any) -> AnySource | None:
    """Return weft's own source for the cells of a zarr or h5py object; None if weft cannot read its store.

    Raises FileFormatError if the store is damaged.
    """
    try:
        if (folder := _zarr_folder(obj)) is not None:
            return open_zarr(folder)
        if (found := _hdf5_dataset(obj)) is not None:
            return open_hdf5(*found)
    except (FileFormatError, NoSuchArray):
        pass
    return None


def _zarr_folder(obj: Any) -> str | None:
    """Return the folder of a zarr array; None if its store is no local folder."""
    if not type(obj).__module__.startswith("zarr."):
        return None
    store = obj.store
    return os.path.normpath(os.path.join(store.root, obj.path)) if type(store).__name__ == "LocalStore" else None


def _hdf5_dataset(obj: Any) -> tuple[str, str] | None:
    """Return (path, name) of an h5py dataset; None if its file is open for writing in this process."""
    if not type(obj).__module__.startswith("h5py."):
        return None
    file = obj.file
    plain = file.driver == "sec2" and file.mode == "r" and not file.swmr_mode
    return (file.filename, obj.name.strip("/")) if plain and obj.name else None
