"""Random programs spread over devices give the same bits as on the host alone, in whatever order work is done.

The one idea: where a value lies is cost, not meaning; so a program may move its tensors at random.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

import weft
from tests.laws.authors import Author
from tests.laws.programs import Program, Step, Weft
from tests.laws.test_programs import differences, outcome, setting
from tests.shares import examples


class Scattered(Weft):
    """The program with its tensors on three devices, two of which do what is ready in random order."""

    def __init__(self, program: Program, seed: int) -> None:
        super().__init__(program)
        self.rng = random.Random(seed)
        self.places = [weft.cpu, weft.device("thread", 40), weft.device("thread", 41)]
        for d in self.places[1:]:
            d.shuffle = random.Random(seed)

    def somewhere(self, x: Any) -> Any:
        return x.to(self.rng.choice(self.places)) if self.rng.randrange(3) else x

    def snapshot(self, *cells: Any) -> weft.Tensor:
        return weft.asarray(self.cells(*cells), device=self.rng.choice(self.places), copy=True)

    def apply(self, *args: Any) -> weft.Tensor:
        made = super().apply(*args)
        return made if args[-3] == "constant" else self.somewhere(made)

    def view(self, *args: Any) -> weft.Tensor:
        return Weft.apply(self, *args)


def written(seed: int, length: int) -> Program:
    """A program without exports: what leaves a device is a copy."""
    program = Author(random.Random(seed).randint, length, bool(seed % 3)).program
    steps = [Step("look", s.on, s.args) if s.do == "export" else s for s in program.steps]
    return Program(program.memories, steps, program.exact)


def check(program: Program, seed: int, names: tuple[str, ...] = ("lazy",)) -> None:
    for name in names:
        with setting(name):
            expected = outcome(Weft(program), program.steps)
            got = outcome(Scattered(program, seed), program.steps)
        lines = differences(expected, got)
        assert not lines, "\n".join(["", name, str(program), *lines])


@pytest.mark.parametrize("seed", range(examples(40)))
def test_where_values_lie_changes_no_bit(seed):
    check(written(seed, 12), seed)


@pytest.mark.parametrize("seed", range(15))
def test_devices_give_the_bits_of_the_reference(seed):
    program = written(3 * seed + 1, 10)  # of functions that have the same bits there
    assert program.exact
    with setting("reference"):
        expected = outcome(Weft(program), program.steps)
        by_reference = outcome(Scattered(program, seed), program.steps)
    got = outcome(Scattered(program, seed), program.steps)
    assert not differences(expected, by_reference) and not differences(expected, got), str(program)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(400))
def test_where_values_lie_changes_no_bit_in_long_programs(seed):
    check(written(1000 + seed, 30), seed, ("lazy", "eager", "shallow", "simplify"))
