"""Writing: the effect of `x[key] = v`, `x += v` and `assign` on places.

The one idea: the right side is read completely first, then the place gets a new version.  A whole value without other
readers is replaced by the new expression; any other is written into its memory at once.
"""

from __future__ import annotations

from contextlib import suppress
from math import prod
from typing import Any
from weakref import ref

import numpy as np

from weft import callbacks
from weft.dtypes import DType
from weft.errors import DTypeError, ShapeError, WriteError
from weft.ir.atoms import selections
from weft.ir.atoms.adjoints import is_followed, mask_of, overwritten, views_of
from weft.ir.atoms.selections import ViewSteps, applied_steps, broadcast_to
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node, Traits
from weft.ir.graph.ops import OPS, POINTWISE
from weft.modes.implicit_conversions import of_transfer, of_write
from weft.passes.device_assignment import device_of, transfer
from weft.runtime.compute import engine, stages
from weft.runtime.compute.checked_values import CHECKED, verify
from weft.runtime.compute.signature import RewriteWork
from weft.runtime.memory.access import exported
from weft.runtime.memory.fingerprints import UNSEEN
from weft.runtime.memory.limits import limit_of_sweeps
from weft.tensors import tensor
from weft.tensors.pending_limits import Limits, settle
from weft.tensors.place import (
    Place,
    broadcasts,
    check_writable,
    forget_views,
    lock_of,
    remember,
    several,
)
from weft.tensors.scratch_writes import is_sole_reader, own, scratch_runs
from weft.tensors.tensor import Tensor, handle, known_node
from weft.tensors.tracing import Trace, lock_to_write
from weft.tensors.versions import prepare_write
from weft.tensors.write_routes import WriteRoute
from weft.tensors.write_targets import parts_refused, with_cells

_BROADCAST, _CHECKED, _FILE, _SCALAR = OPS["broadcast_to"], OPS["checked"], OPS["file"], OPS["scalar"]
_COPY = OPS["positive"]
_WINDOW = OPS["window"]  # its adjoint adds
LEAST_LARGE = 1 << 16  # bytes up to which a version is computed as a whole when cells of it are written
DEEP = 32  # depth of a large version beyond which its cells go to a scratch file
FEW = 64  # a value of at most 1 / FEW of the memory limit is computed before cells of a large version get it
FEW_SHARED = 8  # the same for a value that reads memory which others may write
_ORDER = {"bool": 0, "int": 1, "uint": 1, "float": 2, "complex": 3}


def check_kind(op: str, value: Node, dtype: DType) -> None:
    """Raise DTypeError if the value's kind is higher than the cells', as a float is for integers."""
    if value.desc.dtype is not dtype and _ORDER[value.desc.dtype.kind] > _ORDER[dtype.kind]:
        raise DTypeError(
            f"{op}: {value.desc.dtype.name} values into {dtype.name} cells; the kind of the value would be lost "
            f"in the cast; convert the value first, with astype(weft.{dtype.name})"
        )


def fit(op: str, value: Node, target: TensorDescription) -> Node:
    """Return a value broadcast to a description's shape and converted to its dtype.

    Raises ShapeError, naming `op`, if it does not broadcast; a strict block may raise StrictError.
    """
    if Limits.watcher is not None:
        Limits.watcher.judge(of_write(op, value, target))
    return fit_unjudged(op, value, target)


def fit_unjudged(op: str, value: Node, target: TensorDescription) -> Node:
    """Return the result of `fit`, without a report to the watcher.

    Raises ShapeError, naming op `op`, if the value does not broadcast to the target.
    """
    if value.desc.shape != target.shape:
        lead = target.ndim - value.desc.ndim
        if lead < 0 or any(n not in (1, t) for n, t in zip(value.desc.shape, target.shape[lead:], strict=True)):
            raise ShapeError(
                f"{op}: a value of shape {value.desc.shape} for cells of shape {target.shape}; "
                "the value must broadcast to the cells; reshape it first"
            )
        value = broadcast_to(value, target.shape)
    return ir.astype(value, target.dtype)


