"""Save expressions to files tile by tile, so that memory bounds neither reads nor writes.

The one idea: a tile of an expression is the same expression over tiles (`passes.narrowing.restrict`), so it is computed
like any other value; a thread writes it while the next one is read and computed.  A file takes its name once all is
written.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from math import lcm, prod
from typing import Any, Self

import numpy as np

from weft import dtypes as dt
from weft.api.arguments import as_tensor
from weft.dtypes import DType
from weft.errors import DTypeError, ValueRangeError
from weft.ir.graph.description import Shape, memory_order
from weft.ir.graph.node import Node, astype
from weft.ir.pieces.box import Box
from weft.passes.fuse import is_stored
from weft.runtime.compute import stages
from weft.runtime.compute.checked_values import CHECKED, verify
from weft.runtime.memory import limits
from weft.runtime.memory.allocator import trim_memory_after
from weft.runtime.memory.limits import limit_of_sweeps
from weft.runtime.signal_safe_threads import Background
from weft.settings import get_num_threads
from weft.sources.paths import Path, Target, target_path
from weft.sources.read.byte_ranges import METERS
from weft.sources.read.extents import LOCAL
from weft.sources.stream.forecast import Consumers
from weft.sources.stream.rounds import Rounds
from weft.sources.stream.sweep import TileConsumer
from weft.sources.stream.units import run_bytes
from weft.sources.write.atomic_write import write_errors
from weft.sources.write.chunk_pieces import ChunkPieces
from weft.sources.write.regions import NEW_FILE, ArrayRegion, region_sinks
from weft.sources.write.sink import Field, Sink
from weft.sources.write.sinks import opened_sinks, planned_sink, written_ending
from weft.tensors.place import cells as cells_of
from weft.tensors.tensor import Tensor, node_of, values_of


def save(
    path: Target, x: Any, *, format: str | None = None, memory: int | str | None = None, dtype: Any = None,
    region: Any = None, append: int | None = None, **options: Any,
) -> None:  # fmt: skip
    """Write a tensor, or anything `asarray` takes, to a new file; the ending of the name gives the format.

    `path` may be an object opened for writing bytes, such as `io.BytesIO`; `format` names the format ("npy") if there
    is no ending.  The tensor may also come first, and then the path.  A file appears as a whole or not at all.  A
    tensor that exceeds the memory limit is computed and written in tiles.  The limit is `memory` (bytes, or text such
    as "256MiB"), else that of `weft.set_memory_limit`, else about 256 MiB.  `dtype` converts; '>f4' also sets the byte
    order.  A mapping of names to tensors is written to a format that holds several.  Options are those of the format:
    .npy, .bin and .raw (cells alone) take order="C" or "F" (.npy: by default as x lies in memory) and
    byteorder="little" or "big" (by default that of x).

    With `region`, a slice or number for each axis, x is written into that part of an existing array (.npy, .zarr, .h5;
    `name=` in a file of several).  With `append`, an axis, x is added after the end of the array along that axis.  The
    array keeps its dtype and layout; docs/files.md describes what remains after a failure.

    Raises WriteError if the file cannot be written, FileFormatError for an unknown ending; ShapeError, DTypeError or
    ValueRangeError if x does not fit the region.

    >>> import os, tempfile
    >>> import weft
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "x.npy")
    ...     weft.save(path, weft.arange(6).reshape((2, 3)) * 2, dtype=">i2")
    ...     weft.save(path, weft.zeros(2), region=(slice(0, 2), 0), dtype="i2")
    ...     weft.save(path, weft.ones((1, 3)), append=0, dtype="i2")
    ...     weft.open(path).tolist()
    [[0, 2, 4], [0, 8, 10], [1, 1, 1]]
    """
    if not isinstance(path, (str, os.PathLike)) and (isinstance(x, (str, os.PathLike)) or hasattr(x, "write")):
        path, x = x, path
    part = ArrayRegion(region, append)
    write([(path, x)], memory=memory, dtype=dtype, options=options, format=format, region=part)


def store(
    targets: Mapping[Any, Any] | Iterable[tuple[Target, Any]], *, format: str | None = None,
    memory: int | str | None = None, dtype: Any = None, **options: Any,
) -> None:  # fmt: skip
    """Write several tensors, each to a new file: {path: tensor} or pairs, with the arguments and errors of `save`.

    Tensors of one shape are computed together, a tile of all of them at a time, so what they read in common is read
    once. All files are complete before the first takes its name. Raises DTypeError if `targets` is no mapping and no
    pairs, ValueRangeError if a file is named twice.

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
    """Return the argument of `store` as pairs (path, value); raises DTypeError for anything else."""
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
    options: Mapping[str, Any] | None = None, format: str | None = None, region: ArrayRegion = NEW_FILE,
) -> None:  # fmt: skip
    """Write (path, value) pairs as `store` does; `options` are those of the format, `region` a part of existing arrays.

    Raises ValueRangeError if one file is named twice, and the errors of `save`: WriteError, FileFormatError,
    ShapeError, DTypeError.
    """
    wanted = None if dtype is None else dt.spelled(dtype)
    with ExitStack() as objects:
        ends = [written_ending(target, format) for target, _ in pairs]
        paths = [objects.enter_context(target_path(t, e)) for (t, _), e in zip(pairs, ends, strict=True)]
        groups = [(p, _fields(x, wanted), e) for p, (_, x), e in zip(paths, pairs, ends, strict=True)]
        _write_files(groups, memory, options or {}, region)


