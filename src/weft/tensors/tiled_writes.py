"""Writing cells at index arrays or masks of versions that are too large to be computed as a whole.

The one idea: the version is computed tile by tile, and each tile gets the values for its positions.  The result, a
scratch file where it is large, is then written like any other value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.ir.atoms import selections
from weft.ir.graph.description import describe
from weft.ir.graph.node import Node
from weft.ir.pieces.box import Box
from weft.runtime.compute import stages
from weft.runtime.compute.signature import RewriteWork
from weft.tensors.keys import Key, positions_of_entry, table_place
from weft.tensors.tensor import values_of
from weft.tensors.writing import fit

Along = list[tuple[int, np.ndarray]]  # (axis, positions) pairs of entries of a key that select together


def rewritten(n: Node, key: Key, values: np.ndarray) -> Node:
    """Return the cells of `n`, with `values` at the cells that `key` selects; `values` has the selection's shape."""
    dims = _dims(key)
    table = values.reshape([len(along[0][1]) for along in dims])

    def put(cells: np.ndarray, box: Box) -> None:
        start, size = list(box.start), list(box.size)
        for axis in sorted(key.flags):
            start.insert(axis, 0)
            size.insert(axis, 1)
        chosen, at = [], {}
        for d, along in enumerate(dims):
            inside = [(p >= start[a]) & (p < start[a] + size[a]) for a, p in along]
            chosen.append(np.flatnonzero(np.logical_and.reduce(inside)))
            for a, p in along:
                at[a] = (p[chosen[d]] - start[a]).reshape([-1 if k == d else 1 for k in range(len(dims))])
        cells.reshape(size)[tuple([at[a] for a in range(len(size))])] = table[np.ix_(*chosen)]

    return _rewritten([n], put)


def _dims(key: Key) -> list[Along]:
    """Return the axes of the selection, in order, each with the positions that it selects along axes of the tensor.

    Index arrays that select together make one axis; integers of an outer key make axes of size 1.
    """
    if key.outer:
        return [[(a, positions_of_entry(e))] for a, e in enumerate(key.entries)]
    shape, at = table_place(key)
    rest: list[Along | None] = []
    for a, e in enumerate(key.entries):
        rest.extend([None] * key.new_axes.count(a))
        if isinstance(e, tuple):
            rest.append([(a, positions_of_entry(e))])
    arrays = [(a, e) for a, e in enumerate(key.entries) if not isinstance(e, tuple)]
    together = [(a, np.broadcast_to(e, shape).reshape(-1)) for a, e in arrays]
    return [along for along in (*rest[:at], together, *rest[at:]) if along is not None]


def filled(n: Node, mask: Node, value: Node) -> Node:
    """Return the cells of `n` with those of `value` in order where a mask is true.

    Raises ShapeError if `value` has another number of cells than are true.
    """
    done = 0

    def put(cells: np.ndarray, box: Box, chosen: np.ndarray) -> None:
        nonlocal done
        at = np.flatnonzero(chosen)
        first, done = done, done + len(at)
        if len(at) and done <= value.desc.size:  # else it is refused below
            cells.reshape(-1)[at] = values_of(selections.slice_(value, [(first, 1, len(at))]))

    made = _rewritten([n, mask], put)
    fit("setitem", value, describe(value.desc.dtype, (done,)))
    return made


def _rewritten(roots: Sequence[Node], put: Any) -> Node:
    stages.find_cells(work := RewriteWork(roots[0], put, roots[1:]))
    assert work.cells is not None
    return work.cells
