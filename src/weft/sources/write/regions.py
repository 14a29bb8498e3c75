"""Writing into arrays of existing files: into a region, or beyond the end.

The one idea: a region is a box of the array, so its sink is the sink of the whole array with moved coordinates; the
array keeps its dtype, its chunks and its encoding.  A value for a region that begins inside a chunk is padded to the
first cell of the chunk, so tiles and workers write whole chunks; cells of the pad are not written.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from operator import add, sub
from operator import index as integer
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.api.arguments import is_among, is_one
from weft.errors import AxisError, DTypeError, FileFormatError, ShapeError, ValueRangeError
from weft.ir.atoms.pad import pad
from weft.ir.graph.description import Shape
from weft.ir.graph.node import Node
from weft.passes.fuse import below
from weft.sources.files import open_file
from weft.sources.write.atomic_write import write_errors
from weft.sources.write.sink import ExistingArray, Field, Sink
from weft.sources.write.sinks import WRITERS
from weft.tensors.tensor import node_of

PARTLY = "cells of the region may be old or new, all others are as they were"


@dataclass(frozen=True, slots=True)
class ArrayRegion:
    """The part of existing arrays to write: slices along the axes (`keys`), or the axis along which they grow."""

    keys: Any = None
    axis: Any = None

    def __post_init__(self) -> None:
        if self.keys is not None and self.axis is not None:
            raise ValueRangeError(
                "save: region= and append= are both given; cells are written into an array or behind it; give one"
            )

    @property
    def is_given(self) -> bool:
        """True if cells go into an existing array."""
        return self.keys is not None or self.axis is not None


NEW_FILE = ArrayRegion()


@contextmanager
def region_sinks(
    path: str, values: Mapping[str, tuple[Field, Node]], region: ArrayRegion, options: Mapping[str, Any], ending: str
) -> Iterator[list[tuple[Field, Node, Sink]]]:
    """Yield (field, node, sink) for each value, to be written into a part of an array of an existing file.

    `ending` selects the format, `options` are those of the save. Raises FileFormatError if the format cannot be changed
    or the file has no such array, ShapeError, AxisError, DTypeError and ValueRangeError for values that do not fit,
    before anything is written, and WriteError if the system refuses.
    """
    update = WRITERS[ending].update
    if update is None:
        known = ", ".join(e for e, w in WRITERS.items() if w.update is not None)
        raise FileFormatError(f"save: {path}: region= and append= write into {known}; save a new {ending} file")
    for option in options:
        if option != "name":
            fact = f"{option}= beside region= or append=; the array keeps the layout that it has"
            raise ValueRangeError(f"save: {path}: {fact}; leave it out")
    parts = {name: _part(path, region, options.get("name", name) or None, *value) for name, value in values.items()}
    if len({part.name for part in parts.values()}) < len(parts):
        raise ValueRangeError(f"save: {path}: an array is named twice; one value is written; give each its own name")
    with write_errors(path), update(path, {part.name: part.array for part in parts.values()}) as sinks:
        left = PARTLY if region.axis is None else "the array has its former shape"
        targets = {name: RegionSink(path, sinks[p.name], p.start, p.dropped, left) for name, p in parts.items()}
        yield [targets[name].padded(*value) for name, value in values.items()]


@dataclass(frozen=True, slots=True)
class Part:
    """The part of one array to write: its first cell `start`, and the axes given by a number (`dropped`)."""

    name: str
    array: ExistingArray
    start: Shape
    dropped: tuple[int, ...]


class RegionSink(Sink):
    """The sink of a part of an array, which passes moved boxes to the sink of the whole.

    The part begins at cell `start` and lacks the axes `dropped`.  Boxes are counted from the first cell of the chunk in
    which it begins: `lead` cells before it along each axis, which are not written.  `remaining` tells in messages what
    is left of the array after an error.  The context that opened the array closes it.
    """

    def __init__(
        self, path: str, sink: Sink, start: Shape, dropped: Sequence[int] = (), remaining: str = "nothing was changed"
    ) -> None:
        self.path, self.sink, self.start, self.dropped, self.remaining = path, sink, start, dropped, remaining
        kept = [a for a in range(len(start)) if a not in dropped]
        self.tile = None if sink.tile is None else tuple([sink.tile[a] for a in kept])
        self.lead = tuple([0 if sink.tile is None else start[a] % sink.tile[a] for a in kept])
        self.order, self.concurrent = sink.order, sink.tile is not None and sink.concurrent

    def padded(self, field: Field, node: Node) -> tuple[Field, Node, Sink]:
        """Return (field, node, sink) for writing a value: the node padded by `lead`, and its field."""
        if not any(self.lead) or 0 in field.shape:
            return field, node, self
        longer = replace(field, shape=tuple(map(add, self.lead, field.shape)))
        return longer, pad(node, [(n, 0) for n in self.lead]), self

    def write(self, start: Shape, values: NDArray[Any]) -> None:
        """Write `values` to the box at `start`, without cells before the part.

        Raises WriteError if the file cannot be written.
        """
        first = tuple(map(max, start, self.lead))
        values = values[tuple([slice(a - b, None) for a, b in zip(first, start, strict=True)])]
        places = map(sub, first, self.lead)
        at = [f if a in self.dropped else f + next(places) for a, f in enumerate(self.start)]
        with write_errors(self.path, self.remaining):
            self.sink.write(tuple(at), np.expand_dims(values, tuple(self.dropped)))


def _part(path: str, region: ArrayRegion, name: str | None, field: Field, node: Node) -> Part:
    """Return the part of an array that a value goes to. `name` is that of the array, None for the only one.

    Raises ShapeError, AxisError, DTypeError or ValueRangeError if the value does not fit, FileFormatError if there is
    no such array.
    """
    source = _source(path, name)
    if field.dtype is not source.dtype:
        fact = f"values of {field.dtype.name} for an array of {source.dtype.name}, which keeps its dtype"
        raise DTypeError(f"save: {path}: {fact}; pass dtype={source.dtype.name!r} to convert")
    _check_read(path, source, node)
    found = _inner_name(path, source)
    if region.axis is not None:
        axis = _axis(path, region.axis, len(source.shape))
        rest = [n for a, n in enumerate(source.shape) if a != axis]
        if len(field.shape) != len(source.shape) or [n for a, n in enumerate(field.shape) if a != axis] != rest:
            fact = f"a value of shape {field.shape} behind axis {axis} of shape {source.shape}"
            raise ShapeError(f"save: {path}: {fact}; all other sizes must be equal; reshape it")
        shape = tuple([n + field.shape[a] * (a == axis) for a, n in enumerate(source.shape)])
        start = tuple([n * (a == axis) for a, n in enumerate(source.shape)])
        return Part(found, ExistingArray(source, shape, axis), start, ())
    start, sizes, dropped = _box(path, region.keys, source.shape)
    wanted = tuple([n for a, n in enumerate(sizes) if a not in dropped])
    if field.shape != wanted:
        fact = f"a value of shape {field.shape} for a region of shape {wanted} (of an array of {source.shape})"
        raise ShapeError(f"save: {path}: {fact}; nothing is broadcast or cut off; give a region of its size")
    return Part(found, ExistingArray(source, source.shape), start, dropped)


def _source(path: str, name: str | None) -> Any:
    """Return the source of an array of an existing file; raises FileFormatError if there is none."""
    node = node_of(open_file(path) if name is None else open_file(path, name=name))
    return next(n.attrs[0] for n in below([node]) if n.op.name == "file")


def _inner_name(path: str, source: Any) -> str:
    """Return the name of a source inside its file, "" if the file has one array."""
    return str(source.name).removeprefix(path.rstrip("/")).lstrip(":/")


def _check_read(path: str, target: Any, node: Node) -> None:
    """Raise ValueRangeError if a value is computed from cells of the array that it is written into."""
    own = _place(target)
    for n in below([node]):
        if n.op.name == "file" and _place(n.attrs[0]) == own:
            fact = "the values are read from what is written into; a tile could read what another one wrote"
            raise ValueRangeError(f"save: {path}: {fact}; realize() them first")


def _place(source: Any) -> str:
    """Return the real path of a source's file, or of its folder for Zarr."""
    at = getattr(source, "metadata", source)
    return os.path.realpath(getattr(at, "path", ""))


