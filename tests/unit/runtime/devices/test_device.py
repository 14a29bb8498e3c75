"""Devices: what they are, the default one, and where operations run."""

import pickle

import numpy as np
import pytest

import weft
from tests.oracle import samples
from weft import dtypes as dt
from weft.errors import ValueRangeError, WriteError


@pytest.fixture(scope="module")
def d():
    return weft.device("thread", 0)


@pytest.fixture(scope="module")
def e():
    return weft.device("thread:1")


def test_the_host_is_a_device_that_equals_its_name():
    assert isinstance(weft.cpu, weft.Device)
    assert weft.cpu == "cpu" and {weft.cpu: 1}["cpu"] == 1 and weft.cpu != "thread:0"
    assert weft.device("cpu") is weft.cpu is weft.zeros(2).device
    assert str(weft.cpu) == "cpu" and weft.cpu.type == "cpu" and weft.cpu.index == 0
    assert "cpu" in weft.cpu.info and "core" in weft.cpu.modules
    assert weft.cpu.supports_byteswap and not weft.cpu.requires_aligned_data


def test_there_is_one_object_for_each_device(d):
    assert weft.device("thread:0") is d is weft.device(d)
    assert type(d) is not type(weft.cpu) and isinstance(d, weft.Device)
    assert (d.type, d.index, d.name) == ("thread", 0, "thread:0")
    assert weft.devices()[0] is weft.cpu and d in weft.devices()
    assert pickle.loads(pickle.dumps(d)) is d
    assert d.info.startswith("thread:0\n")


@pytest.mark.parametrize(
    "name", ["gpu", "thread", "thread:x", "thread:-1", "thread:4096", "cpu:3", "cpu:", ":0", "", "thread:²", 5, None]
)
def test_an_unknown_device_names_the_known_ones(name):
    with pytest.raises(ValueRangeError, match=r"is no device; devices are 'cpu', 'thread:0'"):
        weft.device(name)


def test_an_index_is_an_integer_said_once(d):
    assert weft.device("thread", np.int64(0)) is d is weft.device("thread:00") and weft.device("cpu", 0) is weft.cpu
    for given in (("thread", True), ("thread:0", 5), ("thread", 0.0), ("thread", "0"), (d, 0), ("cpu", 1)):
        with pytest.raises(ValueRangeError, match="is no device; devices are 'cpu', 'thread:0'"):
            weft.device(*given)


def test_capabilities_are_said_at_the_first_use(d):
    for given in (d, "thread:0", "thread:23"):
        with pytest.raises(ValueRangeError, match="fast; it is no capability; these are supports_byteswap and req"):
            weft.device(given, fast=True)
    with pytest.raises(ValueRangeError, match="in use without"):
        weft.device(d, requires_aligned_data=True)
    with pytest.raises(ValueRangeError, match="in use without"):
        weft.device("thread:0", requires_aligned_data=True)
    strict = weft.device("thread:20", requires_aligned_data=True)
    assert strict.requires_aligned_data and weft.device("thread:20", requires_aligned_data=True) is strict


def test_temporary_buffers_have_limits(d):
    other = weft.device("thread:21")
    assert (other.buffer_count, other.max_buffer_size) == (3, 0)
    x = weft.asarray(np.arange(1000.0))
    for _ in range(5):
        assert x.to(other).sum().item() == 499500
    assert other.buffers.reused and len(other.buffers.free) <= 3
    other.buffer_count, other.max_buffer_size = 1, 100
    assert not other.buffers.free
    before = other.buffers.reused
    assert x.to(other).sum().item() == 499500
    assert all(b.nbytes <= 100 for b in other.buffers.free) and other.buffers.reused == before
    with pytest.raises(ValueRangeError, match="buffer_count: -1"):
        other.buffer_count = -1


@pytest.mark.parametrize("name", ["cpu", "thread:0"])
def test_a_misspelt_setting_of_a_device_is_refused(name):
    with pytest.raises(AttributeError, match="bufer_count"):
        weft.device(name).bufer_count = 2


