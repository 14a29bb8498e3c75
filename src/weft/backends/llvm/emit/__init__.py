"""The words in which kernels are written: typed values, control flow, functions, records, the processor.

The one idea: a `Builder` collects one function; its values read like arithmetic and its blocks like Python.
"""

from __future__ import annotations

from weft.backends.llvm.emit.builder import ROUTINES, Builder, Routine, Signature, routine, signature
from weft.backends.llvm.emit.values import Complex, Number, Type, Value

__all__ = [
    "ROUTINES", "Builder", "Complex", "Number", "Routine", "Signature", "Type", "Value", "routine", "signature",
]  # fmt: skip
