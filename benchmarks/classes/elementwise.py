"""Element-wise work: from one to 300 operations, every dtype, layouts, 10 to 100 million cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.rows import Row, integers, mask, normal, uniform, view

M = 1 << 20
_POSITIVE = uniform(M, low=0.1, high=2.0)
_PAIR = (normal(M), uniform(M, low=1.0, high=2.0))
_TRIPLE = (normal(4 * M), normal(4 * M))


def _multiply_add(_: Any, a: Any, b: Any) -> Any:
    return a * b + a


def _horner(_: Any, x: Any) -> Any:
    y = x * 0.1 + 0.2
    for k in range(7):
        y = y * x + 0.1 * k
    return y


def _rounds(count: int) -> Any:
    def logistic(xp: Any, a: Any, b: Any) -> Any:
        for _ in range(count):
            a = xp.where(a > 0.5, 2 - 2 * a, 2 * a) * 0.4 + b * (1 - a * a) * 0.25
        return a

    return logistic


def _gelu(xp: Any, x: Any) -> Any:
    return 0.5 * x * (1 + xp.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def _softplus(xp: Any, x: Any) -> Any:
    return xp.log1p(xp.exp(-xp.abs(x))) + xp.maximum(x, xp.zeros_like(x))


def _one(name: str, text: str = "", quick: int = 0, cells: Any = _PAIR[:1]) -> Row:
    return Row(name, lambda xp, x: getattr(xp, name)(x), cells, quick=quick, group="single", numexpr=text)


_SIZES = [
    Row(f"a*b+a, {n:,} cells", _multiply_add, (normal(n), normal(n)), quick=q, group="fused" if n > 1000 else "small",
        numexpr="a*b+a")
    for n, q in ((10, 1), (1000, 0), (100_000, 1), (M, 2), (10**7, 1), (10**8, 0))
]  # fmt: skip

_FUSED = [
    Row("a*b+a, cold", _multiply_add, _TRIPLE, quick=2, numexpr="a*b+a", cold=True),
    Row("exp(a)*sin(b)+a", lambda xp, a, b: xp.exp(a) * xp.sin(b) + a, _TRIPLE, quick=2, numexpr="exp(a)*sin(b)+a"),
    Row("pow(a, 1.5)+cos(a)*atan2(b, a)", lambda xp, a, b: a**1.5 + xp.cos(a) * xp.atan2(b, a), (_POSITIVE, normal(M)),
        numexpr="a**1.5+cos(a)*arctan2(b,a)"),
    Row("polynomial of 16 operations", _horner, _PAIR[:1]),
    Row("30 rounds of an iteration, 300 operations", _rounds(30), (uniform(M), uniform(M)), quick=2, program=True,
        close=1e-2),
    Row("5 rounds of an iteration, 50 operations", _rounds(5), (uniform(M), uniform(M)), close=1e-3),
    Row("gelu by tanh", _gelu, (normal(4 * M),), quick=1),
    Row("sigmoid", lambda xp, x: 1 / (1 + xp.exp(-x)), (normal(4 * M),), numexpr="1/(1+exp(-a))"),
    Row("softplus", _softplus, (normal(M),)),
    Row("clip(a*2-1, 0, 1)", lambda xp, a: xp.clip(a * 2 - 1, 0, 1), _PAIR[:1]),
    Row("where(a > b, a, b*0.5)", lambda xp, a, b: xp.where(a > b, a, b * 0.5), _PAIR,
        numexpr="where(a > b, a, b*0.5)"),
    Row("hypot(a, b) < 1", lambda xp, a, b: xp.sqrt(a * a + b * b) < 1, _PAIR),
]  # fmt: skip

_DTYPES = [
    Row("(3a+b)//7%5", lambda xp, a, b: (3 * a + b) // 7 % 5,
        (integers(M, low=-1000, high=1000, dtype="int32"), integers(M, dtype="int32")), ("int32",), quick=1),
    Row("(3a+b)//7%5", lambda xp, a, b: (3 * a + b) // 7 % 5, (integers(M, low=-1000, high=1000), integers(M)),
        ("int64",)),
    Row("(a*3)^(b>>2)&c", lambda xp, a, b: (a * 3) ^ (b >> 2) & 0xFF,
        (integers(M, dtype="int32"), integers(M, dtype="int32")), ("int32",)),
    Row("brightness of bytes", lambda xp, a: xp.astype(xp.clip(xp.astype(a, xp.float32) * 1.2 + 10, 0, 255), xp.uint8),
        (integers(4 * M, high=256, dtype="uint8"),), ("uint8",), quick=1),
    Row("(a & b) | ~a", lambda xp, a, b: (a & b) | ~a, (mask(4 * M), mask(4 * M)), ("bool",)),
    Row("a*b+a", _multiply_add, _TRIPLE, ("float16", "bfloat16"), quick=1),
    Row("exp(a)*2", lambda xp, a: xp.exp(a) * 2, _TRIPLE[:1], ("float16", "bfloat16")),
    Row("a*b+a", _multiply_add, _PAIR, ("complex64", "complex128"), quick=1),
    Row("abs(exp(a))", lambda xp, a: xp.abs(xp.exp(a)), _PAIR[:1], ("complex64", "complex128")),
    Row("float32 to float64", lambda xp, a: xp.astype(a, xp.float64), _TRIPLE[:1], ("float32",), group="single"),
    Row("float64 to float32", lambda xp, a: xp.astype(a, xp.float32), _TRIPLE[:1], ("float64",), group="single"),
    Row("float32 to float16", lambda xp, a: xp.astype(a, xp.float16), _TRIPLE[:1], ("float32",), group="single"),
    Row("to int32", lambda xp, a: xp.astype(a * 100, xp.int32), _TRIPLE[:1]),
    Row("bytes to float", lambda xp, a: xp.astype(a, xp.float32) / 255,
        (integers(4 * M, high=256, dtype="uint8"),), ("uint8",)),
]  # fmt: skip

_SQUARE = normal(2048, 2048)
_LAYOUTS = [
    Row("x.T + y", lambda xp, x, y: x.T + y, (_SQUARE, _SQUARE), quick=1),
    Row("a[::2]*2 + 1", lambda xp, a: a[::2] * 2 + 1, (normal(4 * M),)),
    Row("a[::-1]*2 + 1", lambda xp, a: a * 2 + 1, (view(normal(4 * M), lambda a: a[::-1]),)),
    Row("rows of 3: w[:, :3]*2 + 1", lambda xp, w: w[:, :3] * 2 + 1, (normal(M, 4),)),
    Row("x*row + column", lambda xp, x, r, c: x * r + c, (_SQUARE, normal(2048), normal(2048, 1)), quick=1),
    Row("outer difference", lambda xp, r, c: xp.abs(r - c), (normal(2048), normal(2048, 1))),
    Row("big-endian exp(a)*sin(b)+a", lambda xp, a, b: xp.exp(a) * xp.sin(b) + a,
        tuple(view(normal(4 * M), lambda a: a.astype(a.dtype.newbyteorder(">"))) for _ in range(2))),
    Row("unaligned a*2 + 1", lambda xp, a: a * 2 + 1,
        (view(normal(M), lambda a: np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(a.dtype)),)),
    Row("axes 2 0 1: x*2 + 1", lambda xp, x: xp.permute_dims(x, (2, 0, 1)) * 2 + 1, (normal(160, 160, 160),)),
]  # fmt: skip

_SINGLE = [
    Row("a + b", lambda xp, a, b: a + b, _TRIPLE, quick=1, group="single", numexpr="a+b"),
    Row("a / b", lambda xp, a, b: a / b, _PAIR, group="single", numexpr="a/b"),
    _one("sqrt", "sqrt(a)", cells=(_POSITIVE,)), _one("exp", "exp(a)", 2), _one("log", "log(a)", cells=(_POSITIVE,)),
    _one("sin", "sin(a)"), _one("cos", "cos(a)", 1), _one("tanh", "tanh(a)"), _one("expm1", "expm1(a)"),
    _one("floor", "floor(a)"), _one("isfinite"),
    Row("pow(a, b)", lambda xp, a, b: a**b, (_POSITIVE, normal(M)), quick=1, group="single", numexpr="a**b"),
    Row("atan2(a, b)", lambda xp, a, b: xp.atan2(a, b), _PAIR, group="single", numexpr="arctan2(a,b)"),
    Row("remainder(a, b)", lambda xp, a, b: xp.remainder(a, b), _PAIR, group="single"),
    Row("maximum(a, b)", lambda xp, a, b: xp.maximum(a, b), _PAIR, group="single"),
]  # fmt: skip

ROWS = [
    *_SIZES,
    *[Row(**{**r.__dict__, "group": r.group or "fused"}) for r in (*_FUSED, *_DTYPES, *_LAYOUTS)],
    *_SINGLE,
]
