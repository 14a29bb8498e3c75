"""Philox known answers, the frozen layout of random fields, their distributions and permutations."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft import dtypes as dt
from weft.errors import DTypeError, ValueRangeError
from weft.ir.fields import random_fields
from weft.ir.fields.exact_functions import standard_normal
from weft.ir.fields.philox import SMALL, TAGS, block, fold, permutation, philox
from weft.ir.fields.random_fields import derive_key, evaluate, field_instr_args, field_values, field_words

# Random123, tests/kat_vectors, philox4x32-10: counter, key, output
KNOWN = (
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
)
FROZEN_BITS = [[13008454739699847968, 3180100574228626773], [4981663671784514949, 1360501461998783462]]
FROZEN_BITS3 = [11400369504729418421, 2825773750845082828]
FROZEN_UNIFORM = [0.7600273802353233, 0.12937381784118107, 0.9245310422614661]
FROZEN_NORMAL = [3.4519906591246476, 0.3439065575119082, -0.23575613741650414]
FROZEN_INTEGERS = [970, 269, 33, 192, 916, 60]
FROZEN_COINS = [0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 0]
FROZEN_SMALL = [1, 4, 2, 5, 6, 0, 3, 7]
FROZEN_LARGE = [270894, 931941, 449823, 497745]
FROZEN_HUGE = [494011714770, 302596817395, 982199346197]
FROZEN_COMPLEX = [(-2.2150382313897805 - 0.9260495466834882j), (-1.3877711199878977 + 0.4088401443596643j)]
FROZEN_RANK3 = [[[1.7890072580377205, 0.6274387855926489], [-0.6846785742244706, -0.5510152150445787]]]
FROZEN_EXPONENTIAL = [[0.2139825173874856, 0.16519733512029786], [0.11059609097240963, 0.5031777002527271]]
FROZEN_GUMBEL = [[0.7759966387124161, 1.3786336097419394], [0.4584901935617017, -0.23695068669621122]]
FROZEN_TRUNCATED = [[1.0383271470451596, 1.4422183598953526], [1.274002318791511, 2.6819912675117226]]
FROZEN_NARROW = [-0.40471938252449036, -0.18364185094833374, -0.16051042079925537]
FROZEN_CATEGORIES = [[1, 0, 0, 1, 2, 1, 2, 2], [0, 2, 3, 1, 2, 2, 3, 1]]
FROZEN_SEEDS = [12189047560312440505, 549990702982272267, 7896455403151959222]


def words(text: str) -> list[int]:
    return [int(w, 16) for w in text.split()]


def cells(distribution: str, dtype: dt.DType, seed: int, coordinates: list, *parameters: object) -> np.ndarray:
    scalars = field_instr_args(distribution, dtype, len(coordinates), seed, *parameters)
    return field_values(distribution, dtype, coordinates, [v for v, _ in scalars])


@pytest.mark.parametrize(("counter", "key", "output"), KNOWN)
def test_published_known_answers(counter: str, key: str, output: str) -> None:
    k0, k1 = words(key)
    made = philox([np.uint64(w) for w in words(counter)], k0 | k1 << 32)
    assert [int(w) for w in made] == words(output)


def scalar_philox(counter: tuple[int, int, int, int], key: int) -> tuple[int, int, int, int]:
    """Straight from the paper, in Python integers."""
    c0, c1, c2, c3 = counter
    k0, k1 = key & 0xFFFFFFFF, key >> 32
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = p1 >> 32 ^ c1 ^ k0, p1 & 0xFFFFFFFF, p0 >> 32 ^ c3 ^ k1, p0 & 0xFFFFFFFF
        k0, k1 = k0 + 0x9E3779B9 & 0xFFFFFFFF, k1 + 0xBB67AE85 & 0xFFFFFFFF
    return c0, c1, c2, c3


def scalar_word(key: int, coordinates: tuple[int, ...]) -> int:
    """The first word of a cell, by the documented layout."""
    padded = ((0,) * (len(coordinates) % 2) + coordinates) or (0, 0)
    chain = (0, 0, 0, 0)
    for outer, inner in zip(padded[::2], padded[1::2], strict=True):
        halves = [v % 2**64 >> s & 0xFFFFFFFF for v in (inner, outer) for s in (0, 32)]
        chain = scalar_philox(tuple(h ^ c for h, c in zip(halves, chain, strict=True)), key)  # type: ignore[arg-type]
    return chain[0] << 32 | chain[1]


@pytest.mark.parametrize("rank", range(7))
def test_layout_of_the_counter(rank: int) -> None:
    rng = np.random.default_rng(rank)
    places = [tuple(int(v) for v in rng.integers(-(2**62), 2**62, rank)) for _ in range(20)]
    key = derive_key(99, "uniform", rank)
    arrays = [np.array([p[d] for p in places]) for d in range(rank)]
    first, _ = field_words(key, arrays)
    assert np.atleast_1d(first).tolist() == [scalar_word(key, p) for p in (places if rank else places[:1])]


def test_keys_differ_by_seed_distribution_and_rank() -> None:
    keys = {derive_key(s, d, r) for s in (0, 1, 2**64 - 1) for d in TAGS for r in range(4)}
    assert len(keys) == 3 * len(TAGS) * 4


def test_the_layout_is_frozen() -> None:
    """Never change these numbers: users store seeds, not values."""
    i, j = np.meshgrid(np.arange(2), np.arange(3) - 1, indexing="ij")
    assert cells("bits", dt.uint64, 42, [i, j])[:, :2].tolist() == FROZEN_BITS
    assert cells("bits", dt.uint64, 42, [i, j, i])[:, 0].tolist() == FROZEN_BITS3
    assert cells("uniform", dt.float64, 7, [i, j])[0].tolist() == FROZEN_UNIFORM
    assert cells("normal", dt.float64, 7, [i, j])[1].tolist() == FROZEN_NORMAL
    assert cells("integers", dt.int64, 7, [np.arange(6)], -100, 1000).tolist() == FROZEN_INTEGERS
    assert cells("bernoulli", dt.bool, 7, [np.arange(12)], 0.25).astype(int).tolist() == FROZEN_COINS
    assert permutation(7, 8, np.arange(8)).tolist() == FROZEN_SMALL
    assert permutation(7, 10**6, np.arange(4)).tolist() == FROZEN_LARGE


@pytest.mark.parametrize("transformer", ("cpu", "reference"))
def test_the_public_fields_are_frozen(transformer: str) -> None:
    """Never change these numbers either."""
    r, there = weft.random, (0, -1)
    with weft.transformer(transformer):
        assert r.permutation(2**40, seed=7)[:3].tolist() == FROZEN_HUGE
        assert r.normal(2, seed=7, dtype="complex128").tolist() == FROZEN_COMPLEX
        assert r.normal((1, 2, 2), seed=7, origin=(5, 0, -1)).tolist() == FROZEN_RANK3
        assert r.exponential((2, 2), seed=7, origin=there).tolist() == FROZEN_EXPONENTIAL
        assert r.gumbel((2, 2), seed=7, origin=there).tolist() == FROZEN_GUMBEL
        assert r.truncated_normal((2, 2), seed=7, low=1.0, high=3.0, origin=there).tolist() == FROZEN_TRUNCATED
        assert r.truncated_normal(3, seed=7, low=-1.0, high=0.5, dtype="float32").tolist() == FROZEN_NARROW
        p = [0.125, 0.5, 0.25, 0.125]
        assert r.categorical((2, 8), seed=7, p=p, origin=there).tolist() == FROZEN_CATEGORIES
    assert [r.fold(7, 0), r.fold(7, -1), r.fold(7, 1, 2)] == FROZEN_SEEDS


def test_one_block_in_integers_is_that_of_arrays() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        counter, key = rng.integers(0, 2**32, 4, dtype=np.uint64), int(rng.integers(0, 2**63)) * 2 + 1
        assert block(tuple(counter.tolist()), key) == tuple(int(w) for w in philox(list(counter), key))


def test_folded_seeds_differ() -> None:
    assert len({fold(seed, number) for seed in range(20) for number in range(-50, 50)}) == 20 * 100


def test_narrow_uniforms_are_the_top_bits_of_wide_ones() -> None:
    i = np.arange(500)
    wide = cells("uniform", dt.float64, 3, [i])
    for dtype, bits in random_fields.UNIFORM_BITS.items():
        scaled = cells("uniform", dtype, 3, [i]).astype(np.float64) * 2.0**bits
        assert (scaled == np.floor(wide * 2.0**bits)).all()


@for_each("dtype", (dt.float16, dt.bfloat16, dt.float32, dt.float64))
@for_each("low, high", ((0, 1), (-3, 5), (1, 1.02), (100, 101), (-1e-3, 0), (1e4, 3e4)))
def test_uniform_stays_in_its_interval(dtype: dt.DType, low: float, high: float) -> None:
    first, last = (float(np.float64(v).astype(dtype.np)) for v in (low, high))
    x = cells("uniform", dtype, 1, [np.arange(4000)], low, high)
    assert x.dtype == dtype.np
    assert (x.astype(np.float64) >= first).all()
    assert (x.astype(np.float64) < last).all()
    assert abs(x.astype(np.float64).mean() - (first + last) / 2) < 0.03 * (last - first) + 0.01 * abs(last) * (
        dtype.bits == 16
    )


def test_uniform_complex_draws_both_parts() -> None:
    z = cells("uniform", dt.complex64, 1, [np.arange(4000)], -1 + 2j, 1 + 3j)
    assert (z.real >= -1).all() and (z.real < 1).all() and (z.imag >= 2).all() and (z.imag < 3).all()
    assert abs(np.corrcoef(z.real, z.imag)[0, 1]) < 0.05


@pytest.mark.parametrize("p", (0.0, 2.0**-64, 0.25, 0.7, 1 - 2.0**-53, 1.0))
def test_bernoulli(p: float) -> None:
    x = cells("bernoulli", dt.bool, 5, [np.arange(20000)], p)
    assert abs(x.mean() - p) < 0.015
    assert x.all() or p < 0.9
    assert not x.any() or p > 0.1


@pytest.mark.parametrize("dtype", [d for d in dt.COMMON if d.is_integer], ids=repr)
def test_integers_cover_their_range_evenly(dtype: dt.DType) -> None:
    info = dt.integer_limits(dtype)
    x = cells("integers", dtype, 5, [np.arange(6000)], 3, 9)
    assert x.dtype == dtype.np
    assert (np.abs(np.bincount(x.astype(int))[3:] - 1000) < 150).all()
    assert (cells("integers", dtype, 5, [np.arange(50)], info.max, info.max + 1) == info.max).all()
    whole = cells("integers", dtype, 5, [np.arange(6000)], info.min, info.max + 1).astype(np.float64)
    assert abs(whole.mean() - (info.min + info.max) / 2) < 0.03 * (float(info.max) - info.min)
    word = int(field_words(derive_key(5, "integers", 1), [np.arange(1)])[0][0])
    assert cells("integers", dtype, 5, [np.arange(1)], 0, 100)[0] == word * 100 >> 64


def test_normal_quantile_is_accurate_in_the_centre_and_both_tails() -> None:
    rng = np.random.default_rng(0)
    word = rng.integers(0, 2**64, 60, dtype=np.uint64)
    word = np.concatenate([word >> np.uint64(s) for s in (0, 8, 25, 48)])
    word = np.concatenate([word, ~word, np.array([0, 2**64 - 1], np.uint64)])
    for w, z in zip(word.tolist(), standard_normal(word).tolist(), strict=True):
        p = mpmath.mpf(2 * (w >> 12) + 1) / 2**53
        miss = mpmath.ncdf(z) - p if z < 0 else (1 - p) - mpmath.ncdf(-z)
        assert abs(miss / mpmath.npdf(z) / z) < 1e-15


def test_normal_scales_in_double_and_rounds_once() -> None:
    i = np.arange(3000)
    z = cells("normal", dt.float64, 11, [i])
    assert abs(z.mean()) < 0.06 and abs(z.std() - 1) < 0.04
    assert (cells("normal", dt.float32, 11, [i], 5, 3) == (5 + 3 * z).astype(np.float32)).all()
    assert (cells("normal", dt.float16, 11, [i]) == z.astype(np.float16)).all()
    half = cells("normal", dt.bfloat16, 11, [i]).astype(np.float64)
    assert (np.abs(half - z) <= np.abs(z) * 2.0**-8).all()


def test_bfloat16_is_rounded_once() -> None:
    x = np.array([1 + 2.0**-8, 1 + 2.0**-8 + 2.0**-40, 1 + 3 * 2.0**-8 - 2.0**-40, -1e300, math.nan, 0.0, 2.0**-134])
    want = [1.0, 1 + 2.0**-7, 1 + 2.0**-7, -math.inf, math.nan, 0.0, 0.0]
    np.testing.assert_array_equal(random_fields.round_double(x, dt.bfloat16).astype(np.float64), want)


def test_evaluate_broadcasts_like_a_node() -> None:
    scalars = [np.asarray(v) for v, _ in field_instr_args("uniform", dt.float32, 2, 3)]
    x = evaluate(dt.float32, ("uniform", 2), (4, 5), [np.arange(4)[:, None], np.arange(5)[None, :], *scalars])
    assert x.shape == (4, 5)
    assert x[2, 3] == cells("uniform", dt.float32, 3, [np.array([2]), np.array([3])])[0]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    (
        (("uniform", dt.float32, 1, -1), ValueRangeError, "seed -1"),
        (("uniform", dt.int32, 1, 0), DTypeError, "uniform of int32"),
        (("uniform", dt.float32, 1, 0, 2, 2), ValueRangeError, r"\[2, 2\)"),
        (("uniform", dt.float16, 1, 0, -6e4, 6e4), ValueRangeError, "finite"),
        (("normal", dt.float32, 1, 0, 0, -1), ValueRangeError, "deviation -1"),
        (("integers", dt.int8, 1, 0, 0, 129), ValueRangeError, "wider"),
        (("bernoulli", dt.bool, 1, 0, 1.5), ValueRangeError, "1.5"),
    ),
)
def test_errors(arguments: tuple, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        field_instr_args(*arguments)


@pytest.mark.parametrize("n", (0, 1, 2, 3, 100, SMALL, SMALL + 1, 10000, 65536, 65537))
def test_permutations_are_permutations(n: int) -> None:
    p = permutation(12, n, np.arange(n))
    assert (np.sort(p) == np.arange(n)).all()
    some = np.arange(0, n, 7)
    assert (permutation(12, n, some) == p[some]).all()
    assert n < 3 or not (p == permutation(13, n, np.arange(n))).all()


def test_permutations_spread_an_index_evenly() -> None:
    n = 5 * SMALL
    where = [int(permutation(s, n, np.array([17]))[0]) * 8 // n for s in range(1600)]
    assert (np.abs(np.bincount(where, minlength=8) - 200) < 60).all()


def test_permutations_of_huge_ranges_need_no_memory() -> None:
    n = 2**62 + 5
    image = permutation(1, n, np.arange(1000))
    assert len(set(image.tolist())) == 1000
    assert image.min() >= 0 and image.max() < n
    with pytest.raises(ValueRangeError):
        permutation(1, -1, np.arange(0))
