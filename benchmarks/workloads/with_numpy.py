"""The workloads in NumPy, and the oracle: NumPy with sums in the one order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.workloads import Work, eager, inputs
from weft import float32
from weft.ir.kernels.sum_order import ordered_sum

Sum = Callable[[np.ndarray], object]


def _ordered(x: np.ndarray) -> np.ndarray:
    """The sum in the one order, a stretch of whole blocks (a power of two of them) at a time."""
    step = 1 << 22
    parts = [ordered_sum(x[None, at : at + step], float32) for at in range(0, x.size, step)]
    while len(parts) > 1:
        parts = [np.add(*parts[k : k + 2]) if k + 1 < len(parts) else parts[k] for k in range(0, len(parts), 2)]
    return parts[0].reshape(())


def b1(small: bool) -> Work:
    parts = inputs.pieces(small)

    def read(y: np.ndarray, k: int) -> np.ndarray:
        at = inputs.position(k, y.size)
        return y[at : at + 10].copy()

    return Work(lambda: np.concatenate(parts), read)


def b2(small: bool) -> Work:
    parts = inputs.boxes(20 if small else 200)

    def build() -> np.ndarray:
        y = np.zeros((inputs.CUBE + inputs.BOX,) * 3, np.float32)
        for start, cells in parts:
            y[tuple(slice(s, s + n) for s, n in zip(start, cells.shape, strict=True))] = cells
        return y

    def read(y: np.ndarray, k: int) -> np.ndarray:
        at = inputs.corner(k)
        return y[at : at + 10, at : at + 10, at : at + 10].copy()

    return Work(build, read)


def b3(small: bool) -> Work:
    parts = inputs.large(4, small)
    return eager(lambda _: np.stack(parts, axis=1).reshape(-1))


def _b4(total: Sum) -> Callable[[bool], Work]:
    def made(small: bool) -> Work:
        parts = inputs.large(4, small)
        return eager(lambda _: total(np.stack(parts, axis=1).reshape(-1)[::4]))

    return made


def _b5(total: Sum) -> Callable[[bool], Work]:
    def made(small: bool) -> Work:
        parts = inputs.large(8, small)

        def compute(_: int) -> object:
            c = np.pad(np.flip(np.concatenate(parts)), 1000)
            return total(np.where(c > 0.5, 2 * c + 1, np.float32(0)))

        return eager(compute)

    return made


b4, b5 = _b4(np.sum), _b5(np.sum)
ORACLE = {"b4": _b4(_ordered), "b5": _b5(_ordered)}  # where the order of additions shows


def b9_views(small: bool) -> Work:
    x = inputs.cells(4096).reshape(64, 64)

    def build() -> np.ndarray:
        y = x
        for _ in range(2 if small else 250):
            y = np.flip(y, axis=0).T[::-1][:, 0:64]
        return y

    return Work(build, lambda y, _: y.copy())


def b9_tree(small: bool) -> Work:
    leaves = inputs.tree(small)

    def read(y: np.ndarray, k: int) -> np.ndarray:
        at = k * 7919 % (y.size // 10) * 10
        return y[at : at + 10].copy()

    return Work(lambda: np.concatenate([a[5:15][::-1] for branch in leaves for a in branch]), read)


def _grads(compute: Callable[[np.ndarray], np.ndarray]) -> Callable[[bool], Work]:
    def made(small: bool) -> Work:
        x = inputs.cells(inputs.MEGABYTES_64 // (1024 if small else 1))
        return eager(lambda _: compute(x))

    return made


def _windows(x: np.ndarray) -> np.ndarray:
    g = np.zeros_like(x)
    for k in range(4):
        g[k : x.size - 3 + k] += x[k : x.size - 3 + k]
    return g


def _reflect(x: np.ndarray) -> np.ndarray:
    g, p = x.copy(), 1000
    g[1 : p + 1] += x[1 : p + 1]
    g[-p - 1 : -1] += x[-p - 1 : -1]
    return g


b13_windows = _grads(_windows)
b13_concat = _grads(np.copy)
b13_interleave = _grads(np.copy)
b13_reflect = _grads(_reflect)


def _written(write: Callable[[list[np.ndarray], np.ndarray], None]) -> Callable[[bool], Work]:
    def made(small: bool) -> Work:
        arrays, value = inputs.targets(small)

        def run(_: int) -> np.ndarray:
            write(arrays, value)
            return inputs.sample(arrays)

        return eager(run)

    return made


def _in_turn(arrays: list[np.ndarray], value: np.ndarray) -> None:
    for k, a in enumerate(arrays):
        a[...] = value[k * a.size : (k + 1) * a.size]


def _in_turns(arrays: list[np.ndarray], value: np.ndarray) -> None:
    for k, a in enumerate(arrays):
        a[...] = value[k :: len(arrays)]


b15_concat = _written(_in_turn)
b15_interleave = _written(_in_turns)
b15_flipped = _written(lambda arrays, value: _in_turn(arrays, value[::-1]))
