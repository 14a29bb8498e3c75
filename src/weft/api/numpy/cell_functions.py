"""Further element-wise functions of NumPy.

The one idea: most are compositions, which fuse and have gradients; those that take numbers apart are computed by NumPy
on stored values, which strict mode reports, or, over large files, block by block.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import as_tensor
from weft.api.blocks.map_blocks import map_blocks
from weft.api.precision import inexact, rounded, wide
from weft.api.standard import elementwise_functions as el
from weft.errors import DTypeError
from weft.interop.numpy.values import computed
from weft.ir.graph.node import broadcast_shapes
from weft.sources.stream.rounds import is_swept
from weft.tensors.templates import from_template
from weft.tensors.tensor import Tensor, node_of


def rint(x: Any, /, *, out: Any = None) -> Tensor:
    """Return the nearest integers as floats, ties to even; integers become float64.

    Raises DTypeError for bools, WriteError for an `out` that cannot be written.

    >>> import weft
    >>> weft.rint([0.5, 1.5, 2.4]).tolist(), weft.rint(3).item()
    ([0.0, 2.0, 2.0], 3.0)
    """
    return el.round(inexact("rint", x), out=out)


@from_template(2)
def divmod(x1: Any, x2: Any, /) -> tuple[Tensor, Tensor]:
    """Return (x1 // x2, x1 % x2), cell by cell.

    Raises ShapeError if shapes do not broadcast, DTypeError for bools and complex cells.

    >>> import weft
    >>> [x.tolist() for x in weft.divmod([7, -7], 4)]
    [[1, -2], [3, 1]]
    """
    return el.floor_divide(x1, x2), el.remainder(x1, x2)  # type: ignore[attr-defined]


def float_power(x1: Any, x2: Any, /) -> Tensor:
    """Return x1 to the power of x2, computed in float64 or complex128; raises ShapeError if shapes do not broadcast.

    Raises DTypeError for an object without numbers.

    >>> import weft
    >>> weft.float_power([2, 4], -1).tolist()
    [0.5, 0.25]
    """
    x1, x2 = as_tensor(x1), as_tensor(x2)
    found = dt.complex128 if "complex" in (x1.dtype.kind, x2.dtype.kind) else dt.float64
    return el.pow(el.astype(x1, found, copy=False), el.astype(x2, found, copy=False))  # type: ignore[attr-defined, no-any-return]


@from_template(1)
def modf(x: Any, /) -> tuple[Tensor, Tensor]:
    """Return the fractional part and the integer part of each cell, both as floats with x's sign.

    Raises DTypeError for complex and bool cells.

    >>> import weft
    >>> [part.tolist() for part in weft.modf([1.75, -0.5])]
    [[0.75, -0.5], [1.0, -0.0]]
    """
    x = _real("modf", x)
    whole = el.trunc(x)  # type: ignore[attr-defined]
    return el.copysign(el.where(el.isinf(x), 0.0, x - whole), x), whole  # type: ignore[attr-defined]


def logaddexp2(x1: Any, x2: Any, /) -> Tensor:
    """Return the logarithm to base 2 of 2 ** x1 + 2 ** x2, without overflow.

    Raises DTypeError for complex and bool cells, ShapeError if shapes do not broadcast.

    >>> import weft
    >>> weft.logaddexp2([3.0, 1000.0], [3.0, 1000.0]).tolist()
    [4.0, 1001.0]
    """
    a, b = (_real("logaddexp2", x) for x in el.alike("logaddexp2", x1, x2))
    joined = a.dtype
    a, b = wide(a), wide(b)
    same = el.equal(a, b)  # type: ignore[attr-defined]
    apart = el.abs(el.where(same, 0.0, a - b))  # type: ignore[attr-defined]
    return rounded(el.maximum(a, b) + el.log1p(el.exp2(-apart)) * (1 / log(2)), joined)  # type: ignore[attr-defined]


def frexp(x: Any, /) -> tuple[Tensor, Tensor]:
    """Return fractions of magnitude 0.5 to 1, and int32 exponents n, with x = fraction * 2 ** n; computed at once.

    Raises DTypeError for complex and bool cells, GradientError for a tensor with a gradient record.

    >>> import weft
    >>> [part.tolist() for part in weft.frexp([8.0, -0.75])]
    [[0.5, -0.75], [4, 0]]
    """
    x = _real("frexp", x)
    return _by_values("frexp", _frexp, [x.dtype, dt.int32], x)  # type: ignore[no-any-return]


def ldexp(x1: Any, x2: Any, /) -> Tensor:
    """Return x1 * 2 ** x2 of integers x2, rounded once; computed at once.

    Raises ShapeError for shapes that do not broadcast, DTypeError for exponents that are no integers and complex or
    bool x1, GradientError for a tensor with a gradient record.

    >>> import weft
    >>> weft.ldexp([0.5, -0.75], [4, 0]).tolist()
    [8.0, -0.75]
    """
    exponents = as_tensor(x2)
    if not exponents.dtype.is_integer:
        raise DTypeError(f"ldexp: exponents of {exponents.dtype.name}; they are integers; convert them, or use exp2")
    exponents = el.astype(el.clip(exponents, -(1 << 20), 1 << 20), dt.int32)
    x = _real("ldexp", x1)
    broadcast_shapes("ldexp", x.shape, exponents.shape)
    return _by_values("ldexp", _ldexp, x.dtype, x, exponents)  # type: ignore[no-any-return]


def i0(x: Any, /) -> Tensor:
    """Return the modified Bessel function of the first kind and order 0; computed at once.

    Raises DTypeError for complex and bool cells, GradientError for a tensor with a gradient record.

    >>> import weft
    >>> weft.i0([0.0, 1.0]).tolist()
    [1.0, 1.2660658777520082]
    """
    x = _real("i0", x)
    return rounded(_by_values("i0", _i0, dt.float64, el.astype(x, dt.float64, copy=False)), x.dtype)


def _quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of NumPy whose overflow gives infinity without a warning."""

    def quiet(*cells: np.ndarray) -> Any:
        with np.errstate(all="ignore"):
            return function(*cells)

    return quiet


_frexp, _ldexp, _i0 = _quiet(np.frexp), _quiet(np.ldexp), _quiet(np.i0)


def _by_values(name: str, function: Callable[..., Any], dtype: Any, *operands: Tensor) -> Any:
    """Return the result of a NumPy function on the operands' values, as tensors of `dtype`.

    It is computed at once, except over large files, which are computed block by block when values are needed. Raises
    GradientError, naming `name`, for an operand with a gradient record.
    """
    if any(is_swept(node_of(x)) for x in operands):
        return map_blocks(function, *operands, dtype=dtype)
    return computed(name, function, operands, {})


def _real(name: str, x: Any) -> Tensor:
    """Return x as floats; raises DTypeError, naming function `name`, for complex and bool cells."""
    x = inexact(name, x)
    if x.dtype.kind == "complex":
        raise DTypeError(f"{name}: {x.dtype.name} cells; it is defined for real ones; take real(x), or abs(x)")
    return x
