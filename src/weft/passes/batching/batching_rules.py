"""Batching: the node that computes for every entry of a batch what a node computes for one.

The one idea: a batch has one axis more than its entries, the first.  Cells of different entries never meet, so every op
has the same op as its rule, with its axes counted on; selections have it in their files, and functions over blocks,
which are of tensors, in `weft.programs.batched_blocks`.  What all entries share is computed once: an input is batched
exactly if it has an axis more than the node's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft import dtypes as dt
from weft.errors import ArgumentError
from weft.ir.atoms import selections as se
from weft.ir.atoms.atom import aligned, later, unshared
from weft.ir.atoms.table import ATOMS
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node, astype, elementwise, make, result, scalar
from weft.ir.graph.ops import OPS
from weft.ir.graph.undefined import any_of
from weft.passes.batching.routine_batching import RULES as CALLS
from weft.passes.batching.routine_batching import routine

Rule = Callable[[Node, Sequence[Node], int], Node]


def batched(n: Node, xs: Sequence[Node], size: int) -> Node:
    """Return a node over a batch of `size` entries, given its inputs, some of which have an entry more along axis 0."""
    atom = ATOMS.get(n.op.name)
    rule = atom.batched if atom is not None else RULES.get(n.op.name) or KINDS[n.op.kind]
    return rule(n, xs, size)


def described(n: Node, size: int) -> TensorDescription:
    """Return the description of a node over a batch."""
    return result(n.desc.dtype, (size, *n.desc.shape), None if n.desc.origin is None else (0, *n.desc.origin))


def _cellwise(n: Node, xs: Sequence[Node], size: int) -> Node:
    """Return the same function of cells; entries of lower rank get axes to broadcast along."""
    inputs = tuple([aligned(x, i, n.desc.ndim) for x, i in zip(xs, n.inputs, strict=True)])
    return make(n.op, inputs, n.attrs, described(n, size))


def _part(n: Node, xs: Sequence[Node], size: int) -> Node:
    """Return real or imaginary parts, which are views where those of an entry are."""
    return _cellwise(n, xs, size) if n.alias is None else se.part(xs[0], n.op.name)


def _checked(n: Node, xs: Sequence[Node], size: int) -> Node:
    """Return the values of a batch with one check, which finds a bad cell in any entry."""
    value, bad = xs
    return make(n.op, (value, any_of(bad) if bad.desc.ndim else bad), n.attrs, described(n, size))


def _random(n: Node, xs: Sequence[Node], size: int) -> Node:
    """Return cells of a field whose parameters differ between entries."""
    if xs[n.attrs[1]].desc.ndim:
        raise ArgumentError(
            "vmap: a random field with a seed for each entry; the cells of a field share a key; draw from a generator, "
            "which gives every entry numbers of its own"
        )
    return _cellwise(n, xs, size)


def drawn(n: Node, xs: Sequence[Node], size: int) -> Node:
    """Return cells of a field with one more coordinate, the number of the entry: each has numbers of its own."""
    kind, rank = n.attrs
    if kind == "permutation":
        raise ArgumentError(
            "vmap: a permutation of many positions, drawn for each entry; its cells follow from one coordinate; take "
            "argsort() of random numbers"
        )
    entries = make(OPS["iota"], (), (0,), result(dt.int64, (size, *[1] * n.desc.ndim)))
    inputs = [aligned(x, i, n.desc.ndim) for x, i in zip(xs, n.inputs, strict=True)]
    return make(n.op, (entries, *inputs), (kind, rank + 1), described(n, size))


def _reduction(n: Node, xs: Sequence[Node], size: int) -> Node:
    """Return the reductions of all entries: the order of a sum is that of its own cells."""
    axes, *more = n.attrs
    return make(n.op, (xs[0],), (later(axes), *more), described(n, size))


def _scan(n: Node, xs: Sequence[Node], size: int) -> Node:
    axis, initial = n.attrs
    return make(n.op, (xs[0],), (axis + 1, initial), described(n, size))


def _bins(n: Node, xs: Sequence[Node], size: int) -> Node:
    """Return the bins of all entries, which are numbered one entry after the other."""
    (bins,) = n.attrs
    numbers, *weights = unshared(n, xs, size)
    numbers = astype(numbers, dt.int64)
    entries = make(OPS["iota"], (), (0,), result(dt.int64, (size, *[1] * (numbers.desc.ndim - 1))))
    above, below = (
        elementwise(OPS[name], numbers, scalar(k, dt.int64)) for name, k in (("greater_equal", 0), ("less", bins))
    )
    first = elementwise(OPS["multiply"], entries, scalar(bins, dt.int64))
    at = elementwise(OPS["add"], numbers, first)
    inside = elementwise(OPS["logical_and"], above, below)
    at = make(OPS["where"], (inside, at, scalar(-1, dt.int64)), (), result(dt.int64, numbers.desc.shape))
    made = make(n.op, (at, *weights), (size * bins,), result(n.desc.dtype, (size * bins,)))
    return se.reshape(made, (size, bins))


KINDS: dict[str, Rule] = {
    "elementwise": _cellwise,
    "check": _checked,
    "random": _random,
    "reduce": _reduction,
    "scan": _scan,
    "bins": _bins,
    "call": routine,
}
RULES: dict[str, Rule] = {"real": _part, "imag": _part, **CALLS}
