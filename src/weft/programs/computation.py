"""Computations: expressions and effects kept as functions of the tensors that they are given.

The one idea: a computation is a traced call whose inputs have names, with a hole for every input and every persistent
tensor; a call fills them with the passed values and current versions, computes, and writes.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from weft.errors import ArgumentError, ClosedError, DTypeError, ShapeError, TracingError, ValueRangeError
from weft.ir.graph import node as ir
from weft.ir.graph.node import Node
from weft.ir.graph.ops import OPS
from weft.ir.kernels.plan_text import MemoryPlan
from weft.modes.implicit_conversions import of_write
from weft.programs.kinds import is_placeholder, kind, lasts
from weft.programs.pytrees import flattened, put_together
from weft.programs.steps import StepRun, Steps
from weft.programs.traced_call import Arguments, TracedCall, results_of, traced_call
from weft.runtime.fork_safety import late_import
from weft.tensors import tensor
from weft.tensors.pending_limits import Limits
from weft.tensors.place import Place
from weft.tensors.tensor import Tensor, handle_on, node_of
from weft.tensors.tracing import Trace
from weft.tensors.writing import check_kind

_PLACEHOLDER = OPS["placeholder"]


class Computation:
    """A function of tensors, made by `computation`: call it with one value for every input."""

    def __init__(self, traced: TracedCall, inputs: Sequence[Place], drawn: Sequence[Any] = ()) -> None:
        self._traced: TracedCall | None = traced
        self._places, self._drawn = list(inputs), list(drawn)  # random numbers drawn for the first call
        self.inputs: list[Node] = traced.graph.holes[: len(inputs)]  # holes that describe the values
        traced.recorded = range(traced.first_gradient)  # outputs that are recorded if the given values are

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Return the outputs, one tensor or a tuple, computed for the given values of the inputs.

        Values are given in the order of the inputs, by the names of placeholders, or as one dictionary by name or by
        input. Raises ValueRangeError for another number of values, ArgumentError for names that are unknown, missing or
        ambiguous, ShapeError and DTypeError for values that do not fit, ClosedError after `close`, and TracingError if
        surroundings have changed or a read tensor shares memory with a written one.
        """
        traced = self.traced()
        if named or (len(values) == 1 and type(values[0]) is dict):
            values = self._in_order(values, named)
        if len(values) != len(self.inputs):
            raise ValueRangeError(
                f"computation: {len(values)} values for {len(self.inputs)} inputs; each needs one; pass them in order"
            )
        given = Arguments()
        given.tensors = [x if type(x) is Tensor else tensor.imported(x) for x in values]
        given.nodes = [_fitting(k, t, hole) for k, (t, hole) in enumerate(zip(given.tensors, self.inputs, strict=True))]
        trace = Trace.here()
        drawn, self._drawn = self._drawn if trace is None else [], []
        given.numbers += drawn or [draw() if trace is None else trace.draw(draw) for draw in traced.drawn]
        if not traced.serves():
            raise TracingError(
                f"computation: {traced.what_changed()} since it was made; a call would do what it did then; make the "
                "computation anew"
            )
        if traced.written and traced.overlap(Arguments()):
            raise TracingError(
                "computation: tensors that it reads share memory with one that it writes; their order would be lost; "
                "read and write views of one tensor"
            )
        return traced.run(given) if trace is None else traced.traced(given)

    def traced(self) -> TracedCall:
        """Return the traced call; raises ClosedError after `close`."""
        if self._traced is None:
            raise ClosedError("computation: it was closed; what it had is given back; make it anew")
        return self._traced

    def _in_order(self, values: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """Return values given by name, or in a dictionary, in the order of the inputs.

        Raises ArgumentError if a name matches no input or several, an input has two values or none, or values are given
        both in order and by name.
        """
        given = named if not values else values[0]
        if (values and named) or type(given) is not dict:
            raise ArgumentError(
                f"computation: {len(values)} values in order and {len(named)} by name; inputs are given in one way; "
                "give all by name, or all in order"
            )
        order: dict[int, Any] = {}
        for key, value in given.items():
            order[self._number(key, order)] = value
        if missing := [str(h.attrs[0]) for k, h in enumerate(self.inputs) if k not in order]:
            raise ArgumentError(
                f"computation: no value for {', '.join(missing)}; each input needs one; name these, too"
            )
        return tuple([order[k] for k in sorted(order)])

    def _number(self, key: Any, taken: Container[int] = ()) -> int:
        """Return the index of the input with name or placeholder `key`.

        Raises ArgumentError if there is none, or its index is in `taken`.
        """
        names = [h.attrs[0] for h in self.inputs]
        by_name = names.index(key) if type(key) is str and names.count(key) == 1 else -1
        k = {p: k for k, p in enumerate(self._places)}.get(key._place, -1) if type(key) is Tensor else by_name
        if k < 0 or k in taken:
            raise ArgumentError(
                f"computation: a value for {key!r:.60}, which names no input or one that has its value; the inputs "
                f"are {', '.join(map(str, names))}; name each once"
            )
        return k

    # ---- life

    def close(self) -> None:
        """Free the graph, the program and captured tensors; later calls raise ClosedError.

        >>> import weft
        >>> with weft.computation(weft.persistent(1) + 1) as f:
        ...     f().item()
        2
        """
        self._traced = None

    def __enter__(self) -> Computation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def persistent(self) -> list[Tensor]:
        """Return the persistent tensors and variables that calls read or write, which all computations share.

        Raises ClosedError after `close`.
        """
        traced = self.traced()
        places = [*[p for p, _ in traced.captured], *traced.written]
        return [handle_on(p) for p in dict.fromkeys(places) if isinstance(p, Place) and lasts(p)]

    def memory(self) -> MemoryPlan | None:
        """Return the memory that a call allocates, including temporaries; None if it is planned at each call.

        Raises ClosedError after `close`.

        >>> import weft
        >>> x = weft.placeholder((1000,))
        >>> weft.computation(weft.sum(x * 2), x).memory().peak
        8
        """
        return self.traced().graph.memory()

    def __reduce__(self) -> tuple[Any, ...]:
        reduced = late_import("weft.interop.pickled_computations").reduced
        return reduced(self.traced(), len(self.inputs))  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        given = ", ".join(f"{h.attrs[0]}: {h.desc!r}" for h in self.inputs)
        if self._traced is None:
            return f"<computation ({given}), closed>"
        outputs = self._traced.graph.roots[: self._traced.first_written]
        return f"<computation ({given}) -> ({', '.join(repr(r.desc) for r in outputs)})>"


def computation(outputs: Any, *inputs: Tensor | str, donate: Sequence[Tensor | str] = ()) -> Computation:
    """Return a function of tensors that computes the outputs for new values of the inputs.

    `outputs` is a tensor, or a function without arguments such as `weft.sequential(...)`, which is called while the
    computation is made; or several of them in a list, tuple, dictionary or other pytree; or None.  They are read and
    called in order, so a tensor after a function sees its writes; but a tensor that is also a step of a function keeps
    the value that it had in that step.  Writes of functions are repeated at each call.

    Inputs are placeholders, or whole persistent tensors and variables, which are replaced at each call; "all" stands
    for all placeholders that are needed.  Persistent tensors that are no inputs are read in their current version at
    each call.  Raises ValueRangeError and DTypeError for other inputs and outputs, ValueRangeError for needed
    placeholders that are no inputs, and TracingError for inputs that are written.

    Tensors passed for inputs in `donate` (the inputs or their names) cannot be used after a call, like those donated to
    functions of `weft.compile`.

    >>> import weft
    >>> x, w = weft.placeholder((2,), name="x"), weft.variable([1.0, 10.0])
    >>> f = weft.computation((x * w).sum(), x)
    >>> f([1.0, 2.0]).item()
    21.0
    >>> w[0] = 5
    >>> f(x=[1.0, 2.0]).item(), f({x: [1.0, 3.0]}).item()
    (25.0, 35.0)
    >>> update = weft.computation({"was": w * 1, "new": lambda: weft.assign(w, w + x)}, "all")
    >>> update(x=[1.0, 1.0])["was"].tolist(), w.tolist()
    ([5.0, 10.0], [6.0, 11.0])
    """
    trace = Trace(0, True)
    with trace.taken():
        made = _outputs(outputs)
    results, roots = results_of(made)
    given = _holes(inputs, [*roots, *[n for _, n in trace.written]])
    if any(p in given for p, _ in trace.written):
        raise TracingError(
            "computation: an input is written; its value is passed at each call; write to a variable that is no input"
        )
    traced = traced_call(trace, results, roots, given, lambda _, p: lasts(p))
    for n in ir.walk(traced.graph.roots):
        if n.op is _PLACEHOLDER and n not in traced.graph.holes and not n.attrs[1:]:
            raise ValueRangeError(
                f"computation: placeholder {n.attrs[0]!r} of {n.desc!r} is needed and no input; a call could give it "
                "no value; name it among the inputs"
            )
    made = Computation(traced, list(given), trace.samples)
    if donate:
        traced.donate({k: f"input {made.inputs[k].attrs[0]} of a computation" for k in map(made._number, donate)})
    return made


def _outputs(outputs: Any) -> Any:
    """Return the values of the outputs after evaluating them in order; a list of outputs becomes a tuple.

    Raises DTypeError for an output that is no tensor, function or None.
    """
    run, (structure, leaves) = StepRun(), flattened(outputs)
    for x in leaves:
        if type(x) is not Tensor and not callable(x) and x is not None:
            what = f"outputs {outputs!r:.60}" if x is outputs else f"an output of type {type(x).__name__}"
            raise DTypeError(
                f"computation: {what}; outputs are tensors, functions of nothing, or lists, tuples and dictionaries of "
                "them; build them"
            )
    steps = {id(s) for x in leaves if type(x) is Steps for s in x.named()}
    made = [None if x is None or _waits(x, steps) else run.done(x) for x in leaves]
    again = [run.done(x) if _waits(x, steps) else y for x, y in zip(leaves, made, strict=True)]
    built = put_together(structure, lambda k: again[k])
    return tuple(built) if type(built) is list else built


def _waits(x: Any, steps: set[int]) -> bool:
    """True if output `x` is a pending expression of `steps`, to be evaluated at its turn."""
    return type(x) is Tensor and id(x) in steps and not lasts(x._place)


def _holes(inputs: Sequence[Any], roots: Sequence[Node]) -> dict[Place, Node]:
    """Return the holes of the inputs by their places; "all" stands for the placeholders below the roots.

    Raises ValueRangeError for an input that is named twice or takes no value, DTypeError for one that is no tensor.
    """
    if "all" in [x for x in inputs if type(x) is str]:
        needed = [n for n in ir.walk(roots) if n.op is _PLACEHOLDER and not n.attrs[1:] and ir.place_of(n) is not None]
        inputs = [x for x in inputs if type(x) is not str]
        inputs += [handle_on(p) for n in needed if (p := ir.place_of(n)) not in {x._place for x in inputs}]
    found: dict[Place, Node] = {}
    for x in inputs:
        hole = _input(x)
        if x._place in found:
            raise ValueRangeError(
                "computation: one tensor is several of the inputs; each takes a value of its own; name it once"
            )
        found[x._place] = hole
    return found


def _input(x: Any) -> Node:
    """Return the hole for an input.

    Raises DTypeError if it is no tensor, ValueRangeError for a tensor that takes no value.
    """
    if not isinstance(x, Tensor):
        raise DTypeError(f"computation: an input of type {type(x).__name__}; inputs are tensors; pass a placeholder")
    if not kind(x).input or x._view is not None or not (lasts(x._place) or is_placeholder(x)):
        raise ValueRangeError(
            f"computation: an input of shape {x.shape} that takes no value; inputs are placeholders, persistent "
            "tensors and variables, whole; make it one of these"
        )
    n = node_of(x)
    return n if n.op is _PLACEHOLDER else ir.placeholder("input", ir.result(n.desc.dtype, n.desc.shape, n.desc.origin))


def _fitting(k: int, value: Tensor, hole: Node) -> Node:
    """Return a value passed for input k as a node of the hole's dtype.

    Raises ShapeError or DTypeError if it does not fit.
    """
    d, n = hole.desc, node_of(value)
    if n.desc.shape != d.shape:
        raise ShapeError(
            f"computation: a value of shape {n.desc.shape} for input {k} ({hole.attrs[0]}) of shape {d.shape}; they "
            "agree; reshape it"
        )
    check_kind(f"computation: input {k} ({hole.attrs[0]})", n, d.dtype)
    if Limits.watcher is not None:
        Limits.watcher.judge(of_write("computation", n, d))
    fitting = ir.astype(n, d.dtype)
    return fitting if fitting.desc is d else ir.copied(fitting)
