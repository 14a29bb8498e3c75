"""Elementwise ops of the reference transformer: NumPy functions under weft's rules for numbers.

The one idea: a function gets the result's dtype and whole operands of one dtype.  Integers wrap, division by zero and
shifts beyond the width are defined; narrow dtypes are computed in wider ones and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import erf, erfc, floor
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.backends.reference.casts import astype
from weft.dtypes import DType
from weft.ir.fields import exact_functions
from weft.ir.graph.ops import OPS
from weft.ir.kernels.sum_order import textbook_product

Array = np.ndarray


def _in_single(function: Callable[..., Array]) -> Callable[..., Array]:
    """Return a NumPy function as an op: operands of narrow dtypes are widened, the result is rounded once."""

    def wide(dtype: DType, *operands: Array) -> Array:
        return _finish(dtype, function(*[dt.widened(o) for o in operands]))

    return wide


def _precise(function: Callable[..., Array]) -> Callable[..., Array]:
    """Return a NumPy function as an op that computes in extended precision, if available, and rounds once."""

    def wide(dtype: DType, *operands: Array) -> Array:
        extended = [
            o.astype(np.clongdouble if o.dtype.kind == "c" else np.longdouble) for o in map(dt.widened, operands)
        ]
        return _finish(dtype, function(*extended).astype(dtype.compute.np))

    return wide


def _any_power(dtype: DType, a: Array, b: Array) -> Array:
    """Return a to the power b; complex powers in extended precision."""
    return (_precise(np.power) if dtype.kind == "complex" else _in_single(_pow))(dtype, a, b)


def _finish(dtype: DType, value: Any) -> Array:
    """Return `value` as an array of the dtype, converted if it has another."""
    array = np.asarray(value)
    return array if array.dtype == dtype.np else astype(dtype, array)


def _safe(a: Array, b: Array) -> Array:
    """Return the divisors b with 1 in the place of 0, and of -1 where a is the least integer."""
    wraps = (a == np.iinfo(a.dtype).min) & (b == -1) if a.dtype.kind == "i" else False
    return np.where((b == 0) | wraps, b.dtype.type(1), b)


def _floor_divide(a: Array, b: Array) -> Array:
    """Return the floor of a / b; for integers 0 where b is 0.

    The least integer // -1 is the least integer.
    """
    if a.dtype.kind in "iu":
        return np.where(b == 0, a.dtype.type(0), np.floor_divide(a, _safe(a, b)))
    # the floor of the exact quotient, which needs more digits than a float32; infinities as the standard says, and
    # quotients that have no digits after the point are rounded once
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    quotient = np.divide(wide_a, wide_b)
    special = np.isinf(a) | np.isinf(b) | (b == 0) | (np.abs(quotient) >= 2.0**53)
    found = np.where(special, np.floor(quotient), np.floor_divide(wide_a, wide_b))
    near = ~special & (np.abs(quotient) >= 2.0**40)  # where NumPy's may be one off
    if near.any():
        found[near] = [floor(Fraction(x) / Fraction(y)) for x, y in zip(wide_a[near], wide_b[near], strict=True)]
    return found.astype(a.dtype)


def _trunc_divide(a: Array, b: Array) -> Array:
    """Return a / b truncated towards zero; for integers 0 where b is 0."""
    if a.dtype.kind == "u":
        return _floor_divide(a, b)
    if a.dtype.kind == "i":
        down = _floor_divide(a, b)
        return down + ((a < 0) != (b < 0)) * (down * b != a) * (b != 0)
    return np.copysign(_floor_divide(np.abs(a), np.abs(b)), np.divide(a, b))


def _fmod(a: Array, b: Array) -> Array:
    """Return the remainder of the truncated division, with the sign of a; for integers 0 where b is 0."""
    return np.fmod(a, b) if a.dtype.kind not in "iu" else np.where(b == 0, b, a - _trunc_divide(a, b) * b)


def _remainder(a: Array, b: Array) -> Array:
    """Return the remainder of the floor division a / b, with the sign of b; for integers 0 where b is 0."""
    if a.dtype.kind in "iu":
        return np.where(b == 0, a.dtype.type(0), np.remainder(a, _safe(a, b)))
    return np.remainder(a, b)


def _pow(a: Array, b: Array) -> Array:
    """Return a to the power b; for integers modulo 2**bits, and truncated where b < 0."""
    if a.dtype.kind not in "iu":
        return np.power(a, b)
    result = np.ones(np.broadcast_shapes(a.shape, b.shape), a.dtype)
    base, exponent = np.broadcast_arrays(a, b)
    base, left = base.copy(), np.where(b < 0, b.dtype.type(0), exponent)
    for _ in range(a.dtype.itemsize * 8):
        result = np.where(left & 1 == 1, result * base, result)
        base = base * base
        left = left >> 1
    if a.dtype.kind == "i":
        negative = np.where(a == 1, 1, np.where(a == -1, np.where(b & 1 == 1, -1, 1), 0)).astype(a.dtype)
        result = np.where(b < 0, negative, result)
    return result


def _shift(shift: Callable[[Array, Array], Array], a: Array, b: Array) -> Array:
    """Return integers shifted by b bits.

    Where b is negative or not below the width, all bits are shifted out: -1 is left of a negative number shifted right,
    else 0.
    """
    inside = (b >= 0) & (b < a.dtype.itemsize * 8)
    gone = np.where((a < 0) & (shift is np.right_shift), a.dtype.type(0) - a.dtype.type(1), a.dtype.type(0))
    return np.where(inside, shift(a, np.where(inside, b, b.dtype.type(0))), gone)


def _extreme(choose: Callable[[Array, Array], Array], a: Array, b: Array) -> Array:
    """Return the maximum or minimum of a and b, as `choose` is np.maximum or np.minimum.

    NaN wins, and -0 < +0.
    """
    largest = choose is np.maximum
    if a.dtype.kind == "c":
        return _complex_extreme(a, b, partial(_extreme, choose), np.less if largest else np.greater)
    if a.dtype.kind in "biu":
        return choose(a, b)
    tie = np.where(np.signbit(a) == largest, b, a)
    return np.where((a == 0) & (b == 0), tie, choose(a, b))


_maximum, _minimum = partial(_extreme, np.maximum), partial(_extreme, np.minimum)


def _complex_extreme(
    a: Array, b: Array, choose: Callable[[Array, Array], Array], gives_way: Callable[..., Array]
) -> Array:
    """Return the extreme of complex numbers: b where gives_way(a, b), a where gives_way(b, a).

    Of equal numbers, `choose` takes each part; NaN wins.
    """
    tie = _textbook_complex(choose(a.real, b.real), choose(a.imag, b.imag))
    ordered = np.where(gives_way(a, b), b, np.where(gives_way(b, a), a, tie))
    return np.where(np.isnan(a), a, np.where(np.isnan(b), b, ordered))


def _textbook_complex(re: Array, im: Array) -> Array:
    z = np.empty(re.shape, np.result_type(re.dtype, np.complex64))
    z.real, z.imag = re, im
    return z


def _preferring_numbers(choose: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """Return fmax or fmin, given maximum or minimum as `choose`: NaN only where both operands are NaN."""

    def function(a: Array, b: Array) -> Array:
        if a.dtype.kind in "biu":
            return choose(a, b)
        return np.where(np.isnan(a), b, np.where(np.isnan(b), a, choose(a, b)))

    return function


def _sign(x: Array) -> Array:
    """Return the sign of real numbers, and z / |z| of complex numbers.

    It is 0 for zeros. For complex numbers with one infinite part, the other part counts as 0.
    """
    if x.dtype.kind != "c":
        return np.sign(x)
    alone = np.isinf(x.real) & np.isfinite(x.imag) | np.isfinite(x.real) & np.isinf(x.imag)
    z = x.copy()
    z.real = np.where(alone, np.copysign(np.isinf(x.real), x.real), x.real)
    z.imag = np.where(alone, np.copysign(np.isinf(x.imag), x.imag), x.imag)
    size = np.abs(z)
    for part in (z.real, z.imag):  # a quotient of complex numbers would lose the signs of zeros
        np.divide(part, size, out=part, where=size != 0)
    return np.where(size == 0, 0, z)


def _expm1(x: Array) -> Array:
    """Return e^z - 1.

    For complex z = a + bi it is (e^a - 1)·cos b - 2·sin²(b/2) + i·e^a·sin b, which has no cancellation.
    """
    if x.dtype.kind != "c":
        return np.expm1(x)
    a, b = x.real, x.imag
    turns = np.isfinite(b)
    re = np.where(b == 0, np.expm1(a) + 0.0, np.expm1(a) * np.cos(b) - 2 * np.sin(b / 2) ** 2)
    im = np.where(b == 0, b, np.exp(a) * np.sin(b))
    z = np.empty_like(x)
    z.real = np.where(a == -np.inf, -1, np.where((a == np.inf) & ~turns, np.inf, re))
    z.imag = np.where((a == -np.inf) & ~turns, 0, im)
    return z


def _tanh(x: Array) -> Array:
    """Return NumPy's tanh, with the sign of the imaginary part kept where the real part is infinite."""
    z = np.asarray(np.tanh(x))
    if x.dtype.kind == "c":
        z.imag = np.where(np.isinf(x.real), np.copysign(0, x.imag), z.imag)
    return z


