"""Rough costs in nanoseconds, for choosing loops, cutting work into units and deciding how many threads it is worth.

The one idea: only ratios and orders of magnitude matter; one row per op, and a few numbers measured once.
"""

from __future__ import annotations

from weft.backends.llvm.structure import Leaf
from weft.ir.kernels.plan import Instr

BYTE = 0.04  # moving a byte from or to memory
NEAR_BYTE = 0.004  # or a cache, where what is computed next lies mostly, unless there is more of it than
NEAR = 12 << 20  # so many bytes
CELL = 0.02  # a simple step on one cell of 4 bytes
PARTIAL = 4.0  # a partial chunk, for each operand that goes through a stack buffer
ROW = 4.0  # beginning a run
UNIT = 60.0  # beginning a unit, and for each operand
UNIT_OPERAND = 8.0
PACK_ROW = 0.8  # moving a short contiguous row into a buffer
PACK_BYTE = 0.02  # and its bytes
PACK_TURNED = 0.1  # moving a cell in registers, across
PACK_CELL = 0.3  # moving a cell on its own
PACK_FAR = 1.5  # and more where the other cells of its cache line are not in the block, nor soon asked for
PACK_LATER = 0.4  # or where they are asked for while the line is still in a near cache
FAR_ROW = 8.0  # beginning a row on another page than the one before
TURN = 12.0  # a call that moves a part of a block, and for each axis that is counted up for it
TURN_AXIS = 6.0
STEPS = {
    "load": 0, "const": 0, "scalar": 0, "coord": 0.5, "gather": 40,
    "divide": 5, "sqrt": 6, "reciprocal": 5, "floor_divide": 20, "remainder": 20, "trunc_divide": 20,
    "fmod": 20, "cbrt": 30, "exp2": 15, "exp10": 25, "erf": 40, "erfc": 40,
    "exp": 15, "expm1": 20, "log": 20, "log1p": 25, "log2": 25, "log10": 25, "sin": 20, "cos": 20, "tan": 30,
    "asin": 30, "acos": 30, "atan": 30, "sinh": 30, "cosh": 30, "tanh": 25, "asinh": 60, "acosh": 60, "atanh": 40,
    "pow": 100, "atan2": 50, "hypot": 20, "logaddexp": 50, "philox": 40, "plain": 30,
}  # fmt: skip


def of_bytes(nbytes: int) -> float:
    """Moving all the bytes that a row reads and writes."""
    return nbytes * (NEAR_BYTE if nbytes <= NEAR else BYTE)


def of_step(instr: Instr) -> float:
    """A step of a body, per cell."""
    weight = STEPS.get(instr.op, 1) * instr.dtype.itemsize / 4
    return CELL * weight * (4 if instr.dtype.kind == "complex" and weight else 1)


def of_leaf(leaf: Leaf) -> float:
    """Reaching one cell from the lanes, beside moving its bytes."""
    if leaf.kind == "0" or leaf.coordinate:
        return 0.0
    if leaf.kind == "s":
        return PACK_CELL
    return 0.005 * leaf.itemsize * abs(int(leaf.kind))
