"""Values, sums and files are the same bits in a process and on workers, however files are chunked."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft.cluster.distribution import Distribution

SHAPE = 96, 130, 70
CHUNKS = {"rows": (8, 130, 70), "columns": (96, 13, 35), "cubes": (31, 40, 33)}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same cells in several chunkings, and as plain files."""
    folder = tmp_path_factory.mktemp("files")
    x = np.random.default_rng(1).standard_normal(SHAPE) * 1e3
    for name, chunks in CHUNKS.items():
        weft.save(folder / f"{name}.zarr", x, chunks=chunks)
    np.save(folder / "plain.npy", x)
    np.save(folder / "ints.npy", np.rint(x).astype(np.int32))
    return folder


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "mean of squares over axis 0": lambda x: weft.mean(x * x, axis=0),
    "mean over axes 1 and 2": lambda x: x.mean(axis=(1, 2)),
    "sum": lambda x: x.sum(),
    "std": lambda x: x.std(),
    "std over axis 0": lambda x: x.std(axis=0),
    "residuals": lambda x: weft.abs(x - x.mean(axis=0)).sum(),
    "largest": lambda x: x.max(),
    "argmin": lambda x: x.argmin(),
    "product": lambda x: (1 + x * 1e-9).prod(),
    "histogram": lambda x: weft.histogram(x, bins=20, range=(-2e3, 2e3))[0],
    "anomaly": lambda x: x - x.mean(axis=0),
    "running sum": lambda x: weft.cumsum(x, axis=0),
    "turned": lambda x: x.permute((2, 0, 1)) + 1,
    "rolled": lambda x: weft.roll(x, 5, 0) - x,
    "quantile": lambda x: weft.quantile(x, 0.3, axis=0),
}


@pytest.mark.parametrize(("name", "chunking"), in_turn(PROGRAMS, ["rows", "columns", "plain"], every=3))
def test_values(client: Any, files: Path, name: str, chunking: str) -> None:
    path = files / (f"{chunking}.npy" if chunking == "plain" else f"{chunking}.zarr")
    if chunking == "columns":  # between them, up to 3 MB of a sum's cells wait for their neighbours
        weft.set_memory_limit("6MiB")
    here = np.asarray(PROGRAMS[name](weft.open(path)))
    with weft.cluster.connect(client) as connection:
        found = np.asarray(PROGRAMS[name](weft.open(path)))
        assert found.dtype == here.dtype and found.tobytes() == here.tobytes()
        assert 0 < connection.tasks <= 64


FOUND: dict[str, Callable[[Any], Any]] = {  # cells and positions whose number is known only once they are found
    "selected": lambda x: x[x > 900],
    "many selected": lambda x: x[x > -1500],
    "none selected": lambda x: x[x > 1e9],
    "above the mean": lambda x: x[x > x.mean() + 2e3],
    "sum of selected": lambda x: x[x > -100].sum(),
    "positions": lambda x: weft.nonzero(weft.abs(x) < 40)[1],
    "distinct": lambda x: weft.unique_values(weft.rint(x / 10)),
    "counts": lambda x: weft.unique_counts(weft.where(x > 2e3, weft.nan, weft.rint(x / 10))).counts,
    "first": lambda x: weft.unique_all(weft.rint(x / 100)).indices,
    "distinct beyond the limit": weft.unique_values,
}


@pytest.mark.parametrize("name", FOUND)
def test_what_is_found(client: Any, files: Path, name: str) -> None:
    weft.set_memory_limit("6MiB" if "distinct" in name else "2MiB")
    here = FOUND[name](weft.open(files / "cubes.zarr")).numpy()
    with weft.cluster.connect(client) as connection:
        there = FOUND[name](weft.open(files / "cubes.zarr")).numpy()
        assert connection.tasks > 0
    assert (there.dtype, there.shape, there.tobytes()) == (here.dtype, here.shape, here.tobytes())


def test_few_selected_cells_come_here_and_many_stay(client: Any, files: Path) -> None:
    x = weft.open(files / "rows.zarr")
    with weft.cluster.connect(client) as connection:
        few, many = x[x > 2500], x[x > -2500]
        assert sum(connection.bytes_received().values()) == few.nbytes < 2**17 < many.nbytes
    assert few.tolist() == x.numpy()[x.numpy() > 2500].tolist()  # as the workers may have gone


LINES: dict[str, Callable[[Any], Any]] = {
    "sum of a running sum": lambda x: weft.cumsum(x - x.mean()).sum(),
    "running product": lambda x: weft.cumprod(1 + x * 1e-9),
}


