"""Atom: the record of one kind of selection, defined in the file of its name.

The one idea: an atom's record holds everything that weft knows of it; routing, gradients, checks of graphs, the text
form and the reference look it up in one table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.ir.atoms.position_tables import Table
from weft.ir.graph.node import Node
from weft.ir.pieces.request import Request, Row

Array = np.ndarray
Parts = Sequence[Array]
Rows = tuple[Row, ...]
Moved = tuple[Node, Table]
Batched = Callable[[Node, Sequence[Node], int], Node]


@dataclass(frozen=True, slots=True)
class Atom:
    """The record of an atom, with functions for each use of its nodes.

    `make(x, *attrs)` is the constructor; `rebuild(n)` makes a node where inputs and attributes are not the
    constructor's arguments.  A view has `rows`, which maps rows of a request to the input; a composite has `cut`, which
    splits a request into requests to its inputs.  `numpy(parts, n)` computes the value from the inputs' values.
    `adjoint(n, g)` returns the inputs' gradients where coordinates alone do not give them; `take(n, axis, table)` maps
    a table of positions along an axis to the input that holds the cells.

    `batched(n, xs, size)` returns the node over a batch of `size` entries.  An input with one axis more than that of
    `n` has all entries along its first axis; any other input is shared by the entries.
    """

    name: str
    make: Callable[..., Node]
    numpy: Callable[[Parts, Node], Array]
    batched: Batched
    rows: Callable[[Node, Rows], Rows] | None = None
    cut: Callable[[Node, Request], list[tuple[int, Request]]] | None = None
    rebuild: Callable[[Node], Node] | None = None
    adjoint: Callable[[Node, Node], tuple[Node | None, ...]] | None = None
    take: Callable[[Node, int, Table], Moved | None] | None = None

    def remade(self, n: Node) -> Node:
        """Return the node rebuilt by its constructor from its inputs and attributes.

        Raises the constructor's errors if they do not fit.
        """
        return self.make(n.inputs[0], *n.attrs) if self.rebuild is None else self.rebuild(n)


def unshared(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> list[Node]:
    """Return the inputs of node `n` over a batch, with those that all entries share repeated `batch_size` times.

    Repetitions lie along a new first axis.
    """
    pairs = zip(batched_inputs, n.inputs, strict=True)
    return [
        x if x.desc.ndim > i.desc.ndim else select("broadcast_to", x, (batch_size, *x.desc.shape)) for x, i in pairs
    ]


def aligned(x: Node, single: Node, entry_ndim: int) -> Node:
    """Return a batched input x whose entries have rank `entry_ndim`, by axes of size 1 after the first axis.

    `single` is the same input of one entry. An input shared by all entries is returned unchanged.
    """
    missing = entry_ndim - single.desc.ndim
    if x.desc.ndim == single.desc.ndim or not missing:
        return x
    return select("expand_dims", x, range(1, 1 + missing))


def batch_axes(axes: Sequence[int]) -> tuple[int, ...]:
    """Return axes of an entry as axes of a batch, which has one more leading axis."""
    return tuple([a + 1 for a in axes])


ATOMS: dict[str, Atom] = {}  # filled by `table`


def select(name: str, x: Any, *attrs: Any) -> Node:
    """Return the selection node named `name` over `x`, with these attributes.

    Atoms composed of other atoms call it, since their files cannot import each other.
    """
    return ATOMS[name].make(x, *attrs)
