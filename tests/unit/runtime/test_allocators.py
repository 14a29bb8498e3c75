"""Allocators: counts, limits, the path when there is no memory, memory shared between processes and in files."""

import gc
import os
import subprocess
import sys
import threading
import tracemalloc
import weakref

import numpy as np
import pytest

import weft
from weft.errors import OutOfMemory, ValueRangeError
from weft.runtime.memory import allocator, mapping

KINDS = {"heap": weft.Heap, "shared": lambda n: weft.SharedMemory(n), "files": lambda n: weft.FileMemory(name=n)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cells", [0, 1, 10, 1 << 18])
def test_every_byte_is_counted_and_comes_back_when_the_last_array_goes(kind, cells):
    mine = KINDS[kind]("mine")
    with weft.using_allocator(mine) as inside:
        assert inside is mine is weft.get_allocator()
        x = (weft.arange(cells) * 2).realize()
    assert weft.get_allocator().name == "heap"
    assert mine.in_use == mine.peak == 8 * cells and mine.allocations == 1 and mine.frees == 0
    export = x[1:].numpy()
    assert (x.storage.allocator is mine or not cells) and export.tolist() == list(range(2, 2 * cells, 2))
    del x
    assert mine.in_use == 8 * cells
    del export
    assert (mine.in_use, mine.peak, mine.frees) == (0, 8 * cells, 1)


@pytest.mark.parametrize("transformer", ["cpu", "reference"])
def test_all_that_a_block_computes_lies_in_its_allocator(transformer):
    mine = weft.Heap("mine")
    with weft.transformer(transformer), weft.using_allocator(mine):
        a = weft.asarray([1.0, 2.0, 3.0])
        values = [a + a, a.sum(), weft.sort(a), a @ a, weft.cumulative_sum(a), a > 2, weft.concat([a, a]), a.copy()]
        values = weft.compute(*values)
    assert [v.storage.allocator for v in values] == [mine] * len(values)
    del values, a
    assert mine.in_use == 0 and mine.allocations == mine.frees >= 8


def test_numbers_are_written_to_shared_memory_where_a_mask_is_true_without_more_memory():
    memory = np.arange(1000.0)
    x, mask, mine = weft.asarray(memory), weft.asarray(memory % 3 == 0), weft.Heap("mine")
    for number in (-1.0, 5.0):
        with weft.using_allocator(mine):
            x[mask] = number
        assert memory[:4].tolist() == [number, 1.0, 2.0, number]
    assert mine.peak < memory.nbytes


def test_an_interrupt_before_a_block_is_noted_does_no_harm_to_later_ones(monkeypatch):
    class Interrupted(dict):
        def __setitem__(self, key, value):
            raise KeyboardInterrupt

    mine = weft.Heap("mine")
    with monkeypatch.context() as patch:
        patch.setattr(allocator, "_LENT", Interrupted())
        with pytest.raises(KeyboardInterrupt) as caught:
            mine.memory(8)
        del caught
        gc.collect()
    kept = mine.memory(16)
    assert kept.nbytes == 16 and mine.allocations == 2


def test_a_bound_on_the_pool_frees_blocks_of_other_sizes_and_keeps_none_beyond_it():
    pool, large = allocator.Pool(), 8 * allocator.LARGE

    def lent(nbytes):
        found = allocator._Lent(allocator.Raw((1,), np.uint8))
        found.nbytes, found.raw = nbytes, pool.take(nbytes)
        pool.lend(found)
        return found

    with pool.bounded(2 * large):
        first, second = lent(large), lent(large)
        pool.give(first)
        pool.give(second)
        assert pool._kept == 2 * large
        third = lent(2 * large)
        assert pool._kept == 0 and not pool.free
        fourth = lent(large)  # more than the bound is no error: what is in use is in use
        pool.give(fourth)
        assert pool._kept == 0
        pool.give(third)
        assert pool._kept == 2 * large
    fifth = lent(large)
    assert pool._kept == 2 * large
    pool.give(fifth)
    assert pool._kept == 3 * large


def test_limits_are_kept_and_what_exceeds_them_names_the_largest_tensors():
    mine = weft.Heap("mine", limit=1000)
    with weft.using_allocator(mine):
        kept = (weft.zeros((10, 10), dtype=weft.float32) + 1).realize()
        line = sys._getframe().f_lineno - 1
        with pytest.raises(
            OutOfMemory, match=r"allocate: 800 bytes for shape \(100,\); mine has 400 of 1000 bytes"
        ) as error:
            (weft.arange(100) * 2).realize()
    assert f"float32[10, 10], 400 bytes, made at {__file__}:{line}" in str(error.value)
    mine.limit = None
    with weft.using_allocator(mine):
        assert (weft.arange(100) * 2).realize().storage.allocator is mine
    del error
    assert kept.sum().item() == 100
    with pytest.raises(ValueRangeError, match="limit: -1 is no number of bytes"):
        mine.limit = -1


def test_the_largest_are_listed_first_and_every_memory_once():
    mine = weft.Heap("mine")
    sizes = [300_000, 100_000, 200_000]
    with weft.using_allocator(mine):
        tensors = [(weft.arange(n, dtype=weft.int32) * 1).realize() for n in sizes]
    views = [t.storage.tensor() for t in tensors]
    listed = [text for text in allocator.largest(50) if "int32[" in text]
    positions = [next(i for i, text in enumerate(listed) if f"int32[{n}]" in text) for n in sorted(sizes, reverse=True)]
    assert (
        positions == sorted(positions) and sum(f"int32[{sizes[0]}]" in text for text in listed) == 1 and len(views) == 3
    )


def test_garbage_is_collected_before_memory_is_refused():
    mine = weft.Heap("mine", limit=1000)

    class Knot:
        pass

    gc.disable()
    try:
        with weft.using_allocator(mine):
            knot = Knot()
            knot.itself, knot.tensor = knot, (weft.arange(100) * 2).realize()
            del knot
            assert mine.in_use == 800
            assert (weft.arange(100) * 3).realize()[1].item() == 3
    finally:
        gc.enable()


def test_limits_hold_among_threads():
    mine = weft.Heap("mine", limit=80_000)
    refused = []

    def work():
        with weft.using_allocator(mine):
            for _ in range(50):
                try:
                    x = (weft.arange(1000) * 3).realize()
                    assert mine.in_use <= 80_000 and x[1].item() == 3
                except OutOfMemory:
                    refused.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    gc.collect()
    assert mine.in_use == 0 and mine.peak <= 80_000 and mine.allocations == mine.frees and not refused


def test_other_threads_keep_their_allocator():
    mine, found = weft.Heap("mine"), []
    with weft.using_allocator(mine):
        t = threading.Thread(target=lambda: found.append(weft.get_allocator().name))
        t.start()
        t.join()
        with weft.using_allocator(weft.Heap("inner")) as inner:
            assert weft.get_allocator() is inner
        assert weft.get_allocator() is mine
    assert found == ["heap"]


# ---- shared memory


CHILD = """
import sys, weft
s = weft.storage_of(shared=sys.argv[1], dtype=weft.float64)
x = s.tensor((2, 3))
print(x.tolist(), s.owner)
x[1] = [7, 8, 9]
r = weft.storage_of(shared=sys.argv[1], read_only=True)
try:
    r.tensor()[0] = 1
except weft.errors.WriteError:
    print("refused")
"""

EXITING = """
import weft
s = weft.storage(10, weft.int32, allocator=weft.SharedMemory())
kept = s.tensor() + 1
print(s.name)
"""


def child(text, *arguments):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", text, *arguments], capture_output=True, text=True, timeout=60, check=True
    )


