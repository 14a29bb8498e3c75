"""FITS images: a run of big-endian cells after cards of 80 characters; compressed images through astropy.

The one idea: an image's cells are read by their offset, and the header's scaling becomes an expression over them.  The
standard (4.0, section 4.4.2.5): physical = BZERO + BSCALE × stored; if that only moves integers between the signed and
unsigned range, the result has that integer dtype, else it is floating.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite, nan, prod
from typing import Any, NamedTuple
from warnings import catch_warnings

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.api.standard.elementwise_functions import add, astype, bitwise_xor, equal, multiply, where
from weft.dtypes import DType
from weft.runtime.compute.engine import SourceRead
from weft.runtime.fork_safety import own_lock
from weft.runtime.memory import allocator
from weft.sources.formats.cell_run import (
    CellRun,
    Identity,
    NoSuchArray,
    checked_shape,
    failure,
    library_errors,
    needed,
    opened,
)
from weft.sources.formats.kept_headers import kept
from weft.sources.read.byte_ranges import RangedFile
from weft.sources.read.checksums import ONES, WORDS, StoredSum, sum_of_words
from weft.sources.read.loading import open_source
from weft.sources.read.touched_boxes import Box, by_chunk, cells, chunk_box, copied, hull
from weft.sources.source import storage_dtype, unplaced
from weft.tensors.tensor import Tensor

FORM = "fits"
BLOCK, CARD = 2880, 80
MAX_BLOCKS = 20_000  # of one header: far more cards than instruments write
KINDS = {8: dt.uint8, 16: dt.int16, 32: dt.int32, 64: dt.int64, -32: dt.float32, -64: dt.float64}
# (stored dtype, BZERO) → the dtype of that range, for BSCALE 1
SHIFTED = {
    (dt.uint8, -(2**7)): dt.int8,
    (dt.int16, 2**15): dt.uint16,
    (dt.int32, 2**31): dt.uint32,
    (dt.int64, 2**63): dt.uint64,
}
DAMAGED = "it is damaged, or was edited without new sums; take it from a copy, or have it summed anew"
SMALL_TILE, DENSEST = 64 << 20, 1 << 16  # most bytes of a tile in any file, or for each byte of its table
QUOTED = re.compile(r"'((?:[^']|'')*)'")
Value = str | bool | int | float | None


class Unit(NamedTuple):
    """A header and its data (an HDU): number, cards by keyword, first byte and size of the data.

    `words` is the sum of the header's words, as CHECKSUM counts them.
    """

    number: int
    cards: Mapping[str, Value]
    data: int  # where the data begins
    nbytes: int  # of data
    words: int

    @property
    def end(self) -> int:
        """Return the byte after the last block of the data."""
        return self.data + -(-self.nbytes // BLOCK) * BLOCK

    def sums(self) -> dict[str, int]:
        """Return the stored checksums of the data by the names of their cards, DATASUM and CHECKSUM."""
        found: dict[str, int] = {}
        if str(self.cards.get("DATASUM") or "").isdecimal():
            found["DATASUM"] = int(str(self.cards["DATASUM"])) % ONES
        if self.cards.get("CHECKSUM"):  # the sum of header and data is then zero
            found["CHECKSUM"] = -self.words % ONES
        return found

    @property
    def name(self) -> str:
        """Return the EXTNAME, or the number as text."""
        found = self.cards.get("EXTNAME")
        return found if isinstance(found, str) and found else str(self.number)

    @property
    def compressed(self) -> bool:
        """True if the unit is an image in compressed tiles, which are rows of a table."""
        return self.cards.get("ZIMAGE") is True

    @property
    def is_image(self) -> bool:
        """True if the unit holds the cells of an image."""
        plain = self.number == 0 or self.cards.get("XTENSION") == "IMAGE"
        return self.compressed or (plain and self.cards.get("NAXIS") != 0 and self.cards.get("GROUPS") is not True)


def open_fits(path: str, hdu: object) -> Tensor:
    """Return the image of a unit (HDU), by number or EXTNAME, as a tensor of physical values.

    Raises NoSuchArray if there is no such unit, FileFormatError if it is no image or damaged.
    """
    identity, units = _units(path)
    unit = _unit(path, units, hdu)
    if not unit.is_image:
        kind = unit.cards.get("XTENSION", "random groups" if unit.cards.get("GROUPS") is True else "no data")
        raise failure(FORM, path, f"unit {hdu!r} holds {kind!s:.20}", "weft reads images")
    if unit.compressed:
        return _physical(open_source(Compressed(path, unit, identity)), unit.cards, path)
    dtype, shape = _form(path, unit.cards, "")
    stored = CellRun(FORM, path, dtype, shape, unit.data, identity, big=True, name=unit.name)
    if unit.sums():
        stored.check_by(WORDS, unit.data, unit.end, unit.sums(), DAMAGED)
    return _physical(open_source(stored), unit.cards, path)


def fits_names(path: str) -> list[str]:
    """Return a name for each unit that holds an image: its EXTNAME if that is unique, else its number.

    Raises FileFormatError if a header is damaged.
    """
    units = [u for u in _units(path)[1] if u.is_image]
    names = [u.name.upper() for u in units]  # names are compared without case
    return [u.name if names.count(u.name.upper()) == 1 else str(u.number) for u in units]


def fits_attributes(path: str, hdu: object) -> dict[str, Any]:
    """Return the cards of a unit by keyword; of the first unit if `hdu` is None.

    Raises NoSuchArray if there is no such unit, FileFormatError if a header is damaged.
    """
    units = _units(path)[1]
    cards = _unit(path, units, 0 if hdu is None else hdu).cards
    return {key: value for key, value in cards.items() if value is not None}


def _unit(path: str, units: Sequence[Unit], hdu: object) -> Unit:
    """Return the unit with a number or EXTNAME; raises NoSuchArray if there is none.

    An EXTNAME comes before a number that is spelled the same.  Raises FileFormatError if both could be meant.
    """
    number = int(hdu) if isinstance(hdu, str) and hdu.isdecimal() else hdu
    at = units[number] if type(number) is int and 0 <= number < len(units) else None
    named = [u for u in units if isinstance(hdu, str) and u.cards.get("EXTNAME") and u.name.upper() == hdu.upper()]
    named.sort(key=lambda u: not u.is_image)
    if named and at is not None and at.is_image and at not in named and not at.cards.get("EXTNAME"):
        fact = f"{hdu!r} is the EXTNAME of unit {named[0].number} and the number of unit {number}"
        raise failure(FORM, path, fact, f"give hdu={named[0].number} or hdu={number}, as a whole number")
    found = named[0] if named else at
    if found is None:
        raise NoSuchArray(hdu)
    return found


def _form(path: str, cards: Mapping[str, Value], mark: str) -> tuple[DType, tuple[int, ...]]:
    """Return (dtype, shape) of an image; `mark` is "Z" for one in compressed tiles, else "".

    The file's first axis is the last of the shape.  Raises FileFormatError for values that the standard forbids.
    """
    kind = _kind(path, cards, mark)
    shape = [_whole(path, cards, f"{mark}NAXIS{i}") for i in range(_whole(path, cards, f"{mark}NAXIS"), 0, -1)]
    return kind, checked_shape(FORM, path, tuple(shape), kind.itemsize)


def _kind(path: str, cards: Mapping[str, Value], mark: str) -> DType:
    """Return the dtype of the stored cells; raises FileFormatError for values that the standard forbids."""
    bitpix = _whole(path, cards, f"{mark}BITPIX")
    if bitpix not in KINDS:
        raise failure(FORM, path, f"{mark}BITPIX is {bitpix}", f"known are {', '.join(map(str, KINDS))}")
    return KINDS[bitpix]


def _physical(stored: Tensor, cards: Mapping[str, Value], path: str) -> Tensor:
    """Return BZERO + BSCALE × stored, or the stored values if that changes nothing.

    Integers moved to the range of the other sign keep an integer dtype, others become floats with NaN for BLANK. Raises
    FileFormatError if one of these cards holds no finite number.
    """
    scale, zero = (_real(path, cards, key, default) for key, default in (("BSCALE", 1), ("BZERO", 0)))
    if scale == 1 and zero == 0:
        return stored
    shifted = SHIFTED.get((stored.dtype, int(zero))) if scale == 1 and zero == int(zero) else None
    if shifted is not None:  # the cells with their sign bit inverted
        return bitwise_xor(astype(stored, shifted), abs(int(zero)) if shifted.kind == "uint" else int(zero))
    values = add(multiply(stored, float(scale)), float(zero))
    blank = cards.get("BLANK") if stored.dtype.is_integer else None
    return where(equal(stored, blank), nan, values) if type(blank) is int else values


def _real(path: str, cards: Mapping[str, Value], key: str, default: float) -> float:
    """Return the finite number of a card, or `default` without the card; raises FileFormatError for other values."""
    value = cards.get(key, default)
    if isinstance(value, (bool, str)) or value is None or not isfinite(value):
        raise failure(FORM, path, f"{key} is {value!r:.40}", "it must be a number")
    return value


# ---- headers


@kept(FORM)
def _units(path: str, identity: Identity) -> tuple[Unit, ...]:
    """Return all units of the file, reading only headers; raises FileFormatError if one is damaged."""
    units: list[Unit] = []
    at = 0
    with opened(path, FORM, identity) as (fd, _):
        while at < identity[2]:
            cards, data = _cards(path, fd, at, len(units))
            if cards is None:
                break
            words = sum_of_words(fd.some(data - at, at)) if "CHECKSUM" in cards else 0
            unit = Unit(len(units), cards, data, _data_bytes(path, cards), words)
            found = identity[2] - data
            if unit.nbytes > found:
                fact = f"unit {unit.number} needs {unit.nbytes} bytes of data, {max(found, 0)} follow its header"
                raise failure(FORM, path, fact, "the file is truncated or its header is wrong")
            units.append(unit)
            at = unit.end
    if not units:
        raise failure(FORM, path, "is empty", "it is no FITS file")
    return tuple(units)


def _cards(path: str, fd: RangedFile, at: int, number: int) -> tuple[dict[str, Value] | None, int]:
    """Return (cards by keyword, first byte of the data) of the header at byte `at` of unit `number`.

    The cards are None for bytes after the last unit. Raises FileFormatError if the header is truncated or too long.
    """
    cards: dict[str, Value] = {}
    for block in range(MAX_BLOCKS):
        raw = fd.some(BLOCK, at + block * BLOCK)
        if block == 0:
            if number and not raw.startswith(b"XTENSION="):
                return None, at
            if not number and not raw.startswith(b"SIMPLE  ="):
                raise failure(FORM, path, f"begins with {raw[:9]!r}, not with 'SIMPLE  ='", "it is no FITS file")
        if len(raw) < BLOCK:
            fact = f"ends {len(raw)} bytes into a block of the header of unit {number}"
            raise failure(FORM, path, fact, "the file is truncated")
        for start in range(0, BLOCK, CARD):
            card = raw[start : start + CARD].decode("latin1")
            keyword = card[:8].rstrip()
            if keyword == "END":
                return cards, at + (block + 1) * BLOCK
            if card[8:10] == "= ":
                cards.setdefault(keyword, _value(card[10:]))
    raise failure(FORM, path, f"has a header of more than {MAX_BLOCKS * BLOCK} bytes", "the file is damaged")


def _value(text: str) -> Value:
    """Return the value in the text of a card, without its comment; None if the standard has no such form.

    >>> _value(" 'it''s    ' / a name"), _value("  16 / bits"), _value(" 1.5D3"), _value(" T")
    ("it's", 16, 1500.0, True)
    """
    text = text.strip()
    quoted = QUOTED.match(text)
    if quoted:
        return quoted[1].replace("''", "'").rstrip()
    text = text.partition("/")[0].strip()
    if text in ("T", "F"):
        return text == "T"
    if re.fullmatch(r"[+-]?\d{1,70}", text):
        return int(text)
    if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([EeDd][+-]?\d+)?", text):
        return float(text.upper().replace("D", "E"))
    return None


def _whole(path: str, cards: Mapping[str, Value], key: str, default: int | None = None) -> int:
    """Return the integer value of a card, or `default` without the card.

    Raises FileFormatError if it is no integer, or negative (except BITPIX).
    """
    value = cards.get(key, default)
    if type(value) is not int or (value < 0 and not key.endswith("BITPIX")):
        raise failure(FORM, path, f"{key} is {value!r:.40}", "it must be a whole number; the file is damaged")
    return value


def _data_bytes(path: str, cards: Mapping[str, Value]) -> int:
    """Return the bytes of a unit's data (standard 4.0, sections 4.4.1 and 6).

    Raises FileFormatError if a card has an impossible value.
    """
    itemsize = _kind(path, cards, "").itemsize
    rank = _whole(path, cards, "NAXIS")
    if rank > 999:
        raise failure(FORM, path, f"NAXIS is {rank}", "at most 999 are possible")
    sizes = [_whole(path, cards, f"NAXIS{i}") for i in range(1, rank + 1)]
    if cards.get("GROUPS") is True and sizes[:1] == [0]:
        sizes = sizes[1:]
    elements = prod(sizes) if rank else 0
    return itemsize * _whole(path, cards, "GCOUNT", 1) * (_whole(path, cards, "PCOUNT", 0) + elements)


# ---- images in compressed tiles


class Compressed:
    """The stored cells of an image in compressed tiles, which astropy decodes (a source by `Gathering`)."""

    at_least = 4 << 20  # bytes of tiles decoded at a time: astropy reads the headers anew each time

    def __init__(self, path: str, unit: Unit, identity: Identity) -> None:
        self.path, self.unit, self.identity, self.order, self.big = path, unit, identity, "C", False
        self.lock, self.seen = own_lock(), set[tuple[int, ...]]()  # the tiles that `blocks` has read
        self.name, cards = f"{path}::{unit.name}", unit.cards
        self.dtype, self.shape = _form(path, cards, "Z")
        rank = len(self.shape)
        tiles = [_whole(path, cards, f"ZTILE{i}", self.shape[-1] if i == 1 else 1) for i in range(rank, 0, -1)]
        self.chunks = tuple([max(min(t, n), 1) for t, n in zip(tiles, self.shape, strict=True)])
        if prod(self.chunks) * self.dtype.itemsize > max(SMALL_TILE, DENSEST * unit.nbytes):
            fact = f"has tiles {self.chunks}, its table {unit.nbytes} bytes"
            raise failure(FORM, self.name, fact, "the file is damaged")

    @contextmanager
    def _section(self) -> Iterator[Any]:
        """Yield astropy's object whose slices are decoded cells; its errors become FileFormatError."""
        fits = needed("astropy.io.fits", "fits", FORM, self.path, "decodes compressed images")
        with (
            opened(self.path, FORM, self.identity) as (fd, _),
            catch_warnings(action="ignore"),
            library_errors(FORM, self.name, "astropy"),
            fd.file() as file,
            fits.open(file, memmap=False, do_not_scale_image_data=True) as units,
        ):
            yield units[self.unit.number].section

    def gather(self, boxes: Sequence[Box], target: NDArray[Any]) -> None:
        """Read the cells of the boxes, decoding each touched tile once; raises FileFormatError for damaged tiles."""
        if cells(boxes) == prod(self.shape):
            self._check_sums()
        with self._section() as section:
            for parts in by_chunk(boxes, self.chunks).values():
                around = hull(parts)
                copied(parts, self._decoded(section, around), around.start, target)

    def block(self, index: tuple[int, ...]) -> NDArray[Any]:
        """Return the cells of a tile, by its index in the grid; raises FileFormatError for damaged tiles."""
        return self.blocks(chunk_box(index, self.chunks, self.shape))

    def blocks(self, box: Box) -> NDArray[Any]:
        """Return the cells of a box of whole tiles; raises FileFormatError for damaged tiles."""
        found = allocator.empty(storage_dtype(self), box.size)
        with self.lock, self._section() as section:  # it changes the filters of warnings
            found[...] = self._decoded(section, box)
        self.seen.update(by_chunk([box], self.chunks))
        return found

    def check(self) -> None:
        """Raise FileFormatError if the checksum of the table is wrong, after all tiles were read one by one."""
        if len(self.seen) == prod([-(-n // c) for n, c in zip(self.shape, self.chunks, strict=True)]):
            self._check_sums()
            self.seen.clear()

    def _decoded(self, section: Any, box: Box) -> NDArray[Any]:
        """Return the cells of a box decoded by astropy from `section`.

        Raises FileFormatError if they contradict the header.
        """
        if tuple(section.shape) != self.shape:
            fact = f"has shape {self.shape}, its tiles {tuple(section.shape)}"
            raise failure(FORM, self.name, fact, "the file is damaged")
        block = np.asarray(section[box.slices[:-1]])
        if block.dtype.newbyteorder("=") != self.dtype.np:
            fact = f"holds {self.dtype.name}, its tiles decode to {block.dtype.name}"
            raise failure(FORM, self.name, fact, "the file is damaged")
        return block

    def _check_sums(self) -> None:
        """Raise FileFormatError if the checksum of the table with the cells is wrong."""
        sums, run = self.unit.sums(), (self.unit.data, self.unit.end)
        if sums:
            with opened(self.path, FORM, self.identity) as (fd, _):
                StoredSum(FORM, self.name, WORDS, run, run, sums, DAMAGED).verify(fd)

    def fetched(self, boxes: Sequence[Box]) -> SourceRead:
        """Return a SourceRead of the decoded tiles' bytes; the compressed ranges are unknown."""
        tiles = by_chunk(boxes, self.chunks)
        return unplaced(self, len(tiles) * prod(self.chunks), len(tiles))
