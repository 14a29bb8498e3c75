"""Rows of roots: repetitions are loops, pieces without limit are asked for in parts, equal bodies are one object."""

import numpy as np
import pytest

import weft
from tests.drafts import signature
from weft.ir.pieces import request
from weft.passes import draft
from weft.passes.pipeline import plan
from weft.passes.planning import split
from weft.runtime.compute import stages
from weft.tensors.tensor import node_of


def rows(x):
    made, *_ = plan(signature([node_of(x)])[1])
    return [row for step in made.steps for row in step.rows]


REPETITIONS = {
    "tile": (lambda x: weft.tile(x, (2, 3)), lambda a: np.tile(a, (2, 3))),
    "tile one axis": (lambda x: weft.tile(x, (3, 1)), lambda a: np.tile(a, (3, 1))),
    "tile no time": (lambda x: weft.tile(x, (0, 2)), lambda a: np.tile(a, (0, 2))),
    "repeat": (lambda x: weft.repeat(x, 4, axis=1), lambda a: np.repeat(a, 4, 1)),
    "repeat rows": (lambda x: weft.repeat(x, 2, axis=0), lambda a: np.repeat(a, 2, 0)),
    "flattened": (
        lambda x: weft.reshape(weft.tile(x, (1, 5)), (-1,), copy=True),
        lambda a: np.tile(a, (1, 5)).reshape(-1),
    ),
}


@pytest.mark.parametrize("how", REPETITIONS)
def test_repetitions_of_a_root_are_loops(how):
    a = np.arange(12.0).reshape(3, 4)[:, ::-1]
    ours, numpys = REPETITIONS[how]
    for x in (weft.asarray(a), weft.asarray(a) * 1):
        assert len(rows(ours(x))) <= 1
        np.testing.assert_array_equal(ours(x).numpy(), numpys(a))


def test_repetitions_are_written_at_any_strides():
    out = np.zeros((6, 12))[::-1, ::2]
    x = weft.asarray(out)
    x[...] = weft.tile(weft.asarray(np.arange(6.0).reshape(2, 3)), (3, 2))
    np.testing.assert_array_equal(out, np.tile(np.arange(6.0).reshape(2, 3), (3, 2)))


def test_a_root_may_have_any_number_of_pieces(monkeypatch):
    monkeypatch.setattr(split, "MAX_PIECES", 20)
    monkeypatch.setattr(request, "MAX_PIECES", 20)
    parts = [weft.asarray(np.arange(3.0) + i) for i in range(90)]
    expected = np.concatenate([np.arange(3.0) + i for i in range(90)])
    joined = weft.concat(parts)
    assert 90 <= len(rows(joined)) < 100  # a few are cut in two
    np.testing.assert_array_equal(joined.numpy(), expected)
    np.testing.assert_array_equal((weft.flip(weft.concat(parts)) * 2).numpy(), expected[::-1] * 2)
    assert weft.concat(parts).sum().item() == expected.sum()


def nest(x, levels, pad, interleave, flip, tile):
    """Reflections of interleaved repetitions of reflections, and so on: pieces multiply at every level."""
    for _ in range(levels):
        x = pad(x, x.shape[0] // 2, mode="reflect")
        x = tile(interleave([x, flip(x)]), (2, 2))
    return x


@pytest.mark.parametrize("root", [True, False])
def test_pieces_of_nested_repetitions_stay_few(root):
    a = np.arange(64.0 * 64).reshape(64, 64)
    x = nest(weft.asarray(a), 3, weft.pad, weft.interleave, weft.flip, weft.tile)
    e = weft.explain(x if root else x * 2)
    assert e.pieces < 2 * split.MANY  # of 60 737 where nothing is stored on the way
    assert e.stored_first and e.stored_first[0] in str(e)


@pytest.mark.usefixtures("_small_values_wait")
@pytest.mark.parametrize("root", [True, False])
def test_what_is_stored_for_its_pieces_has_the_same_cells(root, monkeypatch):
    monkeypatch.setattr(split, "MANY", 8)
    monkeypatch.setattr(draft, "MANY", 8)
    a = np.arange(12.0).reshape(4, 3)
    x = nest(weft.asarray(a), 2, weft.pad, weft.interleave, weft.flip, weft.tile)
    x = x if root else x * 2
    assert weft.explain(x).stored_first

    def turns(parts):
        return np.stack(parts, 1).reshape(-1, *parts[0].shape[1:])

    expected = nest(a, 2, np.pad, turns, np.flip, np.tile)
    np.testing.assert_array_equal(x.numpy(), expected if root else expected * 2)


def test_equal_bodies_are_one_object():
    made = rows(weft.concat([weft.asarray(np.arange(3.0) + i) for i in range(9)]) * 2)
    assert len(made) == 9 and len({id(row.body) for row in made}) == 1


def test_a_fill_that_was_computed_is_shared_no_more():
    first = node_of(weft.pad(weft.asarray([1.0]), 1, constant_values=7.5)).inputs[1]
    stages.compute([first])
    second = node_of(weft.pad(weft.asarray([1.0]), 1, constant_values=7.5)).inputs[1]
    assert first.value is not None and second.value is None
    assert node_of(weft.pad(weft.asarray([2.0]), 1, constant_values=7.5)).inputs[1] is second


def test_padded_parts_share_one_fill_and_one_body():
    parts = [weft.pad(weft.asarray(np.arange(3.0) + i), (1, 2)) for i in range(9)]
    made = rows(weft.concat(parts))
    assert len(made) == 27 and len({id(row.body) for row in made}) == 2
    zeros = weft.concat([weft.pad(weft.asarray([1.0]), 1, constant_values=v) for v in (0.0, -0.0)])
    assert np.signbit(zeros.numpy()).tolist() == [False, False, False, True, False, True]


@pytest.mark.parametrize("shape", [(3, 2), (6,)])
@pytest.mark.parametrize("make", [weft.ones, lambda n: weft.reshape(weft.arange(6), n)], ids=["fill", "range"])
def test_cells_of_reshaped_sources_are_looked_up(make, shape):
    x = weft.reshape(make((2, 3)), shape)
    assert weft.take(x, weft.asarray([0, 2, 1, 1]), axis=0).tolist() == x.numpy()[[0, 2, 1, 1]].tolist()


@pytest.mark.parametrize("many", [3, 3000])
def test_cells_of_cheap_operations_on_divided_sources_are_looked_up(many):
    a = np.arange(many * 10.0).reshape(10, many)
    x = weft.concat([weft.asarray(a[:4]), weft.asarray(a[4:])])
    at = np.array([5, many * 10 - 1, 17, 5])
    assert (weft.reshape(x, (-1,)) * 2)[at].tolist() == (a.reshape(-1) * 2)[at].tolist()
    assert (x * 2)[at % 10].tolist() == (a * 2)[at % 10].tolist()
