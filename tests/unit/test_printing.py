"""How tensors are shown, and that showing computes no more than is shown."""

import numpy as np
import pytest

import weft
from weft.tensor import node_of


@pytest.fixture(params=["cpu", "reference"], autouse=True)
def transformer(request):
    with weft.transformer(request.param):
        yield request.param


SHOWN = [
    (lambda: weft.asarray([1.0, 2.5]), "Tensor([1. , 2.5])"),
    (lambda: weft.asarray([1, 2]), "Tensor([1, 2])"),
    (lambda: weft.asarray([True, False]), "Tensor([ True, False])"),
    (lambda: weft.asarray(3.0), "Tensor(3.)"),
    (lambda: weft.asarray([1.5], dtype="float32"), "Tensor([1.5], dtype=float32)"),
    (lambda: weft.asarray([0.1], dtype="bfloat16"), "Tensor([0.1001], dtype=bfloat16)"),
    (lambda: weft.asarray([1, 2], dtype=">i4"), "Tensor([1, 2], dtype='>i4')"),
    (lambda: weft.asarray([1 + 2j]), "Tensor([1.+2.j])"),
    (lambda: weft.zeros(0), "Tensor([])"),
    (lambda: weft.zeros((2, 0)), "Tensor([], shape=(2, 0))"),
    (lambda: weft.asarray([[1, 2], [3, 4]]), "Tensor([[1, 2],\n        [3, 4]])"),
    (lambda: weft.arange(2000), "Tensor([   0,    1,    2, ..., 1997, 1998, 1999], shape=(2000,))"),
    (lambda: weft.zeros((2, 600), dtype="int8"),
     "Tensor([[0, 0, 0, ..., 0, 0, 0],\n        [0, 0, 0, ..., 0, 0, 0]], shape=(2, 600), dtype=int8)"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "expected"), SHOWN)
def test_repr(make, expected):
    assert repr(make()) == expected


@pytest.mark.parametrize("shape", [(5,), (40, 50), (3, 4, 200), (7, 7, 30), (2000,), (1, 1, 2000), (11, 11, 11)])
def test_values_are_laid_out_as_numpys(shape):
    a = np.linspace(-1, 1000, int(np.prod(shape))).reshape(shape)
    assert str(weft.asarray(a)) == str(a)


def test_numpys_print_options_hold():
    with np.printoptions(precision=2, threshold=4, edgeitems=1):
        assert str(weft.asarray(np.arange(9.0) / 7)) == str(np.arange(9.0) / 7)


@pytest.mark.parametrize("transformer", ["cpu"], indirect=True)
def test_only_the_corners_of_a_pending_tensor_are_computed(transformer):
    x = weft.reshape(weft.arange(10**12), (10**6, 10**6)) * 2.0
    assert str(x).startswith("[[0.000000e+00 2.000000e+00")
    assert node_of(x).value is None


def test_a_pending_tensor_of_few_cells_is_kept():
    x = weft.arange(3) * 2
    assert str(x) == "[0 2 4]"
    assert node_of(x).value is not None


def test_formats():
    assert f"{weft.asarray(2.0):.3f}" == "2.000"
    assert f"{weft.arange(2)}" == "[0 1]"
    with pytest.raises(TypeError, match=r"format: '\.3f' for a tensor of shape"):
        format(weft.arange(2), ".3f")
