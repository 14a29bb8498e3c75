"""TensorDescription: every fact about a tensor except its cells.

The one idea: descriptions are interned, so equal descriptions are one object while somebody has it; a rule's result for
known operands is one dictionary look-up, and descriptions serve as parts of keys by identity.  Nodes have descriptions
without a base; a description for users also states the description that it is a view of, and the offset of its first
cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from functools import lru_cache
from itertools import pairwise
from math import prod
from operator import index
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from weft.dtypes import DType, names_order, spelled
from weft.errors import ArgumentError, AxisError, DTypeError, IndexOutOfBounds, ShapeError
from weft.ir.graph.domain import Domain, integers

Shape = tuple[int, ...]
Nested = tuple[Any, ...]  # a number for each axis, or a tuple of such for one that is several in a row


class DenseLayout(NamedTuple):
    """The byte strides of each axis, and the byte offset of the first cell from the base's first cell."""

    strides: Nested
    offset: int


class TensorDescription:
    """Dtype, shape, byte order, layout (byte strides, when known) and origin of a tensor.

    `x.description` gives one; `slice`, `transpose` and others give those of views, without a tensor.  Equal
    descriptions are one object.  `of` is the description that a view was made from, None for a base.
    `full_sizes` and `full_strides` have a tuple for an axis that `flatten` has made of several.

    >>> import weft
    >>> d = weft.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).description
    >>> d.transpose().slice((slice(1, None), 0)).layout
    DenseLayout(strides=(8,), offset=8)
    >>> d.transpose().flatten().full_strides
    ((8, 24),)
    """

    __slots__ = (
        *("big", "dtype", "full_sizes", "full_strides", "nbytes", "ndim", "of", "offset", "origin", "read_only"),
        *("repeated", "shape", "size", "strides", "__weakref__"),
    )

    of: TensorDescription | None
    offset: int  # bytes from the base's first cell to this one's
    full_sizes: Nested
    full_strides: Nested | None

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

    def __init__(self, *_: Any, **__: Any) -> None:
        raise ArgumentError("TensorDescription: the class is not called; x.description gives one")

    @property
    def byteorder(self) -> str:
        """The byte order of the cells, "big" or "little"."""
        return "big" if self.big else "little"

    @property
    def domain(self) -> Domain:
        """The box of coordinates of the cells."""
        return Domain(self.origin or (0,) * self.ndim, self.shape)

    # ---- views of it
    @property
    def layout(self) -> DenseLayout | None:
        """The byte strides and the byte offset; None while no layout is fixed."""
        return None if self.full_strides is None else DenseLayout(self.full_strides, self.offset)

    @property
    def base(self) -> TensorDescription:
        """The description of the memory that this description is a view of; itself if it is no view."""
        d = self
        while d.of is not None:
            d = d.of
        return d

    @property
    def is_base(self) -> bool:
        """True if this is no view of another description."""
        return self.of is None

    @property
    def key(self) -> tuple[Any, ...]:
        """The facts that distinguish a view from others of its base: shape, dtype, byte order and layout."""
        return self.full_sizes, self.dtype, self.byteorder, self.layout

    @property
    def c_contiguous(self) -> bool:
        """True if the cells are known to be row-major without gaps."""
        return self._is_row_major(False)

    @property
    def broadcast_contiguous(self) -> bool:
        """True if the cells are known to be row-major without gaps, ignoring axes of stride 0."""
        return self._is_row_major(True)

    def _is_row_major(self, once: bool) -> bool:
        """True if the cells are row-major without gaps; with `once`, axes of stride 0 are ignored."""
        if self.strides is None:
            return False
        found = [(n, s) for n, s in zip(self.shape, self.strides, strict=True) if n != 1 and (s or not once)]
        return not self.size or c_strides(tuple([n for n, _ in found]), self.dtype.itemsize) == tuple(
            [s for _, s in found]
        )

    def clone(self, *, dtype: Any = None, read_only: bool | None = None) -> TensorDescription:
        """Return the description with another dtype or another `read_only`.

        Another dtype makes it a row-major base.  Raises DTypeError if `dtype` spells no data type.
        """
        locked = self.read_only if read_only is None else bool(read_only)
        d, order = (self.dtype, "") if dtype is None else spelled(dtype)
        if d is not self.dtype or (names_order(dtype) and order != self.byteorder):
            return describe(d, self.shape, c_strides(self.shape, d.itemsize), order == "big", self.origin, locked)
        return _view(self, self.full_sizes, self.full_strides, 0, self.of, self.origin, locked)

    def cast(self, origin: Sequence[int]) -> TensorDescription:
        """Return the same description with another origin.

        Raises AxisError if `origin` has another number of axes, DTypeError if a coordinate is no integer.
        """
        origin = integers("cast", "origin", origin)
        if len(origin) != self.ndim:
            raise AxisError(f"cast: {len(origin)} coordinates for {self.ndim} axes; each axis has one; give them all")
        return _view(self, self.full_sizes, self.full_strides, 0, self, origin)

    def reorder(self, axes: Sequence[int]) -> TensorDescription:
        """Return the view with axes in another order.

        Raises AxisError if `axes` is no permutation, DTypeError if an axis is no integer.
        """
        axes = integers("reorder", "axes", axes)
        if sorted(axes) != list(range(self.ndim)):
            raise AxisError(f"reorder: axes {axes} of {self.ndim}; they are a permutation; name each once")
        return self.reorder_and_broadcast(axes, [self.shape[a] for a in axes])

    def transpose(self) -> TensorDescription:
        """Return the view with axes in reverse order."""
        return self.reorder(range(self.ndim)[::-1])

    def broadcast(self, shape: Sequence[int]) -> TensorDescription:
        """Return the view broadcast to a shape, as `weft.broadcast_to` does.

        Raises ShapeError if the shape does not fit, DTypeError if a size is no integer.
        """
        shape = integers("broadcast", "shape", shape)
        lead = len(shape) - self.ndim
        return self.reorder_and_broadcast([*[None] * lead, *range(self.ndim)], shape)

    def reorder_and_broadcast(self, axes: Sequence[int | None], shape: Sequence[int]) -> TensorDescription:
        """Return the view with the given axes in order, in the given sizes.

        None in `axes` is a new axis, along which cells repeat.  Raises ShapeError if an axis of several cells is left
        out or gets another size, DTypeError if an axis or size is no integer.
        """
        shape = integers("broadcast", "shape", shape)
        if not isinstance(axes, Sequence) or not all(a is None or isinstance(a, int) for a in axes):
            raise DTypeError(f"broadcast: axes {axes!r:.60}; each is an integer or None; give one for each size")
        known = [a for a in axes if a is not None]
        left = [n for a, n in enumerate(self.shape) if a not in known]
        fits = all(
            a is None or (a in range(self.ndim) and self.shape[a] in (1, n)) for a, n in zip(axes, shape, strict=False)
        )
        if len(axes) != len(shape) or len(set(known)) < len(known) or left or not fits or any(n < 0 for n in shape):
            raise ShapeError(
                f"broadcast: axes {tuple(axes)} of shape {self.shape} to shape {shape}; each axis goes once, "
                "with its size or, of size 1, any; give the others as None"
            )
        kept = [a is not None and self.shape[a] == n for a, n in zip(axes, shape, strict=True)]
        at = [(k, a) for k, a in zip(kept, axes, strict=True)]
        sizes = [self.full_sizes[a] if k else n for (k, a), n in zip(at, shape, strict=True)]  # type: ignore[index]
        steps = None if (s := self.full_strides) is None else tuple([s[a] if k else 0 for k, a in at])  # type: ignore
        coordinates = tuple([0 if not k or self.origin is None else self.origin[a] for k, a in at])  # type: ignore
        return _view(self, tuple(sizes), steps, 0, self, coordinates)

    def flatten(self, first: int = 0, last: int | None = None) -> TensorDescription:
        """Return the view with the axes from `first` up to `last` (exclusive) merged into one.

        `unflatten` undoes that.  Raises DTypeError if `first` or `last` is no integer.
        """
        ends = integers("flatten", "axes", (first,) if last is None else (first, last))
        first, last, _ = slice(ends[0], *ends[1:] or (None,)).indices(self.ndim)
        sizes, steps = self.full_sizes, self.full_strides
        merged = (*sizes[:first], sizes[first:last], *sizes[last:])
        strides = None if steps is None else (*steps[:first], steps[first:last], *steps[last:])
        return _view(self, merged, strides, 0, self)

    def unflatten(self, axis: int = 0) -> TensorDescription:
        """Return the view with an axis made by `flatten` split into its parts.

        Raises AxisError for any other axis, DTypeError if it is no integer.
        """
        (axis,) = integers("unflatten", "axes", (axis,))
        if not -self.ndim <= axis < self.ndim or type(self.full_sizes[axis]) is not tuple:
            raise AxisError(
                f"unflatten: axis {axis} of {self!r} has no parts; flatten makes such axes; reshape the tensor"
            )
        k, sizes, steps = axis % self.ndim, self.full_sizes, self.full_strides
        strides = None if steps is None else (*steps[:k], *steps[k], *steps[k + 1 :])
        return _view(self, (*sizes[:k], *sizes[k], *sizes[k + 1 :]), strides, 0, self)

    def slice(self, key: Any) -> TensorDescription:
        """Return the description of x[key], for integers and slices.

        Raises IndexOutOfBounds if an integer lies outside, ShapeError for other keys, or if an axis made by `flatten`
        has no single stride.
        """
        try:
            keys = [_plain_key(k) for k in (key if isinstance(key, tuple) else (key,))]
            if len(keys) > self.ndim:
                raise TypeError
        except TypeError:
            raise ShapeError(
                f"slice: {key!r:.60} of {self!r}; there is an integer or a slice for each axis; give these"
            ) from None
        offset, sizes, steps = 0, [], []
        for axis, k in enumerate((*keys, *[slice(None)] * (self.ndim - len(keys)))):
            n, size = self.shape[axis], self.full_sizes[axis]
            stride = 0 if self.full_strides is None else self.full_strides[axis]
            if k == slice(None):
                sizes.append(size)
                steps.append(stride)
                continue
            if (step := _single(size, stride)) is None:
                raise ShapeError(f"slice: axis {axis} of {self!r} has several steps, {stride}; unflatten it first")
            if isinstance(k, int):
                if not -n <= k < n:
                    raise IndexOutOfBounds(
                        f"slice: index {k} on axis {axis} of size {n}; there is no such cell; use others"
                    )
                offset += (k % n) * step
                continue
            start, stop, stepping = k.indices(n)
            sizes.append(len(range(start, stop, stepping)))
            steps.append(step * stepping)
            offset += start * step if sizes[-1] else 0
        return _view(self, tuple(sizes), None if self.full_strides is None else tuple(steps), offset, self)

    def __repr__(self) -> str:
        text = f"{self.dtype.name}[{', '.join(map(str, self.shape))}]"
        if self.big:
            text += " big-endian"
        if self.origin is not None:
            text += f" at {self.origin}"
        return text


