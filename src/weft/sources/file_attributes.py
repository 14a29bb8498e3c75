"""Attributes of files, and of the arrays in them.

The one idea: attributes, header cards and metadata of all formats become a dict from names to texts, numbers and lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

from weft.errors import FileFormatError
from weft.sources.file_patterns import split_name
from weft.sources.files import located
from weft.sources.formats.cell_run import NoSuchArray
from weft.sources.paths import Path, path_of


def attributes(
    path: Path | BinaryIO,
    name: Any = None,
    *,
    format: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the attributes of a file, or of an array in it, as texts, numbers and lists. None give {}.

    The array is named as in `weft.open`, as `name` (FITS and pictures: a number) or "file::name". HDF5, NetCDF and Zarr
    have attributes of their own, FITS its cards, safetensors its metadata, Parquet and Arrow the metadata of table and
    column, pictures the facts of their header. `storage_options` are those of fsspec for URLs. Raises FileFormatError
    for a file that is missing or damaged or of an unknown format, and for an unknown name.

    >>> import os, tempfile
    >>> import weft
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.nc")
    ...     weft.save(path, {"t": weft.ones(3)}, attributes={"": {"title": "July"}, "t": {"units": "K"}})
    ...     weft.attributes(path), weft.attributes(path, "t")
    ({'title': 'July'}, {'units': 'K'})
    """
    found = path_of("attributes", path)
    found, inner = split_name(found)
    found, row = located("attributes", found, format, storage_options)
    name = inner if name is None else name
    if name is not None and row.names is None:
        raise FileFormatError(f"attributes: {found}: holds one array without a name; {name!r} is none; leave it out")
    if row.attributes is None:
        return {}
    try:
        return {str(key): _plain(value) for key, value in row.attributes(found, name).items()}
    except NoSuchArray as e:
        fact = f"attributes: {found}: has no array {name!r}"
        raise FileFormatError(f"{fact}; open_all lists those that it has; give one of them") from e


def _plain(value: Any) -> Any:
    """Return an attribute as text, number, or a list of these."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    return value if value is None or isinstance(value, (bool, int, float, complex, str)) else str(value)
