"""Programs and machine code are kept within a limit of memory, and go only when nothing can call them."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import weft
from tests.shares import examples
from weft.backends import program_tables
from weft.backends.cpu import CpuTransformer
from weft.backends.llvm.jit.jit import Text, code, code_scope, loader, stats, unload
from weft.backends.program_tables import ProgramMemory, ProgramTable
from weft.runtime.compute import engine

STEPS = (weft.negative, weft.abs, weft.square, weft.floor, weft.sign, weft.positive)


@pytest.fixture
def limited() -> Iterator[Callable[[int], None]]:
    """Set the limit; afterwards it is what it was."""
    before = program_tables.get_limit()
    yield program_tables.set_limit
    program_tables.set_limit(before)


def chain(x: weft.Tensor, k: int) -> weft.Tensor:
    """Return the k-th of many expressions, each of which is compiled for itself."""
    for _ in range(4):
        x, k = STEPS[k % len(STEPS)](x) + x, k // len(STEPS)
    return x


def test_the_least_recently_used_go_first(limited: Callable[[int], None], monkeypatch: pytest.MonkeyPatch) -> None:
    table: ProgramTable[str] = ProgramTable()
    monkeypatch.setattr(program_tables, "_TABLES", [table])
    for name in "abcde":
        assert table.keep(name, name) == name
    assert table.get("a") == "a" and table.get("f", "none") == "none"
    table.kept["c"].used = ProgramMemory.made  # as where a value is found without a call
    gc.collect()
    limited(unload() + 3 * program_tables.OBJECTS)
    assert sorted(table.kept) == ["a", "c", "e"]


def test_all_tables_share_the_limit(limited: Callable[[int], None]) -> None:
    tables = [ProgramTable[int]() for _ in range(3)]
    for k in range(30):
        tables[k % 3].keep(k, k)
    limited(1)
    assert [len(t) for t in tables] == [0, 0, 0]
    assert tables[0].keep("key", 7) == 7  # no room at all: it is returned and not kept
    assert len(tables[0]) == 0


def test_tables_of_many_pieces_count() -> None:
    x = weft.asarray(np.arange(5000.0))
    t = CpuTransformer()
    with engine.using(t):
        (weft.concat([x[7 * k : 7 * k + 50] for k in range(500)]) * 2).numpy()
        (x * 2).numpy()
    small, large = sorted(k.nbytes for k in t.programs.kept.values())
    assert small < 50_000 < 500 * 400 < large


def test_what_many_programs_take_is_bounded(limited: Callable[[int], None]) -> None:
    x = weft.asarray(np.linspace(-2, 2, 50))
    gc.collect()
    limit = unload() + (2 << 20)
    limited(limit)
    for k in range(examples(200, 80)):
        chain(x, k).numpy()
        assert ProgramMemory.nbytes + loader.nbytes <= limit
    assert unload() <= limit


def test_code_goes_with_the_last_program(limited: Callable[[int], None]) -> None:
    x = np.linspace(-2, 2, 50)
    t = CpuTransformer()
    with engine.using(t):
        values = [chain(weft.asarray(x), k).numpy() for k in range(20)]
    program = next(iter(t.programs.kept.values())).value
    kept = weakref.ref(next(c for c in codes_of(program)))
    limited(1)
    gc.collect()
    assert len(t.programs) == 0 and kept() is not None
    unload()
    (again,) = program.brisk(x, 0, None, 0) if program.brisk is not None else program.run([x, 0], [])
    assert again.tobytes() == values[0].tobytes()
    del program
    gc.collect()
    assert kept() is None


def codes_of(program: object) -> list[object]:
    """Return the code that the tasks of a program's first entry hold."""
    tasks = program.segments[0].__self__.keep  # type: ignore[attr-defined]
    return [c for t in tasks for c in getattr(t, "kernels", ()) if type(c).__name__ == "Code"]


