"""Modules: groups of operations, and their implementations for each type of device.

The one idea: `core`, `linalg`, `fft`, `random` and `nn` are modules like those of other packages.  A package may
provide its own under the entry point "weft.modules": `weft.modules.<name>` loads it at the first access.
"""

from weft.api.habits import accept_habits
from weft.ir.graph.ops import OPS
from weft.modules.module import Declaration, Module, built_in, find, implement, names
from weft.modules.watching import counting, debugging, through, timing
from weft.runtime.compute.function_tables import Call, can_be_replaced

_MEMBERS = {
    "linalg": "matmul cholesky det inv solve eigvalsh svdvals eigvals slogdet qr eigh svd eig",
    "fft": "fft rfft irfft",
    "random": "philox",
    "nn": "",  # its functions are composed of operations of the others
}
_ELSEWHERE = {op for ops in _MEMBERS.values() for op in ops.split()}

core = built_in("core", [op for op, row in OPS.items() if can_be_replaced(row) and op not in _ELSEWHERE])
linalg, fft, random, nn = [built_in(n, [op for op in ops.split() if op in OPS]) for n, ops in _MEMBERS.items()]


def __getattr__(name: str) -> Module:
    found = find(name)
    if found is None:
        raise AttributeError(
            f"module 'weft.modules' has no attribute {name!r}; modules are {', '.join(names())}; install the package "
            "that brings it, or see the warning that named its fault"
        )
    return found


__all__ = [
    "Call", "Declaration", "Module", "core", "counting", "debugging", "fft", "implement", "linalg", "names", "nn",
    "random", "through", "timing",
]  # fmt: skip

accept_habits(globals())
