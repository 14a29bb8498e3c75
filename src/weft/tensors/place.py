"""Place: the mutable identity behind values, and the rules of writing through a handle.

The one idea: a place points at the node that is its current version.  Reading captures that node, so an expression
built before a write keeps its meaning; writing makes a new version, over the old memory if no other reader needs it.
Memory shared with the outside is always written in place, and old versions that still have readers are first moved to
memory of their own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any
from weakref import ref

import numpy as np

from weft import dtypes as dt
from weft.errors import TracingError, WriteError
from weft.ir.atoms.atom import view_steps
from weft.ir.atoms.table import ATOMS
from weft.ir.graph import node as ir
from weft.ir.graph.description import Shape, TensorDescription, describe
from weft.ir.graph.node import Node, Traits, mark_replacement, place_of, root_of, stored
from weft.ir.graph.ops import OPS
from weft.ir.pieces.lattice import ByteBox, Undecided, self_overlap
from weft.passes.fuse import is_any_below
from weft.runtime.devices import placement
from weft.runtime.fork_safety import held_over_forks, own_lock
from weft.runtime.memory.access import SMALL, WRITERS, Region, address_of, pinned, strided_array, write_alone
from weft.runtime.signal_safe_threads import ReentrantLock
from weft.tensors.unused_views import ViewMark

LITTLE = 1 << 16  # bytes up to which a value is stored whole when a view of it is needed
MAX_KNOWN = 50_000
_ONE_EACH: set[TensorDescription] = set()  # layouts known to have one coordinate for each cell
_BROADCAST = OPS["broadcast_to"]
_LOCKS = held_over_forks(ReentrantLock())


@dataclass(frozen=True, slots=True)
class Kind:
    """The role of a tensor in computations.

    `constant`: it never changes.  `persistent`: its value lasts from one computation to the next.  `trainable`:
    `variables` collects it.  `input`: a computation may take a value for it.
    """

    constant: bool
    persistent: bool
    trainable: bool
    input: bool


VALUE = Kind(True, False, False, False)  # of a number that never changes: `x[3]`, `x.sum()`


class Place:
    """The mutable identity behind tensors that share memory; `node` is its current version.

    `region`: the region of imported memory.  `storage`: its `weft.Storage`, if a user requested it.  `views`: weak
    references to handles on views of the version.  `noted`: its memory was exported.  `whole`: a weak reference to a
    handle on the whole version.  `kind`: its role, if one was declared.
    """

    __slots__ = ("__weakref__", "kind", "lock", "node", "noted", "region", "storage", "views", "whole")

    node: Node
    region: Region | None
    storage: Any
    lock: Any
    noted: bool
    views: Views | None
    whole: Any
    kind: Kind | None

    @property
    def held(self) -> bool:
        """True if a handle on the whole version exists, or handles on several views of it."""
        return self.views is None or _handles(self) > _UNHELD


class NumberPlace(Place):
    """The place of a number that was read from memory: its node is made once an expression needs it."""

    __slots__ = ("desc", "number")

    number: Any
    desc: TensorDescription  # of the node

    def __getattr__(self, name: str) -> Any:
        """Return an attribute that was not set: the node, which is made, or what a new place has."""
        if name in _UNSET:
            return _UNSET[name]
        if name != "node":
            raise AttributeError(name)
        self.node = made = ir.scalar(self.number, self.desc.dtype)
        made.place = ref(self)
        return made


_UNSET = {"noted": False, "region": None, "storage": None, "lock": None, "views": None, "whole": None}


class Views(list[Any]):
    """A list of weak references to handles; once it is longer than `limit`, `bind` removes those of dead handles."""

    __slots__ = ("limit",)

    def __init__(self) -> None:
        self.limit = 32


def bind(place: Place, handle: Any) -> None:
    """Record that a handle refers to a view of the place's current version."""
    views = place.views
    if views is None:
        place.views = views = Views()
    elif len(views) > views.limit:
        views[:] = {id(r): r for r in views if r() is not None}.values()
        views.limit = 2 * len(views) + 32
    views.append(ref(handle))


def new_place(node: Node, kind: Kind | None = None) -> Place:
    """Return a new place with `node` as its version, for a tensor of a kind."""
    p = Place()
    p.node, p.noted, p.kind = node, False, kind
    p.region = p.storage = p.lock = p.views = p.whole = None
    node.place = ref(p)
    return p


def _handles(place: Place) -> int:
    """Return the number of references to a place. A handle on a view of it, if there is one, is not counted."""
    on_view = any(h._place is place for r in place.views or () if (h := r()) is not None)
    return sys.getrefcount(place) - on_view


def _unheld() -> int:
    """Return the number of references to a place without handles, as `Place.held` counts them."""
    global _UNHELD
    place = new_place(stored(describe(dt.bool, ()), None))
    place.views = Views()
    _UNHELD = 0
    while place.held:
        _UNHELD += 1
    return _UNHELD


_UNHELD = _unheld()


