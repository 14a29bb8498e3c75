"""The values of single cells, as integers for all axes select them, and numbers that are written to cells.

The one idea: `x[3]` is a number, as in NumPy: it stays as it is whatever is written to x.  Where memory has the cell,
NumPy reads it at once, and writes a number there that its dtype holds as it is; else it is an expression over the cell.
"""

from __future__ import annotations

from contextlib import suppress
from operator import is_not, setitem
from typing import Any, NamedTuple

import numpy as np

from weft import dtypes as dt
from weft.errors import LinAlgError, OverwrittenError
from weft.ir.atoms.selections import ViewSteps, applied_steps
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node, root_of
from weft.ir.graph.ops import OPS
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
    memory = _memory_to_write(p)
    if x._view is not None or memory is None:
        return False
    n = p.node
    plain = _known(n.desc) or _plain(n.desc)
    if plain is None:
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
        steps = key_steps(n, key) or ()
        fits = bool(steps) and steps[-1][2].nbytes < SMALL
    if not fits:
        return False
    del n  # it would count as a reader
    return _put(p, memory, memory, key, value, WRITERS.epoch)


def write_few(x: Tensor, steps: ViewSteps, value: Tensor, op: str, temporary: Node | None = None) -> bool:
    """Compute a value of few cells, and copy it to the cells that `steps` select from x; True if it was written.

    `temporary`: an operand of the value that only the running statement holds; as long as it is pending, it counts as a
    reader of the old cells. False where `write_number` refuses, and for values that are shared, or have another shape
    or dtype than the cells. Raises WriteError if the cells cannot be written, and the errors of computing.
    """
    p, n, cells = x._place, known_node(value), known_node(x)
    desc, shape = steps[-1][2] if steps else cells.desc, n.desc.shape
    if n.desc.dtype is not desc.dtype or desc.nbytes >= SMALL or shape != desc.shape[desc.ndim - len(shape) :]:
        return False
    memory, source = _memory_to_write(p), root_of(n)
    if memory is None or n.traits is not None or source.fingerprint is not None or is_broadcast(cells):
        return False
    if not is_known_writable(desc):
        check_writable(op, applied_steps(cells, steps))
    if source.value is None:
        is_small = temporary is not None and temporary.value is None and temporary.desc.nbytes < SMALL
        stages.compute([n, temporary] if is_small else [n])  # type: ignore[list-item]
    epoch, offset = WRITERS.epoch, sum([step[3] for step in steps]) + argument(cells)[1]
    if source.op is not _LEAF or source.desc.big is not desc.big:
        return False
    given = strided_array(*argument(n), n.desc, False)
    del cells, n, source  # they would count as readers
    return _put(p, memory, strided_array(memory, offset, desc, True), ..., given, epoch)


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


def _put(p: Place, memory: np.ndarray, cells: np.ndarray, key: Any, given: Any, epoch: object) -> bool:
    """Set `cells[key] = given` in the memory of a place.

    False if the place has readers, or another version now, or memory was written since `epoch`.
    """
    with p.lock or lock_of(p):
        if p.node.value is not memory or has_readers(p):
            return False
        forget_cells(p.node)
        return write_alone(setitem, (cells, key, given), epoch)


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
    """True if a key that selects one cell gives its value; False if it contains `...`, which asks for a view."""
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