def test_the_default_device_is_for_creation_and_moves_no_operand(d):
    a = weft.asarray([1, 2])
    with weft.default_device(d):
        assert weft.get_default_device() is d
        made = [weft.zeros(2), weft.asarray([1]), weft.arange(3), weft.eye(2), weft.full(2, 5), weft.linspace(0, 1, 3)]
        assert {t.device for t in made} == {d}
        assert {t.device for t in (a + np.ones(2), a * 2, weft.zeros_like(a), weft.asarray(a), a[[0]])} == {weft.cpu}
        assert weft.zeros(2, device="cpu").device is weft.cpu
        assert weft.asarray([a, a]).device is weft.cpu
    assert weft.get_default_device() is weft.cpu
    weft.set_default_device("thread:0")
    try:
        assert weft.zeros(2).device is d
    finally:
        weft.set_default_device(weft.cpu)
    d.set_default()
    assert weft.ones(1).device is d
    weft.cpu.set_default()


FIELDS = {
    "uniform": {},
    "normal": {},
    "integers": {"low": 0, "high": 9},
    "bernoulli": {},
    "exponential": {},
    "gumbel": {},
    "truncated_normal": {"low": -1.0, "high": 1.0},
    "categorical": {"p": [0.5, 0.5]},
}


@pytest.mark.parametrize("name", FIELDS)
def test_random_fields_are_made_on_a_device(name, d):
    make = getattr(weft.random, name)
    plain, made = make(7, seed=3, **FIELDS[name]), make(7, seed=3, device=d, **FIELDS[name])
    with weft.profile() as p:
        made.sync()
    assert made.device is d and plain.device is weft.cpu and p.bytes_moved == (56 if name == "categorical" else 0)
    assert made.numpy().tobytes() == plain.numpy().tobytes()
    with weft.default_device(d):
        assert make(7, seed=3, **FIELDS[name]).device is d
        assert make(7, seed=3, device="cpu", **FIELDS[name]).device is weft.cpu


def test_random_fields_lie_with_their_parameters(d):
    mean, plain = d([0.0, 5.0]), weft.asarray([0.0, 5.0])
    with weft.default_device(None):
        assert weft.random.normal(None, seed=1, mean=mean).device is d
        assert weft.random.normal(None, seed=1, mean=plain).device is weft.cpu
        assert weft.random.normal(None, seed=1, mean=mean, device="cpu").device is weft.cpu
        assert weft.random.permutation(mean, seed=1).device is d
        with pytest.raises(ValueRangeError, match="permutation: no device"):
            weft.random.permutation(5, seed=1)


def test_constants_of_a_device(d):
    x = d([1, 2, 3])
    c = weft.constant(x, device=d)
    x[0] = 9
    for write in (lambda: c.__setitem__(0, 5), lambda: c.__iadd__(1), lambda: c[1:].__setitem__(0, 5)):
        with pytest.raises(WriteError, match="read-only"):
            write()
    assert (c.device, c.tolist(), (c + 1).tolist(), weft.constant(x).device) == (d, [1, 2, 3], [2, 3, 4], "cpu")
    big = weft.constant(np.arange(3, dtype=">i4"), device=d, dtype=weft.int32)
    with weft.default_device(d):
        assert (weft.constant([1]).device, weft.constant(2.5, device="cpu").device, big.device) == (d, "cpu", d)
    assert big.tolist() == [0, 1, 2]


def test_without_a_default_device_creation_asks_for_one(d):
    a = weft.asarray([1, 2])
    with weft.default_device(None):
        assert weft.get_default_device() is None
        for make in (lambda: weft.zeros(2), lambda: weft.asarray([1]), lambda: weft.asarray(np.ones(2))):
            with pytest.raises(ValueRangeError, match="no device; there is no default device; pass device="):
                make()
        assert weft.zeros(2, device="cpu").tolist() == [0, 0]
        assert (a + np.ones(2)).tolist() == [2, 3] and weft.add(a, [1, 1] @ np.eye(2)).tolist() == [2, 3]
        assert weft.ones_like(a).tolist() == [1, 1]


