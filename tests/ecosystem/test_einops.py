"""einops over tensors: patterns give the values that they give of NumPy's arrays, as tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

einops = pytest.importorskip("einops")

import weft  # noqa: E402

VALUES = np.arange(48.0).reshape(2, 4, 6)
CALLS: dict[str, Callable[[Any], Any]] = {
    "heads": lambda x: einops.rearrange(x, "b t (h d) -> b h t d", h=3),
    "patches": lambda x: einops.rearrange(x, "b (h p) (w q) -> b (h w) (p q)", p=2, q=3),
    "pooling": lambda x: einops.reduce(x, "b (t 2) c -> b t c", "mean"),
    "greatest": lambda x: einops.reduce(x, "b t c -> b () c", "max"),
    "repeated": lambda x: einops.repeat(x, "b t c -> b t c 3"),
    "product": lambda x: einops.einsum(x, x, "b t c, b u c -> b t u"),
    "packed": lambda x: einops.pack([x, x[..., 0]], "b t *")[0],
}


@pytest.mark.parametrize("name", CALLS)
def test_patterns_give_tensors_with_the_values_of_numpy(name: str) -> None:
    ours, theirs = CALLS[name](weft.asarray(VALUES)), CALLS[name](VALUES)
    assert isinstance(ours, weft.Tensor)
    np.testing.assert_array_equal(ours.numpy(), theirs)


def test_what_is_rearranged_without_splitting_is_a_view() -> None:
    x = weft.asarray(VALUES.copy())
    einops.rearrange(x, "b t c -> c b t")[0] = -1.0
    assert (x[..., 0] == -1).all()
