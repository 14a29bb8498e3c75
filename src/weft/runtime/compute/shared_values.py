"""Shared values: nodes below the one that is computed which other pending expressions read, too.

The one idea: such a node has more references than the nodes below the root account for.  A loop that reads one of two
values at each step, both made of a third, would compute all earlier steps again at each; so the third is stored with
the one that is read.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from weft.ir.graph.node import Node
from weft.ir.graph.ops import BARRIERS, OPS
from weft.passes.fuse import is_stored
from weft.runtime.references import extra_references_each

SMALL = 1 << 16  # bytes up to which any shared value is stored
LARGE = 1 << 24  # the same of costly values; those that take no more than a stored operand are, too
MANY = 16  # cheap operations below a value that make it costly
SPECIAL = 1 << 30  # nodes, as it were, of work that is not looked into
_FILE = OPS["file"]
_APART = frozenset([op for op in OPS.values() if op.kind in ("check", "blocks")])


def shared_below(root: Node) -> tuple[int, Sequence[Node]]:
    """Return (number of pending nodes from `root` on, the nodes among them to be stored as others read them).

    Nothing is stored for others of work over files, on devices, with checks, or that calls functions of users.
    """
    found = _references_below(root)
    if not found:
        return SPECIAL, ()
    pairs = zip(found.items(), extra_references_each(found), strict=True)
    shared = {n: None for (n, own), extra in pairs if extra > own and n is not root}  # in order
    return len(found), [n for n in shared if _is_kept(n, shared)]


def _references_below(root: Node) -> dict[Node, int]:
    """Return a dict from each pending node to the number of references from nodes below `root`.

    It is empty for work that is not looked into.
    """
    found = {root: 0}
    above = [root]
    while above:
        n = above.pop()
        if n.op in _APART or (n.traits is not None and n.traits.device is not None):
            return {}
        for i in n.inputs if n.alias is None else (*n.inputs, n.alias[0]):
            if i in found:
                found[i] += 1
            elif i.value is None and i.inputs:
                found[i] = 1
                above.append(i)
            elif i.op is _FILE:
                return {}
    return found


def _is_kept(n: Node, shared: Collection[Node]) -> bool:
    """True if a shared value is small, or costly even if the other `shared` ones are stored, and not too large.

    False for views and selections.
    """
    if n.alias is not None or n.op.kind == "selection":
        return False
    if n.desc.nbytes <= SMALL:
        return True
    below, costly, room = [n], False, LARGE
    for m in below:
        costly = costly or m.op.kind in BARRIERS or len(below) > MANY
        if costly and n.desc.nbytes <= room:
            return True
        for i in m.inputs if len(below) <= MANY else ():
            if is_stored(i):
                room = max(room, i.desc.nbytes)
            elif i not in shared and i not in below:
                below.append(i)
    return False
