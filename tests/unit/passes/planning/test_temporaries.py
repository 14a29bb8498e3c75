"""Temporaries that share the arena: none is overwritten while something is still to be read of it."""

from __future__ import annotations

import numpy as np

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
