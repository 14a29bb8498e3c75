"""The values of single cells, as integers for all axes select them.

The one idea: `x[3]` is a number, as in NumPy: it stays as it is whatever is written to x.  Where memory has the cell,
the number is read at once; else it is the expression over the cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import ref

from weft.ir.atoms.selections import ViewSteps, applied_steps
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.runtime.compute import stages
from weft.tensors.pending_limits import Limits
from weft.tensors.place import VALUE, Place
from weft.tensors.tensor import Tensor, known_node, wrap
from weft.tensors.tracing import Trace
from weft.tensors.unused_views import number_at

_new = object.__new__
_SCALAR = OPS["scalar"]


def names_cell(key: Any) -> bool:
    """True if a key that leaves no axis is made of integers; False for one with `...`, which gives a view."""
    if type(key) is int:
        return True
    return not any(p is Ellipsis for p in key) if type(key) is tuple else key is not Ellipsis


def cell(x: Tensor, n: Node, steps: ViewSteps) -> Tensor:
    """Return the value of the cell that `steps` select from `n`, the node of x."""
    if not Trace.active and Limits.labeller is None and x._place.kind is None:
        root, offset = n.alias if n.alias is not None else (n, 0)
        for step in steps:
            offset += step[3]
        desc = ir.result(n.desc.dtype, ())
        number = number_at(root, desc, offset)
        if number is not None:
            return _tensor_of(number, desc)
    return value_of(x, applied_steps(n, steps))


def value_of(x: Tensor, shown: Node) -> Tensor:
    """Return the value of a cell of x, of which the node `shown` is a view."""
    value = ir.locate(ir.copied(shown))
    in_memory = shown.alias is not None and shown.alias[0].value is not None and shown.traits is None
    if in_memory and not Trace.active and x._place.kind is None:
        stages.compute([value])
    return wrap(value, VALUE)


def cells(x: Tensor, index: Any) -> Iterator[Tensor]:
    """Yield the value of each cell of a vector, as it is at its turn; `index(x, i)` gives those not in memory."""
    desc = ir.result(x.dtype, ())
    for i in range(x.shape[0]):
        number = None
        if not Trace.active and Limits.labeller is None and x._place.kind is None:
            n = x._place.node if x._view is None else known_node(x)
            root, offset = n.alias if n.alias is not None else (n, 0)
            number = number_at(root, desc, offset + i * n.desc.strides[0]) if n.desc.strides else None
            del n, root  # writes would count them as readers
        yield index(x, i) if number is None else _tensor_of(number, desc)


def _tensor_of(number: Any, desc: TensorDescription) -> Tensor:
    """Return a tensor on a place of kind `VALUE` whose value is a Python number of the dtype of `desc`."""
    n, p = Node(), Place()
    n.op, n.inputs, n.attrs, n.desc = _SCALAR, (), (number,), desc
    n.value = n.alias = n.code = n.traits = n.fingerprint = None
    n.lasti = n.depth = 0
    p.node, p.noted, p.kind = n, False, VALUE
    p.region = p.storage = p.lock = p.views = p.whole = None
    n.place = ref(p)
    t: Tensor = _new(Tensor)
    t._place, t._view = p, None
    return t


__all__ = ["cell", "cells", "names_cell", "value_of"]
