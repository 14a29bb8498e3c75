"""Gradients of library routines, scans and sums of bins: products, sorting, Fourier transforms, running sums.

The one idea: the gradient of a routine is made of routines.
"""

from __future__ import annotations

from weft import dtypes as dt
from weft.ir.atoms import selections as se
from weft.ir.atoms.adjoints import adjoint
from weft.ir.atoms.atom import margined, positions, total
from weft.ir.graph import node as ir
from weft.ir.graph.description import FIXED_ORDER
from weft.ir.graph.node import Node, apply, scalar_like, where
from weft.ir.graph.ops import OPS
from weft.passes.device_assignment import device_of, transfer
from weft.passes.gradient.gradient_steps import (
    Gradients,
    Rule,
    call,
    conj,
    coordinate,
    product_of,
    quotient,
    scaled,
    times,
    transposed,
    value_of,
)

SWAPPED = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


# ---- scans
def _accumulated(name: str, x: Node, axis: int) -> Node:
    return call(name, x, (axis, False))


def _from_end(gradient: Node, axis: int) -> Node:
    """Return for every cell of a gradient the sum of the cells from there to the end of an axis."""
    return se.flip(_accumulated("cumulative_sum", se.flip(gradient, (axis,)), axis), (axis,))


def _without_initial(n: Node, gradient: Node) -> Node:
    """Return the gradient of scan n without its initial cell, which belongs to no operand."""
    axis, initial = n.attrs
    return positions(gradient, axis, 1, n.inputs[0].desc.shape[axis]) if initial else gradient


def _running_sum(n: Node, gradient: Node) -> Gradients:
    return (_from_end(_without_initial(n, gradient), n.attrs[0]),)


def _running_product(n: Node, gradient: Node) -> Gradients:
    """Return the gradient of running products, also for operands with zeros.

    Before the first zero it is the sum of all products that contain the cell, over the cell; at the zero it is the sum
    of the products without it; behind, 0.
    """
    x, axis = n.inputs[0], n.attrs[0]
    gradient, none = _without_initial(n, gradient), scalar_like(0, x)
    is_zero = apply("equal", x, none)
    count = _accumulated("cumulative_sum", ir.astype(is_zero, dt.int64), axis)
    first = apply("logical_and", is_zero, apply("equal", count, scalar_like(1, count)))
    others = where(first, scalar_like(1, x), x)
    at_first = _from_end(times(gradient, conj(_accumulated("cumulative_prod", others, axis))), axis)
    before = _from_end(times(gradient, conj(_accumulated("cumulative_prod", x, axis))), axis)
    before = quotient(before, conj(where(is_zero, scalar_like(1, x), x)))
    return (where(first, at_first, where(apply("equal", count, scalar_like(0, count)), before, none)),)


def _running_extreme(n: Node, gradient: Node) -> Gradients:
    """Return the gradient of running extremes, which goes to the extreme cell, the first of equal ones."""
    x, axis = n.inputs[0], n.attrs[0]
    size = x.desc.shape[axis]
    if size < 2:
        return (gradient,)
    y = value_of(n)
    before, now = positions(y, axis, 0, size - 1), positions(y, axis, 1, size - 1)
    is_new = apply("logical_and", apply("not_equal", now, before), apply("equal", before, before))  # none after NaN
    at = positions(coordinate(y, axis), axis, 1, size - 1)
    at = margined(where(is_new, at, scalar_like(0, at)), axis, 1, 0)
    return adjoint(_gathered(x, _accumulated("cumulative_max", at, axis), axis), gradient)[:1]


# ---- sorting and tables
def _gathered(x: Node, table: Node, axis: int) -> Node:
    """Return the cells of x at the positions of a table along an axis. The table has the shape of x."""
    tables = [table if d == axis else coordinate(x, d) for d in range(x.desc.ndim)]
    return ir.make(OPS["gather"], (x, *tables), (tuple(range(x.desc.ndim)), 0), ir.result(x.desc.dtype, x.desc.shape))


def _sort(n: Node, gradient: Node) -> Gradients:
    """Return the gradient of a sort's operand: each cell gets that of the position to which it was sorted."""
    axis, x = n.attrs[0], n.inputs[0]
    return (_gathered(gradient, call("argsort", call("argsort", x, n.attrs), (axis, False, ())), axis),)


def _scatter_add(n: Node, gradient: Node) -> Gradients:
    rows, at = n.inputs[0], ir.astype(n.inputs[1], dt.int64)
    return ir.make(OPS["gather"], (gradient, at), ((0,), 0), ir.result(gradient.desc.dtype, rows.desc.shape)), None


