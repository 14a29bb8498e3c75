"""Compiled functions in several threads: no write is lost, and traces do not wait for each other."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import weft
from weft.programs.surroundings import Surroundings


def test_threads() -> None:
    f = weft.compile(lambda x, n: weft.exp(x * n).sum())
    expected = [weft.exp(weft.asarray(np.arange(50.0) / k) * 0.5).sum().item() for k in range(1, 5)]
    wrong: list[Any] = []

    def work(k: int) -> None:
        x = weft.asarray(np.arange(50.0) / k)
        for _ in range(200):
            if f(x, 0.5).item() != expected[k - 1]:
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_first_calls_from_many_threads_lose_no_write() -> None:
    w, v, start = weft.variable(0.0), weft.variable(np.zeros(3)), threading.Barrier(6)
    values: list[float] = []

    @weft.compile
    def count(x: Any) -> Any:
        weft.assign(w, w + 1)
        weft.assign(x, x + 1)
        return w * 1

    def work() -> None:
        start.wait()
        values.extend([count(v).item() for _ in range(60)])

    threads = [threading.Thread(target=work) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert w.item() == 360 and v.tolist() == [360.0] * 3
    assert sorted(values) == list(range(1, 361)) and len(count.explain().splitlines()) == 1


def _in_a_thread(f: Any, *args: Any) -> None:
    thread = threading.Thread(target=f, args=args)
    thread.start()
    thread.join()


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize("writes", [False, True])
def test_what_other_threads_write_during_a_trace_is_read_at_later_calls(is_compiled: bool, writes: bool) -> None:
    w, x = weft.variable([1.0, 2.0]), weft.asarray([1.0, 1.0])

    def change() -> None:
        weft.assign(w, w * 0 + 10.0)

    change_in_thread = weft.compile(change) if is_compiled else change

    @weft.compile
    def f(x: Any) -> Any:
        y = w + x
        _in_a_thread(change_in_thread)
        if writes:
            weft.assign(w, y)
        return y * 1

    assert f(x).tolist() in ([2.0, 3.0], [11.0, 11.0])
    weft.assign(w, [20.0, 30.0])
    assert f(x).tolist() == [21.0, 31.0]
    assert w.tolist() == ([21.0, 31.0] if writes else [20.0, 30.0])


def test_traces_that_write_in_opposite_orders_do_not_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.tensors.tracing.PATIENCE", 0.05)
    v, w, met = weft.variable(0.0), weft.variable(0.0), threading.Barrier(2)
    traced: list[Any] = []

    def both(first: Any, second: Any) -> Any:
        def step() -> None:
            weft.assign(first, first + 1)
            if len(traced) < 2:
                traced.append(first)
                met.wait()
            second.__iadd__(1)

        return weft.compile(step)

    def work(f: Any) -> None:
        for _ in range(20):
            f()

    threads = [threading.Thread(target=work, args=(both(*pair),), daemon=True) for pair in ((v, w), (w, v))]
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
        assert not t.is_alive()
    assert v.item() == w.item() == 40


def test_a_write_after_the_trace_and_before_the_first_run_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    v, w = weft.variable(1.0), weft.variable(0.0)
    before = Surroundings.refuse_changes

    def refuse_changes(self: Surroundings) -> None:
        before(self)
        other = threading.Thread(target=weft.assign, args=(v, 10.0))
        other.start()
        other.join()

    monkeypatch.setattr(Surroundings, "refuse_changes", refuse_changes)
    f = weft.compile(lambda: weft.assign(w, v + 1))
    f()
    assert w.item() == 11.0
    weft.assign(v, 20.0)
    f()
    assert w.item() == 21.0


def test_a_trace_waits_for_the_writes_of_another_one() -> None:
    w, x = weft.variable([0.0, 0.0]), weft.asarray(1.0)
    threads: list[threading.Thread] = []
    second = weft.compile(lambda x: weft.assign(w, w + x))

    @weft.compile
    def first(x: Any) -> Any:
        weft.assign(w, w + x)
        if not threads:
            threads.append(threading.Thread(target=second, args=(x_given,)))
            threads[0].start()
            threads[0].join(0.1)

    x_given = x * 2
    first(x)
    threads[0].join()
    assert w.tolist() == [3.0, 3.0]
    first(x), second(x_given)
    assert w.tolist() == [6.0, 6.0]


def test_other_threads_see_the_versions_of_before_while_writes_are_traced() -> None:
    w, tail = weft.variable([1.0, 2.0]), weft.variable([5.0])
    view, row = w[1:], next(iter(w))
    seen: list[Any] = []
    writers: list[threading.Thread] = []

    def read() -> None:
        seen.extend([w.tolist(), (w * 2).tolist(), view.tolist(), (view + 1).tolist(), w.numpy().tolist(), row.item()])
        seen.append(weft.concat([w, tail]).tolist())
        view.realize()

    def write() -> None:
        w[0] = 100.0

    @weft.compile
    def f(x: Any) -> Any:
        weft.assign(w, w + x)
        reader = threading.Thread(target=read)
        reader.start()
        reader.join()
        writers.append(threading.Thread(target=write))
        writers[-1].start()
        view[...] = 7.0
        return w * 1

    assert f(weft.asarray([10.0, 10.0])).tolist() in ([11.0, 7.0], [110.0, 7.0])
    writers[0].join()
    assert seen == [[1.0, 2.0], [2.0, 4.0], [2.0], [3.0], [1.0, 2.0], 1.0, [1.0, 2.0, 5.0]]
    assert w[0].item() in (100.0, 11.0, 110.0) and w[1].item() == 7.0
