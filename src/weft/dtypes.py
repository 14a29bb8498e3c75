"""Data types: their values, their promotion lattice, and their counterparts in NumPy.

The one idea: a dtype says what values a cell holds and nothing of how they lie in memory (byte order belongs to the
tensor's description).  Promotion is one lattice on dtypes alone: the smallest type that holds every value of both.

Narrow types compute in wider ones and round once a node (`compute`): float16 and bfloat16 in float32, complex32 in
complex64.  The float8 kinds hold values and compute none (`storage`).
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from math import frexp
from typing import Any

import ml_dtypes
import numpy as np

from weft import callbacks
from weft.errors import DTypeError

bool_ = builtins.bool  # in this module the name `bool` is a dtype
int_ = builtins.int
KINDS = ("bool", "uint", "int", "float", "complex")
NBITS = 1  # bits that a bool holds


class DType:
    """A data type; the instances of this module are the only ones, so `is` compares them.

    Calling one converts: `weft.int8(x)`.  They are ordered: bool, unsigned and signed integers, floats and complex
    numbers, each by width.  A dtype equals NumPy's dtype of native byte order, its scalar type and its name.  Its hash
    is that of NumPy's dtype, which likewise equals names of another hash.

    >>> float32.kind, float32.bits, float32.itemsize
    ('float', 32, 4)
    >>> bool < uint8 < int8 < float16 < float64 < complex32
    True
    >>> float32 == np.float32, float32 == "float32", float32 == np.dtype(">f4"), np.zeros(1, float32).dtype
    (True, True, False, dtype('float32'))
    """

    __slots__ = (
        "_hash",
        "bits",
        "compute",
        "digits",
        "extended",
        "is_complex",
        "is_float",
        "is_inexact",
        "is_integer",
        "is_number",
        "itemsize",
        "kind",
        "name",
        "np",
        "rank",
        "real",
        "storage",
    )

    def __init__(self, name: str, kind: str, bits: int, digits: int, np_type: object, compute: DType | None = None):
        self.name, self.kind, self.bits = name, kind, bits
        self.digits = digits  # all integers up to 2**digits are exact (in each part of a complex one)
        self.np = np.dtype(np_type)  # type: ignore[call-overload]
        self._hash = self.np.__hash__
        self.itemsize: int = self.np.itemsize
        self.real: DType = self  # the dtype of the parts of a complex number
        self.compute: DType = compute or self  # the dtype in which its operations are computed
        self.storage = kind == "float" and bits == 8  # True if it holds values and computes none
        self.is_integer = kind in ("int", "uint")
        self.is_float, self.is_complex = kind == "float", kind == "complex"
        self.is_inexact = kind in ("float", "complex")
        self.is_number = kind != "bool"
        self.extended = self.np.isbuiltin != 1  # True if NumPy itself lacks the dtype
        self.rank = 0  # its index in ALL

    @property
    def __numpy_dtype__(self) -> np.dtype:
        """NumPy's dtype of native byte order, which `numpy.dtype(weft.float32)` reads."""
        return self.np

    @property
    def dtype(self) -> np.dtype:
        """NumPy's dtype, under the name that NumPy before 2.4 reads."""
        return self.np

    @property
    def type(self) -> type:
        """NumPy's class of scalars, for libraries that read it from a dtype."""
        return self.np.type

    @property
    def char(self) -> str:
        """NumPy's letter of the dtype, for scipy.sparse."""
        return self.np.char

    def __eq__(self, other: object) -> bool_:
        if isinstance(other, DType):
            return self is other
        return _names(other) is self if isinstance(other, (str, np.dtype, type)) else NotImplemented

    def __repr__(self) -> str:
        return f"weft.{self.name}"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (named, (self.name,))

    def __call__(self, obj: Any, /, **how: Any) -> Any:
        """Convert the values of an object to this dtype explicitly; complex numbers lose their imaginary part.

        Numbers give tensors of rank 0. Keywords are those of `weft.asarray`. Raises DTypeError for objects without
        numbers, ValueRangeError for Python integers that do not fit.
        """
        return callbacks.IMPORT(obj, self, **how)

    def __lt__(self, other: object) -> bool_:
        return self.rank < other.rank if isinstance(other, DType) else NotImplemented

    def __le__(self, other: object) -> bool_:
        return self.rank <= other.rank if isinstance(other, DType) else NotImplemented

    def __gt__(self, other: object) -> bool_:
        return self.rank > other.rank if isinstance(other, DType) else NotImplemented

    def __ge__(self, other: object) -> bool_:
        return self.rank >= other.rank if isinstance(other, DType) else NotImplemented

    @property
    def is_signed(self) -> bool_:
        """True if the dtype holds values below 0."""
        return self.kind in ("int", "float", "complex") and self is not float8_e8m0fnu

    @property
    def nbits(self) -> int_:
        """The bits that a value needs: 1 for a bool, which takes a byte of memory."""
        return NBITS if self.kind == "bool" else self.bits

    @property
    def min(self) -> Any:
        """The least value (of floats the least finite one, of complex numbers that of a part), as a Python number."""
        return limits_of(self)[0]

    @property
    def max(self) -> Any:
        """The greatest value (of floats the greatest finite one), as a Python number."""
        return limits_of(self)[1]

    @property
    def eps(self) -> Any:
        """The distance from 1 to the next greater value, as a Python number (1 for integers and bools)."""
        return float_limits(self).eps if self.is_inexact else 1


