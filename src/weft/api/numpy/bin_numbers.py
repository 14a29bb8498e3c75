"""Numbers of histogram bins: the bin of each cell, and counts or sums of weights for each bin.

The one idea: the number of a bin is an element-wise expression, so the counting kernel also computes the cells that it
counts.  Bounds of equal width give a guess, which one comparison corrects; others are searched, one comparison for each
bit of the number.  The bounds alone decide the bin of a cell, never the guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.dtypes import DType
from weft.interop.device_moves import moved
from weft.ir.atoms.selections import broadcast_to
from weft.ir.graph import node as ir
from weft.ir.graph.description import describe
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.tensors.tensor import Tensor, node_of, wrap

Bounds = NDArray[Any]
Ends = tuple[Any, Any]  # (low, high) of the bins' range, in the dtype in which bounds are computed
CLOSE = 8  # least bin width, in units in the last place, for which a guess is off by less than half a bin
FEW = 4096  # up to so many cells a routine searches: one node is built faster than many
MANY = {dt.float32: 1 << 18, dt.float64: 1 << 30}  # most bins for which the guess is that accurate


def even_bounds(x: Tensor, ends: Ends, n: int) -> Bounds:
    """Return the bounds of n bins of equal width, in x's dtype (float64 for integers)."""
    return np.linspace(*ends, n + 1, dtype=x.dtype.np if x.dtype.kind == "float" else np.float64)


def bin_numbers(x: Tensor, bounds: Bounds, even: bool) -> Node:
    """Return the number of the bin of each cell (int32 or int64), for a cell outside that of all bins.

    `bounds` ascend; a bin holds its lower bound and not its upper one, the last bin both.  `even`: they are equally
    spaced up to rounding.
    """
    n, joined = bounds.size - 1, dt.promote_all((x.dtype, dt.from_numpy(bounds.dtype)[0]))
    bounds, cells = bounds.astype(joined.np), ir.astype(node_of(x), joined)
    low, high = (ir.scalar(b.item(), joined) for b in (bounds[0], bounds[-1]))
    inside = ir.apply("logical_and", ir.apply("greater_equal", cells, low), ir.apply("less_equal", cells, high))
    work = joined if joined in MANY else dt.float32
    if even and joined.kind == "float" and _is_guessed(bounds, n, work):
        return _guessed(x, cells, inside, bounds, work)
    return ir.where(inside, _searched(x, cells, bounds[1:-1], "right"), ir.scalar(n, dt.int64))


def bounds_below(x: Tensor, bounds: Bounds, strictly: bool) -> Node:
    """Return how many of the rising bounds are <= each cell (int64), or < it; NaN is above all bounds."""
    joined = dt.promote_all((x.dtype, dt.from_numpy(bounds.dtype)[0]))
    cells = ir.astype(node_of(x), joined)
    found = _searched(x, cells, bounds.astype(joined.np), "left" if strictly else "right")
    if joined.kind != "float" or found.op.kind == "call":
        return found
    return ir.where(ir.apply("isnan", cells), ir.scalar(bounds.size, dt.int64), found)


def together(numbers: Sequence[Node], bins: Sequence[int]) -> Node:
    """Return a node of the row-major number of each cell's bin, given its bin numbers along each axis.

    `bins` are the numbers of bins. A cell outside has the number prod(bins).
    """
    wide = dt.int64 if prod(bins) >= 1 << 31 else dt.int32
    total = inside = None
    for number, n in zip(numbers, bins, strict=True):
        here, number = ir.apply("less", number, ir.scalar(n, number.desc.dtype)), ir.astype(number, wide)
        inside = here if inside is None else ir.apply("logical_and", inside, here)
        total = number if total is None else ir.apply("add", ir.apply("multiply", total, ir.scalar(n, wide)), number)
    assert total is not None and inside is not None
    return ir.where(inside, total, ir.scalar(prod(bins), wide))


def counted(numbers: Node, bins: int, weights: Tensor | None = None) -> Tensor:
    """Return the number of cells in each of `bins` bins (int64), or the sum of their weights.

    `numbers` has the bin of each cell, of the shape of `weights`. Sums of integers have 64 bits; others have the
    weights' dtype, and are added in float64.
    """
    if weights is None:
        return _bins("bin_counts", bins, dt.int64, numbers)
    w, kind = node_of(weights), weights.dtype.kind
    if kind == "complex":
        parts = [node_of(_summed(numbers, ir.apply(part, w), bins)) for part in ("real", "imag")]
        both = ir.make(OPS["complex"], tuple(parts), (), ir.result(dt.complex128, (bins,)))
        return wrap(ir.locate(ir.astype(both, weights.dtype)))
    if kind != "float":
        return _summed(numbers, ir.astype(w, dt.uint64 if kind == "uint" else dt.int64), bins)
    made = _summed(numbers, w, bins)
    return made if weights.dtype is dt.float64 else wrap(ir.locate(ir.astype(node_of(made), weights.dtype)))


