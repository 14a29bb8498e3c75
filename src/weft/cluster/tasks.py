"""Tasks of a program, from submitting them to the last result: retries are Dask's, patience is ours.

The one idea: whoever waits asks now and then whether those who work still answer.  A worker that dies is Dask's affair;
one that neither dies nor answers, or a scheduler that is gone, ends the wait with an error that names it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any

from distributed import CancelledError, Client, Future, KilledWorker, wait

from weft.cluster.holder import SLOT
from weft.cluster.worker_tasks import run_task
from weft.errors import ClusterError

RETRIES = 3
INLINE = 1 << 16  # bytes of what tasks have in common, from which it is sent to workers once
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
        if sum([cells.nbytes for cells in shared["leaves"].values()]) > INLINE:
            common = self.client.scatter([shared], broadcast=True, hash=False)[0]
            self.futures.append(common)
        preferred = [*workers] or [None] * len(parts)
        made = [
            self.client.submit(
                run_task, common, part, key=key, retries=RETRIES, resources={SLOT: 1}, pure=False,
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
                if self._check_alive([f.key for f in pending]):
                    manned = monotonic()
                elif monotonic() - manned > self.deadline:
                    raise self._none(len(pending)) from None
                continue
            except (CancelledError, OSError) as error:
                raise _gone(self.client) from error
            for future in done:
                _check(self.client, future)
                yield future

    def _none(self, tasks: int) -> ClusterError:
        fact = f"cluster: {self.client.scheduler.address} had no workers for {self.deadline:g} s, with {tasks} tasks"
        return ClusterError(f"{fact} to be done; the tasks are cancelled; start workers, and compute again")

    def _check_alive(self, keys: Sequence[str]) -> bool:
        """Return whether there are workers.

        Raises ClusterError if the scheduler, or a worker that has one of some tasks, does not answer.
        """
        try:
            workers, silent = self.client.sync(_silent, self.client, set(keys), self.deadline)
        except (TimeoutError, OSError) as error:
            raise _gone(self.client) from error
        if silent:
            who = ", ".join(silent)
            fact = f"cluster: {who} did not answer in {self.deadline:g} s, with {len(keys)} tasks to be done"
            raise ClusterError(f"{fact}; the tasks are cancelled; look at its log, and end it or wait for it")
        return bool(workers)


def cancel(client: Client, futures: Sequence[Future]) -> None:
    """Cancel tasks, wherever they are; where the scheduler is gone there is nobody to tell."""
    with suppress(Exception):  # another error is on its way
        client.cancel(list(futures), asynchronous=False, force=True)


async def _silent(client: Client, keys: set[str], deadline: float) -> tuple[list[str], list[str]]:
    """Return the addresses of all workers, and of those that have some tasks and do not answer."""
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
    return list(known), [address for address, does in zip(busy, found, strict=True) if not does]


def _gone(client: Client) -> ClusterError:
    where = client.scheduler.address if client.scheduler is not None else "the scheduler"
    return ClusterError(f"cluster: {where} does not answer; the scheduler is gone; connect again, and compute again")


def _check(client: Client, future: Future) -> None:
    """Raise what a task raised, if it did; ClusterError where its workers died."""
    if future.status == "finished":
        return
    if future.status == "cancelled" or future.status == "lost":
        raise _gone(client)
    error = future.exception()
    if isinstance(error, KilledWorker):
        died = f"{error.last_worker.address}" if getattr(error, "last_worker", None) else "workers"
        fact = f"cluster: a task ended {RETRIES + 1} times with its worker, the last time {died}"
        raise ClusterError(f"{fact}; it may need more memory than they have; look at their logs") from error
    raise error
