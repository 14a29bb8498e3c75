"""Conversions beside NumPy: every dtype to every other, copying where they are the same.

The one idea: one table of NumPy's time over weft's, a row for what is read and a column for what is written.  NumPy
writes into memory that it has already, weft into blocks that come back warm; values are 1 and 2 (of bools
True), which every dtype holds, so no rule about what does not fit is measured.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from threadpoolctl import threadpool_limits

import weft
from benchmarks.timing import best_of, table
from weft import dtypes as dt

SIZES = {"16 million cells": 1 << 24, "1 million cells": 1 << 20}


def _values(d: dt.DType, size: int) -> np.ndarray:
    return (np.arange(size) % 2 + 1).astype(d.np)


def main(threads: int = 1, only: str = "") -> None:
    """Print the tables at a number of threads. `only` is a part of the name of the dtypes that are read."""
    weft.set_num_threads(threads)
    dtypes = [d for d in dt.ALL if d.name != "complex32"]  # NumPy has no such dtype
    sources = [d for d in dtypes if only in d.name]
    with threadpool_limits(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        for label, size in SIZES.items():
            _table(label, size, sources, dtypes, threads)


def _table(label: str, size: int, sources: list[dt.DType], dtypes: list[dt.DType], threads: int) -> None:
    if not sources:
        return
    rows, below = [], []
    for source in sources:
        x = _values(source, size)
        t = weft.asarray(x)
        row = [source.name]
        for target in dtypes:
            ratio = _ratio(t, x, source, target)
            row.append("-" if ratio is None else f"{ratio:.2f}")
            if ratio is not None and ratio < 1:
                below.append(f"{source.name} to {target.name} {ratio:.2f}")
        rows.append(row)
    table(f"conversions of {label}, {threads} thread(s): NumPy's time / weft's", ["", *[d.name for d in dtypes]], rows)
    count = sum(cell != "-" for row in rows for cell in row[1:])
    print(f"  {count - len(below)} of {count} at least NumPy's speed")
    if below:
        print("  below: " + ", ".join(below))


def _ratio(t: weft.Tensor, x: np.ndarray, source: dt.DType, target: dt.DType) -> float | None:
    """None where weft refuses the conversion (complex to real drops a part), or NumPy has none (float8 to float8)."""
    if source.kind == "complex" and target.kind not in ("complex", "bool"):
        return None
    out = np.empty(x.shape, target.np)
    try:
        np.copyto(out, x, casting="unsafe")
    except TypeError:
        return None
    made = t.astype(target, copy=True)
    assert np.array_equal(made.numpy(), out), f"{source.name} to {target.name}"
    best = best_of(
        {
            "weft": lambda: t.astype(target, copy=True).realize(),
            "numpy": lambda: np.copyto(out, x, casting="unsafe"),
        },
        rounds=9,
        budget=0.15,
    )
    return best["numpy"] / best["weft"]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:3])
