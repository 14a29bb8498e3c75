"""Generators: NumPy's values, any origin, no end, and nothing stored."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft.errors import AxisError, DTypeError, OutOfMemory, ShapeError
from weft.ir.graph.domain import Domain

pytestmark = pytest.mark.usefixtures("transformer")

FAR = 2**62


@for_each("name", ["zeros", "ones"])
@for_each("dtype", ["bool", "int8", ">u4", "float16", "bfloat16", "complex64"])
def test_origins_and_byte_orders(name, dtype):
    x = getattr(weft, name)((2, 3), dtype=dtype, origin=(-5, 10**9))
    assert x.domain == Domain((-5, 10**9), (2, 3))
    assert x.tolist() == [[name == "ones"] * 3] * 2
    assert x.at[-4, 10**9 + 1].item() == (name == "ones")
    assert x.byteorder == ("big" if dtype[0] == ">" else "little")


def test_the_field_of_zeros_is_read_anywhere():
    for x in (weft.zeros((None,)), weft.full((None,), weft.asarray(0.0)), weft.ones((None,), dtype="int8") * 0):
        assert x.at[-5:5].tolist() == [0] * 10
        assert x.at[10**9 : 10**9 + 3].tolist() == [0] * 3
    assert weft.zeros((2, None)).shape == (2, 2**63 - 1)
    assert weft.iota((None, None), axis=1).at[7, -FAR : 3 - FAR].tolist() == [-FAR, 1 - FAR, 2 - FAR]


def test_sizes_go_to_the_limits_of_positions():
    assert weft.arange(2**63 - 1)[-2:].tolist() == [2**63 - 3, 2**63 - 2]
    assert weft.eye(2**62)[2**61 : 2**61 + 2, 2**61 : 2**61 + 3].tolist() == [[1, 0, 0], [0, 1, 0]]
    assert weft.tri(2**62)[2**61, 2**61 - 1 : 2**61 + 2].tolist() == [1, 1, 0]
    assert weft.full((FAR, FAR), 7)[-2:, ::FAR].tolist() == [[7], [7]]
    step = 1 / (2**40 - 1)
    middle = [i * step for i in (2**39, 2**39 + 1)]
    assert weft.linspace(0.0, 1.0, 2**40)[2**39 : 2**39 + 2].tolist() == middle
    assert weft.linspace(0.0, 1.0, 2**40)[-1].item() == 1.0


@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32", "bfloat16", "complex128"])
def test_iota(dtype):
    for axis in (0, 1, -1):
        found = weft.iota((2, 3, 4), axis=axis, dtype=dtype, origin=(5, 6, 7))
        wanted = np.indices((2, 3, 4))[axis] + (5, 6, 7)[axis]
        assert found.dtype is getattr(weft, dtype)
        assert np.array_equal(found.numpy().astype("c16"), wanted)
    assert weft.iota((2, 2), dtype=">i4").byteorder == "big"


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "complex128", "bool"])
def test_tri_is_numpys(dtype):
    for n, m, k in ((3, 5, 0), (4, None, -1), (4, 2, 1), (0, 3, 0), (3, 3, 9), (3, 3, -9)):
        assert np.array_equal(weft.tri(n, m, k=k, dtype=dtype).numpy(), np.tri(n, m, k=k, dtype=dtype))
    x = weft.random.normal((4, 4), seed=1)
    assert np.array_equal(weft.where(weft.tri(4, dtype="bool"), x, 0.0).numpy(), weft.tril(x).numpy())


@for_each("dtype", ["int8", "int64", "uint8", "uint64"])
@for_each("axis", [0, 1, 2, -1, -3])
def test_one_hot(dtype, axis):
    indices = np.array([[2, 0, 3], [1, 1, 9]], dtype)
    found = weft.one_hot(weft.asarray(indices), 4, axis=axis, dtype="int16")
    wanted = np.moveaxis(indices[..., None] == np.arange(4, dtype=dtype), -1, axis)
    assert found.dtype is weft.int16
    assert np.array_equal(found.numpy(), wanted)


def test_one_hot_is_not_stored():
    assert weft.one_hot(weft.asarray([2**61, -1]), 2**62)[:, 2**61 : 2**61 + 2].tolist() == [[1, 0], [0, 0]]
    assert weft.one_hot(weft.asarray(2**64 - 1, dtype="uint64"), 3).tolist() == [0, 0, 0]
    assert weft.one_hot(weft.asarray(1), 3).tolist() == [0, 1, 0]
    assert weft.one_hot(weft.asarray([], dtype="int8"), 0).shape == (0, 0)


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int64"])
def test_linspace_is_numpys(dtype):
    rng = np.random.default_rng(0)
    for _ in range(60):
        a, b = (rng.normal(size=2) * 10.0 ** rng.integers(-14, 14)).tolist()
        n, endpoint = int(rng.integers(0, 30)), bool(rng.integers(2))
        found = weft.linspace(a, b, n, dtype=dtype, endpoint=endpoint).numpy()
        assert np.array_equal(found, np.linspace(a, b, n, dtype=dtype, endpoint=endpoint))
    assert weft.linspace(0.0, 5e-324, 11).tolist() == np.linspace(0.0, 5e-324, 11).tolist()
    assert weft.linspace(-1, 0, 5, dtype="int64").tolist() == [-1, -1, -1, -1, 0]


ERRORS = {
    "origin of another rank": (
        lambda: weft.zeros((2,), origin=(1, 2)), ShapeError, r"zeros: origin \(1, 2\) for shape \(2,\); every axis has",
    ),
    "beyond int64": (lambda: weft.ones(2, origin=2**63 - 1), ShapeError, "int64 holds none of that size; move the"),
    "float origin": (lambda: weft.iota(2, origin=0.5), DTypeError, "iota: origin 0.5; integers are needed"),
    "whole and origin": (lambda: weft.zeros((None, 2), origin=(0, 0)), ShapeError, "a whole axis begins at -2..62"),
    "too long": (lambda: weft.zeros(2**63), ShapeError, "an axis has less than 2..63 positions"),
    "no axis": (lambda: weft.iota((2, 3), axis=2), AxisError, "iota: axis 2 of a tensor of rank 2"),
    "float indices": (lambda: weft.one_hot(weft.asarray([1.0]), 3), DTypeError, "one_hot: indices of float64"),
    "negative categories": (lambda: weft.one_hot(weft.asarray([1]), -3), ShapeError, "one_hot: shape .-3,. has a neg"),
    "too much at once": (
        lambda: weft.sum(weft.zeros((FAR, FAR))).item(), (ShapeError, OutOfMemory), "cells of shape|bytes for shape",
    ),
}  # fmt: skip


@for_each("name", ERRORS)
def test_errors(name):
    wrong, error, message = ERRORS[name]
    with pytest.raises(error, match=message):
        wrong()
