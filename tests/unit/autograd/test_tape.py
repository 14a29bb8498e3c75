"""The tape: what tensors remember for gradients, how long, and what flows along it."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable

import numpy as np
import pytest

import weft
from weft.autograd.propagation import dependencies
from weft.autograd.record import Accumulator, Record, record_of
from weft.errors import DomainError, DTypeError, GradientError
from weft.tensors.tensor import node_of


def leaf(*shape: int, seed: int = 0) -> weft.Tensor:
    return weft.array(np.random.default_rng(seed).uniform(0.5, 1.5, shape)).requires_grad_()


def test_plain_tensors_have_no_traits() -> None:
    x = weft.asarray([1.0, 2.0])
    y = x * 2
    assert node_of(x).traits is None and node_of(y).traits is None
    assert (y.requires_grad, y.is_leaf, y.grad_fn, y.grad) == (False, True, None, None)


def test_a_result_remembers_its_operation() -> None:
    x, y = leaf(2), weft.asarray([1.0, 2.0])
    z = x * y
    assert (z.requires_grad, z.is_leaf, z.grad_fn.name) == (True, False, "multiply")
    first, second = z.grad_fn.next_edges
    assert (first.record, first.slot, second) == (x.grad_fn, 0, None)
    assert z.grad_fn.number < (z + 1).grad_fn.number


def test_integers_come_of_floats_without_a_record() -> None:
    assert not (leaf(3) > 1).requires_grad
    assert not leaf(3).astype(weft.int32).requires_grad


def test_a_leaf_has_one_accumulator() -> None:
    x = leaf(2)
    a, b = x * 2, x + 1
    assert a.grad_fn.next_edges[0].record is b.grad_fn.next_edges[0].record is x.grad_fn
    assert isinstance(x.grad_fn, Accumulator)
    assert x.requires_grad_().grad_fn is x.grad_fn


def test_the_worked_example() -> None:
    t0, t1 = leaf(2, 2), leaf(2, 2, seed=1)
    a = t0 @ t1
    b = a + t1
    c = b + t0
    e = weft.mean(weft.sin(c))
    counts = dependencies([e.grad_fn])
    assert counts[t0.grad_fn] == counts[t1.grad_fn] == 2
    assert sorted(counts.values()) == [0, 1, 1, 1, 1, 2, 2]
    e.backward()
    g = np.cos(c.numpy()) / 4
    assert np.allclose(t0.grad.numpy(), g @ t1.numpy().T + g, rtol=1e-14)
    assert np.allclose(t1.grad.numpy(), t0.numpy().T @ g + g, rtol=1e-14)


def test_gradients_accumulate_until_they_are_cleared() -> None:
    x = leaf(3)
    for times in (1, 2):
        (x * 3).sum().backward()
        assert x.grad.tolist() == [3.0 * times] * 3
    x.grad = None
    assert x.grad is None


def test_through_selections() -> None:
    x = weft.asarray([1.0, 2.0, 3.0]).requires_grad_()
    (weft.pad(x, 2, mode="reflect") * weft.arange(7.0)).sum().backward()
    assert x.grad.tolist() == [8.0, 9.0, 4.0]


def test_a_computed_result_keeps_its_record() -> None:
    x = leaf(4)
    y = weft.exp(x)
    y.realize()
    y.sum().backward()
    assert np.allclose(x.grad.numpy(), np.exp(x.numpy()))


def test_second_derivatives() -> None:
    x = weft.asarray(2.0).requires_grad_()
    (first,) = weft.autograd.grad(x**3, x, create_graph=True)
    (second,) = weft.autograd.grad(first, x)
    assert (first.item(), second.item()) == (12.0, 12.0)
    assert not second.requires_grad and x.grad is None


def test_asked_for_inputs_only() -> None:
    x, y = leaf(2), leaf(2, seed=1)
    z = x * 2
    made = weft.autograd.grad((z * y).sum(), [z, y])
    assert made[0].tolist() == y.tolist() and made[1].tolist() == z.tolist()
    assert x.grad is None and y.grad is None
    assert weft.autograd.grad(x.sum(), y) == (None,)


SELECTIONS = {
    "roll": lambda x: weft.roll(x, 1, axis=0),
    "tile": lambda x: weft.tile(x, (2, 1)),
    "repeat": lambda x: weft.repeat(x, 2, axis=0),
    "pad": lambda x: weft.pad(x, ((1, 2), (0, 0)), mode="edge"),
    "flip": lambda x: weft.flip(x * 2, axis=0)[::-2],
    "concat": lambda x: weft.concat([x[:2], x[2:]]),
    "interleave": lambda x: weft.interleave([x, x * 2], axis=0),
    "take": lambda x: (x * 2)[[4, 0, 2, 5]],
    "points": lambda x: (x * 2)[[4, 0, 2, 5, 1, 1], [0, 2, 1, 1, 2, 0]],
}
TAKES = {
    "table": lambda y: y[np.array([2, 0, 1])],
    "runs": lambda y: y[[0, 1, 2]],
    "mask": lambda y: y[np.arange(len(y)) % 3 < 2],
    "along": lambda y: weft.take(y, weft.asarray([1, 0, 2]), axis=-1),
}


@pytest.mark.parametrize("take", TAKES)
@pytest.mark.parametrize("selection", SELECTIONS)
def test_a_selection_that_cells_are_taken_from_gets_its_gradient(selection: str, take: str) -> None:
    y = SELECTIONS[selection](leaf(6, 3))
    (found,) = weft.autograd.grad((TAKES[take](y) ** 2).sum(), y)
    alone = y.detach().copy().requires_grad_()
    (TAKES[take](alone) ** 2).sum().backward()
    assert found is not None and found.tolist() == alone.grad.tolist()  # type: ignore[union-attr]


def test_detached() -> None:
    x = leaf(3)
    d = x.detach()
    assert not d.requires_grad and d.storage is x.storage
    (x * d).sum().backward()
    assert x.grad.tolist() == x.tolist()


def test_detached_views_stay_detached_after_a_write() -> None:
    x = weft.zeros(3)
    d = x.detach()
    d[0] = 5.0
    assert x.tolist() == [5.0, 0.0, 0.0]
    y = leaf(3)
    d = y.detach()
    with weft.no_grad():
        y[0] = 7.0
    assert d.tolist()[0] == 7.0 and not (d * 2).requires_grad and (y * 2).requires_grad


def test_no_grad_is_of_its_thread() -> None:
    x = leaf(2)
    seen: list[bool] = []
    with weft.no_grad():
        thread = threading.Thread(target=lambda: seen.append((x * 2).requires_grad))
        thread.start()
        thread.join()
        assert not (x * 2).requires_grad
    assert seen == [True] and (x * 2).requires_grad


def test_what_is_saved_is_the_old_version() -> None:
    x = leaf(3)
    y = x * 1
    z = (y * y).sum()
    before = y.tolist()
    with weft.no_grad():
        y += 10
    z.backward()
    assert x.grad.tolist() == [2 * v for v in before]


def test_a_leaf_is_written_without_recording_only() -> None:
    x = leaf(3)
    with pytest.raises(GradientError, match=r"setitem: a leaf that requires gradients.*no_grad\(\)"):
        x[0] = 1.0
    with pytest.raises(GradientError, match="add: a leaf that requires gradients"):
        x += 1
    (x * x).sum().backward()
    accumulator = x.grad_fn
    with weft.no_grad():
        x -= x.grad * 0.5
        x[0] = 0.25
    assert x.tolist() == [0.25, 0.0, 0.0]
    assert x.grad_fn is accumulator and x.requires_grad


def test_a_result_written_in_place_goes_on() -> None:
    x = leaf(3)
    y = x * 2
    y += x
    y.sum().backward()
    assert x.grad.tolist() == [3.0] * 3


def test_what_is_detached_is_written_without_a_record() -> None:
    x, buffer = leaf(3), weft.zeros(3)
    buffer[:2] = x.detach()[:2]
    assert buffer.tolist()[:2] == x.tolist()[:2] and not buffer.requires_grad


def test_nothing_is_kept_by_a_cycle() -> None:
    gc.collect()
    gc.disable()
    try:
        x = leaf(1000)
        y = weft.exp(x * 2)
        y.realize()
        alive = weakref.ref(y.grad_fn)
        saved = weakref.ref(y.grad_fn.inputs[0])
        del y
        assert alive() is None and saved() is None
    finally:
        gc.enable()


def test_distinct_values_are_the_first_cells_that_have_them() -> None:
    for values in (
        weft.unique_values, lambda x: weft.unique_all(x).values, lambda x: weft.unique_counts(x).values,
        lambda x: weft.unique_inverse(x).values,
    ):  # fmt: skip
        x = weft.asarray([[3.0, 1.0], [3.0, -0.0], [0.0, 1.0]]).requires_grad_()
        found = values(x)
        assert found.tolist() == values(x.detach()).tolist() == [0.0, 1.0, 3.0]
        (found * weft.asarray([1.0, 10.0, 100.0])).sum().backward()
        assert x.grad.tolist() == [[100.0, 10.0], [0.0, 1.0], [0.0, 0.0]]
        assert values(weft.zeros((0, 2)).requires_grad_()).shape == (0,)


def test_deep_chains() -> None:
    x = leaf(2)
    y = x
    for _ in range(1000):
        y = y * 1.001
    y.sum().backward()
    assert np.allclose(x.grad.numpy(), 1.001**1000)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "complex64"])
def test_dtypes_of_gradients(dtype: str) -> None:
    x = weft.asarray([1.0, 2.0], dtype=dtype).requires_grad_()
    weft.real((x * x).sum()).backward()
    assert x.grad.dtype is x.dtype and np.allclose(x.grad.astype(weft.complex128).numpy(), [2, 4])


def test_gradients_are_values_of_their_own() -> None:
    """Written, they change neither what was passed nor each other, and nobody changes them."""
    x, w = leaf(3), leaf(3, seed=1)
    seed = np.ones(3)
    (x + w).backward(seed)
    x.grad[0] = 100.0
    seed[1] = 55.0
    assert (x.grad.tolist(), w.grad.tolist(), seed.tolist()) == ([100.0, 1.0, 1.0], [1.0] * 3, [1.0, 55.0, 1.0])
    (whole,) = weft.autograd.grad(+x, x, seed)
    (turned,) = weft.autograd.grad(x[::-1], x, seed)
    whole[0] = turned[0] = 7.0
    assert seed.tolist() == [1.0, 55.0, 1.0]
    y, z = leaf(3), leaf(3)
    (y + z).backward(weft.asarray([1.0, 2.0, 3.0]) * 1)
    shown = z.grad.numpy()
    y.grad[0] = 100.0
    assert shown.tolist() == z.grad.tolist() == [1.0, 2.0, 3.0]


def test_a_gradient_passed_to_a_leaf_is_copied() -> None:
    x, g = leaf(3), weft.ones(3)
    x.backward(g)
    x.grad[0] = 100.0
    assert g.tolist() == [1.0] * 3


def test_what_is_not_on_the_way_needs_no_rule() -> None:
    x = leaf(3, 3)
    r = weft.linalg.qr(x).R * 2
    (g,) = weft.autograd.grad((r * r).sum(), r)
    assert g.tolist() == (2 * r).tolist()


def test_views_of_what_gets_a_record_in_place() -> None:
    x, y = leaf(3), weft.zeros(3)
    v = y[:2]
    with pytest.raises(GradientError, match="add: a value with a record, in the place of one without, of which there"):
        y += x
    assert v.tolist() == [0.0, 0.0]
    del v
    y += x
    y[:2].sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 0.0]


def test_threads_add_to_one_leaf() -> None:
    x = leaf(1)

    def work() -> None:
        for _ in range(100):
            (x * 2).sum().backward()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert x.grad.tolist() == [800.0]


def test_leaves_of_devices_are_updated_in_place() -> None:
    x = weft.asarray([1.0, 2.0], device=weft.device("thread", 1)).requires_grad_()
    (x * x).sum().backward()
    with weft.no_grad():
        x -= x.grad / 4
    assert x.requires_grad and x.grad.tolist() == [2.0, 4.0] and x.tolist() == [0.5, 1.0]
    (x * 3).sum().backward()
    assert x.grad.tolist() == [5.0, 7.0]


def test_a_pending_gradient_keeps_no_leaf() -> None:
    gc.collect()
    gc.disable()
    try:
        x = leaf(1000)
        (x * x).sum().backward()
        alive = weakref.ref(x.grad_fn)
        del x
        assert alive() is None
    finally:
        gc.enable()


def test_records_are_numbered_across_threads() -> None:
    x = leaf(1)
    made = [x * 2]
    thread = threading.Thread(target=lambda: made.append(x * 3))
    thread.start()
    thread.join()
    assert made[0].grad_fn.number < made[1].grad_fn.number


def test_through_checked_values() -> None:
    x = weft.asarray([1.0, 4.0]).requires_grad_()
    with weft.math_mode("error"):
        weft.sqrt(x).sum().backward()
    assert x.grad.tolist() == [0.5, 0.25]
    y = weft.sqrt(weft.asarray([1.0, -4.0]).requires_grad_(), mode="error").sum()
    for _ in range(2):
        with pytest.raises(DomainError, match=r"sqrt: -4.0 at \(1,\)"):
            y.backward()


def test_second_derivatives_through_takes_and_sorting() -> None:
    x = weft.asarray([3.0, 1.0, 2.0]).requires_grad_()
    for y in (x[[2, 0, 0, 1, 2]], weft.sort(x)):
        (first,) = weft.autograd.grad((y * y * y).sum(), x, create_graph=True)
        (second,) = weft.autograd.grad(first.sum(), x)
        (line,) = weft.autograd.grad(y.sum(), x)
        assert np.allclose(second.numpy(), 6 * x.numpy() * line.numpy())


def test_errors() -> None:
    for dtype in ("int64", "bool", "float8_e4m3fn"):
        with pytest.raises(DTypeError, match=f"requires_grad_: a tensor of dtype {dtype}; only floats"):
            weft.zeros(1, dtype=dtype).requires_grad_()
    x, shared = leaf(3), np.ones(2)
    with pytest.raises(GradientError, match="requires_grad_: a view"):
        x[:1].detach().requires_grad_()
    with pytest.raises(GradientError, match="requires_grad_: a view"):
        weft.asarray(shared)[:1].requires_grad_()
    with pytest.raises(GradientError, match="requires_grad_: the result of an operation"):
        (x * 2).requires_grad_()
    with pytest.raises(GradientError, match=r"backward: a result of shape \(3,\)"):
        (x * 2).backward()
    with pytest.raises(GradientError, match=r"backward: a gradient of shape \(2,\)"):
        (x * 2).backward(weft.ones(2))
    two = [weft.sum(leaf(3)), weft.sum(leaf(3))]
    with pytest.raises(GradientError, match="grad: 1 gradients for 2 outputs"):
        weft.autograd.grad(two, two, [None])
    with pytest.raises(GradientError, match="backward: a tensor without a record"):
        weft.asarray(1.0).backward()
    with pytest.raises(GradientError, match="grad: the tensor is no leaf"):
        weft.asarray(1.0).grad = weft.asarray(1.0)
    with pytest.raises(GradientError, match=r"grad: float32\[3\] for a tensor float64\[3\]"):
        x.grad = weft.ones(3, dtype=weft.float32)
    with pytest.raises(GradientError, match=r"grad: int64\[\] for a tensor float64\[3\]"):
        x.grad = 3


def test_a_gradient_may_be_set_to_an_array() -> None:
    x = leaf(3)
    x.grad = np.ones(3)
    (x * x).sum().backward()
    assert x.grad.tolist() == (2 * x + 1).tolist()


def test_what_is_detached_of_a_result_that_is_gone_may_require_gradients() -> None:
    """As in `w = (w - rate * g).detach().requires_grad_()`."""
    w = weft.asarray([3.0, -2.0]).requires_grad_()
    for _ in range(3):
        (w * w).sum().backward()
        w = (w - 0.25 * w.grad).detach().requires_grad_()
        assert w.is_leaf and w.grad is None
    assert w.tolist() == [0.375, -0.25]
    part = weft.asarray([1.0, 2.0])[:1].requires_grad_()
    part.sum().backward()
    assert part.grad.tolist() == [1.0]
    y = w * 2
    with pytest.raises(GradientError, match="requires_grad_: a view"):
        y.detach().requires_grad_()
    assert y.detach().copy().requires_grad_().is_leaf


def test_requires_grad_is_set_as_in_pytorch() -> None:
    x = weft.asarray([1.0, 2.0])
    x.requires_grad = True
    (x * x).sum().backward()
    assert x.requires_grad and x.grad.tolist() == [2.0, 4.0]
    x.requires_grad = False
    assert not x.requires_grad and not (x * 2).requires_grad
    with pytest.raises(DTypeError, match="requires_grad_: a tensor of dtype int64"):
        weft.arange(3).requires_grad = True


def test_what_records_show() -> None:
    x = leaf(1)
    y = x * 2
    assert isinstance(record_of(node_of(y)), Record)
    assert repr(y.grad_fn).startswith("<multiply record ") and repr(x.grad_fn) == "<accumulate record>"


def test_steps_of_training_share_their_products() -> None:
    x, weights = weft.asarray(np.ones((4, 3))), [leaf(3, 5), leaf(5, 2, seed=1)]
    losses, counts = [], []
    for _ in range(4):
        with weft.profile() as p:
            loss = ((weft.tanh(x @ weights[0]) @ weights[1]) ** 2).sum()
            losses.append(loss.item())
            for w in weights:
                w.grad = None
            loss.backward()
            with weft.no_grad():
                for w in weights:
                    w -= 0.01 * w.grad
        counts.append([k.name for k in p.kernels].count("product"))
    assert counts == [2, 5, 5, 5]  # 2 of the loss, and 3 of the step before, whose updates it reads
    assert losses == sorted(losses, reverse=True)


def test_products_are_kept_for_gradients_only() -> None:
    x, w = weft.asarray(np.ones((4, 3))), leaf(3, 5)

    def product_of_a_sum(weight: weft.Tensor) -> bool:
        product = x @ weight
        n, total = node_of(product), product.sum()
        del product
        total.item()
        return n.value is not None

    assert product_of_a_sum(w)
    assert not product_of_a_sum(w.detach())
    with weft.no_grad():
        assert not product_of_a_sum(w)


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 3)])
def test_empty_selections_have_gradients(shape: tuple[int, ...]) -> None:
    for select in (
        lambda x: weft.concat([x, x], axis=-1),
        lambda x: weft.concat([x[..., :0], x[..., :0]], axis=-1),
        lambda x: weft.interleave([x, x]),
        lambda x: weft.repeat(x, 2),
        lambda x: weft.pad(x, 1),
    ):
        x = weft.zeros(shape).requires_grad_()
        (found,) = weft.autograd.grad(select(x).sum(), x)
        assert found.shape == shape and not found.numpy().any()


@pytest.mark.parametrize("make", [weft.ones, weft.zeros, lambda n: weft.full(n, 2.0)])
def test_second_gradients_reach_leaves_that_repeat_a_number(make: Callable[[int], weft.Tensor]) -> None:
    x, w = leaf(3), make(3).requires_grad_()
    (first,) = weft.autograd.grad(((x * w + 1) ** 2).sum(), x, create_graph=True)
    (second,) = weft.autograd.grad(first.sum(), w)
    assert np.allclose(second.numpy(), (4 * x * w + 2).numpy())


def test_steps_of_training_whose_loss_is_read_plan_nothing_new(planned: list[int]) -> None:
    """Each step's parameters and moments are stored with the loss that reads them, so steps do not pile up."""
    x, y = weft.asarray(np.linspace(-1.0, 1.0, 40).reshape(10, 4)), weft.asarray(np.arange(10.0))
    w, m, v = weft.zeros(4), weft.zeros(4), weft.zeros(4)
    w.requires_grad_()
    counts = []
    for step in range(1, 61):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        with weft.no_grad():
            g = w.grad
            m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
            w -= 0.1 * (m / (1 - 0.9**step)) / (weft.sqrt(v / (1 - 0.99**step)) + 1e-8)
            w.grad = None
        loss.item()
        counts.append(len(planned))
    assert counts[-1] - counts[-20] <= 2 and max(planned) < 250, counts
