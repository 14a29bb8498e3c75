"""Atom: the record of a selection, made in the file that has its name.

The one idea: all that weft knows of an atom stands in its record; routing, gradients, checks of graphs, the text form
and the reference look it up in one table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.ir.atoms.position_tables import Table
from weft.ir.graph.node import Node, make, result
from weft.ir.graph.ops import OPS
from weft.ir.pieces.request import Request, Row

Array = np.ndarray
Parts = Sequence[Array]
Rows = tuple[Row, ...]
Moved = tuple[Node, Table]
Batched = Callable[[Node, Sequence[Node], int], Node]


@dataclass(frozen=True, slots=True)
class Atom:
    """The record of an atom.

    `make` is the constructor, of the input and the attributes of a node; `again` makes a node anew, where these are
    not its arguments.  Either `rows` says where a view reads its input, or `cut` which parts of a request
    each input answers.  `numpy` gives the value of a node from those of its inputs.  `adjoint` gives the gradients of
    the inputs, where these do not follow from the coordinates; `take` moves a table of positions to what is selected
    from.

    `batched` gives a node over a batch: of a node, of its inputs, and of the number of entries.  Inputs with an axis
    more than those of the node have all entries along it, first.
    """

    name: str
    make: Callable[..., Node]
    numpy: Callable[[Parts, Node], Array]
    batched: Batched
    rows: Callable[[Node, Rows], Rows] | None = None
    cut: Callable[[Node, Request], list[tuple[int, Request]]] | None = None
    again: Callable[[Node], Node] | None = None
    adjoint: Callable[[Node, Node], tuple[Node | None, ...]] | None = None
    take: Callable[[Node, int, Table], Moved | None] | None = None

    def remade(self, n: Node) -> Node:
        """Return the node that the constructor makes of a node's inputs and attributes.

        Raises what the constructor raises if they do not fit.
        """
        return self.make(n.inputs[0], *n.attrs) if self.again is None else self.again(n)


def unshared(n: Node, xs: Sequence[Node], size: int) -> list[Node]:
    """Return the inputs over a batch, those that all entries share repeated along its axis."""
    pairs = zip(xs, n.inputs, strict=True)
    return [x if x.desc.ndim > i.desc.ndim else select("broadcast_to", x, (size, *x.desc.shape)) for x, i in pairs]


def aligned(x: Node, own: Node, ndim: int) -> Node:
    """Return an input over a batch with axes of size 1 after the first, so that its entries have rank `ndim`.

    `own` is the input of one entry; what all entries share is returned as it is.
    """
    missing = ndim - own.desc.ndim
    if x.desc.ndim == own.desc.ndim or not missing:
        return x
    return select("expand_dims", x, range(1, 1 + missing))


def chosen(condition: Node, a: Node, b: Node) -> Node:
    """Return the cells of a where a condition is true, else those of b, on the domain of a."""
    return make(OPS["where"], (condition, a, b), (), result(a.desc.dtype, a.desc.shape, a.desc.origin))


def later(axes: Sequence[int]) -> tuple[int, ...]:
    """Return axes of an entry as those of the batch."""
    return tuple([a + 1 for a in axes])


ATOMS: dict[str, Atom] = {}  # filled by `table`


def select(name: str, x: Any, *attrs: Any) -> Node:
    """Return the selection `name` of x with these attributes.

    Atoms that are made of others call it, since their files cannot import each other.
    """
    return ATOMS[name].make(x, *attrs)
