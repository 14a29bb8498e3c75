"""`python -m benchmarks.cluster [--size quick] [--folder PATH] [--only TEXT] [--rounds N] [--seconds N]`: print tables.

The one idea: one cluster of two workers of one thread serves both libraries, in shuffled turns, and the least time
counts; beside it that of all processors, which says more where the machine has other work, and what the larger worker
grows by at its peak.  Rounds go over all programs, until the time is up.  The tables are those of docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from math import exp, log
from pathlib import Path
from typing import Any, NamedTuple

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
LONG = 15.0  # seconds from which a way is timed once
LIBRARIES = {"weft": with_weft, "dask": with_dask, "alone": with_weft}
LEFT_OUT = ("10 x 10", "a place")  # which no worker has a share of


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster")
    parser.add_argument("--size", default="quick", choices=list(SIZES))
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "weft-larger")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=300, help="after which no program is begun a second time")
    parser.add_argument("--limit", default="256MiB", help="of weft, in each process")
    given = parser.parse_args()
    files = Files(given.folder / given.size, SIZES[given.size])
    names = [n for n in PROGRAMS if given.only in n and not any(part in n for part in LEFT_OUT)]
    for name in names:
        files.make(PROGRAMS[name])
    with_weft.set_up(2, given.limit)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        client.run(with_weft.set_up, 1, given.limit)
        end, timings = time.monotonic() + given.seconds, [Timings(n, PROGRAMS[n]) for n in names]
        for number in range(given.rounds):
            for timing in timings:
                if not number or time.monotonic() + timing.took < end:
                    timing.add_round(client, files)
        _print_programs(timings)
        print("| cells that workers hold | median ms | bytes that travel |\n|---|---|---|")
        for row in READS:
            if given.only in row.name:
                _read(client, row)


def _read(client: Client, row: Row) -> None:
    """Print the median time of a read, and the bytes of cells that travelled for each."""
    with weft.cluster.connect(client) as connection:
        read = row.prepared()
        before, times = sum(connection.bytes_received().values()), []
        for _ in range(row.times):
            began = time.perf_counter()
            read()
            times.append(1e3 * (time.perf_counter() - began))
        moved = (sum(connection.bytes_received().values()) - before) // row.times
    print(f"| {row.name} | {statistics.median(times):.1f} | {moved} |", flush=True)


class Files(NamedTuple):
    """The files that programs read."""

    folder: Path
    layouts: dict[str, Layout]

    def make(self, program: Program) -> None:
        """Make those of a program that are not there yet."""
        wanted = set(program.inputs) | ({program.save} if program.save else set())
        made(self.folder, self.layouts, wanted, {"zarr"})


class Timings:
    """The least times of a program: on the cluster by weft and by dask.array, and by weft in one process."""

    def __init__(self, name: str, program: Program) -> None:
        self.name, self.program, self.took = name, program, 0.0
        self.least = {way: (float("inf"), float("inf")) for way in LIBRARIES}  # seconds, and those of processors
        self.peak = dict.fromkeys(LIBRARIES, 0)
        self.faults = set[str]()

    def add_round(self, client: Client, files: Files) -> None:
        """Run the program in all ways, in shuffled turns; one that took long is not timed twice."""
        found, began = dict[str, Any](), time.monotonic()
        for way in random.sample(list(LIBRARIES), len(LIBRARIES)):
            if not LONG < self.least[way][0] < float("inf"):
                found[way] = self._timed(way, client, files)
        self._compare(found)
        self.took = time.monotonic() - began
        print(f"{self.name}: {self.took:.1f} s", file=sys.stderr, flush=True)

    def _timed(self, way: str, client: Client, files: Files) -> list[np.ndarray]:
        with _blocks(client, way):
            resident = client.run(memory.watch)
            before, began = _of_processors(client), time.perf_counter()
            found = _run(LIBRARIES[way], self.program, files.folder, files.layouts)
            times = time.perf_counter() - began, _of_processors(client) - before
            grown = max([most - resident[w] for w, most in client.run(memory.peak).items()])
        self.least[way] = min(self.least[way][0], times[0]), min(self.least[way][1], times[1])
        self.peak[way] = max(self.peak[way], grown >> 20)
        return found

    def _compare(self, found: dict[str, list[np.ndarray]]) -> None:
        if _bits(found["weft"]) != _bits(found["alone"]):
            self.faults.add("OTHER BITS")
        pairs = zip(found["weft"], found.get("dask", found["alone"]), strict=True)
        if not all(np.allclose(a, b, atol=CLOSE * np.abs(b).max()) for a, b in pairs):
            self.faults.add("not dask's")
        if self.peak["weft"] > (weft.get_memory_limit() >> 20) + ROOM:
            self.faults.add("TOO LARGE")


def _print_programs(timings: Sequence[Timings]) -> None:
    """Print a table for each kind of time, the greatest ratios first, and what is the same for all programs."""
    for kind, of in enumerate(("seconds", "seconds of processors")):
        print(f"| program, {of} | weft | dask.array | ratio | weft alone | to it |\n|---|---|---|---|---|---|")
        rows = [(t.name, *[t.least[way][kind] for way in LIBRARIES]) for t in timings]
        for name, ours, dasks, alone in sorted(rows, key=lambda row: -row[1] / row[2]):
            print(f"| {name} | {ours:.2f} | {dasks:.2f} | {ours / dasks:.2f} | {alone:.2f} | {ours / alone:.2f} |")
        means = [exp(sum([log(row[1] / row[k]) for row in rows]) / len(rows)) for k in (2, 3)] if rows else []
        print(
            "\ngeometric means: "
            + ", ".join([f"{m:.2f} of {w}" for m, w in zip(means, ("dask.array", "weft alone"), strict=False)])
        )
        print()
    for way, most in {way: max([t.peak[way] for t in timings], default=0) for way in ("weft", "dask")}.items():
        print(f"a worker grows by at most {most} MiB: {way}")
    faults = [f"{t.name}: {', '.join(sorted(t.faults))}" for t in timings if t.faults]
    print("; ".join(faults) or "all results have the bits of one process, and agree with dask.array's", end="\n\n")


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
