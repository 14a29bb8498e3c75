"""Routines among everything else: chains of factorisations, transforms, products and views, the same bits however run.

The one idea: a chain is a list of functions of one stack of matrices; eager, lazy, with any pass off and by the
reference it gives the same bits, since routines see values and never layouts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.shares import examples
from weft.passes.switches import PASSES

Function = Callable[[Any], Any]


def real(x: Any) -> Any:
    """Cells without imaginary parts, and of a size at which nothing overflows along a chain."""
    x = weft.real(x) + weft.imag(x) if x.dtype.kind == "complex" else x
    return x / (1 + weft.max(weft.abs(x), axis=(-2, -1), keepdims=True))


STEPS: dict[str, Function] = {
    "q": lambda x: weft.linalg.qr(x).Q,
    "r": lambda x: weft.linalg.qr(x, mode="complete").R,
    "u": lambda x: weft.linalg.svd(x, full_matrices=False).U,
    "vh": lambda x: weft.linalg.svd(x).Vh,
    "s": lambda x: weft.linalg.svd(x).S[:, None, :] * x[:, :1, :1],
    "both": lambda x: (lambda f: f.Q @ f.R - f.R[:, -1:, ::-1] * 0.5)(weft.linalg.qr(x)),
    "eig": lambda x: weft.linalg.eig(x @ x.mT).eigenvalues[:, :, None],
    "eigh": lambda x: (lambda f: f.eigenvectors * f.eigenvalues[:, None, :])(weft.linalg.eigh(x.mT @ x)),
    "inv": lambda x: weft.linalg.inv(x @ x.mT + weft.eye(x.shape[1])),
    "solve": lambda x: weft.linalg.solve(x @ x.mT + weft.eye(x.shape[1]), x),
    "det": lambda x: x * weft.linalg.det(x @ x.mT)[:, None, None],
    "slogdet": lambda x: x + weft.linalg.slogdet(x @ x.mT + weft.eye(x.shape[1])).logabsdet[:, None, None],
    "fft": lambda x: weft.fft.fft(x, axis=1),
    "rfft": lambda x: weft.fft.rfft(x, n=5, axis=2, norm="ortho"),
    "irfft": lambda x: weft.fft.irfft(x, n=4, axis=1),
    "shift": lambda x: weft.fft.fftshift(x, axes=(1, 2)),
    "gemm": lambda x: weft.linalg.gemm(2, x, x, 0.5, x @ x.mT, transpose_b="T"),
    "norm": lambda x: x / (1 + weft.linalg.matrix_norm(x, keepdims=True)),
    "softmax": lambda x: weft.nn.softmax(x, axis=1) + weft.nn.gelu(x),
    "transpose": lambda x: x.mT,
    "flip": lambda x: x[::-1, ::-1],
    "part": lambda x: weft.concat([x[:, :, -1:], x[:, :, :2]], axis=2),
}


def run(chain: list[str], dtype: str) -> list[np.ndarray]:
    """The chain's value and the handles on its way, read at the end."""
    cells = np.random.default_rng(len(chain)).integers(-8, 9, (2, 3, 3)) / 8
    x, seen = weft.asarray(cells, dtype=dtype), []
    for step in chain:
        x = real(STEPS[step](x))
        seen.append(x)
    return [np.asarray(h).copy() for h in reversed(seen)]


def same(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    return all(x.shape == y.shape and np.array_equal(x, y, equal_nan=True) for x, y in zip(a, b, strict=True))


@settings(max_examples=examples(25))
@given(st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=4), st.sampled_from(["float32", "float64"]))
def test_chains_give_the_same_bits_eager_lazy_and_by_parts(chain: list[str], dtype: str) -> None:
    lazy = run(chain, dtype)
    with weft.eager():
        assert same(run(chain, dtype), lazy), chain
    with weft.without(*PASSES):
        assert same(run(chain, dtype), lazy), chain


@pytest.mark.parametrize("step", [s for s in STEPS if s not in ("softmax",)])
def test_steps_give_the_bits_of_the_reference(step: str) -> None:
    native = run([step, "transpose"], "float32")
    with weft.transformer("reference"):
        assert same(run([step, "transpose"], "float32"), native)
