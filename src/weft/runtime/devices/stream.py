"""Streams and events: ordered queues of work on a device, and points in them.

The one idea: memory of a device records the work that wrote it last and the work that has read it since (`Uses`).  Work
on another stream that touches it waits for exactly that, so a caller only states which memory its work reads and
writes.  A task is ready when all events that it waits for are reached.  An exception of a signal handler may leave a
ready task unstarted, so a thread that waits too long examines all tasks again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from itertools import count
from queue import SimpleQueue
from typing import Any

import numpy as np

from weft import callbacks
from weft.errors import DTypeError, ValueRangeError
from weft.runtime.devices.access_clocks import Detector
from weft.runtime.fork_safety import held_over_forks
from weft.runtime.scoped_setting import Setting, SettingBlock
from weft.runtime.signal_safe_threads import ReentrantLock, Waiters

ORDER = held_over_forks(ReentrantLock())  # held while work is put in order, and when a piece of it ends
DONE = Waiters(ORDER)  # told whenever work ends
NUMBERS = count(1)
_PATIENCE = 1.0  # seconds after which a waiting thread looks again


class _Thread(threading.local):
    """The state of a thread: its open stream blocks and current task."""

    def __init__(self) -> None:
        self.working: Any = None  # the device whose work this thread runs


THREAD = _Thread()
DETECTOR: Detector | None = None  # inside the blocks of `race_detector`
AUTOMATIC = Setting("automatic_waits", True)  # whether work waits for its memory automatically


class Event:
    """A point in a stream, reached when all work before it is done.

    >>> import weft
    >>> weft.cpu.default_stream.record().done
    True
    """

    __slots__ = ("__weakref__", "clock", "done", "error", "number", "stream", "waiters", "what")

    def __init__(self, stream: Stream, what: object = "", done: bool = False) -> None:
        self.stream, self.what, self.done = stream, what, done
        self.number = next(NUMBERS)
        self.error: BaseException | None = None
        self.waiters: list[Task] = []  # tasks that wait for this event next
        self.clock: dict[int, int] | None = None  # see weft.runtime.devices.access_clocks

    def sync(self) -> None:
        """Wait until the work is done, and raise its error if it failed.

        Raises ValueRangeError on the device's own thread, where the wait would never end.
        """
        self.wait()
        if self.error is not None:
            self.stream.device.unseen.pop(id(self.error), None)
            raise self.error.with_traceback(None)

    def wait(self) -> None:
        """Wait until the work is done; its error is not raised.

        Raises ValueRangeError on the device's own thread, where the wait would never end.
        """
        if not self.done:
            device = self.stream.device
            refuse_own("sync", device)
            until(lambda: self.done, device)
        if DETECTOR is not None:
            with ORDER:
                DETECTOR.host_waited(self)

    def __repr__(self) -> str:
        state = "failed" if self.error is not None else "done" if self.done else "pending"
        return f"<event {self.number} on {self.stream!r}: {state}>"


def until(reached: Callable[[], bool], device: Any) -> None:
    """Wait until `reached()` is true, and restart the worker of `device` meanwhile if it stopped."""
    queue: SimpleQueue[None] = SimpleQueue()
    while True:
        device.awake()
        with ORDER:
            if reached():
                return
            DONE.add(queue)
        if not DONE.wait(queue, _PATIENCE):
            device.advance_all()


def refuse_own(op: str, device: Any) -> None:
    """Raise ValueRangeError, naming `op`, if this thread is running work of the device.

    A wait for the device would then never end.
    """
    if THREAD.working is device:
        raise ValueRangeError(
            f"{op}: work on {device.name} waits for other work of its own device; it would never end; "
            "name what it needs in reads= when it is submitted"
        )


class Task:
    """A piece of work: a function, the events it waits for, and those of them whose failure fails it (`needs`)."""

    __slots__ = ("device", "event", "is_cut", "is_ready", "is_taken", "nbytes", "needs", "run", "waits")

    def __init__(
        self, run: Callable[[], None], event: Event, waits: Sequence[Event], needs: Sequence[Event], nbytes: int
    ) -> None:
        self.run, self.event, self.waits, self.needs = run, event, waits, needs
        self.nbytes = nbytes  # of new memory that it fills
        self.device = event.stream.device
        self.is_ready = False  # the device was told
        self.is_taken = False  # a worker does it
        self.is_cut = False  # its submission was cut short by an exception: it fails in its turn

    def execute(self) -> None:
        """Call the function, unless an event in `needs` failed; then finish with the error, if any."""
        event = self.event
        error = next((e.error for e in self.needs if e.error is not None), None)
        if error is None:
            try:
                run, self.run = self.run, _nothing
                run()
            except BaseException as e:  # even at the interpreter's exit: waiting threads must be told
                error = _named(e, event.what)
                self.device.unseen[id(error)] = (error, event.stream)
        self.finish(error)

    def waits_for(self) -> Event | None:
        """Return the first event that is not reached yet, or None."""
        for e in self.waits:
            if not e.done:
                return e
        return None

    def advance(self) -> None:
        """Register at the next unreached event, or pass the ready task to its device; may be called again."""
        with ORDER:
            event = self.waits_for()
            if event is not None:
                event.waiters.append(self)
            elif self.is_cut:
                self._fail()
            elif not self.is_ready:
                self.device.ready(self)
                self.is_ready = True

    def _fail(self) -> None:
        """Mark the task as failed because its submission was interrupted, unless a worker has taken it."""
        if not self.is_taken:
            left = "under way; it may be done in part; look" if self.run is _nothing else _NOT_BEGUN
            self.finish(RuntimeError(f"{str(self.event.what) or 'work'}: interrupted {left}"))

    def finish(self, error: BaseException | None) -> None:
        """Mark the task's event as reached, with its error or None, and advance the tasks that waited for it."""
        event, device = self.event, self.device
        with ORDER:
            if self not in device.pending:
                return
            # No handler runs from here to the end of `discard`, which is a call into C: all of it is done, or nothing.
            event.error, event.done = error, True
            device.bytes_under_way -= self.nbytes
            device.pending.discard(self)
            self.run, self.waits, self.needs = _nothing, (), ()
            waiters, event.waiters = event.waiters, []
            for task in waiters:
                task.advance()
            DONE.tell()


