"""Domains are boxes of plain integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from weft.errors import DTypeError, ShapeError
from weft.ir.graph.domain import Domain


def test_integers_of_any_kind_become_plain_ones() -> None:
    d = Domain([np.int64(-1), True], np.array([2, 3]))  # type: ignore[arg-type]
    assert d == Domain((-1, 1), (2, 3))
    assert [type(v) for v in (*d.origin, *d.shape)] == [int] * 4
    assert hash(d) == hash(Domain((-1, 1), (2, 3)))


@pytest.mark.parametrize("given", [(3.0,), "a", ("a",), 3, None, (None,), (float("nan"),), ((1,),)])
def test_what_is_no_integer_is_refused(given: Any) -> None:
    with pytest.raises(DTypeError, match=r"domain: shape .*; it must be a tuple of integers; give one per axis"):
        Domain((0,), given)
    with pytest.raises(DTypeError, match="domain: origin "):
        Domain(given, (3,))


def test_ranks_agree_and_sizes_are_not_negative() -> None:
    with pytest.raises(ShapeError, match="differ in rank; give one per axis"):
        Domain((0, 0), (3,))
    with pytest.raises(ShapeError, match="has a negative size; sizes are 0 or more"):
        Domain((0,), (-1,))


def test_shapes_stay_integers_after_a_domain_was_refused() -> None:
    with pytest.raises(DTypeError):
        weft.overlay([weft.zeros(17)], domain=Domain((0.0,), (17.0,)))  # type: ignore[arg-type]
    assert type(weft.ones(17).shape[0]) is int
