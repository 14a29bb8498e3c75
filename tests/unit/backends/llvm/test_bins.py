"""Counts and sums by bin: the bits of `weft.ir.kernels.sum_order`, however the work is cut."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft import dtypes as dt
from weft.backends.llvm.folds import bin_tables
from weft.ir.graph import node as ir
from weft.ir.graph.ops import OPS
from weft.ir.kernels.sum_order import bin_sums
from weft.tensors.tensor import Tensor, node_of, wrap

RNG = np.random.default_rng(5)


def counted(bins: int, numbers: Tensor, *weights: Tensor) -> np.ndarray:
    op, dtype = (OPS["bin_sums"], weights[0].dtype) if weights else (OPS["bin_counts"], dt.int64)
    return wrap(ir.make(op, (node_of(numbers), *map(node_of, weights)), (bins,), ir.result(dtype, (bins,)))).numpy()


def check(numbers: Tensor, bins: int) -> None:
    plain, w = numbers.numpy().astype(numbers.dtype.np), RNG.normal(size=numbers.shape)
    assert np.array_equal(counted(bins, numbers), bin_sums(plain, bins=bins))
    assert np.array_equal(counted(bins, numbers, weft.asarray(w)), bin_sums(plain, w, bins=bins))
    for weights in ((w * 100).astype("i8"), (np.abs(w) * 1e18).astype("u8")):
        assert np.array_equal(counted(bins, numbers, weft.asarray(weights)), bin_sums(plain, weights, bins=bins))


COUNTED = ((0, 3), (1, 1), (7, 0), (1000, 10), (70_001, 7), (200_003, 100), (300_000, 5000))


@pytest.mark.parametrize(
    ("dtype", "part"), in_turn(["i1", "u1", "i2", ">i2", "i4", ">u4", "i8", "u8"], range(4), every=4)
)
def test_numbers_of_every_dtype_and_layout(dtype: str, part: int) -> None:
    low = 0 if "u" in dtype else -3
    for n, bins in COUNTED[part::4]:
        a = RNG.integers(low, min(bins + 3, 120), n).astype(dtype)
        check(weft.asarray(a), bins)
    a = RNG.integers(low, 12, (300, 400)).astype(dtype)
    for made in (a.T, a[::-3, 5::2], np.broadcast_to(a[0], (9, 400)), a[:1, :1])[part::4]:
        check(weft.asarray(made), 9)


def test_extreme_numbers_are_in_no_bin() -> None:
    for d in (dt.int8, dt.int64, dt.uint64):
        info = np.iinfo(d.np)
        check(weft.asarray(np.array([info.min, info.max, 0, 1, info.max - 1], d.np)), 100)


def test_cells_of_several_pieces() -> None:
    x, y = (weft.asarray(RNG.integers(0, 9, (200, 300))) for _ in range(2))
    for made in (weft.concat([x, y * 2], axis=1)[::2], weft.pad(x, 3).T, weft.concat([x, x, y])):
        check(made, 12)
        w = weft.asarray(RNG.normal(size=made.shape[::-1])).T + 1
        plain = made.numpy()
        assert np.array_equal(counted(12, made, w), bin_sums(plain, w.numpy(), bins=12))


def test_no_cut_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    for n, cuts in enumerate(((16, 64, 1024), (16, 64, 1), (1000, 3, 1024), (1 << 20, 64, 1)), 50_000):
        for name, number in zip(("CELLS", "UNITS", "FEW"), cuts, strict=True):
            monkeypatch.setattr(bin_tables, name, number)
        check(weft.asarray(RNG.integers(-1, 60, n)), 50)  # a size of its own: programs are kept