_NOT_BEGUN = "before it was under way; it was not done; do it again"


def _nothing() -> None:
    """Do nothing: the replacement for the function of finished work."""


def _named(error: BaseException, work_name: object) -> BaseException:
    """Return an error with the name of its computation added to its message."""
    with suppress(Exception):  # a user's name for work, or an error's message, may raise
        work_name = str(work_name)
        if work_name and error.args and isinstance(error.args[0], str) and work_name not in error.args[0]:
            error.args = (f"{error.args[0]} (while computing {work_name})", *error.args[1:])
    return error


class Uses:
    """The uses of some memory: its stream, the event of the last write, those of later reads.

    With `own` it is temporary memory of weft, whose uses are always ordered automatically.  `fresh` is the number of
    bytes that no submitted work fills yet.
    """

    __slots__ = ("__weakref__", "fresh", "own", "reads", "stream", "write")

    def __init__(self, stream: Stream, own: bool = False, fresh: int = 0) -> None:
        self.stream, self.own, self.fresh = stream, own, fresh
        self.write: Event | None = None
        self.reads: list[Event] = []

    def sync(self) -> None:
        """Wait until the last write is done, and raise its error if it failed; ValueRangeError as `Event.sync`."""
        if self.write is not None:
            self.write.sync()

    def settle(self) -> None:
        """Wait until all reads and writes are done, failed or not."""
        for e in self.all():
            e.wait()

    def all(self) -> list[Event]:
        """Return the events of the reads since the last write, and of that write."""
        with ORDER:
            return [*self.reads, *([] if self.write is None else [self.write])]


