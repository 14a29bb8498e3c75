"""Built-in rows of foreign types: NumPy, array libraries, protocols, and Python's own memory.

The one idea: an object is recognised first by the name of its type, then by the protocols it has, the richest first.
Chunked arrays are read later, by slicing them.  Memory on devices unknown to weft is refused by name, never read.
"""

from __future__ import annotations

import array as python_array
import ctypes
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, NoReturn

import numpy as np

from weft import dtypes as dt
from weft.errors import DTypeError, ValueRangeError, WeftError
from weft.interop.dlpack import array_of_dlpack
from weft.ir.graph import node as ir
from weft.ir.graph.traced import TracedNumber
from weft.ir.graph.weak_scalars import weak_scalar
from weft.runtime.default_dtype import default_of
from weft.runtime.fork_safety import importing, late_import
from weft.runtime.memory.access import byte_range, is_mapped
from weft.tensors.foreign_rows import ForeignType, is_chunked, row_of
from weft.tensors.tensor import Tensor, array_of, wrap

_HOST = (1, 3, 13)  # device types of DLPack whose memory the processor reads: its own, pinned, managed
_DEVICES = {2: "cuda", 4: "opencl", 7: "vulkan", 8: "metal", 10: "rocm", 14: "oneapi", 17: "maia"}


# ---- to weft


def _elsewhere(kind: str, device: str) -> NoReturn:
    """Raise DTypeError for an object of type `kind` on a device that weft cannot read."""
    raise DTypeError(
        f"asarray: a {kind} on device {device}; weft reads memory of this machine's processor only; copy it to the "
        "host first, as with .get() or .cpu()"
    )


def _unmasked(a: np.ndarray) -> np.ndarray:
    """Return the array; raises DTypeError for a masked array."""
    if hasattr(a, "filled"):
        raise DTypeError(
            "asarray: a masked array; its missing cells have no value; give filled(value), or data and mask"
        )
    return a


def _of_number(obj: Any) -> np.ndarray:
    """Return a Python number as an array of rank 0; raises DTypeError for an integer beyond 64 bits."""
    if isinstance(obj, int) and not -(1 << 63) <= obj < 1 << 64:
        raise DTypeError(f"asarray: {obj} is no integer of 64 bits; weft's integers have 64; convert it to a float")
    return np.array(obj)


def _of_device(obj: Any) -> NoReturn:
    """Raise DTypeError for an object in CUDA memory."""
    _elsewhere(type(obj).__name__, "cuda")


def _of_torch(t: Any) -> np.ndarray:
    """Return an array over the memory of a PyTorch tensor.

    Raises DTypeError if it lies on another device, or requires a gradient.
    """
    if t.device.type != "cpu":
        _elsewhere("tensor", str(t.device))
    if t.requires_grad:
        raise DTypeError(
            "asarray: a PyTorch tensor that requires a gradient; what weft computes with it would not be recorded; "
            "give its detach()"
        )
    t = t.resolve_conj().resolve_neg()
    dtype = dt.BY_NAME.get(str(t.dtype).removeprefix("torch."))
    if dtype is not None and dtype.extended:  # NumPy lacks the dtype
        words = getattr(_package("torch"), f"int{8 * dtype.itemsize}")
        return np.asarray(t.view(words).numpy().view(dtype.np))
    return np.asarray(t.numpy())


def _with_named_errors(protocol: str, read: Callable[[Any], np.ndarray]) -> Callable[[Any], np.ndarray]:
    """Return `read` wrapped so that its errors name the protocol and the object's type.

    A ValueError becomes ValueRangeError, any other error DTypeError.
    """

    def to_weft(obj: Any) -> np.ndarray:
        try:
            return read(obj)
        except WeftError:
            raise
        except (AttributeError, BufferError, OverflowError, RuntimeError, TypeError, ValueError) as e:
            kind = ValueRangeError if isinstance(e, ValueError) else DTypeError
            raise kind(
                f"asarray: {protocol} of {type(obj).__name__}: {e}; so there are no cells to read; mend the object, or "
                "give an array of its values"
            ) from e

    return to_weft


def _array_of(obj: Any) -> np.ndarray:
    """Return the result of an object's `__array__`; raises TypeError if that is no array."""
    found = obj.__array__()
    if not isinstance(found, np.ndarray):
        raise TypeError(f"it gives {type(found).__name__}, which is no NumPy array")
    return found


LARGE = 1 << 20  # bytes from which claimed memory is checked against the process's mappings


