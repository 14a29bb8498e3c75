"""`weft.deterministic`: products with equal bits, however they are cut, computed, sent and read."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

import weft
from tests.shares import in_turn

FLOATS = ("float16", "bfloat16", "float32", "float64", "complex32", "complex64", "complex128")


@pytest.fixture(autouse=True)
def settings() -> Iterator[None]:
    threads = weft.get_num_threads()
    yield
    weft.set_num_threads(threads)
    weft.set_memory_limit(None)
    weft.set_deterministic(False)


def cells(shape: tuple[int, ...], dtype: str = "float64", seed: int = 0) -> weft.Tensor:
    """Random cells of a dtype, stored."""
    x = weft.random.normal(shape, seed=seed)
    if dtype.startswith("complex"):
        x = x + 1j * weft.random.normal(shape, seed=seed + 100)
    return weft.astype(x, getattr(weft, dtype)).realize()


def same(a: weft.Tensor, b: weft.Tensor) -> bool:
    """True if two tensors have equal dtypes, shapes and bits."""
    return a.dtype == b.dtype and a.shape == b.shape and a.numpy().tobytes() == b.numpy().tobytes()


def test_the_mode_is_that_of_the_block() -> None:
    assert not weft.is_deterministic()
    with weft.deterministic():
        assert weft.is_deterministic()
        with weft.deterministic(False):
            assert not weft.is_deterministic()
        seen: list[bool] = []
        other = Thread(target=lambda: seen.append(weft.is_deterministic()))
        other.start()
        other.join()
        assert seen == [False] and weft.is_deterministic()
    weft.set_deterministic(True)
    assert weft.is_deterministic()


@pytest.mark.parametrize("dtype", FLOATS)
def test_slices_and_threads_change_no_bit(dtype: str) -> None:
    x, w = cells((70, 1500), dtype, 1), cells((1500, 90), dtype, 2)
    with weft.deterministic():
        whole = (x @ w).realize()
        weft.set_num_threads(1)
        assert same(x @ w, whole)
        assert same((x @ w)[3:17], x[3:17] @ w) and same(x[3:17] @ w, whole[3:17])
        assert same(x[::-1] @ w[:, 5::7], whole[::-1, 5::7])
        assert same(x[4] @ w, whole[4]) and same(x @ w[:, 4], whole[:, 4]) and same(x[4] @ w[:, 4], whole[4, 4])
    with weft.transformer("reference"):
        near = (x @ w).numpy()
    if dtype != "complex32":
        wide = near.astype(complex if dtype.startswith("complex") else float)
        close = 1e-1 if dtype in ("float16", "bfloat16") else 1e-2 if dtype in ("float32", "complex64") else 1e-10
        assert np.allclose(whole.numpy().astype(wide.dtype), wide, rtol=close, atol=close)


def test_operands_may_lie_anyhow() -> None:
    x, w = cells((3, 1, 20, 30)), cells((5, 30, 11), seed=1)
    with weft.deterministic():
        whole = (x @ w).realize()
        turned = weft.asarray(np.asfortranarray(x.numpy())), weft.asarray(w.numpy().astype(">f8"))
        assert same(turned[0] @ turned[1], whole)
        assert same(x[1, 0] @ w[2], whole[1, 2])
        assert same(weft.permute_dims(weft.matrix_transpose(w) @ weft.matrix_transpose(x), (0, 1, 3, 2)), whole)
        sparse = weft.asarray(np.repeat(x.numpy(), 2, -1))[..., ::2]
        assert same(sparse @ w, whole)


@pytest.mark.parametrize("dtype", FLOATS)
def test_neither_operand_comes_first(dtype: str) -> None:
    x, w = cells((20, 1100), dtype, 1), cells((1100, 13), dtype, 2)
    with weft.deterministic():
        assert same((x @ w).T, w.T @ x.T)
        batch = weft.vmap(lambda row: weft.matrix_transpose(w) @ row)(x)
        assert same(batch, weft.stack([w.T @ row for row in weft.unstack(x)]))


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint32", "bool"])
def test_exact_products_stay_as_they_are(dtype: str) -> None:
    x = weft.astype(weft.arange(12) % 5, getattr(weft, dtype)).reshape((3, 4))
    with weft.deterministic():
        made = x @ x.T
    assert same(made, x @ x.T)


@pytest.mark.parametrize(
    "f",
    [
        lambda x, w: weft.tensordot(x.reshape((4, 5, 60)), w.reshape((5, 12, 8, 2)), axes=([1], [0])),
        lambda x, w: weft.einsum("ij,jk->ik", x, w[:60]),
        lambda x, w: weft.nn.linear(x, w[:60].T),
        lambda x, w: weft.nn.conv1d(x.reshape((1, 20, 60)), w.reshape((1, 20, 48))[..., :5]),
        lambda x, w: weft.linalg.gemm(2.0, x, w),
        lambda x, w: weft.linalg.matrix_power(x[:, :20], 3),
        lambda x, w: weft.vmap(lambda row: row @ w)(x),
        lambda x, w: weft.compile(lambda a, b: a @ b)(x, w),
    ],
)
def test_all_that_multiplies_does_so_in_order(f: Callable[..., weft.Tensor]) -> None:
    x, w = cells((20, 60)), cells((60, 16), seed=1)
    orders = []

    def noted(call: Any) -> None:
        orders.append(call.attrs)
        call()

    with weft.modules.linalg.wrapped("matmul", noted), weft.deterministic():
        f(x, w).realize()
    assert orders and set(orders) == {("fixed", "fixed")}


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64"])
def test_parts_of_convolutions_are_convolutions_of_parts(dtype: str) -> None:
    x, filters = cells((3, 8, 17, 19), dtype, 1), cells((5, 8, 3, 4), dtype, 2)
    with weft.deterministic():
        whole = weft.nn.conv2d(x, filters)
        assert same(weft.nn.conv2d(x[1:, :, 2:9, 5:], filters[1:3])[..., 2:], whole[1:, 1:3, 2:7, 7:])


def test_gradients_have_the_order_of_their_product() -> None:
    def gradients(*parts: slice) -> list[weft.Tensor]:
        x, w = cells((40, 1200)).requires_grad_(), cells((1200, 30), seed=1).requires_grad_()
        with weft.deterministic():
            y = x @ w
        (y * y)[parts].sum().backward()
        return [x.grad, w.grad]

    for threads in (1, 2):
        weft.set_num_threads(threads)
        found = gradients(slice(None))
        if threads == 1:
            first = found
    assert all(same(a, b) for a, b in zip(first, found, strict=True))
    assert same(gradients(slice(3, 9))[0][3:9], first[0][3:9])


def test_compiled_functions_are_traced_for_the_mode() -> None:
    f, x, w = weft.compile(lambda a, b: a @ b), cells((9, 1100)), cells((1100, 5), seed=1)
    before = f(x, w)
    with weft.deterministic():
        fixed = f(x, w)
        assert same(fixed, x @ w)
    assert f.traces == 2 and same(f(x, w), before)


def test_programs_pickles_and_texts_keep_the_order(tmp_path: Path) -> None:
    x, w = cells((9, 1100)), cells((1100, 5), seed=1)
    with weft.deterministic():
        y = x @ w
        f = weft.compile(lambda a, b: a @ b)
        f(x, w)
        weft.save_program(f, tmp_path / "f.weft")
    sent = pickle.loads(pickle.dumps(y))
    read = weft.parse(weft.show(y), weft.leaves_of(y))
    assert same(weft.load_program(tmp_path / "f.weft")(x, w), y)
    assert same(sent, y) and same(read, y)


@pytest.mark.parametrize(
    ("dtype", "chunks"),
    in_turn(["float32", "complex64", "bfloat16"], [(12, 7000), (5, 20_000), (11, 1024)], every=3),
    ids=str,
)
def test_files_tiles_and_chunks_change_no_bit(tmp_path: Path, dtype: str, chunks: tuple[int, int]) -> None:
    x, w = cells((12, 20_000), dtype, 1), cells((20_000, 8), dtype, 2)
    with weft.deterministic():
        whole = (x @ w).realize()
        across = (weft.matrix_transpose(x) @ x[:, :600]).realize() if dtype == "float32" else None
        weft.save(x, tmp_path / "x.zarr", chunks=chunks)
        for limit in ("256KiB", "1GiB"):
            weft.set_memory_limit(limit)
            a = weft.open(tmp_path / "x.zarr")
            assert same(a @ w, whole), limit
        weft.set_memory_limit("256KiB")
        assert same(a[3:9, :15_000] @ w[:15_000], x[3:9, :15_000] @ w[:15_000])
        if across is not None:
            assert same((weft.matrix_transpose(a) @ a[:, :600])[5:900], across[5:900])


def test_factorisations_use_one_thread_of_the_library() -> None:
    x = cells((300, 300))
    found = []
    for threads in (1, 2):
        weft.set_num_threads(threads)
        with weft.deterministic():
            found.append(weft.linalg.inv(x).realize())
    assert same(*found)
