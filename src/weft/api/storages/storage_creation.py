"""Creation of storages by size, from existing memory or from a tensor, and the allocator in force.

The one idea: all memory becomes a vector of bytes that keeps its owner alive; the storage class does everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import flag
from weft.api.storages.resizing import CHANGES
from weft.api.storages.storage import BYTES, Storage, fresh, kept, labelled, no_memory
from weft.dtypes import DType
from weft.errors import DTypeError, ValueRangeError
from weft.interop.imports import asarray
from weft.ir.graph.description import describe
from weft.runtime.compute import stages
from weft.runtime.devices.device import place_for
from weft.runtime.devices.stream import Cells
from weft.runtime.memory.access import byte_range, register, strided_array, tenants
from weft.runtime.memory.allocator import CHOSEN, Allocator, MemoryBlock, Raw
from weft.runtime.memory.limits import warn_of_wholes
from weft.runtime.memory.mapping import mapped_file, opened_shared
from weft.tensors.place import Place, lock_of
from weft.tensors.tensor import Tensor
from weft.tensors.tracing import Trace


def storage(
    n: int = 0, dtype: Any = None, device: Any = None, stream: Any = None, *, allocator: Allocator | None = None
) -> Storage:
    """Return a storage of n elements of a dtype, or of n raw bytes without one, all bytes zero.

    `allocator` provides the memory; the default is the one in force (`weft.using_allocator`). Raises ValueRangeError
    for a number that is no integer from 0 on, an unknown device or a stream of another one; DTypeError for an unknown
    dtype or no allocator.

    >>> import weft
    >>> s = weft.storage(4, weft.int8)
    >>> s.nbytes, s.tolist(), weft.storage().n
    (4, [0, 0, 0, 0], 0)
    """
    home = place_for("storage", device)
    if stream is not None:
        home.own(stream)
    found, order = (None, "little") if dtype is None else dt.spelled(dtype)
    if not isinstance(n, int) or isinstance(n, bool) or n < 0:
        raise ValueRangeError(f"storage: {n!r} elements; a storage has a number of elements from 0 on; give one")
    if allocator is not None:
        _check_allocator("storage", allocator)
    return fresh(n * (1 if found is None else found.itemsize), found, order == "big", allocator, home, stream)


def storage_of(
    obj: Any = None,
    *,
    address: int | None = None,
    nbytes: int | None = None,
    shared: str | None = None,
    file: Any = None,
    mode: str = "r",
    dtype: Any = None,
    owner: Any = None,
    deleter: Callable[[], Any] | None = None,
    read_only: bool = False,
) -> Storage:
    """Return the storage of existing memory: of an object with a buffer, an address, a name, or a file.

    obj: an array, a buffer, a DLPack object or a tensor; its memory is shared.
    address, nbytes: bytes that must not be freed while the storage is used; `owner` is kept alive with them, and
    `deleter` is called once when nothing refers to them any more (not at the end of the process).
    shared: the name of shared memory made by another process (`storage.name`).
    file: a path, mapped for reading ("r") or for reading and writing ("r+"), or made with `nbytes` bytes ("w+").  Its
    size is checked when it is opened; a file that others cut short while it is mapped ends the process.

    Raises ValueRangeError unless one of obj, address, shared and file is given, DTypeError for an object without
    memory or a `read_only` that is no bool, FileFormatError for a file that cannot be mapped.

    >>> import weft
    >>> data = bytearray(b"abcd")
    >>> s = weft.storage_of(data)
    >>> s.tensor()[0] = 65
    >>> data, s.owner
    (bytearray(b'Abcd'), False)
    """
    given = [
        name for name, v in (("obj", obj), ("address", address), ("shared", shared), ("file", file)) if v is not None
    ]
    if len(given) != 1:
        what = " and ".join(given) or "none of them"
        raise ValueRangeError(
            f"storage_of: {what} given; one way of naming memory is needed; give obj, address, shared or file"
        )
    read_only = flag("storage_of", "read_only", read_only)
    found, order = (None, "little") if dtype is None else dt.spelled(dtype)
    if obj is not None:
        return _of_object(obj, dtype, read_only)
    if address is not None:
        memory = External(address, nbytes, owner, deleter, read_only).array()
    elif shared is not None:
        memory = opened_shared(shared, read_only)
    else:
        memory = mapped_file(file, mode, nbytes)
    s = over(memory, found, order == "big")
    if read_only:
        s.read_only = True
    return s


def _of_object(obj: Any, dtype: Any, read_only: bool) -> Storage:
    """Return the storage of an object's memory, labelled with `dtype` if given; `read_only` makes it read-only.

    Raises DTypeError for numbers and lists, which have no memory, ValueRangeError for objects that would be copied.
    """
    if isinstance(obj, Storage):
        return obj
    if isinstance(obj, (bool, int, float, complex, list, tuple)):
        raise DTypeError(
            f"storage_of: a {type(obj).__name__} has no memory of cells; make a tensor of it: asarray(obj)"
        )
    s = storage_of_tensor(obj if type(obj) is Tensor else asarray(obj, device="cpu", copy=False))
    if dtype is not None:
        s.dtype = dtype
    if read_only:
        s.read_only = True
    return s


def over(memory: np.ndarray, dtype: DType | None, big: bool, owner: bool = False) -> Storage:
    """Return a storage over existing memory, an array of bytes that keeps it alive.

    `owner` says whether weft allocated it.
    """
    nbytes = memory.nbytes
    return labelled(kept(memory) if nbytes else no_memory(), nbytes, dtype, big, owner)


def storage_of_tensor(t: Tensor) -> Storage:
    """Return the storage that holds a tensor's cells; a pending value is computed and keeps this storage."""
    p = t._place
    if p.storage is None:
        Trace.note_looks(p.node)
        if p.node.value is None:
            warn_of_wholes("storage", [p.node])
            stages.compute([p.node])
        with CHANGES, lock_of(p):
            if p.storage is None:
                _adopt(p)
    found: Storage = p.storage
    return found


