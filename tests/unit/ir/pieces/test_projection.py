"""Projections: boxes of index cells against the cells themselves, and what makes no projection."""

from __future__ import annotations

import pickle
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from weft.errors import DTypeError, ShapeError
from weft.ir.pieces.box import Box, box_of
from weft.ir.pieces.projection import Projection

SHEAR = Projection([[1, 0], [0, 1], [1, 1]], offset=[10, 20, 30], shape=[4, 4, 1])


def test_the_box_of_a_cell_and_of_a_range():
    assert SHEAR.box((5, 6), (6, 7)) == ((15, 26, 41), (4, 4, 1))
    assert SHEAR.box((5, 6), (7, 8)) == ((15, 26, 41), (5, 5, 3))
    assert SHEAR.box((5, 6), (5, 8)) == ((15, 26, 41), (0, 0, 0))


def test_leading_axes_pass_through():
    assert SHEAR.widened(2).box((100, 20, 5, 6), (101, 21, 6, 7)) == ((100, 20, 15, 26, 41), (1, 1, 4, 4, 1))


def test_translation_moves_every_box():
    assert SHEAR.translate((1, 2, 3)).offset == (11, 22, 33)
    with pytest.raises(ShapeError, match=r"Projection: translation \(1,\) of 3 axes"):
        SHEAR.translate((1,))


def test_axes_may_come_in_another_order():
    p = Projection([[1, 0], [0, 2], [1, 2]], (4, 5, 6))
    assert p.permute_index((1, 0)).matrix == ((0, 1), (2, 0), (2, 1))
    turned = p.permute((1, 0, 2))
    assert turned.matrix == ((0, 2), (1, 0), (1, 2)) and turned.offset == (5, 4, 6)
    with pytest.raises(ShapeError, match=r"order \(0, 0, 1\) of 3 axes of the tensor"):
        p.permute((0, 0, 1))
    with pytest.raises(ShapeError, match="of 2 axes of the index space"):
        p.permute_index((0, 2))


@given(st.data())
def test_one_more_index_cell_costs_the_same_wherever_it_is(data):
    p, _ = data.draw(projections())
    axis = data.draw(st.integers(0, max(p.index_ndim - 1, 0)))
    if not p.index_ndim:
        return
    size = data.draw(st.tuples(*[st.integers(1, 9)] * p.index_ndim))
    grown = [tuple(n + k * (j == axis) for j, n in enumerate(size)) for k in range(3)]
    a, b, c = (p.of(box_of(g)).size for g in grown)
    assert [y - x for x, y in zip(a, b, strict=True)] == [y - x for x, y in zip(b, c, strict=True)]


def test_a_projection_is_a_value():
    same = Projection(((1, 0), (0, 1), (1, 1)), (10, 20, 30), (4, 4, 1))
    assert same == SHEAR and hash(same) == hash(SHEAR) and pickle.loads(pickle.dumps(SHEAR)) == SHEAR
    assert eval(repr(SHEAR)) == SHEAR
    with pytest.raises(AttributeError):
        SHEAR.offset = (0, 0, 0)
    assert weft.Projection is Projection


WRONG = {
    "rows": (([[1, 0], [1]],), ShapeError, "Projection: matrix ((1, 0), (1,)) has rows of different lengths"),
    "offset": (([[1]], (1, 2)), ShapeError, "Projection: offset (1, 2) for a matrix of 1 rows"),
    "shape": (([[1]], None, (1, 2)), ShapeError, "Projection: shape (1, 2) for a matrix of 1 rows"),
    "negative": (([[1]], None, (-1,)), ShapeError, "Projection: shape (-1,); a box has 0 or more cells"),
    "float": (([[1.5]],), DTypeError, "Projection: matrix [1.5]; it must be a tuple of integers"),
    "number": ((3,), DTypeError, "Projection: matrix 3; it has a row for each axis"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_makes_no_projection(case):
    given_, error, message = WRONG[case]
    with pytest.raises(error) as caught:
        Projection(*given_)
    assert str(caught.value).startswith(message)


@st.composite
def projections(draw: st.DrawFn) -> tuple[Projection, Box]:
    """A projection, and a box of index cells."""
    rank, axes = draw(st.integers(0, 3)), draw(st.integers(1, 3))
    small = st.integers(-3, 3)
    rows = draw(st.lists(st.lists(small, min_size=rank, max_size=rank), min_size=axes, max_size=axes))
    shape = draw(st.lists(st.integers(1, 3), min_size=axes, max_size=axes))
    offset = draw(st.lists(small, min_size=axes, max_size=axes))
    start = draw(st.lists(small, min_size=rank, max_size=rank))
    size = draw(st.lists(st.integers(1, 4), min_size=rank, max_size=rank))
    return Projection(rows, offset, shape), box_of(tuple(size), tuple(start))


@given(projections())
def test_the_box_of_index_cells_is_the_least_that_holds_all_of_theirs(drawn):
    p, cells = drawn
    firsts = [p.first(i) for i in product(*[range(a, a + n) for a, n in zip(cells.start, cells.size, strict=True)])]
    box = p.of(cells)
    assert box.start == tuple(map(min, zip(*firsts, strict=True)))
    ends = [tuple(map(int.__add__, first, p.shape)) for first in firsts]
    assert tuple(map(int.__add__, box.start, box.size)) == tuple(map(max, zip(*ends, strict=True)))
    moved = p.rebased(cells, box.start)
    assert moved.of(box_of(cells.size)) == box_of(box.size)
