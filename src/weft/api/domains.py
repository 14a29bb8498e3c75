"""Coordinates with any origin: moving tensors, indexing by coordinate, aligning, overlaying and routing.

The one idea: a coordinate names the same cell wherever the origin lies, so it never counts from the end: `x.at[-1]` is
the cell at -1.  Plain indexing stays zero-based; the functions of this module keep origins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import as_tensor, check_rank, integer, integers, one_of
from weft.api.standard.manipulation_functions import joined
from weft.errors import DTypeError, IndexOutOfBounds, ShapeError
from weft.ir.atoms import selections
from weft.ir.atoms.selections import MAX_CELLS
from weft.ir.graph import node as ir
from weft.ir.graph.domain import Domain
from weft.ir.graph.node import Node
from weft.tensors.keys import range_of
from weft.tensors.tensor import Tensor, handle, node_of, operand, wrap


def translate(x: Tensor, offset: Any, /) -> Tensor:
    """Return a view of x with all coordinates shifted by `offset`, one integer per axis, or one for all axes.

    Raises ShapeError for an offset of another length, or that moves a coordinate beyond 2**62, DTypeError for one that
    is no integer.

    >>> import weft
    >>> x = weft.asarray([1, 2, 3])
    >>> y = weft.translate(x, (-3,))
    >>> y.domain, y.at[-1].item()
    (Domain([-3, 0)), 3)
    """
    x = as_tensor(x)
    n = node_of(x)
    moves = integers("translate", "offset", offset)
    if len(moves) == 1 != n.desc.ndim and not isinstance(offset, Iterable):
        moves *= n.desc.ndim
    for axis, (o, v) in enumerate(zip(n.desc.domain.origin, moves, strict=False)):
        if abs(o + v) > MAX_CELLS:
            raise ShapeError(
                f"translate: origin {o} along axis {axis} moved by {v}; coordinates are kept within 2**62; move it less"
            )
    return handle(x, selections.translate(n, moves))


# ---- indexing by coordinate


class At:
    """The tensor indexed by the coordinates of its domain (`x.at`), for reading and for writing.

    Integers, slices, `...` and None give views that keep coordinates: `x.at[2:4]` has origin 2. With a step k the cell
    at coordinate y goes to y // k; a negative step flips the result of the positive one. Index arrays hold coordinates,
    masks select positions; their results start at 0. Raises IndexOutOfBounds for a coordinate outside of the domain,
    DTypeError for one that is no integer.

    >>> import weft
    >>> x = weft.asarray([10, 11, 12, 13]).translate(-2)
    >>> x.at[-1].item(), x.at[-1:2].domain
    (11, Domain([-1, 2)))
    >>> x.at[-2:0] = 0
    >>> x.tolist()
    [0, 0, 12, 13]
    """

    __slots__ = ("_x",)

    def __init__(self, x: Tensor) -> None:
        self._x = x

    def __getitem__(self, key: Any) -> Tensor:
        entries = _entries(key, node_of(self._x).desc.domain)
        x: Any = self._x
        if any(isinstance(e, np.ndarray) for e in entries):
            return x[_plain(entries)]  # type: ignore[no-any-return]
        found = x[(*_plain(entries), ...)]
        origin = [e[3] if isinstance(e, tuple) else 0 for e in entries if not isinstance(e, int)]
        return handle(found, _placed(node_of(found), origin))

    def __setitem__(self, key: Any, value: Any) -> None:
        x: Any = self._x
        x[_plain(_entries(key, node_of(x).desc.domain))] = value

    def __repr__(self) -> str:
        return f"<coordinates of {self._x.domain}>"


Stretch = tuple[int, int, int, int]  # first position, step, number of cells, origin of the result
Entry = None | int | Stretch | np.ndarray  # a new axis, a position, a stretch, positions or a mask


def _entries(key: Any, domain: Domain) -> list[Entry]:
    """Return a key of coordinates as positions: an entry per axis (masks take several), and None for each new axis.

    Raises IndexOutOfBounds if the key names more axes than there are, has two ellipses, or a coordinate outside of
    `domain`; DTypeError for a coordinate that is no integer.
    """
    parts = [_listed(p) if isinstance(p, list) else p for p in (key if isinstance(key, tuple) else (key,))]
    used = sum([_width(p) for p in parts])
    dots = [i for i, p in enumerate(parts) if p is Ellipsis]
    if used > len(domain.shape) or len(dots) > 1:
        raise IndexOutOfBounds(
            f"at: {used} coordinates and {len(dots)} ellipses for {domain}; one coordinate per axis and one ellipsis "
            "are the most; leave some out"
        )
    at = dots[0] if dots else len(parts)
    parts[at : at + 1] = [slice(None)] * (len(domain.shape) - used)
    check_rank("at", len(domain.shape) + sum([p is None for p in parts]))
    entries: list[Entry] = []
    axis = 0
    for p in parts:
        entries.append(_entry(p, domain, axis))
        axis += _width(p)
    return entries


def _listed(part: list[Any]) -> np.ndarray:
    """Return a list as an array; raises IndexOutOfBounds for lists of unequal lengths."""
    try:
        return np.asarray(part)
    except ValueError:
        raise IndexOutOfBounds(
            "at: nested lists of unequal lengths; coordinates in lists form a box; make the lists equally long"
        ) from None


def _width(part: Any) -> int:
    """Return the number of axes of the tensor that one part of a key consumes. Raises DTypeError for a single bool."""
    if part is None or part is Ellipsis:
        return 0
    if _is_mask(part):
        return int(part.ndim)
    return 1


def _is_mask(part: Any) -> bool:
    """True if a part of a key is an array of bools; raises DTypeError for a single bool."""
    if isinstance(part, (bool, np.bool_)):
        raise DTypeError(f"at: {part!r}; a truth value is no coordinate; give an integer, or a mask of the axis")
    return (isinstance(part, Tensor) and part.dtype.kind == "bool") or (
        isinstance(part, np.ndarray) and part.dtype == np.bool_
    )


def _entry(part: Any, domain: Domain, axis: int) -> Entry:
    """Return a part of a key as positions along an axis, None for a new axis.

    Raises IndexOutOfBounds for coordinates outside of the domain, DTypeError for those that are no integers.
    """
    if part is None:
        return None
    if _is_mask(part):
        return np.asarray(part)
    low, high = domain.start[axis], domain.stop[axis]
    if isinstance(part, slice):
        return _stretch(part, low, high, axis)
    if isinstance(part, (Tensor, np.ndarray)) and part.ndim:
        return _positions(np.asarray(part), low, high, axis)
    c = integer("at", "coordinate", part)
    if not low <= c < high:
        _outside(str(c), low, high, axis)
    return c - low


def _outside(what: str, low: int, high: int, axis: int) -> None:
    """Raise IndexOutOfBounds for the coordinate or slice `what` outside of [low, high); always raises."""
    raise IndexOutOfBounds(
        f"at: coordinate {what} along axis {axis}; its coordinates are [{low}, {high}), none is counted from an end; "
        "give one of them"
    )


def _stretch(part: slice, low: int, high: int, axis: int) -> Stretch:
    """Return (first position, step, size, new origin) for a slice of the coordinates [low, high).

    The new origin is the lowest selected coordinate, divided by the absolute step and rounded down. Raises
    IndexOutOfBounds for a step of 0 and for ends outside, DTypeError for those that are no integers.
    """
    step = 1 if part.step is None else integer("at", "step", part.step)
    if step == 0:
        raise IndexOutOfBounds(f"at: step 0 along axis {axis}; a step must move; give a step that is not 0")
    down = step < 0
    first = integer("at", "start", part.start) if part.start is not None else high - 1 if down else low
    stop = integer("at", "stop", part.stop) if part.stop is not None else low - 1 if down else high
    within = low - 1 <= stop <= first <= high - 1 if down else low <= first <= stop <= high
    if not within:
        _outside(f"slice [{first}:{stop}{f':{step}' if step != 1 else ''}]", low, high, axis)
    size = len(range(first, stop, step))
    lowest = first + (size - 1) * step if down else first
    return first - low if size else 0, step, size, lowest // abs(step)


def _positions(coordinates: np.ndarray, low: int, high: int, axis: int) -> np.ndarray:
    """Return an array of coordinates as positions.

    Raises DTypeError for floats, IndexOutOfBounds for coordinates outside.
    """
    if coordinates.dtype.kind not in "iu":
        if coordinates.size:
            raise DTypeError(
                f"at: coordinates of dtype {coordinates.dtype}; coordinates are integers; convert them with astype()"
            )
        return np.zeros(coordinates.shape, np.int64)
    wrong = (coordinates < low) | (coordinates >= high)
    if wrong.any():
        _outside(str(coordinates[wrong].flat[0]), low, high, axis)
    return coordinates.astype(np.int64) - low


def _plain(entries: Sequence[Entry]) -> tuple[Any, ...]:
    """Return entries as a key for indexing by positions."""
    return tuple([range_of(*e[:3]) if isinstance(e, tuple) else e for e in entries])


def _placed(n: Node, origin: Sequence[int]) -> Node:
    """Return a view of a node with the same cells at another origin."""
    have = n.desc.domain.origin
    moves = [o - h for o, h in zip(origin, have, strict=True)]
    return selections.translate(n, moves) if any(moves) else n


# ---- several tensors


def align(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Return views of the tensors, cut to the coordinates that all of them have.

    Arithmetic between them then pairs equal coordinates.  Raises ShapeError if ranks differ, or if no coordinate is in
    all domains (unless a tensor is empty), DTypeError for an object without numbers.

    >>> import weft
    >>> u = weft.asarray([1.0, 4.0, 9.0, 16.0])
    >>> left, right = weft.align(u.translate(1), u.translate(-1))
    >>> (right - left).domain, (right - left).tolist()
    (Domain([1, 3)), [8.0, 12.0])
    """
    handles = [as_tensor(t) for t in tensors]
    if not handles:
        return ()
    domains = [node_of(t).desc.domain for t in handles]
    if len({len(d.shape) for d in domains}) > 1:
        raise ShapeError(
            f"align: domains {', '.join(map(repr, domains))}; their ranks differ; expand_dims or index some"
        )
    start = [max(c) for c in zip(*[d.start for d in domains], strict=True)]
    stop = [min(c) for c in zip(*[d.stop for d in domains], strict=True)]
    apart = [axis for axis, (a, b) in enumerate(zip(start, stop, strict=True)) if a >= b]
    if apart and all(t.size for t in handles):
        raise ShapeError(
            f"align: domains {', '.join(map(repr, domains))} have no coordinate in common along axis {apart[0]}; "
            "nothing is left to pair; translate one of them"
        )
    stop = [max(a, b) for a, b in zip(start, stop, strict=True)]
    return tuple([_restricted(t, d, start, stop) for t, d in zip(handles, domains, strict=True)])


