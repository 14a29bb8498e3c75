"""Gradients of operations: for every op the rule that takes the gradient of its value to those of its operands.

The one idea: rules go from nodes to nodes, so a gradient is an expression like any other: fused, compiled, and
differentiable again.  Selections have the rules of `weft.ir.atoms.adjoints`; here are those that compute.  The
gradient of a
real number by a complex one is that of its conjugate coordinates, the direction of steepest ascent (Wirtinger's
2·∂/∂z̄), so a holomorphic f hands on g · conj(f'(z)).
"""

from __future__ import annotations

from collections.abc import Callable
from math import log as ln
from math import pi, prod, sqrt

from weft import dtypes as dt
from weft.errors import GradientError
from weft.ir.atoms import affine as se
from weft.ir.atoms.adjoints import RULES as SELECTION_RULES
from weft.ir.atoms.adjoints import adjoint, total, zeros
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.passes.gradient.factorisation_gradients import RULES as MATRICES
from weft.passes.gradient.gradient_steps import (
    Gradients,
    Rule,
    conj,
    less_from,
    number,
    op,
    over,
    plus,
    scaled,
    square,
    times,
    value_of,
    where,
)
from weft.passes.gradient.routine_gradients import RULES as CALLS


def gradients(n: Node, g: Node) -> Gradients:
    """The gradients of n's operands, of their shapes and dtypes, from that of its value; None where there is none.

    Raises GradientError for ops without a rule.
    """
    name = n.op.name
    if name in SELECTION_RULES:
        return tuple(adjoint(n, g))
    rule = RULES.get(name)
    if rule is None:
        raise GradientError(
            f"gradient: {name} has no rule for gradients; detach() its operands, or write it in terms of others"
        )
    made = rule(n, g)
    return tuple([None if d is None else _fitted(d, x) for d, x in zip(made, n.inputs, strict=True)])


def _fitted(g: Node, x: Node) -> Node | None:
    """g summed over the axes along which x was repeated, in x's dtype; None for dtypes without gradients."""
    d = x.desc
    if not d.dtype.is_inexact:
        return None
    lead = g.desc.ndim - d.ndim
    repeated = [a for a in range(lead, g.desc.ndim) if d.shape[a - lead] == 1 and g.desc.shape[a] != 1]
    if repeated:
        g = total(g, repeated, True)
    if lead:
        g = total(g, range(lead))
    if g.desc.dtype.kind == "complex" and d.dtype.kind != "complex":
        g = ir.elementwise(OPS["real"], g)
    return ir.astype(g, d.dtype)


# ---- one operand: gradient = g · conj(f'(x)), f' from x and y = f(x)
def _by(derivative: Callable[[Node, Node], Node]) -> Rule:
    def rule(n: Node, g: Node) -> Gradients:
        return (times(g, conj(derivative(n.inputs[0], value_of(n)))),)

    return rule


def _sign(n: Node, g: Node) -> Gradients:
    """Of z/|z| what is square to it, over |z|; of real numbers 0."""
    x = n.inputs[0]
    if x.desc.dtype.kind != "complex":
        return _flat(n, g)
    y, size = value_of(n), op("abs", x)
    across = op("subtract", g, times(y, op("real", times(g, conj(y)))))
    return (where(op("equal", size, number(0, size)), number(0, g), over(across, size)),)


PLAIN: dict[str, Callable[[Node, Node], Node]] = {  # derivatives by x and y = f(x)
    "log": lambda x, y: op("reciprocal", x),
    "exp": lambda x, y: y,
    "normal_cdf": lambda x, y: _density(x),
    "normal_quantile": lambda x, y: op("reciprocal", _density(y)),
}


def _density(x: Node) -> Node:
    """Of the normal distribution."""
    return scaled(op("exp", scaled(square(x), -0.5)), 1 / sqrt(2 * pi))


def _none(n: Node, g: Node) -> Gradients:
    return (None,) * len(n.inputs)


def _flat(n: Node, g: Node) -> Gradients:
    """Steps have the slope 0 wherever they have one."""
    return tuple([zeros(x.desc.shape, x.desc.dtype) for x in n.inputs])


def _roots(x: Node) -> Node:
    """sqrt(x - 1) · sqrt(x + 1), which has the branches of acosh."""
    return times(op("sqrt", plus(x, -1)), op("sqrt", plus(x, 1)))


