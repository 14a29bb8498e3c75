"""Copies between devices, into aligned native memory, and into pieces of memory.

The one idea: cells are packed on the device where they lie, transferred as one contiguous run, and every copy is work
in the stream of the memory that it reads or writes; only cells of the host are copied before the call returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.ir.graph.description import describe
from weft.ir.graph.node import Node, line_of, result, stored
from weft.ir.pieces.normal_form import Piece
from weft.passes.device_assignment import device_of
from weft.passes.fuse import layout
from weft.runtime.compute import engine, profile
from weft.runtime.devices import device
from weft.runtime.devices.stream import Cells, Stream
from weft.runtime.memory.access import read_unwritten, strided_array

Device = device.Device


class WorkOrigin:
    """A lazy description of work for errors: an operation and the user's line that built it."""

    __slots__ = ("node",)

    def __init__(self, n: Node) -> None:
        self.node = Node()
        self.node.op, self.node.code, self.node.lasti = n.op, n.code, n.lasti

    def __str__(self) -> str:
        line = line_of(self.node)
        return self.node.op.name + (f", built at {line}" if line else "")


def plain_array(array: np.ndarray) -> np.ndarray:
    """Return an array's cells as a plain NumPy array, without the device's `Uses` record."""
    return array.view(np.ndarray)


def cells_of(n: Node) -> Any:
    """Return a stored node's cells as an array over its memory; on a device, the array carries its `Uses` record."""
    root, offset = n.alias if n.alias is not None and n.alias[0].value is not None else (n, 0)
    array = strided_array(root.value, offset, layout(n), True)
    if isinstance(root.value, Cells) and not isinstance(array, Cells):
        array = array.view(Cells)
        array.uses = root.value.uses
    return array


def aligned_leaf(n: Node, home: Device, allocate: Any, stream: Stream) -> Node | None:
    """Return leaf n copied to aligned memory in native byte order of device `home`. None if the device needs no copy.

    `allocate(dtype, shape)` returns the memory of the copy, and `stream` makes it.
    """
    d, array = layout(n), n.value
    swapped = d.big and not home.supports_byteswap and d.dtype.itemsize > 1
    if not swapped and not (home.requires_aligned_data and not array.flags.aligned):
        return None
    made = allocate(d.dtype.np, d.shape)
    source, out = plain_array(array), plain_array(made)
    stream.submit(lambda: np.copyto(out, source), [array.uses], [made.uses], WorkOrigin(n))
    return stored(result(d.dtype, d.shape, d.origin), made)


def start_transfer(transfer: Node, x: Node) -> np.ndarray:
    """Start a transfer of the cells of `x`; return the memory on the target device that receives them.

    `transfer` is the node of the transfer, whose traits name the device. Raises OutOfMemory if memory is refused.
    """
    home = device_of(transfer)
    source = device_of(x)
    what = WorkOrigin(transfer)
    if source is None:
        return _to_device(x, transfer, home, what)
    for d in (source, home):
        if d is not None:
            d.room()
    made = (home or device.CPU).allocate(transfer.desc.dtype.np, transfer.desc.shape)
    with source.temporaries() as take, engine.GRAPH:
        packed = _packed(_unrepeated(cells_of(x), source, home), take, transfer.desc.dtype, what)
        out, given = plain_array(made), plain_array(packed)
        if home is None:
            event = packed.uses.stream.submit(lambda: np.copyto(out, given), [packed.uses], (), what)
        else:
            made.uses.stream.submit(lambda: np.copyto(out, given), [packed.uses], [made.uses], what)
    if home is None:
        event.sync()
    return made


def _unrepeated(cells: Any, source: Device | None, target: Device | None) -> Any:
    """Return the cells to transfer without repetitions (axes of stride 0).

    The transfer from `source` to `target` (None: the host) is counted in open profiles.
    """
    steps = zip(cells.strides, cells.shape, strict=True)
    few = cells[(..., *[slice(0, 1) if s == 0 and n > 1 else slice(None) for s, n in steps])]
    profile.record_transfer(few.nbytes, str(source or device.CPU), str(target or device.CPU))
    return few


def _to_device(x: Node, transfer: Node, home: Device, purpose: WorkOrigin) -> np.ndarray:
    """Copy cells of the host to a temporary buffer at once, and have a stream copy them to device `home`.

    `purpose` names the work in errors.
    """
    home.room()
    made = home.allocate(transfer.desc.dtype.np, transfer.desc.shape)
    few = _unrepeated(cells_of(x), None, home)
    few_of = tuple([slice(n) for n in few.shape])
    with home.temporaries() as take:
        buffer = take(transfer.desc.dtype.np, few.shape)
        buffer.uses.settle()  # the host writes it now, in no stream: earlier transfers out of it must be done
        read_unwritten(x, lambda: np.copyto(plain_array(buffer), cells_of(x)[few_of]))
        out, given = plain_array(made), plain_array(buffer)
        made.uses.stream.submit(lambda: np.copyto(out, given), [buffer.uses], [made.uses], purpose)
    return made


def _packed(cells: Cells, allocate: Any, dtype: dt.DType, purpose: WorkOrigin) -> Cells:
    """Return cells in contiguous memory: the array itself if it is contiguous, else a temporary copy on its device.

    `allocate` returns that memory; `purpose` names the work in errors.
    """
    if cells.flags.c_contiguous and cells.dtype == dtype.np:
        return cells
    packed: Cells = allocate(dtype.np, cells.shape)
    source, out = plain_array(cells), plain_array(packed)
    cells.uses.stream.submit(lambda: np.copyto(out, source), [cells.uses], [packed.uses], purpose)
    return packed


def write_pieces(
    array: np.ndarray,
    parts: Sequence[Piece],
    target_numbers: Sequence[int],
    memories: dict[int, tuple[np.ndarray, Any]],
) -> None:
    """Write the cells of an array to pieces of memory: those of `parts[i]` to `memories[target_numbers[i]]`.

    `memories` maps a number to an array and its description.
    """
    for p, k in zip(parts, target_numbers, strict=True):
        base, d = memories[k]
        offset, strides = p.address(d.strides or ())
        cells = [slice(e, e + s * n, s) for e, s, n in zip(p.start, p.step, p.sizes, strict=True)]
        strided_array(base, offset, describe(d.dtype, p.sizes, strides, d.big), True)[...] = array[tuple(cells)]
