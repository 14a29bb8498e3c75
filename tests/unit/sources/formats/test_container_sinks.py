"""Saving to npz, safetensors, FITS and HDF5: what weft writes, their own libraries read, and weft too."""

from __future__ import annotations

import resource
import sys
import zipfile
from pathlib import Path
from typing import Any

import h5py
import ml_dtypes
import numpy as np
import pytest
import safetensors.numpy
from astropy.io import fits

import weft
from weft.errors import DTypeError, FileFormatError, ShapeError, ValueRangeError, WriteError

PLAIN = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]
TYPES = {
    ".npz": [*PLAIN, ">i2", ">f8", "c8", ">c16"],
    ".safetensors": [*PLAIN, "c8"],
    ".h5": [*PLAIN, ">i2", ">f8", "c8", ">c16"],
    ".fits": ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"],
}
CASES = [(ending, dtype) for ending, dtypes in TYPES.items() for dtype in dtypes]


def theirs(path: Path) -> dict[str, Any]:
    """The arrays of a file as the format's own library reads them."""
    if path.suffix == ".npz":
        with zipfile.ZipFile(path) as file:
            assert file.testzip() is None
        return dict(np.load(path))
    if path.suffix == ".safetensors":
        return safetensors.numpy.load_file(path)
    if path.suffix == ".h5":
        with h5py.File(path) as file:
            return {name: file[name][()] for name in file}
    with fits.open(path) as file:
        file.verify("exception")
        return {unit.name: unit.data.copy() for unit in file if unit.data is not None}


@pytest.mark.parametrize(("ending", "dtype"), CASES)
def test_one_array(tmp_path: Path, ending: str, dtype: str) -> None:
    array = (np.arange(60).reshape(3, 4, 5) * 7 - 30).astype(dtype)
    path = tmp_path / f"a{ending}"
    weft.save(path, weft.asarray(array))
    ((name, found),) = theirs(path).items()
    assert name == {".npz": "arr_0", ".fits": "PRIMARY"}.get(ending, "data")
    assert found.dtype.newbyteorder("=") == array.dtype.newbyteorder("=")
    np.testing.assert_array_equal(found, array)
    np.testing.assert_array_equal(weft.open(path).numpy(), array)


@pytest.mark.parametrize("ending", TYPES)
def test_several_arrays_in_tiles(tmp_path: Path, ending: str) -> None:
    arrays = {
        "WIDE": np.arange(90_000.0).reshape(300, 300),
        "NARROW": np.arange(300 * 300, dtype="i2").reshape(300, 300) * 3,
        "SHORT": np.arange(3, dtype="u1"),
        "UNSIGNED": np.arange(50, dtype="u2").reshape(5, 10) * 1300,
    }
    path = tmp_path / f"a{ending}"
    weft.save(path, {name: weft.asarray(a).T for name, a in arrays.items() if a.ndim == 2}
              | {"SHORT": weft.asarray(arrays["SHORT"])}, memory=1 << 16)  # fmt: skip
    found, ours = theirs(path), weft.open_all(path)
    assert found.keys() == ours.keys() == arrays.keys()
    for name, a in arrays.items():
        np.testing.assert_array_equal(found[name], a.T)
        np.testing.assert_array_equal(ours[name].numpy(), a.T)


@pytest.mark.parametrize("ending", [".npz", ".safetensors", ".h5"])
@pytest.mark.parametrize("shape", [(), (0, 2), (3,)])
@pytest.mark.parametrize("order", ["<", ">"])
def test_bfloat16_of_any_rank_and_byte_order(tmp_path: Path, ending: str, shape: tuple[int, ...], order: str) -> None:
    array = np.full(shape, 1.5, ml_dtypes.bfloat16)
    weft.save(tmp_path / f"a{ending}", weft.asarray(array.astype(array.dtype.newbyteorder(order))))
    found = weft.open(tmp_path / f"a{ending}").numpy().astype(array.dtype)
    assert (found.shape, found.tobytes()) == (shape, array.tobytes())


