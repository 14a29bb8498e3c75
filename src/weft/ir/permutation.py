"""Random permutations of [0, n) with random access: where index i goes is a pure function of (key, n, i).

The one idea: a Feistel network (Luby and Rackoff 1988) permutes the smallest power of two that holds n, and an index
that lands outside [0, n) walks on until it is back inside (Black and Rogaway 2002).  The round function mixes one half
with a round key from Philox.  Up to `SMALL`, where networks of so few bits are poor, random words order the indices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.errors import ValueRangeError
from weft.ir.fields import derive_key, field_words, philox

SMALL = 1 << 12
ROUNDS = 12
MIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))  # shift, then multiply: SplitMix64's finaliser


def permutation(seed: int, n: int, index: Any) -> Any:
    """The images (int64) of an array of indices in [0, n).

    >>> permutation(0, 5, np.arange(5))
    array([1, 0, 3, 4, 2])
    """
    if not 0 <= n < 1 << 63:
        raise ValueRangeError(f"permutation: of {n} indices; there can be 0 to 2**63 - 1; give a length in that range")
    key = derive_key(seed, "permutation", 1)
    index = np.asarray(index, np.int64)
    if n <= SMALL:
        words, _ = field_words(key, [np.arange(n)])
        return np.argsort(words, kind="stable").astype(np.int64)[index]
    return _walk(index.astype(np.uint64), n, _round_keys(key, n))


def _round_keys(key: int, n: int) -> list[Any]:
    counters = ([np.uint64(v) for v in (number, n & 0xFFFFFFFF, n >> 32, 0)] for number in range(ROUNDS))
    blocks = (philox(counter, key) for counter in counters)
    return [w0 << np.uint64(32) | w1 for w0, w1, _, _ in blocks]


def _walk(x: Any, n: int, keys: list[Any]) -> Any:
    """Through the network until inside [0, n): it is a bijection of a range of less than 2n, so the walk is short."""
    bits = (n - 1).bit_length()
    at = _network(np.atleast_1d(x), bits, keys)
    while (outside := np.flatnonzero(at >= n)).size:
        at[outside] = _network(at[outside], bits, keys)
    return at.astype(np.int64).reshape(x.shape)


def _network(x: Any, bits: int, keys: list[Any]) -> Any:
    """Twelve rounds on the upper and lower halves of the bits, in turn."""
    low_bits = bits // 2
    shift = np.uint64(low_bits)
    high, low = x >> shift, x & np.uint64((1 << low_bits) - 1)
    for number, key in enumerate(keys):
        if number % 2:
            low = low ^ _mixed(high, key) >> np.uint64(64 - low_bits)
        else:
            high = high ^ _mixed(low, key) >> np.uint64(64 - bits + low_bits)
    return high << shift | low


def _mixed(half: Any, key: Any) -> Any:
    with np.errstate(over="ignore"):
        z = half + key
        for shift, factor in MIX:
            z = (z ^ z >> np.uint64(shift)) * np.uint64(factor)
    return z
