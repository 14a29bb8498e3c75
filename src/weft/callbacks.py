"""Upward calls: functions of higher layers that a lower layer calls; each is set once by the higher layer.

The one idea: imports run one way, so every call that goes the other way is declared here, with its type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Node = Any  # classes of layers above
Device = Any
Stream = Any
Event = Any
Tensor = Any


def _not_loaded(*given: Any, **named: Any) -> Any:
    raise AssertionError("internal: weft was imported in part; please report this")


IMPORT: Callable[..., Tensor] = _not_loaded
"""(object, dtype or device or None, **options of asarray): the object as a tensor beside others, of that dtype, or on
that device.  Set by `weft.interop.imports`."""

DEVICE: Callable[[object], Device] = _not_loaded
"""The device that a user names.  Set by `weft.runtime.devices.device`."""

RUN: Callable[[Stream, Callable[..., Any], Sequence[Tensor], Sequence[Tensor]], Event] = _not_loaded
"""Call a function in a stream's turn on the memory of tensors.  Set by `weft.interop.device_moves`."""

MODED: Callable[[Node], Node] | None = None
"""The node in place of a new one, while a math mode is in force somewhere.  Set by `weft.modes.math_modes`."""

WATCH: Callable[[Node], None] = _not_loaded
"""A large value was stored, or its place has another version.  Set by `weft.tensors.pending_limits`."""
