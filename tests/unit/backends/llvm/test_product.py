"""Products of matrices as native code: the order of each cell's additions, in any layout, stack and tile."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.shares import examples
from weft.backends.llvm.folds import product_stack, product_tables
from weft.backends.llvm.folds.product_driver import PRODUCT, block_height
from weft.backends.llvm.folds.product_plan import Product, product_of
from weft.backends.llvm.folds.product_tables import lower_product, multiply
from weft.backends.llvm.folds.product_tile import LINE, NEAR, tile_shape
from weft.dtypes import float32, from_numpy
from weft.ir.graph.description import FIXED_ORDER
from weft.ir.kernels.plan import CallStep, Operand

SIZES = st.sampled_from([1, 2, 3, 5, 13, 14, 15, 16, 17, 31, 33, 100, 257, 300])
STACKS = st.sampled_from(
    [((), ()), ((3,), (3,)), ((3,), ()), ((), (2,)), ((2, 1), (3,)), ((2, 3), (2, 3)), ((3,), (1,))]
)


def product(a: np.ndarray, b: np.ndarray, attrs: tuple[str, str] = FIXED_ORDER) -> np.ndarray:
    """The product of two arrays."""
    out = np.full(np.matmul(a, b).shape, np.nan, a.dtype)
    multiply(out, a, b, attrs)
    return out


def laid(data: st.DataObject, x: np.ndarray) -> np.ndarray:
    """The same cells in another layout: transposed, backwards, or apart."""
    way = data.draw(st.sampled_from(["as it is", "turned", "backwards", "apart"]))
    if way == "turned":
        return np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)
    if way == "backwards":
        return x[..., ::-1, ::-1].copy()[..., ::-1, ::-1]
    return x.repeat(3, -1)[..., ::3] if way == "apart" else x


@settings(max_examples=examples(80), deadline=None)
@given(st.data(), SIZES, SIZES, SIZES, STACKS, st.sampled_from([np.float32, np.float64]))
def test_layouts_and_stacks_show_in_no_bit(
    data: st.DataObject, m: int, k: int, n: int, stacks: tuple[tuple[int, ...], tuple[int, ...]], dtype: type
) -> None:
    rng = np.random.default_rng(m * k + n)
    a, b = (rng.standard_normal((*s, *shape)).astype(dtype) for s, shape in zip(stacks, ((m, k), (k, n)), strict=True))
    found = product(laid(data, a), laid(data, b))
    assert np.allclose(found, a @ b, rtol=1e-3, atol=1e-3 if dtype is np.float32 else 1e-10)
    turned = np.empty((*found.shape[:-2], n, m), dtype).swapaxes(-1, -2)
    multiply(turned, a, b)
    assert np.array_equal(turned, found)
    i, j = data.draw(st.integers(0, m - 1)), data.draw(st.integers(0, n - 1))
    assert np.array_equal(product(a[..., i : i + 1, :], b[..., :, j : j + 1])[..., 0, 0], found[..., i, j])


@settings(max_examples=examples(60), deadline=None)
@given(
    st.data(), SIZES, SIZES, SIZES, STACKS,
    st.sampled_from(["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool"]),
)  # fmt: skip
def test_integers_wrap_as_numpys_do(
    data: st.DataObject, m: int, k: int, n: int, stacks: tuple[tuple[int, ...], tuple[int, ...]], dtype: str
) -> None:
    rng = np.random.default_rng(m * k + n)
    a, b = (
        rng.integers(0, 256, (*s, *shape, np.dtype(dtype).itemsize), np.uint8).view(dtype)[..., 0]
        if dtype != "bool"
        else rng.integers(0, 9, (*s, *shape)) == 0
        for s, shape in zip(stacks, ((m, k), (k, n)), strict=True)
    )
    x, y = (weft.asarray(laid(data, each)) for each in (a, b))
    assert np.array_equal(weft.matmul(x, y), np.matmul(a, b))
    column = b.reshape(-1)[:k]
    assert np.array_equal(weft.matmul(x, weft.asarray(column)), np.matmul(a, column))
    swapped = weft.asarray(a.astype(a.dtype.newbyteorder()))
    assert np.array_equal(weft.matmul(swapped, y), np.matmul(a, b))


def test_true_terms_beyond_what_32_bits_count_to_are_true() -> None:
    many = weft.broadcast_to(weft.asarray(True), (1, 1 << 32))
    assert "int32" not in str(weft.explain(weft.matmul(many, many.T)))


@pytest.mark.parametrize("inner", [1, 255, 257, 3000])
def test_a_cell_adds_chains_in_rising_order(inner: int) -> None:
    rng = np.random.default_rng(inner)
    a, b = rng.standard_normal((20, inner)), rng.standard_normal((inner, 40))
    found = product(a, b, ("C", "C"))
    for i, j in ((0, 0), (17, 39)):
        total, pairs = 0.0, [*zip(a[i].tolist(), b[:, j].tolist(), strict=True)]
        for first in range(0, inner, 256):
            chain = 0.0
            for x, y in pairs[first : first + 256]:
                chain = float(Fraction(x) * Fraction(y) + Fraction(chain))
            total += chain
        assert found[i, j] == total


def test_sums_beyond_what_a_float_counts_to_are_right() -> None:
    a = np.ones((2, 1 << 25), np.float32)
    assert (product(a, a.T, ("C", "C")) == 1 << 25).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tiles_of_other_processors_give_the_same_bits(dtype: type, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((77, 300)).astype(dtype), rng.standard_normal((300, 150)).astype(dtype)
    stacks = [rng.standard_normal((40, *shape)).astype(dtype) for shape in ((13, 20), (20, 15))]
    bits = []
    for shape in ((14, 2), (6, 1)):
        product_tables._entry.cache_clear()
        for module in (product_tables, product_stack):
            monkeypatch.setattr(module, "tile_shape", lambda shape=shape: shape)
        bits.append(product(a, b).tobytes() + product(*stacks).tobytes())
    product_tables._entry.cache_clear()
    assert bits[0] == bits[1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_few_rows_by_wide_matrices_write_each_column_once(dtype: type) -> None:
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((420, 600)).astype(dtype), rng.standard_normal((600, 776)).astype(dtype)
    whole = product(a, b)
    for rows in (*range(1, 14), 16, 30):
        for columns in (7, 16, 17, 33, 49, 64, 65, 97, 150, 300):
            found = product(a[:rows].copy(), b[:, :columns].copy())
            assert np.array_equal(found, whole[:rows, :columns])


@settings(max_examples=examples(40), deadline=None)
@given(st.data(), st.sampled_from([1, 33, 65, 100, 257, 300, 700]), SIZES, st.sampled_from([np.float32, np.float64]))
def test_symmetric_products_have_the_bits_of_others(data: st.DataObject, n: int, k: int, dtype: type) -> None:
    lead = data.draw(st.sampled_from([(), (3,)]))
    x = laid(data, np.random.default_rng(n + k).standard_normal((*lead, n, k)).astype(dtype))
    apart = x.swapaxes(-1, -2).copy()
    found = product(x, x.swapaxes(-1, -2), ("C", "C"))
    assert np.array_equal(found, product(x, apart, ("C", "C")))
    assert np.array_equal(found, found.swapaxes(-1, -2))


def test_symmetric_products_leave_no_trace_of_threads() -> None:
    x = weft.asarray(np.random.default_rng(6).standard_normal((300, 900)).astype(np.float32))
    threads, found = weft.get_num_threads(), []
    try:
        for count in (1, 3):
            weft.set_num_threads(count)
            found.append((x.T @ x).numpy().tobytes())
    finally:
        weft.set_num_threads(threads)
    assert found[0] == found[1] == (x.T @ weft.copy(x)).numpy().tobytes()


def test_threads_leave_no_trace() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((700, 300)), rng.standard_normal((300, 200))
    threads, found = weft.get_num_threads(), []
    try:
        for count in (1, 3):
            weft.set_num_threads(count)
            found.append((weft.asarray(a) @ weft.asarray(b)).numpy().tobytes())
    finally:
        weft.set_num_threads(threads)
    assert found[0] == found[1] == product(a, b).tobytes()


def test_rows_of_a_stack_are_rows_of_one_matrix() -> None:
    a, b, c = (Operand(k, 0, s, float32) for k, s in enumerate([(80, 20, 4), (12, 4), (48, 12, 4)]))
    made = product_of(CallStep("matmul", (a, b), ((7, 4, 5), (5, 3)), c, (7, 4, 3)))
    assert made is not None and (made.rows, made.count, made.a.row) == (28, 1, 20)


def test_cells_of_other_byte_orders_are_multiplied_by_the_routine() -> None:
    x = np.arange(6.0).reshape(2, 3)
    found = weft.asarray(x.astype(">f8")) @ weft.asarray(x.T.copy())
    assert np.array_equal(found.numpy(), product(x, x.T.copy()))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_by_a_vector_are_sums(dtype: type) -> None:
    rng = np.random.default_rng(3)
    a, v = (weft.asarray(rng.standard_normal(s).astype(dtype)) for s in ((3, 70, 1500), (1500,)))
    assert np.array_equal((a @ v).numpy(), weft.sum(a * v, axis=2).numpy())
    assert np.array_equal((v @ a.mT).numpy(), weft.sum(a * v, axis=2).numpy())


def test_fewer_panels_serve_where_there_is_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    a, b = rng.standard_normal((150, 300)), rng.standard_normal((300, 700))
    wanted, head = product(a, b), product_tables._head

    def enormous(p: Product) -> list[int]:
        words, line = head(p), tile_shape()[1] * LINE
        words[PRODUCT["right"]] = 1 << 46
        words[PRODUCT["breadth"]] = (1 << 46) // (NEAR * line) * (line // p.width)
        return words

    product_tables._entry.cache_clear()
    monkeypatch.setattr(product_tables, "_head", enormous)
    found = product(a, b)
    product_tables._entry.cache_clear()
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_that_are_many_all_get_rows(dtype: type) -> None:
    a, out = np.ones((1024, 300), dtype), np.empty((1024, 1024), dtype)
    operands = [Operand(k, 0, x.strides, from_numpy(x.dtype)[0]) for k, x in enumerate((a, a.T, out))]
    p = product_of(CallStep("matmul", (operands[0], operands[1]), (a.shape, a.T.shape), operands[2], out.shape))
    (task,) = lower_product(p)
    assert task.units == -(-1024 // block_height(p.elem, tile_shape()[0])) > 8 > task.together > 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("a", "b", "units"),
    [
        ((24, 1000), (1000, 1024), 8),
        ((8, 1024), (1024, 1024), 4),
        ((8, 96), (96, 64), 1),
        ((100, 500), (500, 384), 6),
        ((128, 512), (512, 512), 8),
        ((4, 40, 500), (4, 500, 256), 8),
    ],
)
def test_few_rows_are_shared_out_by_columns(
    a: tuple[int, ...], b: tuple[int, ...], units: int, dtype: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    x, y = (rng.standard_normal(s).astype(dtype) for s in (a, b))
    out = np.empty((*a[:-1], b[-1]), dtype)
    operands = [Operand(k, 0, x.strides, from_numpy(x.dtype)[0]) for k, x in enumerate((x, y, out))]
    p = product_of(CallStep("matmul", (operands[0], operands[1]), (a, b), operands[2], out.shape))
    (task,) = lower_product(p)
    assert task.units >= units
    found = product(x, y, ("C", "C"))
    product_tables._entry.cache_clear()
    monkeypatch.setattr(product_tables, "_parts", lambda p, blocks: 1)
    whole = product(x, y, ("C", "C"))
    product_tables._entry.cache_clear()
    assert np.array_equal(found, whole)


@settings(max_examples=examples(60), deadline=None)
@given(
    st.data(), *[st.integers(1, 7) | st.integers(8, 33)] * 3, st.sampled_from([2, 15, 16, 32, 37, 100]),
    st.sampled_from([np.float32, np.float64]),
)  # fmt: skip
def test_many_small_matrices_have_the_bits_of_each(
    data: st.DataObject, m: int, k: int, n: int, count: int, dtype: type
) -> None:
    rng = np.random.default_rng(m * k * n + count)
    lead = st.sampled_from([(count,), (1,)])
    a, b = (rng.standard_normal((*data.draw(lead), *shape)).astype(dtype) for shape in ((m, k), (k, n)))
    found = product(laid(data, a), laid(data, b))
    pairs = zip(a, b, strict=True) if len(a) == len(b) else ((x, y) for x in a for y in b)
    each = [product(x, y).tobytes() for x, y in pairs]
    assert found.tobytes() == b"".join(each)


def test_many_small_matrices_leave_no_trace_of_threads() -> None:
    x = weft.asarray(np.random.default_rng(7).standard_normal((20000, 4, 4)).astype(np.float32))
    threads, found = weft.get_num_threads(), []
    try:
        for count in (1, 3):
            weft.set_num_threads(count)
            found.append((x @ x.mT).numpy().tobytes())
    finally:
        weft.set_num_threads(threads)
    assert found[0] == found[1] == b"".join([product(y, y.T).tobytes() for y in x.numpy()])
