"""A cell of a product in `weft.deterministic()` is a function of its row and its column."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.shares import examples

SIZES = st.integers(1, 40)
DTYPES = st.sampled_from(["float16", "bfloat16", "float32", "float64", "complex64", "complex128"])
INNER = st.sampled_from([0, 1, 2, 7, 100, 1023, 1024, 1025, 2048, 9 * 1024 + 3])


@settings(max_examples=examples(60), deadline=None)
@given(st.data(), SIZES, INNER, SIZES, DTYPES)
def test_parts_of_products_are_products_of_parts(data: st.DataObject, m: int, k: int, n: int, dtype: str) -> None:
    stack = data.draw(st.sampled_from([(), (1,), (3,), (2, 1)]))
    x, w = (weft.random.normal(shape, seed=seed) for seed, shape in enumerate([(*stack, m, k), (k, n)]))
    if dtype.startswith("complex"):
        x = x * (1 + 0.5j)
    x, w = (weft.astype(v, getattr(weft, dtype)).realize() for v in (x, w))
    if data.draw(st.booleans()):
        w = weft.asarray(np.asfortranarray(w.numpy()))
    rows, columns = (data.draw(st.slices(size)) for size in (m, n))
    threads = weft.get_num_threads()
    try:
        weft.set_num_threads(data.draw(st.integers(1, 3)))
        with weft.deterministic():
            whole = (x @ w).numpy()
            part = (x[..., rows, :] @ w[:, columns]).numpy()
            late = (x @ w)[..., rows, columns].numpy()
    finally:
        weft.set_num_threads(threads)
    wanted = whole[..., rows, columns].tobytes()
    assert part.tobytes() == wanted and late.tobytes() == wanted
