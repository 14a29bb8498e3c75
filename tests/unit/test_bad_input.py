"""Bad input raises a documented exception in the form of the messages: op: fact; reason; what to do."""

import errno
import os
import pickle
import re
import subprocess
import sys
from typing import ClassVar

import numpy as np
import pytest

import weft
from tests.cases import for_each
from weft import errors
from weft.cli.expression import expression_value
from weft.errors import (
    ArgumentError,
    DTypeError,
    ExpressionError,
    FileFormatError,
    OutOfMemory,
    ShapeError,
    ValueRangeError,
    WriteError,
)

X = weft.ones((2, 3))
SEVERAL = np.int8([1, 2])
RNG = weft.random.default_rng(1)
GRAPH = weft.show(weft.asarray(np.ones(2)).realize() + 1)
HALF = "\ud800"


class Claim:
    """An object that claims to have a terabyte of cells."""

    __array_interface__: ClassVar = {"shape": (10**12,), "typestr": "<f8", "data": (4096, True), "version": 3}


class Sparse:
    """The attributes of a sparse array of SciPy."""

    shape, ndim, nnz, dtype = (3, 3), 2, 3, np.dtype("f8")

    def toarray(self):
        return np.eye(3)


class SparseRows(Sparse):
    """The attributes of SciPy's sparse array of rows, some of which raise when they are read."""

    def __iter__(self):
        raise NotImplementedError


