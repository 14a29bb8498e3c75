"""`map_blocks`: how functions, windows and outputs are declared, what functions are given, and what is refused."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest

import weft
from tests.cases import for_each
from tests.drafts import signature
from weft import Projection
from weft.backends.calls.blocks import bytes_under_way, calls_of
from weft.errors import ArgumentError, DTypeError, ExpressionError, GradientError, ShapeError, ValueRangeError
from weft.ir.pieces.block_operator import BlockOperator, FunctionRef
from weft.ir.pieces.box import bounding, box_of
from weft.ir.pieces.demand import product_demand
from weft.passes.narrowing.restrict import restricted
from weft.runtime.memory.limits import limited
from weft.tensors.tensor import node_of, wrap

X = np.arange(12.0).reshape(3, 4)


class Calls:
    """A function that notes the shapes of the blocks that it is called for."""

    def __init__(self, f: Any = lambda *blocks: sum(blocks)) -> None:
        self.f, self.shapes = f, []

    def __call__(self, *blocks: np.ndarray) -> Any:
        self.shapes.append(tuple([b.shape for b in blocks]))
        return self.f(*blocks)


# ---- what functions get, and when


def test_nothing_is_called_before_a_value_is_looked_at():
    f = Calls(np.sqrt)
    y = weft.map_blocks(f, X, dtype="float64")
    assert f.shapes == []
    assert y.tolist() == np.sqrt(X).tolist() and f.shapes == [((3, 4),)]


def test_without_a_dtype_the_function_is_tried_on_ones():
    f = Calls(lambda b: b[:, 1:] > 0)
    y = weft.map_blocks(f, X, windows=((0, 0), (1, 0)))
    assert f.shapes == [((1, 2),)] and y.dtype is weft.bool and y.shape == (3, 3)


def test_a_part_calls_for_a_part():
    f = Calls(lambda b: b[:-2] + b[2:])
    y = weft.map_blocks(f, np.arange(1000.0), windows=1, dtype="float64")
    assert (y[100:110] * 1).tolist() == [2.0 * i for i in range(101, 111)]
    assert f.shapes == [((12,),)]
    assert "part of blocks" in [r.name for r in weft.explain(y[100:110] * 1).rules]


def test_blocks_bound_the_cells_of_a_call():
    f = Calls(np.negative)
    assert weft.map_blocks(f, X, dtype="float64", blocks=(2, 3)).tolist() == (-X).tolist()
    assert f.shapes == [((2, 3),), ((2, 1),), ((1, 3),), ((1, 1),)]


def test_large_values_are_computed_in_blocks_of_some_megabytes():
    f = Calls(lambda b: b[1:-1])
    x = weft.zeros((2050, 4096))
    assert weft.map_blocks(f, x, windows=((1, 1), (0, 0)), dtype="float64").sum().item() == 0
    assert len(f.shapes) > 8 and max([rows * columns * 16 for ((rows, columns),) in f.shapes]) <= 9 << 20


def test_a_large_table_for_every_cell_does_not_make_blocks_small():
    f = Calls(lambda b, t: b + t[0])
    every = weft.Projection([[0]], None, (2 << 20,))
    y = weft.map_blocks(f, np.arange(1000.0), weft.zeros((2 << 20,)), windows=[None, every], dtype="float64")
    assert y.sum().item() == 499500 and len(f.shapes) == 1


def test_inputs_broadcast_as_the_function_itself_would():
    f = Calls(np.add)
    column, row = np.arange(3.0).reshape(3, 1), np.arange(4.0)
    assert weft.map_blocks(f, column, row, dtype="float64", blocks=2).tolist() == (column + row).tolist()
    assert f.shapes[0] == ((2, 1), (2,))
    assert weft.map_blocks(np.add, weft.asarray(X), 2).tolist() == (X + 2).tolist()
    assert weft.map_blocks(np.negative, 3.0).item() == -3.0


def test_windows_are_said_in_several_ways():
    f = lambda b: b[1:-1, 1:-1]  # noqa: E731
    for windows in (1, ((1, 1), (1, 1)), [(1, 1)], {0: 1, 1: (1, 1)}, [Projection(np.eye(2, dtype=int), None, (3, 3))]):
        index = (1, 2) if isinstance(windows, list) else None
        assert weft.map_blocks(f, X, windows=windows, index=index).tolist() == [[5.0, 6.0]]


def test_leading_axes_that_a_projection_lacks_pass_through():
    pairs = Projection([[2]], shape=(2,))
    y = weft.map_blocks(lambda b: b[..., ::2] + b[..., 1::2], X, windows=pairs, index=(3, 2))
    assert y.tolist() == (X[:, ::2] + X[:, 1::2]).tolist()


def test_a_product_of_matrices_is_blocks_of_rows_and_columns():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 9, (10, 5)), rng.integers(0, 9, (5, 12))
    rows = Projection([[1, 0], [0, 0]], shape=(1, 5))
    columns = Projection([[0, 0], [0, 1]], shape=(5, 1))
    y = weft.map_blocks(np.matmul, a, b, windows=[rows, columns], index=(10, 12), check=True)
    assert y.tolist() == (a @ b).tolist()


INNER = 4
ROWS_OF_BLOCKS = Projection([[0], [INNER]], shape=(6, INNER))
COLUMNS_OF_BLOCKS = Projection([[INNER], [0]], shape=(INNER, 5))


def partial_products(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The products of the blocks of the inner axis, one for each index cell."""
    count = x.shape[1] // INNER
    return np.matmul(x.reshape(6, count, INNER).swapaxes(0, 1), y.reshape(count, INNER, 5))


