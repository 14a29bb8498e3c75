"""`__array_ufunc__`: NumPy's ufuncs and their methods on tensors.

The one idea: a ufunc is the function of the same name, or of its name in the op table, and its methods are reductions,
scans and broadcasts of that function.  Ufuncs that weft lacks are computed on values.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import FrameType
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.destination import into
from weft.dtypes import DType
from weft.interop.imports import as_operand
from weft.interop.numpy.counterparts import Unknown, is_one_of, known, weft
from weft.interop.numpy.values import computed, overwritten
from weft.ir.graph.ops import OPS, ROWS, SCANS
from weft.tensors.operators import OPERANDS, is_operand
from weft.tensors.tensor import Tensor

Function = Callable[..., Any]

_frame = sys._getframe


# ---- counterparts


def _reciprocal(x: Any) -> Tensor:
    """Return 1 / x, truncated for integers; raises DTypeError for an object without numbers."""
    x = as_operand(x)
    return weft().trunc_divide(1, x) if x.dtype.is_integer else weft().reciprocal(x)  # type: ignore[no-any-return]


def _matvec(x1: Any, x2: Any) -> Tensor:
    """Return products of matrices (..., m, n) and vectors (..., n): shape (..., m).

    Raises ShapeError if sizes do not fit, DTypeError for objects without numbers.
    """
    return weft().matmul(x1, as_operand(x2)[..., None])[..., 0]  # type: ignore[index, no-any-return]


def _vecmat(x1: Any, x2: Any) -> Tensor:
    """Return products of conjugated vectors (..., m) and matrices (..., m, n): shape (..., n).

    Raises ShapeError if sizes do not fit, DTypeError for objects without numbers.
    """
    return weft().matmul(weft().conj(x1)[..., None, :], x2)[..., 0, :]  # type: ignore[no-any-return]


_OWN: dict[str, Function] = {
    "reciprocal": _reciprocal, "matvec": _matvec, "vecmat": _vecmat,
}  # fmt: skip
_NAMES = {theirs: row.name for row in ROWS for theirs in row.theirs.split()}
_NAMES |= {"degrees": "rad2deg", "radians": "deg2rad", "rint": "round"}
_BY_VALUES = {"frexp", "ldexp", "bitwise_count", "spacing"}  # weft's functions support fewer dtypes, or call these
_REDUCTIONS = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any",
}  # fmt: skip
_SCANS = {combine: name for name, (_, combine, _) in SCANS.items()}
_OF_BOOLS = {"logical_or": "maximum", "logical_and": "minimum"}
_KNOWN: dict[np.ufunc, Function | None] = {}
_PLAIN = OPERANDS | {d.np.type for d in dt.COMMON}  # types of operands without a protocol of their own


def counterpart(ufunc: np.ufunc) -> Function | None:
    """Return weft's function for a NumPy ufunc, or None if it has none.

    >>> counterpart(np.arctan2).__name__, counterpart(np.spacing)
    ('atan2', None)
    """
    name = ufunc.__name__
    if name in _BY_VALUES or getattr(np, name, None) is not ufunc:  # SciPy's ufuncs may have the same name
        return None
    if ufunc not in _KNOWN:
        _KNOWN[ufunc] = _OWN.get(name) or getattr(weft(), _NAMES.get(name, name), None)
    return _KNOWN[ufunc]


# ---- the protocol


def array_ufunc(self: Tensor | None, ufunc: np.ufunc, method: str, *inputs: Any, **how: Any) -> Any:
    """Return the result of a ufunc, or of its `method` such as "reduce", on operands that hold a tensor.

    Functions that weft has return pending tensors by weft's rules for dtypes; `out=`, `where=` and `dtype=` are
    NumPy's. Others are computed on values at once. If an operand's type has its own protocol, tensors are passed as
    arrays. Raises the errors of the function, and GradientError if floats are computed on values of tensors with
    recorded gradients.

    >>> import weft
    >>> a, x = np.ones(2), weft.asarray([1.0, 2.0])
    >>> a += x
    >>> a.tolist(), np.sqrt(x + 3).tolist(), np.add.reduce(x).item(), np.gcd(weft.asarray([4, 6]), 6).tolist()
    ([2.0, 3.0], [2.0, 2.23606797749979], 3.0, [2, 6])
    """
    if not how and method == "__call__":  # the most frequent case
        function = _KNOWN.get(ufunc)
        if function is not None and _PLAIN.issuperset(map(type, inputs)):
            return noted(function(*inputs), _frame(1))
    if not _are_operands(inputs) or not _are_operands(how.get("out", ())):
        return _of_theirs(ufunc, method, inputs, how)
    try:
        return noted(METHODS[method](ufunc, counterpart(ufunc), *inputs, **how), _frame(1))
    except Unknown:
        return _by_values(ufunc, method, inputs, how)


def noted(made: Any, user: FrameType) -> Any:
    """Return a result after storing the user's line, that of the frame `user`, in its node."""
    if type(made) is Tensor:
        n = made._place.node
        n.code, n.lasti = user.f_code, user.f_lasti
    return made


