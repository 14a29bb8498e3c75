"""What the drivers of reductions and scans have in common: tables, units, the calls of a law's routines.

The one idea: as for maps, a plan is a table of words and the drivers are compiled once for every reduction there is;
what depends on the law are addresses in the table.  A unit is a range of kept cells and a group of blocks; groups of
the same cell meet in `finish`, as a tree by their numbers, so the cut into units never shows in a result.

Table: the words of a head such as `HEAD`, the first unit of each group of rows (and the end), for each group how many
words it lies behind the first of these, the groups (see `walk`).
"""

from __future__ import annotations

from collections.abc import Callable

from weft.backends.llvm.inner import WORDS
from weft.backends.llvm.jit import Text
from weft.backends.llvm.text import Builder, Type, Value
from weft.backends.llvm.walk import AXES, BOX, OPERANDS, Group, decode_outer
from weft.backends.llvm.words import layout, put, word

HEAD = layout("groups bits tile fold finish merge clear close divide event")

RUN = "ptr %table, ptr %bases, ptr %scalars, ptr %scratch, i64 %u0, i64 %u1"
UNIT = "ptr %table, ptr %group, ptr %bases, ptr %scalars, ptr %scratch, ptr %L, ptr %idx, ptr %box, i64 %u"
END = "ptr %table, ptr %bases, ptr %scalars, ptr %scratch"


class Table:
    """The table's words, and its groups of rows."""

    def __init__(self, b: Builder, head: dict[str, int]) -> None:
        self.b, self.base, self.head = b, b.named("ptr", "%table"), head
        self.firsts = b.gep(self.base, len(head), "i64")
        self.count = self["groups"]

    def __getitem__(self, name: str) -> Value:
        return word(self.b, self.base, self.head[name])

    def address(self, name: str) -> Value:
        return word(self.b, self.base, self.head[name], "ptr")

    def group(self, k: Value) -> Group:
        return Group(self.b, self.b.gep(self.firsts, word(self.b, self.firsts, self.count + 1 + k), "i64"))

    def find(self, unit: Value) -> Value:
        """The last group whose first unit is not beyond this one, by setting its bits from the highest."""
        b, bits = self.b, self["bits"]
        found = b.alloca(Type("i64"))
        b.store(b.const("i64", 0), found)
        with b.loop(0, bits) as k:
            here = b.load("i64", found)
            there = here + b.value(k.type, f"shl i64 1, {(bits - 1 - k).name}")
            inside = there < self.count
            reached = word(b, self.firsts, b.select(inside, there, 0)) <= unit
            b.store(b.select(inside & reached, there, here), found)
        return b.load("i64", found)


def workspace(b: Builder) -> None:
    """Stack for the walk, under the names its callers use."""
    for name, words in (("L", (OPERANDS + 1) * WORDS), ("idx", AXES), ("box", len(BOX))):
        b.allocas.append(f"  %{name} = alloca i64, i64 {words}, align 64")
    put(b, b.const("i64", 0), b.named("ptr", "%box"), BOX["row"])


def as_double(b: Builder, x: Value) -> Value:
    return b.value(Type("double"), f"sitofp i64 {x.name} to double")


def module_of(functions: list[tuple[Builder, str]], symbols: tuple[str, ...]) -> Text:
    """Functions of several builders as one module."""
    b = Builder()
    for other, _ in functions:
        b.declarations |= other.declarations
        b.globals |= other.globals
    return Text(b.module(*(text for _, text in functions)), symbols)


def run_function(unit: str, head: dict[str, int]) -> tuple[Builder, str]:
    """`run`: units u0 to u1 - 1."""
    b = Builder()
    workspace(b)
    table = Table(b, head)
    with b.loop(b.named("i64", "%u0"), b.named("i64", "%u1")) as u:
        k = table.find(u)
        group = table.group(k)
        number = u - word(b, table.firsts, k)
        put(b, b.const("i64", 0), b.named("ptr", "%box"), BOX["row"])
        b.do(
            f"call void @{unit}(ptr %table, ptr {group.base.name}, ptr %bases, ptr %scalars, ptr %scratch, "
            f"ptr %L, ptr %idx, ptr %box, i64 {number.name})"
        )
    b.do("ret void")
    return b, b.function("run", RUN)


# ---- calls
def call_fold(
    b: Builder, table: Table, part: str, pitch: Value, first: Value | int, count: Value, times: Value, start: Value,
    group: Group, size: Value | None = None, total: Value | None = None,
) -> None:  # fmt: skip
    """Fold `times` runs of entries; they hold `size` cells each, of `total` in all."""
    size, total = size or group["block"], total or group["n"]
    first = first.name if isinstance(first, Value) else str(first)
    b.do(
        f"call void {table.address('fold').name}(ptr {part}, i64 {pitch.name}, i64 {first}, i64 {count.name}, "
        f"i64 {times.name}, i64 {start.name}, i64 {size.name}, i64 {total.name})"
    )


def call_finish(
    b: Builder, table: Table, group: Group, part: str, pitch: Value, first: Value, count: Value, out: Value
) -> None:
    n, divisor = group.real("count"), group.real("divisor")
    b.do(
        f"call void {table.address('finish').name}(ptr {part}, i64 {pitch.name}, i64 {first.name}, i64 {count.name}, "
        f"ptr {out.name}, i64 {group['stride'].name}, double {n.name}, double {divisor.name})"
    )


def finish_function(gather: Callable[[Builder, Table, Group, Value, Value], None]) -> tuple[Builder, str]:
    """`finish`: what the groups of each kept cell left behind, folded and written."""
    b = Builder()
    workspace(b)
    table = Table(b, HEAD)
    with b.loop(0, table.count) as k:
        group = table.group(k)
        with b.when(group["groups"] > 1), b.loop(0, group["outer_cells"]) as o:
            out = decode_outer(b, group, o * group["prefix"], b.named("ptr", "%idx"))
            gather(b, table, group, o, out)
    b.do("ret void")
    return b, b.function("finish", END)
