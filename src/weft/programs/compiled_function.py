"""Compiled functions: functions of tensors that are traced once for each kind of arguments, and then only run.

The one idea: the first call of a kind traces the graph of all results and all writes; a call fills in arrays and
numbers, runs the program, and sets the new versions of written tensors.
"""

from __future__ import annotations

import inspect
import warnings
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial, update_wrapper
from typing import Any
from weakref import ref

from weft.autograd.record import is_recording, record_of
from weft.dtypes import float64
from weft.errors import ArgumentError, RetracingWarning
from weft.ir.graph.node import Node
from weft.ir.graph.traced import ArgumentName, number_of_call
from weft.ir.kernels.plan_text import MemoryPlan, show_kernels
from weft.modes.math_modes import get_math_mode
from weft.modes.strict import judge_again, watched
from weft.passes.switches import switches
from weft.programs import kind_texts
from weft.programs.pytrees import LEAVES, flattened, mapped, names_of, taken_apart
from weft.programs.steps import as_values
from weft.programs.surroundings import Surroundings
from weft.programs.traced_call import (
    NUMBERS,
    Arguments,
    Identity,
    Static,
    TracedCall,
    hole_like,
    is_tensor,
    results_of,
    traced_call,
)
from weft.runtime.default_dtype import get_default_dtype
from weft.runtime.deterministic import is_deterministic
from weft.runtime.devices.device import get_default_device
from weft.runtime.fork_safety import own_lock
from weft.runtime.scoped_setting import Setting
from weft.tensors.place import VALUE
from weft.tensors.tensor import Tensor, node_of, wrap
from weft.tensors.tracing import CrossingError, Trace

_VARIED = "**"
_USUAL = (float64, False, True, "cpu", "standard")  # settings as they are at first
_FIRST = len(kind_texts.SETTINGS)  # index in a kind at which the arguments begin
MOST = 1024  # most kinds of calls that a function keeps
VAIN = 8  # consecutive traces of one call each, after which a warning is issued


