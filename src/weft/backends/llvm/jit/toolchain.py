"""LLVM and the machine that it compiles for, loaded at first use.

The one idea: LLVM ends the process where it gets no memory, so free memory is checked beforehand (`uninterrupted`).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from weft.backends.llvm.emit.processor import PROCESSOR
from weft.backends.llvm.jit.uninterrupted import check_room, uninterrupted
from weft.runtime.fork_safety import importing

LIBRARY = 176 << 20  # bytes of addresses that LLVM's library takes
WORK = 16 << 20  # bytes that compiling and linking take


@cache
def binding() -> Any:
    """Return llvmlite's binding, with the native target ready.

    Raises OutOfMemory if there is no memory to load it.
    """
    check_room(LIBRARY, "load LLVM")
    with importing():
        import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@cache
def cpu() -> tuple[str, str]:
    """Return this machine's (CPU name, features), as LLVM spells them; raises OutOfMemory if LLVM cannot be loaded."""
    llvm = binding()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@cache
def is_supported() -> bool:
    """True if kernels are written for this CPU (x86-64-v3, ARMv8); raises OutOfMemory if LLVM cannot be loaded."""

    def look() -> bool:
        return PROCESSOR.features is not None and PROCESSOR.features <= features()

    return uninterrupted(LIBRARY, "load LLVM", look)


@cache
def features() -> frozenset[str]:
    """Return the features of this CPU."""
    return frozenset([f[1:] for f in cpu()[1].split(",") if f.startswith("+")])


@cache
def masked_widths() -> frozenset[int]:
    """Return the bytes of cells of which one quick load or store may leave out some lanes.

    AMD's processors before AVX-512 take tens of cycles for it (docs/design/042).
    """
    if "avx512bw" in features():
        return PROCESSOR.masked | {1, 2}
    return frozenset() if cpu()[0].startswith("znver") else PROCESSOR.masked


@cache
def machine(brief: bool = False) -> Any:
    """Return LLVM's code generator for this CPU; if `brief`, a quick one that optimises nothing."""
    name, features = cpu()
    target = binding().Target.from_default_triple()
    return target.create_target_machine(opt=0 if brief else 2, cpu=name, features=features, jit=True)


@cache
def environment() -> str:
    """Return a text of the versions of LLVM and of the CPU, on which machine code depends.

    Raises OutOfMemory if LLVM cannot be loaded.
    """
    import llvmlite

    llvm = binding()
    versions = f"{llvmlite.__version__} {'.'.join(map(str, llvm.llvm_version_info))}"
    return f"{versions} {llvm.get_process_triple()} {' '.join(cpu())}"
