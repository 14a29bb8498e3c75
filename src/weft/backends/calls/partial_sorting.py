"""Parts of sorted lines, without sorting the rest.

The one idea: a sorted sample of a long line tells two values between which the wanted ranks lie; the few cells between
these are sorted, in the order in which they come, so that bits and positions are those of a stable sort.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any

import numpy as np

from weft.backends.thread_sharing import share

LONG = 1 << 14  # least cells of a line for which a sample pays
SHARE = 8  # least cells of a line for each cell wanted
SAMPLE = 1 << 13  # least cells of a sample; it has less than twice as many
PART = 1 << 18  # cells compared at a time: they and the masks stay in the processor's cache
SLACK = 4  # standard deviations by which a rank in the sample may be off
Range = tuple[int, int]  # ranks first, first + 1, ..., stop - 1
Lines = Callable[..., np.ndarray]  # function of (cells, whether descending, memory for the result)


def is_worth_selecting(cells: np.ndarray, ranges: Sequence[Range]) -> bool:
    """True if the cells of `ranges` in each sorted line are found sooner than lines are sorted."""
    size = cells.shape[-1]
    return size >= LONG and cells.dtype.kind != "c" and SHARE * sum([b - a for a, b in ranges]) <= size


def selected(line: np.ndarray, descending: bool, ranks: Range, work: Lines) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the results of `work` for ranks (first, stop) of a sorted line, and the positions worked on.

    `work` sorts cells, or finds the order that sorts them; it gets the cells at these positions alone, which are in
    rising order (None: all cells). With `descending`, ranks count from the greatest cell.
    """
    first, stop = ranks
    size = line.size
    low, high = _bounds(line, *((size - stop, size - first) if descending else ranks))
    at, below = _between(line, low, high)
    start = size - below - at.size if descending else below
    if first < start or start + at.size < stop:  # the sample misleads, as that of a line with a period may
        return work(line, descending)[first:stop], None
    return work(line[at], descending)[first - start : stop - start], at


def _bounds(line: np.ndarray, first: int, stop: int) -> tuple[Any, Any]:
    """Return (low, high), between which the cells of ranks `first` to `stop` of a line very probably lie.

    They are cells of a sample; a bound is None if the sample has no cell for it.
    """
    sample = np.sort(line[:: line.size // SAMPLE])
    share_of = sample.size / line.size
    low, high = ((rank, SLACK * sqrt(rank * (1 - rank / sample.size)) + SLACK)
                 for rank in (first * share_of, min(stop, line.size) * share_of))  # fmt: skip
    least, most = int(low[0] - low[1]), int(high[0] + high[1])
    return sample[least] if least > 0 else None, sample[most] if most < sample.size else None


@np.errstate(invalid="ignore")  # of signalling NaNs
def _between(line: np.ndarray, low: Any, high: Any) -> tuple[np.ndarray, int]:
    """Return (positions of the cells of a line from `low` to `high`, number of cells below `low`).

    NaN is the greatest value; None is no bound.
    """
    starts = range(0, line.size, PART)
    found: list[np.ndarray] = [np.empty(0, np.intp)] * len(starts)
    below = [0] * len(starts)

    def look(k: int) -> None:
        cells = line[starts[k] : starts[k] + PART]
        inside = _not_below(cells, low)
        below[k] = cells.size - int(np.count_nonzero(inside))
        if high is not None and high == high:
            inside &= cells <= high
        found[k] = np.flatnonzero(inside) + starts[k]

    share(range(len(starts)), look, line.nbytes // 16)  # NumPy holds the interpreter's lock for half of it
    return np.concatenate(found), sum(below)


def _not_below(cells: np.ndarray, low: Any) -> np.ndarray:
    """Return an array of bools, true for cells that sort at or behind `low`; all are true for None."""
    if low is None:
        return np.ones(cells.shape, np.bool_)
    return np.isnan(cells) if low != low else np.logical_not(cells < low)
