"""What a plan reads: for one argument of its kernels, every strided pattern of bytes that they touch.

The one idea: a row's operand is an offset and one step for each loop axis, so what a program will read is known before
it runs.  Patterns of the same form are kept together, as one form and the offsets at which it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from weft.ir.kernels.plan import CallStep, Plan, Row

Axes = tuple[tuple[int, int], ...]  # (step, count) of loop axes, steps positive and rising, counts above 1


@dataclass(frozen=True, slots=True)
class Touch:
    """`itemsize` bytes at every offset + Σ step·i, 0 <= i < count; in bytes, counted from the argument's cell 0."""

    axes: Axes
    itemsize: int
    offsets: NDArray[np.int64]

    def moved(self, by: int) -> Touch:
        """The same pattern elsewhere."""
        return Touch(self.axes, self.itemsize, self.offsets + by) if by else self


def touch(offset: int, strides: Sequence[int], sizes: Sequence[int], itemsize: int) -> Touch | None:
    """The pattern of one strided box, None of an empty one.

    >>> touch(8, (-4, 0), (3, 9), 4)
    Touch(axes=((4, 3),), itemsize=4, offsets=array([0]))
    """
    if prod(sizes) == 0:
        return None
    axes = []
    for stride, n in zip(strides, sizes, strict=True):
        if n > 1 and stride:
            offset += min(stride, 0) * (n - 1)
            axes.append((abs(stride), n))
    return Touch(tuple(sorted(axes)), itemsize, np.array([offset], np.int64))


def touched(made: Plan, arg: int) -> tuple[Touch, ...] | None:
    """What a plan reads of an argument; None where values decide."""
    single = []
    for step in made.steps:
        if isinstance(step, CallStep):
            for o, shape in zip(step.args, step.shapes, strict=True):
                if o.arg == arg:
                    single.append(touch(o.offset, o.strides, shape, o.dtype.itemsize))
            continue
        for row in step.rows:
            if any(row.operands[i].arg == arg for i in _gathered(row)):
                return None
            for o in row.operands:
                if o.arg == arg:
                    single.append(touch(o.offset, o.strides, row.sizes, o.dtype.itemsize))
    return joined(t for t in single if t is not None)


def joined(touches: Iterable[Touch]) -> tuple[Touch, ...]:
    """The touches, one for each form."""
    forms: dict[tuple[Axes, int], list[NDArray[np.int64]]] = {}
    for t in touches:
        forms.setdefault((t.axes, t.itemsize), []).append(t.offsets)
    return tuple(Touch(*form, np.unique(np.concatenate(offsets))) for form, offsets in forms.items())


def _gathered(row: Row) -> list[int]:
    """The operands whose addresses depend on values."""
    return [i.attr for i in row.body if i.op == "gather" and isinstance(i.attr, int)]
