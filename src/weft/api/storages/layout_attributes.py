"""Attributes of tensors about the layout of their cells, and the methods that change it.

The one idea: facts come from the description; only attributes with an address compute the value.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from weft.api.arguments import flag
from weft.api.storages import copying
from weft.api.storages.cell_layout import check_order
from weft.api.storages.copying import is_dense_in, lock, move_to, unlock
from weft.ir.atoms import selections
from weft.ir.graph.description import describe
from weft.ir.graph.node import root_of
from weft.ir.pieces.lattice import box, self_overlap
from weft.runtime.fork_safety import late_import
from weft.runtime.memory.access import byte_range
from weft.tensors.place import box_of, check_writable, is_read_only
from weft.tensors.tensor import Tensor, handle, node_of


def storage_of_tensor(t: Tensor) -> Any:
    """Return the storage that holds a tensor's cells, creating it at first use."""
    return late_import("weft.api.storages.storage_creation").storage_of_tensor(t)


def storage(self: Tensor) -> Any:
    """Return the storage that holds the cells; all views of a tensor have the same one.

    A pending value is computed.  From then on its memory is visible: writes go to that memory.

    >>> import weft
    >>> x = weft.arange(6) * 2
    >>> x.storage is x[::2].storage, x.storage.tolist()
    (True, [0, 2, 4, 6, 8, 10])
    """
    return storage_of_tensor(self)


def offset(self: Tensor) -> int:
    """Return the number of bytes from the start of the storage to the first cell.

    >>> import weft
    >>> weft.flip(weft.zeros((2, 5), dtype=weft.int64), axis=1).offset
    32
    """
    n = node_of(self)
    root, at = n.alias if n.alias is not None else (n, 0)
    if root.value is None or not n.desc.size:
        return at
    p = self._place
    start = byte_range(root.value)[0] if p.storage is None else p.storage.ptr
    return box_of(n).offset - start


def ptr(self: Tensor) -> int:
    """Return the address of the first cell; writes of foreign code to it change the tensor.

    >>> import ctypes, weft
    >>> x = weft.zeros(2, dtype=weft.int32)
    >>> ctypes.c_int32.from_address(x.ptr).value = 5
    >>> x.tolist()
    [5, 0]
    """
    storage_of_tensor(self)
    return box_of(node_of(self)).offset


def itemsize(self: Tensor) -> int:
    """Return the number of bytes of a cell."""
    return node_of(self).desc.dtype.itemsize


def refcount(self: Tensor) -> int:
    """Return the number of Python references to this tensor object.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> y = x
    >>> x.refcount
    2
    """
    return sys.getrefcount(self) - _OWN_REFERENCES


def read_only(self: Tensor) -> bool:
    """True if the cells cannot be written through this tensor; setting it holds for this tensor and its later views.

    >>> import weft
    >>> x = weft.zeros(4)
    >>> x.read_only = True
    >>> x[0:3].read_only, x.copy().read_only
    (True, False)
    """
    return is_read_only(node_of(self))


def set_read_only(self: Tensor, value: bool) -> None:
    """Set or clear the read-only flag of this tensor; raises WriteError if the memory forbids writing.

    Raises DTypeError for a value that is no bool.
    """
    n, wanted = node_of(self), flag("read_only", "value", value)
    if wanted and not n.desc.read_only:  # a flag of this tensor, whatever its storage's flag is
        lock(self)
    elif not wanted and is_read_only(n):
        unlock(self)


def set_byteorder(self: Tensor, order: str) -> None:
    """Reinterpret this tensor's cells in a byte order, "little" or "big".

    No byte moves, and other tensors do not change.  Raises ValueRangeError for another order.
    """
    check_order("byteorder", order)
    if (order == "big") == node_of(self).desc.big or itemsize(self) == 1:
        return
    s, at, d = storage_of_tensor(self), offset(self), node_of(self).desc
    made = s._on(describe(d.dtype, d.shape, d.strides, not d.big), at)
    move_to(self, made if d.origin is None else handle(made, selections.translate(node_of(made), d.origin)))
    if d.read_only:
        lock(self)


def byteswapped(self: Tensor) -> bool:
    """True if the cells are big-endian, which is not the machine's order."""
    return itemsize(self) > 1 and self.byteorder == "big"


def set_byteswapped(self: Tensor, swapped: bool) -> None:
    """Reinterpret this tensor's cells as big-endian if `swapped`, else as little-endian; no byte moves.

    Raises DTypeError for a value that is no bool.
    """
    set_byteorder(self, "big" if flag("byteswapped", "value", swapped) else "little")


