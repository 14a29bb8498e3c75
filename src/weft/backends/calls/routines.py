"""Library routines of the CPU by name: the function table of Call nodes.

The one idea: weft compiles what is fused and leaves what libraries do best to them; a routine is a function
`(out, args, attrs)` that gets whole arrays and fills its output.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft.backends.calls import blas, fourier, lapack, sorting

Routine = Callable[[np.ndarray, Sequence[np.ndarray], tuple[Any, ...]], None]

ROUTINES: dict[str, Routine] = {
    "matmul": blas.matmul,
    "sort": sorting.sort,
    "argsort": sorting.argsort,
    "searchsorted": sorting.searchsorted,
    "scatter_add": sorting.scatter_add,
    "cholesky": lapack.cholesky,
    "det": lapack.det,
    "eig": lapack.eig,
    "eigh": lapack.eigh,
    "eigvals": lapack.eigvals,
    "eigvalsh": lapack.eigvalsh,
    "inv": lapack.inv,
    "qr": lapack.qr,
    "slogdet": lapack.slogdet,
    "solve": lapack.solve,
    "svd": lapack.svd,
    "svdvals": lapack.svdvals,
    "fft": fourier.fft,
    "irfft": fourier.irfft,
    "rfft": fourier.rfft,
}
