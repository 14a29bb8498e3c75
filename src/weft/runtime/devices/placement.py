"""Computing graphs over several devices: each part on its own device, with transfers between the parts.

The one idea: a transfer node splits a graph.  Parts are computed in turn by the current transformer, on copies of the
nodes without device traits; on an asynchronous device the values are attached at once, and the work waits in a stream
for the memory that it reads.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from weft import dtypes as dt
from weft.errors import InternalError
from weft.ir.graph.node import Node, copied, make, stored, walk
from weft.ir.graph.ops import CELLWISE, OPS
from weft.passes.device_assignment import (
    TRANSFER,
    MissingTransfer,
    SingleDeviceGraph,
    computed_once,
    device_of,
    is_generated,
    name_of,
    shipping,
    transfer,
)
from weft.passes.fuse import as_call, is_stored, layout
from weft.passes.views import repeated
from weft.runtime.compute import engine, function_tables, profile, stages
from weft.runtime.compute.signature import Work
from weft.runtime.compute.stages import DONE, Verdict
from weft.runtime.devices import device
from weft.runtime.devices.crossing import WorkOrigin, aligned_leaf, cells_of, plain_array, start_transfer, write_pieces
from weft.runtime.devices.stream import AUTOMATIC, Cells, Stream, Uses, automatic_waits
from weft.runtime.memory import allocator
from weft.runtime.memory.access import byte_range, read_unwritten

Device = device.Device
_FILE = OPS["file"]


def is_placed(n: Node) -> bool:
    """True if a node is a transfer, or its value lies on a device other than the host."""
    return n.op is TRANSFER or device_of(n) is not None


def _is_plain(n: Node, count: int) -> bool:
    """True if `count`, the number of roots, is 1 and `n` is an operation of the host on stored values.

    Such work needs no placement.
    """
    return count == 1 and n.traits is None and n.op is not TRANSFER and all(i.value is not None for i in n.inputs)


def copied_out(n: Node) -> np.ndarray:
    """Return a read-only host copy of a node's cells on another device, waiting until they are computed.

    Raises the error of work that failed.
    """
    array: np.ndarray = host_value(n).view()
    array.flags.writeable = False
    return array


def host_value(n: Node) -> np.ndarray:
    """Return a node's cells as a host array; computes a pending node, and copies from another device where needed.

    Raises the errors of computing the node.
    """
    if device_of(n) is not None and (n.value is not None or (computed_once(n) is None and _operated(n))):
        return start_transfer(transfer(n, None), n)
    t = transfer(n, None) if device_of(n) is not None else n
    if t.value is None:
        stages.compute([t])
    value: np.ndarray = cells_of(t)
    return value


# ---- the stage "placement"


def placed(work: Work) -> Verdict | None:
    """Run the stage "placement": compute parts on other devices, or write the value to targets there.

    Returns DONE, or None if the host has work left. Raises RaceError and OutOfMemory at the submission; errors of
    work on a device are raised where it is waited for.
    """
    if work.targets:
        return _written(work)
    nodes = work.nodes
    if _is_plain(nodes[0], len(nodes)):
        return None
    if len(nodes) == 1 and _operated(nodes[0]):
        return DONE
    below = [n for n in walk(nodes) if is_placed(n)]
    if not below:
        return None
    home = device_of(nodes[0])
    if not any(n.op is TRANSFER for n in below) and all(device_of(n) is home for n in nodes):
        evaluate(nodes, home)
        return DONE
    images = settled(nodes)
    by_device: dict[int, list[int]] = {}
    for k, n in enumerate(images):
        if n.value is None:
            by_device.setdefault(id(device_of(nodes[k])), []).append(k)
    for numbers in by_device.values():
        evaluate([images[k] for k in numbers], device_of(nodes[numbers[0]]))
    for n, image in zip(nodes, images, strict=True):
        engine.publish(n, image.value)
    return DONE


def _written(work: Work) -> Verdict | None:
    """Write a value to the targets of each device; return DONE, or None if all targets are on the host."""
    (value,) = work.nodes
    homes = [device_of(t) for t in work.targets]
    if all(home is None for home in homes):
        work.nodes = (_on_host(value),)
        return None
    for home in {id(h): h for h in homes}.values():
        chosen = [i for i, k in enumerate(work.to) if homes[k] is home]
        some = [work.parts[i] for i in chosen] if work.parts is not None else None
        part = Work((value,), work.targets, some, [work.to[i] for i in chosen])
        if home is None:
            part.nodes = (_on_host(value),)
            stages.on_host(part)
        elif some is None or some:
            image = node_on(value, home)
            home.room()
            with engine.GRAPH:
                _submit(cells_of(image), part)
    return DONE


def _on_host(value: Node) -> Node:
    """Return `value`, or its copy on the host if some of its cells lie on other devices."""
    return node_on(value, None) if crosses(value) else value


def _submit(array: Cells, work: Work) -> None:
    """Queue on the targets' stream a copy of `array` into the targets of the work."""
    parts, to = work.parts, work.to
    memory = {k: cells_of(work.targets[k]) for k in (set(to) if parts is not None else (0,))}
    uses = list({id(m.uses): m.uses for m in memory.values()}.values())
    plain = {k: (plain_array(m), work.targets[k].desc) for k, m in memory.items()}

    def write() -> None:
        if parts is None:
            np.copyto(plain[0][0], plain_array(array))
        else:
            write_pieces(plain_array(array), parts, to, plain)

    uses[0].stream.submit(write, [array.uses], uses, WorkOrigin(work.nodes[0]))


