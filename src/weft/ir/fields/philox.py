"""Philox4x32-10 (Salmon et al. 2011): from a key and the coordinates of a cell to its random words, in NumPy.

The one idea: one block per cell, of the cell's own coordinates, so a cell keeps its words in every slice, shard, order
and device.  Native code shares these constants and gives the same bits.  The layout is frozen; docs/random.md has it
with examples, and a change would be LAYOUT_VERSION 2.

    key      Philox(key = seed; counter = (tag of the distribution, rank, LAYOUT_VERSION, 0)), words 0 and 1
    counter  words 0, 1 = low, high half of the last coordinate (int64), words 2, 3 = of the last but one, or 0;
             from rank 3 on the outer coordinates, paired from the inside (an odd one has the partner 0 before it), are
             absorbed outermost first: chain = Philox(key; pair xor chain), and the chain is xored into the counter
    words    64-bit words first = w0:w1 and second = w2:w3 (w0 and w2 are the high halves); the second serves the
             imaginary part

A random permutation of [0, n) is a pure function of (key, n, index): a Feistel network (Luby and Rackoff 1988) permutes
the smallest power of two that holds n; it is applied again to an image outside [0, n) until the image lies inside
(Black and Rogaway 2002).  The round function mixes one half with a round key from Philox.  Up to `SMALL`, where
networks of so few bits are poor, random words order the indices.  As a field "permutation" the one coordinate is the
index, and the scalars are those of `walk_args`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import ValueRangeError
from weft.ir.graph.traced import TracedNumber, of_traced

LAYOUT_VERSION = 1
TAGS = {
    "bits": 0, "uniform": 1, "normal": 2, "integers": 3, "bernoulli": 4, "permutation": 5, "exponential": 6,
    "gumbel": 7, "truncated_normal": 8, "categorical": 9, "fold": 10,
}  # fmt: skip
ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)  # of counter words 0 and 2
BUMPS = (0x9E3779B9, 0xBB67AE85)  # added to the key words each round
LOW = np.uint64(0xFFFFFFFF)
HALF = 0xFFFFFFFF


def philox(counter: Sequence[Any], key: Any) -> tuple[Any, Any, Any, Any]:
    """Return the four output words of Philox for four counter words and a 64-bit key.

    >>> [f"{int(w):08x}" for w in philox([np.uint64(0)] * 4, np.uint64(0))]
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    c0, c1, c2, c3 = counter
    k0, k1 = int(key) & HALF, int(key) >> 32
    first, second = (np.uint64(m) for m in MULTIPLIERS)
    for _ in range(ROUNDS):
        p0, p1 = c0 * first, c2 * second
        c0, c2 = (p1 >> np.uint64(32)) ^ c1 ^ np.uint64(k0), (p0 >> np.uint64(32)) ^ c3 ^ np.uint64(k1)
        c1, c3 = p1 & LOW, p0 & LOW
        k0, k1 = (k0 + BUMPS[0]) & HALF, (k1 + BUMPS[1]) & HALF
    return c0, c1, c2, c3


def block(counter: tuple[int, int, int, int], key: int) -> tuple[int, int, int, int]:
    """Return the result of `philox` for Python integers, which for one block is quicker than with arrays."""
    c0, c1, c2, c3 = counter
    k0, k1 = key & HALF, key >> 32
    for _ in range(ROUNDS):
        p0, p1 = c0 * MULTIPLIERS[0], c2 * MULTIPLIERS[1]
        c0, c1, c2, c3 = p1 >> 32 ^ c1 ^ k0, p1 & HALF, p0 >> 32 ^ c3 ^ k1, p0 & HALF
        k0, k1 = k0 + BUMPS[0] & HALF, k1 + BUMPS[1] & HALF
    return c0, c1, c2, c3


def check_seed(seed: int) -> int:
    """Return the seed.

    Raises ValueRangeError unless it is in [0, 2**64).
    """
    if not 0 <= seed < 1 << 64:
        raise ValueRangeError(f"random: seed {seed}; it must be in [0, 2**64); reduce it, with seed % 2**64")
    return seed


def derive_key(seed: Any, distribution: str, rank: int) -> int:
    """Return the key of a field as a function of (seed, distribution, rank).

    Entry k of a batch adds k to it. Raises ValueRangeError unless the seed is in [0, 2**64).
    """
    return _key(seed, distribution, rank + (seed.batches if isinstance(seed, TracedNumber) else 0))


@of_traced
@lru_cache(maxsize=1024)
def _key(seed: int, distribution: str, rank: int) -> int:
    check_seed(seed)
    w0, w1, _, _ = block((TAGS[distribution], rank, LAYOUT_VERSION, 0), seed)
    return w0 | w1 << 32


