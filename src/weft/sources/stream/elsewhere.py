"""Processes that compute tiles for this one: they are given values as data, or refuse them.

The one idea: whether work goes elsewhere is asked at three places: before a value is cut into tiles, before reductions
are, and before a sweep runs.  Each may be refused, and is then done here; so what cannot be sent has no way of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from weft.ir.graph.node import Node
from weft.runtime.scoped_setting import Setting


class TaskShare(NamedTuple):
    """A step of a program that other processes do: values, tasks, bytes read, and bytes of cells that cross by link.

    `links` are of (giver, receiver, bytes).
    """

    what: str
    tasks: int
    read: int
    links: tuple[tuple[str, str, int], ...]

    def __str__(self) -> str:
        crossing = [f"; {n} bytes from {giver} to {to}" for giver, to, n in self.links]
        return f"{self.what} in {self.tasks} tasks: {self.read} bytes read" + "".join(crossing)


class Elsewhere(Protocol):
    """Processes that compute values of this one; each method does all that it is asked for, or says False."""

    def takes(self, taker: Any, limit: int) -> bool:
        """Compute what a taker takes, a box of its roots at a time; True if that was done."""

    def reduces(self, group: Sequence[Node], limit: int) -> bool:
        """Compute reductions, a box of their values at a time, and attach the values; True if that was done."""

    def runs(self, sweep: Any) -> bool:
        """Compute the tiles of a sweep, and join what its takers keep of them; True if that was done."""

    def foresees(self, takers: Sequence[Any], group: Sequence[Node], limit: int) -> list[TaskShare]:
        """Return what would be done of takers, and of the reductions that the others of them wait for."""


ELSEWHERE: Setting[Elsewhere | None] = Setting("elsewhere", None, lambda found: found is not None)


def elsewhere() -> Elsewhere | None:
    """Return the processes that compute for this thread or task; None if it computes itself."""
    return ELSEWHERE.get() if ELSEWHERE.active else None
