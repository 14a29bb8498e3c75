"""Saved programs: what is loaded computes what was saved, without planning; what cannot be saved is refused by name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections import namedtuple
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.errors import ArgumentError, DonatedError, MissingFileError, ProgramFileError, TracingError, WriteError
from weft.passes import pipeline

X = np.linspace(-1.0, 1.0, 12).reshape(3, 4)


def saved(f: Any, path: Path, **named: Any) -> Any:
    """Return the program that is loaded from a file of `f`."""
    weft.save_program(f, path / "f.weft")
    return weft.load_program(path / "f.weft", **named)


def _loops(x: Any) -> Any:
    """Return what loops of each kind make of x, one in another one, and over a batch."""
    table = weft.asarray([2.0, -1.0, 0.5, 3.0])
    last, rows = weft.scan(lambda c, r: (c * table + r, (c.sum(), r[:0])), x[0], x)
    inner = weft.scan(lambda c, r: (c + weft.scan(lambda d, v: (d + v * 2, None), 0.0, r)[0], c), 0.0, x)
    grown = weft.while_loop(lambda s: s[0].sum() < 20, lambda s: (s[0] * 2 + 1, s[1] + 1), (x * 0, 0))
    side = weft.cond(x.sum() > 1, lambda v: v @ v.T, lambda v: -(v @ v.T) + table.sum(), x)
    mapped = weft.vmap(lambda r: weft.while_loop(lambda v: v < 3, lambda v: v + 1, r[0]))(x)
    return [last, rows[0], rows[1], *inner, *grown, side, mapped]


FUNCTIONS: dict[str, Any] = {
    "cells": lambda x: weft.exp(-x * 0.5) + weft.abs(x),
    "views": lambda x: [x[::-1].T, weft.pad(x, 1)[1:], weft.concat([x, x * 2], axis=1), x],
    "reductions": lambda x: [x.sum(axis=0), x.var(), weft.argmax(x, axis=1), (x > 0).all()],
    "scans": lambda x: weft.cumulative_sum(x, axis=0, include_initial=True),
    "bins": lambda x: weft.histogram(x, bins=5, range=(-1, 1))[0],
    "routines": lambda x: [weft.sort(x, axis=1), weft.linalg.svd(x)[1], weft.fft.rfft(x).real, x @ x.T],
    "takes": lambda x: [weft.take(x, weft.asarray([3, 1, 1]), axis=1), x[[2, 0]], x[:, ::-1][..., [1]]],
    "positions": lambda x: weft.interp(x, weft.asarray([-1.0, 0.0, 1.0]), weft.asarray([1.0, 5.0, 2.0])),
    "random": lambda x: [weft.random.normal((5,), seed=3) + x.sum(), weft.random.permutation(100, seed=4)],
    "dtypes": lambda x: [x.astype(d) for d in ("float16", "bfloat16", "int8", "float8_e4m3fnuz", "complex64", "bool")],
    "constants": lambda x: [weft.where(x > 0, x, float("nan")), x * 1j, x + float("-inf"), weft.zeros(3), -0.0 * x],
    "nothing": lambda x: [x[:0] + 1, x[:0].sum(), x[0, 0]],
    "loops": lambda x: _loops(x),
    "softmax": lambda x: (lambda e: e / e.sum(axis=1, keepdims=True))(weft.exp(x - x.max(axis=1, keepdims=True))),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("layout", ["whole", "strided", "big"])
def test_loaded_functions_compute_what_was_saved(name: str, layout: str, tmp_path: Path) -> None:
    f = weft.compile(FUNCTIONS[name])
    array = {"whole": X, "strided": np.repeat(X, 2, axis=1)[:, ::-2], "big": X.astype(">f8")}[layout]
    expected = f(weft.asarray(array))
    found = saved(f, tmp_path)(weft.asarray(array))
    for a, b in zip(expected, found, strict=True) if isinstance(expected, list) else [(expected, found)]:
        assert a.dtype is b.dtype and a.shape == b.shape and a.numpy().tobytes() == b.numpy().tobytes()


def test_nothing_is_planned_and_no_graph_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    f = weft.compile(lambda x, rate: weft.exp(x @ x.T * rate).sum(axis=0))
    x = weft.asarray(X)
    expected = f(x, 2).tolist()
    g = saved(f, tmp_path)
    monkeypatch.setattr(pipeline, "drafted", None)
    assert g(x, 2).tolist() == expected and g(np.array(X), 2).tolist() == expected
    assert "roots" not in g.calls()[0][1].graph.__dict__
    assert g.memory()[0] == f.memory()[0] and g.kernels() == f.kernels()


def test_blocks_of_rows_are_kept(tmp_path: Path) -> None:
    f = weft.compile(FUNCTIONS["softmax"])
    x = weft.asarray(np.linspace(-3, 3, 1 << 20).reshape(-1, 64))
    expected = f(x)
    g = saved(f, tmp_path)
    assert g.calls()[0][1].graph.plan.blocks and g(x).numpy().tobytes() == expected.numpy().tobytes()


TRAINING = """
import sys, weft
w = weft.variable([0.0, 0.0]).requires_grad_()
rng = weft.random.default_rng(3)
@weft.compile
def step(x, y, rate):
    loss = ((x @ w - y) ** 2).mean()
    (g,) = weft.autograd.grad(loss, w)
    with weft.no_grad():
        weft.assign(w, w - (rate * 2 - rate) * g)
    return {"loss": loss, "noise": rng.normal(size=2)}
