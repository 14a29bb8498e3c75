"""Products in an order of additions of their own: what each cell adds, whatever lies beside it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from weft.backends.calls import blas
from weft.backends.calls.blas import fixed_product
from weft.dtypes import float64
from weft.ir.kernels.partial_reductions import sum_of
from weft.ir.kernels.sum_order import ordered_sum

KINDS = (np.float32, np.float64, np.complex64, np.complex128)


def cells(shape: tuple[int, ...], dtype: type, seed: int) -> np.ndarray:
    """Random cells of a dtype."""
    parts = np.random.default_rng(seed).standard_normal((2, *shape))
    return (parts[0] + 1j * parts[1]).astype(dtype) if np.dtype(dtype).kind == "c" else parts[0].astype(dtype)


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The product of arrays, as NumPy shapes and types it."""
    out = np.empty(np.matmul(a, b).shape, a.dtype)
    fixed_product(out, a, b)
    return out


def block_of(row: np.ndarray, column: np.ndarray) -> float:
    """One block of a float64 cell: chains of 256 fused multiply-adds in rising order, each rounded once."""
    total, pairs = 0.0, [*zip(row.tolist(), column.tolist(), strict=True)]
    for first in range(0, len(pairs), 256):
        chain = 0.0
        for x, y in pairs[first : first + 256]:
            chain = float(Fraction(x) * Fraction(y) + Fraction(chain))
        total += chain
    return total


@pytest.mark.parametrize("inner", [1, 7, 1024, 1025, 9 * 1024 + 100])
def test_a_cell_adds_its_blocks_in_order(inner: int) -> None:
    a, b = cells((2, inner), np.float64, 1), cells((inner, 3), np.float64, 2)
    whole = inner // 1024 * 1024
    for i, j in ((0, 0), (1, 2)):
        blocks = [block_of(a[i, k : k + 1024], b[k : k + 1024, j]) for k in range(0, inner, 1024)]
        total = ordered_sum(np.array([blocks[: whole // 1024]]), float64)[0]
        wanted = total + blocks[-1] if 0 < whole < inner else total if whole else blocks[-1]
        assert product(a, b)[i, j] == wanted


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 9, 13, 1024, 1025, 2100])
def test_arrays_add_as_the_cells_of_an_axis(count: int) -> None:
    x = cells((count, 2, 3), np.float64, count)
    found = sum_of(iter(x.copy()))
    assert np.array_equal(found.reshape(-1), ordered_sum(x.reshape(count, -1).T, float64))


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("inner", [3, 300, 2500])
def test_cells_do_not_depend_on_their_neighbours(dtype: type, inner: int) -> None:
    a, b = cells((41, inner), dtype, 3), cells((inner, 37), dtype, 4)
    whole = product(a, b)
    close = 1e-3 if a.real.itemsize == 4 else 1e-10
    assert np.allclose(whole, a @ b, rtol=close, atol=close)
    assert np.array_equal(product(a[5:18], b[:, 7::3]), whole[5:18, 7::3])
    assert np.array_equal(product(a[7], b), whole[7])
    assert np.array_equal(product(a, b[:, 30]), whole[:, 30])
    assert product(a[7], b[:, 30]) == whole[7, 30]
    assert np.array_equal(product(np.asfortranarray(a), b[::1, ::-1])[:, ::-1], whole)
    assert np.array_equal(product(np.stack([a[:9], a[9:18]]), b), whole[:18].reshape(2, 9, 37))


@pytest.mark.parametrize("dtype", KINDS)
def test_tiles_leave_no_trace(dtype: type, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = cells((3, 1, 50, 70), dtype, 5), cells((4, 70, 60), dtype, 6)
    whole = product(a, b)
    monkeypatch.setattr(blas, "TILE", (192, 20))
    monkeypatch.setattr(blas, "CELLS", 1)
    monkeypatch.setattr(blas, "most_threads", lambda: 3)
    assert np.array_equal(product(a, b), whole)


@pytest.mark.parametrize("shapes", [((0, 3), (3, 2)), ((2, 0), (0, 3)), ((0, 2, 3), (3, 1)), ((0,), (0,))])
def test_nothing_gives_zeros(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    found = product(*[np.ones(s) for s in shapes])
    assert not found.any() and not np.signbit(found).any()


def test_special_values_stay_where_they_are() -> None:
    a, b = np.ones((9, 4)), np.ones((4, 11))
    a[2, 1], b[3, 5] = np.inf, np.nan
    with np.errstate(all="ignore"):
        found = product(a, b)
    assert np.isinf(found[2]).sum() == 10 and np.isnan(found[:, 5]).all() and np.isfinite(found).sum() == 80


def test_processors_without_native_code_multiply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas, "is_supported", lambda: False)
    a, b = cells((4, 5), np.complex64, 7), cells((5, 3), np.complex64, 8)
    assert np.allclose(product(a, b), a @ b, rtol=1e-5) and np.array_equal(product(a[1:], b), product(a, b)[1:])
