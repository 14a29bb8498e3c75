"""Traced calls: the effects of a function in a trace, as a graph that is computed again for other arguments.

The one idea: a call fills the holes of the graph with its arguments and captured tensors, computes results, last
versions of written tensors and gradients at once, and then publishes them.  Results may lie in memory of arguments and
of written tensors that nothing else uses; a tensor donated by name cannot be used after the call, wherever they lie.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

from weft.api.storages.resizing import release
from weft.autograd.record import Accumulator, Record, is_recording, record_of, recording, with_record
from weft.ir.graph import node as ir
from weft.ir.graph.description import TensorDescription
from weft.ir.graph.node import WAITING, Node, place_of, walk
from weft.ir.graph.ops import OPS
from weft.ir.graph.traced import ArgumentName, TracedNumber, evaluated, with_numbers
from weft.modes.implicit_conversions import Act
from weft.programs import kind_texts
from weft.programs.holed_graph import HoledGraph, filled
from weft.programs.pytrees import put_together, taken_apart
from weft.programs.surroundings import NamedValue, is_same
from weft.runtime.compute import engine
from weft.runtime.memory.access import SMALL
from weft.runtime.memory.fingerprints import forgotten
from weft.tensors.foreign_rows import is_array
from weft.tensors.place import VALUE, Place, lock_of
from weft.tensors.tensor import Tensor, handle_on, imported, node_of, wrap, wrap_result
from weft.tensors.tracing import Trace
from weft.tensors.versions import is_sole
from weft.tensors.writing import replace_whole, write

Donors = list[tuple[int, int, bool]]  # see `RecurringWork.offer`


def donors(graph: HoledGraph, written: Sequence[tuple[int, int]], donated: Collection[int]) -> Donors:
    """Return (output, hole, is written) for each output that may reuse the memory of a hole.

    `written` holds pairs of an output and the hole whose next version it is.  `donated` are further holes, which any
    output may reuse.
    """
    found = [(k, h, True) for k, h in written if _is_alike(graph.descs[k], graph.holes[h])]
    for h in donated:
        found += [(k, h, False) for k, d in enumerate(graph.descs) if _is_alike(d, graph.holes[h])]
    return found


def _is_alike(desc: TensorDescription, hole: Node) -> bool:
    """True if output `desc` can reuse the memory of a hole: large, row-major, of the same shape and dtype."""
    like = hole.desc
    plain = ir.result(like.dtype, like.shape, like.origin) is like
    return plain and desc.nbytes >= SMALL and desc.dtype is like.dtype and desc.shape == like.shape


def free_holes(graph: HoledGraph, places: Sequence[Place], nodes: Sequence[Node]) -> set[int]:
    """Return the indices of holes whose memory a call may overwrite: large, and referenced only by their tensor.

    `nodes` are the operands of the call, to which only `places` refer. The caller holds the places' locks.
    """
    found = {h for h in {h for _, h, _ in graph.donors} if places[h].node is nodes[h] and is_sole(places[h], 1)}
    for h in found:
        forget(nodes[h])
    return found


def forget(n: Node) -> None:
    """Drop the fingerprint of the stored node n, whose memory weft itself is about to write."""
    n.fingerprint, n.tree = forgotten(n.fingerprint), None


def mark_donated(tensors: Sequence[tuple[Tensor, str]]) -> None:
    """Mark tensors so that later uses raise DonatedError with the name of the argument.

    `tensors` are pairs of a tensor and that name; views and read-only tensors are not marked.
    """
    for t, name in tensors:
        if t._view is None and not t._place.node.desc.read_only:
            release(t._place, name)


_PLACEHOLDER = OPS["placeholder"]
NUMBERS = frozenset([int, float, complex])
WRITTEN = "a tensor whose values it looked at was written"


class Static(NamedTuple):
    """The value of a static argument with its type, as 1 == True."""

    kind: type
    value: Any


class Identity(NamedTuple):
    """The id of an object, by which it is compared; valid while the object is alive."""

    number: int


class Result(NamedTuple):
    """A part of a call's results: output `number` of the graph, or for -1 a number or fixed value `fixed`."""

    number: int
    fixed: Any = None


def results_of(made: Any, fixed: Callable[[Any], Any] = lambda x: x) -> tuple[Any, list[Node]]:
    """Return (structure of a function's return value with a Result for each part, nodes of its tensors).

    `fixed(x)` converts a part that is no tensor.
    """
    roots: list[Node] = []

    def result(x: Any) -> Result:
        if type(x) is not Tensor:
            return Result(-1, fixed(x))
        roots.append(node_of(x))
        return Result(len(roots) - 1)

    return taken_apart(made, result), roots