def without_leading(value: Node, ndim: int) -> Node:
    """Return a value without the leading axes beyond rank `ndim`; unchanged unless these have size 1."""
    more = value.desc.ndim - ndim
    droppable = more > 0 and value.desc.shape[:more] == (1,) * more
    return selections.squeeze(value, range(more)) if droppable else value


def write(target: Tensor, value: Node, op: str, steps: ViewSteps = (), kept: bool = False) -> None:
    """Write a value to the cells that `steps` select from a tensor.

    Leading axes of size 1 of the value are dropped. `kept`: a variable holds the value, which is then stored, too.
    Raises ShapeError if the value does not broadcast, WriteError if the cells cannot be written, GradientError for a
    write to a leaf, or one that gradients do not follow.
    """
    with lock_to_write(target._place):
        n = applied_steps(known_node(target), steps)
        value = without_leading(value, n.desc.ndim)
        if Limits.watcher is not None:
            Limits.watcher.judge(of_transfer(op, value, n))
        value = fit(op, value, n.desc)
        axes = repeated_axes(op, n, value)
        if axes:
            target, value = narrowed(handle(target, n) if steps else target, value, axes)
            n, steps = known_node(target), ()
        record = check_writable(op, n, value, to=...)
        del n  # it would count as a reader of the old version
        if kept and is_held(value) and not (Trace.active or _reads_files(value)):
            stages.compute([value])  # else it would be computed again for its next reader
        write_checked(target, value, op, record, False, steps)


def write_checked(
    target: Tensor,
    value: Node,
    op: str,
    record: Any,
    apart: bool,
    steps: ViewSteps = (),
    leaf: Node | None = None,
) -> None:
    """Write a value to cells that were checked to be writable; `record` is the new version's gradient record, or None.

    `apart`: the value does not read the cells but through `leaf`, another node of the same cells. In a trace, raises
    TracingError for parts of complex cells.
    """
    if not value.desc.size:
        return
    if Trace.active and (trace := Trace.here()) is not None:
        _write_traced(trace, target._place, applied_steps(known_node(target), steps), value, op)
    else:
        if stages.UNSURE and value.traits is not None:
            stages.make_sure(value)  # a device's write cannot be undone if the value fails later
        if not (is_large(target._place) and _rewritten(target, steps, value)):
            if not apart and value.op is not _SCALAR and reaches(value, target):
                value = computed(value)
            stages.store(value, applied_steps(prepare_write(target, leaf), steps))
    if record is not None:
        remember(target, record)


def _write_traced(trace: Trace, place: Place, n: Node, value: Node, op: str) -> None:
    """Set the place's version to an expression with `value` in the cells of its view n, for the open trace.

    Raises TracingError for parts of complex cells or a place that another thread writes, WriteError for shared cells.
    """
    if n.desc.dtype is not place.node.desc.dtype:
        raise parts_refused(op, place.node.desc)
    made = _with_value(place.node, n, value)
    if made is None:
        write_cells_traced(trace, WriteRoute(n), value, op)
        return
    trace.note_write(place)
    replace_version(place, made)


def _with_value(root: Node, n: Node, value: Node) -> Node | None:
    """Return `root` with `value` in the cells of its view n, as an expression. None if there is none for the view."""
    if n is root:
        d = ir.result(root.desc.dtype, root.desc.shape, root.desc.origin)
        return ir.make(_COPY, (value,), (), d)
    if not is_followed(n, root) or any(v.op is _WINDOW for v in views_of(n)):
        return None
    return overwritten(n, root, value, mask_of(value), root)


def is_large(p: Place) -> bool:
    """True if a place's version is pending, reads files and is too large to be computed whole."""
    n = p.node
    if n.value is not None or stages.Stages.all["sources"] is None or n.desc.nbytes <= LEAST_LARGE:
        return False
    stages.find_cells(work := RewriteWork(n))
    return work.is_large


