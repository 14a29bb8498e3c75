"""The driver of products of matrices: rows of a stack times columns, a block of each at a time.

Terms: a *panel* holds the cells of a line of columns, one row below the other.  The one idea: rows of the left operand
are copied as they lie, and read by broadcasts; the right operand is copied to panels that stay in the second cache, or
read where it lies if that is near enough.  The blocks are those of Goto and van de Geijn, "Anatomy of high-performance
matrix multiplication" (2008).
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Type, Value
from weft.backends.llvm.emit.words import Words, layout, word
from weft.backends.llvm.folds.product_tile import (
    LINE,
    NEAR,
    SLIM,
    TileShape,
    least_rows,
    tile_function,
    tile_shapes,
    tile_signature,
)
from weft.backends.llvm.folds.product_windows import WINDOWS
from weft.backends.llvm.jit.jit import compiled
from weft.backends.llvm.jit.kernel_task import FINISH, RUN
from weft.backends.llvm.nest.pack_routines import CELLS

LEFT_BYTES = 96 << 10  # bytes of left rows copied at a time, about, on a worker's stack
STACK_PANELS = 8  # panels copied at a time where no memory could be allocated for more
PRODUCT = layout(
    "copy_a* copy_b* "  # the routines that copy operands; no address: an operand is read where it lies
    "windows "  # 1: `copy_b` is that of `product_windows`, and steps of b lie at the offsets behind the axes
    "a a_at a_row a_step b b_at b_column b_step c c_at c_row "  # argument, offset and strides in bytes
    "rows columns steps height blocks breadth together left right axes "  # left, right: bytes of the copies
    "turned left_row left_step "  # rows of the left operand lie across; strides where tiles read it
    "next "  # bytes to the left operand that is asked for meanwhile: of the next matrix, if matrices are small
    "mirror* matrices"  # the routine that copies what is right of the diagonal to its left, if operands are one matrix
)
Plan = dict[str, Value]  # the words of the head, loaded
AXIS = layout("size a b c")  # an axis of the stack: its size, and bytes from one matrix to the next of each operand


def block_height(elem: str, rows: int) -> int:
    """Return the number of left rows that are copied at a time, a multiple of a tile's `rows`."""
    return LEFT_BYTES // (NEAR * Type(elem).bits // 8) // rows * rows


