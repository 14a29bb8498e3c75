"""How tensors are shown: NumPy's layout of values, the dtype where it is not the default, the shape where it is cut.

The one idea: of a large tensor only the corners that are shown are computed, as slices of the pending expression.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.ir import selection
from weft.runtime import engine
from weft.tensor import Tensor, handle, node_of, read

_DEFAULTS = (dt.bool, dt.int64, dt.float64, dt.complex128)
_EXTENDED_DIGITS = 4  # of bfloat16, which NumPy prints by way of float32


def values_shown(x: Tensor) -> tuple[np.ndarray, bool]:
    """The values to print and whether the middle of long axes is left out (one cell stands for it)."""
    options = np.get_printoptions()
    edge = options["edgeitems"]
    if x.size <= options["threshold"] or all(n <= 2 * edge for n in x.shape):
        return _plain(read(x)), False
    spans = [[(0, 0, n)] if n <= 2 * edge else [(0, 0, edge + 1), (edge + 1, n - edge, edge)] for n in x.shape]
    parts = list(product(*spans))
    corners = [handle(x, selection.slice_(node_of(x), [(start, 1, size) for _, start, size in p])) for p in parts]
    engine.compute([n for c in corners if not _is_stored(n := node_of(c))])
    shape = tuple(sum(size for _, _, size in s) for s in spans)
    shown = np.empty(shape, _plain(read(corners[0])).dtype)
    for part, corner in zip(parts, corners, strict=True):
        shown[tuple(slice(at, at + size) for at, _, size in part)] = _plain(read(corner))
    return shown, True


def _is_stored(n: Any) -> bool:
    return n.value is not None or (n.alias is not None and n.alias[0].value is not None)


def _plain(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float32) if array.dtype.kind == "V" or array.dtype == dt.bfloat16.np else array


def _body(x: Tensor, separator: str, prefix: str, suffix: str) -> tuple[str, bool]:
    shown, cut = values_shown(x)
    digits = _EXTENDED_DIGITS if x.dtype is dt.bfloat16 else None
    threshold = 0 if cut else max(shown.size, 1)
    text = np.array2string(
        shown, separator=separator, prefix=prefix, suffix=suffix, threshold=threshold, precision=digits
    )
    return text, cut


def representation(x: Tensor) -> str:
    """`Tensor([...], origin=..., shape=..., dtype=...)`: what the values do not say and what is not the default."""
    kinds = {False: x.dtype.name, True: f"'{dt.to_numpy(x.dtype, 'big').str}'"}
    big = x.byteorder == "big"
    notes = [] if x.dtype in _DEFAULTS and not big else [f"dtype={kinds[big]}"]
    body, cut = _body(x, ", ", "Tensor(", ")")
    if cut or (not x.size and x.shape != (0,)):
        notes.insert(0, f"shape={x.shape}")
    if any(x.domain.origin):
        notes.insert(0, f"origin={x.domain.origin}")
    if not notes:
        return f"Tensor({body})"
    tail = ", ".join(notes) + ")"
    room = np.get_printoptions()["linewidth"] - len("Tensor(, ") - (len(body) - body.rfind("\n") - 1)
    return f"Tensor({body},{' ' if len(tail) <= room else chr(10) + ' ' * 7}{tail}"


def text(x: Tensor) -> str:
    """The values alone."""
    return _body(x, " ", "", "")[0]


def formatted(x: Tensor, spec: str) -> str:
    """f"{x:spec}": a tensor of rank 0 formats as its number, any other takes no spec."""
    if spec and x.ndim:
        raise TypeError(f"format: {spec!r} for a tensor of shape {x.shape}; a format is for one number; index it first")
    return format(x.item(), spec) if spec else text(x)
