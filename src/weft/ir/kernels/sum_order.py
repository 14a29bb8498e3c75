"""The order in which reductions and scans add, written in NumPy: the reference and oracle of native code.

The one idea: the order of floating operations is a function of the logical index alone.  With k the row-major index
over the reduced axes, lane = k mod 8 and block = k div 1024.  In a block every lane starts from the exact identity
(-0.0 for a sum, 1 for a `product`; so absent cells change nothing) and takes its cells in rising k; lanes fold as
l[i] + l[i + 4], then + 2, then + 1; block results fold in pairs of neighbours, level by level, an odd last one passing
up unchanged, which is what a binary counter does.  Arrays are (kept, n): one result a row, computed in the dtype `acc`;
rounding the result to the output's dtype is the caller's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.dtypes import DType
from weft.ir.graph.ops import SCANS

LANES = 8
BLOCK = 1024
Array = NDArray[Any]
Combine = Callable[[Array, Array], Array]
Entry = tuple[Array, ...]  # of each block: one value, or of a variance its count, mean and M2


def textbook_product(a: Array, b: Array) -> Array:
    """Return a · b, for complex numbers (ac - bd, ad + bc) with every operation rounded."""
    if a.dtype.kind != "c":
        return np.multiply(a, b)
    out = np.empty(np.broadcast_shapes(a.shape, b.shape), a.dtype)
    out.real = a.real * b.real - a.imag * b.imag
    out.imag = a.real * b.imag + a.imag * b.real
    return out


def product(a: Array, b: Array) -> Array:
    """Return a · b, where a factor of exactly 1 returns the other factor unchanged.

    The complex textbook product by 1 would change signs of 0, and inf to NaN.
    """
    made = textbook_product(a, b)
    return made if made.dtype.kind != "c" else np.where(_is_one(a), b, np.where(_is_one(b), a, made))


def _is_one(x: Array) -> Array:
    return (x == 1) & ~np.signbit(x.imag)


def _in_sum_blocks(x: Array, identity: complex) -> Array:
    """Return cells (kept, n) in the shape (kept, block, step, lane), padded with the identity; n >= 1."""
    kept, n = x.shape
    length = BLOCK if n > BLOCK else -(-n // LANES) * LANES
    blocks = -(-n // length)
    full = np.full((kept, blocks * length), identity, x.dtype)
    full[:, :n] = x
    return full.reshape(kept, blocks, length // LANES, LANES)


def _fold_lanes(x: Array, combine: Combine, identity: complex) -> Array:
    """Return (kept, block, step, lane) folded to (kept, block).

    Each lane takes its cells in rising k, then 8 lanes fold to 4, 2, 1.
    """
    lanes = np.full_like(x[:, :, 0, :], identity)
    for step in range(x.shape[2]):
        lanes = combine(lanes, x[:, :, step, :])
    for half in (4, 2, 1):
        lanes = combine(lanes[..., :half], lanes[..., half:])
    return lanes[..., 0]


def _fold_blocks(values: Entry, combine: Callable[[Entry, Entry], Entry]) -> Array:
    """Return arrays (kept, block) folded to (kept,), the last of them.

    Neighbours are combined in pairs, level by level; an odd last block passes up unchanged.
    """
    while (blocks := values[0].shape[1]) > 1:
        end = blocks // 2 * 2
        folded = combine(*[tuple([v[:, k:end:2] for v in values]) for k in (0, 1)])
        values = tuple([np.concatenate([f, v[:, end:]], axis=1) for f, v in zip(folded, values, strict=True)])
    return values[-1][:, 0]


def added(a: Entry, b: Entry) -> Entry:
    """Return the sums of neighbouring blocks."""
    return (np.add(a[0], b[0]),)


def multiplied(a: Entry, b: Entry) -> Entry:
    """Return the products of neighbouring blocks."""
    return (product(a[0], b[0]),)


def merged(left: Entry, right: Entry) -> Entry:
    """Return neighbouring blocks' counts, means and M2 merged, as `ordered_var` says."""
    (count_a, mean_a, m2_a), (count_b, mean_b, m2_b) = left, right
    total = count_a + count_b
    r = count_b / total
    w, r = (count_a * r).astype(mean_a.dtype), r.astype(mean_a.dtype)
    d = mean_b - mean_a
    return total, mean_a + d * r, (m2_a + m2_b) + (d * d) * w


