"""Results side by side in lanes: the plan is taken where due, with the bits of the order of sums."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft.backends.llvm.folds import reduce_tables

OPS = ["sum", "prod", "mean", "max", "min", "any", "all", "count_nonzero"]
DTYPES = ["bool", "int8", "uint64", "float16", "float32", "complex64"]
SHAPES = [(7, 8, 1), (40, 32, 16), (5, 33, 17), (2, 128, 30)]  # of x, of y: rows, cells
Program = Callable[[weft.Tensor, weft.Tensor], weft.Tensor]


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """A list that grows by whether a group was reduced with results side by side."""
    found: list[bool] = []
    choose = reduce_tables.cheapest

    def noted(*given: object) -> object:
        plan = choose(*given)  # type: ignore[arg-type]
        found.append(plan.abreast >= 0)
        return plan

    monkeypatch.setattr(reduce_tables, "cheapest", noted)
    return found


def _cells(dtype: str, *shape: int) -> weft.Tensor:
    cells = np.random.default_rng(1).normal(size=shape) * 3
    return weft.asarray(np.abs(cells) if dtype[0] == "u" else cells).astype(getattr(weft, dtype))


def _check(program: Callable[[], weft.Tensor]) -> None:
    got = program().numpy()
    with weft.transformer("reference"):
        assert np.array_equal(got, program().numpy(), equal_nan=got.dtype.kind in "fc")


@pytest.mark.parametrize(("op", "dtype"), in_turn(OPS, DTYPES, every=6))
def test_the_bits_are_those_of_the_reference(op: str, dtype: str) -> None:
    if (dtype == "complex64" and op in ("max", "min")) or (op == "mean" and dtype[:5] not in ("float", "compl")):
        pytest.skip("not defined")
    for rows, width, n in SHAPES:
        x, y = _cells(dtype, rows, n), _cells(dtype, width, n)
        join = weft.logical_and if dtype == "bool" else weft.multiply
        _check(lambda x=x, y=y, join=join: getattr(weft, op)(join(x[:, None, :], y[None]), axis=2))


TURNED: dict[str, Program] = {
    "distances": lambda x, y: weft.sum((x[:, None, :] - y[None]) ** 2, axis=2),
    "of more rows": lambda x, y: weft.sum(x[:, None, None, :] * y[None, None] * x[None, :5, None, :], axis=3),
    "every second": lambda x, y: weft.sum(x[:, None, ::2] * y[None, :, ::2], axis=2),
    "flipped": lambda x, y: weft.sum(x[::-1, None, :] * y[None, ::-1, ::-1], axis=2),
    "a middle axis": lambda x, y: weft.sum(x[:, :, None] * y.T[None], axis=1),
    "batches": lambda x, y: weft.sum(x[:32].reshape((4, 8, 16))[:, :, None, :] * y[None, None], axis=3),
}


@pytest.mark.parametrize("name", TURNED)
def test_operands_of_any_layout(name: str, plans: list[bool]) -> None:
    x, y = _cells("float32", 40, 16), _cells("float32", 24, 16)
    _check(lambda: TURNED[name](x, y))
    assert any(plans)


def test_tables_are_copied_anew_where_they_change() -> None:
    x, y = _cells("float32", 3, 50, 16), _cells("float32", 3, 24, 16)
    _check(lambda: weft.sum(x[:, :, None, :] * y[:, None], axis=3))
    _check(lambda: weft.concat([weft.sum(x[k, :, None] * y[k][None], axis=2) for k in range(3)]))


def test_many_results_are_shared_between_threads() -> None:
    x, y = _cells("float32", 20_000, 16), _cells("float32", 32, 16)
    _check(lambda: weft.sum((x[:, None, :] - y[None]) ** 2, axis=2))
