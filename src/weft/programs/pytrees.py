"""Pytrees: values in lists, tuples, dictionaries, dataclasses, named tuples, other containers and registered types.

The one idea: one walk takes a value apart into leaves and a hashable structure; the structure puts other leaves
together in the same form.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

import numpy as np

from weft.errors import ArgumentError
from weft.tensors.tensor import Tensor

Parts = Callable[[Any], tuple[Iterable[Any], Hashable]]  # value → (children, extra data)
Whole = Callable[[Hashable, Sequence[Any]], Any]
LEAVES: set[type] = {int, float, complex, bool, str, type(None), Tensor, np.ndarray}  # types known to be no containers
REGISTERED: dict[type, tuple[Parts, Whole]] = {
    OrderedDict: (lambda v: (v.values(), tuple(v)), lambda keys, items: OrderedDict(zip(keys, items, strict=True))),
    defaultdict: (
        lambda v: (v.values(), (v.default_factory, tuple(v))),
        lambda extra, items: defaultdict(extra[0], zip(extra[1], items, strict=True)),  # type: ignore[index, arg-type]
    ),
    deque: (lambda v: (v, v.maxlen), lambda most, items: deque(items, most)),  # type: ignore[arg-type]
}


class Branch(NamedTuple):
    """The structure of a container: its type, extra data (keys, names), and the structures of its children."""

    kind: type
    extra: Hashable
    children: tuple[Any, ...]


def register_pytree(kind: type, parts: Parts, whole: Whole) -> None:
    """Register a container type, whose values functions of tensors take apart and put together.

    `parts(value)` returns (children, extra), with a hashable `extra`; `whole(extra, children)` returns a value.  Raises
    ArgumentError for types that are known already.

    >>> import weft
    >>> class Line:
    ...     def __init__(self, slope, at_zero):
    ...         self.slope, self.at_zero = slope, at_zero
    >>> weft.register_pytree(Line, lambda v: ((v.slope, v.at_zero), None), lambda _, children: Line(*children))
    >>> value_at = weft.compile(lambda line, x: line.slope * x + line.at_zero)
    >>> value_at(Line(2.0, 1.0), weft.asarray([0.0, 1.0])).tolist()
    [1.0, 3.0]
    """
    if not isinstance(kind, type) or kind in REGISTERED or kind in (list, tuple, dict):
        raise ArgumentError(
            f"register_pytree: {kind!r:.60}; a type that is not known yet is registered; leave known ones out"
        )
    REGISTERED[kind] = parts, whole


def taken_apart(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """Return the structure of a value, with `leaf(x)` in place of each x that is no container.

    Raises the errors of `leaf`.
    """
    kind = type(value)
    if kind in LEAVES:
        return leaf(value)
    if kind is tuple or kind is list:
        return Branch(kind, None, tuple([taken_apart(v, leaf) for v in value]))
    if kind is dict:
        return Branch(kind, tuple(value), tuple([taken_apart(v, leaf) for v in value.values()]))
    if kind in REGISTERED:
        children, extra = REGISTERED[kind][0](value)
        return Branch(kind, extra, tuple([taken_apart(v, leaf) for v in children]))
    if issubclass(kind, tuple) and hasattr(kind, "_make"):
        return Branch(kind, None, tuple([taken_apart(v, leaf) for v in value]))
    if is_dataclass(kind):
        names = tuple([f.name for f in fields(kind) if f.init])
        return Branch(kind, names, tuple([taken_apart(getattr(value, name), leaf) for name in names]))
    return leaf(value)


def flattened(value: Any) -> tuple[Any, list[Any]]:
    """Return (the structure of a value, with the number of each leaf in its place; the leaves in order).

    >>> flattened([5, (6, None)])[1]
    [5, 6, None]
    """
    leaves: list[Any] = []
    return taken_apart(value, lambda x: leaves.append(x) or len(leaves) - 1), leaves  # type: ignore[func-returns-value]


def put_together(structure: Any, leaf: Callable[[Any], Any]) -> Any:
    """Return the value with a structure, with `leaf(x)` in place of each leaf x of the structure."""
    if type(structure) is not Branch:
        return leaf(structure)
    kind, extra, children = structure
    made = [put_together(c, leaf) for c in children]
    if kind is list:
        return made
    if kind is tuple:
        return tuple(made)
    if kind is dict:
        return dict(zip(extra, made, strict=True))
    if kind in REGISTERED:
        return REGISTERED[kind][1](extra, made)
    if hasattr(kind, "_make"):
        return kind._make(made)
    return kind(**dict(zip(extra, made, strict=True)))


def mapped(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """Return a value with `leaf(x)` in place of each x inside that is no container."""
    return put_together(taken_apart(value, leaf), lambda x: x)


def names_of(structure: Any, name: str) -> list[str]:
    """Return the names of the leaves of a value, given its structure and its own name.

    >>> names_of(taken_apart({"w": [1, 2], "b": 3}, lambda x: x), "params")
    ["params['w'][0]", "params['w'][1]", "params['b']"]
    """
    if type(structure) is not Branch:
        return [name]
    parts = [name + p for p in accessors(structure)]
    return [leaf for part, child in zip(parts, structure.children, strict=True) for leaf in names_of(child, part)]


def accessors(branch: Branch) -> list[str]:
    """Return the Python text that leads from a container to each child, such as "[0]" or ".slope"."""
    kind, extra, children = branch
    if kind in (dict, OrderedDict, defaultdict):
        return [f"[{key!r}]" for key in (extra[1] if kind is defaultdict else extra)]  # type: ignore[index, attr-defined]
    names = getattr(kind, "_fields", extra if type(extra) is tuple else ())
    if len(names) == len(children) and all(type(name) is str for name in names):
        return [f".{name}" for name in names]
    return [f"[{k}]" for k in range(len(children))]


def spread(prefix: Any, structure: Any, mismatch: Callable[[], Exception]) -> list[Any]:
    """Return for each leaf of a structure the leaf of `prefix` at its place or above.

    Raises `mismatch()` if the prefix has a container of another kind or length.

    >>> prefix, structure = (taken_apart(v, lambda x: x) for v in ((0, None), (1, [2, 3])))
    >>> spread(prefix, structure, ValueError)
    [0, None, None]
    """
    if type(structure) is not Branch:
        if type(prefix) is Branch:
            raise mismatch()
        return [prefix]
    if type(prefix) is not Branch:
        return [v for child in structure.children for v in spread(prefix, child, mismatch)]
    above = dict(zip(accessors(prefix), prefix.children, strict=True))
    reached = accessors(structure)
    if above.keys() != set(reached):
        raise mismatch()
    pairs = zip(reached, structure.children, strict=True)
    return [v for step, child in pairs for v in spread(above[step], child, mismatch)]
