"""Arguments of public functions: NumPy's and PyTorch's names and positions are accepted, wrong ones raise.

The one idea: a table maps each name (`dim=`, `keepdim=`, `ddof=`) to weft's, another (`parameters`) has NumPy's
position of each argument.  A namespace that ends with `accept_habits(globals())` accepts them in all its functions.
Each is wrapped in a function that passes its arguments on, and looks at them only where some have other names, are too
many, or do not fit.  A function that has `**habits` itself, as the element-wise ones, calls `reread` instead and is not
wrapped.  Errors about shapes and dtypes name the function that was called, not the ones that it is composed of.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from inspect import Parameter, signature
from types import FunctionType
from typing import Any, NamedTuple

from weft.api.argument_errors import (
    COMPOSING,
    complete,
    given_twice,
    passing,
    refuse_misfits,
    refusing,
    told,
    too_many,
)
from weft.api.numpy.parameters import NumpyParameters, numpy_parameters
from weft.errors import ArgumentError
from weft.interop.device_moves import check_no_record
from weft.runtime.fork_safety import late_import

MISSING = object()
_signature = lru_cache(None)(signature)  # of functions that are called with keywords of habit

HABITS = {"dim": ("axis", "axes"), "dims": ("axes",), "keepdim": ("keepdims",), "ddof": ("correction",)}
_OF_ONE = {  # further names that single functions accept
    "flip": {"dims": "axis"}, "roll": {"dims": "axis", "shifts": "shift"}, "tile": {"dims": "repetitions"},
    "triu": {"diagonal": "k"}, "tril": {"diagonal": "k"}, "diag": {"diagonal": "k"},
    "diagonal": {"dim1": "axis1", "dim2": "axis2"}, "swapaxes": {"dim0": "axis1", "dim1": "axis2"},
    "grad": {"grad_outputs": "gradient"},
    "scaled_dot_product_attention": {"is_causal": "causal", "attn_mask": "mask"},
    "vmap": {"in_dims": "in_axes", "out_dims": "out_axes"}, "one_hot": {"num_classes": "n"},
    "dropout": {"p": "rate"}, "leaky_relu": {"negative_slope": "slope"}, "norm": {"p": "ord"},
    "max_pool": {"kernel_size": "size"}, "avg_pool": {"kernel_size": "size"},
    "batch_norm": {"running_mean": "mean", "running_var": "var"},
    "linspace": {"steps": "num"}, "arange": {"end": "stop"}, "concat": {"tensors": "arrays"},
}  # fmt: skip
# Arguments of PyTorch that change nothing here: records stay as long as a tensor needs them.
_NEEDLESS = {("backward", "retain_graph"), ("grad", "retain_graph"), ("grad", "allow_unused")}
_PAIR = "PyTorch's gives values and positions, here there is one result"
_SPREAD = "PyTorch's divides by n - 1, the array API's by n"
# Calls that two libraries read differently: what each does, and the spellings that say which is meant.
TWO_READINGS = {
    ("max", "dim"): (_PAIR, "max(x, axis=...) for the values, or argmax(x, axis=...) for their positions"),
    ("min", "dim"): (_PAIR, "min(x, axis=...) for the values, or argmin(x, axis=...) for their positions"),
    ("median", "dim"): (
        f"{_PAIR}, and of an even number of cells PyTorch takes the lower middle one",
        "median(x, axis=...), or quantile(x, 0.5, axis=..., method='lower')",
    ),
    ("sort", "dim"): (_PAIR, "sort(x, axis=...) for the values, or argsort(x, axis=...) for their positions"),
    ("split", "dim"): (
        "PyTorch's number is the size of a part, here it counts the parts",
        "split(x, n, axis=...) for n parts, or split(x, sizes=[...], axis=...) for parts of these sizes",
    ),
    ("std", "dim"): (_SPREAD, "std(x, axis=..., correction=1), or std(x, axis=...)"),
    ("var", "dim"): (_SPREAD, "var(x, axis=..., correction=1), or var(x, axis=...)"),
}
TWO_READINGS["nanmedian", "dim"] = (
    TWO_READINGS["median", "dim"][0],
    "nanmedian(x, axis=...), or nanquantile(x, 0.5, axis=..., method='lower')",
)


def two_readings(form: str, readings: str, spellings: str) -> ArgumentError:
    """Return the ArgumentError for a call of this `form`, which NumPy and PyTorch interpret differently.

    `readings` says how, `spellings` are calls that say which is meant.

    >>> two_readings("sort()", "in NumPy in place, in PyTorch a pair", "weft.sort(x), or x[...] = weft.sort(x)").args
    ('sort(): two readings; in NumPy in place, in PyTorch a pair; write weft.sort(x), or x[...] = weft.sort(x)',)
    """
    return ArgumentError(f"{form}: two readings; {readings}; write {spellings}")


def accept_habits(namespace: dict[str, Any], space: str = "") -> None:
    """Replace the functions of a namespace, given as its `globals()`, by functions that `accepting` returns.

    They are those in `__all__`; `space` is the prefix of the functions' names in weft, such as "linalg.".
    """
    complete(namespace)
    for name in [name for name in namespace["__all__"] if name in namespace]:
        accept_habits_of(sys.modules[namespace["__name__"]], name, space)


def accept_habits_of(owner: Any, name: str, space: str = "") -> None:
    """Replace a function of a module or class, and where it is defined, by one that `accepting` returns.

    Of a class, those that Python runs when it, or an object of it, is called.
    """
    thing = vars(owner)[name]
    if isinstance(thing, type) and not issubclass(thing, BaseException):
        refuse_misfits(thing)
    elif isinstance(thing, FunctionType):
        home = sys.modules[thing.__module__]
        there = getattr(home, name, None)
        accepted = there if getattr(there, "__wrapped__", None) is thing else accepting(thing, space, name)
        setattr(owner, name, accepted)
        if there is thing:
            setattr(home, name, accepted)


def accepting(function: Any, space: str = "", name: str = "") -> Any:
    """Return a function that accepts keywords in `HABITS` and NumPy's, and raises ArgumentError for wrong arguments.

    A function that has `**habits` itself is returned with a signature that lacks them. One with other free keywords,
    called `name` in messages, only raises for wrong arguments. Methods without named arguments are
    returned as they are. `space` is as for `accept_habits`.

    >>> import weft
    >>> spellings(weft.mean).names["dim"], weft.mean(weft.asarray([[1.0, 3.0]]), dim=1).tolist()
    ('axis', [2.0])
    >>> weft.tril(weft.ones((2, 2)), -1).tolist(), weft.triu(m=[[1, 2], [3, 4]]).tolist()
    ([[0.0, 0.0], [1.0, 0.0]], [[1, 2], [0, 4]])
    """
    declared = signature(function)
    parameters = tuple(declared.parameters.values())
    rereads = any(p.name == "habits" for p in parameters)
    if rereads:
        kept = [p.replace(default=Parameter.empty) if p.default is MISSING else p for p in parameters]
        parameters = tuple([p for p in kept if p.name not in ("beyond", "habits")])
        function.__signature__ = declared.replace(parameters=parameters)
    elif hasattr(function, "name_in_numpy") or _is_bare(parameters):
        return function
    elif any(p.kind is Parameter.VAR_KEYWORD for p in parameters):
        return refusing(function, name or function.__name__)
    called = function if rereads else _wrapped(function, parameters)
    called.name_in_numpy = space + function.__name__
    COMPOSING.add(function.__name__)
    return called


def _is_bare(parameters: Sequence[Parameter]) -> bool:
    """True if a function of these parameters is a method without named arguments."""
    return [p.name for p in parameters if p.kind is not Parameter.VAR_POSITIONAL] == ["self"]


class Spellings(NamedTuple):
    """The arguments of a function.

    taken: its parameters in NumPy's order.  names: the parameter that each other name means.  theirs: NumPy's
    parameters.  placed: the names of the parameters that are given by their places.
    """

    taken: Sequence[Parameter]
    names: Mapping[str, str]
    theirs: NumpyParameters
    placed: Sequence[str]


@lru_cache(None)
def spellings(function: Any) -> Spellings:
    """Return what a function that `accepting` returned takes."""
    parameters = tuple(signature(function).parameters.values())
    theirs = numpy_parameters(function.name_in_numpy, parameters)
    taken = _by_place(parameters, theirs.positional)
    return Spellings(taken, _known(function.__name__, taken, theirs.names), theirs, _placed(taken))


def _wrapped(function: Any, parameters: Sequence[Parameter]) -> Any:
    """Return the wrapper of a function: it takes what `spellings` says."""
    spreads = any(p.kind is Parameter.VAR_POSITIONAL for p in parameters)
    most = sys.maxsize if spreads else len(_placed(parameters))
    own = frozenset([p.name for p in parameters if p.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)])

    def respell(args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        found = spellings(called)
        given, spread = dict(zip(found.placed, args, strict=False)), args[len(found.placed) :]
        if spread and not spreads:
            raise too_many(function.__name__, found.taken, spread)
        for key in [key for key in named if key in own]:
            if key in given:
                raise given_twice(function.__name__, key, named[key])
            given[key] = named.pop(key)
        if named or not args[most:]:
            return respelled(function, found, named, given, spread)
        return function(*args[:most], **{key: given[key] for key in list(given)[most:]})

    called = passing(function, most, own, respell)
    return called


def _placed(parameters: Iterable[Parameter]) -> list[str]:
    """Return the names of the parameters that are given by their places."""
    return [p.name for p in parameters if p.kind < Parameter.VAR_POSITIONAL]


def reread(function: Any, given: Sequence[Any], beyond: tuple[Any, ...], habits: Mapping[str, Any]) -> Any:
    """Return the result of a function that has `**habits` itself, called with arguments that it does not have.

    `given` are the values of its parameters, `beyond` further positional arguments, `habits` further keywords. Raises
    ArgumentError for positional arguments beyond its own, and what `respelled` raises.

    >>> import weft
    >>> weft.add(1, 2, casting="same_kind").item()
    3
    """
    found = spellings(function)
    if beyond:
        raise too_many(function.__name__, found.taken, beyond)
    pairs = zip(_signature(function).parameters, given, strict=True)
    by_name = {name: value for name, value in pairs if value is not MISSING}
    return respelled(function, found, habits, by_name, ())


def _by_place(parameters: tuple[Parameter, ...], positional: tuple[str, ...]) -> tuple[Parameter, ...]:
    """Return the parameters reordered to NumPy's positions; keyword-only ones become positional if needed."""
    by_place = _placed(parameters)
    only_named = {p.name: p for p in parameters if p.kind is Parameter.KEYWORD_ONLY}
    if positional[: len(by_place)] != tuple(by_place) or any(p.kind is Parameter.VAR_POSITIONAL for p in parameters):
        return parameters
    moved = [only_named[name] for name in positional[len(by_place) :] if name in only_named]
    first = parameters[: len(by_place)]
    then = [p.replace(kind=Parameter.POSITIONAL_OR_KEYWORD) for p in moved]
    return (*first, *then, *[p for p in parameters if p not in first and p not in moved])


