"""The workloads in dask.array and in what shares its interface (threads)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask.array
import numpy as np

from benchmarks.workloads import Work, inputs

CHUNK = 1 << 21  # cells


def workloads(da: Any) -> dict[str, Callable[[bool], Work]]:
    """The workloads over a module with the interface of dask.array."""

    def split(a: np.ndarray, chunks: Any = CHUNK) -> Any:
        return da.from_array(a, chunks=chunks, name=False)

    def b1(small: bool) -> Work:
        parts = [split(a, a.shape) for a in inputs.pieces(small)]

        def read(y: Any, k: int) -> np.ndarray:
            at = inputs.position(k, y.shape[0])
            return y[at : at + 10].compute()

        return Work(lambda: da.concatenate(parts), read)

    def _turns(small: bool) -> Callable[[], Any]:
        parts = [split(a) for a in inputs.large(4, small)]
        return lambda: da.stack(parts, axis=1).reshape(-1)

    def b3(small: bool) -> Work:
        return Work(_turns(small), lambda y, _: y.compute())

    def b4(small: bool) -> Work:
        turns = _turns(small)
        return Work(lambda: turns()[::4].sum(), lambda y, _: y.compute())

    def b5(small: bool) -> Work:
        parts = [split(a) for a in inputs.large(8, small)]

        def build() -> Any:
            c = da.pad(da.flip(da.concatenate(parts)), 1000)
            return da.where(c > 0.5, 2 * c + 1, np.float32(0)).sum()

        return Work(build, lambda y, _: y.compute())

    def b9_views(small: bool) -> Work:
        x = split(inputs.cells(4096).reshape(64, 64), (64, 64))

        def build() -> Any:
            y = x
            for _ in range(2 if small else 250):
                y = da.flip(y, axis=0).T[::-1][:, 0:64]
            return y

        return Work(build, lambda y, _: y.compute())

    return {"b1": b1, "b3": b3, "b4": b4, "b5": b5, "b9_views": b9_views}


globals().update(workloads(dask.array))
