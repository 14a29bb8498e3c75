"""Reductions and scans: dtypes, axes, keepdims, empty tensors, equality with NumPy."""

import numpy as np
import pytest

import weft
from tests.cases import for_each
from tests.shares import in_turn
from weft.errors import DTypeError

pytestmark = pytest.mark.usefixtures("transformer")


A = np.asarray([[3, 1, 2, 5], [0, 7, 7, 4], [6, 2, 0, 0]])
NAMES = ["sum", "prod", "min", "max", "mean", "std", "var", "any", "all", "count_nonzero", "argmin", "argmax"]
AXES = [None, 0, -1]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("axis", AXES)
def test_like_numpy(name, axis):
    kept = {"keepdims": True} if name != "count_nonzero" or axis is not None else {}
    for dtype in ("int64", "float64"):
        a = A.astype(dtype)
        ours, numpys = getattr(weft, name), getattr(np, name)
        assert np.allclose(ours(weft.asarray(a.copy()), axis=axis).numpy(), numpys(a, axis=axis), rtol=1e-15)
        assert np.allclose(ours(weft.asarray(a.copy()), axis=axis, **kept).numpy(), numpys(a, axis=axis, **kept))


@pytest.mark.parametrize("name", ["sum", "mean", "max", "all"])
def test_several_axes_and_none(name):
    a = np.arange(24.0).reshape(2, 3, 4)
    x = weft.asarray(a.copy())
    assert np.allclose(getattr(weft, name)(x, axis=(2, 0)).numpy(), getattr(np, name)(a, axis=(2, 0)))
    assert getattr(weft, name)(x, axis=(0, 1), keepdims=True).shape == (1, 1, 4)
    assert getattr(weft, name)(x, axis=()).shape == a.shape


@for_each("name, dtype, result", [
    ("sum", "int8", "int64"), ("sum", "uint8", "uint64"), ("sum", "bool", "int64"), ("sum", "float32", "float32"),
    ("prod", "int16", "int64"), ("mean", "int8", "float64"),
    ("mean", "bool", "float64"),
    ("mean", "float16", "float16"), ("max", "int8", "int8"), ("argmax", "float32", "int64"),
    ("any", "float32", "bool"), ("sum", "bfloat16", "bfloat16"),
    ("count_nonzero", "complex64", "int64"), ("std", "int32", "float64"),
])  # fmt: skip
def test_result_dtypes(name, dtype, result):
    assert getattr(weft, name)(weft.ones(3, dtype=dtype)).dtype.name == result


def test_the_dtype_can_be_given():
    x = weft.asarray([100, 100], dtype="int8")
    assert weft.sum(x, dtype="int8").tolist() == -56
    assert weft.sum(x, dtype=weft.float32).dtype is weft.float32
    assert weft.cumulative_sum(x, dtype="float64").tolist() == [100.0, 200.0]
    assert weft.prod(x).item() == 10000


def test_empty_tensors():
    x = weft.zeros((0, 3))
    assert weft.sum(x, axis=0).tolist() == [0.0, 0.0, 0.0]
    assert weft.prod(x).item() == 1.0
    assert weft.all(x).item() is True and weft.any(x).item() is False
    assert weft.max(x, axis=1).shape == (0,)
    assert weft.isnan(weft.mean(x)).item() is True


def test_correction():
    x = weft.asarray([1.0, 2.0, 3.0, 4.0])
    assert weft.var(x, correction=1).item() == pytest.approx(np.var([1, 2, 3, 4], ddof=1), rel=1e-15)
    assert weft.std(x, correction=0.5).item() == pytest.approx(np.sqrt(5 / 3.5), rel=1e-15)


def test_nan_wins_and_signed_zeros_order():
    assert weft.isnan(weft.max(weft.asarray([1.0, float("nan")]))).item() is True
    assert weft.signbit(weft.min(weft.asarray([0.0, -0.0]))).item() is True
    assert weft.signbit(weft.max(weft.asarray([-0.0, 0.0]))).item() is False


