"""Numbers as text: read and written as NumPy does."""

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


def test_what_is_no_table_of_numbers(tmp_path: Path):
    with pytest.raises(errors.DTypeError):
        weft.genfromtxt(["a,b", "1,x"], delimiter=",", names=True, dtype=None, encoding=None)
    with pytest.raises(ValueError, match="could not convert"):
        weft.loadtxt(["1 x"])
    with pytest.raises(FileNotFoundError):
        weft.loadtxt(tmp_path / "missing.txt")
