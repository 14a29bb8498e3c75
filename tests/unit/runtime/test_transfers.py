"""Transfers: the bytes that cross, what is done before and what after."""

import numpy as np
import pytest

import weft
from weft.errors import LinAlgError, WriteError
from weft.tensors.tensor import node_of


@pytest.fixture(scope="module")
def d():
    return weft.device("thread", 0)


@pytest.fixture(scope="module")
def e():
    return weft.device("thread", 1)


@pytest.fixture(params=["to the device", "to the host", "across"])
def ends(request, d, e):
    """The device that values lie on, and the one that they are moved to."""
    return {"to the device": (weft.cpu, d), "to the host": (d, weft.cpu), "across": (e, d)}[request.param]


def crossed(make):
    """(bytes that crossed for each transfer, the value)."""
    with weft.profile() as p:
        made = make().realize()
    assert p.bytes_moved == sum(m.bytes for m in p.moves) and p.transfers == len(p.moves)
    return [m.bytes for m in p.moves], made


X = np.arange(15.0).reshape(3, 5)


def column():
    return weft.broadcast_to(weft.array(X[:, :1]), (3, 5))


def kept(home, made):
    """True if y, of a pair of y and its readers, is stored once the readers are computed."""
    y, *readers = made(weft.asarray(np.arange(1000.0)).to(home).sync())
    weft.compute(*readers)
    return node_of(y).value is not None and y.device is home


def exp_and_sin(x):
    y = weft.exp(x * 0.001) + weft.sin(x)
    return y, (y * 2).sum(), (y + 1).max()


def test_what_is_stored_on_the_way_is_kept_for_its_handle_as_on_the_host(d):
    assert kept(weft.cpu, exp_and_sin) and kept(d, exp_and_sin)


@pytest.mark.parametrize("name", ["cpu", "thread:0"])
def test_what_is_generated_for_another_device_is_not_kept_from_there(name):
    x = weft.asarray(np.arange(1000.0)).to("thread:0" if name == "cpu" else "cpu").sync()
    with weft.default_device(name):
        g = weft.exp(weft.arange(1000) * 0.001)
    sums = (x + g).sum(), (x * g).max()
    weft.compute(*sums)
    assert g.device is weft.device(name) and sums[0].device is x.device
    assert np.array_equal(g.numpy(), weft.exp(weft.asarray(np.arange(1000)) * 0.001).numpy())


def test_a_failed_routine_leaves_its_operands_readable(d):
    y = weft.exp(weft.asarray(np.arange(3.0)).to(d).sync() * 0.5) + 1
    x = weft.linalg.solve(weft.zeros((3, 3), device=d), y)
    with pytest.raises(LinAlgError, match="singular"):
        x.sync()
    assert np.allclose(y.numpy(), np.exp(np.arange(3.0) * 0.5) + 1)


MOVES = {  # what is made on the device `d` of host memory, and the bytes that cross
    "a sum of rows, broadcast": (lambda x, d: (weft.broadcast_to(x[:1], (9, 5)) + x[2]).to(d), [40]),
    "all cells": (lambda x, d: x.to(d), [120]),
    "fewer cells first": (lambda x, d: x.to(d)[1:, ::2] + 0, [48]),
    "a row": (lambda x, d: x.to(d)[1] + 0, [40]),
    "a cell": (lambda x, d: x.to(d)[1, 2] * 2, [8]),
    "narrowed first": (lambda x, d: weft.astype(x.to(d), weft.int8), [15]),
    "narrowed by asarray": (lambda x, d: weft.asarray(x, dtype=weft.int8, device=d), [15]),
    "narrowed and selected": (lambda x, d: weft.astype(x.to(d), weft.float16)[::2, 1:3] + 0, [8]),
    "widened last": (lambda x, d: weft.astype(weft.array(np.int8(X)), weft.float64).to(d), [15]),
    "repeated axes once": (lambda x, d: column().to(d), [24]),
    "a broadcast in int8": (lambda x, d: weft.asarray(column(), dtype=weft.int8, device=d), [3]),
    "tiles once": (lambda x, d: weft.tile(x, (2, 2)).to(d), [120]),
    "repeats once": (lambda x, d: weft.repeat(x, 3).to(d), [120]),
    "turned and flipped": (lambda x, d: weft.flip(x.T).to(d), [120]),
    "nothing of generators": (lambda x, d: weft.eye(4).to(d) + weft.zeros((4, 4), device=d), []),
    "nothing of numbers": (lambda x, d: weft.full((3, 3), 2.5, device=d) * 2, []),
    "nothing of what is empty": (lambda x, d: x[:0].to(d), [0]),
    "one of a value read twice": (lambda x, d: (lambda y: y + y.T.T)(x.to(d)), [120]),
    "an operand of another device": (lambda x, d: weft.zeros((3, 5), device=d) + x[:, :1], [24]),
    "a half of a column, broadcast": (
        lambda x, d: weft.broadcast_to(weft.astype(x.to(d), weft.float16)[:, 3:4], (3, 100)) + 0, [6]),
}  # fmt: skip


@pytest.mark.parametrize("name", MOVES)
def test_the_fewest_bytes_cross(name, ends):
    make, nbytes = MOVES[name]
    source, target = ends
    plain = make(weft.array(X), weft.cpu).numpy()
    x = source(X)
    if name in ("widened last", "repeated axes once", "a broadcast in int8") and source is not weft.cpu:
        pytest.skip("made of host memory")
    x.sync()
    found, made = crossed(lambda: make(x, target))
    assert made.device is target and made.numpy().tobytes() == plain.tobytes()
    assert found == nbytes


