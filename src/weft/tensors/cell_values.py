"""The values of single cells, as integers for all axes select them, and numbers that are written to cells.

The one idea: `x[3]` is a number, as in NumPy: it stays as it is whatever is written to x.  Where memory has the cell,
NumPy reads it at once, and writes a number there that its dtype holds as it is; else it is an expression over the cell.
"""

from __future__ import annotations

from operator import setitem
from typing import Any, NamedTuple

import numpy as np

from weft import dtypes as dt
from weft.ir.atoms.selections import ViewSteps, applied_steps
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node
from weft.passes.switches import OPEN
from weft.runtime.compute import stages
from weft.runtime.memory.access import SMALL, WRITERS, write_alone
from weft.tensors.number_arithmetic import EXACT
from weft.tensors.pending_limits import Limits
from weft.tensors.place import VALUE, NumberPlace, lock_of
from weft.tensors.tensor import Tensor, of_number, wrap
from weft.tensors.tracing import Trace
from weft.tensors.versions import forget_cells, has_readers
from weft.tensors.view_keys import key_steps

MAX_PLAIN = 1 << 14
_GREATEST = dt.float_limits(dt.float32).max
_HOLDS: dict[dt.DType, dict[type, tuple[Any, Any]]] = {
    dt.bool: {bool: (False, True)},
    dt.float32: {float: (-_GREATEST, _GREATEST)},
    dt.float64: {float: (-np.inf, np.inf), int: (-EXACT, EXACT)},
    **{d: {int: (dt.integer_limits(d).min, dt.integer_limits(d).max)} for d in dt.ALL if d.is_integer},
}
_INTEGERS = frozenset([int])
_ndarray = np.ndarray


class PlainCells(NamedTuple):
    """Facts of tensors of a description, whose cells NumPy reads and writes with the same bits.

    `cell`: the description of one cell.  `length`: the cells of a vector, -1 of other tensors.  `holds`: the least and
    the greatest number that is stored as it is, by type.
    """

    cell: TensorDescription
    shape: tuple[int, ...]
    length: int
    holds: dict[type, tuple[Any, Any]]


_PLAIN: dict[TensorDescription, PlainCells | None] = {}
_known = _PLAIN.get


def _plain(d: TensorDescription) -> PlainCells | None:
    """Return and cache the facts of a description; None if NumPy lacks its dtype, or bytes are swapped."""
    if len(_PLAIN) >= MAX_PLAIN:
        _PLAIN.clear()
    native = not d.big and not d.dtype.extended and d.strides is not None
    holds = {} if d.read_only else _HOLDS.get(d.dtype, {})
    found = PlainCells(ir.result(d.dtype, ()), d.shape, d.shape[0] if d.ndim == 1 else -1, holds) if native else None
    _PLAIN[d] = found
    return found


def _is_inside(key: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """True if a key has an integer for each axis of a shape, and none is out of bounds."""
    return len(key) == len(shape) and all([-n <= k < n for k, n in zip(key, shape, strict=True)])  # noqa: C419


def read_cell(x: Tensor, key: Any) -> Tensor | None:
    """Return the value of the cell that a key of integers selects from memory; None for other keys and tensors."""
    p, epoch = x._place, WRITERS.epoch
    if x._view is not None or p.kind is not None or Trace.active or Limits.labeller is not None:
        return None
    n = p.node
    memory, plain = n.value, _known(n.desc) or _plain(n.desc)
    if plain is None or type(memory) is not _ndarray or n.traits is not None:
        return None
    if not (-plain.length <= key < plain.length if type(key) is int else _is_inside(key, plain.shape)):
        return None
    number = memory.item(key)
    return of_number(number, plain.cell) if epoch is not None and WRITERS.epoch is epoch else None


def write_number(x: Tensor, key: Any, value: Any) -> bool:
    """Write a number to the cells that a key selects, in memory that no reader waits for; True if it was written.

    False for other keys, values and tensors, which `write` serves or refuses: memory that others see, placeholders,
    values with gradient records or on devices, in traces and under observers.
    """
    p = x._place
    if x._view is not None or p.kind is VALUE or p.storage is not None or Trace.active:
        return False
    n = p.node
    memory, plain = n.value, _known(n.desc) or _plain(n.desc)
    if plain is None or type(memory) is not _ndarray or n.traits is not None:
        return False
    if type(value) is Tensor:
        q = value._place
        if type(q) is not NumberPlace or q.desc is not plain.cell or not plain.holds:
            return False
        value = q.number
    else:
        limits = plain.holds.get(type(value))
        if limits is None or not limits[0] <= value <= limits[1]:
            return False
    if type(key) is int:
        fits = -plain.length <= key < plain.length
    elif type(key) is tuple and _INTEGERS.issuperset(map(type, key)):
        fits = _is_inside(key, plain.shape)
    else:
        fits = _are_few(n, key)
    if not fits:
        return False
    if OPEN or Limits.watcher is not None or (p.region is not None and p.region.is_shared()):
        return False
    del n  # it would count as a reader
    with p.lock or lock_of(p):
        epoch = WRITERS.epoch
        if p.node.value is not memory or has_readers(p):
            return False
        forget_cells(p.node)
        return write_alone(setitem, (memory, key, value), epoch)


def _are_few(n: Node, key: Any) -> bool:
    """True if a key of slices and integers fits a node, and selects cells of few bytes."""
    steps = key_steps(n, key)
    return steps is not None and bool(steps) and steps[-1][2].nbytes < SMALL


def names_cell(key: Any) -> bool:
    """True if a key that leaves no axis is made of integers; False for one with `...`, which gives a view."""
    if type(key) is int:
        return True
    return not any(p is Ellipsis for p in key) if type(key) is tuple else key is not Ellipsis


def cell(x: Tensor, n: Node, steps: ViewSteps) -> Tensor:
    """Return the value of the cell that `steps` select from `n`, the node of x."""
    if not Trace.active and Limits.labeller is None and x._place.kind is None:
        root, offset = n.alias if n.alias is not None else (n, 0)
        for step in steps:
            offset += step[3]
        desc = ir.result(n.desc.dtype, ())
        number = _number_at(root, desc, offset)
        if number is not None:
            return of_number(number, desc)
    return value_of(x, applied_steps(n, steps))


def _number_at(root: Node, desc: TensorDescription, offset: int) -> Any:
    """Return the cell of description `desc` at a byte offset of `root` as a Python number, read from its memory.

    None if there are several cells, no contiguous memory in native byte order, or memory is being written.
    """
    memory, epoch = root.value, WRITERS.epoch
    if memory is None or desc.shape or root.traits is not None or desc.dtype is not root.desc.dtype:
        return None
    if memory.dtype.isbuiltin != 1 or not memory.flags.c_contiguous:
        return None
    value = memory.item(offset // memory.itemsize)
    return value if epoch is not None and WRITERS.epoch is epoch else None


def value_of(x: Tensor, shown: Node) -> Tensor:
    """Return the value of a cell of x, of which the node `shown` is a view."""
    value = ir.locate(ir.copied(shown))
    in_memory = shown.alias is not None and shown.alias[0].value is not None and shown.traits is None
    if in_memory and not Trace.active and x._place.kind is None:
        stages.compute([value])
    return wrap(value, VALUE)


__all__ = ["cell", "names_cell", "read_cell", "value_of", "write_number"]
