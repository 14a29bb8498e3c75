"""Files as tensors: a node that stands for bytes elsewhere, and the loading of just those bytes a program reads.

The one idea: a program's plan says which strided boxes of each argument its kernels touch.  Before it runs, a file's
node is replaced by memory in which every byte has the place it has in the file, and only the boxes touched are read
into it.  The memory is given back when the program has run; `realize()` keeps the values.
"""

from __future__ import annotations

import mmap
import os
import threading
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.dtypes import DType
from weft.errors import OutOfMemory, WeftError
from weft.ir.description import describe
from weft.ir.kernel import BlockLaunch, CallStep, Launch, Operand, Plan, Row
from weft.ir.node import Node, line_of, locate, make, result, stored, walk
from weft.ir.ops import OPS
from weft.passes.pipeline import plan
from weft.runtime import allocator, engine
from weft.runtime.signature import signature
from weft.sources.ranges import GAP, METERS
from weft.tensor import Tensor, wrap

LARGE_READ = 256 << 20  # bytes from which a read is held against the memory that is free
MAX_KEPT = 512  # read lists kept by the key of their graph
WHOLE = ("reduce", "scan", "call")  # computed as a whole by whoever needs a part: worth keeping for their handle
Extents = NDArray[np.int64]  # rows (first byte, end), sorted, apart


class Addressed(Protocol):
    """A source whose cells lie at fixed byte steps in one run of bytes."""

    name: str
    dtype: DType
    big: bool
    shape: tuple[int, ...]

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from a cell to the next, along every axis."""

    def load(self, extents: Extents, memory: NDArray[np.uint8]) -> None:
        """Read the bytes [first, end) of the cells into the same places of `memory`."""


_READS: dict[Any, list[Extents | None]] = {}
_LOCK = threading.Lock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release)


def open_source(source: Addressed) -> Tensor:
    """A tensor of a source's values; nothing is read until a value is looked at, and the source is never written."""
    engine.set_loader(_LOADER)
    file = make(
        OPS["file"], (), (source,), describe(source.dtype, source.shape, source.strides, source.big, None, True)
    )
    # A value of its own over the file's layout: it is computed, kept and viewed row-major and native like any other.
    return wrap(locate(make(OPS["positive"], (locate(file),), (), result(source.dtype, source.shape))))


class Live:
    """Stands in for the place of a node with a handle, so that what is stored on the way is kept for the handle."""

    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        self.node: Node | None = node

    def __call__(self) -> Live:
        return self


class FileLoader:
    """Goes before the transformer in force: files become memory, and what was computed on the way is passed back."""

    def compute(self, nodes: Sequence[Node]) -> list[NDArray[Any]]:
        """The values of pending nodes."""
        replaced = _replaced(nodes, True)
        values = engine.current().compute([replaced[id(n)][1] if id(n) in replaced else n for n in nodes])
        for n, fresh in replaced.values():
            if isinstance(fresh.place, Live):
                if fresh.value is not None and n.value is None:
                    engine.publish(n, fresh.value)
                fresh.place.node = None
        return values

    def prepared(self, nodes: Sequence[Node], load: bool) -> Sequence[Node]:
        """The nodes over memory."""
        replaced = _replaced(nodes, load)
        return [replaced[id(n)][1] if id(n) in replaced else n for n in nodes]


def _replaced(nodes: Sequence[Node], load: bool) -> dict[int, tuple[Node, Node]]:
    """For every file below the nodes and everything above one, (the node, its stand-in over memory)."""
    below = list(walk(nodes))
    files = [n for n in below if n.op.name == "file" and n.value is None]
    if not files:
        return {}
    replaced = {id(f): (f, stored(f.desc, _cells(f, _addresses(f)))) for f in files}
    for n in below:
        if id(n) not in replaced and n.value is None and any(id(i) in replaced for i in n.inputs):
            replaced[id(n)] = (n, _over(n, replaced))
    if load:
        roots = [replaced[id(n)][1] if id(n) in replaced else n for n in nodes]
        reads = _reads(roots, [replaced[id(f)][1] for f in files])
        _announce(sum(int((e[:, 1] - e[:, 0]).sum()) for e in reads))
        for f, extents in zip(files, reads, strict=True):
            replaced[id(f)][1].value = _load(f, extents)
    return replaced


def _over(n: Node, replaced: dict[int, tuple[Node, Node]]) -> Node:
    """The same node over replaced inputs."""

    def now(i: Node) -> Node:
        return replaced[id(i)][1] if id(i) in replaced else i

    fresh = make(n.op, tuple(map(now, n.inputs)), n.attrs, n.desc)
    if n.alias is not None:
        fresh.alias = (now(n.alias[0]), n.alias[1])
    place = n.place() if n.place is not None and n.op.kind in WHOLE else None
    if place is not None and place.node is n:
        fresh.place = Live(fresh)
    fresh.code, fresh.lasti = n.code, n.lasti
    return fresh


def _announce(nbytes: int) -> None:
    """Say what will be read; refuse what memory cannot hold, before the system ends the process for it."""
    for meter in METERS:
        meter.wanted += nbytes
    free = available_memory() if nbytes > LARGE_READ else None
    if free is not None and nbytes > free:
        raise OutOfMemory(
            f"file: {nbytes} bytes to read, {free} bytes of memory are free; the values must fit; "
            "compute a slice at a time"
        )


def available_memory() -> int | None:
    """Bytes that can be had without swapping, where the system says so."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")), None)
    except OSError:
        return None


def _load(f: Node, extents: Extents) -> NDArray[Any]:
    """A file's cells, of which the extents were read."""
    memory, source = _memory(f, extents), f.attrs[0]
    try:
        source.load(extents, memory)
    except WeftError as e:
        line = line_of(f)
        if line and not getattr(e, "__notes__", None):
            e.add_note(f"opened at {line}")
        raise
    return _cells(f, memory)


