"""Reductions that pass over NaN: against NumPy's, and where no cell is left."""

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft.errors import DTypeError, ShapeError

pytestmark = pytest.mark.usefixtures("transformer")

NAN = np.nan
A = np.array([[1.5, NAN, -2.0, 0.0], [NAN, NAN, 3.0, -0.5], [4.0, 7.0, NAN, -np.inf]])
NAMES = ["nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd", "nanargmin", "nanargmax"]


@pytest.mark.parametrize(("name", "dtype"), in_turn(NAMES, ["f2", "f4", "f8", "bfloat16"], every=4))
def test_like_numpy(name, dtype):
    a = A[:, :3] if name in ("nanvar", "nanstd") else A
    x = weft.astype(weft.asarray(a), dtype)
    wide = x.numpy().astype(np.float32 if dtype != "f8" else np.float64)
    for axis in (None, 0, 1, -1):
        for keepdims in (False, True):
            got = getattr(weft, name)(x, axis=axis, keepdims=keepdims)
            with np.errstate(invalid="ignore"):
                expected = getattr(np, name)(wide, axis=axis, keepdims=keepdims)
            assert got.shape == np.shape(expected)
            tolerance = {"f2": 1e-3, "bfloat16": 1e-2, "f4": 1e-6, "f8": 1e-14}[dtype]
            assert np.allclose(got.numpy().astype("f8"), expected, rtol=tolerance, equal_nan=True)
            assert got.dtype is (weft.int64 if "arg" in name else x.dtype)


@pytest.mark.parametrize(("name", "dtype"), in_turn(NAMES, ("f2", "f4", "f8", "i4", "u1"), every=5))
def test_without_nan_they_are_the_plain_ones(name, dtype):
    values = np.random.default_rng(0).normal(size=(7, 1500))
    x = weft.astype(weft.asarray(np.abs(values) if dtype == "u1" else values), dtype)
    got, plain = getattr(weft, name)(x, axis=1), getattr(weft, name[3:])(x, axis=1)
    assert got.dtype is plain.dtype
    if name in ("nanvar", "nanstd"):  # two sums over whole rows, where the plain ones merge blocks
        assert np.allclose(got.numpy(), plain.numpy(), rtol={"f2": 1e-3, "f4": 1e-6}.get(dtype, 1e-12))
    else:
        assert np.array_equal(got.numpy(), plain.numpy())


def test_where_no_cell_is_left():
    x = weft.asarray([[NAN, NAN], [1.0, NAN]])
    assert weft.nansum(x, axis=1).tolist() == [0.0, 1.0]
    assert weft.nanprod(x, axis=1).tolist() == [1.0, 1.0]
    assert np.array_equal(weft.nanmin(x, axis=1).numpy(), [NAN, 1.0], equal_nan=True)
    assert np.array_equal(weft.nanmax(x, axis=1).numpy(), [NAN, 1.0], equal_nan=True)
    assert np.array_equal(weft.nanmean(x, axis=1).numpy(), [NAN, 1.0], equal_nan=True)
    assert np.array_equal(weft.nanvar(x, axis=1).numpy(), [NAN, 0.0], equal_nan=True)
    assert weft.nanargmin(x, axis=1).tolist() == [0, 0]
    assert np.array_equal(weft.nanvar(x, axis=1, correction=1).numpy(), [NAN, NAN], equal_nan=True)
    empty = weft.zeros((0, 2))
    assert (weft.nansum(empty).item(), weft.nanprod(empty).item()) == (0.0, 1.0)
    assert weft.nansum(empty, axis=0).tolist() == [0.0, 0.0]
    with pytest.raises(ShapeError, match=r"nanmin: axes \(0, 1\) of shape \(0, 2\) are empty"):
        weft.nanmin(empty)


