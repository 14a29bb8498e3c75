"""Block operators: a user's function over boxes, with a projection for each input and each output.

The one idea: a block of the index space is an operator, too, over the boxes of its inputs; all positions count from
these boxes.  The position of the block in the whole is an operand, a small stored array, so that all tiles share one
program.  This array also keeps the function alive, to which programs refer weakly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
from operator import mul, sub
from typing import Any
from weakref import ref

import numpy as np

from weft import dtypes as dt
from weft.errors import ExpressionError
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, make, mark_replacement, result, stored
from weft.ir.pieces.box import Box, box_of
from weft.ir.pieces.projection import Projection
from weft.ir.pieces.request import NotAView, Request, Row, added, scaled
from weft.ir.pieces.tiling import axis_movements

Function = Callable[..., Any]


class FunctionRef:
    """A weak reference to a function, equal to others to the same function.

    A function that allows no weak reference is kept alive.
    """

    __slots__ = ("_get", "_hash", "name")

    def __init__(self, function: Function) -> None:
        self._hash = id(function)
        self.name = getattr(function, "__name__", type(function).__name__)
        try:
            self._get: Callable[[], Function | None] = ref(function)
        except TypeError:
            self._get = lambda: function

    def __call__(self) -> Function | None:
        """Return the function; None if it was freed."""
        return self._get()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, FunctionRef) and (mine := self()) is not None and mine is other()

    def __hash__(self) -> int:
        return self._hash


class IndexStart(np.ndarray):
    """The first index cell of a block operator, as an array that keeps the operator's function and its `vjp`.

    `batch` is the operator's version for a batch of entries (`weft.programs.vmap`).
    """

    function: Function
    vjp: Callable[[Node, Node], Sequence[Node | None]] | None
    batch: Any = None


def start_leaf(function: Function, vjp: Any, first_cell: Shape) -> Node:
    """Return the leaf with `first_cell`, a block operator's first index cell, as its cells.

    The leaf keeps the operator's function and its gradient `vjp` alive.
    """
    value = np.array(first_cell, np.int64).view(IndexStart)
    value.function, value.vjp = function, vjp
    return stored(result(dt.int64, value.shape), value)


@dataclass(frozen=True, slots=True, repr=False)
class BlockOperator:
    """A user's function over boxes of its inputs and outputs.

    `index` has the sizes of its index space, and `first` the position of that space in the whole; `most` bounds the
    index cells of one call, `threads` the number of concurrent calls.
    """

    function: FunctionRef
    first: Shape
    index: Shape
    inputs: tuple[Projection, ...]
    outputs: tuple[Projection, ...]
    most: Shape | None = None
    threads: int | None = None

    def __repr__(self) -> str:
        return f"{self.function.name} over {self.index}"

    @property
    def literal(self) -> tuple[Any, ...]:
        """The fields of the operator except the function, as nested tuples of integers."""
        inputs, outputs = (tuple([(p.matrix, p.offset, p.shape) for p in ps]) for ps in (self.inputs, self.outputs))
        return self.first, self.index, inputs, outputs, self.most, self.threads

    def cells(self, number: int, box: Box) -> Box:
        """Return the index cells that compute a box of output `number`."""
        p = self.outputs[number]
        runs = [(0, n) for n in self.index]
        for axis, found in enumerate(axis_movements(p, self.index)):
            first, step, size = box.runs[axis]
            low, high = first - p.offset[axis], first + step * (size - 1) - p.offset[axis]
            if found is not None:
                j, a = found
                start, last = (low // a, high // a) if a > 0 else (-(high // -a), -(low // -a))
                runs[j] = start, last - start + 1
        return box_of(tuple([n for _, n in runs]), tuple([a for a, _ in runs]))

    def part(self, cells: Box) -> BlockOperator:
        """Return the operator over a contiguous box of index cells, and over the boxes of its inputs and outputs."""
        inputs, outputs = (
            tuple([p.rebased(cells, p.of(cells).start) for p in projections])
            for projections in (self.inputs, self.outputs)
        )
        first = tuple(map(int.__add__, self.first, cells.start))
        return replace(self, first=first, index=cells.size, inputs=inputs, outputs=outputs)

    def grid(self, block_size: Shape) -> Shape:
        """Return the number of blocks along each axis, with blocks of at most `block_size` index cells."""
        return tuple([-(-n // max(m, 1)) for n, m in zip(self.index, block_size, strict=True)])

    def block_at(self, number: int, block_size: Shape) -> Box:
        """Return block `number`, in row-major order, of the blocks of at most `block_size` index cells."""
        start = tuple(map(mul, map(int, np.unravel_index(number, self.grid(block_size))), block_size))
        return box_of(tuple(map(min, block_size, map(sub, self.index, start))), start)

    def block(self, itemsizes: Sequence[int], limit: int) -> Shape:
        """Return the sizes of the largest block whose boxes need about `limit` bytes more than those of one cell.

        The index space is halved, each time along the axis that leaves the fewest bytes. A cell of input or output k
        has `itemsizes[k]` bytes. `most`, where set, decides instead.
        """
        if self.most is not None:
            return tuple(map(min, self.most, self.index))
        block = self.index
        limit += self.held((1,) * len(block), itemsizes)
        while prod(block) > 1 and self.held(block, itemsizes) > limit:
            halves = [(*block[:j], -(-n // 2), *block[j + 1 :]) for j, n in enumerate(block) if n > 1]
            block = min(halves, key=lambda half: self.held(half, itemsizes))
        return block

    def held(self, block_size: Shape, itemsizes: Sequence[int]) -> int:
        """Return the bytes of the boxes of all inputs and outputs, for a block of `block_size` index cells.

        A cell of input or output k has `itemsizes[k]` bytes.
        """
        boxes = [p.of(box_of(block_size)) for p in (*self.inputs, *self.outputs)]
        return sum([box.cells * n for box, n in zip(boxes, itemsizes, strict=True)])


def from_literal(literal: tuple[Any, ...], leaf: Node) -> BlockOperator:
    """Return the operator with the fields of a literal and the function in a start leaf.

    Raises ExpressionError if the leaf is no start leaf.
    """
    if not isinstance(leaf.value, IndexStart):
        raise ExpressionError(
            "parse: map_blocks without its function; text does not hold it, and its last operand is no first index "
            "cell of map_blocks; give the function among the leaves"
        )
    first, index, inputs, outputs, most, *threads = literal  # older texts have none
    maps = [tuple([Projection(*p) for p in projections]) for projections in (inputs, outputs)]
    return BlockOperator(FunctionRef(leaf.value.function), first, index, maps[0], maps[1], most, *threads)


def demanded(n: Node, box: Box) -> list[tuple[int, Box]]:
    """Return the input boxes that a box of a block operator's output needs, as (input number, box)."""
    operator, number = n.attrs
    cells = operator.cells(number, box)
    found = [p.of(cells) for p in operator.inputs]
    return [*enumerate(found), (len(found), box_of(n.inputs[-1].desc.shape))]


