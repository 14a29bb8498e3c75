"""Layout and index: what moves cells, looks them up, or puts them in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.rows import Cells, Row, integers, mask, normal, uniform, view

M = 1 << 20
_LONG, _SQUARE, _CUBE = normal(4 * M), normal(2048, 2048), normal(160, 160, 160)


def _interleaved(xp: Any, *parts: Any) -> Any:
    return xp.reshape(xp.stack(parts, axis=1), (-1,))


def _copied(xp: Any, x: Any) -> Any:
    """In row-major order, which NumPy leaves for the order of its input."""
    return x.copy("C") if xp is np else xp.copy(x)


def _patches(xp: Any, x: Any) -> Any:
    return _copied(xp, xp.permute_dims(xp.reshape(x, (64, 32, 64, 32)), (0, 2, 1, 3)))


def _windows(xp: Any, x: Any) -> Any:
    return xp.stack([x[k : x.shape[0] - 7 + k] for k in range(8)], axis=1)


def _added(np: Any, x: Any, index: Any, rows: Any) -> Any:
    out = np.zeros_like(x)
    np.add.at(out, index, rows)
    return out


def _gradient(xp: Any, x: Any, index: Any, rows: Any) -> Any:
    """The gradient of taken rows, which adds what comes back at their positions."""
    own = xp.zeros(x.shape, dtype=x.dtype).requires_grad_()
    return xp.autograd.grad(xp.sum(xp.take(own, index, axis=0) * rows), own)[0]


def _assigned(xp: Any, x: Any, m: Any) -> Any:
    out = xp.copy(x)
    out[m] = 0
    return out


_MOVES = [
    Row("transposing copy", lambda xp, x: _copied(xp, x.T), (_SQUARE,), quick=2),
    Row("axes 2 0 1, copied", lambda xp, x: _copied(xp, xp.permute_dims(x, (2, 0, 1))), (_CUBE,)),
    Row("axes 0 2 1, copied", lambda xp, x: _copied(xp, xp.permute_dims(x, (0, 2, 1))), (_CUBE,)),
    Row("copy", lambda xp, x: xp.copy(x), (_LONG,)),
    Row("interleave of 4", _interleaved, (normal(M),) * 4, quick=2, others={"weft": lambda xp, *p: xp.interleave(p)}),
    Row("concat of rows", lambda xp, x, y: xp.concat([x, y], axis=0), (_SQUARE, _SQUARE)),
    Row("concat of columns", lambda xp, x, y: xp.concat([x, y], axis=1), (_SQUARE, _SQUARE)),
    Row("pad by 16", lambda xp, x: xp.pad(x, 16), (_SQUARE,), quick=1,
        others={"torch": lambda xp, x: xp.torch.nn.functional.pad(x, (16,) * 4)}),
    Row("roll along rows", lambda xp, x: xp.roll(x, 100, 1), (_SQUARE,)),
    Row("flip both", lambda xp, x: _copied(xp, xp.flip(x, axis=(0, 1))), (_SQUARE,),
        others={"torch": lambda xp, x: xp.flip(x, (0, 1))}),
    Row("tile 4 x 4", lambda xp, x: xp.tile(x, (4, 4)), (normal(512, 512),)),
    Row("repeat 4", lambda xp, x: xp.repeat(x, 4, axis=0), (normal(M),)),
    Row("windows of 8, stored", _windows, (normal(M),)),
    Row("lower triangle", lambda xp, x: xp.tril(x), (_SQUARE,)),
    Row("patch grid: reshape and permute", _patches, (_SQUARE,)),
]  # fmt: skip

_INDEX = [
    Row("gather 1 M of 4 M", lambda xp, x, i: xp.take(x, i, axis=0), (_LONG, integers(M, high=4 * M)), quick=2),
    Row("gather 1 M of 4 K", lambda xp, x, i: xp.take(x, i, axis=0), (normal(4096), integers(M, high=4096))),
    Row("take 100 000 rows of 32", lambda xp, x, i: xp.take(x, i, axis=0),
        (normal(100_000, 32), integers(100_000, high=100_000)), quick=1),
    Row("gather in a chain: x[i]*2+y", lambda xp, x, i, y: xp.take(x, i, axis=0) * 2 + y,
        (_LONG, integers(M, high=4 * M), normal(M))),
    Row("take along rows", lambda xp, x, i: xp.take_along_axis(x, i, axis=1),
        (normal(1024, 1024), integers(1024, 1024, high=1024))),
    Row("mask, 31 % stay", lambda _, x, m: x[m], (_LONG, mask(4 * M, share=0.31)), quick=1, group="order",
        others={"jax": None}),
    Row("x[x > 0.5]", lambda _, x: x[x > 0.5], (_LONG,), group="order", others={"jax": None}),
    Row("nonzero", lambda xp, m: xp.nonzero(m)[0], (mask(4 * M, share=0.31),), ("bool",), group="order",
        others={"jax": None}),
    Row("x[mask] = 0", _assigned, (_LONG, mask(4 * M, share=0.31)),
        others={"jax": lambda xp, x, m: xp.where(m, 0, x)}),
    Row("add 100 000 rows of 32 at positions", _added,
        (normal(10_000, 32), integers(100_000, high=10_000), normal(100_000, 32)), quick=1, close=1e-3,
        others={"weft": _gradient, "torch": lambda xp, x, i, r: xp.zeros_like(x).index_add(0, i, r),
                "jax": lambda xp, x, i, r: xp.zeros_like(x).at[i].add(r)}),
]  # fmt: skip


def _sorting(name: str, cells: Cells, quick: int = 0) -> Row:
    others = {"numpy": lambda np, x: np.sort(x)}  # equal values cannot be told apart: any order of them is stable
    return Row(name, lambda xp, x: xp.sort(x, axis=-1), (cells,), quick=quick, group="order", others=others)


def _positions(name: str, cells: Cells, quick: int = 0) -> Row:
    others = {"numpy": lambda np, x: np.argsort(x, stable=True)}
    return Row(name, lambda xp, x: xp.argsort(x, axis=-1), (cells,), quick=quick, group="order", others=others)


def _counted(xp: Any, x: Any) -> Any:
    return xp.histogram(x, bins=100, range=(-4, 4))[0]


_ORDER = [
    _sorting("sort 1 M", normal(M), 2),
    _sorting("sort 1000 rows of 1000", normal(1000, 1000)),
    _sorting("sort 1 M sorted", view(normal(M), np.sort)),
    _positions("argsort 1 M", normal(M), 2),
    _positions("argsort 1000 rows of 1000", normal(1000, 1000)),
    Row("sort 1 M", lambda xp, x: xp.sort(x), (integers(M, high=10**6),), ("int64",), group="order",
        others={"numpy": lambda np, x: np.sort(x)}),
    Row("argsort 1 M below 1000", lambda xp, x: xp.argsort(x), (integers(M, high=1000),), ("int64",), group="order",
        others={"numpy": lambda np, x: np.argsort(x, stable=True)}),
    Row("top 100 of 1 M", lambda xp, x: xp.topk(x, 100).values, (normal(M),), quick=1, group="order",
        others={"numpy": lambda np, x: np.sort(np.partition(x, len(x) - 100)[-100:])[::-1],
                "torch": lambda _, x: x.topk(100).values, "jax": lambda xp, x: _jax_top(x)}),
    Row("median 1 M", lambda xp, x: xp.median(x), (normal(M),), quick=1, group="order",
        others={"torch": lambda _, x: x.quantile(0.5) if x.numel() < 1 << 20 else _middle(x)}),
    Row("median of 1000 rows", lambda xp, x: xp.median(x, axis=1), (normal(1000, 999),), group="order",
        others={"torch": lambda _, x: x.median(dim=1).values}),
    Row("unique of 1 M below 10^6", lambda xp, x: xp.unique_values(x), (integers(M, high=10**6),), ("int64",), quick=1,
        group="order", others={"jax": None, "numpy": lambda np, x: np.unique(x)}),
    Row("unique of 1 M below 1000", lambda xp, x: xp.unique_values(x), (integers(M, high=1000),), ("int64",),
        group="order", others={"jax": None, "numpy": lambda np, x: np.unique(x)}),
    Row("unique of 1 M below 2^40", lambda xp, x: xp.unique_values(x), (integers(M, high=2**40),), ("int64",),
        group="order", others={"jax": None, "numpy": lambda np, x: np.unique(x)}),
    Row("unique of 1 M", lambda xp, x: xp.unique_values(x), (view(normal(M), lambda x: x.round(3)),), group="order",
        others={"jax": None, "numpy": lambda np, x: np.unique(x)}),
    Row("searchsorted 1 M in 1000", lambda xp, x, q: xp.searchsorted(x, q), (view(normal(1000), np.sort), normal(M)),
        quick=1, group="order"),
    Row("searchsorted 1 M in 1 M", lambda xp, x, q: xp.searchsorted(x, q), (view(normal(M), np.sort), normal(M)),
        group="order"),
    Row("histogram, 100 bins", _counted, (normal(M),), quick=1, group="order",
        others={"torch": lambda xp, x: xp.torch.histc(x, 100, -4, 4)}, close=1e-4),
    Row("bincount of 1000", lambda xp, x: xp.bincount(x, minlength=1000), (integers(M, high=1000),), ("int64",),
        group="order", others={"torch": lambda xp, x: xp.torch.bincount(x, minlength=1000),
                               "jax": lambda xp, x: xp.bincount(x, length=1000)}),
    Row("0.9-quantile of 1 M", lambda xp, x: xp.quantile(x, 0.9), (uniform(M - 1),), group="order",
        others={"torch": lambda _, x: x.quantile(0.9)}),
]  # fmt: skip


def _jax_top(x: Any) -> Any:
    import jax

    return jax.lax.top_k(x, 100)[0]


def _middle(x: Any) -> Any:
    half = x.numel() // 2
    return (x.kthvalue(half).values + x.kthvalue(half + 1).values) / 2


ROWS = [*_MOVES, *_INDEX, *_ORDER]
