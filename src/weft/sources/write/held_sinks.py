"""Sinks of formats that are encoded as a whole: cells are held in memory until the last array is complete.

The one idea: pictures and tables are written by a function of whole arrays, so a sink only has to keep its array.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.dtypes import to_numpy
from weft.ir.graph.description import Shape
from weft.runtime.memory.limits import warn_beyond
from weft.sources.write.sink import Field, Sink

Finish = Callable[[Mapping[str, NDArray[Any]]], None]


class HeldSink(Sink):
    """A sink that keeps its array in memory; the last of `every` to close has `finish` write the file."""

    def __init__(self, values: NDArray[Any], every: Mapping[str, HeldSink], finish: Finish) -> None:
        self.values, self.every, self.finish, self.closed = values, every, finish, False

    def write(self, start: Shape, values: NDArray[Any]) -> None:
        """Copy `values` to the box that begins at `start`."""
        self.values[tuple([slice(a, a + n) for a, n in zip(start, values.shape, strict=True)])] = values

    def abandon(self) -> None:
        """Close the array without writing the file."""
        self.closed = True

    def close(self) -> None:
        """Mark the array as complete; write the file if all arrays are.

        Raises OSError if the system refuses.
        """
        self.closed = True
        if all(sink.closed for sink in self.every.values()):
            self.finish({name: sink.values for name, sink in self.every.items()})


def held_sinks(fields: Mapping[str, Field], finish: Finish) -> Mapping[str, Sink]:
    """Return sinks that keep their arrays, in native byte order, and call `finish(arrays by name)` at the end.

    Warns (MemoryLimitWarning) if these are more than a limit set by a user.
    """
    warn_beyond("save", sum([f.nbytes for f in fields.values()]))
    every: dict[str, HeldSink] = {}
    for name, f in fields.items():
        every[name] = HeldSink(np.zeros(f.shape, to_numpy(f.dtype)), every, finish)
    return every
