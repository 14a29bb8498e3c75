"""Adjoints by kind: which are selections again, which are sums, and that unread branches cost nothing."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import dtypes as dt
from weft.ir.atoms import position_tables
from weft.ir.atoms import selections as se
from weft.ir.atoms.adjoints import RULES, adjoint, zeros
from weft.ir.graph import spec
from weft.ir.graph.description import c_strides, describe
from weft.ir.graph.node import Node, make, result, scalar, stored, walk
from weft.ir.graph.ops import OPS
from weft.ir.pieces.normal_form import pieces
from weft.runtime.compute import engine
from weft.tensors.indexing import advanced
from weft.tensors.keys import parse
from weft.tensors.tensor import node_of, values_of


def leaf(*shape: int) -> Node:
    return make(OPS["leaf"], (), (), result(dt.float32, shape))


def kinds(g: Node) -> set[str]:
    return {n.op.kind for n in walk([g])} - {"source"}


def test_every_selection_has_a_rule() -> None:
    assert set(RULES) == {name for name, op in OPS.items() if op.kind == "selection"} | {"gather"}


@pytest.mark.parametrize(
    "node",
    [
        se.permute(leaf(2, 3), (1, 0)),
        se.flip(leaf(2, 3), (1,)),
        se.slice_(leaf(7, 9), ((5, -2, 3), (1, 3, 3))),
        se.index(leaf(4, 5), ((1, 2),)),
        se.concat((leaf(2, 3), leaf(4, 3)), 0),
        se.interleave((leaf(3), leaf(2)), 0),
        se.roll(leaf(4, 5), (1, 2), (0, 1)),
        se.pad(leaf(4, 5), ((1, 2), (0, 3))),
        se.reshape(leaf(4, 6), (2, 12)),
        se.overlay((leaf(4), se.translate(leaf(3), (2,)))),
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
        se.tile(leaf(4), (3,)),
        se.repeat(leaf(4), 3, 0),
        se.pad(leaf(4), ((1, 2),), "edge"),
    ],
)
def test_where_cells_have_copies_the_adjoint_sums(node: Node) -> None:
    (g, *_) = adjoint(node, leaf(*node.shape))
    assert g is not None and "reduce" in kinds(g)


def test_the_gradient_of_a_part_of_a_concat_is_a_view_of_the_gradient() -> None:
    g = leaf(6, 3)
    first, second = adjoint(se.concat((leaf(2, 3), leaf(4, 3)), 0), g)
    assert first is not None and second is not None and second.alias == (g, 24)
    ((found, sizes, *_),) = pieces(second)
    assert found is g and sizes == (4, 3)


def test_scalars_have_no_gradient_and_cells_do() -> None:
    x = leaf(3)
    assert adjoint(se.pad(x, ((1, 1),), "constant", scalar(0.0, dt.float32)), leaf(5))[1] is None
    fill = adjoint(se.pad(x, ((1, 1),), "constant", leaf()), leaf(5))[1]
    assert fill is not None and fill.shape == ()


def test_gradients_lie_where_their_inputs_do() -> None:
    x = se.translate(leaf(3, 4), (5, -2))
    (g,) = adjoint(se.slice_(x, ((0, 1, 2), (1, 2, 2))), leaf(2, 2))
    assert g is not None and g.desc.domain == x.desc.domain


def test_zeros_are_stored_nowhere() -> None:
    ((found, *_, rows),) = pieces(zeros((1000, 1000), dt.float32))
    assert found.op.name == "scalar" and rows == ()


def taken(x: Node, *parts: object) -> Node:
    n, key = node_of(weft.zeros(x.shape, dtype="int64")), parse(parts, x.shape)
    made = advanced(n, key)
    return make(made.op, (x, *made.inputs[1:]), made.attrs, result(x.dtype, made.shape))


@pytest.mark.parametrize("transformer", ["cpu", "reference"])
@pytest.mark.parametrize(
    ("shape", "key"),
    [
        ((5,), ([3, 0, 4],)),
        ((5,), ([3, 0, 3, 3],)),
        ((4, 3), (slice(None), [2, 0, 1])),
        ((4, 3), ([3, 0, 0], [1, 2, 2])),
        ((4, 3), ([[3], [1]], [0, 2])),
        ((4, 3, 2), ([1, 3, 0], slice(None), [0, 1, 1])),
        ((4, 3, 2), (slice(None), [[0, 2], [2, 1]])),
        ((4,), (np.zeros((0, 3), np.int64),)),
    ],
)
def test_the_adjoint_of_a_take(shape: tuple[int, ...], key: tuple[object, ...], transformer: str) -> None:
    """<Lu, g> = <u, L'g>, exactly: the gradient of a cell is the sum of the gradients of its copies."""
    rng = np.random.default_rng(0)
    for dtype in (dt.float64, dt.float16, dt.complex64):
        x = stored(describe(dtype, shape, c_strides(shape, dtype.itemsize)), np.zeros(shape, dtype.np))
        node = taken(x, *key)
        values = rng.integers(-9, 9, node.shape).astype(dtype.np)
        g = stored(describe(dtype, node.shape, values.strides), values)
        found = adjoint(node, g)
        assert found[0] is not None and all(t is None for t in found[1:])
        wanted = np.zeros(shape, dtype.np)
        np.add.at(wanted, key, values)
        spec.check([found[0]])
        cells = list(
            zip(*[t.ravel() for t in np.broadcast_arrays(*(position_tables.stored_tables(node) or ()))], strict=True)
        )
        assert ("call" in kinds(found[0])) == (len(set(cells)) < len(cells))
        with engine.using(engine.transformer(transformer)):
            assert np.array_equal(values_of(found[0]), wanted)
