"""The gradient record of a node, and the switch for recording new nodes.

The one idea: a record is one of the traits of a node; recording is on or off for each thread.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from weft.ir.graph.node import Node, Traits

Known = Any  # a record, of the classes of weft.autograd.record


class _RecordingState(threading.local):
    """The recording state of a thread."""

    def __init__(self) -> None:
        self.on = True


STATE = _RecordingState()


def record_of(n: Node) -> Known | None:
    """Return the gradient record of a node; None if it has none."""
    found: Known | None = None if n.traits is None else n.traits.record
    return found


def with_record(n: Node, record: Known | None) -> None:
    """Set the gradient record of a node, or remove it with None."""
    device = None if n.traits is None else n.traits.device
    if record is None:
        n.traits = None if device is None else device.traits
    else:
        n.traits = Traits(device, record)


@contextmanager
def recording(on: bool) -> Iterator[None]:
    """Return a context manager in which recording of this thread is on or off; afterwards it is as before."""
    before, STATE.on = STATE.on, on
    try:
        yield
    finally:
        STATE.on = before
