"""Iterating over a tensor: handles on the positions of axis 0.

The one idea: the node of a row's view is built only when the row is used.  Until then its handle holds a mark, a
position relative to the view of row 0; `rebase` turns it into a node, as it does with views of earlier versions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import ref

from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.runtime.memory.access import Writers
from weft.tensors.indexing import getitem
from weft.tensors.place import detached, rebase
from weft.tensors.tensor import Tensor, known_node
from weft.tensors.tracing import Trace

_new = object.__new__
_INDEX = OPS["index"]


class RowMark:
    """The placeholder for the view of an unused row: `first` is a handle on row 0, `at` the position on axis 0."""

    __slots__ = ("at", "first")

    at: int
    first: Tensor
    alias = (None, 0)  # over no version, so that the handle's next use replaces it by a node

    def over(self, root: Node) -> Node:
        """Return the node of the row over `root`, a version of its place."""
        n = rebase(self.first._view, root)
        assert n.alias is not None
        step = n.inputs[0].desc.strides[0] if n.desc.size else 0  # type: ignore[index]
        n.attrs, n.alias = (((0, self.at),),), (root, n.alias[1] + self.at * step)
        return n

    def number(self, root: Node) -> Any:
        """Return the row's only cell as a Python number, read from contiguous memory.

        None if that is not possible directly.
        """
        v, memory, epoch = self.first._view, root.value, Writers.epoch
        if memory is None or Trace.active or root.traits is not None or v.desc.dtype is not root.desc.dtype:
            return None
        if v.desc.shape or memory.dtype.isbuiltin != 1 or not memory.flags.c_contiguous:
            return None
        at = v.alias[1] + self.at * v.inputs[0].desc.strides[0]
        value = memory.item(at // memory.itemsize)
        return value if epoch is not None and Writers.epoch is epoch else None


def rows(tensor: Tensor) -> Iterator[Tensor]:
    """Yield the positions of axis 0, each as a view of the version that is current at its turn.

    Between turns the generator refers to no version, since writes would count it as a reader; nor to the first row,
    which counts as a view of its place while unused rows exist.
    """
    known = seen = _nothing
    for i in range(tensor.shape[0]):
        first = known()
        if (
            first is None
            or first._place is not tensor._place
            or tensor._place.node.traits is not None
            or (tensor._view is not None and tensor._view is not seen())
        ):
            first = _first_row(tensor)
            if first is None:
                yield getitem(tensor, i)
                continue
            known, seen = ref(first), _nothing if tensor._view is None else ref(tensor._view)
        mark: Any = _new(RowMark)
        mark.first, mark.at = first, i
        row = _new(Tensor)
        row._place, row._view = first._place, mark
        del first, mark
        yield row


def _nothing() -> Any:
    return None


def _first_row(tensor: Tensor) -> Tensor | None:
    """Return a detached handle on row 0 of a tensor; None if indexing must do more than make a view."""
    n = known_node(tensor)
    if n.traits is not None:
        return None
    row = getitem(tensor, 0)
    v = row._view
    if v is None or v.op is not _INDEX or v.inputs != (n,):
        return None
    row._view = detached(v)
    return row


__all__ = ["rows"]
