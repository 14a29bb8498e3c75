"""Windows with strides and dilation: equality with NumPy, view semantics, and convolution by phases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import weft
from tests.cases import for_each
from weft.errors import ShapeError, ValueRangeError, WriteError


@pytest.fixture(params=["cpu", "reference"], autouse=True)
def _transformer(request: pytest.FixtureRequest) -> Any:
    with weft.transformer(request.param):
        yield


def expected(a: np.ndarray, w: int, axis: int, stride: int, dilation: int) -> np.ndarray:
    every = sliding_window_view(a, (w - 1) * dilation + 1, axis=axis)
    lead = [slice(None)] * a.ndim
    lead[axis] = slice(None, None, stride)
    return every[(*lead, slice(None, None, dilation))]


@for_each("dtype", [">f4", "<i2", "?", ">c16"])
@for_each("w, stride, dilation", [(1, 1, 1), (2, 3, 1), (3, 1, 2), (2, 2, 3), (4, 5, 1), (3, 2, 3)])
def test_windows_are_numpys(dtype: str, w: int, stride: int, dilation: int) -> None:
    a = np.arange(42).reshape(3, 14).astype(dtype)[:, ::-1]
    for axis, b in ((1, a), (0, a.T)):
        x = weft.sliding_window_view(weft.asarray(b), w, axis=axis, stride=stride, dilation=dilation)
        wanted = expected(b, w, axis, stride, dilation)
        assert x.shape == wanted.shape
        assert x.strides == wanted.strides
        np.testing.assert_array_equal(x.numpy(), wanted)


def test_each_axis_has_its_own_steps() -> None:
    a = np.arange(99).reshape(9, 11)
    x = weft.sliding_window_view(weft.asarray(a), (2, 3), stride=(2, 1), dilation=(1, 4))
    wanted = sliding_window_view(a, (2, 9))[::2, ::1, :, ::4]
    np.testing.assert_array_equal(x.numpy(), wanted)


def test_of_pending_values_and_of_a_window_of_size_zero() -> None:
    x = weft.arange(10) * 2
    assert weft.sliding_window_view(x, 2, stride=4, dilation=5).tolist() == [[0, 10], [8, 18]]
    assert weft.sliding_window_view(x, 0, stride=4).shape == (3, 0)
    assert weft.sliding_window_view(x, 0).shape == (11, 0)


def test_windows_are_views_and_those_apart_can_be_written() -> None:
    x = weft.zeros(6)
    v = weft.sliding_window_view(x, 2, stride=2)
    v[1] = 7
    assert x.tolist() == [0, 0, 7, 7, 0, 0]
    with pytest.raises(WriteError, match="lie on the same memory"):
        weft.sliding_window_view(x, 3, stride=2)[...] = 1


@pytest.mark.parametrize("dilation", [2, 3])
def test_a_dilated_convolution_is_dense_ones_interleaved(dilation: int) -> None:
    a, k = weft.asarray(np.arange(12.0) ** 2), weft.asarray([1.0, -2.0, 0.5])

    def convolved(x: weft.Tensor, dilation: int = 1) -> weft.Tensor:
        return weft.sum(weft.sliding_window_view(x, 3, dilation=dilation) * k, axis=-1)

    phases = [convolved(a[r::dilation]) for r in range(dilation)]
    np.testing.assert_array_equal(convolved(a, dilation).numpy(), weft.interleave(phases).numpy())


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"stride": 0}, ValueRangeError, r"sliding_window_view: stride \(0,\); steps are >= 1"),
        ({"dilation": -1}, ValueRangeError, r"sliding_window_view: dilation \(-1,\); steps are >= 1"),
        ({"dilation": 2}, ShapeError, "sliding_window_view: extent 5 along axis 0 of size 4"),
        ({"stride": (1, 2)}, ShapeError, r"\(1, 2\) and \(0,\), strides and axes"),
        ({"window_shape": (2, 2), "axis": (0, 0), "stride": 2}, ShapeError, "of an axis named twice it is open"),
    ],
)
def test_messages(arguments: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        weft.sliding_window_view(weft.arange(4), **{"window_shape": 3, **arguments})
