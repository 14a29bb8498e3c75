"""Methods and attributes of tensors that repeat functions of the namespace.

The one idea: a method is its function, whose first argument is the tensor; the class itself knows only places, nodes
and values.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from math import prod
from types import ModuleType
from typing import Any

from weft.api import domains
from weft.api.arguments import is_one, one_axis
from weft.api.numpy import array_methods, flat_cells, shapes
from weft.api.standard import (
    creation_functions,
    elementwise_functions,
    manipulation_functions,
    searching_functions,
    sorting_functions,
    statistical_functions,
)
from weft.api.standard.linear_algebra_functions import matmul
from weft.api.storages import layout_attributes
from weft.dtypes import DType
from weft.errors import ArgumentError, ShapeError, ValueRangeError
from weft.interop import arrow, dask_arrays, dlpack, exports, pickles, plugins
from weft.interop.device_moves import moved, sync
from weft.interop.numpy.functions import array_function
from weft.interop.numpy.names import add_ufunc_methods
from weft.interop.numpy.ufuncs import array_ufunc
from weft.runtime.devices.device import device as device_named
from weft.tensors import printing
from weft.tensors.index_writing import setitem
from weft.tensors.operators import OPERANDS, is_operand
from weft.tensors.rows import rows
from weft.tensors.tensor import Tensor
from weft.tensors.tensor_interface import has_hint

VERSION = "2025.12"


def to_device(self: Tensor, device: Any, /, *, stream: Any = None) -> Tensor:
    """Return the tensor on a device: itself if it is there, else a new one. Cells are moved when they are needed.

    `stream`, a stream of that device, runs the move and holds the new value. Raises ValueRangeError for an unknown
    device, or a stream of another one.

    >>> import weft
    >>> x = weft.asarray([1, 2]).to("thread:0")
    >>> x.device, (x + 1).tolist(), x.to("cpu").device
    (weft.device('thread:0'), [2, 3], weft.device('cpu'))
    """
    return moved(self, device_named(device), stream)


def to(self: Tensor, target: Any, /, *, stream: Any = None) -> Tensor:
    """Return the tensor on a device, as `to_device` does, or its values converted to a dtype.

    Raises ArgumentError for a dtype with a stream, and what `to_device` and `weft.astype` raise.

    >>> import weft
    >>> weft.asarray([1, 2]).to("thread:0").device, weft.asarray([1, 2]).to(weft.float32).dtype
    (weft.device('thread:0'), weft.float32)
    """
    if not isinstance(target, DType):
        return to_device(self, target, stream=stream)
    if stream is not None:
        raise ArgumentError(f"to: {target!r} and stream=; a conversion has no stream of its own; call to() for each")
    return elementwise_functions.astype(self, target, copy=False)


def namespace(self: Tensor, /, *, api_version: str | None = None) -> ModuleType:
    """Return the module weft, the array-API namespace; raises ValueRangeError for an unknown `api_version`."""
    if api_version is not None and api_version not in ("2021.12", "2022.12", "2023.12", "2024.12", VERSION):
        raise ValueRangeError(
            f"__array_namespace__: version {api_version!r} is unknown; weft speaks {VERSION}; ask for it"
        )
    return sys.modules["weft"]


def iterate(self: Tensor) -> Iterator[Tensor]:
    """Return an iterator over x[0], x[1], ... as views; raises TypeError for rank 0."""
    if not self.ndim:
        raise TypeError("iter: a tensor of rank 0 has no axis to go along; its one value is item()")
    return rows(self)


def cell_bytes(self: Tensor) -> bytes:
    """Return the bytes of all cells in row-major order."""
    return array_methods.tobytes(self)


def contains(self: Tensor, value: Any) -> bool:
    """True if any cell equals `value`; the cells are computed at once.

    Raises DTypeError for an object without numbers.
    """
    return bool(statistical_functions.any(elementwise_functions.equal(self, value)))


def reshape(self: Tensor, *shape: Any, order: str = "C", copy: bool | None = None) -> Tensor:
    """Return the tensor in another shape, cells in an order of `weft.reshape`; `shape` is one tuple or several sizes.

    Raises ShapeError for another number of cells, DTypeError for sizes that are no integers, ValueRangeError for
    another `order`, or copy=False where no view has the shape.

    >>> import weft
    >>> weft.arange(4).reshape(2, -1).tolist()
    [[0, 1], [2, 3]]
    """
    return manipulation_functions.reshape(self, shape[0] if len(shape) == 1 else shape, order=order, copy=copy)


def flatten(self: Tensor, order: str | int = "C", end_dim: int = -1, *, start_dim: int = 0) -> Tensor:
    """Return a copy of the cells as a vector, in an order of `weft.ravel` ("C" for row-major).

    An integer in the place of the order is PyTorch's `start_dim`: the axes from there to `end_dim` are joined,
    row-major, and others stay. Raises ValueRangeError for an unknown order, AxisError for an axis that the tensor
    lacks, ShapeError for an end before the start.

    >>> import weft
    >>> weft.asarray([[1, 2], [3, 4]]).flatten().tolist(), weft.zeros((2, 3, 4)).flatten(1).shape
    ([1, 2, 3, 4], (2, 12))
    """
    if is_one(order):
        start_dim, order = int(order), "C"
    if not self.ndim or (start_dim == 0 and end_dim == -1):
        return shapes.ravel(self, order=order, copy=True)
    first, last = (one_axis("flatten", axis, self.ndim) for axis in (start_dim, end_dim))
    if first > last:
        raise ShapeError(f"flatten: axes {first} to {last}; neighbours are joined, from the first on; exchange them")
    shape = (*self.shape[:first], prod(self.shape[first : last + 1]), *self.shape[last + 1 :])
    return manipulation_functions.reshape(self, shape, order=order, copy=True)


def _product(self: Tensor, other: Any) -> Any:
    """Return self @ other, or NotImplemented for an object that is no operand.

    Raises ShapeError if the sizes do not fit.
    """
    return matmul(self, other) if type(other) in OPERANDS or is_operand(other) else NotImplemented


def _reflected_product(self: Tensor, other: Any) -> Any:
    return matmul(other, self) if type(other) in OPERANDS or is_operand(other) else NotImplemented


def _inplace_product(self: Tensor, other: Any) -> Tensor:
    value = matmul(self, other)
    if value.shape != self.shape:
        raise ShapeError(f"imatmul: a product of shape {value.shape} into shape {self.shape}; write x = x @ y")
    self[...] = value  # type: ignore[index]
    return self


def _both(self: Tensor, other: Any) -> Any:
    """Return (self // other, self % other), or NotImplemented for an object that is no operand."""
    return (self // other, self % other) if type(other) in OPERANDS or is_operand(other) else NotImplemented  # type: ignore[operator]


def _reflected_both(self: Tensor, other: Any) -> Any:
    """Return (other // self, other % self), or NotImplemented for an object that is no operand."""
    return (other // self, other % self) if type(other) in OPERANDS or is_operand(other) else NotImplemented


def made_of_shape(
    self: Tensor, shape: Any = None, dtype: Any = None, buffer: Any = None, offset: int = 0, strides: Any = None,
    order: str | None = None,
) -> None:  # fmt: skip
    """Make a new tensor of a shape, an integer or a tuple, with unspecified values, like calling `numpy.ndarray`.

    Raises the errors of `weft.empty`, and ArgumentError for other shapes, a `buffer`, an `offset` or `strides`.

    >>> import weft
    >>> weft.ndarray((2, 3), dtype=weft.int8).shape
    (2, 3)
    """
    if not (is_one(shape) or isinstance(shape, tuple)) or buffer is not None or offset or strides is not None:
        raise ArgumentError(
            "Tensor: the class is called with a shape, an integer or a tuple, alone or with a dtype and an order; make "
            "tensors of values with weft.asarray(obj), over memory with weft.frombuffer(buffer, dtype)"
        )
    made = creation_functions.empty(shape, dtype=dtype, order=order)
    self._place, self._view = made._place, made._view


def rounded(self: Tensor, decimals: int | None = None) -> Tensor:
    """Return each cell rounded to `decimals` (None: 0), as `weft.round` does.

    Raises DTypeError for bool and float8 cells, and for `decimals` that is no integer.
    """
    return elementwise_functions.round(self, decimals or 0)


def refuse_deletion(self: Tensor, key: Any) -> None:
    """Raise TypeError: `del x[key]` would change the shape of a tensor."""
    raise TypeError(
        f"del: cells of a tensor of shape {self.shape}; a tensor keeps its shape; "
        "write x = weft.delete(x, positions, axis), or x = x[mask]"
    )


def _written_part(part: Callable[[Tensor], Tensor]) -> property:
    """Return the property that reads `part` of a tensor, a view, and writes to it."""

    def write(self: Tensor, value: Any) -> None:
        part(self)[...] = value  # type: ignore[index]

    return property(part, write)


def _fixed(name: str, instead: str) -> Any:
    """Return a property `name` that reads as before, but raises AttributeError with advice `instead` when it is set."""

    def refuse(self: Tensor, value: Any) -> None:
        raise AttributeError(
            f"{name}: {value!r:.60} for a tensor with {name} {getattr(self, name)}; a tensor keeps its {name}; "
            f"write {instead}"
        )

    return getattr(Tensor, name).setter(refuse)


def listed(self: Tensor) -> list[str]:
    """Return the names of all attributes, without those that only raise an error with a hint."""
    return [name for name in object.__dir__(self) if name in vars(Tensor) or not has_hint(name)]


_METHODS = {
    statistical_functions: "sum prod min max mean std var any all argmin argmax",
    elementwise_functions: "astype conj clip round",
    manipulation_functions: "copy squeeze diagonal",
    searching_functions: "nonzero searchsorted",
    sorting_functions: "argsort",
    shapes: "ravel swapaxes",
    array_methods: (
        "transpose permute cumsum cumprod dot trace choose argpartition repeat take fill put tobytes item sort view ptp"
    ),
}


def _install() -> None:
    t: Any = Tensor
    layout_attributes.install(t)
    t.reshape, t.flatten, t.to_device = reshape, flatten, to_device
    for module, names in _METHODS.items():
        for name in names.split():
            setattr(t, name, getattr(module, name))
    t.compress, t.partition = array_methods.compressed, array_methods.partition_here
    t.unsqueeze, t.conjugate = manipulation_functions.expand_dims, elementwise_functions.conj
    t.export = plugins.export
    t.to, t.sync, t.to_dask = to, sync, dask_arrays.to_dask
    t.translate, t.at = domains.translate, property(domains.At)
    t.T, t.mT = property(shapes.transpose), property(manipulation_functions.matrix_transpose)
    t.flat = flat_cells.flat
    t.H, t.mH = property(shapes.conjugate_transpose), property(shapes.adjoint)
    t.real, t.imag = (_written_part(part) for part in (elementwise_functions.real, elementwise_functions.imag))
    t.__matmul__, t.__rmatmul__, t.__imatmul__ = _product, _reflected_product, _inplace_product
    t.__divmod__, t.__rdivmod__ = _both, _reflected_both
    t.__setitem__, t.__delitem__ = setitem, refuse_deletion
    t.shape, t.dtype = _fixed("shape", "x = x.reshape(shape)"), _fixed("dtype", "x = x.astype(dtype)")
    t.__round__, t.__dir__ = rounded, listed
    t.__iter__, t.__contains__, t.__array_namespace__ = iterate, contains, namespace
    t.__repr__, t.__str__, t.__format__ = printing.representation, printing.text, printing.formatted
    t._repr_html_ = printing.page
    t.__dlpack__, t.__dlpack_device__ = dlpack.dlpack, dlpack.dlpack_device
    t.__buffer__, t.__array_interface__ = exports.buffer, property(exports.array_interface)
    t.__arrow_array__, t.__arrow_c_array__ = arrow.arrow_array, arrow.arrow_capsules
    t.__array_ufunc__, t.__array_function__ = array_ufunc, array_function
    t.__bytes__ = cell_bytes
    t.__reduce_ex__ = pickles.reduce
    t.__init__ = made_of_shape
    t.__copy__, t.__deepcopy__ = pickles.duplicate, pickles.deep_copy
    add_ufunc_methods(elementwise_functions.MADE)


_install()
