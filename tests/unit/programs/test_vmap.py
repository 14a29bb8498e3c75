"""`weft.vmap`: functions of entries over batches of them: programs of users, axes, containers, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import weft
from weft.errors import ArgumentError, AxisError, GradientError, ShapeError, TracingError, WriteError

RNG = np.random.default_rng(0)
X = weft.asarray(RNG.normal(size=(5, 3)))
Y = weft.asarray(RNG.normal(size=(5, 2)))


def close(a: Any, b: Any) -> bool:
    return np.allclose(np.asarray(a), np.asarray(b), rtol=1e-12, atol=1e-12)


# ---- programs of users


def test_gradients_of_each_sample() -> None:
    w = weft.asarray(RNG.normal(size=(3, 2))).requires_grad_()

    def gradient(x: Any, y: Any) -> Any:
        return weft.autograd.grad(((weft.tanh(x @ w) - y) ** 2).sum(), w)[0]

    found = weft.vmap(gradient)(X, Y)
    assert found.shape == (5, 3, 2)
    assert close(found, weft.stack([gradient(X[k], Y[k]) for k in range(5)]))
    assert close(weft.compile(weft.vmap(gradient))(X, Y), found)


def test_distances_of_all_pairs() -> None:
    distances = weft.vmap(weft.vmap(lambda a, b: ((a - b) ** 2).sum(), in_axes=(None, 0)), in_axes=(0, None))
    found = distances(X, X)
    x = X.numpy()
    assert close(found, ((x[:, None] - x) ** 2).sum(-1))
    assert found.tolist() == [[((a - b) ** 2).sum().item() for b in X] for a in X]
    products = weft.vmap(lambda a: weft.vmap(lambda b: a @ b)(X))(Y @ weft.ones((2, 3)))
    assert close(products, (Y @ weft.ones((2, 3))) @ X.T)


def test_functions_of_matrices() -> None:
    a = weft.asarray(RNG.normal(size=(4, 3, 3)))
    a = a @ a.mT + weft.eye(3)
    b = weft.asarray(RNG.normal(size=(3, 4)))
    assert close(
        weft.vmap(weft.linalg.solve, in_axes=(0, 1))(a, b), np.linalg.solve(a.numpy(), b.numpy().T[..., None])[..., 0]
    )
    assert close(weft.vmap(lambda m: weft.linalg.eigh(m)[0])(a), np.linalg.eigvalsh(a.numpy()))
    assert close(weft.vmap(weft.linalg.solve, in_axes=(None, 1), out_axes=1)(a[0], b), weft.linalg.solve(a[0], b))


def test_jacobians() -> None:
    x = weft.asarray([0.5, 2.0, -1.0]).requires_grad_()
    y = weft.sin(x) * x[::-1]
    jacobian = weft.vmap(lambda g: weft.autograd.grad(y, x, g)[0])(weft.eye(3))
    v = x.numpy()
    assert close(jacobian, np.diag(np.cos(v) * v[::-1]) + np.fliplr(np.diag(np.sin(v))))


def test_gradients_with_respect_to_the_entry() -> None:
    def slope(x: Any) -> Any:
        x = x.detach().copy().requires_grad_()
        return weft.autograd.grad((x**3).sum(), x)[0]

    assert close(weft.vmap(slope)(X), 3 * X**2)
    z = weft.asarray(X.numpy().copy()).requires_grad_()
    assert close(weft.vmap(lambda x: weft.autograd.grad((x**3).sum(), x)[0])(z), 3 * X**2)


def test_gradients_of_a_batch() -> None:
    w, x = weft.asarray(RNG.normal(size=(3, 2))).requires_grad_(), weft.asarray(X.numpy().copy()).requires_grad_()

    def f(x: Any) -> Any:
        return weft.sin(x @ w).sum() * x[0] + (x.detach() * x).sum()

    found = weft.autograd.grad((weft.vmap(f)(x) ** 2).sum(), [w, x])
    expected = weft.autograd.grad((weft.stack([f(x[k]) for k in range(5)]) ** 2).sum(), [w, x])
    assert all(close(a, b) for a, b in zip(found, expected, strict=True))
    with weft.no_grad():
        assert not weft.vmap(f)(x).requires_grad


def test_files_are_read_where_they_are_needed(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X.numpy())
    made = weft.vmap(lambda x: x[::2].sum())(weft.open(tmp_path / "x.npy"))
    assert close(made, X[:, ::2].sum(axis=1))


# ---- axes and containers


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("out", [0, 1, -1])
def test_axes(axis: int, out: int) -> None:
    x = weft.asarray(np.arange(24).reshape(2, 3, 4))
    made = weft.vmap(lambda e: e * 2 + e.shape[0], in_axes=axis, out_axes=out)(x)
    e = np.moveaxis(x.numpy(), axis, 0)
    assert made.tolist() == np.moveaxis(e * 2 + e.shape[1], 0, out).tolist()


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclass
class Layer:
    weight: Any
    bias: Any


def test_containers() -> None:
    layer, x = Layer(weft.ones((5, 2, 3)), weft.zeros(2)), {"x": X, "k": weft.arange(5)}

    def f(layer: Layer, given: Any, more: Any) -> Any:
        return Pair({"y": layer.weight @ given["x"] + layer.bias, "none": None}, [given["k"] * more, 2.5])

    made = weft.vmap(f, in_axes=(Layer(0, None), 0, None), out_axes=Pair(1, 0))(layer, x, 3)
    assert type(made) is Pair and made.first["none"] is None
    assert close(made.first["y"], (X.sum(axis=1)[:, None] + weft.zeros(2)).T)
    assert made.second[0].tolist() == [0, 3, 6, 9, 12] and made.second[1].tolist() == [2.5] * 5
    made = weft.vmap(lambda d, v: d["b"] - d["a"] + v, in_axes=({"a": None, "b": 0}, None))({"b": X, "a": X[0]}, 1.0)
    assert close(made, X - X[0] + 1)
    nested = weft.vmap(lambda pairs: pairs[0][0] + pairs[0][1], in_axes=[[(0, 1)]])([(X, X.T)])
    assert close(nested, 2 * X)


def test_values_that_all_entries_share() -> None:
    total, same = weft.vmap(lambda x: (x.sum(), Y * 2), out_axes=(0, None))(X)
    assert total.shape == (5,) and close(same, 2 * Y)
    assert close(weft.vmap(lambda x: Y)(X), weft.stack([Y] * 5))
    passed = weft.vmap(lambda x: x)(X)
    passed[0, 0] = 100.0
    assert X[0, 0] != 100  # results are tensors of their own
    again, twice = weft.vmap(lambda x: (lambda y: (y, y))(x + 1))(X)
    again[...] = 0
    assert close(twice, X + 1)


def test_names_of_habit_and_decorators() -> None:
    assert close(weft.vmap(lambda x: x + 1, in_dims=1, out_dims=1)(X), X + 1)

    @weft.vmap(in_axes=(0, None))
    def scaled(x: Any, by: Any) -> Any:
        "Return x scaled."
        return x * by

    assert close(scaled(X, 2.0), X * 2) and (scaled.__name__, scaled.__doc__) == ("scaled", "Return x scaled.")


def test_arguments_by_name() -> None:
    f = weft.vmap(lambda x, y=0.0, *, how="up": (x + y) if how == "up" else x - y)
    assert close(f(X, how="down", y=2.0), X - 2) and close(f(X, y=weft.asarray(1.0)), X + 1)
    with pytest.raises(ArgumentError, match="two readings; JAX maps it along axis 0"):
        f(X, y=X)


def test_copies_and_callables() -> None:
    class Scale:
        def __call__(self, x: Any) -> Any:
            return weft.array(x) * 2 + weft.tensor(x)

        def method(self, x: Any) -> Any:
            return x * 3

    assert close(weft.vmap(Scale())(X), 3 * X) and close(weft.vmap(Scale().method)(X), 3 * X)
    assert close(weft.vmap(partial(weft.sum, axis=0))(X), X.sum(axis=1)) and close(weft.vmap(np.sin)(X), weft.sin(X))


@pytest.mark.parametrize("size", [0, 1])
def test_few_entries(size: int) -> None:
    w = weft.ones((3, 2))
    a, b, c = weft.vmap(lambda x: (x @ w, weft.sort(x)[::-1], x.sum()))(X[:size])
    assert (a.shape, b.shape, c.shape) == ((size, 2), (size, 3), (size,))
    assert close(a, X[:size] @ w) and close(b, np.sort(X[:size].numpy())[:, ::-1])


@pytest.mark.parametrize("dtype", [">f4", ">i2", "bool", "float16", "complex64", "uint8", ">c16"])
def test_dtypes_and_byte_orders(dtype: str) -> None:
    x = RNG.integers(0, 3, (4, 2, 3)).astype(dtype)

    def f(xp: Any, e: Any) -> Any:
        return e.T[::-1] == e[0, 0], e.reshape(12), xp.concatenate([e, e], axis=1)

    made = weft.vmap(lambda e: f(weft, e), in_axes=1)(x)
    for k in range(2):
        assert [m[k].tolist() for m in made] == [m.tolist() for m in f(np, x[:, k])]


def test_extended_dtypes_and_origins() -> None:
    for dtype in ("bfloat16", "complex32", "float8_e4m3fn"):
        x = weft.asarray([[1.0, 2.0], [3.0, 4.0]]).astype(dtype)
        assert weft.vmap(lambda e: e[::-1])(x).tolist() == x[:, ::-1].tolist()
    x = weft.asarray(np.arange(6.0).reshape(2, 3)).translate((5, 7))
    made = weft.vmap(lambda e: e + 1)(x)
    assert made.domain.start == (0, 7) and made.tolist() == (x + 1).tolist()


def test_inside_and_around_compiled_functions() -> None:
    w = weft.variable([1.0, 2.0, 3.0])
    inner = weft.compile(lambda x, k: x * w * k)
    outer = weft.compile(lambda x, k: weft.vmap(lambda e: inner(e, k).sum())(x) + k)
    for k in (2, 3):
        assert close(outer(X, k), (X * w * k).sum(axis=1) + k)
    assert outer.traces == 1
    weft.assign(w, w * 2)
    assert close(outer(X, 1), (X * w).sum(axis=1) + 1)


def test_devices() -> None:
    device = weft.device("thread", 0)
    made = weft.vmap(lambda x: (x @ weft.ones((3, 2), device=device)).sum())(X.to_device(device))
    assert made.device == device and close(made.to_device("cpu"), 2 * X.sum(axis=1))


# ---- writes


def test_writes_to_what_the_function_makes() -> None:
    def f(x: Any) -> Any:
        made = weft.zeros(4)
        made[1:] = x
        made *= 2
        return made

    assert close(weft.vmap(f)(X), weft.pad(X * 2, ((0, 0), (1, 0))))


def test_writes_to_arguments_are_writes_to_the_batch() -> None:
    x = X.copy()
    view = x[:, 1:]

    def f(e: Any) -> Any:
        e[0] = e.sum()
        return e * 2

    made = weft.vmap(f)(view)
    expected = X.numpy().copy()
    expected[:, 1] = expected[:, 1:].sum(axis=1)
    assert close(x, expected) and close(made, 2 * expected[:, 1:])


def test_writes_to_several_arguments() -> None:
    arrays = [np.arange(6.0).reshape(3, 2), np.ones((3, 2))]

    def swap(a: Any, b: Any) -> Any:
        before = a.copy()
        a[...] = b * 3
        b[...] = before
        return before + 1, a - b

    sums, differences = weft.vmap(swap)(*map(weft.asarray, arrays))
    assert [a.tolist() for a in arrays] == [[[3.0, 3.0]] * 3, [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]]
    assert sums.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] and differences.tolist() == (3 - sums + 1).tolist()
    with pytest.raises(AxisError):
        weft.vmap(swap, out_axes=5)(*map(weft.asarray, arrays))
    assert arrays[0].tolist() == [[3.0, 3.0]] * 3  # nothing was written


def test_writes_to_memory_that_is_read_otherwise_are_refused() -> None:
    x = X.copy()

    def f(e: Any, other: Any) -> Any:
        e[0] = 100.0
        return other.sum()

    for g in (lambda: weft.vmap(f)(x, x[::-1]), lambda: weft.vmap(lambda e: f(e, x * 2))(x)):
        with pytest.raises(TracingError, match="writes argument e, which shares memory"):
            g()
    with pytest.raises(TracingError, match="writes argument e, which shares memory"):
        weft.vmap(f, in_axes=(0, None))(x, x)
    array = np.zeros((3, 2))
    with pytest.raises(TracingError, match="writes argument e, which shares memory"):
        weft.vmap(f)(weft.asarray(array), weft.asarray(array[::-1]))
    assert x.tolist() == X.tolist() and not array.any()
    weft.vmap(f)(weft.asarray(array), X[:3])
    assert array[:, 0].tolist() == [100.0] * 3


def test_writes_outside_are_refused() -> None:
    w = weft.zeros(3)

    def add(x: Any) -> None:
        w[...] = w + x

    with pytest.raises(TracingError, match="writes a tensor that is no argument"):
        weft.vmap(add)(X)
    assert w.tolist() == [0, 0, 0]
    with pytest.raises(TracingError, match="writes a tensor that is no argument"):
        weft.vmap(lambda x, v: weft.assign(v, v + x), in_axes=(0, None))(X, w)
    w.requires_grad_()
    with pytest.raises(TracingError, match="sets the gradient of a tensor outside"):
        weft.vmap(lambda x: (w * x).sum().backward())(X)
    assert w.grad is None
    with pytest.raises(WriteError):
        weft.vmap(lambda x: x.__setitem__(0, 1.0))(weft.constant(X))


# ---- random numbers


def test_generators_give_each_entry_its_own_numbers() -> None:
    rng, same = weft.random.default_rng(5), weft.random.default_rng(5)
    made = weft.vmap(lambda x: x + rng.normal(size=3))(X)
    assert made.tolist() == (X + same.normal(size=(5, 3))).tolist()
    twice = weft.vmap(lambda a: weft.vmap(lambda b: a[0] * 0 + b[0] * 0 + rng.random())(X))(Y)
    assert twice.tolist() == same.random((5, 5)).tolist()
    order = weft.vmap(lambda x: rng.permutation(4))(X)
    assert order.shape == (5, 4) and len({tuple(row) for row in order.tolist()}) > 1
    assert weft.sort(order, axis=1).tolist() == [[0, 1, 2, 3]] * 5


def test_seeds_give_all_entries_the_same_numbers() -> None:
    made = weft.vmap(lambda x: x + weft.random.normal(3, seed=5))(X)
    assert made.tolist() == (X + weft.random.normal(3, seed=5)).tolist()


def test_random_numbers_in_compiled_functions() -> None:
    rng, same = weft.random.default_rng(5), weft.random.default_rng(5)
    step = weft.compile(lambda x: weft.vmap(lambda e: e * 0 + rng.normal(size=3))(x))
    for _ in range(3):
        assert step(X).tolist() == same.normal(size=(5, 3)).tolist()
    with pytest.raises(ArgumentError, match="permutation of many positions"):
        weft.vmap(lambda x: rng.permutation(5000))(X)


# ---- what is refused


@pytest.mark.parametrize(
    ("f", "in_axes", "out_axes", "args", "error", "says"),
    [
        (lambda a, b: a + b, 0, 0, (X, Y[:4]), ShapeError, "argument a has 5, argument b has 4"),
        (lambda a, b: a, (0, {"w": 1}), 0, (X, {"w": Y}), ShapeError, "argument a has 5, argument b\\['w'\\] has 2"),
        (lambda a, b: a, 0, 0, (X, 2.0), AxisError, "argument b of shape \\(\\), mapped along axis 0; it has no axis"),
        (lambda a, b: a, 0, 0, (X, "text"), ArgumentError, "argument b is 'text'"),
        (lambda a, b: a, 0, 0, (X, weft.asarray(2.0)), AxisError, "argument b of shape \\(\\), mapped along axis 0"),
        (lambda a, b: a, (0, 2), 0, (X, Y), AxisError, "argument b of shape \\(5, 2\\), mapped along axis 2"),
        (lambda a: a, (0, 0), 0, (X,), ArgumentError, "another structure than the arguments"),
        (lambda a: a, ([0],), 0, (X,), ArgumentError, "another structure than the arguments"),
        (lambda a: a, None, 0, (X,), ArgumentError, "no argument is mapped"),
        (lambda a: a, 0, (0, 1), (X,), ArgumentError, "another structure than the results"),
        (lambda a: a, 0, 2, (X,), AxisError, "result with its entries along axis 2"),
        (lambda a: {"v": a}, 0, None, (X,), ArgumentError, "result\\['v'\\] differs between entries"),
        (lambda a: "text", 0, 0, (X,), ArgumentError, "returns 'text'"),
    ],
)  # fmt: skip
def test_axes_that_do_not_fit(f: Any, in_axes: Any, out_axes: Any, args: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        weft.vmap(f, in_axes=in_axes, out_axes=out_axes)(*args)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x if x.sum() > 0 else -x,
        lambda x: x.tolist(),
        lambda x: x[x > 0],
        lambda x: weft.unique(x),
        lambda x: float(x[0]),
    ],
)
def test_values_of_an_entry_cannot_be_read(f: Any) -> None:
    with pytest.raises(TracingError, match=r"vmap: a value of argument x is read at .*test_vmap.py:"):
        weft.vmap(f)(X)


def test_bad_functions() -> None:
    with pytest.raises(ArgumentError, match="vmap: a Tensor"):
        weft.vmap(X)
    kept: list[Any] = []
    weft.vmap(lambda x: kept.append(x) or x)(X)
    with pytest.raises(TracingError, match=r"is read at .*test_vmap.py:\d+ after it was traced"):
        kept[0].tolist()
    with pytest.raises(GradientError):
        weft.vmap(lambda x: weft.autograd.grad(x.sum(), x)[0])(X)
