"""Steps of training: gradients of a perceptron, and of one layer for each sample of a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.rows import Cells, Row, integers, normal, uniform


def _loss(xp: Any, x: Any, wanted: Any, *weights: Any) -> Any:
    h = x
    for k, w in enumerate(weights):
        h = xp.matmul(h if k == 0 else xp.maximum(h, xp.zeros_like(h)), w)
    top = xp.max(h, axis=1, keepdims=True)
    scale = xp.log(xp.sum(xp.exp(h - top), axis=1, keepdims=True)) + top
    return xp.mean(xp.sum((scale - h) * wanted, axis=1))


def _by_hand(_: Any, x: Any, wanted: Any, *weights: Any) -> Any:
    layers = [x]
    for w in weights[:-1]:
        layers.append(np.maximum(layers[-1] @ w, 0))
    h = layers[-1] @ weights[-1]
    e = np.exp(h - h.max(1, keepdims=True))
    g = (e / e.sum(1, keepdims=True) - wanted) / np.asarray(len(x), x.dtype)
    new = []
    for layer, w in zip(reversed(layers), reversed(weights), strict=True):
        new.append(w - np.asarray(0.05, w.dtype) * (layer.T @ g))
        g = (g @ w.T) * (layer > 0)
    return tuple(reversed(new))


def _loss_in_time(xp: Any, x: Any, wanted: Any, w: Any, u: Any, v: Any) -> Any:
    h = xp.tanh(xp.matmul(x[0], w))
    for k in range(1, len(x)):
        h = xp.tanh(xp.matmul(x[k], w) + xp.matmul(h, u))
    return xp.mean(xp.sum((xp.matmul(h, v) - wanted) ** 2, axis=1))


def _in_time_by_hand(_: Any, x: Any, wanted: Any, w: Any, u: Any, v: Any) -> Any:
    states = [np.tanh(x[0] @ w)]
    for part in x[1:]:
        states.append(np.tanh(part @ w + states[-1] @ u))
    out = (states[-1] @ v - wanted) * np.asarray(2 / len(wanted), x.dtype)
    dv, g = states[-1].T @ out, out @ v.T
    dw, du = np.zeros_like(w), np.zeros_like(u)
    for k in range(len(x) - 1, -1, -1):
        g = g * (1 - states[k] ** 2)
        dw += x[k].T @ g
        if k:
            du += states[k - 1].T @ g
            g = g @ u.T
    rate = np.asarray(0.05, w.dtype)
    return w - rate * dw, u - rate * du, v - rate * dv


def _training(loss: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """Return a step of training by a loss over (x, wanted, weights...) in each library that has gradients."""

    def weft(xp: Any, x: Any, wanted: Any, *weights: Any) -> Any:
        own = [w.requires_grad_() for w in weights]
        grads = xp.autograd.grad(loss(xp, x, wanted, *own), own)
        return tuple((w - 0.05 * g).detach() for w, g in zip(own, grads, strict=True))

    def torch(xp: Any, x: Any, wanted: Any, *weights: Any) -> Any:
        own = [w.detach().requires_grad_() for w in weights]
        grads = xp.torch.autograd.grad(loss(xp, x, wanted, *own), own)
        return tuple((w - 0.05 * g).detach() for w, g in zip(own, grads, strict=True))

    def functional(xp: Any, x: Any, wanted: Any, *weights: Any) -> Any:
        grads = xp.torch.func.grad(lambda ws: loss(xp, x, wanted, *ws))(weights)
        return tuple(w - 0.05 * g for w, g in zip(weights, grads, strict=True))

    def jax(xp: Any, x: Any, wanted: Any, *weights: Any) -> Any:
        import jax

        grads = jax.grad(lambda ws: loss(xp, x, wanted, *ws))(weights)
        return tuple(w - 0.05 * g for w, g in zip(weights, grads, strict=True))

    return {"weft": weft, "torch": torch, "torch.compile": functional, "jax": jax}


def _classes(rng: Any, dtype: Any) -> Any:
    return np.eye(10, dtype=dtype)[integers(128, high=10)(rng, dtype)]


def _sample_gradients(_: Any, x: Any, y: Any, w: Any) -> Any:
    t = np.tanh(x @ w)
    g = np.asarray(2 / y.shape[1], x.dtype) * (t - y) * (1 - t * t)
    return x[:, :, None] * g[:, None, :]


def _sample_loss(xp: Any, w: Any, x: Any, y: Any) -> Any:
    return xp.mean((xp.tanh(xp.matmul(x, w)) - y) ** 2)


def _weft_samples(xp: Any, x: Any, y: Any, w: Any) -> Any:
    own = w.requires_grad_()
    return xp.vmap(lambda x, y: xp.autograd.grad(_sample_loss(xp, own, x, y), own)[0])(x, y)


def _torch_samples(xp: Any, x: Any, y: Any, w: Any) -> Any:
    func = xp.torch.func
    return func.vmap(func.grad(lambda w, x, y: _sample_loss(xp, w, x, y)), in_dims=(None, 0, 0))(w, x, y)


def _jax_samples(xp: Any, x: Any, y: Any, w: Any) -> Any:
    import jax

    return jax.vmap(jax.grad(lambda w, x, y: _sample_loss(xp, w, x, y)), in_axes=(None, 0, 0))(w, x, y)


def _pairs(vmap: Any, xp: Any, x: Any) -> Any:
    return vmap(lambda one: vmap(lambda other: xp.sum((one - other) ** 2))(x))(x)


def _jax_pairs(xp: Any, x: Any) -> Any:
    import jax

    return _pairs(jax.vmap, xp, x)


def _weights(*shapes: tuple[int, int]) -> tuple[Cells, ...]:
    return tuple(uniform(*shape, low=-0.05, high=0.05) for shape in shapes)


_SAMPLES = {"weft": _weft_samples, "torch": _torch_samples, "jax": _jax_samples}
_DISTANCES = {
    "numpy": lambda np, x: ((x[:, None] - x) ** 2).sum(2), "weft": lambda xp, x: _pairs(xp.vmap, xp, x),
    "torch": lambda xp, x: _pairs(xp.torch.func.vmap, xp, x), "jax": _jax_pairs,
}  # fmt: skip
ROWS = [
    Row("a step of training: 784-256-128-10", _by_hand, (normal(128, 784), _classes,
        *_weights((784, 256), (256, 128), (128, 10))), quick=2, program=True, others=_training(_loss)),
    Row("a step of training: 64-32-10", _by_hand, (normal(128, 64), _classes, *_weights((64, 32), (32, 10))), quick=1,
        others=_training(_loss)),
    Row("a step of training: recurrent, 20 x 64", _in_time_by_hand, (normal(20, 128, 16), _classes,
        *_weights((16, 64), (64, 64), (64, 10))), quick=1, others=_training(_loss_in_time)),
    Row("gradients for each sample, by vmap", _sample_gradients, (normal(128, 256), normal(128, 64),
        uniform(256, 64, low=-0.05, high=0.05)), quick=1, program=True, others=_SAMPLES),
    Row("distances of all pairs, by vmap", _pairs, (normal(128, 256),), program=True, others=_DISTANCES),
]  # fmt: skip
