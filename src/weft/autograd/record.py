"""Records: the operation and operands behind a value, for gradients.

The one idea: a value over recorded operands has a record in its traits: the operation, the nodes it read and an edge to
the record of each.  A record refers to operands and never to its own value, so there is no cycle: the record is freed
with the value.  Nodes are immutable, so values saved for a gradient never change; a tensor written in place afterwards
is another version.  Values without recorded operands have no record and no cost.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

from weft.autograd.overwriting import check_write
from weft.autograd.recording import STATE, record_of, with_record
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node
from weft.ir.graph.ops import Op
from weft.runtime.weak_collections import LooseTable
from weft.tensors.place import Place, lock_of
from weft.tensors.tracing import Trace

if TYPE_CHECKING:
    from weft.tensors.tensor import Tensor


class Edge(NamedTuple):
    """The target of a gradient: the record of an operand, and the index of its result (always 0)."""

    record: Record | Accumulator
    slot: int = 0


NUMBERS = count()  # serial numbers of records, increasing over all threads
_GRADS: LooseTable[Place, Tensor] = LooseTable()


class _Known:
    """Base class of records, with the methods that nodes and writes call on their operands' records."""

    __slots__ = ()
    is_leaf = False  # whether gradients with respect to its value are wanted

    check_write = staticmethod(check_write)

    @staticmethod
    def follow(n: Node, always: bool) -> None:
        """Record a new node over recorded operands, if its dtype is a float or complex one and recording is on."""
        if (STATE.on or always) and n.desc.dtype.is_inexact and any(record_of(i) is not None for i in n.inputs):
            with_record(n, Record(n))
        elif record_of(n) is not None:
            with_record(n, None)


class Record(_Known):
    """A recorded operation, with its operands: the `grad_fn` of its result.

    >>> import weft
    >>> x = weft.asarray([1.0, 2.0]).requires_grad_()
    >>> y = x * x
    >>> y.grad_fn.name, len(y.grad_fn.next_edges), y.grad_fn.next_edges[0].record is x.grad_fn
    ('multiply', 2, True)
    """

    __slots__ = ("__weakref__", "attrs", "desc", "edges", "inputs", "number", "op")

    op: Op
    inputs: tuple[Node, ...]
    attrs: tuple[Any, ...]
    desc: TensorDescription
    edges: tuple[Edge | None, ...]
    number: int

    def __init__(self, n: Node) -> None:
        self.op, self.inputs, self.attrs, self.desc = n.op, n.inputs, n.attrs, n.desc
        self.edges = tuple([None if (r := record_of(i)) is None else Edge(r) for i in n.inputs])
        self.number = next(NUMBERS)

    @property
    def name(self) -> str:
        """The name of the operation."""
        return self.op.name

    @property
    def next_edges(self) -> tuple[Edge | None, ...]:
        """The edge to each operand's record, None for operands without one."""
        return self.edges

    def node(self) -> Node:
        """Return a new node of the recorded operation, over the versions of the operands that it read."""
        return ir.make(self.op, self.inputs, self.attrs, self.desc)

    def __repr__(self) -> str:
        return f"<{self.name} record {self.number}>"


class Accumulator(_Known):
    """The record of a leaf, which adds up its gradients; a leaf always has the same one.

    The sum is stored by the place: a pending gradient reads the leaf's node, which has this record.
    """

    __slots__ = ("__weakref__", "number", "place")

    name = "accumulate"
    is_leaf = True
    inputs: tuple[Node, ...] = ()
    edges: tuple[Edge | None, ...] = ()
    next_edges = edges

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
