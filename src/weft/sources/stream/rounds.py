"""Rounds: the order in which sweeps compute the parts of nodes that read files.

The one idea: a round is the reductions that depend on no pending one (`dependencies`), all of one shape in one sweep;
values go last, in one walk with the reductions they depend on if files are then read less (`sweep_chain`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, root_of
from weft.ir.graph.ops import SORTS
from weft.passes.fuse import below, is_stored, over_files
from weft.passes.views import replaced
from weft.runtime.compute import engine, stages
from weft.runtime.compute.checked_values import CHECKED, verify
from weft.runtime.compute.signature import Work
from weft.runtime.devices.placement import is_held_elsewhere
from weft.runtime.memory.allocator import trim_memory_after
from weft.runtime.memory.limits import granted, limit_of_sweeps
from weft.sources.read.address_space import stand_in_array
from weft.sources.read.fetching import fetches_of
from weft.sources.stream.appended_cells import AppendedScan
from weft.sources.stream.consumers import BinTotals, MemoryWriter, Reductions
from weft.sources.stream.dependencies import (
    are_in_tiles,
    broadcast_lines,
    next_reductions,
    reading_alike,
    scans_at_once,
    small_wholes,
    values_in_tiles,
)
from weft.sources.stream.dependent_sweeps import chain_after, over_values
from weft.sources.stream.leading_rows import leading_rows
from weft.sources.stream.product_sums import summed_products
from weft.sources.stream.reduction_sweeps import chain_of_passes, passes_of, reduction_sweeps
from weft.sources.stream.remote_executor import TaskShare, remote_executor
from weft.sources.stream.reshaped_reductions import unreshape, unreshaped
from weft.sources.stream.scratch_chunks import fitting
from weft.sources.stream.sorts import is_large_sort, planned_consumers, publish_readers, readers_of, sort_externally
from weft.sources.stream.sweep import IN_TILE, Sweep, T

Values = Callable[[Sequence[Node], int], Sequence[Any]]  # returns the consumers for nodes, given a memory limit
SMALL = 16 << 20  # files up to these bytes are read at once


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
    return are_needed(stages.planned_work([n])) and are_in_tiles([n], limit_of_sweeps())


@trim_memory_after()
def consume_tiles(consumer: T) -> None:
    """Compute the roots of a consumer tile by tile and pass it each tile.

    Raises the errors of reading (FileFormatError), computing, and of the consumer.
    """
    if CHECKED:
        verify(consumer.roots)
    sweep_values([consumer], consumer.roots, limit_of_sweeps())


@trim_memory_after()
def stream(nodes: Sequence[Node], may_stay: bool = False) -> bool:
    """Compute, in sweeps, the values below nodes that read large files; False if there are none.

    Values are attached to the nodes, or to reductions below them. With `may_stay` they need not be brought to this
    process. Raises the errors of reading and computing, OutOfMemory if no tile is small enough.
    """
    limit = limit_of_sweeps()
    unreshape(nodes)
    counted = settle(nodes, limit)
    consumers = _values(nodes, limit)
    for consumer in consumers:
        consumer.may_stay = may_stay
    done = counted or bool(consumers) or bool(next_reductions(nodes, limit))
    sweep_values(consumers, nodes, limit)
    for consumer in consumers:
        consumer.publish()
    return done


def settle(nodes: Sequence[Node], limit: int) -> bool:
    """Compute values that cannot be tiled together with their readers, inner ones first; True if there were any.

    These are bin counts, cells of large sorts, scans of one line that are read in another order, products of few cells,
    and small values that are needed as a whole. `limit` is the memory limit in bytes. Raises the errors of reading and
    computing.
    """
    small, scans = set(map(id, small_wholes(nodes, limit))), scans_at_once(nodes, limit)
    sums = summed_products(nodes, limit)
    done = False
    for n in [n for n in below(nodes) if not is_stored(n)]:
        if id(n) in sums:
            _compute_small(sums[id(n)], [sums[id(n)]], limit)
            engine.publish(n, sums[id(n)].value)
            done = True
        elif id(n) in small:
            _compute_small(n, n.inputs if n.op.kind == "call" else [n], limit)
            done = True
        elif not is_stored(n) and (n.op.kind == "bins" or id(n) in scans or n.op.name in SORTS):
            done |= _settled(n, nodes, limit)
    return done


def _compute_small(n: Node, operands: Sequence[Node], limit: int) -> None:
    """Compute n as a whole, after the large values among `operands` on which it depends.

    `limit` is the memory limit in bytes.
    """
    _compute_swept([x for x in operands if is_swept(x)], operands, limit)
    with IN_TILE.block(True):
        stages.compute([n])


def _compute_swept(values: Sequence[Node], nodes: Sequence[Node], limit: int) -> None:
    """Compute values in sweeps, and the reductions below `nodes`, within `limit` bytes."""
    consumers = _values(values, limit)
    sweep_values(consumers, nodes, limit)
    for consumer in consumers:
        consumer.publish()


def _settled(n: Node, nodes: Sequence[Node], limit: int) -> bool:
    """Compute a bin count, scan or sort in sweeps; True if done.

    False if its operands cannot be tiled, or if it can be tiled itself. Bin counts and scans keep their values; for
    sorts, the readers among `nodes` do. `limit` is the memory limit in bytes.
    """
    if not n.inputs[0].desc.size or not over_files(n.inputs) or not are_in_tiles(n.inputs, limit):
        return False
    if n.op.kind in ("bins", "scan"):
        consumer = BinTotals(n) if n.op.kind == "bins" else AppendedScan(n, limit)
        sweep_values([consumer], consumer.roots, limit)
        consumer.publish()
    elif (leading := leading_rows(n, nodes, limit)) is not None:
        rows, known = leading
        sweep_values([rows], rows.roots, limit)
        rows.publish(known)
    elif not is_large_sort(n, limit):
        return False
    elif (readers := readers_of(n, nodes)) is not None:
        publish_readers(n, readers, limit // 8, lambda t: sweep_values([t], t.roots, limit))
    elif n.traits is None:
        sort_externally(n, limit, lambda t: sweep_values([t], t.roots, limit))
    else:
        return False
    return True


def sweep_values(consumers: Sequence[T], nodes: Sequence[Node], limit: int) -> None:
    """Compute the tiles of consumers, after the reductions that they depend on, inner ones first.

    `nodes` are the consumers' roots, `limit` is the memory limit in bytes. A consumer need not wait for reductions
    whose reduced cells fit within its tiles, unless other processes can help. Raises the errors of reading and
    computing.
    """
    unreshape(nodes)
    settle(nodes, limit)
    later = []
    done: set[int] = set()
    executor = remote_executor()
    for consumer in consumers:
        if executor is not None and executor.compute_values(consumer, limit):
            done.update(map(id, consumer.roots))
        elif (
            executor is None
            and (next_reductions(consumer.roots, limit) or broadcast_lines(consumer.roots, limit))
            and (sweep := _values_sweep(consumer, limit)).fit_in_one_pass()
        ):
            sweep.run()
            done.update(map(id, consumer.roots))
        else:
            later.append(consumer)
    nodes = [n for n in nodes if id(n) not in done]
    while lines := broadcast_lines(nodes, limit):
        _compute_swept(lines, lines, limit)
    while group := next_reductions(nodes, limit):
        if executor is not None and executor.compute_reductions(group, limit):
            continue
        group = reading_alike(group, limit)
        if executor is None and (chain := chain_after(group, later, nodes, limit)) is not None:
            chain.run()
            later = later if chain.has_reductions else []
            continue
        for reductions in reduction_sweeps(group, limit):
            _run_reductions(fitting(reductions, may_exceed=True))
    for consumer in later:
        if executor is not None and executor.compute_values(consumer, limit):
            continue
        if not isinstance(consumer, MemoryWriter) or over_files(consumer.roots):
            fitting(_values_sweep(consumer, limit)).run()


def _run_reductions(sweep: Sweep[Reductions]) -> None:
    """Compute the reductions of a sweep, with a second sweep for variances that need block means first.

    Raises the errors of reading and computing.
    """
    sweeps = passes_of(sweep)
    if remote_executor() is None and (chain := chain_of_passes(sweeps)) is not None:
        chain.run()
        return
    for s in sweeps:
        s.run()
    for consumer in sweep.consumers:
        consumer.publish()


def shared_out(nodes: Sequence[Node], values_of: Values | None = None) -> list[TaskShare]:
    """Return the first shares of work of computing nodes that other processes would do.

    Later shares depend on results, so they are not included.
    """
    executor, limit = remote_executor(), limit_of_sweeps()
    if executor is None:
        return []
    sums = summed_products(nodes, limit)
    nodes = replaced(nodes, lambda n: sums.get(id(n)))
    return executor.planned_tasks((values_of or _values)(nodes, limit), next_reductions(nodes, limit), limit)


def planned(nodes: Sequence[Node], values_of: Values | None = None) -> list[list[Sweep[Any]]]:
    """Return the sweeps that computing nodes takes, by rounds, without reading anything.

    `values_of` returns the consumers of values that are written to files; by default values go to memory.  Where later
    rounds read values not yet computed, memory of their size without pages stands in.
    """
    limit, rounds = limit_of_sweeps(), list[list[Sweep[Any]]]()
    sums = summed_products(nodes, limit)
    nodes = replaced(nodes, lambda n: sums.get(id(n)))
    consumers_of, whole = values_of or _values, limit
    limit -= max([getattr(consumer, "reserved", 0) for consumer in consumers_of(nodes, whole)], default=0)
    nodes = replaced(nodes, unreshaped)
    while (n := _first_settled(nodes, limit)) is not None:
        group = [n]
        if n.op.kind == "scan":
            rounds.append([_values_sweep(AppendedScan(n, limit), limit)])
        elif (leading := leading_rows(n, nodes, limit)) is not None:
            rounds.append([_values_sweep(leading[0], limit)])
            group = [*leading[0].group]
        elif is_large_sort(n, limit):
            rounds += [[_values_sweep(consumer, limit)] for consumer in planned_consumers(n, nodes)]
        elif n.op.kind == "call":
            rounds += planned([i for i in n.inputs if id(i) in over_files(n.inputs)])
        nodes = _over_stand_ins(nodes, group)
    while True:
        sweeps = [_values_sweep(consumer, limit) for consumer in consumers_of(nodes, whole)]
        group, lines = next_reductions(nodes, limit), broadcast_lines(nodes, limit)
        if not group and not lines:
            return [*rounds, [*map(fitting, sweeps)]] if sweeps else rounds
        if sweeps and all(s.fit_in_one_pass() for s in sweeps) and sum([len(s.roots) for s in sweeps]) == len(nodes):
            return [*rounds, sweeps]
        if lines:
            rounds += planned(lines)
            nodes = _over_stand_ins(nodes, lines)
            continue
        group = reading_alike(group, limit)
        waiting = [s.consumers[0] for s in sweeps]
        if (chain := chain_after(group, waiting, nodes, limit)) is not None:
            rounds += [[s] for s in chain.sweeps]
            values = set() if chain.has_reductions else {id(r) for consumer in waiting for r in consumer.roots}
            nodes = [n for n in nodes if id(n) not in values]
            group = [*group, *[n for n, _ in chain.dependent.pairs]]
        else:
            for s in reduction_sweeps(group, limit):
                sweeps = passes_of(fitting(s, may_exceed=True))
                chain_of_passes(sweeps)
                rounds += [[s] for s in sweeps]
        nodes = _over_stand_ins(nodes, group)


def _first_settled(nodes: Sequence[Node], limit: int) -> Node | None:
    """Return the innermost value over files to compute before its readers can be tiled; None if there is none.

    `limit` is the memory limit in bytes.
    """
    over, scans = over_files(nodes), scans_at_once(nodes, limit)
    small = set(map(id, small_wholes(nodes, limit)))
    for n in [n for n in below(nodes) if id(n) in over and not is_stored(n)]:
        is_swept_before = id(n) in scans or is_large_sort(n, limit) or leading_rows(n, nodes, limit) is not None
        if (is_swept_before and are_in_tiles(n.inputs, limit)) or (id(n) in small and id(n) not in set(map(id, nodes))):
            return n
    return None


def _over_stand_ins(nodes: Sequence[Node], group: Sequence[Node]) -> list[Node]:
    """Return nodes rebuilt over memory without pages in place of the values of `group`."""
    return over_values(nodes, {id(n): stand_in_array(n.desc.dtype.np, n.desc.shape, "a value") for n in group})


def _values(nodes: Sequence[Node], limit: int) -> list[MemoryWriter]:
    """Return consumers that compute nodes over files tile by tile into memory, one for each shape.

    `limit` is the memory limit in bytes.
    """
    found: dict[Shape, list[Node]] = {}
    unjoined = [n.inputs[0] if n.op.name == "reshape" and n.inputs[0].op.kind == "reduce" else n for n in nodes]
    for n in values_in_tiles([n for n in unjoined if not is_held_elsewhere(n)], limit):
        found.setdefault(n.desc.shape, []).append(n)
    return [MemoryWriter(same) for same in found.values()]


def _values_sweep(consumer: T, limit: int) -> Sweep[T]:
    shape = consumer.roots[0].desc.shape
    return Sweep([consumer], shape, range(len(shape)), limit)
