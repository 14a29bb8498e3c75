"""Joint sweeps: values and reductions of several shapes that read the same cells of files, in one walk.

The one idea: each shape has a sweep of its own, and a tile of one sweep comes behind the tiles of another that read the
same units.  So a loss and its gradients, of which one is a sum over rows and the other a product of columns, read
each chunk once.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node
from weft.ir.pieces.box import Box, box_of
from weft.passes.fuse import below
from weft.sources.read.touched_boxes import hull, overlap
from weft.sources.stream.consumers import AxisCut, Reductions
from weft.sources.stream.dependencies import Dependencies, reading_alike
from weft.sources.stream.interleaved_sweeps import WORTH, InterleavedSweeps, Tile, effort
from weft.sources.stream.reduction_sweeps import kinds_of, reduction_sweeps, sweep_of
from weft.sources.stream.scratch_chunks import ScratchSweep
from weft.sources.stream.sweep import SHORT, Sweep, T, TileConsumer
from weft.sources.stream.units import ChunkGroups, ReadUnit, chunks_of, groups_of, parts_around

MOST_READS = 1 << 14  # most units that tiles read, of sweeps whose orders are compared
ROOM = 32 << 20  # bytes of memory for which tiles of the first sweep are planned: units of plain files have their size


def joint_walk(
    nodes: Sequence[Node], sums: Mapping[int, Node], consumers: Sequence[TileConsumer], limit: int
) -> InterleavedSweeps | None:
    """Return one walk for first reductions below `nodes`, and consumers, of several shapes that need no other value.

    None if it reads about as much as their sweeps. Reductions that are read beside cells of files wait for their
    readers. `sums` has the products, by id, that are computed as sums; `limit` is the memory limit in bytes.
    """
    if len(consumers) < 2 and not Dependencies([*nodes, *sums.values()], limit).first_reductions():
        return None
    ready = [(t, sweep) for t in consumers if (sweep := _sweep_at_once(t, limit)) is not None]
    apart = {id(r) for t, _ in ready for r in t.roots}
    found = Dependencies([*[n for n in nodes if id(n) not in apart], *sums.values()], limit)
    after = found.settled.union(sums)
    first = found.first_reductions(after)
    by_shape: dict[Shape, list[Node]] = {}
    for n in first:
        by_shape.setdefault(n.inputs[0].desc.shape, []).append(n)
    if len(by_shape) + len(ready) < 2:
        return None
    beside = found.read_beside_files(first, after)
    alone = [[n for n in same if id(n) not in beside] for same in by_shape.values()]
    members = [_of_reductions(reading_alike(same, limit), limit) for same in alone if same]
    members += [_of_consumer(t, sweep) for t, sweep in ready if not _read_values(t, consumers, after)]
    most = max([m.nbytes for m in members], default=0)
    lead = max([m for m in members if m.nbytes >= WORTH * most], key=lambda m: m.least_bytes, default=None)
    others = [m for m in members if lead is not None and m is not lead and m.shares_cells(lead)]
    return _best_walk(lead, others, limit) if lead is not None and others else None


def sweep_of_whole(consumer: T, limit: int) -> Sweep[T] | None:
    """Return the sweep of a consumer whose tiles hold all that is reduced below it, within `limit` bytes.

    None if they cannot, or nothing is reduced.
    """
    below_it = Dependencies(consumer.roots, limit)
    if not (below_it.next_reductions() or below_it.broadcast_lines()):
        return None
    sweep = _sweep(consumer, limit)
    return sweep if sweep.fit_in_one_pass() else None


def _sweep_at_once(consumer: TileConsumer, limit: int) -> Sweep[Any] | None:
    """Return the sweep of a consumer that needs no other value; None if it needs one. It is within `limit` bytes."""
    below_it = Dependencies(consumer.roots, limit)
    if below_it.next_reductions() or below_it.broadcast_lines():
        return sweep_of_whole(consumer, limit)
    return _sweep(consumer, limit) if below_it.are_in_tiles() else None


def _sweep(consumer: T, limit: int) -> Sweep[T]:
    shape = consumer.roots[0].desc.shape
    return Sweep([consumer], shape, range(len(shape)), limit)


def _read_values(consumer: TileConsumer, consumers: Sequence[TileConsumer], after: set[int]) -> bool:
    """True if a consumer reads values of the others, or those with ids in `after`, which are then computed before."""
    others = {id(n) for t in consumers if t is not consumer for n in t.values}
    return any(id(n) in after or id(n) in others for n in below(consumer.roots))


@dataclass(frozen=True)
class _Member:
    """A sweep that may be joined with others; `plans(most, turning)` gives sweeps for the same within `most` bytes.

    With `turning`, tiles of reductions move along kept axes first.
    """

    limit: int
    sweep: Sweep[Any]
    plans: Callable[[int, bool], Sequence[Sweep[Any]]]

    @cached_property
    def effort(self) -> int:
        """Return the effort of a walk of its own."""
        return sum([effort(s.nbytes, s.tiling.count) for s in self.plans(self.limit, False)])

    @property
    def read(self) -> list[tuple[Node, Box]]:
        """Return the boxes of files that it reads."""
        return self.sweep.footprint.boxes(box_of(self.sweep.shape))

    @property
    def nbytes(self) -> int:
        """Return the bytes of all cells that are read."""
        return _nbytes(self.read)

    @property
    def least_bytes(self) -> int:
        """Return the bytes that are read for one cell."""
        return _nbytes(self.sweep.footprint.boxes(box_of((1,) * len(self.sweep.shape))))

    def shares_cells(self, other: _Member) -> bool:
        """True if both read some cells."""
        return any(f is g and overlap(a, b) for f, a in self.read for g, b in other.read)

    def planned(self, most: int, turning: bool, grids: Mapping[Node, Shape]) -> Sweep[Any] | None:
        """Return one sweep within the limit, with tiles for `most` bytes if these fit; None if there is none.

        `grids` has the sizes of parts of plain files at whose borders tiles begin.
        """
        sweeps = self.plans(most, turning)
        if not all(s.fits and not isinstance(s, ScratchSweep) for s in sweeps):
            most, sweeps = self.limit, self.plans(self.limit, turning)
        found = sweeps[0]
        if len(sweeps) > 1 or not found.fits or isinstance(found, ScratchSweep) or found.footprint.carried:
            return None
        folds, size = [t for t in found.consumers if isinstance(t, Reductions)], found.tiling.size
        if any(t.needs_two_passes(size) or (turning and t.is_costly(size)) for t in folds):
            return None
        if found.run_share(found.tiling) < (1 if turning else SHORT):
            return None
        if any(f in grids for f, _ in self.read):
            uncut, found = found.uncut, Sweep(found.consumers, found.shape, found.order, most)
            found.uncut, found.footprint.grids = uncut, grids
        made = Sweep(found.consumers, found.shape, found.order, self.limit)
        made.tiling = found.tiling
        return made if effort(0, made.tiling.count) <= self.effort else None


def _of_reductions(group: Sequence[Node], limit: int) -> _Member:
    kinds = kinds_of(group)

    def plans(most: int, turning: bool) -> Sequence[Sweep[Any]]:
        return [sweep_of(kinds, most, AxisCut.IN_ORDER, True)] if turning else reduction_sweeps(group, most)

    return _Member(limit, sweep_of(kinds, limit, AxisCut.NONE), plans)


def _of_consumer(consumer: TileConsumer, sweep: Sweep[Any]) -> _Member:
    def plans(most: int, turning: bool) -> Sequence[Sweep[Any]]:
        found = Sweep([consumer], sweep.shape, sweep.order, most)
        found.uncut = sweep.uncut
        return [found]

    return _Member(sweep.limit, sweep, plans)


def _nbytes(boxes: Sequence[tuple[Node, Box]]) -> int:
    return sum([b.cells * f.desc.dtype.itemsize for f, b in boxes])


def _best_walk(lead: _Member, others: Sequence[_Member], limit: int) -> InterleavedSweeps | None:
    """Return the walk over sweeps of `lead` and others that saves most effort; None if that is little."""
    found = [_joined(lead, others, limit, turning=False)]
    walk = found[0][0]
    if walk is None or len(walk.sweeps) <= len(others) or not walk.reads_singly:
        found.append(_joined(lead, others, limit, turning=True))
    walk, saved = max(found, key=lambda joined: joined[1])
    if walk is None or walk.effort > WORTH * (walk.effort + saved):
        return None
    walk.take_steps()
    return walk


def _joined(
    lead: _Member, others: Sequence[_Member], limit: int, turning: bool
) -> tuple[InterleavedSweeps | None, int]:
    """Return the walk over sweeps of `lead` and those others of which it saves half, and the effort that it saves.

    (None, 0) if there are none.
    """
    is_plain = any(chunks_of(f.attrs[0]) is None for f, _ in lead.read)
    first = lead.planned(min(limit // 4, ROOM) if is_plain else limit // 2, turning, {})
    boxes = [] if first is None else first.footprint.boxes(first.tiling.middle())
    tile = dict(boxes)
    grids = {f: b.size for f, b in tile.items() if chunks_of(f.attrs[0]) is None and hasattr(f.attrs[0], "read_box")}
    if first is None or (grids and len(boxes) > len(tile)):  # a part of a plain file is one box
        return None, 0
    every = {f: hull([b for m in (lead, *others) for g, b in m.read if g is f]) for f in tile}
    groups = {f: groups_of(f, tile[f], [box], limit) for f, box in every.items() if f not in grids}
    groups |= {f: ChunkGroups(size, parts_around(f, size, every[f])) for f, size in grids.items()}
    first.groups = first.groups | groups
    walk = _in_best_order([first], grids)
    if not walk.fits:
        return None, 0
    saved = lead.effort - walk.effort
    for m in others:
        if (behind := m.planned(limit // 2, turning, grids)) is not None:
            behind.groups = behind.groups | groups
            if _unit_reads(behind) > MOST_READS:
                continue
            joined = _in_best_order([*walk.sweeps, behind], grids)
            gain = walk.effort + m.effort - joined.effort
            if joined.fits and 2 * gain >= m.effort:
                walk, saved = joined, saved + gain
    return (walk, saved) if len(walk.sweeps) > 1 else (None, 0)


def _unit_reads(sweep: Sweep[Any]) -> int:
    """Return about how many units the tiles of a sweep read together."""
    boxes = sweep.footprint.boxes(sweep.tiling.middle())
    return sweep.tiling.count * sum([len(sweep.units(f, b)) for f, b in boxes])


def _in_best_order(sweeps: Sequence[Sweep[Any]], grids: Container[Node]) -> InterleavedSweeps:
    """Return the walk over sweeps in the order that reads least; `grids` has plain files that are read in parts."""
    room = _room(sweeps, grids)
    orders = [_in_turn(s, [o for o in sweeps if o is not s]) for s in sweeps]
    orders += [_evenly(sweeps)] if len(sweeps) > 1 else []
    return min([InterleavedSweeps(sweeps, tiles, room) for tiles in orders], key=lambda walk: walk.effort)


def _room(sweeps: Sequence[Sweep[Any]], grids: Container[Node]) -> int:
    """Return the bytes of units that are held beside the work of one sweep and what the others hold between tiles.

    Parts of the plain files in `grids` are copied together where a tile reads several.
    """
    held = [sum([t.needed(s.tiling.size) + t.waiting(s.tiling) for t in s.consumers]) for s in sweeps]
    reserved = [t.reserved for s in sweeps for t in s.consumers]
    copies = max([_nbytes([(f, b) for f, b in read if f in grids]) for s in sweeps for read in s.steps.read])
    beside = sum(held) + sum(reserved) - max(reserved) + copies
    return min([s.room + own - beside for s, own in zip(sweeps, held, strict=True)])


def _in_turn(lead: Sweep[Any], others: Sequence[Sweep[Any]]) -> list[Tile]:
    """Return the tiles of sweeps, each as soon as sweep `lead` has read its units, and in the order of its sweep."""
    first: dict[ReadUnit, int] = {}
    for i, step in enumerate(lead.steps.units):
        first.update({u: i for u in step.wanted if u not in first})
    found = [(i, (lead, i)) for i in range(len(lead.steps.units))]
    for s in others:
        ready = [max([first.get(u, 0) for u in step.wanted], default=0) for step in s.steps.units]
        found += [(at, (s, i)) for i, at in enumerate(accumulate(ready, max))]
    return [tile for _, tile in sorted(found, key=lambda timed: timed[0])]  # stable: those of `lead` come first


def _evenly(sweeps: Sequence[Sweep[Any]]) -> list[Tile]:
    """Return the tiles of sweeps, each after the same share of the others."""
    every = [((i + 1) / len(s.steps.units), (s, i)) for s in sweeps for i in range(len(s.steps.units))]
    return [tile for _, tile in sorted(every, key=lambda timed: timed[0])]
