"""Takes of composites: a table of positions is moved down to what the composite is made of.

The one idea: a table is at hand when a take is built, so the arithmetic by which a composite finds a cell is done on
the table, once.  The composite is not stored to be looked up in: a few cells of a tile of millions cost a few cells.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.ir.atoms import affine as se
from weft.ir.atoms import composites as co
from weft.ir.atoms.position_tables import Table
from weft.ir.graph.node import Node

Moved = tuple[Node, Table]


def through(n: Node, axis: int, table: Table) -> Moved:
    """What a table along an axis of a pending node reads, and the table there."""
    while table.size and n.value is None and (n.alias is None or n.alias[0].value is None):
        move = _MOVES.get(n.op.name)
        found = move(n, axis, table) if move is not None else None
        if found is None:
            break
        n, table = found
    return n, table


def by_parts(n: Node, axis: int, table: Table) -> tuple[Table, Table] | None:
    """For positions along the axis of a pending concat or interleave: the numbers of parts, the positions there."""
    if n.value is not None or n.op.name not in ("concat", "interleave") or n.attrs[0] != axis:
        return None
    if n.op.name == "interleave":
        return table % len(n.inputs), table // len(n.inputs)
    offsets = np.asarray(n.attrs[1])
    number = np.searchsorted(offsets, table, side="right") - 1
    return number, table - offsets[number]


def _tile(n: Node, axis: int, table: Table) -> Moved | None:
    (x,), (reps,) = n.inputs, n.attrs
    if reps[axis] == 1:
        return None
    rest = [1 if d == axis else m for d, m in enumerate(reps)]
    return x if max(rest) == min(rest) == 1 else co.tile(x, rest), table % x.desc.shape[axis]


def _repeat(n: Node, axis: int, table: Table) -> Moved | None:
    count, along = n.attrs
    return (n.inputs[0], table // count) if along == axis else None


def _roll(n: Node, axis: int, table: Table) -> Moved | None:
    (x,), (shifts, axes) = n.inputs, n.attrs
    if axis not in axes:
        return None
    rest = [(s, a) for s, a in zip(shifts, axes, strict=True) if a != axis]
    rolled = co.roll(x, [s for s, _ in rest], [a for _, a in rest]) if rest else x
    return rolled, (table - shifts[axes.index(axis)]) % x.desc.shape[axis]


def _pad(n: Node, axis: int, table: Table) -> Moved | None:
    (x, fill), (widths, mode) = n.inputs, n.attrs
    if mode == "constant" or widths[axis] == (0, 0):
        return None
    rest = [(0, 0) if d == axis else w for d, w in enumerate(widths)]
    padded = co.pad(x, rest, mode, fill) if any(map(any, rest)) else x
    return padded, _folded(table - widths[axis][0], x.desc.shape[axis], mode)


def _folded(y: Table, n: int, mode: str) -> Table:
    """The position inside the axis that a position outside repeats."""
    if mode == "edge" or (mode == "reflect" and n == 1):
        return np.clip(y, 0, n - 1)
    if mode == "wrap":
        return y % n
    period = 2 * n if mode == "symmetric" else 2 * (n - 1)
    y = y % period
    return np.where(y < n, y, (2 * n - 1 if mode == "symmetric" else period) - y)


def _slice(n: Node, axis: int, table: Table) -> Moved | None:
    (x,), (slices,) = n.inputs, n.attrs
    whole = [(0, 1, m) for m in x.desc.shape]
    if slices[axis] == whole[axis]:
        return None
    rest = [w if d == axis else s for d, (s, w) in enumerate(zip(slices, whole, strict=True))]
    start, step, _ = slices[axis]
    return x if rest == whole else se.slice_(x, rest), start + step * table


def _flip(n: Node, axis: int, table: Table) -> Moved | None:
    (x,), (axes,) = n.inputs, n.attrs
    if axis not in axes:
        return None
    rest = [a for a in axes if a != axis]
    return se.flip(x, rest) if rest else x, x.desc.shape[axis] - 1 - table


_MOVES: dict[str, Callable[[Node, int, Table], Moved | None]] = {
    "tile": _tile,
    "repeat": _repeat,
    "roll": _roll,
    "pad": _pad,
    "slice": _slice,
    "flip": _flip,
}
