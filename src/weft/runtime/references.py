"""Counts of the references to an object, without those of the code that asks.

The one idea: Python's counts include the frames that ask, and how many of these count depends on its version.  So each
way to ask is tried once on an object that nothing else refers to, and the references found there are taken off.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any


def extra_references(held: Any) -> int:
    """Return the number of references to an attribute's value beside the attribute: `extra_references(x.value)`.

    >>> class Holder:
    ...     value = object()
    >>> other = Holder.value
    >>> extra_references(Holder.value)
    1
    """
    return sys.getrefcount(held) - _OF_ATTRIBUTE


def extra_references_each(held: Iterable[Any]) -> list[int]:
    """Return the number of references to each member of a list or dict beside that of the list or dict.

    >>> one = object()
    >>> extra_references_each([one, object()])
    [1, 0]
    """
    return [sys.getrefcount(x) - _OF_MEMBER for x in held]


class _Holder:
    value = object()


_OF_ATTRIBUTE = _OF_MEMBER = 0
_OF_ATTRIBUTE, (_OF_MEMBER,) = extra_references(_Holder.value), extra_references_each([object()])
