"""Records: the operation and operands behind a value, for gradients.

The one idea: a value over recorded operands has a record in its traits: the operation, the nodes it read and an edge to
the record of each.  A record refers to operands and never to its own value, so there is no cycle: the record is freed
with the value.  Nodes are immutable, so values saved for a gradient never change; a tensor written in place afterwards
is another version.  Values without recorded operands have no record and no cost; recording is on or off for each
thread or task.

A partly overwritten value is a `where` between the new and the old cells.  Its record is that of such an expression
over zeros with the records of both, so the existing gradient rules apply, and no old version is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from types import EllipsisType
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

import numpy as np

from weft import dtypes as dt
from weft.errors import GradientError
from weft.ir.atoms.adjoints import is_followed, mask_of, overwritten, zeros
from weft.ir.atoms.position_tables import leaf
from weft.ir.atoms.selections import reshape, translate
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node, Traits, place_of
from weft.ir.graph.ops import OPS, Op
from weft.runtime.references import LooseTable
from weft.runtime.scoped_setting import Setting
from weft.tensors.place import Place, lock_of
from weft.tensors.tracing import Trace

_RECORDING = Setting("recording", True)
is_recording, recording = _RECORDING.get, _RECORDING.block


def record_of(n: Node) -> Any:
    """Return the gradient record of a node; None if it has none."""
    return None if n.traits is None else n.traits.record


def with_record(n: Node, record: Known | None) -> None:
    """Set the gradient record of a node, or remove it with None."""
    device = None if n.traits is None else n.traits.device
    if record is None:
        n.traits = None if device is None else device.traits
    else:
        n.traits = Traits(device, record)


if TYPE_CHECKING:
    from weft.tensors.tensor import Tensor


Cells = EllipsisType | Callable[[], "np.ndarray[Any, Any]"]  # all (...), or a function: number of each cell's value, -1


def check_write(op: str, n: Node, value: Node | None, instead: bool, to: Cells | None) -> Known | None:
    """Return the gradient record of the version made by writing `value` to view n, else None.

    None means that neither is recorded. `instead`: the value replaces the whole tensor, with its own record. `to`: the
    cells that are written. Raises GradientError for a write to a leaf, and for a recorded value written to a tensor
    without a record that has other views, or by a write that gradients do not follow (real(), imag()).
    """
    if not is_recording():
        return None
    root = ir.root_of(n)
    mine = record_of(root) if record_of(n) is not None else None  # a view without a record was detached on purpose
    if mine is not None and mine.is_leaf:
        raise GradientError(
            f"{op}: a leaf that requires gradients, written while these are recorded; they are with respect to its "
            "values; write inside weft.no_grad(), or to a copy()"
        )
    theirs = None if value is None else record_of(value)
    if value is None or (mine is None and theirs is None) or (instead and mine is not None):
        return None
    if theirs is not None and mine is None and (_has_views(root, n) or record_of(root) is not None):
        raise GradientError(
            f"{op}: a value with a record, in the place of one without, of which there are views; its gradient would "
            "not flow through them; take the views afterwards, or build a tensor of its own"
        )
    if instead:
        return None
    if to is None or not is_followed(n, root):
        raise GradientError(
            f"{op}: a value with a record, written where gradients do not follow; they do through x[key] = value and "
            "x += value, but not through real() and imag(); build the whole with where() or concat(), or write to "
            "detach(), or value.detach()"
        )
    return written(n, root, value, to) if value.desc.size else None


def _has_views(root: Node, n: Node) -> bool:
    """True if a live handle on the place of version `root` has a view other than n."""
    place = place_of(root)
    views = () if place is None else place.views or ()
    return any((h := r()) is not None and h._place is place and h._view is not n for r in views)


def written(n: Node, root: Node, value: Node, to: Cells) -> Known | None:
    """Return the record of the version made by writing `value` to the cells `to` of view n of `root`."""
    spread, mask = _blank(value), mask_of(value)
    if to is not ...:
        spread, mask = _placed(spread, to())
    return record_of(overwritten(n, root, spread, mask, _blank(root)))


def _placed(value: Node, number: np.ndarray[Any, Any]) -> tuple[Node, Node]:
    """Return (the cells of `value` at the row-major numbers in `number`, an int64 mask).

    The mask is 0 where a number is -1, else 1.
    """
    flat = reshape(value, (value.desc.size,))
    mask = (number >= 0).astype(np.int64)
    given = ir.result(value.desc.dtype, number.shape)
    spread = ir.make(OPS["gather"], (flat, leaf(np.maximum(number, 0), value.desc.size)), ((0,), 0), given)
    return spread, ir.stored(ir.result(dt.int64, mask.shape), mask)


def _blank(n: Node) -> Node:
    """Return a node of zeros with the description and the record of n."""
    blank = zeros(n.desc.shape, n.desc.dtype)
    if n.desc.origin is not None:
        blank = translate(blank, n.desc.origin)
    with_record(blank, record_of(n))
    return blank


class Edge(NamedTuple):
    """The target of a gradient: the record of an operand, and the index of its result (always 0)."""

    record: Record | Accumulator
    slot: int = 0


NUMBERS = count()  # serial numbers of records, increasing over all threads
_GRADS: LooseTable[Place, Tensor] = LooseTable()


class _RecordBase:
    """Base class of records, with the methods that nodes and writes call on their operands' records."""

    __slots__ = ()
    is_leaf = False  # whether gradients with respect to its value are wanted

    check_write = staticmethod(check_write)

    @staticmethod
    def follow(n: Node, always: bool) -> None:
        """Give a new node a record if an operand is recorded and its dtype has gradients; else remove its record.

        While recording is off, nodes get a record only with `always`.
        """
        if (always or is_recording()) and n.desc.dtype.is_inexact:
            operands = tuple([None if i.traits is None else i.traits.record for i in n.inputs])
            if any(operands):
                with_record(n, Record(n, operands))
                return
        if record_of(n) is not None:
            with_record(n, None)


