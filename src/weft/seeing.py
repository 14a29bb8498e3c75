"""Seeing inside: what an expression is, how it will be computed and what that costs, before it is computed.

The one idea: the plan is data, so explaining is reading it: every row says which bytes it touches, every buffer how
long it lives.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from weft import tensor
from weft.errors import ValueRangeError
from weft.ir import show as text
from weft.ir.kernel import Buffer, CallStep, MapLaunch, Operand, Plan, ReduceLaunch, Row, ScanLaunch, Step
from weft.ir.node import Node, line_of, walk
from weft.passes.config import enabled
from weft.passes.fuse import is_stored
from weft.passes.pipeline import plan
from weft.passes.simplify import simplify
from weft.runtime import engine
from weft.runtime.signature import signature
from weft.tensor import Tensor, node_of, view, wrap


@dataclass(frozen=True)
class Explanation:
    """What computing some tensors takes; `str()` of it is the whole text."""

    text: str
    pieces: int  # boxes that are read or computed
    kernels: int  # fused loops run
    calls: int  # library routines
    bytes_read: int
    bytes_stored: int  # outputs and temporaries written
    temporary_bytes: int  # the arena
    peak_bytes: int  # outputs and arena together

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def explain(*tensors: Tensor) -> Explanation:
    """How the tensors would be computed now: the expression, its pieces, kernels and calls, bytes and peak memory.

    >>> import weft
    >>> x = weft.asarray([1.0, 2.0, 3.0])
    >>> e = weft.explain((x * 2).sum())
    >>> e.kernels, e.bytes_read, e.temporary_bytes
    (1, 24, 0)
    """
    roots = [_node(t) for t in tensors]
    nodes = [n for n in roots if not is_stored(n)]
    lines = ["expression", *_tree(roots)]
    if not nodes:
        lines.append("already stored: nothing to compute")
        return Explanation("\n".join(lines), 0, 0, 0, 0, 0, 0, 0)
    _, graph = signature(engine.prepared(nodes, load=False))
    made, _ = plan(graph)
    found = simplify(graph.roots, graph.live, graph.held, graph.told).applied if enabled("simplify") else ()
    rules = Counter([a.name for a in found])
    if rules:
        lines.append("rules: " + ", ".join([f"{name} ({n})" for name, n in rules.items()]))
    lines.append("plan")
    for step in made.steps:
        lines.extend(_step_lines(step, made))
    return _totals(made, lines)


def _node(x: object) -> Node:
    return node_of(x if type(x) is Tensor else tensor.IMPORT(x))


def _totals(made: Plan, lines: list[str]) -> Explanation:
    rows = [r for s in made.steps if not isinstance(s, CallStep) for r in s.rows]
    calls = [s for s in made.steps if isinstance(s, CallStep)]
    read = sum(row_bytes(r) for r in rows) + sum(_call_bytes(s) for s in calls)
    stored = sum(_buffer_bytes(b) for b in made.buffers if b.arena != -2)
    outputs = sum(_buffer_bytes(b) for b in made.buffers if b.arena == -1)
    kernels = len(made.steps) - len(calls)
    peak = outputs + made.arena_bytes
    lines.append(
        f"total: {len(rows)} pieces, {kernels} kernels, {len(calls)} calls, {read} bytes read, {stored} bytes stored, "
        f"{made.arena_bytes} bytes of temporaries, peak {peak} bytes"
    )
    return Explanation("\n".join(lines), len(rows), kernels, len(calls), read, stored, made.arena_bytes, peak)


def _buffer_bytes(b: Buffer) -> int:
    return _cells(b.shape) * b.dtype.itemsize


def _cells(shape: tuple[int, ...]) -> int:
    total = 1
    for n in shape:
        total *= n
    return total


def row_bytes(row: Row) -> int:
    """Bytes a row reads from memory, each cell once."""
    loads = {i.attr for i in row.body if i.op in ("load", "gather")}
    return sum(_touched(o, row.sizes) for k, o in enumerate(row.operands) if k in loads and o.arg >= 0)


def _touched(o: Operand, sizes: tuple[int, ...]) -> int:
    return _cells(tuple(n for n, s in zip(sizes, o.strides, strict=True) if s)) * o.dtype.itemsize


def _call_bytes(step: CallStep) -> int:
    return sum(_cells(s) * o.dtype.itemsize for s, o in zip(step.shapes, step.args, strict=True))


def _tree(roots: list[Node]) -> list[str]:
    numbers: dict[int, int] = {}
    lines = []
    for n in walk(roots):
        numbers[id(n)] = len(numbers)
        where = line_of(n)
        inputs = ", ".join(f"%{numbers[id(i)]}" for i in n.inputs) if n.value is None else ""
        attrs = f" {n.attrs}" if n.attrs and n.value is None else ""
        name = "stored" if n.value is not None else n.op.name
        line = f"  %{numbers[id(n)]} = {name}({inputs}){attrs} {text.description(n.desc)}"
        lines.append(line + (f"    # {where}" if where else ""))
    return lines


def _step_lines(step: Step, made: Plan) -> list[str]:
    if isinstance(step, CallStep):
        return [f"  call {step.name}{step.attrs} -> {_target(step.out, made)}"]
    name = {MapLaunch: "map", ScanLaunch: "scan", ReduceLaunch: "reduce"}[type(step)]
    op = "" if isinstance(step, MapLaunch) else " " + step.op
    out = step.rows[0].out if isinstance(step, MapLaunch) and step.rows else getattr(step, "out", None)
    head = f"  kernel {name}{op} -> {_target(out, made) if out else 'nothing'}: {len(step.rows)} pieces"
    shown = [f"    {_row_text(r)}" for r in step.rows[:8]]
    more = [f"    ... and {len(step.rows) - 8} more"] if len(step.rows) > 8 else []
    return [head, *shown, *more]


def _target(o: Operand, made: Plan) -> str:
    b = made.buffers[o.arg - made.inputs] if o.arg >= made.inputs else None
    kind = "memory" if b is None else "output" if b.arena < 0 else f"temporary at {b.arena}"
    return f"{kind} {o.dtype.name}"


def _row_text(row: Row) -> str:
    ops = [i.op for i in row.body if i.op not in ("load", "coord", "scalar", "const")]
    return f"box {row.sizes} from {row.start}: reads {row_bytes(row)} bytes; {' '.join(ops) or 'copy'}"


LEVELS = ("graph", "plan", "kernel")


def show(x: Tensor, level: str = "graph") -> str:
    """The text form of an expression at a level: "graph" (what `parse` reads), "plan" (launches and rows), "kernel"
    (the instructions of every distinct body).

    >>> import weft
    >>> print(weft.show(weft.arange(3)))
    %0 = iota {0} int64[3]
    %1 = scalar {0} int64[]
    %2 = add(%0, %1) int64[3]
    return %2
    """
    if level not in LEVELS:
        raise ValueRangeError(f"show: level {level!r}; levels are {', '.join(LEVELS)}; pass one of them")
    n = _node(x)
    if level == "graph":
        return text.show([n])
    if is_stored(n):
        return "stored: nothing to compute"
    made, _ = plan(signature(engine.prepared([n], load=False))[1])
    if level == "plan":
        return "\n".join(line for s in made.steps for line in _step_lines(s, made))
    bodies = {r.body: r for s in made.steps if not isinstance(s, CallStep) for r in s.rows}
    return "\n\n".join(_body_text(body) for body in bodies)


def _body_text(body: Any) -> str:
    lines = []
    for k, i in enumerate(body):
        args = ", ".join(f"%{a}" for a in i.args)
        attr = "" if i.attr is None else f" {i.attr}"
        lines.append(f"%{k} = {i.op}({args}){attr} {i.dtype.name}")
    return "\n".join(lines)


def parse(source: str, leaves: tuple[Tensor, ...] | list[Tensor] = ()) -> Tensor | tuple[Tensor, ...]:
    """The tensors of a text that `show` gave; stored leaves take the given tensors in order of appearance.

    >>> import weft
    >>> x = weft.asarray([1.0, 2.0])
    >>> weft.parse(weft.show(x + 1), [x]).tolist()
    [2.0, 3.0]
    """
    values = []
    for t in leaves:
        n = node_of(t.realize())
        if n.alias is not None:
            raise ValueRangeError("parse: a leaf that is a view; leaves are whole stored tensors; pass weft.copy(x)")
        values.append(n.value)
    places: dict[int, Tensor] = {}
    tensors = tuple(_handle(n, places) for n in text.parse(source, values))
    return tensors[0] if len(tensors) == 1 else tensors


def _handle(n: Node, places: dict[int, Tensor]) -> Tensor:
    """A tensor of a node; nodes that alias one root are views of one place."""
    root = n if n.alias is None else n.alias[0]
    if id(root) not in places:
        places[id(root)] = wrap(root)
    return places[id(root)] if root is n else view(places[id(root)], n)
