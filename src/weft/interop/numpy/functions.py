"""`__array_function__`: functions of NumPy, numpy.linalg and numpy.fft on tensors.

The one idea: a function is weft's function of the same name, called with the arguments that differ from NumPy's
defaults.  If weft's has no parameter for one of them, NumPy computes on values.  Functions that differ in name or
meaning are in the table of `counterparts`.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from weft.api.numpy.parameters import RENAMED, UNTOLD
from weft.interop.numpy.counterparts import FUNCTIONS, NAMES, Unknown, known, weft
from weft.interop.numpy.masked_reductions import reduced_where
from weft.interop.numpy.values import computed, overwritten
from weft.tensors.tensor import Tensor

Function = Callable[..., Any]
Given = dict[str, Any]

_NAMESPACES = {"numpy": "", "numpy.linalg": "linalg", "numpy.fft": "fft"}
# Functions that weft has under NumPy's name, and nothing more: they call NumPy's with tensors.
ON_TENSORS = frozenset({
    "array_equiv", "bitwise_count", "copyto", "dsplit", "ediff1d", "einsum_path", "extract",
    "frombuffer", "fromiter", "fromstring", "hsplit", "mask_indices", "matvec", "place", "put", "putmask", "resize",
    "rollaxis", "savez_compressed", "sort_complex", "spacing", "vecmat", "vsplit",
})  # fmt: skip
_BY_VALUES = ON_TENSORS | {
    "save", "savez", "savetxt", "array_repr", "array_str", "array2string", "may_share_memory", "shares_memory",
    "real_if_close",
}  # fmt: skip
OVERWRITING = {"copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"}
_HINTS = {"subok", "overwrite_input", "assume_unique", "kind", "optimize"}  # parameters about memory and speed
_MASKING = ("where", "initial")
_SIMPLE = (bool, int, float, str)
_MISSING = inspect.Parameter.empty
_frame = sys._getframe


class MatchedFunction(NamedTuple):
    """A function of weft that replaces one of NumPy, and how their parameters correspond."""

    function: Function
    defaults: Given  # defaults of NumPy's parameters
    variadic: bool
    leading: tuple[str, ...]  # NumPy's names of weft's positional parameters
    named: dict[str, str]  # NumPy's name → weft's name, of other parameters
    fixed: Given  # NumPy's defaults that differ from weft's, by weft's names

    def call(self, args: tuple[Any, ...], how: Given) -> Any:
        """Call weft's function with the arguments that differ from NumPy's defaults.

        Raises `Unknown` for arguments that it does not support.
        """
        if self.variadic:
            known(not any(_has_objects(x) for x in args))
            return self.function(*args, **self._arguments(how))
        known(len(args) <= len(self.defaults))
        given = dict(zip(self.defaults, args, strict=False)) | how
        leading = [given.pop(name, self.defaults[name]) for name in self.leading]
        known(all(value is not _MISSING for value in leading))
        masked = {k: given.pop(k) for k in _MASKING if k in given}
        masking = {k: value for k, value in masked.items() if not _is_default(value, self.defaults.get(k))}
        named = self.fixed | self._arguments(given)
        return (
            reduced_where(self.function, *leading, **masking, **named) if masking else self.function(*leading, **named)
        )

    def _arguments(self, given: Given) -> Given:
        """Return keyword arguments by weft's names, without those equal to NumPy's defaults.

        Raises `Unknown` for a parameter that weft's function lacks.
        """
        found: Given = {}
        for theirs, value in given.items():
            if _is_default(value, self.defaults.get(theirs, _MISSING)) or (theirs in _HINTS - self.named.keys()):
                continue
            known(theirs in self.named)
            found[self.named[theirs]] = value
        return found


_MATCHED: dict[Function, MatchedFunction | None] = {}


def _has_objects(x: Any) -> bool:
    """True if x is None or an array of objects or texts, which NumPy broadcasts too."""
    return x is None or (isinstance(x, np.ndarray) and x.dtype.kind in "OSU")


def _is_default(value: Any, default: Any) -> bool:
    """True if an argument equals the default of NumPy's parameter."""
    return value is default or (type(value) is type(default) and isinstance(value, _SIMPLE) and value == default)


def _matched(func: Function) -> MatchedFunction | None:
    """Return weft's function with the name of NumPy function `func`; None if there is none."""
    room, name = _NAMESPACES.get(func.__module__), NAMES.get(func.__name__, func.__name__)
    if room is None or name in _BY_VALUES:
        return None
    if func not in _MATCHED:
        ours = getattr(getattr(weft(), room) if room else weft(), name, None)
        _MATCHED[func] = None if ours is None else _paired(func, ours)
    return _MATCHED[func]


