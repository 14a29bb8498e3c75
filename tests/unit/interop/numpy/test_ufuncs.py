"""NumPy's ufuncs on tensors: every one with every dtype, their methods and keywords."""

from __future__ import annotations

import gc
from typing import Any
from weakref import ref

import ml_dtypes
import numpy as np
import pytest

import weft
from tests.cases import for_each
from tests.shares import in_turn
from weft.errors import DTypeError, GradientError, MathError, ShapeError, StrictError, WriteError
from weft.interop.numpy.ufuncs import counterpart

UFUNCS = {f.__name__: f for f in vars(np).values() if isinstance(f, np.ufunc)}
DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "F", "D"]
TOLERANCES = {"float16": 2e-3, "float32": 1e-6, "complex64": 1e-6, "float64": 1e-14, "complex128": 1e-14}
WIDER = {"floor", "ceil", "trunc", "fabs", "degrees", "radians", "deg2rad", "rad2deg"}  # weft's take complex numbers
CELLS = {
    "b": ([True, False, True, False], [True, True, False, False]),
    "u": ([1, 2, 3, 7], [1, 2, 2, 3]),
    "i": ([1, -2, 3, -7], [1, 2, 2, 3]),
    "f": ([0.5, -2.0, 3.25, -0.75], [1.5, 2.0, 0.25, 3.0]),
    "c": ([0.5 + 1j, -2.0, 3.25 - 2j, -0.75j], [1.5, 2.0j, 0.25 + 1j, 3.0]),
}


def operands(ufunc: np.ufunc, dtype: str) -> list[np.ndarray]:
    found = [np.array(cells, dtype) for cells in CELLS[np.dtype(dtype).kind][: ufunc.nin]]
    matrix = {"matvec": 0, "vecmat": 1}.get(ufunc.__name__)
    if matrix is not None:
        found[matrix] = found[matrix] * found[1 - matrix][:, None]
    return found


def outcome(ufunc: np.ufunc, args: list[Any]) -> Any:
    """The results as a tuple, or the error."""
    try:
        with np.errstate(all="ignore"):
            made = ufunc(*args)
    except TypeError as error:
        return error
    return made if isinstance(made, tuple) else (made,)


def dtype_by_weft(name: str, numpys: np.dtype, given: np.dtype) -> np.dtype:
    """The dtype that weft gives where NumPy gives another: functions of floats give float64 for all integers."""
    if given.kind in "iu" and numpys.kind == "f":
        return given if name in ("fabs", "rint") else np.dtype("f8")
    return numpys


