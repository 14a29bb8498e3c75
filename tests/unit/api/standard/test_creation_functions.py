"""Creation: defaults, dtypes, byte orders, equality with NumPy."""

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft.errors import DTypeError, ShapeError, ValueRangeError

pytestmark = pytest.mark.usefixtures("transformer")


def test_defaults():
    assert weft.zeros(2).dtype is weft.ones(2).dtype is weft.empty(2).dtype is weft.float64
    assert weft.full(2, 1).dtype is weft.int64
    assert weft.full(2, True).dtype is weft.bool
    assert weft.full(2, 1j).dtype is weft.complex128
    assert weft.full((), weft.asarray(2, dtype="int8")).dtype is weft.int8
    assert weft.zeros(2, dtype=weft.bool).tolist() == [False, False]


@for_each("dtype", [d.name for d in weft.dtypes.ALL])
def test_every_dtype(dtype):
    assert weft.ones((2,), dtype=dtype).tolist() == [1, 1]
    assert weft.zeros_like(weft.ones((2, 1), dtype=dtype)).dtype.name == dtype
    assert weft.full_like(weft.zeros(1), 1, dtype=dtype).tolist() == [1]


@pytest.mark.parametrize("arguments", [(5,), (2, 5), (5, 2, -1), (0.5, 3), (1, 0), (0, 1, 0.25), (-3, 4, 2)])
def test_arange(arguments):
    expected = np.arange(*arguments)
    x = weft.arange(*arguments)
    assert x.tolist() == expected.tolist() and x.dtype.name == expected.dtype.name


def test_arange_of_other_dtypes():
    assert weft.arange(3, dtype="float32").tolist() == [0.0, 1.0, 2.0]
    assert weft.arange(2**63, 2**63 + 2, dtype="uint64").tolist() == [2**63, 2**63 + 1]
    assert weft.arange(weft.asarray(3)).tolist() == [0, 1, 2]


@for_each("endpoint", [True, False])
@for_each("num", [0, 1, 2, 7])
def test_linspace(num, endpoint):
    x = weft.linspace(-1, 2, num, endpoint=endpoint)
    assert np.allclose(x.numpy(), np.linspace(-1, 2, num, endpoint=endpoint), rtol=1e-15)
    if num > 1 and endpoint:
        assert x.tolist()[-1] == 2.0


def test_linspace_between_extremes():
    assert weft.linspace(-1.7e308, 1.7e308, 3).tolist() == [-1.7e308, 0.0, 1.7e308]
    assert weft.linspace(0, 1j, 3).tolist() == [0j, 0.5j, 1j]


@pytest.mark.parametrize("k", [-(2**70), -3, -1, 0, 2, 4, 2**64])
def test_eye_and_triangles(k):
    a = np.arange(24).reshape(2, 3, 4)
    x = weft.asarray(a.copy())
    within = max(-5, min(k, 5))  # NumPy fails far out
    assert weft.eye(3, 4, k=k).tolist() == np.eye(3, 4, k=within).tolist()
    assert weft.tri(3, 4, k=k).tolist() == np.tri(3, 4, k=within).tolist()
    assert weft.tril(x, k=k).tolist() == np.tril(a, within).tolist()
    assert weft.triu(x, k=k).tolist() == np.triu(a, within).tolist()


@pytest.mark.parametrize("indexing", ["xy", "ij"])
def test_meshgrid(indexing):
    parts = [np.arange(2), np.arange(3.0), np.arange(1)]
    found = weft.meshgrid(*(weft.asarray(p) for p in parts), indexing=indexing)
    assert isinstance(found, tuple)
    for f, e in zip(found, np.meshgrid(*parts, indexing=indexing), strict=True):
        assert f.dtype.name == e.dtype.name and f.tolist() == e.tolist()


def test_byte_order_of_creation_shows_in_numpy():
    for x in (weft.zeros(2, dtype=">f4"), weft.arange(2, dtype=">f4"), weft.asarray([0, 1], dtype=">f4")):
        assert x.dtype is weft.float32 and x.byteorder == "big" and x.numpy().dtype == np.dtype(">f4")
    assert (weft.arange(2, dtype=">f4") + 1).byteorder == "little"


def test_filled_tensors_can_be_written():
    x = weft.zeros((2, 2))
    x[0] = 5
    assert x.tolist() == [[5.0, 5.0], [0.0, 0.0]]


def test_linspace_of_complex_ends_is_complex():
    for end in (1 + 2j, np.complex64(1 + 2j), weft.asarray(1 + 2j)):
        assert weft.linspace(0, end, 3).tolist() == [0, 0.5 + 1j, 1 + 2j]
        with pytest.raises(DTypeError, match="in float64; it holds no complex number; ask for a complex dtype"):
            weft.linspace(end, 0, 3, dtype=weft.float64)


@pytest.mark.parametrize("dtype", [d for d in weft.dtypes.ALL if d.name != "float8_e8m0fnu"], ids=str)  # it has no 0
def test_ranges_in_every_dtype(dtype):
    ends = (1, 0.4) if dtype is weft.bool else (4, 1.5)
    numbers = np.trunc(np.arange(0, *ends)) if not dtype.is_inexact else np.arange(0, *ends)
    x = weft.arange(0, *ends, dtype=dtype)
    assert x.dtype is dtype and np.allclose(np.asarray(x.tolist(), complex), numbers, rtol=0.1)
    x, step = weft.linspace(0, 1, 3, dtype=dtype, retstep=True)
    assert x.tolist() == ([0, 0.5, 1] if dtype.is_inexact else [0, 0, 1]) and step == 0.5
    assert weft.eye(2, dtype=dtype).tolist() == weft.diag(weft.ones(2, dtype=dtype)).tolist() == [[1, 0], [0, 1]]


