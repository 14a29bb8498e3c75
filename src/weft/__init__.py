# ruff: noqa: F401, F403, I001
"""weft: lazy tensors over any memory, compiled to fused native kernels.

The one idea: a program written with weft is array-API code; nothing is computed until a value is read, and then whole
expressions are compiled.  These are the public names.
"""

from math import e, inf, nan, pi
from types import ModuleType as _Module
import sys as _sys

from weft import autograd, errors
from weft.api.standard.creation_functions import (
    array, asarray, constant, empty, empty_like, from_dlpack, full, full_like, ones, ones_like, zeros, zeros_like,
)  # fmt: skip
from weft.api.standard.data_type_functions import can_cast, finfo, iinfo, isdtype, result_type
from weft.api.argument_errors import COMPOSING as _COMPOSING
from weft.api.habits import accept_habits as _accept_habits, accept_habits_of as _accept_habits_of
from weft.api.domains import Domain, align, overlay, translate
from weft.api.standard.elementwise_functions import *
from weft.api.standard.indexing_functions import take, take_along_axis
from weft.api.standard.namespace_info import __array_namespace_info__
from weft.api.standard.linear_algebra_functions import matmul, tensordot, vecdot
from weft.api.standard.manipulation_functions import (
    broadcast_arrays, broadcast_shapes, broadcast_to, concat, copy, diagonal, expand_dims, flip, interleave,
    matrix_transpose, moveaxis, permute_dims, repeat, reshape, roll, sliding_window_view, squeeze, stack, tile,
    unstack,
)  # fmt: skip
from weft.api.methods import VERSION as __array_api_version__
from weft.api.standard.matrices import diag, eye, meshgrid, one_hot, tri, tril, triu
from weft.api.numpy.array_methods import (
    argpartition, choose, compress, cumprod, cumsum, dot, partition, ptp, trace, transpose,
)  # fmt: skip
from weft.api.numpy.foreign_names import hint_at_methods as _hint_at_methods
from weft.api.numpy.padding import pad
from weft.api.standard.ranges import arange, iota, linspace
from weft.api.standard.searching_functions import nonzero, searchsorted
from weft.api.numpy.shapes import (
    adjoint, broadcast_like, fliplr, flipud, ravel, reshape_like, reverse_axes, swapaxes,
)  # fmt: skip
from weft.api.standard.sorting_functions import argsort, sort
from weft.api.numpy.splitting import array_split, hstack, narrow, split, vstack
from weft.api.standard.statistical_functions import (
    all, any, argmax, argmin, count_nonzero, cumulative_max, cumulative_min, cumulative_prod, cumulative_sum, diff,
    max, mean, min, prod, std, sum, var,
)  # fmt: skip
from weft.autograd import no_grad
from weft.settings import (
    compute, eager, get_memory_limit, get_num_threads, get_program_limit, get_scratch_folder, set_memory_limit,
    set_num_threads, set_program_limit, set_scratch_folder, transformer,
)  # fmt: skip
from weft.dtypes import (
    DType, bfloat16, bool, complex32, complex64, complex128, float8_e3m4, float8_e4m3, float8_e4m3b11fnuz,
    float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu, float16, float32, float64, int8,
    int16, int32, int64, uint8, uint16, uint32, uint64,
)  # fmt: skip
from weft.interop.registrations import register_with_others as _register_with_others
from weft.interop.former_modules import register_former_modules as _register_former_modules
from weft.interop.plugins import export, export_types, import_types, register_type, unregister_type
from weft.passes.switches import checking, is_checking, set_checking, without
from weft.runtime.default_dtype import default_dtype, get_default_dtype, set_default_dtype
from weft.runtime.deterministic import deterministic, is_deterministic, set_deterministic
from weft.runtime.devices.device import (
    CPU as cpu, Device, default_device, device, devices, get_default_device, set_default_device,
)  # fmt: skip
from weft.runtime.fork_safety import late_import as _late
from weft.runtime.compute.profile import profile
from weft.runtime.devices.stream import Event, Stream, automatic_waits
from weft.tensors.tensor import Tensor
from weft.version import __version__

newaxis = None

