"""Derivatives of functions: gradients, Jacobians, products with Jacobians and Hessians."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft.autograd.record import Accumulator
from weft.errors import ArgumentError, DTypeError, GradientError, ShapeError, WeftError

RNG = np.random.default_rng(5)
A, B = RNG.normal(size=(3, 4)), RNG.normal(size=(4, 3))


def wave(x: Any) -> Any:
    return (weft.sin(x) * x**2).sum()


def slope(x: np.ndarray) -> np.ndarray:
    return np.cos(x) * x**2 + 2 * x * np.sin(x)


def test_a_gradient_is_that_of_the_tape() -> None:
    x = weft.asarray(A).requires_grad_()
    (wanted,) = weft.autograd.grad(wave(x), x)
    found = weft.grad(wave)(A)
    assert found.tolist() == wanted.tolist() and np.allclose(found.numpy(), slope(A), rtol=1e-12)


def test_nothing_of_a_call_is_kept() -> None:
    x = weft.asarray(A)
    value, found = weft.value_and_grad(wave)(x)
    assert not (x.requires_grad or value.requires_grad or found.requires_grad) and x.grad is None
    _, pullback = weft.vjp(weft.sin, x)
    assert not pullback(x)[0].requires_grad and not weft.jvp(weft.sin, (x,), (x,))[1].requires_grad


def test_steps_by_gradients_keep_no_former_step() -> None:
    def last(steps: int) -> int:
        w = weft.asarray([1.0, 2.0])
        for _ in range(steps):
            w = w - 0.1 * weft.grad(lambda w: (w * w).sum())(w)
            w.realize()
        gc.collect()
        return sum(type(o) is Accumulator for o in gc.get_objects())

    assert last(3) == last(20)


def test_results_go_with_the_function() -> None:
    leaves = []

    def f(x: Any) -> Any:
        y = weft.exp(x)
        leaves.append(weakref.ref(y))
        return y.sum()

    found = weft.grad(f)(A)
    assert leaves[0]() is None
    assert np.allclose(found.numpy(), np.exp(A))


def test_containers_and_several_arguments() -> None:
    params = {"w": weft.asarray(A), "b": [weft.asarray(2.0), None]}
    value, found = weft.value_and_grad(lambda p, x: (p["w"] @ x).sum() * p["b"][0])(params, B)
    assert np.allclose(found["w"].numpy(), 2 * np.ones((3, 3)) @ B.T) and found["b"][1] is None
    assert np.isclose(value.item(), 2 * (A @ B).sum()) and np.isclose(found["b"][0].item(), (A @ B).sum())
    both = weft.grad(lambda x, y: (x @ y).sum(), argnums=(0, -1))(A, B)
    assert type(both) is tuple and np.allclose(both[1].numpy(), A.T @ np.ones((3, 3)))
    assert weft.grad(lambda x, y: x * y.sum(), argnums=1)(2.0, A).tolist() == np.full((3, 4), 2.0).tolist()


def test_what_a_result_does_not_depend_on_has_gradient_zero() -> None:
    assert weft.grad(lambda x, y: x.sum(), argnums=(0, 1))(A, B)[1].tolist() == np.zeros((4, 3)).tolist()


def test_more_results() -> None:
    found, more = weft.grad(lambda x: (x**2, {"twice": x * 2}), has_aux=True)(3.0)
    assert (found.item(), more["twice"].item(), more["twice"].requires_grad) == (6.0, 6.0, False)
    (value, _), _ = weft.value_and_grad(lambda x: (x**2, 1), has_aux=True)(3.0)
    assert value.item() == 9.0


@pytest.mark.parametrize("power", [1, 2, 3, 5])
def test_gradients_of_gradients(power: int) -> None:
    f, x, wanted = lambda x: x**power, 1.5, 1.5**power
    for k in range(4):
        f = weft.grad(f)
        wanted = wanted * (power - k) / x
        assert np.isclose(f(x).item(), wanted)


def test_each_function_differentiates_by_its_own_argument() -> None:
    assert weft.grad(lambda x: weft.grad(lambda y: x * y)(x))(3.0).item() == 1.0
    assert weft.grad(lambda x: x * weft.grad(lambda y: x + y)(1.0))(3.0).item() == 1.0


def test_the_tape_of_the_caller_goes_on() -> None:
    w, x = weft.asarray(2.0).requires_grad_(), weft.asarray(3.0).requires_grad_()
    value, found = weft.value_and_grad(lambda x: w * x**3)(x)
    (value + found).backward()
    assert (w.grad.item(), x.grad.item()) == (27.0 + 27.0, 54.0 + 36.0)
    with weft.no_grad():
        found = weft.grad(lambda x: w * x**3)(x)
    assert found.item() == 54.0 and not found.requires_grad


def test_writes_of_the_function_stay_inside() -> None:
    def f(x: Any) -> Any:
        x *= 2
        x[0] = 1.0
        return (x * x).sum()

    x = weft.asarray([1.0, 2.0, 3.0])
    assert weft.grad(f)(x).tolist() == [0.0, 16.0, 24.0] and x.tolist() == [1.0, 2.0, 3.0]


def test_products_with_a_jacobian() -> None:
    f = lambda x, y: {"p": weft.exp(x) @ y, "s": [x.sum(), None]}  # noqa: E731
    value, pullback = weft.vjp(f, A, B)
    u = {"p": np.ones((3, 3)), "s": [2.0, None]}
    gx, gy = pullback(u)
    assert np.allclose(gx.numpy(), np.exp(A) * (np.ones((3, 3)) @ B.T) + 2)
    v = (A + 1, B * 2)
    same, along = weft.jvp(f, (A, B), v)
    assert np.allclose(along["p"].numpy(), (np.exp(A) * v[0]) @ B + np.exp(A) @ v[1])
    assert along["s"][1] is None and same["p"].tolist() == value["p"].tolist()
    sides = (along["p"].sum() + 2 * along["s"][0]).item(), (gx * v[0]).sum().item() + (gy * v[1]).sum().item()
    assert np.isclose(*sides)


def test_products_with_complex_derivatives() -> None:
    z, t = np.asarray([1 + 2j, 3 - 1j]), np.asarray([1j, 2 - 1j])
    assert np.allclose(weft.jvp(lambda z: z * z, (z,), (t,))[1].numpy(), 2 * z * t)
    assert np.allclose(weft.vjp(lambda z: z * z, z)[1](t)[0].numpy(), t * np.conj(2 * z))
    assert np.allclose(weft.grad(lambda z: (weft.abs(z) ** 2).sum())(z).numpy(), 2 * z)


def test_products_with_a_hessian() -> None:
    (found,) = weft.hessian_vector_product(wave, (A,), (B.T,))
    second = -np.sin(A) * A**2 + 4 * A * np.cos(A) + 2 * np.sin(A)
    assert np.allclose(found.numpy(), second * B.T)
    x, y = weft.hessian_vector_product(lambda x, y: (x * y).sum(), (A, A + 1), (A, B.T))
    assert x.tolist() == B.T.tolist() and y.tolist() == A.tolist()
    assert weft.hessian_vector_product(lambda x: x.sum(), (A,), (A,))[0].tolist() == np.zeros((3, 4)).tolist()


def test_jacobians() -> None:
    def f(x: Any, y: Any) -> Any:
        return weft.tanh(x @ y), x.sum()

    (wide, flat), by_y = weft.jacobian(f)(A, B), weft.jacobian(f, argnums=(1,))(weft.asarray(A), B)
    outer = 1 - np.tanh(A @ B) ** 2
    assert np.allclose(wide.numpy(), outer[..., None, None] * np.einsum("ik,lj->ijkl", np.eye(3), B))
    assert flat.tolist() == np.ones((3, 4)).tolist()
    assert np.allclose(by_y[0][0].numpy(), outer[..., None, None] * np.einsum("ik,jl->ijkl", A, np.eye(3)))
    assert by_y[1][0].tolist() == np.zeros((4, 3)).tolist()
    assert weft.jacobian(lambda x: x[:0])(np.ones(2)).shape == (0, 2)
    hessian = weft.jacobian(weft.grad(lambda x: x.prod()))(np.asarray([1.0, 2.0, 3.0]))
    assert hessian.tolist() == [[0.0, 3.0, 2.0], [3.0, 0.0, 1.0], [2.0, 1.0, 0.0]]


@pytest.mark.parametrize(
    "derived",
    [
        weft.grad(wave),
        weft.jacobian(weft.grad(wave)),
        lambda x: weft.hessian_vector_product(wave, (x,), (x,))[0],
        lambda x: weft.jvp(weft.sin, (x,), (x,))[1],
        lambda x: weft.vjp(weft.sin, x)[1](x)[0],
    ],
)
def test_derivatives_compiled_and_over_batches(derived: Callable[[Any], Any]) -> None:
    xs = weft.asarray(RNG.normal(size=(4, 3)))
    wanted = [derived(x).tolist() for x in xs]
    compiled = weft.compile(derived)
    assert [compiled(x).tolist() for x in xs] == wanted and compiled.traces == 1
    assert np.allclose(weft.vmap(derived)(xs).numpy(), wanted, rtol=1e-13)


def test_a_compiled_function_is_differentiated() -> None:
    assert weft.grad(weft.compile(wave))(A).tolist() == weft.grad(wave)(A).tolist()
    square = weft.compile(weft.grad(lambda rate: rate**2))
    assert (square(2.0).item(), square(3.0).item(), square.traces) == (4.0, 6.0, 1)


X = weft.asarray([1.0, 2.0])
REFUSED: list[tuple[Callable[[], object], type[WeftError], str]] = [
    (lambda: weft.grad(X.sum(), X), ArgumentError, "grad: a Tensor; .*weft.autograd.grad"),  # type: ignore[arg-type]
    (lambda: weft.vjp(3), ArgumentError, "vjp: a int; derivatives are those of a function"),  # type: ignore[arg-type]
    (lambda: weft.grad(lambda x: x)(X), GradientError, r"returns shape \(2,\).*jacobian"),
    (lambda: weft.grad(lambda x: (x, x))(X), GradientError, "returns a tuple"),
    (lambda: weft.grad(lambda x: None)(X), GradientError, "no result depends"),
    (lambda: weft.grad(lambda x: x.sum().item())(X), ArgumentError, r"returns 3\.0, no tensor"),
    (lambda: weft.grad(lambda x: weft.asarray(x[0].item()))(X), GradientError, "no result depends on the arguments"),
    (lambda: weft.grad(lambda x: x[0] * 1j)(X), GradientError, "complex128; a gradient is that of a real number"),
    (lambda: weft.jacobian(lambda x: x * 1j)(X), GradientError, "complex128; a Jacobian"),
    (lambda: weft.grad(lambda x: x * 2)(3), DTypeError, "argument x is 3; only floats"),
    (lambda: weft.grad(lambda p: p["a"])({"a": X, "n": [1]}), DTypeError, r"argument p\['n'\]\[0\] is 1;"),
    (lambda: weft.grad(lambda x: x.sum())(weft.arange(3)), DTypeError, "argument x is of dtype int64"),
    (lambda: weft.grad(lambda x: x, argnums=1)(X), ArgumentError, "argnums=1 for a call with 1 arguments by place"),
    (lambda: weft.grad(lambda x: x, argnums=())(X), ArgumentError, r"argnums=\(\)"),
    (lambda: weft.grad(lambda x, y: x, argnums=(0, -2))(X, X), ArgumentError, r"argnums=\(0, -2\)"),
    (lambda: weft.grad(lambda x: x, has_aux=True)(X), ArgumentError, "has_aux=True it returns"),
    (lambda: weft.jvp(weft.sin, X, X), ArgumentError, r"primals is a Tensor.*write \(primals,\)"),
    (lambda: weft.jvp(weft.sin, (X,), (X[:1],)), ShapeError, r"tangents\[0\] of shape \(1,\) for shape \(2,\)"),
    (lambda: weft.jvp(weft.sin, (X,), (X, X)), ArgumentError, "its structure is that of primals"),
    (lambda: weft.vjp(weft.sin, X)[1]([X]), ArgumentError, "its structure is that of the value"),
]


@pytest.mark.parametrize(("refused", "error", "message"), REFUSED)
def test_refused(refused: Callable[[], object], error: type[WeftError], message: str) -> None:
    with pytest.raises(error, match=message):
        refused()


def test_without_recording_a_result_without_a_record_is_refused_too() -> None:
    with weft.no_grad(), pytest.raises(GradientError, match="no result depends"):
        weft.grad(lambda x: weft.asarray(x[0].item()))(X)
