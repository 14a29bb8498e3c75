"""Rows that stay in a cache while they are read several times: softmax, norms, short attention, moving windows."""

from __future__ import annotations

from typing import Any

from benchmarks.rows import Row, normal, uniform

_ROWS, _SHORT = normal(4096, 1024), normal(65536, 64)


def softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def log_softmax(xp: Any, x: Any) -> Any:
    y = x - xp.max(x, axis=-1, keepdims=True)
    return y - xp.log(xp.sum(xp.exp(y), axis=-1, keepdims=True))


def layer_norm(xp: Any, x: Any, w: Any, b: Any) -> Any:
    return (x - xp.mean(x, axis=-1, keepdims=True)) / xp.sqrt(xp.var(x, axis=-1, keepdims=True) + 1e-5) * w + b


def _rms_norm(xp: Any, x: Any, w: Any) -> Any:
    return x / xp.sqrt(xp.mean(x * x, axis=-1, keepdims=True) + 1e-5) * w


def _cosine(xp: Any, x: Any, y: Any) -> Any:
    return xp.sum(x * y, axis=1) / xp.sqrt(xp.sum(x * x, axis=1) * xp.sum(y * y, axis=1))


def _standardised(xp: Any, x: Any) -> Any:
    return (x - xp.mean(x, axis=1, keepdims=True)) / xp.std(x, axis=1, keepdims=True)


def _entropy(xp: Any, x: Any) -> Any:
    p = x / xp.sum(x, axis=1, keepdims=True)
    return -xp.sum(p * xp.log(p), axis=1)


def attention(xp: Any, q: Any, k: Any, v: Any) -> Any:
    return xp.matmul(softmax(xp, xp.matmul(q, xp.matrix_transpose(k)) * (q.shape[-1] ** -0.5)), v)


def _moving_average(_: Any, x: Any) -> Any:
    n = x.shape[-1] - 7
    total = x[:, :n]
    for k in range(1, 8):
        total = total + x[:, k : n + k]
    return total / 8


def _moving_maximum(xp: Any, x: Any) -> Any:
    n = x.shape[-1] - 4
    top = x[:, :n]
    for k in range(1, 5):
        top = xp.maximum(top, x[:, k : n + k])
    return top


_BATCH = (normal(64, 64, 64),) * 3
ROWS = [
    Row("softmax, rows of 1024", softmax, (_ROWS,), quick=2),
    Row("softmax, rows of 64", softmax, (_SHORT,)),
    Row("softmax, columns", lambda xp, x: softmax(xp, x.T), (_ROWS,)),
    Row("log softmax", log_softmax, (_ROWS,)),
    Row("layer norm", layer_norm, (_ROWS, normal(1024), normal(1024)), quick=2),
    Row("layer norm, cold", layer_norm, (_ROWS, normal(1024), normal(1024)), cold=True),
    Row("RMS norm", _rms_norm, (_ROWS, normal(1024)), quick=2),
    Row("rows to unit length", lambda xp, x: x / xp.sqrt(xp.sum(x * x, axis=1, keepdims=True)), (_ROWS,)),
    Row("cosine similarity", _cosine, (_ROWS, _ROWS), quick=1),
    Row("standardised rows", _standardised, (_ROWS,)),
    Row("standardised rows of 64", _standardised, (_SHORT,)),
    Row("entropy of rows", _entropy, (uniform(4096, 1024, low=0.1),)),
    Row("rows less their maximum", lambda xp, x: x - xp.max(x, axis=1, keepdims=True), (_ROWS,)),
    Row("attention of 64 tokens, batch 64", attention, _BATCH, quick=1),
    Row("moving average of 8", _moving_average, (_ROWS,), quick=1),
    Row("moving maximum of 5", _moving_maximum, (_ROWS,)),
]