def _write_files(
    groups: Sequence[tuple[str, Mapping[str, tuple[Field, Node]], str]],
    memory: int | str | None,
    options: Mapping[str, Any],
    region: ArrayRegion,
) -> None:
    """Write each group (path, fields by name, file ending) to a file, tile by tile below the limit `memory`.

    Raises ValueRangeError for a path given twice, and the errors of `save`.
    """
    names = [os.path.realpath(path) for path, _, _ in groups]  # one file may have several spellings
    if len(set(names)) < len(names):
        twice = next(path for (path, _, _), name in zip(groups, names, strict=True) if names.count(name) > 1)
        raise ValueRangeError(f"store: {twice} is named twice; one file holds one value; give each its own name")
    with limits.limited(memory), ExitStack() as opened:
        if CHECKED:  # before a file is touched
            verify([node for _, fields, _ in groups for _, node in fields.values()])
        jobs: list[Job] = []
        for path, fields, ending in groups:
            if region.is_given:
                targets = opened.enter_context(region_sinks(path, fields, region, options, ending))
            else:
                described = {name: field for name, (field, _) in fields.items()}
                sinks = opened.enter_context(opened_sinks(path, described, options, ending))
                targets = [(field, node, sinks[name]) for name, (field, node) in fields.items()]
            jobs += [Job(path, node, field, sink) for field, node, sink in targets]
        write_jobs(jobs, limit_of_sweeps())


def _fields(x: Any, stored_type: tuple[DType, str] | None) -> dict[str, tuple[Field, Node]]:
    """Return name → (field, node in the field's dtype) for one value, named "", or a dict of values.

    `stored_type` is (dtype, byte order), None to keep them. Raises ValueRangeError for names that are no text, and
    for dicts of dicts.
    """
    if not isinstance(x, Mapping):
        return {"": _field(x, stored_type)}
    if not x or not all(isinstance(name, str) and name for name in x):
        raise ValueRangeError(f"save: {list(x)!r:.80} as names; a file of several values names each; give them names")
    if nested := [name for name, part in x.items() if isinstance(part, Mapping)]:
        raise ValueRangeError(
            f"save: a dict under {nested[0]!r}; a file has one level of names; name its values {nested[0] + '/...'!r}, "
            "or pickle the whole"
        )
    return {name: _field(part, stored_type) for name, part in x.items()}


def _field(x: Any, stored_type: tuple[DType, str] | None) -> tuple[Field, Node]:
    """Return (field, node in the field's dtype) of a value; `stored_type` is (dtype, byte order), None to keep them.

    Raises DTypeError for values that weft cannot read or convert to the dtype.
    """
    n = node_of(as_tensor(x))
    dtype, byteorder = stored_type or (n.desc.dtype, n.desc.byteorder)
    columns = memory_order(n.desc) == tuple(range(n.desc.ndim))[::-1]
    order = "F" if columns else "C"
    return Field(dtype, byteorder == "big" and dtype.itemsize > 1, n.desc.shape, order), astype(n, dtype)


@dataclass(slots=True, eq=False)
class Job:
    """A value to write: path, node, field, and the sink that receives its cells."""

    path: Path
    node: Node
    field: Field
    sink: Sink


@contextmanager
def planned_save(
    path: Target, x: Any, memory: int | str | None, options: Mapping[str, Any]
) -> Iterator[tuple[Node, Consumers]]:
    """Yield (the node that `save` would compute, a function that returns its consumers), without writing.

    Raises the errors of `save` for the options and the value, such as FileFormatError for an unknown ending and
    ValueRangeError for an unknown option, and WriteError if no scratch file can be made.
    """
    given = dict(options)
    ending = written_ending(path, given.pop("format", None))
    wanted = None if (dtype := given.pop("dtype", None)) is None else dt.spelled(dtype)
    (field, node), name = _field(x, wanted), os.fspath(path) if not hasattr(path, "write") else "object"
    with limits.limited(memory):
        sink = planned_sink(name, field, given, ending)

        def values(nodes: Sequence[Node], limit: int) -> list[FileWriter]:
            made = [FileWriter([Job(name, n, field, sink)], limit) for n in nodes]
            return [w for w in made if 0 not in field.shape]

        yield node, values


