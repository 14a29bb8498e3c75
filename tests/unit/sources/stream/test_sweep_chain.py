"""Values that read reductions of the same files: bits of the whole, each chunk once where a column fits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import weft
from tests.shares import in_turn
from tests.unit.sources.stream.large_files import cells, same
from weft import dtypes as dt
from weft.runtime.memory.limits import limited
from weft.sources.stream import tiling
from weft.sources.stream.sweep import Sweep
from weft.sources.stream.sweep_chain import SweepChain
from weft.sources.stream.units import ReadUnit
from weft.tensors.tensor import Tensor

SHAPE, CHUNK = (1200, 32, 64), (40, 32, 32)
CHUNKS = 60
COLUMN = 1200 * 32 * 32 * 4  # bytes of the chunks above each other
ENOUGH, LITTLE = 7 * COLUMN // 4, COLUMN // 2

PROGRAMS: dict[str, Callable[[Tensor], Tensor]] = {
    "anomaly": lambda x: x - weft.mean(x, axis=0),
    "of positive sums": lambda x: x / weft.sum(weft.abs(x), axis=0, keepdims=True),
    "standardised": lambda x: (x - weft.mean(x, axis=0)) / weft.std(x, axis=0),
    "between": lambda x: (x - weft.min(x, axis=0)) / (weft.max(x, axis=0) - weft.min(x, axis=0)),
    "beside the next": lambda x: x[:, :, 1:] - weft.mean(x, axis=0)[:, :-1],
    "running from the end": lambda x: weft.cumulative_sum((x - weft.mean(x, axis=2, keepdims=True))[::-1], axis=0),
    "a part": lambda x: x[100:300] - weft.mean(x, axis=0),
}


@pytest.fixture(autouse=True)
def tiles_of_one_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiling, "LEAST_TILE", 1)


@pytest.fixture
def array() -> NDArray[np.float32]:
    return np.random.default_rng(0).standard_normal(SHAPE, np.float32)


@pytest.fixture
def x(tmp_path: Path, array: NDArray[np.float32]) -> Tensor:
    weft.save(tmp_path / "x.zarr", array, chunks=CHUNK)
    return weft.open(tmp_path / "x.zarr")


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[ReadUnit]:
    """The units that were read."""
    found: list[ReadUnit] = []
    read = ReadUnit.read

    def noted(self: ReadUnit) -> Any:
        found.append(self)
        return read(self)

    monkeypatch.setattr(ReadUnit, "read", noted)
    return found


@pytest.mark.parametrize(("name", "limit"), in_turn(PROGRAMS, [ENOUGH, LITTLE], every=2))
def test_saved_with_the_bits_of_the_whole(
    tmp_path: Path, x: Tensor, array: NDArray[np.float32], name: str, limit: int, reads: list[ReadUnit]
) -> None:
    weft.save(tmp_path / "out.zarr", PROGRAMS[name](x), memory=limit, chunks=CHUNK)
    if limit == ENOUGH and name not in ("beside the next", "running from the end"):  # of two columns; in no such order
        assert len(reads) == len(set(reads)) == CHUNKS
    got, want = weft.open(tmp_path / "out.zarr").numpy(), PROGRAMS[name](weft.asarray(array)).numpy()
    np.testing.assert_array_equal(got.view("u4"), want.view("u4"))


def test_a_fault_between_leaves_the_reductions_pending(
    tmp_path: Path, x: Tensor, array: NDArray[np.float32], monkeypatch: pytest.MonkeyPatch
) -> None:
    mean = weft.mean(x, axis=0)
    turns, read = iter(range(1000)), ReadUnit.read

    def damaged(self: ReadUnit) -> Any:
        if next(turns) == 25:
            raise OSError(5, "Input/output error")
        return read(self)

    with monkeypatch.context() as patched, pytest.raises(OSError, match="Input/output error"):
        patched.setattr(ReadUnit, "read", damaged)
        weft.save(tmp_path / "out.zarr", x - mean, memory=ENOUGH, chunks=CHUNK)
    assert [p.name for p in tmp_path.iterdir()] == ["x.zarr"]
    np.testing.assert_array_equal(mean.numpy(), weft.mean(weft.asarray(array), axis=0).numpy())


def test_other_results_beside_them(x: Tensor, array: NDArray[np.float32]) -> None:
    deviation, whole = x - weft.mean(x, axis=0), weft.asarray(array)
    total = weft.sum(weft.abs(deviation))
    with limited(ENOUGH):
        weft.compute(deviation, total)
    np.testing.assert_array_equal(deviation.numpy(), (whole - weft.mean(whole, axis=0)).numpy())
    assert total.item() == weft.sum(weft.abs(whole - weft.mean(whole, axis=0))).item()


def test_values_are_written_while_the_next_kept_cells_are_reduced(
    tmp_path: Path, x: Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    take = Sweep.compute_tile

    def noted(self: Sweep[Any], *args: Any) -> None:
        order.append(type(self.consumers[0]).__name__)
        take(self, *args)

    monkeypatch.setattr(Sweep, "compute_tile", noted)
    weft.save(tmp_path / "out.zarr", x - weft.mean(x, axis=0), memory=ENOUGH, chunks=CHUNK)
    column = CHUNKS // 2
    assert order == ["Reductions"] * column + ["FileWriter", "Reductions"] * column + ["FileWriter"] * column


BEHIND: dict[str, Callable[[Tensor], list[Tensor]]] = {
    "residuals": lambda x: [weft.sum(weft.abs(x - weft.mean(x, axis=0)))],
    "of the same axes": lambda x: [weft.sum(weft.abs(x - weft.mean(x, axis=0, keepdims=True)), axis=0)],
    "in any order": lambda x: [weft.max(x - weft.max(x, axis=0)), weft.argmin(x - weft.max(x, axis=0), axis=1)],
    "beside the first": lambda x: [weft.mean(x, axis=0), weft.sum(weft.abs(x - weft.mean(x, axis=0)))],
    "of a deviation": lambda x: [weft.mean((x - weft.mean(x, axis=0)) / weft.std(x, axis=0))],
}


@pytest.mark.parametrize(("name", "limit"), in_turn(BEHIND, [ENOUGH, LITTLE], every=2))
def test_reductions_behind_reductions(
    x: Tensor, array: NDArray[np.float32], name: str, limit: int, reads: list[ReadUnit]
) -> None:
    got = BEHIND[name](x)
    with limited(limit):
        foreseen = sum(s.bytes for s in weft.explain(*got).sweeps)
        weft.compute(*got)
    if limit == ENOUGH:
        assert len(reads) <= (CHUNKS if name in ("of the same axes", "in any order") else 1.8 * CHUNKS)
    assert foreseen == len(reads) * 4 * math.prod(CHUNK)
    for a, b in zip(got, BEHIND[name](weft.asarray(array)), strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_a_fault_behind_leaves_both_pending(
    x: Tensor, array: NDArray[np.float32], monkeypatch: pytest.MonkeyPatch
) -> None:
    total = BEHIND["residuals"](x)[0]
    turns, read = iter(range(1000)), ReadUnit.read

    def damaged(self: ReadUnit) -> Any:
        if next(turns) == CHUNKS + 5:
            raise OSError(5, "Input/output error")
        return read(self)

    with monkeypatch.context() as patched, limited(ENOUGH), pytest.raises(OSError, match="Input/output error"):
        patched.setattr(ReadUnit, "read", damaged)
        total.item()
    assert total.item() == BEHIND["residuals"](weft.asarray(array))[0].item()


def test_reductions_chain_while_values_wait_for_them(tmp_path: Path, decoded: Counter[Any]) -> None:
    arrays = [cells((120, 40, 40), dt.float32, seed) for seed in (1, 2)]
    for k, array in enumerate(arrays):
        weft.save(tmp_path / f"{k}.zarr", weft.asarray(array), chunks=(10, 20, 20), compressor="zstd")

    def correlation(x: Tensor, y: Tensor) -> Tensor:
        mean = ((x - x.mean(axis=0)) * (y - y.mean(axis=0))).mean(axis=0)
        return mean / (x.std(axis=0) * y.std(axis=0))

    with limited(400_000):
        found = correlation(*[weft.open(tmp_path / f"{k}.zarr") for k in range(2)]).numpy()
    assert same(found, correlation(*map(weft.asarray, arrays)).numpy())
    assert set(decoded.values()) == {2}  # a chunk of each file, once


def test_whole_groups_are_reduced_in_one_pass_if_they_are_small(
    tmp_path: Path, decoded: Counter[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    chains = list[SweepChain]()
    run = SweepChain.run
    monkeypatch.setattr(SweepChain, "run", lambda self: (chains.append(self), run(self)))
    array = cells((240, 40, 40), dt.float32)
    weft.save(tmp_path / "x.zarr", weft.asarray(array), chunks=(8, 20, 20), compressor="zstd")

    def normalised(x: Tensor) -> Tensor:
        seasons = weft.reshape(x, (8, 30, 40, 40))
        return (seasons - seasons.mean(axis=1, keepdims=True)) / seasons.std(axis=1, keepdims=True)

    with limited(1_200_000):  # a season of a column of chunks takes 48 000
        weft.save(tmp_path / "y.npy", normalised(weft.open(tmp_path / "x.zarr")))
    assert same(np.load(tmp_path / "y.npy"), normalised(weft.asarray(array)).numpy())
    assert [len(chain.reductions) for chain in chains] == [1]  # a variance of parts of a season takes two passes
    assert set(decoded.values()) == {1}


def entropies(x: Tensor) -> Tensor:
    raised = weft.exp(x - weft.max(x, axis=1, keepdims=True))
    p = raised / weft.sum(raised, axis=1, keepdims=True)
    return weft.mean(-weft.sum(p * weft.log(p), axis=1))


ROWS: dict[str, Callable[[Tensor], Tensor]] = {
    "entropies": entropies,
    "normalised": lambda x: weft.max((x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True), axis=0),
    "of length 1": lambda x: weft.mean(x / weft.sqrt(weft.sum(x * x, axis=1, keepdims=True)), axis=0),
}


@pytest.mark.parametrize("form", ["npy", "zarr"])
@pytest.mark.parametrize("name", ROWS)
def test_reductions_of_rows_are_computed_with_what_reads_them(
    tmp_path: Path, name: str, form: str, sweeps: list[Sweep[Any]]
) -> None:
    array = cells((6000, 100), dt.float32)
    weft.save(tmp_path / f"x.{form}", array, **({"chunks": (200, 100)} if form == "zarr" else {}))
    with limited(600_000):  # the file holds 2.4 MB
        found = ROWS[name](weft.open(tmp_path / f"x.{form}")).numpy()
    assert same(found, ROWS[name](weft.asarray(array)).numpy())
    assert [s.fits and s.nbytes for s in sweeps] == [array.nbytes]
