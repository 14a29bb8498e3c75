"""Where functions are not defined: for every op concerned, a condition on its operands, itself an expression.

The one idea: a checked value is a node over the value and one bool, whether any cell of it is bad.  The bool is a
reduction like any other, so it fuses with what it reads; the cell to blame is looked for only when there is one.  The
edge of a domain belongs to it (log(0) is -inf), and NaN is bad only where no number stands for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType
from weft.ir.graph.node import Node, astype, elementwise, make, result, scalar
from weft.ir.graph.ops import OPS

Condition = Callable[..., Node | None]  # the operands -> which cells are bad; None: none can be


@dataclass(frozen=True, slots=True)
class Check:
    """What is right, in words, and what is bad, as a condition on the operands."""

    says: str
    bad: Condition
    zero: bool = False  # a zero divisor: no complex number stands for what it gives either


def _(name: str, *inputs: Node) -> Node:
    return elementwise(OPS[name], *inputs)


def _number(value: float, like: Node) -> Node:
    return scalar(value, like.desc.dtype)


def _real(says: str, bad: Callable[[Node], Node]) -> Check:
    """A condition on real operands; complex ones are all right everywhere."""
    return Check(says, lambda x: None if x.desc.dtype.kind == "complex" else bad(x))


def _beyond_one(x: Node) -> Node:
    return _("greater", _("abs", x), _number(1, x))


def _told(x: Node) -> Any:
    """The number that a scalar is, as its dtype holds it; None of what is not known yet."""
    if x.op.name != "scalar":
        return None
    with np.errstate(over="ignore"):
        return dt.widened(dt.narrowed(np.asarray(x.attrs[0]), x.desc.dtype)).item()


def _zero_divisor(*operands: Node) -> Node | None:
    divisor = operands[-1]
    if _told(divisor):
        return None
    return _("equal", divisor, _number(0, divisor))


def _root_of_negative(x: Node, y: Node) -> Node | None:
    """x < 0 to a power that is no integer."""
    if x.desc.dtype.kind != "float":
        return None
    negative, power = _("less", x, _number(0, x)), _told(y)
    if power is not None:  # an infinite or missing exponent is no fraction
        return negative if isfinite(power) and power % 1 else None
    return _("logical_and", negative, _("logical_and", _("isfinite", y), _("not_equal", y, _("floor", y))))


def _zero_to_negative(x: Node, y: Node) -> Node | None:
    """0 to a negative power."""
    told = _told(y)
    if y.desc.dtype.kind == "uint" or (told is not None and not told.real < 0):
        return None
    power = _("real", y) if y.desc.dtype.kind == "complex" else y
    return _("logical_and", _("equal", x, _number(0, x)), _("less", power, _number(0, power)))


def _unheld(x: Node, dtype: DType) -> Node | None:
    """The cells that a dtype has no number for: beyond its range, and what is finite and would become infinite."""
    source = x.desc.dtype
    if dtype.kind == "bool" or source.kind == "bool":
        return None
    if not dtype.is_integer:
        most = dt.integer_limits(source).max if source.is_integer else dt.float_limits(source.real).max
        if most <= dt.float_limits(dtype.real).max and dtype.is_signed:
            return None
        made = astype(astype(x, dtype), dtype.compute)
        return _("logical_and", _("isfinite", astype(x, source.compute)), _("logical_not", _("isfinite", made)))
    limits = dt.integer_limits(dtype)
    if source.is_integer:
        return _outside(x, limits.min, limits.max, dt.integer_limits(source))
    wide = astype(x, dt.float64)
    if dtype is dt.int64:  # no float64 lies between the least integer and one less
        above = _("greater_equal", wide, _number(float(limits.min), wide))
    else:
        above = _("greater", wide, _number(float(limits.min) - 1, wide))
    return _("logical_not", _("logical_and", above, _("less", wide, _number(float(limits.max) + 1, wide))))


def _outside(x: Node, low: int, high: int, has: dt.iinfo_object) -> Node | None:
    """The integers under `low` or over `high`, of a dtype that has some of these."""
    under = _("less", x, _number(low, x)) if has.min < low else None
    over = _("greater", x, _number(high, x)) if has.max > high else None
    return over if under is None else under if over is None else _("logical_or", under, over)


CHECKS: dict[str, tuple[Check, ...]] = {
    "sqrt": (_real("x >= 0", lambda x: _("less", x, _number(0, x))),),
    "log": (_real("x >= 0", lambda x: _("less", x, _number(0, x))),),
    "log2": (_real("x >= 0", lambda x: _("less", x, _number(0, x))),),
    "log10": (_real("x >= 0", lambda x: _("less", x, _number(0, x))),),
    "log1p": (_real("x >= -1", lambda x: _("less", x, _number(-1, x))),),
    "asin": (_real("-1 <= x <= 1", _beyond_one),),
    "acos": (_real("-1 <= x <= 1", _beyond_one),),
    "atanh": (_real("-1 <= x <= 1", _beyond_one),),
    "acosh": (_real("x >= 1", lambda x: _("less", x, _number(1, x))),),
    "pow": (
        Check("x1 >= 0 where x2 is no integer", _root_of_negative),
        Check("x1 != 0 where x2 < 0", _zero_to_negative, zero=True),
    ),
    "reciprocal": (Check("x != 0", _zero_divisor, zero=True),),
    **{
        name: (Check("x2 != 0", _zero_divisor, zero=True),)
        for name in ("divide", "floor_divide", "remainder", "trunc_divide", "fmod")
    },
    "astype": (Check("what {dtype} holds", _unheld),),
}


def condition(check: Check, value: Node) -> Node | None:
    """Where a value is bad by one check; None where no cell can be."""
    more = value.attrs if value.op.name == "astype" else ()
    return check.bad(*value.inputs, *more) if value.desc.size else None


def any_of(bad: Node) -> Node:
    """Whether a condition holds anywhere."""
    return make(OPS["any"], (bad,), (tuple(range(bad.desc.ndim)), False), result(dt.bool, ()))


def checked(value: Node, mode: str) -> Node:
    """The value with its checks; the value itself where nothing can be bad."""
    for number, check in enumerate(CHECKS.get(value.op.name, ())):
        bad = condition(check, plain(value))
        if bad is not None:
            value = make(OPS["checked"], (value, any_of(bad)), (mode, number), value.desc)
    return value


def plain(n: Node) -> Node:
    """The value below its checks."""
    while n.op.name == "checked":
        n = n.inputs[0]
    return n


def leaves_reals(value: Node) -> Node | None:
    """Where the real function is undefined and the complex one is not; None where nowhere."""
    found = [c for k in CHECKS.get(value.op.name, ()) if not k.zero and (c := condition(k, value)) is not None]
    return found[0] if found and value.op.name != "astype" else None
