"""The vocabulary of emitters: typed values, control flow, functions, records, the processor.

Terms: a `Builder` collects the instructions of one native function; code is *emitted* into it.  Functions with a
builder as parameter run while a kernel is written; their docstrings describe the emitted code at run time.  A returned
`Value` stands for a value of the running kernel, so "return whether" means an i1.
"""

from __future__ import annotations

from weft.backends.llvm.emit.builder import ROUTINES, Builder, Routine, Signature, routine, signature
from weft.backends.llvm.emit.values import Complex, Number, Type, Value

__all__ = [
    "ROUTINES", "Builder", "Complex", "Number", "Routine", "Signature", "Type", "Value", "routine", "signature",
]  # fmt: skip
