"""Writing through brackets: the meaning of `x[key] = v`.

The one idea: keys of integers and slices select a view, which is written; for masks and index arrays, each cell gets
the number of the value written to it, or -1.  In a trace the numbers may be an expression, and a new version is built.
"""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.errors import TracingError
from weft.ir.atoms import position_tables, selections
from weft.ir.atoms.atom import ViewSteps
from weft.ir.atoms.gather import gather
from weft.ir.atoms.reshape import reshape
from weft.ir.graph import node as ir
from weft.ir.graph.description import Shape, TensorDescription, describe
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.ir.graph.weak_scalars import SCALARS
from weft.modes.implicit_conversions import of_transfer
from weft.tensors import tensor
from weft.tensors.cell_values import plain_key, write_few, write_number
from weft.tensors.in_place import in_place
from weft.tensors.indexing import (
    is_to_come,
    key_of,
    masked_cells,
    merged_shape,
    positions_to_come,
    select,
    selected_to_come,
)
from weft.tensors.keys import Key, check_mask, numpy_key, output_shape
from weft.tensors.pending_limits import Limits
from weft.tensors.place import VALUE, NumberPlace, change, check_writable, is_read_only, lock_of, remember
from weft.tensors.temporaries import TEMPORARY, is_lent
from weft.tensors.tensor import Tensor, handle, known_node, node_of, values_of
from weft.tensors.tiled_writes import filled, rewritten
from weft.tensors.tracing import Trace
from weft.tensors.unused_views import ViewMark
from weft.tensors.versions import prepare_write
from weft.tensors.view_keys import key_steps
from weft.tensors.writing import check_kind, fit, is_large, without_leading, write

PART = 1 << 13  # narrow positions that are converted at a time, which takes NumPy twice as long on the way
_PLAIN = frozenset([int, slice])
_OF_VIEWS = frozenset([int, slice, tuple])  # types of keys that may select one cell, or a plain view


def setitem(x: Tensor, key: Any, value: Any) -> None:
    """Write `x[key] = value`; the value is read completely first, and of repeated positions the last one wins.

    Raises IndexOutOfBounds if the key does not fit, ShapeError if the value does not broadcast to the cells, DTypeError
    for a part that is no index or a value of a higher kind, ValueRangeError for a number that does not fit the dtype,
    WriteError if the cells cannot be written.
    """
    if type(key) not in _PLAIN and (type(key) is not Tensor or key._place.kind is VALUE):
        key = plain_key(key)
    is_number = type(value) is not Tensor or type(value._place) is NumberPlace
    is_mask = type(key) is Tensor and key._view is None and key._place.node.desc.dtype is dt.bool
    if is_number and (is_mask or type(key) in _OF_VIEWS) and write_number(x, key, value):
        return
    kept = type(value) is Tensor and (getrefcount(value) > TEMPORARY or is_lent(value))
    steps = () if key is Ellipsis else key_steps(known_node(x), key)
    if steps is not None and type(value) not in SCALARS and type(value) is not Tensor:
        value = tensor.wrap(tensor.operand(value, x.dtype, "setitem"))
    if steps is not None:  # no local variable may hold a node here: it would count as a reader of the old version
        if type(value) is Tensor and (_is_written(x, value, steps) or write_few(x, steps, value, "setitem")):
            return
        write(x, _source(value, x.dtype), "setitem", steps, kept)
        return
    if Trace.active and Trace.here() is not None and (made := _in_trace(x, key, value)) is not None:
        write(x, made, "setitem")
        return
    if (chosen := _with_number(x, key, value)) is not None:
        in_place(x, chosen, "setitem")
        return
    if is_large(x._place) and (tiled := _in_tiles(x, key, value)) is not None:
        write(x, tiled, "setitem")
        return
    if (cells := masked_cells(key, known_node(x).desc)) is not None:
        shape = merged_shape(key, x.shape)
        _scatter(x, Key([cells, *[(0, 1, n) for n in shape[1:]]], [], is_basic=False), value, shape)
        return
    parsed = key_of(key, known_node(x))
    if parsed.is_basic:
        write(_target(x, parsed), _source(value, x.dtype), "setitem", (), kept)
    else:
        _scatter(x, parsed, value, x.shape)


