"""The example of functions over blocks of a file."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

EXAMPLE = Path(__file__).parents[2] / "examples" / "blocks.py"


def test_it_prints_and_gives_what_numpy_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, greatest, above = runpy.run_path(str(EXAMPLE))["main"](tmp_path, 128)
    padded = np.pad(np.load(tmp_path / "noise.npy"), 1, mode="reflect")
    smooth = np.median(sliding_window_view(padded, (3, 3)), axis=(-2, -1))
    squares = smooth.reshape(16, 8, 16, 8)
    assert np.array_equal(np.load(tmp_path / "smooth.npy"), smooth)
    assert greatest.tolist() == squares.max(axis=(1, 3)).tolist()
    assert above.tolist() == (squares > 1).sum(axis=(1, 3)).tolist()
    assert f"of {128 * 128 * 8} bytes" in capsys.readouterr().out
