"""Entries: arguments, outputs, scalars, errors, signals, threads and the floating-point mode."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft import dtypes as dt
from weft.backends.llvm.emit import Builder
from weft.backends.llvm.emit.processor import PROCESSOR, X86_64
from weft.backends.llvm.jit import jit, pool
from weft.backends.llvm.jit.entry import Entry, make_entry
from weft.backends.llvm.nest.map_tables import lower_map
from weft.ir.kernels.plan import Instr, MapLaunch, Operand, Row

F = dt.float32
SUM = (Instr("load", F, attr=0), Instr("load", F, attr=1), Instr("add", F, (0, 1)))


def row(body: Sequence[Instr], n: int, args: Sequence[int], dtype: dt.DType = F) -> Row:
    """A contiguous row over arguments, the last of them written."""
    operands = [Operand(a, 0, (dtype.itemsize,), dtype) for a in args]
    return Row(tuple(body), (n,), tuple(operands[:-1]), operands[-1])


def only_output(entry: Entry) -> Entry:
    """Return a function that calls an entry of one output, and returns this output."""

    def call(*arguments: object) -> object:
        (made,) = entry(*arguments)
        return made

    return call


def summing(n: int, **options: object) -> Entry:
    """out = a + b, called as f(a, 0, b, 0, None, 0)."""
    tasks = lower_map(MapLaunch((row(SUM, n, (0, 1, 2)),)))
    return only_output(make_entry(3, {2: (np.dtype("f4"), (n,))}, (), tasks, **options))


def scalar_copy(dtype: dt.DType) -> Entry:
    """A 0-d array of a scalar argument."""
    body = (Instr("scalar", dtype, attr=0),)
    launch = MapLaunch((Row(body, (), (), Operand(0, 0, (), dtype)),))
    return only_output(make_entry(1, {0: (dtype.np, ())}, (dtype,), lower_map(launch)))


def long_entry(interruptible: bool = True) -> tuple[Entry, np.ndarray, np.ndarray]:
    """Most of a second of work; the last task sets the cells to -1."""
    n = 1 << 20
    steps = [Instr("load", F, attr=0)]
    steps += [Instr("sin", F, (k,)) for k in range(40)]
    hard = lower_map(MapLaunch((row(steps, n, (0, 1)),)))
    last = lower_map(MapLaunch((row([Instr("const", F, attr=-1.0)], n, (1,)),)))
    return make_entry(2, {}, (), [*hard * 30, *last], interruptible), np.ones(n, "f4"), np.zeros(n, "f4")


def test_outputs_made_or_given() -> None:
    a, b = np.arange(5, dtype="f4"), np.ones(5, "f4")
    f = summing(5)
    made = f(a, 0, b, 0, None, 0)
    np.testing.assert_array_equal(made, a + b)
    assert made.flags.owndata and made.flags.c_contiguous and made.dtype == np.float32
    given_array = np.zeros(6, "f4")
    assert f(a, 0, b, 0, given_array, 4) is given_array
    np.testing.assert_array_equal(given_array, [0, *made])


def test_offsets_are_bytes() -> None:
    a = np.arange(10, dtype="f4")
    np.testing.assert_array_equal(summing(3)(a, 4, a, 28, None, 0), a[1:4] + a[7:])


def test_several_outputs_and_none() -> None:
    rows = (row(SUM, 4, (0, 0, 1)), row(SUM, 4, (0, 0, 2)))
    tasks = lower_map(MapLaunch(rows))
    spec = (np.dtype("f4"), (2, 2))
    a = np.arange(4, dtype="f4")
    given_array = np.zeros((2, 2), "f4")
    first, second = make_entry(3, {2: spec, 1: spec}, (), tasks)(a, 0, given_array, 0, None, 0)
    np.testing.assert_array_equal(first, (a + a).reshape(2, 2))
    np.testing.assert_array_equal(second, first)
    assert second is given_array
    x, y = np.zeros(4, "f4"), np.zeros(4, "f4")
    assert make_entry(3, {}, (), tasks)(a, 0, x, 0, y, 0) is None
    np.testing.assert_array_equal(x + y, 4 * a)


@pytest.mark.parametrize("n", [5, 1 << 14])  # on the stack, and not
@pytest.mark.parametrize("at", [0, 64])
def test_temporaries_lie_in_memory_of_the_call_or_where_they_are_given(n: int, at: int) -> None:
    first, second = row(SUM, n, (0, 0, 1)), row(SUM, n, (0, 1, 2))
    tasks = [*lower_map(MapLaunch((first,))), *lower_map(MapLaunch((second,)))]
    f = make_entry(3, {2: (np.dtype("f4"), (n,))}, (), tasks, temporaries=[1], arena=at + 4 * n)
    a, given_array = np.arange(n, dtype="f4"), np.zeros(n + at // 4, "f4")
    for temporary in (None, given_array):
        np.testing.assert_array_equal(f(a, 0, temporary, at, None, 0)[0], 3 * a)
    np.testing.assert_array_equal(given_array[at // 4 :], 2 * a)


def test_an_arena_that_does_not_fit_is_a_memory_error() -> None:
    tasks, a = lower_map(MapLaunch((row(SUM, 5, (0, 0, 1)),))), np.ones(5, "f4")
    with pytest.raises(MemoryError):
        make_entry(2, {}, (), tasks, temporaries=[1], arena=1 << 60)(a, 0, None, 0)


def test_empty_and_nullary_programs() -> None:
    assert make_entry(0, {}, (), [])() is None
    assert make_entry(1, {0: (np.dtype("f8"), (0, 3))}, (), [])(None, 0)[0].shape == (0, 3)


def test_arguments_are_checked() -> None:
    f, a = summing(5), np.zeros(5, "f4")
    for arguments in [(), (a, 0, a, 0, None), (a, 0, a, 0, None, 0, 1)]:
        with pytest.raises(TypeError, match="wrong number of arguments"):
            f(*arguments)
    with pytest.raises(TypeError, match="not an array"):
        f(a, 0, [1.0], 0, None, 0)
    with pytest.raises(TypeError, match="not an array"):
        f(None, 0, a, 0, None, 0)
    with pytest.raises(TypeError, match="integer"):
        f(a, "0", a, 0, None, 0)
    with pytest.raises(OverflowError):
        f(a, 1 << 70, a, 0, None, 0)
    with pytest.raises(TypeError, match="real number"):
        scalar_copy(dt.float32)(None, 0, "1")


def test_subclasses_of_arrays_are_arrays() -> None:
    class Own(np.ndarray):
        pass

    a = np.ones(5, "f4")
    np.testing.assert_array_equal(summing(5)(a.view(Own), 0, a, 0, None, 0), a + a)


def test_minus_one_is_a_number() -> None:
    a = np.arange(5, dtype="f4")
    np.testing.assert_array_equal(summing(4)(a[1:], -4, a, 0, None, 0), 2 * a[:4])
    assert scalar_copy(dt.int64)(None, 0, -1)[()] == -1
    assert scalar_copy(dt.float64)(None, 0, -1.0)[()] == -1
    assert scalar_copy(dt.complex128)(None, 0, -1 - 1j)[()] == -1 - 1j


@given(st.floats(), st.sampled_from([dt.float16, dt.bfloat16, dt.float32, dt.float64]))
def test_real_scalars_round_once(x: float, dtype: dt.DType) -> None:
    got = scalar_copy(dtype)(None, 0, x)
    with np.errstate(all="ignore"):
        want = np.asarray(x).astype(dtype.np)
    np.testing.assert_array_equal(got, want)
    assert np.signbit(got.astype("f8")) == np.signbit(want.astype("f8")) or np.isnan(x)


@pytest.mark.parametrize("dtype", [dt.float16, dt.bfloat16])
def test_borders_of_narrow_scalars(dtype: dt.DType) -> None:
    """Every number of the dtype, the middle to the next, and its neighbours."""
    bits = np.arange(0, 0x7C00 if dtype is dt.float16 else 0x7F80, 7, dtype=np.uint16)
    numbers = bits.view(dtype.np).astype("f8")
    following = np.append(numbers[1:], 65520.0 if dtype is dt.float16 else 2.0**128)
    f = scalar_copy(dtype)
    for x in np.concatenate([numbers[::37], np.nextafter((numbers + following)[::41] / 2, 0)]):
        for near in (x, np.nextafter(x, np.inf)):
            with np.errstate(over="ignore"):
                want = np.float64(near).astype(dtype.np) if dtype is dt.float16 else _bfloat(near)
            assert f(None, 0, float(near))[()] == want


def _bfloat(x: float) -> object:
    bits = int(np.float64(x).view(np.uint64))
    if x < 2.0**-126:
        return np.float64(round(x * 2.0**133) * 2.0**-133).astype(ml_dtypes.bfloat16)
    kept = (bits + (1 << 44) - 1 + (bits >> 45 & 1)) >> 45 << 45
    return np.uint64(kept).view(np.float64).astype(ml_dtypes.bfloat16)


def test_scalars_of_every_kind() -> None:
    assert scalar_copy(dt.bool)(None, 0, True)[()]
    assert not scalar_copy(dt.bool)(None, 0, 0)[()]
    assert scalar_copy(dt.uint64)(None, 0, 2**64 - 1)[()] == 2**64 - 1
    assert scalar_copy(dt.int8)(None, 0, 300)[()] == 300 - 256
    assert scalar_copy(dt.complex64)(None, 0, 0.1 + 1e-50j)[()] == np.complex64(0.1 + 1e-50j)
    assert scalar_copy(dt.float32)(None, 0, 7)[()] == 7


def test_nothing_leaks() -> None:
    f, a = summing(5), np.zeros(5, "f4")
    dtype = np.dtype("f4")
    before = sys.getrefcount(dtype), sys.getrefcount(a)
    for _ in range(100):
        f(a, 0, a, 0, None, 0)
        with pytest.raises(TypeError):
            f(a, 0, 3, 0, None, 0)
        with pytest.raises(TypeError):
            f(a, 0, a, 0, a, None)
    gc.collect()
    after = sys.getrefcount(dtype), sys.getrefcount(a)
    assert all(abs(x - y) < 20 for x, y in zip(before, after, strict=True))


def test_tables_live_as_long_as_the_entry() -> None:
    f, a = summing(5), np.ones(5, "f4")
    gc.collect()
    junk = [np.full(200, -1, np.int64) for _ in range(50)]
    assert (f(a, 0, a, 0, None, 0) == 2).all() and junk


def test_scratch_that_does_not_fit_is_a_memory_error() -> None:
    tasks = lower_map(MapLaunch((row(SUM, 5, (0, 1, 2)),)))
    tasks[0].scratch = 1 << 60
    a = np.ones(5, "f4")
    with pytest.raises(MemoryError):
        make_entry(3, {2: (np.dtype("f4"), (5,))}, (), tasks)(a, 0, a, 0, None, 0)
    tasks[0].scratch = 1 << 20
    assert (make_entry(3, {}, (), tasks)(a, 0, a, 0, a, 0) is None) and a[0] == 2


def test_results_do_not_depend_on_threads() -> None:
    n = 300_001
    a, b = np.random.default_rng(0).standard_normal((2, n)).astype("f4")
    f, results, found = summing(n), [], pool.get_num_threads()
    try:
        for threads in (1, 2, 5):
            pool.set_num_threads(threads)
            results.append(f(a, 0, b, 0, None, 0))
    finally:
        pool.set_num_threads(found)
    for r in results:
        np.testing.assert_array_equal(r, a + b)


def test_many_threads_call_one_entry() -> None:
    n = 50_000
    f = summing(n)
    wrong: list[int] = []

    def work(seed: int) -> None:
        a = np.full(n, seed, "f4")
        for k in range(30):
            if not (f(a, 0, np.full(n, k, "f4"), 0, None, 0) == seed + k).all():
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(s,)) for s in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def _cut_off(run: Callable[[], object], after: float) -> None:
    """Run with a signal handler that raises after some time of the processor, as a busy machine may begin late."""

    def ring(*_: object) -> None:
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, after)
    try:
        run()
    except KeyboardInterrupt:
        return
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)
    pytest.fail("no exception")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
@pytest.mark.parametrize("threads", [1, 3])
def test_a_signal_ends_a_long_run(threads: int) -> None:
    f, a, out = long_entry()
    found = pool.get_num_threads()
    try:
        pool.set_num_threads(threads)
        _cut_off(lambda: f(a, 0, out, 0), 0.1)
    finally:
        pool.set_num_threads(found)
    assert out[0] != -1  # the last task has not run
    assert summing(1)(a, 0, a, 0, None, 0)[0] == 2  # and all is well afterwards


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
def test_a_visible_write_is_finished_first() -> None:
    f, a, out = long_entry(interruptible=False)
    _cut_off(lambda: f(a, 0, out, 0), 0.1)
    assert (out == -1).all()


NAMES = ("ldmxcsr", "stmxcsr")


def test_kernels_round_to_nearest_and_keep_subnormals() -> None:
    """Also where the process flushes subnormals and rounds otherwise; what it has set is found again afterwards."""
    if PROCESSOR is not X86_64:
        pytest.skip("the test sets an x86 register")
    b = Builder()
    for name in NAMES:
        b.declarations.add(f"declare void @llvm.x86.sse.{name}(ptr)")
    bodies = [f"define void @{name}(ptr %p) {{ call void @llvm.x86.sse.{name}(ptr %p) ret void }}" for name in NAMES]
    made = jit.code("test mode", lambda: jit.Text(b.module(*bodies), NAMES))
    setter, getter = (ctypes.CFUNCTYPE(None, ctypes.c_void_p)(made[name]) for name in NAMES)
    f, n = summing(200_000), 200_000
    a, tiny = np.full(n, 1.5e-39, "f4"), np.full(n, 1e-40, "f4")
    want = a + tiny
    word, found = ctypes.c_uint32(0x1F80 | 0x8040 | 0x6000), ctypes.c_uint32()
    normal = ctypes.c_uint32(0x1F80)
    setter(ctypes.addressof(word))
    try:
        got = f(a, 0, tiny, 0, None, 0)
        getter(ctypes.addressof(found))
    finally:
        setter(ctypes.addressof(normal))
    assert found.value & 0xFFC0 == word.value & 0xFFC0
    np.testing.assert_array_equal(got.view("i4"), want.view("i4"))


def _in_new_process(text: str) -> str:
    here = __file__.rsplit("/", 1)[0]
    head = f"import sys; sys.path.insert(0, {here!r}); sys.path[:0] = {sys.path!r}\nfrom test_entry import *\n"
    done = subprocess.run([sys.executable, "-c", head + text], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_forked_child_has_a_pool_of_its_own() -> None:
    text = """
