"""Maps over boxes of every rank, stride, dtype and byte order give the bits that NumPy gives."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from math import prod

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from launches import Maker, loads, mapped, run_map, run_tasks

from tests.shares import examples
from weft import dtypes as dt
from weft.backends.llvm.jit import jit
from weft.backends.llvm.nest.map_forms import arranged
from weft.backends.llvm.nest.map_tables import lower_map
from weft.ir.kernels.plan import Instr, MapLaunch, Operand, Row

MOVED = (dt.bool, dt.int8, dt.uint16, dt.float16, dt.bfloat16, dt.float32, dt.int64, dt.complex64, dt.complex128)


def filled(shape: Sequence[int], dtype: np.dtype, seed: int = 0) -> np.ndarray:
    """Random cells of a dtype (small numbers, so that sums stay exact enough to compare by bits)."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(-100, 100, shape)
    if dtype.kind == "c":
        return (numbers + 1j * rng.integers(-9, 9, shape)).astype(dtype)
    return (numbers != 0 if dtype.kind == "b" else numbers).astype(dtype)


@st.composite
def layouts(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], int]:
    """Draw a layout of an array inside a larger one: axis order, steps (negative too), padding, byte offset."""
    order = tuple(draw(st.permutations(range(len(shape)))))
    steps = tuple(draw(st.sampled_from([1, 1, 1, -1, 2, -2, 3])) for _ in shape)
    padding = tuple(draw(st.integers(0, 2)) for _ in shape)
    return order, steps, padding, draw(st.sampled_from([0, 0, 1, 3]))


def laid_out(shape: tuple[int, ...], dtype: np.dtype, layout: tuple, seed: int) -> np.ndarray:
    """Random cells in that layout."""
    order, steps, padding, offset = layout
    sizes = [shape[a] * abs(steps[a]) + padding[a] for a in order]
    raw = np.zeros(prod(sizes) * dtype.itemsize + offset, np.uint8)
    base = np.ndarray(sizes, dtype, raw, offset)
    base[...] = filled(sizes, dtype, seed)
    view = base.transpose(np.argsort(order)) if shape else base
    cuts = [
        slice(0, n * s, s) if s > 0 or not n else slice(n * -s - 1, None, s) for n, s in zip(shape, steps, strict=True)
    ]
    return view[(..., *cuts)]


SHAPES = st.one_of(
    st.lists(st.sampled_from([1, 2, 3, 5, 17, 33]), max_size=4).map(tuple),
    st.sampled_from([(0,), (3, 0, 2), (300,), (70, 90), (200, 3), (2, 130, 4), (40, 3, 3), (64, 64), (5, 4, 3, 2, 2)]),
)


@settings(max_examples=examples(120))
@given(st.data())
def test_copies_of_any_layout(data: st.DataObject) -> None:
    shape = data.draw(SHAPES)
    dtype = data.draw(st.sampled_from(MOVED))
    order = data.draw(st.sampled_from("<>")) if dtype is not dt.bfloat16 else "="
    source = laid_out(shape, dtype.np.newbyteorder(order), data.draw(layouts(shape)), 1)
    target = laid_out(shape, dtype.np, data.draw(layouts(shape)), 2)
    memory = root(target)
    before = memory.copy()
    old = target.copy()
    run_map(loads(dtype), [source], target, pieces=data.draw(st.integers(1, 3)))
    np.testing.assert_array_equal(target, source)
    target[...] = old
    assert np.array_equal(memory, before)  # nothing but the target's cells was written


def root(view: np.ndarray) -> np.ndarray:
    """The bytes that a view looks at."""
    while isinstance(view.base, np.ndarray):
        view = view.base
    return view


@settings(max_examples=examples(120))
@given(st.data())
def test_arithmetic_of_mixed_operands(data: st.DataObject) -> None:
    """(x * y) + z with x float32, y int16 (converted), z broadcast float32 of either byte order."""
    shape = data.draw(SHAPES)
    x = laid_out(shape, np.dtype("f4"), data.draw(layouts(shape)), 1)
    y = laid_out(shape, np.dtype(data.draw(st.sampled_from(["<i2", ">i2"]))), data.draw(layouts(shape)), 2)
    axes = data.draw(st.lists(st.booleans(), min_size=len(shape), max_size=len(shape)))
    z = filled([n if keep else 1 for n, keep in zip(shape, axes, strict=True)], np.dtype(">f4"), 3)
    out = laid_out(shape, np.dtype("f4"), data.draw(layouts(shape)), 4)
    f = dt.float32
    body = [
        *loads(f, dt.int16, f),
        Instr("astype", f, (1,)),
        Instr("multiply", f, (0, 3)),
        Instr("add", f, (4, 2)),
    ]
    run_map(body, [x, y, z], out, pieces=data.draw(st.integers(1, 3)))
    np.testing.assert_array_equal(out, x * y.astype("f4") + z)


