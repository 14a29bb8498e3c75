"""Files and devices in one process: what is written on the host is written by what computes there."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import weft


def test_a_write_of_what_a_file_holds_once_devices_are_in_use(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(5.0))
    x, y = weft.open(tmp_path / "x.npy"), weft.asarray(np.zeros(4))
    assert weft.device("thread", 0)(weft.ones(3)).tolist() == [1, 1, 1]
    y[1:3] = x[3:]
    assert y.tolist() == [0, 3, 4, 0]
