"""Keywords of habit: `dim=`, `keepdim=` and `ddof=` beside the names that the array API has for these arguments.

The one idea: a table says which name stands for which.  A module that ends with `accept_habits(globals())` takes them
in all its functions.  Each is wrapped in a function of its own parameters and `**habits`, made from text as dataclasses
make theirs: a call without names of habit then costs some 50 ns more, an eighth of what `*args, **kwargs` cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import update_wrapper
from inspect import Parameter, signature
from types import FunctionType
from typing import Any

from weft.errors import ArgumentError

MISSING = object()

HABITS = {"dim": ("axis", "axes"), "dims": ("axes",), "keepdim": ("keepdims",), "ddof": ("correction",)}
_OF_ONE = {"flip": {"dims": ("axis",)}, "roll": {"dims": ("axis",)}}  # what single functions take beside these
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
    """Return the error to raise for a call that NumPy and PyTorch read differently.

    >>> two_readings("sort()", "in NumPy in place, in PyTorch a pair", "weft.sort(x), or x[...] = weft.sort(x)").args
    ('sort(): two readings; in NumPy in place, in PyTorch a pair; write weft.sort(x), or x[...] = weft.sort(x)',)
    """
    return ArgumentError(f"{form}: two readings; {readings}; write {spellings}")


def accept_habits(namespace: dict[str, Any]) -> None:
    """Have all public functions of a module, given as its `globals()`, accept the keywords in `HABITS`."""
    for name in namespace.get("__all__") or [name for name in namespace if name[0] != "_"]:
        thing = namespace[name]
        if isinstance(thing, FunctionType) and thing.__module__ == namespace["__name__"]:
            namespace[name] = accepting(thing)


def accepting(function: Any) -> Any:
    """Return a function that also accepts the keywords in `HABITS`; the same function if none applies.

    >>> import weft
    >>> weft.mean.habits, weft.mean(weft.asarray([[1.0, 3.0]]), dim=1).tolist()
    ({'dim': 'axis', 'keepdim': 'keepdims'}, [2.0])
    """
    parameters = signature(function).parameters.values()
    known = _known(function.__name__, parameters)
    if not known:
        return function
    scope = {"__name__": __name__, "function": function, "MISSING": MISSING, "respelled": respelled}
    scope |= {f"default_{p.name}": p.default for p in parameters} | {"known": known}
    exec(compile(_text(list(parameters), set(known.values())), f"<{function.__name__}>", "exec"), scope)
    called = update_wrapper(scope["called"], function)
    called.habits = known
    return called


def _known(name: str, parameters: Iterable[Parameter]) -> dict[str, str]:
    """Return the keywords of `HABITS` that a function accepts, each with the parameter that it stands for."""
    named = {p.name for p in parameters if p.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)}
    found = {}
    for habit, candidates in (HABITS | _OF_ONE.get(name, {})).items():
        ours = next((c for c in candidates if c in named), None)
        if ours is not None and habit not in named:
            found[habit] = ours
    return found


def _text(parameters: list[Parameter], renamed: set[str]) -> str:
    """Return the Python text of a function `called` that passes its arguments on to `function`, or to `respelled`."""
    told, given = [], []
    for i, p in enumerate(parameters):
        if p.kind is Parameter.KEYWORD_ONLY and all(q.kind < Parameter.VAR_POSITIONAL for q in parameters[:i]):
            told.append("*")
        default = "MISSING" if p.name in renamed else f"default_{p.name}"
        optional = p.default is not Parameter.empty or p.name in renamed
        star = "*" if p.kind is Parameter.VAR_POSITIONAL else ""
        told.append(f"{star}{p.name}={default}" if optional else f"{star}{p.name}")
        if p.kind is Parameter.POSITIONAL_ONLY and parameters[i + 1].kind is not Parameter.POSITIONAL_ONLY:
            told.append("/")
        value = f"default_{p.name} if {p.name} is MISSING else {p.name}" if p.name in renamed else p.name
        given.append(f"{p.name}={value}" if p.kind is Parameter.KEYWORD_ONLY else f"{star}{value}")
    by_name = [p.name for p in parameters if p.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)]
    by_place = [
        f"*{p.name}" if p.kind is Parameter.VAR_POSITIONAL else p.name for p in parameters if p.name not in by_name
    ]
    pairs = ", ".join([f"'{name}': {name}" for name in by_name])
    placed = "".join([f"{name}, " for name in by_place])
    return (
        f"def called({', '.join(told)}, **habits):\n"
        "    if habits:\n"
        f"        return respelled(function, known, habits, ({placed}), {{{pairs}}})\n"
        f"    return function({', '.join(given)})\n"
    )


def respelled(
    function: Callable[..., Any],
    known: Mapping[str, str],
    habits: Mapping[str, Any],
    by_place: tuple[Any, ...],
    by_name: Mapping[str, Any],
) -> Any:
    """Return the function's result with keywords of `HABITS` replaced by its own parameters.

    Raises ArgumentError for an unknown keyword, a parameter given twice, and calls that two libraries read differently.
    """
    name = function.__name__
    made = {ours: value for ours, value in by_name.items() if value is not MISSING}
    for habit, value in habits.items():
        ours = known.get(habit)
        if ours is None:
            listed = ", ".join(signature(function).parameters)
            raise ArgumentError(f"{name}: no argument {habit}={value!r:.60}; it takes {listed}; give one of these")
        if (name, habit) in TWO_READINGS and not {"correction", "ddof"} & {*made, *habits}:
            readings, spellings = TWO_READINGS[name, habit]
            raise two_readings(f"{name}({habit}=)", readings, spellings)
        if ours in made:
            raise ArgumentError(
                f"{name}: both {ours}={made[ours]!r:.60} and {habit}={value!r:.60}; {habit} is another name of {ours}; "
                "give one of them"
            )
        made[ours] = value
    return function(*by_place, **made)
