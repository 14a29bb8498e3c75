"""Files by the names of NumPy's functions: read and written as NumPy does."""

import io
from pathlib import Path

import numpy as np
import pytest

import weft
from weft import errors

LINES = ["# head", "1 2.5 3", "4 5 6e2"]


@pytest.mark.parametrize(
    "options", [{}, {"dtype": "float32"}, {"dtype": weft.float32}, {"usecols": (0, 2)}, {"ndmin": 3}]
)
def test_numbers_are_those_of_numpy(options):
    theirs = {k: "float32" if k == "dtype" else v for k, v in options.items() if k != "ndmin"}
    if "ndmin" in options:
        with pytest.raises(ValueError, match="ndmin"):
            weft.loadtxt(LINES, **options)
    np.testing.assert_array_equal(weft.loadtxt(LINES, **{**options, "ndmin": 0}).numpy(), np.loadtxt(LINES, **theirs))
    np.testing.assert_array_equal(weft.genfromtxt(LINES, **theirs).numpy(), np.genfromtxt(LINES, **theirs))


def test_columns():
    first, second, third = weft.loadtxt(LINES, unpack=True)
    assert (first.tolist(), second.tolist(), third.tolist()) == ([1.0, 4.0], [2.5, 5.0], [3.0, 600.0])


def test_round_trip(tmp_path: Path):
    x = weft.arange(12, dtype="float64").reshape(3, 4) / 7
    weft.savetxt(tmp_path / "x.csv.gz", x, delimiter=",")
    assert weft.loadtxt(tmp_path / "x.csv.gz", delimiter=",").tolist() == x.tolist()
    file = io.StringIO()
    weft.savetxt(file, weft.asarray([1, 2]), fmt="%d", header="n")
    assert file.getvalue() == "# n\n1\n2\n"


def test_texts_that_are_no_table_of_numbers_raise(tmp_path: Path):
    with pytest.raises(errors.DTypeError):
        weft.genfromtxt(["a,b", "1,x"], delimiter=",", names=True, dtype=None, encoding=None)
    with pytest.raises(ValueError, match="could not convert"):
        weft.loadtxt(["1 x"])
    with pytest.raises(FileNotFoundError):
        weft.loadtxt(tmp_path / "missing.txt")


def test_arrays_in_files_and_objects(tmp_path: Path):
    x = np.arange(12).reshape(3, 4)
    np.save(tmp_path / "x.npy", x)
    np.savez(tmp_path / "x.npz", x, b=x.T)
    assert weft.load(tmp_path / "x.npy").tolist() == x.tolist()
    found = weft.load(tmp_path / "x.npz")
    assert {name: y.tolist() for name, y in found.items()} == {"arr_0": x.tolist(), "b": x.T.tolist()}
    with weft.load(tmp_path / "x.npz") as archive:
        assert archive.files == np.load(tmp_path / "x.npz").files
    archive.close()
    assert archive["b"].tolist() == x.T.tolist()
    file = io.BytesIO()
    weft.save(file, x)
    file.seek(0)
    assert np.load(file).tolist() == x.tolist()
    file.seek(0)
    assert weft.load(file).tolist() == x.tolist()


def test_several_arrays_are_those_of_numpy(tmp_path: Path):
    x = weft.arange(3)
    weft.savez(tmp_path / "x.npz", x, x + 1, named=x * 2)
    with np.load(tmp_path / "x.npz") as found:
        assert {n: y.tolist() for n, y in found.items()} == {"arr_0": [0, 1, 2], "arr_1": [1, 2, 3], "named": [0, 2, 4]}
    with pytest.raises(errors.FileFormatError, match="savez: the name 'arr_0'"):
        weft.savez(tmp_path / "y.npz", x, arr_0=x)


def test_files_that_hold_no_array(tmp_path: Path):
    (tmp_path / "x.txt").write_text("1 2 3")
    with pytest.raises(errors.FileFormatError, match=r"the ending '\.txt'"):
        weft.load(tmp_path / "x.txt")
    (tmp_path / "x.npy").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(errors.FileFormatError):
        weft.load(tmp_path / "x.npy")
    with pytest.raises((FileNotFoundError, errors.FileFormatError)):
        weft.load(tmp_path / "missing.npy")


def test_options_of_load_that_change_nothing_are_taken(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(3))
    for options in ({"mmap_mode": "r"}, {"mmap_mode": None}, {"allow_pickle": True}, {"encoding": "latin1"}):
        assert weft.load(tmp_path / "x.npy", **options).tolist() == [0, 1, 2]
    with pytest.raises(weft.errors.ArgumentError, match=r"load: no argument mmap_mode='r\+', .*; write load\(file\), "):
        weft.load(tmp_path / "x.npy", mmap_mode="r+")
