"""Loops that train: each step builds the graphs of the step before, so nothing is planned after the first few.

The order in which a loop updates its parameters and reads its loss does not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from weakref import ref

import numpy as np
import pytest

import weft
from weft.runtime.compute import stages
from weft.tensors.tensor import node_of

Step = Callable[[], weft.Tensor]
RNG = np.random.default_rng(3)


def leaf(*shape: int) -> weft.Tensor:
    return weft.asarray(RNG.standard_normal(shape) / np.sqrt(shape[0])).requires_grad_()


def updated(loss: weft.Tensor, leaves: list[weft.Tensor]) -> weft.Tensor:
    loss.backward()
    with weft.no_grad():
        for p in leaves:
            p -= 0.05 * p.grad
            p.grad = None
    return loss


def perceptron() -> Step:
    leaves = [leaf(6, 16), leaf(16), leaf(16, 16), leaf(16, 16), leaf(16, 3)]
    x, y = weft.asarray(RNG.standard_normal((32, 6))), weft.asarray(RNG.standard_normal((32, 3)))

    def step() -> weft.Tensor:
        h = weft.tanh(x @ leaves[0] + leaves[1])
        for w in leaves[2:-1]:
            h = weft.tanh(h @ w) + h
        return updated(((h @ leaves[-1] - y) ** 2).mean(), leaves)

    return step


def recurrent() -> Step:
    leaves = [leaf(4, 8), leaf(8, 8), leaf(8, 1)]
    x, y = weft.asarray(RNG.standard_normal((30, 5, 4))), weft.asarray(RNG.standard_normal((5, 1)))

    def step() -> weft.Tensor:
        h = weft.zeros((5, 8), dtype="float64")
        for t in range(30):
            h = weft.tanh(x[t] @ leaves[0] + h @ leaves[1])
        return updated(((h @ leaves[2] - y) ** 2).mean(), leaves)

    return step


def functional() -> Step:
    params = {"w": leaf(6, 16).detach(), "v": leaf(16, 3).detach()}
    x, y = weft.asarray(RNG.standard_normal((32, 6))), weft.asarray(RNG.standard_normal((32, 3)))
    f = weft.value_and_grad(lambda p: ((weft.tanh(x @ p["w"]) @ p["v"] - y) ** 2).mean())

    def step() -> weft.Tensor:
        value, gradient = f(params)
        for name in params:
            params[name] = params[name] - 0.05 * gradient[name]
        return value

    return step


def likelihood() -> Step:
    """Return the step of a Gaussian process, whose gradients come of a factorisation that may fail."""
    leaves = [weft.asarray(0.0).requires_grad_(), weft.asarray(0.5).requires_grad_()]
    x, eye = weft.linspace(0, 3, 20), weft.eye(20)
    y, distance = weft.sin(x), (x[:, None] - x) ** 2

    def step() -> weft.Tensor:
        k = weft.exp(leaves[0] - distance) + weft.exp(leaves[1]) * eye
        factor = weft.linalg.cholesky(k)
        loss = y @ weft.linalg.solve(k, y) + weft.log(weft.linalg.diagonal(factor)).sum()
        return updated(loss, leaves)

    return step


@pytest.mark.parametrize("every", [1, 7, 1000], ids=["loss read", "some losses read", "no loss read"])
@pytest.mark.parametrize("make", [perceptron, recurrent, functional, likelihood], ids=lambda f: f.__name__)
def test_later_steps_plan_nothing(make: Callable[[], Step], every: int, planned: list[int]) -> None:
    step = make()
    losses = [step()]
    for k in range(1, 57):
        losses.append(step())
        if k % every == 0:
            losses[-1].item()
    planned.clear()
    for k in range(57, 71):
        losses.append(step())
        if k % every == 0:
            losses[-1].item()
    assert planned == []
    found = [x.item() for x in losses]
    assert found[-1] < found[0]


def test_values_that_are_gone_are_stored_for_those_who_read_them(planned: list[int]) -> None:
    u = weft.asarray(RNG.standard_normal((200, 300)))
    sums = []
    for _ in range(60):
        later = u + 0.1 * (weft.roll(u, 1, 0) + weft.roll(u, -1, 0) + weft.roll(u, 1, 1) - 3 * u)
        square = (u * u).sum()
        u = later  # the old value has no name any more
        sums.append(square.item())
    assert max(planned) < 100, planned
    assert len(planned) < 20
    assert np.all(np.diff(sums) < 0)


def test_leaves_that_others_see_have_their_gradients_computed_together(monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = [RNG.standard_normal((6, 16)), RNG.standard_normal((16, 16)), RNG.standard_normal((16, 3))]
    leaves = [weft.asarray(a).requires_grad_() for a in arrays]
    h = weft.tanh(weft.asarray(RNG.standard_normal((32, 6))) @ leaves[0])
    loss = (weft.tanh(h @ leaves[1]) @ leaves[2]).sum()
    works: list[int] = []
    perform = stages.perform
    monkeypatch.setattr(stages, "perform", lambda work, *more: works.append(len(work.nodes)) or perform(work, *more))
    loss.backward()
    assert works == [4]
    assert all(node_of(p.grad).value is not None for p in leaves)


def test_products_are_not_kept_beside_their_gradients() -> None:
    p = weft.asarray(RNG.standard_normal((300, 300))).requires_grad_()
    product = p @ weft.asarray(RNG.standard_normal((300, 300)))
    loss = weft.tanh(product).sum()
    inner = ref(node_of(product))
    del product
    loss.backward()
    assert node_of(loss).value is not None
    assert node_of(p.grad).value is not None
    assert inner() is None or inner().value is None
