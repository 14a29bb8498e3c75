"""The thread device: memory of its own, and a worker thread that runs the work of its streams asynchronously.

The one idea: a worker runs ready tasks one at a time; their order was fixed when they were submitted.  It runs the same
kernels as the host, so the device behaves as an accelerator in all but speed.
"""

from __future__ import annotations

import atexit
import os
import random
import threading
import warnings
from _thread import start_new_thread
from queue import Empty, SimpleQueue
from typing import Any

from weft.runtime.devices import device as devices
from weft.runtime.devices import stream
from weft.runtime.devices.device import Device
from weft.runtime.devices.stream import ORDER, THREAD, Task, until
from weft.runtime.fork_safety import own_lock
from weft.runtime.signal_safe_threads import has_item

UNDER_WAY = 1024  # pending pieces of work from which a submitting thread waits
BYTES_UNDER_WAY = 1 << 30  # the same for the bytes of memory that they fill
EXIT_PATIENCE = 10.0  # seconds that the exit waits for the worker


class ThreadDevice(Device):
    """A device whose work is done by a thread of this process.

    `shuffle`, for tests, is a random generator that picks among the ready pieces of work.
    """

    __slots__ = ("_gone", "_ready", "_running", "_serving", "shuffle")
    type = "thread"

    def __init__(self, index: int, supports_byteswap: bool = True, requires_aligned_data: bool = False) -> None:
        super().__init__(index, supports_byteswap, requires_aligned_data)
        self.shuffle: random.Random | None = None
        self._running = own_lock()  # held while a piece of work runs
        self._reset()

    def _reset(self) -> None:
        """Start with an empty queue and no worker."""
        self._ready: SimpleQueue[Task | None] = SimpleQueue()  # None ends the worker
        self._gone: SimpleQueue[None] = SimpleQueue()  # receives an item when the worker ends
        self._serving = False  # whether a worker runs

    def _facts(self) -> dict[str, Any]:
        return {**super()._facts(), "worker": "one thread", "under way": f"{self.under_way} pieces of work"}

    # ---- submitting
    def ready(self, task: Task) -> None:
        """Queue a task that waits for nothing; called with `ORDER` held."""
        self._ready.put(task)

    def submitted(self, task: Task) -> None:
        """Start the worker if there is none."""
        self.awake()

    def room(self) -> None:
        """Wait while too many tasks, or tasks with too many bytes, are queued.

        Returns at once on the device's own thread.
        """
        if not self._has_room() and THREAD.working is None:
            until(self._has_room, self)

    def _has_room(self) -> bool:
        """True if the number of queued tasks, and the bytes that they fill, are below their limits."""
        return self.under_way < UNDER_WAY and self.bytes_under_way < BYTES_UNDER_WAY

    def awake(self) -> None:
        """Start the worker if tasks are pending and none runs, as at first use and in a forked child.

        While the interpreter shuts down, or if the system cannot start a thread, this thread does the work instead.
        """
        if self._serving or not self.pending:
            return
        if not threading.main_thread().is_alive() or not self._has_started():
            _work_here()

    def _has_started(self) -> bool:
        """Start the worker if none runs; True if one runs then, False if the system cannot start a thread."""
        with ORDER:
            if not self._serving:
                try:
                    self._serving = True
                    start_new_thread(self._serve, ())  # no handler runs in between
                except RuntimeError:  # the system has no thread left
                    self._serving = False
            return self._serving

    def drain(self) -> None:
        """Wait until all work is done, failed or not."""
        until(lambda: not self.under_way, self)
        if stream.DETECTOR is not None:
            with ORDER:
                stream.DETECTOR.drained(self)

    # ---- the worker
    def _serve(self) -> None:
        """Run ready tasks, one after another, until a None ends the worker."""
        THREAD.working = self
        while (task := self._next()) is not None:
            self._do(task)
            del task
        self._gone.put(None)

    def _next(self) -> Task | None:
        """Return the next ready task (with `shuffle`, a random one), or None if the worker is to end."""
        task = self._ready.get()
        if self.shuffle is None or task is None:
            return task
        tasks = [task, *[self._ready.get() for _ in range(self._ready.qsize())]]
        self.shuffle.shuffle(tasks)
        for other in tasks[1:]:
            self._ready.put(other)
        return tasks[0]

    def _do(self, task: Task) -> None:
        """Run a task unless another thread has taken it."""
        with self._running:
            try:
                with ORDER:
                    if task.is_taken or task.event.done:
                        return
                    task.is_taken = True
                task.execute()
            except BaseException:  # a signal handler raised in a thread that runs the work itself
                task.is_taken, task.is_cut = False, True
                raise

    def work_here(self) -> bool:
        """Run one ready task in this thread; False if there was none."""
        try:
            task = self._ready.get_nowait()
        except Empty:
            return False
        before, THREAD.working = THREAD.working, self
        try:
            if task is not None:
                self._do(task)
        finally:
            THREAD.working = before
        return True

    # ---- ends and forks
    def end(self) -> None:
        """Finish all work at the interpreter's exit, end the worker, and warn about errors that were never raised."""
        self.drain()
        if self._serving:
            self._ready.put(None)
            has_item(self._gone, EXIT_PATIENCE)
            self._serving = False
        for error, _ in self.unseen.values():
            warnings.warn(f"weft: work on {self.name} failed, and nobody looked: {error}", RuntimeWarning, stacklevel=1)

    def in_child(self) -> None:
        """Restart the device in a forked child: waiting tasks get a new worker, a task that was running fails."""
        self._reset()
        for task in list(self.pending):
            task.is_ready = False
            if task.is_taken:
                what = str(task.event.what) or "work"
                task.finish(
                    RuntimeError(f"{what}: a fork came while it ran; the child has no result; compute it again")
                )
        self.advance_all()
        self.awake()


def _thread_devices() -> list[ThreadDevice]:
    """Return the thread devices in use."""
    return [d for d in devices.devices() if isinstance(d, ThreadDevice)]


def _work_here() -> None:
    """Run the ready tasks of all thread devices in this thread."""
    while any(d.work_here() for d in _thread_devices()):
        pass


def _in_child() -> None:
    for d in _thread_devices():
        d.in_child()


def _at_exit() -> None:
    for d in _thread_devices():
        d.end()


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
