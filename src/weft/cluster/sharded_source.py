"""Cells that workers hold, as a source: a sharded tensor is an expression over it like any other.

The one idea: a reader names the boxes it needs, and each holder answers with exactly these cells.  So narrowing
selections are evaluated where the cells lie, and repetitions of cells where they are used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple, Protocol
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.cluster.partitions import BoxGrid
from weft.ir.graph.node import Node, file_leaf, result
from weft.ir.pieces.box import Box, box_of, box_of_runs
from weft.runtime.compute.engine import SourceRead
from weft.runtime.memory import allocator
from weft.sources.read.extents import ReadCost
from weft.sources.read.loading import look_for_sources
from weft.sources.read.touched_boxes import spans

Key = str  # the key of a Dask task, whose result is a list of arrays
COPY = "-copy"  # suffix of the key of a copy on a second worker


class HeldBox(NamedTuple):
    """A box of an array in a task's result: key of the task, number of the array, box."""

    key: Key
    number: int
    box: Box


class Link(Protocol):
    """The connection of this process to the workers that hold cells."""

    def holders(self, keys: Sequence[Key]) -> dict[Key, list[str]]:
        """Return the known addresses of the workers that hold the results of tasks."""

    def forget(self, keys: Sequence[Key]) -> None:
        """Forget the holders of results that are no longer needed: who makes them again may hold them elsewhere."""

    def here(self, held: HeldBox) -> NDArray[Any] | None:
        """Return the cells of a box that this process holds; None if it does not."""

    def read(self, boxes: Sequence[HeldBox], targets: Sequence[NDArray[Any]]) -> None:
        """Read the cells of boxes into arrays; raises ClusterError if no worker has them, or none answers in time."""


class NoLink:
    """The link of a forecast to values that workers would hold (`Link`)."""

    def holders(self, keys: Sequence[Key]) -> dict[Key, list[str]]:
        """Return no holders, as nothing was made."""
        return {}

    def forget(self, keys: Sequence[Key]) -> None:
        """Do nothing, as nothing was made."""

    def here(self, held: HeldBox) -> None:
        """Return None, as nothing was made."""

    def read(self, boxes: Sequence[HeldBox], targets: Sequence[NDArray[Any]]) -> None:
        """Raise AssertionError, as a forecast reads nothing."""
        raise AssertionError("internal: a forecast reads cells of workers; please report it")


class ShardedSource:
    """The cells of one value in the results of tasks, each a box of a grid (protocol `Gathering`).

    `futures` keep the results alive as long as this source is in use.
    """

    order, big = "C", False
    cost = ReadCost(1e-9, 1e9)  # a run of cells costs only its bytes

    def __init__(self, dtype: dt.DType, grid: BoxGrid, keys: Sequence[Key], number: int, link: Link) -> None:
        self.dtype, self.grid, self.keys, self.number, self.link = dtype, grid, tuple(keys), number, link
        self.shape = tuple([ends[-1] for ends in grid.ends])
        self.name = f"shards of {self.shape} on workers"
        self.futures: Sequence[Any] = ()
        finalize(self, link.forget, self.keys)

    def __repr__(self) -> str:
        return f"<{len(self.keys)} shards: {self.dtype.name}{list(self.shape)}>"

    def declaration(self) -> dict[str, Any]:
        """Return the data that another process needs to read the cells."""
        ends = [list(e) for e in self.grid.ends]
        return {"dtype": self.dtype.name, "ends": ends, "keys": list(self.keys), "number": self.number}

    @property
    def holders(self) -> dict[Key, list[str]]:
        """Return the addresses of the workers that hold each shard."""
        return self.link.holders(self.keys)

    def parts(self, boxes: Sequence[Box]) -> Iterator[tuple[HeldBox, Box]]:
        """Yield the parts of boxes by shard, as (box within the shard, box within the whole)."""
        for box in boxes:
            along = [list(spans(run, ends)) for run, ends in zip(box.runs, self.grid.ends, strict=True)]
            for at in product(*along):
                k = 0
                for (index, _, _), ends in zip(at, self.grid.ends, strict=True):
                    k = k * (len(ends) - 1) + index
                inner, outer = box_of_runs([a[1] for a in at]), box_of_runs([a[2] for a in at])
                yield HeldBox(self.keys[k], self.number, inner), outer

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the cells of the boxes into the same positions of `target`.

        Raises ClusterError if no worker has them, or none answers in time.
        """
        wanted = list(self.parts(list(dict.fromkeys(boxes))))
        self.link.read([held for held, _ in wanted], [target[outer.slices] for _, outer in wanted])

    def read_box(self, box: Box) -> NDArray[Any]:
        """Return the cells of a box; raises ClusterError if no worker has them, or none answers in time."""
        wanted = list(self.parts([box]))
        if len(wanted) == 1 and (known := self.link.here(wanted[0][0])) is not None:
            return known
        cells, targets = allocator.empty(self.dtype.np, box.size), []
        for _, outer in wanted:
            at = [((a - b) // s, 1, n) for (a, _, n), (b, s, _) in zip(outer.runs, box.runs, strict=True)]
            targets.append(cells[box_of_runs(at).slices])
        self.link.read([held for held, _ in wanted], targets)
        return cells

    def fetched(self, boxes: Sequence[Box]) -> SourceRead:
        """Return a SourceRead with the bytes of `gather`, by the workers that send them."""
        taken = self.bytes_by_holder(boxes)
        nothing = np.empty((0, 2), np.int64)
        return SourceRead(self.name, sum(taken.values()), len(taken), nothing, links=tuple(taken.items()))

    def bytes_by_holder(self, boxes: Sequence[Box]) -> dict[str, int]:
        """Return the number of bytes of the boxes that come from each worker."""
        holders, taken = self.holders, dict[str, int]()
        for held, outer in self.parts(list(dict.fromkeys(boxes))):
            (first, *_) = holders.get(held.key) or ["?"]
            taken[first] = taken.get(first, 0) + outer.cells * self.dtype.itemsize
        return taken


def sharded_leaf(source: ShardedSource) -> Node:
    """Return the leaf of a sharded source."""
    look_for_sources()
    return file_leaf(source, result(source.dtype, source.shape))


def declared_source(declaration: Mapping[str, Any], link: Link) -> ShardedSource:
    """Return the source for a declaration, which is read over a link."""
    grid = BoxGrid(tuple([tuple(e) for e in declaration["ends"]]))
    return ShardedSource(dt.BY_NAME[declaration["dtype"]], grid, declaration["keys"], declaration["number"], link)


def cells_here(data: Mapping[Any, Any], held: HeldBox) -> NDArray[Any] | None:
    """Return a box of an array in a worker's results, or in their copies; None if it has neither."""
    found = data.get(held.key) or data.get(held.key + COPY)
    if not found:
        return None
    whole: NDArray[Any] = found[held.number]
    return whole if held.box == box_of(whole.shape) else whole[held.box.slices]