def _bin_sums(n: Node, gradient: Node) -> Gradients:
    """Return (None, gradient of the weights): that of the bin of each cell, 0 for a cell in no bin."""
    numbers, weights = n.inputs
    zero, (bins,) = scalar_like(0, gradient), n.attrs
    if not bins:
        return None, se.broadcast_to(zero, weights.desc.shape)
    numbers = ir.astype(numbers, dt.int64)
    above = apply("greater_equal", numbers, scalar_like(0, numbers))
    inside = apply("logical_and", above, apply("less", numbers, scalar_like(bins, numbers)))
    at = where(inside, numbers, scalar_like(0, numbers))
    found = ir.make(OPS["gather"], (gradient, at), ((0,), 0), ir.result(gradient.desc.dtype, weights.desc.shape))
    return None, where(inside, found, zero)


# ---- products
def _matmul(n: Node, gradient: Node) -> Gradients:
    """Return the gradients of a matrix product's operands; vectors count as matrices of one row or column."""
    a, b = n.inputs
    if b.desc.ndim == 1:
        b, gradient = se.expand_dims(b, (1,)), se.expand_dims(gradient, (gradient.desc.ndim,))
    if a.desc.ndim == 1:
        a, gradient = se.expand_dims(a, (0,)), se.expand_dims(gradient, (gradient.desc.ndim - 1,))
    orders = FIXED_ORDER if n.attrs == FIXED_ORDER else ("C", "C")
    left, right = product_of(gradient, transposed(conj(b)), orders), product_of(transposed(conj(a)), gradient, orders)
    return _as_vector(left, n.inputs[0], -2), _as_vector(right, n.inputs[1], -1)


def _as_vector(gradient: Node, x: Node, axis: int) -> Node:
    """Return a matrix gradient for operand x, reshaped back if x is a vector.

    `axis` is the axis of size 1 that was added to the vector, -2 or -1.
    """
    if x.desc.ndim > 1:
        return gradient
    return se.squeeze(total(gradient, range(gradient.desc.ndim - 2)), (2 + axis,))


# ---- Fourier transforms
def _transformed(name: str, gradient: Node, axis: int, axis_size: int, attrs: tuple[object, ...]) -> Node:
    """Return transform `name` of a gradient, whose result has `axis_size` cells along an axis.

    `attrs` are the transform's other attributes.
    """
    return call(name, gradient, attrs, (*gradient.desc.shape[:axis], axis_size, *gradient.desc.shape[axis + 1 :]))


def _cells_of(x: Node, gradient: Node, axis: int) -> Node:
    """Return a gradient cut, or padded with zeros, to the size of x along an axis."""
    have, want = gradient.desc.shape[axis], x.desc.shape[axis]
    return margined(gradient, axis, 0, want - have) if want > have else positions(gradient, axis, 0, want)


def _fft(n: Node, gradient: Node) -> Gradients:
    count, axis, norm, inverse = n.attrs
    return (
        _cells_of(
            n.inputs[0], _transformed("fft", gradient, axis, count, (count, axis, SWAPPED[norm], not inverse)), axis
        ),
    )


def _rfft(n: Node, gradient: Node) -> Gradients:
    count, axis, norm = n.attrs
    return (
        _cells_of(n.inputs[0], _transformed("fft", gradient, axis, count, (count, axis, SWAPPED[norm], True)), axis),
    )


def _irfft(n: Node, gradient: Node) -> Gradients:
    """Return the gradient of an irfft; cells that also stand for their conjugates count twice."""
    count, axis, norm = n.attrs
    gradient = _transformed("rfft", gradient, axis, count // 2 + 1, (count, axis, SWAPPED[norm]))
    at = coordinate(gradient, axis)
    is_middle = apply("equal", scaled(at, 2), scalar_like(count, at))
    alone = apply("logical_or", apply("equal", at, scalar_like(0, at)), is_middle)
    return (_cells_of(n.inputs[0], where(alone, gradient, scaled(gradient, 2)), axis),)


def _transfer(n: Node, gradient: Node) -> Gradients:
    return (transfer(gradient, device_of(n.inputs[0])),)


RULES: dict[str, Rule] = {
    "cumulative_sum": _running_sum,
    "cumulative_prod": _running_product,
    "cumulative_max": _running_extreme,
    "cumulative_min": _running_extreme,
    "sort": _sort,
    "scatter_add": _scatter_add,
    "bin_sums": _bin_sums,
    "matmul": _matmul,
    "fft": _fft,
    "rfft": _rfft,
    "irfft": _irfft,
    "transfer": _transfer,
}
