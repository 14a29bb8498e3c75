"""Registration with libraries that keep tables of types: einops, dask, PyTorch's loader of batches, pandas, xarray.

The one idea: tensors are registered when the library's module with such a table is imported, before or after weft; weft
itself imports none of them.  xarray objects over tensors report NumPy's dtype for the same cells: functions that read
it (`where`, `shift`, `pad`, `rolling`, reindexing, `interp`, `to_netcdf`) then work; the cells stay a tensor, pending.
xarray treats an array with `chunks` as one that another library computes by blocks, so tensors report none.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

import numpy as np

from weft.api.standard.manipulation_functions import stack
from weft.dtypes import DType
from weft.interop.dask_arrays import token
from weft.tensors.tensor import Tensor


def take_dtypes(dtypes: ModuleType) -> None:
    """Let xarray's `maybe_promote`, which finds a dtype for values and missing values, accept weft's dtypes."""
    theirs = getattr(dtypes, "maybe_promote", None)
    if theirs is None:
        return

    @wraps(theirs)
    def maybe_promote(dtype: Any) -> tuple[Any, Any]:
        if not isinstance(dtype, DType):
            return theirs(dtype)  # type: ignore[no-any-return]
        if dtype.extended and dtype.kind == "float":  # xarray would convert them to objects
            return dtype.np, dtype.np.type(float("nan"))
        return theirs(dtype.np)  # type: ignore[no-any-return]

    dtypes.maybe_promote = maybe_promote  # type: ignore[attr-defined]


def say_dtypes(core: ModuleType) -> None:
    """Make xarray's objects over tensors report NumPy's dtype, if NumPy has it, and no chunks."""
    _say_no_chunks(core)
    theirs = getattr(getattr(core, "NamedArray", None), "dtype", None)
    if not isinstance(theirs, property):
        return

    def dtype(self: Any) -> Any:
        found = theirs.__get__(self)
        return found.np if isinstance(found, DType) and not found.extended else found

    core.NamedArray.dtype = property(dtype, doc=theirs.__doc__)


def _say_no_chunks(core: ModuleType) -> None:
    """Make xarray's objects over tensors report that they have no chunks, as over NumPy's arrays."""
    for name, none in (("chunks", lambda: None), ("chunksizes", dict)):
        theirs = getattr(getattr(core, "NamedArray", None), name, None)
        if isinstance(theirs, property):
            setattr(core.NamedArray, name, _unless_tensor(theirs, none))


def _unless_tensor(theirs: property, instead: Any) -> property:
    """Return a property with the value `instead()` for objects over tensors, else the value of `theirs`."""

    def get(self: Any) -> Any:
        return instead() if isinstance(self._data, Tensor) else theirs.__get__(self)

    return property(get, doc=theirs.__doc__)


def say_unchunked(pycompat: ModuleType) -> None:
    """Make xarray's test for chunked arrays return False for tensors.

    Its modules import the test by name, so the function called by it is replaced.
    """

    def has(obj: Any, name: str) -> bool:
        return not (name == "chunks" and isinstance(obj, Tensor)) and builtins.hasattr(obj, name)

    pycompat.hasattr = has  # type: ignore[attr-defined]


def take_masks(variable: ModuleType) -> None:
    """Let xarray's variables accept tensors of bools as masks, which it recognises by the letter of NumPy's dtype."""
    theirs = getattr(getattr(variable, "Variable", None), "_broadcast_indexes", None)
    if theirs is None:
        return

    @wraps(theirs)
    def broadcast_indexes(self: Any, key: Any) -> Any:
        return theirs(self, tuple(map(_mask, key)) if isinstance(key, tuple) else _mask(key))

    def _mask(key: Any) -> Any:
        cells = key._data if isinstance(key, variable.Variable) else key
        if type(cells) is not Tensor or cells.dtype.kind != "bool":
            return key
        return cells.numpy() if cells is key else key.copy(data=cells.numpy())

    variable.Variable._broadcast_indexes = broadcast_indexes  # type: ignore[attr-defined]


BACKENDS: list[type] = []  # backends for einops, which refers to them weakly


def _with_einops(backends: ModuleType) -> None:
    """Define the backend for tensors as a subclass of einops' backend for arrays, and keep a reference to it."""
    BACKENDS.append(import_module("weft.interop.einops_backend").define(backends.NumpyBackend))


