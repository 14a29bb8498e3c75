"""Elementary functions of complex numbers as LLVM IR emitted by weft, in float and double.

The one idea: `COMPLEX` is a table from (op name, LLVM element type) to an emitter; there is one file for each family.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft.backends.llvm.complex_math.complex_exponential import COMPLEX_EXPONENTIAL
from weft.backends.llvm.complex_math.complex_inverse import COMPLEX_INVERSE
from weft.backends.llvm.complex_math.complex_logarithm import COMPLEX_LOGARITHM
from weft.backends.llvm.complex_math.complex_power import COMPLEX_POWER
from weft.backends.llvm.complex_math.complex_quotient import COMPLEX_QUOTIENT

COMPLEX: dict[tuple[str, str], Callable[..., Any]] = {
    **COMPLEX_QUOTIENT,
    **COMPLEX_EXPONENTIAL,
    **COMPLEX_LOGARITHM,
    **COMPLEX_INVERSE,
    **COMPLEX_POWER,
}
