"""Reductions and scans: whole, rows, columns, the middle, several axes; cumulative along any."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.rows import Cells, Row, integers, mask, normal, uniform, view

M = 1 << 20
_LONG, _SQUARE, _CUBE = normal(4 * M), normal(2048, 2048), normal(128, 256, 128)


def _logsumexp(xp: Any, x: Any) -> Any:
    top = xp.max(x, axis=1, keepdims=True)
    return xp.log(xp.sum(xp.exp(x - top), axis=1, keepdims=True)) + top


def _along(name: str, make: Cells, quick: dict[Any, int], *axes: Any) -> list[Row]:
    return [
        Row(
            f"{name}, axis={axis}",
            lambda xp, x, k=axis: getattr(xp, name)(x, axis=k),
            (make,),
            quick=quick.get(axis, 0),
        )
        for axis in axes
    ]


ROWS = [
    *_along("sum", _SQUARE, {None: 1, 0: 1, 1: 1}, None, 0, 1),
    *[
        Row(f"sum of a cube, axis={axis}", lambda xp, x, k=axis: xp.sum(x, axis=k), (_CUBE,), quick=int(axis != 1))
        for axis in (1, (0, 2))
    ],
    *_along("max", _SQUARE, {None: 1}, None, 0, 1),
    *_along("argmax", _SQUARE, {1: 1}, None, 0, 1),
    *_along("mean", _SQUARE, {}, 0, 1),
    *_along("var", _SQUARE, {1: 2}, None, 0, 1),
    *_along("std", _CUBE, {}, 1),
    *_along("prod", uniform(1024, 1024, low=0.99, high=1.01), {}, None),
    *_along("count_nonzero", _SQUARE, {}, None),
    *_along("cumulative_sum", _SQUARE, {0: 1, 1: 2}, 0, 1),
    Row("cumulative_sum of a vector", lambda xp, x: xp.cumulative_sum(x, axis=0), (_LONG,), quick=1),
    *_along("cumulative_prod", uniform(1024, 1024, low=0.99, high=1.01), {}, 1),
    *_along("diff", _SQUARE, {}, 0, 1),
    Row(
        "((a-b)**2).sum()",
        lambda xp, a, b: xp.sum((a - b) ** 2),
        (_LONG, _LONG),
        quick=2,
        numexpr="sum((a-b)**2)",
        close=1e-2,
    ),
    Row("sum of Fortran order", lambda xp, x: xp.sum(x), (view(_SQUARE, np.asfortranarray),)),
    Row("sum of axes 0 2 1", lambda xp, x: xp.sum(xp.permute_dims(x, (0, 2, 1))), (_CUBE,)),
    Row("logsumexp of rows", _logsumexp, (_SQUARE,)),
    Row("norm", lambda xp, x: xp.sqrt(xp.sum(x * x)), (_LONG,)),
    Row("linalg norms of rows", lambda xp, x: xp.sqrt(xp.sum(x * x, axis=1)), (_SQUARE,)),
    Row("dot", lambda xp, a, b: xp.sum(a * b), (_LONG, _LONG)),
    Row("mean absolute difference", lambda xp, a, b: xp.mean(xp.abs(a - b)), (_LONG, _LONG)),
    Row("any, early end", lambda xp, x: xp.any(x > 3), (_LONG,), quick=1),
    Row("all, to the end", lambda xp, x: xp.all(x < 100), (_LONG,)),
    Row("sum", lambda xp, x: xp.sum(x), (integers(4 * M, dtype="int32"),), ("int32",), quick=1),
    Row("sum", lambda xp, x: xp.sum(x), (integers(4 * M, dtype="int8"),), ("int8",)),
    Row("sum of a mask", lambda xp, x: xp.sum(x), (mask(4 * M),), ("bool",)),
    Row("mean", lambda xp, x: xp.mean(x), (uniform(4 * M),), ("float16",), close=0.1),
    Row("rows of 3: w[:, :3].sum(1)", lambda xp, w: xp.sum(w[:, :3], axis=1), (normal(M, 4),)),
    Row("columns of 8: w.sum(0)", lambda xp, w: xp.sum(w, axis=0), (normal(M // 2, 8),)),
]
