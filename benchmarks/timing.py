"""Fair timing: all contenders of a row take shuffled turns in one process, each after unmeasured calls of its own.

The one idea: a machine's speed drifts, so absolute times of different runs do not compare; ratios of contenders that
took turns do.
"""

from __future__ import annotations

import gc
import random
import statistics
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

Run = Callable[[], Any]
LEAST, ROUNDS = 3, 60  # of rounds
TURN = 2e-4  # seconds that a turn takes at least: short calls are repeated
WARM = 5e-3  # seconds of unmeasured calls: a large cache that others filled takes several calls to change over
FLUSH = 1 << 26  # bytes that are read before a call on cold arrays
PATIENCE = 0.2  # seconds after which a contender begins, whatever threads of the last one still do

_flushed = np.ones(1)


def take_turns(runs: Mapping[str, Run], seconds: float, cold: bool = False, seed: int = 0) -> dict[str, list[float]]:
    """Return the seconds of a call, a number for each turn, of each contender; all have been called once before."""
    order, calls = random.Random(seed), {name: _calls(run) for name, run in runs.items()}
    times: dict[str, list[float]] = {name: [] for name in runs}
    begin = time.perf_counter()
    gc.collect()
    for turn in range(ROUNDS):
        for name in order.sample(list(runs), len(runs)):
            _wait_for_quiet()
            if cold:
                _flush()
            else:
                _warm(runs[name])
            times[name].append(_timed(runs[name], 1 if cold else calls[name]))
        if turn + 1 >= LEAST and time.perf_counter() - begin > seconds:
            break
    return times


def _wait_for_quiet() -> None:
    """Sleep until the last contender's threads do: some spin on for 0.1 s, on processors that the next one needs."""
    begin = time.perf_counter()
    while _others_run() and time.perf_counter() - begin < PATIENCE:
        time.sleep(1e-3)


def _others_run(tasks: Path = Path("/proc/self/task")) -> bool:
    """True if another thread of this process runs or waits for a processor; never where the system does not say."""
    own, states = str(threading.get_native_id()), set()
    for task in tasks.iterdir() if tasks.is_dir() else ():
        with suppress(OSError):  # the thread has ended
            states.add(task.name != own and (task / "stat").read_text().rpartition(")")[2].split()[0])
    return "R" in states


def _calls(run: Run) -> int:
    start = time.perf_counter()
    run()
    return max(1, int(TURN / (time.perf_counter() - start)))


def _warm(run: Run) -> None:
    start = time.perf_counter()
    run()
    while time.perf_counter() - start < WARM:
        run()


def _timed(run: Run, calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls


def _flush() -> None:
    global _flushed
    if _flushed.size == 1:
        _flushed = np.ones(FLUSH // 8)
    _flushed += 1


def figures(times: list[float]) -> dict[str, float]:
    """Return the best and the median."""
    return {"best": min(times), "median": statistics.median(times)}


def best_of(contenders: Mapping[str, Run], rounds: int = 9, budget: float = 3.0) -> dict[str, float]:
    """The least seconds of each contender over rounds in turn (fewer rounds where they take long)."""
    best = dict.fromkeys(contenders, float("inf"))
    for run in contenders.values():
        run()  # compile, and touch memory
    begin = time.perf_counter()
    for _ in range(rounds):
        for name, run in contenders.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
        if time.perf_counter() - begin > budget:
            break
    return best


def table(title: str, head: list[str], rows: list[list[str]]) -> None:
    """Print rows under a title with aligned columns."""
    widths = [max(len(r[i]) for r in [head, *rows]) for i in range(len(head))]
    print(f"\n{title}", flush=True)
    for row in [head, ["-" * w for w in widths], *rows]:
        cells = [c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))]
        print("  " + "  ".join(cells))
