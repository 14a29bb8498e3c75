"""Legal plans pass (every planned graph of the tests is checked); here, every kind of fault is named."""

from dataclasses import replace

import pytest

from tests.cases import for_each
from weft import dtypes as dt
from weft.errors import InternalError
from weft.ir.graph.description import describe
from weft.ir.kernels.in_place import may_blocks_write_over
from weft.ir.kernels.plan import (
    BinLaunch,
    BlockLaunch,
    Buffer,
    CallStep,
    Instr,
    MapLaunch,
    Operand,
    Plan,
    ReduceLaunch,
    Row,
    ScanLaunch,
)
from weft.ir.kernels.plan_spec import check_plan

LEAF = describe(dt.float64, (4,), (8,))
LOAD = Instr("load", dt.float64, (), 0)


def at(arg, offset=0, *strides):
    return Operand(arg, offset, strides, dt.float64)


def row(first, n, out=1, body=(LOAD,)):
    return Row(body, (n,), (at(0, 8 * first, 8),), at(out, 8 * first, 8), (first,))


ONE = (Buffer(dt.float64, (4,)),)


def plan(*steps, buffers=ONE):
    return Plan(1, (), buffers, steps, (len(buffers) - 1,), 64)


HALVES = MapLaunch((row(0, 2), row(2, 2)))
TOTAL = ReduceLaunch("sum", 0, (4,), HALVES.rows, dt.float64, at(1))
SCAN = ScanLaunch("cumulative_sum", (4,), (row(0, 4),), dt.float64, at(1, 0, 8))
NUMBER = (LOAD, Instr("astype", dt.int64, (0,)))
BINS = BinLaunch("bin_sums", 4, (4,), (row(0, 4, body=NUMBER),), (row(0, 4),), at(1, 0, 8))
CALL = CallStep("sort", (at(0, 0, 8),), ((4,),), at(1, 0, 8), (4,))
TWO = (Buffer(dt.float64, (4,), 0), Buffer(dt.float64, (4,), 0), Buffer(dt.float64, (4,)))


def test_legal_plans_pass():
    for step in (HALVES, TOTAL, SCAN, BINS, CALL):
        check_plan(plan(step), [LEAF])


FAULTS = {
    "two rows write one cell": plan(MapLaunch((row(0, 3), row(2, 1)))),
    "40 bytes written to argument 1, which has 32": plan(MapLaunch((row(0, 3), row(2, 2)))),
    "no such instruction": plan(MapLaunch((row(0, 4, body=(LOAD, Instr("concat", dt.float64, (0,)))),))),
    "it takes 2 values": plan(MapLaunch((row(0, 4, body=(LOAD, Instr("add", dt.float64, (0,)))),))),
    "of float64 it gives bool": plan(MapLaunch((row(0, 4, body=(LOAD, Instr("isnan", dt.float64, (0,)))),))),
    "its dtype does not hold it": plan(MapLaunch((row(0, 4, body=(Instr("const", dt.int8, (), 300),)),))),
    "one int64 offset": plan(MapLaunch((row(0, 4, body=(LOAD, Instr("gather", dt.float64, (0,), 0))),))),
    "in a plan of 2 arguments": plan(replace(CALL, out=at(7, 0, 8))),
    "sum is no operation of kind bins": plan(replace(BINS, op="sum")),
    "bins of other dtypes": plan(replace(BINS, out=at(1, 0, 16), bins=2)),
    "sum of weft.float64 to weft.float32": plan(replace(TOTAL, out=at(1)._replace(dtype=dt.float32))),
    "2 kept axes of shape (4,)": plan(replace(TOTAL, kept=2, out=at(1, 0, 8))),
    "a box beyond the shape": plan(replace(TOTAL, rows=(row(0, 2), row(2, 2)._replace(start=(3,))))),
    "of an arena of 64": plan(HALVES, buffers=(Buffer(dt.float64, (4,), 64), *ONE)),
    "no memory is as large": plan(HALVES, buffers=(Buffer(dt.float64, (1 << 63,)), *ONE)),
    "2 of 4 cells": plan(MapLaunch((row(0, 2),))),
    "of argument 0, which has 0 to 32": plan(MapLaunch((row(0, 4)._replace(operands=(at(0, 8, 8),)),))),
    "of argument 1, which has": plan(MapLaunch((row(0, 4)._replace(out=at(1, 8, 8)),))),
    "bytes 0 to 40": plan(replace(CALL, out_shape=(5,))),
    "reads what is not computed": plan(MapLaunch((row(0, 4, body=(LOAD, Instr("negative", dt.float64, (1,)))),))),
    "reads a scalar": plan(MapLaunch((row(0, 4, body=(Instr("scalar", dt.float64),)),))),
    "has operand": plan(MapLaunch((row(0, 4, body=(Instr("load", dt.float32, (), 0),)),))),
    "rows of 2 cells for 4": plan(replace(TOTAL, rows=(row(0, 2),))),
    "rows overlap": plan(replace(TOTAL, rows=(row(0, 2), row(1, 2)))),
    "rows of 0 cells for 4": plan(replace(BINS, numbers=())),
    "rows of 3 cells for 4": plan(replace(BINS, weights=(row(0, 3),))),
    "bytes 0 to 48 of argument 1": plan(replace(BINS, bins=6)),
    "before it is written": plan(MapLaunch((row(0, 4)._replace(operands=(at(1, 0, 8),)),))),
    "live at once": plan(
        MapLaunch((row(0, 4, 1),)), MapLaunch((row(0, 4, 2),)),
        MapLaunch((row(0, 4, 3)._replace(operands=(at(1, 0, 8), at(2, 0, 8))),)), buffers=TWO,
    ),
}  # fmt: skip