def byteswap(self: Tensor) -> Tensor:
    """Swap the bytes of every cell in place and change the byte order, so that values do not change.

    Return this tensor; one of one-byte cells stays as it is.  Other tensors on the same memory see the swapped bytes.
    Raises WriteError for a tensor that is read-only.

    >>> import weft
    >>> x = weft.asarray([1, 2], dtype=weft.int16)
    >>> x.byteswap().tolist(), x.byteorder
    ([1, 2], 'big')
    """
    s = storage_of_tensor(self)  # the existing storage may be read-only
    check_writable("byteswap", node_of(self))
    if itemsize(self) == 1:
        return self
    traits = node_of(self).traits  # values stay, and so do gradients
    d, part = node_of(self).desc, node_of(self).desc.dtype.real.itemsize
    shape, strides = (*d.shape, d.dtype.itemsize // part), (*(d.strides or ()), part)
    with s._written("byteswap") as memory:
        np.ndarray(shape, f"u{part}", memory, offset(self), strides).byteswap(inplace=True)
    set_byteorder(self, "little" if self.byteorder == "big" else "big")
    node_of(self).traits = traits
    return self


# ---- predicates


def is_contiguous(self: Tensor) -> bool:
    """True if the cells fill a run of memory without gaps, in any order of the axes.

    >>> import weft
    >>> x = weft.zeros((2, 3))
    >>> x.T.is_contiguous, x.T.is_c_contiguous, x.T.is_fortran, x[:, 1:].is_contiguous
    (True, False, True, False)
    """
    d = node_of(self).desc
    axes = sorted([(abs(s), n) for s, n in zip(d.strides or (), d.shape, strict=True) if n != 1])
    return is_dense_in(tuple([n for _, n in axes]), tuple([s for s, _ in axes]), d.dtype.itemsize, "F")


def is_c_contiguous(self: Tensor) -> bool:
    """True if the cells lie row-major without gaps."""
    d = node_of(self).desc
    return is_dense_in(d.shape, d.strides or (), d.dtype.itemsize, "C")


def is_fortran(self: Tensor) -> bool:
    """True if the cells lie column-major without gaps."""
    d = node_of(self).desc
    return is_dense_in(d.shape, d.strides or (), d.dtype.itemsize, "F")


def is_aligned(self: Tensor) -> bool:
    """True if every cell lies at a multiple of its size (complex ones: of a part's size).

    >>> import weft
    >>> weft.storage(5).tensor((2,), strides=(3,), unit=1, dtype=weft.int16).is_aligned
    False
    """
    n = node_of(self)
    d, part = n.desc, n.desc.dtype.real.itemsize
    root = root_of(n)
    start = box_of(n).offset if root.value is not None else 0 if n.alias is None else n.alias[1]
    return not d.size or all(
        s % part == 0 for s in (start, *[s for s, m in zip(d.strides or (), d.shape, strict=True) if m > 1])
    )


def is_self_overlapping(self: Tensor) -> bool:
    """True if cells at different coordinates share bytes; broadcast axes do not count.

    >>> import weft
    >>> weft.sliding_window_view(weft.zeros(5), 2).is_self_overlapping
    True
    """
    d = node_of(self).desc
    shape = tuple([n if s else min(n, 1) for n, s in zip(d.shape, d.strides or (), strict=True)])
    return self_overlap(box(0, d.strides or (), shape, d.dtype.itemsize)) is not None


def chunks(self: Tensor) -> tuple[int, ...] | None:
    """Return the shape of the blocks of the file or store behind the cells; None for sources without blocks.

    Zarr, HDF5 and FITS store arrays in chunks, which are read and decoded as wholes.  Slices, permutations of axes and
    element-wise functions of one such source keep them; memory, plain files and other expressions have none.

    >>> import os, tempfile
    >>> import weft
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.zarr")
    ...     weft.save(path, weft.zeros((20, 30)), chunks=(5, 10))
    ...     x = weft.open(path)
    ...     x.chunks, x[0].chunks, (x.T[:, ::2] * 2).chunks, x.realize().chunks
    ((5, 10), (10,), (10, 2), None)
    """
    found: tuple[int, ...] | None = late_import("weft.sources.read.preferred_chunks").preferred_chunks(node_of(self))
    return found


def is_empty(self: Tensor) -> bool:
    """True if there are no cells."""
    return node_of(self).desc.size == 0


def is_scalar(self: Tensor) -> bool:
    """True if the rank is 0."""
    return node_of(self).desc.ndim == 0


def is_real(self: Tensor) -> bool:
    """True if the values are not complex."""
    return node_of(self).desc.dtype.kind != "complex"


def is_complex(self: Tensor) -> bool:
    """True if the values are complex."""
    return node_of(self).desc.dtype.kind == "complex"


def install(t: Any) -> None:
    """Install these attributes and methods on the class of tensors."""
    readable = (storage, offset, ptr, itemsize, refcount, is_contiguous, is_c_contiguous, is_fortran, is_aligned)
    for get in (*readable, is_self_overlapping, chunks, is_empty, is_scalar, is_real, is_complex):
        setattr(t, get.__name__, property(get))
    t.read_only = property(read_only, set_read_only)
    t.byteorder = property(t.byteorder.fget, set_byteorder)
    t.byteswapped = property(byteswapped, set_byteswapped)
    for change in (byteswap, copying.copy_from, copying.clone, copying.replicate, copying.shallow):
        setattr(t, change.__name__, change)
    t.as_contiguous, t.own, t.dealloc = copying.as_contiguous, copying.own, copying.dealloc


def _own_references() -> int:
    """Return the number of references to a tensor that a call of `refcount` itself adds."""
    x: Any = type("Probe", (), {"refcount": property(refcount)})()
    return int(x.refcount) - 1


_OWN_REFERENCES = 0
_OWN_REFERENCES = _own_references()
