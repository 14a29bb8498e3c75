"""Native random fields give the bits of `ir.fields.random_fields`, on every CPU, lane count, rank and dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from field_harness import native, slots
from launches import run_tasks
from scalar_harness import IS_X86, assert_same

from tests.shares import in_turn
from weft import dtypes as dt
from weft.backends.llvm.nest.map_tables import lower_map
from weft.ir.fields.philox import BUMPS, MULTIPLIERS, SMALL, derive_key, permutation, walk_args
from weft.ir.fields.random_fields import cell_kind, field_instr_args, field_values
from weft.ir.kernels.plan import Instr, MapLaunch, Operand, Row

FLOATS = (dt.float16, dt.bfloat16, dt.float32, dt.float64)
VARIANTS = [("", 16), ("", 64)] + ([("x86-64-v3", 16)] if IS_X86 else [])
CASES: list[tuple[str, dt.DType, tuple[Any, ...]]] = [
    *[("uniform", d, ()) for d in (*FLOATS, dt.complex64, dt.complex128)],
    *[("uniform", d, (-1.7, 3.1)) for d in FLOATS],
    *[("uniform", d, (1.0, 1.02)) for d in FLOATS],
    ("uniform", dt.complex64, (-1 + 2j, 4 + 2.5j)),
    *[("normal", d, ()) for d in (*FLOATS, dt.complex64, dt.complex128)],
    *[("normal", d, (-3.3, 0.7)) for d in FLOATS],
    ("normal", dt.complex128, (1 - 2j, 0.7)),
    *[("integers", d, (3, 100)) for d in dt.COMMON if d.is_integer],
    ("integers", dt.int8, (-128, 128)),
    ("integers", dt.int64, (-(2**63), 2**63)),
    ("integers", dt.int64, (-(2**62), 2**63)),
    ("integers", dt.uint64, (1, 2**64)),
    ("bernoulli", dt.bool, (0.3,)),
    ("bernoulli", dt.bool, (1.0,)),
    ("bernoulli", dt.bool, (0.0,)),
    *[("bits", d, ()) for d in dt.COMMON if d.kind == "uint"],
    ("exponential", dt.float64, ()),
]


def coordinates(rank: int, n: int = 1000) -> list[np.ndarray]:
    """Small, large and negative ones, at random."""
    rng = np.random.default_rng(rank)
    return [rng.integers(-(2**63), 2**63 - 1, n) >> rng.integers(0, 62, n) for _ in range(rank)]


def compare(
    distribution: str, dtype: dt.DType, places: list[np.ndarray], parameters: tuple[Any, ...], variants: Any = VARIANTS
) -> None:
    scalars = field_instr_args(distribution, dtype, len(places), 2**63 + 12345, *parameters)
    want = field_values(cell_kind(distribution), dtype, places, [v for v, _ in scalars])
    for cpu, lanes in variants:
        assert_same(native(cell_kind(distribution), dtype, places, scalars, lanes, cpu), want, places)


@pytest.mark.parametrize(("case", "variant"), in_turn(CASES, VARIANTS, every=len(VARIANTS)), ids=str)
def test_native_cells_are_those_of_the_definition(
    case: tuple[str, dt.DType, tuple[Any, ...]], variant: tuple[str, int]
) -> None:
    distribution, dtype, parameters = case
    compare(distribution, dtype, coordinates(2), parameters, [variant])


@pytest.mark.parametrize(
    ("drawn", "rank"), in_turn([("uniform", dt.float32), ("bits", dt.uint64)], (1, 3, 4, 5, 6), every=2), ids=str
)
def test_every_rank(drawn: tuple[str, dt.DType], rank: int) -> None:
    compare(*drawn, coordinates(rank), ())


def counter_of(words: list[int], key: int) -> tuple[int, int]:
    """The (outer, inner) coordinates whose block is `words`: Philox run backwards."""
    c0, c1, c2, c3 = words
    inverses = [pow(m, -1, 1 << 32) for m in MULTIPLIERS]
    for number in reversed(range(10)):
        k0, k1 = ((key >> s) + number * bump & 0xFFFFFFFF for s, bump in zip((0, 32), BUMPS, strict=True))
        first, third = c3 * inverses[0] & 0xFFFFFFFF, c1 * inverses[1] & 0xFFFFFFFF
        c1, c3 = c0 ^ third * MULTIPLIERS[1] >> 32 ^ k0, c2 ^ first * MULTIPLIERS[0] >> 32 ^ k1
        c0, c2 = first, third
    inner, outer = np.array([c1 << 32 | c0, c3 << 32 | c2], np.uint64).astype(np.int64)
    return int(outer), int(inner)


@pytest.mark.parametrize("dtype", FLOATS, ids=repr)
def test_the_far_tail_of_the_normal_distribution(dtype: dt.DType) -> None:
    """Words of 37 equal leading bits are met once in 10**11 cells: here every third cell has one."""
    rng = np.random.default_rng(0)
    key, scalars = derive_key(5, "normal", 2), field_instr_args("normal", dtype, 2, 5)
    tops = [(0, 0), (0, 1), (0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xF8000000), (0, 0x7000000), (0, 0xFFFFFFFF)]
    blocks = [[*top, *rng.integers(0, 2**32, 2).tolist()] for top in tops for _ in range(3)]
    blocks += [rng.integers(0, 2**32, 4).tolist() for _ in range(36)]
    places = list(np.array([counter_of(block, key) for block in blocks]).T)
    want = field_values("normal", dtype, places, [v for v, _ in scalars])
    assert (np.abs(want[:15].astype(np.float64)) > 6.5).all()
    for cpu, lanes in VARIANTS:
        assert_same(native("normal", dtype, places, scalars, lanes, cpu), want, places)


@pytest.mark.parametrize("n", (SMALL + 1, 10_000, 2**20, 2**20 + 1, 2**40 - 3, 2**62, 2**63 - 1))
def test_permutations_walk_as_they_are_defined(n: int) -> None:
    index = np.random.default_rng(n % 1000).integers(0, n, 500)
    index[:2] = 0, n - 1
    for cpu, lanes in VARIANTS:
        found = native("permutation", dt.int64, [index], walk_args(11, n), lanes, cpu)
        assert_same(found, permutation(11, n, index), [index])


def test_lanes_beside_a_run_do_not_walk_for_ever() -> None:
    """Their indices lie outside, where a walk may turn in a circle."""
    n = 2**20 + 1
    index = np.arange(n - 3, n + 13)
    found = native("permutation", dt.int64, [index], walk_args(11, n))
    assert found[:3].tolist() == permutation(11, n, index[:3]).tolist()


def test_a_row_has_the_values_of_its_cells() -> None:
    scalars = field_instr_args("uniform", dt.float32, 2, 5)
    row = native("uniform", dt.float32, [7, -20], scalars, row=100)
    cells = native("uniform", dt.float32, [np.full(100, 7), np.arange(100) - 20], scalars)
    assert_same(row, cells)


@pytest.mark.parametrize("dtype", (dt.float32, dt.float64, dt.complex64), ids=repr)
def test_a_map_over_a_sliced_field(dtype: dt.DType) -> None:
    """Rows of a launch read the field at their own coordinates: here [3:, ::-2, 5::7] of a field of rank 3."""
    scalars = field_instr_args("normal", dtype, 3, 77)
    starts, steps, sizes = (3, 9, 5), (1, -2, 7), (3, 5, 70)
    axes = [
        Operand(-1, start, tuple(step * (k == d) for d in range(3)), dt.int64)
        for k, (start, step) in enumerate(zip(starts, steps, strict=True))
    ]
    body = [Instr("coord", dt.int64, attr=k) for k in range(3)]
    body += [Instr("scalar", d, attr=k) for k, (_, d) in enumerate(scalars)]
    body.append(Instr("philox", dtype, tuple(range(len(body))), ("normal", 3)))
    out = np.empty(sizes, dtype.np)
    launch = MapLaunch((Row(tuple(body), sizes, tuple(axes), Operand(0, 0, out.strides, dtype)),))
    run_tasks(lower_map(launch), np.array([out.ctypes.data]), slots(scalars).tobytes(), pieces=2)
    places = np.meshgrid(*[a + s * np.arange(n) for a, s, n in zip(starts, steps, sizes, strict=True)], indexing="ij")
    want = field_values("normal", dtype, places, [v for v, _ in scalars])
    assert_same(out.ravel(), want.ravel())
