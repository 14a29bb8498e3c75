"""Atom: the record of one kind of selection, defined in the file of its name.

The one idea: an atom's record holds everything that weft knows of it; routing, gradients, checks of graphs, the text
form and the reference look it up in one table.  What atoms share stands here, too.  A constructor checks its arguments,
infers the description and computes the address of the cells; no cell is moved.  Positions are 0-based; only `translate`
and descriptions know origins.  Slices and diagonals start the axes that they touch at 0, all other atoms keep origins.
An adjoint cuts out the gradient of copied cells, moves it to the cells' positions in the input, and adds it up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import AxisError, DTypeError, ShapeError
from weft.ir.atoms.position_tables import Table
from weft.ir.graph.description import Shape, TensorDescription, describe
from weft.ir.graph.node import Node, apply, make, make_view, result, scalar
from weft.ir.graph.ops import OPS, Op, resolve
from weft.ir.pieces.request import Request, Row

Array = np.ndarray
Parts = Sequence[Array]
Rows = tuple[Row, ...]
Moved = tuple[Node, Table]
Batched = Callable[[Node, Sequence[Node], int], Node]


@dataclass(frozen=True, slots=True)
class Atom:
    """The record of an atom, with functions for each use of its nodes.

    `make(x, *attrs)` is the constructor; `rebuild(n)` makes a node where inputs and attributes are not the
    constructor's arguments.  A view has `rows`, which maps rows of a request to the input; a composite has `cut`, which
    splits a request into requests to its inputs.  `numpy(parts, n)` computes the value from the inputs' values.
    `adjoint(n, g)` returns the inputs' gradients where coordinates alone do not give them; `take(n, axis, table)` maps
    a table of positions along an axis to the input that holds the cells.

    `batched(n, xs, size)` returns the node over a batch of `size` entries.  An input with one axis more than that of
    `n` has all entries along its first axis; any other input is shared by the entries.
    """

    name: str
    make: Callable[..., Node]
    numpy: Callable[[Parts, Node], Array]
    batched: Batched
    rows: Callable[[Node, Rows], Rows] | None = None
    cut: Callable[[Node, Request], list[tuple[int, Request]]] | None = None
    rebuild: Callable[[Node], Node] | None = None
    adjoint: Callable[[Node, Node], tuple[Node | None, ...]] | None = None
    take: Callable[[Node, int, Table], Moved | None] | None = None

    def remade(self, n: Node) -> Node:
        """Return the node rebuilt by its constructor from its inputs and attributes.

        Raises the constructor's errors if they do not fit.
        """
        return self.make(n.inputs[0], *n.attrs) if self.rebuild is None else self.rebuild(n)


def unshared(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> list[Node]:
    """Return the inputs of node `n` over a batch, with those that all entries share repeated `batch_size` times.

    Repetitions lie along a new first axis.
    """
    pairs = zip(batched_inputs, n.inputs, strict=True)
    return [
        x if x.desc.ndim > i.desc.ndim else select("broadcast_to", x, (batch_size, *x.desc.shape)) for x, i in pairs
    ]


def aligned(x: Node, single: Node, entry_ndim: int) -> Node:
    """Return a batched input x whose entries have rank `entry_ndim`, by axes of size 1 after the first axis.

    `single` is the same input of one entry. An input shared by all entries is returned unchanged.
    """
    missing = entry_ndim - single.desc.ndim
    if x.desc.ndim == single.desc.ndim or not missing:
        return x
    return select("expand_dims", x, range(1, 1 + missing))


def batch_axes(axes: Sequence[int]) -> tuple[int, ...]:
    """Return axes of an entry as axes of a batch, which has one more leading axis."""
    return tuple([a + 1 for a in axes])


ATOMS: dict[str, Atom] = {}  # filled by `table`


def select(name: str, x: Any, *attrs: Any) -> Node:
    """Return the selection node named `name` over `x`, with these attributes.

    Atoms composed of other atoms call it, since their files cannot import each other.
    """
    return ATOMS[name].make(x, *attrs)


MAX_CELLS = 1 << 62  # addresses and positions are kept in 63 bits
MAX_AXIS = (1 << 63) - 1  # coordinates are int64; the only bound for values that take no memory

ViewSteps = tuple[
    tuple[Op, tuple[Any, ...], TensorDescription, int], ...
]  # atoms, and where each puts cell 0, in bytes


def view(
    name: str, x: Node, attrs: tuple[Any, ...], shape: Shape, strides: Shape, offset: int, origin: Shape | None
) -> Node:
    """Return a view of x with the given attributes, shape and byte strides.

    It is an alias, `offset` bytes from the first cell of x, if x has strides, else a plain node. `name` is the op's.
    """
    d = x.desc
    if d.strides is None:
        return make(OPS[name], (x,), attrs, describe(d.dtype, shape, None, d.big, origin, d.read_only))
    return make_view(OPS[name], x, attrs, describe(d.dtype, shape, strides, d.big, origin, d.read_only), offset)


def strides_of(x: Node) -> Shape:
    """Return the byte strides of a node, or zeros if it has no layout."""
    return x.desc.strides if x.desc.strides is not None else (0,) * x.desc.ndim


def view_steps(view: Node, root: Node) -> ViewSteps | None:
    """Return the steps from the node `root` to its view `view`, for use with `applied_steps`.

    None if an atom between them is no alias, or has a label, which steps would lose.
    """
    if view.alias is not None and view.inputs[0] is root and root.alias is None and not hasattr(view, "label"):
        return ((view.op, view.attrs, view.desc, view.alias[1]),)
    steps: list[Any] = []
    while view is not root:
        if view.alias is None or hasattr(view, "label"):
            return None
        under = view.inputs[0]
        steps.append((view.op, view.attrs, view.desc, view.alias[1] - (under.alias[1] if under.alias else 0)))
        view = under
    return tuple(reversed(steps))


def applied_steps(n: Node, steps: ViewSteps) -> Node:
    """Return the view of `n` that the steps of `view_steps` make.

    `n` must have the description of the node that the steps were found on.
    """
    if n.traits is not None:
        for op, attrs, desc, offset in steps:
            n = make_view(op, n, attrs, desc, offset)
        return n
    root, at = n.alias or (n, 0)
    for op, attrs, desc, offset in steps:  # `make_view` at a third of its time
        at += offset
        view = Node()
        view.op, view.inputs, view.attrs, view.desc = op, (n,), attrs, desc
        view.value = view.place = view.code = view.traits = view.fingerprint = None
        view.alias, view.depth, view.lasti = (root, at), n.depth, 0
        n = view
    return n


def axis_of(name: str, axis: int, ndim: int, position: int | None = None) -> int:
    """Return an axis as a number from 0, counting a negative number from the end.

    Raises AxisError if there is no such axis among `ndim`. `name` (the op) and `position` (the index in a list of axes)
    are for the message.
    """
    if -ndim <= axis < ndim:
        return axis + ndim if axis < 0 else axis
    valid = (
        f"axes run from {-ndim} to {ndim - 1}; give one of them" if ndim else "there is no axis to name; leave it out"
    )
    at = "" if position is None else f", at position {position}"
    raise AxisError(f"{name}: axis {axis}{at} of a tensor of rank {ndim}; {valid}")


def axes_of(name: str, axes: Sequence[int], ndim: int) -> tuple[int, ...]:
    """Return axes as numbers from 0, in the order given, counting negative numbers from the end.

    Raises AxisError if there is no such axis, ShapeError if an axis is named twice. `name` is the op, for messages.
    """
    found = tuple([axis_of(name, a, ndim, i if len(axes) > 1 else None) for i, a in enumerate(axes)])
    if len(set(found)) != len(found):
        again = next(i for i, a in enumerate(found) if a in found[:i])
        raise ShapeError(
            f"{name}: axes {tuple(axes)} name an axis twice, axis {axes[again]} at position {again} again; each may "
            "come once; remove the repetition"
        )
    return found


def check_size(name: str, shape: Shape) -> None:
    """Raise ShapeError, naming op `name`, if a result of this shape would have more than 2**62 cells."""
    if prod(shape) > MAX_CELLS:
        raise ShapeError(f"{name}: the result would have shape {shape}; that is over 2**62 cells; make it smaller")


def check_axes(name: str, shape: Shape) -> None:
    """Raise ShapeError, naming op `name`, if an axis of this shape would have 2**63 positions or more."""
    if max(shape, default=0) > MAX_AXIS:
        raise ShapeError(
            f"{name}: the result would have shape {shape}; an axis has less than 2**63 positions; make it smaller"
        )


def check_parts(name: str, xs: Sequence[Node], axis: int) -> int:
    """Return the axis along which parts are joined, as a number from 0.

    Raises ShapeError if there are no parts or sizes differ along another axis, AxisError if the parts lack the axis,
    DTypeError if dtypes differ. `name` is the op, for messages.
    """
    if not xs:
        raise ShapeError(f"{name}: no parts; the result would have no dtype; give at least one tensor")
    first = xs[0].desc
    axis = axis_of(name, axis, first.ndim)
    before, after, ndim, dtype = first.shape[:axis], first.shape[axis + 1 :], first.ndim, first.dtype
    for i, x in enumerate(xs):
        d = x.desc
        if d is first:
            continue
        if d.ndim != ndim or d.shape[:axis] != before or d.shape[axis + 1 :] != after:
            raise ShapeError(
                f"{name}: part 0 has shape {first.shape} and part {i} {d.shape}; sizes must agree on every axis but "
                f"{axis}; slice or reshape the part"
            )
        if d.dtype is not dtype:
            raise DTypeError(
                f"{name}: part {i} is {d.dtype.name}, not {dtype.name}; parts share a dtype; convert it first"
            )
    return axis


def check_fill(name: str, fill: Node, dtype: DType) -> None:
    """Raise ShapeError if a fill is not a single cell, DTypeError if its dtype differs from `dtype`.

    `name` is the op, for messages.
    """
    if fill.desc.ndim:
        raise ShapeError(f"{name}: the fill has shape {fill.desc.shape}; it is one cell; give a number or a 0-d tensor")
    if fill.desc.dtype is not dtype:
        raise DTypeError(
            f"{name}: the fill is {fill.desc.dtype.name}, not {dtype.name}; cells share a dtype; convert it first"
        )


def zeros(shape: Shape, dtype: dt.DType) -> Node:
    """Return zeros of a shape as a broadcast of one number, which takes no memory."""
    return select("broadcast_to", scalar(0, dtype), shape)


def total(x: Node, axes: Sequence[int], keepdims: bool = False) -> Node:
    """Return the sum of x over axes, in the result dtype of `weft.sum`; `keepdims` keeps the axes with size 1."""
    chosen = tuple(sorted(axes))
    kept = [n for d, n in enumerate(x.desc.shape) if keepdims or d not in chosen]
    shape = tuple([1 if keepdims and d in chosen else n for d, n in enumerate(kept)])
    return make(OPS["sum"], (x,), (chosen, keepdims), result(resolve(OPS["sum"], x.desc.dtype)[1], shape))


def plus(parts: list[Node]) -> Node:
    """Return the sum of one or more nodes of equal shapes, added from the first to the last."""
    out = parts[0]
    for part in parts[1:]:
        out = apply("add", out, part)
    return out


def placed(x: Node, origin: Shape | None) -> Node:
    """Return x translated to a domain with this origin; x itself if it has that origin already."""
    wanted, found = origin or (0,) * x.desc.ndim, x.desc.domain.origin
    return x if wanted == found else select("translate", x, [w - f for w, f in zip(wanted, found, strict=True)])


def positions(x: Node, axis: int, start: int, size: int, step: int = 1) -> Node:
    """Return the part of x at `size` positions along one axis: start, start + step, and so on."""
    return select("slice", x, [(start, step, size) if d == axis else (0, 1, n) for d, n in enumerate(x.desc.shape)])


def margined(x: Node, axis: int, before: int, after: int) -> Node:
    """Return x with zeros before and after it along an axis; x itself if both numbers are 0."""
    if not before and not after:
        return x
    return select("pad", x, [(before, after) if d == axis else (0, 0) for d in range(x.desc.ndim)])


def spread(gradient: Node, axis: int, start: int, step: int, axis_size: int) -> Node:
    """Return an axis of `axis_size` positions, with cells of a gradient at equal distances and zeros elsewhere.

    Position i of `gradient` goes to start + step · i; `axis` is the number of the axis.
    """
    size = gradient.desc.shape[axis]
    if size == 0:
        return zeros((*gradient.desc.shape[:axis], axis_size, *gradient.desc.shape[axis + 1 :]), gradient.desc.dtype)
    if step < 0 and size > 1:
        gradient, start, step = select("flip", gradient, (axis,)), start + (size - 1) * step, -step
    if size > 1 and step > 1:
        gap = zeros((*gradient.desc.shape[:axis], size - 1, *gradient.desc.shape[axis + 1 :]), gradient.desc.dtype)
        gradient = select("interleave", [gradient, *[gap] * (step - 1)], axis)
    return margined(gradient, axis, start, axis_size - start - gradient.desc.shape[axis])