N = 1000
PARTS = {  # a few cells of three tensors of N cells that were moved, and the bytes that cross
    "concat": (lambda a, b, c: weft.concat([a, b, c])[N + 5 : N + 8], [24]),
    "concat over a border": (lambda a, b, c: weft.concat([a, b, c])[N - 2 : N + 1], [8, 16]),
    "sum": (lambda a, b, c: (a + b)[:4], [32, 32]),
    "sum with a step": (lambda a, b, c: (a + b)[::250], [32, 32]),
    "backwards": (lambda a, b, c: weft.flip(a * 2 + c)[:4], [32, 32]),
    "pad": (lambda a, b, c: weft.pad(a, 2)[:5], [24]),
    "margin": (lambda a, b, c: weft.pad(a, 2)[:2], []),
    "interleave": (lambda a, b, c: weft.interleave([a, b, c])[:5], [8, 16, 16]),
    "where": (lambda a, b, c: weft.where(a > 2, b, c)[:4], [32, 32, 32]),
    "tile": (lambda a, b, c: weft.tile(a, 3)[N + 1 : N + 5], [32]),
    "reshape": (lambda a, b, c: (weft.reshape(a, (10, 100)) + weft.reshape(b, (10, 100)))[:, 3], [80, 80]),
    "columns of a sum": (lambda a, b, c: weft.sum(weft.reshape(a + b, (10, 100)), axis=0)[:2], [8 * 902, 8 * 902]),
    "a scan": (lambda a, b, c: weft.cumulative_sum(a + b)[:4], [32, 32]),
    "converted": (lambda a, b, c: (weft.astype(a, weft.int8) + weft.astype(b, weft.int8))[:4], [4, 4]),
    "two ends": (lambda a, b, c: a[:4] + a[-4:], [32, 32]),
    "two ends of a sum": (lambda a, b, c: (lambda y: y[:4] + y[-4:])(a + b), [32, 32, 32, 32]),
    "far apart": (lambda a, b, c: weft.concat([(a + b)[:1], (a + b)[-1:]]), [16, 16]),
}  # fmt: skip


@pytest.mark.parametrize("name", PARTS)
def test_only_the_cells_needed_cross(name, ends):
    make, nbytes = PARTS[name]
    source, target = ends
    arrays = [np.arange(N) * (k + 1.0) for k in range(3)]
    plain = (make(*[weft.array(x) for x in arrays]) + 0).numpy()
    moved = [source(x).sync().to(target) for x in arrays]
    expected = weft.explain(make(*moved) + 0)
    found, made = crossed(lambda: make(*moved) + 0)
    assert made.device is target and made.numpy().tobytes() == plain.tobytes()
    assert sorted(found) == nbytes and expected.bytes_moved == sum(nbytes)


def test_a_column_of_a_large_matrix_as_half(d):
    x = d(np.ones((1000, 1000))).sync()
    y = weft.broadcast_to(weft.astype(x.to("cpu"), weft.float16)[:, 3:4], (1000, 1000))
    with weft.profile() as p:
        assert y.numpy().sum(dtype=np.float64) == 1e6
    assert [m.bytes for m in p.moves] == [2000]


def test_a_moved_value_is_not_moved_again(d):
    x = weft.array(X)
    y = x.to(d)
    assert crossed(lambda: y)[0] == [120]
    assert crossed(lambda: y + 1)[0] == [] and node_of(y).value is not None
    z = (y * 2).realize()
    with weft.profile() as p:
        assert z[0, 1].item() == 2.0
    assert [(m.bytes, m.source, m.target) for m in p.moves] == [(8, "thread:0", "cpu")]
    assert "1 transfers of 8 bytes" in str(p) and "transfer: 8 from thread:0 to cpu" in str(p)


def test_there_and_back_is_no_trip(d, e):
    x = weft.array(X)
    assert crossed(lambda: x.to(d).to("cpu"))[0] == []
    assert crossed(lambda: x.to(d).to(e))[0] == [120]


@pytest.mark.parametrize("view", ["odd", "swapped"])
def test_operands_that_a_device_cannot_read_are_copied_first(view):
    d = weft.device("thread", 23, supports_byteswap=False, requires_aligned_data=True)
    plain = weft.device("thread", 24)
    from weft.ir.graph import node as ir
    from weft.ir.graph.description import describe
    from weft.tensors.tensor import wrap

    for home in (d, plain):
        raw = home.allocate(np.dtype(np.uint8), (41,))
        dtype = np.dtype("<f8" if view == "odd" else ">f8")
        memory = raw[1:].view(dtype) if view == "odd" else raw[:40].view(dtype)
        np.asarray(memory)[...] = np.arange(5.0)
        n = ir.stored(describe(weft.float64, (5,), (8,), view == "swapped"), memory)
        n.traits = home.traits
        x = wrap(n)
        before = home.buffers.reused
        assert [(x * 2 + x[::-1]).tolist() for _ in range(3)] == [[4.0, 5.0, 6.0, 7.0, 8.0]] * 3
        assert (home.buffers.reused > before) == (home is d)
        x[1:3] = 7
        assert x.tolist() == [0.0, 7.0, 7.0, 3.0, 4.0]


def test_a_tensor_of_rank_0_is_written_wherever_it_lies() -> None:
    made = weft.full((), 3).to("thread:0")
    made[...] = 5
    back = made.to("cpu")
    back += 1
    assert (made.item(), back.item()) == (5, 6)
    with pytest.raises(WriteError, match="like a number it does not change"):
        weft.ones(3).sum().to("thread:0")[...] = 5
