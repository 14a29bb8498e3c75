"""Writing expressions to files: tile by tile, so that memory bounds neither what is read nor what is written.

The one idea: a tile of an expression is the same expression over tiles (`passes.restrict`), so it is computed like any
other value; a thread writes it while the next one is read and computed.  A file takes its name when all is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, partial
from math import lcm, prod
from typing import Any

from weft import dtypes as dt
from weft.api.standard.manipulation_functions import as_tensor
from weft.dtypes import DType
from weft.errors import DTypeError, ValueRangeError
from weft.ir.graph.description import Shape, memory_order
from weft.ir.graph.node import Node, astype, walk
from weft.ir.pieces.box import Box, box_of
from weft.passes.fuse import is_stored
from weft.passes.restrict import restricted_together
from weft.runtime.compute import stages
from weft.runtime.compute.checked_values import CHECKED, verify
from weft.runtime.handover import Background
from weft.runtime.memory import limits
from weft.sources.paths import Path, Target, target_path
from weft.sources.read import tiles
from weft.sources.read.tiles import TileCost
from weft.sources.write.atomic_write import write_errors
from weft.sources.write.sinks import Field, Sink, opened_sinks, written_ending
from weft.tensors.place import cells as cells_of
from weft.tensors.tensor import Tensor, node_of, values_of

LEAST_CELLS = 1024  # of a tile, where memory allows for nothing
SMALL = 8 << 20  # bytes in all that are never cut
Told = Callable[[int, int], None]


def save(
    path: Target, x: Any, *, format: str | None = None, memory: int | str | None = None, dtype: Any = None,
    **options: Any,
) -> None:  # fmt: skip
    """Write a tensor, or anything `asarray` takes, to a new file; the ending of the name gives the format.

    `path` may be an object opened for writing bytes, such as `io.BytesIO`; `format` says the format ("npy") where no
    ending does.  The tensor may also come first, and then the path.  A file appears as a whole or not at all.  What
    does not fit the memory limit (`memory`: bytes, or text such as "256MiB"; else `weft.get_memory_limit()`) is
    computed and written in tiles.  `dtype` converts; '>f4' also says the byte order.  A mapping of names to tensors
    goes to a format that holds several.  Options are those of the format: .npy, .bin and .raw (cells alone) take
    order="C" or "F" (.npy: by default as x lies in memory) and byteorder="little" or "big" (by default that of x).

    Raises WriteError where the file cannot be written, FileFormatError for an unknown ending.

    >>> import os, tempfile
    >>> import weft
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "x.npy")
    ...     weft.save(path, weft.arange(6).reshape((2, 3)) * 2, dtype=">i2")
    ...     weft.open(path).tolist()
    [[0, 2, 4], [6, 8, 10]]
    """
    if not isinstance(path, (str, os.PathLike)) and (isinstance(x, (str, os.PathLike)) or hasattr(x, "write")):
        path, x = x, path
    write([(path, x)], memory=memory, dtype=dtype, options=options, format=format)


def store(
    targets: Mapping[Any, Any] | Iterable[tuple[Target, Any]], *, format: str | None = None,
    memory: int | str | None = None, dtype: Any = None, **options: Any,
) -> None:  # fmt: skip
    """Write several tensors, each to a new file: {path: tensor} or pairs, with the arguments and errors of `save`.

    Tensors of one shape are computed together, a tile of all of them at a time, so what they read in common is read
    once.  All files are complete before the first takes its name.

    >>> import os, tempfile
    >>> import weft
    >>> x = weft.arange(4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     low, high = os.path.join(folder, "low.npy"), os.path.join(folder, "high.npy")
    ...     weft.store({low: x - 1, high: x + 1})
    ...     weft.open(low).tolist(), weft.open(high).tolist()
    ([-1, 0, 1, 2], [1, 2, 3, 4])
    """
    pairs = _pairs(targets)
    write(pairs, memory=memory, dtype=dtype, options=options, format=format)


def _pairs(targets: Any) -> list[tuple[Target, Any]]:
    """Return what `store` is given as pairs of a path and a value."""
    if isinstance(targets, Mapping):
        return list(targets.items())
    if isinstance(targets, Iterable) and not isinstance(targets, (Tensor, str, bytes)):
        pairs = list(targets)
        if all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs):
            return [(path, x) for path, x in pairs]
    raise DTypeError(
        f"store: {targets!r:.60} names no files; paths with their tensors are needed; pass {{path: tensor}} or pairs"
    )


def write(
    pairs: Sequence[tuple[Target, Any]], *, memory: int | str | None = None, dtype: Any = None,
    options: Mapping[str, Any] | None = None, format: str | None = None, told: Told = lambda done, total: None,
) -> None:  # fmt: skip
    """Write (path, value) pairs as `store` does; `told(bytes written, bytes in all)` is called after each tile.

    Raises ValueRangeError if one file is named twice, WriteError and FileFormatError as `save`.
    """
    wanted = None if dtype is None else dt.spelled(dtype)
    with ExitStack() as objects:
        ends = [written_ending(target, format) for target, _ in pairs]
        paths = [objects.enter_context(target_path(t, e)) for (t, _), e in zip(pairs, ends, strict=True)]
        groups = [(p, _fields(x, wanted), e) for p, (_, x), e in zip(paths, pairs, ends, strict=True)]
        _write_files(groups, memory, options or {}, told)


def _write_files(
    groups: Sequence[tuple[str, Mapping[str, tuple[Field, Node]], str]],
    memory: int | str | None,
    options: Mapping[str, Any],
    told: Told,
) -> None:
    """Write each group (path, fields by name, file ending) to a file of its own.

    Raises ValueRangeError for a path given twice.
    """
    names = [os.path.realpath(path) for path, _, _ in groups]  # one file may be spelled in several ways
    if len(set(names)) < len(names):
        twice = next(path for (path, _, _), name in zip(groups, names, strict=True) if names.count(name) > 1)
        raise ValueRangeError(f"store: {twice} is named twice; one file holds one value; give each its own name")
    with limits.limited(memory) as limit, ExitStack() as opened:
        if CHECKED:  # before a file is touched
            verify([node for _, fields, _ in groups for _, node in fields.values()])
        jobs: list[Job] = []
        for path, fields, ending in groups:
            described = {name: field for name, (field, _) in fields.items()}
            sinks = opened.enter_context(opened_sinks(path, described, options, ending))
            jobs += [Job(path, node, field, sinks[name]) for name, (field, node) in fields.items()]
        Writing(jobs, limit, told).run()


def _fields(x: Any, wanted: tuple[DType, str] | None) -> dict[str, tuple[Field, Node]]:
    """Return the fields of a file, name → (field, node in the field's dtype); a lone value has the name "".

    Raises ValueRangeError for names that are no text.
    """
    if not isinstance(x, Mapping):
        return {"": _field(x, wanted)}
    if not x or not all(isinstance(name, str) and name for name in x):
        raise ValueRangeError(f"save: {list(x)!r:.80} as names; a file of several values names each; give them names")
    return {name: _field(part, wanted) for name, part in x.items()}


def _field(x: Any, wanted: tuple[DType, str] | None) -> tuple[Field, Node]:
    """Return (field, node in the field's dtype) of a value; `wanted` is a dtype and byte order, or None for its own."""
    n = node_of(as_tensor(x))
    dtype, byteorder = wanted or (n.desc.dtype, n.desc.byteorder)
    columns = memory_order(n.desc) == tuple(range(n.desc.ndim))[::-1]
    order = "F" if columns else "C"
    return Field(dtype, byteorder == "big" and dtype.itemsize > 1, n.desc.shape, order), astype(n, dtype)


@dataclass(slots=True, eq=False)
class Job:
    """A value to write: path, node, field, and the sink that takes its cells."""

    path: Path
    node: Node
    field: Field
    sink: Sink


class Writing:
    """Jobs that are computed and written tile by tile; those of one shape share tiles."""

    def __init__(self, jobs: Sequence[Job], limit: int, told: Told) -> None:
        self.jobs, self.limit, self.told = jobs, limit, told
        self.total, self.done = sum(job.field.nbytes for job in jobs), 0
        self.originals = {id(n) for n in walk([job.node for job in jobs])}

    def run(self) -> None:
        """Compute and write all values; raises WriteError where the system refuses."""
        by_shape: dict[Shape, list[Job]] = {}
        for job in self.jobs:
            by_shape.setdefault(job.field.shape, []).append(job)
        for shape, jobs in by_shape.items():
            if 0 not in shape:
                self._together(shape, jobs)

    def _together(self, shape: Shape, jobs: Sequence[Job]) -> None:
        """Write jobs of one shape tile by tile; a thread writes a tile while the next one is computed."""
        tile, writing = self._tile(shape, jobs), None
        try:
            for box in tiles.boxes(shape, tile):
                if tile != shape:
                    tiles.spare(0 if tiles.is_clipped(box, tile) else self.limit // 2)
                values = self._values(box, jobs)
                if writing is not None:
                    self._written(writing)
                writing = Background(partial(_write, jobs, box.start, values))
                del values
                writing.start()
            if writing is not None:
                self._written(writing)
        finally:
            if writing is not None:
                writing.settle()

    def _values(self, box: Box, jobs: Sequence[Job]) -> list[Any]:
        """Return the cells of a box of every job's value."""
        nodes = _parts(jobs, box)
        tiles.compute_shared(nodes, self.originals)
        made = [n for n in nodes if not is_stored(n)]
        stages.compute(made)
        own = {id(n) for n in made if n.place is None}  # nobody else writes these
        return [cells_of(n) if id(n) in own else values_of(n) for n in nodes]

    def _written(self, tile: Background[int]) -> None:
        self.done += tile.result()
        self.told(self.done, self.total)

    # ---- the choice of tiles
    def _tile(self, shape: Shape, jobs: Sequence[Job]) -> Shape:
        """Return the shape of the cheapest tile of a few that fit the memory limit; the whole shape if memory holds
        all.

        Reductions below the values are computed at once where they are small and tiles would read their inputs again
        and again.
        """
        below = list(walk([j.node for j in jobs]))
        files = sum([n.desc.nbytes for n in below if n.op.name == "file"])
        if 2 * (files + 2 * sum(j.field.nbytes for j in jobs)) < min(self.limit, SMALL):
            return shape  # nothing that takes memory
        half = box_of(tuple([max(1, size // 2) for size in shape]))
        tiles.compute_shared(_parts(jobs, half), self.originals)
        tile, reading = self._cheapest(shape, jobs)
        inner = [n for n in below if n.op.kind in tiles.WHOLE and n.value is None]
        if inner and reading > 2 * files * tiles.BYTE and sum(n.desc.nbytes for n in inner) <= self.limit // 4:
            stages.compute(inner)  # read twice in all, instead of more than that from tile to tile
            tile, _ = self._cheapest(shape, jobs)
        return tile

    def _cheapest(self, shape: Shape, jobs: Sequence[Job]) -> tuple[Shape, float]:
        """Return (tile that takes the least time, estimated seconds of reading for all tiles)."""
        itemsize = sum(j.field.dtype.itemsize for j in jobs)

        @cache
        def cost(tile: Shape) -> TileCost:
            return tiles.cost_of(_parts(jobs, tiles.middle(shape, tile)))

        def memory(tile: Shape) -> int:
            written = prod(tile) * itemsize
            return cost(tile).memory + max(cost(tile).results, written) + written

        def seconds(tile: Shape) -> float:
            runs = sum(_runs(shape, tile, j.sink.order) for j in jobs if j.sink.tile is None)
            return tiles.count(shape, tile) * (cost(tile).seconds + tiles.TILE + runs * tiles.READ)

        unit, ones, cells = self._unit(shape, jobs), (1,) * len(shape), self.limit // (4 * itemsize)
        inward, found = list(range(len(shape))), []
        for axes in (inward[::-1], inward):
            growth = [(a, shape[a]) for a in axes]
            for u in dict.fromkeys([unit, ones]):
                tile = tiles.fitted(shape, growth, u, cells, memory, 3 * self.limit // 4)
                if tile is not None:
                    found.append(tile)
                    break
        if not found:
            return tiles.grown(shape, [(a, shape[a]) for a in inward[::-1]], ones, LEAST_CELLS), float("inf")
        best = min(found, key=seconds)
        return best, tiles.count(shape, best) * cost(best).seconds

    def _unit(self, shape: Shape, jobs: Sequence[Job]) -> Shape:
        """Return the smallest tile made of whole chunks of all sinks, as far as memory allows."""
        chunks = [j.sink.tile for j in jobs if j.sink.tile is not None]
        unit = [1] * len(shape)
        for chunk in chunks:
            joined = [min(lcm(u, max(c, 1)), max(n, 1)) for u, c, n in zip(unit, chunk, shape, strict=True)]
            if prod(joined) * sum(j.field.dtype.itemsize for j in jobs) <= self.limit // 4:
                unit = joined
        return tuple(unit)


def _parts(jobs: Sequence[Job], box: Box) -> list[Node]:
    """Return every job's node restricted to a box."""
    return restricted_together([(job.node, box) for job in jobs])


def _runs(shape: Shape, tile: Shape, order: str) -> int:
    """Return the number of runs of neighbouring cells of a tile in a file of that order."""
    runs = 1
    whole = True
    for n, t in list(zip(shape, tile, strict=True))[:: -1 if order == "C" else 1]:
        runs *= 1 if whole else t
        whole = whole and t == n
    return runs


def _write(jobs: Sequence[Job], start: Shape, values: Sequence[Any]) -> int:
    """Write a tile of every job to its sink, and return the bytes written; raises WriteError."""
    for job, cells in zip(jobs, values, strict=True):
        with write_errors(job.path):
            job.sink.write(start, cells)
    return sum(job.field.dtype.itemsize * int(v.size) for job, v in zip(jobs, values, strict=True))