@compiled("product_run", RUN)
def product_driver(b: Builder, elem: str, rows: int, vectors: int) -> list[Builder]:
    """Emit the driver of matrix products, whose units each compute some rows of a matrix of the stack.

    `elem` is "float", "double", "i32" or "i64"; a whole tile has `rows` rows and `vectors` vectors of columns.
    Returns the tile functions that the driver calls.
    """
    words, height = Words(b, b["table"], PRODUCT), block_height(elem, rows)
    plan = {name: words[name] for name in PRODUCT}
    blocks = plan["blocks"]
    b.scope["left_copy"] = b.value("ptr", f"alloca i8, i64 {plan['left'].name}, align {LINE}")
    _reserve(b, plan, vectors)
    b.scope |= {"pitch": plan["c_row"], "copied": plan["copy_a"].ne(0), "packed": plan["copy_b"].ne(0)}
    b.scope |= {"left_pitch": plan["left_row"], "left_step": plan["left_step"]}
    b.scope["step"] = b.select(b["packed"], vectors * LINE, plan["b_step"])
    b.scope["next"] = plan["next"]
    b.scope["across"] = b.const("i64", vectors * LINE // (Type(elem).bits // 8))
    b.scope["panel"] = b.select(b["packed"], b.const("i64", NEAR * vectors * LINE), vectors * LINE)
    b.scope["offsets"] = b.gep(words.end_address, plan["axes"] * len(AXIS), "i64")
    with b.loop(b["u0"] // blocks, (b["u1"] + blocks - 1) // blocks) as matrix:
        first = b.smax(b["u0"] - matrix * blocks, 0) * plan["height"]
        end = b.smin((b["u1"] - matrix * blocks) * plan["height"], plan["rows"])
        a, right, c = _matrices(b, plan, words.end_address, matrix)
        b.scope["mirrored"] = plan["mirror"].ne(0) & a.eq(right)
        with b.loop(0, plan["steps"], NEAR) as k, b.loop(0, plan["columns"], b["most"]) as j:
            b.scope |= {"k": k, "steps": b.smin(plan["steps"] - k, NEAR), "begun": k > 0, "j": j}
            b.scope["breadth"] = b.smin(plan["columns"] - j, b["most"])
            b.scope |= {"a": b.gep(a, k * plan["a_step"]), "c": b.gep(c, j * (Type(elem).bits // 8))}
            _set_right_block(b, plan, elem, vectors, b.gep(right, k * plan["b_step"] + j * plan["b_column"]))
            with b.loop(first, end, height) as row:
                _block(b, plan, elem, (rows, vectors), row, b.smin(end - row, height))
    with b.when(b["heap"].ne(0)):
        b.call("void", "PyMem_RawFree", b["heap"])
    shapes = dict.fromkeys([(r, v) for tiles in tile_shapes(rows, vectors) for r, widths in tiles for v in widths])
    return [tile_function(elem, r, v, vectors) for r, v in shapes]


@compiled("product_mirror", FINISH)
def product_mirror(b: Builder, elem: str, vectors: int) -> None:
    """Emit the function that completes symmetric results: what is right of each square on the diagonal is transposed.

    The squares are as wide as a panel, so tiles have computed all that is read.
    """
    words, width = Words(b, b["table"], PRODUCT), Type(elem).bits // 8
    plan = {name: words[name] for name in PRODUCT}
    side = vectors * LINE // width
    with b.loop(0, plan["matrices"]) as matrix:
        a, right, c = _matrices(b, plan, words.end_address, matrix)
        with b.when(a.eq(right)), b.loop(0, plan["rows"] - side, side) as row:
            square = b.gep(c, row * (plan["c_row"] + width))
            CELLS.call(
                b, plan["mirror"], dst=b.gep(square, plan["c_row"] * side), dn=width, dm=plan["c_row"],
                src=b.gep(square, side * width), sn=plan["c_row"], sm=width, n=side, m=plan["rows"] - row - side,
            )  # fmt: skip


def _reserve(b: Builder, plan: Plan, vectors: int) -> None:
    """Emit code that sets `right_copy` to memory for panels, and `most` to the columns that fit there.

    Many panels lie on the heap (address `heap`, else null); if no memory is to be had, fewer lie on the stack.
    """
    room, few = plan["right"], STACK_PANELS * NEAR * vectors * LINE
    none = b.const("ptr", 0)
    (b.scope["heap"],) = b.choose(room > few, lambda: [b.call("ptr", "PyMem_RawMalloc", room + LINE)], [none])
    short = b["heap"].eq(0) & (room > few)
    stack = b.value("ptr", f"alloca i8, i64 {b.smin(room, few).name}, align {LINE}")
    aligned = b.gep(b["heap"], (0 - b.cast("ptrtoint", b["heap"], "i64")) & (LINE - 1))
    b.scope["right_copy"] = b.select(b["heap"].eq(0), stack, aligned)
    b.scope["most"] = b.select(short, plan["breadth"] * few // b.smax(room, 1), plan["breadth"])


def _set_right_block(b: Builder, plan: Plan, elem: str, vectors: int, source: Value) -> None:
    """Emit code that sets `right` to the address of a block of the right operand, as tiles read it.

    The block at `source` is copied to panels first if the operand is packed.
    """
    width, line = Type(elem).bits // 8, vectors * LINE
    b.scope["right"] = b.select(b["packed"], b["right_copy"], source)
    with b.when(plan["windows"].ne(0)):
        WINDOWS.call(
            b, plan["copy_b"], dst=b["right_copy"], src=source, offsets=b.gep(b["offsets"], b["k"], "i64"),
            apart=plan["b_column"], columns=b["breadth"], steps=b["steps"],
        )  # fmt: skip
    with b.when(b["packed"] & plan["windows"].eq(0)), b.loop(0, b["steps"], plan["together"]) as k:
        at = b.gep(source, k * plan["b_step"])
        with b.loop(0, b["breadth"], line // width) as j:
            CELLS.call(
                b, plan["copy_b"], dst=b.gep(b["right_copy"], j * (NEAR * width) + k * line), dn=width, dm=line,
                src=b.gep(at, j * plan["b_column"]), sn=plan["b_column"], sm=plan["b_step"],
                n=b.smin(b["breadth"] - j, line // width), m=b.smin(b["steps"] - k, plan["together"]),
            )  # fmt: skip


def _block(b: Builder, plan: Plan, elem: str, shape: tuple[int, int], row: Value, count: Value) -> None:
    """Emit code that computes the tiles of `count` rows of the left operand, from `row` on.

    `shape` is (rows, vectors) of a whole tile.
    """
    (rows, vectors), width = shape, Type(elem).bits // 8
    b.scope["diagonal"] = b.select(b["mirrored"], row - b["j"], 0 - plan["rows"])  # its column in the first row
    a = b.gep(b["a"], row * plan["a_row"])
    turned = plan["turned"].ne(0)
    step, pitch = (b.select(turned, plan[x], plan[y]) for x, y in (("a_row", "a_step"), ("a_step", "a_row")))
    with b.when(b["copied"]):
        CELLS.call(
            b, plan["copy_a"], dst=b["left_copy"], dn=width, dm=b.select(turned, plan["left_step"], plan["left_row"]),
            src=a, sn=step, sm=pitch, n=b.select(turned, count, b["steps"]), m=b.select(turned, b["steps"], count),
        )  # fmt: skip
    b.scope |= {"left": b.select(b["copied"], b["left_copy"], a), "to": b.gep(b["c"], row * b["pitch"])}
    line = LINE // width
    rest = b["breadth"] % (vectors * line)
    wide = b.select(rest <= line, b["breadth"] - rest, b["breadth"])
    whole, last = tile_shapes(rows, vectors)
    with b.when(wide > 0):
        _tiles(b, elem, whole, count, b.const("i64", 0), wide)
    with b.when(wide < b["breadth"]):
        _tiles(b, elem, last, count, wide, b["breadth"])


def _tiles(b: Builder, elem: str, tiles: list[TileShape], count: Value, first: Value, end: Value) -> None:
    """Emit code that computes `count` rows of the columns `first` to `end`.

    `tiles` lists the shapes that tiles may have, the tallest first.
    """
    at, rest = b.const("i64", 0), count
    whole = tiles[0][0]
    slim = (rest % whole).eq(SLIM) & (rest > whole)  # two tiles of 8 rows instead of a whole and a slim one
    for rows, widths in tiles:
        taken = b.smin((rest + (rows - least_rows(rows, widths[-1]))) // rows * rows, rest)
        if rows == whole:
            taken = taken - b.select(slim, b.const("i64", whole), 0)
        with b.loop(at, at + taken, rows) as row:
            _line(b, elem, (rows, widths), row, b.smin(count - row, rows), first, end)
        at, rest = at + taken, rest - taken


def _line(b: Builder, elem: str, shape: TileShape, row: Value, count: Value, first: Value, end: Value) -> None:
    """Emit calls of tiles that lie side by side, in `count` rows from `row` on.

    The broadest of `shape` take what they fill, the last ones the rest.
    """
    (rows, widths), width = shape, Type(elem).bits // 8
    to, left = b.gep(b["to"], row * b["pitch"]), b.gep(b["left"], row * b["left_pitch"])
    mirrored = b.smax(b["diagonal"] + row, 0) // b["across"] * b["across"]  # columns: whole panels
    at = b.smax(first, mirrored)
    for v in widths:
        columns = v * LINE // width
        stop = end if v == widths[-1] else at + b.smax(end - at, 0) // columns * columns
        with b.loop(at, stop, columns) as j:
            right = b.gep(b["right"], j // b["across"] * b["panel"])
            given = {"to": b.gep(to, j * width), "left": left, "right": right, "columns": end - j, "count": count}
            tile_signature(rows, v).call(b, **given)
        at = stop


def _matrices(b: Builder, plan: Plan, axes: Value, matrix: Value) -> list[Value]:
    """Return the addresses of the operands and the result for matrix number `matrix` of the stack."""
    found = [b.gep(word(b, b["bases"], plan[name], "ptr"), plan[f"{name}_at"]) for name in "abc"]
    with b.carrying([matrix, *found], 0, plan["axes"]) as turn:
        axis = Words(b, b.gep(axes, turn.i * len(AXIS), "i64"), AXIS)
        rest, at = divmod(turn.values[0], axis["size"])
        turn.values = [rest, *(b.gep(p, at * axis[name]) for name, p in zip("abc", turn.values[1:], strict=True))]
    return turn.values[1:]
