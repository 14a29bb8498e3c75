"""Keywords that only NumPy's functions have (`where=`, `initial=`, `dtype=`): with weft's functions and NumPy's."""

from typing import Any

import numpy as np
import pytest

import weft
from tests.cases import for_each
from tests.refusals import refusals
from tests.shares import in_turn
from weft.errors import ArgumentError, AxisError, DTypeError, GradientError, ShapeError, ValueRangeError

A = np.random.default_rng(0).random(10)
B = np.asarray([0.0, 1, 2, 0, 3, 4, 5, 6, 7, 8])
M = np.random.default_rng(1).random((4, 5))
I = np.arange(10)
CALLS = """
divide(a, b, out=zeros_like(a), where=b != 0)
divide(a, b, where=b != 0, out=ones(10))
log(a, where=a > 0.5, out=zeros(10))
add(a, b, zeros(10), where=b > 0)
add(i, i, dtype=float32)
add(i, 1, dtype="int8", casting="unsafe")
sqrt(i, dtype=float)
sin(range(4), dtype="f4")
add(range(4), 1, dtype="f4")
sqrt(3, dtype="f4")
add(1, 2, dtype="f4")
floor(3, dtype="f4")
multiply(a, b, out=zeros(10, dtype=int), casting="unsafe")
greater(a, b, out=zeros(10, bool), where=a > 0.5)
isnan(a, where=a > 0.5, out=zeros(10, bool))
logical_and(a > 0.5, b > 0, where=a > 0.2, out=zeros(10, bool))
power(a, 2, where=a > 0.5, out=zeros(10))
floor_divide(i, i[::-1].copy(), out=zeros(10, int), where=i[::-1] != 0)
invert(i, where=i > 2, out=zeros(10, int))
reciprocal(b, where=b != 0, out=zeros(10))
rint(a, where=a > 0.4, out=zeros(10))
heaviside(a, 0.5, out=zeros(10))
divmod(i, 3, where=i > 3, out=(zeros(10, int), zeros(10, int)))
modf(a, out=(zeros(10), zeros(10)))
sum(a, where=a > 0.5)
sum(m, axis=0, where=m > 0.5, initial=1)
sum(m, 0, where=m[0] > 0.5, keepdims=True)
sum(i, initial=5)
sum(i, initial=2.5)
sum(a, dtype=float32, initial=1.5)
sum(i > 3, where=i > 2)
mean(m, axis=1, where=m > 0.2)
mean(i, where=i > 4)
mean(i, where=i > 4, dtype=float32)
mean(a * 1j, where=a > 0.5)
std(m, axis=1, where=m > 0.2)
var(m, axis=1, where=m > 0.2, ddof=1)
var(m, axis=(0, 1), where=m > 0.2, keepdims=True, out=zeros((1, 1)))
var(a * 1j + b, where=a > 0.5)
var(m, axis=0, mean=mean(m, axis=0, keepdims=True))
max(a, initial=2, where=a < 0.5)
max(a, where=a < 0.5, initial=-inf, out=zeros(()))
min(m, axis=0, initial=10.0, where=m > 0.5)
max(a[:0], initial=0)
max(m[:0], axis=0, initial=3)
prod(m, axis=0, where=m > 0.5, initial=2)
all(m > 0.1, where=m > 0.05, axis=0)
all(b, where=b > 0)
any(m > 0.1, where=[True, False, True, False, True])
nansum(m, where=m > 0.5)
nanmean(m, where=m > 0.2, axis=0)
nanmax(m, where=m > 0.5, axis=0, initial=0.1)
take(a, [-1, 12, 3], mode="wrap")
take(a, [-1, 12, 3], mode="clip")
take(m, [[7, 1], [2, -3]], axis=1, mode="wrap")
take(m, [7, 21], mode="wrap", out=zeros(2))
stack([a, b], out=zeros((2, 10)))
concatenate([a, i], dtype=float32, casting="same_kind")
vstack([a, i], dtype=float32)
cov(m, aweights=[1, 2, 3, 4, 5])
cov(m, fweights=[1, 2, 3, 4, 5])
percentile(a, 30, weights=b, method="inverted_cdf")
linspace([1, 2], [3, 4], 5, axis=1)
geomspace(1, 100, 5, dtype=int)
nan_to_num(a, copy=False)
einsum(a, [0], b, [0], [0])
einsum(m, [0, 1], m, [0, 2], [1, 2])
einsum(m, [0, 1], m, [2, 1])
einsum(m, [5, 3])
einsum(m, [Ellipsis, 30], [30, Ellipsis])
pad(a, 3, mode="mean")
pad(i, 3, "mean", stat_length=2)
pad(a, (2, 3), mode="maximum")
pad(m, ((1, 2), (3, 1)), mode="minimum", stat_length=((1, 2), (2, 2)))
pad(m, 2, mode="median")
pad(a, (2, 3), mode="linear_ramp", end_values=(5, -4))
pad(a, 3, mode="empty")[3:-3]
pad(a, 3, "reflect", reflect_type="odd")
lib.stride_tricks.as_strided(a, shape=(8, 3), strides=(8, 8))
lib.stride_tricks.as_strided(a[::-2], (3, 2), (-16, 0))
lib.stride_tricks.as_strided(m, (2, 2))
split(a, [3, 5])[1]
split(m, [1, 3], axis=1)[2]
"""
METHODS = """
a.sum(where=a > 0.5)
a.sum(axis=0, dtype=float32, initial=2)
m.sum(0, where=m > 0.5, keepdims=True)
m.mean(1, where=m > 0.2)
m.std(axis=0, where=m > 0.1, ddof=1)
a.max(initial=0.9)
a.take([11, 2], mode="wrap")
m.any(where=m > 0.9, axis=0)
"""


