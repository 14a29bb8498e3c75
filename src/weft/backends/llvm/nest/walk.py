"""Finding cells by their logical index: the part of the reduction and scan drivers that reads the tables.

Terms: a *group* is a set of rows (*pieces*) over one box of kept cells; its *outer* axes are kept axes, its *inner*
axes those that a *logical index* g runs over in row-major order.  The one idea: `walk` turns g into the row that holds
it, the addresses of that row's operands there, and how many further cells in logical order they reach by constant
strides.  All numbers come from tables, so the code is compiled once.

Words of a group: `GROUP`, the sizes of all axes, the output's strides along the outer axes, the rows.  Of a row: `ROW`,
first index and size for each inner axis, then for each operand the words of `OPERAND` and its strides along all axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from weft.backends.llvm.emit import Builder, Number, Value, signature
from weft.backends.llvm.emit.words import Words, layout, store_word, word
from weft.backends.llvm.jit.kernel_task import Table
from weft.backends.llvm.nest.evaluator import WORDS
from weft.backends.llvm.nest.map_kernel import map_kernel

GROUP = layout(
    "rows row_words outer outer_cells prefix axes boxes item direct mixed n c per batch groups group_blocks blocks "
    "block cap uniform step arg offset stride scratch pitch count divisor planes size0 size1 lanes lane plane panels "
    "kept covered whole"
)
ROW = layout("kernel* operands flat sub cells tall rows* scalars")
OPERAND = layout("arg offset along second pack* width buffer")
FOUND = layout("row n m down axes words* first*")
OPERANDS, AXES = 80, 64  # most operands of a kernel, and most axes of a group
CONTEXT = "ptr group, ptr bases, ptr scalars, ptr L, ptr idx, ptr found"
WALK = signature("walk", "ptr group, ptr bases, ptr L, ptr idx, ptr found, i64 g, i64 end")


class Group(Words):
    """The words of a group in the table, and the addresses of its parts: sizes, strides, rows."""

    def __init__(self, b: Builder) -> None:
        super().__init__(b, b["group"], GROUP)
        self.axes, self.outer = self["axes"], self["outer"]
        self.sizes = self.end_address
        self.out_strides = b.gep(self.sizes, self.axes, "i64")
        self.rows = b.gep(self.out_strides, self.outer, "i64")

    def panel(self) -> dict[str, Value]:
        """Return the byte strides of a panel's accumulators, as arguments of routines.

        `lane` is that of rows, `plane` that of elements.
        """
        return {"lane": self["lane"], "plane": self["plane"]}


class WalkPosition(Words):
    """The result of the last walk: a row, and the number of further cells that it reaches."""

    def __init__(self, b: Builder) -> None:
        super().__init__(b, b["found"], FOUND)

    @property
    def row(self) -> Words:
        """Return the words of the row that the last walk found."""
        return Words(self.b, self["words"], ROW)

    @property
    def scalars(self) -> Value:
        """Return the address of the scalars of the row that the last walk found."""
        return self.b.gep(self.b["scalars"], self.row["scalars"])


def workspace(b: Builder) -> None:
    """Reserve the stack buffers of a walk: the leaves `L`, the indices `idx` and the result `found`."""
    b.stack_buffer("L", "i64", (OPERANDS + 1) * WORDS)
    b.stack_buffer("idx", "i64", AXES)
    b.stack_buffer("found", "i64", len(FOUND))


@contextmanager
def group_units(b: Builder, table: Table) -> Iterator[tuple[Group, Value]]:
    """Return a context manager that emits a loop over the units of a table of groups.

    Yields (group, number of the unit within it).  Functions called in its body get the group's address as their
    parameter `group`.
    """
    workspace(b)
    with table.units() as (entry, unit):
        b.scope["group"] = entry
        WalkPosition(b)["row"] = 0
        yield Group(b), unit


def decode_outer(b: Builder, group: Group, index: Value) -> Value:
    """Return the output's address for the outer kept cell with number `index`.

    The outer indices of that cell are written to `idx`.
    """
    start = b.gep(word(b, b["bases"], group["arg"], "ptr"), group["offset"])
    with b.carrying([index, start], 0, group.outer) as turn:
        left, out = turn.values
        axis = group.outer - 1 - turn.i
        rest, here = divmod(left, word(b, group.sizes, axis))
        store_word(b, here, b["idx"], axis)
        turn.values = [rest, b.gep(out, here * word(b, group.out_strides, axis))]
    return turn.values[1]


def walk_function() -> Builder:
    """Return the function `walk`, which for logical index g fills the table of leaves `L` and the record `found`.

    The outer indices must stand in `idx`; the inner ones are written there.
    """
    b = Builder(WALK)
    group, found, idx = Group(b), WalkPosition(b), b["idx"]
    inner = group.axes - group.outer
    first = b.gep(idx, group.outer, "i64")  # the inner indices
    sizes = b.gep(group.sizes, group.outer, "i64")
    _decode(b, b["g"], sizes, first, inner)
    row = _find_row(b, group, inner, first, found)
    starts = b.gep(row, len(ROW), "i64")
    _extent(b, group, inner, first, sizes, starts, found)
    operands = b.gep(starts, inner << 1, "i64")
    found["words"], found["first"], found["axes"] = row, operands, group.axes
    with b.loop(0, found.row["operands"]) as k:
        _address(b, group, b.gep(operands, k * (group.axes + len(OPERAND)), "i64"), k)
    return b


def _decode(b: Builder, g: Value, sizes: Value, first: Value, inner: Value) -> None:
    """Emit code that writes the inner indices of logical index g to `first`; `sizes` are those of the axes."""
    with b.carrying([g], 1, inner) as turn:
        axis = inner - turn.i
        rest, here = divmod(turn.values[0], word(b, sizes, axis))
        store_word(b, here, first, axis)
        turn.values = [rest]
    store_word(b, turn.values[0], first, 0)


def _find_row(b: Builder, group: Group, inner: Value, first: Value, found: WalkPosition) -> Value:
    """Return the address of the group's row whose box holds the inner indices.

    The search begins with the row found last.
    """
    rows, length = group["rows"], group["row_words"]
    with b.when(rows > 1), b.repeat() as leave_if:
        here = found["row"]
        leave_if(_row_contains(b, b.gep(group.rows, here * length + len(ROW), "i64"), inner, first))
        found["row"] = b.select(here + 1 < rows, here + 1, 0)
    return b.gep(group.rows, found["row"] * length, "i64")


def _row_contains(b: Builder, starts: Value, inner: Value, first: Value) -> Value:
    """Return an i1, true if a row's box holds the inner indices."""
    with b.carrying([b.const("i1", 1)], 0, inner) as turn:
        beyond = word(b, first, turn.i) - word(b, starts, turn.i)
        # unsigned, an index before the box is a huge number: one comparison tests both ends
        inside = beyond.compare("", "ult", word(b, starts, inner + turn.i))
        turn.values = [turn.values[0] & inside]
    return turn.values[0]


