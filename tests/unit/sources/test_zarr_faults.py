"""Damaged, lying and hostile Zarr stores: an error that says what, never a crash, never a wrong value."""

from __future__ import annotations

import gzip
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from zarr_stores import V2_CODECS, V3_CODECS, change, codec3, create, metadata_of, opened

import weft
from tests.shares import examples
from weft.errors import FileFormatError, ValueRangeError
from weft.sources.formats.cell_run import NoSuchArray
from weft.sources.read.loading import open_source
from weft.sources.zarr import chunk_source
from weft.sources.zarr.codecs import _crc32c, crc32c
from weft.sources.zarr.codecs import numcodecs as library
from weft.sources.zarr.zarr_array import open_zarr

zarr = pytest.importorskip("zarr")
numcodecs = pytest.importorskip("numcodecs")

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
    shard.write_bytes(b"these bytes are no gzip")
    damaged(path, "c/0: gzip cannot decode 23 bytes: (IsalE|e)rror")
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


@settings(max_examples=examples(150, quick=40))
@given(st.data())
def test_damaged_bytes_raise_or_are_values(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
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


@settings(max_examples=examples(200, quick=40))
@given(st.data())
def test_damaged_metadata_raise_or_are_read(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    folder = tmp_path_factory.getbasetemp() / "metadata"
    path = folder / str(data.draw(st.sampled_from([2, 3])))
    name = "zarr.json" if path.name == "3" else ".zarray"
    if not path.exists():
        create(path, np.zeros((4, 4)), chunks=(2, 2), zarr_format=int(path.name),
               **({"shards": (4, 4)} if path.name == "3" else {}))  # fmt: skip
        (folder / f"{path.name}.json").write_text((path / name).read_text())
    found = json.loads((folder / f"{path.name}.json").read_text())
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


@pytest.mark.parametrize("gone", [False, True])
def test_a_store_replaced_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: bool) -> None:
    path = tmp_path / "a.zarr"
    weft.save(path, weft.ones((6, 6)), chunks=(2, 2))
    x, share = weft.open(path), chunk_source.share

    def late(*arguments: Any) -> None:
        if gone:
            shutil.rmtree(path)
        else:
            weft.save(path, weft.ones((6, 6)) * 2, chunks=(2, 2))
        share(*arguments)

    monkeypatch.setattr(chunk_source, "share", late)
    with pytest.raises(FileFormatError, match=r"has changed since it was opened|no such file"):
        x.numpy()
