"""Rules on single values: operations that do nothing, undo each other or repeat each other.

The one idea: each rule leaves a node out, so none needs to know any cost.
"""

from __future__ import annotations

from collections.abc import Callable

from weft.ir.atoms import selections as se
from weft.ir.graph.node import Node, astype
from weft.passes.fuse import is_stored
from weft.passes.simplify.rule import Context, Rewrite, Rule, can_represent
from weft.passes.simplify.view_joins import merged


def _only_if(holds: Callable[[Node], bool]) -> Rewrite:
    """Return a rewrite that replaces a node by its first input if `holds(node)`; it returns None for other nodes."""
    return lambda n, c: n.inputs[0] if holds(n) else None


def _involution(n: Node, context: Context) -> Node | None:
    """Return x for f(f(x)) where f is its own inverse; else None."""
    inner = n.inputs[0]
    return inner.inputs[0] if inner.op is n.op and not is_stored(inner) else None


def _converted_twice(n: Node, context: Context) -> Node | None:
    """Return a single conversion in place of two, if the first loses nothing; else None."""
    inner = n.inputs[0]
    if inner.op is not n.op or is_stored(inner):
        return None
    x, wide, wanted = inner.inputs[0], inner.desc.dtype, n.desc.dtype
    if not can_represent(wide, x.desc.dtype) or (wanted.is_integer and not wide.is_integer):
        return None  # floats saturate where integers wrap
    return astype(x, wanted)


def _reduction_of_ones(n: Node, context: Context) -> Node | None:
    """Return the input of a reduction over axes of size 1, without these axes; None if its values differ."""
    x, axes = n.inputs[0], n.attrs[0]
    if any(x.desc.shape[a] != 1 for a in axes) or (n.op.name == "prod" and x.desc.dtype.kind == "complex"):
        return None
    kept = x if n.attrs[1] or not axes else se.squeeze(x, axes)
    return kept if kept.desc.dtype is n.desc.dtype else None


def _neighbours(n: Node, context: Context) -> Node | None:
    """Return a concat or interleave with adjacent views of one value merged into one view; None if there are none."""
    found = context.joins.get(id(n))
    return merged(n, n.inputs, lambda part: id(part) not in context.leaves, context.leaves) if found is None else found


RULES = (
    Rule("copy", ("positive",), "+x = x in the same byte order",
         _only_if(lambda n: n.desc.big == n.inputs[0].desc.big)),
    Rule("convert once", ("astype",), "x as a wider dtype as d = x as d", _converted_twice,
         over=("astype",)),
    Rule("undone", ("negative", "logical_not", "bitwise_invert", "conj"), "--x = x", _involution),
    Rule("real", ("conj", "real"), "conj(x) = x, real(x) = x for real x",
         _only_if(lambda n: n.inputs[0].desc.dtype.kind != "complex")),
    Rule("whole", ("floor", "ceil", "trunc", "round"), "floor(x) = x for integers",
         _only_if(lambda n: n.inputs[0].desc.dtype.is_integer)),
    Rule("one part", ("concat", "interleave"), "concat([x]) = x", _only_if(lambda n: len(n.inputs) == 1)),
    Rule("no margin", ("pad",), "pad(x, 0) = x", _only_if(lambda n: not any(map(any, n.attrs[0])))),
    Rule("once", ("tile", "repeat"), "tile(x, 1) = x", _only_if(lambda n: n.desc.shape == n.inputs[0].desc.shape)),
    Rule("no shift", ("roll",), "roll(x, 0) = x", _only_if(lambda n: not any(n.attrs[0]))),
    Rule("one cell", ("sum", "prod", "min", "max", "mean"), "sum(x over axes of size 1) = x",
         _reduction_of_ones),
    Rule("taken apart", ("interleave",), "interleave(x[0::k], ..., x[k-1::k]) = x", _neighbours),
    Rule("adjacent", ("concat",), "concat(x[a:b], x[b:c]) = x[a:c]", _neighbours),
)  # fmt: skip
