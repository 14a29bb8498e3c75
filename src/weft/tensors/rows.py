"""Iterating over a tensor: handles on the positions of axis 0.

The one idea: a row's handle holds a mark, the steps to the row's view, until the row is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import ref

from weft.ir.atoms.atom import view_steps
from weft.ir.graph.node import WAITING, root_of
from weft.ir.graph.ops import OPS
from weft.runtime.compute import stages
from weft.tensors.cell_values import read_cell
from weft.tensors.indexing import getitem
from weft.tensors.place import LITTLE
from weft.tensors.tensor import Tensor, known_node, view
from weft.tensors.tracing import Trace
from weft.tensors.unused_views import ViewMark
from weft.tensors.view_keys import key_steps

_new = object.__new__
_INDEX = OPS["index"]


def rows(tensor: Tensor) -> Iterator[Tensor]:
    """Return an iterator over the views of the positions of axis 0; of a vector, over the values of its cells.

    Each is of the version that is current at its turn.
    """
    return _values(tensor) if tensor.ndim == 1 else _views(tensor)


def _values(vector: Tensor) -> Iterator[Tensor]:
    """Yield the value of each cell of a vector, as it is at its turn. A pending vector of few bytes is computed first.

    Raises the errors of computing it.
    """
    n = known_node(vector)
    plain = n.value is None and n.alias is None and n.traits is None and n.depth < WAITING and not Trace.active
    if plain and n.desc.nbytes <= LITTLE:
        stages.compute([n])
    del n  # writes would count it as a reader
    for i in range(vector.shape[0]):
        found = read_cell(vector, i)
        yield getitem(vector, i) if found is None else found


def _views(tensor: Tensor) -> Iterator[Tensor]:
    """Yield a view for each position of axis 0, in order, of the version that is current at its turn.

    Between turns the generator refers to no version, since writes would count it as a reader; nor to the first row,
    which counts as a view of its place while unused rows exist.
    """
    known = seen = _nothing
    stride = 0
    for i in range(tensor.shape[0]):
        first, n = known(), tensor._place.node
        if (
            first is None
            or first._place is not tensor._place
            or n.desc is not first._view.of
            or n.traits is not None
            or (tensor._view is not None and tensor._view is not seen())
        ):
            found = _first_row(tensor)
            if found is None:
                yield getitem(tensor, i)
                continue
            first, stride = found
            known, seen = ref(first), _nothing if tensor._view is None else ref(tensor._view)
        start = first._view
        mark: Any = _new(ViewMark)
        mark.of, mark.desc, mark.kept = start.of, start.desc, first
        mark.steps = (*start.steps[:-1], (_INDEX, (((0, i),),), start.desc, i * stride))
        row = _new(Tensor)
        row._place, row._view = first._place, mark
        del first, n, start, mark
        yield row


def _nothing() -> Any:
    return None


def _first_row(tensor: Tensor) -> tuple[Tensor, int] | None:
    """Return (a handle on row 0 of a tensor, with a mark of its view, the bytes from row to row).

    None if indexing makes no plain view, as where the tensor has gradient records or another device.
    """
    n = known_node(tensor)
    root = root_of(n)
    before, index = view_steps(n, root), key_steps(n, 0)
    if n.traits is not None or before is None or index is None:
        return None
    row = view(tensor, ViewMark(root.desc, before + index))
    return row, n.desc.strides[0] if row._view.desc.size else 0  # type: ignore[index]