def test_another_process_opens_shared_memory_by_name():
    with weft.using_allocator(weft.SharedMemory()) as shared:
        x = (weft.arange(6.0).reshape(2, 3) * 1).realize()
    name = x.storage.name
    done = child(CHILD, name)
    assert done.stdout.splitlines() == ["[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]] False", "refused"] and done.stderr == ""
    assert x.tolist() == [[0, 1, 2], [7, 8, 9]]
    path = os.path.join(mapping.SHARED_DIRECTORY, name)
    assert os.stat(path).st_mode & 0o777 == 0o600
    opened = weft.storage_of(shared=name, dtype=weft.float64)
    del x
    assert not os.path.exists(path) and shared.in_use == 0 and opened.tolist()[3:] == [7, 8, 9]
    with pytest.raises(ValueRangeError, match="is not there or not this user's"):
        weft.storage_of(shared=name)


def test_names_go_when_the_process_ends():
    done = child(EXITING)
    assert done.stderr == "" and not os.path.exists(os.path.join(mapping.SHARED_DIRECTORY, done.stdout.strip()))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
def test_a_forked_child_shares_the_memory_and_leaves_the_name(recwarn):
    s = weft.storage(4, weft.int32, allocator=weft.SharedMemory())
    x = s.tensor()
    pid = os.fork()
    if not pid:
        x[2] = 5
        del x, s
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    assert x.tolist() == [0, 0, 5, 0] and weft.storage_of(shared=s.name).nbytes == 16


def test_a_full_disk_is_an_error(monkeypatch):
    def refuse(fd, offset, nbytes):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", refuse, raising=False)
    before = set(os.listdir(mapping.SHARED_DIRECTORY))
    shared = weft.SharedMemory()
    with pytest.raises(OutOfMemory, match="allocate: 10 bytes"):
        weft.storage(10, allocator=shared)
    assert shared.in_use == 0 and not [
        f for f in set(os.listdir(mapping.SHARED_DIRECTORY)) - before if f.startswith("weft-")
    ]


def test_a_folder_may_be_named_by_bytes(tmp_path):
    s = weft.storage(4, weft.int32, allocator=weft.FileMemory(bytes(tmp_path)))
    s[1] = 7
    assert s[1] == 7 and weft.FileMemory(bytes(tmp_path)).directory == str(tmp_path)


def test_scratch_files_have_no_name(tmp_path):
    s = weft.storage(1 << 16, weft.int8, allocator=weft.FileMemory(tmp_path))
    s[-1] = 5
    assert list(tmp_path.iterdir()) == [] and s.tolist()[-2:] == [0, 5] and s.name is None
    s.resize(1 << 17)
    assert s[1 << 16 : (1 << 16) + 1].tolist() == [0] and s[(1 << 16) - 1].item() == 5


