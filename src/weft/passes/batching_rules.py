"""Batching: the node that computes for every entry of a batch what a node computes for one.

The one idea: a batch has one more axis than its entries, the first.  Cells of different entries never meet, so the rule
of nearly every op is the same op, with the axis numbers in its attributes moved on by one.  Selections have their rules
in their files, and functions over blocks, which are of tensors, in `weft.programs.vmap`.  Operands that all
entries share are computed once: an input is batched exactly if it has an axis more than the node's own.  Most routines
take stacks, as their rows in the op table say; a product whose other operand all entries share is one product of more
rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from weft import dtypes as dt
from weft.errors import ArgumentError
from weft.ir.atoms import selections as se
from weft.ir.atoms.atom import aligned, batch_axes, unshared
from weft.ir.atoms.table import ATOMS
from weft.ir.graph.description import FIXED_ORDER, TensorDescription, product_orders
from weft.ir.graph.node import Node, apply, astype, iota, make, result, scalar
from weft.ir.graph.ops import OPS
from weft.ir.graph.undefined import any_true
from weft.passes.gradient.gradient_steps import product_of

Rule = Callable[[Node, Sequence[Node], int], Node]


def batched(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    """Return node n computed for a batch of `batch_size` entries, over `batched_inputs`.

    An input that differs between entries has the batch as one more axis, the first; others are shared by all entries.
    """
    atom = ATOMS.get(n.op.name)
    rule = atom.batched if atom is not None else RULES.get(n.op.name) or KINDS[n.op.kind]
    return rule(n, batched_inputs, batch_size)


def described(n: Node, batch_size: int) -> TensorDescription:
    """Return the description of node n computed for a batch of `batch_size` entries: one more axis in front."""
    return result(n.desc.dtype, (batch_size, *n.desc.shape), None if n.desc.origin is None else (0, *n.desc.origin))


def _cellwise(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    """Return the same element-wise operation over a batch; operands of lower rank get axes of size 1."""
    inputs = tuple([aligned(x, i, n.desc.ndim) for x, i in zip(batched_inputs, n.inputs, strict=True)])
    return make(n.op, inputs, n.attrs, described(n, batch_size))


def _real_or_imaginary(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    """Return node n, a real or imaginary part, over a batch; as a view if n is a view."""
    return _cellwise(n, batched_inputs, batch_size) if n.alias is None else se.part(batched_inputs[0], n.op.name)


def _checked(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    """Return the values of a batch with a single check, which fails if any entry has a bad cell."""
    value, bad = batched_inputs
    return make(n.op, (value, any_true(bad) if bad.desc.ndim else bad), n.attrs, described(n, batch_size))


def _random(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    """Return cells of a random field whose parameters differ between entries.

    Raises ArgumentError if the key differs between entries.
    """
    if batched_inputs[n.attrs[1]].desc.ndim:
        raise ArgumentError(
            "vmap: a random field with a seed for each entry; the cells of a field share a key; draw from a generator, "
            "which gives every entry numbers of its own"
        )
    return _cellwise(n, batched_inputs, batch_size)


def drawn(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    """Return random cells that differ between entries, by one more coordinate of the field: the entry's number.

    Raises ArgumentError for permutations.
    """
    kind, rank = n.attrs
    if kind == "permutation":
        raise ArgumentError(
            "vmap: a permutation of many positions, drawn for each entry; its cells follow from one coordinate; take "
            "argsort() of random numbers"
        )
    entries = iota((batch_size, *[1] * n.desc.ndim))
    inputs = [aligned(x, i, n.desc.ndim) for x, i in zip(batched_inputs, n.inputs, strict=True)]
    return make(n.op, (entries, *inputs), (kind, rank + 1), described(n, batch_size))


def _reduction(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    """Return the reductions of all entries; each entry's cells are added in the same order as alone."""
    axes, *more = n.attrs
    return make(n.op, (batched_inputs[0],), (batch_axes(axes), *more), described(n, batch_size))


