"""Every elementwise op of the table, for every dtype it accepts and every layout, against the reference."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracle.compare import both, same_bits, ulps
from tests.oracle.samples import LAYOUTS, in_share, takes, tensor
from tests.shares import in_turn
from weft import dtypes as dt
from weft.interop.imports import share
from weft.ir.graph import node as ir
from weft.ir.graph.ops import OPS, ROWS
from weft.runtime.compute.first_runs import is_exact
from weft.tensors.tensor import node_of

SPECIAL = {"where", "astype", "complex", "philox", "gather", "checked"}
OPERATIONS = [row for row in ROWS if row.kind == "elementwise" and row.name not in SPECIAL]
# The reference rounds once from extended precision, so these are the bounds of the design with half an ulp of it.
SLACK = {"float": 2.5, "complex": 4.5}
ACCEPTED = {op: [d for d in dt.ALL if takes(op, d)] for op in OPERATIONS}


def check_operation(op, dtype, layouts):
    for layout in layouts:
        operands = [tensor(dtype, layout, 10 * LAYOUTS.index(layout) + i) for i in range(op.arity)]
        n = ir.elementwise(op, *(node_of(t) for t in operands))
        native, expected = both(n)
        if is_exact(op, dtype):
            assert same_bits(native, expected), (dtype, layout, _differences(native, expected, operands))
        elif dtype.kind == "complex":
            native, expected = dt.widened(native), dt.widened(expected)
            if layout in ("plain", "strided", "long"):
                moderate = np.isfinite(expected) & (np.abs(expected) < 1e30) & _tame(operands)
                assert ulps(native[moderate], expected[moderate], n.desc.dtype) <= SLACK["complex"], (dtype, layout)
        else:
            assert ulps(native, expected, n.desc.dtype) <= SLACK["float"], (
                dtype, layout, _differences(native, expected, operands)
            )  # fmt: skip


@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.name)
def test_native_agrees_with_the_reference(op):
    first = OPERATIONS.index(op)
    for number, dtype in in_share(ACCEPTED[op], first, 5):
        check_operation(op, dtype, [LAYOUTS[(first + number // 5) % len(LAYOUTS)]])


@pytest.mark.slow
@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.name)
def test_native_agrees_with_the_reference_in_every_layout(op):
    for dtype in ACCEPTED[op]:
        check_operation(op, dtype, LAYOUTS)


def _tame(operands):
    """Return a mask of cells with operands of ordinary size; at others NumPy's complex functions lose all digits."""
    arrays = [dt.widened(t.numpy()) for t in operands]
    return np.logical_and.reduce([(np.abs(a) < 30) & (np.abs(a) > 0.05) for a in arrays])


def _differences(native, expected, operands):
    wrong = [i for i in np.ndindex(native.shape) if not same_bits(native[i], expected[i])][:3]
    return [(i, native[i], expected[i], [t.numpy()[i] for t in operands]) for i in wrong]


@pytest.mark.parametrize("dtype", [dt.complex32, dt.complex64, dt.complex128], ids=lambda d: d.name)
def test_signs_of_complex_numbers_at_the_edges(dtype):
    limits = dt.float_limits(dtype)
    edges = [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, limits.max, limits.smallest_normal]
    x = dt.complex_array(dtype, np.array(edges)[:, None].astype(dtype.real.np), np.array(edges).astype(dtype.real.np))
    native, expected = map(dt.widened, both(ir.elementwise(OPS["sign"], node_of(share(x)))))
    for a, b in ((native.real, expected.real), (native.imag, expected.imag)):
        np.testing.assert_allclose(a, b, rtol=0, atol=4 * limits.eps)
        assert np.array_equal(np.signbit(a) & ~np.isnan(a), np.signbit(b) & ~np.isnan(b))


def check_conversion(source, target, layouts):
    for layout in layouts:
        n = ir.astype(node_of(tensor(source, layout, LAYOUTS.index(layout))), target)
        native, expected = both(n)
        assert same_bits(native, expected), (source, layout, _differences(native, expected, []))


@pytest.mark.parametrize("target", dt.ALL, ids=lambda d: d.name)
def test_conversions(target):
    sources = [d for d in dt.ALL if d is not target]
    first = dt.ALL.index(target)
    for number, source in in_share(sources, first, 6):
        check_conversion(source, target, [LAYOUTS[(first + number // 6) % len(LAYOUTS)]])


@pytest.mark.slow
@pytest.mark.parametrize("target", dt.ALL, ids=lambda d: d.name)
def test_conversions_in_every_layout(target):
    for source in dt.ALL:
        if source is not target:
            check_conversion(source, target, LAYOUTS)


@pytest.mark.parametrize(("dtype", "part"), in_turn(dt.ALL, range(3), every=3), ids=str)
def test_where(dtype, part):
    for layout in LAYOUTS[part::3]:
        c, a, b = tensor(dt.bool, layout, LAYOUTS.index(layout)), tensor(dtype, layout, 1), tensor(dtype, layout, 2)
        n = ir.make(OPS["where"], (node_of(c), node_of(a), node_of(b)), (), ir.result(dtype, c.shape))
        native, expected = both(n)
        assert same_bits(native, expected), layout


@pytest.mark.parametrize(("a", "b"), in_turn(LAYOUTS[:6], LAYOUTS[:6], every=3))
def test_mixed_layouts_and_dtypes_in_one_body(a, b):
    x, y, z = tensor(dt.float32, a, 1), tensor(dt.int16, b, 2), tensor(dt.float64, a, 3)
    added = ir.elementwise(OPS["add"], node_of(x), node_of(y))
    n = ir.elementwise(OPS["multiply"], added, node_of(z))
    native, expected = both(n)
    assert same_bits(native, expected)
