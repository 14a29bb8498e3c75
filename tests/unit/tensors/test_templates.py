"""Templates: functions give the same for other operands, whatever was built before."""

from __future__ import annotations

import gc
import sys
from contextlib import nullcontext
from functools import partial
from types import FunctionType
from weakref import ref

import numpy as np
import pytest

import weft
from tests.call_counts import calls_of
from tests.cases import for_each
from tests.shares import in_turn
from weft.ir.graph.node import MAX_DEPTH, line_of, walk
from weft.tensors import templates
from weft.tensors.tensor import node_of

A, B = np.random.default_rng(1).standard_normal((2, 40))
SORTED = np.sort(B)
FUNCTIONS = {
    "zeros": lambda x: weft.zeros((2, 3)) + x[:3],
    "ones": lambda x: weft.ones(3, 4, dtype="int8"),
    "zeros_like": lambda x: weft.zeros_like(x + 1) + x[:1],
    "ones_like": lambda x: weft.ones_like(x, dtype="int8"),
    "full": lambda x: weft.full((3,), 2.5),
    "iota": lambda x: weft.iota((2, 3), axis=1),
    "arange": lambda x: weft.arange(3, 12, 2),
    "linspace": lambda x: weft.linspace(-2.0, 1.0, 7),
    "eye": lambda x: weft.eye(3, k=1),
    "tri": lambda x: weft.tri(3),
    "median": lambda x: weft.median(x),
    "quantile": lambda x: weft.quantile(x, [0.1, 0.9]),
    "quantile of lines": lambda x: weft.quantile(x.reshape(8, 5), [0.1, 0.9], axis=0),
    "nanquantile": lambda x: weft.nanquantile(x, 0.3),
    "nanquantile of lines": lambda x: weft.nanquantile(x.reshape(8, 5), [0.3, 1.0], axis=1),
    "interp": lambda x: weft.interp(x, weft.asarray(SORTED), x),
    "convolve": lambda x: weft.convolve(x, x[:3]),
    "correlate": lambda x: weft.correlate(x[:3], x),
    "trapezoid": lambda x: weft.trapezoid(x, dx=0.5),
    "norm": lambda x: weft.linalg.norm(x, 3),
    "vector_norm": lambda x: weft.linalg.vector_norm(x),
    "solve": lambda x: weft.linalg.solve(x[:16].reshape(4, 4), x[:4]),
    "inv": lambda x: weft.linalg.inv(x[:16].reshape(4, 4)),
    "det": lambda x: weft.linalg.det(x[:16].reshape(4, 4)),
    "vecdot": lambda x: weft.vecdot(x, x),
    "tensordot": lambda x: weft.tensordot(x.reshape(5, 8), x.reshape(8, 5), axes=1),
    "inner": lambda x: weft.inner(x, x),
    "outer": lambda x: weft.outer(x, x[:2]),
    "outer of vectors": lambda x: weft.linalg.outer(x, x[:2]),
    "packbits": lambda x: weft.packbits(weft.isfinite(x)),
    "unpackbits": lambda x: weft.unpackbits(weft.packbits(weft.isfinite(x), bitorder="little"), count=-3),
    "cross": lambda x: weft.linalg.cross(x[:3], x[3:6]),
    "fft": lambda x: weft.fft.fft(x),
    "ifft": lambda x: weft.fft.ifft(x, 7),
    "rfft": lambda x: weft.fft.rfft(x),
    "irfft": lambda x: weft.fft.irfft(x),
    "std": lambda x: weft.std(x, correction=1),
    "diff": lambda x: weft.diff(x, n=2),
    "cumulative_max": lambda x: weft.cumulative_max(x),
    "cumulative_min": lambda x: weft.cumulative_min(x),
    "cumsum": lambda x: weft.cumsum(x.reshape(8, 5)),
    "cumprod": lambda x: weft.cumprod(x),
    "nanmean": lambda x: weft.nanmean(x),
    "nanvar": lambda x: weft.nanvar(x),
    "nanstd": lambda x: weft.nanstd(x),
    "cov": lambda x: weft.cov(x.reshape(8, 5)),
    "kron": lambda x: weft.kron(x[:3], x[:4]),
    "sinc": lambda x: weft.sinc(x),
    "heaviside": lambda x: weft.heaviside(x, 0.5),
    "einsum": lambda x: weft.einsum("ij,jk->ik", x.reshape(5, 8), x.reshape(8, 5)),
    "vander": lambda x: weft.vander(x[:4]),
    "isclose": lambda x: weft.isclose(x, 0.5),
    "nan_to_num": lambda x: weft.nan_to_num(x),
    "gradient": lambda x: weft.gradient(x, 2.0),
    "tril": lambda x: weft.tril(x.reshape(5, 8)),
    "triu": lambda x: weft.triu(x.reshape(5, 8), k=1),
    "matrix_norm": lambda x: weft.linalg.matrix_norm(x.reshape(5, 8), ord=2),
    "pinv": lambda x: weft.linalg.pinv(x.reshape(5, 8)),
    "elu": lambda x: weft.nn.elu(x, 0.5),
    "softplus": lambda x: weft.nn.softplus(x),
    "gelu": lambda x: weft.nn.gelu(x),
    "softmax": lambda x: weft.nn.softmax(x),
    "log_softmax": lambda x: weft.nn.log_softmax(x),
    "logsumexp": lambda x: weft.nn.logsumexp(x),
    "layer_norm": lambda x: weft.nn.layer_norm(x, x),
    "rms_norm": lambda x: weft.nn.rms_norm(x),
    "batch_norm": lambda x: weft.nn.batch_norm(x.reshape(8, 5), x[:5], x[5:10] ** 2, None, x[:5]),
    "group_norm": lambda x: weft.nn.group_norm(x.reshape(2, 4, 5), 2, x[:4], x[4:8]),
    "linear": lambda x: weft.nn.linear(x.reshape(8, 5), x.reshape(8, 5), x[:8]),
    "conv": lambda x: weft.nn.conv(x.reshape(2, 2, 10), x[:12].reshape(2, 2, 3), x[:2], padding=1),
    "conv1d": lambda x: weft.nn.conv1d(x.reshape(2, 2, 10), x[:12].reshape(2, 2, 3), stride=2),
    "conv2d": lambda x: weft.nn.conv2d(x.reshape(1, 2, 4, 5), x[:8].reshape(1, 2, 2, 2), padding="same"),
    "conv_transpose": lambda x: weft.nn.conv_transpose(x.reshape(2, 2, 10), x[:12].reshape(2, 2, 3), x[:2]),
    "attention": lambda x: weft.nn.scaled_dot_product_attention(*[x.reshape(8, 5)] * 3, causal=True),
    "mse_loss": lambda x: weft.nn.mse_loss(x, x * 2),
    "l1_loss": lambda x: weft.nn.l1_loss(x, x * 2),
    "huber_loss": lambda x: weft.nn.huber_loss(x, x * 2, delta=2.0),
    "binary_cross_entropy": lambda x: weft.nn.binary_cross_entropy_with_logits(x, weft.nn.sigmoid(x)),
    "qr": lambda x: weft.linalg.qr(x.reshape(5, 8)),
    "svd": lambda x: weft.linalg.svd(x.reshape(5, 8)),
    "eigh": lambda x: weft.linalg.eigh(x[:16].reshape(4, 4)),
    "slogdet": lambda x: weft.linalg.slogdet(x[:16].reshape(4, 4)),
    "gradient along two axes": lambda x: weft.gradient(x.reshape(5, 8)),
    "divmod": lambda x: weft.divmod(x, 0.25),
    "modf": lambda x: weft.modf(x),
    "round": lambda x: weft.round(x, 2),
    "allclose": lambda x: weft.allclose(x, x + 1e-9),
    "array_equal": lambda x: weft.array_equal(x, x * 1),
    "polyval": lambda x: weft.polyval(x[:3], x),
    "corrcoef": lambda x: weft.corrcoef(x.reshape(8, 5)),
    "cholesky": lambda x: weft.linalg.cholesky(weft.linalg.outer(x[:3], x[:3]) + weft.eye(3)),
    "svdvals": lambda x: weft.linalg.svdvals(x.reshape(5, 8)),
    "eigvalsh": lambda x: weft.linalg.eigvalsh(x[:16].reshape(4, 4)),
    "eig": lambda x: weft.linalg.eig(x[:16].reshape(4, 4)),
    "eigvals": lambda x: weft.linalg.eigvals(x[:16].reshape(4, 4)),
}