MOST_RECENT = 100_000  # most descriptions that are kept though nothing refers to them
_RECENT: dict[tuple[object, ...], TensorDescription] = {}
_ALIVE: WeakValueDictionary[tuple[object, ...], TensorDescription] = WeakValueDictionary()  # all that are referred to


def describe(
    dtype: DType,
    shape: Shape,
    strides: Shape | None = None,
    big: bool = False,
    origin: Shape | None = None,
    read_only: bool = False,
) -> TensorDescription:
    """Return the description with these facts; the same facts give the same object.

    >>> from weft.dtypes import float32
    >>> describe(float32, (2, 3)) is describe(float32, (2, 3))
    True
    """
    key = (dtype, shape, strides, big, origin, read_only)
    found = _RECENT.get(key)
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
    if origin is not None and not any(origin):
        return describe(dtype, shape, strides, big, None, read_only)
    if big and dtype.itemsize == 1:
        return describe(dtype, shape, strides, False, origin, read_only)
    d: TensorDescription = object.__new__(TensorDescription)
    d.dtype, d.shape, d.strides, d.big, d.origin, d.read_only = dtype, shape, strides, big, origin, read_only
    d.ndim, d.size = len(shape), prod(shape)
    d.nbytes = d.size * dtype.itemsize
    d.repeated = tuple([a for a, s in enumerate(strides) if s == 0 and shape[a] > 1]) if strides else ()
    d.of, d.offset, d.full_sizes, d.full_strides = None, 0, shape, strides
    return _interned(key, d)


