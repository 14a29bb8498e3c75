"""Rules on selections: parts that are never read leave the tree, and nested selections of one kind become one.

The one idea: the parts of a composite that a view reads are found by routing it one step, as kernels do; if some inputs
are not met, the composite is built again from the others.  Masks that follow from coordinates route like a concat.
"""

from __future__ import annotations

from math import prod

from weft.errors import ShapeError
from weft.ir.atoms import selections as se
from weft.ir.atoms.atom import placed, positions
from weft.ir.atoms.reshape import reshape_groups, reshaped
from weft.ir.atoms.table import AFFINE
from weft.ir.graph.node import Node
from weft.ir.pieces.demand import demand
from weft.ir.pieces.request import MustStore, whole
from weft.passes.fuse import is_stored
from weft.passes.simplify.key_scalars import runs
from weft.passes.simplify.rule import Context, Rewrite, Rule
from weft.passes.views import MAX_INPUTS, joined

MAX_LAYERS = 16  # of an overlay that is looked through for covered ones; routing passes over them in any case


def _parts_read_rule(composite: str) -> Rewrite:
    """Return the rewrite of views of a composite that read only some of its inputs.

    The rewritten view reads a composite of these inputs alone; `composite` is the name of the op.
    """

    def rewrite(n: Node, context: Context) -> Node | None:
        if id(n) in context.inner or not n.desc.size:
            return None
        base, request = context.reach(n)
        if base.op.name != composite or is_stored(base) or n.desc.size >= base.desc.size + (composite == "repeat"):
            return None
        try:
            parts = demand(base, request)
        except MustStore:
            return None
        if len(parts) > 1 and len({i for i, _ in parts}) == len(base.inputs):
            return None
        found = joined(n.desc.shape, [r for _, r in parts], [base.inputs[i] for i, _ in parts])
        return None if found is None else placed(found, n.desc.origin)

    return rewrite


def _flat_concat(n: Node, context: Context) -> Node | None:
    """Return one concat in place of concats nested along the same axis; None if there are none."""
    axis = n.attrs[0]
    parts: list[Node] = []
    for i in n.inputs:
        parts.extend(i.inputs if i.op is n.op and i.attrs[0] == axis and context.has_one_reader(i) else [i])
    return se.concat(parts, axis) if len(n.inputs) < len(parts) <= MAX_INPUTS else None


def _flat_interleave(n: Node, context: Context) -> Node | None:
    """Return an interleave of interleaves as a single interleave; None if their counts or sizes differ."""
    axis, k = n.attrs[0], len(n.inputs)
    m = len(n.inputs[0].inputs)
    if any(
        i.op is not n.op or i.attrs[0] != axis or len(i.inputs) != m or not context.has_one_reader(i) for i in n.inputs
    ):
        return None
    try:
        return se.interleave([n.inputs[j % k].inputs[j // k] for j in range(k * m)], axis)
    except ShapeError:  # tails that are missing from the parts make another order
        return None


def _join_in_other_shape(n: Node, context: Context) -> Node | None:
    """Return a reshaped concat as joined reshaped parts, if its axis is a new one's outer or inner part.

    Else None. An inner axis needs parts of one cell along it: those of a stack.
    """
    (x,) = n.inputs
    if is_stored(x) or not n.desc.size or not context.has_one_reader(x):
        return None
    axis, shape = x.attrs[0], n.desc.shape
    olds, news = next((g for g in reshape_groups(x.desc.shape, shape) if axis in g[0]), ((), ()))
    inner = olds[-1:] == (axis,) and {i.desc.shape[axis] for i in x.inputs} == {1}
    if len(olds) < 2 or len(news) > 1 or not (inner or olds[0] == axis):
        return None
    at, others = news[0], prod([x.desc.shape[d] for d in olds if d != axis])
    parts = [reshaped(i, (*shape[:at], others * i.desc.shape[axis], *shape[at + 1 :])) for i in x.inputs]
    return placed((se.interleave if inner else se.concat)(parts, at), n.desc.origin)


def _uncovered(n: Node, context: Context) -> Node | None:
    """Return an overlay without layers that are fully covered by others; None if there are none."""
    layers, filled = n.attrs
    if len(layers.boxes) > MAX_LAYERS or not n.desc.size:
        return None
    try:
        seen = {i for i, _ in demand(n, whole(n))}
    except MustStore:
        return None
    last = len(n.inputs) - 1
    parts = [x for i, x in enumerate(n.inputs) if i in seen and not (filled and i == last)]
    if not parts or len(parts) == len(n.inputs) - filled:
        return None
    return se.overlay(parts, n.desc.domain, n.inputs[last] if filled else None)


def _branch(n: Node, value: bool) -> Node:
    """Return the operand that a `where` takes for a mask of `value`, broadcast to its shape."""
    x = n.inputs[1 if value else 2]
    return placed(x if x.desc.shape == n.desc.shape else se.broadcast_to(x, n.desc.shape), n.desc.origin)


def _constant_mask(n: Node, context: Context) -> Node | None:
    """Return the operand that a `where` with a constant mask chooses; None if the mask is not constant."""
    found = runs(n.inputs[0], context.key_scalars)
    return None if found is None or found[0] >= 0 else _branch(n, found[1][0].value)


def _mask_in_runs(n: Node, context: Context) -> Node | None:
    """Return a where as a concat of its branches, if the mask is a comparison of one coordinate; else None."""
    found = runs(n.inputs[0], context.key_scalars)
    if found is None or found[0] < 0:
        return None
    axis = found[0] + n.desc.ndim - n.inputs[0].desc.ndim
    parts = [positions(_branch(n, r.value), axis, r.first, r.stop - r.first) for r in found[1]]
    return placed(se.concat(parts, axis), n.desc.origin)


SAYS = {
    "concat": "concat(a, b)[i:j] = concat(a[i:], b[:j-n]) of the parts it meets",
    "interleave": "interleave(x, ..., z)[r::k] = the parts of these residues",
    "pad": "pad(x, m)[i:j] = x[i-m:j-m] inside, the fill outside",
    "tile": "tile(x, m)[i:j] = x[i mod n:j mod n] within one copy",
    "repeat": "repeat(x, m)[i:j] = x[i // m] within one cell",
    "roll": "roll(x, s)[i:j] = x[i-s:j-s] on one side of the seam",
    "overlay": "overlay(a, b)[i:j] = the layers that it meets",
}
RULES = (
    *[Rule(f"part of {op}", (*AFFINE,), text, _parts_read_rule(op), over=(op, *AFFINE)) for op, text in SAYS.items()],
    Rule("flat concat", ("concat",), "concat(concat(x, y), z) = concat(x, y, z)", _flat_concat),
    Rule("flat interleave", ("interleave",), "interleave(interleave(a, c), interleave(b, d)) = interleave(a, b, c, d)",
         _flat_interleave),
    Rule("join in another shape", ("reshape",), "reshape(stack(x, y, axis=-1), (-1,)) = interleave(x, y)",
         _join_in_other_shape, over=("concat",)),
    Rule("covered", ("overlay",), "overlay(a, b) = b where b covers a", _uncovered),
    Rule("constant mask", ("where",), "where(True, a, b) = a", _constant_mask, "paid"),
    Rule("mask in runs", ("where",), "where(i < c, a, b) = concat(a[:c], b[c:])", _mask_in_runs, "moved"),
)  # fmt: skip