def lock_of(place: Place) -> Any:
    """Return the place's reentrant lock, which writers hold; it is made at the first call."""
    if place.lock is None:
        with _LOCKS:
            if place.lock is None:
                place.lock = own_lock()
    return place.lock


def realized(n: Node) -> Node:
    """Return the node to compute so that `n` is stored: its root, if `n` is a view, else `n`.

    `n` also if the root reads files, is not stored and is larger.
    """
    if n.alias is None:
        return n
    root = n.alias[0]
    is_part = root.value is None and max(n.desc.nbytes, LITTLE) < root.desc.nbytes
    return n if is_part and is_any_below([root], lambda i: i.op.name == "file") else root


def cells(n: Node) -> np.ndarray | None:
    """Return a stored node's cells as an array over their memory, for internal use; None if it is not stored."""
    if n.alias is not None and n.alias[0].value is not None:
        return strided_array(n.alias[0].value, n.alias[1], n.desc, True)
    return n.value


def change(n: Node, put: Callable[[np.ndarray], None]) -> None:
    """Call `put(array)`, which writes a stored node's cells in their memory, while no other program uses it."""
    if n.traits is not None and n.traits.device is not None:
        placement.change(n, put)
        return
    memory = cells(n)
    assert memory is not None
    if memory.nbytes < SMALL and write_alone(put, (memory,), WRITERS.epoch):
        return
    with pinned((), (memory,)):
        put(memory)


def box_of(n: Node) -> ByteBox:
    """Return the address, strides and cell size of a stored node's cells as a byte box."""
    root, offset = n.alias if n.alias is not None else (n, 0)
    assert n.desc.strides is not None
    steps = tuple(zip(n.desc.strides, n.desc.shape, strict=True))
    return ByteBox(address_of(root.value) + offset, steps, n.desc.dtype.itemsize)


def is_read_only(n: Node) -> bool:
    """True if a node's cells must not be written, by their description, their place or their storage."""
    if n.desc.read_only:
        return True
    root = n if n.alias is None else n.alias[0]
    place = place_of(root)
    return place is not None and (place.kind is VALUE or (place.storage is not None and place.storage.read_only))


def remember(handle: Any, record: Any) -> None:
    """Set the gradient record of the version that a write through `handle` made, and of the handle's view of it."""
    p: Place = handle._place
    p.node.traits = Traits(None if p.node.traits is None else p.node.traits.device, record)
    if handle._view is not None:
        handle._view = rebase(handle._view, p.node, True)
        bind(p, handle)


def recorded_write(op: str, n: Node, value: Node | None, instead: bool, to: Any) -> Any:
    """Return the gradient record of the version made by writing `value` to `n`; None if neither has one.

    `instead`: the value replaces the whole version. `to` names the cells written. Raises GradientError for a write to a
    leaf, or one that gradients do not follow.
    """
    for x in (n, value):
        if x is not None and x.traits is not None and x.traits.record is not None:
            return x.traits.record.check_write(op, n, value, instead, to)
    return None


def check_writable(op: str, n: Node, value: Node | None = None, instead: bool = False, to: Any = None) -> Any:
    """Return the gradient record of the version that a write to `n` makes, or None, after all checks.

    Raises WriteError if `n` is read-only or two of its coordinates share memory, GradientError for a write to a leaf,
    or one that gradients do not follow. `to` names the cells written, `instead` means that the value replaces the whole
    version.
    """
    recorded = n.traits is not None or (value is not None and value.traits is not None)
    record = recorded_write(op, n, value, instead, to) if recorded else None
    if is_read_only(n):
        if (place := place_of(root_of(n))) is not None and place.kind is VALUE:
            raise value_refused(op)
        raise WriteError(f"{op}: the tensor is read-only; its memory or its maker forbids writing; write to a copy()")
    strides, shape = n.desc.strides, n.desc.shape
    assert strides is not None
    if n.desc in _ONE_EACH or not n.desc.size:
        return record
    if n.desc.repeated:
        raise several(op, shape, n.desc.repeated[0], "writing it is ambiguous")
    clash = self_overlap(ByteBox(0, tuple(zip(strides, shape, strict=True)), n.desc.dtype.itemsize))
    if clash is not None:
        which = "two coordinates may" if isinstance(clash, Undecided) else f"coordinates {clash[0]} and {clash[1]}"
        raise WriteError(f"{op}: {which} lie on the same memory; the order of writes would decide; write to a copy()")
    if len(_ONE_EACH) >= MAX_KNOWN:
        _ONE_EACH.clear()
    _ONE_EACH.add(n.desc)
    return record


is_known_writable = _ONE_EACH.__contains__  # of a description that `check_writable` has seen


def value_refused(op: str) -> WriteError:
    """Return the WriteError of operation `op` for a write to a value."""
    return WriteError(
        f"{op}: the value of a cell or a result of rank 0, as x[i] and x.sum() give it; like a number it does not "
        "change, and a write would reach no tensor; write x[i] = value, to the view x[i, ...], or to a copy()"
    )


