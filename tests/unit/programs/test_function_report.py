"""Reports of compiled functions: why calls were traced, their kernels, and their memory."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import weft

Pair = namedtuple("Pair", "first second")


def test_why_calls_are_traced() -> None:
    f = weft.compile(lambda x, rate, options: x * rate, static="options")
    x, y = weft.zeros(3), weft.zeros(3, dtype=weft.float32)
    for call in [
        (x, 1, None), (x, 2, None), (weft.zeros(4), 1, None), (y, 1, None), (x, 0.5, None), (x, 1, "a"),
        (weft.zeros((3, 2))[:, 0], 1, None), (Pair(x, 1)[0], 1, None),
    ]:  # fmt: skip
        f(*call)
    assert f.traces == 6 and f.explain().splitlines() == [
        "trace 1: (x: float64[3], rate: int, options: None)",
        "trace 2: x: shape (4,), was (3,)",
        "trace 3: x: dtype float32, was float64",
        "trace 4: rate: float, was int",
        "trace 5: options: 'a', was None",
        "trace 6: x: strides (16,), was (8,)",
    ]


def test_why_containers_are_traced_anew() -> None:
    f = weft.compile(lambda p, **named: p["w"].first + p["w"].second)
    x = weft.zeros(3)
    f({"w": Pair(x, x)})
    f({"w": Pair(x, weft.zeros(1))})
    f({"w": Pair(x, x), "b": None})
    f({"w": Pair(x, x)}, mode=3)
    assert f.explain().splitlines() == [
        "trace 1: (p['w'].first: float64[3], p['w'].second: float64[3])",
        "trace 2: p['w'].second: shape (1,), was (3,)",
        "trace 3: p: dict of 2, was dict of 1",
        "trace 4: mode is new",
    ]


def test_traces_that_serve_no_longer_say_why() -> None:
    w = weft.variable([1.0, 2.0])
    f = weft.compile(lambda x: x * float(w.sum()))
    x = weft.zeros(2)
    f(x)
    w[0] = 5
    f(x)
    assert f.traces == 1 and f.explain().endswith("a tensor whose values it looked at was written")


def test_settings_are_part_of_the_kind() -> None:
    f, x = weft.compile(lambda x: x + 1), weft.zeros(2)
    f(x)
    with weft.no_grad():
        f(x)
    assert f.explain().endswith("the recording of gradients: False, was True")


def test_text_has_the_graph_of_each_kind() -> None:
    f = weft.compile(lambda x: weft.exp(x) * 2)
    f(weft.zeros(3))
    assert repr(f) == "<compiled function <lambda>(x): 1 kinds of calls>"
    assert "exp(%0) float64[3]" in str(f) and "(x: float64[3])" in str(f)
    assert [line.split()[2] for line in f.kernels().splitlines()] == ["load()", "exp(%0)", "scalar()", "multiply(%1,"]


@pytest.mark.parametrize("f", [
    lambda x, y: (x + y) * 2,
    lambda x, y: weft.exp(x @ y) @ weft.sin(y),
    lambda x, y: [(x @ y).sum(axis=0), (x @ y + x).max()],
    lambda x, y: weft.linalg.inv(x @ y + weft.eye(40) * 99) @ (x @ x),
])  # fmt: skip
def test_peak_is_what_is_measured(f: Any) -> None:
    x = weft.asarray(np.arange(1600.0).reshape(40, 40) / 1600)
    compiled = weft.compile(f)
    compiled(x, x)
    plan = compiled.memory()[0]
    with weft.using_allocator(mine := weft.Heap("mine")):
        made = compiled(x, x)
    assert mine.peak == plan.peak > 0 and made is not None


def test_methods_tell_of_the_calls_of_all_objects() -> None:
    class Model:
        @weft.compile
        def step(self, x: Any) -> Any:
            return x * 2

    one = Model()
    one.step(weft.zeros(3)), one.step(weft.zeros(4))
    assert one.step.traces == Model.step.traces == 2
    assert "x: shape (4,), was (3,)" in one.step.explain()
    assert "multiply" in one.step.kernels() and [m.peak for m in one.step.memory()] == [24, 32]
    assert str(one.step) == str(Model.step) and repr(one.step) == repr(Model.step) and one.step.__name__ == "step"
    with pytest.raises(AttributeError, match="nothing"):
        one.step.nothing  # noqa: B018


def test_tensors_of_a_trace_are_printed_without_values(capsys: pytest.CaptureFixture[str]) -> None:
    kept: list[Any] = []

    def shown(x: Any, n: Any) -> Any:
        y = x.sum(axis=1) * n
        print(x, y, f"{y}", repr(x), [x], y[0])  # noqa: T201
        kept.append(y)
        return y

    x = weft.zeros((3, 4), dtype=weft.float32)
    f = weft.compile(lambda x, n: (shown(x, n), kept.clear())[0])
    f(x, 2), f(x, 3)
    of_x, of_y = "<traced tensor float32 (3, 4)>", "<traced tensor float32 (3,)>"
    assert capsys.readouterr().out == f"{of_x} {of_y} {of_y} {of_x} [{of_x}] <traced tensor float32 ()>\n"
    weft.vmap(lambda row: print(row) or row)(x)  # noqa: T201
    assert capsys.readouterr().out == "<traced tensor float32 (4,)>\n"
    for refused in (lambda x: f"{x.sum():.3f}", lambda x: f"{x:.3f}"):
        with pytest.raises((weft.errors.TracingError, TypeError), match=r"is read at .*test_function_report|index it"):
            weft.compile(refused)(x)
    weft.vmap(lambda row: kept.append(row) or row)(x)
    assert str(kept[0]) == repr(kept[0]) == "<traced tensor float32 (4,) of a trace that is over>"
    assert repr(weft.placeholder((2,), name="p") * 2) == "Tensor(<waits for placeholders>, shape=(2,))"


def test_a_function_without_values_takes_no_memory() -> None:
    f = weft.compile(lambda x: None)
    f(weft.zeros(3))
    assert f.memory() == [None]
    assert f.kernels() == ""
