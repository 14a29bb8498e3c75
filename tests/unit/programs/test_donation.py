"""Donation: results in the memory of arguments, writes in place, and what is gone afterwards."""

from __future__ import annotations

import copy
import gc
import threading
from typing import Any

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft.errors import ArgumentError, DonatedError, LinAlgError

N = 1 << 16


def address(t: Any) -> int:
    return t._place.node.value.__array_interface__["data"][0]


def peak(f: Any, *args: Any) -> int:
    """The most bytes that are allocated at a time in a call, beside those before it."""
    gc.collect()
    heap = weft.Heap("counted")
    with weft.using_allocator(heap):
        f(*args)
    return heap.peak


def fresh(seed: float = 0.0, dtype: str = "float64") -> Any:
    return weft.asarray(np.arange(N) % 97 + seed).astype(dtype).realize()


def test_results_lie_where_donated_arguments_lay() -> None:
    f = weft.compile(lambda w, x: w - x * 0.5, donate="w")
    g = weft.compile(lambda w, x: w - x * 0.5)
    for k in range(4):
        w, x = fresh(k), fresh(1)
        expected, at = g(w, x).numpy().copy(), address(w)
        made = f(w, x)
        assert (address(made) == at) is (k > 0) and np.array_equal(made.numpy(), expected)
        for use in (
            w.numpy,
            w.tolist,
            lambda w=w: (w + 1).numpy(),
            w[1:].numpy,
            lambda w=w, x=x: f(w, x),
            lambda w=w: str(w),
        ):
            with pytest.raises(DonatedError, match="was donated: argument w of <lambda>"):
                use()
        assert x[0].item() == 1.0


def test_the_peak_falls() -> None:
    plain, donating = (weft.compile(lambda w, x: (w * 2 + x, x.sum()), donate=d) for d in ((), "w"))
    x = fresh()
    for f in (plain, donating):
        f(fresh(), x)
    w = fresh()
    assert peak(plain, w, x) - peak(donating, w, x) == w.nbytes


ENTRIES = [
    lambda w: w[::-1] * 1, lambda w: w + w[0], lambda w: weft.flip(w) + w, lambda w: weft.roll(w, 1) + w,
    lambda w: weft.cumulative_sum(w), lambda w: weft.sort(w), lambda w: weft.take(w, weft.argsort(w)),
    lambda w: w.reshape(256, 256).T.reshape(-1) + w, lambda w: weft.concat([w[1:], w[:1]]), lambda w: (w + 1, w - 1),
    lambda w: (weft.exp(w), w.sum(), weft.exp(w) + w), lambda w: w - w.mean(), lambda w: w.reshape(256, 256) @ w[:256],
    lambda w: (w.reshape(256, 256) @ w.reshape(256, 256)).reshape(-1), lambda w: weft.where(w > 3, w, w[5]),
    lambda w: weft.cumulative_sum(w.reshape(256, 256), axis=1).reshape(-1) * w, lambda w: w, lambda w: (w, w),
    lambda w: weft.nn.softmax(w.reshape(256, 256), axis=1).reshape(-1) + w, lambda w: weft.zeros(N),
]  # fmt: skip


@pytest.mark.parametrize(("f", "dtype"), in_turn(ENTRIES, ["float64", "float32", "int32", "complex64"], every=4))
def test_values_are_those_without(f: Any, dtype: str) -> None:
    donating = weft.compile(f, donate="w")
    try:
        plain = weft.compile(f)
        plain(fresh(0, dtype))
    except weft.errors.WeftError:
        return
    for k in range(3):
        made, expected = donating(fresh(k, dtype)), plain(fresh(k, dtype))
        if not isinstance(made, tuple):
            made, expected = (made,), (expected,)
        for a, b in zip(made, expected, strict=True):
            assert a.numpy().tobytes() == b.numpy().tobytes()


def test_memory_that_others_see_is_not_written_by_donation() -> None:
    f = weft.compile(lambda w: w + 1, donate="w")
    f(fresh()), f(fresh())
    shared = np.zeros(N)
    f(shared), f(weft.asarray(shared))
    w = fresh()
    seen, pending = w.numpy(), w * 2
    before = seen.copy()
    f(w)
    assert not shared.any() and np.array_equal(seen, before) and np.array_equal(pending.numpy(), before * 2)
    view = fresh()[1:]
    weft.compile(lambda w: w + 1, donate="w")(view)
    assert view[0].item() == 1.0  # views are not donated
    g = weft.compile(lambda w, x: (w + 1, x * 2), donate="w")
    g(fresh(), fresh())
    w = fresh()
    a, b = g(w, w)
    assert a[5].item() == 6.0 and b[5].item() == 10.0
    stored = fresh()
    bytes_of = stored.storage
    f(stored)
    assert bytes_of is not None


