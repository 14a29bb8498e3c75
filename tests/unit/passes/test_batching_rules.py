"""Every operation over a batch: it has a rule, and the rule gives the stack of what the entries give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from tests.oracle.samples import finite, takes, values
from weft import dtypes as dt
from weft.backends.calls.routines import ROUTINES
from weft.ir.atoms.table import ATOMS
from weft.ir.graph.domain import Domain
from weft.ir.graph.ops import ROWS, Op
from weft.passes import batching_rules
from weft.passes.batching_rules import KINDS, RULES

Function = Callable[..., Any]
SIZE = 3
ELSEWHERE = {"transfer"}  # tests/unit/programs/test_vmap.py
OF_TENSORS = {"map_blocks"}  # tests/unit/programs/test_batched_blocks.py
DECLARED = {op.name for op in ROWS if op.kind == "call" and op.name not in ROUTINES and op.name != "transfer"}
NO_RULE = {op.name for op in ROWS if op.kind == "source"}  # they have no operands: all entries share them


def check(f: Function, *batches: Any, exact: bool = True) -> None:
    """Compare f over batches, each of them shared or not, with f of each entry; `exact`: bit for bit."""
    for shared in range(2 ** len(batches) - 1):
        axes = tuple([None if shared >> k & 1 else 0 for k in range(len(batches))])
        given = [b[0] if a is None else b for a, b in zip(axes, batches, strict=True)]
        made = _several(weft.vmap(f, in_axes=axes)(*given))
        for k in range(SIZE):
            one = _several(f(*[b if a is None else b[k] for a, b in zip(axes, given, strict=True)]))
            for found, expected in zip(made, one, strict=True):
                assert (found.dtype, found.shape) == (expected.dtype, (SIZE, *expected.shape))
                same = np.array_equal if exact else np.allclose
                x, y = (weft.astype(t, dt.complex128) if t.dtype.is_inexact else t for t in (found[k], expected))
                assert same(x.numpy(), y.numpy(), equal_nan=True), (axes, k, x, y)


def _several(x: Any) -> Any:
    return x if isinstance(x, tuple) else (x,)


def batch(dtype: Any, *shape: int, seed: int = 0) -> weft.Tensor:
    return weft.asarray(finite(weft.asarray([], dtype=dtype).dtype, (SIZE, *shape), seed))


X, Y, V, W = (batch("float64", *shape, seed=k) for k, shape in enumerate([(2, 4), (4, 2), (4,), (2, 1)]))
N = weft.asarray(np.array([[0, 2, 1], [1, 1, 5], [2, -1, 0]]))
I = weft.asarray(np.arange(24).reshape(SIZE, 2, 4))
S = batch("float32", 5, 2, 4, seed=7)
PRODUCTS: list[tuple[Any, ...]] = [
    (lambda x, y: x @ y, X, Y), (lambda x, v: x @ v, X, V), (lambda v, y: v @ y, V, Y), (lambda v: v @ v, V),
    (lambda v, u: v @ u, V, V + 1), (lambda w, v: w @ v[None, :], W, V), (lambda w: w[:, 0] @ w, W),
    (lambda s, y: s @ y, S, Y), (lambda y, s: y @ s, Y, S), (lambda s, v: s @ v, S, V), (lambda v, s: v @ s.mT, V, S),
    (lambda i, n: i.T @ n[:2], I, I), (lambda i: (i > 3) @ (i.T > 2), I), (lambda i: (i[:, :1] > 3) @ (i[:1] > 2), I),
    (lambda s: s.mT @ s, S), (lambda s, t: s[0] @ t.mT, S, S.astype("complex64") * 1j),
    (lambda v, u: v[:0] @ u[:0], V, V),
    (lambda x, y: x.astype("float16") @ y.astype("float16"), X, Y),
]  # fmt: skip


def _gradient_of_a_take(g: Any) -> Any:
    return weft.autograd.grad(weft.take(LEAF, weft.asarray([0, 2, 0, 1])), LEAF, g)[0]


LEAF = weft.ones(3).requires_grad_()
EVERY: dict[str, Callable[[], None]] = {
    "permute": lambda: check(lambda x: x.T, X),
    "flip": lambda: check(lambda x: weft.flip(x[:, ::-1], axis=0), X),
    "slice": lambda: check(lambda x: x[:, 1::2], X),
    "index": lambda: check(lambda x: x[:, 1], X),
    "expand_dims": lambda: check(lambda x: x[:, None], X),
    "squeeze": lambda: check(lambda x: weft.squeeze(x, axis=1), W),
    "broadcast_to": lambda: check(lambda x: weft.broadcast_to(x, (5, 2, 3)), W),
    "window": lambda: check(lambda x: weft.lib.stride_tricks.sliding_window_view(x, 2, axis=1), X),
    "diagonal": lambda: check(lambda x: weft.linalg.diagonal(x, offset=1), X),
    "reshape": lambda: check(lambda x: (x.reshape(8), x.T.reshape((2, 4)), weft.reshape(x, (4, 2, 1))), X),
    "roll": lambda: check(lambda x: weft.roll(x, (1, 3), axis=(0, 1)), X),
    "tile": lambda: check(lambda x: weft.tile(x, (2, 1, 2)), X),
    "repeat": lambda: check(lambda x: weft.repeat(x, 2, axis=1), X),
    "translate": lambda: check(lambda x: x.translate((3, -1)), X),
    "concat": lambda: check(lambda x, y: weft.concat([x, y.T, x], axis=1), X, Y),
    "interleave": lambda: check(lambda x, y: weft.interleave([x, y.T], axis=1), X, Y),
    "overlay": lambda: check(
        lambda x, y: weft.overlay([x, y.translate((1, 2))], domain=Domain((-1, 0), (6, 5)), fill=2.0), X, Y
    ),
    "pad": lambda: check(lambda x, v: (weft.pad(x, ((1, 0), (2, 1))), weft.pad(x, 1, mode="wrap")), X, V),
    "gather": lambda: check(lambda x: (x[:, [0, 2, 0, 3, 1]], x[[1, 0], [3, 0]], weft.take(x, [2, 0, 0], axis=1)), X),
    "philox": lambda: check(lambda n: weft.random.integers((2, 3), seed=3, low=-5, high=n + 1), N),
    "checked": lambda: check(lambda x: weft.sqrt(x * x, mode="error"), X),
    "cumulative_sum": lambda: check(lambda x: weft.cumulative_sum(x, axis=1, include_initial=True), X),
    "cumulative_prod": lambda: check(lambda x: weft.cumulative_prod(x, axis=0), X),
    "cumulative_max": lambda: check(lambda x: weft.maximum.accumulate(x, axis=1), X),
    "cumulative_min": lambda: check(lambda x: weft.minimum.accumulate(x, axis=0), X),
    "bin_counts": lambda: check(lambda x: weft.histogram(x, bins=4, range=(-1.0, 1.0))[0], X),
    "bin_sums": lambda: check(lambda x, y: weft.histogram(x, bins=4, range=(-1.0, 1.0), weights=y.T)[0], X, Y),
    "matmul": lambda: [check(f, *given, exact=False) for f, *given in PRODUCTS],
    "sort": lambda: check(lambda x: (weft.sort(x, axis=0), weft.sort(x, descending=True)), X),
    "argsort": lambda: check(lambda x: (weft.argsort(x, axis=0), weft.argsort(x.T)), X),
    "searchsorted": lambda: check(lambda v, x: weft.searchsorted(weft.sort(v), x), V, X),
    "scatter_add": lambda: check(_gradient_of_a_take, V),
    "gcd": lambda: check(lambda a, b: weft.gcd(a, b), N, N + 1),
    "lcm": lambda: check(lambda a, b: weft.lcm(a, b[:1]), N, N + 1),
    "cholesky": lambda: check(lambda x: weft.linalg.cholesky(x @ x.T), X),
    "real": lambda: check(weft.real, batch("complex64", 2, 3)),
    "imag": lambda: check(lambda x: (weft.imag(x), weft.imag(x * 2)), batch("complex64", 2, 3)),
    "complex": lambda: check(lambda x: weft.random.normal((2, 4), seed=3, std=x, dtype="complex64"), X),
    "where": lambda: check(lambda v, x, w: weft.where(v > 0, x, w), V, X, W),
    "astype": lambda: check(lambda x: (x.astype("float16"), x.astype("int8"), x > 0), X),
    "var": lambda: check(lambda x: (weft.var(x, axis=1, correction=1), weft.std(x)), X),
}
for _name in ("det", "inv", "eigvalsh", "eigvals", "slogdet", "eigh", "eig", "qr", "svd", "svdvals"):
    EVERY[_name] = lambda name=_name: check(lambda x: tuple(_several(getattr(weft.linalg, name)(x @ x.T))), X)
EVERY["solve"] = lambda: check(
    lambda x, v, w: (weft.linalg.solve(x @ x.T, w[:, 0]), weft.linalg.solve(x @ x.T, w)), X, V, W, exact=False
)
for _name, _f in {
    "fft": lambda x: weft.fft.fft(x, axis=0),
    "rfft": lambda x: weft.fft.rfft(x, n=5),
    "irfft": lambda x: weft.fft.irfft(x, axis=1),
}.items():
    EVERY[_name] = lambda f=_f: check(f, X)


def test_every_operation_has_a_rule_and_a_test() -> None:
    own = {op.name for op in ROWS if op.kind in ("selection", "take", "call", "bins", "scan", "random", "check")}
    assert own <= {*EVERY, *ELSEWHERE}
    assert all(op.batched or op.name in RULES for op in ROWS if op.kind == "call" and op.name not in DECLARED)
    for op in ROWS:
        ruled = op.name in ATOMS or op.name in RULES or op.kind in KINDS
        assert ruled != (op.name in NO_RULE | OF_TENSORS), op


@pytest.mark.parametrize("name", sorted(EVERY))
def test_operations_over_a_batch_give_the_stack(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    used = set()

    def noted(n: Any, xs: Any, size: int) -> Any:
        used.add(n.op.name)
        return batching_rules.batched(n, xs, size)

    monkeypatch.setattr("weft.programs.vmap.batched", noted)
    EVERY[name]()
    assert name in used


def test_fills_of_their_own() -> None:
    fill = V[:, 1]
    check(lambda x, f: weft.pad(x, ((1, 0), (2, 1)), constant_values=f), X, fill)
    check(lambda x, f: weft.pad(x.translate((1, 1)), 1, constant_values=f + 1), X, fill)

    def laid(x: Any, y: Any, f: Any) -> Any:
        return weft.overlay([x, y.translate((1, 3))], domain=Domain((-1, 0), (7, 6)), fill=f)

    check(laid, X, Y, fill)
    for k in range(2):
        made = weft.vmap(lambda x, k=k: laid(x, Y[k], x[0, 0]))(X)
        assert made.domain.start == (0, -1, 0) and laid(X[0], Y[k], X[0, 0, 0]).domain.start == (-1, 0)


CELLWISE = [op for op in ROWS if op.says and op.arity in (1, 2) and hasattr(weft, op.name)]
CELLWISE_CASES = [(op, d) for op in CELLWISE for d in (dt.int8, dt.float32, dt.bool) if takes(op, d)]


@pytest.mark.parametrize("op", CELLWISE, ids=lambda op: op.name)
def test_functions_of_cells(op: Op) -> None:
    dtypes = [d for other, d in CELLWISE_CASES if other is op]
    check_function(op, dtypes[CELLWISE.index(op) % len(dtypes)])


@pytest.mark.slow
@pytest.mark.parametrize(("op", "dtype"), CELLWISE_CASES, ids=lambda x: x.name)
def test_functions_of_cells_of_each_kind(op: Op, dtype: dt.DType) -> None:
    check_function(op, dtype)


def check_function(op: Op, dtype: dt.DType) -> None:
    """A function of a batch gives the stack of its values."""
    x, y = (weft.asarray(values(dtype, (SIZE, *shape), k)) for k, shape in enumerate([(2, 4), (4,)]))
    check(getattr(weft, op.name), *[x, y][: op.arity])
