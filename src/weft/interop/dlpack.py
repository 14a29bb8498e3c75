"""DLPack: capsules of tensors' memory, and arrays over the memory of foreign capsules, for all DLPack dtypes.

The one idea: NumPy makes and reads the capsules, so their lifetimes are managed in C until the interpreter ends.  For
dtypes without a NumPy code (bfloat16, complex32, the float8 kinds) the capsule is made for unsigned integers of the
same width, and the dtype code in its description is replaced.
"""

from __future__ import annotations

import ctypes
from typing import Any, NoReturn

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import DTypeError, ValueRangeError
from weft.tensors.tensor import Tensor, array_of

HOST = (1, 0)  # the processor, as DLPack numbers devices
_UNSIGNED = 1
_CODES = {"bfloat16": 4, "complex32": 5} | {
    f"float8_{kind}": 7 + i
    for i, kind in enumerate(("e3m4", "e4m3", "e4m3b11fnuz", "e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz", "e8m0fnu"))
}
_DTYPES = {(code, dt.named(name).bits): dt.named(name) for name, code in _CODES.items()}


class CapsuleDType(ctypes.Structure):
    """DLPack's struct that describes the dtype of a cell."""

    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class CapsuleTensor(ctypes.Structure):
    """DLPack's struct that describes a tensor, up to its dtype; unversioned capsules begin with it."""

    _fields_ = (
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("dtype", CapsuleDType),
    )  # fmt: skip


class VersionedCapsule(ctypes.Structure):
    """DLPack's struct of a versioned capsule, up to the dtype."""

    _fields_ = (
        ("version", ctypes.c_uint32 * 2), ("owner", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64), ("tensor", CapsuleTensor),
    )  # fmt: skip


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, (ctypes.py_object, ctypes.c_char_p)


def _dtype_of(capsule: Any) -> CapsuleDType | None:
    """Return the dtype field in a capsule's memory; None if it is no DLPack capsule, or of an unknown version."""
    if _is_valid(capsule, b"dltensor_versioned"):
        whole = VersionedCapsule.from_address(_pointer(capsule, b"dltensor_versioned"))
        return whole.tensor.dtype if whole.version[0] == 1 else None  # type: ignore[no-any-return]
    if _is_valid(capsule, b"dltensor"):
        return CapsuleTensor.from_address(_pointer(capsule, b"dltensor")).dtype  # type: ignore[no-any-return]
    return None


# ---- export


def dlpack(
    self: Tensor,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """Return a DLPack capsule of the tensor's memory, or with copy=True of a copy.

    From `max_version` (1, 0) on, the capsule has a version and flags for read-only memory and for a copy. bfloat16,
    complex32 and the float8 kinds have DLPack's codes; libraries that do not know these refuse them.  Raises
    ValueRangeError for a stream, which the processor lacks; DTypeError for arguments of a wrong type; BufferError for
    big-endian cells, strides that split cells, read-only cells without a version, and another device.  Cells with
    negative strides, which crash PyTorch, or on a device of weft's are copied, or refused with copy=False.

    >>> import weft
    >>> import numpy as np
    >>> np.from_dlpack(weft.asarray([1, 2])).tolist()
    [1, 2]
    """
    _check_arguments(stream, max_version, dl_device, copy)
    cells = array_of(self)
    _check_memory(self, cells, copy)
    if copy is None and (not self.device.is_host or _goes_back(cells)):
        copy = True
    if not copy and not cells.flags.writeable and (max_version is None or max_version[0] < 1):
        _refuse("read-only cells", "a capsule without a version cannot say so", "pass max_version=(1, 0), or copy=True")
    code = _CODES.get(self.dtype.name)
    if code is not None:
        cells = cells.view(f"u{self.dtype.itemsize}")
    capsule = cells.__dlpack__(max_version=max_version, copy=copy)
    if code is not None and (cell := _dtype_of(capsule)) is not None:
        cell.code = code
    return capsule


def dlpack_device(self: Tensor) -> tuple[int, int]:
    """Return (1, 0), DLPack's device type and number of the CPU."""
    return HOST


def _check_arguments(stream: Any, max_version: Any, dl_device: Any, copy: Any) -> None:
    """Raise an error for arguments of `__dlpack__` that cannot be met.

    ValueRangeError for a stream, DTypeError for a wrong type of any argument, BufferError for another device.
    """
    if stream is not None:
        raise ValueRangeError(f"dlpack: stream {stream!r}; the processor's memory has no streams; pass stream=None")
    for name, pair in (("max_version", max_version), ("dl_device", dl_device)):
        if pair is not None and not (
            isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(i, int) for i in pair)
        ):
            raise DTypeError(f"dlpack: {name} {pair!r}; it is a tuple of two integers; give one, or None")
    if copy is not None and not isinstance(copy, bool):
        raise DTypeError(f"dlpack: copy {copy!r}; it is True, False or None; give one of these")
    if dl_device is not None and tuple(dl_device) != HOST:
        _refuse(
            f"device {tuple(dl_device)}", f"the cells lie on {HOST}, the processor", "move them with their new owner"
        )


