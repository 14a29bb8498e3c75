"""Tensors written by torch.save (.pt, .pth): found in the file's pickle without running it, read by offsets.

The one idea: the pickle gives each tensor's storage, offset and strides; storages are unencoded cells, members of a zip
archive, or, in files from before 2020, one after the other.  torch is not needed, and no function named in a pickle is
called (`inert_pickle`).
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from math import prod
from typing import Any, NamedTuple

from weft import dtypes as dt
from weft.api.standard.manipulation_functions import broadcast_to, permute_dims
from weft.dtypes import DType
from weft.sources.formats.cell_run import (
    CellRun,
    Identity,
    NoSuchArray,
    SteppedCells,
    checked_shape,
    failure,
    opened,
    strides_of,
)
from weft.sources.formats.inert_pickle import Global, PickleError, RecordedCall, Reference, read_pickle
from weft.sources.formats.kept_headers import kept
from weft.sources.formats.zip_archive import DAMAGED, ZipDirectory, zip_directory
from weft.sources.read.checksums import CRC32
from weft.sources.read.loading import open_source
from weft.tensors.tensor import Tensor

FORM = "torch"
MAX_PICKLE = 1 << 30  # bytes of a pickle that are read
MAX_VALUES, MAX_DEPTH = 10_000_000, 200  # most values, and levels of nesting, that are searched for tensors
MAX_NAME = 10_000  # most characters of the keys that lead to a value; longer names are not searched further
MAGIC, PROTOCOL = 0x1950A86A20F9469CFC6C, 1001  # of files without a zip archive
STORAGES = {
    "DoubleStorage": dt.float64, "FloatStorage": dt.float32, "HalfStorage": dt.float16, "BFloat16Storage": dt.bfloat16,
    "LongStorage": dt.int64, "IntStorage": dt.int32, "ShortStorage": dt.int16, "CharStorage": dt.int8,
    "ByteStorage": dt.uint8, "BoolStorage": dt.bool, "ComplexDoubleStorage": dt.complex128,
    "ComplexFloatStorage": dt.complex64, "UntypedStorage": dt.uint8,
}  # fmt: skip
REBUILT = {"_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3"}
WRAPPED = {"_rebuild_parameter", "_rebuild_parameter_with_state"}  # the tensor is the first argument


class StoredBytes(NamedTuple):
    """A storage in the file: its first byte, its bytes, and its CRC-32 (0 if the file has none)."""

    at: int
    nbytes: int
    crc: int = 0


class Entry(NamedTuple):
    """A tensor of the file, with offset, shape and strides in cells, or the reason why it cannot be read.

    Old files count its storage in cells of `counted` bytes.
    """

    key: str
    dtype: DType | None
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    refused: str = ""
    counted: int = 1


class Contents(NamedTuple):
    """The tensors and storages of a file."""

    entries: dict[str, Entry]
    storages: dict[str, StoredBytes]
    big: bool


def open_torch(path: str, name: str) -> CellRun | Tensor:
    """Return one tensor by the keys that lead to it, joined by "/"; keys of a state dict contain dots.

    Raises NoSuchArray for an unknown name, FileFormatError for a damaged file.
    """
    identity, contents = _contents(path)
    if name not in contents.entries:
        raise NoSuchArray(name)
    entry = contents.entries[name]
    if entry.dtype is None:
        raise failure(FORM, path, f"{name!r:.80} is {entry.refused}", "weft reads dense tensors; convert it in torch")
    return _placed(path, name, entry, contents, identity)


def torch_names(path: str) -> list[str]:
    """Return the names of the tensors that weft can read; "" for a tensor saved alone.

    Raises FileFormatError for a damaged file.
    """
    _, contents = _contents(path)
    return [name for name, entry in contents.entries.items() if entry.dtype is not None]


def _placed(path: str, name: str, entry: Entry, contents: Contents, identity: Identity) -> CellRun | Tensor:
    """Return the tensor that `entry` describes; transposed and broadcast tensors are views of the stored cells.

    `contents` has the places of the storages. Raises FileFormatError if it reaches beyond its storage.
    """
    kind, size = entry.dtype, entry.dtype.itemsize  # type: ignore[union-attr]
    assert kind is not None
    shape = checked_shape(FORM, path, entry.shape, size)
    _check_place(path, name, entry, contents)
    sizes = [1 if stride == 0 else n for n, stride in zip(shape, entry.strides, strict=True)]
    axes = sorted(range(len(shape)), key=lambda a: -entry.strides[a] if sizes[a] > 1 else 0)
    axes = sorted(range(len(shape))) if prod(sizes) <= 1 else axes
    stored, steps = tuple(sizes[a] for a in axes), tuple(entry.strides[a] * size for a in axes)
    storage = contents.storages.get(entry.key, StoredBytes(0, 0))
    at = storage.at + entry.offset * size
    dense = strides_of(stored, size, "C")
    if 0 in stored or all(n == 1 or s == d for n, s, d in zip(stored, steps, dense, strict=True)):
        cells = CellRun(FORM, path, kind, stored, at, identity, big=contents.big, name=name or None)
        if storage.crc and prod(stored) * size == storage.nbytes:
            cells.check_by(CRC32, at, at + storage.nbytes, {"the archive's directory": storage.crc}, DAMAGED)
        if stored == shape and axes == list(range(len(shape))):
            return cells
        x = open_source(cells)
    else:
        x = open_source(
            SteppedCells(FORM, path, kind, stored, at, identity, strides=steps, big=contents.big, name=name or None)
        )
    back = tuple(axes.index(a) for a in range(len(axes)))
    return broadcast_to(permute_dims(x, back) if back != tuple(range(len(back))) else x, shape)


def _check_place(path: str, name: str, entry: Entry, contents: Contents) -> None:
    """Raise FileFormatError if the tensor that `entry` describes reaches beyond its storage in `contents`."""
    assert entry.dtype is not None
    last = entry.offset + sum((n - 1) * s for n, s in zip(entry.shape, entry.strides, strict=True))
    wanted = 0 if 0 in entry.shape else (last + 1) * entry.dtype.itemsize
    found = contents.storages[entry.key].nbytes if entry.key in contents.storages else 0
    if wanted > found or entry.offset < 0 or any(s < 0 for s in entry.strides):
        fact = f"tensor {name!r:.60} reaches to byte {wanted} of a storage of {found}"
        raise failure(FORM, path, fact, "the file is truncated or damaged")


# ---- what a file holds


@kept(FORM)
def _contents(path: str, identity: Identity) -> Contents:
    with opened(path, FORM, identity) as (fd, _):
        zipped = fd.some(2, 0) == b"PK"
        try:
            if zipped:
                return _of_archive(zip_directory(FORM, path, identity))
            with fd.file() as file:
                return _of_run(path, file, identity[2])
        except PickleError as e:
            raise failure(FORM, path, f"its pickle {e}", "it is truncated, damaged or not written by torch.save") from e


def _of_archive(archive: ZipDirectory) -> Contents:
    """Return the contents of a zip archive: a pickle, and a member for each storage.

    Raises FileFormatError if there is no pickle, or a member is compressed, PickleError if the pickle is damaged.
    """
    main = next((name for name in archive.members if name.count("/") == 1 and name.endswith("/data.pkl")), None)
    if main is None:
        raise failure(FORM, archive.path, "is an archive without data.pkl", "it was not written by torch.save")
    folder = main.removesuffix("data.pkl")
    value = read_pickle(io.BytesIO(_bytes_of(archive, main)))
    order = _bytes_of(archive, f"{folder}byteorder") if f"{folder}byteorder" in archive.members else b"little"
    entries = dict(named_tensors(archive.path, value))
    storages = {}
    for key in {entry.key for entry in entries.values()}:
        member = archive.members.get(f"{folder}data/{key}")
        if member is not None:
            storages[key] = StoredBytes(archive.place(member, member.filename), member.file_size, member.CRC)
            if member.compress_type != zipfile.ZIP_STORED:
                raise failure(FORM, archive.path, f"{member.filename!r} is compressed", "write it with torch.save")
    return Contents(entries, storages, order.strip() == b"big")


def _bytes_of(archive: ZipDirectory, name: str) -> bytes:
    """Return the bytes of an uncompressed member; raises FileFormatError if its checksum is wrong."""
    member = archive.members[name]
    at = archive.place(member, name)
    if member.compress_type != zipfile.ZIP_STORED or member.file_size > MAX_PICKLE:
        fact = f"{name!r} is compressed, or larger than {MAX_PICKLE} bytes"
        raise failure(FORM, archive.path, fact, "write it with torch.save")
    with opened(archive.path, FORM, archive.identity) as (fd, _):
        found = fd.some(member.file_size, at)
    if member.CRC not in (0, crc := zlib.crc32(found)):
        fact = f"member {name!r} has checksum {crc:08x}, the archive's directory says {member.CRC:08x}"
        raise failure(FORM, archive.path, fact, "it is damaged; take it from a copy")
    return found


def _of_run(path: str, file: Any, size: int) -> Contents:
    """Return the contents of a file from before 2020: pickles, then each storage after its number of cells.

    `size` is the size of the file in bytes. Raises PickleError if it is no such file, FileFormatError if a storage is
    missing or cut off.
    """
    if read_pickle(file) != MAGIC or read_pickle(file) != PROTOCOL:
        raise PickleError("does not begin as torch.save begins it")
    system = read_pickle(file)
    value, keys = read_pickle(file), read_pickle(file)
    entries = dict(named_tensors(path, value))
    sizes = {entry.key: entry.counted for entry in entries.values() if entry.dtype is not None}
    big = isinstance(system, dict) and system.get("little_endian") is False
    storages, at = {}, file.tell()
    for key in keys if isinstance(keys, list) else []:
        if key not in sizes:
            raise failure(
                FORM, path, f"storage {key!r:.40} is that of no tensor weft reads", "save it again with torch"
            )
        file.seek(at)
        nbytes = int.from_bytes(file.read(8), "big" if big else "little") * sizes[key]
        if at + 8 + nbytes > size:
            fact = f"storage {key!r:.40} needs {nbytes} bytes, {max(size - at - 8, 0)} are there"
            raise failure(FORM, path, fact, "the file is truncated or damaged")
        storages[key] = StoredBytes(at + 8, nbytes)
        at += 8 + nbytes
    return Contents(entries, storages, big)


# ---- tensors in the data of a pickle


def named_tensors(path: str, value: Any) -> Iterator[tuple[str, Entry]]:
    """Yield (name, Entry) of the tensors in nested dictionaries, lists and modules; names are the joined keys.

    Raises FileFormatError if there are too many values.
    """
    waiting: list[Iterator[tuple[str, Any]]] = [iter([("", value)])]  # the values of each level, made when they are due
    for _ in range(MAX_VALUES):
        found = next(waiting[-1], None)
        if found is None:
            waiting.pop()
            if not waiting:
                return
            continue
        name, value = found
        entry = _entry(path, name, value)
        if entry is not None:
            yield name, entry
        elif len(waiting) <= MAX_DEPTH and len(name) <= MAX_NAME:
            waiting.append(_parts(name, value))
    raise failure(FORM, path, f"holds more than {MAX_VALUES} values", "save its tensors alone")


def _parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield (name, value) of the values inside another value."""
    between = "/" if name else ""
    if isinstance(value, dict):
        yield from ((f"{name}{between}{key}", part) for key, part in value.items() if isinstance(key, (str, int)))
    elif isinstance(value, (list, tuple)) and not isinstance(value, (Global, Reference)):
        yield from ((f"{name}{between}{k}", part) for k, part in enumerate(value))
    elif isinstance(value, RecordedCall) and isinstance(value.state, dict) and "_modules" in value.state:
        for kind in ("_parameters", "_buffers", "_modules"):  # of a module, named as its state dict names them
            held = value.state.get(kind)
            between = "." if name else ""
            yield from ((f"{name}{between}{key}", part) for key, part in (held or {}).items() if part is not None)