@pytest.mark.parametrize(("name", "part"), in_turn(UFUNCS, range(7), every=7))
@for_each("number", range(len(DTYPES) // 7))
def test_a_ufunc_gives_what_numpy_gives(name: str, part: int, number: int) -> None:
    ufunc, dtype = UFUNCS[name], DTYPES[part::7][number]
    args = operands(ufunc, dtype)
    theirs = outcome(ufunc, args)
    ours = outcome(ufunc, [weft.asarray(a) for a in args])
    if isinstance(theirs, TypeError):
        assert isinstance(ours, TypeError) or (name in WIDER and dtype in "FD")
        return
    if isinstance(ours, TypeError):  # arithmetic of bools, which weft has under the names of logic alone
        assert dtype == "?" and counterpart(ufunc) is not None and "convert" in str(ours)
        return
    for made, wanted in zip(ours, theirs, strict=True):
        assert type(made) is weft.Tensor and made.shape == wanted.shape
        computed = counterpart(ufunc) is not None
        expected = dtype_by_weft(name, wanted.dtype, np.dtype(dtype)) if computed else wanted.dtype
        assert made.dtype == expected
        tolerance = max([TOLERANCES.get(str(d), 0) for d in (wanted.dtype, expected)])
        np.testing.assert_allclose(made.numpy(), wanted, rtol=tolerance, atol=tolerance)


INTEGERS = ("bitwise", "left", "right", "inv", "gcd", "lcm")


@for_each("name", [n for n, f in UFUNCS.items() if counterpart(f) is not None])
def test_ufuncs_that_weft_has_stay_pending(name: str) -> None:
    x = weft.asarray(np.ones((2, 2), int if name.startswith(INTEGERS) else np.float64))
    args = [x, x[0]] if name == "matvec" else [x[0], x] if name == "vecmat" else [x] * UFUNCS[name].nin
    with weft.strict("allow") as report:
        made = UFUNCS[name](*args)
    for part in made if isinstance(made, tuple) else (made,):
        assert part._place.node.value is None
    assert [a for a in report if a.act == "numpy"] == []


def test_ufuncs_that_weft_lacks_are_computed_by_numpy_and_reported() -> None:
    x = weft.asarray([1.0, 2.0])
    with weft.strict("allow") as report:
        assert np.spacing(x).tolist() == np.spacing([1.0, 2.0]).tolist()
    assert [(a.op, a.act) for a in report] == [("spacing", "numpy")] and __file__ in report[0].line
    with weft.strict(), pytest.raises(StrictError, match="spacing: weft lacks it, or one of its keywords"):
        np.spacing(x)
    with weft.strict():
        np.sin(x)


def test_foreign_ufuncs_are_computed_on_values() -> None:
    function = lambda x: 2 * x  # noqa: E731
    double, kept = np.frompyfunc(function, 1, 1), ref(function)
    assert double(weft.asarray([1, 2])).tolist() == [2, 4]
    del function, double
    gc.collect()
    assert kept() is None


# ---- operators of arrays


def test_an_array_takes_a_tensor_beside_it() -> None:
    a, x = np.arange(3.0), weft.asarray([1.0, 2.0, 3.0])
    for made, values in ((a + x, [1, 3, 5]), (a < x, [True] * 3), (2.0 ** np.float64(1) * x, [2, 4, 6]), (a @ x, 8)):
        assert type(made) is weft.Tensor and made.tolist() == values
    quotient, rest = divmod(np.array([7, -7]), weft.asarray([2, 2]))
    assert quotient.tolist() == [3, -4] and rest.tolist() == [1, 1]


def test_an_array_is_written_in_place() -> None:
    a, x = np.arange(3.0), weft.asarray([1.0, 2.0, 3.0])
    before, seen = a, weft.asarray(a)
    pending = seen * 10
    a += x
    assert a is before and a.tolist() == seen.tolist() == [1, 3, 5] and pending.tolist() == [0, 10, 20]
    a *= x[0]
    a -= seen
    assert a.tolist() == [0, 0, 0]
    with pytest.raises(DTypeError, match="add: float64 values into int64 cells"):
        np.arange(3).__iadd__(x)
    with pytest.raises(ShapeError):
        a += weft.ones((2, 3))


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, ">f4", "c8"])
def test_operators_of_arrays_of_every_layout(dtype: Any) -> None:
    a = np.arange(3).astype(dtype)
    made = a[::-1] + weft.asarray(a)
    assert made.tolist() == [2, 2, 2] and made.dtype == np.dtype(dtype).newbyteorder("=")


# ---- keywords


def test_out() -> None:
    x, a, y = weft.asarray([1.0, 4.0]), np.empty(2), weft.zeros(2)
    assert np.sqrt(x, out=a) is a and np.sqrt(x, out=y) is y and np.sqrt(x, y) is y
    assert a.tolist() == y.tolist() == [1, 2]
    assert np.sqrt(np.array([9.0, 16.0]), out=y) is y and y.tolist() == [3, 4]
    wide = np.empty((2, 2))
    assert np.add(x, 1, out=wide).tolist() == [[2, 5], [2, 5]]
    whole, rest = weft.zeros(2, dtype="i8"), weft.zeros(2, dtype="i8")
    assert np.divmod(weft.asarray([7, 9]), 4, out=(whole, rest)) == (whole, rest)
    assert (whole.tolist(), rest.tolist()) == ([1, 2], [3, 1])
    assert np.spacing(x, out=y) is y and y.tolist() == np.spacing([1.0, 4.0]).tolist()
    with pytest.raises(ShapeError):
        np.add(x, 1, out=np.empty(3))
    for odd in (3.0, [1, 2], "a", object()):
        with pytest.raises((TypeError, WriteError)):
            np.add(x, 1, out=odd)  # type: ignore[call-overload]
        with pytest.raises((TypeError, ValueError)):
            np.add(x, 1, casting=odd)  # type: ignore[call-overload]
    with pytest.raises(WriteError):
        np.add(x, 1, out=weft.constant([0.0, 0.0]))
    with pytest.raises(DTypeError):
        np.add(x, 1, out=np.empty(2, "i8"))


