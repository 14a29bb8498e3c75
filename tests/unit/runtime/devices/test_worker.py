"""The thread device as a whole: forks, exits, interruptions, many threads, work that is under way."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from traceback import walk_stack

import numpy as np
import pytest

import weft
from weft.runtime.devices import worker


@pytest.fixture(scope="module")
def d():
    return weft.device("thread", 0)


def script(text, *, code=0, timeout=60):
    """Return the output of a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=timeout
    )
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


def test_an_interpreter_ends_with_work_under_way():
    out, err = script(
        """
        import threading, time, numpy as np, weft
        d = weft.device("thread", 0)
        x = d(np.zeros(3))
        gate = threading.Event()
        def slow(a):
            gate.wait(30)
            time.sleep(0.1)
            a.fill(1)
            print("done", flush=True)
        d.create_stream().run(slow, writes=[x])
        y = [(x + k).realize() for k in range(20)]
        print("end", flush=True)
        gate.set()
        """
    )
    assert out.split() == ["end", "done"] and not err


def test_devices_work_while_the_interpreter_ends():
    out, err = script(
        """
        import atexit, numpy as np, weft
        @atexit.register
        def last():
            d, e = weft.device("thread:0"), weft.device("thread:1")
            x = d(np.arange(3.0))
            y = e(x) + 1
            print((x + y.to(d)).tolist(), (used + 1).tolist(), flush=True)
            e.create_stream().run(lambda a: print("ran", flush=True), reads=[y])
        used = weft.device("thread:2")([1, 2]).sync()
        """
    )
    assert out.split("\n") == ["[1.0, 3.0, 5.0] [2, 3]", "ran", ""] and not err


def test_an_error_that_was_never_raised_is_reported_at_the_end():
    _, err = script(
        """
        import weft
        d = weft.device("thread", 0)
        d.create_stream().submit(lambda: 1 / 0, what="a division")
        """
    )
    assert "work on thread:0 failed, and nobody looked: division by zero (while computing a division)" in err


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_child_has_its_own_worker_and_goes_on_with_what_waits():
    out, _ = script(
        """
        import os, threading, time, warnings, numpy as np, weft
        warnings.simplefilter("ignore")
        d = weft.device("thread", 0)
        x = d(np.arange(4.0)).sync()
        gate = threading.Event()
        s = d.create_stream()
        held = s.submit(lambda: time.sleep(0.2))
        with s:
            y = (x * 2).realize()      # waits in the stream when the fork comes
        child = os.fork()
        values = (y + x).tolist(), (x.to("cpu") + 1).tolist(), d([1, 2]).sum().item()
        assert values == ([0.0, 3.0, 6.0, 9.0], [1.0, 2.0, 3.0, 4.0], 3), values
        d.sync()
        if child:
            assert os.waitpid(child, 0)[1] == 0
            print("both")
        else:
            os._exit(0)
        """
    )
    assert out.split() == ["both"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_work_that_a_fork_cuts_has_failed_in_the_child():
    out, _ = script(
        """
        import os, threading, warnings, numpy as np, weft
        from weft.runtime import fork_safety as forks
        warnings.simplefilter("ignore")
        forks.PATIENCE = 0.1
        d = weft.device("thread", 0)
        x = d(np.arange(4.0)).sync()
        begun, gate = threading.Event(), threading.Event()
        def stuck(a):
            begun.set()
            gate.wait(20)
        d.create_stream().run(stuck, writes=[x])
        begun.wait(20)
        child = os.fork()
        if child == 0:
            try:
                x.tolist()
            except RuntimeError as error:
                assert "stuck: a fork came while it ran" in str(error), error
                assert d([1, 2]).tolist() == [1, 2]
                os._exit(0)
            os._exit(1)
        gate.set()
        assert x.tolist() == [0.0, 1.0, 2.0, 3.0]
        assert os.waitpid(child, 0)[1] == 0
        print("both")
        """
    )
    assert out.split() == ["both"]


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals go to the main thread")
def test_waiting_can_be_interrupted(d, interruptible):
    gate = threading.Event()
    s = d.create_stream()
    s.submit(lambda: gate.wait(60))
    with s:
        x = (d(np.arange(3.0)) + 1).realize()
    main = threading.main_thread().ident

    def interrupt():
        while weft.Tensor.sync.__code__ not in [f.f_code for f, _ in walk_stack(sys._current_frames()[main])]:
            time.sleep(0.001)
        time.sleep(0.1)
        signal.pthread_kill(main, signal.SIGINT)

    watcher = threading.Thread(target=interrupt)
    watcher.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            x.sync()
    finally:
        watcher.join()
        gate.set()
    assert x.tolist() == [1.0, 2.0, 3.0]


def test_many_threads_use_one_device(d):
    x = d(np.arange(100.0))
    errors = []

    def work(k):
        try:
            own = d(np.full(100, float(k)))
            for _ in range(20):
                own += x[::-1]
                own[: k + 1] = x[: k + 1]
                assert (own - own).sum().item() == 0.0
            values = np.full(100, float(k))
            for _ in range(20):
                values += np.arange(100.0)[::-1]
                values[: k + 1] = np.arange(k + 1.0)
            assert own.tolist() == values.tolist()
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert not errors


def test_threads_may_write_what_others_read(d):
    x = d(np.zeros(50))
    stop, errors = threading.Event(), []

    def reader():
        try:
            while not stop.is_set():
                values = (x + 0).numpy()
                assert (values == values[0]).all()
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=reader) for _ in range(3)]
    for t in threads:
        t.start()
    for k in range(100):
        x[...] = float(k)
    stop.set()
    for t in threads:
        t.join(60)
    assert not errors and x.tolist() == [99.0] * 50


