"""Small work: what a call costs on 10 and on 1000 cells.

The one idea: a row is a statement over names that every library has; where a library says it otherwise, it has a
statement of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import iadd
from typing import Any

import numpy as np

from benchmarks import libraries
from benchmarks.rows import Row, normal, uniform

Run = Callable[[], Any]
BUILDING = (  # statements, and what NumPy and PyTorch say instead
    ("a + b", ""), ("iadd(own, 1)", ""), ("x[...] = 2.0", ""), ("x[...] = w", ""), ("x[2] = 3.0", ""),
    ("x[1:3] = y", ""), ("k[1] = x", ""), ("k[:, 2] = 0.0", ""), ("k[2, 3] = 1.0", ""), ("x[at] = 1.0", ""),
    ("x[mask] = 0.0", ""), ("x[3]", ""), ("x[3].item()", ""), ("k[2, 3].item()", ""), ("x[1:5]", ""), ("k[:, ::2]", ""),
    ("x[1:5].numpy()", "x[1:5]"), ("x[at].numpy()", "x[at]"), ("x[mask].numpy()", "x[mask]"), ("len(x)", ""),
    ("x.shape", ""), ("k.T", ""), ("xp.reshape(k, (-1, 5))", ""), ("list(x)", ""), ("x.tolist()", ""),
    ("float(one)", ""), ("bool(one)", ""), ("xp.zeros(3)", ""), ("xp.arange(10).numpy()", "xp.arange(10)"),
    ("asarray(array)", ""), ("asarray([1, 2, 3])", ""), ("asarray(numbers)", ""), ("asarray(2.0)", ""),
    ("xp.stack(parts).numpy()", "xp.stack(parts)"), ("xp.concat(parts).numpy()", "xp.concat(parts)"),
    ("xp.stack([p + 1 for p in thousands]).numpy()", "xp.stack([p + 1 for p in thousands])"),
    ("(m @ n).numpy()", "m @ n"), ("(m @ v).numpy()", "m @ v"), ("linalg.inv(m).numpy()", "linalg.inv(m)"),
    ("linalg.solve(m, v).numpy()", "linalg.solve(m, v)"), ("linalg.det(m).item()", ""),
)  # fmt: skip
COMPUTING = (
    ("(a + b).numpy()", "a + b"), ("(a * 2).numpy()", "a * 2"), ("(a == b).numpy()", "a == b"),
    ("(a * 2 + b).numpy()", "a * 2 + b"), ("xp.exp(a).numpy()", "xp.exp(a)"),
    ("xp.where(mask, x, 0.0).numpy()", "xp.where(mask, x, 0.0)"), ("xp.add(a, b, out=out)", ""),
    ("xp.sum(x).item()", ""), ("xp.max(x).item()", ""), ("xp.mean(x).item()", ""), ("xp.any(mask).item()", ""),
    ("xp.sum(k, axis=0).numpy()", "xp.sum(k, axis=0)"), ("xp.argmax(x).item()", ""),
    ("xp.sort(x).numpy()", "xp.sort(x)"), ("x[half].numpy()", "x[half]"), ("xp.median(x).item()", ""),
    ("xp.cumulative_sum(x).numpy()", "xp.cumulative_sum(x)"), ("x[ids].numpy()", "x[ids]"),
    ("x[1:-1] += 0.25 * (x[2:] - 2 * x[1:-1] + x[:-2])", ""), ("x[2:] = xp.maximum(x[2:], x[:-2])", ""),
)  # fmt: skip
WRITES = re.compile(r" [+]?= ")
QUICK = ("a + b", "(a + b).numpy()", "(a * 2 + b).numpy()", "xp.sum(x).item()", "x[3].item()", "x[at].numpy()",
         "x[half].numpy()", "x[2] = 3.0", "x[1:-1] += 0.25 * (x[2:] - 2 * x[1:-1] + x[:-2])", "xp.sort(x).numpy()",
         "(m @ n).numpy()", "xp.median(x).item()")  # fmt: skip


def _chain(count: int) -> Any:
    def chain(_: Any, a: Any, b: Any) -> Any:
        for _ in range(count // 5):
            a = ((a + b) * 0.5 - a) * b + a
        return a

    return chain


def _statement(text: str, other: str, cells: int, dtypes: tuple[str, ...]) -> Row:
    texts: Any = {"weft": text, "numpy": other or text, "torch": other or text}
    quick = int(text in QUICK)
    return Row(
        f"{text}, {cells} cells", lambda *_: None, (normal(cells),), dtypes, quick, "small", others=texts, close=1e-6
    )


ROWS = [
    *[_statement(*texts, 10, ("float64",)) for texts in BUILDING],
    *[_statement(*texts, n, ("float64", "float32")) for n in (10, 1000) for texts in COMPUTING],
    *[Row(f"function of {count} operations, {n} cells", _chain(count), (uniform(n), uniform(n)), ("float64", "float32"),
          int(n == 10), "small", program=True, close=1e-3) for count in (10, 100) for n in (10, 1000)],
]  # fmt: skip


def run_of(library: str, row: Row, arrays: tuple[np.ndarray, ...]) -> Run | None:
    """Return the call of a row's statement; functions are called as everywhere."""
    if not row.others:
        return libraries.run_of(library, row, arrays)
    text: Any = row.others.get(library)
    if text is None or library not in row.others:
        return None
    xp, take = _SPACES[library]()
    scope = _names(xp, take, arrays[0])
    exec(f"def run():\n    {text if WRITES.search(text) else 'return ' + text}", scope)
    run: Run = scope["run"]
    return run


def _weft() -> Any:
    import weft

    return weft, weft.asarray


def _torch() -> Any:
    import torch

    return torch, torch.asarray


_SPACES = {"weft": _weft, "numpy": lambda: (np, np.asarray), "torch": _torch}


def _names(xp: Any, asarray: Any, x: np.ndarray) -> dict[str, Any]:
    """Return the names that the statements use, in one library; `x` has the cells and the dtype."""
    n, dtype = x.size, x.dtype
    given = {
        "a": x, "b": x[::-1].copy(), "x": x, "w": x + 1, "y": np.ones(2, dtype), "m": 2 * np.eye(4, dtype=dtype),
        "n": np.ones((4, 4), dtype), "v": np.ones(4, dtype), "k": np.tile(x, (10, 1)), "out": np.zeros(n, dtype),
        "one": np.ones((), dtype), "mask": np.arange(n) % 2 == 0, "half": x > 0, "at": np.array([1, 3, 5]),
        "ids": np.arange(n)[::-1] // 2,
    }  # fmt: skip
    names: dict[str, Any] = {name: asarray(array.copy()) for name, array in given.items()}
    names |= {"xp": xp, "asarray": asarray, "linalg": xp.linalg, "iadd": iadd, "array": np.zeros(4, dtype)}
    names |= {"own": xp.zeros(4), "parts": [asarray(np.ones(3, dtype)) for _ in range(10)]}
    names |= {
        "numbers": [float(i) for i in range(1000)],
        "thousands": [asarray(np.ones(3, dtype)) for _ in range(1000)],
    }
    return names
