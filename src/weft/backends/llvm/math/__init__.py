"""Elementary functions of float and double as LLVM IR emitted by weft.

The one idea: `MATH` is a table from (op name, LLVM element type) to an emitter; there is one file for each family.
"""

from __future__ import annotations

from weft.backends.llvm.math.cube_root import CUBE_ROOT
from weft.backends.llvm.math.error_function import ERROR_FUNCTION
from weft.backends.llvm.math.exp_log import REAL_EXP_LOG
from weft.backends.llvm.math.formats import Emitter
from weft.backends.llvm.math.hyperbolic import REAL_HYPERBOLIC
from weft.backends.llvm.math.inverse_trig import REAL_INVERSE_TRIG
from weft.backends.llvm.math.power import REAL_POWER
from weft.backends.llvm.math.trig import REAL_TRIG

MATH: dict[tuple[str, str], Emitter] = {
    **REAL_EXP_LOG,
    **CUBE_ROOT,
    **ERROR_FUNCTION,
    **REAL_HYPERBOLIC,
    **REAL_POWER,
    **REAL_TRIG,
    **REAL_INVERSE_TRIG,
}
