"""Routines as modules: any number of lanes, nothing touched beyond them, no call that leaves the library."""

from __future__ import annotations

import ctypes
import re
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest
from math_harness import _engine, assemble, closure

from tests.shares import in_turn
from weft.backends.llvm.emit import ROUTINES, Builder, Type
from weft.backends.llvm.math import MATH
from weft.backends.llvm.math.library import module_for, needs_of

TARGETS = {"x86_64-unknown-linux-gnu": "x86-64-v3", "aarch64-unknown-linux-gnu": "generic"}


def _loaded(name: str) -> Any:
    library = llvm.JITLibraryBuilder()
    for each in closure([name]):
        library.add_object_img(assemble(module_for(ROUTINES[each])))
    return library.export_symbol(name).link(_engine(), f"library test {name}")


def test_any_number_of_lanes_and_nothing_beyond() -> None:
    linked = _loaded("weft_hypot_wide_f64")
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)(linked["weft_hypot_wide_f64"])
    for lanes in (0, 1, 2, 8, 15, 16, 17, 32, 40):
        x, y, z = np.full(48, 3e-200), np.full(48, 4e-200), np.full(48, -1.0)
        call(x.ctypes.data, y.ctypes.data, z.ctypes.data, lanes)
        assert np.allclose(z[:lanes], 5e-200, rtol=1e-15, atol=0)
        assert (z[lanes:] == -1.0).all()


def test_closure_holds_what_routines_call() -> None:
    assert needs_of(ROUTINES["weft_logaddexp_f32"]) == {"weft_logaddexp_near_zero_f64"}
    assert closure(["weft_logaddexp_f32"]) == ["weft_logaddexp_f32", "weft_logaddexp_near_zero_f64"]


def _inline(name: str, elem: str) -> str:
    b = Builder()
    two = name in ("pow", "hypot", "logaddexp", "atan2")
    values = [b.load(Type(elem, 8), b.named("ptr", f"%p{k}")) for k in range(2 if two else 1)]
    b.store(MATH[name, elem](b, *values), b.named("ptr", "%p2"))
    b.emit("ret void")
    return b.module(b.function("k", "ptr %p0, ptr %p1, ptr %p2"))


@pytest.mark.parametrize(("triple", "part"), in_turn(TARGETS, range(2), every=2))
def test_no_call_leaves_the_library(triple: str, part: int) -> None:
    """fma, floor and the like must be instructions on every supported CPU, never calls to a C library."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    made = llvm.Target.from_triple(triple).create_target_machine
    kernels, routines = (made(cpu=TARGETS[triple], opt=opt) for opt in (2, 0))  # as `Text.brief` has it
    ours = {name: r for name, r in ROUTINES.items() if name.startswith("weft_")}  # tests of the linker add their own
    texts = {key: _inline(*key) for key in MATH} | {name: module_for(r) for name, r in ours.items()}
    for key, text in list(texts.items())[part::2]:
        module = llvm.parse_assembly(text)
        module.triple = triple
        machine = routines if key in ours else kernels
        called = set(re.findall(r"^\s+(?:bl|callq?)\s+([\w.@]+)", machine.emit_assembly(module), re.M))
        assert all(c.startswith("weft_") for c in called), f"{key} calls {called}"
