"""One library at one workload in a process of its own: `python -m benchmarks.contender b3 weft 2 FOLDER`.

The one idea: a fresh process has a peak of its own.  Libraries are loaded and code is compiled on small inputs and in
a first round; then the kernel's high-water mark is set back and one round is watched; then rounds are timed.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import memory
from benchmarks.timing import figures
from benchmarks.workloads import Work

SECONDS = 0.6  # spent on timing, about
ROUNDS = 40
KEPT = 1 << 16  # bytes up to which a result is handed back whole


def main(workload: str, library: str, threads: int, folder: str) -> None:
    """Measure, and print one line of JSON."""
    module = importlib.import_module(f"benchmarks.workloads.with_{'numpy' if library == 'oracle' else library}")
    make = module.ORACLE.get(workload) if library == "oracle" else getattr(module, workload, None)
    if library == "oracle" and make is None:
        make = getattr(module, workload)
    if make is None:
        print("null")
        return
    _set_threads(library, threads)
    with threadpool_limits(threads):
        print(json.dumps(_measured(module, make, library, workload, Path(folder))))


def _measured(module: Any, make: Any, library: str, workload: str, folder: Path) -> dict[str, Any]:
    small = make(True)
    small.read(small.build(), 0)
    del small
    work = make(False)
    result = _array(work.read(work.build(), 0))
    out: dict[str, Any] = {"digest": hashlib.sha256(np.ascontiguousarray(result)).hexdigest()}
    if result.nbytes <= KEPT:
        np.save(folder / f"{workload}-{library}.npy", result)
    out["result_bytes"] = result.nbytes
    del result
    if library == "oracle":
        return out
    return out | _peaks(work, module) | _timed(work)


def _array(x: Any) -> np.ndarray:
    return np.asarray(x)


def _peaks(work: Work, module: Any) -> dict[str, int]:
    """Return by how much the resident memory rises, the result included."""
    forget = getattr(module, "forget", lambda: None)
    gc.collect()
    forget()
    before = memory.watch()
    result = work.read(work.build(), 1)
    peak = memory.peak() - before
    del result
    return {"peak": max(peak, 0)}


def _timed(work: Work) -> dict[str, float]:
    """The seconds of building and reading together."""
    times: list[float] = []
    begin = time.perf_counter()
    for k in range(2, ROUNDS):
        start = time.perf_counter()
        result = work.read(work.build(), k)
        times.append(time.perf_counter() - start)
        del result
        if time.perf_counter() - begin > SECONDS:
            break
    return figures(times)


def _set_threads(library: str, threads: int) -> None:
    if library == "weft":
        importlib.import_module("weft").set_num_threads(threads)
    elif library.startswith("dask"):
        importlib.import_module("dask").config.set(scheduler="threads", num_workers=threads)
    elif library == "jax":
        os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:threads]))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
