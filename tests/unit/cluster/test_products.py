"""Products of matrices and functions of blocks on workers: equal bits in `weft.deterministic`, else a bound."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft import Projection

ROWS, COLUMNS = 6000, 48
CHUNKS = {"rows": (500, COLUMNS), "odd": (425, 31)}
W = np.random.default_rng(2).standard_normal((COLUMNS, 16))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same cells in several chunkings, and other ones of as many rows."""
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(1)
    x = rng.standard_normal((ROWS, COLUMNS))
    for name, chunks in CHUNKS.items():
        weft.save(folder / f"{name}.zarr", x, chunks=chunks)
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", rng.standard_normal((ROWS, 20)).astype(np.float32))
    return folder


@pytest.fixture(autouse=True)
def limit() -> Iterator[None]:
    """Room for a few chunks."""
    weft.set_memory_limit("1536KiB")
    yield


def slope(x: Any, y: Any) -> Any:
    """The gradient of a sum of squares by the weights, not computed yet."""
    return weft.grad(lambda w: ((x @ w - y[:, :16]) ** 2).sum())(weft.asarray(W))


def backward(x: Any, y: Any) -> Any:
    """The same gradient, computed by `backward`."""
    w = weft.asarray(W).requires_grad_()
    residuals = x @ w - y[:, :16]
    (residuals * residuals).sum().backward()
    return w.grad


PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "rows": lambda x, y: x @ W,
    "some rows": lambda x, y: (x @ W)[1250:4750:7],
    "inner axis": lambda x, y: weft.matrix_transpose(x) @ y,
    "squares": lambda x, y: weft.matrix_transpose(x) @ x,
    "vector": lambda x, y: x @ W[:, 0],
    "one column": lambda x, y: y[:, 3] @ x,
    "einsum": lambda x, y: weft.einsum("ki,kj->ij", x, y),
    "gradient": slope,
    "backward": backward,
}


def value(name: str, operands: tuple[Any, Any]) -> np.ndarray:
    """The value of a program over its operands."""
    return np.asarray(PROGRAMS[name](*operands))


def opened(files: Path, name: str) -> tuple[weft.Tensor, weft.Tensor]:
    """Both operands, over files."""
    return weft.open(files / f"{name}.zarr"), weft.open(files / "y.npy")


@pytest.fixture(scope="module")
def in_memory(files: Path) -> dict[str, np.ndarray]:
    """The values over arrays, all at once."""
    x, y = weft.asarray(np.load(files / "x.npy")), weft.asarray(np.load(files / "y.npy"))
    with weft.deterministic():
        return {name: value(name, (x, y)) for name in PROGRAMS}


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """True if two arrays have the same dtype and bits."""
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()


@pytest.mark.parametrize(("name", "chunking", "workers"), in_turn(PROGRAMS, CHUNKS, ["client", "lone_client"], every=3))
def test_bits_are_those_of_one_process(
    files: Path, in_memory: dict[str, np.ndarray], name: str, chunking: str, workers: str, request: Any
) -> None:
    with weft.deterministic():
        assert same(value(name, opened(files, chunking)), in_memory[name])
        with weft.cluster.connect(request.getfixturevalue(workers)) as connection:
            assert same(value(name, opened(files, chunking)), in_memory[name])
            assert connection.tasks >= 1


@pytest.mark.parametrize("name", ["squares", "gradient"])
def test_all_workers_have_a_share_of_sums_of_products(client: Any, files: Path, name: str) -> None:
    with weft.cluster.connect(client) as connection, weft.deterministic():
        made = PROGRAMS[name](*opened(files, "rows"))
        first, *behind = [share.tasks for share in weft.explain(made).shares]  # behind: rows beside whole blocks
        made.numpy()
        assert min([first, *behind]) >= 2 and sum([first, *behind]) <= connection.tasks


@pytest.mark.parametrize(("name", "cut"), in_turn(PROGRAMS, [(1751, None), (1250, 17)], every=2), ids=str)
def test_shards_may_be_cut_anywhere(
    client: Any, files: Path, in_memory: dict[str, np.ndarray], name: str, cut: tuple[int, int | None]
) -> None:
    with weft.cluster.connect(client), weft.deterministic():
        x, y = opened(files, "rows")
        sharded = weft.cluster.shard(x, cut), weft.cluster.shard(y, (2250, None))
        assert same(value(name, sharded), in_memory[name])


