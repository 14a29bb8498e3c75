"""Random programs give the same bits lazily, eagerly, with any pass off, on any threads and by the reference.

The one idea: settings change cost, never values; what aliasing means is what it means for NumPy's arrays.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import weft
from tests.laws.authors import Author
from tests.laws.programs import Machine, Model, Program, Step, Weft
from tests.oracle.compare import same_bits
from tests.shares import examples
from weft.ir.graph.node import Node
from weft.passes.draft import Draft
from weft.passes.fuse import is_stored
from weft.passes.switches import PASSES, without
from weft.passes.views import with_inputs
from weft.tensors import pending_limits


@contextmanager
def threads(n: int) -> Iterator[None]:
    before = weft.get_num_threads()
    weft.set_num_threads(n)
    try:
        yield
    finally:
        weft.set_num_threads(before)


@contextmanager
def shallow() -> Iterator[None]:
    """Pending graphs are computed by themselves at depth 2."""
    before = pending_limits.Limits.most
    pending_limits.set_most(2)
    try:
        yield
    finally:
        pending_limits.set_most(before)


def rebuild(draft: Draft) -> dict[Node, Node]:
    """Put a copy in the place of every pending node."""
    return {n: with_inputs(n, n.inputs) for n in draft.nodes if n.inputs and not is_stored(n)}


def setting(name: str) -> AbstractContextManager[Any]:
    if name in PASSES:
        return without(name)
    if name.startswith("rebuild"):
        return weft.pipeline.added(rebuild, after=name.partition(" after ")[2])
    if name in ("eager", "lazy", "shallow"):
        return {"eager": weft.eager, "lazy": nullcontext, "shallow": shallow}[name]()
    return threads(int(name[0])) if name.endswith("threads") else weft.transformer(name)


def outcome(machine: Machine, steps: list[Step]) -> list[Any]:
    for step in steps:
        machine.run(step)
    return machine.results()


def differences(a: list[Any], b: list[Any]) -> list[str]:
    """The results that are not the same."""
    if len(a) != len(b):
        return [f"{len(a)} and {len(b)} results"]
    return [f"result {i}:\n{x!r}\n{y!r}" for i, (x, y) in enumerate(zip(a, b, strict=True)) if not same(x, y)]


def same(a: Any, b: Any) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return type(a) is type(b) and a == b
    a, b = (x.astype(x.dtype.newbyteorder("=")) for x in (a, b))
    return a.dtype == b.dtype and a.shape == b.shape and same_bits(a, b)


def wrong(program: Program, names: tuple[str, ...]) -> dict[str, list[str]]:
    """Settings under which the program gives something else than lazily, and what; "model" compares with NumPy."""
    expected = outcome(Weft(program), program.steps)
    found = {}
    for name in names:
        with setting("lazy" if name == "model" else name):
            got = outcome((Model if name == "model" else Weft)(program), program.steps)
        if lines := differences(expected, got):
            found[name] = lines
    return found


def shortened(program: Program, names: tuple[str, ...]) -> Program:
    """The program without the steps that its fault does not need."""
    steps, at = list(program.steps), len(program.steps) - 1
    while at >= 0:
        gone, kept = {steps[at].out} - {-1}, steps[:at]
        for step in steps[at + 1 :]:
            if gone & set(step.on) or (step.do == "drop" and step.args[0] in gone):
                gone |= {step.out} - {-1}
            else:
                kept.append(step)
        shorter = Program(program.memories, kept, program.exact)
        if _fails(shorter, names):
            steps = kept
        at = min(at, len(steps)) - 1
    return Program(program.memories, steps, program.exact)


def _fails(program: Program, names: tuple[str, ...]) -> bool:
    try:
        return bool(wrong(program, names))
    except Exception:
        return True


def check(program: Program, names: tuple[str, ...]) -> None:
    if not program.exact:
        names = tuple(n for n in names if n not in ("model", "reference"))
    if not _fails(program, names):
        return
    short = shortened(program, names)
    lines = [f"{name}: {line}" for name, found in wrong(short, names).items() for line in found]
    raise AssertionError("\n".join(["", str(short), *lines]))


QUICK = ("eager", "reference", "model", "shallow")
ALL = (*QUICK, *PASSES, "rebuild after prune", "rebuild after simplify", "1 threads", "2 threads")


@settings(max_examples=examples(120), deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(st.data())
def test_programs_mean_the_same_lazily_eagerly_and_by_the_reference(data: st.DataObject) -> None:
    pick = lambda low, high: data.draw(st.integers(low, high))  # noqa: E731
    check(Author(pick, data.draw(st.integers(3, 14)), True).program, QUICK)


@pytest.mark.parametrize("seed", [*range(12), *[pytest.param(n, marks=pytest.mark.slow) for n in range(12, 48)]])
def test_passes_and_threads_change_nothing(seed: int) -> None:
    rng = random.Random(seed)
    check(Author(rng.randint, 14, bool(seed % 3)).program, ALL)


@pytest.mark.parametrize("seed", range(8))
def test_long_tensors(seed: int) -> None:
    """Several blocks of a sum, several units of work."""
    rng = random.Random(seed)
    check(Author(rng.randint, 8, seed % 2 == 0, long=2100).program, ALL)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_many_programs(seed: int) -> None:
    rng = random.Random(1000 + seed)
    for _ in range(20):
        check(Author(rng.randint, rng.randint(4, 24), rng.random() < 0.7).program, ALL)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_many_long_tensors(seed: int) -> None:
    rng = random.Random(5000 + seed)
    check(Author(rng.randint, 10, bool(seed % 2), long=rng.choice([1030, 9000, 200_000])).program, ALL)
