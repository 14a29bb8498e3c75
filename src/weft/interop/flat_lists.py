"""Flat lists of numbers of one type, or of cells of one dtype, as arrays.

The one idea: NumPy reads them without a look at each item; any other list is a nest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.runtime.default_dtype import get_default_dtype
from weft.tensors.tensor import Tensor, known_number

_TYPED = {float: "d", int: "q"}  # array codes of types that NumPy reads faster without inspecting each item
_EXACT = 1 << 61  # greatest bound and step of ranges computed in int64
Items = Sequence[Any]


def flat(items: list[Any]) -> np.ndarray | None:
    """Return a list of only floats, only ints or only cells of one dtype as an array. None for any other list."""
    types = types_of(items)
    return of_one_type(items, types.pop()) if len(types) == 1 else None


def _of_cells(items: Items) -> np.ndarray | None:
    """Return cells that were read from memory as an array; None for other tensors and if dtypes differ."""
    found = [known_number(i) for i in items]
    if None in found:
        return None
    values, dtypes = zip(*found, strict=True)  # type: ignore[arg-type]
    plain = dtypes.count(dtypes[0]) == len(dtypes) and dtypes[0].np.isbuiltin == 1
    return np.array(values, dtypes[0].np) if plain else None


def of_one_type(items: Items, kind: type) -> np.ndarray | None:
    """Return floats or ints (the type `kind`) as a float64 or int64 array, or cells as one of their dtype.

    None for other types, larger integers, and tensors that are not cells read from memory.
    """
    if kind is Tensor:
        return _of_cells(items)
    code = _TYPED.get(kind)
    if code is None or get_default_dtype() is not dt.float64:
        return None
    if type(items) is range and max(map(abs, (items[0], items[-1], items.step))) <= _EXACT:
        return np.arange(items[0], items[-1] + items.step, items.step, np.int64)
    try:
        return np.fromiter(items, code, len(items))
    except OverflowError:
        return None  # an integer exceeds int64


def types_of(items: Items) -> set[type]:
    """Return the set of types of items."""
    if type(items) is range:
        return {int} if items else set()
    found = list(map(type, items))
    return {found[0]} if found and found.count(found[0]) == len(found) else set(found)
