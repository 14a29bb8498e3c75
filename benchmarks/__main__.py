"""`python -m benchmarks [--full] [--threads 1 2] [--only TEXT] [--classes NAME ...]`: measure, print and write."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import classes, libraries, machine, page, report, results
from benchmarks.group import LATE, TITLES
from benchmarks.timing import table

KEPT = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "-1"}  # no contender pays for fresh pages at every call


def main() -> None:
    """Run what the command line asks for; a whole run renews the file of results and the page."""
    parser = argparse.ArgumentParser(description="weft beside NumPy and installed peers")
    parser.add_argument("--full", action="store_true", help="all rows and dtypes, not the quick subset")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--only", default="", help="rows whose name holds this text")
    parser.add_argument("--classes", nargs="+", default=classes.NAMES, choices=classes.NAMES)
    parser.add_argument("--seconds", type=float, default=0.0, help="for the turns of a row (0.4; full 1)")
    parser.add_argument("--output", type=Path, default=None, help=f"a file instead of {results.FILE.name}")
    args, begin = parser.parse_args(), time.perf_counter()
    seconds = args.seconds or (1.0 if args.full else 0.4)
    for name in libraries.missing():
        print(f"{name} is not installed and left out")
    rows: list[results.Result] = []
    whole = tuple(args.classes) == classes.NAMES and not args.only
    file = args.output or (results.FILE if whole else None)
    facts = _machine(args.threads) if file else {}
    for name in args.classes:
        # fresh processes take minutes, and threads change little of compiling and memory
        for threads in args.threads[:1] if name in ("alone", "selections") and not args.full else args.threads:
            print(f"\n{TITLES[name]}, {threads} thread(s): weft best, median, share of the limit; peers' times over it")
            for row in _measured(name, threads, seconds, args.full, args.only, _late(rows)):
                rows.append(row)
                print(report.line(row), flush=True)
            if file:  # as far as the run has come: it takes long
                results.save(file, facts, rows)
    table("where weft is not first", report.BEHIND_HEAD, report.behind_rows(rows))
    table("left out", report.LEFT_OUT_HEAD, report.left_out_rows(rows))
    table("geometric means of ratios", report.MEANS_HEAD, report.means(rows))
    print(f"\n{len(rows)} rows in {(time.perf_counter() - begin) / 60:.1f} minutes")
    if whole and not args.output:
        page.write()


def _late(rows: Sequence[results.Result]) -> dict[str, dict[str, str]]:
    """Return who ran out of time, by row and dtype: with another number of threads it is not tried again."""
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        for library, why in row["left_out"].items():
            if why.startswith(LATE):
                found.setdefault(f"{row['name']} {row['dtype']}", {})[library] = why
    return found


def _measured(
    name: str, threads: int, seconds: float, full: bool, only: str, late: dict[str, dict[str, str]]
) -> Iterator[results.Result]:
    """Yield the rows of a class as a process of as many processors finds them."""
    cores = sorted(os.sched_getaffinity(0))[:threads]
    subset = "full" if full else "quick"
    options = [name, str(threads), str(seconds), subset, only, json.dumps(late)]
    command = [sys.executable, "-m", "benchmarks.group", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, **KEPT},
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    ) as process:  # fmt: skip
        assert process.stdout is not None
        yield from map(json.loads, process.stdout)
    if process.returncode:
        print(f"  {TITLES[name]} ended with {process.returncode}: rows of it are missing")


def _machine(threads: list[int]) -> dict[str, Any]:
    versions = {}
    for name in libraries.PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    limits = {str(n): machine.bandwidth(n) for n in threads}
    return {**machine.facts(), "versions": versions, "limits": limits}


main()
