"""Fair timing: all contenders of a case take turns in one process, and each keeps its best time.

The one idea: a machine's speed drifts, so absolute times of different runs do not compare; ratios of contenders that
ran interleaved do.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

Run = Callable[[], object]


def best_of(contenders: Mapping[str, Run], rounds: int = 9, budget: float = 3.0) -> dict[str, float]:
    """The least seconds of each contender over interleaved rounds (fewer rounds where they take long)."""
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


def per_call(run: Run, calls: int = 5000, rounds: int = 7) -> float:
    """The least mean seconds of a short call."""
    run()
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            run()
        best = min(best, (time.perf_counter() - start) / calls)
    return best


def table(title: str, head: list[str], rows: list[list[str]]) -> None:
    """Print rows under a title with aligned columns."""
    widths = [max(len(r[i]) for r in [head, *rows]) for i in range(len(head))]
    print(f"\n{title}", flush=True)
    for row in [head, ["-" * w for w in widths], *rows]:
        print(
            "  "
            + "  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True)))
        )
