"""Gradients of operations: for every op the rule from the gradient of its value to those of its operands.

The one idea: rules go from nodes to nodes, so a gradient is an expression like any other: fused, compiled, and
differentiable again.  Selections have the rules of `weft.ir.atoms.adjoints`; here are those of ops that compute.  The
gradient of a real number with respect to a complex one is that of its conjugate coordinates, the direction of steepest
ascent (Wirtinger's 2·∂/∂z̄), so a holomorphic f hands on g · conj(f'(z)).
"""

from __future__ import annotations

from math import prod

from weft import dtypes as dt
from weft.errors import GradientError
from weft.ir.atoms import selections as se
from weft.ir.atoms.adjoints import RULES as SELECTION_RULES
from weft.ir.atoms.adjoints import adjoint, total, zeros
from weft.ir.graph import formulas
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node, apply, scalar_like, where
from weft.ir.graph.ops import OPS
from weft.passes.gradient.factorisation_gradients import RULES as MATRICES
from weft.passes.gradient.gradient_steps import Gradients, Rule, conj, quotient, scaled, times, value_of
from weft.passes.gradient.routine_gradients import RULES as CALLS


def gradients(n: Node, gradient: Node) -> Gradients:
    """Return the gradients of n's operands, given the gradient of its value; None for operands without gradient.

    Raises GradientError if the op has no rule.
    """
    name = n.op.name
    if name in SELECTION_RULES:
        return tuple(adjoint(n, gradient))
    rule = RULES.get(name)
    made = rule(n, gradient) if rule is not None else _by_formula(n, gradient)
    return tuple([None if d is None else _fitted(d, x) for d, x in zip(made, n.inputs, strict=True)])


def _by_formula(n: Node, gradient: Node) -> Gradients:
    """Return the gradients of n's operands by the formula in the op's row.

    Raises GradientError if the row has none.
    """
    if not n.op.gradient or n.op.gradient.startswith("none: "):
        raise GradientError(
            f"gradient: {n.op.name} has no rule for gradients; detach() its operands, or write it in terms of others"
        )
    return tuple(formulas.gradients(n, gradient))


def _fitted(gradient: Node, x: Node) -> Node | None:
    """Return a gradient summed and cast to the shape and dtype of operand x; None for dtypes without gradients.

    Axes along which the operand was repeated are summed.
    """
    d = x.desc
    if not d.dtype.is_inexact:
        return None
    lead = gradient.desc.ndim - d.ndim
    repeated = [a for a in range(lead, gradient.desc.ndim) if d.shape[a - lead] == 1 and gradient.desc.shape[a] != 1]
    if repeated:
        gradient = total(gradient, repeated, True)
    if lead:
        gradient = total(gradient, range(lead))
    if gradient.desc.dtype.kind == "complex" and d.dtype.kind != "complex":
        gradient = ir.apply("real", gradient)
    return ir.astype(gradient, d.dtype)


# ---- operations whose rule depends on the dtype
def _sign(n: Node, gradient: Node) -> Gradients:
    """Return the gradient of the operand z of a sign z/|z|; 0 for real numbers.

    It is the part of the value's gradient at right angles to z, over |z|.
    """
    x = n.inputs[0]
    if x.desc.dtype.kind != "complex":
        return _flat(n, gradient)
    y, size = value_of(n), apply("abs", x)
    across = apply("subtract", gradient, times(y, apply("real", times(gradient, conj(y)))))
    return (where(apply("equal", size, scalar_like(0, size)), scalar_like(0, gradient), quotient(across, size)),)


def _no_gradients(n: Node, gradient: Node) -> Gradients:
    return (None,) * len(n.inputs)


def _flat(n: Node, gradient: Node) -> Gradients:
    """Return zeros as gradients, for a step function."""
    return tuple([zeros(x.desc.shape, x.desc.dtype) for x in n.inputs])


