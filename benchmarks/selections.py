"""Selections beside NumPy, TensorStore, dask.array and JAX: the acceptance benchmarks, each with its pass mark.

The one idea: every contender runs in a fresh process, so that its peak is its own; rounds of contenders take turns, the
least time counts, and each result is held against NumPy's: weft's bit for bit (sums in the one order of additions).
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine
from benchmarks.timing import best_of, table

MB = 1e6
LIBRARIES = ("weft", "numpy", "tensorstore", "dask", "dask_array", "jax")
TURNS = 2


@dataclass(frozen=True)
class Case:
    """A workload, what it does, its pass marks (0: none; `extra` is memory beyond the result), bytes that must move."""

    name: str
    says: str
    build_ms: float = 0
    read_ms: float = 0
    built_mb: float = 0
    extra_mb: float = 0
    moved: int = 0
    reads_only: bool = False


V64 = 1 << 26
CASES = (
    Case("b1", "B1 concat of 10 000 parts, read 10", 15, 0.5),
    Case("b2", "B2 overlay of 200 boxes, read 10^3", 20, 5, 5),
    Case("b3", "B3 interleave of 4 x 64 MB, stored", 0, 120, 0, 8, 8 * V64),
    Case("b4", "B4 interleave(4)[::4].sum()", 0, 12, 0, 1, V64, True),
    Case("b5", "B5 sum(where(pad(flip(concat))...))", 0, 150, 0, 16, 8 * V64, True),
    Case("b9_views", "B9 1000 chained views, stored", 10),
    Case("b9_tree", "B9 10 cells of a tree of 10^5 nodes", 0, 5),
    Case("b13_windows", "B13 gradient of windows of 4", 0, 0, 0, 8, 2 * V64),
    Case("b13_concat", "B13 gradient of concat", 0, 0, 0, 8, 2 * V64),
    Case("b13_interleave", "B13 gradient of interleave", 0, 0, 0, 8, 2 * V64),
    Case("b13_reflect", "B13 gradient of reflect pad", 0, 0, 0, 8, 2 * V64),
    Case("b15_concat", "B15 64 MB written through concat", 0, 0, 0, 8, 2 * V64),
    Case("b15_interleave", "B15 64 MB written through interleave", 0, 0, 0, 8, 2 * V64),
    Case("b15_flipped", "B15 64 MB written through flip(concat)", 0, 0, 0, 8, 2 * V64),
)  # fmt: skip


def installed() -> list[str]:
    """The libraries that can take part."""
    return [name for name in LIBRARIES if importlib.util.find_spec(name) is not None]


def main(threads: int, only: str = "") -> None:
    """Print a table of each case, once it is measured, at a number of threads."""
    head = ["library", "build ms", "read ms", "of limit", "built MB", "extra MB", "same", "seen"]
    for case in [c for c in CASES if only in c.says]:
        rows, bar = _case(case, threads)
        table(f"{case.says}, {threads} thread(s)  [{bar}]", head, rows)


def _case(case: Case, threads: int) -> tuple[list[list[str]], str]:
    """A row of each library, and how weft stands to the pass marks; extra is memory at the peak beyond the result."""
    with tempfile.TemporaryDirectory() as folder:
        oracle = _run(case.name, "oracle", threads, folder)
        assert oracle is not None
        runs: dict[str, dict[str, Any]] = {}
        for _ in range(TURNS):
            for library in installed():
                made = _run(case.name, library, threads, folder)
                if made is not None:
                    runs[library] = _best(runs.get(library, made), made)
        same = {name: _agrees(case.name, name, made, oracle, folder) for name, made in runs.items()}
    limit = _limit(case)
    if same.get("weft") != "bits":
        print(f"{case.says}: weft DOES NOT AGREE with NumPy, or failed")
    rows = [_row(name, made, same[name], limit) for name, made in runs.items()]
    return rows, _verdict(case, runs["weft"]) if "weft" in runs else "no result"


def _run(workload: str, library: str, threads: int, folder: str) -> dict[str, Any] | None:
    command = [sys.executable, "-m", "benchmarks.contender", workload, library, str(threads), folder]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        why = done.stderr.strip().splitlines() or [f"ended by {done.returncode}"]
        print(f"{workload} {library}: {why[-1]}")
        return None
    made: dict[str, Any] | None = json.loads(done.stdout.splitlines()[-1])
    return made


def _best(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    return {**b, **{k: min(a[k], b[k]) for k in ("build", "read", "built", "peak")}}


def _agrees(workload: str, name: str, made: dict[str, Any], oracle: dict[str, Any], folder: str) -> str:
    """Whether a result is the oracle's: in its bits, or about (sums in another order)."""
    if made["digest"] == oracle["digest"]:
        return "bits"
    files = [Path(folder) / f"{workload}-{k}.npy" for k in (name, "oracle")]
    if all(f.exists() for f in files):
        ours, theirs = map(np.load, files)
        if ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=1e-3):
            return "about"
    return "fewer layers" if "layers" in made["facts"] else "NO"


def _limit(case: Case) -> float:
    if not case.moved:
        return 0.0
    run = machine.reading(case.moved) if case.reads_only else machine.copying(case.moved)
    return best_of({"limit": run})["limit"]


def _values(made: dict[str, Any]) -> dict[str, float]:
    extra = max((made["peak"] - made["result_bytes"]) / MB, 0)
    return {"build": made["build"] * 1e3, "read": made["read"] * 1e3, "built": made["built"] / MB, "extra": extra}


def _verdict(case: Case, made: dict[str, Any]) -> str:
    values = _values(made)
    marks = {"build": case.build_ms, "read": case.read_ms, "built": case.built_mb, "extra": case.extra_mb}
    units = {"build": "ms", "read": "ms", "built": "MB", "extra": "MB"}
    said = [f"{key} {mark:g} {units[key]}" for key, mark in marks.items() if mark]
    missed = [key for key, mark in marks.items() if mark and values[key] > mark]
    return ", ".join(said) + (f": MISSED {', '.join(missed)}" if missed else ": met")


def _row(name: str, made: dict[str, Any], same: str, limit: float) -> list[str]:
    values = _values(made)
    return [
        name,
        f"{values['build']:.3f}",
        f"{values['read']:.3f}",
        f"{100e3 * limit / values['read']:.0f} %" if limit else "-",
        f"{values['built']:.1f}",
        f"{values['extra']:.1f}",
        same,
        made["facts"],
    ]
