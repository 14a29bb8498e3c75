"""Memory: what is dropped is given back, caches are bounded, blocks are reused, nothing grows with time."""

import gc
import tracemalloc
import types
import weakref

import numpy as np
import pytest

import weft
from weft.backends import cpu, program_tables
from weft.backends.llvm.jit.jit import loader
from weft.backends.program_tables import ProgramMemory
from weft.errors import OutOfMemory
from weft.ir.graph import description, node
from weft.runtime.compute import engine
from weft.runtime.memory import access, allocator
from weft.tensors import tensor


def resident():
    try:
        with open("/proc/self/statm", encoding="ascii") as f:
            return int(f.read().split()[1]) * 4096
    except OSError:
        pytest.skip("the system does not say how much memory is used")


def grown(f, times):
    """Python's bytes that running f so often adds."""
    for i in range(50):
        f(i)
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for i in range(times):
            f(i)
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


A, B = weft.array(np.arange(4.0)), weft.array(np.arange(4.0))
SHORT_LIVED = {
    "a pending sum": lambda i: A + B,
    "a view": lambda i: A[1:],
    "a list": lambda i: weft.asarray([1.0, 2.0]),
    "an import": lambda i: weft.asarray(np.zeros(3)),
    "a computed sum": lambda i: (A + B).tolist(),
    "a write": lambda i: A.__setitem__(1, float(i)),
    "a write through indices": lambda i: A.__setitem__([1, 2], float(i)),
    "an in-place addition": lambda i: A.__iadd__(1.0).realize(),
    "an import written": lambda i: weft.asarray(np.zeros(3)).__setitem__(0, 1.0),
}


@pytest.mark.parametrize("what", SHORT_LIVED)
def test_short_lived_tensors_leave_nothing(what):
    assert grown(SHORT_LIVED[what], 5000) < 40_000


def test_exports_are_noted_within_bounds():
    assert grown(lambda i: (A + B).numpy(), 3 * access.MAX_NOTED) < 200 * access.MAX_NOTED
    assert len(access.NOTED) <= access.MAX_NOTED
    kept = [(A + B).numpy() for _ in range(2 * access.MAX_NOTED)]
    assert len(access.NOTED) <= access.MAX_NOTED and kept[-1][1] == kept[0][1]


@pytest.mark.slow
def test_a_million_tensors_leave_nothing():
    for _ in range(1000):
        (A + B).numpy()
    gc.collect()
    before = resident()
    for _ in range(1_000_000):
        (A + B).numpy()
    gc.collect()
    assert resident() - before < 8 << 20


def test_caches_by_shape_are_bounded(monkeypatch):
    monkeypatch.setattr(node, "MAX_RESULTS", 30)
    monkeypatch.setattr(node, "RESULTS", {})
    monkeypatch.setattr(ProgramMemory, "limit", 0)
    program_tables.shrink()  # else programs of other tables, used earlier, make room for more than the bytes added
    assert ProgramMemory.nbytes == 0
    monkeypatch.setattr(ProgramMemory, "limit", loader.nbytes + (1 << 20))
    t = cpu.CpuTransformer()
    x = weft.array(np.zeros(200))
    with engine.using(t):
        for n in range(1, 100):
            (x[:n] * 2 + 1).sum().item()
            (x[:n] + x[:n]).tolist()
            weft.array(np.ones(n)).__add__(weft.array(np.ones(n))).tolist()
            x[:n] = float(n)
            assert ProgramMemory.nbytes + loader.nbytes <= ProgramMemory.limit
            assert len(node.RESULTS) <= 30
    assert len(t.programs) <= (1 << 20) // program_tables.OBJECTS
    assert x[:99].tolist() == [99.0] * 99


def test_unreferenced_descriptions_are_dropped(monkeypatch):
    x = weft.array(np.arange(6.0))
    view, y = x[1:], x * 2
    monkeypatch.setattr(description, "MOST_RECENT", 100)
    for n in range(200):
        weft.zeros(n + 1000).reshape((1, -1))
    assert len(description._RECENT) <= 100
    assert weft.array(np.arange(6.0)).description is x.description
    z = weft.array(np.arange(6.0)) + x
    x += 1
    x[0] = 7
    view -= 1
    assert x.tolist() == [7, 1, 2, 3, 4, 5] and y.tolist() == [0, 2, 4, 6, 8, 10] and z.tolist()[5] == 10


def test_large_blocks_come_back_when_their_last_export_goes(monkeypatch):
    monkeypatch.setattr(allocator, "POOL", allocator.Pool())  # to which nothing comes back that others left
    x = (weft.zeros(1 << 20) + 1).realize()
    a = x.numpy()[5:]
    del x
    gc.collect()
    assert allocator.POOL.kept == 0 and a[3] == 1
    del a
    gc.collect()
    kept = allocator.POOL.kept
    assert kept >= 8 << 20
    y = (weft.zeros(1 << 20) + 2).realize()
    assert allocator.POOL.kept == kept - allocator.size_class(8 << 20) and y[-1].item() == 2


def test_the_pool_is_given_back_before_an_allocation_fails(monkeypatch):
    monkeypatch.setattr(allocator, "POOL", allocator.Pool())
    (weft.zeros(1 << 20) + 1).numpy()
    gc.collect()
    assert allocator.POOL.kept
    with pytest.raises(OutOfMemory, match=r"allocate: .* the system has no such memory left"):
        allocator.empty(np.dtype(np.float64), (1 << 50,))
    assert not allocator.POOL.kept


def test_a_computed_value_releases_its_expression():
    x = (weft.arange(100_000) * 1.5).realize()
    y = weft.exp(x) + 1
    gone = weakref.ref(tensor.node_of(x))
    del x
    assert gone() is not None
    y.realize()
    assert gone() is None


def test_long_loops_keep_two_versions_at_most():
    n = 1 << 17
    x = weft.zeros(n)
    for _ in range(50):
        x = x * 0.5 + 1
    x.realize()
    gc.collect()
    before = resident()
    for _ in range(2000):
        x = x * 0.5 + 1
    for _ in range(2000):
        x *= 0.5
        x += 1
    assert abs(x[0].item() - 2) < 1e-12 and resident() - before < 64 << 20


def test_large_blocks_go_without_code_of_python():
    x = (weft.zeros(1 << 18) + 1).realize()
    callbacks = [lent.__callback__ for lent in allocator._LENT.values()]
    assert callbacks and all(type(c) is types.BuiltinMethodType for c in callbacks)
    assert x[0].item() == 1


def test_the_pool_gets_back_the_blocks_lent_last(monkeypatch):
    monkeypatch.setattr(allocator, "POOL", allocator.Pool())  # to which nobody has lent before
    monkeypatch.setattr(allocator, "LENT_LIMIT", 5 << 20)
    kept = [(weft.zeros(1 << 18) + i).realize() for i in range(3)]  # of 2 MB each: two fit
    assert [x[-1].item() for x in kept] == [0, 1, 2]
    for x, pooled in ((0, 0), (1, 1), (2, 2)):
        kept[x] = None
        gc.collect()
        assert allocator.POOL.kept == pooled * allocator.size_class(2 << 20)
