"""Program: the steps of a plan made ready to run, over arguments given at each call.

The one idea: a program holds no state of a run.  A run allocates outputs and one arena, then calls the segments in
order; a segment is native code over all its launches, or a library routine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from weft.errors import OutOfMemory
from weft.ir.kernels.plan import Plan
from weft.runtime.compute import profile
from weft.runtime.memory import allocator
from weft.runtime.memory.allocator import CHOSEN

Segment = Callable[..., Any]
_NOTHING = np.empty(0, np.uint8)  # the arena of temporaries that have no cells


class Program:
    """`segments` are called as f(array, offset, ..., scalar, ...) with every argument of the plan.

    `quick`, where the program is one native segment with one small output, also allocates that output; `brisk` is the
    same where the program is brief.
    """

    __slots__ = ("arena", "brief", "brisk", "outputs", "plan", "quick", "segments", "shapes", "stats")

    def __init__(
        self, plan: Plan, segments: Sequence[Segment], quick: Segment | None, stats: profile.Counts, brief: bool
    ) -> None:
        self.plan, self.segments, self.quick, self.stats = plan, tuple(segments), quick, stats
        self.brief = brief  # so little work that the interpreter is not let go meanwhile
        self.brisk = quick if brief else None
        self.arena = plan.arena_bytes
        self.shapes = tuple((b.dtype.np, b.shape, b.arena) for b in plan.buffers)
        self.outputs = plan.outputs

    def run(
        self, arguments: list[Any], scalars: list[Any], outputs: Mapping[int, np.ndarray] = MappingProxyType({})
    ) -> list[np.ndarray]:
        """The values of the outputs; `arguments` is (array, byte offset) for every input, flat.

        `outputs` may hold memory for buffers, by number; without, it is made here.
        """
        if self.quick is not None and not (profile.ACTIVE or CHOSEN.active or outputs):
            try:
                return [self.quick(*arguments, None, 0, *scalars)]
            except MemoryError as error:
                raise _no_room() from error
        arena = allocator.empty(np.dtype(np.uint8), (self.arena,)) if self.arena else _NOTHING
        buffers: list[np.ndarray] = []
        flat = list(arguments)
        for dtype, shape, at in self.shapes:
            array = arena if at >= 0 else outputs.get(len(buffers), arena)
            if array is arena and at < 0:
                array = allocator.empty(dtype, shape)
            buffers.append(array)
            flat += (array, max(at, 0))
        flat += scalars
        if profile.ACTIVE:
            profile.run(self.segments, flat, self.stats)
        else:
            try:
                for segment in self.segments:
                    segment(*flat)
            except OutOfMemory:
                raise
            except MemoryError as error:
                raise _no_room() from error
        return [buffers[i] for i in self.outputs]


def _no_room() -> OutOfMemory:
    """What a MemoryError of native code means, which says no more than that."""
    return OutOfMemory(
        "compute: memory for the parts of a reduction; the system has no such memory left; compute a slice at a time, "
        "or free large tensors"
    )
