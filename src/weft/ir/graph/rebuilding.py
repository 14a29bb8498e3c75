"""Nodes built from the facts of a graph that was read, with all faults in one report.

The one idea: data that was read is not trusted.  Facts are checked alone (names, ids, attributes, loops), then every
node is made by its constructor or checked against the rules of a legal graph, so none reads memory outside its leaves.
"""

from __future__ import annotations

from base64 import b64decode
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.errors import ExpressionError, Fault, WeftError
from weft.ir.atoms import selections
from weft.ir.atoms.table import AFFINE, ATOMS
from weft.ir.graph import attributes, graph_text, spec
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription, c_strides, describe
from weft.ir.graph.graph_facts import GraphFacts, NodeFacts, refused
from weft.ir.graph.node import NONE, Node
from weft.ir.graph.ops import OPS, Op
from weft.ir.pieces.block_operator import from_literal
from weft.ir.pieces.layers import LayerBox, Layers

GIVEN = ("leaf", "function", "file")  # nodes that the reader of a graph has to provide
_DATA = {name: Op(name, "source", 0) for name in attributes.DATA}


def check(graph: GraphFacts, faults: Sequence[Fault] = ()) -> None:
    """Raise ExpressionError if a graph's facts have faults, or `faults` were found before.

    The error lists all of them.
    """
    ids = Counter([f.id for f in graph.nodes])
    found = [*faults, *[fault for f in graph.nodes for fault in _faults(f, ids)]]
    unknown = [r for r in graph.outputs if r not in ids]
    found += [Fault(_field_path(graph.at, "outputs"), f"{r!r} is no node; outputs are ids of nodes") for r in unknown]
    found += [
        Fault(_field_path(f.at, "id"), f"{f.id!r} is the id of several nodes") for f in graph.nodes if ids[f.id] > 1
    ]
    if found or (found := _loops(graph)):
        raise refused(found)


def _field_path(path: str, field: str) -> str:
    """Return the path of a field of JSON data; for a line of text, the line unchanged."""
    return f"{path}.{field}" if path.startswith("$") else path


def _faults(facts: NodeFacts, ids: Mapping[str, int]) -> list[Fault]:
    """Return the faults of the facts of one node; `ids` counts the nodes with each id."""
    inputs = enumerate(facts.inputs or ())
    found = [
        Fault(_field_path(facts.at, f"inputs[{k}]"), f"{i!r} is no node; inputs are ids of nodes")
        for k, i in inputs
        if i not in ids
    ]
    op = OPS.get(facts.op) or _DATA.get(facts.op)
    if op is None:
        return [*found, Fault(_field_path(facts.at, "op"), f"{facts.op!r} is no op; see the op table")]
    if facts.inputs is not None and len(facts.inputs) != op.arity and (op.arity >= 0 or not facts.inputs):
        takes = op.arity if op.arity >= 0 else "one or more"
        found.append(
            Fault(
                _field_path(facts.at, "inputs"), f"{facts.op} of {len(facts.inputs)} inputs; it has {takes}; name them"
            )
        )
    for name, says in attributes.faults(facts.op, facts.attrs) if facts.attrs is not None else ():
        found.append(
            Fault(
                _field_path(facts.at, f"attributes.{name}".rstrip(".")),
                f"{facts.op} has attributes that do not fit: {says}",
            )
        )
    return found


def _loops(graph: GraphFacts) -> list[Fault]:
    """Return a list with a fault that names the nodes of a cycle; empty if there is no cycle."""
    facts = {f.id: f for f in graph.nodes}
    loop = spec.cycle([*facts], lambda name: facts[name].inputs or ())
    if not loop:
        return []
    name = loop[0]
    return [Fault(_field_path(facts[name].at, "inputs"), f"{name!r} lies below itself: {' → '.join(loop)}")]


def built(graph: GraphFacts, leaves: Mapping[str, Node]) -> list[Node]:
    """Return the output nodes of a graph that passed `check`.

    `leaves` maps ids to the nodes of leaves and files.  Raises ExpressionError, with all such facts, if facts
    contradict a node's inputs.
    """
    facts = {f.id: f for f in graph.nodes}
    made: dict[str, Node | None] = {}  # None: it cannot be made
    faults: list[Fault] = []
    stack = [f.id for f in reversed(graph.nodes)]
    while stack:
        f = facts[stack[-1]]
        waiting = [i for i in f.inputs or () if i not in made]
        if waiting and f.id not in made:
            stack += reversed(waiting)
            continue
        stack.pop()
        if f.id not in made:
            inputs = [n for i in f.inputs or () if (n := made[i]) is not None]
            made[f.id] = _rebuilt(f, inputs, leaves, faults) if len(inputs) == len(f.inputs or ()) else None
    if faults:
        raise refused(faults)
    return [n for r in graph.outputs if (n := made[r]) is not None]


