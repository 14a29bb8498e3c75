"""Chains along rows: blocks where a row's cells lie together, or where several lines of rows side by side do."""

import numpy as np
import pytest

import weft
from weft.passes.pipeline import plan
from weft.passes.switches import without
from weft.runtime.compute.signature import signature
from weft.tensors.tensor import node_of


def blocks(x):
    graph = signature([node_of(x)])[1]
    return [(stop - at, block) for at, stop, block in plan(graph)[0].blocks]


def chain(x, axis):
    return weft.sum(weft.abs(x - weft.mean(x, axis=axis, keepdims=True)), axis=axis)


@pytest.mark.parametrize(
    ("shape", "axis", "steps"),
    [((1000, 1000), 1, 2), ((1000, 1000), 0, 0), ((2000, 5000), 0, 2), ((7000, 1500), 0, 0), ((100, 100), 1, 0)],
)
def test_which_chains_run_in_blocks(shape, axis, steps):
    x = weft.zeros(shape, dtype=weft.float32).realize()
    assert [n for n, _ in blocks(chain(x, axis))] == ([steps] if steps else [])


def test_blocks_of_rows_side_by_side_are_whole_cache_lines():
    x = weft.zeros((2000, 5000), dtype=weft.float32).realize()
    ((_, block),) = blocks(chain(x, 0))
    size = block.steps[0].shape[0]
    assert size % 16 == 0 and size >= 32
    assert block.tail[0].shape[0] == 5000 % size


@pytest.mark.parametrize(("shape", "axis"), [((1000, 700), 1), ((2000, 4300), 0)])
def test_blocks_change_no_bit(shape, axis):
    x = weft.asarray(np.random.default_rng(0).normal(size=shape).astype("f4"))
    inside = chain(x, axis).numpy()
    with without("block"):
        assert np.array_equal(inside, chain(x, axis).numpy())