def test_containers_and_names() -> None:
    @weft.compile(donate=("params",))
    def f(x: Any, *, params: dict[str, Any]) -> Any:
        return {k: p + x for k, p in params.items()}

    params = {"a": fresh(), "b": fresh(1)}
    for _ in range(3):
        params, old = f(1.0, params=params), params
        with pytest.raises(DonatedError, match="argument params of f"):
            old["a"].numpy()
    assert params["a"][0].item() == 3.0
    for wrong in ("y", ("w",)):
        with pytest.raises(ArgumentError, match="donate="):
            weft.compile(lambda x: x, donate=wrong)
    with pytest.raises(ArgumentError, match="donate="):
        weft.compile(lambda x: x, donate="x", static="x")


def test_inputs_of_computations() -> None:
    x, y = weft.placeholder((N,), name="x"), weft.placeholder((N,), name="y")
    f = weft.computation(x * 2 + y, x, y, donate=["x"])
    for k in range(3):
        a, b = fresh(k), fresh()
        at = address(a)
        made = f(a, b)
        assert made[1].item() == 2 * (k + 1) + 1 and (address(made) == at) is (k > 0)
        with pytest.raises(DonatedError, match="input x of a computation"):
            a.numpy()
    assert f(np.ones(N), b)[0].item() == 2.0
    copied, given, fixed = copy.copy(f), fresh(), weft.constant(np.ones(N))
    assert copied(given, b)[0].item() == 0.0 and copied(fixed, b)[0].item() == fixed[0].item() + 1
    with pytest.raises(DonatedError, match="input x of a computation"):
        given.numpy()
    with pytest.raises(ArgumentError, match="names no input"):
        weft.computation(x + y, x, y, donate=["z"])


WRITES = [
    lambda x: weft.assign(x, x + 1), lambda x: weft.assign(x[:10], 0), lambda x: weft.assign(x, weft.flip(x) * 1),
    lambda x: weft.assign(x, x[7] + x), lambda x: [weft.assign(x, x + 1), weft.assign(x[5:], x[:-5] * 3)],
]  # fmt: skip
RESULTS = [lambda x: x * 2, lambda x: weft.flip(x) + 1, lambda x: x - x[-1], lambda x: x]


@pytest.mark.parametrize(("write", "result", "shape"), in_turn(WRITES, RESULTS, [(N,), (256, 256)], every=4))
def test_donated_arguments_that_are_written_stay(write: Any, result: Any, shape: tuple[int, ...]) -> None:
    def f(x: Any, y: Any) -> Any:
        early = x + y
        write(x)
        return early, result(x), result(y)

    compiled = weft.compile(f, donate=("x", "y"))
    for k in range(4):
        (x, y), plain = ([fresh(k + j).reshape(shape) * 1 for j in (0, 1)] for _ in range(2))
        for t in (x, y):
            t.realize()
        expected = [t.numpy() for t in (*f(*plain), plain[0])]
        for a, b in zip((*compiled(x, y), x), expected, strict=True):
            assert np.array_equal(a.numpy(), b), k
        with pytest.raises(DonatedError, match="argument y of f"):
            y.numpy()
    assert compiled.traces == 1


def test_the_next_version_of_a_donated_argument_lies_where_it_lay() -> None:
    f = weft.compile(lambda x: weft.assign(x, x + 1), donate="x")
    x = fresh()
    f(x), f(x)
    at = address(x)
    f(x)
    assert address(x) == at and x[0].item() == 3.0


@pytest.mark.parametrize("donate", [(), ("x",), ("x", "y")])
@pytest.mark.parametrize("result", [lambda x, y: (x,), lambda x, y: (x[:1], y), lambda x, y: (weft.flip(y),)])
def test_results_are_of_their_own_where_arguments_share_memory(donate: tuple[str, ...], result: Any) -> None:
    w = weft.variable([0.0, 0.0])

    def f(x: Any, y: Any) -> Any:
        weft.assign(w, x)
        return result(x, y)

    compiled = weft.compile(f, donate=donate)
    for k in range(3):
        x, other = ((weft.asarray([k, 2.0]) * 1).realize() for _ in range(2))
        made = compiled(x, x)
        assert [t.tolist() for t in made] == [t.tolist() for t in f(other, other)] and w.tolist() == [k, 2.0]
        made[0][...] = 9.0
        if donate:
            with pytest.raises(DonatedError):
                x.tolist()
        else:
            assert x.tolist() == [k, 2.0]


