"""Keys: the brackets of `x[key]`, resolved against a shape.

The one idea: resolved against a shape, every key is one entry per axis (a position, a range or an array of positions)
and the places of new axes.  Ranges then have a start, a step and a size, negative positions are counted from 0, masks
are index arrays, and a part that does not fit raises an error with its axis, the expected and the given values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.dtypes import from_numpy
from weft.errors import DTypeError, IndexOutOfBounds
from weft.ir.graph.description import Shape, TensorDescription
from weft.ir.graph.node import broadcast_shapes
from weft.ir.graph.traced import TracedNumber, refused
from weft.tensors import tensor
from weft.tensors.operators import is_operand
from weft.tensors.positions import position_at, positions_of, wrapped
from weft.tensors.tensor import Tensor, with_values

MAX_RANK = 64
COMPLEX = (complex, np.complexfloating)
FLOATS = (float, np.floating, *COMPLEX)  # numbers that are accepted if they equal an integer
PLAIN = frozenset((int, slice, type(None), type(Ellipsis)))  # types of parts that hold no arrays

Entry = int | tuple[int, int, int] | np.ndarray


@dataclass(slots=True)
class Key:
    """A resolved key: new axes, and an entry per axis (position, (start, step, size), or array of positions).

    `flags` are numbers of entries whose axes, of size 1, masks of rank 0 add.
    """

    entries: list[Entry]
    new_axes: list[int]  # number of entries before each new axis
    gap: int | None = None  # number of entries before an ellipsis of no axes, which still separates index arrays
    flags: Sequence[int] = ()
    outer: bool = False  # every index array selects along its own axis, instead of all together
    is_basic: bool = True  # without index arrays: it selects a view


class Nested:
    """The facts of an `Index` that a key uses: its parts, or once bound to a shape, its entries."""

    __slots__ = ("_key", "_outer", "_parts", "_shape")

    _parts: tuple[Any, ...]
    _outer: bool
    _shape: Shape | None
    _key: Key | None
    key_for: Callable[[TensorDescription], Key]  # with one entry per axis of a tensor of this description


# ---- a key against a shape


def parse(key: Any, shape: Shape, outer: bool = False) -> Key:
    """Return a user's key as one entry per axis of a shape.

    With `outer`, every index array selects along its own axis. Raises IndexOutOfBounds if it does not fit the shape or
    the result has over 64 axes, DTypeError if a part is no index.
    """
    parts = key if isinstance(key, tuple) else (key,)
    if not PLAIN.issuperset(map(type, parts)):
        parts = normal_parts(parts, outer)
    out = Key([], [], None, (), outer)
    for part in _expand(parts, len(shape)):
        axis = len(out.entries) - len(out.flags)
        if type(part) is slice:
            start, stop, step = _slice_indices(part, shape[axis])
            out.entries.append((start, step, len(range(start, stop, step))))
        elif type(part) is int:
            out.entries.append(position_at(part, shape[axis], axis))
        elif part is None:
            out.new_axes.append(len(out.entries))
        elif part is Ellipsis:
            out.gap = len(out.entries)
        else:
            _add(out, part, shape, axis)
    if len(out.new_axes) + len(out.flags) + len(shape) > MAX_RANK:
        raise IndexOutOfBounds(
            f"index: {len(out.new_axes) + len(out.flags)} new axes for a tensor of rank {len(shape)}; ranks go up to "
            f"{MAX_RANK}; leave some out"
        )
    return out


def normal_parts(parts: tuple[Any, ...], outer: bool = False) -> tuple[Any, ...]:
    """Return a key's parts with lists and tensors as new arrays, and unbound index objects expanded to parts.

    Raises IndexOutOfBounds for an outer index object inside another key and for lists of unequal lengths, DTypeError
    for a part that is no index.
    """
    out: list[Any] = []
    for p in parts:
        if isinstance(p, Nested):
            if p._outer and not outer:
                raise IndexOutOfBounds(
                    f"index: {p!r} inside another key; its tables select apart from others; use weft.index.outer for "
                    "the whole key"
                )
            out.extend([p] if p._key is not None else p._parts)
        elif type(p) in PLAIN:
            out.append(p)
        else:
            out.append(_normal(p))
    return tuple(out)


def check_parts(parts: tuple[Any, ...], outer: bool) -> None:
    """Raise IndexOutOfBounds for parts that fit no shape: two ellipses, a step of 0, matrices if `outer`.

    Raises DTypeError for slices with bounds that are no integers.
    """
    _check_dots(sum(p is Ellipsis for p in parts))
    for p in parts:
        if isinstance(p, slice):
            _slice_indices(p, 0)
        elif isinstance(p, np.ndarray) and outer:
            _check_vector(p)


def _normal(part: Any) -> Any:
    """Return one part of a key as an integer, a slice or an array.

    Raises DTypeError for any other object, IndexOutOfBounds for lists of unequal lengths and positions beyond int64,
    TracingError for a number that is given at each call of a compiled function.
    """
    if isinstance(part, (list, tuple, range)):
        return _table(_listed(part))
    if isinstance(part, TracedNumber):
        raise refused("a position", part)
    if isinstance(part, (bool, np.bool_)):
        return np.asarray(part)
    if isinstance(part, Tensor):
        return _number(part) if _is_number(part) else with_values(part, _table)
    if isinstance(part, np.ndarray):
        return integral(part.item()) if not part.ndim and part.dtype.kind == "f" else _table(part)
    if not isinstance(part, (int, float, complex, np.generic)) and (is_operand(part) or hasattr(part, "__array__")):
        return _normal(tensor.imported(part))
    if isinstance(part, slice):  # a subclass
        return slice(part.start, part.stop, part.step)
    return integral(part) if isinstance(part, FLOATS) else _integer(part)


def _is_number(x: Any) -> bool:
    """True if `x` is a tensor of rank 0 of a real dtype other than bool."""
    return isinstance(x, Tensor) and not x.ndim and x.dtype.kind in ("int", "uint", "float")


def _number(x: Tensor) -> int:
    """Return the position that a tensor of rank 0 holds; raises DTypeError for a float that equals no integer."""
    value = x.item()
    return integral(value) if x.dtype.kind == "float" else value


def _table(array: np.ndarray) -> np.ndarray:
    """Return a mask as a copy, or positions as int64; raises DTypeError unless the cells are bools or integers."""
    if array.dtype == np.bool_:
        return array.copy()
    if array.dtype.kind not in "iu":
        raise DTypeError(
            f"index: an index array of dtype {_named(array.dtype)}; integers and bools index; convert it with astype()"
        )
    return positions_of(array)


def _named(dtype: np.dtype) -> str:
    """Return a dtype's weft name, or NumPy's if it has none."""
    try:
        return from_numpy(dtype)[0].name
    except DTypeError:
        return str(dtype)


def _listed(part: Sequence[Any]) -> np.ndarray:
    """Return a list as an array of positions.

    Raises IndexOutOfBounds for lists of unequal lengths, and for positions beyond 64 bits.
    """
    try:
        array = np.asarray(part)
    except ValueError:
        raise IndexOutOfBounds(
            "index: nested lists of unequal lengths; an index array is a box; make the lists equally long"
        ) from None
    except OverflowError:
        array = np.asarray(part, object)
    if array.dtype == object and array.size and all(type(v) is int for v in array.flat):
        large = next(v for v in array.flat if not -(2**63) <= v < 2**64)
        raise IndexOutOfBounds(
            f"index: position {large} in a list; positions are 64-bit integers, and no axis is that long; give one "
            "inside the axis"
        )
    return array.astype(np.int64) if not array.size and array.dtype == np.float64 else array


def integral(x: Any) -> int:
    """Return the integer that the float `x` equals.

    Raises DTypeError if it equals none or is complex, IndexOutOfBounds beyond int64.

    >>> integral(3.0)
    3
    """
    if isinstance(x, COMPLEX):
        raise DTypeError(f"index: {x!r} is no integer; positions and steps are; take its real part")
    if not -(2.0**63) <= x < 2.0**63:
        raise IndexOutOfBounds(f"index: {x!r} is out of range; positions and steps are 64-bit integers; give another")
    if x != int(x):
        raise DTypeError(f"index: {x!r} is no integer; positions and steps are; round it first")
    return int(x)


def _integer(part: Any) -> int:
    """Return a part of a key as an integer by its `__index__`; raises DTypeError if it has none."""
    try:
        return int(part.__index__())
    except AttributeError:
        raise DTypeError(
            f"index: {type(part).__name__} {part!r} is no index; integers, slices, ..., None, masks and integer "
            "arrays are"
        ) from None


def _expand(parts: tuple[Any, ...], ndim: int) -> list[Any]:
    """Return the parts with full slices for the ellipsis and for missing axes; an ellipsis without axes is kept.

    Raises IndexOutOfBounds if there are more parts than axes, or two ellipses.
    """
    used = sum([_axes_used(p) for p in parts])
    if used > ndim:
        raise IndexOutOfBounds(
            f"index: {used} positions for a tensor of rank {ndim}; one per axis is the most; leave some out"
        )
    dots = [i for i, p in enumerate(parts) if p is Ellipsis]
    _check_dots(len(dots))
    full: list[Any] = [slice(None)] * (ndim - used)
    if dots:
        return [*parts[: dots[0]], *(full or [Ellipsis]), *parts[dots[0] + 1 :]]
    return [*parts, *full]


def _check_dots(count: int) -> None:
    """Raise IndexOutOfBounds if `count`, the number of ellipses in a key, is above 1."""
    if count > 1:
        raise IndexOutOfBounds("index: two ellipses; which axes each stands for is open; keep one")


def _axes_used(part: Any) -> int:
    """Return the number of axes that a part of a key selects along."""
    kind = type(part)
    if kind is slice or kind is int:
        return 1
    if part is None or part is Ellipsis:
        return 0
    if isinstance(part, Nested):
        return len(part._shape or ())
    return part.ndim if part.dtype == np.bool_ else 1


def _slice_indices(positions: slice, n: int) -> tuple[int, int, int]:
    """Return (start, stop, step) of a slice along an axis of size `n`.

    Raises DTypeError for bounds that are no integers, IndexOutOfBounds for step 0.
    """
    try:
        return positions.indices(n)
    except TypeError:
        bounds = (positions.start, positions.stop, positions.step)
        plain = [_number(b) if _is_number(b) else integral(b) if isinstance(b, FLOATS) else b for b in bounds]
        if any(a is not b for a, b in zip(plain, bounds, strict=True)):
            return _slice_indices(slice(*plain), n)
        raise DTypeError(
            f"index: {positions!r} has bounds that are no integers; slices take integers or None"
        ) from None
    except ValueError:
        raise IndexOutOfBounds(
            f"index: {positions!r} has step 0; a step must move; give a step that is not 0"
        ) from None


# ---- index arrays


def _add(out: Key, part: Any, shape: Shape, axis: int) -> None:
    """Append the entries of an index array, mask or bound index object, from `axis` on, to key `out`.

    Raises IndexOutOfBounds if a position, the mask or the object does not fit the shape.
    """
    if isinstance(part, Nested):
        _add_bound(out, part, shape, axis)
        return
    out.is_basic = False
    if out.outer:
        _check_vector(part)
    if part.dtype != np.bool_:
        out.entries.append(wrapped(part, shape[axis], axis))
    elif not part.ndim:
        out.flags = [*out.flags, len(out.entries)]
        out.entries.append(np.arange(int(part)))
    else:
        out.entries.extend(_mask_positions(part, shape, axis))


def _check_vector(table: np.ndarray) -> None:
    """Raise IndexOutOfBounds for an index array in an outer key that is no vector."""
    if table.ndim != 1:
        raise IndexOutOfBounds(
            f"index: outer takes vectors, not an index array of rank {table.ndim}; each selects along one axis; "
            "flatten it, or use weft.index"
        )


def _mask_positions(mask: np.ndarray, shape: Shape, axis: int) -> tuple[np.ndarray, ...]:
    """Return the positions, one array per axis, where a mask is true; raises IndexOutOfBounds for another shape."""
    check_mask(mask.shape, shape[axis : axis + mask.ndim])  # the shape may have fewer axes left
    return np.nonzero(mask)


def check_mask(mask: Shape, over: Shape) -> None:
    """Raise IndexOutOfBounds for a mask of another shape than the axes that it selects from.

    A mask axis of size 0 fits any axis, and selects nothing.
    """
    if len(over) < len(mask) or any(m not in (n, 0) for m, n in zip(mask, over, strict=False)):
        raise IndexOutOfBounds(
            f"index: a mask of shape {mask} for axes of shape {over}; a mask has the shape of the axes it "
            "selects from; make it the same shape"
        )


def _add_bound(out: Key, part: Nested, shape: Shape, axis: int) -> None:
    """Append to a key the entries of a bound index object.

    Raises IndexOutOfBounds if it is bound to other sizes.
    """
    key, over = part._key, shape[axis : axis + len(part._shape or ())]
    assert key is not None and part._shape is not None
    check_bound(part._shape, over, "sizes", axis)
    at = len(out.entries)
    out.flags = [*out.flags, *[at + f for f in key.flags]]
    out.new_axes.extend([at + f for f in key.new_axes])
    if key.gap is not None:
        out.gap = at + key.gap
    out.entries.extend(key.entries)
    out.is_basic = out.is_basic and key.is_basic


def check_bound(bound: Shape, used: Shape, what: str, first_axis: int = 0) -> None:
    """Raise IndexOutOfBounds if `bound`, the shape or strides of an index object, differs from `used`.

    `what` names them in the message, `first_axis` is the number of their first axis.
    """
    if bound == used:
        return
    if len(bound) != len(used):
        raise IndexOutOfBounds(
            f"index: bound to {what} {bound}, used on {used}; expected rank {len(bound)}, got {len(used)}; bind the "
            "unbound index anew"
        )
    axis = next(d for d, (a, b) in enumerate(zip(bound, used, strict=True)) if a != b)
    raise IndexOutOfBounds(
        f"index: bound to {what} {bound}, used on {used}; axis {first_axis + axis}: expected {bound[axis]}, got "
        f"{used[axis]}; bind the unbound index anew"
    )


# ---- shapes of selections


def expanded_shape(key: Key, shape: Shape) -> Shape:
    """Return a shape with an axis of size 1 for each flag (mask of rank 0) of a key."""
    out = list(shape)
    for f in key.flags:
        out.insert(f, 1)
    return tuple(out)


def shape_of(entry: Any) -> Shape:
    """Return the shape of an index array or a node of positions; () for one position."""
    return getattr(entry, "shape", ())


def axis_of_part(parts: Sequence[Any], number: int, ndim: int) -> int:
    """Return the axis along which `parts[number]`, a part of a key, selects, of a tensor of rank `ndim`."""
    if any(p is Ellipsis for p in parts[:number]):
        return ndim - sum([_axes_used(p) for p in parts[number:]])
    return sum([_axes_used(p) for p in parts[:number]])


def table_place(key: Key) -> tuple[Shape, int]:
    """Return the broadcast shape of a key's index arrays, and the position of its axes in the result.

    Raises ShapeError if they do not broadcast.
    """
    given = [a for a, e in enumerate(key.entries) if not isinstance(e, tuple)]
    if len(given) == 1:
        return shape_of(key.entries[given[0]]), given[0] + sum([at <= given[0] for at in key.new_axes])
    shape = broadcast_shapes("index", *[shape_of(key.entries[a]) for a in given])
    ends = [a + sum(at <= a for at in key.new_axes) for a in given]
    together = ends == list(range(ends[0], ends[0] + len(ends)))
    if key.gap is not None and given[0] < key.gap <= given[-1]:
        together = False
    return shape, ends[0] if together else 0


def output_shape(key: Key) -> Shape:
    """Return the shape of a key's selection; raises ShapeError if its index arrays do not broadcast."""
    tables = not key.is_basic and not key.outer
    rest: list[int] = []
    for axis, e in enumerate(key.entries):
        rest.extend([1] * key.new_axes.count(axis))
        if isinstance(e, tuple):
            rest.append(e[2])
        elif key.outer and isinstance(e, np.ndarray):
            rest.append(len(e))
    rest.extend([1] * key.new_axes.count(len(key.entries)))
    if not tables:
        return tuple(rest)
    shape, at = table_place(key)
    return (*rest[:at], *shape, *rest[at:])


