"""Products of files along one long axis, as sums: exact for integers, within the bound of a product for floats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from tests.unit.sources.stream.large_files import units_read
from weft.runtime.memory.limits import limited
from weft.sources.stream.forecast import planned
from weft.sources.stream.sweep import Sweep
from weft.tensors.tensor import Tensor, node_of

RANDOM = np.random.default_rng(4)
NUMBERS = (np.arange(2000) % 5).astype("u1")
SHAPE, CHUNKS = (2000, 6, 10), (300, 6, 5)


def flat(x: Tensor) -> Tensor:
    return weft.reshape(x, (2000, 60))


VALUES: dict[str, Callable[[Tensor, Tensor], Any]] = {
    "all of einsum": lambda x, y: weft.einsum("tij,tij->", x, y + 1),
    "a part of einsum": lambda x, y: weft.einsum("tij,tij->", x[:1900], y[100:]),
    "rows of einsum": lambda x, y: weft.einsum("tij,tij->t", x, y),
    "columns of einsum": lambda x, y: weft.einsum("tij,tij->ij", x, y),
    "one matrix": lambda x, y: weft.einsum("tij,tij,ij->", x, y, np.arange(60, dtype="i1").reshape(6, 10) % 3),
    "vdot": lambda x, y: weft.vdot(x, y),
    "dot": lambda x, y: weft.dot(weft.reshape(x, (-1,)), weft.reshape(y, (-1,))),
    "inner": lambda x, y: weft.inner(weft.reshape(x, (-1,)), weft.reshape(y * 2, (-1,))),
    "tensordot": lambda x, y: weft.tensordot(x, y, axes=3) * 2,
    "gram": lambda x, y: weft.tensordot(x, y, axes=([0], [0])),
    "of a flat one": lambda x, y: flat(x).T @ flat(y)[:, :3],
    "by a vector": lambda x, y: weft.matmul(NUMBERS, flat(x)),
    "of deviations": lambda x, y: flat(x - weft.sum(x, axis=0, dtype=x.dtype)).T @ flat(y),
}
SINGLE = ("by a vector", "of a flat one")  # of one file, or little more
CHAINED = ("one matrix",)  # one reduction behind another, in one walk


def pair(dtype: str) -> list[Any]:
    return [(RANDOM.standard_normal(SHAPE) * 2).astype("i1").astype(dtype) for _ in range(2)]


def opened(folder: Path, arrays: list[Any], form: str) -> list[Tensor]:
    for name, array in zip("xy", arrays, strict=True):
        weft.save(folder / f"{name}.{form}", array, **({"chunks": CHUNKS} if form == "zarr" else {}))
    return [weft.open(folder / f"{name}.{form}") for name in "xy"]


@pytest.mark.parametrize(("name", "dtype", "form"), in_turn(VALUES, ["i4", "f4", "c8", "f2"], ["zarr", "npy"], every=8))
def test_products_of_files(tmp_path: Path, name: str, dtype: str, form: str, sweeps: list[Sweep[Any]]) -> None:
    arrays = pair(dtype)
    if dtype == "f2":
        arrays = [a * (np.arange(a.size) % 997 < 4).reshape(a.shape) for a in arrays]  # sums of no more than 2048
    want = VALUES[name](*map(weft.asarray, arrays)).numpy()
    sweeps.clear()
    room = arrays[0].itemsize if dtype != "f2" else 3 if name in SINGLE else 6  # bytes a cell: f2 is multiplied as f4
    with limited(75_000 * room):
        got = VALUES[name](*opened(tmp_path, arrays, form)).numpy()
    assert got.dtype == want.dtype and np.array_equal(got, want)  # small integers: every order is exact
    assert (sweeps or name in CHAINED) and all(s.fits for s in sweeps)
    assert all(s.tiling.count > 1 or s.nbytes <= s.limit // 2 for s in sweeps)
    assert not sweeps or any(s.tiling.count > 1 for s in sweeps)


@pytest.mark.parametrize("form", ["npy", "zarr"])
def test_a_product_over_another_product(tmp_path: Path, form: str, sweeps: list[Sweep[Any]]) -> None:
    x, y = [RANDOM.integers(-2, 3, (40_000, 60)).astype("f4") for _ in range(2)]
    weights = (np.arange(120).reshape(60, 2) % 3).astype("f4")
    for name, array in (("x", x), ("y", y)):
        weft.save(tmp_path / f"{name}.{form}", array, **({"chunks": (3000, 30)} if form == "zarr" else {}))
    files = [weft.open(tmp_path / f"{name}.{form}") for name in "xy"]
    with limited("4MiB"):  # a file holds 9 MiB
        got = (files[0].T @ (files[1] @ weights + files[0][:, :2])).numpy()
    assert np.array_equal(got, x.T @ (y @ weights + x[:, :2]))
    assert sweeps and all(s.fits for s in sweeps)


@pytest.mark.parametrize("limit", [60_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_cell_is_within_the_bound_of_a_product(tmp_path: Path, limit: int) -> None:
    a, b = [RANDOM.standard_normal((3000, 20)).astype("f4") for _ in range(2)]
    exact, sizes = a.astype("f8").T @ b.astype("f8"), np.abs(a).astype("f8").T @ np.abs(b).astype("f8")
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    with limited(limit):
        x, y = weft.open(tmp_path / "a.npy"), weft.open(tmp_path / "b.npy")
        assert (np.abs((x.T @ y).numpy() - exact) <= 3000 * np.finfo("f4").eps * sizes).all()
        assert abs(weft.vdot(x, y).item() - np.trace(exact)) <= 60_000 * np.finfo("f4").eps * np.trace(sizes)


def test_each_chunk_is_read_once(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = RANDOM.standard_normal((4000, 20)).astype("f4")
    weft.save(tmp_path / "x.zarr", array, chunks=(100, 20))
    with limited(64_000):
        x = weft.open(tmp_path / "x.zarr")
        made = (x[:3950].T @ x[:3950]).numpy()
    assert np.allclose(made, array[:3950].T @ array[:3950], rtol=1e-3, atol=1e-3)
    assert len(units_read(sweeps)) == len(set(units_read(sweeps)))


def test_stacks_of_matrices(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    x, y = [RANDOM.integers(-3, 4, shape).astype("f4") for shape in ((12, 1, 30, 20), (5, 20, 25))]
    weft.save(tmp_path / "x.zarr", x, chunks=(3, 1, 10, 20))
    weft.save(tmp_path / "y.zarr", y, chunks=(2, 20, 10))
    with limited(16_000):
        weft.save(tmp_path / "z.npy", weft.open(tmp_path / "x.zarr") @ weft.open(tmp_path / "y.zarr"))
    assert np.array_equal(np.load(tmp_path / "z.npy"), x @ y)
    assert sweeps[-1].products and sweeps[-1].tiling.count > 1


def test_few_cells_are_multiplied_as_a_whole(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    x, y = opened(tmp_path, pair("f4"), "npy")
    with limited(4_000_000):
        weft.einsum("tij,tij->", x, y).item()
    assert not sweeps


def test_a_product_of_a_thirtieth_of_the_limit_reads_its_file_once(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = RANDOM.integers(-2, 3, (20_000, 60)).astype("f4")  # eight lanes of its columns' products are half of it
    np.save(tmp_path / "x.npy", array)
    with limited(30 * 60 * 60 * 4):
        x = weft.open(tmp_path / "x.npy")
        got = (x.T @ x).numpy()
    assert np.array_equal(got, array.T @ array)  # small integers: every order is exact
    assert all(s.fits and s.reads_singly for s in sweeps) and sum([s.nbytes for s in sweeps]) <= 1.1 * array.nbytes


def test_products_whose_tiles_would_be_narrow_are_sums_of_blocks(tmp_path: Path) -> None:
    """Tiles of 7 rows by 100 columns fit, and would copy their columns together from chunks 29 times."""
    weft.save(tmp_path / "x.zarr", weft.zeros((3200, 400)), chunks=(200, 200))
    x = weft.open(tmp_path / "x.zarr")
    found = list[tuple[Any, int]]()
    with limited("16MiB"):
        planned([node_of(x[:, :200].T @ x)], lambda sweep: found.append((sweep.shape, sweep.tiling.count)))
    assert found == [((16, 200, 400), 16)]
