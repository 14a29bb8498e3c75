"""Small arrays and fixed costs: building, reading, compiling, importing."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from operator import iadd
from timeit import Timer
from typing import Any

import numpy as np

import weft
from benchmarks.peers import torch
from benchmarks.timing import table

CALLS = {  # what is timed: in weft, and in NumPy and PyTorch where it is written otherwise
    "a + b": "", "(a + b).numpy()": "a + b", "(a * 2).numpy()": "a * 2", "(-a).numpy()": "-a",
    "(a == b).numpy()": "a == b", "(a * 2 + b).numpy()": "a * 2 + b", "xp.exp(a).numpy()": "xp.exp(a)",
    "xp.where(mask, x, 0.0).numpy()": "xp.where(mask, x, 0.0)", "weft.astype(a, weft.float32).numpy()": "narrow(a)",
    "xp.add(a, b, out=out)": "", "xp.add(a, b, out=array)": "xp.add(a, b, out=out)", "iadd(own, 1)": "",
    "iadd(out, 1)": "", "x[...] = 2.0": "", "x[...] = w": "", "x[2] = 3.0": "", "x[1:3] = y": "", "k[1] = x": "",
    "k[:, 2] = 0.0": "", "k[2, 3] = 1.0": "", "x[at] = 1.0": "", "x[mask] = 0.0": "", "x[3]": "", "x[3].item()": "",
    "k[2, 3]": "", "k[2, 3].item()": "", "x[1:5]": "", "x[1:5].numpy()": "x[1:5]", "k[:, ::2]": "",
    "x[at].numpy()": "x[at]", "x[mask].numpy()": "x[mask]", "len(x)": "", "x.shape": "", "k.T": "",
    "xp.reshape(k, (20, 5))": "", "list(x)": "", "x.tolist()": "", "float(one)": "", "bool(one)": "",
    "xp.sum(x).item()": "", "xp.max(x).item()": "", "xp.mean(x).item()": "", "xp.any(mask).item()": "",
    "xp.sum(k, axis=0).numpy()": "xp.sum(k, 0)", "xp.argmax(x).item()": "", "xp.sort(x).numpy()": "xp.sort(x)",
    "xp.stack(parts).numpy()": "xp.stack(parts)", "xp.concat(parts).numpy()": "xp.concat(parts)",
    "xp.stack([p + 1 for p in thousands]).numpy()": "xp.stack([p + 1 for p in thousands])",
    "xp.concat([p + 1 for p in thousands]).numpy()": "xp.concat([p + 1 for p in thousands])",
    "xp.zeros(3)": "", "xp.zeros(3).numpy()": "xp.zeros(3)", "xp.arange(10).numpy()": "xp.arange(10)",
    "asarray(array)": "", "asarray([1, 2, 3])": "", "asarray(numbers)": "", "asarray(many)": "",
    "asarray(range(10**6))": "", "asarray(2.0)": "", "(m @ n).numpy()": "m @ n", "(m @ v).numpy()": "m @ v",
    "linalg.gemm(2.0, m, n).numpy()": "2.0 * (m @ n)", "linalg.inv(m).numpy()": "linalg.inv(m)",
    "linalg.solve(m, v).numpy()": "linalg.solve(m, v)", "linalg.det(m).item()": "", "watched(a)": "xp.exp(a)",
    "list(cells)": "", "cells[half].numpy()": "cells[half]", "xp.median(cells).numpy()": "xp.median(cells)",
    "xp.histogram(cells)[0].numpy()": "xp.histogram(cells)[0]",
}  # fmt: skip


def main(only: str = "") -> None:
    """Print the tables; `only`: just the calls that hold this text."""
    threads = weft.get_num_threads()
    weft.set_num_threads(1)
    table("small calls, microseconds, one thread", ["", "NumPy", "torch", "weft", "weft / NumPy"], _calls(only))
    weft.set_num_threads(threads)
    if not only:
        table("small things", ["what", "measured", "bar"], [*_compiles(), _import()])


def _calls(only: str) -> list[list[str]]:
    spaces = [_names(np, np.asarray), _names(torch, torch.asarray) if torch is not None else {}, _weft_names()]
    rows = []
    for wefts, other in CALLS.items():
        if only in wefts:
            numpys, torchs, ours = (
                _least(text, names) for text, names in zip((other or wefts, other or wefts, wefts), spaces, strict=True)
            )
            rows.append([wefts, *(_shown(t) for t in (numpys, torchs, ours)), f"{ours / numpys:.1f}"])
    return rows


def _shown(microseconds: float) -> str:
    return f"{microseconds:.2f}" if microseconds == microseconds else ""


def _names(xp: Any, asarray: Any) -> dict[str, Any]:
    """What the calls speak of, in one library."""
    given = {
        "a": np.ones(4), "b": np.ones(4), "x": np.arange(10.0), "y": np.ones(2), "w": np.ones(10), "m": 2 * np.eye(4),
        "n": np.ones((4, 4)), "v": np.ones(4), "k": np.arange(100.0).reshape(10, 10), "out": np.zeros(4),
        "one": np.ones(1), "mask": np.arange(10) % 2 == 0, "at": np.array([1, 3, 5]),
        "cells": np.sin(np.arange(1000.0)), "half": np.sin(np.arange(1000.0)) > 0,
    }  # fmt: skip
    names: dict[str, Any] = {name: asarray(array) for name, array in given.items()}
    names |= {"xp": xp, "asarray": asarray, "linalg": xp.linalg, "iadd": iadd, "array": np.zeros(4)}
    names |= {"own": xp.zeros(4), "one": asarray(np.array(1.0)), "narrow": lambda a: a.astype(xp.float32)}
    names |= {"parts": [asarray(np.ones(3)) for _ in range(10)], "numbers": [float(i) for i in range(1000)]}
    names |= {"thousands": [asarray(np.ones(3)) for _ in range(3000)], "many": [float(i) for i in range(10**6)]}
    return names


def _weft_names() -> dict[str, Any]:
    def watched(a: Any) -> object:
        with weft.modules.core.wrapped("exp", lambda call: call()):
            return weft.exp(a).numpy()

    return {**_names(weft, weft.asarray), "weft": weft, "watched": watched}


def _least(text: str, names: dict[str, Any]) -> float:
    """The least mean microseconds of a statement; NaN where a library has no such call."""
    timer = Timer(text, globals=names)
    try:
        timer.timeit(2)
    except (NameError, AttributeError, TypeError, ValueError, RuntimeError):
        return float("nan")
    calls = max(1, min(2000, int(0.01 / max(timer.timeit(1), 1e-7))))
    return min(timer.repeat(7, calls)) / calls * 1e6


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
