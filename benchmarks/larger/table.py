"""The table of programs × formats × limits from a command line: files, turns, rows.

The one idea: one command measures any part of the table, and says a row as soon as it is measured.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.larger.cell import BY_LIMIT, Task
from benchmarks.larger.inputs import FORMATS, SIZES, made
from benchmarks.larger.programs import PROGRAMS
from benchmarks.larger.report import HEAD, MIB, Row, report
from benchmarks.larger.turns import WRONG, Measured, take_turns

LIMITS = ("64MiB", "256MiB", "none")
FOLDER = "WEFT_BENCH_FOLDER"


def rows(args: argparse.Namespace, folder: Path) -> Iterator[Row]:
    """Measure what the command line asks for, a program in a format at a time."""
    dask = not args.alone and importlib.util.find_spec("dask") is not None
    contenders = [("weft", limit) for limit in args.limits] + [(BY_LIMIT, "none")] + [("dask", "none")] * dask
    order = random.Random(args.seed)
    for program in (name for name in PROGRAMS if args.only in name):
        for format in args.formats:
            task = Task(
                program, "", format, "none", args.size, str(folder / args.size),
                str(folder / "results.npz"), args.threads, args.timeout,
            )  # fmt: skip
            found = take_turns(task, contenders, args.rounds, order)
            theirs = found.get(("dask", "none"), Measured(fault="not measured"))
            for limit in args.limits:
                yield Row(program, format, limit, found["weft", limit], theirs, found[BY_LIMIT, "none"].seconds)


def _inputs(only: str) -> set[str]:
    """The arrays that the programs read; NumPy reads `u` for `w`."""
    names = {name for text, program in PROGRAMS.items() if only in text for name in program.inputs}
    return names | {"u"} if "w" in names else names


def prepare(args: argparse.Namespace, folder: Path) -> None:
    """Make the files; raises SystemExit where the disk has no room for them and for what is saved."""
    names = _inputs(args.only)
    layouts = SIZES[args.size]
    need = (len(args.formats) + 1) * sum(layouts[n].nbytes for n in names)
    (folder / args.size).mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    have = sum(f.stat().st_size for f in (folder / args.size).rglob("*") if f.is_file())
    if free + have < need + max(layouts[n].nbytes for n in names):
        raise SystemExit(f"larger: {need // MIB} MiB of files; {folder} has {free // MIB} MiB; give another --folder")
    formats = {"npy", *args.formats}  # NumPy reads those
    chunked = formats | ({"zarr"} if "w" in names else set())
    for size, wanted in (("smoke", chunked), (args.size, formats)):
        made(folder / size, SIZES[size], names - {"w"}, wanted)
        made(folder / size, SIZES[size], names & {"w"}, chunked - {"npy"})


def run(args: argparse.Namespace) -> None:
    """Make the files, measure, print; files in a folder that was named stay for the next time."""
    named = args.folder or os.environ.get(FOLDER)
    folder = Path(named or tempfile.mkdtemp(prefix="weft-larger-")).resolve()
    try:
        prepare(args, folder)
        found = []
        for row in rows(args, folder):
            found.append(row)
            print("  ".join(row.cells()), *row.misses(), sep="; ", file=sys.stderr, flush=True)
            if args.json:
                with open(args.json, "a") as lines:
                    print(json.dumps({**dict(zip(HEAD, row.cells(), strict=True)), "": list(row.misses())}), file=lines)
        report(found, args.threads)
    finally:
        if not named:
            shutil.rmtree(folder)
    wrong = [f"{r.program}, {r.format}, {r.limit}" for r in found if r.weft.fault.startswith(WRONG)]
    if wrong:
        raise SystemExit(f"larger: wrong values: {'; '.join(wrong)}")


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.larger", description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="full", help="of the arrays: at most 1, 400, 1000, 4000 MB")
    parser.add_argument("--folder", help=f"where files are made and kept (also {FOLDER}); else a temporary one")
    parser.add_argument("--only", default="", help="programs whose name holds this text")
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=list(FORMATS))
    parser.add_argument("--limits", nargs="+", default=list(LIMITS), help='such as 64MiB, or "none"')
    parser.add_argument("--alone", action="store_true", help="without dask.array")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds of a computation; beyond, it is a miss")
    parser.add_argument("--seed", type=int, default=0, help="of the order of turns")
    parser.add_argument("--json", help="a file to which rows are added as they are measured")
    run(parser.parse_args())