def test_factorisations_use_one_thread_of_the_library_on_workers_too(client: Any) -> None:
    x = weft.asarray(np.random.default_rng(3).standard_normal((300, 300)))
    with weft.deterministic():
        here = weft.linalg.inv(x).numpy()
        with weft.cluster.connect(client):
            assert np.array_equal(weft.cluster.shard(weft.linalg.inv(x)).numpy(), here)


def test_without_the_mode_products_agree_within_a_bound(client: Any, files: Path) -> None:
    """Each order of additions of k products is within k · eps/2 of the sum of their magnitudes (see docs/linalg.md)."""
    x, y = np.load(files / "x.npy"), np.load(files / "y.npy").astype(float)
    magnitudes = {"rows": np.abs(x) @ np.abs(W), "inner axis": np.abs(x).T @ np.abs(y)}
    terms = {"rows": COLUMNS, "inner axis": ROWS}
    for name, scale in magnitudes.items():
        here = value(name, opened(files, "rows"))
        with weft.cluster.connect(client):
            there = value(name, opened(files, "rows"))
        assert (np.abs(here - there) <= terms[name] * np.finfo(float).eps * scale).all()


# ---- functions of blocks


class Scaled:
    """A function with a number of its own."""

    def __init__(self, by: float) -> None:
        self.by = by

    def __call__(self, b: np.ndarray) -> np.ndarray:
        return b * self.by


def test_functions_travel_as_dask_sends_them(client: Any, files: Path) -> None:
    x, by = weft.open(files / "rows.zarr"), 3.0
    functions = [lambda b: b * by, partial(np.multiply, by), Scaled(by), Scaled(by).__call__]
    with weft.cluster.connect(client) as connection:
        for f in functions:
            found = weft.map_blocks(f, x, dtype="float64").sum(axis=0)
            before = connection.tasks
            assert found.tolist() == (x * by).sum(axis=0).tolist() and connection.tasks > before


def test_windows_outputs_and_inner_blocks_are_those_of_one_process(client: Any, files: Path) -> None:
    def programs() -> list[np.ndarray]:
        x = weft.open(files / "rows.zarr")
        inner = Projection([[250], [0]], shape=(250, COLUMNS))
        parts = weft.map_blocks(
            lambda b: np.matmul(b.reshape(-1, 250, COLUMNS).swapaxes(1, 2), b.reshape(-1, 250, COLUMNS)),
            x,
            windows=inner,
            index=ROWS // 250,
            out=Projection([[1], [0], [0]], shape=(1, COLUMNS, COLUMNS)),
            dtype="float64",
        )
        around = weft.map_blocks(lambda b: b[2:] - b[:-2], x, windows=((1, 1), (0, 0)), dtype="float64")
        low, high = weft.map_blocks(lambda b: (b - 1, b + 1), x, dtype=["float64", "float64"])
        sums = weft.compute(parts.sum(axis=0), around.mean(axis=1), low.sum(axis=0), high.std())
        return [np.asarray(v) for v in sums]

    here = programs()
    with weft.cluster.connect(client) as connection:
        there = programs()
        assert connection.tasks
    assert [a.tobytes() for a in here] == [b.tobytes() for b in there]


def test_gradients_of_functions_of_blocks(client: Any, files: Path) -> None:
    def gradient() -> np.ndarray:
        x, w = weft.open(files / "rows.zarr"), weft.asarray(W).requires_grad_()
        y = weft.map_blocks(np.tanh, x @ w, dtype="float64", vjp=lambda g, z: g * (1 - weft.tanh(z) ** 2))
        y.sum().backward()
        return np.asarray(w.grad)

    with weft.deterministic():
        here = gradient()
        with weft.cluster.connect(client):
            assert np.array_equal(gradient(), here)


def test_errors_of_functions_come_back_with_their_block(client: Any, files: Path) -> None:
    def fails(b: np.ndarray) -> np.ndarray:
        if os.getpid():
            raise KeyError("a block")
        return b

    x = weft.open(files / "rows.zarr")
    with weft.cluster.connect(client), pytest.raises(KeyError) as caught:
        weft.map_blocks(fails, x, dtype="float64").sum().item()
    assert any("map_blocks: fails had index cells [" in note for note in caught.value.__notes__)
