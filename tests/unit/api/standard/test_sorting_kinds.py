"""NumPy's words for sorting algorithms, and sorts of all cells."""

import numpy as np
import pytest

import weft
from weft import errors


@pytest.mark.parametrize("kind", ["quicksort", "mergesort", "heapsort", "stable", None])
@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_every_kind_is_stable(name, kind):
    x = np.array([[3, 1, 2, 1], [0, 0, 5, 4]])
    for axis in (0, 1, -1, None):
        expected = getattr(np, name)(x, axis=axis, kind="stable")
        assert getattr(weft, name)(weft.asarray(x), axis=axis, kind=kind).tolist() == expected.tolist()
    assert weft.asarray(x).argsort(kind=kind, axis=None).tolist() == np.argsort(x, axis=None, kind="stable").tolist()


def test_other_kinds_are_refused():
    with pytest.raises(errors.ValueRangeError, match="argsort: kind 'bubble'; known are quicksort"):
        weft.argsort([1, 2], kind="bubble")