def _memory(f: Node, extents: Extents) -> NDArray[np.uint8]:
    """Warm memory where most of a file is read, else addresses alone."""
    nbytes = f.desc.nbytes
    dense = 2 * int((extents[:, 1] - extents[:, 0]).sum()) > nbytes
    return allocator.empty(np.dtype(np.uint8), (nbytes,)) if dense else _addresses(f)


def _addresses(f: Node) -> NDArray[np.uint8]:
    """Addresses for all of a file's cells; pages that nothing is read into take no memory."""
    nbytes = f.desc.nbytes
    if nbytes < allocator.LARGE:
        return np.empty(nbytes, np.uint8)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0x4000)
    try:
        return np.frombuffer(mmap.mmap(-1, nbytes, flags=flags), np.uint8)
    except (OSError, ValueError) as e:
        raise OutOfMemory(
            f"file: {f.attrs[0].name}: no addresses for {nbytes} bytes; the system limits them; open a smaller file"
        ) from e


def _cells(f: Node, memory: NDArray[np.uint8]) -> NDArray[Any]:
    return np.ndarray(f.desc.shape, dt.to_numpy(f.desc.dtype, f.desc.byteorder), memory, 0, f.desc.strides)


_LOADER = FileLoader()


# ---- what a plan reads


def _reads(roots: Sequence[Node], files: Sequence[Node]) -> list[Extents]:
    """For each file's stand-in, the bytes that computing the roots reads."""
    key, graph = signature(roots)
    with _LOCK:
        known = _READS.get(key)
    if known is None:
        made, _ = plan(graph)
        known = [extents_of(made, arg) for arg in range(len(graph.leaves))]
        with _LOCK:
            if len(_READS) >= MAX_KEPT:
                _READS.clear()
            _READS[key] = known
    out = []
    for f in files:
        parts = []
        for leaf, extents in zip(graph.leaves, known, strict=True):
            root, offset = leaf.alias if leaf.alias is not None else (leaf, 0)
            if root is f:
                parts.append(np.array([[0, f.desc.nbytes]]) if extents is None else extents + offset)
        out.append(np.clip(merged(parts), 0, f.desc.nbytes))
    return out


def extents_of(made: Plan, arg: int) -> Extents | None:
    """The bytes of an argument, counted from its cell 0, that a plan reads; None where values decide."""
    parts = []
    for step in made.steps:
        if isinstance(step, CallStep):
            for o, shape in zip(step.args, step.shapes, strict=True):
                if o.arg == arg:
                    parts.append(extents_of_box(o.offset, o.strides, shape, o.dtype.itemsize))
            continue
        for row, moves in _rows(step, arg):
            if any(row.operands[i].arg == arg for i in _gathered(row)):
                return None
            parts.extend(_box(o, row, moves) for o in row.operands if o.arg == arg)
    return merged(parts)


def _rows(step: Launch | BlockLaunch, arg: int) -> Iterator[tuple[Row, tuple[int, int]]]:
    """The rows of a step, each with (bytes, count) by which the argument moves from one run of it to the next."""
    if not isinstance(step, BlockLaunch):
        for row in step.rows:
            yield row, (0, 1)
        return
    for launch in step.steps:
        for row in launch.rows:
            yield row, (step.shifts[arg], step.blocks)
    for launch in step.tail:
        for row in launch.rows:
            yield row, (step.shifts[arg] * step.blocks, 2)  # left where it stands, or moved past the blocks


def _gathered(row: Row) -> list[int]:
    """The operands whose addresses depend on values."""
    return [i.attr for i in row.body if i.op == "gather" and isinstance(i.attr, int)]


def _box(o: Operand, row: Row, moves: tuple[int, int]) -> Extents:
    return extents_of_box(o.offset, (moves[0], *o.strides), (moves[1], *row.sizes), o.dtype.itemsize)


def extents_of_box(offset: int, strides: Sequence[int], sizes: Sequence[int], itemsize: int) -> Extents:
    """The bytes of a strided box; cells nearer than a call is worth are taken together.

    >>> extents_of_box(0, (1 << 20, 4), (2, 100), 4).tolist()
    [[0, 400], [1048576, 1048976]]
    """
    if prod(sizes) == 0:
        return np.empty((0, 2), np.int64)
    axes = []
    for stride, n in zip(strides, sizes, strict=True):
        if n > 1 and stride:
            offset += min(stride, 0) * (n - 1)
            axes.append((abs(stride), n))
    span = itemsize
    starts = np.array([offset], np.int64)
    for stride, n in sorted(axes):
        if len(starts) == 1 and stride - span <= GAP:
            span += stride * (n - 1)
        else:
            starts = (starts + stride * np.arange(n)[:, None]).reshape(-1)
    return np.stack([starts, starts + span], 1)


def merged(parts: Sequence[Extents]) -> Extents:
    """All extents in order, those that meet or nearly meet joined."""
    if len(parts) < 2:
        return parts[0] if parts else np.empty((0, 2), np.int64)
    every = np.concatenate(parts)
    every = every[np.argsort(every[:, 0], kind="stable")]
    ends = np.maximum.accumulate(every[:, 1])
    first = np.ones(len(every), bool)
    first[1:] = every[1:, 0] > ends[:-1] + GAP
    begin = np.flatnonzero(first)
    last = np.append(begin[1:], len(every)) - 1 if len(every) else begin
    return np.stack([every[begin, 0], ends[last]], 1)