def _adopt(p: Place) -> None:
    """Give a place a storage: that of other tensors on the same bytes, or a new one."""
    if p.node.value is None:
        stages.compute([p.node])
    d, value = p.node.desc, p.node.value
    low, high = byte_range(value)
    known = (q.storage for q in tenants(p)[1] if q is not p and q.storage is not None)
    s = next((s for s in known if low < high and (s.ptr, s.nbytes) == (low, high - low)), None)
    if s is None:
        start = value.__array_interface__["data"][0]
        whole = describe(BYTES, (high - low,), (1,))
        own = value.base is None or isinstance(value.base, (Raw, MemoryBlock)) or isinstance(value, Cells)
        s = over(strided_array(value, low - start, whole, value.flags.writeable), d.dtype, d.big, own)
        s._origin, s._locked = value, d.read_only or not value.flags.writeable
        s._uses = value.uses if isinstance(value, Cells) else None
    s._places.add(p)
    p.storage, p.region = s, register(value, p)


class External:
    """Memory at an address. The array over it keeps this object, which keeps the owner and calls the deleter."""

    __slots__ = ("__array_interface__", "deleter", "owner")

    def __init__(
        self, address: int, nbytes: int | None, owner: Any, deleter: Callable[[], Any] | None, read_only: bool
    ) -> None:
        self.deleter = None
        if type(address) is not int or type(nbytes) is not int or nbytes < 0 or address <= 0:
            raise ValueRangeError(
                f"storage_of: {nbytes!r} bytes at address {address!r}; memory has an address and a size; give both"
            )
        self.owner, self.deleter = owner, deleter
        self.__array_interface__ = {"version": 3, "data": (address, read_only), "shape": (nbytes,), "typestr": "|u1"}

    def array(self) -> np.ndarray:
        """Return an array of uint8 over the memory."""
        return np.asarray(self)

    def __del__(self) -> None:
        deleter, self.deleter = self.deleter, None
        if deleter is not None:
            deleter()


# ---- allocators


def using_allocator(allocator: Allocator) -> Any:
    """Return a context manager: inside its block, results and storages of this thread or task come from `allocator`.

    Raises DTypeError if it is no allocator.

    >>> import weft
    >>> mine = weft.Heap("mine", limit=1000)
    >>> with weft.using_allocator(mine):
    ...     x = (weft.arange(5) * 2).realize()
    >>> mine.in_use, mine.allocations
    (40, 1)
    >>> del x
    >>> mine.in_use, mine.peak, mine.frees
    (0, 40, 1)
    """
    _check_allocator("using_allocator", allocator)
    return CHOSEN.block(allocator)


def _check_allocator(name: str, allocator: Any) -> None:
    """Raise DTypeError if `allocator` is no allocator."""
    if not isinstance(allocator, Allocator):
        raise DTypeError(
            f"{name}: {type(allocator).__name__} is no allocator; give a weft.Heap, SharedMemory or FileMemory"
        )


def get_allocator() -> Allocator:
    """Return the allocator in force in this thread or task: the process's heap unless a block sets another.

    The heap counts storages and blocks of 1 MiB and more; smaller values come from NumPy, uncounted.  A `weft.Heap` of
    your own counts every byte.

    >>> import weft
    >>> weft.get_allocator().name
    'heap'
    """
    return CHOSEN.get()
