"""Filling a buffer with the values of cells in their logical order.

The one idea: the rows' own map kernels write into the buffer, box by box: as many whole rows of the last axis as there
are, or, where pieces lie beside each other along it, one piece after the other for a band of rows.  Operands that do
not lie along the lanes are first copied to where they do, in blocks.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.backends.llvm.body import Evaluator
from weft.backends.llvm.inner import SIGNATURE, WORDS
from weft.backends.llvm.jit import Text, code
from weft.backends.llvm.reduce_rows import leaf_words, moved, prefetch
from weft.backends.llvm.structure import Leaf, key_text
from weft.backends.llvm.text import Builder, Type, Value
from weft.backends.llvm.walk import (
    BOX,
    OPERAND,
    OPERANDS,
    Group,
    call_map,
    call_walk,
    of_box,
    of_row,
    set_leaf,
    smaller,
)
from weft.backends.llvm.words import call, divided, word
from weft.ir.kernels.plan import Body

PACKS = 64 << 10  # bytes of stack for operands that are copied to lie along the lanes
PAD = 64  # bytes between their rows, so that these do not share cache sets
AHEAD = 2048  # bytes between a load and the prefetch beside it
ROWS_AHEAD = 4  # rows between them, where rows are short
SHORT = 256  # bytes of a row up to which prefetches cost more than they save
FILL = "ptr %group, ptr %bases, ptr %scalars, ptr %L, ptr %idx, ptr %box, ptr %tile, i64 %g, i64 %end"


def fill_kernel(body: Body, leaves: Sequence[Leaf], lanes: int) -> int:
    """The address of a map kernel (see `inner`) whose output is memory of our own.

    Where a run is no whole number of chunks the last one begins earlier and computes some cells again, which saves the
    way through stack buffers.
    """
    key = key_text("fill", body, leaves, lanes)
    return code(key, lambda: _emit_kernel(body, leaves, lanes))["fill"]


def _emit_kernel(body: Body, leaves: Sequence[Leaf], lanes: int) -> Text:
    b = Builder(lanes)
    n, out = b.named("i64", "%n"), len(leaves) - 1
    bases, along, rows = leaf_words(b, b.named("ptr", "%L"), leaves)
    evaluator = Evaluator(b, body, leaves, lanes, targets=(out,))
    evaluator.enter(b.named("ptr", "%S"))
    last = b.intrinsic("smax", n - lanes, 0)
    ahead = [_ahead(b, n * step, row) for step, row in zip(along, rows, strict=True)]
    with b.loop(0, b.named("i64", "%m")) as r:
        evaluator.start([moved(b, p, r * s) for p, s in zip(bases, rows, strict=True)], along)
        with b.loop(0, n, lanes) as at:
            prefetch(b, evaluator, at, 0, ahead)
            chunk = evaluator.chunk(smaller(b, at, last), n)
            assert chunk.reg is not None
            evaluator.store(out, chunk.reg, chunk)
    b.do("ret void")
    return Text(b.module(b.function("fill", SIGNATURE)), ("fill",), tuple(sorted(b.routines)))


def _ahead(b: Builder, size: Value, row: Value) -> Value:
    """How far from a cell lies what is worth asking for: some lines ahead in a long row, else some rows on."""
    below = b.select(size >= SHORT, row * ROWS_AHEAD, 0)
    forward = b.select(size > AHEAD * 2, b.const("i64", AHEAD), below)
    return b.select(size < -AHEAD * 2, b.const("i64", -AHEAD), forward)


def fill_functions() -> list[tuple[Builder, str]]:
    """`fill`: the values of the cells [g, end) in a buffer, in logical order."""
    return [_place_function(), _fill_function()]


def _fill_function() -> tuple[Builder, str]:
    b = Builder()
    group, box = Group(b, b.named("ptr", "%group")), b.named("ptr", "%box")
    g, end, tile = b.named("i64", "%g"), b.named("i64", "%end"), b.named("ptr", "%tile")
    at, last = b.alloca(Type("i64")), word(b, group.sizes, group.axes - 1)
    b.store(g, at)
    again, band, box_, following, done = (b.fresh(s) for s in ("again", "band", "box", "following", "done"))
    b.branch(again)
    b.label(again)
    here = b.load("i64", at)
    call_walk(b, here, end)
    n, m, down = (of_box(b, box, name) for name in ("n", "m", "down"))
    begins = _remainder(b, here, last).eq(0) & (n < last) & (down > 1)
    b.branch_if(begins & (here + last * 2 <= end), band, box_)
    b.label(band)
    rows = _fill_band(b, box, here, end, last, g)
    b.store(here + rows * last, at)
    b.branch(following)
    b.label(box_)
    _call_place(b, n, m, b.gep(tile, (here - g) * group["item"]), n)
    b.store(here + n * m, at)
    b.branch(following)
    b.label(following)
    b.branch_if(b.load("i64", at) < end, again, done)
    b.label(done)
    b.do("ret void")
    return b, b.function("fill", FILL)


def _remainder(b: Builder, x: Value, y: Value) -> Value:
    return divided(b, x, y)[1]


def _fill_band(b: Builder, box: Value, here: Value, end: Value, last: Value, g: Value) -> Value:
    """As many rows of the last axis as all pieces beside each other have; gives how many."""
    group, tile = Group(b, b.named("ptr", "%group")), b.named("ptr", "%tile")
    rows, across = b.alloca(Type("i64")), b.alloca(Type("i64"))
    b.store(divided(b, end - here, last)[0], rows)
    for draw in (False, True):
        b.store(b.const("i64", 0), across)
        again, done = b.fresh("again"), b.fresh("done")
        b.branch(again)
        b.label(again)
        j = b.load("i64", across)
        call_walk(b, here + j, here + last)
        n = of_box(b, box, "n")
        if draw:
            _call_place(b, n, b.load("i64", rows), b.gep(tile, (here + j - g) * group["item"]), last)
        else:
            b.store(smaller(b, b.load("i64", rows), of_box(b, box, "down")), rows)
        b.store(j + n, across)
        b.branch_if(j + n < last, again, done)
        b.label(done)
    return b.load("i64", rows)


def _call_place(b: Builder, n: Value, m: Value, target: Value, pitch: Value) -> None:
    b.do(
        f"call void @place(ptr %group, ptr %scalars, ptr %L, ptr %box, ptr {target.name}, i64 {n.name}, i64 {m.name}, "
        f"i64 {pitch.name})"
    )


def _place_function() -> tuple[Builder, str]:
    """`place`: m rows of n cells of the row that was found last, `pitch` cells apart in the buffer."""
    b = Builder()
    b.allocas.append(f"  %L2 = alloca i64, i64 {(OPERANDS + 1) * WORDS}, align 64")
    b.allocas.append(f"  %packs = alloca i8, i64 {PACKS}, align 64")
    group, box, table = Group(b, b.named("ptr", "%group")), b.named("ptr", "%box"), b.named("ptr", "%L")
    n, m, target = b.named("i64", "%n"), b.named("i64", "%m"), b.named("ptr", "%target")
    item = group["item"]
    pitch = b.named("i64", "%pitch") * item
    packed, plain, done = b.fresh("packed"), b.fresh("plain"), b.fresh("done")
    b.branch_if(of_row(b, box, "sub").ne(0), packed, plain)
    b.label(packed)
    _place_packed(b, box, (n, m), target, item, pitch)
    b.branch(done)
    b.label(plain)
    set_leaf(b, table, of_row(b, box, "operands"), target, item, pitch)
    call_map(b, box, table, n, m)
    b.branch(done)
    b.label(done)
    b.do("ret void")
    arguments = "ptr %group, ptr %scalars, ptr %L, ptr %box, ptr %target, i64 %n, i64 %m, i64 %pitch"
    return b, b.function("place", arguments)


def _place_packed(b: Builder, box: Value, size: tuple[Value, Value], target: Value, item: Value, pitch: Value) -> None:
    """In blocks, for which the operands that need it are first copied to lie along the lanes."""
    n, m = size
    table, sub, cells = b.named("ptr", "%L2"), of_row(b, box, "sub"), of_row(b, box, "cells")
    count = of_row(b, box, "operands")
    with b.loop(0, n, sub) as j:
        width = smaller(b, n - j, sub)
        height = smaller(b, divided(b, cells, width)[0], of_row(b, box, "tall"))
        with b.loop(0, m, height) as i:
            rows = smaller(b, m - i, height)
            there = b.gep(target, i * pitch + j * item)
            computed, moved, done = b.fresh("computed"), b.fresh("moved"), b.fresh("done")
            b.branch_if(of_row(b, box, "kernel").ne(0), computed, moved)
            b.label(computed)
            close = of_row(b, box, "flat").ne(0)  # no bytes between packed rows
            flat = close & (width * item).eq(pitch)
            with b.loop(0, count) as k:
                _pack(b, box, k, (i, j), (width, rows), b.select(close, b.const("i64", 0), PAD))
            set_leaf(b, table, count, there, item, pitch)
            call_map(b, box, table, b.select(flat, width * rows, width), b.select(flat, 1, rows))
            b.branch(done)
            b.label(moved)
            _move(b, box, (i, j), (width, rows), there, item, pitch)
            b.branch(done)
            b.label(done)


def _move(
    b: Builder, box: Value, at: tuple[Value, Value], size: tuple[Value, Value], target: Value, item: Value, pitch: Value
) -> None:
    """A body that only loads its one operand needs no kernel: the copy is the value."""
    (i, j), (width, rows) = at, size
    leaf = b.named("ptr", "%L")
    along, second = word(b, leaf, 1), word(b, leaf, 2)
    routine = word(b, word(b, box, BOX["first"], "ptr"), OPERAND["pack"], "ptr")
    source = word(b, leaf, 0) + j * along + i * second
    call(b, "void", routine.name, target, item, pitch, source, along, second, width, rows)


def _pack(b: Builder, box: Value, k: Value, at: tuple[Value, Value], size: tuple[Value, Value], pad: Value) -> None:
    """The leaf of operand k for the block of rows and columns that begins there."""
    (i, j), (width, rows) = at, size
    leaf = b.gep(b.named("ptr", "%L"), k * WORDS, "i64")
    along, second = word(b, leaf, 1), word(b, leaf, 2)
    source = word(b, leaf, 0) + j * along + i * second
    length = len(OPERAND) + of_box(b, box, "axes")
    operand = b.gep(word(b, box, BOX["first"], "ptr"), k * length, "i64")
    routine = word(b, operand, OPERAND["pack"])
    copied, used, done = b.fresh("copied"), b.fresh("used"), b.fresh("done")
    table = b.named("ptr", "%L2")
    b.branch_if(routine.ne(0), copied, used)
    b.label(copied)
    cell = word(b, operand, OPERAND["width"])
    buffer = b.gep(b.named("ptr", "%packs"), word(b, operand, OPERAND["buffer"]))
    address = word(b, operand, OPERAND["pack"], "ptr")
    pitch = width * cell + pad
    call(b, "void", address.name, buffer, cell, pitch, source, along, second, width, rows)
    set_leaf(b, table, k, buffer, cell, pitch)
    b.branch(done)
    b.label(used)
    set_leaf(b, table, k, source, along, second)
    b.branch(done)
    b.label(done)
