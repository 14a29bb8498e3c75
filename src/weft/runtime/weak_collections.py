"""Sets and tables of objects that they do not keep alive.

The one idea: what goes is taken out by no code of Python's, in which a signal's exception would be lost: the callback
of a weak reference is a method of the built-in set or dict that holds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar
from weakref import ref

K = TypeVar("K")
V = TypeVar("V")


class LooseSet(Generic[K]):
    """A set of objects that exist, each as long as something else keeps it; who goes through it sees one moment."""

    __slots__ = ("_refs",)

    def __init__(self) -> None:
        self._refs: set[ref[K]] = set()

    def add(self, x: K) -> None:
        """Put an object in."""
        self._refs.add(ref(x, self._refs.discard))

    def update(self, objects: Iterable[K]) -> None:
        """Put several in."""
        for x in objects:
            self.add(x)

    def discard(self, x: K) -> None:
        """Take an object out, if it is there."""
        self._refs.discard(ref(x))

    def __contains__(self, x: K) -> bool:
        return ref(x) in self._refs

    def __len__(self) -> int:
        return len(self._refs)

    def __iter__(self) -> Iterator[K]:
        return iter([x for r in list(self._refs) if (x := r()) is not None])


class LooseTable(dict[Any, V], Generic[K, V]):
    """Values by objects that exist; a value goes with its object."""

    __slots__ = ()

    def __setitem__(self, x: K, value: V) -> None:
        super().__setitem__(ref(x, super().pop), value)

    def get(self, x: K) -> V | None:  # type: ignore[override]
        """Return the value of an object, or None."""
        return super().get(ref(x))

    def pop(self, x: K) -> V | None:  # type: ignore[override]
        """Remove the entry of an object and return its value, or None."""
        return super().pop(ref(x), None)


__all__ = ["LooseSet", "LooseTable"]