x, y = weft.asarray([[1.0, 2.0], [3.0, 4.0]]), weft.asarray([5.0, 11.0])
"""
RUN = "for _ in range(3):\n    r = step(x, y, 0.05)\n    print(r['loss'].item().hex(), r['noise'].tolist())\n"


def test_training_goes_on_in_another_process(tmp_path: Path) -> None:
    path = tmp_path / "step.weft"
    train = (
        f"{TRAINING}\nstep(x, y, 0.05)\nweft.save_program(step, sys.argv[1])\nprint(weft.program_digest(step))\n{RUN}"
    )
    serve = (
        "import sys, weft\nx, y = weft.asarray([[1.0, 2.0], [3.0, 4.0]]), weft.asarray([5.0, 11.0])\n"
        f"step = weft.load_program(sys.argv[1])\nprint(weft.program_digest(step))\n{RUN}"
    )
    texts = []
    for k, code in enumerate((train, serve)):
        environment = os.environ | {"PYTHONHASHSEED": str(k)}
        done = subprocess.run(
            [sys.executable, "-c", code, str(path)], env=environment, capture_output=True, text=True, check=True
        )
        texts.append(done.stdout)
    assert texts[0] == texts[1] and texts[0].count("\n") == 4


def test_digests_are_those_of_every_process() -> None:
    code = f"{TRAINING}\nstep(x, y, 0.05)\nprint(weft.program_digest(step))"
    found = [
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "12"
    ]
    assert found[0] == found[1] and len(found[0]) == 65


def test_tensors_are_the_programs_own(tmp_path: Path) -> None:
    w, b = weft.variable([1.0, 2.0]), weft.asarray(np.arange(6.0).reshape(2, 3).T)
    c = weft.constant([5.0, 5.0])

    @weft.compile
    def f(x: Any) -> Any:
        w[0] += 1
        return x * w + c + b.sum(axis=0)

    x = weft.asarray([1.0, 1.0])
    f(x)
    g = saved(f, tmp_path)
    assert [f(x).tolist() for _ in range(3)] == [g(x).tolist() for _ in range(3)]
    assert w.tolist() == [5.0, 2.0] == g.persistent[0].tolist() and g.persistent[0] is not w
    assert weft.kind(g.persistent[0]).trainable


def test_arguments_are_written(tmp_path: Path) -> None:
    @weft.compile
    def f(x: Any, v: Any) -> None:
        x[1:] = v

    f(weft.zeros(3), 2.0)
    x = weft.zeros(3).realize()
    saved(f, tmp_path)(x, 5.0)
    assert x.tolist() == [0.0, 5.0, 5.0]


Pair = namedtuple("Pair", "first second")


@dataclass
class Line:
    slope: Any
    at_zero: Any


class Box:
    def __init__(self, inside: Any) -> None:
        self.inside = inside


weft.register_pytree(Box, lambda b: ((b.inside,), ("extra", 3)), lambda extra, parts: Box(*parts))


def test_containers(tmp_path: Path) -> None:
    def f(pair: Any, box: Any, named: Any, *, mode: str = "a") -> Any:
        return Pair(pair.first * named["a"], [Line(box.inside + 1, None), (named[3], mode)]), {"n": named["a"] * 2}

    compiled, x = weft.compile(f), weft.asarray(X)
    call: Any = (Pair(x, None), Box(x), {"a": 3, 3: "text"})
    compiled(*call, mode="b")
    compiled(*call)
    with pytest.raises(ProgramFileError, match=r"types=\[...\]"):
        saved(compiled, tmp_path)
    pair, rest = saved(compiled, tmp_path, types=[Pair, Line])(*call, mode="b")
    assert type(pair) is Pair and pair.first.tolist() == (X * 3).tolist() and rest == {"n": 6}
    line, others = pair.second
    assert type(line) is Line and line.slope.tolist() == (X + 1).tolist() and line.at_zero is None
    assert others == ("text", "b")


def test_every_kind_of_call_is_saved_and_others_say_why(tmp_path: Path) -> None:
    f = weft.compile(lambda x, n, how: x * n, static="how")
    x = weft.asarray(X)
    f(x, 1, "a"), f(x, 0.5, "a"), f(x[0], 1, None)
    g = saved(f, tmp_path)
    assert g(x, 3, "a").tolist() == (X * 3).tolist() and g(x, 2.5, how="a").tolist() == (X * 2.5).tolist()
    assert g(x.T[:, 1], 1, None).tolist() == X[1].tolist()
    with weft.no_grad(), weft.checking():
        assert g(x, 3, "a").tolist() == (X * 3).tolist()
    for call, why in [
        ((x[:2], 1, "a"), r"x: shape \(2, 4\), was \(3, 4\)"),
        ((x, 1, "b"), "how: 'b', was 'a'"),
        ((x.astype("float32"), 1, "a"), "x: dtype float32, was float64"),
        ((x, 1j, "a"), "n: complex, was int"),
        ((x, 1), "how is missing"),
    ]:
        with pytest.raises(TracingError, match=why):
            g(*call)


def test_other_settings_plan_anew(tmp_path: Path) -> None:
    f, x = weft.compile(FUNCTIONS["softmax"]), weft.asarray(X)
    expected = f(x).numpy()
    g = saved(f, tmp_path)
    with weft.transformer("reference"):
        assert np.allclose(g(x).numpy(), expected)
    with weft.without("fuse"):
        assert np.array_equal(g(x).numpy(), expected)
    assert np.array_equal(g(x * 1).numpy(), expected)
    again = saved(g, tmp_path)
    assert np.array_equal(again(x).numpy(), expected) and weft.program_digest(again) == weft.program_digest(f)
    assert "positive" in str(g) or "divide" in str(g)


def test_gradients_flow_through_loaded_functions(tmp_path: Path) -> None:
    w = weft.variable([1.0, 2.0]).requires_grad_()
    f, x = weft.compile(lambda x: (x * w * w).sum()), weft.asarray([3.0, 4.0])
    f(x)
    g = saved(f, tmp_path)
    g(x).backward()
    assert g.persistent[0].grad.tolist() == [6.0, 16.0]


def test_batches_draws_and_donated_arguments(tmp_path: Path) -> None:
    rng = weft.random.default_rng(5)
    f = weft.compile(lambda x: weft.vmap(lambda row: row * 2 + rng.normal(size=4))(x), donate="x")
    f(weft.asarray(X.copy()))
    g = saved(f, tmp_path)
    x = weft.asarray(X.copy())
    assert g(x).tolist() == f(weft.asarray(X.copy())).tolist()
    with pytest.raises(DonatedError, match="x"):
        x.tolist()


def test_written_tensors_keep_their_memory(tmp_path: Path) -> None:
    w = weft.variable(np.zeros((300, 300)))

    @weft.compile
    def f(x: Any) -> None:
        w[...] = w + x

    x = weft.asarray(np.ones((300, 300)))
    f(x)
    g = saved(f, tmp_path)
    g(x)
    with weft.using_allocator(mine := weft.Heap("mine")):
        g(x)
    assert mine.peak == 0 and g.persistent[0][0, 0].item() == 3.0


def test_positions_are_checked_at_each_call(tmp_path: Path) -> None:
    f = weft.compile(lambda x, i: x[i] * 2)
    x = weft.asarray(X)
    f(x, weft.asarray([0, 2]))
    g = saved(f, tmp_path)
    assert g(x, weft.asarray([2, 1])).tolist() == (X[[2, 1]] * 2).tolist()
    with pytest.raises(IndexError):
        g(x, weft.asarray([0, 3]))


class Model:
    def __init__(self, w: float) -> None:
        self.w = weft.variable(w)

    @weft.compile
    def predict(self, x: Any) -> Any:
        return x * self.w


def test_methods_are_saved_for_their_object(tmp_path: Path) -> None:
    one, other, x = Model(2.0), Model(3.0), weft.asarray(X)
    one.predict(x), other.predict(x)
    assert saved(other.predict, tmp_path)(x).tolist() == (X * 3).tolist()
    with pytest.raises(ArgumentError, match="argument 0 with the value"):
        saved(Model.predict, tmp_path)
    with pytest.raises(ArgumentError, match="not called"):
        saved(Model(1.0).predict, tmp_path)


def test_computations(tmp_path: Path) -> None:
    x, w = weft.placeholder((2,), name="x"), weft.variable([1.0, 10.0])
    f = weft.computation([(x * w).sum(), lambda: weft.assign(w, w + x)], x)
    g = saved(f, tmp_path)
    for value in ([1.0, 2.0], [0.0, 1.0]):
        assert g(x=value)[0].item() == f(value)[0].item()
    assert g.persistent[0].tolist() == w.tolist() == [2.0, 13.0]
    assert repr(g) == repr(f) and weft.program_digest(f) == weft.program_digest(g)


def test_values_that_were_looked_at_hold_or_say_so(tmp_path: Path) -> None:
    w = weft.variable([1.0, 2.0])
    f = weft.compile(lambda x: x * float(w.sum()) + w)
    f(weft.zeros(2))
    g = saved(f, tmp_path)
    assert g(weft.asarray([1.0, 1.0])).tolist() == [4.0, 5.0]
    g.persistent[0][0] = 7
    with pytest.raises(TracingError, match="looked at was written"):
        g(weft.asarray([1.0, 1.0]))


def test_loops_that_were_loaded_have_gradients_and_batches(tmp_path: Path) -> None:
    decay = weft.variable(0.5).requires_grad_()

    @weft.compile
    def f(x: Any) -> Any:
        return weft.scan(lambda c, r: (c * decay + r, c), 0.0, x)[0]

    x = weft.asarray([1.0, 1.0, 1.0])
    f(x)
    g = saved(f, tmp_path)
    assert weft.autograd.grad(g(x), g.persistent[0])[0].item() == 2.0 == weft.autograd.grad(f(x), decay)[0].item()
    g.persistent[0].detach()[...] = 1.0
    assert g(x).item() == 3.0
    again = saved(g, tmp_path)
    assert again(x).item() == 3.0 and weft.program_digest(again) == weft.program_digest(g)


def blocks(x: Any) -> Any:
    return weft.map_blocks(lambda b: b * 2, x, dtype=x.dtype)


@pytest.mark.parametrize(("f", "call", "what"), [
    (blocks, (weft.zeros(3),), "calls functions of Python"),
    (lambda x: x + 1, (weft.zeros(2, device="thread:0"),), "on thread"),
    (lambda x, f: f(x), (weft.zeros(2), weft.exp), "argument 1 with the value"),
    (lambda x: object(), (weft.zeros(2),), "a result"),
])  # fmt: skip
def test_programs_that_cannot_be_data_are_refused(f: Any, call: Any, what: str, tmp_path: Path) -> None:
    compiled = weft.compile(f)
    compiled(*call)
    with pytest.raises(ArgumentError, match=what):
        weft.save_program(compiled, tmp_path / "f.weft")
    assert not list(tmp_path.iterdir())


def test_files_and_gradients_and_other_objects_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X)
    w = weft.variable(2.0).requires_grad_()
    reads, sets = (
        weft.compile(lambda y: y + weft.open(tmp_path / "x.npy")),
        weft.compile(lambda y: (w * y).sum().backward()),
    )
    reads(weft.asarray(X)), sets(weft.asarray(X))
    for f, what in (
        (reads, "reads a file"),
        (sets, "a gradient that it reads was set"),
        (weft.compile(len), "not called"),
        (len, "builtin"),
    ):
        with pytest.raises(ArgumentError, match=what):
            weft.save_program(f, tmp_path / "f.weft")  # type: ignore[arg-type]
    f = weft.compile(lambda y: y + 1)
    f(weft.asarray(X))
    with pytest.raises(WriteError):
        weft.save_program(f, tmp_path / "no" / "f.weft")
    with pytest.raises(MissingFileError):
        weft.load_program(tmp_path / "none.weft")
    with pytest.raises(ProgramFileError):
        weft.load_program(tmp_path)


def test_tensors_over_files_are_saved_with_their_cells(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X)
    x = weft.open(tmp_path / "x.npy")
    f = weft.compile(lambda y: y + x)
    f(weft.asarray(X))
    g = saved(f, tmp_path)
    (tmp_path / "x.npy").unlink()
    assert g(weft.asarray(X)).tolist() == (X + X).tolist()


def test_the_file_is_text_and_safetensors(tmp_path: Path) -> None:
    w = weft.variable([1.0, 2.0])
    f = weft.compile(lambda x: x * w)
    f(weft.zeros(2))
    weft.save_program(f, tmp_path / "f.weft")
    first = (tmp_path / "f.weft").read_bytes()
    weft.save_program(f, tmp_path / "f.weft")
    assert (tmp_path / "f.weft").read_bytes() == first
    with zipfile.ZipFile(tmp_path / "f.weft") as archive:
        data = json.loads(archive.read("program.json"))
        archive.extract("weights.safetensors", tmp_path)
    assert data["format"] == "weft-program" and "multiply" in data["calls"][0]["graph"]
    assert weft.open(tmp_path / "weights.safetensors").tolist() == [1.0, 2.0]


@pytest.mark.parametrize("shape", [(0,), (2, 0, 3)])
def test_tensors_without_cells(shape: tuple[int, ...], tmp_path: Path) -> None:
    x, w, v = weft.zeros(shape), (weft.zeros(shape) * 1).realize(), weft.variable(np.zeros(shape))
    f = weft.compile(lambda x: x + w * v)
    f(x)
    assert saved(f, tmp_path)(x).shape == shape
