"""Streams and events: order within and across streams, errors of work, races."""

import contextlib
import random
import threading
import warnings

import numpy as np
import pytest

import weft
from weft.errors import DTypeError, RaceError, ValueRangeError
from weft.runtime.devices.stream import Cells
from weft.tensors.tensor import node_of


@pytest.fixture(scope="module")
def d():
    return weft.device("thread", 0)


@pytest.fixture(scope="module")
def shuffled():
    """A device that does what is ready in random order."""
    found = weft.device("thread", 30)
    found.shuffle = random.Random(5)
    return found


class Gate:
    """Work that waits until it is let go."""

    def __init__(self, stream):
        self.open = threading.Event()
        self.event = stream.submit(lambda: self.open.wait(30))


def stream_of(x):
    n = node_of(x.realize())
    return (n if n.alias is None else n.alias[0]).value.uses.stream


def test_streams_have_a_device_and_an_identity(d):
    a, b = d.create_stream(), weft.Stream("thread:0")
    assert a != b and a.device is d is b.device and weft.cpu.create_stream().device is weft.cpu
    assert "thread:0" in repr(a)


def test_every_value_has_a_stream_of_its_own(d):
    x, y = d([1, 2]), d([3, 4])
    assert stream_of(x) is not stream_of(y) and stream_of(x[1:]) is stream_of(x) and stream_of(x).device is d
    d.default_stream = d.create_stream()
    try:
        x, y = d([1, 2]), d([3, 4])
        assert stream_of(x) is stream_of(y) is stream_of(x + y) is d.default_stream
    finally:
        d.default_stream = None
    with d.create_stream() as s:
        assert stream_of(d([1, 2]) * 2) is s
    assert stream_of(d([1, 2]) * 2) is not s
    with pytest.raises(ValueRangeError, match="a stream serves its own device"):
        d.default_stream = weft.cpu.create_stream()


def test_the_host_works_at_once():
    seen = []
    s = weft.cpu.default_stream
    e = s.submit(lambda: seen.append(1))
    assert seen == [1] and e.done and s is weft.cpu.default_stream and s.record().done
    with pytest.raises(ZeroDivisionError):
        s.submit(lambda: 1 / 0)
    s.sync()


def test_a_stream_keeps_its_order(shuffled):
    seen, s = [], shuffled.create_stream()
    for k in range(50):
        s.submit(lambda k=k: seen.append(k))
    s.sync()
    assert seen == list(range(50)) and s.record().done


def test_values_are_attached_before_they_are_there(d):
    s = d.create_stream()
    gate = Gate(s)
    x = d(np.arange(3.0))
    with s:
        y = (x + 1).realize()
    value = node_of(y).value
    assert type(value) is Cells and not value.uses.write.done and not gate.event.done
    z = (y * 2).sum()
    gate.open.set()
    assert z.item() == 12.0 and gate.event.done and value.uses.write.done
    assert y.sync() is y


def test_work_on_other_streams_waits_for_what_it_reads(shuffled):
    for _ in range(20):
        a = shuffled(np.arange(5.0))
        b = (a * 2).realize()
        c = (b + a).realize()
        a[1:] = 0
        assert (c.tolist(), a.tolist(), b.tolist()) == ([0, 3, 6, 9, 12], [0, 0, 0, 0, 0], [0, 2, 4, 6, 8])


def test_an_event_is_a_point_in_a_stream(d):
    s, other, seen = d.create_stream(), d.create_stream(), []
    gate = Gate(s)
    s.submit(lambda: seen.append("first"))
    e = s.record()
    other.wait(e)
    last = other.submit(lambda: seen.append("second"))
    assert not e.done and not last.done and "pending" in repr(e)
    gate.open.set()
    last.sync()
    assert seen == ["first", "second"] and e.done and "done" in repr(e)


def test_run_calls_a_function_on_the_memory(d):
    x, y = d(np.arange(4.0)), weft.zeros(4, device=d)
    before = y + 0

    def twice(a, out):
        assert not a.flags.writeable
        np.multiply(a, 2, out=out)

    e = d.create_stream().run(twice, reads=[x], writes=[y])
    assert y.tolist() == [0, 2, 4, 6] and e.done and before.tolist() == [0, 0, 0, 0]
    with pytest.raises(ValueRangeError, match="run: a tensor on cpu on <stream"):
        d.create_stream().run(twice, reads=[weft.zeros(2)])


# ---- errors


def failing(d, kind=ValueError):
    x = d(np.arange(3.0))

    def fail(a):
        raise kind("no luck")

    d.create_stream().run(fail, writes=[x])
    return x


def test_an_error_comes_with_every_look_and_spreads_to_what_reads_the_memory(d):
    x = failing(d)
    y = x + 1
    for look in (x.tolist, y.numpy, lambda: y.sum().item(), x.sync, lambda: str(x)):
        with pytest.raises(ValueError, match=r"no luck \(while computing fail\)"):
            look()
    assert d([1, 2]).tolist() == [1, 2]  # the device goes on
    d.sync()  # it has been seen


