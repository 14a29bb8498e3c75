"""The everyday programs of `examples/everyday`: written for NumPy, run with weft by changing the import alone."""

import ast
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "everyday"
IMPORT = "import weft as np"
INPUTS = ("points", "picture")  # functions that make what others read
PLOTS = "plots"  # need matplotlib


@cache
def functions(name: str, library: str) -> dict[str, Callable[[], Any]]:
    """Return the functions of a file that imports the library as np."""
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    assert text.count(IMPORT) == 1
    scope: dict[str, Any] = {"__name__": name}
    exec(compile(text.replace(IMPORT, f"import {library} as np"), f"{name}.py", "exec"), scope)
    return scope


def tasks() -> list[tuple[str, str]]:
    """Return (file, function) of every program that needs nothing but NumPy."""
    found = []
    for path in sorted(FOLDER.glob("*.py")):
        defined = [d.name for d in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(d, ast.FunctionDef)]
        found += [(path.stem, name) for name in defined if path.stem != PLOTS and name not in INPUTS]
    return found


def leaves(x: Any) -> list[np.ndarray]:
    """Return the numbers and arrays of nested lists and tuples as arrays."""
    return [leaf for part in x for leaf in leaves(part)] if isinstance(x, (list, tuple)) else [np.asarray(x)]


def test_there_are_sixty_programs() -> None:
    assert len(tasks()) >= 60


@pytest.mark.parametrize(("file", "name"), tasks(), ids=lambda part: part)
def test_results_are_those_of_numpy(file: str, name: str) -> None:
    expected, found = leaves(functions(file, "numpy")[name]()), leaves(functions(file, "weft")[name]())
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.shape == theirs.shape and ours.dtype.kind == theirs.dtype.kind
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
