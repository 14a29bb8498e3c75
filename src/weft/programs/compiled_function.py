"""Compiled functions: functions of tensors that are traced once for each kind of arguments, and then only run.

The one idea: the first call of a kind takes the graph of all results and of all that is written; a call fills in
arrays and numbers, runs the program, and gives written tensors their new versions.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from typing import Any, NamedTuple

import numpy as np

from weft.autograd.recording import STATE
from weft.errors import ArgumentError
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import WAITING, Node, current_place, walk
from weft.ir.graph.ops import OPS
from weft.ir.graph.traced import ArgumentName, TracedNumber, evaluated
from weft.passes.switches import switches
from weft.programs.holed_graph import HoledGraph, filled
from weft.programs.pytrees import mapped, put_together, taken_apart
from weft.runtime.compute import stages
from weft.runtime.default_dtype import get_default_dtype
from weft.tensors.place import Place, realized
from weft.tensors.tensor import Tensor, handle_on, imported, node_of, wrap
from weft.tensors.tracing import Trace
from weft.tensors.writing import replace_whole

_PLACEHOLDER = OPS["placeholder"]
_NUMBERS = frozenset([int, float, complex])


class Static(NamedTuple):
    """An argument that is part of the kind of a call, with its type, as 1 and True are equal."""

    kind: type
    value: Any


class Result(NamedTuple):
    """A part of what a call returns: output `number` of the graph, or for -1 a number or a fixed value."""

    number: int
    fixed: Any = None


class TracedCall:
    """A function as traced for one kind of call: its graph, and what a call does with the graph's outputs.

    `captured` are tensors that the function reads beside its arguments; `written` those that it writes: counts of
    arguments, or places.  Their last versions follow the results among the outputs.
    """

    def __init__(self, trace: Trace, results: Any, roots: list[Node], inputs: Sequence[Tensor]) -> None:
        self.results, self.drawn, self.read = results, trace.drawn, trace.read
        self.is_one = type(results) is Result and results.number == 0
        number = {t._place: k for k, t in enumerate(inputs)}
        self.written: list[int | Place] = [number.get(p, p) for p, _ in trace.written]
        roots += [n for _, n in trace.written]
        below = walk(roots)
        outer = [n for n in below if n.depth < WAITING and current_place(n) is not None]
        self.captured: list[tuple[Place, TensorDescription]] = [(current_place(n), n.desc) for n in outer]
        holes = [_hole("a captured tensor", n) for n in outer]
        numbers = [n for n in below if n.op is _PLACEHOLDER and n.attrs[1:]]
        self.numbers: list[TracedNumber] = [n.attrs[1] for n in numbers]
        roots = filled(roots, {id(n): h for n, h in zip(outer, holes, strict=True)})
        self.graph = HoledGraph(roots, [*[node_of(t) for t in inputs], *holes], numbers)

    def serves(self) -> bool:
        """True if captured tensors are described as they were, and hold the values that the function looked at."""
        for p, d in self.captured:
            if p.node.desc is not d:
                return False
        return not self.read or all(p.node is n for n, p in self.read.items())

    def run(self, given: Arguments) -> Any:
        """Return the results for some arguments, and give written tensors their new versions."""
        nodes, numbers = given.nodes, given.numbers
        if self.captured:
            nodes += [node_of(handle_on(p)) for p, _ in self.captured]
        for k, n in enumerate(nodes):
            if n.traits is not None or (n.value is None and (n.alias is None or n.alias[0].value is None)):
                nodes[k] = _stored(n)
        made = self.graph.computed(nodes, [x.value(numbers) for x in self.numbers] if self.numbers else ())
        if self.written:
            for target, n in zip(self.written, made[len(made) - len(self.written) :], strict=True):
                replace_whole(given.tensors[target] if type(target) is int else handle_on(target), n)  # type: ignore
        if self.is_one:
            return wrap(made[0])
        return put_together(
            self.results, lambda r: wrap(made[r.number]) if r.number >= 0 else evaluated(r.fixed, numbers)
        )


class Arguments:
    """What a call is given: tensors, their nodes, and numbers, in order."""

    __slots__ = ("nodes", "numbers", "tensors")

    def __init__(self) -> None:
        self.tensors: list[Tensor] = []
        self.nodes: list[Node] = []
        self.numbers: list[Any] = []

    def tensor(self, x: Tensor) -> Any:
        """Add a tensor, and return its part in the kind of a call."""
        n = node_of(x)
        self.tensors.append(x)
        self.nodes.append(n)
        return n.desc if n.traits is None else (n.desc, n.traits.device, n.traits.record is not None)

    def leaf(self, x: Any) -> Any:
        """Add a part of an argument, and return its part in the kind of a call."""
        kind = type(x)
        if kind in _NUMBERS:
            self.numbers.append(x)
            return kind
        if kind is Tensor:
            return self.tensor(x)
        return self.tensor(imported(x)) if isinstance(x, (np.ndarray, np.generic)) else Static(kind, x)


def _hole(name: str, n: Node) -> Node:
    """Return a placeholder described like a node, on its device."""
    made = ir.placeholder(ArgumentName(name), n.desc)
    made.traits = None if n.traits is None else n.traits.unrecorded
    return made


def _stored(n: Node) -> Node:
    """Return the node of an argument computed, and without a record."""
    if n.value is None and (n.alias is None or n.alias[0].value is None):
        stages.compute([realized(n)])
    if n.traits is None or n.traits.record is None:
        return n
    plain = ir.stored(n.desc, n.value)
    plain.alias, plain.traits = n.alias, n.traits.unrecorded
    return plain


class CompiledFunction:
    """A function that is traced once for each kind of call: called as the one that it was made of."""

    def __init__(self, f: Callable[..., Any], static: Sequence[str], redraw: bool) -> None:
        update_wrapper(self, f)
        self._function, self._redraw, self._static = f, redraw, frozenset(static)
        self._names = tuple(inspect.signature(f).parameters)
        self._calls: dict[Any, TracedCall] = {}

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self if instance is None else partial(self, instance)

    @property
    def traces(self) -> int:
        """The number of kinds of calls so far, each of which was traced."""
        return len(self._calls)

    def __call__(self, *args: Any, **named: Any) -> Any:
        if Trace.active and Trace.here() is not None:
            return self._function(*args, **named)
        given = Arguments()
        kind: list[Any] = [switches(), get_default_dtype(), STATE.on]
        for k, x in enumerate(args):
            if type(x) is Tensor:
                kind.append(given.tensor(x))
            else:
                kind.append(Static(type(x), x) if self._is_static(k) else taken_apart(x, given.leaf))
        for name in sorted(named) if named else ():
            x = named[name]
            kind.append((name, Static(type(x), x) if name in self._static else taken_apart(x, given.leaf)))
        known = tuple(kind)
        try:
            traced = self._calls.get(known)
        except TypeError as error:
            raise ArgumentError(
                f"compile: an argument that cannot be compared ({error}); arguments are tensors, numbers, containers "
                "of them, or hashable; register its type with register_pytree"
            ) from error
        if traced is None or not traced.serves():
            return self._first(known, args, named, given)
        if traced.drawn:
            given.numbers += [draw() for draw in traced.drawn]
        return traced.run(given)

    def _first(self, kind: Any, args: Any, named: Any, given: Arguments) -> Any:
        """Trace the function for a kind of call, and return what it gives for the arguments."""
        trace = Trace(len(given.numbers), self._redraw)
        inputs = [_input(n) for n in given.nodes]
        call, roots = self._standing_in(args, named, inputs), list[Node]()

        def result(x: Any) -> Result:
            if type(x) is not Tensor:
                return Result(-1, x)
            roots.append(node_of(x))
            return Result(len(roots) - 1)

        with trace.taken():
            results = taken_apart(self._function(*call[0], **call[1]), result)  # what it made itself is let go of
        del call
        traced = self._calls[kind] = TracedCall(trace, results, roots, inputs)
        given.numbers += trace.samples
        return traced.run(given)

    def _standing_in(self, args: Any, named: Any, inputs: Sequence[Tensor]) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments of a call with placeholders for tensors and traced numbers for numbers."""
        tensors, count = iter(inputs), iter(range(1 << 30))

        def leaf(x: Any) -> Any:
            if type(x) in _NUMBERS:
                k = next(count)
                return TracedNumber(x, lambda numbers: numbers[k])
            return next(tensors) if isinstance(x, (Tensor, np.ndarray, np.generic)) else x

        positional = [x if self._is_static(k) else mapped(x, leaf) for k, x in enumerate(args)]
        return positional, {k: named[k] if k in self._static else mapped(named[k], leaf) for k in sorted(named)}

    def _is_static(self, k: int) -> bool:
        """True if argument k is part of the kind of a call by its value."""
        return bool(self._static) and k < len(self._names) and self._names[k] in self._static


def _input(n: Node) -> Tensor:
    """Return a tensor that stands for an argument while a function is traced."""
    made = wrap(_hole("an argument", n))
    return made.requires_grad_() if n.traits is not None and n.traits.record is not None else made  # type: ignore


def compile(  # noqa: A001
    f: Callable[..., Any] | None = None, /, *, static: str | Sequence[str] = (), repeat_random: bool = False
) -> Any:
    """Return a function that is traced once for each kind of call, and then runs as one program.

    >>> import weft
    >>> @weft.compile
    ... def step(x, rate):
    ...     return x - rate * (2 * x)
    >>> step(weft.asarray([1.0, 2.0]), 0.25).tolist()
    [0.5, 1.0]
    """
    names = (static,) if isinstance(static, str) else tuple(static)
    if f is None:
        return partial(compile, static=names, repeat_random=repeat_random)
    if not callable(f):
        raise ArgumentError(f"compile: a {type(f).__name__}; a function of tensors is compiled; pass one")
    return CompiledFunction(f, names, not repeat_random)