def _exact(x: Array, acc: DType) -> Array:
    return np.asarray(x).astype(acc.np, copy=False)


def _minus_zero(acc: DType) -> complex:
    return complex(-0.0, -0.0) if acc.kind == "complex" else -0.0


@np.errstate(all="ignore")
def ordered_sum(x: Array, acc: DType) -> Array:
    """Return the sums of the rows of x; complex parts add separately, integers wrap, an empty row gives +0.

    >>> from weft.dtypes import float32
    >>> ordered_sum(np.array([[1, 2, 3]]), float32)
    array([6.], dtype=float32)
    """
    x = _exact(x, acc)
    if not acc.is_inexact or not x.size:
        return np.add.reduce(x, axis=1, dtype=acc.np)
    identity = _minus_zero(acc)
    return _fold_blocks((_fold_lanes(_in_sum_blocks(x, identity), np.add, identity),), added)


@np.errstate(all="ignore")
def ordered_prod(x: Array, acc: DType) -> Array:
    """Return the products of the rows of x; integers wrap.

    Complex numbers multiply as (ac - bd, ad + bc), except by 1.
    """
    x = _exact(x, acc)
    if not acc.is_inexact or not x.size:
        return np.multiply.reduce(x, axis=1, dtype=acc.np)
    return _fold_blocks((_fold_lanes(_in_sum_blocks(x, 1), product, 1),), multiplied)


@np.errstate(all="ignore")
def chained_sum(x: Array, acc: DType) -> Array:
    """Return the sums of the rows of x, added cell after cell in one lane; 0 for empty rows."""
    return _chained(x, acc, np.add, _minus_zero(acc)) if x.size else ordered_sum(x, acc)


@np.errstate(all="ignore")
def chained_prod(x: Array, acc: DType) -> Array:
    """Return the products of the rows of x, multiplied cell after cell in a single lane."""
    return _chained(x, acc, product, 1)


def _chained(x: Array, acc: DType, combine: Combine, identity: complex) -> Array:
    total = np.full(x.shape[0], identity, acc.np)
    for cells in _exact(x, acc).T:
        total = combine(total, cells)
    return total


@np.errstate(all="ignore")
def ordered_mean(x: Array, acc: DType) -> Array:
    """Return the ordered sum of each row divided by n, computed in `acc`; nan for n = 0."""
    return mean_of(ordered_sum(x, acc), x.shape[1], acc)


def mean_of(total: Array, count: int, dtype: DType) -> Array:
    """Return `total` divided by the number of cells `count`, computed in `dtype`; of complex numbers both parts."""
    n = dtype.real.np.type(count)
    if dtype.kind != "complex":
        return np.divide(total, n)
    out = np.empty_like(total)
    out.real, out.imag = total.real / n, total.imag / n
    return out


@np.errstate(all="ignore")
def ordered_var(x: Array, acc: DType, correction: float = 0.0) -> Array:
    """Return variances of the rows of x: (count, mean, M2) of every block, merged in the order of `_fold_blocks`.

    In a block of c cells: mean = (ordered sum) / c and M2 = the sum, by the same lanes, of d·d with d = x - mean.
    Two neighbours a, b merge by Chan, Golub and LeVeque (1979), every operation rounded to `acc` on its own:

        r = double(count_b) / double(count_a + count_b);  w = double(count_a) · r    (in double, then rounded to acc)
        d = mean_b - mean_a;  mean = mean_a + d·r;  M2 = (M2_a + M2_b) + (d·d)·w;  count = count_a + count_b

    The result is M2 / acc(max(n - correction, 0)), the divisor computed in double.
    """
    x, n = _exact(x, acc), x.shape[1]
    divisor = acc.np.type(max(n - float(correction), 0.0))
    if not x.size:
        return np.divide(np.zeros(x.shape[0], acc.np), divisor)
    cells = _in_sum_blocks(x, -0.0)
    count = np.full(cells.shape[:2], float(cells.shape[2] * LANES))
    count[:, -1] = n - count[:, 0] * (cells.shape[1] - 1)
    mean = np.divide(_fold_lanes(cells, np.add, -0.0), count.astype(acc.np))
    deviation = cells - mean[:, :, None, None]
    squares = _blank(deviation * deviation, n)
    return np.divide(_fold_blocks((count, mean, _fold_lanes(squares, np.add, -0.0)), merged), divisor)