# ---- lifetime


def test_memory_goes_with_the_last_handle_without_the_collector():
    def used() -> tuple[weakref.ref, weakref.ref]:
        x = (weft.arange(1000) * 2).realize()
        ref, node = weakref.ref(x), weakref.ref(x._place.node)
        view, _, pending = x[1:], x.storage, x + 1
        view[0] = 3
        pending.tolist()
        x.byteswap()
        return ref, node

    with weft.using_allocator(weft.Heap("before")):
        for _ in range(3):
            used()  # the first runs are interpreted; compiling kernels leaves work for the collector
    mine = weft.Heap("mine")
    gc.collect()
    gc.disable()
    try:
        with weft.using_allocator(mine):
            ref, node = used()
        assert mine.in_use == 0 and ref() is None and node() is None
        assert [o for o in _collected() if type(o).__module__.startswith("weft")] == []
    finally:
        gc.enable()


def _collected():
    """Return the objects that only the cycle collector frees."""
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        gc.collect()
        return list(gc.garbage)
    finally:
        gc.set_debug(0)
        gc.garbage.clear()


def dropped(times):
    """Make and drop tensors of the kinds that have memory, views and storages."""
    mine = weft.Heap("mine")
    base = weft.asarray(np.arange(8.0)).copy().realize()
    with weft.using_allocator(mine):
        for i in range(times):
            x = (base + 1).realize()
            v = x[1:]
            if not i % 8:
                v[0] = 2
                x.storage.tensor()[0] = 1
    del x, v
    return mine


def left_behind(times):
    """Python's bytes, and the allocator's, after so many tensors."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        mine = dropped(times)
        gc.collect()
        assert mine.in_use == 0 and mine.allocations == mine.frees >= times
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


def test_tensors_that_come_and_go_leave_no_byte_behind():
    dropped(1000)
    few, many = left_behind(300), left_behind(2300)
    assert many - few < 8 * 2000 / 2  # not half a word for each


@pytest.mark.slow
def test_a_million_tensors_leave_no_byte_behind():
    resource = pytest.importorskip("resource")
    dropped(100_000)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    mine = dropped(1_000_000)
    grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    assert mine.in_use == 0 and mine.allocations == mine.frees >= 1_000_000
    assert grown < 4_000_000  # the most ever used did not rise by four bytes for each


AT_EXIT = """
import atexit, weft
s = weft.storage(1000, weft.int64)
x = s.tensor(); y = x[1:] + 1; z = (weft.arange(1 << 20) * 2).realize()
import ctypes
def foreign():
    memory = (ctypes.c_int8 * 4)()
    return weft.storage_of(address=ctypes.addressof(memory), nbytes=4, deleter=lambda: print("let go"), owner=memory)
e = foreign(); e = None
atexit.register(lambda: print(y.tolist()[:2], s.dtype))
class Late:
    def __del__(self):
        x[0] = 1
late = Late()
weft.cycle = [late, x, s]
weft.cycle.append(weft.cycle)
"""


def test_blocks_that_the_pool_cannot_keep_go_with_the_last_array(monkeypatch):
    monkeypatch.setattr(allocator, "POOL_LIMIT", 2 << 20)
    mine = weft.Heap("mine")
    memory = {nbytes: mine.memory(nbytes) for nbytes in (2 << 20, (2 << 20) + 1)}
    raws = {nbytes: weakref.ref(block.base) for nbytes, block in memory.items()}
    memory.clear()
    assert raws[2 << 20]() is not None and raws[(2 << 20) + 1]() is None
    assert mine.in_use == 0 and mine.frees == mine.allocations == 2


def test_the_interpreter_exits_quietly():
    done = child(AT_EXIT)
    assert done.stdout.splitlines() == ["let go", "[1, 1] weft.int64"]
    assert "Fatal" not in done.stderr  # what writes so late may find Python's own names gone, and no more than that


def test_devices_say_what_allocates_for_them():
    with weft.using_allocator(weft.Heap("mine")) as mine:
        x = weft.asarray([1, 2, 3], device="thread:0")
        assert weft.device("thread:0").memory is weft.cpu.memory is mine and mine.in_use >= 24
    assert x.storage.allocator is mine and weft.cpu.memory.name == "heap"


_FAULTS = """
import resource, numpy as np, weft
a, b = (weft.asarray(np.random.default_rng(k).random(100_000)) for k in (0, 1))
def step():
    return [(a + b).realize(), (a - b).realize(), (a * b).realize(), (a / 2).realize()]
for _ in range(20):
    step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    step()
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / 20)
"""


@pytest.mark.skipif(allocator._TRIM is None, reason="only glibc gives back what it has not learned to keep")
def test_values_that_live_together_take_no_new_pages() -> None:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    made = subprocess.run([sys.executable, "-c", _FAULTS], env=plain, capture_output=True, text=True, check=True)
    assert float(made.stdout) < 50  # of 800 pages
