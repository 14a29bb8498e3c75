"""Coordinates: translate, at, align and overlay, and what every operation does to an origin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft.errors import DTypeError, IndexOutOfBounds, ShapeError, ValueRangeError, WriteError

X = np.arange(12).reshape(3, 4)


def at(*origin: int) -> Any:
    """3 × 4 numbers at an origin."""
    return weft.array(X).translate(origin)


# ---- the rule of every operation: what touches an axis starts it at 0, all else keeps it

RULES = {
    "add": (lambda x: x + 1, (5, -7)),
    "reflected": (lambda x: 1 - x, (5, -7)),
    "left-most": (lambda x: x + at(1, 1), (5, -7)),
    "left-most of that rank": (lambda x: x[0] * x, (5, -7)),
    "zero-based left": (lambda x: weft.asarray(X) + x, (0, 0)),
    "compare": (lambda x: x > 3, (5, -7)),
    "where": (lambda x: weft.where(x > 3, x, 0), (5, -7)),
    "clip": (lambda x: weft.clip(x, 1, 5), (5, -7)),
    "astype": (lambda x: weft.astype(x, weft.float32), (5, -7)),
    "copy": (lambda x: weft.copy(x), (5, -7)),
    "tril": (lambda x: weft.tril(x), (5, -7)),
    "sum": (lambda x: x.sum(axis=0), (-7,)),
    "sum that keeps": (lambda x: weft.sum(x, axis=1, keepdims=True), (5, 0)),
    "argmax": (lambda x: x.argmax(axis=1), (5,)),
    "cumulative": (lambda x: weft.cumulative_sum(x, axis=0), (5, -7)),
    "cumulative from 0": (lambda x: weft.cumulative_sum(x, axis=0, include_initial=True), (0, -7)),
    "sort": (lambda x: weft.sort(x), (5, 0)),
    "argsort": (lambda x: weft.argsort(x, axis=0), (0, -7)),
    "diff": (lambda x: weft.diff(x), (5, 0)),
    "product": (lambda x: x @ weft.ones((4, 2), dtype=weft.int64), (0, 0)),
    "slice": (lambda x: x[1:], (0, -7)),
    "whole slice": (lambda x: x[:, 1:], (5, 0)),
    "index": (lambda x: x[1], (-7,)),
    "new axis": (lambda x: x[:, None], (5, 0, -7)),
    "table": (lambda x: x[[0, 2]], (0, -7)),
    "take": (lambda x: weft.take(x, weft.asarray([3, 1, 1]), axis=1), (5, 0)),
    "permute": (lambda x: x.T, (-7, 5)),
    "flip": (lambda x: weft.flip(x), (5, -7)),
    "roll": (lambda x: weft.roll(x, 1, axis=0), (5, -7)),
    "broadcast": (lambda x: weft.broadcast_to(x, (2, 3, 4)), (0, 5, -7)),
    "window": (lambda x: weft.sliding_window_view(x, 2, axis=0), (5, -7, 0)),
    "diagonal": (lambda x: weft.diagonal(x), (0,)),
    "reshape": (lambda x: weft.reshape(x, (4, 3)), (0, 0)),
    "concat": (lambda x: weft.concat([x, weft.asarray(X)]), (5, -7)),
    "concat behind": (lambda x: weft.concat([weft.asarray(X), x]), (0, 0)),
    "stack": (lambda x: weft.stack([x, x], axis=1), (5, 0, -7)),
    "interleave": (lambda x: weft.interleave([x, x]), (5, -7)),
    "tile": (lambda x: weft.tile(x, (2, 1)), (5, -7)),
    "repeat": (lambda x: weft.repeat(x, 2, axis=0), (5, -7)),
    "pad": (lambda x: weft.pad(x, ((1, 0), (2, 2))), (4, -9)),
    "zeros_like": (lambda x: weft.zeros_like(x), (0, 0)),
}


@for_each("name", RULES)
def test_origins_of_results(name: str) -> None:
    make, origin = RULES[name]
    made = make(at(5, -7))
    assert made.domain.origin == origin
    np.testing.assert_array_equal(made.numpy(), make(weft.array(X)).numpy())
    assert made.domain.origin == origin  # also once it is stored


def test_translate_aliases_both_ways() -> None:
    x = weft.array(np.arange(4))
    y = x.translate(-2)
    y.at[-1] = 10
    x[3] = 20
    assert x.tolist() == [0, 10, 2, 20] and y.at[1].item() == 20
    assert y.translate(2).domain == x.domain and weft.array(5).translate(()).item() == 5
    assert at(0, 0).translate(3).domain.origin == (3, 3)


def test_repr_shows_an_origin() -> None:
    assert repr(weft.asarray([1, 2]).translate(-1)) == "Tensor([1, 2], origin=(-1,))"
    assert repr(weft.asarray([1, 2]).translate(-1).translate(1)) == "Tensor([1, 2])"
    assert repr(weft.asarray([1, 2]).translate(3).at) == "<coordinates of Domain([3, 5))>"


# ---- at


def test_negative_coordinates_are_coordinates() -> None:
    x = weft.asarray(np.arange(10)).translate(-10)
    assert x.at[-10].item() == 0 and x.at[-1].item() == 9
    part = x.at[-3:]
    assert part.domain == weft.Domain((-3,), (3,)) and part.tolist() == [7, 8, 9]
    assert x.at[:-8].tolist() == [0, 1] and x.at[-5:-5].domain == weft.Domain((-5,), (0,))


def test_every_kind_of_key() -> None:
    x = at(10, -2)
    assert x.at[11, -1].item() == 5
    assert x.at[11].domain.origin == (-2,) and x.at[11].tolist() == [4, 5, 6, 7]
    assert x.at[..., 1].tolist() == [3, 7, 11] and x.at[..., 1].domain.origin == (10,)
    assert x.at[None, 12, None, -1:1].domain == weft.Domain((0, 0, -1), (1, 1, 2))
    assert x.at[np.int64(12), weft.asarray(0)].item() == 10
    assert x.at[[12, 10], [-2, 1]].tolist() == [8, 3]
    assert x.at[weft.asarray([12, 10])].tolist() == X[[2, 0]].tolist()
    assert x.at[:, np.array([True, False, True, False])].tolist() == X[:, ::2].tolist()
    assert weft.array(3).at[()].item() == 3 and weft.array(3).at[...].item() == 3


def test_a_step_divides_coordinates_and_a_negative_one_flips() -> None:
    x = weft.asarray(np.arange(-3, 5)).translate(-3)  # every value is its coordinate
    assert x.at[::2].tolist() == [-3, -1, 1, 3] and x.at[::2].domain == weft.Domain((-2,), (4,))
    assert x.at[-2:4:3].tolist() == [-2, 1] and x.at[-2:4:3].domain == weft.Domain((-1,), (2,))
    assert x.at[::-1].tolist() == list(range(4, -4, -1)) and x.at[::-1].domain == x.domain
    assert x.at[3:-2:-2].tolist() == [3, 1, -1] and x.at[3:-2:-2].domain == weft.Domain((-1,), (3,))
    assert x.at[0:0:-1].domain.shape == (0,)


def test_writing_by_coordinate() -> None:
    x = weft.array(np.zeros(6)).translate(-3)
    x.at[-3:0] = weft.asarray([1.0, 2.0, 3.0])
    x.at[2] = 9
    x.at[0:2] += 5
    x.at[[-1, -3]] = [7, 8]
    x.at[-2:0] *= 2
    assert x.tolist() == [8, 4, 14, 5, 5, 9]
    with pytest.raises(WriteError, match="read-only"):
        weft.constant([1]).translate(1).at[1] = 2


@pytest.mark.parametrize(
    ("key", "error", "message"),
    [
        (2, IndexOutOfBounds, r"coordinate 2 along axis 0; its coordinates are \[-3, 2\), none is counted from an end"),
        (-4, IndexOutOfBounds, "coordinate -4"),
        (slice(-4, 0), IndexOutOfBounds, r"slice \[-4:0\] along axis 0; its coordinates are \[-3, 2\)"),
        (slice(0, 3), IndexOutOfBounds, r"slice \[0:3\]"),
        (slice(1, 0), IndexOutOfBounds, r"slice \[1:0\]"),
        (slice(2, None, -1), IndexOutOfBounds, r"slice \[2:-4:-1\]"),
        (slice(None, None, 0), IndexOutOfBounds, "step 0 along axis 0"),
        ([0, 5], IndexOutOfBounds, "coordinate 5"),
        ([0.5], DTypeError, "coordinates of dtype float64"),
        ([[0], [0, 1]], IndexOutOfBounds, "nested lists of unequal lengths"),
        (1.5, DTypeError, "coordinate 1.5"),
        (True, DTypeError, "a truth value is no coordinate"),
        ((0, 0), IndexOutOfBounds, "2 coordinates and 0 ellipses"),
        ((..., ...), IndexOutOfBounds, "0 coordinates and 2 ellipses"),
    ],
)
def test_keys_that_are_refused(key: Any, error: type[Exception], message: str) -> None:
    x = weft.array(np.arange(5)).translate(-3)
    with pytest.raises(error, match="at: .*" + message):
        x.at[key]
    with pytest.raises(error, match="at: .*" + message):
        x.at[key] = 0


def test_translate_messages() -> None:
    with pytest.raises(ShapeError, match="translate: 1 offsets for a tensor of rank 2"):
        at(0, 0).translate((1,))
    with pytest.raises(ShapeError, match=r"coordinates are kept within 2\*\*62"):
        weft.asarray([1]).translate(1 << 63)
    with pytest.raises(DTypeError, match=r"translate: offset 1\.5"):
        weft.asarray([1]).translate(1.5)


# ---- align


def test_align_makes_stencils() -> None:
    values = np.random.default_rng(0).normal(size=20)
    u = weft.asarray(values)
    left, centre, right = weft.align(u.translate((1,)), u, u.translate((-1,)))
    laplace = right - 2 * centre + left
    assert laplace.domain == weft.Domain((1,), (18,))
    np.testing.assert_array_equal(laplace.numpy(), values[2:] - 2 * values[1:-1] + values[:-2])


def test_align_gives_views_on_the_intersection() -> None:
    a, b = weft.array(X).translate((0, -1)), weft.array(X).translate((1, 1))
    c, d = weft.align(a, b)
    assert c.domain == d.domain == weft.Domain((1, 1), (2, 2))
    c[...] = -1
    assert (a.at[1:, 1:].numpy() == -1).all() and (a.numpy() == -1).sum() == 4
    assert weft.align() == () and weft.align(a)[0].domain == a.domain
    empty, none = weft.align(a, weft.zeros((0, 4)))
    assert empty.shape == none.shape == (0, 3)


def test_align_messages() -> None:
    with pytest.raises(ShapeError, match=r"Domain\(\[0, 3\)\), Domain\(\[5, 8\)\) have no coordinate in common along"):
        weft.align(weft.zeros(3), weft.zeros(3).translate(5))
    with pytest.raises(ShapeError, match=r"align: domains .* their ranks differ"):
        weft.align(weft.zeros(3), at(0, 0))


# ---- overlay


def test_overlay_lays_later_over_earlier() -> None:
    below, above = weft.zeros((4, 4)), weft.ones((2, 2)).translate((-1, 2))
    made = weft.overlay([below, above], fill=7)
    assert made.domain == weft.Domain((-1, 0), (5, 4))
    assert made.numpy().tolist() == [[7, 7, 1, 1], [0, 0, 1, 1]] + [[0] * 4] * 3
    assert weft.overlay([above, below], domain=above.domain, fill=7).tolist() == [[1, 1], [0, 0]]
    part = weft.overlay([below, above], domain=np.s_[0:2, 1:3])
    assert part.tolist() == [[0, 1], [0, 0]] and part.domain.origin == (0, 1)
    assert weft.overlay([weft.zeros(2)], domain=slice(1)).shape == (1,)


def test_dtypes_join_as_in_concat_the_fill_too() -> None:
    a, b = weft.asarray([1], dtype=weft.int8), weft.asarray([2], dtype=weft.uint8).translate(2)
    assert weft.overlay([a, b], fill=0).dtype is weft.int16
    assert weft.overlay([a, b], fill=float("nan")).dtype is weft.float64
    assert weft.overlay([a], fill=weft.asarray(1.5, dtype=weft.float32)).dtype is weft.float32


def test_faults_of_cover_name_coordinates() -> None:
    shards = [weft.zeros(4), weft.zeros(4).translate(3)]
    whole = weft.Domain((0,), (8,))
    message = r"coordinate \(3,\) lies in parts 0 and 1 and coordinate \(7,\) lies in none, of Domain\(\[0, 8\)\)"
    with pytest.raises(ShapeError, match="overlay: " + message):
        weft.overlay(shards, domain=whole, clash="error")
    with pytest.raises(ShapeError, match=r"overlay: coordinate \(3,\) lies in parts 0 and 1, of"):
        weft.overlay(shards, domain=whole, clash="error", fill=0)
    with pytest.raises(ShapeError, match=r"overlay: no part covers coordinate \(7,\)"):
        weft.overlay(shards, domain=whole)
    exact = weft.overlay([shards[0], shards[1].translate(1)], domain=whole, clash="error")
    assert exact.shape == (8,)
    assert weft.overlay(shards, domain=np.s_[4:7], clash="error").shape == (3,)  # what lies outside does not matter


def test_overlay_messages() -> None:
    x = weft.zeros(3)
    with pytest.raises(ValueRangeError, match="overlay: clash 'first'"):
        weft.overlay([x], clash="first")
    with pytest.raises(DTypeError, match="overlay: domain 5; a Domain or slices"):
        weft.overlay([x], domain=5)
    with pytest.raises(ShapeError, match="it ends before it starts"):
        weft.overlay([x], domain=slice(3, 1))
    with pytest.raises(ShapeError, match="overlay: the fill has shape"):
        weft.overlay([x], fill=weft.zeros(2))
    with pytest.raises(ShapeError, match="overlay: no sequence of tensors"):
        weft.overlay([])
