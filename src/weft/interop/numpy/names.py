"""NumPy's names in weft: its objects that know tensors, its functions that weft lacks, the methods of its ufuncs.

The one idea: they are called with tensors, so NumPy's protocols find what weft has, and compute the rest on values; the
errors of NumPy become errors of weft that have the same built-in classes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any

import numpy as np

from weft.api.argument_errors import refusing
from weft.errors import ArgumentError, AxisError, IndexOutOfBounds, ValueRangeError, WeftError
from weft.interop.imports import as_operand, asarray
from weft.interop.numpy.functions import ON_TENSORS, OVERWRITING, array_function
from weft.interop.numpy.ufuncs import METHODS, array_ufunc, noted
from weft.interop.numpy.values import computed, to_tensors
from weft.tensors.operators import OPERANDS
from weft.tensors.tensor import Tensor

# NumPy's own objects: they take tensors, or have nothing to do with cells.
AS_THEY_ARE = frozenset({
    "False_", "True_", "array2string", "array_repr", "array_str", "base_repr", "binary_repr", "complexfloating",
    "dtype", "emath", "euler_gamma", "floating", "format_float_positional", "format_float_scientific", "generic",
    "get_printoptions", "geterr", "index_exp", "inexact", "integer", "issubdtype", "ndenumerate", "ndindex", "nditer",
    "number", "poly1d", "polynomial", "printoptions", "s_", "set_printoptions", "signedinteger", "testing",
    "unsignedinteger",
})  # fmt: skip
_CELLS = (list, tuple, bool, int, float, complex, np.ndarray, np.generic)
# NumPy's errors, of which the first that fits counts
_BUILT_IN = (np.exceptions.AxisError, IndexError, TypeError, AttributeError, OverflowError, ValueError)


@contextmanager
def numpy_errors(name: str, advice: str, of_values: Callable[[str], WeftError] = ValueRangeError) -> Iterator[None]:
    """Raise the errors that NumPy raises inside the block as errors of weft, with the same built-in classes.

    `name` is the function in their messages, `advice` what to do; a ValueError becomes `of_values(message)`.
    """
    try:
        yield
    except WeftError:
        raise
    except _BUILT_IN as e:
        kinds = (AxisError, IndexOutOfBounds, ArgumentError, ArgumentError, of_values, of_values)
        kind = next(ours for theirs, ours in zip(_BUILT_IN, kinds, strict=True) if isinstance(e, theirs))
        reason = str(e).replace("\n", " ").rstrip(".")
        raise kind(f"{name}: {reason}; {advice}") from e


def by_numpy(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a NumPy function that takes numbers and lists as tensors, and returns tensors.

    It raises the errors of NumPy as those of weft, which name it `name`, and GradientError for tensors with recorded
    gradients whose values NumPy computes with.

    >>> import numpy as np
    >>> by_numpy(np.ediff1d, "ediff1d")([1, 4, 9]).tolist()
    [3, 5]
    """
    overwrites = name in OVERWRITING or name.endswith(".at")
    advice = f"these are NumPy's rules; give what numpy.{name} takes"

    @wraps(function, assigned=("__doc__",), updated=())
    def called(*args: Any, **named: Any) -> Any:
        with numpy_errors(name, advice):
            if args and not overwrites and isinstance(args[0], _CELLS):
                args = (as_operand(args[0]), *args[1:])
            made = function(*args, **named)
        made = to_tensors(made, [])
        return noted(made, sys._getframe(1)) if isinstance(made, Tensor) and made._view is None else made

    called.__name__ = called.__qualname__ = name
    return called


