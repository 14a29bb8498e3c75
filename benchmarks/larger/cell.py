"""One contender at one program, in a process of its own: `python -m benchmarks.larger.cell TASK` prints a line of JSON.

The one idea: what a library loads when it is first used is loaded before the clock runs (`modules`, as a run over small
files found them), and the peak of memory is what the system says beyond what was resident then.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np

from benchmarks import memory
from benchmarks.larger.inputs import FORMATS, SIZES
from benchmarks.larger.programs import PROGRAMS, Program

TIMED_OUT = 124
BY_LIMIT = "decoding"  # the contender that only decodes


@dataclass(frozen=True)
class Task:
    """The task of a process: a library and a program; where results go (.npz); the modules to load first."""

    program: str
    library: str
    format: str
    limit: str
    size: str
    folder: str
    results: str
    threads: int
    timeout: float
    modules: tuple[str, ...] = ()
    tell_modules: bool = False

    def text(self) -> str:
        """The command line's word for it."""
        return json.dumps(asdict(self))


def main(text: str) -> None:
    """Measure, keep the results, print what was measured."""
    task = Task(**json.loads(text))
    program = PROGRAMS[task.program]
    if task.library == BY_LIMIT:
        found = _limit(task, program)
    else:
        found = _measured(task, program)
    if task.tell_modules:
        found["modules"] = list(sys.modules)
    print(json.dumps(found))


def _limit(task: Task, program: Program) -> dict[str, Any]:
    decoding = importlib.import_module("benchmarks.larger.decoding")  # with the formats' libraries
    layouts, format = SIZES[task.size], _side(task.format, program, "in")
    seconds = 0.0
    for name in program.inputs:
        layout = layouts[name]
        paths = layout.paths(Path(task.folder), name, format)
        start = time.perf_counter()
        decoding.decode(paths, layout, program.reads(layout), task.threads)
        seconds += time.perf_counter() - start
    return {"seconds": seconds}


def _measured(task: Task, program: Program) -> dict[str, Any]:
    library = importlib.import_module(f"benchmarks.larger.with_{task.library}")
    library.set_up(task.threads, task.limit)
    for name in task.modules:
        _load(name)
    gc.collect()
    out = Path(task.results).with_name("out" + FORMATS[_side(task.format, program, "out")])
    watchdog = Timer(task.timeout, os._exit, (TIMED_OUT,))
    watchdog.daemon = True
    watchdog.start()
    before, worked, start = memory.watch(), time.process_time(), time.perf_counter()
    values = _run(library, task, program, out)
    seconds, work, peak = time.perf_counter() - start, time.process_time() - worked, memory.peak() - before
    watchdog.cancel()
    held = 0 if program.save else sum(x.nbytes for x in values)
    if not program.save or task.library == "numpy":
        np.savez(task.results, *(summary(x) if program.save else x for x in values))
    del values
    gc.collect()
    left = memory.resident() - before
    if program.save and task.library != "numpy":
        np.savez(task.results, summary(_read(out)))
    return {"seconds": seconds, "work": work, "peak": peak, "held": held, "left": left}


def _run(library: Any, task: Task, program: Program, out: Path) -> list[np.ndarray]:
    layouts, format = SIZES[task.size], _side(task.format, program, "in")
    if task.library == "numpy":  # u and w are the same cells
        format, program = "npy", replace(program, inputs=tuple(n.replace("w", "u") for n in program.inputs))
    inputs = [library.opened(layouts[name].paths(Path(task.folder), name, format)) for name in program.inputs]
    results = program.results(library, *inputs)
    if not program.save or task.library == "numpy":
        return library.values(results)  # type: ignore[no-any-return]
    library.saved(out, results[0], layouts[program.save].chunks)
    return []


def _side(format: str, program: Program, side: str) -> str:
    """The format of the inputs or of what is saved: a plain file has no chunks to be changed."""
    return "zarr" if format == "npy" and program.pencils == side else format


def _load(name: str) -> None:
    try:
        importlib.import_module(name)
    except Exception:  # not all that is in sys.modules can be imported by name
        pass


def _read(path: Path) -> np.ndarray:
    """The whole array of a file that was saved, by the format's own library."""
    if path.suffix == ".npy":
        return np.load(path)  # type: ignore[no-any-return]
    if path.suffix == ".zarr":
        import zarr

        return np.asarray(zarr.open_array(str(path), mode="r")[...])
    import h5py

    with h5py.File(path, "r") as file:
        return next(iter(file.values()))[...]  # type: ignore[no-any-return]


def summary(x: np.ndarray) -> np.ndarray:
    """Sums of magnitudes for each index of each axis, and some cells: what a lost or misplaced tile would change."""
    size = np.abs(x)
    axes = range(x.ndim)
    sums = [size.mean(axis=tuple(a for a in axes if a != axis), dtype=np.float64) for axis in axes]
    sample = x[tuple(slice(n % 7 % n, None, max(1, n // 37)) for n in x.shape)]
    return np.concatenate([*sums, sample.ravel().astype(np.float64)])


if __name__ == "__main__":
    main(sys.argv[1])