@pytest.mark.parametrize(
    ("name", "value"), [("a.fits", True), ("a.fits", 1), ("a.safetensors", weft.ones(2, dtype="complex128"))]
)
def test_refusals_name_the_file_that_was_asked_for(tmp_path: Path, name: str, value: Any) -> None:
    with pytest.raises((DTypeError, ShapeError)) as caught:
        weft.save(tmp_path / name, value)
    assert str(caught.value).startswith(f"save: {tmp_path / name}: ")


def test_fits_names_that_are_numbers(tmp_path: Path) -> None:
    arrays = {"0": np.arange(3), "2": np.arange(4), "1": np.arange(5)}
    weft.save(tmp_path / "a.fits", arrays)
    assert {name: x.tolist() for name, x in weft.open_all(tmp_path / "a.fits").items()} == {
        name: a.tolist() for name, a in arrays.items()
    }
    assert weft.open(tmp_path / "a.fits", hdu=1).tolist() == [0, 1, 2]


def test_fits_names_that_differ_in_case_or_are_of_tables(tmp_path: Path) -> None:
    table = fits.BinTableHDU.from_columns([fits.Column("c", "E", array=np.ones(3))], name="B")
    units = [fits.PrimaryHDU(), *(fits.ImageHDU(np.full(2, k)) for k in (1, 2, 3)), table, fits.ImageHDU(np.arange(4))]
    for k, name in {1: "A", 2: "A", 5: "B"}.items():
        units[k].name = name
    units[2].header["EXTNAME"] = "a"
    fits.HDUList(units).writeto(tmp_path / "a.fits")
    assert {name: x.tolist() for name, x in weft.open_all(tmp_path / "a.fits").items()} == {
        "1": [1, 1], "2": [2, 2], "3": [3, 3], "B": [0, 1, 2, 3],
    }  # fmt: skip


def test_a_fits_name_that_is_the_number_of_an_image_without_one(tmp_path: Path) -> None:
    units = [fits.PrimaryHDU(), fits.ImageHDU(np.zeros(2), name="2"), fits.ImageHDU(np.ones(3))]
    fits.HDUList(units).writeto(tmp_path / "a.fits")
    assert weft.open(tmp_path / "a.fits", hdu=2).tolist() == [1, 1, 1]
    with pytest.raises(FileFormatError, match="'2' is the EXTNAME of unit 1 and the number of unit 2"):
        weft.open(tmp_path / "a.fits", hdu="2")


@pytest.mark.parametrize("ending", [".npz", ".safetensors", ".h5"])
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1, 1, 2)])
def test_small_shapes(tmp_path: Path, ending: str, shape: tuple[int, ...]) -> None:
    path = tmp_path / f"a{ending}"
    weft.save(path, {"a": np.full(shape, 7.5), "b": np.arange(3)})
    for found in (theirs(path), weft.open_all(path)):
        assert {n: x.shape for n, x in found.items()} == {"a": shape, "b": (3,)}
        assert np.asarray(found["a"]).tolist() == np.full(shape, 7.5).tolist()