# ---- calls from other modules


def planned_transfers(nodes: Sequence[Node]) -> tuple[tuple[profile.TransferCount, ...], list[Node]]:
    """Return the transfers needed to compute `nodes`, and the nodes to compute after them; transfers nothing."""
    if not in_use():
        return (), list(nodes)
    images = shipping(nodes)
    crossings = [(t, x) for wave in _waves(images) for t, x in wave]
    made = tuple([profile.TransferCount(_few_bytes(x), name_of(x), name_of(t)) for t, x in crossings])
    wanted = {id(n): n for n in (*images, *[t for t, _ in crossings])}  # transferred even if no cell is needed
    return made, [n for n in wanted.values() if not is_stored(n)]


def is_held_elsewhere(n: Node) -> bool:
    """True if other processes hold the cells of a value, so that it is fetched instead of computed."""
    return n.op.name == "positive" and n.inputs[0].op.name == "file" and hasattr(n.inputs[0].attrs[0], "holders")


def crosses(n: Node) -> bool:
    """True if a pending node reads cells of another device, or cells held by other processes."""
    return is_held_elsewhere(n) or (in_use() and any(is_placed(i) for i in walk([n])))


def change(n: Node, write: Callable[[np.ndarray], None]) -> None:
    """Queue a call `write(array)` that writes a device node's memory, in the order of its stream."""
    memory = cells_of(n)
    device_of(n).room()
    memory.uses.stream.submit(lambda: write(plain_array(memory)), (), [memory.uses], WorkOrigin(n))


def copy_of(n: Node) -> np.ndarray:
    """Return a copy of a stored node's memory with the same strides, so that byte offsets of views stay valid.

    Raises OutOfMemory if memory is refused.
    """
    d, source = n.desc, n.value
    low, high = byte_range(source)
    start = source.__array_interface__["data"][0] - low if d.size else 0
    if device_of(n) is None:
        np_dtype = dt.to_numpy(d.dtype, d.byteorder)
        array = allocator.laid_out(np_dtype, d.shape, source.strides, start, high - low)
        read_unwritten(n, lambda: np.copyto(array, n.value.view(np_dtype)))
        return array
    made = allocator.laid_out(source.dtype, source.shape, source.strides, start, high - low).view(Cells)
    made.uses = Uses(device_of(n).stream_for_new())
    by_user = not AUTOMATIC.get()
    with automatic_waits(True):  # only weft knows that a new version needs this copy
        event = made.uses.stream.submit(
            lambda: np.copyto(plain_array(made), plain_array(source)), [source.uses], [made.uses], WorkOrigin(n)
        )
    if by_user:
        event.wait()
    return made


# ---- parts of a graph


Crossing = tuple[Node, Node]  # (transfer, its operand): a transfer stored meanwhile no longer refers to it


def settled(nodes: Sequence[Node]) -> list[Node]:
    """Start all transfers below some nodes; return the nodes with the transferred values in place of the transfers.

    The values are attached while their copies may still be running.
    """
    with engine.GRAPH:
        images = shipping(nodes)
    _cross(images)
    return images