def test_bytes_of_submitted_work_are_bounded(d, monkeypatch):
    monkeypatch.setattr(worker, "UNDER_WAY", 4)
    most = 0
    s = d.create_stream()
    x = d(np.arange(3.0))
    for _ in range(30):
        s.run(lambda a: time.sleep(0.001), reads=[x])
        most = max(most, d.under_way)
    s.sync()
    assert 1 <= most <= 5


def test_the_bytes_that_work_under_way_is_to_fill_are_bounded(d, monkeypatch):
    monkeypatch.setattr(worker, "BYTES_UNDER_WAY", 4 * 8000)
    s, most = d.create_stream(), 0
    x = d(np.arange(1000.0)).sync()
    with s:
        for _ in range(30):
            s.run(lambda: time.sleep(0.001))
            y = (x + 1).realize()
            y += 1  # fills nothing new
            y.realize()
            most = max(most, d.bytes_under_way)
    assert 8000 <= most <= 5 * 8000
    s.sync()
    with s:
        s.run(lambda: 1 / 0)
        z = (y * 2).realize()
    with pytest.raises(ZeroDivisionError):
        s.sync()
    assert d.bytes_under_way == d.under_way == 0 and z.shape == (1000,)


def test_the_reference_computes_on_devices_too(d):
    x = d(np.arange(6.0).reshape(2, 3))
    with weft.transformer("reference"):
        y = (weft.exp(x) + x.T.T).sum(axis=0)
        assert y.device is d
        expected = y.numpy()
    assert np.allclose(expected, (np.exp(np.arange(6.0)) + np.arange(6.0)).reshape(2, 3).sum(axis=0))
    with weft.eager():
        assert (x * 2).device is d and (x * 2).tolist() == [[0, 2, 4], [6, 8, 10]]


def test_memory_is_given_back(d):
    import gc

    from weft.runtime.devices.stream import Cells

    d.sync()
    gc.collect()
    before = sum(isinstance(o, Cells) for o in gc.get_objects())
    x = d(np.arange(1000.0))
    for _ in range(50):
        x = x + 1
    assert x[0].item() == 50.0
    del x
    d.sync()
    gc.collect()
    assert sum(isinstance(o, Cells) for o in gc.get_objects()) <= before + 3


def test_written_masks_and_tables_wait_their_turn(d):
    gate = threading.Event()
    x = d(np.arange(4.0))
    s = d.create_stream()
    s.run(lambda a: gate.wait(30), reads=[x])
    threading.Timer(0.1, gate.set).start()
    before = x + 0
    x[[0, 2]] = 7.0
    weft.assign(x[[1, 3]], [5.0, 6.0])
    x[x > 6.5] = -1.0
    host = weft.asarray([1.0, 2.0, 3.0, 4.0])
    host[...] = x * 2
    host[host < 0] = d(0.0)
    assert (x.tolist(), before.tolist()) == ([-1.0, 5.0, -1.0, 6.0], [0.0, 1.0, 2.0, 3.0])
    assert host.tolist() == [0.0, 10.0, 0.0, 12.0]


def test_trees_over_several_devices_are_written_through(d):
    a, b, c = weft.asarray([1.0, 2.0]), d([3.0, 4.0]), weft.device("thread", 1)([5.0, 6.0])
    tree = weft.concat([b, a, c])
    assert tree.device is d
    weft.assign(tree, [1.5, 2.5, 3.5, 4.5, 5.5, 6.5])
    assert (b.tolist(), a.tolist(), c.tolist()) == ([1.5, 2.5], [3.5, 4.5], [5.5, 6.5])
    assert tree.tolist() == [3.0, 4.0, 1.0, 2.0, 5.0, 6.0]
    again = weft.interleave([a, b], axis=0).realize()
    weft.assign(again[1:3], [0.0, -1.0])
    assert (a.tolist(), b.tolist()) == ([3.5, -1.0], [0.0, 2.5])


def test_gradients_cross_devices(d):
    x = weft.asarray([1.0, 2.0, 3.0]).requires_grad_()
    y = (x.to(d) * d([2.0, 3.0, 4.0])).sum()
    y.backward()
    assert y.device is d and x.grad.device is weft.cpu and x.grad.tolist() == [2.0, 3.0, 4.0]


def test_one_expression_moved_twice_gives_two_values(d):
    zeros = weft.zeros(3)
    a, b = zeros.to(d), zeros.to(d)
    weft.compute(a, b, zeros)
    a[0] = 5.0
    zeros[1] = 7.0
    assert (a.tolist(), b.tolist(), zeros.tolist()) == ([5.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 7.0, 0.0])
    x = weft.asarray([1.0, 2.0]) + 1
    many = [x.to(d), x.to(weft.device("thread", 1)), x.to(d), x]
    weft.compute(*many)
    many[0][0] = 9.0
    assert [m.tolist() for m in many] == [[9.0, 3.0], [2.0, 3.0], [2.0, 3.0], [2.0, 3.0]]
