"""Compile and memory: a contender alone in a fresh process, with nothing compiled before.

The one idea: the first call of a function tells, beside later ones, what compiling costs, and a call watched by the
system's high-water mark how much memory is taken beyond inputs and results; a process of its own tells both.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from benchmarks import libraries, memory
from benchmarks.classes import cached_rows, elementwise, layout, numerics, reductions
from benchmarks.results import reason
from benchmarks.rows import Row
from benchmarks.timing import figures

Sample = dict[str, float]

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
TURNS, LEAST, SECONDS = 5, 2, 8.0  # samples of what compiles: after the second, none once it has taken so long
LATE = 120  # seconds of a process
LATER = 3  # calls beside which the first is held
CACHES = ("WEFT_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "NUMBA_CACHE_DIR")


def measured(row: Row, dtype: str, threads: int, known: list[str]) -> list[dict[str, Any]]:
    """Return a result of each class: the seconds of compiling, and the bytes beyond inputs and results."""
    names = [name for name in dict.fromkeys(COMPILED + MEMORY) if name in known]
    samples, left_out = _samples(row, dtype, threads, names)
    return [
        _result("compile", row, dtype, threads, "s", samples, "compiling", COMPILED, left_out),
        _result("memory", row, dtype, threads, "B", samples, "extra", MEMORY, left_out),
    ]


def _result(
    kind: str, row: Row, dtype: str, threads: int, unit: str, samples: Mapping[str, Sequence[Sample]], key: str,
    taken: Sequence[str], left_out: Mapping[str, str],
) -> dict[str, Any]:  # fmt: skip
    contenders = {name: figures([s[key] for s in samples[name]]) for name in taken if name in samples}
    names = {"class": kind, "group": kind, "name": row.name, "dtype": dtype, "threads": threads}
    without = {name: why for name, why in left_out.items() if name in taken}
    return {**names, "unit": unit, "limit": 0.0, "contenders": contenders, "left_out": without}


def _samples(
    row: Row, dtype: str, threads: int, names: Sequence[str]
) -> tuple[dict[str, list[Sample]], dict[str, str]]:
    """Return what fresh processes find of each contender, in shuffled turns (fewer of slow ones), and who failed."""
    order, samples, spent = random.Random(len(row.name)), dict[str, list[Sample]](), dict.fromkeys(names, 0.0)
    left_out: dict[str, str] = {}
    for turn in range(TURNS):
        for name in order.sample(names, len(names)):
            compiles = name in COMPILED
            if turn and not (name in samples and compiles and (turn < LEAST or spent[name] < SECONDS)):
                continue
            start = time.perf_counter()
            try:
                found = _alone(row, dtype, threads, name)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                late = isinstance(error, subprocess.TimeoutExpired)
                left_out[name] = f"not measured within {LATE} s" if late else reason(str(error))
                samples.pop(name, None)
                continue
            spent[name] += time.perf_counter() - start
            if found is not None:
                samples.setdefault(name, []).append(found)
    return samples, left_out


def _alone(row: Row, dtype: str, threads: int, library: str) -> Sample | None:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.classes.alone", row.name, dtype, str(threads), library]
        env = {**os.environ, **dict.fromkeys(CACHES, folder)}
        os.chmod(folder, 0o700)
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=LATE)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or [f"ended by {done.returncode}"])[-1])
    found: Sample | None = json.loads(done.stdout.splitlines()[-1])
    return found


def main(name: str, dtype: str, threads: int, library: str) -> None:
    """Measure in this process, and print a line of JSON."""
    libraries.set_threads(threads, [libraries.NEEDS[library]])
    row = next(r for r in ROWS if r.name == name)
    arrays = row.arrays(dtype)
    # other code over as many bytes: libraries are loaded, and none waits for pages of its result and a temporary
    cells = np.ones(max(a.nbytes for a in arrays) // 2, np.float16)
    libraries.start(library, cells)
    run = libraries.run_of(library, row, arrays)
    if run is None:
        print("null")
        return
    gc.collect()  # of what was imported: else it may fall into the first call
    first = _seconds(run)
    compiling = first - min(_seconds(run) for _ in range(LATER))
    result = run()
    held = sum(array.nbytes for array in libraries.values(result))
    del result
    gc.collect()
    _forget(library)
    before = memory.watch()
    result = run()  # kept until the peak is read
    peak = memory.peak()
    del result
    print(json.dumps({"compiling": compiling, "extra": max(peak - before - held, 0)}))


def _seconds(run: libraries.Run) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def _forget(library: str) -> None:
    """Give back what weft and the C library keep for reuse, so that a peak counts everything."""
    if library.startswith("weft"):
        from weft.runtime.memory.allocator import POOL

        POOL.drop()
    with suppress(AttributeError):  # not every C library has it
        ctypes.CDLL(None).malloc_trim(0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
