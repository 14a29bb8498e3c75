"""The libraries that take part: how each is handed cells, runs a row's function, and has its values.

The one idea: a library is a few functions; one that is not installed is left out, and a line says so.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.rows import Row

Run = Callable[[], Any]
NEEDS = {
    "weft": "weft", "weft.compile": "weft", "numpy": "numpy", "numexpr": "numexpr", "numba": "numba", "torch": "torch",
    "torch.compile": "torch", "jax.jit": "jax",
}  # fmt: skip
LIBRARIES = tuple(NEEDS)
PACKAGES = (*dict.fromkeys(NEEDS.values()), "tensorstore")
os.environ.setdefault("JAX_ENABLE_X64", "1")


def installed() -> list[str]:
    """The libraries that can take part."""
    return [name for name in LIBRARIES if importlib.util.find_spec(NEEDS[name]) is not None]


def missing() -> list[str]:
    """The packages that are not installed."""
    return [name for name in PACKAGES if importlib.util.find_spec(name) is None]


def set_threads(count: int, packages: Collection[str] = PACKAGES) -> None:
    """Give some packages the same number of threads (JAX takes as many as the process has processors)."""
    for name in ("torch", "numexpr", "numba", "weft"):
        if name in packages and importlib.util.find_spec(name) is not None:
            importlib.import_module(name).set_num_threads(count)


@dataclass(frozen=True)
class Space:
    """A namespace, how it takes NumPy's arrays, how it compiles functions, and how its values are waited for."""

    xp: Any
    take: Callable[[np.ndarray], Any]
    compiled: Callable[[Callable[..., Any]], Callable[..., Any]] = lambda f: f
    done: Callable[[Any], Any] = lambda value: value


def space(library: str) -> Space:
    """Return what a library is, imported now."""
    match library:
        case "weft" | "weft.compile":
            import weft

            compiled = weft.compile if library == "weft.compile" else lambda f: f
            return Space(
                weft, weft.asarray, compiled, lambda v: weft.compute(*v) if isinstance(v, tuple) else v.realize()
            )
        case "torch" | "torch.compile":
            torch, names = importlib.import_module("torch"), importlib.import_module("benchmarks.with_torch")
            torch._dynamo.config.recompile_limit = 64
            return Space(names, _torch_cells, torch.compile if library == "torch.compile" else lambda f: f)
        case "jax.jit":
            jax = importlib.import_module("jax")
            return Space(jax.numpy, jax.numpy.asarray, jax.jit, jax.block_until_ready)
        case "numba":
            return Space(importlib.import_module("benchmarks.with_numba"), lambda a: a)
    return Space(np, lambda a: a)


def _torch_cells(array: np.ndarray) -> Any:
    torch = importlib.import_module("torch")
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def run_of(library: str, row: Row, arrays: tuple[np.ndarray, ...]) -> Run | None:
    """Return the call that computes a row; None where it is left out."""
    if library == "numexpr":
        return partial(_numexpr, row.numexpr, arrays) if row.numexpr else None
    name = library.split(".")[0]
    work = row.others.get(library, row.others.get(name, None if library == "numba" else row.work))
    if work is None or (library == "weft.compile" and not row.program):
        return None
    known = space(library)
    given = [known.take(a) for a in arrays]
    f = known.compiled(partial(work, known.xp))
    return lambda: known.done(f(*given))


def start(library: str, cells: np.ndarray) -> None:
    """Run code other than a row's, so that a library is loaded and compiles what it needs once."""
    run = run_of(library, Row("start", lambda _, x: (x + 1, x + 2), (), program=True), (cells,))
    if run is not None:
        run()


def _numexpr(text: str, arrays: tuple[np.ndarray, ...]) -> Any:
    evaluate = importlib.import_module("numexpr").evaluate
    return evaluate(text, local_dict=dict(zip("abcdef", arrays, strict=False)))


def values(result: Any) -> list[np.ndarray]:
    """Return the arrays of a result, in NumPy."""
    if isinstance(result, (tuple, list)):
        return [array for part in result for array in values(part)]
    if type(result).__module__.startswith("torch"):
        result = result.detach()
        return [np.asarray(result.float() if "bfloat16" in str(result.dtype) else result)]
    return [np.asarray(result)]


def difference(found: list[np.ndarray], wanted: list[np.ndarray], close: float) -> str:
    """Return the difference of results as text, or ""; `close` is relative to the greatest cell, and 0 is by dtype."""
    for x, y in zip(found, wanted, strict=True):
        if x.shape != y.shape:
            return f"shape {x.shape}, not {y.shape}"
        if y.dtype.kind in "iub" and not close:
            if not np.array_equal(x, y):
                return f"{np.count_nonzero(x != y)} of {x.size} cells"
            continue
        kind = complex if y.dtype.kind == "c" else np.float64
        x, y = x.astype(kind), y.astype(kind)
        near = close or _CLOSE.get(str(wanted[0].dtype), 1e-9)
        finite = np.isfinite(y)
        scale = float(np.max(np.abs(y), where=finite, initial=0.0)) or 1.0
        off = float(np.max(np.abs(x - y), where=finite, initial=0.0)) / scale
        if not off <= near or not np.array_equal(np.isfinite(x), finite):
            return f"off by {off:.1e} of the greatest"
    return ""


_CLOSE = {"float16": 2e-2, "bfloat16": 5e-2, "float32": 3e-4, "complex64": 3e-4}
