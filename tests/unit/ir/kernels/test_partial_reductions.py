"""Reductions in portions end with the bits of the reduction of everything."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from weft import dtypes as dt
from weft.ir.kernels.partial_reductions import (
    OrderedReduction,
    PairwiseTree,
    PartialPosition,
    UnorderedReduction,
    is_ordered,
)
from weft.ir.kernels.sum_order import BLOCK, ordered_mean, ordered_sum, ordered_var, reduce_rows


def cells(kept: int, n: int, dtype: dt.DType) -> Any:
    random = np.random.default_rng(n)
    x = random.standard_normal((kept, n)) * 10 ** random.uniform(-3, 3, (kept, n))
    return (x + 1j * x[:, ::-1]).astype(dtype.np) if dtype.kind == "complex" else x.astype(dtype.np)


def parts(op: str, x: Any, acc: dt.DType, blocks: int) -> tuple[Any, ...]:
    """Return the partial results of consecutive blocks that OrderedReduction takes."""
    y = x.reshape(x.shape[0] * blocks, -1)
    if op == "var":
        found = [ordered_mean(y, acc), ordered_var(y, acc, y.shape[1] - 1)]
    else:
        found = [reduce_rows("sum" if op == "mean" else op, y, acc)]
    return tuple(f.reshape(x.shape[0], blocks) for f in found)


@pytest.mark.parametrize("op", ["sum", "prod", "mean", "var"])
@given(
    dtype=st.sampled_from([dt.float32, dt.float64, dt.complex64]),
    n=st.integers(1, 20 * BLOCK),
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=8),
)
def test_same_bits_as_all_at_once(op: str, dtype: dt.DType, n: int, sizes: list[int]) -> None:
    if op == "var" and dtype.kind == "complex":
        dtype = dt.float32
    x = cells(2, n, dtype)
    if op == "prod":
        x = x / np.abs(x)
    state = OrderedReduction(op, dtype, n, *([1.0] if op == "var" else []))
    first, turn = 0, 0
    while n - first >= BLOCK:
        blocks = min(sizes[turn % len(sizes)], (n - first) // BLOCK)
        state.add(parts(op, x[:, first : first + blocks * BLOCK], dtype, blocks))
        first, turn = first + blocks * BLOCK, turn + 1
    if first < n:
        state.add(parts(op, x[:, first:], dtype, 1), n - first)
    want = reduce_rows(op, x, dtype, 1.0 if op == "var" else 0.0)
    assert state.result().tobytes() == want.tobytes()


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12))
def test_the_counter_folds_pairs_of_neighbours(sizes: list[int]) -> None:
    def join(a: Any, b: Any) -> Any:
        return (np.array([[f"({p}{q})" for p, q in zip(a[0][0], b[0][0], strict=True)]], object),)

    def folded(names: list[str]) -> str:
        while len(names) > 1:
            pairs = [f"({a}{b})" for a, b in zip(names[::2], names[1::2], strict=False)]
            names = pairs + names[2 * len(pairs) :]
        return names[0]

    counter, names = PairwiseTree(join), [f"{i} " for i in range(sum(sizes))]
    first = 0
    for size in sizes:
        counter.add((np.array([names[first : first + size]], object),))
        first += size
    assert counter.total()[0].item() == folded(names)


@for_each("op", ["min", "max", "nanmin", "nanmax", "any", "all", "count_nonzero", "argmin", "argmax"])
@for_each("dtype", [dt.int16, dt.float32, dt.bfloat16, dt.bool])
def test_where_no_order_shows(op: str, dtype: dt.DType) -> None:
    random = np.random.default_rng(0)
    for trial in range(30):
        x = random.integers(-2 if dtype.kind != "bool" else 0, 2, (4, 24)).astype(dtype.np)
        if dtype.is_inexact:
            x[random.random(x.shape) < 0.05] = np.nan
            x[random.random(x.shape) < 0.2] = -0.0
        acc = dt.bool if op in ("any", "all", "count_nonzero") else dtype
        place = op.startswith("arg")
        state: Any = PartialPosition(op) if place else UnorderedReduction(op, acc)
        for first in random.permutation(np.arange(0, 24, 5)):
            part = x[:, first : first + 5]
            if place:
                state.add(reduce_rows(op, part, acc) + first, reduce_rows(op[3:], part, acc))
            else:
                state.add(reduce_rows(op, part, acc))
        want = reduce_rows(op, x, acc)
        assert state.result().astype(want.dtype).tobytes() == want.tobytes(), (trial, x)


@pytest.mark.parametrize("op", ["nanmin", "nanmax"])
def test_extremes_that_pass_over_nan(op: str) -> None:
    x = np.array([[np.nan] * 4, [np.nan, 0.0, np.nan, -0.0], [np.inf, np.nan, np.nan, np.nan]])
    state = UnorderedReduction(op, dt.float64)
    for part in (x[:, :1], x[:, 1:3], x[:, 3:]):
        state.add(reduce_rows(op, part, dt.float64))
    assert np.array_equal(state.result(), [np.nan, 0.0, np.inf], equal_nan=True)
    assert np.signbit(state.result()[1]) == (op == "nanmin")


def test_which_have_an_order() -> None:
    assert is_ordered("sum", dt.float32)
    assert not is_ordered("sum", dt.int64)
    assert not is_ordered("max", dt.float32)


def test_one_block_is_itself() -> None:
    x = cells(3, 5, dt.float64)
    state = OrderedReduction("sum", dt.float64, 5)
    state.add((ordered_sum(x, dt.float64)[:, None],), 5)
    assert state.result().tobytes() == ordered_sum(x, dt.float64).tobytes()
