"""Printing: NumPy's layout of values, and further facts: dtype, shape if cut, device.

The one idea: of a large tensor only the corners that are shown are computed, as slices of the pending expression.
Layout follows NumPy's print options: `numpy.set_printoptions(linewidth=120, precision=5)` works here too.
"""

from __future__ import annotations

import sys
from html import escape
from itertools import product
from math import ceil, log10

import numpy as np

from weft import dtypes as dt
from weft.ir.atoms import selections
from weft.ir.graph.node import WAITING, root_of, walk
from weft.ir.graph.traced import ArgumentName
from weft.passes.fuse import is_stored
from weft.runtime.compute import stages
from weft.tensors.tensor import Tensor, handle, node_of, read

_DEFAULTS = (dt.bool, dt.int64, dt.float64, dt.complex128)
PAGE_CELLS = 100  # most cells of a tensor that a page shows whole
STYLE = "text-align:right;font-family:monospace"
BETWEEN = "\x1f"  # the unit separator, which no number's text contains


def values_shown(x: Tensor, most: float | None = None) -> tuple[np.ndarray, bool]:
    """Return the cells to print as an array, and True if the middle of long axes is missing.

    Up to `most` cells (None: the threshold of NumPy's print options) are shown whole.
    """
    options = np.get_printoptions()
    edge = options["edgeitems"]
    last = max(edge, 1)  # with edgeitems=0 NumPy shows the last cell
    if x.size <= (options["threshold"] if most is None else most) or all(n <= 2 * edge for n in x.shape):
        return _plain(read(x)), False
    spans = [[(0, 0, n)] if n <= 2 * edge else [(0, 0, edge + 1), (edge + 1, n - last, last)] for n in x.shape]
    parts = list(product(*spans))
    corners = [handle(x, selections.slice_(node_of(x), [(start, 1, size) for _, start, size in p])) for p in parts]
    stages.compute([n for c in corners if not is_stored(n := node_of(c))])
    shape = tuple(sum(size for _, _, size in s) for s in spans)
    shown = np.empty(shape, _plain(read(corners[0])).dtype)
    for part, corner in zip(parts, corners, strict=True):
        shown[tuple(slice(at, at + size) for at, _, size in part)] = _plain(read(corner))
    return shown, True


def _plain(array: np.ndarray) -> np.ndarray:
    """Return an array in a dtype that NumPy can print."""
    return dt.widened(array) if dt.from_numpy(array.dtype)[0].extended else array


def _digits(x: Tensor) -> int | None:
    """Return the number of digits that distinguish the cells of a narrow float dtype; None for NumPy's own dtypes."""
    return ceil(x.dtype.digits * log10(2)) + 1 if x.dtype.extended else None


def _body(x: Tensor, separator: str, prefix: str, suffix: str) -> tuple[str, bool]:
    """Return the values as text, and True if the middle of long axes is left out.

    `separator` stands between cells; `prefix` and `suffix` are texts around the result, for which lines leave room.
    """
    shown, cut = values_shown(x)
    digits = _digits(x)
    threshold = 0 if cut else max(shown.size, 1)
    text = np.array2string(
        shown, separator=separator, prefix=prefix, suffix=suffix, threshold=threshold, precision=digits
    )
    return text, cut


def _absent(x: Tensor) -> str:
    """Return a text in place of values that cannot be shown, such as "<deallocated>"; "" if they can."""
    return "<deallocated>" if root_of(node_of(x)).op.name == "freed" else _waiting(x)


def _waiting(x: Tensor) -> str:
    """Return a text in place of values that depend on a placeholder; "" for others."""
    n = node_of(x)
    root = root_of(n)
    if root.op.name == "placeholder":
        return f"<placeholder {root.attrs[0]!r}>"
    return "<waits for placeholders>" if n.depth >= WAITING and not is_stored(n) else ""


def _traced(x: Tensor) -> str:
    """Return a text like "<traced tensor float64 (3,)>" for a traced tensor; "" for others."""
    n = node_of(x)
    below = walk([n], lambda b: b.inputs if b.value is None else ()) if n.depth >= WAITING else ()
    names = [b.attrs[0] for b in below if b.op.name == "placeholder" and isinstance(b.attrs[0], ArgumentName)]
    over = " of a trace that is over" if any(name.is_over for name in names) else ""
    return f"<traced tensor {x.dtype.name} {x.shape}{over}>" if names else ""


