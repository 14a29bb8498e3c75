"""Packed values by the conventions of NetCDF (CF): scaled, with an offset, and with a number for "missing".

The one idea: the attributes become an expression over the stored cells, with xarray's dtypes: physical = stored ×
scale_factor + add_offset, NaN where stored is _FillValue or missing_value.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.standard.elementwise_functions import add, astype, equal, logical_or, multiply, where
from weft.dtypes import DType
from weft.interop.imports import asarray
from weft.tensors.tensor import Tensor


def unpacked(stored: Tensor, attributes: Mapping[str, Any]) -> Tensor:
    """Return the physical values of stored cells; the cells themselves if no attribute changes them.

    Attributes are those of the CF conventions: scale_factor, add_offset, _FillValue, missing_value, _Unsigned.

    >>> import weft
    >>> packed = weft.asarray([0, 10, -1], dtype=weft.int16)
    >>> unpacked(packed, {"scale_factor": np.float32(0.5), "_FillValue": np.int16(-1)}).tolist()
    [0.0, 5.0, nan]
    """
    stored, fills = _signed(stored, attributes, [v for v in map(_number, _fills(attributes)) if v is not None])
    scale, offset = (_number(attributes.get(key)) for key in ("scale_factor", "add_offset"))
    packed = scale is not None or offset is not None
    fills = [v for v in fills if v == v]
    if not packed and not fills:
        return stored
    target = _float_of(stored.dtype, scale, offset) if packed else _promoted(stored.dtype)
    values = astype(stored, target)
    if fills:
        masks = [equal(stored, asarray(v) if isinstance(v, np.floating) else int(v)) for v in fills]
        values = where(reduce(logical_or, masks), float("nan"), values)
    if scale is not None:
        values = multiply(values, float(scale))
    return values if offset is None else add(values, float(offset))


def _fills(attributes: Mapping[str, Any]) -> list[Any]:
    """Return the values of the attributes "_FillValue" and "missing_value", which mark missing cells, as a list."""
    found = [attributes[key] for key in ("_FillValue", "missing_value") if key in attributes]
    return [part for value in found for part in (list(value) if isinstance(value, np.ndarray) else [value])]


def _number(value: Any) -> Any:
    """Return an attribute as a NumPy number; None for text, and for several numbers."""
    if isinstance(value, np.ndarray):
        value = value.reshape(-1)[0] if value.size == 1 else None
    return value if isinstance(value, (np.integer, np.floating)) else None


def _signed(stored: Tensor, attributes: Mapping[str, Any], fills: list[Any]) -> tuple[Tensor, list[Any]]:
    """Return cells and fill values reinterpreted as unsigned or signed, as the attribute `_Unsigned` says.

    Without it, or for cells that are no integers, they are returned unchanged.
    """
    meant = str(attributes.get("_Unsigned", "")).lower()
    kind = stored.dtype.kind
    wanted = {("int", "true"): "uint", ("uint", "false"): "int"}.get((kind, meant))
    if wanted is None:
        return stored, fills
    target: DType = getattr(dt, f"{wanted}{8 * stored.dtype.itemsize}")
    whole = [np.asarray(v).astype(stored.dtype.np).view(target.np)[()] for v in fills if float(v).is_integer()]
    return astype(stored, target), whole


def _float_of(stored: DType, scale: Any, offset: Any) -> DType:
    """Return the dtype of unpacked values, which follows from the dtypes of `scale` and `offset`.

    It is float64 if the smaller float cannot hold the cells exactly.
    """
    kinds = [dt.float32 if isinstance(v, np.float32) else dt.float64 for v in (scale, offset) if v is not None]
    if len(kinds) == 1:
        return kinds[0] if scale is not None else dt.float64
    wide = stored.is_integer and stored.itemsize == 4
    return dt.float32 if kinds == [dt.float32, dt.float32] and not wide else dt.float64


def _promoted(stored: DType) -> DType:
    """Return the smallest floating dtype that holds NaN beside the cells."""
    if stored.kind == "float":
        return stored
    return dt.float32 if stored.itemsize <= 2 else dt.float64
