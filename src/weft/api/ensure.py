"""Conversion of any object to a tensor of a dtype on a device: `ensure` copies if needed, `cast` always.

The one idea: the caller chooses whether a copy may be omitted; the result always has both the dtype and the device.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.storages.copying import move_to, shallow
from weft.api.storages.storage import Storage
from weft.errors import DTypeError
from weft.interop.imports import asarray
from weft.runtime.devices.device import device as named_device
from weft.tensors.tensor import Tensor

NUMBERS = (bool, int, float, complex, np.generic)


def ensure(obj: Any, dtype: Any = None, device: Any = None, *, inplace: bool = False) -> Any:
    """Return an object in a dtype and on a device: cells that have both are shared, others are copied.

    Python and NumPy numbers stay numbers unless a device is given. With inplace=True the tensor (or storage) itself is
    converted and returned. Raises DTypeError for inplace=True on anything but a tensor or a storage, for an unknown
    dtype and an object without numbers; ValueRangeError for an unknown device.

    >>> import weft
    >>> x = weft.asarray([1, 2])
    >>> y = weft.ensure(x, weft.int64)
    >>> y is x, y.storage is x.storage, weft.ensure(x, weft.float32).dtype, weft.ensure(5)
    (False, True, weft.float32, 5)
    """
    if isinstance(obj, Storage):
        return _ensured_storage(obj, dtype, device, inplace)
    if isinstance(obj, NUMBERS) and device is None:
        if inplace:
            raise DTypeError(f"ensure: inplace on the number {obj!r}; a number cannot change; take what is given back")
        return obj if dtype is None else python_value(obj, dtype)
    if type(obj) is not Tensor:
        if inplace:
            raise DTypeError(
                f"ensure: inplace on an object of class {type(obj).__name__}; tensors and storages change in place; "
                "take what is given back"
            )
        return asarray(obj, dtype=dtype, device=device)
    made = asarray(obj, dtype=dtype) if device is None else asarray(obj, dtype=dtype, device=device)
    if inplace:
        if made is not obj:
            move_to(obj, made)
        return obj
    return shallow(obj) if made is obj else made


def _ensured_storage(s: Storage, dtype: Any, device: Any, inplace: bool) -> Storage:
    """Return a storage with elements of a dtype, on a device; with `inplace`, `s` itself after converting it.

    Raises DTypeError for an unknown dtype, ValueRangeError for an unknown device.
    """
    home = s.device if device is None else named_device(device)
    found = s.dtype if dtype is None else dt.spelled(dtype)[0]
    if found is s.dtype and home is s.device:
        return s
    made = s.clone(home) if found is s.dtype or found is None else s.converted(found, home)
    if not inplace:
        return made
    s.become(made)
    return s


def python_value(number: Any, dtype: Any) -> Any:
    """Return a number as a Python number, rounded to a dtype; raises DTypeError for an unknown dtype."""
    return asarray(number).astype(dtype).item()  # type: ignore[attr-defined]


def cast(obj: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Return a new tensor with a copy of an object's values, of a dtype and on a device if given.

    Raises DTypeError for an unknown dtype or an object without numbers, ValueRangeError for an unknown device.

    >>> import weft
    >>> x = weft.asarray([1, 2])
    >>> y = weft.cast(x, weft.int64)
    >>> y.storage == x.storage, y.tolist()
    (False, [1, 2])
    """
    if device is None:
        return asarray(obj, dtype=dtype, copy=True)
    return asarray(obj, dtype=dtype, device=device, copy=True)
