"""Which nodes are stored on the way: those that a reader repeats, also through a view of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import weft

X, Y = weft.ones((8, 30)), weft.ones((8, 20))
REPEATED: dict[str, Callable[[Any], Any]] = {
    "at once": lambda y: y * weft.ones((9, 8, 20)),
    "new axes": lambda y: X[:, :, None] * y[:, None, :],
    "a view of a view": lambda y: X[:, :, None] + y[::-1].T[None].mT[0][:, None],
    "broadcast": lambda y: weft.broadcast_to(y[:, None, :], (8, 9, 20)) + 1,
}


@pytest.mark.parametrize("name", sorted(REPEATED))
def test_what_a_reader_repeats_is_computed_once(name: str) -> None:
    made = REPEATED[name](weft.tanh(Y + 1))
    assert weft.explain(made).kernels == 2
    assert weft.explain(REPEATED[name](Y + 1)).kernels == 1  # cheap steps are repeated