def test_an_error_that_was_not_raised_yet_is_raised_by_sync(d):
    failing(d)
    with pytest.raises(ValueError, match="no luck"):
        d.sync()
    d.sync()
    s = d.create_stream()
    s.submit(lambda: 1 / 0, what="a division")
    with pytest.raises(ZeroDivisionError, match=r"division by zero \(while computing a division\)"):
        s.sync()
    s.sync()
    assert failing(d, MemoryError) is not None
    with pytest.raises(MemoryError):
        d.sync()


def test_an_error_names_the_line_that_built_the_node(d, monkeypatch):
    from weft.runtime.compute.program import Program

    def run(self, *arguments):
        raise MemoryError("no room")

    x = d(np.arange(3.0)).sync()
    y = weft.exp(x)
    with monkeypatch.context() as m:
        m.setattr(Program, "run", run)
        y.realize()
        d.drain()
    with pytest.raises(MemoryError, match=r"no room \(while computing exp, built at .*test_stream.py:\d+\)"):
        y.numpy()


def test_work_that_waits_for_its_own_device_is_refused(d):
    s = d.create_stream()
    later = []
    s.submit(lambda: later.append(d.create_stream().submit(lambda: None).wait()))
    with pytest.raises(ValueRangeError, match="waits for other work of its own device"):
        s.sync()


def test_tensors_of_a_call_are_in_a_list(d):
    x = weft.zeros((2, 3), device=d)
    for given in ({"reads": x}, {"writes": x}, {"reads": 3}):
        with pytest.raises(DTypeError, match="it has the tensors that are used; give a list"):
            d.create_stream().run(lambda *arrays: None, **given)


def test_work_that_would_wait_for_itself_on_the_host_is_refused():
    s = weft.cpu.create_stream()
    for submit in (lambda: s.submit(lambda: None), lambda: weft.cpu.create_stream().submit(lambda: s.record().wait())):
        with pytest.raises(ValueRangeError, match="work on cpu waits for other work of its own device"):
            s.submit(submit)
    assert s.submit(lambda: weft.cpu.create_stream().submit(lambda: None)).done and s.record().done


def test_work_of_the_host_that_is_interrupted_before_it_begins_keeps_its_turn(d, monkeypatch):
    gate, s, seen = Gate(d.create_stream()), weft.cpu.create_stream(), []
    s.wait(gate.event)

    def interrupted(reached, device):
        raise KeyboardInterrupt

    with monkeypatch.context() as m:
        m.setattr("weft.runtime.devices.stream.until", interrupted)
        with pytest.raises(KeyboardInterrupt):
            s.submit(lambda: seen.append("never"), what="a step")
    last = s.record()
    assert not last.done
    gate.open.set()
    s.submit(lambda: seen.append("next"))
    assert gate.event.done and seen == ["next"]
    with pytest.raises(RuntimeError, match="a step: interrupted before it was under way; it was not done; do it again"):
        last.sync()


def test_an_interrupted_submission_leaves_no_work_waiting(d, monkeypatch):
    def cut(self, task):
        raise KeyboardInterrupt

    x = d(np.arange(3.0)).sync()
    with monkeypatch.context() as m:
        m.setattr(type(d), "ready", cut)
        with pytest.raises(KeyboardInterrupt):
            d.create_stream().run(lambda a: None, writes=[x])
    d.sync()
    assert d.under_way == 0
    with pytest.raises(RuntimeError, match="interrupted before it was under way"):
        x.tolist()


def test_work_whose_description_fails_does_not_end_the_worker(d):
    class Odd:
        def __str__(self):
            raise ValueError("no name")

    s = d.create_stream()
    s.submit(lambda: 1 / 0, what=Odd())
    with pytest.raises(ZeroDivisionError):
        s.sync()
    assert d([1, 2]).tolist() == [1, 2]


def test_run_has_memory_that_is_read_and_written_as_one(d):
    x = d(np.arange(4.0)).sync()
    pending, view, seen = x + 1, x[1:], []
    d.create_stream().run(lambda a, out: (out.fill(7), seen.append(a.tolist())), reads=[view], writes=[x]).sync()
    assert seen == [[7.0, 7.0, 7.0]] and pending.tolist() == [1.0, 2.0, 3.0, 4.0]


# ---- races


def clean(d):
    x = d(np.zeros(2)).sync()
    d.sync()
    return x


def fill(a):
    a.fill(1)


