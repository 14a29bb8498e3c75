"""Outlines: the selections that a value is made of, for writing through it and routing after it was computed.

The one idea: a value may be computed, and its inputs overwritten, long before a write through it needs the origin of
its cells.  An outline repeats the selections over leaves that hold no memory, only weak references to a place and to
the version of it that was read; so it keeps nothing alive, and stores the reason where an input no longer exists.

The leaf of an outline has attrs (weak reference to the version or None, the reason why its cells cannot be reached or
"", byte offset of its cells in the version), and `place`, the version's weak reference to its place, or None.
"""

from __future__ import annotations

from weakref import ref

from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node, make
from weft.ir.graph.ops import OPS

MAX_LEVELS = 1000  # selections over selections that are kept; a loop of `x = roll(x, 1)` makes one more every time
MAX_TABLES = 1 << 20  # bytes of index arrays that are kept for the sake of an outline

_LEAF, _GATHER, _TRANSFER = OPS["leaf"], OPS["gather"], OPS["transfer"]
OUTLINED = frozenset([_GATHER, _TRANSFER, *[op for op in OPS.values() if op.kind == "selection"]])


def is_tree(n: Node) -> bool:
    """True if a node only moves cells of its inputs.

    It is a selection, a gather, or a transfer without a tensor of its own.
    """
    return n.op in OUTLINED and (n.op is not _TRANSFER or n.place is None)


def moved_inputs(n: Node) -> tuple[Node, ...]:
    """Return the inputs that a node's cells are copied from; position tables are left out."""
    return n.inputs[:1] if n.op is _GATHER else n.inputs


def outline(root: Node) -> Node:
    """Return the outline of a node: the selections that it is made of, over leaves without values."""
    return _outlined(root)[0]


def _outlined(root: Node) -> tuple[Node, list[Node], list[Node]]:
    """Return the outline of a node, the outline's leaves, and its gathers.

    An earlier outline of an input counts as one leaf.
    """
    if (end := _end(root)) is not None:
        return end, [end], []
    made: dict[Node, Node] = {}
    ends: list[Node] = []
    gathers: list[Node] = []
    stack = [root]
    while stack:
        n = stack[-1]
        inputs, waiting = moved_inputs(n), list[Node]()
        for i in inputs:
            if i not in made:
                if (end := _end(i)) is None:
                    waiting.append(i)
                else:
                    made[i] = end
                    ends.append(end)
        if waiting:
            stack.extend(waiting)
            continue
        stack.pop()
        if n not in made:
            made[n] = part = _repeated(n, [made[i] for i in inputs])
            if part.op is _GATHER:
                gathers.append(part)
    return made[root], ends, gathers


def _repeated(n: Node, inputs: list[Node]) -> Node:
    """Return the selection `n` repeated over these nodes of the outline."""
    if n.op is _TRANSFER:
        return inputs[0]
    part = make(n.op, (*inputs, *n.inputs[len(inputs) :]), n.attrs, n.desc)
    part.depth = 1 + max([i.depth for i in inputs])
    if part.depth <= MAX_LEVELS:
        return part
    return lost(n.desc, f"lies under more than {MAX_LEVELS} selections, and no more are remembered")


def _end(n: Node) -> Node | None:
    """Return the leaf of the outline for n; None if the outline goes on below n."""
    if n.value is not None and n.alias is None:
        tree: Node | None = getattr(n, "tree", None)
        return _leaf(n) if tree is None else tree
    if is_tree(n):
        return None
    if n.op.name in ("real", "imag") and n.alias is not None:
        root, offset = n.alias
        return (
            lost(n.desc, f"is the {n.op.name} part of a composite") if _is_composite(root) else _leaf(n, root, offset)
        )
    return n if n.op.name == "scalar" and n.place is None else _leaf(n)


def _is_composite(root: Node) -> bool:
    return is_tree(root) if root.value is None else getattr(root, "tree", None) is not None


def _leaf(n: Node, root: Node | None = None, offset: int = 0) -> Node:
    """Return the outline's leaf for version n.

    Given `root` and `offset`, n is the real or imaginary part of the version `root`.
    """
    version = n if root is None else root
    leaf = Node()
    leaf.op, leaf.inputs, leaf.attrs, leaf.desc = _LEAF, (), (ref(version), "", offset), n.desc
    leaf.value = leaf.alias = leaf.traits = leaf.code = leaf.fingerprint = None
    leaf.place, leaf.lasti, leaf.depth = version.place, 0, 0
    return leaf


def lost(desc: TensorDescription, reason: str) -> Node:
    """Return an outline's leaf with only the reason why its cells cannot be written."""
    return make(_LEAF, (), (None, reason, 0), desc)


def keep_outline(n: Node) -> None:
    """Store its outline in node n, which is to be computed, for later writes through it.

    If no cell can be written through it, only the reason is stored.
    """
    tree, ends, gathers = _outlined(n)
    tables = sum([i.desc.nbytes for g in gathers for i in g.inputs[1:]])
    why = [unreachable(end) if end.op is _LEAF else "" for end in ends]
    if tables > MAX_TABLES:
        why = [f"was taken by {tables} bytes of index arrays and computed since; they are not kept"]
    n.tree = lost(n.desc, why[0]) if all(why) else tree


def unreachable(leaf: Node) -> str:
    """Return the reason why the cells of an outline's leaf cannot be written; "" if they can."""
    if leaf.attrs[1] or (leaf.place is not None and leaf.place() is not None):
        return str(leaf.attrs[1])
    return "is read from a value that no tensor names"
