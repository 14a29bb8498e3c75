"""Outputs of block functions, from the user's declaration or from a trial call of the function.

The one idea: each output is a projection, a dtype and a shape; the projection has to tile the shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import integer, integers, is_one, shape_of
from weft.api.blocks.declared_windows import fitted, refuse
from weft.dtypes import DType
from weft.errors import ArgumentError, DTypeError, ShapeError, ValueRangeError
from weft.ir.graph.description import Shape
from weft.ir.pieces.box import box_of
from weft.ir.pieces.projection import Projection
from weft.ir.pieces.tiling import faults

TRIED_BYTES = 64 << 20  # most bytes of the windows on which a function is tried
Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Output:
    """The declaration of one output; the shape is None if the projection determines it."""

    projection: Projection
    dtype: DType
    shape: Shape | None


def declared_outputs(
    f: Function, dtypes: Sequence[DType], inputs: Sequence[Projection], out: Any, dtype: Any, shape: Any, ndim: int
) -> tuple[bool, list[Output]]:
    """Return (True if there are several outputs, the declaration of each).

    `f` is called once on ones if no dtype is given. Raises ArgumentError if dtypes, shapes and projections are given
    for different numbers of outputs, an `out` is no Projection, or `f` would need over 64 MiB of ones; ShapeError if
    the result of `f` or a projection has another shape than one index cell needs.
    """
    if isinstance(shape, list) and all(hasattr(n, "__index__") for n in shape):  # the shape of one output
        shape = tuple(shape)
    found = None if dtype is not None else _tried(f, dtypes, inputs)
    lists = [v for v in (out, dtype, shape) if isinstance(v, list)]
    several = bool(lists) or isinstance(found, (tuple, list))
    count = len(lists[0]) if lists else len(found) if several and found is not None else 1
    if not count or any(len(v) != count for v in lists) or (several and found is not None and len(found) != count):
        results = (
            "" if found is None else f"; the function gives {len(found) if isinstance(found, (tuple, list)) else 1}"
        )
        raise ArgumentError(
            f"map_blocks: lists of {[len(v) for v in lists]} outputs{results}; out=, dtype= and shape= have one entry "
            "for each output; give as many"
        )
    made = found if several and found is not None else [found] * count
    columns = [v if isinstance(v, list) else [v] * count for v in (out, dtype, shape)]
    return several, [_output(k, *row, ndim) for k, row in enumerate(zip(*columns, made, strict=True))]


def _output(number: int, out: Any, dtype: Any, shape: Any, made: Any, ndim: int) -> Output:
    if not (out is None or isinstance(out, Projection)):
        raise ArgumentError(
            f"map_blocks: out {out!r:.60} of output {number}; it says where results lie; give a Projection or None"
        )
    p = _identity(ndim) if out is None else fitted(out, ndim, None, f"output {number}")
    if made is not None and np.shape(made) != p.shape:
        raise ShapeError(
            f"map_blocks: shape {np.shape(made)} as output {number} of one index cell, which has {p.shape}; a block's "
            "result has the cells of its index, without the margins of windows; cut the margins off, or say with out= "
            "where results lie"
        )
    if made is None and dtype is None:
        raise DTypeError(f"map_blocks: None as output {number} of one index cell; each output is an array; return it")
    found = dt.from_numpy(np.asarray(made).dtype)[0] if dtype is None else dt.spelled(dtype)[0]
    return Output(p, found, None if shape is None else shape_of("map_blocks", shape))


def _identity(ndim: int) -> Projection:
    return Projection([[int(a == b) for b in range(ndim)] for a in range(ndim)])


def _tried(f: Function, dtypes: Sequence[DType], inputs: Sequence[Projection]) -> Any:
    """Return the results of f for one index cell of inputs filled with ones.

    Raises ArgumentError if the inputs of one cell take too many bytes for a trial.
    """
    nbytes = sum([prod(p.shape) * d.itemsize for p, d in zip(inputs, dtypes, strict=True)])
    if nbytes > TRIED_BYTES:
        raise ArgumentError(
            f"map_blocks: windows of {nbytes} bytes for one index cell; the function is not tried on so many to know "
            "its dtype; give dtype="
        )
    ones = [np.ones(p.shape, (d.compute if d.extended else d).np) for p, d in zip(inputs, dtypes, strict=True)]
    try:
        return f(*ones)
    except Exception as error:
        error.add_note(
            f"map_blocks: the function was tried on ones of shapes {[x.shape for x in ones]} to know its dtype; "
            "dtype= says it instead"
        )
        raise


def tiled_shapes(outputs: Sequence[Output], space: Shape) -> list[Shape]:
    """Return the shapes of outputs over an index space of shape `space`.

    Raises ShapeError, with all faults, unless the results of index cells tile each output.
    """
    shapes = [_shape(o, k, space) for k, o in enumerate(outputs)]
    refuse(
        "output",
        [faults(o.projection, space, shape) for o, shape in zip(outputs, shapes, strict=True)],
        "each cell of an output is written once; change out=, or shape=",
    )
    return shapes


def _shape(o: Output, number: int, space: Shape) -> Shape:
    """Return the shape of an output: the declared one, else the smallest that holds all its cells.

    Raises ShapeError if the declared shape has another rank than the output.
    """
    shape = shape_of("map_blocks", _extent(o.projection, space)) if o.shape is None else o.shape
    if len(shape) != o.projection.ndim:
        raise ShapeError(
            f"map_blocks: shape {shape} of output {number}, whose projection has {o.projection.ndim} axes; give a size "
            "for each"
        )
    return shape


def _extent(p: Projection, space: Shape) -> Shape:
    """Return the smallest shape that holds every cell written by an index cell; 0 along axes without index cells."""
    box = p.of(box_of(tuple([max(n, 1) for n in space])))
    empty = [any(a and not n for a, n in zip(row, space, strict=True)) for row in p.matrix]
    return tuple([0 if e else max(a + n, 0) for a, n, e in zip(box.start, box.size, empty, strict=True)])


def most_cells(blocks: Any, space: Shape) -> Shape | None:
    """Return the most index cells of one call along each axis; None if weft may choose.

    `blocks` is a number for all axes, or one for each. Raises ShapeError unless there is one number from 1 on for each
    axis, DTypeError if it is no integer.
    """
    if blocks is None:
        return None
    sizes = integers("map_blocks", "blocks", blocks) * (len(space) if is_one(blocks) else 1)
    if len(sizes) != len(space) or min(sizes, default=1) < 1:
        raise ShapeError(
            f"map_blocks: blocks {blocks!r} of an index space of shape {space}; each axis has 1 cell or more in a "
            "block; give a size for each"
        )
    return sizes


def most_calls(threads: Any) -> int | None:
    """Return the most concurrent calls; None if weft may choose.

    Raises ValueRangeError for `threads` below 1, DTypeError for no integer.
    """
    if threads is None:
        return None
    count = integer("map_blocks", "threads", threads)
    if count < 1:
        raise ValueRangeError(f"map_blocks: threads {count}; a function is called by 1 thread or more; give 1 or more")
    return count