def _real(n: Node, g: Node) -> Gradients:
    x = n.inputs[0].desc
    if x.dtype.kind != "complex":
        return (g,)
    part = (g, zeros(x.shape, g.desc.dtype)) if n.op.name == "real" else (zeros(x.shape, g.desc.dtype), g)
    return (ir.make(OPS["complex"], part, (), ir.result(x.dtype, x.shape)),)


def _complex(n: Node, g: Node) -> Gradients:
    return op("real", g), op("imag", g)


# ---- two operands
def _power(n: Node, g: Node) -> Gradients:
    a, b = n.inputs
    zero, one = number(0, a), number(1, a)
    slope = times(b, op("pow", a, op("subtract", b, one)))
    base = times(g, conj(where(op("equal", b, zero), number(0, g), slope)))
    safe = where(op("equal", a, zero), one, a)
    growth = where(op("equal", a, zero), number(0, g), times(value_of(n), op("log", safe)))
    return base, times(g, conj(growth))


def _divide(n: Node, g: Node) -> Gradients:
    b = conj(n.inputs[1])
    return over(g, b), op("negative", times(g, over(conj(value_of(n)), b)))


def _atan2(n: Node, g: Node) -> Gradients:
    y, x = n.inputs
    size = op("add", square(x), square(y))
    return times(g, over(x, size)), op("negative", times(g, over(y, size)))


def _hypot(n: Node, g: Node) -> Gradients:
    """At (0, 0) none, of its subgradients the shortest, as of abs."""
    h = value_of(n)
    none = op("equal", h, number(0, h))
    return tuple([times(g, over(x, where(none, number(1, h), h))) for x in n.inputs])


def _logaddexp(n: Node, g: Node) -> Gradients:
    y = value_of(n)
    return tuple([times(g, op("exp", op("subtract", x, y))) for x in n.inputs])


def _copysign(n: Node, g: Node) -> Gradients:
    a, b = n.inputs
    one = number(1, a)
    return times(g, times(op("copysign", one, a), op("copysign", one, b))), None


def _chosen(prefers: str, number_first: bool = False) -> Rule:
    """The gradient goes to the operand that was taken, the first of equal ones; `number_first`: rather than to NaN."""

    def rule(n: Node, g: Node) -> Gradients:
        a, b = n.inputs
        first = op("logical_or", op(prefers, a, b), op("isnan", b if number_first else a))
        none = number(0, g)
        return where(first, g, none), where(first, none, g)

    return rule


def _modulo(quotient: str) -> Rule:
    def rule(n: Node, g: Node) -> Gradients:
        return g, op("negative", times(g, op(quotient, *n.inputs)))

    return rule


def _choice(n: Node, g: Node) -> Gradients:
    none = number(0, g)
    return None, where(n.inputs[0], g, none), where(n.inputs[0], none, g)


# ---- reductions
def _kept(n: Node, x: Node) -> Node:
    """A reduction's result, or its gradient, beside the cells it was made of."""
    axes, keepdims = n.attrs[:2]
    return x if keepdims else se.expand_dims(x, axes)


def _spread(n: Node, g: Node) -> Node:
    return se.broadcast_to(_kept(n, g), n.inputs[0].desc.shape)


def _count(n: Node) -> int:
    return prod([n.inputs[0].desc.shape[a] for a in n.attrs[0]])


def _product(n: Node, g: Node) -> Gradients:
    """The product of the other cells: where one is 0, that of all but the zeros, for the only zero."""
    x = n.inputs[0]
    zero = op("equal", x, number(0, x))
    others = where(zero, number(1, x), x)
    nonzero = ir.make(n.op, (others,), n.attrs, n.desc)
    count = total(ir.astype(zero, dt.int64), n.attrs[0], True)
    none, one = (op("equal", count, ir.scalar(k, dt.int64)) for k in (0, 1))
    rest = _spread(n, nonzero)
    slope = where(zero, where(one, rest, number(0, x)), where(none, over(rest, others), number(0, x)))
    return (times(_spread(n, g), conj(slope)),)


def _variance(n: Node, g: Node) -> Gradients:
    x = n.inputs[0]
    axes, _, correction = n.attrs
    mean = ir.make(OPS["mean"], (x,), (axes, True), ir.result(x.desc.dtype, _kept(n, n).desc.shape))
    scale = 2 / max(_count(n) - correction, 0) if _count(n) > correction else float("nan")
    return (times(_spread(n, g), scaled(op("subtract", x, mean), scale)),)


def _extreme(n: Node, g: Node) -> Gradients:
    """Shared evenly by the cells that are the extreme."""
    x = n.inputs[0]
    is_it = ir.astype(op("equal", x, _spread(n, value_of(n))), x.desc.dtype)
    return (times(_spread(n, g), over(is_it, total(is_it, n.attrs[0], True))),)


