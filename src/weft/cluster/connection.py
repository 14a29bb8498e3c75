"""Connections: blocks of `with` in which the workers of a cluster do large work over files and shards.

The one idea: programs are written as without a cluster; inside the block the same sweeps ask workers first.  The
cluster is Dask's: a user may bring a client, and sees weft's tasks beside others.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any, Self

from distributed import Client, LocalCluster

from weft.cluster.answers import answer
from weft.cluster.distribution import Distribution
from weft.cluster.holder import PLUGIN, Holder, facts, process
from weft.cluster.links import WorkerLink
from weft.errors import ClusterError
from weft.runtime.memory import limits
from weft.runtime.no_collection import no_collection
from weft.sources.stream.remote_executor import REMOTE_EXECUTOR
from weft.version import __version__

SHARE = 4  # a program may take 1 / SHARE of a worker's memory


class Connection:
    """A Dask cluster that computes for this thread or task while its block is open (`weft.cluster.connect`)."""

    def __init__(self, to: Any, deadline: float) -> None:
        self._to, self._deadline = to, deadline
        self._open = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            self.client = _client(self._to, opened, self._deadline)
            workers = _set_up(self.client, self._deadline)
            memory = [w["memory"] // SHARE for w in workers.values() if w["memory"]]
            limit = min([limits.limit_of_sweeps(), *memory])
            rpc, scheduler = self.client.rpc, self.client.scheduler
            self.link = WorkerLink(
                rpc, lambda keys: scheduler.who_has(keys=keys), self.client.sync, deadline=self._deadline
            )
            opened.enter_context(limits.limited(limit))
            self._workers = Distribution(self.client, self.link, limit, self._deadline)
            opened.enter_context(REMOTE_EXECUTOR.block(self._workers))
            self._open = opened.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._open.close()

    def __getattr__(self, name: str) -> Any:
        """Raise ClusterError for what a connection has only in its block."""
        if name not in ("client", "link", "_workers"):
            raise AttributeError(name)
        fact = "cluster: the connection is not open; workers compute inside of its block only"
        raise ClusterError(f"{fact}; write `with weft.cluster.connect(...) as cluster:`, and compute in it")

    @property
    def dashboard(self) -> str:
        """Return the address of Dask's dashboard."""
        return str(self.client.dashboard_link)

    @property
    def tasks(self) -> int:
        """Return the number of tasks sent to workers so far."""
        return self._workers.tasks.sent

    def bytes_by_link(self) -> dict[tuple[str, str], int]:
        """Return the bytes of cells sent by workers so far, by (sender, receiver).

        The receiver is a worker or a "client".
        """
        counts = self._counts()
        return {(giver, to): n for giver, c in counts.items() for to, n in c["sent"].items()}

    def bytes_received(self) -> dict[str, int]:
        """Return the bytes of cells that this process received so far, by the sending worker."""
        return dict(self.link.received)

    def bytes_received_by_workers(self) -> dict[tuple[str, str], int]:
        """Return the bytes of cells that workers received from each other so far, by (sender, receiver)."""
        counts = self._counts()
        return {(giver, to): n for to, c in counts.items() for giver, n in c["received"].items()}

    def _counts(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = answer(self.client, self._deadline, lambda: self.client.run(_counts))
        return found


def _counts(dask_worker: Any) -> Any:
    holder = dask_worker.plugins[PLUGIN]
    return {"sent": dict(holder.sent), "received": dict(holder.link.received)}


def _client(target: Any, opened: ExitStack, deadline: float) -> Client:
    """Return the client of cluster `target`: a client, an address, or None for workers on this machine.

    A client created here is closed with `opened`. Raises ClusterError if the scheduler does not answer within
    `deadline` seconds.
    """
    if isinstance(target, Client):
        if target.asynchronous:
            raise ClusterError("cluster: an asynchronous client; values are waited for; connect a client without it")
        return target
    try:
        # A client that failed to connect closes itself when it is collected, and waits then for a lock that Dask holds
        # while another starts: for ever, if that one's thread collects it.
        with no_collection():
            if target is None:
                cluster = opened.enter_context(_local_cluster())
                return opened.enter_context(Client(cluster, set_as_default=False))
            return opened.enter_context(Client(target, timeout=deadline, set_as_default=False))
    except OSError as error:
        fact = f"cluster: no scheduler answers at {target} in {deadline:g} s"
        raise ClusterError(f"{fact}; start one with `dask scheduler`, or give its address") from error
    except (TypeError, ValueError, AssertionError) as error:  # Dask asserts how a scheduler greets
        why = str(error) or "it greets as no scheduler does"
        fact = f"cluster: {target!r:.80} cannot be connected to: {why}"
        raise ClusterError(f"{fact}; give an address, or a client of distributed with its certificates") from error


def _local_cluster() -> LocalCluster:
    """Return new workers on this machine; raises ClusterError for a program that would connect in each of them again.

    Workers import the program's file, as processes of multiprocessing do.
    """
    try:
        return LocalCluster(threads_per_worker=1)
    except RuntimeError as error:
        fact = f"cluster: workers could not start: {error}; they import the program's file, which may start them again"
        raise ClusterError(f"{fact}; connect below `if __name__ == '__main__':`") from error


def _set_up(client: Client, deadline: float) -> Mapping[str, Mapping[str, Any]]:
    """Install weft's plugin on all workers, and return facts about each.

    Raises ClusterError if there are none, or if one has another version of weft, or none.
    """
    try:
        answer(client, deadline, lambda: client.wait_for_workers(1, timeout=deadline))
    except TimeoutError as error:
        fact = f"cluster: no worker is at {client.scheduler.address} within {deadline:g} s"
        raise ClusterError(f"{fact}; work needs one; start some with `dask worker`, or set a deadline") from error
    try:
        found: Mapping[str, Mapping[str, Any]] = answer(client, deadline, lambda: client.run(facts))
    except ImportError as error:
        fact = f"cluster: a worker cannot import weft: {error}"
        raise ClusterError(f"{fact}; install weft {__version__} with its cluster extra on all workers") from error
    others = [f"{address} has weft {w['weft']}" for address, w in found.items() if w["weft"] != __version__]
    if others:
        fact = f"cluster: {', '.join(others)}, the client {__version__}"
        raise ClusterError(f"{fact}; plans are those of one version; install the same version on all")
    if not all(w["is_ready"] for w in found.values()):
        plugin = Holder(process(), deadline)
        answer(client, deadline, lambda: client.register_plugin(plugin))
    return found
