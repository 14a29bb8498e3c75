"""The engine: which transformer computes, and the few services every layer above asks of it.

The one idea: everything that needs a value stored comes through `compute`; the transformer in force (by default the
CPU's) turns the pending graph into a program and runs it.  Transformers register themselves here, so the layers above
name no backend.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weft import dtypes as dt
from weft.errors import LinAlgError, ValueRangeError
from weft.ir.graph.node import WAITING, Node, line_of, walk
from weft.ir.graph.ops import OPS
from weft.ir.graph.outline import is_tree, keep_outline
from weft.ir.pieces.normal_form import Piece
from weft.runtime.fork_safety import held_over_forks, importing
from weft.runtime.memory import allocator
from weft.runtime.memory.access import byte_range, steadily
from weft.runtime.scoped_setting import Setting
from weft.runtime.weak_collections import LooseSet, LooseTable


class Transformer(Protocol):
    """A named backend configuration that turns graphs into values."""

    name: str

    def compute(self, nodes: Sequence[Node]) -> list[np.ndarray]:
        """The values of pending nodes, as arrays in the layout of their descriptions."""

    def store(self, value: Node, target: Node) -> None:
        """Write a node's value into the memory of an alias of something stored, without interruption."""

    def scatter(self, value: Node, parts: Sequence[Piece], to: Sequence[int], targets: Sequence[Node]) -> None:
        """Write a value's cells where pieces of stored roots read theirs, without interruption."""


TRANSFORMERS = {  # module and what makes it, imported at first use: LLVM is not loaded before something is computed
    "cpu": ("weft.backends.cpu", "for_this_machine"),
    "reference": ("weft.backends.reference.transformer", "ReferenceTransformer"),
}
_MADE: dict[str, Transformer] = {}
GRAPH = held_over_forks(threading.RLock())  # held while a graph's key is taken or a plan made, and while nodes change
_LEAF = OPS["leaf"]
WATCHED = 1 << 16  # bytes from which a stored value is announced


CURRENT: Setting[Transformer | None] = Setting("transformer", None, lambda t: t is not None)
using = CURRENT.block  # computes with another transformer inside the block


def transformer(name: str) -> Transformer:
    """The transformer of that name: "cpu" or "reference" (made at first use)."""
    if name not in TRANSFORMERS:
        known = ", ".join(sorted(TRANSFORMERS))
        raise ValueRangeError(f"transformer: {name!r} is unknown; known are {known}; name one of these")
    if name not in _MADE:
        module, kind = TRANSFORMERS[name]
        with importing():  # LLVM too
            _MADE.setdefault(name, getattr(import_module(module), kind)())
    return _MADE[name]


def current() -> Transformer:
    """The transformer in force in this thread."""
    return (CURRENT.get() if CURRENT.active else None) or transformer("cpu")


def compute(nodes: Sequence[Node]) -> None:
    """Store the values of nodes (those that are not stored yet), sharing work between them."""
    if CHECKED:
        CHECK(nodes)
    try:
        if len(nodes) == 1:
            n = nodes[0]
            if n.value is None:
                publish(n, (current() if FRONT is None else FRONT).compute(nodes)[0])
            return
        pending = list({id(n): n for n in nodes if n.value is None}.values())
        if pending:
            for n, value in zip(pending, (current() if FRONT is None else FRONT).compute(pending), strict=True):
                publish(n, value)
    except LinAlgError as error:
        _blame(error, nodes)
        raise


UNSURE: LooseSet[Node] = LooseSet()  # pending routines that may refuse operands


def unsure(n: Node) -> Node:
    """Note that a pending expression may turn out to have no value; gives it."""
    UNSURE.add(n)
    return n


def make_sure(n: Node) -> None:
    """Compute what may turn out to have no value, before it takes the place of something that has one."""
    for known in UNSURE:
        if known.value is not None and _is_there(known.value):
            UNSURE.discard(known)
    if n.depth < WAITING and any(i in UNSURE for i in walk([n])):
        compute([n])
        if (uses := getattr(n.value, "uses", None)) is not None:
            uses.sync()


def _is_there(value: Any) -> bool:
    """Whether a value that was computed, on a device perhaps, is not under way any more."""
    write = getattr(value, "uses", None) and value.uses.write
    return write is None or (write.done and write.error is None)


def _blame(error: LinAlgError, nodes: Sequence[Node]) -> None:
    """Note the user's line of the routine that refused; where several may have, they are asked one by one."""
    if getattr(error, "__notes__", None):
        return
    suspects = [n for n in walk(nodes) if n.op.name == error.op and n.value is None]
    for n in suspects[:-1]:
        compute([n])
    if suspects and (line := line_of(suspects[-1])):
        error.add_note(f"{error.op} was asked for at {line}")


