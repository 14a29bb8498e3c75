"""The choice of sweeps for reductions: along which axes tiles are cut, and in which order they come.

The one idea: tiles that hold the whole reduced axes need no state; where these take too much memory, the sweeps of the
other cuts (`AxisCut`) are compared by the bytes they read and the memory they take.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from weft.ir.graph.node import Node, walk
from weft.ir.kernels.sum_order import BLOCK
from weft.passes.fuse import is_stored
from weft.sources.stream.consumers import AxisCut, Reductions
from weft.sources.stream.dependencies import Dependencies
from weft.sources.stream.folds import is_in_order
from weft.sources.stream.remote_executor import remote_executor
from weft.sources.stream.scratch_chunks import ScratchSweep
from weft.sources.stream.sweep import SHORT, Sweep
from weft.sources.stream.sweep_chain import SweepChain, best_chain
from weft.sources.stream.tiling import COMFORT, MOST_TILES


def reduction_sweeps(reductions: Sequence[Node], limit: int) -> list[Sweep[Reductions]]:
    """Return one sweep of reductions over inputs of one shape, or one for each set of axes if too large.

    `limit` is the memory limit in bytes.
    """
    sweep = _reduction_sweep(kinds_of(reductions), limit)
    every_axes = list(dict.fromkeys([n.attrs[0] for n in reductions]))
    if len(every_axes) == 1 or sweep.fits:
        return [sweep]
    alike = [[n for n in reductions if n.attrs[0] == axes] for axes in every_axes]
    return [sweep for same in alike for sweep in reduction_sweeps(same, limit)]


def sweep_of_last(group: Sequence[Node], nodes: Sequence[Node], limit: int) -> Sweep[Reductions] | None:
    """Return a sweep of reductions behind those in `group`, of which its tiles hold what they reduce; None if none can.

    These are the last ones for which tiles take little and read the files once. Nothing else below `nodes` may need
    those before them.
    """
    found, local, last = None, set[int](), list(group)
    while last:
        local |= set(map(id, last))
        last = Dependencies(nodes, limit, local).next_reductions()
        if not last or not local.isdisjoint(map(id, [*nodes, *_before(nodes, set(map(id, last)))])):
            continue
        sweep = sweep_of(kinds_of(last), limit, AxisCut.IN_ORDER)
        if not (sweep.fit_in_one_pass() and is_comfortable(sweep)):
            break
        found = sweep
    return found


def _before(nodes: Sequence[Node], ends: Container[int]) -> list[Node]:
    """Return the pending nodes below `nodes` that are read otherwise than through nodes with ids in `ends`."""

    def pending(read: Sequence[Node]) -> list[Node]:
        return [n for n in read if id(n) not in ends and not is_stored(n)]

    return walk(pending(nodes), lambda n: pending(n.inputs))


def kinds_of(reductions: Sequence[Node]) -> list[list[Node]]:
    """Return the reductions in groups with the same axes and the same kind of state between tiles."""
    kinds: dict[object, list[Node]] = {}
    for n in reductions:
        kinds.setdefault((n.attrs[0], is_in_order(n), n.op.name == "var"), []).append(n)
    return list(kinds.values())


def _reduction_sweep(groups: Sequence[Sequence[Node]], limit: int) -> Sweep[Reductions]:
    """Return the cheapest sweep for groups of reductions below the memory limit in bytes.

    Tiles hold the whole reduced axes if that takes little memory or if cutting is expensive; else they are cut along
    these.
    """
    whole = sweep_of(groups, limit, AxisCut.NONE)
    if is_comfortable(whole):
        return whole
    parts = sweep_in_parts(groups, limit)
    if (copied := _over_copies(parts, groups, limit)) is not None:
        return copied
    if whole.fits and any(t.is_costly(parts.tiling.size) for t in parts.consumers):
        return whole
    # tiles that do not fit are not listed, as they may be many
    if parts.fits and parts.reads_singly and parts.run_share(parts.tiling) == 1:
        return parts
    turning = sweep_of(groups, limit, AxisCut.IN_ORDER, turning=True)
    if not turning.fits or turning.tiling.count > max(MOST_TILES, parts.tiling.count):  # to plan them takes seconds
        return parts
    effort = 2 if any(t.is_costly(turning.tiling.size) for t in turning.consumers) else 1
    longer = turning.run_share(turning.tiling) > effort * parts.run_share(parts.tiling)
    is_worth_it = longer or not parts.fits or turning.nbytes < parts.nbytes
    return turning if is_worth_it else parts


def is_comfortable(sweep: Sweep[Reductions]) -> bool:
    """True if tiles of a sweep take little of the memory limit, and read long runs."""
    return sweep.share(sweep.tiling) <= COMFORT and sweep.run_share(sweep.tiling) == 1


def _over_copies(parts: Sweep[Reductions], groups: Sequence[Sequence[Node]], limit: int) -> Sweep[Reductions] | None:
    """Return a sweep in order over decoded copies of chunks, if nearly all cells of sweep `parts` wait for others.

    None if tiles of `parts` hold whole blocks, or come in order, or if the copies do not fit or other processes help.
    """
    waiting = [t for t in parts.consumers if t.cut is AxisCut.ANY_ORDER and is_in_order(t.group[0])]
    if remote_executor() is not None or not any(t.axes.run_length(parts.tiling.size) < BLOCK for t in waiting):
        return None
    copied = ScratchSweep(sweep_of(groups, limit, AxisCut.IN_ORDER))
    return copied if copied.copies and copied.fits and copied.run_share(copied.tiling) >= SHORT else None


def sweep_in_parts(groups: Sequence[Sequence[Node]], limit: int) -> Sweep[Reductions]:
    """Return the sweep for groups of reductions whose tiles may be cut along the reduced axes.

    Tiles come in order if that fits into the limit, else in any order.
    """
    in_order = sweep_of(groups, limit, AxisCut.IN_ORDER)
    if in_order.fits:
        return in_order
    any_order = sweep_of(groups, limit, AxisCut.ANY_ORDER)
    return min(in_order, any_order, key=lambda sweep: sweep.share(sweep.tiling))


def sweep_of(groups: Sequence[Sequence[Node]], limit: int, cut: AxisCut, turning: bool = False) -> Sweep[Reductions]:
    """Return the sweep for groups of reductions; with `turning`, tiles move along the kept axes first.

    `cut` says along which axes tiles are cut, `limit` is the memory limit in bytes.
    """
    n = groups[0][0]
    shape, axes = n.inputs[0].desc.shape, n.attrs[0]
    order = sorted(range(len(shape)), key=lambda a: (a in axes) is not turning)
    return Sweep([Reductions(g, cut, turning) for g in groups], shape, order, limit)


def passes_of(sweep: Sweep[Reductions]) -> list[Sweep[Reductions]]:
    """Return a sweep of reductions, and a second one over the same tiles for variances that need it."""
    second = [t for t in sweep.consumers if t.needs_two_passes(sweep.tiling.size)]
    return [sweep, _second_sweep(sweep, second)] if second else [sweep]


def chain_of_passes(sweeps: Sequence[Sweep[Reductions]]) -> SweepChain | None:
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