def test_kernels_given_to_a_user_stay(limited: Callable[[int], None]) -> None:
    x, y = np.linspace(0.1, 3, 40), np.zeros(40)
    kernel = weft.kernels.elementwise("log1p", "float64")

    def call() -> bytes:
        y[:] = 0
        kernel((40,), out=(y.ctypes.data, (8,)), a=(x.ctypes.data, (8,)))
        return y.tobytes()

    first = call()
    limited(1)
    gc.collect()
    for k in range(20, 40):
        chain(weft.asarray(x), k).numpy()
    made = stats.kernels_compiled + stats.kernels_loaded
    assert call() == first and stats.kernels_compiled + stats.kernels_loaded == made


def test_code_that_is_gone_is_made_again(limited: Callable[[int], None]) -> None:
    x = weft.asarray(np.linspace(-2, 2, 50))
    limited(1)
    values = [chain(x, k).numpy() for k in (41, 42, 43)]
    made = stats.kernels_compiled + stats.kernels_loaded
    assert [chain(x, k).numpy().tobytes() for k in (41, 42, 43)] == [v.tobytes() for v in values]
    assert stats.kernels_compiled + stats.kernels_loaded > made


def test_unloading_gives_all_back() -> None:
    """Linked again and again, the same code takes no more than once."""
    gc.collect()
    before = unload()
    source = "define i64 @f(i64 %x) {\n  ret i64 %x\n}\n"
    for k in range(100):
        with code_scope():
            code(f"test gone {k % 3}", lambda: Text(source, ("f",)))
    assert unload() <= before + 16 * (64 << 10)


@pytest.mark.parametrize("seconds", [1, pytest.param(10, marks=pytest.mark.slow)])
def test_programs_may_go_while_other_threads_run_them(limited: Callable[[int], None], seconds: int) -> None:
    arrays = [np.linspace(-3, 3, n) for n in (7, 1000, 200_000)]
    wanted = {(n, k): chain(weft.asarray(a), k).numpy().tobytes() for n, a in enumerate(arrays) for k in range(12)}
    limited(1)
    faults: list[object] = []
    end = threading.Event()

    def work(seed: int) -> None:
        choose = np.random.default_rng(seed)
        while not end.is_set():
            n, k = int(choose.integers(3)), int(choose.integers(12))
            if chain(weft.asarray(arrays[n]), k).numpy().tobytes() != wanted[n, k]:
                faults.append((n, k))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for t in threads:
        t.start()
    end.wait(seconds)
    end.set()
    for t in threads:
        t.join()
    assert not faults


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")
def test_a_forked_child_forgets_and_makes_programs(limited: Callable[[int], None]) -> None:
    x = weft.asarray(np.linspace(-2, 2, 50))
    values = [chain(x, k).numpy().tobytes() for k in range(5)]
    if not (pid := os.fork()):
        limited(1)
        os._exit(0 if [chain(x, k).numpy().tobytes() for k in range(5)] == values else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert [chain(x, k).numpy().tobytes() for k in range(5)] == values


def test_the_interpreter_ends_while_threads_stand_in_code() -> None:
    text = """
import threading, time
import numpy as np, weft
from weft.backends import program_tables
x = weft.asarray(np.linspace(0, 1, 3_000_000))
def work():
    while True:
        (weft.exp(x) * weft.sin(x)).sum().item()
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.5)
program_tables.set_limit(1)
print("end")
"""
    for _ in range(examples(3, 1)):
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs the system's count of memory")
def test_five_thousand_programs_stay_within_the_limit() -> None:
    text = """
import os
import numpy as np, weft
from weft.backends import program_tables
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
program_tables.set_limit(32 << 20)
x = weft.asarray(np.linspace(0.1, 1, 100))
steps = (weft.negative, weft.abs, weft.square, weft.floor, weft.sign, weft.positive)
def run(numbers):
    for k in numbers:
        y = x
        for _ in range(5):
            y, k = steps[k % 6](y), k // 6
        (y + 1).numpy()
run(range(1000))
before = resident()
run(range(1000, 5000))
print((resident() - before) >> 20)
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 16
