"""Affine selections: views whose cells lie at a fixed offset and fixed strides in the value they select from.

The one idea: the constructors of views under one name; each stands with the rest of its atom in the file of its name.
"""

from __future__ import annotations

from weft.ir.atoms.broadcast_to import broadcast_to
from weft.ir.atoms.construction import (
    MAX_AXIS,
    MAX_CELLS,
    Slice,
    Steps,
    axes_of,
    axis_of,
    check_axes,
    check_size,
    over,
    steps_of,
)
from weft.ir.atoms.diagonal import diagonal
from weft.ir.atoms.expand_dims import expand_dims
from weft.ir.atoms.flip import flip
from weft.ir.atoms.index import index
from weft.ir.atoms.permute import permute
from weft.ir.atoms.reshape import reshape_groups, reshape_view, resolve_shape
from weft.ir.atoms.slice import slice_
from weft.ir.atoms.squeeze import squeeze
from weft.ir.atoms.translate import translate
from weft.ir.atoms.window import window
from weft.ir.graph.description import describe
from weft.ir.graph.node import Node, make, make_view
from weft.ir.graph.ops import OPS

__all__ = [
    "MAX_AXIS", "MAX_CELLS", "Slice", "Steps", "axes_of", "axis_of", "broadcast_to", "check_axes", "check_size",
    "diagonal", "expand_dims", "flip", "index", "over", "part", "permute", "reshape_groups", "reshape_view",
    "resolve_shape", "slice_", "squeeze", "steps_of", "translate", "window",
]  # fmt: skip


def part(x: Node, name: str) -> Node:
    """Return the "real" or "imag" half of complex cells as a view: half a cell, at the steps of whole ones."""
    d, real = x.desc, x.desc.dtype.real
    if d.strides is None:
        return make(OPS[name], (x,), (), describe(real, d.shape, None, d.big, d.origin, d.read_only))
    offset = real.itemsize if name == "imag" and d.size else 0
    return make_view(OPS[name], x, (), describe(real, d.shape, d.strides, d.big, d.origin, d.read_only), offset)
