"""Tasks of a program, from submission to the last result: Dask repeats lost tasks, weft limits the waiting.

The one idea: a waiting process checks now and then whether the working processes still answer.  Dask handles a worker
that dies; a worker that neither dies nor answers, or a lost scheduler, ends the wait with an error that names it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from secrets import token_hex
from time import monotonic
from typing import Any

import dask
from distributed import CancelledError, Client, Future, KilledWorker, wait

from weft.cluster.answers import answer, lost_scheduler, responds, unresponsive, worker_threads
from weft.cluster.holder import SLOT
from weft.cluster.worker_tasks import cell_count, common_message, run_task
from weft.errors import ClusterError

INLINE = 1 << 16  # bytes of the tasks' common message from which it is sent only once
LOOK = 1.0  # seconds without a result until the scheduler is asked who works at one
Message = dict[str, Any]


class Tasks:
    """The tasks of a cluster's programs, one program at a time; a program that ends early cancels its tasks.

    `session` is part of the keys of results that stay, so no other client's cancellation concerns them; another begins
    with a cancellation, because the scheduler reports that late.
    """

    def __init__(self, client: Client, deadline: float) -> None:
        self.client, self.deadline, self.session = client, deadline, token_hex(4)
        self.keys: list[str] = []  # of the current program's tasks, noted before they are sent
        self.futures: list[Future] = []  # held until the program has ended
        self.preferring: list[str] = []  # keys of the tasks that prefer a worker
        self.sent = 0

    def submit(
        self, shared: Message, parts: Sequence[Message], keys: Sequence[str], workers: Sequence[str | None] = ()
    ) -> list[Future]:
        """Submit a task for each part, under its key; return the futures.

        A task gets `shared` and its part. `workers` names for each the preferred worker, or None.
        """
        common: Any = shared
        if sum([cells.nbytes for cells in shared["leaves"].values()]) > INLINE:  # Dask repeats it if lost
            with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1PiB"}):
                self.keys += new_keys("given", 1)
                common = self.client.submit(common_message, shared, key=self.keys[-1], pure=False)
            self.futures.append(common)
        self.keys += [k for k in keys if k not in self.client.futures]  # results that are held already stay
        preferred = [*workers] or [None] * len(parts)
        self.preferring += [key for key, at in zip(keys, preferred, strict=True) if at]
        made = list[Future]()
        # without the timeout, workers would start the task that came last: one that waits for a lost one, before that
        how: Message = {"resources": {SLOT: 1}, "pure": False, "fifo_timeout": 0}
        for part, key, at in zip(parts, keys, preferred, strict=True):
            where: Message = {"workers": [at], "allow_other_workers": True} if at else {}
            made.append(self.client.submit(run_task, common, part, key=key, **how, **where))
        self.futures += made
        self.sent += len(made)
        return made

    def __enter__(self) -> Tasks:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        if kind is not None:
            self.session = token_hex(4)
            cancel(self.client, self.keys)
        self.keys, self.futures, self.preferring = [], [], []

    def wait(self, futures: Sequence[Future]) -> None:
        """Wait until futures are finished; raises as `finished`."""
        for _ in self.finished(futures):
            pass

    def settle(self, futures: Sequence[Future]) -> None:
        """Wait for futures, then let their results be made again anywhere: Dask would wait for a worker that has ended.

        Raises as `finished`.
        """
        self.wait(futures)
        if self.preferring:
            self._asked(_forget_preferences, self.preferring)

    def results(self, futures: Sequence[Future]) -> Iterator[Any]:
        """Yield the results of futures as they finish; raises as `finished`, and ClusterError if they do not come."""
        for future in self.finished(futures):
            yield answer(self.client, self.deadline, partial(self.client.gather, future))

    def cell_counts(self, futures: Sequence[Future]) -> Sequence[int]:
        """Return the number of cells of each result, which is one array; raises as `results`."""
        keys = new_keys("count", len(futures))
        self.keys += keys
        made = [self.client.submit(cell_count, f, key=k, pure=False) for f, k in zip(futures, keys, strict=True)]
        self.futures += made
        self.wait(made)
        counts: Sequence[int] = answer(self.client, self.deadline, lambda: self.client.gather(made))
        return counts

    def finished(self, futures: Sequence[Future]) -> Iterator[Future]:
        """Yield futures as they finish; raises the error of a failed task.

        Raises ClusterError if workers or the scheduler do not answer in time.
        """
        pending = set(futures)
        manned = alive = monotonic()  # when workers had tasks, and when these answered
        while pending:
            try:
                with self.client.as_current():
                    done, pending = wait(pending, timeout=LOOK, return_when="FIRST_COMPLETED")
            except TimeoutError as error:
                # Dask's frames refer to it: until the collector ran, results that nobody needs would stay
                error.__traceback__ = error.__context__ = error.__cause__ = None
                if self._asked(_have_workers, self.keys):
                    manned = monotonic()
                elif monotonic() - manned > self.deadline:
                    raise self._no_workers(len(pending)) from None
                if monotonic() - alive > self.deadline / 4:
                    self._check_alive(len(pending))
                    alive = monotonic()
                continue
            except (CancelledError, OSError) as error:
                raise _lost_tasks(self.client) from error
            manned = monotonic()
            for future in done:
                _check(self.client, future)
                yield future

    def _no_workers(self, tasks: int) -> ClusterError:
        fact = f"cluster: {self.client.scheduler.address} had no workers for {self.deadline:g} s, with {tasks} tasks"
        return ClusterError(f"{fact} to be done; the tasks are cancelled; start workers, and compute again")

    def _check_alive(self, remaining: int) -> None:
        """Raise ClusterError if a worker that has some of the `remaining` tasks, or the scheduler, does not answer."""
        if stuck := self._asked(_stuck_workers, self.keys):
            fact = f"cluster: {', '.join(stuck)} did not answer in {self.deadline:g} s, with {remaining} tasks to be"
            raise ClusterError(f"{fact} done; the tasks are cancelled; look at its log, and end it or wait for it")

    def _asked(self, question: Callable[[Client, Sequence[str], float], Awaitable[Any]], keys: Sequence[str]) -> Any:
        """Return the answer to a question about tasks; raises ClusterError if the scheduler does not answer."""
        try:
            return self.client.sync(question, self.client, keys, self.deadline)
        except OSError as error:  # of which TimeoutError is one
            raise lost_scheduler(self.client) from error


def new_keys(what: str, count: int) -> list[str]:
    """Return keys for `count` tasks of a program that no other program has; `what` is a part of them."""
    name = token_hex(16)
    return [f"weft-{what}-{name}-{k}" for k in range(count)]


def cancel(client: Client, keys: Sequence[str]) -> None:
    """Cancel tasks on all workers by their keys, sent or not; does nothing if the scheduler is gone."""
    with suppress(Exception):  # another error is being raised
        client.cancel([Future(key, client) for key in keys], asynchronous=False)


async def _have_workers(client: Client, keys: Sequence[str], deadline: float) -> bool:
    """True if workers have some of the tasks `keys`; any worker may take those that wait for one.

    Dask leaves a task waiting whose preferred worker has ended, if no other ran at that moment.
    """
    states = await asyncio.wait_for(client.scheduler.get_task_status(keys=keys), deadline)
    if waiting := [key for key, state in states.items() if state == "no-worker"]:
        await _forget_preferences(client, waiting, deadline)
        addresses = await worker_threads(client, deadline)
        await asyncio.gather(*[responds(client.rpc(at).weft_offer, deadline) for at in addresses])
    return "processing" in states.values()


async def _forget_preferences(client: Client, keys: Sequence[str], deadline: float) -> None:
    """Let any worker do tasks."""
    with suppress(KeyError):  # one was cancelled meanwhile, as its future will tell
        await asyncio.wait_for(client.scheduler.set_restrictions(worker=dict.fromkeys(keys)), deadline)


async def _stuck_workers(client: Client, keys: Sequence[str], deadline: float) -> list[str]:
    """Return the addresses of the workers that have some of the tasks `keys` and do not respond in time."""
    known: Mapping[str, Any] = await asyncio.wait_for(client.scheduler.processing(workers=None), deadline)
    return await unresponsive(client, [at for at, tasks in known.items() if not {*keys}.isdisjoint(tasks)], deadline)


def _lost_tasks(client: Client) -> ClusterError:
    """Return the ClusterError for tasks that the scheduler has lost, or cannot report on."""
    if client.status == "running":
        fact = "cluster: tasks were cancelled by another client, or what was sent for them was lost with its workers"
        return ClusterError(f"{fact}; the others are cancelled, too; compute again")
    return lost_scheduler(client)


def _check(client: Client, future: Future) -> None:
    """Raise the error of a failed task, ClusterError if its workers died or it was cancelled; else do nothing."""
    if future.status == "finished":
        return
    if future.status == "cancelled" or future.status == "lost":
        raise _lost_tasks(client)
    error = future.exception()
    if isinstance(error, KilledWorker):
        times, at = error.allowed_failures + 1, error.last_worker.address
        fact = f"cluster: a task ended {times} times with its worker, the last time {at}"
        raise ClusterError(f"{fact}; it may need more memory than they have; look at their logs") from error
    raise error
