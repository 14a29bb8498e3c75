"""Chains of reductions and maps along rows: one kernel gives the bits of the steps one by one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft.backends import cpu
from weft.backends.llvm.folds.row_chain import RowChain
from weft.backends.llvm.nest.walk import OPERANDS
from weft.passes.planning import block
from weft.passes.switches import without

DTYPES = ["bfloat16", "float32", "float64", "complex64", "int32"]
SHAPES = [(9, 1), (20, 5), (11, 67), (6, 1024), (5, 2500), (3, 4, 130)]


def _moved(x: weft.Tensor, k: int = 1) -> tuple[weft.Tensor, ...]:
    mean = weft.mean(x, axis=-1, keepdims=True)
    return (x - mean) / weft.sqrt(weft.var(x, axis=-1, correction=k, keepdims=True) + 1), mean


def _softmax(x: weft.Tensor) -> tuple[weft.Tensor, ...]:
    e = weft.exp(x - weft.max(x, axis=-1, keepdims=True))
    return (e / weft.sum(e, axis=-1, keepdims=True),)


def _logarithms(x: weft.Tensor) -> tuple[weft.Tensor, ...]:
    total = weft.log(weft.sum(weft.exp(x), axis=-1, keepdims=True))
    return x - total, total


def _extremes(x: weft.Tensor) -> tuple[weft.Tensor, ...]:
    top, at = weft.max(x, axis=-1, keepdims=True), weft.argmax(x, axis=-1)
    return weft.sum(weft.where(x < top, x, -x), axis=-1), at, weft.any(x == top, axis=-1)


def _cosine(x: weft.Tensor) -> tuple[weft.Tensor, ...]:
    y = x[..., ::-1]
    products = [weft.sum(p, axis=-1) for p in (x * y, x * x, y * y)]
    return products[0] * products[1] * products[2], weft.prod(x, axis=-1)


PROGRAMS: dict[str, Callable[[weft.Tensor], tuple[weft.Tensor, ...]]] = {
    "layer norm": _moved, "softmax": _softmax, "logarithms": _logarithms, "extremes": _extremes, "cosine": _cosine,
}  # fmt: skip
REAL = {"layer norm", "softmax", "extremes"}  # and floats


@pytest.fixture
def chains(monkeypatch: pytest.MonkeyPatch) -> list[RowChain]:
    """The chains that are compiled; arrays of any size run in blocks, which hold few rows."""
    found: list[RowChain] = []
    lower = cpu.lower_chain

    def noted(chain: RowChain, *given: object) -> object:
        found.append(chain)
        return lower(chain, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(cpu, "lower_chain", noted)
    monkeypatch.setattr(block, "WORTH", 0)
    monkeypatch.setattr(block, "BLOCK_BYTES", 1 << 13)
    return found


def _cells(dtype: str, shape: tuple[int, ...]) -> weft.Tensor:
    cells = np.random.default_rng(1).normal(size=shape) * 3
    cells[:, -1:] = np.where(np.arange(shape[0]).reshape(-1, *[1] * (len(shape) - 1)) % 3 == 1, np.nan, cells[:, -1:])
    x = weft.asarray(np.nan_to_num(cells) if dtype[0] == "i" else cells).astype(getattr(weft, dtype))
    return weft.compute(x)[0]


def _bytes(program: Callable[[weft.Tensor], tuple[weft.Tensor, ...]], x: weft.Tensor) -> list[bytes]:
    return [y.numpy().tobytes() for y in weft.compute(*program(x))]


@pytest.mark.parametrize(("name", "dtype"), in_turn(PROGRAMS, DTYPES, every=5))
def test_the_bits_are_those_of_single_steps(name: str, dtype: str, chains: list[RowChain]) -> None:
    if name in REAL and dtype in ("complex64", "int32"):
        pytest.skip("not defined")
    for shape in SHAPES:
        x = _cells(dtype, shape)
        chained = _bytes(PROGRAMS[name], x)
        with without("block"):
            assert chained == _bytes(PROGRAMS[name], x), shape
    assert chains


def test_rows_that_lie_apart_and_in_the_other_byte_order(chains: list[RowChain]) -> None:
    x = weft.asarray(np.random.default_rng(2).normal(size=(40, 300)).astype(">f4"))[::2, 3:-4]
    assert _bytes(_moved, x) == _bytes(_moved, x + weft.float32(0))
    assert chains


def test_rows_in_cache_are_enough_for_what_only_the_chain_reads(chains: list[RowChain]) -> None:
    weft.compute(*_softmax(_cells("float32", (50, 200))))
    chain = chains[0]
    inside = [p for p in chain.places if p.across == 0]
    assert [len(p.folds) for p in chain.passes] == [1, 1, 0]
    assert len(inside) == 1 and len(chain.places) == 3


def test_reductions_of_the_same_cells_share_a_pass(chains: list[RowChain]) -> None:
    weft.compute(*_cosine(_cells("float32", (50, 200))))
    assert len(chains[0].passes[0].folds) == 4


def test_reductions_over_other_axes_end_a_chain(chains: list[RowChain]) -> None:
    def pulls(x: weft.Tensor) -> tuple[weft.Tensor, ...]:
        apart = weft.expand_dims(x, 0) - weft.expand_dims(x, 1)
        squares = weft.sum(apart * apart, axis=2) + 0.01
        return (weft.sum(apart * weft.expand_dims(1 / (squares * weft.sqrt(squares)), 2), axis=1),)

    x = _cells("float32", (600, 3))
    found = _bytes(pulls, x)
    with without("block"):
        assert found == _bytes(pulls, x)


def test_chains_have_no_more_operands_than_drivers_have_room_for(chains: list[RowChain]) -> None:
    arrays = [np.full((512, 64), k, "f4") for k in range(1, 71)]
    shares = weft.compute(*[x / weft.sum(x, axis=1, keepdims=True) for x in map(weft.asarray, arrays)])
    assert chains
    assert max(len(c.leaves) for c in chains) <= OPERANDS
    assert all((y.numpy() == 1 / 64).all() for y in shares)