def _rounding(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Return `function`, such as floor, for every dtype: integers unchanged, complex numbers part by part."""

    def rounded(x: Array) -> Array:
        if x.dtype.kind == "c":
            return _textbook_complex(function(x.real), function(x.imag))
        return x if x.dtype.kind in "biu" else function(x)

    return rounded


def _classify(function: Callable[[Array], Array], integers: bool) -> Callable[[Array], Array]:
    """Return `function`, such as isfinite, for every dtype; integers and bools give the constant `integers`."""
    return lambda x: np.full(x.shape, integers) if x.dtype.kind in "biu" else function(x)


def _doubles(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """Return a function on arrays that applies `function`, of a Python float, cell by cell."""
    each = np.frompyfunc(function, 1, 1)
    return lambda x: np.asarray(each(x.astype(np.float64)), np.float64)


_FUNCTIONS: dict[str, Callable[..., Array]] = {
    "add": np.add, "subtract": np.subtract, "multiply": textbook_product, "divide": np.true_divide, "pow": _pow,
    "floor_divide": _floor_divide, "remainder": _remainder, "maximum": _maximum, "minimum": _minimum,
    "trunc_divide": _trunc_divide, "fmod": _fmod, "fmax": _preferring_numbers(_maximum),
    "fmin": _preferring_numbers(_minimum), "cbrt": np.cbrt, "exp2": np.exp2,
    "exp10": lambda x: np.power(x.dtype.type(10), x),
    "erf": _doubles(erf), "erfc": _doubles(erfc),
    "atan2": np.arctan2, "hypot": np.hypot, "logaddexp": np.logaddexp, "copysign": np.copysign,
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
    "bitwise_left_shift": partial(_shift, np.left_shift), "bitwise_right_shift": partial(_shift, np.right_shift),
    "less": np.less, "less_equal": np.less_equal, "greater": np.greater, "greater_equal": np.greater_equal,
    "equal": np.equal, "not_equal": np.not_equal, "logical_and": np.logical_and, "logical_or": np.logical_or,
    "logical_xor": np.logical_xor, "logical_not": np.logical_not, "bitwise_invert": np.invert,
    "negative": np.negative, "square": lambda x: textbook_product(x, x), "sign": _sign, "abs": np.abs,
    "conj": np.conj, "real": np.real, "imag": np.imag, "floor": _rounding(np.floor),
    "ceil": _rounding(np.ceil), "trunc": _rounding(np.trunc),
    "round": _rounding(np.round), "isfinite": _classify(np.isfinite, True), "isinf": _classify(np.isinf, False),
    "isnan": _classify(np.isnan, False), "signbit": np.signbit, "sqrt": np.sqrt,
    "reciprocal": lambda x: np.divide(x.dtype.type(1), x),
    "exp": np.exp, "expm1": _expm1, "log": np.log, "log1p": np.log1p, "log2": np.log2, "log10": np.log10,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": _tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh,
}  # fmt: skip

ELEMENTWISE: dict[str, Callable[..., Array]] = {
    name: _precise(f) if OPS[name].error.startswith("1 / 2") or name == "sign" else _in_single(f)
    for name, f in _FUNCTIONS.items()
}
ELEMENTWISE["pow"] = _any_power
ELEMENTWISE["positive"] = lambda dtype, x: x
ELEMENTWISE["astype"] = astype
ELEMENTWISE["nextafter"] = lambda dtype, a, b: np.where(a == b, b, np.nextafter(a, b))
ELEMENTWISE |= {name: lambda dtype, x, name=name: exact_functions.evaluate(name, x) for name in exact_functions.EXACT}
ELEMENTWISE["checked"] = lambda dtype, value, bad: value
ELEMENTWISE["where"] = lambda dtype, c, a, b: np.where(c, a, b)
ELEMENTWISE["complex"] = lambda dtype, re, im: dt.complex_array(dtype, re, im)
