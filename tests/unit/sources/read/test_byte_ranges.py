"""Strided boxes read from a file, whatever the sizes of gaps and of reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft.sources.read.byte_ranges as ranges
from weft.sources.read.extents import ReadCost


def run(draw: st.DrawFn, n: int) -> tuple[int, int, int]:
    """(start, step, size) inside an axis of n."""
    size = draw(st.integers(1, n))
    step = draw(st.integers(1, max(1, (n - 1) // max(size - 1, 1))))
    return draw(st.integers(0, n - 1 - step * (size - 1))), step, size


@given(st.data())
def test_strided_boxes(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 7), min_size=0, max_size=4)))
    dtype = np.dtype(data.draw(st.sampled_from(["<i2", ">f8"])))
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    path = tmp_path_factory.mktemp("boxes") / "a.bin"
    path.write_bytes(b"head" + array.tobytes())
    runs = [data.draw(st.composite(run)(n)) for n in shape]  # type: ignore[arg-type]
    gap, tile = data.draw(st.sampled_from([(0, 8), (16, 64), (ranges.LOCAL.gap, ranges.TILE)]))
    offset = 4 + sum(a * s for (a, _, _), s in zip(runs, array.strides, strict=True))
    steps = tuple(k * s for (_, k, _), s in zip(runs, array.strides, strict=True))
    size = tuple(n for _, _, n in runs)
    with pytest.MonkeyPatch.context() as patch, path.open("rb") as file:
        patch.setattr(ranges, "LOCAL", ReadCost(gap, 1.0, data.draw(st.sampled_from([0, 256]))))
        patch.setattr(ranges, "TILE", tile)
        for out in (np.zeros(size, dtype), np.zeros((*size, 2), dtype.newbyteorder("="))[..., 1]):
            ranges.read_box("a", ranges.LocalFile(file.fileno()), offset, steps, out, dtype)
            np.testing.assert_array_equal(out, array[tuple(slice(a, a + s * (n - 1) + 1, s) for a, s, n in runs)])
