"""The report of results: a line for each row, geometric means beside bars, rows where weft is behind."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from benchmarks.results import BARS, Result, behind, best_peer, key, mean_ratio, ours, ratios, without

PEERS = ("numpy", "numexpr", "numba", "torch", "torch.compile", "jax.jit", "tensorstore")
HEAD = ["row", "dtype", "threads", "weft", "median", "of limit", *[f"/ {name}" for name in PEERS]]


def amount(value: float, unit: str) -> str:
    """Return seconds or bytes with three digits and a unit that suits them."""
    steps = ((1e-6, "us"), (1e-3, "ms"), (1.0, "s")) if unit == "s" else ((1e3, "kB"), (1e6, "MB"), (1e9, "GB"))
    scale, name = next((step for step in steps if value < 1000 * step[0]), steps[-1])
    return f"{value / scale:.3g} {name}"


def limit_share(row: Result) -> str:
    """Return how much of the physical limit weft's best reaches."""
    return f"{100 * row['limit'] / ours(row)[1]:.0f} %" if row["limit"] else "-"


def cells(row: Result) -> list[str]:
    """Return the columns of `HEAD`."""
    name, best = ours(row)
    found = ratios(row)
    shown = [f"{found[p]:.2f}" if p in found else "left out" if without(row, p) else "-" for p in PEERS]
    median = amount(row["contenders"][name]["median"], row["unit"])
    return [row["name"], row["dtype"], str(row["threads"]), amount(best, row["unit"]), median, limit_share(row), *shown]


def line(row: Result) -> str:
    """Return a row as it is printed while a run goes on."""
    name, dtype, threads, best, median, share, *_ = cells(row)
    found = {k: v for k, v in ratios(row).items() if k != "best"}
    peers = "  ".join([*(f"{k} {v:.2f}" for k, v in found.items()), *left_out(row)])
    return f"  {f'{name} ({dtype})':52s} {threads}  {best:>8s} {median:>8s} {share:>6s}  {peers}"


def means(rows: Sequence[Result]) -> list[list[str]]:
    """Return the columns of `MEANS_HEAD` for every bar that has rows."""
    out = []
    for bar in BARS:
        for threads in sorted({row["threads"] for row in rows}):
            chosen = [row for row in rows if row["group"] == bar.group and row["threads"] == threads]
            mean, count = mean_ratio(chosen, bar.peer)
            if not math.isnan(mean):
                verdict = "met" if mean >= bar.ratio else "missed"
                missing = sum(without(row, bar.peer) for row in chosen)
                counts = [str(threads), str(count), str(missing)]
                out.append([bar.group, bar.peer, *counts, f"{mean:.2f}", f"{bar.ratio:g}", verdict])
    return out


def left_out(row: Result) -> list[str]:
    """Return who takes part in a row but has no figure there, and why."""
    return [f"{name} left out: {why}" for name, why in row.get("left_out", {}).items()]


def left_out_rows(rows: Iterable[Result]) -> list[list[str]]:
    """Return class and name, dtype, threads, contender and reason of every figure that is missing."""
    return [
        [f"{kind}: {name}", dtype, str(threads), library, why]
        for row in rows
        for kind, name, dtype, threads in [key(row)]
        for library, why in row.get("left_out", {}).items()
    ]


MEANS_HEAD = ["group", "peer", "threads", "rows", "without", "mean", "bar", ""]
LEFT_OUT_HEAD = ["row", "dtype", "threads", "left out", "because"]
BEHIND_HEAD = ["row", "dtype", "threads", "first is", "ratio"]


def behind_rows(rows: Iterable[Result]) -> list[list[str]]:
    """Return name, dtype, threads, the best peer and its ratio of the rows where weft is not first."""
    return [
        [
            f"{row['class']}: {row['name']}",
            row["dtype"],
            str(row["threads"]),
            best_peer(row),
            f"{ratios(row)['best']:.2f}",
        ]
        for row in behind(rows)
    ]
