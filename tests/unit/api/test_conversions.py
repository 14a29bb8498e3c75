"""Conversions by mode, at the edges of what dtypes hold."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft.errors import ConversionError


def test_integers_give_the_limits_of_floats_that_are_no_integers() -> None:
    x = weft.asarray([100, -100, 15, 0])
    assert x.astype(weft.float8_e3m4, mode="saturate").tolist() == [15.5, -15.5, 15.0, 0.0]
    assert x.astype(weft.float8_e8m0fnu, mode="saturate").tolist() == [128.0, 2.0**-127, 16.0, 2.0**-127]
    assert (x * 1000).astype(weft.float16, mode="saturate").tolist() == [65504.0, -65504.0, 15000.0, 0.0]


@pytest.mark.parametrize(("value", "source", "to"), [
    (-128, "int8", "uint8"), (2**63, "uint64", "int64"), (-1, "int64", "uint64"), (2.0**31, "float32", "int32"),
    (2**32 - 1, "uint32", "float32"), (2**63 - 1, "int64", "float64"), (70000, "int32", "float16"),
    (float("nan"), "float32", "int8"), (float("nan"), "float32", "bool"), (float("inf"), "float32", "float8_e4m3fn"),
    (2.0, "float64", "bool"), (1 + 2.0**-30, "float64", "float32"), (0.5, "float64", "int8"),
])  # fmt: skip
def test_exact_refuses_what_would_come_back_as_it_was(value: float, source: str, to: str) -> None:
    x = weft.asarray([value], dtype=source)
    with pytest.raises(ConversionError, match=rf"at .0,. as {to}; mode 'exact'"):
        x.astype(getattr(weft, to), mode="exact")


@pytest.mark.parametrize(("value", "source", "to"), [
    (127, "int8", "uint8"), (2**62, "int64", "float32"), (float("nan"), "float64", "float16"),
    (-0.0, "float32", "int8"), (-128.0, "float64", "int8"),
    (float("inf"), "float64", "float32"), (1.0, "float32", "bool"), (True, "bool", "float16"),
])  # fmt: skip
def test_exact_takes_what_is_held(value: float, source: str, to: str) -> None:
    x = weft.asarray([value], dtype=source)
    made, wanted = x.astype(getattr(weft, to), mode="exact"), x.astype(getattr(weft, to))
    assert made.dtype is wanted.dtype and np.array_equal(made.numpy(), wanted.numpy(), equal_nan=to.startswith("float"))


@pytest.mark.parametrize("bits", (8, 16, 32, 64))
@pytest.mark.parametrize("order", "<>")
def test_long_runs_of_integers_of_one_width_keep_their_bits(bits: int, order: str) -> None:
    nbytes = bits // 8
    raw = np.random.default_rng(bits).integers(0, 256, 5000 * nbytes, np.uint8)
    for source, target in (("i", "u"), ("u", "i")):
        x = raw.view(f"{order}{source}{nbytes}")
        for cells in (x, x[1:], x[::-1], x[::2]):
            made = weft.asarray(cells).astype(f"{target}{nbytes}")
            np.testing.assert_array_equal(made.numpy(), cells.astype(f"{target}{nbytes}"))