def _restricted(t: Tensor, d: Domain, start: Sequence[int], stop: Sequence[int]) -> Tensor:
    """Return a view of a tensor with domain `d`, cut to the coordinates from `start` to `stop`."""
    cut = [(a - o if b > a else 0, 1, b - a) for a, b, o in zip(start, stop, d.origin, strict=True)]
    return handle(t, _placed(selections.slice_(node_of(t), cut), start))


def overlay(parts: Sequence[Tensor], *, domain: Any = None, fill: Any = None, clash: str = "cover") -> Tensor:
    """Return one tensor with every part at the coordinates of its own domain; later parts cover earlier ones.

    The domain is the hull of the parts' domains unless given (a Domain, or slices `start:stop`). Cells without a part
    are `fill`. dtypes join as in concat, the fill's included. Nothing is copied until it is read. Raises ShapeError for
    a cell without a part if there is no `fill`, and for overlapping parts with clash="error"; ValueRangeError for
    another `clash`, DTypeError for a `domain` of another type.

    >>> import weft
    >>> a, b = weft.asarray([1, 1, 1]), weft.asarray([2, 2])
    >>> mosaic = weft.overlay([a, b.translate(4)], fill=0)
    >>> mosaic.domain, mosaic.tolist()
    (Domain([0, 6)), [1, 1, 1, 0, 2, 2])
    """
    one_of("overlay", "clash", clash, ("cover", "error"), "'cover' and 'error' are defined")
    nodes = joined("overlay", parts)
    filled = None
    if fill is not None:
        nodes, filled = _with_fill(nodes, fill)
    box = None if domain is None else as_domain("overlay", domain)
    if clash == "error":
        selections.check_cover(nodes, box, allow_holes=fill is not None)
    return wrap(ir.locate(selections.overlay(nodes, box, filled)))


