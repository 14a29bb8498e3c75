"""The programs in dask.array (threads), over zarr and h5py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask
import dask.array
import h5py
import numpy as np
import zarr

from benchmarks.larger.with_numpy import neighbours

xp = dask.array
PIECE = 1 << 23  # bytes of a chunk of a plain file


def set_up(threads: int, limit: str) -> None:
    """So many threads; dask knows no limit of memory."""
    dask.config.set(scheduler="threads", num_workers=threads)


def opened(paths: list[Path]) -> dask.array.Array:
    """The array of the files, joined along axis 0."""
    parts = [_opened(path) for path in paths]
    return parts[0] if len(parts) == 1 else dask.array.concatenate(parts)


def _opened(path: Path) -> dask.array.Array:
    if path.suffix == ".zarr":
        return dask.array.from_zarr(str(path))
    if path.suffix == ".h5":
        held = h5py.File(path, "r")["x"]
        return dask.array.from_array(held, chunks=held.chunks)
    plain = np.load(path, mmap_mode="r")
    rows = max(1, PIECE * plain.shape[0] // plain.nbytes)
    return dask.array.from_array(plain, chunks=(rows, *plain.shape[1:]))


def values(xs: tuple[Any, ...]) -> list[np.ndarray]:
    """The cells of expressions, computed together."""
    return [np.asarray(x) for x in dask.compute(*xs)]


def saved(path: Path, x: Any, chunks: tuple[int, ...]) -> None:
    """Write an expression to a new file."""
    if path.suffix == ".npy":
        plain = np.lib.format.open_memmap(path, "w+", np.float32, x.shape)
        dask.array.store(x, plain, lock=False)
        plain.flush()
    elif path.suffix == ".zarr":
        codec = zarr.codecs.ZstdCodec(level=0)
        made = zarr.create_array(str(path), shape=x.shape, chunks=chunks, dtype="float32", compressors=codec)
        dask.array.store(x.rechunk(chunks), made, lock=False)
    else:
        with h5py.File(path, "w") as file:
            made = file.create_dataset("x", x.shape, "f4", chunks=chunks, compression="lzf")
            dask.array.store(x.rechunk(chunks), made)


def topk(x: Any, k: int) -> Any:
    """The k greatest along axis 0, in falling order."""
    return dask.array.topk(x, k, axis=0)


def stencil(x: Any) -> Any:
    """Means of the four neighbours on a torus."""

    def function(block: np.ndarray) -> np.ndarray:
        return np.pad(neighbours(block), 1)  # the overlap is trimmed

    return dask.array.map_overlap(function, x, depth=1, boundary="periodic", dtype=x.dtype)
