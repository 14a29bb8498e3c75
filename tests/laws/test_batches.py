"""A function over a batch gives the stack of what it gives for the entries, bit for bit.

The one idea: the second half of a random program is a function of its handles; three runs of the first half, with other
values, make a batch of three entries.  What the function writes to its arguments it writes to the batch.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

import weft
from tests.laws.authors import Author
from tests.laws.programs import Weft
from tests.laws.test_compiled_functions import Inside, halves, other
from tests.laws.test_programs import differences
from tests.shares import examples
from weft.errors import TracingError, WriteError

ENTRIES = 3


def entries(first: list[Any], program: Any) -> list[dict[int, Any]]:
    """The handles of a program's first half, as values of their own, for other values of its memories."""
    found = []
    for k in range(ENTRIES):
        machine = Weft(other(program, 7 * k))
        for step in first:
            machine.run(step)
        found.append({h: t.copy() for h, t in machine.handles.items()})
    return found


def _axis(rng: random.Random, ndim: int) -> int | None:
    drawn = rng.random()
    return None if drawn < 0.1 else 0 if drawn < 0.7 else rng.randint(0, ndim)


def check(seed: int, **options: int) -> str:
    rng = random.Random(seed)
    program = Author(rng.randint, rng.randint(6, 24), rng.random() < 0.7, **options).program
    first, second = halves(program)
    try:
        each = entries(first, program)
    except KeyError:  # other values have no such handle: a step was refused
        return "unlike"
    described = [{h: (t.shape, t.dtype, t.domain) for h, t in handles.items()} for handles in each]
    if not each[0] or any(d != described[0] for d in described):
        return "unlike"
    axes = {h: _axis(rng, t.ndim) for h, t in each[0].items()}
    if all(a is None for a in axes.values()):
        return "shared"
    for h, a in axes.items():
        if a is None:  # all share the first one
            for handles in each:
                handles[h] = each[0][h].copy()
        elif not each[0][h].ndim:
            for handles in each:
                handles[h] = weft.stack([handles[h]])[0]  # a cell, as a loop over the batch has it
    batch = {h: each[0][h].copy() if a is None else weft.stack([e[h] for e in each], axis=a) for h, a in axes.items()}
    seen: list[str] = []

    def function(handles: dict[int, Any]) -> dict[int, Any]:
        inside = Inside(handles)
        for step in second:
            inside.run(step)
        seen[:] = inside.seen
        return {h: t for h, t in inside.handles.items() if h not in handles}

    try:
        made = weft.vmap(function, in_axes=(axes,))(batch)
    except (TracingError, WriteError) as error:
        return f"refused: {error}"
    batched = seen.copy()
    singly = [function(e) for e in each]
    assert seen == batched
    for k in range(ENTRIES):
        expected = [t.numpy() for t in (*singly[k].values(), *each[k].values())]
        rows = [
            h if a is None else weft.moveaxis(h, a, 0)[k] for h, a in zip(batch.values(), axes.values(), strict=True)
        ]
        found = [t.numpy() for t in (*[t[k] for t in made.values()], *rows)]
        assert differences(expected, found) == [], (seed, k, str(program))
    return "batched"


def test_some_functions() -> None:
    many = examples(30, 12)
    found = Counter(check(seed) for seed in range(many))
    assert found["batched"] > many // 2, found


def test_long_entries() -> None:
    check(100, long=2100)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_many_functions(seed: int) -> None:
    for k in range(60):
        check(1000 * (seed + 1) + k)
