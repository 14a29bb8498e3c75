"""Cells that are read and written one by one: numbers, whose arithmetic gives the bits of the kernels."""

from __future__ import annotations

import operator
from itertools import product

import numpy as np
import pytest

import weft
from tests.cases import for_each
from tests.shares import in_turn
from weft.errors import DTypeError, IndexOutOfBounds, ValueRangeError, WriteError
from weft.tensors.place import NumberPlace
from weft.tensors.tensor import known_node

FLOATS = [0.0, -0.0, 1.5, -2.25, 1e308, 5e-324, float("inf"), float("-inf"), float("nan"), 0.1, 3.0]
INTEGERS = [0, 1, -1, 7, -3, 2**62, -(2**63), 2**63 - 1]
SMALL_FLOATS = [0.0, -0.0, 1.5, 0.1, -3e38, 1e-45, 16777217.0, 1 / 3, float("inf"), float("-inf"), float("nan")]
CELLS = {
    "floats": (FLOATS, "float64"), "integers": (INTEGERS, "int64"), "float32": (SMALL_FLOATS, "float32"),
    "int8": ([0, 1, -1, 127, -128, 100], "int8"), "uint32": ([0, 1, 2**31, 2**32 - 1], "uint32"),
    "bool": ([False, True], "bool"), "complex": ([0j, 1 + 2j, -0.5j], "complex128"),
}  # fmt: skip
OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
]  # fmt: skip
BITS = [operator.and_, operator.xor]
FUNCTIONS = [weft.maximum, weft.minimum, weft.atan2]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


def named(part):
    return getattr(part, "__name__", part)


@pytest.mark.parametrize(
    ("f", "cells"), in_turn([*OPERATORS, *BITS, *COMPARISONS, *FUNCTIONS], CELLS, every=3), ids=named
)
def test_numbers_give_what_tensors_of_one_cell_give(f, cells):
    values, dtype = CELLS[cells]
    x = weft.asarray(values, dtype=dtype)
    try:
        table = f(x[:, None], x[None, :]).numpy()
    except DTypeError:
        with pytest.raises(DTypeError):
            f(x[0], x[1])
        return
    for i, j in product(range(len(values)), repeat=2):
        weak = () if dtype == "bool" or f in FUNCTIONS else (f(x[i], values[j]), f(values[i], x[j]))
        for made in (f(x[i], x[j]), *weak):
            assert type(made) is weft.Tensor and made.numpy().dtype == table.dtype
            assert made.numpy().tobytes() == table[i, j].tobytes() or np.isnan([made.numpy(), table[i, j]]).all()


@pytest.mark.parametrize(
    ("f", "a", "b"),
    in_turn([operator.add, operator.mul, operator.truediv, operator.lt], CELLS, CELLS, every=7),
    ids=named,
)
def test_numbers_of_two_dtypes_give_what_tensors_give(f, a, b):
    if {a, b} == {"bool"} and f is not operator.lt:
        pytest.skip("not defined")
    x, y = [weft.asarray(values, dtype=dtype) for values, dtype in (CELLS[a], CELLS[b])]
    table = f(x[:, None], y[None, :]).numpy()
    for i, j in product(range(len(x)), range(len(y))):
        made = f(x[i], y[j])
        assert type(made._place) is NumberPlace and made.numpy().dtype == table.dtype
        assert made.numpy().tobytes() == table[i, j].tobytes() or np.isnan([made.numpy(), table[i, j]]).all()


@pytest.mark.parametrize("f", [*OPERATORS, *COMPARISONS], ids=lambda f: f.__name__)
def test_floats_and_integers_together_give_what_tensors_give(f):
    x, n = weft.asarray(FLOATS), weft.asarray(INTEGERS)
    for a, b in ((x, n), (n, x)):
        table = f(a[:, None], b[None, :]).numpy()
        for i, j in product(range(len(a)), range(len(b))):
            for made in (f(a[i], b[j]), f(a[i], b[j].numpy()[()]), f(a[i], b[j].item()) if a is n else f(a[i], b[j])):
                assert made.numpy().dtype == table.dtype
                assert made.numpy().tobytes() == table[i, j].tobytes() or np.isnan([made.numpy(), table[i, j]]).all()


