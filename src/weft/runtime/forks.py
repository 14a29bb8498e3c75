"""Locks and forks: a child has only the thread that forked.

The one idea: a lock whose work is short, or must not be cut, is taken before a fork, so that nobody is inside it and
the child gets it free.
"""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")


def held_over_forks(lock: T) -> T:
    """The lock itself; a fork waits until it is free."""
    if hasattr(os, "register_at_fork"):
        take, give = lock.acquire, lock.release  # type: ignore[attr-defined]
        os.register_at_fork(before=take, after_in_parent=give, after_in_child=give)
    return lock
