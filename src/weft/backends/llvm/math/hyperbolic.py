"""sinh, cosh, tanh, asinh, acosh, atanh for float and double, without libm.

sinh and cosh: x = n·ln2 + r and, with a, b = (2^n -+ 2^-n)/2, sinh x = a·cosh r + b·sinh r and cosh x = b·cosh r +
a·sinh r (addition theorem); the leading two terms are added as an exact pair, nothing cancels, nothing is divided.
tanh: x + x³·P(x²) near zero, 1 - 2/(e^2|x| + 1) elsewhere.  The inverses are log1p of an algebraic expression whose
rounding error is carried along (Kahan 1987 gives the cancellation-free forms); they are out-of-line routines, in double
for float.  Every polynomial is minimax (Remez); its error is stated where it stands.
"""

from __future__ import annotations

from functools import partial

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.math.exp_log import (
    exp_middle,
    exp_wide_double,
    log1p_middle,
    log1p_pair,
    reduce_argument,
    reduce_exp,
    sum_of,
)
from weft.backends.llvm.math.formats import F32, F64, INFINITY, FloatFormat, clamp, guarded, in_double, routines, rows

# (sinh r - r)/r³ in r², |r| <= ln2/2: error relative to sinh r 2^-34.3 and 2^-61.7.
SINH = {
    "float": (0.00019974082533735782, 0.00833317544311285, 0.1666666716337204),
    "double": (
        2.5109354037002876e-08, 2.7557243378587625e-06, 0.00019841269886866053, 0.008333333333321376,
        0.16666666666666677,
    ),
}  # fmt: skip
# (cosh r - 1)/r² in r², |r| <= ln2/2: error 2^-33.2 and 2^-70.
COSH = {
    "float": (0.0013935426250100136, 0.041666459292173386, 0.5),
    "double": (
        2.0921750873660555e-09, 2.7557251856930683e-07, 2.4801587349184265e-05, 0.0013888888888873283,
        0.041666666666666685, 0.5,
    ),
}  # fmt: skip
# (tanh x - x)/x³ in x²: |x| <= 1, error relative to tanh x 2^-30.9; |x| <= 0.75, 2^-59.
TANH = {
    "float": (
        0.00011643428297247738, -0.0008218736038543284, 0.0030488683842122555, -0.008571457117795944,
        0.021774444729089737, -0.0539507232606411, 0.13333174586296082, -0.333333283662796,
    ),
    "double": (
        -1.485489599825323e-06, 9.492126440681257e-06, -3.361714380478651e-05, 9.344351011122939e-05,
        -0.00023762066619021068, 0.0005895597889163896, -0.0014557313254015675, 0.003592112142915963,
        -0.00886323386622785, 0.021869488423895866, -0.05396825396377794, 0.13333333333324343, -0.3333333333333327,
    ),
}  # fmt: skip


def _halves(b: Builder, n_bits: Value, fmt: FloatFormat, odd: bool) -> tuple[Value, Value, Value]:
    """Return (first, second, rounding error of first): a and b with `odd`, else b and a.

    a = (2^n - 2^-n)/2 and b = (2^n + 2^-n)/2 for 0 <= n <= bias; 2^-bias counts as 0. The low bits of `n_bits` are n
    plus the exponent bias.
    """
    shifted = n_bits << fmt.fraction
    up = fmt.of_bits(b, shifted) * 0.5
    down = fmt.of_bits(b, (2 * fmt.bias << fmt.fraction) - shifted) * 0.5
    less, more = up - down, up + down
    return (less, more, (up - less) - down) if odd else (more, less, down - (more - up))


def _hyperbolic(b: Builder, a: Value, fmt: FloatFormat, odd: bool) -> Value:
    """Return sinh(a) with `odd`, else cosh(a), for 0 <= a < bias·ln2, by the addition theorem."""
    n_bits, high, tail = reduce_argument(b, a, fmt)
    first, second, lost = _halves(b, n_bits, fmt, odd)
    r = high + tail
    z = r * r
    s = b.fma(r * z, b.horner(z, *SINH[fmt.elem]), tail)  # sinh r = high + s
    c = z * b.horner(z, *COSH[fmt.elem])  # cosh r = 1 + c
    total = b.fma(second, high, first)
    rest = b.fma(second, high, first - total)  # Fast2Sum: |first| >= |second·high| or first = 0
    rest = b.fma(second, s, b.fma(first, c, rest))
    return total + (rest + lost)


def _half_exp_double(b: Builder, x: Value) -> Value:
    """Return e^|x|/2 of a double, which is cosh(x) for large |x|."""
    return exp_wide_double(b, b.abs(x), -1)


@in_double
def _half_exp_float(b: Builder, x: Value) -> Value:
    return exp_middle(b, clamp(b, b.abs(x), 0.0, 200.0)) * 0.5


COSH_WIDE = routines("cosh_wide", float=_half_exp_float, double=_half_exp_double)
SINH_WIDE = routines(
    "sinh_wide",
    float=lambda b, x: b.copysign(_half_exp_float(b, x), x),
    double=lambda b, x: b.copysign(_half_exp_double(b, x), x),
)


def _sinh(fmt: FloatFormat, limit: float, b: Builder, x: Value) -> Value:
    a = b.abs(x)
    outside = a.compare("ugt", "", limit)
    return guarded(b, x, outside, SINH_WIDE, b.copysign(_hyperbolic(b, a, fmt, odd=True), x))


