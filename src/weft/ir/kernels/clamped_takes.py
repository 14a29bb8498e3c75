"""Takes clamped to the bounds of their arguments.

The one idea: a take reads at a computed offset, so before a plan from an untrusted file runs, each such offset is
clamped to the bytes of its argument.  Valid positions are not changed by that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weft import dtypes as dt
from weft.ir.kernels.plan import BinLaunch, Body, CallStep, Instr, MapLaunch, Plan, Row, Step
from weft.ir.kernels.plan_spec import Range, argument_bounds
from weft.ir.pieces.lattice import box, extent


def clamped(plan: Plan, leaves: Sequence[Range]) -> Plan:
    """Return a faultless plan with the offsets of its takes clamped; `leaves` are the byte ranges of its inputs."""
    bounds = argument_bounds(plan, leaves)
    bodies: dict[Body, Body] = {}
    steps = tuple([_step(s, bounds, bodies) for s in plan.steps])
    return plan if all(map(lambda a, b: a is b, steps, plan.steps)) else replace(plan, steps=steps)


def _step(s: Step, bounds: Sequence[Range], bodies: dict[Body, Body]) -> Step:
    if isinstance(s, CallStep) or not any(i.op == "gather" for r in s.rows for i in r.body):
        return s
    if isinstance(s, BinLaunch):
        return replace(s, numbers=_rows(s.numbers, bounds, bodies), weights=_rows(s.weights, bounds, bodies))
    rows = _rows(s.rows, bounds, bodies)
    return MapLaunch(rows) if isinstance(s, MapLaunch) else replace(s, rows=rows)


def _rows(rows: Sequence[Row], bounds: Sequence[Range], bodies: dict[Body, Body]) -> tuple[Row, ...]:
    """Return rows with their takes clamped to `bounds`, the byte range of each argument.

    Equal bodies become one object, kept in `bodies`.
    """
    found = [r._replace(body=_body(r, bounds)) for r in rows if 0 not in r.sizes]
    return tuple([r._replace(body=bodies.setdefault(r.body, r.body)) for r in found])


def _body(row: Row, bounds: Sequence[Range]) -> Body:
    made: list[Instr] = []
    number: list[int] = []  # what each instruction has become
    for i in row.body:
        args = tuple([number[a] for a in i.args])
        if i.op == "gather":
            o = row.operands[i.attr]  # type: ignore[call-overload]
            low, high = extent(box(o.offset, o.strides, row.sizes, o.dtype.itemsize))
            first, stop = bounds[o.arg]
            for op, most in (("maximum", first - low), ("minimum", stop - high)):
                made += [Instr("const", dt.int64, (), most), Instr(op, dt.int64, (args[0], len(made)))]
                args = (len(made) - 1,)
        number.append(len(made))
        made.append(i._replace(args=args))
    return tuple(made)
