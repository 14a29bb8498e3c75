"""Where values are written: a row for every format.

The one idea: a sink takes boxes of cells in any order.  Each format says how one is opened at a temporary name;
syncing, renaming and cleaning up are done once, here and in `write`, for all of them.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import FileFormatError, ValueRangeError, WeftError
from weft.ir.description import Shape
from weft.sources import containers
from weft.sources.sink import Field, FileSink, Sink, Writer, checked_order, new_file
from weft.sources.write import Path, atomic_path, npy_header, write_errors
from weft.sources.zarr_write import ZARR


def open_npy(path: str, dtype: DType, big: bool, shape: Shape, *, order: str = "C") -> Sink:
    """A .npy file."""
    head = npy_header(dt.to_numpy(dtype, "big" if big else "little"), shape, checked_order(path, order) == "F")
    new_file(path, head)
    return FileSink(path, len(head), dtype, big, shape, order)


def open_raw(path: str, dtype: DType, big: bool, shape: Shape, *, order: str = "C") -> Sink:
    """The cells alone."""
    new_file(path)
    return FileSink(path, 0, dtype, big, shape, checked_order(path, order))


WRITERS: dict[str, Writer] = {
    ".npy": Writer(open_npy),
    ".bin": Writer(open_raw),
    ".raw": Writer(open_raw),
    **containers.WRITERS,
    ".zarr": ZARR,
}


def writer_of(path: Path, options: Mapping[str, Any], several: bool = False) -> Writer:
    """The row of a name's ending, if it takes the options."""
    name = os.fspath(path).rstrip("/")
    ending = os.path.splitext(name)[1].lower()
    if ending not in WRITERS:
        known = ", ".join(WRITERS)
        raise FileFormatError(
            f"save: {name}: the ending {ending!r} names no known format; known are {known}; give another name"
        )
    writer = WRITERS[ending]
    if several and writer.group is None:
        groups = ", ".join(e for e, w in WRITERS.items() if w.group is not None) or "none"
        raise FileFormatError(f"save: {name}: {ending} holds one array; several fit in {groups}; save each on its own")
    opener = writer.group if several and writer.group is not None else writer.open
    taken = [p.name for p in inspect.signature(opener).parameters.values() if p.kind is p.KEYWORD_ONLY]
    for option in options:
        if option not in taken:
            takes = ", ".join(taken) or "none"
            raise ValueRangeError(f"save: {name}: option {option!r} is unknown; {ending} takes {takes}; leave it out")
    return writer


@contextmanager
def _named(path: Path, temporary: str) -> Iterator[None]:
    """Have a refusal name the file that was asked for."""
    try:
        yield
    except WeftError as e:
        e.args = (str(e).replace(temporary, os.fspath(path)),)
        raise


@contextmanager
def opened_sinks(path: Path, fields: Mapping[str, Field], options: Mapping[str, Any]) -> Iterator[Mapping[str, Sink]]:
    """The sinks of a new file; it takes its name when the block ends without an error.  One field is named ""."""
    several = "" not in fields
    writer = writer_of(path, options, several)
    with atomic_path(path, writer.marks) as temporary:
        with write_errors(path), _named(path, temporary):
            if several:
                assert writer.group is not None
                sinks = writer.group(temporary, fields, **options)
            else:
                only = fields[""]
                sinks = {"": writer.open(temporary, only.dtype, only.big, only.shape, **options)}
        try:
            yield sinks
        except BaseException:
            for sink in sinks.values():
                with suppress(Exception):
                    sink.close()
            raise
        with write_errors(path):
            for sink in sinks.values():
                sink.close()
