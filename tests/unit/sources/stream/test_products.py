"""Products of matrices in files, tile by tile: exact for integers, within the bound of a product for floats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft.runtime.memory.limits import limited
from weft.sources.stream.sweep import Sweep
from weft.tensors.tensor import Tensor

RANDOM = np.random.default_rng(4)
VALUES: dict[str, Callable[[Any, Any], Any]] = {
    "product": lambda x, y: x @ y,
    "by its transpose": lambda x, y: x @ x.T,
    "einsum": lambda x, y: weft.einsum("ij,jk->ki", x, y) + 1,
    "tensordot": lambda x, y: weft.tensordot(x, y, axes=1) * 2,
    "sums": lambda x, y: weft.sum(x @ y, axis=0),
    "norm": lambda x, y: weft.sum(weft.square(weft.abs(x @ y))),
    "of products": lambda x, y: (x @ y) @ y.T,
    "by small matrices": lambda x, y: weft.square(x @ y[:, :5]) @ np.arange(60, dtype="i1").reshape(5, 12),
}


def opened(folder: Path, name: str, array: Any, chunks: tuple[int, int]) -> Tensor:
    weft.save(folder / f"{name}.zarr", array, chunks=chunks)
    return weft.open(folder / f"{name}.zarr")


@pytest.mark.parametrize(("name", "dtype"), in_turn(VALUES, ["i4", "u1", "f4", "f8", "c8", "f2"], every=6))
def test_products_of_files(tmp_path: Path, name: str, dtype: str) -> None:
    random = np.random.default_rng(0)
    a, b = [(random.standard_normal(shape) * 3).astype("i1").astype(dtype) for shape in ((120, 70), (70, 90))]
    want = VALUES[name](weft.asarray(a), weft.asarray(b)).numpy()
    with limited(50_000):
        x, y = opened(tmp_path, "a", a, (40, 30)), opened(tmp_path, "b", b, (25, 40))
        got = VALUES[name](x, y)
        if want.ndim:
            weft.save(tmp_path / "z.zarr", got, chunks=(32,) * want.ndim)
            assert np.array_equal(weft.open(tmp_path / "z.zarr").numpy(), want)  # small integers: every order is exact
        assert got.dtype == weft.asarray(want).dtype and np.array_equal(got.numpy(), want)


def test_a_cell_is_within_the_bound_of_a_product(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    a, b = [random.standard_normal(shape).astype("f4") for shape in ((200, 150), (150, 100))]
    with limited(50_000):
        got = (opened(tmp_path, "a", a, (50, 50)) @ opened(tmp_path, "b", b, (50, 50))).numpy()
    bound = 150 * np.finfo("f4").eps * (np.abs(a).astype("f8") @ np.abs(b).astype("f8"))
    assert (np.abs(got - a.astype("f8") @ b.astype("f8")) <= bound).all()


def test_only_products_beyond_a_quarter_of_the_limit_are_cut(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    a = np.random.default_rng(2).standard_normal((300, 80)).astype("f4")
    x = opened(tmp_path, "a", a, (30, 40))
    for limit in (400_000, 1_600_000):  # product and operands are 552 000 bytes
        with limited(limit):
            weft.save(tmp_path / "y.zarr", x @ x.T, chunks=(30, 30))
        assert sweeps[-1].products and sweeps[-1].tiling.count > 1 and sweeps[-1].fits
    sweeps.clear()
    with limited(4_000_000):
        got = (x @ x.T).numpy()
    assert not any(s.products for s in sweeps)
    assert np.array_equal(got, (weft.asarray(a) @ weft.asarray(a).T).numpy())


def test_products_are_cut_where_no_limit_was_set(
    tmp_path: Path, sweeps: list[Sweep[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.runtime.memory.limits.UNSET", 200_000)
    monkeypatch.setattr("weft.sources.stream.rounds.SMALL", 1000)
    cells = np.random.default_rng(3).integers(-9, 9, (60, 40, 50)).astype("f4")
    weft.save(tmp_path / "x.zarr", cells, chunks=(6, 20, 25))
    weights = np.arange(40, dtype="f4")
    found = weft.einsum("tyx,y->tx", weft.open(tmp_path / "x.zarr"), weft.asarray(weights)).numpy()
    assert np.array_equal(found, np.einsum("tyx,y->tx", cells, weights))  # small integers: every order is exact
    (sweep,) = sweeps
    assert sweep.fits and len(sweep.steps.boxes) > 1 and sweep.steps.are_read_once


REGRIDDING: dict[str, Callable[[Any, Any, Any], Any]] = {
    "rows": lambda x, rows, columns: rows @ x,
    "columns": lambda x, rows, columns: x @ columns,
    "both": lambda x, rows, columns: rows @ x @ columns,
    "tensordot": lambda x, rows, columns: weft.tensordot(x, columns, axes=1),
    "tensordot, planes last": lambda x, rows, columns: weft.tensordot(rows, x, axes=((1,), (1,))),
    "einsum": lambda x, rows, columns: weft.einsum("tij,ki->tkj", x, rows),
    "einsum, planes last": lambda x, rows, columns: weft.einsum("ki,tij->tkj", rows, x),
    "einsum of three": lambda x, rows, columns: weft.einsum("ki,tij,jl->tkl", rows, x, columns),
    "joined rows": lambda x, rows, columns: (x.reshape(-1, x.shape[2]) @ columns).reshape(*x.shape[:2], -1),
}


@pytest.mark.parametrize(("name", "share"), [(n, share) for n in REGRIDDING for share in (4, 0.8)])
def test_planes_by_matrices(
    tmp_path: Path, name: str, share: float, sweeps: list[Sweep[Any]], decoded: Counter[Any]
) -> None:
    random = np.random.default_rng(4)
    cells = random.integers(-9, 9, (80, 20, 36)).astype("f4")
    rows, columns = random.integers(-9, 9, (10, 20)).astype("f4"), random.integers(-9, 9, (36, 18)).astype("f4")
    want = REGRIDDING[name](weft.asarray(cells), weft.asarray(rows), weft.asarray(columns))
    weft.save(tmp_path / "x.zarr", cells, chunks=(10, 10, 18), compressor="zstd")
    with limited(int((cells.nbytes + want.nbytes) / share)):  # which takes them `share` times
        found = REGRIDDING[name](weft.open(tmp_path / "x.zarr"), weft.asarray(rows), weft.asarray(columns))
        weft.save(tmp_path / "y.npy", found)
    assert np.array_equal(np.load(tmp_path / "y.npy"), want.numpy())  # small integers: every order is exact
    assert max(decoded.values()) == 1 and all(s.fits and s.tiling.count > 1 for s in sweeps)


LAYERS = [RANDOM.integers(-2, 3, shape).astype("f8") for shape in ((60, 8), (8, 5))]
CHAINS: dict[str, Callable[[Any], Any]] = {
    "rows": lambda x: weft.maximum(x @ LAYERS[0], 0) @ LAYERS[1],
    "columns": lambda x: LAYERS[1].T @ weft.maximum(LAYERS[0].T @ x.T, 0),
    "a projection": lambda x: weft.sum(x @ LAYERS[0] @ LAYERS[0].T - x, axis=1),
}


@pytest.mark.parametrize("form", ["npy", "zarr"])
@pytest.mark.parametrize("name", CHAINS)
def test_chains_of_products_by_small_matrices(tmp_path: Path, name: str, form: str, sweeps: list[Sweep[Any]]) -> None:
    cells = RANDOM.integers(-2, 3, (4000, 60)).astype("f8")
    weft.save(tmp_path / f"x.{form}", cells, **({"chunks": (150, 60)} if form == "zarr" else {}))
    with limited(600_000):  # the file holds 1.9 MB
        weft.save(tmp_path / "y.npy", CHAINS[name](weft.open(tmp_path / f"x.{form}")))
    assert np.array_equal(np.load(tmp_path / "y.npy"), CHAINS[name](weft.asarray(cells)).numpy())
    assert all(s.fits and s.tiling.count > 2 and s.reads_singly for s in sweeps) and sweeps


def test_gradients_of_layers_over_a_file(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    cells = RANDOM.integers(-2, 3, (4000, 60)).astype("f8")
    weft.save(tmp_path / "x.zarr", cells, chunks=(150, 60))

    def gradients(x: Tensor) -> list[Any]:
        def loss(first: Tensor, second: Tensor) -> Tensor:
            return weft.sum(weft.square(weft.maximum(x @ first, 0) @ second - x[:, :5]))

        found = weft.grad(loss, (0, 1))(*map(weft.asarray, LAYERS))
        weft.compute(*found)
        return [g.numpy() for g in found]

    want = gradients(weft.asarray(cells))
    sweeps.clear()
    with limited(600_000):
        got = gradients(weft.open(tmp_path / "x.zarr"))
    assert all(map(np.array_equal, got, want))  # small integers: every order is exact
    assert sweeps and all(s.fits for s in sweeps)


def probabilities(x: Tensor, weights: Any) -> Tensor:
    scores = x @ weights
    found = weft.exp(scores - weft.max(scores, axis=1, keepdims=True))
    return found / weft.sum(found, axis=1, keepdims=True)


def nearest(x: Tensor, centres: Any) -> Tensor:
    return weft.argmin(weft.sum(weft.square(centres), axis=1) - 2 * (x @ centres.T), axis=1)


CLASSES: dict[str, Callable[[Any], Any]] = {
    "a gradient of cross-entropy": lambda x: x.T @ (probabilities(x, LAYERS[0]) - 0.125),
    "an entropy": lambda x: -weft.sum(probabilities(x, LAYERS[0] / 9) ** 2, axis=1).mean(),
    "sums of the nearest": lambda x: (
        (nearest(x, weft.asarray(LAYERS[0].T))[:, None] == np.arange(8)).astype(x.dtype).T @ x
    ),
    "of 100 classes": lambda x: weft.max(probabilities(x, np.tile(LAYERS[0], (1, 13))[:, :100]), axis=0),
}


@pytest.mark.parametrize("form", ["npy", "zarr"])
@pytest.mark.parametrize("name", CLASSES)
def test_reductions_over_classes_read_a_file_once(
    tmp_path: Path, name: str, form: str, sweeps: list[Sweep[Any]]
) -> None:
    cells = RANDOM.integers(-2, 3, (6000, 60)).astype("f8")
    weft.save(tmp_path / f"x.{form}", cells, **({"chunks": (150, 60)} if form == "zarr" else {}))
    want = CLASSES[name](weft.asarray(cells)).numpy()
    sweeps.clear()
    with limited(800_000):  # the file holds 2.9 MB
        got = CLASSES[name](weft.open(tmp_path / f"x.{form}")).numpy()
    assert np.allclose(got, want, rtol=1e-12, atol=1e-9)
    assert sweeps and all(s.fits for s in sweeps) and sum(s.nbytes for s in sweeps) <= 1.1 * cells.nbytes


def test_reductions_over_classes_are_read_once_by_all_pairs(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    cells = RANDOM.integers(-2, 3, (3000, 60)).astype("f8")
    np.save(tmp_path / "x.npy", cells)

    def distances(x: Tensor) -> Any:
        best = weft.max(x @ LAYERS[0], axis=1)
        return weft.sum(weft.abs(best[:, None] - best[None, :]), axis=1).numpy()

    want = distances(weft.asarray(cells))
    sweeps.clear()
    with limited(400_000):
        assert np.array_equal(distances(weft.open(tmp_path / "x.npy")), want)
    assert sweeps and all(s.fits and s.nbytes <= 1.1 * cells.nbytes for s in sweeps)
