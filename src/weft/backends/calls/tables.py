"""Library routines of the CPU, by name: the function table that Calls are looked up in.

The one idea: weft compiles what is fused and leaves what libraries do best to them; a routine is a function
`(out, args, attrs)` that gets whole arrays and fills its output.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft.backends.calls import factorisations, fourier, ordering, products

Routine = Callable[[np.ndarray, Sequence[np.ndarray], tuple[Any, ...]], None]

ROUTINES: dict[str, Routine] = {
    "matmul": products.matmul,
    "sort": ordering.sort,
    "argsort": ordering.argsort,
    "searchsorted": ordering.searchsorted,
    "scatter_add": ordering.scatter_add,
    "cholesky": factorisations.cholesky,
    "det": factorisations.det,
    "eig": factorisations.eig,
    "eigh": factorisations.eigh,
    "eigvals": factorisations.eigvals,
    "eigvalsh": factorisations.eigvalsh,
    "inv": factorisations.inv,
    "qr": factorisations.qr,
    "slogdet": factorisations.slogdet,
    "solve": factorisations.solve,
    "svd": factorisations.svd,
    "svdvals": factorisations.svdvals,
    "fft": fourier.fft,
    "irfft": fourier.irfft,
    "rfft": fourier.rfft,
}
