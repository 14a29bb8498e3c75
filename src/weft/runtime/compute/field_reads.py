"""Reads of fields: the first program that reads a generated value does not store it.

The one idea: a value made of coordinates and numbers alone (a random field, a range, cheap arithmetic over these) is as
quick to generate again as to read, unless it is read often.  So its tensor is stored only when a second program reads
it, or reads it below (the state of a loop), and only while all fields stored for this reason fit into a share of the
memory limit.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from weft.ir.graph.node import Node
from weft.ir.graph.ops import CELLWISE, OPS, RANDOM
from weft.passes.fuse import DEAR, cost_of
from weft.runtime.memory.limits import is_share
from weft.runtime.references import LooseSet

SHARE = 8  # values stored for a second reading may take 1 / SHARE of the memory limit
MOST_VISITED = 32  # inputs that are looked at for a stored one
READ: LooseSet[Node] = LooseSet()  # pending values that a program has read and not stored
KEPT: LooseSet[Node] = LooseSet()  # values that were stored when they were read again
_SCALAR, _IOTA = OPS["scalar"], OPS["iota"]
GENERATORS = frozenset([_IOTA, OPS["broadcast_to"]])  # ops at which a field may begin


def is_field(n: Node, fields: Container[Node]) -> bool:
    """True if a node is a generator, or a cheap op whose inputs are all numbers or members of `fields`."""
    op = n.op
    if op.kind != "selection" and (op.kind not in CELLWISE or (op.name not in RANDOM and cost_of(n) >= DEAR)):
        return op is _IOTA
    return all(i in fields or i.op is _SCALAR for i in n.inputs)


def reads_memory(n: Node) -> bool:
    """True if a node depends on a stored value, so that it is no field."""
    below = [n]
    for n in below:
        for i in n.inputs:
            if i.value is not None or (i.alias is not None and i.alias[0].value is not None):
                return True
            if i.inputs:
                below.append(i)
        if len(below) > MOST_VISITED:
            break
    return False


def fits(n: Node, planned: Iterable[Node]) -> bool:
    """True if the fields stored so far, `planned` and `n` together fit into the fields' share of the memory limit."""
    kept = sum([k.desc.nbytes for k in (*KEPT, *planned)])
    return is_share(kept + n.desc.nbytes, SHARE)


def record_reads(unstored: Iterable[Node], stored: Iterable[Node]) -> None:
    """Record the fields that a program read without storing (`unstored`), and those that it stored."""
    READ.update(unstored)
    KEPT.update([n for n in stored if n.value is not None])
