"""Other processes that compute tiles for this one: they are given values as data, or refuse them.

The one idea: other processes are asked at three places: before a value is cut into tiles, before reductions are cut,
and before a sweep runs.  Work that they refuse is done in this process, so it needs no code of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from weft.ir.graph.node import Node
from weft.runtime.scoped_setting import Setting


class TaskShare(NamedTuple):
    """Work that other processes do: its name, number of tasks, bytes read, and bytes sent over links.

    `links` are tuples (sender, receiver, bytes).
    """

    what: str
    tasks: int
    read: int
    links: tuple[tuple[str, str, int], ...]

    def __str__(self) -> str:
        crossing = [f"; {n} bytes from {giver} to {to}" for giver, to, n in self.links]
        return f"{self.what} in {self.tasks} tasks: {self.read} bytes read" + "".join(crossing)


class RemoteExecutor(Protocol):
    """Other processes that compute values for this one.

    A method does all of its work and returns True, or does nothing and returns False.
    """

    @property
    def worker_count(self) -> int:
        """The number of processes at present, at least 1."""

    @property
    def thread_count(self) -> int:
        """The number of their threads at present, at least 1."""

    def compute_values(self, consumer: Any, limit: int) -> bool:
        """Compute the roots of a consumer box by box and pass the boxes to it; True if that was done.

        `limit` is the memory limit in bytes. Raises ClusterError if the processes do not answer, and their errors.
        """

    def compute_reductions(self, group: Sequence[Node], limit: int) -> bool:
        """Compute reductions, one box of their values at a time, and attach the values; True if that was done.

        `limit` is the memory limit in bytes. Raises ClusterError if the processes do not answer, and their errors.
        """

    def compute_sweep(self, sweep: Any) -> bool:
        """Compute the tiles of a sweep or chain, and merge the partial states of its consumers. True if that was done.

        Raises ClusterError if the processes do not answer, and their errors.
        """

    def forecasting(self, shares: list[TaskShare]) -> RemoteExecutor:
        """Return an executor whose methods add shares of work to `shares` where this one's do the work."""


REMOTE_EXECUTOR: Setting[RemoteExecutor | None] = Setting(
    "remote_executor", None, lambda executor: executor is not None
)


def remote_executor() -> RemoteExecutor | None:
    """Return the processes that compute for the current thread or task; None if there are none."""
    return REMOTE_EXECUTOR.get() if REMOTE_EXECUTOR.active else None
