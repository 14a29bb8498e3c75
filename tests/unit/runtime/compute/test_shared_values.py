"""Values below the one that is read are stored with it if other pending expressions read them, too."""

from __future__ import annotations

from collections.abc import Callable
from weakref import ref

import numpy as np
import pytest

import weft
from weft.errors import LinAlgError
from weft.ir.graph.node import Node, walk
from weft.runtime.compute.shared_values import shared_below
from weft.runtime.compute.signature import FEW
from weft.tensors.tensor import node_of

N = 8
STEP, SCORES = np.random.default_rng(0).random((N, N)), np.random.default_rng(1).random((60, N))


def viterbi(xp, asarray: Callable) -> tuple:
    step, scores = asarray(STEP), asarray(SCORES)
    best, came = xp.zeros(N), []
    for k in range(60):
        sums = best[:, None] + step
        came.append(sums.argmax(axis=0))
        best = sums.max(axis=0) + scores[k]
    return best, came


def pending(n: Node) -> int:
    return sum(i.value is None and bool(i.inputs) for i in walk([n]))


@pytest.mark.usefixtures("_small_values_wait")
def test_a_chain_that_others_read_is_computed_once():
    best, came = viterbi(weft, weft.asarray)
    wanted, expected = viterbi(np, np.asarray)
    assert pending(node_of(came[-1])) > FEW
    assert best.tolist() == wanted.tolist()
    assert max(pending(node_of(c)) for c in came) <= 2
    assert [c.tolist() for c in came] == [c.tolist() for c in expected]


def test_a_loop_that_reads_one_of_two_values_stays_short():
    matrix, noise = weft.asarray(STEP / N), weft.asarray(np.eye(N))
    spread, state, most, states = weft.asarray(np.eye(N)), weft.asarray(np.ones(N)), 0, []
    for _ in range(60):
        middle = matrix @ spread @ matrix.T + noise
        state = matrix @ state + middle[0] * 0.5
        spread = middle - 0.25 * middle @ middle
        del middle
        most = max(most, pending(node_of(state)))
        states.append(float(state[0]))
    a, spread, state, expected = STEP / N, np.eye(N), np.ones(N), []
    for _ in range(60):
        middle = a @ spread @ a.T + np.eye(N)
        state, spread = a @ state + middle[0] * 0.5, middle - 0.25 * middle @ middle
        expected.append(state[0])
    np.testing.assert_allclose(states, expected, rtol=1e-10)
    assert most < 2 * FEW


@pytest.mark.usefixtures("_small_values_wait")
@pytest.mark.parametrize(("cells", "steps", "stored"), [(10, 2, True), (100_000, 2, False), (100_000, 20, True)])
def test_large_values_of_few_cheap_steps_are_computed_again(cells: int, steps: int, stored: bool):
    x = weft.asarray(np.linspace(0.0, 1.0, cells))
    y = x
    for _ in range(steps):
        y = y * 0.5 + x
    other, read = y + 1, y
    inner = ref(node_of(y))
    del y
    for _ in range(20):
        read = read * 0.5 + x
    read.realize()
    assert (inner().value is not None) is stored
    expected = x.numpy()
    for _ in range(steps):
        expected = expected * 0.5 + x.numpy()
    np.testing.assert_allclose(other - 1, expected, rtol=1e-14, atol=1e-15)


@pytest.mark.usefixtures("_small_values_wait")
def test_nothing_is_shared_that_only_the_graph_reads():
    y = weft.asarray(STEP) * 1.5
    for _ in range(40):
        y = weft.sin(y * 0.5)
    assert shared_below(node_of(y)) == (81, [])


@pytest.mark.usefixtures("_small_values_wait")
def test_values_that_pending_gradients_read_are_stored_with_the_loss():
    x = weft.asarray(np.linspace(0.0, 1.0, N)).requires_grad_()
    y = x * 1.0
    for _ in range(20):
        y = weft.sin(y * 0.5)
    inner = ref(node_of(y))
    loss = (y * y).sum()
    loss.backward()
    del y
    loss.item()
    assert inner().value is not None


@pytest.mark.usefixtures("_small_values_wait")
def test_steps_that_factorise_matrices_stay_short():
    apart, targets = weft.asarray(np.subtract.outer(range(N), range(N)) ** 2.0), weft.asarray(SCORES[0])

    def misfit(p):
        matrix = p[0] * weft.exp(-apart / p[1]) + p[2] * weft.eye(N)
        factor = weft.linalg.cholesky(matrix)
        return (weft.linalg.solve(factor, targets) ** 2).sum() + weft.log(weft.diagonal(factor)).sum()

    p, most, values = weft.asarray([1.0, 2.0, 0.5]), 0, []
    for _ in range(12):
        value, slope = weft.value_and_grad(misfit)(p)
        p = p - 0.01 * slope
        most = max(most, pending(node_of(value)))
        values.append(value.item())
    assert values == sorted(values, reverse=True)
    assert most < 200


def test_gradients_over_recorded_values_are_computed_once():
    x = weft.asarray(np.linspace(0.0, 1.0, N)).requires_grad_()
    y = x * 1.0
    for _ in range(40):
        y = y * 0.5 + x
    recorded = ref(node_of(y))
    with weft.no_grad():
        z = y * y
        other, read = z + 1, z + 2
    shared = ref(node_of(z))
    del y, z
    read.realize()
    assert shared().value is not None
    assert recorded() is None or recorded().value is None
    np.testing.assert_allclose(other + 1, read, rtol=1e-14)


def test_routines_that_may_refuse_are_not_called_for_the_sake_of_others():
    good, bad = weft.asarray([[2.0, 0.0], [0.0, 4.0]]), weft.asarray([[1.0, 1.0], [1.0, 1.0]])
    y = good * 1.0
    for _ in range(40):
        y = y * 0.5 + good
    inverse = weft.linalg.inv(bad * 1.0) * 1.0
    both, other = weft.concat([y, inverse]), inverse + 1
    del inverse
    assert np.isfinite(both[:2].tolist()).all()
    with pytest.raises(LinAlgError):
        other.tolist()


def test_what_others_read_is_left_out_where_memory_does_not_hold_it():
    weights, x = weft.asarray(np.eye(100) * 0.5), weft.asarray(np.ones((100, 100)))
    others = []
    for _ in range(50):
        x = x @ weights
        others.append(x + 1)
    memory = weft.Heap("small", limit=8 * x.nbytes)
    with weft.using_allocator(memory):
        assert x.sum().item() == x.size * 0.5**50
    assert memory.peak <= memory.limit
    assert others[0].tolist() == [[1.5] * 100] * 100