def is_tensor(x: Any) -> bool:
    """True if a part of an argument counts as a tensor: a tensor, or an array of another library."""
    return type(x) is Tensor or (type(x) not in NUMBERS and is_array(x))


class Arguments:
    """The tensors in a call's arguments, their nodes, and the numbers, in order."""

    __slots__ = ("nodes", "numbers", "tensors")

    def __init__(self) -> None:
        self.tensors: list[Tensor] = []
        self.nodes: list[Node] = []
        self.numbers: list[Any] = []

    def tensor(self, x: Tensor) -> Any:
        """Add a tensor, and return its part of the kind of call."""
        self.tensors.append(x)
        self.nodes.append(n := node_of(x))
        return n.desc if n.traits is None else (n.desc, n.traits.device, n.traits.record is not None)

    def values(self) -> tuple[int, ...]:
        """Return the indices of the tensors that are values."""
        return tuple([k for k, t in enumerate(self.tensors) if t._place.kind is VALUE])

    def renew(self, k: int) -> None:
        """Replace node k by the current version of tensor k, unless their layouts differ."""
        n = node_of(self.tensors[k])
        if n.desc is self.nodes[k].desc:
            self.nodes[k] = n

    def leaf(self, x: Any) -> Any:
        """Add a leaf of an argument, and return its part of the kind of call.

        Raises DTypeError for an object without numbers.
        """
        kind = type(x)
        if kind in NUMBERS:
            self.numbers.append(x)
            return kind
        if kind is Tensor:
            return self.tensor(x)
        return self.tensor(imported(x)) if is_array(x) else Static(kind, x)


