"""Implicit acts: conversions of operands that the user did not write.

The one idea: the expression shows them.  An explicit conversion had a tensor of its own; a conversion node between a
tensor and an operation without any tensor was added by that operation.  So acts are found in the nodes built by one
operation, whatever function built them; only writes, which build none, report theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from weft.dtypes import DType
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node, broadcast_shapes, line_of, walk
from weft.ir.graph.ops import ACCEPTS, OPS, POINTWISE, RANDOM, resolve
from weft.passes.device_assignment import name_of

ACTS = {
    "dtype": "an operand, or a value that is written, is cast",
    "device": "an operand is moved to another device",
    "broadcast": "an operand that is no number is spread over a larger shape",
    "byteorder": "an operand or a target is of foreign byte order",
    "domain": "operands lie at different coordinates and are paired by position",
    "copy": "what could have been a view is a copy",
    "numpy": "a function that weft lacks is computed by NumPy, at once",
}
_MOVED = ("astype", "transfer")  # conversions of a tensor for its reader
_OWN = {*_MOVED, "positive", "checked", *RANDOM}  # copies, steps of random fields: no implicit acts


@dataclass(frozen=True, slots=True)
class Act:
    """One implicit act: the operation, its kind (a key of `ACTS`), the fact, the advice, and the user's line."""

    op: str
    act: str
    what: str
    advice: str
    line: str = ""

    def __str__(self) -> str:
        return f"{self.op}: {self.what}"


def _is_tensor(n: Node) -> bool:
    """True if node n, or the root that it is a view of, is stored or has been a tensor."""
    root = n.alias[0] if n.alias is not None else n
    return n.value is not None or root.value is not None or _was_held(n) or _was_held(root)


def _was_held(n: Node) -> bool:
    """True if a tensor was made of node n, even if it no longer exists."""
    return getattr(n, "place", None) is not None


def built_by(root: Node) -> list[Node]:
    """Return the nodes that one operation built for its result `root`, inputs first."""
    return walk([root], lambda n: [i for i in _read(n) if not _is_tensor(i)])


def _read(n: Node) -> tuple[Node, ...]:
    """Return the inputs of a node that are searched for implicit acts; a checked value's condition is left out."""
    return n.inputs[:1] if n.op.name == "checked" else n.inputs


def of_operation(root: Node) -> list[Act]:
    """Return the implicit acts of the operation that made `root`."""
    return [act for n in built_by(root) for act in _at(n)]


def of_pending(root: Node) -> list[Act]:
    """Return the implicit acts of all pending nodes at and below `root`, with their lines."""
    return [replace(act, line=line_of(n)) for n in walk([root]) if n.value is None for act in _at(n)]


def _at(n: Node) -> list[Act]:
    """Return the implicit acts of node n on tensors among its operands."""
    if n.op.name in _OWN or n.alias is not None:
        return []
    found: list[Act] = []
    operands = [(_operand(i), i) for i in n.inputs]
    widens = n.op.kind == "bins" or (n.op.rule == "sum" and n.op.kind in ("reduce", "scan"))
    for at, (x, seen) in enumerate(operands):
        if x is None or any(x is o for o, _ in operands[:at]):  # no tensor, or examined before
            continue
        casts = x.desc.dtype is not seen.desc.dtype and not widens
        found += [_cast(n, x, [o or i for o, i in operands[n.op.name == "where" :]])] if casts else []
        found += [_moved(n.op.name, x, n)] if _crosses(x, seen) and not (at and n.op.name == "gather") else []
        found += [_spread(n, x)] if x.desc.shape == seen.desc.shape and _spreads(n, x) else []
        found += [_swapped(n.op.name, x)] if x.desc.big and x.desc.dtype.itemsize > 1 else []
        found += [_shifted(n, x)] if n.op.kind in (*POINTWISE, "random") and _shifts(n, x) else []
    return found


def _operand(seen: Node) -> Node | None:
    """Return the tensor's node below an operand's conversions, transfers and views; None if there is none."""
    x = seen
    while not _is_tensor(x):
        if x.op.name not in _MOVED and x.alias is None:
            return None
        x = x.inputs[0]
    return x


def _text(x: Node) -> str:
    """Return a node's dtype and shape as text: "float32 of shape (2, 3)"."""
    return f"{x.desc.dtype.name} of shape {x.desc.shape}"


def _is_number(x: Node) -> bool:
    """True if a node is a Python number that an operator was given, not a tensor's value."""
    return x.op.name == "scalar" and x.value is None and x.place is None


def _cast(n: Node, x: Node, operands: Sequence[Node]) -> Act:
    """Return the act of casting operand `x` for node `n`."""
    to = next(i for i in n.inputs if _operand(i) is x).desc.dtype.name
    others = [o for o in operands if o is not x and o.desc.dtype is not x.desc.dtype and n.op.name != "gather"]
    number = next((o.attrs[0] for o in others if _is_number(o)), None)
    accepted = n.op.rule != "given" and x.desc.dtype.kind in ACCEPTS[n.op.accepts]
    if number is not None and accepted and resolve(n.op, x.desc.dtype)[0] is x.desc.dtype:
        why = f" beside {number!r}; {number!r} needs {to}, so"
    elif others and number is None:
        why = f" beside {others[0].desc.dtype.name}; they meet in {to}, so"
    else:
        why = f"; it computes in {to}, so"
    what = f"{x.desc.dtype.name}{why} {_text(x)} would be cast"
    return Act(n.op.name, "dtype", what, f"write astype(weft.{to})")


def _crosses(x: Node, seen: Node) -> bool:
    """True if there is a transfer between tensor `x` and the operand `seen` made of it."""
    while seen is not x:
        if seen.op.name == "transfer":
            return True
        seen = seen.inputs[0]
    return False


