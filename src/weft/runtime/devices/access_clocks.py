"""Clocks of accesses: which work on a piece of memory is surely in order.

The one idea: every piece of work carries a clock, which says for each stream how much of its work is surely done
before; so whether two pieces of work are ordered does not depend on how they happened to run.  What a stream did
before, what it waited for, and what the host has waited for come into the clock; nothing else orders work.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from weft.errors import RaceError

Event = Uses = Device = Any  # classes of weft.runtime.devices

Clock = dict[int, int]  # by the number of a stream: the number of its last work that is surely done


class Detector:
    """The accesses and orders known while a block of `race_detector` is open."""

    def __init__(self, report: str, begin: int) -> None:
        self.report = report
        self.host: Clock = {}
        self.devices: dict[str, Clock] = {}  # of all work that a device has been given, and what came before it
        self.begin = begin  # what is older is in order with everything

    def submitted(self, event: Event, waits: Sequence[Event], reads: Sequence[Uses], writes: Sequence[Uses]) -> None:
        """Give new work its clock; raise RaceError, or warn, if nothing orders it after the last uses of its memory."""
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

    def _check(self, before: Event | None, event: Event, clock: Clock, now: str, then: str) -> None:
        """Raise RaceError, or warn, if work that used the memory before is not ordered before new work."""
        if before is None or before.number < self.begin or clock.get(before.stream.number, 0) >= before.number:
            return
        message = (
            f"race: memory is {now} by {str(event.what) or 'work'} on {event.stream!r}, and was {then} by "
            f"{str(before.what) or 'work'} on {before.stream!r}; nothing orders the two; have the stream wait for "
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
    """Raise the entries of a clock to those of another."""
    for number, at in (other or {}).items():
        if clock.get(number, 0) < at:
            clock[number] = at