def _of_interface(obj: Any) -> np.ndarray:
    """Return an array over an object's `__array_interface__`; raises ValueError for impossible addresses."""
    made = np.asarray(obj)
    low, high = byte_range(made)
    if made.size and not 0 < low < high <= sys.maxsize:
        raise ValueError(f"cells of shape {made.shape} and strides {made.strides} at addresses {low} to {high}")
    if high - low >= LARGE and not is_mapped(low, high):
        raise ValueError(f"{high - low} bytes for cells of shape {made.shape}, which no memory of the process holds")
    return made


def _of_dlpack(obj: Any) -> np.ndarray:
    """Return an array over an object's DLPack memory; raises DTypeError if it lies on a device.

    Raises BufferError, RuntimeError or TypeError if NumPy cannot import it and the object has no `__array__`.
    """
    kind, number = (int(x) for x in obj.__dlpack_device__())
    if kind not in _HOST:
        _elsewhere(type(obj).__name__, f"{_DEVICES.get(kind, f'of DLPack type {kind}')}:{number}")
    try:
        return array_of_dlpack(obj)
    except (BufferError, RuntimeError, TypeError):
        if hasattr(obj, "__array__"):  # dtypes that NumPy's importer does not know
            return _array_of(obj)
        raise


def _of_buffer(obj: Any) -> np.ndarray:
    """Return an array over an object's buffer; raises DTypeError for Unicode characters."""
    view = memoryview(obj)
    if view.format == "w" or (isinstance(obj, python_array.array) and obj.typecode in "uw"):
        raise DTypeError("asarray: an array of characters; weft holds numbers only; give their code points")
    return np.asarray(view)


def _is_buffer(obj: Any) -> bool:
    """True if an object has the buffer protocol."""
    try:
        memoryview(obj)
    except TypeError:
        return False
    return True


def _has_own_operators(obj: Any) -> bool:
    """True if an object's type defines `__radd__`, so that it handles operators itself."""
    return hasattr(type(obj), "__radd__")


def is_lazy(obj: Any) -> bool:
    """True if an object is another library's array whose cells are read on demand: a chunked or an xarray object."""
    row = row_of(obj)
    return row is not None and row.to_weft in (_of_chunked, _of_xarray)


def _of_chunked(obj: Any) -> Any:
    """Return a tensor over a chunked array, whose cells are read on demand; raises DTypeError for dtypes weft lacks."""
    return late_import("weft.sources.array_objects").of_object(obj)


def _of_xarray(obj: Any) -> Any:
    """Return the array inside an xarray object, or a lazy tensor if its values are not loaded.

    Raises DTypeError for dtypes that weft lacks.
    """
    return late_import("weft.sources.array_objects").of_xarray(obj)


def _has_attribute(name: str) -> Any:
    """Return a predicate that is true for objects with an attribute `name`."""
    return lambda obj: hasattr(obj, name)


# ---- from weft


def _to_numpy(x: Tensor, copy: bool | None) -> np.ndarray:
    """Return a tensor's values as a NumPy array: a copy if `copy` is true, else over its memory if possible."""
    made = array_of(x)
    return made.copy() if copy else made


def _shareable(x: Tensor, copy: bool | None, to: str, writeable: bool) -> np.ndarray:
    """Return a tensor's values as an array that library `to` can share, copied if necessary.

    Shared arrays are native, have no negative strides and, if `writeable`, can be written.  Raises ValueRangeError if
    `copy` is False and a copy is needed.
    """
    made = array_of(x)
    reasons = {
        "big-endian cells": not made.dtype.isnative,
        "negative strides": any(s < 0 and n > 1 for s, n in zip(made.strides, made.shape, strict=True)),
        "read-only cells": writeable and not made.flags.writeable,
    }
    wrong = next((reason for reason, holds in reasons.items() if holds), "")
    if wrong and copy is False:
        raise ValueRangeError(
            f"export: {wrong} to {to}, which cannot share them; copy=False forbids a copy; pass copy=None"
        )
    if not (wrong or copy):
        return made
    return np.array(made, made.dtype.newbyteorder("="), order="C", copy=True)


def _package(name: str) -> Any:
    """Return the package of a foreign type, imported; raises ModuleNotFoundError if it is not installed."""
    try:
        with importing():
            return import_module(name)
    except ModuleNotFoundError as e:
        fact = f"export: {name} is not installed; its arrays are made by it; pip install {name}, or export to numpy"
        raise ModuleNotFoundError(fact, name=name) from e


def _to_torch(x: Tensor, copy: bool | None) -> Any:
    """Return a tensor as a PyTorch tensor, over its memory if possible, and copied if `copy`.

    Raises DTypeError for dtypes that PyTorch lacks, ValueRangeError if `copy` is False and a copy is needed.
    """
    torch, made = _package("torch"), _shareable(x, copy, "torch", True)
    if not x.dtype.extended:
        return torch.from_numpy(made)
    dtype = getattr(torch, x.dtype.name, None)
    if dtype is None:
        raise DTypeError(
            f"export: {x.dtype.name} to torch, which has no such dtype; convert it first, with "
            f"astype(weft.{x.dtype.compute.name})"
        )
    return torch.from_numpy(made.view(f"i{x.dtype.itemsize}")).view(dtype)


