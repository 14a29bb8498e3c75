"""The race detector: reports work on memory that is not ordered after earlier work on it.

The one idea: inside a block, every piece of work carries a clock (`weft.runtime.devices.access_clocks`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from weft.errors import ValueRangeError
from weft.runtime.devices import stream
from weft.runtime.devices.access_clocks import Detector
from weft.runtime.devices.device import CPU


@contextmanager
def race_detector(report: str = "raise") -> Iterator[None]:
    """Report work on memory that nothing orders after its last use, inside the block.

    With "raise", RaceError is raised at the submission and the work is not submitted; with "warn", it is submitted
    after a warning.  Both pieces of work are named.  Automatic waits order all work, so races need
    `weft.automatic_waits(False)`.  Raises ValueRangeError for any other `report`.

    >>> import weft
    >>> d = weft.device("thread:0")
    >>> x = d([1, 2]).sync()
    >>> with weft.race_detector(), weft.automatic_waits(False):
    ...     e = d.create_stream().run(lambda a: a.fill(0), writes=[x])
    ...     d.create_stream().run(lambda a: a.fill(1), writes=[x])
    Traceback (most recent call last):
    weft.errors.RaceError: race: memory is read or written by <lambda> on ...
    """
    if report not in ("raise", "warn"):
        raise ValueRangeError(f"race_detector: report {report!r}; reports are 'raise' and 'warn'; pass one of them")
    CPU.drain_all()  # earlier work is ordered before all later work
    before, stream.DETECTOR = stream.DETECTOR, Detector(report, next(stream.NUMBERS))
    try:
        yield
    finally:
        stream.DETECTOR = before