def _parameters(func: Function) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a NumPy function by name; any, for one that NumPy does not tell and no table has."""
    try:
        return inspect.signature(func).parameters
    except ValueError:  # functions in C before NumPy 2.4
        return inspect.signature(UNTOLD.get(NAMES.get(func.__name__, func.__name__), lambda *_: ...)).parameters


def _paired(func: Function, function: Function) -> MatchedFunction:
    """Return weft's function with its parameters matched to NumPy's: leading ones by position, others by name."""
    theirs, ours = _parameters(func), inspect.signature(function).parameters
    defaults = {n: p.default for n, p in theirs.items() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    variadic = any(p.kind is p.VAR_POSITIONAL for p in theirs.values())
    count = max(1, sum(p.kind is p.POSITIONAL_ONLY for p in ours.values()))
    leading = () if variadic else tuple(defaults)[:count]
    others = {n: p.default for n, p in list(ours.items())[0 if variadic else count :]}
    named = {n: n for n in others} | {t: o for t, o in RENAMED.items() if o in others and t not in others}
    given = {o: defaults[t] for t, o in named.items() if isinstance(defaults.get(t), _SIMPLE)}
    fixed = {name: value for name, value in given.items() if value != others[name]}
    return MatchedFunction(function, defaults, variadic, leading, named, fixed)


def array_function(self: Tensor | None, func: Function, types: Any, args: tuple[Any, ...], how: Given) -> Any:
    """Return the result of a NumPy function on arguments that hold a tensor (NumPy's `__array_function__`).

    Functions that weft has return pending tensors, by weft's rules for dtypes. Other functions, and calls with keywords
    that weft lacks, are computed on values at once. If an argument's type has its own protocol, tensors are passed as
    arrays. Raises the errors of the function, and GradientError if floats are computed on values of tensors with
    recorded gradients.

    >>> import weft
    >>> x = weft.asarray([[3.0, 1.0], [2.0, 4.0]])
    >>> np.mean(x, axis=0).tolist(), np.linalg.norm(x).item(), np.unique(x).tolist(), np.trace(x).item()
    ([2.5, 2.5], 5.477225575051661, [1.0, 2.0, 3.0, 4.0], 7.0)
    """
    if not all(issubclass(t, (Tensor, np.ndarray)) and _is_ours(t) for t in types):
        return _of_theirs(func, args, how)
    try:
        made = _pending(func, args, how)
    except Unknown:
        return _by_values(func, args, how)
    if type(made) is Tensor and made._view is None and not any(made is x for x in args):
        n, user = made._place.node, _frame(1)
        n.code, n.lasti = user.f_code, user.f_lasti
    return made


def _is_ours(kind: type) -> bool:
    """True if a type is Tensor, or has the `__array_function__` of NumPy's arrays."""
    return kind is Tensor or kind.__array_function__ is np.ndarray.__array_function__  # type: ignore[attr-defined]


def _of_theirs(func: Function, args: Any, how: Given) -> Any:
    """Return the function's result with arrays in place of tensors, for another type's `__array_function__`."""
    return func(*_arrays(args), **_arrays(how))


def _arrays(x: Any) -> Any:
    """Return nested arguments with tensors replaced by arrays."""
    if isinstance(x, Tensor):
        return x.numpy()
    if isinstance(x, dict):
        return {key: _arrays(value) for key, value in x.items()}
    return type(x)([_arrays(part) for part in x]) if type(x) in (list, tuple) else x


def _pending(func: Function, args: Any, how: Given) -> Any:
    """Return the result of weft's counterpart of a NumPy function, with its errors.

    Raises `Unknown` if there is none, or it does not support an argument.
    """
    room = _NAMESPACES.get(func.__module__)
    own = FUNCTIONS.get(func.__name__ if not room else f"{room}.{func.__name__}") if room is not None else None
    if own is not None:
        return own(*args, **how)
    matched = _matched(func)
    if matched is None:
        raise Unknown
    return matched.call(args, how)


def _by_values(func: Function, args: tuple[Any, ...], how: Given) -> Any:
    """Return the result of a NumPy function on values, as tensors; overwritten arguments are written back.

    Raises GradientError if floats are computed from tensors with recorded gradients, and the errors of the function.
    """
    parameters = _parameters(func)
    names, how = list(parameters), dict(how)
    if func.__name__ in OVERWRITING:
        target, *others = args or (how.pop(names[0]),)
        return overwritten(func.__name__, func, target, others, how)
    variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters.values())
    at = names.index("out") if "out" in names and not variadic else len(args)
    how |= dict(zip(names[at:], args[at:], strict=False))  # out= and the parameters after it
    out = how.pop("out", None)
    return computed(func.__name__, func, args[:at], how, out)