@pytest.mark.parametrize(
    "f", [abs, operator.neg, weft.sqrt, weft.exp, weft.floor, *[lambda x, p=p: x**p for p in (2, 0.5, 1.5, -1)]]
)
@pytest.mark.parametrize("cells", ["floats", "integers", "float32", "int8", "complex"])
def test_functions_of_numbers_give_what_tensors_give(f, cells):
    x = weft.asarray(CELLS[cells][0], dtype=CELLS[cells][1])
    values = CELLS[cells][0]
    table = f(x).numpy()
    for i in range(len(values)):
        made = f(x[i]).numpy()
        assert made.dtype == table.dtype
        assert made.tobytes() == table[i].tobytes() or np.isnan([made, table[i]]).all()


def test_the_bound_of_a_maximum_may_be_either_number():
    x = weft.asarray([float("-inf"), 1.0])
    made = [weft.maximum(a, b) for a, b in ((x[1], x[0]), (x[0], x[1]))]  # one structure, and one number is the bound
    assert [m.item() for m in made] == [1.0, 1.0]
    assert [weft.minimum(-a, -b).item() for a, b in ((x[1], x[0]), (x[0], x[1]))] == [-1.0, -1.0]


def test_numbers_beside_numbers_are_numbers():
    x, n = weft.asarray([1.5, 4.0]), weft.asarray([3, -2])
    made = [
        x[0] + n[0], n[0] * x[1], n[0] / n[1], n[0] * 0.5, x[0] + np.float64(2), n[0] + np.int64(2), x[1] - np.int64(1),
        abs(n[1]), -x[0], weft.sqrt(x[1]), x[0] ** 2, n[0] ** 2, weft.maximum(x[0], n[0]), x[1] ** 0.5,
        weft.exp(x[0] - 1.5),
    ]  # fmt: skip
    assert [type(m._place) for m in made] == [NumberPlace] * len(made)
    assert [m.item() for m in made] == [4.5, 12.0, -1.5, 1.5, 3.5, 5, 3.0, 2, -1.5, 2.0, 2.25, 9, 3.0, 2.0, 1.0]


@pytest.mark.parametrize(
    "one", [np.int64(1), np.uint8(1), weft.asarray([1])[0], weft.asarray([0, 3]).argmax()], ids=repr
)
def test_integers_of_rank_0_select_and_write_cells_as_python_s_do(one):
    x, v = weft.zeros((3, 4)).realize(), weft.asarray([1.0, 2.0, 3.0]).copy().realize()
    assert type(v[one]._place) is type(x[one, one]._place) is type(x[one, -1]._place) is NumberPlace
    v[one] += 5
    x[one, one], x[2, one], x[one, 2:] = 1.0, v[one], 4.0
    x[0] = x[one] * 2
    assert v.tolist() == [1.0, 7.0, 3.0]
    assert x.tolist() == [[0.0, 2.0, 8.0, 8.0], [0.0, 1.0, 4.0, 4.0], [0.0, 7.0, 0.0, 0.0]]
    assert x[None, one, ..., 1].shape == (1,) and x[one][one].item() == 1.0
    x[one][...] = -1.0
    assert x[one, 3].item() == -1.0
    with pytest.raises(IndexOutOfBounds):
        x[one + 5, 0]
    with pytest.raises(IndexOutOfBounds):
        x[0, one + 5] = 1.0


def test_bools_of_rank_0_are_masks():
    x = weft.asarray([1.0, 2.0])
    for mask in (np.True_, weft.asarray([True])[0], x.sum() > 0):
        assert x[mask].shape == (1, 2)


