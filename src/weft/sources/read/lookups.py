"""What takes read: the cells of an argument that a plan finds at addresses looked up in tables.

The one idea: a table of positions is an argument of the plan like any other, and its values are at hand before the plan
runs; working out its addresses with NumPy says which bytes of a file they name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from weft.ir.graph.node import Node
from weft.ir.kernels.plan import CallStep, Operand, Plan, Row
from weft.sources.read.read_footprint import Touch, joined, touch

MAX_ADDRESSES = 1 << 24  # addresses worked out for one row; a row of more reads the argument as a whole

Values = NDArray[np.int64]
Lookup = Callable[[int], Node | None]  # the leaf that is an argument, where its values are at hand


def looked_up(made: Plan, arg: int, leaf: Lookup) -> tuple[Touch, ...] | None:
    """What a plan reads of an argument, takes included; None where addresses depend on values not at hand."""
    found: list[Touch | None] = []
    for step in made.steps:
        if isinstance(step, CallStep):
            found += [
                touch(o.offset, o.strides, shape, o.dtype.itemsize)
                for o, shape in zip(step.args, step.shapes, strict=True)
                if o.arg == arg
            ]
            continue
        for row in step.rows:
            part = _of_row(row, arg, leaf)
            if part is None:
                return None
            found += part
    return joined([t for t in found if t is not None])


def _of_row(row: Row, arg: int, leaf: Lookup) -> list[Touch | None] | None:
    takes = [i for i in row.body if i.op == "gather" and isinstance(i.attr, int) and row.operands[i.attr].arg == arg]
    taken = {i.attr for i in takes}
    out = [
        touch(o.offset, o.strides, row.sizes, o.dtype.itemsize)
        for k, o in enumerate(row.operands)
        if o.arg == arg and k not in taken
    ]
    for i in takes:
        assert isinstance(i.attr, int)
        moved = _value(row, i.args[0], leaf) if prod(row.sizes) else np.zeros(0, np.int64)
        if moved is None:
            return None
        out.append(_at(row.operands[i.attr], row.sizes, moved))
    return out


def _at(o: Operand, sizes: Sequence[int], moved: Values) -> Touch | None:
    """The box of an operand at every offset that was looked up."""
    if not moved.size or 0 in sizes:
        return None
    apart = [s if moved.ndim <= d or moved.shape[d] == 1 else 0 for d, s in enumerate(o.strides)]
    for d, (s, t) in enumerate(zip(o.strides, apart, strict=True)):
        if s != t:  # the loop moves both the box and the address
            moved = moved + _along(d, s * np.arange(sizes[d]), len(sizes))
    box = touch(o.offset, apart, sizes, o.dtype.itemsize)
    return None if box is None else Touch(box.axes, box.itemsize, np.unique(moved) + box.offsets[0])


def _value(row: Row, number: int, leaf: Lookup) -> Values | None:
    """The value of an instruction over the row's box, with extent 1 along loops that it does not depend on."""
    i = row.body[number]
    args = [_value(row, a, leaf) for a in i.args]
    if any(a is None for a in args):
        return None
    given = [a for a in args if a is not None]
    if prod(np.broadcast_shapes(*[a.shape for a in given])) > MAX_ADDRESSES:
        return None
    if i.op in ("load", "coord", "gather"):
        assert isinstance(i.attr, int)
        o = row.operands[i.attr]
        at = _offsets(o, row.sizes)
        if at is None or i.op == "coord":
            return at
        return _entries(o, at + given[0] if given else at, leaf)
    if i.op == "astype" and i.dtype.is_integer:
        return given[0]
    combine = {"add": np.add, "multiply": np.multiply}.get(i.op)
    return None if combine is None else combine(*given)


def _offsets(o: Operand, sizes: Sequence[int]) -> Values | None:
    """The offset of every cell of an operand."""
    if prod([n for n, s in zip(sizes, o.strides, strict=True) if s]) > MAX_ADDRESSES:
        return None
    out = np.full((1,) * len(sizes), o.offset, np.int64)
    for d, (n, s) in enumerate(zip(sizes, o.strides, strict=True)):
        if s:
            out = out + _along(d, s * np.arange(n), len(sizes))
    return out


def _along(d: int, line: Values, ndim: int) -> Values:
    return line.reshape([-1 if e == d else 1 for e in range(ndim)])


def _entries(o: Operand, at: Values, leaf: Lookup) -> Values | None:
    """The entries of a table at byte offsets; None where it is no whole table at hand."""
    n = leaf(o.arg)
    table = None if n is None or n.alias is not None else n.value
    if table is None or not o.dtype.is_integer or o.swapped or not table.flags.c_contiguous:
        return None
    found: Values = table.reshape(-1)[at // o.dtype.itemsize].astype(np.int64)
    return found
