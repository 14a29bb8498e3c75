"""Derivatives of functions: gradients, Jacobians, and products with Jacobians and Hessians.

The one idea: one call of the function on leaves (`weft.autograd.differentiated_call`), then backward passes.  A product
with a Jacobian is the gradient of a backward pass by its seed, in which it is linear.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from weft.api.arguments import integers, is_one
from weft.api.standard.creation_functions import ones_like, zeros_like
from weft.api.standard.manipulation_functions import reshape
from weft.api.standard.matrices import eye
from weft.autograd.differentiated_call import DifferentiatedCall, matching
from weft.autograd.tape import requires_grad_
from weft.errors import ArgumentError
from weft.programs.pytrees import put_together
from weft.programs.vmap import vmap
from weft.tensors.tensor import Tensor


def value_and_grad(f: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., tuple[Any, Any]]:
    """Return a function that gives (f(...), gradient of f by the arguments at `argnums`), in one call of f.

    f returns a tensor of one real number, with has_aux=True a pair of it and anything else. The gradient has the
    structure of the argument: a tensor, or a container of tensors (see `weft.compile`); it is a tuple if `argnums` is.
    It is 0 for what the result does not depend on. The argument itself gets no `grad`, and writes of f to it are not
    seen outside.

    Raises ArgumentError if f is not callable. The function returned raises DTypeError for arguments without gradients
    (integers, bools), ArgumentError for results that are no tensors and for `argnums` that are not the places of
    different arguments, GradientError for results of several numbers, complex ones, and those without a record.

    >>> import weft
    >>> loss = lambda params, x: ((params["w"] * x + params["b"]) ** 2).sum()
    >>> params = {"w": weft.asarray(2.0), "b": weft.asarray(1.0)}
    >>> value, gradient = weft.value_and_grad(loss)(params, weft.asarray([1.0, 2.0]))
    >>> value.item(), gradient["w"].item(), gradient["b"].item()
    (34.0, 26.0, 16.0)
    """
    return _value_and_grad("value_and_grad", f, argnums, has_aux)


def _value_and_grad(op: str, f: Callable[..., Any], argnums: Any, has_aux: bool) -> Callable[..., tuple[Any, Any]]:
    """Return the function that `value_and_grad` describes; `op` names it in errors.

    Raises ArgumentError if f is not callable.
    """

    def derived(*args: Any, **named: Any) -> tuple[Any, Any]:
        call = DifferentiatedCall(op, f, _places(op, argnums, args), args, named, has_aux)
        y = call.number()
        found = _alone(argnums, call.as_arguments(call.gradients([ones_like(y)])))
        return (call.value(), call.aux) if has_aux else call.value(), found

    return update_wrapper(derived, _checked(op, f))


def grad(f: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return a function that gives the gradient of f by the arguments at `argnums`; with has_aux=True, (gradient, aux).

    See `weft.value_and_grad`, also for the errors; the function that is returned may be differentiated again.
    `weft.autograd.grad` gives the gradient of a tensor that was computed already.

    >>> import weft
    >>> f = lambda x: x**3
    >>> weft.grad(f)(weft.asarray(2.0)).item(), weft.grad(weft.grad(f))(weft.asarray(2.0)).item()
    (12.0, 12.0)
    """
    both = _value_and_grad("grad", f, argnums, has_aux)

    def derived(*args: Any, **named: Any) -> Any:
        value, found = both(*args, **named)
        return (found, value[1]) if has_aux else found

    return update_wrapper(derived, f)


