"""Devices: the places where memory lies and work runs.

The one idea: a device is a type, an index and a queue of work; there is one object for each, which equals its name.
The host (`weft.cpu`) does its work at once in the calling thread; a thread device has its own memory and a worker
thread (`weft.runtime.devices.worker`), as an accelerator would.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from math import prod
from typing import Any

import numpy as np

from weft import callbacks
from weft.errors import ValueRangeError
from weft.ir.graph.description import Shape
from weft.ir.graph.node import DEVICES, Traits
from weft.passes.device_assignment import bring
from weft.runtime.devices import stream
from weft.runtime.devices.stream import STREAMS, Cells, Stream, Task, Uses, refuse_own
from weft.runtime.fork_safety import held_over_forks, late_import
from weft.runtime.memory import allocator
from weft.runtime.memory.device_buffers import Buffers
from weft.runtime.memory.limits import available_memory
from weft.runtime.scoped_setting import Setting
from weft.runtime.signal_safe_threads import ReentrantLock

MOST = 1024  # instances of a device type
_BYTE = np.dtype(np.uint8)


class Device:
    """A device: it equals its name, and calling it on an object returns that object on the device.

    >>> import weft
    >>> weft.cpu == "cpu", weft.cpu.type, weft.cpu([1, 2]).device
    (True, 'cpu', weft.device('cpu'))
    """

    __slots__ = (
        *("__weakref__", "_default_stream", "_first_stream", "buffers", "bytes_under_way", "index", "reads_all"),
        *("requires_aligned_data", "pending", "supports_byteswap", "traits", "unseen"),
    )
    type = ""
    is_host = False
    bring = staticmethod(bring)

    def __init__(self, index: int, supports_byteswap: bool = True, requires_aligned_data: bool = False) -> None:
        self.index = index
        self.supports_byteswap = supports_byteswap
        self.requires_aligned_data = requires_aligned_data
        self.reads_all = supports_byteswap and not requires_aligned_data  # it reads any layout without a copy
        self.unseen: dict[int, tuple[BaseException, Stream]] = {}  # errors of work that were not raised yet
        self.traits: Traits | None = Traits(self)  # traits of every value on this device
        self.pending: set[Task] = set()  # tasks submitted and not done
        self.bytes_under_way = 0  # of new memory that pending tasks fill
        self._first_stream: Stream | None = None  # the default stream unless another was set
        self._default_stream: Stream | None = None
        self.buffers = Buffers()

    @property
    def name(self) -> str:
        """Return the device's name, "cpu" or a type and an index as in "thread:0", as `weft.device` takes it."""
        return f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"weft.device({self.name!r})"

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(self.name, spec)

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, str) and other == self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return device, (self.name,)

    def __call__(self, obj: Any) -> Any:
        """Return the object on this device: a tensor, an index object, or anything `weft.asarray` takes.

        Raises the errors of `weft.asarray`, such as DTypeError for an object without numbers.
        """
        return callbacks.IMPORT(obj, self)

    # ---- facts
    @property
    def info(self) -> str:
        """Return a text with facts about the device and the machine, one per line."""
        facts = {
            "type": self.type,
            "byte swap": "yes" if self.supports_byteswap else "no",
            "alignment": "required" if self.requires_aligned_data else "not required",
            "modules": ", ".join(self.modules),
            "temporary buffers": f"{self.buffer_count} of {self.max_buffer_size or 'any number of'} bytes at most",
            **self._facts(),
        }
        return "\n".join([self.name, *[f"  {name}: {value}" for name, value in facts.items()]])

    def _facts(self) -> dict[str, Any]:
        """Return the facts with their names as words, for printing."""
        return {name.replace("_", " "): value for name, value in self.facts.items()}

    @property
    def facts(self) -> dict[str, Any]:
        """Return cheap facts about the machine of the device: processors, bytes of memory and bytes of a page."""
        page = _page_size()
        return {
            "machine": os.uname().machine if hasattr(os, "uname") else "",
            "processors": os.cpu_count(),
            "page_size": page,
            "total_memory": os.sysconf("SC_PHYS_PAGES") * page if hasattr(os, "sysconf") else None,
            "free_memory": available_memory(),
        }

    @property
    def modules(self) -> tuple[str, ...]:
        """Return the names of the modules that have a table of functions for this type of device."""
        return late_import("weft.modules.module").on_device(self.type)  # type: ignore[no-any-return]

    @property
    def memory(self) -> allocator.Allocator:
        """Return the allocator in force, which allocates values and counts their bytes."""
        return allocator.chosen()

    # ---- temporary buffers
    @property
    def buffer_count(self) -> int:
        """The number of temporary buffers kept for transfers and layout changes.

        The least recently used is taken next.
        """
        return self.buffers.count

    @buffer_count.setter
    def buffer_count(self, n: int) -> None:
        self.buffers.limit(_not_negative("buffer_count", n), self.buffers.largest)

    @property
    def max_buffer_size(self) -> int:
        """The bytes that a kept buffer may have, 0 for no limit; larger ones are allocated and freed each time."""
        return self.buffers.largest

    @max_buffer_size.setter
    def max_buffer_size(self, n: int) -> None:
        self.buffers.limit(self.buffers.count, _not_negative("max_buffer_size", n))

    @contextmanager
    def temporaries(self) -> Iterator[Callable[[np.dtype, tuple[int, ...]], np.ndarray]]:
        """Return a context manager that yields `take(dtype, shape)`, which returns temporary memory.

        Only work submitted inside the block may use the memory.
        """
        lent: list[np.ndarray] = []

        def take(dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
            nbytes = prod(shape) * dtype.itemsize
            raw = self.buffers.take(nbytes)
            if raw is None:
                raw = self.allocate(_BYTE, (max(nbytes, 1),))
                raw.uses.own = True
            lent.append(raw)
            return raw[:nbytes].view(dtype).reshape(shape)

        try:
            yield take
        finally:
            self.buffers.give(lent)

    # ---- streams and work
    @property
    def under_way(self) -> int:
        """Return the number of submitted tasks that are not done."""
        return len(self.pending)

    def create_stream(self) -> Stream:
        """Return a new stream on this device."""
        return Stream(self)

    @property
    def default_stream(self) -> Stream | None:
        """The stream of new values; None: each value has a new one.  On the host it is never None."""
        return self._default_stream

    @default_stream.setter
    def default_stream(self, stream: Stream | None) -> None:
        self._default_stream = self._first_stream if stream is None else self.own(stream)

    def own(self, stream: Stream) -> Stream:
        """Return stream `stream` if it belongs to this device; raises ValueRangeError otherwise."""
        if not isinstance(stream, Stream) or stream.device is not self:
            raise ValueRangeError(
                f"stream: {stream!r} for {self.name}; a stream serves its own device; "
                f"take {self.name}'s create_stream()"
            )
        return stream

    def stream_for_new(self) -> Stream:
        """Return the stream for a new value: of the innermost `with stream:`, else the default, else a new one."""
        for s in reversed(STREAMS.open()):
            if s is not None and s.device is self:
                return s
        return self._default_stream or Stream(self)

    def allocate(
        self, dtype: np.dtype, shape: Shape, stream: Stream | None = None, strides: Shape | None = None
    ) -> np.ndarray:
        """Return uninitialised memory of this device, row-major unless `strides` (bytes) are given.

        Stream `stream` (None: that of new values) uses it. Raises OutOfMemory if memory is refused.
        """
        made = allocator.strided(dtype, shape, strides).view(Cells)
        made.uses = Uses(stream or self.stream_for_new(), fresh=made.nbytes)
        return made

    def sync(self) -> None:
        """Wait until all work is done; raise its first error that was not raised yet."""
        self.drain()
        self.raise_unseen(None)

    def raise_unseen(self, stream: Stream | None) -> None:
        """Raise the first error of stream `stream` (None: of any stream) that was not raised yet, if any."""
        for key, (error, where) in list(self.unseen.items()):
            if stream is None or where is stream:
                self.unseen.pop(key, None)
                raise error.with_traceback(None)

    def set_default(self) -> None:
        """Make this device the default for new tensors, in all threads."""
        set_default_device(self)

    def ready(self, task: Task) -> None:
        """Accept a task without pending waits; does nothing here, a worker's device queues it.

        Called with `ORDER` held.
        """

    def submitted(self, task: Task) -> None:
        """Start a newly submitted task; does nothing here, other devices override it."""

    def awake(self) -> None:
        """Start the device's worker thread if it has one; does nothing here."""

    def drain(self) -> None:
        """Wait until all work of the worker is done, failed or not; does nothing on a device without a worker."""

    def drain_all(self) -> None:
        """Wait until the work of every device is done, failed or not."""
        for d in devices():
            d.drain()

    def room(self) -> None:
        """Wait while too much work is in the worker's queue; does nothing on a device without a worker."""

    def advance_all(self) -> None:
        """Start all tasks of all devices that wait for nothing, as an exception may have prevented their start."""
        with stream.ORDER:
            for task in [t for d in devices() for t in d.pending if t.waits_for() is None]:
                task.advance()


class HostDevice(Device):
    """The host: its work is done at once, by the calling thread.

    >>> import weft
    >>> weft.cpu.default_stream.device
    weft.device('cpu')
    """

    __slots__ = ()
    type = "cpu"
    is_host = True

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.traits = None  # values of the host pay for no placement
        s = Stream.__new__(Stream)
        s.device, s.number, s.last, s.after, s._entered = self, 0, None, [], []
        self._first_stream = self._default_stream = s

    name = property(lambda self: "cpu")  # type: ignore[assignment]

    def stream_for_new(self) -> Stream:
        """Return the default stream: work of the host is done at once."""
        return self._default_stream  # type: ignore[return-value]

    def allocate(
        self, dtype: np.dtype, shape: Shape, stream: Stream | None = None, strides: Shape | None = None
    ) -> np.ndarray:
        """Return uninitialised memory, row-major unless `strides` (bytes) are given.

        Raises OutOfMemory if memory is refused.
        """
        return allocator.strided(dtype, shape, strides)

    def submitted(self, task: Task) -> None:
        """Wait until the task's events are reached, and run it in this thread; raises the task's error.

        Raises ValueRangeError if the thread would wait for the device whose work it runs.
        """
        if task.waits_for() is not None:
            refuse_own("submit", self)
            stream.until(lambda: task.waits_for() is None, self)
        working = stream.THREAD.working
        stream.THREAD.working = working or self
        try:
            task.execute()
        finally:
            stream.THREAD.working = working
        task.event.sync()


def _page_size() -> int:
    """Return the size of a memory page in bytes."""
    return os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def _not_negative(name: str, number: Any) -> int:
    """Return `number` as an integer >= 0; raises ValueRangeError, naming `name`, for anything else."""
    if not isinstance(number, int) or number < 0:
        raise ValueRangeError(f"{name}: {number!r}; it is a count from 0 on; give such an integer")
    return number


# ---- instances


CPU = HostDevice(0)
_DEVICES: dict[str, Device] = {"cpu": CPU}
_LOCK = held_over_forks(ReentrantLock())
CAPABILITIES = ("supports_byteswap", "requires_aligned_data")
TYPES = {"thread": ("weft.runtime.devices.worker", "ThreadDevice")}  # module and class of a type, imported at first use


def device(name: Any, index: int | None = None, **capabilities: bool) -> Device:
    """Return the device of a name ("cpu", "thread:0") or of a type and an index; the same object each time.

    A first use may state what the device can do: `supports_byteswap` (operands in foreign byte order are read directly;
    else they are copied first) and `requires_aligned_data` (unaligned operands are copied first).  Raises
    ValueRangeError for unknown names, and for other capabilities than at the first use.

    >>> import weft
    >>> weft.device("cpu") is weft.cpu, weft.device("thread", 0) is weft.device("thread:0")
    (True, True)
    """
    if isinstance(name, Device) and index is None:
        if not capabilities:
            return name
        name = name.name
    kind, at = _type_and_index(name, index)
    key = kind if kind == "cpu" else f"{kind}:{at}"
    for word in capabilities:
        if word not in CAPABILITIES:
            raise ValueRangeError(f"device: {word}; it is no capability; these are {' and '.join(CAPABILITIES)}")
    with _LOCK:
        found = _DEVICES.get(key)
        if found is not None and not (kind == "cpu" and at):
            return _as_asked(found, capabilities)
        if kind not in TYPES or at is None or not 0 <= at < MOST:
            raise _unknown(name if index is None else f"{name}:{index}")
        module, made = TYPES[kind]
        instance: Device = getattr(late_import(module), made)(at, **capabilities)
        _DEVICES[key] = DEVICES[key] = instance
        late_import("weft.runtime.devices.placement").begin()  # from now on graphs may span several devices
    return instance


def _type_and_index(name: Any, index: Any) -> tuple[str, int | None]:
    """Return (type, index) of a device from a name such as "thread:0", or from a type and a separate index.

    Raises ValueRangeError for other arguments.
    """
    kind, colon, number = name.partition(":") if isinstance(name, str) else ("", "", "")
    if not kind or (colon and not (number.isdecimal() and index is None)) or isinstance(index, bool):
        raise _unknown(name if index is None else (name, index))
    if colon:
        return kind, int(number)
    try:
        return kind, None if index is None else operator.index(index)
    except TypeError:
        raise _unknown((name, index)) from None


def _as_asked(d: Device, capabilities: dict[str, bool]) -> Device:
    """Return the device `d`; raises ValueRangeError if its capabilities differ from those requested."""
    for name, value in capabilities.items():
        if getattr(d, name) != value:
            raise ValueRangeError(
                f"device: {d.name} with {name}={value}; it is in use without; say so at its first use, or take another"
            )
    return d


def _unknown(name: Any) -> ValueRangeError:
    """Return the ValueRangeError for a name that is no device."""
    known = ", ".join(["'cpu'", *[f"'{kind}:0'" for kind in sorted(TYPES)]])
    return ValueRangeError(f"device: {name!r} is no device; devices are {known} and so on; name one of these")


def devices(type: str | None = None) -> list[Device]:
    """Return all devices in use, or those of one type ("cpu", "thread"), the host first.

    >>> import weft
    >>> weft.devices()[0]
    weft.device('cpu')
    """
    with _LOCK:
        return [d for d in _DEVICES.values() if type in (None, d.type)]


# ---- the default


_DEFAULT: Setting[Device | None] = Setting("default_device", CPU, lambda d: d is not CPU)


def set_default_device(d: Any) -> None:
    """Set the device of tensors made without `device=`, in all threads; None makes such creation an error.

    The default moves no operand: an operation runs where its first tensor lies. Raises ValueRangeError for an unknown
    device.

    >>> import weft
    >>> weft.set_default_device("cpu")
    """
    _DEFAULT.set(None if d is None else device(d))


def get_default_device() -> Device | None:
    """Return the device of tensors made without `device=`; None if creation must name one.

    >>> import weft
    >>> weft.get_default_device()
    weft.device('cpu')
    """
    return _DEFAULT.get() if _DEFAULT.active else CPU


def default_device(d: Any) -> AbstractContextManager[None]:
    """Return a context manager: inside its block, in this thread or task, `d` is the default device.

    Raises ValueRangeError for an unknown device.

    >>> import weft
    >>> with weft.default_device("thread:0"):
    ...     weft.zeros(2).device
    weft.device('thread:0')
    """
    return _DEFAULT.block(None if d is None else device(d))


def place_for(op: str, d: Any) -> Device:
    """Return device `d`, or the default device for None.

    Raises ValueRangeError, naming `op`, if there is no default or no such device.
    """
    if d is not None:
        return device(d)
    found = get_default_device()
    if found is None:
        raise ValueRangeError(f"{op}: no device; there is no default device; pass device=, or set a default device")
    return found


callbacks.DEVICE = device
