"""Products and what surrounds them: bias, activation, scaling, residuals, small batches, narrow types, chains."""

from __future__ import annotations

from typing import Any

from benchmarks.classes.cached_rows import attention
from benchmarks.rows import Cells, Row, integers, normal

_A, _W = normal(1024, 1024), normal(1024, 1024)


def _relu(xp: Any, x: Any) -> Any:
    return xp.maximum(x, xp.zeros_like(x))


def _gelu(xp: Any, x: Any) -> Any:
    return 0.5 * x * (1 + xp.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def _forward(xp: Any, x: Any, a: Any, b: Any, c: Any) -> Any:
    return xp.matmul(_relu(xp, xp.matmul(_relu(xp, xp.matmul(x, a)), b)), c)


def _distances(xp: Any, x: Any, y: Any) -> Any:
    return xp.sqrt(xp.sum((xp.expand_dims(x, 1) - xp.expand_dims(y, 0)) ** 2, axis=2))


def _gram_distances(xp: Any, x: Any, y: Any) -> Any:
    return xp.sum(x * x, axis=1, keepdims=True) + xp.sum(y * y, axis=1) - 2 * xp.matmul(x, y.T)


def _product(name: str, *cells: Cells, flops: int = 0, **more: Any) -> Row:
    return Row(name, lambda xp, a, b: xp.matmul(a, b), cells, flops=flops, **{"group": "product", **more})


def _epilogue(name: str, work: Any, *cells: Cells, flops: int = 2 * 1024**3, **more: Any) -> Row:
    return Row(name, work, cells, flops=flops, **{"group": "epilogue", **more})


def _batch(n: int, count: int, quick: int = 0) -> Row:
    small = {"group": "small batch"} if n <= 16 else {}
    return _product(f"{count:,} of {n} x {n}", normal(count, n, n), normal(count, n, n), flops=2 * count * n**3,
                    quick=quick, **small)  # fmt: skip


ROWS = [
    _product("1024 x 1024", _A, _W, flops=2 * 1024**3, quick=2),
    _product("256 x 256", normal(256, 256), normal(256, 256), flops=2 * 256**3),
    _product("matrix and vector", normal(2048, 2048), normal(2048), quick=2),
    _product("vector and matrix", normal(2048), normal(2048, 2048)),
    Row("Gram matrix", lambda xp, x: xp.matmul(x.T, x), (normal(16384, 128),), flops=2 * 16384 * 128**2,
        group="product"),
    _batch(4, 16384, 1), _batch(8, 8192), _batch(16, 4096, 2), _batch(32, 1024, 1),
    _product("4096 of 16 x 16 and a vector", normal(4096, 16, 16), normal(4096, 16, 1), group="small batch"),
    _epilogue("x@w + b", lambda xp, x, w, b: xp.matmul(x, w) + b, _A, _W, normal(1024)),
    _epilogue("relu(x@w + b)", lambda xp, x, w, b: _relu(xp, xp.matmul(x, w) + b), _A, _W, normal(1024), quick=2),
    _epilogue("gelu(x@w + b)", lambda xp, x, w, b: _gelu(xp, xp.matmul(x, w) + b), _A, _W, normal(1024)),
    _epilogue("2*(x@w) + x", lambda xp, x, w: 2 * xp.matmul(x, w) + x, _A, _W),
    *[_epilogue(f"relu(x@w + b), batch of {n}", lambda xp, x, w, b: _relu(xp, xp.matmul(x, w) + b), normal(n, 512),
                normal(512, 512), normal(512), flops=2 * n * 512**2, quick=int(n == 8)) for n in (2, 8, 32)],
    _epilogue("(x*s)@w", lambda xp, x, s, w: xp.matmul(x * s, w), _A, normal(1024), _W),
    _epilogue("perceptron forward", _forward, normal(256, 784), normal(784, 256), normal(256, 128), normal(128, 10),
              flops=2 * 256 * (784 * 256 + 256 * 128 + 1280), quick=1),
    _epilogue("attention, 8 heads of 512 x 64", attention, *(normal(8, 512, 64),) * 3, flops=4 * 8 * 512**2 * 64),
    _epilogue("distances by a product", _gram_distances, normal(2000, 64), normal(2000, 64), flops=2 * 2000**2 * 64,
              close=2e-3),
    Row("distances over a short axis", _distances, (normal(4000, 3), normal(1000, 3)), quick=1, group="epilogue"),
    Row("distances over 16", _distances, (normal(1000, 16), normal(1000, 16)), group="epilogue"),
    _product("512 x 512", normal(512, 512), normal(512, 512), flops=2 * 512**3, dtypes=("float16", "bfloat16"),
             close=0.1),
    _product("256 x 256", *(integers(256, 256, dtype="int32"),) * 2, flops=2 * 256**3, dtypes=("int32",), quick=1),
    _product("256 x 256", *(integers(256, 256),) * 2, flops=2 * 256**3, dtypes=("int64",)),
    _product("512 x 512", normal(512, 512), normal(512, 512), flops=8 * 512**3, dtypes=("complex64", "complex128")),
    Row("einsum ij,jk,kl->il", lambda xp, a, b, c: xp.einsum("ij,jk,kl->il", a, b, c),
        (normal(512, 64), normal(64, 512), normal(512, 64)), group="product",
        others={"numpy": lambda np, *x: np.einsum("ij,jk,kl->il", *x, optimize=True)}),
    Row("einsum bij,bjk->bik", lambda xp, a, b: xp.einsum("bij,bjk->bik", a, b),
        (normal(64, 64, 64), normal(64, 64, 64)), group="product",
        others={"numpy": lambda np, *x: np.einsum("bij,bjk->bik", *x, optimize=True)}),
    Row("tensordot of 3 axes", lambda xp, a, b: xp.tensordot(a, b, 2), (normal(64, 32, 32), normal(32, 32, 64)),
        group="product"),
    Row("row by row: vecdot", lambda xp, a, b: xp.vecdot(a, b), (normal(65536, 64), normal(65536, 64)), quick=1,
        group="product"),
    Row("outer product", lambda xp, a, b: xp.outer(a, b), (normal(2048), normal(2048)), group="product"),
]  # fmt: skip
