"""The gradient methods of tensors: requiring gradients, inspecting records and computing gradients.

The one idea: all facts are in the traits of the node that a tensor reads; the class itself has no slot for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from weft.api.arguments import sequence, tensor_given
from weft.api.storages.copying import is_alone, move_to
from weft.autograd.record import Accumulator, Known, Record, record_of, recording, with_record
from weft.errors import DTypeError, GradientError
from weft.interop.imports import asarray
from weft.ir.atoms import selections
from weft.ir.graph import node as ir
from weft.runtime.fork_safety import late_import
from weft.tensors.tensor import Tensor, node_of, view, wrap


def _engine() -> Any:
    """Return the module of the backward pass, imported at the first call."""
    return late_import("weft.autograd.backward_pass")


def requires_grad_(self: Tensor, flag: bool = True) -> Tensor:
    """Make the tensor a leaf that requires gradients, or with `flag=False` no longer; returns the tensor.

    A view of what nothing else refers to, as `y.detach()` of a y that is gone, becomes a tensor of its own. Raises
    DTypeError for dtypes without gradients (bools, integers), GradientError for other views and results.

    >>> import weft
    >>> x = weft.asarray([1.0, 2.0]).requires_grad_()
    >>> (x * x).sum().backward()
    >>> x.grad.tolist()
    [2.0, 4.0]
    """
    if not self.dtype.is_inexact or self.dtype.storage:
        raise DTypeError(
            f"requires_grad_: a tensor of dtype {self.dtype.name}; only floats and complex numbers that are computed "
            "with have gradients; convert it first, with astype()"
        )
    n = node_of(self)
    if flag and self._view is not None and record_of(n) is None and is_alone(self):
        move_to(self, wrap(ir.copied(n)))
        n = node_of(self)
    if self._view is not None or isinstance(record_of(n), Record):
        what = "a view" if self._view is not None else "the result of an operation"
        raise GradientError(
            f"requires_grad_: {what}; gradients are asked for with respect to tensors of their own; call it on the "
            "tensor that this is made of, or on a copy()"
        )
    if not flag:
        with_record(n, None)
    elif record_of(n) is None:
        with_record(n, Accumulator(self._place))
    return self


def requires_grad(self: Tensor) -> bool:
    """True if the tensor is a leaf that requires gradients, or computed from one."""
    return record_of(node_of(self)) is not None


def is_leaf(self: Tensor) -> bool:
    """True if no recorded operation made the tensor."""
    return not isinstance(record_of(node_of(self)), Record)


def grad_fn(self: Tensor) -> Any:
    """Return the record of the operation that made the tensor, the accumulator of a leaf, or None without either."""
    return record_of(node_of(self))


def accumulated(self: Tensor) -> Tensor | None:
    """Return the sum of the gradients that backward() added to this leaf; None before, and for other tensors."""
    record = record_of(node_of(self))
    return record.grad if isinstance(record, Accumulator) else None


def set_grad(self: Tensor, value: Any) -> None:
    """Replace the gradient of a leaf by a tensor or array (None: clear it).

    Raises GradientError if the tensor is no leaf, or `value` has another shape or dtype, DTypeError if it has no
    numbers.
    """
    record = record_of(node_of(self))
    if not isinstance(record, Accumulator):
        raise GradientError("grad: the tensor is no leaf that requires gradients; call requires_grad_() first")
    value = None if value is None else asarray(value)
    if value is not None and (value.shape != self.shape or value.dtype is not self.dtype):
        raise GradientError(
            f"grad: {value.dtype.name}{list(value.shape)} for a tensor {self.dtype.name}{list(self.shape)}; they are "
            "alike; reshape or convert it"
        )
    record.grad = value


def detach(self: Tensor) -> Tensor:
    """Return a view of the same cells without a record; no gradient flows through it.

    >>> import weft
    >>> x = weft.asarray([3.0]).requires_grad_()
    >>> (x * x.detach()).sum().backward()
    >>> x.grad.tolist()
    [3.0]
    """
    with recording(False):
        n = node_of(self)
        return view(self, selections.permute(n, range(n.desc.ndim)))


def backward(self: Tensor, gradient: Any = None, *, create_graph: bool = False) -> None:
    """Add the gradient of this number with respect to every leaf that it depends on to the leaf's `grad`.

    A result of several cells needs `gradient`, of its shape. `create_graph`: the gradients are recorded themselves.
    Costly gradients are computed at once, with this number; others when they are read. Raises GradientError if the
    tensor has no record, an operation has no gradient rule, `gradient` has another shape, or it is missing for several
    cells.
    """
    _recorded("backward", self)
    _engine().execute([(self, _engine().seed("backward", self, _passed(gradient)))], None, create_graph)


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    gradient: Any = None,
    *,
    create_graph: bool = False,
) -> tuple[Tensor | None, ...]:
    """Return a tuple with the gradient of the outputs with respect to each input, of the input's shape.

    The gradient is None for an input on which no output depends. `gradient` is the gradient of the outputs (a list for
    several); it may be omitted for outputs of one cell, and is then 1. The leaves' `grad` does not change. Raises
    GradientError if a tensor has no record, a gradient has another shape than its output or is missing for several
    cells, or there are more or fewer gradients than outputs; DTypeError if outputs or inputs are no tensors.

    >>> import weft
    >>> x = weft.asarray(2.0).requires_grad_()
    >>> (first,) = weft.autograd.grad(x**3, x, create_graph=True)
    >>> first.item(), weft.autograd.grad(first, x)[0].item()
    (12.0, 12.0)
    """
    ends = [outputs] if isinstance(outputs, Tensor) else sequence("grad", "outputs", outputs)
    starts = [inputs] if isinstance(inputs, Tensor) else sequence("grad", "inputs", inputs)
    given = [None] * len(ends) if gradient is None else [gradient]
    if gradient is not None and not isinstance(outputs, Tensor):
        given = sequence("grad", "gradient", gradient)
    if len(given) != len(ends):
        raise GradientError(
            f"grad: {len(given)} gradients for {len(ends)} outputs; each output has one, or None; give as many"
        )
    roots = []
    for y, g in zip(ends, given, strict=True):
        _recorded("gradients", y)
        roots.append((y, _engine().seed("gradients", y, _passed(g))))
    return tuple(_engine().execute(roots, [_recorded("gradients", x) for x in starts], create_graph))


def _passed(gradient: Any) -> Tensor | None:
    """Return a given gradient as a tensor, or None for None; arrays are copied, as they may change before use."""
    return gradient if gradient is None or isinstance(gradient, Tensor) else asarray(gradient, copy=True)


def _recorded(op: str, t: Tensor) -> Known:
    """Return the record of a tensor; `op` names the function in messages.

    Raises GradientError if it has no record, DTypeError if `t` is no tensor.
    """
    record: Known | None = record_of(node_of(tensor_given(op, t)))
    if record is None:
        raise GradientError(
            f"{op}: a tensor without a record; no operand required a gradient when it was made; call "
            "requires_grad_() on what it is to be differentiated by"
        )
    return record


def no_grad() -> AbstractContextManager[bool]:
    """Return a context manager in which operations of this thread or task are not recorded.

    >>> import weft
    >>> x = weft.asarray([1.0]).requires_grad_()
    >>> with weft.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """
    return recording(False)


def install() -> None:
    """Install the gradient methods and attributes on tensors."""
    for method in (requires_grad_, detach, backward):
        setattr(Tensor, method.__name__, method)
    t: Any = Tensor
    t.is_leaf, t.grad_fn = property(is_leaf), property(grad_fn)
    t.requires_grad = property(requires_grad, requires_grad_)  # type: ignore[arg-type]  # what it returns is dropped
    t.grad = property(accumulated, set_grad)


install()
