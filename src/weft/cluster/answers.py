"""Answers of a cluster's processes, waited for as long as these respond.

The one idea: a question may take long, such as the fetching of many cells, but a process that is well responds to a
call.  So when a question takes longer than the deadline, scheduler and workers are called, and an error names who does
not respond.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from distributed import Client

from weft.errors import ClusterError


def answer(client: Client, deadline: float, ask: Callable[[], Awaitable[Any]]) -> Any:
    """Return what `ask` returns, called in the client's loop, where methods of clients are awaited.

    Raises ClusterError if after `deadline` seconds the scheduler or a worker does not respond in as long, OSError for a
    broken connection, and the errors of `ask`.
    """
    return client.sync(_answer, client, deadline, ask)


async def _answer(client: Client, deadline: float, ask: Callable[[], Awaitable[Any]]) -> Any:
    asked = asyncio.ensure_future(ask())
    try:
        while not (await asyncio.wait([asked], timeout=deadline))[0]:
            if silent := await unresponsive(client, [*await worker_threads(client, deadline)], deadline):
                advice = "look at its log, and end it or wait for it"
                raise ClusterError(f"cluster: {', '.join(silent)} did not answer in {deadline:g} s; {advice}")
        return asked.result()
    finally:
        asked.cancel()


async def worker_threads(client: Client, deadline: float) -> dict[str, int]:
    """Return the threads of all workers by address; raises ClusterError if the scheduler does not respond in time."""
    try:
        return dict(await asyncio.wait_for(client.scheduler.ncores(workers=None), deadline))
    except OSError as error:  # of which TimeoutError is one
        raise lost_scheduler(client) from error


async def unresponsive(client: Client, addresses: Sequence[str], deadline: float) -> list[str]:
    """Return those of the workers at `addresses` that do not respond in `deadline` seconds."""
    found = await asyncio.gather(*[responds(client.rpc(at).identity, deadline) for at in addresses])
    return [address for address, does in zip(addresses, found, strict=True) if not does]


async def responds(ask: Callable[[], Awaitable[Any]], deadline: float) -> bool:
    """True if a worker answers in `deadline` seconds, or has ended, as the scheduler knows or soon will."""
    with suppress(OSError, ValueError):
        try:
            await asyncio.wait_for(ask(), deadline)
        except TimeoutError:
            return False
    return True


def lost_scheduler(client: Client) -> ClusterError:
    """Return the ClusterError for a scheduler that is gone or hangs."""
    where = client.scheduler.address if client.scheduler is not None else "the scheduler"
    return ClusterError(
        f"cluster: {where} does not answer; the scheduler is gone or hangs; connect again, and compute again"
    )
