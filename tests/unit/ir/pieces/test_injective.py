"""Collisions named exactly: against counting on random trees, and by hand for the cases users meet."""

from __future__ import annotations

from weft import dtypes as dt
from weft.ir.atoms import selections as se
from weft.ir.graph.node import Node, make, result, stored
from weft.ir.graph.ops import OPS
from weft.ir.pieces.normal_form import collision, pieces


def leaf(*shape: int) -> Node:
    return make(OPS["leaf"], (), (), result(dt.float32, shape))


def test_trees_that_move_every_cell_once_have_none() -> None:
    a, b = leaf(6, 4), leaf(6, 4)
    mixed = se.slice_(se.interleave((se.flip(a, (0,)), se.roll(b, (2,), (1,))), 0), ((0, 2, 6), (3, -1, 4)))
    assert collision(pieces(mixed)) is None
    assert (
        collision(pieces(se.concat((se.slice_(a, ((0, 2, 3), (0, 1, 4))), se.slice_(a, ((1, 2, 3), (0, 1, 4)))), 0)))
        is None
    )


def test_repetitions_name_two_coordinates() -> None:
    x = leaf(4)
    assert collision(pieces(se.window(x, (2,), (0,)))) == ((0, 1), (1, 0))
    first, second = collision(pieces(se.pad(x, ((2, 0),), "reflect")))
    assert abs(first[0] - 2) == abs(second[0] - 2)
    assert collision(pieces(se.broadcast_to(leaf(1), (3,)))) == ((0,), (1,))


def test_two_parts_that_share_cells_of_one_source_collide() -> None:
    x = leaf(10)
    tree = se.concat((se.slice_(x, ((0, 3, 4),)), se.slice_(x, ((9, -2, 5),))), 0)  # 0 3 6 9 | 9 7 5 3 1
    assert collision(pieces(tree)) in [((1,), (7,)), ((3,), (4,))]


def test_views_of_one_stored_root_are_compared_by_address() -> None:
    root = stored(result(dt.float32, (8, 8)), object())
    rows, columns = se.index(root, ((0, 2),)), se.index(root, ((1, 5),))
    assert collision(pieces(se.concat((rows, columns), 0))) == ((5,), (10,))
    assert collision(pieces(se.concat((rows, se.index(root, ((0, 3),))), 0))) is None
