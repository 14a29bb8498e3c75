"""Gradients of operations: for every op the rule that takes the gradient of its value to those of its operands.

The one idea: rules go from nodes to nodes, so a gradient is an expression like any other: fused, compiled, and
differentiable again.  Selections have the rules of `weft.ir.adjoint`; here are those that compute.  The gradient of a
real number by a complex one is that of its conjugate coordinates, the direction of steepest ascent (Wirtinger's
2·∂/∂z̄), so a holomorphic f hands on g · conj(f'(z)).
"""

from __future__ import annotations

from collections.abc import Callable
from math import log as ln
from math import prod

from weft import dtypes as dt
from weft.errors import GradientError
from weft.ir import node as ir
from weft.ir import selection as se
from weft.ir.adjoint import RULES as SELECTION_RULES
from weft.ir.adjoint import adjoint, total, zeros
from weft.ir.node import Node
from weft.ir.ops import OPS
from weft.passes.place import device_of, transfer

Gradients = tuple[Node | None, ...]
Rule = Callable[[Node, Node], Gradients]


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


# ---- words of the rules
def _e(name: str, *operands: Node) -> Node:
    return ir.elementwise(OPS[name], *operands)


def _times(a: Node, b: Node) -> Node:
    return _e("multiply", a, b)


def _over(a: Node, b: Node) -> Node:
    return _e("divide", a, b)


def _number(value: float, like: Node) -> Node:
    return ir.scalar(value, like.desc.dtype)


def _plus(a: Node, value: float) -> Node:
    return _e("add", a, _number(value, a))


def _less_from(value: float, a: Node) -> Node:
    return _e("subtract", _number(value, a), a)


def _scaled(a: Node, value: float) -> Node:
    return _times(a, _number(value, a))


def _square(a: Node) -> Node:
    return _e("square", a)


def _conj(a: Node) -> Node:
    return _e("conj", a) if a.desc.dtype.kind == "complex" else a


def _where(condition: Node, a: Node, b: Node) -> Node:
    a, b = (ir.astype(x, a.desc.dtype) for x in (a, b))
    shape, origin = ir.broadcast_domains("where", [condition.desc, a.desc, b.desc])
    spread = [x if x.desc.shape == shape else se.broadcast_to(x, shape) for x in (condition, a, b)]
    return ir.make(OPS["where"], tuple(spread), (), ir.result(a.desc.dtype, shape, origin))


def value_of(n: Node) -> Node:
    """The value of an operation again (the node that was recorded forgets its operands once it is computed)."""
    return ir.make(n.op, n.inputs, n.attrs, n.desc)


# ---- one operand: gradient = g · conj(f'(x)), f' from x and y = f(x)
def _by(derivative: Callable[[Node, Node], Node]) -> Rule:
    def rule(n: Node, g: Node) -> Gradients:
        return (_times(g, _conj(derivative(n.inputs[0], value_of(n)))),)

    return rule


def _none(n: Node, g: Node) -> Gradients:
    return (None,) * len(n.inputs)


def _flat(n: Node, g: Node) -> Gradients:
    """Steps have the slope 0 wherever they have one."""
    return tuple([zeros(x.desc.shape, x.desc.dtype) for x in n.inputs])


def _roots(x: Node) -> Node:
    """sqrt(x - 1) · sqrt(x + 1), which has the branches of acosh."""
    return _times(_e("sqrt", _plus(x, -1)), _e("sqrt", _plus(x, 1)))


def _real(n: Node, g: Node) -> Gradients:
    x = n.inputs[0].desc
    if x.dtype.kind != "complex":
        return (g,)
    part = (g, zeros(x.shape, g.desc.dtype)) if n.op.name == "real" else (zeros(x.shape, g.desc.dtype), g)
    return (ir.make(OPS["complex"], part, (), ir.result(x.dtype, x.shape)),)


def _complex(n: Node, g: Node) -> Gradients:
    return _e("real", g), _e("imag", g)


# ---- two operands
def _power(n: Node, g: Node) -> Gradients:
    a, b = n.inputs
    zero, one = _number(0, a), _number(1, a)
    slope = _times(b, _e("pow", a, _e("subtract", b, one)))
    base = _times(g, _conj(_where(_e("equal", b, zero), _number(0, g), slope)))
    safe = _where(_e("equal", a, zero), one, a)
    growth = _where(_e("equal", a, zero), _number(0, g), _times(value_of(n), _e("log", safe)))
    return base, _times(g, _conj(growth))


