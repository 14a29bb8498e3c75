"""Program: a plan, the bytes that running it reads and allocates, and its native code, compiled before the first run.

The one idea: a program holds no state of a run.  A run allocates outputs and one arena, then calls the segments in
order; a segment is native code over all its launches, or a library routine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from weft.errors import OutOfMemory, ValueRangeError
from weft.ir.kernels.plan import Plan
from weft.passes.switches import OPEN
from weft.runtime.compute import profile
from weft.runtime.compute.footprint import Touch, touched
from weft.runtime.memory import allocator

Segment = Callable[..., Any]
V = TypeVar("V")
_NOTHING = np.empty(0, np.uint8)  # the arena of temporaries that have no cells


class ProgramMemory:
    """The count and the limit of bytes that all tables of programs hold together."""

    limit = 256 << 20  # bytes
    nbytes = 0  # approximate; recounted when it exceeds the limit
    made = 0  # values so far


class CachedValue(Generic[V]):
    """A value in a table of programs, with its size in bytes and the count `ProgramMemory.made` at its last use."""

    __slots__ = ("nbytes", "used", "value")

    def __init__(self, value: V, nbytes: int) -> None:
        self.value, self.nbytes, self.used = value, nbytes, ProgramMemory.made


class NativeCode(NamedTuple):
    """The native code of a plan.

    `segments` are called as f(array, offset, ..., scalar, ...) with every argument of the plan; `quick`, for a plan of
    one native segment and little memory, also allocates outputs and temporaries where None is passed, and returns the
    outputs.
    """

    segments: Sequence[Segment]
    quick: Segment | None
    counts: profile.Counts
    brief: bool  # so little work that the interpreter's lock is kept


class Program:
    """A plan with everything that a run needs: its footprint, its peak of memory and its native code.

    `positions` number, in the graph's key, the output nodes that follow the roots.  With `writes`, the last arguments
    are memory to be written, and no signal interrupts a run.  `forced` has a line for each node that had to be stored
    first.
    """

    __slots__ = (
        *("arena", "blanks", "brief", "brisk", "built", "forced", "outputs", "plan", "positions", "quick"),
        *("segments", "shapes", "touches", "writes"),
    )

    def __init__(self, plan: Plan, positions: Sequence[int], writes: bool, forced: Sequence[str] = ()) -> None:
        self.plan, self.positions, self.writes, self.forced = plan, positions, writes, forced
        self.arena = plan.arena_bytes
        self.shapes = tuple([(b.dtype.np, b.shape, b.arena) for b in plan.buffers])
        self.outputs = plan.outputs
        # the arguments of `quick` in the place of outputs and temporaries
        self.blanks = tuple([x for b in plan.buffers for x in (None, max(b.arena, 0))])
        self.touches: dict[int, tuple[Touch, ...] | None] = {}
        self.built: NativeCode | None = None
        self.brief, self.segments = False, ()
        self.quick: Segment | None = None
        self.brisk: Segment | None = None  # called like `quick`; only for a brief program that returns values

    @property
    def peak(self) -> int:
        """Return the number of bytes that a run allocates, for the values that it returns and for temporaries."""
        return self.arena + sum([prod(shape) * dtype.itemsize for dtype, shape, at in self.shapes if at == -1])

    def footprint(self, arg: int) -> tuple[Touch, ...] | None:
        """Return the byte patterns that a run reads of argument `arg`.

        None if they depend on values that are not stored.
        """
        if arg not in self.touches:
            self.touches[arg] = touched(self.plan, arg)
        return self.touches[arg]

    def make(self, build: Callable[[Plan, bool], NativeCode]) -> None:
        """Compile the native code with a backend's function `build`, and store it in the program."""
        self.segments, self.quick, _, self.brief = self.built = build(self.plan, not self.writes)
        if self.brief and not self.writes:
            self.brisk = self.quick or self._alone

    def _alone(self, *flat: Any) -> list[np.ndarray]:
        """Return the values of the outputs, without calling `quick`, whose flat arguments it takes.

        Raises OutOfMemory if memory is refused.
        """
        end = 2 * self.plan.inputs
        return self.run(flat[:end], flat[end + len(self.blanks) :])

    def run(
        self, arguments: Sequence[Any], scalars: Sequence[Any], outputs: Mapping[int, np.ndarray] = MappingProxyType({})
    ) -> Sequence[np.ndarray]:
        """Run the program, and return the values of its outputs.

        `arguments` is a flat sequence with an array and a byte offset for every input, `scalars` the Python numbers.
        `outputs` may map numbers of buffers to memory for them; the other buffers are allocated. Raises OutOfMemory if
        memory is refused, ValueRangeError before `make`, and errors of routines.
        """
        if self.quick is not None and not (OPEN or outputs):
            try:
                return self.quick(*arguments, *self.blanks, *scalars)  # type: ignore[no-any-return]
            except MemoryError as error:
                raise _no_room() from error
        if self.built is None:
            raise ValueRangeError("program: a run without native code would leave its outputs unset; call make() first")
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
            profile.run(self.segments, flat, self.built.counts)
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
    """Return the OutOfMemory error for native code that could not allocate the partial results of a reduction."""
    return OutOfMemory(
        "compute: memory for the parts of a reduction; the system has no such memory left; compute a slice at a time, "
        "or free large tensors"
    )
