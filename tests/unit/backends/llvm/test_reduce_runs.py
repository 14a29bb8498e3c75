"""Runs of a reduced axis added to columns in turn: the plan is taken where due, with the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from reduce_harness import expected, run_reduce, same, sample

from tests.shares import in_turn
from weft import dtypes as dt
from weft.backends.llvm.folds import reduce_tables
from weft.backends.llvm.folds.reduce_plan import ReducePlan
from weft.dtypes import DType

OPS = ("sum", "prod", "mean", "var", "max", "nanmin", "any", "count_nonzero")
DTYPES = (dt.int8, dt.float16, dt.float32, dt.float64, dt.complex64)
SHAPES = ((9, 5, 128), (40, 3, 49), (7, 20, 1000), (3, 6, 1024), (4, 3, 3000), (300, 16, 9), (2, 700, 8))


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[ReducePlan]:
    """A list that grows by the plan of each group."""
    found: list[ReducePlan] = []
    choose = reduce_tables.cheapest

    def noted(*given: object) -> ReducePlan:
        found.append(choose(*given))  # type: ignore[arg-type]
        return found[-1]

    monkeypatch.setattr(reduce_tables, "cheapest", noted)
    return found


def _check(op: str, x: np.ndarray, kept: int, acc: DType, **options: object) -> None:
    got = run_reduce(op, x, kept, acc=acc, **options)  # type: ignore[arg-type]
    assert same(got, expected(op, x.astype(acc.np), kept, acc)), (op, x.shape, x.strides, options)


@pytest.mark.parametrize(("op", "dtype"), in_turn(OPS, DTYPES, every=4), ids=str)
def test_runs_of_any_length_begin_in_any_lane(op: str, dtype: DType, plans: list[ReducePlan]) -> None:
    if op == "nanmin" if dtype is dt.int8 else dtype.kind == "complex" and op in ("var", "max", "nanmin"):
        pytest.skip("not defined")
    summed = op in ("sum", "prod", "mean", "var")
    acc = dt.float32 if dtype is dt.float16 and summed else dt.float64 if dtype is dt.int8 and summed else dtype
    for shape in SHAPES:
        x = sample(shape, dtype, near_one=op == "prod" and dtype.is_inexact)
        if op in ("any", "count_nonzero"):
            x = np.where(sample(shape, dt.bool, 1), x, np.zeros((), x.dtype))
            x[:, 1] = 0
        _check(op, x.transpose(1, 0, 2), 1, acc)
        _check(op, x.transpose(1, 0, 2)[::-1, :, ::-1], 1, acc, pieces=3)
    assert any(p.runs for p in plans)


def test_several_rows_and_kept_axes(plans: list[ReducePlan]) -> None:
    x = sample((20, 5, 12, 6, 50), dt.float32)
    for op in ("sum", "var", "max"):
        _check(op, x.transpose(1, 3, 0, 2, 4), 2, dt.float32, pieces=2)
        _check(op, x.transpose(1, 3, 0, 2, 4), 2, dt.float32, cuts={4: [7, 30]})
        _check(op, x.transpose(3, 0, 1, 2, 4)[:, ::2], 1, dt.float32, cuts={1: [3], 2: [1]})
    assert any(p.runs and len(p.box.kept) > 1 for p in plans)
    assert any(p.runs and len(p.box.group_rows) > 1 for p in plans)


@pytest.mark.parametrize("op", ("sum", "max", "argmin"))
def test_blocks_inside_long_runs_are_read_in_place(op: str, plans: list[ReducePlan]) -> None:
    for dtype, shape in ((dt.float32, (3, 4, 9001)), (dt.float64, (2, 2, 40_000))):
        x = sample(shape, dtype)
        _check(op, x.transpose(1, 0, 2), 1, dtype, pieces=2)
        _check(op, x[:, :, 3:], 0, dtype, pieces=2)
    assert any(p.mixed for p in plans)
    assert not any(p.runs for p in plans if p.mixed)
