"""Indexing with positions that are not there yet: in compiled functions, loops, computations and `weft.vmap`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft.errors import IndexOutOfBounds, TracingError

T = weft.asarray(np.arange(60.0).reshape(5, 4, 3))
I = weft.asarray([0, 3, -2, 3])
J = weft.asarray([[0, -1], [2, 1], [0, 0], [-4, 3]])

CASES: dict[str, Callable[[Any, Any], Any]] = {
    "first axis": lambda i, j: T[i],
    "last axis": lambda i, j: T[..., i % 3],
    "with slices": lambda i, j: T[::-1, i, 1:],
    "new axes": lambda i, j: T[None, i, ..., None],
    "beside an integer": lambda i, j: T[i, :, 1],
    "beside an array": lambda i, j: T[i, [[1], [2]]],
    "two tables": lambda i, j: T[i[:, None] if i.ndim else i, j],
    "apart": lambda i, j: T[i[:, None] if i.ndim else i, :, j % 3],
    "take": lambda i, j: weft.take(T, j, axis=1),
    "along an axis": lambda i, j: weft.take_along_axis(T[0].T, weft.broadcast_to(j, (3, *j.shape[-1:])), axis=1),
    "of unsigned positions": lambda i, j: T[(i % 5).astype("uint64"), (j % 4).astype("int8")[..., 0]],
    "of views": lambda i, j: weft.permute_dims(T, (2, 0, 1))[i % 3][..., i],
}


@pytest.mark.parametrize("name", sorted(set(CASES) - {"along an axis"}))
def test_compiled_functions_index_as_without(name: str) -> None:
    f = CASES[name]
    compiled = weft.compile(f)
    for i, j in ((I, J), (I[::-1], J[::-1])):
        made, expected = compiled(i, j), f(i, j)
        assert (made.shape, made.tolist()) == (expected.shape, expected.tolist())
    assert compiled.traces <= 2


@pytest.mark.parametrize("name", sorted(CASES))
def test_entries_index_as_alone(name: str) -> None:
    f = CASES[name]
    made = weft.vmap(f)(I, J)
    expected = [f(i, j).tolist() for i, j in zip(I, J, strict=True)]
    assert made.tolist() == expected
    own = weft.vmap(lambda t, i: t[i])(T[:4], I % 4)
    assert own.tolist() == [T[k, I[k] % 4].tolist() for k in range(4)]


def test_gradients_flow_to_what_is_looked_up() -> None:
    t, g = T.copy().requires_grad_(), weft.asarray([1.0, 2.0, 3.0, 4.0])
    (found,) = weft.autograd.grad((weft.vmap(lambda i: t[i].sum())(I) * g).sum(), t)
    (expected,) = weft.autograd.grad((t[I].sum(axis=(1, 2)) * g).sum(), t)
    assert found.tolist() == expected.tolist()
    step = weft.compile(lambda i: weft.autograd.grad(t[i].sum(), t)[0])
    assert step(I).tolist() == weft.autograd.grad(t[I].sum(), t)[0].tolist()
    per_entry = weft.vmap(lambda i: weft.autograd.grad(t[i].sum(), t)[0])(I)
    assert per_entry.tolist() == [weft.autograd.grad(t[i].sum(), t)[0].tolist() for i in I]


def test_loops_and_computations() -> None:
    assert weft.scan(lambda c, k: (c + T[k], T[k, 0]), weft.zeros((4, 3)), I)[0].tolist() == T[I].sum(axis=0).tolist()
    x = weft.placeholder((2,), dtype="int64", name="x")
    f = weft.computation(T[x] * 2, x)
    assert f(weft.asarray([4, -5])).tolist() == (T[[4, -5]] * 2).tolist()
    with pytest.raises(IndexOutOfBounds):
        f(weft.asarray([4, 5]))


@pytest.mark.parametrize("outside", [5, -6, 1 << 40])
def test_positions_outside_are_refused_when_they_are_there(outside: int) -> None:
    at = weft.asarray([0, outside, 1])
    says = f"index: position {outside} along an axis of size 5, built at .*test_positions_to_come.py:.*from -5 to 4"
    with pytest.raises(IndexOutOfBounds, match=says):
        weft.compile(lambda i: T[i] + 1)(at)
    made = weft.vmap(lambda i: T[i])(at)
    with pytest.raises(IndexOutOfBounds, match=says):
        made.tolist()
    with pytest.raises(IndexOutOfBounds, match=says):
        made[0].tolist()  # whatever part is read
    with weft.transformer("reference"), pytest.raises(IndexOutOfBounds, match=says):
        weft.vmap(lambda i: weft.sort(T, axis=0)[i])(at).tolist()


def test_positions_beyond_int64_and_empty_axes() -> None:
    with pytest.raises(IndexOutOfBounds):
        weft.vmap(lambda i: T[i])(weft.asarray([2**64 - 1], dtype="uint64")).tolist()
    with pytest.raises(IndexOutOfBounds):
        weft.vmap(lambda i: weft.zeros((0, 2))[i])(I)
    assert weft.vmap(lambda i: T[i])(I[:0]).shape == (0, 4, 3)
    assert weft.vmap(lambda i: weft.zeros((0, 2))[i])(weft.zeros((3, 0), dtype="int64")).shape == (3, 0, 2)


def test_masks_and_bounds_of_slices_are_values() -> None:
    for f in (lambda i: T[i > 0], lambda i: T[: i[0]], lambda i: T[weft.index[i]]):
        with pytest.raises(TracingError, match="read at"):
            weft.compile(f)(I)
