"""Running sums of one line by blocks of cells, which several processes can compute.

The one idea: a cell is `before ∘ s`, where `s` is the running value in its block of 1024 and `before` the finished cell
before that (`ir.kernels.sum_order.scan_rows`).  Running values need their block alone, and what comes before each block
follows from the last ones of the blocks before.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.ir.atoms import selections as se
from weft.ir.graph.node import Node, apply, astype, make, result, stored
from weft.ir.graph.ops import SCANS
from weft.ir.kernels.sum_order import BLOCK
from weft.sources.stream.folds import Array, acc_of, identity
from weft.sources.stream.running_scans import is_carried

ACCUMULATE: dict[str, Callable[[Array], Array]] = {  # one after the other
    "cumulative_sum": np.add.accumulate,
    "cumulative_prod": np.multiply.accumulate,
}


def is_of_blocks(n: Node) -> bool:
    """True if a node is a running sum or product of a single line that has several blocks."""
    return n.op.name in ACCUMULATE and is_carried(n) and n.desc.shape[n.attrs[0]] == n.desc.size > BLOCK


class BlockScan:
    """A scan of a single line by blocks: `totals` are the last running values of the blocks."""

    def __init__(self, n: Node) -> None:
        x = se.reshape(astype(n.inputs[0], acc_of(n)), (n.desc.size,))
        blocks = -(-n.desc.size // BLOCK)
        self.scan, self.fill = n, identity(SCANS[n.op.name][0], x, ())
        if rest := blocks * BLOCK - n.desc.size:
            x = se.pad(x, [(0, rest)], fill=self.fill)
        lines = se.reshape(x, (blocks, BLOCK))
        self.running = make(n.op, (lines,), (1, *n.attrs[1:]), result(lines.desc.dtype, lines.desc.shape))
        self.totals = se.reshape(se.slice_(self.running, [(0, 1, blocks), (BLOCK - 1, 1, 1)]), (blocks,))

    def value(self, totals: Array) -> Node:
        """Return the scan's cells, given the values of `totals`."""
        before = np.concatenate([[np.asarray(self.fill.value)], totals[:-1]]).astype(totals.dtype, copy=False)
        with np.errstate(all="ignore"):
            before = ACCUMULATE[self.scan.op.name](before)[:, None]
        cells = apply(
            SCANS[self.scan.op.name][1], stored(result(self.running.desc.dtype, before.shape), before), self.running
        )
        line = se.slice_(se.reshape(cells, (cells.desc.size,)), [(0, 1, self.scan.desc.size)])
        return se.reshape(astype(line, self.scan.desc.dtype), self.scan.desc.shape)
