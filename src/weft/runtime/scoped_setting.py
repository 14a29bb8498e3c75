"""Settings: a value for the process, and blocks of `with` that hold another for whoever entered them.

The one idea: what is in force is what the innermost block of this context (a thread, or a task of asyncio) holds that
is still open, else the value of the process.  A block is closed wherever it is left, so generators that end out of
order, or in another thread, take nothing of others away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import RLock
from typing import Generic, TypeVar

from weft.runtime.fork_safety import held_over_forks

T = TypeVar("T")


class SettingBlock(Generic[T]):
    """The value of one entered block, while it is open."""

    __slots__ = ("held", "is_open")

    def __init__(self, held: T) -> None:
        self.held, self.is_open = held, True


class Setting(Generic[T]):
    """A setting: `value` is that of the process, and open blocks hold others for their thread or task.

    `acts(value)` says whether a value asks for work; `told(active)` is called when the number of such values in force
    changes, with True if there is any.

    Where some values ask for work (`acts`), `told` hears whether one of these is in force anywhere.

    >>> colour = Setting("colour", "red")
    >>> with colour.block("blue"):
    ...     colour.get()
    'blue'
    >>> colour.get()
    'red'
    """

    def __init__(
        self,
        name: str,
        value: T,
        acts: Callable[[T], bool] = lambda value: False,
        told: Callable[[bool], None] = lambda active: None,
    ) -> None:
        self._here: ContextVar[tuple[SettingBlock[T], ...]] = ContextVar(f"weft_{name}", default=())
        self.value, self._acts, self._told = value, acts, told
        self.active = 0  # blocks of all threads, and the process, whose value acts: while it is 0, nobody need look
        self._lock = held_over_forks(RLock())

    def get(self) -> T:
        """Return the value in force in this thread or task: that of the innermost open block, else of the process."""
        for b in reversed(self._here.get()):
            if b.is_open:
                return b.held
        return self.value

    def set(self, value: T) -> None:
        """Set the value of the process, in force in all threads outside of blocks."""
        with self._lock:
            before, self.value = self.value, value
            self._count(self._acts(value) - self._acts(before))

    def open(self) -> list[T]:
        """Return the values of the open blocks of this context, the innermost last."""
        return [b.held for b in self._here.get() if b.is_open]

    def enter(self, entered: list[SettingBlock[T]], held: T) -> None:
        """Open a block that holds the value `held` in this thread or task, and append it to `entered`."""
        entered.append(SettingBlock(held))
        self._here.set((*self._here.get(), entered[-1]))
        self._count(self._acts(held))

    def leave(self, entered: list[SettingBlock[T]]) -> None:
        """Close the last block in `entered` of this thread or task, else the last of all, and remove it."""
        here = self._here.get()
        block = next((b for b in reversed(entered) if b in here), entered[-1])
        entered.remove(block)
        block.is_open = False
        self._here.set(tuple([b for b in here if b.is_open]))
        self._count(-self._acts(block.held))

    @contextmanager
    def block(self, held: T) -> Iterator[T]:
        """Return a context manager that yields `held` and has it in force in this thread or task inside the block."""
        entered: list[SettingBlock[T]] = []
        self.enter(entered, held)
        try:
            yield held
        finally:
            self.leave(entered)

    def _count(self, change: int) -> None:
        """Add to the number of values in force that ask for work, and call `told` if it changed."""
        if change:
            with self._lock:
                self.active += change
                self._told(self.active > 0)