def test_a_device_is_a_caster(d):
    x = d([1, 2, 3])
    assert (x.device, x.dtype) == (d, weft.int64) and d(x) is x
    assert weft.cpu(1.2).shape == () and weft.cpu(1.2).dtype == weft.float64
    assert d(np.ones((2, 2), np.float32)).dtype == weft.float32
    assert weft.cpu(x).tolist() == [1, 2, 3] and weft.cpu(x).device is weft.cpu
    i = weft.index[1:]
    assert d(i) is i and x[d(i)].tolist() == [2, 3]


def test_storages_are_put_on_devices(d):
    s = weft.asarray(np.asarray([1, 2, 3], ">i4")).storage
    there = d(s)
    assert weft.cpu(s) is s and d(there) is there and there.device is d and there.byteorder == s.byteorder
    s.tensor()[0] = 9
    assert there.tensor().tolist() == [1, 2, 3] and weft.cpu(there).tensor().tolist() == [1, 2, 3]
    assert weft.cpu(there).device is weft.cpu


def test_a_nest_lies_where_its_tensors_lie(d, e):
    assert weft.asarray([d([1, 2]), [3, 4]]).device is d
    assert weft.asarray([[3, 4], d([1, 2])]).device is d
    assert weft.asarray([d([1, 2]), d([3, 4])]).tolist() == [[1, 2], [3, 4]]
    assert weft.asarray([d([1]), e([2])]).device is weft.cpu
    assert weft.asarray([d([1]), weft.cpu([2])]).tolist() == [[1], [2]]
    assert weft.asarray([[d(1), 2], [3, 4]]).device is d


# ---- where operations run


def test_an_operation_runs_where_its_first_tensor_lies(d, e):
    a, b, c = weft.asarray([1.5, 2.5]), d([1, 2]), e(np.int8([3, 4]))
    assert [(x.device, x.dtype) for x in (a + c, c + a, b - c)] == [
        (weft.cpu, weft.float64), (e, weft.float64), (d, weft.int64)
    ]  # fmt: skip
    assert (a + c).tolist() == [4.5, 6.5] == (c + a).tolist()
    assert (2 * b).device is d and (1 / b).device is d and (b**2).device is d and (np.float64(2) * b).device is weft.cpu
    assert weft.add(weft.asarray(1), b).device is weft.cpu  # a tensor of rank 0 is a tensor


COMPOSED = {
    "concat": lambda x, y: weft.concat([x, y]),
    "stack": lambda x, y: weft.stack([x, y]),
    "where": lambda x, y: weft.where(x > 1, y, 0),
    "take": lambda x, y: weft.take(x, weft.astype(y, weft.int64) % 2),
    "index": lambda x, y: x[weft.astype(y, weft.int64) % 2],
    "matmul": lambda x, y: weft.matmul(x, y),
    "clip": lambda x, y: weft.clip(x, 1, y),
    "tensordot": lambda x, y: weft.tensordot(x, y, axes=1),
    "searchsorted": lambda x, y: weft.searchsorted(x, y),
    "pad": lambda x, y: weft.pad(x, 1),
    "roll": lambda x, y: weft.roll(x, 1),
    "sum": lambda x, y: weft.sum(x),
    "std": lambda x, y: weft.std(x),
    "cumulative_sum": lambda x, y: weft.cumulative_sum(x),
    "sort": lambda x, y: weft.sort(x),
    "argmax": lambda x, y: weft.argmax(x),
    "diff": lambda x, y: weft.diff(x),
    "tril": lambda x, y: weft.tril(x[None] + x[:, None]),
    "outer": lambda x, y: x[:, None] * y,
    "mask": lambda x, y: x[y > 2],
    "interleave": lambda x, y: weft.interleave([x, y], axis=0),
    "repeat": lambda x, y: weft.repeat(x, 2),
    "one_hot": lambda x, y: weft.one_hot(weft.astype(x, weft.int64), 3),
    "unique": lambda x, y: weft.unique_values(x),
    "nonzero": lambda x, y: weft.nonzero(x)[0],
    "isin": lambda x, y: weft.isin(x, y),
    "copy": lambda x, y: weft.copy(x),
    "logaddexp": lambda x, y: weft.logaddexp(x, y),
    "real": lambda x, y: weft.real(x + 1j),
    "mean": lambda x, y: weft.mean(x),
    "diag": lambda x, y: weft.diag(x),
    "flip": lambda x, y: weft.flip(x),
}


