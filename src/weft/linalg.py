"""Linear algebra: the array API's `linalg` and general matrix products.

The one idea: matrices lie along the last two axes and all others are stacks; products, factorisations and solvers are
library calls, everything else is composed of them and of element-wise functions and reductions that fuse.
"""

from weft.api.gemm import gemm
from weft.api.habits import accept_habits
from weft.api.numpy.matrix_functions import LstsqResult, cond, expm, lstsq, multi_dot, norm, tensorinv, tensorsolve
from weft.api.standard.factorisations import (
    EighResult,
    EigResult,
    QRResult,
    SlogdetResult,
    SVDResult,
    cholesky,
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    inv,
    qr,
    slogdet,
    solve,
    svd,
    svdvals,
)  # fmt: skip
from weft.api.standard.linear_algebra_functions import matmul, tensordot, vecdot
from weft.api.standard.manipulation_functions import matrix_transpose
from weft.api.standard.norms import (
    cross,
    diagonal,
    matrix_norm,
    matrix_power,
    matrix_rank,
    outer,
    pinv,
    trace,
    vector_norm,
)  # fmt: skip
from weft.errors import LinAlgError

__all__ = [
    "EigResult", "EighResult", "LinAlgError", "LstsqResult", "QRResult", "SVDResult", "SlogdetResult", "cholesky",
    "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "expm", "gemm", "inv", "lstsq",
    "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer", "pinv",
    "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace", "vecdot",
    "vector_norm",
]  # fmt: skip

accept_habits(globals(), "linalg.")