@pytest.mark.parametrize("name", LINES)
def test_running_sums_of_a_line(client: Any, files: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers with many threads read the cells twice: for what comes before each block, and for the values."""

    weft.set_memory_limit("6MiB")

    def found() -> weft.Tensor:
        return LINES[name](weft.reshape(weft.open(files / "rows.zarr"), (-1,)))

    here = found().numpy()
    monkeypatch.setattr(Distribution, "thread_count", 1000)
    with weft.cluster.connect(client) as connection:
        shares = weft.explain(found()).shares
        there = found().numpy()
        assert connection.tasks == sum([s.tasks for s in shares]) > 2
    assert there.tobytes() == here.tobytes()


def test_one_worker_gives_the_same_bits_as_two(client: Any, lone_client: Any, files: Path) -> None:
    names = ["sum", "std over axis 0", "anomaly"]
    found = []
    for c in (client, lone_client):
        with weft.cluster.connect(c):
            x = weft.open(files / "cubes.zarr")
            found.append([np.asarray(PROGRAMS[n](x)).tobytes() for n in names])
    assert found[0] == found[1]


def deviations(x: weft.Tensor, by: int) -> weft.Tensor:
    """The sum of deviations from means over axis 0, which are moved by so many cells."""
    return weft.abs(x - weft.roll(x.mean(axis=0), by, 0)).sum()


@pytest.mark.parametrize(("by", "tasks"), [(0, ["mean, abs"]), (13, ["mean", "abs"])], ids=["own", "others'"])
def test_a_reduction_and_what_reads_it_are_one_walk(client: Any, tmp_path: Path, by: int, tasks: list[str]) -> None:
    """A worker decodes its chunks once for both, unless it needs means that another one computes."""
    cells = np.random.default_rng(1).standard_normal((96, 128, 128)).astype(np.float32)
    weft.save(tmp_path / "x.zarr", cells, chunks=(8, 32, 128))
    weft.set_memory_limit("5MiB")
    x = weft.open(tmp_path / "x.zarr")
    with weft.cluster.connect(client) as connection:
        shares = weft.explain(deviations(x, by)).shares
        assert [(share.what, share.tasks, share.read) for share in shares] == [(t, 2, cells.nbytes) for t in tasks]
        there = deviations(x, by).numpy()
        assert connection.tasks == 2 * len(tasks)
    assert there.tobytes() == deviations(x, by).numpy().tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("chunking", CHUNKS)
def test_four_workers_give_the_same_bits(four_workers: Any, files: Path, chunking: str) -> None:
    path = files / f"{chunking}.zarr"
    here = {name: np.asarray(f(weft.open(path))) for name, f in PROGRAMS.items()}
    with weft.cluster.connect(four_workers):
        there = {name: np.asarray(f(weft.open(path))) for name, f in PROGRAMS.items()}
    assert [name for name, found in there.items() if found.tobytes() != here[name].tobytes()] == []


def test_integers_and_truth(client: Any, files: Path) -> None:
    def values() -> list[Any]:
        x = weft.open(files / "ints.npy")
        return [np.asarray(f) for f in (x.sum(axis=(0, 2)), (x > 10**9).any(), (x > -(10**9)).all(), x.argmax())]

    here = values()
    with weft.cluster.connect(client):
        there = values()
    assert [a.tobytes() for a in here] == [b.tobytes() for b in there]


FILES: dict[str, tuple[str, dict[str, Any], bool]] = {
    "chunks of Zarr": (".zarr", {"chunks": (96, 26, 10)}, True),
    "plain cells": (".npy", {}, True),
    "a zip archive": (".npz", {}, True),
    "safetensors": (".safetensors", {}, True),
    "NetCDF": (".nc", {}, True),
    "HDF5": (".h5", {}, True),
    "chunks of HDF5": (".h5", {"chunks": (96, 26, 10)}, False),
}


@pytest.mark.parametrize("what", FILES)
def test_files(client: Any, files: Path, tmp_path: Path, what: str) -> None:
    """The bytes of files are those of one process, whoever writes them."""
    ending, options, is_shared = FILES[what]
    if ending == ".h5":
        pytest.importorskip("h5py")
    x = weft.open(files / "rows.zarr")
    weft.save(tmp_path / f"here{ending}", x - x.mean(axis=0), **options)
    with weft.cluster.connect(client) as connection:
        mean = x.mean(axis=0)
        mean.numpy()
        before = connection.tasks
        weft.save(tmp_path / f"there{ending}", x - mean, **options)
        assert (connection.tasks > before) is is_shared
    here, there = tmp_path / f"here{ending}", tmp_path / f"there{ending}"
    assert weft.open(here).numpy().tobytes() == weft.open(there).numpy().tobytes()
    assert here.is_dir() or here.read_bytes() == there.read_bytes()
    assert sorted(tmp_path.iterdir()) == [here, there]


INTO: dict[str, tuple[dict[str, Any], bool]] = {
    "a region of whole chunks": ({"region": (slice(20, 116), slice(0, 130))}, True),
    "a region that ends in chunks": ({"region": (slice(40, 136), slice(20, 150))}, True),
    "a region that begins in chunks": ({"region": (slice(12, 108), slice(3, 133))}, True),
    "a region of one number": ({"region": (2, slice(20, 116), ..., slice(30, 100))}, True),
    "more cells behind the end": ({"append": 2}, True),
    "more cells from inside a chunk on": ({"append": 0}, True),
}


BEYOND_CHUNKS = ("a region that begins in chunks", "a region of one number", "more cells from inside a chunk on")


@pytest.mark.parametrize("what", [pytest.param(w, marks=[] if w in BEYOND_CHUNKS else pytest.mark.slow) for w in INTO])
def test_arrays_that_are_there(client: Any, files: Path, tmp_path: Path, what: str) -> None:
    """Workers write into them: each chunk is one worker's."""
    way, is_shared = INTO[what]
    x = weft.open(files / "rows.zarr")
    shape = {
        "a region of one number": (3, 140, 130, 110),
        "more cells behind the end": (96, 130, 60),
        "more cells from inside a chunk on": (11, 130, 70),
    }
    found = []
    for name in ("here", "there"):
        path = tmp_path / f"{name}.zarr"
        there_already = weft.ones(shape.get(what, (140, 150, 70)))
        weft.save(path, there_already, chunks=(2, 20, 20, 30)[-there_already.ndim :])
        if name == "here":
            weft.save(path, x + 1, **way)
            continue
        with weft.cluster.connect(client) as connection:
            weft.save(path, x + 1, **way)
            assert bool(connection.tasks) is is_shared
    for name in ("here", "there"):
        found.append(weft.open(tmp_path / f"{name}.zarr").numpy())
    assert found[0].tobytes() == found[1].tobytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["here.zarr", "there.zarr"]


def test_several_files_at_once(client: Any, files: Path, tmp_path: Path) -> None:
    x = weft.open(files / "columns.zarr")
    with weft.cluster.connect(client):
        weft.store({tmp_path / "a.npy": x + 1, tmp_path / "b.npy": x * 2})
    assert np.array_equal(np.load(tmp_path / "a.npy"), x.numpy() + 1)
    assert np.array_equal(np.load(tmp_path / "b.npy"), x.numpy() * 2)


def test_functions_of_users_run_on_workers(client: Any, files: Path) -> None:
    x = weft.open(files / "rows.zarr")

    def where(a: np.ndarray) -> np.ndarray:
        return np.full(a.shape, float(os.getpid()))

    with weft.cluster.connect(client):
        found = weft.map_blocks(where, x, dtype=weft.float64)
        processes = set(np.unique(found.numpy()).astype(int).tolist())
    assert processes == set(client.run(os.getpid).values())


def test_functions_that_cannot_be_sent_run_here(client: Any, files: Path) -> None:
    x, lock = weft.open(files / "rows.zarr"), threading.Lock()

    def locked(a: np.ndarray) -> np.ndarray:
        with lock:
            return a + 1

    with weft.cluster.connect(client) as connection:
        found = weft.map_blocks(locked, x, dtype=weft.float64).sum().item()
        assert connection.tasks == 0
    assert found == (x + 1).sum().item()


def test_what_only_this_process_has_is_done_here(client: Any, files: Path) -> None:
    """Another transformer, a replaced operation, an array of another library."""
    seen: list[str] = []

    def counted(call: Any) -> None:
        seen.append(call.op)
        call()

    with weft.cluster.connect(client) as connection:
        with weft.transformer("reference"):
            first = weft.open(files / "rows.zarr").sum().item()
        with weft.modules.core.wrapped("abs", counted):
            second = weft.abs(weft.open(files / "rows.zarr")).max().item()
        assert connection.tasks == 0 and seen
    x = weft.open(files / "rows.zarr").numpy()
    assert (first, second) == (weft.asarray(x).sum().item(), np.abs(x).max())
