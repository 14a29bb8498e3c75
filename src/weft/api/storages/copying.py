"""Copies of tensors, deep and shallow, and writes of one tensor into another.

The one idea: a handle is a place and a selection of it.  A shallow copy is another handle on the same place; a deep
copy has a place of its own; an in-place conversion moves a handle to another place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import one_of
from weft.api.storages.resizing import has_outside_references
from weft.errors import ShapeError, WriteError
from weft.interop.device_moves import in_order
from weft.interop.imports import as_operand, check_conversion, copied
from weft.ir.atoms import selections
from weft.ir.graph import node as ir
from weft.ir.graph.description import describe
from weft.runtime.memory.access import exported
from weft.runtime.references import extra_references
from weft.tensors.place import bind, is_read_only
from weft.tensors.tensor import Tensor, handle, node_of, note_whole, view, wrap
from weft.tensors.writing import write

# ---- copies


def copy_from(self: Tensor, source: Any, /, *, linear: bool = False) -> Tensor:
    """Write the values of a tensor, or of anything `weft.asarray` takes, to every cell; return this tensor.

    Values are cast to the tensor's dtype, broadcast to its shape and stored in its layout and byte order; a source in
    the same memory is read completely first. With linear=True, as many cells of another shape are written in row-major
    order. Raises ShapeError if the values do not broadcast (or, linear, are not as many), DTypeError for complex values
    into real cells, WriteError if the cells cannot be written.

    >>> import weft
    >>> x = weft.zeros((2, 3), dtype=weft.int16)
    >>> x.copy_from([1.5, 2.5, 3.5]).tolist()
    [[1, 2, 3], [1, 2, 3]]
    >>> x.copy_from(range(6), linear=True).tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    value = node_of(source if type(source) is Tensor else as_operand(source))
    check_conversion("copy_from", value.desc.dtype, self.dtype)
    if linear and value.desc.shape != self.shape:
        if value.desc.size != self.size:
            raise ShapeError(
                f"copy_from: {value.desc.size} cells into {self.size} of shape {self.shape}; as many are needed for a "
                "linear copy; index one of them"
            )
        value = selections.reshape(value, self.shape)
    write(self, ir.astype(value, self.dtype), "copy_from")
    return self


def clone(self: Tensor, device: Any = None) -> Any:
    """Return a copy with the same byte order and the same repeated cells. A list of devices gives a list of copies.

    >>> import weft
    >>> x = weft.broadcast_to(weft.asarray([[1], [2]], dtype=">i2"), (2, 3))
    >>> y = x.clone()
    >>> y.byteorder, y.strides, y.storage.nbytes
    ('big', (2, 0), 4)
    """
    if isinstance(device, (list, tuple)):
        return [clone(self, d) for d in device]
    if device is not None and device != self.device:
        return copied(self).to_device(device)  # type: ignore[attr-defined]
    d = node_of(self).desc
    strides = d.strides or ()
    once = tuple([1 if n > 1 and not s else n for n, s in zip(d.shape, strides, strict=True)])
    if once == d.shape:
        return _in_its_order(self)
    made = _in_its_order(handle(self, selections.slice_(node_of(self), [(0, 1, n) for n in once])))
    return handle(made, selections.broadcast_to(node_of(made), d.shape))


def _in_its_order(x: Tensor) -> Tensor:
    """Return a row-major copy of a tensor in its own byte order."""
    return in_order(copied(x), "big") if node_of(x).desc.big else copied(x)


def replicate(self: Tensor) -> Tensor:
    """Return a copy, row-major and in native byte order, in which repeated cells are stored one by one.

    >>> import weft
    >>> weft.broadcast_to(weft.asarray([1.0]), (3,)).replicate().storage.nbytes
    24
    """
    return copied(self)


def shallow(self: Tensor) -> Tensor:
    """Return another tensor on the same cells; a write to either shows in both.

    >>> import weft
    >>> x = weft.asarray([1, 2])
    >>> y = x.shallow()
    >>> y[0] = 7
    >>> x.tolist(), y is x
    ([7, 2], False)
    """
    n = node_of(self)
    if self._view is not None:
        return view(self, n)
    note_whole(self)
    h: Tensor = object.__new__(Tensor)
    h._place, h._view = self._place, None
    return h


