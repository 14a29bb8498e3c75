"""One test for every message the public functions raise: the class, and what it tells."""

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft.errors import ArgumentError, AxisError, DTypeError, IndexOutOfBounds, ShapeError, ValueRangeError

V, M = weft.arange(3), weft.zeros((2, 3))
CASES = {
    # arguments
    "shape of floats": (lambda: weft.zeros(1.5), DTypeError, "zeros: shape 1.5; integers are needed"),
    "size of floats": (lambda: weft.zeros((1.5,)), DTypeError, "zeros: shape 1.5; it must be an integer"),
    "negative size": (lambda: weft.zeros(-1), ShapeError, "zeros: shape .-1,. has a negative size"),
    "rank": (lambda: weft.zeros((1,) * 65), ShapeError, "zeros: a result of rank 65; ranks go up to 64"),
    "record at once": (
        lambda: weft.zeros(3, requires_grad=True), ArgumentError, "zeros: requires_grad=True; .*zeros.*requires_grad_",
    ),
    "record of a field": (
        lambda: weft.random.normal(3, seed=1, requires_grad=True), ArgumentError, "normal: requires_grad=True; ",
    ),
    "too many cells": (lambda: weft.zeros(2**70), ShapeError, "zeros: the result would have shape"),
    "no such axis": (
        lambda: weft.sum(V, axis=1), AxisError, "sum: axis 1 of a tensor of rank 1; axes run from -1 to 0",
    ),
    "axis of rank 0": (lambda: weft.sum(weft.asarray(1), axis=0), AxisError, "there is no axis to name; leave"),
    "axis twice": (lambda: weft.sum(M, axis=(0, -2)), ShapeError, "sum: axes .0, -2. name an axis twice"),
    "axis of floats": (lambda: weft.sum(V, axis=0.0), DTypeError, "sum: axis 0.0; integers are needed"),
    "device": (lambda: weft.zeros(1, device="gpu"), ValueRangeError, "device: 'gpu' is no device; devices are 'cpu'"),
    "dtype": (lambda: weft.zeros(1, dtype="float99"), DTypeError, "dtype: 'float99' is not a"),
    # creation
    "arange step": (lambda: weft.arange(0, 5, 0), ValueRangeError, "arange: step 0"),
    "arange without end": (lambda: weft.arange(weft.inf), ValueRangeError, "no finite number of cells"),
    "arange beyond": (
        lambda: weft.arange(300, dtype=weft.uint8), ValueRangeError, "arange: 0 to 299 in uint8; it holds",
    ),
    "linspace number": (lambda: weft.linspace(0, 1, -1), ValueRangeError, "linspace: -1 values"),
    "full beyond": (
        lambda: weft.full(2, 300, dtype=weft.int8), ValueRangeError, "full: 300 beside int8; int8 holds -128",
    ),
    "tril of a vector": (lambda: weft.tril(V), ShapeError, "tril: a tensor of shape .3,.; matrices have two axes"),
    "meshgrid indexing": (lambda: weft.meshgrid(V, indexing="ji"), ValueRangeError, "meshgrid: indexing 'ji'"),
    "meshgrid rank": (lambda: weft.meshgrid(M), ShapeError, "meshgrid: operands of rank above 1"),
    "arange of text": (lambda: weft.arange("a"), DTypeError, "arange: 'a' is no number that serves here"),
    "full of text": (lambda: weft.full(2, "a"), DTypeError, "asarray: str has no numbers"),
    "dtype of lists": (lambda: weft.zeros(1, dtype=[1]), DTypeError, "dtype: an object of class list is not a"),
    "dtype of tensors": (lambda: weft.isdtype(V, "bool"), DTypeError, "dtype: an object of class Tensor is not a data"),
    "device of arrays": (lambda: weft.zeros(1, device=np.zeros(2)), ValueRangeError, "device: array(.*) is no device"),
    "from_dlpack": (lambda: weft.from_dlpack(3), DTypeError, "from_dlpack: int has no __dlpack__"),
    # elementwise
    "shapes": (
        lambda: V + weft.zeros(2), ShapeError, "add: shapes .3,. and .2,. do not broadcast; axis -1 has sizes 3 and 2",
    ),
    "kind": (lambda: weft.sin(weft.asarray(True)), DTypeError, "sin: bool operands; the operation is defined for"),
    "weak integer": (
        lambda: weft.asarray([1], dtype="u1") + 300, ValueRangeError, "add: 300 beside uint8; uint8 holds 0",
    ),
    "where condition": (lambda: weft.where(V, 1, 2), DTypeError, "where: a condition of dtype int64; it must be bool"),
    "astype complex": (lambda: weft.asarray([1j]).astype("f4"), DTypeError, "astype: complex128 to float32 would drop"),
    "astype order": (lambda: V.astype(">i4"), ValueRangeError, "astype: '>i4' names a byte order; results are native"),
    "times text": (lambda: V * "a", DTypeError, "multiply: 'a' beside a tensor of shape .3,.; texts are no cells"),
    "bytes times": (lambda: b"a" * V, DTypeError, "multiply: b'a' beside a tensor of shape .3,.; texts are no cells"),
    "foreign operand": (lambda: weft.add(V, "a"), DTypeError, "asarray: str has no numbers weft can read"),
    # manipulation
    "permutation": (lambda: weft.permute_dims(M, (0,)), ShapeError, "permute_dims: 1 axes for a tensor of rank 2"),
    "matrix transpose": (
        lambda: weft.matrix_transpose(V), ShapeError, "matrix_transpose: shape .3,.; matrices have two",
    ),
    "moveaxis": (lambda: weft.moveaxis(M, (0, 1), 0), ShapeError, "moveaxis: .0, 1. and .0,., axes and their places"),
    "squeeze": (lambda: weft.squeeze(M, 0), ShapeError, "squeeze: axis 0 has size 2; only axes of size 1 can go"),
    "broadcast_to": (lambda: weft.broadcast_to(M, (3, 2)), ShapeError, "broadcast_to: shape .2, 3. does not broadcast"),
    "window": (lambda: weft.sliding_window_view(V, 4), ShapeError, "sliding_window_view: extent 4 along axis 0 of"),
    "window axes": (lambda: weft.sliding_window_view(M, 2), ShapeError, "extents of the window and axes; give as many"),
    "reshape": (lambda: weft.reshape(V, (2, -1)), ShapeError, "reshape: 3 cells do not fill shape .2, -1."),
    "reshape view": (
        lambda: weft.reshape(M.T, 6, copy=False), ValueRangeError, "has no view of shape .6,.; cells would",
    ),
    "no parts": (lambda: weft.concat([]), ShapeError, "concat: no sequence of tensors"),
    "parts": (lambda: weft.concat([V, M]), ShapeError, "concat: part 0 has shape .3,. and part 1 .2, 3."),
    "stack": (lambda: weft.stack([V, weft.zeros(2)]), ShapeError, "stack: part 0 has shape .3,. and part 1 .2,."),
    "interleave": (lambda: weft.interleave([V, weft.arange(1)]), ShapeError, "interleave: part 0 has size 3"),
    "tile": (lambda: weft.tile(V, -1), ShapeError, "tile: repetitions .-1,. for shape .3,."),
    "repeat": (lambda: weft.repeat(V, -1), ShapeError, "repeat: count -1"),
    "repeat counts": (
        lambda: weft.repeat(V, weft.asarray([1, 2])), ShapeError, "repeat: counts .1, 2. for an axis of size 3",
    ),
    "roll": (lambda: weft.roll(M, (1, 2), axis=(0, 1, 0)), ShapeError, "roll: 2 shifts for 3 axes"),
    "pad mode": (lambda: weft.pad(V, 1, mode="nearest"), ValueRangeError, "pad: mode 'nearest'; modes are const"),
    "pad widths": (lambda: weft.pad(V, [(1, 1), (1, 1)]), ShapeError, "pad: 2 widths for a tensor of rank 1"),
    "pad triple": (lambda: weft.pad(V, [(1, 2, 3)]), ShapeError, "pad: widths .1, 2, 3. for one axis"),
    "pad negative": (lambda: weft.pad(V, (-1, 1)), ShapeError, "pad: width .-1, 1. along axis 0; widths are >= 0"),
    "pad widths kind": (lambda: weft.pad(V, None), DTypeError, "pad: widths None; integers are needed"),
    "pad values": (lambda: weft.pad(V, 1, constant_values=[(1, 2), (3, 4)]), ShapeError, "pad: values .* for 1 axes"),
    "pad empty": (lambda: weft.pad(weft.zeros(0), 1, mode="edge"), ShapeError, "pad: axis 0 is empty"),
    "unstack": (lambda: weft.unstack(V, axis=2), AxisError, "unstack: axis 2 of a tensor of rank 1"),
    # statistical
    "empty extreme": (lambda: weft.max(weft.zeros((0, 2))), ShapeError, "max: axes .0, 1. of shape .0, 2. are empty"),
    "complex extreme": (lambda: weft.min(weft.asarray([1j])), DTypeError, "min: complex128 operands; the operation is"),
    "scan axis": (lambda: weft.cumulative_sum(M), ShapeError, "cumulative_sum: shape .2, 3. and no axis"),
    "scan of bools": (lambda: weft.cumulative_sum(V, dtype=weft.bool), DTypeError, "cumulative_sum: bool cells"),
    "correction": (lambda: weft.var(V, correction="a"), DTypeError, "var: 'a' is no number that serves here"),
    "diff of nothing": (lambda: weft.diff(None), DTypeError, "asarray: NoneType has no numbers"),
    "diff": (lambda: weft.diff(V, n=-1), ShapeError, "diff: -1 differences"),
    # linear algebra
    "matmul of numbers": (lambda: weft.matmul(V, 2), ShapeError, "matmul: shapes .3,. and ..; operands have one axis"),
    "matmul": (lambda: M @ M, ShapeError, "matmul: shapes .2, 3. and .2, 3.; the last axis of the first has size 3"),
    "inverse of bools": (lambda: weft.linalg.inv(M > 0), DTypeError, "inv: bool cells; floats or complex numbers"),
    "matmul in place": (lambda: M.__imatmul__(V), ShapeError, "imatmul: a product of shape .2,. into shape .2, 3."),
    "tensordot count": (lambda: weft.tensordot(V, V), ShapeError, "tensordot: 2 axes of shapes .3,. and .3,."),
    "tensordot axes": (lambda: weft.tensordot(V, V, axes=None), DTypeError, "tensordot: axes None; a number of axes"),
    "tensordot pairs": (lambda: weft.tensordot(M, M, axes=((0,),)), ShapeError, "tensordot: axes ..0,.,.; two lists"),
    "tensordot lengths": (
        lambda: weft.tensordot(M, M, axes=((0,), (0, 1))), ShapeError, "tensordot: .0,. and .0, 1., axes",
    ),
    "tensordot sizes": (lambda: weft.tensordot(M, M, axes=((0,), (1,))), ShapeError, "paired axes agree in size"),
    "vecdot": (lambda: weft.vecdot(V, weft.arange(2)), ShapeError, "vecdot: axis -1 has sizes 3 and 2"),
    # searching, sorting, sets, taking
    "nonzero": (lambda: weft.nonzero(weft.asarray(1)), ShapeError, "nonzero: a tensor of rank 0 has no positions"),
    "searchsorted side": (lambda: weft.searchsorted(V, V, side="up"), ValueRangeError, "searchsorted: side 'up'"),
    "searchsorted rank": (lambda: weft.searchsorted(M, V), ShapeError, "searchsorted: x1 of shape .2, 3."),
    "sort": (lambda: weft.sort(weft.asarray([1j])), DTypeError, "sort: complex128 operands"),
    "isin": (lambda: weft.isin(1, 2), DTypeError, "isin: neither operand is a tensor"),
    "take": (lambda: weft.take(M, V), ShapeError, "take: shape .2, 3. and no axis"),
    "take bounds": (
        lambda: weft.take(V, weft.asarray([3])), IndexOutOfBounds, "index: position 3 along axis 0 of size 3",
    ),
    "take dtype": (lambda: weft.take(V, weft.asarray([0.0])), DTypeError, "take: indices of dtype float64"),
    "take_along_axis": (lambda: weft.take_along_axis(M, V), ShapeError, "take_along_axis: shapes .2, 3. and .3,."),
    # dtypes
    "result_type": (lambda: weft.result_type(), DTypeError, "result_type: no operands"),
    "isdtype": (lambda: weft.isdtype(weft.int8, "whole"), DTypeError, "isdtype: kind 'whole'; kinds are bool, signed"),
    "finfo": (lambda: weft.finfo(V), DTypeError, "finfo: int64 is no float"),
    "iinfo": (lambda: weft.iinfo(M), DTypeError, "iinfo: float64 is no integer"),
    "dtypes": (lambda: weft.__array_namespace_info__().dtypes(kind="x"), DTypeError, "dtypes: kind 'x'; kinds are"),
    # tensors
    "T": (lambda: weft.zeros((1, 2, 3)).T, ShapeError, "T: shape .1, 2, 3.; matrices and vectors have a transpose"),
    "to_device": (lambda: V.to_device("cuda"), ValueRangeError, "device: 'cuda' is no device; devices"),
    "to_device stream": (lambda: V.to_device("cpu", stream=1), ValueRangeError, "stream: 1 for cpu; a stream serves"),
    "namespace": (lambda: V.__array_namespace__(api_version="1.0"), ValueRangeError, "version '1.0' is unknown"),
    "iteration": (lambda: iter(weft.asarray(1)), TypeError, "iter: a tensor of rank 0 has no axis"),
    "length": (lambda: len(weft.asarray(1)), TypeError, "len: a tensor of rank 0 has no axes"),
    "item": (lambda: V.item(), ValueRangeError, "item: 3 values of shape .3,.; one is needed"),
    "truth": (lambda: bool(V), ValueRangeError, "bool: the tensor has shape .3,.; only one value has a truth"),
    "float of complex": (lambda: float(weft.asarray(1j)), DTypeError, "float: a complex128 value"),
    "index of a vector": (lambda: range(9)[V], TypeError, "index: a tensor of shape .3,.; only rank 0 serves"),
    "index of a float": (lambda: range(9)[weft.asarray(1.0)], DTypeError, "index: a float64 value"),
    "the class": (lambda: weft.Tensor(), TypeError, "Tensor: the class is called with a shape"),
    "a mode": (lambda: weft.set_deterministic(object()), DTypeError, "set_deterministic: on=<object .*it is a switch"),
    "a mode of a block": (lambda: weft.deterministic("no"), DTypeError, "deterministic: on='no'; it is a switch"),
    "a mode of checks": (lambda: weft.set_checking(None), DTypeError, "set_checking: on=None; it is a switch"),
    "array without copy": (lambda: V.__array__("f4", copy=False), ValueError, "__array__: int64 as float32"),
    # imports
    "ragged": (lambda: weft.asarray([[1], [1, 2]]), ValueRangeError, "asarray: nested lists of unequal lengths"),
    "big integers": (lambda: weft.asarray([2**70]), DTypeError, "asarray: values with no common dtype"),
    "strings": (lambda: weft.asarray(["a"]), DTypeError, "asarray: str has no numbers weft can read"),
    "no numbers": (lambda: weft.asarray({}), DTypeError, "asarray: dict has no numbers weft can read"),
    "dates": (lambda: weft.asarray(np.zeros(1, "M8[s]")), DTypeError, "has no weft counterpart"),
    "masked": (lambda: weft.asarray(np.ma.array([1])), DTypeError, "asarray: a masked array"),
    "list without copy": (lambda: weft.asarray([1], copy=False), ValueRangeError, "a list has no memory to share"),
    "array dtype without copy": (
        lambda: weft.asarray(np.zeros(1), dtype="f4", copy=False), ValueRangeError, "need a copy",
    ),
    "tensor without copy": (lambda: weft.asarray(V, dtype="f4", copy=False), ValueRangeError, "int64 as float32 needs"),
    "order without copy": (
        lambda: weft.asarray(V, dtype=">i8", copy=False), ValueRangeError, "little-endian cells as big",
    ),
    "values beyond": (
        lambda: weft.asarray([300], dtype="u1"), ValueRangeError, "asarray: values from 300 to 300 as uint8",
    ),
    "complex import": (lambda: weft.asarray([1j], dtype="f8"), DTypeError, "asarray: complex128 to float64 would drop"),
    # settings, random
    "transformer": (lambda: weft.transformer("gpu"), ValueRangeError, "transformer: 'gpu' is unknown; known are cpu"),
    "passes": (lambda: weft.without("magic").__enter__(), ValueRangeError, "without: .* rule is called 'magic'"),
    "threads": (lambda: weft.set_num_threads(0), ValueRangeError, "set_num_threads: 0 threads"),
    "threads kind": (lambda: weft.set_num_threads(1.5), DTypeError, "set_num_threads: 1.5 is no integer"),
    "threads switch": (lambda: weft.set_num_threads(True), DTypeError, "set_num_threads: True is no integer"),
    "compute": (lambda: weft.compute("a"), DTypeError, "asarray: str has no numbers"),
    "explain": (lambda: weft.explain("a"), DTypeError, "asarray: str has no numbers"),
    "seed": (lambda: weft.random.uniform(3, seed=1.5), DTypeError, "uniform: seed 1.5; it must be an integer"),
    "seed range": (lambda: weft.random.uniform(3, seed=-1), ValueRangeError, "random: seed -1; it must be in"),
    "interval": (
        lambda: weft.random.uniform(3, seed=1, low=1, high=1), ValueRangeError, "uniform: the interval .1, 1.",
    ),
    "deviation": (lambda: weft.random.normal(3, seed=1, std=-1), ValueRangeError, "normal: deviation -1"),
    "range": (lambda: weft.random.integers(3, seed=1, low=3, high=3), ValueRangeError, "integers: the range .3, 3."),
    "probability": (lambda: weft.random.bernoulli(3, seed=1, p=2), ValueRangeError, "bernoulli: probability 2"),
    # what is no tensor, no list of tensors, no allocator, no path
    "one to join": (lambda: weft.concat(5), ShapeError, "concat: no sequence of tensors"),
    "one to flatten": (lambda: weft.concat(3, axis=None), ShapeError, "concat: no sequence of tensors"),
    "rank 0 to join": (lambda: weft.stack(np.array(1)), ShapeError, "stack: no sequence of tensors"),
    "one side by side": (lambda: weft.hstack(1.5), ShapeError, "hstack: no sequence of tensors"),
    "one below": (lambda: weft.vstack(V), ShapeError, "vstack: no sequence of tensors"),
    "sorter": (lambda: weft.searchsorted(V, 1, sorter=0), ShapeError, "searchsorted: a sorter of shape .. for x1"),
    "bound": (lambda: weft.all_less(V, np.zeros(2)), DTypeError, "all_less: a bound of .*; one number is needed"),
    "order": (lambda: weft.ravel(V, order=[]), ValueRangeError, "ravel: order ..; orders are 'C'"),
    "kind of": (lambda: weft.kind([1]), DTypeError, "kind: list is no tensor; one is asked about"),
    "is placeholder": (lambda: weft.is_placeholder(2), DTypeError, "is_placeholder: int is no tensor"),
    "variables of": (lambda: weft.variables(2), DTypeError, "variables: int is no tensor"),
    "acts of": (lambda: weft.implicit_acts("a"), DTypeError, "implicit_acts: str is no tensor"),
    "event": (lambda: weft.cpu.create_stream().wait(3), DTypeError, "wait: int is no event; .*pass stream.record"),
    "work": (lambda: weft.cpu.create_stream().run(3), DTypeError, "run: int is no function"),
    "allocator": (lambda: weft.storage(3, allocator="x"), DTypeError, "storage: str is no allocator; give a weft.Heap"),
    "memory of numbers": (lambda: weft.storage_of(3), DTypeError, "storage_of: a int has no memory of cells"),
    "memory's name": (lambda: weft.storage_of(shared="x"), ValueRangeError, "'x' is no name of .*; give storage.name"),
    "file of numbers": (lambda: weft.storage_of(file=3), ValueRangeError, "storage_of: int as a file; a path names it"),
    "field dtype": (lambda: weft.random.uniform(3, seed=1, dtype="i4"), DTypeError, "random: uniform of int32"),
}  # fmt: skip


@for_each("name", CASES)
def test_message(name):
    wrong, kind, says = CASES[name]
    with weft.transformer("reference"), pytest.raises(kind, match=says):
        wrong()


def test_the_class_says_what_makes_tensors():
    with pytest.raises(TypeError, match=r"Tensor: the class is called with a shape"):
        weft.Tensor([1, 2])


def test_the_class_takes_every_integer_as_a_size():
    for shape in (np.int64(3), (np.int8(3),), weft.asarray(3), 3):
        assert weft.ndarray(shape).shape == (3,)


def test_an_unknown_operand_is_left_to_python():
    with pytest.raises(TypeError, match="unsupported operand"):
        V + "a"
    assert weft.asarray(2) * "ab" == "abab"
    assert (V == "a") is False and (V != None) is True  # noqa: E711
