"""The `out=` argument: writing a result into a given tensor or array.

The one idea: the result is an expression, and writing it is an in-place operation on the destination.  So it is
computed straight into that memory, converted to the destination's dtype, byte order and layout, and computed completely
first if the destination is one of its operands.  A result on another device is moved.
"""

from __future__ import annotations

from typing import Any

from weft.errors import DTypeError, ShapeError, WriteError
from weft.interop.device_moves import moved
from weft.interop.imports import asarray, copied
from weft.modes.implicit_conversions import of_transfer
from weft.runtime.devices.device import CPU
from weft.tensors.in_place import in_place
from weft.tensors.pending_limits import Limits
from weft.tensors.tensor import Tensor, node_of


def into(out: Any, value: Tensor, name: str) -> Any:
    """Write a result of function `name` into `out`, a tensor or array of exactly its shape, and return `out`.

    Raises ShapeError for another shape, DTypeError for a dtype that cannot hold the result, and WriteError where `out`
    cannot be written.

    >>> import weft
    >>> x = weft.zeros(2, dtype=weft.float32)
    >>> into(x[::-1], weft.asarray([1, 2]), "add").tolist(), x.tolist()
    ([1.0, 2.0], [2.0, 1.0])
    """
    target = out if type(out) is Tensor else _shared(out, name)
    if target.shape != value.shape:
        raise ShapeError(
            f"{name}: a result of shape {value.shape} into out= of shape {target.shape}; a destination has the "
            "shape of the result; give another one, or write out[...] = result to have it broadcast"
        )
    if node_of(value).alias is not None:  # a destination gets a value of its own
        value = copied(value)
    if node_of(value).traits is not node_of(target).traits and value.device is not target.device:
        if Limits.watcher is not None:
            Limits.watcher.judge(of_transfer(name, node_of(value), node_of(target)))
        value = moved(value, target.device)
    in_place(target, value, name)
    return out


def _shared(out: Any, name: str) -> Tensor:
    """Return an `out=` argument as a tensor over its own memory.

    Raises WriteError, naming function `name`, if it has no memory that can be shared.
    """
    if not isinstance(out, (bool, int, float, complex, list, tuple)):
        try:
            return asarray(out, device=CPU, copy=False)
        except (DTypeError, ValueError):
            pass
    raise WriteError(
        f"{name}: out= is a {type(out).__name__}; it has no memory that can be written; give a tensor or an array"
    )