def publish(n: Node, value: np.ndarray) -> None:
    """Attach a computed value; the expression behind it is let go."""
    with GRAPH:
        if n.value is None:
            if n.alias is None and is_tree(n):
                keep_outline(n)
            n.value = value
            if n.alias is None:
                n.op, n.inputs, n.attrs, n.depth = _LEAF, (), (), 0
    if value.nbytes >= WATCHED:
        WATCH(n)


CHECKED: LooseTable[Node, int] = LooseTable()  # numbers of nodes that have not been found right (`runtime.checks`)


def _unchecked(nodes: Sequence[Node]) -> None:
    """Replaced with the first checked node."""


CHECK: Callable[[Sequence[Node]], None] = _unchecked  # runs the checks below some nodes


def _nothing(n: Node) -> None:
    """Replaced by the tensor layer's watch over memory that only pending graphs keep."""


WATCH: Callable[[Node], None] = _nothing


def set_watch(watch: Callable[[Node], None]) -> None:
    """Have every newly stored node announced, and every stored one that its place leaves behind."""
    global WATCH
    WATCH = watch


@dataclass(frozen=True, slots=True)
class SourceRead:
    """What computing some nodes fetches from one source that lies elsewhere: how many bytes, in how many reads."""

    name: str
    bytes: int
    reads: int
    extents: NDArray[np.int64] = field(repr=False, compare=False)  # rows (first byte, end), one for each read
    files: tuple[str, ...] = field(default=(), repr=False)  # of a store of many files: the one of each extent

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The byte ranges [first, end) that are fetched, in the order of the file."""
        return tuple((first, end) for first, end in self.extents.tolist())


class Loader(Protocol):
    """What stands before the transformer while expressions may read files."""

    def compute(self, nodes: Sequence[Node]) -> list[np.ndarray]:
        """The values of pending nodes, after loading what they read."""

    def prepared(self, nodes: Sequence[Node], load: bool) -> Sequence[Node]:
        """The nodes with memory in the place of files; with the values in it if `load`."""

    def reads(self, nodes: Sequence[Node]) -> list[SourceRead]:
        """What computing the nodes would fetch, from every file below them; nothing is fetched."""


LOADER: Loader | None = None  # set by the layer of files when one is opened
PLACEMENT: Any = None  # set once a device beside the host is in use (`runtime.placement`)
FRONT: Any = None  # of the two, what pending nodes come to first; None: the transformer


def set_loader(loader: Loader) -> None:
    """Have pending nodes go through a loader on their way to the transformer."""
    global LOADER, FRONT
    LOADER, FRONT = loader, PLACEMENT or loader


def set_placement(placement: Any) -> None:
    """Have pending nodes that lie on several devices shared out before anything else."""
    global PLACEMENT, FRONT
    PLACEMENT = FRONT = placement


def prepared(nodes: Sequence[Node], load: bool) -> Sequence[Node]:
    """The nodes with memory in the place of what lies elsewhere."""
    return nodes if LOADER is None else LOADER.prepared(nodes, load)


def reads(nodes: Sequence[Node]) -> list[SourceRead]:
    """What computing the nodes would fetch from what lies elsewhere; nothing is fetched."""
    return [] if LOADER is None else LOADER.reads(nodes)


def store(value: Node, target: Node) -> None:
    """Write a node's value into existing memory, to the end; the value does not read that memory."""
    if CHECKED:
        CHECK([value])
    if PLACEMENT is not None:
        PLACEMENT.store(value, target)
        return
    current().store(prepared([value], True)[0], target)


def scatter(value: Node, parts: Sequence[Piece], to: Sequence[int], targets: Sequence[Node]) -> None:
    """Write a value's cells where pieces read theirs, to the end: piece i lies in target to[i], a stored root.

    Pieces share no cell, and the value does not read the targets' memory.
    """
    if CHECKED:
        CHECK([value])
    if PLACEMENT is not None:
        PLACEMENT.scatter(value, parts, to, targets)
        return
    current().scatter(prepared([value], True)[0], parts, to, targets)


def copy_of(n: Node) -> np.ndarray:
    """A stored node's value in fresh memory laid out as before, so that views of it stay where they are."""
    if n.traits is not None and n.traits.device is not None:
        copy: np.ndarray = PLACEMENT.copy_of(n)
        return copy
    d, np_dtype = n.desc, dt.to_numpy(n.desc.dtype, n.desc.byteorder)
    low, high = byte_range(n.value)
    start = n.value.__array_interface__["data"][0] - low if d.size else 0
    array = allocator.laid_out(np_dtype, d.shape, n.value.strides, start, high - low)
    steadily(n, lambda: np.copyto(array, n.value.view(np_dtype)))
    return array
