"""Random permutations of [0, n) with random access: the image of index i is a pure function of (key, n, i).

The one idea: a Feistel network (Luby and Rackoff 1988) permutes the smallest power of two that holds n; it is applied
again to an image outside [0, n) until the image lies inside (Black and Rogaway 2002).  The round function mixes one
half with a round key from Philox.  Up to `SMALL`, where networks of so few bits are poor, random words order the
indices.

As a field "permutation" the one coordinate is the index, and the scalars are those of `walk_args`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import ValueRangeError
from weft.ir.fields.philox import block, derive_key, field_words

SMALL = 1 << 12
ROUNDS = 12
WALK_ARGS = 3 + ROUNDS  # scalars of a walk
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
    blocks = [block((number, n & 0xFFFFFFFF, n >> 32, 0), key) for number in range(ROUNDS)]
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
