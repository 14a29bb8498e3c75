"""The text form of graphs: one line a node, readable back.

The one idea: a line holds all a node is but its value, so `parse(show(roots), leaves)` builds the same graph again,
and showing that gives the same text.  Leaves are numbered in the order in which they appear.

    %0 = leaf float32[2, 3] strides (12, 4)
    %1 = scalar {2.0} float32[]
    %2 = multiply(%0, %1) float32[2, 3]
    return %2
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import ExpressionError, ValueRangeError, WeftError
from weft.ir.atoms import selections
from weft.ir.atoms.table import AFFINE, ATOMS
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription, c_strides, describe
from weft.ir.graph.node import Node, walk
from weft.ir.graph.ops import OPS
from weft.ir.pieces.block_operator import BlockOperator, from_literal

_NAMES = {"inf": float("inf"), "nan": float("nan"), "True": True, "False": False, "None": None, **dt.BY_NAME}


def _attr(x: object) -> str:
    if isinstance(x, tuple):
        return "(" + "".join(_attr(i) + ", " for i in x) + ")" if len(x) < 2 else "(" + ", ".join(map(_attr, x)) + ")"
    if isinstance(x, BlockOperator):
        return _attr(x.literal)
    return x.name if isinstance(x, DType) else repr(x)


def description(d: TensorDescription) -> str:
    """Return a description as text."""
    text = f"{d.dtype.name}[{', '.join(map(str, d.shape))}]"
    if d.strides is not None and d.strides != c_strides(d.shape, d.dtype.itemsize):
        text += f" strides {d.strides}"
    text += " big-endian" if d.big else ""
    text += f" at {d.origin}" if d.origin is not None else ""
    return text + (" read-only" if d.read_only else "")


def show(roots: Sequence[Node]) -> str:
    """Return the graph below some nodes as text."""
    numbers: dict[int, int] = {}
    lines = []
    for n in walk(roots):
        numbers[id(n)] = len(numbers)
        stored = n.value is not None and n.op.name != "file"
        inputs = "" if stored or not n.inputs else "(" + ", ".join(f"%{numbers[id(i)]}" for i in n.inputs) + ")"
        attrs = "" if stored or not n.attrs else " {" + ", ".join(_attr(a) for a in n.attrs) + "}"
        name = "leaf" if stored else n.op.name
        lines.append(f"%{numbers[id(n)]} = {name}{inputs}{attrs} {description(n.desc)}")
    lines.append("return " + ", ".join(f"%{numbers[id(r)]}" for r in roots))
    return "\n".join(lines)


_LINE = re.compile(
    r"%(?P<number>\d+) = (?P<op>\w+)(\((?P<inputs>[%\d, ]*)\))?( \{(?P<attrs>.*)\})? "
    r"(?P<dtype>\w+)\[(?P<shape>[\d, ]*)\]( strides (?P<strides>\([-\d, ]*\)))?(?P<big> big-endian)?"
    r"( at (?P<origin>\([-\d, ]*\)))?(?P<read_only> read-only)?"
)


def _literal(text: str) -> Any:
    """Return a tuple of literals, names of dtypes, inf and nan."""

    def value(node: ast.AST) -> Any:
        match node:
            case ast.Tuple(elts=elts):
                return tuple(value(e) for e in elts)
            case ast.Constant(value=v):
                return v
            case ast.Name(id=name) if name in _NAMES:
                return _NAMES[name]
            case ast.UnaryOp(op=ast.USub(), operand=o):
                return -value(o)
            case ast.BinOp(left=a, op=ast.Add(), right=b):
                return value(a) + value(b)
            case ast.BinOp(left=a, op=ast.Sub(), right=b):
                return value(a) - value(b)
        raise ExpressionError(f"parse: {ast.unparse(node)!r} is no literal; attributes are numbers, names and tuples")

    try:
        return value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ExpressionError(
            f"parse: {_cut(text)!r} is no literal; attributes are numbers, names and tuples"
        ) from error


def _cut(text: str) -> str:
    return text if len(text) < 80 else f"{text[:80]}..."


def _parsed_description(m: re.Match[str]) -> TensorDescription:
    dtype = dt.BY_NAME.get(m["dtype"])
    if dtype is None:
        raise ExpressionError(f"parse: dtype {m['dtype']!r} is unknown; dtypes are {', '.join(dt.BY_NAME)}")
    shape = tuple(int(s) for s in m["shape"].split(",") if s.strip())
    strides = _literal(m["strides"]) if m["strides"] else c_strides(shape, dtype.itemsize)
    origin = _literal(m["origin"]) if m["origin"] else None
    return describe(dtype, shape, strides, m["big"] is not None, origin, m["read_only"] is not None)


def _node(m: re.Match[str], inputs: tuple[Node, ...], attrs: tuple[Any, ...]) -> Node:
    name, desc = m["op"], _parsed_description(m)
    if name not in OPS:
        raise ExpressionError(f"parse: {name!r} is no op; see the op table")
    arity = OPS[name].arity
    if len(inputs) != arity >= 0:
        raise ExpressionError(f"parse: {name} of {len(inputs)} inputs; it has {arity}; name them in parentheses")
    if name in AFFINE:
        return ATOMS[name].make(inputs[0], *attrs)
    if name == "map_blocks":
        attrs = (from_literal(attrs[0], inputs[-1]), attrs[1])
    if name == "placeholder":
        return ir.placeholder(attrs[0], desc)
    if name in ("real", "imag") and inputs[0].desc.dtype.kind == "complex":
        half = selections.part(inputs[0], name)
        if half.desc == desc:
            return half
    if name == "reshape" and (view := selections.reshape_view(inputs[0], attrs[0])) is not None and desc == view.desc:
        return view
    return ir.make(OPS[name], inputs, attrs, desc)


def parse(text: str, leaves: Sequence[Any] = ()) -> list[Node]:
    """Return the nodes that the last line of a graph's text names; stored leaves take the given values in order.

    Raises ExpressionError if a line is none of a graph.
    """
    nodes: dict[str, Node] = {}
    values = iter(leaves)
    for line in text.strip().splitlines():
        line = line.strip()
        if line.startswith("return "):
            return [_known(nodes, r.strip(), line) for r in line[7:].split(",")]
        m = _LINE.fullmatch(line)
        if m is None:
            raise ExpressionError(f"parse: {line!r} is no line of a graph; they read '%n = op(%i, ...) {{attrs}} type'")
        inputs = tuple(_known(nodes, i.strip(), line) for i in (m["inputs"] or "").split(",") if i.strip())
        attrs = _literal("(" + m["attrs"] + ",)") if m["attrs"] else ()
        if m["op"] == "leaf":
            value = next(values, None)
            if value is None:
                raise ValueRangeError(
                    f"parse: {_cut(line)!r} is a stored tensor; no value is left for it; pass leaves="
                )
            nodes["%" + m["number"]] = ir.stored(_parsed_description(m), value)
        else:
            nodes["%" + m["number"]] = _made(line, m, inputs, attrs)
    raise ExpressionError("parse: no line 'return %n'; a graph ends with what it gives")


def _made(line: str, m: re.Match[str], inputs: tuple[Node, ...], attrs: tuple[Any, ...]) -> Node:
    try:
        return _node(m, inputs, attrs)
    except WeftError:
        raise
    except (TypeError, ValueError, IndexError, AssertionError) as error:
        raise ExpressionError(
            f"parse: {_cut(line)!r} has attributes that are not those of {m['op']}; lines are as weft.show writes them"
        ) from error


def _known(nodes: dict[str, Node], name: str, line: str) -> Node:
    if name not in nodes:
        raise ExpressionError(f"parse: {name!r} in {line!r} is not defined above; lines refer to earlier ones only")
    return nodes[name]
