"""Nested data as one tensor: lists of numbers, scalars, arrays, tensors and other sequences.

The one idea: a nest is read level by level.  The items of a level are all sequences, whose items form the next level,
or all numbers or all arrays of one shape, which are the cells; anything else is an error with its position.  Python
numbers are weak beside cells with a dtype.  Values are copied at once, unless a tensor among them is pending: then the
nest is a pending stack.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from itertools import chain
from math import prod
from typing import Any, NoReturn

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import DTypeError, ShapeError, ValueRangeError
from weft.interop.flat_lists import Items, of_one_type, types_of
from weft.ir.atoms import selections
from weft.ir.graph import node as ir
from weft.ir.graph.description import Shape, describe
from weft.ir.graph.node import Node, root_of
from weft.ir.graph.weak_scalars import weak_scalar
from weft.runtime.default_dtype import default_of
from weft.runtime.memory import allocator
from weft.tensors import tensor
from weft.tensors.foreign_rows import is_chunked, is_registered
from weft.tensors.keys import MAX_RANK
from weft.tensors.pending_limits import settle_parts
from weft.tensors.tensor import Tensor, known_number, node_of, read, wrap


class Hole:
    """The marker for a cell or row missing in a ragged nest."""


NUMBERS = (bool, int, float, complex)
SEQUENCES = (list, tuple, range)
UNORDERED = (str, bytes, bytearray, memoryview, Mapping, Set)
HOLE = Hole()
_KNOWN = (*NUMBERS, np.generic, Tensor, Hole)
_KINDS: dict[type, str] = {**dict.fromkeys(NUMBERS, "number"), **dict.fromkeys(SEQUENCES, "sequence")}
_MANY = 1 << 24  # cells from which memory is requested before reading

_NO_NESTS = ("__array_interface__", "__dlpack__", "__array__", "toarray")  # "toarray": sparse arrays


def is_nest(obj: Any) -> bool:
    """True if an object is a sequence or an iterable of items, but no text and no array.

    >>> is_nest([1]), is_nest(iter([1])), is_nest({}), is_nest("ab"), is_nest(np.zeros(2))
    (True, True, False, False, False)
    """
    if isinstance(obj, SEQUENCES):
        return True
    if is_registered(obj) or not isinstance(obj, Iterable) or isinstance(obj, UNORDERED):
        return False
    if any(hasattr(obj, a) for a in _NO_NESTS) or is_chunked(obj):
        return False
    try:
        memoryview(obj)  # type: ignore[arg-type]
    except TypeError:
        return True
    return False


def nested(obj: Any, fill: Any = None) -> np.ndarray | Tensor:
    """Return the values of nested sequences as a new array, or as a tensor if some of them are pending.

    Rows of unequal lengths are padded at their ends with `fill`. Without it, they raise ValueRangeError, and arrays of
    unequal shapes raise ShapeError. Raises DTypeError for objects and dtypes that weft cannot read.
    """
    if fill is not None:
        fill = _filling(fill)
    _check_extent(obj)
    items, types = _prepared([obj])
    shape: Shape = ()
    while "sequence" in (kinds := _kinds(items, types)):
        rows = _rows(items, kinds, shape)
        size = _size(rows, shape, fill is not None)
        shape = (*shape, size)
        if len(shape) > MAX_RANK:
            _too_deep()
        items, types = _prepared(_opened(rows, size))
    if "array" in kinds:
        return _of_arrays(items, kinds, shape, fill)
    return _of_numbers(items, types, shape, fill)


# ---- levels


def _check_extent(obj: Any) -> None:
    """Raise ShapeError for a nest that is too deep, such as a list inside itself.

    Raises OutOfMemory for a nest that is too large.
    """
    shape: list[int] = []
    while type(obj) in SEQUENCES and obj:
        shape.append(len(obj))
        if len(shape) > MAX_RANK:
            _too_deep()
        obj = obj[0]
    if prod(shape) > _MANY:
        allocator.empty(np.dtype(np.int64), tuple(shape))


def _too_deep() -> NoReturn:
    """Raise ShapeError for lists nested deeper than the highest rank."""
    raise ShapeError(f"asarray: lists nested over {MAX_RANK} deep; ranks go up to {MAX_RANK}; flatten them")


def _prepared(items: Items) -> tuple[Items, set[type]]:
    """Return (items, set of their types), after converting iterators to lists and foreign objects to tensors.

    Raises DTypeError for an object without numbers.
    """
    types = types_of(items)
    if types <= _KINDS.keys() or all(map(_is_known, types)):
        return items, types
    items = [i if _is_known(type(i)) else list(i) if is_nest(i) else tensor.imported(i) for i in items]
    return items, types_of(items)


def _is_known(t: type) -> bool:
    """True if a type needs no conversion before its items are read."""
    return t in _KINDS or issubclass(t, _KNOWN) or t is np.ndarray


def _kinds(items: Items, types: set[type]) -> set[str]:
    """Return the kinds among a level's items: "number", "sequence", "array"; an array of rank 0 is a number."""
    found = {_KINDS.get(t) or _kind_of(t) for t in types}
    if "array" in found:
        found = set(map(_kind, items))
    return found - {"hole"}


