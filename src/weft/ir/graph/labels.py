"""Labels of nodes: a name and metadata set by users, for people and tools; no value and no key depends on them.

The one idea: a label is a slot of a node that stays unset until a user labels it, so unlabelled nodes cost nothing.  A
node that replaces another takes over its label and its line in messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from weft.ir.graph.node import Node


class Label(NamedTuple):
    """A label: a name ("" for none), prefixed by the scopes in which it was given, and metadata by key."""

    name: str = ""
    metadata: Mapping[str, Any] = {}


NONE = Label()


class Labels:
    """A process-wide flag: `used` is True once any node was labelled; until then plans are not searched for labels."""

    used = False


def label_of(n: Node) -> Label:
    """Return the label of a node; an empty label if it has none."""
    return getattr(n, "label", NONE)


def set_label(n: Node, label: Label) -> None:
    """Set the label of a node, replacing any earlier one."""
    Labels.used = True
    n.label = label


def keep_label(made: Node, n: Node) -> None:
    """Set the label of `made` to that of node `n`, which it replaces, unless `made` has a label."""
    if (label := label_of(n)) is not NONE and label_of(made) is NONE:
        made.label = label


def mark_replacement(made: Node, n: Node) -> Node:
    """Return `made` marked as the replacement of node `n`: with its label and its line of user code."""
    made.code, made.lasti = n.code, n.lasti
    if hasattr(n, "label"):
        keep_label(made, n)
    return made


def label_built(n: Node, label: Label) -> None:
    """Label a node that a tensor holds, and the unlabelled nodes below it that belong to the same operation."""
    stack = [n]
    while stack:
        built = stack.pop()
        if label_of(built) is NONE and (built is n or built.alias is None):
            set_label(built, label)
        stack += _inside(built.inputs)


def _inside(inputs: Iterable[Node]) -> list[Node]:
    """Return the pending inputs without a tensor of their own.

    Sources are left out, as several operations may share them.
    """
    pending = [i for i in inputs if i.place is None and i.value is None and i.op.kind != "source"]
    return [i for i in pending if i.alias is not None or label_of(i) is NONE]
