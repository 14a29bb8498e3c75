"""References: counts without those of the code that asks, and collections that do not keep their members alive.

The one idea: Python's counts include the frames that ask, and how many of these count depends on its version.  So each
way to ask is tried once on an object that nothing else refers to, and the references found there are taken off.

Dead members of a collection are removed by built-in code alone, since an exception of a signal handler would be lost in
a Python callback: the callback of each weak reference is a method of the built-in set or dict that holds it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar
from weakref import ref


def extra_references(held: Any) -> int:
    """Return the number of references to an attribute's value beside the attribute: `extra_references(x.value)`.

    >>> class Holder:
    ...     value = object()
    >>> other = Holder.value
    >>> extra_references(Holder.value)
    1
    """
    return sys.getrefcount(held) - _OF_ATTRIBUTE


def extra_references_each(held: Iterable[Any]) -> list[int]:
    """Return the number of references to each member of a list or dict beside that of the list or dict.

    >>> one = object()
    >>> extra_references_each([one, object()])
    [1, 0]
    """
    return [sys.getrefcount(x) - _OF_MEMBER for x in held]


class _Holder:
    value = object()


_OF_ATTRIBUTE = _OF_MEMBER = 0
_OF_ATTRIBUTE, (_OF_MEMBER,) = extra_references(_Holder.value), extra_references_each([object()])


K = TypeVar("K")
V = TypeVar("V")


class LooseSet(Generic[K]):
    """A set of weak references: a member is removed when nothing else refers to it.

    Iteration goes over a copy of the members, so the set may change meanwhile.
    """

    __slots__ = ("refs",)

    def __init__(self) -> None:
        self.refs: set[ref[K]] = set()

    def add(self, x: K) -> None:
        """Add an object."""
        self.refs.add(ref(x, self.refs.discard))

    def update(self, objects: Iterable[K]) -> None:
        """Add several objects."""
        for x in objects:
            self.add(x)

    def discard(self, x: K) -> None:
        """Remove an object if it is a member."""
        self.refs.discard(ref(x))

    def __contains__(self, x: K) -> bool:
        return ref(x) in self.refs

    def __len__(self) -> int:
        return len(self.refs)

    def __iter__(self) -> Iterator[K]:
        return iter([x for r in list(self.refs) if (x := r()) is not None])


class LooseTable(dict[Any, V], Generic[K, V]):
    """A dict with weakly referenced keys: an entry is removed when nothing else refers to its key."""

    __slots__ = ()

    def __setitem__(self, x: K, value: V) -> None:
        super().__setitem__(ref(x, super().pop), value)

    def get(self, x: K) -> V | None:  # type: ignore[override]
        """Return the value of a key; None if there is none."""
        return super().get(ref(x))

    def pop(self, x: K) -> V | None:  # type: ignore[override]
        """Remove the entry of a key and return its value; None if there is none."""
        return super().pop(ref(x), None)
