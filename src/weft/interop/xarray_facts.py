"""dtype and chunks of xarray's arrays of tensors.

The one idea: an xarray object says its dtype as NumPy's, so that of a tensor is NumPy's for the same cells.  What asks
it (`where`, `shift`, `pad`, `rolling`, reindexing, `interp`, `to_netcdf`) then works; the cells stay a tensor, pending.
To xarray, an array with `chunks` is one that another library computes by blocks, which a tensor is not.
"""

from __future__ import annotations

import builtins
from functools import wraps
from types import ModuleType
from typing import Any

from weft.dtypes import DType
from weft.tensors.tensor import Tensor


def take_dtypes(dtypes: ModuleType) -> None:
    """Let xarray's function for the dtype that values and missing ones share take weft's dtypes."""
    theirs = getattr(dtypes, "maybe_promote", None)
    if theirs is None:
        return

    @wraps(theirs)
    def maybe_promote(dtype: Any) -> tuple[Any, Any]:
        if not isinstance(dtype, DType):
            return theirs(dtype)  # type: ignore[no-any-return]
        if dtype.extended and dtype.kind == "float":  # xarray would make objects of them
            return dtype.np, dtype.np.type(float("nan"))
        return theirs(dtype.np)  # type: ignore[no-any-return]

    dtypes.maybe_promote = maybe_promote  # type: ignore[attr-defined]


def say_dtypes(core: ModuleType) -> None:
    """Let xarray's objects say NumPy's dtype where their tensor has one of weft's that NumPy has itself.

    Their chunks are None over tensors.
    """
    _say_no_chunks(core)
    theirs = getattr(getattr(core, "NamedArray", None), "dtype", None)
    if not isinstance(theirs, property):
        return

    def dtype(self: Any) -> Any:
        found = theirs.__get__(self)
        return found.np if isinstance(found, DType) and not found.extended else found

    core.NamedArray.dtype = property(dtype, doc=theirs.__doc__)


def _say_no_chunks(core: ModuleType) -> None:
    """Let xarray's objects over tensors say that they have no chunks, as over NumPy's arrays."""
    for name, none in (("chunks", lambda: None), ("chunksizes", dict)):
        theirs = getattr(getattr(core, "NamedArray", None), name, None)
        if isinstance(theirs, property):
            setattr(core.NamedArray, name, _unless_tensor(theirs, none))


def _unless_tensor(theirs: property, instead: Any) -> property:
    """Return a property that gives `instead()` for objects over tensors."""

    def get(self: Any) -> Any:
        return instead() if isinstance(self._data, Tensor) else theirs.__get__(self)

    return property(get, doc=theirs.__doc__)


def say_unchunked(pycompat: ModuleType) -> None:
    """Have xarray's question whether an array has chunks answered with no for tensors.

    Its modules import the function that asks by name, so what this function calls is replaced.
    """

    def has(obj: Any, name: str) -> bool:
        return not (name == "chunks" and isinstance(obj, Tensor)) and builtins.hasattr(obj, name)

    pycompat.hasattr = has  # type: ignore[attr-defined]


def take_masks(variable: ModuleType) -> None:
    """Let xarray's variables take tensors of bools as masks, which it knows by the letter of NumPy's dtype."""
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
