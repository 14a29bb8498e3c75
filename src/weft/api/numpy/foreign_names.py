"""Names of other libraries and their counterparts here, for the message about a missing name.

The one idea: nothing has two names, so whoever comes from NumPy or PyTorch is told the one there is, by the error of
the name that is missing.
"""

from __future__ import annotations

from typing import Any

from weft.ir.graph.ops import ROWS

_FUNCTIONS = {row.name: row.theirs for row in ROWS if row.theirs} | {
    "asarray": "as_tensor asanyarray from_numpy frombuffer",
    "clip": "clamp", "concat": "concatenate append cat row_stack block",
    "copy(x)": "ascontiguousarray", "cumulative_prod": "cumprod", "cumulative_sum": "cumsum", "diag": "diagflat",
    "expand_dims": "unsqueeze", "eye": "identity", "find": "flatnonzero",
    "floor_divide, weft.remainder": "divmod", "isdtype": "issubdtype", "iota": "indices mgrid ogrid",
    "linalg.cross": "cross", "linalg.det": "det", "linalg.inv": "inv", "linalg.outer": "outer",
    "linalg.solve": "lstsq", "linalg.svd": "svd", "linalg.trace": "trace", "matmul": "dot mm bmm",
    "linalg.vector_norm, weft.linalg.matrix_norm": "norm", "math_mode": "errstate seterr", "max": "amax",
    "min": "amin", "moveaxis": "rollaxis", "nn.relu": "relu", "nn.sigmoid": "sigmoid",
    "nn.softmax": "softmax", "open": "load fromfile memmap loadtxt", "overlap": "shares_memory",
    "permute_dims": "transpose permute", "random.integers": "randint",
    "random.normal": "randn", "random.permutation": "shuffle randperm", "random.uniform": "rand",
    "reshape": "view resize", "result_type": "promote_types min_scalar_type",
    "save": "savez savetxt savez_compressed tofile", "sort": "partition sort_complex",
    "argsort": "argpartition lexsort", "split": "array_split hsplit vsplit dsplit chunk", "take": "compress",
    "einsum": "einsum_path contract", "tril": "tril_indices", "triu": "triu_indices",
    "unique_values, weft.unique_counts, weft.unique_inverse": "unique", "vecdot": "inner vdot",
    "storage": "UntypedStorage", "isin": "in1d", "unstack": "unbind",
}  # fmt: skip
_DTYPES = {
    "bool": "bool_", "int8": "byte", "int16": "short", "int32": "intc", "int64": "int int_ long longlong intp",
    "uint8": "ubyte", "uint64": "uint uintp ulong", "float16": "half", "float32": "single", "float64": "double float",
    "complex32": "chalf", "complex64": "csingle cfloat", "complex128": "complex cdouble complex_",
}  # fmt: skip
_SPELLED = {
    "broadcast_arrays(*arrays)": "broadcast", "x[...] = value": "copyto put putmask place", "x.size": "numel",
    "x.T": "t", "seed= of the functions in weft.random": "manual_seed seed default_rng RandomState",
    "numpy.set_printoptions, which holds here too": "set_printoptions",
    "weft.asarray(obj), or weft.zeros(shape)": "ndarray FloatTensor",
}  # fmt: skip
_OURS = {
    theirs: f"weft.{ours}"
    for table in (_FUNCTIONS, _DTYPES)
    for ours, names in table.items()
    for theirs in names.split()
}
_OURS |= {theirs: ours for ours, names in _SPELLED.items() for theirs in names.split()}


def missing(name: str, module: Any) -> AttributeError:
    """Return the AttributeError for a name that `weft` does not have, with the counterpart if there is one.

    >>> missing("concatenate", None).args[0]
    "module 'weft' has no attribute 'concatenate'; see weft.concat"
    """
    advice = f"; see {_OURS[name]}" if name in _OURS else ""
    return AttributeError(f"module 'weft' has no attribute {name!r}{advice}", name=name, obj=module)
