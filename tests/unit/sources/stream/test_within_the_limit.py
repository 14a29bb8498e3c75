"""Work beyond the memory limit warns beforehand, or goes tile by tile; none exceeds the limit in silence."""

from __future__ import annotations

import gc
import io
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from tests.unit.sources.stream.large_files import flat, is_as_in_memory, same, tough
from weft import dtypes as dt
from weft.errors import IndexOutOfBounds, MemoryLimitWarning, ShapeError, WriteError
from weft.ir.graph.node import walk
from weft.runtime.memory.limits import limited
from weft.sources.read.byte_ranges import Meter
from weft.sources.read.fetching import ByBoxes
from weft.sources.read.touched_boxes import Box
from weft.sources.stream import rounds
from weft.sources.stream.consumers import MemoryWriter
from weft.sources.stream.sweep import Sweep
from weft.sources.write.atomic_write import npy_header
from weft.tensors.tensor import Tensor, node_of
from weft.tensors.versions import has_readers

LIMIT = 60_000
ARRAY = tough((150, 400), dt.float32)
ORDER = np.random.default_rng(0).permutation(150)


FORMS = ("npy", "zarr")


@pytest.fixture(params=FORMS)
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    found = tmp_path / f"x.{request.param}"
    weft.save(found, ARRAY, **({"chunks": (40, 60)} if request.param == "zarr" else {}))
    return found


LOOKED_UP: dict[str, Callable[[Tensor], Tensor]] = {
    "in order": lambda x: weft.take_along_axis(x, weft.argsort(x)).max(axis=0),
    "the other way": lambda x: weft.take_along_axis(x, weft.argsort(x, axis=0)[::-1], axis=0).max(axis=0),
    "by two keys": lambda x: weft.max(weft.lexsort((x, -x)), axis=0),
    "in an order": lambda x: x[ORDER].max(axis=0),
}


@pytest.mark.parametrize(("name", "path"), in_turn(LOOKED_UP, FORMS, every=2), indirect=["path"])
def test_positions_that_sorts_give_are_not_held(path: Path, name: str, sweeps: list[Sweep[Any]]) -> None:
    assert is_as_in_memory(LOOKED_UP[name], ARRAY, path, LIMIT)
    assert sweeps and not any(isinstance(t, MemoryWriter) for s in sweeps for t in s.consumers)
    assert all(s.tiling.count < 400 for s in sweeps)


def test_other_positions_are_looked_at_once(path: Path) -> None:
    x = weft.open(path)
    with limited(LIMIT), pytest.raises(IndexOutOfBounds):
        weft.take_along_axis(x, weft.argsort(x) + 1)


TAKEN_APART: dict[str, Callable[[Tensor], Tensor]] = {
    "fractions": lambda x: weft.frexp(x)[0],
    "exponents": lambda x: weft.sum(weft.frexp(x)[1], axis=1),
    "powers": lambda x: weft.ldexp(x, 3).max(axis=0),
    "Bessel": lambda x: weft.i0(x),
}


@pytest.mark.parametrize(("name", "path"), in_turn(TAKEN_APART, FORMS, every=2), indirect=["path"])
def test_numbers_are_taken_apart_in_blocks(path: Path, name: str, sweeps: list[Sweep[Any]]) -> None:
    assert is_as_in_memory(TAKEN_APART[name], ARRAY, path, LIMIT)
    assert sweeps and all(s.tiling.count > 1 for s in sweeps)


@pytest.mark.parametrize("form", ["npy", "zarr"])
@pytest.mark.parametrize("dtype", ["u1", "f4", "c8"])
def test_bytes_are_read_as_another_dtype_in_tiles(
    tmp_path: Path, dtype: str, form: str, sweeps: list[Sweep[Any]]
) -> None:
    array = np.random.default_rng(5).integers(-9, 9, (40_000, 12)).astype("i4")
    weft.save(tmp_path / f"x.{form}", array, **({"chunks": (3000, 7)} if form == "zarr" else {}))
    with limited("1MiB"):  # the file holds 1.9 MB
        x = weft.open(tmp_path / f"x.{form}").view(dtype)
        assert same(x[7:9].numpy(), array.view(dtype)[7:9])
        weft.save(tmp_path / "y.npy", x)
        assert sweeps and all(s.fits and s.tiling.count > 1 for s in sweeps)
        with pytest.raises(WriteError, match="read-only"):
            x[0, 0] = 1
        with pytest.raises(ShapeError, match="view: int32 cells"):
            weft.open(tmp_path / f"x.{form}")[:, :7].view("i8")
    assert same(np.load(tmp_path / "y.npy"), array.view(dtype))