def test_inner_axes_are_split_into_partial_products_and_a_sum():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 9, (6, 40)), rng.integers(0, 9, (40, 5))
    parts = weft.map_blocks(
        partial_products,
        a,
        b,
        windows=[ROWS_OF_BLOCKS, COLUMNS_OF_BLOCKS],
        index=10,
        out=Projection([[1], [0], [0]], shape=(1, 6, 5)),
        check=True,
    )
    assert weft.sum(parts, axis=0).tolist() == (a @ b).tolist()


def test_all_that_is_wrong_is_said_at_once():
    x = weft.arange(8)
    past = Projection([[4]], shape=(5,))
    with pytest.raises(ShapeError) as inputs:
        weft.map_blocks(np.add, x, x, windows=[past, past.translate((-1,))], index=2)
    assert "input 0: index cell (1,) needs position 8" in str(inputs.value)
    assert "input 1: index cell (0,) needs position -1" in str(inputs.value)
    wrong = [Projection([[3]], shape=(4,)), Projection([[5]], shape=(4,))]
    with pytest.raises(ShapeError) as outputs:
        weft.map_blocks(
            lambda b: (b, b), x, windows=Projection([[4]], shape=(4,)), index=2, out=wrong, shape=[(8,), (9,)]
        )
    assert str(outputs.value) == (
        "map_blocks: output 0: cell (3,) is written twice, by index cells (0,) and (1,), and cell (7,) is not "
        "written; output 1: cell (4,) is not written; each cell of an output is written once; change out=, or shape="
    )


def test_wrong_projections_in_data_are_reported_with_their_node():
    pairs = Projection([[2]], shape=(2,))
    y = weft.map_blocks(lambda b: b[::2] + b[1::2], weft.arange(10.0).realize(), windows=pairs, index=5)
    data, leaves = weft.show(y, "json"), weft.leaves_of(y)
    wrong = data.replace("[[[[2]], [0], [2]]], [[[[1]], [0], [1]]]", "[[[[2]], [1], [2]]], [[[[1]], [1], [1]]]")
    with pytest.raises(ExpressionError) as caught:
        weft.parse(wrong, leaves)
    (fault,) = caught.value.faults
    assert fault.path == "$.nodes[2]"
    for said in (
        "of input 0 index cell (4,) reads position 10",
        "index cell (4,) writes position 5",
        "cell (0,) is not",
    ):
        assert said in fault.fact


@pytest.mark.parametrize("cut", [(slice(3, 9), slice(0, 12)), (slice(2, 3), slice(5, 11)), (slice(0, 10), slice(7, 8))])
def test_products_of_weft_ask_for_what_their_projections_say(cut: tuple[slice, slice]) -> None:
    a, b = node_of(weft.zeros((10, 5))), node_of(weft.zeros((5, 12)))
    product = node_of(wrap(a) @ wrap(b))
    rows, columns = Projection([[1, 0], [0, 0]], shape=(1, 5)), Projection([[0, 0], [0, 1]], shape=(5, 1))
    asked = box_of(tuple([s.stop - s.start for s in cut]), tuple([s.start for s in cut]))
    found = [bounding(request) for _, request in product_demand(product, asked.request)]
    assert found == [p.of(asked) for p in (rows, columns)]


def test_blocks_are_read_only_native_and_of_a_dtype_of_numpy():
    seen = []

    def f(a, b, c):
        seen.extend([a, b, c])
        return a + b + c.astype(a.dtype)

    half = weft.asarray([1, 2], dtype="float16")
    y = weft.map_blocks(f, half, weft.asarray([1, 2], dtype="bfloat16"), np.array([1, 2], ">i4"), dtype="float32")
    assert y.tolist() == [3.0, 6.0] and [s.dtype for s in seen] == [np.float16, np.float32, np.int32]
    assert seen[2].dtype.isnative

    def writes(b):
        b[...] = 0
        return b

    with pytest.raises(ValueError, match="read-only"):
        weft.map_blocks(writes, X, dtype="float64").tolist()


