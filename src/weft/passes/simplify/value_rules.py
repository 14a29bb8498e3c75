"""Rules on single values: operations that do nothing, undo each other or repeat each other; numbers that do little.

The one idea: each rule leaves work out, so none needs to know any cost.  A plan serves all numbers, except for the few
that a rule simplifies: these are part of the key of a graph, told apart by the operation that reads them.  An equation
that would change a bit for some input is no rule: `x + 0` is not x for -0.0, and a product with a complex 1 is not x
where x is infinite.
"""

from __future__ import annotations

from collections.abc import Callable
from math import copysign
from typing import Any

from weft.ir.atoms import selections as se
from weft.ir.atoms.atom import placed
from weft.ir.graph.node import Node, astype, make, result
from weft.ir.graph.ops import OPS, Op
from weft.passes.fuse import is_stored
from weft.passes.simplify.rule import Context, Rewrite, Rule, can_represent
from weft.passes.simplify.view_joins import merged


def _only_if(holds: Callable[[Node], bool]) -> Rewrite:
    """Return a rewrite that replaces a node by its first input if `holds(node)`; it returns None for other nodes."""
    return lambda n, c: n.inputs[0] if holds(n) else None


def _involution(n: Node, context: Context) -> Node | None:
    """Return x for f(f(x)) where f is its own inverse; else None."""
    inner = n.inputs[0]
    return inner.inputs[0] if inner.op is n.op and not is_stored(inner) else None


def _converted_twice(n: Node, context: Context) -> Node | None:
    """Return a single conversion in place of two, if the first loses nothing; else None."""
    inner = n.inputs[0]
    if inner.op is not n.op or is_stored(inner):
        return None
    x, wide, wanted = inner.inputs[0], inner.desc.dtype, n.desc.dtype
    if not can_represent(wide, x.desc.dtype) or (wanted.is_integer and not wide.is_integer):
        return None  # floats saturate where integers wrap
    return astype(x, wanted)


def _reduction_of_ones(n: Node, context: Context) -> Node | None:
    """Return the input of a reduction over axes of size 1, without these axes; None if its values differ."""
    x, axes = n.inputs[0], n.attrs[0]
    if any(x.desc.shape[a] != 1 for a in axes) or (n.op.name == "prod" and x.desc.dtype.kind == "complex"):
        return None
    kept = x if n.attrs[1] or not axes else se.squeeze(x, axes)
    return kept if kept.desc.dtype is n.desc.dtype else None


def _neighbours(n: Node, context: Context) -> Node | None:
    """Return a concat or interleave with adjacent views of one value merged into one view; None if there are none."""
    found = context.joins.get(id(n))
    return merged(n, n.inputs, lambda part: id(part) not in context.leaves, context.leaves) if found is None else found


RULES = (
    Rule("copy", ("positive",), "+x = x in the same byte order",
         _only_if(lambda n: n.desc.big == n.inputs[0].desc.big)),
    Rule("convert once", ("astype",), "x as a wider dtype as d = x as d", _converted_twice,
         over=("astype",)),
    Rule("undone", ("negative", "logical_not", "bitwise_invert", "conj"), "--x = x", _involution),
    Rule("real", ("conj", "real"), "conj(x) = x, real(x) = x for real x",
         _only_if(lambda n: n.inputs[0].desc.dtype.kind != "complex")),
    Rule("whole", ("floor", "ceil", "trunc", "round"), "floor(x) = x for integers",
         _only_if(lambda n: n.inputs[0].desc.dtype.is_integer)),
    Rule("one part", ("concat", "interleave"), "concat([x]) = x", _only_if(lambda n: len(n.inputs) == 1)),
    Rule("no margin", ("pad",), "pad(x, 0) = x", _only_if(lambda n: not any(map(any, n.attrs[0])))),
    Rule("once", ("tile", "repeat"), "tile(x, 1) = x", _only_if(lambda n: n.desc.shape == n.inputs[0].desc.shape)),
    Rule("no shift", ("roll",), "roll(x, 0) = x", _only_if(lambda n: not any(n.attrs[0]))),
    Rule("one cell", ("sum", "prod", "min", "max", "mean"), "sum(x over axes of size 1) = x",
         _reduction_of_ones),
    Rule("taken apart", ("interleave",), "interleave(x[0::k], ..., x[k-1::k]) = x", _neighbours),
    Rule("adjacent", ("concat",), "concat(x[a:b], x[b:c]) = x[a:c]", _neighbours),
)  # fmt: skip