class TracedCall:
    """A function traced for one kind of call: its graph, and how a call uses the graph's outputs.

    The outputs are results, then the last versions of written tensors, then gradients that the function sets.
    `captured` are tensors that it reads beside its arguments; `written` are the tensors that it writes: numbers of
    arguments, or places; `gradients` are pairs of an accumulator and the output that is its gradient, negative for
    none.
    """

    drawn: Sequence[Callable[[], Any]]  # functions that draw numbers anew at each call
    read: Mapping[Node, Place]  # versions whose values the function read
    gradients: Sequence[tuple[Accumulator, int]]
    recorded: Sequence[int]  # outputs that have gradient records when recording is on
    donated: Mapping[int, str]  # hole → name of a donated argument
    found: Sequence[NamedValue]  # values that the function found by names in its code
    acts: Sequence[Act]  # implicit acts of the function
    has_served: bool  # whether a later call was served by this trace
    _had: Sequence[tuple[Accumulator, bool]]  # accumulators that the function reads, and whether they had a gradient
    is_pure: bool  # True if a call only computes one tensor from its arguments; set by the first run

    def __init__(
        self,
        graph: HoledGraph,
        results: Any,
        captured: Sequence[tuple[Place | Accumulator, TensorDescription]],
        written: Sequence[int | Place],
        set_: int = 0,
    ) -> None:
        self.graph, self.results, self.captured, self.written = graph, results, captured, written
        self.numbers: list[TracedNumber] = [n.attrs[1] for n in graph.scalars]
        self.is_one = type(results) is Result and results.number == 0
        self.first_gradient = len(graph.descs) - set_
        self.first_written = self.first_gradient - len(written)
        self.drawn = self.gradients = self.recorded = self.found = self.acts = self._had = ()
        self.read = {}
        self.is_pure = self.has_served = False
        self.donate({})

    def donate(self, donated: Mapping[int, str]) -> None:
        """Mark arguments as donated, by their holes; arguments that are also written keep their memory."""
        self.donated = {h: name for h, name in donated.items() if h not in self.written}
        inputs = len(self.graph.holes) - len(self.captured)
        hole: dict[Any, int] = {p: k for k, (p, _) in enumerate(self.captured, inputs)}
        pairs = [(k, p if type(p) is int else hole.get(p, -1)) for k, p in enumerate(self.written, self.first_written)]
        self.graph.donors = donors(self.graph, [(k, h) for k, h in pairs if h >= 0], self.donated)

    @property
    def reads_gradients(self) -> bool:
        """True if calls read the gradients of tensors."""
        return bool(self._had)

    def serves(self) -> bool:
        """True if captured tensors and all other surroundings are as they were in the trace."""
        changed = self.what_changed()
        if self.found and changed in ("", WRITTEN):
            self.has_served = True
        return not changed

    def what_changed(self) -> str:
        """Return the reason, as text, why this trace no longer serves its kind of call; "" if it does."""
        for a, had in self._had:
            if (a.grad is not None) is not had:
                return "a gradient that it reads was set or dropped"
        for p, d in self.captured:
            if (now := _captured(p).node.desc) is not d:
                return f"a captured tensor: {kind_texts.of_tensors(d, now) or 'described anew'}"
        for at in self.found:
            x = at.get()
            if x is not at.was and not is_same(x, at.was):
                return at.difference(x)
        return WRITTEN if any(p.node is not n for n, p in self.read.items()) else ""

    def overlap(self, given: Arguments) -> bool:
        """True if a tensor that calls write may share memory with another that they use, given arguments of a call."""
        inputs, own = [t._place for t in given.tensors], [_captured(p) for p, _ in self.captured]
        written: list[Any] = [inputs[p] if type(p) is int else p for p in self.written]
        places = [*inputs, *own, *[p for p in self.written if type(p) is not int and p not in own]]
        return any(places.count(p) > 1 or (p.region is not None and p.region.is_shared()) for p in written)

    def writes_values(self, given: Arguments) -> bool:
        """True if calls would write an argument that is a value, of which operators in place make new numbers."""
        return any(type(p) is int and given.tensors[p]._place.kind is VALUE for p in self.written)

    def run(self, given: Arguments) -> Any:
        """Return the results for some arguments, and set the new versions of written tensors.

        Other threads cannot write these meanwhile, so calls from several threads run one after the other. Raises
        WriteError if a written tensor is read-only, and errors of computing the values, such as MathError.
        """
        if self.is_pure:
            scalars = [x.value(given.numbers) for x in self.numbers] if self.numbers else ()
            if (one := self.graph.only(given.nodes, scalars)) is not None:
                return wrap_result(one)
        if not self.written and not self.graph.donors:
            beside = self.captured or self.found or self._had or self.read or self.drawn or self.acts
            self.is_pure = self.is_one and not (beside or self.recorded or self.gradients or self.donated)
            return self._run(given)
        changed: set[Place] = {given.tensors[p]._place if type(p) is int else p for p in self.written}  # type: ignore
        places: list[Place] = []
        if self.graph.donors:
            places = [*[t._place for t in given.tensors], *[_captured(p) for p, _ in self.captured]]
            changed.update([places[h] for _, h, _ in self.graph.donors])
        if len(changed) == 1:
            with (p := changed.pop()).lock or lock_of(p):
                return self._run_locked(given, places)
        with ExitStack() as locks:
            for p in sorted(changed, key=id):
                locks.enter_context(p.lock or lock_of(p))
            return self._run_locked(given, places)

    def _run_locked(self, given: Arguments, places: Sequence[Place]) -> Any:
        """Do the work of `run` while the locks of all written places are held."""
        for k in self.written:
            if type(k) is int:
                given.renew(k)
        return self._run(given, places)

    def _run(self, given: Arguments, places: Sequence[Place] = ()) -> Any:
        """Do the work of `run`; `places` are those of the holes, if results may be computed over their memory.

        Raises WriteError if a tensor that the function writes is read-only.
        """
        nodes, numbers = given.nodes, given.numbers
        if self.captured:
            nodes += [node_of(handle_on(_captured(p))) for p, _ in self.captured]
        scalars = [x.value(numbers) for x in self.numbers] if self.numbers else ()
        records = self.recorded and is_recording() and any(n.traits is not None and n.traits.record for n in nodes)
        free = free_holes(self.graph, places, nodes) if self.graph.donors and not records else ()
        ready = self.graph.ready(nodes)
        made = self.graph.again(ready, scalars, free)
        if made is None:
            with recording(False):  # gradients were computed in the trace
                made = self.graph.computed_anew(ready, scalars, True)
        if records:
            self._record(made, nodes, scalars)
        if self.written or self.gradients:
            with recording(False):
                self._publish(given, made)
        if self.donated:
            self.give_up(given)
        if self.is_one:
            return wrap_result(made[0])
        return self._results(made, numbers)

    def traced(self, given: Arguments) -> Any:
        """Return the results for some arguments as expressions in this thread's trace, including writes.

        Raises TracingError if numbers of several traces are mixed, WriteError if a written tensor is read-only.
        """
        nodes = [*given.nodes, *[node_of(handle_on(_captured(p))) for p, _ in self.captured]]
        made = self.graph.filled(nodes, [with_numbers(x, given.numbers) for x in self.numbers])
        for k, target in enumerate(self.written, self.first_written):
            write(given.tensors[target] if type(target) is int else handle_on(target), made[k], "compile")  # type: ignore
        for accumulator, k in self.gradients:
            accumulator.grad = None if k < 0 else wrap(made[k])
        return self._results(made, given.numbers, with_numbers)

    def _results(self, made: Sequence[Node], numbers: Sequence[Any], number: Callable[..., Any] = evaluated) -> Any:
        """Return what the traced function returned, with tensors of the nodes `made` in the place of its tensors.

        `number` maps traced numbers to their values, from the call's `numbers`.
        """
        return put_together(
            self.results, lambda r: wrap_result(made[r.number]) if r.number >= 0 else number(r.fixed, numbers)
        )

    def give_up(self, given: Arguments) -> None:
        """Mark the donated arguments as unusable."""
        if self.donated:
            mark_donated([(given.tensors[h], name) for h, name in self.donated.items()])

    def _record(self, made: Sequence[Node], nodes: Sequence[Node], numbers: Sequence[Any]) -> None:
        """Set the gradient records of results `made`, as if they were computed from `nodes` without the program."""
        again = self.graph.filled(nodes, numbers)
        for k in self.recorded:
            with_record(made[k], record_of(again[k]))

    def _publish(self, given: Arguments, made: Sequence[Node]) -> None:
        """Set the new versions of written tensors, and the gradients of accumulators.

        `made` are the computed nodes for arguments `given`. Raises WriteError if a written tensor is read-only.
        """
        for k, target in enumerate(self.written, self.first_written):
            t = given.tensors[target] if type(target) is int else handle_on(target)  # type: ignore[arg-type]
            if made[k].value is not None and made[k].value is t._place.node.value:  # it was computed in place
                forget(t._place.node)
            else:
                replace_whole(t, made[k])
        for accumulator, k in self.gradients:
            accumulator.grad = None if k < 0 else wrap(made[k])