def test_results_may_be_tensors_and_extended_dtypes():
    y = weft.map_blocks(lambda b: weft.asarray(b) * 2, X)
    assert y.tolist() == (X * 2).tolist()
    z = weft.map_blocks(lambda b: b / 3, weft.asarray([1.0, 2.0]).astype(weft.bfloat16), dtype=weft.bfloat16)
    assert z.dtype is weft.bfloat16 and z.tolist() == (weft.asarray([1.0, 2.0]) / 3).astype(weft.bfloat16).tolist()


def test_empty_spaces_call_nothing():
    f = Calls(np.negative)
    assert weft.map_blocks(f, weft.zeros((0, 3)), dtype="float64").shape == (0, 3)
    y = weft.map_blocks(f, weft.zeros((2, 3)), windows=((1, 1), (0, 0)), dtype="float64", check=True)
    assert y.tolist() == [] and f.shapes == []


# ---- calls at a time


class AtOnce:
    """A function that notes how many calls of it were under way at a time. Calls wait for `meeting` of them."""

    def __init__(self, meeting=1):
        self.lock, self.now, self.most = threading.Lock(), 0, 0
        self.meeting = threading.Barrier(meeting)

    def __call__(self, b):
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self.meeting.wait(60)
        with self.lock:
            self.now -= 1
        return b + 1


@pytest.fixture
def two_threads():
    before = weft.get_num_threads()
    weft.set_num_threads(2)
    yield
    weft.set_num_threads(before)


@pytest.mark.usefixtures("two_threads")
def test_large_values_are_computed_by_several_calls_at_a_time():
    f = AtOnce(meeting=2)
    assert weft.map_blocks(f, weft.zeros((4, 1 << 17)), dtype="float64", blocks=(1, 1 << 17)).sum().item() == 1 << 19
    assert f.most == 2


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("threads", [1, None])
def test_threads_1_makes_calls_one_after_the_other(threads):
    weft.set_num_threads(2 if threads else 1)
    f = AtOnce()
    y = weft.map_blocks(f, weft.zeros((16, 1 << 16)), dtype="float64", blocks=(1, 1 << 16), threads=threads)
    assert y.sum().item() == 1 << 20 and f.most == 1


def test_threads_say_how_many_calls_are_made_at_a_time():
    f = AtOnce(meeting=3)
    assert weft.map_blocks(f, np.zeros(6), dtype="float64", blocks=1, threads=3).tolist() == [1.0] * 6
    assert f.most == 3


def test_the_error_of_the_first_block_is_raised():
    second = threading.Event()

    def f(b):
        if b[0] == 1:
            second.set()
        assert second.wait(60)
        raise KeyError(int(b[0]))

    with pytest.raises(KeyError) as caught:
        weft.map_blocks(f, np.arange(2.0), dtype="float64", blocks=1, threads=2).tolist()
    assert caught.value.args == (0,) and caught.value.__notes__ == ["map_blocks: f had index cells [0:1]: (1,)"]


def test_an_interrupt_begins_no_further_call(interruptible):
    calls = []

    def f(b):
        calls.append(b)
        if len(calls) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        return b

    with pytest.raises(KeyboardInterrupt):
        weft.map_blocks(f, np.arange(1000.0), dtype="float64", blocks=1, threads=2).tolist()
    made = len(calls)
    time.sleep(0.05)
    assert made == len(calls) < 1000


def test_functions_of_several_threads_may_use_weft_and_warn_of_nothing():
    x = np.linspace(-1, 1, 1 << 18)
    y = weft.map_blocks(lambda b: np.log((weft.asarray(b) * 2).numpy()), x, dtype="float64", threads=4, blocks=1 << 12)
    with np.errstate(all="ignore"):
        assert np.array_equal(y.numpy(), np.log(x * 2), equal_nan=True)


@pytest.mark.usefixtures("two_threads")
def test_calls_at_a_time_take_at_most_an_eighth_of_the_limit_or_are_one():
    line = Projection([[0, 0], [0, 1]], shape=(1 << 20, 1))
    rows = BlockOperator(
        FunctionRef(np.negative), (0, 0), (1 << 10, 1 << 10), *[(Projection(np.eye(2, dtype=int)),)] * 2
    )
    lines = BlockOperator(FunctionRef(np.negative), (0, 0), (1 << 20, 1 << 10), (line,), rows.outputs)
    assert calls_of(rows, (8, 8))[1] == 2 and bytes_under_way(rows, (8, 8)) == 4 << 20
    with limited("16MiB"):
        assert calls_of(rows, (8, 8))[1] == 2 and bytes_under_way(rows, (8, 8)) == 2 << 20
        assert calls_of(lines, (8, 8))[1] == 1  # a line alone takes 8 MiB
    assert calls_of(lines, (8, 8))[1] == 2