@pytest.mark.parametrize("name", COMPOSED)
@pytest.mark.parametrize("pair", ["dc", "de", "cd", "dd"])
def test_every_kind_of_operation_stays_on_the_first_operands_device(name, pair, d, e):
    where = {"c": weft.cpu, "d": d, "e": e}
    x, y = np.asarray([3.0, 0.5, 2.0]), np.asarray([1.0, 2.0, 3.0])
    plain = COMPOSED[name](weft.array(x), weft.array(y))
    made = COMPOSED[name](where[pair[0]](x), where[pair[1]](y))
    assert made.device is where[pair[0]]
    assert (made.dtype, made.shape) == (plain.dtype, plain.shape)
    assert made.numpy().tobytes() == plain.numpy().tobytes()


def test_one_operation_on_stored_values_takes_the_short_way_with_the_same_bits(d):
    cells = np.asarray([1.5, -0.0, np.nan, 3e300])
    plain, x = weft.asarray(cells), d(cells).sync()
    view, big = x[::-1], weft.asarray(cells.astype(">f8"), device=d).sync()
    for make in (lambda a, b: a + b, lambda a, b: a * 3, lambda a, b: b / a, lambda a, b: weft.where(a > b, a, 1)):
        for others in ((x, x), (x, view), (view, big), (big, x)):
            on_host = [plain[::-1] if o is view else plain for o in others]
            made = make(*others)
            assert made.numpy().tobytes() == make(*on_host).numpy().tobytes()
            assert make(*others).sync().numpy().tobytes() == make(*on_host).numpy().tobytes()
    wide = weft.broadcast_to(d([2.0]), (3, 2)) + weft.broadcast_to(d([1.0]), (3, 2))
    with weft.profile() as p:
        assert wide.numpy().tolist() == [[3.0, 3.0]] * 3
    assert p.bytes_moved == 8
    with weft.transformer("reference"):
        assert (x + x).numpy().tobytes() == (plain + plain).numpy().tobytes()
    pending = x + x
    x[0] = 7
    assert pending.numpy()[0] == 3.0 and (x + x).numpy()[0] == 14.0


def test_writing_happens_on_the_targets_device(d):
    x = d([1.0, 2.0, 3.0, 4.0])
    view = x[1:3]
    x[0] = weft.asarray(10.0)
    view += weft.asarray([5.0, 5.0])
    x[[3]] = np.asarray([7.0])
    weft.assign(x[:1], [11.0])
    x[x > 10] = d(0.0)
    assert x.tolist() == [0.0, 7.0, 8.0, 7.0] and view.tolist() == [7.0, 8.0] and x.device is d
    host = weft.asarray([1.0, 2.0])
    host += d([1.0, 1.0])
    host[1] = d(9.0)
    assert host.tolist() == [2.0, 9.0] and host.device is weft.cpu


def test_values_that_leave_a_device_are_copies(d):
    x = d([1, 2])
    a = x.numpy()
    assert not a.flags.writeable
    with pytest.raises(ValueError):
        a[0] = 5
    x[0] = 5
    assert a.tolist() == [1, 2] and x.tolist() == [5, 2]
    assert int(x[0]) == 5 and float(x[1]) == 2 and bool(x[0]) and x[1].item() == 2
    assert np.asarray(x).tolist() == [5, 2] and str(x) == "[5 2]"
    assert np.from_dlpack(x).tolist() == [5, 2]
    assert pickle.loads(pickle.dumps(x)).tolist() == [5, 2]


