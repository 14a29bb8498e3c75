"""Moving tensors between devices, and queueing work on their memory.

The one idea: moving a tensor is one more node; creation functions work on the host, or with generators that every
device has, and a transfer moves the result to the requested device.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec

import numpy as np

from weft import callbacks
from weft import dtypes as dt
from weft.errors import ArgumentError, DTypeError, ValueRangeError
from weft.ir.graph import node as ir
from weft.ir.graph.description import Shape, c_strides, describe
from weft.ir.graph.node import locate, root_of
from weft.runtime.compute import stages
from weft.runtime.devices import placement
from weft.runtime.devices.device import Device, device, place_for
from weft.runtime.devices.stream import Cells, Event, Stream
from weft.tensors.place import check_writable, lock_of
from weft.tensors.tensor import Tensor, node_of, wrap, writable_like
from weft.tensors.versions import prepare_write

P = ParamSpec("P")


def moved(x: Tensor, to: Device, on: Stream | None = None) -> Tensor:
    """Return a tensor on device `to`: itself if it lies there, else a new one.

    That is computed on stream `on`, if given. Raises ValueRangeError if `on` is no stream of that device.
    """
    n = node_of(x)
    if on is not None:
        to.own(on)
    if x.device is to:
        return x
    made = wrap(locate(placement.transfer(n, None if to.is_host else to)))
    if on is not None:
        with on:
            made.realize()
    return writable_like(made, x)


def in_order(x: Tensor, order: str, strides: Shape | None = None) -> Tensor:
    """Return a device tensor's values on its device in a byte order and, if given, with these strides in bytes.

    Raises ValueRangeError if the device cannot swap bytes.
    """
    n = node_of(x)
    home = x.device
    swapped = x.byteorder != order and n.desc.dtype.itemsize > 1
    if not swapped and (strides is None or strides == n.desc.strides):
        return x
    if swapped and not home.supports_byteswap:
        raise ValueRangeError(
            f"asarray: {order}-endian cells on {home.name}; it cannot swap bytes; keep them on the host, or take "
            "native cells"
        )
    d = n.desc
    np_dtype = dt.to_numpy(d.dtype, order)
    memory = home.allocate(np_dtype, d.shape, strides=strides)
    steps = c_strides(d.shape, d.dtype.itemsize) if strides is None else strides
    leaf = ir.stored(describe(d.dtype, d.shape, steps, order == "big", d.origin), memory)
    leaf.traits = home.traits
    stages.store(n, leaf)
    return wrap(leaf)


def placed(x: Tensor, to: Any) -> Tensor:
    """Return a tensor moved to the device of a `device=` argument; the tensor itself for None.

    Raises ValueRangeError for an unknown device.
    """
    return x if to is None else moved(x, device(to))


def here(make: Callable[P, Tensor]) -> Callable[P, Tensor]:
    """Decorate a function that creates tensors on the host, so that its result moves to the `device=` argument.

    The decorated function raises ValueRangeError for an unknown device.
    """
    name = make.__name__

    @wraps(make)
    def made(*args: P.args, **given: P.kwargs) -> Tensor:
        to = place_for(name, given.pop("device", None))
        if to.is_host:
            return make(*args, **given)
        x = make(*args, **given)
        found = settled(x, to)
        asked = given.get("order") == "F" or given.get("strides") is not None
        return in_order(found, x.byteorder, node_of(x).desc.strides) if asked and found is not x else found

    return made


def check_no_record(name: str, given: Mapping[str, object]) -> None:
    """Raise ArgumentError if PyTorch's keyword `requires_grad` is given to a creation function."""
    if "requires_grad" in given:
        raise ArgumentError(
            f"{name}: requires_grad={given['requires_grad']!r:.60}; gradients are recorded for a tensor that is there; "
            f"write {name}(...).requires_grad_()"
        )


def beside(made: Sequence[Tensor], x: Tensor) -> tuple[Tensor, ...]:
    """Return the tensors `made`, computed on the host from the values of `x`, on the device of `x`."""
    return tuple([moved(m, x.device) for m in made])


def settled(x: Tensor, to: Device) -> Tensor:
    """Return a newly created tensor on device `to`: stored memory is copied now, pending values when they are computed.

    Raises ValueRangeError for big-endian cells if the device cannot swap bytes.
    """
    order = x.byteorder
    found = moved(x, to)
    if node_of(x).value is not None and found is not x:
        found.realize()
    return in_order(found, order) if order == "big" and found is not x else found


def sync(self: Tensor) -> Tensor:
    """Compute the value, wait until it is stored, and return this tensor; raises the error of failed work."""
    self.realize()
    n = node_of(self)
    value = root_of(n).value
    if isinstance(value, Cells):
        value.uses.sync()
    return self


def run(on: Stream, function: Callable[..., Any], reads: Sequence[Any], writes: Sequence[Any]) -> Event:
    """Queue a call `function(*read arrays, *written arrays)` on a stream, over the memory of tensors; return its event.

    Raises ValueRangeError unless all are tensors of the stream's device, DTypeError if `function` is not callable or
    they are in no list or tuple, and WriteError if a tensor in `writes` is read-only.
    """
    for name, given in (("reads", reads), ("writes", writes)):
        if not isinstance(given, (list, tuple)):
            raise DTypeError(f"run: {name} is a {type(given).__name__}; it has the tensors that are used; give a list")
    for x in (*reads, *writes):
        if not isinstance(x, Tensor) or x.device is not on.device:
            what = f"a tensor on {x.device}" if isinstance(x, Tensor) else f"a {type(x).__name__}"
            raise ValueRangeError(f"run: {what} on {on!r}; work touches tensors of its own device; move it there first")
    if not callable(function):
        raise DTypeError(f"run: {type(function).__name__} is no function; arrays of memory are passed to one; give it")
    made = []
    with on:  # pending values are computed on this stream, in order with the function
        for x in reads:
            x.realize()  # before its operands are overwritten
        for x in writes:
            with lock_of(x._place):
                check_writable("run", node_of(x), node_of(x))
                made.append(placement.cells_of(prepare_write(x)))
        given = [placement.cells_of(node_of(x.realize())) for x in reads]  # may share memory with written tensors
    uses = [[a.uses for a in arrays if isinstance(a, Cells)] for arrays in (given, made)]
    bare = [a.view(np.ndarray) for a in (*given, *made)]
    for a in bare[: len(given)]:
        a.flags.writeable = False
    return on.submit(lambda: function(*bare), *uses, getattr(function, "__name__", "run"))


callbacks.RUN = run
