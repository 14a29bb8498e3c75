"""Undefined cells of functions: for every op with a restricted range, a condition on its operands as an expression.

The one idea: a checked value is a node over the value and one bool, true if any cell of it is undefined.  The bool is a
reduction like any other, so it fuses with its operands; the failing cell is searched for only if there is one.  The
edge of a domain belongs to it (log(0) is -inf), and NaN is bad only where no number is the result.
"""

from __future__ import annotations

from weft import dtypes as dt
from weft.dtypes import DType
from weft.ir.graph import formulas
from weft.ir.graph.node import Node, apply, astype, make, result, scalar, scalar_like
from weft.ir.graph.ops import OPS, PARTIAL, ROWS, Undefined


def _unheld(x: Node, dtype: DType) -> Node | None:
    """Return a mask of the cells that conversion to a dtype cannot represent; None if there can be none.

    Such cells are beyond its range, or finite and rounded to infinity.
    """
    source = x.desc.dtype
    if dtype.kind == "bool" or source.kind == "bool":
        return None
    if not dtype.is_integer:
        most = dt.integer_limits(source).max if source.is_integer else dt.float_limits(source.real).max
        if most <= dt.float_limits(dtype.real).max and dtype.is_signed:
            return None
        made = astype(astype(x, dtype), dtype.compute)
        was_finite = apply("isfinite", astype(x, source.compute))
        return apply("logical_and", was_finite, apply("logical_not", apply("isfinite", made)))
    limits = dt.integer_limits(dtype)
    if source.is_integer:
        return _outside(x, limits.min, limits.max, dt.integer_limits(source))
    wide = astype(x, dt.float64)
    if dtype is dt.int64:  # no float64 lies between the least integer and one less
        above = apply("greater_equal", wide, scalar_like(float(limits.min), wide))
    else:
        above = apply("greater", wide, scalar_like(float(limits.min) - 1, wide))
    below = apply("less", wide, scalar_like(float(limits.max) + 1, wide))
    return apply("logical_not", apply("logical_and", above, below))


def _outside(x: Node, low: int, high: int, limits: dt.iinfo_object) -> Node | None:
    """Return a mask of integers below `low` or above `high`; None if their dtype, with these limits, has none."""
    under = apply("less", x, scalar_like(low, x)) if limits.min < low else None
    over = apply("greater", x, scalar_like(high, x)) if limits.max > high else None
    return over if under is None else under if over is None else apply("logical_or", under, over)


CHECKS: dict[str, tuple[Undefined, ...]] = {
    **{op.name: op.undefined for op in ROWS if op.name in PARTIAL},
    "astype": (Undefined("what {dtype} holds", "", ()),),
}


POSITION = Undefined("-x2 <= x1 < x2", "(x1 < -x2) | (x1 >= x2)", ("int",))  # of positions x1 along an axis of size x2


def numbers_of(name: str) -> range:
    """Return the range of numbers that the checks of op `name` have; -1 is the check of positions."""
    return range(-1 if name == "remainder" else 0, len(CHECKS.get(name, ())))


def check_of(value: Node, number: int) -> Undefined:
    """Return check number `number` of a value; -1 is the check of positions along an axis."""
    return POSITION if number < 0 else CHECKS[value.op.name][number]


def positions_within(positions: Node, axis_size: int) -> Node:
    """Return int64 positions along an axis of `axis_size` cells, counted from 0, with a bounds check at computation.

    Negative positions count from the end.
    """
    value = apply("remainder", positions, scalar(axis_size, dt.int64))
    bad = condition(POSITION, value)
    return value if bad is None else make(OPS["checked"], (value, any_true(bad)), ("error", -1), value.desc)


def condition(check: Undefined, value: Node) -> Node | None:
    """Return a mask of the cells at which a check fails; None if no cell can fail."""
    if not value.desc.size:
        return None
    if value.op.name == "astype":
        return _unheld(value.inputs[0], *value.attrs)
    return formulas.condition(check.bad, value) if value.inputs[0].desc.dtype.kind in check.kinds else None


def any_true(mask: Node) -> Node:
    """Return a 0-d bool node that is True if a mask is true anywhere."""
    return make(OPS["any"], (mask,), (tuple(range(mask.desc.ndim)), False), result(dt.bool, ()))


def checked(value: Node, mode: str) -> Node:
    """Return the value wrapped in its checks, for math mode `mode`; the value itself if no cell can fail."""
    for number, check in enumerate(CHECKS.get(value.op.name, ())):
        bad = condition(check, without_checks(value))
        if bad is not None:
            value = make(OPS["checked"], (value, any_true(bad)), (mode, number), value.desc)
    return value


def without_checks(n: Node) -> Node:
    """Return the value below a node's checks; the node itself if it has none."""
    while n.op.name == "checked":
        n = n.inputs[0]
    return n


def leaves_reals(value: Node) -> Node | None:
    """Return a mask of the cells where real operands have only a complex result.

    None if there are none.
    """
    found = [c for k in CHECKS.get(value.op.name, ()) if not k.zero and (c := condition(k, value)) is not None]
    return found[0] if found and value.op.name != "astype" else None
