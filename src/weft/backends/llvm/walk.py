"""Finding cells by their logical index: the part of the reduction and scan drivers that looks into the tables.

The one idea: `walk` turns a logical index into the row (the piece) that holds it, the addresses of that row's operands
there, and how many further cells in logical order they reach by constant strides.  All numbers come from tables, so
the code is compiled once.

A group is a set of rows over one box of kept cells.  Its axes are some outer kept axes and, inside, the axes that the
logical index `g` runs over in row-major order.  Words of a group: `GROUP`, the sizes of all axes, the output's strides
along the outer axes, the rows.  Of a row: `ROW`, first index and size for each inner axis, then for each operand the
words of `OPERAND` and its strides along all axes.
"""

from __future__ import annotations

from weft.backends.llvm.carried import Carried
from weft.backends.llvm.inner import WORDS
from weft.backends.llvm.text import Builder, Type, Value
from weft.backends.llvm.words import call, divided, layout, put, word

GROUP = layout(
    "rows row_words outer outer_cells prefix axes boxes item direct mixed n c per batch groups group_blocks blocks "
    "block cap uniform step arg offset stride scratch pitch count divisor planes size0 size1 lanes lane plane panels"
)
ROW = layout("kernel operands flat sub cells tall rows scalars")
OPERAND = layout("arg offset along second pack width buffer")
BOX = layout("row n m down axes words first")
OPERANDS = 80
AXES = 64
WALK = "ptr %group, ptr %bases, ptr %L, ptr %idx, ptr %box, i64 %g, i64 %end"


class Group:
    """A group's words, and where its parts begin."""

    def __init__(self, b: Builder, base: Value) -> None:
        self.b, self.base = b, base
        self.axes, self.outer = self["axes"], self["outer"]
        self.sizes = b.gep(base, len(GROUP), "i64")
        self.out_strides = b.gep(self.sizes, self.axes, "i64")
        self.rows = b.gep(self.out_strides, self.outer, "i64")

    def __getitem__(self, name: str) -> Value:
        return word(self.b, self.base, GROUP[name])

    def real(self, name: str) -> Value:
        """A word that holds a double."""
        return word(self.b, self.base, GROUP[name], "double")


def of_box(b: Builder, box: Value, name: str) -> Value:
    """What the last walk found."""
    return word(b, box, BOX[name])


def of_row(b: Builder, box: Value, name: str, elem: str = "i64") -> Value:
    """A word of the row that the last walk found."""
    return word(b, word(b, box, BOX["words"], "ptr"), ROW[name], elem)


def smaller(b: Builder, x: Value, y: Value) -> Value:
    return b.intrinsic("smin", x, y)


def decode_outer(b: Builder, group: Group, index: Value, idx: Value) -> Value:
    """Write the outer indices of kept cell number `index`; gives the address of its output."""
    left, out = b.alloca(Type("i64")), b.alloca(Type("ptr"))
    b.store(index, left)
    start = word(b, b.named("ptr", "%bases"), group["arg"], "ptr")
    b.store(b.gep(start, group["offset"]), out)
    with b.loop(0, group.outer) as d:
        axis = group.outer - 1 - d
        rest, here = divided(b, b.load("i64", left), word(b, group.sizes, axis))
        b.store(rest, left)
        put(b, here, idx, axis)
        b.store(b.gep(b.load("ptr", out), here * word(b, group.out_strides, axis)), out)
    return b.load("ptr", out)


def walk_function() -> tuple[Builder, str]:
    """`walk`: sets the table of leaves and the box for index g; the indices of the outer axes are in `idx`."""
    b = Builder()
    group, idx, box = Group(b, b.named("ptr", "%group")), b.named("ptr", "%idx"), b.named("ptr", "%box")
    end = b.named("i64", "%end")
    inner = group.axes - group.outer
    first = b.gep(idx, group.outer, "i64")  # the inner indices
    sizes = b.gep(group.sizes, group.outer, "i64")
    _decode(b, b.named("i64", "%g"), sizes, first, inner)
    row = _find_row(b, group, inner, first, box)
    starts = b.gep(row, len(ROW), "i64")
    _extent(b, group, inner, first, sizes, starts, box, end - b.named("i64", "%g"))
    operands = b.gep(starts, inner << 1, "i64")
    put(b, row, box, BOX["words"])
    put(b, operands, box, BOX["first"])
    put(b, group.axes, box, BOX["axes"])
    with b.loop(0, word(b, row, ROW["operands"])) as k:
        _address(b, group, b.gep(operands, k * (group.axes + len(OPERAND)), "i64"), k)
    b.do("ret void")
    return b, b.function("walk", WALK)


