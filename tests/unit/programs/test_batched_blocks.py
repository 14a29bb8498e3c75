"""Loops, choices and functions over blocks inside `weft.vmap`: values, gradients, and how they are cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft.errors import GradientError

X = weft.asarray(np.random.default_rng(0).integers(-4, 9, (3, 4)) / 4)
A = weft.asarray([0.5, 2.0, -1.0])


def scanned(v: Any, a: Any) -> Any:
    return weft.scan(lambda c, e: (c * a + e, (c, e * 2)), weft.zeros(()), v)


def shared_rows(v: Any, a: Any) -> Any:
    return weft.scan(lambda c, e: (c * a + e, None), v.sum(), weft.asarray([1.0, 2.0]))[0]


def chosen(v: Any, a: Any) -> Any:
    return weft.cond(v.sum() > 2, lambda v: (v * a, v.sum()), lambda v: (-v, a), v)


def chosen_together(v: Any, a: Any) -> Any:
    return weft.cond(X.sum() > 2, lambda v: v * a, lambda v: -v, v)


def repeated(v: Any, a: Any) -> Any:
    def step(state: Any) -> Any:
        return {"x": state["x"] * 2 + a, "n": state["n"] + 1}

    return weft.while_loop(lambda s: s["x"].sum() < 100, step, {"x": weft.abs(v) + 3, "n": 0})


def in_blocks(v: Any, a: Any) -> Any:
    return weft.map_blocks(lambda b, c: b[2:] * c - b[:-2], v, a, windows=[((1, 1),), None], index=(2,))


def several_outputs(v: Any, a: Any) -> Any:
    whole, one = weft.Projection([[0]], shape=(4,)), weft.Projection([[1]])
    return weft.map_blocks(
        lambda b, c: (b[::-1] + c, b.sum(keepdims=True)), v, a, windows=[whole, weft.Projection([])],
        out=[whole, one], index=(1,), dtype=[weft.float64, weft.float64], shape=[(4,), (1,)],
    )  # fmt: skip


EVERY = [scanned, shared_rows, chosen, chosen_together, repeated, in_blocks, several_outputs]


def leaves(x: Any) -> list[Any]:
    if isinstance(x, dict):
        x = tuple(x.values())
    return [t for part in x for t in leaves(part)] if isinstance(x, tuple) else [x]


@pytest.mark.parametrize("in_axes", [(0, 0), (0, None), (None, 0)])
@pytest.mark.parametrize("f", EVERY)
def test_values_are_those_of_the_entries(f: Callable[..., Any], in_axes: Any) -> None:
    given = [t if axis == 0 else t[1] for t, axis in zip((X, A), in_axes, strict=True)]
    made = leaves(weft.vmap(f, in_axes=in_axes)(*given))
    compiled = leaves(weft.compile(weft.vmap(f, in_axes=in_axes))(*given))
    for k in range(3):
        one = leaves(f(*[t if axis is None else t[k] for t, axis in zip(given, in_axes, strict=True)]))
        assert [m[k].tolist() for m in made] == [t.tolist() for t in one] == [m[k].tolist() for m in compiled]


@pytest.mark.parametrize("f", [scanned, shared_rows, chosen, chosen_together])
def test_gradients_are_those_of_the_entries(f: Callable[..., Any]) -> None:
    def total(parts: list[Any]) -> Any:
        return sum((t * weft.cos(t)).sum() for t in parts)

    x, a = X.copy().requires_grad_(), A.copy().requires_grad_()
    found = weft.autograd.grad(total(leaves(weft.vmap(f)(x, a))), [x, a])
    expected = weft.autograd.grad(sum(total(leaves(f(x[k], a[k]))) for k in range(3)), [x, a])
    for g, e in zip(found, expected, strict=True):
        assert np.allclose(g.numpy(), e.numpy())
    per_entry = weft.vmap(lambda v, b: weft.autograd.grad(total(leaves(f(v, b))), [v, b]))(x, a)
    assert all(np.allclose(g.numpy(), e.numpy()) for g, e in zip(per_entry, expected, strict=True))


def test_batches_of_batches() -> None:
    made = weft.vmap(lambda a: weft.vmap(lambda v: scanned(v, a)[0])(X))(A)
    assert made.tolist() == [[scanned(v, a)[0].item() for v in X] for a in A]
    made = weft.vmap(lambda a: weft.vmap(lambda v: in_blocks(v, a))(X))(A)
    assert made.tolist() == [[in_blocks(v, a).tolist() for v in X] for a in A]


def test_batches_inside_loops() -> None:
    made = weft.scan(lambda c, a: (c + weft.vmap(lambda v: v.sum() * a)(X), None), weft.zeros(3), A)[0]
    assert made.tolist() == (X.sum(axis=1) * A.sum()).tolist()


def test_gradients_of_functions_of_users() -> None:
    x, a = X.copy().requires_grad_(), A.copy().requires_grad_()
    made = weft.vmap(lambda v, a: weft.map_blocks(lambda b, c: b * c, v, a, vjp=lambda g, v, a: (g * a, (g * v).sum())))
    found = weft.autograd.grad((made(x, a) ** 2).sum(), [x, a])
    expected = weft.autograd.grad(((x * a[:, None]) ** 2).sum(), [x, a])
    assert all(np.allclose(g.numpy(), e.numpy()) for g, e in zip(found, expected, strict=True))
    shared = weft.vmap(lambda v: made.__wrapped__(v, a[0]))(x)
    (found_a,) = weft.autograd.grad(shared.sum(), a)
    assert np.allclose(found_a.numpy(), [X.sum().item(), 0, 0])
    with pytest.raises(GradientError, match="map_blocks: no gradient"):
        weft.autograd.grad(weft.vmap(lambda v: weft.map_blocks(np.sqrt, v))(x).sum(), x)


def test_a_part_of_a_batch_calls_the_function_for_its_entries_alone() -> None:
    calls = []

    def f(b: np.ndarray) -> np.ndarray:
        calls.append(b.shape)
        return b + 1

    made = weft.vmap(lambda v: weft.map_blocks(f, v, dtype=weft.float64))(X)
    assert made[1].tolist() == (X[1] + 1).tolist() and calls == [(4,)]


def test_errors_of_functions_pass() -> None:
    def f(b: np.ndarray) -> np.ndarray:
        raise KeyError("of the user")

    with pytest.raises(KeyError, match="of the user"):
        weft.vmap(lambda v: weft.map_blocks(f, v, dtype=weft.float64))(X).tolist()


@pytest.mark.parametrize("size", [0, 1])
def test_few_entries(size: int) -> None:
    for f in EVERY:
        for k, made in enumerate(leaves(weft.vmap(f)(X[:size], A[:size]))):
            one = leaves(f(X[0], A[0]))[k]
            assert made.shape == (size, *one.shape) and made.tolist() == [one.tolist()][:size]
