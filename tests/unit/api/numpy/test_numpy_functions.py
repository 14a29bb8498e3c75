"""Functions that NumPy has beside the array API: its values and shapes for any dtype, rank, order and layout."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.cases import for_each
from tests.shares import examples
from weft.errors import DTypeError, IndexOutOfBounds, OutOfMemory, ShapeError, ValueRangeError

CODES = ["i1", "u2", ">i4", "f4", ">f8", "c8", "?"]
REAL = ["i1", "u2", ">i4", "f4", ">f8"]
INTEGERS = ["i1", "u2", ">i4", "i8"]


@st.composite
def arrays(draw, codes=CODES, least=1, most=3, nan=False, side=4, low=0):
    shape = tuple(draw(st.lists(st.integers(low, side), min_size=least, max_size=most)))
    size = int(np.prod(shape))
    a = np.asarray(draw(st.lists(st.integers(0, 9), min_size=size, max_size=size)), "f8").reshape(shape)
    code = draw(st.sampled_from(codes))
    if nan and np.dtype(code).kind == "f":
        a[a > 7] = np.nan
    a = a.astype(code)
    layouts = [lambda a: a, lambda a: a.T, lambda a: np.repeat(a, 2, axis=0)[::2], lambda a: a[::-1]]
    return draw(st.sampled_from(layouts))(a) if a.ndim else a


def same(got, wanted, close=False):
    """Results are equal, tuples part by part."""
    if isinstance(wanted, (tuple, list)):
        assert len(got) == len(wanted)
        for g, w in zip(got, wanted, strict=True):
            same(g, w, close)
        return
    got, wanted = np.asarray(got.numpy() if isinstance(got, weft.Tensor) else got), np.asarray(wanted)
    assert got.shape == wanted.shape
    if close:
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)
    else:
        np.testing.assert_array_equal(got, wanted)


def both(name, a, *args, close=False, **kwargs):
    """Call a function of both libraries with an array, and compare."""
    same(getattr(weft, name)(weft.asarray(a), *args, **kwargs), getattr(np, name)(a, *args, **kwargs), close)


quick = settings(max_examples=examples(20))


@quick
@given(a=arrays(nan=True), axis=st.sampled_from([None, 0, -1]), equal_nan=st.booleans())
def test_unique(a, axis, equal_nan):
    if axis is not None and not a.size:
        return
    flags = {"return_index": True, "return_inverse": True, "return_counts": True}
    got = weft.unique(weft.asarray(a), axis=axis, equal_nan=equal_nan, **flags)
    wanted = np.unique(a, axis=axis, equal_nan=equal_nan, **flags)
    same(got[0], wanted[0])
    same(got[1], wanted[1])
    same(got[2], wanted[2].reshape(got[2].shape))
    same(got[3], wanted[3])
    assert got[0].dtype.name == a.dtype.name
    same(weft.unique(weft.asarray(a)), np.unique(a))


@quick
@given(a=arrays(codes=REAL), b=arrays(codes=REAL))
def test_operations_of_sets(a, b):
    x, y = weft.asarray(a), weft.asarray(b)
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
        same(getattr(weft, name)(x, y), getattr(np, name)(a, b))
    same(weft.intersect1d(x, y, return_indices=True), np.intersect1d(a, b, return_indices=True))


@quick
@given(a=arrays(), data=st.data())
def test_append_insert_delete(a, data):
    axis = data.draw(st.sampled_from([None, *range(-a.ndim, a.ndim)]))
    n = a.size if axis is None else a.shape[axis]
    one = data.draw(st.integers(-n, n))
    several = data.draw(st.lists(st.integers(-n, n), max_size=3))
    both("append", a, a, axis=axis)
    both("insert", a, one, 7, axis=axis)
    both("insert", a, several, 7, axis=axis)
    if axis is None:
        values = list(range(len(several)))
        both("insert", a, several, values)
        both("insert", a, one, [1, 2, 3])
    if n:
        inside = [p for p in several if p < n]
        both("delete", a, inside, axis=axis)
        both("delete", a, min(one, n - 1), axis=axis)
    both("delete", a, slice(1, None, 2), axis=axis)
    both("delete", a, np.arange(n) % 2 == 0, axis=axis)


def test_many_insertions_and_deletions():
    a = np.random.default_rng(0).random((150, 3, 200))
    for axis, n in ((0, 150), (2, 200)):
        many = np.random.default_rng(1).integers(-n, n, 90)
        both("delete", a, many, axis=axis)
        both("delete", a, slice(None, None, -2), axis=axis)
        both("insert", a, many, 7.0, axis=axis)
    w = weft.ones(200).requires_grad_()
    weft.delete(w, slice(1, None, 2)).sum().backward()
    assert w.grad.tolist() == [1.0, 0.0] * 100


@quick
@given(a=arrays(least=1, most=1))
def test_ends_without_zeros(a):
    for trim in ("fb", "f", "b"):
        both("trim_zeros", a, trim)


@quick
@given(a=arrays(codes=REAL, least=2, most=2, low=1))
def test_blocks_and_parts(a):
    x = weft.asarray(a)
    nest = [[a, a[:, :1]], [a[:1], a[:1, :1]]]
    same(weft.block([[x, x[:, :1]], [x[:1], x[:1, :1]]]), np.block(nest))
    same(weft.block([1, x[0]]), np.block([1, a[0]]))
    alone, before = weft.block(x), a.copy()
    alone[0, 0] += 1
    same(x, before)
    for parts in (1, 2, 3, [1], [1, 3], [0, 9]):
        for axis in (0, 1):
            same(weft.array_split(x, parts, axis=axis), np.array_split(a, parts, axis=axis))


@quick
@given(shape=st.lists(st.integers(1, 5), min_size=1, max_size=4), order=st.sampled_from("CF"), data=st.data())
def test_numbers_and_indices_of_cells(shape, order, data):
    size = int(np.prod(shape))
    at = np.asarray(data.draw(st.lists(st.integers(0, size - 1), max_size=5)), "i8")
    by_axis = np.unravel_index(at, shape, order)
    same(weft.unravel_index(at, shape, order), by_axis)
    same(weft.ravel_multi_index(by_axis, shape, order=order), at)
    beyond = tuple([i * 3 - 2 for i in by_axis])
    for mode in ("wrap", "clip"):
        same(weft.ravel_multi_index(beyond, shape, mode, order), np.ravel_multi_index(beyond, shape, mode, order))


@quick
@given(n=st.integers(0, 4), m=st.integers(0, 4), k=st.integers(-3, 3))
def test_grids_and_triangles(n, m, k):
    same(weft.tril_indices(n, k, m), np.tril_indices(n, k, m))
    same(weft.triu_indices(n, k, m), np.triu_indices(n, k, m))
    same(weft.diag_indices(n), np.diag_indices(n))
    same(weft.indices((n, m)), np.indices((n, m)))
    same(weft.indices((n, m), sparse=True), np.indices((n, m), sparse=True))
    same(weft.identity(n), np.identity(n))
    same(weft.ix_([True, False], [0, 1]), np.ix_([True, False], [0, 1]))


@quick
@given(a=arrays())
def test_positions_of_cells(a):
    both("flatnonzero", a)
    both("atleast_3d", a)
    if a.ndim == 1:
        both("diagflat", a, k=-1)


@quick
@given(a=arrays(codes=REAL, least=2, most=2, low=1), b=st.booleans())
def test_orders_by_several_keys(a, b):
    keys = [a, a[::-1] % 2, a % 3]
    for axis in (0, -1):
        same(weft.lexsort([weft.asarray(k) for k in keys], axis=axis), np.lexsort(keys, axis=axis))
    same(weft.lexsort(weft.asarray(a)), np.lexsort(a))


@quick
@given(a=arrays(codes=["?", "u1", "i4"], side=11), order=st.sampled_from(["big", "little"]), data=st.data())
def test_bits(a, order, data):
    axis = data.draw(st.sampled_from([None, *range(-a.ndim, a.ndim)]))
    both("packbits", a, axis=axis, bitorder=order)
    packed = np.packbits(a, axis=axis, bitorder=order)
    for count in (None, 3, -2, 99):
        if packed.size:
            both("unpackbits", packed, axis=None if axis is None else axis, count=count, bitorder=order)


def test_writing_by_positions():
    a = np.arange(12.0).reshape(3, 4)
    x, y = weft.asarray(a.copy()), a.copy()
    at = np.asarray([[1], [0], [3]])
    weft.put_along_axis(x, at, 9.0, axis=1)
    np.put_along_axis(y, at, 9.0, axis=1)
    weft.fill_diagonal(x, 5)
    np.fill_diagonal(y, 5)
    same(x, y)
    z, c = weft.zeros((2, 2, 2)), np.zeros((2, 2, 2))
    weft.fill_diagonal(z, 1)
    np.fill_diagonal(c, 1)
    same(z, c)


METHODS = ["linear", "lower", "higher", "nearest", "midpoint", "hazen", "weibull", "median_unbiased"]


@quick
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@given(
    a=arrays(codes=["f4", ">f8", "i4"], nan=True, low=1), q=st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]), data=st.data()
)
def test_quantiles_of_numbers_alone(a, q, data):
    axis = data.draw(st.sampled_from([None, *range(-a.ndim, a.ndim)]))
    method = data.draw(st.sampled_from(METHODS))
    wide = a.astype("f8")
    x = weft.asarray(a)
    same(weft.nanquantile(x, q, axis=axis, method=method), np.nanquantile(wide, q, axis=axis, method=method), True)
    same(weft.nanmedian(x, axis=axis, keepdims=True), np.nanmedian(wide, axis=axis, keepdims=True), True)
    same(weft.nanpercentile(x, [0, 50], axis=axis), np.nanpercentile(wide, [0, 50], axis=axis), True)


@quick
@given(
    data=st.data(), rows=st.integers(1, 5), columns=st.integers(1, 5), code=st.sampled_from(["f8", ">f8", "c16", "i4"])
)
def test_least_squares(data, rows, columns, code):
    cells = data.draw(st.lists(st.integers(-5, 5), min_size=rows * (columns + 2), max_size=rows * (columns + 2)))
    cells = np.asarray(cells, "f8").reshape(rows, columns + 2).astype(code)
    a, b = cells[:, :columns], cells[:, columns:]
    got, wanted = weft.linalg.lstsq(weft.asarray(a), weft.asarray(b)), np.linalg.lstsq(a, b)
    assert got.rank.item() == wanted[2] and got.residuals.shape == wanted[1].shape
    np.testing.assert_allclose(got.solution.numpy(), wanted[0], rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(got.residuals.numpy(), wanted[1], rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(got.singular_values.numpy(), wanted[3], rtol=1e-9, atol=1e-9)
    vector = weft.linalg.lstsq(weft.asarray(a), weft.asarray(b[:, 0]))
    np.testing.assert_allclose(vector.solution.numpy(), wanted[0][:, 0], rtol=1e-7, atol=1e-7)


def test_exponentials_of_matrices():
    random = np.random.default_rng(5)
    for scale in (0.0, 1e-3, 1.0, 30.0):
        a = random.standard_normal((3, 4, 4)) * scale
        values, vectors = np.linalg.eig(a)
        wanted = (vectors * np.exp(values)[:, None, :] @ np.linalg.inv(vectors)).real if scale else np.eye(4) + 0 * a
        np.testing.assert_allclose(
            weft.linalg.expm(weft.asarray(a)).numpy(), wanted, rtol=1e-9, atol=1e-9 * wanted.max()
        )
    turn = weft.linalg.expm(weft.asarray([[0.0, -1.0], [1.0, 0.0]], dtype=weft.float32))
    np.testing.assert_allclose(turn.numpy(), [[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]], rtol=1e-5)
    x = weft.asarray([[1.0, 2.0], [0.0, 1.0]]).requires_grad_()
    weft.linalg.expm(x).sum().backward()
    step = 1e-6 * np.eye(2)[0][:, None] * np.eye(2)[1]
    rise = (
        weft.linalg.expm(weft.asarray(x.numpy() + step)).sum() - weft.linalg.expm(weft.asarray(x.numpy() - step)).sum()
    )
    np.testing.assert_allclose(x.grad.numpy()[0, 1], rise.item() / 2e-6, rtol=1e-6)


@quick
@given(a=arrays(codes=["f8", ">f4", "c16", "i4"], least=1, most=3, low=1), data=st.data())
def test_norms(a, data):
    x = weft.asarray(a)
    same(weft.linalg.norm(x), np.linalg.norm(a), True)
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    for order in (None, 1, 2, 3, np.inf, 0):
        same(weft.linalg.norm(x, order, axis, keepdims=True), np.linalg.norm(a, order, axis, keepdims=True), True)
    if a.ndim > 1:
        for order in (None, "fro", "nuc", 1, -1, np.inf, 2):
            same(weft.linalg.norm(x, order, (0, -1)), np.linalg.norm(a, order, (0, -1)), True)
            same(
                weft.linalg.norm(x, order, (0, 1), keepdims=True), np.linalg.norm(a, order, (0, 1), keepdims=True), True
            )


def test_condition_and_chains():
    a = np.asarray([[4.0, 1.0], [2.0, 3.0]])
    for p in (None, 2, -2, 1, np.inf, "fro"):
        same(weft.linalg.cond(weft.asarray(a), p), np.linalg.cond(a, p), True)
    parts = [np.ones((2, 3)), np.arange(12.0).reshape(3, 4), np.ones((4, 5)), np.arange(5.0)]
    for used in (parts, parts[:3], [parts[0][0], *parts[1:]]):
        same(weft.linalg.multi_dot([weft.asarray(p) for p in used]), np.linalg.multi_dot(used), True)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint32", "int64", "uint64"])
def test_powers_of_integers_fit(dtype):
    a = np.array([0, 1, 3, 13]).astype(dtype)
    assert weft.vander(weft.asarray(a)).tolist() == np.vander(a.astype(np.int64)).tolist()


@quick
@given(a=arrays(codes=["f8", "i4", "c16"], most=1), b=arrays(codes=["f8", "i4"], most=1, low=1))
def test_polynomials(a, b):
    x = weft.asarray(a)
    both("polyval", a, b, close=True)
    for name in ("polyadd", "polysub"):
        same(getattr(weft, name)(x, weft.asarray(b)), getattr(np, name)(a, b), True)
    if a.size:
        same(weft.polymul(x, b), np.polymul(a, b), True)
        both("polyder", a)
        both("polyint", a, 2, close=True)
        if a.dtype.kind != "c":
            both("vander", a, 3)
    found = weft.roots(x).numpy()
    assert found.shape == np.roots(a).shape
    if found.size:  # roots in some order: their polynomial is the one there was
        np.testing.assert_allclose(
            np.poly(found) * np.trim_zeros(a, "f")[0], np.trim_zeros(a, "f"), rtol=1e-6, atol=1e-6
        )
    same(weft.poly(x), np.atleast_1d(np.poly(a)), True)


@quick
@given(data=st.data(), degree=st.integers(0, 3), matrix=st.booleans(), weighted=st.booleans())
def test_fits(data, degree, matrix, weighted):
    x = np.asarray(data.draw(st.lists(st.integers(-9, 9), min_size=6, max_size=6, unique=True)), "f8")
    y = np.asarray(data.draw(st.lists(st.integers(-9, 9), min_size=12, max_size=12)), "f8").reshape(6, 2)
    y = y if matrix else y[:, 0]
    w = np.arange(1.0, 7.0) if weighted else None
    got = weft.polyfit(weft.asarray(x), weft.asarray(y), degree, w=w)
    np.testing.assert_allclose(got.numpy(), np.polyfit(x, y, degree, w=w), rtol=1e-6, atol=1e-6)


@quick
@given(a=arrays(codes=REAL, least=1, low=1), data=st.data())
def test_functions_of_lines(a, data):
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    x = weft.asarray(a)
    for f, g in (
        (lambda v: v.sum(), lambda v: v.sum()),
        (lambda v: v[::-1], lambda v: v[::-1]),
        (lambda v: weft.outer(v, v), lambda v: np.outer(v, v)),
    ):
        same(weft.apply_along_axis(f, axis, x), np.apply_along_axis(g, axis, a), True)
        same(weft.apply_along_axis(f, axis=axis, arr=x), np.apply_along_axis(g, axis=axis, arr=a), True)


@quick
@given(a=arrays(codes=REAL))
def test_conditions(a):
    x = weft.asarray(a)
    same(weft.select([x < 2, x > 5], [x, x * 0], 7), np.select([a < 2, a > 5], [a, a * 0], 7))
    functions = [lambda v: v + 1, 5, lambda v: v * 0]
    same(weft.piecewise(x, [x < 2, x > 5], functions), np.piecewise(a, [a < 2, a > 5], functions))
    same(weft.piecewise(x, [x < 2], [1]), np.piecewise(a, [a < 2], [1]))
    same(weft.piecewise(x, condlist=[x < 2], funclist=[1]), np.piecewise(a, condlist=[a < 2], funclist=[1]))


@quick
@given(a=arrays(codes=REAL, least=1), b=arrays(codes=["f8", "i2"], least=1, most=1))
def test_products(a, b):
    both("outer", a, b)
    if b.shape[-1:] == a.shape[-1:]:
        both("inner", a, b, close=True)
    both("inner", a, 3)
    both("vdot", a, a, close=True)
    both("vdot", a.astype("c16") * 1j, a, close=True)


@quick
@given(a=arrays(codes=["f8", ">f4"], least=1, low=1), data=st.data())
def test_further_functions(a, data):
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    both("unwrap", a * 1.5, axis=axis, close=True)
    both("unwrap", a, discont=4.0, axis=axis, close=True)
    both("unwrap", a, axis=axis, period=4.0, close=True)
    both("sinc", a - 2.5, close=True)
    both("heaviside", a - 3, 0.5)


@quick
@given(a=arrays(codes=INTEGERS), n=st.integers(-9, 9))
def test_divisors(a, n):
    both("gcd", a.astype("i8"), n)
    both("lcm", a.astype("i8"), n)


def test_divisors_are_lazy():
    x = weft.asarray([[4, 6], [9, 8]])
    made = [weft.gcd(x.T, x[0]), weft.lcm(x, 6)]
    assert all(m._place.node.value is None for m in made)
    x[...] = 0
    assert [m.tolist() for m in made] == [[[4, 3], [2, 2]], [[12, 6], [18, 24]]]


@pytest.mark.parametrize("shape", [(5, 2), (2, 5), (7, 2), (3, 3), (4, 1), (0, 2)])
def test_diagonals_that_begin_again(shape):
    wanted, x = np.zeros(shape), weft.zeros(shape)
    np.fill_diagonal(wanted, 3, wrap=True)
    weft.fill_diagonal(x, 3, wrap=True)
    same(x, wanted)
    np.fill_diagonal(x, 4, wrap=True)
    np.fill_diagonal(wanted, 4, wrap=True)
    same(x, wanted)


def test_windows():
    for n in (0, 1, 2, 7):
        for name in ("bartlett", "blackman", "hamming", "hanning"):
            same(getattr(weft, name)(n), getattr(np, name)(n))
        same(weft.kaiser(n, 8.6), np.kaiser(n, 8.6))


def test_cells_that_move_keep_their_gradients():
    x = weft.asarray([3.0, 1.0, 3.0]).requires_grad_()
    (weft.unique(x) * weft.asarray([10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [100.0, 10.0, 0.0]
    y = weft.asarray([1.0, 2.0]).requires_grad_()
    (weft.insert(y, 1, 5.0) * weft.asarray([1.0, 2.0, 4.0])).sum().backward()
    assert y.grad.tolist() == [1.0, 4.0]


X = weft.ones((2, 2))
FAULTS = {
    "insert": (lambda: weft.insert(X, 9, 1), IndexOutOfBounds, "insert: position 9 of an axis of size 4"),
    "insert kind": (lambda: weft.insert(X, [0.5], 1), DTypeError, "insert: positions of float64"),
    "delete": (lambda: weft.delete(X, -3, axis=0), IndexOutOfBounds, "delete: position -3 of an axis of size 2"),
    "delete mask": (lambda: weft.delete(X, [True], axis=0), ShapeError, "delete: a mask of shape (1,)"),
    "trim": (lambda: weft.trim_zeros(X), ValueRangeError, "trim_zeros: shape (2, 2), trim 'fb'"),
    "block": (lambda: weft.block([[X], X]), ShapeError, "block: lists nested [0, 1] deep side by side"),
    "block empty": (lambda: weft.block([]), ShapeError, "block: an empty list"),
    "split": (lambda: weft.array_split(X, 0), ShapeError, "array_split: 0 parts"),
    "many parts": (lambda: weft.array_split(X, 1 << 40), OutOfMemory, "array_split: 1099511627776 parts"),
    "unravel": (lambda: weft.unravel_index(6, (2, 3)), IndexOutOfBounds, "unravel_index: position 6 of 6"),
    "unravel order": (lambda: weft.unravel_index(0, 2, "K"), ValueRangeError, "unravel_index: order 'K'"),
    "ravel": (lambda: weft.ravel_multi_index(([2],), (2,)), IndexOutOfBounds, "ravel_multi_index: position 2 of 2"),
    "ravel count": (lambda: weft.ravel_multi_index(([2],), (2, 2)), ValueRangeError, "ravel_multi_index: 1 indices"),
    "indices": (lambda: weft.indices(()), ShapeError, "indices: shape ()"),
    "ix_": (lambda: weft.ix_(X), ShapeError, "ix_: positions of shape (2, 2)"),
    "diagonal": (lambda: weft.fill_diagonal([1], 1), ShapeError, "fill_diagonal: list"),
    "lexsort": (lambda: weft.lexsort([[1, 2], [1]]), ShapeError, "lexsort: keys of shapes (2,) and (1,)"),
    "packbits": (lambda: weft.packbits(X), DTypeError, "packbits: float64 cells"),
    "unpackbits": (lambda: weft.unpackbits([1]), DTypeError, "unpackbits: int64 cells"),
    "bit order": (lambda: weft.packbits([1], bitorder="up"), ValueRangeError, "packbits: bitorder 'up'"),
    "nanquantile": (lambda: weft.nanquantile(X, 0.5, method="?"), ValueRangeError, "nanquantile: method '?'"),
    "lstsq": (lambda: weft.linalg.lstsq(X, [1.0]), ShapeError, "lstsq: shapes (2, 2) and (1,)"),
    "expm": (lambda: weft.linalg.expm(X * weft.inf), ValueRangeError, "expm: a norm of inf"),
    "norm": (lambda: weft.linalg.norm(weft.ones((1, 1, 1)), 2), ShapeError, "norm: axes (0, 1, 2)"),
    "multi_dot": (lambda: weft.linalg.multi_dot([X]), ShapeError, "multi_dot: operands of ranks [2]"),
    "polyval": (lambda: weft.polyval(X, 1), ShapeError, "polyval: coefficients of shape (2, 2)"),
    "polyfit": (lambda: weft.polyfit([1.0], [1.0, 2.0], 1), ShapeError, "polyfit: x of shape (1,), y of shape (2,)"),
    "polyfit w": (lambda: weft.polyfit([1.0], [1.0], 0, w=[1.0, 2.0]), ShapeError, "polyfit: 2 weights for 1 points"),
    "polyder": (lambda: weft.polyder([1], -1), ValueRangeError, "polyder: derivative -1"),
    "polyint": (lambda: weft.polyint([1], -1), ValueRangeError, "polyint: integral -1"),
    "polyint without end": (lambda: weft.polyint([1], 10000), ValueRangeError, "polyint: integral 10000; each passes"),
    "vander": (lambda: weft.vander(X), ShapeError, "vander: shape (2, 2)"),
    "lines": (lambda: weft.apply_along_axis(3, 0, X), DTypeError, "apply_along_axis: int is no function"),
    "no lines": (
        lambda: weft.apply_along_axis(sum, 0, weft.ones((2, 0))),
        ShapeError,
        "apply_along_axis: shape (2, 0)",
    ),
    "select": (lambda: weft.select([], []), ShapeError, "select: 0 conditions and 0 choices"),
    "piecewise": (lambda: weft.piecewise(X, [X > 0], []), ShapeError, "piecewise: 1 conditions and 0 functions"),
    "gcd": (lambda: weft.gcd(X, 2), DTypeError, "gcd: float64 and int64"),
    "window": (lambda: weft.hanning(-1), ValueRangeError, "hanning: -1 cells"),
    "kaiser": (lambda: weft.kaiser(-1, 1.0), ValueRangeError, "kaiser: -1 cells"),
}


@for_each("name", FAULTS)
def test_faults(name):
    call, error, message = FAULTS[name]
    with pytest.raises(error, match=re.escape(message)):
        call()


def test_values_along_an_axis_are_named_as_numpys():
    x, a = weft.asarray([[10, 30, 20], [60, 40, 50]]), np.array([[10, 30, 20], [60, 40, 50]])
    weft.put_along_axis(x, [[1], [0]], values=99, axis=1)
    np.put_along_axis(a, np.array([[1], [0]]), values=99, axis=1)
    same(x, a)