def _is_written(x: Tensor, value: Tensor, steps: ViewSteps) -> bool:
    """True if `value` is the view of x by `steps`, written already: `x[key] += 1` ends with its assignment."""
    cells, view = x._place.node, value._view
    if value._place is not x._place or x._view is not None or type(view) is not ViewMark or is_read_only(cells):
        return False
    return view.steps == steps and view.of is cells.desc


def _source(value: Any, dtype: dt.DType) -> Node:
    """Return the node of a value to be written to cells of a dtype.

    Raises DTypeError for a value of a higher kind, ValueRangeError for a number that does not fit the dtype.
    """
    v = tensor.operand(value, dtype, "setitem")
    check_kind("setitem", v, dtype)
    return v


def _cells(value: Any, target: TensorDescription) -> Node:
    """Return the node of a value in the shape and dtype of `target`; its leading axes of size 1 are dropped.

    Raises ShapeError if it does not broadcast, DTypeError for a value of a higher kind.
    """
    return fit("setitem", without_leading(_source(value, target.dtype), target.ndim), target)


def _target(x: Tensor, key: Key) -> Tensor:
    """Return a handle on the cells that a key without index arrays selects."""
    n = known_node(x)
    found = select(n, key)
    return x if found is n else handle(x, found)


def _with_number(x: Tensor, key: Any, value: Any) -> Tensor | None:
    """Return x with a number in the cells that a bool tensor selects, as an expression; else None.

    None for other keys and values, for views, in a trace, and where gradients or devices are involved. Raises
    IndexOutOfBounds if the mask has another shape, DTypeError or ValueRangeError if the dtype cannot hold the number.
    """
    if type(key) is not Tensor or key.dtype is not dt.bool or type(value) not in _NUMBERS or Trace.active:
        return None
    n, mask = known_node(x), known_node(key)
    if n.alias is not None or n.traits is not None or mask.traits is not None or not mask.desc.ndim:
        return None
    return tensor.wrap(ir.locate(_where(node_of(x), node_of(key), _source(value, x.dtype)), 4))


_BROADCAST = OPS["broadcast_to"]
_NUMBERS = frozenset([bool, int, float, complex])

# ---- tile by tile


def _in_tiles(x: Tensor, key: Any, value: Any) -> Node | None:
    """Return the node of x with `value` in cells that index arrays or a mask select, made by tiles. None for others.

    None for other keys, and where gradients or devices are involved. Raises IndexOutOfBounds if the key does not fit,
    ShapeError if the value does not broadcast, DTypeError for a value of a higher kind.
    """
    n, source = node_of(x), ir.astype(_source(value, x.dtype), x.dtype)
    if n.traits is not None or source.traits is not None or n.desc.origin is not None:
        return None
    mask = _mask_over(n, key)
    if mask is not None and mask.traits is None and source.desc.ndim < 2:
        return _where(n, mask, source) if source.desc.size == 1 else filled(n, mask, source)
    parsed = key_of(key, n)
    if parsed.is_basic:
        return None
    shape = output_shape(parsed)
    source = without_leading(source, len(shape))
    fit("setitem", source, describe(x.dtype, shape))
    return rewritten(n, parsed, np.broadcast_to(values_of(source), shape))


def _mask_over(n: Node, key: Any) -> Node | None:
    """Return the node of `key` if it is a bool mask of the shape of `n`, else None.

    A mask is a tensor or NumPy array of rank 1 or more. Raises DTypeError for an object without numbers.
    """
    is_mask = (type(key) is Tensor and key.dtype is dt.bool) or (type(key) is np.ndarray and key.dtype == np.bool_)
    return node_of(tensor.imported(key)) if is_mask and key.shape == n.desc.shape and key.ndim else None


