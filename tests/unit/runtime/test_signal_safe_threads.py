"""Exceptions of signal handlers, wherever they come: nothing waits for ever, and nothing else is raised."""

import contextlib
import subprocess
import sys
import textwrap
import threading
import weakref
from functools import partial
from queue import SimpleQueue

import pytest

import weft
from weft.runtime import signal_safe_threads
from weft.runtime.devices import stream, worker
from weft.runtime.signal_safe_threads import Background, Waiters

# A handler runs where a function begins and where a call into C returns: a profile function is called there too.
PREAMBLE = """
import faulthandler, os, signal, sys, threading, time
import numpy as np, weft
faulthandler.dump_traceback_later(int(sys.argv[1]), exit=True)

class Strike:
    '''`with Strike(k):` KeyboardInterrupt at the k-th step; `came` says whether there were so many.'''
    def __init__(self, at):
        self.at, self.came = at, False
    def __enter__(self):
        self.kept = self.step  # CPython 3.11 lets go of a profile function that raises while it still calls it
        sys.setprofile(self.kept)
        return self
    def __exit__(self, *_):
        sys.setprofile(None)
    def step(self, frame, event, arg):
        if event in ("call", "c_return"):
            self.at -= 1
            if not self.at and frame.f_code is not Strike.__exit__.__code__:
                self.came = True
                raise KeyboardInterrupt

def at_every_step(work, check, step=1):
    '''Work that is struck at every step leaves a process in which it works.'''
    at, came, struck = 1, True, 0
    while came:
        try:
            with Strike(at) as strike:
                work()
        except KeyboardInterrupt:
            struck += 1
        came, at = strike.came, at + step
        check()
    assert struck > 20, struck
"""