def _are_operands(given: tuple[Any, ...]) -> bool:
    """True if weft accepts all objects as operands.

    Arrays of a class with its own `__array_ufunc__` are not accepted.
    """
    return all(
        type(x) in OPERANDS or x is None or (is_operand(x) and not (isinstance(x, np.ndarray) and _has_protocol(x)))
        for x in given
    )


def _has_protocol(x: Any) -> bool:
    """True if an object's type has an `__array_ufunc__` other than NumPy's and weft's."""
    found = getattr(type(x), "__array_ufunc__", None)
    return found is not None and found is not np.ndarray.__array_ufunc__ and found is not array_ufunc


def _of_theirs(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], how: dict[str, Any]) -> Any:
    """Return the ufunc's result on arrays in place of tensors, for an operand with a protocol of its own.

    Returns NotImplemented if there is no such operand.
    """
    if not any(_has_protocol(x) for x in (*inputs, *how.get("out", ()))) or any(
        isinstance(x, Tensor) for x in how.get("out", ())
    ):
        return NotImplemented
    return getattr(ufunc, method)(*[x.numpy() if isinstance(x, Tensor) else x for x in inputs], **how)


def _by_values(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], how: dict[str, Any]) -> Any:
    """Return the result of a ufunc or its method on values, as tensors; None for `at`.

    `how` are the keyword arguments. Raises GradientError if floats are computed from tensors with recorded gradients,
    WriteError for a read-only destination, ValueRangeError for an `out` whose memory cannot be shared, and the errors
    of the ufunc.
    """
    function = getattr(ufunc, method)
    name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
    if method == "at":
        if ufunc is np.add:
            function = import_module("weft.backends.calls.sorting").add_at  # which loads LLVM
        return overwritten(name, function, inputs[0], inputs[1:], how)
    out = how.pop("out", None)
    return computed(name, function, inputs, how, out)


def _call(ufunc: np.ufunc, function: Function | None, *inputs: Any, **how: Any) -> Any:
    """Return weft's function of the operands, with NumPy's `out=`, `where=` and `dtype=`.

    Raises `Unknown` if `function` is None or an argument is not supported, ShapeError or WriteError if `out` has
    another shape or cannot be written, and the errors of the function.
    """
    if function is None:
        raise Unknown
    if not how:
        return function(*inputs)
    (out, *others), where, dtype = how.pop("out", (None,)), how.pop("where", True), how.pop("dtype", None)
    how.pop("subok", None)
    known(not others and is_one_of(how.pop("casting", "same_kind"), "same_kind"))
    known(is_one_of(how.pop("order", "K"), "K") and not how)
    if dtype is not None:
        inputs = _converted(ufunc, inputs, dt.spelled(dtype)[0])
    if where is not True:
        where = as_operand(where)
        inputs = tuple([weft().where(where, x, True) for x in inputs])  # 1 is in the domain of every function
    made = function(*inputs)
    if where is not True:
        made = weft().where(where, made, False if out is None else out)
    return made if out is None else into(out, _spread(made, out), ufunc.__name__)


