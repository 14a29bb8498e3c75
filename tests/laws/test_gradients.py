"""Gradients of random programs: the same bits lazily and eagerly, and those that differences say."""

from __future__ import annotations

import random

import numpy as np
import pytest

import weft

SHAPES = [(3, 4), (4,), (3, 1), ()]
UNARY = [weft.exp, weft.sin, weft.tanh, weft.square, weft.erf, weft.abs, lambda x: weft.log1p(x * x)]
BINARY = [weft.add, weft.subtract, weft.multiply, weft.maximum, weft.fmin, weft.atan2, weft.logaddexp]
ALONG = [
    weft.sum, weft.mean, weft.max, weft.prod, weft.var, weft.cumulative_sum, weft.cumulative_prod, weft.sort,
    lambda x, axis: weft.flip(x, axis=axis), lambda x, axis: weft.roll(x, 2, axis=axis),
    lambda x, axis: weft.concat([x, x * 2], axis=axis),
    lambda x, axis: weft.take(x, weft.asarray([0, -1, 0]), axis=axis),
    lambda x, axis: weft.nn.softmax(x, axis=axis),
]  # fmt: skip
WHOLE = [
    lambda x: x[tuple([slice(None, None, -2)] * x.ndim)], lambda x: x.T if x.ndim == 2 else weft.expand_dims(x, axis=0),
    lambda x: weft.reshape(x, (-1,)), lambda x: weft.pad(x, 1, mode="symmetric"), lambda x: x[None],
]  # fmt: skip


def fits(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    try:
        return len(np.broadcast_shapes(a, b)) >= 0
    except ValueError:
        return False


def result(seed: int, given: list[weft.Tensor]) -> weft.Tensor:
    """A number that a random program makes of tensors."""
    pick, values = random.Random(seed), list(given)
    for _ in range(pick.randint(3, 8)):
        x, way = pick.choice(values), pick.randrange(4)
        if way == 0:
            made = pick.choice(UNARY)(x)
        elif way == 1:
            made = pick.choice(BINARY)(x, pick.choice([v for v in values if fits(v.shape, x.shape)]))
        elif way == 2 and x.ndim:
            made = pick.choice(ALONG)(x, axis=pick.randrange(x.ndim))
        else:
            made = pick.choice(WHOLE)(x)
        values.append(made if made.size < 300 else x)
    total = weft.asarray(0.0)
    for v in values[-3:]:
        total = total + weft.tanh(v * 0.3).sum()
    return total


def gradients(seed: int, values: list[np.ndarray]) -> list[np.ndarray | None]:
    leaves = [weft.array(v).requires_grad_() for v in values]
    result(seed, leaves).backward()
    return [None if x.grad is None else x.grad.numpy() for x in leaves]


@pytest.mark.parametrize("seed", [*range(4), *[pytest.param(n, marks=pytest.mark.slow) for n in range(4, 60)]])
def test_gradients_of_programs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = [rng.uniform(-1.5, 1.5, s) for s in SHAPES]
    made = gradients(seed, values)
    with weft.eager():
        again = gradients(seed, values)
    along, slope = [rng.standard_normal(v.shape) for v in values], 0.0
    for g, same, u in zip(made, again, along, strict=True):
        assert (g is None) == (same is None)
        if g is not None and same is not None:
            assert np.array_equal(g, same, equal_nan=True)
            slope += float((g * u).sum())
    ends = [
        result(seed, [weft.array(v + h * u) for v, u in zip(values, along, strict=True)]).item() for h in (1e-6, -1e-6)
    ]
    assert slope == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-3, abs=1e-5)
