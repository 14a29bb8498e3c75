"""The safetensors format: a JSON header that names runs of little-endian cells, read by their offsets.

The one idea: the ranges in the header must tile the rest of the file exactly, as the format demands; a file with
overlapping tensors or unused bytes is refused before its header is used.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from math import prod
from typing import Any

from weft import dtypes as dt
from weft.sources.formats.cell_run import CellRun, Identity, NoSuchArray, checked_shape, failure, opened
from weft.sources.formats.kept_headers import kept

FORM = "safetensors"
MAX_HEADER = 100_000_000  # bytes; the format's own limit
DTYPES = {
    "BOOL": dt.bool, "U8": dt.uint8, "I8": dt.int8, "U16": dt.uint16, "I16": dt.int16, "U32": dt.uint32,
    "I32": dt.int32, "U64": dt.uint64, "I64": dt.int64, "F16": dt.float16, "BF16": dt.bfloat16, "F32": dt.float32,
    "F64": dt.float64, "C64": dt.complex64, "F8_E4M3": dt.float8_e4m3fn, "F8_E5M2": dt.float8_e5m2,
    "F8_E8M0": dt.float8_e8m0fnu,
}  # fmt: skip

SPELLED = {d: name for name, d in DTYPES.items()}


def header_of(table: Mapping[str, Any]) -> bytes:
    """Return the header of a file: its size, then the entries of `table` as JSON, padded to whole words."""
    text = json.dumps(table, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def open_safetensors(path: str, name: str) -> CellRun:
    """Return one tensor of the file as a source.

    Raises NoSuchArray for an unknown name, FileFormatError for a damaged entry or an unknown dtype.
    """
    identity, (begin, table, _) = _header(path)
    if name not in table:
        raise NoSuchArray(name)
    entry = table[name]
    kind = DTYPES.get(entry["dtype"])
    if kind is None:
        fact = f"tensor {name!r} has dtype {entry['dtype']!r}"
        raise failure(FORM, path, fact, f"weft holds {', '.join(DTYPES)}; convert it")
    shape = checked_shape(FORM, path, tuple(entry["shape"]), kind.itemsize)
    first, end = entry["data_offsets"]
    if prod(shape) * kind.itemsize != end - first:
        fact = f"tensor {name!r} of shape {shape} and {kind.name} needs {prod(shape) * kind.itemsize} bytes"
        raise failure(FORM, path, f"{fact}, its range has {end - first}", "the file is damaged; write it again")
    return CellRun(FORM, path, kind, shape, begin + first, identity, name=name)


def safetensors_attributes(path: str, name: str | None) -> dict[str, Any]:
    """Return the metadata of the file; {} for a tensor, which has none.

    Raises NoSuchArray if there is no such tensor, FileFormatError if the header is damaged.
    """
    _, (_, table, about) = _header(path)
    if name is not None and name not in table:
        raise NoSuchArray(name)
    return about if name is None else {}


def safetensors_names(path: str) -> list[str]:
    """Return the names of the tensors in the order of the header; raises FileFormatError if it is damaged."""
    return list(_header(path)[1][1])


@kept(FORM)
def _header(path: str, identity: Identity) -> tuple[int, dict[str, Any], dict[str, Any]]:
    """Return (first byte of the data, name → entry, metadata) of the file's header.

    Raises FileFormatError if entries are malformed or their ranges do not tile the data.
    """
    size = identity[2]
    with opened(path, FORM, identity) as (fd, _):
        head = fd.some(8, 0)
        length = int.from_bytes(head, "little")
        raw = fd.some(length, 8) if length <= min(size - 8, MAX_HEADER) else b""
    if len(head) < 8 or length > min(size - 8, MAX_HEADER):
        fact = (
            f"claims a header of {length} bytes, {max(size - 8, 0)} follow" if len(head) == 8 else f"has {size} bytes"
        )
        raise failure(FORM, path, fact, "it is truncated or no safetensors file")
    return 8 + length, *checked_table(path, raw, size - 8 - length)


def checked_table(path: str, raw: bytes, nbytes: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return (name → entry, metadata) of the JSON text of a header that `nbytes` bytes of cells follow.

    Raises FileFormatError if entries are malformed or their ranges do not tile the data.
    """
    try:
        table = json.loads(raw.decode("utf-8"), object_pairs_hook=_once)
    except (ValueError, RecursionError) as e:
        raise failure(FORM, path, f"has an unreadable header: {e!s:.100}", "it must be JSON") from e
    if not isinstance(table, dict):
        raise failure(FORM, path, f"has a header that is {raw[:20]!r}", "it must be a JSON object")
    about = table.pop("__metadata__", None)
    for name, entry in table.items():
        if not _well_formed(entry):
            fact = f"tensor {name!r:.60} is described by {entry!r:.80}"
            raise failure(FORM, path, fact, "wanted are dtype, shape and data_offsets")
    _check_ranges(path, table, nbytes)
    return table, about if isinstance(about, dict) else {}


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the dictionary of a JSON object's pairs; raises ValueError for a key that occurs twice."""
    made = dict(pairs)
    if len(made) < len(pairs):
        ((key, _),) = Counter(k for k, _ in pairs).most_common(1)
        raise ValueError(f"the key {key!r:.60} occurs twice")
    return made


def _whole(values: object) -> bool:
    """True if a value is a list of integers >= 0."""
    return isinstance(values, list) and all(type(n) is int and n >= 0 for n in values)


def _well_formed(entry: object) -> bool:
    """True if an entry of the header has a dtype, a shape and two data offsets of the right types."""
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("dtype"), str)
        and _whole(entry.get("shape"))
        and _whole(entry.get("data_offsets"))
        and len(entry["data_offsets"]) == 2
    )


def _check_ranges(path: str, table: dict[str, Any], nbytes: int) -> None:
    """Raise FileFormatError unless the tensors' byte ranges are adjacent and cover 0 to `nbytes`."""
    at = 0
    for (first, end), name in sorted((tuple(e["data_offsets"]), n) for n, e in table.items()):
        if first != at or end < first:
            what = "overlaps the one before" if first < at else "leaves a hole" if first > at else "is negative"
            fact = f"the range {first} to {end} of tensor {name!r:.60} {what} ({at} wanted)"
            raise failure(FORM, path, fact, "the file is damaged; write it again")
        at = end
    if at != nbytes:
        fact = f"its tensors take {at} bytes, {nbytes} follow the header"
        raise failure(FORM, path, fact, "the file is truncated or damaged; write it again")
