"""Zarr stores that are written: what others read in them, and what weft reads back."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import weft
from weft import dtypes as dt
from weft.errors import ValueRangeError
from weft.sources.write.sink import Field
from weft.sources.zarr.recorded_codecs import STAGES
from weft.sources.zarr.zarr_array import open_zarr
from weft.sources.zarr.zarr_write import ZarrSink, open_store

zarr = pytest.importorskip("zarr")
numcodecs = pytest.importorskip("numcodecs")


def read(path: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return zarr.open_array(str(path), mode="r")


@st.composite
def layouts(draw: Any) -> tuple[Any, bool, dict[str, Any]]:
    """An array, whether to store it big-endian, and options."""
    shape = draw(st.lists(st.integers(0, 7), max_size=3).map(tuple))
    dtype = draw(st.sampled_from([d for d in dt.COMMON if d is not dt.bfloat16]))
    cells = np.arange(np.prod(shape, dtype=int)).reshape(shape) % 5
    chunks = tuple(draw(st.integers(1, 4)) for _ in shape)
    options = {
        "chunks": draw(st.sampled_from([None, chunks, 3])),
        "version": draw(st.sampled_from([2, 3])),
        "order": draw(st.sampled_from("CF")),
        "compressor": draw(st.sampled_from([None, "zstd", "gzip", "blosc"])),
    }
    if options["version"] == 3 and draw(st.booleans()):
        options["chunks"] = chunks
        options["shards"] = tuple(n * draw(st.integers(1, 3)) for n in chunks)
    return cells.astype(dtype.np), draw(st.booleans()), options


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    path = tmp_path_factory.mktemp("w") / "a.zarr"
    array, big, options = data.draw(layouts())
    dtype = dt.from_numpy(array.dtype)[0]
    sink = open_store(str(path), {"": Field(dtype, big, array.shape)}, **options)[""]
    assert sink.order == options["order"]
    starts = [range(0, max(n, 1), data.draw(st.integers(1, 5))) for n in array.shape]
    for index in data.draw(st.permutations(list(np.ndindex(*map(len, starts))))):
        start = tuple([s[i] for s, i in zip(starts, index, strict=True)])
        sink.write(start, array[(*[slice(a, a + s.step) for a, s in zip(start, starts, strict=True)], ...)])
    sink.close()
    np.testing.assert_array_equal(read(path)[...], array)
    source = open_zarr(str(path))
    assert (source.dtype, source.big) == (dtype, big and dtype.itemsize > 1)
    np.testing.assert_array_equal(weft.open(path).numpy(), array)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("big", [False, True])
def test_bfloat16(tmp_path: Path, version: int, big: bool) -> None:
    sink = open_store(str(tmp_path / "a"), {"": Field(dt.bfloat16, big, (5,))}, chunks=2, version=version)[""]
    cells = np.arange(1, 6).astype(dt.bfloat16.np)
    for k in range(5):
        sink.write((k,), cells[k : k + 1])
    sink.close()
    assert weft.open(tmp_path / "a").tolist() == [1, 2, 3, 4, 5]


def test_save_and_open(tmp_path: Path) -> None:
    x = weft.arange(24.0).reshape((4, 6))
    weft.save(tmp_path / "a.zarr", x * 2, chunks=(2, 3), compressor="zstd", level=1, dtype=">f4")
    source = open_zarr(str(tmp_path / "a.zarr"))
    assert (source.big, source.chunks) == (True, (2, 3))
    assert weft.open(tmp_path / "a.zarr")[1:3, ::5].tolist() == [[12, 22], [24, 34]]
    weft.save(tmp_path / "a.zarr", x[0], version=2)  # takes the place of a store
    assert weft.open(tmp_path / "a.zarr").tolist() == [0, 1, 2, 3, 4, 5]
    weft.save(tmp_path / "g.zarr", {"a": x, "deep/b": x[0], "deep/c": x[0, 0]})
    assert list(weft.open_all(tmp_path / "g.zarr")) == ["a", "deep/b", "deep/c"]
    assert weft.open(tmp_path / "g.zarr", name="deep/c").item() == 0
    group = zarr.open_group(str(tmp_path / "g.zarr"), mode="r")
    np.testing.assert_array_equal(group["deep/b"][...], np.arange(6.0))


def test_zeros_are_not_stored_but_negative_ones_are(tmp_path: Path) -> None:
    sink = open_store(str(tmp_path / "a"), {"": Field(dt.float64, False, (6,))}, chunks=2)[""]
    sink.write((0,), np.array([0.0, 0, 1, 0, -0.0, 0]))
    assert sorted(os.listdir(tmp_path / "a" / "c")) == ["1", "2"]
    sink.write((2,), np.zeros(2))
    assert sorted(os.listdir(tmp_path / "a" / "c")) == ["2"]
    assert np.signbit(weft.open(tmp_path / "a").numpy()).tolist() == [False] * 4 + [True, False]


def test_large_arrays_are_written_by_several_threads(tmp_path: Path) -> None:
    x = weft.arange(1 << 19).reshape((512, 1024))
    weft.save(tmp_path / "a.zarr", x, chunks=128, compressor="zstd")
    assert (weft.open(tmp_path / "a.zarr") == x).all().item()
    np.testing.assert_array_equal(read(tmp_path / "a.zarr")[...], x.numpy())


SLOWEST = 30.0  # seconds that two writers wait for each other


@pytest.fixture
def two_threads() -> Iterator[None]:
    before = weft.get_num_threads()
    weft.set_num_threads(2)
    yield
    weft.set_num_threads(before)


def a_store(tmp_path: Path) -> tuple[NDArray[Any], weft.Tensor]:
    """An array of ten chunks, and what a store of it opens as."""
    array = np.arange(10 * 128 * 128, dtype="f4").reshape(10, 128, 128)
    weft.save(tmp_path / "in.zarr", array, chunks=(1, 128, 128))
    return array, weft.open(tmp_path / "in.zarr")


def test_two_tiles_are_written_at_once_within_a_small_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, two_threads: None
) -> None:
    array, x = a_store(tmp_path)
    both, turns, write = Barrier(2, timeout=SLOWEST), iter(range(1000)), ZarrSink.write

    def together(self: ZarrSink, *arguments: Any) -> None:
        if next(turns) < 2:
            both.wait()
        write(self, *arguments)

    monkeypatch.setattr(ZarrSink, "write", together)
    weft.save(tmp_path / "out.zarr", x + 1, chunks=(1, 128, 128), memory=10 * x[0].nbytes)
    np.testing.assert_array_equal(weft.open(tmp_path / "out.zarr").numpy(), array + 1)


def test_a_fault_of_an_encoder_beside_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, two_threads: None
) -> None:
    _, x = a_store(tmp_path)
    turns, running, ended = iter(range(1000)), [], []

    def encode(data: Any) -> bytes:
        running.append(0)
        try:
            if next(turns) == 3:
                raise RuntimeError("no such luck")
            return bytes(data)
        finally:
            ended.append(0)

    monkeypatch.setitem(STAGES, "zstd", lambda parameters, itemsize, data: encode(data))
    with pytest.raises(RuntimeError, match="no such luck"):
        weft.save(tmp_path / "out.zarr", x + 1, chunks=(1, 128, 128), compressor="zstd", memory=10 * x[0].nbytes)
    assert os.listdir(tmp_path) == ["in.zarr"]
    assert 4 <= len(running) == len(ended) < 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"version": 4}, "version 4; versions 2 and 3 are written"),
        ({"compressor": "lzo"}, "compressor 'lzo'; zstd, gzip, blosc and None are known"),
        ({"level": 3}, "level 3; it needs a compressor"),
        ({"compressor": "gzip", "level": 10}, "level 10; gzip takes 0 to 9"),
        ({"version": 2, "shards": 4}, "shards in version 2; shards are written in version 3"),
        ({"chunks": (2, 2)}, r"chunks \(2, 2\) for shape \(6,\); give a size above 0, or one for every axis"),
        ({"chunks": 0}, r"chunks 0 for shape \(6,\)"),
        ({"chunks": 2**60}, r"chunks \(1152921504606846976,\) of int64; they have more bytes than any memory"),
        ({"chunks": 2**62, "version": 2}, r"chunks \(4611686018427387904,\) of int64"),
        ({"chunks": 2, "shards": 2**62}, r"shards \(4611686018427387904,\) of int64"),
        ({"chunks": 2, "shards": 3}, r"shards \(3,\) of chunks \(2,\); chunks must divide shards"),
        ({"order": "K"}, "order 'K'"),
    ],
)
def test_options_that_cannot_be(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueRangeError, match=message):
        weft.save(tmp_path / "a.zarr", weft.arange(6), **options)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("names", [["../a"], ["a", "a/b"], [".a"], ["__a"], ["a//b"]])
def test_names_that_cannot_be(tmp_path: Path, names: list[str]) -> None:
    with pytest.raises(ValueRangeError, match="names are folders, joined by /"):
        open_store(str(tmp_path / "g"), {name: Field(dt.int8, False, (1,)) for name in names})


def test_a_store_that_was_removed_stays_removed(tmp_path: Path) -> None:
    """Another process may have given it up while this one still writes."""
    sink = open_store(str(tmp_path / "x"), {"": Field(dt.float64, False, (4, 4))}, chunks=(2, 2))[""]
    sink.write((0, 0), np.ones((2, 2)))
    shutil.rmtree(tmp_path / "x")
    for start in ((0, 0), (2, 2)):
        with pytest.raises(FileNotFoundError):
            sink.write(start, np.ones((2, 2)))
    assert not list(tmp_path.iterdir())
