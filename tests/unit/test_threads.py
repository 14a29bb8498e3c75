"""Threads, signals and forks: concurrent reads and writes, who waits for whom, what an interruption leaves behind."""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time

import numpy as np
import pytest

import weft
from tests.shares import examples, in_turn
from weft.api import assigning
from weft.errors import WriteError
from weft.ir.graph.node import line_of
from weft.runtime.compute import engine, stages
from weft.runtime.memory import access
from weft.tensors import cell_values, index_writing
from weft.tensors.tensor import node_of, wrap


@pytest.fixture(autouse=True)
def nervous():
    """Threads take turns as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(*functions):
    errors = []

    def guarded(f):
        try:
            f()
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=guarded, args=(f,), daemon=True) for f in functions]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert not any(t.is_alive() for t in threads), "threads wait for each other"
    if errors:
        raise errors[0]


@pytest.mark.parametrize("name", ["cpu", "reference"])
def test_threads_may_compute_the_same_nodes(name):
    for turn in range(30):
        x = weft.array(np.arange([4.0, 1000.0, 70000.0][turn % 3]))
        y = x
        for _ in range(turn % 5 + 1):
            y = y * 2 + x
        z = weft.concat([y, y + 1])
        s = z.sum()
        barrier, seen = threading.Barrier(4), []

        def look(barrier=barrier, seen=seen, s=s, z=z, y=y):
            with weft.transformer(name):
                barrier.wait()
                seen.append(s.item())
                z.numpy()
                y.numpy()

        together(*[look] * 4)
        assert len(set(seen)) == 1


@pytest.mark.parametrize("n", [100, 5000, 300_000])
@pytest.mark.parametrize("make", [lambda n: weft.array(np.zeros(n)), lambda n: weft.asarray(np.zeros(n))])
def test_readers_see_whole_writes_only(n, make):
    x = make(n)
    done = threading.Event()

    def assign():
        for i in range(60):
            x[...] = float(i)
        done.set()

    def add():
        nonlocal x
        for _ in range(60):
            x += 1

    def look():
        while not done.is_set():
            for values in (x + 0, x[::-3] * 2, x):
                a = np.asarray(values.tolist())
                assert (a == a[0]).all()

    together(assign, add, look, look)


@pytest.mark.parametrize("make", [lambda n: weft.array(np.zeros(n)), lambda n: weft.asarray(np.zeros(n))])
def test_no_in_place_addition_is_lost(make):
    x = make(50)

    def add():
        nonlocal x
        for _ in range(100):
            x += 1

    together(add, add, add)
    assert x.tolist() == [300] * 50


def test_imports_and_exports_of_one_memory_in_several_threads():
    base = np.zeros(4096)

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(100):
            low = int(rng.integers(0, 4000))
            x = weft.asarray(base[low : low + int(rng.integers(1, 96))])
            y = x + 1
            x[...] = float(seed)
            z = weft.asarray(x.numpy())
            z += 0
            y.numpy()

    for _ in range(examples(4, 2)):  # more threads, more turns: each import may come in the midst of another's write
        together(*[lambda seed=seed: work(seed) for seed in range(8)])
    assert set(base.tolist()) <= set(map(float, range(8)))


def test_views_written_by_several_threads():
    x = weft.array(np.zeros(1000))

    def work(k):
        for i in range(100):
            view = x[k::4]
            view[...] = float(i)
            assert (np.asarray(view.tolist()) == i).all()

    together(*[lambda k=k: work(k) for k in range(4)])


def test_a_writer_waits_for_readers_of_visible_memory_and_readers_for_writers():
    a = np.zeros(100)
    with access.pinned((a,)), access.pinned((), (np.zeros(3),)):  # of one thread: nothing waits for itself
        assert access.WRITERS.epoch is None
        got = []
        t = threading.Thread(target=lambda: (weft.asarray(a).__setitem__(0, 1.0), got.append(1)), daemon=True)
        t.start()
        t.join(0.15)
        assert not got and a[0] == 0
    t.join(30)
    assert got and a[0] == 1 and access.WRITERS.epoch is not None


def test_what_an_exception_left_pinned_goes_with_it():
    a = np.zeros(3)
    access.pinned((), (a,)).__enter__()  # the object is gone at once, as after an interruption
    done = []
    t = threading.Thread(target=lambda: (weft.asarray(a).__setitem__(0, 1.0), done.append(1)), daemon=True)
    t.start()
    t.join(30)
    assert done


class Alarm:
    """`with Alarm(seconds):` KeyboardInterrupt after some time."""

    timer, number = signal.ITIMER_REAL, signal.SIGALRM

    def __init__(self, seconds):
        self.seconds = seconds

    def __enter__(self):
        def ring(*_):
            raise KeyboardInterrupt

        self.before = signal.signal(self.number, ring)
        signal.setitimer(self.timer, self.seconds)
        return self

    def __exit__(self, *_):
        signal.setitimer(self.timer, 0)
        signal.signal(self.number, self.before)


class AlarmOfWork(Alarm):
    """The same after some time of the processor, whatever else the machine does."""

    timer, number = signal.ITIMER_PROF, signal.SIGPROF


def dear(x):
    return weft.sin(weft.exp(x) * 3 + weft.cos(x)) + weft.pow(x, 1.5) + weft.tan(x) + weft.acosh(x + 1)


LONG = {
    "map": lambda x: dear(x),
    "reduction": lambda x: dear(x).sum(),
    "columns": lambda x: weft.sum(weft.reshape(dear(x), (-1, 10_000)), axis=0),
    "softmax": lambda x: (e := weft.exp(dear(weft.reshape(x, (-1, 10_000))))) / weft.sum(e, axis=1, keepdims=True),
}


@pytest.mark.parametrize(("how", "threads"), in_turn(LONG, [1, 2], every=2))
def test_an_interrupt_ends_a_long_kernel_soon_and_leaves_all_as_it_was(how, threads):
    n = 20_000_000
    x = weft.array(np.linspace(0, 1, n))
    before = weft.get_num_threads()
    weft.set_num_threads(threads)
    try:
        LONG[how](x).realize()  # compiled
        begin = time.process_time()
        LONG[how](x).realize()
        whole, spent = time.process_time() - begin, []
        for _ in range(3):
            y = LONG[how](x)
            begin = time.process_time()
            with pytest.raises(KeyboardInterrupt), AlarmOfWork(whole / 4):
                y.realize()
            spent.append(time.process_time() - begin)
            assert node_of(y).value is None and x[:2].tolist() == [0.0, 1 / (n - 1)]
            if spent[-1] < whole * 3 / 4:
                break
        assert min(spent) < whole * 3 / 4
    finally:
        weft.set_num_threads(before)
    assert np.isfinite(weft.reshape(y, (-1,))[:1].item() if how == "map" else 1.0)


# CPython drops an interrupt that comes inside a callback of the collector (Hypothesis has one), and reports it so.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("make", [lambda n: weft.zeros(n).realize(), lambda n: weft.asarray(np.zeros(n))])
def test_an_interrupted_write_is_whole_or_not_at_all(make):
    n = 3_000_000
    value = dear(weft.array(np.full(n, 0.5)))
    value[:10].numpy()
    wanted = value[0].item()
    for wait in (0.001, 0.01, 0.03, 0.06):
        x = make(n)
        try:
            with Alarm(wait):
                x[...] = value + 0.0
        except KeyboardInterrupt:
            pass
        assert set(np.unique(x.numpy()).tolist()) in ({0.0}, {wanted})


# An interrupt inside the constructor of one of llvmlite's objects makes that object's destructor complain.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_interrupts_anywhere_leave_values_and_locks_in_order():
    rng = np.random.default_rng(5)
    shared, n, interrupted = np.arange(500.0), 500, 0
    for turn in range(300):
        own = weft.array(np.arange(float(n)))
        x = (own, weft.asarray(shared))[turn % 2]
        old = np.array(x.tolist())
        pending = x * 3
        try:
            with Alarm(float(rng.random()) * (1e-4, 1e-3, 5e-3)[turn % 3]):
                if turn % 5 == 0:
                    x += 1
                elif turn % 5 == 1:
                    x[::2] = x[1::2]
                elif turn % 5 == 2:
                    x[[5, 3]] = x[[3, 5]]
                elif turn % 5 == 3:
                    x[1:] *= 2
                else:
                    weft.concat([x * float(turn), weft.flip(x)[turn:]]).numpy()
        except KeyboardInterrupt:
            interrupted += 1
        new = old.copy()
        if turn % 5 == 0:
            new += 1
        elif turn % 5 == 1:
            new[::2] = new[1::2]
        elif turn % 5 == 2:
            new[[5, 3]] = new[[3, 5]]
        elif turn % 5 == 3:
            new[1:] *= 2
        got = np.array(x.tolist())
        assert np.array_equal(got, new) or np.array_equal(got, old)
        assert np.array_equal(np.array(pending.tolist()), old * 3)
        shared[...] = np.arange(500.0)
    assert interrupted

    def other():
        for lock in (engine.GRAPH, access._LOCK):
            assert lock.acquire(timeout=5)
            lock.release()
        weft.asarray(shared)[...] = 1.0

    together(other)
    assert shared[0] == 1


def test_in_place_lines_are_known():
    x = weft.arange(3) * 1
    x += 1
    assert line_of(node_of(x)).startswith(__file__)


def run(script):
    code = textwrap.dedent(script)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_children_compute_whatever_their_parents_threads_did():
    done = run("""
        import os, signal, threading, time, warnings
        import numpy as np, weft
        warnings.simplefilter("ignore")
        weft.set_num_threads(2)
        a = weft.array(np.arange(1e6))
        (weft.sin(a) + a).numpy()
        shared = np.zeros(1_000_000)
        x, stop = weft.asarray(shared), []
        def busy():
            i = 0
            while not stop:
                x[...] = float(i)
                (weft.cos(a) + float(i)).sum().item()
                weft.asarray(np.zeros(10))
                i += 1
        threads = [threading.Thread(target=busy) for _ in range(2)]
        for t in threads: t.start()
        for _ in range(10):
            time.sleep(0.01)
            child = os.fork()
            if child == 0:
                signal.alarm(30)
                b = weft.array(np.arange(1e6))
                total = (weft.sin(b) * weft.sin(b) + weft.cos(b) * weft.cos(b)).sum().item()
                y = weft.asarray(np.zeros(1000))
                y += 1
                part = weft.asarray(shared[:10])
                part[...] = 3.0
                (a * 3 + weft.tanh(a)).numpy()
                os._exit(0 if abs(total - 1e6) < 1e-3 and y.sum().item() == 1000 and shared[3] == 3 else 1)
            assert os.waitpid(child, 0)[1] == 0
        stop.append(1)
        for t in threads: t.join()
    """)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory limits are the system's")
def test_out_of_memory_is_an_error_after_which_all_goes_on():
    done = run("""
        import gc, resource
        import numpy as np, weft
        from weft.errors import OutOfMemory
        from weft.runtime.allocator import POOL
        w = weft.array(np.arange(10.0))
        (w * 2 + weft.sin(w)).sum().item(); weft.sort(w).numpy(); (w * 2).numpy(); w[0] = 1
        weft.concat([w] * 3).numpy(); weft.sort(weft.concat([w, w])).numpy()
        big = weft.array(np.ones(5_000_000)); (big * 2).sum().item(); (big * 2).numpy(); del big
        used = int(open("/proc/self/statm").read().split()[0]) * 4096
        resource.setrlimit(resource.RLIMIT_AS, (used + (300 << 20),) * 2)
        def fails(f):
            try:
                f()
            except OutOfMemory as e:
                assert "the system has no such memory left" in str(e), e
            else:
                raise AssertionError("no error")
        x = weft.ones((10_000_000,)).realize()
        fails(lambda: (weft.ones((100_000_000,)) * 2).numpy())
        fails(lambda: weft.concat([x] * 10).numpy())
        fails(lambda: [(x + float(i)).realize() for i in range(10)].clear())
        fails(lambda: weft.sort(weft.concat([x, x])).numpy())
        assert (x * 2).sum().item() == 2e7
        y, keep = weft.concat([x, x * 2]), []
        POOL.drop()
        try:
            while True: keep.append(np.ones(1_000_000))
        except MemoryError: pass
        fails(lambda: x.__setitem__(0, 5.0))
        del keep; gc.collect()
        assert x[0].item() == 1 and y[0].item() == 1
        x[0] = 5.0
        assert x[0].item() == 5 and y[:1].item() == 1
        x += 1
        assert x[:2].tolist() == [6, 2]
    """)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_fork_waits_for_a_kernel_that_another_thread_compiles():
    done = run("""
        import os, signal, threading, time, warnings
        import weft
        from weft.backends.llvm.jit import jit
        warnings.simplefilter("ignore")
        compiling, compile_text = threading.Event(), jit.compile_text
        def slowly(text):
            compiling.set()
            time.sleep(0.2)
            return compile_text(text)
        class NothingKept:
            load = store = staticmethod(lambda *args: None)
        jit.compile_text, jit.disk_cache = slowly, NothingKept
        worker = threading.Thread(target=lambda: (weft.arange(5) * 3 + 2).numpy())
        worker.start()
        compiling.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            os._exit(0 if weft.arange(1000.0).sum().item() == 499500 else 1)
        worker.join()
        assert os.waitpid(child, 0)[1] == 0
    """)
    assert done.returncode == 0, done.stderr


def _put(y, x):
    y[list(range(22))] = x
    return y.tolist()


def _assigned(y, x):
    weft.assign(weft.take(y, weft.asarray([*range(22), 0])), weft.concat([x, x[:1]]), last_wins=True)
    return y.tolist()


def _saved(x):
    with tempfile.TemporaryDirectory() as folder:
        weft.save(os.path.join(folder, "x.npy"), x)
        return np.load(os.path.join(folder, "x.npy")).tolist()


@pytest.mark.parametrize(
    "look",
    [
        lambda x: x.tolist(),
        lambda x: [x[0].item()] * 22,
        lambda x: [int(x[0])] * 22,
        lambda x: weft.nonzero(x - 6)[0].tolist() and [7] * 22,
        lambda x: pickle.loads(pickle.dumps(x)).tolist(),
        lambda x: weft.device("thread", 0)(x).tolist(),
        lambda x: weft.arange(16)[x].tolist(),
        lambda x: weft.take(weft.arange(16), x).tolist(),
        lambda x: [weft.arange(16)[x[0]].item()] * 22,
        lambda x: weft.arange(22)[x == 7].tolist() and [7] * 22,
        lambda x: [int(v) for v in str(x).strip("[]").split()],
        lambda x: weft.unique_values(x).tolist() * 22,
        lambda x: weft.asarray([x, x]).tolist()[1],
        lambda x: weft.asarray([list(x), list(x)]).tolist()[1],
        lambda x: weft.variable(lambda shape: x, shape=(22,)).tolist(),
        lambda x: x[weft.find(weft.astype(x, weft.bool))].tolist(),
        lambda x: _put(weft.zeros(22, dtype=weft.int32), x),
        lambda x: _assigned(weft.zeros(22, dtype=weft.int32), x),
        lambda x: _saved(x),
    ],
    ids=[
        *("tolist", "item", "int", "nonzero", "pickle", "transfer", "key", "take", "position", "mask", "text"),
        *("unique", "nest", "deep nest", "variable", "find", "positions", "cells", "save"),
    ],
)
@pytest.mark.parametrize("own", [False, True], ids=["view", "value"])
@pytest.mark.parametrize("pins", [False, True], ids=["without pins", "with pins"])
def test_what_is_swapped_just_before_it_is_read_keeps_its_value(look, own, pins, monkeypatch):
    s = weft.storage(64, weft.int32)
    s[...] = 7
    x = s.tensor((64,))[::3]
    x = wrap(node_of(x)) if own else x  # a value of its own, whose expression is a view
    wait, late = access.pinned.__enter__, []

    def swap():
        if not late:
            late.append(threading.Thread(target=s.byteswap))
            late[0].start()
            late[0].join()

    def swapped_first(self):
        swap()
        return wait(self)

    class Epochs:
        kept = access.WRITERS

        @property
        def epoch(self):
            before = None if pins else self.kept.epoch
            if not pins:
                swap()
            return before

        @epoch.setter
        def epoch(self, made):
            self.kept.epoch = made

    monkeypatch.setattr(access, "WRITERS", Epochs())
    monkeypatch.setattr(cell_values, "WRITERS", access.WRITERS)
    monkeypatch.setattr(access.pinned, "__enter__", swapped_first if pins else wait)
    assert look(x) == [7] * 22
    assert late


def test_the_reference_reads_what_is_swapped_just_before(monkeypatch):
    s = weft.storage(64, weft.int32)
    s[...] = 7
    x = s.tensor((64,))[::3] + 0
    wait, late = access.pinned.__enter__, []

    def swapped_first(self):
        if not late:
            late.append(threading.Thread(target=s.byteswap))
            late[0].start()
            late[0].join()
        return wait(self)

    monkeypatch.setattr(access.pinned, "__enter__", swapped_first)
    with weft.transformer("reference"):
        assert x.tolist() == [7] * 22
    assert late


def test_storages_are_resized_swapped_and_written_while_others_read():
    s = weft.storage(64, weft.int32)
    s[...] = 7
    errors, stop = [], threading.Event()

    def reading():
        while not stop.is_set():
            try:
                x = s.tensor((64,))
                seen = set((x + 1).tolist()) | set(x[::3].tolist())
                assert seen <= {7, 8}, seen
            except Exception as error:
                errors.append(error)
                return

    readers = [threading.Thread(target=reading) for _ in range(3)]
    for t in readers:
        t.start()
    try:
        for i in range(60):
            with contextlib.suppress(WriteError):  # a program that reads the memory may hold it where it is
                s.resize(256 + 64 * (i % 5))
            s.byteswap()
            s.tensor((64,))[i % 64] = 7
    finally:
        stop.set()
        for t in readers:
            t.join()
    assert not errors and s.tensor((64,)).tolist() == [7] * 64


def _added(a, value):
    a += value


@pytest.mark.parametrize(
    "write",
    [
        lambda a: a.__setitem__(slice(0, 4), 1),
        lambda a: a.__setitem__([0, 1, 2, 3], [1, 1, 1, 1]),
        lambda a: _added(a[:4], 1),
        lambda a: weft.assign(weft.concat([a[:2], a[2:4]]), [1, 1, 1, 1]),
        lambda a: weft.assign(weft.take(a, weft.asarray([0, 1, 2, 3, 0])), [5, 1, 1, 1, 1], last_wins=True),
    ],
    ids=["slice", "positions", "in place", "tree", "cells"],
)
def test_no_write_is_lost_to_another_in_the_same_memory(write, monkeypatch):
    s = weft.storage(8, weft.int32)
    a, b = s.tensor(), s.tensor()
    a[7] = b[6] = 9  # both have been written
    late = []

    def other_first(then):
        def called(*args):
            if not late:
                late.append(threading.Thread(target=b.__setitem__, args=(slice(4, None), 2)))
                late[0].start()
                late[0].join()
            return then(*args)

        return called

    monkeypatch.setattr(stages, "store", other_first(stages.store))
    monkeypatch.setattr(stages, "scatter", other_first(stages.scatter))
    for module in (index_writing, assigning):
        monkeypatch.setattr(module, "change", other_first(module.change))
    write(a)
    assert late
    assert s.tolist() == a.tolist() == b.tolist() == [1, 1, 1, 1, 2, 2, 2, 2]


def test_a_plan_is_made_of_what_its_key_was_taken_of(monkeypatch):
    x = weft.array([[[1.0], [2.0]]])  # of this shape no other test has a program of these operations
    inner = x * 3.25
    n, y = node_of(inner), inner - 7.5
    del inner
    read, late = stages.read_few, []

    def read_before(*args):
        found = read(*args)
        if not late:
            late.append(True)
            stages.compute([n])  # as another thread may, of which it is an output
        return found

    monkeypatch.setattr(stages, "read_few", read_before)
    assert y.tolist() == [[[-4.25], [-1.0]]] and late
    assert (x * 3.25 - 7.5).tolist() == [[[-4.25], [-1.0]]]
    assert (x * 2.0 - 1.0).tolist() == [[[1.0], [3.0]]]
