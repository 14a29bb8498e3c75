"""The dtype of tensors created without one, and of Python numbers without a tensor beside them.

The one idea: one setting, and a rule for each kind of number (float, complex, integer) that derives its dtype.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import DTypeError
from weft.runtime.scoped_setting import Setting

_DTYPE: Setting[DType | None] = Setting("default_dtype", dt.float64, lambda d: d is not dt.float64)


def get_default_dtype() -> DType | None:
    """Return the dtype of new tensors without one; None if creation must name it.

    >>> import weft
    >>> weft.get_default_dtype()
    weft.float64
    """
    return _DTYPE.get() if _DTYPE.active else dt.float64


def set_default_dtype(dtype: Any) -> None:
    """Set the dtype, in all threads, of tensors made without one and of Python numbers that stand alone.

    A float dtype decides for floats, and with its complex counterpart for complex numbers; integers stay int64, and
    with an integer dtype floats stay float64. None makes creation without a dtype an error. Raises DTypeError for
    anything else that is no dtype.

    >>> import weft
    >>> weft.set_default_dtype(weft.float32)
    >>> weft.zeros(2).dtype, weft.asarray([1.5]).dtype, weft.asarray([1]).dtype, weft.asarray(1j).dtype
    (weft.float32, weft.float32, weft.int64, weft.complex64)
    >>> weft.set_default_dtype(weft.float64)
    """
    _DTYPE.set(None if dtype is None else dt.spelled(dtype)[0])


def default_dtype(dtype: Any) -> AbstractContextManager[None]:
    """Return a context manager: inside its block, in this thread or task, `dtype` is the default dtype.

    `set_default_dtype` says what a default means; raises DTypeError for anything that is no dtype.

    >>> import weft
    >>> with weft.default_dtype(weft.int8):
    ...     weft.asarray([1, 2]).dtype, weft.asarray(1.5).dtype
    (weft.int8, weft.float64)
    """
    return _DTYPE.block(None if dtype is None else dt.spelled(dtype)[0])


def default_of(kind: type | None = None) -> DType:
    """Return the dtype of a Python number of type `kind`, or of new cells for None, by the default dtype.

    Raises DTypeError if the default dtype is None.

    >>> default_of(int), default_of(complex), default_of()
    (weft.int64, weft.complex128, weft.float64)
    """
    d = get_default_dtype()
    if d is None:
        raise DTypeError("creation: no dtype; the default dtype is None; pass dtype=, or call set_default_dtype()")
    if kind is None or (kind is int and d.is_integer):
        return d
    if not d.is_inexact or kind in (bool, int):
        return dt.spelled(kind)[0]
    return d.real if kind is float else d if d.kind == "complex" else dt.complex_of(d)
