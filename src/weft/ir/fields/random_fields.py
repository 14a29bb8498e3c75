"""Random fields: a random value is a pure function of (seed, distribution, rank, coordinates), defined here in NumPy.

The one idea: a cell's random words (`weft.ir.fields.philox`) become its value by fixed arithmetic: no rejection, and
only separate + - * / sqrt and integer operations, so native code, which shares the constants, gives the same bits.

As an instruction (and a node) "philox" has attr (kind of cell, rank) and these args: `rank` int64 coordinates, outer
axis first, then the scalars that `field_instr_args` lists, in this order:

    bits       key uint64                                     the top bits of the first word; unsigned dtypes
    open       key                                            (2k + 1)/2**53, k the top 52 bits; float64
    uniform    key, low, scale, below (of the dtype)          low + scale·u, not above `below`, the number under high;
                                                              u = top 8, 11, 24, 53 bits for bfloat16, float16, 32, 64
    normal     key, mean, deviation (float64 or complex128)   mean + deviation·z in float64, then one rounding
    integers   key, low, count (uint64; 0 stands for 2**64)   low + high half of word·count; integer dtypes
    bernoulli  key, threshold (uint64), always (bool)         word < threshold or always; dtype bool
    permutation  what `permutation.walk_args` lists           where the one coordinate goes; int64

Every distribution has a key of its own (`philox.TAGS`).  exponential, gumbel and truncated_normal are made of "open"
cells, categorical and short permutations of "bits", by nodes of `exact_functions` (`distributions` makes them).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import DTypeError, ValueRangeError
from weft.ir.fields.exact_functions import open_unit, standard_normal
from weft.ir.fields.philox import LOW, derive_key, field_words, walk

UNIFORM_BITS = {dt.bfloat16: 8, dt.float16: 11, dt.float32: 24, dt.float64: 53}


# ---- what the API passes on
def cell_kind(distribution: str) -> str:
    """Return the kind of random cells from which fields of a distribution are computed, such as "open" for (0, 1).

    >>> cell_kind("gumbel"), cell_kind("normal")
    ('open', 'normal')
    """
    return {"exponential": "open", "gumbel": "open", "truncated_normal": "open", "categorical": "bits"}.get(
        distribution, distribution
    )


def field_instr_args(
    distribution: str, dtype: DType, rank: int, seed: int, *parameters: Any
) -> tuple[tuple[Any, DType], ...]:
    """Return the scalars of a field after its coordinates, as (number, dtype): the key first.

    Parameters: uniform (low, high), normal (mean, deviation), integers (low, high exclusive), bernoulli (probability),
    bits none. Raises DTypeError if the distribution has no cells of the dtype or a parameter is complex,
    ValueRangeError for a seed or parameter out of range.

    >>> field_instr_args("bernoulli", dt.bool, 1, 7, 0.5)[1:]
    ((9223372036854775808, weft.uint64), (False, weft.bool))
    """
    kind = cell_kind(distribution)
    if not _serves(kind, dtype):
        raise DTypeError(f"random: {distribution} of {dtype.name}; no such field is defined; choose another dtype")
    key = (derive_key(seed, distribution, rank), dt.uint64)
    return (key, *_PARAMETERS[kind](dtype, *parameters))


def _serves(kind: str, dtype: DType) -> bool:
    """True if cells of kind `kind` are defined for a dtype."""
    kinds = {"bits": ("uint",), "integers": ("int", "uint"), "bernoulli": ("bool",)}
    return dtype.kind in kinds.get(kind, ("float", "complex")) and (kind != "open" or dtype is dt.float64)


@lru_cache(maxsize=256, typed=True)  # 1.0 and 1 + 0j are equal, and mean different bounds
def _uniform_parameters(dtype: DType, low: Any = 0.0, high: Any = 1.0) -> tuple[tuple[Any, DType], ...]:
    """Return the parameters of a uniform field as (number, dtype).

    Real bounds of a complex field hold for both parts. Raises DTypeError for complex bounds of a real field,
    ValueRangeError unless low < high.
    """
    one = _uniform_part
    if dtype.kind != "complex":
        _check_real("uniform", low, high)
        return tuple((v, dtype) for v in one(dtype, low, high))
    if not (isinstance(low, complex) or isinstance(high, complex)):
        low, high = complex(low, low), complex(high, high)
    low, high = complex(low), complex(high)
    parts = zip(one(dtype.real, low.real, high.real), one(dtype.real, low.imag, high.imag), strict=True)
    return tuple((complex(re, im), dtype) for re, im in parts)


def _check_real(name: str, *parameters: Any) -> None:
    """Raise DTypeError if a parameter of a real field is complex."""
    for x in parameters:
        if isinstance(x, complex):
            raise DTypeError(
                f"{name}: a parameter {x}; the field is real; ask for a complex dtype, or take its real part"
            )


def _uniform_part(dtype: DType, low: Any, high: Any) -> tuple[float, float, float]:
    """Return low, high - low and the largest number below high, each rounded to the dtype.

    Raises ValueRangeError if the interval is empty or not finite.
    """
    with np.errstate(over="ignore"):
        first, last = (np.float64(v).astype(dtype.np) for v in (low, high))
        scale = (last.astype(np.float64) - first.astype(np.float64)).astype(dtype.np)
    if not (first < last and np.isfinite(scale)):
        raise ValueRangeError(
            f"uniform: the interval [{low}, {high}) in {dtype.name}; it must be finite and not empty; give low < high"
        )
    return float(first), float(scale), float(np.nextafter(last, np.array(-math.inf, dtype.np)))


def _normal_parameters(dtype: DType, mean: Any = 0.0, deviation: float = 1.0) -> tuple[tuple[Any, DType], ...]:
    if mean != mean:
        raise ValueRangeError(f"normal: mean {mean}; it must be a number; replace it")
    if not deviation >= 0:
        raise ValueRangeError(f"normal: deviation {deviation}; it must not be negative; give its absolute value")
    if dtype.kind != "complex":
        _check_real("normal", mean)
    centre = (complex(mean), dt.complex128) if dtype.kind == "complex" else (float(mean), dt.float64)
    return centre, (float(deviation), dt.float64)


def _integer_parameters(dtype: DType, low: int, high: int) -> tuple[tuple[Any, DType], ...]:
    info = dt.integer_limits(dtype)
    if not info.min <= low < high <= info.max + 1:
        raise ValueRangeError(
            f"integers: the range [{low}, {high}) in {dtype.name}; it must be within [{info.min}, {info.max + 1}) and "
            "not empty; give low < high or a wider dtype"
        )
    return (low % 2**64, dt.uint64), ((high - low) % 2**64, dt.uint64)


def _bernoulli_parameters(dtype: DType, probability: float = 0.5) -> tuple[tuple[Any, DType], ...]:
    if not 0 <= probability <= 1:
        raise ValueRangeError(f"bernoulli: probability {probability}; it must be in [0, 1]; clip it")
    always = probability == 1
    return (0 if always else int(math.ldexp(float(probability), 64)), dt.uint64), (always, dt.bool)


_PARAMETERS: dict[str, Any] = {
    "bits": lambda dtype: (),
    "open": lambda dtype: (),
    "uniform": _uniform_parameters,
    "normal": _normal_parameters,
    "integers": _integer_parameters,
    "bernoulli": _bernoulli_parameters,
}
CELL_KINDS = (*_PARAMETERS, "permutation")


# ---- the values, in NumPy
def field_values(distribution: str, dtype: DType, coordinates: Sequence[Any], scalars: Sequence[Any]) -> Any:
    """Return the field's cells at coordinates, with the bits of native code.

    `scalars` are the numbers of `field_instr_args`.
    """
    key, *parameters = scalars
    words = field_words(int(key), coordinates)
    if dtype.kind != "complex":
        return _CELLS[distribution](dtype, words[0], *parameters)
    planes = [[complex(v).real for v in parameters], [complex(v).imag for v in parameters]]
    if distribution == "normal":
        planes[1][1] = planes[0][1]
    re, im = (_CELLS[distribution](dtype.real, w, *p) for w, p in zip(words, planes, strict=True))
    return dt.complex_array(dtype, re, im)


def evaluate(dtype: DType, attrs: Sequence[Any], shape: tuple[int, ...], inputs: Sequence[Any]) -> Any:
    """Return the value of a "philox" node: attrs (kind of cell, rank), inputs coordinates, key and parameters."""
    kind, rank = attrs
    key, *parameters = [dt.widened(v) if v.dtype == dt.complex32.np else v for v in map(np.asarray, inputs[rank:])]
    scalars = [key[()], *[v[()] if v.ndim == 0 else v for v in parameters]]
    found = walk(inputs[0], scalars) if kind == "permutation" else field_values(kind, dtype, inputs[:rank], scalars)
    return np.broadcast_to(found, shape)


def _bits(dtype: DType, word: Any) -> Any:
    return (word >> np.uint64(64 - dtype.bits)).astype(dtype.np)


def _open(dtype: DType, word: Any) -> Any:
    return open_unit(word)


def _uniform(dtype: DType, word: Any, low: Any, scale: Any, below: Any) -> Any:
    bits = UNIFORM_BITS[dtype]
    compute = np.float64 if dtype is dt.float64 else np.float32
    u = (word >> np.uint64(64 - bits)).astype(compute) * compute(2.0**-bits)
    value = (compute(low) + compute(scale) * u).astype(dtype.np)
    return np.where(value.astype(compute) > compute(below), compute(below), value.astype(compute)).astype(dtype.np)


def _normal(dtype: DType, word: Any, mean: Any, deviation: Any) -> Any:
    return round_double(np.float64(mean) + np.float64(deviation) * standard_normal(word), dtype)


def _integers(dtype: DType, word: Any, low: Any, count: Any) -> Any:
    low, count = np.asarray(low).astype(np.uint64), np.asarray(count).astype(np.uint64)
    with np.errstate(over="ignore"):
        return (np.where(count == 0, word, high_product(word, count)) + low).astype(dtype.np)


def _bernoulli(dtype: DType, word: Any, threshold: Any, always: Any) -> Any:
    return (word < np.asarray(threshold, np.uint64)) | np.asarray(always, np.bool_)


_CELLS: dict[str, Any] = {
    "bits": _bits,
    "open": _open,
    "uniform": _uniform,
    "normal": _normal,
    "integers": _integers,
    "bernoulli": _bernoulli,
}


def high_product(a: Any, b: Any) -> Any:
    """Return the high 64 bits of the 128-bit product of two uint64."""
    half = np.uint64(32)
    a0, a1, b0, b1 = a & LOW, a >> half, b & LOW, b >> half
    middle = a1 * b0 + (a0 * b0 >> half)
    other = a0 * b1 + (middle & LOW)
    return a1 * b1 + (middle >> half) + (other >> half)


def round_double(x: Any, dtype: DType) -> Any:
    """Return float64 numbers rounded once to a float dtype.

    bfloat16 is reached by way of a float32 rounded to odd.
    """
    if dtype is not dt.bfloat16:
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(x).astype(dtype.np)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        near = np.asarray(x, np.float64).astype(np.float32)
        back = near.astype(np.float64)
        bits = near.view(np.int32)
        wrong = (back != x) & (back == back) & (bits & 1 == 0)
        odd = np.where(wrong, bits + np.where(np.abs(back) > np.abs(x), -1, 1), bits).astype(np.int32)
        return odd.view(np.float32).astype(dtype.np)