def look(a):
    a.sum()


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (("writes", fill), ("writes", fill), "read or written by fill on <stream .*was written by fill"),
        (("writes", fill), ("reads", look), "read by look on .*was written by fill"),
        (("reads", look), ("writes", fill), "written by fill on .*was read by look"),
    ],
)
def test_races_are_found_however_the_work_happened_to_run(shuffled, first, second, words):
    x = clean(shuffled)
    s, t = shuffled.create_stream(), shuffled.create_stream()
    with weft.race_detector(), weft.automatic_waits(False):
        s.run(first[1], **{first[0]: [x]})
        with pytest.raises(RaceError, match=words):
            t.run(second[1], **{second[0]: [x]})
        t.wait(s.record())
        t.run(second[1], **{second[0]: [x]}).sync()
        shuffled.create_stream().run(look, reads=[x])  # the host has waited
    with weft.race_detector():
        s.run(first[1], **{first[0]: [x]})
        t.run(second[1], **{second[0]: [x]})  # automatic waits order everything
    shuffled.sync()


def test_two_readers_are_no_race(d):
    x = clean(d)
    seen = []
    with weft.race_detector(), weft.automatic_waits(False):
        for _ in range(3):
            d.create_stream().run(lambda a: seen.append(a.size), reads=[x])
    d.sync()
    assert seen == [x.size] * 3


def test_pending_operands_are_computed_on_the_stream_of_the_work(d):
    """Values that are still pending are computed on the stream of the work, which events then order too."""
    s, t = d.create_stream(), d.create_stream()
    with weft.race_detector(), weft.automatic_waits(False):
        out, x = weft.zeros(4, device=d), weft.ones(4, device=d) * 2
        s.run(lambda x, out: np.add(out, x, out=out), reads=[x], writes=[out])
        t.wait(s.record())
        t.run(lambda out: np.multiply(out, 5, out=out), writes=[out])
        d.sync()
    assert out.tolist() == [10.0] * 4


def test_order_goes_through_a_third_stream(d):
    x = clean(d)
    a, b, c = (d.create_stream() for _ in range(3))
    with weft.race_detector(), weft.automatic_waits(False):
        b.wait(a.run(fill, writes=[x]))
        c.wait(b.submit(lambda: None))
        c.run(fill, writes=[x]).sync()
    with weft.race_detector("warn"), weft.automatic_waits(False), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        a.run(fill, writes=[x])
        b.run(fill, writes=[x])
    assert len(seen) == 1 and "nothing orders the two" in str(seen[0].message)
    with pytest.raises(ValueRangeError, match="reports are 'raise' and 'warn'"), weft.race_detector("tell"):
        pass


def test_a_wait_for_a_device_is_ordered_after_its_work(d):
    x = clean(d)
    with weft.race_detector(), weft.automatic_waits(False):
        d.create_stream().run(fill, writes=[x])
        d.sync()
        d.create_stream().run(fill, writes=[x])
        weft.device("thread:31").sync()
        with pytest.raises(RaceError):
            d.create_stream().run(fill, writes=[x])
    d.sync()


def test_memory_that_only_weft_knows_is_always_waited_for():
    picky = weft.device("thread:32", requires_aligned_data=True)
    picky.shuffle = random.Random(3)
    x, raw = picky(np.arange(1000.0)).sync(), np.zeros(8001, np.uint8)[1:].view(np.float64)
    raw[:] = 5
    unaligned = picky.create_stream()
    for detector in (contextlib.nullcontext(), weft.race_detector()):
        with detector, weft.automatic_waits(False):
            for k in range(30):
                with picky.create_stream():
                    y = (x + k).sync()
                    assert y[::2].to("cpu").numpy()[1] == 2 + k  # packed on the way
                    z = weft.asarray(raw, device=picky).sync()
                    assert (z * 2).sync().tolist()[0] == 10
                    before = y + 1
                    unaligned.wait(picky.create_stream().run(fill, writes=[y]))  # the old version is copied
                    unaligned.run(look, reads=[y]).sync()
                    assert before.sync()[3].item() == 4 + k
    picky.sync()


def test_ordinary_programs_have_no_race(shuffled):
    rng = random.Random(3)
    with weft.race_detector():
        values = [shuffled(np.arange(6.0)) for _ in range(3)]
        plain = [np.arange(6.0) for _ in range(3)]
        for _ in range(60):
            i, j = rng.randrange(3), rng.randrange(3)
            match rng.randrange(4):
                case 0:
                    values[i], plain[i] = values[i] + values[j] / 2, plain[i] + plain[j] / 2
                case 1:
                    values[i][1:4], plain[i][1:4] = values[j][2:5], plain[j][2:5].copy()
                case 2:
                    values[i] *= values[j][::-1]
                    plain[i] = plain[i] * plain[j][::-1]
                case 3:
                    values[i] = weft.cumulative_sum(values[j]).realize() % 7
                    plain[i] = np.cumsum(plain[j]) % 7
        assert [v.tolist() for v in values] == [p.tolist() for p in plain]
