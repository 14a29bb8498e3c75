"""Steps with an operand that many cells share give the bits of two arrays, and of the reference."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from tests.shares import in_turn

FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "uint8", "uint16", "uint32"]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 3.5, np.inf, -np.inf, np.nan, 1e-7, -1e-7, 1e-40, -1e-40, 5e-324]


def _bits(x: weft.Tensor) -> list[str]:
    return [f"{v:.17g}" for v in x.astype(weft.float64).tolist()]  # tells -0 from 0, and no NaN from another


@pytest.mark.parametrize("f", [weft.maximum, weft.minimum, lambda x, y: weft.minimum(y, x)])
@pytest.mark.parametrize("dtype", FLOATS)
def test_the_larger_and_the_smaller(dtype: str, f: object) -> None:
    x = weft.asarray(SPECIAL * 4, dtype=getattr(weft, dtype))
    for number in SPECIAL:
        shared = weft.asarray(number, dtype=x.dtype)
        got = _bits(f(x, shared))  # type: ignore[operator]
        assert got == _bits(f(x, weft.asarray([number] * len(x), dtype=x.dtype)))  # type: ignore[operator]
        with weft.transformer("reference"):
            assert got == _bits(f(x, shared))  # type: ignore[operator]


def test_clipping_to_numbers() -> None:
    x = np.linspace(-2, 2, 1000, dtype=np.float32)
    assert np.array_equal(
        weft.clip(weft.asarray(x), -0.5, 0.75).numpy(), np.clip(x, np.float32(-0.5), np.float32(0.75))
    )


@pytest.mark.parametrize(
    ("f", "dtype"), in_turn([weft.floor_divide, weft.remainder, weft.trunc_divide, weft.fmod], INTEGERS, every=2)
)
def test_integer_quotients(dtype: str, f: object) -> None:
    i, rng = np.iinfo(dtype), np.random.default_rng(1)
    divisors = [0, 1, 2, 3, 7, 10, 100, i.max, i.max - 1, i.max // 2 + 1, i.min, i.min + 1, -1, -2, -3, -7]
    for y in [d for d in divisors if i.min <= d <= i.max]:
        near = rng.integers(i.min // max(abs(y), 1), i.max // max(abs(y), 1), 50, endpoint=True) * y
        cells = [*rng.integers(i.min, i.max, 200, endpoint=True), *near, *(near - 1), *(near + 1), i.min, i.max, 0]
        x = np.array([c for c in cells if i.min <= c <= i.max], dtype)
        shared = weft.asarray(np.array(y, dtype))
        got = f(weft.asarray(x), shared).numpy()  # type: ignore[operator]
        assert np.array_equal(got, f(weft.asarray(x), weft.asarray(np.full(x.shape, y, dtype))).numpy())  # type: ignore[operator]
        with weft.transformer("reference"):
            assert np.array_equal(got, f(weft.asarray(x), shared).numpy())  # type: ignore[operator]


def test_a_divisor_that_a_row_shares() -> None:
    x, y = np.arange(-300, 300, dtype=np.int32).reshape(20, 30), np.arange(-10, 10, dtype=np.int32)[:, None]
    with np.errstate(divide="ignore"):
        wanted = x // y + x % y
    assert np.array_equal((weft.asarray(x) // weft.asarray(y) + weft.asarray(x) % weft.asarray(y)).numpy(), wanted)
