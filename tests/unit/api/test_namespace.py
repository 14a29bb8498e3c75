"""The namespace: every name of the standard, light to import, each public function with an example."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import weft
from tests.cases import for_each

FUNCTIONS = [
    "abs", "acos", "acosh", "add", "all", "any", "arange", "argmax", "argmin", "argsort", "asarray", "asin",
    "asinh", "astype", "atan", "atan2", "atanh", "bitwise_and",
    "bitwise_invert", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to", "can_cast", "ceil", "clip", "concat", "conj", "copysign", "cos", "cosh", "count_nonzero",
    "cumulative_prod", "cumulative_sum", "diff", "divide",
    "empty", "empty_like", "equal", "exp", "expand_dims", "expm1", "eye", "finfo", "flip", "floor", "floor_divide",
    "from_dlpack", "full", "full_like", "greater",
    "greater_equal", "hypot", "iinfo", "imag", "isdtype", "isfinite", "isin", "isinf", "isnan", "less",
    "less_equal", "linspace", "log", "log10", "log1p", "log2", "logaddexp",
    "logical_and", "logical_not", "logical_or", "logical_xor", "matmul", "matrix_transpose", "max", "maximum",
    "mean", "meshgrid", "min", "minimum", "moveaxis",
    "multiply", "negative", "nextafter", "nonzero", "not_equal", "ones", "ones_like", "permute_dims", "positive",
    "pow", "prod", "real", "reciprocal", "remainder",
    "repeat", "reshape", "result_type", "roll", "round", "searchsorted", "sign", "signbit", "sin", "sinh", "sort",
    "sqrt", "square", "squeeze", "stack", "std", "subtract", "sum",
    "take", "take_along_axis", "tan", "tanh", "tensordot", "tile", "tril", "triu", "trunc", "unique_all",
    "unique_counts", "unique_inverse", "unique_values",
    "unstack", "var", "vecdot", "where", "zeros", "zeros_like",
]  # fmt: skip
DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
    "complex64", "complex128",
]  # fmt: skip
OUR_OWN = [
    "interleave", "pad", "sliding_window_view", "diagonal", "compute", "eager", "set_num_threads",
    "get_num_threads", "profile", "explain", "show", "parse",
    "transformer", "constant", "copy", "array", "without",
    "save", "store", "get_memory_limit", "set_memory_limit", "get_program_limit", "set_program_limit",
]  # fmt: skip
PUBLIC = [n for n in weft.__all__ if callable(getattr(weft, n)) and not n.startswith("_")]


def test_the_standards_names_are_there():
    assert len(FUNCTIONS) == 135
    missing = [n for n in (*FUNCTIONS, *DTYPES, *OUR_OWN) if n not in weft.__all__]
    assert missing == []
    assert weft.__array_api_version__ == "2025.12"
    assert (weft.newaxis, weft.inf, weft.pi > 3, weft.e > 2, weft.nan != weft.nan) == (
        None,
        float("inf"),
        True,
        True,
        True,
    )


def test_every_public_name_exists():
    assert [n for n in weft.__all__ if not hasattr(weft, n)] == []
    assert len(set(weft.__all__)) == len(weft.__all__)


@for_each("name", PUBLIC)
def test_every_public_function_has_an_example(name):
    assert ">>>" in inspect.getdoc(getattr(weft, name)) or inspect.isclass(getattr(weft, name))


@pytest.mark.parametrize("name", ["abs", "add", "sum", "min", "argmax", "sort"])
def test_signatures_are_the_standards(name):
    shown = str(inspect.signature(getattr(weft, name)))
    first = shown[1:].split(",")[0]
    assert first.split(":")[0] in ("x", "x1") and "/" in shown


def test_importing_loads_no_compiler():
    code = "import sys, weft; print([m for m in sys.modules if 'llvm' in m])"
    environment = {**os.environ, "PYTHONPATH": str(Path(weft.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "[]"


def test_the_namespace_of_a_tensor_is_weft():
    x = weft.arange(2)
    assert x.__array_namespace__() is weft
    assert x.__array_namespace__(api_version="2023.12") is weft


def test_info():
    info = weft.__array_namespace_info__()
    assert info.devices() == tuple(weft.devices()) and info.devices()[0] == "cpu" == info.default_device()
    assert info.capabilities()["boolean indexing"] and info.capabilities()["data-dependent shapes"]
    assert info.default_dtypes()["real floating"] is weft.float64
    assert list(info.dtypes(kind="bool")) == ["bool"]
    assert set(info.dtypes()) == set(DTYPES)
    assert set(info.dtypes(kind=("signed integer", "bool"))) == {"int8", "int16", "int32", "int64", "bool"}
