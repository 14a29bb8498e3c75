"""Products and factorisations of NumPy whose counterparts in weft differ in keywords or meaning.

The one idea: as in `counterparts`, NumPy's parameters over weft's functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft.interop.numpy.counterparts import known, weft
from weft.tensors.tensor import Tensor

_NO_VALUE: Any = np._NoValue  # type: ignore[attr-defined]
_PINV_CUTOFF = 1e-15  # NumPy's, where none is given


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
    "einsum": _einsum, "linalg.svd": _svd, "linalg.pinv": _pinv,
}  # fmt: skip
