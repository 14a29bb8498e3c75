"""Functions over blocks: `map_blocks`, for operations that weft does not have.

The one idea: the function is declared by the box of each input and output that belongs to a cell of an index space.
This determines the blocks that can be computed apart, so slices, reductions in tiles and files need only some calls.
A check computes a part of the outputs as one block and as several, and compares the results bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import flag
from weft.api.blocks.declared_outputs import declared_outputs, most_calls, most_cells, tiled_shapes
from weft.api.blocks.declared_windows import index_space, input_windows, windows_of
from weft.api.blocks.tensor_gradient import TensorGradient
from weft.backends.calls.blocks import fill
from weft.dtypes import DType
from weft.errors import ArgumentError, DTypeError, ValueRangeError
from weft.ir.graph import node as ir
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.ir.pieces.block_operator import BlockOperator, FunctionRef, start_leaf
from weft.ir.pieces.box import box_of
from weft.ir.pieces.projection import Projection
from weft.passes.narrowing.restrict import restricted
from weft.runtime.compute import stages
from weft.tensors.tensor import Tensor, operands, values_of, wrap
from weft.typing import ArrayLike, DTypeLike, ShapeLike


def map_blocks(
    f: Callable[..., Any],
    *xs: ArrayLike,
    windows: Any = None,
    out: Projection | list[Any] | None = None,
    index: ShapeLike | None = None,
    dtype: DTypeLike | list[Any] | None = None,
    shape: ShapeLike | list[Any] | None = None,
    blocks: ShapeLike | None = None,
    threads: int | None = None,
    check: bool = False,
    vjp: Callable[..., Any] | None = None,
) -> Any:
    """Return the results of a function of NumPy arrays, called block by block: a tensor, or a tuple of several.

    f is called as f(*blocks) with read-only arrays, when values are computed and for the blocks needed, in any number
    and order, and by several threads at a time; `threads=1` makes the calls one after the other. It returns an array
    for each output, of which each cell must depend on its windows alone. Blocks are boxes of an index space: by default
    the broadcast shape of the inputs, without the margins of their windows.

    `windows`: the cells of each input needed for a cell of the index space: None for the cell at its position; (before,
    after) neighbours for each axis, such as ((1, 1), (1, 1)); one integer for all of them; or a `Projection` for any
    other map. A list has one of these for each input. `out`: the place of each cell's results, a `Projection`, or None
    for its position; a list for several outputs. `dtype`, `shape`: of the output, lists of them for several; without
    dtype, f is called once on ones. `index`: shape of the index space, needed if all windows are projections. `blocks`:
    most index cells of one call, for each axis. `threads`: most concurrent calls, by default `get_num_threads()` for a
    megabyte or more, else 1. `check`: compute a part twice, cut in different ways, and compare. `vjp`: a function (g,
    *xs) of tensors that returns the gradient of each input, or None; for several outputs, g is a tuple.

    Raises ShapeError for windows outside their inputs and for outputs that do not have each cell once, ArgumentError
    for unknown windows or no inputs, DTypeError if f or `vjp` is no function or f gives None, ValueRangeError for an
    input on a device and if a check fails. Exceptions of f are raised with a note on the (first) block.

    >>> import numpy as np, weft
    >>> x = weft.asarray(np.arange(12.0).reshape(3, 4))
    >>> weft.map_blocks(np.sqrt, x)[0, :3].tolist()
    [0.0, 1.0, 1.4142135623730951]
    >>> weft.map_blocks(lambda b: b[:, 2:] - b[:, :-2], x, windows=((0, 0), (1, 1)), check=True).tolist()
    [[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]]
    >>> pairs = weft.Projection([[1, 0], [0, 2]], shape=(1, 2))
    >>> weft.map_blocks(lambda b: b.reshape(len(b), -1, 2).max(2), x, windows=pairs, index=(3, 2)).tolist()
    [[1.0, 3.0], [5.0, 7.0], [9.0, 11.0]]
    """
    if not callable(f):
        raise DTypeError(f"map_blocks: {type(f).__name__} is no function; blocks are passed to one; give it first")
    nodes = _inputs(xs)
    given = windows_of(windows, len(nodes))
    space = index_space(given, nodes, index)
    inputs = input_windows(given, nodes, space)
    several, declared = declared_outputs(f, [n.desc.dtype for n in nodes], inputs, out, dtype, shape, len(space))
    outputs = tuple([o.projection for o in declared])
    most, first = most_cells(blocks, space), (0,) * len(space)
    operator = BlockOperator(FunctionRef(f), first, space, inputs, outputs, most, most_calls(threads))
    shapes = tiled_shapes(declared, space)
    if flag("map_blocks", "check", check):
        check_splits(operator, nodes, [o.dtype for o in declared])
    gradient = None if vjp is None else TensorGradient(vjp, tuple([o.dtype for o in declared]) if several else None)
    leaves = (*nodes, start_leaf(f, gradient, first))
    made = [_output(operator, k, leaves, o.dtype, s) for k, (o, s) in enumerate(zip(declared, shapes, strict=True))]
    return tuple(made) if several else made[0]


def _output(operator: BlockOperator, number: int, inputs: tuple[Node, ...], dtype: DType, shape: Shape) -> Tensor:
    """Return one output of a block operator as a tensor."""
    n = ir.make(OPS["map_blocks"], inputs, (operator, number), ir.result(dtype, shape))
    return wrap(stages.unsure(ir.locate(n)))


def _inputs(xs: Sequence[Any]) -> list[Node]:
    """Return the inputs' nodes, with numbers in the dtype of the first tensor.

    Raises ArgumentError if there is no input, ValueRangeError if one lies on a device other than the host, DTypeError
    for an object without numbers.
    """
    if not xs:
        raise ArgumentError("map_blocks: no inputs; blocks are boxes of tensors; give at least one after the function")
    nodes = operands(xs, "map_blocks")
    for k, n in enumerate(nodes):
        if n.traits is not None and n.traits.device is not None:
            raise ValueRangeError(
                f"map_blocks: input {k} lies on {n.traits.device}; a function of NumPy arrays reads the host's memory; "
                "move it there with to_device('cpu')"
            )
    return nodes


CHECKED_BYTES = 64 << 20  # approximate bytes of the blocks that are computed twice


def check_splits(operator: BlockOperator, nodes: Sequence[Node], dtypes: Sequence[DType]) -> None:
    """Raise ValueRangeError if outputs, in the middle of the index space, depend on how blocks are cut."""
    if 0 in operator.index:
        return
    itemsizes = [d.itemsize for d in (*[n.desc.dtype for n in nodes], *dtypes)]
    size = replace(operator, most=None).block(itemsizes, CHECKED_BYTES)
    cells = box_of(size, tuple([n // m // 2 * m for n, m in zip(operator.index, size, strict=True)]))
    arrays = [values_of(restricted(n, p.of(cells))) for n, p in zip(nodes, operator.inputs, strict=True)]
    part = operator.part(cells)
    thirds = tuple([max(1, n // 3) for n in part.index])
    whole, cut = (_computed(replace(part, most=most), arrays, dtypes) for most in (part.index, thirds))
    for number, (a, b) in enumerate(zip(whole, cut, strict=True)):
        differs = (a != b) & ~((a != a) & (b != b))  # NaN equals NaN here
        if differs.any():
            at = tuple(map(int, np.argwhere(differs)[0]))
            first = operator.outputs[number].of(cells).start
            raise ValueRangeError(
                f"map_blocks: output {number} at {tuple(map(int.__add__, first, at))} is {a[at]!s} in a block of "
                f"{part.index} index cells and {b[at]!s} in blocks of {thirds}; a cell may depend on nothing but its "
                "windows; give larger windows, or leave out of the function what it takes over whole blocks"
            )


def _computed(operator: BlockOperator, arrays: Sequence[np.ndarray], dtypes: Sequence[DType]) -> list[np.ndarray]:
    """Return all outputs of an operator over arrays, in dtypes that NumPy computes in; errors are its function's."""
    shapes = [p.of(box_of(operator.index)).size for p in operator.outputs]
    outs = [np.empty(s, d.np) for s, d in zip(shapes, dtypes, strict=True)]
    fill(list(enumerate(outs)), operator, arrays, (0,) * len(operator.first))
    return [dt.widened(a) if d.extended else a for a, d in zip(outs, dtypes, strict=True)]
