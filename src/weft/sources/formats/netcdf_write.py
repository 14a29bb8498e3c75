"""NetCDF files written in the classic formats: a header, then a run of big-endian cells for each variable.

The one idea: all offsets are known before any value is, so any box of any variable can be written in place.  Files are
CDF-2, which every reader knows, or CDF-5 if unsigned or 64-bit integers or runs of 4 GiB need it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.errors import DTypeError, ShapeError, ValueRangeError
from weft.ir.graph.description import Shape
from weft.sources.formats.hdf5_write import NAME
from weft.sources.formats.netcdf import ATTRIBUTES, DIMENSIONS, TYPES, VARIABLES
from weft.sources.write.sink import Field, FileSink, Sink, Writer, new_file

CODES = {kind: code for code, kind in TYPES.items() if kind is not None}
OLD = (1, 2, 3, 4, 5, 6)  # codes of types in CDF-2
TEXT = 2
FAR = 2**32 - 4  # bytes of a variable that CDF-2 can count
Attributes = Mapping[str, Any]


def open_netcdf(
    path: str, fields: Mapping[str, Field], *, dims: Any = None, attributes: Any = None
) -> Mapping[str, Sink]:
    """Create a file of variables; return a sink for every variable by name.

    `dims` names the axes, `attributes` gives texts and numbers: for a single variable, or as a dict by variable;
    attributes of the file itself have the key "". Axes without a name are called "dim_0", "dim_1"... by their size.
    Raises DTypeError for dtypes that the format lacks, ShapeError for axes of size 0, ValueRangeError for names, axes
    and attributes that it cannot hold.
    """
    for name, f in fields.items():
        _check_field(path, name, f)
    axes, sizes = _named_axes(path, fields, _by_name(path, "dims", fields, dims))
    about = _by_name(path, "attributes", fields, attributes)
    codes = {name: CODES[f.dtype] for name, f in fields.items()}
    nbytes = {name: prod(f.shape) * f.dtype.itemsize for name, f in fields.items()}
    version = 2 if all(c in OLD for c in codes.values()) and max(nbytes.values()) <= FAR else 5
    head, order = ClassicHeader(path, version), {axis: k for k, axis in enumerate(sizes)}

    def written(begins: Mapping[str, int]) -> bytes:
        variables = [
            head.variable(
                name, [order[a] for a in axes[name]], about.get(name, {}), codes[name], begins[name], nbytes[name]
            )
            for name in fields
        ]
        dimensions = [head.name(axis) + head.count(size) for axis, size in sizes.items()]
        parts = (head.list(DIMENSIONS, dimensions), head.attributes(about.get("", {})), head.list(VARIABLES, variables))
        return b"CDF" + bytes([version]) + head.count(0) + b"".join(parts)

    at, begins = len(written(dict.fromkeys(fields, 0))), {}
    for name in fields:
        begins[name], at = at, at + nbytes[name] + -nbytes[name] % 4
    text = written(begins)
    new_file(path, text)
    sinks: dict[str, Sink] = {n: FileSink(path, begins[n], f.dtype, True, f.shape) for n, f in fields.items()}
    os.truncate(path, at)  # the last variable may need padding
    return sinks


def _check_field(path: str, name: str, f: Field) -> None:
    if f.dtype not in CODES:
        known = ", ".join(kind.name for kind in CODES)
        raise DTypeError(f"save: {path}: array {name!r:.60} is {f.dtype.name}; NetCDF has {known}; convert it")
    if 0 in f.shape:
        raise ShapeError(f"save: {path}: array {name!r:.60} has shape {f.shape}; NetCDF has no axis of 0; leave it out")
    if not name or "/" in name or "\0" in name:
        raise ValueRangeError(f"save: {path}: the name {name!r:.60}; NetCDF takes no '/' and no NUL; rename it")


def _by_name(path: str, option: str, fields: Mapping[str, Field], given: Any) -> dict[str, Any]:
    """Return `given`, the value of `option`, as a dict by variable; for a single variable it may be given directly.

    Raises ValueRangeError for names that are no variables.
    """
    if given is None:
        return {}
    known = {*fields, ""}
    if len(fields) == 1 and not (isinstance(given, Mapping) and set(given) <= known):
        return {next(iter(fields)): given}
    if not isinstance(given, Mapping) or not set(given) <= known:
        names = list(given) if isinstance(given, Mapping) else given
        raise ValueRangeError(
            f"save: {path}: {option} for {names!r:.60}; the arrays are {', '.join(fields)}; give them by these names"
        )
    return dict(given)


def _named_axes(
    path: str, fields: Mapping[str, Field], dims: Mapping[str, Any]
) -> tuple[dict[str, list[str]], dict[str, int]]:
    """Return (axis names of every variable, size by axis name); `dims` are the names given, by variable.

    Raises ValueRangeError if a name has two sizes, or the names do not match the axes.
    """
    sizes: dict[str, int] = {}
    axes: dict[str, list[str]] = {}
    for name, f in fields.items():
        names = dims.get(name)
        names = [names] if isinstance(names, str) else names
        if names is not None:
            are_texts = isinstance(names, (list, tuple)) and all(isinstance(n, str) and n for n in names)
            if not are_texts or len(names) != len(f.shape):
                fact = f"dims {names!r:.60} for array {name!r:.40} of shape {f.shape}"
                raise ValueRangeError(f"save: {path}: {fact}; each axis has a name; give as many texts")
            axes[name] = list(names)
            for axis, n in zip(names, f.shape, strict=True):
                if sizes.setdefault(axis, n) != n:
                    fact = f"dimension {axis!r:.40} has size {sizes[axis]} and size {n}"
                    raise ValueRangeError(f"save: {path}: {fact}; a dimension has one; give them different names")
    for name, f in fields.items():
        if name not in axes:
            axes[name] = _free_names(f.shape, sizes)
    return axes, sizes


def _free_names(shape: Shape, sizes: dict[str, int]) -> list[str]:
    """Return a name for each axis: a "dim_N" of that size in `sizes`, or a new name.

    New names are added to `sizes`. Axes of one array get different names.
    """
    names: list[str] = []
    for n in shape:
        found = next((a for a, size in sizes.items() if size == n and a not in names and a.startswith("dim_")), None)
        if found is None:
            found = next(f"dim_{k}" for k in range(len(sizes) + 1) if f"dim_{k}" not in sizes)
            sizes[found] = n
        names.append(found)
    return names


class ClassicHeader:
    """Encodes the parts of a classic header as bytes, in format version 2 or 5."""

    def __init__(self, path: str, version: int) -> None:
        self.path, self.version, self.width = path, version, 8 if version == 5 else 4

    def count(self, n: int) -> bytes:
        """Return the bytes of a count, 4 or 8 by the version."""
        return n.to_bytes(self.width, "big")

    def name(self, text: str) -> bytes:
        """Return the bytes of a name, padded to a multiple of four."""
        raw = text.encode("utf-8", "surrogatepass")
        return self.count(len(raw)) + raw + bytes(-len(raw) % 4)

    def list(self, tag: int, items: Sequence[bytes]) -> bytes:
        """Return the bytes of a list with its tag and count; an empty list has tag 0."""
        head = (tag if items else 0).to_bytes(4, "big") + self.count(len(items))
        return head + b"".join(items)

    def attributes(self, values: Attributes) -> bytes:
        """Return the bytes of attributes: texts and numbers by name.

        Raises ValueRangeError if `values` is no mapping, or holds other values.
        """
        if not isinstance(values, Mapping):
            raise ValueRangeError(f"save: {self.path}: attributes {values!r:.60}; they are texts and numbers by name")
        return self.list(ATTRIBUTES, [self._attribute(str(key), value) for key, value in values.items()])

    def _attribute(self, name: str, value: Any) -> bytes:
        if isinstance(value, (str, bytes)):
            raw, code = value.encode() if isinstance(value, str) else value, TEXT
            count = len(raw)
        else:
            cells = self._numbers(name, value)
            code, count = CODES[dt.from_numpy(cells.dtype)[0]], cells.size
            raw = cells.astype(cells.dtype.newbyteorder(">")).tobytes()
        return self.name(name) + code.to_bytes(4, "big") + self.count(count) + raw + bytes(-len(raw) % 4)

    def _numbers(self, name: str, value: Any) -> Any:
        """Return an attribute's numbers as an array.

        Python integers become int32, which every version has, if they fit.  Raises ValueRangeError for other values.
        """
        cells = np.atleast_1d(np.asarray(value))
        if cells.dtype == np.int64 and not isinstance(value, (np.generic, np.ndarray)):
            cells = cells.astype(np.int32) if np.array_equal(cells.astype(np.int32), cells) else cells
        known = {kind.np for kind, code in CODES.items() if self.version == 5 or code in OLD}
        if cells.dtype not in known or cells.ndim > 1:
            fact = f"attribute {name!r:.40} is {value!r:.60}"
            raise ValueRangeError(f"save: {self.path}: {fact}; the format takes text and numbers; convert it")
        return cells

    def variable(self, name: str, axes: Sequence[int], about: Attributes, code: int, begin: int, nbytes: int) -> bytes:
        """Return the bytes of a variable's entry.

        `axes` are numbers of dimensions, `about` its attributes, `code` the number of its type, `begin` its first byte,
        `nbytes` its size. Raises ValueRangeError for attributes that are no texts or numbers.
        """
        size = min(nbytes + -nbytes % 4, 2 ** (8 * self.width) - 1)
        ids = b"".join(map(self.count, axes))
        facts = code.to_bytes(4, "big") + self.count(size) + begin.to_bytes(8, "big")
        return self.name(name) + self.count(len(axes)) + ids + self.attributes(about) + facts


WRITERS = {ending: Writer(open_netcdf, lone=NAME) for ending in (".nc", ".cdf")}
