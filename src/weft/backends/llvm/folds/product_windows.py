"""Panels of right operands whose rows lie at listed distances, as the cells of sliding windows do.

The one idea: a matrix of windows repeats each cell of an image as often as windows hold it.  Its rows are runs of the
image, so panels are filled from there, and no such matrix is ever stored.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Type, Value, signature
from weft.backends.llvm.folds.product_tile import LINE, NEAR
from weft.backends.llvm.jit.jit import compiled

PARAMETERS = "ptr dst, ptr src, ptr offsets, i64 apart, i64 columns, i64 steps"
WINDOWS = signature("windows", PARAMETERS)


@compiled("product_windows", PARAMETERS)
def windows_routine(b: Builder, elem: str, vectors: int, spacing: int) -> None:
    """Emit the routine that copies rows of `columns` cells to panels, `apart` bytes between cells.

    The row of step k begins offsets[k] bytes after `src`.  `spacing` is 1 or 2 where cells lie as many cells apart,
    else 0.
    """
    lanes = LINE * 8 // Type(elem).bits
    line, across = Type(elem, lanes), vectors * lanes
    with b.loop(0, b["columns"], across) as j:
        panel, first = b.gep(b["dst"], j * (NEAR * LINE // lanes)), b.gep(b["src"], j * b["apart"])
        count = b.splat(b.cast("trunc", b.smin(b["columns"] - j, across), "i32"), lanes)
        with b.loop(0, b["steps"]) as k:
            row = b.gep(first, b.load("i64", b.gep(b["offsets"], k, "i64"), 8))
            for v in range(vectors):
                cells = _cells(b, line, row, count, v, spacing)
                b.store(cells, b.gep(panel, k * (vectors * LINE) + v * LINE), LINE)


def _cells(b: Builder, line: Type, row: Value, count: Value, v: int, spacing: int) -> Value:
    """Return vector number v of a row of `count` cells that lie as `windows_routine` says."""
    lanes = line.lanes
    numbers = b.iota("i32", lanes, v * lanes)
    if not spacing:
        return b.gather(line, b.gep(row, b.cast("sext", numbers, "i64") * b.splat(b["apart"], lanes)), numbers < count)
    parts = []
    for k in range(spacing):  # vectors of neighbouring cells, of which one in `spacing` is taken
        first = (v * spacing + k) * lanes
        mask = b.iota("i32", lanes, first) < count * spacing - (spacing - 1)
        parts.append(b.masked_load(line, b.gep(row, first * (LINE // lanes)), mask))
    return parts[0] if spacing == 1 else b.shuffle(parts[0], range(0, 2 * lanes, 2), parts[1])