# ---- several outputs


def test_several_outputs_are_one_call():
    f = Calls(lambda b: (b + 1, (2 * b).astype(np.int64)))
    low, high = weft.map_blocks(f, X, dtype=["float64", "int64"])
    weft.compute(low, high)
    assert f.shapes == [((3, 4),)] and low.tolist() == (X + 1).tolist() and high.tolist() == (2 * X).tolist()
    low, high = weft.map_blocks(f, weft.asarray(X) * 2, dtype=["float64", "int64"])
    assert (low.mean() + high.sum()).item() == (2 * X + 1).mean() + (4 * X).sum() and len(f.shapes) == 2


def test_the_same_output_twice_is_two_values():
    first, second = (weft.map_blocks(np.sqrt, weft.asarray(X)) for _ in range(2))
    weft.compute(first, second)
    assert first.tolist() == second.tolist() == np.sqrt(X).tolist()


def test_outputs_lie_where_their_projections_say():
    both = [None, Projection([[1, 0], [0, 0]], shape=(1, 4))]
    rows = Projection([[1], [0]], shape=(1, 4))
    total, turned = weft.map_blocks(
        lambda b: (b.sum(1), b[:, ::-1].T),
        X,
        windows=rows,
        index=(3,),
        out=[None, Projection([[0], [1]], shape=(4, 1))],
    )
    assert total.tolist() == X.sum(1).tolist() and turned.tolist() == X[:, ::-1].T.tolist()
    with pytest.raises(ShapeError, match="output 1: cell"):
        weft.map_blocks(lambda b: (b, b), X, out=both, dtype="float64")


def test_wrappers_see_every_output():
    low, high = weft.map_blocks(lambda b: (b - 1, b + 1), X)
    with weft.modules.counting() as n:
        weft.compute(low, high)
    assert n["map_blocks"] == 2


# ---- errors of the function and of declarations


def test_memory_that_the_function_does_not_get_is_told_as_its_own():
    def f(a):
        raise MemoryError

    wanted = r"map_blocks: f got no memory for index cells \[0:3\]: \(3,\); .*; make it take less, or free large"
    with pytest.raises(weft.errors.OutOfMemory, match=wanted):
        weft.map_blocks(f, np.ones(3), dtype="f8").realize()


def test_errors_of_the_function_pass_with_a_note_of_the_block():
    def f(b):
        if b[0, 0] > 4:
            raise KeyError("too large")
        return b

    with pytest.raises(KeyError) as caught:
        (weft.map_blocks(f, X, dtype="float64", blocks=(1, 2))[1:, 2:] * 1).tolist()
    assert caught.value.__notes__ == ["map_blocks: f had index cells [1:2, 2:4]: (1, 2)"]
    assert caught.traceback[-1].name == "f"
    with pytest.raises(ZeroDivisionError) as tried:
        weft.map_blocks(lambda b: 1 / 0, X)
    assert tried.value.__notes__[0].startswith("map_blocks: the function was tried on ones of shapes [(1, 1)]")


def test_a_failed_call_leaves_the_value_pending():
    fails = [True]

    def f(b):
        if fails.pop():
            raise OSError("later")
        return b

    y = weft.map_blocks(f, X, dtype="float64")
    with pytest.raises(OSError, match="later"):
        y.tolist()
    fails.append(False)
    assert y.tolist() == X.tolist()


def test_results_may_have_either_byte_order():
    y = weft.map_blocks(lambda b: b.astype(">f4"), X)
    assert y.dtype is weft.float32 and y.tolist() == X.tolist()
    assert weft.map_blocks(lambda b: b.astype(">f4"), X, dtype="bfloat16").tolist() == X.tolist()


RESULTS = {
    "shape": (
        lambda b: b[1:],
        ShapeError,
        "map_blocks: <lambda> gives shape (2, 4) as output 0 of index cells [0:3, 0:4]",
    ),
    "dtype": (lambda b: b > 0, DTypeError, "map_blocks: output 0 has dtype bool where float64 is declared"),
    "object": (lambda b: b.astype(object), DTypeError, "map_blocks: output 0 has dtype object"),
    "none": (lambda b: None, ShapeError, "map_blocks: <lambda> gives shape ()"),
}


@pytest.mark.parametrize("case", RESULTS)
def test_results_that_are_not_as_declared(case):
    f, error, message = RESULTS[case]
    with pytest.raises(error) as caught:
        weft.map_blocks(f, X, dtype="float64").tolist()
    assert str(caught.value).startswith(message)


