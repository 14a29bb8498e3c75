"""Kinds of tensors and computations over them."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import weft
from weft.errors import ArgumentError, DomainError, DTypeError, ShapeError, ValueRangeError, WriteError


@pytest.mark.parametrize(
    ("made", "flags"),
    [
        (lambda: weft.constant(1), (True, True, False, False)),
        (lambda: weft.placeholder(()), (False, True, False, True)),
        (lambda: weft.persistent(1), (False, True, False, True)),
        (lambda: weft.variable(1.0), (False, True, True, True)),
        (lambda: weft.temporary((2,)), (False, False, False, False)),
    ],
)
def test_kinds(made, flags: tuple[bool, ...]) -> None:
    t = made()
    k = weft.kind(t)
    assert (k.constant, k.persistent, k.trainable, k.input) == flags


def test_a_placeholder_has_no_value() -> None:
    x = weft.placeholder((2, 3), dtype=weft.float32, name="x")
    assert weft.is_placeholder(x) and not weft.is_placeholder(weft.persistent(1))
    assert (x.shape, x.dtype) == ((2, 3), weft.float32)
    y = weft.exp(x) + 1
    assert str(y) == "<waits for placeholders>"
    for look in (y.numpy, x.realize, lambda: weft.sum(y).item()):
        with pytest.raises(ValueRangeError, match=r"placeholder 'x' of float32.* has no value"):
            look()
    with weft.transformer("reference"), pytest.raises(ValueRangeError, match="placeholder 'x'"):
        y.numpy()
    with pytest.raises(ValueRangeError, match="placeholder 'x'"):
        x[0, 0] = 1
    with pytest.raises(DTypeError, match="placeholder: big-endian"):
        weft.placeholder((), dtype=">f4")


def test_a_computation_is_called_again_and_again() -> None:
    x = weft.placeholder((3,), name="x")
    f = weft.computation([x * 2, (x[::-1] + 1).sum()], x)
    for k in range(3):
        twice, total = f(np.arange(3) + k)
        assert twice.tolist() == [2.0 * (k + j) for j in range(3)]
        assert total.item() == 6 + 3 * k
    assert repr(f) == "<computation (x: float64[3]) -> (float64[3], float64[])>"


def test_nothing_is_compiled_twice() -> None:
    x = weft.placeholder((100,))
    f = weft.computation(weft.sqrt(x * x + 3) / 7, x)
    f(np.ones(100))
    with weft.profile() as p:
        f(np.zeros(100))
    assert (p.kernels_compiled, p.kernels_run) == (0, 1)


@pytest.mark.parametrize("value", [np.arange(6.0).reshape(3, 2).T, np.arange(6.0).reshape(2, 3).astype(">f8"),
                                   np.arange(12.0).reshape(2, 6)[:, ::-2], np.arange(6).reshape(2, 3)])  # fmt: skip
def test_values_of_any_layout(value: np.ndarray) -> None:
    x = weft.placeholder((2, 3))
    f = weft.computation([x, x.T[1:], weft.concat([x, x])[::3]], x)
    whole, part, ends = f(value)
    assert whole.tolist() == value.tolist()
    assert part.tolist() == value.T[1:].tolist()
    assert ends.tolist() == np.concatenate([value, value])[::3].tolist()


def test_variables_are_read_in_their_current_version() -> None:
    w = weft.variable([1.0, 2.0])
    f = weft.computation(w * 10)
    assert f().tolist() == [10.0, 20.0]
    w[0] = 5
    assert f().tolist() == [50.0, 20.0]
    w += 1
    assert f().tolist() == [60.0, 30.0]
    view = weft.computation(w[::-1])
    w[1] = 9
    assert view().tolist() == [9.0, 6.0]


def test_values_passed_for_a_variable() -> None:
    w, x = weft.variable([1.0, 2.0]), weft.placeholder((2,))
    f = weft.computation(w * x, x, w)
    assert f([1.0, 1.0], [7.0, 8.0]).tolist() == [7.0, 8.0]
    assert w.tolist() == [1.0, 2.0]


def test_results_are_values_of_their_own() -> None:
    w = weft.variable([1.0, 2.0])
    same = weft.computation(w)
    out = same()
    out[0] = 100
    assert w.tolist() == [1.0, 2.0]


def test_a_computation_keeps_no_version_alive() -> None:
    w = weft.variable(np.zeros(10))
    f = weft.computation(w + 1)
    before = w._place.node.value
    w[0] = 3  # in place: nobody reads the old version
    assert w._place.node.value is before
    gone = weakref.ref(w._place)
    del w, before
    gc.collect()
    assert gone() is not None and f().tolist()[0] == 4.0


def test_initial_values() -> None:
    assert weft.variable(3, shape=(2, 2)).tolist() == [[3, 3], [3, 3]]
    assert weft.variable(weft.constant([3, 4, 5])).tolist() == [3, 4, 5]
    assert weft.variable(lambda shape: np.ones(shape), shape=(2,), dtype=weft.float32).dtype is weft.float32
    assert weft.variable(np.arange(3)).tolist() == [0, 1, 2]
    x = weft.asarray([1.0, 2.0])
    pending, own = weft.variable(x * 2), weft.variable(x)
    x[0] = 9.0
    own[1] = 7.0
    assert (pending.tolist(), own.tolist(), x.tolist()) == ([2.0, 4.0], [1.0, 7.0], [9.0, 2.0])
    with pytest.raises(ValueRangeError, match=r"placeholder 'placeholder' of float64.* has no value"):
        weft.variable(weft.placeholder(()) + 1)
    with pytest.raises(ShapeError, match=r"persistent: initial values of shape \(3,\) for shape \(2,\)"):
        weft.persistent([1, 2, 3], shape=(2,))
    source = np.zeros(3)
    w = weft.variable(source)
    source[0] = 9
    assert w.tolist() == [0.0, 0.0, 0.0]


def test_variables_of_an_expression() -> None:
    a, b, c = weft.variable(1.0), weft.variable(2.0), weft.persistent(3.0)
    found = weft.variables(b * c + a * b)
    assert len(found) == 2 and found[0] is b and found[1] is a


def test_results_share_no_memory_with_operands_or_stored_tensors() -> None:
    x, a = weft.placeholder((2,)), np.ones(2)
    y = x * 2
    whole, turned, one, other = weft.computation([x, x[::-1], y, y], x)(a)
    shown = other.numpy()
    for t in (whole, turned, one):
        t[0] = 9.0
    assert a.tolist() == [1.0, 1.0] and shown.tolist() == other.tolist() == [2.0, 2.0]
    fixed = weft.asarray([1.0, 2.0]) * 3
    (made,) = weft.computation([fixed], x)(a)
    made[0] = 9.0
    assert fixed.tolist() == [3.0, 6.0]


def test_checks_run_at_every_call() -> None:
    x = weft.placeholder((2,))
    with weft.math_mode("error"):
        f = weft.computation(weft.sqrt(x), x)
    assert f([1.0, 4.0]).tolist() == [1.0, 2.0]
    with pytest.raises(DomainError, match="sqrt"):
        f([-1.0, 4.0])
    assert f([4.0, 4.0]).tolist() == [2.0, 2.0]


def test_expressions_over_placeholders_may_be_deep() -> None:
    x = weft.placeholder((2,))
    y = x
    for _ in range(200):
        y = y * 1.0 + 1
    f = weft.computation([y, y * 2], x)
    assert [t.tolist() for t in f([0.0, 1.0])] == [[200.0, 201.0], [400.0, 402.0]]
    with weft.eager():
        assert weft.computation(x + 1, x)([1.0, 2.0]).tolist() == [2.0, 3.0]


def test_errors() -> None:
    x = weft.placeholder((2,), name="x")
    f = weft.computation(x + 1, x)
    with pytest.raises(ValueRangeError, match="computation: one tensor is several of the inputs"):
        weft.computation(x + 1, x, x)
    with pytest.raises(DTypeError, match="computation: an output of type int"):
        weft.computation([1], x)
    with pytest.raises(DTypeError, match="computation: an input of type list"):
        weft.computation(x + 1, [x])
    changed = weft.placeholder((2,))
    changed += 1
    with pytest.raises(ValueRangeError, match="computation: an input of shape"):
        weft.computation(changed, changed)
    with pytest.raises(ValueRangeError, match="computation: 0 values for 1 inputs"):
        f()
    with pytest.raises(ShapeError, match=r"computation: a value of shape \(3,\) for input 0 \(x\) of shape \(2,\)"):
        f([1.0, 2.0, 3.0])
    with pytest.raises(DTypeError, match=r"computation: input 0 \(x\): complex128 values into float64"):
        f([1j, 2j])
    with pytest.raises(ValueRangeError, match="computation: an input of shape \\(2,\\) that takes no value"):
        weft.computation(x + 1, weft.asarray([1.0, 2.0]))
    with pytest.raises(ValueRangeError, match="placeholder 'x'"):
        weft.computation(x + 1)()
    with pytest.raises(WriteError):
        weft.constant([1, 2])[0] = 3


def test_sums_need_no_temporary() -> None:
    x, y = weft.placeholder((1000,)), weft.placeholder((1000,))
    f = weft.computation(((x - y) ** 2).sum(), x, y)
    a, b = np.random.default_rng(0).random((2, 1000))
    f(a, b)
    with weft.profile() as p:
        assert f(a, b).item() == pytest.approx(np.dot(a - b, a - b))
    assert p.temporary_bytes == 0


def test_values_by_name() -> None:
    x, y = weft.placeholder((2,), name="x"), weft.placeholder((), name="y")
    f = weft.computation(x * y, x, y)
    for found in (
        f([1, 2], 3),
        f(y=3, x=[1, 2]),
        f({"y": 3, "x": [1, 2]}),
        f({y: 3, x: [1, 2]}),
        f({y: 3, "x": [1, 2]}),
    ):
        assert found.tolist() == [3.0, 6.0]
    for wrong in (lambda: f([1, 2], y=3), lambda: f(z=3), lambda: f({"x": [1, 2], x: 3}), lambda: f({3: 3})):
        with pytest.raises(ArgumentError, match="computation: "):
            wrong()
    with pytest.raises(ArgumentError, match="no value for y; each input needs one"):
        f(x=[1, 2])
    with pytest.raises(ValueRangeError, match="1 values for 2 inputs"):
        f([1, 2])
    alike = weft.placeholder((), name="x")
    with pytest.raises(ArgumentError, match="'x', which names no input"):
        weft.computation(x * alike, x, alike)(x=1)


def test_a_missing_placeholder_is_named_at_once() -> None:
    x, y = weft.placeholder((2,), name="x"), weft.placeholder((), name="y")
    with pytest.raises(ValueRangeError, match=r"placeholder 'y' of float64.* is needed and no input"):
        weft.computation(x * y, x)
