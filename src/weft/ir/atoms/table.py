"""The table of atoms: the record of each selection by its name in the op table.

The one idea: a new atom is one new file and one row in the op table.
"""

from __future__ import annotations

from importlib import import_module

from weft.ir.atoms.atom import ATOMS
from weft.ir.graph.ops import ROWS

__all__ = ["AFFINE", "ATOMS", "COMPOSITE"]

_NAMES = [op.name for op in ROWS if op.kind in ("selection", "take")]
ATOMS.update({name: import_module(f"weft.ir.atoms.{name}").ATOM for name in _NAMES})
AFFINE = {name: atom.rows for name, atom in ATOMS.items() if atom.rows is not None}  # views: how they map positions
COMPOSITE = {name: atom.cut for name, atom in ATOMS.items() if atom.cut is not None}  # how they cut a request