def test_the_number_of_results_is_that_of_outputs():
    with pytest.raises(ShapeError, match="gives 3 results, 2 are declared"):
        weft.map_blocks(lambda b: (b, b, b), X, dtype=["float64", "float64"])[0].tolist()


IDENTITY = Projection([[1, 0], [0, 1]])
WRONG = {
    "function": (lambda: weft.map_blocks(3, X), DTypeError, "map_blocks: int is no function"),
    "vjp": (lambda: weft.map_blocks(np.sqrt, X, vjp=3), DTypeError, "map_blocks: vjp 3 is no function"),
    "nothing": (lambda: weft.map_blocks(lambda b: None, X), DTypeError, "map_blocks: None as output 0"),
    "inputs": (lambda: weft.map_blocks(np.sqrt), ArgumentError, "map_blocks: no inputs"),
    "device": (
        lambda: weft.map_blocks(np.sqrt, weft.asarray(X, device="thread:0")),
        ValueRangeError,
        "map_blocks: input 0 lies on thread:0",
    ),
    "window": (
        lambda: weft.map_blocks(np.sqrt, X, windows="wide"),
        ArgumentError,
        "map_blocks: window 'wide' of input 0",
    ),
    "windows": (
        lambda: weft.map_blocks(np.sqrt, X, windows=[1, 1]),
        ArgumentError,
        "map_blocks: 2 windows for 1 inputs",
    ),
    "axes": (
        lambda: weft.map_blocks(np.sqrt, X, windows=((1, 1),)),
        ShapeError,
        "map_blocks: window ((1, 1),) of input 0",
    ),
    "pair": (
        lambda: weft.map_blocks(np.sqrt, X, windows=((1, 1), (1, -1))),
        ShapeError,
        "map_blocks: (1, -1) in window",
    ),
    "axis": (
        lambda: weft.map_blocks(np.sqrt, X, windows={2: 1}),
        ShapeError,
        "map_blocks: a window along axis 2 of input 0",
    ),
    "room": (
        lambda: weft.map_blocks(np.sqrt, X, windows=2),
        ShapeError,
        "map_blocks: input 0 of shape (3, 4) has no room",
    ),
    "shapes": (
        lambda: weft.map_blocks(np.add, X, X.T),
        ShapeError,
        "map_blocks: shapes (3, 4) and (4, 3) do not broadcast",
    ),
    "no index": (lambda: weft.map_blocks(np.sqrt, X, windows=IDENTITY), ArgumentError, "map_blocks: projections alone"),
    "index": (lambda: weft.map_blocks(np.sqrt, X, index=(2, 4)), ShapeError, "map_blocks: "),
    "larger index": (lambda: weft.map_blocks(np.sqrt, X, index=(4,)), ShapeError, "map_blocks: index (4,)"),
    "threads": (
        lambda: weft.map_blocks(np.sqrt, X, threads=0),
        ValueRangeError,
        "map_blocks: threads 0; a function is called by 1 thread or more",
    ),
    "outside": (
        lambda: weft.map_blocks(np.sqrt, X, windows=IDENTITY, index=(3, 5)),
        ShapeError,
        "map_blocks: input 0: index cell (0, 4) needs position 4 of axis 1, which has 4 cells",
    ),
    "before": (
        lambda: weft.map_blocks(np.sqrt, X, windows=IDENTITY.translate((-1, 0)), index=(3, 4)),
        ShapeError,
        "map_blocks: input 0: index cell (0, 0) needs position -1 of axis 0",
    ),
    "no cells": (
        lambda: weft.map_blocks(np.sqrt, X, windows=Projection([[1], [0]], None, (1, 0)), index=(3,)),
        ShapeError,
        "map_blocks: windows of shape (1, 0) of input 0",
    ),
    "matrix": (
        lambda: weft.map_blocks(np.sqrt, X, windows=Projection([[1]]), index=(3,)),
        ShapeError,
        "map_blocks: window of input 0 maps 1 axes to 1; the index space has 1, the tensor 2",
    ),
    "missing": (
        lambda: weft.map_blocks(np.sqrt, X, out=Projection([[2, 0], [0, 1]])),
        ShapeError,
        "map_blocks: output 0: cell (1, 0) is not written; 8 of 20 are not; each cell of an output is written once",
    ),
    "twice": (
        lambda: weft.map_blocks(np.sqrt, X, out=Projection([[1, 0], [0, 0]])),
        ShapeError,
        "map_blocks: output 0: cell (0, 0) is written twice, by index cells (0, 0) and (0, 1)",
    ),
    "scattered": (
        lambda: weft.map_blocks(np.sqrt, X, out=Projection([[4, 1]]), dtype="float64"),
        ShapeError,
        "map_blocks: output 0: index axis 0 steps by {0: 4}",
    ),
    "end": (
        lambda: weft.map_blocks(np.sqrt, X, shape=(3, 5)),
        ShapeError,
        "map_blocks: output 0: cell (0, 4) is not written",
    ),
    "rank": (lambda: weft.map_blocks(np.sqrt, X, shape=12), ShapeError, "map_blocks: shape (12,) of output 0"),
    "out": (lambda: weft.map_blocks(np.sqrt, X, out="float32"), ArgumentError, "map_blocks: out 'float32' of output 0"),
    "lists": (
        lambda: weft.map_blocks(np.sqrt, X, out=[None], dtype=["float64", "float64"]),
        ArgumentError,
        "map_blocks: lists of [1, 2] outputs",
    ),
    "tried": (
        lambda: weft.map_blocks(np.modf, X, out=[None]),
        ArgumentError,
        "map_blocks: lists of [1] outputs; the function gives 2",
    ),
    "margins": (
        lambda: weft.map_blocks(np.sqrt, X, windows=1),
        ShapeError,
        "map_blocks: shape (3, 3) as output 0 of one index cell, which has (1, 1)",
    ),
    "large windows": (
        lambda: weft.map_blocks(np.sqrt, weft.zeros((1 << 40,)), windows=Projection([[0]], None, (1 << 40,)), index=1),
        ArgumentError,
        "map_blocks: windows of 8796093022208 bytes for one index cell",
    ),
    "large outputs": (
        lambda: weft.map_blocks(
            np.sqrt, X, out=Projection(np.eye(2, dtype=int) << 62, None, (1 << 62,) * 2), dtype="int8"
        ),
        ShapeError,
        "map_blocks: the result would have shape (13835058055282163712, 18446744073709551616)",
    ),
    "blocks": (
        lambda: weft.map_blocks(np.sqrt, X, blocks=(1,)),
        ShapeError,
        "map_blocks: blocks (1,) of an index space",
    ),
    "half a cell": (lambda: weft.map_blocks(np.sqrt, X, blocks=1.5), DTypeError, "map_blocks: blocks 1.5; integers"),
    "no block": (lambda: weft.map_blocks(np.sqrt, X, blocks=0), ShapeError, "map_blocks: blocks 0 of an index space"),
}


