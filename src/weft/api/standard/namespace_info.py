"""The namespace's description of itself, as the array API defines it.

The one idea: answers are data about the namespace; only dtypes of the standard are listed.
"""

from __future__ import annotations

from typing import Any

from weft import dtypes as dt
from weft.api.standard.data_type_functions import KINDS, isdtype
from weft.dtypes import DType
from weft.errors import DTypeError
from weft.runtime.default_dtype import default_of
from weft.runtime.devices import device as place
from weft.runtime.devices.device import Device

STANDARD = tuple(d for d in dt.ALL if d.compute is d)  # narrow dtypes are beyond the standard


class Info:
    """The answers of `__array_namespace_info__()` about the namespace.

    >>> import weft
    >>> weft.__array_namespace_info__().default_device()
    weft.device('cpu')
    """

    def capabilities(self) -> dict[str, Any]:
        """Return the optional features of the array API, each with its value in weft."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device | None:
        """Return the device of new tensors; None where creation must name one."""
        return place.get_default_device()

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        """Return the default dtype of each kind of number; raises ValueRangeError for an unknown device."""
        place.place_for("default_dtypes", device)
        return {
            "real floating": default_of(float),
            "complex floating": default_of(complex),
            "integral": default_of(int),
            "indexing": dt.int64,
        }

    def dtypes(self, *, device: Any = None, kind: str | tuple[str, ...] | None = None) -> dict[str, DType]:
        """Return the standard dtypes by name, of a kind (or several) if given.

        Raises DTypeError for an unknown kind, ValueRangeError for an unknown device.
        """
        place.place_for("dtypes", device)
        kinds = tuple(KINDS) if kind is None else (kind,) if isinstance(kind, str) else kind
        for k in kinds:
            if k not in KINDS:
                raise DTypeError(f"dtypes: kind {k!r}; kinds are {', '.join(KINDS)}; name some of them")
        return {d.name: d for d in STANDARD if isdtype(d, kinds)}

    def devices(self) -> tuple[Device, ...]:
        """Return the devices in use."""
        return tuple(place.devices())


def __array_namespace_info__() -> Info:
    """Return an object whose methods describe the namespace, as the array API defines them.

    >>> import weft
    >>> weft.__array_namespace_info__().devices()[0]
    weft.device('cpu')
    """
    return Info()
