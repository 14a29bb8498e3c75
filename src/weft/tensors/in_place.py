"""Writing in place: `x += v`, and functions that are given a destination.

The one idea: the operation is an expression over the old cells.  It becomes the version of a whole tensor; into other
cells it is computed over the memory that it reads, cell for cell.
"""

from __future__ import annotations

from collections.abc import Callable
from sys import getrefcount
from typing import Any

from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node, mark_replacement
from weft.ir.graph.ops import CELLWISE, OPS, Op
from weft.modes.implicit_conversions import of_write
from weft.runtime.compute import stages
from weft.runtime.compute.checked_values import CHECKED, verify
from weft.tensors import tensor
from weft.tensors.cell_values import apply_to_few, write_few
from weft.tensors.elementwise import binary
from weft.tensors.operators import OPERATORS
from weft.tensors.pending_limits import Limits
from weft.tensors.place import VALUE, check_writable, rebase
from weft.tensors.temporaries import TEMPORARY, is_lent, unheld
from weft.tensors.tensor import Tensor, known_node
from weft.tensors.tracing import Trace, lock_to_write
from weft.tensors.versions import has_readers
from weft.tensors.writing import (
    check_kind,
    fit_unjudged,
    is_held,
    narrowed,
    reaches,
    repeated_axes,
    replace_version,
    replaceable,
    write_checked,
)

_CHECKED, _SCALAR = OPS["checked"], OPS["scalar"]


def in_place(target: Tensor, value: Tensor, op: str, temporary: Node | None = None) -> None:
    """Write `target op= ...`: `value` is the result of the operation, `temporary` its operand if nothing else keeps it.

    Raises DTypeError if the value's kind is higher, ShapeError if it does not broadcast to the target, WriteError if
    the cells cannot be written, GradientError for a write to a leaf, or one that gradients do not follow.
    """
    kept = known_node(target).desc
    check_kind(op, known_node(value), kept.dtype)
    if Limits.watcher is not None:
        Limits.watcher.judge(of_write(op, known_node(value), kept))
    if CHECKED:
        verify([known_node(value)])  # before the target changes
    with lock_to_write(target._place):
        if target._view is None and target._place.region is None and _replaced_whole(target, value, op, kept):
            return
        if write_few(target, (), value, op, temporary):
            return
        axes = repeated_axes(op, known_node(target), fit_unjudged(op, known_node(value), kept))
        if axes:
            target, made = narrowed(target, fit_unjudged(op, known_node(value), kept), axes)
            value = tensor.wrap(made)
            del made
        own = known_node(value).alias is None and not Trace.active
        leaf = _detached_from_version(value, target) if own and not axes else None
        if leaf is None and own and reaches(known_node(value), target):
            value.realize()  # drops its reference to the version it read
        made = known_node(value) if axes else fit_unjudged(op, known_node(value), kept)
        with unheld(temporary):
            write_checked(target, made, op, check_writable(op, known_node(target), made, to=...), own, (), leaf)


def _replaced_whole(target: Tensor, value: Tensor, op: str, kept: TensorDescription) -> bool:
    """Make the result of an in-place operation the version of a whole tensor; False if that is not possible."""
    made = fit_unjudged(op, known_node(value), kept)
    if not replaceable(target._place, made.desc):
        return False
    check_writable(op, known_node(target), made, True)
    if Trace.active and (trace := Trace.here()) is not None:
        trace.note_write(target._place)
    if stages.UNSURE:
        stages.make_sure(made)
    replace_version(target._place, made)
    return True


def _detached_from_version(value: Tensor, target: Tensor) -> Node | None:
    """Let a value that reads each target cell only for that same cell read it through a new leaf.

    The value then does not count as a reader of the version, and can be computed over it. Returns the target's cells
    through that leaf, or None if the value reads other cells, too.
    """
    p = target._place
    if p.node.value is None or p.node.traits is not None or CHECKED or has_readers(value._place):
        return None
    n, t = known_node(value), known_node(target)
    if not _is_cell_for_cell(n, t) or n.traits is not None:
        return None
    root = ir.stored(p.node.desc, p.node.value)
    leaf = root if t is p.node else rebase(t, root)
    inputs = _over_leaf(n, t, leaf, target)
    if inputs is None:
        return None
    n.inputs = inputs
    return leaf


def _is_cell_for_cell(n: Node, t: Node) -> bool:
    """True if a pending node is elementwise over operands of the shape of `t`."""
    pending = n.value is None and n.alias is None and n.op.kind in CELLWISE
    return pending and n.op.arity > 0 and n.op is not _CHECKED and n.desc.shape == t.desc.shape


def _over_leaf(n: Node, t: Node, leaf: Node, target: Tensor, levels: int = 4) -> tuple[Node, ...] | None:
    """Return a node's inputs with `leaf` in place of `t`; None if they read the target's memory in another way."""
    inputs = []
    for i in n.inputs:
        if i is t or (i.desc is t.desc and (i.alias or (i, 0)) == (t.alias or (t, 0))):
            i = leaf
        elif i.op is not _SCALAR and reaches(i, target):
            if is_held(i) and i.desc.nbytes <= t.desc.nbytes:
                stages.compute([i])  # it would be stored anyway
            elif not levels or not _is_cell_for_cell(i, t):
                return None
            else:
                below = _over_leaf(i, t, leaf, target, levels - 1)
                if below is None:
                    return None
                made = ir.make(i.op, below, i.attrs, i.desc)
                i = mark_replacement(made, i)
        inputs.append(i)
    return tuple(inputs)


def _inplace_operator(op: Op) -> Callable[[Tensor, Any], Tensor]:
    """Return the method of an in-place operator."""

    def operator(self: Tensor, other: Any) -> Tensor:
        if self._place.kind is VALUE and (self._view is None or not self.ndim):  # no other name for it sees a change
            return binary(op, self, other)
        with lock_to_write(self._place):
            if self._view is not None and apply_to_few(op, self, other):
                return self
            # the node of a view would count as a reader of the version
            passing = type(other) is Tensor and other._view is None and getrefcount(other) <= TEMPORARY
            passing = passing and not is_lent(other)
            in_place(self, binary(op, self, other), op.name, other._place.node if passing else None)
        return self

    return operator


for _short, _name in OPERATORS.items():
    setattr(Tensor, f"__i{_short}__", _inplace_operator(OPS[_name]))
