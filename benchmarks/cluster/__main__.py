"""`python -m benchmarks.cluster [--size quick] [--folder PATH] [--only TEXT] [--rounds N] [--limit 256MiB]`: print both
tables.

The one idea: one cluster of two workers of one thread serves both libraries, in shuffled turns, and the least time
counts; beside it that of all processors, which says more where the machine has other work, and what the larger worker
grows by at its peak.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from math import exp, log
from pathlib import Path
from typing import Any

import dask
import numpy as np
from distributed import Client, LocalCluster

import weft
from benchmarks import memory
from benchmarks.cluster.reads import READS, Row
from benchmarks.larger import with_dask, with_weft
from benchmarks.larger.inputs import SIZES, Layout, made
from benchmarks.larger.programs import PROGRAMS, Program

ROOM = 32  # MiB that a worker may take beside its limit
CLOSE = 1e-4  # of the greatest magnitude, within which results agree
LEFT_OUT = ("10 x 10", "a place")  # which no worker has a share of


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster")
    parser.add_argument("--size", default="quick", choices=list(SIZES))
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "weft-larger")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", default="256MiB", help="of weft, in each process")
    given = parser.parse_args()
    with_weft.set_up(2, given.limit)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        client.run(with_weft.set_up, 1, given.limit)
        print(f"{'read of cells':40} {'least ms':>9} {'median':>9} {'bytes':>12}")
        for row in READS:
            if given.only in row.name:
                _read(client, row)
        ratios: list[tuple[float, float]] = []
        print(
            f"\n{'program, seconds':32} {'weft':>7} {'dask':>7} {'ratio':>6} {'alone':>7}  of processors: the same; MiB"
        )
        for name, program in PROGRAMS.items():
            if given.only in name and not any(part in name for part in LEFT_OUT):
                ratios += _program(client, name, program, given.folder / given.size, SIZES[given.size], given.rounds)
        for what, of in zip(("time", "time of processors"), zip(*ratios, strict=True), strict=False):
            print(f"geometric mean of ratios of {what}: {exp(sum(map(log, of)) / len(of)):.2f}")


def _read(client: Client, row: Row) -> None:
    """Print the times of a read, and the bytes of cells that travelled for each."""
    with weft.cluster.connect(client) as connection:
        read = row.prepared()
        before, times = sum(connection.bytes_received().values()), []
        for _ in range(row.times):
            began = time.perf_counter()
            read()
            times.append(1e3 * (time.perf_counter() - began))
        moved = (sum(connection.bytes_received().values()) - before) // row.times
    times.sort()
    print(f"{row.name:40} {times[0]:9.2f} {times[len(times) // 2]:9.2f} {moved:12}", flush=True)


def _program(
    client: Client, name: str, program: Program, folder: Path, layouts: dict[str, Layout], rounds: int
) -> list[tuple[float, float]]:
    """Print the least times of a program: on the cluster by weft and by dask.array, and by weft in one process."""
    wanted = set(program.inputs) | ({program.save} if program.save else set())
    made(folder, layouts, wanted, {"zarr"})
    libraries = {"weft": with_weft, "dask": with_dask, "alone": with_weft}
    least = {way: (float("inf"), float("inf")) for way in libraries}
    peak = dict.fromkeys(libraries, 0)
    found: dict[str, Any] = {}
    for _ in range(rounds):
        for way in random.sample(list(libraries), len(libraries)):
            with _blocks(client, way):
                resident = client.run(memory.watch)
                before, began = _of_processors(client), time.perf_counter()
                found[way] = _run(libraries[way], program, folder, layouts)
                times = time.perf_counter() - began, _of_processors(client) - before
                grown = max([most - resident[w] for w, most in client.run(memory.peak).items()])
            least[way] = min(least[way][0], times[0]), min(least[way][1], times[1])
            peak[way] = max(peak[way], grown >> 20)
    same = _bits(found["weft"]) == _bits(found["alone"])
    pairs = zip(found["weft"], found["dask"], strict=True)
    near = all(np.allclose(a, b, atol=CLOSE * np.abs(b).max()) for a, b in pairs)
    says = ("same bits" if same else "OTHER BITS") + ("" if near else ", not dask's")
    says = f"{peak['weft']:4} {peak['dask']:4}  {says}"
    says += ", TOO LARGE" if peak["weft"] > (weft.get_memory_limit() >> 20) + ROOM else ""
    kinds = list(zip(*least.values(), strict=True))
    times_of = [f"{weft_:7.2f} {dask_:7.2f} {weft_ / dask_:6.2f} {alone:7.2f}" for weft_, dask_, alone in kinds]
    print(f"{name:32} {'  '.join(times_of)}  {says}", flush=True)
    return [tuple([weft_ / dask_ for weft_, dask_, _ in kinds])]


@contextmanager
def _blocks(client: Client, way: str) -> Iterator[None]:
    """Have a library compute on the cluster, or alone."""
    with ExitStack() as blocks:
        if way == "dask":
            blocks.enter_context(dask.config.set(scheduler="dask.distributed"))
            blocks.enter_context(client.as_current())
        elif way == "weft":
            blocks.enter_context(weft.cluster.connect(client))
        yield


def _of_processors(client: Client) -> float:
    """Return the seconds that processors have worked for this process, which is the scheduler's, and for workers."""
    return time.process_time() + sum(client.run(time.process_time).values())


def _bits(values: list[np.ndarray]) -> list[bytes]:
    return [np.asarray(x).tobytes() for x in values]


def _run(lib: Any, program: Program, folder: Path, layouts: dict[str, Layout]) -> list[np.ndarray]:
    """Return the results of a program, or a few cells of what it saved."""
    inputs = [lib.opened(layouts[n].paths(folder, n, "zarr")) for n in program.inputs]
    results = program.results(lib, *inputs)
    if not program.save:
        return [np.array(x) for x in lib.values(results)]  # copies: of tensors that live on, workers hold the cells
    target = folder / "out.zarr"
    shutil.rmtree(target, ignore_errors=True)
    lib.saved(target, results[0], layouts[program.save].chunks)
    return [weft.open(target)[::7, ::11].numpy()]


if __name__ == "__main__":
    main()