@for_each("fact", FAULTS)
def test_faults_are_named(fact):
    with pytest.raises(InternalError) as error:
        check_plan(FAULTS[fact], [LEAF])
    assert fact in str(error.value)


def in_place(first: int, step: int):
    """A plan whose second map reads buffer 0, from a cell on and with a step, and writes buffer 1 over it."""
    read = row(0, 4, 2)._replace(operands=(at(1, 8 * first, 8 * step),))
    return plan(MapLaunch((row(0, 4, 1),)), MapLaunch((read,)), MapLaunch((copied(2, 3),)), buffers=TWO)


def copied(source: int, target: int):
    return row(0, 4, target)._replace(operands=(at(source, 0, 8),))


def test_a_map_may_write_over_what_it_reads_last_cell_by_cell():
    check_plan(in_place(0, 1), [LEAF])
    with pytest.raises(InternalError, match="buffers 0 and 1 live at once"):
        check_plan(in_place(3, -1), [LEAF])
    late = replace(in_place(0, 1), steps=(*in_place(0, 1).steps[:2], MapLaunch((copied(1, 3),))))
    with pytest.raises(InternalError, match="buffers 0 and 1 live at once"):
        check_plan(late, [LEAF])


def by_blocks(shift: int):
    """A plan that sums rows of a temporary and writes scaled cells over it, two rows at a time."""
    described = describe(dt.float64, (4, 4), (32, 8))
    buffers = (Buffer(dt.float64, (4, 4), 0), Buffer(dt.float64, (4,), 128), Buffer(dt.float64, (4, 4), 0), *ONE)

    def launches(n: int):
        cells = Row((LOAD,), (n, 4), (at(1, 0, 32, 8),), None, (0, 0))
        total = ReduceLaunch("sum", 1, (n, 4), (cells,), dt.float64, at(2, 0, 8))
        times = (LOAD, Instr("load", dt.float64, (), 1), Instr("multiply", dt.float64, (0, 1)))
        return total, MapLaunch((Row(times, (n, 4), (at(1, 0, 32, 8), at(2, 0, 8, 0)), at(3, 0, 32, 8)),))

    first = MapLaunch((Row((LOAD,), (4, 4), (at(0, 0, 32, 8),), at(1, 0, 32, 8)),))
    last = ReduceLaunch(
        "sum", 1, (4, 4), (Row((LOAD,), (4, 4), (at(3, 0, 32, 8),), None, (0, 0)),), dt.float64, at(4, 0, 8)
    )
    run = BlockLaunch(launches(2), (), 2, (0, 64, 16, shift, 0), (), 0)
    made = Plan(1, (), buffers, (first, *launches(4), last), (3,), 192, ((1, 3, run),))
    return made, [described]


def test_blocks_may_write_over_what_they_have_read():
    made, leaves = by_blocks(64)
    assert may_blocks_write_over(made.blocks[0][2], 1, 3)
    check_plan(made, leaves)
    assert not may_blocks_write_over(by_blocks(32)[0].blocks[0][2], 1, 3)
    assert not may_blocks_write_over(made.blocks[0][2], 2, 3)
