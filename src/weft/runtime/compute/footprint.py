"""Footprint of a plan: for each argument of its kernels, the strided patterns of bytes that they read.

The one idea: an operand is an offset and one stride for each loop axis, so the bytes that a program reads are known
before it runs.  The bytes that a take reads are known too if its index table is stored: NumPy computes the addresses.
Patterns of the same form are stored together, as one form and a list of offsets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.ir.graph.node import Node
from weft.ir.kernels.plan import CallStep, Operand, Plan, Row

MAX_ADDRESSES = 1 << 24  # most addresses computed for one row; a row of more counts as reading the whole argument

Values = NDArray[np.int64]
Lookup = Callable[[int], Node | None]  # returns the leaf of an argument if its values are stored
Axes = tuple[tuple[int, int], ...]  # (step, count) of loop axes, steps positive and rising, counts above 1


@dataclass(frozen=True, slots=True)
class Touch:
    """`itemsize` bytes at every offset + Σ step·i, 0 <= i < count, in bytes from the argument's cell 0."""

    axes: Axes
    itemsize: int
    offsets: NDArray[np.int64]

    def moved(self, nbytes: int) -> Touch:
        """Return the same pattern with `nbytes` added to every offset."""
        return Touch(self.axes, self.itemsize, self.offsets + nbytes) if nbytes else self


def touch(offset: int, strides: Sequence[int], sizes: Sequence[int], itemsize: int) -> Touch | None:
    """Return the bytes of a strided box of cells as a pattern, or None if the box is empty.

    >>> touch(8, (-4, 0), (3, 9), 4)
    Touch(axes=((4, 3),), itemsize=4, offsets=array([0]))
    """
    if prod(sizes) == 0:
        return None
    axes = []
    for stride, n in zip(strides, sizes, strict=True):
        if n > 1 and stride:
            offset += min(stride, 0) * (n - 1)
            axes.append((abs(stride), n))
    return Touch(tuple(sorted(axes)), itemsize, np.array([offset], np.int64))


def joined(touches: Iterable[Touch]) -> tuple[Touch, ...]:
    """Return the patterns, those of the same axes and itemsize merged into one with the offsets of all."""
    forms: dict[tuple[Axes, int], list[NDArray[np.int64]]] = {}
    for t in touches:
        forms.setdefault((t.axes, t.itemsize), []).append(t.offsets)
    return tuple(Touch(*form, np.unique(np.concatenate(offsets))) for form, offsets in forms.items())


# ---- of a plan


def touched(plan: Plan, arg: int, find_leaf: Lookup = lambda arg: None) -> tuple[Touch, ...] | None:
    """Return the byte patterns that a plan reads of argument `arg`; None if they are not known beforehand.

    `find_leaf(arg)` returns the node of an argument whose values are stored, such as an index array, else None.
    """
    found: list[Touch | None] = []
    for step in plan.steps:
        if isinstance(step, CallStep):
            found += [
                touch(o.offset, o.strides, shape, o.dtype.itemsize)
                for o, shape in zip(step.args, step.shapes, strict=True)
                if o.arg == arg
            ]
            continue
        for row in step.rows:
            part = _of_row(row, arg, find_leaf)
            if part is None:
                return None
            found += part
    known = [t for t in found if t is not None]
    return joined(known) if len(known) > 1 else tuple(known)


def _of_row(row: Row, arg: int, find_leaf: Lookup) -> list[Touch | None] | None:
    """Return the byte patterns that a row reads of argument `arg`; None if they depend on values not stored.

    `find_leaf` is that of `touched`.
    """
    takes = [i for i in row.body if i.op == "gather" and isinstance(i.attr, int) and row.operands[i.attr].arg == arg]
    taken = {i.attr for i in takes}
    out = [
        touch(o.offset, o.strides, row.sizes, o.dtype.itemsize)
        for k, o in enumerate(row.operands)
        if o.arg == arg and k not in taken
    ]
    for i in takes:
        assert isinstance(i.attr, int)
        moved = _value(row, i.args[0], find_leaf) if prod(row.sizes) else np.zeros(0, np.int64)
        if moved is None:
            return None
        out.append(_touch_of(row.operands[i.attr], row.sizes, moved))
    return out


def _touch_of(operand: Operand, box_sizes: Sequence[int], looked_up: Values) -> Touch | None:
    """Return the bytes that an operand of a row with a box of `box_sizes` reads; None if there are none.

    `looked_up` are the byte offsets that tables give.
    """
    if not looked_up.size or 0 in box_sizes:
        return None
    apart = [s if looked_up.ndim <= d or looked_up.shape[d] == 1 else 0 for d, s in enumerate(operand.strides)]
    for d, (s, t) in enumerate(zip(operand.strides, apart, strict=True)):
        if s != t:  # the loop moves both the box and the address
            looked_up = looked_up + _as_axis(d, s * np.arange(box_sizes[d]), len(box_sizes))
    box = touch(operand.offset, apart, box_sizes, operand.dtype.itemsize)
    return None if box is None else Touch(box.axes, box.itemsize, np.unique(looked_up) + box.offsets[0])


def _value(row: Row, number: int, find_leaf: Lookup) -> Values | None:
    """Return instruction `number`'s integer values over the row's box; None if they are not known before the run.

    Axes on which the values do not depend have extent 1. `find_leaf` is that of `touched`.
    """
    i = row.body[number]
    args = [_value(row, a, find_leaf) for a in i.args]
    if any(a is None for a in args):
        return None
    given = [a for a in args if a is not None]
    if prod(np.broadcast_shapes(*[a.shape for a in given])) > MAX_ADDRESSES:
        return None
    if i.op in ("load", "coord", "gather"):
        assert isinstance(i.attr, int)
        o = row.operands[i.attr]
        table = None if i.op == "coord" else _table(o, find_leaf)
        at = _offsets(o, row.sizes) if i.op == "coord" or table is not None else None
        if at is None or table is None:
            return at
        entries: Values = table[(at + given[0] if given else at) // o.dtype.itemsize].astype(np.int64)
        return entries
    if i.op == "astype" and i.dtype.is_integer:
        return given[0]
    combine = {"add": np.add, "multiply": np.multiply}.get(i.op)
    return None if combine is None else combine(*given)


def _offsets(operand: Operand, box_sizes: Sequence[int]) -> Values | None:
    """Return the byte offset of every cell of an operand; None if there are more than MAX_ADDRESSES."""
    if prod([n for n, s in zip(box_sizes, operand.strides, strict=True) if s]) > MAX_ADDRESSES:
        return None
    out = np.full((1,) * len(box_sizes), operand.offset, np.int64)
    for d, (n, s) in enumerate(zip(box_sizes, operand.strides, strict=True)):
        if s:
            out = out + _as_axis(d, s * np.arange(n), len(box_sizes))
    return out


def _as_axis(axis: int, values: Values, ndim: int) -> Values:
    """Return `values` as an array of `ndim` axes that runs along an axis."""
    return values.reshape([-1 if e == axis else 1 for e in range(ndim)])


def _table(operand: Operand, find_leaf: Lookup) -> NDArray[Any] | None:
    """Return the integers of an operand's argument in row-major order.

    None if they are not stored as one contiguous array in native byte order.
    """
    n = find_leaf(operand.arg)
    table = None if n is None or n.alias is not None else n.value
    if table is None or not operand.dtype.is_integer or operand.swapped or not table.flags.c_contiguous:
        return None
    return table.reshape(-1)
