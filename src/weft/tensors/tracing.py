"""Tracing: the effects of a function on places while a graph of its results is recorded.

The one idea: a write gives its place a new version that is an expression; when the trace ends, places return to the
versions before, and the last traced versions are what each call has to write.  Reads of values are recorded: the graph
is valid only as long as these values do not change.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, ClassVar
from weakref import WeakSet, ref

from weft.errors import TracingError
from weft.ir.graph.node import WAITING, Node, place_of, root_of, walk
from weft.ir.graph.traced import DRAWN, ArgumentName, number_of_call
from weft.runtime.compute import engine
from weft.tensors.place import Place, forget_views, lock_of

PATIENCE = 1.0  # seconds for which a trace waits for the lock of a place


class CrossingError(TracingError):
    """A trace waited too long for the lock of a tensor that another thread writes. That may wait for the trace."""

    def __init__(self, lock: Any) -> None:
        super().__init__(
            f"compile: another thread has written a tensor for more than {PATIENCE:g} s; both may wait for each other; "
            "call again"
        )
        self.lock = lock


class Trace:
    """The writes, the reads and the drawn random numbers of a function that is traced.

    `given` is the number of arguments that are numbers. `redraw` says how `draw` treats random numbers: True draws them
    anew at each call, False keeps them, None refuses them.
    """

    active: ClassVar[dict[Trace, None]] = {}  # traces in progress in all threads; without any, tracing can be ignored
    _here: ClassVar[threading.local] = threading.local()

    def __init__(self, given: int, redraw: bool | None) -> None:
        self.before: dict[ref[Place], Node] = {}  # versions before the trace, of places that it wrote
        self.looked: dict[Node, ref[Place]] = {}  # versions whose values were read
        self.read: dict[Node, Place] = {}  # after the trace: read versions of places that still exist
        self.replaced: WeakSet[Node] = WeakSet()  # versions replaced by other threads meanwhile
        self.slots: dict[Any, Any] = {}  # accumulators whose gradients are read or set, with the gradients before
        self.written: list[tuple[Place, Node]] = []  # after the trace: places, and their last versions
        self.set: list[tuple[Any, Any]] = []  # after the trace: accumulators, and their last gradients
        self.drawn: list[Callable[[], Any]] = []  # draw numbers anew at each call; numbered after the `given` ones
        self.samples: list[Any] = []  # the numbers that they drew in the trace
        self.names: list[ArgumentName] = []  # names of the placeholders for arguments
        self._given, self._redraw, self._outer = given, redraw, None
        self._thread = threading.get_ident()
        self._locks: list[Any] = []  # locks of places that are written

    @classmethod
    def here(cls) -> Trace | None:
        """Return the trace in progress in this thread, or None."""
        return getattr(cls._here, "trace", None) if cls.active else None

    @classmethod
    def version(cls, place: Place) -> Node:
        """Return the version of a place visible in this thread, which excludes writes traced by other threads."""
        thread, known = threading.get_ident(), ref(place)
        for trace in list(cls.active):
            if trace._thread != thread and (before := trace.before.get(known)) is not None:
                return before
        return place.node

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Record this trace inside the block, at the latest until its end; then restore the versions of all places."""
        self._outer = getattr(Trace._here, "trace", None)
        try:  # from the first step on: an interrupt may come after any of them
            Trace.active[self] = None
            Trace._here.trace = self
            yield
        finally:
            try:
                self.end()
            finally:
                Trace.active.pop(self, None)  # in one step, as an interrupt may come here, too

    def end(self) -> None:
        """Restore the versions of all places; from now on only what other threads replace is recorded.

        Nothing is left to do where it is called again.
        """
        Trace._here.trace = self._outer
        try:
            for name in self.names:
                name.is_over = True
            self._restore()
        finally:
            while self._locks:
                with suppress(RuntimeError):  # an interrupt came before the lock was acquired
                    self._locks.pop().release()

    def note_write(self, place: Place) -> None:
        """Record the version of a place that is about to be written, unless this trace made it.

        Other threads' writes to the place wait until the trace ends. Raises CrossingError (a TracingError) if another
        thread writes it for over a second.
        """
        if ref(place) in self.before:
            place.node.place = None
            return
        self.hold(place)
        self.before[ref(place)] = place.node

    @classmethod
    def note_replaced(cls, before: Node) -> None:
        """Record in the traces of other threads that a version was replaced; the caller holds the lock of graphs."""
        thread = threading.get_ident()
        for trace in list(cls.active):
            if trace._thread != thread:
                trace.replaced.add(before)

    def hold(self, place: Place) -> None:
        """Acquire the lock of a place until the trace ends.

        Raises CrossingError (a TracingError) if another thread keeps it for over a second.
        """
        self._locks.append(lock := lock_of(place))
        if not lock.acquire(timeout=PATIENCE):
            self._locks.pop()
            raise CrossingError(lock)

    @classmethod
    def note_looks(cls, *nodes: Node) -> None:
        """Record in this thread's trace, if any, that the values of `nodes` are read."""
        if cls.active and (trace := cls.here()) is not None:
            for n in nodes:
                trace._note_read(n)

    def _note_read(self, n: Node) -> None:
        """Record a read of a node's values as reads of older versions that it depends on."""
        for below in walk([n]) if n.depth < WAITING else ():
            root = root_of(below)
            if (p := place_of(root)) is not None and self.before.get(ref(p), p.node) is root:
                self.looked[root] = ref(p)

    def note_slot(self, accumulator: Any, before: Any) -> None:
        """Record the gradient `before` of an accumulator that is about to be read or set."""
        self.slots.setdefault(accumulator, before)

    def _restore(self) -> None:
        """Restore the versions of the places that were written, and the gradients of accumulators."""
        for accumulator, gradient in self.slots.items():
            if (last := accumulator.grad) is not gradient:
                self.set.append((accumulator, last))
                accumulator.grad = gradient
        self.read = {n: p for n, r in self.looked.items() if (p := r()) is not None}
        for r, before in list(self.before.items()):
            if (p := r()) is not None:
                forget_views(p)
                with engine.GRAPH:
                    last, p.node = p.node, before
                    last.place = None
                self.written.append((p, last))
            del self.before[r]  # later versions are seen in all threads

    def draw(self, f: Callable[[], Any]) -> Any:
        """Return f() as a traced number that is drawn anew at each call; with `redraw` False, the plain number f().

        Raises TracingError in a step of a loop, where all steps would get the same number.
        """
        if self._redraw is None:
            raise TracingError(
                "compile: a generator's number in a step of a loop; every step would have the same; give the steps "
                "seeds made with weft.random.fold, or draw all numbers before"
            )
        if not self._redraw:
            return f()
        k = self._given + len(self.drawn)
        self.drawn.append(f)
        self.samples.append(f())
        return number_of_call(self.samples[-1], k, DRAWN)


def lock_to_write(place: Place) -> Any:
    """Return the lock of a place that is about to be written; a trace acquires it until its end.

    Raises CrossingError (a TracingError) if a trace waits for it for over a second.
    """
    if Trace.active and (trace := Trace.here()) is not None and ref(place) not in trace.before:
        trace.hold(place)
    return place.lock or lock_of(place)
