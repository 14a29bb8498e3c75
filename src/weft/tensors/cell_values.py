"""The values of single cells, as integers for all axes select them, and numbers that are written to cells.

The one idea: `x[3]` is a number, as in NumPy: it stays as it is whatever is written to x.  Where memory has the cell,
NumPy reads it at once, and writes a number there that its dtype holds as it is; else it is an expression over the cell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import Context
from operator import is_not, setitem
from typing import Any, NamedTuple

import numpy as np

from weft import callbacks
from weft import dtypes as dt
from weft.errors import LinAlgError, OverwrittenError
from weft.ir.atoms.selections import ViewSteps, applied_steps
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node, root_of
from weft.ir.graph.ops import OPS, Op
from weft.passes.switches import OPEN
from weft.runtime.compute import stages, view_reads
from weft.runtime.compute.signature import argument
from weft.runtime.memory.access import SMALL, WRITERS, strided_array, write_alone
from weft.tensors.keys import PLAIN
from weft.tensors.number_arithmetic import EXACT
from weft.tensors.pending_limits import Limits
from weft.tensors.place import VALUE, NumberPlace, Place, check_writable, is_known_writable, lock_of
from weft.tensors.tensor import Tensor, known_node, known_number, of_number, wrap
from weft.tensors.tracing import Trace
from weft.tensors.versions import forget_cells, has_readers
from weft.tensors.view_keys import key_steps
from weft.tensors.writing import is_broadcast

MAX_PLAIN = 1 << 14
_GREATEST = dt.float_limits(dt.float32).max
_HOLDS: dict[dt.DType, dict[type, tuple[Any, Any]]] = {
    dt.bool: {bool: (False, True)},
    dt.float32: {float: (-_GREATEST, _GREATEST)},
    dt.float64: {float: (-np.inf, np.inf), int: (-EXACT, EXACT)},
    **{d: {int: (dt.integer_limits(d).min, dt.integer_limits(d).max)} for d in dt.ALL if d.is_integer},
}
_INTEGERS = frozenset([int])
_LEAF, _ndarray = OPS["leaf"], np.ndarray
_EXACT = {  # ops in place of which NumPy gives the kernels' bits
    (OPS[name], d): function
    for name, function in (("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply), ("divide", np.divide))
    for d in _HOLDS
    if d.is_inexact or (d.is_integer and function is not np.divide)
}
_QUIET = Context()  # in which NumPy does not warn of values that are not finite
_QUIET.run(np.seterr, all="ignore")


class PlainCells(NamedTuple):
    """Facts of tensors of a description, whose cells NumPy reads and writes with the same bits.

    `cell`: the description of one cell.  `holds`: the least and the greatest number that is stored as it is, by type.
    `is_few`: they take so little memory that all may be written at once.
    """

    cell: TensorDescription
    ndim: int
    holds: dict[type, tuple[Any, Any]]
    is_few: bool


_PLAIN: dict[TensorDescription, PlainCells | None] = {}
_known = _PLAIN.get


def _plain(d: TensorDescription) -> PlainCells | None:
    """Return and cache the facts of a description; None if NumPy lacks its dtype, or bytes are swapped."""
    if len(_PLAIN) >= MAX_PLAIN:
        _PLAIN.clear()
    native = not d.big and not d.dtype.extended and d.strides is not None
    holds = {} if d.read_only else _HOLDS.get(d.dtype, {})
    found = PlainCells(ir.result(d.dtype, ()), d.ndim, holds, d.nbytes < SMALL) if native else None
    _PLAIN[d] = found
    return found


def read_cell(x: Tensor, key: Any) -> Tensor | None:
    """Return the value of the cell that a key of integers selects from memory; None for other keys and tensors."""
    p, epoch = x._place, WRITERS.epoch
    if x._view is not None or p.kind is not None or Trace.active or Limits.labeller is not None:
        return None
    n = p.node
    memory, plain = n.value, _known(n.desc) or _plain(n.desc)
    if plain is None or type(memory) is not _ndarray or n.traits is not None:
        return None
    if plain.ndim != (1 if type(key) is int else len(key)):
        return None
    try:
        number = memory.item(key)
    except (IndexError, OverflowError):
        return None
    if epoch is None or WRITERS.epoch is not epoch:
        return None
    return of_number(number, plain.cell)


def write_number(x: Tensor, key: Any, value: Any) -> bool:
    """Write a number to the cells that a key selects, in memory that no reader waits for. True if it was written.

    False for other keys, values and tensors, which `write` serves or refuses: memory that others see, placeholders,
    values with gradient records or on devices, in traces and under observers.
    """
    p = x._place
    memory = _memory_to_write(p)
    if x._view is not None or memory is None:
        return False
    n = p.node
    plain = _known(n.desc) or _plain(n.desc)
    if plain is None:
        return False
    value = _number_for(plain, value)
    if value is None:
        return False
    whole = type(key) is int or (type(key) is tuple and _INTEGERS.issuperset(map(type, key)))  # NumPy checks integers
    if type(key) is Tensor:  # a mask
        d = known_node(key).desc
        if not plain.is_few or not d.ndim or d.shape != n.desc.shape or (key := _few_cells(key, d)) is None:
            return False
    elif not (whole and (plain.is_few or plain.ndim == (1 if type(key) is int else len(key)))):
        steps = key_steps(n, key)
        if not steps or steps[-1][2].nbytes >= SMALL:
            return False
    del n  # it would count as a reader
    return _put(p, memory, setitem, (memory, key, value), WRITERS.epoch)


def _number_for(plain: PlainCells, value: Any) -> Any:
    """Return a number as the cells of some tensors hold it; None for other numbers and objects."""
    if type(value) is Tensor:
        q = value._place
        return q.number if type(q) is NumberPlace and q.desc is plain.cell and plain.holds else None
    limits = plain.holds.get(type(value))
    return value if limits is not None and limits[0] <= value <= limits[1] else None


def write_few(x: Tensor, steps: ViewSteps, value: Tensor, op: str, temporary: Node | None = None) -> bool:
    """Compute a value of few cells, and copy it to the cells that `steps` select from x. True if it was written.

    `temporary`: an operand of the value that only the running statement holds; as long as it is pending, it counts as a
    reader of the old cells. False where `write_number` refuses, and for values that are shared, or have another shape
    or dtype than the cells. Raises WriteError if the cells cannot be written, and the errors of computing.
    """
    p, cells = x._place, known_node(x)
    desc, memory = steps[-1][2] if steps else cells.desc, _memory_to_write(p)
    if memory is None or is_broadcast(cells) or (given := _few_cells(value, desc, temporary)) is None:
        return False
    if not is_known_writable(desc):
        check_writable(op, applied_steps(cells, steps))
    epoch, offset = WRITERS.epoch, sum([step[3] for step in steps]) + argument(cells)[1]
    del cells  # it would count as a reader
    return _put(p, memory, setitem, (strided_array(memory, offset, desc, True), ..., given), epoch)


def apply_to_few(op: Op, x: Tensor, other: Any) -> bool:
    """Apply an exact operation to few cells of a view and another operand, by NumPy; True if they were written.

    False for other operations, and where `write_few` refuses. Raises WriteError if the cells cannot be written, and the
    errors of computing.
    """
    p, cells = x._place, known_node(x)
    desc, memory = cells.desc, _memory_to_write(p)
    if memory is None or cells.alias is None or (op, desc.dtype) not in _EXACT or callbacks.MODED is not None:
        return False
    plain = _known(desc) or _plain(desc)
    if plain is None or not plain.is_few or is_broadcast(cells):
        return False
    given = _number_for(plain, other)
    if given is None and (type(other) is not Tensor or (given := _few_cells(other, desc)) is None):
        return False
    if not is_known_writable(desc):
        check_writable(op.name, cells)
    epoch, target = WRITERS.epoch, strided_array(memory, cells.alias[1], desc, True)
    del cells  # it would count as a reader
    return _put(p, memory, _QUIET.run, (_EXACT[op, desc.dtype], target, given, target), epoch)


def _few_cells(value: Tensor, desc: TensorDescription, temporary: Node | None = None) -> np.ndarray | None:
    """Compute a value, and return its cells for few cells of description `desc`; None for another dtype or shape.

    None for values that others may write, or with traits. Raises the errors of computing.
    """
    n = known_node(value)
    source, shape = root_of(n), n.desc.shape
    if n.desc.dtype is not desc.dtype or desc.nbytes >= SMALL or shape != desc.shape[desc.ndim - len(shape) :]:
        return None
    if n.traits is not None or source.fingerprint is not None:
        return None
    if source.value is None:
        is_small = temporary is not None and temporary.value is None and temporary.desc.nbytes < SMALL
        stages.compute([n, temporary] if is_small else [n])  # type: ignore[list-item]
    if source.op is not _LEAF or source.desc.big is not desc.big:
        return None
    return source.value if source is n else strided_array(source.value, n.alias[1], n.desc, False)  # type: ignore


def _memory_to_write(p: Place) -> Any:
    """Return the memory of a place that can be written without any other step; else None.

    None while a trace or an observer is active, for places on devices, with gradients, with memory that is shared, and
    for values that do not change.
    """
    n = p.node
    if p.kind is VALUE or p.storage is not None or Trace.active or OPEN or Limits.watcher is not None:
        return None
    if n.traits is not None or type(n.value) is not _ndarray or (p.region is not None and p.region.is_shared()):
        return None
    return n.value


def _put(p: Place, memory: np.ndarray, write: Callable[..., Any], arguments: Sequence[Any], epoch: object) -> bool:
    """Call a function that writes the memory of a place.

    False if the place has readers, or another version now, memory was written since `epoch`, or a key does not fit.
    """
    with p.lock or lock_of(p):
        if has_readers(p) or p.node.value is not memory:
            return False
        forget_cells(p.node)
        try:
            return write_alone(write, arguments, epoch)
        except IndexError:
            return False


def plain_key(key: Any) -> Any:
    """Return a key with Python's integers for numbers of NumPy's and tensors of rank 0; itself if it has none."""
    if type(key) is tuple:
        if PLAIN.issuperset(map(type, key)):
            return key
        parts = tuple(map(plain_key, key))
        return parts if any(map(is_not, parts, key)) else key
    if type(key) is not Tensor:
        return int(key) if isinstance(key, np.integer) else key
    if (number := known_number(key)) is not None:
        return number[0] if number[1].is_integer else key
    n = known_node(key)
    is_one = not n.desc.shape and n.desc.dtype.is_integer and n.depth < ir.WAITING and not Trace.active
    return key.item() if is_one else key


def names_cell(key: Any) -> bool:
    """True if a key that selects one cell gives its value. False if it contains `...`, which asks for a view."""
    return not any(p is Ellipsis for p in key) if type(key) is tuple else key is not Ellipsis


def cell(x: Tensor, n: Node, steps: ViewSteps) -> Tensor:
    """Return the value of the cell that `steps` select from `n`, the node of x."""
    if not Trace.active and Limits.labeller is None and x._place.kind is None:
        root, offset = n.alias if n.alias is not None else (n, 0)
        for step in steps:
            offset += step[3]
        if root.value is None and view_reads.is_tiny(root):
            with suppress(LinAlgError, OverwrittenError):  # an error of whoever reads the cell
                stages.compute([root])
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
