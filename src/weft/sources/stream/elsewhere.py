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
    """A step of a program done by other processes: values, number of tasks, bytes read, and bytes sent over each link.

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
    """Other processes that can compute values for this one; a method does all of its work and returns True, or none of
    it and returns False."""

    def takes(self, taker: Any, limit: int) -> bool:
        """Compute the roots of a taker box by box and give them to it; True if that was done."""

    def reduces(self, group: Sequence[Node], limit: int) -> bool:
        """Compute reductions, a box of their values at a time, and attach the values; True if that was done."""

    def runs(self, sweep: Any) -> bool:
        """Compute the tiles of a sweep, and merge the takers' partial states; True if that was done."""

    def foresees(self, takers: Sequence[Any], group: Sequence[Node], limit: int) -> list[TaskShare]:
        """Return the shares of work that `takes` and `reduces` would do, without doing it."""


ELSEWHERE: Setting[Elsewhere | None] = Setting("elsewhere", None, lambda found: found is not None)


def elsewhere() -> Elsewhere | None:
    """Return the processes that compute for the current thread or task; None if there are none."""
    return ELSEWHERE.get() if ELSEWHERE.active else None
