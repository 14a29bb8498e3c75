"""The dtype and chunks that xarray objects over tensors report.

The one idea: an xarray object over a tensor reports NumPy's dtype for the same cells.  Functions that read it (`where`,
`shift`, `pad`, `rolling`, reindexing, `interp`, `to_netcdf`) then work; the cells stay a tensor, pending. xarray treats
an array with `chunks` as one that another library computes by blocks, so tensors report none.
"""

from __future__ import annotations

import builtins
from functools import wraps
from types import ModuleType
from typing import Any

from weft.dtypes import DType
from weft.tensors.tensor import Tensor


def take_dtypes(dtypes: ModuleType) -> None:
    """Let xarray's `maybe_promote`, which finds a dtype for values and missing values, accept weft's dtypes."""
    theirs = getattr(dtypes, "maybe_promote", None)
    if theirs is None:
        return

    @wraps(theirs)
    def maybe_promote(dtype: Any) -> tuple[Any, Any]:
        if not isinstance(dtype, DType):
            return theirs(dtype)  # type: ignore[no-any-return]
        if dtype.extended and dtype.kind == "float":  # xarray would convert them to objects
            return dtype.np, dtype.np.type(float("nan"))
        return theirs(dtype.np)  # type: ignore[no-any-return]

    dtypes.maybe_promote = maybe_promote  # type: ignore[attr-defined]


def say_dtypes(core: ModuleType) -> None:
    """Make xarray's objects over tensors report NumPy's dtype, if NumPy has it, and no chunks."""
    _say_no_chunks(core)
    theirs = getattr(getattr(core, "NamedArray", None), "dtype", None)
    if not isinstance(theirs, property):
        return

    def dtype(self: Any) -> Any:
        found = theirs.__get__(self)
        return found.np if isinstance(found, DType) and not found.extended else found

    core.NamedArray.dtype = property(dtype, doc=theirs.__doc__)


def _say_no_chunks(core: ModuleType) -> None:
    """Make xarray's objects over tensors report that they have no chunks, as over NumPy's arrays."""
    for name, none in (("chunks", lambda: None), ("chunksizes", dict)):
        theirs = getattr(getattr(core, "NamedArray", None), name, None)
        if isinstance(theirs, property):
            setattr(core.NamedArray, name, _unless_tensor(theirs, none))


def _unless_tensor(theirs: property, instead: Any) -> property:
    """Return a property with the value `instead()` for objects over tensors, else the value of `theirs`."""

    def get(self: Any) -> Any:
        return instead() if isinstance(self._data, Tensor) else theirs.__get__(self)

    return property(get, doc=theirs.__doc__)


def say_unchunked(pycompat: ModuleType) -> None:
    """Make xarray's test for chunked arrays return False for tensors.

    Its modules import the test by name, so the function called by it is replaced.
    """

    def has(obj: Any, name: str) -> bool:
        return not (name == "chunks" and isinstance(obj, Tensor)) and builtins.hasattr(obj, name)

    pycompat.hasattr = has  # type: ignore[attr-defined]


def take_masks(variable: ModuleType) -> None:
    """Let xarray's variables accept tensors of bools as masks, which it recognises by the letter of NumPy's dtype."""
    theirs = getattr(getattr(variable, "Variable", None), "_broadcast_indexes", None)
    if theirs is None:
        return

    @wraps(theirs)
    def broadcast_indexes(self: Any, key: Any) -> Any:
        return theirs(self, tuple(map(_mask, key)) if isinstance(key, tuple) else _mask(key))

    def _mask(key: Any) -> Any:
        cells = key._data if isinstance(key, variable.Variable) else key
        if type(cells) is not Tensor or cells.dtype.kind != "bool":
            return key
        return cells.numpy() if cells is key else key.copy(data=cells.numpy())

    variable.Variable._broadcast_indexes = broadcast_indexes  # type: ignore[attr-defined]