def _extreme_number(n: Node, g: Node) -> Gradients:
    """Where all cells are NaN, none has a share."""
    (shares,) = _extreme(n, g)
    assert shares is not None
    return (where(op("isnan", _spread(n, value_of(n))), number(0, shares), shares),)


def _mean(n: Node, g: Node) -> Gradients:
    return (scaled(_spread(n, g), 1 / _count(n) if _count(n) else float("nan")),)


RULES: dict[str, Rule] = {
    "positive": lambda n, g: (g,),
    "negative": lambda n, g: (op("negative", g),),
    "astype": lambda n, g: (g,),
    "conj": lambda n, g: (conj(g),),
    "real": _real,
    "imag": _real,
    "complex": _complex,
    "square": _by(lambda x, y: scaled(x, 2)),
    "sign": _sign,
    "plain": lambda n, g: (times(g, PLAIN[n.attrs[0]](n.inputs[0], value_of(n))),),
    "checked": lambda n, g: (g, None),
    "abs": lambda n, g: (times(op("sign", n.inputs[0]), g),),
    "sqrt": _by(lambda x, y: over(number(0.5, y), y)),
    "cbrt": _by(lambda x, y: over(number(1, y), scaled(square(y), 3))),
    "reciprocal": _by(lambda x, y: op("negative", square(y))),
    "exp": _by(lambda x, y: y),
    "exp2": _by(lambda x, y: scaled(y, ln(2))),
    "exp10": _by(lambda x, y: scaled(y, ln(10))),
    "expm1": _by(lambda x, y: plus(y, 1)),
    "log": _by(lambda x, y: op("reciprocal", x)),
    "log1p": _by(lambda x, y: op("reciprocal", plus(x, 1))),
    "log2": _by(lambda x, y: op("reciprocal", scaled(x, ln(2)))),
    "log10": _by(lambda x, y: op("reciprocal", scaled(x, ln(10)))),
    "sin": _by(lambda x, y: op("cos", x)),
    "cos": _by(lambda x, y: op("negative", op("sin", x))),
    "tan": _by(lambda x, y: plus(square(y), 1)),
    "asin": _by(lambda x, y: op("reciprocal", op("sqrt", less_from(1, square(x))))),
    "acos": _by(lambda x, y: op("negative", op("reciprocal", op("sqrt", less_from(1, square(x)))))),
    "atan": _by(lambda x, y: op("reciprocal", plus(square(x), 1))),
    "sinh": _by(lambda x, y: op("cosh", x)),
    "erf": _by(lambda x, y: scaled(op("exp", op("negative", square(x))), 2 / sqrt(pi))),
    "erfc": _by(lambda x, y: scaled(op("exp", op("negative", square(x))), -2 / sqrt(pi))),
    "cosh": _by(lambda x, y: op("sinh", x)),
    "tanh": _by(lambda x, y: less_from(1, square(y))),
    "asinh": _by(lambda x, y: op("reciprocal", op("sqrt", plus(square(x), 1)))),
    "acosh": _by(lambda x, y: op("reciprocal", _roots(x))),
    "atanh": _by(lambda x, y: op("reciprocal", less_from(1, square(x)))),
    **dict.fromkeys(("floor", "ceil", "trunc", "round", "floor_divide", "trunc_divide"), _flat),
    "add": lambda n, g: (g, g),
    "subtract": lambda n, g: (g, op("negative", g)),
    "multiply": lambda n, g: (times(g, conj(n.inputs[1])), times(g, conj(n.inputs[0]))),
    "divide": _divide,
    "pow": _power,
    "atan2": _atan2,
    "hypot": _hypot,
    "logaddexp": _logaddexp,
    "copysign": _copysign,
    "remainder": _modulo("floor_divide"),
    "fmod": _modulo("trunc_divide"),
    "maximum": _chosen("greater_equal"),
    "minimum": _chosen("less_equal"),
    "fmax": _chosen("greater_equal", True),
    "fmin": _chosen("less_equal", True),
    "nextafter": lambda n, g: (g, None),
    "where": _choice,
    "philox": _none,
    "sum": lambda n, g: (_spread(n, g),),
    "mean": _mean,
    "var": _variance,
    "prod": _product,
    "max": _extreme,
    "min": _extreme,
    "nanmax": _extreme_number,
    "nanmin": _extreme_number,
    **CALLS,
    **MATRICES,
}
