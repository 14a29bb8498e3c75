"""Threads and queues that stay usable after exceptions of signal handlers.

The one idea: a handler runs between two steps of Python code in the main thread, so it may leave `Condition`, `Event`
or `threading.Thread.start` with a lock held for ever.  Here every hand-over between threads is one call into C:
`start_new_thread`, `put` and `get` of a `SimpleQueue`, `with` over a `ReentrantLock`.
"""

from __future__ import annotations

import sys
from _thread import RLock, allocate_lock, start_new_thread
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar, cast
from weakref import ref

T = TypeVar("T")


class _HeldByStep(RLock):
    """A reentrant lock for `with` statements of Python 3.14 and later, which take signals after `__enter__` in C."""

    __slots__ = ()

    def __enter__(self) -> bool:
        for _ in iter(self.acquire, None):  # no handler runs between a step of a loop and the block of the `with`
            break
        return True


ReentrantLock = RLock if sys.version_info < (3, 14) else _HeldByStep


def wait_until_free(lock: Any) -> None:
    """Wait until a lock is not held; it is left so by an exception of a signal handler, too."""
    for _ in iter(lock.acquire, None):  # as in `_HeldByStep`
        lock.release()
        break


class Background(Generic[T]):
    """A function call that runs on a thread of its own.

    >>> job = Background(lambda: 6 * 7)
    >>> job.start()
    >>> job.result()
    42
    """

    __slots__ = ("_claim", "_end", "_error", "_thread", "_value", "_work")

    def __init__(self, work: Callable[[], T]) -> None:
        self._work: Callable[[], T] | None = work
        self._value: T | None = None
        self._error: BaseException | None = None
        self._thread: ref[_Argument] | None = None
        self._claim = allocate_lock()  # taken once: by the thread that runs the work, or by `settle` to cancel it
        self._end = allocate_lock()  # held until the thread has ended
        self._end.acquire()

    def start(self) -> None:
        """Start the thread; if the system has no thread left, `result` calls the function instead."""
        given = [_Argument()]
        self._thread = ref(given[0], self._end.__exit__)  # one call into C, which needs no memory
        with suppress(RuntimeError, MemoryError):
            start_new_thread(self._run, (given.pop(),))  # an interrupt's traceback keeps this frame's variables

    def _run(self, argument: object = None) -> None:
        """Call the function, unless it was called or cancelled already, and store its result or its error."""
        del argument  # an error's traceback keeps this frame
        if not self._claim.acquire(False):
            return
        work, self._work = self._work, None  # free the references of the work
        assert work is not None
        try:
            self._value = work()
        except BaseException as e:  # raised by `result`
            self._error = e

    def is_running(self) -> bool:
        """True if the thread was started and has not ended."""
        return self._thread is not None and self._end.locked()

    def result(self) -> T:
        """Wait until the function has returned, and return its result or raise its error."""
        if self._thread is not None:
            wait_until_free(self._end)
        self._run()  # if the thread could not
        error, self._error = self._error, None
        if error is None:
            return cast(T, self._value)
        try:
            raise error
        finally:
            del error  # the error refers to this frame

    def settle(self) -> None:
        """Cancel the call if it has not begun, else wait until it ends, even through interrupts."""
        if self._claim.acquire(False):
            self._thread = None
        while self._thread is not None and self._end.locked():
            with suppress(BaseException):  # despite further interrupts: the work may still use its data
                wait_until_free(self._end)


class _Argument:
    """The argument of a thread: it is freed when the thread ends, or fails to start for lack of memory."""


class Waiters:
    """The threads waiting for a change of state that a reentrant lock guards; each waits at its own queue."""

    def __init__(self, lock: Any) -> None:
        self._lock = lock
        self._queues: set[SimpleQueue[None]] = set()

    def add(self, queue: SimpleQueue[None]) -> None:
        """Add a queue into which the next `tell` puts None; called with the lock held."""
        self._queues.add(queue)

    def tell(self) -> None:
        """Wake all waiting threads; called with the lock held."""
        while self._queues:
            self._queues.pop().put(None)

    def wait(self, queue: SimpleQueue[None], seconds: float) -> bool:
        """Wait until `tell` puts an item into `queue`; False if none came within `seconds`.

        If this thread holds the lock, as a finalizer may, the lock is released while it waits.
        """
        held = self._lock._release_save() if self._lock._is_owned() else None
        try:
            return has_item(queue, seconds)
        finally:
            if held is not None:
                self._lock._acquire_restore(held)


def has_item(queue: SimpleQueue[None], seconds: float) -> bool:
    """Take an item from a queue; True if one came within `seconds`."""
    try:
        queue.get(timeout=seconds)
    except Empty:
        return False
    return True