@for_each("case", WRONG)
def test_declarations_that_are_refused(case):
    make, error, message = WRONG[case]
    with pytest.raises(error) as caught:
        make()
    assert str(caught.value).startswith(message)


# ---- checks, gradients


def test_a_check_finds_functions_that_know_their_block():
    with pytest.raises(
        ValueRangeError, match=r"output 0 at \(0, 0\) is -5.5 in a block of \(3, 4\) index cells and 0.0"
    ):
        weft.map_blocks(lambda b: b - b.mean(), X, check=True)
    both = np.where(X == 7, np.nan, X)
    assert weft.map_blocks(np.sqrt, both, check=True)[1, 3].item() != 0
    with pytest.raises(ValueRangeError, match="output 1 at"):
        weft.map_blocks(lambda b: (b, b.cumsum(0)), X, check=True)


def test_a_check_of_large_values_is_of_a_part_in_the_middle():
    f = Calls(np.negative)
    x = weft.arange(1 << 25).astype("uint8")
    weft.map_blocks(f, x, dtype="uint8", check=True)
    assert sum(s[0] for (s,) in f.shapes) <= 1 << 26
    wrong = lambda b: b + (len(b) < 3_000_000)  # noqa: E731
    with pytest.raises(ValueRangeError, match="depend on nothing but its windows"):
        weft.map_blocks(wrong, weft.zeros((1 << 25,)), check=True)


def test_a_check_of_a_space_without_end_is_quick():
    x = weft.iota((1 << 60,))
    y = weft.map_blocks(lambda b: b * 2, x, dtype="int64", check=True)
    assert y[1 << 59 : (1 << 59) + 3].tolist() == [2 * ((1 << 59) + k) for k in range(3)]


def test_without_a_vjp_there_is_no_gradient():
    x = weft.asarray(X).requires_grad_()
    with pytest.raises(GradientError, match=r"map_blocks: no gradient; .* give vjp="):
        weft.map_blocks(np.sin, x).sum().backward()


