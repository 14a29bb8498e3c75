"""Rows of the benchmark: one function written against a namespace `xp`, and the cells that it is given.

The one idea: every library is handed the same function and the same cells, in its own namespace; only what a library
says otherwise has a function of its own, in `others`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Work = Callable[..., Any]
Cells = Callable[[np.random.Generator, Any], np.ndarray]
FLOATS = ("float32", "float64")


@dataclass(frozen=True)
class Row:
    """A measurement: `work(xp, *arrays)` of each library, or what `others` has under its name (None: left out).

    `quick` is how many of the dtypes the quick run takes, `group` the name of its bars (else its class), `flops` what
    is to be computed at least, `cold` asks for caches without the arrays, `program` also measures `weft.compile`.
    """

    name: str
    work: Work
    cells: tuple[Cells, ...]
    dtypes: tuple[str, ...] = FLOATS
    quick: int = 0
    group: str = ""
    numexpr: str = ""
    others: Mapping[str, Work | None] = field(default_factory=dict)
    close: float = 0.0
    flops: int = 0
    cold: bool = False
    program: bool = False

    def arrays(self, dtype: str) -> tuple[np.ndarray, ...]:
        """Return the cells of a dtype, the same in every process."""
        rng = np.random.default_rng(7)
        kind = np.dtype(_extended(dtype))
        return tuple(make(rng, kind) for make in self.cells)

    def taken(self, quick: bool) -> tuple[str, ...]:
        """Return the dtypes that a run measures."""
        return self.dtypes[: self.quick] if quick else self.dtypes


def _extended(dtype: str) -> Any:
    import ml_dtypes

    return getattr(ml_dtypes, dtype, dtype)


def normal(*shape: int) -> Cells:
    """Cells around 0; of integers, -9 to 9."""
    return lambda rng, dtype: _cast(rng.standard_normal(shape) * (1 if dtype.kind in "fcV" else 3), dtype)


def uniform(*shape: int, low: float = 0.0, high: float = 1.0) -> Cells:
    """Cells of an interval."""
    return lambda rng, dtype: _cast(rng.uniform(low, high, shape), dtype)


def integers(*shape: int, low: int = 0, high: int = 100, dtype: str = "int64") -> Cells:
    """Whole numbers of a dtype of their own."""
    return lambda rng, _: rng.integers(low, high, shape).astype(dtype)


def mask(*shape: int, share: float = 0.5) -> Cells:
    """True for a share of the cells."""
    return lambda rng, _: rng.random(shape) < share


def view(make: Cells, of: Callable[[np.ndarray], np.ndarray]) -> Cells:
    """A view of cells."""
    return lambda rng, dtype: of(make(rng, dtype))


def _cast(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    return (x + 1j * x[::-1]).astype(dtype) if dtype.kind == "c" else x.astype(dtype)
