"""Every selection, for every dtype and layout, native and reference, against NumPy on the same cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import weft
from tests.cases import for_each
from tests.oracle.compare import same_bits
from tests.oracle.samples import LAYOUTS, in_share, laid_out, values
from weft import dtypes as dt
from weft.interop.imports import own, share
from weft.runtime.compute import engine

Both = tuple[Callable[[Any], Any], Callable[[np.ndarray], np.ndarray]]


def interleaved(parts: list[np.ndarray], axis: int) -> np.ndarray:
    total, k = sum(p.shape[axis] for p in parts), len(parts)
    shape = list(parts[0].shape)
    shape[axis] = total
    out = np.empty(shape, parts[0].dtype)
    for i, p in enumerate(parts):
        out[(*[slice(None)] * axis, slice(i, None, k))] = p
    return out


SELECTIONS: dict[str, Both] = {
    "permute": (weft.matrix_transpose, lambda a: np.swapaxes(a, -1, -2)),
    "flip": (lambda x: weft.flip(x, axis=1), lambda a: np.flip(a, 1)),
    "select": (lambda x: x[1:, 1:4], lambda a: a[1:, 1:4]),
    "index": (lambda x: x[:, -1], lambda a: a[:, -1]),
    "stride": (lambda x: x[1::2, ::-3], lambda a: a[1::2, ::-3]),
    "unsqueeze": (lambda x: x[:, None], lambda a: a[:, None]),
    "squeeze": (lambda x: weft.squeeze(x[:, 1:2], 1), lambda a: a[:, 1]),
    "broadcast": (lambda x: weft.broadcast_to(x, (2, *x.shape)), lambda a: np.broadcast_to(a, (2, *a.shape))),
    "window": (
        lambda x: weft.sliding_window_view(x, 2, 1, stride=2, dilation=2),
        lambda a: np.stack([a[:, :3:2], a[:, 2::2]], 1),
    ),
    "diagonal": (lambda x: weft.diagonal(x, offset=1), lambda a: a.diagonal(1)),
    "reshape": (lambda x: weft.reshape(x, (x.size,)), lambda a: a.reshape(-1)),
    "concat": (lambda x: weft.concat([x, x[:, ::-1], x[:, :0]], axis=1), lambda a: np.concatenate([a, a[:, ::-1]], 1)),
    "stack": (lambda x: weft.stack([x, x[::-1]], axis=1), lambda a: np.stack([a, a[::-1]], 1)),
    "interleave": (lambda x: weft.interleave([x, x, x[:, :-1]], axis=1), lambda a: interleaved([a, a, a[:, :-1]], 1)),
    "tile": (lambda x: weft.tile(x, (2, 3)), lambda a: np.tile(a, (2, 3))),
    "repeat": (lambda x: weft.repeat(x, 3, axis=1), lambda a: np.repeat(a, 3, 1)),
    "repeat each": (lambda x: weft.repeat(x, [2, 0, 1, 3, 1], axis=1), lambda a: np.repeat(a, [2, 0, 1, 3, 1], 1)),
    "roll": (lambda x: weft.roll(x, (3, -8), axis=(0, 1)), lambda a: np.roll(a, (3, -8), (0, 1))),
    "constant": (lambda x: weft.pad(x, ((1, 0), (2, 3))), lambda a: np.pad(a, ((1, 0), (2, 3)))),
    "take": (lambda x: x[:, [3, 0, 4, 4, 1]], lambda a: a[:, [3, 0, 4, 4, 1]]),
    "runs": (lambda x: x[:, [*range(4), *range(4)] * 2], lambda a: a[:, [*range(4), *range(4)] * 2]),
    "one cell again": (lambda x: x[:, [2, 2, 2]], lambda a: a[:, [2, 2, 2]]),
    "mask": (lambda x: x[:, np.array([1, 0, 0, 1, 1], bool)], lambda a: a[:, [0, 3, 4]]),
}  # fmt: skip
FOLDED = ("edge", "wrap", "reflect", "symmetric")
SELECTIONS |= {
    m: (lambda x, m=m: weft.pad(x, ((0, 0), (13, 17)), mode=m), lambda a, m=m: np.pad(a, ((0, 0), (13, 17)), m))
    for m in FOLDED
}
SHORT = [layout for layout in LAYOUTS if layout not in ("scalar", "long")]


def check_selection(name: str, dtype: dt.DType, layouts: Sequence[str]) -> None:
    ours, numpys = SELECTIONS[name]
    cells = values(dtype, (7, 5))
    for layout in layouts:
        a = laid_out(cells, layout)
        x = own(a) if a.dtype.kind == "V" and layout == "big" else share(a)
        wanted = numpys(a.astype(dtype.np))
        for transformer in ("cpu", "reference"):
            with engine.using(engine.transformer(transformer)):
                for pending in (False, True):
                    found = ours(weft.positive(x) if pending and dtype is not dt.bool else x)
                    assert found.dtype is dtype
                    assert found.shape == wanted.shape
                    same = same_bits(found.numpy().astype(dtype.np), wanted)
                    assert same, (dtype, layout, transformer, pending)


@pytest.mark.parametrize("name", SELECTIONS)
def test_selections_of_every_dtype(name: str) -> None:
    first = list(SELECTIONS).index(name)
    for number, dtype in in_share(dt.ALL, first, 4):
        check_selection(name, dtype, [SHORT[(first + number // 4 + at) % len(SHORT)] for at in (0, 3)])


@pytest.mark.slow
@pytest.mark.parametrize("name", SELECTIONS)
def test_selections_of_every_dtype_and_layout(name: str) -> None:
    for dtype in dt.ALL:
        check_selection(name, dtype, SHORT)


SCALARS: dict[str, Both] = {
    "permute": (lambda x: weft.permute_dims(x, ()), lambda a: a.transpose(())),
    "flip": (weft.flip, np.flip),
    "ellipsis": (lambda x: x[...], lambda a: a[...]),
    "unsqueeze": (lambda x: x[None], lambda a: a[None]),
    "broadcast": (lambda x: weft.broadcast_to(x, (2, 0, 3)), lambda a: np.broadcast_to(a, (2, 0, 3))),
    "window": (lambda x: weft.sliding_window_view(x, ()), lambda a: a),
    "reshape": (lambda x: weft.reshape(x, (1, 1)), lambda a: a.reshape(1, 1)),
    "stack": (lambda x: weft.stack([x, x]), lambda a: np.stack([a, a])),
    "concat": (lambda x: weft.concat([x, x], axis=None), lambda a: np.concatenate([a, a], None)),
    "tile": (lambda x: weft.tile(x, (2, 2)), lambda a: np.tile(a, (2, 2))),
    "repeat": (lambda x: weft.repeat(x, 3), lambda a: np.repeat(a, 3)),
    "roll": (lambda x: weft.roll(x, 3), lambda a: np.roll(a, 3)),
    "pad": (lambda x: weft.pad(x, ()), lambda a: a),
    "mask": (lambda x: x[True], lambda a: a[True]),
    "no mask": (lambda x: x[False], lambda a: a[False]),
}


@for_each("name", SCALARS)
@for_each("transformer", ["cpu", "reference"])
def test_selections_of_rank_0(name: str, transformer: str) -> None:
    ours, numpys = SCALARS[name]
    a = np.array(1.5, ">f4")
    with engine.using(engine.transformer(transformer)):
        for x in (share(a), weft.positive(share(a))):
            assert ours(x).shape == numpys(a).shape
            assert np.array_equal(ours(x).numpy(), numpys(a))


@pytest.mark.parametrize("mode", ["constant", *FOLDED])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_margins_wider_than_the_axis(mode: Any, n: int) -> None:
    a = np.arange(n * 4).reshape(n, 4)
    widths = ((23, 4), (1, 30))
    x = weft.pad(weft.asarray(a), widths, mode=mode)
    wanted = np.pad(a, widths, mode)
    assert np.array_equal(x.numpy(), wanted)
    for cut in (np.s_[20:, 3::5], np.s_[::-7, 30], np.s_[5, ::-1]):
        assert np.array_equal(weft.pad(weft.asarray(a), widths, mode=mode)[cut].numpy(), wanted[cut])


def test_chains_without_limit() -> None:
    x = weft.arange(10)
    for _ in range(5000):
        x = x[::-1]
    assert (x + 1).tolist() == list(range(1, 11))
    y = weft.arange(10) + 0
    for k in range(600):
        y = weft.flip(weft.expand_dims(y, 0), axis=1)[0] if k % 3 else weft.roll(y, 1)
    assert sorted(y.tolist()) == list(range(10))
    parts = [weft.arange(3) + i for i in range(1000)]
    z = weft.concat(parts)[::7]
    assert z.tolist() == [i // 3 + i % 3 for i in range(0, 3000, 7)]