@pytest.mark.parametrize("ending", [".npz", ".safetensors", ".h5"])
def test_bfloat16(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a{ending}"
    for dtype in ("bfloat16", ">bfloat16"):
        weft.save(path, weft.asarray([[1.5, -2], [3, 4]], dtype=weft.bfloat16).T, dtype=dtype)
        assert (weft.open(path).dtype, weft.open(path).tolist()) == (weft.bfloat16, [[1.5, 3], [-2, 4]])
    if ending == ".safetensors":
        assert theirs(path)["data"].dtype == ml_dtypes.bfloat16


def test_names_and_options(tmp_path: Path) -> None:
    weft.save(tmp_path / "a.npz", weft.arange(3), name="größe")
    assert theirs(tmp_path / "a.npz")["größe"].tolist() == [0, 1, 2]
    weft.save(
        tmp_path / "a.h5", weft.ones((100, 100)), name="deep/er", chunks=(10, 20), compression="gzip", shuffle=True
    )
    with h5py.File(tmp_path / "a.h5") as file:
        assert (file["deep/er"].chunks, file["deep/er"].compression) == ((10, 20), "gzip")
    assert weft.sum(weft.open(tmp_path / "a.h5")).item() == 10_000


def test_safetensors_are_aligned(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    weft.save(path, {"a": np.zeros(3, "u1"), "b": np.ones(5), "c": np.arange(2, dtype="i2")})
    offsets = {name: weft.sources.formats.safetensors.open_safetensors(str(path), name).offset for name in "abc"}
    assert (offsets["b"] % 8, offsets["c"] % 2) == (0, 0)
    assert list(weft.open_all(path)) == ["b", "c", "a"]


@pytest.mark.parametrize(
    ("name", "x", "error", "message"),
    [
        ("a.safetensors", np.zeros(2, "c16"), DTypeError, "array 'data': complex128 is no type of the format"),
        ("a.safetensors", {"__metadata__": np.zeros(2)}, DTypeError, "the name is reserved"),
        ("a.fits", np.zeros(2, "f2"), DTypeError, "float16 is no type of FITS; convert it"),
        ("a.fits", np.zeros(()), ShapeError, "0 axes; a FITS image has 1 to 999"),
        ("a.fits", {"a": np.zeros(2), "A": np.zeros(2)}, ValueRangeError, "FITS knows no upper and lower case"),
        ("a.fits", {"ä": np.zeros(2)}, ValueRangeError, "FITS takes 60 ASCII characters"),
        ("a.npz", {"a" * 60_000: np.zeros(2)}, ValueRangeError, "does not fit a zip archive"),
        ("a.h5", {"a": np.zeros(2), "a/b": np.zeros(2)}, ValueRangeError, "h5py cannot make dataset 'a/b'"),
    ],
)
def test_what_a_format_cannot_hold(tmp_path: Path, name: str, x: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        weft.save(tmp_path / name, x)
    assert list(tmp_path.iterdir()) == []


def test_options_that_h5py_refuses(tmp_path: Path) -> None:
    with pytest.raises(ValueRangeError, match="h5py cannot make dataset 'data'"):
        weft.save(tmp_path / "a.h5", weft.ones((3, 3)), chunks=(10, 10, 10))
    assert list(tmp_path.iterdir()) == []


def test_a_missing_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(
        FileFormatError, match=r"h5py writes this format and is not installed; pip install 'weft\[hdf5\]'"
    ):
        weft.save(tmp_path / "a.h5", weft.ones(3))


@pytest.mark.parametrize("ending", TYPES)
def test_a_failure_leaves_the_old_file(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a{ending}"
    weft.save(path, weft.arange(3))
    np.save(tmp_path / "gone.npy", np.arange(100_000))
    x = weft.open(tmp_path / "gone.npy")
    (tmp_path / "gone.npy").unlink()
    with pytest.raises((FileFormatError, WriteError)):
        weft.save(path, {"a": x, "b": x + 1})
    assert weft.open(path).tolist() == [0, 1, 2]
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("ending", "how"),
    [(".npz", {}), (".safetensors", {}), (".fits", {}), (".h5", {}), (".h5", {"chunks": True, "compression": "gzip"})],
)
def test_a_full_disk(tmp_path: Path, ending: str, how: dict[str, Any]) -> None:
    x = weft.random.normal((300, 500), seed=1)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, before[1]))
        with pytest.raises(WriteError, match="file too large; nothing was changed"):
            weft.save(tmp_path / f"a{ending}", x, **how)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", TYPES)
def test_a_file_over_itself(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a{ending}"
    weft.save(path, weft.reshape(weft.arange(60_000), (200, 300)))
    weft.save(path, weft.flip(weft.open(path)) * 2, memory=1 << 17)
    np.testing.assert_array_equal(weft.open(path).numpy(), np.arange(60_000)[::-1].reshape(200, 300) * 2)
