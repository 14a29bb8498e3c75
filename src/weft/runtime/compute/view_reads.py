"""Repeated reads of views: the pending value below them is stored once that is cheaper.

The one idea: reading a view computes its cells alone, in a program that costs as much as many cells.  When the views
read of one value have cost about as much as the whole value would, the whole value is computed, and stored within the
share of the memory limit for fields.  Values over files are not stored; nor does such a read start a transfer between
devices, a function of the user's, or a routine that may refuse its operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from weft.errors import OutOfMemory
from weft.ir.graph.node import Node, current_place, walk
from weft.ir.graph.ops import OPS
from weft.runtime.compute import field_reads, stages
from weft.runtime.references import LooseTable

FEW = 4  # reads of views of a value before it may be stored, unless it is tiny
TINY = 1 << 10  # cells of a node that are computed in no more time than one of them
NEAR = 16  # nodes below a value whose reads are counted
CELLS = 1 << 15  # cells that are computed in the time that reading a view of FEW nodes takes
VIEWED: LooseTable[Node, int] = LooseTable()  # how often a program has read views of a pending value
_WHOLE = ("call", "scan")  # kinds for which a view computes all cells
_CHECKED, _SCALAR = OPS["checked"], OPS["scalar"]
# Ops of which some cells do not need all inputs.
_LEAVING_OUT = frozenset([OPS["where"], *[op for op in OPS.values() if op.kind == "selection" and op.arity != 1]])
_FILE, _ONLY_ASKED = OPS["file"], frozenset([OPS["transfer"], OPS["map_blocks"]])


def compute(n: Node, root: Node) -> None:
    """Compute node `n`, a view of the pending value `root` or an operation on such a view.

    Computes `root` first if that pays off. Raises the errors of `stages.compute`.
    """
    if root.op is not _SCALAR and _is_due(root):
        with suppress(OutOfMemory):  # for intermediate values
            stages.compute([root])
        field_reads.record_reads((), [root])
    if n.alias is None or root.value is None:
        stages.compute([n])


def _is_due(root: Node) -> bool:
    """Count a read of a view of a pending value. True if computing the whole value is cheaper than further views.

    Reads of views of nodes below the value count, too, as in loops that read a part of each state. The costs are
    compared only when the count is a power of two.
    """
    near = _near(root)
    count = 1 + max([VIEWED.get(n) or 0 for n in near])
    for n in near:
        if n is root or current_place(n) is not None:
            VIEWED[n] = count
    if count & (count - 1):
        return False
    if count < FEW:
        return is_tiny(root)
    below = walk([root])
    whole = sum([n.desc.size for n in below if n.op.kind in _WHOLE])
    work = sum([n.desc.size for n in below])
    return work <= count * (len(below) * CELLS // FEW + whole) and _is_free(below) and field_reads.fits(root, ())


def is_tiny(root: Node) -> bool:
    """True if computing a pending value of few nodes takes as long as computing one of its cells.

    Not so if it is checked, since a failure is an error of whoever reads it.
    """
    found = [root]
    for n in found:
        if n.desc.size > TINY or n.traits is not None or n.op is _CHECKED or len(found) > NEAR:
            return False
        if n.value is None and (n.alias is None or n.alias[0].value is None):
            found += [i for i in n.inputs if i.op is not _SCALAR and i not in found]
    return _is_free(found)


def _is_free(below: Sequence[Node]) -> bool:
    """True if all nodes may be computed even where a view of the value above does not need them."""
    chosen = any(n.op in _LEAVING_OUT for n in below)
    return not any(_is_only_asked(n, chosen) for n in below)


def _near(root: Node) -> list[Node]:
    """Return a pending node and the first pending nodes below it."""
    found = [root]
    for n in found:
        if len(found) > NEAR:
            break
        found += [i for i in n.inputs if i.value is None and i.op is not _SCALAR and i not in found]
    return found


def _is_only_asked(n: Node, chosen: bool) -> bool:
    """True if a node must not be computed unless requested. `chosen`: a view of the value may not need the node.

    Such are files, transfers, users' functions and routines that may raise.
    """
    if n.op is _FILE:
        return True
    return n.value is None and (
        n.op in _ONLY_ASKED or (chosen and n in stages.UNSURE) or OPS.get(n.op.name) is not n.op
    )
