"""The programs of docs/cluster.md and of the example run as they stand."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

ROOT = Path(__file__).parents[3]


def test_the_page_runs(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "cluster.md").read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    u = np.random.default_rng(0).standard_normal((120, 40, 60))
    weft.save("u.zarr", u, chunks=(20, 40, 30))
    x = np.random.default_rng(1).standard_normal((9000, 24))
    weft.save("x.zarr", x, chunks=(1000, 24))
    np.save("w.npy", np.eye(24)[:, :5])
    weft.set_memory_limit("1MiB")
    scope: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks:
        exec(
            compile(block.replace("connect()", "connect(client)"), "cluster.md", "exec"),
            scope | {"client": client},
            scope,
        )
    assert np.array_equal(scope["y"], x[:, :5]) and np.allclose(scope["squares"], x.T @ x)
    assert np.array_equal(scope["corner"], u[::10, :2, 5] * 2)
    assert np.array_equal(weft.open("anomaly.zarr").numpy(), (weft.asarray(u) - weft.asarray(u).mean(axis=0)).numpy())
    twice = weft.open("twice.zarr").numpy()
    assert np.array_equal(twice[33:], u[33:] * 3) and np.array_equal(twice[32], u[32] * 2)
    assert np.array_equal(twice[7], weft.asarray(u).mean(axis=0).numpy())
    assert "bytes from tcp://" in capsys.readouterr().out


@pytest.mark.parametrize("steps", [12, pytest.param(20, marks=pytest.mark.slow)])
def test_the_example_finds_the_coefficients(client: Any, steps: int, capsys: pytest.CaptureFixture[str]) -> None:
    example = runpy.run_path(str(ROOT / "examples" / "cluster_regression.py"))
    assert example["main"](client.scheduler.address, None, 40_000, steps) < 0.01
    tasks, *_ = capsys.readouterr().out.split()
    assert int(tasks) >= steps
