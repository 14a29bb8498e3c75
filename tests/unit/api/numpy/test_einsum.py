"""Sums of products over named axes: NumPy's, for every dtype, byte order and layout, and by any number of operands."""

import numpy as np
import pytest

import weft
from tests.refusals import refusals
from tests.shares import in_turn
from weft.errors import DTypeError, ShapeError, ValueRangeError

pytestmark = pytest.mark.usefixtures("transformer")

SIZES = dict(a=2, b=3, c=4, d=5, h=2, i=3, j=4, k=2, l=5, m=2, n=3, q=4)  # noqa: C408
CASES = [
    "ij,jk->ik", "ij,jk", "ij,ij", "ii", "ii->i", "iij->ij", "ij->ji", "ij->", "i,j", "i,i", "i,i->i", "bij,bjk->bik",
    "...ij,...jk->...ik", "...i->...", "i...", "...,...", "ij,jk,kl->il", "ij,jk,kl", "i,j,k->ijk",
    "ijk,ilm,njm,nlk->", "bhqd,bhkd->bhqk", "ijj->i", "ij,kj->ik", "ab,cd->dbca", "ij,i,j", "iii->i", "...ii->...i",
    "i,ij,j->", "abc,bc->a", "ij...,jk...->ik...", " i j , j k -> i k ", ",i->i",
]  # fmt: skip


def operands(case, dtype):
    rng = np.random.default_rng(4)
    for number, term in enumerate(case.replace(" ", "").split("->")[0].split(",")):
        before, dots, after = term.partition("...")
        spread = ([2, 3] if number == 0 else [3]) if dots else []
        shape = [*(SIZES[c] for c in before), *spread, *(SIZES[c] for c in after)]
        a = np.asarray(rng.normal(size=shape) * 3).astype(dtype)
        a = a * (1 - 2j) if dtype == "c16" else a
        yield a[::-1] if number and a.ndim else a.T.copy().T


@pytest.mark.parametrize(("case", "dtype"), in_turn(CASES, ["f8", ">f4", "f2", "i1", ">i8", "u4", "c16"], every=7))
def test_like_numpy(case, dtype):
    given = list(operands(case, dtype))
    got = weft.einsum(case, *given)
    wide = [a.astype("f4") for a in given] if dtype == "f2" else given  # NumPy's halves are rounded at every step
    expected = np.einsum(case, *wide)
    tolerance = {">f4": 1e-4, "f2": 3e-2}.get(dtype, 1e-11)
    assert got.shape == expected.shape
    assert np.allclose(got.numpy().astype(expected.dtype), expected, rtol=tolerance, atol=10 * tolerance)
    assert got.dtype is weft.asarray(given[0]).dtype


def test_cells_of_size_1_broadcast_and_empty_axes_add_nothing():
    assert weft.einsum("ij,jk->ik", np.ones((2, 1)), np.ones((3, 4))).tolist() == [[3.0] * 4] * 2
    assert weft.einsum("ij,jk->ik", np.ones((2, 0)), np.ones((0, 4))).tolist() == [[0.0] * 4] * 2
    assert weft.einsum("...i,...i->...", np.ones((2, 1, 3)), np.ones((4, 3))).tolist() == [[3.0] * 4] * 2


def test_dtypes_join_and_results_go_where_they_are_wanted():
    a, b = weft.asarray([[1, 2], [3, 4]], dtype="i2"), weft.bfloat16([1.0, 0.5])
    assert weft.einsum("ij,j", a, b).dtype is weft.float32
    out = np.zeros(2, ">f8")
    weft.einsum("ij,j->i", a, b, out=out)
    assert out.tolist() == [2.0, 5.0]


def test_gradients_go_through():
    a = weft.ones((2, 3)).requires_grad_()
    weft.einsum("ij,jk,k->", a, weft.arange(12.0).reshape(3, 4), [1.0, 0, 0, 2]).backward()
    assert a.grad.tolist() == [[6.0, 18.0, 30.0]] * 2


WRONG = {
    "count": (lambda: weft.einsum("ij,jk", np.ones((2, 3))), ShapeError, "'ij,jk' names 2 operands, and 1 are given"),
    "rank": (lambda: weft.einsum("ij", [1]), ShapeError, "einsum: 'ij' in 'ij' for an operand of rank 1"),
    "dots": (lambda: weft.einsum("i", [[1]]), ShapeError, "einsum: 'i' in 'i' for an operand of rank 2"),
    "unknown": (lambda: weft.einsum("i->j", [1]), ValueRangeError, "einsum: 'i->j' asks for 'j', which no operand has"),
    "twice": (lambda: weft.einsum("i->ii", [1]), ValueRangeError, "einsum: 'i->ii' asks for a name twice"),
    "digits": (lambda: weft.einsum("i1", [[1]]), ValueRangeError, "einsum: 'i1' in 'i1'; axes are named by letters"),
    "sizes": (lambda: weft.einsum("i,i", [1, 2], [1, 2, 3]), ShapeError, "einsum: axes named 'i' have sizes 2 and 3"),
    "diagonal": (lambda: weft.einsum("ii", [[1, 2]]), ShapeError, "einsum: a diagonal of axes of sizes 1 and 2"),
    "text": (lambda: weft.einsum(3, 4), DTypeError, "einsum: subscripts of class int; a text names axes"),
    "bools": (lambda: weft.einsum("i,i->i", [True], [True]), DTypeError, "einsum: bool operands"),
}  # fmt: skip

test_message = refusals(WRONG)