@settings(max_examples=examples(60))
@given(st.data())
def test_coordinates(data: st.DataObject) -> None:
    """coord · 1000 + load, both int64, the coordinate with any start and steps."""
    shape = data.draw(SHAPES)
    steps = [data.draw(st.sampled_from([0, 1, -3, 1 << 40])) for _ in shape]
    start = data.draw(st.sampled_from([0, -5, 1 << 50]))
    a = laid_out(shape, np.dtype("i8"), data.draw(layouts(shape)), 1)
    out = laid_out(shape, np.dtype("i8"), data.draw(layouts(shape)), 2)
    i = dt.int64
    body = (Instr("coord", i, attr=0), Instr("const", i, attr=1000), Instr("multiply", i, (0, 1)),
            Instr("load", i, attr=1), Instr("add", i, (2, 3)))  # fmt: skip
    maker = Maker()
    operands = (Operand(-1, start, tuple(steps), i), maker.operand(a))
    launch = MapLaunch((Row(body, shape, operands, maker.operand(out)),))
    run_tasks(lower_map(launch), maker.bases(), pieces=data.draw(st.integers(1, 3)))
    where = np.full(shape, start, "i8")
    for axis, step in enumerate(steps):
        where += (np.arange(shape[axis]) * step).reshape([-1 if k == axis else 1 for k in range(len(shape))])
    np.testing.assert_array_equal(out, where * 1000 + a)


@pytest.mark.parametrize("dtype", [dt.int8, dt.float16, dt.float64, dt.complex64])
@pytest.mark.parametrize("n", [1, 31, 1000])
def test_gather_at_computed_offsets(dtype: dt.DType, n: int) -> None:
    """out[i] = table[index[i]], with an index that only lanes inside the run make valid."""
    table = filled((50,), dtype.np)
    index = np.random.default_rng(1).integers(0, 50, n)
    out = np.zeros(n, dtype.np)
    i = dt.int64
    body = (Instr("load", i, attr=0), Instr("const", i, attr=dtype.itemsize), Instr("multiply", i, (0, 1)),
            Instr("gather", dtype, (2,), 1))  # fmt: skip
    maker = Maker()
    operands = (maker.operand(index), Operand(1, 0, (0,), dtype))
    maker.arrays.append(table)
    run_tasks(lower_map(MapLaunch((Row(body, (n,), operands, maker.operand(out)),))), maker.bases())
    np.testing.assert_array_equal(out, table[index])


def test_gather_from_rows_that_move_with_the_box() -> None:
    """out[r, i] = table[r, index[i]] for short rows: the operand has strides and an offset."""
    table, index, out = filled((40, 7), np.dtype("f4")), np.array([3, 0, 6]), np.zeros((40, 3), "f4")
    i, f = dt.int64, dt.float32
    body = (
        Instr("load", i, attr=0),
        Instr("const", i, attr=4),
        Instr("multiply", i, (0, 1)),
        Instr("gather", f, (2,), 1),
    )
    maker = Maker()
    operands = (maker.operand(np.broadcast_to(index, out.shape)), Operand(1, 0, (28, 0), f))
    maker.arrays.append(table)
    run_tasks(lower_map(MapLaunch((Row(body, out.shape, operands, maker.operand(out)),))), maker.bases())
    np.testing.assert_array_equal(out, table[:, index])


def test_scalars_and_constants_of_the_run() -> None:
    """out = load · scalar0 - const, with -0.0 told from 0.0 by its own kernel."""
    x, f = filled((100,), np.dtype("f4")), dt.float32
    for number in (0.0, -0.0):
        body = (*loads(f), Instr("scalar", f, attr=1), Instr("multiply", f, (0, 1)), Instr("const", f, attr=number),
                Instr("copysign", f, (2, 3)))  # fmt: skip
        out = np.zeros(100, "f4")
        bases = np.array([x.ctypes.data, out.ctypes.data], np.int64)
        run_tasks(lower_map(mapped(body, [x], out)), bases, struct.pack("<16xdd", 2.5, 0.0))
        want = np.copysign(x * np.float32(2.5), np.float32(number))
        np.testing.assert_array_equal(out.view("i4"), want.view("i4"))


def test_a_value_without_operands() -> None:
    out = np.zeros((7, 50), np.int16)[:, ::2]
    run_map([Instr("const", dt.int16, attr=-3)], [], out)
    assert (out == -3).all()


def test_thousands_of_rows_share_one_kernel_and_one_analysis() -> None:
    """Pieces of two sizes, alternating, cut into a few ranges of units."""
    source, out = filled((3000, 11), np.dtype("f8")), np.zeros((3000, 11))
    d = dt.float64
    body = (*loads(d), Instr("add", d, (0, 0)))
    rows = [
        Row(body, (11 - r % 2,), (Operand(0, r * 88, (8,), d),), Operand(1, r * 88, (8,), d)) for r in range(len(out))
    ]
    before = jit.stats.kernels_compiled + jit.stats.kernels_loaded
    tasks = lower_map(MapLaunch(tuple(rows)))
    assert jit.stats.kernels_compiled + jit.stats.kernels_loaded - before <= 2  # the kernel, and at first the driver
    run_tasks(tasks, np.array([source.ctypes.data, out.ctypes.data]), pieces=7)
    want = source * 2
    want[1::2, 10] = 0
    np.testing.assert_array_equal(out, want)


