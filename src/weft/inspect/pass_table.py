"""The passes that make plans, for users: printed, timed, replaced, extended, dumped.

The one idea: a user's pass is a function of the draft of a plan.  It returns replacements for nodes, as tensors made by
weft's own functions, or changes the plan itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from threading import get_ident
from types import NoneType
from typing import Any

from weft.autograd import no_grad
from weft.errors import ArgumentError, PassError, ValueRangeError
from weft.ir.graph.graph_text import description, show
from weft.ir.graph.node import Node, walk
from weft.ir.kernels.plan_text import show_plan
from weft.passes import switches
from weft.passes.draft import Draft
from weft.passes.pipeline import TIMINGS, Pass, passes_in_force
from weft.passes.simplify.rule import have_equal_description
from weft.passes.switches import Change
from weft.runtime.fork_safety import held_over_forks
from weft.runtime.signal_safe_threads import ReentrantLock
from weft.tensors.pending_limits import Limits
from weft.tensors.tensor import Tensor, node_of, wrap

Function = Callable[[Draft], Mapping[Node, Tensor | Node] | None]
_LOCK = held_over_forks(ReentrantLock())


@dataclass(frozen=True, slots=True)
class UsersPass:
    """A user's pass: its function, whose results replace nodes of the draft."""

    name: str
    function: Function

    def __call__(self, draft: Draft) -> None:
        """Run the function on a draft, and replace nodes by its results.

        Nothing that the function builds is computed meanwhile. Raises PassError if the function computes a value
        itself, the result is no mapping from nodes, or a replacement has another dtype, shape or origin; other errors
        of the function get a note with the pass's name.
        """
        running = Limits.planning.get(thread := get_ident(), ())
        if self in running:
            raise PassError(
                f"pass {self.name!r}: computes or plans a value while it runs; the pass would plan that value, too; "
                f"build expressions alone, or read it in a block of weft.without({self.name!r})"
            )
        Limits.planning[thread] = (*running, self)
        try:
            with no_grad():
                found = self.function(draft)
        except Exception as error:
            error.add_note(f"in the pass {self.name!r}")
            raise
        finally:
            if running:
                Limits.planning[thread] = running
            else:
                del Limits.planning[thread]
        if given := self._given(found):
            draft.replace({n: self._stand_in(n, x) for n, x in given.items()})

    def _given(self, found: Any) -> Mapping[Node, Any]:
        if found is None:
            return {}
        if not isinstance(found, Mapping) or not all(isinstance(n, Node) for n in found):
            raise PassError(
                f"pass {self.name!r}: gave {_told(found)}; a pass gives what stands for nodes, or None; return a dict"
            )
        return found

    def _stand_in(self, n: Node, x: Any) -> Node:
        """Return the node of `x`, a tensor or node that a user's pass gave as the replacement of node n.

        Raises PassError if dtype, shape or origin differ, or x is neither tensor nor node.
        """
        other = node_of(x) if isinstance(x, Tensor) else x
        if not isinstance(other, Node):
            raise PassError(f"pass {self.name!r}: gave {_told(x)} for {n!r}; tensors and nodes stand for nodes")
        if not have_equal_description(other, n):
            raise PassError(
                f"pass {self.name!r}: gave {description(other.desc)} for a node of {description(n.desc)}; readers of "
                "it were built for that; convert or reshape it"
            )
        return other


def _told(x: Any) -> str:
    """Return an object as text for messages, without computing tensors: a number or text, else its class."""
    return f"{x!r:.60}" if isinstance(x, (int, float, str, NoneType)) else f"an object of class {type(x).__name__}"


