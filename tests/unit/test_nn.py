"""Functions of neural networks against straightforward NumPy in float64, and where straightforward forms overflow."""

from __future__ import annotations

from math import erf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.cases import for_each
from tests.shares import examples, in_turn
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


@pytest.mark.parametrize(("name", "dtype"), in_turn(CELL_BY_CELL, ["float16", "bfloat16", "float32", "int32"], every=4))
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


@settings(max_examples=examples(15))
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


@settings(max_examples=examples(25))
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


@settings(max_examples=examples(25))
@given(st.data())
def test_transposed_convolutions_are_adjoints(data):
    rank, groups = data.draw(st.integers(1, 2)), data.draw(st.integers(1, 2))
    draw = lambda low, high: tuple(data.draw(st.integers(low, high)) for _ in range(rank))  # noqa: E731
    kernel, stride, dilation, padding = draw(1, 3), draw(1, 3), draw(1, 2), draw(0, 1)
    more = tuple(data.draw(st.integers(0, s - 1)) for s in stride)
    places = tuple(n + 2 * p for n, p in zip(draw(1, 3), padding, strict=True))
    y = cells((2, 2 * groups, *places))
    w = cells((2 * groups, data.draw(st.integers(1, 2)), *kernel), 1)
    same = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    got = nn.conv_transpose(weft.asarray(y), weft.asarray(w), output_padding=more, **same)
    facts = zip(places, stride, padding, dilation, kernel, more, strict=True)
    assert got.shape[2:] == tuple((n - 1) * s - 2 * p + d * (k - 1) + 1 + m for n, s, p, d, k, m in facts)
    x = cells(got.shape, 2)
    assert (got.numpy() * x).sum() == (y * nn.conv(weft.asarray(x), weft.asarray(w), **same).numpy()).sum()


def test_transposed_convolutions_of_other_dtypes():
    x, w, b = np.array([[[1, 0, 2]]]), np.array([[[1, 2, 3]]]), np.array([10])
    want = [[[11, 12, 13, 10, 12, 14, 16]]]
    for dtype in ("int8", "float16", "complex64"):
        got = nn.conv_transpose(*[weft.asarray(a.astype(dtype)) for a in (x, w, b)], stride=2)
        assert got.dtype.name == dtype and got.tolist() == want