class Record(_RecordBase):
    """A recorded operation, with its operands: the `grad_fn` of its result.

    >>> import weft
    >>> x = weft.asarray([1.0, 2.0]).requires_grad_()
    >>> y = x * x
    >>> y.grad_fn.name, len(y.grad_fn.next_edges), y.grad_fn.next_edges[0].record is x.grad_fn
    ('multiply', 2, True)
    """

    __slots__ = ("__weakref__", "attrs", "desc", "inputs", "number", "op", "operands")

    op: Op
    inputs: tuple[Node, ...]
    attrs: tuple[Any, ...]
    desc: TensorDescription
    operands: tuple[Known | None, ...]  # the records of the inputs
    number: int

    def __init__(self, n: Node, operands: tuple[Known | None, ...]) -> None:
        self.op, self.inputs, self.attrs, self.desc, self.operands = n.op, n.inputs, n.attrs, n.desc, operands
        self.number = next(NUMBERS)

    @property
    def name(self) -> str:
        """The name of the operation."""
        return self.op.name

    @property
    def next_edges(self) -> tuple[Edge | None, ...]:
        """The edge to each operand's record, None for operands without one."""
        return tuple([None if r is None else Edge(r) for r in self.operands])

    def node(self) -> Node:
        """Return a new node of the recorded operation, over the versions of the operands that it read."""
        return ir.make(self.op, self.inputs, self.attrs, self.desc)

    def __repr__(self) -> str:
        return f"<{self.name} record {self.number}>"


class Accumulator(_RecordBase):
    """The record of a leaf, which adds up its gradients; a leaf always has the same one.

    The sum is stored by the place: a pending gradient reads the leaf's node, which has this record.
    """

    __slots__ = ("__weakref__", "number", "place")

    name = "accumulate"
    is_leaf = True
    inputs: tuple[Node, ...] = ()
    operands: tuple[Known | None, ...] = ()
    next_edges: tuple[Edge | None, ...] = ()

    def __init__(self, place: Any) -> None:
        self.number = -1  # sorts after every operation
        self.place = ref(place)

    @property
    def grad(self) -> Tensor | None:
        """The sum of the gradients so far; None before the first, and after the leaf was freed."""
        before = None if (place := self.place()) is None else _GRADS.get(place)
        if Trace.active and (trace := Trace.here()) is not None:
            trace.note_slot(self, before)
        return before

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        place, _ = self.place(), self.grad  # reading it tells a trace the old gradient
        if place is not None and value is not None:
            _GRADS[place] = value
        elif place is not None:
            _GRADS.pop(place)

    def is_shared(self) -> bool:
        """True if others see the memory of the leaf, so that a write to it is done at once."""
        place = self.place()
        return place is not None and place.region is not None

    def add(self, g: Tensor) -> None:
        """Add a gradient to the sum; safe to call from several threads."""
        place = self.place()
        if place is not None:
            with lock_of(place):
                before = self.grad
                _GRADS[place] = g if before is None else before + g

    def __repr__(self) -> str:
        return "<accumulate record>"


Known = Record | Accumulator
