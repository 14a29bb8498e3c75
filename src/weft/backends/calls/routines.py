"""Library routines of the CPU by name: the function table of Call nodes.

The one idea: weft compiles operations that fuse, and calls libraries for the others; a routine is a function `(out,
args, attrs)` that gets whole arrays and fills its output.
"""

from __future__ import annotations

from weft.backends.calls import blas, blocks, divisors, fourier, lapack, searching, sorting
from weft.backends.calls.lapack import Routine

ROUTINES: dict[str, Routine] = {
    routine.__name__: routine
    for routine in (
        blas.matmul, sorting.sort, sorting.argsort, searching.searchsorted, sorting.scatter_add,
        divisors.gcd, divisors.lcm, blocks.map_blocks,
        lapack.cholesky, lapack.det, lapack.eig, lapack.eigh, lapack.eigvals, lapack.eigvalsh, lapack.inv, lapack.qr,
        lapack.slogdet, lapack.solve, lapack.svd, lapack.svdvals, fourier.fft, fourier.irfft, fourier.rfft,
    )
}  # fmt: skip