def run(script, timeout=120):
    """Return the output of a fresh interpreter, which must end in time and without an error."""
    command = [sys.executable, "-c", PREAMBLE + textwrap.dedent(script), str(timeout - 20)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, done.stderr


THREAD_DEVICE = """
d = weft.device("thread", 0)
a = np.arange(1000.0)
def once():
    return (weft.asarray(a).to(d) * 2).sum().item()
def check():
    begun = time.monotonic()
    assert once() == 999000.0
    d.sync()
    assert time.monotonic() - begun < 10
once()
"""


# Every one of some thousand steps takes long; which steps a larger step meets changes with the code.
steps = pytest.mark.parametrize("step", [59, pytest.param(5, marks=pytest.mark.slow)])


@steps
def test_work_of_a_thread_device_is_interrupted_at_every_step(step):
    run(THREAD_DEVICE + f"at_every_step(once, check, {step})")


def test_work_of_the_host_is_interrupted_at_every_step():
    run("""
        s, seen = weft.cpu.create_stream(), []
        def check():
            before = len(seen)
            s.submit(lambda: seen.append(1))
            assert len(seen) == before + 1 and weft.cpu.under_way == 0
        at_every_step(lambda: s.submit(lambda: seen.append(0)), check)
    """)


def test_locks_are_left_free_by_signals_at_any_time():
    out, _ = run("""
        from weft.runtime.signal_safe_threads import ReentrantLock, wait_until_free
        free, own, lost, struck = threading.Lock(), ReentrantLock(), 0, 0
        def ring(*_):
            global waiting
            if waiting:
                waiting = False
                raise KeyboardInterrupt
        waiting = False
        signal.signal(signal.SIGALRM, ring)
        def repeat():  # CPython 3.14 takes signals where a loop turns back, outside of a `try` around the loop
            while True:
                with own:
                    pass
                wait_until_free(free)
        signal.setitimer(signal.ITIMER_REAL, 3e-4, 3e-4)
        while struck < 3000:
            try:
                waiting = True
                repeat()
            except KeyboardInterrupt:
                struck += 1
            lost += own._is_owned() or free.locked()
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(lost)
    """)
    assert out == "0\n"


@pytest.mark.parametrize("turns", [500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_timers_interrupt_work_of_a_thread_device_again_and_again(turns):
    """Some at the very end, while the interpreter waits for the work."""
    out, _ = run(
        THREAD_DEVICE
        + f"""
import random
rng = random.Random(1)
def ring(*_):
    raise KeyboardInterrupt
def repeat():  # CPython 3.14 takes signals where a loop turns back, outside of a `try` around the loop
    while True:
        assert once() == 999000.0
signal.signal(signal.SIGALRM, ring)
for turn in range({turns}):
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-6 + rng.random() * 1e-3)
        repeat()
    except KeyboardInterrupt:
        pass
print("whole")
""",
        max(120, turns // 20),
    )
    assert out == "whole\n"


@steps
def test_the_start_of_a_thread_device_is_interrupted_at_every_step(step):
    run(f"""
        from itertools import count
        a, numbers = np.arange(3.0), count()
        def once():
            d = weft.device("thread", next(numbers) % 1000)
            return (weft.asarray(a).to(d) * 2).sum().item()
        def check():
            assert (weft.asarray(a).to("thread:%d" % (next(numbers) % 1000)) * 2).sum().item() == 6.0
        at_every_step(once, check, {step})
    """)


@steps
def test_saving_is_interrupted_at_every_step(tmp_path, step):
    run(f"""
        path = {str(tmp_path / "x.npy")!r}
        x = weft.asarray(np.arange(1000.0))
        def save():
            weft.save(path, x * 2)
        def check():
            save()
            assert weft.open(path)[999].item() == 1998.0
        save()
        at_every_step(save, check, {step})
    """)


@steps
def test_saving_and_opening_chunks_is_interrupted_at_every_step(tmp_path, step):
    run(f"""
        from weft.backends import thread_sharing as sharing
        sharing.SHARED = 1
        from itertools import count
        paths = map({str(tmp_path / "%d.zarr")!r}.__mod__, count())  # rmtree of Python closes files twice
        x = weft.asarray(np.arange(400.0))
        def save():
            path = next(paths)
            weft.save(path, x * 2, chunks=(100,))
            return weft.open(path).sum().item()
        def check():
            assert save() == 159600.0
        save()
        at_every_step(save, check, {step})
    """)


def test_work_in_the_background_ends_with_a_value_or_an_error():
    begun = Background(lambda: threading.get_ident())
    begun.start()
    assert begun.result() != threading.get_ident() and begun.result() == begun.result()
    failing = Background(lambda: 1 / 0)
    failing.start()
    with pytest.raises(ZeroDivisionError):
        failing.result()
    failing.settle()


@pytest.mark.parametrize("end", [lambda _: None, lambda _: 1 / 0], ids=["value", "error"])
def test_what_work_in_the_background_refers_to_goes_with_it(end):
    class Thing:
        pass

    seen = weakref.ref(thing := Thing())
    work = Background(partial(end, thing))
    del thing
    work.start()
    with contextlib.suppress(ZeroDivisionError):
        work.result()
    assert seen() is None


def test_work_that_has_not_begun_never_will():
    done = []
    work = Background(lambda: done.append(1))
    work.settle()
    work.start()
    work.settle()
    assert not done


def test_work_is_done_here_where_the_system_gives_no_thread(monkeypatch):
    def refuse(*_):
        raise RuntimeError("can't start new thread")

    for module in (signal_safe_threads, worker):
        monkeypatch.setattr(module, "start_new_thread", refuse)
    work = Background(threading.get_ident)
    work.start()
    assert work.result() == threading.get_ident()
    work.settle()
    d = weft.device("thread", 40)
    assert (d([1, 2]) * 2).tolist() == [2, 4] and d.under_way == 0


@pytest.mark.parametrize(
    "start", [lambda *_: None, lambda *_: (_ for _ in ()).throw(MemoryError)], ids=["later", "now"]
)
def test_work_is_done_here_where_its_thread_finds_no_memory(monkeypatch, start):
    monkeypatch.setattr(signal_safe_threads, "start_new_thread", start)
    work = Background(threading.get_ident)
    work.start()
    begun = threading.Thread(target=lambda: found.append(work.result()), daemon=True)
    found = []
    begun.start()
    begun.join(10)
    assert found == [begun.ident]
    work.settle()


def test_a_waiting_thread_releases_the_lock_of_frames_below():
    """The collector runs finalizers anywhere, and they may wait too."""
    d = weft.device("thread", 0)
    gate = threading.Event()
    d.create_stream().submit(lambda: gate.wait(30))
    threading.Timer(0.05, gate.set).start()
    with stream.ORDER, stream.ORDER:
        d.sync()
        assert stream.ORDER._is_owned() and d.under_way == 0


def test_a_wait_that_times_out_can_be_repeated():
    lock = threading.RLock()
    waiters, queue = Waiters(lock), SimpleQueue()
    with lock:
        waiters.add(queue)
        assert not waiters.wait(queue, 0.01)
        waiters.tell()
    assert waiters.wait(queue, 0.01)


def test_an_interrupt_right_behind_the_start_of_a_thread(monkeypatch):
    """Its traceback, which lives while the thread is waited for, must not keep what ends with the thread."""
    done, real = threading.Event(), signal_safe_threads.start_new_thread

    def started(function, arguments):
        real(function, arguments)
        del arguments
        assert done.wait(10)
        raise KeyboardInterrupt

    monkeypatch.setattr(signal_safe_threads, "start_new_thread", started)
    job = Background(done.set)
    with pytest.raises(KeyboardInterrupt) as interrupted:
        job.start()
    waiting = threading.Thread(target=job.settle, daemon=True)
    waiting.start()
    waiting.join(10)
    assert not waiting.is_alive(), interrupted