@pytest.fixture(autouse=True)
def _none_kept():
    templates._KEPT.clear()
    yield
    templates._KEPT.clear()


def shown(made):
    """The operations below tensors, in order, and what kind of result they are."""
    nodes = walk([node_of(t) for t in results(made)])
    return [(n.op.name, repr(n.attrs), n.desc, n.depth) for n in nodes], type(made)


def results(made):
    return made if isinstance(made, tuple) else (made,)


@pytest.mark.parametrize(("name", "operand"), in_turn(FUNCTIONS, ["stored", "view", "pending"], every=3))
def test_a_template_builds_what_the_function_builds(name, operand):
    f = FUNCTIONS[name]

    def given(a):
        x = weft.asarray(np.concatenate([[0.0], a, a]))
        return x[1:41] if operand == "view" else weft.asarray(a) * 1.5 if operand == "pending" else weft.asarray(a)

    first = f(given(A))
    f(given(A))
    assert templates._KEPT and True not in templates._KEPT.values()
    third = f(given(B))
    assert shown(first) == shown(third)
    found = [t.numpy().tobytes() for t in results(third)]
    templates._KEPT.clear()
    assert found == [t.numpy().tobytes() for t in results(f(given(B)))]


def outcome(f, x):
    """The kind, dtypes, shapes and domains of results, or the error."""
    try:
        made = f(x)
    except Exception as error:
        return type(error), str(error)
    return type(made), [node_of(t).desc for t in results(made)]


