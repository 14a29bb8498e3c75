"""Backward passes that recur run by one program, build no gradients, and are built anew where they must be."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import weft
from weft.autograd import backward_pass, propagation, recurring_pass
from weft.errors import OverwrittenError
from weft.ir.graph.node import Node
from weft.tensors.tensor import node_of

RNG = np.random.default_rng(0)
Loss = Callable[[weft.Tensor, weft.Tensor, int], weft.Tensor]


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Return a list that gets a number for each backward pass whose gradients are built."""
    numbers: list[int] = []

    def counted(*given: object) -> tuple[dict[object, Node], bool]:
        numbers.append(len(numbers))
        return propagation.propagate(*given)  # type: ignore[arg-type, return-value]

    monkeypatch.setattr(backward_pass, "propagate", counted)
    yield numbers


def leaf(*shape: int) -> weft.Tensor:
    return weft.asarray(RNG.standard_normal(shape)).requires_grad_()


def test_later_steps_build_no_gradients(built: list[int]) -> None:
    w = leaf(7, 3)
    for k in range(6):
        x = weft.asarray(RNG.standard_normal((5, 7)))
        loss = (weft.tanh(x @ w) ** 2).sum()
        loss.backward()
        expected = 2 * x.numpy().T @ (np.tanh(x.numpy() @ w.numpy()) * (1 - np.tanh(x.numpy() @ w.numpy()) ** 2))
        np.testing.assert_allclose(w.grad.numpy(), expected, rtol=1e-9)
        assert k == 0 or node_of(loss).value is not None
        with weft.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
    assert len(built) == 1


@pytest.mark.parametrize("loss", [
    lambda w, x, k: ((w * x) ** 2).sum() * (1.0 / (k + 1)),
    lambda w, x, k: weft.where(weft.random.uniform(x.shape, seed=k) > 0.5, w * x, 0.0).sum(),
    lambda w, x, k: (abs(w * x + 2.0) ** (1.5 + k)).sum(),
])  # fmt: skip
def test_numbers_may_vary(loss: Loss, built: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    w, x = leaf(4, 4), weft.asarray(RNG.standard_normal((4, 4)))
    found = []
    for k in range(7):
        loss(w, x, k).backward()
        found.append(w.grad.numpy())
        w.grad = None
    assert len(built) == 2  # numbers vary from the second step on
    monkeypatch.setattr(recurring_pass, "find", lambda seeds, wanted: None)
    for k in range(7):
        loss(w, x, k).backward()
        np.testing.assert_array_equal(w.grad.numpy(), found[k])
        w.grad = None


def test_positions_may_repeat_or_not() -> None:
    table = leaf(6, 2)
    for positions in ([0, 1, 2], [3, 3, 3], [5, 4, 5], [0, 0, 1], [2, 3, 4]):
        (table[weft.asarray(np.array(positions))] * 3.0).sum().backward()
        expected = 3.0 * np.bincount(positions, minlength=6)[:, None] * np.ones(2)
        np.testing.assert_array_equal(table.grad.numpy(), expected)
        table.grad = None


def test_gradients_add_up() -> None:
    w, x = leaf(3), weft.asarray([1.0, 2.0, 3.0])
    for _ in range(5):
        (w * x).sum().backward()
    np.testing.assert_array_equal(w.grad.numpy(), [5.0, 10.0, 15.0])


def test_values_with_handles_are_computed_with_the_gradients() -> None:
    w = leaf(4, 4)
    for k in range(4):
        hidden = weft.exp(w * 0.1)
        out = hidden.sum(axis=0)
        out.sum().backward()
        assert k < 1 or (node_of(hidden).value is not None and node_of(out).value is not None)
        np.testing.assert_allclose(out.numpy(), np.exp(w.numpy() * 0.1).sum(0))


def test_large_values_with_handles_stay_pending() -> None:
    w = leaf(3)
    for _ in range(4):
        field = weft.random.normal((300_000, 3), seed=1)
        (field * w).sum().backward()
        assert node_of(field).value is None


def test_what_others_wrote_is_refused() -> None:
    w, shared = leaf(1000), np.ones(1000)
    x = weft.asarray(shared, copy=False)
    for _ in range(3):
        (w * x).sum().backward()
    loss = (w * x).sum()
    shared[:] = 2.0
    with pytest.raises(OverwrittenError):
        loss.backward()
        w.grad.numpy()


def test_a_system_that_cannot_be_solved_raises_when_it_is_read() -> None:
    a, b = leaf(3, 3), weft.asarray([1.0, 2.0, 3.0])
    for _ in range(3):
        weft.linalg.solve(a, b).sum().backward()
        a.grad.numpy()
        a.grad = None
    singular = weft.zeros((3, 3)).requires_grad_()
    weft.linalg.solve(singular, b).sum().backward()
    with pytest.raises(weft.errors.LinAlgError):
        singular.grad.numpy()


def test_large_gradients_fuse_with_what_is_done_to_them(built: list[int]) -> None:
    w = leaf(400, 400)
    for _ in range(4):
        ((w - 1.0) ** 2).sum().backward()
        assert node_of(w.grad).value is None
        w.grad = None
    assert len(built) == 4


def test_higher_derivatives_are_built(built: list[int]) -> None:
    x = leaf(3)
    for _ in range(3):
        (first,) = weft.autograd.grad((x**3).sum(), x, create_graph=True)
        (second,) = weft.autograd.grad(first.sum(), x)
        np.testing.assert_allclose(second.numpy(), 6 * x.numpy())
    assert len(built) == 4  # the first derivatives, and one second


def test_passes_differ_by_what_they_share() -> None:
    for _ in range(4):
        for shared in range(8):
            w, v = leaf(3), leaf(3)
            x, y = (weft.asarray(RNG.standard_normal(3)) for _ in range(2))
            first, second, third = w if shared & 1 else v, y if shared & 2 else x, w if shared & 4 else v
            (w * x + first * second + third * 2.0).sum().backward()
            expected = {id(w): np.zeros(3), id(v): np.zeros(3)}
            for leaf_, factor in ((w, x.numpy()), (first, second.numpy()), (third, np.full(3, 2.0))):
                expected[id(leaf_)] += factor
            for p in (w, v):
                got = np.zeros(3) if p.grad is None else p.grad.numpy()
                np.testing.assert_allclose(got, expected[id(p)], rtol=1e-12)