def windows(n: Node, request: Request) -> list[Request]:
    """Return the request to the windows of each input that a request to the output needs.

    Cells in several windows are repeated.  Parameters of windows are added at the end.  Raises NotAView if an index
    cell gives several cells of the output.
    """
    operator, number = n.attrs
    p = operator.outputs[number]
    index: list[Row] = [(0, ())] * len(operator.index)
    for row, offset, found in zip(request.rows, p.offset, axis_movements(p, operator.index), strict=True):
        if found is not None and abs(found[1]) > 1:
            raise NotAView(n)
        if found is not None:
            j, sign = found
            index[j] = scaled(row, -sign * offset, sign)
    return [_window(q, index, request) for q in operator.inputs]


def _window(projection: Projection, index_rows: Sequence[Row], request: Request) -> Request:
    """Return the request to the windows of a projection, where index axis j has row `index_rows[j]`."""
    rows, sizes = [], list(request.sizes)
    for coefficients, offset, size in zip(projection.matrix, projection.offset, projection.shape, strict=True):
        made: Row = (offset, ())
        for row, a in zip(index_rows, coefficients, strict=True):
            made = added(made, scaled(row, 0, a)) if a else made
        if size > 1:
            made = added(made, (0, ((len(sizes), 1),)))
            sizes.append(size)
        rows.append(made)
    new = len(sizes) - len(request.sizes)
    return Request(tuple(sizes), request.start + (0,) * new, request.step + (1,) * new, tuple(rows))


def output_box(n: Node, box: Box) -> Box:
    """Return the smallest box of the output that holds `box` and that whole index cells write."""
    operator, number = n.attrs
    found: Box = operator.outputs[number].of(operator.cells(number, box))
    return found


def part(n: Node, box: Box, inputs: Sequence[Node]) -> Node:
    """Return a node for the output box `output_box(n, box)`, over the input boxes that `demanded` returns.

    `inputs` are the nodes of these boxes.
    """
    operator, number = n.attrs
    made = operator.part(operator.cells(number, box))
    return _with_inputs(n, (made, number), (*inputs[: len(operator.inputs)], n.inputs[-1]))


def rebased(n: Node) -> Node:
    """Return an equal node whose index space starts at 0, with its first cell in the last operand.

    Tiles of one operator then have the same key, and share a program.
    """
    operator, number = n.attrs
    start: IndexStart = n.inputs[-1].value
    first = tuple(map(int.__add__, operator.first, map(int, start)))
    leaf = start_leaf(start.function, start.vjp, first)
    return _with_inputs(n, (replace(operator, first=(0,) * len(first)), number), (*n.inputs[:-1], leaf))


def _with_inputs(n: Node, attrs: tuple[BlockOperator, int], inputs: tuple[Node, ...]) -> Node:
    """Return node n, of a block operator, with other attributes and inputs, and the shape that follows."""
    operator, number = attrs
    shape = operator.outputs[number].of(box_of(operator.index)).size
    made = make(n.op, inputs, attrs, result(n.desc.dtype, shape))
    return mark_replacement(made, n)
