"""Forks: whatever the other threads are at, a child has values and locks that are whole."""

import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from weft.runtime.fork_safety import if_free

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")

CHILD = """
import os, signal, sys, threading, time, warnings
from traceback import walk_stack
import numpy as np, weft
from weft.runtime import fork_safety as forks
warnings.simplefilter("ignore")

def child(work, seconds=60):
    number = os.fork()
    if not number:
        signal.alarm(seconds)
        try:
            os._exit(0 if work() else 1)
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(2)
    return number

def ends(number):
    status = os.waitpid(number, 0)[1]
    assert status == 0, status

def until_interrupted():
    for _ in range(2000): time.sleep(0.01)  # an interrupt just before a sleep is raised after it

def until_the_main_thread_is_in(function):
    main = threading.main_thread().ident
    while function.__code__ not in [f.f_code for f, _ in walk_stack(sys._current_frames()[main])]:
        time.sleep(0.001)
"""


def run(script, **environment):
    code = CHILD + textwrap.dedent(script)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False,
        env=os.environ | environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_forks_during_the_first_computation_of_another_thread():
    run("""
        worker = threading.Thread(target=lambda: weft.arange(5.0).sum().item())
        worker.start()
        children = []
        while worker.is_alive() and len(children) < 20:
            children.append(child(lambda: (weft.arange(1000.0) * 2).sum().item() == 999000))
            time.sleep(0.005)
        worker.join()
        for c in children: ends(c)
    """)


def test_a_fork_waits_for_a_module_that_another_thread_imports(tmp_path):
    (tmp_path / "slow_module.py").write_text("import time\ntime.sleep(0.3)\nwhole = True\n")
    run(
        """
        importer = threading.Thread(target=forks.late_import, args=("slow_module",))
        importer.start()
        while not forks._IMPORTS: time.sleep(0.001)
        c = child(lambda: __import__("slow_module").whole)
        importer.join()
        ends(c)
        """,
        PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path]),
    )


def test_a_thread_that_imports_may_fork():
    run("""
        with forks.importing():
            c = child(lambda: weft.arange(5).sum().item() == 10)
        ends(c)
    """)


def test_a_fork_waits_for_a_write_and_the_child_may_write_the_same_tensor():
    run("""
        from weft.tensors import versions
        x = weft.asarray(np.zeros(1000))
        x[0] = 1.0
        inside, change = threading.Event(), versions.prepare_write
        def slowly(handle, leaf=None):
            target = change(handle, leaf)
            x.numpy()[:500] = 7  # half of a write
            inside.set()
            until_the_main_thread_is_in(forks._acquire_all)
            time.sleep(0.1)
            return target
        from weft.tensors import writing
        writing.prepare_write = slowly
        def write():
            x[...] = 7.0
        writer = threading.Thread(target=write)
        writer.start()
        inside.wait()
        def work():
            writing.prepare_write = change
            whole = x.tolist() == [7.0] * 1000
            x[...] = 8.0
            return whole and x.tolist() == [8.0] * 1000
        c = child(work)
        writer.join()
        ends(c)
    """)


def test_locks_that_are_taken_in_any_order_are_had_over_a_fork():
    run("""
        from weft.backends.llvm.jit import jit
        from weft.runtime.compute import engine
        weft.arange(3).sum().item()
        held = threading.Event()
        def nested(first, second):
            with first:
                held.set()
                until_the_main_thread_is_in(forks._acquire_all)
                time.sleep(0.1)
                with second: pass
        for pair in ((engine.GRAPH, jit._lock), (jit._lock, engine.GRAPH)):
            held.clear()
            t = threading.Thread(target=nested, args=pair)
            t.start()
            held.wait()
            begun = time.monotonic()
            c = child(lambda: (weft.arange(7) * 3 + 1).sum().item() == 70)
            t.join()
            ends(c)
            assert time.monotonic() - begun < forks.PATIENCE
    """)


