"""Storages and overlap, the public functions; and conversions that say whether they copy.

The one idea: memory is asked for by size, or named where it lies; what then reads and writes it are tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.copying import move_to, shallow
from weft.api.storages import Storage, fresh, over, storage_of_tensor
from weft.errors import DTypeError, ValueRangeError
from weft.interop.imports import asarray
from weft.ir import lattice
from weft.ir import node as ir
from weft.ir.lattice import Box, Undecided
from weft.place import box_of
from weft.runtime.allocator import Allocator, Heap, chosen, using
from weft.runtime.device import device as named_device
from weft.runtime.device import place_for
from weft.runtime.mapping import FileMemory, SharedMemory, mapped_file, opened_shared
from weft.tensor import Tensor, node_of

NUMBERS = (bool, int, float, complex, np.generic)
Index = tuple[int, ...]


# ---- storages


def storage(
    n: int = 0, dtype: Any = None, device: Any = None, stream: Any = None, *, allocator: Allocator | None = None
) -> Storage:
    """A storage of n elements, all bytes zero; without a dtype, of n raw bytes.

    `allocator` says where the memory comes from: the one in force (`weft.using_allocator`) unless told.

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
    """The storage of memory that is there: that of an object with a buffer, an address, a name, or a file.

    obj: an array, a buffer, a DLPack object or a tensor; its memory is shared.
    address, nbytes: bytes that nobody frees while the storage is used; `owner` is kept alive with them, and `deleter`
    is called once when nothing refers to them any more (what the end of the process takes is not waited for).
    shared: the name of shared memory that another process made (`storage.name`).
    file: a path, mapped for reading ("r") or for reading and writing ("r+"), or made with `nbytes` bytes ("w+").  Its
    size is checked when it is opened; a file that others cut short while it is mapped ends the process.

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
    if isinstance(obj, Storage):
        return obj
    s = storage_of_tensor(obj if type(obj) is Tensor else asarray(obj, device="cpu", copy=False))
    if dtype is not None:
        s.dtype = dtype
    if read_only:
        s.read_only = True
    return s


class External:
    """Memory at an address; NumPy keeps this object, which keeps the owner and calls the deleter at its end."""

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
        """The bytes."""
        return np.asarray(self)

    def __del__(self) -> None:
        deleter, self.deleter = self.deleter, None
        if deleter is not None:
            deleter()


# ---- allocators


def using_allocator(allocator: Allocator) -> Any:
    """Inside the block, values that this thread computes, and storages it makes, lie in an allocator's memory.

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
    if not isinstance(allocator, Allocator):
        raise DTypeError(
            f"using_allocator: {type(allocator).__name__} is no allocator; give a weft.Heap, SharedMemory or FileMemory"
        )
    return using(allocator)


def get_allocator() -> Allocator:
    """The allocator in force in this thread: the process's heap unless a block says otherwise.

    The heap counts storages and blocks of 1 MiB and more; smaller values come from NumPy, uncounted.  A `weft.Heap` of
    your own counts every byte.

    >>> import weft
    >>> weft.get_allocator().name
    'heap'
    """
    return chosen()


# ---- overlap


def overlap(a: Tensor, b: Tensor, /) -> tuple[Index, Index] | None:
    """An index of each tensor whose cells share a byte, or None: exact, whatever the strides.

    Values that are only pending have no memory: they overlap where they are views of one place.

    >>> import weft
    >>> x = weft.zeros(10).realize()
    >>> weft.overlap(x[::2], x[1::2]), weft.overlap(x[2:], x[::-1])
    (None, ((7,), (0,)))
    """
    found = _overlap(a, b)
    if isinstance(found, Undecided):
        raise ValueRangeError(
            f"overlap: strides {a.strides} and {b.strides} are too many for an exact answer; weft treats them as "
            "overlapping; compare contiguous parts"
        )
    return found


def may_share_memory(a: Tensor, b: Tensor, /) -> bool:
    """Whether any cells of two tensors share a byte: exact, and True where nobody could decide.

    >>> import weft
    >>> x = weft.zeros(10).realize()
    >>> weft.may_share_memory(x[::2], x[1::2]), weft.may_share_memory(x, x[3])
    (False, True)
    """
    return _overlap(a, b) is not None


def _overlap(a: Tensor, b: Tensor) -> Any:
    m, n = node_of(a), node_of(b)
    first, second = (x if x.alias is None else x.alias[0] for x in (m, n))
    if first is second and first.value is None:
        return lattice.overlap(*(_pending_box(x) for x in (m, n)))
    if first.value is None or second.value is None:
        return None
    return lattice.overlap(box_of(m), box_of(n))


def _pending_box(n: ir.Node) -> Box:
    axes = tuple(zip(n.desc.strides or (), n.desc.shape, strict=True))
    return Box(0 if n.alias is None else n.alias[1], axes, n.desc.dtype.itemsize)


