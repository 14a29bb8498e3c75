"""Of combinations that are too many for every run, a share in which no value is missing."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest


def in_turn(*lists: Iterable[Any], every: int) -> list[Any]:
    """Return all combinations of the lists' values as parameters: one in `every` is quick, the others are slow.

    The values take turns, as in a Latin square: each value of each list is in a quick combination.
    """
    tables = [list(values) for values in lists]
    quick = {at for at in product(*[range(len(t)) for t in tables]) if sum(at) % every == 0}
    for k, table in enumerate(tables):
        missing = set(range(len(table))) - {at[k] for at in quick}
        assert not missing, f"no quick combination has {[table[i] for i in missing]}; share by less than {every}"
    return [
        pytest.param(*[t[i] for t, i in zip(tables, at, strict=True)], marks=() if at in quick else pytest.mark.slow)
        for at in product(*[range(len(t)) for t in tables])
    ]
