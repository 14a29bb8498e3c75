# ruff: noqa
"""The public names, for type checkers and editors, which do not run `weft.__getattr__`.

The one idea: `docs/stubs.py` writes this file from what the program imports.
"""

from typing import Any

from math import e, inf, nan, pi
from weft import autograd, errors, fft, kernels, linalg, modules, nn, ocean, random
from weft.api.domains import Domain, align, overlay, translate
from weft.api.ensure import cast, ensure
from weft.api.methods import VERSION as __array_api_version__
from weft.api.numpy.closeness import allclose, array_equal, isclose, nan_to_num
from weft.api.numpy.einsum import einsum
from weft.api.numpy.nan_reductions import (
    nanargmax, nanargmin, nancount_nonzero, nanmax, nanmean, nanmin, nanprod, nanstd, nansum, nanvar,
)  # fmt: skip
from weft.api.numpy.numpy_files import genfromtxt, load, loadtxt, savetxt, savez
from weft.api.numpy.padding import pad
from weft.api.numpy.quantiles import median, percentile, ptp, quantile
from weft.api.numpy.rearranging import (
    angle, argwhere, atleast_1d, atleast_2d, column_stack, deg2rad, dstack, geomspace, kron, logspace, rad2deg, rot90,
)  # fmt: skip
from weft.api.numpy.sequences import convolve, correlate, gradient, interp, trapezoid
from weft.api.numpy.shapes import adjoint, broadcast_like, fliplr, flipud, ravel, reshape_like, reverse_axes, swapaxes
from weft.api.numpy.splitting import hstack, narrow, split, vstack
from weft.api.numpy.statistics import average, bincount, corrcoef, cov, digitize, histogram
from weft.api.predicates import (
    all_finite, all_greater, all_greater_equal, all_in_range, all_less, all_less_equal, any_inf, any_nan,
)  # fmt: skip
from weft.api.routes import route
from weft.api.standard.creation_functions import (
    array, asarray, constant, empty, empty_like, from_dlpack, full, full_like, ones, ones_like, zeros, zeros_like,
)  # fmt: skip
from weft.api.standard.data_type_functions import can_cast, finfo, iinfo, isdtype, result_type
from weft.api.standard.elementwise_functions import astype, clip, fabs, fill_nan, imag, isneginf, isposinf, real, where
from weft.api.standard.indexing_functions import take, take_along_axis
from weft.api.standard.linear_algebra_functions import matmul, tensordot, vecdot
from weft.api.standard.manipulation_functions import (
    broadcast_arrays, broadcast_shapes, broadcast_to, concat, copy, diagonal, expand_dims, flip, interleave,
    matrix_transpose, moveaxis, permute_dims, repeat, reshape, roll, sliding_window_view, squeeze, stack, tile, unstack,
)  # fmt: skip
from weft.api.standard.matrices import diag, eye, meshgrid, one_hot, tri, tril, triu
from weft.api.standard.namespace_info import __array_namespace_info__
from weft.api.standard.ranges import arange, iota, linspace
from weft.api.standard.searching_functions import nonzero, searchsorted
from weft.api.standard.set_functions import isin, unique_all, unique_counts, unique_inverse, unique_values
from weft.api.standard.sorting_functions import argsort, sort
from weft.api.standard.statistical_functions import (
    all, any, argmax, argmin, count_nonzero, cumulative_prod, cumulative_sum, diff, max, mean, min, prod, std, sum, var,
)  # fmt: skip
from weft.api.storages.overlap import check_overlap, check_self_overlap, may_share_memory, overlap
from weft.api.storages.storage import Storage
from weft.api.storages.storage_creation import get_allocator, storage, storage_of, using_allocator
from weft.autograd import no_grad
from weft.dtypes import (
    DType, bfloat16, bool, complex128, complex32, complex64, float16, float32, float64, float8_e3m4, float8_e4m3,
    float8_e4m3b11fnuz, float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu, int16, int32,
    int64, int8, uint16, uint32, uint64, uint8,
)  # fmt: skip
from weft.inspect.explain import explain
from weft.inspect.text import parse, show
from weft.interop.plugins import export, export_types, import_types, register_type, unregister_type
from weft.modes.math_modes import get_math_mode, math_mode, set_math_mode
from weft.modes.strict import get_strict, implicit_acts, set_strict, strict
from weft.passes.switches import checking, is_checking, set_checking, without
from weft.programs.computation import computation
from weft.programs.kinds import is_placeholder, kind, persistent, placeholder, temporary, variable, variables
from weft.runtime.compute.profile import profile
from weft.runtime.default_dtype import default_dtype, get_default_dtype, set_default_dtype
from weft.runtime.devices.device import (
    CPU as cpu, Device, default_device, device, devices, get_default_device, set_default_device,
)  # fmt: skip
from weft.runtime.devices.races import race_detector
from weft.runtime.devices.stream import Event, Stream, automatic_waits
from weft.runtime.memory.allocator import Allocator, Heap
from weft.runtime.memory.mapping import FileMemory, SharedMemory
from weft.settings import (
    compute, eager, get_memory_limit, get_num_threads, get_program_limit, set_memory_limit, set_num_threads,
    set_program_limit, transformer,
)  # fmt: skip
from weft.sources.files import open_all, open_file as open
from weft.sources.write.save import save, store
from weft.tensors.assigning import assign
from weft.tensors.index_object import find, index
from weft.tensors.tensor import Tensor

