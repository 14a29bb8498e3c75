"""Blocks of `with` that set something for whoever entered them: a thread, or a task of asyncio.

The one idea: what is in force is what the innermost block of this context holds that is still open.  A block is closed
wherever it is left, so generators that end out of order, or in another thread, take nothing of others away.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Generic, TypeVar

T = TypeVar("T")


class Block(Generic[T]):
    """What one entered block holds, for as long as it is open."""

    __slots__ = ("held", "is_open")

    def __init__(self, held: T) -> None:
        self.held, self.is_open = held, True


class Blocks(Generic[T]):
    """The blocks of a kind."""

    def __init__(self, name: str) -> None:
        self._here: ContextVar[tuple[Block[T], ...]] = ContextVar(name, default=())

    def enter(self, entered: list[Block[T]], held: T) -> None:
        """Enter a block, and note it among those that its object has entered."""
        entered.append(Block(held))
        self._here.set((*self._here.get(), entered[-1]))

    def leave(self, entered: list[Block[T]]) -> None:
        """Leave the last block that an object has entered here; where there is none, the last that it has entered."""
        here = self._here.get()
        block = next((b for b in reversed(entered) if b in here), entered[-1])
        entered.remove(block)
        block.is_open = False
        self._here.set(tuple([b for b in here if b.is_open]))

    def open(self) -> list[T]:
        """What the open blocks hold, the innermost last."""
        return [b.held for b in self._here.get() if b.is_open]

    def innermost(self) -> T | None:
        """What the innermost open block holds."""
        return next((b.held for b in reversed(self._here.get()) if b.is_open), None)
