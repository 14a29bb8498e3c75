"""Conversions with a mode for values that a dtype cannot represent.

The one idea: every mode is an expression over the standard conversion, which truncates and saturates floats and wraps
integers: "saturate" limits the input, "wrap" takes it modulo the range, "warn" and "error" attach a check to the
result, and "exact" compares input and result at once.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import one_of
from weft.dtypes import DType
from weft.errors import ConversionError, DTypeError
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node
from weft.ir.graph.undefined import CHECKS, condition
from weft.modes.math_modes import math_mode
from weft.tensors import tensor


def _asked(x: Node, dtype: DType) -> Node:
    """Return a node converted to a dtype in native byte order, as an explicit conversion by the user."""
    made = ir.apply("positive", x) if x.desc.big and dtype is x.desc.dtype else ir.astype(x, dtype)
    return x if made is x else tensor.node_of(tensor.wrap(made))


def _checked(mode: str) -> Callable[[Node, DType], Node]:
    """Return a conversion function (node, dtype) whose result checks values as the math mode "warn" or "error" does."""

    def convert(x: Node, dtype: DType) -> Node:
        made = ir.astype(x, dtype)
        with math_mode(mode):
            return tensor.moded(made)

    return convert


def _saturated(x: Node, dtype: DType) -> Node:
    """Return a node converted to a dtype, with values beyond its limits replaced by the limit.

    NaN gives 0 as an integer.
    """
    source = x.desc.dtype.compute
    if source.is_inexact and dtype.is_inexact:  # a dtype that represents both limits
        source = dt.promote(source, dtype.real.compute)
    x = _asked(x, source)
    if source.is_integer and dtype.is_inexact:
        return _integers_saturated(x, dtype)
    if dtype.kind != "bool" and source.kind != "bool":
        if source.min < dtype.min:
            x = ir.apply("maximum", x, ir.scalar_like(dtype.min, x))
        if dtype.max < source.max or source.is_inexact:
            x = ir.apply("minimum", x, ir.scalar_like(min(dtype.max, source.max), x))
            x = ir.apply("maximum", x, ir.scalar_like(max(dtype.min, source.min), x))
    return ir.astype(x, dtype)


def _integers_saturated(x: Node, dtype: DType) -> Node:
    """Return integers converted to floats, with values beyond the float's limits replaced by the limit."""
    made, source = _asked(x, dtype), x.desc.dtype
    if dtype.max < source.max:
        below = ir.apply("less_equal", x, ir.scalar_like(floor(dtype.max), x))
        made = ir.where(below, made, ir.scalar_like(dtype.max, made))
    if source.min < dtype.min:
        above = ir.apply("greater_equal", x, ir.scalar_like(ceil(dtype.min), x))
        made = ir.where(above, made, ir.scalar_like(dtype.min, made))
    return made


def _wrapped(x: Node, dtype: DType) -> Node:
    """Return floats converted to integers modulo the integer's range, NaN and infinities to 0; cast other dtypes."""
    if not dtype.is_integer or x.desc.dtype.kind != "float":
        return ir.astype(x, dtype)
    x = _asked(x, dt.float64)
    whole = ir.where(ir.apply("isfinite", x), ir.apply("abs", ir.apply("trunc", x)), ir.scalar_like(0.0, x))
    rest = ir.astype(ir.apply("remainder", whole, ir.scalar_like(2.0**64, x)), dt.uint64)
    is_negative = ir.apply("less", x, ir.scalar_like(0.0, x))
    signed = ir.where(is_negative, ir.apply("subtract", ir.scalar_like(0, rest), rest), rest)
    return ir.astype(signed, dtype)


def _exact(x: Node, dtype: DType) -> Node:
    """Return a node converted to a dtype; its cells are computed, and ConversionError is raised if one changes."""
    made = ir.astype(x, dtype)
    back = ir.astype(made, x.desc.dtype)
    wide = x.desc.dtype.compute
    before = ir.astype(x, wide)
    changed = ir.apply("not_equal", before, ir.astype(back, wide))
    if dtype.is_inexact:  # otherwise NaN, too, would be lost
        changed = ir.apply("logical_and", changed, ir.apply("equal", before, before))
    for n in (made, back):  # values out of range may convert back to the original
        unheld = condition(CHECKS["astype"][0], n)
        changed = changed if unheld is None else ir.apply("logical_or", changed, unheld)
    bad = tensor.values_of(changed)
    if bad.any():
        at = tuple([int(i) for i in np.argwhere(bad)[0]])
        number = tensor.python_number(np.asarray(tensor.values_of(before)[at]))
        where = tuple([i + o for i, o in zip(at, x.desc.domain.origin, strict=True)])
        raise ConversionError(
            f"astype: {number!r} at {where} as {dtype.name}; mode 'exact' allows no value to change; use another mode, "
            "or a dtype that holds it"
        )
    return made


MODES: dict[str, Callable[[Node, DType], Node]] = {
    "standard": ir.astype,
    "warn": _checked("warn"),
    "error": _checked("error"),
    "saturate": _saturated,
    "wrap": _wrapped,
    "exact": _exact,
}


def converted(x: Node, dtype: DType, mode: str) -> Node:
    """Return a node converted to a dtype by a mode of `MODES`; the node itself if nothing would change.

    Raises ValueRangeError for an unknown mode, DTypeError for "saturate" and "wrap" of complex numbers, ConversionError
    for mode "exact" if a cell would change.

    >>> import weft
    >>> x = weft.asarray([300, -1])
    >>> [x.astype(weft.uint8, mode=m).tolist() for m in ("standard", "saturate", "wrap")]
    [[44, 255], [255, 0], [44, 255]]
    """
    one_of("astype", "mode", mode, MODES, f"modes are {', '.join(MODES)}")
    if x.desc.dtype.kind == "complex" and mode in ("saturate", "wrap"):
        raise DTypeError(f"astype: mode {mode!r} of {x.desc.dtype.name}; complex parts lie in no range; take real(x)")
    if dtype is x.desc.dtype and mode != "saturate":
        return x
    return MODES[mode](x, dtype)
