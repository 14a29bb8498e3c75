"""Large arrays: fused chains, reductions, layouts and selections beside NumPy and the peers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from threadpoolctl import threadpool_limits

import weft
from benchmarks import machine, peers
from benchmarks.timing import best_of, table


@dataclass
class Case:
    """A measurement: contenders by name, the bytes that must move, and the bar in words."""

    name: str
    nbytes: int
    runs: dict[str, Callable[[], object]]
    bar: str
    reads_only: bool = False
    extra: dict[str, Callable[[], object]] = field(default_factory=dict)


def _rng(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).random(shape, dtype=np.float32)


def _versus(name: str, bar: str, nbytes: int, ours: Callable[..., weft.Tensor], numpy: Callable[..., object],
            arrays: tuple[np.ndarray, ...], torch: Callable[..., object] | None = None, source: str = "",
            reads_only: bool = False) -> Case:  # fmt: skip
    tensors = [weft.asarray(a) for a in arrays]
    runs: dict[str, Callable[[], object]] = {
        "weft": lambda: ours(*tensors).realize(),
        "numpy": lambda: numpy(*arrays),
    }
    native = all(a.dtype.isnative for a in arrays)
    if torch is not None and native:
        runs |= peers.torch_runs(torch, arrays)
    if source:
        runs |= peers.numexpr_runs(source, dict(zip("abcdefgh", arrays, strict=False)))
    return Case(name, nbytes, runs, bar, reads_only)


def cases() -> list[Case]:
    """The table of the design's section 9 for kernels."""
    n = machine.SIZE
    a, b = _rng(n), _rng(n) + 1
    big_a, big_b = a.astype(">f4"), b.astype(">f4")
    x, y = _rng(2048, 2048), _rng(2048, 2048)
    wide = _rng(10**6, 4)
    f = np.asfortranarray(x)
    t = peers.torch
    chain = (lambda a, b: t.exp(a) * t.sin(b) + a) if t else None
    squares = (lambda a, b: ((a - b) ** 2).sum()) if t else None
    out = [
        _versus("exp(a)*sin(b)+a", "3x numpy, 0.9x compiled", 12 * n, lambda a, b: weft.exp(a) * weft.sin(b) + a,
                lambda a, b: np.exp(a) * np.sin(b) + a, (a, b), chain, "exp(a)*sin(b)+a"),
        _versus("exp(a)*sin(b)+a big-endian", "1.1x native", 12 * n, lambda a, b: weft.exp(a) * weft.sin(b) + a,
                lambda a, b: np.exp(a) * np.sin(b) + a, (big_a, big_b)),
        _versus("a*b+a", "90 % of bandwidth", 12 * n, lambda a, b: a * b + a, lambda a, b: a * b + a, (a, b),
                (lambda a, b: a * b + a) if t else None, "a*b+a"),
        _versus("((a-b)**2).sum()", "90 % of bandwidth", 8 * n, lambda a, b: weft.sum((a - b) ** 2),
                lambda a, b: ((a - b) ** 2).sum(), (a, b), squares, "sum((a-b)**2)", True),
        _versus("((a-b)**2).sum() big-endian", "1.1x native", 8 * n, lambda a, b: weft.sum((a - b) ** 2),
                lambda a, b: ((a - b) ** 2).sum(), (big_a, big_b), reads_only=True),
        _versus("x.T + y", "numpy", 3 * x.nbytes, lambda x, y: x.T + y, lambda x, y: x.T + y, (x, y),
                (lambda x, y: x.T + y) if t else None),
        _versus("rows of 3: w[:, :3]*2+1", "numpy", 24 * 10**6, lambda w: w[:, :3] * 2 + 1,
                lambda w: w[:, :3] * 2 + 1, (wide,), (lambda w: w[:, :3] * 2 + 1) if t else None),
        _versus("rows of 3: w[:, :3].sum(1)", "numpy", 16 * 10**6, lambda w: weft.sum(w[:, :3], axis=1),
                lambda w: w[:, :3].sum(1), (wide,), (lambda w: w[:, :3].sum(1)) if t else None),
        _versus("flip(a)*2", "numpy", 8 * n, lambda a: weft.flip(a) * 2, lambda a: a[::-1] * 2, (a,)),
        _versus("a[::2]*2", "numpy", 6 * n, lambda a: a[::2] * 2, lambda a: a[::2] * 2, (a,)),
    ]  # fmt: skip
    for order, array in (("C", x), ("F", f)):
        for axis in (None, 0, 1):
            bar = "90 % of bandwidth" if order == "C" else "numpy, 50 % of bandwidth" if axis is None else "numpy"
            out.append(
                _versus(f"sum {order} order axis={axis}", bar, x.nbytes, lambda x, k=axis: weft.sum(x, axis=k),
                        lambda x, k=axis: x.sum(axis=k), (array,),
                        (lambda x, k=axis: x.sum() if k is None else x.sum(k)) if t else None, reads_only=True)
            )  # fmt: skip
    return [*out, _concat_case(), *_row_cases(t)]


