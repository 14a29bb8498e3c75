"""Cells at positions: rows of any width, from any layout, in maps and in reductions, are NumPy's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import weft
from tests.cases import for_each
from tests.shares import in_turn
from weft import dtypes as dt

Array = np.ndarray
RNG = np.random.default_rng(0)
ROWS = 70


def cells(*shape: int, dtype: dt.DType = dt.float32) -> Array:
    values = RNG.integers(0, 100, shape)
    return values.astype(bool) if dtype.kind == "bool" else values.astype(dtype.np)


def same(x: weft.Tensor, wanted: Array) -> bool:
    return x.numpy().dtype == wanted.dtype and x.shape == wanted.shape and x.numpy().tobytes() == wanted.tobytes()


@pytest.mark.parametrize("width", [1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 64, 100, 129])
def test_rows_of_every_width(width: int) -> None:
    x, at = cells(ROWS, width), RNG.integers(-ROWS, ROWS, 1000)
    assert same(weft.take(weft.asarray(x), weft.asarray(at), axis=0), x[at])
    assert same(weft.asarray(x)[weft.asarray(at)] * 2 + 1, x[at] * 2 + 1)


@pytest.mark.parametrize("d", [d for d in dt.ALL if d.name != "complex32"], ids=lambda d: d.name)
def test_rows_and_single_cells_of_every_dtype(d: dt.DType) -> None:
    x, at = cells(ROWS, 37, dtype=d), RNG.integers(0, ROWS, 333)
    assert same(weft.take(weft.asarray(x), weft.asarray(at), axis=0), x[at])
    flat, places = x.reshape(-1), RNG.integers(0, x.size, 333)
    assert same(weft.take(weft.asarray(flat), weft.asarray(places), axis=0), flat[places])


LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "rows of 2": lambda x: x[::2],
    "columns of 2": lambda x: x[:, ::2],
    "flipped": lambda x: x[::-1, ::-1],
    "transposed": lambda x: x.T,
    "one row again": lambda x: np.broadcast_to(x[0], x.shape),
    "big-endian": lambda x: x.astype(">f4"),
    "unaligned": lambda x: np.frombuffer(b"x" + x.tobytes(), np.uint8)[1:].view(x.dtype).reshape(x.shape),
}


@for_each("name", LAYOUTS)
@for_each("width", [5, 16, 40])
def test_rows_of_every_layout(name: str, width: int) -> None:
    x = LAYOUTS[name](cells(ROWS, width))
    at = RNG.integers(0, len(x), 500)
    assert same(weft.take(weft.asarray(x), weft.asarray(at), axis=0) * 1, x.astype("float32")[at])


def test_two_takes_of_one_array_keep_apart() -> None:
    x, i, j = cells(ROWS, 24), RNG.integers(0, ROWS, 200), RNG.integers(0, ROWS, 200)
    t = weft.asarray(x)
    assert same(t[weft.asarray(i)] + t[weft.asarray(j)] * 2, x[i] + x[j] * 2)
    assert same(t[weft.asarray(i)] + t[:1], x[i] + x[:1])


def test_rows_of_one_array_are_taken_where_a_mask_and_rows_of_another_were_written() -> None:
    x, at, into = cells(8, 64), [1, 6, 0], [5, 2, 7]
    y, wanted = weft.asarray(x) * 2, x * 2
    y[y > 50], wanted[wanted > 50] = 0, 0
    y[into], wanted[into] = y[at], wanted[at]
    assert same(y, wanted)


@pytest.mark.parametrize("axis", [0, 1, None])
def test_sums_of_taken_rows(axis: int | None) -> None:
    x, at = cells(ROWS, 48), RNG.integers(0, ROWS, 300)
    assert same(weft.sum(weft.asarray(x)[weft.asarray(at)], axis=axis), np.asarray(x[at].sum(axis)))


def test_columns_and_several_tables() -> None:
    x, at = cells(20, ROWS, 18), RNG.integers(0, ROWS, (4, 50))
    t, k = weft.asarray(x), weft.asarray(at)
    assert same(t[:, k], x[:, at]) and same(t[:, k, 3], x[:, at, 3])
    rows = RNG.integers(0, 20, (4, 50))
    assert same(t[weft.asarray(rows), k], x[rows, at])


@pytest.mark.parametrize("threads", [1, 2])
def test_many_rows_on_threads(threads: int) -> None:
    x, at = cells(3000, 32), RNG.integers(0, 3000, 50_000)
    before = weft.get_num_threads()
    weft.set_num_threads(threads)
    try:
        assert same(weft.take(weft.asarray(x), weft.asarray(at), axis=0), x[at])
    finally:
        weft.set_num_threads(before)


def test_runs_behind_a_disordered_start_are_a_table_all_the_same() -> None:
    x = cells(1 << 15)
    at = np.concatenate([RNG.integers(0, x.size, 5000), np.arange(10_000)])
    assert same(weft.asarray(x)[weft.asarray(at)], x[at])


@pytest.mark.parametrize(
    ("kind", "size"),
    in_turn(["i1", "u2", ">i4", "<i8", ">i8"], [1, 15, 16, 17, 33, 79, 80, 81, 96, 97, 129, 1000], every=3),
)
def test_single_cells_at_positions_of_every_integer(kind: str, size: int) -> None:
    x, at = cells(100, dtype=dt.float64), RNG.integers(0, 100, size).astype(kind)
    at[: size // 2 + 1] = 99  # position 0 is no substitute for what lies outside
    t, i = weft.asarray(x)[50:], weft.asarray(at)
    assert same(weft.asarray(x)[i], x[at]) and same(weft.asarray(x)[i][::-1] * 2 + t[0], (x[at] * 2)[::-1] + x[50])
    assert same(weft.sum(weft.asarray(x)[i]), np.asarray(x[at].sum()))
    shifted = weft.compile(lambda a, k: a[k - 50] * 1)
    at[:] = 50 + at % 50
    assert same(shifted(t, weft.asarray(at)), x[50:][at - 50] * 1)
