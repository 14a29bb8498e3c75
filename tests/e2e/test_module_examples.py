"""The examples of a package with a module, and of a plug-in for a foreign type, run as they stand."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import weft

EXAMPLES = Path(__file__).parents[2] / "examples"
PACKAGE = EXAMPLES / "third_party_module"


def run(code: list[str], *path: Path) -> str:
    """Return the output of a new interpreter, with folders on its path."""
    folders = [*map(str, path), str(Path(weft.__file__).parents[1])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
    done = subprocess.run([sys.executable, *code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_package_brings_a_module(tmp_path: Path) -> None:
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    points = project["entry-points"]["weft.modules"]
    info = tmp_path / "weft_spatial-1.0.dist-info"  # as an installer writes it
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    lines = "\n".join(f"{name} = {value}" for name, value in points.items())
    (info / "entry_points.txt").write_text(f"[weft.modules]\n{lines}\n")
    code = """
import doctest, sys, weft
assert "spatial" in weft.modules.names() and "weft_spatial" not in sys.modules
spatial = weft.modules.spatial
import weft_spatial
print(doctest.testmod(weft_spatial))
for function in (weft_spatial.hypot3, weft_spatial.nearest):
    doctest.run_docstring_examples(function, vars(weft_spatial))  # prints what fails
points = weft.asarray([[0.0, 1.0], [9.0, 9.0]])
print(weft_spatial.nearest(points.to_device("thread:0") * 1, [[0, 0], [10, 10]], metric=1).tolist())
print(spatial.context("thread:0").calls, spatial.devices, spatial.missing("cpu"))
with spatial.wrapped("hypot3", lambda call: print(call.op, call.out.shape)):
    (weft_spatial.hypot3(points, 1, 2) * 2).numpy()
"""
    printed = run(["-c", code], tmp_path, PACKAGE / "src").splitlines()
    assert printed == [
        "TestResults(failed=0, attempted=3)", "[0, 1]", "1 ('cpu', 'thread') ()", "spatial.hypot3 (2, 2)",
    ]  # fmt: skip


def test_a_plug_in_for_a_foreign_type() -> None:
    assert run([str(EXAMPLES / "foreign_type.py")]).splitlines() == [
        "written through weft: [[0, 1, 2], [99, 4, 5]]",
        "an operand: [[100, 5, 6], [1, 2, 3]]",
        "in a nest: (2, 2, 3)",
        "a mean of pending pixels: 0.07254901960784314",
        "comes back on the same memory: True",
        "known types: image image",
    ]
