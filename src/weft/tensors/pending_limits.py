"""Limits of pending graphs: their depth, few cells after many steps, and dead memory that only they keep alive.

The one idea: when the last handle on a large stored value is freed while pending expressions still read it, its bytes
are counted; past a limit the readers are computed, which frees the value.  Checking costs nothing per operation: the
depth limit, which every new node is compared with, is lowered, and the next node triggers the work.  Freed places are
noted by built-in code, as a signal would be lost in a Python callback, and counted when the next large value is stored.

Small values above small ones are computed much earlier: a loop over them would need a new program for each length, and
fusing them saves nothing (docs/design/041-small-values.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from threading import get_ident
from typing import Any, ClassVar, Protocol
from weakref import ref

from weft import callbacks
from weft.errors import LinAlgError, MathError, OverwrittenError
from weft.ir.graph.node import MAX_DEPTH, WAITING, Node, current_place, root_of, walk
from weft.ir.graph.ops import OPS
from weft.modes.implicit_conversions import Act
from weft.runtime.compute import engine, stages
from weft.runtime.compute.signature import GradientWork, Work
from weft.tensors.tracing import Trace
from weft.tensors.versions import live_readers

KEPT_LIMIT = 64 << 20  # bytes of otherwise dead values that pending graphs may keep alive
ENDLESS = 1 << 40  # bytes of a value that is never computed as a whole
SMALL_BYTES = 1 << 15  # bytes up to which a value is small: the first cache has it, so fusing its steps saves little
APART_BYTES = 1 << 18  # the same for graphs whose steps read other cells than their own of pending values: few fuse
PART_BYTES = 4096  # the same for a part of a join
SMALL_DEPTH = 24  # depth above which small values are computed
DEEP = 64  # depth above which gradients are computed with what they are the gradients of
SMALL_NODES = 128  # pending nodes of a graph that is searched for larger values
NEAR_NODES = 32  # nodes among which one that reads other cells than its own is found
MANY_PARTS = 64  # parts of a join above which each small part is computed on its own
_FILE, _SCALAR = OPS["file"], OPS["scalar"]


class Watcher(Protocol):
    """An observer of operations; each of its methods may raise."""

    def built(self, n: Node) -> None:
        """Report a pending node for which a handle is made."""

    def judge(self, found: Sequence[Act]) -> None:
        """Report implicit acts of reads and writes that are done at once, so that no node is built for them."""


class Limits:
    """The limits of pending graphs: a new node deeper than `depth` is passed to `settle`.

    `most` is the depth above which nodes are computed.  `asked` is the value of `depth` while dead memory is below its
    limit: SMALL_DEPTH, `most` if that is less, or -1 while a `watcher` or a `labeller` must receive every node.
    """

    depth: int = SMALL_DEPTH
    asked: int = SMALL_DEPTH
    most: int = MAX_DEPTH
    watcher: Watcher | None = None
    labeller: Callable[[Node], None] | None = None
    dead_bytes: int = 0
    settled: int = 0  # count of nodes passed to `settle`
    unsearched: int = 0  # the same up to which no graph is searched for larger values again
    planning: ClassVar[
        dict[int, tuple[object, ...]]
    ] = {}  # by thread: users' passes that build nodes; none is computed


_DEAD: list[ref[Node]] = []


class _Watch(ref):  # type: ignore[type-arg]
    """A weak reference to a place, with its current version if that is large."""

    __slots__ = ("nbytes", "node", "number")

    number: int  # the place's id
    node: ref[Node]
    nbytes: int


_WATCHES: dict[int, _Watch] = {}  # by the id of the place
_GONE: list[Any] = []  # watches of freed places that are not counted yet


def watch(n: Node) -> None:
    """Register a large stored node, so that its bytes are counted when its place no longer holds it."""
    if n.value is None or n.value.nbytes < engine.WATCHED:
        return
    if _GONE:
        _count_gone()
    place = current_place(n)
    if place is None:
        _count(ref(n), n.value.nbytes)
        return
    w = _WATCHES.get(id(place))
    if w is None or w() is not place:
        w = _WATCHES[id(place)] = _Watch(place, _GONE.append)
        w.number = id(place)
    w.node, w.nbytes = ref(n), n.value.nbytes


def _count_gone() -> None:
    """Count the bytes of the nodes whose places are gone."""
    with suppress(IndexError):  # another thread may count the last one
        while True:
            w = _GONE.pop()
            number = w.number
            if _WATCHES.get(number) is w:
                del _WATCHES[number]
            if w.node() is not None:  # else the memory was freed with the place
                _count(w.node, w.nbytes)


def _count(node: ref[Node], nbytes: int) -> None:
    """Count the bytes of a node that no place holds; above KEPT_LIMIT, make the next new node call `relieve`."""
    _DEAD.append(node)
    Limits.dead_bytes += nbytes
    if Limits.dead_bytes > KEPT_LIMIT:
        Limits.depth = -1


def set_most(most: int) -> None:
    """Set the depth above which new nodes are computed.

    While a watcher or labeller is set, every new node is passed to `settle`.
    """
    Limits.most = most
    Limits.asked = Limits.depth = min(most, SMALL_DEPTH) if Limits.watcher is None and Limits.labeller is None else -1


def set_watcher(watcher: Watcher | None) -> None:
    """Install an observer of operations (None: no observer)."""
    Limits.watcher = watcher
    set_most(Limits.most)


def set_labeller(labeller: Callable[[Node], None] | None) -> None:
    """Install a function that is called with the node of every new handle (None: none).

    It also receives views and stored values.
    """
    Limits.labeller = labeller
    set_most(Limits.most)


def settle(n: Node) -> None:
    """Act on a new node that exceeds `Limits.depth`: report it, free dead memory, or compute it.

    The watcher and the labeller get the node; the watcher may raise StrictError. Dead memory beyond its limit is freed
    by computing its readers, and a node deeper than `Limits.most` is computed, a small one if deeper than SMALL_DEPTH.
    """
    Limits.settled += 1
    if Limits.planning and get_ident() in Limits.planning:
        return
    if Limits.labeller is not None:
        Limits.labeller(n)
    if n.value is not None:
        return
    if Limits.watcher is not None:
        Limits.watcher.built(n)
    if Limits.depth != Limits.asked:
        Limits.depth = Limits.asked
        relieve()
    if n.depth >= WAITING or n.value is not None or Trace.here() is not None:
        return  # nodes of a trace are computed by calls
    if n.depth > Limits.most and not _is_endless(n):
        stages.compute([n])
    elif n.depth > SMALL_DEPTH and Limits.settled > Limits.unsearched:
        small, looked = _search(n, SMALL_BYTES, APART_BYTES)
        if small:
            _compute_early(n)
        else:
            Limits.unsearched = Limits.settled + looked  # so that new nodes cost one step of a search each


def settle_parts(parts: Sequence[Node]) -> None:
    """Compute the small pending values among many parts of a join, each on its own.

    Parts of one structure then share a program, where the join would need one of its own, with all their nodes.
    """
    if len(parts) <= MANY_PARTS or Trace.here() is not None or get_ident() in Limits.planning:
        return
    waiting = [
        n for n in parts if 0 < n.depth < WAITING and root_of(n).value is None and _search(n, PART_BYTES, PART_BYTES)[0]
    ]
    some = waiting[:: len(waiting) // 16 + 1]
    if 2 * len({tuple([step.op for step in walk([n])]) for n in some}) > len(some):
        return  # a program for each structure takes longer than one of the join
    for n in waiting:
        if root_of(n).value is None:  # it may be a view of another part
            _compute_early(n)


def settle_together(nodes: Sequence[Node], soon: bool) -> bool:
    """Compute nodes together if one is deeper than DEEP, or `soon`, unless they take more memory than all they read.

    Return whether they were computed. A loop then builds the same graph at each step, as none reaches back to the step
    before; and what the nodes share is computed once.
    """
    pending = [n for n in nodes if n.value is None]
    deepest = max([n.depth for n in pending], default=WAITING)
    if not (soon or deepest > DEEP) or deepest >= WAITING or Trace.here() is not None:
        return not pending
    taken = sum([n.desc.nbytes for n in pending])
    if taken > KEPT_LIMIT:
        taken -= _nbytes([n for n in walk(pending) if n.value is not None and n.op is not _FILE])
    if taken > KEPT_LIMIT:
        return False
    _compute_early(*pending, kind=GradientWork)
    return True


def _compute_early(*nodes: Node, kind: type[Work] = Work) -> None:
    """Compute nodes before they are read; an error is not raised here but for the reader of the value."""
    with suppress(LinAlgError, MathError, OverwrittenError):
        stages.compute(nodes, kind)


def _search(n: Node, fused: int, apart: int) -> tuple[bool, int]:
    """Return (whether a pending node and all that it reads are small values, number of nodes looked at).

    They are on the host, without a gradient record; what they read is stored, a view of stored cells, or numbers. Small
    are values of at most `apart` bytes if steps read other cells than their own of pending values, else of `fused`.
    """
    found, seen, largest, is_apart = [n], {n}, 0, False
    for looked, n in enumerate(found):
        root = n if n.alias is None else n.alias[0]
        if n.traits is not None or looked > SMALL_NODES or (root.value is None and n.op is _FILE):
            return False, looked + 1
        if root.value is None:
            for i in n.inputs:
                if i.op is not _SCALAR and i not in seen:
                    seen.add(i)
                    found.append(i)
            largest = max(largest, n.desc.nbytes)
            is_apart = is_apart or (n.op.kind == "selection" and any(i.value is None and i.inputs for i in n.inputs))
            if largest > apart or (largest > fused and not is_apart and looked >= NEAR_NODES):
                return False, looked + 1
    return largest <= (apart if is_apart else fused), len(found)


def _is_endless(n: Node) -> bool:
    """True if a node's value is too large for any memory, so that only parts of it can be computed."""
    return n.desc.nbytes >= ENDLESS and n.depth <= MAX_DEPTH


