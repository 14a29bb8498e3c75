"""Domain: a box of integer coordinates with any origin.

The one idea: coordinates are not positions.  A tensor's cells are named by coordinates in [start, stop) per axis; the
default origin is 0, so programs that set no origin can ignore it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import Any

from weft.errors import DTypeError, ShapeError


@dataclass(frozen=True, slots=True)
class Domain:
    """The box [origin, origin + shape), also made of slices.

    >>> Domain((2, 0), (3, 4)).stop, Domain[2:5, 0:4] == Domain((2, 0), (3, 4))
    ((5, 4), True)
    """

    origin: tuple[int, ...]
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        for what in ("origin", "shape"):
            given = getattr(self, what)
            if type(given) is not tuple or any(type(v) is not int for v in given):
                object.__setattr__(self, what, integers("domain", what, given))
        if len(self.origin) != len(self.shape):
            raise ShapeError(f"domain: origin {self.origin} and shape {self.shape} differ in rank; give one per axis")
        if min(self.shape, default=0) < 0:
            raise ShapeError(f"domain: shape {self.shape} has a negative size; sizes are 0 or more; give another shape")

    def __class_getitem__(cls, sides: slice | tuple[slice, ...]) -> Domain:
        """Return the box of slices, one for each axis: Domain[2:4, 3:5].

        Raises ShapeError if a slice is open, has a step or ends before it starts, DTypeError if its ends are no
        integers.
        """
        given = sides if isinstance(sides, tuple) else (sides,)
        if any(type(s) is not slice or s.start is None or s.stop is None or s.step is not None for s in given):
            raise ShapeError(f"domain: sides {given}; each has a start and a stop; write Domain[2:4, 3:5]")
        start = integers("domain", "start", [s.start for s in given])
        stop = integers("domain", "stop", [s.stop for s in given])
        return cls(start, tuple([b - a for a, b in zip(start, stop, strict=True)]))

    @property
    def start(self) -> tuple[int, ...]:
        """The least coordinate of each axis, which is inside."""
        return self.origin

    @property
    def stop(self) -> tuple[int, ...]:
        """The coordinate after the greatest of each axis."""
        return tuple(o + n for o, n in zip(self.origin, self.shape, strict=True))

    def __contains__(self, coordinate: tuple[int, ...]) -> bool:
        return len(coordinate) == len(self.shape) and all(
            o <= c < o + n for c, o, n in zip(coordinate, self.origin, self.shape, strict=True)
        )

    def __repr__(self) -> str:
        return "Domain(" + " × ".join(f"[{o}, {o + n})" for o, n in zip(self.origin, self.shape, strict=True)) + ")"


def integers(op: str, what: str, given: Any) -> tuple[int, ...]:
    """Return a sequence as a tuple of plain integers.

    Raises DTypeError, naming the op and `what`, if a number is no integer.  Shapes are keys of tables, in which 3.0
    must not be found in place of 3.
    """
    try:
        return tuple([index(v) for v in given])
    except TypeError:
        raise DTypeError(f"{op}: {what} {given!r:.60}; it must be a tuple of integers; give one per axis") from None


def hull(domains: Sequence[Domain]) -> Domain:
    """Return the smallest box that holds all of one or more domains.

    >>> hull([Domain((2,), (3,)), Domain((-1,), (1,))])
    Domain([-1, 5))
    """
    start = tuple([min(c) for c in zip(*[d.start for d in domains], strict=True)])
    stop = tuple([max(c) for c in zip(*[d.stop for d in domains], strict=True)])
    return Domain(start, tuple([b - a for a, b in zip(start, stop, strict=True)]))