class Stream:
    """An ordered queue of work on a device.  Inside `with stream:`, results on its device are computed on it.

    >>> import weft
    >>> a, b = weft.cpu.create_stream(), weft.Stream(weft.cpu)
    >>> a == b, a.device
    (False, weft.device('cpu'))
    """

    __slots__ = ("__weakref__", "_entered", "after", "device", "last", "number")

    def __init__(self, device: Any) -> None:
        self.device = callbacks.DEVICE(device)
        self._entered: list[SettingBlock[Stream | None]] = []
        self.number = next(NUMBERS)
        self.last: Event | None = None
        self.after: list[Event] = []  # events that the next piece of work also waits for

    def submit(
        self, run: Callable[[], None], reads: Iterable[Uses] = (), writes: Iterable[Uses] = (), what: object = ""
    ) -> Event:
        """Add work to the end of the queue, and return its event.

        It starts once all events that it waits for are reached. `reads` and `writes` are the uses of the memory that it
        touches; `what` names it in errors. Raises RaceError if a race detector finds them unordered.
        """
        reads, writes = list(reads), list(writes)
        task = None
        try:
            with ORDER:
                task = self._task(run, reads, writes, what)
                self.device.bytes_under_way += task.nbytes
                self.device.pending.add(task)  # no signal handler can run between these two statements
                self.last, self.after = task.event, []
                _record_uses(task.event, reads, writes)
                task.advance()
            self.device.submitted(task)
        except BaseException:
            if task is not None:
                task.is_cut = True  # before any call, as a handler may raise in each
                task.advance()
            raise
        return task.event

    def _task(self, run: Callable[[], None], reads: Sequence[Uses], writes: Sequence[Uses], work_name: object) -> Task:
        """Return the task of new work, with the events that it waits for.

        The arguments are those of `submit`, `work_name` its `what`. Raises RaceError if a race detector finds the uses
        unordered.
        """
        event = Event(self, work_name)
        needs = [u.write for u in (*reads, *writes) if u.write is not None]
        waits = _waited(reads, writes) + self.after
        if self.last is not None:
            waits.append(self.last)
        if DETECTOR is not None:
            DETECTOR.submitted(event, waits, reads, writes)
        return Task(run, event, [e for e in waits if not e.done], needs, sum([u.fresh for u in writes]))

    def run(self, function: Callable[..., Any], reads: Sequence[Any] = (), writes: Sequence[Any] = ()) -> Event:
        """Queue a call `function(*read arrays, *written arrays)` on memory of the device, and return its event.

        `reads` and `writes` are tensors (or objects with a method `memory()`) that lie on the device; work on them is
        waited for automatically. The arrays are the memory itself: keep none of them. Raises ValueRangeError for other
        objects and devices, DTypeError if `function` is not callable or tensors are in no list or tuple, WriteError for
        a read-only tensor in `writes`.
        """
        self.device.room()
        made: Event = callbacks.RUN(self, function, reads, writes)
        return made

    def record(self) -> Event:
        """Return an event that is reached when all work submitted so far is done."""
        with ORDER:
            return self.last if self.last is not None else Event(self, done=True)

    def wait(self, event: Event) -> None:
        """Make work submitted from now on wait for an event, of any stream and device.

        Raises DTypeError if `event` is no Event.
        """
        if not isinstance(event, Event):
            raise DTypeError(f"wait: {type(event).__name__} is no event; streams wait for those; pass stream.record()")
        with ORDER:
            self.after.append(event)

    def sync(self) -> None:
        """Wait until all work of the stream is done; raise its first error that was not raised yet."""
        if self.last is not None:
            self.last.wait()
        for event in list(self.after):
            event.wait()
        self.device.raise_unseen(self)

    def __enter__(self) -> Stream:
        STREAMS.enter(self._entered, self)
        return self

    def __exit__(self, *exception: object) -> None:
        STREAMS.leave(self._entered)

    def __repr__(self) -> str:
        return f"<stream {self.number} on {self.device.name}>"


STREAMS: Setting[Stream | None] = Setting("stream", None)  # set by `with stream:`


def _waited(reads: Sequence[Uses], writes: Sequence[Uses]) -> list[Event]:
    """Return the events that new work waits for: last writes of its memory, and reads of memory it writes."""
    if not AUTOMATIC.get():
        reads, writes = [u for u in reads if u.own], [u for u in writes if u.own]
    waits = [u.write for u in (*reads, *writes) if u.write is not None]
    return waits + [e for u in writes for e in u.reads]


def _record_uses(event: Event, reads: Sequence[Uses], writes: Sequence[Uses]) -> None:
    """Record the event of new work in the `Uses` of the memory that it reads and writes."""
    for u in reads:
        u.reads[:] = [e for e in u.reads if not e.done or e.clock is not None]
        u.reads.append(event)
    for u in writes:
        u.write, u.fresh = event, 0
        u.reads.clear()


class Cells(np.ndarray):
    """An array over memory of a device other than the host; `uses` is the record of the whole memory."""

    uses: Uses

    def __array_finalize__(self, whole: Any) -> None:
        if type(whole) is Cells:
            self.uses = whole.uses


def automatic_waits(on: bool) -> AbstractContextManager[bool]:
    """Return a context manager: inside its block, work waits for the memory it touches only if `on`.

    Otherwise only the order of each stream and `stream.wait(event)` hold.  It concerns work that this thread or task
    submits.

    >>> import weft
    >>> with weft.automatic_waits(False):
    ...     pass
    """
    return AUTOMATIC.block(on)
