"""Numbers that rules may use, for masks that follow from coordinates.

The one idea: a plan serves all numbers of a graph's scalars, so a rule may look only at those that are part of the
graph's key.  `key_scalars` finds these while the key is made: bools, and numbers that coordinates are compared with.
From them follows where a comparison of coordinates is true.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Any, NamedTuple

from weft import dtypes as dt
from weft.dtypes import DType
from weft.ir.atoms.table import AFFINE
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.ir.pieces.request import Request
from weft.passes.fuse import below, is_stored
from weft.passes.views import reach

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "less": lt, "less_equal": le, "greater": gt, "greater_equal": ge, "equal": eq, "not_equal": ne,
}  # fmt: skip
ARITHMETIC = ("add", "subtract", "multiply")
THROUGH = (*AFFINE, "astype", "positive", "concat")
_IOTA, _SCALAR = OPS["iota"], OPS["scalar"]
MAX_LEVELS = 8  # arithmetic steps between coordinates and a comparison


class Derivation(NamedTuple):
    """A node's derivation from coordinates: the number of its sources, its scalars, its arithmetic steps."""

    sources: int
    scalars: tuple[Node, ...]
    levels: int


Lines = dict[Node, Derivation]


def key_scalars(nodes: Iterable[Node], order: dict[Node, int]) -> list[tuple[int, tuple[Node, ...]]]:
    """Return pairs (node's number in `order`, scalars) for nodes whose rewrite rules depend on the scalars' values."""
    lines: Lines = {}
    return [
        (order[n], scalars)
        for n in nodes
        if (lines or n.op is _IOTA) and not is_stored(n) and (scalars := _scalars_read(n, lines)) is not None
    ]


MAX_CHOICES = 4096
_CHOICES: dict[Any, Any] = {}  # for a key without numbers, pairs (node's number, numbers of the scalars to be read)


def note_choices(key: list[Any], roots: Sequence[Node], order: dict[Node, int]) -> None:
    """Append to the key of a small graph the scalars' numbers on which rewrites of its coordinates depend."""
    structure = tuple(key)
    if (found := _CHOICES.get(structure)) is None:
        if len(_CHOICES) >= MAX_CHOICES:
            _CHOICES.clear()
        pairs = key_scalars(below(roots), order)
        _CHOICES[structure] = found = [(k, [order[s] for s in scalars]) for k, scalars in pairs]
    if found:
        nodes = list(order)
        key += ("numbers", tuple([(k, tuple([(s, nodes[s].attrs[0]) for s in scalars])) for k, scalars in found]))


def _scalars_read(n: Node, lines: Lines) -> tuple[Node, ...] | None:
    """Return the scalars of n whose numbers rules may use, for the graph's key; None if there are none.

    Adds n to `lines` if its cells follow from coordinates.
    """
    name, inputs = n.op.name, n.inputs
    if n.op is _IOTA:
        lines[n] = Derivation(1, (), 0)
    elif name == "where":
        mask = lines.get(inputs[0])
        return mask.scalars if mask is not None and mask.sources == 1 else None
    elif name in THROUGH or name in COMPARISONS or name in ARITHMETIC:
        known = [lines[i] for i in inputs if i in lines]
        if known and (name == "concat" or all(i in lines or i.op is _SCALAR for i in inputs)):
            levels = max([t.levels for t in known]) + (name in ARITHMETIC)
            if levels <= MAX_LEVELS:
                sources = (max if name == "concat" else sum)([t.sources for t in known])
                scalars = [*[s for t in known for s in t.scalars], *[i for i in inputs if i.op is _SCALAR]]
                # without repeats: a graph of depth d may have 2**d paths to a coordinate
                lines[n] = Derivation(sources, tuple(dict.fromkeys(scalars)), levels)
    return None


# ---- what follows


class Line(NamedTuple):
    """An integer for every position: offset + Σ steps[axis] · position[axis]."""

    offset: int
    steps: tuple[int, ...]


def line(n: Node, key_scalars: Container[int], levels: int = MAX_LEVELS) -> Line | None:
    """Return the integers of n as a line, if they follow from coordinates and no step wraps; else None.

    `key_scalars` are the scalars that may be looked at; at most `levels` arithmetic steps are followed.
    """
    base, request = reach(n, True)
    if is_stored(base):
        return None
    found = _base_line(base, key_scalars, levels)
    if found is None:
        return None
    return _line_at(found, request)


def _line_at(line: Line, request: Request) -> Line:
    """Return a line restricted to the cells of a request, as a line over the request's positions."""
    offset, steps = request.address(line.steps)
    return Line(line.offset + offset, steps)


