"""Opening files: the format from the name's ending, one array of several by its name, many files as one tensor.

The one idea: a format is a row of a table: how to open an array, which arrays a file holds, which options exist.  Many
files are a concat or a stack of one-file tensors, so everything that holds for selections holds for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from os.path import isdir
from typing import Any, BinaryIO

from weft.api.arguments import flag, is_among
from weft.api.standard.manipulation_functions import concat
from weft.api.standard.manipulation_functions import stack as stacked
from weft.errors import FileFormatError, UnsupportedTypeError
from weft.interop.imports import asarray
from weft.sources.file_patterns import expand_all, split_name
from weft.sources.formats.arrow import arrow_table
from weft.sources.formats.cell_run import NoSuchArray
from weft.sources.formats.csv_text import csv_table
from weft.sources.formats.fits import fits_attributes, fits_names, open_fits
from weft.sources.formats.hdf5 import hdf5_attributes, hdf5_names, open_hdf5
from weft.sources.formats.images import ENDINGS as PICTURES
from weft.sources.formats.images import image_attributes, image_names, open_image
from weft.sources.formats.mat import mat_names, open_mat
from weft.sources.formats.netcdf import netcdf_names, open_netcdf, typed_attributes
from weft.sources.formats.npy import NpyFile
from weft.sources.formats.npz import npz_names, open_npz
from weft.sources.formats.parquet import parquet_table
from weft.sources.formats.raw import open_raw
from weft.sources.formats.safetensors import open_safetensors, safetensors_attributes, safetensors_names
from weft.sources.formats.table_files import TableFile, column_attributes, column_names, open_column
from weft.sources.formats.torch_weights import open_torch, torch_names
from weft.sources.paths import HeldPath, Path, ending_of, held_copy, path_of
from weft.sources.read.loading import open_source
from weft.sources.read.mapped_files import mapped
from weft.sources.remote.remote_path import RemotePath, file_name, is_url, resolved
from weft.sources.zarr.zarr_array import is_marked, open_zarr, zarr_attributes, zarr_names
from weft.tensors.tensor import Tensor

SHOWN = 20  # names that a message lists


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A row of FORMATS: how a format is opened, its endings, and its options.

    `open(path, **options)` returns a source or a tensor.  For files of several arrays (`names` is not None),
    `open(path, name, **options)` returns that of one array, or raises NoSuchArray.  `names(path, **options)` lists the
    arrays, in a list that may hold data needed for opening them; `pick` is the keyword by which a caller chooses one.
    `attributes(path, name)` returns the attributes of an array, or of the file for None.  A remote file of a format
    with `whole` is fetched when it is opened.  With `root`, the file itself may be an array, named "".
    """

    open: Callable[..., Any]
    endings: tuple[str, ...]
    names: Callable[..., Sequence[str]] | None = None
    pick: str = "name"
    options: tuple[str, ...] = field(default=())
    attributes: Callable[[str, Any], Mapping[str, Any]] | None = None
    whole: bool = False
    root: bool = False


def _of_columns(
    form: str, read: Callable[..., TableFile], endings: tuple[str, ...], *options: str, whole: bool = False
) -> FileFormat:
    """Return the row of a format of columns, whose files `read(path, **options)` reads."""
    return FileFormat(
        partial(open_column, form, read),
        endings,
        partial(column_names, form, read),
        options=("nulls", *options),
        attributes=partial(column_attributes, read),
        whole=whole,
    )


FORMATS: dict[str, FileFormat] = {
    "npy": FileFormat(NpyFile, (".npy",)),
    "arrow": _of_columns("arrow", arrow_table, (".arrow", ".feather", ".ipc", ".arrows"), whole=True),
    "csv": replace(
        _of_columns(
            "csv", csv_table, (".csv", ".tsv", ".tab"), "delimiter", "header", "skip", "decimal", "encoding", whole=True
        ),
        attributes=None,
    ),
    "fits": FileFormat(open_fits, (".fits", ".fit", ".fts"), fits_names, "hdu", attributes=fits_attributes),
    "hdf5": FileFormat(open_hdf5, (".h5", ".hdf5", ".hdf", ".he5"), hdf5_names, attributes=hdf5_attributes),
    "image": FileFormat(open_image, PICTURES, image_names, "frame", attributes=image_attributes, whole=True),
    "mat": FileFormat(open_mat, (".mat",), mat_names, whole=True),
    "netcdf": FileFormat(
        open_netcdf, (".nc", ".nc4", ".cdf"), netcdf_names, options=("raw",), attributes=typed_attributes
    ),
    "npz": FileFormat(open_npz, (".npz",), npz_names),
    "parquet": _of_columns("parquet", parquet_table, (".parquet", ".pq")),
    "raw": FileFormat(open_raw, (".bin", ".raw"), options=("dtype", "shape", "offset", "order")),
    "safetensors": FileFormat(
        open_safetensors, (".safetensors",), safetensors_names, attributes=safetensors_attributes
    ),
    "torch": FileFormat(open_torch, (".pt", ".pth", ".ckpt"), torch_names),
    "zarr": FileFormat(open_zarr, (".zarr",), zarr_names, attributes=zarr_attributes, root=True),
}


