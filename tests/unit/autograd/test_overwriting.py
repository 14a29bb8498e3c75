"""Writes into recorded values: the gradient of a cell goes to what was written there last; what is refused."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.shares import in_turn
from weft.errors import GradientError


@pytest.fixture(params=["cpu", "reference", "eager"])
def mode(request: pytest.FixtureRequest) -> Any:
    with weft.eager() if request.param == "eager" else weft.transformer(request.param):
        yield request.param


def leaf(shape: Any, dtype: Any = None) -> Any:
    return weft.asarray(np.arange(1.0, 1 + int(np.prod(shape))).reshape(shape), dtype=dtype).requires_grad_()


VIEWS: dict[str, tuple[Any, Any]] = {  # where is written, of tensors and of arrays
    "all": (lambda y: y[...], None),
    "a slice": (lambda y: y[1:3], None),
    "backwards": (lambda y: y[::-2, 3:0:-1], None),
    "a cell": (lambda y: y[2, 1, ...], None),
    "new axes": (lambda y: y[None, 1:, None, ::2], None),
    "a transpose": (lambda y: y.T[1:], None),
    "a diagonal": (lambda y: weft.diagonal(y, offset=1), lambda y: np.einsum("ii->i", y[:3, 1:4])),
    "other columns": (lambda y: weft.flip(y, axis=0)[:, ::3], lambda y: y[::-1, ::3]),
    "another shape": (lambda y: weft.reshape(y, (2, 8))[1, 3:], lambda y: y.reshape(2, 8)[1, 3:]),
    "no cell": (lambda y: y[:0], None),
}
KEYS: dict[str, Any] = {
    "rows": np.array([2, 0]), "rows again": np.array([1, 1, 3, 1]), "cells": (np.array([0, 3, 0]), np.array([1, 2, 1])),
    "a mask": np.arange(16).reshape(4, 4) % 3 == 1, "a mask of rows": np.array([True, False, True, True]),
    "rows of a slice": (slice(1, 3), np.array([3, 3, 0])), "nothing": np.array([], dtype=int),
}  # fmt: skip


def written(origin: Any, cells: Any, z_shape: Any) -> Any:
    """A view of cell numbers written with those of z, from 16 on."""
    cells(origin)[...] = 16 + np.arange(int(np.prod(z_shape))).reshape(z_shape)
    return origin


def check(y: Any, origin: Any, x: Any, z: Any, scale: float) -> None:
    """The gradients of y, of which each cell is scale·x or z by its origin."""
    g = np.random.default_rng(1).integers(1, 9, y.shape).astype(float)
    y.backward(weft.asarray(g, dtype=y.dtype))
    expected = np.zeros(16 + z.size)
    np.add.at(expected, origin.ravel(), g.ravel())
    assert x.grad.tolist() == (scale * expected[:16]).reshape(x.shape).tolist()
    assert (z.grad is None and not z.size) or z.grad.tolist() == expected[16:].reshape(z.shape).tolist()
    assert z.grad is None or z.grad.dtype is z.dtype


@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("where", VIEWS)
def test_gradients_flow_to_what_is_written_through_a_view(where: str, stored: bool, mode: str) -> None:
    view, same = VIEWS[where]
    x = leaf((4, 4))
    y = x * 2
    if stored:
        y.realize()
    z = leaf(view(y).shape)
    view(y)[...] = z
    check(y, written(np.arange(16).reshape(4, 4), same or view, z.shape), x, z, 2.0)


@pytest.mark.parametrize("key", KEYS)
def test_gradients_flow_to_what_is_written_last_by_index_arrays_and_masks(key: str, mode: str) -> None:
    x = leaf((4, 4))
    y = x * 2
    origin = np.arange(16).reshape(4, 4)
    z = leaf(origin[KEYS[key]].shape)
    y[KEYS[key]] = z
    origin[KEYS[key]] = 16 + np.arange(z.size).reshape(z.shape)
    check(y, origin, x, z, 2.0)


DTYPES = (weft.float16, weft.bfloat16, weft.float32, weft.complex64, weft.complex128)


@pytest.mark.parametrize(("dtype", "of"), in_turn(DTYPES, [weft.float16, weft.float32, weft.float64], every=2), ids=str)
def test_what_is_written_has_its_gradient_in_its_dtype(dtype: Any, of: Any) -> None:
    x, z = leaf((4, 4), dtype), leaf((4,), of)
    y = weft.copy(x)
    y[1] = z
    y[:, 2] = z[0]
    y.backward(weft.ones((4, 4), dtype=dtype) * 3)
    assert z.grad.dtype is of and z.grad.tolist() == [15.0, 3.0, 0.0, 3.0]
    assert x.grad.dtype is dtype and x.grad.tolist() == [[3, 3, 0, 3], [0] * 4, [3, 3, 0, 3], [3, 3, 0, 3]]


def test_memory_of_any_kind_remembers_what_is_written_into_it() -> None:
    z = leaf((2,))
    shared = np.zeros((3, 2))
    for y in (
        weft.zeros((3, 2)), weft.asarray(shared), weft.asarray(np.zeros((3, 2), ">f8")), weft.zeros((3, 2), order="F"),
        weft.zeros((3, 2), device="thread:0"), weft.copy(weft.translate(weft.zeros((3, 2)), (5, -1))),
    ):  # fmt: skip
        z.grad = None
        y[1:2] = z
        y[0, :] += z * 5
        assert y.requires_grad
        (y * y).sum().backward()
        assert z.grad.tolist() == [52.0, 104.0]
    assert shared.tolist() == [[5.0, 10.0], [1.0, 2.0], [0.0, 0.0]]


def test_a_broadcast_is_written_with_one_value_for_each_cell() -> None:
    x, z = leaf((3,)), leaf(())
    y = x * 1
    weft.broadcast_to(y, (2, 3))[:, 1:] = z
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 0.0, 0.0] and z.grad.item() == 2.0


def test_expressions_keep_the_record_of_the_version_that_they_read() -> None:
    x, z = leaf((3,)), leaf((2,))
    y = x * 2
    before, view = y * y, y[1:]
    y[:2] = z
    (before.sum() + (view * view).sum()).backward()
    assert x.grad.tolist() == [8.0, 16.0, 24.0 + 24.0] and z.grad.tolist() == [0.0, 4.0]


def test_second_gradients_flow_through_writes() -> None:
    x, z = leaf((3,)), leaf(())
    y = x * x
    y[1] = z * z * x[0]
    (first,) = weft.autograd.grad((y * y).sum(), x, create_graph=True)
    dx, dz = weft.autograd.grad(first.sum(), [x, z])
    # y = (x0², z⁴·x0², x2²)... as a sum of squares: x0⁴ + z⁴·x0² + x2⁴
    assert dx.tolist() == [12.0 + 2.0, 0.0, 12.0 * 9] and dz.item() == 8.0


def test_writes_do_not_keep_old_versions() -> None:
    x, z = leaf((1000,)), leaf(())
    y = x * 2
    y.realize()
    memory = y.numpy().__array_interface__["data"][0]
    for k in range(5):
        y[k] = z
    assert y.numpy().__array_interface__["data"][0] == memory
    gone = weakref.ref(y.grad_fn)
    gc.collect()
    gc.disable()
    try:
        del y
        assert gone() is None
    finally:
        gc.enable()


def test_what_is_not_recorded_stays_so() -> None:
    x, y = leaf((3,)), weft.zeros(3)
    with weft.no_grad():
        y[0] = x[0]
    assert not y.requires_grad
    z = x * 2
    z.detach()[0] = 5.0
    z[1] = 7.0
    z.sum().backward()
    assert z.tolist() == [5.0, 7.0, 6.0] and x.grad.tolist() == [2.0, 0.0, 2.0]


def test_a_failed_write_leaves_the_record() -> None:
    y = weft.eye(2)
    singular = weft.asarray([[1.0, 2.0], [2.0, 4.0]]).requires_grad_()
    with pytest.raises(weft.errors.LinAlgError):
        y[0] = weft.linalg.inv(singular)[0]
    assert not y.requires_grad and y.tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda x, y: x.__setitem__(0, 1.0), "setitem: a leaf that requires gradients"),
        (
            lambda x, y: weft.real(y).__setitem__(0, 1.0),
            r"written where gradients do not follow.*real\(\) and imag\(\)",
        ),
        (lambda x, y: weft.assign(weft.concat([y, y * 1])[:3], x), "assign: a value with a record, written where"),
        (lambda x, y: y.detach().__setitem__(0, x[0]), "setitem: a value with a record, in the place of one without"),
    ],
)
def test_writes_that_would_lose_a_gradient_say_so(write: Any, message: str) -> None:
    x = leaf((3,), weft.complex128)
    with pytest.raises(GradientError, match=message):
        write(x, x * 1)


def test_views_of_values_without_a_record_would_lose_one() -> None:
    x, y = leaf((3,)), weft.zeros(3)
    view = y[1:]
    for target in (y, view):
        with pytest.raises(GradientError, match=r"without, of which there are views; .* take the views afterwards"):
            target[0] = x[0]
    del view, target
    y[0] = x[0]
    assert y.requires_grad


def test_views_that_were_not_used_since_a_write_would_lose_one_too() -> None:
    x, y = leaf((3,)), weft.zeros(3)
    view = y[1:]
    for write in (lambda: y.__setitem__(0, 5.0), lambda: y.__iadd__(1.0), lambda: view.__iadd__(1.0)):
        write()
        for lost in (lambda: y.__setitem__(0, x[0]), lambda: y.__iadd__(x)):
            with pytest.raises(GradientError, match="of which there are views"):
                lost()
    assert y.tolist() == [6.0, 2.0, 2.0] and not view.requires_grad


@pytest.mark.parametrize(
    "write", [lambda y, z: y.__setitem__(..., z), lambda y, z: y.__iadd__(z), lambda y, z: y.__setitem__([0, 1], z)]
)
def test_the_view_that_is_written_has_a_record_from_then_on(write: Any, mode: str) -> None:
    z = leaf((2,))
    view = weft.zeros(3)[1:]
    write(view, z)
    assert view.requires_grad
    y = weft.zeros(3)
    y[1:] += z
    y[:2] *= 3
    (view.sum() + y.sum()).backward()
    assert z.grad.tolist() == [4.0, 2.0]


@st.composite
def programs(draw: Any) -> Any:
    """Keys, and of what the value is: of x (several times), of z, or a number."""
    part = st.one_of(
        st.integers(0, 4), st.slices(5), st.lists(st.integers(0, 4), min_size=1, max_size=4).map(np.array),
        st.lists(st.booleans(), min_size=5, max_size=5).map(np.array),
    )  # fmt: skip
    return draw(st.lists(st.tuples(part, st.sampled_from(["x", "z", "number", "itself"])), max_size=5))


@settings(max_examples=60)
@given(programs())
def test_programs_of_writes_have_the_gradients_of_their_cells(program: Any) -> None:
    """Every cell is linear in x and z: its coefficients, kept beside it in NumPy, are its gradients."""
    with weft.transformer("reference"):
        x, z = leaf((5,)), leaf(())
        y = x * 3
        rows = 3 * np.eye(5, 6)
        for key, of in program:
            if of == "x":
                y[key], rows[key] = x[1] * 2, 2 * np.eye(6)[1]
            elif of == "z":
                y[key], rows[key] = z, np.eye(6)[5]
            elif of == "number":
                y[key], rows[key] = 4.0, 0
            else:
                y[key] += y[0]
                rows[key] = rows[key] + rows[0]
        g = weft.asarray([1.0, 10.0, 100.0, 1000.0, 10000.0])
        y.backward(g)
        got = [*(x.grad.tolist() if x.grad is not None else [0.0] * 5), 0.0 if z.grad is None else z.grad.item()]
        assert got == (g.numpy() @ rows).tolist()