def call_on_tensors(name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return the result of NumPy's function `name` as if an argument were a tensor: weft's, or computed on values.

    It raises the errors of NumPy as those of weft, GradientError for tensors with recorded gradients whose values NumPy
    computes with, and the errors of weft's function.

    >>> call_on_tensors("add", ([1, 2], 3), {"where": [True, False]}).tolist()
    [4, 0]
    """
    function = getattr(np, name)
    with numpy_errors(name, f"these are NumPy's rules; give what numpy.{name} takes"):
        if not isinstance(function, np.ufunc):
            return array_function(None, function, (), args, named)
        out = named.pop("out", None)
        if out is not None:
            named["out"] = out if isinstance(out, tuple) else (out,)
        operands = [x if type(x) in OPERANDS else as_operand(x) for x in args]
        return array_ufunc(None, function, "__call__", *operands, **named)


def add_ufunc_methods(functions: dict[str, Callable[..., Any]]) -> None:
    """Give each function that is a ufunc in NumPy, under its name here, the methods of that: `reduce`, `outer`, ..."""
    for name, function in functions.items():
        ufunc = getattr(np, name, None)
        if isinstance(ufunc, np.ufunc) and ufunc.nin == 2 and ufunc.nout == 1:
            for method in METHODS.keys() - {"__call__"}:
                setattr(function, method, by_numpy(getattr(ufunc, method), f"{name}.{method}"))


def vectorize(pyfunc: Callable[..., Any] | None = None, *args: Any, **how: Any) -> Any:
    """Return a function of tensors that calls `pyfunc` with the numbers of each cell, at once, as numpy.vectorize does.

    Further arguments are those of numpy.vectorize, which without `pyfunc` make a decorator.

    >>> import weft
    >>> weft.vectorize(max)(weft.asarray([1, 5]), 3).tolist()
    [3, 5]
    """
    if pyfunc is None:
        return partial(vectorize, **how)
    with numpy_errors("vectorize", "these are NumPy's rules; give what numpy.vectorize takes"):
        by_cells = np.vectorize(pyfunc, *args, **how)

    @wraps(pyfunc, assigned=("__name__", "__doc__"), updated=())
    def called(*args: Any, **named: Any) -> Any:
        with np.errstate(all="ignore"):  # NumPy finds the flags that kernels of weft set in between
            return computed("vectorize", by_cells, args, named)

    return called


_INITIAL = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}  # NumPy's settings at first


def _check_ignored(name: str, settings: dict[str, Any]) -> None:
    """Raise ArgumentError, naming function `name`, for a setting other than "ignore", which is a math mode's."""
    for key, value in settings.items():
        if value not in ("ignore", None):
            mode = "error" if value == "raise" else "warn"
            raise ArgumentError(
                f"{name}: {key}={value!r:.60}; weft ignores errors of floats, or follows its math mode; write "
                f"with weft.math_mode({mode!r})"
            )


def errstate(**settings: Any) -> np.errstate:
    """Return NumPy's context in which errors of floats are ignored, as weft ignores them anywhere.

    Raises ArgumentError for another setting than "ignore", which `weft.math_mode` has a mode for.

    >>> with errstate(divide="ignore"):
    ...     pass
    """
    _check_ignored("errstate", settings)
    with numpy_errors("errstate", "these are NumPy's rules; give what numpy.errstate takes"):
        return np.errstate(**settings)


def seterr(**settings: Any) -> dict[str, Any]:
    """Have NumPy ignore errors of floats, as weft does, or treat them as by default; return its former settings.

    Raises ArgumentError for other settings, which `weft.math_mode` has modes for.

    >>> before = seterr(all="ignore")
    >>> seterr(**before)["divide"]
    'ignore'
    """
    if settings != _INITIAL:
        _check_ignored("seterr", settings)
    with numpy_errors("seterr", "these are NumPy's rules; give what numpy.seterr takes"):
        return np.seterr(**settings)  # type: ignore[return-value]


_MADE: dict[str, Any] = {
    "ascontiguousarray": partial(asarray, order="C"), "asfortranarray": partial(asarray, order="F"),
    "errstate": refusing(errstate, "errstate"), "seterr": refusing(seterr, "seterr"), "vectorize": vectorize,
}  # fmt: skip
CALLED = ON_TENSORS | _MADE.keys()


def numpy_name(name: str) -> Any:
    """Return what NumPy has under a name that weft lacks, for tensors; None if tensors have no use for it.

    >>> numpy_name("s_")[1:3], numpy_name("place").__name__, numpy_name("datetime64")
    (slice(1, 3, None), 'place', None)
    """
    if name in AS_THEY_ARE:
        return getattr(np, name)
    return by_numpy(getattr(np, name), name) if name in ON_TENSORS else _MADE.get(name)
