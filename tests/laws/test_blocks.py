"""Laws of block operators: any cut, any part and any transformer gives what NumPy gives for the whole.

The one idea: the function knows nothing of where its block lies, so whatever weft hands it must be what the projections
say; NumPy computes the same from sliding windows over the whole.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import chain, product
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import sliding_window_view

import weft
from tests.laws.test_demand import a_box, check
from weft import Projection
from weft.ir.pieces.box import Box, box_of
from weft.ir.pieces.demand import demand
from weft.ir.pieces.request import NotAView, Request
from weft.passes.narrowing.restrict import restricted_together
from weft.tensors.tensor import node_of, values_of


class Draw:
    """Hypothesis's choices, as `random.Random` has them."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data

    def randint(self, low: int, high: int) -> int:
        return self.data.draw(st.integers(low, high))


def weighed(windows: np.ndarray, rank: int) -> np.ndarray:
    """A number for each window in which every cell has a weight of its own."""
    weights = np.arange(1, 1 + int(np.prod(windows.shape[rank:]))).reshape(windows.shape[rank:])
    return (windows * weights).sum(axis=tuple(range(rank, windows.ndim)), dtype=np.int64)


def drawn(data: st.DataObject) -> tuple[Any, np.ndarray]:
    """A tensor of block functions, and its values by NumPy."""
    pick = Draw(data).randint
    rank = pick(1, 3)
    margins = tuple([(pick(0, 2), pick(0, 2)) for _ in range(rank)])
    inner = tuple([pick(1, 7) for _ in range(rank)])
    shape = tuple([n + b + a for n, (b, a) in zip(inner, margins, strict=True)])
    x = np.arange(int(np.prod(shape))).reshape(shape) % 11
    window = tuple([1 + b + a for b, a in margins])
    blocks = None if pick(0, 2) == 0 else tuple([pick(1, n) for n in inner])
    given_x = weft.asarray(x) if pick(0, 1) else weft.asarray(x - 1) + 1
    kind = pick(0, 3)
    if kind == 0:  # neighbours
        f = lambda b: weighed(sliding_window_view(b, window), rank)  # noqa: E731
        y = weft.map_blocks(f, given_x, windows=margins, blocks=blocks, dtype="int64")
        return y, f(x)
    step = tuple([pick(1, 3) for _ in range(rank)])
    index = tuple([(n - w) // s + 1 for n, w, s in zip(shape, window, step, strict=True)])
    strided = lambda b: sliding_window_view(b, window)[tuple([slice(None, None, s) for s in step])]  # noqa: E731
    steps = Projection(np.diag(step), None, window)
    blocks = None if blocks is None else tuple(map(min, blocks, index))
    if kind == 1:  # windows at steps
        f = lambda b: weighed(strided(b), rank)  # noqa: E731
        return weft.map_blocks(f, given_x, windows=steps, index=index, blocks=blocks, dtype="int64"), f(x)
    if kind == 2:  # results of several cells, in the order of the last axis turned
        signs = [1] * (rank - 1) + [-1]
        rows = [[2 * signs[a] * (a == j) for j in range(rank)] for a in range(rank)]
        out = Projection(rows, [0] * (rank - 1) + [2 * (index[-1] - 1)], [2] * rank)
        f = lambda b: np.kron(weighed(strided(b), rank)[..., ::-1], np.arange(2**rank).reshape((2,) * rank))  # noqa: E731
        return weft.map_blocks(f, given_x, windows=steps, index=index, out=out, blocks=blocks, dtype="int64"), f(x)
    order = [*range(1, rank), 0]  # axes in turn, and all of a second input for each cell
    table = np.arange(5)
    g = lambda b, t: (weighed(strided(b), rank) * t.sum()).transpose(order)  # noqa: E731
    out = Projection([[int(j == a) for j in range(rank)] for a in order])
    all_of = Projection([[0] * rank], None, (5,))
    y = weft.map_blocks(
        g, given_x, table, windows=[steps, all_of], index=index, out=out, blocks=blocks, dtype="int64", check=True
    )
    return y, g(x, table)


@given(st.data())
def test_values_are_those_of_sliding_windows(data):
    y, wanted = drawn(data)
    box = a_box(Draw(data), wanted.shape)
    part = y[box.slices]
    held = part + y[box.slices]
    assert part.tolist() == wanted[box.slices].tolist()
    assert held.tolist() == (2 * wanted[box.slices]).tolist()
    assert y.sum(axis=0).tolist() == wanted.sum(axis=0).tolist()


@given(st.data())
def test_a_part_of_pending_blocks_calls_for_a_part(data):
    y, wanted = drawn(data)
    box = a_box(Draw(data), wanted.shape)
    assert (y[box.slices] * 3).tolist() == (wanted[box.slices] * 3).tolist()
    with weft.transformer("reference"):
        assert (y[box.slices] * 5).tolist() == (wanted[box.slices] * 5).tolist()


@given(st.data())
def test_nothing_but_the_cells_demanded_is_read(data):
    y, wanted = drawn(data)
    check(node_of(y), a_box(Draw(data), wanted.shape), {})


def positions(r: Request) -> set[tuple[int, ...]]:
    """The positions that a request reads."""
    return {
        tuple([o + sum(a * at[p] for p, a in terms) for o, terms in r.rows]) for at in product(*map(range, r.sizes))
    }


@given(st.data())
def test_a_request_asks_for_the_windows_of_its_cells(data):
    y, wanted = drawn(data)
    n, box = node_of(y), a_box(Draw(data), wanted.shape)
    operator, number = n.attrs
    if max(map(abs, [a for row in operator.outputs[number].matrix for a in row])) > 1 < max(operator.index):
        with suppress(NotAView):
            demand(n, box.request)
        return
    cells = [operator.cells(number, box_of((1,) * wanted.ndim, at)).start for at in positions(box.request)]
    for k, asked in demand(n, box.request)[:-1]:
        p = operator.inputs[k]
        read = [product(*[range(a, a + m) for a, m in zip(p.first(cell), p.shape, strict=True)]) for cell in cells]
        assert positions(asked) == set(chain(*read))
        assert asked.sizes[: wanted.ndim] == box.size and asked.start[: wanted.ndim] == (0,) * wanted.ndim


@given(st.data())
def test_tiles_together_are_the_whole(data):
    y, wanted = drawn(data)
    axis = Draw(data).randint(0, wanted.ndim - 1)
    at = Draw(data).randint(0, wanted.shape[axis])
    found = np.empty_like(wanted)
    for first, stop in ((0, at), (at, wanted.shape[axis])):
        size = (*wanted.shape[:axis], stop - first, *wanted.shape[axis + 1 :])
        box = Box(tuple([first * (a == axis) for a in range(wanted.ndim)]), (1,) * wanted.ndim, size)
        if stop > first:
            (tile,) = restricted_together([(node_of(y), box)])
            found[box.slices] = values_of(tile)
    assert found.tolist() == wanted.tolist()


@given(st.data())
def test_blocks_of_blocks(data):
    pick = Draw(data).randint
    x = np.arange(60).reshape(10, 6) ** 2
    f = lambda b: b[1:-1, :-1] - b[2:, 1:]  # noqa: E731
    g = lambda b, c: b[:-2] + c  # noqa: E731
    inner = weft.map_blocks(f, x, windows=((1, 1), (0, 1)), dtype=x.dtype, blocks=(pick(1, 8), pick(1, 5)))
    y = weft.map_blocks(g, inner, inner[1:-1], windows=[((1, 1), (0, 0)), None], dtype=x.dtype, blocks=pick(1, 5))
    wanted = g(f(x), f(x)[1:-1])
    box = a_box(Draw(data), wanted.shape)
    assert (y[box.slices] + 1).tolist() == (wanted[box.slices] + 1).tolist()
    check(node_of(y), box, {})
