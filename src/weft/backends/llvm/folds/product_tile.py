"""Tiles of products of matrices: a few rows by a line of columns, whose sums stay in registers.

The one idea: a cell of a product is a sum of chains, added in rising order; a chain is c = -0.0, then
c = fma(a[k], b[k], c) for 256 steps k.  So neither tiles nor threads nor the processor show in its bits, and rounding
errors do not grow with every step.  Integers wrap.  Vectors are neighbouring columns: no cell is split over lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.backends.llvm.emit import Builder, Signature, Type, Value, signature
from weft.backends.llvm.jit.toolchain import features

LINE = 64  # bytes of a vector of neighbouring columns: a cache line
AHEAD = 8  # steps between a prefetch of right cells and their multiplication
LEFTOVER = (8, 4, 2, 1)  # heights, in rows, of the tiles for rows that whole tiles leave over
SLIM = 2  # rows of a tile with so little work that it waits for its reads
NEAR = 256  # steps of a chain: a panel's cells of so many steps stay in the nearest cache
TILE = (
    "ptr to, i64 pitch, ptr left, i64 left_pitch, i64 left_step, ptr right, i64 panel, i64 step, i64 steps, i64 next, "
    "i64 count, i64 columns, i1 begun"
)
Masks = Sequence[Value | None]  # of the vectors of a row: true in lanes of its columns; None: in all
TileShape = tuple[int, tuple[int, ...]]  # rows; widths in vectors of the tiles side by side, the widest first


def tile_shape() -> tuple[int, int]:
    """Return (rows, vectors) of a tile whose sums fill the registers of this processor."""
    return (14, 2) if "avx512f" in features() else (6, 1)


def tile_shapes(rows: int, vectors: int) -> list[list[TileShape]]:
    """Return the shapes of tiles as wide as a panel or wider, and for its last vector, tallest first.

    A whole tile has `rows` rows and `vectors` vectors.  The first of a list has the most rows that registers hold; the
    others, of powers of two, are for leftover rows.
    """
    leftover = [r for r in LEFTOVER if r < rows]
    sums = leftover[0] * vectors
    low = [(r, tuple(dict.fromkeys((sums // r, vectors)))) for r in leftover]
    return [[(rows, (vectors,)), *low], [(r, (1,)) for r in (16, *LEFTOVER)]]


def least_rows(rows: int, vectors: int) -> int:
    """Return the least number of rows for which a tile is used.

    Tall tiles for leftover rows are used for fewer than theirs, where two lower tiles would take longer.
    """
    return rows // 2 + 1 if SLIM < rows in LEFTOVER and vectors > 1 else rows


def multiply_add(b: Builder, x: Value, y: Value, total: Value) -> Value:
    """Return total + x·y, for floats rounded once."""
    return b.fma(x, y, total) if x.type.is_float else total + x * y


def tile_signature(rows: int, vectors: int) -> Signature:
    """Return the signature of the function that computes a tile of `rows` rows and `vectors` vectors."""
    return signature(f"tile_{rows}_{vectors}", TILE)


def tile_function(elem: str, rows: int, vectors: int, whole: int) -> Builder:
    """Return the function that adds a chain of `steps` products to each cell of a tile.

    The tile has at most `columns` columns.  It has `count` rows, at least `least_rows`; the last one is
    computed again for those that are missing.  Panels of `right` have `whole` vectors and lie `panel` bytes apart,
    their rows `step`.  Rows of `left` lie `left_pitch` bytes apart, its columns `left_step`, and rows of the sums, at
    `to`, `pitch`.  The sums are overwritten unless `begun` is true.  At each step a cache line of the left operand is
    asked for, from `next` bytes behind the tile's rows on.
    """
    b = Builder(tile_signature(rows, vectors))
    least = least_rows(rows, vectors)
    starts, lefts = (_row_starts(b, b[name], rows, least) for name in ("pitch", "left_pitch"))
    lanes = LINE * 8 // Type(elem).bits
    line = Type(elem, lanes)
    if vectors > 1:  # tiles of one vector are the last of their rows
        for start in starts:
            for j in range(vectors):
                b.prefetch(b.gep(b["to"], start + j * LINE))
    places = [b["panel"] * (j // whole) + j % whole * LINE for j in range(vectors)]  # of the vectors of a row

    def compute(masks: Masks) -> None:
        made = chains(b, line, lefts, places, masks)
        cells = cells_of(b, starts, masks)
        sums = b.choose(
            b["begun"], lambda: [_load(b, line, *cell) + v for v, cell in zip(made, cells, strict=True)], made
        )
        store_cells(b, sums, cells)

    with_masks(b, line, vectors, compute)
    return b


def chains(b: Builder, line: Type, lefts: Sequence[Value], places: Sequence[Value], masks: Masks) -> list[Value]:
    """Return the chains of a tile's cells, row by row, added in a loop over `steps`.

    `lefts` are the offsets of rows from `left`, `places` those of vectors of columns from `right`; names in the scope
    mean what they do in `tile_function`.
    """
    with b.carrying([b.const(line, -0.0)] * (len(lefts) * len(places)), 0, b["steps"]) as turn:
        right = b.gep(b["right"], turn.i * b["step"])
        columns = [_load(b, line, b.gep(right, at), mask) for at, mask in zip(places, masks, strict=True)]
        for at in places:
            b.prefetch(b.gep(right, b["step"] * AHEAD + at))
        b.prefetch(b.gep(b["left"], b["next"] + turn.i * LINE))
        left = b.gep(b["left"], turn.i * b["left_step"])
        for i, row in enumerate(lefts):
            x = b.splat(b.load(line.elem, b.gep(left, row)), line.lanes)
            for j, y in enumerate(columns, i * len(places)):
                turn.values[j] = multiply_add(b, x, y, turn.values[j])
    return turn.values


def cells_of(b: Builder, starts: Sequence[Value], masks: Masks) -> list[tuple[Value, Value | None]]:
    """Return (address, mask) of the vectors of a tile's result, whose rows begin `starts` bytes behind `to`."""
    return [(b.gep(b["to"], start + j * LINE), mask) for start in starts for j, mask in enumerate(masks)]


