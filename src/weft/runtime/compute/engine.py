"""The engine: the transformers by name, the current one, and attaching a computed value to its node.

The one idea: transformers are found by name and imported at first use, so the layers above name no backend.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from weft import callbacks
from weft.errors import MissingImplementation, ValueRangeError
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.ir.graph.outline import OUTLINED, is_tree, keep_outline
from weft.ir.kernels.plan import Plan
from weft.passes.switches import noting
from weft.runtime.compute.program import CachedValue, NativeCode
from weft.runtime.compute.signature import Work
from weft.runtime.fork_safety import held_over_forks, importing
from weft.runtime.scoped_setting import Setting
from weft.runtime.signal_safe_threads import ReentrantLock

V = TypeVar("V")


class Programs(Protocol):
    """The compiled programs of a transformer by key, and other objects that hold programs.

    None marks a key whose value must be computed before it can be written.
    """

    kept: dict[Any, CachedValue[Any]]

    def keep(self, key: Any, value: V) -> V:
        """Store a program under a key, and return it."""


class NoPrograms:
    """The table of a transformer that runs no programs: it stores nothing."""

    kept: ClassVar[dict[Any, CachedValue[Any]]] = {}

    def keep(self, key: Any, value: V) -> V:
        """Return the program without storing it."""
        return value


class Transformer:
    """A named way from graphs to values: native code built from plans, or an interpreter of graphs."""

    name = ""
    interprets = False  # True: `evaluate` computes values, and plans only tell what is read from files

    programs: Programs

    def build(self, plan: Plan, interruptible: bool) -> NativeCode:
        """Return the native code of a plan; with `interruptible`, a signal may end its run.

        Raises MissingImplementation here, in a transformer that runs no programs.
        """
        raise self._without("build(plan, interruptible), which makes native code of a plan")

    def evaluate(self, work: Work) -> list[np.ndarray] | None:
        """Return the values of the work's nodes; write the first to the work's targets, if it has any.

        None if another thread changed an operand meanwhile. Raises MissingImplementation here, in a transformer of
        programs.
        """
        raise self._without("evaluate(work), which computes values, as `interprets` is True")

    def _without(self, method: str) -> MissingImplementation:
        return MissingImplementation(f"transformer: {self.name!r} has no {method}; define it in {type(self).__name__}")


TRANSFORMERS = {  # (module, maker), imported at first use: LLVM is not loaded before something is computed
    "cpu": ("weft.backends.cpu", "for_this_machine"),
    "reference": ("weft.backends.reference.transformer", "ReferenceTransformer"),
}
_MADE: dict[str, Transformer] = {}
GRAPH = held_over_forks(ReentrantLock())  # held while a key or plan is made of a graph, and while nodes change
_LEAF = OPS["leaf"]
WATCHED = 1 << 16  # bytes from which a stored value is passed to callbacks.WATCH


CURRENT: Setting[Transformer | None] = Setting("transformer", None, lambda t: t is not None, noting("transformer"))
using = CURRENT.block  # computes with another transformer inside the block


def transformer(name: str) -> Transformer:
    """Return the transformer of this name, "cpu" or "reference", created at first use.

    Raises ValueRangeError for other names.
    """
    if name not in TRANSFORMERS:
        known = ", ".join(sorted(TRANSFORMERS))
        raise ValueRangeError(f"transformer: {name!r} is unknown; known are {known}; name one of these")
    if name not in _MADE:
        module, kind = TRANSFORMERS[name]
        with importing():  # LLVM too
            _MADE.setdefault(name, getattr(import_module(module), kind)())
    return _MADE[name]


def current() -> Transformer:
    """Return the current transformer of this thread or task: that of an open block, else "cpu"."""
    return (CURRENT.get() if CURRENT.active else None) or _MADE.get("cpu") or transformer("cpu")


def publish(n: Node, value: np.ndarray) -> None:
    """Attach a computed value to its node and turn the node into a leaf without inputs. A view keeps its alias."""
    with GRAPH:
        if n.value is None:
            if n.op in OUTLINED and n.alias is None and is_tree(n):
                keep_outline(n)
            n.value = value
            if n.alias is None:
                n.op, n.inputs, n.attrs, n.depth = _LEAF, (), (), 0
    if value.nbytes >= WATCHED:
        callbacks.WATCH(n)


def redefine(n: Node, replacement: Node) -> None:
    """Replace a pending node's op, inputs and attributes by those of `replacement`.

    `replacement` is an equivalent node without other readers.
    """
    with GRAPH:
        n.op, n.inputs, n.attrs, n.depth = replacement.op, replacement.inputs, replacement.attrs, replacement.depth


@dataclass(frozen=True, slots=True)
class SourceRead:
    """The bytes and the number of reads that a computation fetches from one source."""

    name: str
    bytes: int
    reads: int
    extents: NDArray[np.int64] = field(repr=False, compare=False)  # rows (first byte, end), one for each read
    files: tuple[str, ...] = field(default=(), repr=False)  # for a store of many files: the file of each extent
    kept: int = 0  # number of chunks already decoded in the cache, which are not read
    links: tuple[tuple[str, int], ...] = ()  # for values held by other processes: (address, bytes fetched from it)

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """Return the byte ranges [first, end) that are fetched, in the order of the file."""
        return tuple((first, end) for first, end in self.extents.tolist())