# Every dtype holds the bound hash of its NumPy dtype, so hashing one, which keys of plans do often, is no Python call.
DType.__hash__ = vars(DType)["_hash"]  # type: ignore[method-assign]

bool = DType("bool", "bool", 8, 1, np.bool_)
int8, int16, int32, int64 = (DType(f"int{b}", "int", b, b - 1, f"i{b // 8}") for b in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (DType(f"uint{b}", "uint", b, b, f"u{b // 8}") for b in (8, 16, 32, 64))
float32 = DType("float32", "float", 32, 24, "f4")
float64 = DType("float64", "float", 64, 53, "f8")
float16 = DType("float16", "float", 16, 11, "f2", float32)
bfloat16 = DType("bfloat16", "float", 16, 8, ml_dtypes.bfloat16, float32)
complex64 = DType("complex64", "complex", 64, 24, "c8")
complex128 = DType("complex128", "complex", 128, 53, "c16")
complex32 = DType("complex32", "complex", 32, 11, [("real", "f2"), ("imag", "f2")], complex64)  # as NumPy holds it
complex32.real, complex64.real, complex128.real = float16, float32, float64


_KINDS8 = ("e8m0fnu", "e5m2", "e5m2fnuz", "e4m3", "e4m3fn", "e4m3fnuz", "e4m3b11fnuz", "e3m4")
FLOAT8 = tuple(
    DType(f"float8_{k}", "float", 8, int_(k[3]) + 1, getattr(ml_dtypes, f"float8_{k}"), float32) for k in _KINDS8
)
(
    float8_e8m0fnu, float8_e5m2, float8_e5m2fnuz, float8_e4m3, float8_e4m3fn, float8_e4m3fnuz, float8_e4m3b11fnuz,
    float8_e3m4,
) = FLOAT8  # fmt: skip

ALL = (
    bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64,
    *FLOAT8, float16, bfloat16, float32, float64, complex32, complex64, complex128,
)  # fmt: skip
COMMON = tuple(d for d in ALL if not d.storage and d is not complex32)  # what NumPy and ml_dtypes compute with
for _rank, _dtype in enumerate(ALL):
    _dtype.rank = _rank
BY_NAME = {d.name: d for d in ALL}
_BY_NP = {d.np: d for d in ALL}
_BY_PYTHON: dict[object, DType] = {}


def named(name: str) -> DType:
    """Return the dtype of that name; raises KeyError for others."""
    return BY_NAME[name]


def of_kind(kind: str, bits: int) -> DType:
    """Return the dtype of a kind and width in bits (IEEE floats), such as ("int", 16).

    Raises DTypeError if there is none.
    """
    for d in ALL:
        if d.kind == kind and d.bits == bits and d is not bfloat16 and not d.storage:
            return d
    raise DTypeError(f"dtype: kind {kind!r} of {bits} bits; weft has no such dtype; use one of weft.dtypes.ALL")


_TEXT = "convert numbers with the array's astype(float), or give codes, as of numpy.unique(a, return_inverse=True)"
_REMEDIES = {
    "V": "take one field, as in a['name'], or give each field as a tensor of its own",
    "S": _TEXT, "U": _TEXT, "T": _TEXT,
    "M": "give its view('int64'), the count of units, and keep the unit yourself",
    "m": "give its view('int64'), the count of units, or divide it by a unit",
    "O": "convert the array first, with its astype(float)",
}  # fmt: skip


def from_numpy(dtype: np.dtype) -> tuple[DType, str]:
    """Return the weft dtype of a NumPy dtype and its byte order, "little" or "big" (1-byte types are "little").

    Raises DTypeError if weft has no such dtype.

    >>> from_numpy(np.dtype(">f4"))
    (weft.float32, 'big')
    """
    found = _BY_NP.get(dtype)
    if found is not None:
        return found, "little"
    native = dtype.newbyteorder("=")
    found = _BY_NP.get(native) or (complex32 if _is_pair(native) else None)
    if found is None:
        raise DTypeError(
            f"dtype: NumPy's {dtype!s} has no weft counterpart; weft holds bool, integers, floats and complex "
            f"numbers; {_REMEDIES.get(dtype.kind, 'convert the array first, with its astype()')}"
        )
    return found, "big" if dtype != native and found.itemsize > 1 else "little"


def _is_pair(dtype: np.dtype) -> bool_:
    """True if cells are records of two float16, which other libraries use for complex numbers."""
    if dtype.name == "complex32":  # of ml_dtypes
        return True
    pairs = ([(re, np.float16), (im, np.float16)] for re, im in (("re", "im"), ("r", "i")))
    return dtype.names is not None and any(dtype == np.dtype(p) for p in pairs)


def known(array: np.ndarray) -> np.ndarray:
    """Return the array with complex32 cells in weft's spelling of their dtype, over the same memory.

    Other arrays are returned unchanged. Raises DTypeError for a dtype that weft lacks.
    """
    if array.dtype.kind not in "VW" or from_numpy(array.dtype)[0] is not complex32:
        return array
    native = array.dtype.newbyteorder("=")
    if native.names is None:  # of ml_dtypes, whose other byte order exchanges the parts
        return array.astype(native, copy=False).view(complex32.np)
    return array.view(to_numpy(complex32, from_numpy(array.dtype)[1]))


def to_numpy(dtype: DType, byteorder: str = "little") -> np.dtype:
    """Return the NumPy dtype with that byte order."""
    return dtype.np.newbyteorder(">") if byteorder == "big" and dtype.itemsize > 1 else dtype.np


def spelling(dtype: DType, byteorder: str) -> str:
    """Return a text that `spelled` parses back: NumPy's, or the name if NumPy has no letter for the dtype.

    >>> spelling(float32, "big"), spelling(complex32, "big")
    ('>f4', '>complex32')
    """
    found = to_numpy(dtype, byteorder)
    return found.str if not dtype.extended else (">" if byteorder == "big" else "") + dtype.name


def widened(array: np.ndarray) -> np.ndarray:
    """Convert an array to native order and to the dtype in which NumPy computes: float32 for float16 and the like.

    Raises DTypeError for a dtype that weft lacks.
    """
    found = from_numpy(array.dtype)[0]
    if found is complex32:
        array = known(array)
        return complex_array(complex64, array["real"], array["imag"])
    return array.astype(found.compute.np, copy=False)


def narrowed(array: np.ndarray, dtype: DType) -> np.ndarray:
    """Return an array of `dtype.compute` rounded to the dtype: to the nearest, ties to even."""
    if dtype is complex32:
        return complex_array(dtype, narrowed(array.real, float16), narrowed(array.imag, float16))
    return np.asarray(array).astype(dtype.np)


def complex_array(dtype: DType, re: Any, im: Any) -> np.ndarray:
    """Join real and imaginary parts in `dtype.real`, which broadcast, to an array of complex cells."""
    re, im = np.broadcast_arrays(re, im)
    parts = np.empty((*re.shape, 2), dtype.real.np)
    parts[..., 0], parts[..., 1] = re, im
    return parts.view(dtype.np).reshape(re.shape)


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
    """Return the weft dtype and byte order of a weft dtype, Python type, NumPy dtype or string.

    Raises DTypeError for anything else.

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
    except TypeError:  # no hash, as of a list of fields
        return _spelled.__wrapped__(spec)


def _names(spec: str | np.dtype | type) -> DType | None:
    """Return the weft dtype that an object spells; None if it spells none, or a foreign byte order."""
    try:
        found, order = spelled(spec)
    except DTypeError:
        return None
    return found if order == "little" else None


def names_order(spec: object) -> bool_:
    """True if the spelling of a dtype includes a byte order.

    >>> names_order(">f4"), names_order("f4"), names_order(np.dtype("f4"))
    (True, False, True)
    """
    return isinstance(spec, np.dtype) or (isinstance(spec, str) and spec[:1] in ("<", ">", "="))


def _join(a: DType, b: DType) -> DType:
    if a is b:
        return a
    if bool in (a, b):
        other = b if a is bool else a
        return other if other is not float8_e8m0fnu else bfloat16  # it has no 0
    if a.kind == b.kind and a.kind != "float":
        return a if a.bits >= b.bits else b
    if a.is_integer and b.is_integer:
        unsigned = a if a.kind == "uint" else b
        signed = b if unsigned is a else a
        bits = max(signed.bits, 2 * unsigned.bits)
        return of_kind("int", bits) if bits <= 64 else float64
    return _join_inexact(a, b)


def _join_inexact(a: DType, b: DType) -> DType:
    """Return the smallest float (or complex) dtype that holds both; 32- and 64-bit integers go with float64."""
    digits = max(min(d.digits, 53) for d in (a, b))
    floats = [d.real for d in (a, b) if d.is_inexact]
    base = next(
        c
        for c in (float16, bfloat16, float32, float64)
        if c.digits >= digits and all(c is d or (c.bits > d.bits and reach(c) >= reach(d)) for d in floats)
    )
    return complex_of(base) if "complex" in (a.kind, b.kind) else base


def reach(d: DType) -> int_:
    """Return the binary exponent range of a float dtype: the number of doublings of 1 until it overflows."""
    return frexp(float_limits(d).max)[1]


def complex_of(d: DType) -> DType:
    """Return the smallest complex dtype with parts that hold every value of a float dtype.

    >>> complex_of(float16), complex_of(bfloat16)
    (weft.complex32, weft.complex64)
    """
    return next(c for c in (complex32, complex64, complex128) if promote(c.real, d) is c.real)


@cache
def promote(a: DType, b: DType) -> DType:
    """Return the join of two dtypes: the smallest that holds every value of both.

    >>> promote(int8, uint8), promote(int16, float16), promote(int64, uint64)
    (weft.int16, weft.float32, weft.float64)
    """
    return _join(a, b)


def promote_all(dtypes: Iterable[DType]) -> DType:
    """Return the join of one or more dtypes, the same in any order.

    >>> promote_all([int8, uint8, float16]), promote_all([float16, uint8, int8])
    (weft.float16, weft.float16)
    """
    return reduce(promote, sorted(set(dtypes), reverse=True))  # a float first: it may hold integers, but not their join


def weak(kind: type, with_dtype: DType) -> DType:
    """Return the dtype of a Python scalar beside `with_dtype`: its kind counts, not its value.

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
    return complex_of(d) if d.kind == "float" else complex128


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

    @property
    def tiny(self) -> float:
        """`smallest_normal`, under NumPy's and PyTorch's name."""
        return self.smallest_normal


@dataclass(frozen=True, slots=True)
class iinfo_object:
    """Limits of an integer dtype, as Python integers."""

    dtype: DType
    bits: int
    max: int
    min: int


@cache
def float_limits(d: DType) -> finfo_object:
    """Return the limits of a float dtype (of the parts, for a complex one)."""
    info: Any = ml_dtypes.finfo(d.real.np)  # type: ignore[no-untyped-call]
    numbers = (float(info.eps), float(info.max), float(info.min), float(info.smallest_normal))
    return finfo_object(d.real, d.real.bits, *numbers)


@cache
def integer_limits(d: DType) -> iinfo_object:
    """Return the limits of an integer dtype."""
    info = np.iinfo(d.np)
    return iinfo_object(d, d.bits, int(info.max), int(info.min))


@cache
def limits_of(d: DType) -> tuple[Any, Any]:
    """Return the least and the greatest value of a dtype, as Python numbers."""
    if d.kind == "bool":
        return False, True
    found = integer_limits(d) if d.is_integer else float_limits(d)
    return found.min, found.max
