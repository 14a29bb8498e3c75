"""One class at one number of threads, in this process: `python -m benchmarks.group elementwise 2 0.5 quick TEXT {}`.

The one idea: a process for each class holds its memory and threads apart from the others'; a line of JSON for each row
is all that it says, with the reason why a library is left out of it.
"""

from __future__ import annotations

import importlib
import json
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from benchmarks import libraries, machine
from benchmarks.results import reason
from benchmarks.rows import Row
from benchmarks.timing import Run, figures, take_turns

STARTING = 120.0  # seconds for what a library loads and compiles before its first function
LATE = "not compiled and called within"
TITLES = {
    "elementwise": "element-wise", "reductions": "reductions and scans", "cached_rows": "rows in cache",
    "layout": "layout and index", "products": "products", "numerics": "numerics", "small": "small",
    "alone": "compile and memory", "selections": "selections",
}  # fmt: skip


Reasons = dict[str, str]


@dataclass(frozen=True)
class Patience:
    """The seconds of first calls: of one, and of all that a library makes in this process."""

    call: float
    library: float
    spent: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def __call__(self, library: str) -> Iterator[None]:
        """Raise TimeoutError where a first call takes longer than what is left of them."""
        start, left = time.perf_counter(), self.library - self.spent[library]
        if left <= 0:
            raise TimeoutError(f"not called: its first calls in other rows took the {self.library:.0f} s of a class")
        try:
            with limited(min(self.call, left), LATE):
                yield
        finally:
            self.spent[library] += time.perf_counter() - start


QUICK, FULL = partial(Patience, 15.0, 60.0), partial(Patience, 60.0, 1800.0)


def main(name: str, threads: int, seconds: float, quick: bool, only: str, late: Mapping[str, Reasons]) -> None:
    """Measure the rows of a class whose names hold a text, and print a line for each. Fail where weft has no result.

    `late` has, by row and dtype, the libraries that ran out of time in a run before, which are not tried again.
    """
    warnings.simplefilter("ignore")
    module, known = importlib.import_module(f"benchmarks.classes.{name}"), libraries.installed()
    libraries.set_threads(threads)
    unable = {} if hasattr(module, "measured") else _started(known)
    patience, missed = (QUICK if quick else FULL)(), 0
    for row in [r for r in module.ROWS if only in r.name]:
        for dtype in chosen(module, row, quick, threads):
            without = unable | late.get(f"{row.name} {dtype}", {})
            found = _results(module, name, row, dtype, threads, seconds, known, without, patience)
            missed += not found
            for result in found:
                print(json.dumps(result), flush=True)
    if missed:
        raise SystemExit(f"{TITLES[name]}: {missed} rows without a result of weft's")


def _started(known: list[str]) -> Reasons:
    """Compute other code first in each library, since what it does once belongs to no row."""
    unable = {}
    for library in known:
        try:
            with limited(STARTING, LATE):
                libraries.start(library, np.ones(2, np.float32))
        except Exception as error:
            unable[library] = f"starting: {_said(error)}"
    return unable


def chosen(module: Any, row: Row, quick: bool, threads: int) -> tuple[str, ...]:
    """Return the dtypes of a row that a run measures: a quick one takes the first alone on several threads.

    A class may have a quick subset of its own.
    """
    if quick and hasattr(module, "QUICK") and not row.name.startswith(tuple(module.QUICK)):
        return ()
    first = quick and (threads > 1 or hasattr(module, "QUICK"))
    return row.taken(quick)[: 1 if first else None]


def _results(
    module: Any, name: str, row: Row, dtype: str, threads: int, seconds: float, known: list[str], without: Reasons,
    patience: Patience,
) -> list[dict[str, Any]]:  # fmt: skip
    if hasattr(module, "measured"):
        return list(module.measured(row, dtype, threads, known))
    arrays = row.arrays(dtype)
    runs, wanted, left_out = checked(module, row, arrays, known, without, patience)
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
    rest = {"threads": threads, "unit": "s", "limit": limit, "contenders": found, "left_out": left_out}
    return [{**names, **rest}]


@contextmanager
def limited(seconds: float, fact: str) -> Iterator[None]:
    """Raise TimeoutError after so many seconds, one at least."""
    seconds = max(seconds, 1.0)

    def late(*_: Any) -> None:
        raise TimeoutError(f"{fact} {seconds:.0f} s")

    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def checked(
    module: Any, row: Row, arrays: tuple[np.ndarray, ...], known: list[str], without: Reasons, patience: Patience
) -> tuple[dict[str, Run], list[np.ndarray], Reasons]:
    """Return the contenders whose first result is NumPy's, that result, and what is wrong with the others."""
    make = getattr(module, "run_of", libraries.run_of)
    numpys = make("numpy", row, arrays)
    wanted = libraries.values(numpys())
    runs: dict[str, Run] = {}
    left_out: Reasons = {}
    for library in known:
        try:
            run = make(library, row, arrays)
            if run is None:
                continue
            fault = without.get(library, "")
            if not fault:
                with patience(library):
                    result = run()
                fault = libraries.difference(libraries.values(result), wanted, row.close)
        except Exception as error:  # a library that cannot do a row is left out of it
            fault = _said(error)
        if fault:
            left_out[library] = fault
        else:
            runs[library] = run
    return runs, wanted, left_out


def _said(error: Exception) -> str:
    """Return the reason of an error; of one that wraps the end of patience, that."""
    text = str(error)
    return reason(text[text.index(LATE) :] if LATE in text else f"{type(error).__name__}: {text}")


if __name__ == "__main__":
    main(
        sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4] == "quick", sys.argv[5], json.loads(sys.argv[6])
    )
