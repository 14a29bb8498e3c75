"""Rules on reductions and repeated work: a value that is repeated is computed once.

The one idea: a reduction sees cells in the order of its input, so only axes that it leaves alone may change freely;
over its own axes only operations for which no order matters (extrema, any, all, integers that wrap) are taken apart.
"""

from __future__ import annotations

from functools import partial, reduce
from itertools import product
from math import prod

from weft import dtypes as dt
from weft.ir.atoms import selections as se
from weft.ir.atoms.atom import placed
from weft.ir.graph.description import FIXED_ORDER
from weft.ir.graph.node import Node, apply, astype, make, result
from weft.ir.graph.ops import OPS, POINTWISE
from weft.ir.kernels.sum_order import LANES
from weft.passes.simplify.rule import Context, Rule, number_like, times
from weft.passes.views import computed_once, first_cells, repeated

JOINS = {
    "min": "minimum", "max": "maximum", "nanmin": "fmin", "nanmax": "fmax", "any": "logical_or", "all": "logical_and",
}  # fmt: skip
IDEMPOTENT = tuple(JOINS)
REDUCTIONS = ("sum", "prod", "mean", "var", "count_nonzero", "argmin", "argmax", *IDEMPOTENT)
FOLDS = {"sum": "add", "mean": "add", "prod": "multiply", **JOINS}
FEW, MANY = 9, 1024  # cells that are reduced to one, at most, and kept cells, at least, for operations between cells
MAX_JOINED = 16  # parts of an interleave that are reduced one by one


def _reduced(n: Node, x: Node) -> Node:
    """Return the same reduction as n, over input x."""
    axes, keepdims = n.attrs[0], n.attrs[1]
    shape = tuple([1 if a in axes else s for a, s in enumerate(x.desc.shape) if keepdims or a not in axes])
    return make(n.op, (x,), n.attrs, result(n.desc.dtype, shape))


def _result_axis(n: Node, axis: int) -> int:
    """Return the axis of reduction n's result that the given axis of its input becomes."""
    return axis if n.attrs[1] else axis - sum(a < axis for a in n.attrs[0])


def _any_order(n: Node) -> bool:
    """True if a reduction gives the same bits in every order of its cells."""
    if n.op.name in IDEMPOTENT:
        return True
    return n.op.name in ("sum", "prod", "count_nonzero") and n.desc.dtype.is_integer


def _kept_interleave(n: Node, context: Context) -> Node | None:
    """Return the interleave of the reduced inputs, for a reduction over other axes than the interleaved one.

    Else None.
    """
    x = n.inputs[0]
    if not context.is_internal(x) or x.attrs[0] in n.attrs[0]:
        return None
    found = se.interleave([_reduced(n, part) for part in x.inputs], _result_axis(n, x.attrs[0]))
    return placed(found, n.desc.origin)


def _kept_copies(n: Node, context: Context) -> Node | None:
    """Return a repeat of a reduction, for a reduction of cells repeated only along kept axes; else None."""
    x, axes = n.inputs[0], n.attrs[0]
    if axes and (wide := [a for a in repeated(x) if a not in axes]):
        found = se.broadcast_to(_reduced(n, first_cells(x, wide)), n.desc.shape)
    elif not context.is_internal(x):
        return None
    elif x.op.name == "repeat" and x.attrs[1] not in axes:
        found = se.repeat(_reduced(n, x.inputs[0]), x.attrs[0], _result_axis(n, x.attrs[1]))
    elif x.op.name == "tile" and all(x.attrs[0][a] == 1 for a in axes):
        reps = [1 if a in axes else r for a, r in enumerate(x.attrs[0]) if n.attrs[1] or a not in axes]
        found = se.tile(_reduced(n, x.inputs[0]), reps)
    else:
        return None
    return placed(found, n.desc.origin)


def _reduced_copies(n: Node, context: Context) -> Node | None:
    """Return a reduction of the cells without repetition, if order and repetition do not matter; else None."""
    inner = _source_along(n.inputs[0], n.attrs[0], context) if n.op.name in IDEMPOTENT else None
    return None if inner is None else placed(_reduced(n, inner), n.desc.origin)