class Pipeline:
    """The passes in force here, in order: `print(weft.pipeline)`, `weft.pipeline["fuse"]`, `for p in weft.pipeline`.

    Each has a `name`, a line `says` with its purpose, `is_on`, and a `timing` (`runs`, seconds of the `last` run and in
    `total`, in all threads).  `with weft.without("fuse"):` leaves one out.  `added` and `replaced` change the list in a
    block of this thread or task, `add`, `replace` and `remove` for all threads.

    A user's pass is a function of a draft: `draft.nodes` are the nodes of a graph, inputs before readers, each with
    `op.name`, `inputs`, `attrs`, `dtype` and `shape`.  It returns a dictionary from nodes to their replacements,
    tensors or nodes, or None for no change.  It may look at all of that, and at numbers (`n.attrs[0]` of a node
    "scalar"), but not at cells of arrays, since the plan is used again for other cells.

    >>> import weft
    >>> def exp_of_sums(draft):
    ...     '''exp(a) * exp(b) = exp(a + b)'''
    ...     found = {}
    ...     for n in draft.nodes:
    ...         if n.op.name == "multiply" and all(i.op.name == "exp" for i in n.inputs):
    ...             a, b = [weft.pipeline.tensor(i.inputs[0]) for i in n.inputs]
    ...             found[n] = weft.exp(a + b)
    ...     return found
    >>> x = weft.asarray([1.0, 2.0])
    >>> with weft.pipeline.added(exp_of_sums):
    ...     [p.name for p in weft.pipeline][1:4], weft.show(weft.exp(x) * weft.exp(-x), "kernel").splitlines()[-1]
    (['prune', 'exp_of_sums', 'simplify'], '%3 = exp(%2) float64')
    """

    def __iter__(self) -> Iterator[Pass]:
        return iter(passes_in_force())

    def __len__(self) -> int:
        return len(passes_in_force())

    def __getitem__(self, name: str) -> Pass:
        for p in passes_in_force():
            if p.name == name:
                return p
        raise _unknown("[]", name)

    def __repr__(self) -> str:
        lines = ["pass        on    runs    last ms   total ms  what it does"]
        for p in self:
            t = p.timing
            on = "yes" if p.is_on else "no"
            lines.append(f"{p.name:<11} {on:<4}{t.runs:>6} {t.last * 1e3:>10.3f} {t.total * 1e3:>10.3f}  {p.says}")
        return "\n".join(lines)

    def reset_times(self) -> None:
        """Set the counts of runs and the seconds of all passes to 0."""
        TIMINGS.clear()

    def tensor(self, n: Node) -> Tensor:
        """Return a tensor of a node's cells, for building replacements.

        Raises ArgumentError if n is no node.
        """
        if not isinstance(n, Node):
            raise ArgumentError(f"pipeline.tensor: {n!r:.60} is no node; draft.nodes are some; give one of them")
        place = n.place
        x = wrap(n)
        if place is not None:  # keep the node connected with the tensor that the user holds
            n.place = place
        return x

    # ---- changes

    def added(
        self, function: Function, *, after: str | None = None, before: str | None = None, name: str | None = None
    ) -> AbstractContextManager[None]:
        """Return a context manager that adds a user's pass inside its block, by default before "simplify".

        Its name is by default that of the function. Raises ValueRangeError if `name` is taken or `after` or `before` is
        unknown, ArgumentError if both are given or `function` cannot be called.
        """
        return switches.block([_addition(function, after, before, name)])

    def replaced(self, name: str, function: Function) -> AbstractContextManager[None]:
        """Return a context manager that replaces a pass by a function inside its block.

        Raises ValueRangeError for an unknown name, ArgumentError if `function` cannot be called.
        """
        return switches.block([_replacement(name, function)])

    def add(
        self, function: Function, *, after: str | None = None, before: str | None = None, name: str | None = None
    ) -> None:
        """Add a user's pass for all threads, until it is removed; the arguments are those of `added`.

        Raises ValueRangeError if `name` is taken or `after` or `before` is unknown, ArgumentError if both are given or
        `function` cannot be called.
        """
        _change(_addition(function, after, before, name))

    def replace(self, name: str, function: Function) -> None:
        """Replace a pass by a function for all threads, until it is removed.

        Raises ValueRangeError for an unknown name, ArgumentError if `function` cannot be called.
        """
        _change(_replacement(name, function))

    def remove(self, name: str) -> None:
        """Remove a pass added by `add`, or the replacement of a built-in pass.

        A built-in pass itself is left out by `weft.without`.  Raises ValueRangeError for other names.
        """
        with _LOCK:
            for change in reversed(switches.EVERYWHERE):
                if change.added.name == name:
                    switches.EVERYWHERE.remove(change)
                    switches.OPEN.remove(change)
                    return
        raise ValueRangeError(
            f"pipeline.remove: {name!r} was not added or replaced for all threads; leave it out with weft.without()"
        )

    # ---- dumps

    @contextmanager
    def dumped(self, target: Any) -> Iterator[None]:
        """Return a context manager that writes every plan made inside the block, before and after each pass.

        `target` is a path, or an object with a method `write`.  Plans in the cache are made again.  The text has the
        graph, then the stored nodes, the steps, and the places of temporaries; a pass without effect has a line that
        says so.

        >>> import sys, weft
        >>> with weft.pipeline.dumped(sys.stdout), weft.without("simplify"):
        ...     weft.negative(weft.asarray([1.0, 2.0])).tolist()
        ==== plan 1
        %0 = leaf float64[2]
        %1 = negative(%0) float64[2]
        return %1
        ---- fuse
        stored: %1
        ---- split
        steps
          kernel map -> output float64: 1 pieces
            box (2,) from (0,): reads 16 bytes; negative
        [-1.0, -2.0]
        """
        if not hasattr(target, "write"):
            with open(target, "w", encoding="utf-8") as file, self.dumped(file):
                yield
            return
        with switches.block([Change(PassDump(target.write), "watch")]):
            yield


