"""Write routes: the memory cells read by a tree of selections, and the checks that they may be written.

The one idea: a tree is followed as pieces, or, if that is not possible, as one number for each cell; an error names the
coordinate of the tree that cannot be written.
"""

from __future__ import annotations

import numpy as np

from weft.errors import WriteError
from weft.ir.graph.description import Shape, TensorDescription
from weft.ir.graph.node import Node
from weft.ir.graph.outline import outline
from weft.ir.pieces.normal_form import Piece, collision, pieces
from weft.ir.pieces.request import MustStore
from weft.tensors.write_targets import Ends, Numbers, clash, numbered

PAIRS = 20_000  # most pairs of pieces that are compared before cells are numbered
FEW_CELLS = 1 << 22  # most cells that are numbered instead of comparing more pairs


class WriteRoute:
    """The memory cells that a tree of selections reads: pieces, or if these are many, numbers of cells.

    Raises WriteError if a cell is read-only, generated, or of a value without a tensor.
    """

    def __init__(self, n: Node) -> None:
        self.desc: TensorDescription = n.desc
        self.tree = outline(n)
        self.ends = Ends(self.tree)
        self.numbers: Numbers | None = None
        self.found: list[Piece] = []
        try:
            self.found = pieces(self.tree, stop=self.ends.locked)
        except MustStore:
            self.number()
        if any(p.leaf.op.name == "gather" for p in self.found):
            self.number()
        for p in self.found if self.numbers is None else ():
            if (code := self.ends.code(p.leaf)) < 0:
                self.refuse(p.start, code)

    def number(self) -> Numbers:
        """Return the number of the memory cell that each coordinate of the tree reads.

        Raises WriteError for a coordinate that reads no writable cell.
        """
        if self.numbers is None:
            self.numbers = numbered(self.tree, self.ends)
            low = int(np.argmin(self.numbers)) if self.numbers.size else 0
            if self.numbers.size and (code := int(self.numbers.flat[low])) < 0:
                self.refuse(self.position(low), code)
        return self.numbers

    def position(self, cell: int) -> Shape:
        """Return the position, one index per axis, of the tree's cell with this row-major number."""
        return tuple([int(i) for i in np.unravel_index(cell, self.desc.shape)]) if self.desc.shape else ()

    def coordinate(self, position: Shape) -> Shape:
        """Return the coordinate of a position: the position plus the origin of the tree's domain."""
        return tuple([p + o for p, o in zip(position, self.desc.domain.origin, strict=True)])

    def refuse(self, position: Shape, code: int) -> None:
        """Raise WriteError for the cell at a position, with the reason that `code` (-1, -2, ...) stands for."""
        why, remedy = self.ends.reasons[-1 - code]
        raise WriteError(f"assign: coordinate {self.coordinate(position)} of the tree {why}; {remedy}")

    def check(self, last_wins: bool) -> None:
        """Raise WriteError if two coordinates of the tree read one memory cell or overlapping cells.

        With `last_wins`, several coordinates may read one cell.
        """
        hit = self._collision()
        if hit is None:
            return
        first, second, same = hit
        if same and last_wins:
            self.number()
            return
        what = "one cell; the order of writes would decide" if same else "cells that overlap in memory"
        remedy = "write through a tree that reads every cell once, or pass last_wins=True" if same else "align them"
        raise WriteError(
            f"assign: coordinates {self.coordinate(first)} and {self.coordinate(second)} of the tree lie on {what}; "
            f"{remedy}"
        )

    def _collision(self) -> tuple[Shape, Shape, bool] | None:
        """Return two positions with common memory, and True if they read one cell, False if cells overlap.

        None if no two positions share memory.
        """
        if self.numbers is None:
            few = self.desc.size <= FEW_CELLS
            if collision(self.found, self.ends.box, PAIRS if few else len(self.found) ** 2) is None:
                return None
        by_number = self.numbers is not None
        met = clash(self.number(), self.ends)
        if met is None and not by_number:
            self.numbers = None  # the pieces suffice
        return None if met is None else (self.position(met[0]), self.position(met[1]), met[2])
