"""`x.flat` reads and writes the same cells as NumPy's, whatever the layout."""

import numpy as np
import pytest

import weft
from weft.errors import IndexOutOfBounds

WRITES = [
    (3, 7), (-1, 2), (slice(None, None, 5), 1), ([1, 2, 3], [9, 8]), (np.arange(12) % 2 == 0, 4),
    (slice(2, 9), [1, 2, 3]), (..., 3),
]  # fmt: skip


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", ["f4", ">i2", "c8"])
def test_flat_reads_and_writes_as_numpy(order, dtype):
    a = np.asarray(np.arange(12).reshape(3, 4), dtype=dtype, order=order)
    x = weft.asarray(a.copy(order="K"))
    for key, value in WRITES:
        a.flat[key] = x.flat[key] = value
        np.testing.assert_array_equal(x.numpy(), a)
        np.testing.assert_array_equal(x.flat[key].numpy(), a.flat[key])
    a.flat = x.flat = [1, 2]
    np.testing.assert_array_equal(x.numpy(), a)
    np.testing.assert_array_equal(np.asarray(x.flat), a.ravel())
    assert [cell.item() for cell in x.flat] == list(a.flat) and next(x.flat) == 1 and x.flat.base is x


def test_flat_is_written_through_views():
    a, x = np.zeros((4, 6)), weft.zeros((4, 6))
    a[::2, ::-2].flat[1:4] = x[::2, ::-2].flat[1:4] = [1, 2]
    np.testing.assert_array_equal(x.numpy(), a)


def test_flat_refuses_positions_outside():
    x = weft.zeros((3, 4))
    for key in (12, -13, (1, 2)):
        with pytest.raises(IndexOutOfBounds):
            x.flat[key] = 1
        with pytest.raises(IndexOutOfBounds):
            x.flat[key]
    assert weft.zeros((0, 3)).flat[:].shape == (0,)


def test_astype_takes_the_keywords_of_the_method():
    x = weft.ones(2)
    assert x.astype("f4", order="C", casting="unsafe", subok=False).dtype is weft.float32
    with pytest.raises(weft.errors.ArgumentError, match="can_cast"):
        x.astype("i4", casting="safe")
