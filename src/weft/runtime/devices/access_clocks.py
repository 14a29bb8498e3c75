"""Clocks of accesses: the order between pieces of work on the same memory.

The one idea: every piece of work carries a vector clock with an entry for each stream: how much of that stream's work
is certainly done before it.  So two pieces of work are ordered or not, independent of how they happened to run.  The
order of a stream, waits for events and waits of the host enter the clock; nothing else orders work.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from weft.errors import RaceError

Event = Uses = Device = Any  # classes of weft.runtime.devices

# Stream number → number of its last work that is certainly done.  Work 1 of stream 2 that waits for work 3 of stream 1
# has the clock {1: 3, 2: 1}: it is ordered after works 1 to 3 of stream 1, and not after work 4.
Clock = dict[int, int]


class Detector:
    """The accesses, and the order between them, recorded while a block of `race_detector` is open."""

    def __init__(self, report: str, begin: int) -> None:
        self.report = report
        self.host: Clock = {}
        self.devices: dict[str, Clock] = {}  # by device: the joined clock of all work submitted to it
        self.begin = begin  # older work is ordered before everything

    def submitted(self, event: Event, waits: Sequence[Event], reads: Sequence[Uses], writes: Sequence[Uses]) -> None:
        """Set the clock of new work; raises RaceError, or warns, if earlier uses of its memory are not ordered.

        `event` is that of the work, `waits` are the events it waits for, `reads` and `writes` the uses of its memory.
        """
        clock = dict(self.host)
        for e in waits:
            _join(clock, e.clock)
        for u in (*reads, *writes):
            self._check(u.write, event, clock, "read or written" if u in writes else "read", "written")
        for u in writes:
            for e in u.reads:
                self._check(e, event, clock, "written", "read")
        clock[event.stream.number] = event.number
        event.clock = clock
        _join(self.devices.setdefault(event.stream.device.name, {}), clock)

    def _check(self, earlier: Event | None, event: Event, clock: Clock, new_use: str, old_use: str) -> None:
        """Raise RaceError, or warn, if `earlier` work on the memory is not ordered before `event`.

        `clock` is the event's clock; `new_use` and `old_use` name both uses in the message.
        """
        if earlier is None or earlier.number < self.begin or clock.get(earlier.stream.number, 0) >= earlier.number:
            return
        message = (
            f"race: memory is {new_use} by {str(event.what) or 'work'} on {event.stream!r}, and was {old_use} by "
            f"{str(earlier.what) or 'work'} on {earlier.stream!r}; nothing orders the two; have the stream wait for "
            f"the other's record(), or leave automatic waits on"
        )
        if self.report == "raise":
            raise RaceError(message)
        warnings.warn(message, RuntimeWarning, stacklevel=4)

    def host_waited(self, event: Event) -> None:
        """Record that the host waited for an event: work submitted later comes after it."""
        _join(self.host, event.clock)

    def drained(self, device: Device) -> None:
        """Record that the host waited for all work of a device: work submitted later comes after it."""
        _join(self.host, self.devices.get(device.name))


def _join(clock: Clock, other: Clock | None) -> None:
    """Raise each entry of `clock`, in place, to the maximum of it and the entry of `other` (None: no entries)."""
    for number, at in (other or {}).items():
        if clock.get(number, 0) < at:
            clock[number] = at
