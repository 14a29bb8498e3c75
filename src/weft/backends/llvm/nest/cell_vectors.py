"""Vectors of cells: loads from memory into lanes, and vectors joined in the order in which cells lie in memory.

The one idea: cells are raw integers here, whatever their dtype, and lie in a window, at computed places, or in turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.backends.llvm.emit import Builder, Type, Value
from weft.backends.llvm.nest.structure import Leaf
from weft.backends.llvm.steps.registers import Reg, part_count, raw_elem
from weft.dtypes import DType

WINDOWS = {str(s): abs(s) for s in (1, -1, 2, -2, 3, -3, 4, -4)}  # kinds read as one stretch of memory; cells a lane


def part_bytes(dtype: DType) -> int:
    return dtype.real.itemsize


def uniform_cell(b: Builder, pointer: Value, dtype: DType, lanes: int) -> tuple[Value, ...]:
    """Return the raw integers of the cell at `pointer`, in every lane; two for complex dtypes."""
    where = [b.gep(pointer, p * part_bytes(dtype)) if p else pointer for p in range(part_count(dtype))]
    return tuple(b.splat(b.load(raw_elem(dtype), w), lanes) for w in where)


def load_window(
    b: Builder, window: Value, leaf: Leaf, lanes: int, load: Callable[[Type, Value], Value] | None = None
) -> tuple[Value, ...]:
    """Return the raw integers of a chunk of a leaf; two vectors for complex dtypes.

    `window` is the lowest address of the chunk; `load` reads a vector of a type there, by default all of it.
    """
    load = load or b.load
    order = range(lanes) if int(leaf.kind) > 0 else range(lanes - 1, -1, -1)
    raw = raw_elem(leaf.dtype)
    if part_count(leaf.dtype) == 2:
        both = load(Type(raw, 2 * lanes), window)
        return tuple(b.shuffle(both, [2 * t + p for t in order]) for p in (0, 1))
    step = WINDOWS[leaf.kind]
    # whole vectors, the last of which ends with the last cell used
    starts = [min(k * lanes, (lanes - 1) * step + 1 - lanes) for k in range(step)]
    vectors = [load(Type(raw, lanes), b.gep(window, start * leaf.itemsize)) for start in starts]
    if leaf.kind == "1":
        return (vectors[0],)
    cells = [t * step for t in order]
    made = vectors[0]
    picks = cells  # for each lane, where it is in `made`, or once the vectors so far do not reach it, anything
    for start, vector in zip(starts, vectors, strict=True):
        here = [lanes + c - start if 0 <= c - start < lanes else p for c, p in zip(cells, picks, strict=True)]
        made = b.shuffle(made, [min(p, 2 * lanes - 1) for p in here], vector)
        picks = list(range(lanes))
    return (made,)


def load_rows(b: Builder, start: Value, dtype: DType, lanes: int, count: int) -> list[tuple[Value, ...]]:
    """Return the raw integers of `lanes` rows of `count` cells that follow each other from address `start` on.

    Item k of the list has cell k of every row, one in each lane; two vectors for complex dtypes.
    """
    parts = part_count(dtype)
    size = Type(raw_elem(dtype), lanes)
    vectors = [b.load(size, b.gep(start, k * lanes * part_bytes(dtype))) for k in range(count * parts)]
    cells = _dealt_out(b, vectors)
    return [tuple(cells[k * parts : (k + 1) * parts]) for k in range(count)]


def _dealt_out(b: Builder, vectors: Sequence[Value]) -> list[Value]:
    """Return n vectors that hold every n-th cell of n vectors, from the first, second, ... cell on."""
    n, lanes = len(vectors), vectors[0].type.lanes
    if n % 2 or lanes == 1:
        return vectors if lanes == 1 else [_every_nth(b, vectors, k) for k in range(n)]
    pairs = list(zip(vectors[::2], vectors[1::2], strict=True))
    sides = [[b.shuffle(x, range(odd, 2 * lanes, 2), y) for x, y in pairs] for odd in (0, 1)]
    evens, odds = [_dealt_out(b, side) for side in sides]
    return [v for pair in zip(evens, odds, strict=True) for v in pair]


def _every_nth(b: Builder, vectors: Sequence[Value], first: int) -> Value:
    """Return a vector of every n-th cell of n vectors, from cell `first` on."""
    n, lanes = len(vectors), vectors[0].type.lanes
    made = vectors[0]
    for k, vector in enumerate(vectors):  # what lies in vectors to come is anything
        cells = [divmod(first + t * n, lanes) for t in range(lanes)]
        made = b.shuffle(
            made, [lanes + at if of == k else at if k < 1 else t for t, (of, at) in enumerate(cells)], vector
        )
    return made


def collect(b: Builder, place: Callable[[Value], Value], dtype: DType, lanes: int, count: Value) -> tuple[Value, ...]:
    """Return the raw integers of the cells at addresses place(0), ..., place(count - 1), in that order of lanes.

    The other lanes are undefined.
    """
    raw = raw_elem(dtype)
    cells = [b.alloca(Type(raw, lanes)) for _ in range(part_count(dtype))]
    with b.loop(0, count) as t:
        at = place(t)
        for p, held in enumerate(cells):
            part = b.gep(at, p * part_bytes(dtype)) if p else at
            b.store(b.load(raw, part), b.gep(held, t, raw))
    return tuple(b.load(Type(raw, lanes), held, 64) for held in cells)


def picked(b: Builder, base: Value, offsets: Sequence[Value], dtype: DType) -> tuple[Value, ...]:
    """Return the raw integers of the cells at byte offsets from address `base`, one for each lane.

    They are loaded one by one, which is no slower than gather instructions.
    """
    raw = raw_elem(dtype)
    cells = [b.const(Type(raw, len(offsets)), 0) for _ in range(part_count(dtype))]
    for t, offset in enumerate(offsets):
        at = b.gep(base, offset)
        for p, held in enumerate(cells):
            cells[p] = b.insert(held, b.load(raw, b.gep(at, p * part_bytes(dtype)) if p else at), t)
    return tuple(cells)


def interleaved(b: Builder, vectors: Sequence[Reg]) -> Value:
    """Return a vector with the cells of 1 to 4, 6 or 8 real vectors by turns: x0, y0, x1, y1, ... for two.

    Of 3 and 6, surplus cells follow up to a power of two.
    """
    if len(vectors) == 3:
        return _interleaved_three(b, *vectors)
    if len(vectors) > 2:
        vectors = [interleaved(b, vectors[k::2]) for k in (0, 1)]
    first, *rest = vectors
    assert isinstance(first, Value)
    lanes = first.type.lanes
    return b.shuffle(first, [x for t in range(lanes) for x in (t, lanes + t)], *rest) if rest else first


def _interleaved_three(b: Builder, x: Reg, y: Reg, z: Reg) -> Value:
    """Return a vector with the cells of three real vectors by turns, then a third as many surplus cells.

    With these it has a power of two lanes. It is made a register at a time, as no cell of a register comes from another
    register of the same vector.
    """
    assert isinstance(x, Value) and isinstance(y, Value) and isinstance(z, Value)
    lanes = min(x.type.lanes, 512 // x.type.bits)
    pieces = []
    for first in range(0, x.type.lanes, lanes):
        part = [b.shuffle(v, range(first, first + lanes)) for v in (x, y, z)]
        for k in range(3):
            cells = [divmod(k * lanes + t, 3) for t in range(lanes)]
            pair = b.shuffle(part[0], [at + lanes * (of == 1) for at, of in cells], part[1])
            pieces.append(b.shuffle(pair, [lanes + at if of == 2 else t for t, (at, of) in enumerate(cells)], part[2]))
    pieces += [pieces[-1]] * (len(pieces) // 3)  # a vector of three times as many lanes would be made cell by cell
    while len(pieces) > 1:
        pieces = [b.shuffle(p, range(2 * p.type.lanes), q) for p, q in zip(pieces[::2], pieces[1::2], strict=True)]
    return pieces[0]
