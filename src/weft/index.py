"""Indexing: what `x[key]` and `x[key] = v` mean.

The one idea: basic keys (integers, slices, ..., None) are affine atoms and give views; masks and index arrays have
their values looked at once, for bounds, and then move cells lazily through one gather.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from weft import dtypes as dt
from weft import tensor
from weft.errors import DTypeError, IndexOutOfBounds
from weft.ir import node as ir
from weft.ir import selection
from weft.ir.description import describe
from weft.ir.node import Node
from weft.ir.ops import OPS
from weft.place import cells, check_writable, lock_of, prepare_write
from weft.runtime.access import pinned
from weft.tensor import Tensor, handle, node_of, read, values_of, wrap
from weft.writing import check_kind, fit, write

MAX_RANK = 64
_PLAIN = frozenset((int, slice, type(None), type(Ellipsis)))  # parts of keys that need no look at values


@dataclass(slots=True)
class Key:
    """A key with one entry per axis: a position, a slice triple, or an index array; and where new axes go."""

    entries: list[int | tuple[int, int, int] | np.ndarray]
    new_axes: list[int]  # number of axes of x before each new one, among all entries
    gap: int | None = None  # number of axes before an ellipsis that stands for none: it still sets arrays apart

    @property
    def is_basic(self) -> bool:
        return not any(isinstance(e, np.ndarray) for e in self.entries)


def _is_array(part: object) -> bool:
    return isinstance(part, (Tensor, np.ndarray)) or hasattr(part, "__dlpack__")


def _as_index(part: Any) -> np.ndarray | int:
    """An index array (int64 or bool), or an int for a 0-d integer."""
    array = read(part) if isinstance(part, Tensor) else np.asarray(part)
    if array.dtype == np.bool_:
        return array
    if array.dtype.kind not in "iu":
        raise DTypeError(
            f"index: an index array of dtype {array.dtype}; integers and bools index; convert it with astype()"
        )
    if array.ndim == 0 and not isinstance(part, np.ndarray):
        return int(array)
    return _as_positions(array)


def _as_positions(array: np.ndarray) -> np.ndarray:
    """Integers as int64; what that cannot hold stays out of every axis."""
    if array.dtype.kind == "u" and array.dtype.itemsize == 8:
        array = np.minimum(array, np.uint64(np.iinfo(np.int64).max))
    return array.astype(np.int64)


def _mask_positions(mask: np.ndarray, shape: tuple[int, ...], axis: int) -> tuple[np.ndarray, ...]:
    over = shape[axis : axis + mask.ndim]  # an axis of size 0 makes a mask that selects nothing, from any axis
    if len(over) < mask.ndim or any(m not in (n, 0) for m, n in zip(mask.shape, over, strict=True)):
        raise IndexOutOfBounds(
            f"index: a mask of shape {mask.shape} for axes of shape {over}; a mask has the shape of the axes it "
            "selects from; make it the same shape"
        )
    return np.nonzero(mask)


def _out_of_bounds(position: int, n: int, axis: int) -> NoReturn:
    valid = f"positions run from {-n} to {n - 1}" if n else "the axis is empty"
    raise IndexOutOfBounds(f"index: position {position} along axis {axis} of size {n}; {valid}; give one inside")


def _wrapped(positions: np.ndarray, n: int, axis: int) -> np.ndarray:
    """Index values counted from 0; out of bounds is an error that names the first culprit."""
    wrong = (positions < -n) | (positions >= n)
    if wrong.any():
        _out_of_bounds(int(positions[wrong].flat[0]), n, axis)
    return np.where(positions < 0, positions + n, positions)


def _expand(key: Any, ndim: int) -> list[Any]:
    """The key as a list with the ellipsis replaced by full slices."""
    parts = list(key) if isinstance(key, tuple) else [key]
    used = sum(_axes_used(p) for p in parts)
    if used > ndim:
        raise IndexOutOfBounds(
            f"index: {used} positions for a tensor of rank {ndim}; one per axis is the most; leave some out"
        )
    dots = [i for i, p in enumerate(parts) if p is Ellipsis]
    if len(dots) > 1:
        raise IndexOutOfBounds("index: two ellipses; which axes each stands for is open; keep one")
    full = [slice(None)] * (ndim - used)
    if dots:
        return [*parts[: dots[0]], *full, *parts[dots[0] + 1 :]]
    return [*parts, *full]


def _axes_used(part: Any) -> int:
    if type(part) is slice or type(part) is int:
        return 1
    if part is None or part is Ellipsis:
        return 0
    if isinstance(part, (bool, np.bool_)):
        return 0
    if _is_array(part):
        mask_dtype = part.dtype is dt.bool if isinstance(part, Tensor) else np.asarray(part).dtype == np.bool_
        if mask_dtype:
            return int(part.ndim if isinstance(part, Tensor) else np.asarray(part).ndim)
    return 1


def parse(key: Any, shape: tuple[int, ...]) -> Key:
    """A user's key against a shape."""
    out = Key([], [], _gap(key, len(shape)))
    for part in _expand(key, len(shape)):
        axis = len(out.entries)
        if type(part) is int:
            out.entries.append(_at(part, shape[axis], axis))
        elif part is None:
            out.new_axes.append(axis)
        elif isinstance(part, slice):
            start, stop, step = _slice_indices(part, shape[axis])
            out.entries.append((start, step, len(range(start, stop, step))))
        elif _is_array(part):
            _add_array(out, _as_index(part), shape)
        else:
            out.entries.append(_position(part, shape[axis], axis))
    if len(out.new_axes) + len(shape) > MAX_RANK:
        raise IndexOutOfBounds(
            f"index: {len(out.new_axes)} new axes for a tensor of rank {len(shape)}; ranks go up to {MAX_RANK}; "
            "leave some out"
        )
    return out