def store_cells(b: Builder, sums: Sequence[Value], cells: Sequence[tuple[Value, Value | None]]) -> None:
    """Emit code that stores vectors at the places that `cells_of` gives."""
    for value, (place, mask) in zip(sums, cells, strict=True):
        if mask is None:
            b.store(value, place)
        else:
            b.masked_store(value, place, mask)


def with_masks(b: Builder, line: Type, vectors: int, emit: Callable[[Masks], None]) -> None:
    """Emit code for rows of `columns` columns, with a mask for each vector; without them where they cost time."""
    count = b.splat(b.cast("trunc", b.smin(b["columns"], vectors * line.lanes), "i32"), line.lanes)
    masks = [b.iota("i32", line.lanes, j * line.lanes) < count for j in range(vectors)]
    if "avx512f" in features():
        emit(masks)  # they cost nothing
    else:
        with b.when(b["columns"] >= vectors * line.lanes):
            emit([None] * vectors)
        with b.otherwise():
            emit(masks)


def _load(b: Builder, line: Type, place: Value, mask: Value | None) -> Value:
    """Return the vector at an address, with 0 in lanes where the mask is false (None: all are read)."""
    return b.load(line, place) if mask is None else b.masked_load(line, place, mask)


def _row_starts(b: Builder, pitch: Value, rows: int, least: int) -> list[Value]:
    """Return the offsets of a tile's rows, `pitch` bytes apart.

    Rows from `least` on may be missing: then they have the offset of the last row.
    """
    starts = [pitch * i for i in range(least)]
    for i in range(least, rows):
        starts.append(starts[-1] + b.select(b["count"] > i, pitch, 0))
    return starts
