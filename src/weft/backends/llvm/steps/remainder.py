"""floor_divide, trunc_divide, remainder and fmod of floats.

The one idea: all rest on the exact remainder of a truncated division, in doubles for every dtype.  While the rounded
quotient is below 2**53 its integer part is right or one too large, `fma` then gives what is left exactly, and one
addition repairs the other case; larger quotients go through a routine that takes off 52 bits a step.

remainder(x, y) has the sign of y (Python), fmod(x, y) that of x (C); floor_divide(x, y) is the floor of the exact
quotient, rounded to the dtype, trunc_divide(x, y) its integer part; float64 quotients of 2**53 and more are the rounded
quotients themselves.  Infinities and zeros act as in floor(x / y).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from weft.backends.llvm.emit import Builder, Type, Value, routine
from weft.backends.llvm.math.formats import F64, in_double, power_of_two
from weft.backends.llvm.steps.arithmetic import Emitter, Real
from weft.backends.llvm.steps.registers import Reg, rounded
from weft.dtypes import DType

LARGE = 2.0**53
STEP = 52


def _exact_remainder(b: Builder, x: Value, y: Value, q: Value) -> Value:
    """Return x - trunc(x / y)·y exactly, for x, y > 0.

    q is the rounded x / y, and must be below 2**53.
    """
    r = b.fma(-b.trunc(q), y, x)
    return b.select(r < 0.0, r + y, r)


def _exponent(b: Builder, x: Value) -> Value:
    """Return floor(log2 x) as i64, for normal x > 0."""
    return b.bitcast(x, "i64").lshr(52) - 1023


def _scaled(b: Builder, y: Value, k: Value) -> Value:
    """Return y·2**k for 0 <= k <= 2044, exact if it is a double."""
    half = k.lshr(1)
    return y * power_of_two(b, half, F64) * power_of_two(b, k - half, F64)


@routine("weft_fmod_f64", ("double", "double"), ("double",))
def FMOD(b: Builder, x: Value, y: Value) -> Value:
    """Return the exact remainder of x by y for finite x >= y > 0; other lanes give 0.

    Each step takes 52 bits off the quotient.
    """
    fine = (x >= y) & (y > 0.0) & (x < math.inf)
    x, y = b.select(fine, x, 1.0), b.select(fine, y, 1.0)
    normal = y >= 2.0**-1022
    y_exponent = b.select(normal, _exponent(b, y), _exponent(b, y * 2.0**STEP) - STEP)
    x_normal = x >= 2.0**-1022
    x_exponent = b.select(x_normal, _exponent(b, x), _exponent(b, x * 2.0**STEP) - STEP)
    gap = x_exponent - y_exponent
    widest = b.intrinsic("vector.reduce.smax", gap, result=Type("i64"))
    steps = b.value(Type("i64"), f"udiv i64 {widest.name}, {STEP}") + 1
    with b.carrying([x], 0, steps) as turn:
        k = gap - (b.splat(turn.i, x.type.lanes) + 1) * STEP
        divisor, rest = _scaled(b, y, b.select(k < 0, 0, k)), turn.values[0]
        turn.values = [_exact_remainder(b, rest, divisor, rest / divisor)]
    return turn.values[0]


def truncated(b: Builder, x: Value, y: Value) -> Value:
    """Return |fmod(x, y)|, the remainder of |x| by |y|; NaN for infinite x or zero y."""
    size_x, size_y = b.abs(x), b.abs(y)
    q = size_x / size_y
    fast = _exact_remainder(b, size_x, size_y, q)
    far = q.compare("uge", "", LARGE)  # also NaN: inf / inf, 0 / 0
    (left,) = b.rare(far, FMOD, [size_x, size_y], [fast])
    left = b.select(size_y.eq(math.inf), size_x, left)
    defined = (size_x < math.inf) & (size_y > 0.0)
    return b.select(defined, left, math.nan)


def _fmod(b: Builder, x: Value, y: Value) -> Value:
    return b.copysign(truncated(b, x, y), x)


def _remainder(b: Builder, x: Value, y: Value) -> Value:
    left = _fmod(b, x, y)
    crossed = left.ne(0.0) & ((b.bitcast(left, "i64") ^ b.bitcast(y, "i64")) < 0)
    left = b.select(crossed, left + y, left)
    return b.select(left.eq(0.0), b.copysign(0.0, y), left)


def _floor_divide(b: Builder, x: Value, y: Value) -> Value:
    """Return the floor of the exact quotient x / y of doubles.

    Rounded quotients of 2**53 or more are the result themselves.
    """
    q = x / y
    down = b.floor(q)
    r = b.fma(-down, y, x)  # of the sign of y unless `down` is one too large
    passed = b.select(y < 0.0, r > 0.0, r < 0.0) & (b.abs(q) < LARGE) & (b.abs(y) < math.inf)
    return b.select(passed, down - 1.0, down)


def _trunc_divide(b: Builder, x: Value, y: Value) -> Value:
    return b.copysign(_floor_divide(b, b.abs(x), b.abs(y)), x / y)


def _by_width(emit: Real) -> Emitter:
    """Return the emitter of an op, given `emit`, its function on doubles.

    Rounding a float32 result once more for 16-bit dtypes does no harm: it is exact, or far from any tie of theirs.
    """
    narrow = in_double(emit)

    def run(b: Builder, args: Sequence[Any], dtypes: Sequence[DType], dtype: DType, attr: object) -> Reg:
        return emit(b, *args) if dtype.bits == 64 else rounded(b, narrow(b, *args), dtype)

    return run


remainder, floor_divide, fmod, trunc_divide = map(_by_width, (_remainder, _floor_divide, _fmod, _trunc_divide))
