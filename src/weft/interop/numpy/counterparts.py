"""Functions of NumPy whose counterparts in weft differ in name, keywords or meaning.

The one idea: each has NumPy's parameters and calls weft's functions, and raises `Unknown` for arguments that it does
not support; NumPy then computes on values.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import integer, one_axis
from weft.api.destination import into
from weft.errors import ShapeError
from weft.interop.imports import as_operand, asarray
from weft.runtime.devices.device import CPU
from weft.tensors.tensor import Tensor

_NO_VALUE: Any = np._NoValue  # type: ignore[attr-defined]
_PINV_CUTOFF = 1e-15  # NumPy's default


class Unknown(Exception):
    """Raised for arguments that weft's function does not support, so that NumPy computes on values instead."""


def weft() -> Any:
    """Return the module `weft`, the namespace of public functions."""
    return sys.modules["weft"]


def known(condition: bool) -> None:
    """Raise `Unknown` if a condition on the arguments is false."""
    if not condition:
        raise Unknown


def is_one_of(value: Any, *names: str) -> bool:
    """True if a value is one of the texts `names`."""
    return isinstance(value, str) and value in names


def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    known(is_one_of(casting, "same_kind") and where is True)
    target = dst if isinstance(dst, Tensor) else asarray(dst, device=CPU, copy=False)
    target[...] = src  # type: ignore[index]


# ---- shapes


def _reshape(a: Any, shape: Any, order: str = "C", *, copy: bool | None = None) -> Tensor:
    known(is_one_of(order, "C", "F"))
    return weft().reshape(as_operand(a), shape, order=order, copy=copy)  # type: ignore[no-any-return]


def _pad(array: Any, pad_width: Any, mode: Any = "constant", **how: Any) -> Tensor:
    known(is_one_of(mode, "constant", "edge", "wrap", "reflect", "symmetric") and how.keys() <= {"constant_values"})
    return weft().pad(as_operand(array), pad_width, mode=mode, **how)  # type: ignore[no-any-return]


def _array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    return list(weft().array_split(as_operand(ary), indices_or_sections, axis=axis))


def _split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    x = as_operand(ary)
    size = x.shape[one_axis("split", axis, x.ndim)]
    parts = 1 if np.ndim(indices_or_sections) else integer("split", "parts", indices_or_sections)
    if parts > 0 and size % parts:
        raise ShapeError(
            f"split: {size} positions of axis {axis} in {parts} parts; they are to be equal; use array_split"
        )
    return _array_split(x, indices_or_sections, axis)


def _split_along(axis: int) -> Callable[..., list[Tensor]]:
    """Return the counterpart of NumPy's `hsplit`, `vsplit` or `dsplit` for an axis.

    Raises DTypeError for an object without numbers.
    """

    def split(ary: Any, indices_or_sections: Any) -> list[Tensor]:
        return _split(ary, indices_or_sections, 0 if as_operand(ary).ndim == 1 and axis == 1 else axis)

    return split


# ---- choosing cells


def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    c = as_operand(condition)
    if x is None and y is None:
        return weft().nonzero(c)
    return weft().where(c if c.dtype is dt.bool else weft().not_equal(c, 0), x, y)


def _take(a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise") -> Tensor:
    x = as_operand(a)
    size = x.size if axis is None else x.shape[one_axis("take", axis, x.ndim)]
    known(is_one_of(mode, "raise") or (is_one_of(mode, "wrap", "clip") and size > 0))
    if mode != "raise":
        at = as_operand(indices)
        indices = weft().clip(at, 0, size - 1) if mode == "clip" else weft().remainder(at, size)
    made = x.take(indices, axis)  # type: ignore[attr-defined]
    return made if out is None else into(out, made, "take")


# ---- cell by cell


def _nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    made = weft().nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)
    return made if copy else into(x, made, "nan_to_num")


# ---- products and factorisations


def _qr(a: Any, mode: str = "reduced") -> Any:
    known(is_one_of(mode, "reduced", "complete", "r"))
    return weft().linalg.qr(a).R if mode == "r" else weft().linalg.qr(a, mode=mode)


def _pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = _NO_VALUE) -> Tensor:
    known(not hermitian)
    cutoff = _PINV_CUTOFF if rtol is _NO_VALUE else rtol
    return weft().linalg.pinv(a, rtol=cutoff if rcond is None else rcond)  # type: ignore[no-any-return]


NAMES = {"concatenate": "concat", "row_stack": "vstack", "amax": "max", "amin": "min", "around": "round"}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "copyto": _copyto, "pad": _pad, "reshape": _reshape, "array_split": _array_split, "split": _split,
    "where": _where, "take": _take, "nan_to_num": _nan_to_num, "hsplit": _split_along(1), "vsplit": _split_along(0),
    "dsplit": _split_along(2), "linalg.qr": _qr, "linalg.pinv": _pinv,
}  # fmt: skip