def test_steps_that_leave_at_once():
    assert weft.arange(2, 5, weft.inf).tolist() == [2.0] and weft.arange(5, 2, weft.inf).tolist() == []
    assert weft.arange(2, -5, -weft.inf).tolist() == [2.0] and weft.arange(2, 2, weft.inf).tolist() == []
    assert weft.arange(5, 2, 3).tolist() == [] and weft.arange(300, 2, dtype="int8").tolist() == []


@pytest.mark.parametrize("endpoint", [True, False])
def test_the_step_of_a_linspace(endpoint):
    for ends in ((0, 10), (1 + 2j, 3), (5, -5.0)):
        x, step = weft.linspace(*ends, 5, endpoint=endpoint, retstep=True)
        wanted, numpys = np.linspace(*ends, 5, endpoint=endpoint, retstep=True)
        assert np.allclose(x.numpy(), wanted) and step == numpys
    assert np.isnan(weft.linspace(0, 1, 1, retstep=True)[1]) and weft.linspace(0, 1, 0, retstep=True)[0].shape == (0,)


@pytest.mark.parametrize("k", [-2, 0, 3])
def test_diag(k):
    v = np.arange(1, 4, dtype=">i2")
    x = weft.diag(weft.translate(weft.asarray(v), (7,)), k=k)
    assert np.array_equal(x.numpy(), np.diag(v, k)) and x.domain.start == (0, 0) and x.dtype is weft.int16
    x[0, 0] = 9
    assert weft.diag(x, k=k).shape == (3,) and weft.diag([], k=k).shape == (abs(k), abs(k))


BEYOND = {
    "integer": (lambda: weft.arange(260, dtype="u1"), "arange: 0 to 259 in uint8; it holds 0 to 255"),
    "integer of floats": (lambda: weft.arange(0, 260.0, dtype="u1"), "arange: 0 to 259 in uint8"),
    "below": (lambda: weft.arange(-129, 0, dtype="i1"), "arange: -129 to -1 in int8"),
    "bool": (lambda: weft.arange(3, dtype="bool"), "arange: 0 to 2 in bool; it holds 0 to 1"),
    "a large half": (lambda: weft.arange(7e4, 8e4, 7e3, dtype="f2"), "arange: 70000.0 to 77000.0 in float16"),
    "linspace": (lambda: weft.linspace(0, 300, 3, dtype="i1"), "linspace: 0 to 300 in int8"),
    "linspace of halves": (lambda: weft.linspace(7e4, 0, 3, dtype="f2"), "linspace: 70000.0 to 0 in float16"),
    "a part": (lambda: weft.linspace(0, 1e39j, 3, dtype="c8"), "in complex64; it holds parts from"),
}  # fmt: skip


@for_each("name", BEYOND)
def test_ranges_beyond_their_dtype(name):
    make, says = BEYOND[name]
    with pytest.raises(ValueRangeError, match=says):
        make()


def test_ends_that_are_just_held():
    assert weft.arange(0, 7e4, 7e3, dtype="f2")[-1].item() == 63008.0 and weft.arange(256, dtype="u1")[-1].item() == 255
    assert weft.linspace(0, 65519, 2, dtype="f2")[1].item() == 65504.0  # rounds to the greatest
    assert (
        weft.linspace(0, weft.inf, 2, dtype="f2")[0].item() != 1
        and weft.arange(0.5, 255.9, dtype="u1")[-1].item() == 255
    )


def test_ranges_without_cells_begin_anywhere():
    for name in ("cpu", "reference"):
        with weft.transformer(name):
            assert weft.arange(2**64 + 1, 10, dtype=weft.uint8).tolist() == []


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize(
    ("start", "stop", "dtype"),
    [(2, 65532, "uint64"), (-(2**63), 2**63 - 1, "int64"), (2**64 - 1, 3, "uint64"), (7, -9, "int8"), (5, 5, "uint8")],
)
def test_linspace_between_integers_is_exact(start, stop, dtype, endpoint):
    for num in (0, 1, 2, 3, 100, 101):
        parts = max(num - 1 if endpoint else num, 1)
        x = weft.linspace(start, stop, num, dtype=dtype, endpoint=endpoint)
        assert x.tolist() == [start + i * (stop - start) // parts for i in range(num)]


@pytest.mark.parametrize("value", [1j, np.complex64(2), weft.asarray(1 + 2j)])
def test_complex_numbers_fill_no_real_cells(value):
    with pytest.raises(DTypeError, match=r"full: complex.* to float32 would drop the imaginary part"):
        weft.full(2, value, dtype=weft.float32)
    assert weft.full(2, value, dtype=weft.bool).tolist() == [True, True]


@pytest.mark.parametrize("start", [0, [0.0, 1.0]])
def test_a_linspace_longer_than_an_axis_names_itself(start):
    with pytest.raises(ShapeError, match=r"^linspace: the result would have shape \(1180591620717411303424,\)"):
        weft.linspace(start, 1, 2**70)
