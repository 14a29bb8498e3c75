"""Products: shapes as NumPy's, dtypes promoted, half precision by one rounding."""

import numpy as np
import pytest

import weft
from tests.cases import for_each

pytestmark = pytest.mark.usefixtures("transformer")


def grid(*shape):
    return np.arange(1.0, 1 + np.prod(shape)).reshape(shape)


SHAPES = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((3,), (5, 3, 2)),
          ((5, 2, 3), (3,)), ((4, 1, 2, 3), (5, 3, 2)), ((0, 3), (3, 2)), ((2, 0), (0, 3))]  # fmt: skip


@for_each("a, b", SHAPES)
def test_matmul_has_numpys_shapes(a, b):
    result = weft.matmul(weft.asarray(grid(*a)), weft.asarray(grid(*b)))
    expected = np.matmul(grid(*a), grid(*b))
    assert result.shape == np.shape(expected)
    assert np.array_equal(result.numpy(), expected)


def test_matmul_of_views_and_pending_operands():
    a, b = grid(4, 3), grid(4, 5)
    x, y = weft.asarray(a.copy()), weft.asarray(b.copy())
    assert np.array_equal((x.T @ (y + 1)).numpy(), a.T @ (b + 1))
    assert np.array_equal((np.ones((2, 4)) @ y).numpy(), np.ones((2, 4)) @ b)


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [("int8", "int8", "int8"), ("int32", "float32", "float64"), ("float16", "float16", "float16"),
     ("bfloat16", "bfloat16", "bfloat16"), ("float32", "complex64", "complex64"), ("uint8", "int8", "int16")],
)  # fmt: skip
def test_dtypes_are_promoted(a, b, result):
    y = weft.ones((2, 3), dtype=a) @ weft.ones((3, 2), dtype=b)
    assert y.dtype.name == result and y.tolist() == [[3, 3], [3, 3]]


def test_big_endian_operands():
    x = weft.asarray(np.eye(2, dtype=">f8"))
    assert (x @ x).tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize("axes", [0, 1, 2, ((1, 0), (0, 1)), ((-1,), (-3,))])
def test_tensordot(axes):
    a, b = grid(3, 4), grid(4, 3, 2)
    if axes == 2:
        b = grid(3, 4, 2)
    expected = np.tensordot(a, b, axes=axes)
    result = weft.tensordot(weft.asarray(a), weft.asarray(b), axes=axes)
    assert result.shape == expected.shape and np.array_equal(result.numpy(), expected)


def test_vecdot():
    a, b = grid(2, 3) + 1j, grid(2, 3) * 1j
    result = weft.vecdot(weft.asarray(a), weft.asarray(b))
    assert np.allclose(result.numpy(), np.vecdot(a, b))
    assert weft.vecdot(weft.asarray([100, 100], dtype="int8"), weft.asarray([1, 1], dtype="int8")).dtype is weft.int8
    assert weft.vecdot(weft.asarray(grid(3, 2)), weft.asarray(grid(3, 1)), axis=0).shape == (2,)


@pytest.mark.parametrize("dtype", ["float16", "complex32"])
def test_vecdot_of_halves_is_rounded_once(dtype):
    x, y = weft.asarray([256.0, -256.0, 0.125]).astype(dtype), weft.asarray([256.0, 256.0, 0.125]).astype(dtype)
    assert weft.vecdot(x, y).item() == 0.125**2


def test_matmul_in_place():
    x = weft.asarray([[1.0, 2.0], [3.0, 4.0]])
    alias = x[0]
    x @= x
    assert x.tolist() == [[7.0, 10.0], [15.0, 22.0]] and alias.tolist() == [7.0, 10.0]
