"""Products by matrices of sliding windows: the bits of products by a copy of the matrix, which is never stored."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.shares import examples
from weft.backends.cpu import call_segment
from weft.backends.llvm.folds.product_plan import product_of
from weft.dtypes import float32
from weft.ir.kernels import plan_spec
from weft.ir.kernels.plan import Buffer, CallStep, Operand, Plan
from weft.nn.windows import windows

KERNELS = st.tuples(st.integers(1, 4), st.integers(1, 4))


def cells(shape: tuple[int, ...], dtype: type, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def by_copies(x: np.ndarray, w: np.ndarray, groups: int = 1, **given: object) -> np.ndarray:
    """The convolution as a product by a matrix that NumPy stores."""
    seen = windows("test", weft.asarray(x), w.shape[2:], given.get("stride", 1), given.get("padding", 0),
                   given.get("dilation", 1), 0).numpy()  # fmt: skip
    high, wide = seen.shape[2:4]
    steps = w[0].size
    columns = seen.transpose(0, 1, 4, 5, 2, 3).reshape(len(x), groups, steps, high * wide)
    made = weft.matmul(weft.asarray(w.reshape(groups, -1, steps)), weft.asarray(columns)).numpy()
    return made.reshape(len(x), len(w), high, wide)


def temporaries(y: weft.Tensor) -> int:
    return weft.explain(y).temporary_bytes


@settings(max_examples=examples(60), deadline=None)
@given(
    st.sampled_from([np.float32, np.float64]), st.integers(1, 3), st.sampled_from([1, 2, 5, 9, 40]),
    st.sampled_from([1, 2, 3, 15, 33]), KERNELS, st.tuples(st.integers(4, 9), st.sampled_from([19, 20, 33, 40, 70])),
    st.integers(1, 3), st.integers(0, 2), st.integers(1, 2),
)  # fmt: skip
def test_convolutions_have_the_bits_of_products_by_copies(
    dtype: type, batch: int, channels: int, filters: int, kernel: tuple[int, int], sizes: tuple[int, int],
    stride: int, padding: int, dilation: int,
) -> None:  # fmt: skip
    x, w = cells((batch, channels, 3 + sizes[0], sizes[1]), dtype), cells((filters, channels, *kernel), dtype, 1)
    how = {"stride": stride, "padding": padding, "dilation": dilation}
    got = weft.nn.conv2d(weft.asarray(x), weft.asarray(w), **how).numpy()
    assert np.array_equal(got, by_copies(x, w, **how))


@pytest.mark.parametrize(("channels", "kernel"), [(8, (3, 3)), (1, (9, 8)), (40, (7, 5)), (64, (1, 1))])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("computed_by", ["cpu", "reference"])
def test_one_filter_of_many_terms_has_the_bits_of_sums(
    dtype: type, channels: int, kernel: tuple[int, int], computed_by: str
) -> None:
    """Products of one row are added as sums are, also where windows are read in place. Byte order changes no bit."""
    x, w = cells((2, channels, 12, 35), dtype), cells((1, channels, *kernel), dtype, 1)
    want = by_copies(x, w)
    with weft.transformer(computed_by):
        for seen in (x, x[..., ::-1].copy()[..., ::-1], x.astype(x.dtype.newbyteorder(">"))):
            assert np.array_equal(weft.nn.conv2d(weft.asarray(seen), weft.asarray(w)).numpy(), want)


@pytest.mark.parametrize("groups", [1, 2, 6])
def test_groups_read_their_own_channels(groups: int) -> None:
    x, w = cells((2, 6, 9, 40), np.float32), cells((12, 6 // groups, 3, 3), np.float32, 1)
    got = weft.nn.conv2d(weft.asarray(x), weft.asarray(w), groups=groups).numpy()
    assert np.array_equal(got, by_copies(x, w, groups))


@pytest.mark.parametrize("flipped", [(2,), (3,), (2, 3)])
def test_images_that_lie_backwards(flipped: tuple[int, ...]) -> None:
    x, w = cells((2, 3, 9, 40), np.float32), cells((4, 3, 3, 3), np.float32, 1)
    got = weft.nn.conv2d(weft.flip(weft.asarray(x), axis=flipped), weft.asarray(w)).numpy()
    assert np.array_equal(got, by_copies(np.flip(x, flipped), w))


@pytest.mark.parametrize(("padding", "copied"), [(0, 0), (1, 2 * 8 * 34 * 42 * 4)])
def test_no_copy_of_the_windows_is_stored(padding: int, copied: int) -> None:
    x, w = weft.asarray(cells((2, 8, 32, 40), np.float32)), weft.asarray(cells((4, 8, 3, 3), np.float32))
    assert temporaries(weft.nn.conv2d(x, w, padding=padding)) == copied


def test_filters_that_leave_the_caches_are_multiplied_by_a_copy() -> None:
    x, w = weft.asarray(cells((1, 64, 9, 20), np.float32)), weft.asarray(cells((512, 64, 3, 3), np.float32))
    assert temporaries(weft.nn.conv2d(x, w)) == 64 * 9 * 7 * 18 * 4


def test_a_routine_that_is_wrapped_gets_the_matrix() -> None:
    x, w = cells((2, 3, 9, 40), np.float32), cells((4, 3, 3, 3), np.float32, 1)
    seen = []

    def noted(call: Any) -> None:
        seen.append([a.shape for a in call.args])
        call()

    with weft.modules.linalg.wrapped("matmul", noted):
        got = weft.nn.conv2d(weft.asarray(x), weft.asarray(w)).numpy()
    assert seen == [[(1, 4, 27), (2, 1, 27, 7 * 38)]]
    assert np.array_equal(got, by_copies(x, w))


def test_threads_leave_no_trace() -> None:
    x, w = weft.asarray(cells((8, 32, 32, 32), np.float32)), weft.asarray(cells((32, 32, 3, 3), np.float32))
    found = []
    for threads in (1, 2):
        before = weft.get_num_threads()
        try:
            weft.set_num_threads(threads)
            found.append(weft.nn.conv2d(x, w, padding=1).numpy())
        finally:
            weft.set_num_threads(before)
    assert np.array_equal(*found)


# ---- plans from elsewhere
def step(**changes: object) -> CallStep:
    """A product by the windows of 3 cells of 8 rows of 20 cells."""
    a, b = Operand(0, 0, (12, 4), float32), Operand(1, 0, (4, 80, 4), float32, False, (3, 8 * 18))
    made = CallStep("matmul", (a, b), ((2, 3), (3, 8, 18)), Operand(2, 0, (576, 4), float32), (2, 144), ("C", "C"))
    return replace(made, **changes)


def fault(s: CallStep) -> str:
    plan = Plan(2, (), (Buffer(float32, (2, 144)),), (s,), (0,))
    return plan_spec.fault(plan, [(0, 24), (0, 640)])


def test_plans_whose_shapes_do_not_match_are_refused() -> None:
    assert fault(step()) == ""
    a, b = step().args
    assert "seen as" in fault(step(args=(a, b._replace(merged=(3, 150)))))
    assert "a product of" in fault(step(args=(a, b._replace(merged=(6, 72)))))
    assert "a product of" in fault(step(args=(a, b._replace(merged=())), shapes=((2, 3), (3, 4, 18))))


def test_other_merged_axes_are_left_to_the_routine() -> None:
    p = product_of(step())
    assert p is not None and p.step_axes == ((3, 4),) and [axis.size for axis in p.stack] == [8]
    a, b = step().args
    other = step(args=(a, b._replace(strides=(80, 4, 4))), shapes=((2, 3), (8, 3, 18)))  # steps begin no axis
    assert product_of(other) is None and fault(other) == ""
    x, y = cells((2, 3), np.float32), cells((8, 20), np.float32, 1)
    out = np.zeros((2, 144), np.float32)
    call_segment(other)(x, 0, y, 0, out, 0)
    runs = np.lib.stride_tricks.as_strided(y, (8, 3, 18), (80, 4, 4))
    assert np.allclose(out, x @ runs.reshape(3, 144), atol=1e-5)
