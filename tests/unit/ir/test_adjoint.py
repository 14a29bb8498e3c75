"""Adjoints by kind: which are selections again, which are sums, and that unread branches cost nothing."""

from __future__ import annotations

import pytest

from weft import dtypes as dt
from weft.ir import composites as co
from weft.ir import selection as se
from weft.ir.adjoint import RULES, adjoint, zeros
from weft.ir.node import Node, make, result, scalar, walk
from weft.ir.ops import OPS
from weft.ir.pieces import pieces


def leaf(*shape: int) -> Node:
    return make(OPS["leaf"], (), (), result(dt.float32, shape))


def kinds(g: Node) -> set[str]:
    return {n.op.kind for n in walk([g])} - {"source"}


def test_every_selection_has_a_rule() -> None:
    assert set(RULES) == {name for name, op in OPS.items() if op.kind == "selection"}


@pytest.mark.parametrize(
    "node",
    [
        se.permute(leaf(2, 3), (1, 0)),
        se.flip(leaf(2, 3), (1,)),
        se.slice_(leaf(7, 9), ((5, -2, 3), (1, 3, 3))),
        se.index(leaf(4, 5), ((1, 2),)),
        co.concat((leaf(2, 3), leaf(4, 3)), 0),
        co.interleave((leaf(3), leaf(2)), 0),
        co.roll(leaf(4, 5), (1, 2), (0, 1)),
        co.pad(leaf(4, 5), ((1, 2), (0, 3))),
        co.reshape(leaf(4, 6), (2, 12)),
        co.overlay((leaf(4), se.translate(leaf(3), (2,)))),
    ],
)
def test_where_cells_have_one_copy_the_adjoint_is_a_selection(node: Node) -> None:
    for g in adjoint(node, leaf(*node.shape)):
        assert g is None or kinds(g) <= {"selection"}


@pytest.mark.parametrize(
    "node",
    [
        se.broadcast_to(leaf(1, 3), (2, 4, 3)),
        se.window(leaf(9, 9), (3, 2), (0, 1)),
        co.tile(leaf(4), (3,)),
        co.repeat(leaf(4), 3, 0),
        co.pad(leaf(4), ((1, 2),), "edge"),
    ],
)
def test_where_cells_have_copies_the_adjoint_sums(node: Node) -> None:
    (g, *_) = adjoint(node, leaf(*node.shape))
    assert g is not None and "reduce" in kinds(g)


def test_the_gradient_of_a_part_of_a_concat_is_a_view_of_the_gradient() -> None:
    g = leaf(6, 3)
    first, second = adjoint(co.concat((leaf(2, 3), leaf(4, 3)), 0), g)
    assert first is not None and second is not None and second.alias == (g, 24)
    ((found, sizes, *_),) = pieces(second)
    assert found is g and sizes == (4, 3)


def test_scalars_have_no_gradient_and_cells_do() -> None:
    x = leaf(3)
    assert adjoint(co.pad(x, ((1, 1),), "constant", scalar(0.0, dt.float32)), leaf(5))[1] is None
    fill = adjoint(co.pad(x, ((1, 1),), "constant", leaf()), leaf(5))[1]
    assert fill is not None and fill.shape == ()


def test_gradients_lie_where_their_inputs_do() -> None:
    x = se.translate(leaf(3, 4), (5, -2))
    (g,) = adjoint(se.slice_(x, ((0, 1, 2), (1, 2, 2))), leaf(2, 2))
    assert g is not None and g.desc.domain == x.desc.domain


def test_zeros_are_stored_nowhere() -> None:
    ((found, *_, rows),) = pieces(zeros((1000, 1000), dt.float32))
    assert found.op.name == "scalar" and rows == ()
