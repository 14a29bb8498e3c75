"""Sorts of one line that is larger than memory.

The one idea: the readers of a sort tell by views and index arrays which ranks they need.  A few cells are found without
sorting (`order_statistics`), and attached to the readers; for many, the sort becomes a scratch file that returns its
cells chunk by chunk (`sorted_cells`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from weft.ir.atoms import selections as se
from weft.ir.graph.description import c_strides, describe
from weft.ir.graph.node import Node, copied, file_leaf
from weft.ir.graph.ops import SORTS
from weft.passes.fuse import below, is_stored
from weft.runtime.compute import engine, stages
from weft.sources.stream.kept_cells import Positions
from weft.sources.stream.order_statistics import (
    Run,
    at_ranks,
    ranges_of,
)
from weft.sources.stream.sort_keys import Keys, has_keys
from weft.sources.stream.sorted_cells import MOST_CHUNKS, Buckets, SortedCells
from weft.sources.stream.sweep import TileConsumer
from weft.tensors.place import cells as cells_of

MOST_RANKS = 4096  # most cells of a sort that are searched singly
COPIES = 4  # a sort in memory takes so many times the bytes of its cells
CHUNKS = 16  # chunks that the memory limit would hold: a thread that sorts a chunk needs several times its bytes
LEAST_CHUNK = 64  # cells of a chunk at least


def is_large_sort(n: Node, limit: int) -> bool:
    """True if a node is a sort or argsort of one line that takes over `limit` bytes in memory."""
    if n.op.name not in SORTS or not has_keys(n.inputs[0].desc.dtype):
        return False
    return n.desc.size == n.desc.shape[n.attrs[0]] and COPIES * n.inputs[0].desc.nbytes > limit


def readers_of(n: Node, nodes: Sequence[Node]) -> list[Node] | None:
    """Return the views of sort n, and takes from it, that nodes need; None if they need too many cells."""
    found = parts_read_of(n, nodes)
    return found if found is not None and sum([i.desc.size for i in found]) <= MOST_RANKS else None


def parts_read_of(n: Node, nodes: Sequence[Node]) -> list[Node] | None:
    """Return the views of sort n, and takes from it, that nodes need; None if they need it whole."""
    found: dict[int, Node] = {}
    for reader in below(nodes):
        if _is_part(reader, n) or is_stored(reader):
            continue
        if reader.op.name == "gather" and reader.inputs[0] is n and len(reader.attrs[0]) == n.desc.ndim:
            found[id(reader)] = reader
        elif any(i is n for i in reader.inputs):
            return None
        else:
            found.update([(id(i), i) for i in reader.inputs if _is_part(i, n)])
    found.update([(id(i), i) for i in nodes if _is_part(i, n)])
    return None if any(i is n for i in nodes) else list(found.values())


def _is_part(n: Node, root: Node) -> bool:
    """True if n is a view of node `root` and has no value of its own."""
    return n.value is None and n.alias is not None and n.alias[0] is root


def publish_readers(n: Node, readers: Sequence[Node], room: int, run: Run) -> None:
    """Compute the readers of a sort of one line by searching for their cells, without sorting.

    `run` runs the sweep of a consumer; candidate cells take up to `room` bytes. Raises the errors of `run`.
    """
    asked = [_ranks(r, n) for r in readers]
    ranks = np.unique(np.concatenate([r.reshape(-1) for r in asked]))
    found = at_ranks(row_major(n.inputs[0]), ranks, n.attrs[1], n.op.name == "argsort", room, run)
    for reader, wanted in zip(readers, asked, strict=True):
        engine.publish(reader, np.asarray(found[np.searchsorted(ranks, wanted)]))


def sort_externally(n: Node, limit: int, run: Callable[[TileConsumer], None]) -> None:
    """Sort one line into a scratch file, and replace sort n by a copy of the file's cells.

    `limit` is the memory limit in bytes; `run` runs the sweep of a consumer. Raises WriteError if the scratch folder is
    full, and the errors of `run`.
    """
    x, size = row_major(n.inputs[0]), n.desc.size
    keys = Keys(x.desc.dtype, n.attrs[1])
    chunk = max(LEAST_CHUNK, limit // (CHUNKS * x.desc.dtype.itemsize), size // MOST_CHUNKS + 1)
    cuts = np.append(np.arange(0, size, chunk), size)
    ranges = ranges_of(x, keys, cuts[1:-1], limit // 8, run, lambda r: r.counts.max() <= chunk // 4)
    run(buckets := Buckets(x, keys, ranges, n.op.name == "argsort"))
    source = SortedCells(buckets, cuts, n.desc.dtype, chunk)
    strides = c_strides(source.shape, source.dtype.itemsize)
    cells = copied(file_leaf(source, describe(source.dtype, source.shape, strides, False, None, True)))
    engine.redefine(n, cells if n.desc.ndim == 1 else se.reshape(cells, n.desc.shape))


def _ranks(reader: Node, n: Node) -> Positions:
    """Return the flat positions of the sort that a reader reads, in the reader's shape."""
    if reader.op.name == "gather":
        tables = reader.inputs[1:]
        stages.compute(tables)
        at = np.broadcast_arrays(*[cells_of(t) for t in tables])
        return np.asarray(np.ravel_multi_index(at, n.desc.shape), np.int64)
    d = reader.desc
    assert reader.alias is not None and d.strides is not None
    steps = np.zeros(d.shape, np.int64)
    for a, (size, stride) in enumerate(zip(d.shape, d.strides, strict=True)):
        steps += (np.arange(size) * stride).reshape([-1 if b == a else 1 for b in range(d.ndim)])
    return (reader.alias[1] + steps) // n.desc.dtype.itemsize


def row_major(x: Node) -> Node:
    """Return the node below reshapes of x that has the same cells in the same row-major order."""
    while x.value is None and (_keeps_order(x)):
        x = x.inputs[0]
    return x


def _keeps_order(x: Node) -> bool:
    if x.op.name == "permute":
        return x.attrs[0] == tuple(range(x.desc.ndim))
    return x.op.name in ("reshape", "expand_dims", "squeeze") and prod(x.desc.shape) == x.inputs[0].desc.size
