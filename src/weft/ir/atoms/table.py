"""The table of atoms: for every row of a selection, the record in the file of its name.

The one idea: a new atom is a file here and a row in the op table.
"""

from __future__ import annotations

from importlib import import_module

from weft.ir.atoms.atom import ATOMS
from weft.ir.graph.ops import ROWS

__all__ = ["ATOMS", "VIEWS"]

ATOMS.update({op.name: import_module(f"weft.ir.atoms.{op.name}").ATOM for op in ROWS if op.kind == "selection"})
VIEWS = tuple([atom.name for atom in ATOMS.values() if atom.rows is not None])
