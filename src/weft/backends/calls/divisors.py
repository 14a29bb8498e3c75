"""Greatest common divisors and least common multiples of integers, cell by cell.

The one idea: the number of steps of Euclid's algorithm depends on the values, so it is no loop nest over cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.backends.calls.cells import store_rounded


def gcd(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Write the greatest common divisors of two operands to `out`; `attrs` is empty."""
    store_rounded(out, np.gcd(*args))


def lcm(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Write the least common multiples of two operands, modulo 2**bits, to `out`; `attrs` is empty."""
    store_rounded(out, np.lcm(*args))
