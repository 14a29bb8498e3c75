"""Random fields on vectors: the instruction "philox", bit for bit what `weft.ir.fields.random_fields` computes.

The one idea: the four 32-bit counter words live in 64-bit lanes and carry garbage in their upper halves, because the
32 by 32 bit multiply instruction ignores them; a round is two multiplies, two shifts and two three-way xors.  A
permutation walks all lanes on until the last is inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft import dtypes as dt
from weft.backends.llvm.emit import Builder, Complex, Value
from weft.backends.llvm.steps.plain_functions import normal_quantile
from weft.backends.llvm.steps.register_casts import convert
from weft.backends.llvm.steps.registers import Reg, elem, rounded
from weft.dtypes import DType
from weft.ir.fields.philox import BUMPS, MIX, MULTIPLIERS, ROUNDS
from weft.ir.fields.random_fields import UNIFORM_BITS

LOW = 0xFFFFFFFF
Words = tuple[Value, Value, Value, Value]


def philox(b: Builder, counter: Words, key: Value) -> Words:
    """Return the four words of Philox after ten rounds.

    Only the low 32 bits of each lane are meaningful.
    """
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
    """Return two random 64-bit words for each lane's cell, from its coordinates and the field's 64-bit key."""
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
    """Return the cells of a random field as a register; `attr` is (distribution, rank).

    `args` are the coordinates (`rank` of them), the key, and the distribution's parameters as `random_fields` lists
    them.
    """
    assert isinstance(attr, tuple)
    distribution, rank = attr
    if distribution == "permutation":
        return _walk(b, *args)  # type: ignore[arg-type]
    words = field_words(b, args[:rank], args[rank])  # type: ignore[arg-type]
    cell, parameters = CELLS[distribution], args[rank + 1 :]
    if dtype.kind != "complex":
        return cell(b, dtype, words[0], *parameters)
    re = cell(b, dtype.real, words[0], *(p.re if isinstance(p, Complex) else p for p in parameters))
    im = cell(b, dtype.real, words[1], *(p.im if isinstance(p, Complex) else p for p in parameters))
    return Complex(re, im)


def _high_bits(b: Builder, dtype: DType, word: Value) -> Value:
    return b.cast("trunc", word.lshr(64 - dtype.bits), elem(dtype)) if dtype.bits < 64 else word


def _open(b: Builder, dtype: DType, word: Value) -> Value:
    return b.bitcast(word.lshr(12) | 0x3FF << 52, "double") - (1 - 2.0**-53)


def _uniform(b: Builder, dtype: DType, word: Value, low: Value, scale: Value, below: Value) -> Value:
    bits = UNIFORM_BITS[dtype]
    if dtype is dt.float64:
        top = b.cast("uitofp", word.lshr(64 - bits), "double")
    else:
        top = b.cast("sitofp", b.cast("trunc", word.lshr(64 - bits), "i32"), "float")
    value = rounded(b, low + scale * (top * 2.0**-bits), dtype)
    return b.select(value > below, below, value)


def _normal(b: Builder, dtype: DType, word: Value, mean: Value, deviation: Value) -> Value:
    made = convert(b, mean + deviation * normal_quantile(b, _open(b, dtype, word)), dt.float64, dtype)
    assert isinstance(made, Value)
    return made


def _integers(b: Builder, dtype: DType, word: Value, low: Value, count: Value) -> Value:
    offset = b.select(count.eq(0), word, high_product(word, count)) + low
    return b.cast("trunc", offset, elem(dtype))


def _bernoulli(b: Builder, dtype: DType, word: Value, threshold: Value, always: Value) -> Value:
    return word.compare("", "ult", threshold) | always


CELLS: dict[str, Callable[..., Value]] = {
    "bits": _high_bits,
    "open": _open,
    "uniform": _uniform,
    "normal": _normal,
    "integers": _integers,
    "bernoulli": _bernoulli,
}


def high_product(x: Value, y: Value) -> Value:
    """Return the high 64 bits of the 128-bit product of two unsigned 64-bit integers."""
    x0, x1, y0, y1 = x & LOW, x.lshr(32), y & LOW, y.lshr(32)
    middle = x1 * y0 + (x0 * y0).lshr(32)
    other = x0 * y1 + (middle & LOW)
    return x1 * y1 + middle.lshr(32) + other.lshr(32)


# ---- permutations
def _walk(b: Builder, index: Value, n: Value, low_bits: Value, high_bits: Value, *keys: Value) -> Value:
    """Return the image of `index` under a permutation of range(n), as `weft.ir.fields.philox.walk` does.

    An index is split into `high_bits` and `low_bits`; there is a key for each round of mixing.  Lanes whose index is
    not below n compute the image of 0.
    """

    def network(x: Value) -> Value:
        high, low = x.lshr(low_bits), x & (b.const(x.type, 1) << low_bits) - 1
        for number, key in enumerate(keys):
            if number % 2:
                low = low ^ _mixed(high, key).lshr(64 - low_bits)
            else:
                high = high ^ _mixed(low, key).lshr(64 - high_bits)
        return high << low_bits | low

    held = b.alloca(index.type)
    b.store(network(b.select(index.compare("", "ult", n), index, 0)), held, 64)
    with b.repeat() as leave_if:
        at = b.load(index.type, held, 64)
        outside = at.compare("", "uge", n)
        leave_if(~b.any(outside))
        b.store(b.select(outside, network(at), at), held, 64)
    return at


def _mixed(half: Value, key: Value) -> Value:
    z = half + key
    for shift, factor in MIX:
        z = z ^ z.lshr(shift)
        z = z * factor if factor != 1 else z
    return z