def test_moving(d, e):
    x = weft.asarray([1, 2, 3])
    assert x.to("cpu") is x and x.to_device(weft.cpu) is x
    y = x.to(d)
    assert y.to(d) is y and y.device is d and y.to(e).device is e and y.to(e).tolist() == [1, 2, 3]
    s = d.create_stream()
    assert x.to_device(d, stream=s).sync().tolist() == [1, 2, 3]
    with pytest.raises(ValueRangeError, match="a stream serves its own device"):
        x.to_device(e, stream=s)
    with pytest.raises(ValueRangeError, match="copy=False forbids it"):
        weft.asarray(x, device=d, copy=False)
    assert weft.asarray(x, device=d, dtype=weft.float32).dtype == weft.float32
    x[0] = 9  # what was built before keeps its values
    assert y.tolist() == [1, 2, 3]


def test_byte_order(d):
    x = weft.zeros(2, dtype=">f4", device=d)
    x[1] = 2.5
    assert (x.byteorder, x.device, x.tolist(), (x + 1).byteorder) == ("big", d, [0.0, 2.5], "little")
    y = weft.asarray(np.asarray([1.0, 2.0], ">f8"), device=d)
    assert y.byteorder == "big" and (y * 2).tolist() == [2.0, 4.0]
    native = weft.device("thread:22", supports_byteswap=False)
    with pytest.raises(ValueRangeError, match="it cannot swap bytes"):
        weft.zeros(2, dtype=">f4", device=native)
    assert weft.asarray(np.asarray([1.0, 2.0], ">f8")).to(native).tolist() == [1.0, 2.0]


def test_every_dtype_moves(d):
    for name in ("bool", "int8", "uint16", "int32", "uint64", "float16", "bfloat16", "float32", "complex64"):
        for shape in ((), (0,), (3,), (2, 3), (2, 0, 2)):
            x = weft.ones(shape, dtype=getattr(weft, name))
            y = weft.astype(weft.zeros(shape, device=d) + 1, getattr(weft, name))
            assert x.to(d).to("cpu").tolist() == x.tolist() == y.tolist() == d(x.numpy()).tolist(), (name, shape)


@pytest.mark.parametrize("name", COMPOSED)
def test_no_operation_depends_on_the_default_device(name, d):
    x, y = (weft.array(np.asarray(v), device="cpu") for v in ([3.0, 0.5, 2.0], [1.0, 2.0, 3.0]))
    plain = COMPOSED[name](x, y).numpy()
    for default in (None, d):
        with weft.default_device(default):
            made = COMPOSED[name](x, y)
            assert made.device is weft.cpu and made.numpy().tobytes() == plain.tobytes()


@pytest.mark.parametrize("dtype", dt.ALL, ids=lambda t: t.name)
@pytest.mark.parametrize("order", ["little", "big"])
def test_values_of_every_dtype_cross_and_are_written(dtype, order, d, e):
    cells = samples.values(dtype, (3, 4), 5).astype(dt.to_numpy(dtype, order))
    x = weft.asarray(cells)
    expected = samples.values(dtype, (3, 4), 5)
    y = x.to(d)
    for made in (y, y.to(e), y.to(e).to("cpu"), weft.asarray(cells, device=d)):
        assert made.dtype is dtype
        assert made.numpy().astype(dtype.np).tobytes() == expected.tobytes()
    assert y.T[1:, ::-2].to("cpu").numpy().tobytes() == np.ascontiguousarray(expected.T[1:, ::-2]).tobytes()
    z = y.to(e)
    z[0] = x[2]
    z[[1]] = y[[0]]
    expected[1], expected[0] = expected[0].copy(), expected[2]
    assert z.numpy().tobytes() == expected.tobytes()
