"""Temporary operands: those that no variable holds, only the statement that is running.

The one idea: the function that Python calls for `x[key] = v` or `x += v` counts the references to `v`.  The count says
what is worth storing, never what a value is; where Python counts variables as it counts statements, all are kept.
"""

from __future__ import annotations

from sys import getrefcount
from typing import Any

from weft.ir.graph.node import Node


class _Counting:
    """An object that counts the references to what is written to it."""

    count = 0

    def __setitem__(self, key: Any, value: Any) -> None:
        self.count = getrefcount(value)

    def __iadd__(self, value: Any) -> _Counting:
        self.count = getrefcount(value)
        return self


def _references() -> int:
    """Return the number of references to a temporary operand, as the function that gets it counts them.

    0 if a variable that holds the operand does not add just one.
    """
    counting, named, counts = _Counting(), object(), []
    counting[0] = object()
    counts.append(counting.count)
    counting += object()
    counts.append(counting.count)
    counting[0] = named
    counts.append(counting.count - 1)
    counting += named
    counts.append(counting.count - 1)
    return counts[0] if len(set(counts)) == 1 else 0


def _passed() -> int:
    """Return the number of references to a temporary argument of a call, as the function that is called counts them.

    0 if a variable that holds the argument does not add just one.
    """

    def count(argument: object) -> int:
        return getrefcount(argument)

    named, found = object(), count(object())
    return found if count(named) == found + 1 else 0


TEMPORARY = _references()  # the most references to a temporary operand, for the function that Python calls
PASSED = _passed()  # those to a temporary argument of a call


class unheld:
    """A context manager in which the pending `node` counts as one that no handle holds; does nothing for None."""

    __slots__ = ("node", "place")

    def __init__(self, node: Node | None) -> None:
        self.node = node if node is not None and node.value is None else None

    def __enter__(self) -> None:
        if self.node is not None:
            self.place, self.node.place = self.node.place, None

    def __exit__(self, *exception: object) -> None:
        if self.node is not None:
            self.node.place = self.place
