"""Nested data: the dtypes, shapes and holes of lists of anything, and errors about ragged ones."""

from __future__ import annotations

import array
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from tests.cases import for_each
from tests.refusals import refusals
from weft import dtypes as dt
from weft.errors import DTypeError, OutOfMemory, ShapeError, ValueRangeError
from weft.tensors.tensor import node_of

A = weft.asarray


@pytest.fixture(params=["cpu", "reference", "eager"])
def mode(request: pytest.FixtureRequest) -> Any:
    with weft.eager() if request.param == "eager" else weft.transformer(request.param):
        yield request.param


VALUES: dict[str, tuple[Any, str, Any]] = {
    "ints": (lambda: A([1, 2]), "int64", [1, 2]),
    "bools": (lambda: A([True, False]), "bool", [True, False]),
    "ints and a bool": (lambda: A([True, 2]), "int64", [1, 2]),
    "ints and a float": (lambda: A([[1], [2.5]]), "float64", [[1.0], [2.5]]),
    "complex": (lambda: A((1j, 2, True)), "complex128", [1j, 2, 1]),
    "large": (lambda: A([2**63, 1]), "uint64", [2**63, 1]),
    "weak beside a scalar": (lambda: A([np.int8(1), 3, True]), "int8", [1, 3, 1]),
    "weak floats beside a scalar": (lambda: A([np.float32(1), 0.1]), "float32", [1, float(np.float32(0.1))]),
    "a float beside an integer": (lambda: A([np.int8(1), 0.5]), "float64", [1, 0.5]),
    "scalars": (lambda: A([np.int8(-1), np.uint8(200)]), "int16", [-1, 200]),
    "arrays": (lambda: A([np.int8([1, 2]), np.uint8([3, 200])]), "int16", [[1, 2], [3, 200]]),
    "arrays keep their axes": (lambda: A([[np.eye(2)], [np.ones((2, 2))]]).shape, None, (2, 1, 2, 2)),
    "arrays beside lists": (lambda: A([np.float32([1, 2]), [3, 4], range(5, 7)]), "float32", [[1, 2], [3, 4], [5, 6]]),
    "big-endian arrays": (lambda: A([np.array([1, 2], ">i2"), [3, 4]]), "int16", [[1, 2], [3, 4]]),
    "arrays of rank 0": (lambda: A([np.array(1, "i2"), np.array(2, ">u1")]), "int16", [1, 2]),
    "tensors": (lambda: A([weft.arange(2), weft.ones(2)]), "float64", [[0, 1], [1, 1]]),
    "tensors of rank 0": (lambda: A([weft.arange(3)[2], 7]), "int64", [2, 7]),
    "bfloat16": (lambda: A([weft.ones((), dtype="bfloat16"), 1 + 2**-8 + 2**-40]), "bfloat16", [1, 1 + 2**-7]),
    "bfloat16 arrays": (lambda: A([weft.ones(1, dtype="bfloat16"), np.int8([3])]), "bfloat16", [[1], [3]]),
    "iterators": (lambda: A([iter([1, 2]), (x for x in (3, 4))]), "int64", [[1, 2], [3, 4]]),
    "a generator": (lambda: A(x / 2 for x in range(3)), "float64", [0, 0.5, 1]),
    "values of a dictionary": (lambda: A({"a": 1, "b": 2}.values()), "int64", [1, 2]),
    "buffers": (lambda: A([array.array("h", [1, 2]), bytearray([3, 4])]), "int16", [[1, 2], [3, 4]]),
    "nothing": (lambda: A([]), "float64", []),
    "nothing twice": (lambda: A([[[]]]).shape, None, (1, 1, 0)),
    "rows of nothing": (lambda: A([[], [], []]).shape, None, (3, 0)),
    "arrays of nothing": (lambda: A([np.zeros((0, 2), "i1")]), "int8", [[]]),
    "ragged": (lambda: A([[1], [2, 3], [4, 5, 6]], fill=0), "int64", [[1, 0, 0], [2, 3, 0], [4, 5, 6]]),
    "a fill has a dtype": (lambda: A([[1, 2], [3]], fill=0.5), "float64", [[1, 2], [3, 0.5]]),
    "a strong fill": (lambda: A([[1], []], fill=np.int8(7)), "int8", [[1], [7]]),
    "a fill that is not needed": (lambda: A([[1, 2]], fill=0.5), "float64", [[1, 2]]),
    "deeply ragged": (lambda: A([[[1, 2], [3]], [[4]]], fill=0), "int64", [[[1, 2], [3, 0]], [[4, 0], [0, 0]]]),
    "a row of nothing": (lambda: A([[], [[1]]], fill=5), "int64", [[[5]], [[1]]]),
    "ragged arrays": (lambda: A([np.ones((1, 2)), np.zeros((2, 1))], fill=7).sum(axis=0), "float64", [[1, 8], [7, 14]]),
    "ragged rows of tensors": (
        lambda: A([[weft.arange(2) + 1, weft.arange(1)], [weft.arange(2)]], fill=-1), "int64",
        [[[1, 2], [0, -1]], [[0, 1], [-1, -1]]],
    ),
    "a dtype": (lambda: A([[1, 2]], dtype=">f2"), "float16", [[1, 2]]),
}  # fmt: skip