# Modules of their own, and names whose modules load the passes or the file readers: imported when first used.
_LATER = {
    name: module
    for module, names in {
        "weft.api.numpy.nan_reductions": (
            "nanargmax nanargmin nancount_nonzero nancumprod nancumsum nanmax nanmean nanmin nanprod nanstd nansum "
            "nanvar"
        ),
        "weft.api.predicates": (
            "all_finite all_greater all_greater_equal all_in_range all_less all_less_equal any_inf any_nan"
        ),
        "weft.api.ensure": "cast ensure",
        "weft.api.blocks.map_blocks": "Projection map_blocks",
        "weft.api.numpy.closeness": "allclose array_equal isclose nan_to_num",
        "weft.api.numpy.quantiles": "median nanmedian nanpercentile nanquantile percentile quantile",
        "weft.api.numpy.set_operations": "intersect1d setdiff1d setxor1d union1d unique",
        "weft.api.numpy.editing": "append block delete insert trim_zeros",
        "weft.api.numpy.positions": (
            "diag_indices diag_indices_from fill_diagonal flatnonzero indices ix_ lexsort packbits put_along_axis "
            "ravel_multi_index tril_indices tril_indices_from triu_indices triu_indices_from unpackbits unravel_index"
        ),
        "weft.api.numpy.polynomials": (
            "poly polyadd polyder polydiv polyfit polyint polymul polysub polyval roots vander"
        ),
        "weft.api.numpy.lines": (
            "apply_along_axis cross diagflat gcd heaviside identity inner lcm outer piecewise select sinc unwrap vdot"
        ),
        "weft.api.numpy.windows": "bartlett blackman hamming hanning kaiser",
        "weft.api.numpy.statistics": "average corrcoef cov",
        "weft.api.numpy.histograms": "bincount digitize histogram histogram2d histogram_bin_edges histogramdd",
        "weft.api.numpy.brackets": "c_ r_",
        "weft.api.numpy.cell_functions": "divmod float_power frexp i0 ldexp logaddexp2 modf rint",
        "weft.api.numpy.einsum": "einsum",
        "weft.api.numpy.facts": (
            "iscomplex iscomplexobj isreal isrealobj isscalar iterable ndim real_if_close shape size"
        ),
        "weft.api.numpy.grids": "fromfunction mgrid ogrid",
        "weft.api.numpy.sequences": "convolve correlate gradient interp trapezoid",
        "weft.api.numpy.rearranging": (
            "angle argwhere atleast_1d atleast_2d atleast_3d column_stack deg2rad dstack geomspace kron logspace "
            "rad2deg rot90"
        ),
        "weft.api.numpy.numpy_files": "genfromtxt load loadtxt savetxt savez",
        "weft.api.storages.overlap": "check_overlap check_self_overlap may_share_memory overlap",
        "weft.api.pytorch": "tensor topk",
        "weft.api.routes": "route",
        "weft.api.standard.set_functions": "isin unique_all unique_counts unique_inverse unique_values",
        "weft.api.storages.storage": "Storage",
        "weft.api.storages.storage_creation": "get_allocator storage storage_of using_allocator",
        "weft.runtime.memory.allocator": "Allocator Heap",
        "weft.runtime.memory.mapping": "FileMemory SharedMemory",
        "weft.api.assigning": "assign",
        "weft.programs.compiled_function": "compile",
        "weft.programs.control_flow": "cond scan while_loop",
        "weft.programs.computation": "computation",
        "weft.programs.steps": "doall sequential value_of",
        "weft.ir.graph.description": "TensorDescription",
        "weft.programs.vmap": "vmap",
        "weft.autograd.differentiation": "grad hessian_vector_product jacobian jvp value_and_grad vjp",
        "weft.inspect.explain": "explain",
        "weft.inspect.pass_table": "pipeline",
        "weft.inspect.labels": "find_nodes label_of named scope",
        "weft.inspect.progress": "progress",
        "weft.fft": "fft",
        "weft.cluster": "cluster",
        "weft.tensors.index_object": "find index",
        "weft.kernels": "kernels",
        "weft.programs.pytrees": "register_pytree",
        "weft.programs.saved.loading": "load_program",
        "weft.programs.saved.saving": "program_digest save_program",
        "weft.programs.kinds": "is_placeholder kind persistent placeholder temporary variable variables",
        "weft.lib": "lib",
        "weft.linalg": "linalg",
        "weft.modes.math_modes": "get_math_mode math_mode set_math_mode",
        "weft.modules": "modules",
        "weft.nn": "nn",
        "weft.ocean": "ocean",
        "weft.random": "random",
        "weft.runtime.devices.races": "race_detector",
        "weft.inspect.text": "digest leaves_of parse show",
        "weft.sources.file_attributes": "attributes",
        "weft.sources.files": "open open_all",
        "weft.sources.write.save": "save store",
        "weft.modes.strict": "get_strict implicit_acts set_strict strict",
    }.items()
    for name in names.split()
}


def __getattr__(name: str) -> object:
    if name in _LATER:
        module = _late(_LATER[name])
        if module.__name__ != f"weft.{name}":
            globals()[name] = getattr(module, "open_file" if name == "open" else name)
            _accept_habits_of(_sys.modules["weft"], name)
        return globals()[name]
    globals()[name] = _late("weft.api.numpy.foreign_names").named(name, _late("weft"))
    return globals()[name]


def __dir__() -> list[str]:
    return __all__


_register_former_modules()
_register_with_others()

__all__ = ["__array_api_version__", "__array_namespace_info__", "__version__", "autograd", "errors"]
__all__.extend({*_LATER, *[name for name, x in globals().items() if name[0] != "_" and not isinstance(x, _Module)]})
__all__.sort()
_hint_at_methods(__all__)
_accept_habits(globals())
_COMPOSING.update([name for name, home in _LATER.items() if home.startswith(("weft.api.standard.", "weft.api.numpy."))])
for _name in [name for name in vars(Tensor) if name[0] != "_"]:
    _accept_habits_of(Tensor, _name)