def test_a_list_of_numbers_is_read_without_a_program():
    x, n = weft.asarray([1.5, 2.5]), weft.asarray([1, 2], dtype="int8")
    made = weft.asarray([[x[0], n[0]], [n[1], 2]])
    assert known_node(made).value is not None and made.tolist() == [[1.5, 1.0], [2.0, 2.0]]
    assert weft.asarray([n[0], n[1]]).dtype is weft.int8 and weft.asarray([n[0], 3]).dtype is weft.int8
    assert weft.asarray([x[0], x.sum()]).tolist() == [1.5, 4.0]
    traced = weft.compile(lambda x: weft.asarray([x[0], n[1] * 1.0, x.sum()]))
    assert [traced(weft.asarray(v)).tolist() for v in ([1.0, 2.0], [3.0, 4.0])] == [[1.0, 2.0, 3.0], [3.0, 2.0, 7.0]]


@pytest.mark.parametrize(
    ("dtype", "f", "other"),
    in_turn(
        ["float64", "float32", "int64", "int8", "uint64", "bool", "bfloat16"],
        [operator.add, operator.mul, operator.sub, operator.lt],
        [2, True, 2.5, 2**60 + 1, np.float32(2.5), np.int8(3), 1j],
        every=14,
    ),
)
def test_numbers_beside_others_give_what_tensors_give(dtype, f, other):
    x = weft.asarray([1, 0], dtype=getattr(weft, dtype)).realize()

    def outcome(make):
        try:
            made = make()
        except (ValueRangeError, weft.errors.DTypeError, TypeError) as error:
            return type(error)
        return made.dtype, made.item()

    for swapped in (False, True):
        g = (lambda a, b: f(b, a)) if swapped else f
        if swapped and isinstance(other, np.generic):
            continue
        assert outcome(lambda g=g: g(x[0], other)) == outcome(lambda g=g: g(x[0, ...], other))
        assert outcome(lambda g=g: g(x[0], other)) == outcome(lambda g=g: g(x[:1], other)[0])


def test_a_view_of_a_number_is_no_number():
    x = weft.asarray([1.0, 2.0])
    assert (x[1][None] + 1).tolist() == [3.0] and (1 + x[1][None]).tolist() == [3.0]
    assert (x[0] + x[1][None]).tolist() == [3.0]


@pytest.mark.parametrize(
    ("dtype", "value"),
    [("int8", 300), ("int8", -129), ("uint8", -1), ("int64", 2**63), ("float32", 10**400), ("bool", 2)],
)
def test_numbers_beyond_the_dtype_are_refused_or_rounded_as_before(dtype, value):
    x, y = (weft.zeros(3, dtype=getattr(weft, dtype)).realize() for _ in range(2))

    def outcome(t, key):
        try:
            t[key] = value
        except (ValueRangeError, weft.errors.DTypeError) as error:
            return type(error)
        return t.tolist()

    assert outcome(x, 1) == outcome(y, [1])


@for_each("value", [float("nan"), float("inf"), 1e39, -1e39, 0.1, 3, True, 2**60 + 1])
@for_each("dtype", ["float64", "float32", "float16", "complex128"])
def test_numbers_are_written_as_tables_write_them(dtype, value):
    x, y = (weft.zeros(3, dtype=getattr(weft, dtype)).realize() for _ in range(2))
    x[1], y[[1]] = value, value
    assert x.numpy().tobytes() == y.numpy().tobytes()


def test_keys_out_of_bounds_are_refused():
    x = weft.zeros((2, 3)).realize()
    for key in [(2, 0), (0, -4), (0, 0, 0), 5]:
        with pytest.raises(IndexOutOfBounds):
            x[key] = 1.0
        with pytest.raises(IndexOutOfBounds):
            x[key]
    x[1] = 2.0
    assert x.tolist() == [[0.0] * 3, [2.0] * 3]
    x[True, 1] = 5.0  # a bool is a mask, and no position
    y = np.zeros((2, 3))
    y[1] = 2.0
    y[True, 1] = 5.0
    assert x.tolist() == y.tolist()


