"""The generic loop over the units of a map: finds a unit's row and block, fills buffers, calls the row's kernel.

The one idea: a plan is a table of int64 words, so this code is compiled once for every map there is.  A unit is one
block of the loops of a form (see `forms`) at one index of the axes outside.

Table: number of rows, bits of it, first unit of each row (and the end), for each row how many words it lies behind the
first of these, rows.
Row: the words of `ROW`, outer sizes, for each operand, the output last, the words of `OPERAND`, its outer byte strides,
and the axes of its buffer's block: the two that a routine of `pack` takes, then `turns` that are counted up.
"""

from __future__ import annotations

from weft.backends.llvm.forms import TILES
from weft.backends.llvm.inner import WORDS
from weft.backends.llvm.jit import Text, code
from weft.backends.llvm.text import Builder, Type, Value
from weft.backends.llvm.tiles import ROWS
from weft.backends.llvm.words import call, divided, layout, put, word

# outside: indices of the outer axes where these turn before the blocks of m, else 0
ROW = layout("kernel n m blocks_n blocks_m block_n block_m outside operands outer turns buffered scalars")
OPERAND = layout("arg offset along rows step_n step_m pack buffer pitch width")
AXIS = layout("size below far tile")  # see tiles.Axis
OPERANDS = 80  # at most in a kernel


def map_driver() -> int:
    """The address of `void run(ptr table, ptr bases, ptr scalars, ptr scratch, i64 u0, i64 u1)`."""
    return code("map driver", emit)["run"]


def emit() -> Text:
    """The driver."""
    b = Builder()
    table, u0, u1 = b.named("ptr", "%table"), b.named("i64", "%u0"), b.named("i64", "%u1")
    leaves, tiles = b.alloca(Type("i64"), OPERANDS * WORDS + 1), b.alloca(Type("i8"), TILES)
    at = b.alloca(Type("i64"))
    rows, firsts = word(b, table, 0), b.gep(table, 2, "i64")
    put(b, _find(b, firsts, rows, word(b, table, 1), u0), at, 0)
    with b.loop(u0, u1) as u:
        k = word(b, at, 0)
        k = k + b.cast("zext", u >= word(b, firsts, k + 1), "i64")  # no row is empty
        put(b, k, at, 0)
        row = b.gep(firsts, word(b, firsts, rows + 1 + k), "i64")
        _Unit(b, row, leaves, tiles).emit(u - word(b, firsts, k))
    b.do("ret void")
    arguments = "ptr %table, ptr %bases, ptr %scalars, ptr %scratch, i64 %u0, i64 %u1"
    return Text(b.module(b.function("run", arguments)), ("run",))


def _find(b: Builder, firsts: Value, rows: Value, bits: Value, u: Value) -> Value:
    """The last row whose first unit is not beyond u, by setting its bits from the highest."""
    found = b.alloca(Type("i64"))
    put(b, 0, found, 0)
    with b.loop(0, bits) as k:
        here = word(b, found, 0)
        there = here + b.value(k.type, f"shl i64 1, {(bits - 1 - k).name}")
        inside = there < rows
        reached = word(b, firsts, b.select(inside, there, 0)) <= u
        put(b, b.select(inside & reached, there, here), found, 0)
    return word(b, found, 0)


