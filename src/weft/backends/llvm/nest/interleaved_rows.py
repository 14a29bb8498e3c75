"""Rows that write cells in turns, made one row.

The one idea: rows whose cells lie side by side in the result share every cache line of it.  One kernel computes a cell
of each, and its step "interleave" joins their vectors to one that is stored as it lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from weft.backends.llvm.nest.structure import READS
from weft.backends.llvm.nest.walk import OPERANDS
from weft.ir.kernels.plan import Body, Instr, Row

COUNTS = (2, 3, 4)  # of rows whose vectors are joined in registers
LEAST = 256  # cells of a row


def interleaved_rows(rows: Sequence[Row]) -> Sequence[Row]:
    """Return the rows, with each two to four of them that write cells in turns as one row."""
    count = _in_turns(rows[0]) if rows else 0
    if not count:
        return rows
    made: list[Row] = []
    bodies: dict[object, Body] = {}
    at = 0
    while at < len(rows):
        some = rows[at : at + count]
        if _fit(some, count):
            key = tuple([(id(r.body), len(r.operands), r.scalars - some[0].scalars) for r in some])
            body = bodies[key] if key in bodies else bodies.setdefault(key, _body(some))
            made.append(some[0]._replace(body=body, operands=tuple([o for r in some for o in r.operands])))
        else:
            made.append(rows[at])
        at += count if made[-1] is not rows[at] else 1
    return made


def _in_turns(row: Row) -> int:
    """Return the number of rows that can be joined with a row, or 0."""
    if row.out is None or row.out.dtype.kind == "complex":
        return 0
    axes = [(step, size) for step, size in zip(row.out.strides, row.sizes, strict=True) if size != 1]
    step, size = min(axes, default=(0, 0))
    count, rest = divmod(step, row.out.dtype.itemsize)
    return count if not rest and count in COUNTS and size >= LEAST else 0


def _fit(rows: Sequence[Row], count: int) -> bool:
    """True if there are so many rows, and their cells lie side by side in turns."""
    first = rows[0].out
    if len(rows) < count or first is None or sum([len(r.operands) for r in rows]) >= OPERANDS:
        return False
    places = [first._replace(offset=first.offset + k * first.dtype.itemsize) for k in range(count)]
    return all(r.out == place and r.sizes == rows[0].sizes for r, place in zip(rows, places, strict=True))


def _body(rows: Sequence[Row]) -> Body:
    """Return the body that computes a cell of each row and interleaves them."""
    steps: list[Instr] = []
    starts = accumulate([len(r.operands) for r in rows], initial=0)
    results = []
    for row, start in zip(rows, starts, strict=False):
        begin, slots = len(steps), row.scalars - rows[0].scalars
        for i in row.body:
            moved = start if i.op in READS else slots if i.op == "scalar" else None
            attr = i.attr if moved is None else i.attr + moved  # type: ignore[operator]
            steps.append(Instr(i.op, i.dtype, tuple([begin + a for a in i.args]), attr))
        results.append(len(steps) - 1)
    return (*steps, Instr("interleave", steps[-1].dtype, tuple(results)))