def _kind_of(t: type) -> str:
    """Return the kind of a type's items: "sequence", "array", "hole" or "number"."""
    if t in SEQUENCES:
        return "sequence"
    return "array" if t is np.ndarray or issubclass(t, Tensor) else "hole" if t is Hole else "number"


def _kind(item: Any) -> str:
    """Return the kind of an item; an array of rank 0 is a "number"."""
    kind = _kind_of(type(item))
    return "number" if kind == "array" and not item.ndim else kind


def _at(number: int, shape: Shape) -> tuple[int, ...]:
    """Return the position of item `number` of a level, one index for each axis of the level's `shape`."""
    return tuple(int(i) for i in np.unravel_index(number, shape)) if shape else ()


def _rows(items: Items, kinds: set[str], shape: Shape) -> Items:
    """Return a level's items as sequences; arrays beside lists become lists.

    `kinds` are those of the items, `shape` that of the levels above. Raises ShapeError for numbers beside sequences.
    """
    if "number" in kinds:
        _mixed(items, shape)
    return [_listed(i) if isinstance(i, (np.ndarray, Tensor)) else i for i in items] if "array" in kinds else items


def _mixed(items: Items, shape: Shape) -> NoReturn:
    """Raise ShapeError, with the positions of both, for a number beside a sequence among items.

    `shape` is that of the levels above.
    """
    found = [_kind(i) for i in items]
    number = found.index("number")
    other = next(i for i, k in enumerate(found) if k in ("sequence", "array"))
    name, here, there = type(items[other]).__name__, _at(number, shape), _at(other, shape)
    if number < other:
        raise ShapeError(
            f"asarray: a {name} at {there} where a scalar was expected, as at {here}; cells are all scalars or all "
            f"arrays; take what is in the {name}"
        )
    raise ShapeError(
        f"asarray: a scalar at {here} above the last level, as a {name} stands at {there}; cells lie equally deep; "
        f"put it in a {name}"
    )


def _listed(x: np.ndarray | Tensor) -> list[Any]:
    """Return the rows of an array or tensor as a list; those of a pending tensor are pending."""
    if isinstance(x, np.ndarray):
        return list(x)
    if not _waits(x):
        return list(read(x))
    n = node_of(x)
    return [wrap(ir.locate(selections.index(n, [(0, i)]))) for i in range(n.desc.shape[0])]