def _rebuilt(facts: NodeFacts, inputs: Sequence[Node], leaves: Mapping[str, Node], faults: list[Fault]) -> Node | None:
    """Return the node with these facts, over `inputs`; None, with a fault added to `faults`, if it is not legal.

    `leaves` maps ids to the nodes of leaves and files.
    """
    assert facts.desc is not None and facts.attrs is not None
    try:
        n = leaves[facts.id] if facts.op in GIVEN else _node(facts.op, tuple(inputs), facts.attrs, facts.desc)
        says = _differs(n, facts.desc) or ("" if facts.op in GIVEN else spec.fault(n))
    except (WeftError, TypeError, ValueError, IndexError, ArithmeticError, AssertionError, MemoryError) as error:
        says = str(error).removeprefix("parse: ") or type(error).__name__
    if not says:
        if facts.label != NONE and ir.label_of(n) is NONE:
            ir.set_label(n, facts.label)
        return n
    faults.append(Fault(facts.at, f"{graph_text.line_of(facts)!r}: {says}"))
    return None


def _differs(n: Node, desc: TensorDescription) -> str:
    """Return how a node differs from a description in dtype, shape or origin, as text; "" if it does not."""
    if (n.desc.dtype, n.desc.shape, n.desc.origin) == (desc.dtype, desc.shape, desc.origin):
        return ""
    return f"it is {n.desc!r}"


def _node(op: str, inputs: tuple[Node, ...], attrs: tuple[Any, ...], desc: TensorDescription) -> Node:
    """Return the node of an op with these inputs, checked attributes and description.

    Raises the constructor's errors if they do not fit.
    """
    match op, attrs:
        case "constant", (str(cells),):
            return _constant(cells, desc)
        case "scalar", ((bool() | int() | float() | complex()) as number,):
            return ir.scalar(_fitting_number(number, desc.dtype), desc.dtype)
        case "placeholder", (str(name),):
            return ir.placeholder(name, desc)
        case "map_blocks", (tuple(literal), number):
            attrs = (from_literal(literal, inputs[-1]), number)
        case "overlay", (tuple(boxes), bool(filled)):
            parts, fill = (inputs[:-1], inputs[-1]) if filled else (inputs, None)
            laid = ATOMS[op].make(parts, desc.domain, fill)
            if laid.attrs[0] != Layers([LayerBox(*box) for box in boxes]):
                raise ExpressionError("its boxes are not those of its inputs")
            return laid
    made = _view(op, inputs, attrs, desc) or ir.make(OPS[op], inputs, attrs, desc)
    if desc.read_only and not made.desc.read_only:
        m = made.desc
        made.desc = describe(m.dtype, m.shape, m.strides, m.big, m.origin, True)
    return made


def _view(op: str, inputs: tuple[Node, ...], attrs: tuple[Any, ...], desc: TensorDescription) -> Node | None:
    """Return the view of its input that these facts describe; None if they describe a value of its own."""
    if op in AFFINE:
        return ATOMS[op].make(inputs[0], *attrs)
    found = None
    if op in ("real", "imag") and inputs[0].desc.dtype.kind == "complex":
        found = selections.part(inputs[0], op)
    elif op == "reshape":
        found = selections.reshape_view(inputs[0], attrs[0])
    lies_anywhere = desc.strides != c_strides(desc.shape, desc.dtype.itemsize)  # as a view may, and no value of its own
    return found if found is not None and (lies_anywhere or found.desc == desc) else None


def _fitting_number(number: bool | int | float | complex, dtype: dt.DType) -> bool | int | float | complex:
    """Return `number`.

    Raises ExpressionError if the dtype cannot hold it.
    """
    order: list[type] = [int, float, complex]
    kinds: dict[str, list[type]] = {
        "bool": [],
        "int": order[:1],
        "uint": order[:1],
        "float": order[:2],
        "complex": order,
    }
    held = type(number) is bool or type(number) in kinds[dtype.kind]  # a bool beside numbers is 0 or 1
    if held and dtype.is_integer:
        limits = dt.integer_limits(dtype)
        held = limits.min <= number.real <= limits.max
    if not held:
        raise ExpressionError(f"{dtype.name} does not hold {number!r}")
    return number


def _constant(encoded: str, desc: TensorDescription) -> Node:
    """Return a stored node of base64 `encoded` cells. Raises ExpressionError if the number of bytes is wrong."""
    data = b64decode(encoded, validate=True)
    if len(data) != desc.nbytes:
        raise ExpressionError(f"{len(data)} bytes for {desc!r}; its cells have {desc.nbytes}, row-major")
    value = np.frombuffer(data, dt.to_numpy(desc.dtype, desc.byteorder)).reshape(desc.shape).copy()
    return ir.stored(describe(desc.dtype, desc.shape, value.strides, desc.big, desc.origin, desc.read_only), value)
