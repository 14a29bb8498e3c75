"""The processors that kernels are written for, with the parts of the code that differ between them.

The one idea: a kernel's text is the same for every processor except for the facts of a `Processor`, so another family
of processors is another row here.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Processor:
    """A family of processors.

    Intrinsics read and write the floating-point control word, through memory (`mode_type` "ptr", an i32 there) or as a
    value.  Under IEEE default rounding, with subnormals and masked exceptions, its `mode_bits` are `mode_default`.
    """

    features: frozenset[str] | None  # features that kernels need; None for a processor without kernels
    attributes: str = ""  # attributes of every function
    line: int = 64  # bytes of a cache line
    past_caches: str = ", !nontemporal !2"  # suffix of a store of whole cache lines that are not read first
    after_past_caches: str = "fence seq_cst"  # follows such stores, which are not ordered with any other
    pause: str = ""  # an intrinsic between two reads of a word that another thread writes
    pause_kinds: tuple[int, ...] = ()  # its arguments
    masked: frozenset[int] = frozenset()  # itemsizes that one load or store through a mask handles quickly
    read_mode: str = ""
    write_mode: str = ""
    mode_type: str = "i64"
    mode_bits: int = 0
    mode_default: int = 0


X86_64 = Processor(
    features=frozenset({"avx2", "fma", "f16c", "bmi2"}),  # x86-64-v3
    attributes='"prefer-vector-width"="512"',
    pause="llvm.x86.sse2.pause",
    masked=frozenset({4, 8}),
    read_mode="llvm.x86.sse.stmxcsr",
    write_mode="llvm.x86.sse.ldmxcsr",
    mode_type="ptr",
    mode_bits=0xFFC0,  # all but the sticky flags
    mode_default=0x1F80,  # exceptions masked, nearest, no flush
)
ARM_64 = Processor(
    features=frozenset(),
    pause="llvm.aarch64.isb",
    pause_kinds=(15,),
    read_mode="llvm.aarch64.get.fpcr",
    write_mode="llvm.aarch64.set.fpcr",
    mode_bits=0x1C89F00,  # trap enables, FZ16, FZ, rounding mode
)
PROCESSORS = {"x86_64": X86_64, "amd64": X86_64, "aarch64": ARM_64, "arm64": ARM_64}
PROCESSOR = PROCESSORS.get(platform.machine().lower(), Processor(features=None))  # this machine's

SIZE = Path("/sys/devices/system/cpu/cpu0/cache/index2/size")  # as in "1024K"
USUAL = 1 << 20


def second_cache(size: Path = SIZE) -> int:
    """Return the bytes of a core's second-level cache, read from the file `size`, else 1 MiB.

    >>> second_cache(Path("no such file"))
    1048576
    """
    try:
        text = size.read_text().strip()
    except OSError:
        return USUAL
    return int(text[:-1]) << 10 if text[-1:] == "K" and text[:-1].isdigit() else USUAL