def _scan(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    axis, initial = n.attrs
    return make(n.op, (batched_inputs[0],), (axis + 1, initial), described(n, batch_size))


def _bins(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    """Return the bin counts of all entries, from one count in which each entry has bins of its own."""
    (bins,) = n.attrs
    numbers, *weights = unshared(n, batched_inputs, batch_size)
    numbers = astype(numbers, dt.int64)
    entries = iota((batch_size, *[1] * (numbers.desc.ndim - 1)))
    above, below = (apply(name, numbers, scalar(k, dt.int64)) for name, k in (("greater_equal", 0), ("less", bins)))
    first = apply("multiply", entries, scalar(bins, dt.int64))
    at = apply("add", numbers, first)
    inside = apply("logical_and", above, below)
    at = make(OPS["where"], (inside, at, scalar(-1, dt.int64)), (), result(dt.int64, numbers.desc.shape))
    made = make(n.op, (at, *weights), (batch_size * bins,), result(n.desc.dtype, (batch_size * bins,)))
    return se.reshape(made, (batch_size, bins))


# ---- library routines


def _stacks(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    """Return one call of a routine that accepts stacks of operands."""
    most = max([i.desc.ndim for i in n.inputs])
    inputs = tuple([aligned(x, i, most) for x, i in zip(batched_inputs, n.inputs, strict=True)])
    return make(n.op, inputs, n.attrs, result(n.desc.dtype, (batch_size, *n.desc.shape)))


def _axis_rule(attr_number: int) -> Rule:
    """Return the rule for a routine whose attribute number `attr_number` is the axis that it works along."""

    def rule(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
        attrs = tuple([a + 1 if k == attr_number else a for k, a in enumerate(n.attrs)])
        origin = None if n.desc.origin is None else (0, *n.desc.origin)
        return make(n.op, (batched_inputs[0],), attrs, result(n.desc.dtype, (batch_size, *n.desc.shape), origin))

    return rule


def by_entries(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    """Return the results of a routine that is called for each entry separately, stacked."""
    made = []
    for k in range(batch_size):
        one = [
            se.index(x, [(0, k)]) if x.desc.ndim > i.desc.ndim else x
            for x, i in zip(batched_inputs, n.inputs, strict=True)
        ]
        made.append(make(n.op, tuple(one), n.attrs, n.desc))
    if not made:
        return se.broadcast_to(scalar(0, n.desc.dtype), (0, *n.desc.shape))
    return se.stack(made, 0)


def _scatter_add(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    """Return the scattered sums of all entries, from one call in which each entry has positions of its own."""
    rows, at = unshared(n, batched_inputs, batch_size)
    (count,), each = n.attrs, rows.desc.shape[1]
    entries = iota((batch_size, 1))
    first = apply("multiply", entries, scalar(count, dt.int64))
    at = se.reshape(apply("add", astype(at, dt.int64), first), (batch_size * each,))
    rows = se.reshaped(rows, (batch_size * each, *rows.desc.shape[2:]))
    shape = (batch_size * count, *n.desc.shape[1:])
    made = make(n.op, (rows, at), (batch_size * count,), result(n.desc.dtype, shape))
    return se.reshaped(made, (batch_size, *n.desc.shape))


def _searchsorted(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    """Return one search for all entries in a shared vector; one call per entry if each has its own vector."""
    if batched_inputs[0].desc.ndim > n.inputs[0].desc.ndim:
        return by_entries(n, batched_inputs, batch_size)
    return make(n.op, tuple(batched_inputs), n.attrs, result(n.desc.dtype, (batch_size, *n.desc.shape)))


def _solve(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    """Return the solutions of all entries; a shared matrix is factored once for all right-hand sides."""
    a, b = batched_inputs
    if a.desc.ndim > 2 or n.inputs[1].desc.ndim > 2:
        return _stacks(n, batched_inputs, batch_size)
    rows, columns = b.desc.shape[1:]
    sides = se.reshaped(se.permute(b, (1, 0, 2)), (rows, batch_size * columns))
    made = make(n.op, (a, sides), n.attrs, result(n.desc.dtype, sides.desc.shape))
    return se.permute(se.reshaped(made, (rows, batch_size, columns)), (1, 0, 2))


# ---- matrix products


def _matmul(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    """Return the matrix products of all entries; vectors count as matrices of one row or column."""
    own_a, own_b = n.inputs
    a, b = batched_inputs
    if own_a.desc.ndim == 1:
        a = se.expand_dims(a, (a.desc.ndim - 1,))
    if own_b.desc.ndim == 1:
        b = se.expand_dims(b, (b.desc.ndim,))
    shared_a, shared_b = batched_inputs[0].desc.ndim == own_a.desc.ndim, batched_inputs[1].desc.ndim == own_b.desc.ndim
    ndim, sides = max(a.desc.ndim - (not shared_a), b.desc.ndim - (not shared_b)), ((a, shared_a), (b, shared_b))
    wide = [x if s or ndim < x.desc.ndim else se.expand_dims(x, range(1, 2 + ndim - x.desc.ndim)) for x, s in sides]
    if a.desc.shape[-1] == 1 and n.attrs != FIXED_ORDER:  # one term for each cell
        made = apply("logical_and" if a.desc.dtype.kind == "bool" else "multiply", *wide)
    elif shared_b and b.desc.ndim == 2:
        lead = a.desc.shape[:-1]
        made = se.reshaped(_product(se.reshaped(a, (prod(lead), a.desc.shape[-1])), b, n), (*lead, b.desc.shape[-1]))
    elif shared_a and a.desc.ndim == 2 and own_b.desc.ndim == 1:
        columns = se.squeeze(b, (b.desc.ndim - 1,))
        made = se.expand_dims(_product(columns, se.permute(a, (1, 0)), n), (2,))
    else:
        made = _product(wide[0], wide[1], n)
    return se.reshaped(made, (batch_size, *n.desc.shape))


def _product(a: Node, b: Node, n: Node) -> Node:
    """Return the product of two stacks of matrices, with memory orders that suit the operands' strides.

    `n` is the unbatched product.
    """
    return product_of(a, b, product_orders(a.desc, b.desc, n.attrs == FIXED_ORDER))


def routine(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    """Return the results of a library routine for a batch, by the rule that the op's row names.

    Without a rule the routine is called for each entry.
    """
    return _FORMS[n.op.batched](n, batched_inputs, batch_size)


_FORMS: dict[str, Rule] = {"stacks": _stacks, "axis 0": _axis_rule(0), "axis 1": _axis_rule(1), "": by_entries}
KINDS: dict[str, Rule] = {
    "elementwise": _cellwise,
    "check": _checked,
    "random": _random,
    "reduce": _reduction,
    "scan": _scan,
    "bins": _bins,
    "call": routine,
}
RULES: dict[str, Rule] = {
    "real": _real_or_imaginary,
    "imag": _real_or_imaginary,
    "matmul": _matmul,
    "scatter_add": _scatter_add,
    "searchsorted": _searchsorted,
    "solve": _solve,
}
