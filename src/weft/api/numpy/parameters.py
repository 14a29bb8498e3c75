"""NumPy's parameters of functions that weft has too: their order, and the names by which weft knows them.

The one idea: NumPy's signature says both.  A parameter is weft's of the same name, or the one without a name at its
place; else it is about memory or speed and ignored (`_IGNORED`), or missing in weft (`_INSTEAD` says what to write), or
what NumPy's function, called with tensors, takes in addition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import Parameter, signature
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

RENAMED = {"N": "n", "a_max": "max", "a_min": "min", "ddof": "correction", "dims": "shape", "rcond": "rtol"}
_IGNORED = {
    "allow_pickle", "assume_unique", "encoding", "fix_imports", "kind", "like", "max_header_size", "meshgrid.copy",
    "optimize", "order", "overwrite_input", "sorted", "subok",
}  # fmt: skip
_INSTEAD = {
    "argpartition.order": "argpartition(x, kth)", "partition.order": "partition(x, kth)",
    "argsort.order": "lexsort(keys)", "sort.order": "x[lexsort(keys)]",
    "astype.casting": "can_cast(x.dtype, dtype) to ask first, and astype(x, dtype)",
    "can_cast.casting": "isdtype(dtype, kind) for what may be cast",
    "load.mmap_mode": "load(file), which reads the cells that are used, and save(file, x) to write them",
    "eye.order": "asarray(eye(n), order='F')",
    "linalg.eigh.UPLO": "linalg.eigh(x.mT) for the other triangle",
    "linalg.eigvalsh.UPLO": "linalg.eigvalsh(x.mT) for the other triangle",
    "linalg.matrix_rank.tol": "linalg.matrix_rank(x, rtol=...), or count_nonzero(linalg.svdvals(x) > tol)",
    "linalg.matrix_rank.hermitian": "linalg.matrix_rank(x)", "linalg.pinv.hermitian": "linalg.pinv(x)",
    "linalg.svd.hermitian": "linalg.eigh(x)",
    "linalg.multi_dot.out": "out[...] = linalg.multi_dot(arrays)",
}  # fmt: skip
# Functions with arguments of their own, whose NumPy's names are not taken.
_APART = {
    "apply_along_axis", "array", "asarray", "broadcast_arrays", "broadcast_shapes", "empty", "from_dlpack",
    "fromfunction", "genfromtxt", "indices", "ix_", "loadtxt", "may_share_memory", "ones", "pad", "piecewise",
    "result_type", "save", "savetxt", "savez", "transpose", "where", "zeros",
}  # fmt: skip
# Signatures that NumPy before 2.4 does not tell, that of ufuncs, two that tell less than the functions take, and one
# of `load` with the only map that weft has.
UNTOLD: dict[str, Callable[..., Any]] = {
    "arange": lambda start, stop=None, step=1, dtype=None, *, device=None, like=None: ...,
    "astype": lambda x, dtype, order="K", casting="unsafe", subok=True, *, copy=True, device=None: ...,
    "bincount": lambda x, weights=None, minlength=0: ...,
    "can_cast": lambda from_, to, casting="safe": ...,
    "concat": lambda arrays, axis=0, out=None, *, dtype=None, casting="same_kind": ...,
    "copyto": lambda dst, src, casting="same_kind", where=True: ...,
    "dot": lambda a, b, out=None: ...,
    "empty_like": lambda prototype, dtype=None, order="K", subok=True, shape=None, *, device=None: ...,
    "inner": lambda a, b: ...,
    "lexsort": lambda keys, axis=-1: ...,
    "load": lambda file, mmap_mode="r", allow_pickle=0, fix_imports=1, encoding="ASCII", *, max_header_size=0: ...,
    "packbits": lambda a, axis=None, bitorder="big": ...,
    "ravel_multi_index": lambda multi_index, dims, mode="raise", order="C": ...,
    "ufunc": lambda out=None, *, where=True, casting="same_kind", order="K", dtype=None, subok=True: ...,
    "unpackbits": lambda a, axis=None, count=None, bitorder="big": ...,
    "unravel_index": lambda indices, shape, order="C": ...,
    "vdot": lambda a, b: ...,
}


class NumpyParameters(NamedTuple):
    """NumPy's parameters of a function of weft.

    positional: weft's names of the positional ones, in order, up to the first that weft lacks or ignores.
    names: weft's name of each that has one.
    missing: those that weft lacks, each with the value that may be given, and the advice for other values.
    ignored: those about memory and speed.
    beyond: those with which NumPy's function is called, each with its default.
    """

    positional: tuple[str, ...]
    names: dict[str, str]
    missing: dict[str, tuple[object, str]]
    ignored: frozenset[str]
    beyond: dict[str, object]


def numpy_parameters(name: str, parameters: Iterable[Parameter]) -> NumpyParameters:
    """Return NumPy's parameters of a function, given by its name in weft, such as "linalg.norm", and its parameters.

    >>> import weft
    >>> found = numpy_parameters("linalg.pinv", signature(weft.linalg.pinv).parameters.values())
    >>> found.positional, found.names["rcond"], found.missing
    (('x', 'rtol'), 'rtol', {'hermitian': (False, 'linalg.pinv(x)')})
    """
    ours = {p.name: p.kind for p in parameters}
    unnamed = [n for n, kind in ours.items() if kind is Parameter.POSITIONAL_ONLY]
    function = _function(name)
    operands = unnamed[: function.nin] if isinstance(function, np.ufunc) else []  # which have no names in NumPy
    positional, names, missing, ignored, beyond = [*operands], {}, {}, set(), {}
    is_leading, unnamed = True, unnamed[len(operands) :]
    for i, p in enumerate(_parameters(name, function)):
        by_place = unnamed[i] if i < len(unnamed) and p.kind is not Parameter.KEYWORD_ONLY else None
        known = next((n for n in (p.name, RENAMED.get(p.name)) if n in ours), by_place)
        is_leading = is_leading and known is not None and p.kind is not Parameter.KEYWORD_ONLY
        if is_leading:
            positional.append(known)
        if known is not None:
            names[p.name] = known
        elif (advice := _INSTEAD.get(f"{name}.{p.name}")) is not None:
            missing[p.name] = p.default, advice
        elif not _IGNORED.isdisjoint((p.name, f"{name}.{p.name}")):
            ignored.add(p.name)
        elif p.default is not Parameter.empty:
            beyond[p.name] = p.name == "where" or (None if p.default is np._NoValue else p.default)  # type: ignore[attr-defined]
    return NumpyParameters(tuple(positional), names, missing, frozenset(ignored), beyond)


def _function(name: str) -> Any:
    """Return NumPy's function of a name in weft; None if there is none, or weft's has arguments of its own."""
    try:
        found = None if name in _APART else attrgetter(name)(np)
    except AttributeError:
        return None
    return found if callable(found) and getattr(found, "signature", None) is None else None


def _parameters(name: str, function: Any) -> Iterable[Parameter]:
    """Return the parameters of a function of NumPy, which weft has as `name`, without operands of ufuncs and stars."""
    told = UNTOLD.get("ufunc" if isinstance(function, np.ufunc) else name, function)
    found = () if told is None else signature(told).parameters.values()
    return [p for p in found if p.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)]
