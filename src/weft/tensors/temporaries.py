"""Temporary operands: those that no variable holds, only the statement that is running.

The one idea: the function that Python calls for `x[key] = v` or `x += v` counts the references to `v`.  Python 3.14
lends a function's variable to the statement without counting it, so there the variables are looked through.  Of an
operand the answer says what is worth storing, never what it is; of an array, whether others may write it.
"""

from __future__ import annotations

from inspect import CO_OPTIMIZED
from sys import _getframe, getrefcount
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


def _references() -> tuple[int, bool]:
    """Return the number of references to a temporary operand, as the functions that get it count them.

    True follows if a variable that holds the operand adds none.
    """
    counting, named = _Counting(), object()
    counting[0] = object()
    most = counting.count
    counting += object()
    most = max(most, counting.count)
    counting[0] = named
    fewest = counting.count
    counting += named
    return most, min(fewest, counting.count) <= most


def _passed() -> tuple[int, bool]:
    """Return the number of references to a temporary argument of a call, as the function that is called counts them.

    True follows if a variable that holds the argument adds none.
    """

    def count(argument: object) -> int:
        return getrefcount(argument)

    named, most = object(), count(object())
    return most, count(named) <= most


TEMPORARY, _LENT_OPERANDS = _references()  # the most references to a temporary operand, for the function that gets it
PASSED, _LENT_ARGUMENTS = _passed()  # those to a temporary argument of a call
_LENDS = _LENT_OPERANDS or _LENT_ARGUMENTS


def is_lent(value: Any) -> bool:
    """True if a local variable of the code that called the caller may hold a value without counting as a reference."""
    if not _LENDS:
        return False
    frame = _getframe(2)
    if frame.f_code.co_flags & CO_OPTIMIZED:
        return any(v is value for v in frame.f_locals.values())
    return frame.f_code.co_nlocals > 0  # of comprehensions in a module: f_locals leaves them out


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
