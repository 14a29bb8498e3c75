"""Versions of places: keeping old values for the expressions that still read them when memory is written.

The one idea: before memory is written, each version in it with pending readers is separated from its place: the readers
keep the old version, and the place gets a new one.  Memory visible outside weft is not moved.
"""

from __future__ import annotations

import gc
from typing import Any
from weakref import ref

import numpy as np

from weft import callbacks
from weft.errors import MathError, OverwrittenError
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node, current_place, keep_label, root_of, stored
from weft.ir.pieces.lattice import overlap
from weft.runtime.compute import engine, stages
from weft.runtime.devices import placement
from weft.runtime.fork_safety import held_over_forks, if_free
from weft.runtime.memory import fingerprints
from weft.runtime.memory.access import NOTED, WRITERS, byte_range, exchange, exported, tenants
from weft.runtime.memory.limits import warn_of_wholes
from weft.runtime.references import extra_references
from weft.runtime.signal_safe_threads import ReentrantLock
from weft.tensors.place import Place, box_of, forget_views, rebase
from weft.tensors.tracing import Trace

COMPUTE_READERS = 16 << 20  # bytes of an old version from which its readers are computed instead of copying it
SPARSE = 4  # the same if its cells are spread over more than SPARSE times their size
_SHARED = held_over_forks(ReentrantLock())  # held while versions change of places that may share memory


def has_readers(place: Place) -> bool:
    """True if pending expressions refer to the place's version; detaches view handles first.

    The caller must hold no reference to the version.
    """
    if place.views is not None:
        forget_views(place)
    return extra_references(place.node) > 0


def is_sole(place: Place, held: int) -> bool:
    """True if only this place uses its version's memory, and the version has at most `held` other references.

    The caller must hold no further one.
    """
    n = place.node
    of_host = n.value is not None and (n.traits is None or n.traits.device is None) and not n.desc.read_only
    if not of_host or place.region is not None or place.storage is not None or exported(n):
        return False
    del n
    forget_views(place)
    return extra_references(place.node) <= held


def keep_old_version(place: Place, visible: bool) -> None:
    """Start a new version of a place before its memory is written, so that pending readers keep the old values.

    With `visible`, others see the memory, so the old version gets a copy of it; otherwise the new version does.
    """
    if not has_readers(place) or (_is_costly(place.node.value) and _readers_computed(place) and not has_readers(place)):
        if place.node.fingerprint is not None:
            forget_cells(place.node)
        return
    old = place.node
    fresh = stored(old.desc, old.value)
    fresh.traits = old.traits
    keep_label(fresh, old)
    aside = fingerprints.copied_fingerprint(old)
    copy = placement.copy_of(old)
    with engine.GRAPH:
        if visible:  # the place keeps the memory visible outside; readers get a copy
            fresh.fingerprint = fingerprints.forgotten(old.fingerprint)
            old.value, old.fingerprint = copy, aside
            if place.noted:
                NOTED.append(ref(fresh))
        else:  # readers, some perhaps running, keep the memory
            fresh.value, place.noted = copy, False
        fresh.place, place.node = old.place, fresh
        if Trace.active:
            Trace.note_replaced(old)
    callbacks.WATCH(old)
    callbacks.WATCH(fresh)
    exchange(place, old, fresh)


def look(place: Place) -> Node:
    """Return the version of a place that an expression reads, after sampling its shared memory.

    If others have written the memory, that is a new version: expressions built before keep the old one, and raise
    OverwrittenError when computed. Nothing is sampled while another thread starts new versions.
    """
    if Trace.active and (seen := Trace.version(place)) is not place.node:
        return seen
    lock = place.lock
    if lock is None:
        if_free(_SHARED, _sample, place, None)
    elif not lock._is_owned() or place.node.fingerprint is None or place.node.fingerprint.samples is not None:
        if_free(lock, if_free, _SHARED, _sample, place, lock)
    return place.node  # expressions built while this thread writes are computed at once


def _sample(place: Place, lock: Any) -> None:
    """Start a new version of a place if samples of its memory differ, else take samples anew.

    Nothing is done while weft writes there; `lock` is the place's lock seen by `look`.
    """
    n = place.node
    if n.value is None or n.fingerprint is None:
        return
    if fingerprints.differs(n):
        _overwritten(place, n)
    elif place.region is None and not exported(n):
        n.fingerprint = None
    elif WRITERS.epoch is not None and place.lock is lock and not _neighbour_writes(place):
        # no write can begin meanwhile
        n.fingerprint = fingerprints.fingerprint_again(n.fingerprint, n.value)


