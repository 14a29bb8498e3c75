"""Rules on single values: operations that do nothing, undo each other or say the same twice.

The one idea: each row leaves a node out; none needs to know what anything costs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.ir.atoms import affine as se
from weft.ir.graph.node import Node, astype
from weft.passes.fuse import is_stored
from weft.passes.simplify.rule import Rewrite, Rule, holds, pending, plain


def _first(n: Node) -> Node | None:
    """Nothing happens to the first input."""
    return n.inputs[0] if pending(n.inputs[0]) else None


def _only_if(holds: Callable[[Node], bool]) -> Rewrite:
    return plain(lambda n: _first(n) if holds(n) else None)


def _twice(n: Node) -> Node | None:
    """An operation that undoes itself."""
    inner = n.inputs[0]
    return inner.inputs[0] if inner.op is n.op and not is_stored(inner) and pending(inner.inputs[0]) else None


def _converted_twice(n: Node) -> Node | None:
    inner = n.inputs[0]
    if inner.op is not n.op or is_stored(inner):
        return None
    x, wide, wanted = inner.inputs[0], inner.desc.dtype, n.desc.dtype
    if not holds(wide, x.desc.dtype) or (wanted.is_integer and not wide.is_integer):
        return None  # floats saturate where integers wrap
    return astype(x, wanted) if wanted is not x.desc.dtype or pending(x) else None


def _reduction_of_ones(n: Node) -> Node | None:
    x, axes = n.inputs[0], n.attrs[0]
    if (
        not pending(x)
        or any(x.desc.shape[a] != 1 for a in axes)
        or (n.op.name == "prod" and x.desc.dtype.kind == "complex")
    ):
        return None
    kept = x if n.attrs[1] or not axes else se.squeeze(x, axes)
    return kept if kept.desc.dtype is n.desc.dtype else None


def _interleaved_slices(n: Node) -> Node | None:
    """Every k-th cell from 0, from 1, ... of one pending value."""
    axis, k = n.attrs[0], len(n.inputs)
    x = _common(n.inputs)
    if x is None:
        return None
    for i, part in enumerate(n.inputs):
        if part.attrs[0] != tuple(
            [(0, 1, m) if d != axis else (i, k, part.desc.shape[d]) for d, m in enumerate(x.desc.shape)]
        ):
            return None
    return x


def _adjacent_slices(n: Node) -> Node | None:
    """Slices of one pending value, each beginning where the one before ends."""
    axis = n.attrs[0]
    x = _common(n.inputs)
    if x is None or len(n.inputs) < 2:
        return None
    first = n.inputs[0].attrs[0]
    start, step, size = first[axis]
    for part in n.inputs[1:]:
        slices = part.attrs[0]
        same = slices[:axis] == first[:axis] and slices[axis + 1 :] == first[axis + 1 :]
        if not same or slices[axis][:2] != (start + size * step, step):
            return None
        size += slices[axis][2]
    joined = (*first[:axis], (start, step, size), *first[axis + 1 :])
    if joined == tuple([(0, 1, m) for m in x.desc.shape]):
        return x
    return se.slice_(x, joined)


def _common(parts: Sequence[Node]) -> Node | None:
    """The pending value that all parts are slices of."""
    if any(p.op.name != "slice" or is_stored(p) for p in parts):
        return None
    x = parts[0].inputs[0]
    return x if pending(x) and all(p.inputs[0] is x for p in parts) else None


RULES = (
    Rule("copy", ("positive",), "+x = x", plain(_first)),
    Rule("convert once", ("astype",), "x as a wider dtype as d = x as d", plain(_converted_twice)),
    Rule("undone", ("negative", "logical_not", "bitwise_invert", "conj"), "--x = x", plain(_twice)),
    Rule("real", ("conj", "real"), "conj(x) = x, real(x) = x for real x",
         _only_if(lambda n: n.inputs[0].desc.dtype.kind != "complex")),
    Rule("whole", ("floor", "ceil", "trunc", "round"), "floor(x) = x for integers",
         _only_if(lambda n: n.inputs[0].desc.dtype.is_integer)),
    Rule("one part", ("concat", "interleave"), "concat([x]) = x", _only_if(lambda n: len(n.inputs) == 1)),
    Rule("no margin", ("pad",), "pad(x, 0) = x", _only_if(lambda n: not any(map(any, n.attrs[0])))),
    Rule("once", ("tile", "repeat"), "tile(x, 1) = x", _only_if(lambda n: n.desc.shape == n.inputs[0].desc.shape)),
    Rule("no shift", ("roll",), "roll(x, 0) = x", _only_if(lambda n: not any(n.attrs[0]))),
    Rule("one cell", ("sum", "prod", "min", "max", "mean"), "sum(x over axes of size 1) = x",
         plain(_reduction_of_ones)),
    Rule("taken apart", ("interleave",), "interleave(x[0::k], ..., x[k-1::k]) = x", plain(_interleaved_slices)),
    Rule("adjacent", ("concat",), "concat(x[a:b], x[b:c]) = x[a:c]", plain(_adjacent_slices)),
)  # fmt: skip