def _concat_case() -> Case:
    """Eight flipped, padded parts joined, read with a stride, doubled and summed."""
    parts = [_rng(1 << 19) for _ in range(8)]
    tensors = [weft.asarray(p) for p in parts]
    p = 1000

    def ours() -> object:
        joined = weft.concat([weft.pad(weft.flip(t), p, constant_values=1.0) for t in tensors])
        return weft.sum(joined[::2] * 2).realize()

    def numpy() -> object:
        joined = np.concatenate([np.pad(t[::-1], p, constant_values=1.0) for t in parts])
        return (joined[::2] * 2).sum()

    return Case("sum(concat(8 pad(flip))[::2]*2)", 8 * (1 << 21), {"weft": ours, "numpy": numpy}, "5x numpy", True)


def _row_cases(t: object) -> list[Case]:
    """Chains along rows."""
    x = _rng(4096, 1024)

    def softmax(x: weft.Tensor) -> weft.Tensor:
        e = weft.exp(x - weft.max(x, axis=1, keepdims=True))
        return e / weft.sum(e, axis=1, keepdims=True)

    def numpy_softmax(x: np.ndarray) -> np.ndarray:
        e = np.exp(x - x.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    def norm(x: weft.Tensor) -> weft.Tensor:
        return (x - weft.mean(x, axis=1, keepdims=True)) / weft.sqrt(weft.var(x, axis=1, keepdims=True) + 1e-5)

    def numpy_norm(x: np.ndarray) -> np.ndarray:
        return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + np.float32(1e-5))

    torch_softmax = (lambda x: peers.torch.softmax(x, 1)) if t else None
    torch_norm = (lambda x: peers.torch.nn.functional.layer_norm(x, (1024,))) if t else None
    return [
        _versus("softmax of rows", "compiled", 2 * x.nbytes, softmax, numpy_softmax, (x,), torch_softmax),
        _versus("layer norm of rows", "compiled", 2 * x.nbytes, norm, numpy_norm, (x,), torch_norm),
        _versus("variance of rows", "compiled", x.nbytes, lambda x: weft.var(x, axis=1), lambda x: x.var(1), (x,),
                (lambda x: x.var(1, correction=0)) if t else None, reads_only=True),
    ]  # fmt: skip


def main(threads: int, only: str = "") -> None:
    """Print the table at a number of threads."""
    weft.set_num_threads(threads)
    peers.set_threads(threads)
    rows = []
    with threadpool_limits(threads):
        for case in cases():
            if only in case.name:
                limit = machine.reading(case.nbytes) if case.reads_only else machine.copying(case.nbytes)
                rows.append(_row(case, best_of({**case.runs, "limit": limit})))
    names = ["numpy", "numexpr", "torch", "torch.compile"]
    head = ["case", "weft ms", "GB/s", "of limit", *[f"/ {n}" for n in names], "bar"]
    table(
        f"kernels, {threads} thread(s); the limit is moving the same bytes, and ratios are peer time / weft time",
        head,
        rows,
    )


def _row(case: Case, best: dict[str, float]) -> list[str]:
    ours = best["weft"]
    ratios = [f"{best[n] / ours:.2f}" if n in best else "-" for n in ("numpy", "numexpr", "torch", "torch.compile")]
    speed = case.nbytes / ours
    return [
        case.name,
        f"{ours * 1e3:.3f}",
        f"{speed / 1e9:.1f}",
        f"{100 * best['limit'] / ours:.0f} %",
        *ratios,
        case.bar,
    ]