# ---- at once


def _scatter(x: Tensor, key: Key, value: Any, shape: Shape) -> None:
    """Write a value at once to the cells that `key` selects from x reshaped to `shape`.

    Raises ShapeError if the value does not broadcast, DTypeError for a value of a higher kind, WriteError if the cells
    cannot be written.
    """
    given = _cells(value, describe(x.dtype, output_shape(key)))
    if Limits.watcher is not None:
        Limits.watcher.judge(of_transfer("setitem", given, known_node(x)))
    values = given.desc.shape
    alone = given.inputs[0] if given.op is _BROADCAST and not key.outer else given  # NumPy spreads values itself
    array = values_of(alone if alone.alias is None or alone.alias[0].value is not None else ir.copied(alone))
    p = x._place
    with lock_of(p):
        record = check_writable(
            "setitem", known_node(x), given, to=lambda: _numbers(shape, key, values).reshape(x.shape)
        )
        change(prepare_write(x), lambda memory: _put(memory.reshape(shape), key, array))
        if record is not None:
            remember(x, record)


def _numbers(shape: Shape, key: Key, values: Shape) -> np.ndarray:
    """Return, for each cell of `shape`, the row-major number of the cell of the value written to it, or -1.

    The value has shape `values`, that of the selection of `key`; of several cells written to one, the last is taken.
    """
    numbers = np.full(shape, -1)
    _put(numbers, key, np.arange(np.prod(values, dtype=int)).reshape(values))
    return numbers


def _put(memory: np.ndarray, key: Key, array: np.ndarray) -> None:
    """Write an array to the cells of `memory` that a key with index arrays selects."""
    if key.flags:
        memory = np.expand_dims(memory, key.flags)
    if key.outer:
        memory = memory[tuple([e if isinstance(e, int) else slice(None) for e in key.entries])]
        array = array.reshape(_lengths(key))
    index = numpy_key(key)
    at = index[0] if len(index) == 1 and isinstance(index[0], np.ndarray) else None
    alike = at is not None and array.shape == (*at.shape, *memory.shape[1:]) and not np.may_share_memory(memory, array)
    if at is None or at.ndim != 1 or not alike:
        memory[index] = array
        return
    for first in range(0, len(at), PART):
        part = slice(first, first + PART)
        memory[at[part].astype(np.intp, copy=False)] = array[part]


def _lengths(key: Key) -> list[int]:
    """Return the number of positions of each entry of a key that keeps its axis."""
    return [e[2] if isinstance(e, tuple) else len(e) for e in key.entries if not isinstance(e, int)]


# ---- as an expression of a trace


def _in_trace(x: Tensor, key: Any, value: Any) -> Node | None:
    """Return the node of x with `value` in the cells that masks or index arrays select; None for other keys.

    Raises IndexOutOfBounds if the key does not fit, ShapeError if the value does not broadcast, DTypeError for a value
    of a higher kind, TracingError for several values under a mask that is computed in the trace.
    """
    n, shape = node_of(x), known_node(x).desc.shape
    if type(key) is Tensor and key.dtype is dt.bool and known_node(key).depth >= ir.WAITING:
        return _where(n, node_of(key), _source(value, x.dtype))
    if is_to_come(key) and shape:  # rows
        numbered = positions_to_come(key, shape[0])
        return _with_rows(n, numbered, (*numbered.desc.shape, *shape[1:]), _source(value, x.dtype))
    flat, cells = reshape(n, (n.desc.size,)), ir.iota((n.desc.size,))
    chosen = selected_to_come(reshape(cells, shape), key)
    if chosen is not None:
        return reshape(_with_rows(flat, chosen, chosen.desc.shape, _source(value, x.dtype)), shape)
    parsed = key_of(key, n)
    if parsed.is_basic:
        return None
    v = _cells(value, describe(x.dtype, output_shape(parsed)))
    if not v.desc.size:
        return n
    numbers = position_tables.leaf(_numbers(shape, parsed, v.desc.shape).reshape(-1), v.desc.size)
    return reshape(_chosen(flat, numbers, reshape(v, (v.desc.size,))), shape)


