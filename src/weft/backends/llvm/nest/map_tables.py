"""From a map's rows to a task: the table that its driver reads.

Terms: a *template* holds all words of a row but addresses.  The one idea: a row's structure, sizes and strides choose
form, kernel and blocks (`map_forms`); addresses are filled in afterwards.  Rows that differ only in addresses share a
template, so a thousand pieces cost one analysis.  Rows that write cells in turns are made one row, whose step
"interleave" joins their vectors: apart, they would share every cache line of the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from weft.backends.llvm.emit.processor import second_cache
from weft.backends.llvm.emit.words import filled
from weft.backends.llvm.jit.jit import Code, code_scope, hold
from weft.backends.llvm.jit.kernel_task import KernelTask, table_of
from weft.backends.llvm.nest import native_cost as cost
from weft.backends.llvm.nest.evaluator import SLOT
from weft.backends.llvm.nest.map_driver import AXIS, HEAD, OPERAND, ROW, map_driver
from weft.backends.llvm.nest.map_forms import Axes, Form, arranged, choose
from weft.backends.llvm.nest.map_kernel import PAST_CACHES, map_kernel
from weft.backends.llvm.nest.pack_routines import pack_routine
from weft.backends.llvm.nest.structure import READS, CompactBody, Structure, Turn, compacted, operand_number, turns_of
from weft.backends.llvm.nest.tile_moves import NONE, Axis
from weft.backends.llvm.nest.walk import OPERANDS
from weft.errors import InternalError
from weft.ir.kernels.plan import Body, Instr, MapLaunch, Operand, Row, touched_bytes

STREAM = 8 * second_cache()  # bytes of a result from which it is written past the caches (see docs/design/008)

BAND = second_cache() // 2  # bytes of the result that several interleaved rows write before the next part of it
SHORT_RUN = 256  # bytes of a row's runs up to which they share cache lines with those of other rows


@dataclass(slots=True)
class Template:
    """The words of a row except its operands' addresses, and other facts that rows of equal structure share."""

    words: list[int]
    places: list[int]  # index of each operand's words `arg` and `offset`
    shifts: list[int]  # from an operand's cell (0, ..., 0) to where the loops begin
    units: int
    nanoseconds: float
    bytes_read: int
    bytes_written: int
    streams: bool  # whether kernels write whole runs of cells to where they stay
    codes: Mapping[str, Code]  # of the addresses among the words

    def filled(self, operands: list[Operand], scalars: int) -> list[int]:
        """Return the words of a row with these operands; its scalars begin at slot `scalars`."""
        words = self.words.copy()
        words[ROW["scalars"]] = SLOT * scalars
        for place, operand, shift in zip(self.places, operands, self.shifts, strict=True):
            words[place], words[place + 1] = operand.arg, operand.offset + shift
        return words


class Templates(dict[object, Any]):
    """The templates of the rows lowered so far by all that they depend on, and compact bodies by id, with the bodies.

    Of equal bodies, most are one object.
    """

    def compact(self, body: Body) -> CompactBody:
        """Return a body without the operands that it reads twice."""
        if id(body) not in self:
            self[id(body)] = compacted(body), body
        compact: CompactBody = self[id(body)][0]
        return compact

    def find(self, row: Row, operands: list[Operand]) -> Template:
        """Return the template of a row with these operands; its code counts as asked for by this thread."""
        turns = turns_of(operands[:-1]) if len({o.arg for o in operands[:-1]}) < len(operands) - 1 else {}
        shape = (
            id(row.body),
            row.sizes,
            *turns.items(),
            *[(o.strides, o.dtype, o.swapped, o.arg < 0) for o in operands],
        )
        found: Template | None = self.get(shape)
        if found is None:
            found = self[shape] = _template(self.compact(row.body), row.sizes, operands, turns)
        hold(found.codes)
        return found


