"""Rules on operations with a number that does nothing, only changes the sign, or makes a few products.

The one idea: a plan serves all numbers, except for the few that a rule simplifies: these are part of the key of a
graph, told apart by the operation that reads them.  An equation that would change a bit for some input is no rule: `x +
0` is not x for -0.0, and a product with a complex 1 is not x where x is infinite.
"""

from __future__ import annotations

from math import copysign
from typing import Any

from weft.ir.atoms import selections as se
from weft.ir.graph.node import Node, make, result
from weft.ir.graph.ops import OPS, Op
from weft.passes.simplify.rule import Context, Rule
from weft.passes.views import placed

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


RULES = (
    Rule("neutral number", ("multiply", "divide", "subtract", "add", "pow"),
         "x * 1 = x, x / 1 = x, x - 0 = x, x + -0.0 = x, x ** 1 = x; x + 0 = x for integers", _neutral,
         reads_numbers=True),
    Rule("negated", ("multiply", "divide", "subtract"), "x * -1 = -x, x / -1 = -x; 0 - x = -x for integers", _negated,
         reads_numbers=True),
    Rule("constant", ("multiply", "pow"), "x ** 0 = 1; x * 0 = 0 for integers", _constant, reads_numbers=True),
    Rule("products", ("pow",), "x ** 3 = x * x * x for integers, and up to x ** 8", _products, reads_numbers=True),
)  # fmt: skip
