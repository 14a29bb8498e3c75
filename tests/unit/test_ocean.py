"""Ocean's names: all of them are there, and do what its manual shows, in weft's order of axes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest

import weft
from weft import ocean
from weft.errors import DomainError, DTypeError, ShapeError, StrictError, ValueRangeError

TEXT = """
getAutoBroadcast setAutoBroadcast getAutoTypecast setAutoTypecast getBufferCount setBufferCount getMaxBufferSize
setMaxBufferSize getDefaultDType setDefaultDType getDefaultDevice setDefaultDevice getDefaultMathMode setDefaultMathMode
getScalarCastMode setScalarCastMode getWarningMode setWarningMode setDisplayWidth setDebugMode getImportTypes
getExportTypes devices storage tensor stream index asTensor zeros ones full tensorLike zerosLike onesLike fullLike eye
diag arange linspace cast ensure checkOverlap checkSelfOverlap merge find
add subtract scale divide trueDivide floorDivide mod fmod power square min max fmin fmax negative reciprocal fabs
absolute sign ceil floor trunc round conj fill zero fillNaN sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh
arccosh arctanh exp exp2 exp10 expm1 log log2 log10 log1p sqrt cbrt isinf isnan isfinite isposinf isneginf gemm multiply
logicalAnd logicalOr logicalXor logicalNot bitwiseAnd bitwiseOr bitwiseXor bitwiseNot bitshiftLeft bitshiftRight
any all allFinite anyInf anyNaN nnz nnzNaN sum sumNaN sumAbs sumAbsNaN prod prodNaN minimum maximum minimumAbs
maximumAbs norm norm1 norm2 normInf normNaN allLT allLE allGT allGE allInRange transpose ctranspose
bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 half float double chalf cfloat cdouble true false inf nan pi e
"""
NAMES = TEXT.split()


def test_every_name_is_there() -> None:
    assert [name for name in NAMES if not hasattr(ocean, name)] == []
    assert sorted(set(ocean.__all__) - set(NAMES)) == ["cpu"]


def test_destinations_and_modes_come_last() -> None:
    b = weft.zeros(2, dtype=">f4")
    assert ocean.sqrt([4.0, 9.0], b) is None and b.tolist() == [2.0, 3.0]
    assert ocean.sqrt([1.0, -1.0], "c").tolist() == [1, 1j]
    with pytest.raises(DomainError):
        ocean.sqrt([1.0, -1.0], "e").tolist()
    assert ocean.add([1, 2], 3, b) is None and b.tolist() == [4.0, 5.0]
    with pytest.raises(ValueRangeError, match="sqrt: mode 'x'"):
        ocean.sqrt([1.0], "x")


def test_quotients() -> None:
    a, b = ocean.int8([4, 4, 5]), ocean.int8([-3, 3, 0])
    assert ocean.divide(a, b).tolist() == ocean.floorDivide(a, b).tolist() == [-2, 1, 0]
    assert ocean.trueDivide(a, b).tolist() == [-1, 1, 0]
    assert ocean.divide([1.0], 0.0).tolist() == [weft.inf]
    assert ocean.mod([-20, 20], [3, -3]).tolist() == [1, -1]


def test_products() -> None:
    a = weft.asarray([[1.0, 2.0], [3.0, 4.0]])
    c = weft.ones((2, 2))
    assert ocean.gemm(2, a, "T", a, "N", 10, c) is None
    assert c.tolist() == (2 * a.numpy().T @ a.numpy() + 10).tolist()
    assert ocean.multiply(a, a, "T").tolist() == (a.numpy() @ a.numpy().T).tolist()
    d = weft.zeros((2, 2))
    assert ocean.multiply(a, a, d) is None and d.tolist() == (a.numpy() @ a.numpy()).tolist()


def test_the_rule_of_transposes() -> None:
    v = ocean.asTensor([1, 2, 3])
    assert ocean.transpose(v).shape == (1, 3)
    assert ocean.transpose(ocean.transpose(v)).shape == (3,)
    assert ocean.transpose(weft.zeros((1, 1))).shape == ()
    assert ocean.transpose(weft.zeros((2, 3, 4))).shape == (3, 2, 4)
    t = ocean.transpose(v)
    t[0, 1] = 20
    assert v.tolist() == [1, 20, 3]
    assert ocean.ctranspose([[1 + 2j]]).tolist() == 1 - 2j


def test_reductions() -> None:
    x = ocean.int8([[-128, 1], [2, -3]])
    assert (ocean.maximumAbs(x).item(), ocean.maximumAbs(x).dtype) == (128, weft.uint8)
    assert (ocean.sumAbs(x).item(), ocean.sumAbs(x).dtype) == (134, weft.uint64)
    assert ocean.minimumAbs(x, [0]).tolist() == [2, 1]
    assert ocean.sum(x, 1, True).tolist() == [[-127], [-1]]
    b = weft.zeros(2, dtype=">f8")
    assert ocean.sum(x, 1, False, b) is None and b.tolist() == [-127.0, -1.0]
    y = [1.0, weft.nan, -3.0]
    assert (ocean.sumNaN(y).item(), ocean.sumAbsNaN(y).item(), ocean.maximum(y).item()) == (-2.0, 4.0, 1.0)
    assert (ocean.nnz(y).item(), ocean.nnzNaN(y).item(), ocean.normNaN(y, 1).item()) == (3, 2, 4.0)
    assert ocean.norm(ocean.int8([1, -3, 2]), 3).item() == pytest.approx(36 ** (1 / 3))
    assert ocean.allInRange([1, 2, 3], 0, 3, False).item() is False
    assert ocean.allLE([1, 2, 3], 100000).item() is True and ocean.allGT([1, 2], 0.5).item() is True


def test_constructors_take_what_there_is() -> None:
    assert ocean.tensor([3, 4], "F", ocean.float).strides == (4, 12)
    assert ocean.tensor([3, 5], [1, 3], ocean.int16).strides == (2, 6)
    assert ocean.tensor([3, 5], [3, 9], 1, ocean.int16).strides == (3, 9)
    s = ocean.storage(12, ocean.int16)
    s.tensor()[...] = np.arange(12)
    assert ocean.tensor(s, 0, [3, 4], [4, 1]).tolist()[2] == [8, 9, 10, 11]
    assert ocean.tensor(s, 2, [3, 3]).tolist()[0] == [2, 3, 4]
    assert ocean.asTensor([[1], [2, 3]], 0).tolist() == [[1, 0], [2, 3]]
    assert ocean.zeros([2], ocean.cpu, ocean.int8).dtype is weft.int8
    assert ocean.full([2], 3.0).tolist() == ocean.fullLike(weft.zeros(2), 3).tolist() == [3.0, 3.0]
    assert ocean.eye(2, 3, 1).tolist() == [[0, 1, 0], [0, 0, 1]]
    assert ocean.diag([1, 2], 1).shape == (3, 3)
    values, step = ocean.linspace(0, 10, 5, False, True)
    assert values.tolist() == [0, 2, 4, 6, 8] and float(step) == 2
    assert ocean.merge([[1, 2], [3]], 0).tolist() == [1, 2, 3]
    out = weft.zeros(3, dtype=weft.float32)
    assert ocean.merge([[1, 2], [3]], 0, out) is None and out.tolist() == [1, 2, 3]
    assert ocean.cast([1.5], ocean.int8).tolist() == ocean.ensure([1], ocean.int8).tolist() == [1]
    assert ocean.stream(ocean.cpu).device == "cpu"
    x = weft.asarray([weft.nan, 1.0])
    ocean.fillNaN(x, 5)
    assert x.tolist() == [5.0, 1.0]
    ocean.fill(x, 2)
    assert x.tolist() == [2.0, 2.0]
    ocean.zero(x)
    assert x.tolist() == [0.0, 0.0]


@pytest.fixture
def restored() -> Iterator[None]:
    checked = weft.is_checking()
    kept = (ocean.getDefaultDType(), ocean.getDefaultDevice(), np.get_printoptions()["linewidth"], warnings.filters[:])
    yield
    ocean.setDefaultDType(kept[0])
    ocean.setDefaultDevice(kept[1])
    ocean.setDisplayWidth(kept[2])
    warnings.filters[:] = kept[3]
    ocean.setAutoBroadcast(True)
    ocean.setAutoTypecast(True)
    ocean.setDefaultMathMode("-")
    weft.set_checking(checked)  # what the debug mode sets


@pytest.mark.usefixtures("restored")
def test_settings() -> None:
    ocean.setAutoBroadcast(False)
    assert not ocean.getAutoBroadcast()
    with pytest.raises(StrictError):
        weft.zeros((2, 2)) + weft.zeros(2)
    ocean.setAutoBroadcast(True)
    ocean.setAutoTypecast(False)
    assert not ocean.getAutoTypecast() and ocean.getAutoBroadcast()
    with pytest.raises(StrictError):
        ocean.int16([1]) + 3.2
    ocean.setAutoTypecast(True)
    ocean.setDefaultDType(ocean.int8)
    assert ocean.getDefaultDType() is weft.int8
    ocean.setDefaultMathMode("e")
    assert ocean.getDefaultMathMode() == "e"
    ocean.setDisplayWidth(20)
    assert "\n" in repr(weft.arange(30))
    ocean.setWarningMode(0)
    assert ocean.getWarningMode() == 0
    count = ocean.getBufferCount(ocean.cpu)
    ocean.setBufferCount("CPU", count + 1)
    assert ocean.cpu.buffer_count == count + 1
    ocean.setBufferCount(ocean.cpu, count)
    size = ocean.getMaxBufferSize()
    ocean.setMaxBufferSize(size)
    assert ocean.getScalarCastMode() == 1
    for wrong in (lambda: ocean.setScalarCastMode(0), lambda: ocean.setWarningMode(7),
                  lambda: ocean.setDefaultMathMode("q")):  # fmt: skip
        with pytest.raises(ValueRangeError):
            wrong()
    assert "numpy" in ocean.getImportTypes() and "numpy" in ocean.getExportTypes()


def test_forms_of_constructors() -> None:
    s = weft.storage(12, weft.int16)
    s.tensor()[...] = np.arange(12, dtype=np.int16)
    assert ocean.tensor(s, 0, [3, 4], [4, 1]).tolist() == np.arange(12).reshape(3, 4).tolist()
    assert ocean.tensor(s, 2, [3, 3], "F").tolist() == np.arange(2, 11).reshape(3, 3).T.tolist()
    assert ocean.tensor(s, [2, 2]).tolist() == [[0, 1], [2, 3]] and ocean.tensor(s).shape == (12,)
    stream = ocean.stream(weft.device("thread", 1))
    assert ocean.tensor([2, 3], ocean.int8, stream, "F").strides == (1, 2)
    assert ocean.storage(4, ocean.int8, stream).device is stream.device
    assert ocean.linspace(0, 10, 5, ocean.float).dtype is ocean.linspace(0, 10, ocean.float).dtype is weft.float32
    assert ocean.diag([1, 2], ocean.float).dtype is weft.float32 and ocean.diag([1, 2], 1, ocean.half).shape == (3, 3)
    assert ocean.asTensor([[1, 2], [3, 4]], "F").strides == (8, 16)
    assert ocean.asTensor([[1], [2, 3]], 0, "R").tolist() == [[1, 0], [2, 3]]
    x = weft.asarray([[5, 6], [7, 8]])
    assert x[ocean.find([[0, 1], [1, 0]])].tolist() == [6, 7]


def test_products_into_a_factor() -> None:
    a, b = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 0.0], [2.0, 1.0]])
    x, y = weft.array(a), weft.array(b)
    assert ocean.multiply(x, "T", y, "T", y) is None and y.tolist() == (a.T @ b.T).tolist()
    assert ocean.multiply(x, x, x) is None and x.tolist() == (a @ a).tolist()
    assert ocean.multiply(a, a, "T").tolist() == (a @ a.T).tolist()


def test_norms_into_a_destination() -> None:
    a, b = np.arange(24.0).reshape(2, 3, 4), weft.zeros((3, 4), dtype=">f4")
    assert ocean.norm1(a, np.int64(0), False, b) is None and b.tolist() == a.sum(axis=0).tolist()
    assert ocean.norm(a, 2, [0, 1], True).shape == (1, 1, 4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ocean.negative([1.0], "e"), "negative: mode 'e'; it is defined for every number"),
        (lambda: ocean.sqrt([1.0], weft.zeros(1), weft.zeros(1)), "sqrt: two of destination or mode"),
        (lambda: ocean.sqrt([1.0], "e", "w"), "sqrt: two of destination or mode"),
        (lambda: ocean.gemm(1, [[1]]), "gemm: 0 operands after the first"),
        (lambda: ocean.gemm(1, [[1]], [[1]], 3), "gemm: 2 operands after the first"),
        (lambda: ocean.gemm(1, [[1]], [[1]], 2, weft.zeros((1, 1)), "T"), "gemm: flag 'T' after the factors"),
        (lambda: ocean.multiply([[1]]), "multiply: 0 operands after the first"),
        (lambda: ocean.tensor(ocean.int8), "tensor: a dtype or a device without a size"),
        (lambda: ocean.sum([1], []), "sum: an empty list of axes"),
        (lambda: ocean.norm([1.0], -1), "norm: p=-1"),
        (lambda: ocean.allInRange([1], 1), "allInRange: 1 bounds"),
        (lambda: ocean.setBufferCount("none", 3), "devices: type 'none' is unknown"),
    ],
)
def test_refusals(call, message: str) -> None:
    with pytest.raises(ValueRangeError, match=message):
        call()


def test_destinations_are_tensors_of_the_shape() -> None:
    with pytest.raises(ShapeError, match="sum: a result"):
        ocean.sum([[1.0], [2.0]], 0, False, weft.zeros(2))
    with pytest.raises(DTypeError, match="fill: a list"):
        ocean.fill([1], 3)
