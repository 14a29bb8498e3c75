"""Batching of library routines: products of many matrices as few, and routines that do not know stacks.

The one idea: most routines take stacks of what they work on, which their rows in the op table say.  A product whose
other operand all entries share is one product of more rows: a library is asked once, not once for each entry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from weft import dtypes as dt
from weft.ir.atoms import selections as se
from weft.ir.atoms.atom import aligned, unshared
from weft.ir.graph.description import FIXED_ORDER, product_orders
from weft.ir.graph.node import Node, broadcast_shapes, elementwise, make, result, scalar
from weft.ir.graph.ops import OPS

Rule = Callable[[Node, Sequence[Node], int], Node]


def _stacks(n: Node, xs: Sequence[Node], size: int) -> Node:
    """Return the results of a routine that takes stacks of what it works on."""
    most = max([i.desc.ndim for i in n.inputs])
    inputs = tuple([aligned(x, i, most) for x, i in zip(xs, n.inputs, strict=True)])
    return make(n.op, inputs, n.attrs, result(n.desc.dtype, (size, *n.desc.shape)))


def _along(number: int) -> Rule:
    """Return the rule of a routine whose attribute of a number is the axis along which it works."""

    def rule(n: Node, xs: Sequence[Node], size: int) -> Node:
        attrs = tuple([a + 1 if k == number else a for k, a in enumerate(n.attrs)])
        origin = None if n.desc.origin is None else (0, *n.desc.origin)
        return make(n.op, (xs[0],), attrs, result(n.desc.dtype, (size, *n.desc.shape), origin))

    return rule


def by_entries(n: Node, xs: Sequence[Node], size: int) -> Node:
    """Return the results of a routine that is called for each entry, one after the other."""
    made = []
    for k in range(size):
        one = [se.index(x, [(0, k)]) if x.desc.ndim > i.desc.ndim else x for x, i in zip(xs, n.inputs, strict=True)]
        made.append(make(n.op, tuple(one), n.attrs, n.desc))
    if not made:
        return se.broadcast_to(scalar(0, n.desc.dtype), (0, *n.desc.shape))
    return se.stack(made, 0)


def _scatter_add(n: Node, xs: Sequence[Node], size: int) -> Node:
    """Return the sums of all entries' rows, whose positions are counted one entry after the other."""
    rows, at = unshared(n, xs, size)
    (count,), each = n.attrs, rows.desc.shape[1]
    entries = make(OPS["iota"], (), (0,), result(dt.int64, (size, 1)))
    first = elementwise(OPS["multiply"], entries, scalar(count, dt.int64))
    at = se.reshape(elementwise(OPS["add"], at, first), (size * each,))
    rows = _reshaped(rows, (size * each, *rows.desc.shape[2:]))
    shape = (size * count, *n.desc.shape[1:])
    made = make(n.op, (rows, at), (size * count,), result(n.desc.dtype, shape))
    return _reshaped(made, (size, *n.desc.shape))


def _searchsorted(n: Node, xs: Sequence[Node], size: int) -> Node:
    """Return the positions of what all entries look for in one vector; with a vector each they are calls each."""
    if xs[0].desc.ndim > n.inputs[0].desc.ndim:
        return by_entries(n, xs, size)
    return make(n.op, tuple(xs), n.attrs, result(n.desc.dtype, (size, *n.desc.shape)))


def _solve(n: Node, xs: Sequence[Node], size: int) -> Node:
    """Return the solutions of all entries; a matrix that they share is factored once, for all right sides."""
    a, b = xs
    if a.desc.ndim > 2 or n.inputs[1].desc.ndim > 2:
        return _stacks(n, xs, size)
    rows, columns = b.desc.shape[1:]
    sides = _reshaped(se.permute(b, (1, 0, 2)), (rows, size * columns))
    made = make(n.op, (a, sides), n.attrs, result(n.desc.dtype, sides.desc.shape))
    return se.permute(_reshaped(made, (rows, size, columns)), (1, 0, 2))


# ---- matrix products


def _matmul(n: Node, xs: Sequence[Node], size: int) -> Node:
    """Return the products of all entries, as matrices; vectors are rows or columns."""
    own_a, own_b = n.inputs
    a, b = xs
    if own_a.desc.ndim == 1:
        a = se.expand_dims(a, (a.desc.ndim - 1,))
    if own_b.desc.ndim == 1:
        b = se.expand_dims(b, (b.desc.ndim,))
    shared_a, shared_b = xs[0].desc.ndim == own_a.desc.ndim, xs[1].desc.ndim == own_b.desc.ndim
    if a.desc.shape[-1] == 1 and n.attrs != FIXED_ORDER:
        made = _outer(a, b, shared_a, shared_b)
    elif shared_b and b.desc.ndim == 2:
        lead = a.desc.shape[:-1]
        made = _reshaped(_product(_reshaped(a, (prod(lead), a.desc.shape[-1])), b, n), (*lead, b.desc.shape[-1]))
    elif shared_a and a.desc.ndim == 2 and own_b.desc.ndim == 1:
        columns = se.squeeze(b, (b.desc.ndim - 1,))
        made = se.expand_dims(_product(columns, se.permute(a, (1, 0)), n), (2,))
    else:
        ndim = max(a.desc.ndim - (not shared_a), b.desc.ndim - (not shared_b))
        a, b = (x if s else _widened(x, ndim) for x, s in ((a, shared_a), (b, shared_b)))
        made = _product(a, b, n)
    return _reshaped(made, (size, *n.desc.shape))


def _widened(x: Node, ndim: int) -> Node:
    """Return a batch with axes of size 1 after the first, so that its entries have rank `ndim`."""
    missing = ndim + 1 - x.desc.ndim
    return se.expand_dims(x, range(1, 1 + missing)) if missing else x


def _product(a: Node, b: Node, n: Node) -> Node:
    """Return the product of two stacks of matrices; how they are to lie follows from how they do."""
    lead = broadcast_shapes("matmul", a.desc.shape[:-2], b.desc.shape[:-2])
    shape = (*lead, a.desc.shape[-2], b.desc.shape[-1])
    return make(n.op, (a, b), product_orders(a.desc, b.desc, n.attrs == FIXED_ORDER), result(n.desc.dtype, shape))


def _outer(a: Node, b: Node, shared_a: bool, shared_b: bool) -> Node:
    """Return products over an axis of size 1: one multiplication for each cell."""
    ndim = max(a.desc.ndim - (not shared_a), b.desc.ndim - (not shared_b))
    a, b = (x if s else _widened(x, ndim) for x, s in ((a, shared_a), (b, shared_b)))
    return elementwise(OPS["logical_and" if a.desc.dtype.kind == "bool" else "multiply"], a, b)


def _reshaped(x: Node, shape: tuple[int, ...]) -> Node:
    """Return the row-major cells in another shape: a view where strides allow it."""
    if x.desc.shape == shape:
        return x
    return se.reshape_view(x, shape) or se.reshape(x, shape)


def routine(n: Node, xs: Sequence[Node], size: int) -> Node:
    """Return the results of a routine for a batch, as its row says; else it is called for each entry."""
    return _FORMS[n.op.batched](n, xs, size)


_FORMS: dict[str, Rule] = {"stacks": _stacks, "axis 0": _along(0), "axis 1": _along(1), "": by_entries}
RULES: dict[str, Rule] = {
    "matmul": _matmul,
    "scatter_add": _scatter_add,
    "searchsorted": _searchsorted,
    "solve": _solve,
}
