"""Marks of unused views, which handles hold until their views are used, first or again after a write.

The one idea: the node of a view is built only when the view is used.  A mark has the steps to it; `rebase` turns it
into a node, as it does with views of earlier versions.
"""

from __future__ import annotations

from weft.ir.atoms.atom import ViewSteps, applied_steps
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node, stored


class ViewMark:
    """The placeholder for a view that is not in use: its steps over a version with the description `of`.

    `desc` is the description of the view. `kept`: for a row of an iteration, the handle that is bound to the place in
    its stead.
    """

    __slots__ = ("desc", "kept", "of", "steps")

    alias = (None, 0)  # over no version, so that the handle's next use replaces it by a node

    def __init__(self, of: TensorDescription, steps: ViewSteps) -> None:
        self.of, self.steps, self.desc = of, steps, steps[-1][2]

    def over(self, root: Node) -> Node:
        """Return the node of the view over `root`; over a root without memory if it is of another kind."""
        plain = root.desc is self.of and root.traits is None
        return applied_steps(root if plain else stored(self.of, None), self.steps)
