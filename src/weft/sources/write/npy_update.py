"""Cells written into an existing .npy file, or appended to it.

The one idea: cells have fixed offsets, so a box of them is written in place; a longer array has its new shape in a
header of the same length, which is written after the cells.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import prod

from weft.errors import ValueRangeError
from weft.sources.formats.npy import NpyFile
from weft.sources.read.byte_ranges import read_some
from weft.sources.write.atomic_write import npy_description
from weft.sources.write.sink import ExistingArray, FileSink, Sink, write_at


@contextmanager
def updated_npy(path: str, arrays: Mapping[str, ExistingArray]) -> Iterator[Mapping[str, Sink]]:
    """Yield the sink of a .npy file's array under its name; after an error the old length is restored.

    Raises ValueRangeError if the array cannot grow along the axis, OSError if the system refuses.
    """
    ((name, array),) = arrays.items()
    source: NpyFile = array.source
    head = _longer_header(path, source, array) if array.axis is not None else b""
    sink = FileSink(path, source.offset, source.dtype, source.big, array.shape, source.order)
    try:
        yield {name: sink}
        os.fsync(sink.fd)
        if head:
            write_at(sink.fd, memoryview(head), 0)
            os.fsync(sink.fd)
    except BaseException:
        os.ftruncate(sink.fd, source.identity[2])
        raise
    finally:
        sink.close()


def _longer_header(path: str, source: NpyFile, array: ExistingArray) -> bytes:
    """Return the header of the grown array, of the same length as the old one.

    Raises ValueRangeError if the array cannot grow along the axis, or the header has no room.
    """
    outer = 0 if source.order == "C" else len(array.shape) - 1
    if array.axis != outer:
        fact = f"append={array.axis} in {source.order} order; only axis {outer} can grow, behind which the file ends"
        raise _refuse(path, fact, f"append along {outer}, or save a new file")
    behind = source.identity[2] - source.offset - prod(source.shape) * source.dtype.itemsize
    if behind:
        raise _refuse(path, f"{behind} bytes follow its cells", "they would be lost; save a new file")
    fd = os.open(path, os.O_RDONLY)
    try:
        old = read_some(fd, source.offset, 0)
    finally:
        os.close(fd)
    begin = 10 if old[6] == 1 else 12
    text = npy_description(source.header.dtype, array.shape, source.order == "F").encode("latin1")
    if begin + len(text) + 1 > len(old):
        raise _refuse(
            path, f"its header of {len(old)} bytes has no room for the shape {array.shape}", "save a new file"
        )
    return old[:begin] + text.ljust(len(old) - begin - 1) + b"\n"


def _refuse(path: str, fact: str, advice: str) -> ValueRangeError:
    return ValueRangeError(f"save: {path}: {fact}; {advice}")