class CompiledFunction:
    """A compiled function, called like the original one; it is traced once for each kind of call."""

    def __init__(self, f: Callable[..., Any], static: Sequence[str], redraw: bool, donate: Sequence[str] = ()) -> None:
        update_wrapper(self, f)
        self._function, self._redraw, self._static, self._donate = f, redraw, frozenset(static), frozenset(donate)
        self._name, self._names = getattr(f, "__name__", "a function"), _parameters(f)
        if (not self._donate.issubset(self._names) and _VARIED not in self._names) or self._donate & self._static:
            raise ArgumentError(
                f"compile: donate={sorted(self._donate)} of a function of {', '.join(self._names) or 'no arguments'}; "
                "donated arguments are named as the function names them, and are not static; correct the names"
            )
        if not self._static.issubset(self._names) and _VARIED not in self._names:
            raise ArgumentError(
                f"compile: static={sorted(self._static)} of a function of {', '.join(self._names) or 'no arguments'}; "
                "static arguments are named as the function names them; correct the names"
            )
        self._calls: dict[Any, TracedCall] = {}
        self._locks: dict[Any, Any] = {}  # locks of the kinds being traced, by kind
        self._reasons: deque[str] = deque(maxlen=MOST)  # a line for each trace
        self._in_vain = 0  # consecutive traces that served one call each
        self._is_method = False
        self._tells_values = False  # True once an argument that is a value was to be written: then kinds name these
        self._objects: dict[int, ref[Any]] = {}  # objects whose method it is, by their ids

    def __repr__(self) -> str:
        return f"<compiled function {self._name}({', '.join(self._names)}): {self.traces} kinds of calls>"

    def __str__(self) -> str:
        kinds = [f"({kind_texts.arguments_text(self._names, k)})\n{t.graph}" for k, t in self.calls()]
        return "\n".join([repr(self), *kinds])

    def explain(self) -> str:
        """Return a line for each trace of the function: the differences of its call from earlier kinds.

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
        found = [show_kernels(plan) for _, t in self.calls() if (plan := t.graph.plan) is not None]
        return "\n\n".join(dict.fromkeys(found))

    def memory(self) -> list[MemoryPlan | None]:
        """Return the memory that a run allocates, for each kind of call in turn.

        None for a kind whose calls pass all stages, so that memory is planned at each call.

        >>> import weft
        >>> f = weft.compile(lambda x: x + x)
        >>> _ = f(weft.zeros(3))
        >>> f.memory()[0].peak
        24
        """
        return [t.graph.memory() for _, t in self.calls()]

    def __get__(self, instance: Any, owner: Any) -> Any:
        if instance is None:
            return self
        self._is_method = not self._is_static(0)
        return BoundFunction(self, instance)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the function's parameters; "**" among them if it accepts any name."""
        return self._names

    @property
    def static(self) -> frozenset[str]:
        """The names of the static arguments: the kind of a call includes their values."""
        return self._static

    def static_part(self, k: int, x: Any) -> Static:
        """Return the part of a kind for static argument k with value x: x, or an id.

        It is the id for the object whose method this is, so that kinds neither keep it alive nor mistake another for
        it.
        """
        if k or not self._is_method:
            return Static(type(x), x)
        number = id(x)
        if number not in self._objects:
            try:
                self._objects[number] = ref(x, partial(_forget, number, self._objects, self._calls))
            except TypeError:  # such as a tuple, which is compared by value
                return Static(type(x), x)
        return Static(type(x), Identity(number))

    def calls(self) -> list[tuple[kind_texts.Kind, TracedCall]]:
        """Return pairs of a kind of call and its traced call, for all kinds so far."""
        return list(self._calls.items())

    @property
    def traces(self) -> int:
        """The number of traces kept, one for each kind of call; beyond 1024 all earlier ones are dropped."""
        return len(self._calls)

    def __call__(self, *args: Any, **named: Any) -> Any:
        if Trace.active and Trace.here() is not None:
            return self._function(*args, **named)
        given = Arguments()
        tensor = given.tensor
        kind: list[Any] = [switches(), *(_settings() if Setting.acting or not is_recording() else _USUAL)]
        for x in args:
            if type(x) is Tensor:
                kind.append(tensor(x))
            elif self._static and self._is_static(len(kind) - _FIRST):
                kind.append(Static(type(x), x))
            else:
                kind.append(given.leaf(x) if type(x) in LEAVES else taken_apart(x, given.leaf))
        if named:
            for name in sorted(named):
                x = named[name]
                kind.append((name, Static(type(x), x) if name in self._static else taken_apart(x, given.leaf)))
        if self._is_method and args and type(kind[_FIRST]) is Static:
            kind[_FIRST] = self.static_part(0, args[0])
        if self._tells_values and (values := given.values()):
            kind.append(("a list of the values among the tensors", Static(tuple, values)))
        known = tuple(kind)
        try:
            traced = self._calls.get(known)
        except TypeError:
            raise kind_texts.not_comparable(self._names, self._static, known) from None
        if traced is not None and traced.is_pure:
            return traced.run(given)
        is_known = traced is not None and traced.serves()
        if not is_known:
            traced = self._new(known, traced, args, named, given)
        elif traced.drawn:
            given.numbers += [draw() for draw in traced.drawn]
        if traced.written and traced.writes_values(given):
            self._tells_values = True
            return self(*args, **named)
        if traced.written and traced.overlap(given):
            made = as_values(self._function(*args, **named))
            traced.give_up(given)
            return made
        if is_known and traced.acts:
            judge_again(traced.acts)
        return traced.run(given)

    def _new(self, kind: kind_texts.Kind, before: TracedCall | None, *call: Any) -> TracedCall:
        """Return the traced call for a new kind of call; `before` is an earlier trace that no longer holds.

        One thread traces a kind; others wait for that trace. Raises TracingError if the function depends on values or
        leaves tensors of the trace behind, and the errors of the function.
        """
        try:
            with self._locks.setdefault(kind, own_lock()):
                made = self._calls.get(kind)
                if made is None or made is before or not made.serves():
                    return self._traced_anew(kind, made, *call)
        finally:
            self._locks.pop(kind, None)
        call[-1].numbers += [draw() for draw in made.drawn]
        return made

    def _traced_anew(self, kind: kind_texts.Kind, before: TracedCall | None, *call: Any) -> TracedCall:
        """Return the traced call for a kind of call, traced now; `before` is an earlier trace that no longer holds.

        Raises TracingError as `_trace` does, and the errors of the function.
        """
        why = kind_texts.reason(self._names, kind, list(self._calls)) if before is None else before.what_changed()
        if before is not None:
            self._note_again(before, why)
        why = why or f"({kind_texts.arguments_text(self._names, kind)})"
        self._reasons.append(f"trace {len(self._reasons) + 1}: {why}")
        if len(self._calls) >= MOST:
            self._calls.clear()
        while True:
            try:
                made = self._calls[kind] = self._trace(*call)
                return made
            except CrossingError as error:  # the locks of the trace are free now
                with error.lock:
                    continue

    def _note_again(self, before: TracedCall, why: str) -> None:
        """Warn (RetracingWarning) if each of many calls was traced because surroundings differ.

        `before` is the trace that did not serve, `why` the difference for the message.
        """
        self._in_vain = 0 if before.has_served else self._in_vain + 1
        if self._in_vain == VAIN:
            warnings.warn(
                f"compile: {self._name} is traced at each call, lastly as {why}; a trace takes far longer than a call; "
                "give what changes as an argument, or keep it in a weft.variable",
                RetracingWarning,
                stacklevel=5,
            )

    def _trace(self, args: Any, named: Any, given: Arguments) -> TracedCall:
        """Return the traced call for the kind of a call.

        Random numbers drawn while tracing are added to the arguments of the current call. Raises TracingError if the
        function depends on values, changes containers among its arguments, or leaves tensors of the trace behind.
        """
        trace = Trace(len(given.numbers), self._redraw)
        parts = self._leaf_names(args, named, is_tensor)
        pairs = zip(parts, given.tensors, given.nodes, strict=True)
        inputs = [self._input(trace, path, t, n) for (_, path), t, n in pairs]
        positional, by_name = self._standing_in(args, named, inputs)
        around = Surroundings(self._name, self._function, self._named(positional, by_name), trace)
        with trace.taken():
            with watched() as acts:
                results, roots = results_of(self._function(*positional, **by_name), around.checked)  # frees the value
            trace.end()
            around.refuse_changes()
            del positional, by_name
            given.numbers += trace.samples
            call = traced_call(trace, results, roots, {t._place: node_of(t) for t in inputs})
        call.found, call.acts = around.found, tuple(acts)
        if self._donate:
            call.donate(
                {k: f"argument {name} of {self._name}" for k, (name, _) in enumerate(parts) if name in self._donate}
            )
        return call

    def _named(self, args: Sequence[Any], named: Mapping[str, Any]) -> list[tuple[str, Any]]:
        """Return (name, argument) pairs of a call in the order of its kind."""
        given = [
            (self._names[k] if k < len(self._names) and self._names[k] != _VARIED else str(k), x)
            for k, x in enumerate(args)
        ]
        return [*given, *[(name, named[name]) for name in sorted(named)]]

    def _leaf_names(self, args: Any, named: Any, is_leaf: Callable[[Any], bool]) -> list[tuple[str, str]]:
        """Return (argument name, path) of each leaf of a call's arguments for which `is_leaf` is true."""
        found: list[tuple[str, str]] = []
        for name, x in self._named(args, named):
            if name not in self._static:
                structure, leaves = flattened(x)
                paths = names_of(structure, name)
                found += [(name, p) for p, v in zip(paths, leaves, strict=True) if is_leaf(v)]
        return found

    def _input(self, trace: Trace, path: str, t: Tensor, n: Node) -> Tensor:
        """Return the placeholder for tensor `t` among the arguments, with node n; `path` names it in messages."""
        name = ArgumentName(f"argument {path} of {self._name}")
        trace.names.append(name)
        made = wrap(hole_like(name, n), VALUE if self._tells_values and t._place.kind is VALUE else None)
        return made.requires_grad_() if record_of(n) is not None else made  # type: ignore[attr-defined, no-any-return]

    def _standing_in(self, args: Any, named: Any, inputs: Sequence[Tensor]) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments of a call with placeholders for tensors and traced numbers for numbers.

        `inputs` are the placeholders, in the order of the tensors.
        """
        tensors, numbers = iter(inputs), enumerate(self._leaf_names(args, named, lambda x: type(x) in NUMBERS))

        def leaf(x: Any) -> Any:
            if type(x) in NUMBERS:
                k, (_, path) = next(numbers)
                return number_of_call(x, k, f"argument {path} of {self._name}")
            return next(tensors) if is_tensor(x) else x

        positional = [x if self._is_static(k) else mapped(x, leaf) for k, x in enumerate(args)]
        return positional, {k: named[k] if k in self._static else mapped(named[k], leaf) for k in sorted(named)}

    def _is_static(self, k: int) -> bool:
        """True if argument k is static: the kind of a call includes its value."""
        return bool(self._static) and k < len(self._names) and self._names[k] in self._static


class BoundFunction(partial[Any]):
    """A compiled method bound to an object; the reports are those of the function, for all objects."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.func, name)

    def __repr__(self) -> str:
        return repr(self.func)

    def __str__(self) -> str:
        return str(self.func)


