"""Questions about dtypes: promotion, ranges and kinds.

The one idea: answers come from the lattice of dtypes alone; a tensor stands for its dtype, a Python number is weak.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType, finfo_object, iinfo_object
from weft.errors import DTypeError
from weft.runtime.default_dtype import default_of
from weft.tensors.tensor import Tensor

KINDS: dict[str, tuple[str, ...]] = {
    "bool": ("bool",),
    "signed integer": ("int",),
    "unsigned integer": ("uint",),
    "integral": ("int", "uint"),
    "real floating": ("float",),
    "complex floating": ("complex",),
    "numeric": ("int", "uint", "float", "complex"),
}
_SCALARS = (bool, int, float, complex)  # by rising strength


def _dtype_of(x: Any) -> DType:
    """Return the dtype of a tensor, array or scalar, or the dtype named by another object.

    Raises DTypeError if it names none.
    """
    if isinstance(x, (Tensor, np.ndarray, np.generic)):
        return dt.spelled(x.dtype)[0]
    return dt.spelled(x)[0]


def can_cast(from_: Any, to: Any, /) -> bool:
    """Return True if values of a dtype (or of a tensor) promote to `to`; raises DTypeError for an unknown dtype.

    >>> import weft
    >>> weft.can_cast(weft.int16, weft.float32), weft.can_cast(weft.float64, weft.float32)
    (True, False)
    """
    wanted = _dtype_of(to)
    return dt.promote(_dtype_of(from_), wanted) is wanted


def result_type(*arrays_and_dtypes: Any) -> DType:
    """Return the dtype to which operands promote; a Python number decides its kind (int, float, complex) only.

    Raises DTypeError without operands, and for an operand that is neither a dtype nor has numbers.

    >>> import weft
    >>> weft.result_type(weft.int8, weft.uint8), weft.result_type(weft.float32, 1.5)
    (weft.int16, weft.float32)
    """
    if not arrays_and_dtypes:
        raise DTypeError("result_type: no operands; there is nothing to join; give dtypes or tensors")
    found: list[DType] = []
    weak = -1
    for x in arrays_and_dtypes:
        if type(x) in _SCALARS:
            weak = max(weak, _SCALARS.index(type(x)))
        else:
            found.append(_dtype_of(x))
    if not found:
        return default_of(_SCALARS[weak])
    joined = dt.promote_all(found)
    return joined if weak < 0 else dt.weak(_SCALARS[weak], joined)


def isdtype(dtype: Any, kind: Any) -> bool:
    """True if a dtype is of a kind: a dtype, a word such as "integral", or a tuple of these.

    Raises DTypeError for an unknown kind.

    >>> import weft
    >>> weft.isdtype(weft.float32, "real floating"), weft.isdtype(weft.int8, ("bool", weft.int16))
    (True, False)
    """
    found = dt.spelled(dtype)[0]
    if isinstance(kind, tuple):
        return any(isdtype(found, k) for k in kind)
    if isinstance(kind, str) and kind in KINDS:
        return found.kind in KINDS[kind]
    if isinstance(kind, str):
        raise DTypeError(f"isdtype: kind {kind!r}; kinds are {', '.join(KINDS)}; name one of them, or pass a dtype")
    return found is dt.spelled(kind)[0]


def finfo(type: Any, /) -> finfo_object:
    """Return the limits of a float or complex dtype (or that of a tensor): bits, eps, max, min, smallest_normal.

    Raises DTypeError for other dtypes.

    >>> import weft
    >>> weft.finfo(weft.float32).eps
    1.1920928955078125e-07
    """
    d = _dtype_of(type)
    if not d.is_inexact:
        raise DTypeError(f"finfo: {d.name} is no float; its limits are whole numbers; use iinfo()")
    return dt.float_limits(d)


def iinfo(type: Any, /) -> iinfo_object:
    """Return the limits of an integer dtype (or that of a tensor): bits, max, min.

    Raises DTypeError for other dtypes.

    >>> import weft
    >>> weft.iinfo(weft.int8).max
    127
    """
    d = _dtype_of(type)
    if not d.is_integer:
        raise DTypeError(f"iinfo: {d.name} is no integer; its limits are no whole numbers; use finfo()")
    return dt.integer_limits(d)
