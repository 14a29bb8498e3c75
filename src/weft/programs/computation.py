"""Computations: expressions kept as functions of the tensors that they are given.

The one idea: a computation is the graph of its outputs with a hole for every input and every persistent tensor; a call
fills the holes, inputs with what is passed and the others with their current versions, and computes.  The filled graph
has the key of the first one, so the program is planned and compiled once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft.errors import ArgumentError, DTypeError, ShapeError, ValueRangeError
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.programs.holed_graph import HoledGraph, filled
from weft.programs.kinds import is_placeholder, kind, lasts
from weft.runtime.fork_safety import late
from weft.tensors import tensor
from weft.tensors.pending_limits import Limits
from weft.tensors.place import Place
from weft.tensors.tensor import Tensor, node_of, wrap
from weft.tensors.writing import check_kind


class Computation:
    """A function of tensors, made by `computation`: call it with one value for every input."""

    def __init__(self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], single: bool) -> None:
        self.inputs = [_input(x) for x in inputs]  # what the holes are like
        self._single = single
        for x in outputs:
            if not isinstance(x, Tensor):
                raise DTypeError(f"computation: an output of type {type(x).__name__}; outputs are tensors; build them")
        self._places: list[Place] = [x._place for x in inputs]
        holes = {id(node_of(x)): hole for x, hole in zip(inputs, self.inputs, strict=True)}
        if len(holes) < len(inputs):
            raise ValueRangeError(
                "computation: one tensor is several of the inputs; each takes a value of its own; name it once"
            )
        roots = [node_of(y) for y in outputs]
        for n, place in _lasting(roots):
            if id(n) not in holes:
                if place not in self._places:
                    self._places.append(place)
                    self.inputs.append(_hole(n))
                holes[id(n)] = self.inputs[self._places.index(place)]
        for n in ir.walk(roots):
            if n.op is OPS["placeholder"] and id(n) not in holes:
                raise ValueRangeError(
                    f"computation: placeholder {n.attrs[0]!r} of {n.desc!r} is needed and no input; a call could give "
                    "it no value; name it among the inputs"
                )
        self._given = len(inputs)
        self._graph = HoledGraph(filled(roots, holes), self.inputs)

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Return the outputs, one tensor or a tuple, computed for these values of the inputs.

        Values are given in the order of the inputs, by the names of placeholders, or as one dictionary by name or by
        input.  Raises ValueRangeError for another number of values, ArgumentError for names that are unknown, missing
        or not of one input, ShapeError and DTypeError for values that do not fit.
        """
        if named or (len(values) == 1 and type(values[0]) is dict):
            values = self._in_order(values, named)
        if len(values) != self._given:
            raise ValueRangeError(
                f"computation: {len(values)} values for {self._given} inputs; each needs one; pass them in order"
            )
        nodes = [_fitting(k, v, hole) for k, (v, hole) in enumerate(zip(values, self.inputs, strict=False))]
        nodes += [_plain(p.node) for p in self._places[self._given :]]
        made = tuple([wrap(n) for n in self._graph.computed(nodes)])
        return made[0] if self._single else made

    def _in_order(self, values: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """Return values that are given by name, or in a dictionary, in the order of the inputs."""
        given = named if not values else values[0]
        names = [h.attrs[0] for h in self.inputs[: self._given]]
        if (values and named) or type(given) is not dict:
            raise ArgumentError(
                f"computation: {len(values)} values in order and {len(named)} by name; inputs are given in one way; "
                "give all by name, or all in order"
            )
        numbers = {p: k for k, p in enumerate(self._places[: self._given])}
        order: dict[int, Any] = {}
        for key, value in given.items():
            k = (
                numbers.get(key._place, -1)
                if type(key) is Tensor
                else names.index(key)
                if names.count(key) == 1
                else -1
            )
            if k < 0 or k in order:
                raise ArgumentError(
                    f"computation: a value for {key!r:.60}, which names no input or one that has its value; the inputs "
                    f"are {', '.join(map(str, names))}; name each once"
                )
            order[k] = value
        return tuple([order[k] for k in sorted(order)])

    @classmethod
    def of_graph(
        cls, roots: Sequence[Node], inputs: Sequence[Node], lasting: Sequence[Tensor], single: bool
    ) -> Computation:
        """Return the computation of a graph whose holes are `inputs`, the last of them for persistent tensors."""
        made = cls([], [], single)
        made.inputs, made._graph, made._given = list(inputs), HoledGraph(roots, inputs), len(inputs) - len(lasting)
        made._places = [t._place for t in [*[wrap(n) for n in inputs[: made._given]], *lasting]]
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        pickles = late("weft.interop.pickled_computations")
        return pickles.reduced(self._graph.roots, self.inputs, self._places[self._given :], self._single)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        given = ", ".join(f"{h.attrs[0]}: {h.desc!r}" for h in self.inputs[: self._given])
        return f"<computation ({given}) -> ({', '.join(repr(r.desc) for r in self._graph.roots)})>"


def computation(outputs: Tensor | Sequence[Tensor], *inputs: Tensor) -> Computation:
    """Return a function of tensors that computes the outputs for new values of the inputs.

    Inputs are placeholders, or whole persistent tensors and variables, which are replaced at each call; persistent
    tensors that are no inputs are read in the version that they have at the call.  Raises ValueRangeError and
    DTypeError for other inputs and outputs, and ValueRangeError for placeholders that are needed and no inputs.

    >>> import weft
    >>> x, w = weft.placeholder((2,), name="x"), weft.variable([1.0, 10.0])
    >>> f = weft.computation((x * w).sum(), x)
    >>> f([1.0, 2.0]).item()
    21.0
    >>> w[0] = 5
    >>> f(x=[1.0, 2.0]).item(), f({x: [1.0, 3.0]}).item()
    (25.0, 35.0)
    """
    single = isinstance(outputs, Tensor)
    if not single and not isinstance(outputs, (list, tuple)):
        raise DTypeError(
            f"computation: outputs {outputs!r:.60}; they are one tensor, or several in a list or tuple; pass them so"
        )
    return Computation([outputs] if isinstance(outputs, Tensor) else list(outputs), inputs, single)


def _input(x: Tensor) -> Node:
    """Return the hole for an input; raises DTypeError or ValueRangeError for tensors that take no value."""
    if not isinstance(x, Tensor):
        raise DTypeError(f"computation: an input of type {type(x).__name__}; inputs are tensors; pass a placeholder")
    if not kind(x).input or x._view is not None or not (lasts(x._place) or is_placeholder(x)):
        raise ValueRangeError(
            f"computation: an input of shape {x.shape} that takes no value; inputs are placeholders, persistent "
            "tensors and variables, whole; make it one of these"
        )
    return _hole(node_of(x))


def _hole(n: Node) -> Node:
    """Return a placeholder node described like n."""
    name = n.attrs[0] if n.op is OPS["placeholder"] else "input"
    return ir.placeholder(name, ir.result(n.desc.dtype, n.desc.shape, n.desc.origin))


def _fitting(k: int, value: Any, hole: Node) -> Node:
    """Return a value passed for input k as a node of the hole's dtype; raises ShapeError or DTypeError if it does not
    fit.
    """
    given = value if isinstance(value, Tensor) else tensor.imported(value)
    d, n = hole.desc, node_of(given)
    if n.desc.shape != d.shape:
        raise ShapeError(
            f"computation: a value of shape {n.desc.shape} for input {k} ({hole.attrs[0]}) of shape {d.shape}; they "
            "agree; reshape it"
        )
    check_kind(f"computation: input {k} ({hole.attrs[0]})", n, d.dtype)
    if Limits.watcher is not None:
        Limits.watcher.written("computation", n, d)
    return _plain(ir.astype(n, d.dtype))


def _plain(n: Node) -> Node:
    """Return the node, or a copy of it, row-major, native and with the graph's origin, as holes are described."""
    return n if n.desc is ir.result(n.desc.dtype, n.desc.shape, n.desc.origin) else ir.copied(n)


def _lasting(roots: Sequence[Node]) -> list[tuple[Node, Place]]:
    """Return (version, place) of every persistent tensor that the graph reads; expressions behind versions are left
    out.
    """
    found: list[tuple[Node, Place]] = []
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        n = stack.pop()
        if id(n) in seen:
            continue
        seen.add(id(n))
        place = ir.place_of(n)
        if place is not None and lasts(place):
            found.append((n, place))
        elif n.value is None:
            stack.extend(n.inputs)
    return found