def test_a_vjp_gives_gradients_that_are_tensors():
    x, w = weft.asarray([1.0, 2.0, 3.0, 4.0]).requires_grad_(), weft.asarray([2.0, 3.0]).requires_grad_()

    def vjp(g, x, w):
        return weft.pad(g, (0, 1)) * w[0] + weft.pad(g, (1, 0)) * w[1], None

    y = weft.map_blocks(
        lambda b, w: b[:-1] * w[0] + b[1:] * w[1], x, w, windows=[((0, 1),), Projection([[0]], None, (2,))], index=(3,),
        vjp=vjp,
    )  # fmt: skip
    (y * weft.asarray([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [2.0, 23.0, 230.0, 300.0] and w.grad is None


def test_a_vjp_of_several_outputs_has_zeros_for_the_others():
    x = weft.asarray([0.5, 1.0]).requires_grad_()
    s, c = weft.map_blocks(
        lambda b: (np.sin(b), np.cos(b)), x, vjp=lambda g, x: g[0] * weft.cos(x) - g[1] * weft.sin(x)
    )
    (s * 2 + c).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * np.cos([0.5, 1.0]) - np.sin([0.5, 1.0]))


def test_a_vjp_of_another_shape_or_number_is_refused():
    x = weft.asarray(X).requires_grad_()
    with pytest.raises(GradientError, match=r"vjp gives shape \(4,\) as gradient of input 0"):
        weft.map_blocks(np.sin, x, vjp=lambda g, x: g[0]).sum().backward()
    with pytest.raises(GradientError, match="vjp gives 2 gradients for 1 inputs"):
        weft.map_blocks(np.sin, x, vjp=lambda g, x: (g, g)).sum().backward()


# ---- beside other parts of weft


def test_programs_do_not_keep_functions():
    f = Calls(np.negative)
    gone = weakref.ref(f)
    y = weft.map_blocks(f, X, dtype="float64")
    del f
    gc.collect()
    assert gone() is not None and (y[1:] + 1).tolist() == (1 - X[1:]).tolist() and y.tolist() == (-X).tolist()
    gc.collect()
    assert gone() is None


def test_functions_of_one_place_in_memory_are_not_taken_for_each_other():
    for k in range(20):
        assert weft.map_blocks(lambda b, k=k: b + k, weft.asarray([1.0])).item() == 1 + k
        gc.collect()


def test_values_are_those_of_the_call():
    x = weft.asarray(X.copy())
    y = weft.map_blocks(np.negative, x)
    x[...] = 0
    assert y.tolist() == (-X).tolist()


def test_tensors_of_blocks_are_pickled_by_their_cells():
    assert pickle.loads(pickle.dumps(weft.map_blocks(np.sqrt, X))).tolist() == np.sqrt(X).tolist()


def test_computations_hold_blocks():
    x = weft.placeholder((4,))
    twice = weft.computation(weft.map_blocks(lambda b: b * 2, x) + 1, x)
    assert twice(np.arange(4.0)).tolist() == [1.0, 3.0, 5.0, 7.0]


def doubled(b):
    return b * 2


def turned(b):
    return 2 * b[-2:0:-1]


def test_computations_of_blocks_are_pickled_with_their_function():
    x = weft.placeholder((4,))
    y = weft.map_blocks(turned, weft.pad(x, 1), windows=1, index=(4,), out=Projection([[-1]], (3,)), blocks=3)
    made = pickle.loads(pickle.dumps(weft.computation(y + 1, x)))
    assert made(np.arange(4.0)).tolist() == [7.0, 5.0, 3.0, 1.0]
    local = weft.computation(weft.map_blocks(lambda b: b, x, dtype="float64"), x)
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(local)


def test_text_of_blocks_is_read_back_beside_their_function():
    x = weft.asarray(X)
    y = weft.map_blocks(doubled, x * 1, dtype="float64")
    leaf = node_of(y).inputs[-1]
    assert weft.parse(weft.show(y), [x, wrap(leaf)]).tolist() == (2 * X).tolist()
    with pytest.raises(ExpressionError, match="map_blocks without its function"):
        weft.parse(weft.show(y), [x, weft.asarray([0, 0])])
    alone = weft.show(weft.map_blocks(doubled, x * 1, dtype="float64", threads=1))
    older = weft.show(y).replace(", None, None)", ", None)")  # without a number of threads
    assert older != weft.show(y) != alone
    for text, threads in ((alone, 1), (older, None)):
        read = weft.parse(text, [x, wrap(leaf)])
        assert node_of(read).attrs[0].threads == threads and read.tolist() == (2 * X).tolist()


def test_strict_mode_finds_no_implicit_act():
    with weft.strict():
        y = weft.map_blocks(np.add, weft.ones((3, 1)), weft.ones((1, 4)))
    assert y.tolist() == np.full((3, 4), 2.0).tolist()


def test_functions_may_use_weft_themselves():
    y = weft.map_blocks(
        lambda b: weft.map_blocks(np.sqrt, b * 2).numpy() + weft.asarray(b).sum(axis=1)[:, None].numpy(), X[:, :1]
    )
    assert y.tolist() == (np.sqrt(2 * X[:, :1]) + X[:, :1]).tolist()


def test_tiles_of_one_shape_are_one_program():
    y = node_of(weft.map_blocks(np.negative, weft.asarray(np.arange(100.0)) * 2))
    keys = {signature([restricted(y, box_of((10,), (at,)))])[0] for at in (10, 30, 90)}
    assert len(keys) == 1


# ---- files


@pytest.fixture
def cube(tmp_path):
    """A file of 16 MB, and its values."""
    values = np.random.default_rng(1).integers(0, 9, (80, 160, 160)).astype("float64")
    np.save(tmp_path / "cube.npy", values)
    return tmp_path / "cube.npy", values


WINDOWS = ((0, 0), (1, 1), (1, 1))


def laplacian(b):
    return 4 * b[:, 1:-1, 1:-1] - b[:, :-2, 1:-1] - b[:, 2:, 1:-1] - b[:, 1:-1, :-2] - b[:, 1:-1, 2:]


def test_a_part_of_a_file_reads_a_part(cube):
    path, values = cube
    y = weft.map_blocks(laplacian, weft.open(path), windows=WINDOWS, dtype="float64")
    part = y[3, 10:20, 10:20].sum()
    assert weft.explain(part).sources[0].bytes <= 12 * 160 * 8
    assert part.item() == laplacian(values)[3, 10:20, 10:20].sum()


@pytest.mark.parametrize(("reduce", "axis"), [("mean", None), ("std", 0), ("argmax", 2)])
def test_reductions_go_in_tiles(cube, reduce, axis):
    path, values = cube
    f = Calls(laplacian)
    y = weft.map_blocks(f, weft.open(path), windows=WINDOWS, dtype="float64")
    whole = getattr(weft.asarray(laplacian(values)), reduce)(axis=axis)
    with limited("4MiB"):
        assert getattr(y, reduce)(axis=axis).tolist() == whole.tolist()
    assert len(f.shapes) > 8 and max([np.prod(shape) for (shape,) in f.shapes]) * 8 < 4 << 20


def test_saving_goes_in_tiles_and_one_call_gives_all_outputs(cube, tmp_path):
    path, values = cube
    f = Calls(lambda b: (laplacian(b), b[:, 1:-1, 1:-1] > 4))
    low, high = weft.map_blocks(f, weft.open(path), windows=WINDOWS, dtype=["float64", "bool"])
    weft.store({tmp_path / "low.npy": low, tmp_path / "high.npy": high}, memory="4MiB")
    assert np.array_equal(np.load(tmp_path / "low.npy"), laplacian(values))
    assert np.array_equal(np.load(tmp_path / "high.npy"), values[:, 1:-1, 1:-1] > 4)
    cells = [int(np.prod([a - 2 * (k > 0) for k, a in enumerate(shape)])) for (shape,) in f.shapes]
    assert len(cells) > 4 and sum(cells) == low.size


def test_a_border_is_what_pad_puts_there(cube):
    path, values = cube
    x = weft.pad(weft.open(path), ((0, 0), (1, 1), (1, 1)), mode="wrap")
    y = weft.map_blocks(laplacian, x, windows=WINDOWS, dtype="float64")
    padded = np.pad(values, WINDOWS, mode="wrap")
    with limited("8MiB"):
        assert y.shape == values.shape and y.sum(axis=0).tolist() == laplacian(padded).sum(axis=0).tolist()


def test_chunks_are_those_of_the_source(tmp_path):
    weft.save(tmp_path / "a.zarr", weft.zeros((20, 30)), chunks=(5, 10))
    x = weft.open(tmp_path / "a.zarr")
    assert weft.map_blocks(lambda b: b[1:-1, 1:-1], x, windows=1, dtype="float64").chunks == (5, 10)
    pairs = Projection([[0, 2], [1, 0]], shape=(2, 1))
    assert weft.map_blocks(lambda b: b[::2].T, x, windows=pairs, index=(30, 10), dtype="float64").chunks == (10, 2)
    twice = Projection([[2, 0], [0, 1]], shape=(2, 1))
    assert weft.map_blocks(lambda b: b.repeat(2, 0), x, out=twice, dtype="float64").chunks is None


def test_errors_in_a_tile_name_the_block_of_the_whole(cube):
    path, _ = cube

    def f(b):
        if len(b) and b.shape[0] and f.calls > 3:
            raise RuntimeError("enough")
        f.calls += 1
        return b

    f.calls = 0
    y = weft.map_blocks(f, weft.open(path), dtype="float64")
    with limited("4MiB"), pytest.raises(RuntimeError) as caught:
        y.sum().item()
    assert "had index cells [" in caught.value.__notes__[0] and "[0:" not in caught.value.__notes__[0].split(",")[0]
