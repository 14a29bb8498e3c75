"""Keys of integers, slices, ... and None: the views that they select.

The one idea: such a key is a few affine atoms, whose descriptions follow from the key and the description of what is
indexed; so they are worked out once, and a view is made of the steps that were found.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from weft.ir.atoms import selections
from weft.ir.atoms.selections import ViewSteps
from weft.ir.graph import node as ir
from weft.ir.graph.description import Shape, TensorDescription
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.tensors.keys import MAX_RANK, Key

MAX_LEFT = 1 << 14
_LEFT: dict[Any, tuple[Any, ...]] = {}  # descriptions after slices, integers and new axes, and the places of these
_NEW_AXIS = "new axis"
_BOUNDS = frozenset((int, type(None)))
_EXPAND, _INDEX, _SLICE = OPS["expand_dims"], OPS["index"], OPS["slice"]


def basic(n: Node, key: Key) -> Node:
    """Return the view that a key without index arrays, resolved against the shape of `n`, selects from it."""
    n = sliced(n, key)
    positions = [(axis, e) for axis, e in enumerate(key.entries) if type(e) is int]
    if positions:
        n = selections.index(n, positions)
    if key.new_axes:
        dropped = [axis for axis, _ in positions]
        places = [at - sum(d < at for d in dropped) + i for i, at in enumerate(key.new_axes)]
        n = selections.expand_dims(n, places)
    return n


def sliced(n: Node, key: Key) -> Node:
    """Return the view that the slices of a key select, before integers remove axes.

    `n` itself if they select everything.
    """
    whole = [(0, 1, size) for size in n.desc.shape]
    slices = [e if type(e) is tuple else w for e, w in zip(key.entries, whole, strict=True)]
    return n if slices == whole else selections.slice_(n, slices)


def key_steps(n: Node, key: Any) -> ViewSteps | None:
    """Return the views selected by a key without index arrays, as steps for `applied_steps`.

    None for other keys, and for keys that do not fit the shape, which the general parser refuses.
    """
    known = _known(key)
    return None if known is None else _worked_out(n.desc, known)


def _known(key: Any) -> Any:
    """Return a hashable form of a key without index arrays, the same for equal keys; None for other keys."""
    kind = type(key)
    if kind is int or key is Ellipsis:
        return key
    parts = []
    for p in key if kind is tuple else (key,):
        if type(p) is slice:
            p = p.__reduce__()  # (slice, (start, stop, step))
            if not _BOUNDS.issuperset(map(type, p[1])):
                return None
        elif p is None:
            p = _NEW_AXIS
        elif type(p) is not int and p is not Ellipsis:
            return None
        parts.append(p)
    return tuple(parts) if kind is tuple else parts[0]


@lru_cache(maxsize=4096)
def _worked_out(desc: TensorDescription, key: Any) -> ViewSteps | None:
    """Return the steps of a hashable key (of `_known`) on a description; None if the general parser is needed."""
    strides, resolved = desc.strides, _entries(key, desc.shape)
    if strides is None or resolved is None:
        return None
    entries, new_axes = resolved
    left = desc, tuple([e[1:] if type(e) is tuple else None for e in entries]), tuple(new_axes)
    found = _LEFT.get(left)
    if found is None:
        if len(_LEFT) >= MAX_LEFT:
            _LEFT.clear()
        n = ir.stored(desc, None)
        chosen, made = (basic(n, Key(entries, axes)) for axes in ([], new_axes))
        _LEFT[left] = found = sliced(n, Key(entries, [])).desc, chosen.desc, made.desc, made.attrs
    cells, picked, widened, places = found
    steps: ViewSteps = ()
    if cells is not desc:
        cut = tuple([e if type(e) is tuple else (0, 1, size) for e, size in zip(entries, desc.shape, strict=True)])
        offset = sum([c[0] * s for c, s in zip(cut, strides, strict=True)]) if cells.size else 0
        steps, strides = ((_SLICE, (cut,), cells, offset),), cells.strides or ()
    if picked is not cells:
        at = tuple([(axis, e) for axis, e in enumerate(entries) if type(e) is int])
        offset = sum([p * strides[axis] for axis, p in at]) if picked.size else 0
        steps += ((_INDEX, (at,), picked, offset),)
    return (*steps, (_EXPAND, places, widened, 0)) if new_axes else steps


def _entries(key: Any, shape: Shape) -> tuple[list[Any], list[int]] | None:
    """Return one entry per axis for a hashable key, and the number of entries before each new axis.

    None for a position out of bounds and other faults, which the general parser reports.
    """
    parts = key if type(key) is tuple and key[:1] != (slice,) else (key,)
    more = len(shape) - len(parts) + parts.count(_NEW_AXIS) + parts.count(Ellipsis)  # axes that no part names
    if more < 0 or parts.count(Ellipsis) > 1 or len(shape) + parts.count(_NEW_AXIS) > MAX_RANK:
        return None
    entries: list[Any] = []
    new_axes: list[int] = []
    for part in parts if Ellipsis in parts else (*parts, Ellipsis):
        if part is Ellipsis:
            entries += [(0, 1, size) for size in shape[len(entries) : len(entries) + more]]
        elif part == _NEW_AXIS:
            new_axes.append(len(entries))
        elif type(part) is int:
            size = shape[len(entries)]
            if not -size <= part < size:
                return None
            entries.append(part + size if part < 0 else part)
        else:
            if part[:1] != (slice,) or part[1][2] == 0:
                return None
            start, stop, step = slice(*part[1]).indices(shape[len(entries)])
            count = len(range(start, stop, step))
            if count < 2 and step != 1:
                return None
            entries.append((start, step, count))
    return entries, new_axes
