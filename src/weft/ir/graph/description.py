"""TensorDescription: everything about a value but the value.

The one idea: descriptions are interned, so equal descriptions are one object; a rule's result for known operands is
one dictionary look-up, and descriptions serve as parts of keys by identity.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod

from weft.dtypes import DType
from weft.ir.graph.domain import Domain

Shape = tuple[int, ...]


class TensorDescription:
    """Dtype, shape, byte order, layout (byte strides, when known) and origin of a tensor; made by `describe`."""

    __slots__ = ("big", "dtype", "nbytes", "ndim", "origin", "read_only", "repeated", "shape", "size", "strides")

    dtype: DType
    shape: Shape
    strides: Shape | None  # bytes; None while nothing fixes a layout
    big: bool  # stored most significant byte first
    origin: Shape | None  # None is the origin 0 on every axis
    read_only: bool
    ndim: int
    size: int
    nbytes: int  # of the cells, each counted once
    repeated: tuple[int, ...]  # the axes along which cells repeat: of several coordinates, with steps of 0 bytes

    @property
    def byteorder(self) -> str:
        """ "big" or "little"."""
        return "big" if self.big else "little"

    @property
    def domain(self) -> Domain:
        """The box of coordinates."""
        return Domain(self.origin or (0,) * self.ndim, self.shape)

    def __repr__(self) -> str:
        text = f"{self.dtype.name}[{', '.join(map(str, self.shape))}]"
        if self.big:
            text += " big-endian"
        if self.origin is not None:
            text += f" at {self.origin}"
        return text


_INTERNED: dict[tuple[object, ...], TensorDescription] = {}


def describe(
    dtype: DType,
    shape: Shape,
    strides: Shape | None = None,
    big: bool = False,
    origin: Shape | None = None,
    read_only: bool = False,
) -> TensorDescription:
    """Return the description with these facts, the same object for the same facts.

    >>> from weft.dtypes import float32
    >>> describe(float32, (2, 3)) is describe(float32, (2, 3))
    True
    """
    key = (dtype, shape, strides, big, origin, read_only)
    found = _INTERNED.get(key)
    return found if found is not None else _make(key, dtype, shape, strides, big, origin, read_only)


def _make(
    key: tuple[object, ...],
    dtype: DType,
    shape: Shape,
    strides: Shape | None,
    big: bool,
    origin: Shape | None,
    read_only: bool,
) -> TensorDescription:
    if len(_INTERNED) > 100_000:
        _INTERNED.clear()  # identity is only a speed-up: keys compare by their facts
    if origin is not None and not any(origin):
        return describe(dtype, shape, strides, big, None, read_only)
    if big and dtype.itemsize == 1:
        return describe(dtype, shape, strides, False, origin, read_only)
    d = TensorDescription()
    d.dtype, d.shape, d.strides, d.big, d.origin, d.read_only = dtype, shape, strides, big, origin, read_only
    d.ndim, d.size = len(shape), prod(shape)
    d.nbytes = d.size * dtype.itemsize
    d.repeated = tuple([a for a, s in enumerate(strides) if s == 0 and shape[a] > 1]) if strides else ()
    return _INTERNED.setdefault(key, d)


@lru_cache(maxsize=1 << 14)
def c_strides(shape: Shape, itemsize: int) -> Shape:
    """Return the byte strides of row-major order for a shape.

    >>> c_strides((2, 3), 4)
    (12, 4)
    """
    strides, step = [], itemsize
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def memory_order(d: TensorDescription) -> Shape | None:
    """Return the axes from outer to inner as they lie in memory; None for row-major ones.

    >>> from weft.dtypes import float32
    >>> memory_order(describe(float32, (2, 3), (4, 8))), memory_order(describe(float32, (2, 3), (-12, 4)))
    ((1, 0), None)
    """
    if d.strides is None or d.size < 2:
        return None
    steps = [abs(s) if n > 1 else -1 for n, s in zip(d.shape, d.strides, strict=True)]
    if 0 in steps:
        return None
    long = sorted([a for a, s in enumerate(steps) if s > 0], key=lambda a: -steps[a])
    if long == sorted(long):
        return None
    return tuple(long + [a for a, s in enumerate(steps) if s < 0])


@lru_cache(maxsize=4096)
def matrix_order(d: TensorDescription) -> str:
    """Return "F" if the last two axes lie transposed in memory, else "C"."""
    if d.ndim < 2 or d.strides is None or d.strides[-1] == d.dtype.itemsize or 1 in d.shape[-2:]:
        return "C"
    return "F" if d.strides[-2] == d.dtype.itemsize and d.strides[-1] > 0 else "C"
