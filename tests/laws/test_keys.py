"""A key says all that a plan depends on: graphs of one key have one plan, whatever else differs.

The one idea: wherever a program is looked for, its plan is made anew as well, and held against the one that the key
had first; what a key leaves out would show as another plan, and not only where it happens to change a value.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import weft
from tests.laws.authors import Author
from tests.laws.programs import Weft
from tests.laws.test_programs import differences, outcome, setting
from tests.shares import examples
from weft import dtypes as dt
from weft.ir.graph.node import Node
from weft.passes.switches import PASSES, without
from weft.runtime.compute import engine, stages
from weft.runtime.compute.signature import Work, read, read_few
from weft.tensors.tensor import node_of


class Plans:
    """The plan that each key had first, as text, in which 0.0, -0.0, False and 0 differ; `again`: keys met again."""

    def __init__(self) -> None:
        self.known: dict[Any, str] = {}
        self.again = 0

    def hold(self, key: Any, made: object) -> None:
        text = repr(made)
        self.again += key in self.known
        assert self.known.setdefault(key, text) == text, key

    def hold_work(self, work: Work) -> None:
        """Record the work that was read, unless values below it are computed first: it is read again then."""
        if work.targets and stages._kept(work):
            assert work.program is None
            return
        made = None if work.program is None else work.program.plan
        with engine.GRAPH:
            again = stages._planned(work, False)
        self.hold(work.key, None if again is None else again.plan)
        assert repr(made) == self.known[work.key], work.key

    def hold_value(self, n: Node) -> None:
        self.hold_work(stages.planned_work([n]))

    def hold_store(self, n: Node, target: Node) -> None:
        work = Work((n,), (target,))
        stages._find(work, engine.transformer("cpu"), True)
        self.hold_work(work)


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> Iterator[Plans]:
    """Notes every plan that the transformer of native code would look for."""
    found, program, find = Plans(), stages._program, stages._find

    def finding(work: Work, transformer: engine.Transformer, always: bool) -> None:
        with engine.GRAPH:
            find(work, transformer, always)
            if not transformer.interprets:
                found.hold_work(work)

    def reading(work: Work) -> Any:
        verdict = program(work)
        if not hasattr(work, "key"):  # written without a walk
            again = Work(work.nodes)
            with engine.GRAPH:
                find(again, engine.current(), True)
                assert again.program is work.program and list(map(id, again.arguments)) == list(map(id, work.arguments))
        return verdict

    monkeypatch.setattr(stages, "_find", finding)
    stages.use("program", reading)
    yield found
    stages.use("program", program)


def check(plans: Plans, seed: int) -> None:
    rng = random.Random(seed)
    program = Author(rng.randint, rng.randint(4, 30), True).program
    with weft.transformer("reference"):
        expected = outcome(Weft(program), program.steps)
    for name in ("lazy", rng.choice(PASSES), "lazy", "eager"):
        with setting(name):
            assert differences(expected, outcome(Weft(program), program.steps)) == [], program


LEAVES = [np.arange(9.0).reshape(3, 3), np.ones((3, 3)), np.arange(9, dtype=">f8").reshape(3, 3), np.eye(3, dtype="f4")]
NUMBERS = (2, 2.0, 0.0, -0.0, True, float("inf"), -float("inf"), 3)
STEPS: list[Callable[[random.Random, Any, Any], Any]] = [
    lambda r, x, y: x + y,
    lambda r, x, y: x * x,
    lambda r, x, y: weft.maximum(x, y),
    lambda r, x, y: weft.maximum(x, r.choice(NUMBERS)),
    lambda r, x, y: x - r.choice(NUMBERS),
    lambda r, x, y: r.choice(NUMBERS[:3]) * x + r.choice(NUMBERS[:3]),
    lambda r, x, y: weft.flip(x, axis=r.choice([0, 1])),
    lambda r, x, y: weft.roll(x, r.choice([1, 2]), axis=r.choice([0, 1])),
    lambda r, x, y: weft.concat([x, y], axis=r.choice([0, 1]))[:3, :3],
    lambda r, x, y: weft.permute_dims(x, r.choice([(0, 1), (1, 0)])),
    lambda r, x, y: weft.sum(x, axis=r.choice([0, 1]), keepdims=True) + y,
    lambda r, x, y: weft.var(x, axis=0, correction=r.choice([0, 1])) + y,
    lambda r, x, y: weft.cumulative_sum(x, axis=r.choice([0, 1])),
    lambda r, x, y: weft.astype(x, r.choice(["f4", "i4", "f8"])),
    lambda r, x, y: weft.where(x < y, x, y),
    lambda r, x, y: x + weft.arange(3) * r.choice([1, 2]),
    lambda r, x, y: weft.where(weft.arange(3) < r.choice([1, 2, 3]), x, y),
    lambda r, x, y: weft.full((3, 3), r.choice(NUMBERS[1:4])) * weft.full((3, 3), r.choice(NUMBERS[1:4])) + x,
    lambda r, x, y: weft.clip(x, r.choice([0, 1]), r.choice([2, float("inf")])),
    lambda r, x, y: x[:: r.choice([1, -1]), :: r.choice([1, -1])],
]


def tree(r: random.Random, leaves: list[Any], levels: int, held: list[Any] | None = None) -> Any:
    """A small expression whose operands are often one and the same; `held` receives some of the values below it."""
    if not levels or r.random() < 0.1:
        x = r.choice(leaves)
        return x[::-1] if r.random() < 0.2 else x
    x = tree(r, leaves, levels - 1, held)
    if held is not None and r.random() < 0.3:
        held.append(x)
    return r.choice(STEPS)(r, x, x if r.random() < 0.3 else tree(r, leaves, levels - r.choice([1, levels]), held))


def test_small_graphs_of_one_key_have_one_plan() -> None:
    r, plans = random.Random(1), Plans()
    leaves = [weft.asarray(a) for a in LEAVES]
    targets = {d: [x := weft.asarray(np.zeros((3, 3), d.np)), x[:, ::-1]] for d in dt.COMMON}
    many = examples(1200)
    for _ in range(many):
        n = node_of(tree(r, leaves, r.choice([1, 1, 2, 2, 3])))
        with without(*r.sample(PASSES, 1)) if r.random() < 0.1 else nullcontext():
            plans.hold_value(n)
            plans.hold_store(n, node_of(r.choice(targets[n.dtype])))
    assert plans.again > many // 4


def test_few_nodes_are_read_as_all_are() -> None:
    r, leaves, few, stored = random.Random(2), [weft.asarray(a) for a in LEAVES], 0, 0
    for _ in range(900):
        held: list[Any] = []
        n = node_of(tree(r, leaves, r.choice([1, 1, 2, 2, 3]), held))
        if n.value is not None or n.alias is not None or (found := read_few((n,))) is None:
            continue
        work, (key, arguments, numbers, nodes) = read(Work((n,)), (n,)), found
        assert not nodes or list(nodes) == list(work.order)
        assert key == tuple(work.key)
        assert [id(x) for x in arguments[::2]] == [id(x) for x in work.arguments[::2]]
        assert list(arguments[1::2]) == work.arguments[1::2]
        assert repr(list(numbers)) == repr(list(work.numbers))
        few, stored = few + 1, stored + bool(work.live)
    assert few > 100 and stored > 30


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_many_graphs_of_one_key_have_one_plan(plans: Plans, seed: int) -> None:
    for k in range(60):
        check(plans, 1000 * (seed + 1) + k)
    assert plans.again > 100