def _neighbour_writes(place: Place) -> bool:
    """True if another thread writes through a place that shares memory with this one."""
    if place.region is None or not place.region.is_shared():
        return False
    return any(q is not place and q.lock is not None and not if_free(q.lock, bool) for q in tenants(place)[1])


def _overwritten(place: Place, old: Node) -> None:
    """Start a new version of a place whose memory was written outside weft, and mark the old one as lost."""
    fresh = stored(old.desc, old.value)
    fresh.traits, fresh.fingerprint = old.traits, fingerprints.fingerprint_again(old.fingerprint, old.value)
    keep_label(fresh, old)
    with engine.GRAPH:
        if place.node is not old:
            return
        old.fingerprint = fingerprints.CHANGED
        fresh.place, place.node = old.place, fresh
    callbacks.WATCH(fresh)
    exchange(place, old, fresh)
    if place.noted:
        NOTED.append(ref(fresh))


def forget_cells(n: Node) -> None:
    """Drop the samples and the outline of a version's cells, since weft is about to write them, without readers."""
    n.tree = None  # its cells are no longer shared with other places' values
    if n.fingerprint is not None and n.fingerprint.samples is not None:
        n.fingerprint = fingerprints.forgotten(n.fingerprint)


def _is_costly(value: np.ndarray) -> bool:
    """True if a copy of a value takes so much memory that its pending readers should be computed instead."""
    low, high = byte_range(value)
    return high - low >= COMPUTE_READERS or (high - low > 1 << 16 and high - low > SPARSE * value.nbytes)


def _readers_computed(place: Place) -> bool:
    """Compute the pending readers of a version if their results need less memory than it.

    False if they need more, depend on placeholders, or raise an error.
    """
    readers = live_readers(place.node)
    low, high = byte_range(place.node.value)
    if sum(r.desc.nbytes for r in readers) > high - low or any(r.depth >= ir.WAITING for r in readers):
        return False
    try:
        stages.compute(readers)
    except (MathError, OverwrittenError):  # the reader raises the error when it is used; it keeps a copy until then
        return False
    return True


def live_readers(*stored: Node) -> list[Node]:
    """Return the uncomputed current versions of places that depend on any of the nodes `stored`.

    They are found by a search of all Python objects.
    """
    readers: dict[int, list[Node]] = {}
    for n in gc.get_objects():
        if type(n) is Node and getattr(n, "value", n) is None:  # without the attribute: another thread is building it
            for i in n.inputs:
                readers.setdefault(id(i), []).append(n)
    found: dict[int, Node] = {}
    reached = {id(n) for n in stored}
    frontier = list(reached)
    while frontier:
        for n in readers.get(frontier.pop(), ()):
            if id(n) not in reached:
                reached.add(id(n))
                frontier.append(id(n))
                ref_to_place = getattr(n, "place", None)
                place = ref_to_place() if ref_to_place is not None else None
                if isinstance(place, Place) and place.node is n:  # not a copy that is being computed
                    found[id(n)] = n
    return list(found.values())


def prepare_write(handle: Any, leaf: Node | None = None) -> Node:
    """Return a handle's cells as a node over memory that may be written; pending readers keep the old values.

    A pending version is computed first. `leaf`: a node of these cells over a leaf of its own, which is returned unless
    the version moves to other memory.
    """
    p: Place = handle._place
    if p.node.value is None:
        warn_of_wholes("write", [p.node])
        stages.compute([p.node])
    with _SHARED:
        keep_old_version(p, p.region is not None or exported(p.node))  # the handle no longer refers to this version
        p.node.tree = None  # its cells are no longer shared with other places' values
        if leaf is not None and root_of(leaf).value is p.node.value:
            target = leaf
        else:
            root = p.node if p.region is None else _leaf_over(p.node)
            target = root if handle._view is None else rebase(handle._view, root)
        if p.region is not None and p.region.is_shared():
            _keep_neighbours(p, target)
    return target


def _leaf_over(version: Node) -> Node:
    """Return a new stored node over a version's memory, which stays valid if the version moves to a copy."""
    root = stored(version.desc, version.value)
    root.traits = version.traits
    return root


def _keep_neighbours(p: Place, target: Node) -> None:
    """Keep the old values for pending readers of other places that share the memory about to be written."""
    written = box_of(target)
    nodes, places = tenants(p)
    for place in places:
        if place is not p:
            forget_views(place)
    while nodes:
        other = nodes.pop()
        if other is p.node or overlap(written, box_of(other)) is None:
            continue
        place = current_place(other)
        if place is not None:
            del other
            keep_old_version(place, True)
        else:
            aside = fingerprints.copied_fingerprint(other)
            copy = placement.copy_of(other)
            with engine.GRAPH:
                other.value, other.fingerprint = copy, aside
            exchange(p, other, None)
