"""The .npz format: .npy files in a zip archive; stored members are read by ranges, deflated ones as a stream.

The one idea: a stored member is a .npy file at an offset.  A deflated member is decompressed from its start, a bounded
block at a time, and only the requested bytes are kept; sizes claimed by the archive allocate no memory.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.dtypes import from_numpy
from weft.errors import FileFormatError
from weft.runtime.compute.engine import SourceRead
from weft.sources.formats.cell_run import Identity, NoSuchArray, failure, opened, strides_of
from weft.sources.formats.kept_headers import kept
from weft.sources.formats.npy import MAX_HEADER, NpyFile, NpyHeader, parsed_header
from weft.sources.formats.zip_archive import DAMAGED, ZipDirectory, zip_directory
from weft.sources.read.checksums import CRC32
from weft.sources.read.deflate import deflate_library
from weft.sources.read.extents import Extents, extents_of
from weft.sources.read.touched_boxes import Box, byte_patterns

FORM = "npz"
BLOCK = 1 << 20  # bytes decompressed at a time
DEFLATE_MOST = 1032  # most bytes that a byte of a deflated stream can decode to, by zlib's documentation


def npz_names(path: str) -> list[str]:
    """Return the names of the arrays, without '.npy'; raises FileFormatError if it is no zip archive."""
    return [name.removesuffix(".npy") for name in _directory(path)[1].members]


def open_npz(path: str, name: str) -> NpyFile | Deflated:
    """Return one array of the archive as a source: a run of cells if uncompressed, else a `Deflated`.

    Raises NoSuchArray for an unknown name, FileFormatError if the member is damaged, encrypted or compressed otherwise.
    """
    (_, directory), name = _directory(path), name.removesuffix(".npy")
    if f"{name}.npy" not in directory.members:
        raise NoSuchArray(name)
    member = directory.members[f"{name}.npy"]
    at = directory.place(member, name)
    if member.compress_type == zipfile.ZIP_STORED:
        found = NpyFile(path, at, member.file_size, name)
        found.check_by(CRC32, at, at + member.file_size, {"its directory": member.CRC}, DAMAGED)
        return found
    if member.compress_type != zipfile.ZIP_DEFLATED:
        fact = f"member {name!r} is compressed by method {member.compress_type}"
        raise failure(FORM, path, fact, "stored and deflated members are read; write it with numpy.savez")
    return Deflated(path, name, at, member, directory.identity)


@kept(FORM)
def _directory(path: str, identity: Identity) -> ZipDirectory:
    return zip_directory(FORM, path, identity, ".npy")


class Deflated:
    """A deflated member as a source (protocol `Gathering`).

    A read decompresses it from its start to the last requested byte.
    """

    def __init__(self, path: str, name: str, at: int, member: zipfile.ZipInfo, identity: Identity) -> None:
        self.path, self.name, self.at, self.member, self.identity = path, f"{path}::{name}", at, member, identity
        if member.file_size > DEFLATE_MOST * (member.compress_size + 1):
            fact = f"claims {member.file_size} bytes from {member.compress_size} deflated ones"
            raise failure(FORM, self.name, fact, "no stream can give that; the archive is damaged")
        self.header = h = self._read_header()
        self.dtype, byteorder = from_numpy(h.dtype)
        self.big, self.shape, self.order = byteorder == "big", h.shape, "F" if h.fortran else "C"

    def __repr__(self) -> str:
        return f"<npz {self.name}: {self.dtype.name}{list(self.shape)} deflated, {self.order} order>"

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the cells of the boxes to the same positions of `target`.

        Raises FileFormatError if the archive is damaged.
        """
        itemsize = self.dtype.itemsize
        touches = byte_patterns(boxes, strides_of(self.shape, itemsize, self.order), itemsize)
        cells = target if self.order == "C" else target.T
        self._load(extents_of(touches), cells.reshape(-1).view(np.uint8))

    def fetched(self, boxes: Sequence[Box]) -> SourceRead:
        """Return a SourceRead of the whole compressed member, since cells have no known place in it."""
        count = -(-self.member.compress_size // BLOCK) if boxes else 0
        extents = np.array([[self.at, self.at + self.member.compress_size]] * bool(count), np.int64).reshape(-1, 2)
        return SourceRead(self.name, self.member.compress_size * bool(count), count, extents)

    def _load(self, extents: Extents, memory: NDArray[np.uint8]) -> None:
        """Copy byte ranges (first, end) of the decompressed cells to the same offsets of `memory`.

        Raises FileFormatError if the member is shorter.
        """
        begin = self.header.data_offset
        last = int(extents[-1, 1]) if len(extents) else 0
        current, at = 0, -begin  # the extent waited for; the cells' byte at which the next block begins
        for block in self._blocks():
            data = np.frombuffer(block, np.uint8)
            while current < len(extents):
                first, end = (int(n) for n in extents[current])
                low, high = max(first, at), min(end, at + len(data))
                if low < high:
                    memory[low:high] = data[low - at : high - at]
                if end > at + len(data):
                    break
                current += 1
            at += len(data)
            if at >= last and last < self.member.file_size - begin:
                return  # the rest is not needed, except to verify the checksum at the very end
        if current < len(extents):
            raise self._short(at + begin)

    def _blocks(self) -> Iterator[bytes]:
        """Yield the decompressed bytes, at most 1 MiB at a time.

        Raises FileFormatError if they do not decompress, or if their number or checksum contradicts the directory.
        """
        crc, done, left = 0, 0, self.member.compress_size
        with opened(self.path, FORM, self.identity) as (fd, _):
            library, pending = deflate_library(), b""
            inflate = library.decompressobj(-15)
            while not inflate.eof:
                if not pending and left:
                    buffer = bytearray(min(left, BLOCK))
                    fd.exactly(self.name, self.at + self.member.compress_size - left, memoryview(buffer))
                    pending, left = bytes(buffer), left - len(buffer)
                try:
                    block = inflate.decompress(pending, BLOCK)
                except library.error as e:
                    fact = f"does not decompress after {done} bytes: {e}"
                    raise failure(FORM, self.name, fact, "the archive is damaged") from e
                pending = inflate.unconsumed_tail
                if not block and not pending and not left and not inflate.eof:
                    raise self._short(done)
                crc, done = zlib.crc32(block, crc), done + len(block)
                if done > self.member.file_size:
                    fact = f"decompresses to more than the {self.member.file_size} bytes it claims"
                    raise failure(FORM, self.name, fact, "the archive is damaged")
                yield block
        if done < self.member.file_size:
            raise self._short(done)
        if crc != self.member.CRC:
            fact = f"has checksum {crc:08x}, its directory says {self.member.CRC:08x}"
            raise failure(FORM, self.name, fact, "the archive is damaged")

    def _short(self, done: int) -> FileFormatError:
        fact = f"decompresses to {done} bytes, it claims {self.member.file_size}"
        return failure(FORM, self.name, fact, "the archive is truncated or damaged")

    def _read_header(self) -> NpyHeader:
        """Return the header of the .npy file inside, decompressing only as much as needed.

        Raises FileFormatError if the member is damaged.
        """
        head = b""
        for block in self._blocks():
            head += block
            if len(head) >= MAX_HEADER + 12:
                break
        size = self.member.file_size
        return parsed_header(self.name, lambda n, offset: head[offset : offset + n], size, 0, self.identity)
