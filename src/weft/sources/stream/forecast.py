"""Forecasts: the sweeps that computing values takes, found without reading anything.

The one idea: the walk that computes (`rounds`) goes over a copy of the graph.  A sweep is noted instead of run, and its
values become memory without pages, so each later decision is the one that running would make.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from weft.ir.graph.node import Node, file_leaf
from weft.passes.fuse import over_files
from weft.passes.views import replaced
from weft.runtime.compute import engine
from weft.runtime.memory.limits import limit_of_sweeps
from weft.sources.stream.interleaved_sweeps import InterleavedSweeps
from weft.sources.stream.kept_cells import FoundCells
from weft.sources.stream.remote_executor import REMOTE_EXECUTOR, TaskShare, remote_executor
from weft.sources.stream.rounds import Rounds
from weft.sources.stream.sweep import Sweep, TileConsumer, stand_in

Consumers = Callable[[Sequence[Node], int], Sequence[TileConsumer]]  # those of nodes, given a memory limit
Note = Callable[[Sweep[Any]], object]  # is given each sweep while its nodes are pending


class Forecast(Rounds):
    """The sweeps that values take, each passed to `note` instead of run.  Pending nodes get stand-ins for values."""

    def __init__(self, limit: int, note: Note) -> None:
        super().__init__(limit)
        self.note = note

    def _walk(self, walk: Sweep[Any] | InterleavedSweeps) -> None:
        for sweep in walk.sweeps if isinstance(walk, InterleavedSweeps) else [walk]:
            self.note(sweep)

    def _publish(self, consumers: Sequence[TileConsumer]) -> None:
        for consumer in consumers:
            consumer.assume()

    def _compute_whole(self, n: Node) -> None:
        stand_in(n)

    def _sort(self, n: Node, readers: Sequence[Node] | None) -> None:
        tables = [pair for r in readers or () for pair in zip(r.inputs[1:], n.desc.shape, strict=False)]
        over = over_files([table for table, _ in tables])
        for table, size in [(t, size) for t, size in tables if id(t) in over]:
            self.compute([table], [])
            # positions that follow from cells, as those of a median without NaN do, are taken to be in the middle
            engine.publish(table, np.full(table.desc.shape, size // 2, table.desc.dtype.np))
        with suppress(FoundCells):
            super()._sort(n, readers)
        for r in readers or ():
            stand_in(r)


def planned(nodes: Sequence[Node], note: Note, consumers_of: Consumers | None = None) -> list[TaskShare]:
    """Pass `note` each sweep that computing nodes takes, in order; return the shares of work of other processes.

    Nothing is read. `consumers_of` returns the consumers of values that are written to files; by default values go to
    memory.
    """
    copies = replaced(nodes, lambda n: file_leaf(n.attrs[0], n.desc) if n.op.name == "file" else None)
    limit, executor, shares = limit_of_sweeps(), remote_executor(), list[TaskShare]()
    consumers = None if consumers_of is None else consumers_of(copies, limit)
    with REMOTE_EXECUTOR.block(None if executor is None else executor.forecasting(shares)):
        Forecast(limit, note).compute(copies, consumers)
    return shares
