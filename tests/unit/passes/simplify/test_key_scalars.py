"""Numbers are part of a key just where a rule may look at them. Elsewhere one program serves all of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import weft
from tests.drafts import signature
from weft.passes.fuse import below
from weft.passes.simplify import key_scalars as telling
from weft.passes.simplify.key_scalars import MAX_LEVELS, Run, line, runs
from weft.tensors.tensor import Tensor, node_of


def key(x: Tensor) -> tuple:
    return signature([node_of(x)])[0]


def key_scalars(x: Tensor) -> frozenset[int]:
    return signature([node_of(x)])[1].key_scalars


A, B = (weft.asarray(np.arange(12.0).reshape(2, 6) + k) for k in (0, 1))
SHARED = {
    "starts": lambda k: weft.arange(k, k + 6) * 2,
    "comparisons that nobody chooses by": lambda k: weft.arange(6) < k,
    "thresholds of values": lambda k: weft.where(k > A, A, B),
    "triangles": lambda k: weft.tril(A, k=k),
    "bounds": lambda k: weft.maximum(A, float(k)),
}


@pytest.mark.parametrize("name", SHARED)
def test_one_program_serves_all_numbers(name):
    assert key(SHARED[name](1)) == key(SHARED[name](3))
    assert not key_scalars(SHARED[name](1))


def test_masks_of_coordinates_have_key_scalars():
    first, second = (weft.where(weft.arange(6) < k, A, B) for k in (1, 3))
    assert key(first) != key(second) and key_scalars(first)
    np.testing.assert_array_equal(first.numpy(), np.where(np.arange(6) < 1, A.numpy(), B.numpy()))
    np.testing.assert_array_equal(second.numpy(), np.where(np.arange(6) < 3, A.numpy(), B.numpy()))


@pytest.mark.parametrize("k", range(-3, 9))
@pytest.mark.parametrize("op", ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"])
@pytest.mark.parametrize("step", [1, 2, -3])
def test_runs_are_where_the_mask_is_true(op, k, step):
    mask = getattr(weft, op)((weft.arange(7) * step + 1)[::-1], k)
    x = weft.where(mask, weft.asarray(1), weft.asarray(0))
    graph = signature([node_of(x)])[1]
    axis, found = runs(node_of(x).inputs[0], graph.key_scalars)
    assert axis in (0, -1)
    cells = [r.value for r in found for _ in range(r.stop - r.first)] if axis == 0 else [found[0].value] * 7
    with weft.without("simplify"):
        assert cells == mask.tolist()
    assert all(a.value != b.value and a.stop == b.first for a, b in itertools.pairwise(found))


def test_what_wraps_is_no_line():
    x = weft.arange(5, dtype=weft.int64) * (1 << 62)
    assert line(node_of(x), {id(i) for i in node_of(x).inputs}) is None
    small = weft.arange(300).astype(weft.int8)
    assert line(node_of(small), ()) is None
    mask = weft.where(small < 5, weft.asarray(1), weft.asarray(0))
    np.testing.assert_array_equal(mask.numpy(), np.arange(300).astype("i1") < 5)


def test_a_constant_mask_is_one_run():
    x = node_of(weft.full((2, 3), False))
    assert runs(x, ()) == (-1, [Run(0, 1, False)])


def test_key_scalars_are_listed_once_for_many_paths_to_a_coordinate():
    x = weft.arange(64)
    for _ in range(16):
        x = weft.concat([x * 2, x + 1])[::2]
    nodes = below([node_of(weft.where(x < 5, 1, 0))])
    order = {n: k for k, n in enumerate(nodes)}
    assert max([len(scalars) for _, scalars in telling.key_scalars(nodes, order)], default=0) <= len(nodes)


@pytest.mark.parametrize(("steps", "told"), [(MAX_LEVELS - 1, True), (MAX_LEVELS + 1, False)])
def test_numbers_that_no_rule_can_use_are_no_key_scalars(steps, told):
    x = weft.arange(64)
    for k in range(steps):
        x = x + k
    nodes = below([node_of(weft.where(x < 5, 1, 0))])
    assert bool(telling.key_scalars(nodes, {n: k for k, n in enumerate(nodes)})) == told
