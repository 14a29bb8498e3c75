"""The words in which kernels are written: typed values, control flow, functions, records, the processor.

Terms: a `Builder` collects the instructions of one native function; code is *emitted* into it.  Functions that take a
builder run while a kernel is written; their docstrings say what the emitted code does when the kernel runs.  A `Value`
that they return stands for a value of the running kernel, so "return whether" means an i1.
"""

from __future__ import annotations

from weft.backends.llvm.emit.builder import ROUTINES, Builder, Routine, Signature, routine, signature
from weft.backends.llvm.emit.values import Complex, Number, Type, Value

__all__ = [
    "ROUTINES", "Builder", "Complex", "Number", "Routine", "Signature", "Type", "Value", "routine", "signature",
]  # fmt: skip
