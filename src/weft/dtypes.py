"""Data types: what a cell can hold, how two types join, and how NumPy spells them.

The one idea: a dtype says what values a cell holds and nothing of how they lie in memory (byte order belongs to the
tensor's description).  Promotion is one lattice on dtypes alone: the smallest type that holds every value of both.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from functools import cache, lru_cache

import ml_dtypes
import numpy as np

from weft.errors import DTypeError

bool_ = builtins.bool  # the name `bool` is the dtype here
KINDS = ("bool", "uint", "int", "float", "complex")


class DType:
    """A data type; the instances of this module are the only ones, so `is` compares them.

    >>> float32.kind, float32.bits, float32.itemsize
    ('float', 32, 4)
    """

    __slots__ = ("bits", "digits", "itemsize", "kind", "name", "np", "real")

    def __init__(self, name: str, kind: str, bits: int, digits: int, np_type: object) -> None:
        self.name, self.kind, self.bits = name, kind, bits
        self.digits = digits  # integers up to 2**digits are held exactly (per real part)
        self.np = np.dtype(np_type)  # type: ignore[call-overload]
        self.itemsize: int = self.np.itemsize
        self.real: DType = self

    def __repr__(self) -> str:
        return f"weft.{self.name}"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (named, (self.name,))

    @property
    def is_integer(self) -> bool:
        return self.kind in ("int", "uint")

    @property
    def is_inexact(self) -> bool:
        return self.kind in ("float", "complex")


bool = DType("bool", "bool", 8, 1, np.bool_)
int8, int16, int32, int64 = (DType(f"int{b}", "int", b, b - 1, f"i{b // 8}") for b in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (DType(f"uint{b}", "uint", b, b, f"u{b // 8}") for b in (8, 16, 32, 64))
float16 = DType("float16", "float", 16, 11, "f2")
bfloat16 = DType("bfloat16", "float", 16, 8, ml_dtypes.bfloat16)
float32 = DType("float32", "float", 32, 24, "f4")
float64 = DType("float64", "float", 64, 53, "f8")
complex64 = DType("complex64", "complex", 64, 24, "c8")
complex128 = DType("complex128", "complex", 128, 53, "c16")
complex64.real, complex128.real = float32, float64

ALL = (
    bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
    float16, bfloat16, float32, float64, complex64, complex128,
)  # fmt: skip
BY_NAME = {d.name: d for d in ALL}
_BY_NP = {d.np: d for d in ALL}
_BY_PYTHON: dict[object, DType] = {}


def named(name: str) -> DType:
    """The dtype of that name."""
    return BY_NAME[name]


def of_kind(kind: str, bits: int) -> DType:
    """The dtype of a kind and width (IEEE floats), such as ("int", 16)."""
    return next(d for d in ALL if d.kind == kind and d.bits == bits and d is not bfloat16)


def from_numpy(dtype: np.dtype) -> tuple[DType, str]:
    """The weft dtype of a NumPy dtype and its byte order, "little" or "big" (1-byte types are "little").

    >>> from_numpy(np.dtype(">f4"))
    (weft.float32, 'big')
    """
    found = _BY_NP.get(dtype)
    if found is not None:
        return found, "little"
    found = _BY_NP.get(dtype.newbyteorder("="))
    if found is None:
        raise DTypeError(
            f"dtype: NumPy's {dtype!s} has no weft counterpart; weft holds bool, integers, floats and complex "
            "numbers; convert the array first, with its astype()"
        )
    return found, "big" if dtype.byteorder == ">" else "little"


def to_numpy(dtype: DType, byteorder: str = "little") -> np.dtype:
    """The NumPy dtype with that byte order."""
    return dtype.np.newbyteorder(">") if byteorder == "big" and dtype.itemsize > 1 else dtype.np


@lru_cache(maxsize=512)
def _spelled(spec: object) -> tuple[DType, str]:
    if isinstance(spec, str) and spec.lstrip("<>=|") in BY_NAME:
        return BY_NAME[spec.lstrip("<>=|")], "big" if spec.startswith(">") else "little"
    if spec is None or isinstance(spec, np.generic):  # NumPy takes a number for its dtype; here one is a mistake
        raise _no_dtype(spec)
    try:
        return from_numpy(np.dtype(spec))  # type: ignore[call-overload]
    except (TypeError, ValueError) as error:
        if isinstance(error, DTypeError):
            raise
        raise _no_dtype(spec) from None


def _no_dtype(spec: object) -> DTypeError:
    shown = repr(spec) if isinstance(spec, (str, type)) else f"an object of class {type(spec).__name__}"
    return DTypeError(
        f"dtype: {shown} is not a data type; use weft.float32 and the like, or a NumPy spelling such as '>f4'"
    )


def spelled(spec: object) -> tuple[DType, str]:
    """What a user may write for a dtype (weft dtype, Python type, NumPy dtype or string) and its byte order.

    >>> spelled(">f4"), spelled(float)
    ((weft.float32, 'big'), (weft.float64, 'little'))
    """
    if isinstance(spec, DType):
        return spec, "little"
    known = _BY_PYTHON.get(spec) if isinstance(spec, type) else None
    try:
        return (known, "little") if known else _spelled(spec)
    except DTypeError:
        raise
    except TypeError:  # no hash
        raise _no_dtype(spec) from None


def _join(a: DType, b: DType) -> DType:
    if a is b or b is bool:
        return a
    if a is bool:
        return b
    if a.kind == b.kind and a.kind != "float":
        return a if a.bits >= b.bits else b
    if a.is_integer and b.is_integer:
        unsigned = a if a.kind == "uint" else b
        signed = b if unsigned is a else a
        bits = max(signed.bits, 2 * unsigned.bits)
        return of_kind("int", bits) if bits <= 64 else float64
    return _join_inexact(a, b)


def _join_inexact(a: DType, b: DType) -> DType:
    """The smallest float (or complex of it) that holds both; 32- and 64-bit integers go with float64."""
    digits = max(min(d.digits, 53) for d in (a, b))
    candidates = (float16, bfloat16, float32, float64)
    wide = max(d.real.bits for d in (a, b) if d.is_inexact)
    base = next(
        c
        for c in candidates
        if c.digits >= digits and c.bits >= wide and all(_holds_range(c, d.real) for d in (a, b) if d.is_inexact)
    )
    if "complex" in (a.kind, b.kind):
        return complex128 if base is float64 else complex64
    return base


def _holds_range(c: DType, d: DType) -> bool_:
    return c is d or c.bits > d.bits


@cache
def promote(a: DType, b: DType) -> DType:
    """The join of two dtypes: the smallest that holds every value of both.

    >>> promote(int8, uint8), promote(int16, float16), promote(int64, uint64)
    (weft.int16, weft.float32, weft.float64)
    """
    return _join(a, b)


def weak(kind: type, with_dtype: DType) -> DType:
    """The dtype that a Python scalar takes beside `with_dtype`: its kind counts, not its value.

    >>> weak(float, int8), weak(int, float32), weak(complex, float32)
    (weft.float64, weft.float32, weft.complex64)
    """
    d = with_dtype
    if kind is bool_:
        return d
    if kind is int:
        return int64 if d is bool else d
    if kind is float:
        return d if d.is_inexact else float64
    if d.kind == "complex":
        return d
    return complex64 if d in (float16, bfloat16, float32) else complex128


def default_of(kind: type) -> DType:
    """The dtype of a Python scalar on its own."""
    return _BY_PYTHON[kind]


_BY_PYTHON.update({bool_: bool, int: int64, float: float64, complex: complex128})


@dataclass(frozen=True, slots=True)
class finfo_object:
    """Machine limits of a floating-point dtype, as Python numbers."""

    dtype: DType
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float


@dataclass(frozen=True, slots=True)
class iinfo_object:
    """Limits of an integer dtype, as Python integers."""

    dtype: DType
    bits: int
    max: int
    min: int


@cache
def float_limits(d: DType) -> finfo_object:
    """Limits of a float dtype (of the parts, for a complex one)."""
    info = ml_dtypes.finfo(d.real.np)
    numbers = (float(info.eps), float(info.max), float(info.min), float(info.smallest_normal))
    return finfo_object(d.real, d.real.bits, *numbers)


@cache
def integer_limits(d: DType) -> iinfo_object:
    """Limits of an integer dtype."""
    info = np.iinfo(d.np)
    return iinfo_object(d, d.bits, int(info.max), int(info.min))