def _blank(cells: Array, count: int) -> Array:
    """Replace the cells after the first `count` of each row by the identity -0.0, in place; return the array."""
    cells.reshape(cells.shape[0], -1)[:, count:] = -0.0
    return cells


def _keys(x: Array, nan: str) -> Array:
    """Return floats as integers of the same order, -0 below +0.

    NaN becomes the least integer for nan="low", the greatest for nan="high".
    """
    if x.dtype.kind in "biu":
        return x
    width = x.dtype.itemsize
    limits = np.iinfo(f"i{width}")
    bits = np.ascontiguousarray(x).view(f"i{width}")
    keys = bits ^ ((bits >> (8 * width - 1)) & limits.max)
    keys[np.isnan(x)] = limits.min if nan == "low" else limits.max
    return keys


def _extreme(x: Array, acc: DType, argument: Callable[..., Array], nan: str) -> Array:
    """Return the cell of each row found by `argument` (argmin or argmax), converted to dtype `acc`.

    NaN counts as the least number for nan="low", as the greatest for nan="high".
    """
    x = _exact(x, acc)
    return np.take_along_axis(x, argument(_keys(x, nan), axis=1)[:, None], axis=1)[:, 0]


def minima(x: Array, acc: DType) -> Array:
    """Return the minima of the rows: NaN wins, -0 < +0."""
    return _extreme(x, acc, np.argmin, "low")


def maxima(x: Array, acc: DType) -> Array:
    """Return the maxima of the rows: NaN wins, -0 < +0."""
    return _extreme(x, acc, np.argmax, "high")


def least_number(x: Array, acc: DType) -> Array:
    """Return the minima of the rows ignoring NaN (NaN for rows of NaN only); -0 < +0."""
    return _extreme(x, acc, np.argmin, "high")


def greatest_number(x: Array, acc: DType) -> Array:
    """Return the maxima of the rows ignoring NaN (NaN for rows of NaN only); -0 < +0."""
    return _extreme(x, acc, np.argmax, "low")


def _one_zero(x: Array) -> Array:
    """Return x with -0 replaced by +0, so that the two compare equal."""
    return np.where(x == 0, np.zeros((), x.dtype), x)


def arg_least(x: Array, acc: DType) -> Array:
    """Return the index of the first minimum of each row (int64); -0 equals +0, the first NaN wins."""
    return np.argmin(_keys(_one_zero(_exact(x, acc)), "low"), axis=1).astype(np.int64)


def arg_greatest(x: Array, acc: DType) -> Array:
    """Return the index of the first maximum of each row (int64); -0 equals +0, the first NaN wins."""
    return np.argmax(_keys(_one_zero(_exact(x, acc)), "high"), axis=1).astype(np.int64)


def any_nonzero(x: Array, acc: DType) -> Array:
    """Return, for each row, True if any cell, converted to dtype `acc`, is nonzero (NaN is nonzero)."""
    return np.any(_exact(x, acc) != 0, axis=1)


def all_nonzero(x: Array, acc: DType) -> Array:
    """Return, for each row, True if no cell, converted to dtype `acc`, is zero."""
    return np.all(_exact(x, acc) != 0, axis=1)


