"""A progress bar for work that takes longer than a second, on a terminal only.

The one idea: the work itself knows nothing of bars; a thread looks at what the readers' meter and the writer have
counted, and draws only once a second has passed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from queue import SimpleQueue
from typing import Any

from weft.runtime.handover import Background, is_told
from weft.sources.read.byte_ranges import METERS, Meter

DELAY = 1.0  # seconds before anything is drawn
PERIOD = 0.1


class ProgressCounter:
    """Counts of bytes read (by its meter) and written, and of how many there will be."""

    def __init__(self) -> None:
        self.meter = Meter()
        self.written = 0
        self.to_write = 0

    def wrote(self, done: int, total: int) -> None:
        """Note that `done` of `total` bytes are written."""
        self.written, self.to_write = done, total

    def state(self) -> tuple[str, int, int]:
        """Return (activity, bytes done, bytes in all, 0 if unknown)."""
        if self.to_write:
            return "writing", self.written, self.to_write
        in_all = max(self.meter.wanted, self.meter.planned)
        if self.meter.done < in_all:
            return "reading", self.meter.done, in_all
        return "computing", 0, 0


@contextmanager
def progress(delay: float = DELAY) -> Iterator[ProgressCounter]:
    """Yield a counter, and draw a bar of it on the terminal while the block takes longer than `delay` seconds."""
    work, stop = ProgressCounter(), SimpleQueue[None]()
    drawing = Background(partial(_draw, work, stop, delay))
    METERS.append(work.meter)
    try:
        if sys.stderr.isatty():
            drawing.start()
        yield work
    finally:
        stop.put(None)
        METERS.remove(work.meter)
        drawing.settle()


def _draw(work: ProgressCounter, stop: SimpleQueue[None], delay: float) -> None:
    """Draw the bar of some work until `stop` gets an item, once `delay` seconds have passed."""
    if is_told(stop, delay):
        return
    bar = _bar()
    task = bar.add_task("", total=None)
    with bar:
        while not is_told(stop, PERIOD):
            what, done, total = work.state()
            bar.update(task, description=what, completed=done, total=total or None)


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(binary_units=True), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
