"""Short names for the operations that gradient rules use.

The one idea: a rule reads like the formula that it stands for.
"""

from __future__ import annotations

from collections.abc import Callable

from weft.ir.atoms import selections as se
from weft.ir.graph import node as ir
from weft.ir.graph.description import FIXED_ORDER
from weft.ir.graph.node import Node, apply, scalar_like
from weft.ir.graph.ops import OPS, resolve

Gradients = tuple[Node | None, ...]
Rule = Callable[[Node, Node], Gradients]


def times(a: Node, b: Node) -> Node:
    return apply("multiply", a, b)


def quotient(a: Node, b: Node) -> Node:
    return apply("divide", a, b)


def scaled(a: Node, value: float) -> Node:
    return times(a, scalar_like(value, a))


def conj(a: Node) -> Node:
    return apply("conj", a) if a.desc.dtype.kind == "complex" else a


def value_of(n: Node) -> Node:
    """Return an operation's value as a new node.

    The recorded node forgets its operands once it is computed.
    """
    return ir.make(n.op, n.inputs, n.attrs, n.desc)


def call(name: str, x: Node, attrs: tuple[object, ...], shape: tuple[int, ...] | None = None) -> Node:
    """Return a node for the routine or scan `name` of operand x with these attributes.

    Its shape is by default that of x.
    """
    return ir.make(OPS[name], (x,), attrs, ir.result(resolve(OPS[name], x.desc.dtype)[1], shape or x.desc.shape))


def coordinate(x: Node, axis: int) -> Node:
    return ir.iota(x.desc.shape, axis)


# ---- matrices
def transposed(x: Node) -> Node:
    axes = list(range(x.desc.ndim))
    axes[-2:] = axes[-1], axes[-2]
    return se.permute(x, axes)


def adjoint_of(x: Node) -> Node:
    return transposed(conj(x))


def product_of(a: Node, b: Node, orders: tuple[str, str] = FIXED_ORDER) -> Node:
    """Return the product of two stacks of matrices.

    `orders` are the memory orders of the operands; by default additions come in a fixed order.
    """
    return ir.make(OPS["matmul"], (a, b), orders, ir.result(a.desc.dtype, ir.product_shape(a.desc.shape, b.desc.shape)))
