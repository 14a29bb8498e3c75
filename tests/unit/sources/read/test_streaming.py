"""Reductions in tiles: the bits of the whole, within the memory granted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.shares import in_turn
from weft import dtypes as dt
from weft.errors import OutOfMemory
from weft.runtime.compute import engine
from weft.runtime.memory.limits import limited
from weft.sources.files import open_file
from weft.sources.read import byte_ranges, loading, streaming, tiles
from weft.sources.write.sinks import Field, opened_sinks
from weft.tensors.tensor import Tensor

REDUCTIONS = (
    "sum", "prod", "mean", "var", "std", "min", "max", "nanmin", "nanmax", "any", "all", "count_nonzero", "argmin",
    "argmax",
)  # fmt: skip
ONE_AXIS = ("argmin", "argmax")


@pytest.fixture
def streamed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """The groups of reductions that were taken in tiles."""
    groups: list[Any] = []
    values = streaming.TileStream.values

    def noted(self: streaming.TileStream) -> list[Any]:
        groups.append([n.op.name for n in self.group])
        return values(self)

    monkeypatch.setattr(streaming.TileStream, "values", noted)
    yield groups


def cells(shape: tuple[int, ...], dtype: dt.DType, seed: int = 0) -> Any:
    random = np.random.default_rng(seed)
    x = random.standard_normal(shape) * 3
    if dtype.kind == "complex":
        return (x + 1j * random.standard_normal(shape)).astype(dtype.np)
    return (
        (x > 0) if dtype.kind == "bool" else np.abs(x).astype(dtype.np) if dtype.kind == "uint" else x.astype(dtype.np)
    )


def written(path: Path, array: Any, order: str = "C", big: bool = False) -> Path:
    dtype = dt.from_numpy(array.dtype)[0]
    with opened_sinks(path, {"": Field(dtype, big, array.shape)}, {"order": order}) as sinks:
        sinks[""].write((0,) * array.ndim, array)
    return path


def same(got: Any, want: Any) -> bool:
    """Equal dtypes, shapes and bits; any NaN equals any NaN."""
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    parts = [(got, want)] if got.dtype.kind != "c" else [(got.real, want.real), (got.imag, want.imag)]
    for a, b in parts:
        a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
        nan = np.isnan(a) & np.isnan(b) if a.dtype.kind not in "biu" else np.zeros(a.shape, bool)
        if not ((a.view(f"u{a.itemsize}") == b.view(f"u{a.itemsize}")) | nan).all():
            return False
    return True


SHAPES: list[tuple[tuple[int, ...], Any]] = [
    ((5000,), None),  # a line, its end no whole block
    ((3, 2048), None),
    ((3, 2048), 0),
    ((3, 2048), 1),
    ((7, 1500), None),  # rows of no whole blocks
    ((40, 130, 6), (0, 2)),
    ((40, 130, 6), (0, 1)),
    ((40, 130, 6), 1),
    ((6, 4, 1024), (0, 2)),
    ((1, 3000, 1), 1),
]


@pytest.mark.parametrize(("op", "order", "part"), in_turn(REDUCTIONS, ["C", "F"], range(2), every=2))
def test_same_bits_as_the_whole(tmp_path: Path, op: str, order: str, part: int, streamed: list[Any]) -> None:
    for number, (shape, axis) in list(enumerate(SHAPES))[part::2]:
        if op in ONE_AXIS and isinstance(axis, tuple):
            continue
        array = cells(shape, dt.float32)
        path = written(tmp_path / f"{number}.npy", array, order)
        reduce: Callable[..., Tensor] = getattr(weft, op)
        want = reduce(weft.asarray(array), axis=axis, keepdims=number % 2 == 0).numpy()
        with limited(9000):
            got = reduce(open_file(path), axis=axis, keepdims=number % 2 == 0).numpy()
        assert same(got, want), (shape, axis, got, want)
    assert streamed


@pytest.mark.parametrize(("dtype", "big", "part"), in_turn(dt.COMMON, [False, True], range(3), every=3), ids=str)
def test_every_dtype(tmp_path: Path, dtype: dt.DType, big: bool, part: int, streamed: list[Any]) -> None:
    array = cells((13, 700), dtype)
    x, path = weft.asarray(array), written(tmp_path / "x.npy", array, big=big)
    for op in REDUCTIONS[part::3]:
        try:
            want = getattr(weft, op)(x, axis=None).numpy()
        except weft.errors.DTypeError:
            continue
        with limited(5000):
            assert same(getattr(weft, op)(open_file(path), axis=None).numpy(), want), op
    assert streamed


@settings(max_examples=60)
@given(data=st.data())
def test_any_expression(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 30), min_size=1, max_size=3)))
    op = data.draw(st.sampled_from(REDUCTIONS))
    axes = data.draw(st.sets(st.sampled_from(range(len(shape))), min_size=1))
    axis: Any = min(axes) if op in ONE_AXIS else tuple(axes)
    array = cells(shape, data.draw(st.sampled_from([dt.float16, dt.float32, dt.int16])))
    path = written(tmp_path_factory.getbasetemp() / "any.npy", array, data.draw(st.sampled_from("CF")))
    step = data.draw(st.sampled_from([1, 2, -1]))

    def value(x: Tensor) -> Tensor:
        y = weft.concat([x, x * 2], axis=0)[::step] + 1
        return getattr(weft, op)(y, axis=axis)

    want = value(weft.asarray(array)).numpy()
    with limited(data.draw(st.integers(1000, 20_000))):
        assert same(value(open_file(path)).numpy(), want)


def test_reductions_in_an_expression(tmp_path: Path, streamed: list[Any]) -> None:
    array = cells((64, 500), dt.float64)
    path = written(tmp_path / "x.npy", array)

    def value(x: Tensor) -> Tensor:
        z = (x - weft.mean(x)) / weft.std(x)
        return weft.max(z, axis=0) + weft.sum(z * z)

    want = value(weft.asarray(array)).numpy()
    with limited(50_000):
        got = value(open_file(path)).numpy()
    assert same(got, want)
    assert streamed[0] == ["mean", "var"]  # over one input: taken together


def test_a_large_result_is_made_for_its_reader_part_by_part(tmp_path: Path, streamed: list[Any]) -> None:
    array = cells((5000, 3), dt.float32)
    path = written(tmp_path / "x.npy", array)
    with limited(20_000):
        got = weft.max(weft.mean(open_file(path), axis=1)).numpy()
    assert same(got, weft.max(weft.mean(weft.asarray(array), axis=1)).numpy())
    assert streamed == [["max"]]


def test_many_files(tmp_path: Path, streamed: list[Any]) -> None:
    parts = [cells((rows, 300), dt.float32, rows) for rows in (5, 17, 1, 30)]
    paths = [written(tmp_path / f"{i}.npy", part) for i, part in enumerate(parts)]
    whole = weft.asarray(np.concatenate(parts))
    with limited(20_000):
        x = open_file(paths)
        assert same(weft.mean(x[:, ::4]).numpy(), weft.mean(whole[:, ::4]).numpy())
        assert same(weft.var(x[:, ::4], axis=0).numpy(), weft.var(whole[:, ::4], axis=0).numpy())
    assert len(streamed) == 2


def test_no_tile_takes_more_than_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, limit = written(tmp_path / "x.npy", cells((120, 8000), dt.float32)), 200_000
    loads: list[int] = []
    announce = loading._announce
    monkeypatch.setattr(loading, "_announce", lambda nbytes, nodes: (loads.append(nbytes), announce(nbytes, nodes)))
    with limited(limit):
        weft.mean(open_file(path)).numpy()
        weft.var(open_file(path), axis=0).numpy()
        weft.sum(open_file(path), axis=1).numpy()
    assert len(loads) > 20
    assert max(loads) <= limit
    assert sum(loads) == 3 * 120 * 8000 * 4


def test_a_bar_can_know_how_much_will_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, meter = written(tmp_path / "x.npy", cells((64, 1024), dt.float32)), byte_ranges.Meter()
    monkeypatch.setattr(byte_ranges, "METERS", [meter])
    monkeypatch.setattr(streaming, "METERS", [meter])
    with limited(40_000):
        weft.mean(open_file(path)).numpy()
    assert meter.planned == meter.done == 64 * 1024 * 4


def test_what_fits_is_computed_as_a_whole(tmp_path: Path, streamed: list[Any]) -> None:
    path = written(tmp_path / "x.npy", cells((50, 100), dt.float32))
    with limited(100_000):
        weft.mean(open_file(path)).numpy()
    with limited(1000):
        weft.mean(open_file(path)[:2]).numpy()
    assert streamed == []


def test_the_value_is_kept_for_its_handle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meter = byte_ranges.Meter()
    monkeypatch.setattr(byte_ranges, "METERS", [meter])
    path = written(tmp_path / "x.npy", cells((50, 100), dt.float32))
    with limited(4000):
        m = weft.mean(open_file(path))
        first = m.item()
        done = meter.done
        assert (m.item(), (m + 1).item()) == (first, np.float32(first) + 1)
    assert meter.done == done


def test_a_value_that_is_written_into_a_tensor(tmp_path: Path, streamed: list[Any]) -> None:
    array = cells((50, 400), dt.float32)
    path = written(tmp_path / "x.npy", array)
    y = weft.zeros((400,), dtype=dt.float32).realize()
    with limited(20_000):
        y[1:] = weft.mean(open_file(path), axis=0)[1:]
    assert streamed == [["mean"]]
    assert same(y.numpy()[1:], weft.mean(weft.asarray(array), axis=0).numpy()[1:])


def test_with_the_reference(tmp_path: Path) -> None:
    array = cells((9, 800), dt.float32)
    path = written(tmp_path / "x.npy", array)
    with engine.using(engine.transformer("reference")), limited(5000):
        got = weft.std(open_file(path) * 2, axis=1).numpy()
    assert same(got, weft.std(weft.asarray(array) * 2, axis=1).numpy())


def test_a_fault_in_a_later_tile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, turns = written(tmp_path / "x.npy", cells((50, 1000), dt.float32)), iter(range(10**6))
    compute_shared = tiles.compute_shared

    def failing(*arguments: Any) -> None:
        if next(turns) == 3:
            raise OutOfMemory("read: broken")
        compute_shared(*arguments)

    with limited(20_000):
        m = weft.mean(open_file(path))
        with monkeypatch.context() as patched, pytest.raises(OutOfMemory, match="broken"):
            patched.setattr(tiles, "compute_shared", failing)
            m.numpy()
        assert same(m.numpy(), weft.mean(open_file(path).realize()).numpy())  # nothing half done is left behind


def test_from_several_threads(tmp_path: Path) -> None:
    array = cells((50, 1000), dt.float32)
    path = written(tmp_path / "x.npy", array)
    want = weft.var(weft.asarray(array)).item()

    def one(_: int) -> float:
        with limited(20_000):
            return float(weft.var(open_file(path)).item())

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(one, range(12))) == {want}
