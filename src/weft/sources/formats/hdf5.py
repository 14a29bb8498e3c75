"""HDF5 files (netCDF-4 files too): which datasets they hold, and how their cells are read.

The one idea: a contiguous dataset is a run of bytes, which is read like any other; other datasets are read by chunks
(`hdf5_array`), or through h5py.
"""

from __future__ import annotations

from math import prod
from typing import Any

import ml_dtypes
import numpy as np

from weft.dtypes import from_numpy
from weft.errors import DTypeError, UnsupportedTypeError
from weft.sources.formats.cell_run import CellRun, Identity, checked_shape, failure
from weft.sources.formats.hdf5_array import Hdf5Array, Hdf5Chunks
from weft.sources.formats.hdf5_file import BFLOAT16, FORM, opened_hdf5

INFLATE_MOST = 1032  # most bytes that one byte of a compressed chunk can decode to
SMALL_CHUNK = 64 << 20  # bytes of a chunk that are allowed in a file of any size
OF_NETCDF = b"This is a netCDF dimension but not a netCDF variable"  # begins the attribute NAME of such a dataset


def open_hdf5(path: str, name: str) -> CellRun | Hdf5Array:
    """Return one dataset of the file as a source. It is a run of cells if contiguous, else chunks or an `Hdf5Array`.

    Raises NoSuchArray if there is no such dataset, FileFormatError if the file is damaged or weft lacks its type.
    """
    with opened_hdf5(path) as file:
        dataset, identity = file.dataset(name), file.identity
        dtype = _stored_dtype(path, name, dataset)
        kind, byteorder = from_numpy(dtype)
        shape = checked_shape(FORM, path, dataset.shape, kind.itemsize)
        plain = _lies_as(dataset, dtype)
        if dataset.chunks is not None:
            _check_chunks(path, name, dataset, identity)
            return Hdf5Chunks(path, name, dataset, dtype, plain, identity)
        at, found = dataset.id.get_offset(), dataset.id.get_storage_size()
        if plain and at is not None and found and found >= prod(shape) * kind.itemsize and _is_contiguous(dataset):
            return CellRun(FORM, path, kind, shape, at, identity, big=byteorder == "big", name=name)
        return Hdf5Array(path, name, dataset, dtype, identity)


def hdf5_names(path: str) -> list[str]:
    """Return the paths of the datasets that weft can read; raises FileFormatError if it is no HDF5 file."""
    names: list[str] = []

    def visit(name: str, item: Any) -> None:
        if isinstance(name, str) and getattr(item, "shape", None) is not None and not _is_only_a_dimension(item):
            try:
                _stored_dtype(path, name, item)
            except UnsupportedTypeError:
                return
            names.append(name)

    with opened_hdf5(path) as file:
        file.library.visititems(visit)
    return names


def hdf5_attributes(path: str, name: str | None) -> dict[str, Any]:
    """Return the attributes of a dataset (None: of the file), without references to other objects.

    Raises NoSuchArray if there is no such dataset, FileFormatError if the file is damaged.
    """
    with opened_hdf5(path) as file:
        item = file.library if name is None else file.dataset(name)
        found = {key: _attribute(item.attrs, key) for key in item.attrs}
        return {key: value for key, value in found.items() if value is not None}


def _attribute(attributes: Any, key: str) -> Any:
    """Return an attribute if it is text, a number, or an array of either; else None."""
    try:
        value = attributes[key]
    except (TypeError, ValueError, OSError, RuntimeError):  # the library has no counterpart of its type
        return None
    if isinstance(value, (str, bytes, np.generic)):
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    if not isinstance(value, np.ndarray) or value.dtype.names:
        return None
    if value.dtype.kind in "OS":
        texts = [part.decode("utf-8", "replace") if isinstance(part, bytes) else part for part in value.reshape(-1)]
        return texts if all(isinstance(part, str) for part in texts) else None
    return value.reshape(-1)[0] if value.size == 1 else value


def _is_only_a_dimension(item: Any) -> bool:
    """True if the dataset is a length without values, as netCDF-4 stores its dimensions."""
    return bytes(item.attrs["NAME"]).startswith(OF_NETCDF) if "NAME" in item.attrs else False


def _stored_dtype(path: str, name: str, dataset: Any) -> np.dtype[Any]:
    """Return the NumPy dtype of the stored cells with their byte order; raises UnsupportedTypeError for other types."""
    dtype = dataset.dtype
    if dtype == BFLOAT16:
        return np.dtype(ml_dtypes.bfloat16)
    try:
        if dtype.kind not in "biufc":
            raise DTypeError(str(dtype))
        from_numpy(np.dtype(dtype.str))
    except DTypeError as e:
        fact = f"dataset {name!r} has type {dtype!s:.80}"
        advice = "weft reads bool, integers, floats and complex numbers"
        raise failure(FORM, path, fact, advice, UnsupportedTypeError) from e
    return np.dtype(dtype.str)


def _lies_as(dataset: Any, dtype: np.dtype[Any]) -> bool:
    """True if the stored cells have the memory layout of `dtype`."""
    import h5py

    if dtype == ml_dtypes.bfloat16:
        return dataset.id.get_type().get_size() == 2
    return bool(h5py.h5t.py_create(dtype, logical=True) == dataset.id.get_type())


def _is_contiguous(dataset: Any) -> bool:
    import h5py

    return bool(dataset.id.get_create_plist().get_layout() == h5py.h5d.CONTIGUOUS)


def _check_chunks(path: str, name: str, dataset: Any, identity: Identity) -> None:
    """Raise FileFormatError if the dataset's decoded chunks are larger than the file's bytes can decode to."""
    nbytes = prod(dataset.chunks) * dataset.dtype.itemsize
    if nbytes > max(SMALL_CHUNK, INFLATE_MOST * identity[2]):
        fact = f"dataset {name!r} has chunks of {nbytes} bytes, the file has {identity[2]}"
        raise failure(FORM, path, fact, "the file is damaged")
