"""Native reductions against the one order, bit for bit: every operation, dtype, layout, cut and size."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from launches import Maker, loads, run_tasks
from reduce_harness import expected, run_reduce, same, sample

from tests.shares import examples, in_turn
from weft import dtypes as dt
from weft.backends.llvm.folds.reduce_frame import HEAD
from weft.backends.llvm.folds.reduce_tables import lower_reduce
from weft.dtypes import DType
from weft.ir.kernels.plan import Instr, Operand, ReduceLaunch, Row

FLOATS = (dt.float16, dt.bfloat16, dt.float32, dt.float64)
COMPLEX = (dt.complex64, dt.complex128)
SIZES = (1, 2, 3, 7, 8, 9, 31, 33, 50, 127, 1000, 1023, 1024, 1025, 2048, 3071, 5000)


def accumulated(op: str, dtype: DType) -> DType:
    """Return the accumulation dtype that a pass would choose."""
    if op in ("min", "max", "nanmin", "nanmax", "argmin", "argmax", "any", "all", "count_nonzero"):
        return dtype
    if dtype in (dt.float16, dt.bfloat16):
        return dt.float32
    if dtype.kind == "bool":
        return dt.int64
    if dtype.is_integer:
        return (dt.int64 if dtype.kind == "int" else dt.uint64) if op in ("sum", "prod") else dt.float64
    return dtype


def allowed(op: str, dtype: DType) -> bool:
    if op in ("min", "max", "argmin", "argmax"):
        return dtype.kind != "complex"
    if op in ("nanmin", "nanmax"):
        return dtype.kind == "float"
    if op == "var":
        return dtype.kind in ("float", "int", "uint")
    return op in ("any", "all", "count_nonzero") or dtype is not dt.bool or op in ("sum", "prod")


OPS = (
    "sum",
    "prod",
    "mean",
    "var",
    "min",
    "max",
    "nanmin",
    "nanmax",
    "argmin",
    "argmax",
    "any",
    "all",
    "count_nonzero",
)


def check(op: str, x: np.ndarray, kept: int, acc: DType, **options: object) -> None:
    """Native against the order; x is converted to `acc` as the body does."""
    correction = options.get("correction", 0.0)
    got = run_reduce(op, x, kept, acc=acc, **options)  # type: ignore[arg-type]
    want = expected(op, x.astype(acc.np), kept, acc, correction)  # type: ignore[arg-type]
    assert same(got, want), f"{op} {x.dtype} {x.shape} {x.strides} {options}: {got} is not {want}"


AXES = ((1, (0, 1, 2)), (0, (0, 1, 2)), (2, (0, 1, 2)), (2, (0, 2, 1)), (1, (2, 0, 1)), (2, (2, 0, 1)))


of_each = pytest.mark.parametrize(
    ("op", "dtype", "cut"), [p for p in in_turn(OPS, dt.COMMON, AXES, every=36) if allowed(*p.values[:2])], ids=str
)


@of_each
def test_every_operation_and_dtype(op: str, dtype: DType, cut: tuple[int, tuple[int, ...]]) -> None:
    kept, axes = cut
    acc = accumulated(op, dtype)
    x = sample((2, 3, 1500), dtype, near_one=op == "prod" and dtype.is_inexact)
    if op in ("any", "all", "count_nonzero"):
        x = np.where(sample(x.shape, dt.bool, 1), x, np.zeros((), x.dtype))
        x[0] = op == "all"
    check(op, x.transpose(axes), kept, acc)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("op", ("sum", "var", "prod", "argmax", "max"))
def test_sizes(op: str, n: int) -> None:
    x = sample((3, n), dt.float32, near_one=op == "prod")
    check(op, x, 1, dt.float32)
    check(op, np.asfortranarray(x), 1, dt.float32)
    check(op, np.ascontiguousarray(x.T).T, 0, dt.float32)
    check(op, x, 0, dt.float32)
    wide = sample((n, 40), dt.float32, near_one=op == "prod")
    check(op, wide.T, 1, dt.float32)
    check(op, wide, 1, dt.float32)


LAYOUTS = {
    "backwards": lambda x: x[:, ::-1],
    "backwards kept": lambda x: x[::-1],
    "every second": lambda x: x[:, ::2],
    "every third": lambda x: x[::3, ::3],
    "backwards by two": lambda x: x[:, ::-2],
    "transposed": lambda x: x.T,
    "one row": lambda x: np.broadcast_to(x[0], x.shape),
    "one column": lambda x: np.broadcast_to(x[:, :1], x.shape),
    "unaligned": lambda x: _unaligned(x),
    "big-endian": lambda x: x.astype(x.dtype.newbyteorder(">")),
}


def _unaligned(x: np.ndarray) -> np.ndarray:
    raw = np.zeros(x.nbytes + 1, np.uint8)
    out = raw[1:].view(x.dtype).reshape(x.shape)
    out[...] = x
    return out


@pytest.mark.parametrize(
    ("layout", "dtype"), in_turn(LAYOUTS, (dt.float32, dt.int16, dt.complex64, dt.float64), every=2), ids=str
)
def test_layouts(layout: str, dtype: DType) -> None:
    x = LAYOUTS[layout](sample((37, 1300), dtype))
    acc = accumulated("sum", dtype)
    for kept in (0, 1, 2):
        check("sum", x, kept, acc)


@pytest.mark.parametrize("op", ("sum", "var", "argmin", "max"))
def test_pieces_cut_anywhere(op: str) -> None:
    x = sample((5, 3, 7, 210), dt.float32)
    for cuts in ({3: [1, 50, 200]}, {2: [3]}, {0: [1, 2]}, {0: [2], 3: [7, 8]}, {1: [1], 2: [2, 5], 3: [100]}):
        for kept in (0, 1, 2, 3):
            check(op, x, kept, dt.float32, cuts=cuts)
            check(op, x.transpose(3, 1, 0, 2), kept, dt.float32, cuts={3 - a: [1] for a in cuts}, reorder=True)


def test_short_pieces_beside_each_other() -> None:
    x = np.asfortranarray(sample((7, 1024, 16), dt.float16))
    for source in (x, x[:, ::-7], np.ascontiguousarray(x)):
        for kept in (0, 1, 2):
            check("mean", source, kept, dt.float32, cuts={2: [6, 8, 12]})
            check("mean", source, kept, dt.float32, cuts={1: [100], 2: [1, 15]})


def test_thousands_of_pieces() -> None:
    x = sample((30_000,), dt.float32)
    check("sum", x, 0, dt.float32, cuts={0: range(3, 30_000, 7)}, pieces=3)
    x = sample((1000, 20), dt.float32)
    check("sum", x, 1, dt.float32, cuts={0: range(1, 1000, 2)}, pieces=5)


@pytest.mark.parametrize("op", ("sum", "prod", "var", "argmax", "mean", "min", "count_nonzero"))
@pytest.mark.parametrize("pieces", (1, 7))
def test_large_ones_are_cut_into_groups(op: str, pieces: int) -> None:
    x = sample((700_001,), dt.float32, near_one=op == "prod")
    check(op, x, 0, dt.float32, pieces=pieces)
    check(op, x[:700_000].reshape(70_000, 10).T, 1, dt.float32, pieces=pieces)
    check(op, x[:700_000].reshape(350_000, 2), 0, dt.float32, pieces=pieces, cuts={1: [1]})
    wide = x[:698_880].reshape(-1, 32)
    check(op, wide.T, 1, dt.float32, pieces=pieces)


def test_short_rows() -> None:
    for n in (1, 2, 3, 5, 12, 50):
        x = sample((4000, n), dt.float64)
        for op in ("sum", "var", "argmin", "mean"):
            check(op, x, 1, dt.float64, pieces=2)
            check(op, x[:, ::-1], 1, dt.float64)
            check(op, sample((4000, n + 2), dt.float64)[:, 1:-1], 1, dt.float64)
            check(op, sample((4000, n + 2), dt.float64)[:, 1:-1], 0, dt.float64)


def test_bodies_fuse() -> None:
    a, b = sample((300, 77), dt.float32, 1), sample((77, 300), dt.float32, 2).T
    steps = [*loads(dt.float32, dt.float32), Instr("subtract", dt.float32, (0, 1)), Instr("square", dt.float32, (2,))]
    for kept in (0, 1):
        got = run_reduce("sum", a, kept, body=tuple(steps), more=[b])
        assert same(got, expected("sum", (a - b) * (a - b), kept, dt.float32))


def test_results_are_rounded_to_the_output() -> None:
    x = sample((50, 900), dt.float32) / 1000
    for out in (dt.float16, dt.bfloat16, dt.float64):
        got = run_reduce("sum", x, 1, out=np.zeros(50, out.np))
        assert same(got, expected("sum", x, 1, dt.float32).astype(out.np))
    big = run_reduce("sum", x, 1, out=np.zeros(50, ">f4"))
    assert same(big.astype("f4"), expected("sum", x, 1, dt.float32))


def test_outputs_of_any_stride() -> None:
    x = sample((20, 30, 100), dt.float32)
    whole = np.zeros((30, 2, 40), np.float32)
    out = whole[:, 1, ::-2].T
    run_reduce("sum", x, 2, out=out)
    assert same(np.ascontiguousarray(out), expected("sum", x, 2, dt.float32))
    assert not whole[:, 0].any()
    assert not whole[:, 1, ::2].any()


def test_nothing_to_reduce() -> None:
    assert not np.signbit(run_reduce("sum", np.zeros((3, 0), np.float32), 1)).any()
    assert run_reduce("prod", np.zeros((3, 0), np.float32), 1).tolist() == [1, 1, 1]
    assert np.isnan(run_reduce("mean", np.zeros((3, 0)), 1)).all()
    assert run_reduce("all", np.zeros((2, 0), bool), 1).tolist() == [True, True]
    assert run_reduce("sum", np.zeros((0, 4), np.float32), 1).shape == (0,)
    assert run_reduce("sum", np.full((), 3.0), 0) == 3
    assert run_reduce("sum", np.full((2,), -0.0), 1).tolist() == [0, 0]
    assert np.signbit(run_reduce("sum", np.full((2,), -0.0), 1)).all()
    assert np.signbit(run_reduce("sum", np.full((2, 1), -0.0), 1)).all()


@pytest.mark.parametrize("correction", (0, 1, 0.5, 3000))
def test_corrections(correction: float) -> None:
    x = sample((4, 2500), dt.float64) + 100
    check("var", x, 1, dt.float64, correction=correction)
    check("var", x.T, 1, dt.float64, correction=correction)


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: d.name)
def test_special_values(dtype: DType) -> None:
    x = sample((6, 3000), dtype)
    x[0, 1234], x[1, 5], x[1, 2900], x[2, 17], x[3, 2999] = np.nan, np.inf, -np.inf, -np.inf, np.nan
    x[4], x[5, :] = 0.0, -0.0
    x[4, 1500] = -0.0
    for op in ("min", "max", "argmin", "argmax", "sum", "any", "all"):
        check(op, x, 1, accumulated(op, dtype))
        check(op, np.asfortranarray(x), 1, accumulated(op, dtype))


SUMMED = ("sum", "prod", "mean", "max", "any", "count_nonzero")


@pytest.mark.parametrize(
    ("op", "dtype", "part"), in_turn(SUMMED, (dt.float32, dt.complex128, dt.int8), range(2), every=6), ids=str
)
def test_narrow_columns(op: str, dtype: DType, part: int) -> None:
    if op == "max" and dtype.kind == "complex":
        op = "sum"
    for c in (1, 4, 5, 16, 31, 100, 256, 257)[part::2]:
        for n in (1, 2, 7, 8, 9, 63, 1000, 1025, 3000):
            x = sample((n, c), dtype, near_one=op == "prod" and dtype.is_inexact)
            check(op, x.T, 1, accumulated(op, dtype))
    x = sample((2, 1500, 12), dtype, near_one=op == "prod" and dtype.is_inexact)
    check(op, x.transpose(0, 2, 1), 2, accumulated(op, dtype))


@pytest.mark.parametrize("op", ("sum", "prod", "var", "argmin", "max"))
def test_the_axis_in_the_lanes_is_reduced_too(op: str) -> None:
    for shape in ((40, 2048), (3, 50, 3072), (70, 16, 64), (2, 2, 33, 1024)):
        x = np.asfortranarray(sample(shape, dt.float32, near_one=op == "prod"))
        for kept in (0, 1):
            check(op, x, kept, dt.float32, pieces=3)


@pytest.mark.parametrize("op", ("sum", "prod", "mean", "var"))
def test_blocks_of_several_rows_that_lie_across(op: str) -> None:
    for dtype, shape in ((dt.float32, (3, 256, 128)), (dt.float64, (2, 512, 36)), (dt.complex64, (5, 256, 72))):
        x = sample(shape, dtype, near_one=op == "prod").transpose(0, 2, 1)
        for kept in (0, 1) if allowed(op, dtype) else ():
            check(op, x, kept, dtype, pieces=3)


@pytest.mark.parametrize(
    ("op", "dtype"), in_turn(("sum", "prod", "mean"), (dt.float32, dt.complex64, dt.float16), every=3), ids=str
)
def test_blocks_that_end_elsewhere_in_every_column(op: str, dtype: DType) -> None:
    for shape in ((40, 1024), (41, 1025), (64, 2000), (700, 1500), (5, 1, 3001), (4, 3, 32, 2051), (2, 40, 50, 61)):
        x = np.asfortranarray(sample(shape, dtype, near_one=op == "prod"))
        for kept in (0, 1):
            check(op, x, kept, accumulated(op, dtype), pieces=3)


def test_blocks_inside_and_across_pieces() -> None:
    for op in ("sum", "argmax", "max", "var"):
        for dtype in (dt.float32, dt.int64):
            x = sample((70_000,), dtype)
            for cuts in ([8192, 40_000], [8193, 50_001], [4096 * k + k for k in range(1, 17)]):
                check(op, x[::-1], 0, accumulated(op, dtype), cuts={0: cuts}, pieces=2)


def test_coordinates() -> None:
    body = (Instr("coord", dt.int64, attr=0), Instr("astype", dt.float64, (0,)))
    shape = (37, 50, 130)
    for strides in ((5, -3, 2), (0, 1, 0), (1000, 0, 7)):
        values = sum(s * i for s, i in zip(strides, np.indices(shape), strict=True)) + 11
        for kept in range(4):
            out = np.zeros(shape[:kept])
            maker = Maker()
            coordinate = Operand(-1, 11, strides, dt.int64)
            row = Row(body, shape, (coordinate,), start=(0, 0, 0))
            launch = ReduceLaunch("sum", kept, shape, (row,), dt.float64, maker.operand(out))
            run_tasks(lower_reduce(launch), maker.bases())
            assert same(out, expected("sum", values.astype(np.float64), kept, dt.float64))


def test_gathers_and_scalars() -> None:
    data, index = sample((500,), dt.float32), np.random.default_rng(0).integers(0, 500, (60, 90))
    body = (
        Instr("load", dt.int64, attr=0),
        Instr("const", dt.int64, attr=4),
        Instr("multiply", dt.int64, (0, 1)),
        Instr("gather", dt.float32, (2,), 1),
        Instr("scalar", dt.float32, attr=0),
        Instr("multiply", dt.float32, (3, 4)),
    )
    for x in (index, np.asfortranarray(index)):
        for kept in (0, 1):
            maker, out = Maker(), np.zeros(index.shape[:kept], np.float32)
            leaf = maker.operand(x)
            flat = Operand(maker.operand(data).arg, 0, (0, 0), dt.float32)
            row = Row(body, x.shape, (leaf, flat), start=(0, 0))
            launch = ReduceLaunch("sum", kept, x.shape, (row,), dt.float32, maker.operand(out))
            run_tasks(lower_reduce(launch), maker.bases(), struct.pack("<dd", 0.5, 0))
            assert same(out, expected("sum", data[index] * np.float32(0.5), kept, dt.float32))


def test_long_bodies_of_many_operands() -> None:
    arrays = [sample((40, 300), dt.float32, k) for k in range(60)]
    steps = loads(*[dt.float32] * 60)
    for k in range(1, 60):
        steps.append(Instr("add", dt.float32, (k, len(steps) - 1 if k > 1 else 0)))
    want = arrays[0]
    for a in arrays[1:]:
        want = a + want
    for turn in (lambda a: a, np.asfortranarray):
        first, *more = (turn(a) for a in arrays)
        for kept in (0, 1):
            got = run_reduce("sum", first, kept, body=tuple(steps), more=more)
            assert same(got, expected("sum", want, kept, dt.float32))


def test_more_than_2_to_the_32_cells() -> None:
    x = np.broadcast_to(np.array([True]), (70_000, 70_000))
    assert run_reduce("count_nonzero", x, 0) == 4_900_000_000
    rows = np.broadcast_to(np.arange(3.0)[:, None], (3, 1 << 20))
    assert (run_reduce("sum", rows, 1) == np.arange(3.0) * 2**20).all()


STRIDES = st.sampled_from((1, -1, 2, -2, 3))


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, int, dict[int, list[int]]]:
    """An array with odd strides, how many axes are kept, and cuts."""
    rank = draw(st.integers(0, 4))
    longest = draw(st.integers(0, max(rank - 1, 0)))
    shape = [draw(st.integers(1, 1200 if a == longest else 7)) for a in range(rank)]
    steps = [draw(STRIDES) for _ in range(rank)]
    dtype = draw(st.sampled_from((dt.float32, dt.float64, dt.int8, dt.complex64)))
    whole = sample([n * abs(s) for n, s in zip(shape, steps, strict=True)], dtype, draw(st.integers(0, 99)))
    order = draw(st.permutations(range(rank)))
    x = np.asarray(whole)[(..., *(slice(None, None, s) for s in steps))].transpose(order)
    cuts = {a: draw(st.lists(st.integers(1, max(n - 1, 1)), max_size=3)) for a, n in enumerate(x.shape)}
    inside = {a: [c for c in cut if c < x.shape[a]] for a, cut in cuts.items()}
    return x, draw(st.integers(0, rank)), inside


@settings(max_examples=examples(150))
@given(problems(), st.sampled_from(("sum", "var", "argmin", "max", "any", "mean")), st.integers(1, 4))
def test_any_cuts_have_the_reference_bits(
    problem: tuple[np.ndarray, int, dict[int, list[int]]], op: str, pieces: int
) -> None:
    x, kept, cuts = problem
    if x.dtype.kind == "c" and op in ("var", "argmin", "max"):
        op = "sum"
    check(op, x, kept, accumulated(op, dt.from_numpy(x.dtype)[0]), cuts=cuts, pieces=pieces)


def test_tables_name_only_the_routines_that_are_called() -> None:
    def asked(cells: int) -> list[bool]:
        make, shape = Maker(), (2, cells)
        row = Row(tuple(loads(dt.float32)), shape, (make.operand(np.ones(shape, np.float32)),), start=(0, 0))
        out = make.operand(np.zeros(2, np.float32))
        (task,) = lower_reduce(ReduceLaunch("sum", 1, shape, (row,), dt.float32, out))
        return [bool(task.table[HEAD[name]]) for name in ("finish", "fold", "tile")]

    assert asked(1000) == [True, False, False]
    assert asked(3000) == [True, True, False]  # of several blocks