def test_whole_values_for_numpy_warn(zeros: Path) -> None:
    with limited("4MiB"):
        x = weft.open(zeros)
        with pytest.warns(MemoryLimitWarning, match="^spacing: 24000000 bytes .* memory limit of 4194304;"):
            np.spacing(x)
        with pytest.warns(MemoryLimitWarning, match="^take_along_axis: 48000000 bytes"):
            weft.take_along_axis(x, weft.astype(weft.open(zeros), weft.int64))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            np.spacing(x.realize())  # that the user holds


@pytest.fixture
def zeros(tmp_path: Path) -> Path:
    """24 MB of zeros, which take no room on the disk."""
    path = tmp_path / "zeros.npy"
    with path.open("wb") as file:
        file.write(npy_header(np.dtype("<f4"), (6_000_000,)))
        file.truncate(file.tell() + 24_000_000)
    return path


def _into_memory(x: Tensor) -> None:
    weft.asarray(np.ones(x.shape, np.float32))[...] = x


def _through_a_tree(x: Tensor) -> None:
    weft.assign(weft.asarray(np.ones(x.shape, np.float32)), x)


HELD: dict[str, Callable[[Tensor], Any]] = {
    "bytes": lambda x: x.tobytes(),
    "a pickle": pickle.dumps,
    "text": lambda x: weft.savetxt(io.StringIO(), x),
    "a table": lambda x: weft.save(io.BytesIO(), x, format="csv"),
    "written": _into_memory,
    "assigned": _through_a_tree,
    "a storage": lambda x: x.storage,
    "swapped bytes": lambda x: x.byteswap(),
    "big-endian bytes": lambda x: x.view(">i4"),
    "made of few": lambda x: weft.linalg.det(weft.outer(x[:3000], x[:3000])).item(),
}


@pytest.mark.parametrize("name", HELD)
def test_values_held_as_a_whole_warn_beforehand(zeros: Path, name: str) -> None:
    with limited("4MiB"), warnings.catch_warnings():
        warnings.simplefilter("error", MemoryLimitWarning)
        with pytest.raises(MemoryLimitWarning, match=r": [234]\d{7} bytes .* memory limit of 4194304;"):
            HELD[name](weft.open(zeros))


@pytest.mark.parametrize("assign", [lambda y, x: y.__setitem__(..., x), weft.assign], ids=["key", "tree"])
def test_a_file_that_is_written_into_a_tensor_is_not_kept(path: Path, assign: Callable[..., Any]) -> None:
    x, memory = weft.open(path), np.zeros(ARRAY.shape, np.float32)
    with limited(LIMIT):
        assign(weft.asarray(memory), x)
    assert memory.tobytes() == ARRAY.tobytes() and node_of(x).value is None


def test_a_value_of_tiles_is_written_without_a_copy(path: Path) -> None:
    gc.collect()
    gc.disable()  # what a sweep leaves in cycles would pass for a reader
    try:
        with limited(LIMIT):
            y = (weft.open(path) + 1).realize()
        assert not has_readers(y._place)
        before = node_of(y).value
        y[3] = 0
        assert node_of(y).value is before
    finally:
        gc.enable()


def test_tables_are_not_looked_through_where_temporaries_are_beyond_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    array = np.random.default_rng(2).standard_normal((20_000, 4)).astype("f4")
    classes = np.random.default_rng(3).integers(0, 4, 20_000)
    weft.save(tmp_path / "x.zarr", array, chunks=(1000, 4))
    want = weft.nn.cross_entropy(weft.asarray(array), classes).numpy()
    monkeypatch.setattr(rounds, "fetches_of", lambda work: pytest.fail("the cells that a table names were looked up"))
    with limited(LIMIT):
        got = weft.nn.cross_entropy(weft.open(tmp_path / "x.zarr"), classes).numpy()
    assert got.tobytes() == want.tobytes()


@pytest.mark.parametrize("changed", [lambda x: weft.delete(x, [3, -1]), lambda x: weft.insert(x, [2, 2, 9], 1.0)])
def test_few_cells_more_or_less_take_no_table(path: Path, changed: Callable[[Tensor], Tensor]) -> None:
    x = weft.open(path)
    with limited(LIMIT):
        assert changed(flat(x)).numpy().tobytes() == changed(flat(weft.asarray(ARRAY))).numpy().tobytes()
    assert not {n.op.name for n in walk([node_of(changed(x))])} & {"gather", "take"}


