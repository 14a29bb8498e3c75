"""Files of saved programs: a zip archive of one JSON text and the cells of tensors as safetensors.

The one idea: members are stored uncompressed, so the text can be read with any unzip and the cells with any reader of
safetensors; the archive's checksums are verified when members are read.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from math import prod
from typing import IO, Any

import numpy as np

from weft.dtypes import DType
from weft.errors import MissingFileError, ProgramFileError
from weft.runtime.memory import allocator
from weft.sources.formats.safetensors import DTYPES, MAX_HEADER, SPELLED, checked_table, header_of
from weft.sources.write.atomic_write import Path, atomic_file

STRUCTURE, WEIGHTS = "program.json", "weights.safetensors"
STAMP = (1980, 1, 1, 0, 0, 0)  # the time of members, fixed so that equal programs are equal files


def write_program(path: Path, data: Any, cells: Mapping[str, tuple[DType, np.ndarray]]) -> None:
    """Write a program's structure and the row-major cells of its tensors, by name.

    The file takes its name once all is written.  Raises WriteError if it cannot be written.
    """
    with atomic_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        with archive.open(zipfile.ZipInfo(STRUCTURE, STAMP), "w") as member:
            member.write(json.dumps(data, separators=(",", ":")).encode())
        with archive.open(zipfile.ZipInfo(WEIGHTS, STAMP), "w", force_zip64=True) as member:
            _write_cells(member, cells)


def _write_cells(member: IO[bytes], cells: Mapping[str, tuple[DType, np.ndarray]]) -> None:
    """Write cells, (dtype, array) by name, in the form of safetensors; dtypes that it lacks are written as bytes."""
    header: dict[str, Any] = {}
    at = 0
    for name, (dtype, array) in cells.items():
        spelled, shape = SPELLED.get(dtype), list(array.shape)
        shape = shape if spelled else [*shape, dtype.itemsize]
        header[name] = {"dtype": spelled or "U8", "shape": shape, "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    member.write(header_of(header))
    for _, array in cells.values():
        member.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


class ProgramArchive:
    """The file of a saved program, open for reading."""

    def __init__(self, path: Path) -> None:
        self.path = os.fspath(path)
        try:
            self._zip = zipfile.ZipFile(path)
        except FileNotFoundError as error:
            raise MissingFileError(
                f"load_program: {self.path}: there is no such file; check the path", self.path
            ) from error
        except IsADirectoryError as error:
            raise ProgramFileError(f"load_program: {self.path}: it is a folder; name the file in it") from error

    def __enter__(self) -> ProgramArchive:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def structure(self) -> Any:
        """Return the program's structure, parsed from JSON.

        Raises ValueError if that part of the file is compressed, encrypted or no JSON.
        """
        with self._member(STRUCTURE) as member:
            return json.loads(member.read().decode())

    def _member(self, name: str) -> IO[bytes]:
        info = self._zip.getinfo(name)
        if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size or info.flag_bits & 1:
            raise ValueError(f"{name} is compressed or encrypted")
        return self._zip.open(info)

    def cells(self) -> dict[str, np.ndarray]:
        """Return the cells of tensors by name, as new arrays; those of dtypes that safetensors lacks as bytes.

        Raises ValueError if the header and the number of bytes do not fit each other.
        """
        with self._member(WEIGHTS) as member:
            size = self._zip.getinfo(WEIGHTS).file_size
            length = int.from_bytes(member.read(8), "little")
            if length > min(MAX_HEADER, size - 8):
                raise ValueError(f"a header of {length} bytes in {size}")
            table, _ = checked_table(self.path, member.read(length), size - 8 - length)
            found = {}
            for name, entry in sorted(table.items(), key=lambda item: item[1]["data_offsets"]):
                first, end = entry["data_offsets"]
                dtype, shape = DTYPES[entry["dtype"]], tuple(entry["shape"])
                if prod(shape) * dtype.itemsize != end - first:
                    raise ValueError(f"the entry {entry!r:.80} of {name}")
                found[name] = array = allocator.empty(dtype.np, shape)
                if array.size and member.readinto(array.reshape(-1).view(np.uint8).data) != array.nbytes:  # type: ignore
                    raise ValueError(f"the cells of {name} end too early")
            return found
