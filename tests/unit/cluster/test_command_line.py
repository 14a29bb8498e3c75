"""`weft eval --cluster` has workers compute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from typer.testing import CliRunner

import weft
from weft.cli.app import app


def test_eval(client: Any, tmp_path: Path) -> None:
    x = np.arange(600.0 * 500).reshape(600, 500)
    np.save(tmp_path / "x.npy", x)
    before = len(client.run_on_scheduler(_stories))
    given = [f"x={tmp_path / 'x.npy'}", "-o", str(tmp_path / "y.npy"), "--cluster", client.scheduler.address]
    done = CliRunner().invoke(app, ["eval", "x - mean(x, axis=0)", *given])
    assert done.exit_code == 0, done.output
    assert np.array_equal(np.load(tmp_path / "y.npy"), x - weft.asarray(x).mean(axis=0).numpy())
    assert len(client.run_on_scheduler(_stories)) > before


def _stories(dask_scheduler: Any) -> list[str]:
    """The tasks of weft that the scheduler had to do with."""
    return [str(k) for k, *_ in dask_scheduler.transition_log if str(k).startswith("weft-save")]