def _divide(n: Node, g: Node) -> Gradients:
    b = _conj(n.inputs[1])
    return _over(g, b), _e("negative", _times(g, _over(_conj(value_of(n)), b)))


def _atan2(n: Node, g: Node) -> Gradients:
    y, x = n.inputs
    size = _e("add", _square(x), _square(y))
    return _times(g, _over(x, size)), _e("negative", _times(g, _over(y, size)))


def _hypot(n: Node, g: Node) -> Gradients:
    h = value_of(n)
    return tuple([_times(g, _over(x, h)) for x in n.inputs])


def _logaddexp(n: Node, g: Node) -> Gradients:
    y = value_of(n)
    return tuple([_times(g, _e("exp", _e("subtract", x, y))) for x in n.inputs])


def _copysign(n: Node, g: Node) -> Gradients:
    a, b = n.inputs
    one = _number(1, a)
    return _times(g, _times(_e("copysign", one, a), _e("copysign", one, b))), None


def _chosen(prefers: str) -> Rule:
    """The gradient goes to the operand that was taken, the first of equal ones."""

    def rule(n: Node, g: Node) -> Gradients:
        a, b = n.inputs
        first = _e("logical_or", _e(prefers, a, b), _e("isnan", a) if a.desc.dtype.is_inexact else _e(prefers, a, b))
        none = _number(0, g)
        return _where(first, g, none), _where(first, none, g)

    return rule


def _modulo(quotient: str) -> Rule:
    def rule(n: Node, g: Node) -> Gradients:
        return g, _e("negative", _times(g, _e(quotient, *n.inputs)))

    return rule


def _choice(n: Node, g: Node) -> Gradients:
    none = _number(0, g)
    return None, _where(n.inputs[0], g, none), _where(n.inputs[0], none, g)


# ---- reductions, scans and routines
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
    zero = _e("equal", x, _number(0, x))
    others = _where(zero, _number(1, x), x)
    nonzero = ir.make(n.op, (others,), n.attrs, n.desc)
    count = total(ir.astype(zero, dt.int64), n.attrs[0], True)
    none, one = (_e("equal", count, ir.scalar(k, dt.int64)) for k in (0, 1))
    rest = _spread(n, nonzero)
    slope = _where(zero, _where(one, rest, _number(0, x)), _where(none, _over(rest, others), _number(0, x)))
    return (_times(_spread(n, g), _conj(slope)),)


def _variance(n: Node, g: Node) -> Gradients:
    x = n.inputs[0]
    axes, _, correction = n.attrs
    mean = ir.make(OPS["mean"], (x,), (axes, True), ir.result(x.desc.dtype, _kept(n, n).desc.shape))
    scale = 2 / max(_count(n) - correction, 0) if _count(n) > correction else float("nan")
    return (_times(_spread(n, g), _scaled(_e("subtract", x, mean), scale)),)


def _extreme(n: Node, g: Node) -> Gradients:
    """Shared evenly by the cells that are the extreme."""
    x = n.inputs[0]
    is_it = ir.astype(_e("equal", x, _spread(n, value_of(n))), x.desc.dtype)
    return (_times(_spread(n, g), _over(is_it, total(is_it, n.attrs[0], True))),)


def _running_sum(n: Node, g: Node) -> Gradients:
    axis = (n.attrs[0],)
    if n.attrs[1]:  # the initial 0 comes from nowhere
        g = se.slice_(g, [(int(d == axis[0]), 1, size) for d, size in enumerate(n.inputs[0].desc.shape)])
    back = se.flip(g, axis)
    return (se.flip(ir.make(n.op, (back,), (*axis, False), ir.result(g.desc.dtype, g.desc.shape)), axis),)


def _mean(n: Node, g: Node) -> Gradients:
    return (_scaled(_spread(n, g), 1 / _count(n) if _count(n) else float("nan")),)


def _matmul(n: Node, g: Node) -> Gradients:
    """Vectors are matrices of one row or one column."""
    a, b = n.inputs
    if b.desc.ndim == 1:
        b, g = se.expand_dims(b, (1,)), se.expand_dims(g, (g.desc.ndim,))
    if a.desc.ndim == 1:
        a, g = se.expand_dims(a, (0,)), se.expand_dims(g, (g.desc.ndim - 1,))
    left, right = _product_of(g, _turned(_conj(b))), _product_of(_turned(_conj(a)), g)
    return _as_vector(left, n.inputs[0], -2), _as_vector(right, n.inputs[1], -1)


