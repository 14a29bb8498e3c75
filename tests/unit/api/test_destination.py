"""out=: every function that takes one, into every dtype, byte order, layout, alignment and kind of destination."""

import inspect

import numpy as np
import pytest

import weft
from tests.cases import for_each
from tests.oracle.samples import laid_out
from weft.errors import DTypeError, ShapeError, WriteError
from weft.ir.graph.ops import OPS, ROWS

pytestmark = pytest.mark.usefixtures("transformer")

LAYOUTS = ("plain", "strided", "reversed", "transposed", "big", "unaligned")
A = np.linspace(0.5, 0.9, 12).reshape(3, 4)
CHAPTERS = {
    *[f"weft.api.standard.{c}_functions" for c in ("elementwise", "statistical", "linear_algebra")],
    *("weft.api.numpy.nan_reductions", "weft.api.predicates"),
}
FUNCTIONS = [n for n in weft.__all__ if getattr(getattr(weft, n), "__module__", "") in CHAPTERS]
WITH_OUT = [n for n in FUNCTIONS if "out" in inspect.signature(getattr(weft, n)).parameters]
INTEGERS = {n for n, op in OPS.items() if op.accepts in ("integer", "bits")}
SHAPED = {  # what needs more than operands of one shape
    "where": lambda x, **k: weft.where(x > 0.7, x, 1, **k),
    "tensordot": lambda x, **k: weft.tensordot(x, weft.matrix_transpose(x), axes=1, **k),
    "matmul": lambda x, **k: weft.matmul(x, weft.matrix_transpose(x), **k),
    "fill_nan": lambda x, **k: weft.fill_nan(x, 0, **k),
    "cumulative_sum": lambda x, **k: weft.cumulative_sum(x, axis=0, **k),
    "cumulative_prod": lambda x, **k: weft.cumulative_prod(x, axis=1, **k),
    "cumulative_max": lambda x, **k: weft.cumulative_max(x, axis=0, **k),
    "cumulative_min": lambda x, **k: weft.cumulative_min(x, axis=1, **k),
    "all_in_range": lambda x, **k: weft.all_in_range(x, 0.6, 1, axis=1, **k),
    "all_less": lambda x, **k: weft.all_less(x, 0.7, axis=0, **k),
    "all_less_equal": lambda x, **k: weft.all_less_equal(x, 0.9, axis=0, **k),
    "all_greater": lambda x, **k: weft.all_greater(x, 0.6, axis=0, **k),
    "all_greater_equal": lambda x, **k: weft.all_greater_equal(x, 0.5, keepdims=True, **k),
}


def call(name, **given):
    function, x = getattr(weft, name), weft.asarray(A)
    if name in INTEGERS:
        x = weft.astype(x * 10, weft.int64)
    if name in SHAPED:
        return SHAPED[name](x, **given)
    count = len([p for p in inspect.signature(function).parameters.values() if p.kind is p.POSITIONAL_ONLY])
    return function(*([x] * count), **given)


def test_all_functions_of_cells_reductions_and_products_take_one():
    aside = {"astype", "imag", "real", "abs"}  # views, or what says its dtype
    wanted = {r.name for r in ROWS if r.kind in ("elementwise", "reduce", "scan")} & set(weft.__all__)
    wanted |= {"matmul", "tensordot", "vecdot", "clip", "fill_nan", "fabs", "std", "nansum", "nanargmin", "all_finite"}
    assert wanted - aside - set(WITH_OUT) == set()


@for_each("name", WITH_OUT)
def test_every_function_writes_its_result(name):
    expected = call(name).numpy()
    same = np.zeros(expected.shape, expected.dtype)
    assert call(name, out=same) is same
    assert np.array_equal(same, expected, equal_nan=True)
    wide = weft.zeros((2, *expected.shape), dtype=weft.complex128)[0, ...]
    assert call(name, out=wide) is wide
    assert np.array_equal(wide.numpy(), expected.astype(np.complex128), equal_nan=True)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
def test_dtypes_and_layouts_of_the_destination(layout, dtype):
    x = weft.asarray(A)
    memory = laid_out(np.zeros((3, 4), dtype), layout)
    for out in (memory, weft.asarray(memory)):
        for made, expected in (
            (lambda to: weft.add(x, 1, out=to), A + 1),
            (lambda to: weft.max(x, axis=0, keepdims=True, out=to[:1]), A.max(0, keepdims=True)),
            (lambda to: weft.cumulative_sum(x, axis=1, out=to), weft.cumulative_sum(x, axis=1).numpy()),
            (lambda to: weft.matmul(x, weft.eye(4), out=to), A),
        ):
            memory[...] = 0
            assert np.array_equal(np.asarray(made(out)), expected.astype(dtype))
            assert np.array_equal(memory[: len(expected)], expected.astype(dtype))


