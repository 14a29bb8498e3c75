"""Rounds: the order in which sweeps compute the parts of nodes that read files.

The one idea: a round is the reductions that depend on no pending one (`waiting`), all of one shape in one sweep; values
go last, in one walk with the reductions they depend on if files are then read less (`sweep_chain`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, result, root_of, stored
from weft.ir.graph.ops import SORTS
from weft.ir.kernels.sum_order import BLOCK
from weft.passes.fuse import below, is_stored, over_files
from weft.passes.views import replaced
from weft.runtime.compute import engine, stages
from weft.runtime.compute.checked_values import CHECKED, verify
from weft.runtime.compute.signature import Work
from weft.runtime.devices.placement import is_held_elsewhere
from weft.runtime.memory.giving_back import trim_memory_after
from weft.runtime.memory.limits import granted, limit_of_sweeps
from weft.sources.read.address_space import stand_in_array
from weft.sources.read.fetching import fetches_of
from weft.sources.stream.appended_cells import AppendedScan
from weft.sources.stream.consumers import AxisCut, BinTotals, MemoryWriter, Reductions
from weft.sources.stream.folds import Array, is_in_order
from weft.sources.stream.leading_rows import leading_rows
from weft.sources.stream.product_sums import summed_products
from weft.sources.stream.remote_executor import TaskShare, remote_executor
from weft.sources.stream.reshaped_reductions import unreshape, unreshaped
from weft.sources.stream.scratch_chunks import ScratchSweep, fitting
from weft.sources.stream.sorts import is_large_sort, planned_consumers, publish_readers, readers_of, sort_externally
from weft.sources.stream.sweep import IN_TILE, Sweep, T
from weft.sources.stream.sweep_chain import DependentSweep, SweepChain, best_chain
from weft.sources.stream.tiling import COMFORT, MOST_TILES, Tiling
from weft.sources.stream.waiting import (
    are_in_tiles,
    broadcast_lines,
    next_reductions,
    reading_alike,
    scans_at_once,
    small_wholes,
    values_in_tiles,
)

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
    beside = min(most, limit_of_sweeps()) - work.program.peak  # for what is read, of which tables of positions are long
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
        if executor is None and (chain := _chain(group, later, nodes, limit)) is not None:
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


def reduction_sweeps(reductions: Sequence[Node], limit: int) -> list[Sweep[Reductions]]:
    """Return one sweep of reductions over inputs of one shape, or one for each set of axes if too large.

    `limit` is the memory limit in bytes.
    """
    sweep = _reduction_sweep(_kinds(reductions), limit)
    every_axes = list(dict.fromkeys([n.attrs[0] for n in reductions]))
    if len(every_axes) == 1 or sweep.fits:
        return [sweep]
    alike = [[n for n in reductions if n.attrs[0] == axes] for axes in every_axes]
    return [sweep for same in alike for sweep in reduction_sweeps(same, limit)]


def _kinds(reductions: Sequence[Node]) -> list[list[Node]]:
    """Return the reductions in groups with the same axes and the same kind of state between tiles."""
    kinds: dict[object, list[Node]] = {}
    for n in reductions:
        kinds.setdefault((n.attrs[0], is_in_order(n), n.op.name == "var"), []).append(n)
    return list(kinds.values())


def _chain(group: Sequence[Node], consumers: Sequence[T], nodes: Sequence[Node], limit: int) -> SweepChain | None:
    """Return one walk over the reductions in `group` and their dependants; None if it reads no less.

    The dependants are the one consumer that waits, or else the next round of reductions (`pairs`).
    """
    if any(n.attrs[0] != group[0].attrs[0] for n in group):
        return None
    first = _sweep_in_parts(_kinds(group), limit)
    if not first.fits:
        return None
    cells = {id(n): c for t in first.consumers for n, c in zip(t.group, t.outs, strict=True)}
    values = _values_after(consumers, first, cells, limit)
    behind = [values] if values is not None else _reductions_after(group, nodes, cells, limit)
    return best_chain(_chains_of(first, behind))


def _chains_of(first: Sweep[Reductions], behind: Iterable[DependentSweep]) -> Iterator[SweepChain]:
    """Yield the walk over sweep `first` and each of the alternatives for the sweep behind it."""
    for found in behind:
        if not found.sweep.footprint.carried:  # carried scans fix their tiles' order
            found.sweep.groups = first.groups  # all sweeps read the same units
            yield SweepChain(_rounds_of(first), found)


def _values_after(
    consumers: Sequence[T], first: Sweep[Reductions], cells: Mapping[int, Array], limit: int
) -> DependentSweep | None:
    """Return the sweep of the single consumer that depends on the reductions of sweep `first`, else None.

    `cells` is the memory to which the values of these reductions go, by the ids of their nodes.
    """
    if len(consumers) != 1 or isinstance(consumers[0], BinTotals):
        return None
    (consumer,) = consumers
    roots = _over_values(consumer.roots, cells)
    if not over_files(roots) or next_reductions(roots, limit):
        return None
    shape = roots[0].desc.shape
    order = first.order if shape == first.shape else range(len(shape))
    return DependentSweep(Sweep([consumer], shape, order, limit, roots), consumer.roots, [])


def _reductions_after(
    group: Sequence[Node], nodes: Sequence[Node], cells: Mapping[int, Array], limit: int
) -> Iterator[DependentSweep]:
    """Yield alternatives for the sweep of the reductions that nodes need after `group`; none if no one sweep fits.

    `cells` is the memory for the values of the group, by the ids of its nodes. Tiles are small, to leave room for
    units that both sweeps read. The first alternative's tiles come in the order of the reduced cells. The second one's
    follow the tiles of the group: those of some kept cells read only their units.
    """
    pending = [n for n in below(nodes) if n.op.kind == "reduce" and not is_stored(n) and id(n) not in cells]
    images = _over_values([*nodes, *pending], cells)
    following = reading_alike([*group, *next_reductions(images[: len(nodes)], limit)], limit)[len(group) :]
    stands_for = {id(i): n for n, i in zip(pending, images[len(nodes) :], strict=True)}
    if not following or any(id(i) not in stands_for or not over_files(i.inputs) for i in following):
        return
    sweeps = reduction_sweeps(following, limit // 4)
    if any(t.cut is AxisCut.ANY_ORDER for sweep in sweeps for t in sweep.consumers) or not sweeps[0].fits:
        sweeps = reduction_sweeps(following, limit - limit // 4)
    small = sweeps[0]
    if len(sweeps) > 1 or isinstance(small, ScratchSweep) or not small.fits:
        return
    if any(t.needs_two_passes(small.tiling.size) for t in small.consumers):
        return
    yield _dependent(small, small.tiling, limit, stands_for)
    if small.shape != group[0].inputs[0].desc.shape or not all(t.cut is AxisCut.IN_ORDER for t in small.consumers):
        return
    rows = _sweep_of([t.group for t in small.consumers], limit - limit // 4, AxisCut.ANY_ROWS)
    along = [
        [(0, n)] if a in group[0].attrs[0] else s
        for a, (n, s) in enumerate(zip(rows.shape, rows.tiling.spans, strict=True))
    ]
    tiling = Tiling(along, [min(m, n) for m, n in zip(rows.tiling.most, rows.tiling.size, strict=True)])
    if rows.share(tiling) <= 1:
        yield _dependent(rows, tiling, limit, stands_for)


def _dependent(small: Sweep[Reductions], tiling: Tiling, limit: int, stands_for: Mapping[int, Node]) -> DependentSweep:
    """Return the sweep of the reductions in `small` with another tiling, within `limit` bytes.

    `stands_for` has the pending node for each of its reductions, by id.
    """
    sweep = Sweep(small.consumers, small.shape, small.order, limit)
    sweep.tiling = tiling
    pairs = [(stands_for[id(i)], i) for t in small.consumers for i in t.group]
    return DependentSweep(sweep, [n.inputs[0] for n, _ in pairs], pairs)


def _over_values(nodes: Sequence[Node], cells: Mapping[int, Array]) -> list[Node]:
    """Return nodes rebuilt over stored memory in place of the nodes whose ids are in `cells`."""

    def value(n: Node) -> Node | None:
        if id(n) not in cells:
            return None
        return stored(result(n.desc.dtype, n.desc.shape, n.desc.origin), cells[id(n)].reshape(n.desc.shape))

    return replaced(nodes, value)


def _run_reductions(sweep: Sweep[Reductions]) -> None:
    """Compute the reductions of a sweep, with a second sweep for variances that need block means first.

    Raises the errors of reading and computing.
    """
    sweeps = _rounds_of(sweep)
    if remote_executor() is None and (chain := _chain_of_rounds(sweeps)) is not None:
        chain.run()
        return
    for s in sweeps:
        s.run()
    for consumer in sweep.consumers:
        consumer.publish()


def _rounds_of(sweep: Sweep[Reductions]) -> list[Sweep[Reductions]]:
    """Return a sweep of reductions, and a second one over the same tiles for variances that need it."""
    second = [t for t in sweep.consumers if t.needs_two_passes(sweep.tiling.size)]
    return [sweep, _second_sweep(sweep, second)] if second else [sweep]


def _chain_of_rounds(sweeps: Sequence[Sweep[Reductions]]) -> SweepChain | None:
    """Return both sweeps of variances as one walk; None if there is one sweep, or one walk reads no less."""
    if len(sweeps) == 1 or any(isinstance(s, ScratchSweep) for s in sweeps):
        return None
    return best_chain([SweepChain(sweeps)])


def _second_sweep(sweep: Sweep[Reductions], consumers: Sequence[Reductions]) -> Sweep[Reductions]:
    """Return a second sweep over the same tiles for the given consumers."""
    second = Sweep(consumers, sweep.shape, sweep.order, sweep.limit)
    second = ScratchSweep(second) if isinstance(sweep, ScratchSweep) else second
    second.tiling, second.groups = sweep.tiling, sweep.groups
    return second


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
        if (chain := _chain(group, waiting, nodes, limit)) is not None:
            rounds += [[s] for s in chain.sweeps]
            values = set() if chain.has_reductions else {id(r) for consumer in waiting for r in consumer.roots}
            nodes = [n for n in nodes if id(n) not in values]
            group = [*group, *[n for n, _ in chain.dependent.pairs]]
        else:
            for s in reduction_sweeps(group, limit):
                sweeps = _rounds_of(fitting(s, may_exceed=True))
                _chain_of_rounds(sweeps)
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
    return _over_values(nodes, {id(n): stand_in_array(n.desc.dtype.np, n.desc.shape, "a value") for n in group})


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


def _reduction_sweep(groups: Sequence[Sequence[Node]], limit: int) -> Sweep[Reductions]:
    """Return the cheapest sweep for groups of reductions below the memory limit in bytes.

    Tiles hold the whole reduced axes if that takes little memory or if cutting is expensive; else they are cut along
    these.
    """
    whole = _sweep_of(groups, limit, AxisCut.NONE)
    if whole.share(whole.tiling) <= COMFORT and whole.run_share(whole.tiling) == 1:
        return whole
    parts = _sweep_in_parts(groups, limit)
    if (copied := _over_copies(parts, groups, limit)) is not None:
        return copied
    if whole.fits and any(t.is_costly(parts.tiling.size) for t in parts.consumers):
        return whole
    # tiles that do not fit are not listed, as they may be many
    if parts.fits and parts.reads_singly and parts.run_share(parts.tiling) == 1:
        return parts
    turning = _sweep_of(groups, limit, AxisCut.IN_ORDER, turning=True)
    if not turning.fits or turning.tiling.count > max(MOST_TILES, parts.tiling.count):  # to plan them takes seconds
        return parts
    longer = turning.run_share(turning.tiling) > parts.run_share(parts.tiling)
    is_worth_it = longer or not parts.fits or turning.nbytes < parts.nbytes
    return turning if is_worth_it else parts


def _over_copies(parts: Sweep[Reductions], groups: Sequence[Sequence[Node]], limit: int) -> Sweep[Reductions] | None:
    """Return a sweep in order over decoded copies of chunks, if nearly all cells of sweep `parts` wait for others.

    None if tiles of `parts` hold whole blocks, or come in order, or if the copies do not fit or other processes help.
    """
    waiting = [t for t in parts.consumers if t.cut is AxisCut.ANY_ORDER and is_in_order(t.group[0])]
    if remote_executor() is not None or not any(t.axes.run_length(parts.tiling.size) < BLOCK for t in waiting):
        return None
    copied = ScratchSweep(_sweep_of(groups, limit, AxisCut.IN_ORDER))
    return copied if copied.copies and copied.fits and copied.run_share(copied.tiling) == 1 else None


def _sweep_in_parts(groups: Sequence[Sequence[Node]], limit: int) -> Sweep[Reductions]:
    """Return the sweep for groups of reductions whose tiles may be cut along the reduced axes.

    Tiles come in order if that fits into the limit, else in any order.
    """
    in_order = _sweep_of(groups, limit, AxisCut.IN_ORDER)
    if in_order.fits:
        return in_order
    any_order = _sweep_of(groups, limit, AxisCut.ANY_ORDER)
    return min(in_order, any_order, key=lambda sweep: sweep.share(sweep.tiling))


def _sweep_of(groups: Sequence[Sequence[Node]], limit: int, cut: AxisCut, turning: bool = False) -> Sweep[Reductions]:
    """Return the sweep for groups of reductions; with `turning`, tiles move along the kept axes first.

    `cut` says along which axes tiles are cut, `limit` is the memory limit in bytes.
    """
    n = groups[0][0]
    shape, axes = n.inputs[0].desc.shape, n.attrs[0]
    order = sorted(range(len(shape)), key=lambda a: (a in axes) is not turning)
    return Sweep([Reductions(g, cut, turning) for g in groups], shape, order, limit)
