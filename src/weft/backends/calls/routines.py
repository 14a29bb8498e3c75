"""Library routines of the CPU by name: the function table of Call nodes.

The one idea: weft compiles operations that fuse, and calls libraries for the others; a routine is a function `(out,
args, attrs)` that gets whole arrays and fills its output.  Common divisors are among them because the number of
steps of Euclid's algorithm depends on the values, so they are no loop nest over cells.  Transforms over several axes
are transforms along one after the other; float32 stays float32.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.backends.calls import blas, blocks, lapack, searching, sorting
from weft.backends.calls.cells import dense, store_rounded, wide
from weft.backends.calls.lapack import Routine


def fft(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Write the discrete Fourier transform of complex cells along one axis to `out`.

    `attrs` are (cells transformed, axis, norm, True for the inverse).
    """
    n, axis, norm, inverse = attrs
    transform = np.fft.ifft if inverse else np.fft.fft
    store_rounded(out, transform(dense(wide(args[0])), n, axis, norm))


def rfft(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Write the first half of the spectrum of real cells along one axis to `out`.

    `attrs` are (cells transformed, axis, norm).
    """
    store_rounded(out, np.fft.rfft(dense(wide(args[0])), *attrs))


def irfft(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Write the real cells with this first half of a spectrum, along one axis, to `out`.

    `attrs` are (cells of the result, axis, norm).
    """
    if not args[0].shape[attrs[1]]:  # where NumPy reads what is not there
        out[...] = 0
        return
    store_rounded(out, np.fft.irfft(dense(wide(args[0])), *attrs))


def gcd(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Write the greatest common divisors of two operands to `out`; `attrs` is empty."""
    store_rounded(out, np.gcd(*args))


def lcm(out: np.ndarray, args: Sequence[np.ndarray], attrs: tuple[Any, ...]) -> None:
    """Write the least common multiples of two operands, modulo 2**bits, to `out`; `attrs` is empty."""
    store_rounded(out, np.lcm(*args))


ROUTINES: dict[str, Routine] = {
    routine.__name__: routine
    for routine in (
        blas.matmul, sorting.sort, sorting.argsort, searching.searchsorted, sorting.scatter_add,
        gcd, lcm, blocks.map_blocks,
        lapack.cholesky, lapack.det, lapack.eig, lapack.eigh, lapack.eigvals, lapack.eigvalsh, lapack.inv, lapack.qr,
        lapack.slogdet, lapack.solve, lapack.svd, lapack.svdvals, fft, irfft, rfft,
    )
}  # fmt: skip
