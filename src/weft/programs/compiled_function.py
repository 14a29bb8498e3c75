"""Compiled functions: functions of tensors that are traced once for each kind of arguments, and then only run.

The one idea: the first call of a kind takes the graph of all results and of all that is written; a call fills in
arrays and numbers, runs the program, and gives written tensors their new versions.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from typing import Any, NamedTuple

import numpy as np

from weft.autograd.record import Accumulator, Record
from weft.autograd.recording import STATE, record_of, recording, with_record
from weft.errors import ArgumentError
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import WAITING, Node, current_place, walk
from weft.ir.graph.ops import OPS
from weft.ir.graph.traced import ArgumentName, TracedNumber, evaluated
from weft.ir.kernels.plan_text import MemoryPlan, memory_plan, show_kernels
from weft.passes.switches import switches
from weft.programs import kind_texts
from weft.programs.holed_graph import HoledGraph, filled
from weft.programs.pytrees import mapped, put_together, taken_apart
from weft.runtime.default_dtype import get_default_dtype
from weft.tensors.place import Place
from weft.tensors.tensor import Tensor, handle_on, imported, node_of, wrap
from weft.tensors.tracing import Trace
from weft.tensors.writing import replace_whole

_PLACEHOLDER = OPS["placeholder"]
_NUMBERS = frozenset([int, float, complex])
_VARIED = "**"
MOST = 1024  # kinds of calls that a function knows


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

    The outputs are results, then the last versions of what the function writes, then gradients that it sets.
    `captured` are tensors that it reads beside its arguments; `written` those that it writes: counts of arguments, or
    places; `gradients` are pairs of an accumulator and the output that is its gradient, negative for none.
    """

    def __init__(self, trace: Trace, results: Any, roots: list[Node], inputs: Sequence[Tensor]) -> None:
        self.results, self.drawn, self.read = results, trace.drawn, trace.read
        self.is_one = type(results) is Result and results.number == 0
        number = {t._place: k for k, t in enumerate(inputs)}
        self.first_written = len(roots)
        self.written: list[int | Place] = [number.get(p, p) for p, _ in trace.written]
        roots += [n for _, n in trace.written]
        self.gradients: list[tuple[Accumulator, int]] = []
        for accumulator, g in trace.set:
            self.gradients.append((accumulator, -1 if g is None else len(roots)))
            roots += [] if g is None else [node_of(g)]
        self._had = [(a, before is not None) for a, before in trace.slots.items()]
        self._trace_graph(roots, inputs, {g._place: a for a, g in trace.slots.items() if g is not None})
        self.recorded = [k for k, n in enumerate(roots) if k < self.first_gradient and isinstance(record_of(n), Record)]

    @property
    def first_gradient(self) -> int:
        """The number of the first output that is a gradient."""
        return self.first_written + len(self.written)

    def _trace_graph(self, roots: list[Node], inputs: Sequence[Tensor], sums: dict[Place, Accumulator]) -> None:
        """Make the graph of some roots; `sums` are gradients of before, which are those of each call."""
        below = walk(roots, lambda n: () if n.value is not None or _is_outer(n) else n.inputs)
        outer = list(filter(_is_outer, below))
        places = [current_place(n) for n in outer]
        self.captured: list[tuple[Place | Accumulator, TensorDescription]] = [
            (sums.get(p, p), n.desc) for p, n in zip(places, outer, strict=True)
        ]
        holes = [_hole(ArgumentName("a captured tensor"), n) for n in outer]
        numbers = [n for n in below if n.op is _PLACEHOLDER and n.attrs[1:]]
        self.numbers: list[TracedNumber] = [n.attrs[1] for n in numbers]
        made = filled(roots, {id(n): h for n, h in zip(outer, holes, strict=True)})
        self.graph = HoledGraph(made, [*[node_of(t) for t in inputs], *holes], numbers)

    def serves(self) -> bool:
        """True if captured tensors are described as they were, and hold the values that the function looked at."""
        for a, had in self._had:
            if (a.grad is not None) is not had:
                return False
        for p, d in self.captured:
            if _captured(p).node.desc is not d:
                return False
        return not self.read or all(p.node is n for n, p in self.read.items())

    def what_changed(self) -> str:
        """Return why this trace no longer serves its kind of call."""
        if any((a.grad is not None) is not had for a, had in self._had):
            return "a gradient that it reads was set or dropped"
        for p, d in self.captured:
            if (now := _captured(p).node.desc) is not d:
                return f"a captured tensor: {kind_texts.of_tensors(d, now) or 'described anew'}"
        return "a tensor whose values it looked at was written"

    def overlap(self, given: Arguments) -> bool:
        """True if a tensor that is written may share memory with another one that is read."""
        places = [*[t._place for t in given.tensors], *[_captured(p) for p, _ in self.captured]]
        places += [p for p in self.written if type(p) is not int and p not in places]  # type: ignore[misc]
        return len(set(places)) < len(places) or any(p.region is not None and p.region.is_shared() for p in places)

    def run(self, given: Arguments) -> Any:
        """Return the results for some arguments, and give written tensors their new versions."""
        nodes, numbers = given.nodes, given.numbers
        if self.captured:
            nodes += [node_of(handle_on(_captured(p))) for p, _ in self.captured]
        told = [x.value(numbers) for x in self.numbers] if self.numbers else ()
        recorded, STATE.on = STATE.on, False  # gradients were taken in the trace
        try:
            made = self.graph.computed(nodes, told)
            if recorded and self.recorded:
                self._record(made, nodes, told)
            self._publish(given, made)
        finally:
            STATE.on = recorded
        if self.is_one:
            return wrap(made[0])
        return put_together(
            self.results, lambda r: wrap(made[r.number]) if r.number >= 0 else evaluated(r.fixed, numbers)
        )

    def _record(self, made: Sequence[Node], nodes: Sequence[Node], numbers: Sequence[Any]) -> None:
        """Give results the records that they would have without the program."""
        with recording(True):
            again = self.graph.filled(nodes, numbers)
        for k in self.recorded:
            with_record(made[k], record_of(again[k]))

    def _publish(self, given: Arguments, made: Sequence[Node]) -> None:
        """Give written tensors their new versions, and accumulators their gradients."""
        for k, target in enumerate(self.written, self.first_written):
            replace_whole(given.tensors[target] if type(target) is int else handle_on(target), made[k])  # type: ignore
        for accumulator, k in self.gradients:
            accumulator.grad = None if k < 0 else wrap(made[k])


