"""A linear regression by gradient descent over observations in Zarr files, which workers of a cluster read.

The one idea: the loss is an expression over files, so its gradient is one, too; workers sum their parts of it, and only
the coefficients travel.  Run `python examples/cluster_regression.py`, or with the address of a scheduler of Dask and a
folder that its workers see: `python examples/cluster_regression.py tcp://host:8786 /shared/folder`.
"""

# ruff: noqa: T201  (what is found is printed)

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

import weft

ROWS, COEFFICIENTS, STEPS, RATE = 400_000, 8, 25, 0.2


def make_observations(folder: Path, rows: int) -> np.ndarray:
    """Write observations x and y = x @ w + noise to the folder, chunk by chunk, and return w."""
    wanted = np.linspace(-1, 1, COEFFICIENTS)
    x = weft.random.normal((rows, COEFFICIENTS), seed=1)
    noise = weft.random.normal((rows,), seed=2) * 0.01
    weft.save(folder / "x.zarr", x, chunks=(rows // 20, COEFFICIENTS))
    weft.save(folder / "y.zarr", (x * wanted).sum(axis=1) + noise, chunks=(rows // 20,))
    return wanted


def fitted(folder: Path, steps: int = STEPS) -> np.ndarray:
    """Return coefficients that make the mean of squares small."""
    x, y = weft.open(folder / "x.zarr"), weft.open(folder / "y.zarr")
    w = weft.zeros(COEFFICIENTS)
    for _ in range(steps):
        w.requires_grad_()
        loss = (((x * w).sum(axis=1) - y) ** 2).mean()
        loss.backward()
        w = weft.array(w.detach() - RATE * w.grad)
    return w.numpy()


def main(address: str | None = None, shared: str | None = None, rows: int = ROWS, steps: int = STEPS) -> float:
    """Fit the coefficients on a cluster, and return the greatest error of one."""
    with tempfile.TemporaryDirectory(dir=shared) as folder, weft.cluster.connect(address) as cluster:
        wanted = make_observations(Path(folder), rows)
        found = fitted(Path(folder), steps)
        error = float(np.abs(found - wanted).max())
        print(f"{cluster.tasks} tasks on {len(cluster.client.scheduler_info()['workers'])} workers; error {error:.1e}")
    return error


if __name__ == "__main__":
    main(*sys.argv[1:3])
