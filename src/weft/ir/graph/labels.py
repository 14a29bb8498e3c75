"""Labels of nodes: a name and metadata that users give, for people and tools; no value and no key depends on them.

The one idea: a label is a slot of a node that stays unset until somebody labels it, so nodes without one cost nothing.
Where a node takes the place of another, it stands for that in messages and by its label.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from weft.ir.graph.node import Node


class Label(NamedTuple):
    """A name ("" for none), which begins with the scopes it was given in, and metadata by their keys."""

    name: str = ""
    metadata: Mapping[str, Any] = {}


NONE = Label()


class Labels:
    """A flag for the process: `used` is True once any node was labelled; until then labels are not looked for."""

    used = False


def label_of(n: Node) -> Label:
    """Return the label of a node; one without name and metadata if it has none."""
    return getattr(n, "label", NONE) if Labels.used else NONE


def set_label(n: Node, label: Label) -> None:
    """Set the label of a node."""
    Labels.used = True
    n.label = label


def keep_label(made: Node, n: Node) -> None:
    """Give a node the label of the one whose place it takes, unless it has one."""
    if (label := label_of(n)) is not NONE and label_of(made) is NONE:
        made.label = label


def stand_for(made: Node, n: Node) -> Node:
    """Return a node that takes the place of another: the user's line and the label are those of the other."""
    made.code, made.lasti = n.code, n.lasti
    if Labels.used:
        keep_label(made, n)
    return made


def label_built(n: Node, label: Label) -> None:
    """Label a node whose handle is made, and those inside the same operation: they have no handle of their own."""
    stack = [n]
    while stack:
        built = stack.pop()
        if label_of(built) is NONE and (built is n or built.alias is None):
            set_label(built, label)
        stack += _inside(built.inputs)


def _inside(inputs: Iterable[Node]) -> list[Node]:
    """Return the inputs that no handle was made for, and that are no sources, which several operations may share."""
    pending = [i for i in inputs if i.place is None and i.value is None and i.op.kind != "source"]
    return [i for i in pending if i.alias is not None or label_of(i) is NONE]
