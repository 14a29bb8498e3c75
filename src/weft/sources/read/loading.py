"""Files as tensors: a node that stands for bytes elsewhere, and the loading of just those bytes a program reads.

The one idea: a program's plan says which strided boxes of each argument its kernels touch.  Before it runs, a file's
node is replaced by memory in which every cell has a place, and only the boxes touched are read into it.  The memory
is given back when the program has run; `realize()` keeps the values.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.errors import OutOfMemory, WeftError
from weft.ir.graph.description import describe
from weft.ir.graph.node import Node, keep_live, line_of, locate, make, result, stored, walk
from weft.ir.graph.ops import OPS
from weft.ir.kernels.plan import Plan
from weft.passes.pipeline import plan
from weft.runtime.compute import engine
from weft.runtime.compute.engine import SourceRead
from weft.runtime.compute.signature import signature
from weft.runtime.fork_safety import held_over_forks
from weft.runtime.memory.limits import available_memory
from weft.sources.read import streaming
from weft.sources.read.address_space import addresses
from weft.sources.read.byte_ranges import METERS
from weft.sources.read.fetching import Fetch, fetch_of
from weft.sources.read.read_footprint import Touch, joined, touched
from weft.sources.read.tiles import cost_of
from weft.sources.source import Addressed, AnySource
from weft.tensors.tensor import Tensor, wrap

LARGE_READ = 256 << 20  # bytes from which a read is held against the memory that is free
MAX_KEPT = 512  # read lists kept by the key of their graph
WHOLE = ("reduce", "scan", "call")  # computed as a whole by whoever needs a part: worth keeping for their handle

_TOUCHED: dict[Any, tuple[Plan, list[tuple[Touch, ...] | None]]] = {}
_LOCK = held_over_forks(threading.RLock())

__all__ = ["Addressed", "FileLoader", "available_memory", "open_source"]


def open_source(source: AnySource) -> Tensor:
    """A tensor of a source's values; nothing is read until a value is looked at, and the source is never written."""
    engine.set_loader(_LOADER)
    # To ask the protocol Addressed would take a quarter of the time that opening does.
    strides = cast(Addressed, source).strides if hasattr(source, "load") else _dense(source)
    file = make(OPS["file"], (), (source,), describe(source.dtype, source.shape, strides, source.big, None, True))
    # A value of its own over the file's layout: it is computed, kept and viewed row-major and native like any other.
    return wrap(locate(make(OPS["positive"], (locate(file),), (), result(source.dtype, source.shape))))


def _dense(source: AnySource) -> tuple[int, ...]:
    """The steps of a virtual layout for cells that have no address: dense, in the order of the source."""
    shape = source.shape if getattr(source, "order", "C") == "C" else source.shape[::-1]
    steps = [source.dtype.itemsize * prod(max(n, 1) for n in shape[axis + 1 :]) for axis in range(len(shape))]
    return tuple(steps if shape is source.shape else steps[::-1])


class FileLoader:
    """Goes before the transformer in force: files become memory, and what was computed on the way is passed back."""

    def compute(self, nodes: Sequence[Node]) -> list[NDArray[Any]]:
        """The values of pending nodes."""
        if streaming.needed(nodes):
            streaming.stream(nodes)
        rest = [n for n in nodes if n.value is None]
        found = iter(self._computed(rest) if rest else ())
        return [next(found) if n.value is None else n.value for n in nodes]

    def _computed(self, nodes: Sequence[Node]) -> list[NDArray[Any]]:
        replaced = _replaced(nodes, True)
        values = engine.current().compute([replaced[id(n)][1] if id(n) in replaced else n for n in nodes])
        for n, fresh in replaced.values():
            if fresh.place is not None and fresh.value is not None and n.value is None:
                engine.publish(n, fresh.value)
        return values

    def prepared(self, nodes: Sequence[Node], load: bool) -> Sequence[Node]:
        """The nodes over memory."""
        if load and streaming.needed(nodes):
            streaming.stream(nodes)
        replaced = _replaced(nodes, load)
        return [replaced[id(n)][1] if id(n) in replaced else n for n in nodes]

    def reads(self, nodes: Sequence[Node]) -> list[SourceRead]:
        """What computing the nodes would fetch, from every file below them; nothing is fetched."""
        return [fetch.account() for _, fetch in _planned(nodes, True)[1]]


def _replaced(nodes: Sequence[Node], load: bool) -> dict[int, tuple[Node, Node]]:
    """For every file below the nodes and everything above one, (the node, its stand-in over memory)."""
    replaced, fetches = _planned(nodes, load)
    if load:
        _announce(sum(fetch.nbytes for _, fetch in fetches), nodes)
        for f, fetch in fetches:
            replaced[id(f)][1].value = _load(f, fetch)
    return replaced


