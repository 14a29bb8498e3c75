"""The constructors of all atoms in one module; each is defined in the file of its name.

The one idea: an affine selection is a view, whose cells lie at a fixed offset and fixed strides in its input; a
composite is a value of its own, whose cells come from several places.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import ShapeError
from weft.ir.atoms.atom import (
    MAX_AXIS,
    MAX_CELLS,
    ViewSteps,
    applied_steps,
    axes_of,
    axis_of,
    check_axes,
    check_size,
    view_steps,
)
from weft.ir.atoms.broadcast_to import broadcast_to
from weft.ir.atoms.concat import concat
from weft.ir.atoms.diagonal import diagonal
from weft.ir.atoms.expand_dims import expand_dims
from weft.ir.atoms.flip import flip
from weft.ir.atoms.index import index
from weft.ir.atoms.interleave import interleave
from weft.ir.atoms.overlay import check_cover, overlay
from weft.ir.atoms.pad import PAD_MODES, pad
from weft.ir.atoms.permute import permute
from weft.ir.atoms.repeat import repeat
from weft.ir.atoms.reshape import reshape, reshape_groups, reshape_view, reshaped, resolve_shape
from weft.ir.atoms.roll import roll
from weft.ir.atoms.slice import slice_
from weft.ir.atoms.squeeze import squeeze
from weft.ir.atoms.tile import tile
from weft.ir.atoms.translate import translate
from weft.ir.atoms.window import window
from weft.ir.graph.description import describe
from weft.ir.graph.node import Node, make, make_view
from weft.ir.graph.ops import OPS

__all__ = [
    "MAX_AXIS", "MAX_CELLS", "PAD_MODES", "ViewSteps", "applied_steps", "axes_of", "axis_of", "broadcast_to",
    "check_axes", "check_cover", "check_size", "concat", "diagonal", "expand_dims", "flip", "index", "interleave",
    "overlay", "pad", "part", "permute", "repeat", "reshape", "reshape_groups", "reshape_view", "reshaped",
    "resolve_shape", "roll", "slice_", "squeeze", "stack", "tile", "translate", "window",
]  # fmt: skip


def part(x: Node, name: str) -> Node:
    """Return the "real" or "imag" part (`name`) of complex cells, as a view where x has strides."""
    d, real = x.desc, x.desc.dtype.real
    if d.strides is None:
        return make(OPS[name], (x,), (), describe(real, d.shape, None, d.big, d.origin, d.read_only))
    offset = real.itemsize if name == "imag" and d.size else 0
    return make_view(OPS[name], x, (), describe(real, d.shape, d.strides, d.big, d.origin, d.read_only), offset)


def stack(xs: Sequence[Node], axis: int) -> Node:
    """Return parts of equal shapes joined along a new axis.

    Raises ShapeError if there are no parts or shapes differ, AxisError if the result has no such axis, DTypeError if
    dtypes differ.
    """
    if not xs:
        raise ShapeError("stack: no parts; the result would have no dtype; give at least one tensor")
    axis = axis_of("stack", axis, xs[0].desc.ndim + 1)
    for i, x in enumerate(xs):
        if x.desc.shape != xs[0].desc.shape:
            raise ShapeError(
                f"stack: part 0 has shape {xs[0].desc.shape} and part {i} {x.desc.shape}; parts must have one shape; "
                "slice or broadcast the part"
            )
    steps = {d: view_steps(expand_dims(x, (axis,)), x) for d, x in {x.desc: x for x in xs}.items()}
    return concat([expand_dims(x, (axis,)) if (s := steps[x.desc]) is None else applied_steps(x, s) for x in xs], axis)
