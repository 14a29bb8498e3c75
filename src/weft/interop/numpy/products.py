"""Products and factorisations of NumPy whose counterparts in weft differ in keywords or meaning.

The one idea: as in `counterparts`, NumPy's parameters over weft's functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft.api.arguments import one_axis
from weft.interop.imports import as_operand
from weft.interop.numpy.counterparts import flat, known, weft
from weft.tensors.tensor import Tensor

_NO_VALUE: Any = np._NoValue  # type: ignore[attr-defined]
_PINV_CUTOFF = 1e-15  # NumPy's, where none is given


def _dot(a: Any, b: Any, out: Any = None) -> Any:
    x, y = as_operand(a), as_operand(b)
    if not (x.ndim and y.ndim):
        return weft().multiply(x, y, out=out)
    if y.ndim == 1 or (x.ndim <= 2 and y.ndim <= 2):
        return weft().matmul(x, y, out=out)
    return weft().tensordot(x, y, axes=([x.ndim - 1], [y.ndim - 2]), out=out)


def _inner(a: Any, b: Any) -> Tensor:
    x, y = as_operand(a), as_operand(b)
    if not (x.ndim and y.ndim):
        return weft().multiply(x, y)  # type: ignore[no-any-return]
    return weft().tensordot(x, y, axes=([x.ndim - 1], [y.ndim - 1]))  # type: ignore[no-any-return]


def _vdot(a: Any, b: Any) -> Tensor:
    return weft().vecdot(flat(a), flat(b))  # type: ignore[no-any-return]


def _outer(a: Any, b: Any, out: Any = None) -> Any:
    return weft().multiply(flat(a)[:, None], flat(b), out=out)  # type: ignore[index]


def _trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    cells = weft().diagonal(as_operand(a), offset=offset, axis1=axis1, axis2=axis2)
    return weft().sum(cells, axis=-1, dtype=dtype, out=out)


def _cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Tensor:
    known(axisa == axisb == axisc == -1)
    x, y, axis = as_operand(a), as_operand(b), -1 if axis is None else axis
    known(x.shape[one_axis("cross", axis, x.ndim)] == y.shape[one_axis("cross", axis, y.ndim)] == 3)
    return weft().linalg.cross(x, y, axis=axis)  # type: ignore[no-any-return]


def _einsum(*operands: Any, out: Any = None, optimize: Any = False, **how: Any) -> Any:
    known(not how and bool(operands) and isinstance(operands[0], str))
    return weft().einsum(*operands, out=out)


def _svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    known(not hermitian)
    return weft().linalg.svd(a, full_matrices=full_matrices) if compute_uv else weft().linalg.svdvals(a)


def _pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = _NO_VALUE) -> Tensor:
    known(not hermitian)
    cutoff = _PINV_CUTOFF if rtol is _NO_VALUE else rtol
    return weft().linalg.pinv(a, rtol=cutoff if rcond is None else rcond)  # type: ignore[no-any-return]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "dot": _dot, "inner": _inner, "vdot": _vdot, "outer": _outer, "trace": _trace, "cross": _cross, "einsum": _einsum,
    "linalg.svd": _svd, "linalg.pinv": _pinv,
}  # fmt: skip