@pytest.mark.parametrize("name", FUNCTIONS)
@for_each("dtype", ["bool", "int8", "uint8", "float32", "complex64"])
@for_each("setting", [nullcontext, weft.strict, partial(weft.default_dtype, weft.float32)])
def test_calls_after_others_have_the_outcome_of_a_call_built_in_full(name, dtype, setting):
    f = FUNCTIONS[name]
    x, y = (weft.asarray(np.abs(50 * a).astype(dtype)) for a in (A, B))
    for _ in range(3):
        outcome(f, x)
    with setting():
        found = [outcome(f, y) for _ in range(3)]
        templates._KEPT.clear()
        assert found == 3 * [outcome(f, y)]


def test_every_function_with_templates_is_tested_here():
    templates._KEPT.clear()  # which would happen in between if other tests had almost filled it
    for f in FUNCTIONS.values():
        f(weft.asarray(A))
    decorated = set()
    for module in [m for name, m in sys.modules.items() if name.startswith("weft.")]:
        for f in vars(module).values():
            while isinstance(f, FunctionType) and hasattr(f, "__wrapped__"):
                if f.__code__.co_filename == templates.__file__:
                    decorated.add(f.__wrapped__)
                f = f.__wrapped__
    assert decorated and decorated == {key[0] for key in templates._KEPT}


def test_a_template_takes_less_calls_and_names_the_line_of_each_call():
    x = weft.asarray(A)
    first, second, third = [calls_of(lambda: weft.median(x)).total() for _ in range(3)]
    assert third < min(first, second) / 3
    made = weft.median(x)
    assert all(__file__ in line_of(n) for n in walk([node_of(made)]) if n.inputs)


def test_arguments_that_are_equal_but_not_the_same_have_their_own_templates():
    x, xp = weft.asarray([-1.0, 0.5]), weft.asarray([0.0, 1.0])
    found = [weft.interp(x, xp, xp, left=left).numpy()[0] for left in 3 * [0.0, -0.0, 0, 1, True, 1.0]]
    assert [str(v) for v in found] == 3 * ["0.0", "-0.0", "0.0", "1.0", "1.0", "1.0"]


def test_the_default_dtype_is_a_part_of_what_is_built():
    x = weft.asarray(A.astype(np.float32))
    found = []
    for dtype in 3 * (weft.float32, weft.float64):
        with weft.default_dtype(dtype):
            found.append(weft.cov(x).dtype)
    assert found == 3 * found[:2]
    assert len(templates._KEPT) == 2


def test_operands_that_are_one_tensor_have_a_template_of_their_own():
    x, y = weft.asarray(A), weft.asarray(B)
    for _ in range(3):
        assert weft.convolve(x, x).numpy().tobytes() == weft.convolve(x, x + 0).numpy().tobytes()
        np.testing.assert_allclose(weft.convolve(x, y).numpy(), np.convolve(A, B))


def test_values_computed_on_the_way_are_no_part_of_a_template():
    def deep(a):
        x = weft.asarray(np.tile(a, 1000))  # large enough to wait for MAX_DEPTH steps
        for _ in range(MAX_DEPTH - 2):
            x = x + 1
        return weft.median(x).item()

    found = [deep(a) for a in (A, A, A, B)]
    templates._KEPT.clear()
    assert deep(B) == found[3] != found[0]


def test_what_has_more_to_say_is_built_in_full():
    plain = [weft.median(weft.asarray(A)).item() for _ in range(3)][-1]
    x = weft.asarray(A)
    x.requires_grad_()
    weft.median(x).backward()
    assert x.grad.sum().item() == 1
    kept = dict(templates._KEPT)
    with weft.math_mode("error"):
        assert weft.median(weft.asarray(A)).item() == plain
    with weft.strict():
        assert weft.median(weft.asarray(A)).item() == plain
    assert kept == templates._KEPT


def test_wrong_arguments_raise_every_time():
    x = weft.asarray(A)
    for _ in range(2):
        with pytest.raises(weft.errors.AxisError):
            weft.median(x, axis=1)
        with pytest.raises(weft.errors.ValueRangeError, match="method 'none'"):
            weft.quantile(x, 0.5, method="none")


def test_templates_keep_no_operand_alive():
    x = weft.asarray(A.copy())
    n = node_of(x)
    weft.median(x)
    weft.median(x)
    gc.collect()
    (template,) = templates._KEPT.values()
    assert all(n is not c for c in template.constants)
    kept = ref(n)
    del x, n
    assert kept() is None


def test_the_number_of_templates_is_limited(monkeypatch):
    monkeypatch.setattr(templates, "MOST", 3)
    for n in range(5, 15):
        weft.median(weft.asarray(A[:n]))
        weft.median(weft.asarray(A[:n]))
    assert 0 < len(templates._KEPT) <= 3
