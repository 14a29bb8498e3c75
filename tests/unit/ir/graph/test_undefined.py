"""Conditions on domains: which nodes get one, and what a checked node is."""

from __future__ import annotations

import pytest

import weft
from tests.cases import for_each
from weft import dtypes as dt
from weft.errors import ValueRangeError
from weft.ir.graph import spec
from weft.ir.graph.node import Node, astype, elementwise, make, result, scalar
from weft.ir.graph.ops import OPS
from weft.ir.graph.undefined import CHECKS, checked, condition, without_checks


def leaf(dtype: dt.DType, *shape: int) -> Node:
    return (
        make(OPS["iota"], (), (0,), result(dt.int64, shape))
        if dtype is dt.int64
        else astype(leaf(dt.int64, *shape), dtype)
    )


def value(name: str, *operands: Node) -> Node:
    return elementwise(OPS[name], *operands)


X, Y, I, U = leaf(dt.float64, 4), leaf(dt.float64, 4), leaf(dt.int64, 4), leaf(dt.uint8, 4)
NEVER = {  # values of which no cell can be bad get no check
    "a number that is no zero": value("divide", X, scalar(2.0, dt.float64)),
    "an integer power": value("pow", X, scalar(3.0, dt.float64)),
    "a power of integers that is not negative": value("pow", I, scalar(2, dt.int64)),
    "an unsigned power": value("pow", U, U),
    "a complex root": value("sqrt", astype(X, dt.complex128)),
    "a wider integer": astype(U, dt.int16),
    "a wider float": astype(leaf(dt.float32, 4), dt.float64),
    "an integer that a float holds": astype(I, dt.float32),
    "a truth": astype(X, dt.bool),
    "no cells": value("sqrt", leaf(dt.float64, 0, 3)),
    "a function that is defined everywhere": value("sin", X),
}


@pytest.mark.parametrize("what", NEVER)
def test_values_that_cannot_be_bad_are_not_checked(what: str) -> None:
    assert checked(NEVER[what], "error") is NEVER[what]


@for_each("name", sorted(set(CHECKS) - {"astype"}))
def test_a_checked_node_is_legal_and_looks_like_its_value(name: str) -> None:
    n = value(name, *(X, Y)[: OPS[name].arity])
    made = checked(n, "warn")
    spec.check([made])
    assert made is not n and made.desc is n.desc and without_checks(made) is n and made.inputs[1].desc.shape == ()
    for check in CHECKS[name]:
        bad = condition(check, n)
        assert bad is not None and bad.desc.dtype is dt.bool


def test_a_check_is_one_bool():
    wrong = make(OPS["checked"], (X, X), ("error", 0), X.desc)
    assert "one bool says whether any cell is bad" in spec.fault(wrong)


def test_a_text_with_a_check_that_there_is_not():
    text = weft.show(weft.sqrt(weft.asarray([1.0]), mode="error")).replace("'error', 0", "'error', 7")
    with pytest.raises(ValueRangeError, match=r"parse: a check .* of sqrt; there is no such check; see weft.math_mode"):
        weft.parse(text, [weft.asarray([1.0])])
