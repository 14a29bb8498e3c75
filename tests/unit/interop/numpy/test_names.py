"""NumPy's names in weft: its objects as they are, its functions with tensors, the methods of ufuncs, its errors."""

from typing import Any

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft import errors
from weft.interop.numpy import names

# Calls of every function of NumPy's that weft has by its name; those that write are given a target as `x`.
CALLS = """
array_equiv([1, 2], [[1, 2]]); array_equiv(3, [4]); bitwise_count([3, 255])
copyto(x, [9.0, 8.0, 7.0]); copyto(x, 5, where=np.asarray([True, False, True])); ediff1d([1, 4, 9], to_end=[7])
einsum_path("ij,jk->ik", [[1]], [[2]])[0]; extract([True, False], [5, 6]); frombuffer(b"abc", dtype="u1")
fromiter(range(3), float); fromstring("1 2 3", sep=" "); hsplit(m, 2); vsplit(m, [1])
dsplit(m[None], 2); mask_indices(3, np.triu); matvec([[1, 2], [3, 4]], [1, 1]); vecmat([1, 1], [[1, 2], [3, 4]])
place(x, [True, False, True], [7.0]); put(x, [0, 2], [5.0, 6.0]); putmask(x, [True, False, False], 4)
resize([1, 2, 3], (2, 2)); rollaxis(m, 1); sort_complex([2, 1j]); spacing([1.0, 3.0])
add.reduce([[1, 2], [3, 4]]); add.reduce([[1, 2], [3, 4]], 1); multiply.reduce([2, 3], keepdims=True)
maximum.accumulate([1, 3, 2]); add.accumulate([[1, 2], [3, 4]], axis=1); subtract.outer([1, 2], [3, 4])
add.reduceat([1, 2, 3, 4], [0, 2]); add.at(x, [0, 0], 1.5); logical_and.reduce([True, False]); lcm.reduce([4, 6])
hypot.outer(3.0, [4.0]); gcd.reduce([12, 18]); heaviside.outer([-1.0, 0.0], [0.5]); true_divide.outer([1], [2])
minimum.reduce([[3, 1], [2, 5]], axis=None); bitwise_or.reduce([1, 2, 4]); vectorize(max)([1, 5], 3)
vectorize(lambda a, b=1: a + b, otypes=[float])([1, 2], b=2); vectorize(otypes=[int])(abs)([-1.5])
ascontiguousarray(m); atleast_1d(1, [2, 3]); atleast_2d(1, [2, 3]); atleast_3d(m, 2)
asfortranarray([[1, 2], [3, 4]]); nancumsum([1, np.nan]); savez_compressed(file, a=[1, 2])
"""


def leaves(found: Any) -> list[np.ndarray]:
    """Return the numbers and arrays of nested results as arrays."""
    return [leaf for x in found for leaf in leaves(x)] if isinstance(found, (list, tuple)) else [np.asarray(found)]