def representation(x: Tensor) -> str:
    """Return `Tensor([...], origin=..., shape=..., dtype=..., device=..., read_only=True)`; defaults are left out."""
    if traced := _traced(x):
        return traced
    notes = _notes(x)
    absent = _absent(x)
    body, cut = (absent, bool(x.shape)) if absent else _body(x, ", ", "Tensor(", ")")
    if cut or (not x.size and x.shape != (0,)):
        notes.insert(0, f"shape={x.shape}")
    if any(x.domain.origin):
        notes.insert(0, f"origin={x.domain.origin}")
    if not notes:
        return f"Tensor({body})"
    tail = ", ".join(notes) + ")"
    room = np.get_printoptions()["linewidth"] - len("Tensor(, ") - (len(body) - body.rfind("\n") - 1)
    return f"Tensor({body},{' ' if len(tail) <= room else chr(10) + ' ' * 7}{tail}"


def _notes(x: Tensor) -> list[str]:
    """Return texts of dtype, device and read-only flag, as far as they differ from the defaults."""
    big = x.byteorder == "big"
    spelled = repr(dt.spelling(x.dtype, "big")) if big else x.dtype.name
    notes = [] if x.dtype in _DEFAULTS and not big else [f"dtype={spelled}"]
    if x.device != "cpu":
        notes.append(f"device='{x.device}'")
    if node_of(x).desc.read_only:
        notes.append("read_only=True")
    return notes


def text(x: Tensor) -> str:
    """Return the values alone, as text; a short description of a tensor that has none yet."""
    if described := _traced(x) or _waiting(x):
        return described
    if not x.ndim and not x.dtype.extended:
        return str(read(x))  # as NumPy's scalars: 3.0, where the cell of an array is 3.
    return _body(x, " ", "", "")[0]


def formatted(x: Tensor, spec: str) -> str:
    """Return f"{x:spec}" for a number; raises TypeError if a tensor of rank 1 or more is given a spec."""
    if spec and x.ndim:
        raise TypeError(f"format: {spec!r} for a tensor of shape {x.shape}; a format is for one number; index it first")
    return format(x.item(), spec) if spec else text(x)


# ---- for notebooks
def page(x: Tensor) -> str:
    """Return HTML that shows a vector or matrix as a table, other tensors as text, and a line of facts."""
    stored = "stored" if is_stored(node_of(x)) else "pending"
    order = ", big-endian" if x.byteorder == "big" else ""
    locked = ", read-only" if node_of(x).desc.read_only else ""
    shape = " × ".join(map(str, x.shape)) or "one number"
    facts = f"{shape} · {x.dtype.name}{order}{locked} · {x.nbytes} bytes on {x.device} · {stored}"
    absent = _absent(x)
    is_table = 0 < x.ndim <= 2 and x.size and not absent
    body = (
        _table(values_shown(x, PAGE_CELLS)[0], x)
        if is_table
        else f"<pre>{escape(absent or _body(x, ' ', '', '')[0])}</pre>"
    )
    return f"<div>{body}<small>{escape(facts)}</small></div>"


def _table(shown: np.ndarray, x: Tensor) -> str:
    """Return the cells `shown` of x as an HTML table, with marks where cells are left out."""
    edge = np.get_printoptions()["edgeitems"]
    line = np.array2string(
        shown.reshape(-1), separator=BETWEEN, threshold=shown.size, max_line_width=sys.maxsize, precision=_digits(x)
    )
    cells = np.array([t.strip() for t in line[1:-1].split(BETWEEN)], dtype=object).reshape((1, *shown.shape)[-2:])
    for axis, n in enumerate((1, *x.shape)[-2:]):
        if n > cells.shape[axis]:
            np.moveaxis(cells, axis, 0)[edge] = "⋯" if axis else "⋮"
    rows = ["<td>" + "</td><td>".join(map(escape, row)) + "</td>" for row in cells]
    return f"<table style='{STYLE}'><tr>" + "</tr><tr>".join(rows) + "</tr></table>"
