"""Ten cells of a large tree look at what they come from, and at nothing else. They are the same cells."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import weft
from tests.laws.test_selection_laws import Forest
from weft.backends.reference import transformer
from weft.ir.atoms import selections as se
from weft.ir.graph.node import elementwise, walk
from weft.ir.graph.ops import OPS
from weft.passes.narrowing import prune
from weft.passes.narrowing.prune import pruned
from weft.passes.switches import without
from weft.runtime.compute import signature
from weft.tensors.tensor import node_of


def parts(count, size=10):
    return [weft.asarray(np.arange(size) + size * k) for k in range(count)]


def nodes_of(x):
    return list(walk(pruned([node_of(x)])))


CASES = {
    "concat": (lambda: weft.concat(parts(500))[4321:4325], [4321, 4322, 4323, 4324]),
    "across a border": (lambda: weft.concat(parts(500))[4319:4321], [4319, 4320]),
    "backwards, with a step": (lambda: weft.flip(weft.concat(parts(500)))[3:20:8], [4996, 4988, 4980]),
    "through arithmetic": (lambda: (weft.concat(parts(500)) * 2 + 1)[4321:4323], [8643, 8645]),
    "of parts computed": (lambda: weft.concat([p + 1 for p in parts(500)])[4321:4323], [4322, 4323]),
    "two readers": (lambda: (lambda y: y[4321:4323] - y[11:13])(weft.concat(parts(500))), [4310, 4310]),
    "windows": (lambda: weft.sliding_window_view(weft.concat(parts(500)), 3, axis=0)[77], [77, 78, 79]),
    "trees": (lambda: weft.concat([weft.concat(parts(50)) for _ in range(50)])[999:1002], [499, 0, 1]),
    "under a margin": (lambda: weft.pad(weft.concat(parts(500)), 7)[5:9], [0, 0, 0, 1]),
    "of many turns": (lambda: weft.interleave(parts(500))[10:13], [100, 110, 120]),
    "a sum of few": (lambda: weft.sum(weft.concat(parts(500))[4321:4323]), 8643),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_few_cells_of_many_parts(name):
    make, expected = CASES[name]
    x = make()
    assert len(nodes_of(x)) < 40 or name == "of many turns"
    assert x.tolist() == expected
    with without("prune"):
        assert make().tolist() == expected


def test_parts_of_another_rank_and_dtype():
    rows = weft.concat([weft.asarray(np.full((2, 3), bool(k % 2))) for k in range(300)])
    assert len(nodes_of(rows[5:7])) < 12
    assert rows[5:7].tolist() == [[False] * 3, [True] * 3]


def test_what_is_needed_whole_is_left_as_it_is():
    y = weft.concat(parts(500))
    assert pruned([node_of(y)]) == [node_of(y)]
    assert weft.sum(y).item() == sum(range(5000))


def test_many_boxes_of_one_node_are_all_of_it():
    y = weft.concat(parts(500))
    total = weft.concat([y[k * 13 : k * 13 + 2] for k in range(100)])
    assert total.tolist() == [k * 13 + d for k in range(100) for d in (0, 1)]


def test_empty_roots_and_parts():
    y = weft.concat([*parts(300, 0), *parts(300)])
    assert y[5:5].tolist() == [] and y[2999:].tolist() == [2999]


def test_handles_keep_their_values():
    shared = parts(100)[50] * 2
    y = weft.concat([*parts(100), shared, *parts(100)])
    assert (y[1000:1002] + weft.sum(shared)).tolist() == [1000 + 10090, 1002 + 10090]
    assert shared.tolist() == [2 * k for k in range(500, 510)]


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(st.data())
def test_random_trees(data):
    few = prune.FEW
    prune.FEW = 1
    try:
        pick = lambda low, high: data.draw(st.integers(low, high))  # noqa: E731
        forest = Forest(pick, False)
        node, array = forest.tree(pick(2, 7))
        node, array = elementwise(OPS["add"], node, node), array + array
        slices = []
        for n in array.shape:
            start = pick(0, max(n - 1, 0))
            slices.append((start, 1, pick(0, n - start)))
        part = se.slice_(node, slices)
        (made,) = pruned([part])
        assert made.desc == part.desc
        known = {}
        for n in walk([made]):
            leaf = forest.values.get(n)
            known[n] = leaf if leaf is not None else transformer.evaluate(n, [known[i] for i in n.inputs])
        found = known[made]
        assert np.array_equal(found, array[tuple(slice(a, a + n) for a, _, n in slices)])
    finally:
        prune.FEW = few


@pytest.mark.usefixtures("_small_values_wait")
def test_only_graphs_with_wide_joins_or_many_nodes_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    pruned_roots = signature.pruned_roots
    monkeypatch.setattr(signature, "pruned_roots", lambda roots: looked.append(1) or pruned_roots(roots))

    def chain(y: weft.Tensor) -> weft.Tensor:
        for _ in range(100):
            y = y * 0.5 + 1
        return y

    x = weft.asarray(np.arange(6.0))
    once = chain(x).tolist()
    assert chain(weft.concat([x, x])).tolist() == once * 2 and not looked
    assert chain(weft.concat([weft.asarray(np.arange(6.0)) for _ in range(9)])).tolist() == once * 9
    assert len(looked) == 1
    y = chain(weft.concat([x, x]))
    signature.read(signature.Work([node_of(y)]), [node_of(y)], (100, 64))
    assert len(looked) == 2
