"""Tensors as dask arrays, block by block.

The one idea: a block is a slice of the tensor, computed when dask needs it, in dask's thread.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import numpy as np

from weft.runtime.fork_safety import importing
from weft.runtime.memory.limits import granted
from weft.tensors.tensor import Tensor, array_of, node_of

SHARE = 16  # blocks of "auto" take at most 1 / SHARE of a memory limit, since several threads compute them


class BlockSource:
    """A wrapper of a tensor that dask slices: its blocks are NumPy arrays."""

    def __init__(self, x: Tensor) -> None:
        self.x, self.shape, self.ndim, self.dtype = x, x.shape, x.ndim, node_of(x).desc.dtype.np

    def __getitem__(self, key: Any) -> np.ndarray:
        return array_of(self.x[key])  # type: ignore[index]


def to_dask(self: Tensor, chunks: Any = None) -> Any:
    """Return a dask array of the tensor's values. Each block is a slice of the tensor, computed when dask needs it.

    chunks: the shape of a block as in dask (an integer, a tuple, "auto"); None: the tensor's `chunks`, or "auto"
    without them.  Where a memory limit is set, blocks of "auto" take at most a sixteenth of it.  Blocks are NumPy
    arrays; dask's threads may compute several at a time. The tensor must not be written meanwhile. Raises
    ModuleNotFoundError if dask is not installed.

    >>> import weft
    >>> weft.arange(6).to_dask(chunks=4).chunks  # doctest: +SKIP
    ((4, 2),)
    """
    source = BlockSource(self)
    wanted = chunks if chunks is not None else self.chunks or "auto"  # type: ignore[attr-defined]
    meta = np.empty((0,) * source.ndim, source.dtype)
    array, limit = _dask_array(), granted()
    if limit is not None:
        wanted = array.core.normalize_chunks(wanted, source.shape, max(limit // SHARE, 1), source.dtype)
    return array.from_array(source, chunks=wanted, name=f"weft-{uuid4().hex}", meta=meta)


def _dask_array() -> Any:
    """Return the module dask.array; raises ModuleNotFoundError with the package to install."""
    try:
        with importing():
            import dask.array
    except ImportError as e:
        fact = "to_dask: dask is not installed; it computes the blocks; pip install 'dask[array]'"
        raise ModuleNotFoundError(fact, name="dask") from e
    return dask.array


def token(x: Tensor) -> Any:
    """Return a new identity token of a tensor for dask's caches, without computing values."""
    return f"weft-{uuid4().hex}"
