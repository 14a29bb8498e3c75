"""Programs that run again and again: calls of compiled functions, and steps of training, beside PyTorch and JAX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import weft
from benchmarks import peers
from benchmarks.timing import Run, best_of, table

BATCH, LAYERS, RATE = 128, (784, 256, 128, 10), 0.05
CALLS = 200  # of a function of few cells, in a turn


def main(threads: int, only: str = "") -> None:
    """Print the tables for a number of threads."""
    weft.set_num_threads(threads)
    peers.set_threads(threads)
    cells = (np.arange(10.0) / 10, np.arange(10.0) / 10 + 1)
    calls = {
        "10 operations on 10 cells": (lambda a, b: _chain(a, b, 2), "3 us, 1/2 of jax.jit"),
        "100 operations on 10 cells": (lambda a, b: _chain(a, b, 20), "8 us"),
    }
    rows = [_calls(name, f, cells, bar) for name, (f, bar) in calls.items() if only in name]
    if rows:
        head = ["", "NumPy", "torch", "jax.jit", "weft", "weft compiled", "bar"]
        table(f"calls of functions, {threads} threads, microseconds", head, rows)
    if only in "a step of training":
        best = best_of(_steps())
        row = [f"{best[name] * 1e3:.2f}" if name in best else "-" for name in ("torch", "eager", "compiled")]
        shape = "-".join(map(str, LAYERS))
        title = f"a step of training, perceptron {shape}, batch {BATCH}, {threads} threads, milliseconds"
        table(title, ["", "torch", "weft", "weft compiled", "bar"], [["SGD", *row, "torch; 2.5x eager"]])


def _chain(a: Any, b: Any, times: int) -> Any:
    """Five operations, again and again."""
    for _ in range(times):
        a = ((a + b) * 0.5 - a) * b + a
    return a


def _calls(name: str, f: Callable[..., Any], cells: Sequence[np.ndarray], bar: str) -> list[str]:
    compiled, tensors = weft.compile(f), [weft.asarray(c) for c in cells]
    runs: dict[str, Run] = {"NumPy": lambda: f(*cells), "weft": lambda: f(*tensors).realize()}
    runs["weft compiled"] = lambda: compiled(*tensors)
    if peers.torch is not None:
        given = [peers.torch.from_numpy(c) for c in cells]
        runs["torch"] = lambda: f(*given)
    runs |= peers.jax_runs(f, tuple(cells))
    best = best_of({k: _again(run) for k, run in runs.items()}, rounds=25)
    shown = [
        f"{best[k] / CALLS * 1e6:.2f}" if k in best else "-"
        for k in ("NumPy", "torch", "jax.jit", "weft", "weft compiled")
    ]
    return [name, *shown, bar]


def _again(run: Run) -> Run:
    def calls() -> None:
        for _ in range(CALLS):
            run()

    return calls


def _steps() -> dict[str, Run]:
    """Steps of stochastic gradient descent that end with the loss as a number."""
    rng = np.random.default_rng(0)
    x, labels = rng.standard_normal((BATCH, LAYERS[0])).astype("float32"), rng.integers(0, LAYERS[-1], BATCH)
    weights = [(rng.standard_normal(s) * 0.05).astype("float32") for s in pairwise(LAYERS)]
    biases = [np.zeros(n, "float32") for n in LAYERS[1:]]
    step = _step(x, labels, weights, biases)
    compiled = weft.compile(_step(x, labels, weights, biases))
    runs: dict[str, Run] = {"eager": lambda: step().item(), "compiled": lambda: compiled().item()}
    if peers.torch is not None:
        runs["torch"] = _torch_step(x, labels, weights, biases)
    return runs


def _step(x: np.ndarray, labels: np.ndarray, *parameters: Sequence[np.ndarray]) -> Callable[[], weft.Tensor]:
    weights, biases = [[weft.variable(p).requires_grad_() for p in group] for group in parameters]
    inputs, wanted = weft.asarray(x), weft.asarray(np.eye(LAYERS[-1], dtype="float32")[labels])

    def step() -> weft.Tensor:
        h = inputs
        for w, b in zip(weights, biases, strict=True):
            h = (h if w is weights[0] else weft.maximum(h, 0)) @ w + b
        top = weft.max(h, axis=1, keepdims=True)
        scale = weft.log(weft.sum(weft.exp(h - top), axis=1, keepdims=True)) + top
        loss = weft.mean(weft.sum((scale - h) * wanted, axis=1))
        with weft.no_grad():
            for p, g in zip([*weights, *biases], weft.autograd.grad(loss, [*weights, *biases]), strict=True):
                p -= RATE * g
        return loss.detach()

    return step


def _torch_step(x: np.ndarray, labels: np.ndarray, *parameters: Sequence[np.ndarray]) -> Run:
    torch: Any = peers.torch
    weights, biases = [[torch.from_numpy(p.copy()).requires_grad_() for p in group] for group in parameters]
    inputs, wanted = torch.from_numpy(x), torch.from_numpy(labels)

    def step() -> float:
        h = inputs
        for w, b in zip(weights, biases, strict=True):
            h = (h if w is weights[0] else torch.relu(h)) @ w + b
        loss = torch.nn.functional.cross_entropy(h, wanted)
        grads = torch.autograd.grad(loss, [*weights, *biases])
        with torch.no_grad():
            for p, g in zip([*weights, *biases], grads, strict=True):
                p -= RATE * g
        return float(loss.item())

    return step
