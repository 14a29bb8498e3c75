"""How selections answer requests, by name.

The one idea: a view rewrites the map that says where to read; a composite also cuts the request so that each part reads
one input.  How, says the record of the atom.
"""

from __future__ import annotations

from weft.ir.atoms.table import ATOMS
from weft.ir.pieces.request import Request, operand, restrict, whole

__all__ = ["AFFINE", "COMPOSITE", "Request", "operand", "restrict", "whole"]

AFFINE = {name: atom.rows for name, atom in ATOMS.items() if atom.rows is not None}
COMPOSITE = {name: atom.cut for name, atom in ATOMS.items() if atom.cut is not None}
