"""The example of a factorisation over devices, dtypes and byte orders."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "qr.py"


@pytest.mark.parametrize("device", ["thread:0", "cpu"])
def test_it_prints_and_gives_what_is_known(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    q, r = runpy.run_path(str(EXAMPLE))["main"](device)
    printed = capsys.readouterr().out
    assert "R[0, 0] = 11.40175, R[4, 4] = 11.18034" in printed and "norm(A - Q·R) = 2.03e-06" in printed
    a = np.arange(25.0).reshape(5, 5).T + 10 * np.eye(5)
    assert np.abs(q.numpy().T @ q.numpy() - np.eye(5)).max() < 1e-14
    assert np.abs(q.numpy() @ np.asarray(r.to_device("cpu")) - a).max() < 4e-6
    assert np.allclose(np.abs(r.to_device("cpu").numpy()), np.abs(np.linalg.qr(a)[1]), rtol=1e-6, atol=1e-6)
