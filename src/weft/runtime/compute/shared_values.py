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
_REFUSING = frozenset([op for op in OPS.values() if op.refuses])
# Ops of which some cells do not need all inputs.
LEAVING_OUT = frozenset([OPS["where"], *[op for op in OPS.values() if op.kind == "selection" and op.arity != 1]])
_NOTED = _APART | _REFUSING | LEAVING_OUT


def shared_below(root: Node) -> tuple[int, Sequence[Node]]:
    """Return (number of pending nodes from `root` on, the nodes among them to be stored as others read them).

    Nothing is stored for others of work over files, on devices, with checks, or that calls functions of users.
    """
    if root.traits is not None and root.traits.device is not None:
        return SPECIAL, ()
    found, leaves_out, may_refuse = {root: 0}, False, False
    above = [root]
    while above:
        n = above.pop()
        if n.op in _APART or (n.traits is not None and n.traits.device is not None):
            return SPECIAL, ()
        if n.op in _NOTED:
            leaves_out |= n.op in LEAVING_OUT
            may_refuse |= n.op in _REFUSING
        for i in n.inputs if n.alias is None else (*n.inputs, n.alias[0]):
            if i in found:
                found[i] += 1
            elif i.value is None and i.inputs:
                found[i] = 1
                above.append(i)
            elif i.op is _FILE:
                return SPECIAL, ()
    if leaves_out and may_refuse:  # then the operands that are refused may be left out
        return len(found), ()
    pairs = zip(found.items(), extra_references_each(found), strict=True)
    return len(found), [n for (n, own), extra in pairs if extra > own and n is not root and _is_kept(n)]


def _is_recorded(n: Node) -> bool:
    """True if a value has a gradient record, other than that of a parameter."""
    return n.traits is not None and n.traits.record is not None and not n.traits.record.is_leaf


def _is_kept(n: Node) -> bool:
    """True if a shared value is small or costly enough to be stored.

    False for live tensors, which are stored in any case, for views and selections, and for recorded values other than
    parameters: a reference from a record does not show a reader.
    """
    if n.alias is not None or n.op.kind == "selection" or current_place(n) is not None or _is_recorded(n):
        return False
    costly = any(i.op.kind in BARRIERS and i.value is None for i in (n, *n.inputs))
    return n.desc.nbytes <= (LARGE if costly else SMALL)