def _entry(path: str, name: str, value: Any) -> Entry | None:
    """Return the tensor that a recorded call of the pickle describes; None if it describes no tensor.

    Raises FileFormatError if the call is damaged.
    """
    for _ in range(MAX_DEPTH):
        if not isinstance(value, RecordedCall) or not isinstance(value.function, Global):
            return None
        function, arguments = value.function.name, value.arguments
        try:
            if function == "_rebuild_from_type_v2":
                value = RecordedCall(arguments[0], arguments[2])
            elif function in WRAPPED:
                value = arguments[0]
            elif function in REBUILT:
                return _dense(function, arguments)
            else:
                break
        except (ValueError, IndexError, TypeError, AttributeError) as e:
            fact = f"tensor {name!r:.60} is described by what {function} does not take"
            raise failure(FORM, path, fact, "the file is damaged") from e
    if function.startswith("_rebuild_"):
        return Entry("", None, 0, (), (), f"what torch makes with {function:.60}")
    return None


def _dense(function: str, arguments: Any) -> Entry:
    storage, offset, shape, strides = arguments[:4]
    word, kind, key, _, _, *view = storage.words
    if word != "storage" or kind.module not in ("torch", "torch.storage") or not isinstance(key, str):
        raise ValueError("no storage")
    if view and view[0] is not None:
        offset += view[0][1]
    if len(shape) != len(strides) or not all(type(n) is int and abs(n) < 2**63 for n in (offset, *shape, *strides)):
        raise ValueError("no layout")
    name = arguments[6].name if function == "_rebuild_tensor_v3" else kind.name
    held = STORAGES.get(kind.name)
    dtype = dt.BY_NAME.get(name) if function == "_rebuild_tensor_v3" else held  # torch's names are weft's too
    counted = 1 if held is None else held.itemsize
    return Entry(key, dtype, offset, tuple(shape), tuple(strides), f"of type {name}, which weft does not hold", counted)
