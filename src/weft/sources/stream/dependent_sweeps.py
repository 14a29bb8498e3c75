"""The sweeps that may follow others in one walk: of values, or reductions, that depend on reductions of one sweep.

The one idea: the memory for the values of the first sweep is there before it runs, so the dependants are planned over
it as over any stored value (`sweep_chain` walks over both).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from weft.ir.graph.node import Node, result, stored
from weft.passes.fuse import below, is_stored, over_files
from weft.passes.views import replaced
from weft.sources.stream.consumers import AxisCut, BinTotals, Reductions
from weft.sources.stream.dependencies import Dependencies, reading_alike
from weft.sources.stream.folds import Array
from weft.sources.stream.reduction_sweeps import (
    is_comfortable,
    kinds_of,
    passes_of,
    reduction_sweeps,
    sweep_in_parts,
    sweep_of,
)
from weft.sources.stream.scratch_chunks import ScratchSweep
from weft.sources.stream.sweep import Sweep, T
from weft.sources.stream.sweep_chain import SweepChain, best_chain
from weft.sources.stream.tiling import MOST_TILES, Tiling


def chain_after(
    group: Sequence[Node], consumers: Sequence[T], nodes: Sequence[Node], limit: int, parts: int = 0
) -> SweepChain | None:
    """Return one walk over the reductions in `group` and their dependants; None if it reads no less.

    The dependants are the one consumer that waits, or else the next round of reductions. If `parts` is given,
    the walk has at least so many groups of tiles that do not need each other, and no more tiles than are planned soon.
    """
    pending = [n for n in below(nodes) if n.op.kind == "reduce" and not is_stored(n) and n not in group]
    if not (consumers or pending) or any(n.attrs[0] != group[0].attrs[0] for n in group):
        return None
    first = sweep_of(kinds_of(group), limit, AxisCut.NONE)
    if not is_comfortable(first):
        first = sweep_in_parts(kinds_of(group), limit)
    if not first.fits or (parts and first.tiling.count > MOST_TILES):
        return None
    cells = {id(n): c for t in first.consumers for n, c in zip(t.group, t.outs, strict=True)}
    values = _values_after(consumers, first, cells, limit)
    behind = [values] if values is not None else _reductions_after(group, pending, nodes, cells, limit)
    return best_chain(_chains_of(first, behind), parts)


def _chains_of(first: Sweep[Reductions], behind: Iterable[Sweep[Any]]) -> Iterator[SweepChain]:
    """Yield the walk over sweep `first` and each of the alternatives for the sweep behind it."""
    for found in behind:
        if not (found.footprint.carried or _shares_reduced(found)):  # carried scans fix their tiles' order
            found.groups = first.groups  # all sweeps read the same units
            yield SweepChain(passes_of(first), found)


def _shares_reduced(sweep: Sweep[Any]) -> bool:
    """True if a take is made of the reductions alone: all tiles share it, but the reductions come in parts."""
    unchanged = set(map(id, below([r for t in sweep.consumers for r in t.roots])))
    made = [n for n in below(sweep.roots) if id(n) not in unchanged and id(n) not in sweep.over_files]
    return any(n.op.kind == "take" for n in made)


def _values_after(
    consumers: Sequence[T], first: Sweep[Reductions], cells: Mapping[int, Array], limit: int
) -> Sweep[T] | None:
    """Return the sweep of the single consumer that depends on the reductions of sweep `first`, else None.

    `cells` is the memory to which the values of these reductions go, by the ids of their nodes.
    """
    if len(consumers) != 1 or isinstance(consumers[0], BinTotals):
        return None
    (consumer,) = consumers
    roots = over_values(consumer.roots, cells)
    if not over_files(roots) or Dependencies(roots, limit).next_reductions():
        return None
    shape = roots[0].desc.shape
    order = first.order if shape == first.shape else range(len(shape))
    return Sweep([consumer], shape, order, limit, roots)


def _reductions_after(
    group: Sequence[Node], pending: Sequence[Node], nodes: Sequence[Node], cells: Mapping[int, Array], limit: int
) -> Iterator[Sweep[Reductions]]:
    """Yield alternatives for the sweep of the reductions that nodes need after `group`; none if no one sweep fits.

    `pending` are the other reductions below the nodes that have no value; `cells` is the memory for the values of the
    group, by the ids of its nodes. Tiles are small, to leave room for units that both sweeps read. The first
    alternative's tiles come in the order of the reduced cells. The second one's follow the tiles of the group: those of
    some kept cells read only their units.
    """
    # In max(x - max(x, axis=0)) the group is the inner maximum; the outer one is planned as its image, the same over
    # the memory of the inner one, and `stands_for` leads back from the image.
    images = over_values([*nodes, *pending], cells)
    after = Dependencies(images[: len(nodes)], limit).next_reductions()
    following = reading_alike([*group, *after], limit)[len(group) :]
    stands_for = {id(i): n for n, i in zip(pending, images[len(nodes) :], strict=True)}
    if not following or any(id(i) not in stands_for or not over_files(i.inputs) for i in following):
        return
    sweeps = reduction_sweeps(following, limit // 4)
    if not all(_is_in_order(sweep) for sweep in sweeps):
        sweeps = reduction_sweeps(following, limit - limit // 4)
    small = sweeps[0]
    if len(sweeps) > 1 or isinstance(small, ScratchSweep) or not small.fits:
        return
    if any(t.needs_two_passes(small.tiling.size) for t in small.consumers):
        return
    yield _dependent(small, small.tiling, limit, stands_for)
    if small.shape != group[0].inputs[0].desc.shape or not all(t.cut is AxisCut.IN_ORDER for t in small.consumers):
        return
    rows = sweep_of([t.group for t in small.consumers], limit - limit // 4, AxisCut.ANY_ROWS)
    along = [
        [(0, n)] if a in group[0].attrs[0] else s
        for a, (n, s) in enumerate(zip(rows.shape, rows.tiling.spans, strict=True))
    ]
    tiling = Tiling(along, [min(m, n) for m, n in zip(rows.tiling.most, rows.tiling.size, strict=True)])
    if rows.share(tiling) <= 1:
        yield _dependent(rows, tiling, limit, stands_for)


def _is_in_order(sweep: Sweep[Reductions]) -> bool:
    """True if a sweep's tiles fit, and come in the order of reduced cells without copied chunks."""
    in_order = all(t.cut is not AxisCut.ANY_ORDER for t in sweep.consumers)
    return in_order and sweep.fits and not isinstance(sweep, ScratchSweep)


def _dependent(
    small: Sweep[Reductions], tiling: Tiling, limit: int, stands_for: Mapping[int, Node]
) -> Sweep[Reductions]:
    """Return the sweep of the pending nodes of the reductions in `small`, with another tiling, within `limit` bytes.

    `stands_for` has the pending node for each of its reductions, by id.
    """
    consumers = [Reductions([stands_for[id(i)] for i in t.group], t.cut, t.turning) for t in small.consumers]
    sweep = Sweep(consumers, small.shape, small.order, limit, small.roots)
    sweep.tiling = tiling
    return sweep


def over_values(nodes: Sequence[Node], cells: Mapping[int, Array]) -> list[Node]:
    """Return nodes rebuilt over stored memory in place of the nodes whose ids are in `cells`."""

    def value(n: Node) -> Node | None:
        if id(n) not in cells:
            return None
        return stored(result(n.desc.dtype, n.desc.shape, n.desc.origin), cells[id(n)].reshape(n.desc.shape))

    return replaced(nodes, value)