import os
pool.set_num_threads(3)
n = 1_000_000
f, a = summing(n), np.ones(n, "f4")
f(a, 0, a, 0, None, 0)
child = os.fork()
if child == 0:
    good = all((f(a, 0, a, 0, None, 0) == 2).all() for _ in range(3))
    os._exit(0 if good else 1)
assert os.waitpid(child, 0)[1] == 0
assert (f(a, 0, a, 0, None, 0) == 2).all()
print("good")
"""
    if not hasattr(os, "fork"):
        pytest.skip("needs fork")
    assert _in_new_process(text) == "good"


def test_a_child_that_a_handler_forked_does_not_go_on_with_half_of_a_job() -> None:
    text = """
import os, weft
pool.set_num_threads(3)
f, a, out = long_entry()
children = []
def fork(*_):
    signal.setitimer(signal.ITIMER_PROF, 0)
    children.append(os.fork())
signal.signal(signal.SIGPROF, fork)
signal.setitimer(signal.ITIMER_PROF, 0.1)
try:
    f(a, 0, out, 0)
    told = ""
except weft.errors.WeftError as error:
    told = str(error)
if children == [0]:
    good = "handler forked" in told and out[0] != -1
    again = summing(1_000_000)
    a = np.ones(1_000_000, "f4")
    os._exit(0 if good and (again(a, 0, a, 0, None, 0) == 2).all() else 1)
assert not told and (out == -1).all()
assert os.waitpid(children[0], 0)[1] == 0
print("good")
"""
    if not hasattr(os, "fork") or not hasattr(signal, "setitimer"):
        pytest.skip("needs fork and interval timers")
    assert _in_new_process(text) == "good"


def test_the_interpreter_may_end_while_a_thread_computes() -> None:
    text = """
import time
pool.set_num_threads(3)
f, a, out = long_entry()
threading.Thread(target=f, args=(a, 0, out, 0), daemon=True).start()
time.sleep(0.2)
print("good")
"""
    assert _in_new_process(text) == "good"
