"""Expressions as text: the graph, its plan, its kernels, and graphs read back from their text.

The one idea: text is a form of the graph itself, so what is shown can be parsed, kept, compared and sent.
"""

from __future__ import annotations

from weft.api.standard.manipulation_functions import as_tensor
from weft.errors import DTypeError, ValueRangeError
from weft.ir.graph import graph_text as text
from weft.ir.graph.node import Node, walk
from weft.ir.graph.ops import ARRAYWISE
from weft.ir.graph.undefined import CHECKS, plain
from weft.ir.kernels.plan_text import show_kernels, show_plan
from weft.passes.fuse import is_stored
from weft.runtime.compute import stages
from weft.runtime.compute.checked_values import note
from weft.tensors.tensor import Tensor, node_of, view, wrap

LEVELS = ("graph", "plan", "kernel")


def show(x: Tensor, level: str = "graph") -> str:
    """Return the text of an expression at a level: "graph" (`parse` reads it), "plan" (launches and rows) or "kernel".

    "kernel" gives the instructions of every distinct body.  Raises ValueRangeError for other levels.

    >>> import weft
    >>> print(weft.show(weft.arange(3)))
    %0 = iota {0} int64[3]
    %1 = scalar {0} int64[]
    %2 = add(%0, %1) int64[3]
    return %2
    """
    if level not in LEVELS:
        raise ValueRangeError(f"show: level {level!r}; levels are {', '.join(LEVELS)}; pass one of them")
    n = node_of(as_tensor(x))
    if level == "graph":
        return text.show([n])
    if is_stored(n):
        return "stored: nothing to compute"
    made = stages.foreseen([n]).program.plan
    if level == "plan":
        return show_plan(made)
    return show_kernels(made)


def parse(source: str, leaves: tuple[Tensor, ...] | list[Tensor] = ()) -> Tensor | tuple[Tensor, ...]:
    """Return the tensors of a text from `show` (one alone, several as a tuple); stored leaves take `leaves` in order.

    Raises ExpressionError for text that is no graph, ValueRangeError for leaves that are missing or views, DTypeError
    for other objects than text and tensors.

    >>> import weft
    >>> x = weft.asarray([1.0, 2.0])
    >>> weft.parse(weft.show(x + 1), [x]).tolist()
    [2.0, 3.0]
    """
    if not isinstance(source, str):
        raise DTypeError(
            f"parse: {type(source).__name__} is no text; graphs are read from what weft.show gives; pass it"
        )
    if not isinstance(leaves, (tuple, list)) or not all(isinstance(t, Tensor) for t in leaves):
        raise DTypeError(
            f"parse: leaves {leaves!r:.60}; they are tensors, in a list or tuple; make these with asarray()"
        )
    values = []
    for t in leaves:
        n = node_of(t.realize())
        if n.alias is not None:
            raise ValueRangeError("parse: a leaf that is a view; leaves are whole stored tensors; pass weft.copy(x)")
        values.append(n.value)
    places: dict[int, Tensor] = {}
    nodes = text.parse(source, values)
    for n in walk(nodes):
        if n.op.name == "checked":
            _watched(n)
        elif n.op.kind in ARRAYWISE:
            stages.unsure(n)
    tensors = tuple(_handle(n, places) for n in nodes)
    return tensors[0] if len(tensors) == 1 else tensors


def _watched(n: Node) -> None:
    """Register the check of a parsed node, so that it runs; raises ValueRangeError for a check that does not exist."""
    name, (mode, number) = plain(n).op.name, n.attrs
    if mode not in ("warn", "error") or number not in range(len(CHECKS.get(name, ()))):
        raise ValueRangeError(f"parse: a check {n.attrs} of {name}; there is no such check; see weft.math_mode")
    note(n)


def _handle(n: Node, places: dict[int, Tensor]) -> Tensor:
    """Return a tensor of a node; nodes that are views of one root share its place, which `places` keeps."""
    root = n if n.alias is None else n.alias[0]
    if id(root) not in places:
        places[id(root)] = wrap(root)
    return places[id(root)] if root is n else view(places[id(root)], n)