def _cross(roots: Sequence[Node]) -> None:
    """Start all transfers below `roots`, and attach their values, whose copies may still be running."""
    with engine.GRAPH:
        waves = _waves(roots)
    for wave in waves:
        by_device: dict[int, list[Crossing]] = {}
        for t, x in wave:
            by_device.setdefault(id(device_of(x)), []).append((t, x))
        for some in by_device.values():
            evaluate([x for _, x in some if not is_stored(x)], device_of(some[0][1]))
            for t, x in some:
                if t.value is None:
                    engine.publish(t, start_transfer(t, x))


def _few_bytes(x: Node) -> int:
    """Return the number of bytes to transfer for a value; cells that repeat along an axis are transferred once."""
    again = repeated(x)
    return prod([n for a, n in enumerate(x.desc.shape) if a not in again]) * x.desc.dtype.itemsize


def _waves(roots: Sequence[Node]) -> list[list[Crossing]]:
    """Return the transfers below `roots` with their operands, in groups; a group depends only on earlier groups.

    A transfer of `a + transfer(b)` is in the second group, since its operand needs the transfer of b.
    """
    level: dict[int, int] = {}
    waves: list[list[Crossing]] = []
    for n in walk(roots):
        below = max([level[id(i)] for i in n.inputs], default=0) if not is_stored(n) else 0
        if n.op is TRANSFER and not is_stored(n) and not is_generated(n.inputs[0]):
            if below == len(waves):
                waves.append([])
            waves[below].append((n, n.inputs[0]))
            below += 1
        level[id(n)] = below
    return waves


def stripped(images: Sequence[Node], home: Any = None, allocate: Any = None, stream: Any = None) -> SingleDeviceGraph:
    """Return a copier of the graph below `images` that drops device traits and aligns leaves for device `home`.

    `allocate(dtype, shape)` returns memory for leaves that must be copied, and `stream` copies them; without `home`
    none is copied.
    """
    leaves: list[tuple[Node, np.ndarray]] = []
    refusing = home is not None and any(as_call(n) for n in walk(images))

    def leaf(n: Node) -> Node:
        if device_of(n) is not home:
            raise InternalError(f"place: {n!r} of {name_of(n)} is read on {home or 'cpu'}; please report this")
        if n.op is _FILE:
            return n
        leaves.append((n, n.value))
        if home is not None and (found := aligned_leaf(n, home, allocate, stream)) is not None:
            return found
        return stored(layout(n), n.value)

    def keeps(n: Node) -> bool:
        # Not values generated for another device, nor stored values that a failing routine would lose.
        return device_of(n) is home and not refusing

    return SingleDeviceGraph(leaf, keeps, leaves)


def evaluate(nodes: Sequence[Node], home: Any) -> None:
    """Compute nodes of one device (None: the host) and attach their values; the work may still be queued on return.

    Raises the errors of computing on the host; those of a device are raised where its work is waited for.
    """
    nodes = list({id(n): n for n in nodes}.values())
    while nodes and not _evaluated(nodes, home):
        pass


def _evaluated(nodes: Sequence[Node], home: Any) -> bool:
    """Compute nodes of one device and attach their values; False if another thread changed what they read."""
    _cross(nodes)
    if home is None:
        graph = stripped(nodes)
        if (copies := _stripped(graph, nodes)) is None:
            return False
        values = stages.on_host(Work(copies))
        if any(n.value is not memory for n, memory in graph.leaves):
            return False  # operands may have been overwritten
        _attach_values(graph, nodes, values)
        return True
    home.room()
    stream = home.stream_for_new()
    with home.temporaries() as take:
        graph = stripped(nodes, home, take, stream)
        if (copies := _stripped(graph, nodes)) is None:
            return False
        work = prepared(copies, home, stream)
        with engine.GRAPH:
            if any(n.value is not memory for n, memory in graph.leaves):
                return False
            stream.submit(work.run, work.reads, [a.uses for a in work.values], WorkOrigin(nodes[0]))
    _attach_values(graph, nodes, work.values[: len(nodes)])
    return True


