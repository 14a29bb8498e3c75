"""Small arrays and fixed costs: building, reading, compiling, importing."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import weft
from benchmarks.timing import per_call, table


def main() -> None:
    """Print the table."""
    rows = [*_calls(), *_compiles(), _import()]
    table("small things", ["what", "measured", "bar"], rows)


def _calls() -> list[list[str]]:
    a, b = weft.asarray(np.ones(4, np.float32)), weft.asarray(np.ones(4, np.float32))
    na, nb = np.ones(4, np.float32), np.ones(4, np.float32)
    x = weft.asarray(np.ones(4))

    def chain() -> object:
        y = x
        for _ in range(5):
            y = y * 2 + 1
        return y.numpy()

    return [
        ["build a node (a + b)", f"{per_call(lambda: a + b) * 1e6:.2f} us", "1.5 us"],
        ["(a + b).numpy(), 4 cells", f"{per_call(lambda: (a + b).numpy()) * 1e6:.2f} us", "6 us"],
        ["np.add, 4 cells", f"{per_call(lambda: na + nb) * 1e6:.2f} us", ""],
        ["10 small ops, built and read", f"{per_call(chain, 1000) * 1e6:.2f} us", ""],
    ]


_COMPILE = """
import sys, time, numpy as np, weft
x = weft.asarray(np.arange(1000.0)); y = weft.asarray(np.arange(1000.0) + 1)
weft.sum(x * 2).item(); (x - y).numpy()
jobs = [lambda x, y: x * y + x, lambda x, y: weft.sqrt(x) - y, lambda x, y: weft.maximum(x, y) / (y + 1),
        lambda x, y: weft.sum(x * y), lambda x, y: weft.max(x - y), lambda x, y: weft.floor(x / y) + x,
        lambda x, y: weft.where(x > y, x, y * 2), lambda x, y: weft.abs(x) * y - 3]
for job in jobs:
    with weft.profile() as p:
        t = time.perf_counter(); job(x, y).numpy(); first = time.perf_counter() - t
    with weft.profile() as q:
        t = time.perf_counter(); job(x[:500], y[:500]).numpy(); second = time.perf_counter() - t
    print(first * 1e3, second * 1e3, p.kernels_compiled, q.kernels_compiled)
"""


def _run(folder: str) -> list[list[float]]:
    env = {**os.environ, "WEFT_CACHE_DIR": folder}
    done = subprocess.run([sys.executable, "-c", _COMPILE], env=env, capture_output=True, text=True, check=True)
    return [[float(v) for v in line.split()] for line in done.stdout.splitlines()]


def _compiles() -> list[list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        cold, warm = _run(folder), _run(folder)
    first = statistics.median(r[0] for r in cold)
    again = statistics.median(r[0] for r in warm)
    shapes = sum(int(r[3]) for r in cold)
    return [
        ["new kernel, planned and compiled (median)", f"{first:.1f} ms", "40 ms"],
        ["kernels compiled for a second shape", str(shapes), "0"],
        ["the same in a second process (median)", f"{again:.1f} ms", "3 ms"],
        ["kernels compiled in a second process", str(sum(int(r[2]) for r in warm)), "0"],
    ]


def _import() -> list[str]:
    def seconds(module: str) -> float:
        best = float("inf")
        for _ in range(5):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
            best = min(best, time.perf_counter() - start)
        return best

    bare = seconds("sys")
    return ["import weft (numpy alone)", f"{seconds('weft') - bare:.3f} s ({seconds('numpy') - bare:.3f} s)", "0.25 s"]
