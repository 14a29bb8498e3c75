"""Results as text and as files: blocks give the same values, shared parts are computed once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.cli import output
from weft.cli.output import text_of, write
from weft.errors import DTypeError, ValueRangeError
from weft.sources import ranges
from weft.sources.files import open_file


def test_text() -> None:
    assert text_of(weft.asarray(2.5)) == "2.5"
    assert text_of((weft.asarray(True), 3, weft.float32)) == "True\n3\nweft.float32"
    assert text_of(weft.arange(3)) == "[0 1 2]"


@pytest.mark.parametrize("block", [1, 1000, 1 << 30])
def test_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(output, "BLOCK", block)
    array = np.arange(600.0).reshape(20, 30)
    np.save(tmp_path / "x.npy", array[::-1])
    x = open_file(tmp_path / "x.npy")
    told: list[tuple[int, int]] = []
    write(str(tmp_path / "out.npy"), (x - weft.mean(x, axis=0))[::-1] * 2, lambda *state: told.append(state))
    got = np.load(tmp_path / "out.npy")
    np.testing.assert_allclose(got, (array - array.mean(axis=0)) * 2, rtol=1e-13)
    assert told[-1] == (4800, 4800)
    assert told == sorted(told)


def test_what_blocks_share_is_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "BLOCK", 1000)
    array = np.arange(60_000.0).reshape(200, 300)
    np.save(tmp_path / "x.npy", array)
    x = open_file(tmp_path / "x.npy")
    meter = ranges.Meter()
    monkeypatch.setattr(ranges, "METERS", [meter])
    write(str(tmp_path / "out.npy"), x - weft.mean(x))
    assert meter.done == 2 * array.nbytes


@pytest.mark.parametrize("value", [3, 2.5, True, 1j])
def test_numbers_as_files(tmp_path: Path, value: Any) -> None:
    write(str(tmp_path / "n.npy"), value)
    assert np.load(tmp_path / "n.npy")[()] == value


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(DTypeError, match=r"the result is a tuple; one tensor fits a file"):
        write(str(tmp_path / "a.npy"), (1, 2))
    with pytest.raises(ValueRangeError, match=r"ends in \.npy"):
        write(str(tmp_path / "a.txt"), 1)
