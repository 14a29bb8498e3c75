"""Blocks of rows: cells of a row together, lines of rows side by side, steps that read ahead."""

from dataclasses import replace

import numpy as np
import pytest

import weft
from tests.drafts import signature
from weft.passes.pipeline import plan
from weft.passes.planning import block as row_blocks
from weft.passes.planning.block import regrouped
from weft.passes.planning.row_steps import halos
from weft.passes.switches import without
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


@pytest.mark.parametrize("shape", [(8, 128, 1024), (2, 3, 300, 700), (1, 3, 300, 700), (1, 1, 900, 700)])
def test_rows_of_several_axes_run_in_blocks_without_temporaries(shape):
    x = weft.asarray(np.random.default_rng(0).normal(size=shape).astype("f4"))
    made, *_ = plan(signature([node_of(weft.nn.softmax(x))])[1])
    assert [stop - at for at, stop, _ in made.blocks] == [4] and made.arena_bytes == 0
    assert regrouped(replace(made, blocks=()), [(0, 4)]) == made
    inside = weft.nn.softmax(x).numpy()
    with without("block"):
        assert inside.tobytes() == weft.nn.softmax(x).numpy().tobytes()


def blurred(x, axes=(0,)):
    for axis in axes:
        n = x.shape[axis]
        a, b, c = (np.s_[k : n - 2 + k] for k in range(3))
        cut = [np.index_exp[:] * axis + (s,) for s in (a, b, c)]
        x = (x[cut[0]] * 0.25 + 2 * x[cut[1]] + x[cut[2]] * 0.75) / (abs(x[cut[1]]) + 2) * 4
    return x


@pytest.mark.parametrize(
    ("shape", "axes", "ahead"),
    [((1024, 1024), (1, 0), 2), ((700, 901), (0, 0), 2), ((700, 901), (1, 0, 0), 4), ((1000003,), (0, 0, 0), 4),
     ((300, 50, 60), (2, 1, 0), 2)],
)  # fmt: skip
def test_steps_of_stencils_run_in_blocks_that_compute_rows_ahead(shape, axes, ahead):
    x = np.random.default_rng(0).normal(size=shape).astype("f4")
    y = blurred(weft.asarray(x), axes)
    ((count, block),) = blocks(y)
    rows = [s.rows[0].sizes[0] for s in block.steps]
    assert count == len(axes) and rows[0] - rows[-1] == ahead and rows[-1] >= 2 * ahead
    inside = y.numpy()
    assert np.array_equal(inside, blurred(x, axes))
    with without("block"):
        assert np.array_equal(inside, blurred(weft.asarray(x), axes).numpy())


def test_reduction_of_rows_ahead_runs_in_blocks():
    x = weft.asarray(np.random.default_rng(0).normal(size=(3000, 400)).astype("f4"))

    def ahead():
        y = weft.exp(x - weft.max(x, axis=1, keepdims=True))
        return weft.sum(y[:-1] * y[1:], axis=1)

    ((count, block),) = blocks(ahead())
    assert count == 3 and [s.rows[0].sizes[0] for s in block.steps][:2] == [block.steps[2].shape[0] + 1] * 2
    inside = ahead().numpy()
    with without("block"):
        assert np.array_equal(inside, ahead().numpy())


def test_values_that_are_kept_are_not_computed_in_blocks_with_rows_ahead():
    x = weft.asarray(np.random.default_rng(0).normal(size=(1024, 1024)).astype("f4"))
    y = blurred(x, (1,))
    z = blurred(y, (0,))
    assert blocks(z) == []
    assert np.array_equal(z.numpy(), blurred(blurred(x.numpy(), (1,)), (0,)))
    assert np.array_equal(y.numpy(), blurred(x.numpy(), (1,)))


def test_steps_of_stencils_over_rows_too_long_for_blocks_run_one_by_one():
    x = weft.zeros((200, 80_000), dtype=weft.float32).realize()
    assert blocks(blurred(x, (1, 0))) == []


def test_values_that_outlive_blocks_are_not_tried_with_each_step_that_has_fewer_rows(monkeypatch):
    tried, count = [], 20
    monkeypatch.setattr(row_blocks, "halos", lambda *given: tried.append(0) or halos(*given))
    x = weft.asarray(np.random.default_rng(0).normal(size=(1200, 300)).astype("f4"))

    @weft.compile
    def sums(x):
        return [weft.sum(weft.sin(y * (k + 1.5)), axis=1) for y in (x, x[1:-1]) for k in range(count)]

    found = sums(x)
    assert 0 < len(tried) <= 3 * len(found)
    assert np.array_equal(found[0].numpy(), weft.sum(weft.sin(x * 1.5), axis=1).numpy())


def test_steps_whose_second_axes_differ_keep_their_rows():
    """Pictures become float32, and then windows of other sizes: rows over two axes would be of two numbers."""
    cells = np.random.default_rng(0).standard_normal((3, 30, 35, 35)).astype(np.float16)
    windows = weft.sliding_window_view(weft.asarray(cells) * 2, (5, 5), (2, 3), stride=(2, 1))
    columns = weft.reshape(weft.permute_dims(windows, (0, 1, 4, 5, 2, 3)), (3, 750, 496))
    made = weft.matmul(weft.ones((1, 750), dtype=weft.float16), columns)
    seen = np.lib.stride_tricks.sliding_window_view(cells.astype(np.float32) * 2, (5, 5), (2, 3))[:, :, ::2]
    np.testing.assert_allclose(made.numpy()[:, 0], seen.sum((1, 4, 5)).reshape(3, 496), rtol=1e-2, atol=0.5)