def numpy_key(key: Key) -> tuple[Any, ...]:
    """Return a key as a tuple that indexes a NumPy array with an axis for each flag.

    Index arrays are broadcast in full, so that writing visits the cells in row-major order; those of an outer key form
    a mesh, for an array without the axes of positions, and new axes are left out. Raises ShapeError if they do not
    broadcast.
    """
    if key.outer:
        return tuple(np.ix_(*[positions_of_entry(e) for e in key.entries if not isinstance(e, int)]))
    parts: list[Any] = []
    shape = () if key.is_basic else table_place(key)[0]
    for axis, e in enumerate(key.entries):
        parts.extend([Ellipsis] if axis == key.gap else [])
        parts.extend([None] * key.new_axes.count(axis))
        parts.append(
            range_of(*e) if isinstance(e, tuple) else e if _is_spread(e, shape) else np.broadcast_to(e, shape).copy()
        )
    parts.extend([None] * key.new_axes.count(len(key.entries)))
    return tuple(parts)


def _is_spread(e: Any, shape: Shape) -> bool:
    """True if an entry is a row-major array of the given shape."""
    return isinstance(e, np.ndarray) and e.shape == shape and e.flags.c_contiguous


def positions_of_entry(e: Entry) -> np.ndarray:
    """Return the positions that a key's entry (an integer, range or index array) selects, as an array."""
    return e[0] + e[1] * np.arange(e[2]) if isinstance(e, tuple) else np.atleast_1d(e)


def range_of(start: int, step: int, size: int) -> slice:
    """Return the positions start, start + step, ... of `size` cells as a slice."""
    stop = start + size * step
    return slice(start, stop if stop >= 0 else None, step) if size else slice(0, 0)
