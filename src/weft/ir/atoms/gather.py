"""Cells at positions listed in index tables, and the adjoint: a gather again, or rows added in order.

The one idea: a table without repeated positions has an inverse table; cells at positions not in it are zero.  A gather
from a composite does not store the composite: the composite's index arithmetic is applied to the table once.

Attributes: (axes, at); the inputs are x and an int64 table for each of the axes; the axes of the tables are inserted at
axis `at` of the result, among the remaining axes of x.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from weft import dtypes as dt
from weft.errors import DTypeError
from weft.ir.atoms import position_tables
from weft.ir.atoms.atom import ATOMS, Array, Atom, Moved, Parts, aligned, axes_of, batch_axes
from weft.ir.atoms.broadcast_to import broadcast_to
from weft.ir.atoms.expand_dims import expand_dims
from weft.ir.atoms.permute import permute
from weft.ir.atoms.position_tables import Table
from weft.ir.atoms.reshape import reshaped
from weft.ir.atoms.translate import translate
from weft.ir.graph.description import Shape, describe
from weft.ir.graph.node import Node, apply, astype, broadcast_shapes, iota, make, result, scalar, stored
from weft.ir.graph.ops import OPS


def gather(x: Node, tables: Sequence[Node], axes: Sequence[int], result_axis: int, origin: Shape | None = None) -> Node:
    """Return the cells of x at the positions in int64 tables, one table for each of the axes.

    The tables are broadcast together; their axes start at axis `result_axis` of the result, among the remaining axes of
    x. Raises DTypeError if a table is missing or not int64, AxisError or ShapeError if axes or shapes do not fit.
    """
    if len(tables) != len(axes) or any(t.desc.dtype is not dt.int64 for t in tables):
        raise DTypeError(
            f"gather: {len(tables)} tables for axes {axes}; one int64 operand per axis is needed; convert or add tables"
        )
    taken = axes_of("gather", axes, x.desc.ndim)
    rest = [size for a, size in enumerate(x.desc.shape) if a not in taken]
    shape = (*rest[:result_axis], *broadcast_shapes("gather", *[t.desc.shape for t in tables]), *rest[result_axis:])
    return make(OPS["gather"], (x, *tables), (tuple(axes), result_axis), result(x.desc.dtype, shape, origin))


# ---- takes of composites: a table of positions is moved down to the inputs of the composite


def source_cells(n: Node, axis: int, positions: Table) -> Moved:
    """Return the node below composites that holds the wanted cells of n, and their positions in it.

    `positions` are those in n along `axis`. The search ends at a node that is stored or recorded, and where several
    inputs hold the cells.
    """
    while positions.size and _is_passed(n):
        atom = ATOMS.get(n.op.name)
        wide = positions.astype(np.int64, copy=False)
        found = atom.take(n, axis, wide) if atom is not None and atom.take is not None else None
        if found is None:
            break
        n, positions = found
    return n, positions


def _is_passed(n: Node) -> bool:
    """True if a take from n may read n's inputs instead.

    That is so if n is pending, and gets no gradient of its own.
    """
    is_pending = n.value is None and (n.alias is None or n.alias[0].value is None)
    return is_pending and (n.traits is None or n.traits.record is None)


def by_parts(n: Node, axis: int, positions: Table) -> tuple[Table, Table] | None:
    """Return (part numbers, positions in the parts) for positions along `axis` of n, a concat or interleave.

    None if the node is stored, recorded, another op, or joined along another axis.
    """
    if not _is_passed(n) or n.op.name not in ("concat", "interleave") or n.attrs[0] != axis:
        return None
    if n.op.name == "interleave":
        return positions % len(n.inputs), positions // len(n.inputs)
    offsets = np.asarray(n.attrs[1])
    number = np.searchsorted(offsets, positions, side="right") - 1
    return number, positions - offsets[number]


def selected_again(n: Node, axis: int, positions: Table) -> tuple[Node, Sequence[int], list[Table]] | None:
    """Return (node, axes, tables) that hold the wanted cells of n, a pending selection by positions that are known.

    `positions` are those in n along `axis`. None for other nodes, and where a cell of n may be wanted twice: n is then
    better stored.
    """
    size = n.desc.shape[axis]
    if not _is_passed(n) or positions.size > size:
        return None
    if positions.size == size and not _are_all(positions, size):
        return None
    if n.op.name == "gather" and n.attrs[1] == axis:
        tables = position_tables.narrow_tables(n)
        if tables is None or any(t.ndim != 1 for t in tables):
            return None
        return n.inputs[0], n.attrs[0], [np.broadcast_to(t, size)[positions] for t in tables]
    parts = by_parts(n, axis, positions) if n.op.name == "concat" else None
    if parts is None or not all(_cuts(i, axis, n.inputs[0]) for i in n.inputs):
        return None
    first, step = np.transpose([i.attrs[0][axis][:2] for i in n.inputs])
    return n.inputs[0].inputs[0], (axis,), [first[parts[0]] + step[parts[0]] * parts[1]]


def _are_all(positions: Table, size: int) -> bool:
    """True if a table names each of `size` positions in order."""
    if positions.ndim != 1 or not size:
        return positions.ndim == 1
    return int(positions[-1]) == size - 1 and bool((positions == np.arange(size)).all())


def _cuts(n: Node, axis: int, like: Node) -> bool:
    """True if a node is a slice along `axis` alone, of the same node as the slice `like`."""
    if n.value is not None or n.op.name != "slice" or n.inputs[0] is not like.inputs[0]:
        return False
    pairs = enumerate(zip(n.attrs[0], n.inputs[0].desc.shape, strict=True))
    return all(part == (0, 1, m) for d, (part, m) in pairs if d != axis)


# ---- the adjoint


def _adjoint(node: Node, gradient: Node) -> tuple[Node | None, ...]:
    """Return the gradient of the array that is gathered from, and None for each table."""
    axes, at = node.attrs
    x = node.inputs[0].desc
    rest = [d for d in range(x.ndim) if d not in axes]
    width = len(broadcast_shapes("gather", *[i.desc.shape for i in node.inputs[1:]]))
    order = [*range(at, at + width), *range(at), *range(at + width, gradient.desc.ndim)]
    sizes, kept = tuple([x.shape[a] for a in axes]), tuple([x.shape[d] for d in rest])
    count = prod([gradient.desc.shape[d] for d in order[:width]])
    rows = reshaped(_permuted(gradient, order), (count, *kept))
    cells = reshaped(_summed(node, rows, sizes), (*sizes, *kept))
    back = [*axes, *rest]
    return _permuted(cells, [back.index(d) for d in range(x.ndim)]), *[None] * len(axes)


# A view of the whole would have to be copied before a user could own it.
def _permuted(x: Node, order: Sequence[int]) -> Node:
    return x if list(order) == sorted(order) else permute(x, order)


def _summed(node: Node, rows: Node, sizes: Shape) -> Node:
    """Return, for each position of the looked-up axes, the sum of the gradient's rows that were read from it.

    `sizes` are those of the looked-up axes.
    """
    count = prod(sizes)
    shape, named = (count, *rows.desc.shape[1:]), np.zeros(count, bool)
    repeats = rows.desc.shape[0] > count  # at least one position
    known = None if repeats else position_tables.stored_tables(node)
    if known is not None:
        cells = np.ravel_multi_index([t.ravel() for t in np.broadcast_arrays(*known)], sizes)
        named[cells] = True
    if known is None or np.count_nonzero(named) < len(cells):
        at = reshaped(_linear(node, sizes), rows.desc.shape[:1])
        return make(OPS["scatter_add"], (rows, at), (count,), result(rows.desc.dtype, shape))
    zeros = broadcast_to(scalar(0, rows.desc.dtype), shape)
    if not len(cells):
        return zeros
    inverse = np.zeros(count, np.int64)
    inverse[cells] = np.arange(len(cells))
    found = gather(rows, (position_tables.leaf(inverse, len(cells)),), (0,), 0)
    if named.all():
        return found
    mask = stored(describe(dt.bool, named.shape, named.strides), named)
    wide = broadcast_to(expand_dims(mask, range(1, len(shape))), shape)
    return make(OPS["where"], (wide, found, zeros), (), result(rows.desc.dtype, shape))


def _linear(node: Node, axis_sizes: Shape) -> Node:
    """Return for each cell of a gather the row-major position that its tables name, in axes of `axis_sizes`."""
    if len(axis_sizes) == 1:
        return position_tables.narrow(node.inputs[1])
    total, *others = [astype(i, dt.int64) for i in node.inputs[1:]]
    for i, n in zip(others, axis_sizes[1:], strict=True):
        total = apply("add", apply("multiply", total, scalar(n, dt.int64)), i)
    return total


def _batched(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    """Return gather n over a batch.

    If both x and a table differ between entries, the number of the entry is one more table.
    """
    x, *tables = batched_inputs
    axes, at = n.attrs
    width = max([t.desc.ndim for t in n.inputs[1:]])
    own = [t for t, i in zip(tables, n.inputs[1:], strict=True) if t.desc.ndim > i.desc.ndim]
    tables = [aligned(t, i, width) for t, i in zip(tables, n.inputs[1:], strict=True)]
    origin = None if n.desc.origin is None else (0, *n.desc.origin)
    if not own:
        return gather(x, tables, batch_axes(axes), at + 1, origin)
    if x.desc.ndim > n.inputs[0].desc.ndim:
        entries = iota((batch_size, *[1] * width))
        tables, axes = [entries, *tables], (0, *batch_axes(axes))
    found = gather(x, tables, axes, at)
    order = [at, *[a for a in range(found.desc.ndim) if a != at]]
    found = permute(found, order)
    return found if origin is None else translate(found, origin)


def _numpy(parts: Parts, n: Node) -> Array:
    axes, at = n.attrs
    x, *indices = parts
    rest = [a for a in range(x.ndim) if a not in axes]
    front = np.transpose(x, [*axes, *rest])[tuple(np.broadcast_arrays(*indices))]
    width = max(i.ndim for i in indices)
    return np.moveaxis(front, range(width), range(at, at + width))


ATOM = Atom(
    "gather",
    gather,
    rebuild=lambda n: gather(n.inputs[0], n.inputs[1:], n.attrs[0], n.attrs[1], n.desc.origin),
    adjoint=_adjoint,
    numpy=_numpy,
    batched=_batched,
)
