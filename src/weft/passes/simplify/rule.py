"""What a rewrite is, and what patterns ask of nodes.

The one idea: a rule is a row: the ops it looks at, the equation it stands for, a function that gives the right side
where the left side fits, and what must become less for the right side to be taken.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, field

from weft.dtypes import DType, int64, promote
from weft.ir.atoms import affine as se
from weft.ir.atoms.table import ATOMS, VIEWS
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node, elementwise, make, result
from weft.ir.graph.ops import OPS
from weft.ir.pieces.demand import demand
from weft.ir.pieces.request import Request
from weft.ir.pieces.routing import AFFINE, whole
from weft.passes.cost import Costs
from weft.passes.fuse import is_stored


@dataclass(slots=True)
class Context:
    """What a rule may know beside the node: which nodes are values that somebody holds, and what nodes cost."""

    fixed: set[int] = field(default_factory=set)  # ids of roots and of nodes with a handle on the whole
    readers: dict[int, int] = field(default_factory=dict)
    inner: set[int] = field(default_factory=set)  # ids of views that only another view reads
    told: Container[int] = ()  # ids of scalars whose numbers are part of the graph's key
    costs: Costs = field(default_factory=Costs)
    kept: list[Node] = field(default_factory=list)  # every node made: an id must not come twice

    def free(self, n: Node) -> bool:
        """Whether nobody wants n stored for its own sake."""
        return id(n) not in self.fixed and not is_stored(n)

    def sole(self, n: Node) -> bool:
        """Whether n is pending, nobody's value, and read once."""
        return self.free(n) and self.readers.get(id(n), 1) <= 1


Rewrite = Callable[[Node, Context], Node | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rewrite of nodes of some ops.  `says` is the equation."""

    name: str
    ops: tuple[str, ...]
    says: str
    rewrite: Rewrite
    saves: str = ""  # what the right side must have less of: "moved" bytes, "paid" (bytes and work), or nothing


def plain(rewrite: Callable[[Node], Node | None]) -> Rewrite:
    """A rewrite that looks at the node alone."""
    return lambda n, c: rewrite(n)


@dataclass(frozen=True, slots=True)
class Applied:
    """One use of a rule and its certificate: two nodes that have the same value."""

    name: str
    before: Node
    after: Node


def pending(x: Node) -> bool:
    """Whether x is a value that is yet to be computed, not a view and not a source."""
    return not is_stored(x) and x.op.kind != "source" and x.alias is None


def alike(a: Node, b: Node) -> bool:
    """Whether two nodes agree in all that a value of its own says."""
    return a.desc.dtype is b.desc.dtype and a.desc.shape == b.desc.shape and a.desc.origin == b.desc.origin


def rebuilt(n: Node, inputs: tuple[Node, ...]) -> Node:
    """Return the node over other inputs; itself where they are its own."""
    return n if all(a is b for a, b in zip(inputs, n.inputs, strict=True)) else over(n, inputs)


def over(n: Node, inputs: tuple[Node, ...]) -> Node:
    """Return a copy of a node over other inputs of the same shapes and dtypes."""
    if n.op.name in VIEWS:
        made = ATOMS[n.op.name].make(inputs[0], *n.attrs)
    elif n.op.name in ("real", "imag") and n.alias is not None:
        made = se.part(inputs[0], n.op.name)
    elif n.op.name == "reshape" and n.alias is not None:  # a value of its own where cells now lie otherwise
        view = se.reshape_view(inputs[0], *n.attrs)
        made = view if view is not None else make(n.op, inputs, n.attrs, result(n.desc.dtype, n.desc.shape))
    else:
        made = make(n.op, inputs, n.attrs, n.desc)
    made.traits = n.traits
    made.code, made.lasti = n.code, n.lasti
    return made


def placed(x: Node, origin: Shape | None) -> Node:
    """x with its domain at an origin."""
    wanted, found = origin or (0,) * x.desc.ndim, x.desc.domain.origin
    return x if wanted == found else se.translate(x, [w - f for w, f in zip(wanted, found, strict=True)])


def reach(n: Node, copies: bool = False) -> tuple[Node, Request]:
    """Through a chain of affine atoms (and `copies`): what it selects from, and which cells of that it is."""
    request = whole(n)
    while not is_stored(n):
        if n.op.name in AFFINE:
            ((_, request),) = demand(n, request)
        elif not (copies and n.op.name == "positive"):
            break
        n = n.inputs[0]
    return n, request


def repeated(x: Node) -> tuple[int, ...]:
    """The axes along which x repeats one cell: those whose steps are 0 bytes."""
    d = x.desc
    if x.alias is None and not is_stored(x):
        return ()
    return d.repeated


def first_of(x: Node, axes: Container[int]) -> Node:
    """x with one cell along some axes."""
    slices = [(0, 1, min(n, 1)) if a in axes else (0, 1, n) for a, n in enumerate(x.desc.shape)]
    return se.slice_(x, slices)


def view_of(x: Node, request: Request) -> Node | None:
    """The affine view of x whose cells are those of a request; None where an axis moves with several or not alone.

    >>> from weft.ir.pieces.request import Request
    >>> from weft import dtypes as dt
    >>> x = make(OPS["iota"], (), (0,), result(dt.int64, (5, 3)))
    >>> view_of(x, Request((2, 4), (0, 0), (1, 1), ((4, ((0, -2),)), (1, ())))).desc.shape
    (2, 4)
    """
    part = part_of(x, request)
    return part if part is None or part.desc.shape == request.sizes else se.broadcast_to(part, request.sizes)


def part_of(x: Node, request: Request) -> Node | None:
    """As `view_of`, with one cell along the parameters by which the request repeats cells."""
    moving = [terms[0][0] for _, terms in request.rows if terms]
    if len(set(moving)) != len(moving) or any(len(terms) > 1 for _, terms in request.rows):
        return None
    slices = tuple([(o, t[0][1], request.sizes[t[0][0]]) if t else (o, 1, 1) for o, t in request.rows])
    if slices != tuple([(0, 1, n) for n in x.desc.shape]):
        x = se.slice_(x, slices)
    gone = [axis for axis, (_, terms) in enumerate(request.rows) if not terms]
    x = se.squeeze(x, gone) if gone else x
    if moving != sorted(moving):
        x = se.permute(x, [moving.index(p) for p in sorted(moving)])
    missing = [p for p in range(len(request.sizes)) if p not in moving]
    return se.expand_dims(x, missing) if missing else x


def number_like(value: int, x: Node) -> Node:
    """A number that follows from shapes, in the dtype of x (an integer): the coordinate of a domain of one cell."""
    line = make(OPS["iota"], (), (0,), result(int64, (1,), (value,)))
    cell = se.index(line, [(0, 0)])
    dtype = x.desc.dtype
    return cell if dtype is int64 else make(OPS["astype"], (cell,), (dtype,), result(dtype, ()))


def times(value: int, x: Node) -> Node:
    """value · x for integers, which wrap."""
    n = elementwise(OPS["multiply"], x, number_like(value, x))
    return make(n.op, n.inputs, n.attrs, result(x.desc.dtype, x.desc.shape, x.desc.origin))


def holds(wide: DType, narrow: DType) -> bool:
    """Whether every value of one dtype is a value of another.

    >>> from weft import dtypes as dt
    >>> holds(dt.float32, dt.int16), holds(dt.float32, dt.int32), holds(dt.float16, dt.bfloat16)
    (True, False, False)
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