@pytest.mark.parametrize("axis", [0, 1])
def test_scans(axis):
    x = weft.asarray(A.copy())
    assert np.array_equal(weft.cumulative_sum(x, axis=axis).numpy(), np.cumulative_sum(A, axis=axis))
    assert np.array_equal(weft.cumulative_prod(x, axis=axis).numpy(), np.cumulative_prod(A, axis=axis))
    with_first = weft.cumulative_sum(x, axis=axis, include_initial=True)
    assert np.array_equal(with_first.numpy(), np.cumulative_sum(A, axis=axis, include_initial=True))


EXTREMES = {"cumulative_max": np.maximum, "cumulative_min": np.minimum}


@pytest.mark.parametrize(
    ("name", "dtype", "part"),
    in_turn(EXTREMES, ["bool", "uint8", "int16", "int64", "float16", "float32", "float64"], range(2), every=4),
)
def test_running_extremes(name, dtype, part):
    for shape, axis in (((5,), None), ((2, 3000), 1), ((2500, 3), 0), ((2, 70, 3), 1), ((0, 3), 0))[part::2]:
        a = (np.random.default_rng(1).standard_normal(shape) * 50).astype(dtype)
        for x in (a, a[..., ::-1]):
            got = getattr(weft, name)(weft.asarray(x), axis=axis).numpy()
            expected = EXTREMES[name].accumulate(x, axis=axis or 0)
            assert got.dtype == expected.dtype and np.array_equal(got, expected)


def test_running_extremes_of_nan_and_zeros():
    x = weft.asarray([-0.0, 0.0, -0.0, weft.nan, 1.0])
    assert weft.signbit(weft.cumulative_max(x)).tolist() == [True, False, False, False, False]
    assert weft.isnan(weft.cumulative_min(x)).tolist() == [False, False, False, True, True]
    with pytest.raises(DTypeError, match="cumulative_max: complex128"):
        weft.cumulative_max(weft.asarray([1j]))
    with pytest.raises(weft.errors.ShapeError, match=r"cumulative_min: shape .2, 2. and no axis"):
        weft.cumulative_min(weft.zeros((2, 2)))


def test_diff():
    x = weft.asarray(A.copy())
    assert np.array_equal(weft.diff(x, n=2).numpy(), np.diff(A, n=2))
    before = weft.zeros((1, 4), dtype="int64")
    assert np.array_equal(
        weft.diff(x, axis=0, prepend=before).numpy(), np.diff(A, axis=0, prepend=np.zeros((1, 4), int))
    )
    assert weft.diff(weft.asarray([True, False, False])).tolist() == [True, False]


@pytest.mark.parametrize("name", ["sum", "prod", "nansum", "nanprod", "cumulative_sum", "cumulative_prod"])
def test_a_real_dtype_does_not_drop_imaginary_parts(name):
    with pytest.raises(
        weft.errors.DTypeError, match=": complex128 to float32 would drop the imaginary part; take real"
    ):
        getattr(weft, name)(weft.asarray([1j, 2]), dtype="float32")


@pytest.mark.parametrize("name", ["mean", "var", "std", "nanmean", "nanvar", "nanstd"])
def test_the_dtype_of_means(name):
    a = np.asarray([1, 2, 4, 7], "int16")
    for dtype in ("float32", weft.float64, np.float64):
        made = getattr(weft, name)(weft.asarray(a), dtype=dtype)
        assert made.dtype == dtype
        np.testing.assert_allclose(made.numpy(), getattr(np, name)(a, dtype=np.dtype(dtype)), rtol=1e-6)
    half = weft.asarray([6e4, 6e4]).astype("float16")
    assert getattr(weft, name)(half, dtype="float32").dtype is weft.float32
    with pytest.raises(DTypeError, match=f"{name}: dtype int64; the result has fractions"):
        getattr(weft, name)(half, dtype=weft.int64)