def _real(n: Node, gradient: Node) -> Gradients:
    """Return the gradient of a real or imaginary part: a complex number whose other part is 0."""
    x = n.inputs[0].desc
    if x.dtype.kind != "complex":
        return (gradient,)
    part = (
        (gradient, zeros(x.shape, gradient.desc.dtype))
        if n.op.name == "real"
        else (zeros(x.shape, gradient.desc.dtype), gradient)
    )
    return (ir.make(OPS["complex"], part, (), ir.result(x.dtype, x.shape)),)


# ---- reductions
def _with_reduced_axes(n: Node, x: Node) -> Node:
    """Return x, a reduction's result or its gradient, with the reduced axes as axes of size 1."""
    axes, keepdims = n.attrs[:2]
    return x if keepdims else se.expand_dims(x, axes)


def _spread(n: Node, gradient: Node) -> Node:
    return se.broadcast_to(_with_reduced_axes(n, gradient), n.inputs[0].desc.shape)


def _count(n: Node) -> int:
    return prod([n.inputs[0].desc.shape[a] for a in n.attrs[0]])


def _product(n: Node, gradient: Node) -> Gradients:
    """Return the gradient of a product: the value's gradient times the product of all other cells.

    The only zero gets the product of the other cells; with several zeros all get 0.
    """
    x = n.inputs[0]
    zero = apply("equal", x, scalar_like(0, x))
    others = where(zero, scalar_like(1, x), x)
    nonzero = ir.make(n.op, (others,), n.attrs, n.desc)
    count = total(ir.astype(zero, dt.int64), n.attrs[0], True)
    none, one = (apply("equal", count, ir.scalar(k, dt.int64)) for k in (0, 1))
    rest = _spread(n, nonzero)
    slope = where(zero, where(one, rest, scalar_like(0, x)), where(none, quotient(rest, others), scalar_like(0, x)))
    return (times(_spread(n, gradient), conj(slope)),)


def _variance(n: Node, gradient: Node) -> Gradients:
    """Return the gradient of a variance's operand: the value's gradient times 2 · deviation / (count - correction)."""
    x = n.inputs[0]
    axes, _, correction = n.attrs
    mean = ir.make(OPS["mean"], (x,), (axes, True), ir.result(x.desc.dtype, _with_reduced_axes(n, n).desc.shape))
    scale = 2 / max(_count(n) - correction, 0) if _count(n) > correction else float("nan")
    return (times(_spread(n, gradient), scaled(apply("subtract", x, mean), scale)),)


def _extreme(n: Node, gradient: Node) -> Gradients:
    """Return the gradient of a maximum's or minimum's operand: the value's, shared by the cells equal to it."""
    x = n.inputs[0]
    is_it = ir.astype(apply("equal", x, _spread(n, value_of(n))), x.desc.dtype)
    share = quotient(_with_reduced_axes(n, gradient), total(is_it, n.attrs[0], True))
    return (times(se.broadcast_to(share, x.desc.shape), is_it),)


def _extreme_number(n: Node, gradient: Node) -> Gradients:
    """Return the gradient of a nanmax or nanmin; where all cells are NaN it is 0."""
    (shares,) = _extreme(n, gradient)
    assert shares is not None
    return (where(apply("isnan", _spread(n, value_of(n))), scalar_like(0, shares), shares),)


def _mean(n: Node, gradient: Node) -> Gradients:
    return (scaled(_spread(n, gradient), 1 / _count(n) if _count(n) else float("nan")),)


def _blocks(n: Node, gradient: Node) -> Gradients:
    """Return the gradients by the user's function `vjp`; None for the last input, the start index.

    Raises GradientError if no `vjp` was given.
    """
    vjp = n.inputs[-1].value.vjp
    if vjp is None:
        raise GradientError(
            "map_blocks: no gradient; what its function computes is not known; give vjp=, or detach() its inputs"
        )
    return (*vjp(n, gradient), None)


RULES: dict[str, Rule] = {
    "map_blocks": _blocks,
    "real": _real,
    "imag": _real,
    "sign": _sign,
    "philox": _no_gradients,
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