class _Unit:
    """Emits what is done for a unit of a row; `leaves` is the kernel's table, `tiles` the memory of buffers."""

    def __init__(self, b: Builder, row: Value, leaves: Value, tiles: Value) -> None:
        self.b, self.row, self.leaves, self.tiles = b, row, leaves, tiles
        self.outer, self.turns, self.count = self.of("outer"), self.of("turns"), self.of("operands")
        self.sizes = b.gep(row, len(ROW), "i64")
        self.operands = b.gep(self.sizes, self.outer, "i64")
        self.length = self.outer + (self.turns + 2) * len(AXIS) + len(OPERAND)

    def of(self, name: str) -> Value:
        """A word of the row."""
        return word(self.b, self.row, ROW[name])

    def emit(self, unit: Value) -> None:
        """One unit of the row."""
        b = self.b
        rest, bn = divided(b, unit, self.of("blocks_n"))
        index, bm = divided(b, rest, self.of("blocks_m"))
        outside = self.of("outside")
        last, around = divided(b, rest, b.intrinsic("smax", outside, 1))
        index, bm = b.select(outside.ne(0), around, index), b.select(outside.ne(0), last, bm)
        n = b.intrinsic("smin", self.of("n") - bn * self.of("block_n"), self.of("block_n"))
        m = b.intrinsic("smin", self.of("m") - bm * self.of("block_m"), self.of("block_m"))
        with b.loop(0, self.count) as k:
            self._begin(self._operand(k), self._leaf(k), bn, bm)
        self._move_outside(index)
        buffered = self.of("buffered").ne(0)
        with b.when(buffered):
            with b.loop(0, self.count - 1) as k:
                self._fill(k, n, m, write=False)
            self._point_output(self.count - 1)
        kernel = word(b, self.row, ROW["kernel"], "ptr")
        call(b, "void", kernel.name, self.leaves, b.gep(b.named("ptr", "%scalars"), self.of("scalars")), n, m)
        with b.when(buffered):
            self._fill(self.count - 1, n, m, write=True)

    def _operand(self, k: Value) -> Value:
        return self.b.gep(self.operands, k * self.length, "i64")

    def _leaf(self, k: Value) -> Value:
        return self.b.gep(self.leaves, k * WORDS, "i64")

    def _begin(self, operand: Value, leaf: Value, bn: Value, bm: Value) -> None:
        """Where the block begins, and the strides inside it."""
        b = self.b
        arg = word(b, operand, OPERAND["arg"])
        base = word(b, b.named("ptr", "%bases"), b.intrinsic("smax", arg, 0))
        base = b.select(arg < 0, 0, base)  # coordinates count from their offset
        shift = bn * word(b, operand, OPERAND["step_n"]) + bm * word(b, operand, OPERAND["step_m"])
        put(b, base + word(b, operand, OPERAND["offset"]) + shift, leaf, 0)
        put(b, word(b, operand, OPERAND["along"]), leaf, 1)
        put(b, word(b, operand, OPERAND["rows"]), leaf, 2)

    def _move_outside(self, index: Value) -> None:
        """Move every operand to the index of the outer axes."""
        b = self.b
        left = b.alloca(Type("i64"))
        put(b, index, left, 0)
        with b.loop(0, self.outer) as d:
            axis = self.outer - 1 - d
            rest, here = divided(b, word(b, left, 0), word(b, self.sizes, axis))
            put(b, rest, left, 0)
            with b.loop(0, self.count) as k:
                stride = word(b, self._operand(k), axis + len(OPERAND))
                put(b, word(b, self._leaf(k), 0) + here * stride, self._leaf(k), 0)

    # ---- buffers
    def _point_output(self, k: Value) -> None:
        """Let the kernel write to the output's buffer, if it has one; its own place is kept behind the table."""
        b = self.b
        operand, leaf = self._operand(k), self._leaf(k)
        put(b, word(b, leaf, 0), self.leaves, OPERANDS * WORDS)
        with b.when(word(b, operand, OPERAND["pack"]).ne(0)):
            self._point(operand, leaf)

    def _point(self, operand: Value, leaf: Value) -> None:
        b = self.b
        put(b, b.gep(self.tiles, word(b, operand, OPERAND["buffer"])), leaf, 0)
        put(b, word(b, operand, OPERAND["width"]), leaf, 1)
        put(b, word(b, operand, OPERAND["pitch"]), leaf, 2)

    def _fill(self, k: Value, n: Value, m: Value, write: bool) -> None:
        """Move an operand's block into its buffer, or with `write` back, if it has one."""
        b = self.b
        operand, leaf = self._operand(k), self._leaf(k)
        with b.when(word(b, operand, OPERAND["pack"]).ne(0)):
            memory = word(b, self.leaves, OPERANDS * WORDS) if write else word(b, leaf, 0)
            tile = b.gep(self.tiles, word(b, operand, OPERAND["buffer"]))
            axes = b.gep(operand, self.outer + len(OPERAND), "i64")
            counted = b.gep(axes, 2 * len(AXIS), "i64")
            with b.loop(0, self._count(counted, n, m)) as turn:
                far, near = self._turn(counted, turn, n, m)
                self._pack(operand, axes, memory + far, b.gep(tile, near), n, m, write)
            if not write:
                self._point(operand, leaf)

    def _size(self, axis: Value, n: Value, m: Value) -> Value:
        """Cells of an axis in this block."""
        b = self.b
        size = word(b, axis, AXIS["size"])
        decided = b.select(size.eq(ROWS), m, divided(b, n, word(b, axis, AXIS["below"]))[0])
        return b.select(size > 0, size, decided)

    def _count(self, counted: Value, n: Value, m: Value) -> Value:
        b = self.b
        total = b.alloca(Type("i64"))
        put(b, 1, total, 0)
        with b.loop(0, self.turns) as d:
            put(b, word(b, total, 0) * self._size(b.gep(counted, d * len(AXIS), "i64"), n, m), total, 0)
        return word(b, total, 0)

    def _turn(self, counted: Value, turn: Value, n: Value, m: Value) -> tuple[Value, Value]:
        """Byte offsets, in memory and in the buffer, of an index of the axes that are counted up."""
        b = self.b
        left, far, near = (b.alloca(Type("i64")) for _ in range(3))
        for slot, v in ((left, turn), (far, 0), (near, 0)):
            put(b, v, slot, 0)
        with b.loop(0, self.turns) as d:
            axis = b.gep(counted, d * len(AXIS), "i64")
            rest, index = divided(b, word(b, left, 0), self._size(axis, n, m))
            put(b, rest, left, 0)
            for slot, name in ((far, "far"), (near, "tile")):
                put(b, word(b, slot, 0) + index * word(b, axis, AXIS[name]), slot, 0)
        return word(b, far, 0), word(b, near, 0)

    def _pack(self, operand: Value, axes: Value, memory: Value, tile: Value, n: Value, m: Value, write: bool) -> None:
        b = self.b
        first, second = axes, b.gep(axes, len(AXIS), "i64")
        outside = (memory, *(word(b, axis, AXIS["far"]) for axis in (first, second)))
        inside = (tile, *(word(b, axis, AXIS["tile"]) for axis in (first, second)))
        target, source = (outside, inside) if write else (inside, outside)
        routine = word(b, operand, OPERAND["pack"], "ptr")
        call(b, "void", routine.name, *target, *source, self._size(first, n, m), self._size(second, n, m))
