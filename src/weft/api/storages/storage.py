"""Storage: bytes held by a user, and the tensors that lie in them.

The one idea: a storage is memory and labels (a dtype and a byte order for tensors made on it, a read-only flag).  Every
tensor on it has a place of its own, registered by address like an import, so tensors of several dtypes see each other's
writes and pending expressions keep their meaning.  A place holds its storage, a storage refers to its places only
weakly: memory is freed with the last handle.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import flag, integer
from weft.api.storages.cell_layout import block_of, check_inside, check_order, handles, layout
from weft.api.storages.copying import copy_from, lock
from weft.api.storages.resizing import CHANGES, check_resize, move, release, swap_byte_order
from weft.dtypes import DType
from weft.errors import ArgumentError, ShapeError, ValueRangeError, WriteError
from weft.interop.imports import asarray
from weft.ir.graph.description import TensorDescription, describe
from weft.ir.graph.node import stored
from weft.runtime.devices.device import CPU, Device
from weft.runtime.devices.device import device as named_device
from weft.runtime.devices.stream import Cells, Stream, Uses
from weft.runtime.memory.access import pinned, register
from weft.runtime.memory.allocator import Allocator, MemoryBlock, Raw, chosen
from weft.runtime.memory.fingerprints import UNSEEN
from weft.runtime.references import LooseSet
from weft.tensors.pending_limits import watch
from weft.tensors.place import Place, lock_of
from weft.tensors.tensor import Tensor, wrap
from weft.tensors.versions import prepare_write

BYTES = dt.uint8  # the dtype of tensors on raw bytes, by default


class Storage:
    """Bytes on a device, with a dtype and byte order.

    They are made by `weft.storage`, `weft.storage_of` and `x.storage`; calling the class raises TypeError.

    >>> import weft
    >>> s = weft.storage(3, weft.int16)
    >>> s.tensor()[1] = 258
    >>> s.tolist(), s.nbytes, s.itemsize, s.n
    ([0, 258, 0], 6, 2, 3)
    >>> s.dtype = None
    >>> s
    Storage(<00 00 02 01 00 00>, nbytes=6)
    """

    __slots__ = (
        *("__weakref__", "_big", "_dtype", "_locked", "_memory", "_nbytes", "_origin", "_owner", "_places"),
        *("_read_only", "_uses"),
    )
    __hash__ = None  # type: ignore[assignment]

    _memory: np.ndarray  # all of the capacity, at least one byte
    _places: LooseSet[Place]
    _origin: np.ndarray | None  # the array, of weft or foreign, whose memory it is

    def __init__(self, *_: Any, **__: Any) -> None:
        raise ArgumentError("Storage: the class is not called; make one with weft.storage(n) or weft.storage_of(obj)")

    # ---- what it is
    @property
    def device(self) -> Device:
        """The device that holds the bytes."""
        return CPU if self._uses is None else self._uses.stream.device

    @property
    def stream(self) -> Stream:
        """The stream that orders work on the bytes."""
        return CPU.default_stream if self._uses is None else self._uses.stream

    @property
    def ptr(self) -> int:
        """The address of the first byte."""
        return int(self._memory.__array_interface__["data"][0])

    @property
    def nbytes(self) -> int:
        """Bytes of the storage."""
        return self._nbytes

    size = nbytes

    @property
    def capacity(self) -> int:
        """Bytes that `resize` may use without moving."""
        return max(self._nbytes, self._memory.nbytes if self._nbytes or self.owner else 0)

    @property
    def dtype(self) -> DType | None:
        """The dtype of new tensors on the storage, or None for raw bytes; existing tensors keep theirs."""
        return self._dtype

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        if dtype is None:
            self._dtype = None
            return
        self._dtype, order = dt.spelled(dtype)
        if order == "big":
            self.byteorder = order

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return 1 if self._dtype is None else self._dtype.itemsize

    @property
    def n(self) -> int:
        """Whole elements that the bytes hold."""
        return self._nbytes // self.itemsize

    def __len__(self) -> int:
        return self.n

    @property
    def byteorder(self) -> str:
        """The byte order, "little" or "big".

        Setting it moves no byte, and reinterprets every tensor on the storage.
        """
        return "big" if self._big else "little"

    @byteorder.setter
    def byteorder(self, order: str) -> None:
        if (check_order("byteorder", order) == "big") != self._big:
            with self._locks() as places:
                swap_byte_order(self, places, aside=False)

    @property
    def byteswapped(self) -> bool:
        """True if the byte order is big-endian, which is not the machine's."""
        return self._big

    @byteswapped.setter
    def byteswapped(self, swapped: bool) -> None:
        self.byteorder = "big" if flag("byteswapped", "value", swapped) else "little"

    @property
    def read_only(self) -> bool:
        """True if no tensor on the storage can be written."""
        return self._read_only or self._locked

    @read_only.setter
    def read_only(self, value: bool) -> None:
        wanted = flag("read_only", "value", value)
        if self._locked and not wanted:
            raise WriteError(
                "read_only: the memory was given for reading, or is gone; nothing makes it writable; write to a clone()"
            )
        self._read_only = wanted

    @property
    def owner(self) -> bool:
        """True if weft allocated the memory; foreign memory is kept alive."""
        return self._owner

    @property
    def allocator(self) -> Allocator | None:
        """The allocator that counts the memory, if one does."""
        block = block_of(self._memory)
        return None if block is None else block.allocator

    @property
    def name(self) -> str | None:
        """The name by which another process opens the memory, if it is shared (see `weft.SharedMemory`)."""
        kept = getattr(block_of(self._memory), "kept", None)
        return kept.rpartition("/")[2] if isinstance(kept, str) else None

    @property
    def refcount(self) -> int:
        """The number of tensors on the storage, views included."""
        return handles(list(self._places))

    def is_aligned(self) -> bool:
        """True if elements lie at multiples of their size (of a part's, for complex ones)."""
        part = 1 if self._dtype is None else self._dtype.real.itemsize
        return self.ptr % part == 0

    def __eq__(self, other: object) -> bool:
        """True if both are the same memory; contents are compared as tensors."""
        if not isinstance(other, Storage):
            return NotImplemented
        return self is other or (self._nbytes > 0 and (self.ptr, self._nbytes) == (other.ptr, other._nbytes))

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (self.tobytes(), self._dtype, self._big)

    def __repr__(self) -> str:
        notes = [f"nbytes={self._nbytes}"]
        notes += ["big-endian"] if self._big and self.itemsize > 1 else []
        notes += ["read-only"] if self.read_only else []
        if self._dtype is not None:
            body = np.array2string(self._shown(), separator=", ", prefix="Storage(")
            return f"Storage({body}, dtype={self._dtype.name}, {', '.join(notes)})"
        shown = self.tobytes(64).hex(" ").upper()
        return f"Storage(<{shown}{' ...' if self._nbytes > 64 else ''}>, {', '.join(notes)})"

    def _shown(self) -> np.ndarray:
        """Return the elements as an array that NumPy can print."""
        values = self.tensor().numpy()
        extended = values.dtype.kind == "V"  # dtypes that NumPy cannot print
        return np.asarray(self.tensor().astype(dt.float32).numpy()) if extended else values

    def tobytes(self, most: int | None = None) -> bytes:
        """Return the bytes in memory order, or the first `most` of them.

        Raises DTypeError for a number that is no integer, ValueRangeError for a negative one.
        """
        count = self._nbytes if most is None else min(integer("tobytes", "most", most), self._nbytes)
        if count < 0:
            raise ValueRangeError(f"tobytes: most {most}; bytes are counted from the first one; give 0 or more")
        with pinned((self._settled(),)):
            return self._memory[:count].tobytes()

    # ---- tensors on it
    def tensor(
        self,
        shape: Any = None,
        *,
        strides: Any = None,
        offset: int = 0,
        unit: int | None = None,
        dtype: Any = None,
        byteorder: str | None = None,
        order: str = "C",
        read_only: bool = False,
    ) -> Tensor:
        """Return a tensor on the bytes: a vector of all, or of a shape, with its first cell at `offset`.

        `offset` and `strides` count in units of `unit` bytes, by default elements; strides may be negative, zero or
        overlapping, for reading. dtype and byte order default to the storage's, that of raw bytes to uint8. Raises
        ShapeError for cells outside the storage or another number of strides than axes, ValueRangeError for another
        byte order or order, DTypeError for an unknown dtype or arguments of other types.

        >>> import weft
        >>> s = weft.storage_of(weft.arange(12, dtype=weft.int16))
        >>> s.tensor((3, 4), strides=(4, 1)).tolist()
        [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
        >>> s.tensor((3, 3), offset=2).tolist()
        [[2, 3, 4], [5, 6, 7], [8, 9, 10]]
        """
        locked = flag("tensor", "read_only", read_only)
        with CHANGES:  # the labels are those that the bytes have
            found, spelled = (self._dtype or BYTES, None) if dtype is None else dt.spelled(dtype)
            big = spelled == "big" if dt.names_order(dtype) else self._big
            if byteorder is not None:
                big = check_order("tensor", byteorder) == "big"
            step = found.itemsize if unit is None else integer("tensor", "unit", unit)
            offset = integer("tensor", "offset", offset)
            at = offset * step
            if offset < 0 or step < 1:
                raise ShapeError(f"tensor: offset {offset} in units of {step} bytes; both count from the first byte up")
            shape = ((self._nbytes - at) // found.itemsize if at <= self._nbytes else 0,) if shape is None else shape
            sizes, steps = layout("tensor", shape, strides, step, found.itemsize, order)
            check_inside(sizes, steps, at, found.itemsize, self._nbytes)
            desc = describe(found, sizes, steps, big)
            t = self._on(desc, at)
            if locked:
                lock(t)
            return t

    def _on(self, desc: TensorDescription, offset: int) -> Tensor:
        """Return a tensor on the storage with a description, its first cell at byte `offset`."""
        with CHANGES:
            leaf = stored(desc, self._typed(desc, offset))
            leaf.traits = self.device.traits
            t = wrap(leaf)
            place = t._place
            place.storage, place.region = self, register(place.node.value, place)
            self._places.add(place)
            if not self._owner:
                place.node.fingerprint = UNSEEN
        watch(place.node)
        return t

    def _typed(self, desc: TensorDescription, offset: int) -> np.ndarray:
        """Return an array over the storage's memory with a description, its first cell at byte `offset`."""
        at = offset if desc.size else 0
        made = np.ndarray(desc.shape, dt.to_numpy(desc.dtype, desc.byteorder), self._memory, at, desc.strides)
        if self._uses is None:
            return made
        cells_there = made.view(Cells)
        cells_there.uses = self._uses
        return cells_there

    def __getitem__(self, key: Any) -> Tensor:
        return self.tensor()[key]  # type: ignore[index,no-any-return]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.tensor()[key] = value  # type: ignore[index]

    def tolist(self) -> list[Any]:
        """Return the elements as Python numbers."""
        return self.tensor().tolist()  # type: ignore[no-any-return]

    def numpy(self) -> np.ndarray:
        """Return the elements as an array on the same memory."""
        return self.tensor().numpy()

    # ---- changing it
    def sync(self) -> None:
        """Wait until no work writes the bytes; raises the error of work that failed."""
        with pinned((), (self._settled(),)):
            pass

    def _settled(self) -> np.ndarray:
        """Return the memory once all work on it is done; raises the error of work that failed."""
        if self._uses is not None:
            self._uses.settle()
            self._uses.sync()  # raises the error of the work, unless it was raised before
        return self._memory

    def zero(self) -> None:
        """Set every byte to 0; raises WriteError if the storage is read-only."""
        with self._written("zero") as memory:
            memory[...] = 0

    def byteswap(self) -> None:
        """Swap the bytes of every element, and the byte order of the storage and its tensors, so that values stay.

        Raises WriteError if the storage is read-only.
        """
        part = 1 if self._dtype is None else self._dtype.real.itemsize
        with self._locks() as places, self._written("byteswap") as memory:
            swap_byte_order(self, places, aside=True)
            self._settled()
            if part > 1:
                np.ndarray(self._nbytes // part, f"u{part}", memory).byteswap(inplace=True)

    def copy_from(self, source: Any) -> None:
        """Write the elements of a storage, tensor or array to this storage, cast to its dtype and byte order.

        An overlapping source is read completely first. Raises ShapeError for another number of elements, DTypeError for
        complex values into real ones, WriteError if the storage is read-only.
        """
        values = source.tensor() if isinstance(source, Storage) else asarray(source)
        if values.size != self.n:
            raise ShapeError(
                f"copy_from: {values.size} elements into a storage of {self.n}; as many are needed; resize() it, or "
                "copy to a tensor() on a part of it"
            )
        copy_from(self.tensor(), values, linear=True)

    def clone(self, device: Any = None, *, allocator: Allocator | None = None) -> Storage:
        """Return a storage with the same elements, dtype and byte order in new memory, on a device if given.

        On a device that cannot swap bytes the copy is native. `allocator` provides the memory, by default the one in
        force. Raises ValueRangeError for an unknown device.
        """
        home = self.device if device is None else named_device(device)
        if self._big and self.itemsize > 1 and not home.supports_byteswap:
            return self.converted(self._dtype or BYTES, home, allocator)
        made = fresh(self._nbytes, self._dtype, self._big, allocator, home)
        with pinned((self._settled(),)):
            made._memory[: self._nbytes] = self._memory[: self._nbytes]
        return made

    def converted(self, dtype: DType, home: Device | None = None, allocator: Allocator | None = None) -> Storage:
        """Return a new storage with the elements cast to a dtype, in native byte order.

        It lies on the device `home` (default: this one's), in memory of `allocator` (default: the one in force). Raises
        DTypeError for complex elements as real ones.
        """
        made = fresh(self.n * dtype.itemsize, dtype, False, allocator, home or self.device)
        made.copy_from(self)
        return made

    def become(self, other: Storage) -> None:
        """Replace the memory and labels by those of `other`, which must have no tensors.

        Tensors on the old memory keep it.
        """
        with self._locks() as places:
            if places:
                left: Storage = object.__new__(Storage)
                for name in Storage.__slots__[1:]:
                    setattr(left, name, getattr(self, name))
                for p in places:
                    p.storage = left
            for name in Storage.__slots__[1:]:
                setattr(self, name, getattr(other, name))
            other._places = LooseSet()

    def resize(self, nbytes: int) -> None:
        """Set the number of bytes: old bytes keep their values, new ones are zero, tensors keep their offsets.

        Memory moves if the capacity is too small. Raises ValueRangeError for a size that is no integer from 0 on,
        WriteError for read-only memory, if a tensor would lose cells, or if memory would have to move that is foreign
        or exported to arrays outside weft.
        """
        with self._locks() as places:
            check_resize(self, nbytes, places)
            old, moved = self._nbytes, nbytes > self._memory.nbytes
            if moved:
                move(self, nbytes, places)
            self._nbytes = nbytes
            if nbytes > old and not moved:
                with self._written("resize", old) as more:
                    more[...] = 0

    def dealloc(self) -> None:
        """Release the bytes: the storage becomes empty and read-only; reading a tensor on it raises ValueRangeError.

        Expressions built earlier keep the values they were built from; arrays outside weft keep the memory alive.
        """
        with self._locks() as places:
            if self._nbytes and not self.read_only:
                with self._written("dealloc"):
                    pass  # pending readers are computed on entry
            for p in places:
                release(p)
            self._memory, self._origin = no_memory(), None
            self._nbytes, self._locked = 0, True

    # ---- how
    @contextmanager
    def _locks(self) -> Iterator[list[Place]]:
        """Return a context manager that yields the places on the storage, locked; no place is added meanwhile."""
        with CHANGES, ExitStack() as locks:
            places = sorted(self._places, key=id)
            for p in places:
                locks.enter_context(lock_of(p))
            yield places

    @contextmanager
    def _written(self, op: str, start: int = 0) -> Iterator[np.ndarray]:
        """Return a context manager that yields the memory from byte `start` on for writing.

        Pending expressions keep the old values.  Raises WriteError, naming `op`, if the storage is read-only.
        """
        if self.read_only:
            raise WriteError(f"{op}: the storage is read-only; its bytes stay as they are; write to a clone()")
        written = self._on(describe(BYTES, (self._nbytes - start,), (1,)), start)
        with lock_of(written._place):
            if self._nbytes > start:
                prepare_write(written)
            memory = self._settled()[start : self._nbytes]
            with pinned((), (memory,)):
                yield memory


# ---- making storages


def labelled(memory: np.ndarray, nbytes: int, dtype: DType | None, big: bool, owner: bool) -> Storage:
    """Return a storage over an array of bytes, with the given size in bytes, dtype, byte order and owner flag."""
    s: Storage = object.__new__(Storage)
    s._memory, s._nbytes, s._dtype, s._big = memory, nbytes, dtype, big
    s._origin, s._places, s._read_only, s._owner, s._uses = None, LooseSet(), False, owner, None
    s._locked = not memory.flags.writeable
    return s


def fresh(
    nbytes: int,
    dtype: DType | None,
    big: bool,
    allocator: Allocator | None,
    home: Device = CPU,
    on: Stream | None = None,
) -> Storage:
    """Return a storage of zeros in `nbytes` bytes of new memory, on device `home`, whose work stream `on` orders.

    `allocator` provides the memory, by default the one in force.
    """
    memory = (allocator or chosen()).memory(nbytes)
    memory[...] = 0
    s = labelled(memory, nbytes, dtype, big, True)
    if not home.is_host:
        s._uses = Uses(on or home.stream_for_new())
    return s


def restored(content: bytes, dtype: DType | None, big: bool) -> Storage:
    """Return a storage in new memory with the bytes `content`, of a pickle, and its dtype and byte order."""
    made = fresh(len(content), dtype, big, None)
    made._memory[: len(content)] = np.frombuffer(content, np.uint8)
    return made


def kept(memory: np.ndarray) -> np.ndarray:
    """Return memory as a view of a class that NumPy keeps as the base of typed arrays over it."""
    return memory.view(Raw).view(MemoryBlock)


def no_memory() -> np.ndarray:
    """Return one byte of memory, which gives a storage of 0 bytes an address."""
    return kept(Raw((1,), np.uint8))
