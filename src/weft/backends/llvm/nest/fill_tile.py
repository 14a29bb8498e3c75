"""Filling a tile: the values of cells, in their logical order, in a buffer without gaps.

Terms: a *piece* is the row of a group that holds some cells; a *band* is a set of rows of the last axis where several
pieces lie beside each other.  The one idea: the pieces' own map kernels write into the tile, box by box: as many whole
rows of the last axis as there are, or, in a band, one piece after the other.  Operands whose cells do not touch along
the lanes are first copied (*packed*) in blocks to a buffer where they do.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Value, signature
from weft.backends.llvm.emit.words import Words, word
from weft.backends.llvm.nest.evaluator import WORDS
from weft.backends.llvm.nest.walk import CONTEXT, OPERAND, OPERANDS, WALK, Group, WalkPosition, call_map, set_leaf

PACKS = 64 << 10  # bytes of stack for operands that are copied to lie along the lanes
PAD = 64  # bytes between the rows of such an operand, so that rows do not share cache sets
FILL = signature("fill_tile", f"{CONTEXT}, ptr tile, i64 g, i64 end")
PLACE = signature("place", "ptr group, ptr scalars, ptr L, ptr found, ptr target, i64 n, i64 m, i64 pitch")


def fill_functions() -> list[Builder]:
    """Return the functions `place` and `fill_tile`.

    `fill_tile` writes the values of cells g to end - 1 to a tile.
    """
    return [_place_function(), _fill_function()]


def _fill_function() -> Builder:
    b = Builder(FILL)
    group, found, end = Group(b), WalkPosition(b), b["end"]
    last = word(b, group.sizes, group.axes - 1)
    with b.until(b["g"], end) as turn:
        here = turn.i
        WALK.call(b, g=here)
        n, m, down = found["n"], found["m"], found["down"]
        begins = (here % last).eq(0) & (n < last) & (down > 1)

        def band(here: Value = here) -> list[Value]:
            return [here + _fill_band(b, group, found, here, last) * last]

        def box(here: Value = here, n: Value = n, m: Value = m) -> list[Value]:
            PLACE.call(b, n=n, m=m, target=b.gep(b["tile"], (here - b["g"]) * group["item"]), pitch=n)
            return [here + n * m]

        (turn.next,) = b.choose(begins & (here + last * 2 <= end), band, box)
    return b


def _fill_band(b: Builder, group: Group, found: WalkPosition, here: Value, last: Value) -> Value:
    """Emit code that fills lines of a band over which several rows lie side by side; return their number.

    It fills as many lines as all of these rows have.  `here` is the index of the band's first cell, `last` the size of
    the last axis.
    """
    rows = b.alloca("i64")
    b.store((b["end"] - here) // last, rows)
    with b.until(0, last) as turn:
        WALK.call(b, g=here + turn.i, end=here + last)
        b.store(b.smin(b.load("i64", rows), found["down"]), rows)
        turn.next = turn.i + found["n"]
    height = b.load("i64", rows)
    with b.until(0, last) as turn:
        WALK.call(b, g=here + turn.i, end=here + last)
        n = found["n"]
        PLACE.call(b, n=n, m=height, target=b.gep(b["tile"], (here + turn.i - b["g"]) * group["item"]), pitch=last)
        turn.next = turn.i + n
    return height


def _place_function() -> Builder:
    """Return the function `place`, which evaluates m rows of n cells that the last walk found.

    The rows are written to `target`, `pitch` cells apart.
    """
    b = Builder(PLACE)
    b.stack_buffer("L2", "i64", (OPERANDS + 1) * WORDS)
    b.stack_buffer("packs", "i8", PACKS)
    found, item = WalkPosition(b), Group(b)["item"]
    pitch, row = b["pitch"] * item, found.row
    with b.when(row["sub"].ne(0)):
        _place_packed(b, found, row, item, pitch)
    with b.otherwise():
        set_leaf(b, b["L"], row["operands"], b["target"], item, pitch)
        call_map(b, found, b["L"], b["n"], b["m"])
    return b


def _place_packed(b: Builder, found: WalkPosition, row: Words, item: Value, pitch: Value) -> None:
    """Emit code that computes rows of cells block by block, copying packed operands first for each block.

    `row` is the record of the group's row, `item` the bytes of a cell, `pitch` the bytes between rows of the tile.
    """
    n, m, sub, count = b["n"], b["m"], row["sub"], row["operands"]
    with b.loop(0, n, sub) as j:
        width = b.smin(n - j, sub)
        height = b.smin(row["cells"] // width, row["tall"])
        with b.loop(0, m, height) as i:
            rows = b.smin(m - i, height)
            there = b.gep(b["target"], i * pitch + j * item)
            with b.when(row["kernel"].ne(0)):
                close = row["flat"].ne(0)  # no bytes between packed rows
                flat = close & (width * item).eq(pitch)
                pad = b.select(close, b.const("i64", 0), PAD)
                with b.loop(0, count) as k:
                    _pack(b, found, k, (i, j), (width, rows), pad)
                set_leaf(b, b["L2"], count, there, item, pitch)
                call_map(b, found, b["L2"], b.select(flat, width * rows, width), b.select(flat, 1, rows))
            with b.otherwise():  # a body that only loads its one operand needs no kernel: the copy is the value
                source, along, second = _block(b, b.const("i64", 0), i, j)
                routine = Words(b, found["first"], OPERAND)["pack"]
                b.call("void", routine, there, item, pitch, source, along, second, width, rows)


def _block(b: Builder, k: Value, i: Value, j: Value) -> tuple[Value, Value, Value]:
    """Return (address, stride along the lanes, stride from row to row) of operand k at row i and column j."""
    leaf = b.gep(b["L"], k * WORDS, "i64")
    along, second = word(b, leaf, 1), word(b, leaf, 2)
    return word(b, leaf, 0) + j * along + i * second, along, second


def _pack(
    b: Builder, found: WalkPosition, k: Value, at: tuple[Value, Value], size: tuple[Value, Value], pad: Value
) -> None:
    """Emit code that sets the map kernel's leaf k to operand k, or to a packed copy of a block.

    The block is copied if the operand is packed. at = (row, column) of its first cell, size = (columns, rows); `pad`
    bytes lie between rows of the copy.
    """
    width, rows = size
    source, along, second = _block(b, k, *at)
    operand = Words(b, b.gep(found["first"], k * (len(OPERAND) + found["axes"]), "i64"), OPERAND)
    routine = operand["pack"]
    with b.when(routine.ne(0)):
        cell = operand["width"]
        buffer = b.gep(b["packs"], operand["buffer"])
        pitch = width * cell + pad
        b.call("void", routine, buffer, cell, pitch, source, along, second, width, rows)
        set_leaf(b, b["L2"], k, buffer, cell, pitch)
    with b.otherwise():
        set_leaf(b, b["L2"], k, source, along, second)