def _moved(op: str, x: Node, n: Node) -> Act:
    """Return the act of moving operand `x` to the device of node `n`."""
    where = [name_of(m) for m in (x, n)]
    what = f"{_text(x)} lies on {where[0]}, the first operand on {where[1]}, so it would be moved there"
    return Act(op, "device", what, f"write to_device({where[1]!r})")


def _spreads(n: Node, x: Node) -> bool:
    """True if node `n` broadcasts operand `x`, which is not a number."""
    if not x.desc.ndim:
        return False
    if n.op is OPS["matmul"]:
        batch = x.desc.shape[:-2]
        return bool(batch) and batch != broadcast_shapes("matmul", *[i.desc.shape[:-2] for i in n.inputs])
    return n.op.kind in POINTWISE and x.desc.shape != n.desc.shape


def _spread(n: Node, x: Node) -> Act:
    """Return the act of broadcasting operand `x` for node `n`."""
    shapes = " and ".join(str(i.desc.shape) for i in n.inputs if i.desc.ndim)
    what = f"shapes {shapes} differ, so {_text(x)} would be broadcast"
    return Act(n.op.name, "broadcast", what, f"write broadcast_to(x, {n.desc.shape})")


def _swapped(op: str, x: Node) -> Act:
    """Return the act of reading operand `x` in foreign byte order."""
    what = f"{_text(x)} is {x.desc.byteorder}-endian, so its bytes would be swapped on every reading"
    return Act(op, "byteorder", what, "write copy(x) once, which is native")


def _shifts(n: Node, x: Node) -> bool:
    """True if operand `x` starts at another coordinate than the result along an axis that they share."""
    if len(n.inputs) < 2 or not x.desc.ndim or (x.desc.origin is None and n.desc.origin is None):
        return False
    last = slice(n.desc.ndim - x.desc.ndim, None)
    pairs = zip(x.desc.domain.origin, n.desc.domain.origin[last], x.desc.shape, n.desc.shape[last], strict=True)
    return any(o != p and size == whole for o, p, size, whole in pairs)


def _shifted(n: Node, x: Node) -> Act:
    """Return the act of pairing operand `x` by position although its coordinates differ."""
    what = (
        f"{_text(x)} starts at {x.desc.domain.origin}, the result at {n.desc.domain.origin}, so cells pair by position"
    )
    return Act(n.op.name, "domain", what, "write translate or align")


# ---- acts that no expression shows


def of_operands(op: str, operands: Sequence[Node], dtype: DType) -> list[Act]:
    """Return the implicit acts of an operation that reads operands as `dtype` on the device of the first."""
    found = []
    for x in operands:
        if _is_number(x):
            continue
        if x.desc.dtype is not dtype:
            other = next((o for o in operands if o.desc.dtype is not x.desc.dtype), None)
            why = "; it computes in" if other is None else f" beside {other.desc.dtype.name}; they meet in"
            what = f"{x.desc.dtype.name}{why} {dtype.name}, so {_text(x)} would be cast"
            found.append(Act(op, "dtype", what, f"write astype(weft.{dtype.name})"))
        if name_of(x) != name_of(operands[0]):
            found.append(_moved(op, x, operands[0]))
        if x.desc.big and x.desc.dtype.itemsize > 1:
            found.append(_swapped(op, x))
    return found


def of_write(op: str, value: Node, target: TensorDescription) -> list[Act]:
    """Return the implicit acts of writing a value to cells of the description `target`: casts, broadcasts, swaps."""
    d, found = value.desc, []
    if _is_number(value):
        return []
    if d.dtype is not target.dtype:
        what = f"{d.dtype.name} into {target.dtype.name} cells; {_text(value)} would be cast back"
        found.append(Act(op, "dtype", what, f"write astype(weft.{target.dtype.name})"))
    if d.ndim and d.shape != target.shape:
        what = f"a value of shape {d.shape} into cells of shape {target.shape}; it would be broadcast"
        found.append(Act(op, "broadcast", what, f"write broadcast_to(x, {target.shape})"))
    foreign = [t.big and t.dtype.itemsize > 1 for t in (d, target)]
    if foreign == [False, True]:
        what = f"a native value into big-endian cells of {target.dtype.name}; its bytes would be swapped"
        found.append(Act(op, "byteorder", what, "keep native cells"))
    elif foreign[0] and (not foreign[1] or d.dtype is not target.dtype):
        what = f"{_text(value)} is big-endian, so its bytes would be swapped"
        found.append(Act(op, "byteorder", what, "write copy(x) once, which is native"))
    return found


def of_transfer(op: str, value: Node, target: Node) -> list[Act]:
    """Return, in a list, the implicit act of writing a value to cells on another device.

    The list is empty if both lie on the same device, or the value is a number.
    """
    here, there = name_of(value), name_of(target)
    if here == there or value.op.name == "scalar":
        return []
    what = f"{_text(value)} lies on {here}, the cells on {there}, so it would be moved there"
    return [Act(op, "device", what, f"write to_device({there!r})")]


def of_copy(op: str, x: Node, shape: tuple[int, ...]) -> list[Act]:
    """Return the implicit act, in a list, of copying operand `x`, which has no view of `shape`."""
    what = f"cells of shape {x.desc.shape} with strides {x.desc.strides} have no view of shape {shape}; a copy is made"
    return [Act(op, "copy", what, "pass copy=True")]


def of_values(op: str, operands: Sequence[Node]) -> list[Act]:
    """Return the implicit act, in a list, of computing a function with NumPy on the operands' values."""
    of = " and ".join(_text(x) for x in operands)
    what = f"weft lacks it, or one of its keywords, so NumPy would compute it now, on {of}"
    return [Act(op, "numpy", what, f"write numpy.{op} on x.numpy()")]
