"""The text form of graphs: one line per node, from which the same graph is parsed.

The one idea: a line holds all facts of a node but its value, so `parse(show(roots), leaves)` builds the same graph
again, and showing that gives the same text.  Leaves are numbered in the order in which they appear.

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
from weft.errors import ExpressionError, Fault
from weft.ir.graph.attributes import shortened
from weft.ir.graph.description import TensorDescription, c_strides
from weft.ir.graph.graph_facts import GraphFacts, NodeFacts, described, facts_of
from weft.ir.graph.node import NONE, Label, Node

_NAMES = {"inf": float("inf"), "nan": float("nan"), "True": True, "False": False, "None": None, **dt.BY_NAME}


def _attr(x: object) -> str:
    if isinstance(x, tuple):
        return "(" + "".join(_attr(i) + ", " for i in x) + ")" if len(x) < 2 else "(" + ", ".join(map(_attr, x)) + ")"
    return x.name if isinstance(x, DType) else repr(x)


def description(desc: TensorDescription) -> str:
    """Return a description as text, such as "float32[2, 3] strides (4, 8)"."""
    text = f"{desc.dtype.name}[{', '.join(map(str, desc.shape))}]"
    if desc.strides is not None and desc.strides != c_strides(desc.shape, desc.dtype.itemsize):
        text += f" strides {desc.strides}"
    text += " big-endian" if desc.big else ""
    text += f" at {desc.origin}" if desc.origin is not None else ""
    return text + (" read-only" if desc.read_only else "")


def show(roots: Sequence[Node], embed: int = 0) -> str:
    """Return the graph below the nodes `roots` as text, with the cells of stored values of up to `embed` bytes."""
    graph = facts_of(roots, embed)
    return "\n".join([*map(line_of, graph.nodes), "return " + ", ".join(graph.outputs)])


def line_of(facts: NodeFacts) -> str:
    """Return the facts of a node as a line of text."""
    inputs = f"({', '.join(facts.inputs)})" if facts.inputs else ""
    attrs = f" {{{attrs_of(facts)}}}" if facts.attrs else ""
    return (
        f"{facts.id} = {facts.op}{inputs}{attrs}"
        + ("" if facts.desc is None else f" {description(facts.desc)}")
        + label_text(facts.label)
    )


def label_text(label: Label) -> str:
    """Return a label as text for the end of a node's line; "" for an empty label."""
    name = f" named {label.name!r}" if label.name else ""
    return name + (f" with {dict(label.metadata)!r}" if label.metadata else "")


def attrs_of(facts: NodeFacts) -> str:
    """Return the attributes of a node as text, separated by commas."""
    return ", ".join(map(_attr, facts.attrs or ()))


_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_BRACED = rf"(?:[^'\"{{}}]|{_QUOTED})*"
_LINE = re.compile(
    rf"(?P<id>%\d+) = (?P<op>[\w.]+)(\((?P<inputs>[%\d, ]*)\))?( \{{(?P<attrs>{_BRACED})\}})? "
    r"(?P<dtype>\w+)\[(?P<shape>[\d, ]*)\]( strides (?P<strides>\([-\d, ]*\)))?(?P<big> big-endian)?"
    r"( at (?P<origin>\([-\d, ]*\)))?(?P<read_only> read-only)?"
    rf"( named (?P<name>{_QUOTED}))?( with (?P<metadata>\{{{_BRACED}\}}))?"
)


def read(text: str) -> tuple[GraphFacts, list[Fault]]:
    """Return the facts stated in the text of a graph, and the faults of its lines."""
    nodes: list[NodeFacts] = []
    faults: list[Fault] = []
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        at = f"line {number}"
        if line.startswith("return "):
            return GraphFacts(nodes, [r.strip() for r in line[7:].split(",")], at), faults
        m = _LINE.fullmatch(line)
        if m is not None:
            nodes.append(_node(m, at, faults))
        elif line:
            says = "is no line of a graph; they read '%n = op(%i, ...) {attrs} type'"
            faults.append(Fault(at, f"{shortened(line)!r} {says}"))
    return GraphFacts(nodes, []), [*faults, Fault("", "no line 'return %n'; a graph ends with what it gives")]


def _node(match: re.Match[str], path: str, faults: list[Fault]) -> NodeFacts:
    """Return the facts stated in a line of text, matched as `match` at `path`.

    Appends the line's faults to `faults`.
    """
    inputs = tuple([i.strip() for i in (match["inputs"] or "").split(",") if i.strip()])
    attrs = desc = None
    label = NONE
    try:
        attrs = _literal("(" + match["attrs"] + ",)") if match["attrs"] else ()
        desc = _described(match)
        label = _label(match)
    except ExpressionError as error:
        faults.append(Fault(path, str(error)))
    return NodeFacts(match["id"], match["op"], inputs, attrs, desc, label, path)


def _label(match: re.Match[str]) -> Label:
    """Return the label stated at the end of a line of text."""
    return (
        Label(_literal(match["name"] or "''"), _literal(match["metadata"] or "{}"))
        if match["name"] or match["metadata"]
        else NONE
    )


def _described(m: re.Match[str]) -> TensorDescription:
    dtype = dt.BY_NAME.get(m["dtype"])
    if dtype is None:
        raise ExpressionError(f"dtype {m['dtype']!r} is unknown; dtypes are {', '.join(dt.BY_NAME)}")
    try:
        shape = tuple([int(s) for s in m["shape"].split(",") if s.strip()])
    except ValueError:
        raise ExpressionError(f"{shortened(m['shape'])!r} is no shape; sizes are integers below 2**63") from None
    strides = _literal(m["strides"]) if m["strides"] else c_strides(shape, dtype.itemsize)
    origin = _literal(m["origin"]) if m["origin"] else None
    return described(dtype, shape, strides, m["big"] is not None, origin, m["read_only"] is not None)


def _literal(text: str) -> Any:
    """Return the tuple of literals, dtype names, inf and nan in a text.

    Raises ExpressionError if it holds anything else.
    """
    try:
        return _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, TypeError, ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"{shortened(text)!r} is no literal; attributes are numbers, names and tuples") from error


def _value(node: ast.AST) -> Any:
    """Return the value of a literal's syntax tree.

    Raises TypeError if it is no literal.
    """
    match node:
        case ast.Tuple(elts=elts):
            return tuple(map(_value, elts))
        case ast.Dict(keys=keys, values=values):  # metadata; no attribute is one
            return {_value(k): _value(v) for k, v in zip(keys, values, strict=True) if k is not None}
        case ast.UnaryOp(op=ast.USub(), operand=o):
            return -_value(o) if (part := _imaginary(o)) is None else complex(0.0, -part)
        case ast.BinOp(left=a, op=ast.Add() | ast.Sub() as op, right=b) if (part := _imaginary(b)) is not None:
            real = (
                -float(_value(a.operand)) if isinstance(a, ast.UnaryOp) else float(_value(a))
            )  # -0 is no integer here
            return complex(real, part if isinstance(op, ast.Add) else -part)
        case _ if (part := _imaginary(node)) is not None:
            return complex(0.0, part)
        case ast.Constant(value=v):
            return v
        case ast.Name(id=name) if name in _NAMES:
            return _NAMES[name]
    raise TypeError


def _imaginary(node: ast.AST) -> float | None:
    """Return the imaginary part of a literal such as 2j or infj; None for other literals."""
    match node:
        case ast.Constant(value=complex() as z):
            return z.imag
        case ast.Name(id="infj" | "nanj" as name):
            return float(name[:-1])
    return None
