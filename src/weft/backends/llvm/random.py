"""Random fields on vectors: the instruction "philox", bit for bit what `weft.ir.fields` computes.

The one idea: the four 32-bit counter words live in 64-bit lanes and carry garbage in their upper halves, because the
32 by 32 bit multiply instruction ignores them; a round is two multiplies, two shifts and two three-way xors.  The
normal quantile picks its coefficients by lane instead of evaluating centre and tail, and leaves the far tail, met once
in 10**10 cells, to a routine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft import dtypes as dt
from weft.backends.llvm.convert import convert
from weft.backends.llvm.registers import Reg, elem, rounded
from weft.backends.llvm.text import Builder, Complex, Value, routine
from weft.dtypes import DType
from weft.ir import quantile
from weft.ir.fields import BUMPS, MULTIPLIERS, ROUNDS, UNIFORM_BITS

LOW = 0xFFFFFFFF
Words = tuple[Value, Value, Value, Value]


def philox(b: Builder, counter: Words, key: Value) -> Words:
    """Ten rounds; only the low halves of the words mean anything, before and after."""
    c0, c1, c2, c3 = counter
    k0, k1 = key, key.lshr(32)
    for number in range(ROUNDS):
        p0, p1 = (c0 & LOW) * MULTIPLIERS[0], (c2 & LOW) * MULTIPLIERS[1]
        bumps = (BUMPS[0] * number, BUMPS[1] * number)
        c0 = p1.lshr(32) ^ c1 ^ (k0 + bumps[0] if number else k0)
        c2 = p0.lshr(32) ^ c3 ^ (k1 + bumps[1] if number else k1)
        c1, c3 = p1, p0
    return c0, c1, c2, c3


def field_words(b: Builder, coordinates: Sequence[Value], key: Value) -> tuple[Value, Value]:
    """The two 64-bit words of each lane's cell."""
    zero = b.const(key.type, 0)
    halves = [zero] * (-len(coordinates) % 2 if coordinates else 2) + list(coordinates)
    words: Words | None = None
    for outer, inner in zip(halves[::2], halves[1::2], strict=True):
        pair = (inner, inner.lshr(32), outer, outer.lshr(32))
        chained = pair if words is None else tuple(p ^ w for p, w in zip(pair, words, strict=True))
        words = philox(b, chained, key)  # type: ignore[arg-type]
    assert words is not None
    w0, w1, w2, w3 = words
    return w0 << 32 | w1 & LOW, w2 << 32 | w3 & LOW


def emit_field(b: Builder, args: Sequence[Reg], dtypes: Sequence[DType], dtype: DType, attr: object) -> Reg:
    """The op "philox"; attr is (distribution, rank) and the arguments are those that `weft.ir.fields` lists."""
    assert isinstance(attr, tuple)
    distribution, rank = attr
    words = field_words(b, args[:rank], args[rank])  # type: ignore[arg-type]
    cell, parameters = CELLS[distribution], args[rank + 1 :]
    if dtype.kind != "complex":
        return cell(b, dtype, words[0], *parameters)
    re = cell(b, dtype.real, words[0], *(p.re if isinstance(p, Complex) else p for p in parameters))
    im = cell(b, dtype.real, words[1], *(p.im if isinstance(p, Complex) else p for p in parameters))
    return Complex(re, im)


def _bits(b: Builder, dtype: DType, word: Value) -> Value:
    return b.cast("trunc", word.lshr(64 - dtype.bits), elem(dtype)) if dtype.bits < 64 else word


def _uniform(b: Builder, dtype: DType, word: Value, low: Value, scale: Value, below: Value) -> Value:
    bits = UNIFORM_BITS[dtype]
    if dtype is dt.float64:
        top = b.cast("uitofp", word.lshr(64 - bits), "double")
    else:
        top = b.cast("sitofp", b.cast("trunc", word.lshr(64 - bits), "i32"), "float")
    value = rounded(b, low + scale * (top * 2.0**-bits), dtype)
    return b.select(value > below, below, value)


