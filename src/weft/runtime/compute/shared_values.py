"""Shared values: nodes below the one that is computed which other pending expressions read, too.

The one idea: such a node has more references than the nodes below the root account for.  A loop that reads one of two
values at each step, both made of a third, would compute all earlier steps again at each; so the third is stored with
the one that is read.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.ir.graph.node import Node, current_place
from weft.ir.graph.ops import BARRIERS, OPS
from weft.runtime.references import extra_references_each

SMALL = 1 << 16  # bytes up to which any shared value is stored
LARGE = 1 << 24  # the same of values that take more than cheap arithmetic
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
    return len(found), [n for (n, own), extra in pairs if extra > own and n is not root and _is_kept(n)]


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


def _is_kept(n: Node) -> bool:
    """True if a shared value is small or costly enough to be stored.

    False for live tensors, which are stored in any case, and for views and selections.
    """
    if n.alias is not None or n.op.kind == "selection" or current_place(n) is not None:
        return False
    costly = any(i.op.kind in BARRIERS and i.value is None for i in (n, *n.inputs))
    return n.desc.nbytes <= (LARGE if costly else SMALL)
