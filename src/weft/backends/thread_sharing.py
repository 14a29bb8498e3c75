"""Independent pieces of work shared out to threads.

The one idea: reading, copying, decoding and sorting let go of the interpreter, so a few threads that each take the next
piece keep all cores at work; little work stays on the calling thread, since starting threads takes longer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from typing import TypeVar

from weft.runtime.handover import Background

T = TypeVar("T")
SHARED = 1 << 20  # bytes of all pieces from which threads are worth starting


def share(pieces: Collection[T], work: Callable[[T], object], nbytes: int, waiting_for: int = 0) -> None:
    """Call `work` on every piece, on several threads if the pieces have at least 1 MiB together (`nbytes`).

    Pieces that wait for a server share `waiting_for` threads at least, however few bytes they have.  After an exception
    no new piece is begun; the first exception is raised.

    >>> done = set()
    >>> share(range(5), done.add, 1 << 30)
    >>> sorted(done)
    [0, 1, 2, 3, 4]
    """
    threads = min(max(_most_threads() if nbytes >= SHARED else 1, waiting_for), len(pieces))
    if threads < 2:
        for piece in pieces:
            work(piece)
        return
    waiting = deque(pieces)

    def taken() -> Iterator[T]:
        with suppress(IndexError):
            while True:
                yield waiting.popleft()

    def worker() -> None:
        try:
            for piece in taken():
                work(piece)
        except BaseException:
            waiting.clear()
            raise

    running = [Background(worker) for _ in range(threads)]
    try:
        for each in running:
            each.start()
        for each in running:
            each.result()
    finally:
        waiting.clear()  # after an interrupt too
        for each in running:
            each.settle()


def _most_threads() -> int:
    from weft.backends.llvm.jit.pool import get_num_threads

    return get_num_threads()