def _rewritten(target: Tensor, steps: ViewSteps, value: Node) -> bool:
    """Write `value` to cells of a large place: into its scratch file, or as an expression over it. True if done.

    A value that is small, or on another device, is computed before, so that its errors come before the write. No memory
    that others may write is read afterwards.
    """
    p = target._place
    if CHECKED:
        verify([value])
    n = applied_steps(known_node(target), steps)
    runs = scratch_runs(p, n, value)
    limit, home = limit_of_sweeps(), device_of(p.node)
    few = FEW_SHARED if _reads_shared(value) else FEW
    if device_of(value) is not home or value.desc.nbytes <= limit // few or runs is not None:
        value = computed(transfer(value, home))
    if n.desc.dtype is not p.node.desc.dtype or (made := _with_value(p.node, n, value)) is None:
        return False
    if made.depth > DEEP or _reads_shared(made) or _held_bytes(made) > limit // 2:
        stages.find_cells(work := RewriteWork(made, _unchanged))  # else tiles would compute every version below
        assert work.cells is not None
        made, runs = ir.make(_COPY, (work.cells,), (), made.desc), None
        own(p, made)
    del n  # it would count as a reader of the old version
    replace_version(p, made)
    if runs is not None and is_sole_reader(p, runs.scratch):
        with suppress(WriteError):  # the cells stay with the expression
            runs.write(tensor.values_of(value))
            replace_version(p, ir.make(_COPY, (*made.inputs[-1].inputs,), (), made.desc))
    return True


def _reads_shared(value: Node) -> bool:
    """True if an expression reads memory that others may write, such as NumPy's."""
    return any(ir.root_of(i).fingerprint is not None for i in ir.walk([value]))


def _reads_files(value: Node) -> bool:
    """True if an expression reads files; parts of its value are then computed again rather than stored."""
    return stages.Stages.all["sources"] is not None and any(i.op is _FILE for i in ir.walk([value]))


def _held_bytes(value: Node) -> int:
    """Return the bytes of the values in memory below an expression."""
    roots = {r for i in ir.walk([value]) if (r := ir.root_of(i)).value is not None and r.op is not _FILE}
    return sum([r.desc.nbytes for r in roots])


def _unchanged(*_: Any) -> None:
    """Change nothing in a tile."""


def write_cells_traced(trace: Trace, route: WriteRoute, value: Node, op: str, last_wins: bool = False) -> None:
    """Set new versions of the places that a tree reads: expressions with `value` in the tree's cells.

    Raises WriteError for cells that cannot be written or are read twice (unless `last_wins`), TracingError for parts of
    complex cells, or if another thread writes a place for over a second.
    """
    for p in route.ends.places:
        trace.hold(p)
    numbers = route.number()
    route.check(last_wins)
    for p, made in with_cells(value, numbers, route.ends, op):
        trace.note_write(p)
        replace_version(p, made)


def repeated_axes(op: str, n: Node, value: Node) -> list[int]:
    """Return the axes along which both a target and the value written to it repeat their cells.

    Raises WriteError if the target lacks some coordinates of a shared cell, or the value differs between them.
    """
    if 0 not in (n.desc.strides or ()) and (n.op.kind != "selection" or not is_broadcast(n)):
        return []
    times, broadcast = broadcasts(n)
    if broadcast is None or not n.desc.size:
        return []
    axes = list(n.desc.repeated)
    if prod([n.desc.shape[a] for a in axes]) != times:
        raise several(op, broadcast.desc.shape, _first_repeated(broadcast), "only some of them would be written")
    for axis in axes:
        if not repeats(value, axis, {}) and not _same_along(value, axis):
            raise several(op, n.desc.shape, axis, "they would be given values of their own")
    return axes


def is_broadcast(n: Node) -> bool:
    """True if a view is made by a broadcast; a quick check before `broadcasts`, done by every write."""
    while n.alias is not None and n.inputs:
        if n.op is _BROADCAST:
            return True
        n = n.inputs[0]
    return False


