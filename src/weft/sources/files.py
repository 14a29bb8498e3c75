"""Opening files: the format by the name's ending, one array of many by its name, many files as one tensor.

The one idea: a format is a row: how one array is opened, which arrays there are, which options it knows.  Many files
are a concat or a stack of one-file tensors, so everything that holds for selections holds for them.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, BinaryIO

from weft.api.standard.manipulation_functions import concat
from weft.api.standard.manipulation_functions import stack as stacked
from weft.errors import FileFormatError, MissingFileError
from weft.sources.formats.arrow import arrow_attributes, arrow_names, open_arrow
from weft.sources.formats.cell_run import NoSuchArray
from weft.sources.formats.csv_text import csv_names, open_csv
from weft.sources.formats.fits import fits_attributes, fits_names, open_fits
from weft.sources.formats.hdf5 import hdf5_attributes, hdf5_names, open_hdf5
from weft.sources.formats.images import ENDINGS as PICTURES
from weft.sources.formats.images import image_attributes, image_names, open_image
from weft.sources.formats.mat import mat_names, open_mat
from weft.sources.formats.netcdf import netcdf_names, open_netcdf, typed_attributes
from weft.sources.formats.npy import NpyFile
from weft.sources.formats.npz import npz_names, open_npz
from weft.sources.formats.parquet import open_parquet, parquet_attributes, parquet_names
from weft.sources.formats.raw import open_raw
from weft.sources.formats.safetensors import open_safetensors, safetensors_attributes, safetensors_names
from weft.sources.formats.torch_weights import open_torch, torch_names
from weft.sources.paths import Path, ending_of, path_of
from weft.sources.read.loading import open_source
from weft.sources.read.mapped_files import mapped
from weft.sources.zarr.zarr_array import MARKS, open_zarr, zarr_attributes, zarr_names
from weft.tensors.tensor import Tensor

SHOWN = 20  # names that a message lists


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A row of FORMATS: how a format is opened, its endings, and its options.

    `open(path, **options)` returns a source or a tensor.  Where a file holds several arrays (`names` is not None),
    `open(path, name, **options)` does, or raises NoSuchArray; `names(path, **options)` lists them, in a list that may
    hold what opening them needs, and `pick` is the keyword by which a caller chooses one.  `attributes(path, name)`
    gives those of an array, or of the file for None.
    """

    open: Callable[..., Any]
    endings: tuple[str, ...]
    names: Callable[..., Sequence[str]] | None = None
    pick: str = "name"
    options: tuple[str, ...] = field(default=())
    attributes: Callable[[str, Any], Mapping[str, Any]] | None = None


FORMATS: dict[str, FileFormat] = {
    "npy": FileFormat(NpyFile, (".npy",)),
    "arrow": FileFormat(
        open_arrow,
        (".arrow", ".feather", ".ipc", ".arrows"),
        arrow_names,
        options=("nulls",),
        attributes=arrow_attributes,
    ),
    "csv": FileFormat(
        open_csv,
        (".csv", ".tsv", ".tab"),
        csv_names,
        options=("nulls", "delimiter", "header", "skip", "decimal", "encoding"),
    ),
    "fits": FileFormat(open_fits, (".fits", ".fit", ".fts"), fits_names, "hdu", attributes=fits_attributes),
    "hdf5": FileFormat(open_hdf5, (".h5", ".hdf5", ".hdf", ".he5"), hdf5_names, attributes=hdf5_attributes),
    "image": FileFormat(open_image, PICTURES, image_names, "frame", attributes=image_attributes),
    "mat": FileFormat(open_mat, (".mat",), mat_names),
    "netcdf": FileFormat(
        open_netcdf, (".nc", ".nc4", ".cdf"), netcdf_names, options=("raw",), attributes=typed_attributes
    ),
    "npz": FileFormat(open_npz, (".npz",), npz_names),
    "parquet": FileFormat(
        open_parquet, (".parquet", ".pq"), parquet_names, options=("nulls",), attributes=parquet_attributes
    ),
    "raw": FileFormat(open_raw, (".bin", ".raw"), options=("dtype", "shape", "offset", "order")),
    "safetensors": FileFormat(
        open_safetensors, (".safetensors",), safetensors_names, attributes=safetensors_attributes
    ),
    "torch": FileFormat(open_torch, (".pt", ".pth", ".ckpt"), torch_names),
    "zarr": FileFormat(open_zarr, (".zarr",), zarr_names, attributes=zarr_attributes),
}


