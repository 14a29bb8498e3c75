"""Routing and the normal form: what is pruned, what is merged, where cuts fall, and the guards."""

from __future__ import annotations

import pytest

from weft import dtypes as dt
from weft.ir.atoms import selections as se
from weft.ir.graph.node import Node, elementwise, make, result, scalar, stored
from weft.ir.graph.ops import OPS
from weft.ir.pieces import request as requests
from weft.ir.pieces.demand import demand
from weft.ir.pieces.normal_form import Piece, pieces
from weft.ir.pieces.request import NotAView, Request, TooManyPieces, operand, whole


def leaf(*shape: int) -> Node:
    return make(OPS["leaf"], (), (), result(dt.float32, shape))


def line(x: Node, start: int, stride: int, size: int) -> Node:
    return se.slice_(x, ((start, stride, size),))


def test_a_leaf_is_one_piece_of_itself() -> None:
    x = leaf(3, 1)
    assert pieces(x) == [Piece(x, (3, 1), (0, 0), (1, 1), ((0, ((0, 1),)), (0, ())))]


def test_an_empty_request_reads_nothing() -> None:
    assert pieces(se.concat((leaf(0), leaf(0)), 0)) == []
    assert pieces(se.tile(leaf(3, 2), (2, 0))) == []


def test_a_thin_read_of_a_wide_concat_touches_one_part() -> None:
    parts = [leaf(100) for _ in range(10_000)]
    ((found, *_),) = pieces(line(se.concat(parts, 0), 777_745, 1, 10))
    assert found is parts[7777]


def test_a_concat_is_cut_where_the_stride_crosses_its_borders() -> None:
    a, b, c = leaf(4), leaf(1), leaf(5)
    found = pieces(line(se.concat((a, b, c), 0), 0, 3, 4))  # positions 0 3 | 6 9
    assert found == [
        Piece(a, (2,), (0,), (1,), ((0, ((0, 3),)),)),
        Piece(c, (2,), (2,), (1,), ((1, ((0, 3),)),)),
    ]
    backwards = pieces(line(se.concat((a, b, c), 0), 9, -3, 4))
    assert [(p.leaf, p.rows[0]) for p in backwards] == [(c, (4, ((0, -3),))), (a, (3, ((0, -3),)))]


def test_empty_parts_are_never_met() -> None:
    a, empty = leaf(2), leaf(0)
    found = pieces(se.concat((empty, a, empty, empty, a, empty), 0))
    assert [p.leaf for p in found] == [a, a]


def test_a_strided_read_of_an_interleave_is_one_source() -> None:
    parts = [leaf(1000) for _ in range(4)]
    ((found, sizes, start, stride, rows),) = pieces(line(se.interleave(parts, 0), 2, 4, 1000))
    assert found is parts[2] and (sizes, start, stride, rows) == ((1000,), (0,), (1,), ((0, ((0, 1),)),))


def test_residues_of_a_step_and_an_interleave_share_their_divisor() -> None:
    parts = [leaf(100) for _ in range(6)]
    found = pieces(line(se.interleave(parts, 0), 1, 4, 150))  # only parts 1, 3, 5 are met
    assert [p.leaf for p in found] == [parts[1], parts[5], parts[3]]
    assert {p.step for p in found} == {(3,)}


def test_slices_that_continue_each_other_become_one() -> None:
    x = leaf(10)
    ((found, *_, rows),) = pieces(se.concat((line(x, 0, 1, 4), line(x, 4, 1, 5), line(x, 9, 1, 1)), 0))
    assert found is x and rows == ((0, ((0, 1),)),)


def test_rolling_back_is_nothing() -> None:
    x = leaf(5, 7)
    assert pieces(se.roll(se.roll(x, (3, 2), (0, 1)), (-3, -2), (0, 1))) == pieces(x)


def test_margins_with_one_fill_join_over_concatenated_parts() -> None:
    parts = [se.pad(leaf(10, 10), ((0, 0), (2, 2))) for _ in range(8)]
    found = pieces(se.concat(parts, 0))
    assert len(found) == 8 + 2


def test_padding_asked_for_outside_reads_no_source() -> None:
    x, fill = leaf(10), scalar(3.0, dt.float32)
    ((found, *_, rows),) = pieces(line(se.pad(x, ((5, 5),), "constant", fill), 0, 1, 5))
    assert found is fill and rows == ()


def test_repeats_choose_the_fewer_pieces() -> None:
    assert len(pieces(se.repeat(leaf(1000), 3, 0))) == 3
    assert len(pieces(se.repeat(leaf(3), 1000, 0))) == 3
    assert len(pieces(se.tile(leaf(1000), (3,)))) == 3
    assert len(pieces(se.tile(leaf(3), (1000,)))) == 3
    assert len(pieces(se.pad(leaf(2), ((1000, 1000),), "symmetric"))) <= 4


