"""Discrete Fourier transforms along one axis: pocketfft by NumPy.

The one idea: transforms over several axes are transforms along one after the other; float32 stays float32.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.backends.calls.cells import dense, store_rounded, wide


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
