"""The key of a pending graph: what makes two graphs run the same program.

The one idea: walk the graph once, number nodes as they are met, and note for each only what the program depends on:
structure, attributes, descriptions of leaves, which nodes a live handle wants.  Arrays and numbers become arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.errors import ValueRangeError
from weft.ir.atoms.affine import MAX_CELLS
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.passes.fuse import is_stored, layout, worth_keeping
from weft.passes.pipeline import Graph
from weft.passes.prune import MANY, pruned
from weft.passes.simplify.key_scalars import MARKED, Lines, tell
from weft.passes.simplify.view_joins import JOINS, merged
from weft.passes.switches import switches
from weft.runtime.compute.field_reads import GENERATORS, is_field, may_keep

_SCALAR = OPS["scalar"]
_BOOL = dt.bool


def freed(n: Node) -> ValueRangeError:
    """The error of reading cells whose storage was deallocated."""
    return ValueRangeError(
        f"read: the {n.desc!r} lay in a storage that was deallocated; its cells are gone; copy() before dealloc()"
    )


def unfed(n: Node) -> ValueRangeError:
    """The error of reading a placeholder."""
    return ValueRangeError(
        f"read: placeholder {n.attrs[0]!r} of {n.desc!r} has no value; a computation that has it as an input gives it "
        "one; call weft.computation(outputs, placeholder)(value)"
    )


VALUELESS = {OPS["freed"]: freed, OPS["placeholder"]: unfed}  # sources that cannot be read, and what is then raised


def signature(roots: Sequence[Node], most: int = MANY) -> tuple[tuple[Any, ...], Graph]:
    """(hashable key, the graph with its leaves and scalars in argument order) of a graph; one of more nodes than `most`
    is pruned, which may leave leaves out."""
    found = _signature(roots, most)
    if found is None:
        found = _signature(pruned(roots), MAX_CELLS)
    assert found is not None
    return found


def _signature(roots: Sequence[Node], most: int) -> tuple[tuple[Any, ...], Graph] | None:
    """The key and the graph; None where there are more than `most` nodes."""
    key: list[Any] = [switches()]
    index: dict[Node, int] = {}
    leaves: list[Node] = []
    scalars: list[Node] = []
    live: set[int] = set()
    held: set[int] = set()
    told: set[int] = set()
    lines: Lines = {}
    fields: set[Node] = set()
    passed: list[Node] = []
    again: list[Node] = []
    joins: dict[int, Node] = {}
    stack = list(reversed(roots))
    while stack:
        n = stack[-1]
        if n in index:
            stack.pop()
            continue
        alias, op = n.alias, n.op
        if n.value is not None or (alias is not None and alias[0].value is not None):
            key.append(n.desc if alias is None else layout(n))
            leaves.append(n)
        elif op is _SCALAR:
            key.append(n.desc.dtype if n.desc.dtype is not _BOOL else n.attrs[0])
            scalars.append(n)
        else:
            if op in VALUELESS:
                raise VALUELESS[op](n)
            if len(index) + len(n.inputs) > most:
                return None
            waiting = len(stack)
            for i in reversed(n.inputs):
                if i not in index:
                    stack.append(i)
            if len(stack) > waiting:
                continue
            alive = n.place is not None and (place := n.place()) is not None and place.node is n
            if (fields or op in GENERATORS) and is_field(n, fields):
                fields.add(n)
                if alive and worth_keeping(n) and n not in roots:
                    alive = may_keep(n, again)
                    (again if alive else passed).append(n)
            if alive:
                live.add(id(n))
                if place.held:
                    held.add(id(n))
                    alive = 2
            what = n.desc if op.rule == "given" or n.desc.origin is not None else None
            key.append((op, n.attrs, what, alive, *[index[i] for i in n.inputs]))
            if op in JOINS:
                key.append(_note_join(n, index, joins, leaves))
            if lines or op in MARKED:
                key.append(tell(n, lines, told))
        index[n] = len(index)
        stack.pop()
    key.append(tuple([index[r] for r in roots]))
    ids = frozenset(live), list(index), frozenset(held), frozenset(told)
    return tuple(key), Graph(roots, leaves, scalars, *ids, joins, passed, again)


def _note_join(n: Node, index: dict[Node, int], joins: dict[int, Node], leaves: list[Node]) -> tuple[Any, ...] | None:
    """Note what stands for a join of neighbours in memory, and its new leaves; return its part of the key."""
    parts = [joins.get(id(i), i) for i in n.inputs]
    join = merged(n, parts, is_stored)
    if join is None:
        return None
    joins[id(n)] = join
    given = (join,) if is_stored(join) else join.inputs
    leaves += [p for p in given if is_stored(p) and p not in index]
    return tuple([index.get(p, p.desc) for p in given])


def argument(n: Node) -> tuple[np.ndarray, int]:
    """A leaf's array and the byte offset of its cell 0."""
    if n.alias is not None and n.alias[0].value is not None:
        return n.alias[0].value, n.alias[1]
    return n.value, 0
