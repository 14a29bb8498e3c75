"""Shares of combinations and examples that are too many for every run; no value is missing in a share."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from operator import mul
from typing import Any

import pytest


def in_turn(*lists: Iterable[Any], every: int) -> list[Any]:
    """Return all combinations of the lists' values as parameters: one in `every` is quick, the others are slow.

    The values take turns, as in a Latin square: each value of each list is in a quick combination. Quick runs get the
    quick ones alone: to leave out the 9000 others takes pytest half a second in each worker.
    """
    tables = [list(values) for values in lists]
    places = list(product(*[range(len(t)) for t in tables]))
    for steps in product(range(1, every + 1), repeat=len(tables) - 1):
        quick = {at for at in places if sum(map(mul, at, (1, *steps))) % every == 0}
        if all(len({at[k] for at in quick}) == len(t) for k, t in enumerate(tables)):
            break
    else:
        raise AssertionError(f"no quick combination has some values of lists of {[len(t) for t in tables]}; share by "
                             f"less than {every}")  # fmt: skip
    return [
        pytest.param(*[t[i] for t, i in zip(tables, at, strict=True)], marks=() if at in quick else pytest.mark.slow)
        for at in places
        if at in quick or not quick_run
    ]


quick_run = False  # set where pytest begins: whether slow tests are left out


def examples(most: int, quick: int | None = None) -> int:
    """Return `most`, and in quick runs `quick`: how much a test takes. By default a third, and ten at the least."""
    if not quick_run:
        return most
    return max(most // 3, min(most, 10)) if quick is None else quick
