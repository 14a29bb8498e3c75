"""Sinks of formats that hold several arrays: npz, safetensors and FITS; and the table of such writers.

The one idea: the offsets of all arrays are known before any value is, so the files are laid out at once, with one
`FileSink` for each array; data that depend on values, such as checksums, are written when the sinks close.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from weft.dtypes import DType
from weft.errors import DTypeError, ShapeError, ValueRangeError
from weft.ir.graph.description import Shape
from weft.sources.formats.fits import BLOCK, CARD, KINDS, SHIFTED
from weft.sources.formats.hdf5_write import NAME, open_hdf5, updated_hdf5
from weft.sources.formats.safetensors import SPELLED, header_of
from weft.sources.write.atomic_write import npy_header
from weft.sources.write.sink import Field, FileSink, Sink, Writer, new_file, write_at

PIECE = 8 << 20  # bytes read back at a time


# ---- safetensors


def open_safetensors(path: str, fields: Mapping[str, Field]) -> Mapping[str, Sink]:
    """Create a safetensors file; return a sink for every field by name.

    Little-endian cells follow a JSON header, the widest types first, so that all are aligned.  Raises DTypeError for
    dtypes that the format lacks.
    """
    table: dict[str, Any] = {}
    at = 0
    for name, f in sorted(fields.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])):
        if f.dtype not in SPELLED or name == "__metadata__":
            what = f"{f.dtype.name} is no type of the format" if f.dtype not in SPELLED else "the name is reserved"
            raise DTypeError(f"save: {path}: array {name!r}: {what}; convert or rename it")
        table[name] = {"dtype": SPELLED[f.dtype], "shape": list(f.shape), "data_offsets": [at, at + f.nbytes]}
        at += f.nbytes
    head = header_of(table)
    new_file(path, head)
    begins = {name: len(head) + table[name]["data_offsets"][0] for name in fields}
    return {name: FileSink(path, begins[name], f.dtype, False, f.shape) for name, f in fields.items()}


# ---- npz: a zip archive of uncompressed .npy files


class Archive:
    """A zip archive of .npy files that is laid out before it is written.

    Each member gets its checksum when its sink closes; the last one also writes the directory.
    """

    def __init__(self, path: str, fields: Mapping[str, Field]) -> None:
        self.path, self.at, self.entries = path, 0, dict[str, bytes]()
        self.heads: dict[str, tuple[int, bytes]] = {}  # where the .npy header of an array begins, and the header
        self.fields = fields
        for name, f in fields.items():
            text = f"{name}.npy".encode()
            if len(text) > 60_000 or "\0" in name:
                raise ValueRangeError(f"save: {path}: the name {name[:40]!r} does not fit a zip archive; shorten it")
            head = npy_header(f.numpy, f.shape)
            begin = self.at + 30 + len(text) + 20
            self.heads[name] = begin, head
            self.at = begin + len(head) + f.nbytes
        new_file(path)

    def sinks(self) -> dict[str, Sink]:
        """Return a sink for every array by its name."""
        return {name: ArchiveMember(self, name) for name in self.fields}

    def finish(self, name: str, part: FileSink) -> None:
        """Write the headers of the complete member `name`, and after the last member the archive's directory."""
        begin, head = self.heads[name]
        text, size, crc = f"{name}.npy".encode(), len(head) + part.nbytes, zlib.crc32(head)
        for first in range(0, part.nbytes, PIECE):
            crc = zlib.crc32(part.fd.some(min(PIECE, part.nbytes - first), part.offset + first), crc)
        # versions, flags (names are UTF-8), stored, 1980-01-01; sizes stand in a field that has room for 64 bits
        facts = struct.pack("<HHHHHIIIHH", 45, 0x800, 0, 0, 0x21, crc, 2**32 - 1, 2**32 - 1, len(text), 20)
        local = b"PK\3\4" + facts + text + struct.pack("<HHQQ", 1, 16, size, size)
        at = begin - len(local)
        write_at(part.fd, memoryview(local + head), at)
        facts = facts[:-2] + struct.pack("<HHHHII", 28, 0, 0, 0, 0o600 << 16, 2**32 - 1)
        place = struct.pack("<HHQQQ", 1, 24, size, size, at)
        self.entries[name] = b"PK\1\2" + struct.pack("<H", 45 | 3 << 8) + facts + text + place
        if len(self.entries) == len(self.fields):
            write_at(part.fd, memoryview(self._directory()), self.at)

    def _directory(self) -> bytes:
        entries = b"".join(self.entries[name] for name in self.fields)
        count = len(self.entries)
        far = struct.pack("<QHHIIQQQQ", 44, 45 | 3 << 8, 45, 0, 0, count, count, len(entries), self.at)
        locator = struct.pack("<IQI", 0, self.at + len(entries), 1)
        end = struct.pack("<HHHHIIH", 0, 0, 2**16 - 1, 2**16 - 1, 2**32 - 1, 2**32 - 1, 0)
        return entries + b"PK\6\6" + far + b"PK\6\7" + locator + b"PK\5\6" + end


class ArchiveMember(FileSink):
    """The sink of one array of an archive, whose headers are written when it closes, while its file is still open."""

    def __init__(self, archive: Archive, name: str) -> None:
        (begin, head), f = archive.heads[name], archive.fields[name]
        super().__init__(archive.path, begin + len(head), f.dtype, f.big, f.shape)
        self.archive, self.name = archive, name

    def abandon(self) -> None:
        """Close the file without headers."""
        super().close()

    def close(self) -> None:
        """Write the member's headers, then close the file; raises OSError if the system refuses."""
        try:
            self.archive.finish(self.name, self)
        finally:
            super().close()


