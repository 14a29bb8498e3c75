"""Random programs give the same bits when operations are called one by one through their function tables.

The one idea: a wrapper that only calls down changes no value, whichever operations it lies over.
"""

from __future__ import annotations

import random
from contextlib import ExitStack

import pytest

import weft
from tests.laws.authors import Author
from tests.laws.programs import Weft
from tests.laws.test_programs import differences, outcome
from weft.runtime.compute.function_tables import Call

SOME = ("add", "multiply", "sum", "concat", "astype", "where", "cumulative_sum", "positive", "gather", "max", "sort")


def called(call: Call) -> None:
    call()


def check(seed: int, **options: int) -> None:
    rng = random.Random(seed)
    program = Author(rng.randint, rng.randint(4, 20), rng.random() < 0.7, **options).program
    expected = outcome(Weft(program), program.steps)
    with weft.modules.through(called):
        assert differences(expected, outcome(Weft(program), program.steps)) == [], program
    with ExitStack() as scopes:
        for op in rng.sample(SOME, 3):
            scopes.enter_context(weft.modules.core.wrapped(op, called))
        assert differences(expected, outcome(Weft(program), program.steps)) == [], program


@pytest.mark.parametrize("seed", range(12))
def test_operations_called_one_by_one(seed: int) -> None:
    check(seed)


def test_on_long_tensors() -> None:
    check(100, long=2100)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_many_programs(seed: int) -> None:
    for k in range(30):
        check(1000 * (seed + 1) + k)
