"""Numerics that people write: finance, bodies, fractals, clusters, stencils, filters, networks, training."""

from __future__ import annotations

from typing import Any

from benchmarks.classes import steps
from benchmarks.classes.cached_rows import attention, layer_norm
from benchmarks.rows import Row, integers, normal, uniform

M = 1 << 20


def _options(xp: Any, s: Any, k: Any, t: Any) -> Any:
    def normal_share(x: Any) -> Any:
        return 1 / (1 + xp.exp(-1.5976 * x - 0.070565992 * x * x * x))

    v = 0.3 * xp.sqrt(t)
    d = (xp.log(s / k) + (0.02 + 0.045) * t) / v
    return s * normal_share(d) - k * xp.exp(-0.02 * t) * normal_share(d - v)


def _bodies(xp: Any, p: Any, m: Any) -> Any:
    d = xp.expand_dims(p, 0) - xp.expand_dims(p, 1)
    r = xp.sum(d * d, axis=2) + 0.01
    return xp.sum(d * xp.expand_dims(m / (r * xp.sqrt(r)), 2), axis=1)


def _mandelbrot(xp: Any, x: Any, y: Any) -> Any:
    a, b, count = x, y, xp.zeros_like(x)
    for _ in range(20):
        square, other = a * a, b * b
        inside = square + other < 4
        count = count + xp.where(inside, 1.0, 0.0)
        a, b = xp.where(inside, square - other + x, a), xp.where(inside, 2 * a * b + y, b)
    return count


def _clusters(xp: Any, x: Any, c: Any) -> Any:
    return xp.argmin(xp.sum((xp.expand_dims(x, 1) - xp.expand_dims(c, 0)) ** 2, axis=2), axis=1)


def _jacobi(_: Any, u: Any) -> Any:
    return 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])


def _wave(_: Any, u: Any, v: Any) -> Any:
    c = u[1:-1, 1:-1]
    return 2 * c - v[1:-1, 1:-1] + 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * c)


def _blur(_: Any, x: Any) -> Any:
    n, m = x.shape
    y = (x[:, : m - 4] + 4 * x[:, 1 : m - 3] + 6 * x[:, 2 : m - 2] + 4 * x[:, 3 : m - 1] + x[:, 4:]) / 16
    return (y[: n - 4] + 4 * y[1 : n - 3] + 6 * y[2 : n - 2] + 4 * y[3 : n - 1] + y[4:]) / 16


def _life(xp: Any, x: Any) -> Any:
    rows = x + xp.roll(x, 1, 0) + xp.roll(x, -1, 0)
    around = rows + xp.roll(rows, 1, 1) + xp.roll(rows, -1, 1) - x
    return xp.astype((around == 3) | ((around == 2) & (x == 1)), xp.uint8)


def _filtered(xp: Any, x: Any, w: Any) -> Any:
    return xp.fft.irfft(xp.fft.rfft(x) * w)


def _haversine(xp: Any, a: Any, b: Any) -> Any:
    u, v = xp.expand_dims(a, 1), xp.expand_dims(b, 1)
    h = xp.sin((a - u) / 2) ** 2 + xp.cos(a) * xp.cos(u) * xp.sin((b - v) / 2) ** 2
    return 2 * xp.asin(xp.sqrt(xp.clip(h, 0, 1)))


def _components(xp: Any, x: Any) -> Any:
    y = x - xp.mean(x, axis=0)
    return xp.linalg.eigvalsh(xp.matmul(y.T, y) / (x.shape[0] - 1))


def _laplacian(xp: Any, u: Any) -> Any:
    return xp.roll(u, 1, 0) + xp.roll(u, -1, 0) + xp.roll(u, 1, 1) + xp.roll(u, -1, 1) - 4 * u


def _gray_scott(xp: Any, u: Any, v: Any) -> Any:
    react = u * v * v
    return u + 0.16 * _laplacian(xp, u) - react + 0.06 * (1 - u), v + 0.08 * _laplacian(xp, v) + react - 0.122 * v


def _cell(xp: Any, x: Any, h: Any, w: Any, r: Any, b: Any) -> Any:
    return xp.tanh(xp.matmul(x, w) + xp.matmul(h, r) + b)