def _source_along(x: Node, axes: tuple[int, ...], context: Context) -> Node | None:
    """Return the node whose cells x repeats or reorders only along the given axes; None if there is none."""
    if not x.desc.size:
        return None
    if same := [a for a in repeated(x) if a in axes]:
        return first_cells(x, same)
    if not context.is_internal(x):
        return None
    if x.op.name == "repeat":
        along = {x.attrs[1]}
    elif x.op.name == "tile":
        along = {a for a, r in enumerate(x.attrs[0]) if r != 1}
    elif x.op.name == "pad" and x.attrs[1] != "constant":
        along = {a for a, widths in enumerate(x.attrs[0]) if any(widths)}
    else:
        return None
    return x.inputs[0] if along <= set(axes) else None


def _counted_copies(n: Node, context: Context) -> Node | None:
    """Return a sum of repeated integers as the sum of one copy times their count; else None."""
    x = n.inputs[0]
    if n.op.name not in ("sum", "count_nonzero") or not n.desc.dtype.is_integer or x.op.name == "pad":
        return None
    inner = _source_along(x, n.attrs[0], context)
    if inner is None:
        return None
    return placed(times(x.desc.size // inner.desc.size, _reduced(n, inner)), n.desc.origin)


def _rolled(n: Node, context: Context) -> Node | None:
    """Return the reduction of a roll's input, if only reduced axes are rolled and the order does not matter.

    Else None.
    """
    x = n.inputs[0]
    if not context.is_internal(x) or not _any_order(n) or not set(x.attrs[1]) <= set(n.attrs[0]):
        return None
    return placed(_reduced(n, x.inputs[0]), n.desc.origin)


def _reduced_interleave(n: Node, context: Context) -> Node | None:
    """Return a reduction of an interleave as one of the parts' reductions; None if the order of cells matters."""
    x = n.inputs[0]
    if not context.is_internal(x) or not _any_order(n) or x.attrs[0] not in n.attrs[0]:
        return None
    if len(x.inputs) > MAX_JOINED or any(not part.desc.size for part in x.inputs):
        return None
    parts = [_reduced(n, part) for part in x.inputs]
    if n.op.name in ("min", "max") and n.desc.dtype is dt.bool:
        join = "logical_and" if n.op.name == "min" else "logical_or"
    else:
        join = JOINS.get(n.op.name, "multiply" if n.op.name == "prod" else "add")
    while len(parts) > 1:
        parts = [apply(join, *parts[i : i + 2]) if i + 1 < len(parts) else parts[i]
                 for i in range(0, len(parts), 2)]  # fmt: skip
    return placed(parts[0], n.desc.origin)


def _few_cells(n: Node, context: Context) -> Node | None:
    """Return a reduction of few cells as operations between them, in the order of sums; None for other reductions.

    A map reads the cells from several addresses at once, where a reduction begins anew for every few of them.
    """
    x = n.inputs[0]
    sizes, dtype = [x.desc.shape[a] for a in n.attrs[0]], x.desc.dtype
    if not 1 < prod(sizes) <= FEW or n.desc.size < MANY or dtype is not n.desc.dtype:
        return None
    if dtype.kind == "complex" or dtype.compute is not dtype:
        return None
    found = _tree(n, x, sizes)
    found = apply("divide", found, number_like(prod(sizes), n)) if n.op.name == "mean" else found
    return placed(se.expand_dims(found, n.attrs[0]) if n.attrs[1] else found, n.desc.origin)


def _few_integers(n: Node, context: Context) -> Node | None:
    """Return a narrowed sum or product of few integers as one of as many bits, else None."""
    (total,), dtype = n.inputs, n.desc.dtype
    if total.op.name not in ("sum", "prod") or not context.is_internal(total) or not dtype.is_integer:
        return None
    sizes = [total.inputs[0].desc.shape[a] for a in total.attrs[0]]
    if not 1 < prod(sizes) <= FEW or n.desc.size < MANY:
        return None
    if not total.desc.dtype.is_integer or dtype.bits > total.desc.dtype.bits:
        return None
    found = _tree(total, astype(total.inputs[0], dtype), sizes)
    return placed(se.expand_dims(found, total.attrs[0]) if total.attrs[1] else found, n.desc.origin)


def _tree(n: Node, x: Node, sizes: list[int]) -> Node:
    """Return a reduction of x over axes of few cells as operations between them, in the order of sums."""
    axes, fold = n.attrs[0], FOLDS[n.op.name]
    cells = [se.index(x, list(zip(axes, at, strict=True))) for at in product(*map(range, sizes))]
    lanes = [reduce(partial(apply, fold), cells[lane::LANES]) for lane in range(min(LANES, len(cells)))]
    for half in (4, 2, 1):
        lanes = [apply(fold, *lanes[k::half]) if k + half < len(lanes) else lanes[k]
                 for k in range(min(half, len(lanes)))]  # fmt: skip
    return lanes[0]


# ---- element-wise work


def _broadcast_last(n: Node, context: Context) -> Node | None:
    """Return an operation on broadcast operands as the broadcast of its result; else None."""
    once = computed_once(n) if n.desc.size else None
    return None if once is None else placed(se.broadcast_to(once, n.desc.shape), n.desc.origin)


def _wide_product(n: Node, context: Context) -> Node | None:
    """Return a product of 16-bit floats as a rounded one of float32, of short integers as one of int32.

    None for other dtypes, for floats in a fixed order, and where true terms might be more than int32 counts to.
    Conversions are kernels, which may be fused with what makes the operands and with what reads the result.
    """
    dtype = n.desc.dtype
    is_bool = dtype.kind == "bool" and n.inputs[0].desc.shape[-1:] < (1 << 31,)
    short = is_bool or (dtype.is_integer and dtype.itemsize < 4)
    if not short and (dtype not in (dt.float16, dt.bfloat16) or n.attrs == FIXED_ORDER):
        return None
    wider = dt.int32 if short else dt.float32
    wide = tuple([astype(x, wider) for x in n.inputs])
    return astype(make(n.op, wide, n.attrs, result(wider, n.desc.shape, n.desc.origin)), dtype)


PURE = tuple([op.name for op in OPS.values() if op.kind in POINTWISE])
ANY_ORDER = ("sum", "prod", "count_nonzero", *IDEMPOTENT)
RULES = (
    Rule("interleave of reductions", REDUCTIONS,
         "sum(interleave(a, b)) along another axis = interleave(sum(a), sum(b))", _kept_interleave, "paid",
         ("interleave",)),
    Rule("copies of reductions", REDUCTIONS, "sum(tile(x)) along another axis = tile(sum(x)); repeat, broadcast too",
         _kept_copies, "paid"),
    Rule("extremum of copies", IDEMPOTENT, "max(tile(x)) = max(x); min, any, all; repeat, broadcast, mirrored pads",
         _reduced_copies, "paid"),
    Rule("sum of copies", ("sum", "count_nonzero"), "sum(tile(x, m)) = m · sum(x) for integers",
         _counted_copies, "paid"),
    Rule("rolled", ANY_ORDER, "max(roll(x)) = max(x); sums of integers too", _rolled, over=("roll",)),
    Rule("reduced in turn", ANY_ORDER, "max(interleave(a, b)) = maximum(max(a), max(b)); sums of integers too",
         _reduced_interleave, "paid", ("interleave",)),
    Rule("few cells", tuple(FOLDS), "sum(x, axis=0) = x[0] + x[1], of two rows; other reductions of up to 9 cells too",
         _few_cells),
    Rule("few integers", ("astype",), "astype(sum(x)) to fewer bits adds so many bits, for up to 9 integers",
         _few_integers, over=("sum", "prod")),
    Rule("broadcast last", PURE, "f(broadcast(x)) = broadcast(f(x))", _broadcast_last, "paid"),
    Rule("wide product", ("matmul",), "matmul(x, y) = matmul(x as float32, y as float32) as float16; int32 for int8",
         _wide_product),
)  # fmt: skip
