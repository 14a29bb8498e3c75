"""Tables of positions: facts about a gather whose positions are known when it is built.

The one idea: positions are checked against bounds anyway, and a second pass finds arithmetic runs in them.  A gather of
few runs becomes slices joined together, which are read, written through and differentiated like any selection.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.dtypes import DType
from weft.ir.graph.description import describe
from weft.ir.graph.node import Node, astype, stored

MAX_RUNS = 32  # a take of more is one table: pieces cost more than addresses
LEAST_RUN = 8  # positions, on average, of the runs of a take that is taken apart
PROBED = 1 << 12  # positions at the start of a table that mostly tell whether it has more
SMALL_TABLE = 1 << 16  # positions from which a table is kept in the narrowest integers

Slice = tuple[int, int, int]  # start, step, size
Table = NDArray[np.integer]  # signed; what becomes a leaf may have the dtype that it is stored in


def runs(table: Table) -> list[Slice] | None:
    """Return a vector of positions as arithmetic runs (start, step, size); None if that takes too many runs.

    >>> import numpy as np
    >>> runs(np.array([6, 4, 2])), runs(np.array([*range(9), *range(20, 29)]))
    ([(6, -2, 3)], [(0, 1, 9), (20, 1, 9)])
    """
    n = len(table)
    if n < 2:
        return [(int(table[0]) if n else 0, 1, n)]
    most = min(MAX_RUNS, n // LEAST_RUN)
    start, step = int(table[0]), int(table[1]) - int(table[0])
    if int(table[-1]) != start + (n - 1) * step and most < 2:
        return None
    if n > 2 * PROBED and np.count_nonzero(np.diff(table[:PROBED], 2)) > 2 * most:
        return None
    steps = table[1:] - table[:-1]
    (changes,) = (steps[1:] != steps[:-1]).nonzero()
    if not len(changes):
        return [(start, step, n)]
    if most < 2 or len(changes) > 2 * most:
        return None
    breaks = changes + 1  # where another step begins
    ends, found, at = [*breaks.tolist(), len(steps)], list[Slice](), 0
    for end in ends:
        if at < end:
            found.append((int(table[at]), int(steps[at]), end - at + 1))
            at = end + 1
    if at < n:
        found.append((int(table[at]), 1, 1))
    return found if len(found) <= most else None


def joined(starts: Table, stops: Table) -> tuple[Table, Table]:
    """Return the positions from starts[i] up to stops[i], for all i in turn, as (starts, sizes) of runs.

    Empty ranges are left out, and a range that continues the one before is joined to it; no positions are an empty run.

    >>> import numpy as np
    >>> [x.tolist() for x in joined(np.array([0, 3, 3, 9]), np.array([3, 3, 5, 12]))]
    [[0, 9], [5, 3]]
    """
    filled = starts < stops
    if not filled.any():
        return np.zeros(1, np.int64), np.zeros(1, np.int64)
    starts, stops = starts[filled], stops[filled]
    breaks = starts[1:] != stops[:-1]
    starts = starts[np.append(True, breaks)]
    return starts, stops[np.append(breaks, True)] - starts


def leaf(table: Table, size: int) -> Node:
    """Return a table of positions on an axis of `size` cells as an int64 node.

    A long table is stored in narrower integers and converted where it is read.
    """
    dtype = stored_dtype(table.size, size)
    cells = table.astype(dtype.np, order="C", copy=False)
    made = stored(describe(dtype, cells.shape, cells.strides), cells)
    return made if dtype is dt.int64 else astype(made, dt.int64)


def stored_dtype(cells: int, size: int) -> DType:
    """Return the dtype in which a table of `cells` positions on an axis of `size` cells is stored."""
    if cells < SMALL_TABLE or size > 1 << 31:
        return dt.int64
    return dt.int16 if size <= 1 << 15 else dt.int32


def narrow(table: Node) -> Node:
    """Return a table of positions in the signed integers in which it is stored."""
    is_wide = table.op.name == "astype" and table.value is None and table.inputs[0].desc.dtype.kind == "int"
    return table.inputs[0] if is_wide else table


def stored_tables(take: Node) -> tuple[Table, ...] | None:
    """Return the position tables of a gather as int64 arrays, one per axis.

    None if a table may have changed since the gather was built.
    """
    found = narrow_tables(take)
    return None if found is None else tuple([t.astype(np.int64, copy=False) for t in found])


def narrow_tables(take: Node) -> list[Table] | None:
    """Return the position tables of a gather as arrays of the dtypes in which they are stored, one per axis.

    None if a table may have changed since the gather was built.
    """
    cells = [narrow(i) for i in take.inputs[1:]]
    if any(c.value is None or c.place is not None or c.alias is not None for c in cells):
        return None
    return [np.asarray(c.value) for c in cells]
