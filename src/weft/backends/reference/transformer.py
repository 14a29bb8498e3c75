"""The reference transformer: the meaning of every node, in NumPy, one short function each.

The one idea: clarity before speed.  Nodes are evaluated one by one, inputs first, into whole arrays; integer rules,
rounding, the order of sums and random fields are those of the design bit for bit, elementary functions those of NumPy.
It is the oracle of the tests and a real transformer: `with weft.transformer("reference"): ...`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from weft import dtypes as dt
from weft.backends.reference.elementwise import ELEMENTWISE
from weft.errors import InternalError
from weft.ir.atoms.table import ATOMS
from weft.ir.fields import random_fields
from weft.ir.graph.description import describe
from weft.ir.graph.node import Node, broadcast_shapes, root_of, walk
from weft.ir.graph.ops import ARRAYWISE, OPS
from weft.ir.kernels.sum_order import bin_sums, reduce_rows, scan_rows
from weft.passes.fuse import is_stored, layout
from weft.passes.narrowing.anchor import anchored
from weft.runtime.compute import engine, function_tables
from weft.runtime.compute.signature import VALUELESS, Work, argument
from weft.runtime.memory import allocator
from weft.runtime.memory.access import pinned, strided_array

Array = np.ndarray
_FILE = OPS["file"]
HUGE = 1 << 34  # bytes of a root from which only the box that a view of it reads is computed


def _accumulation(n: Node) -> dt.DType:
    operand = n.inputs[0].desc.dtype
    if n.op.name in ("any", "all", "count_nonzero"):
        return dt.bool
    if n.op.name in ("min", "max", "nanmin", "nanmax", "argmin", "argmax"):
        return operand
    return n.desc.dtype.compute


def _convert(x: Array, dtype: dt.DType) -> Array:
    return ELEMENTWISE["astype"](dtype, x)


def _reduce(x: Array, n: Node) -> Array:
    axes = n.attrs[0]
    kept = [a for a in range(x.ndim) if a not in axes]
    acc = _accumulation(n)
    moved = _convert(np.transpose(x, [*kept, *sorted(axes)]), acc)
    rows = moved.reshape(int(np.prod([x.shape[a] for a in kept])), int(np.prod([x.shape[a] for a in axes])))
    correction = float(n.attrs[2]) if n.op.name == "var" else 0.0
    return _convert(reduce_rows(n.op.name, rows, acc, correction), n.desc.dtype).reshape(n.desc.shape)


def _scan(x: Array, n: Node) -> Array:
    axis, include_initial = n.attrs
    acc = _accumulation(n)
    moved = _convert(np.moveaxis(x, axis, -1), acc)
    rows = moved.reshape(int(np.prod(moved.shape[:-1])), moved.shape[-1])
    out = scan_rows(n.op.name, rows, acc, include_initial)
    return np.moveaxis(_convert(out, n.desc.dtype).reshape(*moved.shape[:-1], out.shape[1]), -1, axis)


def _number(number: bool | int | float | complex, dtype: dt.DType) -> Array:
    wide = dt.complex128 if dtype.kind == "complex" else dt.float64
    return _convert(np.asarray(number, wide.np), dtype) if dtype.is_inexact else np.asarray(number).astype(dtype.np)


def _source(n: Node) -> Array:
    if n.op.name == "scalar":
        return _number(n.attrs[0], n.desc.dtype)
    if n.op.name == "iota":
        axis = n.attrs[0]
        start = n.desc.origin[axis] if n.desc.origin else 0
        line = start + np.arange(n.desc.shape[axis], dtype=np.int64)
        return np.broadcast_to(line.reshape([-1 if d == axis else 1 for d in range(n.desc.ndim)]), n.desc.shape)
    if n.op in VALUELESS:
        raise VALUELESS[n.op](n)
    raise InternalError(f"reference: source {n!r} has no value; please report this")


def stored_value(n: Node, loaded: Mapping[int, Array] = MappingProxyType({})) -> Array | None:
    """Return the cells of a stored node, in native byte order; None if the node is pending.

    `loaded` holds the cells of files, by the id of their node.
    """
    if not is_stored(n):
        return None
    base, offset = argument(n)
    d, root = layout(n), root_of(n)
    if root.op is _FILE:
        if id(root) not in loaded:  # nothing of it is needed
            return np.broadcast_to(np.zeros((), d.dtype.np), d.shape)
        base = loaded[id(root)]
    array = strided_array(base.view(), offset, d, True) if n.alias is not None else base
    return array.astype(d.dtype.np) if d.big else array


def evaluate(n: Node, parts: Sequence[Array]) -> Array:
    """Return the value of a node, given the values of its inputs.

    Raises InternalError, or the error of its op, if the node is a source without a value; and the errors of library
    routines, such as LinAlgError.
    """
    name, kind = n.op.name, n.op.kind
    if kind == "source":
        return _source(n)
    if kind in ("selection", "take"):
        return ATOMS[name].numpy(parts, n)
    if kind == "reduce":
        return _reduce(parts[0], n)
    if kind == "scan":
        return _scan(parts[0], n)
    if kind == "bins":
        return bin_sums(*parts, bins=n.attrs[0])
    if kind in ARRAYWISE:
        out = np.empty(n.desc.shape, n.desc.dtype.np)
        function_tables.invoke(name, function_tables.device_type(), out, parts, n.attrs)
        return out
    if kind == "random":
        return random_fields.evaluate(n.desc.dtype, n.attrs, broadcast_shapes(name, *(p.shape for p in parts)), parts)
    shape = n.desc.shape
    shaped = [p if p.shape == shape else np.broadcast_to(p, broadcast_shapes(name, p.shape, shape)) for p in parts]
    return ELEMENTWISE[name](n.desc.dtype, *shaped)


class ReferenceTransformer(engine.Transformer):
    """The transformer that evaluates graphs node by node, in NumPy."""

    name = "reference"
    interprets = True

    def __init__(self) -> None:
        self.programs = engine.NoPrograms()

    @np.errstate(all="ignore")
    def evaluate(self, work: Work) -> list[Array]:
        """Return the values of the work's nodes; write the first to the work's targets, if it has any.

        Raises OutOfMemory if there is no memory for a value, and the errors of library routines, such as LinAlgError.
        """
        loaded = {id(root_of(work.leaves[k])): work.arguments[2 * k] for k in work.sources}
        while True:
            with engine.GRAPH:
                order = list(_walk(work.nodes))
                memory = _memory(order)
            with pinned(memory), engine.GRAPH:  # what is slow here may keep other threads waiting
                if [id(a) for a in memory] == [id(a) for a in _memory(order)]:
                    values = _values(work.nodes, order, loaded)
                    break
        if work.targets:
            _write(values[0], work)
        return values


Order = Sequence[tuple[Node, Node | None]]  # nodes, inputs before readers, with their stand-ins, as `_walk` yields them


def _values(nodes: Sequence[Node], order: Order, loaded: Mapping[int, Array]) -> list[Array]:
    """Return copies of the values of nodes, whose graph has the nodes in `order`; `loaded` holds the cells of files.

    Raises OutOfMemory if there is no memory for a value, and the errors of library routines.
    """
    values: dict[int, Array] = {}
    for n, box in order:
        if box is not None:
            values[id(n)] = values[id(box)]
            continue
        found = stored_value(n, loaded)
        values[id(n)] = _evaluated(n, [values[id(i)] for i in n.inputs]) if found is None else found
    return [_copy_of_value(values[id(n)], n) for n in nodes]


def _write(array: Array, work: Work) -> None:
    """Write the cells of an array to the targets of `work`."""
    bases = [argument(t) for t in work.targets]
    with pinned((), [base for base, _ in bases]):
        if work.parts is None:
            ((base, offset),) = bases
            strided_array(base.view(), offset, work.targets[0].desc, True)[...] = array
            return
        for p, k in zip(work.parts, work.to, strict=True):
            d = work.targets[k].desc
            offset, strides = p.address(d.strides or ())
            base, start = bases[k]
            box = describe(d.dtype, p.sizes, strides, d.big)
            cells = [slice(e, e + s * n, s) for e, s, n in zip(p.start, p.step, p.sizes, strict=True)]
            strided_array(base.view(), start + offset, box, True)[...] = array[tuple(cells)]


def _memory(order: Order) -> list[Array]:
    """Return the arrays that an evaluation of the nodes in `order` reads."""
    return [argument(n)[0] for n, _ in order if is_stored(n) and root_of(n).op is not _FILE]


def _walk(nodes: Sequence[Node]) -> Iterator[tuple[Node, Node | None]]:
    """Yield each node that `nodes` depend on once, inputs before readers, as pairs (node, stand-in).

    The stand-in is None, or a node that computes the cells of a box of a tensor too large for memory.
    """
    boxes: dict[int, Node] = {}

    def read(n: Node) -> Sequence[Node]:
        if n.alias is not None and n.alias[0].desc.nbytes >= HUGE:
            box = anchored(n, sys.maxsize)
            if box is not n:
                boxes[id(n)] = box
                return (box,)
        return () if is_stored(n) else n.inputs

    for n in walk(nodes, read):
        yield n, boxes.get(id(n))


def _evaluated(n: Node, parts: Sequence[Array]) -> Array:
    """Return the value of a node, given its inputs' values.

    Raises OutOfMemory if there is no memory for it, and the errors of library routines.
    """
    try:
        if n.desc.nbytes > sys.maxsize:
            raise MemoryError
        return evaluate(n, parts)
    except MemoryError as error:
        raise allocator.out_of_memory(n.desc.nbytes, n.desc.shape) from error


def _copy_of_value(value: Array, n: Node) -> Array:
    """Return a copy of the value of node n, in newly allocated memory; raises OutOfMemory if it is refused."""
    out = allocator.empty(n.desc.dtype.np, n.desc.shape)
    out[...] = value
    return out