def _of_traced(x: TracedNumber) -> Tensor:
    """Return a traced number as a tensor of rank 0."""
    return wrap(ir.locate(weak_scalar(x, default_of(type(x.sample)), "asarray")))


def _to_jax(x: Tensor, copy: bool | None) -> Any:
    """Return a tensor as a JAX array, copied unless `copy` is False; raises DTypeError if JAX would round cells.

    With copy=False, raises BufferError for cells that DLPack cannot share.
    """
    jax = _package("jax")
    if copy is False:
        return jax.numpy.from_dlpack(x, copy=False)
    wanted = array_of(x)
    if jax.dtypes.canonicalize_dtype(wanted.dtype.newbyteorder("=")) != wanted.dtype.newbyteorder("="):
        raise DTypeError(
            f"export: {x.dtype.name} to jax, which rounds it to 32 bits while jax_enable_x64 is off; cells would be "
            "lost; switch it on, or convert with astype() first"
        )
    return jax.numpy.array(np.array(wanted, wanted.dtype.newbyteorder("="), order="C"), copy=True)


def _to_cupy(x: Tensor, copy: bool | None) -> Any:
    """Return a tensor as a CuPy array, which is a copy; raises ValueRangeError if `copy` is False."""
    cupy = _package("cupy")
    if copy is False:
        raise ValueRangeError(
            "export: to cupy, whose memory is a device's; copy=False forbids the copy; pass copy=None"
        )
    return cupy.asarray(array_of(x))


def _to_buffer(x: Tensor, copy: bool | None) -> memoryview:
    """Return a tensor's memory, of a copy if `copy`, as a memoryview.

    Raises BufferError for dtypes that buffers lack.
    """
    if x.dtype.extended:
        wide = x.dtype.compute.name
        raise BufferError(f"export: {x.dtype.name} cells; buffers have no code for them; export astype(weft.{wide})")
    return memoryview(_to_numpy(x, copy))


of_dlpack = _with_named_errors("__dlpack__", _of_dlpack)
_ARRAY, _BUFFER = _with_named_errors("__array__", np.asarray), _with_named_errors("the buffer", _of_buffer)

ROWS = (
    ForeignType("numpy", np.ndarray, _unmasked, _to_numpy),
    ForeignType("numpy scalar", np.generic, np.array, None, shares=False),
    ForeignType("number", lambda obj: isinstance(obj, (bool, int, float, complex)), _of_number, None, shares=False),
    ForeignType("traced number", TracedNumber, _of_traced, None, shares=False),
    ForeignType("torch", "torch.Tensor", _of_torch, _to_torch),
    ForeignType("cuda", _has_attribute("__cuda_array_interface__"), _of_device, None),
    ForeignType("cupy", "cupy*.ndarray", _of_device, _to_cupy),
    ForeignType("jax", "jax*Array*", of_dlpack, _to_jax),
    ForeignType("xarray", "xarray.*.DataArray", _of_xarray, None, operates=False),
    ForeignType("xarray variable", "xarray.*.Variable", _of_xarray, None, operates=False),
    ForeignType(
        "chunked array",
        lambda obj: is_chunked(obj) and not _has_own_operators(obj),
        _of_chunked,
        None,
        shares=False,
    ),
    ForeignType("chunked array, own operators", is_chunked, _of_chunked, None, shares=False, operates=False),
    ForeignType(
        "array interface",
        _has_attribute("__array_interface__"),
        _with_named_errors("__array_interface__", _of_interface),
        None,
    ),
    ForeignType("dlpack", _has_attribute("__dlpack__"), of_dlpack, lambda x, copy: x.__dlpack__(copy=copy)),  # type: ignore[attr-defined]
    ForeignType("array.array", python_array.array, _of_buffer, None),
    ForeignType("ctypes", ctypes.Array, _of_buffer, None),
    ForeignType("memoryview", memoryview, _BUFFER, _to_buffer),
    ForeignType("bytearray", bytearray, _of_buffer, None),
    ForeignType(
        "array method", lambda obj: _has_attribute("__array__")(obj) and not _has_own_operators(obj), _ARRAY, None
    ),
    ForeignType("array method, own operators", _has_attribute("__array__"), _ARRAY, None, operates=False),
    ForeignType("buffer", _is_buffer, _BUFFER, None, operates=False),
)
