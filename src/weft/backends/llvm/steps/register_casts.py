"""Conversions between dtypes inside a kernel.

The one idea: every conversion rounds once.  Float to integer truncates and saturates, NaN gives 0; anything to bool is
`!= 0`; float64 and wide integers reach what is narrower than a float through a float rounded to odd, which keeps what
the last rounding needs to know (Boldo and Melquiond 2008).
"""

from __future__ import annotations

from weft import dtypes as dt
from weft.backends.llvm.emit import Builder, Complex, Value
from weft.backends.llvm.steps.float8 import decode8, encode8
from weft.backends.llvm.steps.registers import Reg, elem, round_to_odd, rounded
from weft.dtypes import DType


def convert(b: Builder, x: Reg, source: DType, target: DType) -> Reg:
    """Return register x converted from dtype `source` to dtype `target`, rounded once.

    Complex to real keeps the real part; complex to bool is true where either part is not 0.
    """
    if source is target:
        return x
    if source.storage:
        assert isinstance(x, Value)
        return convert(b, decode8(b, x, source), dt.float32, target)
    if target.kind == "complex":
        return _to_complex(b, x, source, target)
    if isinstance(x, Complex):
        if target is dt.bool:
            return x.re.ne(0) | x.im.ne(0)
        x, source = x.re, source.real
        return x if source is target else convert(b, x, source, target)
    if target is dt.bool:
        return x.ne(0)
    if target.storage:
        return encode8(b, _single(b, x, source, target), target)
    if source.kind == "float":
        return _float_to_float(b, x, source, target) if target.kind == "float" else _to_integer(b, x, target)
    return _integer_to_float(b, x, source, target) if target.kind == "float" else _resize(b, x, source, target)


def _to_complex(b: Builder, x: Reg, source: DType, target: DType) -> Complex:
    if isinstance(x, Complex):
        return x.map_parts(lambda p: convert(b, p, source.real, target.real))  # type: ignore[return-value, arg-type]
    re = convert(b, x, source, target.real)
    assert isinstance(re, Value)
    return Complex(re, b.const(re.type, 0))


def _resize(b: Builder, x: Value, source: DType, target: DType) -> Value:
    if target.bits <= source.bits and source is not dt.bool:
        return b.cast("trunc", x, elem(target))
    return b.cast("sext" if source.kind == "int" else "zext", x, elem(target))


def _float_to_float(b: Builder, x: Value, source: DType, target: DType) -> Value:
    if source is not dt.float64:
        return rounded(b, x, target) if target is not dt.float64 else b.cast("fpext", x, "double")
    if target is dt.float32:
        return b.cast("fptrunc", x, "float")
    return rounded(b, round_to_odd(b, x), target)


def _to_integer(b: Builder, x: Value, target: DType) -> Value:
    """Return a float truncated to an integer within the range of `target`; NaN gives 0."""
    signed = target.kind == "int"
    wide = max(target.bits, 32)
    kind = "fptosi" if signed or wide > target.bits else "fptoui"
    if target.digits <= (dt.float64 if x.type.elem == "double" else dt.float32).digits:  # the limits are floats
        least, greatest = (float(v) for v in dt.limits_of(target))
        number = b.select(x.is_nan(), 0.0, x) if signed else x  # NaN is not > 0
        number = b.select(number > least, number, least)
        return b.cast("trunc", b.cast(kind, b.select(number < greatest, number, greatest), f"i{wide}"), elem(target))
    low, high = (-(2.0 ** (target.bits - 1)), 2.0 ** (target.bits - 1)) if signed else (-1.0, 2.0**target.bits)
    above, below = (x >= low) if signed else (x > low), x < high
    safe = b.select(above & below, x, 0.0)
    inside = b.cast("trunc", b.cast(kind, safe, f"i{wide}"), elem(target))
    largest = (1 << (target.bits - 1)) - 1 if signed else -1
    capped = b.select(x >= high, b.const(inside.type, largest), inside)
    return b.select(x < low, b.const(inside.type, -largest - 1), capped) if signed else capped


def _integer_to_float(b: Builder, x: Value, source: DType, target: DType) -> Value:
    if target in (dt.float32, dt.float64):
        if source.bits < 32:
            x, source = _resize(b, x, source, dt.int32), dt.int32
        return b.cast(_to_fp(source), x, elem(target))
    return rounded(b, _single(b, x, source, target), target)


def _single(b: Builder, x: Value, source: DType, target: DType) -> Value:
    """Return x as a float whose rounding to `target` equals x rounded to `target` once."""
    if source.kind == "float":
        return round_to_odd(b, x) if source is dt.float64 else x
    if source.bits <= 16:
        return b.cast("sitofp", _resize(b, x, source, dt.int32), "float")
    if dt.reach(target) < 20:
        return b.cast("sitofp", _clamped(b, x, source), "float")
    if source.bits == 32:
        return b.cast(_to_fp(source), _jammed(b, x, source, 24), "float")
    return round_to_odd(b, b.cast(_to_fp(source), _jammed(b, x, source, 53), "double"))


def _to_fp(source: DType) -> str:
    return "sitofp" if source.kind == "int" else "uitofp"


def _clamped(b: Builder, x: Value, source: DType) -> Value:
    """Return an integer limited to ±2**20 as i32.

    Such numbers are exact as floats, and 2**20 overflows float16.
    """
    if source.kind == "int":
        x = b.intrinsic("smax", b.intrinsic("smin", x, 1 << 20), -(1 << 20))
    else:
        x = b.intrinsic("umin", x, 1 << 20)
    return b.cast("trunc", x, "i32")


def _jammed(b: Builder, x: Value, source: DType, digits: int) -> Value:
    """Return an integer rounded to odd at `digits` significant bits.

    A float of as many digits holds it exactly.  Numbers below 2**digits are kept; where bits are dropped, at least 16
    are left.
    """
    step = 1 << source.bits - digits
    jam = (x & -step) | b.select((x & step - 1).ne(0), b.const(x.type, step), 0)
    if source.kind == "uint":
        return b.select(x.compare("", "ult", 1 << digits), x, jam)
    near = (x + (1 << digits)).compare("", "ule", 2 << digits)
    return b.select(near, x, jam)
