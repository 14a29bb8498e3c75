"""Switches of passes and rules: each can be switched off, and no value may change by it.

The one idea: passes and the rules of `simplify` have names, and `without("fuse", "flat concat")` leaves them out inside
a block of this context (a thread, or a task of asyncio); tests compare the bits.  Passes that users put into the list
(`weft.passes.pipeline`) and ops whose entries of a function table are replaced (`weft.runtime.compute.function_tables`)
are part of the same state.  Such ops are planned as calls, and nothing rewrites the graph around them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from weft.errors import ValueRangeError, switch


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the list of passes: a pass added, or a watcher of all passes.

    The pass comes before or after the pass `of`, or in its place.
    """

    added: Any
    where: str  # "before", "after", "instead" or "watch"
    of: str = ""


PASSES = ("anchor", "prune", "simplify", "fuse", "reorder", "block", "arena")  # that can be left out, in their order
REWRITING = ("anchor", "prune", "simplify")  # passes that put other nodes in the place of the user's
_NONE: frozenset[str] = frozenset()
_CHECKED = _NONE  # holds "checked" while checks are asked for
_BLOCKS: ContextVar[tuple[list[str | Change], ...]] = ContextVar("blocks", default=())  # what is off and changed here
EVERYWHERE: list[Change] = []  # changes of the list of passes, in all threads
REPLACED: ContextVar[frozenset[str]] = ContextVar("replaced", default=_NONE)
# One for each scope that is open in any thread: those of passes, and others in which computing takes more than a known
# program (profiles, chosen allocators and transformers).  While it is empty, no other setting is read.
OPEN: list[object] = []


def replaced() -> frozenset[str]:
    """Return the names of ops whose function table entries are replaced or wrapped in this context."""
    return REPLACED.get() if OPEN else _NONE


def enabled(name: str) -> bool:
    """True if the pass or rule `name` is on in this context."""
    return not OPEN or (name not in _entries() and not (name in REWRITING and REPLACED.get()))


def changes() -> tuple[Change, ...]:
    """Return the changes of the list of passes in this context, those of all threads first."""
    return (*EVERYWHERE, *[e for e in _entries() if isinstance(e, Change)]) if OPEN else ()


def _entries() -> list[str | Change]:
    return [e for entries in _BLOCKS.get() for e in entries]


def has_user_passes() -> bool:
    """True if passes of users are added in this context; they may read all numbers of a graph."""
    return bool(OPEN) and any(c.where != "watch" for c in changes())


def switches() -> Hashable:
    """Return the passes and rules that are off, added passes, and replaced ops: a part of every plan's key."""
    if not OPEN:
        return _CHECKED
    off, ops, changed = frozenset([e for e in _entries() if isinstance(e, str)]), REPLACED.get(), changes()
    return (_CHECKED, off, ops, changed) if off or ops or changed else _CHECKED


def rules() -> tuple[str, ...]:
    """Return the names of all rules.

    >>> "flat concat" in rules()
    True
    """
    return tuple(import_module("weft.passes.simplify.rewriting").NAMES)


_CHECKING = os.environ.get("WEFT_CHECK", "") not in ("", "0")


class Checking:
    """The switch `on`: True while graphs and plans are to be checked."""

    on: bool = _CHECKING


_CHECKED_BLOCKS = 0  # open `with weft.checking():` blocks, of all threads


def is_checking() -> bool:
    """True if graphs and plans are checked against their specifications.

    >>> import weft
    >>> with weft.checking():
    ...     weft.is_checking()
    True
    """
    return Checking.on


def set_checking(on: bool) -> None:
    """Turn checks of every new graph and plan against its specification on or off, in all threads.

    An aid for finding faults of weft itself: each then raises an InternalError with the text of the graph. No value
    changes. Off at the start, unless the environment says WEFT_CHECK=1. Raises DTypeError unless `on` is a bool.

    >>> import weft
    >>> before = weft.is_checking()
    >>> weft.set_checking(True)
    >>> weft.is_checking(), weft.set_checking(before)
    (True, None)
    """
    global _CHECKING
    _CHECKING = switch("set_checking", "on", on)
    _plan_anew()


@contextmanager
def checking() -> Iterator[None]:
    """Return a context manager that checks graphs and plans inside the block, as `set_checking(True)` does.

    >>> import weft
    >>> with weft.checking():
    ...     weft.is_checking()
    True
    """
    global _CHECKED_BLOCKS
    _CHECKED_BLOCKS += 1
    _plan_anew()
    try:
        yield
    finally:
        _CHECKED_BLOCKS -= 1
        _plan_anew()


def _plan_anew() -> None:
    """Update `Checking.on`, and change every plan's key so that unchecked plans are not reused with checks."""
    global _CHECKED
    Checking.on = _CHECKING or _CHECKED_BLOCKS > 0
    _CHECKED = frozenset({"checked"}) if Checking.on else _NONE


@contextmanager
def without(*names: str) -> Iterator[None]:
    """Return a context manager that leaves out passes, or rules of the pass "simplify", in this thread or task.

    Raises ValueRangeError for a name that no pass or rule has.

    >>> with without("fuse", "flat concat"):
    ...     enabled("fuse"), enabled("flat concat"), enabled("adjacent")
    (False, False, True)
    """
    added = [c.added.name for c in changes() if c.where != "watch"]
    unknown = [n for n in names if n not in (*PASSES, *added) and n not in rules()]
    if unknown:
        raise ValueRangeError(
            f"without: no pass or rule is called {unknown[0]!r}; passes are {', '.join([*PASSES, *added])}, rules "
            f"{', '.join(rules())}; name these"
        )
    with block(names):
        yield


@contextmanager
def block(entries: Iterable[str | Change]) -> Iterator[None]:
    """Return a context manager that applies switches and changes of passes in this thread or task.

    An entry is the name of a pass or rule to switch off, or a change of the list of passes.
    """
    held = list(entries)
    opened(held)
    _BLOCKS.set((*_BLOCKS.get(), held))
    try:
        yield
    finally:
        OPEN.remove(held)
        _BLOCKS.set(tuple([b for b in _BLOCKS.get() if b is not held]))  # generators end in any order


def opened(block: object) -> None:
    """Register an open block; the first block to open also clears what blocks left that ended in other threads."""
    if not OPEN:
        REPLACED.set(_NONE)
        _BLOCKS.set(())
    OPEN.append(block)


def noting(mark: object) -> Callable[[bool], None]:
    """Return a function that adds `mark` to `OPEN` if called with True, and removes it if called with False."""

    def note(on: bool) -> None:
        if on and mark not in OPEN:
            opened(mark)
        elif not on and mark in OPEN:
            OPEN.remove(mark)

    return note
