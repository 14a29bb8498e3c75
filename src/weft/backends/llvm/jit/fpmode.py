"""IEEE default rounding, subnormals and masked exceptions while kernels run, whatever the process has set.

The one idea: read the control word, and only if it differs from the default set it and put it back afterwards.
"""

from __future__ import annotations

from weft.backends.llvm.emit import Builder, Value
from weft.backends.llvm.emit.processor import PROCESSOR


def enter_default(b: Builder) -> Value:
    """Emit the switch to the default floating-point mode; return the mode before, for `leave_default`."""
    if not PROCESSOR.read_mode:
        return b.const("i64", 0)
    if PROCESSOR.mode_type == "ptr":
        slot = b.alloca("i32")
        b.call("void", PROCESSOR.read_mode, slot)
        found = b.cast("zext", b.load("i32", slot, 4), "i64")
    else:
        found = b.call("i64", PROCESSOR.read_mode)
    with b.when(_differs(found), rare=True):
        _write(b, found & ~PROCESSOR.mode_bits | PROCESSOR.mode_default)
    return found


def leave_default(b: Builder, found: Value) -> None:
    """Emit code that restores the floating-point mode `found`, which `enter_default` returned."""
    if PROCESSOR.write_mode:
        with b.when(_differs(found), rare=True):
            _write(b, found)


def _differs(mode: Value) -> Value:
    return (mode & PROCESSOR.mode_bits).ne(PROCESSOR.mode_default)


def _write(b: Builder, mode: Value) -> None:
    if PROCESSOR.mode_type == "ptr":
        slot = b.alloca("i32")
        b.store(b.cast("trunc", mode, "i32"), slot, 4)
        mode = slot
    b.call("void", PROCESSOR.write_mode, mode)
