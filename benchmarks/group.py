"""One class at one number of threads, in this process: `python -m benchmarks.group elementwise 2 0.5 quick TEXT`.

The one idea: a process for each class holds its memory and threads apart from the others'; a line of JSON for each row
is all that it says.
"""

from __future__ import annotations

import importlib
import json
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from benchmarks import libraries, machine
from benchmarks.rows import Row
from benchmarks.timing import Run, figures, take_turns

PATIENCE = 40  # seconds for the first call of a contender
TITLES = {
    "elementwise": "element-wise", "reductions": "reductions and scans", "cached_rows": "rows in cache",
    "layout": "layout and index", "products": "products", "numerics": "numerics", "small": "small",
    "alone": "compile and memory", "selections": "selections",
}  # fmt: skip


def main(name: str, threads: int, seconds: float, quick: bool, only: str) -> None:
    """Measure the rows of a class whose names hold a text, and print a line for each; fail where weft has no result."""
    warnings.simplefilter("ignore")
    module, known = importlib.import_module(f"benchmarks.classes.{name}"), libraries.installed()
    libraries.set_threads(threads)
    missed = 0
    for row in [r for r in module.ROWS if only in r.name]:
        for dtype in chosen(module, row, quick):
            found = _results(module, name, row, dtype, threads, seconds, known)
            missed += not found
            for result in found:
                print(json.dumps(result), flush=True)
    if missed:
        raise SystemExit(f"{TITLES[name]}: {missed} rows without a result of weft's")


def chosen(module: Any, row: Row, quick: bool) -> tuple[str, ...]:
    """Return the dtypes of a row that a run measures; a class may have a quick subset of its own."""
    if quick and hasattr(module, "QUICK") and not row.name.startswith(tuple(module.QUICK)):
        return ()
    return row.taken(quick)


def _results(
    module: Any, name: str, row: Row, dtype: str, threads: int, seconds: float, known: list[str]
) -> list[dict[str, Any]]:
    if hasattr(module, "measured"):
        return list(module.measured(row, dtype, threads, known))
    arrays = row.arrays(dtype)
    runs, wanted = checked(module, row, arrays, known)
    if "weft" not in runs:
        return []
    read, written = (sum(a.nbytes for a in group) for group in (arrays, wanted))
    if name != "small":
        runs["limit"] = machine.moving(read, written, threads)
    found = {k: figures(times) for k, times in take_turns(runs, seconds, row.cold, seed=len(row.name)).items()}
    limit = found.pop("limit", {"best": 0.0})["best"]
    if row.flops:
        limit = max(limit, row.flops / machine.flops(dtype))
    names = {"class": TITLES[name], "group": row.group or TITLES[name], "name": row.name, "dtype": dtype}
    return [{**names, "threads": threads, "unit": "s", "limit": limit, "contenders": found}]


@contextmanager
def patience() -> Iterator[None]:
    """Raise TimeoutError where a first call takes longer than a reader would wait for."""

    def late(*_: Any) -> None:
        raise TimeoutError(f"not compiled and called within {PATIENCE} s")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)


def checked(
    module: Any, row: Row, arrays: tuple[np.ndarray, ...], known: list[str]
) -> tuple[dict[str, Run], list[np.ndarray]]:
    """Return the contenders whose first result is NumPy's, and that result; say what is wrong with the others."""
    make = getattr(module, "run_of", libraries.run_of)
    numpys = make("numpy", row, arrays)
    wanted = libraries.values(numpys())
    runs: dict[str, Run] = {}
    for library in known:
        try:
            with patience():
                run = make(library, row, arrays)
                fault = "" if run is None else libraries.difference(libraries.values(run()), wanted, row.close)
        except Exception as error:  # a library that cannot do a row is left out of it
            run, fault = None, f"{type(error).__name__}: {str(error).splitlines()[:1]}"
        if fault:
            print(f"{row.name} of {arrays[0].dtype}, {library} left out: {fault}", file=sys.stderr)
        elif run is not None:
            runs[library] = run
    return runs, wanted


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4] == "quick", sys.argv[5])
