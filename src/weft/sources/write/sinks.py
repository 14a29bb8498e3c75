"""Targets of writing: the table of writers, by file ending.

The one idea: a sink receives boxes of cells in any order.  Each format tells how to open one at a temporary name;
syncing, renaming and cleaning up are done once, here and in `write`, for all of them.  Cells of an existing .npy file
have fixed offsets, so a box of them is written in place; a longer array has its new shape in a header of the same
length, which is written after the cells.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from math import prod
from tempfile import TemporaryDirectory
from typing import Any

from weft.api.arguments import is_among
from weft.errors import FileFormatError, ValueRangeError, WeftError
from weft.runtime.memory.limits import scratch_folder
from weft.sources.files import FORMATS
from weft.sources.formats import container_sinks, netcdf_write, png, table_write
from weft.sources.formats.npy import NpyFile
from weft.sources.paths import Path, Target, ending_of, text_fault
from weft.sources.write.atomic_write import atomic_path, npy_description, npy_header, write_errors
from weft.sources.write.sink import (
    ExistingArray,
    Field,
    FileSink,
    Sink,
    Writer,
    checked_order,
    new_file,
    write_at,
)
from weft.sources.zarr.zarr_write import ZARR


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
    with open(path, "rb") as file:
        old = file.read(source.offset)
    begin = 10 if old[6] == 1 else 12
    text = npy_description(source.header.dtype, array.shape, source.order == "F").encode("latin1")
    if begin + len(text) + 1 > len(old):
        raise _refuse(
            path, f"its header of {len(old)} bytes has no room for the shape {array.shape}", "save a new file"
        )
    return old[:begin] + text.ljust(len(old) - begin - 1) + b"\n"


def _refuse(path: str, fact: str, advice: str) -> ValueRangeError:
    return ValueRangeError(f"save: {path}: {fact}; {advice}")


def open_npy(
    path: str, fields: Mapping[str, Field], *, order: str | None = None, byteorder: str | None = None
) -> Mapping[str, Sink]:
    """Create a .npy file: a header, then the cells; return its sink under the name "".

    `order` is "C" or "F", `byteorder` "little" or "big"; None keeps those of the field. Raises ValueRangeError for
    others, DTypeError for dtypes that the format lacks.
    """
    f = _in_byteorder(path, fields[""], byteorder)
    order = checked_order(path, f.order if order is None else order)
    return _open_run(path, f, order, npy_header(f.numpy, f.shape, order == "F"))


def open_raw(
    path: str, fields: Mapping[str, Field], *, order: str = "C", byteorder: str | None = None
) -> Mapping[str, Sink]:
    """Create a file of cells without header; return its sink under the name "".

    `order` is "C" or "F", `byteorder` "little" or "big" (None keeps that of the field). Raises ValueRangeError for
    others.
    """
    return _open_run(path, _in_byteorder(path, fields[""], byteorder), checked_order(path, order), b"")


def _in_byteorder(path: str, f: Field, byteorder: str | None) -> Field:
    """Return the field with `byteorder` ("little" or "big"; None keeps its own).

    Raises ValueRangeError for other byte orders.
    """
    if not is_among(byteorder, (None, "little", "big")):
        fact = f"byteorder {byteorder!r:.20}; cells are 'little' or 'big'"
        raise ValueRangeError(f"save: {path}: {fact}; pass one of them")
    return f if byteorder is None else replace(f, big=byteorder == "big" and f.dtype.itemsize > 1)


def _open_run(path: str, f: Field, order: str, head: bytes) -> Mapping[str, Sink]:
    """Create a file of the header `head` and cells of the field in `order`; return its sink under the name "".

    Raises OSError if the system refuses.
    """
    new_file(path, head)
    return {"": FileSink(path, len(head), f.dtype, f.big, f.shape, order)}


WRITERS: dict[str, Writer] = {
    ".npy": Writer(open_npy, update=updated_npy),
    ".bin": Writer(open_raw),
    ".raw": Writer(open_raw),
    **container_sinks.WRITERS,
    **netcdf_write.WRITERS,
    **png.WRITERS,
    **table_write.WRITERS,
    ".zarr": ZARR,
}


def written_ending(target: Target, format: str | None = None) -> str:
    """Return the file ending that selects the writer: of the named format, of the target, or .npy for an object.

    Raises FileFormatError if no writer has it.
    """
    ending = ending_of(target) if format is None else ""
    if format is None and not ending and hasattr(target, "write"):
        return ".npy"
    endings = [e for e in (FORMATS[format].endings if is_among(format, FORMATS) else (ending,)) if e in WRITERS]
    if endings:
        return endings[0]
    name = target if isinstance(target, (str, os.PathLike)) else f"<{type(target).__name__}>"
    written = ", ".join(form for form, row in FORMATS.items() if any(e in WRITERS for e in row.endings))
    if format is not None:
        raise FileFormatError(f"save: {name}: the format {format!r} is not written; known are {written}; give another")
    advice = f"give another name, or format= (one of {written})"
    if "::" in ending:
        advice = "give the path without ::NAME, and a dictionary of the tensors by their names"
    raise FileFormatError(
        f"save: {name}: the ending {ending!r} names no known format; known are {', '.join(WRITERS)}; {advice}"
    )


def writer_of(path: Path, options: Mapping[str, Any], has_several: bool = False, ending: str | None = None) -> Writer:
    """Return the row of the table of writers for a file name (or for `ending`, if given).

    Raises FileFormatError for unknown endings and for several arrays (`has_several`) in a format of one,
    ValueRangeError for unknown options.
    """
    ending = ending or written_ending(path)
    name = os.fspath(path).rstrip("/")
    writer = WRITERS[ending]
    if has_several and writer.lone is None:
        groups = ", ".join(e for e, w in WRITERS.items() if w.lone is not None)
        raise FileFormatError(f"save: {name}: {ending} holds one array; several fit in {groups}; save each on its own")
    taken = [p.name for p in inspect.signature(writer.open).parameters.values() if p.kind is p.KEYWORD_ONLY]
    taken = ["name", *taken] if writer.lone and not has_several else taken
    for option in options:
        if option not in taken:
            takes = ", ".join(taken) or "none"
            raise ValueRangeError(f"save: {name}: option {option!r} is unknown; {ending} takes {takes}; leave it out")
    return writer


@contextmanager
def _named(path: Path, temporary: str) -> Iterator[None]:
    """Replace the temporary name in messages of weft's errors by the name that the user gave."""
    try:
        yield
    except WeftError as e:
        e.args = (str(e).replace(temporary, os.fspath(path)),)
        raise