def test_small_tensors_are_gone_too() -> None:
    f, x = weft.compile(lambda x: x + 1, donate="x"), weft.asarray([1.0, 2.0]) * 1
    assert f(x).tolist() == [2.0, 3.0]
    with pytest.raises(DonatedError):
        x.tolist()


def training(rate: float = 0.1) -> Any:
    w = weft.variable(np.ones((300, 200))).requires_grad_()
    m, v = (weft.variable(np.zeros((300, 200))) for _ in range(2))

    def step(x: Any) -> Any:
        loss = ((x @ w) ** 2).mean()
        (g,) = weft.autograd.grad(loss, w)
        with weft.no_grad():
            m[...] = 0.9 * m + 0.1 * g
            weft.assign(v, 0.999 * v + 0.001 * g * g)
            weft.assign(w, w - rate * m / (weft.sqrt(v) + 1e-8))
        return loss.detach()

    return step, (w, m, v)


def test_written_variables_keep_their_memory() -> None:
    (plain, expected), (step, found) = training(), training()
    compiled = weft.compile(step)
    x = weft.asarray(np.random.default_rng(0).standard_normal((20, 300)))
    compiled(x), plain(x)
    at = [address(t) for t in found]
    for _ in range(3):
        assert compiled(x).item() == plain(x).item()
    assert [address(t) for t in found] == at
    for a, b in zip(found, expected, strict=True):
        assert np.array_equal(a.numpy(), b.numpy())
    (memory,) = compiled.memory()
    assert memory.reused == 3 * found[0].nbytes and memory.outputs - memory.reused == 8
    del a, b
    gc.collect()
    assert peak(compiled, x) == memory.peak - memory.reused


def test_variables_that_others_read_are_replaced() -> None:
    w = weft.variable(np.zeros(N))
    f = weft.compile(lambda: weft.assign(w, w + 1))
    f(), f()
    at, pending, view = address(w), w * 10, w[1:]
    f()
    assert address(w) != at and pending[0].item() == 20.0 and view[0].item() == 3.0
    del pending
    at = address(w)
    f()
    assert address(w) == at and view[0].item() == 4.0
    seen = w.numpy()
    f()
    assert seen[0] == w[0].item() == 5.0
    kept = weft.value_of(w)
    f()
    assert kept[0].item() == 5.0 and w[0].item() == 6.0


def test_records_keep_what_they_read() -> None:
    w = weft.variable(np.ones(N)).requires_grad_()

    @weft.compile
    def step() -> Any:
        loss = (w * w).sum()
        (g,) = weft.autograd.grad(loss, w)
        with weft.no_grad():
            weft.assign(w, w - 0.25 * g)
        return loss

    for k in range(3):
        loss = step()
        (g,) = weft.autograd.grad(loss, w)
        assert g[0].item() == 2.0 * 0.5**k and w[0].item() == 0.5 ** (k + 1)


def test_a_failing_routine_leaves_what_is_written() -> None:
    w = weft.variable(np.ones((128, 128)))

    @weft.compile
    def f(a: Any) -> Any:
        weft.assign(w, w + 1)
        return weft.linalg.cholesky(a)

    good = weft.asarray(np.eye(3))
    f(good), f(good)
    with pytest.raises(LinAlgError):
        f(weft.asarray(-np.eye(3)))
    assert w[0, 0].item() == 3.0
    f(good)
    assert w[0, 0].item() == 4.0


def test_threads_read_whole_versions() -> None:
    w, stop, wrong = weft.variable(np.zeros(N)), threading.Event(), []
    f = weft.compile(lambda x: weft.assign(w, w + x))
    x = weft.asarray(np.ones(N))

    def read() -> None:
        while not stop.is_set():
            kept, doubled = weft.value_of(w), w * 2
            for found in (np.array(w.tolist()), doubled.numpy(), kept.numpy()):
                if found.min() != found.max():
                    wrong.append((found.min(), found.max()))

    threads = [threading.Thread(target=read) for _ in range(2)]
    for t in threads:
        t.start()
    for _ in range(60):
        f(x)
    stop.set()
    for t in threads:
        t.join()
    assert not wrong and w[0].item() == 60.0
