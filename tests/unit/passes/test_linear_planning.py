"""Planning takes time in proportion to the graph, also where many nodes have live handles.

The one idea: the calls of Python functions that planning makes are counted, a node of a large graph against one of a
small graph; a count does not depend on the machine.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from weakref import ref

import numpy as np
import pytest

import weft
from tests.drafts import signature
from weft.passes import switches
from weft.passes.fuse import below
from weft.passes.pipeline import plan
from weft.tensors.tensor import Tensor, node_of

BASE = weft.asarray(np.ones(8))
CHAIN = 60  # operations of one chain: deeper graphs are computed by themselves
Made = tuple[list[Tensor], list[Tensor]]  # roots, tensors that are held meanwhile


def chains(n: int, step: Callable[[Tensor, int], Tensor], hold: int = 0) -> Made:
    tops, held = [], []
    for _ in range(max(1, n // CHAIN)):
        x = BASE
        for i in range(CHAIN):
            x = step(x, i)
            if hold and i % hold == 0:
                held.append(x)
        tops.append(x)
    return tops, held


def held(join: Callable[[list[Tensor]], Tensor], part: Callable[[int], Tensor]) -> Callable[[int], Made]:
    def make(n: int) -> Made:
        parts = [part(i) for i in range(n)]
        return [join(parts)], parts

    return make


def free(join: Callable[[list[Tensor]], Tensor], part: Callable[[int], Tensor]) -> Callable[[int], Made]:
    return lambda n: (held(join, part)(n)[0], [])


def joined_twice(n: int) -> Made:
    side = int(n**0.5)
    parts = [weft.concat([BASE * float(i) for i in range(side)]) for _ in range(side)]
    return [weft.concat(parts)], parts


def views_of_one(n: int) -> Made:
    x = weft.arange(8.0) * 2
    return [x[i % 7 :] for i in range(n)], [x]


def parts_of_a_join(n: int) -> Made:
    c = weft.concat([BASE + float(i) for i in range(n)])
    return [c[8 * i + 1 : 8 * i + 8] for i in range(n)], [c]


def sum_of_many(n: int) -> Made:
    xs = [BASE * float(i) for i in range(n)]
    while len(xs) > 1:
        xs = [sum(xs[i + 1 : i + 2], xs[i]) for i in range(0, len(xs), 2)]
    return xs, []


def scaled(i: int) -> Tensor:
    return BASE * float(i)


def summed(i: int) -> Tensor:
    return (BASE * float(i)).sum()


MASK = weft.asarray(np.arange(8) > 3)
GRAPHS: dict[str, Callable[[int], Made]] = {
    "chains": lambda n: chains(n, lambda x, i: x * 0.5),
    "chains with every third node held": lambda n: chains(n, lambda x, i: x * 0.5, 3),
    "chains of exp, held": lambda n: chains(n, lambda x, i: weft.exp(x) if i % 3 else x * 0.5, 3),
    "choices": lambda n: chains(n, lambda x, i: weft.where(MASK, x, BASE * float(i))),
    "views of one": views_of_one,
    "views of views": lambda n: chains(n, lambda x, i: (x if i else weft.arange(99.0) * 2)[1:]),
    "concat": free(weft.concat, scaled),
    "concat of held": held(weft.concat, scaled),
    "concat of concats": joined_twice,
    "concat of pads": free(weft.concat, lambda i: weft.pad(BASE * float(i), 1)),
    "stack": free(weft.stack, scaled),
    "interleave": free(weft.interleave, scaled),
    "sums": free(weft.stack, summed),
    "held sums": held(weft.stack, summed),
    "scans": held(weft.concat, lambda i: weft.cumulative_sum(BASE * float(i))),
    "sums of interleaves": free(weft.stack, lambda i: weft.interleave([BASE * float(i), BASE]).sum()),
    "parts of a concat": parts_of_a_join,
    "sum of many": sum_of_many,
    "one read by many": lambda n: ([(y := weft.exp(BASE)) * float(i) for i in range(n)], [y]),
}


def calls(make: Callable[[int], Made], n: int) -> float:
    """Calls for each node, of Python functions and of those written in C."""
    made = make(n)
    nodes = [x for x in map(node_of, made[0]) if x.value is None]
    count = 0

    def note(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        plan(signature(nodes)[1])
    finally:
        sys.setprofile(before)
    return count / len(below(nodes))


@pytest.mark.parametrize("kind", GRAPHS)
def test_a_node_of_a_large_graph_takes_no_more_calls(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(switches.Checking, "on", False)
    small, large = (calls(GRAPHS[kind], n) for n in (120, 480))
    assert large < 1.5 * small, f"{small:.0f} calls for each node of a small graph, {large:.0f} of a large one"


@pytest.mark.slow
@pytest.mark.parametrize("kind", GRAPHS)
def test_a_node_of_a_huge_graph_takes_no_more_calls(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(switches.Checking, "on", False)
    small, large = (calls(GRAPHS[kind], n) for n in (1000, 100_000))
    assert large < 1.5 * small, f"{small:.0f} calls for each node of a small graph, {large:.0f} of a large one"


def test_a_plan_that_stores_a_reshape_first_lets_go_of_its_operands_at_once():
    x = weft.array(np.arange(20 * 25 * 25.0).reshape(20, 25, 25))
    part = weft.reshape(x[:18], (3, 6, 25, 25))[1:3, :4, :24]  # runs that are no boxes of x
    y = weft.concat([weft.ones((2, 2400)), weft.reshape(part, (2, 2400))])
    gc.collect()
    gc.disable()
    try:
        assert y.numpy()[2].tolist() == x.numpy()[6:10, :24].ravel().tolist()
        operand = ref(node_of(x))
        del x, y, part
        assert operand() is None
    finally:
        gc.enable()
