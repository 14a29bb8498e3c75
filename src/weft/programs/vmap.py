"""`vmap`: a function of one entry as a function of a batch of entries.

The one idea: the function is called once, with stand-ins for one entry, which gives the graph of its results; then each
node is built again over the batch (`weft.passes.batching_rules`).  The result is an expression like any other: lazy,
part of compiled functions, differentiable, and batched again by another vmap.

A batch is one more axis of the index space of a function over blocks, so blocks are cut along it as along any other
axis; the user's function gets the blocks of one entry after the other.  Functions of weft itself (loops and choices)
have an attribute, `batched`, that computes their results for a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, update_wrapper, wraps
from typing import Any

import numpy as np

from weft.api.blocks.tensor_gradient import TensorGradient
from weft.api.habits import two_readings
from weft.autograd.record import record_of, with_record
from weft.errors import ArgumentError, TracingError
from weft.ir.atoms import selections
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node, current_place, make, result, walk
from weft.ir.graph.ops import OPS
from weft.ir.pieces.block_operator import BlockOperator, FunctionRef, IndexStart, start_leaf
from weft.ir.pieces.projection import Projection
from weft.passes.batching_rules import batched, drawn
from weft.programs.entries import Entries, EntryTrace, axes_of, entries_of, moved, names_of_arguments, size_of, unlike
from weft.programs.holed_graph import filled, over
from weft.programs.pytrees import flattened, names_of, put_together, spread, taken_apart
from weft.runtime.compute.stages import UNSURE, unsure
from weft.tensors.operators import is_operand
from weft.tensors.tensor import Tensor, imported, node_of, tensor_of, wrap

Sides = tuple[bool, ...]  # for each input, whether each entry has its own


def batched_blocks(n: Node, batched_inputs: Sequence[Node], batch_size: int) -> Node:
    """Return the node of a block operator's output over a batch of `batch_size` entries.

    `batched_inputs` are the batched inputs, without the start leaf.  All outputs of one operator become outputs of one
    operator over the batch, which is cached at the start leaf of the entry's operator.
    """
    operator, number = n.attrs
    start: IndexStart = n.inputs[-1].value
    known = getattr(start, "batch", None)
    if known is None or known[0] != (*batched_inputs, batch_size):
        own = tuple([x.desc.ndim > i.desc.ndim for x, i in zip(batched_inputs, n.inputs, strict=False)])
        custom = getattr(start.function, "batched", None)
        if custom is not None:
            found: Any = [node_of(t) for t in custom(list(map(tensor_of, batched_inputs)), own, batch_size)]
        else:
            found = _over_batch(operator, start, own, batch_size)
        start.batch = known = (*batched_inputs, batch_size), found
    if isinstance(known[1], list):
        made: Node = known[1][number]
        return made
    over, leaf = known[1]
    return make(n.op, (*batched_inputs, leaf), (over, number), result(n.desc.dtype, (batch_size, *n.desc.shape)))


def _over_batch(operator: BlockOperator, start: IndexStart, own: Sides, size: int) -> tuple[BlockOperator, Node]:
    """Return (the operator over a batch of `size` entries, its start leaf).

    `own` says of each input whether it has an axis of entries.
    """
    function, first = _by_entries(start.function, own, len(operator.outputs)), (0, *operator.first)
    axes = len(operator.index)
    over = BlockOperator(
        FunctionRef(function),
        first,
        (size, *operator.index),
        tuple([_longer(p, axes, o) for p, o in zip(operator.inputs, own, strict=True)]),
        tuple([_longer(p, axes, True) for p in operator.outputs]),
        None if operator.most is None else (1, *operator.most),
        operator.threads,
    )
    return over, start_leaf(function, _gradient(start.vjp, own), (0, *map(int, start)))


def _longer(p: Projection, axes: int, own: bool) -> Projection:
    """Return a projection for an index space, of rank `axes`, after adding a leading axis of entries.

    With `own`, the value has a leading axis of entries, too.
    """
    rows = [(0, *row) for row in p.matrix]
    if not own:
        return Projection(rows, p.offset, p.shape)
    return Projection([(1, *[0] * axes), *rows], (0, *p.offset), (1, *p.shape))


def _by_entries(f: Callable[..., Any], own: Sides, outputs: int) -> Callable[..., Any]:
    """Return a function over blocks of a batch that calls the user's function `f` for each entry.

    `own` says of each input whether it has an axis of entries; `outputs` is the number of results of `f`.
    """

    @wraps(f)
    def over_entries(*blocks: np.ndarray) -> Any:
        count = next(len(b) for b, o in zip(blocks, own, strict=True) if o)
        made = [f(*[b[k] if o else b for b, o in zip(blocks, own, strict=True)]) for k in range(count)]
        if outputs == 1:
            return np.stack([np.asarray(m) for m in made])
        return [np.stack([np.asarray(m) for m in parts]) for parts in zip(*made, strict=True)]

    return over_entries


def _gradient(vjp: Any, own: Sides) -> Any:
    """Return the `vjp` over a batch, built from the user's `vjp` for one entry; None if that is None.

    `own` says of each input whether it has an axis of entries.
    """
    if vjp is None:
        return None
    axes = tuple([0 if o else None for o in own])

    def over_entries(g: Any, *xs: Any) -> list[Any]:
        found = vmap(vjp.vjp, in_axes=(0, *axes))(g, *xs)
        parts = list(found) if isinstance(found, (tuple, list)) else [found]
        return [p if p is None or o else p.sum(axis=0) for p, o in zip(parts, own, strict=False)]

    return TensorGradient(over_entries, vjp.dtypes)


_MAP_BLOCKS, _PHILOX, _PLACEHOLDER = OPS["map_blocks"], OPS["philox"], OPS["placeholder"]


class BatchedCall:
    """A call of a function with batches in place of entries."""

    def __init__(self, f: Callable[..., Any], in_axes: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        structure, leaves = flattened(args)
        names = names_of_arguments(f, structure)
        taken_apart(named, partial(_check_named, f))
        self.entries: dict[int, Entries] = {}
        for k, axis in enumerate(spread(axes_of("in_axes", in_axes), structure, partial(unlike, "in_axes", in_axes))):
            if axis is not None and leaves[k] is not None:
                self.entries[k] = entries_of(names[k], leaves[k], axis)
        self.size = size_of(self.entries.values())
        self.trace = EntryTrace()
        self.trace.names += [e.hole.attrs[0] for e in self.entries.values()]
        self.roots: list[Node] = []
        given = put_together(structure, lambda k: self.entries[k].stand_in if k in self.entries else leaves[k])
        with self.trace.taken():
            self.results = taken_apart(f(*given, **named), self._result)

    def _result(self, x: Any) -> Any:
        """Add a tensor to the results and return its index; None for None.

        Raises ArgumentError for anything else that is no number or array, DTypeError for an object without numbers.
        """
        if x is None:
            return None
        if not is_operand(x) and not isinstance(x, (bool, int, float, complex, np.ndarray)):
            raise ArgumentError(
                f"vmap: the function returns {x!r:.60}; results are tensors and numbers, in containers; leave it out"
            )
        self.roots.append(node_of(imported(x)))
        return len(self.roots) - 1

    def result(self, out_axes: Any) -> Any:
        """Return the results for the batch, with its axis at `out_axes`.

        Raises AxisError if a result lacks that axis, DTypeError if it is no integer, ArgumentError if `out_axes` does
        not match the results or is None for one that differs between entries, and TracingError for writes of anything
        but entries.
        """
        written = self._written()
        found = self._over_batch([*self.roots, *[n for _, n in written]])
        names = names_of(self.results, "result")
        axes = spread(axes_of("out_axes", out_axes), self.results, partial(unlike, "out_axes", out_axes))
        places = iter(zip(names, axes, strict=True))
        results = put_together(self.results, lambda k: self._placed(k, found, *next(places)))
        values = [wrap(n) for n in found[len(self.roots) :]]  # handles, so that writes keep the versions that they read
        for (target, _), value in zip(written, values, strict=True):
            target[...] = value  # type: ignore[index]
        return results

    def _placed(self, k: int | None, found: Sequence[Node], name: str, axis: int | None) -> Tensor | None:
        """Return result k as a new tensor with the batch along an axis; None for None.

        `name` is named in errors. Raises ArgumentError if the axis is None and the result differs between entries,
        AxisError if it is no axis of the result.
        """
        if k is None:
            return None
        n, own = found[k], self.roots[k]
        if axis is None:
            if n.desc.ndim > own.desc.ndim:
                raise ArgumentError(
                    f"vmap: {name} differs between entries, and out_axes has None for it; just what is equal for all "
                    "has no axis of them; give an axis"
                )
        else:
            if n.desc.ndim == own.desc.ndim:
                n = selections.broadcast_to(n, (self.size, *n.desc.shape))
            n = moved(n, name, axis)
        is_own = n.inputs and n.alias is None and n.value is None and n.place is None and found.index(found[k]) == k
        return wrap(ir.locate(n if is_own else ir.copied(n)))

    def _written(self) -> list[tuple[Tensor, Node]]:
        """Return (batch, last value of one entry) for batches whose entries the function writes.

        Raises TracingError for other writes.
        """
        places = {e.stand_in._place: e for e in self.entries.values()}
        if self.trace.around is not None:
            self.trace.around.looked.update(self.trace.looked)
        if any(a.place() not in places for a, _ in self.trace.set):
            raise TracingError(
                "vmap: the function sets the gradient of a tensor outside, once for all entries; there is one for each "
                "entry; take gradients with autograd.grad and return them"
            )
        if any(p not in places for p, _ in self.trace.written):
            raise TracingError(
                "vmap: the function writes a tensor that is no argument of it; each entry would write it; return what "
                "it computes, and write outside"
            )
        written = [places[p] for p, _ in self.trace.written]
        self._check_apart(written)
        return [(e.view, n) for e, (_, n) in zip(written, self.trace.written, strict=True)]

    def _check_apart(self, written: Sequence[Entries]) -> None:
        """Raise TracingError if a written batch shares memory with another tensor that the function reads."""
        outer = [current_place(n) for n in walk(self.roots) if n.depth < ir.WAITING] if written else []
        places = [*[e.view._place for e in self.entries.values()], *set(outer)]
        for e in written:
            p = e.view._place
            if places.count(p) > 1 or (p.region is not None and p.region.is_shared()):
                raise TracingError(
                    f"vmap: the function writes {e.name}, which shares memory with another tensor that it reads; a "
                    "loop would see what it wrote for entries before; pass a copy()"
                )

    def _over_batch(self, roots: Sequence[Node]) -> list[Node]:
        """Return the roots, nodes of one entry, rebuilt over the batch."""
        holes = {id(e.hole): node_of(e.view) for e in self.entries.values()}
        below = walk(roots) if self.trace.numbers else ()
        numbers = [n for n in below if n.op is _PLACEHOLDER and n.attrs[1:] and n.attrs[1].owner is self.trace]
        holes |= {id(n): self.trace.number(n) for n in numbers}
        drawn_here = set(map(id, numbers))

        def remade(n: Node, inputs: tuple[Node, ...]) -> Node:
            if n.op is _PHILOX and id(n.inputs[n.attrs[1]]) in drawn_here:
                made = drawn(n, inputs, self.size)
            elif not any(x.desc.ndim > i.desc.ndim for x, i in zip(inputs, n.inputs, strict=True)):
                return over(n, inputs)
            elif n.op is _MAP_BLOCKS:
                made = batched_blocks(n, inputs[:-1], self.size)
            else:
                made = batched(n, inputs, self.size)
            if record_of(made) is not None and record_of(n) is None:
                with_record(made, None)  # it was detached
            return unsure(made) if n in UNSURE else made

        return filled(roots, holes, remade)


def _check_named(f: Callable[..., Any], x: Any) -> None:
    """Raise ArgumentError for a tensor with axes passed by keyword."""
    if isinstance(x, (Tensor, np.ndarray)) and x.ndim:
        raise two_readings(
            f"vmap: {getattr(f, '__name__', 'a function')} has a tensor of shape {tuple(x.shape)} by name",
            "JAX maps it along axis 0, PyTorch passes it on whole",
            "it by place, with its axis or None in in_axes",
        )


def vmap(f: Callable[..., Any] | None = None, in_axes: Any = 0, out_axes: Any = 0) -> Any:
    """Return a function of batches that computes f of every entry and stacks the results, without a loop.

    `in_axes`: the axis of each argument along which its entries lie, None for an argument that all entries share; an
    integer for all arguments, or a tuple with one for each, where a container has a container of axes, or one axis.
    Keyword arguments are passed on unchanged, and must be no tensors with axes.  `out_axes`: the batch axis of the
    results, likewise; None for a result that is the same for all entries.

    f is called once, on stand-ins for one entry.  Numbers that it draws from generators differ between entries.  Raises
    ShapeError if arguments have different numbers of entries, AxisError for axes that they lack, ArgumentError for axes
    of another structure and for tensors by keyword, TracingError if f reads values.

    >>> import weft
    >>> x = weft.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> weft.vmap(lambda v, w: (v @ w, v.sum()), in_axes=(0, None))(x, x)[0].tolist()
    [[7.0, 10.0], [15.0, 22.0]]
    >>> solve = weft.vmap(weft.linalg.solve, in_axes=(None, 1), out_axes=1)
    >>> solve(2 * weft.eye(2), x).tolist()
    [[0.5, 1.0], [1.5, 2.0]]
    """
    if f is None:
        return partial(vmap, in_axes=in_axes, out_axes=out_axes)
    if not callable(f):
        raise ArgumentError(f"vmap: a {type(f).__name__}; a function of one entry is mapped; pass one")

    def mapped(*args: Any, **named: Any) -> Any:
        return BatchedCall(f, in_axes, args, named).result(out_axes)

    return update_wrapper(mapped, f)