_IOTA = OPS["iota"]
MOST = 8  # the largest power that is made of products
_ADD, _SUBTRACT, _MULTIPLY, _DIVIDE, _POW = (OPS[n] for n in ("add", "subtract", "multiply", "divide", "pow"))
SPECIAL: dict[Any, frozenset[Op]] = {  # numbers, and the operations in which a rule may look at them
    0: frozenset([_ADD, _SUBTRACT, _MULTIPLY, _POW]),
    1: frozenset([_MULTIPLY, _DIVIDE, _POW]),
    -1: frozenset([_MULTIPLY, _DIVIDE]),
    **{k: frozenset([_POW]) for k in range(2, MOST + 1)},
}


READING = frozenset().union(*SPECIAL.values())


def is_looked_at(n: Node, scalar: Node) -> bool:
    """True if a rule may simplify operation n, one of `READING`, because its operand is this number.

    Numbers beside coordinates are not looked at: ranges begin at any number.
    """
    op, x, dtype = n.op, scalar.attrs[0], scalar.desc.dtype
    if x not in SPECIAL or op not in SPECIAL[x] or dtype.kind in ("complex", "bool") or n.inputs[0].op is _IOTA:
        return False
    if dtype.is_integer:
        return True
    if op is _ADD or op is _SUBTRACT:
        return copysign(1.0, x) == (-1.0 if op is _ADD else 1.0)  # the zero that leaves -0.0 as it is
    return x != 0 if op is _MULTIPLY else x < 2


def _number(n: Node, context: Context) -> tuple[Node, Any]:
    """Return (other operand, number) of an operation whose number a rule may read; else (n, None)."""
    for k in (1, 0):
        s = n.inputs[k]
        if id(s) in context.key_scalars and (k or n.op is _ADD or n.op is _MULTIPLY) and is_looked_at(n, s):
            return n.inputs[1 - k], s.attrs[0]
    return n, None


def _neutral(n: Node, context: Context) -> Node | None:
    """Return the operand that an operation with a neutral number leaves unchanged; None for other numbers."""
    x, number = _number(n, context)
    return x if number == (0 if n.op is _ADD or n.op is _SUBTRACT else 1) else None


def _negated(n: Node, context: Context) -> Node | None:
    """Return the negated operand of x * -1, x / -1 or 0 - x; None for other numbers."""
    x, number = _number(n, context)
    if n.op is _SUBTRACT:
        s = n.inputs[0]
        number = -1 if id(s) in context.key_scalars and s.attrs == (0,) and n.desc.dtype.is_integer else None
        x = n.inputs[1]
    if number != -1:
        return None
    return make(OPS["negative"], (x,), (), result(n.desc.dtype, n.desc.shape, n.desc.origin))


def _constant(n: Node, context: Context) -> Node | None:
    """Return the constant result of an operation such as x ** 0, broadcast to its shape; None for other numbers."""
    _, number = _number(n, context)
    if number != 0:
        return None
    found = 0 if n.op is _MULTIPLY else 1 if n.desc.dtype.is_integer else 1.0
    scalar = make(OPS["scalar"], (), (found,), result(n.desc.dtype, ()))
    return placed(se.broadcast_to(scalar, n.desc.shape), n.desc.origin)


def _products(n: Node, context: Context) -> Node | None:
    """Return an integer power as products by repeated squaring; None for other powers."""
    x, power = _number(n, context)
    if power is None or not 2 <= power <= MOST or not n.desc.dtype.is_integer:
        return None
    made: Node | None = None
    while True:
        if power % 2:
            made = x if made is None else _product(made, x)
        power //= 2
        if not power:
            return made
        x = _product(x, x)


def _product(a: Node, b: Node) -> Node:
    return make(_MULTIPLY, (a, b), (), result(a.desc.dtype, a.desc.shape, a.desc.origin))


NUMBER_RULES = (
    Rule("neutral number", ("multiply", "divide", "subtract", "add", "pow"),
         "x * 1 = x, x / 1 = x, x - 0 = x, x + -0.0 = x, x ** 1 = x; x + 0 = x for integers", _neutral,
         reads_numbers=True),
    Rule("negated", ("multiply", "divide", "subtract"), "x * -1 = -x, x / -1 = -x; 0 - x = -x for integers", _negated,
         reads_numbers=True),
    Rule("constant", ("multiply", "pow"), "x ** 0 = 1; x * 0 = 0 for integers", _constant, reads_numbers=True),
    Rule("products", ("pow",), "x ** 3 = x * x * x for integers, and up to x ** 8", _products, reads_numbers=True),
)  # fmt: skip