def test_new_sizes_compile_nothing() -> None:
    f = dt.float32
    body = [*loads(f, f), Instr("subtract", f, (0, 1))]
    for shape in [(1000,), (3, 1000), (2, 3, 400)]:
        a, b = filled(shape, np.dtype("f4")), filled(shape[-1:], np.dtype("f4"))
        before = jit.stats.kernels_compiled + jit.stats.kernels_loaded
        run_map(body, [a, b], np.zeros(shape, "f4"))
        if shape != (1000,):
            assert jit.stats.kernels_compiled + jit.stats.kernels_loaded == before


def test_many_operands_and_instructions() -> None:
    """64 operands at awkward strides, 300 steps, in small and in large boxes."""
    f = dt.float64
    steps = loads(*[f] * 64)
    while len(steps) < 300:
        k = len(steps)
        steps.append(Instr("add" if k % 2 else "maximum", f, (k - 1, k - 64)))
    for shape in [(5,), (37, 5), (100, 60)]:
        arrays = [filled((*shape[:-1], shape[-1] * 3), f.np, k)[..., ::3] for k in range(64)]
        out = run_map(steps, arrays, np.zeros(shape))
        values = list(arrays)
        for s in steps[64:]:
            x, y = (values[j] for j in s.args)
            values.append(x + y if s.op == "add" else np.maximum(x, y))
        np.testing.assert_array_equal(out, values[-1])


def test_narrow_floats_round_at_every_step() -> None:
    x = np.linspace(0.1, 3, 333).astype(ml_dtypes.bfloat16)
    h = dt.bfloat16
    body = [*loads(h), Instr("multiply", h, (0, 0)), Instr("add", h, (1, 0))]
    out = run_map(body, [x], np.zeros(333, ml_dtypes.bfloat16))
    np.testing.assert_array_equal(out.view("i2"), (x * x + x).view("i2"))


def test_transposed_blocks_of_every_width() -> None:
    for name in ("i1", "i2", "f4", "f8", "c16"):
        dtype, _ = dt.from_numpy(np.dtype(name))
        for shape in [(150, 170), (4, 100, 90), (64, 16)]:
            x = filled(shape[::-1], np.dtype(name))
            out = run_map(loads(dtype), [x.T], np.zeros(shape, name), pieces=3)
            np.testing.assert_array_equal(out, x.T)
            np.testing.assert_array_equal(run_map(loads(dtype), [x[::-1, ..., ::-1].T], out), x[::-1, ..., ::-1].T)


@pytest.mark.parametrize("kind", ["forward", "from the end"])
def test_nothing_outside_is_read(kind: str) -> None:
    """Operands that end where readable memory ends: lanes beyond the run never touch the next page."""
    import mmap

    page = mmap.PAGESIZE
    block = mmap.mmap(-1, 2 * page)
    memory = np.frombuffer(block, np.uint8)
    _forbid(memory[page:])
    f = dt.float32
    for n in (1, 5, 37, 300):
        for step in (1, 2, 3, -1, -2):
            cells = (n - 1) * abs(step) + 1
            ends = memory[page - 4 * cells : page].view("f4")
            x = ends[::step] if kind == "forward" else ends[::-step][::-1]
            out = run_map([*loads(f), Instr("add", f, (0, 0))], [x], np.ones(n, "f4"))
            assert not out.any()


def _forbid(pages: np.ndarray) -> None:
    import ctypes

    libc = ctypes.CDLL(None)
    if not hasattr(libc, "mprotect"):
        pytest.skip("no mprotect")
    assert libc.mprotect(ctypes.c_void_p(pages.ctypes.data), ctypes.c_size_t(pages.nbytes), 0) == 0


def test_huge_strides_and_sizes() -> None:
    """More than 2^31 cells of one byte, and strides beyond 2^31 bytes, without touching the memory in between."""
    f = dt.uint8
    memory = np.zeros(3 << 30, np.uint8)  # untouched pages are free
    memory[0], memory[1 << 31], memory[-1] = 1, 2, 3
    x = np.ndarray((2, 3), np.uint8, memory, strides=(1 << 31, 1))
    np.testing.assert_array_equal(run_map([*loads(f), Instr("add", f, (0, 0))], [x], np.zeros((2, 3), "u1")), x * 2)
    axes = arranged((1 << 16, 1 << 16, 4), [(1 << 18, 4, 1)] * 2)
    assert axes.sizes == [1 << 34]


def test_empty_boxes_have_no_task() -> None:
    f = dt.float32
    assert lower_map(mapped(tuple(loads(f)), [np.zeros((3, 0), "f4")], np.zeros((3, 0), "f4"))) == []
    assert lower_map(MapLaunch(())) == []
