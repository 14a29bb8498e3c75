"""Shared steps of atoms' constructors: views, and checks of axes, sizes, parts and fills.

The one idea: a constructor checks its arguments, infers the description and computes the address of the cells; no cell
is moved.  Positions are 0-based; only `translate` and descriptions know origins.  Slices and diagonals start the axes
that they touch at 0, all other atoms keep origins.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from weft.dtypes import DType
from weft.errors import AxisError, DTypeError, ShapeError
from weft.ir.graph.description import Shape, TensorDescription, describe
from weft.ir.graph.node import Node, make, make_view
from weft.ir.graph.ops import OPS, Op

MAX_CELLS = 1 << 62  # addresses and positions are kept in 63 bits
MAX_AXIS = (1 << 63) - 1  # coordinates are int64; the only bound for values that take no memory

Slice = tuple[int, int, int]  # start, step, size
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
    valid = f"axes run from {-ndim} to {ndim - 1}" if ndim else "there is no axis to name"
    at = "" if position is None else f", at position {position}"
    raise AxisError(f"{name}: axis {axis}{at} of a tensor of rank {ndim}; {valid}; give one of them")


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
