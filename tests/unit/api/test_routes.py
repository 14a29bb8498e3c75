"""Routing: the source of a cell, through selections and what chooses between values."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft.errors import IndexOutOfBounds


def test_the_tensor_that_was_put_in_comes_out() -> None:
    a, b = weft.array([1, 2, 3]), weft.array([4, 5])
    tree = weft.concat([a[::-1], b.translate(7)]).translate(-2)
    source, at = weft.route(tree, -2)
    assert source is a and at == (2,)
    source, at = weft.route(tree, (2,))
    assert source is b and at == (1,)
    assert weft.route(a, 1)[0] is a and weft.route(a.translate(5), 6)[1] == (1,)


def test_generated_and_computed_values_are_sources() -> None:
    a = weft.array([1.0, 2.0])
    source, at = weft.route(weft.pad(a, 1, constant_values=7.0), 0)
    assert source.item() == 7 and at == ()
    source, at = weft.route(weft.stack([a, a * 3])[1], 1)
    assert source.tolist() == [3, 6] and at == (1,)
    field = weft.random.uniform((3, 3), seed=1)
    source, at = weft.route(weft.flip(field), (0, 2))
    assert source is field and at == (2, 0)


def test_where_and_extremes_are_followed_by_their_values() -> None:
    a, b = weft.array([1.0, 5.0, np.nan, 0.0, -0.0]), weft.array([2.0, 4.0, 1.0, 0.0, 0.0])
    mask = weft.array([True, False, True, False, True])
    assert [weft.route(weft.where(mask, a, b), i)[0]._place is a._place for i in range(4)] == [True, False, True, False]
    chosen = {"maximum": "baaab", "minimum": "abaaa"}
    for name, which in chosen.items():
        for i, letter in enumerate(which):
            source, at = weft.route(getattr(weft, name)(a, b), i)
            assert source._place is {"a": a, "b": b}[letter]._place and at == (i,), (name, i)
    row = weft.array([[9.0]])
    source, at = weft.route(weft.maximum(a[:2], row), (0, 1))
    assert source._place is row._place and at == (0, 0)


def test_parts_of_complex_cells_are_sources_in_the_tensor() -> None:
    z = weft.array([1 + 2j, 3 + 4j])
    source, at = weft.route(weft.flip(z.imag), 0)
    assert source.tolist() == [2, 4] and at == (1,)
    source[...] = 7
    assert z.tolist() == [1 + 7j, 3 + 7j]


def test_index_arrays_are_followed() -> None:
    x = weft.array(np.arange(12).reshape(3, 4))
    source, at = weft.route(x[[2, 0, 1], [3, 1, 2]], 0)
    assert source._place is x._place and at == (2, 3)
    source, at = weft.route(x[:, weft.asarray([3, 0, 2])], (1, 1))
    assert source._place is x._place and at == (1, 0)


def test_an_old_version_is_not_the_tensor_of_today() -> None:
    a = weft.array([1, 2])
    tree = weft.roll(a, 1, axis=0)
    a[0] = 9
    source, at = weft.route(tree, 1)
    assert source is not a and source.at[at].item() == 1
    source[...] = 0
    assert tree.tolist() == [2, 1] and a.tolist() == [9, 2]


@pytest.mark.parametrize("n", [5_000, pytest.param(50_000, marks=pytest.mark.slow)])
def test_deep_and_wide_trees(n: int) -> None:
    x = a = weft.array([1, 2])
    for _ in range(450):
        x = weft.roll(weft.flip(x), 1, axis=0)
    source, at = weft.route(x, 0)
    assert source is a and source.at[at].item() == x[0].item()
    for _ in range(n):
        x = weft.flip(x) if x.ndim else x
    assert weft.route(x, 0)[1] == (0,)
    parts = [weft.zeros(2) for _ in range(n)]
    source, at = weft.route(weft.concat(parts), n + 2001)
    assert source is parts[n // 2 + 1000] and at == (1,)


def test_out_of_the_domain() -> None:
    with pytest.raises(IndexOutOfBounds, match=r"route: coordinate \(-1,\) of Domain\(\[0, 2\)\)"):
        weft.route(weft.zeros(2), -1)
    with pytest.raises(IndexOutOfBounds, match=r"route: coordinate \(0, 0\) of"):
        weft.route(weft.zeros(2), (0, 0))
