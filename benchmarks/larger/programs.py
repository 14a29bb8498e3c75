"""The programs: what users of array libraries post, written once for all libraries.

The one idea: a library is a module (`with_weft`, `with_dask`, `with_numpy`) with a namespace `xp` and a few functions
where the names differ; a program is a function of a library and its inputs, and a row says the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.larger.inputs import Box, Layout


def _whole(layout: Layout) -> Box:
    return tuple(slice(0, n) for n in layout.shape)


@dataclass(frozen=True)
class Program:
    """A row: names of inputs, results, what it needs of the inputs, the array with a saved result's chunks.

    `single`: it can go through its inputs once and does little else, so decoding is what bounds it.  `pencils`: one
    side of it has chunks in any format (Zarr where the format is .npy): "in" or "out".
    """

    inputs: tuple[str, ...]
    results: Callable[..., tuple[Any, ...]]
    reads: Callable[[Layout], Box] = _whole
    save: str = ""
    single: bool = False
    pencils: str = ""


def quadratic_means(_: Any, u: Any, v: Any) -> tuple[Any, ...]:
    return (u * u).mean(axis=0), (v * v).mean(axis=0), (u * v).mean(axis=0)


def residuals(lib: Any, u: Any) -> tuple[Any, ...]:
    return (lib.xp.abs(u - u.mean(axis=0)).sum(),)


def climatology(_: Any, u: Any) -> tuple[Any, ...]:
    years = u.shape[0] // 12
    return (u[: 12 * years].reshape((years, 12, *u.shape[1:])).mean(axis=0),)


def vorticity(lib: Any, u: Any, v: Any) -> tuple[Any, ...]:
    roll = lib.xp.roll
    z = (roll(v, -1, 2) - roll(v, 1, 2)) - (roll(u, -1, 1) - roll(u, 1, 1))
    return ((z * z).mean(axis=0),)


def masked_mean(lib: Any, u: Any, v: Any) -> tuple[Any, ...]:
    mask = v > 16
    return lib.xp.where(mask, u, 0).sum(axis=0), mask.sum(axis=0)


def product_with_transpose(_: Any, a: Any) -> tuple[Any, ...]:
    m = a[: a.shape[0] // 4, : a.shape[1] // 4]
    return ((m @ m.T).sum(),)


def _corner(layout: Layout) -> Box:
    return tuple(slice(0, n // 4) for n in layout.shape)


def _series(layout: Layout) -> Box:
    days, *place = layout.shape
    return slice(0, days), *(slice(n // 2, n // 2 + 1) for n in place)


def _around_window(layout: Layout) -> Box:
    return tuple(slice(n // 4 - 1, n // 4 + 11) for n in layout.shape)


def window(lib: Any, x: Any) -> tuple[Any, ...]:
    first, second = (slice(n // 4, n // 4 + 10) for n in x.shape)
    return (lib.stencil(x)[first, second],)


def filled(lib: Any, a: Any) -> tuple[Any, ...]:
    return (lib.xp.where(a > 1, a, 0).sum(),)


PROGRAMS: dict[str, Program] = {
    "quadratic means over time": Program(("u", "v"), quadratic_means, single=True),
    "std over time": Program(("u",), lambda _, u: (u.std(axis=0),)),
    "mean of everything": Program(("u",), lambda _, u: (u.mean(),), single=True),
    "mean over space": Program(("u",), lambda _, u: (u.mean(axis=(1, 2)),), single=True),
    "zonal mean": Program(("u",), lambda _, u: (u.mean(axis=2),), single=True),
    "anomaly, saved": Program(("u",), lambda _, u: (u - u.mean(axis=0),), save="u"),
    "sum of residuals": Program(("u",), residuals),
    "climatology by reshape": Program(("u",), climatology),
    "vorticity, wrapped": Program(("u", "v"), vorticity),
    "time series of a place": Program(("u",), lambda _, u: (u[:, u.shape[1] // 2, u.shape[2] // 2],), _series),
    "masked mean over time": Program(("u", "v"), masked_mean, single=True),
    "0.9-quantile over time": Program(("u",), lambda lib, u: (lib.xp.quantile(u, 0.9, axis=0),)),
    "top 5 over time": Program(("u",), lambda lib, u: (lib.topk(u, 5),)),
    "median of everything": Program(("u",), lambda lib, u: (lib.xp.median(u, axis=(0, 1, 2)),)),
    "top 5 of everything": Program(("u",), lambda lib, u: (lib.topk(u.reshape((-1,)), 5),)),
    "argmax over time": Program(("u",), lambda _, u: (u.argmax(axis=0),)),
    "standardised, saved": Program(("u",), lambda _, u: ((u - u.mean(axis=0)) / u.std(axis=0),), save="u"),
    "cumulative sum, saved": Program(("u",), lambda lib, u: (lib.xp.cumsum(u, axis=0),), save="u"),
    "rechunk to series": Program(("u",), lambda _, u: (u,), save="w", pencils="out"),
    "rechunk to maps": Program(("w",), lambda _, w: (w,), save="u", pencils="in"),
    "double difference": Program(
        ("a", "b"), lambda lib, a, b: (lib.xp.abs(a[1:, 1:] - b[:-1, :-1]).sum(axis=0),), single=True
    ),
    "(a + a.T).sum(0)": Program(("a",), lambda _, a: ((a + a.T).sum(axis=0),)),
    "transposed sum": Program(("a",), lambda _, a: (a.T.sum(axis=0),), single=True),
    "transposed, saved": Program(("a",), lambda _, a: (a.T,), save="a"),
    "(m @ m.T).sum()": Program(("a",), product_with_transpose, _corner),
    "where(a > 1, a, 0).sum()": Program(("a",), filled, single=True),
    "filter, then average": Program(("a",), lambda _, a: (a[a > 1].mean(),), single=True),
    "histogram": Program(("a",), lambda lib, a: (lib.xp.histogram(a, bins=100, range=(0.0, 2.0))[0],), single=True),
    "concat of 64 files, mean": Program(("c",), lambda _, c: (c.mean(axis=0),), single=True),
    "stencil, small chunks, mean": Program(("tiny",), lambda lib, x: (lib.stencil(x).mean(),), single=True),
    "stencil, small chunks, 10 x 10": Program(("tiny",), window, _around_window),
}
