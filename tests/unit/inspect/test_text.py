"""Graphs as text, and back: however deep, and what is said of texts that are none."""

from __future__ import annotations

import pytest

import weft
from weft.errors import ExpressionError, ValueRangeError, WeftError


def test_deep_graphs_over_placeholders_are_read_back() -> None:
    x = weft.placeholder((2,), name="x")
    y = x
    for _ in range(3000):
        y = weft.flip(y + 1.0)
    text = weft.show(y)
    again = weft.parse(text)
    assert weft.show(again) == text
    for whole in (y, again[0]):
        with pytest.raises(ValueRangeError, match=r"placeholder 'x' of float64.* has no value"):
            whole.numpy()
    assert weft.computation(y, x)([1.0, 2.0]).tolist() == [3001.0, 3002.0]


LEAF = "%0 = leaf float64[2]\n"
WRONG = {
    "a bracket": ("%0 = scalar {((} float64[]\nreturn %0", "parse: line 1: '.*' is no literal; attributes are numbers"),
    "deep brackets": ("%0 = scalar {" + "(" * 3000 + "1" + ")" * 3000 + "} float64[]", "is no literal; attributes are"),
    "deep signs": ("%0 = scalar {" + "-" * 9000 + "1} float64[]", "is no literal; attributes are numbers"),
    "no attributes": (
        LEAF + "%1 = slice(%0) float64[2]\nreturn %1",
        "slice has attributes that do not fit: 0 attrib",
    ),
    "no name": ("%0 = placeholder float64[2]\nreturn %0", "placeholder has attributes that do not fit"),
    "few inputs": (LEAF + "%1 = add(%0) float64[2]\nreturn %1", "parse: line 2: add of 1 inputs; it has 2; name them"),
    "no op": (LEAF + "%1 = addd(%0, %0) float64[2]\nreturn %1", "'addd' is no op"),
    "no line": ("hello", "is no line of a graph"),
    "no result": (LEAF, "no line 'return %n'"),
    "later lines": ("%0 = negative(%1) float64[2]\nreturn %0", "parse: line 1: '%1' is no node"),
}


@pytest.mark.parametrize("name", WRONG)
def test_texts_that_are_no_graphs_say_so(name: str) -> None:
    text, message = WRONG[name]
    with pytest.raises((ExpressionError, ValueRangeError), match=message) as caught:
        weft.parse(text, [weft.ones(2)])
    assert isinstance(caught.value, WeftError)
