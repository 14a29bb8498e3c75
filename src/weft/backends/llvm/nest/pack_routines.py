"""Packing: copies of blocks between memory of any strides and small buffers whose cells touch along the lanes.

The one idea: cells move as raw bytes, so a few routines serve all kernels: `rows` copies short contiguous rows, `move`
copies cells of one width at any strides, and turns whole cache lines in registers where they lie across, by exchanging
ever smaller off-diagonal blocks (Eklundh 1972); `ramp` writes coordinates.  All take the same arguments: n by m cells,
with byte strides (dn, dm) at the target `dst` and (sn, sm) at the source `src`.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Type, Value, signature
from weft.backends.llvm.jit.jit import compiled
from weft.ir.kernels.plan import Operand

LINE = 64
SIDES = {1: 16, 2: 16, 4: 16, 8: 8}  # cells of a side of the squares that are transposed in registers, by itemsize
ROWS = {1: 16, 2: 32, 4: 16, 8: 8}  # rows packed at a time: a cache line of each column; of bytes less, for short code
UNROLL = 4
AHEAD = 2  # rows between the one that is copied and the one that is prefetched
PARAMETERS = "ptr dst, i64 dn, i64 dm, ptr src, i64 sn, i64 sm, i64 n, i64 m"
CELLS = signature("cells", PARAMETERS)
Arguments = dict[str, Value]  # the parameters by name


def pack_routine(operand: Operand, in_rows: bool) -> int:
    """Return the address of the routine that packs an operand.

    It writes numbers for a coordinate, copies contiguous rows if `in_rows`, else copies cells at any strides.
    """
    if operand.arg < 0:
        return ramp_routine()
    return rows_routine() if in_rows else move_routine(operand.dtype.itemsize)


# ---- rows
@compiled("pack_rows", PARAMETERS)
def rows_routine(b: Builder) -> None:
    """Emit the routine that copies m contiguous rows of n·dn bytes: dst[r·dm + k] = src[r·sm + k].

    It is called with dn = sn = the width of a cell.  A row of P to 2P - 1 bytes is two moves of P bytes that may
    overlap.
    """
    a = b.scope
    size = a["n"] * a["dn"]
    for p in (1, 2, 4, 8, 16, 32):
        with b.when((size >= p) & (size < 2 * p)), b.loop(0, a["m"]) as r:
            _ends(b, b.gep(a["dst"], r * a["dm"]), b.gep(a["src"], r * a["sm"]), p, size)
    with b.when(size >= LINE), b.loop(0, a["m"]) as r:
        to, of = b.gep(a["dst"], r * a["dm"]), b.gep(a["src"], r * a["sm"])
        with b.loop(0, size - LINE, LINE) as k:
            b.prefetch(b.gep(of, k + a["sm"] * AHEAD))
            _bytes(b, b.gep(to, k), b.gep(of, k), LINE)
        _bytes(b, b.gep(to, size - LINE), b.gep(of, size - LINE), LINE)


def _ends(b: Builder, to: Value, of: Value, p: int, size: Value) -> None:
    first, last = b.load(Type("i8", p), of), b.load(Type("i8", p), b.gep(of, size - p))
    b.store(first, to)
    b.store(last, b.gep(to, size - p))


def _bytes(b: Builder, to: Value, of: Value, count: int) -> None:
    b.store(b.load(Type("i8", count), of), to)


# ---- cells of one width
@compiled("pack_move", PARAMETERS)
def move_routine(b: Builder, width: int) -> list[Builder]:
    """Emit the routine that copies cells: dst[c·dn + r·dm] = src[c·sn + r·sm] for c < n, r < m.

    A cell has `width` bytes: 1, 2, 4, 8 or 16.  Whole cache lines go through registers where the source is contiguous
    along m, the rest cell by cell.  Returns the function that copies cell by cell.
    """
    a = b.scope
    if width in SIDES:
        a = _adjacent_along_m(b, a, width)
        line, side = ROWS[width], SIDES[width]
        across = a["sm"].eq(width) & a["dn"].eq(width)
        m0, n0 = b.select(across, a["m"] & -line, 0), b.select(across, a["n"] & -side, 0)
        with b.loop(0, n0, side) as c, b.loop(0, m0, line) as r:
            _transpose_squares(b, a, c, r, width)
        _call_cells(b, a, 0, m0, n0, a["m"])
        _call_cells(b, a, n0, 0, a["n"], a["m"])
    else:
        _call_cells(b, a, 0, 0, a["n"], a["m"])
    return [_cells_function(width)]


def _adjacent_along_m(b: Builder, a: Arguments, width: int) -> Arguments:
    """Return the arguments changed so that source cells are adjacent along m, if that can be had.

    n and m are exchanged, or m is walked backwards.
    """
    exchange = (a["dm"].eq(width)) & (~a["dn"].eq(width))
    a = _exchanged(b, a, exchange)
    back = a["sm"].eq(-width)
    for pointer, step in (("src", "sm"), ("dst", "dm")):
        a[pointer] = b.gep(a[pointer], b.select(back, (a["m"] - 1) * a[step], 0))
        a[step] = b.select(back, 0 - a[step], a[step])
    return a


def _exchanged(b: Builder, a: Arguments, condition: Value) -> Arguments:
    """Return the arguments with n and m (and their strides) exchanged where the condition holds."""
    made = dict(a)
    for x, y in (("dn", "dm"), ("sn", "sm"), ("n", "m")):
        made[x], made[y] = b.select(condition, a[y], a[x]), b.select(condition, a[x], a[y])
    return made


def _address(b: Builder, a: Arguments, side: str, c: Value, r: Value) -> Value:
    pointer = {"s": "src", "d": "dst"}[side]
    return b.gep(a[pointer], c * a[side + "n"] + r * a[side + "m"])


def _transpose_squares(b: Builder, a: Arguments, c: Value, r: Value, width: int) -> None:
    """Emit code that transposes squares of cells, from column c and row r on, through registers."""
    line, side = ROWS[width], SIDES[width]
    columns = [b.load(Type(f"i{8 * width}", line), _address(b, a, "s", c + k, r)) for k in range(side)]
    for part in range(0, line, side):
        block = [b.shuffle(v, range(part, part + side)) if line > side else v for v in columns]
        for k, row in enumerate(transposed(b, block)):
            b.store(row, _address(b, a, "d", c, r + (part + k)))


def transposed(b: Builder, rows: list[Value]) -> list[Value]:
    """Return the transpose of a square matrix, given as 2^k vectors of 2^k lanes."""
    rows, side = list(rows), len(rows)
    half = side // 2
    while half:
        for k in range(side):
            if not k & half:
                upper, lower = rows[k], rows[k + half]
                left = [x + side - half if x & half else x for x in range(side)]
                right = [x + side if x & half else x + half for x in range(side)]
                rows[k], rows[k + half] = b.shuffle(upper, left, lower), b.shuffle(upper, right, lower)
        half //= 2
    return rows


def _call_cells(b: Builder, a: Arguments, c: Value | int, r: Value | int, n: Value, m: Value) -> None:
    """Emit a call of `cells` for columns c to n - 1 of rows r to m - 1."""
    c, r = b.coerce(c, n.type), b.coerce(r, n.type)
    CELLS.call(b, **a | {"dst": _address(b, a, "d", c, r), "src": _address(b, a, "s", c, r), "n": n - c, "m": m - r})


def _cells_function(width: int) -> Builder:
    """Return the function `cells`, which copies cell by cell.

    The inner loop goes along the axis with smaller steps, unless that is very short.
    """
    b = Builder(CELLS)
    a = b.scope
    spread = {x: _magnitude(b, a[f"s{x}"], a[f"d{x}"]) for x in "nm"}
    closer = (a["n"] < 8) | (spread["m"] < spread["n"])
    a = _exchanged(b, a, closer & (a["m"] >= 8))
    further = [(a["dn"] * k, a["sn"] * k) for k in range(UNROLL)]
    together = a["n"] & -UNROLL
    with b.loop(0, a["m"]) as r:
        to, of = b.gep(a["dst"], r * a["dm"]), b.gep(a["src"], r * a["sm"])
        with b.loop(0, together, UNROLL) as c:
            p, q = b.gep(to, c * a["dn"]), b.gep(of, c * a["sn"])
            for x, y in further:
                _bytes(b, b.gep(p, x), b.gep(q, y), width)
        with b.loop(together, a["n"]) as c:
            _bytes(b, b.gep(to, c * a["dn"]), b.gep(of, c * a["sn"]), width)
    return b


def _magnitude(b: Builder, x: Value, y: Value) -> Value:
    return b.smax(x, 0 - x) + b.smax(y, 0 - y)


# ---- coordinates
@compiled("pack_ramp", PARAMETERS.replace("ptr src", "i64 src"))
def ramp_routine(b: Builder) -> None:
    """Emit the routine that writes coordinates: dst[c·dn + r·dm] = src + c·sn + r·sm, as i64.

    `src` is not an address but the first number.
    """
    a = b.scope
    with b.loop(0, a["m"]) as r:
        first, to = a["src"] + r * a["sm"], b.gep(a["dst"], r * a["dm"])
        with b.loop(0, a["n"]) as c:
            b.store(first + c * a["sn"], b.gep(to, c * a["dn"]))