def test_a_tensor_is_no_shape(path: Path, meter: Meter) -> None:
    with pytest.raises(
        ShapeError, match=r"^broadcast_shapes: a tensor of shape \(150, 400\) as a shape; .*pass x.shape"
    ):
        weft.broadcast_shapes(weft.open(path))  # type: ignore[arg-type]
    assert not meter.done


def test_few_columns_are_standardised_by_rows(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = np.random.default_rng(0).standard_normal((200_000, 4)).astype("f4")
    weft.save(tmp_path / "x.npy", array)

    def standardised(x: Tensor) -> Tensor:
        return (x - x.mean(axis=0)) / x.std(axis=0)

    with limited("2MiB"):
        weft.save(tmp_path / "y.npy", standardised(weft.open(tmp_path / "x.npy")))
    assert np.load(tmp_path / "y.npy").tobytes() == standardised(weft.asarray(array)).numpy().tobytes()
    assert all(s.tiling.size[1] == 4 for s in sweeps)  # columns of four bytes would be written one by one


def test_what_a_taker_holds_makes_no_tile_small(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    weft.save(tmp_path / "x.npy", np.ones((4000, 2000), "f4"))
    with limited("8MiB"):
        assert (x := weft.open(tmp_path / "x.npy"))[x > 0].size == 8_000_000
    assert sweeps[0].tiling.count < 400


def test_few_cells_of_many_pages_count_as_pages(tmp_path: Path) -> None:
    weft.save(tmp_path / "x.zarr", np.zeros((1024, 1024), "f4"), chunks=(256, 256))
    source = node_of(weft.open(tmp_path / "x.zarr")).inputs[0].attrs[0]
    one = [Box((0, 5), (1, 1), (1024, 1))]
    assert ByBoxes(source, one).nbytes == 4 << 20
    assert ByBoxes(source, [Box((0, 0), (1, 8), (1024, 128))]).nbytes == 1024 * 4096
    assert ByBoxes(source, [Box((7, 0), (1, 1), (2, 1024))]).nbytes == 2 * 4096


def test_products_of_few_cells_of_many_chunks(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = np.random.default_rng(1).standard_normal((1500, 2048)).astype("f4")
    want = weft.cov(weft.asarray(array)[:, ::200].T).numpy()
    for form in ("npy", "zarr"):
        weft.save(tmp_path / f"x.{form}", array, **({"chunks": (300, 512)} if form == "zarr" else {}))
        sweeps.clear()
        with limited("2MiB"):
            got = weft.cov(weft.open(tmp_path / f"x.{form}")[:, ::200].T).numpy()
        assert np.array_equal(got, want)
        assert len(sweeps) == (2 if form == "zarr" else 1)  # the means of chunks; the deviations, not their transpose


FLAT: dict[str, Callable[[Tensor], Any]] = {
    "histogram2d": lambda x: weft.histogram2d(flat(x), flat(x * x), bins=8, range=[[-5, 5], [0, 9]])[0],
    "weighted": lambda x: weft.histogram(flat(x), bins=8, range=(-5, 5), weights=flat(abs(weft.fill_nan(x, 0))))[0],
    "digitize": lambda x: weft.bincount(weft.digitize(flat(x), [-1.0, 0.0, 2.0])),
}


@pytest.mark.parametrize("name", FLAT)
def test_counts_of_flat_values_follow_chunks(tmp_path: Path, name: str, sweeps: list[Sweep[Any]]) -> None:
    weft.save(tmp_path / "x.zarr", ARRAY, chunks=(40, 60))
    assert is_as_in_memory(FLAT[name], ARRAY, tmp_path / "x.zarr", LIMIT)
    assert sweeps[-1].shape == ARRAY.shape


def test_borders_that_go_round_make_no_tile_of_a_plain_file_small(tmp_path: Path, sweeps: list[Sweep[Any]]) -> None:
    array = np.random.default_rng(0).standard_normal((120, 100, 100)).astype("f4")
    weft.save(tmp_path / "x.npy", array)

    def vorticity(x: Tensor) -> Tensor:
        z = (weft.roll(x, -1, 2) - weft.roll(x, 1, 2)) - (weft.roll(x, -1, 1) - weft.roll(x, 1, 1))
        return (z * z).mean(axis=0)

    with limited("600KiB"):
        got = vorticity(weft.open(tmp_path / "x.npy")).numpy()
    assert got.tobytes() == vorticity(weft.asarray(array)).numpy().tobytes()
    assert sum([s.tiling.count for s in sweeps]) < 200
