"""Zarr stores that another library wrote: right values, whatever the codecs, and no byte too many."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_files import reads
from zarr_stores import DTYPES, V2_CODECS, V3_CODECS, change, codec3, create, opened

import weft
from weft.errors import FileFormatError, OutOfMemory
from weft.runtime.compute import engine, stages
from weft.runtime.memory import allocator
from weft.runtime.memory.limits import limited
from weft.sources.formats.cell_run import NoSuchArray
from weft.sources.read import byte_ranges
from weft.sources.read.loading import open_source
from weft.sources.read.touched_boxes import Box
from weft.sources.zarr.codecs import DamagedChunk
from weft.sources.zarr.zarr_array import ZarrArray, open_zarr, zarr_names
from weft.tensors.tensor import node_of

zarr = pytest.importorskip("zarr")
numcodecs = pytest.importorskip("numcodecs")


@st.composite
def stores(draw: Any) -> tuple[Any, dict[str, Any]]:
    """An array and how to store it."""
    shape = draw(st.lists(st.integers(0, 9), max_size=3).map(tuple))
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    inner = tuple(draw(st.integers(1, 4)) for _ in shape)
    options: dict[str, Any] = {"chunks": inner, "zarr_format": draw(st.sampled_from([2, 3])), "fill_value": 1}
    if options["zarr_format"] == 2:
        codec = draw(st.sampled_from(V2_CODECS))
        options["compressors"] = None if codec is None else numcodecs.get_codec(codec)
        options["order"] = draw(st.sampled_from("CF"))
        options["chunk_key_encoding"] = {"name": "v2", "separator": draw(st.sampled_from("./"))}
        return array, options
    options["compressors"] = codec3(draw(st.sampled_from(V3_CODECS)))
    if shape and draw(st.booleans()):
        options["shards"] = tuple(n * draw(st.integers(1, 3)) for n in inner)
    if shape and draw(st.booleans()):
        options["filters"] = [zarr.codecs.TransposeCodec(order=draw(st.permutations(range(len(shape)))))]
    if dtype.itemsize > 1:
        options["serializer"] = zarr.codecs.BytesCodec(endian=draw(st.sampled_from(["little", "big"])))
    return array, options


@st.composite
def keys(draw: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    def one(n: int) -> Any:
        if n and draw(st.integers(0, 4)) == 0:
            return draw(st.integers(-n, n - 1))
        bound = st.none() | st.integers(-n - 1, n + 1)
        return slice(draw(bound), draw(bound), draw(st.sampled_from([None, 1, 2, 3, -1, -2])))

    return tuple(one(n) for n in shape)


def write(path: Path, array: Any, options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = zarr.create_array(str(path), shape=array.shape, dtype=array.dtype, **{"filters": None, **options})
        made[...] = array


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_stores_of_every_kind(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    path = tmp_path_factory.mktemp("z") / "a"
    array, options = data.draw(stores())
    write(path, array, options)
    key = data.draw(keys(array.shape))
    source = open_zarr(str(path))
    assert source.dtype is weft.asarray(array.astype(array.dtype.newbyteorder("="))).dtype
    np.testing.assert_array_equal(open_source(source).numpy(), array)
    with engine.using(engine.transformer("reference")):
        np.testing.assert_array_equal(open_source(source)[key].numpy(), array[key])
    x = open_source(source)[key]
    meter = byte_ranges.Meter()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(byte_ranges, "METERS", [meter])
        (told,) = reads(x) if x.size else (None,)
        meter.sizes.clear()
        stages.compute([node_of(x)])
    if told is not None:
        assert (told.bytes, told.reads) == (sum(meter.sizes), len(meter.sizes))
        assert len(told.files) == len(told.ranges) == told.reads


@pytest.mark.usefixtures("_transformer")
@pytest.mark.parametrize("shards", [None, (128, 128)])
def test_uncompressed_chunks_give_exact_ranges(tmp_path: Path, reads: list[int], shards: Any) -> None:
    array = np.arange(256 * 256, dtype="f4").reshape(256, 256)
    path = create(tmp_path / "a", array, chunks=(64, 64), shards=shards)
    index = 0 if shards is None else 4 * 16 + 4
    np.testing.assert_array_equal(opened(path)[100].numpy(), array[100])
    assert sum(reads) == 1024 + 2 * index
    reads.clear()
    np.testing.assert_array_equal(opened(path)[60:70, 100:110].numpy(), array[60:70, 100:110])
    assert sum(reads) == 400 + index
    reads.clear()
    np.testing.assert_array_equal(opened(path)[:, 7][::16].numpy(), array[:, 7][::16])
    assert sum(reads) == 64 + 2 * index
    reads.clear()
    np.testing.assert_array_equal(opened(path).numpy(), array)
    assert sum(reads) == array.nbytes + 4 * index


def test_few_runs_are_read_exactly_and_many_through(tmp_path: Path) -> None:
    array = np.arange(256 * 256, dtype="f4").reshape(256, 256)
    x = opened(create(tmp_path / "a", array, chunks=(64, 64)))
    (few,), (many,) = reads(x[::16, ::16]), reads(x[:, ::3])
    assert (few.bytes, few.reads) == (1024, 256)
    assert many.reads == 16


def test_huge_arrays_of_which_little_is_read(tmp_path: Path) -> None:
    path = create(tmp_path / "a", np.ones((4, 4), "f4"), chunks=(2, 2))
    change(path, shape=[2**21, 2**21])
    assert opened(path)[1:3, 2:5].tolist() == [[1, 1, 0], [1, 1, 0]]
    change(path, shape=[2**40, 2**18])
    with pytest.raises(OutOfMemory, match=rf"a: no addresses for {2**60} bytes; the system limits them"):
        opened(path)[0, 0].item()


def test_a_chunk_is_decoded_once_for_all_its_boxes(tmp_path: Path, reads: list[int]) -> None:
    array = np.arange(400.0).reshape(20, 20)
    path = create(tmp_path / "a", array, chunks=(10, 10), compressors=codec3("zstd"))
    x = opened(path)
    y = weft.concat([x[::3], x[1::3, ::-1], weft.flip(x)[:5]])
    wanted = np.concat([array[::3], array[1::3, ::-1], np.flip(array)[:5]])
    np.testing.assert_array_equal(y.numpy(), wanted)
    assert len(reads) == 4


@pytest.mark.parametrize(
    ("dtype", "fill"), [("f4", np.nan), ("f8", -np.inf), ("c8", complex(1, np.inf)), ("?", True), ("i8", -3), ("f2", 7)]
)
@pytest.mark.parametrize("version", [2, 3])
def test_missing_chunks_are_the_fill_value(tmp_path: Path, dtype: str, fill: Any, version: int) -> None:
    made = zarr.create_array(
        str(tmp_path / "a"), shape=(7,), chunks=(3,), dtype=dtype, fill_value=fill, zarr_format=version
    )
    made[3:6] = 0
    np.testing.assert_array_equal(opened(tmp_path / "a").numpy(), made[...])


def test_fill_values_spelled_as_bits(tmp_path: Path) -> None:
    path = create(tmp_path / "a", np.zeros(3, "f4"))
    change(path, fill_value="0x7fc00001")
    cell = open_zarr(str(path)).metadata.fill
    assert cell.view("u4") == 0x7FC00001
    for wrong in ("0x1" + "0" * 9, "nan", "Infinit", [1, 2], {}, True, None):
        change(path, fill_value=wrong)
        with pytest.raises(FileFormatError, match=r"has fill_value .* which is no float32"):
            open_zarr(str(path))


def test_bfloat16(tmp_path: Path) -> None:
    path = create(tmp_path / "a", np.zeros((2, 3), "u2"), chunks=(1, 2))
    codecs = [{"name": "bytes", "configuration": {"endian": "big"}}]
    change(path, data_type="bfloat16", codecs=codecs, fill_value=1.5)
    (path / "c" / "0").mkdir(parents=True)
    (path / "c" / "0" / "0").write_bytes(b"\x3f\x80\x40\x00")
    assert opened(path).tolist() == [[1, 2, 1.5], [1.5, 1.5, 1.5]]


def test_filters(tmp_path: Path) -> None:
    array = np.arange(20, dtype="<i4")
    filters = [numcodecs.Delta(dtype="<i4", astype="<i2"), numcodecs.Shuffle(2)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = zarr.create_array(
            str(tmp_path / "a"), shape=20, chunks=6, dtype="<i4", filters=filters,
            compressors=numcodecs.Zstd(), zarr_format=2,
        )  # fmt: skip
        made[...] = array
    np.testing.assert_array_equal(opened(tmp_path / "a")[3:].numpy(), array[3:])


def test_names(tmp_path: Path) -> None:
    group = zarr.create_group(str(tmp_path / "g"))
    for name in ("b", "a", "deep/er/c"):
        made = group.create_array(name, shape=(2,), dtype="i4")
        made[...] = [1, 2]
    assert zarr_names(str(tmp_path / "g")) == ["a", "b", "deep/er/c"]
    assert opened(tmp_path / "g", "deep/er/c").tolist() == [1, 2]
    assert zarr_names(str(tmp_path / "g" / "a")) == [""]
    with pytest.raises(NoSuchArray):
        open_zarr(str(tmp_path / "g"), "deep")
    for wrong in ("..", "/a", "a/", "a/../b", "a\\b", "a\0"):
        with pytest.raises(FileFormatError, match="is no name inside the store; names are folders below it"):
            open_zarr(str(tmp_path / "g"), wrong)


def test_no_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    for name, fact in (("no", "no such file or folder"), ("file", "is a file"), ("empty", "holds none of zarr.json")):
        with pytest.raises(FileFormatError, match=fact):
            open_zarr(str(tmp_path / name))


def test_files_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = create(tmp_path / "a", np.ones((3, 3)))
    x, plain = opened(path), os.open

    def denied(name: Any, *args: Any) -> int:
        if str(name).endswith(secret):
            raise PermissionError(13, "Permission denied")
        return plain(name, *args)

    monkeypatch.setattr(os, "open", denied)
    secret = "zarr.json"
    with pytest.raises(FileFormatError, match=r"zarr\.json: cannot be opened: permission denied"):
        opened(path)
    secret = "c/0/0"
    with pytest.raises(FileFormatError, match=r"c/0/0: cannot be opened: permission denied"):
        x.numpy()


def test_a_changed_store_is_refused_and_the_line_is_named(tmp_path: Path) -> None:
    path = create(tmp_path / "a", np.zeros((3, 3)))
    x = opened(path)
    change(path, attributes={"longer": "metadata"})
    with pytest.raises(FileFormatError, match=r"zarr\.json: has changed since it was opened") as caught:
        x.numpy()
    assert "zarr_stores.py" in caught.value.__notes__[0]


def test_sources_say_what_they_are(tmp_path: Path) -> None:
    source = open_zarr(str(create(tmp_path / "a", np.zeros((2, 3), ">f4"), chunks=(1, 2), zarr_format=2)))
    assert repr(source) == f"<zarr {tmp_path / 'a'}: float32[2, 3] big-endian, chunks [1, 2]>"
    assert isinstance(source, ZarrArray)
    told = source.fetched([Box((0, 0), (1, 1), (1, 1))])
    assert told.bytes == 0  # zeros are the fill value: nothing is stored
    assert issubclass(DamagedChunk, ValueError)


def test_encoded_bytes_of_large_chunks_come_from_the_pool(tmp_path: Path) -> None:
    cells = np.random.default_rng(0).integers(0, 1 << 30, 1 << 19)
    weft.save(tmp_path / "x.zarr", cells, chunks=cells.shape, compressor="gzip")
    source, before = open_zarr(str(tmp_path / "x.zarr")), allocator.HEAP.allocations
    assert np.array_equal(source.block((0,)), cells)
    assert allocator.HEAP.allocations == before + 2  # of the file's bytes, and of the cells


def test_cells_of_encoded_chunks_are_read_by_two_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    array = np.arange(4 * 512 * 512, dtype="f4").reshape(4, 512, 512)
    weft.save(tmp_path / "a.zarr", array, chunks=(2, 512, 512), compressor="zstd")
    x, both, read = weft.open(tmp_path / "a.zarr"), Barrier(2, timeout=60.0), ZarrArray.read_chunk

    def together(self: ZarrArray, *arguments: Any) -> None:
        both.wait()  # raises BrokenBarrierError if no other thread comes
        read(self, *arguments)

    monkeypatch.setattr(ZarrArray, "read_chunk", together)
    before = weft.get_num_threads()
    weft.set_num_threads(2)
    try:
        with limited("16MiB"):  # which no decoded chunk is kept beside
            np.testing.assert_array_equal(x[:, 3, 5].numpy(), array[:, 3, 5])
    finally:
        weft.set_num_threads(before)
