"""Views read one after the other: the pending value behind them is stored once that pays.

The one idea: reading a view computes its cells alone, in a program that costs as much as many cells.  When the views
read of one value have cost about as much as the whole value would, the whole is computed, and kept within the share of
the memory limit that fields read before may take.  Values over files are not kept; nor is anything moved between
devices or computed by a function of the user's, or by a routine that may refuse its operands, without being asked for.
"""

from __future__ import annotations

from contextlib import suppress

from weft.errors import OutOfMemory
from weft.ir.graph.node import Node, walk
from weft.ir.graph.ops import OPS
from weft.runtime.compute import field_reads, stages
from weft.runtime.weak_collections import LooseTable

FEW = 4  # programs that read views of a value before it may be stored
CELLS = 1 << 15  # cells that are computed in the time that reading a view takes
VIEWED: LooseTable[Node, int] = LooseTable()  # how often a program has read views of a pending value
_WHOLE = ("call", "scan")  # kinds of which a view computes all cells
_FILE, _ONLY_ASKED = OPS["file"], frozenset([OPS["transfer"], OPS["map_blocks"]])


def compute(n: Node, root: Node) -> None:
    """Compute a view of a pending value, or an operation on one; before it the value itself, once that pays."""
    if _is_due(root):
        with suppress(OutOfMemory):  # for what is stored on the way
            stages.compute([root])
        field_reads.note((), [root])
    if n.alias is None or root.value is None:
        stages.compute([n])


def _is_due(root: Node) -> bool:
    """Count a read of a view of a pending value; True if the value should be computed now.

    That is looked at when the count is a power of two.
    """
    count = (VIEWED.get(root) or 0) + 1
    VIEWED[root] = count
    if count < FEW or count & (count - 1):
        return False
    below = walk([root])
    whole = sum([n.desc.size for n in below if n.op.kind in _WHOLE])
    work = sum([n.desc.size for n in below])
    return work <= count * (CELLS + whole) and field_reads.fits(root, ()) and not any(_is_only_asked(n) for n in below)


def _is_only_asked(n: Node) -> bool:
    """True if a node below a value is no reason to compute more of the value than was asked for."""
    if n.op is _FILE:
        return True
    return n.value is None and (n.op in _ONLY_ASKED or n in stages.UNSURE or OPS.get(n.op.name) is not n.op)
