"""Steps that treat all rows alike, and the rows that they compute beyond those of a block.

Terms: a *row* is an index of a step's first axis; a *halo*, the rows that a step computes beyond a block's for a later
step that reads ahead.  The one idea: a step whose value lives in blocks alone may compute a few rows of the next block,
too.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

from weft.ir.kernels.plan import MapLaunch, Operand, ReduceLaunch, Row, Step

MOST_AHEAD = 64  # rows of a halo

RowStep = MapLaunch | ReduceLaunch


def extent(step: Step) -> int:
    """Return the number of rows of a step that treats all rows alike; 0 for other steps."""
    if isinstance(step, MapLaunch):
        (row,) = step.rows if len(step.rows) == 1 else (None,)
        return row.sizes[0] if row is not None and row.sizes and _is_plain_row(row) else 0
    if isinstance(step, ReduceLaunch) and step.kept and len(step.rows) == 1 and _is_plain_row(step.rows[0]):
        return step.shape[0] if step.rows[0].sizes == step.shape else 0
    return 0


def _is_plain_row(row: Row) -> bool:
    """True if no operand of a row is a coordinate along the first axis, and no cell is looked up."""
    return all(o.arg >= 0 or not o.strides[0] for o in row.operands) and not any(i.op == "gather" for i in row.body)


def operands(step: RowStep) -> list[Operand]:
    """Return all operands of a step, its output last."""
    row = step.rows[0]
    out = step.out if isinstance(step, ReduceLaunch) else row.out
    assert out is not None
    return [*(o for o in row.operands if o.arg >= 0), out]


def merged(step: RowStep) -> RowStep | None:
    """Return a step whose rows are the indices of its first two axes.

    None if an operand does not step evenly along them, or no axis would be left within a row.
    """
    (row,) = step.rows
    if len(row.sizes) < 3 or (isinstance(step, ReduceLaunch) and step.kept < 2):
        return None
    first, second, *within = row.sizes
    even = all(o.strides[0] == second * o.strides[1] for o in (*row.operands, operands(step)[-1]))
    if not even and 1 not in (first, second):
        return None

    def flat(o: Operand) -> Operand:
        return o._replace(strides=(o.strides[second > 1], *o.strides[2:]))

    sizes, out = (first * second, *within), row.out and flat(row.out)
    row = row._replace(sizes=sizes, operands=tuple(map(flat, row.operands)), out=out, start=row.start[1:])
    if isinstance(step, MapLaunch):
        return MapLaunch((row,))
    return replace(step, kept=step.kept - 1, shape=sizes, rows=(row,), out=flat(step.out))


def halos(run: Sequence[RowStep], local: Container[int]) -> list[int] | None:
    """Return for each step of a group how many rows it computes beyond its block, since later steps read them.

    None if a step needs rows that a block does not compute. The last step computes just the block's rows. `local` are
    the arguments that live in blocks alone; others must be written once.

    For y = x[1:] + x[:-1] and z = y[2:] + y[:-2] of x with 100 rows, y has 99 rows and z 97: a block of 10 rows of z
    takes 12 rows of y, so the halos are [2, 0].
    """
    rows = [extent(s) for s in run]
    if len(set(rows)) == 1:
        return [0] * len(run)
    ahead = {operands(s)[-1].arg: 0 for s in run}  # by argument: the rows beyond a block's that later steps read
    found: list[int] = []
    for step, count in zip(reversed(run), reversed(rows), strict=True):
        *read, out = operands(step)
        halo, spare = ahead[out.arg], count - rows[-1]
        if not halo <= spare <= MOST_AHEAD or (spare and (out.arg not in local or _rows_ahead(out, step) != 0)):
            return None
        found.append(halo)
        for o in read:
            if o.arg in ahead:
                beyond = _rows_ahead(o, step)
                if beyond is None:
                    return None
                ahead[o.arg] = max(ahead[o.arg], halo + beyond)
    return found[::-1]


def _rows_ahead(o: Operand, step: RowStep) -> int | None:
    """Return the row of its argument at which an operand begins: 2 for y[2:]. None if rows do not lie one by one."""
    apart, within = o.strides[0], o.strides[1:]
    if apart <= 0 or min(within, default=0) < 0 or o.offset < 0:
        return None
    row, first = divmod(o.offset, apart)
    sizes = step.rows[0].sizes[1 : len(o.strides)]
    end = first + sum([s * (n - 1) for s, n in zip(within, sizes, strict=True)]) + o.dtype.itemsize
    return row if end <= apart else None
