"""Descriptions of views: what they say of tensors, and that methods give what views of tensors have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.cases import for_each
from tests.shares import examples
from weft.errors import AxisError, DTypeError, IndexOutOfBounds, ShapeError

BASE = np.arange(24.0).reshape(2, 3, 4)


def x() -> Any:
    return weft.asarray(BASE.copy())


def of_array(a: np.ndarray, base: np.ndarray) -> tuple[Any, ...]:
    offset = a.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return (a.shape, a.strides, offset) if a.size else (a.shape,)


def facts(d: Any) -> tuple[Any, ...]:
    return (d.shape, d.strides, d.offset) if d.size else (d.shape,)


KEYS = st.lists(
    st.one_of(st.integers(-2, 1), st.slices(4), st.just(slice(None))), min_size=0, max_size=3
).map(tuple)  # fmt: skip


@settings(max_examples=examples(150), deadline=None)
@given(KEYS, st.permutations(range(3)), st.booleans())
def test_methods_describe_what_views_have(key: tuple[Any, ...], axes: list[int], first: bool) -> None:
    array, d = BASE, x().description
    steps = [lambda a: a.transpose(axes), lambda a: a[(*key, ...)]]
    described = [lambda d: d.reorder(axes), lambda d: d.slice(key)]
    for step, describe in zip(steps[:: 1 if first else -1], described[:: 1 if first else -1], strict=True):
        if array.ndim != 3 and step is steps[0]:
            return
        array, d = step(array), describe(d)
    assert facts(d) == of_array(array, BASE)
    assert d.c_contiguous == bool(array.flags.c_contiguous) or not array.size
    assert d.base is x().description and not d.is_base
    assert d.transpose().transpose().key == d.key


@pytest.mark.parametrize("view", [
    lambda t: t[1:, ::-1], lambda t: t.T[0] if t.ndim == 2 else t[0].T,
    lambda t: weft.broadcast_to(t[:, :1, 0], (5, 2, 3)),
    lambda t: weft.permute_dims(t, (2, 0, 1))[1], lambda t: weft.reshape(t, (6, 4))[::2],
    lambda t: t[:, 0:0],
])  # fmt: skip
def test_tensors_are_described(view: Any) -> None:
    t = x()
    made = view(t)
    array = made.numpy()
    d = made.description
    assert facts(d) == of_array(array, t.numpy()) and d.base is t.description and t.description.is_base
    assert view(t).description is d and d.key == (d.shape, weft.float64, "little", d.layout)


def test_asking_computes_nothing() -> None:
    t = x() * 2
    for made in (t, t[1:], t.T if t.ndim == 2 else weft.flip(t), weft.zeros((3,)), weft.placeholder((2, 2)) + 1):
        d = made.description
        assert d.layout is None and d.strides is None and d.read_only and not d.c_contiguous
    assert t._place.node.value is None and t[1:].description.base is t.description
    assert t.description.slice((0, slice(1, None))).shape == (2, 4)
    t.realize()
    assert t.description.layout == ((96, 32, 8), 0) and not t.description.read_only
    assert weft.constant([1, 2]).description.read_only


def test_broadcasts() -> None:
    d = weft.asarray(3.0).description.broadcast((2, 3))
    assert facts(d) == ((2, 3), (0, 0), 0) and d.broadcast_contiguous and not d.c_contiguous
    v = x().description.slice((0, 0))
    assert v.reorder_and_broadcast([None, 0], (5, 4)).strides == (0, 8)
    assert v.reorder_and_broadcast([0, None], (4, 5)).strides == (8, 0)
    assert (
        v.broadcast((3, 4)).broadcast_contiguous
        and not v.slice(slice(None, None, 2)).broadcast((3, 2)).broadcast_contiguous
    )
    for wrong in (lambda: v.broadcast((3,)), lambda: v.broadcast(()), lambda: v.broadcast((-1, 4)),
                  lambda: v.reorder_and_broadcast([None], (4,)), lambda: v.reorder_and_broadcast([0, 0], (4, 4)),
                  lambda: v.reorder_and_broadcast([1], (4,)),
                  lambda: v.reorder_and_broadcast([0], (4, 5))):  # fmt: skip
        with pytest.raises(ShapeError, match="broadcast: axes"):
            wrong()


def test_flattening() -> None:
    d = x().description
    assert d.flatten().strides == (8,) and d.flatten().c_contiguous and d.flatten().shape == (24,)
    turned = d.transpose().flatten(0, 2)
    assert turned.shape == (12, 2) and turned.full_sizes == ((4, 3), 2) and turned.full_strides == ((8, 32), 96)
    assert turned.strides is None and turned.layout == (((8, 32), 96), 0)
    assert turned.unflatten().key == d.transpose().key and turned.of.key == d.transpose().key
    assert turned.slice((slice(None), 1)).full_strides == ((8, 32),) and turned.slice((slice(None), 1)).offset == 96
    nested = turned.flatten()
    assert nested.shape == (24,) and nested.unflatten().key == turned.key
    with pytest.raises(ShapeError, match="unflatten it first"):
        turned.slice(slice(1, None))
    with pytest.raises(AxisError, match="has no parts"):
        d.unflatten()
    assert weft.zeros((2, 3)).description.flatten().shape == (6,)
    assert d.slice((slice(0, 0),)).flatten().size == 0


def test_other_facts() -> None:
    d = weft.asarray(BASE.astype(">f4")).description
    assert d.slice(1).byteorder == "big" and d.clone(read_only=True).read_only and d.clone() is d
    assert d.clone(dtype=weft.int16).strides == (24, 8, 2) and d.clone(dtype=weft.int16).is_base
    assert d.cast((1, 2, 3)).domain.origin == (1, 2, 3)
    with pytest.raises(AxisError, match="cast: 1 coordinates for 3 axes"):
        d.cast((1,))
    with pytest.raises(AxisError, match="reorder"):
        d.reorder((0, 0, 1))
    with pytest.raises(IndexOutOfBounds, match="index 2 on axis 0 of size 2"):
        d.slice(2)
    for wrong in ((0, 0, 0, 0), [0], None, np.array([1])):
        with pytest.raises(ShapeError, match="slice"):
            d.slice(wrong)


def test_sizes_that_are_no_integers_do_not_enter_the_table_of_descriptions() -> None:
    d = weft.asarray(np.zeros((3, 4))).description
    with pytest.raises(DTypeError, match=r"broadcast: shape \(1013.0, 3, 4\); it must be a tuple of integers; give"):
        d.broadcast((1013.0, 3, 4))
    made = d.broadcast((np.int64(1013), True + 2, 4))
    assert [type(n) for n in made.shape] == [int] * 3
    assert made.slice((np.int64(5), slice(np.int32(1), None))) is made.slice((5, slice(1, None)))


METHODS: dict[str, Callable[[Any, Any], Any]] = {
    "cast": lambda d, bad: d.cast(bad),
    "reorder": lambda d, bad: d.reorder(bad),
    "broadcast": lambda d, bad: d.broadcast(bad),
    "broadcast:": lambda d, bad: d.reorder_and_broadcast(bad, (3, 4)),
    "flatten": lambda d, bad: d.flatten(0, bad),
    "unflatten": lambda d, bad: d.unflatten(bad),
    "slice": lambda d, bad: d.slice(bad),
    "dtype": lambda d, bad: d.clone(dtype=bad),
}


@for_each("bad", [1.5, "axis", object(), (0.0, 1.0), ("axis",), float("nan")])
@for_each("method", METHODS)
def test_what_is_no_axis_size_or_dtype_is_refused(method: str, bad: Any) -> None:
    d = weft.asarray(np.zeros((3, 4))).description
    with pytest.raises((DTypeError, ShapeError), match=rf"^{method.strip(':')}: .+; .+"):
        METHODS[method](d, bad)


def test_a_dtype_is_spelled_in_any_way() -> None:
    d = weft.asarray(np.zeros((3, 4))).description
    assert d.clone(dtype="float32") is d.clone(dtype=np.float32) is d.clone(dtype=weft.float32)
    assert d.clone(dtype=">f8").byteorder == "big" and d.clone(dtype="float64") is d
    assert d.clone(dtype=">f8").clone(dtype=weft.float64).byteorder == "big"


def test_a_step_of_zero_is_refused() -> None:
    with pytest.raises(ShapeError, match=r"slice: slice\(None, None, 0\) of .*; give these"):
        weft.asarray(np.zeros(3)).description.slice(slice(None, None, 0))
