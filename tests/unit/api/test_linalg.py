"""Linear algebra against NumPy in the computing dtype: every function, dtype and layout; what is refused, and when."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.cases import for_each
from tests.shares import examples
from weft import linalg
from weft.errors import AxisError, DTypeError, LinAlgError, ShapeError, ValueRangeError, WriteError

pytestmark = pytest.mark.usefixtures("transformer")

WIDE = {"float16": "float32", "bfloat16": "float32", "complex32": "complex64"}
DTYPES = ["float16", "bfloat16", "float32", "float64", "complex32", "complex64", "complex128", "int32", "uint8"]
EPS = {
    "float16": 1e-3,
    "complex32": 1e-3,
    "bfloat16": 8e-3,
    "float32": 1e-6,
    "float64": 1e-14,
    "complex64": 1e-6,
    "complex128": 1e-14,
}


def slow(*values):
    return pytest.param(*values, marks=pytest.mark.slow)


def matrices(shape, dtype, seed=0):
    """Well-conditioned matrices, whose cells every dtype holds."""
    r = np.random.default_rng(seed)
    a = r.integers(0, 4, shape).astype(float)
    if dtype.startswith("complex"):
        a = a + 1j * r.integers(0, 4, shape)
    k = min(shape[-2:])
    a[..., range(k), range(k)] += 8
    return a


def given_as(a, dtype, layout):
    """The matrices as tensors that lie in memory in different ways."""
    x = weft.asarray(a, dtype=dtype)
    if layout == "big":
        return weft.asarray(x, dtype=weft.dtypes.to_numpy(x.dtype, "big")) if x.dtype.np.kind != "V" else x
    if layout == "strided":
        wide = weft.zeros((*a.shape[:-1], 2 * a.shape[-1]), dtype=dtype)
        wide[..., ::2] = x
        return wide[..., ::2]
    if layout == "transposed":
        return weft.asarray(np.swapaxes(a, -1, -2).copy(), dtype=dtype).mT
    if layout == "reversed":
        return weft.asarray(a[::-1, :, ::-1].copy() if a.ndim == 3 else a[::-1, ::-1].copy(), dtype=dtype)[
            (slice(None, None, -1), ..., slice(None, None, -1))
        ]
    return x + 0 if layout == "pending" else x


LAYOUTS = ["plain", "pending", "big", "strided", "transposed", "reversed"]


def wide(a, dtype):
    """The cells in the dtype that a function computes in."""
    if dtype in ("int32", "uint8"):
        return a.astype("float64")
    return a.astype(WIDE.get(dtype, dtype))


def check(got, want, dtype, scale=64):
    name = "float64" if dtype in ("int32", "uint8") else dtype
    got = np.asarray(got.astype(got.dtype.compute))
    assert got.shape == np.shape(want)
    size = max(1.0, float(np.abs(want).max())) if np.size(want) else 1.0
    assert np.abs(got - want).max(initial=0) <= scale * EPS[name] * size


SQUARE = {
    "cholesky": lambda a: np.linalg.cholesky(a),
    "det": np.linalg.det,
    "inv": np.linalg.inv,
    "svdvals": np.linalg.svdvals,
    "eigvalsh": np.linalg.eigvalsh,
    "pinv": np.linalg.pinv,
    "matrix_rank": np.linalg.matrix_rank,
}


@pytest.mark.parametrize(
    "dtype", [slow(d) if d in ("bfloat16", "complex64", "uint8", "float64") else d for d in DTYPES]
)
@for_each("name", SQUARE)
def test_functions_of_one_matrix_are_numpys(name, dtype):
    a = matrices((2, 3, 4, 4), dtype)
    if name in ("cholesky", "eigvalsh"):
        a = a + np.swapaxes(a, -1, -2).conj()
        a = a if name == "eigvalsh" else a + 32 * np.eye(4)
    got = getattr(linalg, name)(given_as(a, dtype, "plain"))
    real = name in ("svdvals", "eigvalsh")
    out = "float64" if dtype in ("int32", "uint8") else dtype
    assert got.dtype.name == ("int64" if name == "matrix_rank" else weft.result_type(out).real.name if real else out)
    check(got, SQUARE[name](wide(a, dtype)), dtype)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("shape", "dtype"), [((4, 4), "complex64"), ((5, 3), "float32"), ((3, 5), "complex128"),
                                              ((1, 1), "float64"), ((1, 3), "float32")])  # fmt: skip
def test_factors_multiply_to_the_matrix_however_it_lies(layout, shape, dtype):
    a = matrices((2, *shape), dtype)
    x = given_as(a, dtype, layout)
    q, r = linalg.qr(x)
    check(q @ r, a, dtype)
    check(weft.conj(q.mT) @ q, np.broadcast_to(np.eye(min(shape)), (2, min(shape), min(shape))), dtype)
    assert np.array_equal(np.tril(r.numpy(), -1), np.zeros(r.shape))
    u, s, vh = linalg.svd(x, full_matrices=False)
    check((u * s[:, None, :]) @ vh, a, dtype)
    assert s.dtype is x.dtype.real


@pytest.mark.parametrize("layout", LAYOUTS)
def test_results_do_not_depend_on_layout(layout):
    a = matrices((3, 4, 4), "float32")
    plain, other = weft.asarray(a, dtype="float32"), given_as(a, "float32", layout)
    for name in ("inv", "det", "eigvals"):
        assert np.array_equal(getattr(linalg, name)(plain).numpy(), getattr(linalg, name)(other).numpy())


@for_each("shape", [(4, 4), (5, 3), (3, 5), (0, 3), (3, 0), (0, 0)])
@for_each("full", [False, True])
def test_shapes_of_factors(shape, full):
    x = weft.zeros((2, *shape)) + 1.0
    m, n = shape
    k = min(shape)
    q, r = linalg.qr(x, mode="complete" if full else "reduced")
    assert (q.shape, r.shape) == (((2, m, m), (2, m, n)) if full else ((2, m, k), (2, k, n)))
    u, s, vh = linalg.svd(x, full_matrices=full)
    assert (u.shape, s.shape, vh.shape) == (((2, m, m), (2, k), (2, n, n)) if full else ((2, m, k), (2, k), (2, k, n)))
    assert np.allclose(weft.conj(u.mT) @ u, np.eye(u.shape[-1]), atol=1e-12)
    assert linalg.pinv(x).shape == (2, n, m) and linalg.matrix_rank(x).tolist() == [min(1, k)] * 2


@for_each("name", ["inv", "det", "eigvals", "cholesky", "eigvalsh"])
@for_each("shape", [(0, 0), (0, 3, 3), (2, 0, 0)])
def test_empty_matrices_and_stacks(name, shape):
    got = getattr(linalg, name)(weft.zeros(shape))
    want = getattr(np.linalg, name)(np.zeros(shape))
    assert got.shape == want.shape and np.array_equal(got.numpy(), want)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex32", "complex64", "complex128"])
def test_eigenvectors(dtype):
    a = matrices((2, 4, 4), dtype)
    values, vectors = linalg.eig(weft.asarray(a, dtype=dtype))
    to = {"float16": "complex32", "complex32": "complex32", "float64": "complex128", "complex128": "complex128"}
    to = to.get(dtype, "complex64")
    assert values.dtype.name == vectors.dtype.name == to
    values, vectors = (t.astype(t.dtype.compute) for t in (values, vectors))
    check(vectors * values[:, None, :], (wide(a, dtype) @ vectors.numpy()), dtype)
    symmetric = a + np.swapaxes(a, -1, -2).conj()
    values, vectors = linalg.eigh(weft.asarray(symmetric, dtype=dtype))
    assert values.dtype is vectors.dtype.real
    values, vectors = (t.astype(t.dtype.compute) for t in (values, vectors))
    check(vectors * values[:, None, :], wide(symmetric, dtype) @ vectors.numpy(), dtype)


def test_named_results():
    x = weft.eye(2)
    assert linalg.slogdet(x)._fields == ("sign", "logabsdet")
    assert linalg.qr(x)._fields == ("Q", "R") and linalg.svd(x)._fields == ("U", "S", "Vh")
    assert linalg.eigh(x)._fields == linalg.eig(x)._fields == ("eigenvalues", "eigenvectors")


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_slogdet(dtype):
    a = matrices((3, 4, 4), dtype)
    a[1] = 0
    sign, size = linalg.slogdet(weft.asarray(a, dtype=dtype))
    want = np.linalg.slogdet(a.astype(dtype))
    assert size.dtype is sign.dtype.real and size[1].item() == -np.inf and sign[1].item() == 0
    check(sign, want.sign, dtype)
    check(size[::2], want.logabsdet[::2], dtype)


def test_a_factorisation_is_computed_once_however_many_results_are_read(transformer):
    if transformer != "cpu":
        pytest.skip("the reference keeps no profile")
    for side in (4, 200):
        x = weft.asarray(matrices((side, side), "float64"))
        with weft.profile() as p:
            u, s, vh = linalg.svd(x)
            assert p.calls == 0
            s.numpy()
            ((u * s) @ vh).numpy()
            u[0].tolist()
        assert p.calls == 1 and [k.name for k in p.kernels].count("product") == 1


def test_results_are_tensors_of_their_own():
    q, r = linalg.qr(weft.asarray(matrices((3, 3), "float64")))
    before = r.numpy().copy()
    q[...] = 0
    assert not q.numpy().any() and np.array_equal(r.numpy(), before)


@for_each("a, b", [((4, 4), (4,)), ((4, 4), (4, 2)), ((3, 4, 4), (4,)), ((3, 4, 4), (2, 1, 4, 5)),
                                      ((2, 3, 4, 4), (4, 1)), ((0, 0), (0, 2)), ((3, 3), (3, 0))])  # fmt: skip
@for_each("dtype", ["float32", "complex128"])
def test_solve(a, b, dtype):
    left, right = matrices(a, dtype), np.random.default_rng(1).integers(0, 5, b).astype(dtype)
    x = linalg.solve(weft.asarray(left, dtype=dtype), weft.asarray(right))
    product = left @ x.numpy() if len(b) > 1 else (left @ x.numpy()[..., None])[..., 0]
    check(weft.asarray(product), np.broadcast_to(right, product.shape), dtype)


# ---- what LAPACK refuses
REFUSED = [
    ("inv", lambda a: linalg.inv(a), "is singular"),
    ("solve", lambda a: linalg.solve(a, weft.ones((4, 2))), "is singular"),
    ("cholesky", lambda a: linalg.cholesky(a), "is not positive definite"),
]


@pytest.mark.parametrize(("name", "call", "fact"), REFUSED)
def test_a_refused_matrix_is_named_with_the_line_that_asked(name, call, fact):
    a = np.broadcast_to(np.eye(4), (2, 3, 4, 4)).copy()
    a[1, 0] = 0
    x = call(weft.asarray(a))
    line = call.__code__.co_firstlineno
    with pytest.raises(LinAlgError, match=rf"{name}: matrix \(1, 0\) of the stack of shape .* {fact}; .*; ") as caught:
        (x * 2).numpy()
    assert len(caught.value.__notes__) == 1
    assert caught.value.__notes__[0].endswith(f"asked for at {__file__}:{line}")
    with pytest.raises(np.linalg.LinAlgError, match=rf"{name}: matrix of shape \(4, 4\) {fact}"):
        call(weft.asarray(a[1, 0])).numpy()


def test_of_two_calls_the_one_that_failed_is_named():
    good, bad = weft.asarray(np.eye(3)), weft.asarray(np.zeros((3, 3)))
    first = linalg.inv(good)
    second = linalg.inv(bad)
    line = test_of_two_calls_the_one_that_failed_is_named.__code__.co_firstlineno + 3
    for expression in (first + second, second + first):
        with pytest.raises(LinAlgError) as caught:
            expression.numpy()
        assert caught.value.__notes__[0].endswith(f":{line}")


@pytest.mark.parametrize("name", ["svd", "svdvals", "eigvals"])
def test_factorisations_that_do_not_converge_raise(name):
    with pytest.raises(LinAlgError, match=rf"{name}: matrix 1 of the stack"):
        found = getattr(linalg, name)(weft.asarray(np.stack([np.eye(3), np.full((3, 3), np.nan)])))
        (found[1] if name == "svd" else found).numpy()


ERRORS = [
    (lambda: linalg.inv(weft.ones(3)), ShapeError, r"inv: shape \(3,\); matrices have two axes"),
    (lambda: linalg.det(weft.ones((2, 3))), ShapeError, r"det: shape \(2, 3\); the last two axes of square"),
    (lambda: linalg.qr(weft.ones((2, 2), dtype=bool)), DTypeError, r"qr: bool cells; floats or complex"),
    (lambda: linalg.inv(weft.eye(2).astype("float8_e5m2")), DTypeError, r"inv: float8_e5m2 operands; the float8 kinds"),
    (lambda: linalg.qr(weft.ones((2, 2)), mode="r"), ValueRangeError, r"qr: mode 'r'; there are"),
    (lambda: linalg.solve(weft.ones((2, 2)), weft.ones(3)), ShapeError, r"solve: matrices of shape \(2, 2\)"),
    (lambda: linalg.cross(weft.ones(3), weft.ones(2)), ShapeError, r"cross: axis -1 of shapes \(3,\) and \(2,\)"),
    (lambda: linalg.cross(weft.ones(3), weft.ones((2, 3)), axis=0), ShapeError, r"cross: axis 0 of shapes"),
    (lambda: linalg.outer(weft.ones((2, 2)), weft.ones(2)), ShapeError, r"outer: shapes \(2, 2\) and \(2,\)"),
    (lambda: linalg.diagonal(weft.ones(2)), ShapeError, r"diagonal: shape \(2,\); matrices have"),
    (lambda: linalg.matrix_norm(weft.ones((2, 2)), ord=3), ValueRangeError, r"matrix_norm: ord 3; there are"),
    (lambda: linalg.vector_norm(weft.ones(2), axis=1), AxisError, r"vector_norm: axis 1"),
    (lambda: linalg.matrix_power(weft.ones((2, 2)), 1.5), DTypeError, r"matrix_power: n 1\.5; it must be an integer"),
    (lambda: linalg.gemm(1, weft.eye(2), weft.eye(2), transpose_b="X"), ValueRangeError, r"gemm: transpose_b 'X'"),
    (lambda: linalg.gemm(1, weft.eye(2), weft.eye(2), out=[[1]]), WriteError, "gemm: out= is a list"),
    (lambda: linalg.matrix_norm(weft.eye(2), ord=[1]), DTypeError, r"matrix_norm: \[1\] is no number"),
    (lambda: linalg.gemm(1, weft.eye(2), weft.eye(2), 2), ValueRangeError, r"gemm: beta without c"),
]  # fmt: skip


@for_each("call, error, message", ERRORS)
def test_refusals_before_computing(call, error, message):
    with pytest.raises(error, match=message):
        call()


# ---- norms and products
@for_each("ord", ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf])
@pytest.mark.parametrize(("dtype", "keepdims"), [("float16", True), ("complex128", False), slow("float32", True),
                                                 slow("int32", False)])  # fmt: skip
def test_matrix_norms(ord, dtype, keepdims):
    a = matrices((2, 3, 4), dtype)
    got = linalg.matrix_norm(weft.asarray(a, dtype=dtype), ord=ord, keepdims=keepdims)
    check(got, np.linalg.norm(wide(a, dtype), ord=ord, axis=(-2, -1), keepdims=keepdims), dtype)


@for_each("ord", [0, 1, 2, 3, 0.5, -1, -2.5, np.inf, -np.inf])
@for_each("axis, dtype", [(None, "bfloat16"), (0, "float64"), ((0, 2), "complex64"), (-1, "bfloat16")])
def test_vector_norms(ord, axis, dtype):
    a = matrices((3, 4, 2), dtype) + 1
    got = linalg.vector_norm(weft.asarray(a, dtype=dtype), ord=ord, axis=axis)
    assert got.dtype is weft.asarray(a, dtype=dtype).dtype.real
    axes = range(3) if axis is None else [axis] if isinstance(axis, int) else axis
    flat = np.moveaxis(wide(a, dtype), axes, range(len(axes)))
    flat = flat.reshape(-1, *flat.shape[len(axes) :])
    check(got, np.linalg.norm(flat, ord=ord, axis=0), dtype)


def test_norms_of_nothing():
    assert linalg.vector_norm(weft.zeros((0, 2)), axis=0).tolist() == [0, 0]
    assert linalg.vector_norm(weft.zeros((0, 2)), axis=0, ord=np.inf).tolist() == [0, 0]
    assert linalg.matrix_norm(weft.zeros((2, 0, 3)), ord=1).tolist() == [0, 0]
    assert linalg.matrix_norm(weft.zeros((2, 0, 3)), ord=2).tolist() == [0, 0]


@pytest.mark.parametrize("n", [-3, -1, 0, 1, 2, 5])
def test_matrix_power(n):
    a = matrices((2, 3, 3), "float64") / 8
    check(linalg.matrix_power(weft.asarray(a), n), np.linalg.matrix_power(a, n), "float64", 1000)
    whole = np.array([[1, 2], [3, 4]], np.int8)
    if n >= 0:
        assert np.array_equal(linalg.matrix_power(weft.asarray(whole), n), np.linalg.matrix_power(whole, n))


@pytest.mark.parametrize(("a", "b", "axis"), [((3,), (3,), -1), ((2, 3), (3,), -1), ((3, 2), (3, 1), -2),
                                              ((3, 4), (3, 4), 0), ((5, 1, 3), (4, 3), -1)])  # fmt: skip
def test_cross(a, b, axis):
    x, y = (np.random.default_rng(len(s)).integers(-9, 9, s) for s in (a, b))
    assert np.array_equal(linalg.cross(weft.asarray(x), weft.asarray(y), axis=axis), np.cross(x, y, axis=axis))


def test_parts_of_matrices():
    a = np.arange(24).reshape(2, 3, 4)
    for offset in (-2, 0, 1, 4):
        x = linalg.diagonal(weft.asarray(a), offset=offset)
        assert np.array_equal(x, np.linalg.diagonal(a, offset=offset))
        assert np.array_equal(linalg.trace(weft.asarray(a), offset=offset), np.linalg.trace(a, offset=offset))
    assert linalg.trace(weft.asarray(a), dtype="float32").dtype is weft.float32


def test_the_pseudo_inverse_of_what_is_not_finite_is_not_made_of_zeros():
    x = weft.asarray([[np.inf, 1.0], [1.0, 1.0]])
    try:
        found = linalg.pinv(x).numpy()
    except LinAlgError:  # as some LAPACKs have it
        return
    assert np.isnan(found).all()


def test_rtol_may_differ_for_each_matrix():
    a = np.stack([np.diag([1.0, 0.1])] * 2)
    assert linalg.matrix_rank(weft.asarray(a), rtol=weft.asarray([0.01, 0.5])).tolist() == [2, 1]
    got = linalg.pinv(weft.asarray(a), rtol=weft.asarray([0.01, 0.5]))
    check(got, np.stack([np.diag([1.0, 10.0]), np.diag([1.0, 0.0])]), "float64")


# ---- gemm
OPS = {"N": lambda a: a, "T": lambda a: np.swapaxes(a, -1, -2), "C": lambda a: np.swapaxes(a, -1, -2).conj()}


@for_each("ta", OPS)
@for_each("tb", OPS)
@pytest.mark.parametrize(("dtype", "layout"), [("int8", "big"), ("float32", "strided"), ("complex64", "reversed"),
                                               slow("float16", "pending"), slow("float64", "big")])  # fmt: skip
def test_gemm(ta, tb, dtype, layout):
    a, b = matrices((2, 3), dtype), matrices((3, 4), dtype, 1)
    c = np.arange(8.0).reshape(2, 4)
    x = given_as(np.ascontiguousarray(OPS[ta](a).conj() if ta == "C" else OPS[ta](a)), dtype, layout)
    y = given_as(np.ascontiguousarray(OPS[tb](b)), dtype, layout)
    got = linalg.gemm(2, x, y, 3, weft.asarray(c, dtype=dtype), transpose_a=ta, transpose_b=tb)
    left = a.conj() if ta == "C" else a
    want = 2 * (left @ OPS[tb](OPS[tb](b))) + 3 * c
    assert got.dtype.name == dtype
    check(
        got, want if dtype != "int8" else want.astype(np.int64).astype(np.int8), dtype if dtype != "int8" else "int32"
    )


def test_gemm_over_stacks():
    a, b = matrices((2, 2), "float64"), matrices((2, 3), "float64", 1)
    got = linalg.gemm(weft.asarray([1.0, 2.0, 3.0]), weft.asarray(a), weft.asarray(b))
    assert np.array_equal(got, np.stack([a @ b, 2 * (a @ b), 3 * (a @ b)]))
    v = np.array([1.0, 2.0])
    got = linalg.gemm(weft.asarray([1.0, 2.0]), weft.asarray(a), weft.asarray(v), weft.asarray([[1.0], [0.0]]), v)
    assert np.array_equal(got, np.stack([np.stack([a @ v + v, 2 * a @ v + v]), np.stack([a @ v, 2 * a @ v])]))


@pytest.mark.parametrize("dtype", ["float32", ">f8", "complex64"])
def test_gemm_into_a_destination(dtype):
    a, v = matrices((2, 2), "float64"), np.array([1.0, 2.0])
    out = weft.zeros((3, 4), dtype=dtype)
    assert linalg.gemm(1, weft.asarray(a), weft.asarray(v), out=out[:, ::2]) is not None
    assert np.array_equal(out[:, ::2], np.stack([a @ v] * 3)) and not out[:, 1::2].numpy().any()
    c = weft.asarray(np.ones((2, 2)))
    linalg.gemm(1, c, weft.asarray(a), 10, c, out=c)
    assert np.array_equal(c, np.ones((2, 2)) @ a + 10)


def test_gemm_of_vectors_numbers_bools_and_nothing():
    v, a = weft.asarray([1, 2, 3]), weft.asarray(np.arange(6).reshape(2, 3))
    assert linalg.gemm(1, a, v).tolist() == [8, 26] and linalg.gemm(1, v, a, transpose_b="T").tolist() == [8, 26]
    assert linalg.gemm(1, v, v, transpose_a="C").item() == 14
    assert linalg.gemm(2, 3, v).tolist() == [6, 12, 18] and linalg.gemm(1, v, weft.asarray(2)).tolist() == [2, 4, 6]
    t, f = True, False
    x = weft.asarray([[t, f], [f, f]])
    assert linalg.gemm(t, x, x, t, weft.asarray([[f, f], [f, t]])).tolist() == [[t, f], [f, t]]
    assert (x @ x).tolist() == [[t, f], [f, f]] and (x @ x).dtype is weft.bool
    assert linalg.gemm(1, weft.zeros((2, 0)), weft.zeros((0, 3)), 2, weft.ones((2, 3))).tolist() == [[2] * 3] * 2
    assert linalg.gemm(1, weft.zeros((0, 5)), weft.zeros(5)).shape == (0,)
    nan = weft.asarray([[np.nan]])
    assert linalg.gemm(1, weft.eye(1), weft.eye(1), 0, nan).tolist() == [[1.0]]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_gemm_of_halves_is_rounded_once(dtype):
    a = np.random.default_rng(2).integers(-8, 9, (6, 6)) / 8
    x = weft.asarray(a, dtype=dtype)
    want = weft.asarray((0.3 * (a @ a) - 1.7 * a).astype("float32")).astype(dtype)
    got = linalg.gemm(weft.asarray(0.3), weft.asarray(a, dtype=dtype), x, -1.7, x)
    assert got.dtype is weft.float64
    got = linalg.gemm(0.3, x, x, -1.7, x)
    assert got.dtype is x.dtype and got.tolist() == want.tolist()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_what_takes_several_products_of_halves_is_rounded_once(dtype):
    x = weft.asarray(np.random.default_rng(3).normal(size=(3, 3))).astype(dtype)
    a = x.astype("float64").numpy()
    want = weft.asarray(a @ a @ a @ a @ a).astype(dtype)
    assert linalg.matrix_power(x, 5).tolist() == want.tolist()
    assert linalg.cross(x[0], x[1]).tolist() == weft.asarray(np.cross(a[0], a[1])).astype(dtype).tolist()


def test_gemm_is_computed_in_the_join_of_all():
    x, c = weft.asarray([[100]], dtype="int8"), weft.asarray([[1 / 3]], dtype="float16")
    assert linalg.gemm(1, x, x, 1, weft.asarray([[1]])).tolist() == [[10001]]
    third = float(c.item())
    assert linalg.gemm(1.0, weft.ones((1, 1)), weft.ones((1, 1)), 3.3, c).tolist() == [[1 + 3.3 * third]]


@pytest.mark.parametrize("dtype", ["bool", "int64", "float32"])
@pytest.mark.parametrize("one", [1.0, 1 + 0j])
def test_the_kind_of_a_scale_of_gemm_says_the_dtype_whatever_its_value(one, dtype):
    x = weft.ones((1, 1), dtype=dtype)
    assert linalg.gemm(one, x, x).dtype is linalg.gemm(2 * one, x, x).dtype
    assert linalg.gemm(1, x, x, one, x).dtype is linalg.gemm(1, x, x, 2 * one, x).dtype


# ---- exact integers
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("shapes", [((40, 700), (700, 40)), ((2, 33, 34), (34, 35)), ((64, 600), (600,)),
                                    ((600,), (600, 64)), ((64, 2), (2, 300))])  # fmt: skip
def test_integer_products_wrap_exactly(dtype, shapes):
    info = np.iinfo(dtype)
    r = np.random.default_rng(5)
    a, b = (r.integers(info.min, info.max, s, dtype=dtype, endpoint=True) for s in shapes)
    assert np.array_equal(weft.asarray(a) @ weft.asarray(b), a @ b)
    few = [x % 3 for x in (a, b)]
    assert np.array_equal(weft.asarray(few[0]) @ weft.asarray(few[1]), few[0] @ few[1])


@settings(max_examples=examples(10))
@given(
    st.sampled_from(["int32", "uint64", "int64"]),
    st.integers(1, 3),
    st.sampled_from([1, 511, 512, 513, 1025]),
    st.integers(0, 2**32),
)
def test_integer_products_at_the_seams_of_blocks(dtype, rows, inner, seed):
    info = np.iinfo(dtype)
    r = np.random.default_rng(seed)
    ends = np.array([info.min, info.max, 0, 1, info.max // 2], dtype)
    a, b = r.choice(ends, (rows * 16, inner)), r.choice(ends, (inner, 65))
    assert np.array_equal(weft.asarray(a) @ weft.asarray(b), a @ b)


HELD = [[[np.inf, 1.0], [0.0, 1.0]], [[np.nan, 1.0], [0.0, 1.0]], [[1.0, -np.inf], [2.0, 3.0]]]
OF_SINGULAR_VALUES = {
    "rank": linalg.matrix_rank, "pinv": linalg.pinv, "norm": lambda x: linalg.matrix_norm(x, ord=2),
    "nuclear norm": lambda x: linalg.matrix_norm(x, ord="nuc"), "values": linalg.svdvals,
    "vectors": lambda x: linalg.svd(x).U,
}  # fmt: skip


@for_each("name", OF_SINGULAR_VALUES)
@for_each("matrix", HELD)
def test_matrices_that_hold_nan_or_inf_have_no_singular_values(name, matrix):
    for x, which in ((matrix, r"matrix of shape \(2, 2\)"), ([np.eye(2).tolist(), matrix], "matrix 1 of the stack")):
        with pytest.raises(
            LinAlgError, match=rf"svd(vals)?: {which} .*has no singular values .* look for NaN and inf in it"
        ):
            OF_SINGULAR_VALUES[name](weft.asarray(x)).realize()


def test_solve_names_the_shape_that_was_given() -> None:
    with pytest.raises(weft.errors.ShapeError, match=r"right sides of shape \(2,\)"):
        weft.linalg.solve(weft.ones((3, 3)), weft.ones(2))
