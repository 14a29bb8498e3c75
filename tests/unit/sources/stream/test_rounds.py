"""Reductions in tiles: the bits of the whole, within the memory granted."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.shares import examples, in_turn
from tests.unit.sources.stream.large_files import cells, is_as_in_memory, noted_sweeps, same, units_read, written
from weft import dtypes as dt
from weft.errors import OutOfMemory
from weft.runtime.compute import engine
from weft.runtime.memory import limits
from weft.runtime.memory.limits import limited
from weft.sources.files import open_file
from weft.sources.read.byte_ranges import Meter
from weft.sources.stream import reading_ahead, sweep
from weft.sources.stream.consumers import Reductions
from weft.sources.stream.row_fold import RowFold
from weft.sources.stream.sweep import Sweep
from weft.tensors.tensor import Tensor

REDUCTIONS = (
    "sum", "prod", "mean", "var", "std", "min", "max", "nanmin", "nanmax", "any", "all", "count_nonzero", "argmin",
    "argmax",
)  # fmt: skip
ONE_AXIS = ("argmin", "argmax")


@pytest.fixture
def reductions(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The names of the reductions that each sweep took."""
    return noted_sweeps(
        monkeypatch, lambda sweep: [n.op.name for t in sweep.consumers if isinstance(t, Reductions) for n in t.group]
    )


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


@pytest.mark.parametrize(("op", "order", "part"), in_turn(REDUCTIONS, ["C", "F"], range(5), every=10))
def test_same_bits_as_the_whole(tmp_path: Path, op: str, order: str, part: int, sweeps: list[Sweep[Any]]) -> None:
    for number, (shape, axis) in list(enumerate(SHAPES))[part::5]:
        if op in ONE_AXIS and isinstance(axis, tuple):
            continue
        array = cells(shape, dt.float32)
        path = written(tmp_path / f"{number}.npy", array, order)
        reduce: Callable[..., Tensor] = getattr(weft, op)
        value = partial(reduce, axis=axis, keepdims=number % 2 == 0)
        assert is_as_in_memory(value, array, path, 15_000), (shape, axis)
    assert max(s.tiling.count for s in sweeps) > 3


@pytest.mark.parametrize(("dtype", "big", "part"), in_turn(dt.COMMON, [False, True], range(7), every=14), ids=str)
def test_every_dtype(tmp_path: Path, dtype: dt.DType, big: bool, part: int, sweeps: list[Sweep[Any]]) -> None:
    array = cells((13, 700), dtype)
    x, path, defined = weft.asarray(array), written(tmp_path / "x.npy", array, big=big), False
    for op in REDUCTIONS[part::7]:
        try:
            want = getattr(weft, op)(x, axis=None).numpy()
        except weft.errors.DTypeError:
            continue
        defined = True
        with limited(8500):
            assert same(getattr(weft, op)(open_file(path), axis=None).numpy(), want), op
    assert bool(sweeps) == defined


