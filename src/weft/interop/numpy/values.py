"""Functions of NumPy computed on values: tensors become arrays, and results become tensors.

The one idea: NumPy never writes into memory of tensors.  An argument that a function overwrites is copied, and the copy
is then written to the tensor like any other value, so that versions, read-only memory and devices work as usual.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.autograd.record import is_recording, record_of
from weft.errors import DTypeError, GradientError, OutOfMemory
from weft.interop.device_moves import moved
from weft.interop.imports import asarray, own
from weft.modes.implicit_conversions import of_values
from weft.runtime.devices.device import CPU
from weft.runtime.memory.limits import warn_of_wholes
from weft.tensors.pending_limits import Limits
from weft.tensors.tensor import Tensor, array_of, node_of

_NESTS = (list, tuple)


def tensors_in(*nests: Any) -> Iterator[Tensor]:
    """Yield the tensors among arguments, also those inside lists, tuples and dicts."""
    for x in nests:
        if isinstance(x, Tensor):
            yield x
        elif isinstance(x, _NESTS):
            yield from tensors_in(*x)
        elif isinstance(x, dict):
            yield from tensors_in(*x.values())


def computed(name: str, function: Callable[..., Any], args: Any, how: dict[str, Any], out: Any = None) -> Any:
    """Return `function(*args, **how)` called on the values of tensors, with arrays in its result made tensors.

    `out` is the destination, or a tuple of destinations, passed to the function as `out=`. Raises GradientError for a
    result of floats from operands with recorded gradients, since no gradient would flow, and the errors of the
    function. `name` is named in errors.
    """
    given = list(tensors_in(args, how, out))
    if out is None:
        return to_tensors(_evaluated(name, function, args, how, given), given)
    several = isinstance(out, tuple)
    targets = out if several else (out,)
    copies = [None if o is None else np.array(o) for o in targets]
    made = _evaluated(name, function, args, {**how, "out": tuple(copies) if several else copies[0]}, given)
    results = made if isinstance(made, tuple) else (made,)
    found = [to_tensors(r, given) if t is None else written(t, r) for r, t in zip(results, targets, strict=True)]
    return tuple(found) if isinstance(made, tuple) else found[0]


def overwritten(name: str, function: Callable[..., Any], target: Any, args: Any, how: dict[str, Any]) -> None:
    """Call `function(target, *args, **how)`, which overwrites `target`, on a copy, and write the copy to `target`.

    Raises GradientError if floats are computed from tensors with recorded gradients, WriteError if `target` is
    read-only.
    """
    cells = np.array(target)

    def function_on_cells(*args: Any, **how: Any) -> np.ndarray:
        function(cells, *args, **how)
        return cells

    _evaluated(name, function_on_cells, args, how, list(tensors_in(target, args, how)))
    written(target, cells)


def written(target: Any, values: np.ndarray) -> Any:
    """Write values into a tensor or array, and return the target.

    Raises WriteError if the target is read-only, ValueRangeError if it is no array whose memory can be shared.
    """
    place = target if isinstance(target, Tensor) else asarray(target, device=CPU, copy=False)
    place[...] = values  # type: ignore[index]
    return target


def _evaluated(name: str, function: Callable[..., Any], args: Any, how: Any, given: list[Tensor]) -> Any:
    """Return the function's result on values; raises GradientError for floats computed from recorded tensors.

    Raises OutOfMemory if NumPy finds no memory.  Warns (MemoryLimitWarning) if values over files take more than a
    user's limit.
    """
    nodes = [node_of(x) for x in given]
    if Limits.watcher is not None and nodes:
        Limits.watcher.judge(of_values(name, nodes))
    warn_of_wholes(name, nodes)
    try:
        made = function(*_to_arrays(args), **_to_arrays(how))
    except MemoryError as error:
        fact = str(error) or "a result beyond the memory of this machine"
        raise OutOfMemory(f"{name}: {fact}; NumPy computes it at once; give a smaller one") from error
    if any(record_of(n) is not None for n in nodes) and is_recording() and _has_floats(made):
        raise GradientError(
            f"{name}: NumPy computes it on values; no gradient flows through those; give x.detach(), or build it of "
            "functions of weft"
        )
    return made


def _has_floats(x: Any) -> bool:
    """True if nested results hold floats or complex numbers."""
    if isinstance(x, _NESTS):
        return any(_has_floats(part) for part in x)
    return isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "fcV"


def _to_arrays(x: Any) -> Any:
    """Return nested arguments with tensors replaced by arrays, over their memory where possible."""
    if isinstance(x, Tensor):
        return array_of(x)
    if isinstance(x, dict):
        return {key: _to_arrays(value) for key, value in x.items()}
    if type(x) in _NESTS:
        return type(x)([_to_arrays(part) for part in x])
    return np.dtype(x) if isinstance(x, dt.DType) else x


def to_tensors(x: Any, given: list[Tensor]) -> Any:
    """Return nested results with numeric arrays and scalars replaced by tensors.

    The tensors lie on the device of `given[0]`, the first operand, if there is any.
    """
    if type(x) is np.ndarray or isinstance(x, np.generic):
        return _tensor(x, given)
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*[to_tensors(part, given) for part in x])
    if type(x) in _NESTS:
        return type(x)([to_tensors(part, given) for part in x])
    return x


def _tensor(x: np.ndarray | np.generic, given: list[Tensor]) -> Any:
    """Return an array as a tensor over its memory; an array without numbers is returned unchanged.

    The tensor lies on the device of `given[0]`, the first operand, if there is any.
    """
    try:
        made = own(dt.known(np.asarray(x)))
    except DTypeError:
        return x
    return moved(made, given[0].device) if given else made