def _converted(ufunc: np.ufunc, inputs: tuple[Any, ...], dtype: DType) -> tuple[Any, ...]:
    """Return operands converted to `dtype`, if the result of the ufunc then has that dtype.

    Raises `Unknown` otherwise, DTypeError for objects without numbers.
    """
    row = OPS.get(_NAMES.get(ufunc.__name__, ufunc.__name__))
    if row is None or row.rule not in ("same", "float") or (row.rule == "float" and not dtype.is_inexact):
        raise Unknown
    are_weak = [type(x) in (bool, int, float, complex) for x in inputs]  # numbers: dtypes follow tensors beside them
    cells = [x if is_weak and not all(are_weak) else as_operand(x) for x, is_weak in zip(inputs, are_weak, strict=True)]
    if any(type(x) is Tensor and not np.can_cast(x.dtype.np, dtype.np, "same_kind") for x in cells):
        raise Unknown
    return tuple([x.astype(dtype, copy=False) if type(x) is Tensor else x for x in cells])


def _spread(made: Tensor, out: Any) -> Tensor:
    """Return a result broadcast to the shape of its destination `out`; raises ShapeError if it does not broadcast."""
    shape = out.shape if isinstance(out, (Tensor, np.ndarray)) else made.shape
    return made if made.shape == shape else weft().broadcast_to(made, shape)  # type: ignore[no-any-return]


def _reduce(ufunc: np.ufunc, _: Function | None, x: Any, /, **how: Any) -> Any:
    """Return the result of `ufunc.reduce` by weft's reduction, such as sum for add.

    Raises `Unknown` if there is none, or it does not support an argument; else the errors of the reduction.
    """
    name = _REDUCTIONS.get(ufunc.__name__)
    (out,), axis, dtype = how.pop("out", (None,)), how.pop("axis", 0), how.pop("dtype", None)
    keepdims = how.pop("keepdims", False)
    if name is None or how or (dtype is not None and name not in ("sum", "prod")):
        raise Unknown
    x = as_operand(x)
    axis = None if not x.ndim and type(axis) is int and axis in (0, -1) else axis
    more = {} if dtype is None else {"dtype": dtype}
    return getattr(weft(), name)(x, axis=axis, keepdims=keepdims, out=out, **more)


def _accumulate(ufunc: np.ufunc, _: Function | None, x: Any, /, **how: Any) -> Any:
    """Return the result of `ufunc.accumulate` by weft's scan, such as cumulative_sum for add.

    Raises `Unknown` if there is none, or it does not support an argument; else the errors of the scan.
    """
    combine = _OF_BOOLS.get(ufunc.__name__, ufunc.__name__)
    name = _SCANS.get(combine)
    (out,), axis, dtype = how.pop("out", (None,)), how.pop("axis", 0), how.pop("dtype", None)
    known(name is not None and not how)
    x = as_operand(x)
    if combine in ("add", "multiply"):
        dtype = dt.int64 if dtype is None and x.dtype is dt.bool else dtype
        return getattr(weft(), name)(x, axis=axis, dtype=dtype, out=out)
    known(dtype is None and x.dtype.kind != "complex")
    return getattr(weft(), name)(x if combine == ufunc.__name__ else x.astype(dt.bool), axis=axis, out=out)


def _outer(ufunc: np.ufunc, function: Function | None, x1: Any, x2: Any, /, **how: Any) -> Any:
    """Return the function of all pairs of cells, like `ufunc.outer`; raises the errors of `_call`."""
    x1, x2 = as_operand(x1), as_operand(x2)
    return _call(ufunc, function, x1.reshape(x1.shape + (1,) * x2.ndim), x2, **how)


def _unknown(*_: Any, **__: Any) -> Any:
    """Raise `Unknown`: the method has no counterpart in weft."""
    raise Unknown


METHODS: dict[str, Function] = {
    "__call__": _call, "reduce": _reduce, "accumulate": _accumulate, "outer": _outer, "at": _unknown,
    "reduceat": _unknown,
}  # fmt: skip
