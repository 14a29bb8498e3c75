"""Plans as data: random programs' plans are read back from JSON as they were, and are found legal."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weft
from tests.laws.authors import Author
from tests.laws.programs import Weft
from weft.backends.cpu import CpuTransformer
from weft.ir.graph.description import TensorDescription
from weft.ir.kernels import plan_lines, plan_spec
from weft.ir.kernels.data_reader import Faults
from weft.ir.kernels.plan import CallStep, Plan
from weft.ir.kernels.plan_data import digest, plan_data, read_plan
from weft.passes.planning.block import regrouped
from weft.runtime.compute import engine

Seen = list[tuple[Plan, list[Any]]]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Seen]:
    """The plans made in a test, with the bounds of their inputs."""
    found: Seen = []

    def note(made: Plan, leaves: list[TensorDescription]) -> None:
        found.append((made, [plan_spec.bounds_of(d) for d in leaves]))

    monkeypatch.setattr(plan_spec, "check_plan", note)
    with engine.using(CpuTransformer()):  # which knows no plans of other tests
        yield found


def read_back(made: Plan) -> Plan | None:
    """Return the plan that its JSON means, with its groups of steps."""
    text = json.dumps(plan_data(made))
    faults = Faults()
    found, groups = read_plan(json.loads(text), faults)
    faults.check("plan")
    assert json.dumps(plan_data(regrouped(found, groups) or found)) == text
    return regrouped(found, groups)


def check(seen: Seen) -> None:
    for made, bounds in seen:
        if any(isinstance(s, CallStep) and s.name == "map_blocks" for s in made.steps):
            continue
        found = read_back(made)
        text = plan_lines.show(made)
        again, groups = plan_lines.read(text, faults := Faults())
        faults.check("plan")
        assert regrouped(again, groups) == made and plan_lines.show(again) == plan_lines.show(replace(made, blocks=()))
        assert found == made and plan_spec.fault(made, bounds, True) == ""
        assert digest(plan_data(made)) == digest(plan_data(found))


@pytest.mark.parametrize("seed", range(24))
def test_plans_of_random_programs(seed: int, seen: Seen) -> None:
    rng = random.Random(seed)
    program = Author(rng.randint, 10, bool(seed % 3), long=(0, 2100)[seed % 2]).program
    machine = Weft(program)
    for step in program.steps:
        machine.run(step)
    machine.results()
    assert seen
    check(seen)


X = np.linspace(-2.0, 2.0, 4096).reshape(64, 64)
EVERY: dict[str, Any] = {
    "map": lambda x: weft.concat([x, x * 2, x[::-1]]) + 1,
    "reduce": lambda x: [x.sum(axis=0), x.var(), weft.argmax(x, axis=1), (x > 0).all(), weft.count_nonzero(x)],
    "scan": lambda x: [weft.cumulative_sum(x, axis=0), weft.cumulative_prod(x.reshape(-1), include_initial=True)],
    "bins": lambda x: [weft.bincount((x * x).astype("int64").reshape(-1), minlength=9)],
    "calls": lambda x: [weft.sort(x, axis=1), weft.linalg.svd(x)[1], weft.fft.fft(x).real, x @ x.T, weft.linalg.qr(x)],
    "gather": lambda x: weft.take(x, weft.asarray([3, 1, 1]), axis=1) * 2,
    "blocks": lambda x: softmax(weft.broadcast_to(x.reshape(1, 64, 64), (300, 64, 64)).reshape(19200, 64) * 1.5),
    "random": lambda x: [weft.random.normal((50,), seed=3), weft.random.permutation(5000, seed=4)],
    "constants": lambda x: [weft.pad(x, 2, constant_values=float("-inf")), weft.where(x > 0, x, weft.nan), x**2j],
    "dtypes": lambda x: [x.astype(d).astype("complex64") for d in ("float16", "int8", "float8_e4m3fn", "bool")],
    "nothing": lambda x: [x[:0].sum(axis=0), x[:0] + 1, x[:0].sum()],
}  # fmt: skip


def softmax(x: Any) -> Any:
    e = weft.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("kind", EVERY)
def test_plans_of_every_kind(kind: str, seen: Seen) -> None:
    made = EVERY[kind](weft.asarray(X))
    for part in made if isinstance(made, list) else [made]:
        for t in part if isinstance(part, tuple) else [part]:
            t.realize()
    assert seen and (kind != "blocks" or any(p.blocks for p, _ in seen))
    check(seen)
