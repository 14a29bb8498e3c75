"""The thread device: memory of its own, and a worker thread that does the work of its streams while the caller goes on.

The one idea: a worker takes whatever work waits for nothing, one piece at a time; who submits has put it in order.
What is computed is what the host computes, with the same kernels: the device is an accelerator in all but speed.
"""

from __future__ import annotations

import atexit
import os
import random
import threading
import warnings
from heapq import heapify, heappop, heappush
from typing import Any

from weft.runtime.devices import device as devices
from weft.runtime.devices import stream
from weft.runtime.devices.device import Device
from weft.runtime.devices.stream import ORDER, THREAD, Task, until
from weft.runtime.fork_safety import own_lock, was_held

UNDER_WAY = 1024  # pieces of work submitted and not done before who submits more waits
BYTES_UNDER_WAY = 1 << 30  # the same for the bytes of memory that they are to fill
EXIT_PATIENCE = 10.0  # seconds that the exit waits for the worker


class ThreadDevice(Device):
    """A device whose work is done by a thread of this process.

    `shuffle`, for tests: a random generator that picks among the pieces of work that are ready.
    """

    __slots__ = ("_current", "_ending", "_ready", "_running", "_work", "_worker", "shuffle")
    type = "thread"

    def __init__(self, index: int, supports_byteswap: bool = True, requires_aligned_data: bool = False) -> None:
        super().__init__(index, supports_byteswap, requires_aligned_data)
        self.shuffle: random.Random | None = None
        self._ready: list[tuple[int, Task]] = []
        self._work = threading.Condition(ORDER)
        self._worker: threading.Thread | None = None
        self._running = own_lock()  # held while a piece of work runs
        self._current: Task | None = None
        self._ending = False

    def _facts(self) -> dict[str, Any]:
        return {**super()._facts(), "worker": "one thread", "under way": f"{self.under_way} pieces of work"}

    # ---- submitting
    def ready(self, task: Task) -> None:
        """Called, with the order held, once a piece of work waits for nothing."""
        heappush(self._ready, (task.event.number, task))
        self._work.notify()

    def submitted(self, task: Task) -> None:
        """Have a worker for new work."""
        self.awake()

    def room(self) -> None:
        """Wait while too much work is under way; work of devices may always submit more."""
        if not self._has_room() and THREAD.working is None:
            until(self._has_room, self)

    def _has_room(self) -> bool:
        return self.under_way < UNDER_WAY and self.bytes_under_way < BYTES_UNDER_WAY

    def awake(self) -> None:
        """Start the worker where there is none: at first need, and in a child of a fork.

        A thread that is started while the interpreter ends may never run: whoever submits or waits does the work then.
        """
        if self._worker is not None or not self.under_way:
            return
        if not threading.main_thread().is_alive():
            _work_here()
            return
        with ORDER:
            if self._worker is None:
                self._ending = False
                worker = threading.Thread(target=self._serve, name=f"weft {self.name}", daemon=True)
                worker.start()
                self._worker = worker

    def drain(self) -> None:
        """Wait until all work is done, however it ends."""
        until(lambda: not self.under_way, self)
        if stream.DETECTOR is not None:
            stream.DETECTOR.drained(self)

    # ---- the worker
    def _serve(self) -> None:
        THREAD.working = self
        while (task := self._taken()) is not None:
            with self._running:
                task.execute()
            del task

    def _taken(self) -> Task | None:
        """The next piece of work, when there is one; None at the end."""
        with ORDER:
            self._current = None
            while not self._ready:
                if self._ending:
                    return None
                self._work.wait()
            self._current = self._next()
            return self._current

    def work_here(self) -> bool:
        """Do a piece of work that is ready in this thread; False: there is none."""
        with ORDER:
            task = self._next() if self._ready else None
        if task is None:
            return False
        before, THREAD.working = THREAD.working, self
        try:
            task.execute()
        finally:
            THREAD.working = before
        return True

    def _next(self) -> Task:
        if self.shuffle is not None:
            task = self._ready.pop(self.shuffle.randrange(len(self._ready)))[1]
            heapify(self._ready)
            return task
        return heappop(self._ready)[1]

    # ---- ends and forks
    def end(self) -> None:
        """At the interpreter's exit: finish the work, and say what went wrong unseen."""
        self.drain()
        with ORDER:
            worker, self._ending = self._worker, True
            self._work.notify_all()
        if worker is not None and worker is not threading.current_thread():
            worker.join(EXIT_PATIENCE)
        self._worker = None
        for error, _ in self.unseen.values():
            warnings.warn(f"weft: work on {self.name} failed, and nobody looked: {error}", RuntimeWarning, stacklevel=1)

    def in_child(self) -> None:
        """A child has no worker; work that waits is done by a new one, work that was cut has failed."""
        self._work = threading.Condition(ORDER)
        self._worker, cut, self._current = None, self._current, None
        if cut is not None and was_held(self._running):  # it was taken, and had not begun
            heappush(self._ready, (cut.event.number, cut))
        elif cut is not None:
            what = str(cut.event.what) or "work"
            cut.finish(RuntimeError(f"{what}: a fork came while it ran; the child has no result; compute it again"))
        self.awake()


def _all() -> list[ThreadDevice]:
    return [d for d in devices.devices() if isinstance(d, ThreadDevice)]


def _work_here() -> None:
    """Do all work that is ready in this thread."""
    while any(d.work_here() for d in _all()):
        pass


def _in_child() -> None:
    for d in _all():
        d.in_child()


def _at_exit() -> None:
    for d in _all():
        d.end()


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