def abs(x: Any, /, *, out: Any = None) -> Tensor: ...
def acos(x: Any, /, *, out: Any = None, mode: str | None = None) -> Tensor: ...
def acosh(x: Any, /, *, out: Any = None, mode: str | None = None) -> Tensor: ...
def add(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def asin(x: Any, /, *, out: Any = None, mode: str | None = None) -> Tensor: ...
def asinh(x: Any, /, *, out: Any = None) -> Tensor: ...
def atan(x: Any, /, *, out: Any = None) -> Tensor: ...
def atan2(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def atanh(x: Any, /, *, out: Any = None, mode: str | None = None) -> Tensor: ...
def bitwise_and(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def bitwise_invert(x: Any, /, *, out: Any = None) -> Tensor: ...
def bitwise_left_shift(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def bitwise_or(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def bitwise_right_shift(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def bitwise_xor(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def cbrt(x: Any, /, *, out: Any = None) -> Tensor: ...
def ceil(x: Any, /, *, out: Any = None) -> Tensor: ...
def conj(x: Any, /, *, out: Any = None) -> Tensor: ...
def copysign(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def cos(x: Any, /, *, out: Any = None) -> Tensor: ...
def cosh(x: Any, /, *, out: Any = None) -> Tensor: ...
def divide(x1: Any, x2: Any, /, *, out: Any = None, mode: str | None = None) -> Tensor: ...
def equal(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def erf(x: Any, /, *, out: Any = None) -> Tensor: ...
def erfc(x: Any, /, *, out: Any = None) -> Tensor: ...
def exp(x: Any, /, *, out: Any = None) -> Tensor: ...
def exp10(x: Any, /, *, out: Any = None) -> Tensor: ...
def exp2(x: Any, /, *, out: Any = None) -> Tensor: ...
def expm1(x: Any, /, *, out: Any = None) -> Tensor: ...
def floor(x: Any, /, *, out: Any = None) -> Tensor: ...
def floor_divide(x1: Any, x2: Any, /, *, out: Any = None, mode: str | None = None) -> Tensor: ...
def fmax(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def fmin(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def fmod(x1: Any, x2: Any, /, *, out: Any = None, mode: str | None = None) -> Tensor: ...
def greater(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def greater_equal(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def hypot(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def isfinite(x: Any, /, *, out: Any = None) -> Tensor: ...
def isinf(x: Any, /, *, out: Any = None) -> Tensor: ...
def isnan(x: Any, /, *, out: Any = None) -> Tensor: ...
def less(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def less_equal(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def log(x: Any, /, *, out: Any = None, mode: str | None = None) -> Tensor: ...
def log10(x: Any, /, *, out: Any = None, mode: str | None = None) -> Tensor: ...
def log1p(x: Any, /, *, out: Any = None, mode: str | None = None) -> Tensor: ...
def log2(x: Any, /, *, out: Any = None, mode: str | None = None) -> Tensor: ...
def logaddexp(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def logical_and(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def logical_not(x: Any, /, *, out: Any = None) -> Tensor: ...
def logical_or(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def logical_xor(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def maximum(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def minimum(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def multiply(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def negative(x: Any, /, *, out: Any = None) -> Tensor: ...
def nextafter(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def not_equal(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def positive(x: Any, /, *, out: Any = None) -> Tensor: ...
def pow(x1: Any, x2: Any, /, *, out: Any = None, mode: str | None = None) -> Tensor: ...
def reciprocal(x: Any, /, *, out: Any = None, mode: str | None = None) -> Tensor: ...
def remainder(x1: Any, x2: Any, /, *, out: Any = None, mode: str | None = None) -> Tensor: ...
def round(x: Any, /, *, out: Any = None) -> Tensor: ...
def sign(x: Any, /, *, out: Any = None) -> Tensor: ...
def signbit(x: Any, /, *, out: Any = None) -> Tensor: ...
def sin(x: Any, /, *, out: Any = None) -> Tensor: ...
def sinh(x: Any, /, *, out: Any = None) -> Tensor: ...
def sqrt(x: Any, /, *, out: Any = None, mode: str | None = None) -> Tensor: ...
def square(x: Any, /, *, out: Any = None) -> Tensor: ...
def subtract(x1: Any, x2: Any, /, *, out: Any = None) -> Tensor: ...
def tan(x: Any, /, *, out: Any = None) -> Tensor: ...
def tanh(x: Any, /, *, out: Any = None) -> Tensor: ...
def trunc(x: Any, /, *, out: Any = None) -> Tensor: ...
def trunc_divide(x1: Any, x2: Any, /, *, out: Any = None, mode: str | None = None) -> Tensor: ...

absolute = abs
amax = max
amin = min
arccos = acos
arccosh = acosh
arcsin = asin
arcsinh = asinh
arctan = atan
arctan2 = atan2
arctanh = atanh
around = round
as_tensor = asarray
asanyarray = asarray
bitwise_not = bitwise_invert
bool_ = bool
byte = int8
cat = concat
cdouble = complex128
cfloat = complex64
chalf = complex32
clamp = clip
concatenate = concat
conjugate = conj
csingle = complex64
double = float64
fix = trunc
from_numpy = asarray
half = float16
int_ = int64
intc = int32
intp = int64
invert = bitwise_invert
left_shift = bitwise_left_shift
long = int64
longlong = int64
mod = remainder
movedim = moveaxis
power = pow
promote_types = result_type
right_shift = bitwise_right_shift
row_stack = vstack
short = int16
single = float32
true_divide = divide
ubyte = uint8
uint = uint64
uintc = uint32
uintp = uint64
ulong = uint64
ulonglong = uint64
unbind = unstack
unsqueeze = expand_dims
ushort = uint16

newaxis: None
__version__: str

__all__ = [
    "Allocator", "DType", "Device", "Domain", "Event", "FileMemory", "Heap", "SharedMemory", "Storage", "Stream",
    "Tensor", "__array_api_version__", "__array_namespace_info__", "__version__", "abs", "acos", "acosh", "add",
    "adjoint", "align", "all", "all_finite", "all_greater", "all_greater_equal", "all_in_range", "all_less",
    "all_less_equal", "allclose", "angle", "any", "any_inf", "any_nan", "arange", "argmax", "argmin", "argsort",
    "argwhere", "array", "array_equal", "asarray", "asin", "asinh", "assign", "astype", "atan", "atan2", "atanh",
    "atleast_1d", "atleast_2d", "autograd", "automatic_waits", "average", "bfloat16", "bincount", "bitwise_and",
    "bitwise_invert", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "bool",
    "broadcast_arrays", "broadcast_like", "broadcast_shapes", "broadcast_to", "can_cast", "cast", "cbrt", "ceil",
    "check_overlap", "check_self_overlap", "checking", "clip", "column_stack", "complex128", "complex32", "complex64",
    "computation", "compute", "concat", "conj", "constant", "convolve", "copy", "copysign", "corrcoef", "correlate",
    "cos", "cosh", "count_nonzero", "cov", "cpu", "cumulative_prod", "cumulative_sum", "default_device",
    "default_dtype", "deg2rad", "device", "devices", "diag", "diagonal", "diff", "digitize", "divide", "dstack", "e",
    "eager", "einsum", "empty", "empty_like", "ensure", "equal", "erf", "erfc", "errors", "exp", "exp10", "exp2",
    "expand_dims", "explain", "expm1", "export", "export_types", "eye", "fabs", "fft", "fill_nan", "find", "finfo",
    "flip", "fliplr", "flipud", "float16", "float32", "float64", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz",
    "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "floor", "floor_divide",
    "fmax", "fmin", "fmod", "from_dlpack", "full", "full_like", "genfromtxt", "geomspace", "get_allocator",
    "get_default_device", "get_default_dtype", "get_math_mode", "get_memory_limit", "get_num_threads",
    "get_program_limit", "get_strict", "gradient", "greater", "greater_equal", "histogram", "hstack", "hypot", "iinfo",
    "imag", "implicit_acts", "import_types", "index", "inf", "int16", "int32", "int64", "int8", "interleave", "interp",
    "iota", "is_checking", "is_placeholder", "isclose", "isdtype", "isfinite", "isin", "isinf", "isnan", "isneginf",
    "isposinf", "kernels", "kind", "kron", "less", "less_equal", "linalg", "linspace", "load", "loadtxt", "log",
    "log10", "log1p", "log2", "logaddexp", "logical_and", "logical_not", "logical_or", "logical_xor", "logspace",
    "math_mode", "matmul", "matrix_transpose", "max", "maximum", "may_share_memory", "mean", "median", "meshgrid",
    "min", "minimum", "modules", "moveaxis", "multiply", "nan", "nan_to_num", "nanargmax", "nanargmin",
    "nancount_nonzero", "nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "nanvar", "narrow", "negative",
    "newaxis", "nextafter", "nn", "no_grad", "nonzero", "not_equal", "ocean", "one_hot", "ones", "ones_like", "open",
    "open_all", "overlap", "overlay", "pad", "parse", "percentile", "permute_dims", "persistent", "pi", "placeholder",
    "positive", "pow", "prod", "profile", "ptp", "quantile", "race_detector", "rad2deg", "random", "ravel", "real",
    "reciprocal", "register_type", "remainder", "repeat", "reshape", "reshape_like", "result_type", "reverse_axes",
    "roll", "rot90", "round", "route", "save", "savetxt", "savez", "searchsorted", "set_checking", "set_default_device",
    "set_default_dtype", "set_math_mode", "set_memory_limit", "set_num_threads", "set_program_limit", "set_strict",
    "show", "sign", "signbit", "sin", "sinh", "sliding_window_view", "sort", "split", "sqrt", "square", "squeeze",
    "stack", "std", "storage", "storage_of", "store", "strict", "subtract", "sum", "swapaxes", "take",
    "take_along_axis", "tan", "tanh", "temporary", "tensordot", "tile", "transformer", "translate", "trapezoid", "tri",
    "tril", "triu", "trunc", "trunc_divide", "uint16", "uint32", "uint64", "uint8", "unique_all", "unique_counts",
    "unique_inverse", "unique_values", "unregister_type", "unstack", "using_allocator", "var", "variable", "variables",
    "vecdot", "vstack", "where", "without", "zeros", "zeros_like",
]  # fmt: skip
