"""Expressions in files: the values of the whole, written in tiles, and files that appear whole or not at all."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import weft
from tests.shares import in_turn
from weft import dtypes as dt
from weft.errors import FileFormatError, OutOfMemory, ValueRangeError, WriteError
from weft.runtime.memory.limits import limited
from weft.sources.files import open_file
from weft.sources.read.byte_ranges import Meter
from weft.sources.stream import sweep
from weft.sources.write import save, sinks
from weft.sources.write.sink import Field, FileSink, Writer
from weft.sources.zarr.zarr_write import ZarrSink
from weft.tensors.tensor import Tensor


def values(shape: tuple[int, ...], dtype: dt.DType) -> NDArray[Any]:
    random = np.random.default_rng(0)
    x = random.integers(0, 2 if dtype is dt.bool else 100, shape)
    return (x + 1j * x[::-1]).astype(dtype.np) if dtype.kind == "complex" and shape else x.astype(dtype.np)


@pytest.mark.parametrize("ending", ["npz", "safetensors", "h5", "nc", "zarr"])
def test_one_pending_value_under_two_names(tmp_path: Path, ending: str) -> None:
    x = weft.asarray(np.arange(6.0)) * 2
    assert str(weft.explain(x, x)) == str(weft.explain(x))
    weft.save(tmp_path / f"x.{ending}", {"a": x, "b": x})
    for name in "ab":
        assert weft.open(tmp_path / f"x.{ending}", name=name).tolist() == [0, 2, 4, 6, 8, 10]


@pytest.mark.parametrize(("dtype", "order", "big"), in_turn(dt.COMMON, "CF", [False, True], every=4), ids=repr)
def test_every_dtype(tmp_path: Path, dtype: dt.DType, order: str, big: bool) -> None:
    for shape in ((), (0, 3), (5,), (6, 7, 8)):
        array, path = values(shape, dtype), tmp_path / "x.npy"
        weft.save(path, array, dtype=(">" if big else "<") + dtype.name, order=order, memory=400)
        got = open_file(path)
        assert (got.dtype, got.shape) == (dtype, shape)
        assert got.numpy().tobytes() == array.tobytes()
        if dtype is not dt.bfloat16:
            loaded = np.load(path)
            assert loaded.flags.f_contiguous if order == "F" else loaded.flags.c_contiguous
            assert (loaded.dtype.byteorder == ">") == (big and loaded.itemsize > 1)


@pytest.mark.parametrize("ending", [".bin", ".raw"])
def test_raw(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"x{ending}"
    weft.save(path, weft.asarray([[1, 2], [3, 4]]), dtype=">u2", order="F")
    assert path.read_bytes() == b"\0\1\0\3\0\2\0\4"
    weft.save(path, [])
    assert path.read_bytes() == b""


EXPRESSIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "elementwise": lambda x: weft.exp(x) * 2,
    "columns": lambda x: x - weft.mean(x, axis=0),
    "rows": lambda x: x / weft.sum(x, axis=1, keepdims=True),
    "normalised": lambda x: (x - weft.mean(x)) / weft.std(x),
    "transposed": lambda x: weft.permute_dims(x, (1, 0)) + 1,
    "flipped": lambda x: x[::-1, ::3],
    "reduced": lambda x: weft.var(x, axis=1),
    "product": lambda x: weft.matmul(*[weft.astype(y, weft.int32) for y in (x, weft.permute_dims(x, (1, 0)))]),
    "sorted": lambda x: weft.sort(x, axis=0)[::2],
    "running": lambda x: weft.cumulative_sum(x, axis=1),
    "joined": lambda x: weft.concat([x, x[:5] * 2, weft.zeros((3, 70))], axis=0),
    "no file": lambda x: weft.random.normal((40, 70), seed=1) + weft.arange(70),
    "number": lambda x: weft.max(x),
}


@pytest.mark.parametrize(("name", "order"), in_turn(EXPRESSIONS, "CF", every=2))
def test_tiles_have_the_bits_of_the_whole(
    tmp_path: Path, name: str, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    array = np.random.default_rng(0).random((200, 70))
    np.save(tmp_path / "x.npy", np.asarray(array, order="F" if order == "C" else "C"))
    want = EXPRESSIONS[name](weft.asarray(array)).numpy()
    tiles: list[tuple[int, ...]] = []
    write = FileSink.write
    monkeypatch.setattr(
        FileSink, "write", lambda self, start, cells: (tiles.append(cells.shape), write(self, start, cells))
    )
    for memory in (1, 30_000, "1GiB"):
        tiles.clear()
        weft.save(tmp_path / "out.npy", EXPRESSIONS[name](open_file(tmp_path / "x.npy")), memory=memory, order=order)
        assert np.load(tmp_path / "out.npy").tobytes("C") == want.tobytes()
        assert (len(tiles) == 1) == (memory == "1GiB" or want.size <= 1024), (memory, tiles[:3])


@settings(max_examples=40)
@given(data=st.data())
def test_any_shape(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.getbasetemp()
    shape = tuple(data.draw(st.lists(st.integers(0, 9), max_size=4)))
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(data.draw(st.sampled_from(["i2", ">f4", "c8"])))
    np.save(folder / "in.npy", np.asarray(array, order=data.draw(st.sampled_from("CF"))))
    x = open_file(folder / "in.npy")
    axes = data.draw(st.permutations(range(len(shape))))
    order = data.draw(st.sampled_from("CF"))
    weft.save(folder / "out.npy", weft.permute_dims(x + 1, axes), order=order, memory=data.draw(st.integers(50, 5000)))
    np.testing.assert_array_equal(np.load(folder / "out.npy"), np.transpose(array + 1, axes))


def test_several_files_share_what_they_read(tmp_path: Path, meter: Meter) -> None:
    array = np.random.default_rng(0).random((500, 300))
    np.save(tmp_path / "x.npy", array)
    x = open_file(tmp_path / "x.npy")
    low, high = tmp_path / "low.npy", tmp_path / "high.npy"
    weft.store({low: x - 1, high: x + 1}, memory=300_000)
    np.testing.assert_array_equal(np.load(low), array - 1)
    np.testing.assert_array_equal(np.load(high), array + 1)
    assert meter.done == array.nbytes
    assert max(meter.sizes) < array.nbytes / 4
    weft.store([(low, weft.mean(x)), (high, x[:2])], memory=300_000)  # shapes of their own
    assert np.load(low).shape == ()
    np.testing.assert_array_equal(np.load(high), array[:2])


def test_neighbours_are_read_once(tmp_path: Path, meter: Meter) -> None:
    array = np.random.default_rng(0).random((500, 300))
    np.save(tmp_path / "x.npy", array)
    x = open_file(tmp_path / "x.npy")
    weft.save(tmp_path / "out.npy", x[2:] - 2 * x[1:-1] + x[:-2], memory=500_000)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), array[2:] - 2 * array[1:-1] + array[:-2])
    assert array.nbytes < meter.done < 1.2 * array.nbytes  # two rows more for every tile


def test_what_every_tile_needs_is_computed_once(tmp_path: Path, meter: Meter) -> None:
    array = np.random.default_rng(0).random((1000, 3000))
    np.save(tmp_path / "x.npy", array)
    for value, times in ((lambda x: x - weft.mean(x), 2), (lambda x: x - weft.mean(x, axis=1, keepdims=True), 1)):
        meter.done = 0
        weft.save(tmp_path / "out.npy", value(open_file(tmp_path / "x.npy")), memory="2MiB")
        assert meter.done == times * array.nbytes
        np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), value(weft.asarray(array)).numpy())


class Chunked(FileSink):
    """Rows of a raw file that are written in whole chunks."""

    tile = (64, 30)


def test_tiles_are_made_of_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrote: list[tuple[tuple[int, ...], tuple[int, ...]]] = []

    class Sink(Chunked):
        def write(self, start: tuple[int, ...], cells: NDArray[Any]) -> None:
            wrote.append((start, cells.shape))

    def opened(path: str, fields: dict[str, Field]) -> dict[str, Sink]:
        Path(path).touch()
        return {name: Sink(path, 0, f.dtype, f.big, f.shape, "C") for name, f in fields.items()}

    monkeypatch.setitem(sinks.WRITERS, ".chunked", Writer(opened))
    weft.save(tmp_path / "x.chunked", weft.zeros((500, 100)) + 1, memory=120_000)
    assert len(wrote) > 4
    for start, shape in wrote:
        assert all(s % c == 0 for s, c in zip(start, (64, 30), strict=True))
        assert all(n % c == 0 or s + n == m for s, n, c, m in zip(start, shape, (64, 30), (500, 100), strict=True))


# ---- what goes wrong


def old_file(tmp_path: Path) -> Path:
    path = tmp_path / "out.npy"
    path.write_bytes(b"old")
    return path


def unchanged(path: Path) -> bool:
    return path.read_bytes() == b"old" and os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("fault", [OutOfMemory("sort: no memory"), KeyboardInterrupt()], ids=["error", "interrupt"])
def test_a_fault_while_a_tile_is_computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Any) -> None:
    path, turns, restricted = old_file(tmp_path), iter(range(1000)), sweep.restricted_together

    def failing(*arguments: Any) -> Any:
        if next(turns) == 40:
            raise fault
        return restricted(*arguments)

    monkeypatch.setattr(sweep, "restricted_together", failing)
    with pytest.raises(type(fault)):
        weft.save(path, weft.arange(100_000) * 2, memory=10_000)
    assert unchanged(path)


def test_a_fault_while_a_tile_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, turns, pwrite = old_file(tmp_path), iter(range(1000)), os.pwrite

    def full(*arguments: Any) -> int:
        if next(turns) == 3:
            raise OSError(28, "No space left on device")
        return pwrite(*arguments)

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(WriteError, match=r"out\.npy: no space left on device; nothing was changed; check the folder"):
        weft.save(path, weft.arange(100_000) * 2, memory=100_000)
    assert unchanged(path)


def test_a_disk_that_is_full_is_known_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = old_file(tmp_path)
    monkeypatch.setattr(save, "write_jobs", lambda *args: pytest.fail("computed in vain"))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(WriteError, match="file too large; nothing was changed"):
            weft.save(path, weft.zeros(10_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert unchanged(path)


def test_one_of_several_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = old_file(tmp_path)
    with pytest.raises(WriteError, match="no such file or directory"):
        weft.store([(path, weft.arange(3)), (tmp_path / "none" / "b.npy", weft.arange(3))])
    assert unchanged(path)


def test_a_folder_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = old_file(tmp_path)

    def refused(*_: Any) -> int:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched, pytest.raises(WriteError, match="permission denied; nothing was changed"):
        patched.setattr(os, "open", refused)  # root may write anywhere
        weft.save(path, weft.arange(3))
    assert unchanged(path)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (
            ("x.txt", 1),
            {},
            FileFormatError,
            r"save: .*x\.txt: the ending '\.txt' names no known format; known are \.npy",
        ),
        (("x.h5::a", 1), {}, FileFormatError, r"x\.h5::a: .*; give the path without ::NAME, and a dictionary"),
        (
            ("x.npy", 1),
            {"chunks": 3},
            ValueRangeError,
            r"option 'chunks' is unknown; \.npy takes order, byteorder; leave it out",
        ),
        (("x.npy", 1), {"order": "K"}, ValueRangeError, "order 'K'; cells lie in 'C' or 'F' order; pass one of them"),
        (("x.npy", {"a": 1}), {}, FileFormatError, r"\.npy holds one array; several fit in .*; save each on its own"),
        (("x.npy", {}), {}, ValueRangeError, "as names; a file of several values names each; give them names"),
        (("x.npz", {"m": {"w": 1}}), {}, ValueRangeError, "a dict under 'm'; a file has one level of names; name its"),
        (("x.npy", 1), {"memory": "much"}, ValueRangeError, "memory: 'much' is no amount of memory"),
    ],
)
def test_requests_that_are_wrong(
    tmp_path: Path, arguments: tuple[str, Any], options: Mapping[str, Any], error: Any, message: str
) -> None:
    with pytest.raises(error, match=message):
        weft.save(tmp_path / arguments[0], arguments[1], **options)
    assert os.listdir(tmp_path) == []


def test_one_name_for_two(tmp_path: Path) -> None:
    with pytest.raises(ValueRangeError, match="is named twice; one file holds one value"):
        weft.store([(tmp_path / "a.npy", 1), (tmp_path / "a.npy", 2)])
    os.symlink("a.npy", tmp_path / "b.npy")
    for same in (f"{tmp_path}/./a.npy", tmp_path / "b.npy"):
        with pytest.raises(ValueRangeError, match="is named twice; one file holds one value"):
            weft.store([(tmp_path / "a.npy", 1), (same, 2)])
    assert os.listdir(tmp_path) == ["b.npy"]


def test_a_file_may_be_made_of_itself(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    weft.save(path, weft.arange(5000))
    weft.save(path, weft.open(path)[::-1] * 2, memory=3000)
    assert np.load(path)[:3].tolist() == [9998, 9996, 9994]


def test_a_large_call_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.save(tmp_path / "x.npy", np.zeros((100, 100)))
    monkeypatch.setattr("weft.sources.read.loading.LARGE_READ", 0)
    monkeypatch.setattr("weft.sources.read.loading.available_memory", lambda: 1000)
    with (
        limited(1000),
        pytest.raises(OutOfMemory, match="cholesky: 80000 bytes to read, 1000 bytes of memory are free; 160000"),
    ):
        weft.save(tmp_path / "out.npy", weft.linalg.cholesky(open_file(tmp_path / "x.npy")))
    assert sorted(os.listdir(tmp_path)) == ["x.npy"]


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
@pytest.mark.parametrize("byteorder", [None, "little", "big"])
@pytest.mark.parametrize("order", [None, "C", "F"])
@pytest.mark.parametrize("dtype", ["<f4", ">f4"])
def test_npy_keeps_order_and_byte_order(tmp_path, layout, byteorder, order, dtype):
    array = layout(np.arange(6).reshape(2, 3).astype(dtype))
    given = {key: value for key, value in (("order", order), ("byteorder", byteorder)) if value is not None}
    weft.save(tmp_path / "a.npy", weft.asarray(array), **given)
    found = np.load(tmp_path / "a.npy")
    np.testing.assert_array_equal(found, array)
    columns = array.flags.f_contiguous if order is None else order == "F"
    assert found.flags.f_contiguous is columns
    assert found.dtype.str[0] == {None: dtype[0], "little": "<", "big": ">"}[byteorder]


def test_an_unknown_byte_order(tmp_path):
    with pytest.raises(ValueRangeError, match=r"byteorder 'middle'; cells are 'little' or 'big'; pass one of them"):
        weft.save(tmp_path / "a.npy", [1.0], byteorder="middle")


@pytest.mark.parametrize("chunks", [(100, 600), (100, 40), (7, 600)])
def test_tiles_are_written_beside_each_other(
    tmp_path: Path, chunks: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    array = np.random.default_rng(0).random((3000, 600))
    weft.save(tmp_path / "a.npy", array)
    running: list[tuple[int, ...]] = []
    most: list[int] = []
    written: list[tuple[int, ...]] = []
    write, write_chunk = ZarrSink.write, ZarrSink._write_chunk

    def counted(self: ZarrSink, start: tuple[int, ...], values: NDArray[Any]) -> None:
        running.append(start)
        most.append(len(running))
        write(self, start, values)
        running.remove(start)

    def noted(self: ZarrSink, index: tuple[int, ...], part: Any, cells: Any) -> None:
        written.append(index)
        write_chunk(self, index, part, cells)

    monkeypatch.setattr(ZarrSink, "write", counted)
    monkeypatch.setattr(ZarrSink, "_write_chunk", noted)
    threads = weft.get_num_threads()
    weft.set_num_threads(3)
    try:
        x = weft.open(tmp_path / "a.npy") + 1
        save.write(
            [(tmp_path / "b.zarr", x)], memory="128MiB", options={"chunks": chunks, "compressor": "gzip", "level": 1}
        )
    finally:
        weft.set_num_threads(threads)
    assert np.array_equal(weft.open(tmp_path / "b.zarr"), array + 1)
    assert 1 < max(most) <= 3
    assert len(set(written)) == len(written)
