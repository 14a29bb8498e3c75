"""Classic NetCDF files: three versions, records with and without padding, headers that lie."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from netcdf_classic import classic

import weft
from weft.errors import FileFormatError
from weft.runtime.memory.limits import limited
from weft.sources.formats.hdf5_array import Hdf5Chunks


def refused(path: Path, **options: object) -> str:
    with pytest.raises(FileFormatError) as caught:
        weft.open(path, **options).numpy()
    return str(caught.value)


def crafted(tmp_path: Path, *parts: object, version: int = 1) -> Path:
    """A header of 4-byte numbers and of bytes as they are."""
    raw = b"".join(p if isinstance(p, bytes) else struct.pack(">I", p) for p in parts)
    path = tmp_path / "a.nc"
    path.write_bytes(b"CDF" + bytes([version]) + raw)
    return path


@pytest.mark.parametrize("attributes", [True, False])
@pytest.mark.parametrize("version", [1, 2, 5])
@pytest.mark.parametrize("records", [False, True])
def test_versions(tmp_path: Path, version: int, records: bool, attributes: bool) -> None:
    arrays = {
        "temperature": np.arange(24, dtype="f8").reshape(4, 2, 3),
        "odd": np.arange(12, dtype="i2").reshape(4, 3),
        "byte": np.arange(4, dtype="i1"),
        "größe": np.arange(4, dtype="f4"),
    }
    classic(tmp_path / "a.nc", arrays, version=version, records=records, attributes=attributes)
    found = weft.open_all(tmp_path / "a.nc")
    assert found.keys() == arrays.keys()
    for name, a in arrays.items():
        np.testing.assert_array_equal(found[name].numpy(), a)
        np.testing.assert_array_equal(found[name][::-2].numpy(), a[::-2])


def test_a_single_record_variable_is_not_padded(tmp_path: Path) -> None:
    array = np.arange(9, dtype="i2").reshape(3, 3)
    classic(tmp_path / "a.nc", {"a": array}, records=True)
    assert weft.open(tmp_path / "a.nc").tolist() == array.tolist()


def test_no_records(tmp_path: Path) -> None:
    classic(tmp_path / "a.nc", {"a": np.zeros((0, 3))}, records=True)
    assert weft.open(tmp_path / "a.nc").shape == (0, 3)


NAME = (1, b"a\0\0\0")
X = (10, 1, *NAME, 3)  # one dimension, a = 3


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((), "4 bytes are wanted, 0 are there"),
        ((2**32 - 1,), "does not say how many records it has"),
        ((0, 9, 1), "a list has tag 9 and 1 items, tag 10 is wanted"),
        ((0, 0, 1), "a list has tag 0 and 1 items"),
        ((0, 10, 2**31), "a list claims 2147483648 items"),
        ((0, 10, 1, 2**31), "2147483648 bytes are wanted"),
        ((0, 10, 1, 1, b"\xff\0\0\0", 3), "is not text"),
        ((0, *X, 12, 1, *NAME, 99, 0), "type 99 is unknown"),
        ((0, *X, 12, 1, *NAME, 6, 2**31), "bytes are wanted"),
        ((0, *X, 0, 0, 11, 1, *NAME, 65), "variable 'a' has 65 axes"),
        ((0, *X, 0, 0, 11, 1, *NAME, 1, 7), "variable 'a' has dimensions [7], there are 1"),
        ((0, *X, 0, 0, 11, 1, *NAME, 1, 0, 0, 0, 0), "type 0 is unknown"),
        ((0, *X, 0, 0, 11, 1, *NAME, 1, 0, 0, 0, 4, 12, 2**31), "needs 12 bytes, 0 follow"),
        ((0, *X, 0, 0, 11, 1, *NAME, 1, 0, 0, 0, 4, 12, 70), "needs 12 bytes, 10 follow"),
        ((0, *X, 0, 0, 11, 2, *(*NAME, 0, 0, 0, 4, 4, 0) * 2), "two variables have one name"),
        (
            (0, 10, 2, *NAME, 3, *NAME, 0, 0, 0, 11, 1, *NAME, 2, 0, 1, 0, 0, 4, 12, 4),
            "record dimension behind its first",
        ),
        ((0, 10, 1, *NAME, 2**31, 0, 0, 11, 1, *NAME, 3, 0, 0, 0, 0, 0, 4, 12, 4), "more than any memory holds"),
        ((0, 0, 0, 0, 0, 0, 0), "holds no array that weft can read"),
        ((0, *X, 0, 0, 11, 1, *NAME, 1, 0, 0, 0, 2, 12, 4), "holds no array that weft can read"),
    ],
)
def test_headers_that_lie(tmp_path: Path, parts: tuple[object, ...], message: str) -> None:
    assert message in refused(crafted(tmp_path, *parts))


def test_text_is_no_number(tmp_path: Path) -> None:
    path = crafted(tmp_path, 0, *X, 0, 0, 11, 1, *NAME, 1, 0, 0, 0, 2, 12, 4)
    assert "variable 'a' is text; weft reads numbers" in refused(path, name="a")


@pytest.mark.parametrize("version", [0, 3, 4, 255])
def test_versions_that_are_unknown(tmp_path: Path, version: int) -> None:
    assert f"has classic format version {version}; versions 1, 2 and 5" in refused(crafted(tmp_path, version=version))


def test_packed_netcdf4_files_are_decoded_chunk_by_chunk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    h5py = pytest.importorskip("h5py")
    stored = np.random.default_rng(0).integers(-300, 300, (120, 50, 40)).astype("i2")
    stored[3, 4, 5] = -32767
    with h5py.File(tmp_path / "x.nc", "w") as file:
        d = file.create_dataset("t", data=stored, chunks=(20, 25, 40), compression="gzip", shuffle=True)
        d.attrs.update(scale_factor=np.float32(0.5), add_offset=np.float32(2.0), _FillValue=np.int16(-32767))
    want = np.where(stored == -32767, np.nan, stored * np.float32(0.5) + np.float32(2.0)).astype("f4")
    decoded: list[tuple[int, ...]] = []
    block = Hdf5Chunks.block
    monkeypatch.setattr(Hdf5Chunks, "block", lambda self, index: decoded.append(index) or block(self, index))
    x = weft.open(tmp_path / "x.nc")
    assert x.dtype is weft.float32 and x.chunks == (20, 25, 40) and decoded == []
    with limited(400 << 10):
        (line,) = weft.explain(weft.nanmax(x, axis=0)).sweeps
        assert line.reads == line.units == 12 and line.tiles >= 12 and line.peak <= 400 << 10
        np.testing.assert_array_equal(weft.nanmax(x, axis=0).numpy(), np.nanmax(want, axis=0))
    assert sorted(decoded) == [(i, j, 0) for i in range(6) for j in range(2)]
