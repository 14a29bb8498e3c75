"""Fourier transforms against NumPy's: every function, dtype, axis, size and norm; shifts move cells only."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft import fft
from weft.errors import AxisError, DTypeError, ShapeError, ValueRangeError
from weft.tensors.tensor import node_of

pytestmark = pytest.mark.usefixtures("transformer")

ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = ["fftn", "ifftn", "rfftn", "irfftn"]
NEED_REAL = {"rfft", "ihfft", "rfftn"}
COMPLEX_OF = {
    "float16": "complex32",
    "bfloat16": "complex64",
    "float32": "complex64",
    "float64": "complex128",
    "int16": "complex128",
    "complex32": "complex32",
    "complex64": "complex64",
    "complex128": "complex128",
}
GIVES_REAL = {"irfft", "hfft", "irfftn"}


def cells(shape, dtype):
    r = np.random.default_rng(0)
    a = r.integers(-8, 8, shape).astype(float)
    return a + 1j * r.integers(-8, 8, shape) if dtype.startswith("complex") else a


def check(got, want, name, dtype):
    to = COMPLEX_OF[dtype]
    assert got.dtype.name == (weft.dtypes.named(to).real.name if name in GIVES_REAL else to)
    assert got.shape == want.shape
    error = {"complex32": 0.05, "complex64": 1e-4, "complex128": 1e-12}[to]
    got = got.astype(got.dtype.compute)
    assert np.abs(got.numpy() - want).max(initial=0) <= error


WAYS = [(None, -1, "backward"), (3, 0, "ortho"), (9, 1, "forward"), (1, -1, "forward")]
CASES = [(d, *WAYS[0]) for d in COMPLEX_OF] + [(d, *way) for d in ("float32", "complex128") for way in WAYS[1:]]


@for_each("name", ONE)
@for_each("dtype, n, axis, norm", CASES)
def test_along_one_axis(name, dtype, n, axis, norm):
    if name in NEED_REAL and dtype.startswith("complex"):
        dtype = "float64"
    a = cells((4, 6), dtype)
    want = getattr(np.fft, name)(a, n=n, axis=axis, norm=norm)
    check(getattr(fft, name)(weft.asarray(a, dtype=dtype), n=n, axis=axis, norm=norm), want, name, dtype)


@for_each("name", SEVERAL)
@for_each("dtype", ["float16", "float32", "complex128"])
@for_each("s, axes, norm", [(None, None, "backward"), ((3, 7), (0, 2), "ortho"),
                                                 (None, (1,), "forward"), ((5, 2), (2, 0), "backward")])  # fmt: skip
def test_along_several_axes(name, dtype, s, axes, norm):
    if name in NEED_REAL and dtype.startswith("complex"):
        dtype = "float64"
    a = cells((4, 3, 6), dtype)
    want = getattr(np.fft, name)(a, s=s, axes=axes, norm=norm)
    check(getattr(fft, name)(weft.asarray(a, dtype=dtype), s=s, axes=axes, norm=norm), want, name, dtype)


def test_sizes_without_axes_are_of_the_last_axes():
    a = cells((4, 3, 6), "complex128")
    check(fft.fftn(weft.asarray(a), s=(2, 5)), np.fft.fftn(a, s=(2, 5), axes=(1, 2)), "fftn", "complex128")
    assert fft.fftn(weft.asarray(a), axes=()).shape == a.shape


@pytest.mark.parametrize("name", ["fft", "rfft", "irfft"])
def test_results_do_not_depend_on_layout(name):
    a = cells((6, 8), "float32")
    plain = getattr(fft, name)(weft.asarray(a, dtype="float32"), axis=0).numpy()
    wide = weft.zeros((6, 16), dtype="float32")
    wide[:, ::-2] = weft.asarray(a)
    for x in (weft.asarray(a, dtype=">f4"), wide[:, ::-2], weft.asarray(a.T.copy(), dtype="float32").T,
              weft.asarray(a, dtype="float32") + 0):  # fmt: skip
        assert np.array_equal(getattr(fft, name)(x, axis=0).numpy(), plain)


@pytest.mark.parametrize("shape", [(0, 4), (3, 0, 4), (1,), (2, 1)])
def test_empty_stacks_and_single_cells(shape):
    a = np.ones(shape)
    assert np.array_equal(fft.fft(weft.asarray(a)), np.fft.fft(a))
    assert np.array_equal(fft.irfft(weft.asarray(a), n=3), np.fft.irfft(a, n=3))


@for_each("name", [*ONE, "fftn", "irfftn"])
@for_each("n", [1, 2, 6])
def test_axes_without_cells_are_filled_up_with_zeros(name, n):
    for _ in range(3):  # memory that is not zeros by chance
        _ = weft.ones((2, 64)).realize()
        given = {"s": (n,), "axes": (-1,)} if name.endswith("n") else {"n": n}
        assert not np.any(getattr(fft, name)(weft.zeros((2, 0)), **given).numpy())


@pytest.mark.parametrize("n", [1, 2, 5, 8])
@pytest.mark.parametrize("d", [1, 0.25, -3.0])
def test_frequencies(n, d):
    assert np.array_equal(fft.fftfreq(n, d=d), np.fft.fftfreq(n, d))
    assert np.array_equal(fft.rfftfreq(n, d=d), np.fft.rfftfreq(n, d))
    assert fft.fftfreq(n, dtype="float32").dtype is weft.float32


@pytest.mark.parametrize("axes", [None, 0, (1, 2), -1])
def test_shifts_only_move_cells(axes):
    a = np.arange(4 * 5 * 3).reshape(4, 5, 3)
    x = weft.asarray(a)
    assert np.array_equal(fft.fftshift(x, axes=axes), np.fft.fftshift(a, axes))
    assert np.array_equal(fft.ifftshift(x, axes=axes), np.fft.ifftshift(a, axes))
    assert np.array_equal(fft.ifftshift(fft.fftshift(x, axes=axes), axes=axes), a)
    assert node_of(fft.fftshift(x)).op.kind == "selection"


ERRORS = [
    (lambda: fft.fft(weft.ones(4), norm=[]), ValueRangeError, r"fft: norm \[\]; there are"),
    (lambda: fft.fft(weft.ones(4), n=0), ValueRangeError, "fft: 0 cells to transform; there must be 1 or more"),
    (lambda: fft.fft(weft.ones(0)), ValueRangeError, "fft: 0 cells to transform"),
    (lambda: fft.irfft(weft.ones(1)), ValueRangeError, "irfft: 0 cells to transform"),
    (lambda: fft.ifft(weft.ones(4), norm="none"), ValueRangeError, "ifft: norm 'none'; there are"),
    (lambda: fft.fft(weft.ones(4), axis=1), AxisError, "fft: axis 1"),
    (lambda: fft.rfft(weft.ones(4, dtype="complex64")), DTypeError, "rfft: complex64 cells; it transforms real ones"),
    (lambda: fft.fft(weft.ones(4, dtype="bool")), DTypeError, "fft: bool cells"),
    (lambda: fft.fftn(weft.ones((2, 2)), s=(2, 2, 2)), ShapeError, r"fftn: 3 sizes for shape \(2, 2\)"),
    (lambda: fft.fftn(weft.ones((2, 2)), s=(2,), axes=(0, 1)), ShapeError, "axes and cells along them"),
    (lambda: fft.rfftn(weft.ones((2, 2)), axes=()), ShapeError, "rfftn: no axis"),
    (lambda: fft.fftfreq(0), ValueRangeError, "fftfreq: 0 cells to transform"),
    (lambda: fft.fftfreq(3, d=0), ValueRangeError, "fftfreq: a spacing of 0"),
    (lambda: fft.rfftfreq(3, dtype="int32"), DTypeError, "rfftfreq: frequencies of int32"),
]


@for_each("call, error, message", ERRORS)
def test_refusals(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_arguments_by_place_and_two_axes_like_numpy():
    a = np.arange(60.0).reshape(3, 4, 5) ** 2 % 7
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
        np.testing.assert_allclose(
            getattr(fft, name)(a, 4, 1, "ortho"), getattr(np.fft, name)(a, 4, 1, "ortho"), atol=1e-12
        )
        np.testing.assert_allclose(getattr(fft, name)(a, None, 0, None), getattr(np.fft, name)(a, None, 0), atol=1e-12)
    for name in ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "rfftn"):
        for given in ((), ((4, 4), (0, 1)), (None, (2, 0), "forward")):
            np.testing.assert_allclose(getattr(fft, name)(a, *given), getattr(np.fft, name)(a, *given), atol=1e-12)
    for name in ("fftfreq", "rfftfreq"):
        np.testing.assert_allclose(getattr(fft, name)(7, 0.25), getattr(np.fft, name)(7, 0.25), rtol=1e-15)
    np.testing.assert_allclose(fft.fftshift(a, 1), np.fft.fftshift(a, 1))


@pytest.mark.parametrize("transformer", ["cpu", "reference"])
def test_shifts_of_a_number_are_the_number(transformer: str) -> None:
    with weft.transformer(transformer):
        assert weft.fft.fftshift(3.0).item() == weft.fft.ifftshift(weft.asarray(3.0) * 1).item() == 3
