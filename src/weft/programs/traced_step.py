"""Steps of loops and choices: functions of tensors that are traced once and computed repeatedly in one block.

The one idea: a step is a graph with holes for its arguments and for the tensors that it captures, so it is computed for
arrays, built for tensors, differentiated, and mapped over a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from weft import dtypes as dt
from weft.api.standard.creation_functions import zeros
from weft.api.standard.manipulation_functions import broadcast_to
from weft.autograd.record import recording
from weft.autograd.tape import grad
from weft.errors import ArgumentError, TracingError
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import Node, walk
from weft.ir.graph.ops import OPS
from weft.ir.graph.traced import ArgumentName
from weft.ir.pieces.block_operator import IndexStart
from weft.programs.holed_graph import HoledGraph, filled
from weft.programs.pytrees import flattened, mapped, taken_apart
from weft.programs.vmap import vmap
from weft.runtime.compute import stages
from weft.tensors.tensor import Tensor, imported, node_of, tensor_of, wrap, wrap_result
from weft.tensors.tracing import Trace

_SCALAR = OPS["scalar"]


class LoopStep:
    """A graph with holes for the arguments of a step, followed by holes for its captured tensors."""

    def __init__(self, graph: HoledGraph) -> None:
        self.graph = graph

    @property
    def holes(self) -> list[TensorDescription]:
        """Return the descriptions of a step's inputs."""
        return [h.desc for h in self.graph.holes]

    @property
    def roots(self) -> list[TensorDescription]:
        """Return the descriptions of a step's results."""
        return self.graph.descs

    def on_arrays(self, arrays: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
        """Return the results for arrays in C order, for the arguments and then the captured tensors."""
        if self.is_plain and (found := self.graph.on_arrays(arrays)) is not None:
            return found
        nodes = [_stored(a, h) for a, h in zip(arrays, self.graph.holes, strict=True)]
        return [n.value for n in self.graph.computed(nodes)]

    @cached_property
    def is_plain(self) -> bool:
        """True if NumPy has all dtypes of the step, so that arrays can be passed without conversion."""
        return not any(d.dtype.extended for d in (*self.holes, *self.roots))

    def on_tensors(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """Return the results, pending, for tensors: the arguments and then the captured tensors."""
        return [wrap(n) for n in self.graph.filled([node_of(t) for t in tensors])]

    def gradients(self, tensors: Sequence[Tensor], after: Sequence[Tensor]) -> list[Tensor]:
        """Return the gradients of arguments and captured tensors, given the gradients `after` of the results.

        Raises GradientError if an operation of the step has no gradient.
        """
        with recording(True):
            leaves = [_leaf(t) for t in tensors]
            made = self.on_tensors(leaves)
            pairs = [(y, g) for y, g in zip(made, after, strict=True) if y.requires_grad]  # type: ignore[attr-defined]
            wanted = [t for t in leaves if t.requires_grad]  # type: ignore[attr-defined]
            found = iter(grad([y for y, _ in pairs], wanted, [g for _, g in pairs]) if pairs else [None] * len(wanted))
        given = [next(found) if t.requires_grad else None for t in leaves]  # type: ignore[attr-defined]
        return [zeros_of(t) if g is None else g for g, t in zip(given, tensors, strict=True)]


class TracedStep(LoopStep):
    """A function of tensors as a graph over its arguments and over `outer`, the tensors that it captures.

    `results` is the structure of its return value, with a description for each tensor.
    """

    def __init__(self, name: str, f: Callable[..., Any], args: Sequence[Any]) -> None:
        if not callable(f):
            raise ArgumentError(f"{name}: a {type(f).__name__} is no function; a step is one of tensors; pass it")
        trace = Trace(0, None)
        holes: list[Node] = []

        def stand_in(x: Tensor) -> Tensor:
            label = ArgumentName(f"an argument of {name}'s function")
            trace.names.append(label)
            holes.append(ir.placeholder(label, ir.result(x.dtype, x.shape)))
            return wrap_result(holes[-1])

        given = [map_leaves(a, stand_in) for a in args]
        roots: list[Node] = []

        def result(x: Any) -> Any:
            if x is None:
                return None
            roots.append(node_of(imported(x)))
            return ir.result(roots[-1].desc.dtype, roots[-1].desc.shape)

        with trace.taken():
            self.results = taken_apart(f(*given), result)
        own = {t._place for a in given for t in flattened(a)[1] if type(t) is Tensor}
        if trace.slots or any(p not in own for p, _ in trace.written):  # the function's own tensors are freed by now
            raise TracingError(
                f"{name}: its function writes a tensor outside, or takes gradients with backward(); how often depends "
                "on values; return what changes, and take gradients with autograd.grad"
            )
        if (around := Trace.here()) is not None:
            around.looked.update(trace.looked)
        inner = set(holes)
        for n in walk(roots):
            if any(i in inner for i in n.inputs):
                inner.add(n)
        read = [i for n in walk(roots) if n in inner for i in n.inputs if i not in inner and not _is_part(i)]
        outer = list(dict.fromkeys([*read, *[r for r in roots if r not in inner]]))
        more = [ir.placeholder(ArgumentName("an outer tensor"), ir.result(n.desc.dtype, n.desc.shape)) for n in outer]
        self.outer = list(map(tensor_of, outer))
        filling = {id(n): h for n, h in zip(outer, more, strict=True)}
        super().__init__(HoledGraph(filled(roots, filling), [*holes, *more]))


def _is_part(n: Node) -> bool:
    """True if a node stays unchanged in a step's graph: a number or a nested loop's start leaf."""
    return n.op is _SCALAR or isinstance(n.value, IndexStart)


def _leaf(tensor: Tensor) -> Tensor:
    """Return a copy of a tensor that requires gradients, if its dtype can have gradients."""
    made = wrap(ir.copied(node_of(tensor.detach())))  # type: ignore[attr-defined]
    return made.requires_grad_() if tensor.dtype.is_inexact and not tensor.dtype.storage else made  # type: ignore


def _stored(array: np.ndarray, hole: Node) -> Node:
    """Return an array, in the form that block functions get, as a stored node described like a hole."""
    d = hole.desc.dtype
    if not d.extended:
        return ir.stored(hole.desc, np.ascontiguousarray(array).reshape(hole.desc.shape))
    n = ir.astype(ir.stored(ir.result(dt.from_numpy(array.dtype)[0], array.shape), np.asarray(array, order="C")), d)
    stages.compute([n])
    return n


def over_entries(step: LoopStep, tensors: Sequence[Tensor], axes: Sequence[int | None]) -> list[Tensor]:
    """Return the results of a step for entries along `axes` of the tensors (None: shared by all entries)."""
    if all(a is None for a in axes):
        return step.on_tensors(tensors)
    made: list[Tensor] = vmap(lambda *given: step.on_tensors(given), in_axes=tuple(axes))(*tensors)
    return made


def for_all(x: Tensor, own: bool, size: int) -> Tensor:
    """Return a tensor with a leading axis of `size` entries: `x` itself if it has one (`own`), else `x` repeated."""
    return x if own else broadcast_to(x, (size, *x.shape))


def zeros_of(x: Any) -> Tensor:
    """Return zeros of the shape and dtype of a tensor or description."""
    return zeros(x.shape, dtype=x.dtype)


def map_leaves(value: Any, f: Callable[[Any], Any]) -> Any:
    """Return a structure with f(x) in place of each tensor and number x."""
    return mapped(value, lambda x: None if x is None else f(x))
