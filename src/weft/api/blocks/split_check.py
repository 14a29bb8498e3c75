"""A check that a function gives the same results however its blocks are cut.

The one idea: a part of the outputs is computed as one block and as several, and the results are compared bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from weft import dtypes as dt
from weft.backends.calls.blocks import fill
from weft.dtypes import DType
from weft.errors import ValueRangeError
from weft.ir.graph.node import Node
from weft.ir.pieces.block_operator import BlockOperator
from weft.ir.pieces.box import box_of
from weft.passes.narrowing.restrict import restricted
from weft.tensors.tensor import values_of

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
    """Return all outputs of an operator over arrays."""
    shapes = [p.of(box_of(operator.index)).size for p in operator.outputs]
    outs = [np.empty(s, d.np) for s, d in zip(shapes, dtypes, strict=True)]
    fill(list(enumerate(outs)), operator, arrays, (0,) * len(operator.first))
    return [dt.widened(a) if d.extended else a for a, d in zip(outs, dtypes, strict=True)]