def _operated(n: Node) -> bool:
    """Compute a node that is one op on stored values of its device; True if it was computed.

    False, with nothing computed, for any other node.
    """
    home = device_of(n)
    if home is None or n.op.kind not in CELLWISE or not home.reads_all or engine.current().interprets:
        return False
    if n.alias is not None or any(i.alias is not None for i in n.inputs):
        return False
    copies = {id(i): i if i.value is None else stored(i.desc, i.value) for i in n.inputs}
    if any(c.value is None and c.op.name != "scalar" for c in copies.values()):
        return False
    plain = make(n.op, tuple([copies[id(i)] for i in n.inputs]), n.attrs, n.desc)
    if plain.traits is not None:
        return False
    home.room()
    work = stages.compiled_work([plain])
    program, numbers = work.program, work.numbers
    value = home.allocate(n.desc.dtype.np, n.desc.shape)
    given = [plain_array(a) if isinstance(a, Cells) else a for a in work.arguments]
    made, context = {program.outputs[0]: plain_array(value)}, _context(home)
    with engine.GRAPH:
        if any(i.value is not copies[id(i)].value for i in n.inputs):
            return False  # another thread has replaced its version
        uses = list({id(c.value): c.value.uses for c in work.leaves}.values())
        value.uses.stream.submit(
            lambda: context.run(program.run, given, numbers, made), uses, [value.uses], WorkOrigin(n)
        )
    engine.publish(n, value)
    return True


def _context(home: Device) -> contextvars.Context:
    """Return a copy of the current context, with its open scopes, in which `home` is the computing device."""
    context = contextvars.copy_context()
    context.run(function_tables.DEVICE.set, home.name)
    return context


def _stripped(graph: SingleDeviceGraph, nodes: Sequence[Node]) -> list[Node] | None:
    """Return copies of the nodes without traits; None if another thread has released the memory that they read."""
    try:
        with engine.GRAPH:
            copies = graph.of(nodes)
            alone = {id(c): k for k, c in enumerate(copies)}  # two equal values get separate memory
            return [c if alone[id(c)] == k else copied(c) for k, c in enumerate(copies)]
    except MissingTransfer:
        return None


def _attach_values(graph: SingleDeviceGraph, nodes: Sequence[Node], values: Sequence[np.ndarray]) -> None:
    """Attach values[i] to nodes[i], and to other nodes the values that were stored for their copies.

    `graph` has pairs of a node and its copy.
    """
    for n, value in zip(nodes, values, strict=True):
        engine.publish(n, value)
    for n, copy in graph.pairs:
        if copy.value is not None and n.value is None:
            engine.publish(n, copy.value)


class Submission(NamedTuple):
    """Work to be submitted: a function, the records of the memory it reads, and the arrays it fills."""

    run: Callable[[], object]
    reads: list[Uses]
    values: list[Any]


def prepared(copies: Sequence[Node], home: Device, stream: Stream) -> Submission:
    """Return the Submission that computes nodes without traits on a device, with memory allocated for its results."""
    context = _context(home)
    leaves = [n.value for n in walk(copies) if n.value is not None]
    reads = list({id(a.uses): a.uses for a in leaves if isinstance(a, Cells)}.values())
    if engine.current().interprets:
        values = [home.allocate(n.desc.dtype.np, n.desc.shape, stream) for n in copies]
        return Submission(lambda: context.run(_fill, copies, values), reads, values)
    work = context.run(stages.compiled_work, copies)
    program, buffers = work.program, work.program.plan.buffers
    made = {i: home.allocate(buffers[i].dtype.np, buffers[i].shape, stream) for i in program.outputs}
    values = [made[i] for i in program.outputs]
    stages.keep_live(program, work.order, values)
    given = [plain_array(a) if isinstance(a, Cells) else a for a in work.arguments]
    plain = {i: plain_array(a) for i, a in made.items()}
    return Submission(lambda: context.run(program.run, given, work.numbers, plain), reads, values)


def _fill(nodes: Sequence[Node], values: Sequence[np.ndarray]) -> None:
    """Compute nodes on the host into the arrays `values`, with a transformer that runs no programs."""
    for out, value in zip(values, stages.on_host(Work(nodes)), strict=True):
        np.copyto(plain_array(out), value)


# ---- memory


def node_on(value: Node, home: Device | None) -> Node:
    """Return a stored node with the cells of `value` on device `home` (None: the host), transferring them if needed."""
    if device_of(value) is not home:
        value = transfer(value, home)
    (image,) = settled([value])
    if not is_stored(image):
        evaluate([image], home)
    return image


def in_use() -> bool:
    """True if a device beside the host is in use."""
    return stages.Stages.all["placement"] is not None


def begin() -> None:
    """Register the stage "placement" for all later computations."""
    stages.use("placement", placed)
