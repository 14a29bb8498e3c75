"""Creation: defaults, dtypes, byte orders, equality with NumPy."""

import numpy as np
import pytest

import weft
from weft.errors import DTypeError


@pytest.fixture(params=["cpu", "reference"], autouse=True)
def transformer(request):
    with weft.transformer(request.param):
        yield request.param


def test_defaults():
    assert weft.zeros(2).dtype is weft.ones(2).dtype is weft.empty(2).dtype is weft.float64
    assert weft.full(2, 1).dtype is weft.int64
    assert weft.full(2, True).dtype is weft.bool
    assert weft.full(2, 1j).dtype is weft.complex128
    assert weft.full((), weft.asarray(2, dtype="int8")).dtype is weft.int8
    assert weft.zeros(2, dtype=weft.bool).tolist() == [False, False]


@pytest.mark.parametrize("dtype", [d.name for d in weft.dtypes.ALL])
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


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("num", [0, 1, 2, 7])
def test_linspace(num, endpoint):
    x = weft.linspace(-1, 2, num, endpoint=endpoint)
    assert np.allclose(x.numpy(), np.linspace(-1, 2, num, endpoint=endpoint), rtol=1e-15)
    if num > 1 and endpoint:
        assert x.tolist()[-1] == 2.0


def test_linspace_between_extremes():
    assert weft.linspace(-1.7e308, 1.7e308, 3).tolist() == [-1.7e308, 0.0, 1.7e308]
    assert weft.linspace(0, 1j, 3).tolist() == [0j, 0.5j, 1j]


@pytest.mark.parametrize("k", [-3, -1, 0, 2])
def test_eye_and_triangles(k):
    a = np.arange(24).reshape(2, 3, 4)
    x = weft.asarray(a.copy())
    assert weft.eye(3, 4, k=k).tolist() == np.eye(3, 4, k=k).tolist()
    assert weft.tril(x, k=k).tolist() == np.tril(a, k).tolist()
    assert weft.triu(x, k=k).tolist() == np.triu(a, k).tolist()


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
