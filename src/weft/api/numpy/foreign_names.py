"""Names of NumPy, PyTorch and JAX: aliases of weft's functions and dtypes, and hints for names without a counterpart.

The one idea: a name with the same meaning as one of weft's is that function or dtype (`SAME`); some are NumPy's, which
know tensors (`interop.numpy.names`); for any other, the AttributeError says what to use instead (`_HINTS`, `_SPELLED`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from weft.interop.numpy.names import numpy_name
from weft.ir.graph.ops import ROWS
from weft.tensors.tensor_interface import set_hints

_SAME = {row.name: row.theirs for row in ROWS if row.theirs} | {
    "asarray": "as_tensor asanyarray from_numpy", "rad2deg": "degrees", "deg2rad": "radians",
    "clip": "clamp", "concat": "concatenate cat", "expand_dims": "unsqueeze", "max": "amax", "min": "amin",
    "multiply": "mul", "subtract": "sub", "negative": "neg", "equal": "eq", "not_equal": "ne", "greater": "gt",
    "greater_equal": "ge", "less": "lt", "less_equal": "le", "repeat": "repeat_interleave",
    "moveaxis": "movedim", "result_type": "promote_types", "unstack": "unbind",
    "vstack": "row_stack", "Tensor": "ndarray",
    "bool": "bool_", "int8": "byte", "int16": "short", "int32": "intc", "int64": "int_ long longlong intp",
    "uint8": "ubyte", "uint16": "ushort", "uint32": "uintc", "uint64": "uint uintp ulong ulonglong", "float16": "half",
    "float32": "single", "float64": "double", "complex32": "chalf", "complex64": "csingle cfloat",
    "complex128": "cdouble",
}  # fmt: skip
_HINTS = {
    "linalg.det": "det", "linalg.inv": "inv inverse", "nn.logsumexp": "logsumexp",
    "map_blocks": "frompyfunc", "searchsorted": "bucketize", "take": "index_select",
    "take_along_axis": "gather take_along_dim", "random.default_rng": "poisson",
    "linalg.lstsq": "lstsq", "linalg.svd": "svd", "matmul": "mm bmm mv",
    "linalg.norm": "norm",
    "nn.relu": "relu", "nn.sigmoid": "sigmoid",
    "nn.softmax": "softmax", "open": "fromfile memmap read_csv read_parquet imread", "overlap": "shares_memory",
    "permute_dims": "permute", "random.integers": "randint",
    "random.normal": "randn", "random.permutation": "shuffle randperm", "random.uniform": "rand",
    "reshape": "view", "ravel": "flatten", "result_type": "min_scalar_type", "save": "tofile",
    "array_split": "chunk tensor_split", "compile": "jit", "topk": "top_k", "while_loop": "fori_loop",
    "trapezoid": "trapz", "prod": "product", "cumprod": "cumproduct", "any": "sometrue", "all": "alltrue",
    "round": "round_", "nan": "NaN NAN", "inf": "Inf Infinity infty PINF", "float64": "float_",
    "complex128": "complex_",
    "einsum": "contract", "storage": "UntypedStorage", "isin": "in1d", "int64, weft.int32": "int",
    "float64, weft.float32": "float", "complex128, weft.complex64": "complex",
}  # fmt: skip
_SPELLED = {
    "weft.sum(x, axis=(0, 1), keepdims=True) and the like": "apply_over_axes",
    "broadcast_arrays(*arrays)": "broadcast", "-weft.inf": "NINF", "weft.sort(x, axis=0)": "msort",
    "x.size": "numel", "x.T": "t",
    "seed= of the functions in weft.random, or weft.random.default_rng": (
        "manual_seed seed default_rng RandomState PRNGKey"
    ),
    "weft.asarray(obj), or weft.zeros(shape)": "FloatTensor",
    "weft.jacobian": "jacrev jacfwd", "weft.hessian_vector_product": "hvp", "weft.devices": "cuda",
    "weft.jacobian(weft.grad(f)), or weft.hessian_vector_product": "hessian",
    "x.grad and weft.no_grad, under which w -= rate * w.grad": "optim",
    "x[mask]": "masked_select", "isinstance(x, weft.Tensor)": "is_tensor", "weft.asarray(obj)": "matrix asmatrix",
    "weft.int64, and keep the unit yourself": "datetime64 timedelta64", "1 / weft.sqrt(x)": "rsqrt",
    "x + weight * (y - x)": "lerp", "b + weft.matmul(x, y)": "addmm",
    "weft.linalg.vector_norm(x[:, None] - y, axis=-1)": "cdist", "weft.polynomial": "Polynomial",
    "NaN and weft.nanmean(x) and the like, or weft.where(mask, x, value)": "ma",
    "scipy.special.gammaln(x.numpy())": "lgamma", "weft.nn": "functional",
    "x.detach()": "stop_gradient", "weft.scan, weft.cond and weft.while_loop": "lax", "weft.vmap": "pmap",
    "weft.map_blocks, whose vjp= is a gradient of one's own": "custom_vjp custom_jvp",
    "x.realize()": "block_until_ready",
    "a comprehension over the dict or list": "tree_map tree_util tree", "weft itself": "numpy",
    "weft.add.at(x, indices, values)": "scatter_add index_add segment_sum", "weft.random.categorical": "multinomial",
    "weft.put_along_axis(x, indices, values, axis)": "scatter", "weft.grad, weft.vmap and weft.jacobian": "func",
    "weft.no_grad, outside of which gradients are recorded": "enable_grad set_grad_enabled inference_mode",
}  # fmt: skip


# Names in namespaces: what has their place, by namespace.
_WITHIN = {
    "autograd": {
        "weft.jacobian, weft.hessian_vector_product, weft.vjp and weft.jvp": "functional",
        "weft.map_blocks, whose vjp= is a gradient of one's own": "Function",
        "weft.no_grad, outside of which gradients are recorded": "enable_grad set_grad_enabled",
        "x.requires_grad_()": "Variable", "y.backward()": "backward",
    },
    "fft": {
        "weft.fft.hfft along the last of the axes": "hfft2 ihfft2 hfftn ihfftn",
    },
    "linalg": {
        "weft.matmul": "mm bmm", "weft.linalg.norm": "vecnorm",
        "weft.linalg.solve": "solve_triangular lu_solve cho_solve cholesky_solve",
        "weft.linalg.qr": "lu lu_factor",
    },
    "nn": {
        "weft.nn.cross_entropy": "nll_loss NLLLoss CrossEntropyLoss", "weft.nn.linear": "Linear bilinear",
        "weft.nn.conv": "conv3d Conv1d Conv2d Conv3d", "weft.nn.relu": "ReLU relu6 relu_",
        "weft.nn.softmax": "Softmax softmin", "weft.nn.dropout": "Dropout dropout2d",
        "weft.nn.max_pool": "max_pool1d max_pool2d max_pool3d MaxPool2d",
        "weft.nn.avg_pool": "avg_pool1d avg_pool2d avg_pool3d AvgPool2d",
        "weft.nn.layer_norm": "LayerNorm", "weft.nn.batch_norm": "BatchNorm1d BatchNorm2d",
        "weft.nn.embedding": "Embedding", "weft.nn.gelu": "GELU", "weft.nn.silu": "SiLU swish hardswish",
        "weft.nn.mse_loss": "MSELoss", "weft.tanh": "Tanh", "weft.pad": "pad",
        "weft.nn.scaled_dot_product_attention": "MultiheadAttention multi_head_attention_forward",
        "weft.nn.conv_transpose": "conv_transpose1d conv_transpose2d conv_transpose3d ConvTranspose2d",
        "weft.nn.adaptive_avg_pool": "adaptive_avg_pool1d adaptive_avg_pool2d AdaptiveAvgPool2d",
        "weft.nn.group_norm": "instance_norm GroupNorm InstanceNorm2d", "weft.nn.l1_loss": "L1Loss",
        "weft.nn.binary_cross_entropy_with_logits": "binary_cross_entropy BCELoss BCEWithLogitsLoss",
        "weft.nn.huber_loss": "smooth_l1_loss SmoothL1Loss HuberLoss",
        "weft.scan, over a function of one step": "LSTM GRU RNN LSTMCell GRUCell RNNCell",
        "weft.nn.scaled_dot_product_attention, weft.nn.layer_norm and weft.nn.linear": (
            "Transformer TransformerEncoder TransformerEncoderLayer"
        ),
        "-weft.nn.softplus(-x)": "logsigmoid log_sigmoid LogSigmoid", "x * weft.tanh(weft.nn.softplus(x))": "mish Mish",
        "weft.clip": "hardtanh", "x / weft.linalg.norm(x, axis=-1, keepdims=True)": "normalize",
        "weft.sum(p * (weft.log(p) - log_q))": "kl_div KLDivLoss",
        "weft.vecdot, of normalised operands": "cosine_similarity CosineSimilarity",
        "weft.nn itself": "functional", "x.grad, which may be scaled and set": "utils",
        "tensors and functions: layers here have no state": "Module Sequential Parameter ModuleList",
    },
    "random": {
        "weft.random.uniform": "rand random random_sample sample ranf", "weft.random.normal": "randn standard_normal",
        "weft.random.integers": "randint random_integers", "weft.random.permutation": "shuffle randperm",
        "weft.random.categorical": "choice multinomial", "weft.random.bernoulli": "binomial",
        "weft.random.default_rng(seed).poisson": "poisson", "weft.random.default_rng(seed).lognormal": "lognormal",
        "weft.random.default_rng(seed).multivariate_normal": "multivariate_normal",
        "weft.random.default_rng(seed).gamma and the like": (
            "gamma beta standard_gamma chisquare dirichlet geometric triangular weibull standard_t"
        ),
        "weft.random.exponential": "standard_exponential", "weft.random.fold": "split fold_in spawn",
        "seed= of the functions in weft.random, or weft.random.default_rng": "seed key PRNGKey RandomState manual_seed",
    },
}  # fmt: skip
# Methods that arrays and tensors of others have, and what has their place.
_METHODS = {
    "x.to('cpu')": "cpu", "x.to(device)": "cuda", "x.ndim": "dim", "x.size": "numel nelement", "x.shape": "size_",
    "x.as_contiguous()": "contiguous", "x.astype(weft.float32)": "float",
    "x.astype(weft.float64)": "double", "x.astype(weft.float16)": "half", "x.astype(weft.int64)": "long",
    "x.astype(weft.int32)": "int", "x.astype(weft.bool)": "bool", "x.astype(dtype)": "type type_as",
    "weft.broadcast_to(x, shape)": "expand expand_as", "x.reshape(shape)": "view_as resize reshape_as",
    "weft.where(mask, value, x)": "masked_fill", "x[mask] = value": "masked_fill_ itemset setfield index_put_",
    "x[mask]": "masked_select", "x[...] = value": "copy_ fill_", "x[...] = 0": "zero_",
    "weft.take_along_axis(x, indices, axis=0)": "gather", "weft.take(x, indices, axis=0)": "index_select",
    "weft.narrow(x, 0, 0, 1)": "narrow select", "x.T": "t", "x.read_only": "setflags flags", "x.storage": "base",
    "x.detach(), or x.storage": "data", "x.numpy()": "values", "x[i]": "iloc loc",
    "x.ptr": "ctypes data_ptr", "weft.save(path, x)": "tofile dump", "pickle.dumps(x)": "dumps", "x += 1": "add_ sub_",
    "x *= 2": "mul_ div_", "weft.linalg.norm(x)": "norm", "x.byteorder": "newbyteorder",
    "weft.nn.softmax(x)": "softmax", "weft.nn.relu(x)": "relu", "weft.nn.sigmoid(x)": "sigmoid",
    "weft.matmul(x, y)": "mm bmm mv", "x + y": "add", "x * y": "mul", "x - y": "sub", "x / y": "div", "x == y": "eq",
    "x != y": "ne", "x > y": "gt", "x >= y": "ge", "x < y": "lt", "x <= y": "le", "-x": "neg",
    "weft.linalg.det(x)": "det", "weft.linalg.inv(x)": "inverse", "x.strides, in bytes": "stride",
    "weft.zeros(shape, dtype=x.dtype)": "new_zeros", "weft.ones(shape, dtype=x.dtype)": "new_ones",
    "weft.asarray(data, dtype=x.dtype)": "new_tensor", "weft.array_split(x, n)": "chunk",
    "weft.split(x, n) for n parts, or weft.split(x, sizes=[...])": "split",
    "x.repeat(repeats=n)": "repeat_interleave", "weft.nn.logsumexp(x)": "logsumexp",
    "weft.autograd.grad(y, x)": "retain_grad register_hook",
    "weft.add.at(x, indices, values)": "index_add_ scatter_add_",
    "weft.put_along_axis(x, indices, values, axis=0)": "scatter_", "x **= 2": "pow_", "x ** 2": "pow",
    "y = x.copy(); y[key] = value": "set",
    "x[...] = weft.clip(x, low, high)": "clamp_ clip_", "x[...] = weft.random.uniform(x.shape, seed=7)": "uniform_",
    "x[...] = weft.random.normal(x.shape, seed=7)": "normal_", "x.itemsize": "element_size", "x.device": "is_cuda",
    "weft.sliding_window_view": "unfold", "x.realize()": "block_until_ready",
}  # fmt: skip


def _by_name(table: dict[str, str], prefix: str = "") -> dict[str, str]:
    """Return a dict from each name that the values of `table` list to its key."""
    return {theirs: prefix + ours for ours, names in table.items() for theirs in names.split()}


SAME = _by_name(_SAME)
_ADVICE = _by_name(_HINTS, "weft.") | _by_name(_SPELLED)
_ADVICE_WITHIN = {space: _by_name(table) for space, table in _WITHIN.items()}
_ADVICE_FOR_METHODS = _by_name(_METHODS)


def named(name: str, module: Any) -> Any:
    """Return the function or dtype of weft that another library's name stands for, or what NumPy has under it.

    Raises AttributeError for a name without a counterpart of the same meaning; it says what to use instead.

    >>> import weft
    >>> named("concatenate", weft) is weft.concat
    True
    >>> named("memmap", weft)
    Traceback (most recent call last):
    AttributeError: module 'weft' has no attribute 'memmap'; see weft.open
    """
    if name in SAME:
        return attrgetter(SAME[name])(module)
    if (found := numpy_name(name)) is not None:
        return found
    raise _missing("module 'weft'", name, _ADVICE.get(name), module)


def missing_in(space: str, name: str) -> AttributeError:
    """Return the AttributeError for a name that a namespace of weft lacks; it suggests a replacement.

    >>> missing_in("random", "randn").args[0]
    "module 'weft.random' has no attribute 'randn'; see weft.random.normal"
    """
    advice = _advice_within(space, name)
    return _missing(f"module 'weft.{space}'", name, advice, sys.modules[f"weft.{space}"])


def missing_method(space: str, owner: Any, name: str) -> AttributeError:
    """Return the AttributeError for a method that an object of a namespace lacks; it suggests a replacement.

    >>> import weft
    >>> missing_method("random", weft.random.default_rng(1), "standard_t").args[0].split(";")[0]
    "'Generator' object has no attribute 'standard_t'"
    """
    return _missing(f"{type(owner).__name__!r} object", name, _advice_within(space, name), owner)


def _advice_within(space: str, name: str) -> str | None:
    return _ADVICE_WITHIN.get(space, {}).get(name) or _at_top(name)


def advice_for_method(name: str) -> str:
    """Return a replacement for a method that tensors lack, after "; "; "" if none is known.

    >>> advice_for_method("sqrt"), advice_for_method("cpu"), advice_for_method("nonsense")
    ('; see weft.sqrt(x)', "; see x.to('cpu')", '')
    """
    advice = _ADVICE_FOR_METHODS.get(name)
    if advice is None and (found := _at_top(name)) is not None and _is_function(found.removeprefix("weft.")):
        advice = f"{found}(x)"
    return f"; see {advice}" if advice else ""


def hint_at_methods(public: Iterable[str]) -> None:
    """Make tensors raise AttributeError with advice for methods of other libraries and for public functions."""
    names = {name for name in (*public, *SAME, *_ADVICE_FOR_METHODS) if name[0] != "_"}
    set_hints(names, advice_for_method)


def _at_top(name: str) -> str | None:
    """Return the public name of weft that a name equals or stands for, or None."""
    ours = SAME.get(name, name)
    weft: Any = sys.modules["weft"]
    return f"weft.{ours}" if ours in weft.__all__ and not name.startswith("_") else None


def _is_function(name: str) -> bool:
    """True if `name`, a public attribute of `weft`, is defined in `weft.api`, as functions of tensors are."""
    module = getattr(getattr(sys.modules["weft"], name), "__module__", None) or ""
    return module.startswith("weft.api.")


def _missing(owner: str, name: str, advice: str | None, obj: Any) -> AttributeError:
    hint = f"; see {advice}" if advice else ""
    return AttributeError(f"{owner} has no attribute {name!r}{hint}", name=name, obj=obj)