@for_each("name", VALUES)
def test_values(name: str, mode: str) -> None:
    make, dtype, values = VALUES[name]
    made = make()
    assert (made if dtype is None else made.tolist()) == values
    assert dtype is None or (made.dtype.name == dtype and made.byteorder == ("big" if name == "a dtype" else "little"))


MESSAGES: dict[str, tuple[Any, type[Exception], str]] = {
    "ragged": (
        lambda: A([[[1, 2], [3]]]), ValueRangeError,
        r"asarray: nested lists of unequal lengths; axis 2 has size 2 at \(0, 0\), but 1 at \(0, 1\); .* with fill=0",
    ),
    "a list among numbers": (
        lambda: A([1, [2]]), ShapeError, r"asarray: a list at \(1,\) where a scalar was expected, as at \(0,\)",
    ),
    "an array among numbers": (
        lambda: A([[1], [np.ones(2)]]), ShapeError, r"a ndarray at \(1, 0\) where a scalar was expected, as at",
    ),
    "a number among lists": (
        lambda: A([[1, 2], 3], fill=0), ShapeError,
        r"asarray: a scalar at \(1,\) above the last level, as a list stands at \(0,\)",
    ),
    "shapes": (
        lambda: A([np.ones((3, 2)), weft.ones((2, 2))]), ShapeError,
        r"asarray: an array of shape \(3, 2\) at \(0,\) and one of shape \(2, 2\) at \(1,\); .* pass fill=",
    ),
    "ranks": (
        lambda: A([np.ones(2), np.ones((2, 2))], fill=0), ShapeError, r"shape \(2,\) at .* \(2, 2\) at .*; reshape one",
    ),
    "integers too large": (lambda: A([2**70, 1]), DTypeError, "asarray: values with no common dtype"),
    "integers far apart": (lambda: A([2**63, -1]), DTypeError, "asarray: values with no common dtype"),
    "a number too large": (lambda: A(2**64), DTypeError, "asarray: 18446744073709551616 is no integer of 64 bits"),
    "beside a scalar": (lambda: A([np.int8(1), 300]), ValueRangeError, "asarray: 300 beside int8; it holds -128"),
    "below 0": (lambda: A([weft.ones((), dtype="u1") + 1, -1]), ValueRangeError, "asarray: -1 beside uint8"),
    "a fill that is a list": (lambda: A([[1], []], fill=[1]), ShapeError, r"asarray: a fill of shape \(1,\)"),
    "a string": (lambda: A([1, "2"]), DTypeError, "asarray: str has no numbers weft can read"),
    "a set": (lambda: A([{1, 2}]), DTypeError, "asarray: set has no numbers weft can read"),
    "dates": (lambda: A([np.datetime64("2020")]), DTypeError, "has no weft counterpart"),
    "a masked array": (lambda: A([np.ma.array([1])]), DTypeError, "asarray: a masked array"),
    "too deep": (lambda: A(_nested_in_itself()), ShapeError, "asarray: lists nested over 64 deep"),
    "too deep by an array": (lambda: A(_deep(60, np.ones((1,) * 9))), ShapeError, "asarray: a result of rank 69"),
    "no copy": (lambda: A([1], copy=False), ValueRangeError, "asarray: a list has no memory to share"),
    "order": (lambda: A([1], order="R"), ValueRangeError, "asarray: order 'R'; 'C' is row-major and 'F' column-major"),
    "order of shared memory": (
        lambda: A(np.ones((2, 2)), order="F", copy=False), ValueRangeError, r"strides .16, 8. in order 'F' need a copy",
    ),
}  # fmt: skip


def _nested_in_itself() -> list[Any]:
    x: list[Any] = []
    x.append(x)
    return x


def _deep(depth: int, x: Any) -> Any:
    for _ in range(depth):
        x = [x]
    return x


test_messages = refusals(MESSAGES)


