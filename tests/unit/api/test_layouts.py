"""New memory in any layout: order and strides of the creation functions, in every dtype and both byte orders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from tests.cases import for_each
from tests.shares import in_turn
from weft import dtypes as dt
from weft.errors import DTypeError, ShapeError, ValueRangeError


@pytest.fixture(params=["cpu", "reference", "eager"], autouse=True)
def _mode(request: pytest.FixtureRequest) -> Any:
    with weft.eager() if request.param == "eager" else weft.transformer(request.param):
        yield


MADE = {
    "zeros": (lambda **layout: weft.zeros((2, 3, 4), **layout), 0),
    "ones": (lambda **layout: weft.ones((2, 3, 4), **layout), 1),
    "full": (lambda **layout: weft.full((2, 3, 4), 1, **layout), 1),
    "zeros_like": (lambda **layout: weft.zeros_like(np.ones((2, 3, 4)), **layout), 0),
    "ones_like": (lambda **layout: weft.ones_like(np.ones((2, 3, 4)), **layout), 1),
    "full_like": (lambda **layout: weft.full_like(np.ones((2, 3, 4)), 1, **layout), 1),
}


@pytest.mark.parametrize(("name", "order"), in_turn(MADE, ["little", "big"], every=2))
def test_every_dtype_in_every_layout(name: str, order: str) -> None:
    make, value = MADE[name]
    for dtype in dt.ALL:
        if dtype is dt.float8_e8m0fnu:  # has no 0
            continue
        size = dtype.itemsize
        spelled = dtype if order == "little" or dtype.np.isbuiltin != 1 else dt.to_numpy(dtype, order).str
        columns = (size, 2 * size, 6 * size)
        flipped = (-3 * 4 * (size + 1), 4 * (size + 1), -size - 1)
        for layout, strides in (({"order": "F"}, columns), ({"strides": flipped}, flipped)):
            x = make(dtype=spelled, **layout)
            assert x.dtype is dtype and x.strides == strides and x.numpy().strides == strides
            assert x.byteorder == ("big" if not isinstance(spelled, dt.DType) and size > 1 else "little")
            assert x.tolist() == np.full((2, 3, 4), value).tolist()
            x[1, ::2, 3] = not value
            wanted = np.full((2, 3, 4), value)
            wanted[1, ::2, 3] = not value
            assert x.tolist() == wanted.tolist() and weft.concat([x, x]).tolist() == [*wanted.tolist()] * 2


def test_what_asks_for_no_layout_stays_unstored() -> None:
    assert weft.zeros((10**9, 10**6), order="C")[7, 5].item() == 0
    assert weft.empty((2, 0), order="F").strides == (8, 16) and weft.empty((2, 0), order="F").tolist() == [[], []]
    assert weft.full((), 3, order="F").item() == 3


def test_exports_and_views_of_laid_out_memory() -> None:
    x = weft.zeros((600, 500), order="F")  # of the pool
    exported = x.numpy()
    x[3, 4] = 5
    exported[5, 6] = 7
    assert exported[3, 4] == 5 and x[5, 6].item() == 7 and exported.flags.f_contiguous
    old = x + 0
    x.T[...] = 1
    assert old[5, 6].item() == 7 and x[5, 6].item() == 1 == exported[5, 6]
    y = weft.ones((2, 3), origin=(5, -1), order="F")
    assert y.domain.start == (5, -1) and y.at[6, 1].item() == 1


@for_each(
    "layout, kind, says",
    [
        ({"order": "K"}, ValueRangeError, "zeros: order 'K'; 'C' is row-major"),
        ({"strides": (8,)}, ShapeError, r"zeros: strides \(8,\) for shape \(2, 3\); one per axis"),
        ({"strides": (0, 8)}, ShapeError, r"zeros: strides \(0, 8\) .* cells \(\(0, 0\), \(1, 0\)\) overlap"),
        ({"strides": (8, 8)}, ShapeError, r"zeros: strides .* overlap; give strides that keep them apart"),
        ({"strides": (8, 4)}, ShapeError, r"zeros: strides .* overlap"),
        ({"strides": (2**70, 8)}, ShapeError, "zeros: strides .*; no memory is as large"),
        ({"strides": (1.5, 8)}, DTypeError, r"zeros: strides \(1.5, 8\); one integer per axis"),
        ({"strides": 8}, DTypeError, "zeros: strides 8; one integer per axis"),
        ({"strides": (24, 8), "order": "F"}, ValueRangeError, r"zeros: strides \(24, 8\) and order 'F'"),
    ],
)
def test_messages(layout: dict[str, Any], kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says):
        weft.zeros((2, 3), **layout)


def test_layouts_on_devices() -> None:
    for given, strides in (({"order": "F"}, (4, 8)), ({"strides": (-16, 4)}, (-16, 4))):
        for dtype in ("<i4", ">i4"):
            x = weft.ones((2, 3), dtype=dtype, device="thread:0", **given)
            assert (x.device.name, x.strides, x.byteorder) == (
                "thread:0",
                strides,
                "big" if dtype[0] == ">" else "little",
            )
            x[0, 1] = 7
            assert x.tolist() == [[1, 7, 1], [1, 1, 1]] and (x + 1).tolist() == [[2, 8, 2], [2, 2, 2]]
    y = weft.asarray(weft.asarray([[1, 2], [3, 4]], device="thread:0"), order="F")
    assert (y.device.name, y.strides, y.tolist()) == ("thread:0", (8, 16), [[1, 2], [3, 4]])
    assert weft.asarray([[1, 2], [3, 4]], device="thread:0", order="F").strides == (8, 16)