def _where(n: Node, mask: Node, value: Node) -> Node:
    """Return `n` with `value` in the cells where `mask`, over its first axes, is true.

    Raises IndexOutOfBounds for a mask of another shape than those axes, ShapeError if the value does not broadcast,
    TracingError if the value differs along the axes of the mask.
    """
    check_mask(mask.desc.shape, n.desc.shape)
    rest = n.desc.shape[mask.desc.ndim :]
    lead = value.desc.ndim - len(rest)
    if any(size != 1 for size in value.desc.shape[: max(lead, 0)]):
        raise TracingError(
            f"compile: setitem: a value of shape {value.desc.shape} for the cells where a mask is true; how many there "
            "are is known only at each call; write one value, or x[...] = weft.where(mask, values, x)"
        )
    cells = fit("setitem", selections.squeeze(value, range(lead)) if lead > 0 else value, describe(n.desc.dtype, rest))
    whole = selections.broadcast_to(reshape(mask, (*mask.desc.shape, *[1] * len(rest))), n.desc.shape)
    return ir.make(OPS["where"], (whole, selections.broadcast_to(cells, n.desc.shape), n), (), _like(n))


def _with_rows(n: Node, positions: Node, selected: Shape, value: Node) -> Node:
    """Return `n` with the rows at the node `positions` replaced by the rows of `value`, broadcast to shape `selected`.

    Of equal positions, the last one wins. Raises ShapeError if the value does not broadcast.
    """
    v = fit("setitem", without_leading(value, len(selected)), describe(n.desc.dtype, selected))
    count, size = positions.desc.size, n.desc.shape[0]
    at, rows = reshape(positions, (count,)), reshape(v, (count, *n.desc.shape[1:]))
    if not n.desc.size or not count:
        return n
    if count == 1:
        here = ir.apply("equal", ir.iota((size,)), at)
        return _chosen(n, ir.apply("subtract", ir.astype(here, dt.int64), _int(1)), rows)
    order = ir.make(OPS["argsort"], (at,), (0, False, ()), ir.result(dt.int64, (count,)))
    sorted_ = gather(at, [order], [0], 0)
    after = selections.slice_(sorted_, [(1, 1, count - 1)])
    differs = ir.apply("not_equal", after, selections.slice_(sorted_, [(0, 1, count - 1)]))
    is_last = selections.concat([ir.astype(differs, dt.int64), selections.broadcast_to(_int(1), (1,))], 0)
    numbers = ir.apply("multiply", ir.apply("add", order, _int(1)), is_last)
    found = ir.make(OPS["bin_sums"], (sorted_, numbers), (size,), ir.result(dt.int64, (size,)))
    return _chosen(n, ir.apply("subtract", found, _int(1)), rows)


def _chosen(n: Node, numbers: Node, rows: Node) -> Node:
    """Return `n` with row i replaced by row `numbers[i]` of `rows`, unless the number is -1."""
    shape = n.desc.shape
    there = reshape(ir.apply("greater_equal", numbers, _int(0)), (shape[0], *[1] * (len(shape) - 1)))
    cells = gather(rows, [ir.apply("maximum", numbers, _int(0))], [0], 0)
    return ir.make(OPS["where"], (selections.broadcast_to(there, shape), cells, n), (), _like(n))


def _int(x: int) -> Node:
    return ir.scalar(x, dt.int64)


def _like(n: Node) -> Any:
    return ir.result(n.desc.dtype, n.desc.shape, n.desc.origin)
