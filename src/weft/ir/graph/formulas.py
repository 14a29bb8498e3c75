"""Formulas: derivatives and conditions as rows of the op table write them, and the nodes that they make.

The one idea: a formula has Python's syntax and is read once, into steps of one op each.  `x` (or `x1`, `x2`, `x3`) are
operands of an operation, `y` its value and `g` the gradient of that; `log(x)` is the op of this name.  A number has the
dtype of the operand beside it, and what has no operand is computed by Python: `y * log(2)` is one multiplication.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import InternalError
from weft.ir.atoms.affine import broadcast_to
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS

_OPERATORS: dict[type, str] = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.USub: "negative",
    ast.BitAnd: "logical_and", ast.BitOr: "logical_or", ast.Lt: "less", ast.LtE: "less_equal", ast.Gt: "greater",
    ast.GtE: "greater_equal", ast.Eq: "equal", ast.NotEq: "not_equal",
}  # fmt: skip
_NUMBERS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "negative": operator.neg, "logical_and": operator.and_, "less": operator.lt, "greater": operator.gt,
    "equal": operator.eq, "not_equal": operator.ne, "isfinite": lambda x: math.isfinite(x), "abs": abs,
    "floor": lambda x: math.floor(x) if math.isfinite(x) else x, "real": lambda x: x.real, "sqrt": math.sqrt,
    "log": math.log,
}  # fmt: skip

Term = str | float  # the name of an operand or of an earlier step, or a number


class Step(NamedTuple):
    """One op: the name of its result, the name of the op, its operands."""

    result: str
    op: str
    operands: tuple[Term, ...]


class Formula(NamedTuple):
    """Steps in order, and the results of the parts between "; "."""

    steps: tuple[Step, ...]
    results: tuple[Term, ...]


@cache
def read(text: str) -> Formula:
    """Return the steps of a formula.

    >>> read("y * log(2)").steps
    (Step(result='y * log(2)', op='multiply', operands=('y', 0.6931471805599453)),)
    """
    steps: dict[str, Step] = {}
    results = tuple([_term(ast.parse(part.strip(), mode="eval").body, steps) for part in text.split(";")])
    return Formula(tuple(steps.values()), results)


def _term(tree: ast.expr, steps: dict[str, Step]) -> Term:
    """The name or number that a part of a formula is; what it is made of is added to the steps."""
    match tree:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id="pi"):
            return math.pi
        case ast.Name(id=name):
            return name
        case ast.UnaryOp(op=sign, operand=x):
            return _step(tree, _OPERATORS[type(sign)], [x], steps)
        case ast.BinOp(left=a, op=between, right=b):
            return _step(tree, _OPERATORS[type(between)], [a, b], steps)
        case ast.Compare(left=a, ops=[between], comparators=[b]):
            return _step(tree, _OPERATORS[type(between)], [a, b], steps)
        case ast.Call(func=ast.Name(id=name), args=args):
            return _step(tree, name, args, steps)
    raise InternalError(f"formula: {ast.unparse(tree)!r} is no sum, product, comparison or op; please report this")


def _step(tree: ast.expr, op: str, trees: Sequence[ast.expr], steps: dict[str, Step]) -> Term:
    operands = tuple([_term(t, steps) for t in trees])
    if not any(isinstance(x, str) for x in operands):
        number: float = _NUMBERS[op](*operands)
        return number
    result = ast.unparse(tree)
    steps.setdefault(result, Step(result, op, operands))
    return result


def build(text: str, names: Mapping[str, Node]) -> list[Node | float | None]:
    """Return what the parts of a formula are over named nodes: nodes, numbers, None for "none"."""
    formula, values = read(text), dict(names)
    numbers: dict[tuple[float, DType], Node] = {}
    for result, op, operands in formula.steps:
        values[result] = _applied(op, [values[x] if isinstance(x, str) else x for x in operands], numbers)
    return [None if t == "none" else values[t] if isinstance(t, str) else t for t in formula.results]


def _applied(op: str, operands: Sequence[Node | float], numbers: dict[tuple[float, DType], Node]) -> Node:
    like = next(x for x in (operands[1:] if op == "where" else operands) if isinstance(x, Node))
    dtype = like.desc.dtype
    nodes = [x if isinstance(x, Node) else numbers.setdefault((x, dtype), ir.scalar(x, dtype)) for x in operands]
    if op == "where":
        return where(*nodes)
    if op in ("conj", "real") and like.desc.dtype.kind != "complex":
        return like
    return ir.elementwise(OPS[op], *nodes)


def where(condition: Node, a: Node, b: Node) -> Node:
    """Return a where the condition holds, else b, in the dtype of a."""
    b = ir.astype(b, a.desc.dtype)
    shape, origin = ir.broadcast_domains("where", [condition.desc, a.desc, b.desc])
    spread = [x if x.desc.shape == shape else broadcast_to(x, shape) for x in (condition, a, b)]
    return ir.make(OPS["where"], tuple(spread), (), ir.result(a.desc.dtype, shape, origin))


def operands_of(n: Node) -> dict[str, Node]:
    """Return the operands of a node by the names that formulas have for them."""
    if len(n.inputs) == 1:
        return {"x": n.inputs[0]}
    return {f"x{i}": x for i, x in enumerate(n.inputs, 1)}


# ---- conditions


def holds_nowhere(text: str, names: Mapping[str, Node]) -> bool:
    """True if the numbers among the operands alone make a condition false, whatever the other operands are."""
    known = {name: number for name, x in names.items() if (number := _number(x)) is not None}
    formula = read(text)
    for result, op, operands in formula.steps:
        found = [known.get(x) if isinstance(x, str) else x for x in operands]
        if op == "logical_and" and any(x is False for x in found):
            known[result] = False
        elif op in _NUMBERS and None not in found:
            known[result] = _NUMBERS[op](*found)
    return known.get(str(formula.results[0])) is False


def _number(x: Node) -> Any:
    """The number that a scalar is, as its dtype holds it; None of other nodes."""
    if x.op.name != "scalar":
        return None
    with np.errstate(over="ignore"):
        return dt.widened(dt.narrowed(np.asarray(x.attrs[0]), x.desc.dtype)).item()


# ---- gradients


def gradients(n: Node, g: Node) -> list[Node | None]:
    """Return the gradients of n's operands by the formula in its row."""
    text = _with_gradient(n.op.gradient)
    names = {**operands_of(n), "g": g}
    if any("y" in step.operands for step in read(text).steps):
        names["y"] = ir.make(n.op, n.inputs, n.attrs, n.desc)  # n forgets its operands once it is computed
    return [
        broadcast_to(ir.scalar(d, x.desc.dtype), x.desc.shape) if isinstance(d, (int, float)) else d
        for d, x in zip(build(text, names), n.inputs, strict=True)
    ]


@cache
def _with_gradient(text: str) -> str:
    """The formula in which every part is the gradient: a slope alone, without g, becomes g · conj(slope)."""

    def of(part: str) -> str:
        names = {t.id for t in ast.walk(ast.parse(part, mode="eval")) if isinstance(t, ast.Name)}
        return part if part in ("0", "none") or "g" in names else f"g * conj({part})"

    return "; ".join([of(part.strip()) for part in text.split(";")])
