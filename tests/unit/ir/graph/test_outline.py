"""Outlines: they repeat the tree, lead to places, and keep no value alive."""

from __future__ import annotations

import gc
from weakref import ref

import numpy as np

import weft
from weft.ir.graph.outline import MAX_LEVELS, is_tree, outline, unreachable
from weft.tensors.tensor import node_of


def test_an_outline_repeats_the_tree_over_places() -> None:
    a, b = weft.array([1, 2]), weft.array([3, 4])
    tree = weft.concat([a, b[::-1]])
    before = outline(node_of(tree))
    assert before.op.name == "concat" and [i.op.name for i in before.inputs] == ["leaf", "slice"]
    assert before.inputs[0].place() is a._place and before.inputs[0].value is None
    tree.realize()
    after = outline(node_of(tree))
    assert (after.op, after.attrs) == (before.op, before.attrs)
    assert after.inputs[1].inputs[0].place() is b._place
    assert outline(node_of(tree[1:])).inputs[0] is after


def test_an_outline_keeps_no_value_alive() -> None:
    a, kept = weft.array(np.zeros(1000)), weft.array(np.zeros(1000))
    tree = weft.concat([a, kept]).realize()
    node, value = ref(node_of(a)), ref(node_of(a).value)
    del a
    gc.collect()
    assert node() is None and value() is None
    first, second = outline(node_of(tree)).inputs
    assert "no tensor names" in unreachable(first) and not unreachable(second)


def test_an_outline_without_reachable_places_keeps_only_that_fact() -> None:
    tree = weft.roll(weft.array([1, 2]), 1, axis=0)
    tree.realize()
    end = outline(node_of(tree))
    assert not is_tree(end) and "no tensor names" in unreachable(end)


def test_chains_have_an_end() -> None:
    x = first = weft.array([1, 2])
    for _ in range(MAX_LEVELS + 50):
        x = weft.roll(x, 1, axis=0).realize()
    assert outline(node_of(x)).depth == 0 and first.tolist() == [1, 2]


def test_the_memory_of_tables_is_not_held() -> None:
    x = weft.array(np.zeros((600, 600)))
    few, many = (
        np.random.default_rng(0).integers(0, 600, (2, 50)),
        np.random.default_rng(1).integers(0, 600, (2, 1 << 19)),
    )
    short, long = x[few[0], few[1]].realize(), x[many[0], many[1]].realize()
    assert outline(node_of(short)).op.name == "gather"
    assert "bytes of index arrays" in unreachable(outline(node_of(long)))


def test_a_write_makes_a_composite_a_source() -> None:
    x = weft.array([1, 2])
    tree = weft.roll(x, 1, axis=0).realize()
    assert is_tree(outline(node_of(tree)))
    tree[0] = 5
    end = outline(node_of(tree))
    assert not is_tree(end) and end.place() is tree._place
