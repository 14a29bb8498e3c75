"""Operations declared by modules: a row of the op table, and a lazy function that makes nodes.

The one idea: such an operation is a call over whole arrays.  Its rule gives dtype and shape when the node is built; its
implementation is looked up when a value is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weft import dtypes as dt
from weft.errors import DTypeError, ShapeError, ValueRangeError
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS, Op
from weft.tensors.tensor import Tensor, operands, wrap

Rule = str | Callable[..., tuple[Any, Any]]


def declare(name: str, rule: Rule, options: dict[str, Any], doc: str) -> tuple[Op, Callable[..., Tensor]]:
    """Add an operation to the op table; return (its row, the function that makes its nodes).

    `rule` gives dtype and shape of the result: "elementwise", or a function of the operands' descriptions. `options`
    are names and defaults of the function's keywords. Raises ValueRangeError for a rule that is neither "elementwise"
    nor a function. The function raises ValueRangeError for unknown or unhashable options and a rule's result that is no
    (dtype, shape), ShapeError without operands or if they do not broadcast.
    """
    if rule != "elementwise" and not callable(rule):
        raise ValueRangeError(
            f"declare: rule {rule!r} of {name}; it says dtype and shape; give 'elementwise' or a function"
        )
    attrs = ", ".join([f"{option}: literal" for option in options])
    batched = "stacks" if rule == "elementwise" else ""
    row = OPS.setdefault(name, Op(name, "call", -1, "all", "given", attrs, batched=batched))

    def function(*operands: Any, **named: Any) -> Tensor:
        if unknown := [n for n in named if n not in options]:
            raise ValueRangeError(f"{name}: option {unknown[0]!r}; it takes {', '.join(options) or 'none'}; name those")
        chosen = {**options, **named}
        attrs = tuple(chosen.values())
        try:
            hash(attrs)
        except TypeError:
            raise ValueRangeError(
                f"{name}: options {chosen}; they are part of what is compiled; give numbers, texts and tuples of these"
            ) from None
        nodes = _nodes(name, operands)
        if rule == "elementwise":
            nodes, dtype, shape = _elementwise(name, nodes)
        else:
            dtype, shape = _inferred(name, rule, [n.desc for n in nodes], chosen)  # type: ignore[arg-type]
        native = tuple([_native(n) for n in nodes])
        return wrap(ir.locate(ir.make(row, native, attrs, ir.result(dtype, shape))))

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    function.__doc__ = doc or f"The operation {name}, on tensors and anything that becomes one."
    return row, function


def _nodes(name: str, xs: Sequence[Any]) -> list[Node]:
    """Return operands as nodes, Python numbers in the dtype of the first tensor.

    Raises ShapeError if there is no operand, ValueRangeError if a number does not fit its dtype.
    """
    if not xs:
        raise ShapeError(f"{name}: no operands; what it computes follows from them; give at least one")
    return operands(xs, name)


def _elementwise(name: str, nodes: list[Node]) -> tuple[list[Node], dt.DType, tuple[int, ...]]:
    """Return (operands in their common dtype, that dtype, the shape to which they broadcast).

    Raises ShapeError, in the name of operation `name`, if they do not broadcast.
    """
    joined = dt.promote_all([n.desc.dtype for n in nodes])
    return [ir.astype(n, joined) for n in nodes], joined, ir.broadcast_shapes(name, *(n.desc.shape for n in nodes))


def _inferred(
    name: str, rule: Callable[..., Any], given: list[TensorDescription], options: dict[str, Any]
) -> tuple[dt.DType, tuple[int, ...]]:
    """Return the (dtype, shape) that the user's function `rule` gives for operands and options.

    Raises ValueRangeError if the result is no such pair, DTypeError if its dtype is unknown.
    """
    said = rule(*given, **options)
    try:
        dtype, shape = said
        sizes = tuple([int(n.__index__()) for n in shape])
        if min(sizes, default=0) < 0:
            raise ValueError
        return dt.spelled(dtype)[0], sizes
    except DTypeError:
        raise
    except (TypeError, ValueError, AttributeError):
        raise ValueRangeError(
            f"{name}: its rule gives {said!r}; a rule gives (dtype, shape) of the result; repair the declaration"
        ) from None


def _native(n: Node) -> Node:
    """Return a node, copied to the machine's byte order if it has the other; implementations rely on it."""
    return ir.make(OPS["positive"], (n,), (), ir.result(n.desc.dtype, n.desc.shape)) if n.desc.big else n