def lower_map(launch: MapLaunch, times: int = 1, templates: Templates | None = None) -> list[KernelTask]:
    """Return the task of a map, in a list; an empty list if no row has cells.

    `times` is the number of times it runs, each time for other results; 0 if these are read again at once, so that they
    are not written past the caches. `templates` are those of launches before.
    """
    templates = Templates() if templates is None else templates
    rows: list[list[int]] = []
    used: list[Template] = []
    for row in _in_bands(interleaved_rows(launch.rows)):
        if 0 in row.sizes:
            continue
        operands = _operands(row, templates.compact(row.body).picks)
        template = templates.find(row, operands)
        rows.append(template.filled(operands, row.scalars))
        used.append(template)
    written, read = (times * sum(sizes) for sizes in ([t.bytes_written for t in used], [t.bytes_read for t in used]))
    if written >= max(STREAM, 1) and written + read >= 2 * STREAM:  # what reads little leaves a cache to its result
        for words, template in zip(rows, used, strict=True):
            if template.streams:
                words[template.places[-1] + OPERAND["along"] - OPERAND["arg"]] = PAST_CACHES
    return [_task(rows, used, launch.rows[0].body)] if rows else []


def lower_constant(value: object, shape: tuple[int, ...], out: Operand) -> list[KernelTask]:
    """Return the task, in a list, that writes a number to every cell of an operand of this shape."""
    return lower_map(MapLaunch((Row((Instr("const", out.dtype, attr=value),), shape, (), out),)))