def relieve() -> None:
    """Compute the pending readers of dead values, smallest first, if these values take more than KEPT_LIMIT bytes.

    Stops when the results would take more memory than the dead values release.
    """
    alive = {id(n): n for r in _DEAD if (n := r()) is not None and n.value is not None and _is_dead(n)}
    kept = _nbytes(alive.values())
    if kept > KEPT_LIMIT:
        chosen, room = [], kept
        for reader in sorted(live_readers(*alive.values()), key=lambda n: n.desc.nbytes):
            room -= reader.desc.nbytes
            if room >= 0 and reader.depth < WAITING:
                chosen.append(reader)
        alive.clear()
        Trace.note_looks(*chosen)
        _compute_early(*chosen)
    _DEAD[:] = [r for r in _DEAD if r() is not None]
    kept = _nbytes({id(n): n for r in _DEAD if (n := r()) is not None and n.value is not None}.values())
    Limits.dead_bytes = kept if kept <= KEPT_LIMIT else 0


def _nbytes(nodes: Iterable[Node]) -> int:
    """Return the sum of the bytes of stored nodes' values."""
    return sum(n.value.nbytes for n in nodes)


def _is_dead(n: Node) -> bool:
    """True if no place has the node as its current version."""
    return current_place(n) is None


callbacks.WATCH = watch