def _is_outer(n: Node) -> bool:
    """True if a node is the value of a tensor that was there before a trace."""
    return n.depth < WAITING and current_place(n) is not None


def _captured(p: Place | Accumulator) -> Place:
    """Return the place of a captured tensor, or of the gradient that an accumulator has now."""
    return p if type(p) is Place else p.grad._place  # type: ignore[union-attr]


def _hole(name: ArgumentName, n: Node) -> Node:
    """Return a placeholder described like a node, on its device."""
    made = ir.placeholder(name, n.desc)
    made.traits = None if n.traits is None else n.traits.unrecorded
    return made


class Arguments:
    """The tensors of a call's arguments, their nodes, and the numbers, in order."""

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


class CompiledFunction:
    """A function that is traced once for each kind of call: called as the one that it was made of."""

    def __init__(self, f: Callable[..., Any], static: Sequence[str], redraw: bool) -> None:
        update_wrapper(self, f)
        self._function, self._redraw, self._static = f, redraw, frozenset(static)
        self._names = _parameters(f)
        if not self._static.issubset(self._names) and _VARIED not in self._names:
            raise ArgumentError(
                f"compile: static={sorted(self._static)} of a function of {', '.join(self._names) or 'no arguments'}; "
                "static arguments are named as the function names them; correct the names"
            )
        self._calls: dict[Any, TracedCall] = {}
        self._reasons: deque[str] = deque(maxlen=MOST)  # a line for each trace

    def __repr__(self) -> str:
        name = getattr(self._function, "__name__", "a function")
        return f"<compiled function {name}({', '.join(self._names)}): {self.traces} kinds of calls>"

    def __str__(self) -> str:
        kinds = [f"({kind_texts.arguments_text(self._names, k)})\n{t.graph}" for k, t in self._calls.items()]
        return "\n".join([repr(self), *kinds])

    def explain(self) -> str:
        """Return a line for each time that the function was traced, with what the call differed in from known kinds.

        >>> import weft
        >>> f = weft.compile(lambda x: x * 2)
        >>> _ = f(weft.zeros(3)), f(weft.zeros(4))
        >>> print(f.explain())
        trace 1: (x: float64[3])
        trace 2: x: shape (4,), was (3,)
        """
        return "\n".join(self._reasons)

    def kernels(self) -> str:
        """Return the instructions of the kernels of all kinds of calls so far.

        >>> import weft
        >>> f = weft.compile(lambda x: x + x)
        >>> _ = f(weft.zeros(3))
        >>> print(f.kernels())
        %0 = load() 0 float64
        %1 = add(%0, %0) float64
        """
        found = [show_kernels(plan) for t in self._calls.values() if (plan := t.graph.plan) is not None]
        return "\n\n".join(dict.fromkeys(found))

    def memory(self) -> list[MemoryPlan | None]:
        """Return the memory that a run allocates, for each kind of call in turn.

        None stands for kinds whose calls pass all stages: for these it is planned at each call.

        >>> import weft
        >>> f = weft.compile(lambda x: x + x)
        >>> _ = f(weft.zeros(3))
        >>> f.memory()[0].peak
        24
        """
        return [None if (plan := t.graph.plan) is None else memory_plan(plan) for t in self._calls.values()]

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
            self._note_trace(known, traced)
            if len(self._calls) >= MOST:
                self._calls.clear()
            traced = self._calls[known] = self._trace(args, named, given)
        elif traced.drawn:
            given.numbers += [draw() for draw in traced.drawn]
        if traced.written and traced.overlap(given):
            return self._function(*args, **named)
        return traced.run(given)

    def _note_trace(self, kind: kind_texts.Kind, before: TracedCall | None) -> None:
        """Note why a kind of call is traced; `before` is a trace of it that no longer serves."""
        why = kind_texts.reason(self._names, kind, list(self._calls)) if before is None else before.what_changed()
        why = why or f"({kind_texts.arguments_text(self._names, kind)})"
        self._reasons.append(f"trace {len(self._reasons) + 1}: {why}")

    def _trace(self, args: Any, named: Any, given: Arguments) -> TracedCall:
        """Trace the function for the kind of a call, and add the numbers that it drew to what the call is given."""
        trace = Trace(len(given.numbers), self._redraw)
        inputs = [self._input(trace, k, n) for k, n in enumerate(given.nodes)]
        roots: list[Node] = []

        def result(x: Any) -> Result:
            if type(x) is not Tensor:
                return Result(-1, x)
            roots.append(node_of(x))
            return Result(len(roots) - 1)

        positional, by_name = self._standing_in(args, named, inputs)
        with trace.taken():
            results = taken_apart(self._function(*positional, **by_name), result)  # what it returned is let go of
        del positional, by_name
        given.numbers += trace.samples
        return TracedCall(trace, results, roots, inputs)

    def _input(self, trace: Trace, k: int, n: Node) -> Tensor:
        """Return a tensor that stands for tensor k of the arguments."""
        name = ArgumentName(f"tensor {k} of the arguments of {getattr(self._function, '__name__', 'a function')}")
        trace.names.append(name)
        made = wrap(_hole(name, n))
        return made.requires_grad_() if record_of(n) is not None else made  # type: ignore[attr-defined, no-any-return]

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


