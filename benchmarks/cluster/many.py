"""`python -m benchmarks.cluster.many [--workers N] [--terabytes N] [--chunk MIB]`: print plans for large clusters.

The one idea: planning asks for shapes and chunks alone, so a description of an array without its chunks, and addresses
without workers, have the plans of a real cluster.  How long the scheduler and the workers take follows from the plan
and three constants, which were measured (docs/design/018-cluster.md).
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import weft
from weft.cluster.distribution import Distribution
from weft.runtime.memory import limits
from weft.sources.stream.forecast import planned
from weft.sources.stream.remote_executor import REMOTE_EXECUTOR
from weft.tensors.tensor import Tensor, node_of

LIMIT = 16 << 30  # bytes that a worker's program may take
SIDE = 1 << 12  # cells along the two last axes of a map
OF_TASK = 1.6e-3  # seconds of the scheduler for a task
READ, LINK = 1e9, 0.8e9  # bytes in a second: that a worker reads and decodes, that come to the client


class Addresses:
    """A stand-in for a client of a cluster, with the addresses of the workers alone."""

    def __init__(self, workers: int) -> None:
        self._workers = {f"tcp://worker-{k}:1": 4 for k in range(workers)}

    def sync(self, question: Any, *given: Any) -> dict[str, int]:
        """Return the threads of the workers by address, the one question that a plan asks."""
        return self._workers


PROGRAMS: dict[str, Callable[[Tensor], Tensor]] = {
    "mean over time": lambda x: x.mean(axis=0),
    "mean over space": lambda x: x.mean(axis=(1, 2)),
    "running sum over time": lambda x: weft.cumsum(x, axis=0),
    "sum": lambda x: x.sum(),
}


def main() -> None:
    """Plan and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster.many")
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--terabytes", type=float, default=1000)
    parser.add_argument("--chunk", type=int, default=1024, help="MiB of a chunk")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        x = _described(Path(folder), int(1e12 * given.terabytes), given.chunk << 20)
        print(f"{x.shape}, {x.nbytes / 1e12:.0f} TB, {given.workers} workers")
        seconds = f"{'plan':>6} {'scheduler':>10} {'workers':>8} {'link':>6}"
        print(f"{'program':24} {'tasks':>6} {'TB read':>8}; seconds: {seconds}")
        others = Distribution(Addresses(given.workers), None, LIMIT, 30.0)  # type: ignore[arg-type]
        for name, program in PROGRAMS.items():
            with limits.limited(LIMIT), REMOTE_EXECUTOR.block(others):
                began, value = time.process_time(), program(x)
                shares = planned([node_of(value)], lambda sweep: None)
                plan = time.process_time() - began
            tasks, read = sum([s.tasks for s in shares]), sum([s.read for s in shares])
            rounds = -(-tasks // given.workers)  # of tasks that each worker does one after the other
            brought = value.nbytes if value.nbytes <= LIMIT else 0
            of_workers = rounds * read / max(1, tasks) / READ
            print(
                f"{name:24} {tasks:6} {read / 1e12:8.0f} {plan:16.1f} {tasks * OF_TASK:10.1f} {of_workers:8.0f}"
                f" {brought / LINK:6.1f}",
                flush=True,
            )
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(f"the client took {most} MiB at most")


def _described(folder: Path, nbytes: int, chunk: int) -> Tensor:
    """Return float32 maps in an array of so many bytes, of whose chunks none is there."""
    part = SIDE // 4
    days = max(1, chunk // (4 * part * part))
    path, chunks = folder / "x.zarr", (days, part, part)
    weft.save(path, weft.zeros((0, SIDE, SIDE), dtype=weft.float32), chunks=chunks)
    metadata = json.loads((path / "zarr.json").read_text())
    metadata["shape"][0] = nbytes // (4 * SIDE * SIDE)
    (path / "zarr.json").write_text(json.dumps(metadata))
    return weft.open(path)


if __name__ == "__main__":
    main()