def _with_dask(chunk_types: ModuleType) -> None:
    """Let chunks of dask's arrays be tensors: without this, neither side handles `tensor * dask_array`."""
    chunk_types.register_chunk_type(Tensor)


def _with_percentiles(backends: ModuleType) -> None:
    """Make dask compute percentiles of tensor blocks like those of NumPy arrays, as it merges them with NumPy."""
    lookup = getattr(backends, "percentile_lookup", None)
    if lookup is not None:
        of_array = lookup.dispatch(np.ndarray)
        lookup.register(Tensor, lambda x, *given, **how: of_array(x.numpy(), *given, **how))


def _with_tokens(tokenize: ModuleType) -> None:
    """Make dask name tensors without their values: it would pickle them, which reads whole files."""
    tokenize.normalize_token.register(Tensor, token)


def _with_torch(collating: ModuleType) -> None:
    """Make PyTorch's loader combine the tensors of a batch into one torch tensor."""

    def collate(batch: Sequence[Tensor], *, collate_fn_map: Any = None) -> Any:
        return stack(batch).export("torch")  # type: ignore[attr-defined]

    collating.default_collate_fn_map[Tensor] = collate


def _with_pandas(common: ModuleType) -> None:
    """Make pandas accept tensors as keys, such as masks in `frame[mask]`.

    pandas passes all keys through one function, which is wrapped.
    """
    theirs = getattr(common, "apply_if_callable", None)
    if theirs is None:
        return

    @wraps(theirs)
    def apply_if_callable(key: Any, *args: Any, **how: Any) -> Any:
        return _value(key) if type(key) is Tensor else theirs(key, *args, **how)

    common.apply_if_callable = apply_if_callable  # type: ignore[attr-defined]


def _value(x: Any) -> Any:
    """Return a tensor's value as an array or a scalar of NumPy, for pandas; any other object unchanged."""
    return x.numpy()[()] if type(x) is Tensor else x


def _with_pandas_operands(common: ModuleType) -> None:
    """Make pandas' operators read tensors of rank 0 as NumPy scalars."""
    theirs = getattr(common, "item_from_zerodim", None)
    if theirs is not None:
        common.item_from_zerodim = lambda x: theirs(x if getattr(x, "ndim", 0) else _value(x))  # type: ignore[attr-defined]


def _with_pandas_cells(blocks: ModuleType) -> None:
    """Make pandas write tensors into cells: the check of their dtype gets NumPy arrays."""
    theirs = getattr(blocks, "np_can_hold_element", None)
    if theirs is not None:
        blocks.np_can_hold_element = lambda dtype, element: theirs(dtype, _value(element))  # type: ignore[attr-defined]


REGISTRATIONS: dict[str, Callable[[ModuleType], None]] = {
    "einops._backends": _with_einops,
    "dask.array.chunk_types": _with_dask,
    "dask.tokenize": _with_tokens,
    "dask.array.backends": _with_percentiles,
    "torch.utils.data._utils.collate": _with_torch,
    "pandas.core.common": _with_pandas,
    "pandas.core.ops.common": _with_pandas_operands,
    "pandas.core.internals.blocks": _with_pandas_cells,
    "pandas.core.internals.managers": _with_pandas_cells,
    "xarray.core.dtypes": take_dtypes,
    "xarray.namedarray.core": say_dtypes,
    "xarray.namedarray.pycompat": say_unchunked,
    "xarray.core.variable": take_masks,
}


class RegistrationFinder(MetaPathFinder):
    """An import finder that registers tensors with the modules in `waiting` after their execution."""

    def __init__(self) -> None:
        self.waiting: dict[str, Callable[[ModuleType], None]] = {}

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of a module in `waiting`, whose loader then registers tensors; None for other modules."""
        if name not in self.waiting:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            if (register := self.waiting.pop(name, None)) is not None:
                register(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def register_with_others() -> None:
    """Register tensors with the libraries imported already, and with others when they are imported."""
    finder = RegistrationFinder()
    for name, register in REGISTRATIONS.items():
        if name in sys.modules:
            register(sys.modules[name])
        else:
            finder.waiting[name] = register
    sys.meta_path.insert(0, finder)
