"""IEEE default rounding, subnormals and masked exceptions while kernels run, whatever the process has set.

The one idea: read the control register, and only if it differs from the default set it and put it back afterwards.
"""

from __future__ import annotations

from weft.backends.llvm.builder import Builder
from weft.backends.llvm.jit import architecture
from weft.backends.llvm.text import Type, Value

X86_DEFAULT, X86_CONTROL = 0x1F80, 0xFFC0  # exceptions masked, nearest, no flush; all but the sticky flags
ARM_CONTROL = 0x1C89F00  # trap enables, FZ16, FZ, rounding mode


def enter_default(b: Builder) -> Value:
    """Switch to the default; gives what `leave_default` needs (a slot)."""
    saved = b.alloca("i64")
    if architecture() == "x86_64":
        b.declarations |= {"declare void @llvm.x86.sse.stmxcsr(ptr)", "declare void @llvm.x86.sse.ldmxcsr(ptr)"}
        wanted = b.alloca("i32")
        b.do(f"call void @llvm.x86.sse.stmxcsr(ptr {saved.name})")
        with b.when((b.load("i32", saved, 8) & X86_CONTROL).ne(X86_DEFAULT), rare=True):
            b.store(b.const("i32", X86_DEFAULT), wanted, 4)
            b.do(f"call void @llvm.x86.sse.ldmxcsr(ptr {wanted.name})")
    elif architecture() in ("aarch64", "arm64"):
        b.declarations |= {"declare i64 @llvm.aarch64.get.fpcr()", "declare void @llvm.aarch64.set.fpcr(i64)"}
        now = b.value(Type("i64"), "call i64 @llvm.aarch64.get.fpcr()")
        b.store(now, saved, 8)
        with b.when((now & ARM_CONTROL).ne(0), rare=True):
            b.do(f"call void @llvm.aarch64.set.fpcr(i64 {(now & ~ARM_CONTROL).name})")
    return saved


def leave_default(b: Builder, saved: Value) -> None:
    """Put back what was found."""
    if architecture() == "x86_64":
        with b.when((b.load("i32", saved, 8) & X86_CONTROL).ne(X86_DEFAULT), rare=True):
            b.do(f"call void @llvm.x86.sse.ldmxcsr(ptr {saved.name})")
    elif architecture() in ("aarch64", "arm64"):
        found = b.load("i64", saved, 8)
        with b.when((found & ARM_CONTROL).ne(0), rare=True):
            b.do(f"call void @llvm.aarch64.set.fpcr(i64 {found.name})")
