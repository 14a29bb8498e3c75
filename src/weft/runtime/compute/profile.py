"""Profile: what computing cost, counted while a `with weft.profile() as p:` block is open.

The one idea: programs know their kernels and the bytes they touch; an open profile adds those up at every run, so
nothing is counted, and nothing is paid, while no profile is open.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from weft.passes.switches import OPEN, opened
from weft.runtime.devices.device import CPU


@dataclass(frozen=True, slots=True)
class KernelCount:
    """One kernel or library call of a program: its name, and the bytes that it reads and writes."""

    name: str
    bytes_read: int
    bytes_written: int


@dataclass(frozen=True, slots=True)
class Counts:
    """The cost of one run of a program."""

    kernels: tuple[KernelCount, ...] = ()
    calls: tuple[KernelCount, ...] = ()
    temporary_bytes: int = 0


@dataclass(frozen=True, slots=True)
class TransferCount:
    """A transfer: the bytes that crossed, from one device to another."""

    bytes: int
    source: str
    target: str


@dataclass
class Profile:
    """Counters of all computations inside the block; `kernels` has a line for each kernel."""

    kernels_compiled: int = 0
    kernels_run: int = 0
    calls: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    temporary_bytes: int = 0
    seconds: float = 0.0
    transfers: int = 0
    bytes_moved: int = 0  # between devices
    moves: list[TransferCount] = field(default_factory=list)
    kernels: list[KernelCount] = field(default_factory=list)

    def __str__(self) -> str:
        head = (
            f"{self.kernels_run} kernels run ({self.kernels_compiled} compiled), {self.calls} calls, "
            f"{self.bytes_read} bytes read, {self.bytes_written} written, {self.temporary_bytes} of temporaries, "
            f"{self.seconds:.6f} s"
        )
        if self.transfers:
            head += f", {self.transfers} transfers of {self.bytes_moved} bytes"
        lines = [f"  {k.name}: {k.bytes_read} read, {k.bytes_written} written" for k in self.kernels]
        lines += [f"  transfer: {m.bytes} from {m.source} to {m.target}" for m in self.moves]
        return "\n".join([head, *lines])


ACTIVE: list[Profile] = []


def run(segments: Sequence[Callable[..., Any]], arguments: Sequence[Any], counts: Counts) -> None:
    """Call a program's segments in order, and add `counts` and the elapsed seconds to every open profile.

    `arguments` are passed to each segment; its errors are raised.
    """
    begin = time.perf_counter()
    for segment in segments:
        segment(*arguments)
    spent = time.perf_counter() - begin
    everything = counts.kernels + counts.calls
    for p in ACTIVE:
        p.seconds += spent
        p.kernels_run += len(counts.kernels)
        p.calls += len(counts.calls)
        p.temporary_bytes += counts.temporary_bytes
        p.bytes_read += sum(k.bytes_read for k in everything)
        p.bytes_written += sum(k.bytes_written for k in everything)
        p.kernels.extend(everything)


def record_transfer(nbytes: int, source: str, target: str) -> None:
    """Add a transfer of `nbytes` from one device to another to every open profile."""
    for p in ACTIVE:
        p.transfers += 1
        p.bytes_moved += nbytes
        p.moves.append(TransferCount(nbytes, source, target))


def compiled(n: int = 1) -> None:
    """Add `n` compiled kernels to every open profile."""
    for p in ACTIVE:
        p.kernels_compiled += n


@contextmanager
def profile() -> Iterator[Profile]:
    """Yield a `Profile` that counts everything computed inside the block.

    >>> import weft
    >>> x = weft.asarray([1.0, 2.0])
    >>> with weft.profile() as p:
    ...     _ = (x * 2 + 1).numpy()
    >>> p.kernels_run, p.temporary_bytes
    (1, 0)
    """
    p = Profile()
    ACTIVE.append(p)
    opened(p)
    try:
        yield p
        CPU.drain_all()  # queued work of the block must be counted
    finally:
        OPEN.remove(p)
        ACTIVE.remove(p)