def _in_bands(rows: Sequence[Row]) -> Sequence[Row]:
    """Return the rows, but cut into bands along the first axis if they write between each other's cells.

    They are taken band by band, so that the cache lines that they share are written while they are near.
    """
    first = rows[0].out if len(rows) > 1 else None
    if first is None or not rows[0].sizes:
        return rows
    step, sizes, item = abs(first.strides[0]), rows[0].sizes, first.dtype.itemsize
    run = sizes[-1] * item if len(sizes) > 1 and first.strides[-1] == item else item
    size = max(BAND // max(step, 1), 1)
    if sizes[0] < 4 * size or run > SHORT_RUN or step < max(map(abs, first.strides)):
        return rows
    for r in rows:
        if r.out is None or r.sizes != sizes or r.out.strides != first.strides or r.out.arg != first.arg:
            return rows
        if abs(r.out.offset - first.offset) >= step:
            return rows
    return [_row_range(r, at, size) for at in range(0, sizes[0], size) for r in rows]


def _row_range(row: Row, at: int, size: int) -> Row:
    """Return the part of a row from index `at` of its first axis on, with at most `size` indices."""
    given = [o._replace(offset=o.offset + at * o.strides[0]) for o in (*row.operands, row.out) if o is not None]
    sizes = (min(size, row.sizes[0] - at), *row.sizes[1:])
    return row._replace(sizes=sizes, operands=tuple(given[:-1]), out=given[-1])


def _operands(row: Row, picks: tuple[int, ...]) -> list[Operand]:
    """Return the operands numbered in `picks`, then the output.

    Raises InternalError if the row has no output, stores another dtype, or has too many operands.
    """
    if row.out is None:
        raise InternalError("map: internal: a row without an output; please report this")
    if row.out.dtype is not row.body[-1].dtype:
        raise InternalError(f"map: internal: {row.body[-1].dtype} stored as {row.out.dtype}; please report this")
    if len(picks) >= OPERANDS:
        raise InternalError(f"map: internal: {len(picks)} operands; at most {OPERANDS - 1} fit; please report this")
    return [*[row.operands[k] for k in picks], row.out]


def _task(rows: list[list[int]], used: list[Template], body: Body) -> KernelTask:
    units = sum([t.units for t in used])
    ops = [i.op for i in body if i.op not in ("load", "const", "scalar")]
    return KernelTask(
        map_driver(),
        table_of(HEAD, {}, [t.units for t in used], rows),
        units,
        cost=sum([t.nanoseconds for t in used]) / units,
        bytes_read=sum([t.bytes_read for t in used]),
        bytes_written=sum([t.bytes_written for t in used]),
        name="map " + (" ".join(ops) or "copy"),
    )


def _template(body: CompactBody, sizes: tuple[int, ...], operands: list[Operand], turns: dict[int, Turn]) -> Template:
    """Return the template of a row with this body, sizes and operands, some of which share rows by `turns`."""
    axes = arranged(sizes, [o.strides for o in operands])
    form = choose(axes, body, operands, turns)
    with code_scope() as codes:
        kernel = map_kernel(Structure(body.steps, form.leaves, body.lanes))
        words, places = _words(kernel, axes, form, operands)
    *reads, written = [touched_bytes(o, sizes) for o in operands]
    written *= body.width
    nanoseconds = prod(axes.sizes) * form.cost + cost.of_bytes(sum(reads) + written)
    units = form.units * prod([axes.sizes[a] for a in form.outer])
    streams = len(operands) - 1 not in form.packed and form.leaves[-1].kind == str(body.width)
    return Template(words, places, axes.shifts, units, nanoseconds, sum(reads), written, streams, codes)


def _words(kernel: int, axes: Axes, form: Form, operands: list[Operand]) -> tuple[list[int], list[int]]:
    """Return the words of a row with addresses 0, and for each operand the position of its word `arg`.

    `kernel` is the address of the row's kernel, `form` the loops over its axes.
    """
    turns = max([len(m.turns) for m in form.packed.values()], default=0)
    words = filled(
        ROW, kernel=kernel, n=form.n, m=form.m, block_n=form.block_n, block_m=form.block_m,
        blocks_n=-(-form.n // form.block_n), blocks_m=-(-form.m // form.block_m),
        outer=len(form.outer), turns=turns, operands=len(operands), buffered=len(form.packed),
    )  # fmt: skip
    words += [axes.sizes[a] for a in form.outer]
    places = []
    for k, operand in enumerate(operands):
        places.append(len(words) + OPERAND["arg"])
        words += _operand_words(axes.strides[k], form, k, turns, operand)
    return words, places


def one_block(kernel: int, n: int, m: int, operands: Sequence[tuple[int, int, int, int]]) -> list[int]:
    """Return the words of a row that one call of its kernel computes: m rows of n cells.

    `operands` are (argument, offset, bytes from cell to cell, bytes from row to row).
    """
    words = filled(ROW, kernel=kernel, n=n, m=m, blocks_n=1, blocks_m=1, block_n=n, block_m=m, operands=len(operands))
    for arg, offset, along, rows in operands:
        words += [*filled(OPERAND, arg=arg, offset=offset, along=along, rows=rows), *_NO_AXIS, *_NO_AXIS]
    return words


def _operand_words(strides: list[int], form: Form, k: int, turns: int, operand: Operand) -> list[int]:
    along = strides[form.lanes[-1]] if form.lanes else 0
    rows = strides[form.rows] if form.rows >= 0 else 0
    first = strides[form.lanes[0]] if form.lanes else 0
    numbers = {"along": along, "rows": rows, "step_m": form.block_m * rows}
    numbers["step_n"] = form.block_n // form.inner * first
    counted: list[int] = []
    if k in form.packed:
        how, width = form.packed[k], form.leaves[k].itemsize
        buffer, pitch = form.buffers[k]
        numbers |= {"buffer": buffer, "pitch": pitch, "width": width}
        numbers["pack"] = pack_routine(operand, how.is_rows)
        for axis in (how.n, how.m, *how.turns):
            counted += _axis_words(axis)
    counted += _NO_AXIS * (2 + turns - len(counted) // len(AXIS))
    return [*filled(OPERAND, **numbers), *[strides[a] for a in form.outer], *counted]


def _axis_words(axis: Axis) -> list[int]:
    return filled(AXIS, size=axis.size, below=axis.below, far=axis.far, tile=axis.tile)


_NO_AXIS = _axis_words(NONE)


COUNTS = (2, 3, 4, 6, 8)  # numbers of rows whose vectors can be interleaved in registers
LEAST = 256  # least cells of a row for which that pays


def interleaved_rows(rows: Sequence[Row]) -> Sequence[Row]:
    """Return the rows, with each two to eight of them that write cells in turns as one row."""
    short = [len(row.sizes) > 1 and any(2 <= n <= COUNTS[-1] for n in row.sizes) for row in rows]
    rows = [part for row, is_short in zip(rows, short, strict=True)
            for part in (_short_axis_rows(row) if is_short else (row,))]  # fmt: skip
    count = _in_turns(rows[0]) if rows else 0
    if not count:
        return rows
    made: list[Row] = []
    bodies: dict[object, Body] = {}
    at = 0
    while at < len(rows):
        some = rows[at : at + count]
        if _fit(some, count):
            operands = {o: None for r in some for o in r.operands}
            places = dict(zip(operands, range(len(operands)), strict=True))
            numbers = [tuple([places[o] for o in r.operands]) for r in some]
            key = tuple([(id(r.body), own, r.scalars - some[0].scalars) for r, own in zip(some, numbers, strict=True)])
            body = bodies[key] if key in bodies else bodies.setdefault(key, _body(some, numbers))
            made.append(some[0]._replace(body=body, operands=tuple(operands)))
        else:
            made.append(rows[at])
        at += count if made[-1] is not rows[at] else 1
    return made


def _short_axis_rows(row: Row) -> list[Row]:
    """Return a row in parts that write cells in turns, one for each cell of a short axis. Most rows have no such axis.

    Along that axis the written cells touch, but some operand is repeated along it, or along the next.
    """
    out = row.out
    axis = out.strides.index(out.dtype.itemsize) if out is not None and out.dtype.itemsize in out.strides else -1
    if out is None or axis < 0 or (count := row.sizes[axis]) not in COUNTS:
        return [row]
    parts = [_without_axis(row, axis, k) for k in range(count)]
    step = out.dtype.itemsize * count
    if step not in out.strides or _in_turns(parts[0]) != count:
        return [row]
    after = out.strides.index(step)
    apart = any(o.strides[after] != count * o.strides[axis] for o in row.operands)
    return parts if apart and _fit(parts, count) else [row]


def _without_axis(row: Row, axis: int, index: int) -> Row:
    """Return the part of a row at an index of one of its axes."""
    left = [a for a in range(len(row.sizes)) if a != axis]
    given = [
        o._replace(offset=o.offset + index * o.strides[axis], strides=tuple([o.strides[a] for a in left]))
        for o in (*row.operands, row.out) if o is not None
    ]  # fmt: skip
    sizes, start = [tuple([n[a] for a in left if a < len(n)]) for n in (row.sizes, row.start)]
    return row._replace(sizes=sizes, start=start, operands=tuple(given[:-1]), out=given[-1])


def _in_turns(row: Row) -> int:
    """Return the number of rows, `row` included, that may write cells by turns with `row`: one of COUNTS, else 0."""
    if row.out is None or row.out.dtype.kind == "complex":
        return 0
    axes = [(step, size) for step, size in zip(row.out.strides, row.sizes, strict=True) if size != 1]
    step, size = min(axes, default=(0, 0))
    count, rest = divmod(step, row.out.dtype.itemsize)
    return count if not rest and count in COUNTS and size >= LEAST else 0


def _fit(rows: Sequence[Row], count: int) -> bool:
    """True if the first `count` of `rows` exist, write their cells by turns, and have few enough operands."""
    first = rows[0].out
    if len(rows) < count or first is None or sum([len(r.operands) for r in rows]) >= OPERANDS:
        return False
    if _in_turns(rows[0]) != count:  # single cells that are neighbours leave no gaps to be filled
        return False
    places = [first._replace(offset=first.offset + k * first.dtype.itemsize) for k in range(count)]
    return all(r.out == place and r.sizes == rows[0].sizes for r, place in zip(rows, places, strict=True))


def _body(rows: Sequence[Row], numbers: Sequence[Sequence[int]]) -> Body:
    """Return the body that computes a cell of each row and interleaves them; `numbers` are those of its operands."""
    steps: dict[str, tuple[int, Instr]] = {}  # what several rows compute stands there once
    results = []
    for row, operands in zip(rows, numbers, strict=True):
        slots, own = row.scalars - rows[0].scalars, list[int]()
        for i in row.body:
            attr = operands[operand_number(i)] if i.op in READS else i.attr
            attr = attr + slots if i.op == "scalar" else attr  # type: ignore[operator]
            step = Instr(i.op, i.dtype, tuple([own[a] for a in i.args]), attr)
            key = f"{step.op}.{step.dtype.name}{step.args}{step.attr!r}"
            own.append(steps.setdefault(key, (len(steps), step))[0])
        results.append(own[-1])
    return (*[step for _, step in steps.values()], Instr("interleave", rows[0].body[-1].dtype, tuple(results)))
