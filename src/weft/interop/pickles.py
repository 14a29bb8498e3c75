"""Pickles and copies of tensors, with the properties that are not in the cells.

The one idea: a tensor is pickled as its cells in memory order, with byte order, origin and read-only flag.  A random
field that is not stored yet is pickled as its expression's text: a few numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.api.domains import translate
from weft.api.standard.manipulation_functions import copy
from weft.interop.exports import restore
from weft.interop.imports import laid_out, read_only_of
from weft.ir.graph import graph_text
from weft.ir.graph import node as ir
from weft.ir.graph.description import Shape, describe, memory_order
from weft.ir.graph.node import Node, walk
from weft.runtime.fork_safety import late_import
from weft.tensors.tensor import Tensor, node_of, with_values, wrap

GENERATORS = {"iota", "scalar", "philox"}
EXACT = {  # ops whose results have the same bits on every machine
    "positive", "negative", "add", "subtract", "multiply", "divide", "astype", "equal", "not_equal", "less",
    "less_equal", "greater", "greater_equal", "minimum", "maximum", "where", "logical_and", "logical_or", "logical_not",
}  # fmt: skip
MOST = 200  # most nodes of an expression that is pickled as text


def reduce(self: Tensor, protocol: int) -> tuple[Any, ...]:
    """Return the pickle of a tensor: the text of an expression of generators, else its cells and their layout.

    `protocol` is ignored.
    """
    n = node_of(self)
    if is_generated(n):
        return (late_import("weft.inspect.text").parse, (graph_text.show([n]),))
    d = n.desc
    axes = memory_order(d)
    array = with_values(self, lambda values: np.array(values if axes is None else values.transpose(axes), order="C"))
    if d.dtype.extended:  # NumPy can pickle only the bytes
        array = array.astype(d.dtype.np, copy=False).view(f"u{d.dtype.itemsize}")
    return (restored, (array, d.dtype.name, self.byteorder, d.read_only, axes, d.origin))


def restored(
    array: np.ndarray, dtype: str, byteorder: str, read_only: bool, axes: Shape | None, origin: Shape | None
) -> Tensor:
    """Return the tensor of a pickle, of the array's values in the given dtype, byte order and origin.

    `axes` lists the tensor's axes in the order of the array's; None if the orders agree.
    """
    if axes is not None:
        shape = tuple([array.shape[axes.index(a)] for a in range(len(axes))])
        plain = restore(array, dtype, byteorder, False)
        whole = wrap(_unpermuted(node_of(plain), axes, shape))
        t = read_only_of(whole) if read_only else whole
    else:
        t = restore(array, dtype, byteorder, read_only)
    return t if origin is None else translate(t, origin)


def _unpermuted(n: Node, axes: Shape, shape: Shape) -> Node:
    """Return a stored node with its axes back in the tensor's order, on the same memory.

    `axes` are the tensor's axes in the order of the node's, `shape` is the tensor's.
    """
    assert isinstance(n.value, np.ndarray)
    value = n.value.transpose([axes.index(a) for a in range(len(axes))])
    return ir.stored(describe(n.desc.dtype, shape, value.strides, n.desc.big), value)


def is_generated(n: Node) -> bool:
    """True if a value is a pending expression of random fields, with a text shorter than its cells.

    It may also contain selections and exact arithmetic.
    """
    if n.value is not None or n.desc.nbytes < 1024:
        return False
    nodes = walk([n])
    return (
        len(nodes) <= MOST
        and any(m.op.name == "philox" for m in nodes)
        and all(
            m.value is None
            and (
                m.op.name in GENERATORS
                or (m.op.kind == "selection" and m.op.name != "take")
                or (m.op.kind == "elementwise" and m.op.name in EXACT)
            )
            for m in nodes
        )
    )


def duplicate(self: Tensor) -> Tensor:
    """Return a copy with the same memory order, byte order, origin and read-only flag."""
    n = node_of(self)
    d = n.desc
    axes = memory_order(d)
    if self.requires_grad or not self.device.is_host or (axes is None and not d.big and not d.read_only):
        return copy(self)
    strides: list[int] = [0] * d.ndim
    step = d.dtype.itemsize
    for a in reversed(axes or range(d.ndim)):
        strides[a] = step
        step *= max(d.shape[a], 1)
    base = self if d.origin is None else translate(self, [-o for o in d.origin])
    made = laid_out(base, tuple(strides), self.byteorder)
    made = read_only_of(made) if d.read_only else made
    return made if d.origin is None else translate(made, d.origin)


def deep_copy(self: Tensor, memo: Any) -> Tensor:
    """Return the copy that `duplicate` returns; `memo` is ignored."""
    return duplicate(self)
