"""A key says all that a plan depends on: graphs of one key have one plan, whatever else differs.

The one idea: wherever a program is looked for, its plan is made anew as well, and held against the one that the key
had first; what a key leaves out would show as another plan, and not only where it happens to change a value.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import weft
from tests.laws.authors import Author
from tests.laws.programs import Weft
from tests.laws.test_programs import differences, outcome, setting
from weft.backends import cpu
from weft.ir.node import Node
from weft.ir.selection import MAX_CELLS
from weft.passes.config import PASSES
from weft.passes.pipeline import Graph, plan, plan_store
from weft.runtime import engine
from weft.runtime.signature import signature


class Plans:
    """The plan that each key had first, as text, in which 0.0, -0.0, False and 0 differ; `again`: keys met again."""

    def __init__(self) -> None:
        self.known: dict[Any, str] = {}
        self.again = 0

    def hold(self, key: Any, made: object) -> None:
        text = repr(made)
        self.again += key in self.known
        assert self.known.setdefault(key, text) == text, key

    def hold_read(self, kind: str, n: Node, read: tuple[Any, ...] | None, made: Callable[[Graph], object]) -> None:
        """Of what was read without a walk; its arguments and numbers are those of a walk, in the same order."""
        if read is None:
            return
        *_, arguments, numbers = read
        graph = signature((n,), MAX_CELLS)[1]
        walked = cpu._arguments(graph.leaves)
        assert list(map(id, arguments[::2])) == list(map(id, walked[::2])) and arguments[1::2] == walked[1::2]
        assert list(map(id, numbers)) == [id(s.attrs[0]) for s in graph.scalars]
        self.hold((kind, read[0]), made(graph))


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> Plans:
    """Notes every plan that the transformer of native code would look for."""
    found, of = Plans(), cpu.CpuTransformer
    quick, store_alone, ready = of.quick, of._store_alone, of.ready

    def reading(self: Any, n: Node) -> Any:
        with engine.GRAPH:
            found.hold_read("read", n, cpu._few(n), lambda graph: plan(graph)[0])
        return quick(self, n)

    def storing(self: Any, n: Node, target: Node) -> bool:
        with engine.GRAPH:
            found.hold_read(f"store {id(target.desc)}", n, cpu._shallow(n), lambda graph: plan_store(n, target, graph))
        return store_alone(self, n, target)

    def walking(self: Any, nodes: Sequence[Node]) -> Any:
        with engine.GRAPH:
            key, graph = signature(nodes if len(nodes) > 1 else [cpu.anchored(nodes[0])])
            found.hold(key, self._planned(graph, len(nodes)))
        return ready(self, nodes)

    for name, watched in (("quick", reading), ("_store_alone", storing), ("ready", walking)):
        monkeypatch.setattr(of, name, watched)
    return found


def check(plans: Plans, seed: int) -> None:
    rng = random.Random(seed)
    program = Author(rng.randint, rng.randint(4, 30), True).program
    with weft.transformer("reference"):
        expected = outcome(Weft(program), program.steps)
    for name in ("lazy", rng.choice(PASSES), "lazy", "eager"):
        with setting(name):
            assert differences(expected, outcome(Weft(program), program.steps)) == [], program


def test_graphs_of_one_key_have_one_plan(plans: Plans) -> None:
    for seed in range(8):
        check(plans, seed)
    assert plans.again > 100


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_many_graphs_of_one_key_have_one_plan(plans: Plans, seed: int) -> None:
    for k in range(60):
        check(plans, 1000 * (seed + 1) + k)
