"""Marks of unused views: what the handle on a row or on a cell holds until it is used.

The one idea: the node of a view is built only when the view is used.  A mark says which view it is; `rebase` turns it
into a node, as it does with views of earlier versions.  A number is read where the cell lies, without a node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.ir.atoms.selections import ViewSteps, applied_steps
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node
from weft.runtime.memory.access import Writers
from weft.tensors.place import rebase
from weft.tensors.tracing import Trace
from weft.tensors.view_keys import key_steps

if TYPE_CHECKING:
    from weft.tensors.tensor import Tensor


class RowMark:
    """The placeholder for the view of an unused row: `first` is a handle on row 0, `at` the position on axis 0."""

    __slots__ = ("at", "first")

    at: int
    first: Tensor
    alias = (None, 0)  # over no version, so that the handle's next use replaces it by a node

    @property
    def desc(self) -> TensorDescription:
        """The description of the row."""
        found: TensorDescription = self.first._view.desc
        return found

    def over(self, root: Node) -> Node:
        """Return the node of the row over `root`, a version of its place."""
        n = rebase(self.first._view, root)
        assert n.alias is not None
        step = n.inputs[0].desc.strides[0] if n.desc.size else 0  # type: ignore[index]
        n.attrs, n.alias = (((0, self.at),),), (root, n.alias[1] + self.at * step)
        return n

    def number(self, root: Node) -> Any:
        """Return the row's only cell as a Python number; None if it cannot be read directly."""
        v = self.first._view
        return _number_at(root, v.desc, v.alias[1] + self.at * v.inputs[0].desc.strides[0])


class CellMark:
    """The placeholder for the view of an unused cell, at the integers `key` of a version with the description `of`.

    `desc` is the description of the cell, `steps` the views that the key selects.
    """

    __slots__ = ("desc", "key", "of", "steps")

    alias = (None, 0)

    def __init__(self, key: Any, of: TensorDescription, steps: ViewSteps) -> None:
        self.key, self.of, self.steps, self.desc = key, of, steps, steps[-1][2]

    def over(self, root: Node) -> Node:
        """Return the node of the cell over `root`, a version of its place."""
        steps = self.steps if root.desc is self.of else key_steps(root, self.key)
        assert steps is not None
        return applied_steps(root, steps)

    def number(self, root: Node) -> Any:
        """Return the cell as a Python number; None if it cannot be read directly."""
        ((_, _, desc, offset),) = self.steps
        return _number_at(root, desc, offset) if root.desc is self.of else None


def _number_at(root: Node, desc: TensorDescription, offset: int) -> Any:
    """Return the cell of description `desc` at a byte offset of `root` as a Python number, read from its memory.

    None if there are several cells, no contiguous memory in native order, or a writer.
    """
    memory, epoch = root.value, Writers.epoch
    if memory is None or desc.shape or Trace.active or root.traits is not None or desc.dtype is not root.desc.dtype:
        return None
    if memory.dtype.isbuiltin != 1 or not memory.flags.c_contiguous:
        return None
    value = memory.item(offset // memory.itemsize)
    return value if epoch is not None and Writers.epoch is epoch else None


__all__ = ["CellMark", "RowMark"]
