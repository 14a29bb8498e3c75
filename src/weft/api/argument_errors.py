"""Calls with arguments that do not fit: errors of weft in the place of Python's.

The one idea: a wrapper asks after a TypeError whether the arguments fit the signature; if they do, the error is not
about the call, and passes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial, wraps
from inspect import Parameter, signature
from types import FunctionType
from typing import Any, NoReturn

from weft.errors import ArgumentError, DTypeError, ShapeError, StrictError, WeftError, WriteError
from weft.ir.graph.ops import OPS
from weft.runtime.fork_safety import late_import

COMPOSING: set[str] = set()  # names of the functions that `accepting` returned, or will return when they are loaded
# Positional arguments in PyTorch of functions that take others here.
_OTHER_ORDERS = {
    "layer_norm": "x, normalized_shape, weight, bias, eps", "rms_norm": "x, normalized_shape, weight, eps"
}  # fmt: skip
_FREE = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def refuse_all(namespace: dict[str, Any]) -> None:
    """Have calls of all public functions and classes of a namespace raise ArgumentError if they do not fit."""
    complete(namespace)
    for name in namespace["__all__"]:
        thing = namespace[name]
        if isinstance(thing, type):
            refuse_misfits(thing)
        else:
            namespace[name] = refusing(thing, name)


def complete(namespace: dict[str, Any]) -> None:
    """Have a namespace, given as its `globals()`, list `__all__`, and advise about names that it lacks."""
    space = namespace["__name__"].removeprefix("weft.")
    namespace.setdefault("__dir__", lambda: namespace["__all__"])
    namespace.setdefault("__getattr__", partial(_missing, space))


def _missing(space: str, name: str) -> NoReturn:
    raise late_import("weft.api.numpy.foreign_names").missing_in(space, name)


def refuse_misfits(cls: type) -> None:
    """Have calls of a class, and of its objects, raise ArgumentError for arguments that do not fit."""
    for method in ("__new__", "__init__", "__call__"):
        found = vars(cls).get(method)
        if isinstance(function := getattr(found, "__func__", found), FunctionType):
            setattr(cls, method, refusing(function, cls.__name__, 1))


def refusing(function: Any, name: str, bound: int = 0) -> Any:
    """Return a function, called `name` in errors, that raises ArgumentError for arguments that do not fit.

    The first `bound` parameters are given by Python.

    >>> import weft
    >>> weft.save("x.npy")
    Traceback (most recent call last):
    weft.errors.ArgumentError: save: no x; it has no value of its own; give it
    """
    if hasattr(function, "refuses"):
        return function

    @wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except TypeError as error:
            if isinstance(error, WeftError) or _fits(function, args, named):
                raise
        raise _misfit(function, name, bound, args, named)

    called.refuses = True  # type: ignore[attr-defined]
    return called


def passing(
    function: Any, most: int, own: Set[str], otherwise: Callable[[tuple[Any, ...], dict[str, Any]], Any]
) -> Any:
    """Return a function that passes its arguments on to another, and to `otherwise` those that do not fit.

    More than `most` by place, or other names than `own`, do not fit. Errors about shapes and dtypes name the function.
    """
    name = function.__name__

    @wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        if len(args) > most or (named and not own.issuperset(named)):
            return otherwise(args, named)
        try:
            return function(*args, **named)
        except (TypeError, ShapeError, WriteError) as error:
            if isinstance(error, (DTypeError, ShapeError, WriteError)):
                name_caller(error, name)
            if isinstance(error, WeftError) or _fits(function, args, named):
                raise
        return otherwise(args, named)

    return called


def name_caller(error: Exception, caller: str) -> None:
    """Replace the name of an operation, or of another function, at the beginning of an error's message.

    Errors of strict mode keep theirs, which is that of the act in its reports.

    >>> error = ShapeError("var: axis 5 of a tensor of rank 2")
    >>> name_caller(error, "std")
    >>> error.args
    ('std: axis 5 of a tensor of rank 2',)
    """
    name, colon, rest = str(error.args[0]).partition(": ")
    if colon and not isinstance(error, StrictError) and (name in OPS or name in COMPOSING) and name != "asarray":
        error.args = (f"{caller}: {rest}", *error.args[1:])


def _fits(function: Any, args: tuple[Any, ...], named: Mapping[str, Any]) -> bool:
    """True if a function can be called with the arguments."""
    try:
        signature(function).bind(*args, **named)
    except TypeError:
        return False
    return True


def _misfit(function: Any, name: str, bound: int, args: tuple[Any, ...], named: Mapping[str, Any]) -> ArgumentError:
    """Return the ArgumentError for arguments that do not fit a function's parameters.

    The function is called `name` in errors; its first `bound` parameters are given by Python.
    """
    taken, given = [*signature(function).parameters.values()][bound:], args[bound:]
    placed = [p.name for p in taken if p.kind < Parameter.VAR_POSITIONAL]
    fixed = {p.name: p for p in taken if p.kind not in _FREE}
    if len(given) > len(placed):
        return too_many(name, taken, given[len(placed) :])
    by_place = placed[: len(given)]
    for p in fixed.values():
        if p.default is Parameter.empty and p.name not in by_place and p.name not in named:
            return ArgumentError(f"{name}: no {p.name}; it has no value of its own; give it")
    only_placed = {p.name for p in taken if p.kind is Parameter.POSITIONAL_ONLY}
    key, value = next((k, v) for k, v in named.items() if k in by_place or k in only_placed or k not in fixed)
    if key in by_place:
        return given_twice(name, key, value)
    if key in only_placed:
        return ArgumentError(f"{name}: {key}={told(value)}; {key} is given by its place; leave out the name")
    return ArgumentError(f"{name}: no argument {key}={told(value)}; it takes {', '.join(fixed)}; give one of these")


def given_twice(name: str, key: str, value: Any) -> ArgumentError:
    """Return the ArgumentError for a parameter of function `name` that is given by its place and as `key=value`."""
    return ArgumentError(f"{name}: {key}={told(value)}, and {key} by its place; it has one value; give it once")


def told(x: Any) -> str:
    """Return an object as text for messages: arrays by their class, since their cells may have to be computed.

    >>> import weft
    >>> told("a"), told([1, 2]), told((object(), weft.ones(3)))
    ("'a'", '[1, 2]', 'tuple of Tensor')
    """
    if isinstance(x, (list, tuple)):
        arrays = [type(part).__name__ for part in x if hasattr(part, "__array__")]
        return f"{type(x).__name__} of {arrays[0]}" if arrays else f"{x!r:.60}"
    return type(x).__name__ if hasattr(x, "__array__") else f"{x!r:.60}"


def too_many(name: str, taken: Sequence[Parameter], beyond: tuple[Any, ...]) -> ArgumentError:
    """Return the ArgumentError for a call with `beyond`, positional arguments after those that the function takes.

    >>> import weft
    >>> weft.linalg.matrix_rank(weft.eye(2), 0.1)
    Traceback (most recent call last):
    weft.errors.ArgumentError: matrix_rank: 2 positional arguments; it takes x; give others by their names (rtol=)
    """
    placed = [p.name for p in taken if p.kind < Parameter.VAR_POSITIONAL]
    others = ", ".join([f"{p.name}=" for p in taken if p.kind is Parameter.KEYWORD_ONLY])
    named = f"give others by their names ({others})" if others else "leave the others out"
    if name in _OTHER_ORDERS:
        named += f"; PyTorch's order is {_OTHER_ORDERS[name]}; here axis= names the normalised axes"
    return ArgumentError(
        f"{name}: {len(placed) + len(beyond)} positional arguments; it takes {', '.join(placed) or 'none'}; {named}"
    )