def _size(rows: Items, shape: Shape, padded: bool) -> int:
    """Return the length of a level's rows, the longest if `padded`.

    Raises ValueRangeError, which names the position by `shape`, if they differ and are not padded.
    """
    sizes = [0 if r is HOLE else len(r) for r in rows]
    if padded or sizes.count(sizes[0]) == len(sizes):
        return max(sizes)
    wrong = next(i for i, n in enumerate(sizes) if n != sizes[0])
    raise ValueRangeError(
        f"asarray: nested lists of unequal lengths; axis {len(shape)} has size {sizes[0]} at {_at(0, shape)}, but "
        f"{sizes[wrong]} at {_at(wrong, shape)}; make them equally long, or have them padded with fill=0"
    )


def _opened(rows: Items, size: int) -> Items:
    """Return the items of all rows in one sequence, with holes appended to rows shorter than `size`."""
    if len(rows) == 1:
        return rows[0]
    return list(chain.from_iterable([r if r is not HOLE and len(r) == size else _stretched(r, size) for r in rows]))


def _stretched(row: Any, size: int) -> list[Any]:
    """Return a row as a list of `size` items, with holes at its end."""
    given = [] if row is HOLE else list(row)
    return given + [HOLE] * (size - len(given))


# ---- dtypes


def _filling(fill: Any) -> Any:
    """Return a fill value as a Python number or NumPy scalar; raises ShapeError for an array of rank 1 or more.

    Raises DTypeError for an object without numbers.
    """
    if isinstance(fill, (*NUMBERS, np.generic)):
        return fill
    x = tensor.imported(fill)
    if x.ndim:
        raise ShapeError(f"asarray: a fill of shape {x.shape}; it is one cell; give a number or a 0-d tensor")
    return read(x)[()]


def _dtype_of(types: Iterable[Any]) -> tuple[DType, bool]:
    """Return (dtype that holds cells of all types, False if Python numbers alone decided it).

    Raises DTypeError for a type that weft lacks, and for types without a common dtype.
    """
    found: list[DType] = []
    weak = -1
    for t in types:
        if isinstance(t, type) and issubclass(t, NUMBERS) and not issubclass(t, np.generic):
            weak = max(weak, next(i for i, kind in enumerate(NUMBERS) if issubclass(t, kind)))
        else:
            found.append(t if isinstance(t, DType) else dt.from_numpy(np.dtype(t))[0])
    if found:
        joined = dt.promote_all(found)
        return joined if weak < 0 else dt.weak(NUMBERS[weak], joined), True
    if weak < 0:
        return default_of(), True
    alone = default_of(NUMBERS[weak])
    return alone, alone is not dt.spelled(NUMBERS[weak])[0]


def _parts(items: Items, fill: Any) -> set[Any]:
    """Return the set of types of numbers and dtypes of arrays among items, including the fill's."""
    given = items if fill is None else [*items, fill]
    return {i.dtype if isinstance(i, (np.ndarray, Tensor, np.void)) else type(i) for i in given if i is not HOLE}


# ---- numbers


def _of_numbers(items: Items, types: set[type], shape: Shape, fill: Any) -> np.ndarray | Tensor:
    """Return numbers and arrays of rank 0 as an array of `shape`, or as a tensor if some are pending.

    `types` are those of the items; holes get `fill`. Raises DTypeError for dtypes without a common one, ValueRangeError
    for integers that the common dtype cannot hold.
    """
    if len(types) == 1 and fill is None:
        found = of_one_type(items, next(iter(types)))
        if found is not None:
            return found.reshape(shape)
    if Tensor in types and any(type(i) is Tensor and _waits(i) for i in items):
        return _waiting(items, shape, (), fill)
    if types & {Tensor, np.ndarray}:
        items = [_cell(i) if type(i) is Tensor else i[()] if type(i) is np.ndarray else i for i in items]
        types = types_of(items)
    if fill is not None:
        items = [fill if i is HOLE else i for i in items]
        types = (types - {Hole}) | {type(fill)}
    dtype, typed = _dtype_of(types if np.void not in types else _parts(items, None))
    return _packed(items if np.void not in types else _plain(items), dtype, typed).reshape(shape)