def _base_line(n: Node, key_scalars: Container[int], levels: int) -> Line | None:
    """Return a node's integers as a line in its coordinates, looking `levels` deep; None if they are not one."""
    d, name = n.desc, n.op.name
    if name == "iota":
        axis = n.attrs[0]
        return Line(d.origin[axis] if d.origin else 0, tuple([int(a == axis) for a in range(d.ndim)]))
    if not d.dtype.is_integer or not levels:
        return None
    if name == "scalar":
        return Line(int(n.attrs[0]), ()) if id(n) in key_scalars else None
    if name != "astype" and name not in ARITHMETIC:
        return None
    if any(not i.desc.dtype.is_integer for i in n.inputs):
        return None
    parts = [_broadcast_line(n, i, line(i, key_scalars, levels - 1)) for i in n.inputs]
    known = [p for p in parts if p is not None]
    made = None if len(known) < len(parts) else known[0] if name == "astype" else _combined(name, *known)
    return made if made is not None and _fits(made, d.shape, d.dtype) else None


def _broadcast_line(n: Node, x: Node, found: Line | None) -> Line | None:
    """Return the line of operand x at the positions of node n, to whose shape x is broadcast.

    `found` is the line at x's own positions.
    """
    if found is None:
        return None
    steps = [0 if size == 1 else s for s, size in zip(found.steps, x.desc.shape, strict=True)]
    return Line(found.offset, (0,) * (n.desc.ndim - x.desc.ndim) + tuple(steps))


def _combined(name: str, left: Line, right: Line) -> Line | None:
    """Return the sum, difference or product of two lines, by the op's name.

    None for a product that is not a line.
    """
    if name == "multiply":
        if any(left.steps):
            left, right = right, left
        return (
            None if any(left.steps) else Line(left.offset * right.offset, tuple([left.offset * s for s in right.steps]))
        )
    sign = 1 if name == "add" else -1
    return Line(
        left.offset + sign * right.offset, tuple([s + sign * t for s, t in zip(left.steps, right.steps, strict=True)])
    )


def _fits(line: Line, shape: tuple[int, ...], dtype: DType) -> bool:
    """True if all values of a line over a shape fit an integer dtype."""
    if 0 in shape:
        return True
    limits = dt.integer_limits(dtype)
    ends = [s * (n - 1) for s, n in zip(line.steps, shape, strict=True)]
    low, high = (line.offset + sum([pick(e, 0) for e in ends]) for pick in (min, max))
    return bool(limits.min <= low and high <= limits.max)


class Run(NamedTuple):
    """A run of a mask: it is `value` at first <= position < stop."""

    first: int
    stop: int
    value: bool


def runs(mask: Node, key_scalars: Container[int]) -> tuple[int, list[Run]] | None:
    """Return the axis and the runs of a mask that follows from one coordinate.

    Returns (-1, one run) for a constant mask, None for other masks.
    """
    base, request = reach(mask, True)
    if is_stored(base) or 0 in mask.desc.shape:
        return None
    if base.op is _SCALAR:
        return (-1, [Run(0, 1, bool(base.attrs[0]))]) if base.desc.dtype is dt.bool else None
    if base.op.name not in COMPARISONS or any(not i.desc.dtype.is_integer for i in base.inputs):
        return None
    a, b = (_broadcast_line(base, i, line(i, key_scalars)) for i in base.inputs)
    if a is None or b is None:
        return None
    difference = _combined("subtract", a, b)
    assert difference is not None
    offset, steps = _line_at(difference, request)
    axes = [p for p, s in enumerate(steps) if s and mask.desc.shape[p] > 1]
    compare = COMPARISONS[base.op.name]
    if not axes:
        return -1, [Run(0, 1, compare(offset, 0))]
    if len(axes) > 1:
        return None
    found = _runs(offset, steps[axes[0]], mask.desc.shape[axes[0]], compare)
    return (axes[0], found) if len(found) > 1 else (-1, found)


def _runs(offset: int, step: int, count: int, compare: Callable[[int, int], bool]) -> list[Run]:
    """Return the runs of positions t, from 0 to count - 1, in which compare(offset + step · t, 0) has one result.

    There are at most three.
    """
    zero = -(offset // step)  # the first position at or past the zero
    after = zero if offset % step else zero + 1
    first, second = min(max(zero, 0), count), min(max(after, 0), count)
    sign = 1 if step > 0 else -1
    found: list[Run] = []
    for begin, stop, side in ((0, first, -sign), (first, second, 0), (second, count, sign)):
        if begin < stop:
            value = compare(side, 0)
            if found and found[-1].value is value:
                found[-1] = Run(found[-1].first, stop, value)
            else:
                found.append(Run(begin, stop, value))
    return found
