"""Functions of neural networks against straightforward NumPy in float64, and where straightforward forms overflow."""

from __future__ import annotations

from math import erf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft import nn
from weft.errors import ArgumentError, DTypeError, IndexOutOfBounds, ShapeError, ValueRangeError

pytestmark = pytest.mark.usefixtures("transformer")

EPS = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 2e-6, "float64": 1e-13, "int32": 1e-13, "uint8": 1e-13}


def cells(shape, seed=0):
    """Numbers that every float dtype holds."""
    return np.random.default_rng(seed).integers(-16, 17, shape) / 8


def check(got, want, dtype="float64", scale=4):
    assert got.dtype.name == ("float64" if dtype in ("int32", "uint8") else dtype)
    assert got.shape == np.shape(want)
    found = got.astype("float64").numpy() if got.dtype is not weft.float64 else got.numpy()
    assert np.all(np.abs(found - want) <= scale * EPS[dtype] * np.maximum(1, np.abs(want)))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


CELL_BY_CELL = {
    "leaky_relu": (nn.leaky_relu, lambda x: np.where(x > 0, x, 0.01 * x)),
    "elu": (nn.elu, lambda x: np.where(x > 0, x, np.exp(x) - 1)),
    "gelu": (nn.gelu, lambda x: x * 0.5 * (1 + np.vectorize(erf)(x / np.sqrt(2)))),
    "gelu tanh": (
        lambda x: nn.gelu(x, approximate="tanh"),
        lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    ),
    "silu": (nn.silu, lambda x: x * sigmoid(x)),
    "sigmoid": (nn.sigmoid, sigmoid),
    "softplus": (nn.softplus, lambda x: np.log(1 + np.exp(x))),
    "softmax": (nn.softmax, softmax),
    "softmax 0": (lambda x: nn.softmax(x, axis=0), lambda x: softmax(x, 0)),
    "log_softmax": (nn.log_softmax, lambda x: np.log(softmax(x))),
    "logsumexp": (nn.logsumexp, lambda x: np.log(np.exp(x).sum())),
    "logsumexp 0": (
        lambda x: nn.logsumexp(x, axis=0, keepdims=True),
        lambda x: np.log(np.exp(x).sum(0, keepdims=True)),
    ),
    "layer_norm": (nn.layer_norm, lambda x: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)),
    "rms_norm": (nn.rms_norm, lambda x: x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6)),
}


@pytest.mark.parametrize("name", CELL_BY_CELL)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "int32"])
def test_functions_of_one_tensor(name, dtype):
    ours, numpys = CELL_BY_CELL[name]
    a = np.round(cells((5, 7))) if dtype == "int32" else cells((5, 7))
    check(ours(weft.asarray(a, dtype=dtype)), numpys(a), dtype)


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint16", "bool"])
def test_relu_keeps_the_dtype(dtype):
    a = cells(9).astype(dtype) if dtype != "bool" else cells(9) > 0
    x = weft.asarray(a)
    if dtype == "bool":
        assert nn.relu(x).tolist() == a.astype(int).tolist()
    else:
        assert nn.relu(x).dtype is x.dtype and np.array_equal(nn.relu(x), np.maximum(a, 0))


def test_nothing_overflows():
    x = weft.asarray([-1e4, 0.0, 1e4])
    assert nn.sigmoid(x).tolist() == [0, 0.5, 1] and nn.softplus(x).tolist() == [0, np.log(2), 1e4]
    assert nn.softmax(x).tolist() == [0, 0, 1] and nn.log_softmax(x).tolist() == [-2e4, -1e4, 0]
    assert nn.logsumexp(x).item() == 1e4 and nn.elu(x).tolist() == [-1, 0, 1e4]
    assert nn.gelu(x).tolist() == nn.silu(x).tolist() == [0, 0, 1e4]
    assert nn.sigmoid(weft.asarray(-740.0)).item() == pytest.approx(np.exp(-740.0), rel=0.1, abs=0)
    infinite = weft.asarray([-np.inf, -np.inf])
    assert nn.logsumexp(infinite).item() == -np.inf and nn.logsumexp(-infinite).item() == np.inf
    assert np.isnan(nn.softmax(weft.asarray([np.nan, 1.0])).numpy()).all()


