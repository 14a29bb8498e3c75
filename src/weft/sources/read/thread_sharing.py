"""Independent pieces of reading and writing shared out to threads.

The one idea: reading, copying and decoding let go of the interpreter, so a few threads that each take the next piece
keep all cores at work; little work stays on the calling thread, since starting threads takes longer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

from weft.settings import get_num_threads

T = TypeVar("T")
SHARED = 1 << 20  # bytes of all pieces from which threads are worth starting


def share(pieces: Collection[T], work: Callable[[T], object], nbytes: int) -> None:
    """Do the work for every piece, `nbytes` in all; after an exception no new piece is begun, and the first is raised.

    >>> done = set()
    >>> share(range(5), done.add, 1 << 30)
    >>> sorted(done)
    [0, 1, 2, 3, 4]
    """
    threads = min(get_num_threads(), len(pieces)) if nbytes >= SHARED else 1
    if threads < 2:
        for piece in pieces:
            work(piece)
        return
    waiting, lock = iter(pieces), Lock()
    stopped: list[bool] = []

    def worker() -> None:
        while True:
            with lock:
                if stopped:
                    return
                try:
                    piece = next(waiting)
                except StopIteration:
                    return
            try:
                work(piece)
            except BaseException:
                stopped.append(True)
                raise

    with ThreadPoolExecutor(threads, "weft-files") as pool:
        running = [pool.submit(worker) for _ in range(threads)]
        try:
            for each in running:
                each.result()
        except BaseException:  # an interrupt too
            stopped.append(True)
            raise