def _axis(path: str, axis: Any, ndim: int) -> int:
    """Return an axis counted from 0; raises AxisError if it is no axis of `ndim`."""
    try:
        found = -1 - ndim if isinstance(axis, bool) else integer(axis)
    except TypeError:
        found = -1 - ndim
    if not -ndim <= found < ndim:
        fact = f"append={axis!r:.40} for an array of {ndim} axes"
        raise AxisError(f"save: {path}: {fact}; append= is the number of the axis along which it grows; give that")
    return found % ndim


def _box(path: str, keys: Any, shape: Shape) -> tuple[Shape, Shape, tuple[int, ...]]:
    """Return (first cell, sizes, axes given by a number) of a region.

    Raises ValueRangeError for keys that are no slices of step 1 or numbers within the shape.
    """
    given = list(keys) if isinstance(keys, (tuple, list)) else [keys]
    dots = [a for a, key in enumerate(given) if key is Ellipsis] or [len(given)]
    given[dots[0] : dots[0] + 1] = [slice(None)] * (len(shape) - len(given) + (dots[0] < len(given)))
    if len(given) != len(shape) or len(dots) > 1:
        raise _refuse(path, keys, f"the array has the shape {shape}")
    start, size, dropped = [], [], []
    for a, (key, n) in enumerate(zip(given, shape, strict=True)):
        if isinstance(key, slice) and is_among(key.step, (None, 1)) and _has_integers(key):
            first, end, _ = key.indices(n)
            if any(k is not None and not -n <= k <= n for k in (key.start, key.stop)):
                raise _refuse(path, keys, f"axis {a} has {n} cells")
            size.append(max(end - first, 0))
        elif isinstance(key, (int, np.integer)) and not isinstance(key, bool) and -n <= key < n:
            first = int(key) % n
            size.append(1)
            dropped.append(a)
        else:
            raise _refuse(path, keys, f"axis {a} has {n} cells and takes a slice of step 1, or a number of a cell")
        start.append(first)
    return tuple(start), tuple(size), tuple(dropped)


def _has_integers(key: slice) -> bool:
    """True if the ends of a slice are integers or None."""
    return all(k is None or is_one(k) for k in (key.start, key.stop))


def _refuse(path: str, keys: Any, fact: str) -> ValueRangeError:
    advice = "give a slice for each axis, as region=(slice(0, 10), ...)"
    return ValueRangeError(f"save: {path}: region={keys!r:.80}; {fact}; {advice}")