def test_no_cells():
    assert nn.softmax(weft.zeros((2, 0))).shape == nn.log_softmax(weft.zeros((2, 0))).shape == (2, 0)
    assert nn.logsumexp(weft.zeros((2, 0)), axis=1).tolist() == [-np.inf] * 2
    assert nn.logsumexp(weft.zeros((0, 2)), axis=1).shape == (0,)


@settings(max_examples=15)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.data())
def test_shapes_and_axes(shape, data):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    a = cells(shape)
    check(nn.softmax(weft.asarray(a), axis=axis), softmax(a, axis))
    check(nn.logsumexp(weft.asarray(a), axis=axis), np.log(np.exp(a).sum(axis)))
    want = (a - a.mean(axis, keepdims=True)) / np.sqrt(a.var(axis, keepdims=True) + 1e-5)
    check(nn.layer_norm(weft.asarray(a), axis=axis), want, scale=100)


def test_weights_of_norms():
    a, w, b = cells((3, 4, 5)), cells(5, 1), cells(5, 2)
    plain = nn.layer_norm(weft.asarray(a)).numpy()
    check(nn.layer_norm(weft.asarray(a), weft.asarray(w), weft.asarray(b)), plain * w + b)
    check(nn.rms_norm(weft.asarray(a), weft.asarray(w)), nn.rms_norm(weft.asarray(a)).numpy() * w)
    mean, var, v, s = (np.abs(cells(4, i)) + 1 for i in range(4))
    wide = [t[:, None] for t in (mean, var, v, s)]
    got = nn.batch_norm(*(weft.asarray(t) for t in (a, mean, var, v, s)))
    check(got, (a - wide[0]) / np.sqrt(wide[1] + 1e-5) * wide[2] + wide[3])


def test_dropout_is_a_matter_of_its_seed():
    x = weft.ones((300, 100))
    y = nn.dropout(x, 0.25, seed=5)
    assert np.array_equal(y, nn.dropout(x, 0.25, seed=5)) and not np.array_equal(y, nn.dropout(x, 0.25, seed=6))
    assert set(np.unique(y.numpy())) == {0.0, 1 / 0.75} and abs((y.numpy() == 0).mean() - 0.25) < 0.01
    assert np.array_equal(nn.dropout(x, 0.25, seed=5)[7], y.numpy()[7])
    assert np.array_equal(nn.dropout(x, 0.0, seed=5), x) and not nn.dropout(x, 1, seed=5).numpy().any()


