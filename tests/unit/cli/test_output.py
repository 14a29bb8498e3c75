"""Results as text and as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.cli.output import text_of, write
from weft.errors import DTypeError, ExpressionError, FileFormatError
from weft.runtime.memory.limits import limited
from weft.sources.files import open_file
from weft.sources.read.byte_ranges import METERS, Meter


def test_text() -> None:
    assert text_of(weft.asarray(2.5)) == "2.5"
    assert text_of((weft.asarray(True), 3, weft.float32)) == "True\n3\nweft.float32"
    assert text_of(weft.arange(3)) == "[0 1 2]"


@pytest.mark.parametrize("memory", [1, 3000, 1 << 30])
def test_tiles(tmp_path: Path, memory: int) -> None:
    array = np.arange(600.0).reshape(20, 30)
    np.save(tmp_path / "x.npy", array[::-1])
    x = open_file(tmp_path / "x.npy")
    METERS.append(meter := Meter())
    with limited(memory):
        write([str(tmp_path / "out.npy")], (x - weft.mean(x, axis=0))[::-1] * 2)
    METERS.pop()
    got = np.load(tmp_path / "out.npy")
    np.testing.assert_allclose(got, (array - array.mean(axis=0)) * 2, rtol=1e-13)
    assert (meter.written, meter.to_write) == (4800, 4800)


@pytest.mark.parametrize("value", [3, 2.5, True, 1j])
def test_numbers_as_files(tmp_path: Path, value: Any) -> None:
    write([str(tmp_path / "n.npy")], value)
    assert np.load(tmp_path / "n.npy")[()] == value


def test_several_results(tmp_path: Path) -> None:
    x = weft.asarray([3.0, 1.0, 2.0])
    paths = [str(tmp_path / "low.npy"), str(tmp_path / "all.npy")]
    write(paths, (weft.min(x), x))
    assert [np.load(p).tolist() for p in paths] == [1.0, [3.0, 1.0, 2.0]]
    with pytest.raises(ExpressionError, match="2 results for 3 files; give -o once for each result"):
        write([*paths, "c.npy"], (x, x))


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(DTypeError, match=r"the result is a tuple; one tensor fits a file"):
        write([str(tmp_path / "a.npy")], (1, 2))
    with pytest.raises(FileFormatError, match=r"the ending '\.txt' names no known format; known are \.npy"):
        write([str(tmp_path / "a.txt")], 1)
