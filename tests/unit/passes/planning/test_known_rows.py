"""Rows that were planned before equal those planned afresh, and the steps of a loop share one kernel."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import weft
from weft.passes.planning.site import KNOWN
from weft.runtime.compute.stages import planned_work
from weft.tensors.tensor import node_of

CELLS = np.arange(60.0).reshape(6, 10)
GRAPHS: dict[str, Callable[[weft.Tensor, weft.Tensor], weft.Tensor]] = {
    "rolls and numbers": lambda x, y: weft.roll(x * 2.0 + y, 1, axis=0) * 3.0 - weft.roll(y, 2, axis=1) / 2.0,
    "the same number twice": lambda x, y: (x + 2.0) * weft.pad(y, 1)[1:-1, 1:-1] + 2.0,
    "parts with numbers": lambda x, y: weft.concat([x * 2.0, y * 3.0, x - 4.0]),
    "coordinates": lambda x, y: weft.where(weft.arange(10.0) > 4.0, x, weft.roll(y, 3, axis=1)),
    "positions": lambda x, y: x[weft.asarray([3, 1, 4, 1, 5])] * 2.0 + y[1:],
    "views": lambda x, y: weft.roll(x[::-1, 1::2], 1, axis=1) + y.T[:5].T * 2.0,
    "one source twice": lambda x, y: weft.roll(x[1:], 1, axis=0) + x[:-1],
    "a repeated sum": lambda x, y: (weft.roll(x, 1, axis=1) * 2.0 + y).sum(axis=0),
    "turns": lambda x, y: weft.interleave([x * 2.0, y * 3.0, x * 2.0 + y], axis=1),
}


def sources(order: str = "<") -> list[tuple[weft.Tensor, weft.Tensor]]:
    """Return pairs of tensors of one layout, in memory of their own or in one memory."""
    whole = weft.asarray(np.stack([CELLS, CELLS + 1, CELLS + 2]).astype(f"{order}f8"))
    apart = [weft.asarray((CELLS + k).astype(f"{order}f8")) for k in range(2)]
    return [(apart[0], apart[1]), (whole[0], whole[2]), (whole[2], whole[1]), (apart[1], apart[1])]


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("graph", GRAPHS)
def test_rows_planned_before_are_those_planned_afresh(graph: str, order: str) -> None:
    for x, y in sources(order):
        KNOWN.kept.clear()
        fresh = weft.show(GRAPHS[graph](x, y), "program")
        assert weft.show(GRAPHS[graph](x, y), "program") == fresh
        KNOWN.kept.clear()
        for a, b in sources(order):
            weft.show(GRAPHS[graph](a, b), "program")
        assert weft.show(GRAPHS[graph](x, y), "program") == fresh
        np.testing.assert_array_equal(GRAPHS[graph](x, y).numpy(), expected(graph, x, y))


def expected(graph: str, x: weft.Tensor, y: weft.Tensor) -> np.ndarray:
    with weft.transformer("reference"):
        return GRAPHS[graph](x, y).numpy()


def test_steps_of_a_loop_are_one_kernel() -> None:
    u = weft.asarray((np.arange(90_000).reshape(300, 300) % 3 == 0).astype("i4"))
    for _ in range(4):
        around = sum(weft.roll(weft.roll(u, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        u = ((around == 3) | ((u == 1) & (around == 2))).astype("int32")
    plan = planned_work([node_of(u)]).program.plan
    first, second, third = plan.steps[:3]
    assert {row.body for row in (*first.rows, *second.rows, *third.rows)} == {first.rows[0].body}
    assert [step.rows[0].scalars for step in (first, second, third)] == [0, 3, 6]
    assert sorted(plan.slots) == sorted(set(plan.slots))


def test_memory_of_rows_is_bounded() -> None:
    KNOWN.kept.clear()
    x = weft.asarray(CELLS)
    for k in range(600):
        weft.show(weft.roll(x[:, : 1 + k % 9], 1 + k % 5, axis=0) * (weft.pad(x, (k, 0)).sum()), "program")
    assert len(KNOWN.kept) <= 512
