"""Options of the wrong kind: each is refused by name, and NumPy's integers are integers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.errors import DTypeError, FileFormatError, OutOfMemory, ValueRangeError
from weft.sources.zarr import write_options

PAIR = np.array([2, 2])
X = np.arange(12.0).reshape(3, 4)
REFUSED: list[tuple[str, Mapping[str, Any], type[Exception], str]] = [
    ("x.zarr", {"compressor": ["zstd"]}, ValueRangeError, "compressor .*known"),
    ("x.zarr", {"compressor": {}}, ValueRangeError, "compressor .*known"),
    ("x.zarr", {"compressor": PAIR}, ValueRangeError, "compressor .*known"),
    ("x.zarr", {"compressor": "gzip", "level": PAIR}, ValueRangeError, "level .*gzip takes 0 to 9"),
    ("x.zarr", {"compressor": "gzip", "level": True}, ValueRangeError, "level True; gzip takes 0 to 9"),
    ("x.zarr", {"version": PAIR}, ValueRangeError, "version .*versions 2 and 3"),
    ("x.zarr", {"order": PAIR}, ValueRangeError, "order .*'C' or 'F'"),
    ("x.zarr", {"chunks": (2**40, 1)}, ValueRangeError, "chunks .*a chunk is encoded as a whole; give smaller sizes"),
    ("x.zarr", {"chunks": (2**40, 1), "compressor": "zstd"}, ValueRangeError, "a chunk is encoded as a whole"),
    ("x.zarr", {"shards": (2**40, 2), "chunks": 2}, ValueRangeError, "shards .*a shard is encoded as a whole"),
    ("x.npy", {"byteorder": PAIR}, ValueRangeError, "byteorder .*'little' or 'big'"),
    ("x.npy", {"order": PAIR}, ValueRangeError, "order .*'C' or 'F'"),
    ("x.npy", {"format": ["npy"]}, FileFormatError, "the format .*is not written"),
    ("x.npy", {"format": {}}, FileFormatError, "the format .*is not written"),
    ("x.nc", {"dims": 5}, ValueRangeError, "dims 5 for array .*give as many texts"),
    ("x.h5", {"compression": 2**40}, ValueRangeError, "h5py cannot make dataset"),
]


@pytest.mark.parametrize(("name", "options", "kind", "says"), REFUSED)
def test_a_save_refuses_options_of_the_wrong_kind(
    tmp_path: Path, name: str, options: Mapping[str, Any], kind: type[Exception], says: str
) -> None:
    with pytest.raises(kind, match=says):
        weft.save(tmp_path / name, X, **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("region", [PAIR, slice("a"), slice(1.5), slice(0, 2, PAIR)])
def test_a_region_of_other_objects_is_refused(tmp_path: Path, region: Any) -> None:
    weft.save(tmp_path / "x.npy", X)
    with pytest.raises(ValueRangeError, match=r"region=.*a slice of step 1"):
        weft.save(tmp_path / "x.npy", X, region=region)


def test_a_chunk_for_which_no_memory_is_left_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_options, "available_memory", lambda: None)
    with pytest.raises(OutOfMemory):
        weft.save(tmp_path / "x.zarr", X, chunks=(2**45, 1))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "kind", "says"),
    [
        ({"stack": PAIR}, DTypeError, "stack=.*switch"),
        ({"mmap": PAIR}, DTypeError, "mmap=.*switch"),
        ({"format": ["npy"]}, FileFormatError, "the format .*is unknown"),
    ],
)
def test_an_open_refuses_options_of_the_wrong_kind(
    tmp_path: Path, options: Mapping[str, Any], kind: type[Exception], says: str
) -> None:
    weft.save(tmp_path / "x.npy", X)
    with pytest.raises(kind, match=says):
        weft.open(tmp_path / "x.npy", **options)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"shape": 1.5}, "shape 1.5"),
        ({"shape": object()}, "shape .*a shape is a tuple of integers"),
        ({"order": PAIR}, "order .*is unknown"),
    ],
)
def test_a_raw_file_refuses_options_of_the_wrong_kind(tmp_path: Path, options: Mapping[str, Any], says: str) -> None:
    X.tofile(tmp_path / "x.bin")
    with pytest.raises(FileFormatError, match=says):
        weft.open(tmp_path / "x.bin", dtype="f8", **options)


def test_integers_of_numpy_are_integers(tmp_path: Path) -> None:
    two = np.int64(2)
    weft.save(tmp_path / "x.zarr", X, chunks=(two, two), compressor="gzip", level=two, version=two)
    assert weft.open(tmp_path / "x.zarr").chunks == (2, 2)
    weft.save(tmp_path / "y.zarr", X, chunks=two, shards=two)
    assert weft.open(tmp_path / "y.zarr").tolist() == X.tolist()
    X.tofile(tmp_path / "x.bin")
    assert weft.open(tmp_path / "x.bin", dtype="f8", shape=np.int64(12), offset=np.int64(0)).tolist() == [*range(12)]
