"""Distributing a program over workers, and joining their results (`RemoteExecutor`).

The one idea: values are cut into boxes, each a program that a worker runs like any other (`partitions`).  Values that
cannot be cut, as they have few cells, are cut along the reduced axes: consumers on workers fold some tiles each, and
their states are joined here, by block numbers, not in the order of arrival.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from secrets import token_hex
from time import monotonic
from typing import Any

import cloudpickle

from weft.cluster import shared_sinks
from weft.cluster.answers import worker_threads
from weft.cluster.graph_messages import Message, NotSendable, digest_of, message_of
from weft.cluster.halos import planned_halos
from weft.cluster.partitions import BALANCE, BoxGrid, Partitioner, main_holder
from weft.cluster.sharded_source import Link, NoLink, ShardedSource, sharded_leaf
from weft.cluster.tasks import INLINE, Tasks, new_keys
from weft.cluster.tile_groups import TileGroup, boxes_of_chain, boxes_read, bytes_of, grouped, reads_held
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, copied
from weft.ir.pieces.box import Box
from weft.passes.switches import has_user_passes, replaced
from weft.runtime.compute import engine
from weft.runtime.deterministic import is_deterministic
from weft.runtime.memory.limits import is_beyond, limit_of_sweeps
from weft.sources.read.byte_ranges import METERS
from weft.sources.stream.appending import SelectedCells
from weft.sources.stream.consumers import MemoryWriter, Mergeable, Reductions
from weft.sources.stream.dependencies import Dependencies
from weft.sources.stream.remote_executor import REMOTE_EXECUTOR, TaskShare
from weft.sources.stream.rounds import HELD
from weft.sources.stream.scratch_chunks import ScratchSweep
from weft.sources.stream.sweep import Sweep, over_files, stand_in
from weft.sources.stream.sweep_chain import SweepChain
from weft.sources.stream.units import unit_bytes
from weft.sources.write.save import FileWriter
from weft.tensors.place import cells as cells_of
from weft.version import __version__

ONCE, OFTEN = 1.25, 2.25  # times the whole's bytes that boxes may read: if reductions may come first, else
TASK = 256 << 20  # bytes that a task reads at least, if there are more tasks than workers
RECENT = 0.2  # seconds for which the workers are not asked for again
MOST_TASKS, EACH = 64, 4  # most tasks of a program: in all, and for each worker if that is more


class Distribution:
    """The workers of a cluster that compute for this process."""

    def __init__(self, client: Any, link: Link, limit: int, deadline: float) -> None:
        self.client, self.link, self.limit = client, link, limit
        self.tasks = Tasks(client, deadline)
        self._threads, self._known_until = dict[str, int](), 0.0

    @property
    def workers(self) -> dict[str, int]:
        """Return the threads of the workers at present, by address."""
        if monotonic() > self._known_until:
            self._threads = self.client.sync(worker_threads, self.client, self.tasks.deadline)
            self._known_until = monotonic() + RECENT
        return self._threads

    @property
    def worker_count(self) -> int:
        """The number of workers at present; 1 if there are none, which tasks wait for."""
        return max(1, len(self.workers))

    @property
    def thread_count(self) -> int:
        """The number of threads of the workers at present; 1 if there are none, which tasks wait for."""
        return max(1, sum(self.workers.values()))

    def _task_count(self, nbytes: int) -> int:
        """Return the number of tasks in which to read `nbytes` bytes."""
        workers = self.worker_count
        return max(workers, min(MOST_TASKS, EACH * workers, nbytes // TASK))

    def _grid(self, partitioner: Partitioner, roots: Sequence[Node], limit: int) -> BoxGrid | None:
        most = ONCE if Dependencies(roots, limit).next_reductions() else OFTEN
        count = self._task_count(partitioner.whole_bytes + sum([r.desc.nbytes for r in roots]))
        return partitioner.grid(count, most, self.worker_count)

    # ---- values, a box at a time

    def compute_values(self, consumer: Any, limit: int) -> bool:
        """Have workers compute the values of a consumer and hold or write them; True if they did.

        False if the values cannot be cut or sent. `limit` is the memory limit in bytes. Raises ClusterError if workers
        or the scheduler do not answer in time, and the errors of the tasks.
        """
        if (found := self._partition(consumer, limit)) is None:
            return False
        partitioner, grid = found
        if isinstance(consumer, FileWriter):
            return self._write(consumer, grid, partitioner.holders(grid.boxes))
        if isinstance(consumer, SelectedCells):
            return self._select(consumer, grid)
        if not consumer.may_stay:
            return self._bring(consumer, grid)
        leaves = self.hold(consumer.roots, grid)
        consumer.remote_leaves = leaves or ()
        return leaves is not None

    def _partition(self, consumer: Any, limit: int) -> tuple[Partitioner, BoxGrid] | None:
        """Return (partitioner, boxes) for computing the values of a consumer on workers.

        None for other consumers, for files that workers cannot open, and for values that are cheaper to compute here.
        `limit` is the memory limit in bytes.
        """
        if not isinstance(consumer, (MemoryWriter, FileWriter, SelectedCells)) or not over_files(consumer.roots):
            return None
        if isinstance(consumer, FileWriter) and None in map(shared_sinks.declared, consumer.jobs):
            return None
        with REMOTE_EXECUTOR.block(None):
            sizes = zip(consumer.unit, consumer.roots[0].desc.shape, strict=True)
            unit = tuple([max(1, n) if a in consumer.uncut else u for a, (u, n) in enumerate(sizes)])
            partitioner = Partitioner(consumer.roots, unit)
            comes_here = isinstance(consumer, MemoryWriter) and not consumer.may_stay
            if comes_here and partitioner.whole_bytes < sum([r.desc.nbytes for r in consumer.roots]):
                return None  # cells are better repeated where they are used
            grid = self._grid(partitioner, consumer.roots, limit)
        return None if grid is None else (partitioner, grid)

    def _message(self, roots: Sequence[Node]) -> Message | None:
        """Return the message of the nodes with the settings common to all tasks; None if it cannot be sent."""
        if engine.current().name != "cpu" or replaced() or has_user_passes():
            return None  # replaced operations and passes exist in this process only
        try:
            limit = min(self.limit, limit_of_sweeps())
            settings = {"weft": __version__, "limit": limit, "deterministic": is_deterministic()}
            return message_of(roots, cloudpickle.dumps) | settings
        except NotSendable:
            return None

    def hold(self, roots: Sequence[Node], grid: BoxGrid) -> list[Node] | None:
        """Have workers compute and hold the boxes of `grid` of values of one shape; return leaves of the held values.

        None if the values cannot be sent. Raises ClusterError if workers do not answer in time, and the errors of the
        tasks.
        """
        with self.tasks as tasks:
            if (sent := self._submit_boxes("hold", roots, grid)) is None:
                return None
            futures, keys = sent
            tasks.settle(futures)
        leaves = self.leaves(roots, grid, keys)
        for leaf in leaves:
            leaf.attrs[0].futures = futures
        return leaves

    def _bring(self, consumer: MemoryWriter, grid: BoxGrid) -> bool:
        """Have workers compute the boxes of values, and read each into memory here once it is held.

        False if the values cannot be sent. Raises as `hold`.
        """
        with self.tasks as tasks:
            if (sent := self._submit_boxes("hold", consumer.roots, grid)) is None:
                return False
            futures, keys = sent
            leaves = self.leaves(consumer.roots, grid, keys)
            boxes, targets = dict(zip(futures, grid.boxes, strict=True)), [cells_of(n) for n in consumer.targets]
            for future in tasks.finished(futures):
                for leaf, target in zip(leaves, targets, strict=True):
                    leaf.attrs[0].gather([boxes[future]], target)
                future.release()
        return True

    def _select(self, consumer: SelectedCells, grid: BoxGrid) -> bool:
        """Have workers select and hold the cells of boxes, which follow each other in row-major order.

        False if the values cannot be sent. Raises as `hold`.
        """
        with self.tasks as tasks:
            if (sent := self._submit_boxes("select", consumer.roots, grid)) is None:
                return False
            futures, keys = sent
            tasks.settle(futures)
            counts = tasks.cell_counts(futures)
        filled = [(n, f, key) for n, f, key in zip(counts, futures, keys, strict=True) if n]
        if filled:
            many, held, keys = zip(*filled, strict=True)
            source = ShardedSource(
                consumer.cells.dtype, BoxGrid(((*accumulate(many, initial=0),),)), keys, 0, self.link
            )
            source.futures = held
            consumer.found = sharded_leaf(source)
        return True

    def _submit_boxes(
        self, kind: str, roots: Sequence[Node], grid: BoxGrid
    ) -> tuple[Sequence[Any], Sequence[str]] | None:
        """Submit a task of a kind for each box of values; return their futures and keys.

        None if the values cannot be sent.
        """
        if (message := self._message(roots)) is None:
            return None
        at = digest_of(message | {"held": [message["held"], grid.ends, kind]})
        keys = [f"weft-{roots[0].op.name}-{at}-{self.tasks.session}-{k}" for k in range(grid.count)]
        with REMOTE_EXECUTOR.block(None):
            boxes = grid.boxes
            holders = Partitioner(roots, (1,) * len(grid.ends)).holders(boxes)
        parts = [{"box": tuple(b)} for b in boxes]
        return self.tasks.submit(message | {"kind": kind}, parts, keys, holders), keys

    def leaves(self, roots: Sequence[Node], grid: BoxGrid, keys: Sequence[str]) -> list[Node]:
        """Return leaves of values whose boxes are the results of tasks: `keys`, in the order of the boxes of `grid`."""
        return [sharded_leaf(ShardedSource(n.desc.dtype, grid, keys, k, self.link)) for k, n in enumerate(roots)]

    def _write(self, consumer: FileWriter, grid: BoxGrid, holders: Sequence[str | None]) -> bool:
        """Have workers write the boxes of values into existing files; False if the values cannot be sent.

        `holders` has, for each box, the worker that should compute it, or None. Raises ClusterError if workers do not
        answer in time, and the errors of the tasks, such as WriteError.
        """
        if (message := self._message(consumer.roots)) is None:
            return False
        sinks = [shared_sinks.declared(job) for job in consumer.jobs]
        shared = message | {"kind": "write", "sinks": sinks}
        with self.tasks as tasks:
            parts = [{"box": tuple(b)} for b in grid.boxes]
            futures = tasks.submit(shared, parts, new_keys("save", len(parts)), holders)
            for nbytes in tasks.results(futures):
                consumer.report_written(nbytes)
        return True

    # ---- reductions

    def compute_reductions(self, group: Sequence[Node], limit: int) -> bool:
        """Have workers compute reductions, or their small inputs, one box at a time; True if they did.

        False if neither can be cut or sent. `limit` is the memory limit in bytes. Raises ClusterError if workers do not
        answer in time, and the errors of the tasks.
        """
        if (found := self._partition_reductions(group, limit)) is None:
            return False
        for same, _, grid in found:
            if (leaves := self.hold(same, grid)) is None:
                return False
            for n, leaf in zip(same, leaves, strict=True):
                engine.redefine(n, copied(leaf))
            self._attach_small([n for n in same if n.desc.nbytes <= INLINE])  # larger ones are read from who holds them
        return True

    def _partition_reductions(
        self, group: Sequence[Node], limit: int
    ) -> list[tuple[list[Node], Partitioner, BoxGrid]] | None:
        """Return (nodes, partitioner, boxes) for reductions, or else for their inputs if these are small.

        None if one of them cannot be cut. `limit` is the memory limit in bytes.
        """
        inputs = list({id(n.inputs[0]): n.inputs[0] for n in group}.values())
        if (found := self._partition_by_shape(group)) is not None or sum(
            [i.desc.nbytes for i in inputs]
        ) > limit // HELD:
            return found
        found = self._partition_by_shape(inputs)
        is_less = found is not None and all(
            c.whole_bytes > 4 * sum([n.desc.nbytes for n in same]) for same, c, _ in found
        )
        return found if is_less else None

    def _partition_by_shape(self, nodes: Sequence[Node]) -> list[tuple[list[Node], Partitioner, BoxGrid]] | None:
        """Return (nodes, partitioner, boxes) for values of each shape; None if one cannot be cut."""
        by_shape: dict[Shape, list[Node]] = {}
        for n in nodes:
            by_shape.setdefault(n.desc.shape, []).append(n)
        found = []
        for same in by_shape.values():
            with REMOTE_EXECUTOR.block(None):
                partitioner = Partitioner(same, (1,) * same[0].desc.ndim)
                grid = partitioner.grid(self._task_count(partitioner.whole_bytes), ONCE, self.worker_count)
            if grid is None or grid.count < self.worker_count:
                return None
            found.append((same, partitioner, grid))
        return found

    def _attach_small(self, nodes: Sequence[Node]) -> None:
        """Fetch small values from the workers that hold them, and attach them; raises ClusterError if none answers."""
        for n in nodes:
            source = n.inputs[0].attrs[0]
            cells = source.read_box(Box((0,) * n.desc.ndim, (1,) * n.desc.ndim, n.desc.shape))
            engine.publish(n, cells)

    # ---- tiles

    def _has_mergeable_states(self, sweep: Sweep[Any]) -> bool:
        """True if a sweep is of reductions or counts, whose partial states can be sent."""
        are_states = all(isinstance(t, Mergeable) for t in sweep.consumers)
        is_small = sweep.fits or not is_beyond(sum(sweep.taken(sweep.tiling)))  # as in this process (`fitting`)
        return are_states and not isinstance(sweep, ScratchSweep) and is_small and not sweep.footprint.carried

    def compute_sweep(self, walk: Sweep[Any] | SweepChain) -> bool:
        """Have workers fold the tiles of a sweep of reductions or counts, or of a chain of such. False for others.

        Raises ClusterError if workers do not answer in time, and the errors of the tasks.
        """
        if isinstance(walk, SweepChain):
            groups = self._chain_groups(walk)
            return groups is not None and self._fold(walk, walk.sweeps, groups)
        return self._has_mergeable_states(walk) and self._fold(walk, [walk], self._tile_groups(walk))

    def _fold(self, walk: Sweep[Any] | SweepChain, sweeps: Sequence[Sweep[Any]], groups: Sequence[TileGroup]) -> bool:
        """Have workers fold groups of tiles of a walk over sweeps; False if the values cannot be sent.

        Raises ClusterError if workers do not answer in time, and the errors of the tasks.
        """
        consumers = [t for s in sweeps for t in s.consumers]
        if (message := self._message([n for t in consumers for n in t.group])) is None:
            return False
        shared = message | {"kind": "fold", "sweeps": [_sweep_data(s) for s in sweeps], "program": token_hex(8)}
        parts = []
        for g in groups:
            boxes = [[tuple(s.boxes[k]) for k in of] for s, of in zip(sweeps, (g.numbers, g.behind), strict=False)]
            means, halos = _block_means(sweeps[0], g.numbers), g.halos.message(sweeps[0].roots)
            parts.append({"boxes": boxes, "means": means, "halos": halos})
        with self.tasks as tasks:
            futures = tasks.submit(shared, parts, new_keys("fold", len(parts)), [g.holder for g in groups])
            for states in tasks.results(futures):
                for consumer, state in zip(consumers, states, strict=True):
                    consumer.join(state)
        for meter in METERS:
            meter.done = max(meter.done, meter.planned)
        return True

    def forecasting(self, shares: list[TaskShare]) -> ForecastDistribution:
        """Return a distribution that adds shares of work to `shares` instead of sending it."""
        found = ForecastDistribution(self.client, NoLink(), self.limit, self.tasks.deadline)
        found.shares = shares
        return found

    def _chain_groups(self, chain: SweepChain) -> list[TileGroup] | None:
        """Return the tiles of a chain for each task. None if these would wait for each other, or decode chunks twice.

        A task reduces the kept cells that its tiles of the sweep behind read.
        """
        are_folds = chain.dependent is not None and all(map(self._has_mergeable_states, chain.sweeps))
        if len(chain.reductions) > 1 or not are_folds or reads_held(chain.sweeps[0].roots):
            return None
        share, found = len(chain.tiles) / self._task_count(chain.nbytes), list[TileGroup]()
        for numbers, behind in chain.apart():
            if not found or len(found[-1].numbers) + len(found[-1].behind) >= share:
                found.append(TileGroup(None, [], behind=[]))
            found[-1].numbers.extend(numbers)
            found[-1].behind.extend(behind)
        read = sum(map(unit_bytes, [boxes_of_chain(chain, [g]) for g in found]))
        is_worth_it = len(found) >= self.worker_count and read <= BALANCE * unit_bytes(boxes_of_chain(chain, found))
        return found if is_worth_it else None

    def _tile_groups(self, sweep: Sweep[Any]) -> list[TileGroup]:
        """Return the tiles for each task, about equally many, each near the cells that it reads.

        There are more tasks than workers only if these read hardly more.
        """
        labelled: dict[object, list[int]] = {}
        for k, box in enumerate(sweep.boxes):
            key = tuple([t.serial_label(box) for t in sweep.consumers])
            labelled.setdefault(k if set(key) == {None} else key, []).append(k)
        units, count = list(labelled.values()), self._task_count(sweep.nbytes)
        found = grouped(sweep, units, count)
        if len(found) > self.worker_count and not sweep.reads_disjointly:
            fewer = grouped(sweep, units, self.worker_count)
            found = found if bytes_of(sweep, found) <= BALANCE * bytes_of(sweep, fewer) else fewer
        if len(found) > len(self.workers) or sweep.reads_disjointly or reads_held(sweep.roots):
            return found
        beside = {at: g.numbers for at, g in zip(self.workers, found, strict=False)}  # run side by side
        return [TileGroup(at, beside[at], halos) for at, halos in planned_halos(sweep.steps, beside).items()]


class ForecastDistribution(Distribution):
    """The workers of a cluster for a forecast: work is added to `shares` instead of sent."""

    shares: list[TaskShare]

    def hold(self, roots: Sequence[Node], grid: BoxGrid) -> list[Node]:
        """Add the share of holding the boxes of `grid`; return leaves that nobody holds."""
        self._add_boxes(roots, grid)
        return self.leaves(roots, grid, [f"box {k}" for k in range(grid.count)])

    def _bring(self, consumer: MemoryWriter, grid: BoxGrid) -> bool:
        consumer.remote_leaves = self.hold(consumer.roots, grid)
        return True

    def _write(self, consumer: FileWriter, grid: BoxGrid, holders: Sequence[str | None]) -> bool:
        self._add_boxes(consumer.roots, grid)
        return True

    def _add_boxes(self, roots: Sequence[Node], grid: BoxGrid) -> None:
        with REMOTE_EXECUTOR.block(None):
            footprint = Partitioner(roots, (1,) * len(grid.ends)).footprint
        read = [footprint.boxes(b) for b in grid.boxes]
        self.shares.append(_task_share(roots, len(read), sum(map(unit_bytes, read)), read))

    def _attach_small(self, nodes: Sequence[Node]) -> None:
        for n in nodes:
            stand_in(n)

    def _fold(self, walk: Sweep[Any] | SweepChain, sweeps: Sequence[Sweep[Any]], groups: Sequence[TileGroup]) -> bool:
        first, *behind = sweeps
        roots = [*[n for t in first.consumers for n in t.group], *behind[0].roots] if behind else first.roots
        read = walk.nbytes if behind or first.reads_disjointly else bytes_of(first, groups)
        held = [boxes_read(first, g.numbers) for g in groups] if reads_held(roots) else []
        links: Counter[tuple[str, str]] = Counter()
        for g in groups:
            for u, (giver, boxes) in g.halos.awaited.items():
                links[giver, str(g.holder)] += sum([b.cells for b in boxes]) * u.itemsize
                read -= u.nbytes
        self.shares.append(_task_share(roots, len(groups), read, held, links))
        return True


def _task_share(
    roots: Sequence[Node],
    count: int,
    boxes_by_task: int,
    boxes_of: Sequence[Sequence[tuple[Node, Box]]],
    halos: Mapping[tuple[str, str], int] = {},
) -> TaskShare:
    """Return the TaskShare of `count` tasks that compute `roots`, of `boxes_by_task` boxes each.

    `boxes_of` has the boxes of sources that each task reads. Each task is taken to run on the worker that holds most of
    its boxes. `halos` has the bytes of halos by link.
    """
    links = Counter(halos)
    for boxes in boxes_of:
        to = main_holder(boxes)
        for file, box in boxes:
            if to is not None and hasattr(file.attrs[0], "holders"):
                for giver, n in file.attrs[0].bytes_by_holder([box]).items():
                    links[giver, to] += n if giver != to else 0
    crossing = tuple([(giver, to, n) for (giver, to), n in sorted(links.items()) if n])
    return TaskShare(", ".join([n.op.name for n in roots]), count, boxes_by_task, crossing)


def _sweep_data(sweep: Sweep[Any]) -> dict[str, Any]:
    """Return the parameters of a sweep, without its nodes, as data."""
    tiling = [[list(map(list, spans)) for spans in sweep.tiling.spans], list(sweep.tiling.most)]
    consumers = [[t.kind, len(t.group), *t.parameters] for t in sweep.consumers]
    return {"consumers": consumers, "tiling": tiling, "shape": list(sweep.shape), "order": list(sweep.order)}


def _block_means(sweep: Sweep[Any], numbers: Sequence[int]) -> list[Any]:
    """Return, for each consumer, the block means that a second pass over the tiles `numbers` needs."""
    found = []
    for t in sweep.consumers:
        means = t.means if isinstance(t, Reductions) else {}
        kept = dict.fromkeys([t.axes.kept_box(sweep.boxes[k]) for k in numbers]) if means else {}
        found.append([(tuple(b), means[b]) for b in kept if b in means])
    return found