def _extent(
    b: Builder, group: Group, inner: Value, first: Value, sizes: Value, starts: Value, found: WalkPosition
) -> None:
    """Emit code that stores in `found` how far the row reaches from the current cell.

    It reaches n cells of the last axis, or m whole rows of that axis, but not beyond the cells up to `end`.  `down` is
    the number of rows that the row's box has from here.
    """

    def rest(axis: Value) -> Value:
        return word(b, starts, axis) + word(b, starts, inner + axis) - word(b, first, axis)

    last, left = inner - 1, b["end"] - b["g"]
    size = word(b, sizes, last)
    run = b.smin(rest(last), left)
    found["n"], found["m"], found["down"] = run, 1, 1
    with b.when((inner > 1) & group["boxes"].ne(0)):
        down = rest(last - 1)
        found["down"] = down
        with b.when(run.eq(size)):  # so it begins where the axis does
            found["m"] = b.smin(down, left // size)


def _address(b: Builder, group: Group, operand: Value, k: Value) -> None:
    """Emit code that writes leaf k to the kernel's table: its address at the current indices, and its strides."""
    record = Words(b, operand, OPERAND)
    with b.carrying([start_of(b, record)], 0, group.axes) as turn:
        step = word(b, operand, turn.i + len(OPERAND))
        turn.values = [turn.values[0] + word(b, b["idx"], turn.i) * step]
    set_leaf(b, b["L"], k, turn.values[0], record["along"], record["second"])


def start_of(b: Builder, operand: Words) -> Value:
    """Return the address, as i64, of an operand's cell with index 0; for a coordinate, its first number."""
    arg = operand["arg"]
    base = word(b, b["bases"], b.smax(arg, 0))
    return b.select(arg < 0, 0, base) + operand["offset"]


def call_map(b: Builder, found: WalkPosition, table: Value, n: Value, m: Value | Number) -> None:
    """Emit a call of the map kernel of the found row, for m rows of n cells."""
    map_kernel.signature.call(b, found.row["kernel"], L=table, S=found.scalars, n=n, m=m)


def set_leaf(b: Builder, table: Value, k: Value, address: Value, along: Value, second: Value) -> None:
    """Emit code that writes leaf k of a kernel's table: address, stride along the lanes, stride from row to row."""
    leaf = b.gep(table, k * WORDS, "i64")
    for at, v in enumerate((address, along, second)):
        store_word(b, v, leaf, at)