def _interned(key: tuple[object, ...], d: TensorDescription) -> TensorDescription:
    """Return the description in use under a key, if there is one, else `d`, which is registered under the key."""
    if len(_RECENT) > MOST_RECENT:
        _RECENT.clear()
    found = _RECENT.setdefault(key, _ALIVE.get(key, d))
    _ALIVE[key] = found
    return found


def _view(
    desc: TensorDescription,
    sizes: Nested,
    strides: Nested | None,
    offset: int,
    of: TensorDescription | None,
    origin: Shape | None = None,
    read_only: bool | None = None,
) -> TensorDescription:
    """Return the description of a view of `of` with these sizes and strides.

    It starts `offset` bytes after the start of `desc`.
    """
    locked = desc.read_only if read_only is None else read_only
    shape = tuple([_count(n) for n in sizes])
    steps = None if strides is None else tuple([_single(n, s) for n, s in zip(sizes, strides, strict=True)])
    single: Any = None if steps is None or None in steps else steps
    like = describe(desc.dtype, shape, single, desc.big, origin, locked)
    if of is None and sizes == shape:
        return like
    key = (like, sizes, strides, desc.offset + offset, of)
    if (found := _RECENT.get(key)) is None:
        found = copy(like)
        found.full_sizes, found.full_strides, found.offset, found.of = sizes, strides, desc.offset + offset, of
        found = _interned(key, found)
    return found