def _settings() -> tuple[Any, ...]:
    """Return the settings on which a trace depends, those of `kind_texts.SETTINGS` behind the passes."""
    device = get_default_device()
    where = device and device.name  # a string hashes faster than a device
    return get_default_dtype(), is_deterministic(), is_recording(), where, get_math_mode()


def _forget(number: int, objects: dict[int, Any], calls: dict[Any, TracedCall], _: Any) -> None:
    """Remove the traced calls of a freed object, given by its id `number`, from `calls`.

    The object is removed from `objects`.
    """
    objects.pop(number, None)
    for kind in list(calls):
        for own in kind[_FIRST : _FIRST + 1]:
            if type(own) is Static and type(own.value) is Identity and own.value.number == number:
                calls.pop(kind, None)


def _parameters(f: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of a function's parameters; "**" among them if it accepts any name or has no signature."""
    try:
        parameters = inspect.signature(f).parameters
    except (TypeError, ValueError):
        return (_VARIED,)
    return tuple([_VARIED if p.kind is p.VAR_KEYWORD else name for name, p in parameters.items()])


def compile(
    f: Callable[..., Any] | None = None,
    /,
    *,
    static: str | Sequence[str] = (),
    repeat_random: bool = False,
    donate: str | Sequence[str] = (),
) -> Any:
    """Return a function of tensors that is traced once for each kind of call, then run as a program.

    `f` takes and returns tensors, numbers and other values, in lists, tuples, dictionaries, dataclasses, named tuples
    and types of `register_pytree`.  A kind of call is the structure of its arguments, the shape, dtype and layout of
    tensors, the types of numbers, and the values of everything else (bools, texts) and of arguments named in `static`.
    Captured tensors, which `f` reads beside its arguments, are read anew at each call; writes of `f` are repeated at
    each call, in their order.  Generators draw new numbers at each call, unless `repeat_random`.  Results are new
    tensors, even if `f` returns an argument or a view.  Tensors in arguments named in `donate` cannot be used after a
    call, unless it writes them, and their memory is used for results if nothing else refers to it; using them again
    raises DonatedError.

    Raises ArgumentError if `f` is no function, or lacks an argument that is named.  Calls raise TracingError if the
    actions of `f` depend on the values of tensors, or of numbers that are not static.

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
    names, given = [(x,) if isinstance(x, str) else tuple(x) for x in (static, donate)]
    if f is None:
        return partial(compile, static=names, repeat_random=repeat_random, donate=given)
    if not callable(f):
        raise ArgumentError(f"compile: a {type(f).__name__}; a function of tensors is compiled; pass one")
    if inspect.iscoroutinefunction(f) or inspect.isgeneratorfunction(f) or inspect.isasyncgenfunction(f):
        raise ArgumentError(
            "compile: a coroutine or generator function; its body would not run at the call; compile a plain function"
        )
    return CompiledFunction(f, names, not repeat_random, given)
