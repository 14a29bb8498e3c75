"""Random programs whose second half is a compiled function give the bits that they give without.

The one idea: handles of the first half are the arguments; what the second half makes is returned, and what it writes is
seen in the arguments.  The function is called for other values of the same kind, too.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

import weft
from tests.laws.authors import Author
from tests.laws.programs import Program, Step, Weft
from tests.laws.test_programs import differences, outcome
from tests.shares import examples
from weft.errors import TracingError, WeftError
from weft.programs import traced_call

INSIDE = {"apply", "view", "read", "write", "fill", "in_place", "destination", "drop"}


class Inside(Weft):
    """The second half of a program, on given handles."""

    def __init__(self, handles: dict[int, Any]) -> None:
        self.handles, self.seen = dict(handles), []

    def run(self, step: Step) -> None:
        try:
            made = getattr(self, step.do)(*[self.handles[h] for h in step.on], *step.args)
        except TracingError:
            raise
        except WeftError as error:
            self.seen.append(type(error).__name__)
            return
        if step.out >= 0:
            self.handles[step.out] = made


def halves(program: Program) -> tuple[list[Step], list[Step]]:
    """The steps up to the last that cannot be inside a function, and those after it."""
    last = max(k for k, s in enumerate(program.steps) if s.do not in INSIDE)
    return program.steps[: last + 1], program.steps[last + 1 :]


def other(program: Program, seed: int) -> Program:
    """The same program over memories of other values."""
    memories = [type(m)(m.dtype, m.n, m.big, m.shift, m.seed + seed) for m in program.memories]
    return Program(memories, program.steps, program.exact)


def check(seed: int, **options: int) -> str:
    rng = random.Random(seed)
    program = Author(rng.randint, rng.randint(6, 24), rng.random() < 0.7, **options).program
    first, second = halves(program)
    seen: list[str] = []

    @weft.compile
    def function(handles: dict[int, Any]) -> dict[int, Any]:
        inside = Inside(handles)
        for step in second:
            inside.run(step)
        seen[:] = inside.seen
        return {h: t for h, t in inside.handles.items() if h not in handles}

    for k in range(3):
        varied = other(program, 7 * (k % 2))
        machine = Weft(varied)
        try:
            for step in first:
                machine.run(step)
        except KeyError:  # with these values, a step gives an error and no tensor
            return "other"
        try:
            made = function(machine.handles)
        except TracingError:
            return "refused"
        machine.handles = {h: t for h, t in machine.handles.items() if not _dropped(h, second)} | made
        machine.seen += seen
        found = differences(outcome(Weft(varied), varied.steps), machine.results())
        assert found == [], (k, str(varied), found)
    return "compiled"


def _dropped(h: int, steps: list[Step]) -> bool:
    return any(s.do == "drop" and s.args[0] == h for s in steps)


def test_some_programs() -> None:
    many = examples(40, 16)
    found = Counter(check(seed) for seed in range(many))
    assert found["compiled"] > many * 3 // 4, found


def test_writes_over_the_version_of_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traced_call, "SMALL", 0)
    for seed in range(40, 40 + examples(40, 16)):
        check(seed)


def test_long_tensors() -> None:
    check(100, long=2100)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_many_programs(seed: int) -> None:
    for k in range(60):
        check(1000 * (seed + 1) + k)