def as_contiguous(self: Tensor, order: str = "C") -> Tensor:
    """Return a tensor whose cells lie without gaps, row-major ("C") or column-major ("F"): this one or a copy.

    Raises ValueRangeError for another order.

    >>> import weft
    >>> x = weft.asarray([[1, 2, 3], [4, 5, 6]], dtype=weft.int8)
    >>> x.as_contiguous() is x, x.as_contiguous("F").strides
    (True, (1, 2))
    """
    one_of("as_contiguous", "order", order, "CF", "cells lie row-major 'C' or column-major 'F'")
    d = node_of(self).desc
    if is_dense_in(d.shape, d.strides or (), d.dtype.itemsize, order):
        return self
    if order == "C":
        return _in_its_order(self)
    back = tuple(reversed(range(d.ndim)))
    made = _in_its_order(handle(self, selections.permute(node_of(self), back)))
    return handle(made, selections.permute(node_of(made), back))


def is_dense_in(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int, order: str) -> bool:
    """True if cells fill memory without gaps, row-major ("C") or column-major ("F"); axes of size 1 are ignored."""
    step = itemsize
    for n, s in zip(shape, strides, strict=True) if order == "F" else zip(shape[::-1], strides[::-1], strict=True):
        if n != 1 and s != step and 0 not in shape:
            return False
        step *= n
    return True


# ---- handles that change


def own(self: Tensor) -> Tensor:
    """Copy the cells to memory that nothing else refers to, unless they have such memory; return this tensor.

    (`detach` differs: it returns a tensor on the same memory without gradients.)

    >>> import weft
    >>> import numpy as np
    >>> a = np.zeros(2)
    >>> x = weft.asarray(a).own()
    >>> x[0] = 1
    >>> a.tolist(), x.storage.owner
    ([0.0, 0.0], True)
    """
    if self._view is not None or not is_alone(self):
        move_to(self, clone(self))
    return self


def is_alone(t: Tensor) -> bool:
    """True if the tensor, or view, is the only handle on its memory, and nothing outside weft refers to that."""
    if extra_references(t._place):
        return False
    p = t._place
    if p.storage is not None:
        return bool(p.storage.owner and len(p.storage._places) == 1 and not has_outside_references(p.storage, [p]))
    return p.region is None and not (p.node.value is not None and exported(p.node))


def move_to(t: Tensor, made: Tensor) -> None:
    """Make tensor `t` a handle on the place and view of tensor `made`."""
    t._place, t._view = made._place, made._view
    if t._view is not None:
        bind(t._place, t)


def dealloc(self: Tensor) -> None:
    """Release the tensor's cells: it becomes empty, with shape (0,), dtype int8, and read-only.

    Other handles on the cells keep them.  `x.storage.dealloc()` frees the memory for all of them.

    >>> import weft
    >>> x = weft.ones(3)
    >>> x.dealloc()
    >>> x.shape, x.dtype, x.read_only
    ((0,), weft.int8, True)
    """
    t = wrap(ir.stored(describe(dt.int8, (0,), (1,), False, None, True), np.empty(0, np.int8)))
    move_to(self, t)


def lock(t: Tensor) -> None:
    """Make this tensor read-only; other tensors on its cells stay writable."""
    n = node_of(t)
    d = n.desc
    flagged = describe(d.dtype, d.shape, d.strides, d.big, d.origin, True)
    t._view = ir.make_view(ir.OPS["permute"], n, (tuple(range(d.ndim)),), flagged, 0)
    bind(t._place, t)


def unlock(t: Tensor) -> None:
    """Clear the read-only flag of this tensor; raises WriteError if its memory or storage is read-only."""
    n = node_of(t)
    root = ir.root_of(n)
    if is_read_only(root):
        raise WriteError(
            "read_only: the memory or its maker forbids writing; it cannot be allowed here; write to a copy()"
        )
    chain = []
    while n is not root:
        chain.append(n)
        n = n.inputs[0]
    for atom in reversed(chain):
        d = atom.desc
        free = describe(d.dtype, d.shape, d.strides, d.big, d.origin)
        n = ir.make_view(atom.op, n, atom.attrs, free, atom.alias[1] - (0 if n.alias is None else n.alias[1]))  # type: ignore[index]
    t._view = n
    bind(t._place, t)