def _cosh(fmt: FloatFormat, limit: float, b: Builder, x: Value) -> Value:
    a = b.abs(x)
    outside = a.compare("ugt", "", limit)
    return guarded(b, x, outside, COSH_WIDE, _hyperbolic(b, a, fmt, odd=False))


def _tanh(fmt: FloatFormat, near: float, one: float, b: Builder, x: Value) -> Value:
    """Return tanh(x), by a polynomial for |x| <= near, and exactly 1 or -1 for |x| >= one."""
    a = b.abs(x)
    z = x * x
    small = b.fma(a * z, b.horner(z, *TANH[fmt.elem]), a)
    twice = b.select(a > one, one, a) * 2.0
    e = reduce_exp(b, twice, fmt)
    s = fmt.of_bits(b, e.n_bits << fmt.fraction)
    large = 1.0 - 2.0 / b.fma(s, e.t, s + 1.0)
    return b.copysign(b.select(a > near, large, small), x)


# ---- inverses


def _down_from_huge(b: Builder, a: Value) -> tuple[Value, Value, Value]:
    """Return (huge, a or a/16 where huge, 0 or 4 where huge), with huge true where a > 2^60.

    The last is to be added to the exponent of the logarithm; without this 2a could overflow.
    """
    huge = a > 2.0**60
    return huge, b.select(huge, a * 0.0625, a), b.select(huge, b.const(a.type, 4.0), 0.0)


def _asinh_double(b: Builder, x: Value) -> Value:
    """Return the inverse hyperbolic sine of a double.

    It is log1p(a + a²/(1 + √(1 + a²))) with a = |x|, and x's sign.
    """
    huge, a, offset = _down_from_huge(b, b.abs(x))
    square = a * a
    bend = square / (b.sqrt(square + 1.0) + 1.0)
    high = a + bend
    low = bend - (high - a)
    high, low = b.select(huge, a + a, high), b.select(huge, 0.0, low)
    y = b.copysign(sum_of(log1p_pair(b, high, F64, low, offset)), x)
    return b.select(b.abs(x) < INFINITY, y, x + x)


def _acosh_double(b: Builder, x: Value) -> Value:
    """Return the inverse hyperbolic cosine of a double; NaN below 1.

    It is log1p(u + √(u·(u + 2))) with u = x - 1.
    """
    huge, a, offset = _down_from_huge(b, x)
    u = a - 1.0
    root = b.sqrt(b.fma(u, u, u + u))
    high = root + u
    low = u - (high - root)
    high, low = b.select(huge, a + a, high), b.select(huge, 0.0, low)
    y = b.select(x < INFINITY, sum_of(log1p_pair(b, high, F64, low, offset)), x + x)
    return b.select(x < 1.0, float("nan"), y)


def _atanh_double(b: Builder, x: Value) -> Value:
    """Return the inverse hyperbolic tangent of a double.

    It is log1p(2a/(1 - a))/2 with a = |x| and x's sign; the quotient is computed to twice the precision.
    """
    a = b.abs(x)
    under = 1.0 - a
    lost = (1.0 - under) - a
    inverse = 1.0 / under
    q = (a + a) * inverse
    q_low = (b.fma(-q, under, a + a) - q * lost) * inverse
    y = b.copysign(sum_of(log1p_pair(b, q, F64, q_low)) * 0.5, x)
    return _atanh_ends(b, x, y)


def _atanh_ends(b: Builder, x: Value, y: Value) -> Value:
    a = b.abs(x)
    y = b.select(a < 1.0, y, b.copysign(b.const(x.type, INFINITY), x))
    y = b.select(a > 1.0, float("nan"), y)
    return b.select(x.is_nan(), x + x, y)


def _asinh_float(b: Builder, x: Value) -> Value:
    a = b.cast("fpext", b.abs(x), "double")
    square = a * a
    y = log1p_middle(b, a + square / (b.sqrt(square + 1.0) + 1.0))
    y = b.copysign(b.cast("fptrunc", y, "float"), x)
    return b.select(b.abs(x) < INFINITY, y, x + x)


def _acosh_float(b: Builder, x: Value) -> Value:
    u = b.cast("fpext", x, "double") - 1.0
    y = b.cast("fptrunc", log1p_middle(b, u + b.sqrt(b.fma(u, u, u + u))), "float")
    y = b.select(x < INFINITY, y, x + x)
    return b.select(x < 1.0, float("nan"), y)


def _atanh_float(b: Builder, x: Value) -> Value:
    a = b.cast("fpext", b.abs(x), "double")
    y = b.cast("fptrunc", log1p_middle(b, (a + a) / (1.0 - a)) * 0.5, "float")
    return _atanh_ends(b, x, b.copysign(y, x))


REAL_HYPERBOLIC = rows(
    sinh={"float": partial(_sinh, F32, 88.0), "double": partial(_sinh, F64, 709.0)},
    cosh={"float": partial(_cosh, F32, 88.0), "double": partial(_cosh, F64, 709.0)},
    tanh={"float": partial(_tanh, F32, 1.0, 10.0), "double": partial(_tanh, F64, 0.75, 20.0)},
    asinh=routines("asinh", float=_asinh_float, double=_asinh_double),
    acosh=routines("acosh", float=_acosh_float, double=_acosh_double),
    atanh=routines("atanh", float=_atanh_float, double=_atanh_double),
)
