"""Rough costs in nanoseconds, for choosing loops, cutting work into units and choosing a number of threads.

The one idea: only ratios and orders of magnitude matter; what ops cost stands in their rows, beside a few numbers
measured once.
"""

from __future__ import annotations

from weft.ir.graph.ops import OPS
from weft.ir.kernels.plan import Body

BYTE = 0.04  # moving a byte from or to memory
NEAR_BYTE = 0.004  # moving a byte from or to a cache, where recent values of up to NEAR bytes mostly lie
NEAR = 12 << 20  # bytes of a value that stays in a cache until it is used next
CELL = 0.02  # a simple step on one cell of 4 bytes
PARTIAL = 4.0  # a partial chunk, for each operand that is copied to a stack buffer
MASKED = 1.0  # a partial chunk, for each operand that is read or written through a mask
ROW = 4.0  # beginning a run
UNIT = 60.0  # beginning a unit; each operand adds UNIT_OPERAND
UNIT_OPERAND = 8.0
PACK_ROW = 0.8  # moving a short contiguous row into a buffer; each of its bytes adds PACK_BYTE
PACK_BYTE = 0.02
PACK_TURNED = 0.1  # moving a cell into a buffer as part of a square that is transposed in registers
PACK_CELL = 0.3  # moving a cell into a buffer on its own
PACK_FAR = 1.5  # added to a cell whose cache line has no other cell that is moved soon
PACK_LATER = 0.4  # added to a cell whose cache line is read again while it is still in a near cache
FAR_ROW = 8.0  # beginning a row on another page than the row before
TURN = 12.0  # a call that moves a part of a block; each axis whose index it counts up adds TURN_AXIS
TURN_AXIS = 6.0
READS = dict.fromkeys(("load", "const", "scalar", "row_value"), 0.0)  # steps that compute nothing
READS |= {"coord": 0.5, "gather": 40.0, "interleave": 1.0}


def of_bytes(nbytes: int) -> float:
    """Return the nanoseconds of moving `nbytes` bytes, from or to memory or, if they fit there, a cache."""
    return nbytes * (NEAR_BYTE if nbytes <= NEAR else BYTE)


def of_body(body: Body) -> float:
    """Return the nanoseconds per cell of computing the steps of a body."""
    total = 0.0
    for op, dtype, _, _ in body:
        weight = (READS[op] if op in READS else OPS[op].cost) * dtype.itemsize / 4
        total += CELL * weight * (4 if dtype.kind == "complex" and weight else 1)
    return total
