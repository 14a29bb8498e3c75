"""Rules, and the questions that their patterns ask of nodes.

The one idea: a rule is a row: the ops it looks at, the equation it stands for, a function that gives the right side
where the left side fits, and the cost that must fall for the right side to be taken.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, field

from weft.dtypes import DType, int64, promote
from weft.ir.atoms import selections as se
from weft.ir.graph.node import Node, apply, iota, make, result
from weft.ir.graph.ops import OPS
from weft.ir.pieces.request import Request
from weft.passes.fuse import is_stored
from weft.passes.simplify.cost import Costs
from weft.passes.views import reach


@dataclass(slots=True)
class Context:
    """Facts about the graph that rules may use: values that users hold, readers, and costs."""

    fixed: set[int] = field(default_factory=set)  # ids of roots and of nodes with a handle on the whole
    readers: dict[int, int] = field(default_factory=dict)
    inner: set[int] = field(default_factory=set)  # ids of views that only another view reads
    key_scalars: Container[int] = ()  # ids of scalars whose numbers are part of the graph's key
    leaves: set[int] = field(default_factory=set)  # ids of stored nodes: no key says which memory they are
    joins: dict[int, Node] = field(default_factory=dict)  # by id: joins of stored views, with neighbours as one view
    costs: Costs = field(default_factory=Costs)
    reached: dict[int, tuple[Node, Request]] = field(default_factory=dict)
    kept: list[Node] = field(default_factory=list)  # every node made: an id must not come twice

    def reach(self, n: Node) -> tuple[Node, Request]:
        """Return the node below a chain of views, and the request to it; cached for each node."""
        known = self.reached.get(id(n))
        if known is None:
            known = self.reached[id(n)] = reach(n)
        return known

    def is_internal(self, n: Node) -> bool:
        """True if n is pending, and neither a root nor held by a handle."""
        return id(n) not in self.fixed and not is_stored(n)

    def has_one_reader(self, n: Node) -> bool:
        """True if n is internal and has one reader."""
        return self.is_internal(n) and self.readers.get(id(n), 1) <= 1


Rewrite = Callable[[Node, Context], Node | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rewrite of nodes of some ops; `says` is its equation.

    `rewrite` returns the new node, or None where the rule does not fit.
    """

    name: str
    ops: tuple[str, ...]
    says: str
    rewrite: Rewrite
    saves: str = ""  # what the right side must have less of: "moved" bytes, "paid" (bytes and work), or nothing
    over: tuple[str, ...] = ()  # ops of the first input over which it may fit; none named: all
    reads_numbers: bool = False  # it fits only where numbers are part of the key


@dataclass(frozen=True, slots=True)
class Applied:
    """One use of a rule, with its certificate: the nodes before and after, which have the same value."""

    name: str
    before: Node
    after: Node


def have_equal_description(a: Node, b: Node) -> bool:
    """True if two nodes have the same dtype, shape and origin."""
    return a.desc.dtype is b.desc.dtype and a.desc.shape == b.desc.shape and a.desc.origin == b.desc.origin


def number_like(value: int, x: Node) -> Node:
    """Return the integer `value` as a scalar node of x's dtype.

    It is the coordinate of a one-cell domain, so that it is part of the graph's structure.
    """
    line = iota((1,), 0, (value,))
    cell = se.index(line, [(0, 0)])
    dtype = x.desc.dtype
    return cell if dtype is int64 else make(OPS["astype"], (cell,), (dtype,), result(dtype, ()))


def times(value: int, x: Node) -> Node:
    """Return value · x for integers, modulo 2**bits."""
    n = apply("multiply", x, number_like(value, x))
    return make(n.op, n.inputs, n.attrs, result(x.desc.dtype, x.desc.shape, x.desc.origin))


def can_represent(wide: DType, narrow: DType) -> bool:
    """True if every value of dtype `narrow` is a value of dtype `wide`.

    >>> from weft import dtypes as dt
    >>> can_represent(dt.float32, dt.int16), can_represent(dt.float32, dt.int32)
    (True, False)
    >>> can_represent(dt.float16, dt.bfloat16)
    False
    """
    if narrow.kind == "bool" or wide is narrow:
        return promote(wide, narrow) is wide
    if narrow.is_integer and wide.is_integer:
        return wide.digits >= narrow.digits and (wide.kind == "int" or narrow.kind == "uint")
    if narrow.is_integer:
        return wide.is_inexact and wide.digits >= narrow.digits
    if narrow.kind == "complex" and wide.kind != "complex":
        return False
    return wide.is_inexact and promote(wide.real, narrow.real) is wide.real
