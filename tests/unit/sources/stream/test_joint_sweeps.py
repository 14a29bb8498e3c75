"""Values of several shapes over the same files: bits of the whole, each chunk read once where the limit allows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from tests.unit.sources.stream.large_files import cells, same
from weft import dtypes as dt
from weft.runtime.memory.limits import limited
from weft.sources.read.byte_ranges import METERS, Meter
from weft.sources.stream import interleaved_sweeps
from weft.tensors.tensor import Tensor

ROWS, COLUMNS = 60_000, 16
LIMIT = 3 << 20  # of a file of 3.8 MB
CHUNKS = {"npy": {}, "zarr": {"chunks": (2000, COLUMNS)}}
FORMS = list(CHUNKS)
PROGRAMS: dict[str, Callable[[Tensor], Sequence[Tensor]]] = {
    "steps and totals": lambda x: [x.sum(axis=0), weft.abs(x[1:] - x[:-1]).max(axis=1).sum()],
    "parts": lambda x: [x[:50_000].sum(axis=0), x[10_000:].max(), x[:, ::3].min(axis=0)],
    "groups": lambda x: [weft.reshape(x, (600, 100, COLUMNS)).mean(axis=1), x.max(axis=0)],
    "values and totals": lambda x: [x[::4] * 2, x.prod(axis=1).max(), x.sum(axis=0)],
    "a value of another": lambda x: [y := weft.exp(x), y[:20_000] * 2, y.sum(axis=0)],
    "beside the file": lambda x: [weft.abs(x - x.mean(axis=0)).sum(), weft.abs(x[1:] - x[:-1]).sum(axis=0)],
    "settled before": lambda x: [weft.any(x > 100, axis=0), weft.abs(x[1:]).max(), x.argmax(axis=0)],
    "variances": lambda x: [x.std(axis=0), x[1:].mean(axis=0)],
}


@pytest.fixture(autouse=True)
def tiles_that_cost_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interleaved_sweeps, "TILE", 1 << 10)  # of small files as of large ones


@pytest.fixture
def array() -> Any:
    return cells((ROWS, COLUMNS), dt.float32)


def opened(folder: Path, array: Any, form: str) -> Tensor:
    weft.save(folder / f"x.{form}", array, **CHUNKS[form])
    return weft.open(folder / f"x.{form}")


def bytes_read(compute: Callable[[], object]) -> int:
    METERS.append(meter := Meter())
    try:
        compute()
    finally:
        METERS.remove(meter)
    return sum(meter.sizes)


@pytest.mark.parametrize(("name", "form", "limit"), in_turn(PROGRAMS, FORMS, [LIMIT, LIMIT // 6], every=2))
def test_bits_are_those_of_the_whole(tmp_path: Path, array: Any, name: str, form: str, limit: int) -> None:
    want = PROGRAMS[name](weft.asarray(array))
    with limited(limit):
        got = PROGRAMS[name](opened(tmp_path, array, form))
        weft.compute(*got)
    assert all(same(g.numpy(), w.numpy()) for g, w in zip(got, want, strict=True))


def loss_and_gradient(x: Any, y: Any, w: Any, xp: Any) -> tuple[Any, Any]:
    z = x @ w
    loss = (xp.log1p(xp.exp(-xp.abs(z))) + xp.maximum(z, 0) - z * y).mean()
    return loss, x.T @ (1 / (1 + xp.exp(-z)) - y) / len(y)


@pytest.mark.parametrize("form", FORMS)
def test_a_loss_and_its_gradient_read_a_file_once(tmp_path: Path, array: Any, form: str) -> None:
    x = opened(tmp_path, array, form)
    y, w = (array[:, 0] > 0).astype("f4"), np.linspace(-1, 1, COLUMNS, dtype="f4")
    with limited(3 << 20):
        values = loss_and_gradient(x, weft.asarray(y), weft.asarray(w), weft)
        read = bytes_read(lambda: weft.compute(*values))
        leaf = weft.asarray(w).requires_grad_()
        z = x @ leaf
        again = bytes_read(lambda: (weft.log1p(weft.exp(-weft.abs(z))) + weft.maximum(z, 0) - z * y).mean().backward())
        again += bytes_read(lambda: leaf.grad.numpy())
    for got, want in zip(values, loss_and_gradient(array.astype("f8"), y, w, np), strict=True):
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-4)
    np.testing.assert_allclose(leaf.grad.numpy(), values[1].numpy(), rtol=1e-5)
    assert max(read, again) <= 1.05 * array.nbytes


@pytest.mark.parametrize("form", FORMS)
def test_several_arrays_are_saved_in_one_walk(tmp_path: Path, array: Any, form: str) -> None:
    x = opened(tmp_path, array, form)
    made = {"odd": x[1::2] * 2, "steps": x[1:] - x[:-1], "most": x.max(axis=1), "sum": x.sum(axis=0)}
    with limited(LIMIT):
        read = bytes_read(lambda: weft.save(tmp_path / "out.npz", made))
    want = {"odd": array[1::2] * 2, "steps": array[1:] - array[:-1], "most": array.max(1)}
    for name, of in want.items():
        assert same(weft.open(tmp_path / "out.npz", name=name).numpy(), of)
    assert same(weft.open(tmp_path / "out.npz", name="sum").numpy(), weft.sum(weft.asarray(array), axis=0).numpy())
    assert read <= 1.1 * array.nbytes


def test_products_and_moments_decode_each_chunk_once(tmp_path: Path, array: Any, decoded: Counter[Any]) -> None:
    x = opened(tmp_path, array, "zarr")
    with limited(LIMIT):
        weft.compute(x.T @ x, x.mean(axis=0), weft.abs(x[1:] - x[:-1]).max())
    assert len(decoded) == 30 and set(decoded.values()) == {1}


def test_what_is_read_beside_the_file_stays_with_its_reader(tmp_path: Path, array: Any, decoded: Counter[Any]) -> None:
    weft.save(tmp_path / "x.zarr", array, chunks=(2000, COLUMNS), compressor="gzip")
    x = weft.open(tmp_path / "x.zarr")
    with limited(LIMIT):
        weft.compute(weft.abs(x - x.mean(axis=0)).sum(), x[:, 1:].max(axis=1).sum())
    assert set(decoded.values()) == {2}  # the residuals read chunks in a scratch file


@pytest.mark.parametrize("limit", [LIMIT // 2, LIMIT])
def test_what_is_held_is_within_the_limit(tmp_path: Path, array: Any, limit: int) -> None:
    x = opened(tmp_path, array, "zarr")
    with limited(limit):
        said = weft.explain(x.T @ x, x.mean(axis=0), weft.abs(x[1:] - x[:-1]).max()).sweeps
    assert len(said) == 3 and all(s.peak <= s.limit for s in said)
    assert sum(s.reads for s in said) == said[0].units
