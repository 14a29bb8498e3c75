"""Selections B1 to B15: how long they take and what memory they need, beside NumPy, TensorStore, dask.array and JAX.

The one idea: every contender runs in a fresh process, so that its peak is its own; processes take turns, the least
counts, and each result is held against NumPy's: weft's bit for bit (sums in the one order of additions).
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine
from benchmarks.results import reason
from benchmarks.rows import Row
from benchmarks.timing import best_of

LIBRARIES = ("weft", "numpy", "tensorstore", "dask", "dask_array", "jax")
TURNS = 2
V64 = 1 << 26


def _row(workload: str, says: str, quick: int = 0) -> Row:
    return Row(f"{workload}: {says}", lambda *_: None, (), ("float32",), quick)


ROWS = [
    _row("b1", "concat of 10 000 parts, read 10", 1),
    _row("b2", "overlay of 200 boxes, read 10^3"),
    _row("b3", "interleave of 4 x 64 MB, stored", 1),
    _row("b4", "interleave(4)[::4].sum()"),
    _row("b5", "sum(where(pad(flip(concat))...))"),
    _row("b9_views", "1000 chained views, stored", 1),
    _row("b9_tree", "10 cells of a tree of 10^5 nodes"),
    *[_row(f"b13_{name}", f"gradient of {name}") for name in ("windows", "concat", "interleave", "reflect")],
    *[_row(f"b15_{name}", f"64 MB written through {name}") for name in ("concat", "interleave", "flipped")],
]
MOVED = {"b3": (4 * V64, 4 * V64), "b4": (V64, 0), "b5": (8 * V64, 0)} | {
    f"{name}": (V64, V64) for row in ROWS if (name := row.name.partition(":")[0]).startswith(("b13", "b15"))
}  # bytes that must be read and written


def measured(row: Row, dtype: str, threads: int, _: list[str]) -> list[dict[str, Any]]:
    """Return a result of seconds (building and reading) and one of bytes beyond the result."""
    name = row.name.partition(":")[0]
    with tempfile.TemporaryDirectory() as folder:
        oracle = _run(name, "oracle", threads, folder)
        assert oracle is not None
        runs: dict[str, dict[str, Any]] = {}
        left_out: dict[str, str] = {}
        for _ in range(TURNS):
            for library in [k for k in LIBRARIES if importlib.util.find_spec(k) is not None]:
                try:
                    made = _run(name, library, threads, folder)
                except RuntimeError as error:
                    left_out[library] = reason(str(error))
                    runs.pop(library, None)
                    continue
                if made is not None and library not in left_out:
                    runs[library] = _best(runs.get(library, made), made)
        same = {library: _agrees(name, library, made, oracle, folder) for library, made in runs.items()}
    if same.get("weft") != "bits":
        raise SystemExit(f"{row.name}: weft does not agree with NumPy, or failed")
    left_out |= {library: "not the oracle's cells" for library, found in same.items() if found == "NO"}
    without = {library.replace("jax", "jax.jit"): why for library, why in left_out.items()}
    limit = best_of({"limit": machine.moving(*MOVED[name], threads)})["limit"] if name in MOVED else 0.0
    good = {library.replace("jax", "jax.jit"): made for library, made in runs.items() if same[library] != "NO"}
    seconds = {k: {"best": made["best"], "median": made["median"]} for k, made in good.items()}
    extra = {k: max(made["peak"] - made["result_bytes"], 0) for k, made in good.items()}
    names = {"name": row.name, "dtype": dtype, "threads": threads, "left_out": without}
    return [
        {"class": "selections", "group": "selections", **names, "unit": "s", "limit": limit, "contenders": seconds},
        {"class": "memory", "group": "memory", **names, "unit": "B", "limit": 0.0,
         "contenders": {k: {"best": bytes, "median": bytes} for k, bytes in extra.items()}},
    ]  # fmt: skip


def _run(workload: str, library: str, threads: int, folder: str) -> dict[str, Any] | None:
    command = [sys.executable, "-m", "benchmarks.contender", workload, library, str(threads), folder]
    env = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}  # a peak is to be what users have
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or [f"ended by {done.returncode}"])[-1])
    made: dict[str, Any] | None = json.loads(done.stdout.splitlines()[-1])
    return made


def _best(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    return {**b, **{k: min(a[k], b[k]) for k in ("best", "median", "peak")}}


def _agrees(workload: str, name: str, made: dict[str, Any], oracle: dict[str, Any], folder: str) -> str:
    """True if a result equals the oracle's: in its bits, or closely for sums in another order."""
    if made["digest"] == oracle["digest"]:
        return "bits"
    files = [Path(folder) / f"{workload}-{k}.npy" for k in (name, "oracle")]
    if all(f.exists() for f in files):
        ours, theirs = map(np.load, files)
        if ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=1e-3):
            return "about"
    return "NO"