def open_file(
    path: Path | BinaryIO | Any | Sequence[Path | BinaryIO | Any],
    *,
    axis: int = 0,
    stack: bool = False,
    format: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> Tensor:
    """Return a tensor of a file's values, or of several files' along an axis; read by ranges when needed.

    `path` is a file, a pattern ("part-*.npy", in the order of the numbers in the names) or a sequence of these; text,
    `pathlib.Path`, or an object opened for reading bytes, such as `io.BytesIO`.  `~` is the home folder.  An array of
    zarr, h5py, dask or another object with `shape`, `dtype` and `chunks` is opened, too, as `asarray` does.  URLs
    ("https://...", "s3://...", "memory://...") are read by ranges through fsspec, with its `storage_options`.  Several
    files are joined along `axis`; with `stack=True`, `axis` is a new one.  The ending determines the format, unless
    `format=` does.  A file that holds several arrays needs `name=` (FITS: `hdu=`), or a path "file::name"; with a list
    of names, arrays of one shape become a last axis: `open("data.csv", name=["x", "y"])` has a row for each line.
    Options belong to the format (docs/files.md).  Raises FileFormatError, which names the fault of the file;
    ShapeError if shapes of several files differ, AxisError if they lack the axis, DTypeError if it is no integer.

    >>> import tempfile
    >>> import numpy as np
    >>> import weft
    >>> with tempfile.NamedTemporaryFile(suffix=".npy") as file:
    ...     np.save(file.name, np.arange(3))
    ...     weft.open(file.name).tolist(), weft.open([file.name] * 2, stack=True).shape
    ([0, 1, 2], (2, 3))
    """
    paths = expand_all(list(path) if isinstance(path, (list, tuple)) else [path], storage_options)
    parts = [_open_one(p, format, options, storage_options) for p in paths]
    if flag("open", "stack", stack):
        return stacked(parts, axis=axis)
    return parts[0] if len(parts) == 1 else concat(parts, axis=axis)


def open_all(
    path: Path | BinaryIO,
    *,
    format: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> dict[str, Tensor]:
    """Return a dict from names to tensors for all arrays of a file; a lone array without name is called "".

    Arrays of types that weft lacks, such as text, are left out.
    `format` names the format if the ending does not; `storage_options` are those of fsspec for URLs. Raises
    FileFormatError for files that cannot be read and for options that the format does not have.

    >>> import tempfile
    >>> import numpy as np
    >>> import weft
    >>> with tempfile.NamedTemporaryFile(suffix=".npz") as file:
    ...     np.savez(file, a=np.arange(3), b=np.ones((2, 2)))
    ...     {name: x.shape for name, x in weft.open_all(file.name).items()}
    {'a': (3,), 'b': (2, 2)}
    """
    path, row = located("open", path_of("open", path), format, storage_options)
    if row.names is None:
        return {"": _open_one(path, format, options)}
    own = {key: value for key, value in options.items() if key != "mmap"}
    _check_options(path, row, own)
    names = row.names(path, **own)
    found: dict[str, Tensor] = {}
    for name in names:
        with suppress(UnsupportedTypeError):
            found[name] = _open_one(path, format, {**options, row.pick: name})
    return found


def format_of(path: str, format: str | None = None) -> FileFormat:
    """Return the row of a file's format, by its name if given, else by the ending of the path.

    A folder that holds metadata of Zarr is a Zarr store whatever its name.  Raises FileFormatError for unknown names
    and endings.
    """
    if format is not None:
        if not is_among(format, FORMATS):
            raise FileFormatError(
                f"open: {path}: the format {format!r} is unknown; known are {', '.join(FORMATS)}; give one of them"
            )
        return FORMATS[format]
    ending = ending_of(path)
    for row in FORMATS.values():
        if ending in row.endings:
            return row
    if is_marked(path):
        return FORMATS["zarr"]
    if isdir(path):
        raise FileFormatError(
            f"open: {path}: is a folder that holds none of Zarr's metadata; give a pattern, such as '{path}/*.npy', to "
            "join its files"
        )
    known = ", ".join(e for row in FORMATS.values() for e in row.endings)
    raise FileFormatError(
        f"open: {path}: the ending {ending!r} names no known format; known are {known}; "
        f"give format= (one of {', '.join(FORMATS)}) or convert the file"
    )


def located(op: str, path: str, format: str | None, storage_options: Any) -> tuple[str, FileFormat]:
    """Return (path, row of its format) for a path or URL; fetches remote files of formats that are read whole.

    `op` is named in errors. Raises FileFormatError for URLs without a reader, for storage options beside a local path,
    and for an unknown format.
    """
    if isinstance(path, (HeldPath, RemotePath)) or not is_url(path):
        if storage_options is not None:
            fact = f"{op}: {path}: has storage_options= and is no URL; they are for fsspec, which reads URLs"
            raise FileFormatError(f"{fact}; leave them out")
        return path, format_of(path, format)
    found = resolved(op, path, storage_options)
    row = format_of(found if isinstance(found, RemotePath) else file_name(path), format)
    return held_copy(op, found) if row.whole and isinstance(found, RemotePath) else found, row


def _open_one(path: Any, format: str | None, options: dict[str, Any], storage_options: Any = None) -> Tensor:
    """Return the tensor of one array of one file; raises FileFormatError if it cannot be found or read.

    With a list of names in `options`, the arrays become a last axis. Raises ShapeError if their shapes differ,
    DTypeError for an array of another library with a dtype that weft lacks.
    """
    if not isinstance(path, str):
        return _opened_array(path, format, options)
    path, inner = split_name(path)
    path, row = located("open", path, format, storage_options)
    options = dict(options)
    name = options.pop(row.pick, None) if row.names else None
    mapping = flag("open", "mmap", options.pop("mmap", False))
    if inner is not None and row.names is None:
        raise FileFormatError(f"open: {path}: holds one array without a name, found ::{inner}; leave the name out")
    _check_options(path, row, options)
    if row.names is not None and isinstance(name, (list, tuple)) and name and inner is None:
        held = row.names(path, **options)  # may hold data that opening the arrays shares
        columns = [_open_one(path, format, {**options, row.pick: each, "mmap": mapping}) for each in name]
        del held
        return stacked(columns, axis=-1)
    found = row.open(path, **options) if row.names is None else _open_named(path, row, inner or name, options)
    if mapping:
        found = mapped(path, found)
    return found if isinstance(found, Tensor) else open_source(found)


def _opened_array(obj: Any, format: str | None, options: dict[str, Any]) -> Tensor:
    """Return the tensor of an array of another library; raises FileFormatError if file options are given.

    Raises DTypeError or ShapeError for dtypes and sizes that weft lacks.
    """
    given = [*(["format"] if format is not None else []), *options]
    if given:
        raise FileFormatError(
            f"open: a {type(obj).__name__} is an array, and takes no {given[0]}=; options say how files are read; "
            "leave it out"
        )
    return asarray(obj)


def _check_options(path: str, row: FileFormat, options: dict[str, Any]) -> None:
    """Raise FileFormatError if the format `row` lacks an option; the message names the nearest known one."""
    known = (*row.options, row.pick, "mmap") if row.names else (*row.options, "mmap")
    for option in options:
        if option not in known:
            near = get_close_matches(option, known, 1)
            advice = f"did you mean {near[0]}=" if near else f"known are {', '.join(known) or 'none'}"
            raise FileFormatError(f"open: {path}: the format has no option {option}=; {advice}; leave it out")


def _open_named(path: str, row: FileFormat, name: object, options: dict[str, Any]) -> Any:
    """Open the array called `name` (None: the only array of the file); raises FileFormatError if there is none."""
    assert row.names is not None
    first = "" if name is None and row.root else name
    if (isinstance(first, str) and "\0" not in first) or (first is not None and row.pick != "name"):
        try:
            return row.open(path, first, **options)
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
