"""Placement on graphs: the device of every node, and where its cells cross from one device to another.

The one idea: an operation runs where its first tensor lies; an operand from elsewhere comes through a `transfer` node,
which is part of the graph like any other.  So transfers are optimised by rewriting: operations that narrow values go
before them, operations that repeat or widen values go after, and only the remaining bytes cross.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from weft.ir.atoms import selections as se
from weft.ir.atoms.table import AFFINE, ATOMS
from weft.ir.graph.node import (
    DEVICES,
    Node,
    Traits,
    astype,
    current_place,
    keep_live,
    make,
    mark_replacement,
    result,
    walk,
)
from weft.ir.graph.ops import CELLWISE, OPS
from weft.passes.fuse import is_stored, pending_readers
from weft.passes.narrowing.needs import Need, needs
from weft.passes.narrowing.prune import over_needs, spread
from weft.passes.views import computed_once, first_cells, rebuilt, repeated, with_inputs

TRANSFER, _ASTYPE = OPS["transfer"], OPS["astype"]
HOST = "cpu"
APART = 1 << 12  # bytes that cross in the time of one more transfer
GENERATED = ("scalar", "iota")  # sources that every device can make for itself


def device_of(n: Node) -> Any:
    """Return the device of a node; None for the CPU."""
    return None if n.traits is None else n.traits.device


def name_of(n: Node) -> str:
    """Return the name of a node's device; "cpu" for the CPU."""
    device = device_of(n)
    return HOST if device is None else str(device)


def transfer(x: Node, device: Any) -> Node:
    """Return x moved to a device (None: the CPU); x itself if it is there already."""
    if device_of(x) is device:
        return x
    d = x.desc
    n = make(TRANSFER, (x,), (HOST if device is None else str(device),), result(d.dtype, d.shape, d.origin))
    return mark_replacement(n, x)


def _traits(device: Any, record: Any) -> Traits | None:
    if record is not None:
        return Traits(device, record)
    plain: Traits | None = None if device is None else device.traits
    return plain


def decides(n: Node) -> bool:
    """True if an operand determines the device of an operation.

    Tensors do, and expressions of which a tensor holds a part; other expressions of numbers and coordinates do not.
    """
    if n.traits is not None or is_stored(n):
        return True
    return not is_generated(n) or any(current_place(i) is not None for i in walk([n]))


def bring(n: Node) -> None:
    """Set the device of a new node to its first tensor's, and put transfers before operands from other devices.

    It is a method of devices (see `weft.ir.graph.node.inherit`).
    """
    inputs = n.inputs
    if n.op is TRANSFER:
        device = None if n.attrs[0] == HOST else DEVICES[n.attrs[0]]
    else:
        device = device_of(next((i for i in inputs if decides(i)), inputs[0]))
    records = [i.traits.record for i in inputs if i.traits is not None and i.traits.record is not None]
    n.traits = _traits(device, records[0] if records else None)
    if len(inputs) == 1 or n.op is TRANSFER:
        return
    moved = tuple([i if device_of(i) is device or not decides(i) else transfer(i, device) for i in inputs])
    if any(a is not b for a, b in zip(moved, inputs, strict=True)):
        n.inputs = moved
        n.depth = max([i.depth for i in moved]) + 1


# ---- fewer bytes


def _narrows(n: Node, x: Node) -> bool:
    fewer = n.op is _ASTYPE and n.desc.dtype.itemsize < x.desc.dtype.itemsize
    return fewer or (n.op.name in AFFINE and n.desc.size <= x.desc.size)


def moved_before(n: Node) -> Node:
    """Return the node n = f(transfer(x)) as transfer(f(x)), for an f that selects cells or converts to fewer bytes."""
    (t,), device = n.inputs, device_of(n)
    x = t.inputs[0]
    if n.op is _ASTYPE:
        return transfer(astype(x, n.desc.dtype), device)
    return transfer(ATOMS[n.op.name].make(x, *n.attrs), device)


def shipped(transferred: Node) -> Node:
    """Return the node transfer(f(x)) as f(transfer(x)), while f repeats or widens cells, or is a transfer itself."""
    x, device = transferred.inputs[0], device_of(transferred)

    def below(y: Node) -> Node:
        transferred = transfer(y, device)
        return transferred if transferred is y else shipped(transferred)

    if x.op is TRANSFER and not is_stored(x) and current_place(x) is None:
        inner = x.inputs[0]
        return inner if device_of(inner) is device else below(inner)
    axes = repeated(x)
    if axes:
        return se.broadcast_to(below(first_cells(x, axes)), x.desc.shape)
    if (once := computed_once(x)) is not None:
        return se.broadcast_to(below(once), x.desc.shape)
    if is_stored(x) or not x.inputs:
        return transferred
    if x.op.name in ("tile", "repeat"):
        return make(x.op, (below(x.inputs[0]),), x.attrs, x.desc)
    if x.op is _ASTYPE and x.inputs[0].desc.dtype.itemsize < x.desc.dtype.itemsize:
        return astype(below(x.inputs[0]), x.desc.dtype)
    return transferred