def _first_repeated(n: Node) -> int:
    """Return the first axis along which a broadcast, or a stored value, repeats its cells."""
    before = n.inputs[0].desc.shape if n.inputs else ()
    lead = n.desc.ndim - len(before)
    if n.inputs:
        return next(a for a, size in enumerate(n.desc.shape) if size > 1 and (a < lead or before[a - lead] == 1))
    return n.desc.repeated[0]


def repeats(n: Node, axis: int, known: dict[tuple[int, int], bool]) -> bool:
    """True if a value's expression shows that all positions of an axis have equal cells."""
    if axis < 0 or n.desc.shape[axis] == 1 or (n.alias is not None and n.desc.strides and not n.desc.strides[axis]):
        return True
    if n.op.kind not in POINTWISE:
        return False
    key = id(n), axis
    if key not in known:
        known[key] = all(repeats(i, axis - n.desc.ndim + i.desc.ndim, known) for i in n.inputs)
    return known[key]


def _same_along(value: Node, axis: int) -> bool:
    """True if the cells of a value have the same bits at all positions of an axis."""
    rows = tensor.with_values(value, lambda values: np.array(np.moveaxis(values, axis, 0), order="C"))
    raw = rows.reshape(len(rows), -1).view(np.uint8)
    return bool((raw == raw[:1]).all())


def narrowed(target: Tensor, value: Node, axes: list[int]) -> tuple[Tensor, Node]:
    """Return the target and the value at position 0 of the given axes."""
    at = [(a, 0) for a in axes]
    return handle(target, selections.index(known_node(target), at)), selections.index(value, at)


def reaches(value: Node, target: Tensor) -> bool:
    """True if a value's expression reads the memory of the target."""
    root, shared = target._place.node, target._place.region is not None
    seen, waiting = {value}, [value]
    while waiting:
        n = waiting.pop()
        if n is root or (
            shared and n.value is not None and n.op is not _FILE and np.may_share_memory(n.value, root.value)
        ):
            return True
        if n.value is None and n.op is not _SCALAR:
            waiting += [i for i in n.inputs if i not in seen]
            seen.update(n.inputs)
    return False


def computed(value: Node) -> Node:
    """Return `value`, computed into memory of its own."""
    if value.alias is not None or value.value is not None:
        value = ir.make(OPS["positive"], (value,), (), ir.result(value.desc.dtype, value.desc.shape))
    stages.compute([value])
    return value


def is_held(n: Node) -> bool:
    """True if a pending node, no view, is the value of a handle."""
    return n.value is None and n.alias is None and ir.current_place(n) is not None


def replaceable(place: Place, desc: TensorDescription) -> bool:
    """True if an expression may become the place's version.

    Its description must be equal, and no outside array may share the memory.
    """
    return desc is place.node.desc and not (place.node.value is not None and exported(place.node))


def replace_version(place: Place, value: Node) -> None:
    """Make a pending node the version of a place.

    A version that is made while this thread traces a function is marked, so that other threads check it before use.
    """
    forget_views(place)
    if Trace.active and Trace.here() is not None:
        value.fingerprint = UNSEEN
    with engine.GRAPH:
        before, place.node, value.place = place.node, value, ref(place)
        if Trace.active:
            Trace.note_replaced(before)
        place.noted = False
        value.traits = _kept(value.traits, before.traits)
    callbacks.WATCH(before)
    if value.depth > Limits.depth:
        settle(value)


def replace_whole(target: Tensor, value: Node) -> None:
    """Write a computed value, which has no other reference, to all cells of a tensor.

    It becomes the version of the place if possible. Raises WriteError if the tensor cannot be written.
    """
    p = target._place
    with lock_of(p):
        if target._view is None and p.region is None and replaceable(p, value.desc):
            replace_version(p, value)
        else:
            write_checked(target, value, "compile", check_writable("compile", known_node(target), value, to=...), True)


def _kept(now: Traits | None, before: Traits | None) -> Traits | None:
    """Return the traits of a place's next version: a gradient record is kept from `now`, else from `before`."""
    if now is None or before is None or now.record is not None or before.record is None:
        return before if now is None else now
    return Traits(now.device, before.record)