def test_a_fork_goes_on_without_a_lock_that_is_never_given_back():
    run("""
        from weft.runtime.compute import engine
        forks.PATIENCE = 0.1
        held, end = threading.Event(), threading.Event()
        def keep():
            with engine.GRAPH:
                held.set()
                end.wait()
        t = threading.Thread(target=keep)
        t.start()
        held.wait()
        c = child(lambda: engine.GRAPH not in forks._FORK.taken and weft.arange(5).sum().item() == 10)
        end.set()
        t.join()
        ends(c)
    """)


def test_an_interrupt_of_a_fork_comes_when_it_is_done():
    run(f"""
        from weft.runtime.compute import engine
        signal.signal(signal.SIGINT, signal.default_int_handler)
        held = threading.Event()
        def keep():
            with engine.GRAPH:
                held.set()
                until_the_main_thread_is_in(forks._acquire_all)
                os.kill(os.getpid(), {int(signal.SIGINT)})
                time.sleep(0.3)
        t = threading.Thread(target=keep)
        t.start()
        held.wait()
        interrupted = False
        try:
            c = child(lambda: weft.arange(5).sum().item() == 10)
            until_interrupted()
        except KeyboardInterrupt:
            interrupted = True
        t.join()
        assert interrupted
        assert os.wait()[1] == 0
        with engine.GRAPH: pass
        assert weft.arange(5).sum().item() == 10
        free = []
        o = threading.Thread(target=lambda: free.append(engine.GRAPH.acquire(timeout=5)))
        o.start(); o.join()
        assert free == [True]
    """)


def test_an_interrupt_between_two_attempts_to_take_the_locks_is_not_lost():
    run("""
        from types import SimpleNamespace
        from weft.runtime.compute import engine
        held, interrupted = threading.Event(), []
        def keep():
            with engine.GRAPH:
                held.set()
                until_the_main_thread_is_in(forks._acquire_all)
                time.sleep(0.1)
        def sleep(seconds):
            if not interrupted:
                interrupted.append("in the fork")
                raise KeyboardInterrupt
            time.sleep(seconds)
        forks.time = SimpleNamespace(sleep=sleep, monotonic=time.monotonic)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        t = threading.Thread(target=keep)
        t.start()
        held.wait()
        try:
            c = child(lambda: engine.GRAPH in forks._FORK.taken and weft.arange(5).sum().item() == 10)
            until_interrupted()
        except KeyboardInterrupt:
            interrupted.append("after it")
        t.join()
        assert interrupted == ["in the fork", "after it"]
        assert os.wait()[1] == 0
    """)


def test_locks_of_objects_go_with_them():
    import gc

    import weft
    from weft.runtime import fork_safety

    gc.collect()
    before = len(fork_safety._OWN)
    for _ in range(100):
        x = weft.zeros(3).realize()
        x[0] = 1.0
    assert len(fork_safety._OWN) > before
    del x
    gc.collect()
    assert len(fork_safety._OWN) <= before


class InterruptedLock:
    """A reentrant lock whose `acquire` is followed by an interrupt, as a signal can come behind any call."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._is_owned = self.lock._is_owned
        self.release = self.lock.release

    def acquire(self, blocking: bool) -> bool:
        self.lock.acquire(blocking)
        raise KeyboardInterrupt


def test_an_interrupt_behind_acquire_leaves_no_lock_held() -> None:
    lock = InterruptedLock()
    with pytest.raises(KeyboardInterrupt):
        if_free(lock, print)
    assert not lock._is_owned()


def test_a_lock_of_another_thread_is_left_alone() -> None:
    lock, called = threading.RLock(), []
    with lock:
        assert if_free(lock, called.append, 1) and lock._is_owned()
        other = threading.Thread(target=lambda: called.append(if_free(lock, called.append, 2)))
        other.start()
        other.join()
        assert lock._is_owned()
    assert called == [1, False] and not lock._is_owned()
