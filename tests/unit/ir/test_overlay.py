"""Boxes over each other: the tree finds what a scan finds, faults are named, thin reads meet few boxes."""

from __future__ import annotations

import random
from itertools import product

import pytest

from weft import dtypes as dt
from weft.errors import DTypeError, ShapeError
from weft.ir.atoms import selections as se
from weft.ir.graph.domain import Domain
from weft.ir.graph.node import Node, make, result, scalar
from weft.ir.graph.ops import OPS
from weft.ir.pieces.layers import LayerBox, Layers, difference, intersection
from weft.ir.pieces.normal_form import pieces


def cells(b: LayerBox) -> set[tuple[int, ...]]:
    return set(product(*[range(x, y) for x, y in zip(b.low, b.high, strict=True)]))


def random_box(rng: random.Random, ndim: int, span: int, width: int) -> LayerBox:
    low = tuple(rng.randint(-2, span) for _ in range(ndim))
    return LayerBox(low, tuple(x + rng.randint(0 if rng.random() < 0.05 else 1, width) for x in low))


@pytest.mark.parametrize("seed", range(8))
def test_queries_holes_and_clashes_against_sets_of_cells(seed: int) -> None:
    rng = random.Random(seed)
    ndim = rng.randint(1, 3)
    span = (40, 9, 5)[ndim - 1]
    for _ in range(30):
        layers = Layers([random_box(rng, ndim, span, rng.choice((3, 6))) for _ in range(rng.randint(0, 60))])
        covers = [cells(b) for b in layers.boxes]
        asked = random_box(rng, ndim, span, 5)
        assert layers.touching(asked) == [i for i in reversed(range(len(covers))) if covers[i] & cells(asked)]
        missing = cells(asked).difference(*covers)
        hole = layers.hole(asked)
        assert hole in missing if missing else hole is None
        clash = layers.clash()
        shared = [(i, j) for i in range(len(covers)) for j in range(i + 1, len(covers)) if covers[i] & covers[j]]
        assert (clash is None) == (not shared)
        if clash is not None:
            i, j, at = clash
            assert (i, j) in shared and at in covers[i] & covers[j]


@pytest.mark.parametrize("seed", range(3))
def test_what_is_left_of_a_box(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(200):
        a, b = random_box(rng, 3, 3, 4), random_box(rng, 3, 3, 4)
        rest = difference(a, b)
        assert sum(len(cells(r)) for r in rest) == len(cells(a) - cells(b))
        assert set().union(*[cells(r) for r in rest]) == cells(a) - cells(b)
        common = intersection(a, b)
        assert (cells(common) if common else set()) == cells(a) & cells(b)


def leaf(shape: tuple[int, ...], at: tuple[int, ...]) -> Node:
    return se.translate(make(OPS["leaf"], (), (), result(dt.float32, shape)), at)


def test_a_thin_read_of_a_wide_mosaic_meets_few_tiles() -> None:
    tiles = [leaf((10, 10), (10 * i, 10 * j)) for i in range(40) for j in range(40)]
    mosaic = se.overlay(tiles)
    assert mosaic.shape == (400, 400) and mosaic.desc.origin is None
    row = pieces(se.slice_(mosaic, ((123, 1, 1), (5, 1, 10))))
    assert [p.leaf for p in row] == [tiles[480].inputs[0], tiles[481].inputs[0]]


def test_two_hundred_random_boxes_do_not_explode() -> None:
    rng = random.Random(1)
    sizes = [[rng.randint(300, 500) for _ in range(3)] for _ in range(200)]
    parts = [leaf(tuple(n), tuple(rng.randint(0, 1000 - k) for k in n)) for n in sizes]
    over = se.overlay(parts, Domain((0, 0, 0), (1000, 1000, 1000)), scalar(0.0, dt.float32))
    found = pieces(se.slice_(over, ((450, 1, 10), (500, 1, 10), (480, 1, 10))))
    assert sum(p.sizes[0] * p.sizes[1] * p.sizes[2] for p in found) == 1000 and len(found) < 30
    assert len(pieces(over)) < 3000


def test_the_domain_is_the_hull_or_the_one_given() -> None:
    parts = [leaf((2, 3), (-1, 4)), leaf((1, 1), (5, 5)), leaf((0, 9), (99, 99))]
    over = se.overlay(parts, fill=scalar(0.0, dt.float32))
    assert over.desc.domain == Domain((-1, 4), (7, 3))
    clipped = se.overlay(parts, Domain((0, 5), (1, 2)))
    assert [(p.leaf, p.rows) for p in pieces(clipped)] == [(parts[0].inputs[0], ((1, ()), (1, ((1, 1),))))]


def test_later_parts_lie_over_earlier_ones() -> None:
    below, above = leaf((10,), (0,)), leaf((4,), (3,))
    found = pieces(se.overlay((below, above)))
    assert [(p.leaf, p.start, p.sizes) for p in found] == [
        (below.inputs[0], (0,), (3,)),
        (above.inputs[0], (3,), (4,)),
        (below.inputs[0], (7,), (3,)),
    ]


@pytest.mark.parametrize(
    ("error", "message", "parts", "options"),
    [
        (ShapeError, "overlay: no parts", [], {}),
        (ShapeError, r"overlay: no part covers coordinate \(2,\) of", [leaf((2,), (0,)), leaf((2,), (3,))], {}),
        (ShapeError, "part 1 rank 2", [leaf((2,), (0,)), leaf((2, 1), (3, 0))], {}),
        (ShapeError, "for parts of rank 1", [leaf((2,), (0,))], {"domain": Domain((0, 0), (1, 1))}),
        (DTypeError, "overlay: the fill is int64", [leaf((2,), (0,))], {"fill": scalar(0, dt.int64)}),
    ],
)
def test_messages(error: type[Exception], message: str, parts: list[Node], options: dict[str, object]) -> None:
    with pytest.raises(error, match=message):
        se.overlay(parts, **options)


def test_a_hole_is_looked_for_only_where_boxes_leave_room() -> None:
    rng = random.Random(2)
    boxes = [random_wide(rng) for _ in range(200)]
    everything = LayerBox((0, 0, 0), (1000, 1000, 1000))
    assert Layers([everything, *boxes]).hole(everything) is None
    assert Layers([*boxes, everything]).hole(everything) is None
    slabs = [LayerBox((0, 0, 0), (1000, 1000, 499)), LayerBox((0, 0, 500), (1000, 1000, 1000))]
    hole = Layers([*slabs, *boxes[:20]]).hole(everything)
    assert hole is not None and hole[2] == 499
    assert not any(intersection(b, LayerBox(hole, tuple(p + 1 for p in hole))) for b in boxes[:20])


def random_wide(rng: random.Random) -> LayerBox:
    low = tuple(rng.randint(0, 500) for _ in range(3))
    return LayerBox(low, tuple(x + rng.randint(300, 500) for x in low))