def _as_vector(g: Node, x: Node, axis: int) -> Node:
    """The gradient of an operand that may have been a vector."""
    if x.desc.ndim > 1:
        return g
    return se.squeeze(total(g, range(g.desc.ndim - 2)), (2 + axis,))


def _turned(x: Node) -> Node:
    axes = list(range(x.desc.ndim))
    axes[-2:] = axes[-1], axes[-2]
    return se.permute(x, axes)


def _product_of(a: Node, b: Node) -> Node:
    lead = ir.broadcast_shapes("matmul", a.desc.shape[:-2], b.desc.shape[:-2])
    shape = (*lead, a.desc.shape[-2], b.desc.shape[-1])
    return ir.make(OPS["matmul"], (a, b), ("C", "C"), ir.result(a.desc.dtype, shape))


def _transfer(n: Node, g: Node) -> Gradients:
    return (transfer(g, device_of(n.inputs[0])),)


RULES: dict[str, Rule] = {
    "positive": lambda n, g: (g,),
    "negative": lambda n, g: (_e("negative", g),),
    "astype": lambda n, g: (g,),
    "conj": lambda n, g: (_conj(g),),
    "real": _real,
    "imag": _real,
    "complex": _complex,
    "square": _by(lambda x, y: _scaled(x, 2)),
    "abs": lambda n, g: (_times(_e("sign", n.inputs[0]), g),),
    "sqrt": _by(lambda x, y: _over(_number(0.5, y), y)),
    "cbrt": _by(lambda x, y: _over(_number(1, y), _scaled(_square(y), 3))),
    "reciprocal": _by(lambda x, y: _e("negative", _square(y))),
    "exp": _by(lambda x, y: y),
    "exp2": _by(lambda x, y: _scaled(y, ln(2))),
    "exp10": _by(lambda x, y: _scaled(y, ln(10))),
    "expm1": _by(lambda x, y: _plus(y, 1)),
    "log": _by(lambda x, y: _e("reciprocal", x)),
    "log1p": _by(lambda x, y: _e("reciprocal", _plus(x, 1))),
    "log2": _by(lambda x, y: _e("reciprocal", _scaled(x, ln(2)))),
    "log10": _by(lambda x, y: _e("reciprocal", _scaled(x, ln(10)))),
    "sin": _by(lambda x, y: _e("cos", x)),
    "cos": _by(lambda x, y: _e("negative", _e("sin", x))),
    "tan": _by(lambda x, y: _plus(_square(y), 1)),
    "asin": _by(lambda x, y: _e("reciprocal", _e("sqrt", _less_from(1, _square(x))))),
    "acos": _by(lambda x, y: _e("negative", _e("reciprocal", _e("sqrt", _less_from(1, _square(x)))))),
    "atan": _by(lambda x, y: _e("reciprocal", _plus(_square(x), 1))),
    "sinh": _by(lambda x, y: _e("cosh", x)),
    "cosh": _by(lambda x, y: _e("sinh", x)),
    "tanh": _by(lambda x, y: _less_from(1, _square(y))),
    "asinh": _by(lambda x, y: _e("reciprocal", _e("sqrt", _plus(_square(x), 1)))),
    "acosh": _by(lambda x, y: _e("reciprocal", _roots(x))),
    "atanh": _by(lambda x, y: _e("reciprocal", _less_from(1, _square(x)))),
    **dict.fromkeys(("floor", "ceil", "trunc", "round", "sign", "floor_divide", "trunc_divide"), _flat),
    "add": lambda n, g: (g, g),
    "subtract": lambda n, g: (g, _e("negative", g)),
    "multiply": lambda n, g: (_times(g, _conj(n.inputs[1])), _times(g, _conj(n.inputs[0]))),
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
    "where": _choice,
    "philox": _none,
    "sum": lambda n, g: (_spread(n, g),),
    "mean": _mean,
    "var": _variance,
    "prod": _product,
    "max": _extreme,
    "min": _extreme,
    "cumulative_sum": _running_sum,
    "matmul": _matmul,
    "transfer": _transfer,
}
