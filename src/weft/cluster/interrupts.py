"""Interrupts of tasks: a cancelled task is ended, so that its worker is free for others.

The one idea: Dask reports that a running task was cancelled, and Python raises an exception in the task's thread, as an
interrupt from the keyboard does in the main thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import c_ulong, py_object, pythonapi
from threading import get_ident

from distributed import Reschedule

from weft.runtime.signal_safe_threads import ReentrantLock


class Cancelled(BaseException):
    """Raised in the thread of a task that was cancelled while it runs."""


class Interruptible:
    """The tasks of weft that run in this process, by key, each with its thread."""

    def __init__(self) -> None:
        self._threads: dict[str, int] = {}
        self._lock = ReentrantLock()

    @contextmanager
    def task(self, key: str) -> Iterator[None]:
        """Let `interrupt` end the block; raises Reschedule then, for a task that is wanted again meanwhile."""
        with self._lock:
            self._threads[key] = get_ident()
        try:
            yield
        except Cancelled:
            with self._lock:
                self._threads[key] = get_ident()  # nothing is left to be raised
            raise Reschedule from None
        finally:
            with self._lock:
                if self._threads.pop(key, None) is None:  # interrupted, and not raised yet
                    _raise_in(get_ident(), None)  # always, it would leave CPython 3.11 looking for it at every call

    def interrupt(self, key: str) -> None:
        """Raise Cancelled in the thread of a task, between two steps of Python code; does nothing if it has ended."""
        with self._lock:
            if key in self._threads:
                _raise_in(self._threads.pop(key), Cancelled)


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Have a thread raise an exception; None withdraws an exception that it has not raised yet."""
    pythonapi.PyThreadState_SetAsyncExc(c_ulong(thread), None if error is None else py_object(error))