class PassDump:
    """A writer of drafts after each pass; only parts that differ from the last text are written."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write, self._plans = write, 0
        self._last: list[str] = []

    def __call__(self, p: Pass | None, draft: Draft) -> None:
        """Write a draft before the first pass (p is None), or the parts that pass p has changed."""
        parts = _text_of(draft)
        new = parts if p is None else [part for part in parts if part not in self._last]
        self._plans += p is None
        head = f"==== plan {self._plans}" if p is None else f"---- {p.name}" + ("" if new else ": nothing changed")
        self._write("\n".join([head, *new, ""]))
        self._last = parts


def _addition(function: Function, after: str | None, before: str | None, name: str | None) -> Change:
    name = str(name or getattr(function, "__name__", type(function).__name__))
    if not callable(function):
        raise ArgumentError(f"pipeline: {function!r:.60} as pass {name!r}; it is called with a draft; give a function")
    if after is not None and before is not None:
        raise ArgumentError(f"pipeline: pass {name!r} after {after!r} and before {before!r}; name one of them")
    passes = {p.name: p for p in passes_in_force()}
    if name in passes or name in switches.rules():
        raise ValueRangeError(f"pipeline: a pass or rule called {name!r} is there already; give name= another")
    of = after or before or "simplify"
    if of not in passes:
        raise _unknown("", of)
    if not passes[of].keyed and (after is None or of == "anchor"):
        raise ValueRangeError(
            f"pipeline: pass {name!r} beside {of!r}, which runs at every computation; passes are made once for a plan; "
            "put it behind 'prune' or later"
        )
    says = (function.__doc__ or "a user's").strip().partition("\n")[0]
    return Change(Pass(name, UsersPass(name, function), says, foreign=True), "after" if after else "before", of)


def _replacement(name: str, function: Function) -> Change:
    p = next((p for p in passes_in_force() if p.name == name), None)
    if p is None:
        raise _unknown("", name)
    if not callable(function):
        raise ArgumentError(f"pipeline: {function!r:.60} as pass {name!r}; it is called with a draft; give a function")
    if not p.keyed:
        raise ValueRangeError(
            f"pipeline: {name!r} runs at every computation and cannot be replaced; leave it out with weft.without()"
        )
    says = (function.__doc__ or "a user's").strip().partition("\n")[0]
    return Change(replace(p, run=UsersPass(name, function), says=says, foreign=True), "instead", name)


def _change(change: Change) -> None:
    with _LOCK:
        switches.opened(change)
        switches.EVERYWHERE.append(change)


def _unknown(call: str, name: str) -> ValueRangeError:
    known = ", ".join([p.name for p in passes_in_force()])
    return ValueRangeError(f"pipeline{call}: no pass is called {name!r}; passes are {known}; name one of these")


pipeline = Pipeline()


def _text_of(draft: Draft) -> list[str]:
    """Return the text of each part that a draft has so far.

    Parts are the graph, stored nodes (%k), steps, lifetimes, blocks, and the arena's layout.
    """
    parts = [show(draft.roots)]
    if draft.stored:
        numbers = {id(n): k for k, n in enumerate(walk(draft.roots))}
        parts.append("stored: " + ", ".join([f"%{numbers[id(n)]}" for n in draft.stored]))
    if draft.steps:
        parts.append("steps\n" + show_plan(draft.plan(draft.outputs() if draft.stored else ())))
    if draft.lives:
        lives = [f"{life.nbytes} bytes in steps {life.first} to {life.last}" for life in draft.lives]
        parts.append("lives\n" + "\n".join([f"  {k}: {line}" for k, line in enumerate(lives)]))
    if draft.groups:
        runs = [f"{first} to {stop - 1}" for first, stop, _ in draft.groups]
        parts.append("steps that go block by block: " + ", ".join(runs))
    if draft.offsets:
        places = [f"{k} at {at}" if at >= 0 else f"{k} in blocks" for k, at in draft.offsets.items()]
        parts.append(f"arena of {draft.arena_bytes} bytes: " + ", ".join(places))
    return parts
