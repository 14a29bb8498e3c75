"""Matrix products: native kernels for floats, exact products of integers, NumPy for other dtypes.

The one idea: BLAS has no integer products, and float64 holds integers exactly up to 2**53.  Integers are cut into limbs
whose products and sums stay below that; limb products are then added with wrap-around, like all integer sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.backends.calls.cells import dense, store_rounded, wide
from weft.backends.calls.fixed_products import fixed_product
from weft.backends.llvm.folds.product_tables import multiply
from weft.backends.llvm.jit.toolchain import is_supported
from weft.ir.graph.description import FIXED_ORDER

LIMBS = {1: (1, 8), 2: (1, 16), 4: (2, 16), 8: (3, 22)}  # itemsize: how many limbs, of how many bits
EXACT = 53  # integers below 2**53 are float64 numbers
FEW = 1 << 15  # multiplications of one matrix product up to which NumPy's loops are as fast


def matmul(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Write a @ b to `out`, broadcasting leading axes; args = (a, b).

    `attrs` are the orders of a and b in memory, each "C" or "F", or `FIXED_ORDER`. Raises MemoryError if copies of
    operands do not fit.
    """
    if attrs == FIXED_ORDER:
        fixed_product(out, *args)
        return
    a, b = dense(wide(args[0]), attrs[0]), dense(wide(args[1]), attrs[1])
    if a.dtype.kind == "f" and a.size and b.size and is_supported():
        made = out if out.dtype == a.dtype and out.flags.c_contiguous else np.empty(out.shape, a.dtype)
        multiply(made, a, b, attrs)
        if made is not out:
            store_rounded(out, made)
    elif a.dtype.kind in "iu" and a.size and b.size and _work(a, b) > FEW:
        store_rounded(out, _integers(a, b))
    elif a.dtype == out.dtype:
        np.matmul(a, b, out=out)
    else:
        store_rounded(out, np.matmul(a, b))


def _work(a: np.ndarray, b: np.ndarray) -> int:
    """Return the number of multiplications in the product of one matrix of `a` and one of `b`."""
    return int(np.prod(a.shape[-2:])) * (b.shape[-1] if b.ndim > 1 else 1)


def _integers(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the product of two integer matrices of one dtype, modulo 2**64, as int64 cells."""
    inner = a.shape[-1]
    if inner * _greatest(a) * _greatest(b) < 1 << EXACT:
        return np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(np.int64)
    count, width = LIMBS[a.itemsize]
    unsigned = np.dtype(f"u{a.itemsize}")
    left, right = (_limbs(x.view(unsigned), count, width) for x in (a, b))
    total: Any = np.zeros((), np.uint64)
    step = 1 << (EXACT - 2 * width)
    for first in range(0, inner, step):
        part = slice(first, first + step)
        rows = part if b.ndim == 1 else (..., part, slice(None))
        for i in range(count):
            for j in range(count - i):
                product = np.matmul(left[i][..., part], right[j][rows]).astype(np.uint64)
                total = total + (product << np.uint64(width * (i + j)))
    return np.asarray(total).view(np.int64)


def _greatest(x: np.ndarray) -> int:
    """Return the greatest absolute value of the cells, as a Python integer."""
    return max(abs(int(x.min())), abs(int(x.max())))


def _limbs(x: np.ndarray, count: int, width: int) -> list[np.ndarray]:
    """Return unsigned integers cut into `count` arrays of `width` bits each, the lowest first, as float64."""
    mask = x.dtype.type((1 << width) - 1)
    return [((x >> x.dtype.type(width * i)) & mask).astype(np.float64) for i in range(count)]