def traced_call(
    trace: Trace,
    results: Any,
    roots: list[Node],
    inputs: Mapping[Place, Node],
    is_read: Callable[[Node, Place], bool] = lambda n, p: p.node is n,
) -> TracedCall:
    """Return the traced call of a trace: `roots` are its results, `inputs` the holes for given tensors.

    `is_read(version, place)` is true for a tensor beside the inputs whose current value is read at each call.
    """
    written = dict(trace.written)
    outputs = [*roots, *written.values()]
    recorded = [k for k, n in enumerate(outputs) if isinstance(record_of(n), Record)]
    gradients: list[tuple[Accumulator, int]] = []
    for accumulator, g in trace.set:
        gradients.append((accumulator, -1 if g is None else len(outputs)))
        outputs += [] if g is None else [node_of(g)]

    def is_outer(n: Node) -> bool:
        p = place_of(n) if n.depth < WAITING else None
        return p is not None and (is_read(n, p) or n in trace.replaced or (p.node is n and p in written))

    with engine.GRAPH:  # no version is replaced meanwhile
        below = walk(outputs, lambda n: () if n.value is not None or is_outer(n) else n.inputs)
        outer = list(filter(is_outer, below))
    sums = {g._place: a for a, g in trace.slots.items() if g is not None}  # each call reads them anew
    holes = dict(inputs)
    captured: list[tuple[Place | Accumulator, TensorDescription]] = []
    filling: dict[int, Node] = {}
    for n in outer:
        if (p := place_of(n)) not in holes:
            holes[p] = hole_like(ArgumentName("a captured tensor"), n)
            captured.append((sums.get(p, p), n.desc))
        filling[id(n)] = holes[p]
    numbers = [n for n in below if n.op is _PLACEHOLDER and n.attrs[1:]]
    graph = HoledGraph(filled(outputs, filling), [*holes.values()], numbers)
    number = {p: k for k, p in enumerate(inputs)}
    call = TracedCall(
        graph, results, captured, [number.get(p, p) for p in written], len(outputs) - len(roots) - len(written)
    )
    call.drawn, call.read, call.gradients, call.recorded = trace.drawn, trace.read, gradients, recorded
    call._had = [(a, before is not None) for a, before in trace.slots.items()]
    return call


def _captured(p: Place | Accumulator) -> Place:
    """Return the place of a captured tensor, or of an accumulator's current gradient."""
    return p if isinstance(p, Place) else p.grad._place  # type: ignore[union-attr]


def hole_like(name: ArgumentName, n: Node) -> Node:
    """Return a placeholder with the description and device of node n, called `name` in messages."""
    made = ir.placeholder(name, n.desc)
    made.traits = None if n.traits is None else n.traits.unrecorded
    return made