def lines(text: str) -> list[str]:
    """Return the calls of a text, one in each line."""
    return text.strip().splitlines()


def leaves(found: Any) -> list[np.ndarray]:
    """Return the numbers and arrays of a result as arrays."""
    return [np.asarray(x) for x in (found if isinstance(found, (list, tuple)) else [found])]


def compared(call: str, space: Any, library: Any) -> None:
    """Compare a call's results with NumPy's; its arguments are those of `library`, its function is found in `space`."""
    made = []
    for functions, values in ((np, np), (space, library)):
        scope = {name: getattr(values, name) for name in dir(np) if name in call and hasattr(values, name)}
        scope |= {"f": functions, **{k: values.asarray(v.copy()) for k, v in zip("abmi", (A, B, M, I), strict=True)}}
        with np.errstate(all="ignore"):
            made.append(leaves(eval(call, scope)))
    for theirs, ours in zip(*made, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@for_each("call", lines(CALLS))
@pytest.mark.parametrize("space", [weft, np], ids=["weft", "numpy"])
def test_functions_take_what_numpys_take(space: Any, call: str) -> None:
    if space is weft or "as_strided" not in call:
        compared(f"f.{call}", space, weft)


@for_each("call", lines(METHODS))
def test_methods_take_what_numpys_take(call: str) -> None:
    compared(call, weft, weft)


MASK = np.random.default_rng(3).random((5, 7)) > 0.4
MASKS = {"all cells": (None, MASK), "columns": (0, MASK), "rows": (1, MASK[:1]), "both axes": ((0, 1), MASK[:, :1])}
MASKED = ["sum", "prod", "mean", "var", "std", "nansum", "nanmean", "all", "any"]


@pytest.mark.parametrize(
    ("dtype", "name", "of"), in_turn(["?", "i1", "u2", ">i4", "f2", "f4", ">f8", "c8"], MASKED, MASKS, every=4)
)
def test_masks_of_reductions_of_every_dtype(dtype: str, name: str, of: str) -> None:
    if dtype == "?" and name in ("var", "std"):
        pytest.skip("not defined")
    a, (axis, mask) = (np.random.default_rng(2).random((5, 7)) * 3).astype(dtype), MASKS[of]
    wanted = getattr(np, name)(a, axis=axis, where=mask)
    found = getattr(weft, name)(weft.asarray(a), axis=axis, where=mask).numpy()
    assert found.dtype == wanted.dtype.newbyteorder("=")
    np.testing.assert_allclose(found, wanted, rtol=4e-3 if dtype == "f2" else 1e-5)


def test_a_mask_that_selects_nothing_leaves_what_numpy_gives() -> None:
    x, none = weft.asarray([[1.0, 2.0]]), [[False, False]]
    assert weft.sum(x, where=none).item() == 0 and weft.all(x, where=none) and not weft.any(x, where=none)
    assert weft.isnan(weft.mean(x, where=none)) and weft.isnan(weft.var(x, where=none))


def test_nothing_is_computed_where_weft_has_what_it_takes() -> None:
    x = weft.asarray(M)
    makes = [
        lambda: weft.divide(x, x, where=x > 0.5),
        lambda: weft.add(x, 1, dtype=weft.float32),
        lambda: x.sum(where=x > 0.5, initial=1),
        lambda: x.std(axis=0, where=x > 0.5),
        lambda: weft.max(x, initial=0, where=x < 0.5),
        lambda: weft.take(x, [9], mode="wrap"),
    ]
    with weft.strict("allow") as report:
        assert all(make()._place.node.value is None for make in makes)
        assert not [act for act in report if act.act == "numpy"]


def test_gradients_flow_through_masks_and_end_in_values() -> None:
    x = weft.asarray([1.0, 2.0, 4.0]).requires_grad_()
    weft.log(x, where=[True, False, True]).sum(initial=3.0).backward()
    assert x.grad is not None and x.grad.tolist() == [1.0, 0.0, 0.25]
    with pytest.raises(GradientError):
        weft.pad(x, 1, "mean")


def test_views_by_strides_are_views() -> None:
    x = weft.zeros(6)
    windows = weft.lib.stride_tricks.as_strided(x[1:], shape=(2, 2), strides=(8, 8))
    windows[0, 1] = 3
    assert x.tolist() == [0, 0, 3, 0, 0, 0]
    assert weft.lib.stride_tricks.as_strided(x, writeable=False).read_only


X = weft.asarray(M)
test_messages = refusals(
    {
        "a mode": (
            lambda: weft.log(X, where=X > 1, mode="warn"),
            ArgumentError,
            "log: both mode= and where=, which only",
        ),
        "a mask of integers": (lambda: weft.sum(X, where=[1, 2, 3, 4, 5]), DTypeError, "a condition of dtype int64"),
        "no least value": (lambda: weft.max(X, where=X > 1), ValueRangeError, "max: .* one has to specify 'initial'"),
        "an axis": (lambda: weft.sum(X, where=X > 1, axis=7), AxisError, "sum: axis 7 of a tensor of rank 2"),
        "casting": (lambda: weft.add(X, 1, dtype="i1"), ArgumentError, "add: Cannot cast ufunc .*numpy.add takes"),
        "kinds": (lambda: weft.add(X, 1, where=X > 1, out=weft.zeros((4, 5), dtype="i4")), DTypeError, "add: float64"),
        "no operand": (lambda: weft.sum(initial=3), ArgumentError, "sum: no x"),
        "no mode": (lambda: weft.take(X, [1], mode="foo"), ValueRangeError, "take: .* give what numpy.take takes"),
        "a length": (lambda: weft.pad(X, 1, "mean", stat_length=-1), ValueRangeError, "pad: index can't"),
        "a letter": (lambda: weft.einsum(X, [0, "a"]), DTypeError, "einsum: number of an axis 'a'"),
        "a number": (lambda: weft.einsum(X, [0, 52]), ValueRangeError, "einsum: the number 52 of an axis; .* 0 to 51"),
        "strides": (
            lambda: weft.lib.stride_tricks.as_strided(X, (3, 9), (40, 40)),
            ShapeError,
            ": cells of shape",
        ),
    }
)