def open_file(
    path: Path | BinaryIO | Sequence[Path | BinaryIO],
    *,
    axis: int = 0,
    stack: bool = False,
    format: str | None = None,
    **options: Any,
) -> Tensor:
    """Return a tensor of a file's values, or of several files' along an axis; read by ranges when needed.

    `path` is a file, a pattern ("part-*.npy", in the order of the numbers in the names) or a sequence of these; text,
    `pathlib.Path`, or an object opened for reading bytes, such as `io.BytesIO`.  `~` is the home folder.
    Several files are joined along `axis`; with `stack=True`, `axis` is a new one.  The ending says the format, or
    `format=`.  A file that holds several arrays needs `name=` (FITS: `hdu=`), or a path "file::name"; with a list of
    names, arrays of one shape become a last axis: `open("data.csv", name=["x", "y"])` has a row for each line.  Options
    belong to the format (docs/files.md).  FileFormatError names what is wrong with a file.

    >>> import tempfile
    >>> import numpy as np
    >>> import weft
    >>> with tempfile.NamedTemporaryFile(suffix=".npy") as file:
    ...     np.save(file.name, np.arange(3))
    ...     weft.open(file.name).tolist(), weft.open([file.name] * 2, stack=True).shape
    ([0, 1, 2], (2, 3))
    """
    paths = expand_all(list(path) if isinstance(path, (list, tuple)) else [path])  # type: ignore[list-item]
    parts = [_open_one(p, format, options) for p in paths]
    if stack:
        return stacked(parts, axis=axis)
    return parts[0] if len(parts) == 1 else concat(parts, axis=axis)


def open_all(path: Path | BinaryIO, *, format: str | None = None, **options: Any) -> dict[str, Tensor]:
    """Return name → tensor of every array of a file; a format of one array gives it the name "".

    Raises FileFormatError for files that cannot be read and for options that the format does not have.

    >>> import tempfile
    >>> import numpy as np
    >>> import weft
    >>> with tempfile.NamedTemporaryFile(suffix=".npz") as file:
    ...     np.savez(file, a=np.arange(3), b=np.ones((2, 2)))
    ...     {name: x.shape for name, x in weft.open_all(file.name).items()}
    {'a': (3,), 'b': (2, 2)}
    """
    path = path_of("open", path)
    row = format_of(path, format)
    if row.names is None:
        return {"": _open_one(path, format, options)}
    own = {key: value for key, value in options.items() if key != "mmap"}
    _check_options(path, row, own)
    names = row.names(path, **own)
    return {name: _open_one(path, format, {**options, row.pick: name}) for name in names}


def format_of(path: str, format: str | None = None) -> FileFormat:
    """Return the row of a file's format, by its name if given, else by the ending of the path.

    A folder that holds a mark of Zarr is a Zarr store whatever its name.  Raises FileFormatError for unknown names and
    endings.
    """
    if format is not None:
        if format not in FORMATS:
            raise FileFormatError(
                f"open: {path}: the format {format!r} is unknown; known are {', '.join(FORMATS)}; give one of them"
            )
        return FORMATS[format]
    ending = ending_of(path)
    for row in FORMATS.values():
        if ending in row.endings:
            return row
    if any(os.path.exists(os.path.join(path, name)) for name in MARKS):
        return FORMATS["zarr"]
    known = ", ".join(e for row in FORMATS.values() for e in row.endings)
    raise FileFormatError(
        f"open: {path}: the ending {ending!r} names no known format; known are {known}; "
        f"give format= (one of {', '.join(FORMATS)}) or convert the file"
    )