def _check_memory(x: Tensor, cells: np.ndarray, copy: bool | None) -> None:
    """Raise BufferError for cells that DLPack cannot describe, or that `copy=False` forbids to copy.

    `cells` are the values of `x`; with another `copy`, cells on devices and negative strides are accepted.
    """
    if x.byteorder == "big":
        _refuse("big-endian cells", "the protocol knows native ones only", "export a copy()")
    if copy is False and not x.device.is_host:
        _refuse(f"cells on {x.device}", "DLPack knows the processor's only", "pass copy=None")
    if copy is False and _goes_back(cells):
        _refuse(f"strides {cells.strides}", "few libraries read negative ones", "pass copy=None")
    if not copy and any(s % x.dtype.itemsize for s in cells.strides):
        _refuse(f"strides {cells.strides}", f"they count whole cells, of {x.dtype.itemsize} bytes", "export a copy()")


def _goes_back(cells: np.ndarray) -> bool:
    """True if an array has a negative stride along an axis of several cells."""
    return any(s < 0 and n > 1 for s, n in zip(cells.strides, cells.shape, strict=True))


def _refuse(fact: str, reason: str, remedy: str) -> NoReturn:
    """Raise BufferError with a fact, the reason and the advice."""
    raise BufferError(f"dlpack: {fact}; {reason}; {remedy}")


# ---- import


class CapsuleReader:
    """A wrapper of an object with `__dlpack__` that shows NumPy unsigned integers for dtypes it lacks."""

    __slots__ = ("cell", "dtype", "owner")

    owner: Any
    cell: CapsuleDType | None  # in the capsule
    dtype: DType | None  # of the cells, if NumPy does not know it

    def __init__(self, owner: Any) -> None:
        self.owner, self.cell, self.dtype = owner, None, None

    def __dlpack_device__(self) -> Any:
        return self.owner.__dlpack_device__()

    def __dlpack__(self, **how: Any) -> Any:
        capsule = self.owner.__dlpack__(**how)
        self.cell = _dtype_of(capsule)
        if self.cell is not None:
            self.dtype = _DTYPES.get((self.cell.code, self.cell.bits))
        if self.dtype is not None and self.cell is not None:
            self.cell.code = _UNSIGNED
        return capsule

    def array(self) -> np.ndarray:
        """Return an array over the object's memory, in its own dtype.

        Raises BufferError, RuntimeError or TypeError if NumPy cannot import it.
        """
        found = np.from_dlpack(self)
        if self.dtype is None or self.cell is None:
            return found
        self.cell.code = _CODES[self.dtype.name]  # restore the owner's code
        return found.view(self.dtype.np)


def array_of_dlpack(obj: Any) -> np.ndarray:
    """Return an array over the memory of an object that has `__dlpack__` and lies on the host.

    Raises BufferError, RuntimeError or TypeError if NumPy cannot import it.
    """
    return CapsuleReader(obj).array()