def test_a_sum_into_another_byte_order():
    out = np.zeros(3, ">f8")
    assert weft.sum(weft.asarray(A), axis=1, out=out) is out
    assert out.tolist() == weft.sum(weft.asarray(A), axis=1).tolist()


def test_overlapping_destinations_are_read_first():
    a = np.arange(6.0)
    for x in (weft.asarray(a), weft.arange(6, dtype=weft.float64)):
        weft.add(x[1:], x[:-1], out=x[1:])
        assert x.tolist() == [0, 1, 3, 5, 7, 9]
        view = x[::2]
        weft.sqrt(x, out=x)
        assert np.array_equal(x.numpy(), np.sqrt([0, 1, 3, 5, 7, 9.0]))
        assert view.tolist() == x.tolist()[::2]
        weft.cumulative_sum(x[::-1], axis=0, out=x)
        assert x.tolist()[0] == 3.0


def test_expressions_built_before_keep_the_old_values():
    for x in (weft.asarray(np.array([1.0, 4.0])), weft.asarray([1.0, 4.0])):
        twice = x * 2
        weft.sqrt(x, out=x)
        assert (x.tolist(), twice.tolist()) == ([1.0, 2.0], [2.0, 8.0])


def test_nothing_is_computed_before_a_value_of_wefts_own_is_looked_at():
    x, out = weft.asarray([1.0, 4.0]), weft.zeros(2)
    weft.sqrt(x, out=out)
    x += 1
    assert out.tolist() == [1.0, 2.0]


REFUSED = {
    "broadcast": (lambda: weft.add(A, 1, out=np.zeros((2, 3, 4))), ShapeError, r"add: a result of shape \(3, 4\) into"),
    "smaller": (lambda: weft.sum(A, axis=0, out=np.zeros(1)), ShapeError, r"sum: a result of shape \(4,\) into out="),
    "kind": (lambda: weft.add(A, 1, out=np.zeros((3, 4), int)), DTypeError, "add: float64 values into int64 cells"),
    "list": (lambda: weft.add(A, 1, out=[[0] * 4] * 3), WriteError, "add: out= is a list; it has no memory"),
    "text": (lambda: weft.add(A, 1, out=np.zeros((3, 4), "S2")), WriteError, "add: out= is a ndarray"),
    "read-only": (lambda: weft.add(A, 1, out=weft.constant(A)), WriteError, "add: the tensor is read-only"),
    "repeating": (
        lambda: weft.add(A, 1, out=weft.broadcast_to(weft.zeros(4), (3, 4))), WriteError, "add: a broadcast of shape",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    wrong, error, message = REFUSED[case]
    with pytest.raises(error, match=message):
        wrong()


def test_a_result_of_another_device_is_moved():
    there = weft.device("thread", 0)
    x, out = weft.asarray([1.0, 2.0]), weft.zeros(2, device=there)
    assert weft.add(x, 1, out=out) is out
    assert (out.device, out.tolist()) == (there, [2.0, 3.0])
    assert weft.sqrt(out, out=x) is x
    assert (x.device, x.tolist()) == ("cpu", np.sqrt([2.0, 3.0]).tolist())


def test_a_destination_is_written_afterwards_like_any_tensor():
    x, one = weft.asarray([[1.0, 2.0], [3.0, 4.0]]), weft.eye(2)
    for write in (
        lambda to: weft.tensordot(x, one, axes=1, out=to),
        lambda to: weft.matmul(x, one, out=to),
        lambda to: weft.clip(x, out=to),
        lambda to: weft.positive(x, out=to),
        lambda to: weft.sum(x, axis=(), out=to),
    ):
        out = weft.zeros((2, 2))
        row = out[0]
        write(out)
        assert row.tolist() == [1, 2]
        out[0, 0] = 5
        out += 1
        assert (out.tolist(), row.tolist()) == ([[6, 3], [4, 5]], [6, 3])
        memory = out.numpy()
        memory[1, 1] = 9
        assert out[1].tolist() == [4, 9]
    assert x.tolist() == [[1, 2], [3, 4]]
