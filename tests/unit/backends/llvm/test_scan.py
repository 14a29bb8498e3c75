"""Native scans against the one order, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from launches import loads
from reduce_harness import expected_scan, run_scan, same, sample

from tests.shares import examples, in_turn
from weft import dtypes as dt
from weft.dtypes import DType
from weft.ir.kernels.plan import Instr

OPS = ("cumulative_sum", "cumulative_prod")
DTYPES = [d for d in dt.COMMON if d not in (dt.float16, dt.bfloat16)]


def check(op: str, x: np.ndarray, acc: DType, **options: object) -> None:
    """Native against the order."""
    got = run_scan(op, x, acc=acc, **options)  # type: ignore[arg-type]
    want = expected_scan(op, x.astype(acc.np), acc, bool(options.get("include_initial")))
    assert same(np.ascontiguousarray(got), want.astype(got.dtype)), f"{op} {x.dtype} {x.shape} {x.strides} {options}"


@pytest.mark.parametrize(("op", "dtype"), in_turn(OPS, DTYPES, every=2), ids=str)
def test_every_dtype(op: str, dtype: DType) -> None:
    acc = dt.int64 if dtype is dt.bool else dtype
    x = sample((3, 6, 2500), dtype, near_one=op == "cumulative_prod" and dtype.is_inexact)
    for initial in (False, True):
        check(op, x, acc, include_initial=initial)
        check(op, x.transpose(0, 2, 1), acc, include_initial=initial)
        check(op, x.transpose(2, 1, 0), acc, include_initial=initial)


@pytest.mark.parametrize("n", (0, 1, 2, 15, 16, 17, 100, 1023, 1024, 1025, 2048, 9000, 40_000))
def test_sizes(n: int) -> None:
    for kept in (1, 3, 40):
        x = sample((kept, n), dt.float32)
        for initial in (False, True):
            check("cumulative_sum", x, dt.float32, include_initial=initial)
        check("cumulative_sum", np.asfortranarray(x), dt.float32, pieces=3)
        check("cumulative_sum", x[:, ::-1], dt.float32, pieces=2)


@pytest.mark.parametrize("shape", ((16, 5), (32, 700), (48, 3000), (136, 17_000)))
def test_rows_that_fill_vectors_are_written_at_once(shape: tuple[int, int]) -> None:
    for dtype in (dt.float32, dt.int64):
        x = sample(shape, dtype)
        for source in (x, x[:, ::-1], np.asfortranarray(x)):  # in place, through the tile, packed
            check("cumulative_sum", source, dtype, pieces=3)


@pytest.mark.parametrize("initial", (False, True))
def test_outputs_of_any_stride(initial: bool) -> None:
    x = sample((6, 2000), dt.float64)
    for source in (x, np.asfortranarray(x)):
        whole = np.zeros((2000 + initial, 3, 12))
        out = whole[::-1, 1, ::2].T
        run_scan("cumulative_sum", source, out=out, include_initial=initial)
        assert same(np.ascontiguousarray(out), expected_scan("cumulative_sum", x, dt.float64, initial))
        assert not whole[:, [0, 2]].any()
        assert not whole[:, 1, 1::2].any()
        across = np.zeros((2000 + initial, 6)).T
        run_scan("cumulative_sum", source, out=across, include_initial=initial)
        assert same(np.ascontiguousarray(across), expected_scan("cumulative_sum", x, dt.float64, initial))


@pytest.mark.parametrize("narrow", (dt.float16, dt.bfloat16), ids=lambda d: d.name)
def test_short_floats_round_at_the_end(narrow: DType) -> None:
    x = sample((20, 3000), narrow) / 64
    for source in (x, np.asfortranarray(x)):
        out = np.zeros(x.shape, narrow.np, order="F" if source is not x else "C")
        check("cumulative_sum", source, dt.float32, out=out)


def test_swapped() -> None:
    x = sample((20, 1500), dt.float32)
    for order in "CF":
        out = np.zeros(x.shape, ">f4", order=order)
        run_scan("cumulative_sum", np.asarray(x.astype(">f4"), order=order), out=out)
        assert same(out.astype("f4", order="C"), expected_scan("cumulative_sum", x, dt.float32))


def test_bodies_fuse_and_pieces_join() -> None:
    a, b = sample((30, 1700), dt.float32, 1), sample((1700, 30), dt.float32, 2).T
    steps = (*loads(dt.float32, dt.float32), Instr("subtract", dt.float32, (0, 1)))
    for cuts in ({}, {1: [3, 1000, 1030]}, {0: [7], 1: [1024]}):
        for x, y in ((a, b), (b, a)):
            got = run_scan("cumulative_sum", x, body=steps, more=[y], cuts=cuts)
            assert same(got, expected_scan("cumulative_sum", x - y, dt.float32))


def test_signed_zeros() -> None:
    x = np.full((2, 1030), -0.0, np.float32)
    for source in (x, np.asfortranarray(x)):
        out = np.zeros_like(source)
        assert np.signbit(run_scan("cumulative_sum", source, out=out)).all()
    assert not np.signbit(run_scan("cumulative_sum", x, include_initial=True)[:, 0]).any()


@settings(max_examples=examples(60))
@given(st.integers(1, 5000), st.integers(1, 40), st.integers(0, 99), st.sampled_from("CF"), st.sampled_from("CF"))
def test_any_layout_has_the_reference_bits(n: int, kept: int, seed: int, source: str, target: str) -> None:
    x = np.asarray(sample((kept, n), dt.float32, seed), order=source)
    check("cumulative_sum", x, dt.float32, out=np.zeros((kept, n), np.float32, order=target), pieces=1 + seed % 3)
