"""Resizing a storage and releasing its memory: conditions and steps.

The one idea: memory can move under the tensors on it as long as no other code refers to it.
"""

from __future__ import annotations

from typing import Any

from weft.api.storages.cell_layout import holds
from weft.errors import ValueRangeError, WriteError
from weft.ir.graph.description import describe
from weft.ir.graph.node import make, stored
from weft.ir.graph.ops import OPS
from weft.runtime.compute import engine
from weft.runtime.devices import placement
from weft.runtime.fork_safety import held_over_forks
from weft.runtime.memory.access import byte_range, exchange, exported, pinned, register, remove_place
from weft.runtime.memory.allocator import chosen
from weft.runtime.memory.fingerprints import copied_fingerprint, forgotten, references
from weft.runtime.references import extra_references, extra_references_each
from weft.runtime.signal_safe_threads import ReentrantLock
from weft.tensors.place import Place, forget_views


def check_resize(s: Any, nbytes: int, places: list[Place]) -> None:
    """Raise WriteError if the tensors at `places` and the memory of storage s forbid a size of `nbytes` bytes.

    That is so if cells of tensors would be cut off, exported memory would move, or the storage is read-only. Raises
    ValueRangeError for a size that is no integer from 0 on.
    """
    if not isinstance(nbytes, int) or nbytes < 0:
        raise ValueRangeError(f"resize: {nbytes!r} bytes; a storage has a number of bytes from 0 on; give one")
    if s.read_only:
        raise WriteError("resize: the storage is read-only; its bytes stay; resize a clone()")
    reached = max([byte_range(p.node.value)[1] - s.ptr for p in places if p.node.desc.size], default=0)
    if nbytes < reached:
        raise WriteError(
            f"resize: {nbytes} bytes, and tensors on the storage reach to byte {reached}; they would lose cells; "
            "drop them first"
        )
    if nbytes > s._memory.nbytes and not s.owner:
        raise WriteError(f"resize: {nbytes} bytes of foreign memory of {s.capacity}; it cannot grow; use a clone()")
    if nbytes > s._memory.nbytes and has_outside_references(s, places):
        raise WriteError(
            f"resize: {nbytes} bytes where {s.capacity} are, and arrays outside weft lie on them; they would be "
            "left behind; drop them first, or resize a clone()"
        )


def has_outside_references(s: Any, places: list[Place]) -> bool:
    """True if any object other than storage s and the tensors at `places` refers to its memory."""
    known = sum(p.node.value is not s._origin and holds(p.node.value, s._memory) for p in places)
    if any(exported(p.node) for p in places if p.node.value is not s._origin):
        return True
    own = sum(1 + references(p.node) for p in places if p.node.value is s._origin) + holds(s._memory, s._origin)
    if s._origin is not None and extra_references(s._origin) > own:
        return True
    return extra_references(s._memory) > known


def move(s: Any, nbytes: int, places: list[Place]) -> None:
    """Copy the bytes of storage s to new memory of `nbytes` bytes, and move its tensors, at `places`, there."""
    memory = (s.allocator or chosen()).memory(nbytes)
    with pinned((s._settled(),)):
        memory[: s._nbytes] = s._memory[: s._nbytes]
    memory[s._nbytes :] = 0
    starts = [p.node.value.__array_interface__["data"][0] - s.ptr for p in places]
    s._memory, s._origin = memory, None
    for p, start in zip(places, starts, strict=True):
        remove_place(p)
        with engine.GRAPH:
            p.node.value, p.node.fingerprint = s._typed(p.node.desc, start), None
        p.region = register(p.node.value, p)


def release(p: Place, donated: str = "") -> None:
    """Drop the memory of a place; later reads of its cells raise ValueRangeError.

    With `donated`, the name of the operation that it was donated to, they raise DonatedError.
    """
    forget_views(p)
    d = p.node.desc
    remove_place(p)
    gone = make(OPS["freed"], (), (donated,) if donated else (), describe(d.dtype, d.shape, d.strides, d.big, d.origin))
    with engine.GRAPH:
        gone.place, p.node = p.node.place, gone
        p.region, p.noted = None, False


def swap_byte_order(s: Any, places: list[Place], aside: bool) -> None:
    """Switch the byte order of storage s and of the tensors at `places`; pending expressions keep the old one.

    With `aside` the bytes are about to change, so pending expressions get a copy of them.
    """
    s._big = not s._big
    for p in places:
        if p.node.desc.dtype.itemsize == 1:
            continue
        forget_views(p)
        old, d = p.node, p.node.desc
        start = old.value.__array_interface__["data"][0] - s.ptr
        node = stored(describe(d.dtype, d.shape, d.strides, not d.big, d.origin, d.read_only), None)
        node.value, node.traits = s._typed(node.desc, start), old.traits
        node.fingerprint = forgotten(old.fingerprint)
        with engine.GRAPH:
            node.place, p.node = old.place, node
        exchange(p, None, node)
        if aside and extra_references_each([old])[0] > 1:  # beside this variable
            kept, copy = copied_fingerprint(old), placement.copy_of(old)
            with engine.GRAPH:
                old.value, old.fingerprint = copy, kept
            exchange(p, old, None)


CHANGES = held_over_forks(ReentrantLock())  # held while a storage changes memory or labels, or gets a new tensor