@trim_memory_after()
def write_jobs(jobs: Sequence[Job], limit: int) -> None:
    """Compute and write the values of jobs tile by tile; jobs of one shape share tiles.

    `limit` is the memory limit in bytes. Raises WriteError if the system refuses.
    """
    for meter in METERS:
        meter.written, meter.to_write = 0, sum(job.field.nbytes for job in jobs)
    by_shape: dict[Shape, list[Job]] = {}
    for job in jobs:
        by_shape.setdefault(job.field.shape, []).append(job)
    with ExitStack() as writing:
        written = [FileWriter(same, limit) for shape, same in by_shape.items() if 0 not in shape]
        consumers = [writing.enter_context(w) for w in written]
        Rounds(limit).compute([job.node for job in jobs], consumers)


class FileWriter(TileConsumer):
    """The consumer that writes jobs of one shape: threads write tiles while the next one is computed.

    Several threads write if the sinks are `concurrent`; tiles beside the first one then hold at most an eighth of the
    limit (`several`).  The sweep must leave `reserved` bytes to these tiles and to the sinks.
    """

    def __init__(self, jobs: Sequence[Job], limit: int) -> None:
        super().__init__([job.node for job in jobs])
        self.jobs = jobs
        self.concurrent = all(job.sink.concurrent for job in jobs)
        self.several = limit // 8 if self.concurrent else 0
        self.reserved = self.several + min(sum([job.sink.own_bytes for job in jobs]), limit // 4)
        chunks = [job.sink.tile for job in jobs if job.sink.tile is not None]
        along = zip(jobs[0].field.shape, *chunks, strict=True)
        self.unit = tuple([min(lcm(*[max(c, 1) for c in of]), max(n, 1)) for n, *of in along])
        self.pieces = [ChunkPieces(job.field, job.sink) for job in jobs]
        self.writing: deque[tuple[Background[int], int]] = deque()  # threads, and the bytes of their tiles

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        try:
            if error[0] is None:
                while self.writing:
                    self._finish()
        finally:
            for thread, _ in self.writing:
                thread.settle()
            for pieces in self.pieces:
                pieces.close()

    def _finish(self) -> None:
        """Wait until the oldest tile is written; raises WriteError if that failed."""
        self.report_written(self.writing[0][0].result())
        self.writing.popleft()

    def report_written(self, nbytes: int) -> None:
        """Add to the bytes written of every meter."""
        for meter in METERS:
            meter.written += nbytes

    def _has_room(self, nbytes: int) -> bool:
        """True if a tile of `nbytes` may be written beside the tiles in progress."""
        beside = nbytes + sum([n for _, n in list(self.writing)[1:]])  # the first one is counted in `needed`
        several = self.concurrent and len(self.writing) < get_num_threads() and beside <= self.several
        return several or not self.writing

    def may_pair(self, axes: tuple[int, int]) -> bool:
        """True if chunks are written, in whatever order; False for plain cells, which go from first to last.

        `axes` are not looked at.
        """
        return all(job.sink.tile is not None for job in self.jobs)

    def scratch(self, tiles: Sequence[Box]) -> int:
        """Return the bytes of pieces of incomplete chunks that the tiles leave in the scratch file."""
        return sum([p.scratch(box) for p in self.pieces for box in tiles])

    def needed(self, size: Shape) -> int:
        """Return the bytes of a tile of `size`, which is written while the next one is computed."""
        return prod(size) * sum([job.field.dtype.itemsize for job in self.jobs])

    def run_share(self, size: Shape) -> float:
        """Return the useful share of time in writing a contiguous run of a tile: at most 1, and 1 for chunks."""
        plain = [(job.sink.order, job.field) for job in self.jobs if job.sink.tile is None]
        runs = [run_bytes(size, field.shape, order, field.dtype.itemsize) for order, field in plain]
        return min([1.0, *map(LOCAL.run_share, runs)])

    def add(self, inputs: Sequence[Node], box: Box) -> None:
        """Compute a tile from `inputs`, and pass it to a writing thread, after waiting for room.

        Raises WriteError if an earlier tile could not be written.
        """
        made = [n for n in inputs if not is_stored(n)]
        stages.compute(made)
        own = {id(n) for n in made if n.place is None}  # only this consumer refers to these
        values = [cells_of(n) if id(n) in own else values_of(n) for n in inputs]
        nbytes = sum(map(_held, values))
        while not self._has_room(nbytes):
            self._finish()
        thread = Background(partial(self._write, box.start, values))
        self.writing.append((thread, nbytes))
        thread.start()

    def _write(self, start: Shape, values: Sequence[Any]) -> int:
        """Write a tile of every job to its sink, and return the bytes written.

        Raises WriteError if the system refuses.
        """
        for job, pieces, cells in zip(self.jobs, self.pieces, values, strict=True):
            with write_errors(job.path):
                pieces.write(start, cells)
        return sum(job.field.dtype.itemsize * int(v.size) for job, v in zip(self.jobs, values, strict=True))


def _held(cells: Any) -> int:
    """Return the bytes of the memory that an array keeps alive: those of the array it is a view of."""
    while isinstance(cells.base, np.ndarray):
        cells = cells.base
    return int(cells.nbytes)