# ---- convolutions and pooling
def plain_conv(x, w, stride, pads, dilation, groups):
    """Every output cell by itself."""
    x = np.pad(x, [(0, 0), (0, 0), *pads])
    reach = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilation, strict=True)]
    out = [(n - r) // s + 1 for n, r, s in zip(x.shape[2:], reach, stride, strict=True)]
    found = np.zeros((len(x), len(w), *out), np.result_type(x, w))
    each, per = x.shape[1] // groups, len(w) // groups
    for f in range(len(w)):
        seen = x[:, f // per * each : (f // per + 1) * each]
        for at in np.ndindex(*out):
            part = tuple(slice(a * s, a * s + r, d) for a, s, r, d in zip(at, stride, reach, dilation, strict=True))
            found[(slice(None), f, *at)] = (seen[(..., *part)] * w[f]).sum(axis=tuple(range(1, x.ndim)))
    return found


@settings(max_examples=25)
@given(st.data())
def test_convolutions(data):
    rank, groups = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    draw = lambda low, high: tuple(data.draw(st.integers(low, high)) for _ in range(rank))  # noqa: E731
    kernel, stride, dilation = draw(1, 3), draw(1, 2), draw(1, 2)
    pads = [tuple(p) for p in zip(draw(0, 2), draw(0, 2), strict=True)]
    sizes = tuple((k - 1) * d + 1 + extra for k, d, extra in zip(kernel, dilation, draw(0, 2), strict=True))
    x = cells((data.draw(st.integers(0, 2)), 2 * groups, *sizes))
    w = cells((groups * data.draw(st.integers(1, 2)), 2, *kernel), 1)
    got = nn.conv(weft.asarray(x), weft.asarray(w), stride=stride, padding=pads, dilation=dilation, groups=groups)
    want = plain_conv(x, w, stride, pads, dilation, groups)
    assert got.shape == want.shape and np.allclose(got, want, rtol=0, atol=1e-12)


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float16", "bfloat16", "complex64", ">f4"])
def test_convolutions_of_every_dtype(dtype):
    x, w = (
        weft.asarray(np.round(cells((2, 3, 6, 5))) % 4, dtype=dtype),
        weft.asarray(cells((4, 3, 2, 3)) > 0, dtype=dtype),
    )
    bias = weft.asarray([1, 2, 3, 4], dtype=x.dtype)
    want = plain_conv(
        np.round(cells((2, 3, 6, 5))) % 4, (cells((4, 3, 2, 3)) > 0) * 1.0, (1, 1), [(0, 0)] * 2, (1, 1), 1
    )
    got = nn.conv2d(x, w, bias)
    assert got.dtype is x.dtype
    wide = got.astype("float64") if x.dtype is weft.bfloat16 else got
    assert np.array_equal(wide, want + np.arange(1, 5).reshape(4, 1, 1))


def test_padding_by_name():
    x, w = cells((1, 1, 7, 6)), cells((1, 1, 3, 2), 1)
    same = nn.conv2d(weft.asarray(x), weft.asarray(w), padding="same", dilation=2)
    assert same.shape == x.shape and np.allclose(same, plain_conv(x, w, (1, 1), [(2, 2), (1, 1)], (2, 2), 1))
    assert nn.conv2d(weft.asarray(x), weft.asarray(w), padding="valid").shape == (1, 1, 5, 5)


@pytest.mark.parametrize("dtype", ["float32", "int16", "uint8", "bfloat16"])
@pytest.mark.parametrize(
    ("size", "stride", "padding"), [(2, None, 0), ((3, 2), 1, 1), ((2, 3), (2, 1), [(1, 0), (0, 2)])]
)
def test_pooling(dtype, size, stride, padding):
    a = np.round(cells((2, 3, 6, 7)) * 8) % 50
    x = weft.asarray(a, dtype=dtype)
    kernel = (size, size) if isinstance(size, int) else size
    steps = kernel if stride is None else (stride, stride) if isinstance(stride, int) else stride
    pads = [(padding, padding)] * 2 if isinstance(padding, int) else padding
    windows = lambda fill: np.lib.stride_tricks.sliding_window_view(  # noqa: E731
        np.pad(a, [(0, 0), (0, 0), *pads], constant_values=fill), kernel, (2, 3)
    )[:, :, :: steps[0], :: steps[1]]
    most = nn.max_pool(x, size, stride=stride, padding=padding)
    assert most.dtype is x.dtype and np.array_equal(most.astype("float64"), windows(-np.inf).max((-2, -1)))
    mean = nn.avg_pool(x, size, stride=stride, padding=padding)
    name = "float64" if x.dtype.is_integer else dtype
    check(mean, windows(0).mean((-2, -1)), name)
    own = nn.avg_pool(x, size, stride=stride, padding=padding, count_padding=False)
    check(own, np.nanmean(windows(np.nan), axis=(-2, -1)), name, 8)


# ---- products, attention, losses
def test_linear_and_embedding():
    x, w, b = cells((2, 3, 4)), cells((5, 4), 1), cells(5, 2)
    check(nn.linear(weft.asarray(x), weft.asarray(w), weft.asarray(b)), x @ w.T + b)
    at = np.array([[0, 4], [2, 2]])
    assert np.array_equal(nn.embedding(weft.asarray(at), weft.asarray(w)), w[at])


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("kind", ["plain", "causal", "bools", "numbers"])
def test_attention(dtype, kind):
    q, k, v = cells((2, 3, 5, 4)), cells((2, 1, 6, 4), 1), cells((3, 6, 7), 2)
    scores = q @ np.swapaxes(k, -1, -2) / 2
    mask = {"bools": cells((5, 6), 3) > -0.5, "numbers": cells((3, 5, 6), 3)}.get(kind)
    if kind == "bools":
        mask[:, 0] = True
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if kind == "bools" else scores + mask
    if kind == "causal":
        scores = np.where(np.tri(5, 6, dtype=bool), scores, -np.inf)
    given = {"mask": None if mask is None else weft.asarray(mask), "causal": kind == "causal"}
    got = nn.scaled_dot_product_attention(*(weft.asarray(t, dtype=dtype) for t in (q, k, v)), **given)
    check(got, softmax(scores) @ v, dtype, 8)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_are_rounded_once(dtype):
    x, w = (weft.asarray(cells(s, 5) + 1 / 3).astype(dtype) for s in ((7, 9), (5, 9)))
    bias = weft.asarray(cells((5,), 6) / 3).astype(dtype)
    wide = [t.astype("float64").numpy() for t in (x, w, bias)]
    exact = weft.asarray(wide[0] @ wide[1].T + wide[2]).astype(dtype)
    assert nn.linear(x, w, bias).tolist() == exact.tolist()
    assert nn.conv(x[..., None], w[..., None], bias)[..., 0].tolist() == exact.tolist()


def test_dropout_stays_on_the_device():
    there = weft.device("thread", 0)
    x = weft.ones(6)
    dropped = nn.dropout(x.to_device(there), 0.5, seed=1)
    assert dropped.device == there and dropped.tolist() == nn.dropout(x, 0.5, seed=1).tolist()


def test_means_without_padding_are_exact():
    x = weft.asarray([[[3.0] * 7]], dtype="float32")
    assert nn.avg_pool(x, 7, stride=1, padding=3, count_padding=False).tolist() == [[[3.0] * 7]]


def test_a_class_that_cannot_be_and_is_not_loses_nothing():
    assert nn.cross_entropy(weft.asarray([[0.0, -np.inf]]), weft.asarray([[1.0, 0.0]])).item() == 0


def test_a_query_that_sees_nothing_gets_zeros():
    x = weft.asarray(cells((2, 2)))
    got = nn.scaled_dot_product_attention(x, x, x, mask=weft.asarray([[True, False], [False, False]]))
    assert np.array_equal(got, [cells((2, 2))[0], [0, 0]])
    assert nn.scaled_dot_product_attention(x, x[:0], x[:0]).tolist() == [[0, 0], [0, 0]]


def test_losses():
    x, y = cells((3, 4, 5)), np.array([[0, 4, 2, 1]] * 3)
    logs = np.log(softmax(x))
    each = -np.take_along_axis(logs, y[..., None], -1)[..., 0]
    logits, target = weft.asarray(x), weft.asarray(y)
    check(nn.cross_entropy(logits, target, reduction="none"), each)
    check(nn.cross_entropy(logits, target), each.mean())
    check(nn.cross_entropy(weft.moveaxis(logits, -1, 1), target, axis=1, reduction="sum"), each.sum())
    check(nn.cross_entropy(logits, weft.asarray(softmax(x))), -(logs * softmax(x)).sum(-1).mean())
    other = cells((3, 4, 5), 1)
    check(nn.mse_loss(logits, weft.asarray(other)), ((x - other) ** 2).mean())
    check(nn.mse_loss(logits, weft.asarray(other), reduction="none"), (x - other) ** 2)


X = weft.ones((1, 2, 4))
ERRORS = [
    (lambda: nn.softmax(weft.ones(2, dtype="complex64")), DTypeError, "softmax: complex64 cells; real ones"),
    (lambda: nn.sigmoid(weft.ones(2, dtype="bool")), DTypeError, "sigmoid: bool cells"),
    (lambda: nn.gelu(X, approximate="fast"), ValueRangeError, "gelu: approximate 'fast'"),
    (lambda: nn.dropout(X, 1.5, seed=1), ValueRangeError, "dropout: rate 1.5; it is a probability"),
    (lambda: nn.batch_norm(X, weft.ones(3), weft.ones(2)), ShapeError, r"batch_norm: a vector of shape \(3,\)"),
    (lambda: nn.layer_norm(weft.ones(4), X), ShapeError, r"layer_norm: a weight or bias that makes shape \(1, 2, 4\)"),
    (lambda: nn.layer_norm(X, (4,)), ArgumentError, r"layer_norm\(x, \(4,\)\): two readings; .*; write axis="),
    (lambda: nn.layer_norm(X, 4), ArgumentError, r"layer_norm\(x, 4\): two readings"),
    (lambda: nn.rms_norm(X, [2, 4]), ArgumentError, r"rms_norm\(x, \[2, 4\]\): two readings"),
    (lambda: nn.conv(X, weft.ones((2, 2))), ShapeError, "conv: images of shape .* and filters of shape"),
    (lambda: nn.conv(X, weft.ones((2, 1, 2))), ShapeError, "conv: 2 channels and 2 filters of 1 channels in 1 groups"),
    (lambda: nn.conv1d(X, weft.ones((2, 2, 5))), ShapeError, r"conv1d: windows of \(5,\) cells"),
    (lambda: nn.conv2d(X, weft.ones((2, 2, 5))), ShapeError, r"conv2d: images of shape \(1, 2, 4\); they have 4 axes"),
    (lambda: nn.conv(X, weft.ones((2, 2, 1)), stride=0), ValueRangeError, "conv: stride 0 for 1 spatial axes"),
    (lambda: nn.conv(X, weft.ones((2, 2, 1)), padding="half"), ValueRangeError, "conv: padding 'half'"),
    (lambda: nn.conv(X, weft.ones((2, 2, 1)), padding=(1, 1)), ShapeError, r"conv: padding \(1, 1\) for 1 spatial"),
    (lambda: nn.conv(X, weft.ones((2, 2, 1)), padding=None), ShapeError, "conv: padding None for 1 spatial"),
    (lambda: nn.conv(X, weft.ones((2, 2, 1)), padding=[0.5]), ShapeError, r"conv: padding \[0.5\] for 1 spatial"),
    (lambda: nn.conv(X, weft.ones((2, 2, 0)), padding="same"), ShapeError, r"conv: windows of \(0,\) cells"),
    (lambda: nn.conv(X, weft.ones((2, 2, 1)), weft.ones(3)), ShapeError, r"conv: a bias of shape \(3,\) for 2 filters"),
    (lambda: nn.max_pool(X, 2.5), DTypeError, "max_pool: size 2.5; "),
    (lambda: nn.linear(weft.asarray(1.0), weft.ones((2, 2))), ShapeError, "linear: x of rank 0"),
    (lambda: nn.max_pool(weft.ones((2, 2)), 2), ShapeError, r"max_pool: images of shape \(2, 2\)"),
    (lambda: nn.max_pool(weft.ones((2, 2, 2)) * 1j, 2), DTypeError, "max_pool: complex128 cells"),
    (lambda: nn.avg_pool(X, (1, 1, 1, 1)), ShapeError, r"avg_pool: windows of \(1, 1, 1, 1\) in shape"),
    (lambda: nn.linear(X, weft.ones(4)), ShapeError, r"linear: a weight of shape \(4,\)"),
    (lambda: nn.embedding(weft.asarray([3]), weft.ones((3, 1))), IndexOutOfBounds, "position 3 along axis 0 of size 3"),
    (lambda: nn.scaled_dot_product_attention(weft.ones(2), X, X), ShapeError, "scaled_dot_product_attention: shapes"),
    (lambda: nn.scaled_dot_product_attention(X, X, X, mask=weft.asarray(1)), DTypeError, "a mask of int64"),
    (lambda: nn.cross_entropy(X, weft.asarray([1])), ShapeError, r"cross_entropy: targets of int64 and shape \(1,\)"),
    (lambda: nn.cross_entropy(X, weft.asarray([[4, 0]])), IndexOutOfBounds, "position 4 along axis 2"),
    (lambda: nn.mse_loss(X, X, reduction="max"), ValueRangeError, "mse_loss: reduction 'max'"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("function", "shape", "weight"),
    [("conv1d", (2, 3, 5), (4, 3, 2)), ("conv2d", (2, 3, 5, 5), (4, 3, 2, 2)), ("conv", (2, 3, 5), (4, 3, 2)),
     ("linear", (2, 3), (4, 3)), ("layer_norm", (2, 3), (3,))],
)  # fmt: skip
def test_weight_and_bias_by_name(function: str, shape: tuple[int, ...], weight: tuple[int, ...]) -> None:
    x, w, b = weft.ones(shape), weft.full(weight, 2.0), weft.ones(weight[0])
    f = getattr(weft.nn, function)
    assert f(x, weight=w, bias=b).tolist() == f(x, w, b).tolist()


@pytest.mark.parametrize(
    ("function", "slope"),
    [("sigmoid", 0.25), ("silu", 0.5), ("softplus", 0.5), ("gelu", 0.5), ("elu", 1.0), ("relu", 0.0)],
)
@pytest.mark.parametrize("at", [0.0, -0.0])
def test_gradients_at_zero(function: str, slope: float, at: float) -> None:
    assert weft.grad(getattr(weft.nn, function))(at).item() == slope