def fold(seed: int, number: int) -> int:
    """Return a seed derived from a seed and an integer of 64 bits; raises ValueRangeError for a seed beyond 64 bits.

    >>> fold(7, 0) != fold(7, 1)
    True
    """
    w0, w1, _, _ = block((number & HALF, number >> 32 & HALF, 0, 0), derive_key(seed, "fold", 1))
    return w0 << 32 | w1


def field_words(key: int, coordinates: Sequence[Any]) -> tuple[Any, Any]:
    """Return two 64-bit words for each cell, given int64 coordinates: one array per axis, outermost first."""
    halves = [np.asarray(c).astype(np.int64).view(np.uint64) for c in coordinates]
    halves = [np.uint64(0)] * (-len(halves) % 2 if halves else 2) + halves  # type: ignore[assignment]
    words: tuple[Any, ...] = (np.uint64(0),) * 4
    for outer, inner in zip(halves[::2], halves[1::2], strict=True):
        pair = (inner & LOW, inner >> np.uint64(32), outer & LOW, outer >> np.uint64(32))
        words = philox([a ^ b for a, b in zip(pair, words, strict=True)], key)
    w0, w1, w2, w3 = words
    return w0 << np.uint64(32) | w1, w2 << np.uint64(32) | w3


SMALL = 1 << 12
WALK_ROUNDS = 12
WALK_ARGS = 3 + WALK_ROUNDS  # scalars of a walk
MIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))  # shift, then multiply: SplitMix64's finaliser


def permutation(seed: int, n: int, index: Any) -> Any:
    """Return the images (int64) of indices in [0, n) under the permutation of a seed.

    Raises ValueRangeError unless 0 <= n < 2**63.

    >>> permutation(0, 5, np.arange(5))
    array([1, 0, 3, 4, 2])
    """
    if not 0 <= n < 1 << 63:
        raise ValueRangeError(f"permutation: of {n} indices; there can be 0 to 2**63 - 1; give a length in that range")
    index = np.asarray(index, np.int64)
    if n <= SMALL:
        words, _ = field_words(derive_key(seed, "permutation", 1), [np.arange(n)])
        return np.argsort(words, kind="stable").astype(np.int64)[index]
    return walk(index, [number for number, _ in walk_args(seed, n)])


@lru_cache(maxsize=64)
def walk_args(seed: int, n: int) -> tuple[tuple[int, DType], ...]:
    """Return the scalars for `walk` as (number, dtype).

    They are n, the numbers of bits of the lower and the upper half, and twelve round keys.
    """
    key = derive_key(seed, "permutation", 1)
    blocks = [block((number, n & 0xFFFFFFFF, n >> 32, 0), key) for number in range(WALK_ROUNDS)]
    bits = (n - 1).bit_length()
    numbers = [n, bits // 2, bits - bits // 2, *[w0 << 32 | w1 for w0, w1, _, _ in blocks]]
    return tuple([(number, dt.uint64) for number in numbers])


def walk(index: Any, scalars: Sequence[Any]) -> Any:
    """Return the images of indices below n under a permutation of [0, n), given the scalars of `walk_args`.

    The network is applied until each image is inside [0, n): it permutes a range of less than 2n, so few repeats
    suffice.
    """
    n, low_bits, high_bits, *keys = (np.uint64(s) for s in scalars)
    x = np.asarray(index).astype(np.uint64)
    at = _network(np.atleast_1d(x), low_bits, high_bits, keys)
    while (outside := np.nonzero(at >= n))[0].size:
        at[outside] = _network(at[outside], low_bits, high_bits, keys)
    return at.astype(np.int64).reshape(x.shape)


def _network(x: Any, low_bits: Any, high_bits: Any, keys: Sequence[Any]) -> Any:
    """Return indices after twelve Feistel rounds, which change the upper and the lower half of their bits in turn."""
    word = np.uint64(64)
    high, low = x >> low_bits, x & ((np.uint64(1) << low_bits) - np.uint64(1))
    for number, key in enumerate(keys):
        if number % 2:
            low = low ^ _mixed(high, key) >> (word - low_bits)
        else:
            high = high ^ _mixed(low, key) >> (word - high_bits)
    return high << low_bits | low


def _mixed(half: Any, key: Any) -> Any:
    with np.errstate(over="ignore"):
        z = half + key
        for shift, factor in MIX:
            z = (z ^ z >> np.uint64(shift)) * np.uint64(factor)
    return z