def test_where() -> None:
    x, a = weft.asarray([4.0, -1.0, 9.0]), np.full(3, 7.0)
    assert np.sqrt(x, where=x > 0, out=a).tolist() == [2, 7, 3]
    assert np.sqrt(x, where=weft.asarray([True, False, True])).tolist() == [2, 0, 3]
    assert np.divide(1, weft.asarray([0, 2]), where=[False, True]).tolist() == [0, 0.5]
    with weft.math_mode("error"):  # cells that are not asked for break no rule
        assert np.sqrt(x, where=x > 0).tolist() == [2, 0, 3]
        with pytest.raises(MathError):
            np.sqrt(x).tolist()
    mask = np.array([True, False, True])
    assert np.spacing(x, where=mask, out=a).tolist()[1] == 7
    with pytest.raises(DTypeError):
        np.sqrt(x, where=weft.asarray([1, 0, 1]))


def test_dtype() -> None:
    x = weft.asarray([1.0, 2.0])
    assert np.add(x, 1, dtype=np.float32).dtype == weft.float32
    assert np.sin(weft.asarray([1]), dtype="f4").dtype == weft.float32
    assert np.add.reduce(weft.asarray([1, 2], dtype="i1"), dtype=weft.float32).dtype == weft.float32
    with pytest.raises(TypeError):
        np.add(x, 1, dtype=np.int64)
    with pytest.raises(TypeError):
        np.add(x, 1, nonsense=3)  # type: ignore[call-overload]


# ---- methods


@for_each("keepdims", [False, True])
@for_each("axis", [0, 1, -1, (0, 1), None])
@for_each("name", ["add", "multiply", "maximum", "minimum", "logical_and", "logical_or", "fmax", "gcd"])
def test_reduce(name: str, axis: Any, keepdims: bool) -> None:
    a = np.array([[3, 1, 2], [0, 5, 4]])
    if name in ("gcd",) and axis in ((0, 1), None):
        a, axis = a[0], 0
    made = UFUNCS[name].reduce(weft.asarray(a), axis=axis, keepdims=keepdims)
    wanted = UFUNCS[name].reduce(a, axis=axis, keepdims=keepdims)
    assert type(made) is weft.Tensor and made.tolist() == np.asarray(wanted).tolist() and made.shape == np.shape(wanted)


def test_reduce_has_numpys_defaults_and_keywords() -> None:
    x = weft.ones((2, 3))
    assert np.add.reduce(x).tolist() == [2, 2, 2] and np.add.reduce(weft.asarray([True, True])).item() == 2
    assert np.add.reduce(x, 1, None, None, True).shape == (2, 1) and np.add.reduce(weft.asarray(5.0)).item() == 5
    assert np.add.reduce(x, axis=None, initial=10).item() == 16
    assert np.add.reduce(x, axis=None, where=weft.asarray([True, False, False])).item() == 2
    out = np.empty(3)
    assert np.maximum.reduce(x, out=out) is out and out.tolist() == [1, 1, 1]
    assert np.maximum.reduce(weft.zeros(0), initial=3.0).item() == 3
    assert np.multiply.reduce(np.ones((2, 3)), out=x[0]).tolist() == [1, 1, 1]