@settings(max_examples=examples(60, quick=15))
@given(data=st.data())
def test_any_expression(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.getbasetemp()
    shape = tuple(data.draw(st.lists(st.integers(1, 30), min_size=1, max_size=3)))
    op = data.draw(st.sampled_from(REDUCTIONS))
    axes = data.draw(st.sets(st.sampled_from(range(len(shape))), min_size=1))
    axis: Any = min(axes) if op in ONE_AXIS else tuple(axes)
    array = cells(shape, data.draw(st.sampled_from([dt.float16, dt.float32, dt.int16])))
    path = written(folder / "any.npy", array, data.draw(st.sampled_from("CF")))
    step = data.draw(st.sampled_from([1, 2, -1]))

    def value(x: Tensor) -> Tensor:
        y = weft.concat([x, x * 2], axis=0)[::step] + 1
        return getattr(weft, op)(y, axis=axis)

    assert is_as_in_memory(value, array, path, data.draw(st.integers(1000, 20_000)))


def test_reductions_in_an_expression(tmp_path: Path, reductions: list[list[str]]) -> None:
    array = cells((64, 500), dt.float64)
    path = written(tmp_path / "x.npy", array)

    def value(x: Tensor) -> Tensor:
        z = (x - weft.mean(x)) / weft.std(x)
        return weft.max(z, axis=0) + weft.sum(z * z)

    assert is_as_in_memory(value, array, path, 50_000)
    assert reductions[0] == ["mean", "var"]  # over one input: taken together


def test_a_large_result_is_made_for_its_reader_part_by_part(tmp_path: Path, reductions: list[list[str]]) -> None:
    array = cells((5000, 3), dt.float32)
    path = written(tmp_path / "x.npy", array)
    assert is_as_in_memory(lambda x: weft.max(weft.mean(x, axis=1)), array, path, 20_000)
    assert reductions == [["max"]]


def test_many_files(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    parts = [cells((rows, 300), dt.float32, rows) for rows in (5, 17, 1, 30)]
    paths = [written(tmp_path / f"{i}.npy", part) for i, part in enumerate(parts)]
    whole = weft.asarray(np.concatenate(parts))
    with limited(20_000):
        x = open_file(paths)
        assert same(weft.mean(x[:, ::4]).numpy(), weft.mean(whole[:, ::4]).numpy())
        assert same(weft.var(x[:, ::4], axis=0).numpy(), weft.var(whole[:, ::4], axis=0).numpy())
    assert len(sweeps) == 2


def test_units_that_are_held_take_no_more_than_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, limit = written(tmp_path / "x.npy", cells((120, 8000), dt.float32)), 200_000
    held: list[int] = []
    read: list[int] = []
    wait = reading_ahead.ReadingAhead.wait

    def noted(self: reading_ahead.ReadingAhead, step: int) -> None:
        wait(self, step)
        held.append(self.held)
        read.extend(u.nbytes for u in self.steps[step].read)

    monkeypatch.setattr(reading_ahead.ReadingAhead, "wait", noted)
    with limited(limit):
        weft.mean(open_file(path)).numpy()
        weft.var(open_file(path), axis=0).numpy()
        weft.sum(open_file(path), axis=1).numpy()
    assert len(read) > 20
    assert max(held) <= limit
    assert sum(read) >= 3 * 120 * 8000 * 4


def test_a_bar_can_know_how_much_will_be_read(tmp_path: Path, meter: Meter) -> None:
    path = written(tmp_path / "x.npy", cells((64, 1024), dt.float32))
    with limited(40_000):
        weft.mean(open_file(path)).numpy()
    assert meter.planned == meter.done == 64 * 1024 * 4


def test_what_fits_is_computed_as_a_whole(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    path = written(tmp_path / "x.npy", cells((50, 100), dt.float32))
    with limited(100_000):
        weft.mean(open_file(path)).numpy()
    with limited(1000):
        weft.mean(open_file(path)[:2]).numpy()
    assert not sweeps


def test_the_value_is_kept_for_its_handle(tmp_path: Path, meter: Meter) -> None:
    path = written(tmp_path / "x.npy", cells((50, 100), dt.float32))
    with limited(4000):
        m = weft.mean(open_file(path))
        first = m.item()
        done = meter.done
        assert (m.item(), (m + 1).item()) == (first, np.float32(first) + 1)
    assert meter.done == done


def test_a_value_that_is_written_into_a_tensor(tmp_path: Path, reductions: list[list[str]]) -> None:
    array = cells((50, 400), dt.float32)
    path = written(tmp_path / "x.npy", array)
    y = weft.zeros((400,), dtype=dt.float32).realize()
    with limited(20_000):
        y[1:] = weft.mean(open_file(path), axis=0)[1:]
    assert reductions == [["mean"]]
    assert same(y.numpy()[1:], weft.mean(weft.asarray(array), axis=0).numpy()[1:])


def test_with_the_reference(tmp_path: Path) -> None:
    array = cells((9, 800), dt.float32)
    path = written(tmp_path / "x.npy", array)
    with engine.using(engine.transformer("reference")), limited(5000):
        got = weft.std(open_file(path) * 2, axis=1).numpy()
    assert same(got, weft.std(weft.asarray(array) * 2, axis=1).numpy())


def test_a_fault_in_a_later_tile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, turns = written(tmp_path / "x.npy", cells((50, 1000), dt.float32)), iter(range(10**6))
    compute_shared = sweep.compute_shared

    def failing(*arguments: Any) -> None:
        if next(turns) == 3:
            raise OutOfMemory("read: broken")
        compute_shared(*arguments)

    with limited(20_000):
        m = weft.mean(open_file(path))
        with monkeypatch.context() as patched, pytest.raises(OutOfMemory, match="broken"):
            patched.setattr(sweep, "compute_shared", failing)
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


PROGRAMS: dict[str, Callable[[Tensor], Tensor]] = {
    "mean": lambda x: weft.mean(x),
    "variance of columns": lambda x: weft.var(x, axis=0),
    "anomaly": lambda x: x - weft.mean(x, axis=0),
    "normalised": lambda x: (x - weft.mean(x)) / weft.std(x),
    "beside its transpose": lambda x: weft.sum(x[:100, :100] + x[:100, :100].T),
    "halo": lambda x: weft.max(x[1:] - x[:-1]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_explain_says_what_is_read(tmp_path: Path, name: str, sweeps: list[Sweep[Any]]) -> None:
    weft.save(tmp_path / "x.zarr", cells((130, 210), dt.float32), chunks=(20, 30))
    with limited(30_000):
        value = PROGRAMS[name](open_file(tmp_path / "x.zarr"))
        said = weft.explain(value).sweeps
        value.numpy()
    assert said and [s.reads for s in said] == [len(units_read([s])) for s in sweeps]


@pytest.mark.parametrize("name, settling", [("any", True), ("all", False)])
def test_any_and_all_stop_at_the_cell_that_settles_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, settling: bool
) -> None:
    taken: list[Any] = []
    take = Sweep.compute_tile

    def noted(self: Sweep[Any], number: int, held: Any) -> None:
        taken.append(number)
        take(self, number, held)

    monkeypatch.setattr(Sweep, "compute_tile", noted)
    array = np.full((64, 100), not settling)
    for row, column in ((9, 3), (63, 99)):
        array[row, column] = settling
        x = weft.open(written(tmp_path / "x.npy", array))
        with limited(1000):
            assert getattr(weft, name)(x).item() is settling
            tiles = len(taken)
            assert np.array_equal(getattr(weft, name)(x, axis=0).numpy(), getattr(array, name)(axis=0))
        assert (tiles < len(taken) - tiles) is (row == 9)
        taken.clear()
        array[row, column] = not settling
    x = weft.open(written(tmp_path / "x.npy", array))
    with limited(1000):
        assert getattr(weft, name)(x).item() is not settling


WIDE = [((10, 20_000), (10, 500)), ((9, 20_480), (4, 2048)), ((7, 5, 3000), (3, 2, 300)), ((2, 9000, 3), (2, 1500, 1))]
SUMS = [(op, d) for op in ("sum", "prod", "mean") for d in (dt.float32, dt.float16, dt.complex64)]
SUMS += [("var", dt.float32), ("var", dt.float16)]


@pytest.mark.parametrize("limit", [None, pytest.param(100_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("sizes", "of"), in_turn(WIDE, SUMS, every=4), ids=str)
def test_tiles_narrower_than_a_row(
    tmp_path: Path,
    sizes: tuple[tuple[int, ...], ...],
    of: tuple[str, dt.DType],
    limit: int | None,
    sweeps: list[Sweep[Any]],
) -> None:
    (shape, chunks), (op, dtype) = sizes, of
    limit = limit or 50_000 * dtype.itemsize  # the smallest array has 54 000 cells
    array = cells(shape, dtype)
    weft.save(tmp_path / "x.zarr", array, chunks=chunks)
    for axis in (None, (0, 1), (-2, -1)):
        reduce = partial(getattr(weft, op), axis=axis)
        assert is_as_in_memory(lambda x, reduce=reduce: reduce(x / 2), array, tmp_path / "x.zarr", limit), axis
    assert any(t.axes.any_order for s in sweeps for t in s.consumers)


def test_wide_rows_keep_within_the_limit(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = cells((3, 300_000), dt.float32)
    weft.save(tmp_path / "x.zarr", array, chunks=(3, 10_000))
    with limited(1_000_000):
        x = weft.open(tmp_path / "x.zarr")
        got = [v.numpy() for v in weft.compute(weft.mean(x), weft.sum(x * x), weft.std(x))]
    x = weft.asarray(array)
    assert all(same(a, b.numpy()) for a, b in zip(got, [weft.mean(x), weft.sum(x * x), weft.std(x)], strict=True))
    reads = units_read(sweeps)
    assert len(reads) == len(set(reads)) == 30 and all(s.fits for s in sweeps)


def test_no_tiles_are_listed_of_sweeps_beyond_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed, steps = [], Sweep._steps
    monkeypatch.setattr(Sweep, "_steps", lambda self, boxes: listed.append(self.fits) or steps(self, boxes))
    arrays = {name: cells((60, 60, 60), dt.float32) for name in "xy"}
    for name, array in arrays.items():
        weft.save(tmp_path / f"{name}.zarr", array, chunks=(8, 8, 10))

    def covariance(x: Any, y: Any) -> Tensor:
        x, y = (v - weft.mean(v, axis=(1, 2), keepdims=True) for v in (x, y))
        return weft.mean(x * y, axis=(1, 2))

    with limited(175_000):
        got = covariance(*[weft.open(tmp_path / f"{name}.zarr") for name in "xy"]).numpy()
    assert same(got, covariance(*map(weft.asarray, arrays.values())).numpy())
    assert listed and all(listed)


@pytest.mark.parametrize("name", ["mean", pytest.param("std", marks=pytest.mark.slow), "max"])
def test_borders_that_go_round_are_read_once_where_all_states_fit(tmp_path: Path, name: str) -> None:
    x = cells((1000, 8, 8), dt.float64)
    weft.save(tmp_path / "x.zarr", x, chunks=(4, 4, 4))

    def made(u: Any) -> Tensor:
        z = weft.roll(u, -1, axis=1) - weft.roll(u, 1, axis=2)
        return getattr(weft, name)(z * z, axis=0)  # type: ignore[no-any-return]

    with limited(300_000):
        found = made(weft.open(tmp_path / "x.zarr"))
        lines = weft.explain(found).sweeps
        assert [s.reads for s in lines] == [1000] * len(lines) and lines
        values = found.numpy()
    assert values.tobytes() == made(weft.asarray(x)).numpy().tobytes()


@pytest.mark.parametrize("name", ["sum", "prod", "any", "count_nonzero"])
def test_reductions_of_no_cells_over_a_file(tmp_path: Path, name: str) -> None:
    x = cells((1, 40, 19), dt.float64)
    weft.save(tmp_path / "x.zarr", x)
    with limited(600):
        u = weft.open(tmp_path / "x.zarr")
        found = getattr(weft, name)(u[1:] - u[:-1], axis=0).numpy()
    assert found.tolist() == [[getattr(np, name)([]).item()] * 19] * 40


def test_moving_means_are_saved_as_tiles_of_values(tmp_path: Path, reductions: list[list[str]]) -> None:
    x = cells((300, 6, 40), dt.float64)
    weft.save(tmp_path / "x.zarr", x, chunks=(20, 3, 40))
    made = weft.mean(weft.sliding_window_view(weft.open(tmp_path / "x.zarr"), 7, axis=0), axis=-1)
    with limited(200_000):  # the means take 560 kB
        weft.save(tmp_path / "y.zarr", made)
    assert reductions and not any(reductions)  # no reduction is computed before
    whole = weft.mean(weft.sliding_window_view(weft.asarray(x), 7, axis=0), axis=-1).numpy()
    assert weft.open(tmp_path / "y.zarr").numpy().tobytes() == whole.tobytes()


def test_a_save_without_a_limit_takes_what_any_sweep_takes(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    x = open_file(written(tmp_path / "x.npy", cells((30, 20), dt.float32)))
    weft.save(tmp_path / "y.npy", x + 1)
    assert [s.limit <= limits.UNSET < 256 << 20 for s in sweeps] == [True]


def test_rows_and_columns_of_one_file_are_tiles_of_both(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = cells((400, 400), dt.float32)
    path = written(tmp_path / "x.npy", array)
    for axis in (0, 1):
        assert is_as_in_memory(partial(_with_its_transpose, axis), array, path, 100_000)
    assert sweeps and all(s.fits and s.tiling.count > 4 for s in sweeps)


def test_a_value_made_of_another_result_reads_no_file(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = cells((300, 80), dt.float32)
    weft.save(tmp_path / "x.zarr", array, chunks=(50, 20))
    with limited(60_000):
        values = weft.exp(weft.open(tmp_path / "x.zarr"))
        part = values[:150] * 2
        weft.compute(values, part)
    assert len(units_read(sweeps)) == 24
    assert same(part.numpy(), (weft.exp(weft.asarray(array))[:150] * 2).numpy())


def _with_its_transpose(axis: int, x: Tensor) -> Tensor:
    return weft.sum(x + x.T, axis=axis)


def test_reductions_of_parts_of_a_file_have_sweeps_of_their_own(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = cells((48, 60, 60), dt.float32)
    weft.save(tmp_path / "x.zarr", weft.asarray(array), chunks=(4, 30, 30))
    with limited(150_000):
        x = weft.open(tmp_path / "x.zarr")
        means = [x[first : first + 16].mean(axis=0) for first in (0, 16, 32)]
        weft.compute(*means)
    for mean, part in zip(means, np.split(array, 3), strict=True):
        assert same(mean.numpy(), weft.asarray(part).mean(axis=0).numpy())
    assert len(sweeps) == 3 and len(set(units_read(sweeps))) == len(units_read(sweeps)) == 48


PARTS = [
    ((60, 10_000), (20, 2500), (0, 1), 500_000),
    ((30, 100, 250), (10, 50, 125), (0, 1, 2), 250_000),
    ((8, 4000, 30), (4, 500, 30), (0, 1), 100_000),
    ((100, 20_000), (50, 500), (0, 1), 800_000),
    ((4, 20, 20_000), (4, 10, 10_000), (0, 2), 100_000),
]


@pytest.mark.parametrize(("case", "op"), in_turn(PARTS, ["sum", "var"], every=2), ids=str)
def test_cells_that_wait_are_counted(
    tmp_path: Path, op: str, case: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    shape, chunks, axes, limit = case
    weft.save(tmp_path / "x.zarr", weft.asarray(cells(shape, dt.float32)), chunks=chunks)
    held, found = [0], list[tuple[int, int]]()
    add, run = Reductions.add, Sweep.run

    def noted_add(self: Reductions, inputs: Any, box: Any) -> None:
        add(self, inputs, box)
        parts = [p for fold, _ in self.open.values() if isinstance(fold, RowFold) for _, p in fold.parts]
        waiting = [a.nbytes for p in parts for pair in p.waiting.values() for a in pair]
        held[0] = max(held[0], sum(waiting) + sum([a.nbytes for p in parts for a in p.values.planes]))

    def noted_run(self: Sweep[Any]) -> None:
        counted = sum([t.needed(self.tiling.size) + t.waiting(self.tiling) for t in self.consumers])
        run(self)
        found.append((held[0], counted))

    monkeypatch.setattr(Reductions, "add", noted_add)
    monkeypatch.setattr(Sweep, "run", noted_run)
    with limited(limit):
        getattr(weft, op)(open_file(tmp_path / "x.zarr"), axis=axes).numpy()
    assert found and all(0 < most <= counted for most, counted in found)


def test_values_of_rows_that_would_fill_the_limit_together_are_not_kept(
    tmp_path: Path, sweeps: list[Sweep[Any]]
) -> None:
    array = cells((30_000, 80), dt.float32)
    np.save(tmp_path / "x.npy", array)

    def spreads(x: Tensor) -> Tensor:  # each of five values takes 120 KB
        values = [f(x, axis=1) for f in (weft.mean, weft.max, weft.min, weft.std, weft.sum)]
        return weft.stack([weft.std(v - weft.mean(v)) for v in values])

    with limited(500_000):
        found = spreads(weft.open(tmp_path / "x.npy")).numpy()
    assert same(found, spreads(weft.asarray(array)).numpy())
    kept = [out.nbytes for s in sweeps for t in s.consumers if isinstance(t, Reductions) for out in t.outs]
    assert sweeps and sum(kept) < 1000 and sum(s.nbytes for s in sweeps) <= 2.1 * array.nbytes
