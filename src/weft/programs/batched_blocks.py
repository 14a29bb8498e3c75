"""Block operators (functions over blocks) for a batch of entries.

The one idea: a batch is one more axis of the index space, so blocks are cut along it as along any other axis; the
user's function gets the blocks of one entry after the other.  Functions of weft itself (loops and choices) have an
attribute, `batched`, that computes their results for a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from weft.api.blocks.tensor_gradient import TensorGradient
from weft.ir.graph.node import Node, make, result
from weft.ir.pieces.block_operator import BlockOperator, FunctionRef, IndexStart, start_leaf
from weft.ir.pieces.projection import Projection
from weft.tensors.tensor import node_of, tensor_of

Mapped = Callable[..., Any]  # weft.vmap
Sides = tuple[bool, ...]  # for each input, whether each entry has its own


def batched_blocks(n: Node, batched_inputs: Sequence[Node], batch_size: int, mapped: Mapped) -> Node:
    """Return the node of a block operator's output over a batch of `batch_size` entries.

    `batched_inputs` are the batched inputs, without the start leaf.  All outputs of one operator become outputs of one
    operator over the batch, which is cached at the start leaf of the entry's operator.
    """
    operator, number = n.attrs
    start: IndexStart = n.inputs[-1].value
    known = getattr(start, "batch", None)
    if known is None or known[0] != (*batched_inputs, batch_size):
        own = tuple([x.desc.ndim > i.desc.ndim for x, i in zip(batched_inputs, n.inputs, strict=False)])
        custom = getattr(start.function, "batched", None)
        if custom is not None:
            found: Any = [node_of(t) for t in custom(list(map(tensor_of, batched_inputs)), own, batch_size)]
        else:
            found = _over_batch(operator, start, own, batch_size, mapped)
        start.batch = known = (*batched_inputs, batch_size), found
    if isinstance(known[1], list):
        made: Node = known[1][number]
        return made
    over, leaf = known[1]
    return make(n.op, (*batched_inputs, leaf), (over, number), result(n.desc.dtype, (batch_size, *n.desc.shape)))


def _over_batch(
    operator: BlockOperator, start: IndexStart, own: Sides, size: int, mapped: Mapped
) -> tuple[BlockOperator, Node]:
    """Return (the operator over a batch of `size` entries, its start leaf).

    `own` says of each input whether it has an axis of entries; `mapped` maps a function over entries.
    """
    function, first = _by_entries(start.function, own, len(operator.outputs)), (0, *operator.first)
    axes = len(operator.index)
    over = BlockOperator(
        FunctionRef(function),
        first,
        (size, *operator.index),
        tuple([_longer(p, axes, o) for p, o in zip(operator.inputs, own, strict=True)]),
        tuple([_longer(p, axes, True) for p in operator.outputs]),
        None if operator.most is None else (1, *operator.most),
        operator.threads,
    )
    return over, start_leaf(function, _gradient(start.vjp, own, mapped), (0, *map(int, start)))


def _longer(p: Projection, axes: int, own: bool) -> Projection:
    """Return a projection for an index space, of rank `axes`, after adding a leading axis of entries.

    With `own`, the value has a leading axis of entries, too.
    """
    rows = [(0, *row) for row in p.matrix]
    if not own:
        return Projection(rows, p.offset, p.shape)
    return Projection([(1, *[0] * axes), *rows], (0, *p.offset), (1, *p.shape))


def _by_entries(f: Callable[..., Any], own: Sides, outputs: int) -> Callable[..., Any]:
    """Return a function over blocks of a batch that calls the user's function `f` for each entry.

    `own` says of each input whether it has an axis of entries; `outputs` is the number of results of `f`.
    """

    @wraps(f)
    def over_entries(*blocks: np.ndarray) -> Any:
        count = next(len(b) for b, o in zip(blocks, own, strict=True) if o)
        made = [f(*[b[k] if o else b for b, o in zip(blocks, own, strict=True)]) for k in range(count)]
        if outputs == 1:
            return np.stack([np.asarray(m) for m in made])
        return [np.stack([np.asarray(m) for m in parts]) for parts in zip(*made, strict=True)]

    return over_entries


def _gradient(vjp: Any, own: Sides, mapped: Mapped) -> Any:
    """Return the `vjp` over a batch, built from the user's `vjp` for one entry; None if that is None.

    `own` says of each input whether it has an axis of entries; `mapped` maps a function over entries.
    """
    if vjp is None:
        return None
    axes = tuple([0 if o else None for o in own])

    def over_entries(g: Any, *xs: Any) -> list[Any]:
        found = mapped(vjp.vjp, in_axes=(0, *axes))(g, *xs)
        parts = list(found) if isinstance(found, (tuple, list)) else [found]
        return [p if p is None or o else p.sum(axis=0) for p, o in zip(parts, own, strict=False)]

    return TensorGradient(over_entries, vjp.dtypes)
