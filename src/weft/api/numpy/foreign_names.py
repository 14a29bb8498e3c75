"""Names of NumPy and PyTorch: other names of weft's functions and dtypes, and hints for names without a counterpart.

The one idea: a name that means the same as one of weft's is that function or dtype (`SAME`); of any other, the error
about the missing name says what weft has in its place (`_HINTS`, `_SPELLED`).
"""

from __future__ import annotations

from typing import Any

from weft.ir.graph.ops import ROWS

_SAME = {row.name: row.theirs for row in ROWS if row.theirs} | {
    "asarray": "as_tensor asanyarray from_numpy",
    "clip": "clamp", "concat": "concatenate cat", "expand_dims": "unsqueeze", "max": "amax", "min": "amin",
    "moveaxis": "movedim", "result_type": "promote_types", "unstack": "unbind", "vstack": "row_stack",
    "bool": "bool_", "int8": "byte", "int16": "short", "int32": "intc", "int64": "int_ long longlong intp",
    "uint8": "ubyte", "uint16": "ushort", "uint32": "uintc", "uint64": "uint uintp ulong ulonglong", "float16": "half",
    "float32": "single", "float64": "double", "complex32": "chalf", "complex64": "csingle cfloat",
    "complex128": "cdouble",
}  # fmt: skip
_HINTS = {
    "pow": "float_power", "round": "rint", "asarray": "frombuffer",
    "concat": "append block", "cumulative_prod": "cumprod", "cumulative_sum": "cumsum", "diag": "diagflat",
    "eye": "identity", "find": "flatnonzero",
    "floor_divide, weft.remainder": "divmod", "isdtype": "issubdtype", "iota": "indices mgrid ogrid",
    "linalg.cross": "cross", "linalg.det": "det", "linalg.inv": "inv", "linalg.outer": "outer",
    "linalg.solve": "lstsq", "linalg.svd": "svd", "linalg.trace": "trace", "matmul": "dot mm bmm",
    "linalg.vector_norm, weft.linalg.matrix_norm": "norm", "math_mode": "errstate seterr",
    "moveaxis": "rollaxis", "nn.relu": "relu", "nn.sigmoid": "sigmoid",
    "nn.softmax": "softmax", "open": "fromfile memmap", "overlap": "shares_memory",
    "permute_dims": "transpose permute", "random.integers": "randint",
    "random.normal": "randn", "random.permutation": "shuffle randperm", "random.uniform": "rand",
    "reshape": "view resize", "result_type": "min_scalar_type",
    "save": "tofile", "savez": "savez_compressed", "sort": "partition sort_complex",
    "argsort": "argpartition lexsort", "split": "array_split hsplit vsplit dsplit chunk", "take": "compress",
    "einsum": "einsum_path contract", "tril": "tril_indices", "triu": "triu_indices",
    "unique_values, weft.unique_counts, weft.unique_inverse": "unique", "vecdot": "inner vdot",
    "storage": "UntypedStorage", "isin": "in1d", "int64, weft.int32": "int", "float64, weft.float32": "float",
    "complex128, weft.complex64": "complex",
}  # fmt: skip
_SPELLED = {
    "broadcast_arrays(*arrays)": "broadcast", "weft.copy(x)": "ascontiguousarray",
    "x[...] = value": "copyto put putmask place", "x.size": "numel",
    "x.T": "t",
    "seed= of the functions in weft.random, or weft.random.default_rng": "manual_seed seed default_rng RandomState",
    "numpy.set_printoptions, which holds here too": "set_printoptions",
    "weft.asarray(obj), or weft.zeros(shape)": "ndarray FloatTensor",
}  # fmt: skip


def _by_name(table: dict[str, str], prefix: str = "") -> dict[str, str]:
    """Return the names that the values list, each with its key."""
    return {theirs: prefix + ours for ours, names in table.items() for theirs in names.split()}


SAME = _by_name(_SAME)
_ADVICE = _by_name(_HINTS, "weft.") | _by_name(_SPELLED)


def named(name: str, module: Any) -> Any:
    """Return what another library's name means in `weft`, given as a module.

    Raises AttributeError for a name without a counterpart of the same meaning; it says what to use instead.

    >>> import weft
    >>> named("concatenate", weft) is weft.concat
    True
    >>> named("issubdtype", weft)
    Traceback (most recent call last):
    AttributeError: module 'weft' has no attribute 'issubdtype'; see weft.isdtype
    """
    if name in SAME:
        return getattr(module, SAME[name])
    advice = f"; see {_ADVICE[name]}" if name in _ADVICE else ""
    raise AttributeError(f"module 'weft' has no attribute {name!r}{advice}", name=name, obj=module)
