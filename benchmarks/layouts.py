"""Layouts beside NumPy: what strides, order and byte order cost a copy, a conversion, arithmetic and a sum.

The one idea: a layout is a view of one array, an operation is a line; the table is their product, and no cell of it may
be slower than NumPy, which writes into memory that it has already, as weft does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import weft
from benchmarks.timing import best_of, table

SIDE = 4096


def _base(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).random(shape, dtype=np.float32)


def layouts() -> dict[str, np.ndarray]:
    """Views of about 16 million cells."""
    square = _base(SIDE, SIDE)
    cube = _base(256, 256, 256)
    raw = np.zeros(square.nbytes + 1, np.uint8)
    unaligned = raw[1:].view(np.float32).reshape(square.shape)
    unaligned[...] = square
    return {
        "row-major": square,
        "transposed": _base(SIDE, SIDE).T,
        "columns of 2": _base(SIDE, 2 * SIDE)[:, ::2],
        "rows of 2": _base(2 * SIDE, SIDE)[::2],
        "flipped": _base(SIDE, SIDE)[::-1, ::-1],
        "axes 2 0 1": cube.transpose(2, 0, 1),
        "axes 0 2 1": cube.transpose(0, 2, 1),
        "short rows": _base(1 << 22, 4)[:, :3],
        "big-endian": square.astype(">f4"),
        "one row again": np.broadcast_to(_base(SIDE), (SIDE, SIDE)),
        "unaligned": unaligned,
    }


Ours = Callable[[weft.Tensor], Any]
Theirs = Callable[[np.ndarray, np.ndarray], object]


def _copy(x: np.ndarray, out: np.ndarray) -> object:
    return np.copyto(out, x)


OPERATIONS: dict[str, tuple[Ours, Theirs, Callable[[np.ndarray], np.ndarray]]] = {
    "copy": (lambda x: weft.copy(x), _copy, lambda x: np.empty(x.shape, np.float32)),
    "to float64": (lambda x: x.astype(weft.float64), _copy, lambda x: np.empty(x.shape)),
    "x * 2 + 1": (
        lambda x: x * 2 + 1,
        lambda x, out: np.add(np.multiply(x, np.float32(2), out=out), np.float32(1), out=out),
        lambda x: np.empty(x.shape, np.float32),
    ),
    "sum": (lambda x: weft.sum(x), lambda x, out: x.sum(), lambda x: np.empty(0)),
    "sum(0)": (
        lambda x: weft.sum(x, axis=0),
        lambda x, out: np.add.reduce(x, 0, out=out),
        lambda x: np.empty(x.shape[1:], np.float32),
    ),
    "sum(-1)": (
        lambda x: weft.sum(x, axis=-1),
        lambda x, out: np.add.reduce(x, -1, out=out),
        lambda x: np.empty(x.shape[:-1], np.float32),
    ),
    "max": (lambda x: weft.max(x), lambda x, out: x.max(), lambda x: np.empty(0)),
}


def _exact(x: np.ndarray, name: str, ours: Ours) -> None:
    """Bits: elementwise NumPy's own, reductions those of the same cells in row-major order."""
    plain = np.ascontiguousarray(x).astype(np.float32)
    got, want = ours(weft.asarray(x)).numpy(), ours(weft.asarray(plain)).numpy()
    assert got.tobytes() == want.tobytes(), name
    if name in ("copy", "to float64"):
        assert got.tobytes() == plain.astype(got.dtype).tobytes(), name


def main(threads: int, only: str = "") -> None:
    """Print the table at a number of threads: NumPy's time over weft's."""
    weft.set_num_threads(threads)
    rows: list[list[str]] = []
    worst: list[str] = []
    with threadpool_limits(threads):
        for layout, x in layouts().items() if only in "layouts" else ():
            row = [layout]
            for name, (ours, theirs, make) in OPERATIONS.items():
                _exact(x, name, ours)
                ratio = _ratio(x, ours, theirs, make(x))
                row.append(f"{ratio:.2f}")
                if ratio < 1:
                    worst.append(f"{name} of {layout} {ratio:.2f}")
            rows.append(row)
    if not rows:
        return
    table(f"layouts, {threads} thread(s): NumPy's time / weft's", ["layout", *OPERATIONS], rows)
    print(f"  {len(rows) * len(OPERATIONS) - len(worst)} of {len(rows) * len(OPERATIONS)} at least NumPy's speed")
    if worst:
        print("  below: " + ", ".join(worst))


def _ratio(x: np.ndarray, ours: Ours, theirs: Theirs, out: np.ndarray) -> float:
    tensor = weft.asarray(x)
    best = best_of({"weft": lambda: ours(tensor).realize(), "numpy": lambda: theirs(x, out)}, budget=1.0)
    return best["numpy"] / best["weft"]
