"""A flipped bit in a file with checksums is an error wherever all of the bytes are read."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from formats.test_torch_weights import _torch, save, whole  # noqa: F401

import weft
from tests.shares import in_turn
from weft.errors import FileFormatError
from weft.runtime.memory.limits import limited
from weft.sources.zarr.codecs import crc32c
from weft.tensors.tensor import node_of

VALUES = np.arange(1, 601, dtype=np.float32).reshape(20, 30)


def flipped(path: Path, cells: bytes) -> Path:
    """Return the path of a file in which a bit of these cells, held as they are, is flipped."""
    data = bytearray(path.read_bytes())
    assert data.count(cells) == 1
    data[data.index(cells) + len(cells) // 2 + 4] ^= 4
    path.write_bytes(data)
    return path


def npz(folder: Path) -> Path:
    np.savez(folder / "x.npz", a=VALUES, b=VALUES + 1)
    return folder / "x.npz"


def npz_by_weft(folder: Path) -> Path:
    weft.save(folder / "x.npz", {"a": VALUES})
    return folder / "x.npz"


def npz_columns(folder: Path) -> Path:
    np.savez(folder / "x.npz", a=np.asfortranarray(VALUES))
    return folder / "x.npz"


def torch(folder: Path) -> Path:
    return save(folder / "x.pt", {"a": whole(VALUES)})


def fits(checksum: bool | str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        library = pytest.importorskip("astropy.io.fits")
        units = [library.PrimaryHDU(), library.ImageHDU(VALUES, name="a")]
        library.HDUList(units).writeto(folder / "x.fits", checksum=checksum)
        return folder / "x.fits"

    return make


FILES: dict[str, tuple[Callable[[Path], Path], bytes]] = {
    "npz": (npz, VALUES.tobytes()),
    "npz by weft": (npz_by_weft, VALUES.tobytes()),
    "npz columns": (npz_columns, VALUES.T.tobytes()),
    "torch": (torch, VALUES.tobytes()),
    "fits": (fits(True), VALUES.astype(">f4").tobytes()),
    "fits datasum": (fits("datasum"), VALUES.astype(">f4").tobytes()),
}


def name_of(path: Path) -> dict[str, Any]:
    return {"hdu": "A"} if path.suffix == ".fits" else {"name": "a"}


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_bit(tmp_path: Path, name: str) -> None:
    make, cells = FILES[name]
    path = make(tmp_path)
    np.testing.assert_array_equal(weft.open(path, **name_of(path)).numpy(), VALUES)
    x = weft.open(flipped(path, cells), **name_of(path))
    with pytest.raises(
        FileFormatError, match=r"::[aA]: has checksum \w{8}, .* says \w{8}; .* damaged.*; take it"
    ) as caught:
        x.sum().item()
    assert str(path) in str(caught.value)
    np.testing.assert_array_equal((x[0] + 0).numpy(), VALUES[0])  # a part is not verified
    with pytest.raises(FileFormatError, match="has checksum"):  # each time
        x.numpy()


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_bit_is_seen_in_tiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr("weft.sources.read.checksums.LEAST", 1)
    make, cells = FILES[name]
    path = make(tmp_path)
    rows = [slice(0, 7), slice(12, 20), slice(7, 12)]
    columns = name == "npz columns"

    def read(x: weft.Tensor) -> None:
        for part in rows:
            ((x[:, part] if columns else x[part]) + 0).numpy()

    read(weft.open(path, **name_of(path)))
    x = weft.open(flipped(path, cells), **name_of(path))
    if columns:
        with pytest.raises(FileFormatError, match="has checksum"):
            for part in (slice(0, 12), slice(12, 30)):
                (x[:, part] + 0).numpy()
    else:
        with pytest.raises(FileFormatError, match="has checksum"):
            read(x)


WHOLE: dict[str, Callable[[weft.Tensor, Path], object]] = {
    "mean of rows": lambda x, _: x.mean(axis=0).numpy(),
    "max of rows": lambda x, _: x.max(axis=0).numpy(),
    "max of columns": lambda x, _: x.max(axis=2).numpy(),
    "std": lambda x, _: x.std(axis=0).numpy(),
    "quantile": lambda x, _: weft.quantile(x, 0.5, axis=0).numpy(),
    "differences": lambda x, _: weft.diff(x, axis=1).max().item(),
    "columns": lambda x, folder: weft.save(folder / "y.zarr", x, chunks=(60, 2, 5)),
    "transposed": lambda x, folder: weft.save(folder / "y.npy", weft.permute_dims(x, (2, 1, 0))),
}


@pytest.mark.parametrize(("name", "limit", "order"), in_turn(WHOLE, [None, 100_000, 1_000_000], "CF", every=6))
def test_a_flipped_bit_is_seen_by_all_that_reads_every_cell(
    tmp_path: Path, name: str, limit: int | None, order: str
) -> None:
    values = np.random.default_rng(0).normal(size=(60, 40, 50)).astype("f4")
    np.savez(tmp_path / "x.npz", a=np.asarray(values, order=order))  # type: ignore[call-overload]
    with limited(limit):
        right = weft.open(tmp_path / "x.npz")
        for _ in range(2):
            WHOLE[name](right, tmp_path)
        x = weft.open(flipped(tmp_path / "x.npz", (values if order == "C" else values.T).tobytes()))
        for _ in range(2):  # each time
            with pytest.raises(FileFormatError, match="has checksum"):
                WHOLE[name](x, tmp_path)
        np.testing.assert_array_equal((x[3:5, 1] + 0).numpy(), values[3:5, 1])  # a part is not verified


def test_a_few_cells_of_a_member_are_not_summed(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.zeros((300, 300), "f4"))
    x = weft.open(tmp_path / "x.npz")
    sums = node_of(x).inputs[0].attrs[0].checksum
    (x[0] + 0).numpy()
    assert not sums.seen.starts
    (x[:60] + 0).numpy()
    assert list(sums.seen.ends) == [sums.cells[0] + 60 * 300 * 4]


def test_mapped_files_check_no_sums(tmp_path: Path) -> None:
    path = flipped(npz(tmp_path), VALUES.tobytes())
    assert weft.open(path, name="a", mmap=True).shape == (20, 30)
    weft.open(path, name="a", mmap=True).numpy()


def test_a_pickle_with_a_flipped_bit(tmp_path: Path) -> None:
    path = torch(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"FloatStorage", b"BloatStorage"))
    with pytest.raises(FileFormatError, match=r"member 'a/data.pkl' has checksum \w{8}, the archive's directory says"):
        weft.open(path)


def test_archives_of_torch_without_sums(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile.zlib, "crc32", lambda data, value=0: 0)  # type: ignore[attr-defined]
    path = torch(tmp_path)
    monkeypatch.undo()
    np.testing.assert_array_equal(weft.open(path).numpy(), VALUES)


def test_fits_in_compressed_tiles(tmp_path: Path) -> None:
    library = pytest.importorskip("astropy.io.fits")
    path = tmp_path / "x.fits"
    whole = library.CompImageHDU(VALUES.astype("i4"), compression_type="GZIP_1", tile_shape=(5, 30))
    library.HDUList([library.PrimaryHDU(), whole]).writeto(path, checksum=True)
    np.testing.assert_array_equal(weft.open(path).numpy(), VALUES)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1  # of the padding, which is summed as well
    path.write_bytes(data)
    with pytest.raises(FileFormatError, match=r"x\.fits::\w+: has checksum \w{8}, DATASUM says \w{8}; it"):
        weft.open(path).numpy()
    np.testing.assert_array_equal((weft.open(path)[:5] + 0).numpy(), VALUES[:5])
    with limited(1 << 10):  # tile by tile
        with pytest.raises(FileFormatError, match=r"x\.fits::\w+: has checksum \w{8}, DATASUM says \w{8}; it"):
            weft.open(path).max().item()
        assert weft.open(path)[:15].max().item() == VALUES[:15].max()


def test_a_header_of_fits_that_was_edited(tmp_path: Path) -> None:
    path = fits(True)(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"number of array dimensions", b"count  of array dimensions"))
    with pytest.raises(FileFormatError, match=r"CHECKSUM says \w{8}; it is damaged, or was edited without new sums"):
        weft.open(path, hdu="a").numpy()
    (weft.open(path, hdu="a")[:10] + 0).numpy()


@pytest.mark.parametrize("shards", [None, (20, 30)])
def test_a_chunk_of_zarr_with_crc32c(tmp_path: Path, shards: Any) -> None:
    zarr = pytest.importorskip("zarr")
    path = tmp_path / "x.zarr"
    array = zarr.create_array(
        path, shape=(20, 30), dtype="f4", chunks=(10, 30), shards=shards, compressors=[zarr.codecs.Crc32cCodec()]
    )
    array[:] = VALUES
    np.testing.assert_array_equal(weft.open(path).numpy(), VALUES)
    flipped(path / "c" / "0" / "0", VALUES[:10].tobytes())
    with pytest.raises(FileFormatError, match=r"c/0/0: crc32c is \w{8} of 1200 bytes, wanted is \w{8}; the chunk is"):
        weft.open(path).numpy()
    with pytest.raises(FileFormatError, match="crc32c is"):  # a chunk is always read whole
        weft.open(path)[0, 0].item()
    np.testing.assert_array_equal((weft.open(path)[10:] + 0).numpy(), VALUES[10:])


def test_chunks_of_hdf5_with_fletcher32(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("a", data=VALUES, chunks=(10, 30), fletcher32=True)
    np.testing.assert_array_equal(weft.open(path).numpy(), VALUES)
    flipped(path, VALUES[:10].tobytes())
    with pytest.raises(FileFormatError, match=r"x\.h5::a: the chunk at \(0, 0\) .* checksum \(Fletcher-32\) is wrong"):
        weft.open(path).numpy()
    np.testing.assert_array_equal((weft.open(path)[10:] + 0).numpy(), VALUES[10:])


def test_crc32c_takes_all_that_holds_bytes() -> None:
    for data in (b"123456789", bytearray(b"123456789"), memoryview(b"123456789"), np.frombuffer(b"123456789", "u1")):
        assert crc32c(data) == 0xE3069283
