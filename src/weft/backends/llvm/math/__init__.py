"""Elementary functions as our own IR: `MATH` for float and double, `COMPLEX` for complex numbers of either.

The one idea: a table from (op name, LLVM element) to an emitter; the emitters stand in one file per family.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft.backends.llvm.math.complex_arithmetic import COMPLEX_ARITHMETIC
from weft.backends.llvm.math.complex_exponential import COMPLEX_EXPONENTIAL
from weft.backends.llvm.math.complex_inverse import COMPLEX_INVERSE
from weft.backends.llvm.math.complex_logarithm import COMPLEX_LOGARITHM
from weft.backends.llvm.math.complex_power import COMPLEX_POWER
from weft.backends.llvm.math.complex_quotient import COMPLEX_QUOTIENT
from weft.backends.llvm.math.complex_root import COMPLEX_ROOT
from weft.backends.llvm.math.cube_root import CUBE_ROOT
from weft.backends.llvm.math.error_function import ERROR_FUNCTION
from weft.backends.llvm.math.exp_log import REAL_EXP_LOG
from weft.backends.llvm.math.hyperbolic import REAL_HYPERBOLIC
from weft.backends.llvm.math.inverse_trig import REAL_INVERSE_TRIG
from weft.backends.llvm.math.power import REAL_POWER
from weft.backends.llvm.math.trig import REAL_TRIG

Table = dict[tuple[str, str], Callable[..., Any]]

MATH: Table = {
    **REAL_EXP_LOG,
    **CUBE_ROOT,
    **ERROR_FUNCTION,
    **REAL_HYPERBOLIC,
    **REAL_POWER,
    **REAL_TRIG,
    **REAL_INVERSE_TRIG,
}
COMPLEX: Table = {
    **COMPLEX_ARITHMETIC,
    **COMPLEX_QUOTIENT,
    **COMPLEX_ROOT,
    **COMPLEX_EXPONENTIAL,
    **COMPLEX_LOGARITHM,
    **COMPLEX_INVERSE,
    **COMPLEX_POWER,
}