def test_readers_keep_what_they_read():
    x = weft.asarray([1.0, 2.0, 3.0]).copy().realize()
    y, view = x * 10, x[1:]
    x[1] = 5.0
    x[1:2] = 6.0
    assert (x.tolist(), y.tolist(), view.tolist()) == ([1.0, 6.0, 3.0], [10.0, 20.0, 30.0], [6.0, 3.0])


def test_memory_that_others_see_is_written_where_it_lies():
    a = np.zeros(4)
    x, part = weft.asarray(a), weft.asarray(a[1:3])
    y, z = x + 1, part + 1
    x[1] = 7.0
    assert (a.tolist(), y.tolist(), z.tolist(), part.tolist()) == ([0, 7, 0, 0], [1] * 4, [1, 1], [7, 0])
    a[2] = 9.0
    assert x[2].item() == 9.0 and (x + 0).tolist() == [0, 7, 9, 0]
    x[2] = 4.0
    assert (x + 0).tolist() == a.tolist() == [0, 7, 4, 0]
    exported = (b := weft.zeros(3).realize()).numpy()
    b[0] = 2.0
    assert exported.tolist() == [2.0, 0.0, 0.0]
    a.flags.writeable = False
    with pytest.raises(WriteError):
        weft.asarray(a)[0] = 1.0


def test_a_number_becomes_a_node_when_it_is_needed():
    x = weft.asarray([1.5, 2.5])
    s = x[1]
    assert type(s._place) is NumberPlace
    assert (s.shape, s.dtype, repr(s), s.numpy().tolist()) == ((), weft.float64, repr(weft.asarray(2.5)), 2.5)
    assert (weft.sin(s) + x).tolist() == (np.sin(2.5) + np.array([1.5, 2.5])).tolist()
    with pytest.raises(AttributeError):
        _ = s._place.nothing


def test_a_loop_over_a_pending_vector_computes_it_once():
    x = weft.arange(5.0) * 2
    total = 0.0
    for v in x:
        assert type(v._place) is NumberPlace
        total = total + v
    assert total.item() == 20.0 and known_node(x).value is not None
    x = weft.asarray([1.0, 2.0, 3.0])
    for v in x * 1:
        x[...] = x + v
    assert x.tolist() == [7.0, 8.0, 9.0]
    traced = weft.compile(lambda x: sum(v * v for v in x * 2))
    assert [traced(weft.asarray(v)).item() for v in ([1.0, 2.0], [3.0, 4.0])] == [20.0, 100.0]


def test_modes_and_observers_see_arithmetic_of_numbers():
    x = weft.asarray([1.0, 0.0])
    with weft.math_mode("error"), pytest.raises(weft.errors.MathError):
        (x[0] / x[1]).item()
    with weft.strict("allow") as report:
        _ = x[0] + weft.asarray([1, 2])[0]
    assert [a.act for a in report] == ["dtype"]


def test_a_cell_of_a_small_pending_value_is_a_number():
    x = weft.asarray([1.0, 2.0, 3.0]).realize()
    y = x * 2 + 1
    assert type(y[1]._place) is NumberPlace and known_node(y).value is not None
    large = (weft.zeros((300, 300)).realize() + 1) * 2
    assert large[1, 2].item() == 2.0 and known_node(large).value is None


def test_an_operand_that_only_the_statement_holds_keeps_no_old_version():
    a = weft.asarray(np.arange(12.0).reshape(3, 4)).copy().realize()
    memory = known_node(a).value
    a[2, :] -= 0.5 * a[1, :]
    a[2, :] -= 0.5 * a[1, :]
    assert known_node(a).value is memory and a[2].tolist() == [4.0, 4.0, 4.0, 4.0]
    half = 0.5 * a[1, :]
    a[1, :] -= half
    assert half.tolist() == [2.0, 2.5, 3.0, 3.5] and a[1].tolist() == half.tolist()
