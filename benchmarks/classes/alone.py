"""Compile and memory: a contender alone in a fresh process, with nothing compiled before.

The one idea: the first call of a function tells what compiling costs, and a call watched by the system's high-water
mark how much memory is taken beyond inputs and results; a process of its own tells both.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np

from benchmarks import libraries, memory
from benchmarks.classes import cached_rows, elementwise, layout, numerics, reductions
from benchmarks.rows import Row

CHOSEN = (
    (elementwise, "exp(a)*sin(b)+a"), (elementwise, "5 rounds of an iteration, 50 operations"),
    (elementwise, "30 rounds of an iteration, 300 operations"), (reductions, "var, axis=1"),
    (reductions, "((a-b)**2).sum()"), (reductions, "cumulative_sum, axis=1"), (cached_rows, "softmax, rows of 1024"),
    (cached_rows, "layer norm"), (cached_rows, "moving average of 8"), (layout, "gather in a chain: x[i]*2+y"),
    (numerics, "options pricing"), (numerics, "Jacobi step"), (numerics, "blur 5 x 5"), (numerics, "Gray-Scott step"),
    (numerics, "transformer block"),
)  # fmt: skip
ROWS = [row for module, name in CHOSEN for row in module.ROWS if row.name == name]
QUICK = {"exp(a)*sin(b)+a", "softmax, rows of 1024", "blur 5 x 5"}
COMPILED, MEMORY = ("weft", "numba", "torch.compile", "jax.jit"), ("weft", "numpy", "torch", "torch.compile", "jax.jit")
CACHES = ("WEFT_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "NUMBA_CACHE_DIR")


def measured(row: Row, dtype: str, threads: int, known: list[str]) -> list[dict[str, Any]]:
    """Return a result of each class: the seconds of a first call, and the bytes beyond inputs and results."""
    found = {name: _alone(row, dtype, threads, name) for name in dict.fromkeys(COMPILED + MEMORY) if name in known}
    made = {name: f for name, f in found.items() if f is not None}
    return [
        _result("compile", row, dtype, threads, "s", {k: f["first"] for k, f in made.items() if k in COMPILED}),
        _result("memory", row, dtype, threads, "B", {k: f["extra"] for k, f in made.items() if k in MEMORY}),
    ]


def _result(kind: str, row: Row, dtype: str, threads: int, unit: str, found: dict[str, float]) -> dict[str, Any]:
    contenders = {name: {"best": value, "median": value} for name, value in found.items()}
    names = {"class": kind, "group": kind, "name": row.name, "dtype": dtype, "threads": threads}
    return {**names, "unit": unit, "limit": 0.0, "contenders": contenders}


def _alone(row: Row, dtype: str, threads: int, library: str) -> dict[str, float] | None:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.classes.alone", row.name, dtype, str(threads), library]
        env = {**os.environ, **dict.fromkeys(CACHES, folder)}
        os.chmod(folder, 0o700)
        done = subprocess.run(command, env=env, capture_output=True, text=True)
    if done.returncode:
        print(f"{row.name} {library}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    found: dict[str, float] | None = json.loads(done.stdout.splitlines()[-1])
    return found


def main(name: str, dtype: str, threads: int, library: str) -> None:
    """Measure in this process, and print a line of JSON."""
    libraries.set_threads(threads)
    row = next(r for r in ROWS if r.name == name)
    warm = libraries.run_of(library, Row("warm", lambda _, x: x + 1, ()), (np.ones(100, np.float16),))
    if warm is not None:
        warm()
    run = libraries.run_of(library, row, row.arrays(dtype))
    if run is None:
        print("null")
        return
    start = time.perf_counter()
    result = run()
    first = time.perf_counter() - start
    held = sum(array.nbytes for array in libraries.values(result))
    del result
    gc.collect()
    _forget(library)
    before = memory.watch()
    result = run()  # kept until the peak is read
    peak = memory.peak()
    del result
    print(json.dumps({"first": first, "extra": max(peak - before - held, 0)}))


def _forget(library: str) -> None:
    """Give back what weft keeps for reuse, so that a peak counts everything."""
    if library.startswith("weft"):
        from weft.runtime.memory.allocator import POOL

        POOL.drop()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