def _gap(key: Any, ndim: int) -> int | None:
    parts = key if isinstance(key, tuple) else (key,)
    if not any(p is Ellipsis for p in parts):
        return None
    used = [_axes_used(p) for p in parts]
    if sum(used) < ndim:
        return None
    return next((sum(used[:i]) for i, p in enumerate(parts) if p is Ellipsis), None)


def _slice_indices(part: slice, n: int) -> tuple[int, int, int]:
    try:
        return part.indices(n)
    except TypeError:
        raise DTypeError(f"index: {part!r} has bounds that are no integers; slices take integers or None") from None
    except ValueError:
        raise IndexOutOfBounds(f"index: {part!r} has step 0; a step must move; give a step that is not 0") from None


def _masks_as_axes(x: Tensor, key: Any) -> tuple[Tensor, Any]:
    """Masks of rank 0 select from no axis: each becomes a new axis with its one position kept or not."""
    parts = key if isinstance(key, tuple) else (key,)
    if all(type(p) in _PLAIN for p in parts):
        return x, key
    parts = tuple(_listed(p) if isinstance(p, list) else p for p in parts)
    if not any(_is_flag(p) for p in parts):
        return x, parts
    expanded: list[Any] = []
    for p in _expand(parts, x.ndim):
        expanded += [None] if _is_flag(p) else [slice(None)] * _axes_used(p)
    kept = tuple(np.arange(int(bool(p))) if _is_flag(p) else p for p in parts)
    return getitem(x, tuple(expanded)), kept


def _listed(part: list[Any]) -> np.ndarray:
    try:
        array = np.asarray(part)
    except ValueError:
        raise IndexOutOfBounds(
            "index: nested lists of unequal lengths; an index array is a box; make the lists equally long"
        ) from None
    return array.astype(np.int64) if not array.size and array.dtype == np.float64 else array


def _is_flag(part: Any) -> bool:
    if isinstance(part, (bool, np.bool_)):
        return True
    if isinstance(part, Tensor):
        return part.ndim == 0 and part.dtype is dt.bool
    return isinstance(part, np.ndarray) and part.ndim == 0 and part.dtype == np.bool_


def _add_array(out: Key, array: np.ndarray | int, shape: tuple[int, ...]) -> None:
    axis = len(out.entries)
    if isinstance(array, int):
        out.entries.append(_position(array, shape[axis], axis))
    elif array.dtype == np.bool_:
        out.entries.extend(_mask_positions(array, shape, axis))
    else:
        out.entries.append(_wrapped(array, shape[axis], axis))


def _position(part: Any, n: int, axis: int) -> int:
    try:
        position = part.__index__()
    except AttributeError:
        raise DTypeError(
            f"index: {type(part).__name__} {part!r} is no index; integers, slices, ..., None, masks and integer "
            "arrays are"
        ) from None
    return _at(int(position), n, axis)


def _at(position: int, n: int, axis: int) -> int:
    if not -n <= position < n:
        _out_of_bounds(position, n, axis)
    return position + n if position < 0 else position


def basic(n: Node, key: Key) -> Node:
    """The atoms of a basic key: slices, then positions, then new axes."""
    whole = [(0, 1, size) for size in n.desc.shape]
    slices = [e if isinstance(e, tuple) else w for e, w in zip(key.entries, whole, strict=True)]
    if slices != whole:
        n = selection.slice_(n, slices)
    positions = [(axis, e) for axis, e in enumerate(key.entries) if isinstance(e, int)]
    if positions:
        n = selection.index(n, positions)
    if key.new_axes:
        dropped = [axis for axis, _ in positions]
        places = [at - sum(d < at for d in dropped) + i for i, at in enumerate(key.new_axes)]
        n = selection.expand_dims(n, places)
    return n