def check_overlap(
    shape: Any,
    strides: Any,
    offset: int,
    itemsize: int,
    other_shape: Any,
    other_strides: Any,
    other_offset: int,
    other_itemsize: int,
) -> tuple[Index, Index] | None:
    """An index of each of two strided boxes of bytes where they share a byte, or None; without tensors.

    >>> import weft
    >>> weft.check_overlap((5,), (4,), 0, 1, (4,), (3,), 7, 1), weft.check_overlap((3,), (8,), 0, 1, (4,), (5,), 5, 2)
    (((4,), (3,)), ((2,), (2,)))
    """  # fmt: skip
    boxes = (
        lattice.box(offset, tuple(strides), tuple(shape), itemsize),
        lattice.box(other_offset, tuple(other_strides), tuple(other_shape), other_itemsize),
    )
    return _decided("check_overlap", lattice.overlap(*boxes))


def check_self_overlap(shape: Any, strides: Any, itemsize: int = 1) -> tuple[Index, Index] | None:
    """Two indices of a strided box whose cells share a byte, or None; axes of stride 0 are left out.

    >>> import weft
    >>> weft.check_self_overlap((3, 2), (1, 2)), weft.check_self_overlap((4, 3), (4, 5))
    (((0, 1), (2, 0)), None)
    """
    kept = tuple([n if s else min(n, 1) for n, s in zip(shape, strides, strict=True)])
    return _decided("check_self_overlap", lattice.self_overlap(lattice.box(0, tuple(strides), kept, itemsize)))


def _decided(op: str, found: Any) -> tuple[Index, Index] | None:
    if isinstance(found, Undecided):
        raise ValueRangeError(f"{op}: so many strides are too many for an exact answer; compare parts of the boxes")
    return found  # type: ignore[no-any-return]


# ---- conversions of anything


def ensure(obj: Any, dtype: Any = None, device: Any = None, *, inplace: bool = False) -> Any:
    """The object with a dtype, on a device: another handle on its cells where it has both, else a copy.

    Python and NumPy numbers stay numbers unless a device is given.  With inplace=True the tensor (or storage) itself
    becomes that, and is given back.

    >>> import weft
    >>> x = weft.asarray([1, 2])
    >>> y = weft.ensure(x, weft.int64)
    >>> y is x, y.storage is x.storage, weft.ensure(x, weft.float32).dtype, weft.ensure(5)
    (False, True, weft.float32, 5)
    """
    if isinstance(obj, Storage):
        return _ensured_storage(obj, dtype, device, inplace)
    if isinstance(obj, NUMBERS) and device is None:
        if inplace:
            raise DTypeError(f"ensure: inplace on the number {obj!r}; a number cannot change; take what is given back")
        return obj if dtype is None else python_value(obj, dtype)
    if type(obj) is not Tensor:
        if inplace:
            raise DTypeError(
                f"ensure: inplace on an object of class {type(obj).__name__}; tensors and storages change in place; "
                "take what is given back"
            )
        return asarray(obj, dtype=dtype, device=device)
    made = asarray(obj, dtype=dtype) if device is None else asarray(obj, dtype=dtype, device=device)
    if inplace:
        if made is not obj:
            move_to(obj, made)
        return obj
    return shallow(obj) if made is obj else made


def _ensured_storage(s: Storage, dtype: Any, device: Any, inplace: bool) -> Storage:
    """A storage of elements of a dtype; in place, tensors on it keep the bytes they have."""
    home = s.device if device is None else named_device(device)
    found = s.dtype if dtype is None else dt.spelled(dtype)[0]
    if found is s.dtype and home is s.device:
        return s
    made = s.clone(home) if found is s.dtype or found is None else s.converted(found, home)
    if not inplace:
        return made
    s.become(made)
    return s


def python_value(number: Any, dtype: Any) -> Any:
    """A number as a dtype holds it, as a Python number."""
    return asarray(number).astype(dtype).item()  # type: ignore[attr-defined]


def cast(obj: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """A deep copy of the object's values with a dtype, on a device, also where nothing changes.

    >>> import weft
    >>> x = weft.asarray([1, 2])
    >>> y = weft.cast(x, weft.int64)
    >>> y.storage == x.storage, y.tolist()
    (False, [1, 2])
    """
    if device is None:
        return asarray(obj, dtype=dtype, copy=True)
    return asarray(obj, dtype=dtype, device=device, copy=True)


__all__ = [
    "Allocator", "FileMemory", "Heap", "SharedMemory", "Storage", "cast", "check_overlap", "check_self_overlap",
    "ensure", "get_allocator", "may_share_memory", "overlap", "storage", "storage_of", "using_allocator",
]  # fmt: skip
