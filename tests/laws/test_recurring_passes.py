"""Gradients of passes that recur are, bit for bit, those that are built anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft.autograd import recurring_pass

OPS: list[Callable[..., Any]] = [
    lambda x, y, r, k: x * y,
    lambda x, y, r, k: x + y * r.uniform(),
    lambda x, y, r, k: weft.tanh(x) - y,
    lambda x, y, r, k: x @ y,
    lambda x, y, r, k: x.T @ y,
    lambda x, y, r, k: weft.where(x > y, x, y * 2.0),
    lambda x, y, r, k: weft.roll(x, 1, axis=0) * y,
    lambda x, y, r, k: weft.concat([x[:2], y[2:]]),
    lambda x, y, r, k: x / (1.0 + y * y),
    lambda x, y, r, k: x[weft.asarray(r.integers(0, 4, 4))] - y,
    lambda x, y, r, k: (x + 3.0 * k) * 0.5,
    lambda x, y, r, k: x - y.sum(axis=0),
    lambda x, y, r, k: weft.nn.softmax(x, axis=-1) * y.mean(axis=1, keepdims=True),
    lambda x, y, r, k: x.detach() * y,
    lambda x, y, r, k: weft.exp(-abs(x)) ** 2.0,
    lambda x, y, r, k: x * (weft.random.uniform(x.shape, seed=k, dtype=x.dtype) > 0.3),
]


def passes(seed: int, dtype: str) -> list[np.ndarray]:
    """Return the losses, values and gradients of six steps of a random program, whose data and numbers change."""
    r = np.random.default_rng(seed)
    leaves = [weft.asarray(r.standard_normal((4, 4)).astype(dtype)).requires_grad_() for _ in range(3)]
    chosen = [(OPS[r.integers(len(OPS))], r.integers(0, 6, 2)) for _ in range(6)]
    seen: list[np.ndarray] = []
    for k in range(6):
        data = [weft.asarray(r.standard_normal((4, 4)).astype(dtype)) for _ in range(2)]
        values: list[Any] = [*leaves, *data, leaves[0] * data[0]]
        for f, (i, j) in chosen:
            values.append(f(values[i - 6], values[j - 6], r, k))
        loss = (values[-1] * values[-2]).sum() + values[-3].mean() + leaves[0].sum()
        if k == 3:
            values[-1].numpy()  # what is stored already is a source of the pass
        if seed % 3 == 0:
            found = weft.autograd.grad(loss, [*leaves, values[5]])
            seen += [np.zeros(()) if g is None else g.numpy() for g in found]
        else:
            loss.backward()
            with weft.no_grad():
                for p in leaves:
                    if p.grad is not None:
                        seen.append(p.grad.numpy())
                        p -= 0.01 / (1 + k) * p.grad
                        p.grad = None
        seen += [loss.numpy(), values[-2].numpy()]
    return seen


SEEDS = [pytest.param(seed, marks=() if seed < 40 else pytest.mark.slow) for seed in range(400)]


@pytest.mark.parametrize("seed", SEEDS)
def test_gradients_are_those_of_passes_built_anew(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dtype = ("f4", "f8")[seed % 2]
    found = passes(seed, dtype)
    monkeypatch.setattr(recurring_pass, "find", lambda seeds, wanted: None)
    for a, b in zip(found, passes(seed, dtype), strict=True):
        np.testing.assert_array_equal(a, b)