def _with_fill(nodes: list[Node], fill: Any) -> tuple[list[Node], Node]:
    """Return (the parts, the fill value), converted to the dtype that holds both.

    Raises DTypeError for a fill that is no number.
    """
    found = operand(fill, nodes[0].desc.dtype, "overlay")
    dtype = dt.promote(nodes[0].desc.dtype, found.desc.dtype)
    return [ir.astype(n, dtype) for n in nodes], ir.astype(found, dtype)


def as_domain(name: str, domain: Any) -> Domain:
    """Return a domain, given as a Domain or as one slice per axis.

    Raises DTypeError, naming function `name`, for other objects and steps, ShapeError for a slice that ends before it
    starts.

    >>> as_domain("overlay", (slice(-1, 3), slice(0, 2)))
    Domain([-1, 3) × [0, 2))
    """
    if isinstance(domain, Domain):
        return domain
    intervals = domain if isinstance(domain, tuple) else (domain,)
    if not all(isinstance(i, slice) and i.step in (None, 1) and i.stop is not None for i in intervals):
        raise DTypeError(
            f"{name}: domain {domain!r}; a Domain or slices start:stop are needed; give x.domain, "
            "weft.Domain(origin, shape) or numpy.s_[start:stop]"
        )
    start = tuple([integer(name, "start", i.start) if i.start is not None else 0 for i in intervals])
    stop = tuple([integer(name, "stop", i.stop) for i in intervals])
    if any(b < a for a, b in zip(start, stop, strict=True)):
        raise ShapeError(f"{name}: domain from {start} to {stop}; it ends before it starts; exchange the two")
    return Domain(start, tuple([b - a for a, b in zip(start, stop, strict=True)]))
