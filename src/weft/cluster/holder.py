"""The part of weft on a Dask worker: it answers requests for cells, and reports facts about the worker.

The one idea: a plugin adds handlers to the worker's own communication, so cells are read under its certificates, and
without a task.  One program of weft runs on a worker at a time, on all of its threads.
"""

from __future__ import annotations

import os
import signal
import socket
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from distributed import get_worker
from distributed.core import Status
from distributed.diagnostics.plugin import WorkerPlugin
from distributed.protocol import to_serialize
from distributed.utils import sync
from numpy.typing import NDArray

from weft.cluster.halos import KEPT, HaloReader, KeptHalos
from weft.cluster.interrupts import Interruptible
from weft.cluster.links import WorkerLink
from weft.cluster.sharded_source import HeldBox, cells_here
from weft.errors import ClusterError
from weft.ir.pieces.box import Box
from weft.runtime.compute import engine
from weft.runtime.memory.allocator import keep_freed_memory
from weft.settings import set_num_threads
from weft.sources.stream.sweep import Sweep
from weft.version import __version__

PLUGIN, SLOT = "weft", "weft"  # the name of the plugin, and of the resource that each worker has once


class Holder(WorkerPlugin):  # type: ignore[misc]
    """The part of weft on a worker: handlers, a link to others, and counts of sent bytes."""

    name = PLUGIN

    def __init__(self, client: tuple[str, int], deadline: float) -> None:
        self.client, self.deadline = client, deadline

    async def setup(self, worker: Any) -> None:
        """Add the handlers to a worker, and set up the process for weft if it is the worker's own."""
        self.worker, self.sent, self.running = worker, Counter[str](), Interruptible()
        worker.handlers.update(weft_read=self.read, weft_halo=self.halo, weft_offer=self.offer)
        self.kept_halos = KeptHalos()
        self.link = WorkerLink(
            worker.rpc, self._who_has, partial(sync, worker.loop), worker.address, worker.data, self.deadline
        )
        if process() != self.client:
            set_num_threads(worker.state.nthreads)
            keep_freed_memory()
            worker.loop.run_in_executor(None, engine.current)  # its modules, while the client plans its first program
            if worker.nanny is not None:  # a terminal interrupts them, too; the client cancels tasks, the nanny ends it
                signal.signal(signal.SIGINT, signal.SIG_IGN)
        await self.offer()

    async def _who_has(self, keys: Sequence[str]) -> Any:
        return await self.worker.scheduler.who_has(keys=list(keys))

    def transition(self, key: str, start: str, finish: str, **more: Any) -> None:
        """Interrupt the task `key` if it was cancelled while it runs. Dask calls this at each change of a task's state.

        `start` and `finish` are the states before and after.
        """
        if start == "executing" and finish == "released":
            self.running.interrupt(key)

    async def read(self, reader: str, boxes: Sequence[Any]) -> dict[str, Any]:
        """Answer with the cells of boxes, one after the other, or with the key of a missing result.

        `reader` is the address of the asking process; a box is (key, array number, start, step, size).
        """
        parts = []
        for key, number, start, step, size in boxes:
            cells = cells_here(self.worker.data, HeldBox(key, number, Box(tuple(start), tuple(step), tuple(size))))
            if cells is None:
                return {"missing": key}
            parts.append(np.ascontiguousarray(cells).reshape(-1).view(np.uint8))
        return self._answer(reader, parts)

    async def halo(self, reader: str, program: str, boxes: Sequence[Any]) -> dict[str, Any]:
        """Answer with cells of a program's halos once they are there, one box after the other, or with its name.

        `reader` is the address of the asking worker; a box is (file number, start, step, size).
        """
        keys = [(program, number, Box(*map(tuple, box))) for number, *box in boxes]
        if (found := await self.kept_halos.get(keys)) is None:
            return {"missing": program}
        return self._answer(reader, [cells.reshape(-1).view(np.uint8) for cells in found])

    def _answer(self, reader: str, parts: Sequence[NDArray[np.uint8]]) -> dict[str, Any]:
        """Return the answer for bytes of boxes, which are counted as sent to `reader`."""
        found = parts[0] if len(parts) == 1 else np.concatenate(parts)
        self.sent[reader] += found.nbytes
        return {"cells": to_serialize(found)}

    @contextmanager
    def reading_halos(self, sweep: Sweep[Any], program: str, message: Mapping[str, Any]) -> Iterator[HaloReader]:
        """Yield the reader of a task's units, given its sweep and the message of its halos."""
        try:
            yield HaloReader(sweep, program, message, self.link, self.kept_halos)
        finally:
            loop = self.worker.loop
            loop.add_callback(loop.call_later, KEPT, self.kept_halos.drop, program)

    async def offer(self) -> bool:
        """Offer the slot of this worker and have waiting tasks assigned, as Dask does when a worker resumes.

        Nothing is awaited while it is paused, or Dask's watch over memory would resume it with a warning.
        """
        await self.worker.set_resources(**{SLOT: 1})
        if self.worker.status == Status.running:
            self.worker.status = Status.paused
            self.worker.status = Status.running
        return True


def process() -> tuple[str, int]:
    """Return (host name, process id) of this process."""
    return socket.gethostname(), os.getpid()


def facts(dask_worker: Any) -> dict[str, Any]:
    """Return facts about a worker by name: weft (its version), memory (its limit in bytes), is_ready (set up)."""
    plugin = dask_worker.plugins.get(PLUGIN)
    return {
        "weft": __version__,
        "memory": dask_worker.memory_manager.memory_limit,
        "is_ready": isinstance(plugin, Holder),
    }


def holder_here() -> Holder:
    """Return the part of weft on the worker of the running task; raises ClusterError if it was not set up."""
    worker = get_worker()
    found = worker.plugins.get(PLUGIN)
    if not isinstance(found, Holder):
        raise ClusterError(f"cluster: {worker.address} was not set up for weft; connect to the cluster again")
    return found


def check_version(wanted: str, address: str) -> None:
    """Raise ClusterError if this process has another version of weft than `wanted`, the client's.

    `address` names the worker in the message.
    """
    if wanted != __version__:
        fact = f"cluster: worker {address} has weft {__version__}, the client {wanted}"
        raise ClusterError(f"{fact}; plans are those of one version; install the same version on both")