def open_npz(path: str, fields: Mapping[str, Field]) -> Mapping[str, Sink]:
    """Create a .npz archive as numpy.savez writes it; return a sink for every field by name.

    Raises ValueRangeError for names that a zip archive cannot hold, DTypeError for dtypes that .npy files lack.
    """
    return Archive(path, fields).sinks()


# ---- FITS

IMAGES: dict[DType, tuple[int, int]] = {stored: (bitpix, 0) for bitpix, stored in KINDS.items()}  # (BITPIX, BZERO)
IMAGES |= {d: (stored.itemsize * 8, zero) for (stored, zero), d in SHIFTED.items()}


class FitsPart(FileSink):
    """The sink of a FITS image; dtypes that FITS lacks, such as uint16, are stored with the sign bit inverted."""

    def write(self, start: Shape, values: NDArray[Any]) -> None:
        """Write the cells of `values` to the box from `start`."""
        zero = IMAGES[self.dtype][1]
        super().write(start, values ^ values.dtype.type(zero) if zero else values)


def open_fits(path: str, fields: Mapping[str, Field]) -> Mapping[str, Sink]:
    """Create a FITS file; return a sink for every field by name.

    A field named "" is the image of the primary unit; others are extensions behind a primary unit without data.  Raises
    DTypeError, ShapeError and ValueRangeError for dtypes, ranks and names that FITS lacks.
    """
    if "" in fields:
        f = fields[""]
        cards = [("SIMPLE", "T"), *_image_cards(path, f), ("EXTEND", "T"), *_zero_cards(f)]
        return {"": _fits_parts(path, [(cards, f)])[0]}
    units: list[tuple[list[tuple[str, str]], Field | None]] = [
        ([("SIMPLE", "T"), ("BITPIX", "8"), ("NAXIS", "0"), ("EXTEND", "T")], None)
    ]
    if len({name.upper() for name in fields}) < len(fields):
        raise ValueRangeError(
            f"save: {path}: names {list(fields)!r:.80}; FITS knows no upper and lower case; rename one"
        )
    for name, f in fields.items():
        if not (name.isascii() and name.isprintable() and len(name) <= 60):
            raise ValueRangeError(f"save: {path}: the name {name[:70]!r}; FITS takes 60 ASCII characters; rename it")
        quoted = "'" + name.replace("'", "''").ljust(8) + "'"
        cards = [("XTENSION", "'IMAGE   '"), *_image_cards(path, f), ("PCOUNT", "0"), ("GCOUNT", "1")]
        units.append(([*cards, ("EXTNAME", quoted), *_zero_cards(f)], f))
    return dict(zip(fields, _fits_parts(path, units), strict=True))


def _image_cards(path: str, f: Field) -> list[tuple[str, str]]:
    """Return (keyword, value) of the cards for dtype and shape; raises DTypeError or ShapeError if FITS lacks them."""
    if f.dtype not in IMAGES:
        raise DTypeError(f"save: {path}: {f.dtype.name} is no type of FITS; convert it, to float32 or an integer")
    if not 1 <= len(f.shape) <= 999:
        raise ShapeError(f"save: {path}: {len(f.shape)} axes; a FITS image has 1 to 999; give it one with reshape")
    sizes = [(f"NAXIS{i}", str(n)) for i, n in enumerate(f.shape[::-1], 1)]
    return [("BITPIX", str(IMAGES[f.dtype][0])), ("NAXIS", str(len(f.shape))), *sizes]


def _zero_cards(f: Field) -> list[tuple[str, str]]:
    zero = IMAGES[f.dtype][1]
    return [("BSCALE", "1"), ("BZERO", str(zero))] if zero else []


def _fits_parts(path: str, units: Sequence[tuple[list[tuple[str, str]], Field | None]]) -> list[Sink]:
    """Create the file from (cards, field) of each unit, with headers written and space for data; return the sinks.

    Raises OSError if the system refuses.
    """
    at, heads, places = 0, [], []
    for cards, f in units:
        text = b"".join(f"{k:8}= {v:{'<20' if v[0] == chr(39) else '>20'}}".ljust(CARD).encode() for k, v in cards)
        text += b"END"
        head = text.ljust(-(-len(text) // BLOCK) * BLOCK)
        heads.append((at, head))
        at += len(head)
        if f is not None:
            places.append((at, f))
            at += -(-f.nbytes // BLOCK) * BLOCK
    new_file(path)
    os.truncate(path, at)
    with open(path, "r+b") as file:
        for begin, head in heads:
            write_at(file.fileno(), memoryview(head), begin)
    return [FitsPart(path, begin, f.dtype, True, f.shape) for begin, f in places]


HDF5 = Writer(open_hdf5, lone=NAME, update=updated_hdf5, chunked=True)
FITS = Writer(open_fits, lone="")
WRITERS = {
    ".npz": Writer(open_npz, lone="arr_0"),
    ".safetensors": Writer(open_safetensors, lone=NAME),
    ".h5": HDF5,
    ".hdf5": HDF5,
    ".fits": FITS,
    ".fit": FITS,
    ".fts": FITS,
}
