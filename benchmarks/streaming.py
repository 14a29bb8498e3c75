"""Files larger than the memory granted: time and peak memory of the command line beside a loop in NumPy.

The one idea: each contender is a process of its own over the same files, which are in the page cache for all of them
or for none; its peak is what the system says of it at its end, interpreter and compiler included.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.timing import table

FILES, ROWS, COLUMNS = 64, 1024, 16384  # of float32: 64 MiB a file, 4 GiB in all

PEAK = """
import sys
with open("/proc/self/status") as facts:
    print(next(line.split()[1] for line in facts if line.startswith("VmHWM")), file=sys.stderr)
"""
WEFT = """
import sys
from weft.cli.main import run
if run(sys.argv[1:]):
    sys.exit(1)
"""
NOTHING = "import numpy"
LOOP = """
import sys, numpy as np
total = count = 0
for path in sys.argv[1:]:
    x = np.load(path)[:, ::4]
    total += x.sum(dtype=np.float64)
    count += x.size
print(total / count)
"""
PER_COLUMN = """
import sys, numpy as np
from numpy.lib.format import open_memmap
total = count = 0
for path in sys.argv[2:]:
    x = np.load(path)
    total, count = total + x.sum(axis=0, dtype=np.float64), count + len(x)
mean = (total / count).astype(np.float32)
first = 0
out = open_memmap(sys.argv[1], "w+", np.float32, (count, len(mean)))
for path in sys.argv[2:]:
    x = np.load(path)
    out[first : first + len(x)] = x - mean
    first += len(x)
out.flush()
"""


def make_files(folder: Path, files: int, rows: int) -> list[str]:
    """Random float32 in files of equal shape."""
    random, paths = np.random.default_rng(0), []
    for i in range(files):
        paths.append(str(folder / f"part-{i}.npy"))
        np.save(paths[-1], random.random((rows, COLUMNS), np.float32))
    return paths


def measured(script: str, arguments: list[str]) -> tuple[float, float]:
    """The seconds of a process and its peak of memory in MiB."""
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", script + PEAK, *arguments], capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - begin
    if done.returncode:
        raise SystemExit(done.stderr)
    return seconds, int(done.stderr.split()[-1]) / 1024


def main() -> None:
    """Make the files, run the contenders in turn, print the table, remove the files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--files", type=int, default=FILES)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", default="256MiB")
    parser.add_argument("--folder", default=None, help="where the files are made (they are removed again)")
    args = parser.parse_args()
    need = args.files * args.rows * COLUMNS * 4
    folder = Path(tempfile.mkdtemp(prefix="weft-streaming-", dir=args.folder))
    try:
        if shutil.disk_usage(folder).free < 2.2 * need:
            raise SystemExit(f"streaming: {need >> 20} MiB of files and as much of results; the disk has no such room")
        paths = make_files(folder, args.files, args.rows)
        out, given = str(folder / "out.npy"), f"x={folder}/part-*.npy"
        weft = ["eval", "--memory", args.memory]
        cases = {
            "start alone": ((WEFT, [*weft, "sum(arange(3))"]), (NOTHING, [])),
            "mean(x[:, ::4])": ((WEFT, [*weft, "mean(x[:, ::4])", given]), (LOOP, paths)),
            "x - mean(x, axis=0) to a file": (
                (WEFT, [*weft, "x - mean(x, axis=0)", given, "-o", out]),
                (PER_COLUMN, [out, *paths]),
            ),
        }
        rows = []
        for name, contenders in cases.items():
            best = [(float("inf"), 0.0)] * 2
            for _ in range(args.rounds):
                for i, (script, arguments) in enumerate(contenders):
                    seconds, peak = measured(script, arguments)
                    best[i] = min(best[i][0], seconds), max(best[i][1], peak)
            rows.append([name, *(f"{value:.2f}" for pair in best for value in pair)])
        head = ["case", "weft s", "weft peak MiB", "NumPy loop s", "NumPy peak MiB"]
        table(f"{need >> 20} MiB in {args.files} files, --memory {args.memory}", head, rows)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
