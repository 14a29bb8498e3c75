"""Matrix products as calls: native kernels for floats and integers, NumPy for other dtypes.

The one idea: products of floats have a fixed order of additions for each cell.  The inner axis is cut into blocks of
1024 cells.  In a block a cell adds chains of 256 fused multiply-adds in rising order, from -0.0; block results are
added like a sum along an axis, and the remainder after the last whole block is added last.  Rows, columns and matrices
of a stack are computed in tiles, whose division affects no cell's bits.  A complex product is one of real numbers of
twice the size.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.backends.calls.cells import dense, store_rounded, wide
from weft.backends.llvm.folds.product_plan import ELEMS
from weft.backends.llvm.folds.product_tables import multiply
from weft.backends.llvm.folds.product_tile import NEAR
from weft.backends.llvm.jit.toolchain import is_supported
from weft.backends.thread_sharing import most_threads, share
from weft.ir.graph.description import FIXED_ORDER
from weft.ir.kernels.partial_reductions import sum_of
from weft.ir.kernels.sum_order import BLOCK
from weft.runtime.memory import allocator

TILE = (3072, 256)  # bytes of a column, and number of columns, computed at a time
CELLS = 1 << 17  # cells of both operands, about, that are computed at a time in a stack of matrices
Tile = tuple[Any, ...]  # outer stack, matrices, rows, columns
STEPS_IN_BYTE = 8  # multiplications that take about as long as a byte of other work that threads share


def fixed_product(out: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """Write a @ b to `out` for floats and complex numbers, broadcasting leading axes."""
    if b.ndim == 1:
        b, out = b[:, None], out[..., None]
    if a.ndim == 1:
        a, out = a[None], out[..., None, :]
    if not out.size or not a.shape[-1]:
        out[...] = np.zeros((), out.dtype)
        return
    if out.ndim == 2:
        a, b, out = a[None], b[None], out[None]
    lead = out.shape[:-2]
    a, b = (x if x.shape[:-2] == lead else np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (a, b))
    tiles = _tiles(out.shape, a.shape[-1], max(a.itemsize, 4))
    share(tiles, lambda tile: _fill(out, a, b, tile), out.size * a.shape[-1] // STEPS_IN_BYTE)


def _tiles(shape: tuple[int, ...], inner: int, itemsize: int) -> list[Tile]:
    """Return the tiles of a stack of products of `shape` that are computed one at a time, as indices.

    `inner` is the number of terms of a cell, `itemsize` its bytes.
    """
    *outer, count, rows, columns = shape
    height = min(TILE[0] // itemsize, -(-rows // most_threads()))
    least = inner * (min(rows, height) + min(columns, TILE[1]))
    cuts = [
        [slice(k, k + size) for k in range(0, n, size)]
        for n, size in ((count, max(1, CELLS // least)), (rows, height), (columns, TILE[1]))
    ]
    return [(*at, *cut) for at in itertools.product(*map(range, outer)) for cut in itertools.product(*cuts)]


def _fill(out: np.ndarray, a: np.ndarray, b: np.ndarray, tile: Tile) -> None:
    *stack, rows, columns = tile
    x, y = wide(a[(*stack, rows)]), wide(b[(*stack, slice(None), columns)])
    store_rounded(out[tile], _product(x, y))


def _product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the products x @ y of two stacks of matrices, matrix by matrix."""
    inner = x.shape[-1]
    whole = inner // BLOCK * BLOCK
    if not whole:
        return _block(x, y)
    total = sum_of(_block(x[..., k : k + BLOCK], y[:, k : k + BLOCK]) for k in range(0, whole, BLOCK))
    return total if whole == inner else total + _block(x[..., whole:], y[:, whole:])


def _block(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the products x @ y of two stacks of matrices with at most `BLOCK` terms in a cell."""
    if x.dtype.kind != "c":
        return _real_block(x, y)
    rows, columns = x.shape[1], y.shape[2]
    found = _real_block(np.concatenate([x.real, x.imag], axis=1), np.concatenate([y.real, y.imag], axis=2))
    made = allocator.empty(x.dtype, (len(x), rows, columns))
    np.subtract(found[:, :rows, :columns], found[:, rows:, columns:], out=made.real)
    np.add(found[:, :rows, columns:], found[:, rows:, :columns], out=made.imag)
    return made


def _real_block(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the products of two stacks of real matrices with at most `BLOCK` terms in a cell.

    Raises OutOfMemory if there is no memory to compile the kernel.
    """
    if not is_supported():
        return _by_steps(x, y)
    made = allocator.empty(x.dtype, (*x.shape[:-1], y.shape[-1]))
    multiply(made, x, y)
    return made


def _by_steps(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the products x @ y of stacks of real matrices on a processor without native code.

    There, products are rounded before adding.
    """
    total = np.full((*x.shape[:-1], y.shape[-1]), -0.0, x.dtype)
    for first in range(0, x.shape[-1], NEAR):
        chain = np.full_like(total, -0.0)
        for k in range(first, min(first + NEAR, x.shape[-1])):
            chain += x[..., k, None] * y[:, k, None, :]
        total += chain
    return total


def matmul(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Write a @ b to `out`, broadcasting leading axes; args = (a, b).

    `attrs` are the orders of a and b in memory, each "C" or "F", or `FIXED_ORDER`. Raises MemoryError if copies of
    operands do not fit.
    """
    if attrs == FIXED_ORDER:
        fixed_product(out, *args)
        return
    a, b = dense(wide(args[0]), attrs[0]), dense(wide(args[1]), attrs[1])
    made = out if out.dtype == a.dtype and out.flags.c_contiguous else np.empty(out.shape, a.dtype)
    if a.dtype.name in ELEMS and a.size and b.size and is_supported():
        multiply(made, a, b, attrs)
    else:
        np.matmul(a, b, out=made)
    store_rounded(out, made)