def test_windows_over_a_pad_keep_their_interior_whole() -> None:
    x = leaf(64, 64)
    w = se.window(se.pad(x, ((1, 1), (1, 1))), (3, 3), (0, 1))
    assert max(p.sizes for p in pieces(w) if p.leaf is x) == (62, 62, 3, 3)


def test_a_long_window_over_a_concat_costs_its_borders_only() -> None:
    w = se.window(se.concat([leaf(10_000) for _ in range(3)], 0), (100,), (0,))
    found = pieces(w)
    assert len(found) == 3 + 2 * 99 * 2


def test_depth_is_no_recursion() -> None:
    x = leaf(10)
    for _ in range(5000):
        x = se.concat((se.flip(x, (0,)), leaf(1)), 0)
    assert len(pieces(line(x, 100, 1, 5))) == 5


def test_stored_nodes_and_their_views_are_leaves() -> None:
    root = stored(result(dt.float32, (6, 4)), object())
    view = se.permute(se.slice_(root, ((1, 2, 2), (0, 1, 4))), (1, 0))
    assert [p.leaf for p in pieces(se.concat((view, view), 0))] == [view, view]
    computed = se.tile(leaf(4), (2,))
    computed.value = object()
    assert [p.leaf for p in pieces(computed)] == [computed]


def test_nodes_to_stop_at_are_leaves() -> None:
    inner = se.concat((leaf(3), leaf(4)), 0)
    assert [p.leaf for p in pieces(se.flip(inner, (0,)), stop={inner})] == [inner]


def test_elementwise_nodes_are_leaves_and_hand_on_requests() -> None:
    a, b = leaf(4, 5), leaf(5)
    total = elementwise(OPS["add"], a, b)
    (found,) = pieces(se.permute(total, (1, 0)))
    assert found.leaf is total and found.rows == ((0, ((1, 1),)), (0, ((0, 1),)))
    assert operand(found.request, b.shape).rows == ((0, ((0, 1),)),)
    assert operand(whole(total), (4, 1)).rows == ((0, ((0, 1),)), (0, ()))


def test_addresses_fold_the_strides() -> None:
    x = leaf(6, 8)
    (found,) = pieces(se.diagonal(se.flip(x, (0,))))
    assert found.address((32, 4)) == (5 * 32, (-32 + 4,))


def test_a_reshape_splits_axes_freely() -> None:
    x = leaf(6, 4)
    ((found, *_, rows),) = pieces(se.reshape(x, (2, 3, 2, 2)))
    assert found is x and rows == ((0, ((0, 3), (1, 1))), (0, ((2, 2), (3, 1))))


def test_a_reshape_joins_few_rows() -> None:
    x = leaf(3, 1000)
    found = pieces(se.reshape(x, (3000,)))
    assert [p.rows[0][0] for p in found] == [0, 1, 2]
    ((_, _, _, _, rows),) = pieces(line(se.reshape(x, (3000,)), 2999, -1, 1000))
    assert rows == ((2, ()), (999, ((0, -1),)))
    column = pieces(line(se.reshape(leaf(1000, 3), (3000,)), 1, 3, 1000))
    assert [p.rows for p in column] == [((0, ((0, 1),)), (1, ()))]


def test_a_reshape_that_joins_many_rows_is_stored() -> None:
    node = se.reshape(leaf(1000, 3), (3000,))
    with pytest.raises(NotAView) as caught:
        pieces(se.flip(node, (0,)))
    assert caught.value.node is node
    with pytest.raises(NotAView):
        pieces(se.reshape(leaf(5000, 3001), (3001, 5000)))


def test_too_many_pieces_name_what_to_store(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = se.interleave([leaf(50) for _ in range(20)], 0)
    with pytest.raises(TooManyPieces):
        pieces(inner, limit=10)
    monkeypatch.setattr(requests, "MAX_PIECES", 100)
    tall = se.concat([leaf(10) for _ in range(50)], 0)
    with pytest.raises(TooManyPieces) as caught:
        pieces(se.window(tall, (400,), (0,)))
    assert caught.value.node is tall


def test_one_step_partitions_the_request() -> None:
    node = se.concat((leaf(3, 2), leaf(4, 2)), 0)
    r = Request((7, 2), (0, 0), (1, 1), ((0, ((0, 1),)), (0, ((1, 1),))))
    assert demand(node, r) == [
        (0, Request((3, 2), (0, 0), (1, 1), r.rows)),
        (1, Request((4, 2), (3, 0), (1, 1), r.rows)),
    ]
