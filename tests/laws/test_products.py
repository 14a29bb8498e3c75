"""Matrix products have the same bits lazily, eagerly and by the reference, however their operands are made."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from tests.oracle.compare import same_bits
from tests.shares import in_turn

SHAPES = [(3, 5, 4), (64, 64, 64), (128, 300, 7), (200, 1, 20), (1, 300, 5), (300, 300, 1), (1, 30, 1), (0, 3, 2)]
PRODUCTS = {
    "transposed": lambda a, b, c: (a * 2).T @ (b * 3).T,
    "every second": lambda a, b, c: (a * 2).T @ (c * 2)[::2, ::2],
    "reversed": lambda a, b, c: (a * 2).T @ ((b * 3)[::-1]).T,
    "part of rows": lambda a, b, c: (a * 2).T @ (c * 2)[: a.shape[0], :3],
    "vector": lambda a, b, c: (a * 2).T @ (c * 2)[: a.shape[0], 0],
    "batch": lambda a, b, c: weft.permute_dims(weft.stack([a, a + 1]), (0, 2, 1)) @ (b * 3).T,
}


@pytest.mark.parametrize(("how", "dtype"), in_turn(PRODUCTS, ["f2", "f4", "f8", "c8"], every=4))
def test_products_do_not_depend_on_how_operands_lie(how, dtype):
    rng = np.random.default_rng(0)
    for m, k, n in SHAPES:
        arrays = [rng.normal(size=s).astype(dtype) for s in ((k, m), (n, k), (2 * k, 2 * n))]
        lazy = PRODUCTS[how](*map(weft.asarray, arrays)).numpy()
        with weft.eager():
            eager = PRODUCTS[how](*map(weft.asarray, arrays)).numpy()
        with weft.transformer("reference"):
            expected = PRODUCTS[how](*map(weft.asarray, arrays)).numpy()
        assert same_bits(lazy, eager) and same_bits(lazy, expected), (m, k, n)
