"""Laws of writing through trees and of routing: NumPy does the same with an array of cell numbers.

The one idea: a tree is written through as `cells[numbers] = value`; it is refused exactly where a number is negative or
comes twice, and then nothing was written.
"""

from __future__ import annotations

import random
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.laws.trees import FILL, TEMPORARY, Garden
from tests.shares import examples
from weft.errors import WriteError

HOW = {
    "pending": nullcontext,
    "eager": weft.eager,
    "reference": lambda: weft.transformer("reference"),
    "computed": nullcontext,
}


def cells(garden: Garden) -> np.ndarray:
    return np.concatenate([s.numpy().astype(np.int64).reshape(-1) for s in garden.sources] or [np.zeros(0, np.int64)])


def check_assign(seed: int, how: str) -> str:
    """Write through one tree; says what came of it."""
    garden = Garden(seed)
    with HOW[how]():
        tree, numbers = garden.tree(garden.rng.randint(1, 7))
        assert tree.shape == numbers.shape
        if how == "computed":
            tree.realize()
        last_wins = garden.rng.randint(0, 3) == 0
        before = cells(garden)
        kept = tree * 1
        value = np.arange(tree.size, dtype=np.int64).reshape(tree.shape) - 5000
        known = tree.numpy().copy()
        named = numbers[numbers >= 0]
        repeats = np.unique(named).size < named.size
        refused = (numbers < 0).any() or (repeats and not last_wins)
        given = weft.asarray(value) + 0 if garden.rng.randint(0, 1) else value
        if refused:
            with pytest.raises(WriteError, match="assign: coordinate"):
                weft.assign(tree, given, last_wins=last_wins)
            np.testing.assert_array_equal(cells(garden), before)
        else:
            weft.assign(tree, given, last_wins=last_wins)
            before[numbers.reshape(-1)] = value.reshape(-1)
            np.testing.assert_array_equal(cells(garden), before)
        np.testing.assert_array_equal(kept.numpy(), known)
    return "refused" if refused else "last" if repeats else "written"


def check_route(seed: int, how: str) -> None:
    garden = Garden(seed)
    with HOW[how]():
        tree, numbers = garden.tree(garden.rng.randint(1, 8))
        if how == "computed":
            tree.realize()
        for _ in range(3 if numbers.size else 0):
            at = tuple(garden.rng.randrange(n) for n in numbers.shape)
            coordinate = tuple(p + o for p, o in zip(at, tree.domain.origin, strict=True))
            source, inside = weft.route(tree, coordinate)
            assert source.at[inside].item() == tree[at].item()
            number = int(numbers[at])
            if number >= 0 and source is not tree:
                k = next(k for k, s in enumerate(garden.sources) if garden.first[k + 1] > number)
                if source._place is garden.sources[k]._place:
                    assert (
                        garden.first[k] + sum(i * s // 8 for i, s in zip(inside, c_order(source), strict=True))
                        == number
                    )
                else:
                    assert how in ("eager", "computed")  # what was computed may have lost where it came from
            elif number == FILL:
                assert source.size == 1 or how in ("eager", "computed")
            else:
                assert number == TEMPORARY or source is tree


def c_order(x: Any) -> tuple[int, ...]:
    return np.empty(x.shape, np.int64).strides


@pytest.mark.parametrize("how", HOW)
def test_writing_through_is_numpys_scatter(how: str) -> None:
    came = [check_assign(seed, how) for seed in range(examples(150))]
    assert {"refused", "last", "written"} == set(came)


@pytest.mark.parametrize("how", HOW)
def test_routing_finds_the_cell(how: str) -> None:
    for seed in range(examples(150)):
        check_route(1000 + seed, how)


def check_domain(seed: int) -> None:
    """Reading by coordinate is looking up a table from coordinates to values; a step divides coordinates."""
    garden = Garden(seed, temporaries=False)
    x, _ = garden.source(garden.shape())
    known = dict(zip(coordinates(x.domain), x.numpy().reshape(-1).tolist(), strict=True))
    key, steps = [], []
    for low, n in zip(x.domain.origin, x.domain.shape, strict=True):
        first, stop = sorted(garden.rng.choices(range(low, low + n + 1), k=2))
        step = garden.rng.choice((1, 1, 2, 3))
        key.append(slice(first, stop, step))
        steps.append(step)
    part, back = x.at[tuple(key)], x.at[tuple(reversed_slice(s) for s in key)]
    wanted = {}
    for at, value in known.items():
        if all(c in range(s.start, s.stop, s.step) for c, s in zip(at, key, strict=True)):
            wanted[tuple(c // s for c, s in zip(at, steps, strict=True))] = value
    assert {at: part.at[at].item() for at in coordinates(part.domain)} == wanted
    if part.size:
        assert back.domain == part.domain
        np.testing.assert_array_equal(back.numpy(), np.flip(part.numpy()))


def reversed_slice(s: slice) -> slice:
    """The same coordinates from the last down."""
    reached = range(s.start, s.stop, s.step)
    return slice(reached[-1], reached[0] - 1, -s.step) if reached else s


def coordinates(domain: Any) -> list[tuple[int, ...]]:
    return [tuple(int(i) + o for i, o in zip(p, domain.origin, strict=True)) for p in np.ndindex(domain.shape)]


def test_coordinates_name_cells() -> None:
    for seed in range(40):
        check_domain(seed)


@settings(max_examples=examples(60))
@given(st.integers(0, 1 << 40), st.sampled_from(sorted(HOW)))
def test_any_tree(seed: int, how: str) -> None:
    check_assign(seed, how)
    check_route(seed, how)


@pytest.mark.slow
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("seed", range(10))
def test_many_trees(how: str, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(500):
        check_assign(rng.randrange(1 << 40), how)
        check_route(rng.randrange(1 << 40), how)
