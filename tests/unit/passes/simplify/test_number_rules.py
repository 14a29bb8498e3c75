"""Operations with a few numbers become less work: the same bits for every dtype, and plans of their own."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import weft
from tests.oracle.compare import same_bits
from tests.oracle.samples import values
from tests.shares import in_turn
from weft import dtypes as dt
from weft.tensors.tensor import Tensor

DTYPES = [
    dt.bool,
    dt.int8,
    dt.int64,
    dt.uint8,
    dt.uint64,
    dt.float16,
    dt.bfloat16,
    dt.float32,
    dt.float64,
    dt.complex64,
]
NUMBERS = [0, 1, -1, 2, 3, 5, 8, 9, 0.0, -0.0, 1.0, -1.0, 3.0, True]
OPERATIONS = {
    **{f"x {s} k": f for s, f in {"*": operator.mul, "+": operator.add, "-": operator.sub, "/": operator.truediv,
                                  "**": operator.pow, "//": operator.floordiv}.items()},
    "k * x": lambda x, k: k * x, "k + x": lambda x, k: k + x, "k - x": lambda x, k: k - x, "k ** x": lambda x, k: k**x,
}  # fmt: skip


def used(y: Tensor) -> list[str]:
    return [r.name for r in weft.explain(y).rules]


@pytest.mark.parametrize(("name", "dtype"), in_turn(OPERATIONS, DTYPES, every=5), ids=str)
def test_no_number_changes_a_bit(name: str, dtype: dt.DType) -> None:
    operation, found = OPERATIONS[name], 0
    x = weft.asarray(values(dtype, (3, 40), 7))
    for k in NUMBERS:
        try:
            y = [weft.flip(operation(x[:, ::2], k)) for _ in range(2)]
        except weft.errors.WeftError:  # -1 as an unsigned number, powers of bools
            continue
        found += 1
        with weft.without("simplify"):
            plain = y[0].numpy()
        assert same_bits(y[1].numpy(), plain), (k, used(weft.flip(operation(x[:, ::2], k))))
    assert found or dtype is dt.bool or (dtype.kind == "complex" and "//" in name)


I, F, C = (weft.asarray([3, -2, 7], dtype=d) for d in (weft.int32, weft.float32, weft.complex64))
CASES = {
    "neutral number": (I * 1, 1 * F, I + 0, 0 + I, F + -0.0, F - 0, I - 0, F / 1, F**1, I**1, 1.0 * F),
    "negated": (I * -1, -1 * F, F / -1, 0 - I),
    "constant": (I * 0, 0 * I, I**0, F**0),
    "products": (I**3, I**4, I**7, I**8),
    "": (F + 0, F + 0.0, F - -0.0, 0 - F, F * 0, C * 1, C * -1, I**9, F**3, 1 / F, 1 - I, 1**I, 2**I, F * 2, 0 // I),
}


@pytest.mark.parametrize(("name", "y"), [(name, y) for name, ys in CASES.items() for y in ys])
def test_what_becomes_less(name: str, y: Tensor) -> None:
    assert used(y) == ([name] if name else [])


def test_plans_serve_for_the_numbers_that_they_were_made_for() -> None:
    for k in (2.0, 1.0, 3.0, -1.0, 1.0, 0.0, -0.0, 2.0):
        for x in (F, F[::-1], F + F):
            assert same_bits((x * k).numpy(), np.multiply(x.numpy(), np.float32(k)))
            assert same_bits((x + k).numpy(), np.add(x.numpy(), np.float32(k)))
    out = weft.zeros(3, dtype=weft.float32)
    for k in (1.0, 2.0, 1.0):
        out[...] = F * k
        assert out.tolist() == [3.0 * k, -2.0 * k, 7.0 * k]


def test_other_numbers_share_a_plan() -> None:
    (F * 2.5 + 4.5).tolist(), (F * 1.0 + 4.5).tolist()
    weft.pipeline.reset_times()
    for k in (7.25, 1.0, 9.0, -3.0):
        (F * k + 1.5).tolist()
    assert weft.pipeline["split"].timing.runs == 0


def steps(y: Tensor) -> int:
    e = weft.explain(y)
    return e.kernels + e.calls


def test_equal_numbers_make_equal_expressions() -> None:
    a = weft.asarray(values(dt.float64, (6, 6), 1))

    def twice(k: float, m: float) -> Tensor:
        return weft.sum(a * k + 1.5, axis=0) - weft.flip(weft.sum(a * m + 1.5, axis=0)) * 3

    assert steps(twice(2.5, 2.5)) == 2 and steps(twice(2.5, 3.5)) == 3
    for k, m in ((2.5, 2.5), (2.5, 3.5), (0.0, -0.0), (-0.0, -0.0), (weft.nan, weft.nan), (4.5, 4.5)):
        found = twice(k, m).numpy()
        with weft.without("simplify"):
            assert same_bits(found, twice(k, m).numpy())
    with weft.without("computed once"):
        assert steps(twice(2.5, 2.5)) == 3
    body = weft.show(weft.exp(a * 2.5) * a + weft.exp(a * 2.5), "kernel")
    assert body.count("exp") == 1
    b = weft.asarray(values(dt.float64, (6, 6), 2))
    y = weft.exp(a) @ a + weft.exp(a) @ b
    assert steps(y) == 4  # without numbers, too


def test_numbers_that_are_equal_for_nothing_share_a_plan() -> None:
    ((F * 2.5 + 4.5) * F).tolist()
    weft.pipeline.reset_times()
    for k in (7.25, 4.5, 9.0):
        ((F * k + 4.5) * F).tolist()
    assert weft.pipeline["split"].timing.runs == 0


def test_compiled_functions_are_not_bound_to_numbers_that_were_equal() -> None:
    f = weft.compile(lambda x, p, q: weft.sum(x * p) + weft.sum(x * q))
    for p, q in ((2.5, 2.5), (2.5, 3.5), (2.5, 2.5), (4.5, 0.5), (5.5, 5.5)):
        assert f(F, p, q).item() == 8 * p + 8 * q


def test_compiled_functions_take_any_number() -> None:
    f = weft.compile(lambda x, k: (x * k + 0.0) * 1.0)
    for k in (1.0, 2.0, 1.0, -1.0, 0.5):
        assert f(F, k).tolist() == [3.0 * k, -2.0 * k, 7.0 * k]


def test_on_devices_and_under_gradients() -> None:
    x = weft.asarray([3.0, -2.0], device="thread:0")
    assert [(y * 1).tolist() for y in (x, -x)] == [[3.0, -2.0], [-3.0, 2.0]]
    assert (x * -1).device == x.device and (weft.astype(x, weft.int64) * 0 + 1).tolist() == [1, 1]
    w = weft.asarray([3.0, -2.0]).requires_grad_()
    (((w * 1 - 0) ** 1 * -1) * w).sum().backward()
    assert w.grad.tolist() == [-6.0, 4.0]


def test_what_is_held_stays_a_value_of_its_own() -> None:
    x = weft.asarray([1.0, 2.0])
    y = x * 1
    z = (y + 1).tolist()
    y[0] = 5.0
    assert z == [2.0, 3.0] and x.tolist() == [1.0, 2.0] and y.tolist() == [5.0, 2.0]
