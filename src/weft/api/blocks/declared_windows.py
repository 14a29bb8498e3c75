"""Windows of block functions as users write them: margins, or projections.

The one idea: margins around a cell are a projection whose matrix has a one where an axis of the input is an axis of the
index space, so all other modules handle projections alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weft.api.arguments import integer, shape_of
from weft.errors import ArgumentError, ShapeError
from weft.ir.graph import node as ir
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node
from weft.ir.pieces.projection import Projection
from weft.ir.pieces.tiling import outside


def windows_of(windows: Any, count: int) -> list[Any]:
    """Return the window of every input as a list; a window that is no list applies to all `count` inputs.

    Raises ArgumentError for a list of another length.
    """
    if not isinstance(windows, list):
        return [windows] * count
    if len(windows) != count:
        raise ArgumentError(
            f"map_blocks: {len(windows)} windows for {count} inputs; a list has one for each; give as many, or one "
            "that is no list for all"
        )
    return windows


def _margins(window: Any, ndim: int, number: int) -> list[tuple[int, int]]:
    """Return the numbers of neighbours (before, after) in a window along each axis of input `number`.

    Raises ShapeError for another number of axes than `ndim` or negative numbers, ArgumentError for a window of another
    kind, DTypeError for numbers that are no integers.
    """
    if window is None:
        return [(0, 0)] * ndim
    if hasattr(window, "__index__"):
        parts: list[Any] = [window] * ndim
    elif isinstance(window, Mapping):
        parts = [window.get(a, 0) for a in range(ndim)]
        if extra := [a for a in window if a not in range(ndim)]:
            raise ShapeError(f"map_blocks: a window along axis {extra[0]!r} of input {number}, which has {ndim} axes")
    elif isinstance(window, (tuple, list)):
        parts = list(window)
    else:
        raise ArgumentError(
            f"map_blocks: window {window!r:.60} of input {number}; it is None, an integer, (before, after) for each "
            "axis, or a Projection; give one of these"
        )
    if len(parts) != ndim:
        raise ShapeError(
            f"map_blocks: window {window!r:.60} of input {number}, which has {ndim} axes; each has a pair (before, "
            "after); give as many, such as ((1, 1), (0, 0))"
        )
    return [_pair(p, window, number) for p in parts]


def _pair(part: Any, window: Any, number: int) -> tuple[int, int]:
    """Return the numbers of neighbours along one axis, given as a pair or as one integer for both sides.

    Raises ShapeError unless there are two numbers, none negative, DTypeError unless they are integers.
    """
    pair = tuple(part) if isinstance(part, (tuple, list)) else (part, part)
    sizes = tuple([integer("map_blocks", "neighbours", n) for n in pair])
    if len(sizes) != 2 or min(sizes) < 0:
        raise ShapeError(
            f"map_blocks: {part!r} in window {window!r:.60} of input {number}; an axis has (before, after), 0 or more "
            "each; give a pair"
        )
    return sizes[0], sizes[1]


def index_space(windows: Sequence[Any], nodes: Sequence[Node], index: Any) -> Shape:
    """Return the shape of the index space: `index`, else the broadcast shape of inputs without margins.

    Raises ArgumentError if `index` is None and all windows are projections, ShapeError if inputs do not broadcast, or
    not to `index`, or are smaller than their margins.
    """
    found = [
        _inner(w, n.desc.shape, k)
        for k, (w, n) in enumerate(zip(windows, nodes, strict=True))
        if not isinstance(w, Projection)
    ]
    broadcast = ir.broadcast_shapes("map_blocks", *found) if found else None
    if index is None:
        if broadcast is None:
            raise ArgumentError(
                "map_blocks: projections alone; how far the index space goes does not follow from them; give index="
            )
        return broadcast
    space = shape_of("map_blocks", index)
    if broadcast is not None and ir.broadcast_shapes("map_blocks", space, broadcast) != space:
        raise ShapeError(
            f"map_blocks: index {space} for inputs of {broadcast} cells without margins; each index cell has a window; "
            "leave index= out, or give projections"
        )
    return space


def _inner(window: Any, shape: Shape, number: int) -> Shape:
    """Return the shape of input `number` without the margins of its window.

    Raises ShapeError if the margins are larger than the input or given for other axes, ArgumentError for a window of
    another kind.
    """
    margins = _margins(window, len(shape), number)
    found = tuple([n - b - a for n, (b, a) in zip(shape, margins, strict=True)])
    if min(found, default=0) < 0:
        raise ShapeError(
            f"map_blocks: input {number} of shape {shape} has no room for windows {window!r:.60}; a window is a cell "
            "with its neighbours; pad() the input, or give smaller windows"
        )
    return found


def input_windows(given: Sequence[Any], nodes: Sequence[Node], space: Shape) -> tuple[Projection, ...]:
    """Return the projection of every input.

    Raises ShapeError, with all faults, if windows reach outside their inputs or have other axes; ArgumentError for
    windows of another kind.
    """
    shapes = [n.desc.shape for n in nodes]
    found = tuple([_window(w, s, space, k) for k, (w, s) in enumerate(zip(given, shapes, strict=True))])
    said = ["" if 0 in space else outside(p, space, s, "needs") for p, s in zip(found, shapes, strict=True)]
    refuse(
        "input",
        [[fault] if fault else [] for fault in said],
        "windows lie inside their inputs; pad() the input, or give a smaller index=",
    )
    return found


def refuse(what: str, faults: Sequence[Sequence[str]], advice: str) -> None:
    """Raise ShapeError with the faults of all inputs or outputs, a list for each; does nothing for empty lists."""
    said = [f"{what} {k}: {', and '.join(found)}" for k, found in enumerate(faults) if found]
    if said:
        raise ShapeError(f"map_blocks: {'; '.join(said)}; {advice}")


def _window(window: Any, shape: Shape, space: Shape, number: int) -> Projection:
    """Return the projection of input `number` for its window.

    Raises ShapeError if the boxes of a projection have no cells, or it maps other numbers of axes; ArgumentError for a
    window that is neither margins nor a projection.
    """
    if not isinstance(window, Projection):
        return _around(window, shape, space, number)
    p = fitted(window, len(space), len(shape), f"window of input {number}")
    if 0 in p.shape:
        raise ShapeError(f"map_blocks: windows of shape {p.shape} of input {number}; there must be a cell in each")
    return p


def _around(window: Any, shape: Shape, space: Shape, number: int) -> Projection:
    """Return the projection of input `number` for margins: cells with their neighbours.

    An axis with one cell besides its margins is read by all index cells. Raises ShapeError for margins that do not fit
    the axes, ArgumentError for a window of another kind.
    """
    margins, lead = _margins(window, len(shape), number), len(space) - len(shape)
    inner = [n - b - a for n, (b, a) in zip(shape, margins, strict=True)]
    moves = [n != 1 or space[lead + a] == 1 for a, n in enumerate(inner)]
    rows = [[int(moves[a] and j == lead + a) for j in range(len(space))] for a in range(len(shape))]
    return Projection(rows, None, [1 + b + a for b, a in margins])


def fitted(p: Projection, index_ndim: int, ndim: int | None, what: str) -> Projection:
    """Return a projection extended to `index_ndim` index axes: leading axes without a column map to themselves.

    Raises ShapeError, naming `what`, if the projection has too many index axes, or does not map to `ndim` axes (None:
    any).
    """
    lead = index_ndim - p.index_ndim if p.matrix else 0
    wide = p.widened(lead) if lead > 0 else p
    if lead < 0 or ndim not in (None, wide.ndim):
        raise ShapeError(
            f"map_blocks: {what} maps {p.index_ndim} axes to {p.ndim}; the index space has {index_ndim}"
            + (f", the tensor {ndim}" if ndim is not None else "")
            + "; the matrix has a column and a row for each"
        )
    return wide