CALLS = {
    "parse a tensor": (lambda: weft.parse(X), DTypeError, "parse: Tensor is no text"),
    "parse nothing": (lambda: weft.parse(None), DTypeError, "parse: NoneType is no text"),
    "leaves of bytes": (lambda: weft.parse(GRAPH, leaves=bytearray(b"ab")), DTypeError, "parse: leaves bytearray"),
    "leaves of numbers": (lambda: weft.parse(GRAPH, leaves=[1]), DTypeError, "parse: leaves [1]; they are tensors"),
    "no leaves": (lambda: weft.parse(GRAPH), ValueRangeError, "parse: '%0 = leaf float64[2]' is a stored"),
    "computation of a number": (lambda: weft.computation(1), DTypeError, "computation: outputs 1"),
    "a step that wrote": (lambda: weft.sequential([None]), DTypeError, "sequential: step 0 is None"),
    "computation of a set": (lambda: weft.computation({X}, X), DTypeError, "computation: outputs {Tensor"),
    "computation of numbers": (lambda: weft.computation([1]), DTypeError, "computation: an output of type int"),
    "implement": (lambda: weft.modules.implement(X, 2, "a"), DTypeError, "implement: module Tensor"),
    "stream": (lambda: weft.ocean.stream([1]), ValueRangeError, "device: [1] is no device"),
    "dlpack stream": (lambda: X.__dlpack__(stream=""), ValueRangeError, "dlpack: stream ''"),
    "store a tensor": (lambda: weft.store(X), DTypeError, "store: Tensor"),
    "store a number": (lambda: weft.store(3), DTypeError, "store: 3 names no files"),
    "store numbers": (lambda: weft.store([1]), DTypeError, "store: [1] names no files"),
    "overlap": (lambda: weft.overlap(X, None), DTypeError, "asarray: NoneType has no numbers"),
    "overlap of boxes": (lambda: weft.check_overlap((2,), None, 0, 1, (2,), (1,), 0, 1), DTypeError, "check_overlap"),
    "boxes of nothing": (lambda: weft.check_overlap((2,), (1,), 0, 0, (2,), (1,), 0, 1), ValueRangeError, "0 bytes"),
    "negative boxes": (lambda: weft.check_self_overlap((-2,), (1,)), ValueRangeError, "shape (-2,)"),
    "sizes and strides": (lambda: weft.check_self_overlap((2, 3), (1,)), ShapeError, "sizes and strides; give as many"),
    "text for a shape": (lambda: weft.check_self_overlap("a", "a"), DTypeError, "check_self_overlap: shape 'a'"),
    "a terabyte": (lambda: weft.asarray(Claim()), ValueRangeError, "8000000000000 bytes for cells of shape"),
    "gradients of a number": (lambda: weft.autograd.grad(3.5, 2), DTypeError, "grad: outputs 3.5; several are needed"),
    "gradients of numbers": (lambda: weft.autograd.grad([3.5], X), DTypeError, "gradients: float is no tensor"),
    "decimals": (lambda: X.round(np.ones(3)), DTypeError, "round: decimals array([1., 1., 1.])"),
    "a flag": (lambda: weft.unique(2, np.ones(3)), DTypeError, "unique: return_index=array"),
    "bins": (lambda: weft.histogram(X, 10**20), OutOfMemory, "histogram: 100000000000000000000 bins"),
    "a number to load": (lambda: weft.loadtxt(3), FileFormatError, "loadtxt: fname must be a string"),
    "an option": (lambda: weft.loadtxt(["1"], nonsense=1), ArgumentError, "loadtxt: loadtxt() got an unexpected"),
    "a delimiter": (lambda: weft.loadtxt(["1"], delimiter=3), ArgumentError, "loadtxt: Text reading control"),
    "text for numbers": (lambda: weft.loadtxt(["a"]), FileFormatError, "loadtxt: could not convert string"),
    "nothing to load": (lambda: weft.genfromtxt(None), ArgumentError, "genfromtxt: fname must be a string"),
    "no such text": (lambda: weft.loadtxt("none.txt"), errors.MissingFileError, "loadtxt: none.txt: nothing is there"),
    "a number to save to": (lambda: weft.savetxt(3, X), FileFormatError, "savetxt: fname must be a string"),
    "a list for a module": (lambda: weft.modules.Module([1]), ValueRangeError, "Module: name [1]"),
    "a number for a folder": (lambda: weft.FileMemory(float("nan")), DTypeError, "FileMemory: directory nan"),
    "merge": (lambda: weft.ocean.merge(3, 0), DTypeError, "merge: list 3; several are needed"),
    "norm": (lambda: weft.ocean.norm(X, "q"), DTypeError, "norm: 'q' is no number"),
    "ocean's strides": (lambda: weft.ocean.tensor([2], 3.5), DTypeError, "tensor: strides 3.5; integers are needed"),
    "copy": (lambda: weft.asarray(X, copy="yes"), DTypeError, "asarray: copy='yes'; it is a switch"),
    "keepdims": (lambda: weft.sum(X, keepdims="q"), DTypeError, "sum: keepdims='q'; it is a switch"),
    "keepdims of medians": (lambda: weft.median(X, keepdims=2), DTypeError, "median: keepdims=2; it is a switch"),
    "an array for a side": (lambda: weft.searchsorted(X[0], 1, side=SEVERAL), ValueRangeError, "searchsorted: side a"),
    "an array for an order": (lambda: weft.unravel_index(1, (2,), SEVERAL), ValueRangeError, "unravel_index: order a"),
    "an array for a layout": (lambda: X.as_contiguous(SEVERAL), ValueRangeError, "as_contiguous: order array"),
    "an array for a mode": (lambda: weft.pad(X, 1, SEVERAL), ValueRangeError, "pad: mode array"),
    "an array for a math mode": (lambda: weft.log(X, mode=SEVERAL), ValueRangeError, "math_mode: array"),
    "an array for a flag": (lambda: weft.setdiff1d(1, 2, SEVERAL), DTypeError, "setdiff1d: assume_unique=array"),
    "arrays for a flag": (lambda: weft.intersect1d(1, 2, False, SEVERAL), DTypeError, "intersect1d: return_indices="),
    "full matrices": (lambda: weft.linalg.svd(X, full_matrices=SEVERAL), DTypeError, "svd: full_matrices=array"),
    "an array for order": (lambda: weft.zeros_like(X, order=SEVERAL), ValueRangeError, "zeros: order array"),
    "an order of copies": (lambda: weft.copy(X, order=SEVERAL), ValueRangeError, "asarray: order array"),
    "widths of sides": (lambda: weft.pad(X, [(1, 1)] * 3, "edge", [(0, 1)] * 2), ShapeError, "pad: 3 widths"),
    "an array for an axis": (lambda: weft.cumprod(X, SEVERAL), DTypeError, "cumprod: axis array"),
    "a class for axes": (lambda: weft.tensordot(X, X, axes=int), DTypeError, "tensordot: axes <class 'int'>"),
    "a text for a tolerance": (lambda: weft.real_if_close(1j, "a"), DTypeError, "real_if_close: 'a' is no number"),
    "functions of a piece": (lambda: weft.piecewise(X, [X > 2], 4), DTypeError, "piecewise: functions 4; several"),
    "conditions of a piece": (lambda: weft.piecewise(X, 3, 4), DTypeError, "piecewise: functions 4; several"),
    "bounds of a field": (lambda: weft.random.integers(3, seed=1, low=2), ArgumentError, "integers: no high"),
    "unequal rows to draw by": (lambda: RNG.laplace([[1], [2, 3]]), ValueRangeError, "asarray: "),
    "many generators": (lambda: RNG.spawn(2**40), OutOfMemory, "spawn: 1099511627776 generators"),
    "a complex bound": (lambda: RNG.uniform(X, 1j).realize(), DTypeError, "random: a parameter 1j; the field is real"),
    "an iterable sparse array": (lambda: weft.asarray(SparseRows()), DTypeError, "SparseRows holds some cells"),
    "sparse": (lambda: weft.asarray(Sparse()), DTypeError, "Sparse holds some cells and leaves out the others"),
    "half a letter to evaluate": (lambda: expression_value(f"{HALF} + 1", {}, {}), ExpressionError, "half of a"),
    "half a letter as a name": (lambda: expression_value("1", {HALF: X}, {}), ExpressionError, "cannot be a name"),
}  # fmt: skip


