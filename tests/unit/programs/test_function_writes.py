"""Writes of compiled functions: in the order of the program, at each call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from weft.errors import ShapeError, TracingError


def test_writes_are_done_in_their_order_at_each_call() -> None:
    w = weft.variable([1.0, 2.0, 3.0])

    @weft.compile
    def f(x: Any) -> Any:
        before = w * 1
        w[1:] = x
        w[0] += w[2]
        weft.assign(w[1, ...], 7)
        return before, w.sum()

    expected = np.array([1.0, 2.0, 3.0])
    for k in range(4):
        shown = expected.copy()
        expected[1:] = [k, k + 1]
        expected[0] += expected[2]
        expected[1] = 7
        before, total = f(weft.asarray([k, k + 1.0]))
        assert before.tolist() == shown.tolist() and total.item() == expected.sum()
        assert w.tolist() == expected.tolist()
    assert f.traces == 1


def test_arguments_are_written() -> None:
    @weft.compile
    def f(x: Any, y: Any) -> None:
        x += y
        y[...] = 0

    for _ in range(3):
        base = np.arange(6.0)
        x, y = weft.asarray(base)[1:4], weft.asarray([1.0, 2.0, 3.0])
        f(x, y)
        assert base.tolist() == [0.0, 2.0, 4.0, 6.0, 4.0, 5.0] and y.tolist() == [0.0] * 3


def test_arguments_of_any_layout_are_written() -> None:
    @weft.compile
    def f(x: Any) -> Any:
        row = x[1]
        x[:, 0] += 1
        total = row + x.T[:, 1]
        x[::-1, 1:] = x[:, 1:] * 2
        row[0] = 5
        for k, r in enumerate(x):
            r[-1] = k
        return total, x[1:], x.T

    layouts = [lambda a: a[:, ::2], lambda a: a[::-1, 1:4], lambda a: a.T[:, :2], lambda a: a.astype(">f8")[:, ::-1],
               lambda a: a[:, :3].astype(">f4"), lambda a: np.asfortranarray(a[:, :3])]  # fmt: skip
    for layout in layouts:
        for k in range(3):
            first, second = (layout(np.arange(20.0).reshape(4, 5) + k) for _ in range(2))
            for a, b in zip(f(weft.asarray(first)), f.__wrapped__(weft.asarray(second)), strict=True):
                assert a.tolist() == b.tolist()
            assert first.tolist() == second.tolist()


def test_several_tensors_are_assigned_at_once() -> None:
    a, b = weft.variable([1.0, 2.0, -0.0]), weft.variable([[4.0], [5.0]])

    @weft.compile
    def f(v: Any) -> Any:
        weft.assign(weft.concat([a, weft.reshape(b, (2,))])[::2], v)
        weft.assign(weft.interleave([a[:2], b[:, 0]])[1:3], a[:2] * 10)
        return a + 0, b + 0

    g = f.__wrapped__
    for k in range(3):
        made = [t.tolist() for t in f(weft.asarray([k, -0.0, 3.0]))]
        assert [a.tolist(), b.tolist()] == made
        after = made
    weft.assign(a, [1.0, 2.0, -0.0])
    weft.assign(b, [[4.0], [5.0]])
    for k in range(3):
        expected = [t.tolist() for t in g(weft.asarray([k, -0.0, 3.0]))]
    assert after == expected and f.traces == 1
    with pytest.raises(weft.errors.WriteError, match="is generated"):
        weft.compile(lambda: weft.assign(weft.pad(a, 1), 0.0))()
    with pytest.raises(weft.errors.WriteError, match="one cell"):
        weft.compile(lambda: weft.assign(weft.concat([a, a]), 0.0))()
    weft.compile(lambda: weft.assign(weft.concat([a, a]), weft.iota((6,)), last_wins=True))()
    assert a.tolist() == [3.0, 4.0, 5.0]


def test_writes_through_windows() -> None:
    a = weft.variable(np.arange(6.0))

    @weft.compile
    def f(v: Any) -> None:
        weft.sliding_window_view(a, 2)[2::2] = v

    for k in (1.0, -0.0):
        f(weft.asarray([k, 2.0]))
        assert a.tolist() == [0.0, 1.0, k, 2.0, k, 2.0] and np.signbit(a[2].item()) == (k == 0)
    z = weft.variable(np.zeros(2, complex))
    with pytest.raises(TracingError, match="real or imaginary part"):
        weft.compile(lambda: weft.assign(weft.real(z), 1.0))()


def test_arguments_that_share_memory_are_written_as_without() -> None:
    @weft.compile
    def f(x: Any, y: Any) -> Any:
        x[0] = 9
        return y + 0

    for _ in range(3):
        x = weft.asarray([1.0, 2.0])
        assert f(x, x).tolist() == [9.0, 2.0]
        x = weft.asarray([1.0, 2.0])
        assert f(x, x[:1]).tolist() == [9.0]
        assert f(weft.asarray([1.0, 2.0]), weft.asarray([1.0, 2.0])).tolist() == [1.0, 2.0]


def test_errors_leave_all_as_it_was() -> None:
    w = weft.variable([1.0, 2.0])

    @weft.compile
    def f(x: Any) -> Any:
        w[0] = 5
        return w + x

    with pytest.raises(ShapeError):
        f(weft.zeros(3))
    assert w.tolist() == [1.0, 2.0] and f.traces == 0
    assert f(weft.zeros(2)).tolist() == [5.0, 2.0]


def test_variables_whose_memory_others_see_are_written_where_they_lie() -> None:
    w = weft.variable([1.0, 2.0]).requires_grad_()
    seen = w.numpy()

    @weft.compile
    def step(x: Any) -> Any:
        (g,) = weft.autograd.grad((w * x).sum(), w)
        with weft.no_grad():
            weft.assign(w, w - g)
        return w.sum()

    for k in range(1, 4):
        assert step(weft.asarray([1.0, 1.0])).item() == 3.0 - 2 * k
        assert seen.tolist() == w.tolist() == [1.0 - k, 2.0 - k] and w.requires_grad


def test_tensors_that_are_only_read_may_share_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    array, w = np.array([1.0, 2.0]), weft.variable([0.0, 0.0])
    x, same = weft.asarray(array), weft.asarray(array)
    f = weft.compile(lambda y, z: weft.assign(w, w + x + y * z))
    f(same, same[::-1])
    monkeypatch.setattr(f, "_function", None)  # from here on, the program
    f(x, x[::-1]), f(same, x[::-1])
    assert w.tolist() == [3 * (1 + 1 * 2), 3 * (2 + 2 * 1)]


def test_an_argument_that_is_written_beside_the_arguments() -> None:
    def f(x: Any) -> Any:
        weft.assign(w, w * 0 + 5)
        return x + 1

    w = weft.variable([1.0, 2.0])
    compiled = weft.compile(f)
    assert compiled(weft.asarray([1.0, 2.0])).tolist() == [2.0, 3.0]
    w[...] = 1
    assert compiled(w).tolist() == [6.0, 6.0]
    written_only = weft.compile(lambda x: (weft.assign(w, 7.0), x + 1)[1])
    assert written_only(weft.asarray([1.0, 2.0])).tolist() == [2.0, 3.0]
    assert written_only(w).tolist() == [8.0, 8.0]


def test_a_number_is_added_to_what_a_comparison_left() -> None:
    @weft.compile
    def count(x: Any) -> Any:
        weft.less(x, 2, out=x)
        x += 2
        return x + 0

    assert count(weft.asarray(np.uint8([1, 2]))).tolist() == [3, 2]
