"""Entries of batches: their axes in arguments, their stand-ins, and their axes in results.

The one idea: a stand-in is described like a view of one entry: its strides, its byte order, its origin, its record.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from weft.api.arguments import integer
from weft.autograd.record import record_of
from weft.errors import ArgumentError, AxisError, ShapeError
from weft.interop.imports import as_operand
from weft.ir.atoms import selections
from weft.ir.graph import node as ir
from weft.ir.graph.description import describe
from weft.ir.graph.node import Node
from weft.ir.graph.traced import DRAWN, ArgumentName, TracedNumber, number_of_call, with_numbers
from weft.programs.pytrees import names_of, taken_apart
from weft.tensors.operators import is_operand
from weft.tensors.tensor import Tensor, handle, node_of, wrap_result
from weft.tensors.tracing import Trace


class Entries(NamedTuple):
    """A batched tensor argument: `view` with the entries along axis 0, and a stand-in for one entry with its hole."""

    name: str
    view: Tensor
    stand_in: Tensor
    hole: Node


class EntryTrace(Trace):
    """The trace of a function of one entry: a generator draws once, for all entries."""

    def __init__(self) -> None:
        super().__init__(0, True)
        self.around = Trace.here()
        self.numbers: list[Any] = []  # random numbers drawn once for all entries

    def draw(self, f: Callable[[], Any]) -> Any:
        """Return a traced number in place of the random number that `f` draws, once for all entries.

        Every entry gets a random field of its own from it.
        """
        k, number = len(self.numbers), f() if self.around is None else self.around.draw(f)
        self.numbers.append(number)
        is_traced = type(number) is TracedNumber
        made = number_of_call(number.sample if is_traced else number, k, DRAWN)
        made.owner, made.batches = self, 1 + (number.batches if is_traced else 0)
        return made

    def number(self, n: Node) -> Node:
        """Return the node, outside this trace, of the drawn number that placeholder `n` stands for.

        Raises TracingError if it depends on numbers of several traces.
        """
        return ir.number(with_numbers(n.attrs[1], self.numbers), n.desc.dtype)


def entries_of(name: str, x: Any, axis: int) -> Entries:
    """Return an argument with a stand-in for one entry along an axis.

    `name` is named in errors. Raises ArgumentError if it is no tensor or array, AxisError if it lacks the axis,
    DTypeError for an object without numbers.
    """
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
    made = wrap_result(hole)
    if record_of(n) is not None:
        made.requires_grad_()  # type: ignore[attr-defined]
    return Entries(name, t if front is n else handle(t, front), made, hole)


def names_of_arguments(f: Callable[..., Any], structure: Any) -> list[str]:
    """Return the names of the leaves in a function's positional arguments."""
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    found = []
    for k, child in enumerate(structure.children):
        placed = k < len(parameters) and parameters[k].kind < inspect.Parameter.VAR_POSITIONAL
        found += names_of(child, f"argument {parameters[k].name}" if placed else f"argument {k}")
    return found


def axes_of(what: str, axes: Any) -> Any:
    """Return the structure of `axes` with integers and None as leaves; an outer list counts as a tuple.

    Raises DTypeError, which names the parameter `what`, for other leaves.
    """

    def leaf(x: Any) -> int | None:
        return None if x is None else integer("vmap", what, x)

    return taken_apart(tuple(axes) if type(axes) is list else axes, leaf)


def unlike(what: str, axes: Any) -> ArgumentError:
    """Return the ArgumentError for axes whose structure differs from that of the arguments or results."""
    given = "the arguments" if what == "in_axes" else "the results"
    return ArgumentError(
        f"vmap: {what}={axes!r:.80} has another structure than {given}; it has an axis or None for each, or for a "
        "container of them; give one axis for all, or a tuple with one for each"
    )


def size_of(entries: Iterable[Entries]) -> int:
    """Return the number of entries; raises ShapeError if arguments differ in it, ArgumentError if none is mapped."""
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


def moved(n: Node, name: str, axis: int) -> Node:
    """Return a node with its first axis moved to `axis`; raises AxisError if that is no axis."""
    ndim = n.desc.ndim
    if not -ndim <= axis < ndim:
        raise AxisError(
            f"vmap: {name} with its entries along axis {axis}; its axes then run from {-ndim} to {ndim - 1}; "
            "give one of them in out_axes"
        )
    order = list(range(1, ndim))
    order.insert(axis % ndim, 0)
    return n if axis % ndim == 0 else selections.permute(n, order)
