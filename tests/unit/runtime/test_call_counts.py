"""Counts of weft's functions that computing one value runs; they do not depend on the machine, so they have ceilings.

The one idea: a fresh process with its kernels on disk counts the calls of Python functions that lie in the package.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import json, os, sys
import numpy, weft
from tests.call_counts import calls_of

folder = sys.argv[1]

def counted(f):
    seen = calls_of(f)
    return seen.total(), len({file for file, _ in seen})

def path(name):
    numpy.save(os.path.join(folder, name), numpy.arange(100.0))
    return os.path.join(folder, name)

x, z, found = weft.asarray(numpy.arange(20.0)), weft.asarray(numpy.arange(8.0)), {}
for _ in range(2):  # what runs once has no program
    (x + 1).sum().item()
for name in ("first", "new", "known"):
    y = (x[::2] + weft.pad(z, 1)).sum()
    found[name] = counted(y.item)
weft.open(path("other.npy"))
for name in ("new file", "known file"):
    found[name] = counted(lambda: weft.open(path("one.npy")).sum().item())
parts = weft.concat([weft.asarray(numpy.zeros(10)) for _ in range(10_000)])
for at in (4_005, 50_005, 70_005):
    found["ten of many parts"] = counted(parts[at : at + 10].numpy)
print(json.dumps(found))
"""
CEILINGS = {  # (calls, files)
    "first": (152, 24), "new": (386, 43), "known": (16, 9), "new file": (334, 60), "known file": (124, 28),
    "ten of many parts": (437, 50),
}  # fmt: skip


def run(folder: Path) -> dict[str, tuple[int, int]]:
    environment = dict(os.environ, WEFT_CACHE_DIR=str(folder / "kernels"), PYTHONPATH=os.pathsep.join(sys.path))
    environment.pop("WEFT_CHECK", None)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder)], env=environment, capture_output=True, text=True, check=True
    )
    return dict(json.loads(done.stdout))


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, int]]:
    folder = tmp_path_factory.mktemp("counts")
    run(folder)
    return run(folder)


@pytest.mark.parametrize("case", CEILINGS)
def test_a_value_takes_no_more_calls_than_this(counts: dict[str, tuple[int, int]], case: str) -> None:
    calls, files = counts[case]
    most, most_files = CEILINGS[case]
    assert calls <= most and files <= most_files, f"{case}: {calls} calls over {files} files"