def _check_names(path: Path, names: Iterable[Any]) -> None:
    """Raise ValueRangeError for names of arrays that no file can hold."""
    for name in names:
        fault = text_fault(name, str.encode) if isinstance(name, str) else f"is a {type(name).__name__} and no text"
        if fault:
            raise ValueRangeError(f"save: {path}: the name {name!r:.60} {fault}; no file holds it; give another name")


@contextmanager
def opened_sinks(
    path: Path, fields: Mapping[str, Field], options: Mapping[str, Any], ending: str | None = None
) -> Iterator[Mapping[str, Sink]]:
    """Yield name → sink of a new file, which takes its name if the block ends without an error.

    A field named "" must be the only one. Raises FileFormatError for an unknown ending, ValueRangeError for names or
    options that the format lacks, WriteError if the system refuses; then no file is left.
    """
    writer = writer_of(path, options, "" not in fields, ending)
    alone = {"": options.get("name", writer.lone)} if writer.lone else {}
    named = {alone.get(name, name): field for name, field in fields.items()}
    _check_names(path, named)
    options = {option: value for option, value in options.items() if option != "name"}
    with atomic_path(path, writer.marks) as temporary:
        with write_errors(path), _named(path, temporary):
            sinks = writer.open(temporary, named, **options)
        try:
            yield {name: sinks[alone.get(name, name)] for name in fields}
        except BaseException:
            for sink in sinks.values():
                with suppress(Exception):  # some would encode or sum all cells when closed
                    sink.abandon()
            raise
        with write_errors(path), ExitStack() as closing:  # close all, in order, even if one fails
            for sink in reversed(sinks.values()):
                closing.callback(sink.close)


def planned_sink(path: Path, field: Field, options: Mapping[str, Any], ending: str) -> Sink:
    """Return a stand-in for the sink of a new file of one array.

    A chunked file is created in the scratch folder meanwhile. Raises the errors of `opened_sinks` for the options:
    FileFormatError for an unknown ending, ValueRangeError for an unknown option, WriteError if the scratch folder
    cannot be written.
    """
    writer = writer_of(path, options, False, ending)
    foreseen = Sink()
    if not writer.chunked:
        return foreseen
    with ExitStack() as made:
        folder = made.enter_context(TemporaryDirectory(dir=scratch_folder()))
        sinks = made.enter_context(opened_sinks(os.path.join(folder, f"foreseen{ending}"), {"": field}, options))
        for fact in ("tile", "order", "concurrent", "own_bytes"):
            setattr(foreseen, fact, getattr(sinks[""], fact))
    return foreseen