def _known(name: str, parameters: Iterable[Parameter], theirs: Mapping[str, str]) -> dict[str, str]:
    """Return a dict from each familiar keyword that a function accepts to the parameter that it means."""
    kinds = {p.name: p.kind for p in parameters}
    named = {n for n, kind in kinds.items() if kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)}
    found = {}
    for habit, candidates in HABITS.items():
        ours = next((c for c in candidates if c in named), None)
        if ours is not None and habit not in named:
            found[habit] = ours
    placed = Parameter.POSITIONAL_ONLY
    theirs = _OF_ONE.get(name, {}) | theirs
    more = {n: ours for n, ours in theirs.items() if n not in named and (ours in named or kinds.get(ours) is placed)}
    return found | more


def respelled(
    function: Callable[..., Any],
    found: Spellings,
    habits: Mapping[str, Any],
    given: Mapping[str, Any],
    spread: tuple[Any, ...],
) -> Any:
    """Return the function's result with keywords of habit replaced by its own parameters.

    `given` has the values of parameters, `spread` those of `*args`.
    A keyword that only NumPy's function has makes the result that of NumPy's function, called with tensors. Raises
    ArgumentError for an unknown keyword, a parameter given twice, a missing one, and calls that two libraries read
    differently.
    """
    name, parameters = function.__name__, _signature(function).parameters
    made, beyond, theirs = dict(given), {}, found.theirs
    for habit, value in habits.items():
        ours = found.names.get(habit)
        if ours is None and (habit in theirs.beyond or habit in theirs.names):
            if not _is_default(value, theirs.beyond.get(habit)):
                beyond[habit] = value
            continue
        if ours is None:
            _check_unknown(name, habit, value, theirs, parameters)
            continue
        if (name, habit) in TWO_READINGS and not {"correction", "ddof"} & {*made, *habits}:
            readings, spellings = TWO_READINGS[name, habit]
            raise two_readings(f"{name}({habit}=)", readings, spellings)
        if ours in made:
            raise ArgumentError(
                f"{name}: both {ours}={made[ours]!r:.60} and {habit}={value!r:.60}; {habit} is another name of {ours}; "
                "give one of them"
            )
        made[ours] = value
    for p in parameters.values():
        if p.name not in made and p.default is Parameter.empty and p.kind is not Parameter.VAR_POSITIONAL:
            raise ArgumentError(f"{name}: no {p.name}; it has no value of its own; give it")
    leading = [p for p in parameters.values() if p.kind is Parameter.POSITIONAL_ONLY or (beyond and p.name == "self")]
    by_place = [made.pop(p.name, p.default) for p in leading]
    if beyond:
        changed = {k: value for k, value in made.items() if value is not parameters[k].default}
        words = {ours: word for word, ours in reversed(theirs.names.items())}
        if odd := changed.keys() - words.keys():
            raise ArgumentError(
                f"{name}: both {min(odd)}= and {next(iter(beyond))}=, which only NumPy has; give one of them"
            )
        called = late_import("weft.interop.numpy.names").call_on_tensors
        return called(name, (*by_place, *spread), {words[k]: value for k, value in changed.items()} | beyond)
    if spread:
        by_place += [made.pop(n) for n in _placed(parameters.values()) if n in made]
    return function(*by_place, *spread, **made)


def _is_default(value: Any, default: Any) -> bool:
    """True if a value is None, or the default of NumPy's parameter."""
    return value is None or (type(value) is type(default) and value == default)


def _check_unknown(
    name: str, habit: str, value: Any, theirs: NumpyParameters, parameters: Mapping[str, Parameter]
) -> None:
    """Raise ArgumentError for keyword `habit` that function `name` lacks.

    Not raised for keywords that change nothing here, and for a value that asks for weft's only behaviour.
    """
    if habit in theirs.ignored or (name, habit) in _NEEDLESS:
        return
    if habit in theirs.missing:
        default, instead = theirs.missing[habit]
        if _is_default(value, default):
            return
        raise ArgumentError(f"{name}: no argument {habit}={told(value)}, which NumPy has; write {instead}")
    check_no_record(name, {habit: value})
    listed = ", ".join(parameters)
    raise ArgumentError(f"{name}: no argument {habit}={told(value)}; it takes {listed}; give one of these")
