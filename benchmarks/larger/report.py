"""The report: a row for each cell, geometric means, and the cells that miss their bars.

The one idea: a row is a cell beside dask.array and beside the machine's own limit, decoding each chunk once; the bars
are applied to rows, so the list of misses says what is to be done.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, log

from benchmarks.larger.programs import PROGRAMS
from benchmarks.larger.turns import Measured
from benchmarks.timing import table

MIB = 1 << 20
BEYOND = 32 * MIB  # a peak above a limit
UNLIMITED = 256 * MIB  # a peak above the results where no limit is set
LEFT = 16 * MIB  # what stays when everything is deleted
MEAN_RATIO, RATIO = 0.55, 1.0  # of dask.array's time: geometric mean, any cell
DECODING = 1.3  # times decoding every chunk once, for programs that do little else
HEAD = (
    "program", "format", "limit", "weft s", "dask s", "ratio", "of work", "of limit", "MiB", "bar", "dask MiB", "left",
    "",
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A cell of the table: weft at a program, a format and a limit, beside dask.array and decoding alone."""

    program: str
    format: str
    limit: str
    weft: Measured
    dask: Measured
    decoding: float

    @property
    def ratio(self) -> float:
        """The time in units of dask.array's; where one of them ran out of time, a bound."""
        return self.weft.seconds / self.dask.seconds

    @property
    def allowed(self) -> int:
        """The bytes by which memory may grow."""
        return UNLIMITED + self.weft.held if self.limit == "none" else int(self.limit[:-3]) * MIB + BEYOND

    @property
    def compared(self) -> bool:
        """True if both came to an end, or one of them and the other ran out of time."""
        return not (self.weft.failed or self.dask.failed) and not (self.weft.fault and self.dask.fault)

    def misses(self) -> Iterator[str]:
        """The bars that it misses."""
        if self.weft.fault:
            yield self.weft.fault
            return
        if self.weft.peak > self.allowed:
            yield f"peak {self.weft.peak // MIB} MiB, bar {self.allowed // MIB}"
        if self.weft.left > LEFT:
            yield f"leaves {self.weft.left // MIB} MiB, bar {LEFT // MIB}"
        if self.compared and self.ratio > RATIO:
            yield f"{self.ratio:.2f} times dask.array's time, bar {RATIO}"
        if PROGRAMS[self.program].single and self.weft.seconds > DECODING * self.decoding:
            yield f"{self.weft.seconds / self.decoding:.2f} times decoding, bar {DECODING}"

    def cells(self) -> list[str]:
        """Its texts in the table; the last is the number of bars that it misses."""
        w, d = self.weft, self.dask
        mine = ["-"] * 3 if w.fault else [f"{self.decoding / w.seconds:.2f}", str(w.peak // MIB), str(w.left // MIB)]
        return [
            self.program,
            self.format,
            self.limit,
            w.time(),
            d.time(),
            f"{self.ratio:.2f}" if self.compared else "-",
            "-" if w.fault or d.fault else f"{w.work / d.work:.2f}",
            mine[0],
            mine[1],
            str(self.allowed // MIB),
            "-" if d.fault else str(d.peak // MIB),
            mine[2],
            "!" * sum(1 for _ in self.misses()),
        ]


def report(found: list[Row], threads: int) -> None:
    """Print the table, geometric means, misses and what dask.array could not do."""
    table(f"files larger than memory, {threads} threads", list(HEAD), [row.cells() for row in found])
    groups = {(r.format, r.limit): [q for q in found if (q.format, q.limit) == (r.format, r.limit)] for r in found}
    rows = [[f"{format}, {limit}", *_summary(group)] for (format, limit), group in groups.items()]
    rows.append(["all", *_summary(found)])
    table("beside dask.array", ["cells", "geometric mean", "bar", "of", "out of time or failed", "miss a bar"], rows)
    _list("misses", [f"{r.program}, {r.format}, {r.limit}: {text}" for r in found for text in r.misses()])
    failed = [f"{r.program}, {r.format}: {r.dask.fault}" for r in found if r.dask.fault]
    _list("dask.array without a result", list(dict.fromkeys(failed)))  # one measurement is in the rows of all limits


def _summary(group: list[Row]) -> list[str]:
    ratios = [r.ratio for r in group if r.compared]
    mean = f"{exp(sum(map(log, ratios)) / len(ratios)):.2f}" if ratios else "-"
    faults, missed = sum(bool(r.weft.fault) for r in group), sum(any(True for _ in r.misses()) for r in group)
    return [mean, str(MEAN_RATIO), str(len(ratios)), str(faults), f"{missed} of {len(group)}"]


def _list(title: str, lines: list[str]) -> None:
    print("\n  ".join([f"\n{title}: {len(lines) or 'none'}", *lines]))
