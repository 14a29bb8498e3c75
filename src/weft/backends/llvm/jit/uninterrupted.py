"""Work that no signal handler may interrupt.

The one idea: handlers run in the main thread, so the work is done in a thread of its own.  What LLVM does is work for
which memory is there: without any, it ends the process.
"""

from __future__ import annotations

import _thread
import atexit
import mmap
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeVar, cast
from weakref import ref

from weft.errors import OutOfMemory

T = TypeVar("T")

_UNDER_WAY: list[SimpleQueue[object]] = []  # each gets an item when some work is done


class _Start:
    """A token that is freed once a new thread has begun, or could not begin for want of memory."""


@atexit.register
def _end() -> None:
    """Wait at the exit of the interpreter until the work of all `off_main_thread` calls is done."""
    for ended in list(_UNDER_WAY):
        ended.get()


def off_main_thread(work: Callable[[], T]) -> T:
    """Return work(), run in another thread if this is the main thread; raises the errors of `work`.

    The main thread may leave before the work is done, with a handler's exception; the work goes on to its end. The
    thread is a bare one: a handler's exception in the start of a `threading.Thread` may leave a lock held. Raises
    MemoryError if the thread could not begin.
    """
    if threading.get_ident() != threading.main_thread().ident or sys.is_finalizing():
        return work()  # an interpreter that ends starts threads that never run
    outcome: list[tuple[T | None, BaseException | None]] = []
    ended: SimpleQueue[object] = SimpleQueue()

    def run(start: _Start) -> None:
        _UNDER_WAY.append(ended)
        try:
            outcome.append((work(), None))
        except BaseException as e:  # for the thread that waits
            outcome.append((None, e))
        finally:
            _UNDER_WAY.remove(ended)
            ended.put(None)

    start = _Start()
    watch = ref(start, ended.put)
    try:
        _thread.start_new_thread(run, (start,))
    except RuntimeError:  # the system gives no thread
        return work()
    del start
    ended.get()
    del watch
    if not outcome:
        raise MemoryError
    value, error = outcome[0]
    if error is not None:
        raise error
    return cast(T, value)


def uninterrupted(nbytes: int, purpose: str, work: Callable[[], T]) -> T:
    """Return work(), run where no signal can interrupt it; raises the errors of `work`.

    Raises OutOfMemory, naming the `purpose`, if `nbytes` of memory cannot be had for it.
    """

    def checked() -> T:
        check_room(nbytes, purpose)
        return work()

    try:
        return off_main_thread(checked)
    except OutOfMemory:
        raise
    except MemoryError as error:
        raise _no_room(nbytes, purpose) from error


def check_room(nbytes: int, purpose: str) -> None:
    """Raise OutOfMemory, naming the `purpose`, if the system cannot give a block of `nbytes` bytes now."""
    try:
        mmap.mmap(-1, nbytes).close()
    except (OSError, MemoryError) as error:
        raise _no_room(nbytes, purpose) from error


def _no_room(nbytes: int, purpose: str) -> OutOfMemory:
    return OutOfMemory(
        f"compile: {nbytes >> 20} MiB to {purpose}; the system has no such memory left; free large tensors, or raise "
        "the memory limit of this process"
    )
