"""Composite selections: values of their own whose cells come from several places.

The one idea: the constructors of composites under one name; each stands with the rest of its atom in the file of its
name.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import ShapeError
from weft.ir.atoms.concat import concat
from weft.ir.atoms.construction import axis_of, over, steps_of
from weft.ir.atoms.expand_dims import expand_dims
from weft.ir.atoms.interleave import interleave
from weft.ir.atoms.overlay import check_cover, overlay
from weft.ir.atoms.pad import PAD_MODES, pad
from weft.ir.atoms.repeat import repeat
from weft.ir.atoms.reshape import reshape
from weft.ir.atoms.roll import roll
from weft.ir.atoms.tile import tile
from weft.ir.graph.node import Node

__all__ = [
    "PAD_MODES", "check_cover", "concat", "interleave", "overlay", "pad", "repeat", "reshape", "roll", "stack", "tile",
]  # fmt: skip


def stack(xs: Sequence[Node], axis: int) -> Node:
    """Parts of one shape along a new axis."""
    if not xs:
        raise ShapeError("stack: no parts; the result would have no dtype; give at least one tensor")
    axis = axis_of("stack", axis, xs[0].desc.ndim + 1)
    for i, x in enumerate(xs):
        if x.desc.shape != xs[0].desc.shape:
            raise ShapeError(
                f"stack: part 0 has shape {xs[0].desc.shape} and part {i} {x.desc.shape}; parts must have one shape; "
                "slice or broadcast the part"
            )
    steps = {d: steps_of(expand_dims(x, (axis,)), x) for d, x in {x.desc: x for x in xs}.items()}
    return concat([expand_dims(x, (axis,)) if (s := steps[x.desc]) is None else over(x, s) for x in xs], axis)
