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
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

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