def view_of(desc: TensorDescription, of: TensorDescription, offset: int) -> TensorDescription:
    """Return `desc` as the description of a view of `of`, `offset` bytes after the base's first cell."""
    return _view(desc, desc.shape, desc.strides, offset - desc.offset, of, desc.origin)


def _plain_key(key: Any) -> int | slice:
    """Return an index key as a plain integer or a slice of plain integers; raises TypeError for other keys."""
    if not isinstance(key, slice):
        return index(key)
    if key.step == 0:
        raise TypeError
    return slice(*[None if k is None else index(k) for k in (key.start, key.stop, key.step)])


def _count(size: Any) -> int:
    """Return the number of cells along an axis; `size` is an integer, or a tuple for a flattened axis."""
    return prod(map(_count, size)) if type(size) is tuple else size


def _single(size: Any, stride: Any) -> int | None:
    """Return the byte stride of an axis; None if a flattened axis has no single stride."""
    if type(stride) is not tuple:
        return stride
    parts = [(n, s) for n, s in _parts(size, stride) if n != 1]
    if any(outer != n * inner for (_, outer), (n, inner) in pairwise(parts)):
        return None
    return parts[-1][1] if parts else 0


def _parts(size: Any, stride: Any) -> Iterator[tuple[int, int]]:
    """Yield (size, byte stride) of each part of an axis; just one for an axis that was not flattened."""
    if type(stride) is not tuple:
        yield size, stride
        return
    for n, s in zip(size, stride, strict=True):
        yield from _parts(n, s)


@lru_cache(maxsize=1 << 14)
def c_strides(shape: Shape, itemsize: int) -> Shape:
    """Return the byte strides of a shape in row-major order.

    >>> c_strides((2, 3), 4)
    (12, 4)
    """
    strides, step = [], itemsize
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def memory_order(desc: TensorDescription) -> Shape | None:
    """Return the axes from outer to inner as they lie in memory; None for row-major order.

    >>> from weft.dtypes import float32
    >>> memory_order(describe(float32, (2, 3), (4, 8))), memory_order(describe(float32, (2, 3), (-12, 4)))
    ((1, 0), None)
    """
    if desc.strides is None or desc.size < 2:
        return None
    steps = [abs(s) if n > 1 else -1 for n, s in zip(desc.shape, desc.strides, strict=True)]
    if 0 in steps:
        return None
    long = sorted([a for a, s in enumerate(steps) if s > 0], key=lambda a: -steps[a])
    if long == sorted(long):
        return None
    return tuple(long + [a for a, s in enumerate(steps) if s < 0])


FIXED_ORDER = ("fixed", "fixed")  # of the operands of a product whose additions have an order of their own


def product_orders(a: TensorDescription, b: TensorDescription, fixed: bool) -> tuple[str, str]:
    """Return the memory orders, "C" or "F", in which a matrix product reads operands a and b.

    With `fixed` it is `FIXED_ORDER`, in which additions have one order on every machine.
    """
    return FIXED_ORDER if fixed else (matrix_order(a), matrix_order(b))


@lru_cache(maxsize=4096)
def matrix_order(desc: TensorDescription) -> str:
    """Return "F" if the last two axes are stored column-major, else "C"."""
    if desc.ndim < 2 or desc.strides is None or desc.strides[-1] == desc.dtype.itemsize or 1 in desc.shape[-2:]:
        return "C"
    return "F" if desc.strides[-2] == desc.dtype.itemsize and desc.strides[-1] > 0 else "C"