def _summed(numbers: Node, weights: Node, bins: int) -> Tensor:
    wide = dt.float64 if weights.desc.dtype.is_inexact else weights.desc.dtype
    return _bins("bin_sums", bins, wide, numbers, ir.astype(weights, wide))


def _bins(op: str, bins: int, dtype: DType, *operands: Node) -> Tensor:
    return wrap(ir.locate(ir.make(OPS[op], operands, (bins,), ir.result(dtype, (bins,))), 4))


# ---- where a cell lies among bounds


def _is_guessed(bounds: Bounds, n: int, work: DType) -> bool:
    """True if `_guessed` in dtype `work` is wrong by less than half a bin for every cell among n bins."""
    low, high = float(bounds[0]), float(bounds[-1])
    limits = dt.float_limits(work)
    wide, apart = high - low, (high - low) / n
    if not 0 < wide <= limits.max or not limits.smallest_normal <= n / wide <= limits.max or n > MANY[work]:
        return False
    return apart >= CLOSE * dt.float_limits(dt.from_numpy(bounds.dtype)[0]).eps * max(abs(low), abs(high))


def _guessed(x: Tensor, cells: Node, inside: Node, bounds: Bounds, work: DType) -> Node:
    """Return the bin numbers of cells among evenly spaced bounds.

    The guess is half a bin low, so it is right or one too low, and the upper bound of the guessed bin decides.
    """
    n, low, high = bounds.size - 1, float(bounds[0]), float(bounds[-1])
    off = ir.apply("subtract", ir.astype(cells, work), ir.scalar(low, work))
    place = ir.apply("subtract", ir.apply("multiply", off, ir.scalar(n / (high - low), work)), ir.scalar(0.5, work))
    guess = ir.astype(ir.where(inside, place, ir.scalar(float(n), work)), dt.int32)
    upper = np.append(bounds[1:-1], np.full(2, np.nan, bounds.dtype))  # nothing is above the last bin's bound
    above = ir.apply("greater_equal", cells, looked_up(_table(upper, x), guess))
    return ir.apply("add", guess, ir.astype(above, dt.int32))


def _searched(x: Tensor, cells: Node, bounds: Bounds, side: str) -> Node:
    """Return for each cell how many ascending bounds are < it, or <= it for the side "right" (int64).

    NaN counts as 0 in comparisons, or as above all bounds if the library routine searches.
    """
    bits, n = bounds.size.bit_length(), bounds.size
    if not n:
        return broadcast_to(ir.scalar(0, dt.int64), cells.desc.shape)
    if cells.desc.size <= FEW:
        operands = (_table(bounds, x), cells)
        return ir.make(OPS["searchsorted"], operands, (side,), ir.result(dt.int64, cells.desc.shape))
    comparison = "greater" if side == "left" else "greater_equal"
    filler = np.nan if bounds.dtype.kind not in "biu" else bounds[-1]
    padded = np.append(bounds, np.full((1 << bits) - 1 - n, filler, bounds.dtype))
    table, found = _table(padded, x), None
    for step in [1 << b for b in reversed(range(bits))]:
        if found is None:
            bound: Node = ir.scalar(padded[step - 1].item(), cells.desc.dtype)
        else:
            bound = looked_up(table, ir.apply("add", found, ir.scalar(step - 1, dt.int64)))
        more = ir.where(ir.apply(comparison, cells, bound), ir.scalar(step, dt.int64), ir.scalar(0, dt.int64))
        found = more if found is None else ir.apply("add", found, more)
    assert found is not None
    return ir.apply("minimum", found, ir.scalar(n, dt.int64))


def _table(values: NDArray[Any], x: Tensor) -> Node:
    """Return an array as a leaf on x's device."""
    leaf = ir.stored(describe(dt.from_numpy(values.dtype)[0], values.shape, values.strides), values)
    return node_of(moved(wrap(leaf), x.device))


def looked_up(table: Node, at: Node) -> Node:
    """Return the cells of a vector `table` at positions `at`, as an expression."""
    at = ir.astype(at, dt.int64)
    return ir.make(OPS["gather"], (table, at), ((0,), 0), ir.result(table.desc.dtype, at.desc.shape, at.desc.origin))