def _parameters(f: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of a function's parameters; one is "**" if it takes any, or does not tell."""
    try:
        parameters = inspect.signature(f).parameters
    except (TypeError, ValueError):
        return (_VARIED,)
    return tuple([_VARIED if p.kind is p.VAR_KEYWORD else name for name, p in parameters.items()])


def compile(
    f: Callable[..., Any] | None = None, /, *, static: str | Sequence[str] = (), repeat_random: bool = False
) -> Any:
    """Return a function of tensors and numbers that is traced once for each kind of call, and then runs a program.

    `f` takes and returns tensors, numbers and other values, in lists, tuples, dictionaries, dataclasses, named tuples
    and types of `register_pytree`.  A kind of call is the structure of its arguments, the shape, dtype and layout of
    tensors, the types of numbers, and the values of all else (bools, texts) and of arguments named in `static`.
    Tensors that `f` reads beside its arguments have their values of each call; what `f` writes is written at each call,
    in its order.  Generators draw new numbers at each call, unless `repeat_random`.  Results are tensors of their own,
    also where `f` returns an argument or a view.

    Raises ArgumentError for what is no function, and for static names that it has not.  Calls raise TracingError where
    what `f` does depends on the values of tensors or of numbers that are not static.

    >>> import weft
    >>> w = weft.variable([1.0, 2.0])
    >>> @weft.compile
    ... def step(x, rate):
    ...     error = x - w
    ...     weft.assign(w, w + rate * error)
    ...     return (error**2).sum()
    >>> [step(weft.asarray([3.0, 3.0]), rate).item() for rate in (0.5, 0.25)], w.tolist(), step.traces
    ([5.0, 1.25], [2.25, 2.625], 1)
    """
    names = (static,) if isinstance(static, str) else tuple(static)
    if f is None:
        return partial(compile, static=names, repeat_random=repeat_random)
    if not callable(f):
        raise ArgumentError(f"compile: a {type(f).__name__}; a function of tensors is compiled; pass one")
    return CompiledFunction(f, names, not repeat_random)
