"""Kinds of calls as text: the arguments of a call, and the differences between calls.

The one idea: a kind is a nest of descriptions, types and values, so two kinds are compared part by part, and a part is
named as the call spells it: `x`, `pair[0]`, `params['w']`, `line.slope`.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from weft.errors import ArgumentError
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.graph_text import description
from weft.programs.pytrees import Branch, accessors

Kind = tuple[Any, ...]  # the settings below, then positional arguments, then (name, part) of keyword arguments
SETTINGS = (
    "the passes that are off",
    "the default dtype",
    "weft.deterministic()",
    "the recording of gradients",
    "the default device",
    "the math mode",
)
SHOWN = 4  # most differences that a reason lists
_NONE = object()


def arguments_text(names: Sequence[str], kind: Kind) -> str:
    """Return the arguments of a kind of call as text, such as "x: float32[3], pair[0]: 2".

    `names` are those of the function's parameters, in order.
    """
    return ", ".join(
        [f"{where}: {_text(part)}" for name, found in _named(names, kind) for where, part in _leaves(name, found)]
    )


def reason(names: Sequence[str], kind: Kind, known: Sequence[Kind]) -> str:
    """Return the differences of a kind from the most similar known kind as text; "" if none is known.

    `names` are those of the function's parameters, in order.
    """
    found = min([list(_differences(names, other, kind)) for other in known], key=len, default=None)
    if not found:
        return "" if found is None else "arguments are given by name that were given in order, or the reverse"
    more = [f"and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
    return "; ".join(found[:SHOWN] + more)


def not_comparable(names: Sequence[str], static: Container[str], kind: Kind) -> ArgumentError:
    """Return the ArgumentError for a kind of call with a part that is not hashable.

    `names` are those of the function's parameters, in order, `static` the static ones.
    """
    for name, found in _named(names, kind):
        for where, part in _leaves(name, found):
            if _is_hashable(part):
                continue
            what = f"compile: {'static ' if name in static else ''}argument {where} is a {type(part.value).__name__}"
            if name in static:
                return ArgumentError(
                    f"{what}; static values are compared from call to call, so they are hashable; pass a tuple or "
                    "another value that is"
                )
            return ArgumentError(
                f"{what}; arguments are tensors, arrays, numbers, lists, tuples, dictionaries and dataclasses of them, "
                "or hashable; pass these, or register its type with register_pytree"
            )
    return ArgumentError(
        "compile: an argument of a registered type whose parts are told apart by what is not hashable; kinds of calls "
        "are compared; have its function return hashable extra values"
    )


def _is_hashable(x: Any) -> bool:
    try:
        hash(x)
    except TypeError:
        return False
    return True


def _named(names: Sequence[str], kind: Kind) -> Iterator[tuple[str, Any]]:
    """Iterate over (name, part) of a kind's arguments."""
    for k, part in enumerate(kind[len(SETTINGS) :]):
        if type(part) is tuple and type(part[0]) is str:
            yield part
        else:
            yield names[k] if k < len(names) and names[k] != "**" else f"argument {k}", part


def _differences(names: Sequence[str], old: Kind, new: Kind) -> Iterator[str]:
    """Iterate over texts of the differences between two kinds."""
    for what, a, b in zip(SETTINGS, old, new, strict=False):
        if a != b:
            yield f"{what}: {_text(b)}, was {_text(a)}"
    before, now = dict(_named(names, old)), dict(_named(names, new))
    for name in dict.fromkeys([*now, *before]):
        yield from _of_parts(name, before.get(name, _NONE), now.get(name, _NONE))


def _of_parts(where: str, old: Any, new: Any) -> Iterator[str]:
    if old == new:
        return
    if old is _NONE or new is _NONE:
        yield f"{where} is {'new' if old is _NONE else 'missing'}"
    elif type(old) is type(new) is Branch and old[:2] == new[:2] and len(old.children) == len(new.children):
        for step, a, b in zip(accessors(new), old.children, new.children, strict=True):
            yield from _of_parts(where + step, a, b)
    elif type(old) is type(new) is TensorDescription:
        yield f"{where}: {of_tensors(old, new)}"
    else:
        yield f"{where}: {_text(new)}, was {_text(old)}"


def of_tensors(old: TensorDescription, new: TensorDescription) -> str:
    """Return a text of the facts in which two tensor descriptions differ."""
    facts = [("shape", old.shape, new.shape), ("dtype", old.dtype.name, new.dtype.name)]
    if old.shape == new.shape and old.dtype is new.dtype:
        facts = [("strides", old.strides, new.strides), ("origin", old.origin, new.origin)]
        facts += [("big-endian", old.big, new.big), ("read-only", old.read_only, new.read_only)]
    return ", ".join([f"{what} {b}, was {a}" for what, a, b in facts if a != b])


def _leaves(where: str, part: Any) -> Iterator[tuple[str, Any]]:
    if type(part) is not Branch:
        yield where, part
        return
    for step, child in zip_longest(accessors(part), part.children, fillvalue=""):
        yield from _leaves(where + step, child)


def _text(part: Hashable) -> str:
    """Return one part of a kind as text."""
    if type(part) is TensorDescription:
        return description(part)
    if type(part) is type:
        return part.__name__
    if type(part) is tuple and part and type(part[0]) is TensorDescription:
        rest = [f"on {part[1]}"] if part[1] is not None else []
        return " ".join([description(part[0]), *rest, *(["recorded"] if part[2] else [])])
    if type(part) is Branch:
        return f"{part.kind.__name__} of {len(part.children)}"
    return f"{getattr(part, 'value', part)!r:.60}"
