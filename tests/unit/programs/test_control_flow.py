"""Loops and choices on values: what they give, their gradients, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from weft.errors import ArgumentError, DTypeError, GradientError, ShapeError, TracingError


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16", "int8", "complex64", "uint64"])
def test_scan_is_a_loop(dtype: str) -> None:
    def f(c: Any, x: Any) -> Any:
        return c * 2 + x, (c, x * x)

    init, xs = weft.asarray([1, 2], dtype=dtype), weft.asarray(np.arange(6).reshape(3, 2)).astype(dtype)
    c, expected = init, []
    for k in range(3):
        c, y = f(c, xs[k])
        expected.append(y)
    for _ in range(2):
        carry, (before, squares) = weft.scan(f, init, xs)
        assert (carry.dtype, squares.dtype) == (init.dtype, init.dtype) and carry.tolist() == c.tolist()
        assert before.tolist() == [y[0].tolist() for y in expected]
        assert squares.tolist() == [y[1].tolist() for y in expected]


def test_scan_of_containers() -> None:
    def f(c: Any, x: Any) -> Any:
        a, n = c["a"], c["n"]
        return {"a": a + x[0] * n, "n": n + 1}, None

    xs = (weft.asarray([[1.0], [2.0], [3.0]]), weft.asarray([1, 2, 3]))
    carry, ys = weft.scan(f, {"a": weft.zeros(1), "n": 0}, xs)
    assert (carry["a"].tolist(), carry["n"].item(), ys) == ([8.0], 3, None)
    carry, ys = weft.scan(lambda c, _: (c + 1, c), 0, length=4)
    assert (carry.item(), ys.tolist()) == (4, [0, 1, 2, 3])
    carry, ys = weft.scan(lambda c, x: (c + x, c), 5.0, weft.zeros(0))
    assert (carry.item(), ys.shape) == (5.0, (0,))
    carry, ys = weft.scan(lambda c, x: (c + x.sum(), x), 5.0, weft.zeros((3, 0)))
    assert (carry.item(), ys.shape) == (5.0, (3, 0))


def test_tensors_read_beside_the_arguments_keep_their_values() -> None:
    w = weft.asarray([2.0, 3.0])
    turned = weft.asarray(np.arange(4.0).reshape(2, 2)).T

    def f(c: Any, _: Any) -> Any:
        return turned @ c + w[::-1], c[0] * w.sum()

    carry, ys = weft.scan(f, weft.asarray([1.0, 1.0]), length=2)
    w[0] = 100  # the loop reads what w was
    c = np.ones(2)
    for k in range(2):
        assert ys[k].item() == c[0] * 5
        c = np.arange(4.0).reshape(2, 2).T @ c + [3.0, 2.0]
    assert carry.tolist() == c.tolist()


def looped(w: Any, init: Any, xs: Any) -> Any:
    c, total = init, 0
    for k in range(xs.shape[0]):
        total = total + (c * c).sum()
        c = weft.tanh(c * w + xs[k])
    return (c * w).sum() + total


def scanned(w: Any, init: Any, xs: Any) -> Any:
    carry, ys = weft.scan(lambda c, x: (weft.tanh(c * w + x), (c * c).sum()), init, xs)
    return (carry * w).sum() + ys.sum()


@pytest.mark.parametrize("compiled", [False, True])
def test_gradients_of_scans(compiled: bool) -> None:
    rng = np.random.default_rng(1)
    leaves = [weft.asarray(rng.standard_normal(s)).requires_grad_() for s in ((2,), (2,), (4, 2))]
    expected = weft.autograd.grad(looped(*leaves), leaves, create_graph=True)
    f = weft.compile(scanned) if compiled else scanned
    found = weft.autograd.grad(f(*leaves), leaves, create_graph=True)
    for a, b in zip(found, expected, strict=True):
        assert np.allclose(a.numpy(), b.numpy(), rtol=1e-12)
    twice = [weft.autograd.grad(sum((g * g).sum() for g in gs), leaves) for gs in (found, expected)]
    for a, b in zip(*twice, strict=True):
        assert np.allclose(a.numpy(), b.numpy(), rtol=1e-11)


def test_nested_scans() -> None:
    def inner(c: Any, x: Any) -> Any:
        return c + x, None

    def outer(c: Any, row: Any) -> Any:
        total, _ = weft.scan(inner, c, row)
        return total, total

    xs = np.arange(6.0).reshape(2, 3)
    carry, ys = weft.scan(outer, 0.0, weft.asarray(xs))
    assert (carry.item(), ys.tolist()) == (15.0, [3.0, 15.0])


@pytest.mark.parametrize("compiled", [False, True])
def test_while_loops(compiled: bool) -> None:
    limit = weft.variable(100)

    def f(x: Any) -> Any:
        return weft.while_loop(lambda c: (c[0] < limit) & (c[1] < 9), lambda c: (c[0] * 2, c[1] + 1), (x, 0))

    g = weft.compile(f) if compiled else f
    assert [t.item() for t in g(weft.asarray(3))] == [192, 6] and [t.item() for t in g(weft.asarray(1))] == [128, 7]
    limit[...] = 2
    assert [t.item() for t in g(weft.asarray(3))] == [3, 0]
    x = weft.asarray(2.0).requires_grad_()
    with pytest.raises(GradientError, match="while_loop: no gradient"):
        weft.while_loop(lambda v: v < 9, lambda v: v * v, x).backward()


@pytest.mark.parametrize("compiled", [False, True])
def test_choices(compiled: bool) -> None:
    w = weft.asarray([3.0, 4.0]).requires_grad_()

    def f(x: Any) -> Any:
        return weft.cond(x.sum() > 0, lambda x: (x * w).sum(), lambda x: (x * x).sum(), x)

    g = weft.compile(f) if compiled else f
    for cells, value, of_x, of_w in (
        ([1.0, 2.0], 11.0, [3.0, 4.0], [1.0, 2.0]), ([-1.0, -2.0], 5.0, [-2.0, -4.0], [0.0, 0.0]),
    ):  # fmt: skip
        x = weft.asarray(cells).requires_grad_()
        y = g(x)
        assert y.item() == value and [t.tolist() for t in weft.autograd.grad(y, [x, w])] == [of_x, of_w]
    assert weft.cond(True, lambda: {"a": 1}, lambda: {"a": 2})["a"].item() == 1


def test_one_side_is_computed() -> None:
    seen: list[str] = []

    def noted(name: str) -> Any:
        return lambda x: weft.map_blocks(lambda b: seen.append(name) or b, x, dtype=x.dtype)

    y = weft.cond(weft.asarray(False), noted("one"), noted("two"), weft.ones(3))
    assert seen == [] and y.tolist() == [1.0] * 3 and set(seen) == {"two"}


@pytest.mark.parametrize(("wrong", "error", "match"), [
    (lambda x: weft.scan(lambda c, r: c, x, x), ArgumentError, "scan: a step returns what is no pair"),
    (lambda x: weft.scan(lambda c, r: (c[:1], r), x, x), ShapeError, "scan: .*same structure"),
    (lambda x: weft.scan(lambda c, r: (c + 0.5, r), 1, x), DTypeError, r"scan: float64\[\] for int64.*0.0 in"),
    (lambda x: weft.scan(lambda c, r: (c, r), x, (x, weft.zeros(5))), ShapeError, "scan: .* steps"),
    (lambda x: weft.scan(lambda c, r: (c, r), x), ShapeError, "scan: .* steps"),
    (lambda x: weft.scan(lambda c, r: (c, r), x, x, 7), ShapeError, "scan: .* steps"),
    (lambda x: weft.scan(lambda c, r: (c if r > 0 else -c, r), x, x), TracingError, "an argument of scan's function"),
    (lambda x: weft.scan(lambda c, r: (x.__iadd__(1), r), 1.0, x), TracingError, "scan: its function writes"),
    (lambda x: weft.while_loop(lambda v: v > 0, lambda v: v, x), ShapeError, "while_loop: the condition"),
    (lambda x: weft.while_loop(lambda v: v.sum() > 0, lambda v: v[0], x), ShapeError, "while_loop: .*same structure"),
    (lambda x: weft.cond(x > 0, lambda: 1, lambda: 2), ShapeError, "cond: a condition of shape"),
    (lambda x: weft.cond(True, lambda: 1, lambda: 2.0), DTypeError, "cond: .*same dtypes"),
    (lambda x: weft.cond(True, 3, lambda: 2.0), ArgumentError, "cond: a int is no function"),
    (lambda x: weft.while_loop(lambda v: None, lambda v: v, x), ShapeError, "while_loop: the condition"),
])  # fmt: skip
def test_refusals(wrong: Any, error: type[Exception], match: str) -> None:
    x = weft.asarray([1.0, 2.0])
    with pytest.raises(error, match=match):
        wrong(x)
    assert x.tolist() == [1.0, 2.0]


def test_generators_in_steps_are_refused() -> None:
    rng = weft.random.default_rng(1)
    with pytest.raises(TracingError, match=r"random\.fold"):
        weft.scan(lambda c, _: (c + rng.random(), None), 0.0, length=3)


def test_inside_compiled_functions_outer_numbers_are_those_of_each_call() -> None:
    f = weft.compile(lambda x, rate, n: weft.scan(lambda c, _: (c * rate, None), x, length=n)[0], static="n")
    x = weft.asarray([1.0, 2.0])
    assert [f(x, r, 3).tolist() for r in (2.0, 0.5)] == [[8.0, 16.0], [0.125, 0.25]] and f.traces == 1


def _chosen(c: weft.Tensor, a: weft.Tensor) -> weft.Tensor:
    return weft.cond(a > 0, lambda: c * 0.5 + a, lambda: c * c - a)


NESTED = {
    "cond in scan": lambda x: weft.scan(lambda c, a: (_chosen(c, a), c), 1.0, x),
    "scan in scan": lambda x: weft.scan(
        lambda c, a: (weft.scan(lambda d, b: (d * 0.5 + a * b, d), c, x)[0], c), 1.0, x
    ),
    "while in scan": lambda x: weft.scan(
        lambda c, a: (weft.while_loop(lambda v: v < 4, lambda v: v * 2 + 1, abs(a)) + c, c), 0.0, x
    ),
}


@pytest.mark.parametrize("name", NESTED)
def test_loops_inside_loops_over_batches(name: str) -> None:
    f, xs = NESTED[name], weft.asarray(np.random.default_rng(0).normal(size=(3, 4)))
    last, path = weft.vmap(f)(xs)
    for k in range(3):
        one, steps = f(xs[k])
        assert last[k].item() == one.item() and path[k].tolist() == steps.tolist()


@pytest.mark.parametrize("name", ["cond in scan", "scan in scan"])
def test_gradients_of_loops_inside_loops(name: str) -> None:
    start = np.array([0.5, -0.25, 0.75])
    x = weft.asarray(start).requires_grad_()
    (found,) = weft.autograd.grad(NESTED[name](x)[0], x)
    for k in range(3):
        ends = [NESTED[name](weft.asarray(start + s * np.eye(3)[k] * 1e-6))[0].item() for s in (1, -1)]
        assert abs((ends[0] - ends[1]) / 2e-6 - found[k].item()) < 1e-6


@pytest.mark.parametrize("make", [
    lambda a: a[:, ::2], lambda a: a[::-1], lambda a: a.astype(">f8"), lambda a: np.asfortranarray(a),
    lambda a: a.astype("f2"), lambda a: a[:, 0], lambda a: a > 3, lambda a: a[:, :0],
])  # fmt: skip
@pytest.mark.parametrize("name", ["cpu", "reference"])
def test_rows_of_any_layout(make: Any, name: str) -> None:
    xs = weft.asarray(make(np.arange(24.0).reshape(6, 4)))
    with weft.transformer(name):
        total, rows = weft.scan(lambda c, x: (c + x, (c, x[..., ::-1] if x.ndim else x)), xs[0] * 1 + xs[0], xs)
        expected, seen = xs[0] * 1 + xs[0], []
        for x in xs:
            seen.append(expected.tolist())
            expected = expected + x
        assert total.tolist() == expected.tolist() and total.dtype is expected.dtype
        assert rows[0].tolist() == seen and rows[1].tolist() == weft.flip(xs, axis=1).tolist() if xs.ndim > 1 else True


def test_rows_in_dtypes_that_numpy_lacks() -> None:
    xs = weft.asarray(np.arange(6.0)).astype(weft.bfloat16)
    total, _ = weft.scan(lambda c, x: (c + x, None), xs[0], xs)
    assert total.dtype is weft.bfloat16 and total.item() == 15.0
