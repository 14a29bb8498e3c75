"""The driver of a map: finds a unit's row and block, fills buffers, calls the row's kernel.

Terms: a *unit* is one block of the loops of a form (see `map_forms`) at one index of the outer axes; a *buffer* holds
the block of a packed operand; *turns* are the axes of a buffer's block beyond the two that one call packs.

Row: the words of `ROW`, outer sizes, then for each operand, the output last, the words of `OPERAND`, its outer byte
strides, and the axes of its buffer's block (`AXIS`): the two that a routine of `pack_routines` takes, then the turns.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.emit.words import Words, layout, store_word, word
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.jit.kernel_task import RUN, Table, head
from weft.backends.llvm.nest.evaluator import WORDS
from weft.backends.llvm.nest.map_forms import TILES
from weft.backends.llvm.nest.map_kernel import map_kernel
from weft.backends.llvm.nest.tile_moves import ROWS
from weft.backends.llvm.nest.walk import OPERANDS, set_leaf, start_of

HEAD = head()
ROW = layout("kernel* n m blocks_n blocks_m block_n block_m operands outer turns buffered scalars")
OPERAND = layout("arg offset along rows step_n step_m pack* buffer pitch width")
AXIS = layout("size below far tile")  # see `tile_moves.Axis`


@compiled("map_run", RUN, brief=True)
def map_driver(b: Builder) -> None:
    """Emit the driver whose units each compute one block of a row of a map."""
    b.stack_buffer("leaves", "i64", OPERANDS * WORDS + 1)
    b.stack_buffer("tiles", "i8", TILES)
    with Table(b, HEAD).units() as (row, unit):
        _Unit(b, row).emit(unit)


class _Unit(Words):
    """The emitter of one unit: `leaves` is the table that its kernel gets, `tiles` the memory of the buffers."""

    def __init__(self, b: Builder, row: Value) -> None:
        super().__init__(b, row, ROW)
        self.leaves = b["leaves"]
        self.outer, self.turns, self.count = self["outer"], self["turns"], self["operands"]
        self.sizes = self.end_address
        self.operands = b.gep(self.sizes, self.outer, "i64")
        self.length = self.outer + (self.turns + 2) * len(AXIS) + len(OPERAND)

    def emit(self, unit: Value) -> None:
        """Emit code that computes unit number `unit` of the row."""
        b = self.b
        rest, bn = divmod(unit, self["blocks_n"])
        index, bm = divmod(rest, self["blocks_m"])
        self.n = b.smin(self["n"] - bn * self["block_n"], self["block_n"])
        self.m = b.smin(self["m"] - bm * self["block_m"], self["block_m"])
        with b.loop(0, self.count) as k:
            operand = self._operand(k)
            start = start_of(b, operand) + bn * operand["step_n"] + bm * operand["step_m"]
            set_leaf(b, self.leaves, k, start, operand["along"], operand["rows"])
        self._move_outer(index)
        buffered, output = self["buffered"].ne(0), self.count - 1
        with b.when(buffered):
            with b.loop(0, output) as k:
                self._fill(k, write=False)
            self._point_output(output)
        scalars = b.gep(b["scalars"], self["scalars"])
        map_kernel.signature.call(b, self["kernel"], L=self.leaves, S=scalars, n=self.n, m=self.m)
        with b.when(buffered):
            self._fill(output, write=True)

    def _operand(self, k: Value) -> Words:
        return Words(self.b, self.b.gep(self.operands, k * self.length, "i64"), OPERAND)

    def _leaf(self, k: Value) -> Value:
        return self.b.gep(self.leaves, k * WORDS, "i64")

    def _move_outer(self, index: Value) -> None:
        """Emit code that moves the addresses of all operands to the outer index with number `index`."""
        b = self.b
        with b.carrying([index], 0, self.outer) as turn:
            axis = self.outer - 1 - turn.i
            rest, here = divmod(turn.values[0], word(b, self.sizes, axis))
            with b.loop(0, self.count) as k:
                stride = word(b, self._operand(k).base, axis + len(OPERAND))
                store_word(b, word(b, self._leaf(k), 0) + here * stride, self._leaf(k), 0)
            turn.values = [rest]

    # ---- buffers
    def _point_output(self, k: Value) -> None:
        """Emit code that makes the kernel write to the output's buffer, if it has one.

        The output's own address is kept behind the table of leaves.
        """
        b, operand = self.b, self._operand(k)
        store_word(b, word(b, self._leaf(k), 0), self.leaves, OPERANDS * WORDS)
        with b.when(operand["pack"].ne(0)):
            self._point(operand, k)

    def _point(self, operand: Words, k: Value) -> None:
        """Emit code that makes the kernel read or write the buffer of operand k."""
        tile = self.b.gep(self.b["tiles"], operand["buffer"])
        set_leaf(self.b, self.leaves, k, tile, operand["width"], operand["pitch"])

    def _fill(self, k: Value, write: bool) -> None:
        """Emit code that packs the block of operand k into its buffer.

        With `write`, it copies the buffer back to the block. Nothing happens if the operand has no buffer.
        """
        b, operand = self.b, self._operand(k)
        with b.when(operand["pack"].ne(0)):
            memory = word(b, self.leaves, OPERANDS * WORDS) if write else word(b, self._leaf(k), 0)
            tile = b.gep(b["tiles"], operand["buffer"])
            axes = b.gep(operand.end_address, self.outer, "i64")
            counted = b.gep(axes, 2 * len(AXIS), "i64")
            with b.loop(0, self._count(counted)) as turn:
                far, near = self._call_offsets(counted, turn)
                self._pack(operand, axes, memory + far, b.gep(tile, near), write)
            if not write:
                self._point(operand, k)

    def _axis(self, axes: Value, k: Value | int) -> Words:
        return Words(self.b, self.b.gep(axes, k * len(AXIS), "i64"), AXIS)

    def _size(self, axis: Words) -> Value:
        """Return the number of cells of an axis within this unit's block."""
        b, size = self.b, axis["size"]
        return b.select(size > 0, size, b.select(size.eq(ROWS), self.m, self.n // axis["below"]))

    def _count(self, counted: Value) -> Value:
        """Return the number of calls of an operand's routine.

        It is the product of the sizes of `counted`, the axes beyond two.
        """
        b = self.b
        with b.carrying([b.const("i64", 1)], 0, self.turns) as turn:
            turn.values = [turn.values[0] * self._size(self._axis(counted, turn.i))]
        return turn.values[0]

    def _call_offsets(self, counted: Value, index: Value) -> list[Value]:
        """Return the byte offsets, in memory and in the buffer, of call number `index` of an operand's routine."""
        b, zero = self.b, self.b.const("i64", 0)
        with b.carrying([index, zero, zero], 0, self.turns) as turn:
            left, far, near = turn.values
            axis = self._axis(counted, turn.i)
            rest, here = divmod(left, self._size(axis))
            turn.values = [rest, far + here * axis["far"], near + here * axis["tile"]]
        return turn.values[1:]

    def _pack(self, operand: Words, axes: Value, memory: Value, tile: Value, write: bool) -> None:
        """Emit a call of an operand's routine, which copies two axes of its block.

        It copies from `memory` to the buffer `tile`; with `write`, the other way.
        """
        first, second = self._axis(axes, 0), self._axis(axes, 1)
        outside = (memory, first["far"], second["far"])
        inside = (tile, first["tile"], second["tile"])
        target, source = (outside, inside) if write else (inside, outside)
        self.b.call("void", operand["pack"], *target, *source, self._size(first), self._size(second))
