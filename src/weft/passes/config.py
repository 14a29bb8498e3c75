"""Which passes run: every one can be switched off, and no value may change by it.

The one idea: a pass is named, and `without("fuse", ...)` leaves it out inside a block; tests compare the bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from weft.errors import ValueRangeError

PASSES = ("anchor", "prune", "simplify", "fuse", "block", "arena")
_OFF: frozenset[str] = frozenset()


def enabled(name: str) -> bool:
    """Whether a pass is on."""
    return name not in _OFF


def switches() -> frozenset[str]:
    """The passes that are off: part of every plan's key."""
    return _OFF


@contextmanager
def without(*names: str) -> Iterator[None]:
    """Leave passes out inside the block.

    >>> with without("fuse"):
    ...     enabled("fuse")
    False
    """
    global _OFF
    unknown = [n for n in names if n not in PASSES]
    if unknown:
        raise ValueRangeError(f"without: no pass is called {unknown[0]!r}; passes are {', '.join(PASSES)}; name these")
    before, _OFF = _OFF, _OFF | frozenset(names)
    try:
        yield
    finally:
        _OFF = before
