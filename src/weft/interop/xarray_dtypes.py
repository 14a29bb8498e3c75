"""dtypes of xarray's arrays of tensors.

The one idea: an xarray object says its dtype as NumPy's, so that of a tensor is NumPy's for the same cells.  What asks
it (`where`, `shift`, `pad`, `rolling`, reindexing, `interp`, `to_netcdf`) then works; the cells stay a tensor, pending.
"""

from __future__ import annotations

from functools import wraps
from types import ModuleType
from typing import Any

from weft.dtypes import DType


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
    """Let xarray's objects say NumPy's dtype where their tensor has one of weft's that NumPy has itself."""
    theirs = getattr(getattr(core, "NamedArray", None), "dtype", None)
    if not isinstance(theirs, property):
        return

    def dtype(self: Any) -> Any:
        found = theirs.__get__(self)
        return found.np if isinstance(found, DType) and not found.extended else found

    core.NamedArray.dtype = property(dtype, doc=theirs.__doc__)
