"""Rows of the op table are complete: cost, bound, gradient or the reason for none, and how users are told."""

from __future__ import annotations

import re

import pytest

import weft
from tests.cases import for_each
from weft.backends.llvm.complex_math import COMPLEX
from weft.backends.llvm.math import MATH
from weft.backends.llvm.steps.emitters import EMITTERS
from weft.backends.reference.elementwise import ELEMENTWISE
from weft.ir.atoms.adjoints import RULES as ADJOINTS
from weft.ir.fields import exact_functions
from weft.ir.graph import formulas
from weft.ir.graph.ops import ACCEPTS, CELLWISE, ROWS, Op
from weft.passes.gradient.gradient_rules import RULES

FOLDED = {"philox", "gather"}  # computed from attributes, not by a function of whole operands alone
INTERNAL = {"complex", "philox", "checked", "gather", *exact_functions.EXACT}  # what functions of the API are made of
BOUND = re.compile(r"(0|1 / 2)(, c 4)?|order|library")


def lacks(op: Op) -> list[str]:
    """Return the facts that an op's row lacks."""
    sloped = op.gradient.startswith("none: ") or op.name in RULES or op.name in ADJOINTS
    if op.gradient and not sloped:
        sloped = op.arity < 0 or len(formulas.read(op.gradient).results) == op.arity
    elementwise = op.kind in CELLWISE
    told = op.name in INTERNAL or bool(getattr(weft, op.name, None).__doc__) or bool(op.says and op.example)
    return [
        what
        for what, there in {
            "cost": op.cost > 0,
            "bound": BOUND.fullmatch(op.error),
            "gradient, or 'none: ' and why": sloped,
            "documentation": not elementwise or told,
            "emitter": not elementwise or op.name in EMITTERS or op.name == "gather",
            "reference": not elementwise or op.name in ELEMENTWISE or op.name in FOLDED,
        }.items()
        if not there
    ]


def test_every_row_is_complete() -> None:
    assert {op.name: lacks(op) for op in ROWS if lacks(op)} == {}


def test_what_an_empty_row_lacks_is_named() -> None:
    row = Op("abs", "elementwise", error="?", cost=0)
    assert lacks(row) == ["cost", "bound", "gradient, or 'none: ' and why"]


@for_each("op", [op for op in ROWS if op.kind == "elementwise"])
def test_a_bound_stands_exactly_where_an_elementary_function_computes(op: Op) -> None:
    real = "1 / 2" if any(name == op.name for name, _ in MATH) else "0"
    rounded = any(name == op.name for name, _ in COMPLEX)
    assert op.error == real + (", c 4" if rounded and "complex" in ACCEPTS[op.accepts] else "")


@pytest.mark.parametrize("op", [op for op in ROWS if op.undefined and op.says], ids=str)
def test_an_example_does_not_leave_the_domain(op: Op) -> None:
    shown, _, gives = op.example.partition(" → ")
    operands = [weft.asarray(eval(x)) for x in shown.split("; ")]
    with weft.math_mode("error"):
        assert repr(getattr(weft, op.name)(*operands).tolist()) == gives
