"""Marks of unused views, which handles hold until their views are used, first or again after a write.

The one idea: the node of a view is built only when the view is used.  A mark says which view it is; `rebase` turns it
into a node, as it does with views of earlier versions.
"""

from __future__ import annotations

from typing import Any

from weft.ir.atoms.atom import ViewSteps, applied_steps
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node, make_view, stored


class RowMark:
    """The placeholder for the view of an unused row: `first` is a handle on row 0, `at` the position on axis 0."""

    __slots__ = ("at", "first")

    at: int
    first: Any
    alias = (None, 0)  # over no version, so that the handle's next use replaces it by a node

    @property
    def desc(self) -> TensorDescription:
        """The description of the row."""
        found: TensorDescription = self.first._view.desc
        return found

    def over(self, _root: Node) -> Node:
        """Return the node of the row over the root of row 0, which has no memory."""
        n: Node = self.first._view
        step = n.inputs[0].desc.strides[0] if n.desc.size else 0  # type: ignore[index]
        below = n.inputs[0].alias[1] if n.inputs[0].alias is not None else 0
        return make_view(n.op, n.inputs[0], (((0, self.at),),), n.desc, n.alias[1] - below + self.at * step)  # type: ignore


class ViewMark:
    """The placeholder for a view that is not in use: its steps over a version with the description `of`.

    `desc` is the description of the view.
    """

    __slots__ = ("desc", "of", "steps")

    alias = (None, 0)

    def __init__(self, of: TensorDescription, steps: ViewSteps) -> None:
        self.of, self.steps, self.desc = of, steps, steps[-1][2]

    def over(self, root: Node) -> Node:
        """Return the node of the view over `root`; over a root without memory if it is of another kind."""
        plain = root.desc is self.of and root.traits is None
        return applied_steps(root if plain else stored(self.of, None), self.steps)
