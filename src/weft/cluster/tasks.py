"""Tasks of a program, from submitting them to the last result: what is done again is Dask's, patience is ours.

The one idea: whoever waits asks now and then whether those who work still answer.  A worker that dies is Dask's affair;
one that neither dies nor answers, or a scheduler that is gone, ends the wait with an error that names it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from secrets import token_hex
from time import monotonic
from typing import Any

import dask
from distributed import CancelledError, Client, Future, KilledWorker, wait

from weft.cluster.holder import SLOT
from weft.cluster.worker_tasks import given, run_task
from weft.errors import ClusterError

INLINE = 1 << 16  # bytes of what tasks have in common, from which it is sent once
Message = dict[str, Any]


class Tasks:
    """The tasks of a cluster's programs, one after the other; a program that ends early cancels its own."""

    def __init__(self, client: Client, deadline: float) -> None:
        self.client, self.deadline = client, deadline
        self.futures: list[Future] = []  # of the program under way
        self.sent = 0

    def submit(
        self, shared: Message, parts: Sequence[Message], keys: Sequence[str], workers: Sequence[str | None] = ()
    ) -> list[Future]:
        """Submit a task for each part; those that name a worker run there if it can."""
        common: Any = shared
        if sum([cells.nbytes for cells in shared["leaves"].values()]) > INLINE:  # a task, which is done again if lost
            with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1PiB"}):
                common = self.client.submit(given, shared, key=f"weft-given-{token_hex(16)}", pure=False)
            self.futures.append(common)
        preferred = [*workers] or [None] * len(parts)
        made = [
            self.client.submit(
                run_task, common, part, key=key, resources={SLOT: 1}, pure=False,
                **({"workers": [at], "allow_other_workers": True} if at else {}),
            )
            for part, key, at in zip(parts, keys, preferred, strict=True)
        ]  # fmt: skip
        self.futures += made
        self.sent += len(made)
        return made

    def __enter__(self) -> Tasks:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        if kind is not None:
            cancel(self.client, self.futures)
        self.futures = []

    def finished(self, futures: Sequence[Future]) -> Iterator[Future]:
        """Yield futures as they are done; raises what a task raised, and ClusterError for those that no one does."""
        pending, manned = set(futures), monotonic()
        while pending:
            try:
                with self.client.as_current():
                    done, pending = wait(pending, timeout=max(1.0, self.deadline / 4), return_when="FIRST_COMPLETED")
            except TimeoutError:
                if self._check_alive(len(pending)):
                    manned = monotonic()
                elif monotonic() - manned > self.deadline:
                    raise self._none(len(pending)) from None
                continue
            except (CancelledError, OSError) as error:
                raise _ended(self.client) from error
            manned = monotonic()
            for future in done:
                _check(self.client, future)
                yield future

    def _none(self, tasks: int) -> ClusterError:
        fact = f"cluster: {self.client.scheduler.address} had no workers for {self.deadline:g} s, with {tasks} tasks"
        return ClusterError(f"{fact} to be done; the tasks are cancelled; start workers, and compute again")

    def _check_alive(self, tasks: int) -> bool:
        """Return whether workers have some of the tasks that are to be done.

        Raises ClusterError if the scheduler, or one of these workers, does not answer.
        """
        try:
            busy, silent = self.client.sync(_silent, self.client, {f.key for f in self.futures}, self.deadline)
        except (TimeoutError, OSError) as error:
            raise _ended(self.client) from error
        if silent:
            fact = f"cluster: {', '.join(silent)} did not answer in {self.deadline:g} s, with {tasks} tasks to be done"
            raise ClusterError(f"{fact}; the tasks are cancelled; look at its log, and end it or wait for it")
        return bool(busy)


def cancel(client: Client, futures: Sequence[Future]) -> None:
    """Cancel tasks, wherever they are; where the scheduler is gone there is nobody to tell."""
    with suppress(Exception):  # another error is on its way
        client.cancel(list(futures), asynchronous=False, force=True)


async def _silent(client: Client, keys: set[str], deadline: float) -> tuple[list[str], list[str]]:
    """Return the addresses of workers that have some of the tasks, and of those among them that do not answer."""
    known: Mapping[str, Any] = await asyncio.wait_for(client.scheduler.processing(workers=None), deadline)
    busy = [address for address, tasks in known.items() if keys & {str(t) for t in tasks}]

    async def answers(address: str) -> bool:
        try:
            return bool(await asyncio.wait_for(client.rpc(address).weft_alive(), deadline))
        except TimeoutError:
            return False
        except (OSError, ValueError):
            return True  # its end is known to the scheduler, or soon will be

    found = await asyncio.gather(*map(answers, busy))
    return busy, [address for address, does in zip(busy, found, strict=True) if not does]


def _ended(client: Client) -> ClusterError:
    """Return the error for tasks that the scheduler no longer has, or cannot say anything about."""
    if client.status == "running":
        fact = "cluster: tasks were cancelled by another client, or what was sent for them was lost with its workers"
        return ClusterError(f"{fact}; the others are cancelled, too; compute again")
    where = client.scheduler.address if client.scheduler is not None else "the scheduler"
    return ClusterError(f"cluster: {where} does not answer; the scheduler is gone; connect again, and compute again")


def _check(client: Client, future: Future) -> None:
    """Raise what a task raised, if it did; ClusterError where its workers died."""
    if future.status == "finished":
        return
    if future.status == "cancelled" or future.status == "lost":
        raise _ended(client)
    error = future.exception()
    if isinstance(error, KilledWorker):
        times, at = error.allowed_failures + 1, error.last_worker.address
        fact = f"cluster: a task ended {times} times with its worker, the last time {at}"
        raise ClusterError(f"{fact}; it may need more memory than they have; look at their logs") from error
    raise error
