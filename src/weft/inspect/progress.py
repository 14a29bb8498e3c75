"""Progress of work over files that takes longer than a second: a line, or a call.

The one idea: the work itself does not know of progress; a thread polls the byte counts of the readers' and writers'
meter, and shows them once a second has passed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue

from weft.runtime.signal_safe_threads import Background, has_item
from weft.sources.read.byte_ranges import METERS, Meter

DELAY = 1.0  # seconds before anything is shown
PERIOD = 0.1
WIDTH = 30  # characters of the bar
MIB = 1 << 20


@dataclass(frozen=True)
class Progress:
    """The state of some work: its activity, bytes done and in all, and seconds.

    `activity` is "reading", "computing" or "writing"; `total` is 0 if it is unknown.
    """

    activity: str
    done: int
    total: int
    seconds: float

    def __str__(self) -> str:
        clock = f"{int(self.seconds) // 60}:{int(self.seconds) % 60:02}"
        if not self.total:
            return f"{self.activity} {clock}"
        filled = min(WIDTH, WIDTH * self.done // self.total)
        bar = "#" * filled + "-" * (WIDTH - filled)
        return f"{self.activity} [{bar}] {self.done / MIB:.1f}/{self.total / MIB:.1f} MiB {clock}"


Show = Callable[[Progress], None]


@contextmanager
def progress(show: Show | None = None, *, delay: float = DELAY) -> Iterator[None]:
    """Return a context manager that shows the progress of reading and writing files after `delay` seconds.

    `show(p)` is called some ten times a second on another thread with a state that has `activity`, `done` and `total`
    (bytes) and `seconds`; its exceptions are raised at the end of the block.  The last call, if any came before and the
    block ended without an error, has all work done.  By default a line is shown on a terminal or in a notebook, and
    removed at the end.

    >>> import weft
    >>> with weft.progress(print):
    ...     weft.arange(4).sum().item()  # takes no second
    6
    """
    line = ProgressLine() if show is None and (sys.stderr.isatty() or "ipykernel" in sys.modules) else None
    shown = line.show if line is not None else show
    meter, stop, begun = Meter(), SimpleQueue[None](), time.monotonic()
    showing = Background(partial(_show, meter, stop, shown or _nothing, delay))
    METERS.append(meter)
    try:
        if shown is not None:
            showing.start()
        yield
    finally:
        METERS.remove(meter)
        stop.put(None)
        showing.settle()
        if line is not None:
            line.clear()
    if shown is not None and showing.result() and shown is show:
        last = end_of(meter, time.monotonic() - begun)
        if last.total:
            show(last)


def state_of(meter: Meter, seconds: float = 0.0) -> Progress:
    """Return the progress of work by `meter`, which counts its bytes, `seconds` seconds after it began."""
    if meter.to_write:
        return Progress("writing", meter.written, meter.to_write, seconds)
    in_all, done = max(meter.wanted, meter.planned), max(meter.done, meter.reached)
    if done < in_all:
        return Progress("reading", done, in_all, seconds)
    return Progress("computing", 0, 0, seconds)


def end_of(meter: Meter, seconds: float = 0.0) -> Progress:
    """Return the progress of ended work, with all bytes of `meter` done, `seconds` seconds after it began."""
    if meter.to_write:
        return Progress("writing", meter.to_write, meter.to_write, seconds)
    in_all = max(meter.wanted, meter.planned, meter.done)
    return Progress("reading", in_all, in_all, seconds)


def _show(meter: Meter, stop: SimpleQueue[None], show: Show, delay: float) -> bool:
    """Call `show` with the progress at intervals, after `delay` seconds, until `stop` gets an item.

    Returns True if it was called. Raises the errors of `show`.
    """
    begun = time.monotonic()
    is_shown = False
    while not has_item(stop, PERIOD if is_shown else delay):
        show(state_of(meter, time.monotonic() - begun))
        is_shown = True
    return is_shown


def _nothing(state: Progress) -> None:
    pass


class ProgressLine:
    """A line of the standard error stream that each state overwrites."""

    def __init__(self) -> None:
        self.width = 0

    def show(self, state: Progress) -> None:
        """Write a state over the state shown before."""
        text = str(state)
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def clear(self) -> None:
        """Erase the line."""
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()