def test_functions_have_the_methods_of_their_ufuncs() -> None:
    cells = [[3, 1, 2], [5, 1, 4]]
    for name, ufunc in UFUNCS.items():
        if not hasattr(getattr(weft, name, None), "reduce") or ufunc.identity is None:
            continue
        for method, args in (("reduce", ()), ("accumulate", ()), ("outer", ([1, 2],)), ("reduceat", ([0, 1],))):
            expected = getattr(ufunc, method)(np.asarray(cells), *args)
            got = getattr(getattr(weft, name), method)(cells, *args).numpy()
            assert got.dtype == expected.dtype and np.array_equal(got, expected), (name, method)
    x = weft.zeros(3)
    weft.add.at(x, [0, 0, 2], 1.5)
    assert x.tolist() == [3, 0, 1.5]
    assert weft.maximum.accumulate([[1, 5], [3, 2]], axis=1).tolist() == [[1, 5], [3, 3]]


def test_accumulate_outer_at_and_reduceat() -> None:
    x = weft.asarray([1, 2, 3, 4])
    assert np.add.accumulate(x).tolist() == [1, 3, 6, 10] and np.multiply.accumulate(x).tolist() == [1, 2, 6, 24]
    assert np.maximum.accumulate(x[::-1]).tolist() == [4, 4, 4, 4]
    assert np.logical_or.accumulate(weft.asarray([0, 2, 0])).tolist() == [False, True, True]
    assert np.minimum.accumulate(x)._place.node.op.name == "cumulative_min"
    assert np.add.accumulate(weft.asarray([True, True])).tolist() == [1, 2]
    assert np.subtract.outer(x, [1, 2]).tolist() == [[0, -1], [1, 0], [2, 1], [3, 2]]
    assert np.gcd.outer(x, x).shape == (4, 4) and np.multiply.outer(2, x).tolist() == [2, 4, 6, 8]
    assert np.add.reduceat(x, [0, 2]).tolist() == [3, 7]
    before = x * 1
    assert np.add.at(x, [0, 0, 3], 10) is None and x.tolist() == [21, 2, 3, 14] and before.tolist() == [1, 2, 3, 4]
    a = np.zeros(3)
    seen = weft.asarray(a) * 1
    np.add.at(a, weft.asarray([1, 1]), weft.asarray([1.0, 2.0]))
    assert a.tolist() == [0, 3, 0] and seen.tolist() == [0, 0, 0]
    with pytest.raises(WriteError):
        np.add.at(weft.constant([1, 2]), [0], 1)


# ---- what tensors carry


def test_gradients_flow_or_are_refused() -> None:
    x = weft.asarray([1.0, 4.0]).requires_grad_()
    np.sqrt(x, where=x > 1).sum().backward()
    assert x.grad.tolist() == [0, 0.25]
    with pytest.raises(GradientError, match="spacing: NumPy computes it on values"):
        np.spacing(x)
    assert np.spacing(x.detach()).shape == (2,) and np.isnan(x).tolist() == [False, False]


def test_devices_and_math_modes() -> None:
    x = weft.asarray([1.0, 2.0]).to("thread:0")
    assert str(np.sin(x).device) == str(np.spacing(x).device) == str(np.add.reduce(x).device) == "thread:0"
    with weft.math_mode("error"), pytest.raises(MathError, match="sqrt"):
        np.sqrt(weft.asarray([-1.0])).item()


def test_an_error_names_the_users_line() -> None:
    with weft.math_mode("error"):
        made = np.log(weft.asarray([-1.0]))
    with pytest.raises(MathError, match="test_ufuncs"):
        made.item()


def test_operands_with_a_protocol_of_their_own_are_given_arrays() -> None:
    class Tagged:
        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **how: Any) -> Any:
            if any(isinstance(x, weft.Tensor) for x in inputs):
                return NotImplemented
            return [type(x).__name__ for x in inputs]

    assert np.add(Tagged(), weft.ones(2)) == ["Tagged", "ndarray"]
    with pytest.raises(TypeError):
        np.add(weft.ones(2), object())
    with pytest.raises(DTypeError, match="no weft counterpart"):
        np.add(weft.ones(1), np.zeros(1, "M8[s]"))
