"""Rounds: the order in which sweeps compute the parts of nodes that read files.

The one idea: a round is the reductions that depend on no pending one (`dependencies`), all of one shape in one sweep;
values go last, in one walk with the reductions they depend on if files are then read less (`sweep_chain`).  A forecast
is the same walk over a copy of the graph, in which a sweep is noted instead of run (`forecast`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, root_of
from weft.ir.graph.ops import SORTS
from weft.ir.kernels.sum_order import BLOCK
from weft.passes.fuse import below, is_stored, over_files
from weft.runtime.compute import engine, stages
from weft.runtime.compute.checked_values import CHECKED, verify
from weft.runtime.compute.signature import Work
from weft.runtime.devices.placement import is_held_elsewhere
from weft.runtime.memory.allocator import trim_memory_after
from weft.runtime.memory.limits import granted, limit_of_sweeps
from weft.settings import get_num_threads
from weft.sources.read.fetching import fetches_of
from weft.sources.stream.appended_cells import AppendedScan
from weft.sources.stream.block_scans import BlockScan, is_of_blocks
from weft.sources.stream.consumers import BinTotals, MemoryWriter
from weft.sources.stream.dependencies import Dependencies, reading_alike
from weft.sources.stream.dependent_sweeps import chain_after
from weft.sources.stream.interleaved_sweeps import InterleavedSweeps
from weft.sources.stream.joint_sweeps import joint_walk, sweep_of_whole
from weft.sources.stream.leading_rows import leading_rows
from weft.sources.stream.product_sums import summed_products
from weft.sources.stream.reduction_sweeps import chain_of_passes, passes_of, reduction_sweeps, sweep_of_last
from weft.sources.stream.remote_executor import remote_executor
from weft.sources.stream.reshaped_reductions import unreshape
from weft.sources.stream.scratch_chunks import fitting
from weft.sources.stream.sorts import is_large_sort, publish_readers, readers_of, sort_externally
from weft.sources.stream.sweep import IN_TILE, Sweep, T, TileConsumer
from weft.tensors.place import cells as cells_of

SMALL = 16 << 20  # files up to these bytes are read at once
NO_SUMS: Mapping[int, Node] = {}
HELD = 8  # reduced values of at most 1 / HELD of the limit are held here while others compute what reads them


def are_needed(work: Work) -> bool:
    """True if work needs sweeps: the bytes it reads and its peak memory exceed 16 MiB, or a smaller limit.

    False within a tile's own work.
    """
    most = min(SMALL, granted() or SMALL)  # free memory is not queried for a small file
    files = {root_of(work.leaves[k]) for k in work.sources}
    if 2 * sum([f.desc.nbytes for f in files]) <= most or (IN_TILE.active and IN_TILE.get()):
        return False
    beside = most - work.program.peak  # for what is read, of which tables of positions are long
    return beside < 0 or sum([fetch.nbytes for _, fetch in fetches_of(work)]) > beside


def is_swept(n: Node) -> bool:
    """True if a value is computed tile by tile, because its files and result are too large for memory."""
    is_elsewhere = n.traits is not None and n.traits.device is not None
    if is_elsewhere or is_stored(n) or not n.desc.size or id(n) not in over_files([n]):
        return False
    return are_needed(stages.planned_work([n])) and Dependencies([n], limit_of_sweeps()).are_in_tiles()


@trim_memory_after()
def consume_tiles(consumer: TileConsumer) -> None:
    """Compute the roots of a consumer tile by tile and pass it each tile.

    Raises the errors of reading (FileFormatError), computing, and of the consumer.
    """
    if CHECKED:
        verify(consumer.roots)
    Rounds(limit_of_sweeps()).consume(consumer)


@trim_memory_after()
def stream(nodes: Sequence[Node], may_stay: bool = False) -> bool:
    """Compute, in sweeps, the values below nodes that read large files; False if there are none.

    Values are attached to the nodes, or to reductions below them. With `may_stay` they need not be brought to this
    process. Raises the errors of reading and computing, OutOfMemory if no tile is small enough.
    """
    rounds = Rounds(limit_of_sweeps())
    rounds.compute(nodes, may_stay=may_stay)
    return rounds.have_run


class Rounds:
    """The sweeps that values over files take within `limit` bytes of memory; each runs when its turn comes.

    All methods raise the errors of reading and computing.
    """

    def __init__(self, limit: int) -> None:
        self.limit, self.executor = limit, remote_executor()
        self.have_run = False  # True once anything was computed

    def compute(
        self, nodes: Sequence[Node], consumers: Sequence[TileConsumer] | None = None, may_stay: bool = False
    ) -> None:
        """Compute the tiles of consumers, after the reductions that they and `nodes` depend on, inner ones first.

        `nodes` hold the consumers' roots. By default, consumers keep values in memory, or with `may_stay` where they
        were computed. A consumer need not wait for reductions whose reduced cells fit within its tiles, unless other
        processes can help.
        """
        self.limit -= max([consumer.reserved for consumer in consumers or ()], default=0)
        unreshape(nodes)
        self.settle(nodes)
        consumers = _values(nodes, self.limit, may_stay) if consumers is None else consumers
        later = self._compute_jointly(nodes, [*consumers])
        later = [consumer for consumer in later if not self._compute_at_once(consumer)]
        done = {id(r) for consumer in consumers if consumer not in later for r in consumer.roots}
        nodes = [n for n in nodes if id(n) not in done]
        while lines := Dependencies(nodes, self.limit).broadcast_lines():
            self.compute(lines, may_stay=True)  # where what reads them is computed
        while group := Dependencies(nodes, self.limit).next_reductions():
            later = self._compute_jointly(nodes, self._reduce(group, later, nodes))
        for consumer in later:
            is_over_files = not isinstance(consumer, MemoryWriter) or over_files(consumer.roots)
            if not self._compute_elsewhere(consumer) and is_over_files:
                self._run(self._last_sweep(consumer))

    def consume(self, consumer: TileConsumer) -> None:
        """Compute the tiles of one consumer, after the values that they depend on."""
        self.compute(consumer.roots, [consumer])

    def _compute_at_once(self, consumer: TileConsumer) -> bool:
        """Compute a consumer that need not wait for the reductions below it; False if it must.

        It need not if other processes compute it, or if tiles hold what is reduced as a whole.
        """
        if self.executor is not None:
            return self._compute_elsewhere(consumer)
        if (sweep := sweep_of_whole(consumer, self.limit)) is None:
            return False
        self._run(sweep)
        return True

    def _compute_elsewhere(self, consumer: TileConsumer) -> bool:
        """Have other processes compute a consumer's values; False if they do not."""
        if self.executor is None or not self.executor.compute_values(consumer, self.limit):
            return False
        self._publish([consumer])
        return True

    def _reduce(self, group: Sequence[Node], later: list[T], nodes: Sequence[Node]) -> list[T]:
        """Compute reductions over inputs of one shape, or those of them that are read together.

        Return the consumers of `later` that still wait: a single one may be computed in the same walk.
        """
        if not later and self._chain_elsewhere(group, nodes):
            return later
        if self.executor is not None and self.executor.compute_reductions(group, self.limit):
            self.have_run = True
            return later
        if self.executor is None and (sweep := sweep_of_last(group, nodes, self.limit)) is not None:
            self._run(sweep)
            return later
        group = reading_alike(group, self.limit)
        if self.executor is None and (chain := chain_after(group, later, nodes, self.limit)) is not None:
            self._run(chain)
            return [consumer for consumer in later if consumer not in chain.consumers]
        for reductions in reduction_sweeps(group, self.limit):
            sweeps = passes_of(fitting(reductions, may_exceed=True))
            chain = chain_of_passes(sweeps) if self.executor is None else None
            self._run(*(sweeps if chain is None else [chain]))
        return later

    def _compute_jointly(self, nodes: Sequence[Node], later: list[T], sums: Mapping[int, Node] = NO_SUMS) -> list[T]:
        """Compute what needs no other value in one walk for several shapes, as long as that reads less.

        Return the consumers of `later` that still wait. `sums` has the products, by id, that are computed as sums.
        """
        while self.executor is None and (walk := joint_walk(nodes, sums, later, self.limit)) is not None:
            self._run(walk)
            later = [consumer for consumer in later if consumer not in walk.consumers]
        return later

    def _chain_elsewhere(self, group: Sequence[Node], nodes: Sequence[Node]) -> bool:
        """Have other processes compute reductions and those behind them in one walk; False if they do not.

        All values come here, so those of the first reductions have to be small.
        """
        if self.executor is None or sum([n.desc.nbytes for n in group]) > self.limit // HELD:
            return False
        chain = chain_after(reading_alike(group, self.limit), [], nodes, self.limit, self.executor.worker_count)
        if chain is None or not self.executor.compute_sweep(chain):
            return False
        self._publish(chain.consumers)
        return True

    def settle(self, nodes: Sequence[Node]) -> None:
        """Compute values that cannot be tiled together with their readers, inner ones first.

        These are bin counts, cells of large sorts, scans of one line that are read in another order, products of few
        cells, and small values that are needed as a whole.
        """
        sums = summed_products(nodes, self.limit)
        if sums:
            self._compute_jointly(nodes, [], sums)
        found = Dependencies(nodes, self.limit)
        small, scans = set(map(id, found.small_wholes)), found.scans_at_once
        for n in [n for n in below(nodes) if not is_stored(n)]:
            if (total := sums.get(id(n))) is not None:
                self._compute_small(total, [total])
                engine.publish(n, total.value)
            elif id(n) in small:
                self._compute_small(n, n.inputs if n.op.kind == "call" else [n])
            elif not is_stored(n) and self._share_scan(n):
                continue
            elif not is_stored(n) and (n.op.kind == "bins" or id(n) in scans or n.op.name in SORTS):
                self._settle_lines(n, nodes)

    def _share_scan(self, n: Node) -> bool:
        """Have other processes find what comes before each block of a scan of one line; False if they do not.

        They read its cells twice, so they have to have more than twice the threads of this process.
        """
        is_worth_it = self.executor is not None and self.executor.thread_count > 2 * get_num_threads()
        if not is_worth_it or not is_of_blocks(n) or not is_swept(n) or n.desc.nbytes // BLOCK > self.limit // HELD:
            return False
        shared = BlockScan(n)
        self._compute_small(shared.totals, [shared.totals])
        engine.redefine(n, shared.value(cells_of(shared.totals)))
        return True

    def _settle_lines(self, n: Node, nodes: Sequence[Node]) -> None:
        """Compute a bin count, scan or sort in sweeps, if its operands can be tiled and it cannot.

        Bin counts and scans keep their values; for sorts, the readers among `nodes` do.
        """
        if (
            not n.inputs[0].desc.size
            or not over_files(n.inputs)
            or not Dependencies(n.inputs, self.limit).are_in_tiles()
        ):
            return
        if n.op.kind == "bins":
            self.consume(BinTotals(n))
        elif n.op.kind == "scan":
            self.consume(AppendedScan(n, self.limit))
        elif (rows := leading_rows(n, nodes, self.limit)) is not None:
            self.consume(rows)
        elif is_large_sort(n, self.limit):
            self._sort(n, readers_of(n, nodes))

    def _sweep(self, consumer: T) -> Sweep[T]:
        shape = consumer.roots[0].desc.shape
        return Sweep([consumer], shape, range(len(shape)), self.limit)

    def _last_sweep(self, consumer: T) -> Sweep[T]:
        """Return the sweep of a consumer after all that it waits for.

        Reductions that its tiles compute again are held as a whole by a tile if that takes less time.
        """
        found = fitting(self._sweep(consumer))
        if found.are_read_once:
            return found
        whole = self._sweep(consumer)
        if not (whole.hold_reduced() and whole.fits):
            return found
        return min(found, whole, key=lambda sweep: sweep.nbytes / sweep.run_share(sweep.tiling))

    def _compute_small(self, n: Node, operands: Sequence[Node]) -> None:
        """Compute n as a whole, after the large values among `operands` on which it depends."""
        self.compute(operands, _values([x for x in operands if is_swept(x)], self.limit))
        self._compute_whole(n)

    # ---- what a forecast does in another way

    def _run(self, *walks: Sweep[Any] | InterleavedSweeps) -> None:
        """Compute the tiles of walks one after another, then attach the values of their consumers."""
        for walk in walks:
            if self.executor is None or not self.executor.compute_sweep(walk):
                self._walk(walk)
        self._publish([consumer for walk in walks for consumer in walk.consumers])

    def _walk(self, walk: Sweep[Any] | InterleavedSweeps) -> None:
        walk.run()

    def _publish(self, consumers: Sequence[TileConsumer]) -> None:
        """Attach the values of consumers to their nodes."""
        self.have_run = True
        for consumer in dict.fromkeys(consumers):
            consumer.publish()

    def _compute_whole(self, n: Node) -> None:
        self.have_run = True
        with IN_TILE.block(True):
            stages.compute([n])

    def _sort(self, n: Node, readers: Sequence[Node] | None) -> None:
        """Sort one large line; if few `readers` need it, only their cells are found."""
        if readers is not None:
            publish_readers(n, readers, self.limit // 8, self.consume)
        elif n.traits is None:
            sort_externally(n, self.limit, self.consume)


def _values(nodes: Sequence[Node], limit: int, may_stay: bool = False) -> list[MemoryWriter]:
    """Return consumers that compute nodes over files tile by tile into memory, one for each shape.

    `limit` is the memory limit in bytes; with `may_stay`, values need not be brought to this process.
    """
    found: dict[Shape, list[Node]] = {}
    unjoined = [n.inputs[0] if n.op.name == "reshape" and n.inputs[0].op.kind == "reduce" else n for n in nodes]
    for n in Dependencies([n for n in unjoined if not is_held_elsewhere(n)], limit).in_tiles():
        found.setdefault(n.desc.shape, []).append(n)
    return [MemoryWriter(same, may_stay) for same in found.values()]
