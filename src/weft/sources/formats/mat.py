"""MATLAB's files (.mat): versions 4 to 7 through SciPy when they are opened, version 7.3 as HDF5.

The one idea: an array has MATLAB's name, dtype and order of axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any
from warnings import catch_warnings

import numpy as np

from weft.api.standard.elementwise_functions import not_equal
from weft.api.standard.manipulation_functions import permute_dims
from weft.errors import OutOfMemory
from weft.interop.imports import asarray
from weft.runtime.memory.limits import available_memory
from weft.sources.formats.cell_run import NoSuchArray, checked_shape, failure, library_errors, needed, opened
from weft.sources.formats.hdf5 import hdf5_attributes, hdf5_names, open_hdf5
from weft.sources.read.loading import open_source
from weft.tensors.tensor import Tensor

FORM = "mat"
HDF5 = b"\x89HDF\r\n\x1a\n"
USER_BLOCK = 512  # bytes before HDF5 begins
SIZES = {
    "double": 8, "single": 4, "logical": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4,
    "int64": 8, "uint64": 8,
}  # fmt: skip  # MATLAB's classes of numbers, and bytes of a real cell
REFUSED = {
    "char": "text, which is no number",
    "cell": "a cell array; save its numbers as arrays of their own",
    "struct": "a struct; save its fields as arrays of their own",
    "sparse": "sparse; save full(x)",
}


def open_mat(path: str, name: str) -> Tensor:
    """Return one array of the file, with its axes in MATLAB's order.

    Raises NoSuchArray for an unknown name, FileFormatError for damaged files and for variables without numbers,
    OutOfMemory if an array that is read as a whole exceeds free memory.
    """
    if _is_hdf5(path):
        return _open_hdf5(path, name)
    found = {each: (shape, kind) for each, shape, kind in _listed(path)}
    if name not in found:
        raise NoSuchArray(name)
    shape, kind = found[name]
    if kind not in SIZES:
        raise failure(FORM, path, f"{name!r:.60} is {REFUSED.get(kind, kind)}", "weft reads arrays of numbers")
    nbytes = 2 * SIZES[kind] * prod(checked_shape(FORM, path, tuple(map(int, shape)), 2 * SIZES[kind]))
    free = available_memory()
    if free is not None and nbytes > free:
        fact = f"{name!r:.60} may take {nbytes} bytes, {free} bytes of memory are free"
        raise OutOfMemory(f"{FORM}: {path}: {fact}; save it with -v7.3, which is read in parts")
    with _scipy(path) as io:
        array = np.asarray(io.loadmat(path, variable_names=[name], appendmat=False)[name])
    if array.dtype.kind not in "biufc" or array.shape != tuple(shape):
        raise failure(FORM, path, f"{name!r:.60} is not the {kind} that its header says", "the file is damaged")
    return asarray(array.astype(_dtype(kind, array.dtype.kind == "c"), copy=False))


def _dtype(kind: str, is_complex: bool) -> np.dtype[Any]:
    """Return the NumPy dtype of a MATLAB class, such as "single"; the file may store cells in fewer bytes."""
    if is_complex:
        return np.dtype(np.complex64 if kind == "single" else np.complex128)
    return np.dtype({"double": "f8", "single": "f4", "logical": "?"}.get(kind, kind))


def mat_names(path: str) -> list[str]:
    """Return the names of the arrays that hold numbers; raises FileFormatError for a damaged file."""
    if not _is_hdf5(path):
        return [name for name, _, kind in _listed(path) if kind in SIZES]
    names = [name for name in hdf5_names(path) if not name.startswith("#")]
    return [name for name in names if _class_of(path, name) in SIZES]


def _is_hdf5(path: str) -> bool:
    with opened(path, FORM) as (fd, _):
        return HDF5 in (fd.some(len(HDF5), USER_BLOCK), fd.some(len(HDF5), 0))


def _class_of(path: str, name: str) -> str:
    """Return MATLAB's class of an array in a file of version 7.3; raises FileFormatError for a damaged file."""
    found = hdf5_attributes(path, name)
    return "empty" if found.get("MATLAB_empty") else str(found.get("MATLAB_class", "double"))


def _open_hdf5(path: str, name: str) -> Tensor:
    kind = _class_of(path, name)
    if kind not in SIZES:
        raise failure(FORM, path, f"{name!r:.60} is {REFUSED.get(kind, kind)}", "weft reads arrays of numbers")
    stored = open_source(open_hdf5(path, name))
    turned = permute_dims(stored, tuple(range(stored.ndim))[::-1])
    return not_equal(turned, 0) if kind == "logical" else turned


def _listed(path: str) -> list[tuple[str, tuple[int, ...], str]]:
    """Return (name, shape, class) of every variable; raises FileFormatError if SciPy cannot read the file."""
    with _scipy(path) as io:
        return list(io.whosmat(path, appendmat=False))


@contextmanager
def _scipy(path: str) -> Iterator[Any]:
    """Yield scipy.io; errors inside the block become FileFormatError with the file's name.

    Raises FileFormatError if SciPy is not installed.
    """
    io = needed("scipy.io", "mat", FORM, path, "reads this format", "SciPy")
    errors = library_errors(FORM, path, "SciPy", "it is truncated, damaged or no .mat")
    with opened(path, FORM), catch_warnings(action="ignore"), errors:
        yield io
