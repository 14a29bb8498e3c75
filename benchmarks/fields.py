"""Random fields: cells a second, boxes on demand, and the same bits whatever is cut, turned or split.

The one idea: a field is a function of coordinates, so every way to a cell must give its bits; the table says what a
cell costs, one thread at a time.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

import weft
from benchmarks.timing import best_of, table

Make = Callable[[Any], weft.Tensor]
CELLS, HUGE = 1 << 22, 10**6
FIELDS = {
    "uniform": (lambda shape: weft.random.uniform(shape, seed=7, dtype=weft.float32), "random", 5.5),
    "normal": (lambda shape: weft.random.normal(shape, seed=7, dtype=weft.float32), "standard_normal", 20.0),
}


def main() -> None:
    """Print the table."""
    weft.set_num_threads(1)
    rows = [_row(name, *field) for name, field in FIELDS.items()]
    head = ["field", "weft ns/cell", "numpy Philox", "jax", "bar", "10 cells of 10^12, us", "bar", "bits"]
    table("B12: random fields of float32, one thread", head, rows)


def _row(name: str, make: Make, method: str, bar: float) -> list[str]:
    """Seconds of a cell here and there, and of a box of a field that no memory would hold."""
    _same_bits(make)
    draw, out = getattr(np.random.Generator(np.random.Philox(7)), method), np.empty(CELLS, np.float32)
    runs = {"weft": lambda: make(CELLS).realize(), "numpy": lambda: draw(out=out, dtype=np.float32)}
    if importlib.util.find_spec("jax") is not None:
        runs |= _jax(name)
    best = {k: f"{seconds / CELLS * 1e9:.2f}" for k, seconds in best_of(runs).items()}
    field, at = make((HUGE, HUGE)), iter(range(0, HUGE, 97))
    box = best_of({"box": lambda: _box(field, next(at))}, 200)["box"]
    return [name, best["weft"], best["numpy"], best.get("jax", "-"), f"{bar}", f"{box * 1e6:.0f}", "100", "same"]


def _box(field: weft.Tensor, at: int) -> np.ndarray:
    return field[at, 500_000:500_010].numpy()


def _jax(name: str) -> dict[str, Callable[[], object]]:
    jax = importlib.import_module("jax")
    key = jax.random.key(7)
    draw = jax.jit(lambda k: getattr(jax.random, name)(k, (CELLS,), dtype="float32"))
    return {"jax": lambda: draw(key).block_until_ready()}


def _same_bits(make: Make) -> None:
    """Boxes, orders, strides, shards and threads give the cells of the whole."""
    whole = make((600, 700)).numpy()
    x = make((HUGE, HUGE))
    assert x[:600, :700].numpy().tobytes() == whole.tobytes()
    assert np.array_equal(x.T[100:110, 7:9].numpy(), whole[7:9, 100:110].T)
    assert np.array_equal(weft.flip(x[:600, :700])[::7, ::3].numpy(), whole[::-1, ::-1][::7, ::3])
    for shards in (1, 2, 4):
        cuts = [x[600 * k // shards : 600 * (k + 1) // shards, :700] for k in range(shards)]
        assert weft.concat(cuts).numpy().tobytes() == whole.tobytes()
    weft.set_num_threads(2)
    assert make((600, 700)).numpy().tobytes() == whole.tobytes()
    weft.set_num_threads(1)


if __name__ == "__main__":
    main()
