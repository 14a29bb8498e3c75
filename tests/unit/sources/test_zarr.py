"""Zarr stores that another library wrote: right values, whatever the codecs, and no byte too many."""

from __future__ import annotations

import gzip
import json
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import weft
from weft.errors import FileFormatError, OutOfMemory, ValueRangeError
from weft.runtime import engine
from weft.sources import loading, ranges
from weft.sources.boxes import Box
from weft.sources.loading import open_source
from weft.sources.run import NoSuchArray
from weft.sources.zarr import ZarrArray, open_zarr, zarr_names
from weft.sources.zarr_codecs import Damaged, _crc32c, crc32c
from weft.sources.zarr_codecs import numcodecs as library
from weft.tensor import Tensor, node_of

zarr = pytest.importorskip("zarr")
numcodecs = pytest.importorskip("numcodecs")
DTYPES = ["?", "i1", "<i2", ">i4", "<u8", "<f2", ">f4", "<f8", "<c8", ">c16"]
V3_CODECS = ["none", "zstd", "gzip", "blosc", "crc32c"]
V2_CODECS: list[Any] = [None, {"id": "zlib"}, {"id": "zstd"}, {"id": "blosc"}, {"id": "lz4"}, {"id": "bz2"}]


def create(path: Path, array: Any, **options: Any) -> Path:
    """A store that zarr-python wrote."""
    options.setdefault("compressors", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = zarr.create_array(str(path), shape=array.shape, dtype=array.dtype, filters=None, **options)
        made[...] = array
    return path


def metadata_of(path: Path, name: str = "zarr.json") -> Any:
    return json.loads((path / name).read_text())


def change(path: Path, name: str = "zarr.json", **fields: Any) -> None:
    """Other metadata for a store."""
    (path / name).write_text(json.dumps(metadata_of(path, name) | fields))


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bytes of each read."""
    meter = ranges.Meter()
    monkeypatch.setattr(ranges, "METERS", [meter])
    monkeypatch.setattr(loading, "METERS", [meter])
    return meter.sizes


@pytest.fixture(params=["reference", "cpu"])
def _transformer(request: pytest.FixtureRequest) -> Iterator[None]:
    with engine.using(engine.transformer(request.param)):
        yield


def opened(path: Path, name: str = "") -> Tensor:
    return open_source(open_zarr(str(path), name))


def codec3(name: str) -> Any:
    import zarr.codecs as c

    return {
        "none": None, "zstd": c.ZstdCodec(level=1, checksum=True), "gzip": c.GzipCodec(), "blosc": c.BloscCodec(),
        "crc32c": c.Crc32cCodec(),
    }[name]  # fmt: skip


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
    np.testing.assert_array_equal(source.read(), array)
    x = open_source(source)[key]
    meter = ranges.Meter()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranges, "METERS", [meter])
        (told,) = engine.reads([node_of(x)]) if x.size else (None,)
        meter.sizes.clear()
        engine.compute([node_of(x)])
    if told is not None:
        assert (told.bytes, told.reads) == (sum(meter.sizes), len(meter.sizes))
        assert len(told.files) == len(told.ranges) == told.reads


@pytest.mark.parametrize("step", [(2, 3), (-1, -2), (1, 1)])
def test_boxes_of_a_source(tmp_path: Path, step: tuple[int, int]) -> None:
    array = np.arange(70.0, dtype=">f4").reshape(7, 10)
    source = open_zarr(str(create(tmp_path / "a", array, chunks=(3, 4), zarr_format=2)))
    start = tuple(0 if s > 0 else n - 1 for s, n in zip(step, array.shape, strict=True))
    got = source.read(start, step, (3, 4), out=np.zeros((3, 4), "<f4"))
    np.testing.assert_array_equal(got, array[:: step[0], :: step[1]][:3, :4])
    with pytest.raises(FileFormatError, match=r"cannot read \(7, 10\) of float32 into \(2,\) of float64; match"):
        source.read(out=np.zeros(2))


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
    (few,), (many,) = engine.reads([node_of(x[::16, ::16])]), engine.reads([node_of(x[:, ::3])])
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
    assert "test_zarr.py" in caught.value.__notes__[0]


# ---- bad input

BAD_METADATA: list[tuple[dict[str, Any], str]] = [
    ({"shape": [-3, 3]}, "negative size"),
    ({"shape": [2**40, 2**40]}, "more than any memory holds"),
    ({"shape": "ab"}, "has shape 'ab'"),
    ({"shape": [3.0, 3]}, r"has shape \(3.0, 3\)"),
    ({"shape": [3]}, "wanted are 1 sizes above 0"),
    ({"data_type": "string"}, "has data_type 'string'"),
    ({"data_type": {"name": "numpy.datetime64", "configuration": {"unit": "s"}}}, r"has data_type .*datetime64"),
    ({"zarr_format": 4}, "has zarr_format 4"),
    ({"storage_transformers": [{"name": "x"}]}, "has storage_transformers"),
    ({"new": {"name": "x"}}, "has the unknown key 'new'"),
    ({"chunk_grid": {"name": "rectilinear", "configuration": {}}}, "has the chunk_grid 'rectilinear'"),
    ({"chunk_grid": 3}, "has chunk_grid 3, wanted is a name"),
    ({"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [0, 2]}}}, r"chunk_shape \[0, 2\], wanted"),
    ({"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [-1, 2]}}}, r"chunk_shape \[-1, 2\]"),
    ({"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2**60, 2]}}}, "more than any memory holds"),
    ({"chunk_key_encoding": {"name": "default", "configuration": {"separator": "/../"}}}, "has chunk_key_encoding"),
    ({"codecs": []}, "has codecs"),
    ({"codecs": [{"name": "lerc"}]}, r"has the codec 'lerc'; known are bytes, transpose, zstd"),
    ({"codecs": [{"name": "transpose", "configuration": {"order": [1, 0]}}]}, "has no codec that makes bytes"),
    ({"codecs": [{"name": "gzip"}]}, r"has the codec 'gzip' out of place in \['gzip'\]"),
    ({"codecs": [{"name": "bytes"}]}, "has bytes of endian None"),
    ({"codecs": [{"name": "transpose", "configuration": {"order": [0, 0]}}]}, r"transposes by \[0, 0\]"),
    ({"codecs": [{"name": "bytes", "configuration": {"endian": "big"}}, {"name": "numcodecs.delta"}]}, "out of place"),
    (
        {"codecs": [{"name": "numcodecs.delta", "configuration": {"dtype": "O"}}]},
        "has dtype 'O'; plain numbers are read",
    ),
    ({"codecs": [{"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 2]}}]}, "in chunks of"),
]


@pytest.mark.parametrize(("fields", "message"), BAD_METADATA)
def test_bad_metadata(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    path = create(tmp_path / "a", np.zeros((3, 3)), chunks=(3, 3))
    change(path, **fields)
    with pytest.raises(FileFormatError, match=message) as caught:
        open_zarr(str(path))
    assert "zarr.json" in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"dtype": "|O"}, r"has dtype '\|O'"),
        ({"dtype": [["a", "<f4"]]}, "has dtype"),
        ({"zarr_format": 1}, "has zarr_format 1"),
        ({"order": "K"}, "has order 'K'"),
        ({"compressor": {"id": "pickle"}}, "has the codec 'pickle'"),
        ({"compressor": "zlib"}, "has the codec 'zlib'"),
        ({"filters": 3}, "cannot be read"),
        ({"filters": [{"id": "zlib"}] * 20}, "has 20 codecs"),
        ({"filters": [{"id": "lzma", "format": 3}]}, "lzma of format 3"),
    ],
)
def test_bad_metadata_of_version_2(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    path = create(tmp_path / "a", np.zeros((3, 3)), zarr_format=2)
    change(path, ".zarray", **fields)
    with pytest.raises(FileFormatError, match=message):
        open_zarr(str(path))


@pytest.mark.parametrize(("text", "message"), [("{", "is no JSON"), ("[1]", "holds list"), ("[" * 99999, "is no JSON")])
def test_metadata_that_are_no_object(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "zarr.json").write_text(text)
    with pytest.raises(FileFormatError, match=message):
        open_zarr(str(tmp_path))
    (tmp_path / "zarr.json").write_text('{"zarr_format": 3, "node_type": "array", "data_type": "int8"}')
    with pytest.raises(FileFormatError, match="has no 'chunk_grid'"):
        open_zarr(str(tmp_path))


def damaged(path: Path, message: str) -> None:
    with pytest.raises(FileFormatError, match=message) as caught:
        opened(path).numpy()
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("codec", [c for c in V3_CODECS if c != "none"])
def test_chunks_cut_short(tmp_path: Path, codec: str) -> None:
    path = create(tmp_path / "a", np.arange(1000.0), chunks=(1000,), compressors=codec3(codec))
    chunk = path / "c" / "0"
    whole = chunk.read_bytes()
    for size in (0, 3, len(whole) // 2, len(whole) - 1):
        chunk.write_bytes(whole[:size])
        damaged(path, rf"c/0: .*{codec}")


def test_chunks_of_another_size(tmp_path: Path) -> None:
    path = create(tmp_path / "a", np.arange(1000.0), chunks=(1000,))
    chunk = path / "c" / "0"
    chunk.write_bytes(chunk.read_bytes()[:-8])
    damaged(path, "c/0: has 7992 bytes, wanted are 8000; the chunk is truncated")
    path = create(tmp_path / "b", np.arange(1000.0), chunks=(1000,), compressors=codec3("zstd"))
    change(path, chunk_grid={"name": "regular", "configuration": {"chunk_shape": [2**50]}}, shape=[10])
    damaged(path, f"zstd claims 8000 bytes, wanted are {2**53}")
    chunk.unlink()
    chunk.mkdir()
    damaged(tmp_path / "a", "is not a regular file")


def test_shards_that_are_encoded_and_shards_in_shards(tmp_path: Path) -> None:
    array = np.arange(100.0)
    path = create(tmp_path / "a", array, chunks=(10,), shards=(100,))
    shard, codecs = path / "c" / "0", metadata_of(path)["codecs"]
    plain = shard.read_bytes()
    shard.write_bytes(gzip.compress(plain))
    change(path, codecs=[*codecs, {"name": "gzip", "configuration": {"level": 5}}])
    assert opened(path)[5:95:10].tolist() == list(range(5, 95, 10))
    shard.write_bytes(gzip.compress(plain)[:-20])
    damaged(path, "c/0: gzip")
    shard.write_bytes(b"no gzip")
    damaged(path, "c/0: gzip cannot decode 7 bytes: error")
    shard.write_bytes(gzip.compress(bytes(1 << 20)))
    damaged(path, "c/0: gzip holds more than")
    index = np.array([[0, len(plain)]], "<u8").tobytes()
    shard.write_bytes(plain + index + crc32c(index).to_bytes(4, "little"))
    outer = {**codecs[0]["configuration"], "chunk_shape": [100], "codecs": codecs}
    change(path, codecs=[{"name": "sharding_indexed", "configuration": outer}])
    np.testing.assert_array_equal(opened(path)[3:47].numpy(), array[3:47])


def test_shards_that_lie(tmp_path: Path) -> None:
    path = create(tmp_path / "a", np.arange(100.0), chunks=(10,), shards=(100,))
    shard = path / "c" / "0"
    whole = shard.read_bytes()
    cells, index = whole[:800], np.frombuffer(whole[800:-4], "<u8").reshape(10, 2)

    def told(index: Any) -> bytes:
        raw = index.astype("<u8").tobytes()
        return cells + raw + crc32c(raw).to_bytes(4, "little")

    shard.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    damaged(path, "crc32c is .* of 160 bytes, wanted is")
    shard.write_bytes(whole[:100])
    damaged(path, "has 100 bytes; the index of its 10 blocks alone takes 164")
    for offset, size, message in (
        (2**63, 80, "its index says 80 bytes at 9223372036854775808"),
        (2**64 - 1, 80, "its index says"),
        (0, 2**64 - 1, "its index says"),
        (900, 80, "has 964 bytes; its index says 80 bytes at 900"),
        (0, 40, "has 40 bytes, wanted are 80"),
    ):
        lying = index.copy()
        lying[3] = offset, size
        shard.write_bytes(told(lying))
        damaged(path, message)
    lying = index.copy()
    lying[3] = 2**64 - 1
    shard.write_bytes(told(lying))
    assert opened(path)[25:35].tolist() == [25, 26, 27, 28, 29, 0, 0, 0, 0, 0]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damaged_bytes_raise_or_are_values(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    """No crash, no other error, and nothing of another size, whatever the bytes are."""
    folder = tmp_path_factory.getbasetemp() / "fuzz"
    version = data.draw(st.sampled_from([2, 3]))
    codec = data.draw(st.sampled_from(V3_CODECS if version == 3 else V2_CODECS))
    path = folder / f"{version}-{codec if version == 3 else (codec or {}).get('id')}"
    if not path.exists():
        made = codec3(codec) if version == 3 else numcodecs.get_codec(codec) if codec else None
        create(path, np.arange(300.0), chunks=(50,), compressors=made, zarr_format=version,
               **({"shards": (150,)} if version == 3 else {}))  # fmt: skip
    chunk = path / ("c/0" if version == 3 else "0")
    whole = chunk.read_bytes()
    bytes_now = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(whole) - 1))
        bytes_now[at] = data.draw(st.integers(0, 255))
    try:
        chunk.write_bytes(bytes_now)
        assert opened(path).numpy().shape == (300,)
    except FileFormatError as e:
        assert str(path) in str(e)
    finally:
        chunk.write_bytes(whole)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damaged_metadata_raise_or_are_read(tmp_path: Path, data: Any) -> None:
    path = tmp_path / str(data.draw(st.sampled_from([2, 3])))
    name = "zarr.json" if path.name == "3" else ".zarray"
    if not path.exists():
        create(path, np.zeros((4, 4)), chunks=(2, 2), zarr_format=int(path.name),
               **({"shards": (4, 4)} if path.name == "3" else {}))  # fmt: skip
        (tmp_path / f"{path.name}.json").write_text((path / name).read_text())
    found = json.loads((tmp_path / f"{path.name}.json").read_text())
    spot = found
    while True:
        key = data.draw(st.sampled_from(sorted(spot) if isinstance(spot, dict) else list(range(len(spot)))))
        if not (isinstance(spot[key], (dict, list)) and spot[key]) or data.draw(st.integers(0, 3)) == 0:
            break
        spot = spot[key]
    spot[key] = data.draw(JSON)
    (path / name).write_text(json.dumps(found))
    try:
        source = open_zarr(str(path))
        if source.metadata.dtype.itemsize * np.prod(source.shape, dtype=object) < 1 << 20:
            open_source(source).numpy()
    except (FileFormatError, NoSuchArray):
        pass


def test_without_numcodecs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = create(tmp_path / "a", np.ones(10), compressors=codec3("zstd"))
    monkeypatch.setitem(sys.modules, "numcodecs.zstd", None)
    library.cache_clear()
    damaged(path, r"c/0: the codec zstd needs the package numcodecs, which is not installed; install weft\[zarr\]")
    with pytest.raises(ValueRangeError, match=r"the codec zstd needs the package numcodecs, .*; install weft\[zarr\]"):
        weft.save(tmp_path / "b.zarr", weft.arange(3), compressor="zstd")
    assert opened(create(tmp_path / "c", np.ones(10))).tolist() == [1] * 10


def test_checksum_without_the_library() -> None:
    for data in (b"", b"a", b"123456789", bytes(range(256))):
        assert _crc32c(data) == crc32c(data)


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    path = create(tmp_path / "a", np.zeros(10), chunks=(10,), compressors=codec3("gzip"))
    (path / "c").mkdir()
    (path / "c" / "0").write_bytes(gzip.compress(bytes(1 << 20)))
    damaged(path, "gzip holds more than 80 bytes")


def test_sources_say_what_they_are(tmp_path: Path) -> None:
    source = open_zarr(str(create(tmp_path / "a", np.zeros((2, 3), ">f4"), chunks=(1, 2), zarr_format=2)))
    assert repr(source) == f"<zarr {tmp_path / 'a'}: float32[2, 3] big-endian, chunks [1, 2]>"
    assert isinstance(source, ZarrArray)
    told = source.fetched([Box((0, 0), (1, 1), (1, 1))])
    assert told.bytes == 0  # zeros are the fill value: nothing is stored
    assert issubclass(Damaged, ValueError)