@for_each("name", CALLS)
def test_calls(name):
    call, error, message = CALLS[name]
    with pytest.raises(error, match=re.escape(message)) as caught:
        call()
    assert re.match(r"\w+: .*; ", str(caught.value), re.DOTALL)


@pytest.mark.parametrize("ending", ["npz", "safetensors", "h5", "zarr"])
@pytest.mark.parametrize(
    ("name", "fault"), [(HALF, "has half of a character"), ("a\0b", "has an embedded null character")]
)
def test_names_of_arrays_that_no_file_holds(tmp_path, ending, name, fault):
    """A name with a null character was cut there, and the array saved under what was left."""
    with pytest.raises(ValueRangeError, match=f"the name .* {fault}; no file holds it; give another name"):
        weft.save(tmp_path / f"a.{ending}", {name: X})
    assert os.listdir(tmp_path) == []


def test_names_of_arrays_are_not_cut_at_a_null_character(tmp_path):
    weft.save(tmp_path / "a.h5", {"a": X, "b": X})
    with pytest.raises(FileFormatError, match=r"has no array 'a.x00b'"):
        weft.open(tmp_path / "a.h5", name="a\0b")


def test_paths_with_half_of_a_character(tmp_path):
    with pytest.raises(WriteError, match="has half of a character"):
        weft.save(tmp_path / f"{HALF}.npy", X)


@pytest.mark.parametrize("ending", ["npy", "npz", "h5", "nc", "fits", "safetensors", "zarr", "bin"])
def test_missing_files_are_what_users_catch(tmp_path, ending):
    options = {"dtype": "f4"} if ending == "bin" else {}
    with pytest.raises(FileNotFoundError, match="cannot be opened: no such file or") as caught:
        weft.open(tmp_path / f"none.{ending}", **options)
    assert type(caught.value) is errors.MissingFileError and isinstance(caught.value, FileFormatError)
    assert (caught.value.filename, caught.value.errno) == (str(tmp_path / f"none.{ending}"), errno.ENOENT)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.filename) == (str(caught.value), caught.value.filename)


def test_missing_patterns_and_folders_are_too(tmp_path):
    with pytest.raises(errors.MissingFileError, match="no file matches the pattern"):
        weft.open(tmp_path / "none-*.npy")
    with pytest.raises(errors.MissingFolderError, match="no such file or directory; nothing was changed") as caught:
        weft.save(tmp_path / "none" / "a.npy", X)
    assert isinstance(caught.value, FileNotFoundError) and isinstance(caught.value, WriteError)


EXIT = """
import builtins, os, weft
kept = weft.arange(6).realize()
class Late:
    def __del__(self, weft=weft, kept=kept, write=os.write):
        try:
            weft.isin(kept, 3)
        except ImportError as error:
            write(1, f"{type(error).__name__}: {error}".encode())
builtins.kept = Late()
"""


def test_a_finalizer_at_the_interpreters_exit_gets_an_error_that_says_so():
    done = subprocess.run([sys.executable, "-c", EXIT], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr
    assert re.fullmatch(r"ShuttingDown: import: weft.* at the interpreter's exit; nothing is loaded .*", done.stdout)
