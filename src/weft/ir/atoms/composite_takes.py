"""Takes of composites: a table of positions is moved down to what the composite is made of.

The one idea: a table is at hand when a take is built, so the arithmetic by which a composite finds a cell is done on
the table, once.  The composite is not stored to be looked up in: a few cells of a tile of millions cost a few cells.
"""

from __future__ import annotations

import numpy as np

from weft.ir.atoms.atom import Moved
from weft.ir.atoms.position_tables import Table
from weft.ir.atoms.table import ATOMS
from weft.ir.graph.node import Node


def through(n: Node, axis: int, table: Table) -> Moved:
    """Return the node that a table along an axis of a pending node reads, and the table there."""
    while table.size and n.value is None and (n.alias is None or n.alias[0].value is None):
        atom = ATOMS.get(n.op.name)
        found = atom.take(n, axis, table) if atom is not None and atom.take is not None else None
        if found is None:
            break
        n, table = found
    return n, table


def by_parts(n: Node, axis: int, table: Table) -> tuple[Table, Table] | None:
    """Return part numbers and positions in parts, for positions along the axis of a pending concat or interleave."""
    if n.value is not None or n.op.name not in ("concat", "interleave") or n.attrs[0] != axis:
        return None
    if n.op.name == "interleave":
        return table % len(n.inputs), table // len(n.inputs)
    offsets = np.asarray(n.attrs[1])
    number = np.searchsorted(offsets, table, side="right") - 1
    return number, table - offsets[number]
