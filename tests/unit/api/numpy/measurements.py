"""Measurements in every dtype and layout, and weights for them."""

import numpy as np

WEIGHTS = np.random.default_rng(2).random((4, 30))


def layouts(dtype):
    """Return numbers from 0 to 120 in rows, in rows turned around, in columns, and in every third column."""
    a = (np.random.default_rng(2).normal(size=(4, 30)) * 20 + 30).clip(0, 120).astype(dtype)
    a = a + 1j * a[::-1] if np.dtype(dtype).kind == "c" else a
    return [a, a[::-1], a.T.copy().T, a[:, ::-3]]
