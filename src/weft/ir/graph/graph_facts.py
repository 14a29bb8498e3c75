"""Graphs as data: the facts of each node, shared by all written forms of graphs.

The one idea: text, JSON, pictures and digests of a graph are written from one list of facts, and text and JSON are
parsed into it; `weft.ir.graph.rebuilding` checks it and makes nodes of it.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import ExpressionError, Fault
from weft.ir.graph.description import Shape, TensorDescription, c_strides, describe
from weft.ir.graph.node import NONE, Label, Node, label_of, walk
from weft.ir.graph.ops import OPS
from weft.ir.pieces.block_operator import BlockOperator, IndexStart
from weft.ir.pieces.layers import Layers

_FILE = OPS["file"]
LEFT_OUT = ("leaf", "function")
MAX_RANK, MAX_AXIS = 64, (1 << 63) - 1


class NodeFacts(NamedTuple):
    """The facts of a node; inputs are named by their ids.

    A stored value is a "leaf", or a "constant" with its cells in base64; a leaf that holds the function of a block
    operator is a "function".  `attrs` are literals (numbers, texts, dtypes, tuples).  In parsed data, wrong facts are
    None, and `at` is the node's path or line there.
    """

    id: str
    op: str
    inputs: tuple[str, ...] | None
    attrs: tuple[Any, ...] | None
    desc: TensorDescription | None
    label: Label = NONE
    at: str = ""


class GraphFacts(NamedTuple):
    """The nodes of a graph, and the ids of its outputs."""

    nodes: Sequence[NodeFacts]
    outputs: Sequence[str]
    at: str = ""  # where the outputs stand


def facts_of(roots: Sequence[Node], embed: int = 0) -> GraphFacts:
    """Return the facts of the graph below the nodes `roots`, inputs first.

    Stored values of up to `embed` bytes come with their cells.  Ids are the numbers of nodes.
    """
    ids: dict[int, str] = {}
    nodes = []
    for n in walk(roots):
        ids[id(n)] = f"%{len(ids)}"
        nodes.append(_facts(n, ids, embed))
    return GraphFacts(nodes, [ids[id(r)] for r in roots])


def _facts(n: Node, ids: Mapping[int, str], embed: int) -> NodeFacts:
    if n.value is not None and n.op is not _FILE:
        return _stored(n, ids[id(n)], embed)._replace(label=label_of(n))
    attrs = _file(n.attrs[0]) if n.op is _FILE else tuple([_data(x) for x in n.attrs])
    return NodeFacts(ids[id(n)], n.op.name, tuple([ids[id(i)] for i in n.inputs]), attrs, n.desc, label_of(n))


def _data(x: Any) -> Any:
    """Return an attribute as a literal; block operators and the layers of overlays become tuples."""
    if isinstance(x, BlockOperator):
        return x.literal
    if isinstance(x, Layers):
        return tuple([(box.low, box.high) for box in x.boxes])
    return x


def _file(source: Any) -> tuple[Any, ...]:
    """Return the attributes of a file's node: path, form, and the byte offset of its cells.

    The form is "raw" for a file without a header, else "" with the offset 0.
    """
    is_raw = getattr(source, "form", "") == "raw"
    return (source.name, "raw", source.offset) if is_raw else (source.name, "", 0)


def _stored(n: Node, number: str, embed: int) -> NodeFacts:
    """Return the facts of a stored value, with its cells if they take up to `embed` bytes."""
    d = n.desc
    if isinstance(n.value, IndexStart):
        function = getattr(n.value.function, "__name__", type(n.value.function).__name__)
        return NodeFacts(number, "function", (), (function, tuple(n.value.tolist())), d)
    is_elsewhere = n.traits is not None and n.traits.device is not None
    if d.nbytes > embed or is_elsewhere or not isinstance(n.value, np.ndarray):
        return NodeFacts(number, "leaf", (), (), d)
    cells = b64encode(np.array(n.value, dt.to_numpy(d.dtype, d.byteorder), order="C").tobytes()).decode()
    plain = describe(d.dtype, d.shape, c_strides(d.shape, d.dtype.itemsize), d.big, d.origin, d.read_only)
    return NodeFacts(number, "constant", (), (cells,), plain)


def described(
    dtype: DType, shape: Shape, strides: Shape | None, big: bool, origin: Shape | None, read_only: bool
) -> TensorDescription:
    """Return the description with these parsed facts.

    Raises ExpressionError if no tensor can have them.
    """
    if len(strides or shape) != len(shape) or len(origin or shape) != len(shape):
        raise ExpressionError(f"strides {strides} and origin {origin} of shape {shape}; give one for each axis")
    if len(shape) > MAX_RANK or max(shape, default=0) > MAX_AXIS:
        raise ExpressionError(f"shape {shape} is of no tensor; it has at most {MAX_RANK} axes, each below 2**63")
    return describe(dtype, shape, strides, big, origin or None, read_only)


def leaves_of(roots: Sequence[Node], embed: int = 0) -> dict[str, Node]:
    """Return by name the stored nodes whose cells the written form of a graph omits, in order.

    A node whose name is missing or not unique has its id as key.
    """
    left = [(f, n) for f, n in zip(facts_of(roots, embed).nodes, walk(roots), strict=True) if f.op in LEFT_OUT]
    names = Counter([f.label.name for f, _ in left if not f.label.name.endswith("/")])
    return {f.label.name if names[f.label.name] == 1 and f.label.name else f.id: n for f, n in left}


def refused(faults: Sequence[Fault]) -> ExpressionError:
    """Return the ExpressionError that lists the faults of a graph that was read."""
    lines = [f"{f.path}: {f.fact}" if f.path else f.fact for f in faults]
    head = f"parse: {len(faults)} faults:\n" if len(faults) > 1 else "parse: "
    error = ExpressionError(head + "\n".join(lines))
    error.faults = tuple(faults)
    return error
