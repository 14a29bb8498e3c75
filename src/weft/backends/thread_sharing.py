"""Independent pieces of work, distributed to threads.

The one idea: reading, copying, decoding and sorting release the interpreter's lock, so a few threads that each take the
next piece keep all cores busy; little work stays on the calling thread, since starting threads takes longer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from contextvars import copy_context
from functools import partial
from operator import itemgetter
from typing import TypeVar

from weft.runtime.fork_safety import held_over_forks
from weft.runtime.signal_safe_threads import Background, ReentrantLock

T = TypeVar("T")
SHARED = 1 << 20  # bytes of all pieces for which starting threads pays
BRIEF = 1 << 15  # bytes whose reading or decoding is quicker than a change of threads in the interpreter
_BRIEF_CALLS = held_over_forks(ReentrantLock())


def one_at_a_time(brief: bool) -> AbstractContextManager[object]:
    """Return a block that one thread at a time enters, if it makes many `brief` calls of some microseconds.

    Threads that pass the interpreter's lock at each such call take longer together than one after the other. The block
    must not wait for other threads.
    """
    return _BRIEF_CALLS if brief else nullcontext()


def share(pieces: Collection[T], work: Callable[[T], object], nbytes: int, least: int = 1) -> None:
    """Call `work` on every piece, on several threads if the pieces together have at least 1 MiB (`nbytes`).

    At least `least` threads are used, however few bytes there are, for pieces that wait for a server.  Threads have the
    settings of the caller.  After an exception no further piece is begun; that of the first piece in order is raised.

    >>> done = set()
    >>> share(range(5), done.add, 1 << 30)
    >>> sorted(done)
    [0, 1, 2, 3, 4]
    """
    threads = min(max(most_threads() if nbytes >= SHARED else 1, least), len(pieces))
    if threads < 2:
        for piece in pieces:
            work(piece)
        return
    waiting, lock = iter(enumerate(pieces)), ReentrantLock()
    failed: list[tuple[int, BaseException | None]] = []  # by number of a piece; no piece is begun behind it

    def taken() -> Iterator[tuple[int, T]]:
        while True:
            with lock:
                found = None if failed else next(waiting, None)
            if found is None:
                return
            yield found

    def worker() -> None:
        for number, piece in taken():
            try:
                work(piece)
            except BaseException as e:
                failed.append((number, e))

    running = [Background(partial(copy_context().run, worker)) for _ in range(threads)]
    try:
        for each in running:
            each.start()
        for each in running:
            each.result()
    finally:
        failed.append((len(pieces), None))  # after an interrupt too
        for each in running:
            each.settle()
    if (error := min(failed, key=itemgetter(0))[1]) is not None:
        try:
            raise error
        finally:
            del error, failed  # the error refers to this frame


def most_threads() -> int:
    """Return the greatest number of threads that a call uses."""
    from weft.backends.llvm.jit.pool import get_num_threads

    return get_num_threads()
