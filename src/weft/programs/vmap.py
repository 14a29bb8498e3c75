"""`vmap`: a function of one entry as a function of a batch of them.

The one idea: the function is called once, with stand-ins for one entry, which gives the graph of its results; then each
node is built again over the batch (`weft.passes.batching`).  What comes out is an expression like any other: lazy, part
of compiled functions, differentiable, and batched again by another vmap.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import partial, update_wrapper
from typing import Any, NamedTuple

import numpy as np

from weft.api.arguments import integer
from weft.api.habits import accept_habits, two_readings
from weft.autograd.recording import record_of, with_record
from weft.errors import ArgumentError, AxisError, ShapeError, TracingError
from weft.interop.imports import as_operand
from weft.ir.atoms import selections
from weft.ir.graph import node as ir
from weft.ir.graph.description import describe
from weft.ir.graph.node import Node, walk
from weft.ir.graph.ops import OPS
from weft.ir.graph.traced import ArgumentName, TracedNumber, of_traced
from weft.passes.batching.batching_rules import batched, drawn
from weft.programs.batched_blocks import batched_blocks
from weft.programs.holed_graph import filled, over
from weft.programs.pytrees import names_of, put_together, spread, taken_apart
from weft.runtime.compute.stages import UNSURE, unsure
from weft.tensors.operators import is_operand
from weft.tensors.tensor import Tensor, handle, imported, node_of, wrap
from weft.tensors.tracing import Trace

_MAP_BLOCKS, _PHILOX, _PLACEHOLDER = OPS["map_blocks"], OPS["philox"], OPS["placeholder"]


class Entries(NamedTuple):
    """A tensor of an argument with its entries along axis 0, `view`, and what stands for one of them."""

    name: str
    view: Tensor
    stand_in: Tensor
    hole: Node


class EntryTrace(Trace):
    """The trace of a function of one entry: a generator draws once, for all entries."""

    def __init__(self) -> None:
        super().__init__(0, True)
        self.around = Trace.here()
        self.numbers: list[Any] = []  # drawn once for all entries

    def draw(self, f: Callable[[], Any]) -> Any:
        """Return a number of which each entry has fields of its own."""
        k, number = len(self.numbers), f() if self.around is None else self.around.draw(f)
        self.numbers.append(number)
        is_traced = type(number) is TracedNumber
        made = TracedNumber(number.sample if is_traced else number, lambda numbers: numbers[k])
        made.owner, made.batches = self, 1 + (number.batches if is_traced else 0)
        return made

    def number(self, n: Node) -> Node:
        """Return the node of a number that was drawn, as it is outside this trace."""
        value = n.attrs[1].value
        return ir.number(of_traced(lambda *numbers: value(numbers))(*self.numbers), n.desc.dtype)


def _entries(name: str, x: Any, axis: int) -> Entries:
    """Return an argument's tensor with a stand-in for one entry along an axis; raises ShapeError, AxisError."""
    if not isinstance(x, np.ndarray) and not is_operand(x):
        raise ArgumentError(
            f"vmap: {name} is {x!r:.60}, mapped along axis {axis}; entries lie along an axis of a tensor; give in_axes "
            "with None in its place"
        )
    t = as_operand(x)
    if not -t.ndim <= axis < t.ndim:
        has = f"axes run from {-t.ndim} to {t.ndim - 1}" if t.ndim else "it has no axis"
        raise AxisError(f"vmap: {name} of shape {t.shape}, mapped along axis {axis}; {has}; give another in in_axes")
    n = node_of(t)
    axis %= t.ndim
    front = n if axis == 0 else selections.permute(n, [axis, *[a for a in range(t.ndim) if a != axis]])
    d = front.desc
    if d.origin is not None and d.origin[0]:
        front = selections.translate(front, (-d.origin[0], *[0] * (d.ndim - 1)))
    label = ArgumentName(name)
    label.by = "vmap"
    rest = [None if part is None else part[1:] for part in (d.strides, d.origin)]
    hole = ir.placeholder(label, describe(d.dtype, d.shape[1:], rest[0], d.big, rest[1], d.read_only))
    hole.traits = None if n.traits is None else n.traits.unrecorded
    made = wrap(hole)
    if record_of(n) is not None:
        made.requires_grad_()  # type: ignore[attr-defined]
    return Entries(name, t if front is n else handle(t, front), made, hole)


