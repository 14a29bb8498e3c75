"""Every integer and bool op against exact Python integers: wrapping, division by zero, shifts, powers."""

from __future__ import annotations

import numpy as np
import pytest
import scalar_oracle as oracle
from scalar_harness import assert_same, run

from tests.shares import in_turn
from weft import dtypes as dt

BINARY = (
    *("add", "subtract", "multiply", "floor_divide", "remainder", "pow", "maximum", "minimum"),
    *("trunc_divide", "fmod", "fmax", "fmin"),
    *("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"),
)


def arguments(op: str, dtype: dt.DType) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of samples, and for shifts and powers many small counts."""
    x, y = oracle.pairs(dtype)
    if op.endswith("shift") or op == "pow":
        counts = np.random.default_rng(3).integers(-2 if dtype.kind == "int" else 0, dtype.bits + 3, len(y))
        y = np.where(np.arange(len(y)) % 4 < 3, counts.astype(dtype.np), y)
    if op == "pow":
        x = np.where(np.arange(len(x)) % 5 < 2, (np.arange(len(x)) % 7).astype(dtype.np) - dtype.np.type(3), x)
    low = oracle.limits(dtype)[0]
    extremes = np.array([(low, -1 if low else 1), (low, 1), (low, 0), (low, low), (0, 0), (0, low), (5, 0)], dtype.np)
    return np.concatenate([extremes[:, 0], x]), np.concatenate([extremes[:, 1], y])


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize(("op", "dtype"), in_turn(BINARY, oracle.INTEGERS, every=4), ids=str)
def test_binary_ops_are_exact_modulo_the_width(op: str, dtype: dt.DType) -> None:
    x, y = arguments(op, dtype)
    want = [oracle.integer_op(op, int(a), int(b), dtype) for a, b in zip(x, y, strict=True)]
    assert_same(run(op, x, y), np.array(want, dtype.np), [x, y])


OF_BYTES = ("floor_divide", "trunc_divide", "remainder", "fmod", "pow", "bitwise_left_shift", "bitwise_right_shift")


@pytest.mark.parametrize(("op", "dtype", "part"), in_turn(OF_BYTES, (dt.int8, dt.uint8), range(2), every=4), ids=str)
def test_all_pairs_of_bytes(op: str, dtype: dt.DType, part: int) -> None:
    every = np.arange(256, dtype=np.uint8).view(dtype.np)
    x, y = np.repeat(every[part::2], 256), np.tile(every, 128)
    want = [oracle.integer_op(op, a, b, dtype) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    assert_same(run(op, x, y), np.array(want, dtype.np), [x, y])


@pytest.mark.parametrize(
    ("op", "dtype"),
    in_turn(("floor_divide", "trunc_divide", "remainder", "fmod"), (dt.int64, dt.uint64, dt.int32, dt.uint32), every=2),
    ids=str,
)
def test_quotients_next_to_whole_numbers(op: str, dtype: dt.DType) -> None:
    rng = np.random.default_rng(7)
    low, high = oracle.limits(dtype)
    x, y = [], []
    for _ in range(3000):
        divisor = max(int(rng.integers(1, high, dtype=np.uint64)) >> int(rng.integers(0, dtype.bits)), 1)
        quotient = int(rng.integers(0, high // divisor, dtype=np.uint64, endpoint=True))
        near = min(max(divisor * quotient + int(rng.integers(-1, 2)), 0), high)
        sign, other = (1, 1) if not low else rng.choice([-1, 1], 2)
        x.append(near * int(sign))
        y.append(divisor * int(other))
    want = [oracle.integer_op(op, a, b, dtype) for a, b in zip(x, y, strict=True)]
    a, b = np.array(x, dtype.np), np.array(y, dtype.np)
    assert_same(run(op, a, b), np.array(want, dtype.np), [a, b])


@pytest.mark.parametrize(("dtype", "part"), in_turn(oracle.INTEGERS, range(3), every=3), ids=str)
def test_unary_ops(dtype: dt.DType, part: int) -> None:
    x = oracle.samples(dtype)
    numbers = x.tolist()
    exact = {
        "negative": [-v for v in numbers],
        "positive": numbers,
        "square": [v * v for v in numbers],
        "sign": [(v > 0) - (v < 0) for v in numbers],
        "abs": [abs(v) for v in numbers],
        "conj": numbers,
        "real": numbers,
        "floor": numbers,
        "ceil": numbers,
        "trunc": numbers,
        "round": numbers,
        "bitwise_invert": [~v for v in numbers],
    }
    for op, want in list(exact.items())[part::3]:
        assert_same(run(op, x), np.array([oracle.wrap(v, dtype) for v in want], dtype.np), [x])


@pytest.mark.parametrize("dtype", oracle.INTEGERS, ids=repr)
def test_questions_have_one_answer(dtype: dt.DType) -> None:
    x = oracle.samples(dtype)
    for op, want in (("isfinite", True), ("isinf", False), ("isnan", False)):
        assert_same(run(op, x), np.full(len(x), want))
    assert_same(run("signbit", x), x < 0)


@pytest.mark.parametrize(("dtype", "part"), in_turn((dt.bool, *oracle.INTEGERS), range(2), every=2), ids=str)
def test_comparisons(dtype: dt.DType, part: int) -> None:
    x, y = oracle.pairs(dtype)
    y = np.where(np.arange(len(x)) % 5 == 0, x, y)
    for op in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")[part::2]:
        assert_same(run(op, x, y), getattr(np, op)(x, y), [x, y])


def test_logic_of_bools() -> None:
    x, y = np.repeat([False, True], 20), np.tile([False, True], 20)
    tables = {
        ("logical_and", "bitwise_and", "minimum"): x & y,
        ("logical_or", "bitwise_or", "maximum"): x | y,
        ("logical_xor", "bitwise_xor"): x ^ y,
    }
    for ops, want in tables.items():
        for op in ops:
            assert_same(run(op, x, y), want)
    assert_same(run("logical_not", x), ~x)
    assert_same(run("bitwise_invert", x), ~x)


def test_any_byte_but_zero_is_true() -> None:
    raw = np.arange(64, dtype=np.uint8)
    assert_same(run("logical_not", raw.view(bool)), raw == 0)