def _cell(x: Tensor) -> Any:
    """Return the value of a tensor of rank 0 as a NumPy scalar."""
    number = known_number(x)
    return read(x)[()] if number is None else number[1].np.type(number[0])


def _plain(items: Items) -> Items:
    """Return items with complex32 scalars, which NumPy stores as records, converted to Python numbers."""
    return [dt.widened(np.asarray(i)).item() if isinstance(i, np.void) else i for i in items]


def _packed(items: Items, dtype: DType, typed: bool) -> np.ndarray:
    """Return numbers as an array of a dtype.

    `typed` says that typed values decided the dtype. Raises ValueRangeError for integers that such an integer dtype
    cannot hold, DTypeError for integers beyond 64 bits in other cases.
    """
    plain = not dtype.extended
    wide = dtype.np if plain else (dt.complex128 if dtype.kind == "complex" else dt.float64).np
    try:
        with np.errstate(over="ignore"):
            found = np.array(items, wide)
    except OverflowError:
        if not typed and dtype is dt.int64 and min(items) >= 0 and max(items) < 1 << 64:
            return np.array(items, np.uint64)
        _beyond(items, dtype, typed)
    return found if plain else _cast(found, dtype)


def _beyond(items: Items, dtype: DType, typed: bool) -> NoReturn:
    """Raise the error for integers among `items` that a dtype cannot hold.

    That is ValueRangeError for an integer dtype that typed values decided (`typed`), else DTypeError.
    """
    if not typed or not dtype.is_integer:
        raise DTypeError(
            "asarray: values with no common dtype (integers beyond 64 bits, or both below 0 and above int64); weft's "
            "integers have 64 bits; convert them to floats first"
        )
    limits = dt.integer_limits(dtype)
    wrong = next(i for i in items if not limits.min <= i <= limits.max)
    raise ValueRangeError(
        f"asarray: {wrong} beside {dtype.name}; it holds {limits.min} to {limits.max}; convert the typed values to a "
        "wider dtype first"
    )


def _cast(values: np.ndarray, dtype: DType) -> np.ndarray:
    """Return an array converted to a dtype as `astype` does."""
    own, order = dt.from_numpy(values.dtype)
    d = describe(own, values.shape, values.strides, order == "big")
    return tensor.values_of(ir.astype(ir.stored(d, values), dtype))


# ---- arrays


def _of_arrays(items: Items, kinds: set[str], shape: Shape, fill: Any) -> np.ndarray | Tensor:
    """Return arrays stacked to a nest's shape, or a tensor if some are pending; smaller ones are padded with `fill`.

    Raises ShapeError for a number among them, and for unequal shapes without a fill; DTypeError if they have no common
    dtype.
    """
    if "number" in kinds:
        _mixed(items, shape)
    whole = _common_shape(items, shape, fill is not None)
    if any(type(i) is Tensor and _waits(i) for i in items):
        return _waiting(items, shape, whole, fill)
    arrays = [read(i) if type(i) is Tensor else i for i in items]
    parts = _parts(arrays, fill)
    dtype, typed = _dtype_of(parts)
    if fill is None and not (dtype.extended or any(dt.from_numpy(t)[0].extended for t in parts)):
        return np.array(arrays, dtype.np).reshape((*shape, *whole))
    made = np.empty((len(arrays), *whole), dtype.np)
    if fill is not None:
        made[...] = _packed(_plain([fill]), dtype, typed)[0]
    for cells, a in zip(made, arrays, strict=True):
        if a is not HOLE:
            cells[tuple([slice(n) for n in a.shape])] = _in_dtype(a, dtype)
    return made.reshape((*shape, *whole))


def _in_dtype(a: np.ndarray, dtype: DType) -> np.ndarray:
    """Return an array that NumPy can copy into cells of `dtype`: converted first if NumPy lacks a dtype."""
    own = dt.from_numpy(a.dtype)[0]
    return a if own is dtype or not (dtype.extended or own.extended) else _cast(a, dtype)


