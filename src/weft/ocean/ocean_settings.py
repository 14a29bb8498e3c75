"""Ocean's settings, by its names.

The one idea: each is a setting of weft's; one without a counterpart accepts only the value that describes weft.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import weft
from weft.errors import ValueRangeError
from weft.ocean.operations import MODES
from weft.runtime.devices.device import Device

_WARNINGS = {0: "ignore", 1: "once", 2: "always"}
_STATE = {"warning": 1}


def getAutoBroadcast() -> bool:
    """True if shapes are broadcast implicitly."""
    return weft.get_strict()["broadcast"] == "allow"


def setAutoBroadcast(flag: bool) -> None:
    """Allow or forbid broadcasting of shapes; numbers are always broadcast."""
    weft.set_strict(broadcast="allow" if flag else "forbid")


def getAutoTypecast() -> bool:
    """True if dtypes and devices are converted implicitly."""
    return all(weft.get_strict()[act] == "allow" for act in ("dtype", "device"))


def setAutoTypecast(flag: bool) -> None:
    """Allow or forbid implicit conversions of dtype and device."""
    verdict = "allow" if flag else "forbid"
    weft.set_strict(dtype=verdict, device=verdict)


def _devices(given: tuple[Any, ...]) -> list[Device]:
    """Return the devices selected by `given`, a tuple of a Device or a type's name; all devices for ().

    Raises ValueRangeError for an unknown type.
    """
    if not given:
        return list(weft.devices())
    if isinstance(given[0], Device):
        return [given[0]]
    found = [d for d in weft.devices() if d.type.lower() == str(given[0]).lower()]
    if not found:
        known = ", ".join(sorted({d.type for d in weft.devices()}))
        raise ValueRangeError(f"devices: type {given[0]!r} is unknown; known are {known}; name one of these")
    return found


def getBufferCount(device: Any = None) -> int:
    """Return the number of temporary buffers that a device (None: the first) keeps for reuse.

    Raises ValueRangeError for an unknown device type.
    """
    return _devices(() if device is None else (device,))[0].buffer_count


def setBufferCount(first: Any, *rest: Any) -> None:
    """Set the number of temporary buffers kept for reuse: setBufferCount([device or type,] count).

    Raises ValueRangeError for an unknown device type, and a count that is negative.
    """
    *which, count = first, *rest
    for d in _devices(tuple(which)):
        d.buffer_count = count


def getMaxBufferSize(device: Any = None) -> int:
    """Return the size limit of temporary buffers that a device (None: the first) keeps, in bytes; 0 for no limit.

    Raises ValueRangeError for an unknown device type.
    """
    return _devices(() if device is None else (device,))[0].max_buffer_size


def setMaxBufferSize(first: Any, *rest: Any) -> None:
    """Set the size limit of kept temporary buffers: setMaxBufferSize([device or type,] bytes).

    Raises ValueRangeError for an unknown device type, and a size that is negative.
    """
    *which, size = first, *rest
    for d in _devices(tuple(which)):
        d.max_buffer_size = size


getDefaultDType, setDefaultDType = weft.get_default_dtype, weft.set_default_dtype
getDefaultDevice, setDefaultDevice = weft.get_default_device, weft.set_default_device
getImportTypes, getExportTypes = weft.import_types, weft.export_types


def getDefaultMathMode() -> str:
    """Return the math mode of functions called without one: "-", "w", "e" or "c"."""
    return next(short for short, mode in MODES.items() if mode == weft.get_math_mode())


def setDefaultMathMode(mode: str) -> None:
    """Set the math mode of functions called without one: "-" standard, "w" warning, "e" error, "c" complex.

    Raises ValueRangeError for other modes.
    """
    if mode not in MODES:
        raise ValueRangeError(f"setDefaultMathMode: {mode!r}; modes are '-', 'w', 'e' and 'c'; give one of these")
    weft.set_math_mode(MODES[mode])


def getScalarCastMode() -> int:
    """Return 1: numbers follow the math mode, as tensors do."""
    return 1


def setScalarCastMode(mode: int) -> None:
    """Accept mode 1, the only one: numbers become complex in math mode "c" alone.

    Raises ValueRangeError for other modes.
    """
    if mode != 1:
        raise ValueRangeError(
            f"setScalarCastMode: {mode}; numbers follow the math mode, as tensors do; use setDefaultMathMode('c')"
        )


def getWarningMode() -> int:
    """Return when warnings are shown: 0 never, 1 once for each line, 2 always."""
    return _STATE["warning"]


def setWarningMode(mode: int) -> None:
    """Set when weft's warnings are shown: 0 never, 1 once for each line, 2 always.

    Raises ValueRangeError for other modes.
    """
    if mode not in _WARNINGS:
        raise ValueRangeError(f"setWarningMode: {mode!r}; modes are 0, 1 and 2; give one of these")
    warnings.filterwarnings(_WARNINGS[mode], category=weft.errors.WeftWarning)  # type: ignore[arg-type]
    _STATE["warning"] = mode


def setDisplayWidth(width: int) -> None:
    """Set the width of a printed line in characters."""
    np.set_printoptions(linewidth=width)


def setDebugMode(flag: int) -> None:
    """Switch checks of graphs and plans on (nonzero) or off (0)."""
    weft.set_checking(bool(flag))


__all__ = [
    "getAutoBroadcast", "getAutoTypecast", "getBufferCount", "getDefaultDType", "getDefaultDevice",
    "getDefaultMathMode", "getExportTypes", "getImportTypes", "getMaxBufferSize", "getScalarCastMode",
    "getWarningMode", "setAutoBroadcast", "setAutoTypecast", "setBufferCount", "setDebugMode", "setDefaultDType",
    "setDefaultDevice", "setDefaultMathMode", "setDisplayWidth", "setMaxBufferSize", "setScalarCastMode",
    "setWarningMode",
]  # fmt: skip