def several(op: str, shape: Shape, axis: int, reason: str) -> WriteError:
    """Return the WriteError of operation `op` for a write to a broadcast, which repeats cells along `axis`."""
    first = (0,) * len(shape)
    second = tuple([int(d == axis) for d in range(len(shape))])
    return WriteError(
        f"{op}: a broadcast of shape {shape} has several coordinates on one cell, such as {first} and {second}; "
        f"{reason}; write to a copy(), or one value to all coordinates of each cell"
    )


def broadcasts(n: Node) -> tuple[int, Node | None]:
    """Return how often a view repeats each cell of its memory, and the last broadcast among its inputs, or None."""
    times, last = 1, None
    while True:
        if n.op is _BROADCAST and n.desc.size > n.inputs[0].desc.size > 0:
            times, last = times * (n.desc.size // n.inputs[0].desc.size), n if last is None else last
        if n.alias is None or not n.inputs:
            break
        n = n.inputs[0]
    again = prod([n.desc.shape[a] for a in n.desc.repeated])
    return times * again, last if last is not None or again == 1 else n


def forget_views(place: Place) -> None:
    """Detach view handles from the current version, so that they do not count as its readers.

    Their next use re-attaches them.
    """
    views = place.views
    if views is None:
        return
    kept = {}  # a handle has one weak reference, however often it was bound
    for r in views:
        handle = r()
        if handle is not None and handle._place is place:  # otherwise the handle moved to another place
            kept[id(r)] = r
            bound = handle._view
            if bound.alias is None or bound.alias[0] is place.node:
                handle._view = _unrooted(bound)
    if not kept:
        place.views = None
    elif len(kept) < len(views):
        views[:] = kept.values()


def _unrooted(view: Node) -> Node | ViewMark:
    """Return a view without a reference to its root: a mark, or selections over a root without memory.

    The latter if nodes of the view have labels or records, which a mark would lose.
    """
    root = root_of(view)
    steps = None if view.traits is not None else view_steps(view, root)
    return ViewMark(root.desc, steps) if steps else detached(view)


def detached(view: Node) -> Node:
    """Return the view's selections over a copy of its root node without memory."""
    chain = [view]
    while chain[-1].inputs and chain[-1].alias is not None:
        chain.append(chain[-1].inputs[0])
    root = stored(chain[-1].desc, None)
    root.traits = chain[-1].traits
    return rebase(view, root)


def rebase(view: Any, root: Node, recorded: bool = False) -> Node:
    """Return a view, or the mark of one, as selections over `root`, another version of its root.

    The root's byte order may differ, and in a trace its layout; raises TracingError if the view would be a copy in that
    layout. With `recorded` the view has the gradient record of the root; otherwise only if it had one before.
    """
    if type(view) is not Node:  # the mark of an unused view
        view = view.over(root)
        if view.alias[0] is root:
            return view
    if view.alias is None:
        return root
    chain = []
    n = view
    while n.alias is not None:
        chain.append(n)
        n = n.inputs[0]
    if n.desc.strides != root.desc.strides:
        return _selected_again(chain, root)
    turned = n.desc.big != root.desc.big
    below = root
    for atom in reversed(chain):
        d = atom.desc
        fresh = Node()
        fresh.op, fresh.attrs = atom.op, atom.attrs
        fresh.desc = describe(d.dtype, d.shape, d.strides, root.desc.big, d.origin, d.read_only) if turned else d
        fresh.inputs, fresh.alias = (below,), (root, atom.alias[1])
        fresh.value = fresh.place = None
        fresh.traits = fresh.fingerprint = None
        if root.traits is not None:
            _inherit(fresh, atom, recorded)
        fresh.depth = root.depth
        below = mark_replacement(fresh, atom)
    return below


def _selected_again(chain: list[Node], root: Node) -> Node:
    """Return the views of a chain, rebuilt over a version of another layout.

    Raises TracingError if a view of that layout would be a copy.
    """
    below = root
    for atom in reversed(chain):
        known, fresh = ATOMS.get(atom.op.name), ir.make(atom.op, (below, *atom.inputs[1:]), atom.attrs, atom.desc)
        made = fresh if known is None else known.remade(fresh)
        if made.alias is None or made.alias[0] is not root:
            raise TracingError(
                f"compile: a {atom.op.name} of a tensor in strided memory that the function has written; the written "
                "version is row-major, and has no such view; take the view after the write, or write to a copy()"
            )
        if atom.desc.read_only:
            d = made.desc
            made.desc = describe(d.dtype, d.shape, d.strides, d.big, d.origin, True)
        made.code, made.lasti, below = atom.code, atom.lasti, made
    return below


def _inherit(view: Node, before: Node, recorded: bool) -> None:
    """Set the traits of a view over another version; it has a gradient record if `before` had, or with `recorded`."""
    below = view.inputs[0].traits
    if below is None or not (recorded or (before.traits is not None and before.traits.record is not None)):
        view.traits = None if below is None else below.unrecorded
        return
    view.traits = None
    ir.inherit(view, True)
