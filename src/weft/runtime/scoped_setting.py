"""Settings: a value for the process, and `with` blocks that override it in the thread or task that entered them.

The one idea: the current value is that of the innermost open block of this context (a thread, or a task of asyncio),
else that of the process.  Leaving a block closes it, in whatever order, so generators that end out of order, or in
another thread, do not disturb other blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ContextDecorator
from contextvars import ContextVar
from typing import ClassVar, Generic, TypeVar

from weft.runtime.fork_safety import held_over_forks
from weft.runtime.signal_safe_threads import ReentrantLock

T = TypeVar("T")
_COUNTING = held_over_forks(ReentrantLock())


class SettingBlock(Generic[T]):
    """The value of one entered block, while it is open."""

    __slots__ = ("held", "is_open")

    def __init__(self, held: T) -> None:
        self.held, self.is_open = held, True


class Setting(Generic[T]):
    """A setting: `value` is that of the process, and open blocks override it for their thread or task.

    `acts(value)` is true for a value that makes weft do extra work, such as checks.  `on_change(active)` is called
    whenever the number of such current values changes, with True if it is above 0.

    >>> colour = Setting("colour", "red")
    >>> with colour.block("blue"):
    ...     colour.get()
    'blue'
    >>> colour.get()
    'red'
    """

    acting: ClassVar[int] = 0  # number of acting values of all settings; at 0 all can be skipped

    def __init__(
        self,
        name: str,
        value: T,
        acts: Callable[[T], bool] | None = None,
        on_change: Callable[[bool], None] = lambda active: None,
    ) -> None:
        self._here: ContextVar[tuple[SettingBlock[T], ...]] = ContextVar(f"weft_{name}", default=())
        self.value, self._acts, self._on_change = value, acts, on_change
        self.active = 0  # number of open blocks (and the process) whose value acts; at 0 the setting can be skipped

    def get(self) -> T:
        """Return the current value of this thread or task: of the innermost open block, else of the process."""
        if here := self._here.get():
            for b in reversed(here):
                if b.is_open:
                    return b.held
        return self.value

    def set(self, value: T) -> None:
        """Set the value of the process, which holds in all threads outside of blocks."""
        with _COUNTING:
            before, self.value = self.value, value
            if self._acts is not None:
                self._count(self._acts(value) - self._acts(before))

    def open(self) -> list[T]:
        """Return the values of this context's open blocks, the innermost last."""
        return [b.held for b in self._here.get() if b.is_open]

    def enter(self, entered: list[SettingBlock[T]], value: T) -> None:
        """Open a block with this value in this thread or task, and append the block to `entered`."""
        block, here = SettingBlock(value), self._here.get()
        entered.append(block)
        self._here.set((*[b for b in here if b.is_open], block) if here else (block,))
        if self._acts is not None:
            self._count(self._acts(value))

    def leave(self, entered: list[SettingBlock[T]]) -> None:
        """Close and remove the last block in `entered` that belongs to this thread or task, else the last of all."""
        here = self._here.get()
        block = next((b for b in reversed(entered) if b in here), entered[-1]) if entered[1:] else entered[0]
        entered.remove(block)
        block.is_open = False
        self._here.set(() if here == (block,) else tuple([b for b in here if b.is_open]))
        if self._acts is not None:
            self._count(-self._acts(block.held))

    def block(self, value: T) -> SettingScope[T]:
        """Return a context manager that sets this value in this thread or task inside its block, and yields it."""
        return SettingScope(self, value)

    def _count(self, change: int) -> None:
        """Add `change` to the numbers of acting values in blocks, and call `on_change` if it is not 0."""
        if change:
            with _COUNTING:
                self.active += change
                Setting.acting += change
                self._on_change(self.active > 0)


class SettingScope(ContextDecorator, Generic[T]):
    """A context manager that overrides a setting; it may be entered again, also while it is open."""

    def __init__(self, setting: Setting[T], value: T) -> None:
        self._setting, self._value = setting, value
        self._entered: list[SettingBlock[T]] = []

    def __enter__(self) -> T:
        self._setting.enter(self._entered, self._value)
        return self._value

    def __exit__(self, *error: object) -> None:
        self._setting.leave(self._entered)
