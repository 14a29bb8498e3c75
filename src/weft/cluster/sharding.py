"""Sharding: values, or expressions that make them, put on workers box by box.

The one idea: an expression can be computed again, so a lost part costs only its own computation.  Cells that only this
process has go to two workers each; if there is one worker, it reads them from a file.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Sequence
from functools import partial
from typing import Any
from weakref import finalize

import numpy as np

from weft.api.arguments import as_tensor
from weft.cluster.answers import answer
from weft.cluster.distribution import Distribution
from weft.cluster.partitions import BoxGrid
from weft.cluster.sharded_source import COPY
from weft.errors import ClusterError, ShapeError
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, copied
from weft.passes.fuse import is_stored
from weft.runtime.compute import stages
from weft.runtime.memory.limits import scratch_folder
from weft.sources.files import open_file
from weft.sources.stream.remote_executor import remote_executor
from weft.sources.write.save import save
from weft.tensors.place import cells as cells_of
from weft.tensors.tensor import Tensor, node_of, wrap


def sharded(x: Any, chunks: int | Sequence[int | None] | None) -> Tensor:
    """Return a tensor that workers hold, as `weft.cluster.shard` does.

    Raises ClusterError outside of `connect`, or if workers do not answer; ShapeError for chunks that do not fit.
    """
    to = remote_executor()
    if not isinstance(to, Distribution):
        raise ClusterError("shard: no cluster is connected; its workers hold shards; call it in a block of connect()")
    n = node_of(as_tensor(x))
    grid = _grid(chunks, n.desc.shape, to.worker_count)
    if not n.desc.size:
        return as_tensor(x)
    leaves = None if is_stored(n) else to.hold([n], grid)
    return wrap(copied(_scatter(n, grid, to) if leaves is None else leaves[0]))


def _grid(chunks: Any, shape: Shape, workers: int) -> BoxGrid:
    """Return the partition of a shape into boxes of `chunks`; raises ShapeError for chunks that do not fit.

    Without chunks, the first axis is cut into a part for each of `workers`.
    """
    if chunks is None:
        sizes: list[Any] = [-(-n // workers) if a == 0 else n for a, n in enumerate(shape)]
    else:
        sizes = [chunks] * len(shape) if isinstance(chunks, int) else list(chunks)
        sizes = [n if c is None else c for c, n in zip(sizes, shape, strict=False)] if len(sizes) == len(shape) else []
    if len(sizes) != len(shape) or not all(type(c) is int and c > 0 for c, n in zip(sizes, shape, strict=True) if n):
        fact = f"shard: chunks {chunks!r:.60} for shape {shape}; each axis has one number of cells from 1"
        raise ShapeError(f"{fact}; give a tuple of {len(shape)}, or one number")
    return BoxGrid(tuple([(*range(0, n, max(1, c)), n) for n, c in zip(shape, sizes, strict=True)]))


def _scatter(n: Node, grid: BoxGrid, cluster: Distribution) -> Node:
    """Send stored cells to workers, in the boxes of `grid`, and return the leaf of the sharded cells.

    Raises ClusterError if workers do not answer, WriteError if the scratch folder is full.
    """
    if len(cluster.workers) < 2:
        return _through_file(n, grid, cluster)
    stages.compute([n])
    cells = np.asarray(cells_of(n)).astype(n.desc.dtype.np, copy=False)
    name, workers = secrets.token_hex(16), [*cluster.workers]
    keys = [f"weft-shard-{name}-{k}" for k in range(grid.count)]
    parts = [[np.ascontiguousarray(cells[b.slices])] for b in grid.boxes]
    futures: dict[str, Any] = {}
    for k, at in enumerate(workers):
        own = dict(list(zip(keys, parts, strict=True))[k :: len(workers)])
        own |= {key + COPY: p for key, p in list(zip(keys, parts, strict=True))[(k - 1) % len(workers) :: len(workers)]}
        ask = partial(cluster.client.scatter, own, workers=[at], hash=False)
        futures |= answer(cluster.client, cluster.tasks.deadline, ask)
    (leaf,) = cluster.leaves([n], grid, keys)
    leaf.attrs[0].futures = list(futures.values())
    return leaf


def _through_file(n: Node, grid: BoxGrid, cluster: Distribution) -> Node:
    """Have the only worker read stored cells from a temporary file, and return the leaf of the sharded cells.

    Raises WriteError if the scratch folder is full or missing, ClusterError if the worker does not answer.
    """
    path = os.path.join(scratch_folder(), f"weft-shard-{secrets.token_hex(8)}.zarr")
    save(path, wrap(n))
    leaves = cluster.hold([node_of(open_file(path))], grid)
    assert leaves is not None
    finalize(leaves[0].attrs[0], shutil.rmtree, path, ignore_errors=True)
    return leaves[0]