def _common_shape(items: Items, shape: Shape, padded: bool) -> Shape:
    """Return the shape of all items, the largest if `padded`.

    `shape` is that of the nest around them. Raises ShapeError if shapes differ and are not padded, if ranks differ, or
    if the result has a rank above the highest.
    """
    shapes = [(i, x.shape) for i, x in enumerate(items) if x is not HOLE]
    first, known = shapes[0]
    for i, s in shapes:
        if s != known and not (padded and len(s) == len(known)):
            remedy = "slice one, or pass fill=" if len(s) == len(known) else "reshape one"
            raise ShapeError(
                f"asarray: an array of shape {known} at {_at(first, shape)} and one of shape {s} at {_at(i, shape)}; "
                f"arrays beside each other have one shape; {remedy}"
            )
    whole = tuple([max(sizes) for sizes in zip(*[s for _, s in shapes], strict=True)])
    if len(shape) + len(whole) > MAX_RANK:
        raise ShapeError(f"asarray: a result of rank {len(shape) + len(whole)}; ranks go up to {MAX_RANK}; flatten it")
    return whole


# ---- pending tensors


def _waits(x: Tensor) -> bool:
    """True if NumPy cannot copy a tensor's cells.

    That is so if it is pending, on a device, recorded, or of a dtype that NumPy lacks.
    """
    if known_number(x) is not None:
        return False
    n = node_of(x)
    root = root_of(n)
    plain = n.traits is None and n.desc.dtype.np.isbuiltin == 1
    return not plain or (n.value is None and root.value is None)


def _waiting(items: Items, shape: Shape, whole: Shape, fill: Any) -> Tensor:
    """Return items as a pending tensor of shape `shape` + `whole`; holes and smaller arrays are filled with `fill`.

    Raises DTypeError if they have no common dtype, ValueRangeError for a Python integer that it cannot hold.
    """
    dtype = _dtype_of(_parts(items, fill))[0]
    margin = None if fill is None else ir.astype(_leaf(fill, dtype), dtype)
    parts = [_part(i, dtype, whole, margin) for i in items]
    settle_parts(parts)
    made = wrap(ir.locate(selections.concat([selections.expand_dims(p, (0,)) for p in parts], 0)))
    if len(shape) == 1:
        return made
    n, wanted = node_of(made), (*shape, *whole)
    view = selections.reshape_view(n, wanted)
    return wrap(ir.locate(selections.reshape(n, wanted))) if view is None else tensor.handle(made, view)


def _leaf(item: Any, dtype: DType) -> Node:
    """Return a number or an array as a node with a copy of its values.

    Python numbers get `dtype`. Raises ValueRangeError for an integer that it cannot hold.
    """
    if isinstance(item, NUMBERS) and not isinstance(item, np.generic):
        return weak_scalar(item, dtype, "asarray")
    values = np.array(item, order="C")
    own, order = dt.from_numpy(values.dtype)
    return ir.stored(describe(own, values.shape, values.strides, order == "big"), values)


def _part(item: Any, dtype: DType, whole: Shape, margin: Node | None) -> Node:
    """Return an item as a node of a dtype and shape (`whole`) with origin 0.

    `margin` fills holes and pads smaller arrays. Raises ValueRangeError for a Python integer that the dtype cannot
    hold.
    """
    if item is HOLE:
        assert margin is not None
        return selections.broadcast_to(margin, whole)
    n = node_of(item) if type(item) is Tensor else _leaf(item, dtype)
    if n.desc.origin is not None:
        n = selections.translate(n, [-o for o in n.desc.origin])
    n = ir.astype(n, dtype)
    if n.desc.shape == whole:
        return n
    return selections.pad(n, [(0, w - m) for m, w in zip(n.desc.shape, whole, strict=True)], "constant", margin)
