"""Temporaries that share the arena: none is overwritten while something is still to be read of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import weft


def test_a_temporary_lives_until_its_last_view_is_read() -> None:
    """A view of a copied view is read where the first value lies, not where the copy does."""
    a = np.random.default_rng(0).normal(size=(2, 3, 3)).astype(np.float32)

    def program() -> weft.Tensor:
        q, r = weft.linalg.qr(weft.asarray(a))
        return q @ r - r[:, :, ::-1] * 0.5

    with weft.eager():
        wanted = program().numpy()
    assert np.array_equal(program(), wanted)


X = np.random.default_rng(1).normal(size=(1024, 512)).astype(np.float32)
Y = X[:512] / 16
PRODUCT = X.nbytes


@pytest.mark.parametrize(
    ("f", "products"),
    [
        (lambda h: weft.sin(h) * 2 + h, 1),  # written over the product
        (lambda h: weft.exp(-weft.cos(h)), 1),
        (weft.nn.softmax, 1),  # by blocks, over the rows that are read
        (lambda h: weft.nn.softmax(h) * h, 1),
        (lambda h: weft.flip(h, axis=1) + h, 2),  # a cell is read after another was written there
        (lambda h: weft.nn.softmax(h) + weft.flip(h, axis=0), 2),
    ],
)
def test_what_is_read_for_the_last_time_is_written_over(f: Callable[[weft.Tensor], weft.Tensor], products: int) -> None:
    def program() -> weft.Tensor:
        return f(weft.asarray(X) @ weft.asarray(Y)) @ weft.asarray(Y)

    taken = weft.explain(program()).temporary_bytes
    assert products * PRODUCT <= taken < products * PRODUCT + PRODUCT // 8
    with weft.checking():
        found = program().numpy()
    with weft.without("arena"):
        assert np.array_equal(program().numpy(), found)
