"""Indexing: the meaning of `x[key]`.

The one idea: basic keys (integers, slices, ..., None) are affine atoms and give views; masks and index arrays are
computed at once, for bounds checks and to find runs, and then move cells lazily: by slices joined together if the
positions form few runs, else by one gather.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import pairwise
from math import prod
from typing import Any
from weakref import ref

import numpy as np

from weft import dtypes as dt
from weft.errors import DTypeError
from weft.ir.atoms import position_tables, selections
from weft.ir.atoms.gather import by_parts, selected_again, source_cells
from weft.ir.atoms.position_tables import Slice
from weft.ir.atoms.selections import applied_steps
from weft.ir.graph import node as ir
from weft.ir.graph.description import Shape, TensorDescription
from weft.ir.graph.node import Node
from weft.ir.graph.ops import BARRIERS, OPS
from weft.ir.graph.undefined import positions_within
from weft.passes.fuse import is_any_below, is_stored, over_files
from weft.passes.views import reach
from weft.runtime.compute import stages
from weft.runtime.compute.signature import MaskWork
from weft.runtime.memory.access import WRITERS
from weft.runtime.memory.limits import limit_of_sweeps, warn_beyond
from weft.tensors import tensor
from weft.tensors.cell_values import cell, names_cell, plain_key, read_cell, value_of
from weft.tensors.keys import Entry, Key, Nested, axis_of_part, normal_parts, parse, table_place
from weft.tensors.place import VALUE
from weft.tensors.positions import table_of
from weft.tensors.tensor import Tensor, handle, known_node, node_of, with_values, wrap
from weft.tensors.tracing import Trace
from weft.tensors.view_keys import basic, key_steps, sliced

FEW_RUNS, LONG_RUN = 4, 512  # more runs of fewer positions are one table: each slice is planned, and tables run alike
FEW = 1 << 16  # most positions of an index array that are searched for duplicates
_FILE, _GATHER = OPS["file"], OPS["gather"]
_MOVING = frozenset(["selection", "take"])  # kinds of ops whose nodes hold cells of their inputs
_INTEGERS, _INDEXING = frozenset([int]), ("int", "uint")
_KINDS = {"b": "bool", "i": "int", "u": "uint"}  # of NumPy's dtypes that index
MOST_REMEMBERED = 1 << 20  # bytes of the numbers of cells that are kept for the next use of a mask
PART = 8  # positions over files are read if they take less than 1 / PART of the memory limit
LARGER = 4  # a composite is narrowed if it is so many times larger than the selected cells

# ---- nodes


def gather(n: Node, axes: Sequence[int], indices: Sequence[np.ndarray | Node], at: int) -> Node:
    """Return the cells of `n` at index arrays, or nodes of positions, along `axes`, as a node.

    The index arrays are broadcast together; their axes are inserted at position `at` among the remaining axes. Raises
    ShapeError if they do not broadcast, or the result has over 2**62 cells.
    """
    shape = indices[0].shape if len(indices) == 1 else ir.broadcast_shapes("index", *(i.shape for i in indices))
    pairs = zip(axes, indices, strict=True)
    leaves = [i if isinstance(i, Node) else position_tables.leaf(i, n.desc.shape[a]) for a, i in pairs]
    attrs = (tuple(axes), at)
    return ir.make(_GATHER, (n, *leaves), attrs, _gathered(n.desc, shape, *attrs))


@lru_cache(maxsize=4096)
def _gathered(desc: TensorDescription, shape: Shape, axes: tuple[int, ...], at: int) -> TensorDescription:
    """Return the description of the cells of `desc` at index arrays of a shape along `axes`, inserted at position `at`.

    Raises ShapeError if there are over 2**62 cells.
    """
    rest = [a for a in range(desc.ndim) if a not in axes]
    sizes, origin = [desc.shape[a] for a in rest], desc.origin
    out = (*sizes[:at], *shape, *sizes[at:])
    selections.check_size("index", out)
    if origin is not None:  # untouched axes keep their origin
        kept = [origin[a] for a in rest]
        origin = (*kept[:at], *[0] * len(shape), *kept[at:])
    return ir.result(desc.dtype, out, origin)


def take(n: Node, axis: int, table: np.ndarray | Node) -> Node:
    """Return the cells at the positions in `table` along one axis; the axes of the table replace that axis."""
    if isinstance(table, Node):
        return gather(n, (axis,), (table,), axis)
    moves = n.op.kind in _MOVING
    if moves and (again := selected_again(n, axis, table)) is not None:
        first, axes, tables = again
        return take(first, axis, tables[0]) if axes == (axis,) else gather(first, axes, tables, axis)
    found = position_tables.runs(table) if table.ndim == 1 and not _are_few_in_memory(n, table) else None
    if found is not None and (len(found) <= FEW_RUNS or len(table) >= LONG_RUN * len(found) or _is_dear(n)):
        return selections.concat([_run(n, axis, r) for r in found], axis)
    inner, moved = source_cells(n, axis, table) if moves else (n, table)
    if inner is not n:
        return take(inner, axis, moved)
    parts = by_parts(n, axis, table) if moves and table.ndim == 1 else None
    return gather(n, (axis,), (table,), axis) if parts is None else _take_of_parts(n, axis, *parts)


def _are_few_in_memory(n: Node, table: np.ndarray) -> bool:
    """True if `table` has so few positions of a stored value that finding runs takes longer than reading the cells.

    Always False for pending values and files, since runs show what is not computed or read.
    """
    root = ir.root_of(n)
    return 0 < len(table) < position_tables.LEAST_RUN and root.value is not None and root.op is not _FILE


def _is_dear(n: Node) -> bool:
    """True if n reads a file, or what is computed whole unless slices say which part is read."""
    return is_any_below([n], lambda i: i.op is _FILE or (i.value is None and i.op.kind in BARRIERS))


def _run(n: Node, axis: int, run: Slice) -> Node:
    """Return the positions start, start + step, ... of one axis, with origin 0; step 0 repeats one position."""
    start, step, size = run
    again = step == 0 and size > 1
    slices = [(0, 1, m) for m in n.desc.shape]
    slices[axis] = (start, 1, 1) if again else run
    n = selections.slice_(n, slices)
    if again:
        n = selections.broadcast_to(n, [size if d == axis else m for d, m in enumerate(n.desc.shape)])
    if n.desc.origin is not None and n.desc.origin[axis]:
        n = selections.translate(n, [-o if d == axis else 0 for d, o in enumerate(n.desc.origin)])
    return n


def _take_of_parts(n: Node, axis: int, number: np.ndarray, position: np.ndarray) -> Node:
    """Return positions of a concatenation: cell i is at `position[i]` of input `number[i]`.

    Unused inputs are not read.  Where the parts do not come in turn, each cell is taken once, then looked up: a climate
    of twelve months, each read a hundred times, is twelve cells.
    """
    back = None
    if (number[1:] < number[:-1]).any():
        longest = max([i.desc.shape[axis] for i in n.inputs])
        distinct, back = np.unique(number * longest + position, return_inverse=True)
        number, position = np.divmod(distinct, longest)
    starts = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(number)]
    parts = [take(n.inputs[int(number[a])], axis, position[a:b]) for a, b in pairwise(starts)]
    together = selections.concat(parts, axis)
    return together if back is None else gather(together, (axis,), (back,), axis)


def index_values(op: str, indices: Tensor, n: int, axis: int) -> np.ndarray | Node:
    """Return an index tensor's values for an axis of size `n`, with negative ones counted from the end.

    If the values are not known yet, as in a trace, return a node of them with a bounds check at computation. Raises
    DTypeError, naming `op`, if the dtype is no integer, IndexOutOfBounds for the first position out of bounds.
    """
    if not indices.dtype.is_integer:
        raise DTypeError(f"{op}: indices of dtype {indices.dtype.name}; positions are integers; use astype(weft.int64)")
    if is_to_come(indices):
        return positions_to_come(indices, n)
    table = known_node(indices)
    may_wait = not is_stored(table) and _are_within(table, n) and over_files([table])
    if may_wait and table.desc.nbytes > limit_of_sweeps() // PART:
        return ir.astype(node_of(indices), dt.int64)
    return with_values(indices, lambda values: table_of(values, n, axis), op)


def _are_within(table: Node, n: int) -> bool:
    """True if positions come from a sort or argmin over at most n cells, so that they are in bounds."""
    found = reach(table)[0]
    if found.op.name == "argsort":
        return found.inputs[0].desc.shape[found.attrs[0]] <= n
    if found.op.name == "gather":
        return _are_within(found.inputs[0], n)
    return found.op.name in ("argmin", "argmax") and found.inputs[0].desc.size <= n * max(found.desc.size, 1)


def is_to_come(x: Any) -> bool:
    """True if `x` is a tensor of integers that depends on placeholders, so that its values are not known yet."""
    return type(x) is Tensor and (n := known_node(x)).depth >= ir.WAITING and n.desc.dtype.is_integer


def positions_to_come(indices: Tensor, n: int) -> Node:
    """Return the positions in `indices` along an axis of size `n`, counted from 0, as a node.

    The node raises IndexOutOfBounds for a position out of bounds when it is computed.
    """
    t = node_of(indices)
    if t.desc.dtype is dt.uint64:  # positions beyond int64 are out of any bounds
        t = ir.apply("minimum", t, ir.scalar((1 << 63) - 1, dt.uint64))
    return ir.locate(positions_within(ir.astype(t, dt.int64), n), 4)


def take_positions(op: str, x: Tensor, indices: Tensor, axis: int) -> Tensor:
    """Return the cells at the positions in `indices` along one axis; the axes of `indices` replace that axis.

    Raises DTypeError, naming `op`, if they are no integers, IndexOutOfBounds for a position out of bounds.
    """
    return wrap(ir.locate(take(node_of(x), axis, index_values(op, indices, x.shape[axis], axis))))


def take_runs(op: str, x: Tensor, starts: Sequence[int], stops: Sequence[int], axis: int) -> Tensor:
    """Return the cells from `starts[i]` up to `stops[i]` along one axis, for all i, one run behind the other.

    Few runs are joined slices, many are one table of positions. `op` is named in warnings of reads over the memory
    limit.
    """
    first, sizes = position_tables.joined(np.asarray(starts), np.asarray(stops))
    if len(first) <= position_tables.MAX_RUNS:
        runs = [(start, 1, n) for start, n in zip(first.tolist(), sizes.tolist(), strict=True)]
        return wrap(ir.locate(selections.concat([_run(node_of(x), axis, r) for r in runs], axis)))
    ends = np.cumsum(sizes)
    if not over_files([node_of(x)]).isdisjoint([id(node_of(x))]):
        warn_beyond(op, 2 * np.dtype(np.int64).itemsize * int(ends[-1]))
    table = np.arange(ends[-1]) + np.repeat(first - ends + sizes, sizes)
    return wrap(ir.locate(take(node_of(x), axis, table)))


def advanced(n: Node, key: Key) -> Node:
    """Return the selection of a key with index arrays from a node, with new axes placed as NumPy does.

    Raises ShapeError if the index arrays do not broadcast.
    """
    if key.outer:
        return _outer(n, key)
    at = table_place(key)[1]
    n = sliced(n, key)
    axes = [a + sum(new <= a for new in key.new_axes) for a in range(len(key.entries))]
    if key.new_axes:
        n = selections.expand_dims(n, [new + i for i, new in enumerate(key.new_axes)])
    positions = [(axes[a], e) for a, e in enumerate(key.entries) if isinstance(e, int)]
    if positions:  # integers count as index arrays for the place of the new axes, but need no gather
        n = selections.index(n, positions)
    given = [(axes[a], e) for a, e in enumerate(key.entries) if isinstance(e, (np.ndarray, Node))]
    along = [axis - sum(p < axis for p, _ in positions) for axis, _ in given]
    if len(given) == 1 and at == along[0]:
        return take(n, at, given[0][1])
    tables = [e for _, e in given]
    if any(isinstance(e, Node) for e in tables):
        return gather(n, along, tables, at)
    return gather(*_narrowed(n, along, tables), at)


def _narrowed(
    n: Node, axes: Sequence[int], indices: Sequence[np.ndarray]
) -> tuple[Node, Sequence[int], Sequence[np.ndarray]]:
    """Return (node, axes, index arrays) that gather the same cells, from a smaller node if possible.

    A composite of which few positions are used is cut to these; all else is returned unchanged.
    """
    root = ir.root_of(n)
    if root.op.kind != "selection" or root.value is not None or not 0 < max(i.size for i in indices) <= FEW:
        return n, axes, indices
    found = [np.unique(i, return_inverse=True) for i in indices]
    if LARGER * prod(len(positions) for positions, _ in found) > prod(n.desc.shape[a] for a in axes):
        return n, axes, indices
    for axis, (positions, _) in zip(axes, found, strict=True):
        n = take(n, axis, positions)
    return n, axes, [number.reshape(i.shape) for (_, number), i in zip(found, indices, strict=True)]


def _outer(n: Node, key: Key) -> Node:
    """Return the selection of a key whose index arrays each select along their own axis."""
    sizes = zip(key.entries, n.desc.shape, strict=True)
    whole: list[Entry] = [(0, 1, m) if isinstance(e, np.ndarray) else e for e, m in sizes]
    n = basic(n, Key(whole, key.new_axes))
    for axis, e in enumerate(key.entries):
        if isinstance(e, np.ndarray):
            before = sum(isinstance(other, int) for other in key.entries[:axis])
            n = take(n, axis - before + sum(new <= axis for new in key.new_axes), e)
    return n


# ---- reading


def key_of(key: Any, n: Node) -> Key:
    """Return a user's key, or an index object, as one entry per axis of a node.

    Raises IndexOutOfBounds if it does not fit the shape or has too many new axes, DTypeError if a part is no index.
    """
    if isinstance(key, Nested):
        return key.key_for(n.desc)
    if (table := _lone_table(key, n.desc)) is not None:
        return Key([table, *[(0, 1, size) for size in n.desc.shape[1:]]], [], is_basic=False)
    return parse(key, n.desc.shape)


def select(n: Node, key: Key) -> Node:
    """Return the selection of a key from a node: a view if the key has no index arrays.

    Raises ShapeError if the index arrays do not broadcast.
    """
    if key.flags:
        n = selections.expand_dims(n, key.flags)
    return basic(n, key) if key.is_basic else advanced(n, key)


def getitem(x: Tensor, key: Any) -> Tensor:
    """Return `x[key]`: a view for integers, slices, `...` and None, a new value for masks and index arrays.

    Integers for all axes, or `()` for none, select a cell, whose value stays as it is whatever is written to x.

    Raises IndexOutOfBounds if the key does not fit the shape, DTypeError if a part is no index, ShapeError if index
    arrays do not broadcast.
    """
    is_cell = type(key) is int or (type(key) is tuple and _INTEGERS.issuperset(map(type, key)))
    if is_cell and (found := read_cell(x, key)) is not None:
        return found
    n = known_node(x)
    steps = key_steps(n, key)
    if steps is not None:
        if not (steps[-1][2] if steps else n.desc).shape and names_cell(key):
            return cell(x, n, steps)
        return handle(x, applied_steps(n, steps) if steps else selections.permute(n, range(n.desc.ndim)))
    if (type(key) is not Tensor or key._place.kind is VALUE) and (plain := plain_key(key)) is not key:
        return getitem(x, plain)
    if (cells := _masked(x, key)) is not None:
        return wrap(ir.locate(cells))
    if has_positions_to_come(key) and (cells := selected_to_come(node_of(x), key)) is not None:
        return wrap(ir.locate(cells))
    if (table := _lone_table(key, n.desc)) is not None:
        return wrap(ir.locate(take(node_of(x), 0, table)))
    if is_stored(n) and n.op is not _FILE and (numbers := masked_cells(key, n.desc)) is not None:
        return wrap(ir.locate(take(selections.reshaped(node_of(x), merged_shape(key, n.desc.shape)), 0, numbers)))
    parsed = key_of(key, n)
    if not parsed.is_basic:
        return wrap(ir.locate(select(node_of(x), parsed)))
    chosen = select(n, parsed)
    if not chosen.desc.shape and names_cell(key):
        return value_of(x, chosen)
    return handle(x, chosen if chosen is not n else selections.permute(n, range(n.desc.ndim)))


def _masked(x: Tensor, key: Any) -> Node | None:
    """Return the cells of x where a mask of its shape is true, found tile by tile over files. None for others.

    None if neither the mask nor x is an expression over files, and for other keys. Raises DTypeError for an object
    without numbers.
    """
    d = known_node(x).desc
    if stages.Stages.all["sources"] is None or not d.shape or getattr(key, "shape", None) != d.shape:
        return None
    if type(key) is Tensor:
        mask = known_node(key)
    elif type(key) is np.ndarray and key.dtype == np.bool_ and known_node(x).value is None:
        mask = known_node(tensor.imported(key))
    else:
        return None
    value = node_of(x)
    if mask.desc.dtype is not dt.bool or mask.traits is not None or value.traits is not None:
        return None
    if mask.value is None:
        stages.perform(work := MaskWork(node_of(key), value))
    elif value.value is None and any(n.op is _FILE for n in ir.walk([value])):
        stages.find_cells(work := MaskWork(mask, value))
    else:
        return None
    return work.cells


def has_positions_to_come(key: Any) -> bool:
    """True if a key is, or has among its parts, a tensor of positions whose values are not known yet."""
    return any(map(is_to_come, key)) if type(key) is tuple else is_to_come(key)


def selected_to_come(n: Node, key: Any) -> Node | None:
    """Return the selection of a key with positions that are not known yet; None for other keys.

    Raises IndexOutOfBounds if the key does not fit the shape, DTypeError if a part is no index.
    """
    parts = key if type(key) is tuple else (key,)
    late = [k for k, p in enumerate(parts) if is_to_come(p)]
    if not late or any(isinstance(p, (Nested, bool, np.bool_)) for p in parts):
        return None
    shape = n.desc.shape
    parts = normal_parts(tuple([np.zeros(p.shape, np.int64) if k in late else p for k, p in enumerate(parts)]))
    parsed = parse(parts, shape)
    for k in late:
        axis = axis_of_part(parts, k, len(shape))
        parsed.entries[axis] = positions_to_come(key[k] if type(key) is tuple else key, shape[axis])  # type: ignore[call-overload]
    return advanced(n, parsed)


def _lone_table(key: Any, d: TensorDescription) -> np.ndarray | None:
    """Return the positions along axis 0 of a key that is one tensor, array, list or vector mask.

    None for other keys. Raises IndexOutOfBounds for a position out of bounds.
    """
    if type(key) is Tensor:
        of = known_node(key).desc
        kind, shape = of.dtype.kind, of.shape
    else:
        if type(key) is list and key and _INTEGERS.issuperset(map(type, key)):
            key = np.array(key)
        if type(key) is not np.ndarray:
            return None
        kind, shape = _KINDS.get(key.dtype.kind, ""), key.shape
    if kind == "bool":
        found = _true_cells if len(shape) == 1 and shape == d.shape else None
    else:
        found = partial(table_of, n=d.shape[0], axis=0) if kind in _INDEXING and shape and d.shape else None
    if found is None:
        return None
    table: np.ndarray = with_values(key, found) if type(key) is Tensor else found(key)
    return table


def masked_cells(key: Any, d: TensorDescription) -> np.ndarray | None:
    """Return the row-major numbers of the positions where a mask of rank 2 or more is true, over its axes.

    None for other keys, for a mask of another shape than the first axes of `d`, and if `d` is not row-major.
    """
    rank = getattr(key, "ndim", 0)
    if rank < 2 or key.shape != d.shape[:rank] or d.origin is not None or not d.c_contiguous:
        return None
    if type(key) is np.ndarray:
        return _true_cells(key) if key.dtype == np.bool_ else None
    return _Masks.cells(key) if type(key) is Tensor and key.dtype is dt.bool else None


class _Masks:
    """The last mask that selected cells, since one often selects from several tensors in a row.

    `last` has a weak reference to its node, the epoch of writes in which its cells were read, and their numbers.
    """

    last: tuple[Any, object, Any] = (type(None), None, None)

    @classmethod
    def cells(cls, mask: Tensor) -> np.ndarray:
        """Return the row-major numbers of the cells where a mask is true, read anew if it may have changed."""
        n, epoch, (known, seen, numbers) = known_node(mask), WRITERS.epoch, cls.last
        shared = n.fingerprint is not None or mask._place.region is not None
        if known() is n and seen is epoch is not None and not (shared or Trace.active):
            return numbers
        found: np.ndarray = with_values(mask, _true_cells)
        on_host = n.alias is None and n.traits is None  # writes on other devices start no new epoch
        if on_host and not shared and found.nbytes <= MOST_REMEMBERED:
            cls.last = ref(n), epoch, found
        return found


def merged_shape(mask: Any, shape: Shape) -> Shape:
    """Return a shape with the axes of a mask merged into one."""
    return (prod(shape[: mask.ndim]), *shape[mask.ndim :])


def _true_cells(mask: np.ndarray) -> np.ndarray:
    """Return the row-major numbers of the cells where a mask is true."""
    return mask.reshape(-1).nonzero()[0]


Tensor.__getitem__ = getitem  # type: ignore[method-assign, assignment]