@for_each("call", [call.strip() for line in CALLS.strip().splitlines() for call in line.split("; ")])
def test_calls_give_what_numpy_gives(call, tmp_path):
    made = []
    for space in (np, weft):
        x = space.asarray([1.0, 2.0, 3.0])
        scope = {"space": space, "np": np, "x": x, "m": space.asarray([[1, 2], [3, 4]]), "file": tmp_path / "a.npz"}
        made.append([eval(f"space.{call}", scope), x])
    assert not any(isinstance(part, np.ndarray) for part in made[1])
    for ours, theirs in zip(*map(leaves, made), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


@for_each("name", sorted(names.AS_THEY_ARE))
def test_objects_of_numpy_are_given_as_they_are(name):
    assert getattr(weft, name) is getattr(np, name)


@for_each("name", sorted(names.CALLED | names.AS_THEY_ARE))
def test_names_are_no_names_of_weft(name):
    assert name not in weft.__all__ and hasattr(np, name)


def test_objects_of_numpy_take_tensors():
    x = weft.asarray([[1.5, 2.0]])
    with weft.printoptions(precision=1):
        assert weft.array2string(x) == str(x) == "[[1.5 2. ]]"
    assert [(at, float(v)) for at, v in weft.ndenumerate(x)] == [((0, 0), 1.5), ((0, 1), 2.0)]
    assert weft.issubdtype(x.dtype, weft.floating) and not weft.issubdtype(weft.int8, weft.unsignedinteger)
    assert weft.poly1d(x[0])(2.0) == 5.0 and x[weft.s_[0, 1:]].tolist() == [2.0]
    assert weft.polynomial.Polynomial(x[0])(x).tolist() == [[4.5, 5.5]]
    assert isinstance(x, weft.ndarray) and weft.ones(2, dtype=weft.dtype("f4")).dtype is weft.float32


def test_functions_are_lazy_where_weft_has_what_they_need():
    x = weft.ones((2, 4))
    parts = [*weft.hsplit(x, 2), weft.add.outer(x, x), weft.subtract.reduce(x[0, :1])]
    assert all(p._place.node.value is None for p in parts[2:3])
    with weft.strict("allow") as acts:
        weft.ediff1d(x)
    assert [act.act for act in acts] == ["numpy"]
    with pytest.raises(errors.GradientError):
        weft.ediff1d(weft.ones(3).requires_grad_())


FAULTS = {
    "no argument": (lambda: weft.ediff1d(), errors.ArgumentError, "ediff1d: .*; give what numpy.ediff1d takes"),
    "a keyword": (lambda: weft.add.outer([1], [2], foo=3), errors.ArgumentError, "add.outer: "),
    "a position": (lambda: weft.put(weft.ones(3), [9], 1), errors.IndexOutOfBounds, "put: index 9 is out of bounds"),
    "an axis": (lambda: weft.hypot.reduce([1.0], axis=4), errors.AxisError, "hypot.reduce: axis 4"),
    "a text": (lambda: weft.fromiter(iter(["a"]), float), errors.ValueRangeError, "fromiter: could not convert"),
    "a target": (lambda: weft.add.at([1, 2], 0, 1), errors.ArgumentError, "add.at: "),
    "no function": (lambda: weft.vectorize(3), errors.ArgumentError, "vectorize: "),
    "a mode": (lambda: weft.errstate(divide="raise"), errors.ArgumentError, r"errstate: divide='raise'; .*'error'"),
    "another mode": (lambda: weft.errstate(all="warn"), errors.ArgumentError, r"errstate: all='warn'; .*'warn'"),
    "a mode for all": (lambda: weft.seterr(invalid="raise"), errors.ArgumentError, "seterr: invalid='raise'; "),
    "a setting": (lambda: weft.errstate(foo="ignore"), errors.ArgumentError, "errstate: "),
}


@for_each("fault", FAULTS)
def test_faults(fault):
    call, kind, message = FAULTS[fault]
    with pytest.raises(kind, match=message):
        call()


def test_errors_of_users_functions_are_theirs():
    def refuse(_: float) -> float:
        raise ValueError("not mine")

    with pytest.raises(ValueError, match=r"^not mine$"):
        weft.vectorize(refuse)([1.0])


def test_errors_of_floats_are_ignored_as_a_program_of_numpy_asks():
    with weft.errstate(divide="ignore", invalid="ignore"):
        assert weft.asarray([1.0]) / 0 == np.inf
    before = weft.seterr(all="ignore")
    assert weft.geterr()["over"] == "ignore" and weft.seterr(**before) != before == weft.geterr()


def test_texts_are_read_as_numbers_of_a_dtype():
    assert weft.asarray(["1", "2.5", "-3e2"], dtype=float).tolist() == [1.0, 2.5, -300.0]
    assert weft.array([["1", "2"], ["3", "4"]], dtype="i2").tolist() == [[1, 2], [3, 4]]
    assert weft.asarray(["0.1"], dtype=weft.bfloat16).dtype is weft.bfloat16
    for texts, dtype in ((["1", "a"], float), (["300"], "i1"), ([["1"], ["2", "3"]], float), (["1.5"], int)):
        with pytest.raises(errors.ValueRangeError, match=r"asarray: .*; mend them first"):
            weft.asarray(texts, dtype=dtype)
    with pytest.raises(errors.DTypeError, match="asarray: texts as bool"):
        weft.asarray(["True"], dtype=bool)
    with pytest.raises(errors.DTypeError, match="asarray: str has no numbers"):
        weft.asarray(["1"])
