"""Fork safety: a forked child, which has no other threads, finds all of weft's locks free and its data whole.

The one idea: a fork first acquires every registered lock, including locks of single objects, and waits until no module
is partly imported.  If a lock is not free soon, it releases all of them and begins again, so that locks need no order.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from _thread import start_new_thread
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from traceback import walk_stack
from types import ModuleType
from typing import Any, TypeVar

from weft.errors import ShuttingDown
from weft.runtime.references import LooseSet
from weft.runtime.signal_safe_threads import ReentrantLock

T = TypeVar("T")

PATIENCE = 30.0  # seconds after which a fork goes on without the locks that are not free
_SOON = 0.05  # seconds to wait for one lock while others are held

_LOCKS: list[Any] = []
_OWN: LooseSet[Any] = LooseSet()  # locks of single objects
_NEW = ReentrantLock()  # held while a lock is registered, and while an import begins or ends
_IMPORTS: LooseSet[importing] = LooseSet()  # weak: a block that an exception cut short goes with its frame


class _Fork(threading.local):
    """The state of a forking thread: the locks it has taken, and whether it was interrupted meanwhile."""

    def __init__(self) -> None:
        self.taken: list[Any] = []
        self.interrupted = False


_FORK = _Fork()


class Forks:
    """The number of forks before which this process existed, as itself or as one that it was forked from."""

    count = 0


def held_over_forks(lock: T, taken_last: bool = False) -> T:
    """Register a reentrant lock that every fork acquires first, and return it.

    The lock registered last is acquired first: layers above hold their locks while those below acquire theirs. With
    `taken_last` it is acquired after all that are registered.
    """
    with _NEW:
        _LOCKS.insert(0 if taken_last else len(_LOCKS), lock)
    return lock


def if_free(lock: Any, function: Callable[..., object], *arguments: object) -> bool:
    """Call `function(*arguments)` with a reentrant lock held, unless another thread holds it; True if it was called.

    Signal handlers run after a call returns, also after `acquire`; so `release` is called first in any case.
    """
    if lock._is_owned():
        function(*arguments)
        return True
    called = False
    try:
        if lock.acquire(blocking=False):
            called = True
            function(*arguments)
    finally:
        try:
            lock.release()
        except RuntimeError:
            pass  # another thread holds it
    return called


def own_lock() -> Any:
    """Return a new reentrant lock for a single object; a fork acquires it while it exists."""
    lock = ReentrantLock()
    with _NEW:
        _OWN.add(lock)
    return lock


class importing:
    """Context manager around imports, for whose end forks by other threads wait.

    A child could not finish an import of another thread.
    """

    __slots__ = ("__weakref__", "thread")

    def __enter__(self) -> None:
        self.thread = threading.get_ident()
        with _NEW:
            _IMPORTS.add(self)

    def __exit__(self, *exception: object) -> None:
        with _NEW:
            _IMPORTS.discard(self)


@cache
def late_import(module: str) -> ModuleType:
    """Import the module of this name and return it; a fork by another thread waits for the import.

    Raises ShuttingDown if the interpreter ends.
    """
    if sys.meta_path is None:  # finalizers of users' objects may come that late
        raise ShuttingDown(f"import: {module} at the interpreter's exit; nothing is loaded any more; use it before")
    with importing():
        return import_module(module)


def _registered() -> list[Any]:
    """Return all registered locks but `_NEW`, those of upper layers first."""
    return [*_OWN, *reversed(_LOCKS)]


def _acquire_all() -> None:
    """Acquire all registered locks before a fork; after PATIENCE seconds, omit those that are not free."""
    _FORK.taken, _FORK.interrupted = [], False
    end = time.monotonic() + PATIENCE
    while True:
        try:
            while not _all_acquired(time.monotonic() < end):
                time.sleep(0.001)
            Forks.count += 1
            return
        except KeyboardInterrupt:  # lost if raised from here: the main thread is interrupted after the fork
            _FORK.interrupted = True
            _release_all()


def _all_acquired(patient: bool) -> bool:
    """Acquire all registered locks; True if that succeeded.

    With `patient`, if a lock is not free soon, all are released and the result is False; otherwise such locks are
    omitted.
    """
    free = _acquired(_NEW, patient) and not _others_import()
    if not free and patient:
        _release_all()
        return False
    for lock in _registered():
        if not _acquired(lock, patient) and patient:
            _release_all()
            return False
    return True


def _acquired(lock: Any, patient: bool) -> bool:
    """Acquire a lock for the fork; True if it was free, or with `patient` became free within `_SOON` seconds.

    A lock that is not free is not acquired.
    """
    _FORK.taken.append(lock)
    if lock.acquire(timeout=_SOON if patient else 0):
        return True
    _FORK.taken.pop()
    return False


def _others_import() -> list[importing]:
    """Return the `importing` blocks that other threads have open."""
    me = threading.get_ident()
    return [i for i in _IMPORTS if i.thread != me]


def _release_all() -> None:
    """Release all locks that were acquired for the fork."""
    while _FORK.taken:
        with suppress(RuntimeError):  # an interrupt came before it was acquired
            _FORK.taken.pop().release()


def _in_parent() -> None:
    """Release the locks in the parent, and pass on an interrupt that came while they were acquired."""
    _release_all()
    if _FORK.interrupted:
        start_new_thread(_interrupted_later, ())


def _interrupted_later() -> None:
    """Send SIGINT to the main thread after the fork; an earlier signal would be lost."""
    main = threading.main_thread().ident
    assert main is not None
    while _in_parent.__code__ in [f.f_code for f, _ in walk_stack(sys._current_frames()[main])]:
        time.sleep(0.001)
    signal.pthread_kill(main, signal.SIGINT)


def _in_child() -> None:
    """Release all locks in the child, and reinitialise locks that other threads of the parent held."""
    taken = {id(lock) for lock in _FORK.taken}
    for lock in [_NEW, *_registered()]:
        if id(lock) in taken:
            lock.release()
        else:
            lock._at_fork_reinit()
    for i in _others_import():
        _IMPORTS.discard(i)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_acquire_all, after_in_parent=_in_parent, after_in_child=_in_child)
