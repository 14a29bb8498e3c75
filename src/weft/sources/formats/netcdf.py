"""NetCDF files: the classic formats (CDF-1, 2 and 5) by their own header; netCDF-4 files are HDF5.

The one idea: a classic variable is a run of big-endian cells, or, along the record dimension, one piece of each record
at fixed steps; both are strided boxes of the file.  The attributes for scale, offset and missing cells are applied
(`packed_values`), unless raw cells are requested; units, including units of time, stay attributes.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType
from weft.ir.graph.description import c_strides
from weft.sources.formats.cell_run import (
    MAX_NDIM,
    CellRun,
    Identity,
    NoSuchArray,
    SteppedCells,
    checked_shape,
    failure,
    opened,
)
from weft.sources.formats.hdf5 import Hdf5Array, hdf5_attributes, hdf5_names, open_hdf5
from weft.sources.formats.kept_headers import kept
from weft.sources.formats.packed_values import unpacked
from weft.sources.read.loading import open_source
from weft.tensors.tensor import Tensor

FORM = "netcdf"
MAX_HEADER = 16 << 20  # bytes of a header that are read
TYPES: dict[int, DType | None] = {
    1: dt.int8, 2: None, 3: dt.int16, 4: dt.int32, 5: dt.float32, 6: dt.float64, 7: dt.uint8, 8: dt.uint16,
    9: dt.uint32, 10: dt.int64, 11: dt.uint64,
}  # fmt: skip  # 2 is text
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8, 7: 1, 8: 2, 9: 4, 10: 8, 11: 8}
OF_LIBRARY = {"_NCProperties", "CLASS", "NAME", "_Netcdf4Dimid", "_Netcdf4Coordinates", "_nc3_strict"}
DIMENSIONS, VARIABLES, ATTRIBUTES = 10, 11, 12  # tags of the header's lists


class Variable(NamedTuple):
    """A variable of the header: code of its type, shape, first byte, dimensions, attributes.

    `record` is true if its first axis is the record dimension.
    """

    type: int
    shape: tuple[int, ...]
    begin: int
    record: bool  # its first axis is the record dimension
    dimensions: tuple[str, ...]
    attributes: dict[str, Any]

    @property
    def padded(self) -> int:
        """Return the bytes of one record (without record dimension: of all cells), rounded up to a multiple of four."""
        return -(-prod(self.shape[1:] if self.record else self.shape) * SIZES[self.type] // 4) * 4


def open_netcdf(path: str, name: str, *, raw: bool = False) -> SteppedCells | Hdf5Array | Tensor:
    """Return the physical values of one variable; with `raw` its stored cells as a source.

    Raises NoSuchArray for an unknown name, FileFormatError if the header is damaged or the variable is text.
    """
    stored = _opened(path, name)
    if raw:
        return stored
    cells = open_source(stored)
    values = unpacked(cells, typed_attributes(path, name))
    return stored if values is cells else values


def _opened(path: str, name: str) -> SteppedCells | Hdf5Array:
    """Return one variable's stored cells as a source; netCDF-4 files are opened as HDF5.

    Raises NoSuchArray if there is no such variable, FileFormatError if its type is unknown.
    """
    if not _is_classic(path):
        return open_hdf5(path, name)
    identity, (variables, step, _) = _header(path)
    if name not in variables:
        raise NoSuchArray(name)
    v = variables[name]
    kind = TYPES[v.type]
    if kind is None:
        raise failure(FORM, path, f"variable {name!r} is text", "weft reads numbers")
    shape = checked_shape(FORM, path, v.shape, kind.itemsize)
    if not v.record:
        return CellRun(FORM, path, kind, shape, v.begin, identity, big=True, name=name)
    strides = (step, *c_strides(shape[1:], kind.itemsize))
    return SteppedCells(FORM, path, kind, shape, v.begin, identity, strides=strides, big=True, name=name)


def typed_attributes(path: str, name: str | None) -> dict[str, Any]:
    """Return the attributes of a variable (None: of the file), with their types in the file.

    Raises NoSuchArray if there is no such variable, FileFormatError if the header is damaged.
    """
    if not _is_classic(path):
        return {key: value for key, value in hdf5_attributes(path, name).items() if key not in OF_LIBRARY}
    _, (variables, _, of_file) = _header(path)
    if name is not None and name not in variables:
        raise NoSuchArray(name)
    return of_file if name is None else variables[name].attributes


def netcdf_names(path: str, **options: Any) -> list[str]:
    """Return the names of the variables that hold numbers; raises FileFormatError if the header is damaged."""
    if not _is_classic(path):
        return hdf5_names(path)
    return [name for name, v in _header(path)[1][0].items() if TYPES[v.type] is not None]


def _is_classic(path: str) -> bool:
    """True if the file begins with the magic bytes of the classic formats.

    Raises FileFormatError if it cannot be read.
    """
    with opened(path, FORM) as (fd, _):
        return fd.some(3, 0) == b"CDF"


@kept(FORM)
def _header(path: str, identity: Identity) -> tuple[dict[str, Variable], int, dict[str, Any]]:
    """Return (name → variable, bytes between records, attributes) of the file with that identity.

    Raises FileFormatError if the header is damaged or the file has another identity.
    """
    with opened(path, FORM, identity) as (fd, _):
        text = fd.some(min(identity[2], MAX_HEADER), 0)
    return Header(path, text).variables()


class Header:
    """A parser of a classic header from front to back; counts are checked against the remaining bytes.

    Its methods raise FileFormatError if the header ends early or contradicts itself.
    """

    def __init__(self, path: str, text: bytes) -> None:
        self.path, self.text, self.at = path, text, 4
        version = text[3] if len(text) > 3 else 0
        if version not in (1, 2, 5):
            raise failure(FORM, path, f"has classic format version {version}", "versions 1, 2 and 5 are known")
        self.count_width = 8 if version == 5 else 4
        self.offset_width = 4 if version == 1 else 8

    def variables(self) -> tuple[dict[str, Variable], int, dict[str, Any]]:
        """Return (name → variable, bytes between records, attributes) of the header.

        Raises FileFormatError if the header is damaged or the number of records is not recorded.
        """
        records = self._number(self.count_width)
        if records == 2 ** (8 * self.count_width) - 1:
            raise failure(FORM, self.path, "does not say how many records it has", "write it anew with its records")
        sizes = self._list(DIMENSIONS, self._dimension)
        about = dict(self._list(ATTRIBUTES, self._attribute))
        found = self._list(VARIABLES, lambda: self._variable(sizes, records))
        made = dict(found)
        if len(made) < len(found):
            raise self._damaged("two variables have one name")
        with_records = [v for v in made.values() if v.record]
        if len(with_records) == 1:  # the one exception of the format: a single record variable is not padded
            (only,) = with_records
            return made, prod(only.shape[1:]) * SIZES[only.type], about
        return made, sum(v.padded for v in with_records), about

    def _damaged(self, fact: str) -> Exception:
        return failure(FORM, self.path, f"{fact} (header, byte {self.at})", "the file is truncated or damaged")

    def _take(self, n: int) -> bytes:
        """Return the next n bytes of the header; raises FileFormatError if it is shorter."""
        if n > len(self.text) - self.at:
            raise self._damaged(f"{n} bytes are wanted, {len(self.text) - self.at} are there")
        self.at += n
        return self.text[self.at - n : self.at]

    def _number(self, width: int) -> int:
        return int.from_bytes(self._take(width), "big")

    def _name(self) -> str:
        raw = self._take(self._number(self.count_width))
        self._take(-len(raw) % 4)
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as e:
            raise self._damaged(f"the name {raw[:20]!r} is not text") from e

    def _list(self, tag: int, item: Callable[[], Any]) -> list[Any]:
        """Return the items of a list after its tag and count, each parsed by `item()`; two zeros mean none.

        Raises FileFormatError if the header is damaged.
        """
        found, count = self._number(4), self._number(self.count_width)
        if found not in (0, tag) or (found == 0 and count):
            raise self._damaged(f"a list has tag {found} and {count} items, tag {tag} is wanted")
        if count > len(self.text) - self.at:
            raise self._damaged(f"a list claims {count} items")
        return [item() for _ in range(count)]

    def _dimension(self) -> tuple[str, int]:
        return self._name(), self._number(self.count_width)

    def _attribute(self) -> tuple[str, Any]:
        """Return (name, text, number or array of numbers) of an attribute; raises FileFormatError if it is damaged."""
        name, kind, count = self._name(), self._type(), self._number(self.count_width)
        raw = self._take(-(-SIZES[kind] * count // 4) * 4)[: SIZES[kind] * count]
        stored = TYPES[kind]
        if stored is None:
            return name, raw.rstrip(b"\0").decode("utf-8", "replace")
        values = np.frombuffer(raw, stored.np.newbyteorder(">")).astype(stored.np)
        return name, values[0] if count == 1 else values

    def _type(self) -> int:
        kind = self._number(4)
        if kind not in SIZES:
            raise self._damaged(f"type {kind} is unknown")
        return kind

    def _variable(self, dimensions: list[tuple[str, int]], records: int) -> tuple[str, Variable]:
        """Return (name, variable), given the (name, size) of all dimensions and the number of records.

        Raises FileFormatError if the header is damaged.
        """
        sizes = [size for _, size in dimensions]
        name, rank = self._name(), self._number(self.count_width)
        if rank > MAX_NDIM:
            raise self._damaged(f"variable {name!r} has {rank} axes, at most {MAX_NDIM} are possible")
        axes = [self._number(self.count_width) for _ in range(rank)]
        if any(a >= len(sizes) for a in axes):
            raise self._damaged(f"variable {name!r} has dimensions {axes}, there are {len(sizes)}")
        about = dict(self._list(ATTRIBUTES, self._attribute))
        kind = self._type()
        self._number(self.count_width)  # the stored size overflows for large variables, so it is not used
        record = bool(axes) and sizes[axes[0]] == 0
        if 0 in [sizes[a] for a in axes[1:]]:
            raise self._damaged(f"variable {name!r} has the record dimension behind its first")
        shape = tuple([records if record and i == 0 else sizes[a] for i, a in enumerate(axes)])
        named = tuple([dimensions[a][0] for a in axes])
        return name, Variable(kind, shape, self._number(self.offset_width), record, named, about)
