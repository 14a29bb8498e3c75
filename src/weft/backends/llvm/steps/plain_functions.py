"""Functions of plain arithmetic on vectors, with the bits of `ir.fields.exact_functions`.

The one idea: the normal quantile picks its coefficients by lane instead of evaluating centre and tail, and leaves the
far tail, met once in 10**10 random cells, to a routine.  The distribution function, needed for bounds and seldom for
cells, is a routine as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.backends.llvm.emit import Builder, Value, routine
from weft.backends.llvm.math.formats import F64, power_of_two
from weft.backends.llvm.steps.arithmetic import Emitter, register_emitter
from weft.ir.fields import exact_functions as exact

MAGIC_BITS = 0x4338000000000000  # bits of 1.5 · 2**52: a double near it holds an integer in its low bits


def polynomial(rising: Sequence[Value | float], x: Value) -> Value:
    """Return c0 + c1·x + c2·x² + ..., with the coefficients `rising`, by Horner's rule.

    Each product and each sum is rounded.
    """
    p = x * rising[-1]
    for c in reversed(rising[1:-1]):
        p = (p + c) * x
    return p + rising[0]


def _ratio(pair: tuple[Sequence[float], Sequence[float]], x: Value) -> Value:
    return polynomial(pair[0], x) / polynomial(pair[1], x)


def logarithm(b: Builder, x: Value) -> Value:
    """Return log x with the bits of `weft.ir.fields.exact_functions.logarithm`."""
    bits = b.bitcast(x, "i64")
    e = (bits - exact.ROOT_HALF_BITS) >> 52
    m = b.bitcast(bits - (e << 52), "double")
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    scale = (
        b.bitcast(e + MAGIC_BITS, "double") - exact.MAGIC
    )  # e is small: added to the bits, it is added to the number
    series = s * z * polynomial(exact.LOGARITHM, z)
    return scale * exact.LN2_HIGH + (2.0 * s + (series + scale * exact.LN2_LOW))


# ---- the normal quantile
def normal_quantile(b: Builder, u: Value) -> Value:
    """Return the quantile of the normal distribution, with the bits of `weft.ir.fields.exact_functions.quantile`."""
    q = u - 0.5
    opposite = 1.0 - u
    r = b.sqrt(-logarithm(b, b.select(u < opposite, u, opposite)))
    in_centre = b.abs(q) <= exact.CENTRE_HALF_WIDTH
    x = b.select(in_centre, exact.CENTRE_SHIFT - q * q, r - exact.TAIL_SHIFT)
    ratio = _picked_ratio(b, in_centre, x)
    (tail,) = b.rare(~(r <= 5.0), FAR_TAIL, [r], [ratio])
    return b.select(in_centre, q * ratio, b.copysign(tail, q))


def _picked_ratio(b: Builder, in_centre: Value, x: Value) -> Value:
    """Return a quotient of polynomials in x.

    The coefficients are those of the centre where `in_centre` is true, else of the tail.
    """
    sums = []
    for centre, tail in zip(exact.CENTRE, exact.TAIL, strict=True):
        picked = [b.select(in_centre, b.const(x.type, c), t) for c, t in zip(centre, tail, strict=True) if c != t]
        rising: list[Value | float] = [*([1.0] if len(picked) < len(centre) else []), *picked]
        sums.append(polynomial(rising, x))
    return sums[0] / sums[1]


@routine("weft_normal_far_tail", ("double",), ("double",))
def FAR_TAIL(b: Builder, r: Value) -> Value:
    """Return the absolute value of the normal quantile for probabilities p, given r = sqrt(-log p) > 5."""
    return _ratio(exact.FAR_TAIL, r - exact.FAR_TAIL_SHIFT)


# ---- the exponential and the normal distribution function
def exponential(b: Builder, x: Value) -> Value:
    """Return e^x with the bits of `weft.ir.fields.exact_functions.exp`."""
    low, high = exact.EXP_LIMITS
    x = b.select(x < low, low, b.select(x > high, high, x))
    shifted = x * exact.LOG2_E + exact.MAGIC
    n = shifted - exact.MAGIC
    r = x - n * exact.LN2_HIGH - n * exact.LN2_LOW
    count = b.bitcast(shifted, "i64") - MAGIC_BITS
    half = count >> 1
    first, second = power_of_two(b, half, F64), power_of_two(b, count - half, F64)
    return polynomial(exact.EXP_SERIES, r) * first * second


@routine("weft_normal_cdf", ("double",), ("double",))
def normal_cdf(b: Builder, x: Value) -> Value:
    """Return the normal distribution function, with the bits of `weft.ir.fields.exact_functions.normal_cdf`."""
    size = b.abs(x)
    size = b.select(size > exact.FAR, exact.FAR, size)
    t = size * exact.ROOT_HALF
    z = 1.0 / (t * t)
    centre = 0.5 + 0.5 * (t * _ratio(exact.ERF, t * t))
    far = (exact.ROOT_PI_INVERSE - z * _ratio(exact.ERFC_FAR, z)) / t
    cut = b.trunc(size * 16.0) * 0.0625
    scale = exponential(b, cut * cut * -0.5) * exponential(b, (size - cut) * (size + cut) * -0.5)
    tail = 0.5 * (scale * b.select(t <= exact.MIDDLE, _ratio(exact.ERFC, t), far))
    tail = b.select(t <= exact.NEAR, 1.0 - centre, tail)
    return b.select(x > 0.0, 1.0 - tail, tail)


def _any_quantile(b: Builder, p: Value) -> Value:
    return normal_quantile(b, b.select(p < exact.SMALLEST_NORMAL, exact.SMALLEST_NORMAL, p))


EXACT_FUNCTIONS: dict[str, Emitter] = {
    "exact_exp": register_emitter(exponential),
    "exact_log": register_emitter(logarithm),
    "normal_cdf": register_emitter(normal_cdf),
    "normal_quantile": register_emitter(_any_quantile),
}
