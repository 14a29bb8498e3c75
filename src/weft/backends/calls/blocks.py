"""User-defined functions over blocks.

The one idea: a block operator calls its function block by block, several at a time, on read-only views of its inputs;
each result is checked against its declaration and written to the box given by the projection.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.backends.thread_sharing import SHARED, most_threads, share
from weft.errors import DTypeError, InternalError, OutOfMemory, ShapeError
from weft.ir.graph.description import Shape
from weft.ir.pieces.block_operator import BlockOperator, Function
from weft.ir.pieces.box import Box
from weft.runtime.memory.limits import granted

BLOCK_BYTES = 2 << 20  # bytes of the boxes of one call, about
LEAST_BLOCK = 1 << 18  # bytes below which a block is not divided further to give other threads work


def map_blocks(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Write output `number` of a block operator to `out`; attrs = (operator, number).

    The last of `args` is the operator's first index cell within the whole. Raises the errors of `called`.
    """
    operator, number = attrs
    *inputs, start = args
    fill([(number, out)], operator, inputs, start.tolist())


def fill(
    outs: Sequence[tuple[int, np.ndarray]],
    operator: BlockOperator,
    inputs: Sequence[np.ndarray],
    start: Sequence[int],
) -> None:
    """Compute outputs of a block operator, given as (number, memory), block by block.

    `start` is the first index cell of the operator within the whole, for messages. Raises InternalError if the user's
    function no longer exists, and the errors of `called`.
    """
    function = operator.function()
    if function is None:
        raise InternalError("map_blocks: the function is gone while a tensor needs it; please report this")
    if 0 in operator.index:
        return
    itemsizes = [a.itemsize for a in inputs] + [max([out.itemsize for _, out in outs])] * len(operator.outputs)
    size, threads = calls_of(operator, itemsizes)

    def one(block: int) -> None:
        cells = operator.block_at(block, size)
        results = called(function, operator, cells, inputs, start)
        for number, out in outs:
            box = operator.outputs[number].of(cells)
            out[box.slices] = cells_of(results[number], dt.from_numpy(out.dtype)[0], number)

    share(range(prod(operator.grid(size))), one, 0, threads)


def calls_of(operator: BlockOperator, itemsizes: Sequence[int]) -> tuple[Shape, int]:
    """Return (cells of a block along each axis of the index space, number of concurrent calls).

    `itemsizes` are the bytes of a cell of each operand and output. Blocks have some megabytes, fewer if all threads are
    to have one; within a memory limit set by a user, the concurrent blocks take an eighth of it, or there is only one.
    """
    threads, limit = operator.threads or most_threads(), granted()
    whole = operator.held(operator.index, itemsizes)
    threads = threads if operator.threads or whole >= SHARED else 1
    room = threads * BLOCK_BYTES if limit is None else min(threads * BLOCK_BYTES, limit // 8)
    size = operator.block(itemsizes, max(LEAST_BLOCK, min(room, whole) // threads))
    if limit is not None:
        threads = min(threads, max(1, room // max(1, operator.held(size, itemsizes))))
    return size, threads


def bytes_under_way(operator: BlockOperator, itemsizes: Sequence[int]) -> int:
    """Return the bytes of the boxes of all calls that run at the same time.

    `itemsizes` are the bytes of a cell of each operand and output.
    """
    size, threads = calls_of(operator, itemsizes)
    return min(threads, prod(operator.grid(size))) * operator.held(size, itemsizes)


def called(
    function: Function, operator: BlockOperator, cells: Box, inputs: Sequence[np.ndarray], start: Sequence[int]
) -> list[np.ndarray]:
    """Return the results of a function for the block `cells` of `inputs`, checked for their number and shapes.

    `start` is the first index cell of the operator within the whole. Exceptions of the function are raised with a note
    that names the block, MemoryError as OutOfMemory. Raises ShapeError if the number or a shape is wrong.
    """
    blocks = [_block(a, p.of(cells)) for a, p in zip(inputs, operator.inputs, strict=True)]
    first = [a + b + int(s) for a, b, s in zip(cells.start, operator.first, start, strict=True)]
    try:
        found = function(*blocks)
    except Exception as error:
        name, shapes = operator.function.name, ", ".join([str(b.shape) for b in blocks])
        at = f"index cells {_range(first, cells.size)}: {shapes}"
        if isinstance(error, MemoryError) and not isinstance(error, OutOfMemory):
            fact = f"map_blocks: {name} got no memory for {at}; the system has no such memory left"
            raise OutOfMemory(f"{fact}; make it take less, or free large tensors") from error
        error.add_note(f"map_blocks: {name} had {at}")
        raise
    return _results(found, operator, cells, _range(first, cells.size))


def _block(array: np.ndarray, box: Box) -> np.ndarray:
    """Return a box of an array as an argument of a user's function.

    It is read-only, in native byte order, in a dtype that NumPy has.
    """
    block = array[box.slices]
    if not block.dtype.isnative or dt.from_numpy(block.dtype)[0].extended:
        block = dt.widened(block)
    block = block.view()
    block.flags.writeable = False
    return block


def _range(start: Sequence[int], size: Sequence[int]) -> str:
    """Return a box of index cells as text, given its start and size.

    >>> _range((4, 0), (4, 10))
    '[4:8, 0:10]'
    """
    return "[" + ", ".join([f"{a}:{a + n}" for a, n in zip(start, size, strict=True)]) + "]"


def _results(found: Any, operator: BlockOperator, cells: Box, where: str) -> list[np.ndarray]:
    several = isinstance(found, (tuple, list))
    results = [np.asarray(r) for r in found] if several and len(operator.outputs) > 1 else [np.asarray(found)]
    if len(results) != len(operator.outputs):
        raise ShapeError(
            f"map_blocks: {operator.function.name} gives {len(results)} results, {len(operator.outputs)} are declared; "
            "each output is an array of its own; return a tuple of them"
        )
    for number, (result, p) in enumerate(zip(results, operator.outputs, strict=True)):
        wanted = p.of(cells).size
        if result.shape != wanted:
            raise ShapeError(
                f"map_blocks: {operator.function.name} gives shape {result.shape} as output {number} of index cells "
                f"{where}, which have {wanted}; a block's result has the cells of its index, without the margins of "
                "windows; cut the margins off, or say with out= where results lie"
            )
    return results


def cells_of(result: np.ndarray, dtype: dt.DType, number: int) -> np.ndarray:
    """Return a function's result in the memory form of the declared dtype.

    `number` is that of the output.  Raises DTypeError if the result has another dtype.
    """
    native = result.dtype.newbyteorder("=")
    if native == dtype.np:
        return result
    if dtype.extended and native == dtype.compute.np:
        return dt.narrowed(result.astype(native, copy=False), dtype)
    wanted = dtype.compute.name if dtype.extended else dtype.name
    raise DTypeError(
        f"map_blocks: output {number} has dtype {result.dtype} where {dtype.name} is declared; blocks of a tensor have "
        f"one dtype; return {wanted}, or give dtype="
    )