def _normal(b: Builder, dtype: DType, word: Value, mean: Value, deviation: Value) -> Value:
    made = convert(b, mean + deviation * standard_normal(b, word), dt.float64, dtype)
    assert isinstance(made, Value)
    return made


def _integers(b: Builder, dtype: DType, word: Value, low: Value, count: Value) -> Value:
    offset = b.select(count.eq(0), word, high_product(word, count)) + low
    return b.cast("trunc", offset, elem(dtype))


def _bernoulli(b: Builder, dtype: DType, word: Value, threshold: Value, always: Value) -> Value:
    return word.compare("", "ult", threshold) | always


CELLS: dict[str, Callable[..., Value]] = {
    "bits": _bits,
    "uniform": _uniform,
    "normal": _normal,
    "integers": _integers,
    "bernoulli": _bernoulli,
}


def high_product(x: Value, y: Value) -> Value:
    """The high 64 bits of a 64 by 64 bit product."""
    x0, x1, y0, y1 = x & LOW, x.lshr(32), y & LOW, y.lshr(32)
    middle = x1 * y0 + (x0 * y0).lshr(32)
    other = x0 * y1 + (middle & LOW)
    return x1 * y1 + middle.lshr(32) + other.lshr(32)


# ---- the normal quantile
def standard_normal(b: Builder, word: Value) -> Value:
    """`weft.ir.quantile.standard_normal`."""
    u = b.bitcast(word.lshr(12) | 0x3FF << 52, "double") - (1 - 2.0**-53)
    q = u - 0.5
    opposite = 1.0 - u
    r = b.sqrt(-_logarithm(b, b.select(u < opposite, u, opposite)))
    in_centre = b.abs(q) <= quantile.CENTRE_HALF_WIDTH
    x = b.select(in_centre, quantile.CENTRE_SHIFT - q * q, r - quantile.TAIL_SHIFT)
    ratio = _ratio(b, in_centre, x)
    (tail,) = b.rare(~(r <= 5.0), FAR_TAIL, [r], [ratio])
    return b.select(in_centre, q * ratio, b.copysign(tail, q))


def _ratio(b: Builder, in_centre: Value, x: Value) -> Value:
    """Numerator over denominator, each with the coefficients of its lane's piece."""
    sums = []
    for centre, tail in zip(quantile.CENTRE, quantile.TAIL, strict=True):
        picked = [b.select(in_centre, b.const(x.type, c), t) for c, t in zip(centre, tail, strict=True) if c != t]
        rising: list[Value | float] = [*([1.0] if len(picked) < len(centre) else []), *picked]
        sums.append(_polynomial(rising, x))
    return sums[0] / sums[1]


def _polynomial(rising: Sequence[Value | float], x: Value) -> Value:
    """Horner's rule with two roundings a step."""
    p = x * rising[-1]
    for c in reversed(rising[1:-1]):
        p = (p + c) * x
    return p + rising[0]


@routine("weft_normal_far_tail", ("double",), ("double",))
def FAR_TAIL(b: Builder, r: Value) -> Value:
    """The quantile's size where sqrt(-log p) > 5."""
    x = r - quantile.FAR_TAIL_SHIFT
    numerator, denominator = (_polynomial(c, x) for c in quantile.FAR_TAIL)
    return numerator / denominator


def _logarithm(b: Builder, x: Value) -> Value:
    bits = b.bitcast(x, "i64")
    e = (bits - quantile.ROOT_HALF_BITS) >> 52
    m = b.bitcast(bits - (e << 52), "double")
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    magic = 1.5 * 2.0**52  # e is small: adding its bits to those of this number adds it to the number
    scale = b.bitcast(e + 0x4338000000000000, "double") - magic
    series = s * z * _polynomial(quantile.LOGARITHM, z)
    return scale * quantile.LN2_HIGH + (2.0 * s + (series + scale * quantile.LN2_LOW))
