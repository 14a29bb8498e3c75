"""Index objects: keys as values, made once and used on many tensors.

The one idea: a key is bound in stages, first to a shape, then to strides.  Binding to a shape resolves negative
positions and ranges, ellipses and missing axes, and turns masks into index arrays; binding to strides gives byte
offsets.  An object never changes: binding, nesting and slicing return a new one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.errors import ArgumentError, DTypeError, IndexOutOfBounds, ShapeError
from weft.ir.atoms import selections
from weft.ir.graph import node as ir
from weft.ir.graph.description import Shape, TensorDescription
from weft.ir.graph.domain import Domain
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.tensors import tensor
from weft.tensors.indexing import select
from weft.tensors.keys import (
    PLAIN,
    Entry,
    Key,
    Nested,
    check_bound,
    check_parts,
    expanded_shape,
    normal_parts,
    numpy_key,
    parse,
)
from weft.tensors.keys import output_shape as shape_of_key
from weft.tensors.tensor import Tensor, read, wrap


class Index(Nested):
    """A key kept as a value: `x[i]`, `x[i] = v` and `x[i] += v` use it in place of the key.

    Made by `weft.index[...]`, `weft.index.outer[...]` and `weft.find(mask)`; arrays in it are copied.  Unbound, it
    serves every tensor that it fits; bound, only those of its shape (and strides).

    >>> import weft
    >>> last = weft.index[..., -1]
    >>> last, last.bind((3, 6))
    (weft.index[..., -1], weft.index[:, 5] bound to shape (3, 6))
    >>> weft.arange(5)[last].item(), weft.reshape(weft.arange(6), (2, 3))[last].tolist()
    (4, [2, 5])
    """

    __slots__ = ("_last", "_strides")

    _last: tuple[Shape, Key] | None  # the last shape that it was used on while unbound, with the resolved key
    _strides: Shape | None

    __iter__ = None

    def __init__(self, *_: Any, **__: Any) -> None:
        raise ArgumentError("Index: the class is not called; write weft.index[...] or weft.find(mask)")

    # ---- binding
    def bind(self, shape: int | Sequence[int], strides: int | Sequence[int] | None = None) -> Index:
        """Return the same index for tensors of a shape and, if given, of byte strides.

        Raises IndexOutOfBounds if it does not fit the shape or is bound to another, ShapeError for a negative size or
        another number of strides than sizes, DTypeError for those that are no integers.

        >>> import weft
        >>> weft.index[-1::-1].bind(7)
        weft.index[Steps(6, -1, 7)] bound to shape (7,)
        >>> weft.index[[True, False, True]].bind(3).bind(3, 8)
        weft.index[Offsets([0, 16])] bound to shape (3,), strides (8,)
        """
        sizes = _integers("shape", shape)
        if min(sizes, default=0) < 0:
            raise ShapeError(f"bind: shape {sizes}; sizes are >= 0; give the shape of the tensors to index")
        steps = None if strides is None else _integers("strides", strides)
        if steps is not None and len(steps) != len(sizes):
            raise ShapeError(
                f"bind: {len(steps)} strides for shape {sizes}; one per axis is needed, in bytes; give as many"
            )
        if self._shape is not None:
            check_bound(self._shape, sizes, "shape")
        if self._strides is not None and steps is not None:
            check_bound(self._strides, steps, "strides")
        return _index(self._parts, self._outer, sizes, self.key(sizes), self._strides if steps is None else steps)

    def key(self, shape: Shape) -> Key:
        """Return the key with one entry per axis of `shape`, for a bound index that of its own shape.

        Raises IndexOutOfBounds if it does not fit, DTypeError if a part of it is no index.
        """
        if self._key is not None:
            return self._key
        last = self._last
        if last is None or last[0] != shape:
            self._last = last = (shape, parse(self._parts, shape, self._outer))
        return last[1]

    def key_for(self, desc: TensorDescription) -> Key:
        """Return the key with one entry per axis of a tensor with description `desc`.

        Raises IndexOutOfBounds, which names the axis, if it does not fit or is bound to other sizes or strides,
        DTypeError if a part of it is no index.
        """
        if self._key is None:
            return self.key(desc.shape)
        if self._shape != desc.shape:
            check_bound(self._shape or (), desc.shape, "shape")
        if self._strides is not None and desc.strides is not None and self._strides != desc.strides and desc.size:
            moves = [s if n > 1 else t for s, t, n in zip(desc.strides, self._strides, desc.shape, strict=True)]
            check_bound(self._strides, tuple(moves), "strides")  # strides of axes with one cell do not matter
        return self._key

    def _bound(self, what: str) -> Key:
        """Return the key of a bound index; raises IndexOutOfBounds, naming `what` was asked for, if it is unbound."""
        if self._key is None:
            raise IndexOutOfBounds(f"index: {what} of {self!r}, which no shape is known of; bind it to one first")
        return self._key

    # ---- facts
    @property
    def is_bound(self) -> tuple[bool, bool]:
        """A pair of flags: whether the shape is fixed, and whether the strides are."""
        return self._key is not None, self._strides is not None

    @property
    def is_view(self) -> bool:
        """True if indexing gives a view: the key holds no index array and no mask."""
        if self._key is not None:
            return self._key.is_basic
        return all(p.is_view if isinstance(p, Index) else type(p) in PLAIN for p in self._parts)

    @property
    def is_scalar(self) -> bool | None:
        """True if it selects a single cell as a tensor of rank 0, else False; None while unbound."""
        return None if self._key is None else not shape_of_key(self._key)

    @property
    def input_shape(self) -> Shape | None:
        """The shape of the tensors that it indexes; None while unbound."""
        return self._shape

    @property
    def output_shape(self) -> Shape | None:
        """The shape of the selection; None while unbound."""
        return None if self._key is None else shape_of_key(self._key)

    @property
    def input_ndim(self) -> int | None:
        """The rank of the tensors that it indexes; None while unbound."""
        return None if self._shape is None else len(self._shape)

    @property
    def output_ndim(self) -> int | None:
        """The rank of the selection; None while unbound."""
        return None if self._key is None else len(shape_of_key(self._key))

    @property
    def size(self) -> int | None:
        """The number of cells that it selects; None while unbound."""
        return None if self._key is None else prod(shape_of_key(self._key))

    @property
    def strides(self) -> Shape | None:
        """The byte strides to which it is bound; None without."""
        return self._strides

    @property
    def bounding_box(self) -> Domain | None:
        """The smallest box of coordinates that holds all selected cells; None while unbound.

        >>> import weft
        >>> weft.index[1:3, [2, 5]].bind((4, 9)).bounding_box
        Domain([1, 3) × [2, 6))
        """
        if self._key is None or self._shape is None:
            return None
        if not self.size:
            return Domain((0,) * len(self._shape), (0,) * len(self._shape))
        ends = [_ends(e) for d, e in enumerate(self._key.entries) if d not in self._key.flags]
        return Domain(tuple([a for a, _ in ends]), tuple([b - a + 1 for a, b in ends]))

    # ---- places of its cells
    def positions(self, axis: int) -> Tensor:
        """Return the position along an axis of the input for every selected cell: int64, of the output's shape.

        Raises IndexOutOfBounds while unbound, AxisError for an axis that the input lacks.

        >>> import weft
        >>> weft.index[::2, 1].bind((4, 3)).positions(0).tolist()
        [0, 2]
        """
        key, shape = self._bound("positions"), self._shape or ()
        return wrap(ir.locate(_own(select(ir.iota(shape, selections.axis_of("index", axis, len(shape))), key))))

    def coordinates(self) -> Tensor:
        """Return the coordinates of every selected cell as int64, of shape (*output_shape, input_ndim).

        Raises IndexOutOfBounds while unbound, DTypeError for an object without numbers.

        >>> import weft
        >>> weft.find(weft.asarray([[False, True], [True, True]])).coordinates().tolist()
        [[0, 1], [1, 0], [1, 1]]
        """
        key, shape = self._bound("coordinates"), self._shape or ()
        if not shape:
            return tensor.imported(np.zeros((*shape_of_key(key), 0), np.int64))
        found = [select(ir.iota(shape, d), key) for d in range(len(shape))]
        return wrap(ir.locate(selections.stack(found, found[0].desc.ndim)))

    def offsets(self) -> Tensor:
        """Return the byte offset of every selected cell: int64, of the output's shape.

        Raises IndexOutOfBounds while shape or strides are unbound.

        >>> import weft
        >>> weft.index[:, [0, 2]].bind((2, 4), (32, 8)).offsets().tolist()
        [[0, 16], [32, 48]]
        """
        key, shape = self._bound("offsets"), self._shape or ()
        if self._strides is None:
            raise IndexOutOfBounds(f"index: offsets of {self!r}, which no strides are known of; bind it to them first")
        total = selections.broadcast_to(ir.scalar(0, dt.int64), shape_of_key(key))
        for d, s in enumerate(self._strides):
            moved = ir.apply("multiply", select(ir.iota(shape, d), key), ir.scalar(s, dt.int64))
            total = ir.apply("add", total, moved)
        return wrap(ir.locate(_own(total)))

    # ---- composing
    def __getitem__(self, key: Any) -> Index:
        """Return the index of a selection of this index's selection: `x[i[key]]` is `x[i][key]`, and can be written.

        Raises IndexOutOfBounds while unbound or if `key` does not fit the output's shape, DTypeError if `key` is no
        index.
        """
        first, shape = self._bound("a part"), self._shape or ()
        second = key.key(shape_of_key(first)) if isinstance(key, Index) else parse(key, shape_of_key(first))
        composed = _affine(first, second) if first.is_basic and second.is_basic else None
        return _index(
            (), False, shape, _cellwise(first, second, shape) if composed is None else composed, self._strides
        )

    # ---- text
    def __repr__(self) -> str:
        maker = "weft.index.outer" if self._outer else "weft.index"
        if self._key is None or self._shape is None:
            return f"{maker}[{', '.join(map(_part_text, self._parts)) or '()'}]"
        text = f"{maker}[{_key_text(self._key, self._shape, self._strides) or '()'}] bound to shape {self._shape}"
        return text if self._strides is None else f"{text}, strides {self._strides}"


def _index(parts: tuple[Any, ...], outer: bool, shape: Shape | None, key: Key | None, strides: Shape | None) -> Index:
    """Return a new index object with the given parts; `shape`, `key` and `strides` are None if it is unbound."""
    made: Index = object.__new__(Index)
    made._parts, made._outer, made._shape, made._key = parts, outer, shape, key
    made._last, made._strides = None, strides
    return made


def _integers(what: str, given: int | Sequence[int]) -> Shape:
    """Return an integer or a sequence of integers as a tuple; raises DTypeError for anything else."""
    try:
        parts = (given,) if hasattr(given, "__index__") else tuple(given)
        return tuple([int(n.__index__()) for n in parts])
    except (AttributeError, TypeError):
        raise DTypeError(f"bind: {what} {given!r}; integers are needed; give one per axis") from None


def _own(n: Node) -> Node:
    """Return a node that is no view: `n`, or a copy of it if it is a view."""
    return n if n.alias is None else ir.make(OPS["positive"], (n,), (), ir.result(n.desc.dtype, n.desc.shape))


def _ends(e: Entry) -> tuple[int, int]:
    """Return the smallest and the largest position that an entry of a key selects."""
    if isinstance(e, int):
        return e, e
    if isinstance(e, np.ndarray):
        return int(e.min()), int(e.max())
    start, step, size = e
    last = start + (size - 1) * step
    return min(start, last), max(start, last)


# ---- one key after another


def _affine(first: Key, second: Key) -> Key | None:
    """Return the key that selects by `first`, then by `second`, both without index arrays.

    None if `second` slices a new axis of `first` to another size than 1.
    """
    out, given = Key([], []), iter(zip(second.entries, range(len(second.entries)), strict=True))
    for axis in range(len(first.entries) + 1):
        for _ in range(first.new_axes.count(axis)):
            e, number = next(given)
            out.new_axes.extend([axis] * second.new_axes.count(number))
            if isinstance(e, tuple):
                if e[2] != 1:
                    return None
                out.new_axes.append(axis)
        if axis < len(first.entries):
            inner = first.entries[axis]
            if not isinstance(inner, tuple):
                out.entries.append(inner)
                continue
            e, number = next(given)
            out.new_axes.extend([axis] * second.new_axes.count(number))
            start, step, _ = inner
            at = e if isinstance(e, int) else (start + e[0] * step, step * e[1], e[2])
            out.entries.append(start + at * step if isinstance(at, int) else at)
    out.new_axes.extend([len(first.entries)] * second.new_axes.count(len(second.entries)))
    return out


def _cellwise(first: Key, second: Key, shape: Shape) -> Key:
    """Return the key that selects by `first`, then by `second`, as index arrays with the coordinates of all cells.

    `first` selects from a tensor of `shape`.
    """
    found = []
    for d, n in enumerate(shape):
        line = np.arange(n).reshape([-1 if e == d else 1 for e in range(len(shape))])
        found.append(_applied(second, _applied(first, np.broadcast_to(line, shape))))
    if shape:
        return Key([np.array(t) for t in found], [], is_basic=False)
    cells = np.zeros(shape_of_key(second), np.int64)  # without axes, a flag carries the shape
    return Key([cells], [], None, [0], is_basic=False)


def _applied(key: Key, array: np.ndarray) -> np.ndarray:
    """Return the cells that a key selects from a NumPy array."""
    array = array.reshape(expanded_shape(key, array.shape)) if key.flags else array
    if key.outer:
        array = array[tuple([e if isinstance(e, int) else slice(None) for e in key.entries])]
    return array[numpy_key(key)].reshape(shape_of_key(key))


# ---- text


def _part_text(p: Any) -> str:
    """Return the text of one part of a key, as it would be written in brackets."""
    if isinstance(p, slice):
        ends = ["" if v is None else repr(v) for v in (p.start, p.stop)]
        return ":".join(ends if p.step is None else [*ends, repr(p.step)])
    if isinstance(p, Index):
        return f"<{p!r}>"
    if isinstance(p, np.ndarray):
        return f"mask({_table_text(p)})" if p.dtype == np.bool_ else _table_text(p)
    return "..." if p is Ellipsis else repr(p)


def _table_text(table: np.ndarray) -> str:
    """Return the cells of an index array as text; of more than 8, their count and range."""
    if table.size <= 8:
        return str(table.tolist())
    if table.dtype == np.bool_:
        return f"{np.count_nonzero(table)} of shape {table.shape}"
    return f"{table.size} from {table.min()} to {table.max()}"


def _key_text(key: Key, shape: Shape, strides: Shape | None) -> str:
    """Return the text of a resolved key for a shape; with strides, positions are given in bytes."""
    parts, sizes = [], expanded_shape(key, shape)
    steps = None if strides is None else iter(strides)
    for axis, (e, n) in enumerate(zip(key.entries, sizes, strict=True)):
        parts.extend(["None"] * key.new_axes.count(axis))
        step = None if steps is None or axis in key.flags else next(steps)
        if axis in key.flags and isinstance(e, np.ndarray) and e.ndim == 1 and e.size < 2:
            parts.append(f"mask({bool(e.size)})")
        elif isinstance(e, np.ndarray):
            parts.append(f"Indices({_table_text(e)})" if step is None else f"Offsets({_table_text(e * step)})")
        elif isinstance(e, tuple):
            parts.append(":" if e == (0, 1, n) else f"Steps{e}")
        else:
            parts.append(str(e))
    return ", ".join([*parts, *["None"] * key.new_axes.count(len(key.entries))])


# ---- makers


class Maker:
    """The object `weft.index`: indexing it creates an index object from the key."""

    __slots__ = ("_outer", "outer", "points")

    def __init__(self, outer: bool = False) -> None:
        self._outer = outer
        if not outer:
            self.outer, self.points = Maker(True), Points()

    __iter__ = None

    def __getitem__(self, key: Any) -> Index:
        parts = key if isinstance(key, tuple) else (key,)
        if len(parts) == 1 and type(parts[0]) is Index:
            return parts[0]
        parts = normal_parts(parts, self._outer)
        check_parts(parts, self._outer)
        return _index(parts, self._outer, None, None, None)

    def __repr__(self) -> str:
        return "weft.index.outer" if self._outer else "weft.index"


class Points:
    """The object `weft.index.points`: makes an index of cells from a table with a coordinate per row.

    >>> import weft
    >>> x = weft.reshape(weft.arange(25), (5, 5))
    >>> x[weft.index.points[[1, 2], [2, 3], [3, 4]]].tolist()
    [7, 13, 19]
    >>> x[weft.index.points[weft.find(x > 22).coordinates()]].tolist()
    [23, 24]
    """

    __slots__ = ()
    __iter__ = None

    def __getitem__(self, coordinates: Any) -> Index:
        """Return the index of the cells at the rows of a table.

        Raises IndexOutOfBounds unless the table has two axes, DTypeError unless its cells are integers.
        """
        rows = list(coordinates) if isinstance(coordinates, tuple) else coordinates
        (table,) = normal_parts((rows if isinstance(rows, (list, Tensor)) else np.asarray(rows),))
        if not isinstance(table, np.ndarray) or table.dtype == np.bool_ or table.ndim != 2 or not table.shape[1]:
            found = f"a table of shape {np.shape(table)}, {getattr(table, 'dtype', 'int')}"
            raise IndexOutOfBounds(
                f"index: {found} for points; a point is a row with one integer per axis; give a table of them"
            )
        return index[tuple(table.T)]

    def __repr__(self) -> str:
        return "weft.index.points"


index = Maker()


def find(mask: Any, /) -> Index:
    """Return an index object of the positions where a bool tensor is true: `x[find(m)]` is `x[m]`.

    The mask is computed at once; the object is bound to its shape, selects the same cells of any tensor of that shape,
    for reading and writing, and returns their coordinates. Raises DTypeError if the mask is not bool.

    >>> import weft
    >>> x = weft.asarray([5, 0, 7])
    >>> found = weft.find(x > 1)
    >>> found, x[found].tolist(), found[1:].coordinates().tolist()
    (weft.index[Indices([0, 2])] bound to shape (3,), [5, 7], [[2]])
    """
    m = mask if type(mask) is Tensor else tensor.imported(mask)
    if m.dtype is not dt.bool:
        raise DTypeError(f"find: dtype {m.dtype.name}; masks are bool; compare it first, as in find(x != 0)")
    return _index((), False, m.shape, parse((read(m),), m.shape), None)
