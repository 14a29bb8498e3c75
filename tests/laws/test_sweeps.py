"""Laws of work over large files: for any chunks, order and limit, values have the bits of the whole."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.shares import examples
from weft.errors import WeftError
from weft.runtime.memory.limits import limited
from weft.tensors.tensor import Tensor

STEPS: dict[str, Callable[[Tensor], Tensor]] = {
    "square": lambda x: x * x,
    "turned": lambda x: x.T,
    "difference": lambda x: x[1:] - x[:-1],
    "wrapped": lambda x: weft.roll(x, 1, axis=x.ndim - 1) - x,
    "masked": lambda x: weft.where(x > 0, x, 0 * x),
    "doubled": lambda x: weft.concat([x, x * 2], axis=0),
    "reflected": lambda x: weft.pad(x, 2, mode="reflect"),
    "padded": lambda x: weft.pad(x, 1),
    "every other": lambda x: x[::2],
    "anomaly": lambda x: x - weft.mean(x, axis=0),
    "below the greatest": lambda x: x - weft.max(x, axis=-1, keepdims=True),
    "flat": lambda x: x.reshape((-1,)),
    "halves": lambda x: x.reshape((2, -1)),
    "running": lambda x: weft.cumulative_sum(x, axis=x.ndim - 1),
    "running down": lambda x: weft.cumulative_sum(x, axis=0),
    "running products": lambda x: weft.cumulative_prod(x, axis=0),
    "sorted": lambda x: weft.sort(x, axis=0),
    "beside its transpose": lambda x: x + x.T,
    "and deviations": lambda x: weft.std(x, axis=0, keepdims=True) + x,
}
REDUCTIONS = ("sum", "mean", "var", "max", "argmax", "prod", "any", "min", "std")


def bits(x: Any) -> list[bytes]:
    """The bytes of the cells, all NaN alike."""
    if x.dtype.kind not in "fc":
        return [x.tobytes()]
    parts = [x.real, x.imag] if x.dtype.kind == "c" else [x]
    return [np.where(np.isnan(p), p.dtype.type(np.nan), p).tobytes() for p in parts]


@settings(max_examples=examples(40))
@given(data=st.data())
def test_tiles_have_the_bits_of_the_whole(data: st.DataObject) -> None:
    check(data)


@pytest.mark.slow
@settings(max_examples=400)
@given(data=st.data())
def test_many_values_in_tiles(data: st.DataObject) -> None:
    check(data)


def check(data: st.DataObject) -> None:
    """A value of a file in tiles has the bits of that of the array."""
    shape = tuple(data.draw(st.lists(st.integers(1, 40), min_size=1, max_size=3)))
    dtype = data.draw(st.sampled_from(["f4", "f8", "f2", "i4", "c8"]))
    steps = data.draw(st.lists(st.sampled_from(list(STEPS)), max_size=3))
    reduction = data.draw(st.sampled_from([None, *REDUCTIONS]))
    axis = data.draw(st.sampled_from([None, 0, -1]))
    array = (np.random.default_rng(len(shape)).standard_normal(shape) * 3).astype(dtype)

    def value(x: Tensor) -> Tensor:
        for name in steps:
            x = STEPS[name](x)
        return x if reduction is None else getattr(weft, reduction)(x, axis=axis)

    try:
        want = value(weft.asarray(array)).numpy()
    except WeftError:  # no such program
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.zarr")
        weft.save(path, array, chunks=tuple(data.draw(st.integers(-(-n // 8), n)) for n in shape))
        with limited(data.draw(st.sampled_from([600, 3000, 20_000, 100_000]))):
            got = value(weft.open(path))
            if want.ndim and data.draw(st.booleans()):
                parts = tuple(data.draw(st.integers(max(-(-n // 8), 1), max(n, 1))) for n in want.shape)
                weft.save(Path(folder, "y.zarr"), got, chunks=parts)
                got = weft.open(Path(folder, "y.zarr"))
            cells: Any = got.numpy()
    assert (cells.dtype, cells.shape) == (want.dtype, want.shape)
    assert bits(cells) == bits(want)