def _block(xp: Any, x: Any, q: Any, k: Any, v: Any, o: Any, up: Any, down: Any, one: Any, zero: Any) -> Any:
    """A transformer block of 4 heads over (batch, tokens, width)."""
    batch, tokens, width = x.shape

    def heads(y: Any) -> Any:
        return xp.permute_dims(xp.reshape(y, (batch, tokens, 4, width // 4)), (0, 2, 1, 3))

    y = layer_norm(xp, x, one, zero)
    mixed = attention(xp, *(heads(xp.matmul(y, w)) for w in (q, k, v)))
    x = x + xp.matmul(xp.reshape(xp.permute_dims(mixed, (0, 2, 1, 3)), (batch, tokens, width)), o)
    hidden = xp.matmul(layer_norm(xp, x, one, zero), up)
    return x + xp.matmul(xp.maximum(hidden, xp.zeros_like(hidden)), down)


def _regression(xp: Any, x: Any, y: Any, w: Any) -> Any:
    p = 1 / (1 + xp.exp(-xp.matmul(x, w)))
    return xp.matmul(x.T, p - y) / x.shape[0]


def _diffusion(_: Any, u: Any) -> Any:
    c = u[1:-1, 1:-1, 1:-1]
    near = u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1] + u[1:-1, :-2, 1:-1] + u[1:-1, 2:, 1:-1]
    return c + 0.1 * (near + u[1:-1, 1:-1, :-2] + u[1:-1, 1:-1, 2:] - 6 * c)


def _small(*shape: int) -> Any:
    return uniform(*shape, low=-0.05, high=0.05)


ROWS = [
    Row("options pricing", _options, (uniform(M, low=10, high=50), uniform(M, low=10, high=50), uniform(M, low=0.1)),
        quick=2, group="fused", others={"numba": lambda nb, *x: nb.options(*x)}),
    Row("n-body accelerations of 1000", _bodies, (normal(1000, 3), uniform(1000)), quick=1, group="fused",
        others={"numba": lambda nb, *x: nb.bodies(*x)}, close=1e-3),
    Row("Mandelbrot, 20 rounds", _mandelbrot, (uniform(512, 1024, low=-2), uniform(512, 1024, low=-1)), quick=2,
        group="fused", program=True, others={"numba": lambda nb, *x: nb.mandelbrot(*x)}, close=0.06),
    Row("k-means: nearest of 32 in 16 axes", _clusters, (normal(20_000, 16), normal(32, 16)), quick=2, group="fused",
        others={"numba": lambda nb, *x: nb.clusters(*x)}),
    Row("Jacobi step", _jacobi, (normal(2048, 2048),), quick=1, group="fused",
        others={"numba": lambda nb, x: nb.jacobi(x)}),
    Row("wave step", _wave, (normal(2048, 2048),) * 2, group="fused"),
    Row("blur 5 x 5", _blur, (normal(1024, 1024),), quick=1, group="fused"),
    Row("diffusion in space", _diffusion, (normal(160, 160, 160),), group="fused"),
    Row("Life", _life, (integers(1024, 1024, high=2, dtype="uint8"),), ("uint8",), quick=1, group="fused",
        others={"numba": lambda nb, x: nb.life(x)}),
    Row("FFT filter", _filtered, (normal(256, 4096), uniform(2049))),
    Row("haversine matrix", _haversine, (uniform(1000), uniform(1000)), group="fused", close=2e-3),
    Row("principal components", _components, (normal(10_000, 64),)),
    Row("Gray-Scott step", _gray_scott, (uniform(1024, 1024), uniform(1024, 1024)), quick=1, group="fused"),
    Row("recurrent cell", _cell, (normal(64, 256), normal(64, 256), _small(256, 256), _small(256, 256), normal(256))),
    Row("transformer block", _block, (normal(8, 128, 128), *(_small(128, 128),) * 4, _small(128, 512), _small(512, 128),
        uniform(128), uniform(128)), quick=1, program=True),
    Row("gradient of a logistic regression", _regression, (normal(20_000, 64), uniform(20_000), _small(64))),
    *steps.ROWS,
]  # fmt: skip
