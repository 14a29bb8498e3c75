"""Formulas: derivatives and conditions written in rows of the op table, and the nodes built from them.

The one idea: a formula has Python's syntax and is parsed once, into steps of one op each.  `x` (or `x1`, `x2`, `x3`)
are operands of an operation, `y` its value and `g` the gradient of that; `log(x)` is the op of this name.  A number has
the dtype of the operand beside it, and subexpressions of numbers alone are computed by Python: `y * log(2)` is one
multiplication.
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
from weft.errors import InternalError
from weft.ir.atoms.selections import broadcast_to
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node

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
_REPEATS = frozenset(["broadcast_to", "expand_dims", "positive"])

Term = str | float  # the name of an operand or of an earlier step, or a number


class Step(NamedTuple):
    """One op of a formula: the names of its result and its op, and its operands.

    The op "number" is a scalar: its operands are a number and the name of the operand whose dtype it has.
    """

    result: str
    op: str
    operands: tuple[Any, ...]


class Formula(NamedTuple):
    """A parsed formula: its steps in order, the result of each part, and the names of the operands it reads.

    Parts are separated by ";".
    """

    steps: tuple[Step, ...]
    results: tuple[Term, ...]
    names: frozenset[str]


@cache
def read(text: str, is_complex: bool = True) -> Formula:
    """Return the steps of a formula; for real operands (not `is_complex`), `conj` and `real` are dropped.

    Raises InternalError for syntax that formulas do not have.

    >>> [step.op for step in read("y * log(2)").steps]
    ['number', 'multiply']
    """
    steps: dict[str, Step] = {}
    trees = [ast.parse(part.strip(), mode="eval").body for part in text.split(";")]
    if not is_complex:
        trees = [_Real().visit(tree) for tree in trees]
    results = tuple([_term(tree, steps) for tree in trees])
    names = {t.id for tree in trees for t in ast.walk(tree) if isinstance(t, ast.Name)}
    return Formula(tuple(steps.values()), results, frozenset(names))


class _Real(ast.NodeTransformer):
    """A visitor that replaces conj(x) and real(x) by x, for real operands."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return node.args[0] if getattr(node.func, "id", "") in ("conj", "real") else node


def _term(tree: ast.expr, steps: dict[str, Step]) -> Term:
    """Return the value of a subexpression: a number, or the name of an operand or a result.

    Adds the steps that compute it to `steps`.  Raises InternalError for syntax that formulas do not have.
    """
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
    found = [_term(t, steps) for t in trees]
    beside = next((x for x in (found[1:] if op == "where" else found) if isinstance(x, str)), None)
    if beside is None:
        number: float = _NUMBERS[op](*found)
        return number
    operands = []
    for x in found:
        name = x if isinstance(x, str) else f"{x} as {beside}"
        if not isinstance(x, str):
            steps.setdefault(name, Step(name, "number", (x, beside)))
        operands.append(name)
    result = ast.unparse(tree)
    steps.setdefault(result, Step(result, op, tuple(operands)))
    return result


def build(formula: Formula, values: dict[str, Node]) -> list[Node | float | None]:
    """Return the value of each part of a formula: a node, a number, or None for "none".

    `values` maps names to the operands; the results of the steps are added to it.
    """
    for result, op, operands in formula.steps:
        if op == "number":
            values[result] = ir.scalar(operands[0], values[operands[1]].desc.dtype)
        elif op == "where":
            values[result] = ir.where(*[values[x] for x in operands])
        else:
            values[result] = ir.apply(op, *_bare([values[x] for x in operands]))
    return [None if t == "none" else values[t] if isinstance(t, str) else t for t in formula.results]


def _bare(operands: list[Node]) -> list[Node]:
    """Return the operands, with a number that is repeated to the domain of another operand replaced by its scalar node.

    Rules read numbers that are operands themselves: the seed of a gradient is a 1 that needs no product.
    """
    domains = [(x.desc.shape, x.desc.origin) for x in operands]
    if len(operands) != 2 or domains[0] != domains[1]:
        return operands
    numbers = [_repeated_number(x) for x in operands]
    if (numbers[0] is None) == (numbers[1] is None):
        return operands
    return [x if number is None else number for x, number in zip(operands, numbers, strict=True)]


def _repeated_number(x: Node) -> Node | None:
    """Return the scalar node that x repeats in all of its cells; None if x is no repeated number.

    None also if the scalar has a gradient record, since its gradient must flow.
    """
    while x.value is None and x.op.name in _REPEATS and not _is_recorded(x):
        x = x.inputs[0]
    return x if x.op.name == "scalar" and not _is_recorded(x) else None


def _is_recorded(x: Node) -> bool:
    return x.traits is not None and x.traits.record is not None


def operands_of(n: Node) -> dict[str, Node]:
    """Return the operands of a node by their names in formulas: x, or x1, x2 and x3."""
    return {"x": n.inputs[0]} if len(n.inputs) == 1 else dict(zip(("x1", "x2", "x3"), n.inputs, strict=False))


def condition(text: str, n: Node) -> Node | None:
    """Return a mask of the cells at which the condition `text` holds for the operands of n.

    The text is a formula over x, or x1, x2 and x3.  None: the condition holds nowhere, by operands that are numbers.
    """
    operands = operands_of(n)
    formula = read(text, n.inputs[0].desc.dtype.kind == "complex")
    if _holds_nowhere(formula, operands):
        return None
    (holds,) = build(formula, operands)
    assert isinstance(holds, Node)
    return holds


def _holds_nowhere(formula: Formula, names: Mapping[str, Node]) -> bool:
    """True if the operands that are numbers make a condition false for all values of the other operands."""
    known = {name: number for name, x in names.items() if (number := _number(x)) is not None}
    for result, op, operands in formula.steps:
        found = [known.get(x) for x in operands]
        if op == "number":
            known[result] = operands[0]
        elif op == "logical_and" and False in found:
            known[result] = False
        elif op in _NUMBERS and None not in found:
            known[result] = _NUMBERS[op](*found)
    return known.get(str(formula.results[0])) is False


def _number(x: Node) -> Any:
    """Return the number of a scalar node, converted to its dtype; None for other nodes."""
    if x.op.name != "scalar":
        return None
    with np.errstate(over="ignore"):
        return dt.widened(dt.narrowed(np.asarray(x.attrs[0]), x.desc.dtype)).item()


def gradients(n: Node, gradient: Node) -> list[Node | None]:
    """Return the gradients of n's operands, given the gradient of its value, by the formula in its op's row."""
    formula, values = _gradient(n.op.gradient, gradient.desc.dtype.kind == "complex"), operands_of(n)
    values["g"] = gradient
    if "y" in formula.names:
        values["y"] = ir.make(n.op, n.inputs, n.attrs, n.desc)  # n forgets its operands once it is computed
    made = build(formula, values)
    return [_constant(d, x) if isinstance(d, (int, float)) else d for d, x in zip(made, n.inputs, strict=True)]


def _constant(number: float, like: Node) -> Node:
    return broadcast_to(ir.scalar(number, like.desc.dtype), like.desc.shape)


@cache
def _gradient(text: str, is_complex: bool) -> Formula:
    """Return a row's formula with every part a gradient.

    A derivative written without g becomes g · conj(derivative).
    """

    def with_gradient(part: str) -> str:
        return part if part in ("0", "none") or "g" in read(part).names else f"g * conj({part})"

    return read("; ".join([with_gradient(part.strip()) for part in text.split(";")]), is_complex)