def _open_one(path: str, format: str | None, options: dict[str, Any]) -> Tensor:
    """Return the tensor of one array of one file; raises FileFormatError if it cannot be found or read."""
    path, inner = split_name(path)
    row = format_of(path, format)
    options = dict(options)
    name = options.pop(row.pick, None) if row.names else None
    mapping = options.pop("mmap", False)
    if inner is not None and row.names is None:
        raise FileFormatError(f"open: {path}: holds one array without a name, found ::{inner}; leave the name out")
    _check_options(path, row, options)
    if row.names is not None and isinstance(name, (list, tuple)) and name and inner is None:
        held = row.names(path, **options)  # what opening them needs is there for all of them
        columns = [_open_one(path, format, {**options, row.pick: each, "mmap": mapping}) for each in name]
        del held
        return stacked(columns, axis=-1)
    found = row.open(path, **options) if row.names is None else _open_named(path, row, inner or name, options)
    if mapping:
        found = mapped(path, found)
    return found if isinstance(found, Tensor) else open_source(found)


def split_name(path: str) -> tuple[str, str | None]:
    """Split "file::name" into the file and the name of its array; an existing path is not split.

    >>> split_name("a.npz::weights"), split_name("a.npy")
    (('a.npz', 'weights'), ('a.npy', None))
    """
    if "::" not in path or os.path.exists(path):
        return path, None
    cuts = [m.start() for m in re.finditer("::", path)]
    cut = next((c for c in cuts if os.path.exists(path[:c])), cuts[0])  # files and arrays may have :: in their names
    return path[:cut], path[cut + 2 :]


def _check_options(path: str, row: FileFormat, options: dict[str, Any]) -> None:
    """Raise FileFormatError for an option that the format does not have, with the nearest known one."""
    known = (*row.options, row.pick, "mmap") if row.names else (*row.options, "mmap")
    for option in options:
        if option not in known:
            near = get_close_matches(option, known, 1)
            advice = f"did you mean {near[0]}=" if near else f"known are {', '.join(known) or 'none'}"
            raise FileFormatError(f"open: {path}: the format has no option {option}=; {advice}; leave it out")


def _open_named(path: str, row: FileFormat, name: object, options: dict[str, Any]) -> Any:
    """Open the array of that name (None: the only array of the file); raises FileFormatError if there is none."""
    assert row.names is not None
    if (isinstance(name, str) and "\0" not in name) or (name is not None and row.pick != "name"):
        try:
            return row.open(path, name, **options)
        except NoSuchArray:
            pass
    names = row.names(path, **options)
    if name is None and len(names) == 1:
        return row.open(path, names[0], **options)
    shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    what = f"holds {len(names)} arrays: {shown}" if names else "holds no array that weft can read"
    if name is None:
        advice = f"one is wanted; give {row.pick}=, or the path with ::NAME, or use open_all"
        raise FileFormatError(f"open: {path}: {what}; {advice if names else 'give another file'}")
    near = get_close_matches(str(name), names, 1)
    advice = f"did you mean {near[0]!r}" if near else f"give one of them as {row.pick}="
    raise FileFormatError(f"open: {path}: has no array {name!r}; {what}; {advice}")


# ---- which files


def expand_all(paths: Sequence[Path | BinaryIO]) -> list[str]:
    """Return the files that paths and patterns name, in order; raises FileFormatError if there are none."""
    found = [file for path in paths for file in expand(path)]
    if not found:
        raise FileFormatError("open: no paths; a tensor needs one file at least; give a path")
    return found


def expand(path: Path | BinaryIO) -> list[str]:
    """Return the files that match a pattern, ordered by the numbers in their names; an existing path is no pattern.

    A "::name" behind a pattern goes behind every file.  Raises FileFormatError if nothing matches.
    """
    path = path_of("open", path)
    pattern, name = split_name(path)
    if not glob.has_magic(pattern) or os.path.exists(pattern):
        return [path]
    matches = sorted(glob.glob(pattern, recursive=True), key=by_number)
    if not matches:
        raise MissingFileError(f"open: {path}: no file matches the pattern; nothing can be read; check the path")
    return matches if name is None else [f"{m}::{name}" for m in matches]


def by_number(path: str) -> list[tuple[bool, int, str]]:
    """Return a sort key of a name in which numbers count by their value.

    >>> sorted(["shard-10", "shard-2"], key=by_number)
    ['shard-2', 'shard-10']
    """
    parts = re.split(r"(\d+)", path)
    return [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts]
