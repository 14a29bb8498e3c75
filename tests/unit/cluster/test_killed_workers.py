"""A worker killed in any phase of a program: the same bits, files that are whole, and nothing beside them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.unit.cluster.killing import killed_while

SHAPE = 96, 130, 70


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Cells in chunks and as a plain file, and a matrix."""
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(1)
    x = rng.standard_normal(SHAPE) * 1e3
    weft.save(folder / "x.zarr", x, chunks=(8, 65, 70))
    np.save(folder / "plain.npy", x)
    weft.save(folder / "halves.zarr", x, chunks=(8, 65, 70), compressor="zstd")
    weft.save(folder / "tall.zarr", rng.standard_normal((24_000, 48)), chunks=(2000, 48))
    return folder


def saved(x: weft.Tensor, path: Path, **options: Any) -> np.ndarray:
    """The cells of a file that a value was written to; nothing lies beside it."""
    path.parent.mkdir()
    weft.save(path, x, **options)
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    return weft.open(path).numpy()


def held(x: weft.Tensor) -> np.ndarray:
    """The cells of a value that was left where it was made."""
    return x.realize().numpy()


WORKLOADS: dict[str, Callable[[Path, Path], np.ndarray]] = {
    "sum": lambda files, _: weft.open(files / "x.zarr").sum().numpy(),
    "std of rows": lambda files, _: weft.open(files / "x.zarr").std(axis=(0, 2)).numpy(),
    "histogram": lambda files, _: weft.histogram(weft.open(files / "plain.npy"), bins=9, range=(-1e3, 1e3))[0].numpy(),
    "mean held": lambda files, _: held(weft.open(files / "x.zarr").mean(axis=0)),
    "running sum held": lambda files, _: held(weft.cumsum(weft.open(files / "plain.npy"), axis=0)),
    "quantile": lambda files, _: weft.quantile(weft.open(files / "x.zarr"), 0.3, axis=0).numpy(),
    "anomaly saved": lambda files, to: saved(
        (x := weft.open(files / "x.zarr")) - x.mean(axis=0), to / "y.zarr", chunks=(30, 40, 70)
    ),
    "turned, saved": lambda files, to: saved(weft.open(files / "plain.npy").permute((2, 0, 1)), to / "y.npy"),
    "function of blocks": lambda files, _: held(
        weft.map_blocks(np.sqrt, weft.abs(weft.open(files / "x.zarr")), dtype="float64")
    ),
    "squares": lambda files, _: weft.matrix_transpose(x := weft.open(files / "tall.zarr")).__matmul__(x).numpy(),
    "slopes": lambda files, _: (
        ((weft.roll(x := weft.open(files / "halves.zarr"), 1, 1) - weft.roll(x, -1, 1)) ** 2).mean(axis=0).numpy()
    ),
    "row by matrix": lambda files, _: ((x := weft.open(files / "tall.zarr"))[:, 3] @ x).numpy(),
}
FOLDS = ("sum", "std of rows", "histogram", "squares", "row by matrix")  # which leave no cells on workers
SAVES = ("anomaly saved", "turned, saved")
CASES = [
    (name, phase)
    for name in WORKLOADS
    for phase in ("message", "reading", "computing", "writing", "done", "cells")
    if (phase != "writing" or name in SAVES) and (phase != "cells" or name not in (*FOLDS, *SAVES))
]
QUICK = {
    ("sum", "computing"),
    ("mean held", "reading"),
    ("anomaly saved", "writing"),
    ("running sum held", "cells"),
    ("squares", "done"),
}


@pytest.mark.parametrize(
    ("name", "phase"), [pytest.param(*c, marks=[] if c in QUICK else [pytest.mark.slow]) for c in CASES]
)
def test_the_result_is_that_of_no_fault(client: Any, files: Path, tmp_path: Path, name: str, phase: str) -> None:
    workload = WORKLOADS[name]
    with weft.deterministic():
        here = workload(files, tmp_path / "here")
        with weft.cluster.connect(client), killed_while(client, phase, tmp_path) as dead:
            there = workload(files, tmp_path / "there")
            assert dead.exists()
    assert there.dtype == here.dtype and there.tobytes() == here.tobytes()


@pytest.mark.parametrize("phase", ["message", "cells"])
def test_the_only_worker_starts_again(lone_client: Any, files: Path, tmp_path: Path, phase: str) -> None:
    """The tasks' common message is sent again, too, where it was lost with the worker."""
    weights = np.random.default_rng(3).standard_normal(SHAPE[1:])  # 73 kB
    with weft.cluster.connect(lone_client), killed_while(lone_client, phase, tmp_path) as dead:
        there = held(weft.open(files / "x.zarr") * weights)
        assert dead.exists()
    assert there.tobytes() == (weft.open(files / "x.zarr").numpy() * weights).tobytes()


def test_tasks_are_done_whose_preferred_worker_was_the_only_one(lone_client: Any, files: Path, tmp_path: Path) -> None:
    """Dask leaves them waiting; here for the worker that held the cells."""
    x = weft.open(files / "plain.npy")
    with weft.cluster.connect(lone_client):
        y = (x * 2).realize()
        with killed_while(lone_client, "message", tmp_path) as dead:
            there = y.sum().numpy()
            assert dead.exists()
    assert there.tobytes() == (x * 2).sum().numpy().tobytes()


@pytest.mark.parametrize("read", [lambda z: z.sum(), lambda z: z], ids=["sum", "cells"])
def test_values_of_values_are_made_again_on_a_new_worker(lone_client: Any, files: Path, read: Any) -> None:
    """Dask would wait for the worker that the second one preferred, as it held the first."""
    x = weft.open(files / "plain.npy")
    with weft.cluster.connect(lone_client):
        y = (x * 2).realize()
        z = (y + 1).realize()
        os.kill(*lone_client.run(os.getpid).values(), signal.SIGKILL)
        there = read(z).numpy()
    assert there.tobytes() == read(x * 2 + 1).numpy().tobytes()
