"""Gradients and writes: the writes that gradients allow, and the records of written values.

The one idea: a partly overwritten value is a `where` between the new and the old cells.  Its record is that of such an
expression over zeros with the records of both, so the existing gradient rules apply, and no old version is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from types import EllipsisType
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.autograd.recording import STATE, record_of, with_record
from weft.errors import GradientError
from weft.ir.atoms.adjoints import zeros
from weft.ir.atoms.overwrites import is_followed, mask_of, overwritten
from weft.ir.atoms.position_tables import leaf
from weft.ir.atoms.selections import reshape, translate
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node, place_of
from weft.ir.graph.ops import OPS

Known = Any  # a record, of the classes of weft.autograd.record

Cells = EllipsisType | Callable[[], "np.ndarray[Any, Any]"]  # all (...), or a function: number of each cell's value, -1


def check_write(op: str, n: Node, value: Node | None, instead: bool, to: Cells | None) -> Known | None:
    """Return the gradient record of the version made by writing `value` to view n, else None.

    None means that neither is recorded. `instead`: the value replaces the whole tensor, with its own record. `to`: the
    cells that are written. Raises GradientError for a write to a leaf, and for a recorded value written to a tensor
    without a record that has other views, or by a write that gradients do not follow (real(), imag()).
    """
    if not STATE.on:
        return None
    root = ir.root_of(n)
    mine = record_of(root) if record_of(n) is not None else None  # a view without a record was detached on purpose
    if mine is not None and mine.is_leaf:
        raise GradientError(
            f"{op}: a leaf that requires gradients, written while these are recorded; they are with respect to its "
            "values; write inside weft.no_grad(), or to a copy()"
        )
    theirs = None if value is None else record_of(value)
    if value is None or (mine is None and theirs is None) or (instead and mine is not None):
        return None
    if theirs is not None and mine is None and (_has_views(root, n) or record_of(root) is not None):
        raise GradientError(
            f"{op}: a value with a record, in the place of one without, of which there are views; its gradient would "
            "not flow through them; take the views afterwards, or build a tensor of its own"
        )
    if instead:
        return None
    if to is None or not is_followed(n, root):
        raise GradientError(
            f"{op}: a value with a record, written where gradients do not follow; they do through x[key] = value and "
            "x += value, but not through real() and imag(); build the whole with where() or concat(), or write to "
            "detach(), or value.detach()"
        )
    return written(n, root, value, to) if value.desc.size else None


def _has_views(root: Node, n: Node) -> bool:
    """True if a live handle on the place of version `root` has a view other than n."""
    place = place_of(root)
    views = () if place is None else place.views or ()
    return any((h := r()) is not None and h._place is place and h._view is not n for r in views)


def written(n: Node, root: Node, value: Node, to: Cells) -> Known | None:
    """Return the record of the version made by writing `value` to the cells `to` of view n of `root`."""
    spread, mask = _blank(value), mask_of(value)
    if to is not ...:
        spread, mask = _placed(spread, to())
    return record_of(overwritten(n, root, spread, mask, _blank(root)))


def _placed(value: Node, number: np.ndarray[Any, Any]) -> tuple[Node, Node]:
    """Return (the cells of `value` at the row-major numbers in `number`, an int64 mask).

    The mask is 0 where a number is -1, else 1.
    """
    flat = reshape(value, (value.desc.size,))
    mask = (number >= 0).astype(np.int64)
    given = ir.result(value.desc.dtype, number.shape)
    spread = ir.make(OPS["gather"], (flat, leaf(np.maximum(number, 0), value.desc.size)), ((0,), 0), given)
    return spread, ir.stored(ir.result(dt.int64, mask.shape), mask)


def _blank(n: Node) -> Node:
    """Return a node of zeros with the description and the record of n."""
    blank = zeros(n.desc.shape, n.desc.dtype)
    if n.desc.origin is not None:
        blank = translate(blank, n.desc.origin)
    with_record(blank, record_of(n))
    return blank