def vjp(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Return (f(*primals), a function from a gradient of this value to a tuple of the gradients of the primals).

    That is the product of a vector and the Jacobian. Results may have any shape and structure. Raises ArgumentError if
    f is not callable or returns no tensors, DTypeError for primals without gradients (integers, bools), GradientError
    if no result depends on the primals by recorded operations; the function raises ArgumentError or ShapeError for a
    gradient unlike the value.

    >>> import weft
    >>> value, pullback = weft.vjp(lambda x, y: x * y, weft.asarray([1.0, 2.0]), weft.asarray([3.0, 4.0]))
    >>> [g.tolist() for g in pullback(weft.asarray([1.0, 10.0]))]
    [[3.0, 40.0], [1.0, 20.0]]
    """
    call = DifferentiatedCall("vjp", _checked("vjp", f), range(len(primals)), primals, {})

    def pullback(gradient: Any) -> tuple[Any, ...]:
        like = put_together(call.results, lambda k: None if k is None else call.outputs[k])
        return call.as_arguments(call.gradients(matching("vjp", "gradient", gradient, like, "the value")))

    return call.value(), pullback


def jvp(f: Callable[..., Any], primals: Any, tangents: Any) -> tuple[Any, Any]:
    """Return (f(*primals), the derivative of this value along the tuple `tangents`).

    That is the product of the Jacobian and a vector. Raises DTypeError for primals without gradients (integers, bools),
    GradientError if no result depends on the primals by recorded operations, ArgumentError if the structure of
    `tangents` is not that of `primals`, ShapeError if a shape differs.

    >>> import weft
    >>> value, slope = weft.jvp(lambda x: x**2, (weft.asarray([1.0, 2.0]),), (weft.asarray([1.0, 10.0]),))
    >>> value.tolist(), slope.tolist()
    ([1.0, 4.0], [2.0, 40.0])
    """
    given = _tuple("jvp", "primals", primals)
    call = DifferentiatedCall("jvp", _checked("jvp", f), range(len(given)), given, {})
    vectors = call.tangents(_tuple("jvp", "tangents", tangents))
    seeds = [requires_grad_(zeros_like(y)) for y in call.outputs]  # any: the pass is linear in them
    slopes = call.pushed(call.pulled(seeds, True), vectors, seeds)
    return call.value(), put_together(call.results, lambda k: None if k is None else slopes[k])


def hessian_vector_product(f: Callable[..., Any], primals: Any, tangents: Any) -> tuple[Any, ...]:
    """Return a tuple: the product of the Hessian of f at the tuple `primals` and the tuple `tangents`.

    f returns one real number. The Hessian itself is not made: the work is a few times that of f. Raises what `weft.jvp`
    raises, and GradientError unless f returns one real number.

    >>> import weft
    >>> x, v = weft.asarray([1.0, 2.0, 3.0]), weft.asarray([1.0, 0.0, 0.0])
    >>> weft.hessian_vector_product(lambda x: x.prod(), (x,), (v,))[0].tolist()
    [0.0, 3.0, 2.0]
    """
    op = "hessian_vector_product"
    given = _tuple(op, "primals", primals)
    call = DifferentiatedCall(op, _checked(op, f), range(len(given)), given, {})
    vectors = call.tangents(_tuple(op, "tangents", tangents))
    first = call.pulled([ones_like(call.number())], True)
    return call.as_arguments(call.pushed(first, vectors, list(call.leaves.values())))


def jacobian(f: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """Return a function that gives the derivative of each cell of f(...) by each cell of the arguments at `argnums`.

    For a result of shape S and an argument of shape A it is a tensor of shape S + A; containers of results hold such
    containers of arguments. All rows come of one backward pass (`weft.vmap`). The function raises what `weft.vjp`
    raises, and GradientError if a result or an argument is complex.

    >>> import weft
    >>> weft.jacobian(lambda x: x[:2] * x[2])(weft.asarray([1.0, 2.0, 3.0])).tolist()
    [[3.0, 0.0, 1.0], [0.0, 3.0, 2.0]]
    """

    def derived(*args: Any, **named: Any) -> Any:
        call = DifferentiatedCall("jacobian", f, _places("jacobian", argnums, args), args, named)
        for t in (*call.outputs, *call.leaves.values()):
            call.check_real(t, "a Jacobian is that of real numbers; use vjp() or jvp()")
        return put_together(call.results, lambda k: None if k is None else _alone(argnums, _rows(call, k)))

    return update_wrapper(derived, _checked("jacobian", f))


def _rows(call: DifferentiatedCall, k: int) -> tuple[Any, ...]:
    """Return the derivatives of output k of a call by its arguments, in the arguments' structure.

    Each has the shape of the output followed by that of the argument's tensor.
    """
    y = call.outputs[k]
    others = [zeros_like(x) for x in call.outputs]
    rows = vmap(lambda g: call.gradients([*others[:k], g, *others[k + 1 :]]))(
        reshape(eye(y.size, dtype=y.dtype, device=y.device), (y.size, *y.shape))
    )
    pairs = zip(rows, call.leaves.values(), strict=True)
    return call.as_arguments([reshape(r, (*y.shape, *leaf.shape)) for r, leaf in pairs])


def _checked(op: str, f: Callable[..., Any]) -> Callable[..., Any]:
    """Return f; raises ArgumentError if it is not callable."""
    if callable(f):
        return f
    told = (
        "; of tensors that were computed, weft.autograd.grad(outputs, inputs) gives it" if isinstance(f, Tensor) else ""
    )
    raise ArgumentError(f"{op}: a {type(f).__name__}; derivatives are those of a function{told}; pass a function")


def _places(op: str, argnums: Any, args: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the indices of the arguments to differentiate by.

    Raises DTypeError if `argnums` is neither an integer nor a sequence of integers, ArgumentError if an index is not
    among `args` or is named twice, or there is none.
    """
    given = integers(op, "argnums", argnums)
    n = len(args)
    if not given or any(not -n <= k < n for k in given) or len({k % n for k in given}) < len(given):
        raise ArgumentError(
            f"{op}: argnums={argnums!r} for a call with {n} arguments by place; it has the places of different ones, "
            "from 0; give such, and these arguments by place"
        )
    return tuple([k % n for k in given])


def _alone(argnums: Any, found: tuple[Any, ...]) -> Any:
    """Return the tuple `found`, or its only part if `argnums` is an integer."""
    return found[0] if is_one(argnums) else found


def _tuple(op: str, what: str, x: Any) -> tuple[Any, ...]:
    """Return `x`, a list or tuple, as a tuple; raises ArgumentError for another type, naming `what`."""
    if not isinstance(x, (list, tuple)):
        raise ArgumentError(f"{op}: {what} is a {type(x).__name__}; it has a part for each argument; write ({what},)")
    return tuple(x)
