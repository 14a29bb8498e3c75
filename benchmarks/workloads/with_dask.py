"""The workloads in dask.array (threads)."""

from __future__ import annotations

import dask.array as da
import numpy as np

from benchmarks.workloads import Work, inputs


def _whole(a: np.ndarray) -> da.Array:
    return da.from_array(a, chunks=a.shape, name=False)


def b1(small: bool) -> Work:
    parts = [_whole(a) for a in inputs.pieces(small)]

    def read(y: da.Array, k: int) -> np.ndarray:
        at = inputs.position(k, y.shape[0])
        return y[at : at + 10].compute()

    return Work(lambda: da.concatenate(parts), read)


def b3(small: bool) -> Work:
    parts = [da.from_array(a, chunks=1 << 21, name=False) for a in inputs.large(4, small)]
    return Work(lambda: da.stack(parts, axis=1).reshape(-1), lambda y, _: y.compute())


def b4(small: bool) -> Work:
    parts = [da.from_array(a, chunks=1 << 21, name=False) for a in inputs.large(4, small)]
    return Work(lambda: da.stack(parts, axis=1).reshape(-1)[::4].sum(), lambda y, _: y.compute())


def b5(small: bool) -> Work:
    parts = [da.from_array(a, chunks=1 << 21, name=False) for a in inputs.large(8, small)]

    def build() -> da.Array:
        c = da.pad(da.flip(da.concatenate(parts)), 1000)
        return da.where(c > 0.5, 2 * c + 1, np.float32(0)).sum()

    return Work(build, lambda y, _: y.compute())


def b9_views(small: bool) -> Work:
    x = _whole(inputs.cells(4096).reshape(64, 64))

    def build() -> da.Array:
        y = x
        for _ in range(2 if small else 250):
            y = da.flip(y, axis=0).T[::-1][:, 0:64]
        return y

    return Work(build, lambda y, _: y.compute())