def _planned(nodes: Sequence[Node], fetch: bool) -> tuple[dict[int, tuple[Node, Node]], list[tuple[Node, Fetch]]]:
    """The stand-ins, over addresses alone, and what is to be fetched of each file."""
    below = list(walk(nodes))
    files = [n for n in below if n.op.name == "file" and n.value is None]
    if not files:
        return {}, []
    replaced = {id(f): (f, stored(f.desc, _cells(f, _addresses(f)))) for f in files}
    for n in below:
        if id(n) not in replaced and n.value is None and any(id(i) in replaced for i in n.inputs):
            replaced[id(n)] = (n, _over(n, replaced))
    if not fetch:
        return replaced, []
    roots = [replaced[id(n)][1] if id(n) in replaced else n for n in nodes]
    touches = _touches(roots, [replaced[id(f)][1] for f in files])
    read = [(f, t) for f, t in zip(files, touches, strict=True) if t is None or t]  # others are not even opened
    return replaced, [(f, fetch_of(f.attrs[0], t, f.desc.nbytes)) for f, t in read]


def _over(n: Node, replaced: dict[int, tuple[Node, Node]]) -> Node:
    """The same node over replaced inputs."""

    def now(i: Node) -> Node:
        return replaced[id(i)][1] if id(i) in replaced else i

    fresh = make(n.op, tuple(map(now, n.inputs)), n.attrs, n.desc)
    if n.alias is not None:
        fresh.alias = (now(n.alias[0]), n.alias[1])
    if n.op.kind in WHOLE:
        keep_live(fresh, n)
    fresh.code, fresh.lasti = n.code, n.lasti
    return fresh


def _announce(nbytes: int, nodes: Sequence[Node]) -> None:
    """Say what will be read; refuse what memory cannot hold, before the system ends the process for it."""
    for meter in METERS:
        meter.wanted += nbytes
    free = available_memory() if nbytes > LARGE_READ else None
    if free is None or nbytes < free // 4:
        return
    cost = cost_of(nodes)
    need = max(nbytes, cost.memory) + cost.results
    if need > free:
        whole = next((n.op.name for n in walk(nodes) if n.value is None and n.op.kind in ("call", "scan")), "file")
        raise OutOfMemory(
            f"{whole}: {nbytes} bytes to read, {free} bytes of memory are free; {need} are needed with temporaries and "
            "results; compute a slice at a time, or write the result with weft.save"
        )


def _load(f: Node, fetch: Fetch) -> NDArray[Any]:
    """A file's cells, of which what is to be fetched was read."""
    try:
        memory = fetch.memory(f.desc.nbytes)
        cells = _cells(f, memory)
        fetch.into(memory, cells)
    except WeftError as e:
        line = line_of(f)
        if line and not getattr(e, "__notes__", None):
            e.add_note(f"opened at {line}")
        raise
    return cells


def _addresses(f: Node) -> NDArray[np.uint8]:
    return addresses(f.desc.nbytes, f.attrs[0].name)


def _cells(f: Node, memory: NDArray[np.uint8]) -> NDArray[Any]:
    return np.ndarray(f.desc.shape, dt.to_numpy(f.desc.dtype, f.desc.byteorder), memory, 0, f.desc.strides)


_LOADER = FileLoader()


def _touches(roots: Sequence[Node], files: Sequence[Node]) -> list[tuple[Touch, ...] | None]:
    """For each file's stand-in, what computing the roots touches; None: everything."""
    key, graph = signature(roots)
    with _LOCK:
        known = _TOUCHED.get(key)
    if known is None:
        made, _ = plan(graph)
        known = made, [touched(made, arg) for arg in range(len(graph.leaves))]
        with _LOCK:
            if len(_TOUCHED) >= MAX_KEPT:
                _TOUCHED.clear()
            _TOUCHED[key] = known
    found: dict[int, list[tuple[Touch, ...] | None]] = {id(f): [] for f in files}

    def at_hand(arg: int) -> Node | None:
        leaf = graph.leaves[arg] if arg < len(graph.leaves) else None
        return None if leaf is None or id(leaf) in found else leaf

    for arg, (leaf, touches) in enumerate(zip(graph.leaves, known[1], strict=True)):
        root, offset = leaf.alias if leaf.alias is not None else (leaf, 0)
        if id(root) in found:
            touches = touched(known[0], arg, at_hand) if touches is None else touches  # tables are arguments
            found[id(root)].append(None if touches is None else tuple([t.moved(offset) for t in touches]))
    return [_together(found[id(f)]) for f in files]


def _together(parts: list[tuple[Touch, ...] | None]) -> tuple[Touch, ...] | None:
    if len(parts) == 1:
        return parts[0]
    return None if None in parts else joined([t for p in parts if p is not None for t in p])