def _decode(b: Builder, g: Value, sizes: Value, first: Value, inner: Value) -> None:
    with Carried(b, b.const("i64", 1), inner, 1, [g]) as loop:
        axis = inner - loop.i
        rest, here = divided(b, loop.values[0], word(b, sizes, axis))
        put(b, here, first, axis)
        loop.values = [rest]
    put(b, loop.values[0], first, 0)


def _find_row(b: Builder, group: Group, inner: Value, first: Value, box: Value) -> Value:
    """The row that holds the index: the last one found, or the next that does, going round."""
    at = b.alloca(Type("i64"))
    b.store(of_box(b, box, "row"), at)
    rows, length = group["rows"], group["row_words"]
    with b.when(rows > 1):
        b.branch(look := b.fresh("look"))
        b.label(look)
        here = b.load("i64", at)
        inside = _holds(b, b.gep(group.rows, here * length + len(ROW), "i64"), inner, first)
        found, other = b.fresh("found"), b.fresh("other")
        b.branch_if(inside, found, other)
        b.label(other)
        following = here + 1
        b.store(b.select(following < rows, following, 0), at)
        b.branch(look)
        b.label(found)
    here = b.load("i64", at)
    put(b, here, box, BOX["row"])
    return b.gep(group.rows, here * length, "i64")


def _holds(b: Builder, starts: Value, inner: Value, first: Value) -> Value:
    """Whether a row's box holds the inner indices."""
    with Carried(b, b.const("i64", 0), inner, 1, [b.const("i1", 1)]) as loop:
        beyond = word(b, first, loop.i) - word(b, starts, loop.i)
        inside = beyond.compare("", "ult", word(b, starts, inner + loop.i))
        loop.values = [loop.values[0] & inside]
    return loop.values[0]


def _extent(
    b: Builder, group: Group, inner: Value, first: Value, sizes: Value, starts: Value, box: Value, left: Value
) -> None:
    """How far the row goes on from here: n cells of the last axis, or m whole ones of the last but one; `down` says how
    many of that axis the row has from here."""

    def rest(axis: Value) -> Value:
        return word(b, starts, axis) + word(b, starts, inner + axis) - word(b, first, axis)

    last = inner - 1
    size = word(b, sizes, last)
    run = smaller(b, rest(last), left)
    for name, v in (("n", run), ("m", b.const("i64", 1)), ("down", b.const("i64", 1))):
        put(b, v, box, BOX[name])
    with b.when((inner > 1) & group["boxes"].ne(0)):
        down = rest(last - 1)
        put(b, down, box, BOX["down"])
        with b.when(run.eq(size)):  # so it begins where the axis does
            put(b, smaller(b, down, divided(b, left, size)[0]), box, BOX["m"])


def _address(b: Builder, group: Group, operand: Value, k: Value) -> None:
    """The words of one leaf: its address at the index, and its strides."""
    idx, table = b.named("ptr", "%idx"), b.gep(b.named("ptr", "%L"), k * WORDS, "i64")
    arg = word(b, operand, OPERAND["arg"])
    base = word(b, b.named("ptr", "%bases"), b.intrinsic("smax", arg, 0))
    start = b.select(arg < 0, 0, base) + word(b, operand, OPERAND["offset"])
    with Carried(b, b.const("i64", 0), group.axes, 1, [start]) as loop:
        step = word(b, operand, loop.i + len(OPERAND))
        loop.values = [loop.values[0] + word(b, idx, loop.i) * step]
    put(b, loop.values[0], table, 0)
    for place, name in enumerate(("along", "second"), 1):
        put(b, word(b, operand, OPERAND[name]), table, place)


def call_walk(b: Builder, g: Value, end: Value) -> None:
    b.do(f"call void @walk(ptr %group, ptr %bases, ptr %L, ptr %idx, ptr %box, i64 {g.name}, i64 {end.name})")


def scalars_of(b: Builder, box: Value) -> Value:
    """Where the scalars of the row that the last walk found begin."""
    return b.gep(b.named("ptr", "%scalars"), of_row(b, box, "scalars"))


def call_map(b: Builder, box: Value, table: Value, n: Value, m: Value) -> None:
    call(b, "void", of_row(b, box, "kernel", "ptr").name, table, scalars_of(b, box), n, m)


def set_leaf(b: Builder, table: Value, k: Value, address: Value, along: Value, second: Value) -> None:
    """The words of leaf k of a kernel's table; the output's follow those of the operands."""
    leaf = b.gep(table, k * WORDS, "i64")
    for at, v in enumerate((address, along, second)):
        put(b, v, leaf, at)
