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


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint32", "bool"])
@pytest.mark.parametrize("axis", [0, 1])
def test_sorted_cells_have_the_bits_of_a_stable_sort(dtype, axis):
    rng = np.random.default_rng(3)
    x = rng.integers(0, 5, (40, 50)).astype(dtype)
    if x.dtype.kind == "f":
        x *= rng.choice(np.array([-1, 1], dtype), x.shape)  # zeros of both signs
    whole = weft.sort(weft.asarray(x), axis=axis).numpy()
    assert whole.tobytes() == np.sort(x, axis=axis, kind="stable").tobytes()
    if x.dtype.kind == "f":
        bits = x.view(f"u{x.itemsize}")
        bits[3:6, 7] = np.array([np.nan], dtype).view(bits.dtype) + np.array([2, 0, 1], bits.dtype)
        wanted = np.sort(x, axis=axis, kind="stable")
        assert weft.sort(weft.asarray(x), axis=axis).numpy().tobytes() == wanted.tobytes()
