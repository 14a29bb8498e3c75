"""exp, exp2, exp10, expm1, log, log2, log10, log1p for float and double, without libm.

Exponentials: n = round(x·log2 e) by the magic-number add, r = x - n·ln2 in two steps (Cody & Waite 1980; the first is
exact because ln2 keeps a full word and |r| < 0.35), e^r = 1 + r + r²·P(r), scaled in the final fma: 2^n·t + 2^n.
Logarithms: x = 2^k·(1 + f) with |f| <= 0.334, log1p(f) = f - f²/2 + f³·P(f), and k·ln2 + f added exactly as a pair
(Fast2Sum, Dekker 1971; Tang 1990 uses the same split) so that one rounding dominates.  log1p keeps what 1 + x loses.
Arguments outside the fast range, subnormals, infinities, NaN and domain errors go to `*_wide` routines.
Every P is a minimax polynomial (Remez, coefficients rounded one by one); its error is stated where it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from weft.backends.llvm.emit import Builder, Routine, Type, Value
from weft.backends.llvm.math.formats import (
    F32,
    F64,
    INFINITY,
    Emitter,
    FloatFormat,
    clamp,
    exceeds_limit,
    guarded,
    in_double,
    power_of_two,
    routines,
    rows,
)
from weft.backends.llvm.math.pairs import two_sum

# ---- exponentials

# (e^r - 1 - r)/r² on |r| <= ln2/2; error relative to e^r 2^-28.2 and 2^-57.8; 2^-51.6 for float results in double.
EXP_FLOAT = (0.0013836555881425738, 0.008369145914912224, 0.041668109595775604, 0.16666516661643982, 0.4999999403953552)
# One more term for expm1, whose result may be smaller than e^r: 2^-31.2.
EXPM1_FLOAT = (
    0.0001734647958073765, 0.0013933361042290926, 0.008337861858308315, 0.041666481643915176, 0.16666647791862488, 0.5,
)  # fmt: skip
EXP_DOUBLE = (
    2.5025337893164028e-08, 2.762963238458479e-07, 2.7557485900215113e-06, 2.480149476476116e-05,
    0.00019841269652018717, 0.0013888888942244178, 0.008333333333404228, 0.041666666666533056,
    0.16666666666666613, 0.5000000000000011,
)  # fmt: skip
EXP_MIDDLE = (
    2.74766098484104e-07, 2.7635147269218956e-06, 2.4801933202772804e-05, 0.00019841184895045478,
    0.0013888888513861135, 0.008333333371097347, 0.04166666666814878, 0.1666666666661111, 0.49999999999998307,
)  # fmt: skip
# (2^r - 1 - r·ln2)/r² on |r| <= 1/2; error relative to 2^r 2^-28.2 and 2^-57.7.
EXP2_FLOAT = (
    0.00015339201490860432, 0.0013390651438385248, 0.009618482552468777, 0.055503614246845245, 0.24022647738456726,
)  # fmt: skip
EXP2_DOUBLE = (
    4.4363028348220043e-10, 7.073578376772837e-09, 1.0178184648738424e-07, 1.3215436614514464e-06,
    1.5252733546905165e-05, 0.00015403530454056015, 0.0013333558146686063, 0.009618129107596992,
    0.05550410866482074, 0.24022650695910122,
)  # fmt: skip

LOG2_E = 1.4426950408889634
LOG2_10 = 3.321928094887362
LN10 = (2.302585092994046, -2.1707562233822494e-16)
LOG10_2 = (0.3010299956639812, -2.8037281277851704e-18)
LN2 = {"float": (0.6931471824645996, -1.9046542121259336e-09), "double": (0.6931471805599453, 2.3190468138462996e-17)}


@dataclass(frozen=True, slots=True)
class ReducedExponent:
    """An exponential 2^n·(1 + t): the bits of n plus the exponent bias, and t = e^r - 1."""

    n_bits: Value
    t: Value


def reduce_argument(b: Builder, x: Value, fmt: FloatFormat) -> tuple[Value, Value, Value]:
    """Return (bits of n, high, tail) with x = n·ln2 + high + tail and n = round(x/ln2).

    The low bits of the first are n plus the exponent bias. high = x - n·ln2 to one word, which is exact; tail is -n
    times the rest of ln2.
    """
    ln2, ln2_low = LN2[fmt.elem]
    biased = b.fma(x, LOG2_E, fmt.magic + fmt.bias)
    n = biased - (fmt.magic + fmt.bias)
    return fmt.bits(b, biased), b.fma(n, -ln2, x), n * -ln2_low


def reduce_exp_parts(
    b: Builder, x: Value, fmt: FloatFormat, coefficients: tuple[float, ...] = (), tail: Value | None = None
) -> tuple[Value, Value, Value]:
    """Return (bits of n, high, low) with e^(x + tail) = 2^n·(1 + high + low).

    `coefficients` are those of (e^r - 1 - r)/r², the highest power first; by default those of the format.  The tail is
    small beside x, by default 0.
    """
    coefficients = coefficients or (EXP_FLOAT if fmt is F32 else EXP_DOUBLE)
    n_bits, high, rest = reduce_argument(b, x, fmt)
    rest = rest if tail is None else rest + tail
    r = high + rest
    return n_bits, high, b.fma(r * r, b.horner(r, *coefficients), rest)


def reduce_exp(
    b: Builder, x: Value, fmt: FloatFormat, coefficients: tuple[float, ...] = (), tail: Value | None = None
) -> ReducedExponent:
    """Return e^(x + tail) as 2^n·(1 + t); the arguments are those of `reduce_exp_parts`."""
    n_bits, high, low = reduce_exp_parts(b, x, fmt, coefficients, tail)
    return ReducedExponent(n_bits, high + low)


def reduce_exp2(b: Builder, x: Value, fmt: FloatFormat) -> ReducedExponent:
    """Return 2^x as 2^n·(1 + t).

    r = x - n is exact, and ln2 enters as two words.
    """
    ln2, ln2_low = LN2[fmt.elem]
    biased = x + (fmt.magic + fmt.bias)
    r = x - (biased - (fmt.magic + fmt.bias))
    p = b.horner(r, *(EXP2_FLOAT if fmt is F32 else EXP2_DOUBLE))
    return ReducedExponent(fmt.bits(b, biased), b.fma(r, ln2, b.fma(r * r, p, r * ln2_low)))


def reduce_exp10(b: Builder, x: Value, fmt: FloatFormat = F64) -> ReducedExponent:
    """Return 10^x of a double as 2^n·(1 + t).

    The exact remainder of x after n·log10(2) enters e^r as a pair.
    """
    biased = b.fma(x, LOG2_10, F64.magic + F64.bias)
    n = biased - (F64.magic + F64.bias)
    left = b.fma(n, -LOG10_2[0], x)
    high = left * LN10[0]
    low = b.fma(left, LN10[0], -high) + b.fma(left, LN10[1], n * (-LOG10_2[1] * LN10[0]))
    r = high + low
    return ReducedExponent(F64.bits(b, biased), high + b.fma(r * r, b.horner(r, *EXP_DOUBLE), low))


def scaled(b: Builder, e: ReducedExponent, fmt: FloatFormat) -> Value:
    """Return the value 2^n·(1 + t) of a reduced exponential, for n in the range of normal exponents."""
    s = fmt.of_bits(b, e.n_bits << fmt.fraction)
    return b.fma(s, e.t, s)


def two_factors(b: Builder, n_bits: Value, type: Type, fmt: FloatFormat, shift: int = 0) -> tuple[Value, Value]:
    """Return two normal powers of two whose product is 2^(n + shift).

    The low bits of `n_bits` are n plus the exponent bias.
    """
    n = n_bits - fmt.bits(b, b.const(type, fmt.magic + fmt.bias - shift))
    half = n >> 1
    return power_of_two(b, half, fmt), power_of_two(b, n - half, fmt)


def scaled_twice(b: Builder, e: ReducedExponent, fmt: FloatFormat, shift: int = 0) -> Value:
    """Return 2^(n + shift)·(1 + t) of a reduced exponential, for any n.

    It is multiplied by two powers of two; only the last product overflows, or underflows gradually.
    """
    s, rest = two_factors(b, e.n_bits, e.t.type, fmt, shift)
    return b.fma(s, e.t, s) * rest


def _wide_double(reduce: Callable[..., ReducedExponent], limit: float, b: Builder, x: Value, shift: int = 0) -> Value:
    """Return 2^shift times the exponential of any double that `reduce` reduces.

    |x| is cut to `limit`, where the exponential overflows or underflows already.
    """
    return scaled_twice(b, reduce(b, clamp(b, x, -limit, limit), F64), F64, shift)


exp_wide_double = partial(_wide_double, reduce_exp, 800.0)


def exp_middle(b: Builder, x: Value) -> Value:
    """Return e^x of a double with |x| < 700, with an error of about 2^-51, enough for a float result."""
    return scaled(b, reduce_exp(b, x, F64, EXP_MIDDLE), F64)


def exp_of_float(b: Builder, x: Value) -> Value:
    """Return e^x of any double, exact enough for a float result; |x| is cut to 200."""
    return exp_middle(b, clamp(b, x, -200.0, 200.0))


EXP_WIDE = routines("exp_wide", float=in_double(exp_of_float), double=exp_wide_double)
EXP2_WIDE = routines(
    "exp2_wide",
    float=in_double(lambda b, x: scaled(b, reduce_exp2(b, clamp(b, x, -300.0, 300.0), F64), F64)),
    double=partial(_wide_double, reduce_exp2, 1200.0),
)
EXP10_WIDE = routines("exp10_wide", double=partial(_wide_double, reduce_exp10, 400.0))
EXPM1_WIDE = routines(
    "expm1_wide",
    float=in_double(lambda b, x: exp_of_float(b, x) - 1.0),
    double=lambda b, x: b.select(x < 0.0, -1.0, exp_wide_double(b, x)),
)


def _exponential(
    reduce: Callable[..., ReducedExponent],
    wide: dict[str, Routine],
    fmt: FloatFormat,
    limit: float,
    b: Builder,
    x: Value,
) -> Value:
    """Return an exponential by `reduce`, or by its out-of-line routine in `wide` where |x| > limit."""
    return guarded(b, x, exceeds_limit(b, x, limit), wide, scaled(b, reduce(b, x, fmt), fmt))


@in_double
def _exp10_float(b: Builder, x: Value) -> Value:
    """Return 10^x in double, as e^(x·log 10), exact enough for a float."""
    return exp_middle(b, clamp(b, x, -60.0, 60.0) * LN10[0])


def expm1_parts(b: Builder, x: Value, fmt: FloatFormat) -> tuple[Value, Value]:
    """Return (high, low) with e^x - 1 = high + low, for |x| in the fast range of exp."""
    n_bits, r, rest = reduce_exp_parts(b, x, fmt, EXPM1_FLOAT if fmt is F32 else EXP_DOUBLE)
    s = fmt.of_bits(b, n_bits << fmt.fraction)
    less = s - 1.0
    high = b.fma(s, r, less)
    low = b.fma(s, r, less - high)  # Fast2Sum: |2^n - 1| > |2^n·r| unless n = 0, when `less` is 0
    return high, b.fma(s, rest, low)


def _expm1(fmt: FloatFormat, low: float, high: float, b: Builder, x: Value) -> Value:
    middle, radius = (low + high) / 2, (high - low) / 2
    first, second = expm1_parts(b, x, fmt)
    return guarded(b, x, exceeds_limit(b, x - middle, radius), EXPM1_WIDE, b.copysign(first + second, x))


# The limits keep 2^n normal: n <= 126 and 1022.
_exp, _exp2 = partial(_exponential, reduce_exp, EXP_WIDE), partial(_exponential, reduce_exp2, EXP2_WIDE)
EXP = {"float": partial(_exp, F32, 87.0), "double": partial(_exp, F64, 708.0)}
EXP2 = {"float": partial(_exp2, F32, 126.0), "double": partial(_exp2, F64, 1022.0)}
EXP10 = {"float": _exp10_float, "double": partial(_exponential, reduce_exp10, EXP10_WIDE, F64, 307.0)}
# Beyond 2^24 the 1 of expm1 would be rounded away before the last addition.
EXPM1 = {"float": partial(_expm1, F32, -87.0, 16.8), "double": partial(_expm1, F64, -708.0, 708.0)}

# ---- logarithms

# (log1p(f) - f + f²/2)/f³ on -0.3331 <= f <= 0.3341; error relative to log1p(f) 2^-27.6 and 2^-56.6;
# 2^-40.8 for float results in double.
LOG_FLOAT = (
    -0.1284298151731491, 0.1398954540491104, -0.12194234132766724, 0.1400485634803772, -0.16679859161376953,
    0.20010466873645782, -0.2499980926513672, 0.3333321511745453,
)  # fmt: skip
LOG_MIDDLE = (
    0.098478480521013, -0.10333667664298568, 0.07107087095574237, -0.07784537201167073, 0.09144107988820174,
    -0.10045508456384918, 0.11108531518535741, -0.12498072207539007, 0.1428577901446236, -0.16666705465013656,
    0.19999999271324642, -0.24999999721576147, 0.3333333333575252,
)  # fmt: skip
LOG_DOUBLE = (
    0.0836743119639834, -0.08629159890462489, 0.04246728382055542, -0.04571377981303522, 0.06035427010016949,
    -0.06391348945455538, 0.06652728159375387, -0.07130741311062423, 0.07693107521946806, -0.0833397554878203,
    0.09090880180892982, -0.09999979162485832, 0.1111111174618102, -0.12500000391940852, 0.1428571427790714,
    -0.1666666666289782, 0.20000000000045207, -0.2500000000001347, 0.33333333333333254,
)  # fmt: skip
# (log_2(1 + f) - f/ln2)/f², error 2^-28.2 of log_2(1 + f), and the same for base 10, 2^-27.7.
LOG2_FLOAT = (
    0.2839399576187134, -0.1950642466545105, 0.1253155618906021, -0.17353413999080658, 0.20913344621658325,
    -0.24083425104618073, 0.28843268752098083, -0.36066511273384094, 0.48089951276779175, -0.7213475704193115,
)  # fmt: skip
LOG10_FLOAT = (
    -0.05619274079799652, 0.06087913364171982, -0.05285276100039482, 0.06079515442252159, -0.07244933396577835,
    0.08690621703863144, -0.10857242345809937, 0.1447642743587494, -0.21714724600315094,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Base:
    """The constants of a logarithm's base: log_base(2) and log_base(e), each as (double, remainder).

    `direct` are the coefficients of a polynomial for log_base(1 + f), if there is one.
    """

    of_two: tuple[float, float]
    of_e: tuple[float, float]
    direct: tuple[float, ...] = ()


E_BASE = {"float": Base(LN2["float"], (1.0, 0.0)), "double": Base(LN2["double"], (1.0, 0.0))}
TWO_BASE = {
    "float": Base((1.0, 0.0), (1.4426950216293335, 1.925963033500011e-08), LOG2_FLOAT),
    "double": Base((1.0, 0.0), (1.4426950408889634, 2.0355273740931033e-17)),
}
TEN_BASE = {
    "float": Base(
        (0.3010300099849701, -1.432098883924482e-08), (0.4342944920063019, -1.0103049952192578e-08), LOG10_FLOAT
    ),
    "double": Base((0.3010299956639812, -2.8037281277851704e-18), (0.4342944819032518, 1.098319650216765e-17)),
}
LEAST_MANTISSA = 0.667  # a little above 2/3, so that log10 of 2·LEAST_MANTISSA exceeds 1/8 and its ulp is the larger


def _bits_of(number: float, fmt: FloatFormat) -> int:
    """Return the bits of a positive number in a float format, with surplus digits cut off."""
    if number == INFINITY:
        return 2 * fmt.bias + 1 << fmt.fraction
    exponent = 0
    while number >= 2.0:
        number, exponent = number / 2.0, exponent + 1
    while number < 1.0:
        number, exponent = number * 2.0, exponent - 1
    return (exponent + fmt.bias << fmt.fraction) + int((number - 1.0) * 2.0**fmt.fraction)


def split_exponent(b: Builder, x: Value, fmt: FloatFormat) -> tuple[Value, Value]:
    """Return (k + bias, m) with x = 2^k·m and m in [0.667, 1.334), for positive normal x.

    k + bias is an integer.
    """
    least = _bits_of(LEAST_MANTISSA, fmt)
    j = fmt.bits(b, x) + ((fmt.bias << fmt.fraction) - least)
    m = (j & ((1 << fmt.fraction) - 1)) + least
    return j.lshr(fmt.fraction), fmt.of_bits(b, m)


def exponent_float(b: Builder, biased: Value, fmt: FloatFormat) -> Value:
    """Return biased - bias, an exponent without its bias, as a float; 0 <= biased < 2^fraction."""
    return fmt.of_bits(b, biased | _bits_of(2.0**fmt.fraction, fmt)) - (2.0**fmt.fraction + fmt.bias)


def log_pair_of_parts(
    b: Builder, k: Value, f: Value, fmt: FloatFormat, base: Base, f_low: Value | None = None
) -> tuple[Value, Value]:
    """Return k·log(2) + log(1 + f + f_low) to a base, as a pair (value, remainder); |f| <= 0.334.

    The small terms are added first, so that the remainder is rounded once at its full size.
    """
    natural = base.of_e == (1.0, 0.0)
    leading = f if natural else f * base.of_e[0]
    total = b.fma(k, base.of_two[0], leading)
    small = leading - b.fma(k, -base.of_two[0], total)  # what total lost
    if base.of_two[1]:
        small = b.fma(k, base.of_two[1], small)
    if not natural:
        small = small + b.fma(f, base.of_e[1], b.fma(f, base.of_e[0], -leading))
    if f_low is not None:
        small = b.fma(b.fma(-f_low, f, f_low), base.of_e[0], small)
    w = f * f
    if base.direct:
        return total, b.fma(w, b.horner(f, *base.direct), small)
    p = b.horner(f, *(LOG_FLOAT if fmt is F32 else LOG_DOUBLE))
    if natural:
        return total, b.fma(-0.5, w, b.fma(f * w, p, small))
    return total, b.fma(b.fma(-0.5, w, f * w * p), base.of_e[0], small)


def sum_of(pair: tuple[Value, Value]) -> Value:
    """Return the sum of the two parts of a pair."""
    return pair[0] + pair[1]


def _log_normal(b: Builder, x: Value, fmt: FloatFormat, base: Base, offset: Value | None = None) -> Value:
    """Return log(x) + offset·log(2) to a base, for positive normal x."""
    biased, m = split_exponent(b, x, fmt)
    k = exponent_float(b, biased, fmt)
    if offset is not None:
        k = k + offset
    return sum_of(log_pair_of_parts(b, k, m - 1.0, fmt, base))


def log_any(b: Builder, x: Value, fmt: FloatFormat, base: Base) -> Value:
    """Return the logarithm of any number to a base, subnormal numbers included.

    It is NaN for negative numbers, -inf for 0 and inf for inf.
    """
    lift = fmt.fraction + 1
    tiny = x < fmt.least_normal
    offset = b.select(tiny, b.const(x.type, -float(lift)), 0.0)
    y = _log_normal(b, b.select(tiny, x * 2.0**lift, x), fmt, base, offset)
    y = b.select(x.eq(INFINITY), x, y)
    y = b.select(x.eq(0.0), -INFINITY, y)
    y = b.select(x < 0.0, float("nan"), y)
    return b.select(x.is_nan(), x + x, y)


def _log1p_any(b: Builder, x: Value, fmt: FloatFormat, base: Base) -> Value:
    """Return log(1 + x) outside the fast range: where 1 + x rounds to x, or x <= -1."""
    y = log_any(b, x, fmt, base)
    return b.select(x.eq(-1.0), -INFINITY, y)


def _wide_table(name: str, emit: Emitter, bases: dict[str, Base]) -> dict[str, Routine]:
    """Return routines by element type for a logarithm outside its fast range, made of `emit`."""
    made = {f.elem: lambda b, x, f=f: emit(b, x, f, bases[f.elem]) for f in (F32, F64)}
    return routines(f"{name}_wide", **made)


LOG_WIDE = _wide_table("log", log_any, E_BASE)
LOG2_WIDE = _wide_table("log2", log_any, TWO_BASE)
LOG10_WIDE = _wide_table("log10", log_any, TEN_BASE)
LOG1P_WIDE = _wide_table("log1p", _log1p_any, E_BASE)


def not_between(b: Builder, x: Value, low: float, high: float, fmt: FloatFormat) -> Value:
    """Return an i1 for each lane, true where x is outside [low, high), NaN, 0 or negative; bounds are positive."""
    start, stop = _bits_of(low, fmt), _bits_of(high, fmt)
    return (fmt.bits(b, x) - start).compare("", "uge", stop - start)


def _log(fmt: FloatFormat, bases: dict[str, Base], wide: dict[str, Routine], b: Builder, x: Value) -> Value:
    outside = not_between(b, x, fmt.least_normal, INFINITY, fmt)
    return guarded(b, x, outside, wide, _log_normal(b, x, fmt, bases[fmt.elem]))


def log1p_pair(
    b: Builder, x: Value, fmt: FloatFormat, x_low: Value | None = None, offset: Value | None = None
) -> tuple[Value, Value]:
    """Return log(1 + x + x_low) + offset·log(2) as a pair (value, remainder).

    -1 < x < 2^(bias - 1); x_low and offset default to 0.
    """
    biased, _ = split_exponent(b, x + 1.0, fmt)
    scale = fmt.of_bits(b, (2 * fmt.bias - biased) << fmt.fraction)  # 2^-k
    f, f_low = two_sum(x * scale, -(1.0 - scale))
    if x_low is not None:
        f_low = b.fma(x_low, scale, f_low)
    k = exponent_float(b, biased, fmt)
    return log_pair_of_parts(b, k if offset is None else k + offset, f, fmt, E_BASE[fmt.elem], f_low)


def _log_middle(b: Builder, biased: Value, f: Value) -> Value:
    w = f * f
    tail = b.fma(-0.5, w, f * w * b.horner(f, *LOG_MIDDLE))
    return b.fma(exponent_float(b, biased, F64), LN2["double"][0], f + tail)


def log_middle(b: Builder, x: Value) -> Value:
    """Return log(x) of a positive normal double, with an error of about 2^-40, enough for a float result."""
    biased, m = split_exponent(b, x, F64)
    return _log_middle(b, biased, m - 1.0)


def log1p_middle(b: Builder, x: Value) -> Value:
    """Return log(1 + x) of a double x > -1, exact enough for a float result.

    The error is about 2^-40.
    """
    biased, _ = split_exponent(b, x + 1.0, F64)
    scale = F64.of_bits(b, (2 * F64.bias - biased) << F64.fraction)
    return _log_middle(b, biased, b.fma(x, scale, scale - 1.0))


def _log1p(fmt: FloatFormat, b: Builder, x: Value) -> Value:
    outside = not_between(b, x + 1.0, 2.0**-100, 2.0 ** (fmt.bias - 1), fmt)
    return guarded(b, x, outside, LOG1P_WIDE, b.copysign(sum_of(log1p_pair(b, x, fmt)), x))


def _logs(bases: dict[str, Base], wide: dict[str, Routine]) -> dict[str, Emitter]:
    """Return the emitters of a logarithm by element type, for these bases; `wide` has the out-of-line routines."""
    return {f.elem: partial(_log, f, bases, wide) for f in (F32, F64)}


log1p_f64 = partial(_log1p, F64)
REAL_EXP_LOG = rows(
    exp=EXP,
    exp2=EXP2,
    exp10=EXP10,
    expm1=EXPM1,
    log=_logs(E_BASE, LOG_WIDE),
    log2=_logs(TWO_BASE, LOG2_WIDE),
    log10=_logs(TEN_BASE, LOG10_WIDE),
    log1p={"float": partial(_log1p, F32), "double": log1p_f64},
)