def test_positions_beside_infinities_and_zeros():
    x = weft.asarray([NAN, np.inf, np.inf])
    assert (weft.nanargmin(x).item(), weft.nanargmax(x).item()) == (1, 1)
    assert weft.nanargmax(weft.asarray([NAN, -np.inf])).item() == 1
    assert weft.nanargmin(weft.asarray([0.0, NAN, -0.0])).item() == 0
    assert np.signbit(weft.nanmin(weft.asarray([0.0, NAN, -0.0])).item())


@pytest.mark.parametrize("name", ["nanmin", "nanmax"])
def test_gradients_go_to_the_extremes(name):
    x = weft.asarray([[NAN, 2.0, 2.0], [NAN, NAN, NAN], [1.0, NAN, 1.0]]).requires_grad_()
    getattr(weft, name)(x, axis=1).backward(weft.ones(3))
    assert x.grad.tolist() == [[0.0, 0.5, 0.5], [0.0, 0.0, 0.0], [0.5, 0.0, 0.5]]


def test_infinite_cells_are_no_nan():
    assert np.isnan(weft.nanvar(weft.asarray([np.inf, 1.0, NAN])).item())
    assert weft.nanmean(weft.asarray([np.inf, 1.0, NAN])).item() == np.inf


def test_halves_do_not_overflow_on_the_way():
    x = weft.asarray(np.array([60000, 60000, NAN], "f2"))
    assert weft.nanmean(x).item() == 60000
    assert weft.nanmean(x).dtype is weft.float16


def test_complex_numbers():
    z = weft.asarray(np.array([1 + 2j, complex(NAN, 1), complex(1, NAN), 3 - 2j], "c8"))
    assert weft.nansum(z).item() == 4
    assert weft.nanprod(z).item() == 7 + 4j
    assert weft.nanmean(z).item() == 2
    assert weft.nanmean(z).dtype is weft.complex64
    assert weft.nancount_nonzero(z).item() == 2
    for name in ("nanvar", "nanstd"):
        found = getattr(weft, name)(z, correction=1)
        assert found.dtype is weft.float32
        assert found.item() == pytest.approx(float(getattr(np, name)(z.numpy(), ddof=1)), rel=1e-6)
    with pytest.raises(DTypeError, match="complex64 operands; the operation is defined for"):
        weft.nanmin(z)


@pytest.mark.parametrize("name", ["nancumsum", "nancumprod"])
def test_running_sums(name):
    for a in (np.array([[1.0, NAN, -np.inf], [2.0, 3.0, NAN]]), np.array([1 + 1j, NAN]), np.array([3, 4])):
        for axis in (None, -1):
            found, expected = getattr(weft, name)(a, axis), getattr(np, name)(a, axis)
            np.testing.assert_array_equal(found.numpy(), expected)
    out = weft.zeros(2)
    assert getattr(weft, name)([NAN, 4.0], out=out) is out and out[1].item() == 4


def test_counts_and_dtypes():
    assert weft.nancount_nonzero(weft.asarray([0, 0, 1, 2, np.inf, NAN])).item() == 3
    assert weft.count_nonzero(weft.asarray([0, 0, 1, 2, np.inf, NAN])).item() == 4
    assert weft.nansum(weft.asarray([True, True])).dtype is weft.int64
    assert weft.nansum(weft.asarray([1.5, NAN, 2.5]), dtype=weft.int64).item() == 3
    assert weft.nanmean(weft.asarray([1, 2])).item() == 1.5


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmax", "nanmin"])
def test_cells_that_are_nan_have_gradient_zero(name: str) -> None:
    x = weft.asarray([1.0, NAN, 3.0, 4.5]).requires_grad_()
    kept = weft.asarray([1.0, 3.0, 4.5]).requires_grad_()
    getattr(weft, name)(x).backward()
    getattr(weft, name.removeprefix("nan"))(kept).backward()
    first, nothing, *others = x.grad.tolist()
    assert nothing == 0.0
    assert np.allclose([first, *others], kept.grad.numpy())
