"""Every reduction and scan, for every dtype, layout, set of axes and size, against the one order."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest

from tests.oracle.compare import both, same_bits
from tests.oracle.samples import LAYOUTS, finite, in_share, laid_out, takes
from tests.shares import in_turn
from weft import dtypes as dt
from weft.interop.imports import own, share
from weft.ir.graph import node as ir
from weft.ir.graph.ops import ACCEPTS, OPS, ROWS, SCANS, resolve
from weft.tensors.tensor import node_of

REDUCTIONS = [row for row in ROWS if row.kind == "reduce"]
COMPLEX = [dt.complex32, dt.complex64, dt.complex128]
ACCEPTED = {op: [d for d in dt.ALL if takes(op, d)] for op in REDUCTIONS}
SHAPES = [
    *[(7,), (1024,), (1025,), (1, 1), (5, 3), (3, 1030), (1030, 3)],
    *[(4, 3, 5), (9, 9, 9), (2, 70, 40)],
]


def reduce_node(op, n, axes, keepdims=False):
    compute, out = resolve(op, n.desc.dtype)
    n = n if op.rule == "sum" else ir.astype(n, compute)
    shape = n.desc.shape
    kept = tuple(1 if a in axes else s for a, s in enumerate(shape) if keepdims or a not in axes)
    attrs = (axes, keepdims, 1.0) if op.name == "var" else (axes, keepdims)
    return ir.make(op, (n,), attrs, ir.result(out, kept))


def all_axes(ndim):
    return chain.from_iterable(combinations(range(ndim), k) for k in range(1, ndim + 1))


def check_reduction(op, dtype, shapes):
    for shape in shapes:
        number = SHAPES.index(shape)
        x = node_of(share(finite(dtype, shape, number)))
        for axes in all_axes(len(shape)):
            native, expected = both(reduce_node(op, x, axes, number % 2 == 0))
            assert same_bits(native, expected), (dtype, shape, axes)


@pytest.mark.parametrize("op", REDUCTIONS, ids=lambda o: o.name)
def test_reductions_follow_the_order(op):
    first = REDUCTIONS.index(op)
    for number, dtype in in_share(ACCEPTED[op], first, 5):
        check_reduction(op, dtype, [SHAPES[(first + number) % len(SHAPES)]])


@pytest.mark.slow
@pytest.mark.parametrize("op", REDUCTIONS, ids=lambda o: o.name)
def test_reductions_of_every_shape_follow_the_order(op):
    for dtype in ACCEPTED[op]:
        check_reduction(op, dtype, SHAPES)


SUMMED = (dt.float32, dt.float64, dt.int16, dt.float16)


def check_layout(op, layout, dtypes):
    for dtype in dtypes:
        for shape in ((37, 70), (3, 2100), (2100, 3)):
            x = node_of(share(laid_out(finite(dtype, shape), layout)))
            for axes in ((0,), (1,), (0, 1)):
                native, expected = both(reduce_node(op, x, axes))
                assert same_bits(native, expected), (dtype, layout, shape, axes)


@pytest.mark.parametrize("op", [OPS[n] for n in ("sum", "max", "var", "argmin", "count_nonzero")], ids=lambda o: o.name)
def test_layouts_do_not_matter(op):
    first = REDUCTIONS.index(op)
    for number, layout in in_share(LAYOUTS[:6], first, 3):
        check_layout(op, layout, [SUMMED[(first + number // 3) % len(SUMMED)]])


@pytest.mark.slow
@pytest.mark.parametrize("op", [OPS[n] for n in ("sum", "max", "var", "argmin", "count_nonzero")], ids=lambda o: o.name)
def test_layouts_of_every_dtype_do_not_matter(op):
    for layout in LAYOUTS[:6]:
        check_layout(op, layout, SUMMED)


@pytest.mark.parametrize("op", REDUCTIONS, ids=lambda o: o.name)
def test_empty_and_rank_0(op):
    for shape, axes in [((), ()), ((0,), (0,)), ((3, 0), (1,)), ((0, 3), (1,)), ((3, 0), (0,))]:
        if op.name in ("min", "max", "nanmin", "nanmax", "argmin", "argmax") and any(shape[a] == 0 for a in axes):
            continue
        native, expected = both(reduce_node(op, node_of(own(np.ones(shape))), axes))
        assert same_bits(native, expected), (shape, axes)


def test_special_values():
    for array in ([np.nan, 1.0], [-0.0, 0.0], [0.0, -0.0], [-0.0], [np.inf, -np.inf], [1.0, np.nan, np.nan, -1]):
        for op in REDUCTIONS:
            n = reduce_node(op, node_of(own(np.array(array))), (0,))
            if op.name != "count_nonzero":
                native, expected = both(n)
                assert same_bits(native, expected), (op, array)


@pytest.mark.parametrize(("dtype", "part"), in_turn(COMPLEX, range(2), every=2), ids=str)
def test_products_are_of_the_cells_there_are(dtype, part):
    """Kernels that pad with 1 and kernels that do not give the same signs of zeros and infinities."""
    parts = [0.0, -0.0, 1.0, -1.0, np.inf, 2.0]
    cells = np.array([complex(a, b) for a in parts for b in parts])
    shapes = [(1,), (3,), (9,), (1025,), (5, 3), (3, 1030), (1030, 3), (8, 3, 17, 20, 5)]
    for number, shape in list(enumerate(shapes))[part::2]:
        drawn = cells[:12] if number % 2 else cells
        drawn = np.random.default_rng(number).choice(drawn, shape).astype(dtype.compute.np)
        for x in (drawn, np.full(shape, complex(-0.0, -0.0), drawn.dtype)):
            n = node_of(share(dt.narrowed(x, dtype)))
            for axes in all_axes(len(shape)):
                native, expected = both(reduce_node(OPS["prod"], n, axes))
                assert same_bits(native, expected), (shape, axes)
    for one in (complex(np.inf, 0), complex(-0.0, -0.0), complex(1, -0.0)):
        native, _ = both(reduce_node(OPS["prod"], node_of(share(np.array([one]))), (0,)))
        assert same_bits(native, np.array(one))


RUNNING = [row for row in ROWS if row.kind == "scan"]
SCANNED = {op: [d for d in dt.ALL if d.kind in ACCEPTS[op.accepts] and not d.storage] for op in RUNNING}


def check_scan(op, dtype):
    for shape in [(5,), (1025,), (3000,), (4, 5), (3, 2050), (2050, 3), (2, 3, 4), (0,), (3, 0)]:
        x = node_of(share(finite(dtype, shape)))
        for axis in range(len(shape)):
            for initial in {False, SCANS[op.name][2] is not None}:
                out = resolve(op, dtype)[1]
                made = tuple(s + (initial and a == axis) for a, s in enumerate(shape))
                native, expected = both(ir.make(op, (x,), (axis, initial), ir.result(out, made)))
                assert same_bits(native, expected), (shape, axis, initial)


@pytest.mark.parametrize("op", RUNNING, ids=lambda o: o.name)
def test_scans(op):
    for _, dtype in in_share(SCANNED[op], RUNNING.index(op), 5):
        check_scan(op, dtype)


@pytest.mark.slow
@pytest.mark.parametrize("op", RUNNING, ids=lambda o: o.name)
def test_scans_of_every_dtype(op):
    for dtype in SCANNED[op]:
        check_scan(op, dtype)


def test_reductions_of_pieces():
    """Sums over joined, flipped and padded parts have the bits of the sum over the stored whole."""
    from weft.ir.atoms import selections

    parts = [node_of(share(finite(dt.float32, (700 + 13 * i,), i))) for i in range(5)]
    joined = selections.concat([selections.pad(selections.flip(p, (0,)), ((3, 5),)) for p in parts], 0)
    turns = selections.interleave([node_of(share(finite(dt.float32, (900,), i))) for i in range(3)], 0)
    for x in (joined, turns, selections.slice_(joined, ((5, 2, 1500),))):
        native, expected = both(reduce_node(OPS["sum"], x, (0,)))
        assert same_bits(native, expected)
