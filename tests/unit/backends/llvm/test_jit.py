"""Compiling, linking and caching code; LLVM is loaded at the first compile and not before."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import FrameType

import numpy as np
import pytest

from weft.backends.cpu import for_this_machine
from weft.backends.llvm.emit import ROUTINES, Builder, Value, routine
from weft.backends.llvm.emit.processor import PROCESSOR, X86_64, Processor
from weft.backends.llvm.jit import jit, toolchain
from weft.backends.llvm.jit.jit import Text, code

SUCCESSOR = "define i64 @next(i64 %x) {\n  %y = add i64 %x, 1\n  ret i64 %y\n}\n"
PAIR = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)


def test_code_runs_and_is_kept() -> None:
    made = code("test next", lambda: Text(SUCCESSOR, ("next",)))
    assert PAIR(made["next"])(41) == 42
    assert code("test next", lambda: pytest.fail("emitted twice")) is made


def test_brief_code_is_compiled_without_optimisation() -> None:
    brief, usual = (jit.compile_text(Text(SUCCESSOR, ("next",), brief=b)).code for b in (True, False))
    assert brief != usual
    made = code("test brief", lambda: Text(SUCCESSOR, ("next",), brief=True))
    assert PAIR(made["next"])(41) == 42


def test_invalid_text_is_an_error_not_a_crash() -> None:
    with pytest.raises(RuntimeError):
        jit.compile_text(Text("define i64 @f() { ret i64 %nowhere }", ("f",)))
    bad = "define i64 @f(i1 %c) {\n br i1 %c, label %a, label %b\na:\n %x = add i64 1, 2\n br label %b\n"
    bad += "b:\n ret i64 %x\n}"
    with pytest.raises(RuntimeError, match="dominate"):
        jit.compile_text(Text(bad, ("f",)))


def test_one_emission_for_many_threads() -> None:
    emitted = []

    def emit() -> Text:
        emitted.append(1)
        return Text(SUCCESSOR.replace("@next", "@once"), ("once",))

    threads = [threading.Thread(target=lambda: code("test once", emit)) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(emitted) <= 1  # none at all where the disk knew it


def test_routines_are_linked_by_address_and_recursively() -> None:
    """outer(x) = inner(x) + 1 and inner(x) = 2x, over any number of lanes."""
    if "test_inner" not in ROUTINES:

        @routine("test_inner", ["double"], ["double"])
        def inner(b: Builder, x: Value) -> Value:
            return x + x

        @routine("test_outer", ["double"], ["double"])
        def outer(b: Builder, x: Value) -> Value:
            return b.call_routine(ROUTINES["test_inner"], [x])[0] + 1.0

    @jit.compiled("test_caller", "ptr x, ptr y, i64 n")
    def caller(b: Builder) -> None:
        b.routines.add("test_outer")
        b.call("void", "test_outer", b["x"], b["y"], b["n"])

    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(caller())
    x, y = np.arange(37.0), np.zeros(37)
    call(x.ctypes.data, y.ctypes.data, 37)
    np.testing.assert_array_equal(y, 2 * x + 1)


def test_this_machine_is_supported() -> None:
    assert toolchain.is_supported() == (
        {"avx2", "fma", "f16c", "bmi2"} <= toolchain.features() or PROCESSOR is not X86_64
    )


def in_new_process(text: str, folder: Path) -> str:
    environment = dict(os.environ, WEFT_CACHE_DIR=str(folder), PYTHONPATH=os.pathsep.join(sys.path))
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


SECOND = """
import numpy as np
from launches import loads, run_map
from weft import dtypes as dt
from weft.backends.cpu import for_this_machine
from weft.backends.llvm.jit import jit
from weft.backends.llvm.jit import toolchain
from weft.ir.kernels.plan import Instr
f = dt.float32
x = np.linspace(-3, 3, 100).astype("f4")
y = run_map([*loads(f), Instr("tanh", f, (0,)), Instr("exp", f, (1,))], [x], np.zeros(100, "f4"))
print(jit.stats.kernels_compiled, jit.stats.kernels_loaded, y.tobytes().hex())
"""


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    first = in_new_process(SECOND, tmp_path / "cache").split()
    second = in_new_process(SECOND, tmp_path / "cache").split()
    assert int(first[0]) > 0 and int(first[1]) == 0
    assert int(second[0]) == 0 and int(second[1]) == int(first[0])
    assert first[2] == second[2]


def test_other_sources_that_emit_the_same_text_compile_nothing(tmp_path: Path) -> None:
    first = in_new_process(SECOND, tmp_path / "cache").split()
    changed = SECOND.replace("f = dt.float32", "f = dt.float32\njit.EMITTERS = ('dtypes.py',)")
    second = in_new_process(changed, tmp_path / "cache").split()
    assert int(second[0]) == 0 and int(second[1]) == int(first[0])
    assert first[2] == second[2]


def test_damaged_entries_are_compiled_again(tmp_path: Path) -> None:
    first = in_new_process(SECOND, tmp_path / "cache").split()
    for entry in (tmp_path / "cache").iterdir():
        data = bytearray(entry.read_bytes())
        data[len(data) // 2] ^= 1
        entry.write_bytes(data)
    assert in_new_process(SECOND, tmp_path / "cache").split() == first


def test_llvm_is_loaded_at_the_first_compile() -> None:
    text = (
        "import sys, weft.backends.llvm.jit.entry, weft.backends.llvm.nest.map_tables; print('llvmlite' in sys.modules)"
    )
    assert in_new_process(text, Path("/nonexistent")) == "False"


def test_the_compiler_is_out_of_reach_of_interrupts() -> None:
    """LLVM's objects, cut off between two steps of their making, would be freed twice; handlers run in this thread."""

    def interrupt(frame: FrameType, event: str, _: object) -> None:
        if "llvmlite" in frame.f_code.co_filename:
            raise KeyboardInterrupt

    name = f"apart{os.getpid()}"  # compiled in every run
    sys.settrace(interrupt)  # type: ignore[arg-type]
    try:
        made = code(name, lambda: Text(SUCCESSOR.replace("@next", f"@{name}"), (name,)))
    except KeyboardInterrupt:
        pytest.fail("the binding runs where handlers do")
    finally:
        sys.settrace(None)
    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(made[name])(41) == 42


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
def test_no_interrupt_leaves_a_thread_that_the_interpreters_end_waits_for() -> None:
    text = """
import signal, sys, time
from weft.backends.llvm.jit.uninterrupted import off_main_thread
def ring(*_):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, ring)
sys.setswitchinterval(1e-5)
end, interrupted = time.monotonic() + 2, 0
while time.monotonic() < end:
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-5 * (interrupted % 40 + 1))
        while True:
            off_main_thread(lambda: None)
    except KeyboardInterrupt:
        interrupted += 1
assert interrupted and off_main_thread(lambda: 7) == 7
print("end")
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=30, check=False)
    assert done.stdout == "end\n", done.stderr


def test_faults_of_the_compiler_come_back() -> None:
    with pytest.raises(RuntimeError, match="nowhere"):
        code("test fault", lambda: Text("define i64 @f() { ret i64 %nowhere }", ("f",)))


def test_an_older_cpu_computes_with_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "PROCESSOR", Processor(features=frozenset({"avx9"})))
    toolchain.is_supported.cache_clear()
    try:
        with pytest.warns(RuntimeWarning, match=r"this CPU \(.*\) is older than the kernels need"):
            assert for_this_machine().name == "reference"
    finally:
        monkeypatch.undo()
        toolchain.is_supported.cache_clear()
    assert for_this_machine().name == "cpu"