@pytest.mark.parametrize("a", dt.ALL, ids=str)
def test_the_dtype_is_the_join_of_the_parts(a: dt.DType) -> None:
    for b in dt.ALL[dt.ALL.index(a) % 3 :: 3]:
        x, y = weft.ones(2, dtype=a), weft.ones(2, dtype=b).realize()
        for made in (A([x, y]), A([x.realize(), y]), A([[x[0], x[1]], [y[0], y[1]]])):
            assert made.dtype is dt.promote(a, b) and made.tolist() == [[1, 1], [1, 1]]


def test_pending_parts_stay_pending(mode: str) -> None:
    x = weft.arange(3) * 2
    made = A([[x, [7, 8.5, 9]]])
    assert mode == "eager" or (node_of(made).value is None and node_of(x).value is None)
    x[0] = 100
    assert made.tolist() == [[[0, 2, 4], [7, 8.5, 9]]]
    made[0, 1] = 0
    assert made.tolist() == [[[0, 2, 4], [0, 0, 0]]]
    assert node_of(weft.array([x + 1, x])).value is not None


def test_parts_are_copied() -> None:
    a, x = np.zeros(2), weft.ones(2).realize()
    pending = x + 1
    for made in (A([a, x]), A([a, x, pending])[:2]):
        a[0] = x[0] = 5
        assert made.tolist() == [[0, 0], [1, 1]]
        a[0], x[0] = 0, 1


def test_coordinates_begin_at_0() -> None:
    x = weft.translate(weft.arange(2), (5,))
    for made in (A([x, x]), A([x.realize(), x]), A([x * 2, weft.zeros(3)], fill=0)):
        assert made.domain.start == (0, 0)


NUMBERS = st.one_of(st.booleans(), st.integers(-(2**62), 2**62), st.floats(), st.complex_numbers())


@given(st.data(), st.lists(st.integers(0, 3), min_size=1, max_size=3))
def test_boxes_are_what_numpy_makes_of_them(data: Any, shape: list[int]) -> None:
    def box(sizes: list[int]) -> Any:
        return [box(sizes[1:]) for _ in range(sizes[0])] if sizes else data.draw(numbers)

    numbers = data.draw(st.sampled_from([st.booleans(), st.integers(-(2**62), 2**62), st.floats(), NUMBERS]))
    nest = box(shape)
    wanted, made = np.array(nest), A(nest)
    assert made.dtype.np == wanted.dtype and np.array_equal(made.numpy(), wanted, equal_nan=True)
    assert np.array_equal(A(nest, fill=False).numpy(), wanted, equal_nan=True) or not wanted.size


@given(st.lists(st.lists(st.integers(-5, 5), max_size=4), min_size=1, max_size=4))
def test_ragged_rows_are_padded(rows: list[list[int]]) -> None:
    wanted = np.full((len(rows), max(map(len, rows))), 9)
    for i, row in enumerate(rows):
        wanted[i, : len(row)] = row
    for nest in (rows, map(iter, rows), [weft.arange(len(r)) * 0 + A(r, dtype="int64") for r in rows]):
        assert np.array_equal(A(nest, fill=9).numpy(), wanted)


def test_orders_of_memory() -> None:
    a = np.arange(6).reshape(2, 3)
    for given_ in (a.tolist(), a, A(a), A(a) * 1, a.astype(">i8")):
        x = weft.asarray(given_, order="F")
        assert x.strides == (8, 16) and x.tolist() == a.tolist() and weft.asarray(x, order="F") is x
        assert weft.asarray(x, order="C").strides == (24, 8)
    assert x.byteorder == "big"
    shared = np.asfortranarray(a)
    assert np.shares_memory(weft.asarray(shared, order="F", copy=False).numpy(), shared)
    exported = weft.array(a, order="F").numpy()
    exported[0, 0] = 5
    assert exported.flags.f_contiguous and a[0, 0] == 0


def test_parts_on_a_device_stay_there() -> None:
    x = A([1, 2], device="thread:0")
    for nest in ([x, x], [x, [3, 4]], (t for t in (x, x)), {0: x}.values()):
        made = A(nest)
        assert made.device is x.device and made[0].tolist() == [1, 2]
    assert A([x, weft.arange(2)]).tolist() == [[1, 2], [0, 1]]


def test_the_dtype_of_many_parts_does_not_depend_on_their_order() -> None:
    parts = [np.float32([1]), np.uint16([2]), np.int8([3])]
    for order in itertools.permutations(parts):
        assert A(list(order)).dtype is weft.float32
        assert weft.concat(order).dtype is weft.float32
        assert A([p[0] for p in order]).dtype is weft.float32