def shipping(nodes: Sequence[Node]) -> list[Node]:
    """Return `nodes` rebuilt so that transfers move only cells that are read, in their narrowest dtype.

    Cells that are not read become padding, so all shapes stay.
    """
    below = list(walk(nodes))
    earlier = _narrowed_by_all(below, {id(n) for n in nodes})
    image: dict[int, Node] = {}
    for n in below:
        made = n if is_stored(n) else rebuilt(n, tuple([image[id(i)] for i in n.inputs]))
        if not is_stored(n):
            if n.inputs and id(n.inputs[0]) in earlier and _is_crossing(made.inputs[0]):
                made = moved_before(made)
            made = shipped(made) if made.op is TRANSFER else made
        image[id(n)] = made
    images = [image[id(n)] for n in nodes]
    return over_needs(images, needs(images), _narrowed_transfer) if any(map(_is_crossing, walk(images))) else images


def _is_crossing(n: Node) -> bool:
    return n.op is TRANSFER and not is_stored(n)


def _narrowed_by_all(nodes: Sequence[Node], excluded: set[int]) -> set[int]:
    """Return the ids of `nodes` whose readers all convert them to a narrower dtype or select fewer cells.

    Left out are nodes with ids in `excluded`, and nodes whose readers' results together have more bytes.
    """
    readers = pending_readers([n for n in nodes if not is_stored(n)])
    found = set()
    for x in nodes:
        by = readers.get(id(x), ())
        if (
            id(x) not in excluded
            and all(_narrows(r, x) for r in by)
            and sum(r.desc.nbytes for r in by) <= x.desc.nbytes
        ):
            found.add(id(x))
    return found


def _narrowed_transfer(transferred: Node, need: Need) -> Node:
    """Return a transfer of only the cells that are read (`need`), padded to the full shape."""
    boxes = need.separate_boxes(APART // transferred.desc.dtype.itemsize)
    if not _is_crossing(transferred) or boxes[0].size == transferred.desc.shape:
        return transferred
    x, device = transferred.inputs[0], device_of(transferred)
    return spread([shipped(transfer(se.slice_(x, b.runs), device)) for b in boxes], boxes, transferred)


def is_generated(x: Node) -> bool:
    """True if a value is computed from numbers and coordinates alone, so that every device can make it."""
    return all(
        n.op.name in GENERATED or (n.op.kind in (*CELLWISE, "selection") and not is_stored(n)) for n in walk([x])
    )


# ---- plain copies


class MissingTransfer(Exception):
    """Raised if a transfer has no value yet, because its operand was stored after the search for transfers."""


class SingleDeviceGraph:
    """A copier of graphs for a single device: copies have no devices, and transfers become stored leaves."""

    def __init__(self, leaf: Callable[[Node], Node], keeps: Callable[[Node], bool], leaves: list[Any]) -> None:
        self.leaf, self.keeps, self.leaves = leaf, keeps, leaves
        self.image: dict[int, Node] = {}
        self.pairs: list[tuple[Node, Node]] = []  # (node, its copy) of nodes with a handle
        self.kept: list[Node] = []

    def of(self, roots: Iterable[Node]) -> list[Node]:
        """Return copies of the graphs below `roots`; stored values and transfers become leaves.

        Raises MissingTransfer if a transfer below has no value yet.
        """
        roots = list(roots)
        for n in walk(roots):
            if id(n) not in self.image:
                self.kept.append(n)
                self.image[id(n)] = self._copy(n)
        return [self.image[id(r)] for r in roots]

    def _copy(self, n: Node) -> Node:
        """Return the copy of n over the copies of its inputs.

        Raises MissingTransfer if n is a transfer without a value.
        """
        if is_stored(n):
            return self._stored(n)
        if n.op is TRANSFER:  # of what is generated: it is made where it is needed
            if not is_generated(n.inputs[0]):
                raise MissingTransfer
            return self.image[id(n.inputs[0])]
        if not n.inputs:
            return self._bare(n, ()) if n.op.name in GENERATED else n
        made = self._bare(n, tuple([self.image[id(i)] for i in n.inputs]))
        if self.keeps(n) and keep_live(made, n):
            self.pairs.append((n, made))
        return made

    def _stored(self, n: Node) -> Node:
        """Return the leaf that stands for stored node n; for a view, the same view of its root's leaf."""
        if n.alias is None or n.alias[0].value is None:
            return self.leaf(n)
        for i in chain(n):
            if id(i) not in self.image:
                self.kept.append(i)
                self.image[id(i)] = (
                    self._bare(i, (self.image[id(i.inputs[0])],)) if i.alias is not None else self.leaf(i)
                )
        return self.image[id(n)]

    def _bare(self, n: Node, inputs: tuple[Node, ...]) -> Node:
        made = with_inputs(n, inputs)
        made.traits = None
        return made


def chain(n: Node) -> list[Node]:
    """Return the nodes from the root of view n to n: the root, then each view of the one before."""
    out = [n]
    while out[-1].alias is not None:
        out.append(out[-1].inputs[0])
    return out[::-1]
