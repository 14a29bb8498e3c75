"""Steps that may write over what they read.

The one idea: a cell is read before its value is written, so a map may write over an argument if it reads each cell only
where it writes the result.  Steps that run by blocks may do the same, if each block touches bytes of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from weft.ir.kernels.plan import BlockLaunch, MapLaunch, Operand, ReduceLaunch, Row, Step


def may_write_over(step: Step, offsets: Mapping[int, int]) -> bool:
    """True if a step is a map that reads each cell of some arguments just where it writes.

    `offsets` has, by argument, its byte offset in the output's memory.
    """
    return isinstance(step, MapLaunch) and all(_is_in_place(row, offsets) for row in step.rows)


def _is_in_place(row: Row, offsets: Mapping[int, int]) -> bool:
    """True if a row reads each cell of the arguments in `offsets` just where it writes."""
    out = row.out
    assert out is not None
    gathered = {i.attr for i in row.body if i.op == "gather"}
    for k, o in enumerate(row.operands):
        if o.arg not in offsets:
            continue
        if k in gathered or o.offset + offsets[o.arg] != out.offset or o.dtype.itemsize != out.dtype.itemsize:
            return False
        if any(a != b for a, b, n in zip(o.strides, out.strides, row.sizes, strict=True) if n > 1):
            return False
    return True


def may_blocks_write_over(launch: BlockLaunch, old: int, new: int) -> bool:
    """True if argument `new` of a launch may be written where argument `old` lies.

    That is so if each block of `old` is read for the last time before its bytes are written.
    """
    apart = launch.shifts[old]
    if apart <= 0 or launch.shifts[new] != apart:
        return False
    has_written = False
    for step in launch.steps:
        reads = [(o, sizes) for o, sizes in _read(step) if o.arg == old]
        out, sizes = _written(step)
        if not all(_lies_within(o, n, apart) for o, n in reads) or (reads and has_written):
            return False
        if out.arg == new:
            has_written = True
            if not _lies_within(out, sizes, apart) or (reads and not may_write_over(step, {old: 0})):
                return False
    return has_written


def _read(step: MapLaunch | ReduceLaunch) -> Iterator[tuple[Operand, Sequence[int]]]:
    """Iterate over the operands that a step reads, with the sizes of their axes."""
    for row in step.rows:
        for o in row.operands:
            yield o, row.sizes


def _written(step: MapLaunch | ReduceLaunch) -> tuple[Operand, Sequence[int]]:
    """Return the operand that a step of a block writes, with the sizes of its axes."""
    if isinstance(step, ReduceLaunch):
        return step.out, step.shape[: step.kept]
    (row,) = step.rows
    assert row.out is not None
    return row.out, row.sizes


def _lies_within(o: Operand, sizes: Sequence[int], nbytes: int) -> bool:
    """True if the cells of an operand lie in the first `nbytes` bytes of its argument."""
    last = o.offset + sum([s * (n - 1) for s, n in zip(o.strides, sizes, strict=True)]) + o.dtype.itemsize
    return o.offset >= 0 and min(o.strides, default=0) >= 0 and last <= nbytes