def gather(n: Node, axes: Sequence[int], indices: Sequence[np.ndarray], at: int) -> Node:
    """x at index arrays along `axes`, the axes of the indices put at `at` among the axes that stay."""
    shape = ir.broadcast_shapes("index", *(i.shape for i in indices))
    leaves = [ir.stored(describe(dt.int64, i.shape, i.strides), i) for i in (np.asarray(i, order="C") for i in indices)]
    rest = [size for axis, size in enumerate(n.desc.shape) if axis not in axes]
    out = (*rest[:at], *shape, *rest[at:])
    x = n
    return ir.make(OPS["gather"], (x, *leaves), (tuple(axes), at), ir.result(n.desc.dtype, out))


def index_values(op: str, indices: Tensor, n: int, axis: int) -> np.ndarray:
    """The values of an index tensor for an axis of size n, counted from 0."""
    if not indices.dtype.is_integer:
        raise DTypeError(f"{op}: indices of dtype {indices.dtype.name}; positions are integers; use astype(weft.int64)")
    return _wrapped(_as_positions(read(indices)), n, axis)


def take_positions(op: str, x: Tensor, indices: Tensor, axis: int) -> Tensor:
    """Positions of one axis; the axes of the indices take its place."""
    return wrap(ir.locate(gather(node_of(x), (axis,), (index_values(op, indices, x.shape[axis], axis),), axis)))


def advanced(n: Node, key: Key) -> Node:
    """A key with index arrays: slices first, then one gather, with NumPy's place for the new axes."""
    whole = [(0, 1, size) for size in n.desc.shape]
    slices = [e if isinstance(e, tuple) else w for e, w in zip(key.entries, whole, strict=True)]
    if slices != whole:
        n = selection.slice_(n, slices)
    shift = [sum(at <= axis for at in key.new_axes) for axis in range(len(key.entries))]
    if key.new_axes:
        n = selection.expand_dims(n, [at + i for i, at in enumerate(key.new_axes)])
    given = [(axis, np.asarray(e, np.int64)) for axis, e in enumerate(key.entries) if not isinstance(e, tuple)]
    axes, indices = [axis + shift[axis] for axis, _ in given], [i for _, i in given]
    together = axes == list(range(axes[0], axes[0] + len(axes)))
    if key.gap is not None and given[0][0] < key.gap <= given[-1][0]:
        together = False
    return gather(n, axes, indices, axes[0] if together else 0)


def getitem(x: Tensor, key: Any) -> Tensor:
    """`x[key]`: a view for basic keys, a value of its own for masks and index arrays."""
    x, key = _masks_as_axes(x, key)
    n = node_of(x)
    parsed = parse(key, n.desc.shape)
    if parsed.is_basic:
        found = basic(n, parsed)
        return handle(x, found if found is not n else selection.permute(n, range(n.desc.ndim)))
    return wrap(ir.locate(advanced(n, parsed)))


def setitem(x: Tensor, key: Any, value: Any) -> None:
    """`x[key] = value`: the right side is read completely first; with repeated indices the last one wins."""
    x, key = _masks_as_axes(x, key)
    parsed = parse(key, x.shape)
    if parsed.is_basic:  # no local variable may hold a node here: it would pass for a reader of the old version
        write(_target(x, parsed), _source(value, x.dtype), "setitem")
    else:
        _scatter(x, parsed, value)


def _source(value: Any, dtype: dt.DType) -> Node:
    """The node of a value that may be written into cells of a dtype."""
    v = tensor.operand(value, dtype, "setitem")
    check_kind("setitem", v, dtype)
    return v


def _target(x: Tensor, key: Key) -> Tensor:
    n = node_of(x)
    found = basic(n, key)
    return x if found is n else handle(x, found)


def _scatter(x: Tensor, key: Key, value: Any) -> None:
    """Write through masks or index arrays."""
    cells_wanted = describe(x.dtype, advanced(node_of(x), key).desc.shape)
    array = values_of(fit("setitem", _source(value, x.dtype), cells_wanted))
    p = x._place
    with lock_of(p):
        check_writable("setitem", node_of(x))
        memory = cells(prepare_write(x))
        assert memory is not None
        if np.may_share_memory(array, memory):
            array = array.copy()
        with pinned((array,), (memory,)):
            memory[_numpy_key(key)] = array


def _numpy_key(key: Key) -> tuple[Any, ...]:
    """The key in NumPy's words; index arrays are spread out, so that cells are written in row-major order."""
    parts: list[Any] = []
    shape = np.broadcast_shapes(*(np.shape(e) for e in key.entries if not isinstance(e, tuple)))
    for axis, e in enumerate(key.entries):
        parts.extend([Ellipsis] if axis == key.gap else [])
        parts.extend([None] * key.new_axes.count(axis))
        if isinstance(e, tuple):
            start, step, size = e
            stop = start + size * step
            parts.append(slice(start, stop if stop >= 0 else None, step) if size else slice(0, 0))
        else:
            parts.append(np.broadcast_to(e, shape).copy())
    parts.extend([None] * key.new_axes.count(len(key.entries)))
    return tuple(parts)


Tensor.__getitem__ = getitem  # type: ignore[attr-defined]
Tensor.__setitem__ = setitem  # type: ignore[attr-defined]
