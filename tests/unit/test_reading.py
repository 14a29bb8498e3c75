"""Reading: values are computed when looked at, and pending graphs stay bounded."""

import gc
import tracemalloc

import numpy as np
import pytest

import weft
from weft.ir.graph.node import MAX_DEPTH
from weft.tensors import pending_limits
from weft.tensors.tensor import node_of

pytestmark = pytest.mark.usefixtures("transformer")


def stored(x):
    n = node_of(x)
    return n.value is not None or (n.alias is not None and n.alias[0].value is not None)


LOOKS = {
    "numpy": lambda x: x.numpy(),
    "asarray": lambda x: np.asarray(x),
    "realize": lambda x: x.realize(),
    "compute": lambda x: weft.compute(x),
    "tolist": lambda x: x.tolist(),
    "dlpack": lambda x: x.__dlpack__(),
}


@pytest.mark.parametrize("how", LOOKS)
def test_looking_stores(how):
    x = weft.arange(3) * 2
    assert not stored(x)
    LOOKS[how](x)
    assert stored(x)


def test_scalars_look_too():
    assert bool(weft.asarray(3) > 2) is True
    assert int(weft.asarray(3) * 2) == 6
    assert float(weft.asarray(3) / 2) == 1.5
    assert complex(weft.asarray(3) * 1j) == 3j
    assert (weft.arange(3) + 1)[2].item() == 3
    assert "3" in repr(weft.arange(3) + 1)


def test_compute_shares_work():
    x = weft.exp(weft.arange(1000) * 0.001)
    a, b = x + 1, x * 2
    weft.compute(a, b)
    assert stored(a) and stored(b)
    np.testing.assert_array_equal(a.numpy() - 1 + 1, x.numpy() + 1)


def test_eager_computes_every_operation_at_once():
    with weft.eager():
        x = weft.arange(3) * 2
        assert stored(x)
        y = weft.concat([x, x]) + 1
        assert stored(y)
    assert not stored(weft.arange(3) * 2)


@pytest.mark.parametrize("cells", [3, 1000])
def test_deep_graphs_are_computed_by_themselves(cells):
    x = weft.asarray(np.ones(cells))
    for _ in range(1000):
        x = x * 0.5 + 1
    assert node_of(x).depth <= MAX_DEPTH < 1000
    np.testing.assert_allclose(x.numpy(), [2] * cells)


def test_a_graph_that_keeps_dead_storage_is_computed(transformer):
    kept = []
    for i in range(24):
        x = weft.asarray(np.full(1 << 20, float(i)))  # 8 MiB
        kept.append((x + 1)[:2])
        del x
    unread = sum(k._place.node.value is None for k in kept)
    assert unread * (8 << 20) <= pending_limits.KEPT_LIMIT + (16 << 20)
    assert [k.tolist() for k in kept] == [[i + 1.0] * 2 for i in range(24)]


def test_a_million_steps_run_in_constant_memory(transformer):
    """Not one object is left of a step, so that a million leave no more than thousands."""
    x = weft.asarray(np.ones(4))

    def bytes_after(steps):
        nonlocal x
        for _ in range(steps):
            x = x * 0.9 + 1
        x.realize()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        steps = 3000 if transformer == "cpu" else 1000
        bytes_after(steps)  # keeps the programs
        before = bytes_after(steps)
        assert bytes_after(steps) - before < 16 * steps  # which is the least that an object takes
    finally:
        tracemalloc.stop()
    np.testing.assert_allclose(x.numpy(), np.full(4, 10.0))


def test_liveness_changes_neither_values_nor_errors():
    a = weft.asarray(np.linspace(0, 1, 50))
    temporary = weft.sum(weft.exp(a) * 2 + a)
    held = weft.exp(a)
    doubled = held * 2
    total = weft.sum(doubled + a)
    assert temporary.item() == total.item()


def test_the_users_line_is_known():
    x = weft.asarray([1.0]) + 1
    from weft.ir.graph.node import line_of

    assert line_of(node_of(x)).startswith(__file__)


def test_temporaries_without_cells_need_no_memory():
    x = weft.asarray(np.zeros((0, 3)))
    assert weft.sum(weft.sort(x * 2, axis=1), axis=0).tolist() == [0, 0, 0]