def count_nonzero(x: Array, acc: DType) -> Array:
    """Return for each row the number of cells that, converted to dtype `acc`, are not zero (int64)."""
    return np.count_nonzero(_exact(x, acc), axis=1).astype(np.int64)


REDUCTIONS: dict[str, Callable[[Array, DType], Array]] = {
    "sum": ordered_sum,
    "prod": ordered_prod,
    "chained_sum": chained_sum,
    "chained_prod": chained_prod,
    "mean": ordered_mean,
    "min": minima,
    "max": maxima,
    "nanmin": least_number,
    "nanmax": greatest_number,
    "argmin": arg_least,
    "argmax": arg_greatest,
    "any": any_nonzero,
    "all": all_nonzero,
    "count_nonzero": count_nonzero,
}


def reduce_rows(op: str, x: Array, acc: DType, correction: float = 0.0) -> Array:
    """Return the reduction `op` of every row of x, computed in the dtype `acc`: (kept, n) becomes (kept,)."""
    return ordered_var(x, acc, correction) if op == "var" else REDUCTIONS[op](x, acc)


@np.errstate(all="ignore")
def scan_rows(op: str, x: Array, acc: DType, include_initial: bool = False) -> Array:
    """Return the running sums, products or extremes of the rows of x, an array (kept, n).

    With the initial value the result has n + 1 columns.  In every block of 1024 cells s[0] = x[0] and s[i] = s[i - 1] ∘
    x[i].  The first block is the result as it is; the cells of block b are prefix[b] ∘ s[i] with prefix[1] = total[0]
    and prefix[b + 1] = prefix[b] ∘ total[b], a block's total being its last s (so a prefix is the finished cell before
    its block).  The initial value is 0 (+0) or 1.
    """
    combine, start = COMBINE[op], SCANS[op][2]
    out = np.array(_exact(x, acc))
    for begin in range(0, x.shape[1], BLOCK):
        _scan_block(out[:, begin : begin + BLOCK], combine)
    for begin in range(BLOCK, x.shape[1], BLOCK):
        block = out[:, begin : begin + BLOCK]
        block[...] = combine(out[:, begin - 1 : begin], block)
    if not include_initial:
        return out
    return np.concatenate([np.full((x.shape[0], 1), start, acc.np), out], axis=1)


def _larger(a: Array, b: Array) -> Array:
    return np.where(_keys(a, "high") >= _keys(b, "high"), a, b)


def _smaller(a: Array, b: Array) -> Array:
    return np.where(_keys(a, "low") <= _keys(b, "low"), a, b)


COMBINE: dict[str, Combine] = {
    "cumulative_sum": np.add,
    "cumulative_prod": product,
    "cumulative_max": _larger,
    "cumulative_min": _smaller,
}


def _scan_block(block: Array, combine: Combine) -> None:
    """Replace the rows of one block by their running results, in place."""
    for i in range(1, block.shape[1]):
        block[:, i] = combine(block[:, i - 1], block[:, i])


def bin_sums(numbers: Array, weights: Array | None = None, *, bins: int, onto: Array | None = None) -> Array:
    """Return the sum of the weights of each bin, or without weights the count of its cells.

    `numbers` gives the bin of each cell.  The weights of a bin are added one by one, from +0.0, in the row-major order
    of their cells.  A cell with a number outside 0 .. bins - 1 is in no bin.  `onto` has the sums of earlier cells, to
    which these are added.
    """
    inside = (numbers >= 0) & (numbers < bins)
    at = numbers[inside].astype(np.int64)
    if weights is None:
        return np.bincount(at, minlength=bins)
    sums = np.zeros(bins, weights.dtype) if onto is None else onto
    if weights.dtype.kind == "f":  # bincount adds in order from +0.0: the sums so far come first
        at, cells = (np.concatenate(pair) for pair in ((np.arange(bins), at), (sums, weights[inside])))
        return np.bincount(at, cells, minlength=bins)
    np.add.at(sums, at, weights[inside])
    return sums
