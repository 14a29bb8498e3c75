"""The order of steps: less is held at a time, never more, and values stay the same bits."""

from __future__ import annotations

import random

import numpy as np
import pytest

import weft
from weft.passes.planning.temporaries import _by_need, peak
from weft.tensors.tensor import Tensor

A = weft.asarray(np.random.default_rng(0).random((240, 240)))


def wide(a: Tensor) -> Tensor:
    """A large value that waits, beside a small one that is made of a larger one."""
    kept = weft.sort(a * 2, axis=0)
    mean = weft.sort(weft.tile(a, (3, 1)), axis=0).mean(axis=0)
    return weft.sort(kept - weft.flip(mean), axis=1)


def temporaries(x: Tensor) -> int:
    return weft.explain(x).temporary_bytes


def test_what_needs_most_runs_first() -> None:
    with weft.without("reorder"):
        plain, before = wide(A).numpy(), temporaries(wide(A))
    assert temporaries(wide(A)) < before
    assert wide(A).numpy().tobytes() == plain.tobytes()
    with weft.profile() as p:
        wide(A).numpy()
    assert p.temporary_bytes == temporaries(wide(A))


def test_what_is_small_stays_in_its_order() -> None:
    a = A[:8, :8]
    with weft.without("reorder"):
        before = weft.show(wide(a), "plan")
    assert weft.show(wide(a), "plan") == before


def graph(rng: random.Random, n: int) -> tuple[list[int], list[list[int]]]:
    """Sizes and inputs of n steps, all needed for the last."""
    reads = [sorted(rng.sample(range(k), min(k, rng.randint(0, 2)))) for k in range(n)]
    used = {k for read in reads for k in read}
    reads[-1] = sorted({*reads[-1], *[k for k in range(n - 1) if k not in used]})
    return [rng.randint(0, 100) for _ in range(n)], reads


@pytest.mark.parametrize("seed", range(50))
def test_orders_are_complete_and_inputs_come_first(seed: int) -> None:
    rng = random.Random(seed)
    sizes, reads = graph(rng, rng.randint(2, 30))
    order = _by_need(sizes, reads)
    at = {k: i for i, k in enumerate(order)}
    assert sorted(order) == list(range(len(sizes))) and all(at[k] < at[n] for n in at for k in reads[n])


def all_orders(reads: list[list[int]]) -> list[list[int]]:
    found = [[]]
    for _ in reads:
        found = [[*o, k] for o in found for k in range(len(reads)) if k not in o and set(reads[k]) <= set(o)]
    return found


@pytest.mark.parametrize("seed", range(20))
def test_orders_of_trees_are_the_best(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.randint(3, 7)
    above = [rng.randint(k + 1, n - 1) for k in range(n - 1)]
    reads = [[k for k in range(n - 1) if above[k] == m] for m in range(n)]
    sizes = [rng.randint(1, 50) for _ in range(n)]
    least = min(peak(o, sizes, reads) for o in all_orders(reads) if contiguous(o, reads))
    assert peak(_by_need(sizes, reads), sizes, reads) == least


def contiguous(order: list[int], reads: list[list[int]]) -> bool:
    """True if the steps below each step come in one run."""
    below: list[set[int]] = []
    for k, read in enumerate(reads):
        below.append({k}.union(*[below[i] for i in read]))
    at = {k: i for i, k in enumerate(order)}
    return all(max(at[k] for k in b) - min(at[k] for k in b) == len(b) - 1 for b in below)


def expression(rng: random.Random, depth: int) -> Tensor:
    if not depth:
        return A[rng.randint(0, 9) :, :][:200] * rng.random()
    x, y = expression(rng, depth - 1), expression(rng, rng.randint(0, depth - 1))
    make = [
        lambda: weft.sort(x, axis=0) + y,
        lambda: weft.sort(weft.concat([x, y, x]), axis=0)[:200],
        lambda: x - weft.sort(weft.tile(y, (2, 2)), axis=1).mean(axis=0)[:240],
        lambda: weft.cumulative_sum(x, axis=0) * weft.max(y, axis=0),
    ]
    return rng.choice(make)()


@pytest.mark.parametrize("seed", range(25))
def test_no_plan_needs_more_than_in_the_order_given(seed: int) -> None:
    x, y = (expression(random.Random(seed), 3) for _ in range(2))
    with weft.without("reorder"):
        before, plain = temporaries(x), x.numpy()
    assert temporaries(y) <= before and y.numpy().tobytes() == plain.tobytes()