def test_lists_that_contain_themselves_are_refused_before_their_levels_double() -> None:
    twice: list[Any] = []
    twice.extend([twice, twice])
    weft.asarray([1], device="thread:0")  # with devices at hand, nests are looked through for them
    with pytest.raises(ShapeError, match="nested over 64 deep"):
        A(twice)


@pytest.mark.parametrize("nest", [range(10**15), [range(10**15)], [[[0] * 10**4] * 10**4] * 10**5])
def test_nests_beyond_all_memory_are_refused_at_once(nest: Any) -> None:
    with pytest.raises(OutOfMemory, match="no such memory left"):
        A(nest)


def test_lists_that_lie_about_their_length_are_gone_through() -> None:
    class Liar(list[int]):
        def __len__(self) -> int:
            return 5

    assert A(Liar([1, 2])).tolist() == [1, 2]
    assert A([Liar([1, 2]), Liar([3, 4])]).tolist() == [[1, 2], [3, 4]]


HALVES = A([1 + 2j, 3 - 4j], dtype=weft.complex32)
RECORDS: dict[str, Any] = {
    "arrays": lambda: [HALVES.numpy(), HALVES.numpy()],
    "big-endian arrays": lambda: [A(HALVES, dtype=">complex32").numpy(), HALVES.numpy()],
    "scalars": lambda: [list(HALVES.numpy()), list(HALVES.numpy())],
    "arrays of rank 0": lambda: [[HALVES.numpy()[k, ...] for k in (0, 1)], list(HALVES)],
    "tensors": lambda: [HALVES, HALVES],
    "pending tensors": lambda: [HALVES + 0, list(HALVES.numpy())],
    "beside numbers": lambda: [list(HALVES.numpy()), [1 + 2j, 3 - 4j]],
}


@for_each("nest", RECORDS)
def test_cells_of_complex_halves_are_cells(nest: str, mode: str) -> None:
    made = A(RECORDS[nest]())
    assert made.dtype is weft.complex32 and made.tolist() == [[1 + 2j, 3 - 4j]] * 2


def test_cells_of_complex_halves_join_others_and_fill() -> None:
    half = HALVES.numpy()
    assert A([half[0], np.float32(5)]).dtype is weft.complex64
    assert A([[half[0]], [1, 2]], fill=half[1]).tolist() == [[1 + 2j, 3 - 4j], [1, 2]]
    assert A([half, half[:1]], fill=half[1]).tolist() == [[1 + 2j, 3 - 4j], [1 + 2j, 3 - 4j]]
    with pytest.raises(DTypeError, match="no weft counterpart"):
        A([np.zeros(1, "f4,i4")[0]])


@for_each("dtype", [d for d in dt.ALL if d.storage])
def test_cells_of_narrow_floats_are_cells(dtype: dt.DType, mode: str) -> None:
    x = A([1.0, 2.0], dtype=dtype)
    waiting = weft.astype(A([1.0, 2.0]) * 1, dtype)
    for nest in ([x, x], [x.numpy(), x.numpy()], [list(x.numpy()), [1, 2.0]], [waiting, list(x)]):
        made = A(nest)
        assert made.dtype is dtype and made.tolist() == [[1.0, 2.0]] * 2


@pytest.mark.parametrize(
    "given",
    [
        range(5),
        range(5, 0, -2),
        range(3, 4, 10**30),
        range(-5, 10, 3),
        range(2**62, 2**62 + 3),
        range(2**63, 2**63 + 2),
        range(10, 0, -(10**18)),
        range(0, 2**63, 2**61),
    ],
)
def test_ranges_are_their_integers(given):
    assert weft.asarray(given).tolist() == list(given)
    assert weft.asarray([given, given]).tolist() == [list(given)] * 2
    assert weft.asarray(given).dtype == weft.asarray(list(given)).dtype


@for_each("dtype", dt.ALL)
def test_cells_read_from_memory_keep_their_dtype_and_bits(dtype: dt.DType) -> None:
    limits = [0, dt.integer_limits(dtype).max] if dtype.is_integer else [1, 0]
    x = A(limits, dtype=dtype)
    for nest in ([x[0], x[1]], [[x[0]], [x[1]]]):
        made = A(nest)
        assert made.dtype is dtype and np.asarray(made).tobytes() == np.asarray(x).tobytes()
    assert A([x[1], A([2.5])[0]]).dtype is dt.promote_all([dtype, dt.float64])


def test_cells_of_recorded_tensors_keep_their_record() -> None:
    w = weft.asarray([1.0, 2.0]).requires_grad_()
    A([w[1], w[0] * 3]).sum().backward()
    assert w.grad is not None and w.grad.tolist() == [3.0, 1.0]