class BatchedCall:
    """A call of a function with batches in the place of entries."""

    def __init__(self, f: Callable[..., Any], in_axes: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        leaves: list[Any] = []
        structure = taken_apart(args, lambda x: leaves.append(x) or len(leaves) - 1)  # type: ignore[func-returns-value]
        names = _names(f, structure)
        taken_apart(named, partial(_check_named, f))
        self.entries: dict[int, Entries] = {}
        for k, axis in enumerate(spread(_axes("in_axes", in_axes), structure, partial(_unlike, "in_axes", in_axes))):
            if axis is not None and leaves[k] is not None:
                self.entries[k] = _entries(names[k], leaves[k], axis)
        self.size = _size(self.entries.values())
        self.trace = EntryTrace()
        self.trace.names += [e.hole.attrs[0] for e in self.entries.values()]
        self.roots: list[Node] = []
        given = put_together(structure, lambda k: self.entries[k].stand_in if k in self.entries else leaves[k])
        with self.trace.taken():
            self.results = taken_apart(f(*given, **named), self._result)

    def _result(self, x: Any) -> Any:
        """Return the number of a tensor among the results; None as it is."""
        if x is None:
            return None
        if not is_operand(x) and not isinstance(x, (bool, int, float, complex, np.ndarray)):
            raise ArgumentError(
                f"vmap: the function returns {x!r:.60}; results are tensors and numbers, in containers; leave it out"
            )
        self.roots.append(node_of(imported(x)))
        return len(self.roots) - 1

    def made(self, out_axes: Any) -> Any:
        """Return the results for the batch, with its axis where `out_axes` says."""
        written = self._written()
        found = self._over_batch([*self.roots, *[n for _, n in written]])
        count = len(self.roots)
        for (target, _), n in zip(written, found[count:], strict=True):
            target[...] = wrap(n)  # type: ignore[index]
        leaves: list[Any] = []
        taken_apart(put_together(self.results, lambda k: k), leaves.append)
        names = names_of(self.results, "result")
        axes = spread(_axes("out_axes", out_axes), self.results, partial(_unlike, "out_axes", out_axes))
        places = iter(zip(names, axes, strict=True))
        return put_together(self.results, lambda k: self._placed(k, found, *next(places)))

    def _placed(self, k: int | None, found: Sequence[Node], name: str, axis: int | None) -> Tensor | None:
        """Return a result as a tensor of its own with the batch along an axis."""
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
            n = _moved(n, name, axis)
        is_own = n.inputs and n.alias is None and n.value is None and n.place is None and found.index(found[k]) == k
        return wrap(ir.locate(n if is_own else ir.copied(n)))

    def _written(self) -> list[tuple[Tensor, Node]]:
        """Return the batches of which the function writes an entry, with its last value; raises TracingError."""
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
        return [(places[p].view, n) for p, n in self.trace.written]

    def _over_batch(self, roots: Sequence[Node]) -> list[Node]:
        """Return the nodes of one entry over the batch."""
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
                made = batched_blocks(n, inputs[:-1], self.size, vmap)
            else:
                made = batched(n, inputs, self.size)
            if record_of(made) is not None and record_of(n) is None:
                with_record(made, None)  # it was detached
            return unsure(made) if n in UNSURE else made

        return filled(roots, holes, remade)


def _names(f: Callable[..., Any], structure: Any) -> list[str]:
    """Return the names of the leaves of a function's arguments by place."""
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    found = []
    for k, child in enumerate(structure.children):
        placed = k < len(parameters) and parameters[k].kind < inspect.Parameter.VAR_POSITIONAL
        found += names_of(child, f"argument {parameters[k].name}" if placed else f"argument {k}")
    return found


def _check_named(f: Callable[..., Any], x: Any) -> None:
    """Raise ArgumentError for a tensor with axes that is given by name."""
    if isinstance(x, (Tensor, np.ndarray)) and x.ndim:
        raise two_readings(
            f"vmap: {getattr(f, '__name__', 'a function')} has a tensor of shape {tuple(x.shape)} by name",
            "JAX maps it along axis 0, PyTorch passes it on whole",
            "it by place, with its axis or None in in_axes",
        )


def _axes(what: str, axes: Any) -> Any:
    """Return the structure of axes with integers and None as leaves; a list for all arguments counts as a tuple."""

    def leaf(x: Any) -> int | None:
        return None if x is None else integer("vmap", what, x)

    return taken_apart(tuple(axes) if type(axes) is list else axes, leaf)


def _unlike(what: str, axes: Any) -> ArgumentError:
    """Return the error to raise for axes of another structure."""
    given = "the arguments" if what == "in_axes" else "the results"
    return ArgumentError(
        f"vmap: {what}={axes!r:.80} has another structure than {given}; it has an axis or None for each, or for a "
        "container of them; give one axis for all, or a tuple with one for each"
    )


def _size(entries: Iterable[Entries]) -> int:
    """Return the number of entries; raises ShapeError where arguments differ in it, ArgumentError if none has any."""
    sizes = {e.name: e.view.shape[0] for e in entries}
    if not sizes:
        raise ArgumentError(
            "vmap: no argument is mapped; the number of entries is the size of an axis; give an axis in in_axes"
        )
    if len(set(sizes.values())) > 1:
        told = ", ".join([f"{name} has {size}" for name, size in sizes.items()])
        raise ShapeError(
            f"vmap: different numbers of entries: {told}; the mapped axes are of one size; slice them, or give None in "
            "in_axes for what all entries share"
        )
    return next(iter(sizes.values()))


def _moved(n: Node, name: str, axis: int) -> Node:
    """Return a node with its first axis moved to another place; raises AxisError if there is none."""
    ndim = n.desc.ndim
    if not -ndim <= axis < ndim:
        raise AxisError(
            f"vmap: {name} with its entries along axis {axis}; its axes then run from {-ndim} to {ndim - 1}; "
            "give one of them in out_axes"
        )
    order = list(range(1, ndim))
    order.insert(axis % ndim, 0)
    return n if axis % ndim == 0 else selections.permute(n, order)


def vmap(f: Callable[..., Any] | None = None, in_axes: Any = 0, out_axes: Any = 0) -> Any:
    """Return a function of batches that computes f of every entry: results are stacked, and no loop is run.

    `in_axes`: the axis of each argument along which its entries lie, None for one that all entries share; an integer
    for all arguments, or a tuple with one for each, where a container has a container of axes, or one axis.  What is
    given by name is passed on as it is, and is no tensor with axes.  `out_axes`: where the results have that axis,
    likewise; None for a result that is the same for all.

    f is called once, on stand-ins for one entry.  Numbers that it draws from generators differ between entries.

    Raises ShapeError where arguments have different numbers of entries, AxisError for axes that they do not have,
    ArgumentError for axes of another structure and for tensors by name, TracingError where f looks at values.

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
        return BatchedCall(f, in_axes, args, named).made(out_axes)

    return update_wrapper(mapped, f)


__all__ = ["vmap"]
accept_habits(globals())
