"""Every row of the op table has code for every dtype it accepts; functions reach all dtypes rightly rounded."""

from __future__ import annotations

import llvmlite.binding as llvm
import ml_dtypes
import numpy as np
import pytest
import scalar_oracle as oracle
from scalar_harness import LANES, run, source

from tests.cases import for_each
from tests.shares import in_turn
from weft import dtypes as dt
from weft.backends.llvm.steps.emitters import EMITTERS
from weft.ir.graph.ops import ACCEPTS, CELLWISE, OPS, Op, resolve

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
NARROW = (dt.float16, dt.bfloat16)
UNARY = {
    "exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "log2": np.log2, "log10": np.log10,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "sqrt": np.sqrt,
}  # fmt: skip
BINARY = {"pow": np.power, "atan2": np.arctan2, "hypot": np.hypot, "logaddexp": np.logaddexp}
ROWS = [row for row in OPS.values() if row.kind == "elementwise" and row.arity > 0 and row.rule != "given"]


def signature(row: Op, dtype: dt.DType) -> tuple[list[dt.DType], dt.DType] | None:
    """The argument dtypes and the result dtype, or None where the op is not defined."""
    if row.name == "where":
        return [dt.bool, dtype, dtype], dtype
    if dtype.kind not in ACCEPTS[row.accepts] or resolve(row, *[dtype] * row.arity)[0] is not dtype:
        return None
    return [dtype] * row.arity, resolve(row, *[dtype] * row.arity)[1]


@for_each("row", ROWS)
def test_every_op_has_valid_code_for_every_dtype_it_accepts(row: Op) -> None:
    for dtype in dt.COMMON:
        found = signature(row, dtype)
        if found:
            text, _ = source(row.name, None, *found, LANES)
            llvm.parse_assembly(text).verify()


def test_nothing_else_has_code() -> None:
    elementwise = {row.name for row in OPS.values() if row.kind in CELLWISE}
    assert elementwise - set(EMITTERS) == {"gather"}  # a read, which the loops emit
    assert set(EMITTERS) <= elementwise


def assert_nearly_rounded(got: np.ndarray, exact: np.ndarray, dtype: dt.DType, slack: float = 0.01) -> None:
    """Assert an error of little more than half a unit, and equality where the value rounds to inf or nan."""
    want, got64 = exact.astype(dtype.np).astype(np.float64), got.astype(np.float64)
    same = (got64 == want) | (np.isnan(got64) & np.isnan(want))
    info = ml_dtypes.finfo(dtype.np)
    exponent = np.frexp(np.maximum(np.abs(np.where(same, 1, exact)), float(info.smallest_normal)))[1] - 1
    error = np.abs(got64 - exact) / np.ldexp(1.0, exponent - info.nmant)
    bad = ~same & ~(error <= 0.5 + slack)
    assert not bad.any(), list(zip(got[bad][:5], exact[bad][:5], strict=True))


@pytest.mark.parametrize(("op", "dtype"), in_turn(UNARY, NARROW, every=2), ids=str)
def test_unary_functions_of_every_narrow_float(op: str, dtype: dt.DType) -> None:
    x = np.arange(1 << 16, dtype=np.uint16).view(dtype.np)
    assert_nearly_rounded(run(op, x), UNARY[op](x.astype(np.float64)), dtype)


@pytest.mark.parametrize("dtype", NARROW, ids=repr)
@pytest.mark.parametrize("op", BINARY)
def test_binary_functions_of_narrow_floats(op: str, dtype: dt.DType) -> None:
    x, y = oracle.pairs(dtype, 4000)
    exact = BINARY[op](*[v.astype(np.float64) * 1.0 for v in (x, y)])  # the product quiets signalling NaNs
    assert_nearly_rounded(run(op, x, y), exact, dtype)


@pytest.mark.parametrize(("op", "single"), in_turn((*UNARY, *BINARY), (False, True), every=2))
def test_functions_of_wide_floats_come_from_their_own_tables(op: str, single: bool) -> None:
    rng = np.random.default_rng(0)
    function = {**UNARY, **BINARY}[op]
    low, high = (1.0, 3.0) if op == "acosh" else (0.1, 0.9)
    arguments = [rng.uniform(low, high, 500) for _ in range(1 + (op in BINARY))]
    if single:
        arguments = [a.astype(np.float32) for a in arguments]
    exact = function(*[a.astype(np.float64) for a in arguments])
    np.testing.assert_allclose(run(op, *arguments).astype(np.float64), exact, rtol=1.3e-7 if single else 4e-15, atol=0)
