"""Rewrites that leave out work and change no bit: each a named rule, a pattern on a node and what stands for it.

The one idea: a rule holds for every input (-0, infinities and NaN included) and looks only at what is part of a plan's
key: structure, attributes, descriptions; so never at the value of a scalar, nor at which memory a stored leaf is.  A
root, or a node with a handle, is a value of its own: it may be another pending node only where nobody else has that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from weft.dtypes import DType
from weft.ir import selection as se
from weft.ir.node import Node, astype, make
from weft.ir.spec import AFFINE
from weft.passes.fuse import below, is_stored

Rewrite = Callable[[Node], Node | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rewrite of nodes of some ops; `says` is the equation."""

    name: str
    ops: tuple[str, ...]
    says: str
    rewrite: Rewrite


@dataclass(slots=True)
class Simplified:
    """Roots and live nodes of the graph in its simpler form, which node of the user each stands for, rules used."""

    roots: list[Node]
    live: frozenset[int]
    stands_for: dict[int, Node]
    applied: list[str] = field(default_factory=list)


def simplify(roots: Sequence[Node], live: Iterable[int]) -> Simplified:
    """The graph below some roots with the rules applied from the leaves up."""
    alive = set(live)
    kept = alive | {id(r) for r in roots}
    image: dict[int, Node] = {}
    out = Simplified([], frozenset(), {})
    for n in below(roots):
        made = n if is_stored(n) else _rebuilt(n, image)
        while not is_stored(made) and (step := _step(made, n, out.stands_for if id(n) in kept else None)) is not None:
            rule, made = step
            out.applied.append(rule.name)
        image[id(n)] = made
        if id(n) in kept:
            out.stands_for[id(made)] = n
    out.roots = [image[id(r)] for r in roots]
    out.live = frozenset([key for key, n in out.stands_for.items() if id(n) in alive])
    return out


def _rebuilt(n: Node, image: dict[int, Node]) -> Node:
    """The node over the simpler forms of its inputs."""
    inputs = tuple([image[id(i)] for i in n.inputs])
    if all(a is b for a, b in zip(inputs, n.inputs, strict=True)):
        return n
    if n.alias is not None:
        view = (
            se.reshape_view(inputs[0], n.attrs[0]) if n.op.name == "reshape" else AFFINE[n.op.name](inputs[0], *n.attrs)
        )
        assert view is not None
        made = view
    else:
        made = make(n.op, inputs, n.attrs, n.desc)
    made.code, made.lasti = n.code, n.lasti
    return made


def _step(made: Node, n: Node, taken: dict[int, Node] | None) -> tuple[Rule, Node] | None:
    """The first rule that fits and its result; `taken` are the nodes that stand for others, if n is kept."""
    for rule in BY_OP.get(made.op.name, ()):
        found = rule.rewrite(made)
        if found is not None and _alike(found, n) and (taken is None or not (is_stored(found) or id(found) in taken)):
            return rule, found
    return None


def _alike(a: Node, b: Node) -> bool:
    return a.desc.dtype is b.desc.dtype and a.desc.shape == b.desc.shape and a.desc.origin == b.desc.origin


# ---- what patterns ask


def _pending(x: Node) -> bool:
    """Whether x is a value that is yet to be computed, not a view and not a source."""
    return not is_stored(x) and x.op.kind != "source" and x.alias is None


def holds(wide: DType, narrow: DType) -> bool:
    """Whether every value of one dtype is a value of another.

    >>> from weft import dtypes as dt
    >>> holds(dt.float32, dt.int16), holds(dt.float32, dt.int32), holds(dt.float16, dt.bfloat16)
    (True, False, False)
    """
    if narrow.kind == "bool" or wide is narrow:
        return True
    if narrow.is_integer and wide.is_integer:
        return wide.digits >= narrow.digits and (wide.kind == "int" or narrow.kind == "uint")
    if narrow.is_integer:
        return wide.is_inexact and wide.digits >= narrow.digits
    if narrow.kind == "complex" and wide.kind != "complex":
        return False
    return wide.is_inexact and (wide.real is narrow.real or wide.real.bits > narrow.real.bits)


# ---- rewrites


def _first(n: Node) -> Node | None:
    """Nothing happens to the first input."""
    return n.inputs[0] if _pending(n.inputs[0]) else None


def _only_if(holds: Callable[[Node], bool]) -> Rewrite:
    return lambda n: _first(n) if holds(n) else None


def _twice(n: Node) -> Node | None:
    """An operation that undoes itself."""
    inner = n.inputs[0]
    return inner.inputs[0] if inner.op is n.op and not is_stored(inner) and _pending(inner.inputs[0]) else None


def _converted_twice(n: Node) -> Node | None:
    inner = n.inputs[0]
    if inner.op is not n.op or is_stored(inner):
        return None
    x, wide, wanted = inner.inputs[0], inner.desc.dtype, n.desc.dtype
    if not holds(wide, x.desc.dtype) or (wanted.is_integer and not wide.is_integer):
        return None  # floats saturate where integers wrap
    return astype(x, wanted) if wanted is not x.desc.dtype or _pending(x) else None


def _reduction_of_ones(n: Node) -> Node | None:
    x, axes = n.inputs[0], n.attrs[0]
    if (
        not _pending(x)
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
    return x if _pending(x) and all(p.inputs[0] is x for p in parts) else None


RULES = (
    Rule("copy", ("positive",), "+x = x", _first),
    Rule("convert once", ("astype",), "x as a wider dtype as d = x as d", _converted_twice),
    Rule("undone", ("negative", "logical_not", "bitwise_invert", "conj"), "--x = x", _twice),
    Rule("real", ("conj", "real"), "conj(x) = x, real(x) = x for real x",
         _only_if(lambda n: n.inputs[0].desc.dtype.kind != "complex")),
    Rule("whole", ("floor", "ceil", "trunc", "round"), "floor(x) = x for integers",
         _only_if(lambda n: n.inputs[0].desc.dtype.is_integer)),
    Rule("one part", ("concat", "interleave"), "concat([x]) = x", _only_if(lambda n: len(n.inputs) == 1)),
    Rule("no margin", ("pad",), "pad(x, 0) = x", _only_if(lambda n: not any(map(any, n.attrs[0])))),
    Rule("once", ("tile", "repeat"), "tile(x, 1) = x", _only_if(lambda n: n.desc.shape == n.inputs[0].desc.shape)),
    Rule("no shift", ("roll",), "roll(x, 0) = x", _only_if(lambda n: not any(n.attrs[0]))),
    Rule("one cell", ("sum", "prod", "min", "max", "mean"), "sum(x over axes of size 1) = x", _reduction_of_ones),
    Rule("taken apart", ("interleave",), "interleave(x[0::k], ..., x[k-1::k]) = x", _interleaved_slices),
    Rule("adjacent", ("concat",), "concat(x[a:b], x[b:c]) = x[a:c]", _adjacent_slices),
)  # fmt: skip
BY_OP = {op: [r for r in RULES if op in r.ops] for rule in RULES for op in rule.ops}
