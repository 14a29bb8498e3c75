"""Turns: the contenders of a program in fresh processes, in a shuffled order, and their results.

The one idea: a machine's speed drifts, so contenders take turns; each keeps its least time and its greatest peak.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.larger.cell import BY_LIMIT, TIMED_OUT, Task

STARTING = 60.0  # seconds that a process gets beside its computation: imports, and looking at what it saved
LATE = "over"  # how the fault of a computation that took too long begins
WRONG = "WRONG"  # how the fault of wrong values begins
CLOSE = 1e-4  # of the greatest magnitude, within which float results agree


@dataclass
class Measured:
    """The result of a contender: least seconds, those of all cores, most bytes; the reason if it left the race."""

    seconds: float = float("inf")
    work: float = float("inf")
    peak: int = 0
    held: int = 0
    left: int = 0
    fault: str = ""

    @property
    def failed(self) -> bool:
        """True if there is no time, not even a bound: an error, wrong values, not measured."""
        return self.seconds == float("inf")

    def time(self) -> str:
        """The seconds, or the bound of one that ran out of time."""
        return "-" if self.failed else f"{'>' if self.fault else ''}{self.seconds:.2f}"


def run(task: Task) -> tuple[dict[str, object], str]:
    """Run a task in a fresh process; return what it found, or an empty dict and the fault."""
    for old in Path(task.results).parent.glob("out.*"):
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    Path(task.results).unlink(missing_ok=True)
    command = [sys.executable, "-m", "benchmarks.larger.cell", task.text()]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=task.timeout + STARTING, preexec_fn=_on_cores(task.threads)
        )
    except subprocess.TimeoutExpired:
        return {}, f"{LATE} {task.timeout:.0f} s"
    if done.returncode == TIMED_OUT:
        return {}, f"{LATE} {task.timeout:.0f} s"
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"died with {done.returncode}"]
        return {}, lines[-1][:160]
    return json.loads(done.stdout.splitlines()[-1]), ""


def _on_cores(threads: int):  # type: ignore[no-untyped-def]
    cores = sorted(os.sched_getaffinity(0))[:threads]
    return lambda: os.sched_setaffinity(0, cores)


def expected(task: Task) -> list[np.ndarray]:
    """Return NumPy's results, computed once for a folder of files."""
    kept = Path(task.folder) / "expected" / f"{''.join(c if c.isalnum() else '-' for c in task.program)}.npz"
    if not kept.exists():
        kept.parent.mkdir(exist_ok=True)
        found, fault = run(replace(task, library="numpy", format="npy", limit="none", timeout=900.0))
        if not found:
            raise SystemExit(f"{task.program}: NumPy has no result: {fault}")
        os.rename(task.results, kept)
    return arrays(kept)


def arrays(path: Path) -> list[np.ndarray]:
    """The results that a process kept."""
    with np.load(path) as held:
        return list(held.values())


def difference(found: list[np.ndarray], wanted: list[np.ndarray]) -> str:
    """Return the difference of results as text, "" if there is none; integers must be equal."""
    for x, y in zip(found, wanted, strict=True):
        if x.shape != y.shape:
            return f"{WRONG}: shape {x.shape}, not {y.shape}"
        if y.dtype.kind in "iub":
            if not np.array_equal(x, y):
                return f"{WRONG}: {np.count_nonzero(x != y)} of {x.size} cells"
            continue
        worst = float(np.max(np.abs(x.astype(np.float64) - y))) / float(np.max(np.abs(y)))
        if not worst <= CLOSE:
            return f"{WRONG}: off by {worst:.1e} of the greatest"
    return ""


def take_turns(
    task: Task, contenders: list[tuple[str, str]], rounds: int, order: random.Random
) -> dict[tuple[str, str], Measured]:
    """Measure (library, limit) pairs at a program in a format, each in every round until it fails."""
    wanted = expected(task)
    modules = {library: _modules(task, library) for library in {library for library, _ in contenders} - {BY_LIMIT}}
    out = {who: Measured() for who in contenders}
    for _ in range(rounds):
        turn = [who for who in contenders if not out[who].fault]
        order.shuffle(turn)
        for library, limit in turn:
            _once(
                replace(task, library=library, limit=limit, modules=modules.get(library, ())),
                out[library, limit],
                wanted,
            )
    return out


def _once(task: Task, into: Measured, wanted: list[np.ndarray]) -> None:
    found, into.fault = run(task)
    if not into.fault and task.library != BY_LIMIT:
        into.fault = difference(arrays(Path(task.results)), wanted)
    if into.fault:
        into.seconds = task.timeout if into.fault.startswith(LATE) else float("inf")
        return
    into.seconds = min(into.seconds, float(found["seconds"]))  # type: ignore[arg-type]
    into.work = min(into.work, float(found.get("work", "inf")))  # type: ignore[arg-type]
    for name in ("peak", "held", "left"):
        setattr(into, name, max(getattr(into, name), int(found.get(name, 0))))  # type: ignore[call-overload]


def _modules(task: Task, library: str) -> tuple[str, ...]:
    """The modules that a library loads for this program and format; its kernels are on disk afterwards."""
    folder = str(Path(task.folder).parent / "smoke")
    found, _ = run(
        replace(task, library=library, size="smoke", folder=folder, limit="none", timeout=60.0, tell_modules=True)
    )
    return tuple(found.get("modules", ()))  # type: ignore[arg-type]