@pytest.mark.parametrize("size", [1, 2, 3, (5, 4), (7, 2)])
def test_adaptive_pooling(size):
    a = cells((2, 3, 6, 7))
    rows, columns = size if isinstance(size, tuple) else (size, size)
    want = np.zeros((2, 3, rows, columns))
    for i, j in np.ndindex(rows, columns):
        part = slice(i * 6 // rows, -(-(i + 1) * 6 // rows)), slice(j * 7 // columns, -(-(j + 1) * 7 // columns))
        want[..., i, j] = a[(..., *part)].mean((-2, -1))
    for dtype in ("float32", "float16"):
        check(nn.adaptive_avg_pool(weft.asarray(a, dtype=dtype), size), want, dtype)


def test_group_norm():
    a, w, b = cells((2, 6, 4)), cells(6, 1), cells(6, 2)
    parts = a.reshape(2, 3, 8)
    want = (parts - parts.mean(-1, keepdims=True)) / np.sqrt(parts.var(-1, keepdims=True) + 1e-5)
    want = want.reshape(a.shape) * w[:, None] + b[:, None]
    check(nn.group_norm(weft.asarray(a), 3, weft.asarray(w), weft.asarray(b)), want)


def test_padding_by_name():
    x, w = cells((1, 1, 7, 6)), cells((1, 1, 3, 2), 1)
    same = nn.conv2d(weft.asarray(x), weft.asarray(w), padding="same", dilation=2)
    assert same.shape == x.shape and np.allclose(same, plain_conv(x, w, (1, 1), [(2, 2), (1, 1)], (2, 2), 1))
    assert nn.conv2d(weft.asarray(x), weft.asarray(w), padding="valid").shape == (1, 1, 5, 5)


@pytest.mark.parametrize(
    ("dtype", "case"),
    in_turn(
        ["float32", "int16", "uint8", "bfloat16"],
        [(2, None, 0), ((3, 2), 1, 1), ((2, 3), (2, 1), [(1, 0), (0, 2)])],
        every=3,
    ),
)
def test_pooling(dtype, case):
    size, stride, padding = case
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


def test_attention_takes_names_of_pytorch():
    x, seen = weft.asarray(cells((3, 4))), np.tril(np.ones((3, 3), bool))
    want = nn.scaled_dot_product_attention(x, x, x, causal=True).tolist()
    assert nn.scaled_dot_product_attention(x, x, x, is_causal=True).tolist() == want
    assert nn.scaled_dot_product_attention(x, x, x, attn_mask=seen).tolist() == want


def test_layers_and_losses_take_names_of_pytorch():
    x, labels = weft.asarray(cells((2, 3, 4, 4))), weft.asarray([0, 2])
    assert nn.max_pool(x, kernel_size=2).tolist() == nn.max_pool(x, 2).tolist()
    assert nn.avg_pool(x, kernel_size=2, stride=1).tolist() == nn.avg_pool(x, 2, stride=1).tolist()
    assert nn.one_hot(labels, num_classes=3).tolist() == nn.one_hot(labels, 3).tolist()
    assert nn.dropout(x, p=0.5, seed=3).tolist() == nn.dropout(x, 0.5, seed=3).tolist()
    assert nn.leaky_relu(x, negative_slope=0.5).tolist() == nn.leaky_relu(x, 0.5).tolist()
    mean, var = x.mean(axis=(0, 2, 3)), x.var(axis=(0, 2, 3))
    assert nn.batch_norm(x, running_mean=mean, running_var=var).tolist() == nn.batch_norm(x, mean, var).tolist()


@pytest.mark.parametrize("loss", [nn.mse_loss, nn.l1_loss, nn.huber_loss])
def test_losses_of_a_column_and_a_vector_are_refused(loss):
    x = weft.asarray(cells((3, 1)))
    with pytest.raises(ShapeError, match=r"shapes \(3, 1\) and \(3,\), which make \(3, 3\) together"):
        loss(x, x[:, 0])
    assert loss(x, 0.0).item() == loss(x, x * 0).item() == loss(weft.asarray(0.0), x).item()


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


def test_cross_entropy_of_weighted_and_ignored_classes():
    x, y, w = cells((6, 4)), np.array([0, 3, -100, 2, 1, 3]), np.array([0.5, 1.0, 2.0, 4.0])
    lost = -np.log(softmax(x)) * w
    kept, at = y >= 0, np.maximum(y, 0)
    each = np.where(kept, lost[np.arange(6), at], 0)
    given = {"weight": weft.asarray(w), "ignore_index": -100}
    logits, target = weft.asarray(x), weft.asarray(y)
    check(nn.cross_entropy(logits, target, reduction="none", **given), each)
    check(nn.cross_entropy(logits, target, **given), each.sum() / w[at][kept].sum())
    smooth = np.where(kept, 0.9 * each + 0.1 * lost.mean(1), 0)
    check(nn.cross_entropy(logits, target, reduction="none", label_smoothing=0.1, **given), smooth)
    p = softmax(cells((6, 4), 1))
    check(nn.cross_entropy(logits, weft.asarray(p), weight=weft.asarray(w)), (lost * p).sum(1).mean())
    check(
        nn.cross_entropy(logits, weft.asarray(p), label_smoothing=0.2, reduction="sum"),
        (-np.log(softmax(x)) * (p * 0.8 + 0.05)).sum(),
    )
    assert np.isnan(nn.cross_entropy(logits[2:3], target[2:3], ignore_index=-100).item())


def test_cross_entropy_compiles_once_and_still_names_the_class_that_is_not_there():
    f = weft.compile(lambda x, y: weft.grad(lambda x: nn.cross_entropy(x, y))(x))
    x = cells((3, 4))
    for y in ([0, 1, 2], [3, 3, 0]):
        want = (softmax(x) - np.eye(4)[y]) / 3
        assert np.allclose(f(weft.asarray(x), weft.asarray(y)), want, atol=1e-15)
    with pytest.raises(IndexOutOfBounds, match="position 4 along an axis of size 4"):
        f(weft.asarray(x), weft.asarray([0, 4, 1]))


def test_losses_of_pairs():
    x, y = cells((3, 5)), cells((3, 5), 1) > 0
    z = cells((3, 5), 2)
    logits, target = weft.asarray(x), weft.asarray(y * 1.0)
    p = sigmoid(x)
    each = -(y * 2 * np.log(p) + ~y * np.log(1 - p))
    loss = nn.binary_cross_entropy_with_logits
    check(loss(logits, target, pos_weight=2.0, reduction="none"), each)
    check(loss(logits, target, weight=weft.asarray(z)), (np.where(y, each / 2, each) * z).mean())
    assert loss(weft.asarray([-1e4, 1e4]), weft.asarray([1.0, 0.0]), pos_weight=3.0, reduction="sum").item() == 4e4
    d = np.abs(x - z)
    other = weft.asarray(z)
    check(nn.l1_loss(logits, other), d.mean())
    huber = np.where(d <= 0.5, d * d / 2, 0.5 * (d - 0.25))
    check(nn.huber_loss(logits, other, delta=0.5, reduction="none"), huber)


X = weft.ones((1, 2, 4))
ERRORS = [
    (lambda: nn.softmax(weft.ones(2, dtype="complex64")), DTypeError, "softmax: complex64 cells; real ones"),
    (lambda: nn.sigmoid(weft.ones(2, dtype="bool")), DTypeError, "sigmoid: bool cells"),
    (lambda: nn.gelu(X, approximate="fast"), ValueRangeError, "gelu: approximate 'fast'"),
    (lambda: nn.dropout(X, 1.5, seed=1), ValueRangeError, "dropout: rate 1.5; it is a probability"),
    (lambda: nn.batch_norm(X, weft.ones(3), weft.ones(2)), ShapeError, r"batch_norm: a vector of shape \(3,\)"),
    (lambda: nn.layer_norm(weft.ones(4), X), ShapeError, r"layer_norm: a weight or bias that makes shape \(1, 2, 4\)"),
    (lambda: nn.layer_norm(X, (4,)), ArgumentError, r"layer_norm\(x, \(4,\)\): two readings; .*; write axis="),
    (lambda: nn.layer_norm(X, (4,), X, X), ArgumentError, r"layer_norm: 4 .*; PyTorch's order is x, normalized_shape"),
    (lambda: nn.rms_norm(X, (4,), X), ArgumentError, r"rms_norm: 3 .*; PyTorch's order is x, normalized_shape, weight"),
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
    (lambda: nn.cross_entropy(X, X, ignore_index=1), ValueRangeError, "cross_entropy: .* ignore_index 1; "),
    (lambda: nn.cross_entropy(X, X, label_smoothing=2), ValueRangeError, "cross_entropy: label_smoothing 2"),
    (lambda: nn.cross_entropy(X, X, weight=weft.ones(3)), ShapeError, r"a weight of shape \(3,\) for 4 classes"),
    (lambda: nn.binary_cross_entropy_with_logits(X, weft.ones((5, 1, 1))), ShapeError, "others that make"),
    (lambda: nn.huber_loss(X, X, delta=0), ValueRangeError, "huber_loss: delta 0"),
    (lambda: nn.group_norm(X, 3), ShapeError, r"group_norm: shape \(1, 2, 4\) in 3 groups"),
    (lambda: nn.group_norm(X, 2, weft.ones(4)), ShapeError, r"group_norm: a vector of shape \(4,\) for axis 1"),
    (lambda: nn.adaptive_avg_pool(X, 0), ValueRangeError, "adaptive_avg_pool: size 0"),
    (lambda: nn.adaptive_avg_pool(X[0], 2), ShapeError, r"adaptive_avg_pool: images of shape \(2, 4\)"),
    (lambda: nn.conv_transpose(X, weft.ones((3, 1, 2))), ShapeError, "conv_transpose: images of shape .* in 1 groups"),
    (lambda: nn.conv_transpose(X, X[:, :, :0]), ShapeError, "conv_transpose: images of shape"),
    (lambda: nn.conv_transpose(X, weft.ones((2, 1, 2)), padding=3), ShapeError, r"make \[5\], padding \(3,\)"),
    (lambda: nn.conv_transpose(X, weft.ones((2, 1, 2)), output_padding=1), ValueRangeError, "output_padding"),
    (lambda: nn.conv_transpose(X, weft.ones((2, 1, 2)), weft.ones(2)), ShapeError, r"a bias of shape \(2,\) for 1"),
    (lambda: nn.mse_loss(X, X, reduction="max"), ValueRangeError, "mse_loss: reduction 'max'"),
]  # fmt: skip


@for_each("call, error, message", ERRORS)
def test_refusals(call, error, message):
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
