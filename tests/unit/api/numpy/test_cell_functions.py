"""Further element-wise functions and facts of arrays, beside NumPy's."""

import numpy as np
import pytest

import weft
from tests.shares import in_turn
from weft.errors import DTypeError, GradientError, ShapeError, StrictError

DTYPES = ["i1", ">u2", "i8", "f2", "f4", ">f8"]
CELLS = np.array([[-7.0, -1.5, -0.5, -0.0], [0.0, 0.5, 2.5, 100.0]])
ODD = np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324, 1.7e308])


def layouts(dtype):
    a = (np.abs(CELLS) if dtype[-2] == "u" else CELLS).astype(dtype)
    return [a, a.T, a[::-1, ::2], a[0, 0], a[:0]]


def near(made, wanted, tolerance=1e-12):
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    for m, w in zip(made if isinstance(made, tuple) else (made,), wanted, strict=True):
        assert m.shape == np.shape(w)
        np.testing.assert_allclose(m.numpy(), w, rtol=tolerance, atol=tolerance)
        assert (np.signbit(m.numpy()) == np.signbit(w)).all() or np.isnan(w).any()


@pytest.mark.parametrize(("name", "dtype"), in_turn(["rint", "modf", "frexp", "i0"], DTYPES, every=2))
def test_functions_of_one_operand_like_numpy(name, dtype):
    for a in layouts(dtype):
        tolerance = 2e-3 if dtype == "f2" else 1e-6 if dtype == "f4" else 1e-12
        wanted = getattr(np, name)(a.astype("f8"))
        with np.errstate(over="ignore"):
            wanted = wanted.astype(dtype) if name == "i0" and a.dtype.kind == "f" else wanted
        near(getattr(weft, name)(weft.asarray(a)), wanted, tolerance)
    if name != "i0":
        near(getattr(weft, name)(weft.asarray(ODD)), getattr(np, name)(ODD))


@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_of_two_operands_like_numpy(dtype):
    for a in layouts(dtype):
        near(weft.divmod(weft.asarray(a), 3), np.divmod(a, np.asarray(3, a.dtype)), 1e-6)
        near(weft.float_power(weft.asarray(a), 2), np.float_power(a, 2))
        tolerance = 2e-3 if dtype == "f2" else 1e-6
        near(weft.logaddexp2(weft.asarray(a), 1.5), np.logaddexp2(a.astype("f8"), 1.5), tolerance)
        near(weft.ldexp(weft.asarray(a), [3]), np.ldexp(a.astype("f8"), [3]))
    pairs = np.array(np.meshgrid(ODD[:4], [np.inf, -np.inf, 1.0])).reshape(2, -1)
    with np.errstate(invalid="ignore"):
        near(weft.logaddexp2(*pairs), np.logaddexp2(*pairs))
    near(weft.ldexp(weft.asarray([1.0, 3.0, 1e-300]), [-1074, 10, 10**12]), np.array([5e-324, 3072, np.inf]))


def test_gradients_flow_where_functions_are_composed():
    x = weft.asarray([1.0, 2.5]).requires_grad_()
    (weft.modf(x)[0] + weft.logaddexp2(x, x)).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [2.0, 2.0])
    with pytest.raises(GradientError, match="frexp: NumPy computes it on values"):
        weft.frexp(x)
    with weft.strict(), pytest.raises(StrictError, match="i0: "):
        weft.i0(weft.ones(2))


@pytest.mark.parametrize("name", ["modf", "frexp", "i0"])
def test_complex_cells_are_refused(name):
    with pytest.raises(DTypeError, match=f"{name}: complex128 cells; it is defined for real ones; take real"):
        getattr(weft, name)([1j])
    with pytest.raises(DTypeError, match="ldexp: exponents of float64; they are integers; convert them, or use exp2"):
        weft.ldexp(1.0, 0.5)
    with pytest.raises(ShapeError, match=r"ldexp: .*; "):
        weft.ldexp(weft.ones((0, 2)), weft.arange(6))


def test_facts_like_numpy():
    for x in (1, 2.5, 1j, [1, 2], [[1, 2j]], np.ones((2, 3)), np.ones((0, 2)), np.float32(3)):
        for name in ("shape", "ndim", "size", "iscomplexobj", "isrealobj"):
            assert getattr(weft, name)(x) == getattr(weft, name)(weft.asarray(x)) == getattr(np, name)(x)
        for name in ("isreal", "iscomplex"):
            assert getattr(weft, name)(x).tolist() == np.asarray(getattr(np, name)(x)).tolist()
        assert weft.isscalar(x) == np.isscalar(x) and weft.iterable(x) == np.iterable(x)
    assert weft.size(weft.ones((2, 3, 4)), (0, -1)) == 8
    for x in ([1 + 1e-14j, 2], [1 + 1e-12j], [1j], [1.0], np.array([1 + 1e-6j], "c8")):
        for tol in (100, 1e-5):
            made, wanted = weft.real_if_close(x, tol), np.real_if_close(x, tol)
            assert made.dtype.kind[0] == ("c" if wanted.dtype.kind == "c" else "f") and made.tolist() == wanted.tolist()
