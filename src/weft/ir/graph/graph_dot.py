"""Graphs as pictures: the DOT language of Graphviz, a box for each node.

The one idea: DOT is text, so a picture needs no library; the reader chooses the program that draws it.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.ir.graph.graph_facts import NodeFacts, facts_of
from weft.ir.graph.graph_text import attrs_of, description
from weft.ir.graph.node import Node

MOST = 60  # characters of attributes


def show(roots: Sequence[Node], embed: int = 0) -> str:
    """Return the graph below the nodes `roots` as DOT text.

    Results have a double border, stored values rounded corners.  `embed` is ignored.
    """
    graph = facts_of(roots)
    results = set(graph.outputs)
    boxes = [f"  {_quoted(f.id)} [label={_quoted(_label(f))}{_style(f, f.id in results)}];" for f in graph.nodes]
    arrows = [
        f"  {_quoted(i)} -> {_quoted(f.id)}" + (f" [label={_quoted(str(k))}];" if len(f.inputs or ()) > 1 else ";")
        for f in graph.nodes
        for k, i in enumerate(f.inputs or ())
    ]
    return "\n".join(["digraph weft {", "  node [shape=box];", *boxes, *arrows, "}"])


def _label(facts: NodeFacts) -> str:
    """Return the text of a box: the op, its attributes, and the dtype and shape of its value."""
    attrs = attrs_of(facts)
    lines = [
        facts.label.name,
        f"{facts.id} {facts.op}",
        attrs if len(attrs) <= MOST else f"{attrs[:MOST]}...",
        description(facts.desc) if facts.desc else "",
    ]
    return "\n".join(filter(None, lines))


def _style(facts: NodeFacts, is_result: bool) -> str:
    stored = ', style="rounded"' if not facts.inputs else ""
    return stored + (", peripheries=2" if is_result else "")


def _quoted(text: str) -> str:
    """Return text as a quoted string of DOT.

    >>> print(_quoted('a "b"'))
    "a \\"b\\""
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
